//! Steps that begin with a verb of their own: `state`, `task`, `mcp`.

use engine_policy::Spanned;
use engine_policy::read::Node;
use smol_str::SmolStr;

use crate::definition::read::block::Block;
use crate::definition::read::{Reader, advice};
use crate::definition::{McpStep, McpVerb, StateChange, StateStep, StateVerb, TaskStep, TaskVerb};

impl Reader<'_> {
    pub(super) fn state(&mut self, node: &Node, block: &mut Block<'_>) -> Option<StateStep> {
        const VERBS: &[&str] = &["get", "put", "update", "delete", "list"];
        let [verb, rest @ ..] = node.arguments.as_slice() else {
            self.missing(
                node,
                "verb",
                "write `get`, `put`, `update`, `delete` or `list` behind it",
            );
            return None;
        };
        let verb = self.text(verb)?;
        let looks = matches!(verb.value.as_str(), "get" | "list");
        let (name, rest) = if looks {
            let [name, rest @ ..] = rest else {
                self.missing(node, "name", "write a name for its result behind the verb");
                return None;
            };
            (Some(self.result_name(name)?), rest)
        } else {
            let name = block.setting(self, "as");
            (name.and_then(|name| self.result_name(name)), rest)
        };
        let [collection, rest @ ..] = rest else {
            self.missing(node, "collection", "say which collection the document belongs to");
            return None;
        };
        let collection = self.text(collection)?;
        let wanted = usize::from(verb.value != "list");
        self.no_more_arguments(node, 2 + usize::from(looks) + wanted);
        let key = rest.first().and_then(|argument| self.template(argument));
        let needs_key = matches!(verb.value.as_str(), "get" | "update" | "delete");
        if needs_key && key.is_none() {
            self.missing(node, "key", "write the key of the document behind the collection");
            return None;
        }
        let verb = match (verb.value.as_str(), key) {
            ("get", Some(key)) => StateVerb::Get { key },
            ("put", key) => StateVerb::Put {
                key,
                value: block.needed(self, "value")?,
                keep: block.template(self, "keep"),
            },
            ("update", Some(key)) => StateVerb::Update {
                key,
                changes: self.changes(block),
            },
            ("delete", Some(key)) => StateVerb::Delete { key },
            ("list", None) => StateVerb::List,
            _ => {
                let message = format!("`{}` is nothing that happens to a document", verb.value);
                self.error(
                    "tool::unknown-word",
                    message,
                    verb.place,
                    advice(&verb.value, VERBS),
                );
                return None;
            }
        };
        Some(StateStep {
            verb,
            name,
            collection,
        })
    }

    fn changes(&mut self, block: &mut Block<'_>) -> Vec<StateChange> {
        let mut changes: Vec<(&Node, StateChange)> = Vec::new();
        for node in block.nodes("set") {
            changes.extend(self.pair(node).map(|named| (node, StateChange::Set(named))));
        }
        for node in block.nodes("append") {
            changes.extend(self.pair(node).map(|named| (node, StateChange::Append(named))));
        }
        for node in block.nodes("merge") {
            changes.extend(self.pair(node).map(|named| (node, StateChange::Merge(named))));
        }
        for node in block.nodes("remove") {
            let names = self.texts(node);
            changes.extend(names.into_iter().map(|name| (node, StateChange::Remove(name))));
        }
        changes.sort_by_key(|(node, _)| node.place.span.start);
        changes.into_iter().map(|(_, change)| change).collect()
    }

    pub(super) fn task(&mut self, node: &Node, block: &mut Block<'_>) -> Option<TaskStep> {
        let (word, name) = self.verb_and_name(node, &["output", "stop", "list"])?;
        let verb = match word.as_str() {
            "output" => TaskVerb::Output {
                id: block.needed(self, "id")?,
                block: block.template(self, "block"),
                timeout: block.template(self, "timeout"),
            },
            "stop" => TaskVerb::Stop {
                id: block.needed(self, "id")?,
            },
            _ => TaskVerb::List,
        };
        Some(TaskStep { verb, name })
    }

    pub(super) fn mcp(&mut self, node: &Node, block: &mut Block<'_>) -> Option<McpStep> {
        let (word, name) = self.verb_and_name(node, &["resources", "read", "sign-in"])?;
        let verb = match word.as_str() {
            "resources" => McpVerb::Resources {
                server: block.template(self, "server"),
            },
            "read" => McpVerb::Read {
                server: block.needed(self, "server")?,
                uri: block.needed(self, "uri")?,
            },
            _ => McpVerb::SignIn {
                server: block.needed(self, "server")?,
            },
        };
        Some(McpStep { verb, name })
    }

    /// `VERB NAME`, the verb one of some.
    fn verb_and_name(&mut self, node: &Node, verbs: &[&str]) -> Option<(SmolStr, Spanned<SmolStr>)> {
        self.no_more_arguments(node, 2);
        let [verb, name, ..] = node.arguments.as_slice() else {
            let help = format!(
                "write one of `{}` and a name for the result behind it",
                verbs.join("`, `")
            );
            self.missing(node, "verb and name", &help);
            return None;
        };
        let verb = self.text(verb)?;
        let name = self.result_name(name);
        if !verbs.contains(&verb.value.as_str()) {
            let message = format!("`{}` is no verb of `{}`", verb.value, node.name.value);
            self.error(
                "tool::unknown-word",
                message,
                verb.place,
                advice(&verb.value, verbs),
            );
            return None;
        }
        Some((verb.value, name?))
    }
}
