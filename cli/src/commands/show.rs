//! Everything about one program or subcommand.

use std::fmt::Write as _;

use engine_policy::definition::model::{Arg, Block, Command, ExitCode, Flag, Own, ValueKind};
use serde_json::{Value as Json, json};

use super::find::{Found, Kind};
use super::list::{Complete, text_or_null};
use super::words::{self, Done};
use crate::out::{Paint, visible};

pub(super) fn human(shown: &[Found<'_>]) -> String {
    let texts: Vec<String> = shown.iter().map(one_human).collect();
    texts.join("\n")
}

fn one_human(found: &Found<'_>) -> String {
    let mut out = String::new();
    let (entry, command, paint) = (found.entry, found.command, Paint::for_stdout());
    let place = place(found);
    let _infallible = writeln!(
        out,
        "{}  {}",
        paint.green(&visible(&found.called())),
        paint.dim(&format!("{} ({})", visible(&place), entry.kind.word()))
    );
    let about = about(found);
    if !about.is_empty() {
        line(&mut out, &visible(about));
    }
    let others: Vec<&str> = names(found).into_iter().skip(1).collect();
    if !others.is_empty() {
        line(&mut out, &format!("also called {}", visible(&others.join(", "))));
    }
    let definition = &entry.definition;
    if !definition.source.is_empty() {
        line(&mut out, &format!("read against {}", visible(&definition.source)));
    }
    line(&mut out, known_of(found));
    if let Some(class) = class(found) {
        line(&mut out, &format!("class `{class}`"));
    }
    if command.wrapper {
        line(&mut out, "a wrapper: decided as itself and as what it runs");
    }
    if connects(command) {
        line(&mut out, "may use the network");
    }
    let claimed = claimed(found);
    if let Some(claimed) = claimed
        && entry.kind == Kind::Published
    {
        line(
            &mut out,
            &format!("says of itself that its effect is `{}`", visible(claimed)),
        );
    }

    let does: Vec<String> = own(found).iter().map(|done| done.says.clone()).collect();
    section(&mut out, paint, "By itself it", &does);
    section(&mut out, paint, "Operands", &operands(&command.args));
    options(&mut out, paint, found);
    let mut conditions = Vec::new();
    blocks(&mut conditions, &command.blocks, "");
    section(&mut out, paint, "Only", &conditions);
    let subcommands: Vec<String> = command
        .commands
        .iter()
        .map(|inner| {
            let also = if inner.aliases.is_empty() {
                String::new()
            } else {
                format!(" ({})", inner.aliases.join(", "))
            };
            let complete = inner.command().map_or(Complete::No, Complete::of);
            let mark = match complete {
                Complete::Yes => "",
                Complete::Partly => "  [partly complete]",
                Complete::No => "  [not complete]",
            };
            let about = below(found, &inner.name);
            let about = if about.is_empty() {
                String::new()
            } else {
                format!("  {about}")
            };
            format!("{}{also}{about}{mark}", inner.name)
        })
        .collect();
    section(&mut out, paint, "Subcommands", &subcommands);
    let codes: Vec<String> = codes_of(found)
        .map(|code| {
            let ok = if code.ok { " (no failure)" } else { "" };
            format!("{}  {}{ok}", code.code, code.about)
        })
        .collect();
    section(&mut out, paint, "Exit codes", &codes);
    if found.path.is_empty() {
        let alone: Vec<String> = definition
            .alone
            .iter()
            .map(|alone| alone.words.to_string())
            .collect();
        section(
            &mut out,
            paint,
            "Prints and ends where these are all its words",
            &alone,
        );
    }
    let examples: Vec<String> = examples(found)
        .map(|example| {
            let expected: Vec<String> = example.expected.iter().map(|text| format!("`{text}`")).collect();
            let expected = if expected.is_empty() {
                String::new()
            } else {
                format!(" {}", expected.join(" "))
            };
            format!("{}  {}{expected}", example.command, words::claim(example.claim))
        })
        .collect();
    section(&mut out, paint, "Examples, which are tested", &examples);
    out
}

fn line(out: &mut String, text: &str) {
    let _infallible = writeln!(out, "  {text}");
}

fn section(out: &mut String, paint: Paint, title: &str, lines: &[String]) {
    if lines.is_empty() {
        return;
    }
    let _infallible = writeln!(out, "\n{}", paint.dim(title));
    for text in lines {
        line(out, &visible(text));
    }
}

/// Options with effects one to a line; the others, which touch nothing, together.
fn options(out: &mut String, paint: Paint, found: &Found<'_>) {
    let published = found.entry.kind == Kind::Published;
    let mut with = Vec::new();
    let mut without = Vec::new();
    for flag in &found.command.flags {
        let done = words::of_flag(flag);
        if done.is_empty() {
            without.push(words::flag_usage(flag));
        } else {
            let says: Vec<String> = done.into_iter().map(|done| done.says).collect();
            with.push(format!("{}  {}", words::flag_usage(flag), says.join("; ")));
        }
    }
    section(out, paint, "Options with effects", &with);
    let title = if published {
        "Options of which it says no effect"
    } else {
        "Options that touch nothing"
    };
    let mut rows: Vec<String> = Vec::new();
    for text in without {
        match rows.last_mut() {
            Some(row) if row.chars().count() + text.chars().count() < 100 => {
                row.push_str(", ");
                row.push_str(&text);
            }
            Some(_) | None => rows.push(text),
        }
    }
    section(out, paint, title, &rows);
}

fn operands(args: &[Arg]) -> Vec<String> {
    args.iter()
        .map(|arg| {
            let mut says: Vec<String> = arg
                .effects
                .iter()
                .map(|effect| words::of_value(effect).says)
                .collect();
            says.extend(words::arg_notes(arg));
            let usage = words::arg_usage(arg);
            if says.is_empty() {
                usage
            } else {
                format!("{usage}  {}", says.join("; "))
            }
        })
        .collect()
}

fn blocks(out: &mut Vec<String>, all: &[Block], outer: &str) {
    for block in all {
        let condition = format!("{outer}{}", words::condition(block));
        let mut says: Vec<String> = block.own.iter().map(|own| words::of_own(own).says).collect();
        says.extend(operands(&block.args));
        for (flag, effects) in &block.values {
            says.extend(
                effects
                    .iter()
                    .map(|effect| format!("the value of `{flag}` {}", words::of_value(effect).says)),
            );
        }
        if !says.is_empty() {
            out.push(format!("{condition}: {}", says.join("; ")));
        }
        blocks(out, &block.blocks, &format!("{condition} and "));
    }
}

fn known_of(found: &Found<'_>) -> &'static str {
    match found.entry.kind {
        Kind::Published => "published by the program itself: serves rules that deny or ask, and never allows",
        Kind::Shipped | Kind::Policy => match Complete::of(found.command) {
            Complete::Yes => "complete: every option of the manual stands here, and any other is unknown",
            Complete::Partly => "complete for some of its subcommands",
            Complete::No => "not complete: never allowed without a rule that names it",
        },
    }
}

fn place(found: &Found<'_>) -> String {
    format!("{}:{}", found.entry.file, found.entry.line(&found.path.join(" ")))
}

fn about<'f>(found: &'f Found<'_>) -> &'f str {
    if found.path.is_empty() {
        return &found.entry.definition.about;
    }
    found
        .entry
        .note(&found.path.join(" "))
        .map_or("", |note| note.about.as_str())
}

/// The line of help of a subcommand.
fn below(found: &Found<'_>, name: &str) -> String {
    let mut path = found.path.clone();
    path.push(name);
    found
        .entry
        .note(&path.join(" "))
        .map_or_else(String::new, |note| note.about.to_string())
}

fn claimed<'f>(found: &'f Found<'_>) -> Option<&'f str> {
    let note = found.entry.note(&found.path.join(" "))?;
    text_or_null(&note.effect)
}

fn class<'f>(found: &'f Found<'_>) -> Option<&'f str> {
    let own = found.command.class.as_deref();
    own.or(found.entry.definition.command.class.as_deref())
}

fn names<'f>(found: &'f Found<'_>) -> Vec<&'f str> {
    if found.path.is_empty() {
        return found
            .entry
            .definition
            .names
            .iter()
            .map(smol_str::SmolStr::as_str)
            .collect();
    }
    std::iter::once(&found.command.name)
        .chain(&found.command.aliases)
        .map(smol_str::SmolStr::as_str)
        .collect()
}

/// What the command does whatever its arguments are, with what the commands above it do.
fn own(found: &Found<'_>) -> Vec<Done> {
    let mut all: Vec<&Own> = Vec::new();
    let mut command = &found.entry.definition.command;
    all.extend(&command.own);
    for name in &found.path {
        let Some(inner) = command.subcommand(name) else {
            break;
        };
        command = inner;
        all.extend(&command.own);
    }
    let mut done: Vec<Done> = Vec::new();
    for own in all {
        let one = words::of_own(own);
        if !done.contains(&one) {
            done.push(one);
        }
    }
    done
}

fn connects(command: &Command) -> bool {
    fn own(all: &[Own]) -> bool {
        all.iter().any(|own| matches!(own, Own::Network))
    }
    let value = |kind: &ValueKind| matches!(kind, ValueKind::Connects { .. });
    let args = |args: &[Arg]| {
        args.iter()
            .flat_map(|arg| &arg.effects)
            .any(|effect| value(&effect.kind))
    };
    let flag = |flag: &Flag| {
        own(&flag.own)
            || flag
                .values
                .iter()
                .flat_map(|value| &value.effects)
                .any(|effect| value(&effect.kind))
    };
    let mut open: Vec<&Block> = command.blocks.iter().collect();
    let mut in_blocks = false;
    while let Some(block) = open.pop() {
        in_blocks |= own(&block.own) || args(&block.args);
        open.extend(&block.blocks);
    }
    own(&command.own) || args(&command.args) || command.flags.iter().any(flag) || in_blocks
}

/// The examples about what is shown: those of a subcommand begin with its words.
fn examples<'f>(
    found: &'f Found<'_>,
) -> impl Iterator<Item = &'f engine_policy::definition::model::Example> + 'f {
    found.entry.definition.tests.iter().filter(move |example| {
        let mut words = example.command.split_whitespace().skip(1);
        found.path.iter().all(|wanted| words.any(|word| word == *wanted))
    })
}

pub(super) fn json(shown: &[Found<'_>]) -> String {
    let all: Vec<Json> = shown.iter().map(one_json).collect();
    format!("{}\n", json!({ "commands": all }))
}

/// What the exit codes of this command mean, those of what it is a subcommand of included.
fn codes_of<'f>(found: &'f Found<'_>) -> impl Iterator<Item = &'f ExitCode> {
    found.entry.definition.exit_codes.iter().filter(|code| {
        code.command.len() <= found.path.len()
            && code.command.iter().zip(&found.path).all(|(of, own)| of == own)
    })
}

fn one_json(found: &Found<'_>) -> Json {
    let (entry, command) = (found.entry, found.command);
    let definition = &entry.definition;
    let mut conditions = Vec::new();
    blocks_json(&mut conditions, &command.blocks, "");
    let exit_codes: Vec<Json> = codes_of(found)
        .map(|code| json!({ "code": code.code, "about": code.about, "ok": code.ok }))
        .collect();
    let options: Vec<Json> = command
        .flags
        .iter()
        .map(|flag| {
            json!({
                "names": flag.names,
                "usage": words::flag_usage(flag),
                "values": flag.values.iter().map(|value| value.name.as_str()).collect::<Vec<_>>(),
                "global": flag.global,
                "effects": done_json(&words::of_flag(flag)),
            })
        })
        .collect();
    let subcommands: Vec<Json> = command
        .commands
        .iter()
        .map(|inner| {
            json!({
                "name": inner.name,
                "aliases": inner.aliases,
                "about": text_or_null(&below(found, &inner.name)),
                "complete": inner.command().map_or(Complete::No, Complete::of).word(),
            })
        })
        .collect();
    let examples: Vec<Json> = examples(found)
        .map(|example| {
            json!({
                "command": example.command,
                "claim": words::claim(example.claim),
                "expected": example.expected,
            })
        })
        .collect();
    json!({
        "command": found.called(),
        "program": entry.name(),
        "names": names(found),
        "about": text_or_null(about(found)),
        "class": class(found),
        "complete": Complete::of(command).word(),
        "wrapper": command.wrapper,
        "network": connects(command),
        "claims": claimed(found),
        "effects": done_json(&own(found)),
        "operands": args_json(&command.args),
        "options": options,
        "conditions": conditions,
        "subcommands": subcommands,
        "exit_codes": exit_codes,
        "examples": examples,
        "source": text_or_null(&definition.source),
        "kind": entry.kind.word(),
        "file": entry.file,
        "line": entry.line(&found.path.join(" ")),
    })
}

fn done_json(done: &[Done]) -> Vec<Json> {
    done.iter()
        .map(|done| json!({ "kind": done.kind, "says": done.says }))
        .collect()
}

fn args_json(args: &[Arg]) -> Vec<Json> {
    args.iter()
        .map(|arg| {
            let effects: Vec<Done> = arg.effects.iter().map(words::of_value).collect();
            json!({
                "name": arg.name,
                "usage": words::arg_usage(arg),
                "required": arg.required,
                "variadic": arg.variadic,
                "default": arg.default,
                "notes": words::arg_notes(arg),
                "effects": done_json(&effects),
            })
        })
        .collect()
}

fn blocks_json(out: &mut Vec<Json>, all: &[Block], outer: &str) {
    for block in all {
        let condition = format!("{outer}{}", words::condition(block));
        let own: Vec<Done> = block.own.iter().map(words::of_own).collect();
        let values: Vec<Json> = block
            .values
            .iter()
            .map(|(flag, effects)| {
                let effects: Vec<Done> = effects.iter().map(words::of_value).collect();
                json!({ "option": flag, "effects": done_json(&effects) })
            })
            .collect();
        out.push(json!({
            "when": condition,
            "effects": done_json(&own),
            "operands": args_json(&block.args),
            "values": values,
        }));
        blocks_json(out, &block.blocks, &format!("{condition} and "));
    }
}
