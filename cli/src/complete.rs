//! `engine completions`: completions for a shell, on standard output.
//!
//! Where a value is one of a list that the program knows, the shell offers that list; the command line itself is read as ever, so that
//! an unknown name gets the answer of its subcommand.

use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Command, CommandFactory};
use engine_policy::definition::shipped_definitions;
use engine_policy::lint::Lint;
use engine_policy::{Mode, SHIPPED};

use crate::exit::Exit;
use crate::out;
use crate::schema::SCHEMAS;

/// Prints completions for a shell
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Completions {
    /// The shell
    shell: clap_complete::Shell,
}

const EXAMPLES: &str = "Examples:
  engine completions bash > ~/.local/share/bash-completion/completions/engine
  engine completions fish > ~/.config/fish/completions/engine.fish";

impl Completions {
    pub(crate) fn run(&self) -> Exit {
        let mut text = Vec::new();
        clap_complete::generate(
            self.shell,
            &mut with_names(crate::Arguments::command()),
            "engine",
            &mut text,
        );
        match String::from_utf8(text) {
            Ok(text) => {
                out::print(&with_files(&text));
                Exit::Fine
            }
            Err(_) => Exit::Internal,
        }
    }
}

/// The same command line with the names that values may have.
fn with_names(whole: Command) -> Command {
    let subcommands: Vec<String> = whole
        .get_subcommands()
        .map(|own| own.get_name().to_owned())
        .collect();
    let programs = shipped_definitions()
        .into_iter()
        .flat_map(|shipped| shipped.definition.names)
        .map(|name| name.to_string());
    let of = |subcommand: &str, argument: &str| -> Option<Vec<String>> {
        let texts = |names: &mut dyn Iterator<Item = &str>| Some(names.map(str::to_owned).collect());
        match (subcommand, argument) {
            (_, "only" | "with") | ("lint" | "test", "files") => {
                texts(&mut SHIPPED.iter().map(|(name, _)| *name))
            }
            (_, "mode") => texts(&mut Mode::ALL.iter().map(|(name, _)| *name)),
            (_, "shell") if subcommand != "completions" => texts(&mut ["bash", "zsh", "sh"].into_iter()),
            ("lint", "explain") => texts(&mut Lint::ALL.iter().map(|lint| lint.name())),
            ("schema", "name") => texts(&mut SCHEMAS.iter().map(|(name, ..)| *name)),
            ("man", "subcommand") => Some(subcommands.clone()),
            ("commands", "names") => Some(programs.clone().collect()),
            _ => None,
        }
    };
    whole.mut_subcommands(|subcommand| {
        let name = subcommand.get_name().to_owned();
        subcommand.mut_args(|argument| match of(&name, argument.get_id().as_str()) {
            // The description of a command line keeps names for good, and the process ends with it.
            Some(names) => argument.value_parser(PossibleValuesParser::new(
                names.into_iter().map(|name| PossibleValue::new(&*name.leak())),
            )),
            None => argument,
        })
    })
}

/// Names of shipped policies stand where files stand, too.
fn with_files(text: &str) -> String {
    // bash, fish, zsh.
    let text = text
        .replace("compgen -W \"builtin:", "compgen -f -W \"builtin:")
        .replace(" -r -f -a \"builtin:", " -r -F -a \"builtin:");
    let mut parts = text.split("(builtin\\:");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (names, rest) = part.split_once(')').unwrap_or((part, ""));
        out.push_str("{_files; compadd -- builtin\\:");
        out.push_str(names);
        out.push('}');
        out.push_str(rest);
    }
    out
}
