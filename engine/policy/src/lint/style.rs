//! What reads differently from what it does: `not-a-prefix`, `not-the-root`, `instead-denied`, `deny-without-because`, `empty-policy`.

use super::fix::{self, Fix};
use super::groups::{Group, Item, What};
use super::{Context, Finding, Lint, lines};
use crate::document::{Document, Outcome};
use crate::pattern::{CommandPart, CommandPattern, PathAnchor, WordPattern, WordPiece};
use crate::source::Place;

/// Directories below the root that no project has. Source: hier(7), and the folders of macOS.
const BELOW_ROOT: &[&str] = &[
    "bin",
    "boot",
    "dev",
    "etc",
    "home",
    "lib",
    "mnt",
    "opt",
    "private",
    "proc",
    "root",
    "run",
    "sbin",
    "srv",
    "sys",
    "tmp",
    "usr",
    "var",
    "Applications",
    "Library",
    "System",
    "Users",
    "Volumes",
];

pub(super) fn lint(context: &Context<'_>, findings: &mut Vec<Finding>) {
    for document in context.documents() {
        empty(document, findings);
        for block in &document.blocks {
            let block = &block.value;
            if block.effect.value == Outcome::Deny && block.because.is_none() && !block.rules.is_empty() {
                let mut finding = Finding::new(Lint::DenyWithoutBecause, "this `deny` does not say why", block.effect.place)
                    .help("write `because=\"...\"`; an agent that knows the reason looks for another way instead of trying again");
                finding.block = block.name.as_ref().map(|name| name.value.clone());
                findings.push(finding);
            }
            instead(context, block, findings);
        }
    }
    for group in context.own_groups() {
        for item in group
            .patterns
            .iter()
            .chain(&group.except)
            .filter(|item| context.is_own(item.place))
        {
            findings.extend(not_a_prefix(context, group, item));
            findings.extend(not_the_root(context, group, item));
        }
    }
    // Members of a set that several rules name are met as often.
    findings.sort_by_key(|finding| (finding.lint, finding.place()));
    findings.dedup_by(|one, other| one.lint == other.lint && one.place() == other.place());
}

fn empty(document: &Document, findings: &mut Vec<Finding>) {
    let says = !document.extends.is_empty()
        || !document.commands.is_empty()
        || !document.sets.is_empty()
        || !document.blocks.is_empty()
        || !document.defaults.kinds.is_empty()
        || document.defaults.headless.is_some()
        || !document.checks.is_empty()
        || !document.modes.rules.is_empty()
        || document.modes.start.is_some()
        || !document.lock.is_empty()
        || !document.limits.is_empty()
        || !document.tests.is_empty()
        || !document.sandbox.is_empty()
        || !document.budgets.is_empty()
        || !document.defer.is_empty()
        || !document.hooks.is_empty()
        || !document.session.lines.is_empty();
    if !says {
        findings.push(
            Finding::new(
                Lint::EmptyPolicy,
                "this policy says nothing, so that the defaults decide everything",
                document.whole.place,
            )
            .help("write `policy \"name\" { extends \"builtin:base\" }` to start from the shipped policy"),
        );
    }
    for block in document
        .blocks
        .iter()
        .filter(|block| block.value.rules.is_empty())
    {
        let mut finding = Finding::new(
            Lint::EmptyPolicy,
            "this block has no rule",
            block.value.effect.place,
        )
        .help("write its rules, or remove it");
        finding.block = block.value.name.as_ref().map(|name| name.value.clone());
        findings.push(finding);
    }
}

/// What to do instead should not be denied as well.
fn instead(context: &Context<'_>, block: &crate::document::Block, findings: &mut Vec<Finding>) {
    let (Some(plan), Some(instead)) = (context.input.plan, &block.instead) else {
        return;
    };
    let decision = lines::decided(plan, &instead.value);
    // Most are prose, which a strict default denies as a command that nobody knows.
    let by_rule = |step: &&crate::verdict::Step| step.why.rule().is_some();
    let Some(step) = decision
        .reasons()
        .find(by_rule)
        .filter(|_| decision.outcome == Outcome::Deny)
    else {
        return;
    };
    let by = step.why.describe(plan);
    let mut finding = Finding::new(
        Lint::InsteadDenied,
        format!("`{}` is denied as well, by {by}", instead.value),
        instead.place,
    )
    .help("name something that may be done");
    finding.block = block.name.as_ref().map(|name| name.value.clone());
    findings.push(finding);
}

