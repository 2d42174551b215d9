//! What can be done with abstract values: joining what two paths give, concatenating, and asking what a value may be.
//!
//! Invariant (never narrower): the result of an operation stands for every text that the operation gives on any pair of
//! texts that the operands stand for.

use smol_str::{SmolStr, SmolStrBuilder};

use super::{Origin, Value};

/// The characters that make an unquoted word a pattern, and the backslash that takes their meaning away.
const SPECIAL: [char; 5] = ['*', '?', '[', ']', '\\'];

/// Bytes of text that one value made by an operation may hold; more of them are widened to their ends.
const MOST_BYTES: usize = 16 << 10;

/// Bytes that are kept of each end of a text that is too long.
const END_BYTES: usize = 64;

impl Value {
    /// The empty text.
    pub(crate) const EMPTY: Self = Self::Known(SmolStr::new_static(""));

    /// A pattern that matches `text` alone, as [`Value::Glob`] spells it.
    pub(crate) fn escape(text: &str, into: &mut SmolStrBuilder) {
        for c in text.chars() {
            if SPECIAL.contains(&c) {
                into.push('\\');
            }
            into.push(c);
        }
    }

    /// One of these texts; more than `max` of them are widened to what they have in common.
    #[must_use]
    pub fn one_of(mut texts: Vec<SmolStr>, max: usize) -> Self {
        texts.sort_unstable();
        texts.dedup();
        let bytes: usize = texts.iter().map(SmolStr::len).sum();
        if texts.len() > max.max(1) || (texts.len() > 1 && bytes > MOST_BYTES) {
            if texts.iter().all(|t| is_integer(t)) {
                return Self::Integer;
            }
            let mut values = texts.into_iter().map(Self::Known);
            let first = values.next().unwrap_or(Self::EMPTY);
            return values.fold(first, |a, b| a.affixed_join(&b, Origin::Limit));
        }
        match (texts.len(), texts.pop()) {
            (1, Some(text)) => Self::Known(text),
            (_, Some(last)) => {
                texts.push(last);
                Self::OneOf(texts)
            }
            (_, None) => Self::EMPTY,
        }
    }

    /// The texts, where they are known one by one.
    #[must_use]
    pub fn texts(&self) -> Option<&[SmolStr]> {
        match self {
            Self::Known(text) => Some(std::slice::from_ref(text)),
            Self::OneOf(texts) => Some(texts),
            Self::Glob(_)
            | Self::Below(_)
            | Self::Affixed { .. }
            | Self::Integer
            | Self::Descriptor
            | Self::Unknown(_) => None,
        }
    }

    /// Whether every text is a whole number in decimal.
    #[must_use]
    pub fn is_integer(&self) -> bool {
        match self {
            Self::Integer => true,
            Self::Known(text) => is_integer(text),
            Self::OneOf(texts) => texts.iter().all(|t| is_integer(t)),
            Self::Glob(_) | Self::Below(_) | Self::Affixed { .. } | Self::Descriptor | Self::Unknown(_) => {
                false
            }
        }
    }

    /// What every text begins with.
    #[must_use]
    pub fn known_prefix(&self) -> SmolStr {
        match self {
            Self::Known(text) => text.clone(),
            Self::OneOf(texts) => common(texts, common_prefix),
            Self::Glob(pattern) => glob_prefix(pattern),
            Self::Below(root) => root.clone(),
            Self::Affixed { prefix, .. } => prefix.clone(),
            Self::Descriptor => SmolStr::new_static("/"),
            Self::Integer | Self::Unknown(_) => SmolStr::default(),
        }
    }

    /// What every text ends with.
    #[must_use]
    pub fn known_suffix(&self) -> SmolStr {
        match self {
            Self::Known(text) => text.clone(),
            Self::OneOf(texts) => common(texts, common_suffix),
            Self::Glob(pattern) => glob_suffix(pattern),
            Self::Affixed { suffix, .. } => suffix.clone(),
            Self::Below(_) | Self::Descriptor | Self::Integer | Self::Unknown(_) => SmolStr::default(),
        }
    }

    /// A length that no text falls below.
    fn least_len(&self) -> usize {
        match self {
            Self::Known(text) => text.len(),
            Self::OneOf(texts) => texts.iter().map(SmolStr::len).min().unwrap_or(0),
            Self::Glob(pattern) => glob_prefix(pattern).len() + glob_suffix(pattern).len(),
            Self::Below(root) => root.len(),
            Self::Affixed { prefix, suffix } => prefix.len() + suffix.len(),
            Self::Descriptor => "/dev/fd/0".len(),
            Self::Integer => 1,
            Self::Unknown(_) => 0,
        }
    }

