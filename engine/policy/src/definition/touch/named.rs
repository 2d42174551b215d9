//! Files that are written under names made from values.
//!
//! Invariant (never narrower): a name of which a part is not known may be any path.

use engine_shell::{Origin, Value};
use smol_str::SmolStr;

use super::{From, Others, Touch};
use crate::definition::model::{ValueEffect, ValueKind};
use crate::definition::partial::ending;
use crate::definition::pick::{opened, with_suffix, without_ending};
use crate::effect::EffectKind;

impl Touch<'_, '_> {
    /// What may be put at the end of a name; `None` where nothing is.
    pub(super) fn suffixes(&self, effect: &ValueEffect) -> Vec<Option<Value>> {
        let renaming = &effect.renaming;
        let default = || renaming.suffix.clone().map(Value::Known);
        let Some(option) = &renaming.suffix_from else {
            return vec![default()];
        };
        let mut found = Vec::new();
        let mut certain = false;
        for given in &self.cut.given {
            if given.flag.names.contains(option) {
                let value = given.values.first().map(|(_, field)| field.value.clone());
                certain |= given.certain;
                found.extend(value.or_else(default).map(Some));
            }
        }
        if !certain {
            found.extend(default().map(Some));
        }
        found
    }

    /// A file that is written under a name made from a value.
    pub(super) fn renamed(
        &mut self,
        effect: &ValueEffect,
        value: &Value,
        suffix: Option<&Value>,
        from: &From,
        others: &Others,
    ) {
        let mut endings = effect.renaming.without.clone();
        if let Some(option) = &effect.renaming.without_from {
            let cut = self.cut;
            for given in cut.given.iter().filter(|given| given.flag.names.contains(option)) {
                match given.values.first().map(|(_, field)| field.known()) {
                    Some(Some(ending)) => endings.push((ending.into(), SmolStr::default())),
                    Some(None) => {
                        self.writes(Value::Unknown(Origin::Variable), false, from);
                        return;
                    }
                    None => {}
                }
            }
        }
        let made = |value: &Value| {
            let value = if endings.is_empty() {
                value.clone()
            } else {
                without_ending(value, &endings)
            };
            let value = match suffix {
                Some(suffix) => with_suffix(&value, suffix),
                None => value,
            };
            if effect.renaming.open {
                opened(&value)
            } else {
                value
            }
        };
        let into = effect.kind == ValueKind::WritesInto;
        // A name that ends with a slash is a directory's.
        if !(into && ending(value).ends_with('/')) {
            self.writes(made(value), false, from);
        }
        if into && !others.names.is_empty() {
            let mut path = self.path(value.clone(), false, from);
            path.into = others.names.iter().map(made).collect();
            self.effect(EffectKind::Writes(path), from);
        }
    }
}
