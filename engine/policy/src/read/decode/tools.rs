//! The sections about tools beyond rules: `hooks`, `budgets` and `defer`.

use smol_str::SmolStr;

use super::Decoder;
use crate::document::{BudgetLine, BudgetOf, DeferLine, Hook, HookEvent, Outcome};
use crate::hooks::Matcher;
use crate::names::nearest;
use crate::pattern::Glob;
use crate::read::node::{Argument, Literal, Node};
use crate::source::Spanned;

pub(super) const BUDGETS: &[&str] = &["tool", "message"];
pub(super) const DEFER: &[&str] = &["tool", "except"];

/// Characters that a token stands for: about what models count for prose and code.
const CHARS_PER_TOKEN: u32 = 4;

/// Longest time that a hook may be given.
const MOST_TIMEOUT_MS: u64 = 600_000;

/// Properties of a line of `hooks`.
const HOOK_PROPERTIES: &[&str] = &["run", "timeout", "on-error"];

/// Longest command of a hook.
const MAX_RUN_BYTES: usize = 4096;

/// Units of time with their milliseconds.
const UNITS: &[(&str, u64)] = &[("ms", 1), ("s", 1_000), ("m", 60_000)];

/// Names of the lines of `hooks`.
pub(super) fn hook_words() -> Vec<&'static str> {
    HookEvent::ALL.iter().map(|&(word, _, _)| word).collect()
}