    /// Where it comes from, for a value derived from it that is not known.
    #[must_use]
    pub fn origin(&self) -> Origin {
        match self {
            Self::Unknown(origin) => *origin,
            Self::Integer => Origin::Arithmetic,
            Self::Known(_)
            | Self::OneOf(_)
            | Self::Glob(_)
            | Self::Below(_)
            | Self::Affixed { .. }
            | Self::Descriptor => Origin::Variable,
        }
    }

    /// A value that begins with `prefix` and ends with `suffix`.
    #[must_use]
    pub fn affixed(prefix: SmolStr, suffix: SmolStr, origin: Origin) -> Self {
        if prefix.is_empty() && suffix.is_empty() {
            Self::Unknown(origin)
        } else {
            Self::Affixed { prefix, suffix }
        }
    }

    /// What both have in common at their ends.
    fn affixed_join(&self, other: &Self, origin: Origin) -> Self {
        let prefix = common_prefix(&self.known_prefix(), &other.known_prefix());
        let suffix = common_suffix(&self.known_suffix(), &other.known_suffix());
        let room = self
            .least_len()
            .min(other.least_len())
            .saturating_sub(prefix.len());
        let suffix = tail(&suffix, room);
        Self::affixed(prefix, suffix, origin)
    }

    /// The value of a place that is reached with either.
    #[must_use]
    pub fn join(&self, other: &Self, max: usize) -> Self {
        if self == other {
            return self.clone();
        }
        if let (Some(a), Some(b)) = (self.texts(), other.texts()) {
            return Self::one_of(a.iter().chain(b).cloned().collect(), max);
        }
        match (self, other) {
            (Self::Unknown(origin), _) | (_, Self::Unknown(origin)) => return Self::Unknown(*origin),
            (a, b) if a.is_integer() && b.is_integer() => return Self::Integer,
            _ => {}
        }
        self.affixed_join(other, Origin::Variable)
    }

    /// This text followed by that one.
    #[must_use]
    pub fn concat(&self, other: &Self, max: usize) -> Self {
        match (self, other) {
            (Self::Known(a), _) if a.is_empty() => return other.clone(),
            (_, Self::Known(b)) if b.is_empty() => return self.clone(),
            (Self::Known(a), Self::Known(b)) => {
                if a.len() + b.len() > MOST_BYTES {
                    return Self::affixed(head(a, END_BYTES), tail(b, END_BYTES), Origin::Limit);
                }
                return Self::Known(glue(a, b));
            }
            (Self::Glob(a), Self::Glob(b)) if a.len() + b.len() <= MOST_BYTES => {
                return Self::Glob(glue(a, b));
            }
            (Self::Known(a), Self::Glob(b)) if a.len() + b.len() <= MOST_BYTES => {
                let mut pattern = SmolStrBuilder::new();
                Self::escape(a, &mut pattern);
                pattern.push_str(b);
                return Self::Glob(pattern.finish());
            }
            (Self::Glob(a), Self::Known(b)) if a.len() + b.len() <= MOST_BYTES => {
                let mut pattern = SmolStrBuilder::new();
                pattern.push_str(a);
                Self::escape(b, &mut pattern);
                return Self::Glob(pattern.finish());
            }
            (Self::Below(root), Self::Known(b))
                if !root.is_empty() && b.starts_with('/') && !b.split('/').any(|p| p == "..") =>
            {
                return self.clone();
            }
            _ => {}
        }
        if let (Some(a), Some(b)) = (self.texts(), other.texts())
            && a.len().saturating_mul(b.len()) <= max
            && bytes(a)
                .saturating_mul(b.len())
                .saturating_add(bytes(b).saturating_mul(a.len()))
                <= MOST_BYTES
        {
            let all = a.iter().flat_map(|x| b.iter().map(move |y| glue(x, y)));
            return Self::one_of(all.collect(), max);
        }
        let prefix = match self {
            Self::Known(a) => glue(a, &other.known_prefix()),
            Self::OneOf(_)
            | Self::Glob(_)
            | Self::Below(_)
            | Self::Affixed { .. }
            | Self::Integer
            | Self::Descriptor
            | Self::Unknown(_) => self.known_prefix(),
        };
        let suffix = match other {
            Self::Known(b) => glue(&self.known_suffix(), b),
            Self::OneOf(_)
            | Self::Glob(_)
            | Self::Below(_)
            | Self::Affixed { .. }
            | Self::Integer
            | Self::Descriptor
            | Self::Unknown(_) => other.known_suffix(),
        };
        let (prefix, suffix) = if prefix.len() + suffix.len() > MOST_BYTES {
            (head(&prefix, END_BYTES), tail(&suffix, END_BYTES))
        } else {
            (prefix, suffix)
        };
        let origin = if matches!(self, Self::Known(_)) {
            other.origin()
        } else {
            self.origin()
        };
        Self::affixed(prefix, suffix, origin)
    }

