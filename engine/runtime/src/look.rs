//! A look at a call before its turn: what the schedule has to know of it, with what was worked out for that.
//!
//! Invariant (looked at once): a call is validated and decided for the schedule, and runs with the outcome. Invariant (nothing between): the
//! decision counts for a call that starts at once; one that had to wait, or that hooks have seen, is decided anew when it runs.

use std::sync::Arc;

use engine_tools::definition::{Flag, Handler, Interrupt, Work};
use engine_tools::pool::{Entry, LeftOut, Pool};
use engine_tools::template::Scope;
use engine_tools::{InputError, Sender};
use serde_json::Value as Json;

use crate::exchange::ToolUse;
use crate::permission::{Ahead, only_reads};
use crate::schedule::{Beside, OnFailure, OnInterrupt, Traits};
use crate::session::{Session, Shells};
use crate::store::is_deeper;
use crate::valid::Valid;

/// Deepest nesting of an input: what works on it may work level by level, and what is kept of it has to be read again.
pub(crate) const MAX_INPUT_DEPTH: usize = 64;

/// A call that can be run.
#[derive(Debug)]
pub(crate) struct Ready {
    pool: Arc<Pool>,
    pub(crate) call: Valid,
    /// The decision that was made of it.
    pub(crate) ahead: Option<Ahead>,
    /// Whether it may run beside others.
    pub(crate) beside: Beside,
}

impl Ready {
    /// Finds the tool of a call, and validates its input.
    ///
    /// # Errors
    ///
    /// The text that a model is told.
    pub(crate) fn new(session: &Session, call: &ToolUse) -> Result<Self, String> {
        let pool = session.pool();
        let tool = match pool.get(&call.name) {
            Some(Entry::Declared(tool)) => tool,
            Some(Entry::Mcp(tool)) => {
                return Err(format!(
                    "the server `{}` is not connected in this session",
                    tool.server
                ));
            }
            None => return Err(no_such_tool(&pool, &call.name)),
        };
        if is_deeper(&call.input, MAX_INPUT_DEPTH) {
            return Err(format!(
                "the input is nested more than {MAX_INPUT_DEPTH} deep; send it flatter"
            ));
        }
        let valid = Valid::new(tool, &call.input, Sender::Model).map_err(|mut error| {
            error.hint = pool.hint(&tool.name.value, session.was_sent(&tool.name.value));
            error.to_string()
        })?;
        let (beside, ahead) = beside(session, &valid);
        Ok(Self {
            pool,
            call: valid,
            ahead,
            beside,
        })
    }

    /// Its turn has not come: what happens until then may change what would be decided.
    pub(crate) fn waits(&mut self) {
        self.ahead = None;
    }

    /// Whether its tool is one of these.
    pub(crate) fn is_of(&self, pool: &Arc<Pool>) -> bool {
        Arc::ptr_eq(&self.pool, pool)
    }

    /// Gives it another input.
    ///
    /// # Errors
    ///
    /// What is wrong with that.
    pub(crate) fn change(&mut self, session: &Session, input: &Json) -> Result<(), InputError> {
        self.call = self.call.with_input(input)?;
        (self.beside, self.ahead) = beside(session, &self.call);
        Ok(())
    }
}

/// What the schedule has to know of a call. One that is wrong runs beside anything: it only answers what is wrong with it.
pub(crate) fn look(session: &Session, call: &ToolUse) -> (Traits, Option<Ready>) {
    let wrong = Traits {
        beside: Beside::Safe,
        on_failure: OnFailure::Continue,
        on_interrupt: OnInterrupt::Stop,
    };
    if !matches!(session.pool().get(&call.name), Some(Entry::Declared(_))) {
        // A call before this one may lead to a mode that has the tool.
        let alone = Traits {
            beside: Beside::Alone,
            ..wrong
        };
        return (alone, None);
    }
    let Ok(ready) = Ready::new(session, call) else {
        return (wrong, None);
    };
    let tool = ready.call.tool();
    let traits = Traits {
        beside: ready.beside,
        on_failure: match tool.work {
            Work::Handler(Handler::BashRun) => OnFailure::StopBatch,
            Work::Handler(_) | Work::Body(_) => OnFailure::Continue,
        },
        on_interrupt: match tool.interrupt {
            Interrupt::Cancel => OnInterrupt::Stop,
            Interrupt::Block => OnInterrupt::Finish,
        },
    };
    (traits, Some(ready))
}

/// Whether a call may run beside others, with the decision that says so. What cannot be told may not.
fn beside(session: &Session, call: &Valid) -> (Beside, Option<Ahead>) {
    let tool = call.tool();
    let is_bash = matches!(tool.work, Work::Handler(Handler::BashRun));
    if is_bash && session.parts.shells == Shells::Staying {
        // There is one shell, and what a name means in it depends on what ran before.
        return (Beside::Alone, None);
    }
    let mut ahead = None;
    let safe = match &tool.concurrency_safe {
        Flag::Never => false,
        Flag::Always => true,
        Flag::When(condition) => condition
            .holds(&Scope::of_call(&session.facts(), tool, call.input()))
            .unwrap_or(false),
        Flag::ByAnalysis => only_reads(ahead.insert(session.ahead(call)).decision()),
    };
    (if safe { Beside::Safe } else { Beside::Alone }, ahead)
}

/// What a model is told that calls a tool that is not there.
fn no_such_tool(pool: &Pool, name: &str) -> String {
    let left_out = pool.left_out();
    if let Some(LeftOut { reason, .. }) = left_out.iter().find(|tool| tool.name == name) {
        return format!("No such tool available: {name} ({reason})");
    }
    let name = shortened(name);
    let names = pool.entries().iter().map(Entry::name);
    let nearest = engine_policy::nearest(&name, names);
    let hint = nearest.map_or(String::new(), |near| format!(". Did you mean {near}?"));
    format!("No such tool available: {name}{hint}")
}

/// A name that a model made up, as it may be repeated to it: no longer than names are.
pub(crate) fn shortened(name: &str) -> String {
    const MOST: usize = 100;
    match name.char_indices().nth(MOST) {
        None => name.to_owned(),
        Some((at, _)) => format!("{}...", name.split_at_checked(at).map_or("", |(head, _)| head)),
    }
}
