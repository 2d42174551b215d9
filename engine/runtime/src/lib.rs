//! Runs declared tools: the call pipeline, the scheduler, native handlers for Bash, files and search, hooks, state and audit.

#[cfg(unix)]
pub mod audit;
pub mod bash;
pub mod files;
mod pinned;
pub mod schedule;
pub mod search;
pub mod store;
