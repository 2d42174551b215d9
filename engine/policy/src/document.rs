//! The typed policy document: what a KDL or TOML file says, with the place of every value.
//!
//! Invariant (one model): both spellings decode into these types; nothing here depends on which one was read, and two files that say
//! the same give equal documents (places are not compared). Nothing here is resolved: `extends` is not followed and set
//! references are only names.

mod names;
mod rule;
mod session;
mod tools;

pub use names::{CHECK_NAMES, LIMIT_NAMES, Lockable, Mode, Outcome, RequestKind, Severity, Shell};
pub use rule::{Alternatives, Block, Condition, Rule, Subject};
pub use session::SessionSection;
pub use tools::{BudgetLine, BudgetOf, DeferLine, Hook, HookEvent};

use smol_str::SmolStr;

use crate::lint::code::Lint;
use crate::pattern::{CommandPattern, HostPattern, PathPattern, Term};
use crate::source::Spanned;

/// One policy file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Document {
    /// The whole text that it was read from.
    pub whole: Spanned<()>,
    /// `policy "name"`.
    pub name: Option<Spanned<SmolStr>>,
    /// `about "..."`: what the policy is for.
    pub about: Option<Spanned<SmolStr>>,
    /// Files and shipped policies (`builtin:...`) that it builds on, in order.
    pub extends: Vec<Spanned<SmolStr>>,
    /// Files of command definitions that it brings along.
    pub commands: Vec<Spanned<SmolStr>>,
    /// Named sets of patterns.
    pub sets: Vec<Spanned<Set>>,
    /// `allow`, `ask` and `deny` blocks in order.
    pub blocks: Vec<Spanned<Block>>,
    /// Verdicts for requests that no rule matches.
    pub defaults: Defaults,
    /// Severities of the named shell checks.
    pub checks: Vec<CheckSetting>,
    /// Which modes may be used.
    pub modes: Modes,
    /// What layers below may not loosen (only the managed layer may say so).
    pub lock: Vec<Spanned<Lockable>>,
    /// Limits of the shell analysis that differ from the shipped ones.
    pub limits: Vec<LimitSetting>,
    /// Cases that must hold.
    pub tests: Vec<Spanned<TestCase>>,
    /// Lints that are switched off.
    pub lint: Vec<Spanned<LintOff>>,
    /// `sandbox { ... }`, names checked, values not yet read.
    pub sandbox: Vec<Entry>,
    /// `budgets { ... }`: how long results may be.
    pub budgets: Vec<Spanned<BudgetLine>>,
    /// `defer { ... }`: tools whose schemas wait until they are looked for.
    pub defer: Vec<Spanned<DeferLine>>,
    /// `hooks { ... }`: commands that run at events of a session.
    pub hooks: Vec<Spanned<Hook>>,
    /// `session { ... }`: how tools run.
    pub session: SessionSection,
    /// Names of sections of which a part could not be read: what they declare may be missing here.
    pub unread: Vec<&'static str>,
}

/// A named set of patterns of one kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Set {
    /// Name without `@`. Sets of different kinds may not share a name.
    pub name: Spanned<SmolStr>,
    /// Its patterns.
    pub members: SetMembers,
}

/// The patterns of a [`Set`]; a set may name other sets of its kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SetMembers {
    /// `paths "name" ...`.
    Paths(Alternatives<Term<PathPattern>>),
    /// `hosts "name" ...`.
    Hosts(Alternatives<Term<HostPattern>>),
    /// `commands "name" ...`.
    Commands(Alternatives<Term<CommandPattern>>),
}

/// `default { ... }`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Defaults {
    /// Verdict per kind of request, each kind at most once.
    pub kinds: Vec<(Spanned<RequestKind>, Spanned<Outcome>)>,
    /// What becomes of `ask` where nobody can be asked.
    pub headless: Option<Spanned<Outcome>>,
}

/// One line of `checks { ... }`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckSetting {
    /// One of [`CHECK_NAMES`].
    pub check: Spanned<SmolStr>,
    /// What a finding does.
    pub severity: Spanned<Severity>,
}

/// One line of `limits { ... }`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LimitSetting {
    /// One of [`LIMIT_NAMES`].
    pub limit: Spanned<SmolStr>,
    /// The count, above zero.
    pub value: Spanned<u32>,
}

/// `modes { ... }`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Modes {
    /// Modes and whether they may be used, each mode at most once.
    pub rules: Vec<(Spanned<Mode>, Spanned<Outcome>)>,
    /// The mode that a session starts in.
    pub start: Option<Spanned<Mode>>,
}

/// One lint of one line of `lint { ... }`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LintOff {
    /// The lint.
    pub lint: Spanned<Lint>,
    /// The block in which it is off; the whole file without one.
    pub block: Option<Spanned<SmolStr>>,
    /// Why, for whoever reads the policy.
    pub because: Spanned<SmolStr>,
}

/// One line of `tests { ... }`: calls that must get one verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestCase {
    /// The verdict they must get.
    pub verdict: Spanned<Outcome>,
    /// The calls.
    pub calls: TestCalls,
    /// The rule (block name) that must be among the reasons.
    pub rule: Option<Spanned<SmolStr>>,
    /// Working directory, relative to the project.
    pub cwd: Option<Spanned<SmolStr>>,
    /// The declared tool whose step makes the calls.
    pub via: Option<Spanned<SmolStr>>,
    /// Mode that is on.
    pub mode: Option<Spanned<Mode>>,
    /// Shell that would run the commands.
    pub shell: Option<Spanned<Shell>>,
}

/// The calls of a [`TestCase`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TestCalls {
    /// Shell commands, each a call of its own.
    Commands(Vec<Spanned<SmolStr>>),
    /// One call of a tool.
    Tool {
        /// Name of the tool.
        name: Spanned<SmolStr>,
        /// Fields of its input.
        input: Vec<(Spanned<SmolStr>, Spanned<Scalar>)>,
    },
}

/// A plain value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Scalar {
    /// Text.
    Text(SmolStr),
    /// A whole number.
    Integer(i64),
    /// `#true` or `#false`.
    Boolean(bool),
}

/// A checked but not yet interpreted line of a section that a later stage reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Name of the line, one that the section knows.
    pub name: Spanned<SmolStr>,
    /// Arguments in order.
    pub arguments: Vec<Spanned<Scalar>>,
    /// Properties in order, each name once.
    pub properties: Vec<(Spanned<SmolStr>, Spanned<Scalar>)>,
}
