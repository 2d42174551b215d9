//! Globs over one piece of text (a path segment, a name, a value).
//!
//! Invariant (normal form): no two [`GlobPiece::Text`] stand side by side, none is empty, and no two
//! [`GlobPiece::AnyText`] stand side by side.

use smol_str::SmolStr;

/// A glob: its pieces in order must cover the whole text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct Glob {
    /// Pieces in order; none at all matches the empty text only.
    pub pieces: Vec<GlobPiece>,
}

/// One piece of a [`Glob`].
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub enum GlobPiece {
    /// These characters.
    Text(SmolStr),
    /// `*`: any characters, none included. In a path segment it never crosses a `/`.
    AnyText,
    /// `?`: one character.
    AnyChar,
    /// `[a-z]`, `[!0-9]`: one character.
    Class(CharClass),
}

/// A set of characters.
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct CharClass {
    /// Whether it is every character but these (`[!...]`, `[^...]`).
    pub negated: bool,
    /// Inclusive ranges as written; a single character is a range of one.
    pub ranges: Vec<(char, char)>,
}

impl CharClass {
    /// Whether a character is in the class.
    #[must_use]
    pub fn contains(&self, c: char) -> bool {
        self.ranges.iter().any(|&(low, high)| (low..=high).contains(&c)) != self.negated
    }
}

impl Glob {
    /// A glob that matches exactly one text.
    #[must_use]
    pub fn exactly(text: &str) -> Self {
        let mut glob = Self::default();
        glob.push_text(text);
        glob
    }

    /// A glob that matches every text.
    #[must_use]
    pub fn any() -> Self {
        Self {
            pieces: vec![GlobPiece::AnyText],
        }
    }

    /// The only text it matches, where there is only one.
    #[must_use]
    pub fn literal(&self) -> Option<&str> {
        match self.pieces.as_slice() {
            [] => Some(""),
            [GlobPiece::Text(text)] => Some(text),
            _ => None,
        }
    }

    /// Whether it matches every text.
    #[must_use]
    pub fn is_any(&self) -> bool {
        self.pieces == [GlobPiece::AnyText]
    }

    pub(crate) fn push_text(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        if let Some(GlobPiece::Text(last)) = self.pieces.last_mut() {
            *last = format!("{last}{text}").into();
        } else {
            self.pieces.push(GlobPiece::Text(text.into()));
        }
    }

    pub(crate) fn push(&mut self, piece: GlobPiece) {
        match piece {
            GlobPiece::Text(text) => self.push_text(&text),
            GlobPiece::AnyText => {
                if self.pieces.last() != Some(&GlobPiece::AnyText) {
                    self.pieces.push(GlobPiece::AnyText);
                }
            }
            GlobPiece::AnyChar | GlobPiece::Class(_) => self.pieces.push(piece),
        }
    }
}
