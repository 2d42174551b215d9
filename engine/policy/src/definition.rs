//! Command definitions: what programs do with their arguments, as data.
//!
//! Invariant (no code for one program): everything that is said of a program stands in its definition.

mod apply;
mod catalogue;
mod comments;
mod cut;
mod example;
pub mod model;
mod operands;
mod partial;
mod pick;
mod problem;
mod read;
pub mod shape;
mod split;
mod suspect;
#[cfg(test)]
mod tests;
mod touch;
mod untrusted;
mod usage;
mod words;

pub use apply::{ApplyContext, apply, apply_each};
pub use catalogue::{Catalogue, shipped_with_examples};
pub use example::{ExampleFailure, run_examples};
pub use model::Definition;
pub use problem::Problem;
pub use untrusted::read_definitions;
