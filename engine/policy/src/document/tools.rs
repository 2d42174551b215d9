//! What a policy says about tools beyond rules: hooks, budgets of results, and which tools are deferred.
//!
//! Invariant (read means sound): a matcher compiles, a time is between a millisecond and ten minutes, and a size is one number of
//! characters, whichever unit a file counts in.

use smol_str::SmolStr;

use super::Outcome;
use crate::pattern::Glob;
use crate::source::Spanned;

/// When a hook runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
pub enum HookEvent {
    /// Before a call is decided.
    Before,
    /// After a call that went well.
    After,
    /// After a call that failed or was refused.
    AfterFailure,
    /// When a person has sent a prompt.
    Prompt,
    /// When a session starts.
    Start,
    /// When a session ends.
    End,
    /// When the agent means to stop.
    Stop,
    /// When a sub-agent means to stop.
    SubagentStop,
    /// When a task was created.
    TaskCreated,
}

impl HookEvent {
    /// Every event with its word in policies and its name in what hooks are told.
    pub const ALL: &'static [(&'static str, &'static str, Self)] = &[
        ("before", "PreToolUse", Self::Before),
        ("after", "PostToolUse", Self::After),
        ("after-failure", "PostToolUseFailure", Self::AfterFailure),
        ("prompt", "UserPromptSubmit", Self::Prompt),
        ("start", "SessionStart", Self::Start),
        ("end", "SessionEnd", Self::End),
        ("stop", "Stop", Self::Stop),
        ("subagent-stop", "SubagentStop", Self::SubagentStop),
        ("task-created", "TaskCreated", Self::TaskCreated),
    ];

    /// The word in policies.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.row().0
    }

    /// The name in what hooks are told.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.row().1
    }

    fn row(self) -> (&'static str, &'static str) {
        match self {
            Self::Before => ("before", "PreToolUse"),
            Self::After => ("after", "PostToolUse"),
            Self::AfterFailure => ("after-failure", "PostToolUseFailure"),
            Self::Prompt => ("prompt", "UserPromptSubmit"),
            Self::Start => ("start", "SessionStart"),
            Self::End => ("end", "SessionEnd"),
            Self::Stop => ("stop", "Stop"),
            Self::SubagentStop => ("subagent-stop", "SubagentStop"),
            Self::TaskCreated => ("task-created", "TaskCreated"),
        }
    }

    /// What its matchers look at; `None` where it has none.
    #[must_use]
    pub fn matches_on(self) -> Option<&'static str> {
        match self {
            Self::Before | Self::After | Self::AfterFailure => Some("the tool"),
            Self::Start => Some("what started it"),
            Self::End => Some("why it ends"),
            Self::SubagentStop => Some("the type of agent"),
            Self::Prompt | Self::Stop | Self::TaskCreated => None,
        }
    }
}

/// One line of `hooks { ... }`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hook {
    /// When it runs.
    pub event: Spanned<HookEvent>,
    /// For which tools (or starts, ends, agents): exact names, `A|B`, regular expressions, `*`. All, without one.
    pub matchers: Vec<Spanned<SmolStr>>,
    /// The command, a text for the shell.
    pub run: Spanned<SmolStr>,
    /// Milliseconds until it is ended.
    pub timeout_ms: Option<Spanned<u32>>,
    /// What becomes of what it watches where it fails.
    pub on_error: Option<Spanned<Outcome>>,
}

/// One line of `budgets { ... }`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BudgetLine {
    /// Whose results.
    pub of: BudgetOf,
    /// At most so many characters; `None` is all of them.
    pub chars: Spanned<Option<u32>>,
}

/// What a budget is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BudgetOf {
    /// Each result of some tools.
    Tools(Vec<Spanned<Glob>>),
    /// All results of one turn.
    Message(Spanned<()>),
}

impl BudgetOf {
    /// Where it stands.
    #[must_use]
    pub fn place(&self) -> crate::source::Place {
        match self {
            Self::Tools(names) => names.first().map(|name| name.place).unwrap_or_default(),
            Self::Message(word) => word.place,
        }
    }
}

/// One line of `defer { ... }`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeferLine {
    /// Whether they are deferred (`tool`), or shown at once (`except`).
    pub defers: Spanned<bool>,
    /// The tools.
    pub tools: Vec<Spanned<Glob>>,
}
