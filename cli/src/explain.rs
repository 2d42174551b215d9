//! `engine explain`: the full trace of one decision.

use engine_policy::{Call, decide};

use crate::check::{Start, command_text};
use crate::exit::Exit;
use crate::options::{Circumstances, Format};
use crate::render::{self, Shown};
use crate::report::{self, Detail};
use crate::world::Disk;
use crate::{out, policies};

/// Shows how a command is decided: every request, the rules tried, what was unknown, the nearest miss
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Explain {
    #[command(flatten)]
    circumstances: Circumstances,

    /// The command, as one text; several words are taken as the words of one command
    #[arg(value_name = "CMD", required = true)]
    command: Vec<String>,
}

const EXAMPLES: &str = "Examples:
  engine explain 'git push -f'                every request and what became of it
  engine explain --mode plan 'touch a.txt'    the same in a mode
  engine explain --format json 'ls | head'    for programs";

impl Explain {
    pub(crate) fn run(&self) -> Exit {
        match self.try_run() {
            Ok(exit) | Err(exit) => exit,
        }
    }

    fn try_run(&self) -> Result<Exit, Exit> {
        let start = Start::of(self.circumstances.cwd.as_deref())?;
        let plan = policies::policy(&start.found(&self.circumstances.policies.named()))?;
        let text = command_text(&self.command);
        let disk = Disk::default();
        let facts = start.facts(self.circumstances.shell, &disk);
        let mode = self.circumstances.mode.unwrap_or_else(|| plan.start_mode());
        let decision = decide(&plan, &Call::Shell(&text), &facts, mode);
        let shown = Shown::Command(&text);
        let rendered = match self.circumstances.format {
            Format::Human => render::trace(&plan, &shown, &decision, decision.outcome),
            Format::Json => {
                let mut json = render::json(&plan, &shown, &decision, decision.outcome, true);
                json.push('\n');
                json
            }
            format @ (Format::Sarif | Format::Github | Format::Junit) => {
                let (project, outcome) = (&start.project, decision.outcome);
                let report = report::of_decision("explain", project, &plan, &shown, &decision, outcome);
                report::render(format, &report, Detail::Whole)
            }
        };
        out::print(&rendered);
        Ok(Exit::of(decision.outcome))
    }
}
