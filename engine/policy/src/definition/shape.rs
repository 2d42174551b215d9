//! Which part of a value is a path, and how a name is made from it: plain data, as a definition says it.
//!
//! Invariant (closed model): everything here survives serialisation.

use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

/// Which part of a value an effect is about, and how the program reads that part.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent facts about one value, each named in the file"
)]
pub struct Shape {
    /// Only if the value begins with this, which is cut off.
    pub at: Option<SmolStr>,
    /// What `at` says belongs to the path and stays.
    pub keep: bool,
    /// `at` is compared without regard to case.
    pub fold: bool,
    /// The path is what follows this text inside the value.
    pub after: Option<SmolStr>,
    /// It is what follows each occurrence of that text.
    pub every: bool,
    /// It ends before the first of these characters.
    pub before: Option<SmolStr>,
    /// It is several, with one of these characters between.
    pub list: Option<SmolStr>,
    /// With one of these characters in it, the program reads it otherwise: it may be any path.
    pub special: Option<SmolStr>,
    /// It is a URL, and the path is that of one with the scheme `file`.
    pub url: bool,
}

/// How a name is made from a value.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Renaming {
    /// What is put at its end.
    pub suffix: Option<SmolStr>,
    /// The option whose value is put at its end instead.
    pub suffix_from: Option<SmolStr>,
    /// Endings that are taken off, each with what takes its place.
    pub without: Vec<(SmolStr, SmolStr)>,
    /// The option whose value is taken off, too.
    pub without_from: Option<SmolStr>,
    /// The program puts something of its own at the end.
    pub open: bool,
}

impl Renaming {
    /// Whether the value is a name by itself.
    #[must_use]
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }
}
