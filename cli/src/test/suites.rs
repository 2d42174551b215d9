//! Runs the tests of one file and puts what became of them into the report.

use std::fmt::Write as _;

use engine_policy::{
    Case, CaseRunner, Coverage, Decision, Files as _, Level, Outcome, Place, Plan, RuleCoverage, TestResult,
    parse_case, run_tests,
};
use engine_shell::Span;

use super::{Test, definitions};
use crate::options::Format;
use crate::report::{Finding, Report, Suite, Tested};
use crate::{out, policies};

/// The `tests` blocks of a policy file, or of a file of command definitions. Returns how often each of its rules decided; of an invalid policy, nothing.
pub(super) fn policy(test: &Test, report: &mut Report, file: &str) -> Coverage {
    let mut loaded = if definitions::is_file(file) {
        definitions::read(file)
    } else {
        policies::read(&[file.to_owned()])
    };
    let plan = loaded.compile();
    let known = report.sources.ids().count();
    for source in loaded.sources.iter() {
        report.sources.add(&source.name, &source.text);
    }
    let ids: Vec<_> = report.sources.ids().skip(known).collect();
    // Places of the file's own texts among those of the report.
    let moved = |place: Place| Place {
        source: ids.get(place.source.index()).copied().unwrap_or_default(),
        ..place
    };
    if test.format == Format::Human {
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
        return Coverage::default();
    };
    let first = loaded.documents.len() - loaded.own;
    let own = loaded.documents.get(first..).unwrap_or_default();
    let mut suite = Suite {
        file: file.to_owned(),
        tests: Vec::new(),
    };
    let mut results = run_tests(&plan, own);
    results.retain(|result| test.wants(&result.call));
    for result in &results {
        let line = loaded.sources.line_column(result.place).line;
        let test = tested(&plan, result, line);
        if !test.passed {
            report.findings.push(failure(&test, Some(moved(result.place))));
        }
        suite.tests.push(test);
    }
    for (example, place) in definitions::brought(test, &loaded) {
        if !example.passed {
            report.findings.push(failure(&example, Some(moved(place))));
        }
        suite.tests.push(example);
    }
    report.suites.push(suite);
    if !test.covers() {
        return Coverage::default();
    }
    let coverage = Coverage::of(&plan, own, &results, &loaded.sources);
    let rules = coverage.rules.into_iter().map(|rule| RuleCoverage {
        place: moved(rule.place),
        ..rule
    });
    Coverage {
        rules: rules.collect(),
    }
}

fn tested(plan: &Plan, result: &TestResult, line: usize) -> Tested {
    let mut detail = format!("must be {}", result.expected.as_str());
    if let Some(rule) = &result.rule {
        let _infallible = write!(detail, " by the rule `{rule}`");
    }
    let _infallible = write!(detail, ", is {}", result.decision.outcome.as_str());
    if result.rule.is_some()
        && let Some(rule) = result
            .decision
            .reasons()
            .find_map(|step| step.why.rule()?.info(plan))
    {
        let _infallible = write!(detail, " by the rule `{}`", rule.id);
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

/// A file of cases.
pub(super) fn cases(test: &Test, report: &mut Report, file: &str) {
    let text = match policies::DiskFiles.text(file) {
        Ok(text) => text,
        Err(why) => {
            out::complain(&format!("engine: cannot read `{file}`: {why}\n"));
            report.done = false;
            return;
        }
    };
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
        let span = Span::new(offset, offset + line.len());
        offset += whole.len();
        if line.trim().is_empty() {
            continue;
        }
        let case = match parse_case(line) {
            Ok(case) if !test.wants(&name_of(&case)) => continue,
            case => case.and_then(|case| runner.run(&case).map(|outcome| (case, outcome))),
        };
        let test = match case {
            Ok((case, outcome)) => {
                let got = outcome.decision.outcome;
                let mut detail = format!("must be {}, is {}", case.expected.as_str(), got.as_str());
                reasons(&mut detail, &outcome.decision, &outcome.plan);
                Tested {
                    name: name_of(&case),
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
}

fn name_of(case: &Case) -> String {
    format!("{}  {}", case.id, case.command.escape_debug())
}
