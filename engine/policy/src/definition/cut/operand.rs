//! Takes a word as an operand or as the subcommand.
//!
//! Invariant (no guessed subcommand): where a subcommand is needed and the word is none for certain, it is an unknown.

use engine_shell::{Field, Value};

use super::super::model::{Block, Command, Test};
use super::super::operands::OperandPlan;
use super::super::partial::{begins, equals};
use super::{Cut, Operand};
use crate::effect::{UnknownKind, WordKind};

impl<'d> Cut<'d> {
    pub(super) fn operand(&mut self, field: Field) {
        if self.operands.is_empty() && !self.dashes && !self.current.commands.is_empty() {
            match self.subcommand(&field) {
                Ok(Some(command)) => {
                    self.descend(command, &field);
                    return;
                }
                Ok(None) => {}
                Err(why) => self.unknown(UnknownKind::Subcommand, field.span, why),
            }
        }
        self.push_word(WordKind::Operand, field.clone(), Vec::new());
        self.operands.push(Operand {
            field,
            after_dashes: self.dashes,
            order: self.order,
        });
        if self.current.operands_run && !self.ended {
            let plan = OperandPlan::new(self.current, &self.given, &self.operands);
            self.ended = plan.command_line_has_begun();
        }
    }

    fn subcommand(&self, field: &Field) -> Result<Option<&'d Command>, String> {
        let takes_operands = takes_operands(self.current);
        if let Some(text) = field.known() {
            return match self.current.subcommand(text) {
                Some(command) => Ok(Some(command)),
                None if takes_operands => Ok(None),
                None => Err(format!(
                    "`{text}` is not a known subcommand of `{}`",
                    self.called()
                )),
            };
        }
        let could_be = self.current.commands.iter().any(|command| {
            std::iter::once(&command.name)
                .chain(&command.aliases)
                .any(|name| match name.strip_suffix('*') {
                    Some(start) => begins(&field.value, start).possible(),
                    None => equals(&field.value, name).possible(),
                })
        });
        if takes_operands && !could_be {
            return Ok(None);
        }
        Err(format!("the subcommand of `{}` is not known", self.called()))
    }

    fn descend(&mut self, command: &'d Command, field: &Field) {
        let mut aside = Vec::new();
        self.words.retain(|word| {
            let keep = word.kind == WordKind::Command;
            if !keep {
                aside.push(word.field.clone());
            }
            keep
        });
        self.set_aside.append(&mut aside);
        for given in &mut self.given {
            given.set_aside = true;
        }
        self.chain.push(command);
        self.current = command;
        let value = if command.each {
            field.value.clone()
        } else {
            Value::Known(command.name.clone())
        };
        self.push_word(
            WordKind::Command,
            Field {
                value,
                ..field.clone()
            },
            Vec::new(),
        );
    }
}

/// Whether a command takes operands of its own, besides subcommands; with or without them it does something by itself.
pub(super) fn takes_operands(command: &Command) -> bool {
    !command.args.is_empty() || command.blocks.iter().any(block_about_operands)
}

fn block_about_operands(block: &Block) -> bool {
    !block.args.is_empty()
        || block.tests.iter().any(|test| match test {
            Test::Operands { .. } | Test::Operand { .. } => true,
            Test::Flags(_) | Test::Value { .. } => false,
        })
        || block.blocks.iter().any(block_about_operands)
}
