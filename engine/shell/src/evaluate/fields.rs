//! From the events of a word to its fields: splitting at blanks, patterns, and runs of words.

use smol_str::SmolStr;

use crate::{Count, Field, Origin, Shell, Spelling, Value};

use super::Evaluator;
use super::expand::Event;

/// Alternatives up to which a set before a pattern is kept apart, one field for each.
const MOST_PATTERNS: usize = 16;

impl Evaluator<'_> {
    /// Splits an unquoted value at blanks and finds the patterns in it.
    pub(super) fn split(&self, value: Value, out: &mut Vec<Event>) {
        let zsh = self.shell() == Shell::Zsh;
        // In zsh, what a variable holds is no pattern.
        if !zsh && value.spells_pattern() {
            self.globs.set(true);
        }
        match value {
            Value::Known(text) => {
                if text.is_empty() {
                    return;
                }
                if !text.contains([' ', '\t', '\n', '*', '?', '[', '\\']) {
                    out.push(Event::Text(Value::Known(text)));
                    return;
                }
                if zsh {
                    out.push(Event::Many(self.pieces(std::slice::from_ref(&text), true)));
                    return;
                }
                if text.contains('\\') && text.contains(['*', '?', '[']) {
                    out.push(Event::Many(Value::Unknown(Origin::Variable)));
                    return;
                }
                if text.starts_with([' ', '\t', '\n']) {
                    out.push(Event::Break);
                }
                for (i, piece) in text.split_ascii_whitespace().enumerate() {
                    if i > 0 {
                        out.push(Event::Break);
                    }
                    out.push(if piece.contains(['*', '?', '[']) {
                        Event::Pattern(piece.into())
                    } else {
                        Event::Text(Value::Known(piece.into()))
                    });
                }
                if text.ends_with([' ', '\t', '\n']) {
                    out.push(Event::Break);
                }
            }
            Value::OneOf(texts) => {
                let plain =
                    |t: &SmolStr| !t.is_empty() && !t.contains([' ', '\t', '\n', '*', '?', '[', '\\']);
                out.push(if texts.iter().all(plain) {
                    Event::Text(Value::OneOf(texts))
                } else {
                    Event::Many(self.pieces(&texts, zsh))
                });
            }
            Value::Integer | Value::Descriptor => out.push(Event::Text(value)),
            Value::Glob(_) | Value::Below(_) | Value::Affixed { .. } | Value::Unknown(_) => {
                out.push(Event::Many(Value::Unknown(value.origin())));
            }
        }
    }

    /// Every word that splitting one of these texts may give, and the texts themselves where `unsplit`.
    fn pieces(&self, texts: &[SmolStr], unsplit: bool) -> Value {
        if texts.iter().any(|t| t.contains(['*', '?', '[', '\\'])) {
            return Value::Unknown(Origin::Variable);
        }
        let split = texts
            .iter()
            .flat_map(|t| t.split_ascii_whitespace())
            .map(SmolStr::from);
        let whole = texts.iter().filter(|t| unsplit && !t.is_empty()).cloned();
        Value::one_of(split.chain(whole).collect(), self.set_values())
    }

    /// Cuts events into fields.
    pub(super) fn assemble(&self, events: &[Event], out: &mut Vec<Field>) {
        let many = events
            .iter()
            .any(|e| matches!(e, Event::Many(_) | Event::Fields(_)));
        if !many {
            for piece in events.split(|e| *e == Event::Break) {
                self.field(piece, out);
            }
            return;
        }
        match events {
            [Event::Many(value)] => {
                out.push(field(value.clone(), Count::Any));
                return;
            }
            [Event::Fields(fields)] => {
                out.extend(fields.iter().cloned());
                return;
            }
            _ => {}
        }
        let is_many = |e: &Event| matches!(e, Event::Many(_) | Event::Fields(_));
        let first = events.iter().position(is_many).unwrap_or(0);
        let last = events.iter().rposition(is_many).unwrap_or(0);
        let (before, rest) = events.split_at_checked(first).unwrap_or_default();
        let (_, after) = rest.split_at_checked(last - first + 1).unwrap_or_default();
        let mut before: Vec<&[Event]> = before.split(|e| *e == Event::Break).collect();
        let mut after = after.split(|e| *e == Event::Break);
        let lead = before.pop().map(<[Event]>::to_vec).unwrap_or_default();
        let tail = after.next().map(<[Event]>::to_vec).unwrap_or_default();
        for piece in before {
            self.field(piece, out);
        }
        let alone = lead.is_empty() && tail.is_empty() && first == last;
        let origin = events.iter().find_map(|e| match e {
            Event::Many(value) => Some(value.origin()),
            Event::Text(_) | Event::Pattern(_) | Event::Quoted | Event::Break | Event::Fields(_) => None,
        });
        let unknown = Value::Unknown(origin.unwrap_or(Origin::Variable));
        let max = self.set_values();
        let lead = self.pattern_value(&lead).concat(&unknown, max);
        let tail = unknown.concat(&self.pattern_value(&tail), max);
        if alone {
            for event in events {
                match event {
                    Event::Many(value) => out.push(field(value.clone(), Count::Any)),
                    Event::Fields(fields) => out.extend(fields.iter().cloned()),
                    Event::Text(_) | Event::Pattern(_) | Event::Quoted | Event::Break => {}
                }
            }
        } else if !lead.known_prefix().is_empty() {
            out.push(field(lead, Count::OneOrMore));
            out.push(field(unknown, Count::Any));
        } else if !tail.known_suffix().is_empty() {
            out.push(field(unknown, Count::Any));
            out.push(field(one_slash(tail), Count::OneOrMore));
        } else {
            out.push(field(unknown, Count::Any));
        }
        for piece in after {
            self.field(piece, out);
        }
    }

    /// The value of events among which patterns stay patterns.
    fn pattern_value(&self, events: &[Event]) -> Value {
        let max = self.set_values();
        let mut value = Value::EMPTY;
        for event in events {
            match event {
                Event::Text(text) => value = value.concat(text, max),
                Event::Pattern(pattern) => value = value.concat(&Value::Glob(pattern.clone()), max),
                Event::Quoted | Event::Break | Event::Many(_) | Event::Fields(_) => {}
            }
        }
        value
    }

    /// One field without breaks, if it is one.
    fn field(&self, events: &[Event], out: &mut Vec<Field>) {
        match events {
            [] => {}
            [Event::Text(value)] => out.push(field(value.clone(), Count::One)),
            _ => {
                let pattern = events.iter().any(|e| matches!(e, Event::Pattern(_)));
                if !pattern {
                    out.push(field(self.pattern_value(events), Count::One));
                    return;
                }
                // A set before or after a pattern gives one pattern for each text.
                let mut alternatives = vec![Value::EMPTY];
                let max = self.set_values();
                for event in events {
                    match event {
                        Event::Text(Value::OneOf(texts))
                            if alternatives.len() * texts.len() <= MOST_PATTERNS =>
                        {
                            alternatives = alternatives
                                .iter()
                                .flat_map(|a| texts.iter().map(|t| a.concat(&Value::Known(t.clone()), max)))
                                .collect();
                        }
                        Event::Text(text) => {
                            for a in &mut alternatives {
                                *a = a.concat(text, max);
                            }
                        }
                        Event::Pattern(p) => {
                            let glob = Value::Glob(p.clone());
                            for a in &mut alternatives {
                                *a = a.concat(&glob, max);
                            }
                        }
                        Event::Quoted | Event::Break | Event::Many(_) | Event::Fields(_) => {}
                    }
                }
                let count = if alternatives.len() > 1 {
                    Count::Any
                } else {
                    Count::OneOrMore
                };
                out.extend(
                    alternatives
                        .into_iter()
                        .map(|value| field(one_slash(value), count)),
                );
            }
        }
    }

    /// What one of some fields may be; `None` where there is none.
    pub(super) fn each_of(&self, fields: &[Field]) -> Option<Value> {
        let max = self.set_values();
        let texts: Option<Vec<SmolStr>> = fields
            .iter()
            .map(|f| f.value.known().map(SmolStr::from))
            .collect();
        match texts {
            Some(texts) if texts.is_empty() => None,
            Some(texts) => Some(Value::one_of(texts, max)),
            None => fields
                .iter()
                .map(|f| f.value.clone())
                .reduce(|a, b| a.join(&b, max)),
        }
    }
}

