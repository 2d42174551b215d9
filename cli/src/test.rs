//! `engine test`: the tests of policies, of command definitions, and files of cases.

mod coverage;
mod definitions;
mod suites;
mod watch;

use std::path::Path;

use engine_policy::Coverage;

use crate::exit::Exit;
use crate::options::Format;
use crate::report::{self, Detail, Report};
use crate::{check, out, policies};

/// Runs the tests of policies, or files of cases
///
/// Without arguments: the `tests` blocks of the policies found, else of the shipped ones. A `.kdl` or `.toml` file: its `tests` blocks, and
/// those of the command definitions that it brings along; a file of command definitions may be given, too. A `.jsonl` file: cases, each
/// with a policy of its own.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Test {
    /// Policy files and case files; `builtin:NAME` for a shipped policy, `commands` for the tests of the shipped command definitions
    #[arg(value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    files: Vec<String>,

    /// Prints every case, not only those that failed
    #[arg(long, short)]
    verbose: bool,

    /// Runs only the tests whose call holds this text
    #[arg(long, value_name = "TEXT")]
    filter: Option<String>,

    /// Shows which rules decide at least one test
    #[arg(long)]
    coverage: bool,

    /// Fails if fewer rules than this, in percent, decide at least one test
    #[arg(long, value_name = "PERCENT", value_parser = clap::value_parser!(u8).range(0..=100))]
    threshold: Option<u8>,

    /// Runs again whenever one of the files changes, until it is interrupted
    #[arg(long)]
    watch: bool,

    /// How to print
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

const EXAMPLES: &str = "Examples:
  engine test shop.kdl                        the tests that stand in a policy
  engine test shop.kdl --threshold 90         and whether nine of ten rules are tested
  engine test --watch                         again whenever a policy changes
  engine test --format junit > results.xml    for a build server";

/// What one run gives.
struct Run {
    report: Report,
    coverage: Coverage,
    exit: Exit,
}

impl Test {
    pub(crate) fn run(&self) -> Exit {
        let start = match check::Start::of(None) {
            Ok(start) => start,
            Err(exit) => return exit,
        };
        if self.files.is_empty() {
            policies::report_misplaced(&start.project);
        }
        if self.watch {
            return watch::again_and_again(self, &start.project);
        }
        let run = self.once(&start.project);
        out::print(&self.shown(&run));
        run.exit
    }

    /// The files that are tested: those given, else those found.
    fn files(&self, project: &str) -> Vec<String> {
        if !self.files.is_empty() {
            return self.files.clone();
        }
        let found = policies::own_files(project);
        if !found.is_empty() {
            return found;
        }
        let shipped = engine_policy::SHIPPED.iter().map(|(name, _)| (*name).to_owned());
        shipped.chain(["commands".to_owned()]).collect()
    }

    fn once(&self, project: &str) -> Run {
        let mut report = Report::new("test", project);
        let mut coverage = Coverage::default();
        for file in self.files(project) {
            let is_cases = Path::new(&file)
                .extension()
                .is_some_and(|ending| ending == "jsonl");
            if file == "commands" {
                report.suites.push(definitions::shipped(self));
            } else if is_cases {
                suites::cases(self, &mut report, &file);
            } else {
                coverage
                    .rules
                    .extend(suites::policy(self, &mut report, &file).rules);
            }
        }
        let failed = report.tally().failed > 0;
        if self.covers() {
            coverage::add(self, &mut report, &coverage);
        }
        let nothing_ran = report.done && report.suites.iter().all(|suite| suite.tests.is_empty());
        let exit = if !report.done {
            Exit::Invalid
        } else if failed || self.threshold.is_some_and(|percent| !coverage.reaches(percent)) {
            Exit::Failed
        } else if nothing_ran && let Some(text) = &self.filter {
            out::complain(&format!("engine: no test holds `{text}`\n"));
            Exit::Usage
        } else {
            Exit::Fine
        };
        Run {
            report,
            coverage,
            exit,
        }
    }

    fn shown(&self, run: &Run) -> String {
        let detail = if self.verbose {
            Detail::Whole
        } else {
            Detail::Short
        };
        let mut text = report::render(self.format, &run.report, detail);
        if self.format == Format::Human && self.covers() {
            text.push_str(&coverage::table(&run.report, &run.coverage));
        }
        text
    }

    fn wants(&self, call: &str) -> bool {
        self.filter.as_ref().is_none_or(|text| call.contains(text))
    }

    fn covers(&self) -> bool {
        self.coverage || self.threshold.is_some()
    }
}
