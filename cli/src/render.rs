//! Verdicts as text for people and as JSON for programs.

use std::fmt::Write as _;

use engine_policy::{CHECK_NAMES, Decision, Outcome, Plan, Reason, Reported, Step, Why, Withheld};
use engine_shell::Span;
use serde::{Serialize, Serializer};
use serde_json::Value as Json;

use crate::out::{Paint, visible};

/// The call that was decided.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Shown<'a> {
    /// A command.
    Command(&'a str),
    /// A tool call.
    Tool {
        /// The tool.
        name: &'a str,
        /// Its input.
        input: &'a Json,
    },
}

impl Shown<'_> {
    /// The call as text.
    pub(crate) fn text(self) -> String {
        match self {
            Self::Command(text) => text.to_owned(),
            Self::Tool { name, input } => format!("{name} {input}"),
        }
    }
}

/// What the policies say that does not count, a line for each layer.
pub(crate) fn withheld(plan: &Plan) -> String {
    let mut text = String::new();
    for withheld in plan.withheld() {
        let files = visible(&withheld.files.join(", "));
        let what = withheld.describe();
        let _infallible = match withheld.reason {
            Reason::NotTrusted => writeln!(
                text,
                "  note: {files} came with the project and is not trusted, so what would loosen does not count ({what}): read it, then `engine trust`"
            ),
            Reason::Around => writeln!(
                text,
                "  note: {files} belongs to a project around this one, so what would loosen does not count ({what})"
            ),
            Reason::Locked => writeln!(
                text,
                "  note: the policy of this machine is locked against {files} ({what})"
            ),
        };
    }
    text
}

/// Reasons that are printed at most; the JSON output has all of them.
const MAX_REASONS: usize = 8;

/// The verdict with its reasons.
pub(crate) fn human(plan: &Plan, shown: &Shown<'_>, decision: &Decision, outcome: Outcome) -> String {
    let paint = Paint::for_stdout();
    let mut text = headline(paint, shown, outcome);
    let mut seen = Vec::new();
    let reasons: Vec<&Step> = decision
        .steps
        .iter()
        .filter(|step| {
            let has_reason = step.why.rule().is_some() || matches!(step.why, Why::Mode(_));
            step.outcome == decision.outcome && (outcome != Outcome::Allow || has_reason)
        })
        .collect();
    if outcome == Outcome::Allow && reasons.is_empty() {
        text.push_str("  nothing in it has an effect that needs a rule\n");
    }
    let mut marked = None;
    for step in &reasons {
        // One place is shown once, under the first of the reasons that it gives.
        let with_place = outcome != Outcome::Allow && marked != Some(step.span);
        marked = Some(step.span);
        let line = reason(plan, shown, step, paint, with_place);
        if seen.contains(&line) {
            continue;
        }
        if seen.len() == MAX_REASONS {
            let _infallible = writeln!(text, "  ... and more (see --format json)");
            break;
        }
        text.push_str(&line);
        seen.push(line);
    }
    for finding in &decision.findings {
        let warned = finding.severity == engine_policy::Severity::Warn;
        if warned {
            let _infallible = writeln!(
                text,
                "  {} check {} {}: {}",
                paint.yellow("warn"),
                finding.number,
                finding.name,
                visible(&finding.message)
            );
        }
    }
    if outcome != decision.outcome {
        let _infallible = writeln!(
            text,
            "  nobody can be asked: the policy's `headless` default applies"
        );
    }
    if outcome != Outcome::Allow {
        text.push_str(&withheld(plan));
    }
    text
}

/// Every request and what became of it.
pub(crate) fn trace(plan: &Plan, shown: &Shown<'_>, decision: &Decision, outcome: Outcome) -> String {
    let paint = Paint::for_stdout();
    let mut text = headline(paint, shown, outcome);
    let _infallible = writeln!(text, "  mode: {}", decision.mode.as_str());
    for step in &decision.steps {
        text.push_str(&reason(plan, shown, step, paint, true));
        for miss in &step.near_misses(plan) {
            let _infallible = writeln!(
                text,
                "        {}",
                paint.dim(&format!("near miss: {}", visible(miss)))
            );
        }
    }
    if !decision.findings.is_empty() {
        text.push_str("  checks:\n");
    }
    for finding in &decision.findings {
        let _infallible = writeln!(
            text,
            "    {} {} ({}): {}",
            finding.number,
            finding.name,
            finding.severity.as_str(),
            visible(&finding.message)
        );
        text.push_str(&underline(shown, finding.span, paint));
    }
    text
}

