//! What program texts in other languages do.
//!
//! Invariant (not understood is unknown): a text that is not known or not understood is an unknown.

use engine_shell::{Field, Origin, ProgramEffectKind, Value, analyse_program};
use smol_str::SmolStr;

use super::{Text, Touch};
use crate::effect::{EffectKind, Nested, UnknownKind};

impl Touch<'_, '_> {
    /// What the programs in other languages do.
    pub(super) fn programs(&mut self) {
        for Text {
            language,
            parts,
            from,
        } in std::mem::take(&mut self.programs)
        {
            let texts: Option<Vec<&str>> = parts.iter().map(Field::known).collect();
            let Some(texts) = texts else {
                let why = format!("the {} program is not known", language.name());
                self.unknown(UnknownKind::Value, from.span, why);
                continue;
            };
            let effects = match analyse_program(language, &texts.join("\n")) {
                Ok(effects) => effects,
                Err(error) => {
                    let why = format!("the {} program is not understood: {error}", language.name());
                    self.unknown(UnknownKind::Value, from.span, why);
                    continue;
                }
            };
            for effect in effects {
                match effect.kind {
                    ProgramEffectKind::ReadsFile(path) => self.reads(path, false, &from),
                    ProgramEffectKind::WritesFile(path) => self.writes(path, false, &from),
                    ProgramEffectKind::RunsShell(text) => {
                        let below = self.below(&from);
                        if text.is_none() {
                            let why =
                                format!("the {} program runs a command that is not known", language.name());
                            self.unknown(UnknownKind::Program, from.span, why);
                        }
                        // A text that is not known is one for the shell all the same, which no rule for the program covers.
                        let text = Field {
                            value: text.map_or(Value::Unknown(Origin::Input), Value::Known),
                            ..Field::literal("", from.span)
                        };
                        self.nest(Nested::Shell {
                            text,
                            positional: Vec::new(),
                            shell: SmolStr::new_static("sh"),
                            remote: false,
                            below,
                            span: from.span,
                        });
                    }
                    ProgramEffectKind::Connects(address) => {
                        self.effect(EffectKind::Connects(Some(address)), &from);
                    }
                    ProgramEffectKind::ReadsEnvironment => {
                        let why = format!("the {} program reads the environment", language.name());
                        self.unknown(UnknownKind::Stated, from.span, why);
                    }
                    ProgramEffectKind::LoadsCode(value) => self.effect(EffectKind::LoadsCode(value), &from),
                    ProgramEffectKind::NamesInput => {}
                }
            }
        }
    }
}
