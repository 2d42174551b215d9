//! What a tool is: its input, its flags, and the native handler or the body of steps that does its work.
//!
//! Text becomes nodes (in `engine-policy`), nodes become a [`Tool`] (`read`), a tool is checked as a whole (`check`).
//!
//! Invariant (nothing is ignored): every name, argument, property and child in a definition is understood or an error.

mod check;
mod field;
mod form;
mod read;
mod step;
mod tool;

pub use check::check;
pub use field::{Bounds, Field, FieldKind, Role, TextBounds};
pub use form::{Form, Stream};
pub use read::{Prompts, read};
pub use step::{
    Action, AgentStep, AskStep, Body, CacheStep, CallStep, Choice, ContextKey, EachStep, EditStep, EventStep,
    GlobStep, GrepStep, LetStep, MAX_EACH, McpStep, McpVerb, MessageStep, Named, OnError, OptionTemplate,
    Question, Questions, ReadStep, Reported, RetryStep, ReturnStep, RunStep, Setting, ShellStep, Speaker,
    StateChange, StateStep, StateVerb, Step, TaskStep, TaskVerb, ToolsStep, WhenStep, Words, WriteStep,
};
pub use tool::{Budget, Deferral, Flag, Handler, Interrupt, Need, Prompt, Tool, Work, is_tool_name};
