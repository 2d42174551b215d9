//! TOML tables as nodes by one rule, for files that are no policies.
//!
//! Invariant (nothing is dropped): a value that is neither an argument nor a node becomes a diagnostic.

use smol_str::SmolStr;

use super::tree::{Fields, Tree, node};
use crate::diagnostic::Diagnostic;
use crate::read::node::{Argument, Node};
use crate::source::{Place, Spanned};

/// The key whose tables stand for themselves.
const NODES: &str = "nodes";

/// The key that names the node of a table.
const NODE: &str = "node";

/// The key of a table that holds the arguments.
const ARGUMENTS: &str = "args";

/// Nodes of a table, in the order of the text.
pub(super) fn nodes(root: &Fields) -> (Vec<Node>, Vec<Diagnostic>) {
    let mut plain = Plain::default();
    let nodes = plain.fields(root, &[]);
    (nodes, plain.diagnostics)
}

#[derive(Default)]
struct Plain {
    diagnostics: Vec<Diagnostic>,
}

impl Plain {
    fn wrong(&mut self, message: String, place: Place, help: &str) {
        self.diagnostics
            .push(Diagnostic::error("policy::wrong-type", message, place).help(help));
    }

    fn fields(&mut self, table: &Fields, except: &[&str]) -> Vec<Node> {
        let mut out = Vec::new();
        for (key, value) in &table.fields {
            if except.contains(&key.value.as_str()) {
                continue;
            }
            match value {
                Tree::Scalar(argument) => {
                    let mut node = node(key, argument.place);
                    node.arguments.push(argument.clone());
                    out.push(node);
                }
                Tree::Table(inner) => out.push(self.table(key, inner)),
                Tree::List(items, place) => self.list(key, items, *place, &mut out),
            }
        }
        out
    }

    fn list(&mut self, key: &Spanned<SmolStr>, items: &[Tree], place: Place, out: &mut Vec<Node>) {
        let tables: Vec<&Fields> = items
            .iter()
            .filter_map(|item| match item {
                Tree::Table(table) => Some(table),
                Tree::Scalar(_) | Tree::List(..) => None,
            })
            .collect();
        if tables.is_empty() {
            let mut node = node(key, place);
            node.arguments = self.scalars(key, items);
            out.push(node);
            return;
        }
        if tables.len() != items.len() {
            self.wrong(
                format!("`{}` holds both tables and other values", key.value),
                place,
                "make it a list of tables, or of values",
            );
        }
        if tables.iter().all(|table| table.get(NODE).is_none()) && key.value != NODES {
            for table in tables {
                out.push(self.table(key, table));
            }
            return;
        }
        let named: Vec<Node> = tables.into_iter().filter_map(|table| self.named(table)).collect();
        if key.value == NODES {
            out.extend(named);
        } else {
            let mut whole = node(key, place);
            whole.children = Some(named);
            out.push(whole);
        }
    }

    /// A table that says which node it is.
    fn named(&mut self, table: &Fields) -> Option<Node> {
        let name = match table.get(NODE) {
            Some(Tree::Scalar(argument)) => argument
                .text()
                .map(|text| Spanned::new(SmolStr::from(text), argument.place)),
            Some(Tree::List(..) | Tree::Table(_)) | None => None,
        };
        let Some(name) = name else {
            self.wrong(
                "this table does not say its `node`".to_owned(),
                table.place,
                "add `node = \"name\"`, as the other tables of the list have it",
            );
            return None;
        };
        Some(self.table(&name, table))
    }

    fn table(&mut self, key: &Spanned<SmolStr>, table: &Fields) -> Node {
        let mut node = node(key, table.place);
        if let Some(value) = table.get(ARGUMENTS) {
            node.arguments = self.scalars(key, value.items());
        }
        let children = self.fields(table, &[ARGUMENTS, NODE]);
        node.children = (!children.is_empty()).then_some(children);
        node
    }

    fn scalars(&mut self, key: &Spanned<SmolStr>, items: &[Tree]) -> Vec<Argument> {
        let mut out = Vec::new();
        for item in items {
            match item {
                Tree::Scalar(argument) => out.push(argument.clone()),
                Tree::List(..) | Tree::Table(_) => self.wrong(
                    format!("`{}` must be a value or a list of values", key.value),
                    item.place(),
                    "write plain values",
                ),
            }
        }
        out
    }
}
