//! What partly known values may be, for telling options from operands and for taking values apart.
//!
//! Invariant (never narrower): a value made here stands for every string that the operation could yield.

#[cfg(test)]
mod tests;

use engine_shell::{Origin, Value};
use smol_str::{SmolStr, SmolStrBuilder};

use crate::pattern::Glob;
use crate::truth::Truth;

fn of_all(answers: impl Iterator<Item = bool>) -> Truth {
    let (mut any, mut all) = (false, true);
    for answer in answers {
        any |= answer;
        all &= answer;
    }
    match (any, all) {
        (true, true) => Truth::Yes,
        (true, false) => Truth::Maybe,
        (false, _) => Truth::No,
    }
}

fn maybe(answer: bool) -> Truth {
    if answer { Truth::Maybe } else { Truth::No }
}

/// The known beginning of a value; for an exact one, all of it.
pub(super) fn beginning(value: &Value) -> SmolStr {
    match value {
        Value::Known(text) => text.clone(),
        Value::Glob(pattern) => literal_ends(pattern).0,
        Value::Below(root) => root.clone(),
        Value::Affixed { prefix, .. } => prefix.clone(),
        Value::Descriptor => SmolStr::new_static("/dev/fd/"),
        Value::OneOf(_) | Value::Integer | Value::Unknown(_) => SmolStr::default(),
    }
}

/// The known end of a value; for an exact one, all of it.
pub(super) fn ending(value: &Value) -> SmolStr {
    match value {
        Value::Known(text) => text.clone(),
        Value::Glob(pattern) => literal_ends(pattern).1,
        Value::Affixed { suffix, .. } => suffix.clone(),
        Value::Below(_) | Value::Descriptor | Value::OneOf(_) | Value::Integer | Value::Unknown(_) => {
            SmolStr::default()
        }
    }
}

/// Whether a value begins with a text.
pub(super) fn begins(value: &Value, text: &str) -> Truth {
    let partly = |known: &str| {
        if known.starts_with(text) {
            Truth::Yes
        } else {
            maybe(text.starts_with(known))
        }
    };
    match value {
        Value::Known(known) => Truth::known(known.starts_with(text)),
        Value::OneOf(all) => of_all(all.iter().map(|one| one.starts_with(text))),
        Value::Glob(pattern) => partly(&literal_ends(pattern).0),
        Value::Below(root) if root.is_empty() => maybe(!text.starts_with('/')),
        Value::Below(root) => {
            if root.starts_with(text) {
                Truth::Yes
            } else {
                maybe(
                    text.strip_prefix(root.as_str())
                        .is_some_and(|rest| rest.starts_with('/') || root.ends_with('/')),
                )
            }
        }
        Value::Affixed { prefix, .. } => partly(prefix),
        Value::Integer => {
            let digits = text.strip_prefix('-').unwrap_or(text);
            if text.is_empty() {
                Truth::Yes
            } else {
                maybe(digits.bytes().all(|byte| byte.is_ascii_digit()))
            }
        }
        Value::Descriptor => partly("/dev/fd/"),
        Value::Unknown(_) => {
            if text.is_empty() {
                Truth::Yes
            } else {
                Truth::Maybe
            }
        }
    }
}

/// Whether a value is a text.
pub(super) fn equals(value: &Value, text: &str) -> Truth {
    match value {
        Value::Known(known) => Truth::known(known == text),
        Value::OneOf(all) => of_all(all.iter().map(|one| one == text)),
        // Where nothing matches, the pattern stands for itself.
        Value::Glob(pattern) => maybe(matches_glob(pattern, text) || unescaped(pattern) == text),
        Value::Below(root) if root.is_empty() => maybe(!text.starts_with('/') && !text.is_empty()),
        Value::Below(root) => maybe(
            text.strip_prefix(root.as_str())
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/') || root.ends_with('/')),
        ),
        Value::Affixed { prefix, suffix } => maybe(
            text.len() >= prefix.len() + suffix.len()
                && text.starts_with(prefix.as_str())
                && text.ends_with(suffix.as_str()),
        ),
        Value::Integer => {
            let digits = text.strip_prefix('-').unwrap_or(text);
            maybe(!digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()))
        }
        Value::Descriptor => maybe(text.starts_with("/dev/fd/")),
        Value::Unknown(_) => Truth::Maybe,
    }
}

