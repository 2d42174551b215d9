//! The events of a session that hooks hear of.

use engine_policy::HookEvent;
use engine_tools::Output;
use serde_json::{Map, Value as Json};

use super::answer::{Heard, Word};
use super::run::{Occasion, fields, response};
use crate::bash::Cancel;
use crate::session::Session;

/// A call, as hooks are told.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Watched<'a> {
    pub(crate) call: &'a str,
    pub(crate) tool: &'a str,
    pub(crate) input: &'a Json,
    pub(crate) cancel: &'a Cancel,
}

impl Watched<'_> {
    fn fields(&self) -> Map<String, Json> {
        fields([
            ("tool_name", self.tool.into()),
            ("tool_input", self.input.clone()),
            ("tool_use_id", self.call.into()),
        ])
    }
}

impl Session {
    /// Whether a hook hears of calls of a tool before they are decided.
    pub(crate) fn watches(&self, tool: &str) -> bool {
        self.listens(HookEvent::Before, tool)
    }

    /// Before a call is decided.
    pub(crate) async fn before(&self, watched: Watched<'_>) -> Heard {
        if !self.watches(watched.tool) {
            return Heard::default();
        }
        self.hear(Occasion {
            event: HookEvent::Before,
            call: watched.call,
            subject: watched.tool,
            fields: watched.fields(),
            cancel: watched.cancel,
        })
        .await
    }

    /// After a call; answers what the model is told beside the result.
    pub(crate) async fn after(&self, watched: Watched<'_>, value: &Json, output: &Output) -> Vec<String> {
        let event = if output.is_error {
            HookEvent::AfterFailure
        } else {
            HookEvent::After
        };
        // Whoever gave a call up does not wait for what follows it.
        if watched.cancel.is_cancelled() || !self.listens(event, watched.tool) {
            return Vec::new();
        }
        let mut told = watched.fields();
        let answered = response(value, output);
        if event == HookEvent::AfterFailure {
            let text: Vec<&str> = output
                .blocks
                .iter()
                .filter_map(engine_tools::Block::as_text)
                .collect();
            told.insert("error".to_owned(), text.join("\n").into());
            told.insert("is_interrupt".to_owned(), false.into());
        }
        told.insert("tool_response".to_owned(), answered);
        let heard = self
            .hear(Occasion {
                event,
                call: watched.call,
                subject: watched.tool,
                fields: told,
                cancel: watched.cancel,
            })
            .await;
        let mut told = Vec::new();
        match heard.word {
            Some(Word::Deny(reason) | Word::Ask(reason)) => {
                told.push(format!("A hook says of this result: {reason}"));
            }
            Some(Word::Allow) | None => {}
        }
        told.extend(heard.context);
        told
    }

    /// An event that a body reports; what hooks refuse fails the step.
    pub(crate) async fn reported(
        &self,
        event: HookEvent,
        call: &str,
        told: Map<String, Json>,
        cancel: &Cancel,
    ) -> Result<Vec<String>, String> {
        let heard = self
            .hear(Occasion {
                event,
                call,
                subject: "",
                fields: told,
                cancel,
            })
            .await;
        goes_on(heard)
    }

    /// The session starts, as `source` says (`startup`, `resume`, `clear`, `compact`). Answers what the model is to know.
    ///
    /// # Errors
    ///
    /// Why a hook does not let it start.
    pub async fn begin(&self, source: &str) -> Result<Vec<String>, String> {
        self.about_session(HookEvent::Start, source, fields([("source", source.into())]))
            .await
    }

    /// The session ends; hooks hear why (`clear`, `logout`, `other`) and keep nobody from it.
    pub async fn ending(&self, reason: &str) {
        let told = fields([("reason", reason.into())]);
        let _cannot_be_kept = self.about_session(HookEvent::End, reason, told).await;
    }

    /// A person has sent a prompt. Answers what the model is to know beside it.
    ///
    /// # Errors
    ///
    /// Why a hook does not let the model see it.
    pub async fn prompted(&self, prompt: &str) -> Result<Vec<String>, String> {
        self.about_session(HookEvent::Prompt, "", fields([("prompt", prompt.into())]))
            .await
    }

    /// The agent means to stop. `again` says that it goes on because a hook wanted it to.
    ///
    /// # Errors
    ///
    /// Why a hook wants it to go on: what the model is told.
    pub async fn stopping(&self, again: bool) -> Result<Vec<String>, String> {
        self.about_session(HookEvent::Stop, "", fields([("stop_hook_active", again.into())]))
            .await
    }

    /// A sub-agent of a type means to stop.
    ///
    /// # Errors
    ///
    /// As [`Session::stopping`].
    pub async fn subagent_stopping(&self, kind: &str, id: &str, again: bool) -> Result<Vec<String>, String> {
        let told = fields([
            ("agent_id", id.into()),
            ("agent_type", kind.into()),
            ("stop_hook_active", again.into()),
        ]);
        self.about_session(HookEvent::SubagentStop, kind, told).await
    }

    async fn about_session(
        &self,
        event: HookEvent,
        subject: &str,
        told: Map<String, Json>,
    ) -> Result<Vec<String>, String> {
        let heard = self
            .hear(Occasion {
                event,
                call: "",
                subject,
                fields: told,
                cancel: &Cancel::new(),
            })
            .await;
        goes_on(heard)
    }
}

/// What is told where it goes on. Where nobody can be asked about something, asking is refusing.
fn goes_on(heard: Heard) -> Result<Vec<String>, String> {
    match (heard.word, heard.stop) {
        (Some(Word::Deny(reason) | Word::Ask(reason)), _) | (_, Some(reason)) => Err(reason),
        (Some(Word::Allow) | None, None) => Ok(heard.context),
    }
}
