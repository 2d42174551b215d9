//! Byte spans into one text.
//!
//! Invariant (spans inside): every span a public function of this crate returns lies inside the text it was given and on
//! character boundaries; a property test holds it.

use serde::{Deserialize, Serialize};

/// A half-open range of byte offsets into the text it was made for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Span {
    /// Offset of the first byte.
    pub start: u32,
    /// Offset after the last byte.
    pub end: u32,
}

impl Span {
    /// Makes a span; offsets beyond `u32::MAX` saturate (texts are limited to 1 MiB).
    #[must_use]
    pub fn new(start: usize, end: usize) -> Self {
        let clamp = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        Self {
            start: clamp(start),
            end: clamp(end),
        }
    }

    /// Smallest span that holds both.
    #[must_use]
    pub fn to(self, other: Self) -> Self {
        Self {
            start: self.start.min(other.start),
            end: self.end.max(other.end),
        }
    }

    /// The bytes of `text` under this span, or the empty string when it lies outside.
    #[must_use]
    pub fn of(self, text: &str) -> &str {
        text.get(self.start as usize..self.end as usize)
            .unwrap_or_default()
    }

    /// Length in bytes.
    #[must_use]
    pub fn len(self) -> usize {
        self.end.saturating_sub(self.start) as usize
    }

    /// Whether the span holds no byte.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.end <= self.start
    }
}
