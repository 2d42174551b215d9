//! Rules that match nothing, whatever is called: `never-matches`.

use super::automaton::Automaton;
use super::contain::{Cover, Mount, Shape, covers, shape};
use super::fix;
use super::groups::{Group, Item, What};
use super::label::Label;
use super::lines::{command_of, used, words_of};
use super::{Context, Finding, Lint};
use crate::definition::Catalogue;
use crate::document::{Condition, Outcome};
use crate::effect::WordKind;
use crate::pattern::{CommandPart, CommandPattern, FlagPattern, ProgramPattern, WordPattern, WordPiece};
use crate::source::Place;

/// Words of the shell's grammar, which begin no command. Source: the POSIX shell command language, 2.4, and the bash manual.
const RESERVED: &[&str] = &[
    "!", "{", "}", "[[", "]]", "case", "coproc", "do", "done", "elif", "else", "esac", "fi", "for",
    "function", "if", "in", "select", "then", "until", "while",
];

pub(super) fn lint(context: &Context<'_>, findings: &mut Vec<Finding>) {
    let fallback = Catalogue::default();
    let catalogue = context.input.plan.map_or(&fallback, |plan| plan.catalogue());
    for group in context.own_groups() {
        let before = findings.len();
        conditions(group, catalogue, findings);
        if findings.len() > before {
            continue;
        }
        for item in group.patterns.iter().filter(|_| !group.from_set) {
            findings.extend(pattern(context, group, item, catalogue).map(|finding| finding.of(group)));
        }
    }
}

/// Conditions that cannot hold together.
fn conditions(group: &Group<'_>, catalogue: &Catalogue, findings: &mut Vec<Finding>) {
    let all = group.conditions();
    for (number, one) in all.iter().enumerate() {
        for other in all.iter().skip(number + 1) {
            let (place, message) = match (&one.value, &other.value) {
                (Condition::Flag(wanted), Condition::WithoutFlag(unwanted))
                | (Condition::WithoutFlag(unwanted), Condition::Flag(wanted)) => {
                    if !wanted.iter().all(|flag| {
                        unwanted
                            .iter()
                            .any(|own| same_flag(group, catalogue, &flag.value, &own.value))
                    }) {
                        continue;
                    }
                    (
                        other.place,
                        "every flag that `flag` asks for is one that `without-flag` rules out",
                    )
                }
                (Condition::InPipeline(one), Condition::InPipeline(two)) if one != two => (
                    other.place,
                    "it cannot stand both inside and outside of a pipeline",
                ),
                (Condition::Background(one), Condition::Background(two)) if one != two => {
                    (other.place, "it cannot run both in the background and not")
                }
                (Condition::PipedInto(_), Condition::InPipeline(false))
                | (Condition::InPipeline(false), Condition::PipedInto(_)) => {
                    (other.place, "what is piped into something stands in a pipeline")
                }
                (
                    Condition::Operand { index, patterns },
                    Condition::Operand {
                        index: again,
                        patterns: others,
                    },
                ) if index == again => {
                    let shared = patterns
                        .iter()
                        .any(|one| others.iter().any(|two| words_meet(&one.value, &two.value)));
                    if shared {
                        continue;
                    }
                    (other.place, "no word is what both conditions say of this operand")
                }
                _ => continue,
            };
            findings.push(
                Finding::new(
                    Lint::NeverMatches,
                    format!("this rule never matches: {message}"),
                    place,
                )
                .of(group)
                .label(one.place, "together with this")
                .help("remove one of the conditions, or write two rules"),
            );
            return;
        }
    }
}

fn words_meet(one: &WordPattern, other: &WordPattern) -> bool {
    let (Some(one), Some(other)) = (Label::of_word(one), Label::of_word(other)) else {
        return true;
    };
    one.iter().any(|one| other.iter().any(|other| one.meets(other)))
}

/// Whether two flags are one, by their text or by what the definition says.
fn same_flag(group: &Group<'_>, catalogue: &Catalogue, one: &FlagPattern, other: &FlagPattern) -> bool {
    if other.value.is_some() && one.value != other.value {
        return false;
    }
    if Label::of_glob(&other.name).covers(&Label::of_glob(&one.name)) {
        return true;
    }
    let (Some(one), Some(other)) = (one.name.literal(), other.name.literal()) else {
        return false;
    };
    let mut known = 0;
    let alike = group.patterns.iter().all(|item| match item.what {
        What::Command(pattern) => words_of(pattern).iter().all(|words| {
            known += 1;
            words
                .first()
                .and_then(|name| catalogue.find(name))
                .is_some_and(|definition| {
                    let (command, _) = command_of(definition, words);
                    command
                        .flag(one)
                        .is_some_and(|flag| flag.names.iter().any(|name| name == other))
                })
        }),
        What::Text(_) | What::Path(..) | What::Host(_) | What::Name(..) | What::Env(_) | What::Mode(_) => {
            false
        }
    });
    alike && known > 0
}

