//! `engine call`: one call of a tool through the whole pipeline.

use std::fmt::Write as _;
use std::num::NonZeroUsize;
use std::sync::Arc;

use engine_runtime::message::Halt;
use engine_runtime::{Session, ToolResult, ToolUse, message};
use engine_tools::{Block, Output};
use serde_json::{Value as Json, json};
use tokio::sync::mpsc::{self, UnboundedReceiver};

use crate::exit::Exit;
use crate::options::DataFormat;
use crate::session::{self, Asking, Opening};
use crate::{json as parsing, out};

/// Calls a tool as an agent would: decided, carried out, written down
///
/// The result is printed as a model is shown it. What the policy asks about is asked at the terminal; where there is none, or with
/// `--no-ask`, it is refused.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Call {
    /// Name of the tool
    #[arg(value_name = "TOOL")]
    tool: String,

    /// Its input, a JSON object; `-` reads it from standard input
    #[arg(value_name = "JSON", default_value = "{}")]
    input: String,

    #[command(flatten)]
    opening: Opening,

    #[command(flatten)]
    asking: AskingOptions,

    #[command(flatten)]
    found: FoundOptions,

    /// How to print
    #[arg(long, value_enum, default_value_t)]
    format: DataFormat,
}

/// What becomes of what the policy asks about.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct AskingOptions {
    /// Carries out what the policy asks about; what it denies stays denied
    #[arg(long, conflicts_with = "no_ask")]
    yes: bool,

    /// Refuses what the policy asks about
    #[arg(long)]
    no_ask: bool,
}

impl AskingOptions {
    pub(crate) fn asking(self) -> Asking {
        match (self.yes, self.no_ask) {
            (true, _) => Asking::Yes,
            (false, true) => Asking::Nobody,
            (false, false) => Asking::Terminal,
        }
    }
}

/// How tools that a search found are told to a model.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Found {
    /// As references, for APIs that expand them.
    References,
    /// With their whole schemas, for APIs that do not.
    FullSchemas,
}

/// How tools that a search found are told.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct FoundOptions {
    /// Tells the tools that a search found with their full schemas, for APIs that do not expand references to tools
    #[arg(long)]
    full_schemas: bool,
}

impl FoundOptions {
    pub(crate) fn found(self) -> Found {
        if self.full_schemas {
            Found::FullSchemas
        } else {
            Found::References
        }
    }
}

const EXAMPLES: &str = "Examples:
  engine call Bash '{\"command\": \"git status --short\"}'
  engine call Grep '{\"pattern\": \"TODO\", \"output_mode\": \"content\"}'
  engine call --no-ask Write '{\"file_path\": \"notes.txt\", \"content\": \"x\"}'";

impl Call {
    pub(crate) fn run(&self) -> Exit {
        match self.try_run() {
            Ok(exit) | Err(exit) => exit,
        }
    }

    fn try_run(&self) -> Result<Exit, Exit> {
        let asking = self.asking.asking();
        let mut read = Vec::new();
        let text = if self.input == "-" {
            use std::io::Read as _;
            std::io::stdin().lock().read_to_end(&mut read).map_err(|error| {
                out::complain(&format!("engine: cannot read standard input: {error}\n"));
                Exit::Machine
            })?;
            &read
        } else {
            self.input.as_bytes()
        };
        let input = parsing::parse(text).map_err(|error| {
            out::complain(&format!("engine: the input is not JSON: {error}\n"));
            Exit::Usage
        })?;
        let opened = session::open(&self.opening)?;
        let session = session::begin(&self.opening, opened, asking)?;
        let call = ToolUse {
            // What a session keeps goes by the ids of its calls.
            id: match &self.opening.session {
                Some(_) => format!("call-{}", session::session_id()),
                None => "call-1".to_owned(),
            },
            name: self.tool.clone(),
            input,
        };
        let results = session::block_on(run_all(&session, vec![call]))??;
        let mut failed = false;
        for result in &results {
            failed |= result.output.is_error;
            match self.format {
                DataFormat::Human => out::print(&shown(&result.output)),
                DataFormat::Json => out::print(&format!("{}\n", block(result, self.found.found()))),
            }
        }
        Ok(if failed { Exit::Failed } else { Exit::Fine })
    }
}

/// Runs calls as one message.
pub(crate) async fn run_all(session: &Arc<Session>, calls: Vec<ToolUse>) -> Result<Vec<ToolResult>, Exit> {
    let (sender, incoming) = mpsc::unbounded_channel();
    for call in calls {
        let _received_below = sender.send(call);
    }
    drop(sender);
    run_as_they_come(session, incoming).await
}

