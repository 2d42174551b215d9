//! The pages about the command line and about exit codes, from the description that reads the command line.

use std::fmt::Write as _;

use clap::{Arg, ArgAction, Command, CommandFactory};

use super::table;
use crate::exit::HELP;

pub(super) fn page() -> String {
    let mut whole = crate::Arguments::command();
    whole.build();
    let mut body = String::new();
    let mut rows = Vec::new();
    for command in whole.get_subcommands().filter(|own| own.get_name() != "help") {
        let about = command.get_about().expect("a description").to_string();
        rows.push(vec![format!("`engine {}`", command.get_name()), about]);
    }
    body.push_str(&table(&["subcommand", "does"], &rows));
    body.push_str("\nEach of them has `--help`, which says the same as this page, and ends with one of the [exit codes](exit-codes.md).\n");
    for command in whole.get_subcommands().filter(|own| own.get_name() != "help") {
        subcommand(&mut body, command);
    }
    super::page(
        "Command line",
        "Options may stand before and behind operands; `--` ends them.",
        &body,
    )
}

fn subcommand(body: &mut String, command: &Command) {
    let _infallible = writeln!(body, "\n## engine {}\n", command.get_name());
    let about = command
        .get_long_about()
        .or_else(|| command.get_about())
        .expect("a description");
    for paragraph in about.to_string().split("\n\n") {
        let _infallible = writeln!(body, "{}.\n", paragraph.trim_end_matches('.'));
    }
    let usage = command.clone().render_usage().to_string();
    let _infallible = writeln!(body, "`{}`\n", usage.trim_start_matches("Usage: "));
    let rows: Vec<Vec<String>> = command
        .get_arguments()
        .filter(|argument| !argument.is_hide_set() && argument.get_id() != "help")
        .map(row)
        .collect();
    if !rows.is_empty() {
        body.push_str(&table(&["argument", "says"], &rows));
    }
    let after = command
        .get_after_help()
        .map(ToString::to_string)
        .unwrap_or_default();
    if let Some(examples) = after.strip_prefix("Examples:\n") {
        body.push_str("\n```sh\n");
        for line in examples.lines() {
            let _infallible = writeln!(body, "{}", commented(line.trim()));
        }
        body.push_str("```\n");
    }
}

/// An example with what stands behind it as a comment.
fn commented(line: &str) -> String {
    match line.split_once("  ") {
        Some((command, says)) => format!("{command}   # {}", says.trim()),
        None => line.to_owned(),
    }
}

fn row(argument: &Arg) -> Vec<String> {
    let value = argument
        .get_value_names()
        .and_then(|names| names.first())
        .map_or_else(|| argument.get_id().as_str().to_uppercase(), ToString::to_string);
    let spelled = if argument.is_positional() {
        let more = if matches!(argument.get_action(), ArgAction::Append) {
            "..."
        } else {
            ""
        };
        format!("`{value}{more}`")
    } else {
        let short = argument.get_short().map(|short| format!("-{short}"));
        let long = argument.get_long().map(|long| format!("--{long}"));
        let mut spelled = short.into_iter().chain(long).collect::<Vec<_>>().join(", ");
        if argument.get_action().takes_values() {
            let _infallible = write!(spelled, " {value}");
        }
        format!("`{spelled}`")
    };
    let mut says = argument.get_help().map(ToString::to_string).unwrap_or_default();
    let values: Vec<String> = argument
        .get_possible_values()
        .iter()
        .filter(|own| argument.get_action().takes_values() && !own.is_hide_set())
        .map(|own| format!("`{}`", own.get_name()))
        .collect();
    if !values.is_empty() {
        let _infallible = write!(says, ": {}", values.join(", "));
    }
    if let [default] = argument.get_default_values()
        && argument.get_action().takes_values()
    {
        let _infallible = write!(says, " (without it `{}`)", default.to_string_lossy());
    }
    vec![spelled, says]
}

pub(super) fn exit_codes() -> String {
    let list = HELP.strip_prefix("Exit codes: ").expect("the list");
    let mut rows: Vec<Vec<String>> = Vec::new();
    for part in list.split(", ") {
        match part.split_once(' ') {
            Some((code, means)) if code.parse::<u8>().is_ok() => {
                rows.push(vec![code.to_owned(), means.to_owned()]);
            }
            Some(_) | None => {
                let last = rows
                    .last_mut()
                    .and_then(|row| row.last_mut())
                    .expect("a code first");
                let _infallible = write!(last, ", {part}");
            }
        }
    }
    super::page(
        "Exit codes",
        "They are part of the stable interface.",
        &table(&["code", "means"], &rows),
    )
}