fn headline(paint: Paint, shown: &Shown<'_>, outcome: Outcome) -> String {
    let word = match outcome {
        Outcome::Allow => paint.green("allow"),
        Outcome::Ask => paint.yellow("ask"),
        Outcome::Deny => paint.red("deny"),
    };
    let call = shown.text();
    let mut lines = call.trim_end_matches([' ', '\t', '\n']).split('\n');
    let first = visible(lines.next().unwrap_or_default());
    let more = if lines.next().is_some() { " ..." } else { "" };
    format!("{word}  {first}{more}\n")
}

fn reason(plan: &Plan, shown: &Shown<'_>, step: &Step, paint: Paint, with_place: bool) -> String {
    let mark = match step.outcome {
        Outcome::Allow => paint.green("+"),
        Outcome::Ask => paint.yellow("?"),
        Outcome::Deny => paint.red("x"),
    };
    let mut text = format!(
        "  {mark} {}: {}",
        visible(&step.request.describe()),
        visible(&step.why.describe(plan))
    );
    if step.check > 0
        && let Some(name) = CHECK_NAMES.get(usize::from(step.check) - 1)
        && step.outcome != Outcome::Allow
    {
        let _infallible = write!(text, " [check {} {name}]", step.check);
    }
    text.push('\n');
    if with_place {
        text.push_str(&underline(shown, step.span, paint));
    }
    if let Some(info) = step.why.rule().and_then(|rule| rule.info(plan))
        && step.outcome != Outcome::Allow
    {
        if let Some(because) = info.because {
            let _infallible = writeln!(text, "      because {}", visible(because));
        }
        if let Some(instead) = info.instead {
            let _infallible = writeln!(text, "      instead: {}", visible(instead));
        }
    }
    text
}

/// The line of the command with the place under it marked.
fn underline(shown: &Shown<'_>, span: Span, paint: Paint) -> String {
    let Shown::Command(text) = shown else {
        return String::new();
    };
    if span.is_empty() {
        return String::new();
    }
    let start = (span.start as usize).min(text.len());
    let line_start = text
        .get(..start)
        .and_then(|before| before.rfind('\n'))
        .map_or(0, |at| at + 1);
    let line_end = text
        .get(start..)
        .and_then(|rest| rest.find('\n'))
        .map_or(text.len(), |at| start + at);
    let end = (span.end as usize).clamp(start, line_end);
    let (Some(before), Some(marked), Some(after)) = (
        text.get(line_start..start),
        text.get(start..end),
        text.get(end..line_end),
    ) else {
        return String::new();
    };
    let (before, marked, after) = (visible(before), visible(marked), visible(after));
    // Long lines are cut around the place.
    let cut_before = tail(&before, 40);
    let cut_after: String = after.chars().take(40).collect();
    let width = marked.chars().count().clamp(1, 60);
    let shown_mark: String = marked.chars().take(60).collect();
    let pad = " ".repeat(cut_before.chars().map(|c| if c == '\t' { 4 } else { 1 }).sum());
    let line = format!("{cut_before}{shown_mark}{cut_after}").replace('\t', "    ");
    format!(
        "      {}\n      {pad}{}\n",
        paint.dim(&line),
        paint.dim(&"^".repeat(width))
    )
}

fn tail(text: &str, count: usize) -> String {
    let skip = text.chars().count().saturating_sub(count);
    text.chars().skip(skip).collect()
}

/// The stable JSON form; fields in alphabetical order.
pub(crate) fn json(
    plan: &Plan,
    shown: &Shown<'_>,
    decision: &Decision,
    outcome: Outcome,
    all_steps: bool,
) -> String {
    let mut text = Vec::with_capacity(LINE_BYTES);
    json_to(&mut text, plan, shown, decision, outcome, all_steps);
    // What was written is text.
    String::from_utf8(text).unwrap_or_default()
}

/// Bytes that hold most verdicts.
const LINE_BYTES: usize = 1024;

/// The same, behind what stands in `text` already.
pub(crate) fn json_to(
    text: &mut Vec<u8>,
    plan: &Plan,
    shown: &Shown<'_>,
    decision: &Decision,
    outcome: Outcome,
    all_steps: bool,
) {
    let (command, tool) = match *shown {
        Shown::Command(text) => (Some(text), None),
        Shown::Tool { name, input } => (None, Some(ToolJson { input, name })),
    };
    let steps = StepsJson { plan, decision };
    let verdict = VerdictJson {
        command,
        findings: FindingsJson(&decision.findings),
        headless: outcome != decision.outcome,
        mode: decision.mode.as_str(),
        reasons: ReasonsJson(steps),
        steps: all_steps.then_some(steps),
        tool,
        verdict: outcome.as_str(),
        withheld: plan.withheld().iter().map(WithheldJson::of).collect(),
    };
    // Writing plain data to memory does not fail.
    let _infallible = serde_json::to_writer(text, &verdict);
}

