//! What opens more than its author can see: `unbounded-allow`, `permissive-default`, `half-guarded`, `unreachable-default`.

use serde_json::json;

use super::contain::{Cover, Shape, covers, shape};
use super::groups::{Access, Group, Item, NameKind, What};
use super::lines::{Line, command_of, decided, decided_call, is_by, words_of};
use super::{Context, Finding, Lint};
use crate::decide::Call;
use crate::definition::model::ValueKind;
use crate::document::{Condition, Mode, Outcome, RequestKind};
use crate::pattern::{
    CommandPart, CommandPattern, EnvironmentPattern, Glob, HostName, HostPattern, PathAnchor, PathPattern,
    PathReach, PathSegment, ProgramPattern, WordPattern, WordPiece,
};
use crate::source::Place;

pub(super) fn lint(context: &Context<'_>, findings: &mut Vec<Finding>) {
    for group in context.own_groups() {
        if group.outcome == Outcome::Allow {
            for item in group.patterns.iter().filter(|_| group.except.is_empty()) {
                findings.extend(unbounded(context, group, item).map(|(message, help)| {
                    Finding::new(Lint::UnboundedAllow, message, item.place)
                        .of(group)
                        .help(help)
                }));
            }
        }
    }
    permissive(context, findings);
    half_guarded(context, findings);
    unreachable(context, findings);
}

/// Why a pattern is without a bound, and what to write instead.
fn unbounded(context: &Context<'_>, group: &Group<'_>, item: &Item<'_>) -> Option<(String, &'static str)> {
    let shown = context.input.sources.text(item.place);
    if group
        .conditions()
        .iter()
        .any(|condition| !matches!(condition.value, Condition::WithoutFlag(_)))
    {
        return None;
    }
    match item.what {
        What::Path(accesses, path) => {
            let verb = match accesses.first() {
                Some(Access::Read) => "reading",
                Some(Access::Write) => "writing",
                Some(Access::Delete) | None => "deleting",
            };
            if !path
                .alternatives
                .iter()
                .any(|way| way.is_empty() || *way == [PathSegment::AnyDepth])
            {
                return None;
            }
            match path.anchor.reach(Outcome::Allow) {
                PathReach::Root | PathReach::Everywhere => Some((
                    format!("{shown} allows {verb} every file of the machine"),
                    "name the directories that are meant",
                )),
                PathReach::Home => Some((
                    format!("{shown} allows {verb} everything in the home directory"),
                    "name the directories that are meant",
                )),
                PathReach::Project | PathReach::WithinProject => {
                    if accesses == [Access::Read] {
                        return None;
                    }
                    whole_project(context, group, accesses).map(|place| {
                        (
                            format!("{shown} allows {verb} everything in the project, `{place}` included"),
                            "name the directories that are meant, or guard what decides what runs later (`builtin:readonly` does)",
                        )
                    })
                }
            }
        }
        What::Host(host) => (host.host == HostName::Any).then(|| {
            (
                format!("{shown} allows connections to every host"),
                "name the hosts that are meant",
            )
        }),
        What::Name(NameKind::Tool, glob) => glob.is_any().then(|| {
            (
                format!("{shown} allows every tool there is, now or later"),
                "name the tools that are meant",
            )
        }),
        What::Name(NameKind::Agent | NameKind::Skill, _) | What::Mode(_) => None,
        What::Env(pattern) => pattern.name.is_any().then(|| {
            (
                format!("{shown} allows setting every variable, also those that change what runs"),
                "name the variables that are meant",
            )
        }),
        What::Text(text) => text.is_every().then(|| every_command(shown)),
        What::Command(pattern) => {
            let any_program = pattern.programs.iter().any(|program| match program {
                ProgramPattern::Name(word) => word.is_any(),
                ProgramPattern::File(_) => false,
            });
            let any_words = pattern.rest.iter().all(|part| match part {
                CommandPart::AnyWords => true,
                CommandPart::Word(word) => word.is_any(),
                CommandPart::Choice(_) | CommandPart::Optional(_) => false,
            });
            if any_program && any_words {
                Some(if pattern.rest.contains(&CommandPart::AnyWords) {
                    every_command(shown)
                } else {
                    (
                        format!("{shown} allows every program, with exactly as many words as it has"),
                        "name the programs that are meant; a star is one word, and `...` any further words",
                    )
                })
            } else {
                removes(context, group, pattern, item.place)
            }
        }
    }
}

