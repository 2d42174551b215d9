//! Reads shell commands strictly: text to a typed [`Script`], and to what it may execute, with byte spans and no I/O.
#![forbid(unsafe_code)]

mod checks;
mod err;
mod evaluate;
mod evaluation;
mod ir;
mod limits;
mod parse;
mod programs;
mod second_reader;
mod span;
mod value;
mod walk;

pub use checks::{
    Check, Finding, Severity, UnknownCheck, UnknownSeverity, check_text, commit_substitutions, finding_of,
};
pub use err::{Construct, NotUnderstood};
pub use evaluate::{evaluate, evaluate_text};
pub use evaluation::{
    Access, AccessMode, Context, Directory, Evaluation, Invocation, InvocationKind, Listing, Reach, Setting,
    SettingScope, Stdin,
};
pub use ir::*;
pub use limits::Limits;
pub use parse::parse;
pub use programs::{
    Language, ProgramEffect, ProgramEffectKind, ProgramError, UnknownLanguage, analyse_program,
};
pub use second_reader::{search, vote};
pub use span::Span;
pub use value::{Count, Field, Origin, Spelling, Value};
