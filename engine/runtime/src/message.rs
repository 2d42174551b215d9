//! The calls of one message: scheduled, run, and answered in their order.
//!
//! Calls may come one by one, as a model writes them, or all at once. A [`Calls`] is where they go in, a [`Results`] where the answers
//! come out; the message is complete when the former is dropped.

use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::sync::Arc;

use engine_tools::{Block, Output};
use tokio::sync::mpsc;
use tokio::task::{Id, JoinError, JoinSet};

use crate::bash::Cancel;
use crate::call::{self, Ending};
use crate::exchange::{ToolResult, ToolUse};
use crate::fit;
use crate::look::{Ready, look};
use crate::schedule::{Action, CallIndex, End, Schedule, Stop};
use crate::session::{Change, Session};

/// Where the calls of a message go in.
#[derive(Debug)]
pub struct Calls {
    orders: mpsc::UnboundedSender<Order>,
}

/// Where the results of a message come out, in the order of its calls.
#[derive(Debug)]
pub struct Results {
    results: mpsc::UnboundedReceiver<ToolResult>,
}

enum Order {
    Call(ToolUse),
    Interrupt,
    Cancel,
}

struct Slot {
    call: Arc<ToolUse>,
    /// What is known of it, until it starts.
    ready: Option<Ready>,
    cancel: Cancel,
    output: Option<Output>,
    stopped: Option<Stop>,
    changes: Vec<Change>,
}

/// Starts a message; `limit` calls run together at most. Has to be called within a tokio runtime.
#[must_use]
pub fn start(session: &Arc<Session>, limit: NonZeroUsize) -> (Calls, Results) {
    let (orders, incoming) = mpsc::unbounded_channel();
    let (outgoing, results) = mpsc::unbounded_channel();
    let driver = Driver {
        session: Arc::clone(session),
        schedule: Schedule::new(limit),
        slots: Vec::new(),
        running: JoinSet::new(),
        tasks: HashMap::new(),
        outgoing,
    };
    tokio::spawn(driver.drive(incoming));
    (Calls { orders }, Results { results })
}

/// Runs a whole message; the results are fitted into the budget of a turn.
///
/// `cancelled` ends early where everything is to be given up; the calls still get their results.
pub async fn run(
    session: &Arc<Session>,
    limit: NonZeroUsize,
    calls: Vec<ToolUse>,
    cancelled: impl Future<Output = ()>,
) -> Vec<ToolResult> {
    let (sender, incoming) = mpsc::unbounded_channel();
    for call in calls {
        let _received_below = sender.send(call);
    }
    drop(sender);
    let (halt, halts) = mpsc::unbounded_channel();
    let mut work = std::pin::pin!(run_as_they_come(session, limit, incoming, halts));
    tokio::select! {
        all = &mut work => return all,
        () = cancelled => {
            let _heard_below = halt.send(Halt::Cancel);
        }
    }
    work.await
}

/// What a person does about a message that runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Halt {
    /// See [`Calls::interrupt`].
    Interrupt,
    /// See [`Calls::cancel`].
    Cancel,
}

/// Runs a message whose calls come one by one: each starts as soon as it is there and the schedule lets it. The message is complete when
/// the sender is gone, or when it is halted. The results are fitted into the budget of a turn.
pub async fn run_as_they_come(
    session: &Arc<Session>,
    limit: NonZeroUsize,
    mut calls: mpsc::UnboundedReceiver<ToolUse>,
    mut halts: mpsc::UnboundedReceiver<Halt>,
) -> Vec<ToolResult> {
    let (entry, mut results) = start(session, limit);
    let (mut complete, mut listening) = (false, true);
    let mut wanted = 0_usize;
    let mut all = Vec::new();
    while !complete || all.len() < wanted {
        tokio::select! {
            biased;
            halt = halts.recv(), if listening => match halt {
                Some(halt) => {
                    complete = true;
                    match halt {
                        Halt::Interrupt => entry.interrupt(),
                        Halt::Cancel => entry.cancel(),
                    }
                }
                None => listening = false,
            },
            call = calls.recv(), if !complete => match call {
                Some(call) => {
                    wanted += 1;
                    entry.add(call);
                }
                None => complete = true,
            },
            result = results.next(), if all.len() < wanted => match result {
                Some(result) => all.push(result),
                None => break,
            },
        }
    }
    fit::fit_all(session, &mut all);
    all
}

impl Calls {
    /// A call is complete.
    pub fn add(&self, call: ToolUse) {
        self.order(Order::Call(call));
    }

    /// A person interrupts: what can be stopped is, nothing more starts.
    pub fn interrupt(&self) {
        self.order(Order::Interrupt);
    }

    /// Everything is given up.
    pub fn cancel(&self) {
        self.order(Order::Cancel);
    }

    fn order(&self, order: Order) {
        // A driver that is gone has answered everything.
        let _gone = self.orders.send(order);
    }
}

