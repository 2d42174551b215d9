//! Arithmetic. bash evaluates the value of a variable that it meets in arithmetic as an expression again, and a subscript
//! in that value runs commands; so only what is known to be a number may be read.

use crate::{Arithmetic, Construct, Value};

use super::assign::Target;
use super::state::Content;
use super::{Env, Evaluator};

impl Evaluator<'_> {
    /// Evaluates an expression: runs the substitutions in it, checks what it reads, assigns what it writes.
    pub(super) fn arithmetic(&mut self, arithmetic: &Arithmetic, env: Env<'_>) -> Value {
        let span = env.span(arithmetic.span);
        for part in &arithmetic.parts {
            let value = self.single_parts(std::slice::from_ref(part), env);
            if !value.is_integer() {
                self.refuse(Construct::ArithmeticCode, env.span(part.span));
            }
        }
        for name in &arithmetic.reads {
            if !self.reads_number(&name.text) {
                self.refuse(Construct::ArithmeticCode, env.span(name.span));
            }
        }
        if arithmetic.value.is_none() && may_fail(arithmetic.span.of(env.text)) {
            // After an error bash leaves out the rest of the line and goes on with the next.
            self.refuse(Construct::ArithmeticCode, span);
        }
        for name in &arithmetic.writes {
            self.assign(
                &name.text,
                Content::Scalar(Value::Integer),
                Target::shell(span),
                env,
            );
        }
        match arithmetic.value {
            Some(number) => Value::Known(number.to_string().into()),
            None => Value::Integer,
        }
    }

    fn reads_number(&self, name: &str) -> bool {
        if name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
            let variable = self.dynamic(name).unwrap_or_else(|| self.lookup(name));
            return Self::is_number(&variable);
        }
        let (value, _) = self.special(name);
        value.is_integer() || value.known() == Some("")
    }
}

/// Whether an expression divides by what may be zero, raises to what may be negative, or spells a number wrongly.
fn may_fail(text: &str) -> bool {
    let mut words = text.split(|c: char| !c.is_ascii_alphanumeric());
    if words.any(|word| word.starts_with('0') && word.contains(['8', '9']) && !word.contains(['x', 'X'])) {
        return true;
    }
    let operators = text.match_indices(['/', '%']).chain(text.match_indices("**"));
    operators.into_iter().any(|(at, operator)| {
        let right = text.get(at + operator.len()..).unwrap_or_default();
        let right = right.trim_start_matches('=').trim_start();
        let digits = right.bytes().take_while(u8::is_ascii_digit).count();
        let (number, rest) = right.split_at_checked(digits).unwrap_or_default();
        let plain = !number.is_empty() && !number.starts_with('0') && !rest.starts_with(['#', 'x', 'X']);
        !(plain || operator == "**" && number == "0")
    })
}
