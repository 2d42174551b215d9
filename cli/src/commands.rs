//! `engine commands`: what is known about programs, from the shipped definitions and from those that policies bring along.
//!
//! Invariant (nothing decided): definitions are shown as they are read; no rule is asked.

mod find;
mod list;
mod show;
mod words;

use crate::exit::Exit;
use crate::{check, out, policies};
use find::{Known, Picked};

/// Shows what is known about programs: a table of all, or everything about one
///
/// What a program does with its arguments is data: the engine ships definitions, a policy may bring its own (`commands "our-cli.kdl"`).
/// `engine commands git commit` shows a subcommand.
#[derive(Debug, clap::Args)]
pub(crate) struct Commands {
    /// Programs; words that follow one may be subcommands of it. Without any, the table of all
    #[arg(value_name = "NAME")]
    names: Vec<String>,

    /// Policy file whose definitions are shown, too; may be given several times. Without it, the files found for the project and user
    #[arg(long = "policy", value_name = "FILE")]
    policies: Vec<String>,

    /// How to print
    #[arg(long, value_enum, default_value_t)]
    format: Printed,
}

/// How definitions are printed; there is nothing in them for code scanners and build servers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
enum Printed {
    /// For people; not a stable interface
    #[default]
    Human,
    /// For programs; stable
    Json,
}

impl Commands {
    pub(crate) fn run(&self) -> Exit {
        match self.try_run() {
            Ok(exit) | Err(exit) => exit,
        }
    }

    fn try_run(&self) -> Result<Exit, Exit> {
        let files = if self.policies.is_empty() {
            policies::found(&check::Start::of(None)?.project)
        } else {
            self.policies.clone()
        };
        let loaded = policies::read(&files);
        policies::report(&loaded.diagnostics, &loaded.sources);
        if loaded.has_errors() {
            return Err(Exit::Invalid);
        }
        let known = Known::new(&loaded);
        if self.names.is_empty() {
            out::print(&match self.format {
                Printed::Human => list::human(&known),
                Printed::Json => list::json(&known),
            });
            return Ok(Exit::Fine);
        }
        let words: Vec<&str> = self
            .names
            .iter()
            .flat_map(|name| name.split_whitespace())
            .collect();
        let mut unknown = false;
        let mut shown = Vec::new();
        for picked in known.pick(&words) {
            match picked {
                Picked::Known(one) => shown.push(one),
                Picked::Unknown { name, below, near } => {
                    unknown = true;
                    let of = below.map_or_else(String::new, |path| format!(" or subcommand of `{path}`"));
                    let near = near.map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
                    out::complain(&format!(
                        "engine: no program{of} is known as `{}`{near}\n",
                        out::visible(&name)
                    ));
                }
            }
        }
        out::print(&match self.format {
            Printed::Human => show::human(&shown),
            Printed::Json => show::json(&shown),
        });
        Ok(if unknown { Exit::Failed } else { Exit::Fine })
    }
}
