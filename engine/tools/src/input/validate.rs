//! Holds an input against the fields of its tool.
//!
//! Models send `"true"` for `true` and `"5"` for `5`: both are taken, and nothing else is bent.

use engine_policy::nearest;
use regex::Regex;
use serde_json::{Map, Number, Value as Json};

use super::{InputProblem, Sender};
use crate::definition::{Bounds, Field, FieldKind, TextBounds, Tool};

/// Most problems that are told at once.
const MAX_PROBLEMS: usize = 20;

/// Deepest nesting of an input.
const MAX_DEPTH: usize = 64;

/// Whole numbers up to here are the same as floating-point numbers.
const EXACT: f64 = 9_007_199_254_740_992.0;

pub(super) fn validate(
    tool: &Tool,
    input: &Json,
    sender: Sender,
) -> Result<Map<String, Json>, Vec<InputProblem>> {
    let mut validator = Validator {
        sender,
        problems: Vec::new(),
        path: String::new(),
    };
    let Json::Object(map) = input else {
        validator.problem(format!("the input must be an object, not {}", kind_of(input)));
        return Err(validator.problems);
    };
    let out = validator.object(&tool.input, map, 0);
    if validator.problems.is_empty() {
        Ok(out)
    } else {
        Err(validator.problems)
    }
}

/// What is wrong with a value of one field.
pub(super) fn field(field: &Field, value: &Json) -> Vec<InputProblem> {
    let mut validator = Validator {
        sender: Sender::Engine,
        problems: Vec::new(),
        path: field.name.value.to_string(),
    };
    validator.value(&field.kind, value, 1);
    validator.problems
}

struct Validator {
    sender: Sender,
    problems: Vec<InputProblem>,
    /// The field that is looked at.
    path: String,
}

impl Validator {
    fn problem(&mut self, message: String) {
        if self.problems.len() < MAX_PROBLEMS {
            self.problems.push(InputProblem {
                field: self.path.clone(),
                message,
            });
        }
    }

    /// Does something with a deeper path.
    fn at<T>(&mut self, part: &str, does: impl FnOnce(&mut Self) -> T) -> T {
        let length = self.path.len();
        if !self.path.is_empty() && !part.starts_with('[') {
            self.path.push('.');
        }
        self.path.push_str(part);
        let out = does(self);
        self.path.truncate(length);
        out
    }

    fn object(&mut self, fields: &[Field], map: &Map<String, Json>, depth: usize) -> Map<String, Json> {
        let mut out = Map::new();
        for field in fields {
            let name = field.name.value.as_str();
            match map.get(name) {
                // A null is how some clients leave a field out.
                None | Some(Json::Null) => match &field.default {
                    Some(default) => {
                        out.insert(name.to_owned(), default.clone());
                    }
                    None if field.required => self.at(name, |this| {
                        let message = format!("The required parameter `{}` is missing", this.path);
                        this.problem(message);
                    }),
                    None => {}
                },
                Some(_) if field.internal && self.sender == Sender::Model => self.at(name, |this| {
                    let message = format!("The parameter `{}` is not one that a caller may give", this.path);
                    this.problem(message);
                }),
                Some(value) => {
                    let value = self.at(name, |this| this.value(&field.kind, value, depth + 1));
                    if let Some(value) = value {
                        out.insert(name.to_owned(), value);
                    }
                }
            }
        }
        for key in map.keys() {
            if !fields.iter().any(|field| field.name.value == key.as_str()) {
                self.unexpected(fields, key);
            }
        }
        out
    }

    fn unexpected(&mut self, fields: &[Field], key: &str) {
        let shown = || {
            fields
                .iter()
                .filter(|field| !field.internal)
                .map(|field| field.name.value.as_str())
        };
        let near = near_field(key, shown());
        let advice = match near {
            Some(near) => format!("; did you mean `{near}`?"),
            None if fields.is_empty() => "; it takes none".to_owned(),
            None => {
                let known: Vec<String> = shown().map(|name| format!("`{name}`")).collect();
                format!("; known are {}", known.join(", "))
            }
        };
        let key = cut(key);
        self.at(&key, |this| {
            let message = format!("An unexpected parameter `{}` was provided{advice}", this.path);
            this.problem(message);
        });
    }

