//! Small facts, and a simulation that holds the invariants over many random schedules.

use std::num::NonZeroUsize;

use super::{Action, Beside, CallIndex, End, OnFailure, OnInterrupt, Schedule, Stop, Traits};

const SAFE: Traits = Traits {
    beside: Beside::Safe,
    on_failure: OnFailure::Continue,
    on_interrupt: OnInterrupt::Stop,
};
const ALONE: Traits = Traits {
    beside: Beside::Alone,
    ..SAFE
};
const SHELL: Traits = Traits {
    on_failure: OnFailure::StopBatch,
    ..SAFE
};

fn schedule(limit: usize, calls: &[Traits]) -> Schedule {
    let mut schedule = Schedule::new(NonZeroUsize::new(limit).unwrap());
    for traits in calls {
        schedule.add(*traits);
    }
    schedule
}

fn actions(schedule: &mut Schedule) -> Vec<Action> {
    std::iter::from_fn(|| schedule.action()).collect()
}

use Action::{Apply, Deliver, Skip, Start};

#[test]
fn neighbours_that_are_safe_run_together_and_others_alone() {
    let mut schedule = schedule(10, &[SAFE, SAFE, ALONE, SAFE]);
    assert_eq!(actions(&mut schedule), [Start(0), Start(1)]);
    schedule.ended(1, End::Well);
    assert_eq!(actions(&mut schedule), []);
    schedule.ended(0, End::Well);
    assert_eq!(
        actions(&mut schedule),
        [Apply(0), Apply(1), Deliver(0), Deliver(1), Start(2)]
    );
    schedule.ended(2, End::Failed);
    assert_eq!(actions(&mut schedule), [Apply(2), Deliver(2), Start(3)]);
}

#[test]
fn the_limit_holds_and_a_free_place_is_taken_at_once() {
    let mut schedule = schedule(2, &[SAFE, SAFE, SAFE]);
    assert_eq!(actions(&mut schedule), [Start(0), Start(1)]);
    schedule.ended(1, End::Well);
    assert_eq!(actions(&mut schedule), [Start(2)]);
}

#[test]
fn a_call_that_comes_later_joins_what_runs_only_if_both_are_safe() {
    let mut schedule = schedule(10, &[ALONE]);
    assert_eq!(actions(&mut schedule), [Start(0)]);
    schedule.add(SAFE);
    assert_eq!(actions(&mut schedule), []);
    schedule.ended(0, End::Well);
    assert_eq!(actions(&mut schedule), [Apply(0), Deliver(0), Start(1)]);
    schedule.add(SAFE);
    assert_eq!(actions(&mut schedule), [Start(2)]);
}

#[test]
fn a_call_does_not_overtake_one_that_waits() {
    let mut schedule = schedule(10, &[SAFE, ALONE, SAFE]);
    assert_eq!(actions(&mut schedule), [Start(0)]);
}

#[test]
fn a_failing_shell_command_stops_its_batch_and_nothing_else() {
    let mut schedule = schedule(2, &[SAFE, SHELL, SAFE, ALONE]);
    assert_eq!(actions(&mut schedule), [Start(0), Start(1)]);
    schedule.ended(1, End::Failed);
    assert_eq!(
        actions(&mut schedule),
        [Action::Stop(0, Stop::Sibling(1)), Skip(2, Stop::Sibling(1))]
    );
    schedule.ended(0, End::Stopped);
    assert_eq!(
        actions(&mut schedule),
        [Apply(0), Apply(1), Deliver(0), Deliver(1), Deliver(2), Start(3)]
    );
}

#[test]
fn a_shell_command_that_fails_alone_stops_nothing() {
    let alone = Traits {
        beside: Beside::Alone,
        ..SHELL
    };
    let mut schedule = schedule(10, &[alone, SAFE]);
    schedule.ended(0, End::Failed);
    assert_eq!(actions(&mut schedule), [Start(0), Apply(0), Deliver(0), Start(1)]);
}

#[test]
fn an_interrupt_waits_for_those_that_ask_for_it() {
    let patient = Traits {
        on_interrupt: OnInterrupt::Finish,
        ..SAFE
    };
    let mut schedule = schedule(2, &[patient, SAFE, SAFE]);
    assert_eq!(actions(&mut schedule), [Start(0), Start(1)]);
    schedule.interrupt();
    assert_eq!(
        actions(&mut schedule),
        [Action::Stop(1, Stop::Interrupt), Skip(2, Stop::Interrupt)]
    );
    schedule.cancel();
    assert_eq!(actions(&mut schedule), [Action::Stop(0, Stop::Cancel)]);
    schedule.ended(0, End::Stopped);
    schedule.ended(1, End::Stopped);
    assert_eq!(
        actions(&mut schedule),
        [Deliver(0), Apply(0), Apply(1), Deliver(1), Deliver(2)]
    );
    assert!(schedule.is_done());
}

