//! Shell texts and programs: `bash.run`, and the steps `run` and `shell`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use engine_policy::Call;
use engine_tools::Input;
use engine_tools::definition::Tool;
use engine_tools::template::shell_quote;
use serde_json::{Value as Json, json};

use super::{Answer, Around, leave};
use crate::bash::{End, Finished, Request, StartError, Streams, Timeout, Work, environment};
use crate::permission::Asking;
use crate::session::{Change, Session};

/// A program that a step of a body runs.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    /// A shell text, or a program and its words.
    pub(crate) work: Work,
    /// Variables beside those of the session.
    pub(crate) env: Vec<(String, String)>,
    /// The directory, as written.
    pub(crate) cwd: Option<String>,
    /// Milliseconds until it is ended.
    pub(crate) timeout: Option<u64>,
}

pub(super) async fn run(around: Around<'_>, tool: &Tool, input: &Input) -> Result<Answer, String> {
    let command = input.text("command").unwrap_or_default();
    let leave = leave(around, tool, input, &[], command).await?;
    let timeout = input
        .integer("timeout")
        .and_then(|number| u64::try_from(number).ok());
    let session = around.session;
    let mut request = Request::new(
        Work::Text(command.to_owned()),
        PathBuf::from(&leave.cwd),
        environment(session.parts.environment.clone(), []),
    );
    request.timeout = Some(Timeout::from_ms(timeout).map_err(|error| error.to_string())?);
    request.file = Some(output_file(session, around.call));
    let finished = finish(around, request).await?;
    Ok(shell_answer(session, &leave.cwd, &finished))
}

/// A file for output that is too long: new, and nobody else's.
fn output_file(session: &Session, call: &str) -> PathBuf {
    let name: String = call
        .chars()
        .map(|c| {
            if c.is_ascii_alphanumeric() || c == '-' || c == '_' {
                c
            } else {
                '_'
            }
        })
        .take(100)
        .collect();
    session.parts.results.join(format!("{name}.output.txt"))
}

async fn finish(around: Around<'_>, request: Request) -> Result<Arc<Finished>, String> {
    make_owned(&around.session.parts.results)?;
    let mut running = around
        .session
        .parts
        .bash
        .start(request)
        .map_err(|error: StartError| error.to_string())?;
    let cancel = running.cancel();
    tokio::select! {
        finished = running.finished() => Ok(finished),
        () = around.cancel.cancelled() => {
            cancel.cancel();
            Ok(running.finished().await)
        }
    }
}

/// Makes a directory that its owner alone can look into.
fn make_owned(directory: &std::path::Path) -> Result<(), String> {
    use std::os::unix::fs::DirBuilderExt as _;

    std::fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(directory)
        .map_err(|error| format!("cannot make {}: {error}", directory.display()))
}

/// What a model is told of a command that has ended.
fn shell_answer(session: &Session, cwd: &str, finished: &Finished) -> Answer {
    let said = outcome(finished);
    let mut changes = Vec::new();
    let mut text = said.text;
    match moved(session, cwd, finished) {
        Moved::Stays => {}
        Moved::To(directory) => changes.push(Change::Cwd(directory)),
        Moved::Reset => {
            changes.push(Change::Cwd(session.parts.project.clone()));
            text.push_str(&format!("\nShell cwd was reset to {}", session.parts.project));
        }
    }
    let mut output = engine_tools::Output::text(text);
    output.is_error = said.failed;
    Answer {
        value: value_of(finished),
        output,
        changes,
    }
}

struct Said {
    text: String,
    failed: bool,
}

fn outcome(finished: &Finished) -> Said {
    let mut text = finished.output.text();
    let (failed, note) = match finished.end {
        End::Exited(0) => (false, String::new()),
        End::Exited(code) => (true, format!("Exit code {code}")),
        End::Signalled(signal) => (true, format!("Ended by signal {signal}")),
        End::TimedOut(after) => (true, format!("Command timed out after {} ms", after.as_millis())),
        End::Cancelled => (true, "Command was cancelled before it ended".to_owned()),
        End::Lost => (true, "The engine lost sight of the command".to_owned()),
    };
    if !note.is_empty() {
        text = if text.is_empty() {
            note
        } else {
            format!("{note}\n{text}")
        };
    }
    Said { text, failed }
}

