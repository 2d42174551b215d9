//! `[[ ]]`: what its operands run, and the operators that evaluate their operands as arithmetic.

use crate::{Condition, Construct, Shell, Value, Word};

use super::{Env, Evaluator};

/// The comparisons of numbers.
pub(super) const NUMERIC: [&str; 6] = ["-eq", "-ne", "-lt", "-le", "-gt", "-ge"];

impl Evaluator<'_> {
    pub(super) fn condition(&mut self, condition: &Condition, env: Env<'_>) {
        match condition {
            Condition::NonEmpty(word) => {
                self.single(word, env);
            }
            Condition::Unary(operator, word) => {
                let value = self.single(word, env);
                let evaluates = match operator.as_str() {
                    "-v" | "-R" => true,
                    // zsh reads the descriptor as arithmetic.
                    "-t" => self.shell() != Shell::Bash && !value.is_integer(),
                    _ => false,
                };
                if evaluates {
                    self.refuse(Construct::ConditionOperator, env.span(word.span));
                }
            }
            Condition::Binary(left, operator, right) => {
                let left_value = self.single(left, env);
                let right_value = self.single(right, env);
                if NUMERIC.contains(&operator.as_str()) {
                    self.check_number(left, &left_value, env);
                    self.check_number(right, &right_value, env);
                }
            }
            Condition::Not(inner) => self.condition(inner, env),
            Condition::And(left, right) | Condition::Or(left, right) => {
                self.condition(left, env);
                let before = self.state.clone();
                self.condition(right, env.conditional());
                self.settle(Some(before));
            }
        }
    }

    fn check_number(&mut self, word: &Word, value: &Value, env: Env<'_>) {
        if !value.is_integer() {
            self.refuse(Construct::ConditionOperator, env.span(word.span));
        }
    }
}
