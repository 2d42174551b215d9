//! The Bash handler against a real bash: what comes back, in which order, and that nothing is left behind.
#![expect(
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    reason = "helpers of tests fail as tests do, and look at the clock"
)]

#[path = "bash/amounts.rs"]
mod amounts;
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
