//! Rules that let an interpreter run whatever an agent writes: `opens-interpreter`.
//!
//! Which arguments are code is what the command definitions say; whether a rule lets them through is what is decided about a line that
//! gives some. So programs whose inner commands are decided by themselves (`timeout`, `env`, `bash -c`) are not meant.

use super::groups::{Group, Item, What};
use super::lines::{Line, command_of, decided, is_by, words_of, words_with};
use super::{Context, Finding, Lint};
use crate::definition::model::{Arg, Block, Command, Own, ValueEffect, ValueKind};
use crate::document::Outcome;
use crate::pattern::{CommandPart, TextEnd, TextPiece};
use crate::plan::Plan;
use crate::verdict::Request;

/// A program that no definition knows: to run it is to run anything.
const UNKNOWN: &str = "any-program";

/// A file that anybody may have written.
const FILE: &str = "./any-file";

/// What stands where a pattern leaves a word open.
const OPEN: &str = "any-code";

pub(super) fn lint(context: &Context<'_>, findings: &mut Vec<Finding>) {
    let Some(plan) = context.input.plan else { return };
    for group in context
        .own_groups()
        .filter(|group| group.outcome == Outcome::Allow)
    {
        for item in &group.patterns {
            // The line that shows it best comes first.
            let line = filled_with_code(plan, group, item, Open::Text)
                .or_else(|| opened(plan, group, item))
                .or_else(|| filled_with_code(plan, group, item, Open::File));
            if let Some(line) = line {
                findings.push(
                    Finding::new(
                        Lint::OpensInterpreter,
                        format!(
                            "{} lets any code run: `{line}` is allowed",
                            context.input.sources.text(item.place)
                        ),
                        item.place,
                    )
                    .of(group)
                    .help("name the scripts that are meant, or let a person decide with `ask`"),
                );
            }
        }
    }
}

/// What a word that a pattern leaves open is to the program.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Open {
    /// A text in its language.
    Text,
    /// A file that it runs.
    File,
}

/// A line that the pattern itself makes, in which a word that it leaves open is run as code, and that is allowed by the rule.
fn filled_with_code(plan: &Plan, group: &Group<'_>, item: &Item<'_>, open: Open) -> Option<String> {
    open_lines(item).into_iter().find(|line| {
        let decision = decided(plan, line);
        let mut steps = decision.steps.iter();
        decision.outcome == Outcome::Allow
            && steps.any(|step| {
                let Request::Code(what) = &step.request else {
                    return false;
                };
                let runs_it = match open {
                    Open::Text => !what.contains(OPEN),
                    // A file counts where it may be any, and running some is what the program is there for.
                    Open::File => what == OPEN && interprets(plan, line),
                };
                runs_it && step.span.of(line).contains(OPEN) && is_by(plan, step, group.rule.place)
            })
    })
}

/// Whether the program of a line takes code as an operand or on standard input.
fn interprets(plan: &Plan, line: &str) -> bool {
    let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
    let definition = words
        .first()
        .and_then(|name| plan.catalogue().find(program_of(name)));
    definition.is_some_and(|definition| {
        code(command_of(definition, &words).0)
            .iter()
            .any(|tail| matches!(tail.code, Code::Text) && tail.place != Where::Option)
    })
}

/// Lines that a pattern makes, with [`OPEN`] for every word that it leaves open.
fn open_lines(item: &Item<'_>) -> Vec<String> {
    let lines = match item.what {
        What::Command(pattern) => {
            let more = pattern.rest.last() == Some(&CommandPart::AnyWords);
            let mut all = words_with(pattern, OPEN);
            if more {
                for words in &mut all {
                    words.push(OPEN.to_owned());
                }
            }
            all.into_iter().map(|words| Line::of(words).text()).collect()
        }
        What::Text(pattern) => {
            let mut line = String::new();
            for piece in &pattern.pieces {
                line.push_str(match piece {
                    TextPiece::Text(text) => text,
                    TextPiece::AnyText => OPEN,
                });
            }
            match pattern.end {
                TextEnd::Exact => {}
                TextEnd::AnyWords => {
                    line.push(' ');
                    line.push_str(OPEN);
                }
            }
            vec![line]
        }
        What::Path(..) | What::Host(_) | What::Name(..) | What::Env(_) | What::Mode(_) => Vec::new(),
    };
    let mut lines: Vec<String> = lines;
    lines.retain(|line| line.contains(OPEN) && !line.starts_with(OPEN));
    lines
}

/// A line that runs code of an agent's choice and is allowed by the rule.
fn opened(plan: &Plan, group: &Group<'_>, item: &Item<'_>) -> Option<String> {
    for words in beginnings(item) {
        let Some(definition) = words
            .first()
            .and_then(|name| plan.catalogue().find(program_of(name)))
        else {
            continue;
        };
        let (command, count) = command_of(definition, &words);
        for tail in code(command) {
            // Words that the pattern spells out behind the subcommand take the place of the code.
            let fixed = words.iter().skip(count).any(|word| !word.starts_with('-'));
            if fixed && tail.place != Where::Option {
                continue;
            }
            let mut line = words.clone();
            let after = match tail.place {
                Where::Option => line.len().min(count.max(1)),
                Where::Operand | Where::Stdin => line.len(),
            };
            let rest = line.split_off(after);
            line.extend(tail.words.clone());
            line.extend(rest);
            let line = Line::of(line).text();
            let line = match tail.place {
                Where::Stdin => format!("cat code.txt | {line}"),
                Where::Option | Where::Operand => line,
            };
            let decision = decided(plan, &line);
            let allowed_by = decision.outcome == Outcome::Allow
                && decision
                    .steps
                    .iter()
                    .any(|step| is_by(plan, step, group.rule.place));
            if allowed_by && decision.steps.iter().any(|step| tail.code.is(&step.request)) {
                return Some(line);
            }
        }
    }
    None
}

