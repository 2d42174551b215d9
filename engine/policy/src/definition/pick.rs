//! From a value to the paths that are meant by it: what is cut off, what is cut apart, what a name is made from.
//!
//! Invariant (never narrower): where a value is not known well enough for an operation, what comes out is any path.

use engine_shell::{Origin, Value};
use smol_str::SmolStr;

use super::partial::{affixed, after, beginning, begins, one_of, texts, without_beginning};
use super::shape::Shape;
use crate::truth::Truth;

fn anything() -> Value {
    Value::Unknown(Origin::Variable)
}

/// The parts of a value that an effect is about; none if it is not about this value.
pub(super) fn picked(shape: &Shape, value: &Value) -> Vec<Value> {
    if shape.url {
        return file_of_url(shape, value).into_iter().collect();
    }
    let found = match &shape.after {
        Some(text) if shape.every => after_every(value, text),
        Some(text) => after(value, text).into_iter().collect(),
        None => vec![value.clone()],
    };
    found
        .into_iter()
        .filter_map(|value| at(shape, value))
        .flat_map(|value| {
            if shape
                .special
                .as_ref()
                .is_some_and(|special| may_have(&value, special))
            {
                return vec![anything()];
            }
            let value = match &shape.before {
                Some(ends) => before(&value, ends),
                None => value,
            };
            match &shape.list {
                Some(between) => parts(&value, between),
                None => vec![value],
            }
        })
        .collect()
}

fn at(shape: &Shape, value: Value) -> Option<Value> {
    let Some(prefix) = &shape.at else {
        return Some(value);
    };
    let truth = if shape.fold {
        begins(&lowered(&value), &prefix.to_ascii_lowercase())
    } else {
        begins(&value, prefix)
    };
    match truth {
        Truth::Yes if shape.keep => Some(value),
        Truth::Yes => Some(without_beginning(&value, prefix.len())),
        Truth::Maybe => Some(anything()),
        Truth::No => None,
    }
}

fn lowered(value: &Value) -> Value {
    let lower = |text: &SmolStr| SmolStr::new(text.to_ascii_lowercase());
    match value {
        Value::Known(text) => Value::Known(lower(text)),
        Value::OneOf(all) => one_of(all.iter().map(lower)),
        Value::Affixed { prefix, suffix } => affixed(lower(prefix), lower(suffix)),
        Value::Glob(_) | Value::Below(_) => match lower(&beginning(value)) {
            prefix if prefix.is_empty() => anything(),
            prefix => affixed(prefix, SmolStr::default()),
        },
        Value::Integer | Value::Descriptor | Value::Unknown(_) => value.clone(),
    }
}

fn after_every(value: &Value, text: &str) -> Vec<Value> {
    let Some(known) = texts(value) else {
        return match after(value, text) {
            Some(_) => vec![anything()],
            None => Vec::new(),
        };
    };
    known
        .iter()
        .flat_map(|known| {
            known
                .match_indices(text)
                .filter_map(|(at, found)| known.get(at + found.len()..))
                .map(|rest| Value::Known(SmolStr::new(rest)))
        })
        .collect()
}

/// Whether one of these characters may be in a value.
fn may_have(value: &Value, characters: &str) -> bool {
    match value {
        Value::Integer => characters.contains(|c: char| c == '-' || c.is_ascii_digit()),
        Value::Known(_)
        | Value::OneOf(_)
        | Value::Glob(_)
        | Value::Below(_)
        | Value::Affixed { .. }
        | Value::Descriptor
        | Value::Unknown(_) => match texts(value) {
            Some(all) => all
                .iter()
                .any(|text| text.contains(|c: char| characters.contains(c))),
            None => true,
        },
    }
}

fn before(value: &Value, ends: &str) -> Value {
    let is_end = |c: char| ends.contains(c);
    let cut = |text: &SmolStr| SmolStr::new(text.split(is_end).next().unwrap_or_default());
    match value {
        Value::Known(text) => Value::Known(cut(text)),
        Value::OneOf(all) => one_of(all.iter().map(cut)),
        Value::Affixed { prefix, .. } if prefix.contains(is_end) => Value::Known(cut(prefix)),
        Value::Integer => Value::Integer,
        Value::Affixed { .. } | Value::Glob(_) | Value::Below(_) | Value::Descriptor | Value::Unknown(_) => {
            anything()
        }
    }
}

