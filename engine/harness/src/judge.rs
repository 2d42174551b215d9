//! Puts prediction and observation of one text side by side.
//!
//! Invariant: only a text that was understood is run, and only an event that no prediction covers is a violation.

use std::any::Any;
use std::collections::BTreeSet;
use std::io;
use std::panic::{self, AssertUnwindSafe};

use engine_shell::{Construct, Evaluation, Shell};

use crate::cover::covers;
use crate::event::Event;
use crate::laboratory::{Laboratory, Subject};
use crate::oracle::{Oracle, Output, Run, Status, World};
use crate::predictor::{Depth, Predictor};

/// What came of one text.
#[derive(Clone, Debug)]
pub(crate) enum Judgement {
    /// The analysis does not understand it, so it can never be allowed.
    Refused(Construct),
    /// It ran in every world and all of it was predicted.
    Sound(Counts),
    /// Something was not predicted.
    Violated(Box<Violation>),
}

/// How much was looked at.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counts {
    pub(crate) runs: usize,
    pub(crate) cut: usize,
    pub(crate) executions: usize,
    pub(crate) opens: usize,
}

/// A text that did something unpredicted.
#[derive(Clone, Debug)]
pub(crate) struct Violation {
    pub(crate) text: String,
    pub(crate) evaluation: Evaluation,
    pub(crate) unpredicted: Vec<Event>,
    pub(crate) counts: Counts,
    /// What the analysis said when it panicked, which it never may.
    pub(crate) panicked: Option<String>,
}

impl Counts {
    /// Sums up.
    pub(crate) fn add(&mut self, other: Self) {
        self.runs += other.runs;
        self.cut += other.cut;
        self.executions += other.executions;
        self.opens += other.opens;
    }
}

/// Predicts and watches texts for one shell.
#[derive(Debug)]
pub(crate) struct Judge<'a> {
    /// Makes the predictions.
    pub(crate) predictor: Predictor,
    watched: Vec<(Oracle<'a>, Vec<World>)>,
}

impl<'a> Judge<'a> {
    /// Starts the watched shells.
    pub(crate) fn start(
        laboratory: &'a Laboratory,
        shell: Shell,
        depth: Depth,
        program: &str,
    ) -> io::Result<Self> {
        let world = |status, output| World { status, output };
        let watched = match shell {
            Shell::Bash => vec![
                (
                    Oracle::start(laboratory, Subject::BashVisible)?,
                    vec![
                        world(Status::Succeed, Output::Words),
                        world(Status::Fail, Output::Nothing),
                        world(Status::Mixed, Output::Hostile),
                    ],
                ),
                (
                    Oracle::start(laboratory, Subject::BashReal)?,
                    vec![world(Status::Succeed, Output::Hostile)],
                ),
            ],
            Shell::Zsh | Shell::Sh => {
                let options: &[&str] = if shell == Shell::Zsh {
                    &["-f", "-c"]
                } else {
                    &["-c"]
                };
                let started = std::iter::once(program)
                    .chain(options.iter().copied())
                    .map(str::to_owned)
                    .collect();
                let worlds = vec![
                    world(Status::Succeed, Output::Words),
                    world(Status::Fail, Output::Hostile),
                    world(Status::Mixed, Output::Number),
                ];
                vec![(Oracle::start(laboratory, Subject::Started(started))?, worlds)]
            }
        };
        Ok(Self {
            predictor: Predictor::new(shell, depth, laboratory),
            watched,
        })
    }

    /// Predicts and, where that succeeds, watches.
    pub(crate) fn judge(&mut self, text: &str) -> io::Result<Judgement> {
        let predicted = panic::catch_unwind(AssertUnwindSafe(|| self.predictor.predict(text)));
        let violated = |evaluation, unpredicted, counts, panicked| {
            Judgement::Violated(Box::new(Violation {
                text: text.to_owned(),
                evaluation,
                unpredicted,
                counts,
                panicked,
            }))
        };
        let evaluation = match predicted {
            Ok(Ok(evaluation)) => evaluation,
            Ok(Err(construct)) => return Ok(Judgement::Refused(construct)),
            Err(payload) => {
                let said = Some(message(payload.as_ref()));
                return Ok(violated(
                    Evaluation::default(),
                    Vec::new(),
                    Counts::default(),
                    said,
                ));
            }
        };
        let mut counts = Counts::default();
        let mut unpredicted = BTreeSet::new();
        for (oracle, worlds) in &mut self.watched {
            for world in worlds.iter() {
                let run = oracle.run(text, *world)?;
                counts.runs += 1;
                counts.cut += usize::from(run.cut);
                for event in run.events {
                    match event {
                        Event::Execute { .. } => counts.executions += 1,
                        Event::Open { .. } => counts.opens += 1,
                        Event::Enter { .. }
                        | Event::Change { .. }
                        | Event::Connect { .. }
                        | Event::Load { .. }
                        | Event::Inherit { .. }
                        | Event::Signal { .. } => {}
                    }
                    if !self.predictor.ignores(&event) && !covers(&evaluation, &event) {
                        unpredicted.insert(event);
                    }
                }
            }
        }
        if unpredicted.is_empty() {
            return Ok(Judgement::Sound(counts));
        }
        Ok(violated(
            evaluation,
            unpredicted.into_iter().collect(),
            counts,
            None,
        ))
    }

    /// Watches a text whatever the analysis says of it, for a person to look at.
    pub(crate) fn observe(&mut self, text: &str) -> io::Result<Vec<(World, Run)>> {
        let mut seen = Vec::new();
        for (oracle, worlds) in &mut self.watched {
            for world in worlds.iter() {
                seen.push((*world, oracle.run(text, *world)?));
            }
        }
        Ok(seen)
    }
}

fn message(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<String>().cloned();
    text.or_else(|| payload.downcast_ref::<&str>().map(|text| (*text).to_owned()))
        .unwrap_or_default()
}
