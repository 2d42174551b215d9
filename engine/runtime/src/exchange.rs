//! What passes between a model and a session: a call as the model makes it, and its answer.

use engine_tools::Output;
use serde_json::Value as Json;

/// A call as a model makes it.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolUse {
    /// Its id, which the result carries, too.
    pub id: String,
    /// The tool.
    pub name: String,
    /// Its input.
    pub input: Json,
}

/// The answer to a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolResult {
    /// The call.
    pub id: String,
    /// The tool that was called.
    pub name: String,
    /// What the model is shown.
    pub output: Output,
}
