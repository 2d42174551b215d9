//! Searches through the public interface: against ripgrep on the same tree, and in trees that mean harm.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stderr,
    reason = "helpers of tests; a failing one is a failing test"
)]

mod answers;
mod hostile;
mod ripgrep;
mod tree;
