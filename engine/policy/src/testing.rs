//! Tests of policies: the `tests` blocks of policy files, and files of cases.

mod cases;
mod coverage;

pub use cases::{Case, CaseError, CaseOutcome, CaseRunner, Expected, parse_case};
pub use coverage::{Coverage, RuleCoverage};

use serde_json::{Map, Value as Json};
use smol_str::SmolStr;

use crate::decide::{Call, decide};
use crate::document::{Document, Outcome, Scalar, Shell, TestCalls, TestCase};
use crate::facts::{Facts, NoWorld, join_path};
use crate::plan::Plan;
use crate::source::Place;
use crate::verdict::Decision;

/// What became of one call of a `tests` block.
#[derive(Clone, Debug)]
pub struct TestResult {
    /// The call as a person reads it.
    pub call: String,
    /// The verdict it must get.
    pub expected: Outcome,
    /// The rule that must be among the reasons.
    pub rule: Option<SmolStr>,
    /// What was decided.
    pub decision: Decision,
    /// Whether that is what was expected.
    pub passed: bool,
    /// The test in its file.
    pub place: Place,
}

/// Where tests run: names only, no file is looked at, so that a test means the same on every machine.
pub const TEST_PROJECT: &str = "/project";

/// The home directory of tests.
pub const TEST_HOME: &str = "/home/user";

/// Runs the `tests` blocks of documents under a plan.
#[must_use]
pub fn run_tests(plan: &Plan, documents: &[Document]) -> Vec<TestResult> {
    let mut results = Vec::new();
    for test in documents.iter().flat_map(|document| &document.tests) {
        match &test.value.calls {
            TestCalls::Commands(commands) => {
                for command in commands {
                    results.push(run(
                        plan,
                        &test.value,
                        &Call::Shell(&command.value),
                        command.value.to_string(),
                        command.place,
                    ));
                }
            }
            TestCalls::Tool { name, input } => {
                let input = json_object(
                    input
                        .iter()
                        .map(|(name, value)| (name.value.as_str(), &value.value)),
                );
                let call = Call::Tool {
                    name: &name.value,
                    input: &input,
                };
                results.push(run(
                    plan,
                    &test.value,
                    &call,
                    format!("{} {input}", name.value),
                    test.place,
                ));
            }
        }
    }
    results
}

fn run(plan: &Plan, test: &TestCase, call: &Call<'_>, shown: String, place: Place) -> TestResult {
    let directory = join_path(
        TEST_PROJECT,
        test.cwd.as_ref().map_or("", |cwd| cwd.value.as_str()),
    );
    let shell = match test.shell.as_ref().map(|shell| shell.value) {
        Some(Shell::Zsh) => engine_shell::Shell::Zsh,
        Some(Shell::Sh) => engine_shell::Shell::Sh,
        Some(Shell::Bash) | None => engine_shell::Shell::Bash,
    };
    let via = test.via.as_ref().map(|tool| tool.value.as_str());
    let facts = Facts {
        via: via.as_slice(),
        project: TEST_PROJECT,
        directory: &directory,
        home: Some(TEST_HOME),
        shell,
        world: &NoWorld,
    };
    let mode = test
        .mode
        .as_ref()
        .map_or_else(|| plan.start_mode(), |mode| mode.value);
    let decision = decide(plan, call, &facts, mode);
    let by_rule = test.rule.as_ref().is_none_or(|rule| {
        decision.steps.iter().any(|step| {
            step.outcome == decision.outcome
                && step
                    .why
                    .rule()
                    .and_then(|own| own.info(plan))
                    .is_some_and(|info| info.id == rule.value)
        })
    });
    TestResult {
        call: shown,
        expected: test.verdict.value,
        rule: test.rule.as_ref().map(|rule| rule.value.clone()),
        passed: decision.outcome == test.verdict.value && by_rule,
        decision,
        place,
    }
}

fn json_object<'v>(fields: impl Iterator<Item = (&'v str, &'v Scalar)>) -> Json {
    let mut object = Map::new();
    for (name, value) in fields {
        let value = match value {
            Scalar::Text(text) => Json::from(text.as_str()),
            Scalar::Integer(number) => Json::from(*number),
            Scalar::Boolean(answer) => Json::from(*answer),
        };
        object.insert(name.to_owned(), value);
    }
    Json::Object(object)
}
