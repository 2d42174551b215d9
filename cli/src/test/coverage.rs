//! Which rules are tested, as a table, as JSON and as findings.

use std::fmt::Write as _;

use engine_policy::{Coverage, Level, RuleCoverage};
use serde_json::json;

use super::Test;
use crate::options::Format;
use crate::out::{Paint, many, visible};
use crate::report::{Finding, Report, share};

/// Adds the numbers to a report, and a finding if they are lower than asked for. Formats that show findings beside lines have one for each
/// rule that no test is about.
pub(super) fn add(test: &Test, report: &mut Report, coverage: &Coverage) {
    let rules: Vec<_> = coverage
        .rules
        .iter()
        .map(|rule| {
            json!({
                "effect": rule.outcome.as_str(),
                "file": report.sources.name(rule.place),
                "id": rule.id,
                "line": report.sources.line_column(rule.place).line,
                "tests": rule.tests,
            })
        })
        .collect();
    report.facts.insert(
        "coverage".to_owned(),
        json!({
            "covered": coverage.covered(),
            "rules": rules,
            "threshold": test.threshold,
            "total": coverage.rules.len(),
        }),
    );
    match test.format {
        Format::Human | Format::Json => {}
        Format::Sarif | Format::Github | Format::Junit => {
            report.findings.extend(coverage.uncovered().map(uncovered));
        }
    }
    if let Some(percent) = test.threshold
        && !coverage.reaches(percent)
    {
        report.findings.push(Finding {
            level: Level::Error,
            code: "test::threshold".to_owned(),
            about: None,
            message: format!("{}; at least {percent} % must", counts(coverage)),
            help: Some("write tests for the rules that have none, or take them out".to_owned()),
            // Readers that show findings beside lines want one.
            places: coverage
                .uncovered()
                .take(1)
                .map(|rule| (rule.place, "the first that decides none".to_owned()))
                .collect(),
            of_test: false,
        });
    }
}

fn uncovered(rule: &RuleCoverage) -> Finding {
    Finding {
        level: Level::Warning,
        code: "test::uncovered".to_owned(),
        about: None,
        message: format!("no test is decided by this rule (`{}`)", rule.id),
        help: Some("write a test that it decides".to_owned()),
        places: vec![(rule.place, String::new())],
        of_test: false,
    }
}

fn counts(coverage: &Coverage) -> String {
    let (covered, all) = (coverage.covered(), coverage.rules.len());
    let decide = if covered == 1 { "decides" } else { "decide" };
    format!(
        "{covered} of {} {decide} a test ({} %)",
        many(all, "rule"),
        share(covered, all)
    )
}

/// One line for each rule, and the share at the end.
pub(super) fn table(report: &Report, coverage: &Coverage) -> String {
    let paint = Paint::for_stdout();
    let rows: Vec<_> = coverage
        .rules
        .iter()
        .map(|rule| {
            let line = report.sources.line_column(rule.place).line;
            let place = format!("{}:{line}", visible(report.sources.name(rule.place)));
            let text = report.sources.text(rule.place).lines().next().unwrap_or_default();
            (rule, place, visible(text))
        })
        .collect();
    let width = rows
        .iter()
        .map(|(_, place, _)| place.chars().count())
        .max()
        .unwrap_or_default();
    let mut table = String::from("\ntests  rule\n");
    for (rule, place, text) in &rows {
        let count = format!("{:>5}", rule.tests);
        let count = if rule.tests == 0 { paint.red(&count) } else { count };
        let _infallible = writeln!(table, "{count}  {place:width$}  {} {text}", rule.outcome.as_str());
    }
    let _infallible = writeln!(table, "{}", counts(coverage));
    table
}
