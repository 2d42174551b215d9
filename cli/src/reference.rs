//! The pages of `docs/reference`, made of what the code itself reads: the command line, the words of a policy, codes, programs, schemas.
//!
//! Part of the tests alone. With `BLESS` set the pages are written, else they are compared.
//!
//! Invariant (nothing left out): each list is taken from the code, and a word without a description does not pass.

mod codes;
mod command_line;
mod programs;
mod tools;
mod words;

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use crate::schema::SCHEMAS;

const MADE: &str = "<!-- Made by `BLESS=1 cargo test -p engine --bin engine reference`. -->";

/// Text for a cell of a table.
fn cell(text: &str) -> String {
    let mut cell = String::new();
    for (index, part) in text.split('`').enumerate() {
        let code = index % 2 == 1;
        if index > 0 {
            cell.push('`');
        }
        for c in part.chars() {
            match c {
                '|' => cell.push_str("\\|"),
                '\n' => cell.push(' '),
                '<' if !code => cell.push_str("&lt;"),
                '[' if !code => cell.push_str("\\["),
                c => cell.push(c),
            }
        }
    }
    cell
}

/// A table; its cells are escaped.
fn table(head: &[&str], rows: &[Vec<String>]) -> String {
    let mut text = String::new();
    let _infallible = writeln!(text, "| {} |", head.join(" | "));
    let _infallible = writeln!(text, "|{}", "---|".repeat(head.len()));
    for row in rows {
        let cells: Vec<String> = row.iter().map(|text| cell(text)).collect();
        let _infallible = writeln!(text, "| {} |", cells.join(" | "));
    }
    text
}

fn page(title: &str, about: &str, body: &str) -> String {
    format!("# {title}\n\n{MADE}\n\n{about}\n\n{}\n", body.trim())
}

fn schemas() -> String {
    let rows: Vec<Vec<String>> = SCHEMAS
        .iter()
        .map(|(name, about, text)| {
            let json: serde_json::Value = serde_json::from_str(text).expect("a schema");
            let title = json["title"].as_str().expect("a title").to_owned();
            vec![format!("`{name}`"), (*about).to_owned(), title]
        })
        .collect();
    page(
        "JSON schemas",
        "`engine schema NAME` prints one; the files are in `docs/schema/`. What is promised about them stands on the page about \
         [outputs](../outputs.md).",
        &table(&["schema", "describes", "title"], &rows),
    )
}

/// File, what is on it, and what makes it.
type Page = (&'static str, &'static str, fn() -> String);

const PAGES: &[Page] = &[
    (
        "command-line.md",
        "every subcommand and option",
        command_line::page,
    ),
    (
        "exit-codes.md",
        "what the process ends with",
        command_line::exit_codes,
    ),
    (
        "policy-words.md",
        "sections, rules, conditions, modes, checks, limits",
        words::page,
    ),
    ("codes.md", "codes of problems and lints", codes::page),
    ("programs.md", "the programs that are known", programs::page),
    (
        "tools.md",
        "the tools that ship: purpose, input, flags, budget, deferral",
        tools::page,
    ),
    ("schemas.md", "JSON that is read and printed", schemas),
];

fn index() -> String {
    let mut list = String::new();
    for (file, about, make) in PAGES {
        let text = make();
        let title = text
            .lines()
            .next()
            .and_then(|line| line.strip_prefix("# "))
            .expect("a title")
            .to_owned();
        let _infallible = writeln!(list, "- [{title}]({file}): {about}");
    }
    page(
        "Reference",
        "These pages are made from the code that reads and prints what they list; a test fails when one of them is out of date.",
        &list,
    )
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/reference")
}

#[test]
fn the_pages_of_the_reference_are_what_the_code_says() {
    let bless = std::env::var_os("BLESS").is_some();
    let pages: Vec<(&str, String)> = PAGES
        .iter()
        .map(|(file, _, make)| (*file, make()))
        .chain([("README.md", index())])
        .collect();
    let mut stale = Vec::new();
    for (file, text) in &pages {
        let path = folder().join(file);
        if bless {
            fs::create_dir_all(folder()).expect("a folder");
            fs::write(&path, text).expect("a page");
        } else if fs::read_to_string(&path).unwrap_or_default() != *text {
            stale.push((*file).to_owned());
        }
    }
    for entry in fs::read_dir(folder()).expect("the pages") {
        let name = entry.expect("an entry").file_name();
        let name = name.to_str().expect("a name");
        if !pages.iter().any(|(file, _)| *file == name) {
            stale.push(format!("{name}, which nothing makes"));
        }
    }
    assert!(
        stale.is_empty(),
        "docs/reference is out of date ({}): run `BLESS=1 cargo test -p engine --bin engine reference`",
        stale.join(", ")
    );
}

#[test]
fn cells_do_not_end_early() {
    assert_eq!(cell("a|b <c> `<d>|`\ne"), "a\\|b &lt;c> `<d>\\|` e");
}
