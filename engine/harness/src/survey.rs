//! Judges many texts with several watched shells side by side, and sums up.
//!
//! Invariant: every text is counted exactly once, as refused, sound or violated; violations come out in the order of the texts.

use std::collections::BTreeMap;
use std::io;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use engine_shell::{Construct, Shell};

use crate::judge::{Counts, Judge, Judgement, Violation};
use crate::laboratory::Laboratory;
use crate::minimise::minimise;
use crate::predictor::Depth;

/// Tries that making one text smaller may take.
const MINIMISE_TRIES: usize = 600;

/// What came of a set of texts.
#[derive(Debug, Default)]
pub(crate) struct Survey {
    pub(crate) texts: usize,
    pub(crate) understood: usize,
    pub(crate) refused: BTreeMap<Construct, usize>,
    pub(crate) counts: Counts,
    pub(crate) violations: Vec<(usize, Violation)>,
}

/// How texts are judged.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan<'a> {
    pub(crate) shell: Shell,
    pub(crate) depth: Depth,
    pub(crate) program: &'a str,
    pub(crate) workers: usize,
    pub(crate) minimise: bool,
    /// Violations after which no more texts are begun.
    pub(crate) enough: usize,
}

/// Judges all texts.
pub(crate) fn survey(laboratory: &Laboratory, plan: Plan<'_>, texts: &[String]) -> io::Result<Survey> {
    let next = AtomicUsize::new(0);
    let violated = AtomicUsize::new(0);
    let total = Mutex::new(Survey::default());
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..plan.workers.max(1))
            .map(|_| scope.spawn(|| work(laboratory, plan, texts, &next, &violated, &total)))
            .collect();
        workers
            .into_iter()
            .try_for_each(|worker| worker.join().map_err(|_| io::Error::other("a worker panicked"))?)
    })?;
    let mut survey = total
        .into_inner()
        .map_err(|_| io::Error::other("a worker panicked"))?;
    survey.violations.sort_by_key(|(index, _)| *index);
    Ok(survey)
}

fn work(
    laboratory: &Laboratory,
    plan: Plan<'_>,
    texts: &[String],
    next: &AtomicUsize,
    violated: &AtomicUsize,
    total: &Mutex<Survey>,
) -> io::Result<()> {
    let mut judge = Judge::start(laboratory, plan.shell, plan.depth, plan.program)?;
    let mut own = Survey::default();
    while violated.load(Ordering::Relaxed) < plan.enough {
        let index = next.fetch_add(1, Ordering::Relaxed);
        let Some(text) = texts.get(index) else { break };
        own.texts += 1;
        match judge.judge(text)? {
            Judgement::Refused(construct) => *own.refused.entry(construct).or_default() += 1,
            Judgement::Sound(counts) => {
                own.understood += 1;
                own.counts.add(counts);
            }
            Judgement::Violated(violation) => {
                own.understood += 1;
                own.counts.add(violation.counts);
                violated.fetch_add(1, Ordering::Relaxed);
                own.violations
                    .push((index, smaller(&mut judge, *violation, plan.minimise)));
            }
        }
    }
    let mut total = total
        .lock()
        .map_err(|_| io::Error::other("another worker panicked"))?;
    total.merge(own);
    Ok(())
}

/// The same violation in as little text as possible.
fn smaller(judge: &mut Judge<'_>, violation: Violation, wanted: bool) -> Violation {
    if !wanted {
        return violation;
    }
    let mut smallest = violation.clone();
    minimise(&violation.text, MINIMISE_TRIES, |text| match judge.judge(text) {
        Ok(Judgement::Violated(found)) => {
            smallest = *found;
            true
        }
        Ok(Judgement::Refused(_) | Judgement::Sound(_)) | Err(_) => false,
    });
    smallest
}

impl Survey {
    fn merge(&mut self, other: Self) {
        self.texts += other.texts;
        self.understood += other.understood;
        self.counts.add(other.counts);
        for (construct, count) in other.refused {
            *self.refused.entry(construct).or_default() += count;
        }
        self.violations.extend(other.violations);
    }
}
