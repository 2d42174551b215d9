//! Traps: text that runs later, at a place that is not known.
//!
//! Invariant (any place): a trap is evaluated in a state that stands for every state in which it may run: variables that
//! the text sets anywhere are unknown, and so is the directory if it ever changes.

use std::rc::Rc;

use smol_str::SmolStr;

use crate::{Directory, Origin, Span};

use super::state::{FunctionBinding, State, Variable};
use super::{Env, Evaluator};

/// The text of a trap, or where it is not known, only its place.
#[derive(Clone, Debug)]
pub(super) struct Trap {
    pub(super) text: SmolStr,
    pub(super) span: Span,
    /// The state in which it was set.
    pub(super) state: State,
}

impl Evaluator<'_> {
    /// Evaluates the traps that were set.
    pub(super) fn traps(&mut self, env: Env<'_>) {
        let mut done = 0;
        while let Some(trap) = self.traps.get(done).cloned() {
            done += 1;
            if !self.step(1, trap.span) {
                return;
            }
            self.state = self.anywhere(&trap.state);
            let failure = self.again(&trap.text, trap.span, env.conditional());
            self.settle(failure);
        }
    }

    /// A state for every state that may follow the given one.
    fn anywhere(&self, set: &State) -> State {
        let mut state = self.state.clone();
        state.dead = false;
        let moved = self.moved || state.data.directory != set.data.directory;
        let names: Vec<SmolStr> = self.out.settings.iter().map(|s| s.name.clone()).collect();
        let data = state.change();
        for name in names {
            data.set(&name, Variable::environment());
        }
        data.positional = None;
        if moved {
            data.directory = Directory::Unknown(Origin::Variable);
            data.stack = None;
        }
        for function in &self.functions {
            let name = &function.name;
            match data.functions.iter_mut().find(|f| f.name == *name) {
                Some(binding) if !binding.bodies.contains(function) => {
                    binding.bodies.push(Rc::clone(function));
                }
                Some(_) => {}
                None => data.functions.push(FunctionBinding {
                    name: name.clone(),
                    bodies: vec![Rc::clone(function)],
                    maybe_absent: true,
                }),
            }
        }
        for binding in &mut data.functions {
            binding.maybe_absent = true;
        }
        state
    }
}
