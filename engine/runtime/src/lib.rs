//! Runs declared tools: the call pipeline, the scheduler, native handlers for Bash, files and search, hooks, state and audit.

mod approval;
pub mod audit;
pub mod bash;
mod body;
mod call;
mod exchange;
pub mod files;
mod fit;
mod hooks;
mod look;
pub mod message;
mod native;
mod permission;
mod person;
mod pinned;
mod preview;
mod private;
pub mod schedule;
pub mod search;
mod session;
pub mod store;
mod valid;

pub use exchange::{ToolResult, ToolUse};
pub use hooks::{HookEnd, HookRun};
pub use person::{Later, Nobody, Permission, Permit, Person};
pub use session::{
    Change, Context, Decided, Ended, Observer, Parts, Refused, Session, Shells, Unobserved, Ways,
};
