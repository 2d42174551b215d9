//! Gives nodes their meaning: one document, whichever spelling they came from.
//!
//! Invariant (nothing is ignored): every name, argument, property and child of every node is either understood or an error.

mod block;
mod calls;
mod fields;
mod rule;
mod section;
mod session;
mod tools;

use rustc_hash::FxHashMap;
use smol_str::SmolStr;

use super::node::{Argument, Disabled, Literal, Node};
use super::{Format, MAX_PROBLEMS};
use crate::diagnostic::{Diagnostic, Level};
use crate::document::{Document, Outcome};
use crate::names::nearest;
use crate::source::{Place, Spanned};

/// Names of the sections of a policy.
const SECTIONS: &[&str] = &[
    "policy", "sets", "allow", "ask", "deny", "default", "checks", "modes", "lock", "limits", "sandbox",
    "budgets", "defer", "hooks", "session", "lint", "tests",
];

/// The words of a policy by the node that they stand in; those of the file itself first, below an empty name.
///
/// Made of the lists that the reader uses, for pages and completions.
#[must_use]
pub fn vocabulary() -> Vec<(&'static str, Vec<&'static str>)> {
    let lines = |lines: &'static [section::Line]| lines.iter().map(section::Line::name).collect();
    vec![
        ("", SECTIONS.to_vec()),
        ("policy", block::POLICY.to_vec()),
        ("sets", block::SETS.to_vec()),
        ("command", rule::COMMAND_CONDITIONS.to_vec()),
        ("tool", rule::TOOL_CONDITIONS.to_vec()),
        ("sandbox", lines(section::SANDBOX)),
        ("budgets", tools::BUDGETS.to_vec()),
        ("defer", tools::DEFER.to_vec()),
        ("hooks", tools::hook_words()),
        ("session", session::SESSION.to_vec()),
    ]
}

/// Reads all nodes of a file.
pub(super) fn decode(nodes: &[Node], format: Format, diagnostics: &mut Vec<Diagnostic>) -> Document {
    let mut decoder = Decoder {
        format,
        diagnostics,
        document: Document::default(),
        kept: Kept::default(),
        sets: FxHashMap::default(),
        blocks: FxHashMap::default(),
    };
    for node in nodes {
        // More mistakes than are shown: what else is wrong is not looked at.
        if decoder.kept.errors >= MAX_PROBLEMS {
            break;
        }
        if node.unclosed {
            decoder.open_section(node.clone());
        } else {
            decoder.section(node);
        }
    }
    decoder.document
}

/// Takes the sections out of a node that is not closed: they are what follows it, and are read as such. Whoever forgot a brace is told
/// so, and not that sections are no names in a block.
fn sections_behind(node: &mut Node) -> Vec<Node> {
    let Some(children) = node.children.as_mut().filter(|_| node.unclosed) else {
        return Vec::new();
    };
    let section = children.iter().position(|child| {
        let is_name_here = match node.name.value.as_str() {
            // Names of these are names of sections, too; a section has a block.
            "tests" | "modes" | "lock" => child.children().iter().all(|inner| inner.name.value == "input"),
            _ => false,
        };
        SECTIONS.contains(&child.name.value.as_str()) && !is_name_here
    });
    match section {
        Some(section) => children.split_off(section),
        // Only the last one can be open.
        None => children.last_mut().map(sections_behind).unwrap_or_default(),
    }
}

/// The warning about a rule that `/-` takes out: an author who means to disable a guard should see that it is gone.
pub(super) fn disabled_rule(disabled: &Disabled) -> Option<Diagnostic> {
    let guard = disabled
        .path
        .first()
        .filter(|name| matches!(name.as_str(), "deny" | "ask" | "lock" | "checks"))?;
    let message = if disabled.path.len() == 1 {
        format!("this `{guard}` is taken out by `/-`")
    } else {
        format!("a part of this `{guard}` is taken out by `/-`")
    };
    Some(
        Diagnostic::warning("policy::disabled-guard", message, disabled.place)
            .help("remove the `/-`, or remove what it takes out if that is meant"),
    )
}

/// How many diagnostics of each level were kept.
#[derive(Clone, Copy, Debug, Default)]
struct Kept {
    notes: usize,
    warnings: usize,
    errors: usize,
}

struct Decoder<'d> {
    format: Format,
    diagnostics: &'d mut Vec<Diagnostic>,
    document: Document,
    kept: Kept,
    /// Names of sets, and where each was given first.
    sets: FxHashMap<SmolStr, Place>,
    /// Names of blocks, and where each was given first.
    blocks: FxHashMap<SmolStr, Place>,
}

