//! One call of a model, from its `tool_use` block to its `tool_result`: found, validated, decided, carried out, fitted into its budget.
//!
//! Invariant (always an answer): whatever happens, a call ends as a [`Result`](ToolResult) that says what a model can do next.

use std::sync::Arc;

use engine_policy::Call;
use engine_tools::definition::{Flag, Handler, Interrupt, Tool, Work};
use engine_tools::pool::{Entry, LeftOut};
use engine_tools::template::Scope;
use engine_tools::{Block, Input, Output, Sender};
use serde_json::Value as Json;
use tokio::sync::{OwnedRwLockReadGuard, OwnedRwLockWriteGuard};
use tokio::time::Instant;

use crate::bash::Cancel;
use crate::fit;
use crate::hooks::{Watched, Word};
use crate::native::{self, Answer, Around};
use crate::permission::{Asking, Granted, Stage, blocked, fields_of, only_reads, shape_of};
use crate::schedule::{Beside, End, OnFailure, OnInterrupt, Traits};
use crate::session::{Change, Ended, Refused, Session, Shells};
use crate::store::is_deeper;

/// A call as a model makes it.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolUse {
    /// Its id, which the result carries, too.
    pub id: String,
    /// The tool.
    pub name: String,
    /// Its input.
    pub input: Json,
}

/// The answer to a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolResult {
    /// The call.
    pub id: String,
    /// The tool that was called.
    pub name: String,
    /// What the model is shown.
    pub output: Output,
}

/// Deepest nesting of an input: what works on it may work level by level, and what is kept of it has to be read again.
const MAX_INPUT_DEPTH: usize = 64;

/// How a call ended.
#[derive(Debug)]
pub(crate) struct Ending {
    pub(crate) output: Output,
    pub(crate) changes: Vec<Change>,
    pub(crate) end: End,
}

/// What the schedule has to know of a call. One that is wrong runs beside anything: it only answers what is wrong with it.
pub(crate) fn traits_of(session: &Session, call: &ToolUse) -> Traits {
    let wrong = Traits {
        beside: Beside::Safe,
        on_failure: OnFailure::Continue,
        on_interrupt: OnInterrupt::Stop,
    };
    let pool = session.pool();
    let Some(Entry::Declared(tool)) = pool.get(&call.name) else {
        // A call before this one may lead to a mode that has the tool.
        return Traits {
            beside: Beside::Alone,
            ..wrong
        };
    };
    if is_deeper(&call.input, MAX_INPUT_DEPTH) {
        return wrong;
    }
    let Ok(input) = tool.validate(&call.input, Sender::Model) else {
        return wrong;
    };
    let is_bash = matches!(tool.work, Work::Handler(Handler::BashRun));
    Traits {
        beside: if is_bash && session.parts.shells == Shells::Staying {
            // There is one shell, and what a name means in it depends on what ran before.
            Beside::Alone
        } else if holds(session, tool, &tool.concurrency_safe, &input) {
            Beside::Safe
        } else {
            Beside::Alone
        },
        on_failure: if is_bash {
            OnFailure::StopBatch
        } else {
            OnFailure::Continue
        },
        on_interrupt: match tool.interrupt {
            Interrupt::Cancel => OnInterrupt::Stop,
            Interrupt::Block => OnInterrupt::Finish,
        },
    }
}

/// Whether a property holds for a call. What cannot be told does not hold.
fn holds(session: &Session, tool: &Tool, flag: &Flag, input: &Input) -> bool {
    match flag {
        Flag::Never => false,
        Flag::Always => true,
        Flag::When(condition) => condition
            .holds(&Scope::of_call(&session.facts(), tool, input))
            .unwrap_or(false),
        Flag::ByAnalysis => {
            let fields = fields_of(tool);
            let shape = shape_of(tool, &fields);
            let json = input.to_json();
            let asking = Asking {
                call: "",
                tool: &tool.name.value,
                input: &json,
                what: Call::Declared {
                    shape: &shape,
                    input: &json,
                },
                via: &[],
                paths: &[],
                shown: "",
                cwd: None,
                preapproved: &[],
                warnings: &[],
                read_only: None,
            };
            only_reads(&session.rule(&asking).decision)
        }
    }
}

