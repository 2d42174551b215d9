//! What may keep a search from answering, in words that whoever asked can act on.
//!
//! Invariant: a file that cannot be read is no error, it is counted in the answer; these here leave no answer at all.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

/// Why a search has no answer.
#[derive(Debug, Error)]
pub enum SearchError {
    /// The regular expression is wrong, or too large.
    #[error("{0}")]
    Pattern(PatternError),
    /// A pattern of file names is wrong.
    #[error("`{pattern}` is no pattern of file names: {reason}")]
    Glob {
        /// As it was given.
        pattern: String,
        /// What is wrong with it.
        reason: String,
    },
    /// No such type of files is known.
    #[error("no type of files is named `{name}`{}", near(nearest))]
    UnknownType {
        /// As it was given.
        name: String,
        /// Names that look like it, nearest first.
        nearest: Vec<String>,
    },
    /// What is to be searched cannot be.
    #[error("`{}` {problem}", path.display())]
    Root {
        /// As it was given.
        path: PathBuf,
        /// What is the matter with it.
        problem: RootProblem,
    },
    /// The caller ended the search.
    #[error("the search was cancelled")]
    Cancelled,
}

/// What is the matter with the folder or file that is to be searched.
#[derive(Debug, Error)]
pub enum RootProblem {
    /// Nothing has this name.
    #[error("does not exist")]
    Missing,
    /// It is a link, or lies behind one, though links were resolved when it was decided.
    #[error("leads through a link that was not there when the path was decided")]
    Link,
    /// It is relative, or goes back up.
    #[error("is not an absolute path without `..`")]
    NotResolved,
    /// A device, a FIFO, a socket.
    #[error("is neither a file nor a folder")]
    NeitherFileNorFolder,
    /// Names are searched in folders only.
    #[error("is a file, not a folder")]
    NotAFolder,
    /// It may not be seen.
    #[error("may not be read")]
    NotVisible,
    /// The system refuses.
    #[error("cannot be opened: {0}")]
    System(io::Error),
}

/// A regular expression that is wrong: where, why, and what to write instead.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("`{pattern}` is no regular expression{}: {reason}{}", place(*position), advice(hint.as_deref()))]
pub struct PatternError {
    pub(super) pattern: String,
    pub(super) position: Option<usize>,
    pub(super) reason: String,
    pub(super) hint: Option<String>,
}

impl PatternError {
    /// The character at which it is wrong, the first being 1; none where it is wrong as a whole.
    #[must_use]
    pub fn position(&self) -> Option<usize> {
        self.position
    }

    /// What to write instead, where that can be told.
    #[must_use]
    pub fn hint(&self) -> Option<&str> {
        self.hint.as_deref()
    }
}

fn place(position: Option<usize>) -> String {
    position
        .map(|at| format!(" at position {at}"))
        .unwrap_or_default()
}

fn advice(hint: Option<&str>) -> String {
    hint.map(|hint| format!(" (hint: {hint})")).unwrap_or_default()
}

fn near(nearest: &[String]) -> String {
    if nearest.is_empty() {
        return String::new();
    }
    let names: Vec<String> = nearest.iter().map(|name| format!("`{name}`")).collect();
    format!("; did you mean {}?", names.join(" or "))
}