impl Decoder<'_> {
    pub(super) fn hooks(&mut self, node: &Node) {
        self.no_arguments(node);
        self.properties(node, &[]);
        for child in node.children() {
            let written = child.name.value.as_str();
            let Some(&(_, _, event)) = HookEvent::ALL.iter().find(|(word, _, _)| *word == written) else {
                self.unknown_event(&child.name);
                continue;
            };
            self.properties(child, HOOK_PROPERTIES);
            self.no_children(child);
            if event.matches_on().is_none() {
                self.no_arguments(child);
            }
            let matchers = child
                .arguments
                .iter()
                .filter_map(|argument| self.matcher(argument))
                .collect();
            let timeout_ms = child
                .property("timeout")
                .and_then(|argument| self.time(argument, "a hook"));
            let on_error = child.property("on-error").and_then(|argument| {
                self.word(argument, Outcome::ALL, "a verdict (`allow`, `ask` or `deny`)")
            });
            if let (Some(outcome), HookEvent::End) = (&on_error, event) {
                self.error(
                    "policy::unknown-property",
                    "what has ended cannot be kept from it: a hook of `end` has no `on-error`",
                    outcome.place,
                    "remove it",
                );
            }
            let Some(run) = self.command_of_hook(child) else {
                continue;
            };
            let hook = Hook {
                event: Spanned::new(event, child.name.place),
                matchers,
                run,
                timeout_ms,
                on_error,
            };
            self.document.hooks.push(Spanned::new(hook, child.place));
        }
    }

    /// An unknown line, helped by its word and by what other agents call the event.
    fn unknown_event(&mut self, name: &Spanned<SmolStr>) {
        let same = HookEvent::ALL
            .iter()
            .find(|(_, own, _)| own.eq_ignore_ascii_case(&name.value));
        match same {
            Some((word, own, _)) => self.error(
                "policy::unknown-name",
                format!("unknown name `{}` in `hooks`", name.value),
                name.place,
                format!("the event {own} is called `{word}` here"),
            ),
            None => self.unknown_name(name, &hook_words(), "in `hooks`"),
        }
    }

    fn command_of_hook(&mut self, node: &Node) -> Option<Spanned<SmolStr>> {
        let Some(argument) = node.property("run") else {
            // A property of another name may be the one that is missing, and is told already.
            let misspelt = node
                .properties
                .iter()
                .any(|property| !HOOK_PROPERTIES.contains(&property.name.value.as_str()));
            if !node.broken && !misspelt {
                self.error(
                    "policy::missing-value",
                    "nothing says what this hook runs",
                    node.name.place,
                    format!("write `{} ... run=\"./scripts/check.sh\"`", node.name.value),
                );
            }
            return None;
        };
        let run = self.text(argument)?;
        let problem = if run.value.trim().is_empty() {
            "this command is empty".to_owned()
        } else if run.value.len() > MAX_RUN_BYTES {
            format!("the command of a hook is at most {MAX_RUN_BYTES} bytes long")
        } else if run.value.contains('\0') {
            "a command holds no NUL".to_owned()
        } else {
            return Some(run);
        };
        self.error(
            "policy::wrong-type",
            problem,
            argument.place,
            "name a program or a script",
        );
        None
    }

    fn matcher(&mut self, argument: &Argument) -> Option<Spanned<SmolStr>> {
        let text = self.text(argument)?;
        if let Err(problem) = Matcher::new(&text.value) {
            self.error(
                "policy::name-pattern",
                format!("this is neither a name nor a regular expression: {problem}"),
                argument.place,
                "write `Bash`, `Edit|Write`, `mcp__.*` or `*`",
            );
            return None;
        }
        Some(text)
    }

    /// A time with its unit, in milliseconds.
    pub(super) fn time(&mut self, argument: &Argument, whose: &str) -> Option<Spanned<u32>> {
        if let Literal::Integer(number) = argument.value {
            let help = format!("write `\"{number}s\"` for seconds, `\"{number}ms\"` for milliseconds");
            self.wrong_type(argument, "a number without its unit", "a time", &help);
            return None;
        }
        let text = self.text(argument)?;
        let digits = text.value.bytes().take_while(u8::is_ascii_digit).count();
        let (number, unit) = text.value.split_at_checked(digits).unwrap_or_default();
        let factor = UNITS.iter().find(|(name, _)| *name == unit);
        let (Ok(number), Some((_, factor))) = (number.parse::<u64>(), factor) else {
            let units = UNITS.iter().map(|(name, _)| *name);
            let help = match (number.parse::<u64>(), nearest(unit.trim(), units)) {
                (Ok(number), Some(near)) => format!("did you mean `{number}{near}`?"),
                (Ok(number), None) => match unit.trim() {
                    "sec" | "secs" | "second" | "seconds" => format!("did you mean `{number}s`?"),
                    "min" | "mins" | "minute" | "minutes" => format!("did you mean `{number}m`?"),
                    _ => "write a whole number and `ms`, `s` or `m`, such as `5s`".to_owned(),
                },
                (Err(_), _) => "write a whole number and `ms`, `s` or `m`, such as `5s`".to_owned(),
            };
            let message = format!("`{}` is not a time", text.value);
            self.error("policy::wrong-type", message, argument.place, help);
            return None;
        };
        let milliseconds = number.saturating_mul(*factor);
        let fits = (1..=MOST_TIMEOUT_MS).contains(&milliseconds);
        if let (true, Ok(milliseconds)) = (fits, u32::try_from(milliseconds)) {
            return Some(Spanned::new(milliseconds, argument.place));
        }
        let message = format!("`{}` is no time that {whose} can be given", text.value);
        self.error(
            "policy::wrong-type",
            message,
            argument.place,
            "write at least `1ms` and at most `10m`",
        );
        None
    }

    pub(super) fn budgets(&mut self, node: &Node) {
        self.no_arguments(node);
        self.properties(node, &[]);
        for child in node.children() {
            let name = child.name.value.as_str();
            if !BUDGETS.contains(&name) {
                self.unknown_name(&child.name, BUDGETS, "in `budgets`");
                continue;
            }
            let is_message = name == "message";
            self.properties(child, &["chars", "tokens"]);
            self.no_children(child);
            let of = if is_message {
                self.no_arguments(child);
                BudgetOf::Message(Spanned::new((), child.name.place))
            } else {
                BudgetOf::Tools(self.patterns(child, Glob::parse))
            };
            let Some(chars) = self.size(child, is_message) else {
                continue;
            };
            if let Some(first) = self.said_before(&of) {
                let what = match &of {
                    BudgetOf::Tools(_) => "the budget of this tool",
                    BudgetOf::Message(_) => "the budget of a message",
                };
                self.duplicate(what, of.place(), first);
                continue;
            }
            let line = BudgetLine { of, chars };
            self.document.budgets.push(Spanned::new(line, child.place));
        }
    }

    /// Where the same was said before.
    fn said_before(&self, of: &BudgetOf) -> Option<crate::source::Place> {
        self.document
            .budgets
            .iter()
            .find_map(|line| match (&line.value.of, of) {
                (BudgetOf::Message(first), BudgetOf::Message(_)) => Some(first.place),
                (BudgetOf::Tools(first), BudgetOf::Tools(second)) => first
                    .iter()
                    .find(|name| second.contains(name))
                    .map(|name| name.place),
                (BudgetOf::Message(_), BudgetOf::Tools(_)) | (BudgetOf::Tools(_), BudgetOf::Message(_)) => {
                    None
                }
            })
    }

    fn size(&mut self, node: &Node, is_message: bool) -> Option<Spanned<Option<u32>>> {
        match (node.property("chars"), node.property("tokens")) {
            (Some(first), Some(second)) => {
                self.duplicate("a size", second.place, first.place);
                None
            }
            (Some(argument), None) if argument.text() == Some("unlimited") && !is_message => {
                Some(Spanned::new(None, argument.place))
            }
            (Some(argument), None) => Some(self.count::<u32>(argument)?.map(Some)),
            (None, Some(argument)) => {
                let tokens = self.count::<u32>(argument)?;
                Some(tokens.map(|tokens| Some(tokens.saturating_mul(CHARS_PER_TOKEN))))
            }
            (None, None) => {
                if !node.broken {
                    self.error(
                        "policy::missing-value",
                        "nothing says how long a result may be",
                        node.name.place,
                        "write `chars=30000` or `tokens=8000`",
                    );
                }
                None
            }
        }
    }

    pub(super) fn defer(&mut self, node: &Node) {
        self.no_arguments(node);
        self.properties(node, &[]);
        for child in node.children() {
            let name = child.name.value.as_str();
            if !DEFER.contains(&name) {
                self.unknown_name(&child.name, DEFER, "in `defer`");
                continue;
            }
            self.properties(child, &[]);
            self.no_children(child);
            let line = DeferLine {
                defers: Spanned::new(name == "tool", child.name.place),
                tools: self.patterns(child, Glob::parse),
            };
            self.document.defer.push(Spanned::new(line, child.place));
        }
    }
}