/// Runs calls as one message of a session of its own. Ctrl-C interrupts what can be interrupted, a second one ends everything, and each call
/// still gets its result.
pub(crate) async fn run_as_they_come(
    session: &Arc<Session>,
    calls: UnboundedReceiver<ToolUse>,
) -> Result<Vec<ToolResult>, Exit> {
    let limit = engine_runtime::schedule::DEFAULT_LIMIT;
    let begun = session.begin("startup").await;
    let results = match begun {
        Ok(context) => {
            for text in context {
                out::complain(&format!("{}\n", out::visible(&text)));
            }
            Ok(run_within(session, limit, calls).await)
        }
        Err(reason) => {
            let reason = out::visible(&reason);
            out::complain(&format!(
                "engine: a hook does not let the session begin: {reason}\n"
            ));
            Err(Exit::Failed)
        }
    };
    session.ending("other").await;
    session.end().await;
    if let Some(reason) = session.stopped() {
        out::complain(&format!(
            "engine: a hook ended the work: {}\n",
            out::visible(&reason)
        ));
    }
    results
}

async fn run_within(
    session: &Arc<Session>,
    limit: NonZeroUsize,
    calls: UnboundedReceiver<ToolUse>,
) -> Vec<ToolResult> {
    let (sender, halts) = mpsc::unbounded_channel();
    let listening = tokio::spawn(async move {
        for (halt, told) in [
            (
                Halt::Interrupt,
                "interrupted; what can be stopped ends, once more ends everything",
            ),
            (Halt::Cancel, "ending everything"),
        ] {
            if tokio::signal::ctrl_c().await.is_err() {
                break;
            }
            if out::is_stderr_terminal() {
                out::complain(&format!("\nengine: {told}\n"));
            }
            let _over = sender.send(halt);
        }
    });
    let results = message::run_as_they_come(session, limit, calls, halts).await;
    listening.abort();
    results
}

/// A result as a person reads it. References to tools are for models, which are sent what they refer to; the text beside them says the
/// same.
fn shown(output: &Output) -> String {
    let mut text = String::new();
    let has_text = output.blocks.iter().any(|block| matches!(block, Block::Text(_)));
    for block in &output.blocks {
        match block {
            Block::Text(piece) => text.push_str(piece),
            Block::Image { media_type, base64 } => {
                let bytes = base64.len() / 4 * 3;
                let _infallible = write!(text, "[{} of {bytes} bytes]", media_type.as_str());
            }
            Block::ToolReference(_) if has_text => continue,
            Block::ToolReference(name) => text.push_str(name),
        }
        if !text.ends_with('\n') {
            text.push('\n');
        }
    }
    text
}

/// A result as a `tool_result` block.
pub(crate) fn block(result: &ToolResult, found: Found) -> Json {
    let blocks = &result.output.blocks;
    let is_reference = |block: &&Block| matches!(block, Block::ToolReference(_));
    let refers = blocks.iter().any(|block| is_reference(&block));
    let content: Vec<Json> = blocks
        .iter()
        .filter(|block| match found {
            Found::References => !refers || is_reference(block),
            // The text beside the references says the same in full.
            Found::FullSchemas => !is_reference(block),
        })
        .map(|block| match block {
            Block::Text(text) => json!({ "type": "text", "text": text }),
            Block::Image { media_type, base64 } => json!({
                "type": "image",
                "source": { "type": "base64", "media_type": media_type.as_str(), "data": base64 },
            }),
            Block::ToolReference(name) => json!({ "type": "tool_reference", "tool_name": name }),
        })
        .collect();
    let mut block = json!({ "type": "tool_result", "tool_use_id": result.id, "content": content });
    if result.output.is_error
        && let Some(map) = block.as_object_mut()
    {
        map.insert("is_error".to_owned(), true.into());
    }
    block
}

#[cfg(test)]
mod tests {
    use engine_runtime::ToolResult;
    use engine_tools::{Block, Output};
    use serde_json::json;

    use super::{Found, block};

    #[test]
    fn tools_that_were_found_are_references_or_full_schemas() {
        let result = ToolResult {
            id: "1".to_owned(),
            name: "ToolSearch".to_owned(),
            output: Output {
                blocks: vec![
                    Block::ToolReference("LSP".to_owned()),
                    Block::Text("<functions>{}</functions>".to_owned()),
                ],
                is_error: false,
            },
        };
        assert_eq!(
            block(&result, Found::References)["content"],
            json!([{ "type": "tool_reference", "tool_name": "LSP" }])
        );
        assert_eq!(
            block(&result, Found::FullSchemas)["content"],
            json!([{ "type": "text", "text": "<functions>{}</functions>" }])
        );
    }
}
