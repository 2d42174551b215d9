//! Three-valued answers: what a pattern says of a value that is only partly known.
//!
//! Invariant (maybe is not yes): an operation answers [`Truth::Yes`] only if the answer is yes for every text the value can stand
//! for, and [`Truth::No`] only if it is no for every one.

use engine_shell::Value;

use crate::pattern::{Glob, GlobPiece, Piece, WordPattern, WordPiece, wildcards_match};

/// No, maybe or yes; `max` joins alternatives, `min` joins conditions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Truth {
    /// Never.
    No,
    /// For some of what the value can be, or not known.
    Maybe,
    /// Always.
    Yes,
}

impl Truth {
    /// Yes or no.
    #[must_use]
    pub fn known(answer: bool) -> Self {
        if answer { Self::Yes } else { Self::No }
    }

    /// The opposite; maybe stays.
    #[must_use]
    pub fn inverted(self) -> Self {
        match self {
            Self::No => Self::Yes,
            Self::Maybe => Self::Maybe,
            Self::Yes => Self::No,
        }
    }

    /// Whether it can be.
    pub(crate) fn possible(self) -> bool {
        self != Self::No
    }
}

/// One unit of a pattern or of a partly known text.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Unit<'a> {
    /// This character.
    Char(char),
    /// One character of which a class decides (of a glob), or any one character.
    One(Option<&'a crate::pattern::CharClass>),
    /// Any run of characters.
    Run,
}

/// The units of a glob.
pub(crate) fn glob_units(glob: &Glob) -> Vec<Unit<'_>> {
    let mut units = Vec::new();
    for piece in &glob.pieces {
        match piece {
            GlobPiece::Text(text) => units.extend(text.chars().map(Unit::Char)),
            GlobPiece::AnyText => units.push(Unit::Run),
            GlobPiece::AnyChar => units.push(Unit::One(None)),
            GlobPiece::Class(class) => units.push(Unit::One(Some(class))),
        }
    }
    units
}

/// The units of each way a word pattern can be read (its choices expanded), at most 256 ways.
pub(crate) fn word_units(pattern: &WordPattern) -> Vec<Vec<Unit<'_>>> {
    let mut ways: Vec<Vec<Unit<'_>>> = vec![Vec::new()];
    for piece in &pattern.pieces {
        match piece {
            WordPiece::Text(text) => ways
                .iter_mut()
                .for_each(|way| way.extend(text.chars().map(Unit::Char))),
            WordPiece::AnyText => ways.iter_mut().for_each(|way| way.push(Unit::Run)),
            WordPiece::Choice(options) => {
                let tails: Vec<_> = options.iter().flat_map(word_units).collect();
                ways = ways
                    .iter()
                    .flat_map(|way| {
                        tails
                            .iter()
                            .map(move |tail| [way.as_slice(), tail.as_slice()].concat())
                    })
                    .take(256)
                    .collect();
            }
        }
    }
    ways
}

/// The units of what a value can be. A bracket of a file name pattern stands for any one character, which is never narrower.
pub(crate) fn value_units(value: &Value) -> Vec<Unit<'static>> {
    match value {
        Value::Known(text) => text.chars().map(Unit::Char).collect(),
        Value::Glob(pattern) => pattern_units(pattern),
        Value::Affixed { prefix, suffix } => prefix
            .chars()
            .map(Unit::Char)
            .chain([Unit::Run])
            .chain(suffix.chars().map(Unit::Char))
            .collect(),
        Value::Below(root) => root.chars().map(Unit::Char).chain([Unit::Run]).collect(),
        Value::Descriptor => "/dev/fd/".chars().map(Unit::Char).chain([Unit::Run]).collect(),
        // Of `OneOf` the caller asks for each text by itself.
        Value::Unknown(_) | Value::OneOf(_) | Value::Integer => vec![Unit::Run],
    }
}

/// The units of a shell file name pattern (backslash escapes, `*`, `?`, `[...]`).
pub(crate) fn pattern_units(pattern: &str) -> Vec<Unit<'static>> {
    let mut units = Vec::new();
    let mut chars = pattern.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\\' => units.push(Unit::Char(chars.next().unwrap_or('\\'))),
            '*' => units.push(Unit::Run),
            '?' => units.push(Unit::One(None)),
            '[' => {
                // The bracket was checked to be closed when the text was read; up to the first `]` that is not the first one.
                let mut first = true;
                for inner in chars.by_ref() {
                    if inner == ']' && !first {
                        break;
                    }
                    first = first && matches!(inner, '!' | '^');
                }
                units.push(Unit::One(None));
            }
            _ => units.push(Unit::Char(c)),
        }
    }
    units
}

