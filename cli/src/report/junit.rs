//! The XML of `JUnit`, which build servers read: a suite for each file, a case for each test.
//!
//! A report without tests is given as the cases of the files that it is about: one for each finding, or one that passed. Warnings pass,
//! as they do in the exit code.

use std::collections::HashMap;
use std::fmt::Write as _;

use engine_policy::Level;

use super::escape::xml;
use super::place::{Columns, Region};
use super::{Finding, Report, Suite};

struct Case {
    name: String,
    /// Kind, message, and text of the failure.
    failure: Option<(String, String, String)>,
    note: Option<String>,
}

/// The document.
pub(crate) fn render(report: &Report) -> String {
    let mut suites: Vec<(String, Vec<Case>)> =
        report.suites.iter().map(|suite| cases(report, suite)).collect();
    add_findings(report, &mut suites);
    let count = |cases: &[Case]| {
        let failed = cases.iter().filter(|case| case.failure.is_some()).count();
        (cases.len(), failed)
    };
    let (tests, failures) = suites
        .iter()
        .map(|(_, cases)| count(cases))
        .fold((0, 0), |sum, own| (sum.0 + own.0, sum.1 + own.1));
    let mut text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <testsuites name=\"engine {}\" tests=\"{tests}\" failures=\"{failures}\" errors=\"0\">\n",
        report.subcommand
    );
    for (name, cases) in &suites {
        let (tests, failures) = count(cases);
        let _infallible = writeln!(
            text,
            "  <testsuite name=\"{}\" tests=\"{tests}\" failures=\"{failures}\" errors=\"0\" skipped=\"0\">",
            xml(name)
        );
        write_cases(&mut text, name, cases);
        text.push_str("  </testsuite>\n");
    }
    text.push_str("</testsuites>\n");
    text
}

fn write_cases(text: &mut String, suite: &str, cases: &[Case]) {
    let mut seen: HashMap<&str, usize> = HashMap::new();
    for case in cases {
        // Readers know a case by its names alone.
        let times = seen.entry(&case.name).or_default();
        *times += 1;
        let name = if *times == 1 {
            case.name.clone()
        } else {
            format!("{} #{times}", case.name)
        };
        let _infallible = write!(
            text,
            "    <testcase name=\"{}\" classname=\"{}\"",
            xml(&name),
            xml(suite)
        );
        match (&case.failure, &case.note) {
            (Some((kind, message, whole)), _) => {
                let _infallible = write!(
                    text,
                    ">\n      <failure type=\"{}\" message=\"{}\">{}</failure>\n    </testcase>\n",
                    xml(kind),
                    xml(message),
                    xml(whole)
                );
            }
            (None, Some(note)) => {
                let _infallible = write!(
                    text,
                    ">\n      <system-out>{}</system-out>\n    </testcase>\n",
                    xml(note)
                );
            }
            (None, None) => text.push_str("/>\n"),
        }
    }
}

fn cases(report: &Report, suite: &Suite) -> (String, Vec<Case>) {
    let file = report.namer().name(&suite.file);
    let cases = suite.tests.iter().map(|test| {
        let at = test.line.map_or_else(
            || file.shown().to_owned(),
            |line| format!("{}:{line}", file.shown()),
        );
        let kind = match test.verdict {
            Some(verdict) if test.expected.is_empty() => verdict.as_str(),
            Some(_) | None if test.breach => "breach",
            Some(_) | None => "failed",
        };
        Case {
            name: test.name.clone(),
            failure: (!test.passed).then(|| {
                (
                    kind.to_owned(),
                    test.detail.clone(),
                    format!("{at}: {}", test.detail),
                )
            }),
            note: None,
        }
    });
    (file.shown().to_owned(), cases.collect())
}

/// The findings, by the file of their main place; files without any have a case that passed, where there are no tests that say so.
fn add_findings(report: &Report, suites: &mut Vec<(String, Vec<Case>)>) {
    let namer = report.namer();
    if report.suites.is_empty() {
        let own = report
            .sources
            .iter()
            .filter(|source| !source.name.starts_with("builtin:"));
        suites.extend(own.map(|source| (namer.name(&source.name).shown().to_owned(), Vec::new())));
    }
    for finding in report.problems() {
        let (file, case) = case(report, finding);
        match suites.iter_mut().find(|(own, _)| *own == file) {
            Some((_, cases)) => cases.push(case),
            None => suites.push((file, vec![case])),
        }
    }
    for (_, cases) in suites.iter_mut().filter(|(_, cases)| cases.is_empty()) {
        cases.push(Case {
            name: "nothing wrong".to_owned(),
            failure: None,
            note: None,
        });
    }
}

fn case(report: &Report, finding: &Finding) -> (String, Case) {
    let mut at = String::new();
    let mut file = format!("engine {}", report.subcommand);
    let mut line = None;
    if let Some((place, _)) = finding.places.first()
        && let Some(source) = report.sources.get(place.source)
    {
        report.namer().name(&source.name).shown().clone_into(&mut file);
        line = Region::of(&source.text, place.span, Columns::Characters).map(|region| region.line);
        at = line.map_or_else(|| format!("{file}: "), |line| format!("{file}:{line}: "));
    }
    let mut whole = format!("{at}{}", finding.message);
    for text in finding
        .places
        .iter()
        .map(|(_, text)| text)
        .filter(|text| !text.is_empty())
    {
        let _infallible = write!(whole, "\n{text}");
    }
    if let Some(help) = &finding.help {
        let _infallible = write!(whole, "\nhelp: {help}");
    }
    let name = line.map_or_else(
        || finding.code.clone(),
        |line| format!("{} (line {line})", finding.code),
    );
    let (failure, note) = match finding.level {
        Level::Error => (Some((finding.code.clone(), finding.message.clone(), whole)), None),
        Level::Warning | Level::Note => (None, Some(whole)),
    };
    (file, Case { name, failure, note })
}