enum Moved {
    Stays,
    To(String),
    Reset,
}

/// Where the shell went, if that is a directory that calls may start in: the project, or what lies below it.
fn moved(session: &Session, cwd: &str, finished: &Finished) -> Moved {
    let Some(reported) = &finished.reported else {
        return Moved::Stays;
    };
    // What the shell reports is a text; only what really is a directory counts.
    let real = reported
        .canonicalize()
        .ok()
        .filter(|real| real.is_dir())
        .and_then(|real| real.to_str().map(str::to_owned));
    match real {
        Some(real) if real == cwd => Moved::Stays,
        Some(real) if engine_policy::below(&real, &session.parts.project).is_some() => Moved::To(real),
        Some(_) | None => Moved::Reset,
    }
}

fn value_of(finished: &Finished) -> Json {
    let code = match finished.end {
        End::Exited(code) => Json::from(code),
        End::Signalled(_) | End::TimedOut(_) | End::Cancelled | End::Lost => Json::Null,
    };
    json!({
        "stdout": finished.output.text(),
        "stderr": finished.errors.as_ref().map(crate::bash::Captured::text).unwrap_or_default(),
        "code": code,
        "timed_out": matches!(finished.end, End::TimedOut(_)),
    })
}

/// Decides a program of a body as the shell command that it is, and runs it.
///
/// # Errors
///
/// The text that a model is told. That the program failed is no error: its code is in the value.
pub(crate) async fn run_program(around: Around<'_>, program: Program) -> Result<(Json, Option<End>), String> {
    let text = as_shell_text(&program);
    let paths: Vec<&str> = program.cwd.as_deref().into_iter().collect();
    let input = json!({ "command": text });
    let session = around.session;
    let cwd = match &program.cwd {
        None => None,
        Some(_) => Some(real_cwd(session, &paths)?),
    };
    let asking = Asking {
        call: around.call,
        tool: "Bash",
        input: &input,
        what: Call::Shell(&text),
        via: around.via,
        paths: &[],
        shown: &text,
        cwd: cwd.as_deref(),
        preapproved: around.preapproved,
        read_only: around.read_only,
    };
    let leave = session.leave(&asking, around.granted).await?;
    let set: Vec<(OsString, OsString)> = program
        .env
        .iter()
        .map(|(name, value)| (name.into(), value.into()))
        .collect();
    let mut request = Request::new(
        program.work,
        PathBuf::from(&leave.cwd),
        environment(session.parts.environment.clone(), set),
    );
    request.streams = Streams::Apart;
    request.budget_bytes = STEP_BYTES;
    request.timeout = Some(Timeout::from_ms(program.timeout).map_err(|error| error.to_string())?);
    request.grace = Duration::from_secs(2);
    let finished = finish(around, request).await?;
    Ok((value_of(&finished), Some(finished.end)))
}

/// Most bytes of output that later steps of a body see of a program.
const STEP_BYTES: usize = 8 << 20;

/// The real place of a directory that a step names; that it may be used is decided with the command that runs in it.
fn real_cwd(session: &Session, paths: &[&str]) -> Result<String, String> {
    let world = (session.parts.world)();
    let written = paths.first().copied().unwrap_or(".");
    let absolute = engine_policy::join_path(&session.context().cwd, written);
    world
        .real_path(&absolute)
        .filter(|path| world.is_directory(path) == Some(true))
        .ok_or_else(|| format!("`{written}` is no directory"))
}

/// The command that deciding sees: words and values quoted, so that they are what they are and nothing else.
fn as_shell_text(program: &Program) -> String {
    let mut text = String::new();
    for (name, value) in &program.env {
        text.push_str(&format!("export {name}={}\n", shell_quote(value)));
    }
    match &program.work {
        Work::Text(own) => text.push_str(own),
        Work::Words {
            program,
            arguments,
            input,
        } => {
            text.push_str(&shell_quote(&program.to_string_lossy()));
            for argument in arguments {
                text.push(' ');
                text.push_str(&shell_quote(&argument.to_string_lossy()));
            }
            if !input.is_empty() {
                // What a program reads may be what it runs.
                text.push_str(" <<< ");
                text.push_str(&shell_quote(&String::from_utf8_lossy(input)));
            }
        }
    }
    text
}