impl Results {
    /// The next result; `None` behind the last one.
    pub async fn next(&mut self) -> Option<ToolResult> {
        self.results.recv().await
    }
}

struct Driver {
    session: Arc<Session>,
    schedule: Schedule,
    slots: Vec<Slot>,
    /// The calls that run.
    running: JoinSet<Ending>,
    /// Which call a task is.
    tasks: HashMap<Id, CallIndex>,
    outgoing: mpsc::UnboundedSender<ToolResult>,
}

impl Driver {
    async fn drive(mut self, mut incoming: mpsc::UnboundedReceiver<Order>) {
        let mut open = true;
        while open || !self.schedule.is_done() {
            tokio::select! {
                // What has ended comes first, so that its changes are there for what follows.
                biased;
                Some(ended) = self.running.join_next_with_id(), if !self.running.is_empty() => {
                    let Some((call, ending)) = self.ending(ended) else {
                        continue;
                    };
                    let end = ending.end;
                    if let Some(slot) = self.slots.get_mut(call) {
                        slot.changes = ending.changes;
                        slot.output = Some(ending.output);
                    }
                    self.schedule.ended(call, end);
                }
                order = incoming.recv(), if open => match order {
                    Some(Order::Call(call)) => {
                        let (traits, ready) = look(&self.session, &call);
                        self.slots.push(Slot { call: Arc::new(call), ready, cancel: Cancel::new(), output: None, stopped: None, changes: Vec::new() });
                        self.schedule.add(traits);
                        self.act();
                        if let Some(ready) = self.slots.last_mut().and_then(|slot| slot.ready.as_mut()) {
                            ready.waits();
                        }
                    }
                    Some(Order::Interrupt) => self.schedule.interrupt(),
                    Some(Order::Cancel) => self.schedule.cancel(),
                    None => open = false,
                },
                else => break,
            }
            self.act();
        }
    }

    fn act(&mut self) {
        while let Some(action) = self.schedule.action() {
            match action {
                Action::Start(call) => self.start(call),
                Action::Stop(call, why) => {
                    if let Some(slot) = self.slots.get_mut(call) {
                        slot.stopped = Some(why);
                        slot.cancel.cancel();
                    }
                }
                Action::Skip(call, why) => {
                    let text = format!("Not started: {}", self.reason(why));
                    if let Some(slot) = self.slots.get_mut(call) {
                        slot.output = Some(Output::error(text));
                    }
                }
                Action::Apply(call) => {
                    let changes = self
                        .slots
                        .get_mut(call)
                        .map(|slot| std::mem::take(&mut slot.changes));
                    for change in changes.into_iter().flatten() {
                        self.session.apply(change);
                    }
                }
                Action::Deliver(call) => {
                    let stopped = self.slots.get(call).and_then(|slot| slot.stopped);
                    let stopped = stopped.map(|why| format!("Stopped: {}", self.reason(why)));
                    if let Some(slot) = self.slots.get_mut(call) {
                        let mut output = slot.output.take();
                        if let (Some(output), Some(why)) = (&mut output, stopped) {
                            output.blocks.push(Block::Text(why));
                            output.is_error = true;
                        }
                        let result = ToolResult {
                            id: slot.call.id.clone(),
                            name: slot.call.name.clone(),
                            output: output
                                .unwrap_or_else(|| Output::error("The call ended without a result.")),
                        };
                        // Nobody may be left to hear it.
                        let _gone = self.outgoing.send(result);
                    }
                }
            }
        }
    }

    fn start(&mut self, call: CallIndex) {
        let Some(slot) = self.slots.get_mut(call) else {
            return;
        };
        let (session, own, cancel) = (
            Arc::clone(&self.session),
            Arc::clone(&slot.call),
            slot.cancel.clone(),
        );
        let ready = slot.ready.take();
        let task = self
            .running
            .spawn(async move { call::run(&session, &own, ready, &cancel).await });
        self.tasks.insert(task.id(), call);
    }

    /// Which call has ended, and how. Each has a task of its own, so that a call that panics is a call that failed.
    fn ending(&mut self, ended: Result<(Id, Ending), JoinError>) -> Option<(CallIndex, Ending)> {
        let (id, ending) = match ended {
            Ok((id, ending)) => (id, ending),
            Err(error) => (
                error.id(),
                failed(format!("An error of the engine itself: {error}")),
            ),
        };
        Some((self.tasks.remove(&id)?, ending))
    }

    /// What a model is told of why a call was stopped or never started.
    fn reason(&self, why: Stop) -> String {
        match why {
            Stop::Sibling(call) => {
                let name = self.slots.get(call).map_or("", |slot| slot.call.name.as_str());
                format!("the parallel call of {name} failed")
            }
            Stop::Interrupt => "the person interrupted".to_owned(),
            Stop::Cancel => "the message was cancelled".to_owned(),
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