fn every_command(shown: &str) -> (String, &'static str) {
    (
        format!("{shown} allows every command"),
        "name the programs that are meant",
    )
}

/// A file of the project that decides what runs later and that the rule lets anybody change.
fn whole_project(context: &Context<'_>, group: &Group<'_>, accesses: &[Access]) -> Option<&'static str> {
    const PLACE: &str = ".git/hooks/pre-commit";
    let plan = context.input.plan?;
    let decision = if accesses.contains(&Access::Write) {
        let input = json!({ "file_path": format!("./{PLACE}"), "content": "x" });
        decided_call(
            plan,
            &Call::Tool {
                name: "Write",
                input: &input,
            },
        )
    } else {
        decided(plan, &format!("rm {PLACE}"))
    };
    let open = decision.outcome == Outcome::Allow
        && decision
            .steps
            .iter()
            .any(|step| is_by(plan, step, group.rule.place));
    open.then_some(PLACE)
}

/// A command that removes what its operands name, wherever in the project that is.
fn removes(
    context: &Context<'_>,
    group: &Group<'_>,
    pattern: &CommandPattern,
    place: Place,
) -> Option<(String, &'static str)> {
    let plan = context.input.plan?;
    if pattern.rest.last() != Some(&CommandPart::AnyWords) {
        return None;
    }
    for words in words_of(pattern) {
        let definition = plan.catalogue().find(words.first()?)?;
        let (command, count) = command_of(definition, &words);
        let takes_away = command.args.iter().any(|arg| {
            arg.effects
                .iter()
                .any(|effect| matches!(effect.kind, ValueKind::Deletes | ValueKind::DeletesTree))
        });
        if !takes_away || count < words.len() {
            continue;
        }
        let recursive = ["-rf", "-r"].iter().find(|flag| {
            flag.chars()
                .skip(1)
                .all(|letter| command.flag(&format!("-{letter}")).is_some())
        });
        let mut all = words.clone();
        all.extend(recursive.map(|flag| (*flag).to_owned()));
        all.push(".git".to_owned());
        let line = Line::of(all).text();
        let decision = decided(plan, &line);
        if decision.outcome == Outcome::Allow
            && decision
                .steps
                .iter()
                .any(|step| is_by(plan, step, group.rule.place))
        {
            let shown = context.input.sources.text(place);
            return Some((
                format!("{shown} removes whatever is named in the project: `{line}` is allowed"),
                "bound it with `{ operands within=\"./build\" }`",
            ));
        }
    }
    None
}

fn permissive(context: &Context<'_>, findings: &mut Vec<Finding>) {
    for document in context.documents() {
        for (kind, outcome) in &document.defaults.kinds {
            if outcome.value != Outcome::Allow {
                continue;
            }
            match kind.value {
                RequestKind::Agent | RequestKind::Skill => {}
                RequestKind::Command
                | RequestKind::Read
                | RequestKind::Write
                | RequestKind::Delete
                | RequestKind::Network
                | RequestKind::Tool
                | RequestKind::Env
                | RequestKind::Mode => findings.push(
                    Finding::new(
                        Lint::PermissiveDefault,
                        format!(
                            "what no rule speaks of is allowed: every `{}` that nobody thought of",
                            kind.value.as_str()
                        ),
                        outcome.place,
                    )
                    .help("write `ask`, and allow what is meant by rules"),
                ),
            }
        }
        if let Some(headless) = document
            .defaults
            .headless
            .as_ref()
            .filter(|own| own.value == Outcome::Allow)
        {
            findings.push(
                Finding::new(
                    Lint::PermissiveDefault,
                    "where nobody can be asked, everything that would be asked about is allowed",
                    headless.place,
                )
                .help("write `deny`"),
            );
        }
        for (mode, outcome) in &document.modes.rules {
            if mode.value == Mode::Bypass && outcome.value == Outcome::Allow {
                findings.push(
                    Finding::new(
                        Lint::PermissiveDefault,
                        "in the mode `bypass` everything that would be asked about is allowed",
                        mode.place,
                    )
                    .help("leave it out; `accept-edits` allows edits in the project"),
                );
            }
        }
    }
}