impl Decoder<'_> {
    fn section(&mut self, node: &Node) {
        match node.name.value.as_str() {
            "policy" => self.policy(node),
            "sets" => self.sets(node),
            "allow" => self.block(node, Outcome::Allow),
            "ask" => self.block(node, Outcome::Ask),
            "deny" => self.block(node, Outcome::Deny),
            "default" => self.defaults(node),
            "checks" => self.checks(node),
            "modes" => self.modes(node),
            "lock" => self.lock(node),
            "limits" => self.limits(node),
            "sandbox" => {
                let entries = self.entries(node, section::SANDBOX);
                self.document.sandbox.extend(entries);
            }
            "budgets" => self.budgets(node),
            "defer" => self.defer(node),
            "hooks" => self.hooks(node),
            "session" => self.session(node),
            "lint" => self.lint(node),
            "tests" => self.tests(node),
            name => {
                let meant = nearest(name, SECTIONS.iter().copied());
                self.document.unread.extend(meant);
                self.unknown_name(&node.name, SECTIONS, "in a policy");
            }
        }
    }

    /// A section that is not closed, and those that follow it.
    fn open_section(&mut self, mut node: Node) {
        let behind = sections_behind(&mut node);
        self.section(&node);
        for own in behind {
            self.open_section(own);
        }
    }

    /// Keeps a diagnostic while there are not too many of its level: no number of warnings may hide an error.
    fn push(&mut self, diagnostic: Diagnostic) {
        let kept = match diagnostic.level {
            Level::Note => &mut self.kept.notes,
            Level::Warning => &mut self.kept.warnings,
            Level::Error => &mut self.kept.errors,
        };
        if *kept < MAX_PROBLEMS {
            *kept += 1;
            self.diagnostics.push(diagnostic);
        }
    }

    fn error(
        &mut self,
        code: &'static str,
        message: impl Into<String>,
        place: Place,
        help: impl Into<String>,
    ) {
        self.push(Diagnostic::error(code, message, place).help(help));
    }

    fn unknown_name(&mut self, name: &Spanned<SmolStr>, known: &[&str], within: &str) {
        let message = format!("unknown name `{}` {within}", name.value);
        let help = match nearest(&name.value, known.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("known are {}", list(known)),
        };
        self.error("policy::unknown-name", message, name.place, help);
    }

    /// The names that may stand somewhere: in TOML also those that take the place of arguments.
    fn known<'w>(&self, names: &[&'w str], in_toml: &[&'w str]) -> Vec<&'w str> {
        let more = match self.format {
            Format::Kdl => &[],
            Format::Toml => in_toml,
        };
        [more, names].concat()
    }

    /// The value of a closed set of words.
    fn word<T: Copy>(&mut self, argument: &Argument, all: &[(&str, T)], what: &str) -> Option<Spanned<T>> {
        let text = self.text(argument)?;
        if let Some(&(_, value)) = all.iter().find(|(word, _)| *word == text.value) {
            return Some(Spanned::new(value, argument.place));
        }
        let words: Vec<&str> = all.iter().map(|&(word, _)| word).collect();
        let help = match nearest(&text.value, words.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("known are {}", list(&words)),
        };
        let message = format!("`{}` is not {what}", text.value);
        self.error("policy::unknown-word", message, argument.place, help);
        None
    }

    fn text(&mut self, argument: &Argument) -> Option<Spanned<SmolStr>> {
        match &argument.value {
            Literal::Text(text) => Some(Spanned::new(text.clone(), argument.place)),
            other @ (Literal::Integer(_)
            | Literal::Number(_)
            | Literal::Boolean(_)
            | Literal::Null
            | Literal::Date(_)) => {
                self.wrong_type(argument, other.kind(), "a text", "put it in quotes");
                None
            }
        }
    }

    fn wrong_type(&mut self, argument: &Argument, found: &str, wanted: &str, help: &str) {
        self.error(
            "policy::wrong-type",
            format!("{wanted} belongs here, not {found}"),
            argument.place,
            help,
        );
    }

    fn boolean(&mut self, argument: &Argument) -> Option<Spanned<bool>> {
        if let Literal::Boolean(value) = argument.value {
            return Some(Spanned::new(value, argument.place));
        }
        let sigil = match self.format {
            Format::Kdl => "#",
            Format::Toml => "",
        };
        let help = match argument.text() {
            Some(word @ ("true" | "false")) => format!("write `{sigil}{word}` without quotes"),
            Some(_) | None => format!("write `{sigil}true` or `{sigil}false`"),
        };
        self.wrong_type(argument, argument.value.kind(), "a boolean", &help);
        None
    }

    fn count<T: TryFrom<i64>>(&mut self, argument: &Argument) -> Option<Spanned<T>> {
        let value = match &argument.value {
            Literal::Integer(value) if *value > 0 => T::try_from(*value).ok(),
            Literal::Integer(_)
            | Literal::Text(_)
            | Literal::Number(_)
            | Literal::Boolean(_)
            | Literal::Null
            | Literal::Date(_) => None,
        };
        if value.is_none() {
            self.error(
                "policy::wrong-type",
                "a whole number above zero belongs here",
                argument.place,
                "write it without quotes, and not larger than a setting can be",
            );
        }
        value.map(|value| Spanned::new(value, argument.place))
    }

    fn no_arguments(&mut self, node: &Node) {
        if let Some(first) = node.arguments.first() {
            let message = format!("`{}` takes no arguments", node.name.value);
            self.error(
                "policy::unexpected-argument",
                message,
                first.place,
                "remove it, or put it inside the braces",
            );
        }
    }

    fn no_children(&mut self, node: &Node) {
        if let Some(child) = node.children().first() {
            let message = format!("`{}` holds nothing else", node.name.value);
            self.error("policy::unexpected-name", message, child.name.place, "remove it");
        }
    }

    fn properties(&mut self, node: &Node, names: &[&str]) {
        // In TOML, arguments beside properties are a key, too.
        let known = self.known(names, &["args"]);
        for property in &node.properties {
            if names.contains(&property.name.value.as_str()) {
                continue;
            }
            let message = format!(
                "unknown property `{}` of `{}`",
                property.name.value, node.name.value
            );
            let help = match nearest(&property.name.value, known.iter().copied()) {
                Some(near) => format!("did you mean `{near}`?"),
                None if known.is_empty() => "it has no properties".to_owned(),
                None => format!("known are {}", list(&known)),
            };
            self.error("policy::unknown-property", message, property.name.place, help);
        }
    }

    /// Exactly one argument, and nothing else.
    fn single<'n>(&mut self, node: &'n Node) -> Option<&'n Argument> {
        self.properties(node, &[]);
        self.no_children(node);
        match node.arguments.as_slice() {
            [argument] => Some(argument),
            [] if node.broken => None,
            [] => {
                let message = format!("`{}` has no value", node.name.value);
                self.error(
                    "policy::missing-value",
                    message,
                    node.name.place,
                    "write the value behind the name",
                );
                None
            }
            [_, second, ..] => {
                let message = format!("`{}` has one value", node.name.value);
                self.error(
                    "policy::unexpected-argument",
                    message,
                    second.place,
                    "remove all but the first",
                );
                None
            }
        }
    }

    fn single_text(&mut self, node: &Node) -> Option<Spanned<SmolStr>> {
        let argument = self.single(node)?;
        self.text(argument)
    }

    /// All arguments as texts, at least one.
    fn texts(&mut self, node: &Node) -> Vec<Spanned<SmolStr>> {
        self.properties(node, &[]);
        self.no_children(node);
        self.some_arguments(node);
        node.arguments
            .iter()
            .filter_map(|argument| self.text(argument))
            .collect()
    }

    fn some_arguments(&mut self, node: &Node) {
        if node.arguments.is_empty() && !node.broken {
            let message = format!("`{}` names nothing", node.name.value);
            self.error(
                "policy::missing-value",
                message,
                node.name.place,
                "write at least one value behind the name",
            );
        }
    }

    /// Keeps the first of two values for one setting.
    fn once<T>(
        &mut self,
        slot: Option<Spanned<T>>,
        value: Option<Spanned<T>>,
        what: &str,
    ) -> Option<Spanned<T>> {
        match (slot, value) {
            (Some(first), Some(second)) => {
                self.duplicate(what, second.place, first.place);
                Some(first)
            }
            (first, second) => first.or(second),
        }
    }

    fn duplicate(&mut self, what: &str, second: Place, first: Place) {
        self.push(
            Diagnostic::error("policy::duplicate", format!("{what} is given twice"), second)
                .label(first, "first given here")
                .help("remove one of them"),
        );
    }
}

fn list(words: &[&str]) -> String {
    let quoted: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
    quoted.join(", ")
}
