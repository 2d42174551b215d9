//! A node whose parts are asked for by name; what nobody asked for is an error.
//!
//! A setting is a property (`chars=20000`) or a child with one argument (`chars 20000`): both say the same.

use engine_policy::read::{Argument, Literal, Node};
use engine_policy::{Diagnostic, Spanned};
use smol_str::SmolStr;

use super::{Reader, advice};
use crate::template::Template;

/// A node while it is read.
pub(super) struct Block<'n> {
    pub(super) node: &'n Node,
    known: Vec<&'static str>,
    taken: Vec<*const Node>,
    any_property: bool,
}

impl<'n> Block<'n> {
    pub(super) fn new(node: &'n Node) -> Self {
        Self {
            node,
            known: Vec::new(),
            taken: Vec::new(),
            any_property: false,
        }
    }

    /// The children of a name, each of which means something on its own.
    pub(super) fn nodes(&mut self, name: &'static str) -> Vec<&'n Node> {
        self.known.push(name);
        let found: Vec<&Node> = self
            .node
            .children()
            .iter()
            .filter(|child| child.name.value == name)
            .collect();
        self.taken
            .extend(found.iter().map(|node| std::ptr::from_ref(*node)));
        found
    }

    /// The one child of a name.
    pub(super) fn node(&mut self, reader: &mut Reader<'_>, name: &'static str) -> Option<&'n Node> {
        let found = self.nodes(name);
        let mut found = found.into_iter();
        let first = found.next()?;
        for second in found {
            reader.twice(name, &second.name, &first.name);
        }
        Some(first)
    }

    /// A setting of a name: exactly one value.
    pub(super) fn setting(&mut self, reader: &mut Reader<'_>, name: &'static str) -> Option<&'n Argument> {
        let child = self.node(reader, name);
        let property = self
            .node
            .properties
            .iter()
            .find(|property| property.name.value == name);
        if let (Some(property), Some(child)) = (property, child) {
            reader.twice(name, &child.name, &property.name);
        }
        if let Some(property) = property {
            return Some(&property.value);
        }
        let child = child?;
        let mut inner = Block::new(child);
        inner.finish(reader);
        reader.one_argument(child)
    }

    pub(super) fn text(&mut self, reader: &mut Reader<'_>, name: &'static str) -> Option<Spanned<SmolStr>> {
        let argument = self.setting(reader, name)?;
        reader.text(argument)
    }

    pub(super) fn template(&mut self, reader: &mut Reader<'_>, name: &'static str) -> Option<Template> {
        let argument = self.setting(reader, name)?;
        reader.template(argument)
    }

    /// A template that must be there.
    pub(super) fn needed(&mut self, reader: &mut Reader<'_>, name: &'static str) -> Option<Template> {
        let before = reader.errors();
        let found = self.template(reader, name);
        if found.is_none() && reader.errors() == before {
            reader.missing(self.node, &format!("`{name}`"), &format!("add `{name}=\"...\"`"));
        }
        found
    }

    pub(super) fn number<T: TryFrom<i64>>(
        &mut self,
        reader: &mut Reader<'_>,
        name: &'static str,
    ) -> Option<T> {
        let argument = self.setting(reader, name)?;
        reader.number(argument)
    }

    /// A switch: a child without a value, or a boolean.
    pub(super) fn switch(&mut self, reader: &mut Reader<'_>, name: &'static str) -> bool {
        let bare = self
            .node
            .children()
            .iter()
            .find(|child| child.name.value == name && child.arguments.is_empty());
        if let Some(child) = bare {
            self.nodes(name);
            let mut inner = Block::new(child);
            inner.finish(reader);
            return true;
        }
        let argument = self.setting(reader, name);
        argument.and_then(|argument| reader.boolean(argument)) == Some(true)
    }

    /// Children that nobody asked for by name.
    pub(super) fn rest(&mut self) -> Vec<&'n Node> {
        let rest: Vec<&Node> = self
            .node
            .children()
            .iter()
            .filter(|child| !self.taken.contains(&std::ptr::from_ref(*child)))
            .collect();
        self.taken
            .extend(rest.iter().map(|node| std::ptr::from_ref(*node)));
        rest
    }

    /// Properties that nobody asked for by name.
    pub(super) fn rest_of_properties(&mut self) -> Vec<(&'n Spanned<SmolStr>, &'n Argument)> {
        let known = std::mem::take(&mut self.known);
        let rest = self
            .node
            .properties
            .iter()
            .filter(|property| !known.contains(&property.name.value.as_str()))
            .map(|property| (&property.name, &property.value))
            .collect();
        self.known = known;
        rest
    }

    /// Every property has a meaning.
    pub(super) fn keep_properties(&mut self) {
        self.any_property = true;
    }

    /// Refuses properties and children that nobody asked for.
    pub(super) fn finish(&mut self, reader: &mut Reader<'_>) {
        self.finish_properties(reader);
        for child in self.rest() {
            let within = format!("in `{}`", self.node.name.value);
            reader.unknown(&child.name, &self.known, &within);
        }
    }

    /// Refuses properties that nobody asked for.
    pub(super) fn finish_properties(&self, reader: &mut Reader<'_>) {
        for property in &self.node.properties {
            if !self.any_property && !self.known.contains(&property.name.value.as_str()) {
                let message = format!(
                    "unknown property `{}` of `{}`",
                    property.name.value, self.node.name.value
                );
                let help = advice(&property.name.value, &self.known);
                reader.error("tool::unknown-property", message, property.name.place, help);
            }
        }
    }
}