#[derive(Serialize)]
struct VerdictJson<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    command: Option<&'a str>,
    findings: FindingsJson<'a>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    headless: bool,
    mode: &'a str,
    reasons: ReasonsJson<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    steps: Option<StepsJson<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool: Option<ToolJson<'a>>,
    verdict: &'a str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    withheld: Vec<WithheldJson<'a>>,
}

/// All steps of a decision.
#[derive(Clone, Copy)]
struct StepsJson<'a> {
    plan: &'a Plan,
    decision: &'a Decision,
}

impl Serialize for StepsJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let steps = self.decision.steps.iter();
        serializer.collect_seq(steps.map(|step| StepJson::of(self.plan, step)))
    }
}

/// Those that have the decision's own outcome.
struct ReasonsJson<'a>(StepsJson<'a>);

impl Serialize for ReasonsJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let reasons = self.0.decision.reasons();
        serializer.collect_seq(reasons.map(|step| StepJson::of(self.0.plan, step)))
    }
}

struct FindingsJson<'a>(&'a [Reported]);

impl Serialize for FindingsJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(FindingJson::of))
    }
}

/// What a layer says that does not count.
#[derive(Serialize)]
struct WithheldJson<'a> {
    definitions: usize,
    files: &'a [String],
    layer: &'a str,
    reason: &'a str,
    rules: usize,
    settings: usize,
}

impl<'a> WithheldJson<'a> {
    fn of(withheld: &'a Withheld) -> Self {
        Self {
            definitions: withheld.definitions,
            files: &withheld.files,
            layer: withheld.layer.as_str(),
            reason: match withheld.reason {
                Reason::NotTrusted => "not-trusted",
                Reason::Around => "around",
                Reason::Locked => "locked",
            },
            rules: withheld.rules,
            settings: withheld.settings,
        }
    }
}

#[derive(Serialize)]
struct ToolJson<'a> {
    input: &'a Json,
    name: &'a str,
}

#[derive(Serialize)]
struct FindingJson<'a> {
    id: u8,
    message: &'a str,
    name: &'a str,
    severity: &'a str,
    span: [u32; 2],
}

impl<'a> FindingJson<'a> {
    fn of(finding: &'a Reported) -> Self {
        Self {
            id: finding.number,
            message: &finding.message,
            name: finding.name,
            severity: finding.severity.as_str(),
            span: [finding.span.start, finding.span.end],
        }
    }
}

#[derive(Serialize)]
struct StepJson<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    check: Option<CheckJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    construct: Option<&'a str>,
    kind: Option<&'a str>,
    request: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    rule: Option<RuleJson<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    span: Option<[u32; 2]>,
    verdict: &'a str,
    why: String,
}

#[derive(Serialize)]
struct CheckJson {
    id: u8,
    name: &'static str,
}

#[derive(Serialize)]
struct RuleJson<'a> {
    because: Option<&'a str>,
    file: &'a str,
    id: &'a str,
    instead: Option<&'a str>,
    layer: &'a str,
    line: u32,
    span: [u32; 2],
}

impl<'a> StepJson<'a> {
    fn of(plan: &'a Plan, step: &'a Step) -> Self {
        let rule = step.why.rule().and_then(|rule| rule.info(plan));
        Self {
            check: CHECK_NAMES
                .get(usize::from(step.check).wrapping_sub(1))
                .map(|name| CheckJson { id: step.check, name }),
            construct: if let Why::NotUnderstood(refusal) = &step.why {
                Some(refusal.construct.name())
            } else {
                None
            },
            kind: step.request.kind().map(engine_policy::RequestKind::as_str),
            request: step.request.describe(),
            rule: rule.map(|info| RuleJson {
                because: info.because,
                file: info.file,
                id: info.id,
                instead: info.instead,
                layer: info.layer.as_str(),
                line: info.line,
                span: [info.place.span.start, info.place.span.end],
            }),
            span: (!step.span.is_empty()).then_some([step.span.start, step.span.end]),
            verdict: step.outcome.as_str(),
            why: step.why.describe(plan),
        }
    }
}
