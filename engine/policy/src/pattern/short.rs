//! The short spelling known from other agents: `Bash(npm run test:*)`, `Read(./docs/**)`, `WebFetch(domain:example.org)`.
//!
//! It keeps its own habits, which differ from those of command and path patterns; the types say how.

use smol_str::SmolStr;

use super::{EnvironmentPattern, Glob, HostPattern, PathPattern};

/// One rule in the short spelling.
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct ShortRule {
    /// The rule as written.
    pub text: SmolStr,
    /// The tool it names, as written (`Bash`, `Edit`, `mcp__github__get_*`): calls of that tool need no further rule for
    /// the use of the tool itself.
    pub tool: SmolStr,
    /// What it governs.
    pub subject: ShortSubject,
}

/// What a [`ShortRule`] governs.
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub enum ShortSubject {
    /// `Bash(...)`: commands by their text.
    Command(TextPattern),
    /// `Read(...)`, `Grep(...)`, `Glob(...)`: every way to read. Without parentheses, of every path.
    Read(PathPattern),
    /// `Write(...)`, `Edit(...)`: every way to create, change or delete. Without parentheses, of every path.
    Change(PathPattern),
    /// `WebFetch(domain:...)`: connections to a host.
    Network(HostPattern),
    /// A tool name or glob without parentheses: every use of the tool.
    Tool(Glob),
    /// `Agent(type)`.
    Agent(Glob),
    /// `Skill(name)`.
    Skill(Glob),
}

/// A pattern over the text of one simple command, its words joined by single blanks.
///
/// Blanks in the pattern are single already, with none at either end.
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct TextPattern {
    /// Assignments that stand before the program (`CI=true node ace test`): all must be there.
    pub environment: Vec<EnvironmentPattern>,
    /// Pieces in order that must cover the text up to its [`TextPattern::end`].
    pub pieces: Vec<TextPiece>,
    /// What may follow.
    pub end: TextEnd,
}

/// One piece of a [`TextPattern`].
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub enum TextPiece {
    /// These characters.
    Text(SmolStr),
    /// `*`: any text, further words and no text included.
    AnyText,
}

/// What may follow the pieces of a [`TextPattern`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub enum TextEnd {
    /// Nothing.
    Exact,
    /// `:*`, or a last ` *` that is the only star: nothing, or a blank and anything.
    AnyWords,
}

impl TextPattern {
    /// Whether it matches every command, as `Bash` and `Bash(*)` do.
    #[must_use]
    pub fn is_every(&self) -> bool {
        self.environment.is_empty() && self.pieces == [TextPiece::AnyText]
    }
}
