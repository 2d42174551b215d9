//! `engine usage`: the program's own options and subcommands in the words of the usage specification, as KDL.
//!
//! It is made of the same description that reads the command line, so that it cannot be out of date. What it says is what a command
//! definition says: programs that read such specifications can complete and explain `engine`.

use std::fmt::Write as _;

use clap::{Arg, ArgAction, Command, CommandFactory};
use engine_policy::format::kdl_text;

use crate::exit::Exit;
use crate::out;

/// Prints the usage specification of this program, in KDL
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Usage {}

const EXAMPLES: &str = "Examples:
  engine usage > engine.usage.kdl";

impl Usage {
    #[expect(clippy::unused_self, reason = "every subcommand is run alike")]
    pub(crate) fn run(&self) -> Exit {
        out::print(&specification());
        Exit::Fine
    }
}

/// The specification.
fn specification() -> String {
    let mut whole = crate::Arguments::command();
    whole.build();
    let mut text = String::from("name \"engine\"\nbin \"engine\"\n");
    let _infallible = writeln!(text, "version {}", kdl_text(env!("CARGO_PKG_VERSION")));
    if let Some(about) = whole.get_about() {
        let _infallible = writeln!(text, "about {}", kdl_text(&about.to_string()));
    }
    parts(&mut text, &whole, 0);
    text
}

fn parts(text: &mut String, command: &Command, depth: usize) {
    let indent = "    ".repeat(depth);
    for argument in command.get_arguments().filter(|argument| !argument.is_hide_set()) {
        // Every command of every program has these two; they are said where they are first met.
        if depth > 0 && matches!(argument.get_id().as_str(), "help" | "version") {
            continue;
        }
        let _infallible = writeln!(text, "{indent}{}", node(argument));
    }
    for subcommand in command.get_subcommands().filter(|own| own.get_name() != "help") {
        let help = subcommand
            .get_about()
            .map(ToString::to_string)
            .unwrap_or_default();
        let _infallible = writeln!(
            text,
            "{indent}cmd {} help={} {{",
            kdl_text(subcommand.get_name()),
            kdl_text(&help)
        );
        parts(text, subcommand, depth + 1);
        let _infallible = writeln!(text, "{indent}}}");
    }
}

fn node(argument: &Arg) -> String {
    let help = argument.get_help().map(ToString::to_string).unwrap_or_default();
    let name = argument
        .get_value_names()
        .and_then(|names| names.first())
        .map_or_else(|| argument.get_id().as_str().to_uppercase(), ToString::to_string);
    let takes_many = matches!(argument.get_action(), ArgAction::Append);
    let mut text = String::new();
    if argument.is_positional() {
        let shape = match (argument.is_required_set(), takes_many) {
            (true, false) => format!("<{name}>"),
            (true, true) => format!("<{name}>..."),
            (false, false) => format!("[{name}]"),
            (false, true) => format!("[{name}]..."),
        };
        let _infallible = write!(text, "arg {}", kdl_text(&shape));
    } else {
        let short = argument.get_short().map(|short| format!("-{short}"));
        let long = argument.get_long().map(|long| format!("--{long}"));
        let mut shape: Vec<String> = short.into_iter().chain(long).collect();
        if argument.get_action().takes_values() {
            shape.push(format!("<{name}>"));
        }
        let _infallible = write!(text, "flag {}", kdl_text(&shape.join(" ")));
    }
    let _infallible = write!(text, " help={}", kdl_text(&help));
    let choices: Vec<String> = argument
        .get_possible_values()
        .iter()
        .filter(|value| argument.get_action().takes_values() && !value.is_hide_set())
        .map(|value| kdl_text(value.get_name()))
        .collect();
    if !choices.is_empty() {
        let _infallible = write!(text, " {{ choices {}; }}", choices.join(" "));
    }
    text
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;
    use engine_policy::definition::read_definitions;

    use super::specification;

    #[test]
    fn it_reads_as_a_command_definition_with_every_subcommand() {
        let text = specification();
        let (definitions, problems) = read_definitions(&text);
        assert_eq!(problems, [], "{text}");
        let [definition] = &definitions[..] else {
            panic!("{} definitions", definitions.len());
        };
        assert_eq!(definition.names, ["engine"]);
        let read: Vec<String> = definition
            .command
            .commands
            .iter()
            .map(|own| own.name.to_string())
            .collect();
        let known: Vec<String> = crate::Arguments::command()
            .get_subcommands()
            .map(|own| own.get_name().to_owned())
            .collect();
        assert_eq!(read, known);
    }

    #[test]
    fn options_are_spelled_with_their_values() {
        let text = specification();
        assert!(text.contains("    flag \"--policy <FILE>\" help="), "{text}");
        assert!(text.contains("    flag \"-v --verbose\" help="), "{text}");
        assert!(
            text.contains("choices \"human\" \"json\" \"sarif\" \"github\" \"junit\""),
            "{text}"
        );
    }
}
