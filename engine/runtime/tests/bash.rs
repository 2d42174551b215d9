//! The Bash handler against a real bash: what comes back, in which order, and that nothing is left behind.
#![expect(
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    clippy::print_stderr,
    reason = "helpers of tests fail as tests do, look at the clock, and say what they skip"
)]

#[path = "bash/common.rs"]
mod common;
#[path = "bash/endings.rs"]
mod endings;
#[path = "bash/fidelity.rs"]
mod fidelity;
#[path = "bash/output.rs"]
mod output;
#[path = "bash/staying.rs"]
mod staying;
