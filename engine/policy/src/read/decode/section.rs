//! The sections that hold settings: `default`, `checks`, `modes`, `lock`, `limits`, and those that later stages read.

use smol_str::SmolStr;

use super::Decoder;
use crate::document::{
    CHECK_NAMES, CheckSetting, Entry, LIMIT_NAMES, LimitSetting, LintOff, Lockable, Mode, Outcome,
    RequestKind, Scalar, Severity,
};
use crate::lint::code::Lint;
use crate::read::node::{Argument, Literal, Node};
use crate::source::Spanned;

/// A line that a section knows: its name, its properties, and whether it has arguments.
pub(super) struct Line {
    name: &'static str,
    properties: &'static [&'static str],
}

impl Line {
    pub(super) fn name(&self) -> &'static str {
        self.name
    }
}

const fn line(name: &'static str, properties: &'static [&'static str]) -> Line {
    Line { name, properties }
}

pub(super) const SANDBOX: &[Line] = &[
    line("mode", &[]),
    line("fallback", &[]),
    line("read", &[]),
    line("write", &[]),
    line("network", &[]),
    line("exclude", &[]),
];
impl Decoder<'_> {
    fn plain_section(&mut self, node: &Node) {
        self.no_arguments(node);
        self.properties(node, &[]);
    }

    pub(super) fn defaults(&mut self, node: &Node) {
        self.plain_section(node);
        let mut known: Vec<&str> = RequestKind::ALL.iter().map(|&(word, _)| word).collect();
        known.push("headless");
        for child in node.children() {
            let kind = RequestKind::from_word(&child.name.value);
            if kind.is_none() && child.name.value != "headless" {
                self.unknown_name(&child.name, &known, "in `default`");
                continue;
            }
            let argument = self.single(child);
            let outcome = argument.and_then(|argument| {
                self.word(argument, Outcome::ALL, "a verdict (`allow`, `ask` or `deny`)")
            });
            let Some(outcome) = outcome else { continue };
            let Some(kind) = kind else {
                let slot = self.document.defaults.headless.take();
                self.document.defaults.headless = self.once(slot, Some(outcome), "the default `headless`");
                continue;
            };
            let kind = Spanned::new(kind, child.name.place);
            if let Some((first, _)) = self
                .document
                .defaults
                .kinds
                .iter()
                .find(|(first, _)| *first == kind)
            {
                let first = first.place;
                self.duplicate(
                    &format!("the default `{}`", child.name.value),
                    child.name.place,
                    first,
                );
            } else {
                self.document.defaults.kinds.push((kind, outcome));
            }
        }
    }

    pub(super) fn checks(&mut self, node: &Node) {
        self.plain_section(node);
        for child in node.children() {
            if !CHECK_NAMES.contains(&child.name.value.as_str()) {
                self.unknown_name(&child.name, CHECK_NAMES, "in `checks`");
                continue;
            }
            let argument = self.single(child);
            let severity = argument.and_then(|argument| self.word(argument, Severity::ALL, "a severity"));
            let Some(severity) = severity else { continue };
            if let Some(first) = self
                .document
                .checks
                .iter()
                .find(|setting| setting.check == child.name)
            {
                let first = first.check.place;
                self.duplicate(
                    &format!("the check `{}`", child.name.value),
                    child.name.place,
                    first,
                );
            } else {
                self.document.checks.push(CheckSetting {
                    check: child.name.clone(),
                    severity,
                });
            }
        }
    }

    pub(super) fn modes(&mut self, node: &Node) {
        self.plain_section(node);
        for child in node.children() {
            if child.name.value == "default" {
                let argument = self.single(child);
                let mode = argument.and_then(|argument| self.word(argument, Mode::ALL, "a mode"));
                let slot = self.document.modes.start.take();
                self.document.modes.start = self.once(slot, mode, "the default mode");
                continue;
            }
            let Some(outcome) = Outcome::from_word(&child.name.value) else {
                self.unknown_name(&child.name, &["allow", "ask", "deny", "default"], "in `modes`");
                continue;
            };
            let outcome = Spanned::new(outcome, child.name.place);
            self.properties(child, &[]);
            self.no_children(child);
            self.some_arguments(child);
            for argument in &child.arguments {
                let Some(mode) = self.word(argument, Mode::ALL, "a mode") else {
                    continue;
                };
                if let Some((first, _)) = self.document.modes.rules.iter().find(|(first, _)| *first == mode) {
                    let first = first.place;
                    self.duplicate(&format!("the mode `{}`", mode.value.as_str()), mode.place, first);
                } else {
                    self.document.modes.rules.push((mode, outcome));
                }
            }
        }
    }

    pub(super) fn lock(&mut self, node: &Node) {
        self.plain_section(node);
        let known: Vec<&str> = Lockable::ALL.iter().map(|&(word, _)| word).collect();
        for child in node.children() {
            let Some(part) = Lockable::from_word(&child.name.value) else {
                self.unknown_name(&child.name, &known, "in `lock`");
                continue;
            };
            self.no_arguments(child);
            self.properties(child, &[]);
            self.no_children(child);
            self.document.lock.push(Spanned::new(part, child.name.place));
        }
    }

    pub(super) fn limits(&mut self, node: &Node) {
        self.plain_section(node);
        for child in node.children() {
            if !LIMIT_NAMES.contains(&child.name.value.as_str()) {
                self.unknown_name(&child.name, LIMIT_NAMES, "in `limits`");
                continue;
            }
            let argument = self.single(child);
            let Some(value) = argument.and_then(|argument| self.count::<u32>(argument)) else {
                continue;
            };
            if let Some(first) = self
                .document
                .limits
                .iter()
                .find(|setting| setting.limit == child.name)
            {
                let first = first.limit.place;
                self.duplicate(
                    &format!("the limit `{}`", child.name.value),
                    child.name.place,
                    first,
                );
            } else {
                self.document.limits.push(LimitSetting {
                    limit: child.name.clone(),
                    value,
                });
            }
        }
    }

    /// Lines of a section whose values a later stage reads.
    pub(super) fn entries(&mut self, node: &Node, lines: &[Line]) -> Vec<Entry> {
        self.plain_section(node);
        let names: Vec<&str> = lines.iter().map(|line| line.name).collect();
        let mut entries = Vec::new();
        for child in node.children() {
            let Some(line) = lines.iter().find(|line| child.name.value == line.name) else {
                self.unknown_name(&child.name, &names, &format!("in `{}`", node.name.value));
                continue;
            };
            self.properties(child, line.properties);
            self.no_children(child);
            let arguments = child
                .arguments
                .iter()
                .filter_map(|argument| self.scalar(argument))
                .collect();
            let properties = child
                .properties
                .iter()
                .filter_map(|property| Some((property.name.clone(), self.scalar(&property.value)?)))
                .collect::<Vec<(Spanned<SmolStr>, Spanned<Scalar>)>>();
            entries.push(Entry {
                name: child.name.clone(),
                arguments,
                properties,
            });
        }
        entries
    }

    /// `off "lint" ... because="..."`, in the whole file or with `in` in one block.
    pub(super) fn lint(&mut self, node: &Node) {
        self.plain_section(node);
        for child in node.children() {
            if child.name.value != "off" {
                self.unknown_name(&child.name, &["off"], "in `lint`");
                continue;
            }
            self.properties(child, &["because", "in"]);
            self.no_children(child);
            self.some_arguments(child);
            let because = child.property("because").and_then(|argument| self.text(argument));
            let block = child.property("in").and_then(|argument| self.text(argument));
            if child.property("because").is_none() && !child.broken {
                self.error(
                    "policy::missing-value",
                    "nothing says why this lint is off",
                    child.name.place,
                    "write `off \"lint\" because=\"...\"`",
                );
            }
            let all: Vec<(&str, Lint)> = Lint::ALL.iter().map(|lint| (lint.name(), *lint)).collect();
            for argument in &child.arguments {
                let lint = self.word(argument, &all, "the name of a lint");
                if let (Some(lint), Some(because)) = (lint, &because) {
                    let off = LintOff {
                        lint,
                        block: block.clone(),
                        because: because.clone(),
                    };
                    self.document.lint.push(Spanned::new(off, child.place));
                }
            }
        }
    }

    pub(super) fn scalar(&mut self, argument: &Argument) -> Option<Spanned<Scalar>> {
        let scalar = match &argument.value {
            Literal::Text(text) => Scalar::Text(text.clone()),
            Literal::Integer(value) => Scalar::Integer(*value),
            Literal::Boolean(value) => Scalar::Boolean(*value),
            other @ (Literal::Number(_) | Literal::Null | Literal::Date(_)) => {
                self.wrong_type(
                    argument,
                    other.kind(),
                    "a text, a whole number or a boolean",
                    "put it in quotes",
                );
                return None;
            }
        };
        Some(Spanned::new(scalar, argument.place))
    }
}
