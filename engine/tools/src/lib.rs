//! Tools as data: definitions, schemas, bodies of steps, the pool, deferral and result budgets. No tokio, no I/O.
#![forbid(unsafe_code)]

pub mod budget;
pub mod definition;
mod input;
mod output;
pub mod pool;
mod schema;
mod shipped;
pub mod template;

pub use input::{Input, InputError, InputProblem, Sender};
pub use output::{Block, MediaType, Output};
pub use schema::Schema;
pub use shipped::{shipped, shipped_text};
