//! Which call of a message runs when: a machine of states without clock, threads or I/O, which the session drives.
//!
//! Calls come in the order in which the model wrote them. Neighbouring calls that are safe beside others form a *batch* and run
//! together, at most [`Schedule::limit`] at a time; any other call runs alone. A batch ends when nothing runs.
//!
//! Invariants, each held by a simulation of 100,000 schedules in `schedule/tests.rs`:
//! - (order) calls start in their order, and their results are delivered in it;
//! - (alone) while a call runs that is not safe beside others, nothing else runs;
//! - (answered) every call is delivered exactly once, whether it ran, failed, was stopped or never started;
//! - (context) what a call changes for later ones is applied once, in the order of the calls, while nothing runs;
//! - (progress) as long as something is not delivered, something runs or there is an action to take.

#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::num::NonZeroUsize;

/// How many calls run together unless it is set otherwise.
pub const DEFAULT_LIMIT: NonZeroUsize = NonZeroUsize::new(10).unwrap();

/// The number of a call within its message, from 0.
pub type CallIndex = usize;

/// What the schedule has to know of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Traits {
    /// Whether it may run beside others of its kind.
    pub beside: Beside,
    /// What its failure does to the calls that run with it.
    pub on_failure: OnFailure,
    /// How it takes an interrupt.
    pub on_interrupt: OnInterrupt,
}

/// Whether a call may run while others do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Beside {
    /// With others that are safe, too.
    Safe,
    /// Only while nothing else runs.
    Alone,
}

/// What the failure of a call means for its batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnFailure {
    /// Nothing.
    Continue,
    /// The others of the batch are stopped, those that wait never start.
    StopBatch,
}

/// How a call takes a person's interrupt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnInterrupt {
    /// It is stopped.
    Stop,
    /// It is waited for.
    Finish,
}

/// Why a call is stopped or never starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// This call of the same batch failed.
    Sibling(CallIndex),
    /// A person interrupted.
    Interrupt,
    /// The whole message was cancelled.
    Cancel,
}

/// How a call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// With a result.
    Well,
    /// With an error of its own.
    Failed,
    /// Since it was told to stop.
    Stopped,
}

/// What is to be done next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Start this call, and tell of its end by [`Schedule::ended`].
    Start(CallIndex),
    /// Tell the running call to stop; its end is still told by [`Schedule::ended`].
    Stop(CallIndex, Stop),
    /// The call never starts: its result says why.
    Skip(CallIndex, Stop),
    /// Apply what this call changes for later ones.
    Apply(CallIndex),
    /// Hand out the result of this call.
    Deliver(CallIndex),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Waiting,
    Running { told: bool },
    Ended,
    Delivered,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    traits: Traits,
    state: State,
    batch: usize,
}

/// The calls of one message.
#[derive(Debug)]
pub struct Schedule {
    limit: NonZeroUsize,
    entries: Vec<Entry>,
    actions: VecDeque<Action>,
    /// The first call that has not started and is not skipped.
    next: CallIndex,
    /// The first call that is not delivered.
    undelivered: CallIndex,
    running: usize,
    /// Number of the batch that runs, or of the next one.
    batch: usize,
    /// Ended calls of the batch whose changes are not applied, in the order in which they ended.
    unapplied: Vec<CallIndex>,
    /// Why nothing starts any more.
    halted: Option<Stop>,
}

impl Schedule {
    /// A message without calls so far.
    #[must_use]
    pub fn new(limit: NonZeroUsize) -> Self {
        Self {
            limit,
            entries: Vec::new(),
            actions: VecDeque::new(),
            next: 0,
            undelivered: 0,
            running: 0,
            batch: 0,
            unapplied: Vec::new(),
            halted: None,
        }
    }

    /// How many calls run together at most.
    #[must_use]
    pub fn limit(&self) -> NonZeroUsize {
        self.limit
    }

    /// A call is complete. Nothing is assumed about calls that may follow.
    pub fn add(&mut self, traits: Traits) -> CallIndex {
        let call = self.entries.len();
        self.entries.push(Entry {
            traits,
            state: State::Waiting,
            batch: 0,
        });
        self.advance();
        call
    }

