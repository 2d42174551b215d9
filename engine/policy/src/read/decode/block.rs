//! `policy`, `sets`, and the `allow`, `ask` and `deny` blocks.

use super::Decoder;
use crate::diagnostic::Diagnostic;
use crate::document::{Alternatives, Block, Outcome, Rule, Set, SetMembers, Subject};
use crate::pattern::{CommandPattern, HostPattern, PathPattern, ShortRule, ShortSubject, Term, is_set_name};
use crate::read::node::{Argument, Node};
use crate::source::Spanned;

pub(super) const POLICY: &[&str] = &["about", "extends", "commands"];
pub(super) const SETS: &[&str] = &["paths", "hosts", "commands"];
const BLOCK_PROPERTIES: &[&str] = &["because", "instead"];

impl Decoder<'_> {
    pub(super) fn policy(&mut self, node: &Node) {
        self.properties(node, &[]);
        let name = node.arguments.first().and_then(|argument| self.text(argument));
        if let Some(second) = node.arguments.get(1) {
            self.error(
                "policy::unexpected-argument",
                "a policy has one name",
                second.place,
                "remove all but the first",
            );
        }
        let place = node.name.place;
        let named = name.or_else(|| node.arguments.is_empty().then(|| Spanned::new("".into(), place)));
        let slot = self.document.name.take();
        self.document.name = self
            .once(slot, named, "`policy`")
            .filter(|name| !name.value.is_empty());
        for child in node.children() {
            match child.name.value.as_str() {
                "about" => {
                    let text = self.single_text(child);
                    let slot = self.document.about.take();
                    self.document.about = self.once(slot, text, "`about`");
                }
                "extends" => {
                    let texts = self.texts(child);
                    self.document.extends.extend(texts);
                }
                "commands" => {
                    let texts = self.texts(child);
                    self.document.commands.extend(texts);
                }
                _ => {
                    let known = self.known(POLICY, &["name"]);
                    self.unknown_name(&child.name, &known, "in `policy`");
                }
            }
        }
    }

    pub(super) fn sets(&mut self, node: &Node) {
        self.no_arguments(node);
        self.properties(node, &[]);
        for child in node.children() {
            if !SETS.contains(&child.name.value.as_str()) {
                self.unknown_name(&child.name, SETS, "in `sets`");
                self.document.unread.push("sets");
                continue;
            }
            self.properties(child, &[]);
            for inner in child
                .children()
                .iter()
                .filter(|inner| inner.name.value != "except")
            {
                self.unknown_name(&inner.name, &["except"], "in a set");
            }
            let Some((name, members)) = child.arguments.split_first() else {
                self.document.unread.push("sets");
                if child.broken {
                    continue;
                }
                self.error(
                    "policy::missing-value",
                    "this set has no name",
                    child.name.place,
                    format!("write `{} \"name\" \"pattern\"`", child.name.value),
                );
                continue;
            };
            let Some(name) = self.name(name, "a set") else {
                self.document.unread.push("sets");
                continue;
            };
            if members.is_empty() && !child.broken {
                let message = format!("the set `{}` holds no pattern", name.value);
                self.error(
                    "policy::missing-value",
                    message,
                    name.place,
                    "write its patterns behind the name",
                );
            }
            let members = match child.name.value.as_str() {
                "paths" => SetMembers::Paths(self.members(child, members, path_term)),
                "hosts" => SetMembers::Hosts(self.members(child, members, host_term)),
                _ => SetMembers::Commands(self.members(child, members, command_term)),
            };
            if let Some(&first) = self.sets.get(&name.value) {
                self.duplicate(&format!("the set `{}`", name.value), name.place, first);
                continue;
            }
            self.sets.insert(name.value.clone(), name.place);
            self.document
                .sets
                .push(Spanned::new(Set { name, members }, child.place));
        }
    }

    fn members<P>(
        &mut self,
        node: &Node,
        arguments: &[Argument],
        parse: fn(&str) -> crate::pattern::Parsed<P>,
    ) -> Alternatives<P> {
        Alternatives {
            patterns: self.optional_patterns(arguments, parse),
            except: self.exceptions(node, parse),
        }
    }

    /// The name of a set or a block.
    fn name(&mut self, argument: &Argument, of: &str) -> Option<Spanned<smol_str::SmolStr>> {
        let name = self.text(argument)?;
        if is_set_name(&name.value) {
            return Some(name);
        }
        let message = format!("`{}` cannot be the name of {of}", name.value);
        self.error(
            "policy::name",
            message,
            name.place,
            "a name has letters, digits, `-`, `_` and `.`",
        );
        None
    }

    /// A block. Without children its arguments are rules in the short spelling; with children the argument is its name.
    pub(super) fn block(&mut self, node: &Node, outcome: Outcome) {
        self.properties(node, BLOCK_PROPERTIES);
        let because = node.property("because").and_then(|argument| self.text(argument));
        let instead = node.property("instead").and_then(|argument| self.text(argument));
        let mut block = Block {
            effect: Spanned::new(outcome, node.name.place),
            name: None,
            because,
            instead,
            rules: Vec::new(),
        };
        match &node.children {
            None => {
                self.some_arguments(node);
                for argument in &node.arguments {
                    self.short_rule(argument, &mut block.rules, true);
                }
            }
            Some(children) => {
                self.block_name(node, &mut block);
                for child in children {
                    self.rule(child, &mut block.rules);
                }
            }
        }
        self.document.blocks.push(Spanned::new(block, node.place));
    }

    fn block_name(&mut self, node: &Node, block: &mut Block) {
        for (number, argument) in node.arguments.iter().enumerate() {
            let looks_short = argument.text().is_some_and(|text| text.contains('('));
            if looks_short || number > 0 {
                self.error(
                    "policy::unexpected-argument",
                    "a block with braces has a name and no other argument",
                    argument.place,
                    "write rules in the short spelling as `short \"Bash(...)\"` inside the braces",
                );
                continue;
            }
            block.name = self.name(argument, "a block");
        }
        let Some(name) = &block.name else { return };
        if let Some(&first) = self.blocks.get(&name.value) {
            let message = format!("the block name `{}`", name.value);
            self.duplicate(&message, name.place, first);
        } else {
            self.blocks.insert(name.value.clone(), name.place);
        }
    }

    /// One rule in the short spelling.
    pub(super) fn short_rule(
        &mut self,
        argument: &Argument,
        rules: &mut Vec<Spanned<Rule>>,
        may_be_name: bool,
    ) {
        let Some(rule) = self.pattern(argument, ShortRule::parse) else {
            return;
        };
        let plain_tool = matches!(rule.value.subject, ShortSubject::Tool(_));
        if may_be_name
            && plain_tool
            && rule.value.tool.starts_with(char::is_lowercase)
            && !rule.value.tool.contains("__")
        {
            let message = format!("`{}` is read as the name of a tool", rule.value.tool);
            self.push(
                Diagnostic::warning("policy::block-without-braces", message, argument.place).help(
                    "a named block has braces with its rules; if the tool is meant, write `tool` inside them",
                ),
            );
        }
        let place = rule.place;
        rules.push(Spanned::new(
            Rule {
                subject: Subject::Short(rule.value),
                conditions: Vec::new(),
            },
            place,
        ));
    }
}

pub(super) fn path_term(text: &str) -> crate::pattern::Parsed<Term<PathPattern>> {
    Term::parse(text, PathPattern::parse)
}

pub(super) fn host_term(text: &str) -> crate::pattern::Parsed<Term<HostPattern>> {
    Term::parse(text, HostPattern::parse)
}

pub(super) fn command_term(text: &str) -> crate::pattern::Parsed<Term<CommandPattern>> {
    Term::parse(text, CommandPattern::parse)
}
