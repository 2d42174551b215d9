//! Reads blocks that hold only with certain options or operands.
//!
//! Invariant (listed options): a condition names options that are listed, and keeps their canonical names.

use std::ops::Range;

use kdl::{KdlEntry, KdlNode, KdlValue};
use smol_str::SmolStr;

use super::super::model::{Block, Flag, Test, ValueEffect};
use super::super::problem::nearest;
use super::super::words::{OWN, VALUE};
use super::Reader;
use super::node::{children, entry_span, node_span};

/// Block conditions before their flags are known: where the flag words stood.
type Pending = Vec<(SmolStr, Range<usize>)>;

impl Reader {
    pub(super) fn block(&mut self, node: &KdlNode, known: &[&[Flag]]) -> Option<Block> {
        self.props(node, &["flag", "value", "operands", "operand", "index", "fold"]);
        let mut block = Block {
            negated: node.name().value() == "unless",
            ..Block::default()
        };
        for entry in node.entries() {
            let Some(name) = entry.name().map(kdl::KdlIdentifier::value) else {
                self.problem(
                    entry_span(entry),
                    "a condition is a property",
                    Some("write when flag=\"-c\" { ... }".to_owned()),
                );
                continue;
            };
            match name {
                "flag" => {
                    let pending: Pending = entry
                        .value()
                        .as_string()
                        .unwrap_or_default()
                        .split_whitespace()
                        .map(|word| (SmolStr::new(word), entry_span(entry)))
                        .collect();
                    let flags = self.canonical(pending, known);
                    block.tests.push(match self.text_prop(node, "value") {
                        Some(words) => Test::Value {
                            flags,
                            words: words.split_whitespace().map(SmolStr::new).collect(),
                        },
                        None => Test::Flags(flags),
                    });
                }
                "value" if node.get("flag").is_none() => {
                    self.problem(
                        entry_span(entry),
                        "`value` needs the `flag` whose value it is",
                        None,
                    );
                }
                "operands" => block.tests.extend(self.operand_count(entry)),
                "operand" => {
                    let index = node.get("index").and_then(KdlValue::as_integer).unwrap_or(1);
                    let index = u32::try_from(index).unwrap_or(0);
                    if index == 0 {
                        self.problem(entry_span(entry), "`index` counts from 1", None);
                    }
                    let fold = self.switch_prop(node, "fold");
                    let words = entry
                        .value()
                        .as_string()
                        .unwrap_or_default()
                        .split_whitespace()
                        .map(|word| {
                            if fold {
                                SmolStr::new(word.to_lowercase())
                            } else {
                                SmolStr::new(word)
                            }
                        })
                        .collect();
                    block.tests.push(Test::Operand { words, index, fold });
                }
                _ => {}
            }
        }
        if block.tests.is_empty() {
            self.problem(
                node_span(node),
                "a block needs a condition",
                Some("`flag`, `operands` or `operand`".to_owned()),
            );
            return None;
        }
        let nodes: Vec<&KdlNode> = children(node).collect();
        for child in &nodes {
            let name = child.name().value();
            match name {
                "arg" => block.args.extend(self.arg(child)),
                "value" => block.values.extend(self.value_of_flag(child, known)),
                "when" | "unless" => block.blocks.extend(self.block(child, known)),
                _ if OWN.contains(&name) => block.own.extend(self.own(child)),
                _ => {
                    let mut words = OWN.to_vec();
                    words.extend(["arg", "value", "when", "unless"]);
                    self.unknown_node(child, &words);
                }
            }
        }
        self.args_in_order(&block.args, &nodes);
        Some(block)
    }

    /// What the value of an option is where a block holds.
    fn value_of_flag(&mut self, node: &KdlNode, known: &[&[Flag]]) -> Option<(SmolStr, Vec<ValueEffect>)> {
        self.props(node, &[]);
        let pending = vec![(self.text(node)?, node_span(node))];
        let name = self.canonical(pending, known).into_iter().next()?;
        let valued = known
            .iter()
            .flat_map(|flags| flags.iter())
            .any(|flag| *flag.canonical() == name && !flag.values.is_empty());
        if !valued {
            self.problem(node_span(node), format!("`{name}` has no value"), None);
        }
        let mut effects = Vec::new();
        for child in children(node) {
            if VALUE.contains(&child.name().value()) {
                effects.extend(self.value_effect(child));
            } else {
                self.unknown_node(child, VALUE);
            }
        }
        if let Some(runs) = effects.iter().position(|effect| effect.kind.runs().is_some()) {
            effects.remove(runs);
            self.problem(node_span(node), "`runs` is said where the option is listed", None);
        }
        Some((name, effects))
    }

    /// The canonical names of flags that a condition names.
    pub(super) fn canonical(&mut self, pending: Pending, known: &[&[Flag]]) -> Vec<SmolStr> {
        let mut out: Vec<SmolStr> = Vec::new();
        for (word, span) in pending {
            let flags = || known.iter().rev().flat_map(|flags| flags.iter());
            let found = flags().find(|flag| flag.names.contains(&word));
            if let Some(flag) = found {
                if !out.contains(flag.canonical()) {
                    out.push(flag.canonical().clone());
                }
            } else {
                let help = nearest(
                    &word,
                    flags().flat_map(|flag| flag.names.iter().map(SmolStr::as_str)),
                );
                self.problem(span, format!("no option `{word}` is listed"), help);
            }
        }
        out
    }

    fn operand_count(&mut self, entry: &KdlEntry) -> Option<Test> {
        let (least, most) = if let Some(count) = entry.value().as_integer() {
            (u32::try_from(count).ok(), u32::try_from(count).ok())
        } else {
            let text = entry.value().as_string().unwrap_or_default();
            match text.strip_suffix('+') {
                Some(least) => (least.parse().ok(), None),
                None => (text.parse().ok(), text.parse().ok()),
            }
        };
        let Some(least) = least else {
            self.problem(
                entry_span(entry),
                "`operands` is a number or \"1+\" for at least one",
                None,
            );
            return None;
        };
        Some(Test::Operands { least, most })
    }
}
