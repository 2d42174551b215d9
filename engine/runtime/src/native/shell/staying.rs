//! Commands in one shell that stays.
//!
//! Invariant (decided with its past): what a name means in such a shell depends on what ran in it before, so a command is decided as the
//! end of one text that begins with all of that. Where that text grows over a limit, the shell is ended and a new one begun.

use std::path::PathBuf;

use engine_policy::Call;
use engine_tools::Output;
use serde_json::{Value as Json, json};

use super::{Answer, Around, make_results, output_file};
use crate::bash::{
    DEFAULT_BUDGET_BYTES, DEFAULT_FILE_BYTES, End, Finished, GRACE, Reading, Session as Shell, SessionBounds,
    SessionEnd, Timeout, environment,
};
use crate::permission::{Asking, fields_of, shape_of};
use crate::session::Staying;
use crate::valid::Valid;

/// Most bytes of texts that ran in one shell; a longer past is not decided anew with each command.
const MAX_HISTORY_BYTES: usize = 32 << 10;

pub(super) async fn run(around: Around<'_>, call: &Valid, reading: &Reading) -> Result<Answer, String> {
    let session = around.session;
    let input = call.input();
    let command = input.text("command").unwrap_or_default();
    let mut slot = session.staying().await;
    let mut fresh = None;
    if let Some(staying) = slot.as_mut()
        && staying.history.len() + command.len() > MAX_HISTORY_BYTES
    {
        staying.shell.close(GRACE).await;
        *slot = None;
        fresh = Some(
            "A new shell was begun, since much had run in the old one: its variables and functions are gone.",
        );
    }
    let cwd = session.context().cwd;
    let mut staying = slot.take().unwrap_or_else(|| Staying {
        shell: Shell::new(
            session.parts.bash.clone(),
            PathBuf::from(&cwd),
            environment(session.parts.environment.clone(), []),
        ),
        start: cwd.clone(),
        history: String::new(),
    });
    let decided = leave(around, call, &staying).await;
    if let Err(refused) = decided {
        *slot = Some(staying);
        return Err(refused);
    }
    make_results(session)?;
    let timeout = input
        .integer("timeout")
        .and_then(|number| u64::try_from(number).ok());
    let bounds = SessionBounds {
        timeout: Timeout::from_ms(timeout).map_err(|error| error.to_string())?,
        grace: GRACE,
        budget_bytes: DEFAULT_BUDGET_BYTES,
        file: Some(output_file(session, around.call)),
        file_bytes: DEFAULT_FILE_BYTES,
    };
    let started = tokio::time::Instant::now();
    let answer = staying
        .shell
        .run(command, bounds, around.cancel)
        .await
        .map_err(|error| error.to_string())?;
    let note = answer.end.note();
    let end = match answer.end {
        SessionEnd::Status(status) => {
            staying.history.push_str(command);
            staying.history.push('\n');
            *slot = Some(staying);
            End::Exited(status)
        }
        // The next command begins a new shell, with no past.
        SessionEnd::Closed(end) => end,
        SessionEnd::Wedged(after) => End::TimedOut(after),
        SessionEnd::Cancelled => End::Cancelled,
    };
    let finished = Finished {
        end,
        output: answer.output,
        errors: None,
        reported: answer.reported,
        elapsed: started.elapsed(),
        survivors: 0,
    };
    let mut answer = super::shell_answer(session, reading, &cwd, &finished);
    for line in note.into_iter().chain(fresh.map(str::to_owned)) {
        answer.output.blocks.extend(Output::text(line).blocks);
    }
    Ok(answer)
}

/// Asks leave for a command as the end of everything that ran in the shell.
async fn leave(around: Around<'_>, call: &Valid, staying: &Staying) -> Result<(), String> {
    let command = call.input().text("command").unwrap_or_default();
    let mut whole = call.json().clone();
    if let Json::Object(map) = &mut whole {
        map.insert(
            "command".to_owned(),
            json!(format!("{}{command}", staying.history)),
        );
    }
    let fields = fields_of(call.tool());
    let shape = shape_of(call.tool(), &fields);
    let asking = Asking {
        call: around.call,
        tool: call.name(),
        input: call.json(),
        what: Call::Declared {
            shape: &shape,
            input: &whole,
        },
        via: around.via,
        paths: &[],
        preview: None,
        shown: command,
        cwd: Some(&staying.start),
        preapproved: around.preapproved,
        ran: staying.history.len(),
        approval: around.approval,
        read_only: around.read_only,
    };
    around.session.leave(&asking, around.granted).await.map(drop)
}
