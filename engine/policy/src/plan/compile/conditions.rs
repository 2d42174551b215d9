//! Compiles the conditions of a rule.
//!
//! Invariant (none left out): every condition of a rule becomes one of the plan; a place that one names becomes a path index.

use super::super::end::End;
use super::super::kept::number;
use super::super::paths::PathIndexDraft;
use super::super::{CompiledCondition, PathIndex};
use super::sets::{Owner, paths_of};
use super::{Compiler, UNWRITABLE};
use crate::document::{Condition, Outcome};
use crate::pattern::{FlagPattern, PathPattern, Term};
use crate::source::{Place, Spanned};

impl<'a> Compiler<'a> {
    pub(super) fn conditions(
        &mut self,
        outcome: Outcome,
        conditions: &'a [Spanned<Condition>],
    ) -> Vec<CompiledCondition> {
        let values = |flags: &[Spanned<FlagPattern>]| flags.iter().map(|flag| flag.value.clone()).collect();
        let mut compiled = Vec::new();
        for condition in conditions {
            compiled.push(match &condition.value {
                Condition::Flag(flags) => CompiledCondition::Flag(values(flags)),
                Condition::WithoutFlag(flags) => CompiledCondition::WithoutFlag(values(flags)),
                Condition::OperandsWithin(terms) => {
                    CompiledCondition::OperandsWithin(self.within(outcome, terms))
                }
                Condition::Operand { index, patterns } => CompiledCondition::Operand(
                    index.value,
                    patterns.iter().map(|pattern| pattern.value.clone()).collect(),
                ),
                Condition::Env(patterns) => {
                    CompiledCondition::Env(patterns.iter().map(|pattern| pattern.value.clone()).collect())
                }
                Condition::Cwd(terms) => CompiledCondition::Cwd(self.within(outcome, terms)),
                Condition::PipedInto(programs) => CompiledCondition::PipedInto(
                    programs.iter().map(|program| program.value.clone()).collect(),
                ),
                Condition::InPipeline(wanted) => CompiledCondition::InPipeline(*wanted),
                Condition::Background(wanted) => CompiledCondition::Background(*wanted),
                Condition::Via(tools) => {
                    CompiledCondition::Via(tools.iter().map(|tool| tool.value.clone()).collect())
                }
                Condition::Input { field, patterns } => CompiledCondition::Input(
                    field.value.clone(),
                    patterns.iter().map(|pattern| pattern.value.clone()).collect(),
                ),
            });
        }
        compiled
    }

    fn within(&mut self, outcome: Outcome, terms: &'a [Spanned<Term<PathPattern>>]) -> u32 {
        let mut index = PathIndexDraft::default();
        for term in terms {
            let (mut patterns, mut except) = (Vec::new(), Vec::new());
            self.flatten(
                term,
                paths_of,
                (Owner::of(self.standing), 0),
                &mut patterns,
                &mut except,
            );
            for (list, end) in [(patterns, End::of(0)), (except, End::out_of(0))] {
                for (pattern, _) in list {
                    for way in &pattern.alternatives {
                        let reach = pattern.anchor.reach(outcome);
                        for (reach, way) in self.placed(outcome, reach, way) {
                            index.insert(reach, &way, true, end);
                        }
                    }
                }
            }
        }
        let index = index.set().unwrap_or_else(|| {
            let place = terms.first().map_or_else(Place::default, |term| term.place);
            self.problem(UNWRITABLE.0, UNWRITABLE.1.to_owned(), place, None);
            PathIndex::default()
        });
        self.plan.places.push(index);
        number(self.plan.places.len() - 1)
    }
}
