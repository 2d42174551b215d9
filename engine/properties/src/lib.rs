//! What must hold of every input, whatever it is: said once, tried by fuzz targets and by tests.
//!
//! Each property takes an input and gives the first [`Violation`]; that nothing panics is part of each. Invariant (no expectation):
//! nothing here knows what a verdict should be, only how verdicts must relate to each other.
#![forbid(unsafe_code)]

mod corpus;
mod decide;
mod format;
mod mutate;
mod policy;
mod shell;
mod spans;

pub use corpus::{everyday_commands, fixture_commands, fixture_policies};
pub use decide::{Setting, decides_monotonically, plan_of, plan_with_project, verdict, verdict_in};
pub use format::{converts, formats};
pub use mutate::Mutator;
pub use policy::reads_policy;
pub use shell::reads_shell;
pub use spans::spans_inside;

/// What was found not to hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation(pub String);

impl std::fmt::Display for Violation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Violation {}
