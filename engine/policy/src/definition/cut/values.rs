//! Takes the values of an option from its word and the words that follow.
//!
//! Invariant (who takes what): a word that may or may not be taken as a value is an unknown as well.

use engine_shell::{Count, Field, Value};
use smol_str::SmolStr;

use super::super::model::{Arity, Flag, FlagValue, Style, ValueKind};
use super::super::partial::{beginning, begins, equals};
use super::super::split::split_string;
use super::{ANY_LONG, Cut, Given};
use crate::effect::{NormalWord, UnknownKind, WordKind};
use crate::truth::Truth;

impl<'d> Cut<'d> {
    /// Records an option; takes its values from the words that follow where `attached` is not the whole of it.
    pub(super) fn give(&mut self, flag: &'d Flag, attached: Option<Value>, field: &Field) {
        // One that stands for every long option is called as it is written.
        let names = if flag.canonical() == ANY_LONG {
            let written = beginning(&field.value);
            vec![written.split('=').next().map(SmolStr::new).unwrap_or_default()]
        } else {
            flag.names.clone()
        };
        let named = Field {
            value: Value::Known(names.first().cloned().unwrap_or_default()),
            count: Count::One,
            ..field.clone()
        };
        self.push_word(WordKind::Option, named, names);
        let mut given = Given {
            flag,
            values: Vec::new(),
            span: field.span,
            order: self.order,
            certain: true,
            set_aside: false,
        };
        let attached = attached.map(|value| Field {
            value,
            count: Count::One,
            ..field.clone()
        });
        match flag.arity {
            Arity::None => {}
            Arity::Optional | Arity::Glued => {
                let value = attached.or_else(|| self.separate_value(flag));
                if let (Some(value), Some(slot)) = (value, flag.values.first()) {
                    given.values.push((slot, value));
                }
            }
            Arity::Next => {
                let mut attached = attached;
                for slot in &flag.values {
                    let Some(value) = attached.take().or_else(|| self.next_value(flag)) else {
                        let why = format!("`{}` lacks its value", flag.canonical());
                        self.unknown(UnknownKind::Value, field.span, why);
                        break;
                    };
                    given.values.push((slot, value));
                }
            }
            Arity::Words => {
                if let Some(slot) = flag.values.last() {
                    let words: Vec<Field> = attached.into_iter().chain(self.run_of_words(slot)).collect();
                    given.values.extend(words.into_iter().map(|word| (slot, word)));
                }
            }
        }
        for (_, value) in &given.values {
            self.words.push(NormalWord {
                kind: WordKind::OptionValue,
                field: value.clone(),
                names: Vec::new(),
            });
        }
        if flag.ends_options {
            self.ended = true;
        }
        // An unknown word before may have taken this one as its value, and with `POSIXLY_CORRECT` set an operand before
        // would make it an operand, too.
        if flag.terminal
            && self.unknowns.is_empty()
            && self.operands.is_empty()
            && field.count == Count::One
            && self.nothing_else_acts()
        {
            self.terminal = true;
        }
        self.splice(&given);
        self.given.push(given);
    }

    /// Whether no other option touches anything: many programs do what an option says while they read it, before they come to
    /// the one that ends them, and some read all of them first.
    fn nothing_else_acts(&self) -> bool {
        let options = self.current.options;
        let inert = |word: &Field| {
            let no_option = options.style != Style::Dd
                && begins(&word.value, "-") == Truth::No
                && (!options.plus || begins(&word.value, "+") == Truth::No);
            no_option
                || word
                    .known()
                    .and_then(|text| self.flag(text))
                    .is_some_and(|flag| !flag.acts())
        };
        !self.given.iter().any(|before| before.flag.acts()) && self.queue.iter().all(inert)
    }

    /// The next word as the value of an option, whatever it looks like.
    fn next_value(&mut self, flag: &Flag) -> Option<Field> {
        let field = self.queue.pop_front()?;
        match field.count {
            Count::One => {}
            Count::OneOrMore => self.queue.push_front(Field {
                count: Count::Any,
                ..field.clone()
            }),
            Count::Any => {
                let why = format!("the value of `{}` may be no word or several", flag.canonical());
                self.unknown(UnknownKind::Value, field.span, why);
                self.queue.push_front(field.clone());
            }
        }
        Some(Field {
            count: Count::One,
            ..field
        })
    }

    /// The next word as the value of an option that may do without one.
    fn separate_value(&mut self, flag: &Flag) -> Option<Field> {
        let next = self.queue.front().filter(|_| flag.separate)?;
        match begins(&next.value, "-") {
            Truth::No => self.next_value(flag),
            Truth::Yes => None,
            Truth::Maybe => {
                let why = format!(
                    "what follows `{}` may be its value or an option",
                    flag.canonical()
                );
                let span = next.span;
                self.unknown(UnknownKind::MaybeOption, span, why);
                self.next_value(flag)
            }
        }
    }

    /// A run of words: up to its end word, to the end, or to the next option.
    fn run_of_words(&mut self, slot: &FlagValue) -> Vec<Field> {
        let runs = slot.effects.iter().find_map(|effect| effect.kind.runs());
        let mut out: Vec<Field> = Vec::new();
        match runs {
            Some(runs) if runs.until.is_some() || runs.until_plus.is_some() => {
                while let Some(field) = self.queue.pop_front() {
                    let ends = |word: &Option<SmolStr>| {
                        word.as_ref().map_or(Truth::No, |word| equals(&field.value, word))
                    };
                    let plus = match (&runs.placeholder, out.last()) {
                        (Some(placeholder), Some(last)) => {
                            ends(&runs.until_plus).min(equals(&last.value, placeholder))
                        }
                        _ => Truth::No,
                    };
                    match ends(&runs.until).max(plus) {
                        Truth::Yes if field.count != Count::Any => {
                            // The word itself tells later on which of the two ended it.
                            out.push(field);
                            return out;
                        }
                        Truth::Yes | Truth::Maybe => {
                            let why = "where the command ends is not known".to_owned();
                            self.unknown(UnknownKind::Program, field.span, why);
                        }
                        Truth::No => {}
                    }
                    out.push(field);
                }
            }
            Some(_) => out.extend(self.queue.drain(..)),
            None => {
                while let Some(field) = self.queue.front() {
                    match begins(&field.value, "-") {
                        Truth::Yes => break,
                        Truth::No => {}
                        Truth::Maybe => {
                            let (span, why) =
                                (field.span, "where the run of words ends is not known".to_owned());
                            self.unknown(UnknownKind::MaybeOption, span, why);
                        }
                    }
                    out.extend(self.queue.pop_front());
                }
            }
        }
        out
    }

    /// `env -S`: the words of the string take the place of the option.
    fn splice(&mut self, given: &Given<'d>) {
        if !self.current.operands_run {
            return;
        }
        for (slot, field) in &given.values {
            let splits = slot
                .effects
                .iter()
                .any(|effect| matches!(effect.kind, ValueKind::RunsSplit));
            if !splits {
                continue;
            }
            self.spliced += 1;
            let words = field.known().filter(|_| self.spliced <= 8).and_then(split_string);
            let Some(words) = words else {
                let why = "the command line in the string is not known".to_owned();
                self.unknown(UnknownKind::Program, field.span, why);
                continue;
            };
            for value in words.into_iter().rev() {
                self.queue.push_front(Field {
                    value,
                    count: Count::One,
                    ..field.clone()
                });
            }
        }
    }
}