fn parts(value: &Value, between: &str) -> Vec<Value> {
    let Some(all) = texts(value) else {
        return vec![anything()];
    };
    all.iter()
        .flat_map(|text| text.split(|c: char| between.contains(c)))
        .filter(|part| !part.is_empty())
        .map(|part| Value::Known(SmolStr::new(part)))
        .collect()
}

/// The path of a URL with the scheme `file`, if it can be one. Source: RFC 8089.
fn file_of_url(shape: &Shape, value: &Value) -> Option<Value> {
    const SCHEME: &str = "file:";
    let may_be = |start: &str| start.starts_with(SCHEME) || SCHEME.starts_with(start);
    let Some(all) = texts(value) else {
        let start = beginning(value).to_ascii_lowercase();
        return may_be(start.trim_start()).then(anything);
    };
    let special = |c: char| shape.special.as_ref().is_some_and(|special| special.contains(c));
    let mut found = Vec::new();
    for text in all {
        let text = text.trim();
        let plain = text.split(special).next().unwrap_or_default();
        let whole = plain.len() == text.len();
        let lower = plain.to_ascii_lowercase();
        if (whole && !lower.starts_with(SCHEME)) || !may_be(&lower) {
            continue;
        }
        match text.get(SCHEME.len()..).filter(|_| whole).and_then(local_path) {
            Some(path) => found.push(path),
            None => return Some(anything()),
        }
    }
    (!found.is_empty()).then(|| one_of(found.into_iter()))
}

/// The path in what follows `file:`, where it is an absolute one and nothing is left to a program's taste.
fn local_path(rest: &str) -> Option<SmolStr> {
    let path = match rest.strip_prefix("//") {
        Some(rest) => rest.find('/').and_then(|at| rest.get(at..))?,
        None => rest,
    };
    if !path.starts_with('/') || path.contains(['?', '#', '\\']) {
        return None;
    }
    let mut bytes = Vec::with_capacity(path.len());
    let mut left = path.bytes();
    while let Some(byte) = left.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let digit = |byte: Option<u8>| char::from(byte?).to_digit(16);
        let (high, low) = (digit(left.next())?, digit(left.next())?);
        bytes.push(u8::try_from(high * 16 + low).ok()?);
    }
    let path = String::from_utf8(bytes).ok()?;
    (!path.contains('\0')).then(|| path.into())
}

/// A name with something at its end.
pub(super) fn with_suffix(value: &Value, suffix: &Value) -> Value {
    let Some(suffix) = suffix.known() else {
        return anything();
    };
    // In some programs a star stands for the name itself, and a slash leads to another directory.
    if suffix.contains(['*', '/']) {
        return anything();
    }
    let longer = |text: &SmolStr| SmolStr::new(format!("{text}{suffix}"));
    match value {
        Value::Known(text) => Value::Known(longer(text)),
        Value::OneOf(all) => one_of(all.iter().map(longer)),
        Value::Glob(pattern) if !suffix.contains(['?', '[', ']', '\\']) => Value::Glob(longer(pattern)),
        Value::Glob(_)
        | Value::Below(_)
        | Value::Affixed { .. }
        | Value::Integer
        | Value::Descriptor
        | Value::Unknown(_) => anything(),
    }
}

/// Names that begin with a value.
pub(super) fn opened(value: &Value) -> Value {
    match value.known() {
        Some(text) if !text.is_empty() && !text.contains(['*', '?', '[', ']', '\\']) => {
            Value::Glob(SmolStr::new(format!("{text}*")))
        }
        Some(_) | None => anything(),
    }
}

/// A name without its ending. One that has none of these endings stays: a program either leaves such a file alone or looks for
/// one that has.
pub(super) fn without_ending(value: &Value, endings: &[(SmolStr, SmolStr)]) -> Value {
    let shorter = |text: &SmolStr| {
        let lower = text.to_ascii_lowercase();
        endings
            .iter()
            .filter(|(ending, _)| !ending.is_empty() && lower.ends_with(&ending.to_ascii_lowercase()))
            .max_by_key(|(ending, _)| ending.len())
            .and_then(|(ending, instead)| {
                let (stem, _) = text.split_at_checked(text.len() - ending.len())?;
                Some(SmolStr::new(format!("{stem}{instead}")))
            })
    };
    let or_itself = |text: &SmolStr| shorter(text).unwrap_or_else(|| text.clone());
    match value {
        Value::Known(text) => Value::Known(or_itself(text)),
        Value::OneOf(all) => one_of(all.iter().map(or_itself)),
        Value::Glob(pattern) => match shorter(pattern) {
            Some(stem) if !stem.ends_with('\\') => Value::Glob(stem),
            Some(_) | None => anything(),
        },
        Value::Below(_) | Value::Affixed { .. } | Value::Integer | Value::Descriptor | Value::Unknown(_) => {
            anything()
        }
    }
}

