//! Puts the nodes of a `shared "name" { }` where `uses "name"` stands.
//!
//! Invariant (as if written there): what is read afterwards cannot tell a node that is shared from one that stands in its place, and
//! a problem in it has the place where it is written.

use std::collections::HashMap;

use kdl::{KdlDocument, KdlNode};
use smol_str::SmolStr;

use super::Reader;
use super::node::{children, node_span};

/// Nodes by the name they are shared under.
type Shared = HashMap<SmolStr, Vec<KdlNode>>;

/// Most nodes that one file comes to: lists that use lists could double with every line.
const MOST: usize = 100_000;

impl Reader {
    /// Takes the `shared` nodes out of a file, and puts what they hold where it is used.
    pub(super) fn put_shared(&mut self, document: &mut KdlDocument) {
        let mut shared = Shared::new();
        let mut left = MOST;
        let mut rest = Vec::new();
        for mut node in std::mem::take(document.nodes_mut()) {
            if node.name().value() != "shared" {
                rest.push(node);
                continue;
            }
            self.props(&node, &[]);
            let Some(name) = self.text(&node) else { continue };
            if children(&node).next().is_none() {
                self.problem(node_span(&node), "`shared` needs a block", None);
            }
            // A list can use those before it, and so none can use itself.
            if let Some(block) = node.children_mut() {
                self.put(block, &shared, &mut left);
            }
            let nodes = children(&node).cloned().collect();
            if shared.insert(name.clone(), nodes).is_some() {
                self.problem(node_span(&node), format!("`{name}` is shared twice"), None);
            }
        }
        document.nodes_mut().extend(rest);
        self.put(document, &shared, &mut left);
    }

    fn put(&mut self, document: &mut KdlDocument, shared: &Shared, left: &mut usize) {
        let mut out = Vec::new();
        for mut node in std::mem::take(document.nodes_mut()) {
            if node.name().value() != "uses" {
                if let Some(block) = node.children_mut() {
                    self.put(block, shared, left);
                }
                out.push(node);
                continue;
            }
            self.props(&node, &[]);
            self.no_children(&node);
            for name in self.texts(&node, 1) {
                match shared.get(&name) {
                    Some(nodes) if nodes.len() <= *left => {
                        *left -= nodes.len();
                        out.extend(nodes.iter().cloned());
                    }
                    Some(_) => self.problem(node_span(&node), "this file uses too many nodes", None),
                    None => self.problem(
                        node_span(&node),
                        format!("nothing before this is shared as `{name}`"),
                        None,
                    ),
                }
            }
        }
        document.nodes_mut().extend(out);
    }
}
