//! What is wrong inside a pattern.

use std::ops::Range;

use crate::diagnostic::Level;

/// A problem at some bytes of a pattern's text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatternProblem {
    /// Whether the pattern can be used.
    pub level: Level,
    /// Stable name, such as `policy::command-pattern`.
    pub code: &'static str,
    /// Bytes of the pattern's text.
    pub range: Range<usize>,
    /// What is wrong, one line.
    pub message: String,
    /// What to write instead.
    pub help: Option<String>,
}

impl PatternProblem {
    pub(crate) fn error(code: &'static str, range: Range<usize>, message: impl Into<String>) -> Self {
        Self {
            level: Level::Error,
            code,
            range,
            message: message.into(),
            help: None,
        }
    }

    pub(crate) fn warning(code: &'static str, range: Range<usize>, message: impl Into<String>) -> Self {
        Self {
            level: Level::Warning,
            ..Self::error(code, range, message)
        }
    }

    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// The same problem in a text that has `offset` bytes more in front.
    pub(crate) fn shift(mut self, offset: usize) -> Self {
        self.range = self.range.start + offset..self.range.end + offset;
        self
    }
}

/// A pattern with the warnings about it, or what keeps it from being one.
pub type Parsed<P> = Result<(P, Vec<PatternProblem>), PatternProblem>;