#[cfg(test)]
mod tests {
    use engine_shell::{Origin, Value};

    use super::{picked, with_suffix, without_ending};
    use crate::definition::shape::Shape;

    fn known(text: &str) -> Value {
        Value::Known(text.into())
    }

    fn any() -> Value {
        Value::Unknown(Origin::Variable)
    }

    #[test]
    fn a_list_of_paths_ends_before_what_follows_it() {
        let shape = Shape {
            after: Some("=@".into()),
            before: Some(";".into()),
            list: Some(",".into()),
            special: Some("\"".into()),
            ..Shape::default()
        };
        assert_eq!(
            picked(&shape, &known("x=@a,.env;type=b/c")),
            [known("a"), known(".env")]
        );
        assert_eq!(picked(&shape, &known("x=@\"a;b\"")), [any()]);
        assert_eq!(picked(&shape, &known("x=y")), []);
        let affixed = Value::Affixed {
            prefix: "x=@a".into(),
            suffix: "".into(),
        };
        assert_eq!(picked(&shape, &affixed), [any()]);
    }

    #[test]
    fn every_occurrence_counts_where_the_program_reads_them_all() {
        let shape = Shape {
            after: Some("headers=@".into()),
            every: true,
            before: Some(";".into()),
            ..Shape::default()
        };
        assert_eq!(
            picked(&shape, &known("x=y;headers=@a;headers=@b")),
            [known("a"), known("b")]
        );
    }

    #[test]
    fn a_url_of_a_file_is_a_path() {
        let shape = Shape {
            url: true,
            special: Some("[]{}".into()),
            ..Shape::default()
        };
        for (url, expected) in [
            ("file:///p/.env", Some(known("/p/.env"))),
            ("FILE://localhost/p/%2eenv", Some(known("/p/.env"))),
            ("file:/p", Some(known("/p"))),
            ("file:///p/.en{v,w}", Some(any())),
            ("{file,http}:///p", Some(any())),
            ("file:///p/%zz", Some(any())),
            ("file://p", Some(any())),
            ("https://h.example/{a,b}", None),
            ("h.example/file:///x", None),
        ] {
            assert_eq!(picked(&shape, &known(url)).into_iter().next(), expected, "{url}");
        }
        let open = Value::Affixed {
            prefix: "https://h.example/".into(),
            suffix: "".into(),
        };
        assert_eq!(picked(&shape, &open), []);
        assert_eq!(picked(&shape, &any()), [any()]);
    }

    #[test]
    fn a_prefix_may_be_compared_without_case() {
        let shape = Shape {
            at: Some("ProxyCommand=".into()),
            fold: true,
            ..Shape::default()
        };
        assert_eq!(picked(&shape, &known("proxycommand=x Y")), [known("x Y")]);
        assert_eq!(picked(&shape, &known("Port=1")), []);
    }

    #[test]
    fn a_name_made_from_another_is_known_where_both_parts_are() {
        assert_eq!(with_suffix(&known("a"), &known(".yml")), known("a.yml"));
        assert_eq!(with_suffix(&known("a"), &known("x/*")), any());
        assert_eq!(with_suffix(&known("a"), &any()), any());
        assert_eq!(
            with_suffix(&Value::Glob("*.c".into()), &known("~")),
            Value::Glob("*.c~".into())
        );
        let endings = [(".gz".into(), "".into()), (".tgz".into(), ".tar".into())];
        assert_eq!(without_ending(&known("a.yml.GZ"), &endings), known("a.yml"));
        assert_eq!(without_ending(&known("a.tgz"), &endings), known("a.tar"));
        assert_eq!(without_ending(&known("a"), &endings), known("a"));
        assert_eq!(
            without_ending(&Value::Glob("*.gz".into()), &endings),
            Value::Glob("*".into())
        );
        assert_eq!(without_ending(&Value::Glob("*".into()), &endings), any());
    }
}
