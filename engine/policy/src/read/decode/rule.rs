//! Rules inside a block, and their conditions.

use smol_str::SmolStr;

use super::Decoder;
use super::block::{command_term, host_term, path_term};
use crate::document::{Condition, Mode, RequestKind, Rule, Subject};
use crate::pattern::{
    EnvironmentPattern, FlagPattern, Glob, Parsed, PatternProblem, ProgramPattern, WordPattern,
};
use crate::read::node::{Literal, Node};
use crate::source::Spanned;

pub(super) const COMMAND_CONDITIONS: &[&str] = &[
    "except",
    "flag",
    "without-flag",
    "operands",
    "operand",
    "env",
    "cwd",
    "piped-into",
    "in-pipeline",
    "background",
    "via",
];
pub(super) const TOOL_CONDITIONS: &[&str] = &["except", "input", "via"];
const EXCEPT_ONLY: &[&str] = &["except"];

impl Decoder<'_> {
    pub(super) fn rule(&mut self, node: &Node, rules: &mut Vec<Spanned<Rule>>) {
        if node.name.value == "short" {
            self.properties(node, &[]);
            self.no_children(node);
            self.some_arguments(node);
            for argument in &node.arguments {
                self.short_rule(argument, rules, false);
            }
            return;
        }
        let Some(kind) = RequestKind::from_word(&node.name.value) else {
            let mut known: Vec<&str> = RequestKind::ALL.iter().map(|&(word, _)| word).collect();
            known.push("short");
            let known = self.known(&known, &["name", "because", "instead", "rules"]);
            self.unknown_name(&node.name, &known, "in a block");
            return;
        };
        self.properties(node, &[]);
        let known = match kind {
            RequestKind::Command => COMMAND_CONDITIONS,
            RequestKind::Tool => TOOL_CONDITIONS,
            RequestKind::Read
            | RequestKind::Write
            | RequestKind::Delete
            | RequestKind::Network
            | RequestKind::Env
            | RequestKind::Agent
            | RequestKind::Skill
            | RequestKind::Mode => EXCEPT_ONLY,
        };
        let subject = match kind {
            RequestKind::Command => Subject::Command(self.alternatives(node, command_term)),
            RequestKind::Read => Subject::Read(self.alternatives(node, path_term)),
            RequestKind::Write => Subject::Write(self.alternatives(node, path_term)),
            RequestKind::Delete => Subject::Delete(self.alternatives(node, path_term)),
            RequestKind::Network => Subject::Network(self.alternatives(node, host_term)),
            RequestKind::Tool => Subject::Tool(self.alternatives(node, name_glob)),
            RequestKind::Env => Subject::Env(self.alternatives(node, EnvironmentPattern::parse)),
            RequestKind::Agent => Subject::Agent(self.alternatives(node, name_glob)),
            RequestKind::Skill => Subject::Skill(self.alternatives(node, name_glob)),
            RequestKind::Mode => Subject::Mode(self.alternatives(node, mode)),
        };
        let mut conditions = Vec::new();
        for child in node.children() {
            if !known.contains(&child.name.value.as_str()) {
                let within = format!("in a `{}` rule", kind.as_str());
                // Where the subject stands outside of the table, its patterns are a key of the table; without that key the rule is broken.
                let patterns = node.broken || node.name.place.span.start < node.place.span.start;
                let known = self.known(known, if patterns { &["match"] } else { &[] });
                self.unknown_name(&child.name, &known, &within);
            } else if let Some(condition) = self.condition(child) {
                conditions.push(Spanned::new(condition, child.place));
            }
        }
        rules.push(Spanned::new(Rule { subject, conditions }, node.place));
    }

    /// A condition; `except` is none and was read with the subject.
    fn condition(&mut self, node: &Node) -> Option<Condition> {
        if node.name.value == "except" {
            return None;
        }
        if node.name.value == "operands" {
            return self.operands(node);
        }
        self.properties(node, &[]);
        self.no_children(node);
        match node.name.value.as_str() {
            "flag" => Some(Condition::Flag(self.patterns(node, FlagPattern::parse))),
            "without-flag" => Some(Condition::WithoutFlag(self.patterns(node, FlagPattern::parse))),
            "env" => Some(Condition::Env(self.patterns(node, EnvironmentPattern::parse))),
            "cwd" => Some(Condition::Cwd(self.patterns(node, path_term))),
            "piped-into" => Some(Condition::PipedInto(self.patterns(node, ProgramPattern::parse))),
            "via" => Some(Condition::Via(self.patterns(node, Glob::parse))),
            "in-pipeline" => {
                let argument = self.single(node)?;
                Some(Condition::InPipeline(self.boolean(argument)?.value))
            }
            "background" => {
                let argument = self.single(node)?;
                Some(Condition::Background(self.boolean(argument)?.value))
            }
            "operand" => {
                let Some((index, patterns)) = node.arguments.split_first() else {
                    self.some_arguments(node);
                    return None;
                };
                if let Literal::Text(_) = index.value {
                    self.error(
                        "policy::wrong-type",
                        "the number of the operand comes first",
                        index.place,
                        "write `operand 1 \"word\"`; the first operand is 1",
                    );
                    return None;
                }
                let index = self.count::<u16>(index)?;
                if patterns.is_empty() && !node.broken {
                    self.error(
                        "policy::missing-value",
                        "this operand may be nothing",
                        node.place,
                        "write what it may be",
                    );
                }
                let patterns = self.optional_patterns(patterns, WordPattern::parse);
                Some(Condition::Operand { index, patterns })
            }
            _ => {
                let Some((field, patterns)) = node.arguments.split_first() else {
                    self.some_arguments(node);
                    return None;
                };
                let field: Spanned<SmolStr> = self.text(field)?;
                if patterns.is_empty() && !node.broken {
                    let message = format!("the field `{}` has no pattern", field.value);
                    self.error(
                        "policy::missing-value",
                        message,
                        field.place,
                        "write `input \"field\" \"pattern\"`",
                    );
                }
                let patterns = self.optional_patterns(patterns, Glob::parse);
                Some(Condition::Input { field, patterns })
            }
        }
    }

    /// `operands within="a"`, or `operands { within "a" "b" }`.
    fn operands(&mut self, node: &Node) -> Option<Condition> {
        self.no_arguments(node);
        self.properties(node, &["within"]);
        let mut within = Vec::new();
        within.extend(
            node.property("within")
                .and_then(|argument| self.pattern(argument, path_term)),
        );
        for child in node.children() {
            if child.name.value == "within" {
                self.properties(child, &[]);
                self.no_children(child);
                within.extend(self.patterns(child, path_term));
            } else {
                self.unknown_name(&child.name, &["within"], "in `operands`");
            }
        }
        if within.is_empty()
            && !node.broken
            && node.property("within").is_none()
            && node.children().is_empty()
        {
            self.error(
                "policy::missing-value",
                "`operands` says nothing",
                node.place,
                "write `operands within=\"./dir\"`",
            );
            return None;
        }
        Some(Condition::OperandsWithin(within))
    }
}

fn name_glob(text: &str) -> Parsed<Glob> {
    if text.is_empty() || text.contains(char::is_whitespace) || text.contains(['(', ')']) {
        return Err(PatternProblem::error(
            "policy::name-pattern",
            0..text.len(),
            format!("`{text}` cannot be a name"),
        )
        .help("write the name alone; a rule with parentheses is written as `short`"));
    }
    Glob::parse(text)
}

fn mode(text: &str) -> Parsed<Mode> {
    Mode::from_word(text)
        .map(|mode| (mode, Vec::new()))
        .ok_or_else(|| {
            let known: Vec<&str> = Mode::ALL.iter().map(|&(word, _)| word).collect();
            PatternProblem::error(
                "policy::unknown-word",
                0..text.len(),
                format!("`{text}` is not a mode"),
            )
            .help(format!("known are {}", super::list(&known)))
        })
}
