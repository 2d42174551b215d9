//! Reads the steps of a body.

mod programs;
mod verbs;

use engine_policy::read::{Argument, Node};
use engine_policy::{HookEvent, Spanned};
use smol_str::SmolStr;

use super::Reader;
use super::block::Block;
use crate::definition::{
    Action, AgentStep, AskStep, Body, CacheStep, CallStep, Choice, ContextKey, EachStep, EditStep, EventStep,
    GlobStep, GrepStep, LetStep, MAX_EACH, MessageStep, Named, OnError, Question, Questions, ReadStep,
    Reported, RetryStep, ReturnStep, Setting, Speaker, Step, ToolsStep, WhenStep, WriteStep,
};
use crate::template::Template;

/// Words that begin a step.
const STEPS: &[&str] = &[
    "run",
    "shell",
    "read",
    "write",
    "edit",
    "glob",
    "grep",
    "call",
    "agent",
    "ask",
    "state",
    "tools",
    "task",
    "mcp",
    "let",
    "when",
    "otherwise",
    "each",
    "cache",
    "retry",
    "set",
    "event",
    "message",
    "return",
    "fail",
];

/// What an agent may be told beside its prompt.
const AGENT_OPTIONS: &[&str] = &[
    "description",
    "model",
    "background",
    "isolation",
    "cwd",
    "name",
    "team",
    "mode",
    "resume",
    "skill",
];

/// Deepest nesting of steps.
const MAX_DEPTH: usize = 16;

/// Most steps or rounds that run at once.
const MAX_CONCURRENCY: u32 = 10;

/// Longest time that a cache keeps anything: a day.
const MAX_CACHE_MS: u64 = 86_400_000;