/// Whether a pattern covers a text of units: yes if it covers all it can be, maybe if some of it.
pub(crate) fn covers(pattern: &[Unit<'_>], text: &[Unit<'_>]) -> Truth {
    if text.iter().all(|unit| matches!(unit, Unit::Char(_))) {
        return Truth::known(covers_known(pattern, text));
    }
    if all_covered(pattern, text) {
        Truth::Yes
    } else if overlap(pattern, text) {
        Truth::Maybe
    } else {
        Truth::No
    }
}

fn accepts(unit: Unit<'_>, c: char) -> bool {
    match unit {
        Unit::Char(own) => own == c,
        Unit::One(class) => class.is_none_or(|class| class.contains(c)),
        Unit::Run => true,
    }
}

/// The usual greedy match with one fallback, linear but for repeated runs.
fn covers_known(pattern: &[Unit<'_>], text: &[Unit<'_>]) -> bool {
    let (mut p, mut t) = (0, 0);
    let mut fallback: Option<(usize, usize)> = None;
    while let Some(Unit::Char(c)) = text.get(t) {
        match pattern.get(p) {
            Some(Unit::Run) => {
                fallback = Some((p + 1, t));
                p += 1;
            }
            Some(unit) if accepts(*unit, *c) => {
                p += 1;
                t += 1;
            }
            _ => {
                let Some((after, from)) = fallback else {
                    return false;
                };
                p = after;
                t = from + 1;
                fallback = Some((after, from + 1));
            }
        }
    }
    pattern.iter().skip(p).all(|unit| matches!(unit, Unit::Run))
}

