//! The tree that both spellings are read into before it is given a meaning: nodes with arguments, properties and children.
//!
//! Invariant (places inside): every place lies inside the text that was read and on character boundaries.

use engine_shell::Span;
use smol_str::SmolStr;

use crate::source::{Place, Spanned};

/// One node: a name and what belongs to it.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// The name.
    pub name: Spanned<SmolStr>,
    /// Arguments in order.
    pub arguments: Vec<Argument>,
    /// Properties in order; each name occurs once.
    pub properties: Vec<Property>,
    /// Child nodes in order; `None` without a block.
    pub children: Option<Vec<Node>>,
    /// The whole node.
    pub place: Place,
    /// Whether a part of it could not be read, which is reported already: nothing is to be said about what is missing.
    pub broken: bool,
    /// Whether its block, or one inside it, is not closed, which is reported already: it holds whatever follows it in the text.
    pub unclosed: bool,
}

/// `name=value`.
#[derive(Clone, Debug, PartialEq)]
pub struct Property {
    /// The name.
    pub name: Spanned<SmolStr>,
    /// The value.
    pub value: Argument,
}

/// A value with what is needed to point into it.
#[derive(Clone, Debug, PartialEq)]
pub struct Argument {
    /// The value.
    pub value: Literal,
    /// The value with its quotes.
    pub place: Place,
    /// Where the characters of a text start, if they stand in the file exactly as they are in the value.
    pub(crate) content: Option<u32>,
}

/// A plain value.
#[derive(Clone, Debug, PartialEq)]
pub enum Literal {
    /// Text.
    Text(SmolStr),
    /// A whole number.
    Integer(i64),
    /// Any other number, as written.
    Number(SmolStr),
    /// A boolean.
    Boolean(bool),
    /// `#null`.
    Null,
    /// A date or time (TOML only), as written.
    Date(SmolStr),
}

/// A part of a KDL text that `/-` takes out.
#[derive(Clone, Debug, PartialEq)]
pub struct Disabled {
    /// Names of the nodes around it, the outermost first; for a node its own name is the last one.
    pub path: Vec<SmolStr>,
    /// The `/-` and what it takes out.
    pub place: Place,
}

impl Node {
    /// The child nodes, none without a block.
    #[must_use]
    pub fn children(&self) -> &[Self] {
        self.children.as_deref().unwrap_or_default()
    }

    /// The value of a property.
    #[must_use]
    pub fn property(&self, name: &str) -> Option<&Argument> {
        self.properties
            .iter()
            .find(|property| property.name.value == name)
            .map(|property| &property.value)
    }
}

impl Argument {
    /// The text, if it is one.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        match &self.value {
            Literal::Text(text) => Some(text),
            Literal::Integer(_)
            | Literal::Number(_)
            | Literal::Boolean(_)
            | Literal::Null
            | Literal::Date(_) => None,
        }
    }

    /// The place of some bytes of the text; the whole value where escapes keep them from being told apart.
    #[must_use]
    pub fn inside(&self, start: usize, end: usize) -> Place {
        let Some(content) = self.content else {
            return self.place;
        };
        let length = self.text().map_or(0, str::len);
        let (start, end) = (start.min(length), end.min(length));
        let content = content as usize;
        self.place
            .at(Span::new(content + start, content + end.max(start)))
    }
}

impl Literal {
    /// What it is, for messages.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Text(_) => "text",
            Self::Integer(_) => "a whole number",
            Self::Number(_) => "a number",
            Self::Boolean(_) => "a boolean",
            Self::Null => "null",
            Self::Date(_) => "a date",
        }
    }
}
