//! The table of all programs.

use std::fmt::Write as _;

use engine_policy::definition::model::Command;
use serde_json::json;

use super::find::{Entry, Kind, Known};
use crate::out::{Paint, many, visible};

/// How much of a program's options is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Complete {
    /// Those of the program, or of all its subcommands.
    Yes,
    /// Those of some subcommands.
    Partly,
    /// None.
    No,
}

impl Complete {
    pub(crate) fn of(command: &Command) -> Self {
        let inner: Vec<Self> = command
            .commands
            .iter()
            .filter_map(|inner| inner.command().map(Self::of))
            .collect();
        if inner.is_empty() {
            return if command.complete { Self::Yes } else { Self::No };
        }
        if inner.iter().all(|one| *one == Self::Yes) {
            Self::Yes
        } else if command.complete || inner.iter().any(|one| *one != Self::No) {
            Self::Partly
        } else {
            Self::No
        }
    }

    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Yes => "yes",
            Self::Partly => "partly",
            Self::No => "no",
        }
    }
}

struct Counts {
    definitions: usize,
    names: usize,
    complete: usize,
    partly: usize,
    policy: usize,
    published: usize,
}

fn counts(entries: &[&Entry]) -> Counts {
    let mut names: Vec<&str> = entries
        .iter()
        .flat_map(|entry| entry.definition.names.iter().map(smol_str::SmolStr::as_str))
        .collect();
    names.sort_unstable();
    names.dedup();
    let of = |kind: Kind| entries.iter().filter(|entry| entry.kind == kind).count();
    let as_complete = |complete: Complete| {
        entries
            .iter()
            .filter(|entry| Complete::of(&entry.definition.command) == complete)
            .count()
    };
    Counts {
        definitions: entries.len(),
        names: names.len(),
        complete: as_complete(Complete::Yes),
        partly: as_complete(Complete::Partly),
        policy: of(Kind::Policy),
        published: of(Kind::Published),
    }
}

fn shown(known: &Known) -> Vec<&Entry> {
    known.entries.iter().filter(|entry| known.counts(entry)).collect()
}

pub(super) fn human(known: &Known) -> String {
    let entries = shown(known);
    let paint = Paint::for_stdout();
    let row = |entry: &Entry| {
        let definition = &entry.definition;
        let others: Vec<&str> = definition
            .names
            .iter()
            .skip(1)
            .map(smol_str::SmolStr::as_str)
            .collect();
        let place = match entry.kind {
            Kind::Shipped => entry.file.clone(),
            Kind::Policy | Kind::Published => {
                format!("{}:{} ({})", entry.file, entry.line(""), entry.kind.word())
            }
        };
        [
            visible(entry.name()),
            shortened(&visible(&others.join(" ")), 24),
            definition.command.class.as_deref().unwrap_or("-").to_owned(),
            Complete::of(&definition.command).word().to_owned(),
            if definition.source.is_empty() {
                "-".to_owned()
            } else {
                shortened(&visible(&definition.source), 40)
            },
            visible(&place),
        ]
    };
    let head = ["NAME", "ALSO", "CLASS", "COMPLETE", "READ AGAINST", "DEFINED IN"].map(str::to_owned);
    let rows: Vec<[String; 6]> = entries.iter().map(|entry| row(entry)).collect();
    let mut widths = [0_usize; 6];
    for row in std::iter::once(&head).chain(&rows) {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let mut out = String::new();
    for (at, row) in std::iter::once(&head).chain(&rows).enumerate() {
        let mut line = String::new();
        for (cell, width) in row.iter().zip(widths) {
            let _infallible = write!(line, "{cell:width$}  ");
        }
        let line = line.trim_end();
        let line = if at == 0 { paint.dim(line) } else { line.to_owned() };
        out.push_str(&line);
        out.push('\n');
    }
    let counts = counts(&entries);
    let _infallible = write!(
        out,
        "\n{} of {}: {} complete, {} partly",
        many(counts.definitions, "definition"),
        many(counts.names, "name"),
        counts.complete,
        counts.partly
    );
    if counts.policy + counts.published > 0 {
        let _infallible = write!(
            out,
            "; {} by policies, {} published by their programs",
            counts.policy, counts.published
        );
    }
    out.push('\n');
    out
}

fn shortened(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let mut short: String = text.chars().take(most.saturating_sub(3)).collect();
    short.push_str("...");
    short
}

pub(super) fn json(known: &Known) -> String {
    let entries = shown(known);
    let counts = counts(&entries);
    let rows: Vec<_> = entries
        .iter()
        .map(|entry| {
            let definition = &entry.definition;
            json!({
                "name": entry.name(),
                "names": definition.names,
                "about": definition.about,
                "class": definition.command.class,
                "complete": Complete::of(&definition.command).word(),
                "subcommands": definition.command.commands.len(),
                "wrapper": definition.command.wrapper,
                "source": text_or_null(&definition.source),
                "kind": entry.kind.word(),
                "file": entry.file,
                "line": entry.line(""),
            })
        })
        .collect();
    let value = json!({
        "definitions": rows,
        "counts": {
            "definitions": counts.definitions,
            "names": counts.names,
            "complete": counts.complete,
            "partly": counts.partly,
            "policy": counts.policy,
            "published": counts.published,
        },
    });
    format!("{value}\n")
}

/// An empty text stands for none.
pub(super) fn text_or_null(text: &str) -> Option<&str> {
    (!text.is_empty()).then_some(text)
}
