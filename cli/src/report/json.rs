//! The stable JSON form of a report: one document, fields in alphabetical order.

use engine_policy::{Level, Outcome, Place};
use serde_json::{Map, Value as Json, json};

use super::place::{Columns, Region};
use super::{Finding, Report, Suite, Tested};

/// The document, on one line.
pub(crate) fn render(report: &Report) -> String {
    let mut document: Map<String, Json> = report.facts.clone();
    let findings: Vec<Json> = report
        .problems()
        .map(|finding| finding_json(report, finding))
        .collect();
    document.insert("findings".to_owned(), findings.into());
    document.insert("errors".to_owned(), report.count(Level::Error).into());
    document.insert("warnings".to_owned(), report.count(Level::Warning).into());
    if report.subcommand == "test" {
        let total = report.tally();
        document.insert("passed".to_owned(), total.passed.into());
        document.insert("failed".to_owned(), total.failed.into());
        document.insert("breaches".to_owned(), total.breaches.into());
        let suites: Vec<Json> = report.suites.iter().map(suite_json).collect();
        document.insert("suites".to_owned(), suites.into());
    }
    format!("{}\n", Json::Object(document))
}

fn level(level: Level) -> &'static str {
    match level {
        Level::Error => "error",
        Level::Warning => "warning",
        Level::Note => "note",
    }
}

fn finding_json(report: &Report, finding: &Finding) -> Json {
    let places: Vec<Json> = finding
        .places
        .iter()
        .map(|(place, text)| place_json(report, *place, text))
        .collect();
    json!({
        "code": finding.code,
        "help": finding.help,
        "level": level(finding.level),
        "message": finding.message,
        "places": places,
    })
}

/// Columns count characters; spans count bytes. A file that could not be read has neither.
fn place_json(report: &Report, place: Place, text: &str) -> Json {
    let source = report.sources.get(place.source);
    let mut json = json!({ "file": source.map_or("", |source| &*source.name), "text": text });
    let region = source.and_then(|source| Region::of(&source.text, place.span, Columns::Characters));
    if let (Some(region), Some(object)) = (region, json.as_object_mut()) {
        object.insert("line".to_owned(), region.line.into());
        object.insert("column".to_owned(), region.column.into());
        object.insert("end_line".to_owned(), region.end_line.into());
        object.insert("end_column".to_owned(), region.end_column.into());
        object.insert("span".to_owned(), json!([place.span.start, place.span.end]));
    }
    json
}

fn suite_json(suite: &Suite) -> Json {
    let tally = suite.tally();
    json!({
        "file": suite.file,
        "passed": tally.passed,
        "failed": tally.failed,
        "breaches": tally.breaches,
        "tests": suite.tests.iter().map(test_json).collect::<Vec<_>>(),
    })
}

fn test_json(test: &Tested) -> Json {
    json!({
        "name": test.name,
        "passed": test.passed,
        "breach": test.breach,
        "expected": (!test.expected.is_empty()).then_some(test.expected),
        "verdict": test.verdict.map(Outcome::as_str),
        "line": test.line,
        "detail": test.detail,
    })
}
