//! Interprets the bodies of declared tools: one interpreter for every tool.
//!
//! Invariant (decided one by one): a step that does something outside the session asks leave for itself, in the name of the tools around
//! it. Invariant (bounded): rounds, tries, nesting of calls and the names of a scope have limits of their own.

mod flow;
mod state;
mod steps;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use engine_policy::Place;
use engine_tools::definition::{Body, Speaker, Step, Tool};
use engine_tools::template::{Scope, TemplateError};
use engine_tools::{Block, Output};
use serde_json::Value as Json;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::approval::{is_read_only, refused_in_mode};
use crate::bash::Cancel;
use crate::native::{Answer, Around};
use crate::permission::Granted;
use crate::session::{Change, Session};
use crate::valid::Valid;

/// Deepest nesting of tools that call tools.
pub(crate) const MAX_DEPTH: usize = 8;

/// What a body has done so far, beside giving names to values.
#[derive(Debug, Default)]
struct Done {
    changes: Vec<Change>,
    messages: Vec<(Speaker, String)>,
}

/// One run of a body.
struct Run<'a> {
    around: Around<'a>,
    tool: &'a Tool,
    /// The call says of itself that it changes nothing, and is held to that.
    read_only: bool,
    /// The tools around its steps: those around the call, and the tool itself.
    via: Vec<&'a str>,
    done: Mutex<Done>,
    /// Of each step that bounds its runs at once: how many more may begin.
    turns: Mutex<HashMap<Place, Arc<Semaphore>>>,
}

/// How a step ended.
enum Flow {
    /// The next one follows.
    Next,
    /// The body ends with this.
    Return(Output, Json),
}

/// How a step ended, and what undoes it should what follows fail.
struct Went {
    flow: Flow,
    undo: Vec<Undo>,
}

/// Steps that undo something, with the names that they know.
struct Undo {
    steps: Vec<Step>,
    scope: Scope,
}

impl Went {
    /// The next step follows, and nothing is to be undone.
    fn on() -> Self {
        Self {
            flow: Flow::Next,
            undo: Vec::new(),
        }
    }
}

impl Undo {
    fn new(steps: &[Step], scope: &Scope) -> Self {
        Self {
            steps: steps.to_vec(),
            scope: scope.clone(),
        }
    }
}

/// Why a body ends early.
#[derive(Clone, Debug)]
enum Failure {
    /// A step failed; the text is for the model.
    Failed(String),
    /// It was told to stop.
    Stopped,
}

impl From<TemplateError> for Failure {
    fn from(error: TemplateError) -> Self {
        Self::Failed(error.to_string())
    }
}

impl From<String> for Failure {
    fn from(text: String) -> Self {
        Self::Failed(text)
    }
}

/// Runs the body of a tool.
///
/// # Errors
///
/// The text that a model is told.
pub(crate) async fn run(around: Around<'_>, body: &Body, call: &Valid) -> Result<Answer, String> {
    let tool = call.tool();
    if around.via.len() >= MAX_DEPTH {
        return Err(format!("tools call each other more than {MAX_DEPTH} deep"));
    }
    let mut via = around.via.to_vec();
    via.push(&tool.name.value);
    if let Some(refused) = refused_in_mode(around.session, call) {
        return Err(refused);
    }
    let run = Run {
        around,
        tool,
        read_only: is_read_only(around.session, tool, call),
        via,
        done: Mutex::default(),
        turns: Mutex::default(),
    };
    let mut scope = Scope::of_call(&around.session.facts(), tool, call.input());
    let ended = run.body(body, &mut scope).await;
    let done = run.done.into_inner().unwrap_or_else(PoisonError::into_inner);
    for (speaker, text) in &done.messages {
        if *speaker == Speaker::Person {
            around.session.parts.person.show(text);
        }
    }
    match ended {
        Ok(went) => {
            let (mut output, value) = match went.flow {
                Flow::Next => (Output::text("Done."), Json::Null),
                Flow::Return(output, value) => (output, value),
            };
            // What a body says to the model beside its result follows it.
            for (speaker, text) in done.messages {
                match speaker {
                    Speaker::System | Speaker::User => output.blocks.push(Block::Text(text)),
                    Speaker::Person => {}
                }
            }
            Ok(Answer {
                output,
                value,
                changes: done.changes,
            })
        }
        Err(Failure::Failed(text)) => Err(text),
        Err(Failure::Stopped) => Err("The call was stopped before it was done.".to_owned()),
    }
}

impl<'a> Run<'a> {
    fn session(&self) -> &'a Arc<Session> {
        self.around.session
    }

    fn cancel(&self) -> &'a Cancel {
        self.around.cancel
    }

    fn granted(&self) -> &'a Granted {
        self.around.granted
    }

    /// What handlers of steps work with.
    fn inner(&self) -> Around<'_> {
        Around {
            session: self.session(),
            call: self.around.call,
            via: &self.via,
            cancel: self.cancel(),
            granted: self.granted(),
            preapproved: self.around.preapproved,
            approval: self.around.approval,
            read_only: if self.read_only {
                Some(&self.tool.name.value)
            } else {
                self.around.read_only
            },
        }
    }

    fn change(&self, change: Change) {
        let mut done = self.done.lock().unwrap_or_else(PoisonError::into_inner);
        done.changes.push(change);
    }

    /// A turn of a step that bounds its runs at once.
    async fn turn_of(&self, step: &Step) -> Option<OwnedSemaphorePermit> {
        let most = usize::try_from(step.max_concurrency?).ok()?;
        let turns = {
            let mut all = self.turns.lock().unwrap_or_else(PoisonError::into_inner);
            let turns = all.entry(step.place);
            Arc::clone(turns.or_insert_with(|| Arc::new(Semaphore::new(most))))
        };
        turns.acquire_owned().await.ok()
    }

    fn say(&self, speaker: Speaker, text: String) {
        let mut done = self.done.lock().unwrap_or_else(PoisonError::into_inner);
        done.messages.push((speaker, text));
    }
}
