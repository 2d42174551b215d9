//! Runs the hooks of an event, all at once, and joins what they say.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

use engine_policy::{HookEvent, Mode, Outcome, PlanHook};
use serde_json::{Map, Value as Json, json};
use tokio::time::Instant;

use super::answer::{Heard, Word, cut, read};
use super::{HookEnd, HookRun, directory};
use crate::bash::{Cancel, End, Finished, Request, Streams, Timeout, Work, environment};
use crate::session::Session;

/// Most bytes that are read of what a hook writes.
const OUTPUT_BYTES: usize = 1 << 20;

/// Exit code of a hook that refuses.
const BLOCKS: i32 = 2;

/// What happened, as hooks are told.
pub(super) struct Occasion<'a> {
    pub(super) event: HookEvent,
    /// The call that it is about; empty without one.
    pub(super) call: &'a str,
    /// What matchers look at.
    pub(super) subject: &'a str,
    /// What hooks are told beside what they are always told.
    pub(super) fields: Map<String, Json>,
    /// Ends the hooks early.
    pub(super) cancel: &'a Cancel,
}

impl Session {
    /// Whether anything listens, so that nothing is prepared for nobody.
    pub(super) fn listens(&self, event: HookEvent, subject: &str) -> bool {
        !self.hooks.matching(event, subject).is_empty()
    }

    /// Runs the hooks of an occasion and waits for all of them.
    pub(super) async fn hear(&self, occasion: Occasion<'_>) -> Heard {
        let hooks = self.hooks.matching(occasion.event, occasion.subject);
        let mut heard = Heard::default();
        if hooks.is_empty() {
            return heard;
        }
        let context = self.context();
        let mut fields = Map::new();
        for (name, value) in [
            ("session_id", self.parts.facts.session_id.as_str()),
            ("cwd", context.cwd.as_str()),
            ("permission_mode", mode_word(context.mode)),
            ("hook_event_name", occasion.event.name()),
        ] {
            fields.insert(name.to_owned(), value.into());
        }
        fields.extend(occasion.fields.clone());
        let input = Json::Object(fields);
        let running = hooks.iter().map(|hook| self.one(hook, &occasion, &input));
        for own in futures_util::future::join_all(running).await {
            heard.join(own);
        }
        for text in &heard.shown {
            self.parts.person.show(text);
        }
        if let Some(reason) = &heard.stop {
            self.stop(reason);
        }
        heard
    }

    async fn one(&self, hook: &PlanHook, occasion: &Occasion<'_>, input: &Json) -> Heard {
        let run = HookRun {
            hook,
            call: occasion.call,
            subject: occasion.subject,
            input,
            ended: None,
        };
        // What cannot be written down does not run, and what it watches does not go on without it.
        if let Err(error) = self.parts.observer.hook(&run) {
            return Heard::deny(format!("a hook cannot be written down: {error}"));
        }
        let started = Instant::now();
        let finished = self.run_hook(hook, input, occasion.cancel).await;
        let exit = match finished.as_deref() {
            Ok(Finished {
                end: End::Exited(code),
                ..
            }) => Some(*code),
            Ok(_) | Err(_) => None,
        };
        let answered = finished.and_then(|finished| answer(occasion.event, &finished));
        let failure = answered.as_ref().err().cloned();
        let mut heard = match answered {
            Ok(heard) => heard,
            Err(why) => failed(hook, &why),
        };
        if heard.word == Some(Word::Allow) && !hook.may_allow {
            heard.word = None;
        }
        let ended = HookEnd {
            exit,
            elapsed: started.elapsed(),
            verdict: heard.word.as_ref().map(|word| match word {
                Word::Allow => Outcome::Allow,
                Word::Ask(_) => Outcome::Ask,
                Word::Deny(_) => Outcome::Deny,
            }),
            failure,
        };
        let written = self.parts.observer.hook(&HookRun {
            ended: Some(&ended),
            ..run
        });
        if let Err(error) = written {
            heard.join(Heard::deny(format!(
                "the end of a hook cannot be written down: {error}"
            )));
        }
        heard
    }