/// Runs one call.
pub(crate) async fn run(session: &Arc<Session>, call: &ToolUse, cancel: &Cancel) -> Ending {
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
    let mut ending = match prepare(session, call, cancel).await {
        Err(text) => {
            undecided(session, call, &call.input, &text);
            failed(text)
        }
        Ok(prepared) => {
            let (ending, value) = match carry_out(session, call, cancel, &prepared).await {
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
            let input = prepared.input.to_json();
            stage = prepared.granted.stage();
            if stage == Stage::Undecided {
                let why: Vec<&str> = ending.output.blocks.iter().filter_map(Block::as_text).collect();
                undecided(session, call, &input, &why.join("\n"));
            }
            let watched = Watched {
                call: &call.id,
                tool: &prepared.tool.name.value,
                input: &input,
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
    tool: Arc<Tool>,
    input: Input,
    granted: Granted,
    /// What hooks tell the model.
    context: Vec<String>,
    /// Holds off what must not run beside it.
    _turn: Turn,
}

/// Its turn among the calls that run at once.
enum Turn {
    Beside(#[expect(dead_code, reason = "held until the call has ended")] OwnedRwLockReadGuard<()>),
    Alone(#[expect(dead_code, reason = "held until the call has ended")] OwnedRwLockWriteGuard<()>),
}

fn failed(text: String) -> Ending {
    Ending {
        output: Output::error(text),
        changes: Vec::new(),
        end: End::Failed,
    }
}

async fn prepare(session: &Arc<Session>, call: &ToolUse, cancel: &Cancel) -> Result<Prepared, String> {
    if let Some(reason) = session.stopped() {
        return Err(format!("Not started: a hook ended the work: {reason}"));
    }
    let pool = session.pool();
    let tool = match pool.get(&call.name) {
        Some(Entry::Declared(tool)) => Arc::clone(tool),
        Some(Entry::Mcp(tool)) => {
            return Err(format!(
                "the server `{}` is not connected in this session",
                tool.server
            ));
        }
        None => return Err(no_such_tool(session, &call.name)),
    };
    if is_deeper(&call.input, MAX_INPUT_DEPTH) {
        return Err(format!(
            "the input is nested more than {MAX_INPUT_DEPTH} deep; send it flatter"
        ));
    }
    let mut input = tool.validate(&call.input, Sender::Model).map_err(|mut error| {
        error.hint = pool.hint(&tool.name.value, session.was_sent(&tool.name.value));
        error.to_string()
    })?;
    let heard = session
        .before(Watched {
            call: &call.id,
            tool: &tool.name.value,
            input: &input.to_json(),
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
    // The schedule let the call run as the model made it.
    let mut beside = true;
    if let Some(changed) = &heard.changed {
        if is_deeper(changed, MAX_INPUT_DEPTH) {
            return Err(blocked("it changed the input to one that is nested too deeply"));
        }
        input = tool.validate(changed, Sender::Model).map_err(|error| {
            blocked(&format!(
                "it changed the input to one that the tool does not take: {error}"
            ))
        })?;
        beside = holds(session, &tool, &tool.concurrency_safe, &input);
    }
    let gate = Arc::clone(&session.gate);
    let turn = if beside {
        Turn::Beside(gate.read_owned().await)
    } else {
        Turn::Alone(gate.write_owned().await)
    };
    Ok(Prepared {
        tool,
        input,
        granted: Granted::with(heard.word),
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
        tool, input, granted, ..
    } = prepared;
    let preapproved: Vec<&str> = tool
        .preapproved_hosts
        .iter()
        .map(|host| host.value.as_str())
        .collect();
    let around = Around {
        preapproved: &preapproved,
        read_only: None,
        session,
        call: &call.id,
        via: &[],
        cancel,
        granted,
    };
    match &tool.work {
        Work::Handler(handler) => native::run(around, tool, *handler, input).await,
        Work::Body(body) => {
            native::leave_for_body(around, tool, input).await?;
            crate::body::run(around, tool, body, input).await
        }
    }
}

/// What a model is told that calls a tool that is not there.
fn no_such_tool(session: &Session, name: &str) -> String {
    let pool = session.pool();
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
fn shortened(name: &str) -> String {
    const MOST: usize = 100;
    match name.char_indices().nth(MOST) {
        None => name.to_owned(),
        Some((at, _)) => format!("{}...", name.split_at_checked(at).map_or("", |(head, _)| head)),
    }
}