/// Who may not change a file but may delete it puts another one in its place, and the other way round.
fn half_guarded(context: &Context<'_>, findings: &mut Vec<Finding>) {
    let guards: Vec<(&Group<'_>, Shape<'_>)> = context
        .groups
        .iter()
        .filter(|group| group.outcome != Outcome::Allow && group.is_plain() || group.outcome == Outcome::Deny)
        .flat_map(|group| group.patterns.iter().map(move |item| (group, item)))
        .filter_map(|(group, item)| Some((group, shape(item, group.outcome, false)?)))
        .filter(|(_, shape)| matches!(shape, Shape::Path { .. }))
        .collect();
    for group in context
        .own_groups()
        .filter(|group| group.outcome == Outcome::Deny)
    {
        for item in &group.patterns {
            let What::Path([access], path) = item.what else {
                continue;
            };
            let (other, kind, verb, way) = match access {
                Access::Write => (
                    Access::Delete,
                    RequestKind::Delete,
                    "deleted",
                    "another file can be moved there",
                ),
                Access::Delete => (
                    Access::Write,
                    RequestKind::Write,
                    "overwritten",
                    "what is in it can be taken away",
                ),
                Access::Read => continue,
            };
            if context
                .input
                .plan
                .is_some_and(|plan| plan.default_for(kind) == Outcome::Deny)
            {
                continue;
            }
            let wanted: &'static [Access] = match other {
                Access::Delete => &[Access::Delete],
                Access::Write => &[Access::Write],
                Access::Read => &[Access::Read],
            };
            let own = Item {
                what: What::Path(wanted, path),
                place: item.place,
            };
            let Some(own) = shape(&own, group.outcome, false) else {
                continue;
            };
            if guards.iter().any(|(_, guard)| covers(guard, &own, Cover::AtAll)) {
                continue;
            }
            findings.push(
                Finding::new(
                    Lint::HalfGuarded,
                    format!(
                        "{} is guarded here and may still be {verb}: {way}",
                        context.input.sources.text(item.place)
                    ),
                    item.place,
                )
                .of(group)
                .help(format!("write a `{}` rule for it, too", kind.as_str())),
            );
            break;
        }
    }
}

/// A default that a rule for everything keeps from ever being reached.
fn unreachable(context: &Context<'_>, findings: &mut Vec<Finding>) {
    let everywhere = PathPattern {
        text: "/**".into(),
        anchor: PathAnchor::Root,
        alternatives: vec![vec![PathSegment::AnyDepth]],
    };
    let any = Glob::any();
    let star = WordPattern {
        pieces: vec![WordPiece::AnyText],
    };
    let command = CommandPattern {
        text: "* ...".into(),
        programs: vec![ProgramPattern::Name(star)],
        rest: vec![CommandPart::AnyWords],
    };
    let host = HostPattern {
        host: HostName::Any,
        port: None,
    };
    let env = EnvironmentPattern {
        name: Glob::any(),
        value: None,
    };
    let rules: Vec<(&Group<'_>, Shape<'_>)> = context
        .groups
        .iter()
        .filter(|group| group.is_plain())
        .flat_map(|group| group.patterns.iter().map(move |item| (group, item)))
        .filter_map(|(group, item)| Some((group, shape(item, group.outcome, false)?)))
        .collect();
    for (kind, outcome) in context.documents().flat_map(|document| &document.defaults.kinds) {
        let what = match kind.value {
            RequestKind::Command => What::Command(&command),
            RequestKind::Read => What::Path(&[Access::Read], &everywhere),
            RequestKind::Write => What::Path(&[Access::Write], &everywhere),
            RequestKind::Delete => What::Path(&[Access::Delete], &everywhere),
            RequestKind::Network => What::Host(&host),
            RequestKind::Tool => What::Name(NameKind::Tool, &any),
            RequestKind::Env => What::Env(&env),
            RequestKind::Agent => What::Name(NameKind::Agent, &any),
            RequestKind::Skill => What::Name(NameKind::Skill, &any),
            RequestKind::Mode => continue,
        };
        let item = Item {
            what,
            place: outcome.place,
        };
        let Some(all) = shape(&item, Outcome::Allow, false) else {
            continue;
        };
        if let Some((group, _)) = rules.iter().find(|(_, rule)| covers(rule, &all, Cover::AtAll)) {
            findings.push(
                Finding::new(
                    Lint::UnreachableDefault,
                    format!("the default for `{}` is never reached", kind.value.as_str()),
                    outcome.place,
                )
                .label(group.rule.place, "this rule matches everything")
                .help("remove the default, or bound the rule"),
            );
        }
    }
}
