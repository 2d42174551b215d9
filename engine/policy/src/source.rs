//! Texts that policies come from, and places inside them.
//!
//! Invariant (every value has a place): each value of a [`Document`](crate::Document) knows the file and the bytes that said
//! it, so that every later stage can underline them.

use std::sync::Arc;

use engine_shell::Span;

/// Number of a text in [`Sources`].
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
)]
pub struct SourceId(u16);

impl SourceId {
    /// Position of the text in the order of loading.
    #[must_use]
    pub fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// Bytes of one text.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
)]
pub struct Place {
    /// The text.
    pub source: SourceId,
    /// The bytes.
    pub span: Span,
}

impl Place {
    /// The same text, other bytes.
    #[must_use]
    pub fn at(self, span: Span) -> Self {
        Self { span, ..self }
    }
}

/// A value and the place that said it.
///
/// Equality, order and hash look at the value alone: two documents that say the same at different places are equal.
#[derive(Clone, Copy, Debug, Default)]
pub struct Spanned<T> {
    /// What was said.
    pub value: T,
    /// Where.
    pub place: Place,
}

impl<T> Spanned<T> {
    /// Joins a value with its place.
    pub fn new(value: T, place: Place) -> Self {
        Self { value, place }
    }

    /// Another value at the same place.
    pub fn map<U>(self, f: impl FnOnce(T) -> U) -> Spanned<U> {
        Spanned {
            value: f(self.value),
            place: self.place,
        }
    }

    /// The same place with a borrowed value.
    pub fn as_ref(&self) -> Spanned<&T> {
        Spanned {
            value: &self.value,
            place: self.place,
        }
    }
}

impl<T: PartialEq> PartialEq for Spanned<T> {
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}

impl<T: Eq> Eq for Spanned<T> {}

impl<T: PartialOrd> PartialOrd for Spanned<T> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        self.value.partial_cmp(&other.value)
    }
}

impl<T: Ord> Ord for Spanned<T> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.value.cmp(&other.value)
    }
}

impl<T: std::hash::Hash> std::hash::Hash for Spanned<T> {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.value.hash(state);
    }
}

/// One text with the name a person knows it by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// File path as given, or a name such as `builtin:base`.
    pub name: Arc<str>,
    /// The whole text.
    pub text: Arc<str>,
}

/// Line and column of a byte, both counted from 1; columns count characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LineColumn {
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
}

/// Every text that was read, in the order of reading.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sources {
    texts: Vec<Source>,
    /// Where the lines of each text begin, its first one left out.
    lines: Vec<Vec<usize>>,
}

impl Sources {
    /// Most texts that one policy may be made of.
    pub const MAX_TEXTS: usize = 1 << 10;

    /// No texts.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Keeps a text. `None` when [`Sources::MAX_TEXTS`] are kept already.
    pub fn add(&mut self, name: &str, text: &str) -> Option<SourceId> {
        if self.texts.len() >= Self::MAX_TEXTS {
            return None;
        }
        let id = SourceId(u16::try_from(self.texts.len()).ok()?);
        self.lines
            .push(text.match_indices('\n').map(|(at, _)| at + 1).collect());
        self.texts.push(Source {
            name: name.into(),
            text: text.into(),
        });
        Some(id)
    }

    /// The text of a number that these sources gave out.
    #[must_use]
    pub fn get(&self, id: SourceId) -> Option<&Source> {
        self.texts.get(id.index())
    }

    /// All texts in order.
    pub fn iter(&self) -> impl Iterator<Item = &Source> {
        self.texts.iter()
    }

    /// The numbers of all texts, in the same order.
    pub fn ids(&self) -> impl Iterator<Item = SourceId> {
        (0u16..).zip(&self.texts).map(|(number, _)| SourceId(number))
    }

    /// Name of the text that holds a place, empty when it is not one of these.
    #[must_use]
    pub fn name(&self, place: Place) -> &str {
        self.get(place.source).map_or("", |source| &source.name)
    }

    /// The characters at a place, empty when it lies outside.
    #[must_use]
    pub fn text(&self, place: Place) -> &str {
        self.get(place.source)
            .map_or("", |source| place.span.of(&source.text))
    }

    /// `file:line` of a place: the name of a rule that has none.
    #[must_use]
    pub fn at(&self, place: Place) -> String {
        format!("{}:{}", self.name(place), self.line_column(place).line)
    }

    /// Line and column of the first byte of a place.
    #[must_use]
    pub fn line_column(&self, place: Place) -> LineColumn {
        let at = place.span.start as usize;
        let starts = self
            .lines
            .get(place.source.index())
            .map_or(&[][..], Vec::as_slice);
        let line = starts.partition_point(|start| *start <= at);
        let start = line.checked_sub(1).and_then(|before| starts.get(before)).copied();
        let before = self
            .get(place.source)
            .and_then(|source| source.text.get(start.unwrap_or_default()..at))
            .unwrap_or_default();
        LineColumn {
            line: line + 1,
            column: before.chars().count() + 1,
        }
    }
}