    /// Whether some text is empty.
    #[must_use]
    pub fn may_be_empty(&self) -> bool {
        self.may_equal("")
    }

    /// Whether some text is `text`.
    #[must_use]
    pub fn may_equal(&self, text: &str) -> bool {
        match self {
            Self::Known(t) => t == text,
            Self::OneOf(texts) => texts.iter().any(|t| t == text),
            Self::Glob(_) | Self::Affixed { .. } => {
                text.len() >= self.least_len()
                    && text.starts_with(self.known_prefix().as_str())
                    && text.ends_with(self.known_suffix().as_str())
            }
            Self::Below(root) => text.starts_with(root.as_str()),
            Self::Integer => is_integer(text),
            Self::Descriptor => text.starts_with("/dev/fd/") || text.starts_with("/proc/self/fd/"),
            Self::Unknown(_) => true,
        }
    }

    /// Whether some text begins with `start`.
    #[must_use]
    pub fn may_begin(&self, start: &str) -> bool {
        match self {
            Self::Known(t) => t.starts_with(start),
            Self::OneOf(texts) => texts.iter().any(|t| t.starts_with(start)),
            Self::Integer => start.is_empty() || start == "-" || is_integer(start),
            Self::Glob(_) | Self::Below(_) | Self::Affixed { .. } | Self::Descriptor | Self::Unknown(_) => {
                let prefix = self.known_prefix();
                prefix.starts_with(start) || start.starts_with(prefix.as_str())
            }
        }
    }

    /// Whether what is known of the texts has a wildcard in it, so that the shell takes them for patterns where they stand unquoted.
    /// Of what is not known that is not assumed.
    pub(crate) fn spells_pattern(&self) -> bool {
        let wild = |text: &SmolStr| text.contains(['*', '?', '[']);
        match self {
            Self::Known(text) => wild(text),
            Self::OneOf(texts) => texts.iter().any(wild),
            Self::Affixed { prefix, suffix } => wild(prefix) || wild(suffix),
            // Its own wildcards stand for other text; those of the text are escaped.
            Self::Glob(pattern) => ["\\*", "\\?", "\\["].iter().any(|own| pattern.contains(own)),
            Self::Below(root) => wild(root),
            Self::Integer | Self::Descriptor | Self::Unknown(_) => false,
        }
    }

    /// Whether some text holds `c`.
    #[must_use]
    pub fn may_contain(&self, c: char) -> bool {
        match self {
            Self::Known(t) => t.contains(c),
            Self::OneOf(texts) => texts.iter().any(|t| t.contains(c)),
            Self::Integer => c == '-' || c.is_ascii_digit(),
            Self::Descriptor => c.is_ascii_digit() || "/dev/proc/self/fd/".contains(c),
            Self::Glob(_) | Self::Below(_) | Self::Affixed { .. } | Self::Unknown(_) => true,
        }
    }
}

/// Whether `text` is a whole number in decimal, as [`Value::Integer`] means it.
pub(crate) fn is_integer(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())
}

fn glue(a: &str, b: &str) -> SmolStr {
    let mut text = SmolStrBuilder::new();
    text.push_str(a);
    text.push_str(b);
    text.finish()
}

fn common(texts: &[SmolStr], of: fn(&str, &str) -> SmolStr) -> SmolStr {
    let mut texts = texts.iter();
    let first = texts.next().cloned().unwrap_or_default();
    texts.fold(first, |a, b| of(&a, b))
}

fn common_prefix(a: &str, b: &str) -> SmolStr {
    a.chars()
        .zip(b.chars())
        .take_while(|(x, y)| x == y)
        .map(|(x, _)| x)
        .collect()
}

fn common_suffix(a: &str, b: &str) -> SmolStr {
    let length: usize = a
        .chars()
        .rev()
        .zip(b.chars().rev())
        .take_while(|(x, y)| x == y)
        .map(|(x, _)| x.len_utf8())
        .sum();
    tail(a, length)
}

fn bytes(texts: &[SmolStr]) -> usize {
    texts.iter().map(SmolStr::len).sum()
}

/// The first whole characters of `text` that fit in `room` bytes.
fn head(text: &str, room: usize) -> SmolStr {
    let mut end = room.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or_default().into()
}

/// The last whole characters of `text` that fit in `room` bytes.
fn tail(text: &str, room: usize) -> SmolStr {
    let mut start = text.len().saturating_sub(room);
    while !text.is_char_boundary(start) {
        start += 1;
    }
    text.get(start..).unwrap_or_default().into()
}

