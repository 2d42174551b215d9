//! Command lines made from patterns and definitions: what a rule would meet, and what is decided about it.
//!
//! Invariant (nowhere in particular): what is decided here is decided in the directory of tests, where no file is looked at.

use engine_shell::{Count, Field, Span, Spelling, Value};

use super::groups::Group;
use crate::decide::{Call, decide};
use crate::definition::model::{Command, Definition};
use crate::definition::{ApplyContext, apply};
use crate::document::{Condition, Mode};
use crate::effect::{Use, WordKind};
use crate::facts::{Facts, NoWorld};
use crate::pattern::{
    CommandPart, CommandPattern, Glob, GlobPiece, PathAnchor, PathPattern, PathSegment, ProgramPattern,
    WordPattern, WordPiece,
};
use crate::plan::Plan;
use crate::source::Place;
use crate::testing::{TEST_HOME, TEST_PROJECT};
use crate::verdict::{Decision, Step};

/// Lines made from one pattern.
const MAX_SAMPLES: usize = 12;

/// One command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Line {
    /// Program and arguments.
    pub words: Vec<String>,
    /// Assignments in front.
    pub before: String,
    /// What follows: a pipe, an `&`.
    pub after: String,
}

impl Line {
    pub(super) fn of(words: Vec<String>) -> Self {
        Self {
            words,
            before: String::new(),
            after: String::new(),
        }
    }

    /// The same with other words.
    pub(super) fn with(&self, words: Vec<String>) -> Self {
        Self {
            words,
            ..self.clone()
        }
    }

    pub(super) fn text(&self) -> String {
        let words: Vec<String> = self.words.iter().map(|word| quoted(word)).collect();
        format!("{}{}{}", self.before, words.join(" "), self.after)
    }
}

/// A word as a shell reads it back.
pub(super) fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./:,=+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// What is decided about a command where tests run.
pub(super) fn decided(plan: &Plan, text: &str) -> Decision {
    decided_call(plan, &Call::Shell(text))
}

/// What is decided about any call where tests run.
pub(super) fn decided_call(plan: &Plan, call: &Call<'_>) -> Decision {
    let facts = Facts {
        via: &[],
        project: TEST_PROJECT,
        directory: TEST_PROJECT,
        home: Some(TEST_HOME),
        shell: engine_shell::Shell::Bash,
        world: &NoWorld,
    };
    decide(plan, call, &facts, Mode::Default)
}

/// Whether a step was decided by the rule at a place.
pub(super) fn is_by(plan: &Plan, step: &Step, rule: Place) -> bool {
    step.why
        .rule()
        .and_then(|own| own.info(plan))
        .is_some_and(|info| info.place == rule)
}

/// How a definition reads words.
pub(super) fn used(definition: &Definition, words: &[String]) -> Use {
    let fields: Vec<Field> = words
        .iter()
        .map(|word| Field {
            value: Value::Known(word.as_str().into()),
            count: Count::One,
            span: Span::default(),
            spelling: Spelling::default(),
        })
        .collect();
    apply(definition, &fields, &ApplyContext::default())
}

/// The definition of a program and of the subcommand that words name, and how many of the words are that.
pub(super) fn command_of<'d>(definition: &'d Definition, words: &[String]) -> (&'d Command, usize) {
    let (mut command, mut count) = (&definition.command, 1);
    while let Some(inner) = words.get(count).and_then(|word| command.subcommand(word)) {
        (command, count) = (inner, count + 1);
    }
    (command, count)
}

/// Lines that a pattern of a group matches, if they can be made up.
pub(super) fn samples(group: &Group<'_>, pattern: &CommandPattern, plan: &Plan) -> Vec<Line> {
    let mut lines: Vec<Line> = words_of(pattern)
        .into_iter()
        .flat_map(|words| conditioned(Line::of(words), group.conditions(), plan))
        .collect();
    lines.truncate(MAX_SAMPLES);
    lines
}

/// Words that a pattern matches: each of its programs and ways once, what may be missing left out.
pub(super) fn words_of(pattern: &CommandPattern) -> Vec<Vec<String>> {
    words_with(pattern, "x")
}

/// The same with another word for a star.
pub(super) fn words_with(pattern: &CommandPattern, star: &str) -> Vec<Vec<String>> {
    let mut all = Vec::new();
    for program in &pattern.programs {
        let names = match program {
            ProgramPattern::Name(word) if word.pieces.contains(&WordPiece::AnyText) => continue,
            ProgramPattern::Name(word) => filled(word, star),
            ProgramPattern::File(path) => file_of(path).into_iter().collect(),
        };
        for name in names.into_iter().take(4) {
            all.extend(extended(vec![vec![name]], &pattern.rest, star));
        }
    }
    all.truncate(MAX_SAMPLES);
    all
}

fn extended(mut lists: Vec<Vec<String>>, parts: &[CommandPart], star: &str) -> Vec<Vec<String>> {
    for part in parts {
        match part {
            CommandPart::Word(word) => {
                let words = filled(word, star);
                lists = lists
                    .iter()
                    .flat_map(|list| {
                        words
                            .iter()
                            .map(move |word| [list.as_slice(), std::slice::from_ref(word)].concat())
                    })
                    .collect();
            }
            CommandPart::Choice(ways) => {
                lists = ways
                    .iter()
                    .flat_map(|way| extended(lists.clone(), way, star))
                    .collect();
            }
            CommandPart::Optional(_) | CommandPart::AnyWords => {}
        }
        lists.truncate(MAX_SAMPLES);
    }
    lists
}