impl Reader<'_> {
    pub(super) fn twice(&mut self, name: &str, second: &Spanned<SmolStr>, first: &Spanned<SmolStr>) {
        let diagnostic = Diagnostic::error(
            "tool::duplicate",
            format!("`{name}` is given twice"),
            second.place,
        );
        self.diagnostics.push(
            diagnostic
                .label(first.place, "first given here")
                .help("remove one of them"),
        );
    }

    /// The only argument of a node.
    pub(super) fn one_argument<'n>(&mut self, node: &'n Node) -> Option<&'n Argument> {
        match node.arguments.as_slice() {
            [argument] => Some(argument),
            [] => {
                self.missing(node, "value", "write the value behind the name");
                None
            }
            [_, second, ..] => {
                self.error(
                    "tool::unexpected-argument",
                    format!("`{}` has one value", node.name.value),
                    second.place,
                    "remove all but the first",
                );
                None
            }
        }
    }

    /// Refuses arguments behind the first ones.
    pub(super) fn no_more_arguments(&mut self, node: &Node, kept: usize) {
        if let Some(further) = node.arguments.get(kept) {
            let message = match kept {
                0 => format!("`{}` has no values", node.name.value),
                1 => format!("`{}` has one value", node.name.value),
                _ => format!("`{}` has {kept} values", node.name.value),
            };
            self.error("tool::unexpected-argument", message, further.place, "remove it");
        }
    }

    /// All arguments as texts, at least one.
    pub(super) fn texts(&mut self, node: &Node) -> Vec<Spanned<SmolStr>> {
        Block::new(node).finish(self);
        if node.arguments.is_empty() {
            self.missing(node, "value", "write at least one value behind the name");
        }
        node.arguments
            .iter()
            .filter_map(|argument| self.text(argument))
            .collect()
    }

    /// A time as `500ms`, `20s`, `15m`, `2h` or `1d`, in milliseconds; a bare number counts milliseconds.
    pub(super) fn duration(&mut self, argument: &Argument) -> Option<u64> {
        let milliseconds = match &argument.value {
            Literal::Integer(value) => u64::try_from(*value).ok(),
            Literal::Text(text) => parse_duration(text),
            Literal::Number(_) | Literal::Boolean(_) | Literal::Null | Literal::Date(_) => None,
        };
        if milliseconds.is_none() {
            let help = "write it as `500ms`, `20s`, `15m`, `2h` or `1d`";
            self.wrong_type(argument, "a time", help);
        }
        milliseconds
    }
}

fn parse_duration(text: &str) -> Option<u64> {
    let end = text.find(|c: char| !c.is_ascii_digit())?;
    let (number, unit) = text.split_at_checked(end)?;
    let factor = match unit {
        "ms" => 1,
        "s" => 1_000,
        "m" => 60_000,
        "h" => 3_600_000,
        "d" => 86_400_000,
        _ => return None,
    };
    number.parse::<u64>().ok()?.checked_mul(factor)
}