/// Positions of the pattern reachable without consuming: a run may be empty.
fn close(states: &mut [bool], pattern: &[Unit<'_>]) {
    for at in 0..pattern.len() {
        if states.get(at) == Some(&true)
            && matches!(pattern.get(at), Some(Unit::Run))
            && let Some(next) = states.get_mut(at + 1)
        {
            *next = true;
        }
    }
}

/// Whether every text that the units stand for is covered. A run of the text can only be taken by a run of the pattern.
fn all_covered(pattern: &[Unit<'_>], text: &[Unit<'_>]) -> bool {
    step_all(pattern, text, |own, unit| match (own, unit) {
        (Unit::Char(a), Unit::Char(b)) => a == b,
        (Unit::One(_), Unit::Char(b)) => accepts(own, b),
        (Unit::One(class), Unit::One(_)) => class.is_none(),
        (Unit::Char(_), Unit::One(_)) | (Unit::Char(_) | Unit::One(_), Unit::Run) => false,
        (Unit::Run, _) => true,
    })
}

fn step_all(pattern: &[Unit<'_>], text: &[Unit<'_>], takes: impl Fn(Unit<'_>, Unit<'_>) -> bool) -> bool {
    let mut states = vec![false; pattern.len() + 1];
    if let Some(start) = states.first_mut() {
        *start = true;
    }
    close(&mut states, pattern);
    let mut next = states.clone();
    for unit in text {
        next.fill(false);
        for (at, own) in pattern.iter().enumerate() {
            if states.get(at) != Some(&true) || !takes(*own, *unit) {
                continue;
            }
            let to = if matches!(own, Unit::Run) { at } else { at + 1 };
            if let Some(state) = next.get_mut(to) {
                *state = true;
            }
        }
        std::mem::swap(&mut states, &mut next);
        close(&mut states, pattern);
    }
    states.last() == Some(&true)
}

/// Whether some text is both covered by the pattern and stood for by the units.
pub(crate) fn overlap(pattern: &[Unit<'_>], text: &[Unit<'_>]) -> bool {
    if ends_differ(pattern.first(), text.first()) || ends_differ(pattern.last(), text.last()) {
        return false;
    }
    let mut states = vec![false; pattern.len() + 1];
    if let Some(start) = states.first_mut() {
        *start = true;
    }
    close(&mut states, pattern);
    let mut next = states.clone();
    for unit in text {
        next.fill(false);
        if matches!(unit, Unit::Run) {
            // Any number of characters: every later position can be reached.
            if let Some(first) = states.iter().position(|state| *state) {
                next.iter_mut().skip(first).for_each(|state| *state = true);
            }
        } else {
            for (at, own) in pattern.iter().enumerate() {
                let takes = match (own, unit) {
                    (own, Unit::Char(c)) => accepts(*own, *c),
                    (_, Unit::One(_) | Unit::Run) => true,
                };
                if states.get(at) == Some(&true) && takes {
                    let to = if matches!(own, Unit::Run) { at } else { at + 1 };
                    if let Some(state) = next.get_mut(to) {
                        *state = true;
                    }
                }
            }
        }
        std::mem::swap(&mut states, &mut next);
        close(&mut states, pattern);
    }
    states.last() == Some(&true)
}

/// Whether both are a character and not the same, which rules most pairs out at once.
fn ends_differ(one: Option<&Unit<'_>>, other: Option<&Unit<'_>>) -> bool {
    matches!((one, other), (Some(Unit::Char(one)), Some(Unit::Char(other))) if one != other)
}

/// What a glob says of a value.
pub(crate) fn glob_says(glob: &Glob, value: &Value) -> Truth {
    if glob.is_any() {
        return Truth::Yes;
    }
    if let Value::Known(text) = value {
        return Truth::known(glob.matches(text));
    }
    units_say(&[glob_units(glob)], value)
}

/// What a word pattern says of a value.
pub(crate) fn word_says(pattern: &WordPattern, value: &Value) -> Truth {
    if pattern.is_any() {
        return Truth::Yes;
    }
    if let Value::Known(text) = value
        && pattern
            .pieces
            .iter()
            .all(|piece| !matches!(piece, WordPiece::Choice(_)))
    {
        return Truth::known(wildcards_match(
            &pattern.pieces,
            text,
            |piece, rest| match piece {
                WordPiece::Text(text) => Piece::one(rest.strip_prefix(text.as_str())),
                WordPiece::AnyText => Piece::Run,
                WordPiece::Choice(_) => Piece::Fails,
            },
        ));
    }
    units_say(&word_units(pattern), value)
}

/// What alternatives of units say of a value.
pub(crate) fn units_say(ways: &[Vec<Unit<'_>>], value: &Value) -> Truth {
    let one = |text: &[Unit<'_>]| {
        ways.iter()
            .map(|way| covers(way, text))
            .max()
            .unwrap_or(Truth::No)
    };
    match value {
        Value::OneOf(texts) => {
            let each = || {
                texts
                    .iter()
                    .map(|text| one(&text.chars().map(Unit::Char).collect::<Vec<_>>()))
            };
            match (each().min(), each().max()) {
                (Some(Truth::Yes), _) => Truth::Yes,
                (_, Some(Truth::No) | None) => Truth::No,
                _ => Truth::Maybe,
            }
        }
        value @ (Value::Known(_)
        | Value::Glob(_)
        | Value::Below(_)
        | Value::Affixed { .. }
        | Value::Integer
        | Value::Descriptor
        | Value::Unknown(_)) => one(&value_units(value)),
    }
}

#[cfg(test)]
mod tests {
    use super::{Truth, word_says};
    use crate::pattern::{WordPattern, WordPiece};
    use engine_shell::{Origin, Value};

    fn pattern(text: &str) -> WordPattern {
        let pieces = text
            .split_inclusive('*')
            .flat_map(|piece| match piece.strip_suffix('*') {
                Some("") => vec![WordPiece::AnyText],
                Some(head) => vec![WordPiece::Text(head.into()), WordPiece::AnyText],
                None => vec![WordPiece::Text(piece.into())],
            })
            .collect();
        WordPattern { pieces }
    }

    #[test]
    fn a_pattern_answers_for_all_that_a_value_can_be() {
        let affixed = |prefix: &str, suffix: &str| Value::Affixed {
            prefix: prefix.into(),
            suffix: suffix.into(),
        };
        for (text, value, expected) in [
            ("test:*", Value::Known("test:unit".into()), Truth::Yes),
            ("test:*", Value::Known("test".into()), Truth::No),
            ("a*c*e", Value::Known("abcde".into()), Truth::Yes),
            ("a*c*e", Value::Known("abcdf".into()), Truth::No),
            ("test:*", affixed("test:", ""), Truth::Yes),
            ("test:*", affixed("te", ""), Truth::Maybe),
            ("test:*", affixed("x", ""), Truth::No),
            ("*.js", affixed("src/", ".js"), Truth::Yes),
            ("*.js", affixed("src/", ".rs"), Truth::No),
            ("-delete", Value::Glob("-delet[e]".into()), Truth::Maybe),
            (".env", Value::Glob("*.txt".into()), Truth::No),
            ("x", Value::Unknown(Origin::Variable), Truth::Maybe),
            ("*", Value::Unknown(Origin::Variable), Truth::Yes),
            ("a*", Value::OneOf(vec!["a".into(), "ab".into()]), Truth::Yes),
            ("a*", Value::OneOf(vec!["a".into(), "b".into()]), Truth::Maybe),
        ] {
            assert_eq!(word_says(&pattern(text), &value), expected, "{text} {value:?}");
        }
    }
}
