//! What a plan says about tools beyond rules: hooks, budgets, deferral.
//!
//! Invariant (of the trusted alone): no hook in a plan comes from a file that may not loosen; what such a file says about budgets only
//! lowers them, and about deferral only adds to it.

use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

use super::Plan;
use crate::document::{HookEvent, Outcome};
use crate::layer::Layer;
use crate::pattern::Glob;

/// Milliseconds after which a hook is ended that has no time of its own.
pub(super) const HOOK_TIMEOUT_MS: u32 = 60_000;

/// A hook that runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanHook {
    /// When it runs.
    pub event: HookEvent,
    /// For which names: see [`Matcher`](crate::Matcher). All, without one.
    pub matchers: Vec<SmolStr>,
    /// The command, a text for the shell.
    pub run: SmolStr,
    /// Milliseconds until it is ended.
    pub timeout_ms: u32,
    /// What becomes of what it watches where it fails.
    pub on_error: Outcome,
    /// Whose it is.
    pub layer: Layer,
    /// Whether it may stand in for a person: its layer may say `allow`.
    pub may_allow: bool,
    /// The file that declares it.
    pub file: SmolStr,
    /// The line there, from 1.
    pub line: u32,
}

/// How long results may be, as far as policies say it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanBudgets {
    pub(super) lines: Vec<PlanBudget>,
    pub(super) message: Option<u32>,
    pub(super) message_cap: Option<u32>,
}

/// What is said about the results of some tools.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanBudget {
    /// The tools.
    pub tools: Glob,
    /// At most so many characters; `None` is all of them.
    pub chars: Option<u32>,
    /// What becomes of what was said before.
    pub says: Says,
}

/// How a line counts beside those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Says {
    /// It takes the place of what was said before.
    Sets,
    /// The same, and nobody gets more.
    Fixes,
    /// It only makes it less.
    Lowers,
}

/// The budget of one tool.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ToolBudget {
    /// In the place of what its definition says, where policies say anything: characters, or all of them.
    pub said: Option<Option<u32>>,
    /// Never more than this.
    pub cap: Option<u32>,
}

/// Whether some tools are deferred.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanDefer {
    /// The tools.
    pub tools: Glob,
    /// Their schemas wait until they are looked for; otherwise they are shown at once.
    pub defers: bool,
}

/// How tools run in a session.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanSession {
    /// All commands run in one shell that stays.
    pub persistent: bool,
    /// Directories beside the project in which a session may stay, as they are written.
    pub directories: Vec<SmolStr>,
    /// Milliseconds after which a command goes on in the background; never without them.
    pub foreground_ms: Option<u32>,
    /// Searches do not follow ignore files.
    pub everything: bool,
    /// There are `Bash`, `Read` and `Edit` alone.
    pub simple: bool,
    /// Settings that definitions of tools ask for, with their values.
    pub settings: Vec<(SmolStr, SmolStr)>,
    /// Optional parts that are switched on.
    pub features: Vec<SmolStr>,
}

impl PlanBudgets {
    /// What is said about a tool.
    #[must_use]
    pub fn of_tool(&self, name: &str) -> ToolBudget {
        let mut budget = ToolBudget::default();
        for line in self.lines.iter().filter(|line| line.tools.matches(name)) {
            match (line.says, line.chars) {
                (Says::Sets, chars) => budget.said = Some(chars),
                (Says::Fixes, chars) => (budget.said, budget.cap) = (Some(chars), chars),
                (Says::Lowers, Some(chars)) => {
                    budget.cap = Some(budget.cap.map_or(chars, |cap| cap.min(chars)));
                }
                (Says::Lowers, None) => {}
            }
        }
        budget
    }

    /// Every line, the weakest first.
    #[must_use]
    pub fn lines(&self) -> &[PlanBudget] {
        &self.lines
    }

    /// Characters of all results of a turn, where policies say it.
    #[must_use]
    pub fn message(&self) -> Option<u32> {
        self.message
    }

    /// Never more than this in a turn.
    #[must_use]
    pub fn message_cap(&self) -> Option<u32> {
        self.message_cap
    }
}

impl Plan {
    /// The hooks that run, in the order of their layers and files.
    #[must_use]
    pub fn hooks(&self) -> &[PlanHook] {
        &self.hooks
    }

    /// How tools run in a session.
    #[must_use]
    pub fn session(&self) -> &PlanSession {
        &self.session
    }

    /// How long results may be.
    #[must_use]
    pub fn budgets(&self) -> &PlanBudgets {
        &self.budgets
    }

    /// Whether the schema of a tool waits until it is looked for; `None` where no policy says it.
    #[must_use]
    pub fn defers(&self, name: &str) -> Option<bool> {
        let said = self.deferred.iter().rev();
        said.filter(|line| line.tools.matches(name))
            .map(|line| line.defers)
            .next()
    }

    /// What policies say about deferral; of several lines for a tool the last one holds.
    #[must_use]
    pub fn deferral(&self) -> &[PlanDefer] {
        &self.deferred
    }
}
