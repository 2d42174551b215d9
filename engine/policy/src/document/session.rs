//! `session { ... }`: what a policy says of the sessions in which tools run.
//!
//! Invariant (read means sound): a time is between a millisecond and ten minutes, a directory says what it is relative to, and a name is
//! one that templates can ask for.

use smol_str::SmolStr;

use crate::source::Spanned;

/// What a file says of sessions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SessionSection {
    /// All commands run in one shell that stays.
    pub persistent: Option<Spanned<bool>>,
    /// Directories beside the project in which a session may stay: absolute, below `~/`, or relative to the project.
    pub directories: Vec<Spanned<SmolStr>>,
    /// Milliseconds after which a command goes on in the background.
    pub foreground_ms: Option<Spanned<u32>>,
    /// Searches follow ignore files.
    pub ignore_files: Option<Spanned<bool>>,
    /// There are `Bash`, `Read` and `Edit` alone.
    pub simple: Option<Spanned<bool>>,
    /// Settings that definitions of tools ask for, with their values.
    pub settings: Vec<(Spanned<SmolStr>, Spanned<SmolStr>)>,
    /// Optional parts that are switched on.
    pub features: Vec<Spanned<SmolStr>>,
    /// Every line.
    pub lines: Vec<Spanned<()>>,
}
