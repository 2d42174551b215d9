//! Files that hold secrets and are allowed: `allows-secrets`.
//!
//! Which files those are is what the shipped base policy calls `@secrets`.

use super::contain::{Cover, Shape, covers, shape};
use super::groups::{Group, What, groups};
use super::{Context, Finding, Lint};
use crate::document::{Document, Outcome};
use crate::load::shipped;
use crate::read::{Format, read};
use crate::source::Sources;

pub(super) fn lint(context: &Context<'_>, findings: &mut Vec<Finding>) {
    let wanted = context.own_groups().any(|group| group.outcome == Outcome::Allow);
    let Some(text) = shipped("builtin:base").filter(|_| wanted) else {
        return;
    };
    let (Some(mut document), _) = read("builtin:base", text, Format::Kdl, &mut Sources::new()) else {
        return;
    };
    document.blocks.retain(|block| {
        block.value.effect.value == Outcome::Deny
            && block
                .value
                .name
                .as_ref()
                .is_some_and(|name| name.value == "secrets")
    });
    let documents: [Document; 1] = [document];
    let guards = groups(&documents, &[]);
    let shapes: Vec<(&Group<'_>, Shape<'_>)> = guards
        .iter()
        .flat_map(|group| group.patterns.iter().map(move |item| (group, item)))
        .filter_map(|(group, item)| Some((group, shape(item, Outcome::Deny, false)?)))
        .collect();
    for group in context
        .own_groups()
        .filter(|group| group.outcome == Outcome::Allow)
    {
        for item in &group.patterns {
            let What::Path(..) = item.what else { continue };
            let Some(own) = shape(item, Outcome::Allow, false) else {
                continue;
            };
            let secret = shapes.iter().any(|(guard, guarded)| {
                let public = guard
                    .except
                    .iter()
                    .filter_map(|except| shape(except, Outcome::Deny, true))
                    .any(|public| covers(&public, &own, Cover::AtAll));
                !public && covers(guarded, &own, Cover::AtAll)
            });
            if secret {
                findings.push(
                    Finding::new(
                        Lint::AllowsSecrets,
                        format!(
                            "{} holds keys, tokens or passwords",
                            context.input.sources.text(item.place)
                        ),
                        item.place,
                    )
                    .of(group)
                    .help("let a program that needs the secret read it, and keep it from the agent"),
                );
            }
        }
    }
}