fn pattern(
    context: &Context<'_>,
    group: &Group<'_>,
    item: &Item<'_>,
    catalogue: &Catalogue,
) -> Option<Finding> {
    let shown = context.input.sources.text(item.place);
    let finding = |message: String, place: Place| Finding::new(Lint::NeverMatches, message, place);
    if let Some(except) = taken_out(group, item) {
        return Some(
            finding(
                format!("{shown} never matches: the exceptions take out all of it"),
                item.place,
            )
            .label(except, "taken out here")
            .help("remove the pattern or the exception"),
        );
    }
    let What::Command(command) = item.what else {
        return None;
    };
    for program in &command.programs {
        match program {
            ProgramPattern::Name(word) => {
                if let Some(name) = word.literal().filter(|name| RESERVED.contains(name)) {
                    return Some(
                        finding(format!("{shown} never matches: `{name}` is a word of the shell's grammar and no program"), item.place)
                            .help("write rules for the commands that stand inside"),
                    );
                }
            }
            ProgramPattern::File(_) => {
                let name = command.text.split([' ', '\t']).next().unwrap_or_default();
                if name.len() > 1 && name.ends_with('/') {
                    return Some(
                        finding(
                            format!("{shown} never matches: `{name}` is a directory, and no program"),
                            item.place,
                        )
                        .help("write the program without the last slash, or `dir/*` for each one in it"),
                    );
                }
            }
        }
    }
    if let Some(finding) = unknown_operands(context, group, item, command) {
        return Some(finding);
    }
    for condition in group.conditions() {
        if let Some((message, help)) = out_of_reach(command, &condition.value, catalogue) {
            let fix = command_end(context, item.place, &command.text);
            return Some(
                finding(format!("{shown} never matches: {message}"), item.place)
                    .label(condition.place, "asked for here")
                    .help(help)
                    .fix(fix),
            );
        }
    }
    None
}

/// A rule that allows by the operands of a program that no definition describes: nobody knows which words are operands.
fn unknown_operands(
    context: &Context<'_>,
    group: &Group<'_>,
    item: &Item<'_>,
    command: &CommandPattern,
) -> Option<Finding> {
    let plan = context.input.plan.filter(|_| group.outcome == Outcome::Allow)?;
    let condition = group.conditions().iter().find(|condition| {
        matches!(
            condition.value,
            Condition::Operand { .. } | Condition::OperandsWithin(_)
        )
    })?;
    let names: Option<Vec<&str>> = command
        .programs
        .iter()
        .map(|program| match program {
            ProgramPattern::Name(word) => word.literal(),
            ProgramPattern::File(_) => None,
        })
        .collect();
    let names = names?;
    let name = names.first()?;
    if names.iter().any(|name| plan.catalogue().find(name).is_some()) {
        return None;
    }
    let shown = context.input.sources.text(item.place);
    let message = format!("{shown} never matches: no definition says which words of `{name}` are operands");
    Some(
        Finding::new(Lint::NeverMatches, message, item.place)
            .label(condition.place, "asked for here")
            .help("describe the program in a file that `commands` names, or spell its words in the pattern"),
    )
}

fn command_end(context: &Context<'_>, place: Place, text: &str) -> Option<fix::Fix> {
    let written = context.input.sources.text(place);
    let at = place.span.start as usize + written.find(text)? + text.len();
    Some(fix::Fix {
        title: "write `...` behind it".to_owned(),
        safe: false,
        edits: vec![(place.at(engine_shell::Span::new(at, at)), " ...".to_owned())],
    })
}

/// The exception that, alone or with the others, takes out all of a pattern.
fn taken_out(group: &Group<'_>, item: &Item<'_>) -> Option<Place> {
    let own = shape(item, group.outcome, false)?;
    let out: Vec<(Place, Shape<'_>)> = group
        .except
        .iter()
        .filter_map(|except| Some((except.place, shape(except, group.outcome, true)?)))
        .collect();
    if let Some((place, _)) = out.iter().find(|(_, except)| covers(except, &own, Cover::AtAll)) {
        return Some(*place);
    }
    let place = out.first()?.0;
    let all = together(out.iter().map(|(_, shape)| shape), &own)?;
    covers(&all, &own, Cover::AtAll).then_some(place)
}

/// Exceptions of the kind of a pattern as one.
fn together<'s, 'a: 's>(
    shapes: impl Iterator<Item = &'s Shape<'a>>,
    like: &Shape<'_>,
) -> Option<Shape<'static>> {
    let mut all = Automaton::new();
    match like {
        Shape::Words { .. } => {
            for shape in shapes {
                if let Shape::Words {
                    least: Some(least), ..
                } = shape
                {
                    all.join(least);
                }
            }
            Some(Shape::Words {
                most: all.clone(),
                least: Some(all),
            })
        }
        Shape::Path { accesses, mount, .. } => {
            let wanted: Mount = *mount;
            for shape in shapes {
                if let Shape::Path { mount, automaton, .. } = shape
                    && *mount == wanted
                {
                    all.join(automaton);
                }
            }
            Some(Shape::Path {
                accesses,
                mount: wanted,
                automaton: all,
            })
        }
        Shape::Host(_) | Shape::Name(..) | Shape::Env(_) | Shape::Mode(_) => None,
    }
}

