//! Hooks: commands of the policy that run at events of a session, and may refuse, change or add to what happens.
//!
//! Invariant (of the policy alone): a hook is what a trusted policy says, so that its command is not decided; it is written down before it
//! runs, and does not run where that fails. Invariant (no looser): no answer of a hook makes allowed what a rule denies or asks about.
//! Invariant (always an end): a hook that takes longer than its time is ended with all that it has started.

mod answer;
mod events;
mod run;

use std::fmt;

use engine_policy::{HookEvent, Layer, Matcher, Outcome, Plan, PlanHook};

pub(crate) use answer::Word;
pub(crate) use events::Watched;

/// A hook that is about to run, or has ended.
#[derive(Clone, Copy, Debug)]
pub struct HookRun<'a> {
    /// The hook as the policy says it.
    pub hook: &'a PlanHook,
    /// The call that it is about; empty where it is about none.
    pub call: &'a str,
    /// The tool, or what else its matchers look at.
    pub subject: &'a str,
    /// What it reads.
    pub input: &'a serde_json::Value,
    /// How it ended; none where it is about to run.
    pub ended: Option<&'a HookEnd>,
}

/// How a hook ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HookEnd {
    /// Its exit code, if it had one.
    pub exit: Option<i32>,
    /// How long it took.
    pub elapsed: std::time::Duration,
    /// What it said.
    pub verdict: Option<Outcome>,
    /// Why it failed, if it did.
    pub failure: Option<String>,
}

/// The hooks of a session.
pub(crate) struct Hooks(Vec<Ready>);

struct Ready {
    hook: PlanHook,
    matchers: Vec<Matcher>,
}

impl fmt::Debug for Hooks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list()
            .entries(self.0.iter().map(|ready| &ready.hook))
            .finish()
    }
}

impl Hooks {
    pub(crate) fn of(plan: &Plan) -> Self {
        let ready = plan.hooks().iter().map(|hook| Ready {
            hook: hook.clone(),
            // A matcher was compiled when its policy was read; one that does not compile here watches everything.
            matchers: hook
                .matchers
                .iter()
                .map(|matcher| Matcher::new(matcher).unwrap_or_default())
                .collect(),
        });
        Self(ready.collect())
    }

    /// The hooks of an event that are for a name, in the order of the policies.
    fn matching(&self, event: HookEvent, subject: &str) -> Vec<&PlanHook> {
        self.0
            .iter()
            .filter(|ready| ready.hook.event == event)
            .filter(|ready| {
                ready.matchers.is_empty() || ready.matchers.iter().any(|matcher| matcher.matches(subject))
            })
            .map(|ready| &ready.hook)
            .collect()
    }
}

/// Where a hook starts: what it names by `./` must not be whatever stands in a directory that somebody else's project is.
fn directory<'a>(hook: &PlanHook, project: &'a str, home: &'a str) -> &'a str {
    match hook.layer {
        Layer::Project | Layer::Local | Layer::CommandLine => project,
        Layer::User if !home.is_empty() => home,
        Layer::User | Layer::Managed | Layer::Builtin | Layer::Around => "/",
    }
}
