//! Passes the values of options and the operands of each place on to what is done with them.
//!
//! Invariant (every operand): an operand that no place takes is an unknown, and a place without one keeps its default.

use engine_shell::{Count, Field};

use super::super::cut::{Cut, Operand};
use super::super::model::{ValueEffect, ValueKind};
use super::super::operands::{OperandList, OperandPlan, Place};
use super::super::partial::{basename, spaced};
use super::{From, Others, Touch};
use crate::effect::{EffectSource, Unknown, UnknownKind};

impl<'d> Touch<'_, 'd> {
    pub(super) fn given(&mut self, plan: &OperandPlan<'d>) {
        if self.cut.given.is_empty() {
            return;
        }
        let mut others = Others::default();
        for list in &plan.lists {
            self.gather(list, None, &mut others);
        }
        let cut = self.cut;
        for given in &cut.given {
            let from = From {
                name: given.flag.canonical().clone(),
                source: if given.set_aside {
                    EffectSource::SetAside
                } else {
                    EffectSource::Option
                },
                span: given.span,
                order: given.order,
            };
            for own in &given.flag.own {
                self.own_effect(own, &from, plan);
            }
            let mut run_seen = false;
            for (slot, field) in &given.values {
                for effect in slot.effects.iter().chain(self.besides(&given.flag.names)) {
                    if let Some(runs) = effect.kind.runs() {
                        // All its words together are one command line.
                        if !run_seen {
                            let words = given.values.iter().map(|(_, field)| field.clone()).collect();
                            self.command_line(runs, words, &from, plan);
                        }
                        run_seen = true;
                        continue;
                    }
                    let from = From {
                        span: field.span,
                        ..from.clone()
                    };
                    self.value(effect, field, &from, &others, &[]);
                }
            }
        }
    }

    /// Names and habits of the operands in a list, apart from one place.
    fn gather(&self, list: &OperandList<'d>, except: Option<usize>, others: &mut Others) {
        for (at, place) in list.places.iter().enumerate() {
            if Some(at) == except || place.arg.effects.is_empty() {
                continue;
            }
            others
                .names
                .extend(operands(self.cut, place).map(|operand| basename(&operand.field.value)));
            others.trees |= place
                .arg
                .effects
                .iter()
                .any(|effect| matches!(effect.kind, ValueKind::ReadsTree | ValueKind::DeletesTree));
        }
        others.names.dedup();
    }

    pub(super) fn list(&mut self, list: &OperandList<'d>) {
        let cut = self.cut;
        for (at, place) in list.places.iter().enumerate() {
            let mut others = Others::default();
            self.gather(list, Some(at), &mut others);
            for (nth, operand) in operands(cut, place).enumerate() {
                let from = From {
                    name: place.arg.name.clone(),
                    source: EffectSource::Operand,
                    span: operand.field.span,
                    order: operand.order,
                };
                for effect in &place.arg.effects {
                    if effect.kind.takes_the_rest() {
                        if nth == 0 {
                            self.rest(effect, list, at, &from);
                        }
                        continue;
                    }
                    self.value(effect, &operand.field, &from, &others, &[]);
                }
            }
            if !place.filled {
                self.absent(place, &others);
            }
        }
        let which = |unknown: &Unknown| unknown.kind == UnknownKind::Subcommand;
        let unknown_command = self.out.unknowns.iter().any(which);
        for at in list.unexplained.iter().filter(|_| !unknown_command) {
            if let Some(operand) = cut.operands.get(*at) {
                let why = match operand.field.known() {
                    Some(text) => format!("`{text}` is an operand that `{}` does not take", cut.program),
                    None => format!("an operand that `{}` does not take", cut.program),
                };
                self.unknown(UnknownKind::Value, operand.field.span, why);
            }
        }
    }

    /// A place that may be empty: its default, or the command line that is run without one.
    fn absent(&mut self, place: &Place<'d>, others: &Others) {
        let from = From {
            name: place.arg.name.clone(),
            source: EffectSource::Operand,
            span: self.program_span(),
            order: usize::MAX,
        };
        if let Some(default) = &place.arg.default {
            let field = Field::literal(default.clone(), from.span);
            for effect in &place.arg.effects {
                self.value(effect, &field, &from, others, &[]);
            }
        }
        if let Some(words) = self.default_run {
            let span = from.span;
            for effect in &place.arg.effects {
                if let Some(runs) = effect.kind.runs() {
                    let words = words
                        .iter()
                        .map(|word| Field::literal(word.clone(), span))
                        .collect();
                    self.command_line(runs, words, &from, &OperandPlan { lists: Vec::new() });
                }
            }
        }
    }

    /// An operand with which a command line begins, or a text for a shell.
    fn rest(&mut self, effect: &ValueEffect, list: &OperandList<'d>, at: usize, from: &From) {
        let Some((place, first)) = list
            .places
            .get(at)
            .and_then(|place| Some((place, *place.operands.first()?)))
        else {
            return;
        };
        let before = list.places.iter().take(at).flat_map(|place| &place.operands);
        let moved = list.uncertain
            && (before.clone().any(|index| *index >= first)
                || before
                    .filter_map(|index| self.cut.operands.get(*index))
                    .any(|operand| operand.field.count != Count::One));
        if moved {
            let why = "which word is the program is not known".to_owned();
            self.unknown(UnknownKind::Program, from.span, why);
        }
        let words: Vec<Field> = self
            .cut
            .operands
            .iter()
            .skip(first)
            .map(|operand| operand.field.clone())
            .collect();
        if let Some(runs) = effect.kind.runs() {
            let plan = OperandPlan { lists: Vec::new() };
            self.command_line(runs, words, from, &plan);
            return;
        }
        let (text, positional) = if place.arg.variadic {
            let text = Field {
                value: spaced(words.iter().map(|word| (&word.value, word.count == Count::One))),
                count: Count::One,
                span: words.iter().fold(from.span, |span, word| span.to(word.span)),
                ..words
                    .first()
                    .cloned()
                    .unwrap_or_else(|| Field::literal("", from.span))
            };
            (text, Vec::new())
        } else {
            let mut words = words.into_iter();
            let text = words.next().unwrap_or_else(|| Field::literal("", from.span));
            (text, words.collect())
        };
        self.value(effect, &text, from, &Others::default(), &positional);
    }
}

pub(super) fn operands<'a>(cut: &'a Cut<'_>, place: &'a Place<'_>) -> impl Iterator<Item = &'a Operand> {
    place.operands.iter().filter_map(|at| cut.operands.get(*at))
}
