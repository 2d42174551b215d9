//! Rules that let an interpreter run whatever an agent writes: `opens-interpreter`.
//!
//! Which arguments are code is what the command definitions say; whether a rule lets them through is what is decided about a line that
//! gives some. So programs whose inner commands are decided by themselves (`timeout`, `env`, `bash -c`) are not meant.

use super::groups::{Group, Item, What};
use super::lines::{Line, command_of, decided, is_by, words_of};
use super::{Context, Finding, Lint};
use crate::definition::model::{Arg, Block, Command, Own, ValueEffect, ValueKind};
use crate::document::Outcome;
use crate::pattern::{TextEnd, TextPiece};
use crate::plan::Plan;
use crate::verdict::Request;

/// A program that no definition knows: to run it is to run anything.
const UNKNOWN: &str = "any-program";

pub(super) fn lint(context: &Context<'_>, findings: &mut Vec<Finding>) {
    let Some(plan) = context.input.plan else { return };
    for group in context
        .own_groups()
        .filter(|group| group.outcome == Outcome::Allow)
    {
        for item in &group.patterns {
            if let Some(line) = opened(plan, group, item) {
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
        // What the pattern spells out behind the subcommand is part of every line.
        for tail in code(command) {
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
            let runs = decision.steps.iter().any(|step| match &step.request {
                Request::Code(_) => true,
                Request::Command(name) => name == UNKNOWN,
                Request::Read(_)
                | Request::Write(_)
                | Request::Delete(_)
                | Request::Network(_)
                | Request::Env(_)
                | Request::Tool(_)
                | Request::Agent(_)
                | Request::Skill(_)
                | Request::Mode(_)
                | Request::Change(_)
                | Request::Text => false,
            });
            if allowed_by && runs {
                return Some(line);
            }
        }
    }
    None
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
}

/// The ways in which a command takes code: options, operands, standard input.
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
            if let Some(text) = value.effects.iter().find_map(text_for) {
                let mut words = vec![flag.canonical().to_string()];
                words.extend((0..number).map(|_| "x".to_owned()));
                words.push(text);
                tails.push(Tail {
                    place: Where::Option,
                    words,
                });
            }
        }
    }
    let mut lists: Vec<&[Arg]> = vec![&command.args];
    let mut stdin = command.own.iter().any(|own| matches!(own, Own::RunsStdin(_)));
    in_blocks(&command.blocks, &mut lists, &mut stdin);
    for args in lists {
        for (number, arg) in args.iter().enumerate() {
            if let Some(text) = arg.effects.iter().find_map(text_for) {
                let mut words = before(args, number);
                words.push(text);
                tails.push(Tail {
                    place: Where::Operand,
                    words,
                });
            }
        }
    }
    if stdin {
        tails.push(Tail {
            place: Where::Stdin,
            words: Vec::new(),
        });
    }
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
fn text_for(effect: &ValueEffect) -> Option<String> {
    match &effect.kind {
        ValueKind::Runs(_) | ValueKind::RunsSplit | ValueKind::RunsShell { .. } => Some(UNKNOWN.to_owned()),
        ValueKind::Evaluates(_) => Some("code".to_owned()),
        ValueKind::LoadsCode => Some("./any-file".to_owned()),
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
