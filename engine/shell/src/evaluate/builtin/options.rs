//! `set` and `shift`: options of the shell, and the positional parameters.

use std::rc::Rc;

use crate::{Construct, Count, Shell, Value};

use super::super::call::Call;
use super::super::{Env, Evaluator};

impl Evaluator<'_> {
    pub(super) fn set(&mut self, call: &Call, env: Env<'_>) {
        self.announce_copy(call, env);
        let arguments = call.arguments();
        let mut at = 0;
        while let Some(field) = arguments.get(at) {
            let Some(text) = field.known() else {
                if field.value.may_begin("-") || field.value.may_begin("+") {
                    self.refuse(Construct::ShellOption, field.span);
                    self.state.change().positional = None;
                    return;
                }
                break;
            };
            let letters = match text {
                "--" => {
                    let rest = arguments.get(at + 1..).unwrap_or_default().to_vec();
                    self.state.change().positional = Some(Rc::new(rest));
                    return;
                }
                "-" => {
                    self.refuse(Construct::ShellOption, field.span);
                    return;
                }
                _ => match text.strip_prefix(['-', '+']) {
                    Some(letters) => letters,
                    None => break,
                },
            };
            at += 1;
            for letter in letters.chars() {
                let harmless = match letter {
                    'e' | 'u' | 'x' => true,
                    'o' => {
                        let name = arguments.get(at);
                        at += 1;
                        match name {
                            // Prints the options.
                            None => true,
                            Some(name) => {
                                matches!(name.known(), Some("errexit" | "nounset" | "xtrace" | "pipefail"))
                            }
                        }
                    }
                    _ => false,
                };
                if !harmless {
                    self.refuse(Construct::ShellOption, field.span);
                }
            }
        }
        let rest = arguments.get(at..).unwrap_or_default();
        if rest.is_empty() {
            return;
        }
        // zsh's `set -A name` and the like are options above; these are the new positional parameters.
        self.state.change().positional = Some(Rc::new(rest.to_vec()));
    }

    pub(super) fn shift(&mut self, call: &Call, env: Env<'_>) {
        self.announce_copy(call, env);
        self.check_numbers(call);
        let count = match call.arguments() {
            [] => Some(1),
            [field] => field.known().and_then(|t| t.parse::<usize>().ok()),
            _ => None,
        };
        if self.shell() == Shell::Zsh && !call.arguments().iter().all(|f| f.value.is_integer()) {
            // Names of arrays to shift.
            self.refuse(Construct::BuiltinForm, call.span);
        }
        let shifted = match (count, self.state.data.positional.as_deref()) {
            (Some(count), Some(fields)) if fields.iter().take(count).all(|f| f.count == Count::One) => {
                // Shifting by more than there are is an error that changes nothing.
                let kept = if count > fields.len() {
                    fields.clone()
                } else {
                    fields.iter().skip(count).cloned().collect()
                };
                Some(Rc::new(kept))
            }
            _ => None,
        };
        self.state.change().positional = shifted;
    }
}

/// Whether a value is surely no option.
pub(super) fn is_operand(value: &Value) -> bool {
    !value.may_begin("-")
}
