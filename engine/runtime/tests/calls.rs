//! Whole calls through a session: from what a model sends to what it is told, with real files, programs, and a scripted person.
#![expect(
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    clippy::print_stderr,
    reason = "helpers of tests fail as tests do, start programs, look at the clock and say what is skipped"
)]

#[path = "calls/bodies.rs"]
mod bodies;
#[path = "calls/budgets.rs"]
mod budgets;
#[path = "calls/catalogue.rs"]
mod catalogue;
#[path = "calls/decisions.rs"]
mod decisions;
#[path = "calls/definitions.rs"]
mod definitions;
#[path = "calls/events.rs"]
mod events;
#[path = "calls/hostile.rs"]
mod hostile;
#[path = "calls/kills.rs"]
mod kills;
#[path = "calls/messages.rs"]
mod messages;
#[path = "calls/panics.rs"]
mod panics;
#[path = "calls/places.rs"]
mod places;
#[path = "calls/questions.rs"]
mod questions;
#[path = "calls/support.rs"]
mod support;
#[path = "calls/swaps.rs"]
mod swaps;
#[path = "calls/web.rs"]
mod web;
#[path = "calls/worktrees.rs"]
mod worktrees;
