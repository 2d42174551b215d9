//! What only specifications have that tools publish of themselves: telling one from a definition, sets of flags, texts for people.
//!
//! Invariant (nothing run): commands that a specification names for completions or for further subcommands are texts that are skipped.

use std::ops::Range;

use kdl::{KdlDocument, KdlNode, KdlValue};
use smol_str::SmolStr;

use super::super::model::{Block, Flag, Own, Test};
use super::super::notes::CommandNote;
use super::super::problem::nearest;
use super::super::words::{ENGINE_NODES, ENGINE_PROPS, IGNORED, IGNORED_PROPS, OWN, VALUE};
use super::Reader;
use super::node::{children, node_span};

/// A named set of flags, each with its place.
pub(super) type FlagSet = (SmolStr, Vec<(Flag, Range<usize>)>);

/// Whether a file is a specification as a tool publishes it: it has words that only such files have, and none of the engine's own.
pub(super) fn is_published(document: &KdlDocument) -> bool {
    let mut of_the_specification = false;
    let mut open: Vec<&KdlNode> = document.nodes().iter().collect();
    while let Some(node) = open.pop() {
        let name = node.name().value();
        let effect = VALUE.contains(&name) || OWN.contains(&name);
        let bare_complete = name == "complete" && node.entries().is_empty();
        if bare_complete || ENGINE_NODES.contains(&name) || (effect && name != "effect") {
            return false;
        }
        for property in node.entries().iter().filter_map(|entry| entry.name()) {
            if ENGINE_PROPS.contains(&property.value()) {
                return false;
            }
            of_the_specification |= IGNORED_PROPS.contains(&property.value());
        }
        of_the_specification |= name == "complete" || IGNORED.contains(&name);
        // Below other nodes stand texts, settings and choices, whose names mean something else.
        if matches!(name, "cmd" | "flag" | "arg" | "clause" | "flagset") {
            open.extend(children(node));
        }
    }
    of_the_specification
}

impl Reader {
    /// Keeps what a person is told of the command that is being read.
    pub(super) fn note(&mut self, at: usize, about: SmolStr, nodes: &[&KdlNode]) {
        let effect = nodes.iter().find_map(|node| {
            let value = match node.name().value() {
                "effect" => node.get(0),
                "cmd" => node.get("effect"),
                _ => None,
            };
            value.and_then(KdlValue::as_string).map(SmolStr::new)
        });
        self.notes.push(CommandNote {
            path: self.path.join(" ").into(),
            line: 0,
            about,
            effect: effect.unwrap_or_default(),
        });
        self.offsets.push(at);
    }

    /// The line of help of a subcommand.
    pub(super) fn about_of(node: &KdlNode, body: &[&KdlNode]) -> SmolStr {
        let property = node.get("help").and_then(KdlValue::as_string);
        let child = body
            .iter()
            .find(|child| matches!(child.name().value(), "about" | "help"))
            .and_then(|child| child.get(0))
            .and_then(KdlValue::as_string);
        let text = property.or(child).unwrap_or_default();
        SmolStr::new(text.lines().next().unwrap_or_default())
    }

    /// What a command does where an operand is given that is said to have an effect; `before` operands stand in front of it.
    pub(super) fn effect_of_arg(&mut self, node: &KdlNode, before: usize) -> Option<Block> {
        Some(Block {
            tests: vec![Test::Operands {
                least: u32::try_from(before).ok()?.checked_add(1)?,
                most: None,
            }],
            own: vec![self.stated_effect(node)?],
            ..Block::default()
        })
    }

    /// An effect that is said as a property or as a child.
    pub(super) fn stated_effect(&mut self, node: &KdlNode) -> Option<Own> {
        let child = children(node).find(|child| child.name().value() == "effect");
        match child {
            Some(child) => self.own(child),
            None => self.effect_prop(node),
        }
    }

    /// The sets of flags of a file, each with those that it takes in.
    pub(super) fn flagsets(&mut self, nodes: &[&KdlNode]) -> Vec<FlagSet> {
        let sets: Vec<(SmolStr, &KdlNode)> = nodes
            .iter()
            .filter(|node| node.name().value() == "flagset")
            .filter_map(|node| Some((self.text(node)?, *node)))
            .collect();
        for (at, (name, node)) in sets.iter().enumerate() {
            if sets.iter().take(at).any(|(other, _)| other == name) {
                self.problem(node_span(node), format!("the set `{name}` is given twice"), None);
            }
        }
        // Each round takes in one level more, so that cycles end by themselves.
        let mut known: Vec<FlagSet> = Vec::new();
        for (name, node) in &sets {
            let mut flags = Vec::new();
            for child in children(node) {
                match child.name().value() {
                    "flag" => flags.extend(self.flag(child)),
                    "use" => {}
                    _ => self.unknown_node(child, &["flag", "use"]),
                }
            }
            known.push((name.clone(), flags));
        }
        for _ in 0..sets.len() {
            let before = known.clone();
            for ((_, flags), (_, node)) in known.iter_mut().zip(&sets) {
                for wanted in children(node).filter(|child| child.name().value() == "use") {
                    for name in wanted
                        .entries()
                        .iter()
                        .filter_map(|entry| entry.value().as_string())
                    {
                        let Some((_, others)) = before.iter().find(|(own, _)| own == name) else {
                            continue;
                        };
                        for (flag, span) in others {
                            if !flags.iter().any(|(own, _)| overlap(own, flag)) {
                                flags.push((flag.clone(), span.clone()));
                            }
                        }
                    }
                }
            }
            if before == known {
                break;
            }
        }
        known
    }

    /// Takes the flags of sets into those of a command; what the command says itself counts.
    pub(super) fn take_in(&mut self, node: &KdlNode, flags: &mut Vec<Flag>) {
        for name in self.texts(node, 1) {
            let Some((_, set)) = self.flagsets.iter().find(|(own, _)| *own == name) else {
                // A set may stand in a file that is included.
                let known: Vec<SmolStr> = self.flagsets.iter().map(|(own, _)| own.clone()).collect();
                let help = nearest(&name, known.iter().map(SmolStr::as_str));
                self.problem(node_span(node), format!("there is no set `{name}`"), help);
                continue;
            };
            for (flag, _) in set.clone() {
                if !flags.iter().any(|own| overlap(own, &flag)) {
                    flags.push(flag);
                }
            }
        }
    }
}

fn overlap(one: &Flag, other: &Flag) -> bool {
    one.names.iter().any(|name| other.names.contains(name))
}
