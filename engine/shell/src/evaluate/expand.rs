//! Expansion of words into fields: braces, then everything that a `$`, a backtick or a tilde begins, then splitting and
//! pathname expansion.
//!
//! Invariant (fields cover words): every list of words that the shell may make of a word is covered by the fields, each
//! standing for as many words as its [`Count`] says.

use smol_str::{SmolStr, SmolStrBuilder};

use crate::{Brace, Construct, Count, Field, Listing, Origin, Part, PartKind, Value, Word};

use super::fields::{each_of_event, joined};
use super::parameter::Expanded;
use super::spelling::spelling;
use super::state::{Content, Presence, Variable};
use super::{Env, Evaluator};

/// What a part of a word contributes, before fields are cut.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Event {
    /// Text that neither splits nor is a pattern.
    Text(Value),
    /// A pattern piece.
    Pattern(SmolStr),
    /// Quotes stood here, so there is a field even if it is empty.
    Quoted,
    /// One field ends and another begins.
    Break,
    /// Any number of words, each like this.
    Many(Value),
    /// Exactly these fields, where nothing else is in the word.
    Fields(Vec<Field>),
}

/// A part, or a piece of text that brace expansion made.
#[derive(Clone, Copy, Debug)]
enum Bit<'p> {
    Part(&'p Part),
    Text(&'p SmolStr),
}

/// How a piece of a word is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// Unquoted.
    Open,
    /// The operand of an unquoted parameter expansion: literal text splits too.
    Operand,
    /// In double quotes, or where nothing splits.
    Whole,
}

