//! `engine commands`: what is known about programs, from the shipped definitions and from those that policies bring along.
//!
//! Invariant (nothing decided): definitions are shown as they are read; no rule is asked.

mod find;
pub(crate) mod list;
mod show;
mod words;

use crate::exit::Exit;
use crate::options::{DataFormat, Policies};
use crate::{check, out, policies};
use find::{Known, Picked};

/// Shows what is known about programs: a table of all, or everything about one
///
/// What a program does with its arguments is data: the engine ships definitions, a policy may bring its own (`commands "our-cli.kdl"`).
/// `engine commands git commit` shows a subcommand.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Commands {
    /// Programs; words that follow one may be subcommands of it. Without any, the table of all
    #[arg(value_name = "NAME")]
    names: Vec<String>,

    #[command(flatten)]
    policies: Policies,

    /// How to print
    #[arg(long, value_enum, default_value_t)]
    format: DataFormat,
}

const EXAMPLES: &str = "Examples:
  engine commands                             every program that is known
  engine commands grep                        what grep does with its arguments
  engine commands git commit                  the same of a subcommand
  engine commands --policy shop.kdl our-cli   with the definitions that a policy brings along";

impl Commands {
    pub(crate) fn run(&self) -> Exit {
        match self.try_run() {
            Ok(exit) | Err(exit) => exit,
        }
    }

    fn try_run(&self) -> Result<Exit, Exit> {
        let start = check::Start::of(None)?;
        let found = start.found(&self.policies.named());
        let loaded = policies::read_layers(&found);
        policies::report(&loaded.diagnostics, &loaded.sources);
        if loaded.has_errors() {
            return Err(Exit::Invalid);
        }
        let known = Known::new(&loaded);
        if self.names.is_empty() {
            out::print(&match self.format {
                DataFormat::Human => list::human(&known),
                DataFormat::Json => list::json(&known),
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
            DataFormat::Human => show::human(&shown),
            DataFormat::Json => show::json(&shown),
        });
        Ok(if unknown { Exit::Usage } else { Exit::Fine })
    }
}
