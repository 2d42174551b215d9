//! The fields of a tool's input: what they may hold and what they say about a call.

pub use engine_policy::Role;
use engine_policy::{Place, Spanned};
use serde_json::Value as Json;
use smol_str::SmolStr;

use crate::template::Template;

/// One field of an input.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// The key.
    pub name: Spanned<SmolStr>,
    /// What it may hold.
    pub kind: FieldKind,
    /// The description that models read.
    pub about: Option<SmolStr>,
    /// A call without it is refused.
    pub required: bool,
    /// What stands in for it where it is left out.
    pub default: Option<Json>,
    /// What its value says about the call.
    pub role: Option<Role>,
    /// Never shown to a model, refused from one.
    pub internal: bool,
    /// Part of the schema only where this holds over the facts of the session.
    pub available_when: Option<Template>,
    /// The whole field.
    pub place: Place,
}

/// What a field holds.
#[derive(Clone, Debug, PartialEq)]
pub enum FieldKind {
    /// Any text.
    String(TextBounds),
    /// The path of a file or directory.
    Path(TextBounds),
    /// An address; in templates it has `scheme`, `host`, `port`, `path` and `query`.
    Url(TextBounds),
    /// A whole number.
    Integer(Bounds<i64>),
    /// Any number.
    Number(Bounds<f64>),
    /// True or false.
    Boolean,
    /// One of some words.
    Enum(Vec<SmolStr>),
    /// A list.
    Array {
        /// What each item holds.
        of: Box<FieldKind>,
        /// How many items.
        length: Bounds<u64>,
    },
    /// An object with these fields; any fields where there are none.
    Object(Vec<Field>),
    /// Any JSON value.
    Json,
}

/// Smallest and largest value, both allowed themselves.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Bounds<T> {
    /// Smallest.
    pub min: Option<T>,
    /// Largest.
    pub max: Option<T>,
}

impl<T: PartialOrd + Copy> Bounds<T> {
    /// Whether a value lies within.
    #[must_use]
    pub fn hold(&self, value: T) -> bool {
        self.min.is_none_or(|min| value >= min) && self.max.is_none_or(|max| value <= max)
    }
}

/// What a text must be like.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TextBounds {
    /// How many characters.
    pub length: Bounds<u64>,
    /// A regular expression that must match somewhere in it.
    pub pattern: Option<Spanned<SmolStr>>,
}

impl FieldKind {
    /// The word that declares it.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Self::String(_) => "string",
            Self::Path(_) => "path",
            Self::Url(_) => "url",
            Self::Integer(_) => "integer",
            Self::Number(_) => "number",
            Self::Boolean => "boolean",
            Self::Enum(_) => "enum",
            Self::Array { .. } => "array",
            Self::Object(_) => "object",
            Self::Json => "json",
        }
    }
}