/// Whether a value is this text, in which `*` stands for any text; with `fold` without regard to case.
pub(super) fn resembles(value: &Value, text: &str, fold: bool) -> Truth {
    if !fold && !text.contains('*') {
        return equals(value, text);
    }
    let pattern = Glob::stars(text);
    let matches = |one: &SmolStr| {
        if fold {
            pattern.matches(&one.to_lowercase())
        } else {
            pattern.matches(one)
        }
    };
    match value {
        Value::Known(known) => Truth::known(matches(known)),
        Value::OneOf(all) => of_all(all.iter().map(matches)),
        Value::Glob(_)
        | Value::Below(_)
        | Value::Affixed { .. }
        | Value::Integer
        | Value::Descriptor
        | Value::Unknown(_) => Truth::Maybe,
    }
}

/// What follows the first `count` bytes of a value that is known to begin with that many.
pub(super) fn without_beginning(value: &Value, count: usize) -> Value {
    let cut = |text: &SmolStr| {
        text.split_at_checked(count)
            .map_or_else(SmolStr::default, |(_, rest)| SmolStr::new(rest))
    };
    match value {
        Value::Known(text) => Value::Known(cut(text)),
        Value::OneOf(all) => one_of(all.iter().map(cut)),
        Value::Affixed { prefix, suffix } => affixed(cut(prefix), suffix.clone()),
        Value::Glob(pattern) => {
            if count == 0 {
                return value.clone();
            }
            // A name in the middle of a word may begin with a dot, which a pattern at its beginning would not match.
            let (prefix, suffix) = literal_ends(pattern);
            affixed(cut(&prefix), suffix)
        }
        Value::Below(_) | Value::Integer | Value::Descriptor | Value::Unknown(_) => {
            if count == 0 {
                value.clone()
            } else {
                Value::Unknown(Origin::Variable)
            }
        }
    }
}

/// What follows the first occurrence of `text`, if it can occur.
pub(super) fn after(value: &Value, text: &str) -> Option<Value> {
    match value {
        Value::Known(known) => known
            .split_once(text)
            .map(|(_, rest)| Value::Known(SmolStr::new(rest))),
        Value::OneOf(all) => {
            let rests: Vec<SmolStr> = all
                .iter()
                .filter_map(|one| one.split_once(text).map(|(_, rest)| SmolStr::new(rest)))
                .collect();
            (!rests.is_empty()).then(|| one_of(rests.into_iter()))
        }
        Value::Affixed { prefix, suffix } => match prefix.split_once(text) {
            Some((_, rest)) => Some(affixed(SmolStr::new(rest), suffix.clone())),
            None => Some(Value::Unknown(Origin::Variable)),
        },
        Value::Glob(pattern) => {
            let (prefix, suffix) = literal_ends(pattern);
            after(&Value::Affixed { prefix, suffix }, text)
        }
        Value::Integer => None,
        Value::Below(_) | Value::Descriptor | Value::Unknown(_) => Some(Value::Unknown(Origin::Variable)),
    }
}

/// The last component of a path.
pub(super) fn basename(value: &Value) -> Value {
    let last = |text: &SmolStr| {
        let text = text.trim_end_matches('/');
        SmolStr::new(text.rsplit('/').next().unwrap_or(text))
    };
    match value {
        Value::Known(text) => Value::Known(last(text)),
        Value::OneOf(all) => one_of(all.iter().map(last)),
        Value::Glob(pattern) => {
            // A slash inside brackets is no part of a class, so the last slash ends the last directory.
            let name = pattern.trim_end_matches('/');
            Value::Glob(SmolStr::new(name.rsplit('/').next().unwrap_or(name)))
        }
        Value::Affixed { suffix, .. } => match suffix.trim_end_matches('/').rsplit_once('/') {
            Some((_, name)) => Value::Known(SmolStr::new(name)),
            None => Value::Unknown(Origin::Variable),
        },
        Value::Integer => Value::Integer,
        Value::Below(_) | Value::Descriptor | Value::Unknown(_) => Value::Unknown(Origin::Variable),
    }
}