    /// A call that was started has ended.
    pub fn ended(&mut self, call: CallIndex, end: End) {
        let Some(entry) = self.entries.get_mut(call) else {
            return;
        };
        let State::Running { .. } = entry.state else {
            return;
        };
        entry.state = State::Ended;
        let traits = entry.traits;
        self.running = self.running.saturating_sub(1);
        self.unapplied.push(call);
        if end == End::Failed && traits.on_failure == OnFailure::StopBatch && traits.beside == Beside::Safe {
            self.stop_batch(call);
        }
        self.advance();
    }

    /// A person interrupts: nothing starts any more, what can be stopped is.
    pub fn interrupt(&mut self) {
        self.halt(Stop::Interrupt);
        self.stop_running(Stop::Interrupt, |entry| {
            entry.traits.on_interrupt == OnInterrupt::Stop
        });
        self.advance();
    }

    /// The message is given up: nothing starts any more, everything that runs is stopped.
    pub fn cancel(&mut self) {
        self.halt(Stop::Cancel);
        self.stop_running(Stop::Cancel, |_| true);
        self.advance();
    }

    /// The next thing to do, `None` until something else happens.
    pub fn action(&mut self) -> Option<Action> {
        self.actions.pop_front()
    }

    /// Everything that came so far is delivered.
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.actions.is_empty() && self.undelivered == self.entries.len()
    }

    fn halt(&mut self, why: Stop) {
        if self.halted.is_none() || why == Stop::Cancel {
            self.halted = Some(why);
        }
    }

    /// Tells those that run and are meant to stop, once each.
    fn stop_running(&mut self, why: Stop, meant: impl Fn(&Entry) -> bool) {
        for (call, entry) in self.entries.iter_mut().enumerate() {
            if entry.state == (State::Running { told: false }) && meant(entry) {
                entry.state = State::Running { told: true };
                self.actions.push_back(Action::Stop(call, why));
            }
        }
    }

    fn stop_batch(&mut self, failed: CallIndex) {
        let batch = self.batch;
        let why = Stop::Sibling(failed);
        self.stop_running(why, |entry| entry.batch == batch);
        // Those that would have joined the batch.
        while let Some(entry) = self.entries.get(self.next) {
            if entry.traits.beside == Beside::Alone {
                break;
            }
            self.skip(why);
        }
    }

    /// The next call never starts.
    fn skip(&mut self, why: Stop) {
        if let Some(entry) = self.entries.get_mut(self.next) {
            entry.state = State::Ended;
            self.actions.push_back(Action::Skip(self.next, why));
            self.next += 1;
        }
    }

    fn advance(&mut self) {
        if self.running == 0 {
            self.end_batch();
        }
        self.deliver();
        if let Some(why) = self.halted {
            while self.next < self.entries.len() {
                self.skip(why);
            }
            self.deliver();
            return;
        }
        while let Some(entry) = self.entries.get(self.next) {
            let fits = match entry.traits.beside {
                Beside::Alone => self.running == 0,
                Beside::Safe => self.running < self.limit.get() && self.all_running_are_safe(),
            };
            if !fits {
                break;
            }
            self.start();
        }
    }

    fn start(&mut self) {
        if let Some(entry) = self.entries.get_mut(self.next) {
            entry.state = State::Running { told: false };
            entry.batch = self.batch;
            self.running += 1;
            self.actions.push_back(Action::Start(self.next));
            self.next += 1;
        }
    }

    fn all_running_are_safe(&self) -> bool {
        self.entries
            .iter()
            .filter(|entry| matches!(entry.state, State::Running { .. }))
            .all(|entry| entry.traits.beside == Beside::Safe)
    }

    /// Nothing runs: what the calls of the batch change takes effect, in their order.
    fn end_batch(&mut self) {
        self.unapplied.sort_unstable();
        for call in self.unapplied.drain(..) {
            self.actions.push_back(Action::Apply(call));
        }
        self.batch += 1;
    }

    fn deliver(&mut self) {
        while let Some(entry) = self.entries.get_mut(self.undelivered) {
            if entry.state != State::Ended {
                break;
            }
            entry.state = State::Delivered;
            self.actions.push_back(Action::Deliver(self.undelivered));
            self.undelivered += 1;
        }
    }
}
