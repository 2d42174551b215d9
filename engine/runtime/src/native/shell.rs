//! Shell texts and programs: `bash.run`, and the steps `run` and `shell`.

mod staying;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use engine_policy::Call;
use engine_tools::budget::{persisted, preview};
use engine_tools::template::shell_quote;
use engine_tools::{Block, Output};
use serde_json::{Value as Json, json};
use tokio::time::{Instant, sleep_until};

use super::files::media_type;
use super::{Answer, Around};
use crate::bash::{
    End, Finished, PROGRESS, Picture, Reading, Reports, Request, Running, StartError, Streams, Timeout, Work,
    Written, environment, picture, reading, settle,
};
use crate::files::shown_image;
use crate::permission::{Asking, Leave};
use crate::private::make_directory;
use crate::session::{Change, Session, Shells};
use crate::valid::Valid;

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
    /// It goes on behind the call.
    pub(crate) background: bool,
}

pub(super) async fn run(around: Around<'_>, call: &Valid) -> Result<Answer, String> {
    let input = call.input();
    let command = input.text("command").unwrap_or_default();
    let background = input.is_true("run_in_background");
    let session = around.session;
    let cwd = session.context().cwd;
    let reading = reading(command, session.parts.plan.catalogue(), session.home(), &cwd);
    if around.via.is_empty() {
        around.granted.classed(reading.class);
    }
    if !background && let Some(refusal) = reading.refusal() {
        return Err(refusal);
    }
    if session.parts.shells == Shells::Staying && !background {
        return staying::run(around, call, &reading).await;
    }
    let leave = super::leave_with(around, call, &[], command, None).await?;
    let timeout = input
        .integer("timeout")
        .and_then(|number| u64::try_from(number).ok());
    let mut run = Allowed::new(session, &leave, Work::Text(command.to_owned()), []);
    run.0.timeout = Some(Timeout::from_ms(timeout).map_err(|error| error.to_string())?);
    run.0.file = Some(output_file(session, around.call));
    if reading.stays || background {
        run.0.reports = Reports::Nothing;
    }
    if background {
        let (id, file) = adopt(around, run, command)?;
        let text = format!(
            "Command running in background with ID: {id}. Output is being written to: {}",
            file.display()
        );
        return Ok(Answer::text(text, json!({ "task_id": id })));
    }
    let finished = match finish(around, run, session.parts.ways.foreground).await? {
        Ran::Ended(finished) => finished,
        Ran::Further(running, after) => {
            let file = output_file(session, around.call);
            let id = session.parts.tasks.adopt(running, command);
            let text = format!(
                "Command running in background with ID: {id}. Output is being written to: {}\nIt was moved there since it ran for more than {} s.",
                file.display(),
                after.as_secs_f64()
            );
            return Ok(Answer::text(text, json!({ "task_id": id.to_string() })));
        }
    };
    Ok(shell_answer(session, &reading, leave.cwd(), &finished))
}

/// A run that there is leave for; nothing else is started.
struct Allowed(Request);

impl Allowed {
    /// In the directory that it was decided in.
    fn new(
        session: &Session,
        leave: &Leave,
        work: Work,
        set: impl IntoIterator<Item = (OsString, OsString)>,
    ) -> Self {
        Self(Request::new(
            work,
            PathBuf::from(leave.cwd()),
            environment(session.parts.environment.clone(), set),
        ))
    }
}

/// Starts a run that goes on behind the call. Answers its id and the file of its output.
fn adopt(around: Around<'_>, run: Allowed, label: &str) -> Result<(String, PathBuf), String> {
    make_results(around.session)?;
    let file = output_file(around.session, around.call);
    let request = Request {
        file: Some(file.clone()),
        timeout: None,
        ..run.0
    };
    let running = around
        .session
        .parts
        .bash
        .start(request)
        .map_err(|error| error.to_string())?;
    let id = around.session.parts.tasks.adopt(running, label);
    Ok((id.to_string(), file))
}

/// A file for output that is too long: new, and nobody else's.
fn output_file(session: &Session, call: &str) -> PathBuf {
    let name = crate::fit::file_name(call);
    session.parts.results.join(format!("{name}.txt"))
}

/// Largest output that is looked through to see whether it is JSON.
const MAX_JSON_BYTES: u64 = 64 << 20;

