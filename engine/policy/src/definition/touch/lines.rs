//! Command lines among the arguments: where they end, what is filled in, what standard input adds.
//!
//! Invariant (unknown program): a command line whose program is not known leaves an unknown behind.

use engine_shell::{Count, Field, Origin, Span, Value};
use smol_str::SmolStr;

use super::prepared::assignment;
use super::{From, Touch};
use crate::definition::model::{Appends, Runs};
use crate::definition::operands::OperandPlan;
use crate::definition::partial::{affixed, beginning, ending, equals, one_of, texts};
use crate::definition::split::{Items, split_input, split_string};
use crate::effect::{EffectKind, EffectSource, Nested, UnknownKind};
use crate::truth::Truth;

impl<'d> Touch<'_, 'd> {
    pub(super) fn split(&mut self, value: &Value, field: &Field, from: &From) {
        // Where operands are run, the words took the place of the option already.
        if self.cut.current().operands_run && from.source != EffectSource::Operand {
            return;
        }
        let Some(words) = value.known().and_then(split_string) else {
            let why = "the command line in the string is not known".to_owned();
            self.unknown(UnknownKind::Program, field.span, why);
            return;
        };
        let words = words
            .into_iter()
            .map(|value| Field {
                value,
                count: Count::One,
                ..field.clone()
            })
            .collect();
        let plan = OperandPlan { lists: Vec::new() };
        self.command_line(&Runs::default(), words, from, &plan);
    }

    /// Finishes a command line and records it.
    pub(super) fn command_line(
        &mut self,
        runs: &Runs,
        mut words: Vec<Field>,
        from: &From,
        plan: &OperandPlan<'d>,
    ) {
        let mut many = false;
        if runs.until.is_some() || runs.until_plus.is_some() {
            let ended = |field: &Field, word: &Option<SmolStr>| {
                field.count == Count::One && word.as_deref().is_some_and(|word| field.known() == Some(word))
            };
            match words.last() {
                Some(last) if ended(last, &runs.until) || ended(last, &runs.until_plus) => {
                    many = ended(last, &runs.until_plus);
                    words.pop();
                }
                Some(_) | None => {
                    let why = "the end of the command is missing".to_owned();
                    self.unknown(UnknownKind::Value, from.span, why);
                }
            }
        }
        let mut env = self.env.clone();
        if runs.assignments {
            while let Some(first) = words.first() {
                if !beginning(&first.value).contains('=') || first.count != Count::One {
                    break;
                }
                let first = words.remove(0);
                let (name, value) = assignment(&first.value);
                env.push((name.clone(), value.clone()));
                let from = From {
                    span: first.span,
                    ..from.clone()
                };
                self.effect(EffectKind::SetsEnv { name, value }, &from);
            }
        }
        if words.is_empty() {
            let Some(default) = self.default_run.filter(|_| from.order != usize::MAX) else {
                return;
            };
            words = default
                .iter()
                .map(|word| Field::literal(word.clone(), from.span))
                .collect();
        }
        let placeholder = self.placeholder(runs);
        let reads_stdin = match runs.appends {
            Some(Appends::Stdin | Appends::StdinNul | Appends::StdinWords | Appends::StdinLines) => true,
            Some(Appends::Paths) | None => false,
        };
        self.out.reads_stdin |= reads_stdin;
        if let Some(placeholder) = &placeholder {
            let (value, count) = if reads_stdin {
                let field = self.standard_input(runs.appends, from.span);
                (
                    field.map_or(Value::Known(SmolStr::default()), |field| field.value),
                    Count::One,
                )
            } else {
                let count = if many { Count::OneOrMore } else { Count::One };
                (self.found(plan, None, false), count)
            };
            for word in &mut words {
                fill_in(word, placeholder, &value, count);
            }
        }
        match runs.appends {
            Some(_) if placeholder.is_some() && runs.placeholder_from.is_some() => {}
            Some(Appends::Paths) => words.push(Field {
                count: Count::Any,
                value: self.found(plan, None, false),
                ..Field::literal("", from.span)
            }),
            Some(Appends::Stdin | Appends::StdinNul | Appends::StdinWords | Appends::StdinLines) => {
                words.extend(self.standard_input(runs.appends, from.span));
            }
            None => {}
        }
        let program_known = words
            .first()
            .is_some_and(|first| first.count != Count::Any && texts(&first.value).is_some());
        if !program_known {
            let span = words.first().map_or(from.span, |first| first.span);
            self.unknown(
                UnknownKind::Program,
                span,
                "the program to run is not known".to_owned(),
            );
        }
        let below = self.below(from);
        self.nest(Nested::Argv {
            words,
            env,
            below,
            stdin: !reads_stdin,
            span: from.span,
        });
    }

    /// The text that stands for what is filled in, if there is one here.
    fn placeholder(&self, runs: &Runs) -> Option<SmolStr> {
        if let Some(flag) = &runs.placeholder_from {
            let given = self
                .cut
                .given
                .iter()
                .rev()
                .find(|given| given.flag.names.contains(flag))?;
            let text = match given.values.first() {
                Some((_, field)) => field.known().map(SmolStr::new),
                None => None,
            };
            return text.or_else(|| runs.placeholder.clone());
        }
        runs.placeholder.clone()
    }

    /// The words that standard input becomes.
    fn standard_input(&self, how: Option<Appends>, span: Span) -> Option<Field> {
        let field = |value, count| {
            Some(Field {
                value,
                count,
                ..Field::literal("", span)
            })
        };
        let text = self.context.stdin_text.as_deref();
        let words = match how {
            Some(Appends::StdinWords) => text.and_then(|text| split_input(text, Items::Words)),
            Some(Appends::StdinLines) => text.and_then(|text| split_input(text, Items::Lines)),
            Some(Appends::StdinNul) => match &self.context.stdin_paths {
                Some(paths) => return field(paths.clone(), Count::Any),
                None => None,
            },
            Some(Appends::Stdin | Appends::Paths) | None => None,
        };
        match words {
            None => field(Value::Unknown(Origin::Input), Count::Any),
            Some(words) if words.is_empty() => None,
            Some(words) => {
                let count = if words.len() == 1 {
                    Count::One
                } else {
                    Count::OneOrMore
                };
                field(one_of(words.into_iter()), count)
            }
        }
    }
}

/// Puts a value in the placeholder's place.
fn fill_in(word: &mut Field, placeholder: &str, value: &Value, count: Count) {
    if placeholder.is_empty() {
        return;
    }
    if equals(&word.value, placeholder) == Truth::Yes {
        word.value = value.clone();
        if word.count == Count::One {
            word.count = count;
        }
        return;
    }
    let start = beginning(&word.value);
    let end = ending(&word.value);
    let prefix = start.split_once(placeholder).map(|(before, _)| before);
    let suffix = end.rsplit_once(placeholder).map(|(_, behind)| behind);
    if prefix.is_none() && suffix.is_none() {
        return;
    }
    word.value = match (prefix, suffix, value.known(), word.value.known()) {
        (Some(_), Some(_), Some(text), Some(whole)) => {
            Value::Known(SmolStr::new(whole.replace(placeholder, text)))
        }
        (prefix, suffix, _, _) => affixed(
            SmolStr::new(prefix.unwrap_or(&start)),
            SmolStr::new(suffix.unwrap_or(&end)),
        ),
    };
}
