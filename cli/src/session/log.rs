//! Writes what a session decides and does into the audit log.

use std::path::Path;

use engine_policy::Outcome;
use engine_runtime::audit::{self, Kind, Log, Record};
use engine_runtime::bash::Class;
use engine_runtime::{Decided, Ended, HookRun, Observer, Refused};

use crate::exit::Exit;
use crate::hook::record::{places, reason_of};
use crate::out;

/// A log of one session.
#[derive(Debug)]
pub(super) struct Written {
    log: Log,
    project: String,
    session: String,
}

impl Written {
    pub(super) fn new(named: Option<&Path>, project: &str, session: &str) -> Result<Self, Exit> {
        let mut last = "the home directory is not known".to_owned();
        for directory in places(named) {
            match Log::new(&directory, Path::new(project)) {
                Ok(log) => {
                    return Ok(Self {
                        log,
                        project: project.to_owned(),
                        session: session.to_owned(),
                    });
                }
                Err(error) => last = error.to_string(),
            }
        }
        out::complain(&format!("engine: there is no place for the audit log: {last}\n"));
        Err(Exit::Machine)
    }

    fn record(&self, kind: Kind, call: &str, tool: &str) -> Record {
        Record {
            kind,
            client: "engine".to_owned(),
            session: self.session.clone(),
            project: self.project.clone(),
            call: call.to_owned(),
            tool: tool.to_owned(),
            ..Record::default()
        }
    }
}

impl Observer for Written {
    fn decided(&self, event: &Decided<'_>) -> Result<(), String> {
        let outcome = event.decision.outcome;
        let answered = match (outcome, event.granted) {
            (Outcome::Ask, true) => Some(Outcome::Allow.as_str()),
            (Outcome::Ask, false) => Some(Outcome::Deny.as_str()),
            (Outcome::Allow | Outcome::Deny, _) => None,
        };
        let reasons = event
            .decision
            .steps
            .iter()
            .filter(|step| step.outcome == outcome)
            .map(|step| reason_of(event.plan, step))
            .collect();
        let record = Record {
            via: event.via.join(" > "),
            cwd: event.cwd.to_owned(),
            mode: event.decision.mode.as_str().to_owned(),
            input_digest: audit::digest_of_input(event.input),
            input: Some(audit::view(event.input)),
            verdict: Some(outcome.as_str()),
            answered,
            reasons,
            git: (event.decision.operations.iter())
                .map(|note| note.text.to_string())
                .collect(),
            ..self.record(Kind::Decision, event.call, event.tool)
        };
        self.log
            .append(&record)
            .map(|_at| ())
            .map_err(|error| error.to_string())
    }

    fn refused(&self, event: &Refused<'_>) {
        let input = (!event.input.is_null()).then_some(event.input);
        let record = Record {
            via: event.via.join(" > "),
            input_digest: input.map(audit::digest_of_input).unwrap_or_default(),
            input: input.map(audit::view),
            verdict: Some(Outcome::Deny.as_str()),
            note: audit::redact(&format!("not decided: {}", event.why.replace('\n', "; "))),
            ..self.record(Kind::Decision, event.call, event.tool)
        };
        if let Err(error) = self.log.append(&record) {
            out::complain(&format!("engine: the audit log cannot be written: {error}\n"));
        }
    }

    fn hook(&self, event: &HookRun<'_>) -> Result<(), String> {
        let command = format!("{} ({}:{})", event.hook.run, event.hook.file, event.hook.line);
        let mut record = Record {
            event: event.hook.event.name().to_owned(),
            input_digest: audit::digest_of_input(event.input),
            note: audit::redact(&format!("runs the hook {command}")),
            ..self.record(Kind::Event, event.call, event.subject)
        };
        if let Some(ended) = event.ended {
            let failure = ended
                .failure
                .as_ref()
                .map_or(String::new(), |why| format!(": {why}"));
            record.note = audit::redact(&format!("ended the hook {command}{failure}"));
            record.exit = ended.exit.map(i64::from);
            record.failed = Some(ended.failure.is_some());
            record.duration_ms = u64::try_from(ended.elapsed.as_millis()).ok();
            record.verdict = ended.verdict.map(Outcome::as_str);
        }
        self.log
            .append(&record)
            .map(|_at| ())
            .map_err(|error| error.to_string())
    }

    fn ended(&self, event: &Ended<'_>) {
        let record = Record {
            duration_ms: u64::try_from(event.elapsed.as_millis()).ok(),
            failed: Some(event.failed),
            class: event.class.map(Class::as_str),
            ..self.record(Kind::Execution, event.call, event.tool)
        };
        if let Err(error) = self.log.append(&record) {
            out::complain(&format!("engine: the audit log cannot be written: {error}\n"));
        }
    }
}
