//! Patterns: what rules are written with.
//!
//! Each kind of pattern is parsed once, when a file is read, into the types below; nothing later looks at pattern text
//! again. No pattern does I/O, knows the home directory, or matches anything by itself: the plan does that.

mod command;
mod glob;
mod host;
mod path;
mod short;

pub use command::{
    CommandPart, CommandPattern, EnvironmentPattern, FlagPattern, ProgramPattern, WordPattern, WordPiece,
};
pub use glob::{CharClass, Glob, GlobPiece};
pub use host::{HostName, HostPattern};
pub use path::{PathAnchor, PathPattern, PathReach, PathSegment};
pub use short::{ShortRule, ShortSubject, TextEnd, TextPattern, TextPiece};

use smol_str::SmolStr;

/// A pattern, or the name of a set of patterns (`@secrets`).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Term<P> {
    /// Every pattern of the named set, less the set's exceptions. Whether the set exists is checked when the plan is made.
    Set(SmolStr),
    /// The pattern itself.
    Pattern(P),
}
