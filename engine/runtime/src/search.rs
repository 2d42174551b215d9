//! The native family of search handlers: what files hold (`grep`) and how they are named (`glob`).
//!
//! An interface of its own that knows nothing of tools, sessions or JSON. It is synchronous and uses threads of its own.
//!
//! Invariants:
//!
//! - Nothing is opened through a link, neither the root (which was resolved when it was decided) nor anything below it.
//! - Only regular files are opened, and only those that the caller's filter lets be seen.
//! - Every search is bounded and can be cancelled; what a bound left out is said in the answer.
//! - The same tree gives the same answer, whatever the number of threads.
//!
//! ```
//! use std::sync::atomic::AtomicBool;
//! use engine_runtime::search::{GrepRequest, OutputMode, Scope, grep};
//!
//! let folder = tempfile::tempdir()?;
//! let root = folder.path().canonicalize()?;
//! std::fs::write(root.join("notes.txt"), "one\ntwo\n")?;
//! let scope = Scope { shown_from: Some(root.clone()), ..Scope::default() };
//! let request = GrepRequest { mode: OutputMode::Content, scope, ..GrepRequest::new("^t") };
//! let answer = grep(&request, &root, &|_| true, &AtomicBool::new(false))?;
//! assert_eq!(answer.text(), "notes.txt:2:two");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod answer;
mod error;
mod glob;
mod grep;
mod ignored;
mod limits;
mod newest;
mod open;
mod pattern;
mod queue;
mod request;
mod sink;
mod tree;

pub use answer::{Found, GlobAnswer, GrepAnswer, Missed};
pub use error::{PatternError, RootProblem, SearchError};
pub use glob::glob;
pub use grep::grep;
pub use limits::{GLOB_RESULTS, GREP_RESULTS, LINE_CHARS};
pub use request::{GlobRequest, GrepRequest, OutputMode, Scope};
pub use tree::Visible;
