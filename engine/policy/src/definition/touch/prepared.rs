//! What bears on values wherever these stand: directories, globs and variables.
//!
//! Invariant (before all values): these are gathered before any value is looked at.

use engine_shell::{Origin, Value};
use smol_str::SmolStr;

use super::super::model::{Own, ValueEffect, ValueKind};
use super::super::operands::{OperandPlan, OwnEffect};
use super::super::partial::{beginning, join, no_narrower, no_wider, without_beginning};
use super::super::pick::picked;
use super::places::operands;
use super::{Change, From, Touch};
use crate::effect::EffectSource;

impl<'d> Touch<'_, 'd> {
    /// Directories, globs and variables first: they bear on values wherever these stand.
    pub(super) fn prepare(&mut self, plan: &OperandPlan<'d>, own: &[OwnEffect<'d>]) {
        let cut = self.cut;
        for given in &cut.given {
            for (slot, field) in &given.values {
                for effect in slot.effects.iter().chain(self.besides(&given.flag.names)) {
                    self.prepare_value(effect, &field.value, given.order);
                }
            }
        }
        for list in &plan.lists {
            for place in &list.places {
                for operand in operands(cut, place) {
                    for effect in &place.arg.effects {
                        self.prepare_value(effect, &operand.field.value, operand.order);
                    }
                }
            }
        }
        let some_narrow = !self.narrowed.is_empty();
        // An unknown glob narrows to anything.
        let narrowed: Option<Vec<_>> = self.narrowed.iter().map(no_narrower).collect();
        self.narrowed = narrowed.unwrap_or_default().concat();
        self.excluded = self.excluded.iter().filter_map(no_wider).collect();
        // Which of the two wins depends on their order.
        if some_narrow && !self.excluded.is_empty() {
            self.narrowed.clear();
            self.excluded.clear();
        }
        // What the program looks for by itself, whatever is left out of it; options that say so take its place.
        if !some_narrow {
            for (own, _) in own {
                if let Own::Narrows(globs) = own {
                    let globs = globs.iter().map(|glob| no_narrower(&Value::Known(glob.clone())));
                    self.narrowed.extend(globs.flatten().flatten());
                }
            }
        }
    }

    fn prepare_value(&mut self, effect: &ValueEffect, value: &Value, order: usize) {
        match effect.kind {
            ValueKind::ChangesDirectory { following } => {
                self.changes
                    .extend(picked(&effect.shape, value).into_iter().map(|value| Change {
                        value,
                        order,
                        following,
                    }));
            }
            ValueKind::Narrows => self.narrowed.extend(picked(&effect.shape, value)),
            ValueKind::Excludes => self.excluded.extend(picked(&effect.shape, value)),
            ValueKind::SetsEnv => self
                .env
                .extend(picked(&effect.shape, value).iter().map(assignment)),
            ValueKind::Reads
            | ValueKind::ReadsTree
            | ValueKind::Writes
            | ValueKind::WritesInto
            | ValueKind::WritesTree
            | ValueKind::Creates
            | ValueKind::Deletes
            | ValueKind::DeletesTree
            | ValueKind::Links
            | ValueKind::Connects { .. }
            | ValueKind::Runs(_)
            | ValueKind::RunsSplit
            | ValueKind::RunsShell { .. }
            | ValueKind::Evaluates(_)
            | ValueKind::LoadsCode
            | ValueKind::Appears => {}
        }
    }

    /// The directory that a value at this place is relative to.
    pub(super) fn below(&self, from: &From) -> Option<Value> {
        let operand = from.source == EffectSource::Operand;
        // The option that changes the directory is itself relative to the changes before it.
        let changes_it = !operand && self.changes.iter().any(|change| change.order == from.order);
        self.changes
            .iter()
            .filter(|change| !changes_it || change.order < from.order)
            .filter(|change| !change.following || (operand && change.order < from.order))
            .fold(None, |so_far, change| {
                Some(match so_far {
                    Some(before) => join(&before, &change.value),
                    None => change.value.clone(),
                })
            })
    }
}

/// NAME=VALUE; a name alone leaves the value to the environment.
pub(super) fn assignment(value: &Value) -> (Value, Value) {
    let start = beginning(value);
    match start.split_once('=') {
        Some((name, _)) => (
            Value::Known(SmolStr::new(name)),
            without_beginning(value, name.len() + 1),
        ),
        None if value.known().is_some() => (value.clone(), Value::Unknown(Origin::Variable)),
        None => (Value::Unknown(Origin::Variable), Value::Unknown(Origin::Variable)),
    }
}
