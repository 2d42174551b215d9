//! `tests`: calls and the verdicts they must get.

use super::Decoder;
use crate::document::{Mode, Outcome, Shell, TestCalls, TestCase};
use crate::read::node::Node;
use crate::source::Spanned;

/// Properties of a test that are not fields of a tool's input.
const PROPERTIES: &[&str] = &["rule", "cwd", "mode", "shell", "via"];

impl Decoder<'_> {
    pub(super) fn tests(&mut self, node: &Node) {
        self.no_arguments(node);
        self.properties(node, &[]);
        for child in node.children() {
            let Some(outcome) = Outcome::from_word(&child.name.value) else {
                self.unknown_name(&child.name, &["allow", "ask", "deny"], "in `tests`");
                continue;
            };
            let Some(calls) = self.calls(child) else { continue };
            let via = child.property("via").and_then(|argument| self.text(argument));
            let case = TestCase {
                verdict: Spanned::new(outcome, child.name.place),
                calls,
                rule: child.property("rule").and_then(|argument| self.text(argument)),
                cwd: child.property("cwd").and_then(|argument| self.text(argument)),
                via,
                mode: child
                    .property("mode")
                    .and_then(|argument| self.word(argument, Mode::ALL, "a mode")),
                shell: child
                    .property("shell")
                    .and_then(|argument| self.word(argument, Shell::ALL, "a known shell")),
            };
            self.document.tests.push(Spanned::new(case, child.place));
        }
    }

    /// Commands, or one call of a tool. Fields of its input are properties, or stand in an `input` child where their names are
    /// those of properties of a test.
    fn calls(&mut self, node: &Node) -> Option<TestCalls> {
        let Some(tool) = node.property("tool") else {
            let mut known = PROPERTIES.to_vec();
            known.push("tool");
            self.properties(node, &known);
            self.no_children(node);
            self.some_arguments(node);
            let commands = node
                .arguments
                .iter()
                .filter_map(|argument| self.text(argument))
                .collect();
            return Some(TestCalls::Commands(commands));
        };
        let name = self.text(tool)?;
        self.no_arguments(node);
        let mut fields = Vec::new();
        for property in &node.properties {
            if !PROPERTIES.contains(&property.name.value.as_str()) && property.name.value != "tool" {
                fields.push(property);
            }
        }
        for child in node.children() {
            if child.name.value == "input" {
                self.no_arguments(child);
                self.no_children(child);
                fields.extend(&child.properties);
            } else {
                self.unknown_name(&child.name, &["input"], "in a test");
            }
        }
        let input = fields
            .into_iter()
            .filter_map(|field| Some((field.name.clone(), self.scalar(&field.value)?)))
            .collect();
        Some(TestCalls::Tool { name, input })
    }
}
