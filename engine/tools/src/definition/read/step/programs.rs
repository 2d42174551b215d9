//! Steps that run programs, and the variables they run with: `run`, `shell`.

use engine_policy::read::Node;

use crate::definition::read::Reader;
use crate::definition::read::block::Block;
use crate::definition::{Form, Named, RunStep, ShellStep, Words};

impl Reader<'_> {
    /// `env "NAME" "template"` children.
    pub(super) fn env(&mut self, block: &mut Block<'_>) -> Vec<Named> {
        let nodes = block.nodes("env");
        nodes
            .into_iter()
            .filter_map(|node| {
                let named = self.pair(node)?;
                let name = &named.name.value;
                let fits = !name.is_empty()
                    && !name.starts_with(|c: char| c.is_ascii_digit())
                    && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
                if !fits {
                    let message = format!("`{name}` cannot be the name of a variable");
                    self.error(
                        "tool::bad-name",
                        message,
                        named.name.place,
                        "use letters, digits and `_`",
                    );
                }
                Some(named)
            })
            .collect()
    }

    /// A child with a name and a template.
    pub(super) fn pair(&mut self, node: &Node) -> Option<Named> {
        Block::new(node).finish(self);
        self.no_more_arguments(node, 2);
        let [name, value, ..] = node.arguments.as_slice() else {
            self.missing(node, "value", "write a name and a template behind it");
            return None;
        };
        let name = self.text(name)?;
        let value = self.template(value)?;
        Some(Named { name, value })
    }

    /// `output="json"`: what the program prints.
    fn form(&mut self, block: &mut Block<'_>) -> Option<Form> {
        let argument = block.setting(self, "output")?;
        self.word(argument, Form::ALL, "form of output")
    }

    pub(super) fn run(&mut self, node: &Node, block: &mut Block<'_>) -> Option<RunStep> {
        let (name, rest) = self.named(node)?;
        let mut words: Vec<Words> = rest
            .iter()
            .filter_map(|argument| self.template(argument).map(Words::One))
            .collect();
        let more = block.nodes("words");
        if words.is_empty() {
            self.missing(
                node,
                "program",
                "write the program and its arguments behind the name",
            );
        }
        for child in more {
            Block::new(child).finish(self);
            for argument in &child.arguments {
                words.extend(self.template(argument).map(Words::Each));
            }
        }
        let declared = self.form(block);
        Some(RunStep {
            form: declared.unwrap_or_else(|| Form::of(&words)),
            name,
            words,
            stdin: block.template(self, "stdin"),
            env: self.env(block),
            cwd: block.template(self, "cwd"),
            timeout: block.template(self, "timeout"),
            background: block.template(self, "background"),
        })
    }

    pub(super) fn shell(&mut self, node: &Node, block: &mut Block<'_>) -> Option<ShellStep> {
        self.no_more_arguments(node, 2);
        let (name, rest) = self.named(node)?;
        let Some(argument) = rest.first() else {
            self.missing(node, "text", "write the shell text behind the name");
            return None;
        };
        let text = self.text(argument)?;
        if ["{{", "{%"].iter().any(|open| text.value.contains(open)) {
            self.error(
                "tool::shell-template",
                "shell text stands in the definition as it runs; no value is put into it",
                text.place,
                "give the value to a variable with `env \"NAME\" \"{{ ... }}\"` and write \"$NAME\" in the text",
            );
        }
        Some(ShellStep {
            form: self.form(block).unwrap_or_default(),
            name,
            text,
            env: self.env(block),
            cwd: block.template(self, "cwd"),
            timeout: block.template(self, "timeout"),
            background: block.template(self, "background"),
        })
    }
}
