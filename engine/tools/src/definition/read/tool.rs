//! Reads one tool.

use engine_policy::Spanned;
use engine_policy::read::{Argument, Literal, Node};
use engine_policy::{Place, nearest};
use smol_str::SmolStr;

use super::Reader;
use super::block::Block;
use crate::definition::{
    Body, Budget, Deferral, Field, FieldKind, Flag, Handler, Interrupt, Need, Prompt, Role, Tool, Work,
    is_tool_name,
};
use crate::template::Template;

/// What the native handlers of a family need of an input: the field, its role, and whether it must be there.
type Needed = &'static [(&'static str, Option<Role>, bool)];

impl Handler {
    /// The fields without which the policy could not see what the handler does.
    fn needed(self) -> Needed {
        match self {
            Self::BashRun => &[("command", Some(Role::RunsShell), true)],
            Self::FileRead => &[("file_path", Some(Role::Reads), true)],
            Self::FileWrite => &[("file_path", Some(Role::Writes), true), ("content", None, true)],
            Self::FileEdit => &[
                ("file_path", Some(Role::Writes), true),
                ("old_string", None, true),
                ("new_string", None, true),
            ],
            Self::FileNotebook => &[
                ("notebook_path", Some(Role::Writes), true),
                ("command", None, true),
                ("cell_number", None, true),
            ],
            Self::SearchGlob => &[
                ("pattern", Some(Role::Names), true),
                ("path", Some(Role::Reads), false),
            ],
            Self::SearchGrep => &[("pattern", None, true), ("path", Some(Role::ReadsTree), false)],
        }
    }
}

