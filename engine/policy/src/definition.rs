//! Command definitions: what programs do with their arguments, as data.
//!
//! Invariant (no code for one program): everything that is said of a program stands in its definition.

pub mod model;
mod problem;
mod read;
mod usage;
mod words;

pub use problem::Problem;
pub use read::read_definitions;