/// The literal text before the first special character of a pattern.
fn glob_prefix(pattern: &str) -> SmolStr {
    let mut text = SmolStrBuilder::new();
    let mut chars = pattern.chars();
    while let Some(c) = chars.next() {
        match c {
            '*' | '?' | '[' => break,
            '\\' => chars.next().into_iter().for_each(|c| text.push(c)),
            _ => text.push(c),
        }
    }
    text.finish()
}

/// The literal text after the last special character of a pattern.
fn glob_suffix(pattern: &str) -> SmolStr {
    let mut text = String::new();
    let mut chars = pattern.chars();
    while let Some(c) = chars.next() {
        match c {
            '*' | '?' | '[' | ']' => text.clear(),
            '\\' => text.extend(chars.next()),
            _ => text.push(c),
        }
    }
    text.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(text: &str) -> Value {
        Value::Known(text.into())
    }

    fn set(texts: &[&str]) -> Value {
        Value::OneOf(texts.iter().map(SmolStr::new).collect())
    }

    fn affixed(prefix: &str, suffix: &str) -> Value {
        Value::Affixed {
            prefix: prefix.into(),
            suffix: suffix.into(),
        }
    }

    #[test]
    fn joining_keeps_what_both_sides_may_be() {
        let unknown = Value::Unknown(Origin::Input);
        assert_eq!(known("a").join(&known("a"), 4), known("a"));
        assert_eq!(known("b").join(&known("a"), 4), set(&["a", "b"]));
        assert_eq!(
            set(&["a", "b"]).join(&known("c"), 2),
            Value::Unknown(Origin::Limit)
        );
        assert_eq!(known("a").join(&unknown, 4), unknown);
        assert_eq!(known("7").join(&Value::Integer, 4), Value::Integer);
        assert_eq!(set(&["1", "2"]).join(&known("3"), 2), Value::Integer);
        assert_eq!(
            known("src/a.rs").join(&Value::Glob("src/*.rs".into()), 4),
            affixed("src/", ".rs")
        );
    }

    #[test]
    fn common_ends_do_not_overlap() {
        assert_eq!(set(&["aa", "aaa"]).join(&known("aaaa"), 2), affixed("aa", ""));
        assert_eq!(
            known("é").join(&Value::Glob("?".into()), 4),
            Value::Unknown(Origin::Variable)
        );
    }

    #[test]
    fn concatenation_keeps_the_known_ends() {
        let unknown = Value::Unknown(Origin::Input);
        assert_eq!(known("a").concat(&known("b"), 4), known("ab"));
        assert_eq!(set(&["a", "b"]).concat(&known("/x"), 4), set(&["a/x", "b/x"]));
        assert_eq!(
            known("a*").concat(&Value::Glob("*.c".into()), 4),
            Value::Glob("a\\**.c".into())
        );
        assert_eq!(
            known("a/").concat(&unknown, 4).concat(&known("/z"), 4),
            affixed("a/", "/z")
        );
        assert_eq!(unknown.concat(&unknown, 4), unknown);
        assert_eq!(Value::Integer.concat(&known(".txt"), 4), affixed("", ".txt"));
        assert_eq!(
            Value::Below("/p".into()).concat(&known("/a"), 4),
            Value::Below("/p".into())
        );
        assert_eq!(
            Value::Below("/p".into()).concat(&known("/../a"), 4),
            affixed("/p", "/../a")
        );
    }

    #[test]
    fn long_texts_are_widened_to_their_ends() {
        let long = known(&"ab".repeat(MOST_BYTES / 2));
        let ends = "ab".repeat(END_BYTES / 2);
        assert_eq!(long.concat(&known("ab"), 4), affixed(&ends, "ab"));
        assert_eq!(known("x").join(&long, 4), Value::Unknown(Origin::Limit));
    }

    #[test]
    fn questions_are_answered_yes_where_it_is_possible() {
        assert!(affixed("-", "").may_equal("-v") && !affixed("a", "").may_equal("-v"));
        assert!(Value::Unknown(Origin::Input).may_begin("-"));
        assert!(
            Value::Integer.may_begin("-")
                && !Value::Integer.may_equal("")
                && !Value::Integer.may_contain('[')
        );
        assert!(Value::Glob("*".into()).may_begin("-") && !Value::Glob("./*".into()).may_begin("-"));
        assert!(set(&["", "a"]).may_be_empty() && !known("a").may_be_empty());
    }

    #[test]
    fn the_ends_of_a_pattern_are_its_literal_ends() {
        assert_eq!(Value::Glob("a\\*b*c[xy]\\?z".into()).known_prefix(), "a*b");
        assert_eq!(Value::Glob("a\\*b*c[xy]\\?z".into()).known_suffix(), "?z");
    }
}