/// Names the file of an output after what it holds. Nothing is overwritten: where the name is taken, the file keeps its own.
fn named_by_content(written: &Path, head: &[u8], bytes: u64) -> PathBuf {
    let looks = head.trim_ascii_start().starts_with(b"{") || head.trim_ascii_start().starts_with(b"[");
    if !looks || bytes > MAX_JSON_BYTES {
        return written.to_owned();
    }
    let is_json = std::fs::File::open(written).is_ok_and(|file| {
        serde_json::from_reader::<_, serde::de::IgnoredAny>(std::io::BufReader::new(file)).is_ok()
    });
    let named = written.with_extension("json");
    if is_json && std::fs::hard_link(written, &named).is_ok() {
        // Should the old name stay, both hold the same.
        let _removed = std::fs::remove_file(written);
        named
    } else {
        written.to_owned()
    }
}

/// How a run in the foreground went.
enum Ran {
    Ended(Arc<Finished>),
    /// It still runs, after this time.
    Further(Running, Duration),
}

/// Waits for a run, and no longer than this where a time is given.
async fn finish(around: Around<'_>, run: Allowed, most: Option<Duration>) -> Result<Ran, String> {
    make_results(around.session)?;
    let mut running = around
        .session
        .parts
        .bash
        .start(run.0)
        .map_err(|error: StartError| error.to_string())?;
    let cancel = running.cancel();
    let person = &around.session.parts.person;
    let mut shown = false;
    let began = Instant::now();
    let mut next = began + FIRST_PROGRESS;
    let finished = loop {
        tokio::select! {
            finished = running.finished() => break Some(finished),
            () = around.cancel.cancelled() => {
                cancel.cancel();
                break Some(running.finished().await);
            }
            () = sleep_until(began + most.unwrap_or_default()), if most.is_some() => break None,
            () = sleep_until(next) => {
                person.progress(around.call, &running.progress());
                shown = true;
                next = Instant::now() + PROGRESS;
            }
        }
    };
    if shown {
        person.progress_ended(around.call);
    }
    Ok(match finished {
        Some(finished) => Ran::Ended(finished),
        None => Ran::Further(running, most.unwrap_or_default()),
    })
}

/// How long a command runs before a person is shown how far it has come.
const FIRST_PROGRESS: Duration = Duration::from_secs(1);

/// Makes the directory for output that is too long.
fn make_results(session: &Session) -> Result<(), String> {
    let directory = &session.parts.results;
    make_directory(directory).map_err(|error| format!("cannot make {}: {error}", directory.display()))
}

/// What a model is told of a command that has ended.
fn shell_answer(session: &Session, reading: &Reading, cwd: &str, finished: &Finished) -> Answer {
    let mut output = Output {
        blocks: Vec::new(),
        is_error: false,
    };
    let captured = &finished.output;
    let mut text = if captured.is_whole() {
        match picture(&captured.head).map(|picture| shown_picture(&picture)) {
            None => captured.text(),
            Some(Ok(block)) => {
                output.blocks.push(block);
                String::new()
            }
            Some(Err(why)) => why,
        }
    } else {
        match &captured.file {
            Some(Written {
                path, problem: None, ..
            }) => persisted(
                &named_by_content(path, &captured.head, captured.total_bytes)
                    .display()
                    .to_string(),
                captured.total_bytes,
                preview(&captured.text()),
            ),
            Some(Written {
                path,
                bytes,
                problem: Some(problem),
            }) => {
                let kept = if *bytes == 0 {
                    format!("it cannot be kept in {}", path.display())
                } else {
                    format!("{} holds only its first {bytes} bytes", path.display())
                };
                let text = captured.text();
                format!(
                    "The output is too long to be shown ({} bytes), and {kept}: {problem}. It begins with:\n{}\n...\nIt ends with:\n{}",
                    captured.total_bytes,
                    preview(&text),
                    end_of(&captured.tail_text())
                )
            }
            None => captured.text(),
        }
    };
    let silent = captured.total_bytes == 0;
    let (failed, note) = match finished.end {
        End::Exited(0) => (false, None),
        End::Exited(code) => match reading.meaning(code, silent) {
            Some(meaning) => (false, silent.then(|| meaning.to_owned())),
            None => (true, Some(format!("Exit code {code}"))),
        },
        End::Signalled(signal) => (true, Some(format!("Ended by signal {signal}"))),
        End::TimedOut(after) => (
            true,
            Some(format!("Command timed out after {} ms", after.as_millis())),
        ),
        End::Cancelled => (true, Some("Command was cancelled before it ended".to_owned())),
        End::Lost => (true, Some("The engine lost sight of the command".to_owned())),
    };
    output.is_error = failed;
    if let Some(note) = note {
        text = if text.is_empty() {
            note
        } else {
            format!("{note}\n{text}")
        };
    }
    let project = Path::new(&session.parts.project);
    let reported = finished.reported.as_deref();
    let settled = settle(
        reported.or(reading.stays.then_some(Path::new(cwd))),
        Path::new(cwd),
        project,
        |directory| {
            let mut others = session.parts.ways.directories.iter();
            directory.starts_with(project) || others.any(|other| directory.starts_with(other))
        },
    );
    let mut changes = Vec::new();
    if let Some(directory) = settled.directory.to_str()
        && directory != cwd
    {
        changes.push(Change::Cwd(directory.to_owned()));
    }
    for line in settled.note.into_iter().chain(survivors(finished)) {
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&line);
    }
    if text.is_empty() && output.blocks.is_empty() {
        // An empty text is no content for the APIs of models.
        text.push_str("(no output)");
    }
    if !text.is_empty() {
        output.blocks.insert(0, Block::Text(text));
    }
    Answer {
        value: value_of(finished),
        output,
        changes,
    }
}

