//! Reads what is done with a value, and what a program does by itself.
//!
//! Invariant (nothing skipped): an effect with a property or text that it does not take is a problem.

use std::ops::Range;

use kdl::{KdlNode, KdlValue};
use smol_str::SmolStr;

use super::super::model::{Appends, Follows, OrPath, Own, Runs, ValueEffect, ValueKind};
use super::super::problem::nearest;
use super::super::shape::{Renaming, Shape};
use super::super::words::{OWN, VALUE};
use super::Reader;
use super::node::{entry_span, node_span};

impl Reader {
    pub(super) fn value_effect(&mut self, node: &KdlNode) -> Option<ValueEffect> {
        let name = node.name().value();
        let own_props: &[&str] = match name {
            "connects" => &["or", "follows"],
            "runs" => &[
                "until",
                "until-plus",
                "placeholder",
                "placeholder-from",
                "appends",
                "assignments",
            ],
            "runs-shell" => &["remote", "shell", "each"],
            "changes-directory" => &["following"],
            "reads-tree" => &["follows"],
            "writes" | "writes-into" => &["suffix", "suffix-from", "without", "without-from", "open"],
            _ => &[],
        };
        let mut props = vec![
            "at", "keep", "fold", "after", "every", "before", "list", "special", "url", "dash",
        ];
        props.extend(own_props);
        self.props(node, &props);
        let takes_text = matches!(name, "evaluates");
        if takes_text {
            self.no_children(node);
        } else {
            for entry in node.entries().iter().filter(|entry| entry.name().is_none()) {
                self.problem(
                    entry_span(entry),
                    format!("`{name}` takes no text: it is said of the value"),
                    None,
                );
            }
            self.no_children(node);
        }
        let kind = match name {
            "reads" => ValueKind::Reads,
            "reads-tree" => ValueKind::ReadsTree,
            "writes" => ValueKind::Writes,
            "writes-into" => ValueKind::WritesInto,
            "writes-tree" => ValueKind::WritesTree,
            "creates" => ValueKind::Creates,
            "deletes" => ValueKind::Deletes,
            "deletes-tree" => ValueKind::DeletesTree,
            "links" => ValueKind::Links,
            "connects" => ValueKind::Connects {
                or: match node.get("or").map(KdlValue::as_string) {
                    None => None,
                    Some(Some("path" | "reads")) => Some(OrPath::Read),
                    Some(Some("writes")) => Some(OrPath::Write),
                    Some(Some("reads-file")) => Some(OrPath::ReadFile),
                    Some(Some("writes-file")) => Some(OrPath::WriteFile),
                    Some(_) => {
                        self.problem(
                            node_span(node),
                            "`or` is `path`, `reads`, `reads-file`, `writes` or `writes-file`",
                            None,
                        );
                        None
                    }
                },
            },
            "runs" => ValueKind::Runs(Box::new(Runs {
                until: self.text_prop(node, "until"),
                until_plus: self.text_prop(node, "until-plus"),
                placeholder: self.text_prop(node, "placeholder"),
                placeholder_from: self.text_prop(node, "placeholder-from"),
                appends: match node.get("appends").map(KdlValue::as_string) {
                    None => None,
                    Some(Some("stdin")) => Some(Appends::Stdin),
                    Some(Some("stdin-nul")) => Some(Appends::StdinNul),
                    Some(Some("stdin-words")) => Some(Appends::StdinWords),
                    Some(Some("stdin-lines")) => Some(Appends::StdinLines),
                    Some(Some("paths")) => Some(Appends::Paths),
                    Some(_) => {
                        self.problem(
                            node_span(node),
                            "`appends` is `stdin`, `stdin-nul`, `stdin-words`, `stdin-lines` or `paths`",
                            None,
                        );
                        None
                    }
                },
                assignments: self.switch_prop(node, "assignments"),
            })),
            "runs-split" => ValueKind::RunsSplit,
            "runs-shell" => ValueKind::RunsShell {
                remote: self.switch_prop(node, "remote"),
                shell: self.text_prop(node, "shell"),
                each: self.switch_prop(node, "each"),
            },
            "evaluates" => ValueKind::Evaluates(self.text(node)?),
            "loads-code" => ValueKind::LoadsCode,
            "sets-env" => ValueKind::SetsEnv,
            "changes-directory" => ValueKind::ChangesDirectory {
                following: self.switch_prop(node, "following"),
            },
            "narrows" => ValueKind::Narrows,
            "excludes" => ValueKind::Excludes,
            "appears" => ValueKind::Appears,
            _ => {
                self.unknown_node(node, VALUE);
                return None;
            }
        };
        let dash = match node.get("dash") {
            Some(value) => value.as_bool().unwrap_or(true),
            None => true,
        };
        Some(ValueEffect {
            kind,
            shape: self.shape(node),
            renaming: self.renaming(node),
            follows: self.follows(node),
            dash,
        })
    }

