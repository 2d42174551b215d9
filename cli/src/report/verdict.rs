//! A verdict as findings: each reason at the rule that gave it and at the part of the command that it speaks of.

use engine_policy::{
    CHECK_NAMES, Decision, Files as _, Level, Outcome, Place, Plan, RuleInfo, Severity, SourceId, Step, Why,
    shipped,
};
use engine_shell::Span;

use super::{Finding, Report, Suite, Tested};
use crate::policies::DiskFiles;
use crate::render::Shown;

/// The verdict of one call. What is allowed has no findings, but the warnings of shell checks.
pub(crate) fn of_decision(
    subcommand: &'static str,
    project: &str,
    plan: &Plan,
    shown: &Shown<'_>,
    decision: &Decision,
    outcome: Outcome,
) -> Report {
    let mut report = Report::new(subcommand, project);
    let text = shown.text();
    report.command = report.sources.add("the command", &text);
    let level = match outcome {
        Outcome::Deny => Some(Level::Error),
        Outcome::Ask => Some(Level::Warning),
        Outcome::Allow => None,
    };
    let in_command = matches!(shown, Shown::Command(_));
    if let Some(level) = level {
        for step in decision.reasons() {
            let finding = reason(&mut report, plan, step, level, in_command);
            if !report.findings.contains(&finding) {
                report.findings.push(finding);
            }
        }
    }
    for check in decision
        .findings
        .iter()
        .filter(|check| check.severity == Severity::Warn)
    {
        let place = report.command.map(|source| Place {
            source,
            span: check.span,
        });
        let finding = Finding {
            level: Level::Warning,
            code: format!("check::{}", check.name),
            about: Some(format!("shell check {} ({})", check.number, check.name)),
            message: check.message.clone(),
            help: None,
            places: place.into_iter().map(|place| (place, String::new())).collect(),
            of_test: false,
        };
        if !report.findings.contains(&finding) {
            report.findings.push(finding);
        }
    }
    let details: Vec<&str> = report
        .findings
        .iter()
        .map(|finding| finding.message.as_str())
        .collect();
    let test = Tested {
        name: text,
        expected: "",
        verdict: Some(outcome),
        passed: outcome == Outcome::Allow,
        breach: false,
        line: None,
        detail: format!("{}: {}", outcome.as_str(), details.join("; ")),
    };
    // The findings are the reasons of this one case.
    for finding in &mut report.findings {
        finding.of_test = true;
    }
    report.suites.push(Suite {
        file: format!("engine {subcommand}"),
        tests: vec![test],
    });
    report
}

fn reason(report: &mut Report, plan: &Plan, step: &Step, level: Level, in_command: bool) -> Finding {
    let rule = step.why.rule().and_then(|rule| rule.info(plan));
    let mut places = Vec::new();
    if let Some(info) = &rule
        && let Some(place) = rule_place(report, info)
    {
        places.push((place, format!("the rule `{}`", info.id)));
    }
    if let Some(source) = report.command {
        let span = if in_command { step.span } else { Span::default() };
        places.push((Place { source, span }, step.request.describe()));
    }
    let mut message = format!("{}: {}", step.request.describe(), step.why.describe(plan));
    if let Some(because) = rule.as_ref().and_then(|info| info.because) {
        message.push_str(", because ");
        message.push_str(because);
    }
    let (code, about) = code(step, rule.as_ref());
    Finding {
        level,
        code,
        about: Some(about),
        message,
        help: rule.and_then(|info| info.instead).map(str::to_owned),
        places,
        of_test: false,
    }
}

/// A stable name for a reason, and what it stands for.
fn code(step: &Step, rule: Option<&RuleInfo<'_>>) -> (String, String) {
    if let Some(info) = rule {
        let about = match info.because {
            Some(because) => format!("{}: {because}", info.outcome.as_str()),
            None => format!(
                "the policy's rule `{}`, which says {}",
                info.id,
                info.outcome.as_str()
            ),
        };
        return (format!("rule::{}", info.id), about);
    }
    match &step.why {
        Why::Default(kind) | Why::DefaultThroughLink(kind, _) => (
            format!("default::{}", kind.as_str()),
            format!(
                "no rule covers it, so that the default for {} applies",
                kind.as_str()
            ),
        ),
        Why::NotUnderstood(refusal) => (
            format!("construct::{}", refusal.construct.name()),
            refusal.construct.about().to_owned(),
        ),
        Why::Check(_) => {
            let name = CHECK_NAMES
                .get(usize::from(step.check).wrapping_sub(1))
                .unwrap_or(&"shell");
            (format!("check::{name}"), format!("the shell check `{name}`"))
        }
        Why::Mode(mode) => (
            format!("mode::{}", mode.as_str()),
            format!("the mode `{}`", mode.as_str()),
        ),
        Why::DangerousVariable(_) => (
            "verdict::variable".to_owned(),
            "a variable that changes what runs or what is loaded".to_owned(),
        ),
        Why::Unknown(_) => (
            "verdict::unknown".to_owned(),
            "what it does is not known".to_owned(),
        ),
        Why::NoEffect | Why::Harmless => (
            "verdict::harmless".to_owned(),
            "it has no effect that needs a rule".to_owned(),
        ),
        Why::Rule(_) | Why::RuleMaybe(_) | Why::RuleThroughLink(..) | Why::Covered(_) => {
            ("verdict::rule".to_owned(), "a rule of the policy".to_owned())
        }
    }
}

/// Where a rule stands, in a text that is read for this report only.
fn rule_place(report: &mut Report, info: &RuleInfo<'_>) -> Option<Place> {
    let known = report
        .sources
        .iter()
        .position(|source| &*source.name == info.file);
    let source = match known.and_then(|index| source_at(report, index)) {
        Some(source) => source,
        None => {
            let text = match shipped(info.file) {
                Some(text) => text.to_owned(),
                None => DiskFiles.text(info.file).unwrap_or_default(),
            };
            report.sources.add(info.file, &text)?
        }
    };
    Some(Place {
        source,
        span: info.place.span,
    })
}

fn source_at(report: &Report, index: usize) -> Option<SourceId> {
    report.sources.ids().nth(index)
}
