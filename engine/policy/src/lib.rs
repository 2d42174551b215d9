//! Policies as data: reads KDL and TOML, compiles one plan, decides tool calls with reasons and spans.
#![forbid(unsafe_code)]

mod effect;

pub use effect::{Effect, EffectKind, EffectSource, Nested, NormalWord, PathUse, Unknown, Use, WordKind};
