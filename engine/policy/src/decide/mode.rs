//! What a mode makes of the verdicts, applied last and request by request.

use crate::document::{Mode, Outcome};
use crate::facts::{Facts, below};
use crate::verdict::{Request, Step, Why};

/// Applies a mode that the policy allows.
pub(super) fn apply(steps: &mut [Step], mode: Mode, facts: &Facts<'_>) {
    for step in steps {
        let changed = match mode {
            Mode::Default => None,
            Mode::Plan => changes_something(step).then_some(Outcome::Deny),
            Mode::AcceptEdits => {
                (step.outcome == Outcome::Ask && is_edit(step, facts)).then_some(Outcome::Allow)
            }
            Mode::DontAsk => (step.outcome == Outcome::Ask).then_some(Outcome::Deny),
            Mode::Bypass => (step.outcome == Outcome::Ask).then_some(Outcome::Allow),
        };
        if let Some(outcome) = changed
            && outcome != step.outcome
        {
            step.outcome = outcome;
            step.why = Why::Mode(mode);
        }
    }
}

/// Whether a request writes: in plan mode nothing may. A command of which not all is known counts as one that
/// does.
fn changes_something(step: &Step) -> bool {
    match &step.request {
        Request::Write(_) | Request::Delete(_) => step.why != Why::Harmless,
        Request::Change(_) | Request::Code(_) => true,
        Request::Command(_) | Request::Tool(_) => {
            !matches!(step.why, Why::NoEffect)
                && !step.is_in_full
                && step.outcome == Outcome::Allow
                && !is_read_tool(&step.request)
        }
        Request::Text
        | Request::Read(_)
        | Request::Network(_)
        | Request::Env(_)
        | Request::Agent(_)
        | Request::Skill(_)
        | Request::Mode(_) => false,
    }
}

fn is_read_tool(request: &Request) -> bool {
    matches!(request, Request::Tool(name) if matches!(name.as_str(), "Read" | "Grep" | "Glob" | "WebFetch" | "Write" | "Edit" | "NotebookEdit"))
}

/// A write inside the project that would ask only since no rule speaks of it.
fn is_edit(step: &Step, facts: &Facts<'_>) -> bool {
    let Request::Write(path) = &step.request else {
        return false;
    };
    matches!(step.why, Why::Default(_)) && below(path, facts.project).is_some_and(|rest| !rest.is_empty())
}