/// The request that shows that the code of a line is run.
#[derive(Clone)]
enum Code {
    /// A program of this name.
    Program,
    /// A file of this name.
    File,
    /// A text in some language.
    Text,
}

impl Code {
    fn is(&self, request: &Request) -> bool {
        match (self, request) {
            (Self::Program, Request::Command(name)) => name == UNKNOWN,
            (Self::File, Request::Code(name)) => name == FILE,
            (Self::Text, Request::Code(_)) => true,
            (
                Self::Program | Self::File | Self::Text,
                Request::Command(_)
                | Request::Code(_)
                | Request::Read(_)
                | Request::Write(_)
                | Request::Delete(_)
                | Request::Network(_)
                | Request::Env(_)
                | Request::Tool(_)
                | Request::Agent(_)
                | Request::Skill(_)
                | Request::Mode(_)
                | Request::Change(_)
                | Request::Text,
            ) => false,
        }
    }
}

fn program_of(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or(name)
}

/// Words that a pattern begins with.
fn beginnings(item: &Item<'_>) -> Vec<Vec<String>> {
    match item.what {
        What::Command(pattern) => words_of(pattern),
        What::Text(pattern) => match (pattern.pieces.as_slice(), pattern.end) {
            ([TextPiece::Text(text)], TextEnd::AnyWords) => {
                vec![text.split(' ').map(str::to_owned).collect()]
            }
            ([TextPiece::Text(text), TextPiece::AnyText], _) => {
                let mut words: Vec<String> = text.split(' ').map(str::to_owned).collect();
                // The last word goes on.
                if !text.ends_with(' ') {
                    return vec![words];
                }
                words.pop();
                vec![words]
            }
            _ => Vec::new(),
        },
        What::Path(..) | What::Host(_) | What::Name(..) | What::Env(_) | What::Mode(_) => Vec::new(),
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Where {
    Option,
    Operand,
    Stdin,
}

/// Words that give a command code to run.
struct Tail {
    place: Where,
    words: Vec<String>,
    code: Code,
}

/// The ways in which a command takes code: options, operands, standard input. A command that takes code neither as an operand nor on
/// standard input is no interpreter: what a builder or a test runner finds in files is what it is there for.
fn code(command: &Command) -> Vec<Tail> {
    let mut tails = Vec::new();
    let before = |args: &[Arg], number: usize| -> Vec<String> {
        args.iter()
            .take(number)
            .filter(|arg| arg.required)
            .map(|_| "x".to_owned())
            .collect()
    };
    for flag in &command.flags {
        for (number, value) in flag.values.iter().enumerate() {
            if let Some((text, code)) = value.effects.iter().find_map(code_of) {
                let mut words = vec![flag.canonical().to_string()];
                words.extend((0..number).map(|_| "x".to_owned()));
                words.push(text.to_owned());
                tails.push(Tail {
                    place: Where::Option,
                    words,
                    code,
                });
            }
        }
    }
    let mut lists: Vec<&[Arg]> = vec![&command.args];
    let mut stdin = command.own.iter().any(|own| matches!(own, Own::RunsStdin(_)));
    in_blocks(&command.blocks, &mut lists, &mut stdin);
    for args in lists {
        for (number, arg) in args.iter().enumerate() {
            if let Some((text, code)) = arg.effects.iter().find_map(code_of) {
                let mut words = before(args, number);
                words.push(text.to_owned());
                tails.push(Tail {
                    place: Where::Operand,
                    words,
                    code,
                });
            }
        }
    }
    if stdin {
        tails.push(Tail {
            place: Where::Stdin,
            words: Vec::new(),
            code: Code::Text,
        });
    }
    let interprets = tails
        .iter()
        .any(|tail| matches!(tail.code, Code::Text) && tail.place != Where::Option);
    tails.retain(|tail| interprets || !matches!(tail.code, Code::File));
    tails
}

fn in_blocks<'b>(blocks: &'b [Block], lists: &mut Vec<&'b [Arg]>, stdin: &mut bool) {
    for block in blocks {
        lists.push(&block.args);
        *stdin |= block.own.iter().any(|own| matches!(own, Own::RunsStdin(_)));
        in_blocks(&block.blocks, lists, stdin);
    }
}

/// A value that is code of an agent's choice.
fn code_of(effect: &ValueEffect) -> Option<(&'static str, Code)> {
    match &effect.kind {
        ValueKind::Runs(_) | ValueKind::RunsSplit | ValueKind::RunsShell { .. } => {
            Some((UNKNOWN, Code::Program))
        }
        ValueKind::Evaluates(_) => Some(("code", Code::Text)),
        ValueKind::LoadsCode => Some((FILE, Code::File)),
        ValueKind::Reads
        | ValueKind::ReadsTree
        | ValueKind::Writes
        | ValueKind::WritesInto
        | ValueKind::WritesTree
        | ValueKind::Creates
        | ValueKind::Deletes
        | ValueKind::DeletesTree
        | ValueKind::Links
        | ValueKind::Connects { .. }
        | ValueKind::SetsEnv
        | ValueKind::ChangesDirectory { .. }
        | ValueKind::Narrows
        | ValueKind::Excludes
        | ValueKind::Appears => None,
    }
}
