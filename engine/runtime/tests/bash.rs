//! The Bash handler against a real bash: what comes back, in which order, and that nothing is left behind.

#[path = "bash/common.rs"]
mod common;
#[path = "bash/endings.rs"]
mod endings;
#[path = "bash/fidelity.rs"]
mod fidelity;
#[path = "bash/output.rs"]
mod output;
