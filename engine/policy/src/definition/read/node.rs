//! Reads the parts of one node: its texts, properties and block, and where they stand.
//!
//! Invariant (nothing skipped): a property that is neither known nor of the usage specification, and a text or block where
//! none belongs, is a problem.

use std::ops::Range;

use kdl::{KdlDocument, KdlEntry, KdlNode, KdlValue};
use smol_str::SmolStr;

use super::super::problem::{Problem, Weight, nearest};
use super::super::words::{BODY, IGNORED_PROPS, VALUE};
use super::Reader;

impl Reader {
    pub(super) fn problem(&mut self, span: Range<usize>, message: impl Into<String>, help: Option<String>) {
        // What a tool says of itself only makes verdicts stricter, so that less of it is no danger.
        let weight = if self.published {
            Weight::Warning
        } else {
            Weight::Error
        };
        self.problems.push(Problem {
            message: message.into(),
            label: String::new(),
            help,
            span,
            weight,
        });
    }

    /// The texts of a node, at least `least` of them.
    pub(super) fn texts(&mut self, node: &KdlNode, least: usize) -> Vec<SmolStr> {
        let mut out = Vec::new();
        for entry in node.entries().iter().filter(|entry| entry.name().is_none()) {
            match entry.value() {
                KdlValue::String(text) => out.push(SmolStr::new(text)),
                KdlValue::Integer(number) => out.push(SmolStr::new(number.to_string())),
                KdlValue::Float(_) | KdlValue::Bool(_) | KdlValue::Null => {
                    self.problem(entry_span(entry), "a text is needed here", None);
                }
            }
        }
        if out.len() < least {
            self.problem(
                node_span(node),
                format!("`{}` needs a text", node.name().value()),
                None,
            );
        }
        out
    }

    pub(super) fn text(&mut self, node: &KdlNode) -> Option<SmolStr> {
        let texts = self.texts(node, 1);
        if texts.len() > 1 {
            self.problem(
                node_span(node),
                format!("`{}` takes one text", node.name().value()),
                None,
            );
        }
        texts.into_iter().next()
    }

    pub(super) fn text_prop(&mut self, node: &KdlNode, name: &str) -> Option<SmolStr> {
        let entry = node.entry(name)?;
        let text = entry.value().as_string().map(SmolStr::new);
        if text.is_none() {
            self.problem(entry_span(entry), format!("`{name}` is a text"), None);
        }
        text
    }

    pub(super) fn switch_prop(&mut self, node: &KdlNode, name: &str) -> bool {
        let Some(entry) = node.entry(name) else {
            return false;
        };
        entry.value().as_bool().unwrap_or_else(|| {
            self.problem(entry_span(entry), format!("`{name}` is #true or #false"), None);
            false
        })
    }

    pub(super) fn props(&mut self, node: &KdlNode, known: &[&str]) {
        for entry in node.entries() {
            if let Some(name) = entry.name().map(kdl::KdlIdentifier::value)
                && !known.contains(&name)
                && !IGNORED_PROPS.contains(&name)
            {
                self.unknown_prop(entry, name, known);
            }
        }
    }

    pub(super) fn unknown_prop(&mut self, entry: &KdlEntry, name: &str, known: &[&str]) {
        let help = nearest(name, known.iter().copied());
        self.problem(entry_span(entry), format!("unknown property `{name}`"), help);
    }

    pub(super) fn unknown_node(&mut self, node: &KdlNode, known: &[&str]) {
        let name = node.name().value();
        let help = nearest(name, known.iter().copied());
        let message = if BODY.contains(&name) || VALUE.contains(&name) {
            format!("`{name}` cannot stand here")
        } else {
            format!("unknown node `{name}`")
        };
        self.problem(node_span(node), message, help);
    }

    pub(super) fn no_children(&mut self, node: &KdlNode) {
        if children(node).next().is_some() {
            self.problem(
                node_span(node),
                format!("`{}` takes no block", node.name().value()),
                None,
            );
        }
    }

    pub(super) fn bare(&mut self, node: &KdlNode) {
        self.no_children(node);
        if !node.entries().is_empty() {
            self.problem(
                node_span(node),
                format!("`{}` stands alone", node.name().value()),
                None,
            );
        }
    }
}

pub(super) fn node_span(node: &KdlNode) -> Range<usize> {
    let span = node.name().span();
    span.offset()..span.offset() + span.len()
}

pub(super) fn entry_span(entry: &KdlEntry) -> Range<usize> {
    let span = entry.span();
    span.offset()..span.offset() + span.len()
}

pub(super) fn children(node: &KdlNode) -> impl Iterator<Item = &KdlNode> {
    node.children().into_iter().flat_map(KdlDocument::nodes)
}