/// Why a condition asks for a word that the pattern leaves no room for.
fn out_of_reach(
    command: &CommandPattern,
    condition: &Condition,
    catalogue: &Catalogue,
) -> Option<(String, &'static str)> {
    match condition {
        Condition::Flag(flags) => {
            let all = fixed(command)?;
            let none = all
                .iter()
                .all(|words| flags.iter().all(|flag| !may_hold(&flag.value, words, catalogue)));
            let names: Vec<String> = flags
                .iter()
                .filter_map(|flag| flag.value.name.literal().map(|name| format!("`{name}`")))
                .collect();
            none.then(|| {
                (
                    format!(
                        "it covers exactly these words, and {} is none of them",
                        names.join(" or ")
                    ),
                    "write `...` where the flag may stand",
                )
            })
        }
        Condition::WithoutFlag(flags) => {
            let mut literal = Vec::new();
            literals(&command.rest, &mut literal);
            let ruled_out = flags
                .iter()
                .filter_map(|flag| flag.value.name.literal().filter(|_| flag.value.value.is_none()))
                .find(|name| literal.contains(name))?;
            Some((
                format!("it spells `{ruled_out}`, which `without-flag` rules out"),
                "remove the flag from the pattern or from the condition",
            ))
        }
        Condition::Operand { index, .. } => {
            let all = fixed(command)?;
            let wanted = usize::from(index.value);
            let short = all.iter().all(
                |words| match words.first().and_then(|name| catalogue.find(name)) {
                    Some(definition) => {
                        let operands = used(definition, words).words;
                        operands
                            .iter()
                            .filter(|word| word.kind == WordKind::Operand)
                            .count()
                            < wanted
                    }
                    // What is not known may be an operand.
                    None => false,
                },
            );
            short.then(|| {
                (
                    format!("it leaves no room for an operand {wanted}"),
                    "write `...` where the operand may stand",
                )
            })
        }
        Condition::OperandsWithin(_)
        | Condition::Env(_)
        | Condition::Cwd(_)
        | Condition::PipedInto(_)
        | Condition::InPipeline(_)
        | Condition::Background(_)
        | Condition::Via(_)
        | Condition::Input { .. } => None,
    }
}

/// The command lines of a pattern that has no stars, no `...` and nothing optional.
fn fixed(command: &CommandPattern) -> Option<Vec<Vec<String>>> {
    let named = command.programs.iter().all(|program| match program {
        ProgramPattern::Name(word) => is_fixed_word(word),
        ProgramPattern::File(_) => false,
    });
    (named && are_fixed(&command.rest))
        .then(|| words_of(command))
        .filter(|all| !all.is_empty())
}

fn are_fixed(parts: &[CommandPart]) -> bool {
    parts.iter().all(|part| match part {
        CommandPart::Word(word) => is_fixed_word(word),
        CommandPart::Choice(ways) => ways.iter().all(|way| are_fixed(way)),
        CommandPart::Optional(_) | CommandPart::AnyWords => false,
    })
}

fn is_fixed_word(word: &WordPattern) -> bool {
    word.pieces.iter().all(|piece| match piece {
        WordPiece::Text(_) => true,
        WordPiece::AnyText => false,
        WordPiece::Choice(words) => words.iter().all(is_fixed_word),
    })
}

/// Whether a flag may be given in a command line that has exactly these words in normal form: it is one of them, or an option that is
/// set aside.
fn may_hold(flag: &FlagPattern, words: &[String], catalogue: &Catalogue) -> bool {
    if words.iter().skip(1).any(|word| {
        let name = word.split_once('=').map_or(word.as_str(), |(name, _)| name);
        flag.name.matches(name) || word.starts_with('-')
    }) {
        return true;
    }
    let Some(definition) = words.first().and_then(|name| catalogue.find(name)) else {
        return false;
    };
    let (mut command, mut count) = (&definition.command, 1);
    while let Some(inner) = words.get(count).and_then(|word| command.subcommand(word)) {
        if command
            .flags
            .iter()
            .flat_map(|own| &own.names)
            .any(|name| flag.name.matches(name))
        {
            return true;
        }
        (command, count) = (inner, count + 1);
    }
    false
}

fn literals<'p>(parts: &'p [CommandPart], out: &mut Vec<&'p str>) {
    for part in parts {
        if let CommandPart::Word(word) = part {
            out.extend(word.literal());
        }
    }
}