/// The last lines of a text, as far as they are shown where the whole of it is nowhere.
fn end_of(text: &str) -> &str {
    const MOST_BYTES: usize = 2000;
    let from = text.len().saturating_sub(MOST_BYTES);
    let at = (from..text.len()).find(|at| text.is_char_boundary(*at));
    let end = at.and_then(|at| text.get(at..)).unwrap_or(text);
    match end.split_once('\n') {
        Some((_, lines)) if end.len() < text.len() => lines,
        Some(_) | None => end,
    }
}

/// What a model is told where something of a command could not be ended.
fn survivors(finished: &Finished) -> Option<String> {
    (finished.survivors > 0).then(|| format!("{} of its processes could not be ended", finished.survivors))
}

fn shown_picture(picture: &Picture) -> Result<Block, String> {
    let image = shown_image(picture)?;
    Ok(Block::Image {
        media_type: media_type(image.media_type),
        base64: image.base64,
    })
}

fn value_of(finished: &Finished) -> Json {
    let code = match finished.end {
        End::Exited(code) => Json::from(code),
        End::Signalled(_) | End::TimedOut(_) | End::Cancelled | End::Lost => Json::Null,
    };
    json!({
        "stdout": String::from_utf8_lossy(&finished.output.head),
        "stderr": finished.errors.as_ref().map(crate::bash::Captured::text).unwrap_or_default(),
        "code": code,
        "timed_out": matches!(finished.end, End::TimedOut(_)),
        "task_id": Json::Null,
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
        preview: None,
        shown: &text,
        cwd: cwd.as_deref(),
        preapproved: around.preapproved,
        ran: 0,
        approval: around.approval,
        read_only: around.read_only,
    };
    let leave = around.leave(&asking).await?;
    let set: Vec<(OsString, OsString)> = program
        .env
        .iter()
        .map(|(name, value)| (name.into(), value.into()))
        .collect();
    let mut run = Allowed::new(session, &leave, program.work, set);
    if program.background {
        let (id, _) = adopt(around, run, &text)?;
        let value = json!({ "stdout": "", "stderr": "", "code": null, "timed_out": false, "task_id": id });
        return Ok((value, None));
    }
    let request = &mut run.0;
    // Where a step ends matters to nobody.
    request.reports = Reports::Nothing;
    request.streams = Streams::Apart;
    request.budget_bytes = STEP_BYTES;
    request.timeout = Some(Timeout::from_ms(program.timeout).map_err(|error| error.to_string())?);
    request.grace = Duration::from_secs(2);
    match finish(around, run, None).await? {
        Ran::Ended(finished) => Ok((value_of(&finished), Some(finished.end))),
        // Without a time it is waited for.
        Ran::Further(..) => Err("The program was not waited for.".to_owned()),
    }
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
        text.extend(["export ", name, "=", &shell_quote(value), "\n"]);
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
