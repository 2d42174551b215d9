//! What a program, subcommand, option or block does by itself.
//!
//! Invariant (no own effect lost): each of them becomes an effect, an unknown or a mark of the use.

use engine_shell::{Origin, Value};
use smol_str::SmolStr;

use super::super::model::Own;
use super::super::operands::{Cause, OperandPlan, OwnEffect};
use super::super::partial::affixed;
use super::places::operands;
use super::{From, Touch};
use crate::effect::{EffectKind, EffectSource, UnknownKind};

impl<'d> Touch<'_, 'd> {
    pub(super) fn own(&mut self, plan: &OperandPlan<'d>, own: Vec<OwnEffect<'d>>) {
        let span = self
            .out
            .words
            .iter()
            .take(self.cut.chain.len())
            .fold(self.program_span(), |span, word| span.to(word.field.span));
        for (own, cause) in own {
            let from = match cause {
                Some(Cause {
                    span,
                    name,
                    set_aside,
                }) => From {
                    name,
                    source: if set_aside {
                        EffectSource::SetAside
                    } else {
                        EffectSource::Option
                    },
                    span,
                    order: 0,
                },
                None => From {
                    name: SmolStr::default(),
                    source: EffectSource::Own,
                    span,
                    order: 0,
                },
            };
            self.own_effect(own, &from, plan);
        }
    }

    pub(super) fn own_effect(&mut self, own: &'d Own, from: &From, plan: &OperandPlan<'d>) {
        match own {
            Own::Changes { destructive } => self.effect(
                EffectKind::Changes {
                    destructive: *destructive,
                },
                from,
            ),
            Own::Network => self.effect(EffectKind::Connects(None), from),
            Own::Privileged => self.effect(EffectKind::Privileged, from),
            Own::Background => self.effect(EffectKind::Background, from),
            Own::Interactive => self.effect(EffectKind::Interactive, from),
            Own::ReadsStdin => self.out.reads_stdin = true,
            // Taken into account before any path is.
            Own::Narrows(_) => {}
            Own::RunsStdin(language) => self.out.runs_stdin = Some(language.clone()),
            Own::State(what) => self.effect(EffectKind::State(what.clone()), from),
            Own::PrintsPaths { arg, bare } => {
                self.out.prints_paths = Some(if !self.changes.is_empty() {
                    Value::Unknown(Origin::Input)
                } else if arg == "." {
                    Value::Below(SmolStr::default())
                } else {
                    self.found(plan, Some(arg), *bare)
                });
            }
            Own::Unknown(why) => self.unknown(UnknownKind::Stated, from.span, why.to_string()),
            Own::ReadsAmong(directory) => self.reads(Value::Below(directory.clone()), false, from),
            Own::ReadsListed(why) => {
                self.unknown(UnknownKind::Stated, from.span, why.to_string());
                self.reads(Value::Unknown(Origin::Input), false, from);
            }
            Own::WritesListed(why) => {
                self.unknown(UnknownKind::Stated, from.span, why.to_string());
                self.writes(Value::Unknown(Origin::Input), false, from);
            }
            Own::Consults { file, keys, because } => self.effect(
                EffectKind::Consults {
                    file: file.clone(),
                    keys: keys.clone(),
                    because: because.clone(),
                },
                from,
            ),
            Own::Reads { path, tree } => self.reads(Value::Known(path.clone()), *tree, from),
            Own::Writes { path, tree } => self.writes(Value::Known(path.clone()), *tree, from),
            Own::Evaluates(language) => self.effect(EffectKind::Evaluates(language.clone()), from),
            Own::RunsDefault(words) => self.default_run = Some(words),
            Own::Warns { text, containing } => self.warn(text, containing),
        }
    }

    /// A warning, if it is about these words or what comes on standard input; what is not known of them may be anything.
    fn warn(&mut self, text: &SmolStr, containing: &[SmolStr]) {
        let speaks = |known: &str| {
            let known = known.to_lowercase();
            let plain: Vec<&str> = known.split_whitespace().collect();
            let plain = plain.join(" ");
            containing.iter().any(|part| plain.contains(part.as_str()))
        };
        let mut words = self.out.words.iter();
        let about = containing.is_empty()
            || words.any(|word| word.field.known().is_none_or(speaks))
            || self.context.stdin_may_be_any
            || self.context.stdin_text.as_deref().is_some_and(speaks);
        if about && !self.out.warnings.contains(text) {
            self.out.warnings.push(text.clone());
        }
    }

    /// The paths that are found below the operands.
    pub(super) fn found(&self, plan: &OperandPlan<'d>, name: Option<&SmolStr>, bare: bool) -> Value {
        let mut roots: Vec<Value> = Vec::new();
        for place in plan.lists.iter().flat_map(|list| &list.places) {
            let wanted = match name {
                Some(name) => place.arg.name == *name,
                None => !place.arg.effects.is_empty(),
            };
            if !wanted {
                continue;
            }
            roots.extend(operands(self.cut, place).map(|operand| operand.field.value.clone()));
            if !place.filled && !bare {
                roots.extend(place.arg.default.clone().map(Value::Known));
            }
        }
        roots.dedup();
        below_all(&roots)
    }
}

/// Paths at or below one of these.
fn below_all(roots: &[Value]) -> Value {
    let inside = |text: &str| !text.starts_with('/') && text.split('/').all(|part| part != "..");
    match roots {
        [Value::Known(root)] => {
            let trimmed = root.trim_end_matches('/');
            if trimmed.is_empty() {
                return affixed(SmolStr::new_static("/"), SmolStr::default());
            }
            Value::Below(SmolStr::new(trimmed))
        }
        [Value::Below(root)] => Value::Below(root.clone()),
        [] => Value::Below(SmolStr::default()),
        several => {
            let all_inside = several.iter().all(|root| match root {
                Value::Known(text) | Value::Below(text) => inside(text),
                Value::OneOf(all) => all.iter().all(|text| inside(text)),
                // A wildcard stands for no `..`, since it begins with a dot.
                Value::Glob(pattern) => {
                    inside(pattern) && !pattern.starts_with(['[', '\\']) && !pattern.contains("/[")
                }
                Value::Integer => true,
                Value::Affixed { .. } | Value::Descriptor | Value::Unknown(_) => false,
            });
            if all_inside {
                Value::Below(SmolStr::default())
            } else {
                Value::Unknown(Origin::Input)
            }
        }
    }
}