/// A path that is relative to a directory, as seen from where that directory is.
pub(super) fn join(directory: &Value, path: &Value) -> Value {
    let relative = begins(path, "/").inverted();
    match (directory, path, relative) {
        (_, _, Truth::No) => path.clone(),
        (Value::Known(directory), Value::Known(path), Truth::Yes) => {
            let mut out = SmolStrBuilder::new();
            out.push_str(directory);
            if !directory.is_empty() && !directory.ends_with('/') {
                out.push('/');
            }
            out.push_str(path);
            Value::Known(out.finish())
        }
        (_, Value::Unknown(origin), _) => Value::Unknown(*origin),
        (
            Value::Known(_)
            | Value::OneOf(_)
            | Value::Glob(_)
            | Value::Below(_)
            | Value::Affixed { .. }
            | Value::Integer
            | Value::Descriptor
            | Value::Unknown(_),
            _,
            Truth::Yes | Truth::Maybe,
        ) => Value::Unknown(Origin::Variable),
    }
}

/// Texts one after another, with a space between.
pub(super) fn spaced<'a>(values: impl Iterator<Item = (&'a Value, bool)>) -> Value {
    let mut prefix = String::new();
    let mut suffix: Option<String> = None;
    for (at, (value, single)) in values.enumerate() {
        if at > 0 {
            suffix.as_mut().unwrap_or(&mut prefix).push(' ');
        }
        match (value, single) {
            (Value::Known(text), true) => suffix.as_mut().unwrap_or(&mut prefix).push_str(text),
            (other, true) => {
                if suffix.is_none() {
                    prefix.push_str(&beginning(other));
                }
                suffix = Some(ending(other).to_string());
            }
            (_, false) => suffix = Some(String::new()),
        }
    }
    match suffix {
        None => Value::Known(SmolStr::new(prefix)),
        Some(suffix) => affixed(SmolStr::new(prefix), SmolStr::new(suffix)),
    }
}

/// A text with something unknown between a beginning and an end.
pub(super) fn affixed(prefix: SmolStr, suffix: SmolStr) -> Value {
    if prefix.is_empty() && suffix.is_empty() {
        Value::Unknown(Origin::Variable)
    } else {
        Value::Affixed { prefix, suffix }
    }
}

/// One of these texts; they are sorted and made unique here.
pub(super) fn one_of(texts: impl Iterator<Item = SmolStr>) -> Value {
    let mut all: Vec<SmolStr> = texts.collect();
    all.sort_unstable();
    all.dedup();
    match (all.len(), all.pop()) {
        (_, None) => Value::Unknown(Origin::Variable),
        (1, Some(only)) => Value::Known(only),
        (_, Some(last)) => {
            all.push(last);
            Value::OneOf(all)
        }
    }
}

/// The exact texts a value may be, if it is a closed set.
pub(super) fn texts(value: &Value) -> Option<&[SmolStr]> {
    match value {
        Value::Known(text) => Some(std::slice::from_ref(text)),
        Value::OneOf(all) => Some(all),
        Value::Glob(_)
        | Value::Below(_)
        | Value::Affixed { .. }
        | Value::Integer
        | Value::Descriptor
        | Value::Unknown(_) => None,
    }
}

