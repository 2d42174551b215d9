//! Tells which option a word whose text is known is, by the scheme of the program.
//!
//! Invariant (nothing dropped): a word that begins like an option and is none of those listed is an unknown.

use engine_shell::{Field, Origin, Value};
use smol_str::{SmolStr, SmolStrBuilder, format_smolstr};

use super::super::model::{Arity, Flag, Style};
use super::super::partial::{begins, one_of, without_beginning};
use super::{ANY_LONG, Cut};
use crate::effect::{UnknownKind, WordKind};
use crate::truth::Truth;

/// The value of a short option that stands in the same word. Many parsers drop an equals sign in front of it (`-f=a`) and others do
/// not, so it counts as either.
fn attached(value: &Value) -> Value {
    let either = |text: &SmolStr| {
        let bare = text.strip_prefix('=').filter(|bare| !bare.is_empty());
        [Some(text.clone()), bare.map(SmolStr::new)]
    };
    match value {
        Value::Known(text) if text.starts_with('=') && text.len() > 1 => {
            one_of(either(text).into_iter().flatten())
        }
        Value::OneOf(all) if all.iter().any(|text| text.starts_with('=')) => {
            one_of(all.iter().flat_map(either).flatten())
        }
        Value::Affixed { prefix, .. } if prefix.starts_with('=') => Value::Unknown(Origin::Variable),
        Value::Known(_)
        | Value::OneOf(_)
        | Value::Affixed { .. }
        | Value::Glob(_)
        | Value::Below(_)
        | Value::Integer
        | Value::Descriptor
        | Value::Unknown(_) => value.clone(),
    }
}