impl Evaluator<'_> {
    /// The fields of some words.
    pub(super) fn fields(&mut self, words: &[Word], env: Env<'_>) -> Vec<Field> {
        let mut out = Vec::with_capacity(words.len());
        for word in words {
            self.word(word, env, &mut out);
        }
        out
    }

    /// Adds the fields of one word.
    pub(super) fn word(&mut self, word: &Word, env: Env<'_>, out: &mut Vec<Field>) {
        let span = env.span(word.span);
        if let [
            Part {
                kind: PartKind::Literal { text, escaped: false },
                ..
            },
        ] = word.parts.as_slice()
        {
            out.push(Field::literal(text.clone(), span));
            return;
        }
        if !self.step(word.parts.len(), span) {
            return;
        }
        let mut spelling = spelling(&word.parts, env.text);
        let first = out.len();
        let around = self.globs.replace(false);
        if word.parts.iter().any(|p| matches!(p.kind, PartKind::Brace(_))) {
            let mut alternatives: Vec<Vec<Bit<'_>>> = vec![Vec::new()];
            let limit = self.context.limits.expansion_words;
            if !multiply(&mut alternatives, &word.parts, limit) {
                self.refuse(Construct::TooManyWords, span);
            }
            for bits in alternatives {
                if !self.step(bits.len(), span) {
                    break;
                }
                let from = out.len();
                self.globs.set(false);
                let mut events = Vec::with_capacity(bits.len());
                for bit in bits {
                    match bit {
                        Bit::Part(part) => self.part(part, Mode::Open, env, &mut events),
                        Bit::Text(text) => events.push(Event::Text(Value::Known(text.clone()))),
                    }
                }
                self.assemble(&events, out);
                spelling.globs = self.globs.get();
                for field in out.iter_mut().skip(from) {
                    field.spelling = spelling;
                }
            }
        } else {
            let mut events = Vec::with_capacity(word.parts.len());
            for part in &word.parts {
                self.part(part, Mode::Open, env, &mut events);
            }
            self.assemble(&events, out);
            spelling.globs = self.globs.get();
            for field in out.iter_mut().skip(first) {
                field.spelling = spelling;
            }
        }
        self.globs.set(around);
        for field in out.iter_mut().skip(first) {
            field.span = span;
        }
        let made = out.len().saturating_sub(first);
        if made > self.context.limits.expansion_words {
            self.refuse(Construct::TooManyWords, span);
        }
        let texts = out.iter().skip(first).filter_map(|f| f.value.texts()).flatten();
        let bytes: usize = texts.map(SmolStr::len).sum();
        self.step(made + bytes / 256, span);
    }

    /// The value of a word where nothing splits and no file names are made.
    pub(super) fn single(&mut self, word: &Word, env: Env<'_>) -> Value {
        self.single_parts(&word.parts, env)
    }

    pub(super) fn single_parts(&mut self, parts: &[Part], env: Env<'_>) -> Value {
        if let [
            Part {
                kind: PartKind::Literal { text, .. } | PartKind::SingleQuoted(text),
                ..
            },
        ] = parts
        {
            return Value::Known(text.clone());
        }
        let mut events = Vec::with_capacity(parts.len());
        for part in parts {
            self.part(part, Mode::Whole, env, &mut events);
        }
        let value = self.fold(events);
        let span = parts.first().map(|p| env.span(p.span)).unwrap_or_default();
        if !self.step_value(&value, span) {
            return Value::Unknown(Origin::Limit);
        }
        value
    }

    /// The text of events as one value.
    pub(super) fn fold(&self, events: Vec<Event>) -> Value {
        let max = self.set_values();
        let mut value = Value::EMPTY;
        for event in events {
            match event {
                Event::Text(text) => value = value.concat(&text, max),
                Event::Pattern(pattern) => value = value.concat(&Value::Known(pattern), max),
                Event::Quoted => {}
                Event::Break => value = value.concat(&Value::Known(SmolStr::new_static(" ")), max),
                Event::Many(each) => value = value.concat(&Value::Unknown(each.origin()), max),
                Event::Fields(fields) => value = value.concat(&joined(&fields, max), max),
            }
        }
        value
    }

    /// Adds what one part contributes.
    pub(super) fn part(&mut self, part: &Part, mode: Mode, env: Env<'_>, out: &mut Vec<Event>) {
        match &part.kind {
            PartKind::Literal { text, escaped } => match mode {
                Mode::Operand if *escaped && text.contains([' ', '\t', '\n']) => {
                    out.push(Event::Many(Value::Unknown(Origin::Variable)));
                }
                Mode::Operand => self.split(Value::Known(text.clone()), out),
                Mode::Open | Mode::Whole => out.push(Event::Text(Value::Known(text.clone()))),
            },
            PartKind::SingleQuoted(text) => {
                out.push(Event::Quoted);
                out.push(Event::Text(Value::Known(text.clone())));
            }
            PartKind::AnsiC(text) => {
                out.push(Event::Quoted);
                out.push(Event::Text(match text {
                    Some(text) => Value::Known(text.clone()),
                    None => Value::Unknown(Origin::Bytes),
                }));
            }
            PartKind::DoubleQuoted(parts) => {
                let before = out.len();
                for part in parts {
                    // bash takes a quote inside the backticks for the end of the outer ones when it looks for braces.
                    let raw = part.span.of(env.text);
                    if raw.starts_with('`') && raw.contains('"') {
                        self.refuse(Construct::BacktickEscape, env.span(part.span));
                    }
                    self.part(part, Mode::Whole, env, out);
                }
                // `"$@"` of nothing is no field at all, and neither is it beside what is empty.
                let lists = parts.iter().any(is_list);
                if lists && parts.len() > 1 && !parts.iter().any(is_text) {
                    out.truncate(before);
                    out.push(Event::Many(Value::Unknown(Origin::Positional)));
                } else if !lists || parts.len() > 1 {
                    out.insert(before, Event::Quoted);
                }
            }
            PartKind::Parameter(parameter) => {
                let expanded = self.parameter(parameter, part.span, mode, env);
                self.contribute(expanded, mode, out);
            }
            PartKind::Substitution(list) => {
                let value = self.substitution(list, part.span, env);
                self.contribute(Expanded::One(value), mode, out);
            }
            PartKind::ReadFrom(list) => {
                self.process_substitution(list, true, env);
                out.push(Event::Text(Value::Descriptor));
            }
            PartKind::WriteTo(list) => {
                self.process_substitution(list, false, env);
                out.push(Event::Text(Value::Descriptor));
            }
            PartKind::Arithmetic(arithmetic) => {
                let value = self.arithmetic(arithmetic, env);
                out.push(Event::Text(value));
            }
            // Quotes inside a bracket are taken off before it is read as a pattern.
            PartKind::Glob(pattern) if pattern.contains(['\'', '"', '\\', '$', '`']) => {
                self.look_for(mode);
                out.push(Event::Many(Value::Unknown(Origin::Variable)));
            }
            PartKind::Glob(pattern) => {
                self.look_for(mode);
                out.push(match mode {
                    Mode::Open | Mode::Operand => Event::Pattern(pattern.clone()),
                    Mode::Whole => Event::Text(Value::Known(pattern.clone())),
                });
            }
            // Where nothing splits, braces do not expand; what runs inside them is found all the same.
            PartKind::Brace(brace) => {
                if let Brace::List(alternatives) = brace {
                    for alternative in alternatives {
                        self.single_parts(alternative, env);
                    }
                }
                let raw = part.span.of(env.text);
                let plain = !raw.contains(['\'', '"', '\\', '$', '`']);
                out.push(if plain && mode == Mode::Whole {
                    Event::Text(Value::Known(raw.into()))
                } else {
                    Event::Many(Value::Unknown(Origin::Variable))
                });
            }
            PartKind::Tilde(name) => {
                let variable = match name.as_str() {
                    "" => self.lookup("HOME"),
                    "+" => self.lookup("PWD"),
                    _ => Variable::environment(),
                };
                let value = match variable.presence {
                    Presence::Set => variable.content,
                    // Without `HOME` the user's own entry says where home is.
                    Presence::Maybe | Presence::Unset => Content::AnyArray(Origin::Tilde),
                };
                out.push(Event::Text(match value {
                    Content::Scalar(Value::Unknown(_)) | Content::Array(_) | Content::AnyArray(_) => {
                        Value::Unknown(Origin::Tilde)
                    }
                    Content::Scalar(value) => value,
                }));
            }
        }
    }

    /// Notes that names of files are looked up for the word, if a pattern counts as one where it stands.
    fn look_for(&self, mode: Mode) {
        match mode {
            Mode::Open | Mode::Operand => self.globs.set(true),
            Mode::Whole => {}
        }
    }

    /// Notes the patterns among some words that no invocation has among its own.
    pub(super) fn look_up(&mut self, fields: &[Field]) {
        let directory = &self.state.data.directory;
        let patterns = fields.iter().filter(|field| field.spelling.globs);
        self.out.listings.extend(patterns.map(|field| Listing {
            field: field.clone(),
            directory: directory.clone(),
        }));
    }

    fn contribute(&self, expanded: Expanded, mode: Mode, out: &mut Vec<Event>) {
        match (expanded, mode) {
            (Expanded::One(value), Mode::Whole) => out.push(Event::Text(value)),
            (Expanded::One(value), Mode::Open | Mode::Operand) => self.split(value, out),
            (Expanded::Events(mut events), _) => out.append(&mut events),
            (Expanded::List(fields), Mode::Whole) => {
                if fields.iter().all(|f| f.count == Count::One) {
                    for (i, field) in fields.into_iter().enumerate() {
                        if i > 0 {
                            out.push(Event::Break);
                        }
                        out.push(Event::Quoted);
                        out.push(Event::Text(field.value));
                    }
                } else {
                    out.push(Event::Fields(fields));
                }
            }
            (Expanded::List(fields), Mode::Open | Mode::Operand) => {
                for (i, field) in fields.into_iter().enumerate() {
                    if i > 0 {
                        out.push(Event::Break);
                    }
                    match field.count {
                        Count::One => self.split(field.value, out),
                        Count::OneOrMore | Count::Any => {
                            let mut pieces = Vec::new();
                            self.split(field.value, &mut pieces);
                            let max = self.set_values();
                            let each = pieces
                                .into_iter()
                                .map(|e| each_of_event(&e))
                                .reduce(|a, b| a.join(&b, max));
                            out.push(Event::Many(each.unwrap_or(Value::EMPTY)));
                        }
                    }
                }
            }
        }
    }
}