    fn shape(&mut self, node: &KdlNode) -> Shape {
        Shape {
            at: self.text_prop(node, "at"),
            keep: self.switch_prop(node, "keep"),
            fold: self.switch_prop(node, "fold"),
            after: self.text_prop(node, "after"),
            every: self.switch_prop(node, "every"),
            before: self.text_prop(node, "before"),
            list: self.text_prop(node, "list"),
            special: self.text_prop(node, "special"),
            url: self.switch_prop(node, "url"),
        }
    }

    fn renaming(&mut self, node: &KdlNode) -> Renaming {
        Renaming {
            suffix: self.text_prop(node, "suffix"),
            suffix_from: self.text_prop(node, "suffix-from"),
            without: self
                .text_prop(node, "without")
                .unwrap_or_default()
                .split_whitespace()
                .map(|word| match word.split_once(':') {
                    Some((ending, instead)) => (SmolStr::new(ending), SmolStr::new(instead)),
                    None => (SmolStr::new(word), SmolStr::default()),
                })
                .collect(),
            without_from: self.text_prop(node, "without-from"),
            open: self.switch_prop(node, "open"),
        }
    }

    fn follows(&mut self, node: &KdlNode) -> Follows {
        match node.get("follows") {
            None => Follows::No,
            Some(value) if value.as_bool() == Some(true) => Follows::Always,
            Some(value) if value.as_bool() == Some(false) => Follows::No,
            Some(value) if value.as_string() == Some("seen") => Follows::Seen,
            Some(_) => {
                self.problem(node_span(node), "`follows` is #true or \"seen\"", None);
                Follows::Always
            }
        }
    }

    pub(super) fn own(&mut self, node: &KdlNode) -> Option<Own> {
        let name = node.name().value();
        self.props(
            node,
            match name {
                "loads-code" => &["keys", "because"],
                "prints-paths" => &["bare"],
                "warns" => &["containing"],
                _ => &[],
            },
        );
        self.no_children(node);
        Some(match name {
            "effect" => {
                let text = self.text(node)?;
                return self.effect(&text, node_span(node));
            }
            "network" => Own::Network,
            "privileged" => Own::Privileged,
            "background" => Own::Background,
            "interactive" => Own::Interactive,
            "reads-stdin" => Own::ReadsStdin,
            "runs-stdin" => Own::RunsStdin(self.text(node)?),
            "state" => Own::State(self.text(node)?),
            "prints-paths" => Own::PrintsPaths {
                arg: self.text(node)?,
                bare: self.switch_prop(node, "bare"),
            },
            "unknown" => Own::Unknown(self.text(node)?),
            "narrows" => Own::Narrows(self.texts(node, 1)),
            "reads-among" => Own::ReadsAmong(self.text(node)?),
            "reads-listed" => Own::ReadsListed(self.text(node)?),
            "writes-listed" => Own::WritesListed(self.text(node)?),
            "connects" => {
                self.problem(
                    node_span(node),
                    "`connects` is said of a value",
                    Some("`network` is a connection that no operand names".to_owned()),
                );
                return None;
            }
            "evaluates" => Own::Evaluates(self.text(node)?),
            "reads" | "reads-tree" => Own::Reads {
                path: self.text(node)?,
                tree: name == "reads-tree",
            },
            "writes" | "writes-tree" => Own::Writes {
                path: self.text(node)?,
                tree: name == "writes-tree",
            },
            "loads-code" => Own::Consults {
                file: self.text(node)?,
                keys: self
                    .text_prop(node, "keys")
                    .unwrap_or_default()
                    .split_whitespace()
                    .map(SmolStr::new)
                    .collect(),
                because: self.text_prop(node, "because"),
            },
            "runs-default" => Own::RunsDefault(self.texts(node, 1)),
            "warns" => Own::Warns {
                text: self.text(node)?,
                containing: self
                    .text_prop(node, "containing")
                    .iter()
                    .flat_map(|all| all.split('|'))
                    .map(SmolStr::new)
                    .collect(),
            },
            _ => {
                self.unknown_node(node, OWN);
                return None;
            }
        })
    }

    fn effect(&mut self, text: &str, span: Range<usize>) -> Option<Own> {
        match text {
            "read" => None,
            "write" => Some(Own::Changes { destructive: false }),
            "destructive" => Some(Own::Changes { destructive: true }),
            _ => {
                let help = nearest(text, ["read", "write", "destructive"]);
                self.problem(span, "`effect` is `read`, `write` or `destructive`", help);
                None
            }
        }
    }

    pub(super) fn effect_prop(&mut self, node: &KdlNode) -> Option<Own> {
        let text = self.text_prop(node, "effect")?;
        self.effect(&text, node_span(node))
    }
}