/// Texts that a word pattern matches, one for each choice.
fn filled(word: &WordPattern, star: &str) -> Vec<String> {
    let mut texts = vec![String::new()];
    for piece in &word.pieces {
        match piece {
            WordPiece::Text(text) => texts.iter_mut().for_each(|own| own.push_str(text)),
            WordPiece::AnyText => texts.iter_mut().for_each(|own| own.push_str(star)),
            WordPiece::Choice(words) => {
                let tails: Vec<String> = words.iter().flat_map(|word| filled(word, star)).collect();
                texts = texts
                    .iter()
                    .flat_map(|own| tails.iter().map(move |tail| format!("{own}{tail}")))
                    .take(MAX_SAMPLES)
                    .collect();
            }
        }
    }
    texts
}

/// A text that a glob matches.
pub(super) fn filled_glob(glob: &Glob) -> String {
    glob.pieces
        .iter()
        .map(|piece| match piece {
            GlobPiece::Text(text) => text.to_string(),
            GlobPiece::AnyText | GlobPiece::AnyChar => "x".to_owned(),
            GlobPiece::Class(class) => class
                .ranges
                .first()
                .filter(|_| !class.negated)
                .map_or_else(|| "x".to_owned(), |(low, _)| low.to_string()),
        })
        .collect()
}

/// A path that a pattern matches, as it is written in a command.
pub(super) fn file_of(path: &PathPattern) -> Option<String> {
    let start = match path.anchor {
        PathAnchor::Project | PathAnchor::AnyDepth | PathAnchor::ProjectOrAnyDepth => ".",
        PathAnchor::Home => "~",
        PathAnchor::Root => "",
    };
    let mut text = start.to_owned();
    for segment in path.alternatives.first()? {
        if let PathSegment::Name(glob) = segment {
            text.push('/');
            text.push_str(&filled_glob(glob));
        }
    }
    Some(if text.is_empty() { "/".to_owned() } else { text })
}

/// The line with what the conditions want, once for each flag they name; none if that cannot be made up.
fn conditioned(line: Line, conditions: &[crate::source::Spanned<Condition>], plan: &Plan) -> Vec<Line> {
    let mut lines = vec![line];
    for condition in conditions {
        match &condition.value {
            Condition::Flag(flags) => {
                let mut next = Vec::new();
                for flag in flags {
                    let Some(name) = flag.value.name.literal() else {
                        continue;
                    };
                    for line in &lines {
                        let mut words = line.words.clone();
                        match &flag.value.value {
                            Some(value) if name.starts_with("--") => {
                                words.push(format!("{name}={}", filled_glob(value)));
                            }
                            Some(value) => words.extend([name.to_owned(), filled_glob(value)]),
                            None => words.push(name.to_owned()),
                        }
                        next.push(line.with(words));
                    }
                }
                lines = next;
            }
            Condition::Operand { index, patterns } => {
                let Some(wanted) = patterns
                    .first()
                    .and_then(|pattern| filled(&pattern.value, "x").into_iter().next())
                else {
                    return Vec::new();
                };
                for line in &mut lines {
                    let given = operands(plan, &line.words);
                    for _ in given + 1..usize::from(index.value).min(8) {
                        line.words.push("x".to_owned());
                    }
                    if given < usize::from(index.value) {
                        line.words.push(wanted.clone());
                    }
                }
            }
            Condition::Env(patterns) => {
                let Some(first) = patterns.first() else {
                    return Vec::new();
                };
                let value = first
                    .value
                    .value
                    .as_ref()
                    .map_or_else(|| "x".to_owned(), filled_glob);
                let setting = format!("{}={} ", filled_glob(&first.value.name), quoted(&value));
                for line in &mut lines {
                    line.before.push_str(&setting);
                }
            }
            Condition::PipedInto(programs) => {
                let name = programs.iter().find_map(|program| match &program.value {
                    ProgramPattern::Name(word) => filled(word, "x").into_iter().next(),
                    ProgramPattern::File(_) => None,
                });
                let Some(name) = name else { return Vec::new() };
                for line in &mut lines {
                    line.after = format!(" | {name}");
                }
            }
            Condition::InPipeline(true) => lines.iter_mut().for_each(|line| {
                if line.after.is_empty() {
                    " | cat".clone_into(&mut line.after);
                }
            }),
            Condition::Background(true) => lines.iter_mut().for_each(|line| line.after.push_str(" &")),
            Condition::InPipeline(false)
            | Condition::Background(false)
            | Condition::WithoutFlag(_)
            | Condition::OperandsWithin(_) => {}
            Condition::Cwd(_) | Condition::Via(_) | Condition::Input { .. } => return Vec::new(),
        }
    }
    lines
}

fn operands(plan: &Plan, words: &[String]) -> usize {
    let definition = words.first().and_then(|name| plan.catalogue().find(name));
    match definition {
        Some(definition) => used(definition, words)
            .words
            .iter()
            .filter(|word| word.kind == WordKind::Operand)
            .count(),
        None => words.len().saturating_sub(1),
    }
}
