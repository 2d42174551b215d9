//! Automata over the words of a command or the names of a path, and whether one takes no more than another.
//!
//! Invariant (never too much): where it takes too long to tell, the answer is that something is left over.

use std::collections::{BTreeSet, HashMap};

use super::label::{Label, splits};

/// Number of a state.
pub(super) type State = usize;

/// Pairs of states that are looked at before giving up.
const MAX_PAIRS: usize = 4000;

/// Product of the states of two automata that are held against each other step by step.
const MAX_PRODUCT: usize = 20_000;

/// An automaton without empty steps; the first state is the start.
#[derive(Clone, Debug, Default)]
pub(super) struct Automaton {
    steps: Vec<Vec<(Label, State)>>,
    accepts: Vec<bool>,
}

impl Automaton {
    /// Only a start, which accepts nothing.
    pub(super) fn new() -> Self {
        let mut automaton = Self::default();
        automaton.state();
        automaton
    }

    pub(super) fn state(&mut self) -> State {
        self.steps.push(Vec::new());
        self.accepts.push(false);
        self.steps.len() - 1
    }

    pub(super) fn add(&mut self, from: State, label: Label, to: State) {
        if let Some(steps) = self.steps.get_mut(from) {
            let step = (label, to);
            if !steps.contains(&step) {
                steps.push(step);
            }
        }
    }

    pub(super) fn accept(&mut self, state: State) {
        if let Some(accepts) = self.accepts.get_mut(state) {
            *accepts = true;
        }
    }

    fn accepting(&self, state: State) -> bool {
        self.accepts.get(state).copied().unwrap_or_default()
    }

    pub(super) fn steps(&self, state: State) -> &[(Label, State)] {
        self.steps.get(state).map_or(&[], Vec::as_slice)
    }

    /// Whether any number of any words may follow here.
    fn loops(&self, state: State) -> bool {
        self.steps(state).iter().any(|(label, to)| {
            *label == Label::Any
                && self
                    .steps(*to)
                    .iter()
                    .any(|(label, again)| *label == Label::Any && again == to)
        })
    }

    /// Takes in the states of another one, joined to nothing; returns where its start is.
    pub(super) fn append(&mut self, other: &Self) -> State {
        let offset = self.steps.len();
        for (steps, accepts) in other.steps.iter().zip(&other.accepts) {
            let moved = steps.iter().map(|(label, to)| (label.clone(), to + offset));
            self.steps.push(moved.collect());
            self.accepts.push(*accepts);
        }
        offset
    }

    /// Lets a state do what another one does.
    pub(super) fn alike(&mut self, state: State, other: State) {
        for (label, to) in self.steps(other).to_vec() {
            self.add(state, label, to);
        }
        if self.accepting(other) {
            self.accept(state);
        }
    }

    /// Both, side by side.
    pub(super) fn join(&mut self, other: &Self) {
        let start = self.append(other);
        self.alike(0, start);
    }

    /// Whether every run of words that this takes is taken by the other one.
    pub(super) fn within(&self, other: &Self) -> bool {
        let mut seen: HashMap<State, Vec<BTreeSet<State>>> = HashMap::new();
        let mut open = vec![(0, BTreeSet::from([0]))];
        let mut count = 0;
        while let Some((at, others)) = open.pop() {
            // Fewer states take less: what holds of them holds of more.
            let known = seen.entry(at).or_default();
            if known.iter().any(|own| own.is_subset(&others)) {
                continue;
            }
            known.push(others.clone());
            count += 1;
            if count > MAX_PAIRS
                || (self.accepting(at) && !others.iter().any(|&state| other.accepting(state)))
            {
                return false;
            }
            let steps: Vec<&(Label, State)> = others.iter().flat_map(|&state| other.steps(state)).collect();
            let labels: Vec<&Label> = steps.iter().map(|(label, _)| label).collect();
            for (label, to) in self.steps(at) {
                let Some(sets) = splits(label, &labels) else {
                    return false;
                };
                for set in sets {
                    let reached: BTreeSet<State> = set
                        .iter()
                        .filter_map(|&number| steps.get(number).map(|step| step.1))
                        .collect();
                    open.push((*to, reached));
                }
            }
        }
        true
    }

    /// Whether the other one follows every step of this one by a step of its own that takes at least as much. Then it answers as surely
    /// as this one even for words that are only partly known.
    pub(super) fn followed_by(&self, other: &Self) -> bool {
        let width = other.steps.len();
        if self.steps.len() * width > MAX_PRODUCT {
            return false;
        }
        let mut holds: Vec<bool> = Vec::with_capacity(self.steps.len() * width);
        for one in 0..self.steps.len() {
            holds.extend((0..width).map(|two| {
                (!self.accepting(one) || other.accepting(two)) && (!self.loops(one) || other.loops(two))
            }));
        }
        let mut covers: HashMap<(Label, Label), bool> = HashMap::new();
        loop {
            let mut changed = false;
            for at in 0..holds.len() {
                if holds.get(at) != Some(&true) {
                    continue;
                }
                let (one, two) = (at / width, at % width);
                let followed = self.steps(one).iter().all(|(label, to)| {
                    other.steps(two).iter().any(|(own, next)| {
                        holds.get(to * width + next) == Some(&true)
                            && *covers
                                .entry((own.clone(), label.clone()))
                                .or_insert_with(|| own.covers(label))
                    })
                });
                if !followed {
                    if let Some(own) = holds.get_mut(at) {
                        *own = false;
                    }
                    changed = true;
                }
            }
            if !changed {
                return holds.first() == Some(&true);
            }
        }
    }

    /// Whether some run of words is taken by both.
    pub(super) fn meets(&self, other: &Self) -> bool {
        let mut seen = BTreeSet::from([(0, 0)]);
        let mut open = vec![(0, 0)];
        while let Some((one, two)) = open.pop() {
            if (self.accepting(one) && other.accepting(two)) || seen.len() > MAX_PAIRS {
                return true;
            }
            for (label, to) in self.steps(one) {
                for (own, next) in other.steps(two) {
                    if label.meets(own) && seen.insert((*to, *next)) {
                        open.push((*to, *next));
                    }
                }
            }
        }
        false
    }
}
