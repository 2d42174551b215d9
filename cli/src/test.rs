//! `engine test`: the tests of policies, of command definitions, and files of cases.

use std::fmt::Write as _;
use std::path::Path;

use engine_policy::definition::{run_examples, shipped_with_examples};
use engine_policy::{CaseRunner, Expected, Outcome, parse_case, run_tests};
use serde_json::json;

use crate::exit::Exit;
use crate::options::Format;
use crate::out::{Paint, visible};
use crate::{check, out, policies};

/// Runs the tests of policies, or files of cases
///
/// Without arguments: the `tests` blocks of the policies found, else of the shipped ones. A `.kdl` or `.toml` file: its `tests` blocks. A
/// `.jsonl` file: cases, each with a policy of its own.
#[derive(Debug, clap::Args)]
pub(crate) struct Test {
    /// Policy files and case files; `builtin:NAME` for a shipped policy, `commands` for the tests of the shipped command definitions
    #[arg(value_name = "FILE")]
    files: Vec<String>,

    /// Prints every case, not only those that failed
    #[arg(long, short)]
    verbose: bool,

    /// How to print
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// Counts of one run.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    passed: usize,
    failed: usize,
    /// Allowed what must not be.
    breaches: usize,
}

impl Test {
    pub(crate) fn run(&self) -> Exit {
        match self.try_run() {
            Ok(exit) | Err(exit) => exit,
        }
    }

    fn try_run(&self) -> Result<Exit, Exit> {
        let files = if self.files.is_empty() {
            Self::default_files()?
        } else {
            self.files.clone()
        };
        let mut total = Tally::default();
        for file in &files {
            let tally = if file == "commands" {
                self.definitions()
            } else if Path::new(file)
                .extension()
                .is_some_and(|ending| ending == "jsonl")
            {
                self.cases(file)?
            } else {
                self.policy(file)?
            };
            total.passed += tally.passed;
            total.failed += tally.failed;
            total.breaches += tally.breaches;
            self.summary(file, tally);
        }
        if self.format == Format::Json {
            out::print(&format!(
                "{}\n",
                json!({ "passed": total.passed, "failed": total.failed, "breaches": total.breaches })
            ));
        }
        Ok(if total.failed == 0 {
            Exit::Fine
        } else {
            Exit::Failed
        })
    }

    fn default_files() -> Result<Vec<String>, Exit> {
        let start = check::Start::of(None)?;
        let found = policies::found(&start.project);
        if !found.is_empty() {
            return Ok(found);
        }
        let shipped = engine_policy::SHIPPED.iter().map(|(name, _)| (*name).to_owned());
        Ok(shipped.chain(["commands".to_owned()]).collect())
    }

    fn summary(&self, file: &str, tally: Tally) {
        if self.format == Format::Json {
            return;
        }
        let all = tally.passed + tally.failed;
        #[expect(clippy::cast_precision_loss, reason = "a percentage for people")]
        let share = if all == 0 {
            100.0
        } else {
            tally.passed as f64 * 100.0 / all as f64
        };
        let mut line = format!("{file}: {} of {all} passed ({share:.1} %)", tally.passed);
        if tally.breaches > 0 {
            let _infallible = write!(line, ", {} allowed what must not be", tally.breaches);
        }
        out::print(&format!("{line}\n"));
    }

    fn line(&self, passed: bool, breach: bool, what: &str, detail: &str) {
        if self.format == Format::Json {
            out::print(&format!(
                "{}\n",
                json!({ "passed": passed, "breach": breach, "case": what, "detail": detail })
            ));
            return;
        }
        let paint = Paint::for_stdout();
        let mark = if passed {
            paint.green("ok")
        } else {
            paint.red(if breach { "BREACH" } else { "FAILED" })
        };
        out::print(&format!("{mark} {}\n", visible(what)));
        if !passed {
            out::print(&format!("   {}\n", visible(detail)));
        }
    }

    fn policy(&self, file: &str) -> Result<Tally, Exit> {
        let files = [file.to_owned()];
        let mut loaded = policies::read(&files);
        let plan = loaded.compile();
        policies::report(&loaded.diagnostics, &loaded.sources);
        let plan = plan.ok_or(Exit::Invalid)?;
        let first = loaded.documents.len() - loaded.own;
        let own = loaded.documents.get(first..).unwrap_or_default();
        let mut tally = Tally::default();
        for result in run_tests(&plan, own) {
            let at = loaded.sources.line_column(result.place);
            let breach = result.decision.outcome == Outcome::Allow && result.expected != Outcome::Allow;
            if result.passed {
                tally.passed += 1;
            } else {
                tally.failed += 1;
                tally.breaches += usize::from(breach);
            }
            if self.verbose || !result.passed {
                let mut detail = format!(
                    "{}:{}: must be {}, is {}",
                    loaded.sources.name(result.place),
                    at.line,
                    result.expected.as_str(),
                    result.decision.outcome.as_str()
                );
                if let Some(rule) = &result.rule {
                    let _infallible = write!(detail, " (by the rule `{rule}`)");
                }
                for step in result.decision.reasons().take(3) {
                    let _infallible = write!(
                        detail,
                        "; {}: {}",
                        step.request.describe(),
                        step.why.describe(&plan)
                    );
                }
                self.line(result.passed, breach, &result.call, &detail);
            }
        }
        Ok(tally)
    }

    fn cases(&self, file: &str) -> Result<Tally, Exit> {
        use engine_policy::Files as _;
        let text = policies::DiskFiles.text(file).map_err(|why| {
            out::complain(&format!("engine: cannot read `{file}`: {why}\n"));
            Exit::Invalid
        })?;
        let mut runner = CaseRunner::default();
        let mut tally = Tally::default();
        for (index, line) in text
            .lines()
            .enumerate()
            .filter(|(_, line)| !line.trim().is_empty())
        {
            let case = parse_case(line).and_then(|case| runner.run(&case).map(|outcome| (case, outcome)));
            let (case, outcome) = match case {
                Ok(case) => case,
                Err(error) => {
                    tally.failed += 1;
                    self.line(false, false, &format!("{file}:{}", index + 1), &error.to_string());
                    continue;
                }
            };
            let got = outcome.decision.outcome;
            let (passed, breach) = (case.expected.holds(got), case.expected.is_breach(got));
            if passed {
                tally.passed += 1;
            } else {
                tally.failed += 1;
                tally.breaches += usize::from(breach);
            }
            if self.verbose || !passed {
                let mut detail = format!("must be {}, is {}", expected_word(case.expected), got.as_str());
                for step in outcome.decision.reasons().take(3) {
                    let _infallible = write!(
                        detail,
                        "; {}: {}",
                        step.request.describe(),
                        step.why.describe(&outcome.plan)
                    );
                }
                self.line(
                    passed,
                    breach,
                    &format!("{}  {}", case.id, case.command.escape_debug()),
                    &detail,
                );
            }
        }
        Ok(tally)
    }

    fn definitions(&self) -> Tally {
        let mut tally = Tally::default();
        for definition in shipped_with_examples() {
            let failures = run_examples(&definition);
            tally.failed += failures.len();
            tally.passed += definition.tests.len().saturating_sub(failures.len());
            for failure in failures {
                let name = definition.names.first().map_or("", |name| name.as_str());
                self.line(false, false, name, &failure.message);
            }
        }
        tally
    }
}

fn expected_word(expected: Expected) -> &'static str {
    expected.as_str()
}