/// The literal beginning and end of a pattern.
fn literal_ends(pattern: &str) -> (SmolStr, SmolStr) {
    let mut prefix = SmolStrBuilder::new();
    let mut rest = pattern.chars();
    let mut wild = false;
    while let Some(next) = rest.next() {
        match next {
            '*' | '?' | '[' => {
                wild = true;
                break;
            }
            '\\' => prefix.extend(rest.next()),
            other => prefix.push(other),
        }
    }
    let prefix = prefix.finish();
    if !wild {
        return (prefix, SmolStr::default());
    }
    // A class may hold any character before its `]`, so the end begins after the last special one.
    let end = pattern
        .rfind(['*', '?', ']', '['])
        .and_then(|at| pattern.get(at + 1..))
        .unwrap_or_default();
    (prefix, SmolStr::new(unescaped(end)))
}

fn unescaped(pattern: &str) -> String {
    let mut out = String::new();
    let mut rest = pattern.chars();
    while let Some(next) = rest.next() {
        if next == '\\' {
            out.extend(rest.next());
        } else {
            out.push(next);
        }
    }
    out
}

/// Globs that match at least the names which a program takes for its glob; `None` if nothing is known of it.
///
/// A bracket is spelled differently by different programs, so everything from one on may be anything. A word that the shell
/// looks for among the file names may become one of these, which the program reads as a glob again.
pub(super) fn no_narrower(value: &Value) -> Option<Vec<Value>> {
    match value {
        Value::Known(_) | Value::OneOf(_) => texts(value).map(|texts| {
            texts
                .iter()
                .map(|text| match text.split_once('[') {
                    Some((before, _)) => Value::Glob(format!("{}*", before.trim_end_matches('\\')).into()),
                    None => Value::Glob(text.clone()),
                })
                .collect()
        }),
        Value::Glob(_) | Value::Affixed { .. } => {
            let (prefix, suffix) = (beginning(value), ending(value));
            let special = ['*', '?', '[', ']', '\\'];
            (!prefix.contains(special) && !suffix.contains(special))
                .then(|| vec![Value::Glob(format!("{prefix}*{suffix}").into())])
        }
        Value::Below(_) | Value::Integer | Value::Descriptor | Value::Unknown(_) => None,
    }
}

/// A glob that matches no more than the names which a program takes for its glob, if there is one.
pub(super) fn no_wider(value: &Value) -> Option<Value> {
    value
        .known()
        .filter(|text| !text.contains(['[', '\\']))
        .map(|text| Value::Glob(SmolStr::new(text)))
}

/// Whether a file name could match; a class matches any character, which is never too few.
fn matches_glob(pattern: &str, text: &str) -> bool {
    let mut pieces: Vec<Option<Option<char>>> = Vec::new();
    let mut rest = pattern.chars().peekable();
    while let Some(next) = rest.next() {
        match next {
            '*' => pieces.push(None),
            '?' => pieces.push(Some(None)),
            '[' => {
                // A `]` that stands first is a member.
                let mut first = true;
                while let Some(inner) = rest.next() {
                    match inner {
                        '!' | '^' if first => continue,
                        ']' if !first => break,
                        '\\' => {
                            rest.next();
                        }
                        _ => {}
                    }
                    first = false;
                }
                pieces.push(Some(None));
            }
            '\\' => pieces.push(rest.next().map(Some)),
            other => pieces.push(Some(Some(other))),
        }
    }
    // reachable[i]: the pieces so far can match the first i characters.
    let text: Vec<char> = text.chars().collect();
    let mut reachable = vec![false; text.len() + 1];
    if let Some(start) = reachable.first_mut() {
        *start = true;
    }
    for piece in pieces {
        let mut next = vec![false; text.len() + 1];
        let mut carried = false;
        for (at, slot) in next.iter_mut().enumerate() {
            let here = reachable.get(at).copied().unwrap_or(false);
            let before = at.checked_sub(1);
            let from_before = before.and_then(|at| reachable.get(at)).copied().unwrap_or(false);
            *slot = match piece {
                None => {
                    carried |= here;
                    carried
                }
                Some(None) => from_before,
                Some(Some(wanted)) => {
                    from_before && before.and_then(|at| text.get(at)).copied() == Some(wanted)
                }
            };
        }
        reachable = next;
    }
    reachable.last().copied().unwrap_or(false)
}
