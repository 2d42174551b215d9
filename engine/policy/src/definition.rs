//! Command definitions: what programs do with their arguments, as data.
//!
//! Invariant (no code for one program): everything that is said of a program stands in its definition.

mod apply;
mod catalogue;
mod comments;
mod cut;
mod example;
mod merge;
pub mod model;
mod notes;
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

pub(crate) use apply::apply_published;
pub use apply::{ApplyContext, apply, apply_each};
pub use catalogue::{Catalogue, Shipped, is_shipped, shipped_definitions, shipped_with_examples};
pub use example::{ExampleFailure, run_each_example, run_examples};
pub(crate) use merge::merge;
pub use model::Definition;
pub use notes::{CommandNote, Include, Notes, Read};
pub use problem::{Problem, Weight};
pub(crate) use read::Holds;
pub(crate) use untrusted::read_file;
pub use untrusted::{is_definitions, read_definitions};
