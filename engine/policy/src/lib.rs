//! Policies as data: reads KDL and TOML, compiles one plan, decides tool calls with reasons and spans.
#![forbid(unsafe_code)]

pub mod definition;
mod diagnostic;
pub mod document;
mod effect;
mod names;
pub mod pattern;
pub mod read;
mod source;

pub use diagnostic::{Diagnostic, Level, Report};
pub use document::{Document, Outcome};
pub use effect::{
    Effect, EffectKind, EffectSource, Nested, NormalWord, PathUse, Unknown, UnknownKind, Use, WordKind,
};
pub use source::{LineColumn, Place, Source, SourceId, Sources, Spanned};
