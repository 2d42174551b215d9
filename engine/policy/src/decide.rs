//! Deciding: from a call to a verdict with its reasons. Pure: what it may know of the world comes through [`Facts`].
//!
//! Precedence, for each request (the numbers are referred to in `docs/deciding.md`):
//! 1. a deny rule that matches for certain denies;
//! 2. a deny rule that may match asks;
//! 3. an ask rule that matches or may match asks;
//! 4. an allow rule that matches for certain allows, as does the rule that allows the command for what it covers;
//! 5. a command that no rule names is allowed if its definition is complete and explains every word of it;
//! 6. the default for the kind of request.
//!
//! Rules of files that may not loosen are only ever added: where a question is milder than what is said without it, a call is decided without
//! them, too, and the stricter verdict holds.
//!
//! The call's verdict is the strictest of its requests; then the mode applies. Invariant (maybe never allows): no step is an
//! allow unless a rule, a cover or a complete definition says so for certain.

mod command;
mod condition;
mod configuration;
mod effect;
mod groups;
mod listing;
mod mode;
mod network;
mod notes;
mod path;
mod repository;
mod seen;
mod setting;
mod shell;
mod sieve;
mod tool;
mod written;

pub use self::sieve::{Showing, Sieve};
pub use self::tool::tool_path;

use std::cell::OnceCell;

use self::groups::Rules;
use self::seen::Seen;
use self::written::{Obeyed, Written};
use engine_shell::Span;
use serde_json::Value as Json;

use crate::document::{Mode, Outcome, RequestKind, Severity};
use crate::facts::Facts;
use crate::plan::Plan;
use crate::tool_shape::ToolShape;
use crate::verdict::{Decision, Note, Reported, Request, Step, Why};

/// One tool call.
#[derive(Clone, Copy, Debug)]
pub enum Call<'a> {
    /// A command for the Bash tool.
    Shell(&'a str),
    /// Any tool with its input.
    Tool {
        /// The tool's name.
        name: &'a str,
        /// Its input, an object.
        input: &'a Json,
    },
    /// A tool that its definition describes.
    Declared {
        /// What its input says.
        shape: &'a ToolShape<'a>,
        /// Its input, an object.
        input: &'a Json,
    },
}

/// Decides one call under a plan.
#[must_use]
pub fn decide(plan: &Plan, call: &Call<'_>, facts: &Facts<'_>, mode: Mode) -> Decision {
    let seen = Seen::new(facts.world);
    let facts = &Facts {
        world: &seen,
        ..*facts
    };
    let all = decide_by(plan, call, facts, mode, Rules::All);
    // A rule of a file that may not loosen is only ever added, but one that asks is looser than a default that denies, and than the plan
    // mode, which denies what changes something and is not asked about. There the call is decided without these rules too, and
    // what is stricter holds. Anywhere else a further rule makes no verdict milder (a property of `engine/properties`).
    let denies_unasked = mode == Mode::Plan || plan.denies_by_default();
    if plan.has_tighteners && denies_unasked && all.outcome != Outcome::Deny {
        let without = decide_by(plan, call, facts, mode, Rules::Trusted);
        if without.outcome > all.outcome {
            return without;
        }
    }
    all
}

fn decide_by(plan: &Plan, call: &Call<'_>, facts: &Facts<'_>, mode: Mode, rules: Rules) -> Decision {
    let mut decider = Decider::new(plan, facts, rules);
    match call {
        Call::Shell(text) => decider.shell_call(text),
        Call::Tool { name, input } => decider.tool_call(name, ToolShape::shipped(name), input),
        Call::Declared { shape, input } => decider.tool_call(shape.name, Some(shape), input),
    }
    decider.finish(mode)
}

/// The state of one decision.
struct Decider<'a> {
    plan: &'a Plan,
    facts: &'a Facts<'a>,
    rules: Rules,
    steps: Vec<Step>,
    findings: Vec<Reported>,
    warnings: Vec<Note>,
    operations: Vec<Note>,
    /// What every request is labelled with while nested text is decided: all its spans collapse to this one.
    outer: Option<Span>,
    /// The project and the home directory, where they are reached through links: the real place of each and its name.
    linked: OnceCell<Vec<(String, &'a str)>>,
    /// What is written so far.
    written: Vec<Written>,
    /// The configurations that are obeyed.
    obeyed: Vec<Obeyed>,
}

impl<'a> Decider<'a> {
    fn new(plan: &'a Plan, facts: &'a Facts<'a>, rules: Rules) -> Self {
        Self {
            plan,
            facts,
            rules,
            steps: Vec::new(),
            findings: Vec::new(),
            warnings: Vec::new(),
            operations: Vec::new(),
            outer: None,
            linked: OnceCell::new(),
            written: Vec::new(),
            obeyed: Vec::new(),
        }
    }

    /// Notes one request. The severity of the shell check that it belongs to can only make it stricter.
    fn step(&mut self, request: Request, span: Span, outcome: Outcome, why: Why, check: u8) {
        self.push(request, span, outcome, why, check, false);
    }

    fn push(
        &mut self,
        request: Request,
        span: Span,
        outcome: Outcome,
        why: Why,
        check: u8,
        is_in_full: bool,
    ) {
        let outcome = match (outcome, self.severity(check)) {
            (Outcome::Ask, Some(Severity::Deny)) => Outcome::Deny,
            (outcome, _) => outcome,
        };
        self.steps.push(Step {
            request,
            span: self.outer.unwrap_or(span),
            outcome,
            why,
            check,
            is_in_full,
        });
    }

    fn severity(&self, check: u8) -> Option<Severity> {
        let index = usize::from(check).checked_sub(1)?;
        self.plan.severities.get(index).copied()
    }

    /// The default of a kind as a step's end.
    fn default(&self, kind: RequestKind) -> (Outcome, Why) {
        (self.plan.default_for(kind), Why::Default(kind))
    }

    fn finish(mut self, mode: Mode) -> Decision {
        self.obeyed_and_written();
        let mode_refused = self.plan.mode_allowed(mode);
        if mode_refused == Outcome::Allow {
            mode::apply(&mut self.steps, mode, self.facts);
        } else {
            self.step(
                Request::Mode(mode.as_str().into()),
                Span::default(),
                mode_refused,
                Why::Unknown(format!("the policy does not allow the mode `{}`", mode.as_str())),
                0,
            );
        }
        let outcome = self
            .steps
            .iter()
            .map(|step| step.outcome)
            .max()
            .unwrap_or(Outcome::Allow);
        Decision {
            outcome,
            steps: self.steps,
            findings: self.findings,
            warnings: self.warnings,
            operations: self.operations,
            mode,
        }
    }
}
