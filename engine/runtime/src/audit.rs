//! The audit log: one line of JSON for each decision and each execution, in files that only grow, each line chained to the one before
//! it by SHA-256.
//!
//! Invariants:
//! - *chained*: the hash of a line covers all of it, and so the hash of the line before; whoever changes, takes out or adds a line in
//!   the middle breaks every later one;
//! - *whole or seen*: a writer that is killed leaves at most one torn line at the end; the next writer says so in a record of its own
//!   and goes on, so that no record that was whole is ever lost;
//! - *bounded*: no line is longer than [`MAX_LINE_BYTES`];
//! - *no secrets by rule*: what [`view`] shows of an input has passed [`redact`].
//!
//! Nothing here is asynchronous, and nothing here decides.

mod chain;
mod log;
mod otlp;
mod record;
mod redact;
mod time;
mod verify;

pub use chain::{GENESIS, Sealed, unseal};
pub use log::{AuditError, Log, Position, current_file, files_of};
pub use otlp::{IS_BUILT_IN as HAS_OTLP, otlp_line};
pub use record::{Kind, MAX_LINE_BYTES, Reason, Record, RuleAt};
pub use redact::{digest_of_input, redact, view};
pub use time::{now_millis, parse_time, rfc3339};
pub use verify::{Problem, Torn, Verified, Verifier};

#[cfg(test)]
mod tests;
