//! What nothing uses: `unused-set`, `untested`.

use std::collections::HashSet;

use super::{Context, Finding, Lint, fix};
use crate::document::{Alternatives, Condition, Document, SetMembers, Subject};
use crate::pattern::Term;
use crate::source::{Place, Spanned};
use crate::testing::run_tests;

pub(super) fn lint(context: &Context<'_>, findings: &mut Vec<Finding>) {
    sets(context, findings);
    tests(context, findings);
}

fn sets(context: &Context<'_>, findings: &mut Vec<Finding>) {
    let mut used: HashSet<&str> = HashSet::new();
    for document in context.input.documents {
        used_by_rules(document, &mut used);
    }
    // A set that only unused sets name is unused.
    loop {
        let before = used.len();
        for set in context.input.documents.iter().flat_map(|document| &document.sets) {
            if !used.contains(set.value.name.value.as_str()) {
                continue;
            }
            match &set.value.members {
                SetMembers::Paths(members) => named(members, &mut used),
                SetMembers::Hosts(members) => named(members, &mut used),
                SetMembers::Commands(members) => named(members, &mut used),
            }
        }
        if used.len() == before {
            break;
        }
    }
    for set in context.documents().flat_map(|document| &document.sets) {
        let name = &set.value.name;
        if !used.contains(name.value.as_str()) {
            let fix = fix::remove_node(context.input.sources, set.place);
            findings.push(
                Finding::new(
                    Lint::UnusedSet,
                    format!("no rule uses the set `@{}`", name.value),
                    name.place,
                )
                .help(format!("write `@{}` in a rule, or remove the set", name.value))
                // Another file may build on it.
                .fix(fix.map(|fix| fix::Fix { safe: false, ..fix })),
            );
        }
    }
}

fn used_by_rules<'a>(document: &'a Document, used: &mut HashSet<&'a str>) {
    for rule in document.blocks.iter().flat_map(|block| &block.value.rules) {
        match &rule.value.subject {
            Subject::Command(terms) => named(terms, used),
            Subject::Read(terms) | Subject::Write(terms) | Subject::Delete(terms) => named(terms, used),
            Subject::Network(terms) => named(terms, used),
            Subject::Tool(_)
            | Subject::Env(_)
            | Subject::Agent(_)
            | Subject::Skill(_)
            | Subject::Mode(_)
            | Subject::Short(_) => {}
        }
        for condition in &rule.value.conditions {
            match &condition.value {
                Condition::OperandsWithin(terms) | Condition::Cwd(terms) => {
                    used.extend(terms.iter().filter_map(set_name));
                }
                Condition::Flag(_)
                | Condition::WithoutFlag(_)
                | Condition::Operand { .. }
                | Condition::Env(_)
                | Condition::PipedInto(_)
                | Condition::InPipeline(_)
                | Condition::Background(_)
                | Condition::Via(_)
                | Condition::Input { .. } => {}
            }
        }
    }
}

fn named<'a, P>(alternatives: &'a Alternatives<Term<P>>, used: &mut HashSet<&'a str>) {
    let terms = alternatives.patterns.iter().chain(&alternatives.except);
    used.extend(terms.filter_map(set_name));
}

fn set_name<P>(term: &Spanned<Term<P>>) -> Option<&str> {
    match &term.value {
        Term::Set(name) => Some(name),
        Term::Pattern(_) => None,
    }
}

/// Rules that no test decides.
fn tests(context: &Context<'_>, findings: &mut Vec<Finding>) {
    let Some(plan) = context.input.plan else { return };
    for document in context.documents() {
        if document.blocks.iter().all(|block| block.value.rules.is_empty()) {
            continue;
        }
        if document.tests.is_empty() {
            let first = document.blocks.first().map(|block| block.value.effect.place);
            let place = document
                .name
                .as_ref()
                .map_or(first.unwrap_or_default(), |name| name.place);
            findings.push(
                Finding::new(Lint::Untested, "this policy has no tests", place)
                    .help("write `tests { allow \"...\"; deny \"...\" }` with calls that must be decided so"),
            );
            continue;
        }
        let decided: HashSet<Place> = run_tests(plan, std::slice::from_ref(document))
            .iter()
            .flat_map(|result| &result.decision.steps)
            .filter_map(|step| step.why.rule()?.info(plan))
            .map(|info| info.place)
            .collect();
        for block in &document.blocks {
            for rule in &block.value.rules {
                if decided.contains(&rule.place) {
                    continue;
                }
                let mut finding = Finding::new(
                    Lint::Untested,
                    "no test of this policy is decided by this rule",
                    rule.place,
                )
                .help("add a call that it decides to `tests`");
                finding.block = block.value.name.as_ref().map(|name| name.value.clone());
                findings.push(finding);
            }
        }
    }
}
