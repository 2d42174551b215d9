//! What is done with one value.
//!
//! Invariant (every kind): each kind of value becomes an effect here, or is gathered before or as a whole command line.

use engine_shell::{Field, Language, Value};
use smol_str::SmolStr;

use super::super::model::{Follows, OrPath, ValueEffect, ValueKind};
use super::super::partial::{beginning, join, texts};
use super::super::pick::picked;
use super::prepared::assignment;
use super::{From, Others, Text, Touch};
use crate::effect::{EffectKind, Nested};
use crate::truth::Truth;

/// Programs that a text of theirs is for themselves.
const SHELLS: &[&str] = &["ash", "bash", "dash", "ksh", "mksh", "sh", "zsh"];

impl Touch<'_, '_> {
    /// One effect of one value.
    pub(super) fn value(
        &mut self,
        effect: &ValueEffect,
        field: &Field,
        from: &From,
        others: &Others,
        positional: &[Field],
    ) {
        for value in picked(&effect.shape, &field.value) {
            if effect.renaming.is_none() {
                self.picked_value(effect, value, field, from, others, positional);
                continue;
            }
            // What a program writes beside a file is written there, whatever the file's name may be.
            for suffix in self.suffixes(effect) {
                self.renamed(effect, &value, suffix.as_ref(), from, others);
            }
        }
    }

    /// One effect of one path or text.
    fn picked_value(
        &mut self,
        effect: &ValueEffect,
        value: Value,
        field: &Field,
        from: &From,
        others: &Others,
        positional: &[Field],
    ) {
        let stream = effect.dash && value.known() == Some("-");
        match &effect.kind {
            ValueKind::Reads | ValueKind::ReadsTree | ValueKind::Writes if stream => {}
            ValueKind::Reads => self.reads(value, false, from),
            ValueKind::ReadsTree => self.reads_through(value, true, effect.follows, from),
            ValueKind::Writes | ValueKind::Creates => self.writes(value, false, from),
            ValueKind::WritesTree => self.writes(value, true, from),
            ValueKind::WritesInto => {
                let mut path = self.path(value, others.trees, from);
                path.into.clone_from(&others.names);
                self.effect(EffectKind::Writes(path), from);
            }
            ValueKind::Deletes => {
                let path = self.path(value, false, from);
                self.effect(EffectKind::Deletes(path), from);
            }
            ValueKind::DeletesTree => {
                let path = self.path(value, true, from);
                self.effect(EffectKind::Deletes(path), from);
            }
            ValueKind::Links => {
                self.reads(value.clone(), true, from);
                self.writes(value, true, from);
            }
            ValueKind::Connects { or } => self.connects(value, *or, effect.follows, from),
            ValueKind::RunsSplit => self.split(&value, field, from),
            ValueKind::RunsShell { remote, shell, .. } => {
                let program = self.cut.program.as_str();
                let shell = match shell {
                    Some(shell) => shell.clone(),
                    None if SHELLS.contains(&program) => SmolStr::new(program),
                    None => SmolStr::new_static("sh"),
                };
                let below = self.below(from);
                self.nest(Nested::Shell {
                    text: Field {
                        value,
                        ..field.clone()
                    },
                    positional: positional.to_vec(),
                    shell,
                    remote: *remote,
                    below,
                    span: from.span,
                });
            }
            ValueKind::Evaluates(language) => match language.parse::<Language>() {
                Ok(language) => {
                    let part = Field {
                        value,
                        ..field.clone()
                    };
                    // Texts of one language at several options are one program.
                    match self
                        .programs
                        .iter_mut()
                        .find(|program| program.language == language)
                    {
                        Some(program) if !program.parts.contains(&part) => program.parts.push(part),
                        Some(_) => {}
                        None => self.programs.push(Text {
                            language,
                            parts: vec![part],
                            from: from.clone(),
                        }),
                    }
                }
                Err(_) => self.effect(EffectKind::Evaluates(language.clone()), from),
            },
            ValueKind::LoadsCode => {
                let value = match self.below(from) {
                    Some(below) => join(&below, &value),
                    None => value,
                };
                self.effect(EffectKind::LoadsCode(value), from);
            }
            ValueKind::SetsEnv => {
                let (name, value) = assignment(&value);
                self.effect(EffectKind::SetsEnv { name, value }, from);
            }
            // Command lines are gathered whole, and the others are prepared before.
            ValueKind::Runs(_)
            | ValueKind::ChangesDirectory { .. }
            | ValueKind::Narrows
            | ValueKind::Excludes
            | ValueKind::Appears => {}
        }
    }

    fn connects(&mut self, value: Value, or: Option<OrPath>, follows: Follows, from: &From) {
        let Some(or) = or else {
            self.effect(EffectKind::Connects(Some(value)), from);
            return;
        };
        let remote = names_host(&value);
        if remote != Truth::Yes {
            match or {
                OrPath::Read => self.reads_through(value.clone(), true, follows, from),
                OrPath::Write => self.writes(value.clone(), true, from),
                OrPath::ReadFile | OrPath::WriteFile if value.known() == Some("-") => {}
                OrPath::ReadFile => self.reads(value.clone(), false, from),
                OrPath::WriteFile => self.writes(value.clone(), false, from),
            }
        }
        if remote != Truth::No {
            self.effect(EffectKind::Connects(Some(value)), from);
        }
    }
}

/// Whether a value names a host rather than a path: a scheme, or a colon before any slash.
fn names_host(value: &Value) -> Truth {
    let of = |text: &str| {
        let before = text.split('/').next().unwrap_or(text);
        before.contains(':')
    };
    if let Some(all) = texts(value) {
        return all
            .iter()
            .map(|text| Truth::known(of(text)))
            .reduce(|one, other| if one == other { one } else { Truth::Maybe })
            .unwrap_or(Truth::Maybe);
    }
    let start = beginning(value);
    if of(&start) {
        Truth::Yes
    } else if start.contains('/') {
        Truth::No
    } else {
        Truth::Maybe
    }
}
