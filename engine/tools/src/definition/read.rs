//! Reads definitions: text of either spelling to tools, with every problem at once.
//!
//! Invariant (nothing is ignored): a [`Block`] knows which names were asked of it, and refuses every other one.

mod block;
mod field;
mod step;
mod tool;

use engine_policy::read::{Argument, Format, Literal, Node, read_nodes};
use engine_policy::{Diagnostic, Level, Place, Sources, Spanned, nearest};
use smol_str::SmolStr;

use super::tool::Tool;
use crate::template::Template;

/// Problems after which reading is given up.
const MAX_PROBLEMS: usize = 100;

/// Where the texts of `prompt file=` come from.
pub trait Prompts {
    /// The text of a file of prompts, by the name that a definition gives.
    fn prompt(&self, file: &str) -> Option<String>;
}

/// No files of prompts.
impl Prompts for () {
    fn prompt(&self, _file: &str) -> Option<String> {
        None
    }
}

impl<F: Fn(&str) -> Option<String>> Prompts for F {
    fn prompt(&self, file: &str) -> Option<String> {
        self(file)
    }
}

/// Reads the tools of one file and keeps its text in `sources`.
///
/// Tools are there as far as they could be read; with an error among the diagnostics none of them must be used.
pub fn read(
    name: &str,
    text: &str,
    format: Format,
    prompts: &dyn Prompts,
    sources: &mut Sources,
) -> (Vec<Tool>, Vec<Diagnostic>) {
    let (nodes, diagnostics) = read_nodes(name, text, format, sources);
    let mut reader = Reader {
        diagnostics,
        prompts,
        sources,
    };
    let mut tools = Vec::new();
    for node in &nodes {
        if node.name.value == "tool" {
            tools.extend(reader.tool(node));
        } else {
            reader.unknown(&node.name, &["tool"], "in a file of tools");
        }
    }
    let mut diagnostics = reader.diagnostics;
    diagnostics.sort_by_key(|diagnostic| std::cmp::Reverse(diagnostic.level));
    diagnostics.truncate(MAX_PROBLEMS);
    diagnostics.sort_by_key(|diagnostic| diagnostic.place().map(|place| place.span.start));
    (tools, diagnostics)
}

struct Reader<'r> {
    diagnostics: Vec<Diagnostic>,
    prompts: &'r dyn Prompts,
    sources: &'r mut Sources,
}

impl Reader<'_> {
    fn error(
        &mut self,
        code: &'static str,
        message: impl Into<String>,
        place: Place,
        help: impl Into<String>,
    ) {
        self.diagnostics
            .push(Diagnostic::error(code, message, place).help(help));
    }

    fn errors(&self) -> usize {
        let is_error = |diagnostic: &&Diagnostic| diagnostic.level == Level::Error;
        self.diagnostics.iter().filter(is_error).count()
    }

    fn unknown(&mut self, name: &Spanned<SmolStr>, known: &[&str], within: &str) {
        let message = format!("unknown name `{}` {within}", name.value);
        self.error(
            "tool::unknown-name",
            message,
            name.place,
            advice(&name.value, known),
        );
    }

    fn wrong_type(&mut self, argument: &Argument, wanted: &str, help: &str) {
        let message = format!("{wanted} belongs here, not {}", argument.value.kind());
        self.error("tool::wrong-type", message, argument.place, help);
    }

    fn missing(&mut self, node: &Node, what: &str, help: &str) {
        if !node.broken {
            let message = format!("`{}` has no {what}", node.name.value);
            self.error("tool::missing-value", message, node.name.place, help);
        }
    }

    fn text(&mut self, argument: &Argument) -> Option<Spanned<SmolStr>> {
        let text = argument.text();
        if text.is_none() {
            self.wrong_type(argument, "a text", "put it in quotes");
        }
        text.map(|text| Spanned::new(text.into(), argument.place))
    }

    fn boolean(&mut self, argument: &Argument) -> Option<bool> {
        if let Literal::Boolean(value) = argument.value {
            return Some(value);
        }
        self.wrong_type(
            argument,
            "a boolean",
            "write `#true` or `#false` (TOML: `true` or `false`)",
        );
        None
    }

    fn number<T: TryFrom<i64>>(&mut self, argument: &Argument) -> Option<T> {
        let number = match &argument.value {
            Literal::Integer(value) => T::try_from(*value).ok(),
            Literal::Text(_)
            | Literal::Number(_)
            | Literal::Boolean(_)
            | Literal::Null
            | Literal::Date(_) => None,
        };
        if number.is_none() {
            let help =
                "write it without quotes, and neither below zero nor too large where that has no meaning";
            self.wrong_type(argument, "a whole number that fits", help);
        }
        number
    }

    /// A value of a closed set of words.
    fn word<T: Copy>(&mut self, argument: &Argument, all: &[(&str, T)], what: &str) -> Option<T> {
        let text = self.text(argument)?;
        let found = all.iter().find(|(word, _)| *word == text.value);
        if found.is_none() {
            let words: Vec<&str> = all.iter().map(|&(word, _)| word).collect();
            let message = format!("`{}` is not {what}", text.value);
            self.error(
                "tool::unknown-word",
                message,
                argument.place,
                advice(&text.value, &words),
            );
        }
        found.map(|&(_, value)| value)
    }

    /// A template; a number or a boolean stands for itself.
    fn template(&mut self, argument: &Argument) -> Option<Template> {
        let plain = |text: &str| Some(Template::of_text(&format!("{{{{ {text} }}}}"), argument.place));
        match &argument.value {
            Literal::Text(_) => Template::of_argument(argument),
            Literal::Integer(value) => plain(&value.to_string()),
            Literal::Boolean(value) => plain(&value.to_string()),
            Literal::Null => plain("none"),
            Literal::Number(_) | Literal::Date(_) => {
                self.wrong_type(argument, "a template", "put it in quotes");
                None
            }
        }
    }

    /// The name that a step gives its result.
    fn result_name(&mut self, argument: &Argument) -> Option<Spanned<SmolStr>> {
        let name = self.text(argument)?;
        let mut letters = name.value.chars();
        let first = letters
            .next()
            .is_some_and(|first| first.is_ascii_lowercase() || first == '_');
        let others = letters.all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
        if !first || !others || RESERVED.contains(&name.value.as_str()) {
            self.error(
                "tool::bad-name",
                format!("`{}` cannot be the name of a result", name.value),
                name.place,
                format!(
                    "use small letters, digits and `_`, first no digit, and none of `{}`",
                    RESERVED.join("`, `")
                ),
            );
            return None;
        }
        Some(name)
    }
}

/// Names that templates have a meaning for already.
const RESERVED: &[&str] = &[
    "input",
    "facts",
    "loop",
    "self",
    "true",
    "false",
    "none",
    "not",
    "and",
    "or",
    "in",
    "is",
    "if",
    "else",
    "for",
    "range",
    "dict",
    "namespace",
];

/// What to write in place of a name that nobody knows.
fn advice(name: &str, known: &[&str]) -> String {
    match nearest(name, known.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None if known.is_empty() => "nothing belongs here; remove it".to_owned(),
        None => format!("known are `{}`", known.join("`, `")),
    }
}

#[cfg(test)]
mod tests;
