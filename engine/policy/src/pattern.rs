//! Patterns: what rules are written with.
//!
//! Each kind of pattern is parsed once, when a file is read, into the types below; nothing later looks at pattern text
//! again. No pattern does I/O, knows the home directory, or matches anything by itself: the plan does that.

mod command;
mod fold;
mod glob;
mod host;
mod path;
mod problem;
mod short;

pub use command::{
    CommandPart, CommandPattern, EnvironmentPattern, FlagPattern, ProgramPattern, WordPattern, WordPiece,
};
pub(crate) use fold::{fold_char, folded};
pub use glob::{CharClass, Glob, GlobPiece};
pub(crate) use glob::{Piece, wildcards_match};
pub use host::{HostName, HostPattern};
pub use path::{PathAnchor, PathPattern, PathReach, PathSegment};
pub use problem::{Parsed, PatternProblem};
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

impl<P> Term<P> {
    /// Reads `@name`, or a pattern by its own parser.
    pub fn parse(text: &str, pattern: impl FnOnce(&str) -> Parsed<P>) -> Parsed<Self> {
        match text.strip_prefix('@') {
            Some(name) if is_set_name(name) => Ok((Self::Set(name.into()), Vec::new())),
            Some(name) => Err(PatternProblem::error(
                "policy::set-name",
                0..text.len(),
                format!("`{name}` cannot be the name of a set"),
            )
            .help("a set is named with letters, digits, `-`, `_` and `.`; it stands alone, without a path or further words")),
            None => pattern(text).map(|(pattern, warnings)| (Self::Pattern(pattern), warnings)),
        }
    }
}

/// Whether a text can name a set or a block: letters, digits, `-`, `_` and `.`.
#[must_use]
pub fn is_set_name(name: &str) -> bool {
    !name.is_empty()
        && name
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.'))
}
