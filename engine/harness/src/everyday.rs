//! How many everyday one-liners that only read are allowed by `builtin:readonly`, and why the rest is not.
//!
//! A one-liner that only reads is found from the definitions alone, without the policy: the text is one line and understood, runs at
//! least one program, opens no file for writing and sets no variable; each program has a definition that is complete and explains
//! every word, and what it says of the line, and of each command line that it runs in turn, is reading and nothing else. Where the
//! files are does not matter for that: what reads outside of the project is considered, and counted apart.
//!
//! Invariant: nothing is looked up on this machine, so that the numbers are the same everywhere.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;

use engine_policy::{Decision, Entry, Look, Outcome, Request, Step, Why, World};
use engine_shell::{AccessMode, Context, Directory, Evaluation, Limits, Shell, Stdin, evaluate, parse};

use crate::programs::{Definitions, HOME_DIRECTORY, PROJECT, Readonly, reads_only};

/// Reasons that are printed.
const REASONS: usize = 20;

/// A file system in which nothing is a link and nothing is known to exist.
struct Plain;

impl World for Plain {
    fn real_path(&self, path: &str) -> Option<String> {
        Some(path.to_owned())
    }

    fn is_directory(&self, _path: &str) -> Option<bool> {
        None
    }

    fn small_file(&self, _path: &str) -> Option<String> {
        None
    }

    fn look_below(&self, _root: &str, _visit: &mut dyn FnMut(Entry<'_>) -> Look) -> bool {
        true
    }
}

/// Writes the survey; it judges nothing.
pub(crate) fn survey_everyday(
    out: &mut impl Write,
    folder: &Path,
    texts: &[String],
    show: usize,
) -> io::Result<bool> {
    let definitions = Definitions::read(folder)?;
    let readonly = Readonly::build()?;
    let (mut considered, mut allowed, mut outside) = (0_usize, 0_usize, 0_usize);
    let mut reasons: BTreeMap<String, (usize, &str)> = BTreeMap::new();
    for text in texts {
        if !only_reads(&definitions, text) {
            continue;
        }
        considered += 1;
        let decision = readonly.decide(text, &Plain);
        if decision.outcome == Outcome::Allow {
            allowed += 1;
            continue;
        }
        let apart = decision.reasons().all(is_outside);
        outside += usize::from(apart);
        let reason = reason_of(&decision);
        reasons.entry(reason).or_insert((0, text)).0 += 1;
    }
    let inside = considered - outside;
    writeln!(
        out,
        "everyday: {} texts, {considered} one-liners that only read, {allowed} allowed by builtin:readonly ({}), {outside} asked about only since they read outside of the project, {} of the other {inside} allowed",
        texts.len(),
        share(allowed, considered),
        share(allowed, inside)
    )?;
    let mut reasons: Vec<_> = reasons.into_iter().collect();
    reasons.sort_by_key(|(_, (count, _))| std::cmp::Reverse(*count));
    for (reason, (count, example)) in reasons.into_iter().take(REASONS.min(show)) {
        writeln!(out, "  {count} {reason}: {example}")?;
    }
    Ok(true)
}

fn share(part: usize, whole: usize) -> String {
    let tenths = (part * 1000).checked_div(whole).unwrap_or_default();
    format!("{}.{} %", tenths / 10, tenths % 10)
}

/// Whether a text is a one-liner that reads and does nothing else, as far as the definitions say.
fn only_reads(definitions: &Definitions, text: &str) -> bool {
    let Some(found) = understood(text) else {
        return false;
    };
    let reads = |mode: AccessMode| match mode {
        AccessMode::Read => true,
        AccessMode::Write | AccessMode::Append | AccessMode::ReadWrite => false,
    };
    let mut accesses = found.accesses.iter();
    !text.trim().contains('\n')
        && !found.invocations.is_empty()
        && found.settings.is_empty()
        && accesses.all(|access| reads(access.mode) || access.path.known() == Some("/dev/null"))
        && found
            .invocations
            .iter()
            .all(|invocation| reads_only(definitions, &invocation.words))
}

fn understood(text: &str) -> Option<Evaluation> {
    let script = parse(text, Shell::Bash, &Limits::DEFAULT).ok()?;
    let context = Context {
        shell: Shell::Bash,
        limits: &Limits::DEFAULT,
        home: Some(HOME_DIRECTORY.into()),
        directory: Directory::OneOf(vec![PROJECT.into()]),
        variables: Vec::new(),
        positional: None,
        stdin: Stdin::Inherited,
        level: 0,
    };
    let found = evaluate(&script, text, &context);
    found.refusals.is_empty().then_some(found)
}

fn is_outside(step: &Step) -> bool {
    match &step.request {
        Request::Read(path) => !path.starts_with(PROJECT) && matches!(step.why, Why::Default(_)),
        Request::Command(_)
        | Request::Write(_)
        | Request::Delete(_)
        | Request::Network(_)
        | Request::Env(_)
        | Request::Tool(_)
        | Request::Agent(_)
        | Request::Skill(_)
        | Request::Mode(_)
        | Request::Change(_)
        | Request::Code(_)
        | Request::Text => false,
    }
}

/// The first reason, without what is peculiar to one text.
fn reason_of(decision: &Decision) -> String {
    let Some(step) = decision.reasons().next() else {
        return "no reason".to_owned();
    };
    if is_outside(step) {
        return "reads outside of the project".to_owned();
    }
    let request = step.request.describe();
    match &step.why {
        Why::Unknown(why) => format!("unknown: {why}"),
        Why::NotUnderstood(why) => format!("not understood: {why:?}"),
        Why::Check(why) => format!("check: {why}"),
        Why::DangerousVariable(name) => format!("variable {name}"),
        Why::Default(_)
        | Why::DefaultThroughLink(..)
        | Why::Rule(_)
        | Why::RuleMaybe(_)
        | Why::RuleThroughLink(..)
        | Why::Covered(_)
        | Why::NoEffect
        | Why::Harmless
        | Why::Mode(_) => {
            let verb = request.split(' ').next().unwrap_or_default();
            format!(
                "{verb}: {}",
                if verb == "run" {
                    request.as_str()
                } else {
                    "inside or unknown"
                }
            )
        }
    }
}