impl<'d> Cut<'d> {
    pub(super) fn glued(&self, text: &str) -> Option<&'d Flag> {
        self.flags()
            .filter(|flag| flag.arity == Arity::Glued)
            .find(|flag| flag.names.iter().any(|name| text.starts_with(name.as_str())))
    }

    /// An option that is not listed stays a word as it is written, so that a pattern must account for it.
    fn unlisted(&mut self, name: &str, field: &Field) {
        self.push_word(WordKind::Option, field.clone(), Vec::new());
        let span = field.span;
        let why = format!("`{name}` is not a known option of `{}`", self.called());
        self.unknown(UnknownKind::Option, span, why);
    }

    /// A word whose text is known, where options are accepted.
    pub(super) fn exact(&mut self, text: &SmolStr, field: &Field) {
        let options = self.current.options;
        let dashed = text.len() > 1 && text.starts_with('-');
        if text == "--" && options.double_dash {
            self.ended = true;
            self.dashes = true;
            self.push_word(WordKind::EndOfOptions, field.clone(), Vec::new());
            return;
        }
        match options.style {
            Style::None => self.operand(field.clone()),
            Style::Dd => self.assigned(text, field),
            Style::SingleDashWords => self.dash_word(text, field, dashed),
            Style::Gnu | Style::Tar => {
                if options.plus && text.len() > 1 && text.starts_with('+') {
                    self.whole_or_glued(text, field);
                } else if !dashed {
                    self.operand(field.clone());
                } else if text.starts_with("--") {
                    self.long(text, field);
                } else if let Some(flag) = self.current.flag(text).filter(|_| text.len() > 2) {
                    self.give(flag, None, field);
                } else {
                    self.bundle(text, &field.value, 1, field);
                }
            }
        }
    }

    /// `name=value` of `dd`.
    fn assigned(&mut self, text: &str, field: &Field) {
        if let Some(flag) = self.flag(text).or_else(|| self.glued(text)) {
            self.give_glued(flag, text, &field.value, field);
        } else {
            self.unlisted(text, field);
        }
    }

    fn whole_or_glued(&mut self, text: &str, field: &Field) {
        if let Some(flag) = self.flag(text) {
            self.give(flag, None, field);
        } else if let Some(flag) = self.flag("+").filter(|flag| flag.arity != Arity::None) {
            let value = without_beginning(&field.value, 1);
            self.give(flag, Some(value), field);
        } else if let Some(flag) = self.glued(text) {
            self.give_glued(flag, text, &field.value, field);
        } else {
            self.unlisted(text, field);
        }
    }

    /// A flag whose name is the beginning of the word.
    pub(super) fn give_glued(&mut self, flag: &'d Flag, text: &str, value: &Value, field: &Field) {
        let name = flag
            .names
            .iter()
            .filter(|name| text.starts_with(name.as_str()))
            .max_by_key(|name| name.len());
        match name {
            Some(name) if flag.arity == Arity::Glued => {
                self.give(flag, Some(without_beginning(value, name.len())), field);
            }
            _ => self.give(flag, None, field),
        }
    }

    pub(super) fn dash_word(&mut self, text: &str, field: &Field, dashed: bool) {
        if let Some(flag) = self.flag(text) {
            self.give(flag, None, field);
            return;
        }
        let plus = self.current.options.plus && text.starts_with('+');
        if !dashed && !plus {
            self.operand(field.clone());
            return;
        }
        // Programs of this kind take `--name` for `-name`.
        let shorter = text.strip_prefix('-').filter(|rest| rest.starts_with('-'));
        let (name, has_value) = match text.split_once('=') {
            Some((name, _)) if self.current.options.equals => (name, true),
            Some(_) | None => (text, false),
        };
        if has_value && let Some(flag) = self.flag(name) {
            self.give_attached(flag, name.len() + 1, &field.value, field);
        } else if let Some(flag) = self.glued(text) {
            self.give_glued(flag, text, &field.value, field);
        } else if let Some(flag) = shorter.and_then(|shorter| self.flag(shorter)) {
            self.give(flag, None, field);
        } else if let Some(flag) = shorter
            .filter(|_| has_value)
            .and_then(|shorter| shorter.split_once('='))
            .and_then(|(name, _)| self.flag(name))
        {
            self.give_attached(flag, name.len() + 1, &field.value, field);
        } else {
            self.unlisted(text, field);
        }
    }

    /// `--name` or `--name=value`; `field` may be known in part, as long as `text` holds the name.
    pub(super) fn long(&mut self, text: &str, field: &Field) {
        let (name, attached) = match text.split_once('=') {
            Some((name, _)) => (name, true),
            None => (text, false),
        };
        let Some(flag) = self.long_flag(name) else {
            self.unlisted(name, field);
            return;
        };
        if attached {
            self.give_attached(flag, name.len() + 1, &field.value, field);
        } else {
            self.give(flag, None, field);
        }
    }

    fn long_flag(&self, name: &str) -> Option<&'d Flag> {
        if let Some(flag) = self.flag(name) {
            return Some(flag);
        }
        if !self.current.options.abbreviations {
            return self.flag(ANY_LONG);
        }
        let mut found: Option<&'d Flag> = None;
        let beginning = |flag: &&'d Flag| flag.names.iter().any(|full| full.starts_with(name));
        for flag in self.flags().filter(beginning) {
            match found {
                Some(before) if !std::ptr::eq(before, flag) => return None,
                Some(_) | None => found = Some(flag),
            }
        }
        found.or_else(|| self.flag(ANY_LONG))
    }

    /// An option with `=value` in the same word, the value after `skip` bytes.
    fn give_attached(&mut self, flag: &'d Flag, skip: usize, value: &Value, field: &Field) {
        let value = without_beginning(value, skip);
        match flag.arity {
            Arity::Next | Arity::Optional | Arity::Glued | Arity::Words => {
                self.give(flag, Some(value), field);
            }
            Arity::None if value.known() == Some("true") => self.give(flag, None, field),
            // `--dry-run=false` must not count as given.
            Arity::None => {
                let why = format!("`{}` takes no value", flag.canonical());
                self.unknown(UnknownKind::Option, field.span, why);
            }
        }
    }

    /// A bundle of short options: `text` is the known beginning of `value`, read from byte `from`.
    pub(super) fn bundle(&mut self, text: &str, value: &Value, from: usize, field: &Field) {
        let options = self.current.options;
        let whole = value.known().is_some();
        let sign = text.chars().next().unwrap_or('-');
        let mut at = from;
        let mut first = true;
        while let Some(letter) = text.get(at..).and_then(|rest| rest.chars().next()) {
            let mut name = SmolStrBuilder::new();
            name.push(sign);
            name.push(letter);
            let name = name.finish();
            let next = at + letter.len_utf8();
            let more = next < text.len() || !whole;
            let Some(flag) = self.flag(&name) else {
                if options.numbers && letter.is_ascii_digit() {
                    if first {
                        self.push_word(
                            WordKind::Option,
                            Field {
                                value: Value::Known(SmolStr::new(text.get(..).unwrap_or_default())),
                                ..field.clone()
                            },
                            Vec::new(),
                        );
                    }
                    first = false;
                    at = next;
                    continue;
                }
                if first && let Some(flag) = self.glued(text) {
                    self.give_glued(flag, text, value, field);
                    return;
                }
                let shown = if first && !options.bundling { text } else { &name };
                self.unlisted(shown, field);
                return;
            };
            first = false;
            match flag.arity {
                Arity::None => {
                    self.give(flag, None, field);
                    if more && !options.bundling {
                        self.unlisted(text, field);
                        return;
                    }
                }
                Arity::Next | Arity::Optional | Arity::Glued | Arity::Words => {
                    if more {
                        self.give(flag, Some(attached(&without_beginning(value, next))), field);
                    } else {
                        self.give(flag, None, field);
                    }
                    return;
                }
            }
            at = next;
        }
        if !whole {
            let why = format!("`{text}` goes on with options that are not known");
            self.unknown(UnknownKind::Option, field.span, why);
        }
    }

    /// The first word of `tar`: letters whose values are the words that follow, in order.
    pub(super) fn first_bundle(&mut self, first: &Field) {
        let Some(text) = first.known() else {
            if begins(&first.value, "-") != Truth::Yes {
                let why = "the first word may be options".to_owned();
                self.unknown(UnknownKind::Option, first.span, why);
            }
            return;
        };
        if text.starts_with('-') || text.is_empty() {
            return;
        }
        let text = SmolStr::new(text);
        self.queue.pop_front();
        for letter in text.chars() {
            let name = format_smolstr!("-{letter}");
            self.order += 1;
            match self.flag(&name) {
                Some(flag) => self.give(flag, None, first),
                None => self.unlisted(&name, first),
            }
        }
    }
}
