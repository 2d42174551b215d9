//! `test` and `[`: `-v` and `-R` evaluate the subscript of their operand, so nothing may turn out to be such a pair.

use crate::{Construct, Count, Field, Shell};

use super::super::Evaluator;
use super::super::call::Call;
use super::super::condition::NUMERIC;

/// The operators that stand between two operands.
const BINARY: [&str; 16] = [
    "=", "==", "!=", "<", ">", "-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-nt", "-ot", "-ef", "-a", "-o",
];

impl Evaluator<'_> {
    pub(super) fn check_test(&mut self, call: &Call) {
        let mut arguments = call.arguments();
        if call.fields.first().is_some_and(|f| f.known() == Some("[")) {
            arguments = match arguments {
                [inner @ .., last] if last.known() == Some("]") => inner,
                // bash evaluates nothing without the bracket.
                other => other,
            };
        }
        for (i, pair) in arguments.windows(2).enumerate() {
            let [operator, operand] = pair else { continue };
            // A run of unknown words is a problem of its own below.
            let evaluates = operator.value.may_equal("-v") || operator.value.may_equal("-R");
            if !evaluates || harmless(operand) {
                continue;
            }
            // With three arguments and an operator between them, the outer ones are operands.
            let before = i
                .checked_sub(1)
                .and_then(|b| arguments.get(b))
                .and_then(Field::known);
            let between = arguments.len() == 3 && before.is_some_and(|b| BINARY.contains(&b));
            if !between {
                self.refuse(Construct::BuiltinForm, operator.span);
            }
        }
        for field in arguments {
            let run = match field.count {
                Count::One => false,
                Count::OneOrMore | Count::Any => true,
            };
            if run
                && (field.value.may_equal("-v") || field.value.may_equal("-R") || field.value.may_equal("-o"))
            {
                self.refuse(Construct::BuiltinForm, field.span);
            }
        }
        if self.shell() == Shell::Zsh {
            self.check_numeric(arguments);
        }
    }

    /// zsh evaluates the operands of numeric comparisons as arithmetic.
    fn check_numeric(&mut self, arguments: &[Field]) {
        for triple in arguments.windows(3) {
            let [left, operator, right] = triple else { continue };
            let numeric = NUMERIC.iter().any(|o| operator.value.may_equal(o));
            if numeric && !(left.value.is_integer() && right.value.is_integer()) {
                self.refuse(Construct::ConditionOperator, operator.span);
            }
        }
    }
}

/// Whether an operand of `-v` holds no subscript, or is no operand but an operator.
fn harmless(field: &Field) -> bool {
    let plain = field.count == Count::One && !field.value.may_contain('[');
    plain || field.known().is_some_and(|t| BINARY.contains(&t))
}