    async fn run_hook(
        &self,
        hook: &PlanHook,
        input: &Json,
        cancel: &Cancel,
    ) -> Result<Arc<Finished>, String> {
        let shell = self.parts.bash.shell();
        let arguments = ["--noprofile", "--norc", "-c", hook.run.as_str()];
        let project = OsString::from(&self.parts.project);
        let set = [
            ("ENGINE_PROJECT_DIR".into(), project.clone()),
            ("CLAUDE_PROJECT_DIR".into(), project),
        ];
        let directory = directory(hook, &self.parts.project, &self.parts.facts.home);
        let work = Work::Words {
            program: shell.as_os_str().to_owned(),
            arguments: arguments.map(OsString::from).to_vec(),
            input: format!("{input}\n").into_bytes(),
        };
        let environment = environment(self.parts.environment.clone(), set);
        let mut request = Request::new(work, PathBuf::from(directory), environment);
        request.streams = Streams::Apart;
        request.budget_bytes = OUTPUT_BYTES;
        let timeout =
            Timeout::from_ms(Some(u64::from(hook.timeout_ms))).map_err(|error| error.to_string())?;
        request.timeout = Some(timeout);
        let mut running = self
            .parts
            .bash
            .start(request)
            .map_err(|error| format!("it could not be started: {error}"))?;
        let ends = running.cancel();
        tokio::select! {
            finished = running.finished() => Ok(finished),
            () = cancel.cancelled() => {
                ends.cancel();
                Ok(running.finished().await)
            }
        }
    }
}

/// What a hook that has ended says.
fn answer(event: HookEvent, finished: &Finished) -> Result<Heard, String> {
    let errors = finished
        .errors
        .as_ref()
        .map(crate::bash::Captured::text)
        .unwrap_or_default();
    let said = errors.trim();
    let with_errors = |what: String| match said.lines().next_back() {
        Some(line) => format!("{what}: {}", cut(line)),
        None => what,
    };
    match finished.end {
        End::Exited(0) if !finished.output.is_whole() => {
            Err(format!("it wrote more than {OUTPUT_BYTES} bytes"))
        }
        End::Exited(0) => {
            let output = std::str::from_utf8(&finished.output.head)
                .map_err(|_| "its output is not UTF-8".to_owned())?;
            read(event, output)
        }
        End::Exited(BLOCKS) => Ok(Heard::deny(if said.is_empty() {
            "it gives no reason".to_owned()
        } else {
            cut(said)
        })),
        End::Exited(code) => Err(with_errors(format!("it ended with exit code {code}"))),
        End::Signalled(signal) => Err(with_errors(format!("it was ended by signal {signal}"))),
        End::TimedOut(after) => Err(format!("it took longer than {} ms", after.as_millis())),
        End::Cancelled => Err("it was cancelled".to_owned()),
        End::Lost => Err("the engine lost sight of it".to_owned()),
    }
}

/// What follows where a hook fails: what its policy says, and the person is told in any case.
fn failed(hook: &PlanHook, why: &str) -> Heard {
    let text = format!(
        "the hook `{}` ({}:{}) failed: {why}",
        hook.run, hook.file, hook.line
    );
    let word = match hook.on_error {
        Outcome::Allow => None,
        Outcome::Ask => Some(Word::Ask(text.clone())),
        Outcome::Deny => Some(Word::Deny(text.clone())),
    };
    Heard {
        word,
        shown: vec![text],
        ..Heard::default()
    }
}

/// The mode in the words of those who wrote hooks before.
fn mode_word(mode: Mode) -> &'static str {
    match mode {
        Mode::Default => "default",
        Mode::Plan => "plan",
        Mode::AcceptEdits => "acceptEdits",
        Mode::DontAsk => "dontAsk",
        Mode::Bypass => "bypassPermissions",
    }
}

/// Fields by name.
pub(super) fn fields<const N: usize>(all: [(&str, Json); N]) -> Map<String, Json> {
    all.into_iter()
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
}

/// What hooks are told of the answer of a call.
pub(super) fn response(value: &Json, output: &engine_tools::Output) -> Json {
    use engine_tools::Block;

    let content = output.blocks.iter().map(|block| match block {
        Block::Text(text) => json!({ "type": "text", "text": text }),
        // A picture is in the file that it came from.
        Block::Image { media_type, .. } => json!({ "type": "image", "media_type": media_type.as_str() }),
        Block::ToolReference(name) => json!({ "type": "tool_reference", "tool_name": name }),
    });
    let mut all = match value {
        Json::Object(map) => map.clone(),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) | Json::Array(_) => Map::new(),
    };
    all.insert("content".to_owned(), content.collect());
    all.insert("is_error".to_owned(), output.is_error.into());
    Json::Object(all)
}
