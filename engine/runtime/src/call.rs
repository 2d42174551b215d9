//! One call of a model, from its `tool_use` block to its `tool_result`: found, validated, decided, carried out, fitted into its budget.
//!
//! Invariant (always an answer): whatever happens, a call ends as a [`ToolResult`](crate::ToolResult) that says what a model can do next.

use std::sync::Arc;

use engine_tools::definition::Work;
use engine_tools::{Block, Output};
use serde_json::Value as Json;
use tokio::sync::{OwnedRwLockReadGuard, OwnedRwLockWriteGuard};
use tokio::time::Instant;

use crate::approval::{Approval, refused_in_mode};
use crate::bash::Cancel;
use crate::exchange::ToolUse;
use crate::fit;
use crate::hooks::{Watched, Word};
use crate::look::{MAX_INPUT_DEPTH, Ready, shortened};
use crate::native::{self, Answer, Around};
use crate::permission::{Granted, Stage, blocked};
use crate::schedule::{Beside, End};
use crate::session::{Change, Ended, Refused, Session};
use crate::store::is_deeper;
use crate::valid::Valid;

/// How a call ended.
#[derive(Debug)]
pub(crate) struct Ending {
    pub(crate) output: Output,
    pub(crate) changes: Vec<Change>,
    pub(crate) end: End,
}

/// Runs one call, with what the schedule found out about it.
pub(crate) async fn run(
    session: &Arc<Session>,
    call: &ToolUse,
    looked: Option<Ready>,
    cancel: &Cancel,
) -> Ending {
    let started = Instant::now();
    if !session.claim(&call.id) {
        let why = format!(
            "An earlier call had the id `{}`; nothing was done. Call again with an id of its own.",
            shortened(&call.id)
        );
        undecided(session, call, &call.input, &why);
        return failed(why);
    }
    let mut told = Vec::new();
    let mut stage = Stage::Undecided;
    let mut class = None;
    let mut ending = match prepare(session, call, looked, cancel).await {
        Err(text) => {
            undecided(session, call, &call.input, &text);
            failed(text)
        }
        Ok(prepared) => {
            let mut fallen = Fallen {
                session,
                call,
                prepared: &prepared,
                started,
                falls: true,
            };
            let carried_out = carry_out(session, call, cancel, &prepared).await;
            fallen.falls = false;
            drop(fallen);
            let (ending, value) = match carried_out {
                Err(text) => (failed(text), Json::Null),
                Ok(answer) => {
                    let end = if answer.output.is_error {
                        End::Failed
                    } else {
                        End::Well
                    };
                    let ending = Ending {
                        output: answer.output,
                        changes: answer.changes,
                        end,
                    };
                    (ending, answer.value)
                }
            };
            stage = prepared.granted.stage();
            class = prepared.granted.class();
            if stage == Stage::Undecided {
                let why: Vec<&str> = ending.output.blocks.iter().filter_map(Block::as_text).collect();
                undecided(session, call, prepared.call.json(), &why.join("\n"));
            }
            let watched = Watched {
                call: &call.id,
                tool: prepared.call.name(),
                input: prepared.call.json(),
                cancel,
            };
            told = prepared.context;
            told.extend(session.after(watched, &value, &ending.output).await);
            ending
        }
    };
    if cancel.is_cancelled() {
        ending.end = End::Stopped;
    }
    if let Some(entry) = session.pool().get(&call.name) {
        let budget = session.parts.budgets.of_tool(entry.name(), entry.budget());
        fit::fit_one(session, &call.id, budget, &mut ending.output);
    }
    // What hooks say is bounded by itself, and no long result hides it.
    ending.output.blocks.extend(told.into_iter().map(Block::Text));
    match stage {
        Stage::Begun => session.parts.observer.ended(&Ended {
            call: &call.id,
            tool: &call.name,
            failed: ending.output.is_error,
            elapsed: started.elapsed(),
            class,
        }),
        // The decision says all there is to say.
        Stage::Undecided | Stage::Refused => {}
    }
    ending
}

/// Writes down that a call ends before anything was decided about it.
fn undecided(session: &Session, call: &ToolUse, input: &Json, why: &str) {
    // Whoever writes it down works on it level by level.
    let input = if is_deeper(input, MAX_INPUT_DEPTH) {
        &Json::Null
    } else {
        input
    };
    session.parts.observer.refused(&Refused {
        call: &call.id,
        tool: &call.name,
        via: &[],
        input,
        why,
    });
}

/// A call that is found and validated, and that hooks let go on.
struct Prepared {
    call: Valid,
    granted: Granted,
    /// What hooks tell the model.
    context: Vec<String>,
    /// Holds off what must not run beside it.
    _turn: Turn,
}

