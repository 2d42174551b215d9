//! Blocks, rules and their conditions.

use smol_str::SmolStr;

use super::{Mode, Outcome, RequestKind};
use crate::pattern::{
    CommandPattern, EnvironmentPattern, FlagPattern, Glob, HostPattern, PathPattern, ProgramPattern,
    ShortRule, Term, WordPattern,
};
use crate::source::Spanned;

/// An `allow`, `ask` or `deny` block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// What its rules do.
    pub effect: Spanned<Outcome>,
    /// Its name, unique in the file: the id of its rules. Without one, a rule's id is file and line.
    pub name: Option<Spanned<SmolStr>>,
    /// Why, for the person who meets the verdict.
    pub because: Option<Spanned<SmolStr>>,
    /// What to do instead.
    pub instead: Option<Spanned<SmolStr>>,
    /// Its rules in order.
    pub rules: Vec<Spanned<Rule>>,
}

/// One rule: it matches a request that one alternative of its subject covers, no exception does, and every condition holds for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// What it governs.
    pub subject: Subject,
    /// Conditions that must all hold.
    pub conditions: Vec<Spanned<Condition>>,
}

/// Patterns, any of which matches, less the exceptions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alternatives<P> {
    /// At least one pattern.
    pub patterns: Vec<Spanned<P>>,
    /// What is taken out again.
    pub except: Vec<Spanned<P>>,
}

/// What a rule governs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    /// Commands by their normalised argv.
    Command(Alternatives<Term<CommandPattern>>),
    /// Reading of paths.
    Read(Alternatives<Term<PathPattern>>),
    /// Creating and changing of paths.
    Write(Alternatives<Term<PathPattern>>),
    /// Deleting of paths.
    Delete(Alternatives<Term<PathPattern>>),
    /// Connections.
    Network(Alternatives<Term<HostPattern>>),
    /// Uses of tools.
    Tool(Alternatives<Glob>),
    /// Environment variables being set.
    Env(Alternatives<EnvironmentPattern>),
    /// Sub-agents by type.
    Agent(Alternatives<Glob>),
    /// Skills by name.
    Skill(Alternatives<Glob>),
    /// Changes of mode.
    Mode(Alternatives<Mode>),
    /// A rule in the short spelling.
    Short(ShortRule),
}

/// A condition of a rule. All but [`Condition::Input`] belong to command rules; that one and [`Condition::Via`] belong to tool rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition {
    /// `flag "-f" "--force"`: one of these flags is given.
    Flag(Vec<Spanned<FlagPattern>>),
    /// `without-flag "-o"`: none of these flags is given.
    WithoutFlag(Vec<Spanned<FlagPattern>>),
    /// `operands within="./target"`: every operand that is a path lies in one of these.
    OperandsWithin(Vec<Spanned<Term<PathPattern>>>),
    /// `operand 1 "origin"`: that operand is one of these words.
    Operand {
        /// Number of the operand, from 1.
        index: Spanned<u16>,
        /// What it may be.
        patterns: Vec<Spanned<WordPattern>>,
    },
    /// `env "NAME"`: one of these variables is set for the command.
    Env(Vec<Spanned<EnvironmentPattern>>),
    /// `cwd "./sub/**"`: the command runs in one of these directories.
    Cwd(Vec<Spanned<Term<PathPattern>>>),
    /// `piped-into "sh" "bash"`: its output goes to one of these programs.
    PipedInto(Vec<Spanned<ProgramPattern>>),
    /// `in-pipeline #false`: whether it stands in a pipeline.
    InPipeline(bool),
    /// `background #false`: whether it runs in the background.
    Background(bool),
    /// `via "WebFetch"`: a step of one of these declared tools does it.
    Via(Vec<Spanned<Glob>>),
    /// `input "field" "glob"`: a field of the tool's input matches one of these.
    Input {
        /// Name of the field.
        field: Spanned<SmolStr>,
        /// What its text may be.
        patterns: Vec<Spanned<Glob>>,
    },
}

impl Subject {
    /// The kind of request it governs; `None` for the short spelling, where one rule can govern several.
    #[must_use]
    pub fn kind(&self) -> Option<RequestKind> {
        match self {
            Self::Command(_) => Some(RequestKind::Command),
            Self::Read(_) => Some(RequestKind::Read),
            Self::Write(_) => Some(RequestKind::Write),
            Self::Delete(_) => Some(RequestKind::Delete),
            Self::Network(_) => Some(RequestKind::Network),
            Self::Tool(_) => Some(RequestKind::Tool),
            Self::Env(_) => Some(RequestKind::Env),
            Self::Agent(_) => Some(RequestKind::Agent),
            Self::Skill(_) => Some(RequestKind::Skill),
            Self::Mode(_) => Some(RequestKind::Mode),
            Self::Short(_) => None,
        }
    }
}

impl<P> Default for Alternatives<P> {
    fn default() -> Self {
        Self {
            patterns: Vec::new(),
            except: Vec::new(),
        }
    }
}
