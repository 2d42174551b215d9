//! What is wrong with a policy file: every problem with its places, in one list.

use crate::source::Place;

/// A problem found while reading or compiling a policy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Whether the file can be used at all.
    pub level: Level,
    /// Stable name, such as `policy::unknown-node`.
    pub code: &'static str,
    /// What is wrong, one line.
    pub message: String,
    /// Where, the main place first; each with a short text that may be empty.
    pub labels: Vec<(Place, String)>,
    /// What to write instead.
    pub help: Option<String>,
}

/// How bad a [`Diagnostic`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// The file is used; something in it is probably not what its author meant.
    Warning,
    /// The file cannot be used.
    Error,
}
