//! Facts about applying definitions, each with a small definition of its own.
#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "a test picks the effects it is about"
)]

mod conditions;
mod nested;
mod options;
mod reading;
mod subcommands;
mod touched;

use engine_shell::{Field, Value};

use super::apply::{ApplyContext, apply};
use super::example::fields;
use super::read_definitions;
use crate::effect::{EffectKind, Nested, UnknownKind, Use, WordKind};

fn used_with(definition: &str, words: &[Field], context: &ApplyContext) -> Use {
    let (definitions, problems) = read_definitions(definition);
    assert_eq!(problems, []);
    apply(&definitions[0], words, context)
}

fn used(definition: &str, command: &str) -> Use {
    used_with(definition, &fields(command), &ApplyContext::default())
}

fn shown(value: &Value) -> String {
    value.known().map_or_else(|| format!("{value:?}"), str::to_owned)
}

/// Every effect in a short form, in order.
fn effects(used: &Use) -> Vec<String> {
    used.effects
        .iter()
        .map(|effect| match &effect.kind {
            EffectKind::Reads(path) => format!("r{} {}", if path.tree { "*" } else { "" }, shown(&path.path)),
            EffectKind::Writes(path) => {
                format!("w{} {}", if path.tree { "*" } else { "" }, shown(&path.path))
            }
            EffectKind::Deletes(path) => {
                format!("d{} {}", if path.tree { "*" } else { "" }, shown(&path.path))
            }
            EffectKind::Connects(Some(host)) => format!("c {}", shown(host)),
            EffectKind::SetsEnv { name, value } => format!("{}={}", shown(name), shown(value)),
            other => format!("{other:?}"),
        })
        .collect()
}

fn kinds(used: &Use) -> Vec<UnknownKind> {
    used.unknowns.iter().map(|unknown| unknown.kind).collect()
}

fn normal(used: &Use) -> Vec<String> {
    used.words
        .iter()
        .map(|word| {
            let mark = match word.kind {
                WordKind::Command => "",
                WordKind::Option => "o:",
                WordKind::OptionValue => "v:",
                WordKind::EndOfOptions => "e:",
                WordKind::Operand => "a:",
            };
            format!("{mark}{}", shown(&word.field.value))
        })
        .collect()
}

fn argvs(used: &Use) -> Vec<Vec<String>> {
    used.nested
        .iter()
        .map(|nested| match nested {
            Nested::Argv { words, .. } => words.iter().map(|word| shown(&word.value)).collect(),
            Nested::Shell { text, .. } => vec!["sh".to_owned(), shown(&text.value)],
        })
        .collect()
}