fn not_a_prefix(context: &Context<'_>, group: &Group<'_>, item: &Item<'_>) -> Option<Finding> {
    let text = context.input.sources.text(item.place);
    match item.what {
        What::Command(pattern) => {
            let stem = glued_word(pattern)?;
            let whole = pattern.text.strip_suffix('*')?;
            let fix = inside(text, &format!("{whole}*"), item.place)
                .map(|place| fix::replace(place, format!("{whole} ..."), false));
            Some(
                Finding::new(
                    Lint::NotAPrefix,
                    format!(
                        "the star in {text} ends the word `{stem}`; it does not stand for the words after it"
                    ),
                    item.place,
                )
                .of(group)
                .help(format!("write `{whole} ...` for this word and any further ones"))
                .fix(fix),
            )
        }
        What::Text(pattern) => {
            let stem = pattern.glued_star()?;
            let at = text.rfind('*')?;
            let star = item.place.span.start as usize + at;
            let place = item.place.at(engine_shell::Span::new(star, star + 1));
            // Fewer commands are allowed then, never more.
            let fix = fix::replace(place, ":*".to_owned(), group.outcome == Outcome::Allow);
            Some(
                Finding::new(
                    Lint::NotAPrefix,
                    format!("the star in {text} has no word boundary before it, so that longer words than `{stem}` match too"),
                    item.place,
                )
                .of(group)
                .help(format!("write `{}` for this word and any further ones", text.trim_matches('"').replace("*)", ":*)")))
                .fix(Some(fix)),
            )
        }
        What::Path(..) | What::Host(_) | What::Name(..) | What::Env(_) | What::Mode(_) => None,
    }
}

/// The word that a last star is glued to, where the star is meant for the words after it.
fn glued_word(pattern: &CommandPattern) -> Option<String> {
    let word = match (pattern.rest.last(), pattern.programs.as_slice()) {
        (Some(CommandPart::Word(word)), _) => word,
        (None, [crate::pattern::ProgramPattern::Name(word)]) => word,
        (Some(_) | None, _) => return None,
    };
    glued(word)
}

fn glued(word: &WordPattern) -> Option<String> {
    match word.pieces.as_slice() {
        [WordPiece::Text(text), WordPiece::AnyText] => {
            let plain = !text.starts_with(['-', '+']) && !text.contains(['/', '=', ':', '.', '@', '#', '%']);
            (plain && text.ends_with(char::is_alphanumeric)).then(|| text.to_string())
        }
        _ => None,
    }
}

/// The place of a text inside a value that is written as it is.
fn inside(written: &str, text: &str, place: Place) -> Option<Place> {
    let at = place.span.start as usize + written.find(text)?;
    Some(place.at(engine_shell::Span::new(at, at + text.len())))
}

fn not_the_root(context: &Context<'_>, group: &Group<'_>, item: &Item<'_>) -> Option<Finding> {
    let short = group.short()?;
    let What::Path(_, path) = item.what else {
        return None;
    };
    let written = path.text.as_str();
    let first = written.strip_prefix('/')?.split('/').next()?;
    if path.anchor != PathAnchor::Project || !BELOW_ROOT.contains(&first) {
        return None;
    }
    let text = context.input.sources.text(item.place);
    let fix: Option<Fix> = inside(text, &format!("({written}"), item.place)
        .map(|place| fix::replace(place, format!("(/{written}"), false));
    Some(
        Finding::new(
            Lint::NotTheRoot,
            format!(
                "`{}` is below the project: in the short spelling one slash starts there",
                short.text
            ),
            item.place,
        )
        .of(group)
        .help(format!(
            "write `{}(/{written})` for the directory of the machine",
            short.tool
        ))
        .fix(fix),
    )
}
