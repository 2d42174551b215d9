//! The native handlers as tools use them: the input of a call becomes a request of a family, its answer becomes an output.
//!
//! Invariant (three families): everything here belongs to `bash`, `files` or `search`; a tool that needs more is a body of steps.

mod files;
mod search;
mod shell;

use std::sync::Arc;

use engine_policy::Call;
use engine_tools::Output;
use engine_tools::definition::Handler;
use serde_json::Value as Json;

use crate::approval::Approval;
use crate::bash::Cancel;
use crate::permission::{Asking, Granted, Leave, fields_of, shape_of};
use crate::preview::Preview;
use crate::session::{Change, Session};
use crate::valid::Valid;

pub(crate) use shell::{Program, run_program};

/// What a handler works with beside its input.
#[derive(Clone, Copy)]
pub(crate) struct Around<'a> {
    /// The session.
    pub(crate) session: &'a Arc<Session>,
    /// The call of the model that it belongs to.
    pub(crate) call: &'a str,
    /// The declared tools around it, the outermost first.
    pub(crate) via: &'a [&'a str],
    /// Ends it.
    pub(crate) cancel: &'a Cancel,
    /// What a person permitted for the call.
    pub(crate) granted: &'a Granted,
    /// How the call stands before a person.
    pub(crate) approval: &'a Approval,
    /// Hosts that the definition of the tool approved.
    pub(crate) preapproved: &'a [&'a str],
    /// The tool around it that is declared to change nothing, if one is.
    pub(crate) read_only: Option<&'a str>,
}

impl Around<'_> {
    /// Asks leave; whoever cancels does not wait for a person.
    pub(crate) async fn leave(&self, asking: &Asking<'_>) -> Result<Leave, String> {
        tokio::select! {
            leave = self.session.leave(asking, self.granted) => leave,
            () = self.cancel.cancelled() => Err("The call was stopped before it began.".to_owned()),
        }
    }
}

/// What a handler answers.
#[derive(Debug)]
pub(crate) struct Answer {
    /// For the model.
    pub(crate) output: Output,
    /// For later steps of a body.
    pub(crate) value: Json,
    /// What it changes for later calls.
    pub(crate) changes: Vec<Change>,
}

impl Answer {
    fn text(text: String, value: Json) -> Self {
        Self {
            output: Output::text(text),
            value,
            changes: Vec::new(),
        }
    }
}

/// Decides a call of a native tool and carries it out.
///
/// # Errors
///
/// The text that a model is told.
pub(crate) async fn run(around: Around<'_>, handler: Handler, call: &Valid) -> Result<Answer, String> {
    match handler {
        Handler::BashRun => shell::run(around, call).await,
        Handler::FileRead => files::read(around, call).await,
        Handler::FileWrite => files::write(around, call).await,
        Handler::FileEdit => files::edit(around, call).await,
        Handler::FileNotebook => files::notebook(around, call).await,
        Handler::SearchGlob => search::glob(around, call).await,
        Handler::SearchGrep => search::grep(around, call).await,
    }
}

/// Asks leave for a call of a tool whose input says all it does.
async fn leave(around: Around<'_>, call: &Valid, paths: &[&str], shown: &str) -> Result<Leave, String> {
    leave_with(around, call, paths, shown, None).await
}

/// The same with what a person is shown of a change.
async fn leave_with(
    around: Around<'_>,
    call: &Valid,
    paths: &[&str],
    shown: &str,
    preview: Option<&dyn Preview>,
) -> Result<Leave, String> {
    let fields = fields_of(call.tool());
    let shape = shape_of(call.tool(), &fields);
    let asking = Asking {
        call: around.call,
        tool: call.name(),
        input: call.json(),
        what: Call::Declared {
            shape: &shape,
            input: call.json(),
        },
        via: around.via,
        paths,
        shown,
        preview,
        cwd: None,
        preapproved: around.preapproved,
        ran: 0,
        approval: around.approval,
        read_only: around.read_only,
    };
    // Merely looking at such a path connects to the server that it names.
    if let Some(share) = paths
        .iter()
        .find(|path| crate::files::is_network_share(path.as_bytes()))
    {
        let why = format!(
            "`{share}` is on a network share, which is not looked at; copy the file to this machine first"
        );
        return Err(if around.via.is_empty() {
            // The end of the call says it.
            why
        } else {
            around.session.refused(&asking, why)
        });
    }
    around.leave(&asking).await
}

/// Asks leave for a call of a tool with a body: for the tool, and for what its fields say beforehand.
///
/// # Errors
///
/// The text that a model is told.
pub(crate) async fn leave_for_body(around: Around<'_>, call: &Valid) -> Result<(), String> {
    let shown = call.json().to_string();
    leave(around, call, &[], &shown).await.map(drop)
}

/// Runs something that waits for disks on a thread that may wait.
async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, String> {
    tokio::task::spawn_blocking(work)
        .await
        .map_err(|error| format!("an error of the engine itself: {error}"))
}