/// bash leaves one of several slashes behind a component that a pattern matched, and all of them where nothing matches.
fn one_slash(value: Value) -> Value {
    let prefix = value.known_prefix();
    let merges = match &value {
        Value::Glob(pattern) => pattern.matches("//").count() > prefix.matches("//").count(),
        Value::Affixed { suffix, .. } => suffix.contains("//"),
        Value::Known(_)
        | Value::OneOf(_)
        | Value::Below(_)
        | Value::Integer
        | Value::Descriptor
        | Value::Unknown(_) => false,
    };
    if !merges {
        return value;
    }
    let suffix = value.known_suffix();
    let suffix = match suffix.rfind("//") {
        Some(at) => suffix.get(at + 1..).unwrap_or_default(),
        None => suffix.as_str(),
    };
    Value::Affixed {
        prefix,
        suffix: suffix.into(),
    }
}

fn field(value: Value, count: Count) -> Field {
    Field {
        value,
        count,
        span: crate::Span::default(),
        spelling: Spelling::default(),
    }
}

pub(super) fn each_of_event(event: &Event) -> Value {
    match event {
        Event::Text(value) | Event::Many(value) => value.clone(),
        Event::Pattern(pattern) => Value::Glob(pattern.clone()),
        Event::Quoted | Event::Break => Value::EMPTY,
        Event::Fields(_) => Value::Unknown(Origin::Variable),
    }
}

/// The fields with a space between each, as `"$*"` gives them with the default `IFS`. A run of words takes the spaces
/// beside it into what is not known, since it may be none.
pub(super) fn joined(fields: &[Field], max: usize) -> Value {
    let mut value = Value::EMPTY;
    let mut open = true;
    for field in fields {
        let run = match field.count {
            Count::One => false,
            Count::OneOrMore | Count::Any => true,
        };
        if run {
            value = value.concat(&Value::Unknown(field.value.origin()), max);
        } else {
            if !open {
                value = value.concat(&Value::Known(SmolStr::new_static(" ")), max);
            }
            value = value.concat(&field.value, max);
        }
        open = run;
    }
    value
}