/// Writes down the end of a call that never comes back: something panicked in it, or everything is going down.
struct Fallen<'a> {
    session: &'a Session,
    call: &'a ToolUse,
    prepared: &'a Prepared,
    started: Instant,
    falls: bool,
}

impl Drop for Fallen<'_> {
    fn drop(&mut self) {
        if !self.falls {
            return;
        }
        match self.prepared.granted.stage() {
            Stage::Begun => self.session.parts.observer.ended(&Ended {
                call: &self.call.id,
                tool: &self.call.name,
                failed: true,
                elapsed: self.started.elapsed(),
                class: self.prepared.granted.class(),
            }),
            Stage::Undecided => {
                let why = "an error of the engine itself";
                undecided(self.session, self.call, self.prepared.call.json(), why);
            }
            // The decision says all there is to say.
            Stage::Refused => {}
        }
    }
}

/// Its turn among the calls that run at once.
enum Turn {
    Beside(#[expect(dead_code, reason = "held until the call has ended")] OwnedRwLockReadGuard<()>),
    Alone(#[expect(dead_code, reason = "held until the call has ended")] OwnedRwLockWriteGuard<()>),
}

impl Turn {
    /// If nobody is in the way.
    fn at_once(session: &Session, alone: bool) -> Option<Self> {
        let gate = Arc::clone(&session.gate);
        if alone {
            gate.try_write_owned().ok().map(Self::Alone)
        } else {
            gate.try_read_owned().ok().map(Self::Beside)
        }
    }

    /// When others have ended.
    async fn later(session: &Session, alone: bool) -> Self {
        let gate = Arc::clone(&session.gate);
        if alone {
            Self::Alone(gate.write_owned().await)
        } else {
            Self::Beside(gate.read_owned().await)
        }
    }
}

fn failed(text: String) -> Ending {
    Ending {
        output: Output::error(text),
        changes: Vec::new(),
        end: End::Failed,
    }
}

async fn prepare(
    session: &Arc<Session>,
    call: &ToolUse,
    looked: Option<Ready>,
    cancel: &Cancel,
) -> Result<Prepared, String> {
    if let Some(reason) = session.stopped() {
        return Err(format!("Not started: a hook ended the work: {reason}"));
    }
    // The schedule let a call run as it looked at it.
    let (mut ready, mut scheduled) = match looked {
        Some(ready) if ready.is_of(&session.pool()) => (ready, true),
        Some(_) | None => (Ready::new(session, call)?, false),
    };
    if session.watches(ready.call.name()) {
        ready.waits();
    }
    let heard = session
        .before(Watched {
            call: &call.id,
            tool: ready.call.name(),
            input: ready.call.json(),
            cancel,
        })
        .await;
    if cancel.is_cancelled() {
        return Err("The call was stopped before it began.".to_owned());
    }
    if let Some(Word::Deny(reason)) = &heard.word {
        return Err(blocked(reason));
    }
    if let Some(reason) = &heard.stop {
        return Err(format!("Not started: a hook ended the work: {reason}"));
    }
    if let Some(changed) = &heard.changed {
        if is_deeper(changed, MAX_INPUT_DEPTH) {
            return Err(blocked("it changed the input to one that is nested too deeply"));
        }
        ready.change(session, changed).map_err(|error| {
            blocked(&format!(
                "it changed the input to one that the tool does not take: {error}"
            ))
        })?;
        scheduled = false;
    }
    let alone = ready.beside == Beside::Alone && !scheduled;
    let turn = match Turn::at_once(session, alone) {
        Some(turn) => turn,
        None => {
            ready.waits();
            Turn::later(session, alone).await
        }
    };
    Ok(Prepared {
        call: ready.call,
        granted: Granted::new(heard.word, ready.ahead),
        context: heard.context,
        _turn: turn,
    })
}

async fn carry_out(
    session: &Arc<Session>,
    call: &ToolUse,
    cancel: &Cancel,
    prepared: &Prepared,
) -> Result<Answer, String> {
    let Prepared {
        call: valid, granted, ..
    } = prepared;
    if let Some(refused) = refused_in_mode(session, valid) {
        return Err(refused);
    }
    let tool = valid.tool();
    let approval = Approval::of(session, valid);
    let preapproved: Vec<&str> = tool
        .preapproved_hosts
        .iter()
        .map(|host| host.value.as_str())
        .collect();
    let around = Around {
        preapproved: &preapproved,
        approval: &approval,
        read_only: None,
        session,
        call: &call.id,
        via: &[],
        cancel,
        granted,
    };
    match &tool.work {
        Work::Handler(handler) => native::run(around, *handler, valid).await,
        Work::Body(body) => {
            native::leave_for_body(around, valid).await?;
            crate::body::run(around, body, valid).await
        }
    }
}