    fn wrong_type(&mut self, wanted: &str, value: &Json) {
        let message = format!(
            "The parameter `{}` type is expected as `{wanted}` but provided as `{}`",
            self.path,
            kind_of(value)
        );
        self.problem(message);
    }

    fn value(&mut self, kind: &FieldKind, value: &Json, depth: usize) -> Option<Json> {
        if depth > MAX_DEPTH {
            self.problem(format!(
                "The parameter `{}` is nested deeper than {MAX_DEPTH} levels",
                self.path
            ));
            return None;
        }
        match kind {
            FieldKind::String(bounds) => {
                let text = self.text(value)?;
                self.text_bounds(bounds, text);
                Some(value.clone())
            }
            FieldKind::Path(bounds) => {
                let text = self.text(value)?;
                if text.is_empty() {
                    self.problem(format!("The parameter `{}` must not be empty", self.path));
                } else if text.contains('\0') {
                    self.problem(format!("The parameter `{}` holds a NUL", self.path));
                }
                self.text_bounds(bounds, text);
                Some(value.clone())
            }
            FieldKind::Url(bounds) => {
                let text = self.text(value)?;
                if crate::template::Address::parse(text).is_none() {
                    self.problem(format!(
                        "The parameter `{}` must be a complete `http` or `https` address without a user name in it",
                        self.path
                    ));
                }
                self.text_bounds(bounds, text);
                Some(value.clone())
            }
            FieldKind::Integer(bounds) => {
                let Some(number) = integer(value) else {
                    self.wrong_type("integer", value);
                    return None;
                };
                self.bounds(bounds, number, &number.to_string());
                Some(Json::from(number))
            }
            FieldKind::Number(bounds) => {
                let Some((number, shown)) = number(value) else {
                    self.wrong_type("number", value);
                    return None;
                };
                self.bounds(bounds, shown, &shown.to_string());
                Some(Json::Number(number))
            }
            FieldKind::Boolean => {
                let boolean = match value {
                    Json::Bool(boolean) => *boolean,
                    Json::String(text) if text == "true" => true,
                    Json::String(text) if text == "false" => false,
                    Json::String(_) | Json::Null | Json::Number(_) | Json::Array(_) | Json::Object(_) => {
                        self.wrong_type("boolean", value);
                        return None;
                    }
                };
                Some(Json::Bool(boolean))
            }
            FieldKind::Enum(words) => {
                let text = self.text(value)?;
                if !words.iter().any(|word| word == text) {
                    let near = nearest(text, words.iter().map(smol_str::SmolStr::as_str))
                        .map_or(String::new(), |near| format!("; did you mean `{near}`?"));
                    let known: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
                    self.problem(format!(
                        "The parameter `{}` must be one of {}, not `{}`{near}",
                        self.path,
                        known.join(", "),
                        cut(text)
                    ));
                }
                Some(value.clone())
            }
            FieldKind::Array { of, length } => {
                let Json::Array(items) = value else {
                    self.wrong_type("array", value);
                    return None;
                };
                self.length(length, items.len(), "items");
                let items = items.iter().enumerate().filter_map(|(at, item)| {
                    self.at(&format!("[{at}]"), |this| this.value(of, item, depth + 1))
                });
                Some(Json::Array(items.collect()))
            }
            FieldKind::Object(fields) => {
                let Json::Object(map) = value else {
                    self.wrong_type("object", value);
                    return None;
                };
                if fields.is_empty() {
                    return self.any(value, depth);
                }
                Some(Json::Object(self.object(fields, map, depth)))
            }
            FieldKind::Json => self.any(value, depth),
        }
    }

    /// Any value, as deep as one may be.
    fn any(&mut self, value: &Json, depth: usize) -> Option<Json> {
        if deeper_than(value, MAX_DEPTH.saturating_sub(depth)) {
            self.problem(format!(
                "The parameter `{}` is nested deeper than {MAX_DEPTH} levels",
                self.path
            ));
            return None;
        }
        Some(value.clone())
    }

