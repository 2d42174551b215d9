//! Tools as data: definitions, schemas, bodies of steps, the pool, deferral and result budgets. No tokio, no I/O.
#![forbid(unsafe_code)]

mod output;

pub use output::{Block, MediaType, Output};
