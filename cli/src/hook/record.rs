//! What a hook writes into the audit log.

use std::path::{Path, PathBuf};

use engine_policy::{Outcome, Plan, Step};
use engine_runtime::audit::{self, Kind, Log, Record};
use serde_json::Value as Json;

use super::Settings;
use super::client::{ClientData, Field};
use super::event::{Event, Phase};
use super::judge::{Judged, Surroundings};
use super::map::{Mapped, OwnCall};
use crate::world;

/// Whether a call may run that could not be recorded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Recording {
    /// It may; standard error says what is wrong
    #[default]
    BestEffort,
    /// It may not
    Required,
    /// Nothing is recorded
    Off,
}

/// A call that was decided.
pub(super) fn decided(
    settings: &Settings<'_>,
    event: &Event,
    judged: &Judged,
    outcome: Outcome,
) -> Result<(), String> {
    let record = Record {
        kind: Kind::Decision,
        mode: judged.mode.to_owned(),
        cwd: judged.directory.clone(),
        project: judged.project.clone(),
        verdict: Some(judged.outcome.as_str()),
        answered: (outcome != judged.outcome).then_some(outcome.as_str()),
        reasons: judged.reasons.clone(),
        git: judged.git.clone(),
        ..of_event(settings, event, &judged.tool)
    };
    write(settings, &record, &judged.project)
}

/// An event that asks nothing: a call that was made, or anything else.
pub(super) fn happened(
    settings: &Settings<'_>,
    data: &ClientData,
    event: &Event,
    around: &Surroundings<'_>,
) -> Result<(), String> {
    let cwd = event.cwd.clone().unwrap_or_default();
    let project = match &around.session_project {
        Some(named) => (around.project_of)(named),
        None => (around.project_of)(&cwd),
    };
    let tool = match Mapped::of(data, event).calls.into_iter().next() {
        Some(OwnCall::Tool { name, .. }) => name,
        Some(OwnCall::Command(_)) | None => event.tool.clone(),
    };
    let number = |field: &str| event.whole.get(field).and_then(Json::as_u64);
    let response = event.whole.get("tool_response");
    let in_response = |field: &str| response.and_then(|own| own.get(field));
    let failed = match event.phase {
        Phase::After => {
            let says_so = ["error", "is_error", "isError", "interrupted"]
                .iter()
                .any(|field| in_response(field).is_some_and(is_set));
            Some(says_so || event.whole.get("error").is_some_and(is_set))
        }
        Phase::Before | Phase::Other => None,
    };
    let record = Record {
        kind: if event.phase == Phase::After {
            Kind::Execution
        } else {
            Kind::Event
        },
        cwd,
        project: project.clone(),
        duration_ms: number("duration_ms"),
        exit: ["exit_code", "exitCode"]
            .iter()
            .find_map(|field| in_response(field).and_then(Json::as_i64)),
        failed,
        ..of_event(settings, event, &tool)
    };
    write(settings, &record, &project)
}

fn is_set(value: &Json) -> bool {
    !matches!(value, Json::Null | Json::Bool(false)) && value.as_str() != Some("")
}

/// An event that could not be decided.
pub(super) fn refused(settings: &Settings<'_>, why: &str) -> Result<(), String> {
    let record = Record {
        kind: Kind::Decision,
        client: settings.client.name().to_owned(),
        verdict: Some(Outcome::Deny.as_str()),
        note: audit::redact(&format!("not decided: {why}")),
        ..Record::default()
    };
    let here = world::current_directory().unwrap_or_else(|| "/".to_owned());
    write(settings, &record, &world::project_of(&here))
}

fn of_event(settings: &Settings<'_>, event: &Event, tool: &str) -> Record {
    let has_input = event.input.is_object();
    Record {
        client: settings.client.name().to_owned(),
        event: event.name.clone(),
        session: event.session.clone(),
        call: event.call.clone(),
        agent: event.agent.clone(),
        tool: tool.to_owned(),
        client_tool: if event.tool == tool {
            String::new()
        } else {
            event.tool.clone()
        },
        input_digest: if has_input {
            audit::digest_of_input(&event.input)
        } else {
            String::new()
        },
        input: has_input.then(|| shown(settings, event)),
        ..Record::default()
    }
}

/// What may be shown of an input. Of a patch, the lines that name its files.
fn shown(settings: &Settings<'_>, event: &Event) -> Json {
    let tools = settings.client.data().map_or(&[][..], |data| data.tools);
    let tool = tools.iter().find(|tool| tool.name == event.tool);
    let patches = tool
        .into_iter()
        .flat_map(|tool| tool.fields)
        .filter_map(|field| match field {
            Field::Patch { from } => Some(*from),
            Field::Copy { .. }
            | Field::Value { .. }
            | Field::Addresses { .. }
            | Field::Directory { .. }
            | Field::Ignore { .. } => None,
        });
    let mut input = event.input.clone();
    for name in patches.flatten() {
        if let Some(Json::String(text)) = input.get_mut(*name) {
            let heads: Vec<&str> = text
                .lines()
                .filter(|line| line.trim().starts_with("*** "))
                .collect();
            *text = heads.join("\n");
        }
    }
    audit::view(&input)
}

fn write(settings: &Settings<'_>, record: &Record, project: &str) -> Result<(), String> {
    if settings.recording == Recording::Off {
        return Ok(());
    }
    let project = Path::new(project);
    let mut last = "there is no place for the audit log: the home directory is not known".to_owned();
    for directory in places(settings.audit_directory) {
        match Log::new(&directory, project) {
            Ok(log) => {
                return log
                    .append(record)
                    .map(|_at| ())
                    .map_err(|error| error.to_string());
            }
            Err(error) => last = error.to_string(),
        }
    }
    Err(last)
}

/// A step of a decision as the log keeps it.
pub(crate) fn reason_of(plan: &Plan, step: &Step) -> audit::Reason {
    audit::Reason {
        request: audit::redact(&step.request.describe()),
        verdict: step.outcome.as_str(),
        why: audit::redact(&step.why.describe(plan)),
        rule: step
            .why
            .rule()
            .and_then(|rule| rule.info(plan))
            .map(|info| audit::RuleAt {
                id: info.id.to_owned(),
                file: info.file.to_owned(),
                line: info.line,
                layer: info.layer.as_str().to_owned(),
            }),
        span: (!step.span.is_empty()).then_some([step.span.start, step.span.end]),
    }
}

/// Where the log may lie, the first choice first; one that lies in the project is passed over.
pub(crate) fn places(named: Option<&Path>) -> Vec<PathBuf> {
    match named {
        Some(directory) => vec![std::path::absolute(directory).unwrap_or_else(|_| directory.to_owned())],
        None => world::audit_directories(),
    }
}