impl Reader<'_> {
    pub(super) fn tool(&mut self, node: &Node) -> Option<Tool> {
        let mut block = Block::new(node);
        let name = self.tool_name(&mut block);
        let aliases = block
            .nodes("aliases")
            .into_iter()
            .flat_map(|node| self.texts(node))
            .collect::<Vec<_>>();
        for alias in &aliases {
            self.check_name(alias);
        }
        let about = block.text(self, "about");
        if about.is_none() {
            self.missing(node, "`about`", "say in one line what the tool does");
        }
        let prompt = self.prompt(&mut block);
        let user_facing_name = block.template(self, "user-facing-name");
        let input = block.node(self, "input").map_or_else(Vec::new, |input| {
            let mut inner = Block::new(input);
            // Inputs are always strict; the word is allowed so that a definition can say so.
            if let Some(strict) = inner.setting(self, "strict")
                && self.boolean(strict) == Some(false)
            {
                self.error(
                    "tool::not-strict",
                    "an input refuses unknown fields, always",
                    strict.place,
                    "use a field of type `json` for what is not known beforehand",
                );
            }
            self.no_more_arguments(input, 0);
            inner.finish_properties(self);
            let nodes = inner.rest();
            self.fields(nodes, 0)
        });
        let read_only = self.flag(&mut block, "read-only");
        let concurrency_safe = self.flag(&mut block, "concurrency-safe");
        let destructive = self.flag(&mut block, "destructive");
        let budget = self.budget(&mut block);
        let deferral = self.deferral(&mut block);
        let enabled_when = block.template(self, "enabled-when");
        let search_hint = block.text(self, "search-hint").map(|hint| hint.value);
        let result_name = block.template(self, "result-name");
        let preapproved_hosts = block.node(self, "preapproved").map_or_else(Vec::new, |node| {
            let mut inner = Block::new(node);
            let hosts = inner.nodes("hosts");
            inner.finish(self);
            self.no_more_arguments(node, 0);
            hosts.into_iter().flat_map(|node| self.texts(node)).collect()
        });
        let interrupt = block.setting(self, "interrupt").and_then(|argument| {
            let all = &[("cancel", Interrupt::Cancel), ("block", Interrupt::Block)];
            self.word(argument, all, "what an interrupt does")
        });
        let needs = block
            .nodes("needs")
            .into_iter()
            .flat_map(|node| self.needs(node))
            .collect();
        let work = self.work(&mut block, &input);
        block.finish(self);
        Some(Tool {
            name: name?,
            aliases,
            about: about.map_or_else(SmolStr::default, |about| about.value),
            prompt,
            user_facing_name,
            input,
            read_only,
            concurrency_safe,
            destructive,
            budget,
            deferral,
            enabled_when,
            search_hint,
            result_name,
            preapproved_hosts,
            interrupt: interrupt.unwrap_or_default(),
            needs,
            work: work?,
            place: node.place,
        })
    }

    fn tool_name(&mut self, block: &mut Block<'_>) -> Option<Spanned<SmolStr>> {
        let named = block.text(self, "name");
        let kept = usize::from(named.is_none());
        self.no_more_arguments(block.node, kept);
        let name = match (named, block.node.arguments.first()) {
            (Some(name), _) => name,
            (None, Some(first)) => self.text(first)?,
            (None, None) => {
                self.missing(block.node, "name", "write the name behind `tool`");
                return None;
            }
        };
        self.check_name(&name);
        Some(name)
    }

    fn check_name(&mut self, name: &Spanned<SmolStr>) {
        if !is_tool_name(&name.value) {
            self.error(
                "tool::bad-name",
                format!("`{}` cannot be the name of a tool", name.value),
                name.place,
                "use letters, digits, `_` and `-`, first a letter, at most 64",
            );
        } else if name.value.starts_with("mcp__") {
            self.error(
                "tool::bad-name",
                format!("`{}` is the name of a tool of an MCP server", name.value),
                name.place,
                "choose a name that does not begin with `mcp__`",
            );
        }
    }

    fn prompt(&mut self, block: &mut Block<'_>) -> Prompt {
        let Some(node) = block.node(self, "prompt") else {
            return Prompt::About;
        };
        let mut inner = Block::new(node);
        let file = inner.text(self, "file");
        inner.finish(self);
        let Some(file) = file else {
            let argument = self.one_argument(node);
            let template = argument.and_then(|argument| self.template(argument));
            return template.map_or(Prompt::About, Prompt::Text);
        };
        self.no_more_arguments(node, 0);
        if file
            .value
            .split(['/', '\\'])
            .any(|part| part == ".." || part.is_empty())
        {
            self.error(
                "tool::prompt",
                format!("`{}` leads out of the folder of prompts", file.value),
                file.place,
                "name a file inside it",
            );
            return Prompt::Missing(file);
        }
        let Some(text) = self.prompts.prompt(&file.value) else {
            self.error(
                "tool::prompt",
                format!("there is no file of prompts `{}`", file.value),
                file.place,
                "files of prompts stand in the folder `prompts` beside the definitions",
            );
            return Prompt::Missing(file);
        };
        let place = self.sources.add(&format!("prompts/{}", file.value), &text);
        let place = place.map_or(file.place, |source| Place {
            source,
            span: engine_shell::Span::new(0, text.len()),
        });
        Prompt::Text(Template::of_text(&text, place))
    }

    /// `read-only`, `read-only #true`, `read-only "by-analysis"` or `read-only when="{{ ... }}"`.
    fn flag(&mut self, block: &mut Block<'_>, name: &'static str) -> Flag {
        let Some(node) = block.node(self, name) else {
            let property = block.setting(self, name);
            return property.map_or(Flag::Never, |argument| self.flag_word(argument));
        };
        let mut inner = Block::new(node);
        let when = inner.template(self, "when");
        inner.finish(self);
        match (when, node.arguments.as_slice()) {
            (Some(when), []) => Flag::When(when),
            (None, []) => Flag::Always,
            (None, [word]) => self.flag_word(word),
            (_, [.., last]) => {
                let message = format!("`{name}` says two things");
                self.error(
                    "tool::unexpected-argument",
                    message,
                    last.place,
                    "keep one of them",
                );
                Flag::Never
            }
        }
    }

    fn flag_word(&mut self, argument: &Argument) -> Flag {
        const WORDS: &[&str] = &["always", "never", "by-analysis"];
        match &argument.value {
            Literal::Boolean(true) => Flag::Always,
            Literal::Boolean(false) => Flag::Never,
            Literal::Text(word) if word == "always" => Flag::Always,
            Literal::Text(word) if word == "never" => Flag::Never,
            Literal::Text(word) if word == "by-analysis" => Flag::ByAnalysis,
            Literal::Text(word) => {
                let help = nearest(word, WORDS.iter().copied()).map_or_else(
                    || {
                        "known are `always`, `never` and `by-analysis`; a condition stands behind `when=`"
                            .to_owned()
                    },
                    |near| format!("did you mean `{near}`?"),
                );
                self.error(
                    "tool::unknown-word",
                    format!("`{word}` is no flag"),
                    argument.place,
                    help,
                );
                Flag::Never
            }
            Literal::Integer(_) | Literal::Number(_) | Literal::Null | Literal::Date(_) => {
                self.wrong_type(
                    argument,
                    "a flag",
                    "write nothing, `#false`, `\"by-analysis\"` or `when=`",
                );
                Flag::Never
            }
        }
    }

    fn budget(&mut self, block: &mut Block<'_>) -> Budget {
        let Some(node) = block.node(self, "budget") else {
            return Budget::default();
        };
        let mut inner = Block::new(node);
        let chars = inner.number(self, "chars");
        inner.finish(self);
        match (chars, node.arguments.as_slice()) {
            (Some(chars), []) if chars > 0 => Budget::Chars(chars),
            (None, [word]) if word.text() == Some("unlimited") => Budget::Unlimited,
            (_, _) => {
                self.error(
                    "tool::budget",
                    "a budget is a number of characters above zero",
                    node.place,
                    "write `budget chars=20000` or `budget \"unlimited\"`",
                );
                Budget::default()
            }
        }
    }

    fn deferral(&mut self, block: &mut Block<'_>) -> Deferral {
        let defer = block.switch(self, "defer");
        let always = block.switch(self, "always-load");
        match (defer, always) {
            (true, true) => {
                self.error(
                    "tool::duplicate",
                    "a tool cannot both wait for `ToolSearch` and be always loaded",
                    block.node.name.place,
                    "remove `defer` or `always-load`",
                );
                Deferral::Shown
            }
            (true, false) => Deferral::Deferred,
            (false, true) => Deferral::AlwaysLoad,
            (false, false) => Deferral::Shown,
        }
    }

    fn needs(&mut self, node: &Node) -> Vec<Need> {
        Block::new(node).finish(self);
        if node.arguments.is_empty() {
            self.missing(node, "value", "write what it needs behind it");
        }
        node.arguments
            .iter()
            .filter_map(|argument| self.word(argument, Need::ALL, "something a session may lack"))
            .collect()
    }

    fn work(&mut self, block: &mut Block<'_>, input: &[Field]) -> Option<Work> {
        let handler = block.setting(self, "handler");
        let body = block.node(self, "body");
        match (handler, body) {
            (Some(argument), None) => {
                let handler = self.word(argument, Handler::ALL, "a native handler")?;
                self.handler_fields(handler, argument, input);
                Some(Work::Handler(handler))
            }
            (None, Some(body)) => {
                self.no_more_arguments(body, 0);
                let body: Body = self.body(body);
                Some(Work::Body(body))
            }
            (Some(argument), Some(_)) => {
                self.error(
                    "tool::duplicate",
                    "a tool has a handler or a body, not both",
                    argument.place,
                    "remove one of them",
                );
                None
            }
            (None, None) => {
                self.missing(block.node, "`handler` and no `body`", "say who does the work");
                None
            }
        }
    }

    /// A handler does what its fields say; the policy must be able to see it.
    fn handler_fields(&mut self, handler: Handler, place: &Argument, input: &[Field]) {
        for &(name, role, required) in handler.needed() {
            let found = input.iter().find(|field| field.name.value == name);
            let Some(field) = found else {
                self.error(
                    "tool::handler-field",
                    format!("this handler needs a field `{name}`"),
                    place.place,
                    "declare it in `input`",
                );
                continue;
            };
            if required && !field.required {
                let message = format!("this handler needs `{name}` to be required");
                self.error(
                    "tool::handler-field",
                    message,
                    field.name.place,
                    "add `required=#true`",
                );
            }
            if let Some(role) = role
                && field.role != Some(role)
            {
                let message = format!("the policy would not see what this handler does with `{name}`");
                let help = format!("add `{}` to the field", role.word());
                self.error("tool::handler-field", message, field.name.place, help);
            }
            if role.is_none() && matches!(field.kind, FieldKind::Path(_)) && field.role.is_none() {
                let message = format!("the path `{name}` says nothing about the call");
                self.error(
                    "tool::handler-field",
                    message,
                    field.name.place,
                    "add what it does",
                );
            }
        }
    }
}
