//! The operators of parameter expansion on known texts.

use smol_str::SmolStr;

use crate::Value;

use super::state::Presence;

/// Which side of `${x-w}` is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Used {
    Value,
    Word,
    Either,
}

pub(super) fn used(value: &Value, presence: Presence, colon: bool) -> Used {
    match presence {
        Presence::Unset => Used::Word,
        Presence::Set if !colon || !value.may_be_empty() => Used::Value,
        Presence::Set if value.known() == Some("") => Used::Word,
        Presence::Set | Presence::Maybe => Used::Either,
    }
}

/// The value where it is not empty; `None` where it is always empty.
pub(super) fn without_empty(value: &Value, colon: bool) -> Option<Value> {
    if !colon {
        return Some(value.clone());
    }
    match value {
        Value::Known(text) if text.is_empty() => None,
        Value::OneOf(texts) => {
            let kept: Vec<SmolStr> = texts.iter().filter(|t| !t.is_empty()).cloned().collect();
            let max = kept.len();
            Some(Value::one_of(kept, max))
        }
        Value::Known(_)
        | Value::Glob(_)
        | Value::Below(_)
        | Value::Affixed { .. }
        | Value::Integer
        | Value::Descriptor
        | Value::Unknown(_) => Some(value.clone()),
    }
}

/// The operation on each text, where all are known and it can be computed.
pub(super) fn each(value: &Value, max: usize, op: impl Fn(&str) -> Option<SmolStr>) -> Value {
    let done = value
        .texts()
        .and_then(|texts| texts.iter().map(|t| op(t)).collect::<Option<Vec<_>>>());
    done.map_or_else(
        || Value::Unknown(value.origin()),
        |texts| Value::one_of(texts, max),
    )
}

pub(super) fn substring(text: &str, from: &Value, count: Option<&Value>) -> Option<SmolStr> {
    let number = |v: &Value| v.known().and_then(|t| t.parse::<i64>().ok());
    let from = number(from)?;
    let count = match count {
        Some(value) => Some(number(value)?),
        None => None,
    };
    if !text.is_ascii() {
        return None;
    }
    let length = i64::try_from(text.len()).ok()?;
    let start = if from < 0 { length + from } else { from };
    if start < 0 || start > length {
        return Some(SmolStr::default());
    }
    let end = match count {
        None => length,
        Some(count) if count < 0 => length + count,
        Some(count) => start.saturating_add(count).min(length),
    };
    // An end before the start is an error in bash, and the command does not run.
    let (start, end) = (usize::try_from(start).ok()?, usize::try_from(end).ok()?);
    text.get(start..end).map(SmolStr::from)
}

pub(super) fn cased(text: &str, upper: bool, all: bool) -> Option<SmolStr> {
    if !text.is_ascii() {
        return None;
    }
    let change = |c: char| {
        if upper {
            c.to_ascii_uppercase()
        } else {
            c.to_ascii_lowercase()
        }
    };
    let change = |(i, c)| if all || i == 0 { change(c) } else { c };
    Some(text.chars().enumerate().map(change).collect())
}