/// Whether a part is text that keeps a quoted word from being nothing.
fn is_text(part: &Part) -> bool {
    matches!(&part.kind, PartKind::Literal { text, .. } if !text.is_empty())
}

/// Whether a part is a list that keeps its words apart in double quotes.
fn is_list(part: &Part) -> bool {
    matches!(&part.kind, PartKind::Parameter(parameter) if parameter.is_list())
}

/// Multiplies alternatives with what the parts may be; false when that passes the limit, and then some are missing.
fn multiply<'p>(alternatives: &mut Vec<Vec<Bit<'p>>>, parts: &'p [Part], limit: usize) -> bool {
    for part in parts {
        let PartKind::Brace(brace) = &part.kind else {
            for a in alternatives.iter_mut() {
                a.push(Bit::Part(part));
            }
            continue;
        };
        let choices: Vec<Vec<Bit<'p>>> = match brace {
            Brace::Range(texts) => texts.iter().map(|t| vec![Bit::Text(t)]).collect(),
            Brace::List(lists) => {
                let mut all = Vec::new();
                for list in lists {
                    let mut inner = vec![Vec::new()];
                    if !multiply(&mut inner, list, limit) {
                        return false;
                    }
                    all.append(&mut inner);
                }
                all
            }
        };
        if alternatives.len().saturating_mul(choices.len()) > limit {
            return false;
        }
        *alternatives = alternatives
            .iter()
            .flat_map(|a| choices.iter().map(|c| a.iter().chain(c).copied().collect()))
            .collect();
    }
    true
}

/// The literal text that a pattern operand stands for as a pattern: quoted text is escaped.
pub(super) fn escaped_text(text: &str) -> SmolStr {
    let mut out = SmolStrBuilder::new();
    Value::escape(text, &mut out);
    out.finish()
}
