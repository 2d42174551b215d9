//! What is wrong with a definition file.

use std::ops::Range;

use crate::names;

/// One problem, with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// What is wrong, one line.
    pub message: String,
    /// Short text for the place; may be empty.
    pub label: String,
    /// What to write instead.
    pub help: Option<String>,
    /// Byte offsets in the file.
    pub span: Range<usize>,
    /// Whether the definition can be used all the same.
    pub weight: Weight,
}

/// How bad a [`Problem`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weight {
    /// A word of a published specification that is not known: what it says is not used.
    Warning,
    /// The file cannot be used.
    Error,
}

impl Problem {
    /// Line and column of its place, both from 1.
    #[must_use]
    pub fn place(&self, text: &str) -> (usize, usize) {
        let before = text.get(..self.span.start).unwrap_or(text);
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        (line, column)
    }

    /// `file:line:col: message (help)`, one line.
    #[must_use]
    pub fn line(&self, file: &str, text: &str) -> String {
        let (line, column) = self.place(text);
        let mut out = format!("{file}:{line}:{column}: {}", self.message);
        if !self.label.is_empty() {
            out.push_str(": ");
            out.push_str(&self.label);
        }
        if let Some(help) = &self.help {
            out.push_str(" (");
            out.push_str(help);
            out.push(')');
        }
        out
    }
}

/// `did you mean ...` for the nearest of `known`, if one is near.
pub(super) fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<String> {
    names::nearest(name, known).map(|candidate| format!("did you mean `{candidate}`?"))
}