/// What a driver sees, and the invariants it holds the schedule to.
struct Simulation {
    schedule: Schedule,
    traits: Vec<Traits>,
    running: Vec<CallIndex>,
    started: Vec<CallIndex>,
    applied: Vec<CallIndex>,
    delivered: Vec<CallIndex>,
    skipped: Vec<CallIndex>,
    halted: bool,
}

impl Simulation {
    fn drain(&mut self) {
        while let Some(action) = self.schedule.action() {
            match action {
                Action::Start(call) => {
                    assert!(!self.halted, "nothing starts after a halt");
                    assert!(
                        self.started.last().is_none_or(|last| *last < call),
                        "calls start in order"
                    );
                    self.started.push(call);
                    self.running.push(call);
                    assert!(self.running.len() <= self.schedule.limit().get());
                    let alone = self
                        .running
                        .iter()
                        .any(|running| self.traits[*running].beside == Beside::Alone);
                    assert!(!alone || self.running.len() == 1, "alone means alone");
                }
                Action::Stop(call, _) => assert!(self.running.contains(&call)),
                Action::Skip(call, _) => {
                    assert!(!self.started.contains(&call));
                    self.skipped.push(call);
                }
                Action::Apply(call) => {
                    assert!(self.running.is_empty(), "changes apply while nothing runs");
                    assert!(self.started.contains(&call));
                    assert!(
                        self.applied.last().is_none_or(|last| *last < call),
                        "changes apply in order, once"
                    );
                    self.applied.push(call);
                }
                Action::Deliver(call) => {
                    assert_eq!(
                        call,
                        self.delivered.len(),
                        "results come in order, none is lost or doubled"
                    );
                    assert!(!self.running.contains(&call));
                    assert!(self.started.contains(&call) != self.skipped.contains(&call));
                    self.delivered.push(call);
                }
            }
        }
    }
}

/// A small generator of its own: the same schedules on every machine (splitmix64).
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        usize::try_from((mixed ^ (mixed >> 31)) % limit as u64).unwrap()
    }

    fn traits(&mut self) -> Traits {
        Traits {
            beside: [Beside::Safe, Beside::Safe, Beside::Alone][self.below(3)],
            on_failure: [OnFailure::Continue, OnFailure::StopBatch][self.below(2)],
            on_interrupt: [OnInterrupt::Stop, OnInterrupt::Finish][self.below(2)],
        }
    }
}

#[test]
fn a_hundred_thousand_random_schedules_keep_every_invariant() {
    let mut halts = 0;
    let mut skips = 0;
    for seed in 0..100_000u64 {
        let mut random = Random(seed);
        let calls = 1 + random.below(14);
        let limit = 1 + random.below(5);
        let mut simulation = Simulation {
            schedule: schedule(limit, &[]),
            traits: Vec::new(),
            running: Vec::new(),
            started: Vec::new(),
            applied: Vec::new(),
            delivered: Vec::new(),
            skipped: Vec::new(),
            halted: false,
        };
        let mut steps = 0;
        loop {
            steps += 1;
            assert!(steps < 1_000, "seed {seed}: no progress");
            let all_here = simulation.traits.len() == calls;
            if all_here && simulation.schedule.is_done() {
                break;
            }
            match random.below(12) {
                0..4 if !all_here => {
                    let traits = random.traits();
                    simulation.traits.push(traits);
                    simulation.schedule.add(traits);
                }
                4 if random.below(8) == 0 => {
                    simulation.schedule.interrupt();
                    simulation.halted = true;
                    halts += 1;
                }
                5 if random.below(16) == 0 => {
                    simulation.schedule.cancel();
                    simulation.halted = true;
                    halts += 1;
                }
                _ => {
                    if simulation.running.is_empty() {
                        assert!(!all_here, "seed {seed}: nothing runs and not all is delivered");
                        continue;
                    }
                    let at = random.below(simulation.running.len());
                    let call = simulation.running.swap_remove(at);
                    let end = [End::Well, End::Well, End::Failed, End::Stopped][random.below(4)];
                    simulation.schedule.ended(call, end);
                }
            }
            simulation.drain();
        }
        assert_eq!(simulation.applied, simulation.started, "seed {seed}");
        assert_eq!(simulation.delivered.len(), calls, "seed {seed}");
        skips += simulation.skipped.len();
    }
    assert!(
        halts > 1_000 && skips > 10_000,
        "the schedules reach the rare paths"
    );
}