    fn text<'v>(&mut self, value: &'v Json) -> Option<&'v str> {
        let text = value.as_str();
        if text.is_none() {
            self.wrong_type("string", value);
        }
        text
    }

    fn text_bounds(&mut self, bounds: &TextBounds, text: &str) {
        if bounds.length != Bounds::default() {
            self.length(&bounds.length, text.chars().count(), "characters");
        }
        let Some(pattern) = &bounds.pattern else { return };
        // The reader refuses a pattern that does not compile; one that was made otherwise matches nothing.
        let matches = Regex::new(&pattern.value).is_ok_and(|regex| regex.is_match(text));
        if !matches {
            self.problem(format!(
                "The parameter `{}` must match the pattern `{}`",
                self.path, pattern.value
            ));
        }
    }

    fn length(&mut self, bounds: &Bounds<u64>, length: usize, what: &str) {
        let length = u64::try_from(length).unwrap_or(u64::MAX);
        if let Some(min) = bounds.min.filter(|min| length < *min) {
            self.problem(format!(
                "The parameter `{}` must have at least {min} {what}, not {length}",
                self.path
            ));
        }
        if let Some(max) = bounds.max.filter(|max| length > *max) {
            self.problem(format!(
                "The parameter `{}` must have at most {max} {what}, not {length}",
                self.path
            ));
        }
    }

    fn bounds<T: PartialOrd + Copy + std::fmt::Display>(
        &mut self,
        bounds: &Bounds<T>,
        value: T,
        shown: &str,
    ) {
        if let Some(min) = bounds.min.filter(|min| value < *min) {
            self.problem(format!(
                "The parameter `{}` must be at least {min}, not {shown}",
                self.path
            ));
        }
        if let Some(max) = bounds.max.filter(|max| value > *max) {
            self.problem(format!(
                "The parameter `{}` must be at most {max}, not {shown}",
                self.path
            ));
        }
    }
}

/// The field that was probably meant; the same word in another spelling counts most (`filePath` for `file_path`).
fn near_field<'f>(key: &str, known: impl Iterator<Item = &'f str> + Clone) -> Option<&'f str> {
    let plain = |text: &str| -> String {
        text.chars()
            .filter(char::is_ascii_alphanumeric)
            .map(|c| c.to_ascii_lowercase())
            .collect()
    };
    let wanted = plain(key);
    known
        .clone()
        .find(|name| plain(name) == wanted && !wanted.is_empty())
        .or_else(|| nearest(key, known))
}

/// A whole number, also spelled as text or as a number like `5.0`.
fn integer(value: &Json) -> Option<i64> {
    match value {
        Json::Number(number) => number.as_i64().or_else(|| whole(number.as_f64()?)),
        Json::String(text) => text.trim().parse().ok(),
        Json::Null | Json::Bool(_) | Json::Array(_) | Json::Object(_) => None,
    }
}

fn whole(number: f64) -> Option<i64> {
    if number.fract() != 0.0 || number.abs() > EXACT {
        return None;
    }
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a whole number that is small enough to be exact"
    )]
    let whole = number as i64;
    Some(whole)
}

fn number(value: &Json) -> Option<(Number, f64)> {
    let number = match value {
        Json::Number(number) => number.clone(),
        Json::String(text) => {
            let text = text.trim();
            match text.parse::<i64>() {
                Ok(whole) => Number::from(whole),
                Err(_) => Number::from_f64(text.parse().ok()?)?,
            }
        }
        Json::Null | Json::Bool(_) | Json::Array(_) | Json::Object(_) => return None,
    };
    let shown = number.as_f64()?;
    Some((number, shown))
}

fn deeper_than(value: &Json, depth: usize) -> bool {
    let mut level = vec![value];
    for _ in 0..=depth {
        level = level
            .into_iter()
            .flat_map(|value| -> Box<dyn Iterator<Item = &Json>> {
                match value {
                    Json::Array(items) => Box::new(items.iter()),
                    Json::Object(map) => Box::new(map.values()),
                    Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => {
                        Box::new(std::iter::empty())
                    }
                }
            })
            .collect();
        if level.is_empty() {
            return false;
        }
    }
    true
}

/// The beginning of a text that a message shows.
fn cut(text: &str) -> String {
    const SHOWN: usize = 60;
    if text.chars().count() <= SHOWN {
        return text.to_owned();
    }
    let mut out: String = text.chars().take(SHOWN).collect();
    out.push('…');
    out
}

fn kind_of(value: &Json) -> &'static str {
    match value {
        Json::Null => "null",
        Json::Bool(_) => "boolean",
        Json::Number(_) => "number",
        Json::String(_) => "string",
        Json::Array(_) => "array",
        Json::Object(_) => "object",
    }
}
