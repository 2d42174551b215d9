//! Case: what file systems that do not tell names apart by case make of a name.
//!
//! Invariant (never apart): two names that differ by case alone are the same folded. That more are is no harm, since what is told by folded
//! names is never certain, and an exception of what forbids counts only as it is written. Names that file systems take for one for other reasons
//! (accents put together or apart, characters without a shape) are not met here.
//!
//! Source: the Unicode Standard, section 5.18, "Case Mappings": case folding maps what differs by case alone to one text. By way of the upper
//! case the letters that only meet there (`ſ` and `s`, `ß` and `ss`) meet, too.

use std::borrow::Cow;

use smol_str::SmolStr;

use super::{CharClass, Glob, GlobPiece, PathSegment};

/// A character without regard to case.
pub(crate) fn fold_char(c: char) -> impl Iterator<Item = char> {
    c.to_uppercase().flat_map(char::to_lowercase)
}

/// A text without regard to case.
pub(crate) fn folded(text: &str) -> Cow<'_, str> {
    if text.bytes().all(|b| b.is_ascii() && !b.is_ascii_uppercase()) {
        return Cow::Borrowed(text);
    }
    if text.is_ascii() {
        return Cow::Owned(text.to_ascii_lowercase());
    }
    Cow::Owned(text.chars().flat_map(fold_char).collect())
}

impl PathSegment {
    /// The same without regard to case, for names that are folded.
    pub(crate) fn folded(&self) -> Self {
        match self {
            Self::AnyDepth => Self::AnyDepth,
            Self::Name(glob) => Self::Name(glob.folded()),
        }
    }
}

impl Glob {
    fn folded(&self) -> Self {
        let pieces = self.pieces.iter().map(|piece| match piece {
            GlobPiece::Text(text) => GlobPiece::Text(SmolStr::from(folded(text))),
            GlobPiece::AnyText => GlobPiece::AnyText,
            GlobPiece::AnyChar => GlobPiece::AnyChar,
            GlobPiece::Class(class) => class.folded().map_or(GlobPiece::AnyChar, GlobPiece::Class),
        });
        Self {
            pieces: pieces.collect(),
        }
    }
}

impl CharClass {
    /// The same for characters that are folded; `None` where that may be any.
    fn folded(&self) -> Option<Self> {
        let capitals = |&(low, high): &(char, char)| (low.max('A'), high.min('Z'));
        let mut ranges = self.ranges.clone();
        if ranges.iter().any(|(_, high)| !high.is_ascii()) {
            return None;
        }
        for (low, high) in self.ranges.iter().map(capitals).filter(|(low, high)| low <= high) {
            if self.negated {
                return None;
            }
            ranges.push((low.to_ascii_lowercase(), high.to_ascii_lowercase()));
        }
        Some(Self {
            negated: self.negated,
            ranges,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::folded;
    use crate::pattern::Glob;

    #[test]
    fn names_that_differ_by_case_are_the_same_folded() {
        for (one, other) in [
            (".ENV", ".env"),
            ("CLAUDE.md", "claude.MD"),
            (".ſsh", ".SSH"),
            ("\u{212a}ey", "key"),
            ("Straße", "STRASSE"),
            ("ÉTÉ", "été"),
            ("ΟΔΟΣ", "οδος"),
        ] {
            assert_eq!(folded(one), folded(other), "{one} {other}");
        }
        assert_ne!(folded("a_b"), folded("a-b"));
        assert!(matches!(folded("plain.txt"), std::borrow::Cow::Borrowed(_)));
    }

    #[test]
    fn a_folded_glob_matches_what_is_folded() {
        let glob = |text: &str| Glob::parse(text).unwrap().0.folded();
        for (pattern, name, matches) in [
            ("CLAUDE*.md", "claude.local.md", true),
            ("[A-C]x", "bx", true),
            ("[A-C]x", "dx", false),
            ("[!A-C]x", "bx", true),
            ("[!a-c]x", "bx", false),
            ("[é]x", "Éx", true),
            ("[a-c]x", "dx", false),
            ("[@-z]X", "qx", true),
            ("README", "readme.md", false),
        ] {
            assert_eq!(glob(pattern).matches(name), matches, "{pattern} {name}");
        }
    }
}