impl Reader<'_> {
    /// The steps of a tool.
    pub(super) fn body(&mut self, node: &Node) -> Body {
        self.steps_of(Block::new(node), 0)
    }

    /// The steps in a block whose settings are read already.
    fn steps_of(&mut self, mut block: Block<'_>, depth: usize) -> Body {
        let on_error = self.on_error(&mut block);
        let max_concurrency = self.concurrency(&mut block);
        let rollback = block
            .node(self, "rollback")
            .map(|node| self.rollback(node, depth));
        block.finish_properties(self);
        let nodes = block.rest();
        Body {
            steps: self.steps(&nodes, depth),
            on_error: on_error.unwrap_or_default(),
            max_concurrency: max_concurrency.unwrap_or(1),
            rollback: rollback.unwrap_or_default(),
        }
    }

    fn concurrency(&mut self, block: &mut Block<'_>) -> Option<u32> {
        let argument = block.setting(self, "max-concurrency")?;
        let number = self.number::<u32>(argument)?;
        if !(1..=MAX_CONCURRENCY).contains(&number) {
            self.error(
                "tool::out-of-range",
                format!("from 1 to {MAX_CONCURRENCY} may run at once"),
                argument.place,
                "choose a number between them",
            );
        }
        Some(number.clamp(1, MAX_CONCURRENCY))
    }

    fn on_error(&mut self, block: &mut Block<'_>) -> Option<OnError> {
        let argument = block.setting(self, "on-error")?;
        self.word(argument, OnError::ALL, "what follows a failure")
    }

    fn rollback(&mut self, node: &Node, depth: usize) -> Vec<Step> {
        Block::new(node).finish_properties(self);
        self.no_more_arguments(node, 0);
        let nodes: Vec<&Node> = node.children().iter().collect();
        self.steps(&nodes, depth + 1)
    }

    fn steps(&mut self, nodes: &[&Node], depth: usize) -> Vec<Step> {
        if depth > MAX_DEPTH {
            if let Some(first) = nodes.first() {
                let message = format!("steps are nested deeper than {MAX_DEPTH} levels");
                self.error(
                    "tool::too-deep",
                    message,
                    first.name.place,
                    "move some of them out",
                );
            }
            return Vec::new();
        }
        let mut out: Vec<Step> = Vec::new();
        for node in nodes {
            if node.name.value == "otherwise" {
                self.otherwise(node, out.last_mut(), depth);
            } else if STEPS.contains(&node.name.value.as_str()) {
                out.extend(self.step(node, depth));
            } else {
                self.unknown(&node.name, STEPS, "among steps");
            }
        }
        out
    }

    fn otherwise(&mut self, node: &Node, before: Option<&mut Step>, depth: usize) {
        self.no_more_arguments(node, 0);
        let body = self.steps_of(Block::new(node), depth + 1);
        if let Some(step) = before
            && let Action::When(when) = &mut step.action
            && when.otherwise.is_none()
        {
            when.otherwise = Some(body);
            return;
        }
        self.error(
            "tool::otherwise",
            "`otherwise` stands behind no `when`",
            node.name.place,
            "put it directly behind the `when` that it belongs to",
        );
    }

    fn step(&mut self, node: &Node, depth: usize) -> Option<Step> {
        let mut block = Block::new(node);
        let holds_steps = matches!(node.name.value.as_str(), "when" | "each" | "cache" | "retry");
        // In a block of steps these belong to the steps inside.
        let (on_error, max_concurrency, rollback) = if holds_steps {
            (None, None, Vec::new())
        } else {
            let rollback = block.node(self, "rollback");
            let rollback = rollback.map_or_else(Vec::new, |node| self.rollback(node, depth));
            (self.on_error(&mut block), self.concurrency(&mut block), rollback)
        };
        let action = self.action(node, block, depth)?;
        Some(Step {
            action,
            on_error,
            max_concurrency,
            rollback,
            place: node.place,
        })
    }

    fn action(&mut self, node: &Node, mut block: Block<'_>, depth: usize) -> Option<Action> {
        let action = match node.name.value.as_str() {
            "run" => self.run(node, &mut block).map(Action::Run),
            "shell" => self.shell(node, &mut block).map(Action::Shell),
            "read" => {
                let name = self.only_name(node);
                let path = block.needed(self, "path");
                let offset = block.template(self, "offset");
                let limit = block.template(self, "limit");
                name.zip(path).map(|(name, path)| {
                    Action::Read(ReadStep {
                        name,
                        path,
                        offset,
                        limit,
                    })
                })
            }
            "write" => {
                let name = self.only_name(node);
                let path = block.needed(self, "path");
                let content = block.needed(self, "content");
                name.zip(path)
                    .zip(content)
                    .map(|((name, path), content)| Action::Write(WriteStep { name, path, content }))
            }
            "edit" => {
                let name = self.only_name(node);
                let path = block.needed(self, "path");
                let old = block.needed(self, "old");
                let new = block.needed(self, "new");
                let all = block.template(self, "all");
                name.zip(path)
                    .zip(old.zip(new))
                    .map(|((name, path), (old, new))| {
                        Action::Edit(EditStep {
                            name,
                            path,
                            old,
                            new,
                            all,
                        })
                    })
            }
            "glob" => {
                let name = self.only_name(node);
                let pattern = block.needed(self, "pattern");
                let path = block.template(self, "path");
                name.zip(pattern)
                    .map(|(name, pattern)| Action::Glob(GlobStep { name, pattern, path }))
            }
            "grep" => {
                let name = self.only_name(node);
                let pattern = block.needed(self, "pattern");
                let path = block.template(self, "path");
                let glob = block.template(self, "glob");
                let mode = block.template(self, "mode");
                let limit = block.template(self, "limit");
                name.zip(pattern).map(|(name, pattern)| {
                    Action::Grep(GrepStep {
                        name,
                        pattern,
                        path,
                        glob,
                        mode,
                        limit,
                    })
                })
            }
            "call" => self.call(node, &mut block).map(Action::Call),
            "agent" => self.agent(node, &mut block).map(Action::Agent),
            "ask" => self.ask(node, &mut block).map(Action::Ask),
            "state" => self.state(node, &mut block).map(Action::State),
            "tools" => {
                let name = self.only_name(node);
                let query = block.needed(self, "query");
                let limit = block.template(self, "limit");
                name.zip(query)
                    .map(|(name, query)| Action::Tools(ToolsStep { name, query, limit }))
            }
            "task" => self.task(node, &mut block).map(Action::Task),
            "mcp" => self.mcp(node, &mut block).map(Action::Mcp),
            "let" => {
                let (name, rest) = self.named(node)?;
                self.no_more_arguments(node, 2);
                let value = match rest.first() {
                    Some(argument) => self.template(argument),
                    None => {
                        self.missing(node, "value", "write a template behind the name");
                        None
                    }
                };
                value.map(|value| Action::Let(LetStep { name, value }))
            }
            "when" => {
                self.no_more_arguments(node, 1);
                let condition = self.first_template(node);
                let then = self.steps_of(block, depth + 1);
                return condition.map(|condition| {
                    Action::When(WhenStep {
                        condition,
                        then,
                        otherwise: None,
                    })
                });
            }
            "each" => return self.each(node, block, depth).map(Action::Each),
            "cache" => {
                self.no_more_arguments(node, 0);
                let key = block.needed(self, "key");
                let for_ms = match block.setting(self, "for") {
                    Some(argument) => self.duration(argument).filter(|ms| {
                        let fits = (1..=MAX_CACHE_MS).contains(ms);
                        if !fits {
                            let message = "a cache keeps things for at most a day";
                            self.error(
                                "tool::out-of-range",
                                message,
                                argument.place,
                                "choose a shorter time",
                            );
                        }
                        fits
                    }),
                    None => {
                        self.missing(node, "`for`", "say for how long, as `for=\"15m\"`");
                        None
                    }
                };
                let body = self.steps_of(block, depth + 1);
                return key
                    .zip(for_ms)
                    .map(|(key, for_ms)| Action::Cache(CacheStep { key, for_ms, body }));
            }
            "retry" => return self.retry(node, block, depth).map(Action::Retry),
            "set" => {
                self.no_more_arguments(node, 2);
                match node.arguments.as_slice() {
                    [key, value, ..] => {
                        let key = self.word(key, ContextKey::ALL, "part of a session's context");
                        let value = self.template(value);
                        key.zip(value)
                            .map(|(key, value)| Action::Set(Setting { key, value }))
                    }
                    [_] | [] => {
                        self.missing(node, "value", "write it as `set \"cwd\" \"{{ ... }}\"`");
                        None
                    }
                }
            }
            "event" => self.event(node, &mut block).map(Action::Event),
            "message" => {
                self.no_more_arguments(node, 1);
                let speaker = block
                    .setting(self, "to")
                    .and_then(|argument| self.word(argument, Speaker::ALL, "somebody to tell"))
                    .unwrap_or_default();
                self.first_template(node)
                    .map(|text| Action::Message(MessageStep { speaker, text }))
            }
            "return" => {
                self.no_more_arguments(node, 1);
                let text = node
                    .arguments
                    .first()
                    .and_then(|argument| self.template(argument));
                let summarise = block.template(self, "summarise");
                let references = block.template(self, "references");
                if node.arguments.is_empty() && references.is_none() {
                    self.missing(node, "value", "write the text of the result behind it");
                }
                Some(Action::Return(ReturnStep {
                    text,
                    summarise,
                    references,
                }))
            }
            "fail" => {
                self.no_more_arguments(node, 1);
                self.first_template(node).map(Action::Fail)
            }
            _ => None,
        };
        block.finish(self);
        action
    }

    /// The name of the result, the first argument, and the arguments behind it.
    fn named<'n>(&mut self, node: &'n Node) -> Option<(Spanned<SmolStr>, &'n [Argument])> {
        let [first, rest @ ..] = node.arguments.as_slice() else {
            self.missing(node, "name", "write a name for its result behind it");
            return None;
        };
        Some((self.result_name(first)?, rest))
    }

    /// The name of the result, and no other argument.
    fn only_name(&mut self, node: &Node) -> Option<Spanned<SmolStr>> {
        self.no_more_arguments(node, 1);
        self.named(node).map(|(name, _)| name)
    }

    fn first_template(&mut self, node: &Node) -> Option<Template> {
        match node.arguments.first() {
            Some(argument) => self.template(argument),
            None => {
                self.missing(node, "value", "write a template behind it");
                None
            }
        }
    }

    /// What a body reports to hooks.
    fn event(&mut self, node: &Node, block: &mut Block<'_>) -> Option<EventStep> {
        self.no_more_arguments(node, 1);
        let Some(name) = node.arguments.first() else {
            self.missing(node, "event", "write it as `event \"TaskCreated\" { ... }`");
            return None;
        };
        let known: Vec<(&str, HookEvent)> = Reported::ALL
            .iter()
            .map(|own| (own.event.name(), own.event))
            .collect();
        let place = name.place;
        let event = self.word(name, &known, "an event that a body reports")?;
        let mut fields = Vec::new();
        self.named_fields(block, &mut fields);
        block.keep_properties();
        let event = Spanned::new(event, place);
        Some(EventStep { event, fields })
    }

    /// Fields with their templates: properties, and children with one argument.
    fn named_fields(&mut self, block: &mut Block<'_>, fields: &mut Vec<Named>) {
        for (name, argument) in block.rest_of_properties() {
            let value = self.template(argument);
            fields.extend(value.map(|value| Named {
                name: name.clone(),
                value,
            }));
        }
        for child in block.rest() {
            Block::new(child).finish(self);
            let value = self
                .one_argument(child)
                .and_then(|argument| self.template(argument));
            fields.extend(value.map(|value| Named {
                name: child.name.clone(),
                value,
            }));
        }
        for (at, named) in fields.iter().enumerate() {
            if let Some(first) = fields.iter().take(at).find(|first| first.name == named.name) {
                self.twice(&named.name.value, &named.name, &first.name);
            }
        }
    }

    fn call(&mut self, node: &Node, block: &mut Block<'_>) -> Option<CallStep> {
        self.no_more_arguments(node, 2);
        let (name, rest) = self.named(node)?;
        let Some(tool) = rest.first() else {
            self.missing(
                node,
                "tool",
                "write the name of the tool behind the name of the result",
            );
            return None;
        };
        let tool = self.template(tool)?;
        let mut input = Vec::new();
        self.named_fields(block, &mut input);
        block.keep_properties();
        Some(CallStep { name, tool, input })
    }

    fn agent(&mut self, node: &Node, block: &mut Block<'_>) -> Option<AgentStep> {
        self.no_more_arguments(node, 2);
        let (name, rest) = self.named(node)?;
        let kind = rest.first().and_then(|argument| self.template(argument));
        let prompt = block.needed(self, "prompt");
        let mut options = Vec::new();
        for option in AGENT_OPTIONS {
            let value = block.template(self, option);
            options.extend(value.map(|value| Named {
                name: Spanned::new((*option).into(), value.place()),
                value,
            }));
        }
        Some(AgentStep {
            name,
            kind,
            prompt: prompt?,
            options,
        })
    }

    fn ask(&mut self, node: &Node, block: &mut Block<'_>) -> Option<AskStep> {
        let name = self.only_name(node)?;
        let given = block.template(self, "questions");
        let written = block.nodes("question");
        let questions = match given {
            Some(given) if written.is_empty() => Questions::Given(given),
            Some(given) => {
                self.error(
                    "tool::duplicate",
                    "questions are both given and written",
                    given.place(),
                    "keep `questions` or the `question` lines",
                );
                return None;
            }
            None => {
                if written.is_empty() {
                    self.missing(node, "`question`", "write at least one");
                }
                Questions::Written(
                    written
                        .into_iter()
                        .filter_map(|node| self.question(node))
                        .collect(),
                )
            }
        };
        Some(AskStep { name, questions })
    }

    fn question(&mut self, node: &Node) -> Option<Question> {
        self.no_more_arguments(node, 1);
        let mut block = Block::new(node);
        let header = block.template(self, "header");
        let several = block.switch(self, "several");
        let options = block.nodes("option");
        block.finish(self);
        let options = options
            .into_iter()
            .filter_map(|node| {
                self.no_more_arguments(node, 1);
                let mut block = Block::new(node);
                let about = block.template(self, "about");
                block.finish(self);
                let label = self.first_template(node)?;
                Some(Choice { label, about })
            })
            .collect::<Vec<_>>();
        if options.len() < 2 {
            self.missing(node, "two options", "offer at least two answers");
        }
        let text = self.first_template(node)?;
        Some(Question {
            text,
            header,
            several,
            options,
        })
    }

    fn each(&mut self, node: &Node, mut block: Block<'_>, depth: usize) -> Option<EachStep> {
        let item = self.only_name(node);
        let list = block.needed(self, "in");
        let max = block.setting(self, "max").map_or(Some(MAX_EACH), |argument| {
            let number = self.number::<u32>(argument)?;
            if !(1..=MAX_EACH).contains(&number) {
                let message = format!("an `each` has from 1 to {MAX_EACH} rounds");
                self.error(
                    "tool::out-of-range",
                    message,
                    argument.place,
                    "choose a number between them",
                );
            }
            Some(number.clamp(1, MAX_EACH))
        });
        let max_concurrency = self.concurrency(&mut block);
        let collect = block
            .setting(self, "collect")
            .and_then(|argument| self.result_name(argument));
        let value = block.template(self, "value");
        let collect = match (collect, value) {
            (Some(name), Some(value)) => Some((name, value)),
            (None, None) => None,
            (Some(_), None) => {
                self.missing(node, "`value`", "say what each round gives to `collect`");
                None
            }
            (None, Some(value)) => {
                let message = "nothing collects this value";
                self.error(
                    "tool::missing-value",
                    message,
                    value.place(),
                    "add `collect=\"name\"`",
                );
                None
            }
        };
        let body = self.steps_of(block, depth + 1);
        Some(EachStep {
            item: item?,
            list: list?,
            max: max?,
            max_concurrency: max_concurrency.unwrap_or(1),
            collect,
            body,
        })
    }

    fn retry(&mut self, node: &Node, mut block: Block<'_>, depth: usize) -> Option<RetryStep> {
        self.no_more_arguments(node, 0);
        let times = match block.setting(self, "times") {
            None => Some(3),
            Some(argument) => self.number::<u32>(argument).map(|number| {
                if !(2..=10).contains(&number) {
                    let message = "a `retry` tries from 2 to 10 times";
                    self.error(
                        "tool::out-of-range",
                        message,
                        argument.place,
                        "choose a number between them",
                    );
                }
                number.clamp(2, 10)
            }),
        };
        let delay = match block.setting(self, "delay") {
            None => Some(1_000),
            Some(argument) => self.duration(argument),
        };
        let body = self.steps_of(block, depth + 1);
        Some(RetryStep {
            times: times?,
            delay_ms: delay?,
            body,
        })
    }
}
