//! `engine test`: the tests of policies, of command definitions, and files of cases.

use std::fmt::Write as _;
use std::path::Path;

use engine_policy::definition::{run_examples, shipped_with_examples};
use engine_policy::{CaseRunner, Decision, Level, Outcome, Place, Plan, TestResult, parse_case, run_tests};

use crate::exit::Exit;
use crate::options::Format;
use crate::report::{self, Detail, Finding, Report, Suite, Tested};
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

impl Test {
    pub(crate) fn run(&self) -> Exit {
        match self.try_run() {
            Ok(exit) | Err(exit) => exit,
        }
    }

    fn try_run(&self) -> Result<Exit, Exit> {
        let start = check::Start::of(None)?;
        let files = if self.files.is_empty() {
            default_files(&start.project)
        } else {
            self.files.clone()
        };
        let mut report = Report::new("test", &start.project);
        for file in &files {
            if file == "commands" {
                report.suites.push(definitions());
            } else if Path::new(file)
                .extension()
                .is_some_and(|ending| ending == "jsonl")
            {
                cases(&mut report, file)?;
            } else {
                self.policy(&mut report, file);
            }
        }
        let detail = if self.verbose {
            Detail::Whole
        } else {
            Detail::Short
        };
        out::print(&report::render(self.format, &report, detail));
        Ok(if !report.done {
            Exit::Invalid
        } else if report.tally().failed == 0 {
            Exit::Fine
        } else {
            Exit::Failed
        })
    }

    fn policy(&self, report: &mut Report, file: &str) {
        let mut loaded = policies::read(&[file.to_owned()]);
        let plan = loaded.compile();
        let known = report.sources.iter().count();
        for source in loaded.sources.iter() {
            report.sources.add(&source.name, &source.text);
        }
        let ids: Vec<_> = report.sources.ids().skip(known).collect();
        // Places of the file's own texts among those of the report.
        let moved = |place: Place| Place {
            source: ids.get(place.source.index()).copied().unwrap_or_default(),
            ..place
        };
        if self.format == Format::Human {
            policies::report(&loaded.diagnostics, &loaded.sources);
        } else {
            report
                .findings
                .extend(loaded.diagnostics.iter().map(|diagnostic| {
                    let mut finding = Finding::from(diagnostic);
                    for (place, _) in &mut finding.places {
                        *place = moved(*place);
                    }
                    finding
                }));
        }
        let Some(plan) = plan else {
            report.done = false;
            return;
        };
        let first = loaded.documents.len() - loaded.own;
        let own = loaded.documents.get(first..).unwrap_or_default();
        let mut suite = Suite {
            file: file.to_owned(),
            tests: Vec::new(),
        };
        for result in run_tests(&plan, own) {
            let line = loaded.sources.line_column(result.place).line;
            let test = tested(&plan, &result, line);
            if !test.passed {
                report.findings.push(failure(&test, Some(moved(result.place))));
            }
            suite.tests.push(test);
        }
        report.suites.push(suite);
    }
}

fn default_files(project: &str) -> Vec<String> {
    let found = policies::found(project);
    if !found.is_empty() {
        return found;
    }
    let shipped = engine_policy::SHIPPED.iter().map(|(name, _)| (*name).to_owned());
    shipped.chain(["commands".to_owned()]).collect()
}

fn tested(plan: &Plan, result: &TestResult, line: usize) -> Tested {
    let mut detail = format!(
        "must be {}, is {}",
        result.expected.as_str(),
        result.decision.outcome.as_str()
    );
    if let Some(rule) = &result.rule {
        let _infallible = write!(detail, " (by the rule `{rule}`)");
    }
    reasons(&mut detail, &result.decision, plan);
    Tested {
        name: result.call.clone(),
        expected: result.expected.as_str(),
        verdict: Some(result.decision.outcome),
        passed: result.passed,
        breach: result.decision.outcome == Outcome::Allow && result.expected != Outcome::Allow,
        line: Some(line),
        detail,
    }
}

fn reasons(detail: &mut String, decision: &Decision, plan: &Plan) {
    for step in decision.reasons().take(3) {
        let _infallible = write!(
            detail,
            "; {}: {}",
            step.request.describe(),
            step.why.describe(plan)
        );
    }
}

/// A test that failed, at its place.
fn failure(test: &Tested, place: Option<Place>) -> Finding {
    let code = if test.breach {
        "test::breach"
    } else {
        "test::failed"
    };
    Finding {
        level: Level::Error,
        code: code.to_owned(),
        about: None,
        message: format!("{}: {}", test.name, test.detail),
        help: None,
        places: place.into_iter().map(|place| (place, String::new())).collect(),
        of_test: true,
    }
}

fn cases(report: &mut Report, file: &str) -> Result<(), Exit> {
    use engine_policy::Files as _;

    let text = policies::DiskFiles.text(file).map_err(|why| {
        out::complain(&format!("engine: cannot read `{file}`: {why}\n"));
        Exit::Invalid
    })?;
    let source = report.sources.ids().count();
    report.sources.add(file, &text);
    let source = report.sources.ids().nth(source);
    let mut runner = CaseRunner::default();
    let mut suite = Suite {
        file: file.to_owned(),
        tests: Vec::new(),
    };
    let mut offset = 0;
    for (index, whole) in text.split_inclusive('\n').enumerate() {
        let line = whole.trim_end_matches(['\n', '\r']);
        let span = engine_shell::Span::new(offset, offset + line.len());
        offset += whole.len();
        if line.trim().is_empty() {
            continue;
        }
        let case = parse_case(line).and_then(|case| runner.run(&case).map(|outcome| (case, outcome)));
        let test = match case {
            Ok((case, outcome)) => {
                let got = outcome.decision.outcome;
                let mut detail = format!("must be {}, is {}", case.expected.as_str(), got.as_str());
                reasons(&mut detail, &outcome.decision, &outcome.plan);
                Tested {
                    name: format!("{}  {}", case.id, case.command.escape_debug()),
                    expected: case.expected.as_str(),
                    verdict: Some(got),
                    passed: case.expected.holds(got),
                    breach: case.expected.is_breach(got),
                    line: Some(index + 1),
                    detail,
                }
            }
            Err(error) => Tested {
                name: format!("line {}", index + 1),
                expected: "",
                verdict: None,
                passed: false,
                breach: false,
                line: Some(index + 1),
                detail: error.to_string(),
            },
        };
        if !test.passed {
            let place = source.map(|source| Place { source, span });
            report.findings.push(failure(&test, place));
        }
        suite.tests.push(test);
    }
    report.suites.push(suite);
    Ok(())
}

/// The examples of the shipped command definitions: one test for each example.
fn definitions() -> Suite {
    let mut suite = Suite {
        file: "commands".to_owned(),
        tests: Vec::new(),
    };
    for definition in shipped_with_examples() {
        let failures = run_examples(&definition);
        let name = definition.names.first().map_or("", |name| name.as_str());
        for example in &definition.tests {
            let failed = failures.iter().find(|failure| failure.span == example.span);
            suite.tests.push(Tested {
                name: format!("{name}: {}", example.command),
                expected: "",
                verdict: None,
                passed: failed.is_none(),
                breach: false,
                line: None,
                detail: failed.map_or_else(String::new, |failure| failure.message.clone()),
            });
        }
    }
    suite
}
