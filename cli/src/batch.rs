//! `engine batch`: the calls of one message, from `tool_use` blocks to `tool_result` blocks.

use std::io::BufRead as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use engine_runtime::{ToolResult, ToolUse};
use serde_json::Value as Json;
use tokio::sync::mpsc;

use crate::call::{AskingOptions, FoundOptions, block, run_all, run_as_they_come};
use crate::exit::Exit;
use crate::session::{self, Asking, Opening};
use crate::{json, out};

/// Runs the calls of one message: `tool_use` blocks from standard input, one JSON object a line, `tool_result` blocks out
///
/// They are scheduled as a model's message is: neighbours that are safe beside others run together, any other runs alone. Results come in
/// the order of the calls.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Batch {
    #[command(flatten)]
    opening: Opening,

    #[command(flatten)]
    asking: AskingOptions,

    #[command(flatten)]
    found: FoundOptions,

    /// Starts each call as soon as its line has come, in place of reading all of them first; nobody is asked at the terminal
    #[arg(long)]
    stream: bool,
}

const EXAMPLES: &str = "Examples:
  engine batch --no-ask < calls.jsonl
  echo '{\"type\":\"tool_use\",\"id\":\"1\",\"name\":\"Glob\",\"input\":{\"pattern\":\"*.md\"}}' | engine batch --no-ask";

/// Longest line that is read: 16 MiB.
const MAX_LINE_BYTES: usize = 16 << 20;

/// Most calls of one message.
const MAX_CALLS: usize = 1_000;

impl Batch {
    pub(crate) fn run(&self) -> Exit {
        match self.try_run() {
            Ok(exit) | Err(exit) => exit,
        }
    }

    fn try_run(&self) -> Result<Exit, Exit> {
        if self.stream {
            return self.streamed();
        }
        let mut calls = Vec::new();
        let mut wrong = false;
        for (at, line) in std::io::stdin().lock().lines().enumerate() {
            match call_in(at, line) {
                Some(Ok(call)) => calls.push(call),
                Some(Err(())) => wrong = true,
                None => {}
            }
        }
        if calls.len() > MAX_CALLS {
            out::complain(&format!("engine: a message has at most {MAX_CALLS} calls\n"));
            wrong = true;
        }
        // A message that is not understood as a whole is not begun.
        if wrong {
            return Err(Exit::Usage);
        }
        let opened = session::open(&self.opening)?;
        let session = session::begin(&self.opening, opened, self.asking.asking())?;
        let results = session::block_on(run_all(&session, calls))??;
        Ok(self.printed(&results))
    }

    fn printed(&self, results: &[ToolResult]) -> Exit {
        let mut failed = false;
        for result in results {
            failed |= result.output.is_error;
            out::print(&format!("{}\n", block(result, self.found.found())));
        }
        if failed { Exit::Failed } else { Exit::Fine }
    }

    /// Each call starts as it comes. Behind a line that is not understood nothing more starts.
    fn streamed(&self) -> Result<Exit, Exit> {
        let opened = session::open(&self.opening)?;
        // Standard input is taken.
        let asking = match self.asking.asking() {
            Asking::Yes => Asking::Yes,
            Asking::Terminal | Asking::Nobody => Asking::Nobody,
        };
        let session = session::begin(&self.opening, opened, asking)?;
        let (sender, calls) = mpsc::unbounded_channel();
        let wrong = Arc::new(AtomicBool::new(false));
        let found_wrong = Arc::clone(&wrong);
        // It may wait for a line for ever, which nobody waits for.
        let _reader = std::thread::spawn(move || {
            let mut count = 0;
            for (at, line) in std::io::stdin().lock().lines().enumerate() {
                let sent = match call_in(at, line) {
                    Some(Ok(_)) if count == MAX_CALLS => {
                        out::complain(&format!("engine: a message has at most {MAX_CALLS} calls\n"));
                        found_wrong.store(true, Ordering::Release);
                        return;
                    }
                    Some(Ok(call)) => sender.send(call),
                    Some(Err(())) => {
                        found_wrong.store(true, Ordering::Release);
                        return;
                    }
                    None => continue,
                };
                count += 1;
                if sent.is_err() {
                    return;
                }
            }
        });
        let results = session::block_on(run_as_they_come(&session, calls))??;
        let exit = self.printed(&results);
        Ok(if wrong.load(Ordering::Acquire) {
            Exit::Usage
        } else {
            exit
        })
    }
}

/// The call of a line, from 0; what is wrong with it is told. `None` for an empty one.
fn call_in(at: usize, line: std::io::Result<String>) -> Option<Result<ToolUse, ()>> {
    let parsed = match line {
        Ok(line) if line.trim().is_empty() => return None,
        Ok(line) if line.len() > MAX_LINE_BYTES => Err(format!("has more than {MAX_LINE_BYTES} bytes")),
        Ok(line) => call_of(&line),
        Err(error) => Err(format!("cannot be read: {error}")),
    };
    Some(parsed.map_err(|error| out::complain(&format!("engine: line {} {error}\n", at + 1))))
}

fn call_of(line: &str) -> Result<ToolUse, String> {
    let json = json::parse(line.as_bytes()).map_err(|error| format!("is not JSON: {error}"))?;
    let text = |field: &str| {
        json.get(field)
            .and_then(Json::as_str)
            .map(str::to_owned)
            .ok_or_else(|| format!("has no text `{field}`"))
    };
    if let Some(kind) = json.get("type")
        && kind != "tool_use"
    {
        return Err(format!("is no `tool_use` block but {kind}"));
    }
    Ok(ToolUse {
        id: text("id")?,
        name: text("name")?,
        input: json
            .get("input")
            .cloned()
            .unwrap_or_else(|| Json::Object(serde_json::Map::new())),
    })
}
