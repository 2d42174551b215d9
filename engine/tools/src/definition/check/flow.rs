//! Follows a body through its branches: which names have a value where, what is never reached, what a read-only tool must not do.

use std::collections::BTreeMap;
use std::sync::Arc;

use engine_policy::{Diagnostic, Place, Spanned, nearest};
use smol_str::SmolStr;

use super::{takes, tool_of};
use crate::definition::{
    Action, Body, CallStep, EventStep, Flag, McpVerb, Named, Need, Questions, Reported, RunStep, ShellStep,
    StateChange, StateStep, StateVerb, Step, TaskVerb, Tool, WhenStep, Words,
};
use crate::template::{Checker, Shape, Template, item_of};

/// What a step may name, and where the body stands.
pub(super) struct Flow<'f, 'd> {
    tool: &'f Tool,
    tools: &'f [Arc<Tool>],
    checker: &'f mut Checker<'d>,
}

/// Whether the steps behind are reached.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Goes {
    On,
    Ends,
}

type Names = BTreeMap<SmolStr, Shape>;

impl<'f, 'd> Flow<'f, 'd> {
    pub(super) fn new(tool: &'f Tool, tools: &'f [Arc<Tool>], checker: &'f mut Checker<'d>) -> Self {
        Self { tool, tools, checker }
    }

    pub(super) fn tool(&mut self, body: &Body) {
        if self.body(body) == Goes::On {
            self.error(
                "tool::no-result",
                "the body can end without a result".to_owned(),
                self.tool.name.place,
                "end it with `return` or `fail`",
            );
        }
    }

    fn error(&mut self, code: &'static str, message: String, place: Place, help: &str) {
        self.checker
            .diagnostics
            .push(Diagnostic::error(code, message, place).help(help));
    }

    fn body(&mut self, body: &Body) -> Goes {
        let goes = if body.max_concurrency > 1 {
            self.beside(&body.steps)
        } else {
            self.steps(&body.steps)
        };
        self.aside(&body.rollback);
        goes
    }

    fn steps(&mut self, steps: &[Step]) -> Goes {
        let mut goes = Goes::On;
        for step in steps {
            if goes == Goes::Ends {
                self.error(
                    "tool::unreachable",
                    format!("this `{}` is never reached", step.action.word()),
                    step.place,
                    "remove it, or the `return` or `fail` before it",
                );
                break;
            }
            goes = self.step(step);
        }
        goes
    }

    /// Steps that run at once see what was there before them, not each other.
    fn beside(&mut self, steps: &[Step]) -> Goes {
        let before = self.checker.names.clone();
        let mut after = before.clone();
        for step in steps {
            self.step(step);
            let given = std::mem::replace(&mut self.checker.names, before.clone());
            after.extend(given);
        }
        self.checker.names = after;
        Goes::On
    }

    /// Steps whose names end with them.
    fn aside(&mut self, steps: &[Step]) {
        if steps.is_empty() {
            return;
        }
        let names = self.checker.names.clone();
        self.steps(steps);
        self.checker.names = names;
    }

    fn template(&mut self, template: &Template) -> Shape {
        self.checker.template(template)
    }

    fn optional(&mut self, template: Option<&Template>) {
        if let Some(template) = template {
            self.template(template);
        }
    }

    fn all(&mut self, named: &[Named]) {
        for named in named {
            self.template(&named.value);
        }
    }

    fn give(&mut self, name: &Spanned<SmolStr>, shape: Shape) {
        self.checker.maybe.retain(|maybe| *maybe != name.value);
        self.checker.names.insert(name.value.clone(), shape);
    }

    fn writes(&mut self, step: &Step) {
        if self.tool.read_only == Flag::Always {
            self.error(
                "tool::read-only",
                format!("a read-only tool must not `{}`", step.action.word()),
                step.place,
                "remove `read-only`, or give a condition behind it",
            );
        }
    }

    fn needs(&mut self, need: Need, word: &str, step: &Step) {
        if !self.tool.needs.contains(&need) {
            self.error(
                "tool::needs",
                format!("a tool with this step needs `{word}`"),
                step.place,
                "add it to `needs`, so that the tool is not shown where it cannot work",
            );
        }
    }

    fn step(&mut self, step: &Step) -> Goes {
        let goes = self.action(step);
        self.aside(&step.rollback);
        goes
    }

    fn action(&mut self, step: &Step) -> Goes {
        match &step.action {
            Action::Run(run) => self.run(run),
            Action::Shell(shell) => self.shell(shell),
            Action::Read(read) => {
                self.template(&read.path);
                self.number(read.offset.as_ref());
                self.number(read.limit.as_ref());
                self.give(&read.name, Shape::object([("text", Shape::Plain)]));
            }
            Action::Write(write) => {
                self.writes(step);
                self.template(&write.path);
                self.template(&write.content);
                let parts = ["path", "created", "diff"].map(|part| (part, Shape::Plain));
                self.give(&write.name, Shape::object(parts));
            }
            Action::Edit(edit) => {
                self.writes(step);
                for template in [&edit.path, &edit.old, &edit.new] {
                    self.template(template);
                }
                self.optional(edit.all.as_ref());
                let parts = ["path", "count", "diff"].map(|part| (part, Shape::Plain));
                self.give(&edit.name, Shape::object(parts));
            }
            Action::Glob(glob) => {
                self.template(&glob.pattern);
                self.optional(glob.path.as_ref());
                let shape =
                    Shape::object([("paths", Shape::list(Shape::Plain)), ("truncated", Shape::Plain)]);
                self.give(&glob.name, shape);
            }
            Action::Grep(grep) => {
                self.template(&grep.pattern);
                for template in [&grep.path, &grep.glob, &grep.mode] {
                    self.optional(template.as_ref());
                }
                self.number(grep.limit.as_ref());
                self.give(&grep.name, Shape::object([("text", Shape::Plain)]));
            }
            Action::Call(call) => self.call(call, step),
            Action::Agent(agent) => {
                self.writes(step);
                self.needs(Need::Agent, "agent", step);
                self.optional(agent.kind.as_ref());
                self.template(&agent.prompt);
                self.all(&agent.options);
                let parts = ["text", "id", "branch"].map(|part| (part, Shape::Plain));
                self.give(&agent.name, Shape::object(parts));
            }
            Action::Ask(ask) => {
                match &ask.questions {
                    Questions::Given(given) => {
                        self.list(given);
                    }
                    Questions::Written(written) => {
                        for question in written {
                            self.template(&question.text);
                            self.optional(question.header.as_ref());
                            for option in &question.options {
                                self.template(&option.label);
                                self.optional(option.about.as_ref());
                            }
                        }
                    }
                }
                self.give(&ask.name, Shape::object([("answers", Shape::Any)]));
            }
            Action::State(state) => self.state(state, step),
            Action::Tools(tools) => {
                self.template(&tools.query);
                self.number(tools.limit.as_ref());
                let shape = Shape::object([
                    ("names", Shape::list(Shape::Plain)),
                    ("schemas", Shape::list(Shape::Plain)),
                    ("missing", Shape::list(Shape::Plain)),
                    ("deferred", Shape::Plain),
                ]);
                self.give(&tools.name, shape);
            }
            Action::Task(task) => {
                let shape = match &task.verb {
                    TaskVerb::Output { id, block, timeout } => {
                        self.template(id);
                        self.optional(block.as_ref());
                        self.number(timeout.as_ref());
                        Shape::object(["status", "output", "code", "kind"].map(|part| (part, Shape::Plain)))
                    }
                    TaskVerb::Stop { id } => {
                        self.writes(step);
                        self.template(id);
                        Shape::object(["status", "command"].map(|part| (part, Shape::Plain)))
                    }
                    TaskVerb::List => Shape::list(Shape::object(
                        ["id", "status", "kind", "command"].map(|part| (part, Shape::Plain)),
                    )),
                };
                self.give(&task.name, shape);
            }
            Action::Mcp(mcp) => {
                self.needs(Need::Mcp, "mcp", step);
                let shape = match &mcp.verb {
                    McpVerb::Resources { server } => {
                        self.optional(server.as_ref());
                        Shape::list(Shape::Any)
                    }
                    McpVerb::Read { server, uri } => {
                        self.template(server);
                        self.template(uri);
                        Shape::object([("contents", Shape::Any)])
                    }
                    McpVerb::SignIn { server } => {
                        self.writes(step);
                        self.template(server);
                        Shape::object([("url", Shape::Plain)])
                    }
                };
                self.give(&mcp.name, shape);
            }
            Action::Let(given) => {
                let shape = self.template(&given.value);
                self.give(&given.name, shape);
            }
            Action::When(when) => return self.when(when),
            Action::Each(each) => {
                let item = item_of(self.list(&each.list));
                let outside = self.checker.names.clone();
                self.give(&each.item, item);
                self.body(&each.body);
                let collected = each
                    .collect
                    .as_ref()
                    .map(|(name, value)| (name, Shape::list(self.checker.template(value))));
                self.checker.names = outside;
                if let Some((name, shape)) = collected {
                    self.give(name, shape);
                }
            }
            Action::Cache(cache) => {
                self.template(&cache.key);
                return self.body(&cache.body);
            }
            Action::Retry(retry) => return self.body(&retry.body),
            Action::Set(setting) => {
                self.template(&setting.value);
            }
            Action::Event(event) => self.event(event, step),
            Action::Message(message) => {
                self.template(&message.text);
            }
            Action::Return(result) => {
                for template in [&result.text, &result.summarise] {
                    self.optional(template.as_ref());
                }
                if let Some(references) = &result.references {
                    self.list(references);
                }
                return Goes::Ends;
            }
            Action::Fail(text) => {
                self.template(text);
                return Goes::Ends;
            }
        }
        Goes::On
    }

    /// What hooks are told of an event has the names that they know.
    fn event(&mut self, event: &EventStep, step: &Step) {
        self.all(&event.fields);
        let Some(reported) = Reported::of(event.event.value) else {
            return;
        };
        let name = event.event.value.name();
        for field in &event.fields {
            let own = field.name.value.as_str();
            if !reported.fields.contains(&own) {
                let help = nearest(own, reported.fields.iter().copied()).map_or_else(
                    || format!("known are {}", reported.fields.join(", ")),
                    |near| format!("did you mean `{near}`?"),
                );
                let message = format!("`{own}` is nothing that is told of the event {name}");
                self.error("tool::unknown-name", message, field.name.place, &help);
            }
        }
        for needed in reported.fields.iter().take(reported.needed) {
            if !event.fields.iter().any(|field| field.name.value == *needed) {
                let message = format!("the event {name} is told without `{needed}`");
                self.error("tool::missing", message, step.place, "add it to the block");
            }
        }
    }

    fn when(&mut self, when: &WhenStep) -> Goes {
        self.checker.condition(&when.condition);
        let before = self.checker.names.clone();
        let then = self.body(&when.then);
        let after_then = std::mem::replace(&mut self.checker.names, before);
        let otherwise = when.otherwise.as_ref().map_or(Goes::On, |body| self.body(body));
        match (then, otherwise) {
            (Goes::Ends, Goes::Ends) => return Goes::Ends,
            (Goes::Ends, Goes::On) => {}
            (Goes::On, Goes::Ends) => self.checker.names = after_then,
            (Goes::On, Goes::On) => self.join(after_then),
        }
        Goes::On
    }

    /// Keeps the names that both ways give.
    fn join(&mut self, mut one: Names) {
        let other = std::mem::take(&mut self.checker.names);
        for (name, shape) in other {
            match one.remove(&name) {
                Some(first) => {
                    self.checker.names.insert(name, first.or(&shape));
                }
                None => self.checker.maybe.push(name),
            }
        }
        self.checker.maybe.extend(one.into_keys());
    }

    /// A template whose value must be a list.
    fn list(&mut self, template: &Template) -> Shape {
        let shape = self.template(template);
        self.fits(template, shape.may_be_list(), &shape, "a list");
        shape
    }

    /// A template whose value must be a number, or nothing.
    fn number(&mut self, template: Option<&Template>) {
        if let Some(template) = template {
            let shape = self.template(template);
            self.fits(template, shape.may_be_number(), &shape, "a number");
        }
    }

    fn fits(&mut self, template: &Template, fits: bool, shape: &Shape, wanted: &str) {
        if !fits {
            let message = format!("{wanted} is needed here, and this is {}", shape.word());
            let help = "name a value of that type; filters such as `int` and `lines` make one";
            self.error("tool::wrong-type", message, template.place(), help);
        }
    }

    fn run(&mut self, run: &RunStep) {
        for word in &run.words {
            match word {
                Words::One(template) => self.template(template),
                Words::Each(template) => self.list(template),
            };
        }
        for template in [&run.stdin, &run.cwd, &run.background] {
            self.optional(template.as_ref());
        }
        self.number(run.timeout.as_ref());
        self.all(&run.env);
        self.give(&run.name, run.form.shape());
    }

    fn shell(&mut self, shell: &ShellStep) {
        for template in [&shell.cwd, &shell.background] {
            self.optional(template.as_ref());
        }
        self.number(shell.timeout.as_ref());
        self.all(&shell.env);
        self.give(&shell.name, shell.form.shape());
    }

    fn call(&mut self, call: &CallStep, step: &Step) {
        self.template(&call.tool);
        let shapes: Vec<Shape> = call
            .input
            .iter()
            .map(|named| self.template(&named.value))
            .collect();
        if call.tool.is_plain() {
            match tool_of(call.tool.source(), self.tools) {
                Ok(None) => self.writes(step),
                Ok(Some(tool)) => {
                    if tool.read_only != Flag::Always {
                        self.writes(step);
                    }
                    self.call_fields(call, &shapes, tool);
                }
                Err(help) => {
                    let message = format!("unknown tool `{}`", call.tool.source());
                    self.error("tool::unknown-tool", message, call.tool.place(), &help);
                }
            }
        } else {
            self.writes(step);
        }
        let shape = Shape::object([("text", Shape::Plain), ("json", Shape::Any)]);
        self.give(&call.name, shape);
    }

    fn call_fields(&mut self, call: &CallStep, shapes: &[Shape], tool: &Tool) {
        for (named, shape) in call.input.iter().zip(shapes) {
            if let Some(field) = tool.field(&named.name.value)
                && !takes(&field.kind, shape)
            {
                let message = format!(
                    "`{}` of `{}` is of type `{}`, and this is {}",
                    field.name.value,
                    tool.name.value,
                    field.kind.word(),
                    shape.word()
                );
                self.error(
                    "tool::wrong-type",
                    message,
                    named.value.place(),
                    "give it a value of that type",
                );
            }
        }
        for named in &call.input {
            if tool.field(&named.name.value).is_none_or(|field| field.internal) {
                let known = tool.input.iter().map(|field| field.name.value.as_str());
                let help = engine_policy::nearest(&named.name.value, known).map_or_else(
                    || "remove it".to_owned(),
                    |near| format!("did you mean `{near}`?"),
                );
                let message = format!("`{}` is no field of `{}`", named.name.value, tool.name.value);
                self.error("tool::unknown-field", message, named.name.place, &help);
            }
        }
        for field in tool.input.iter().filter(|field| field.required) {
            if !call.input.iter().any(|named| named.name == field.name) {
                let message = format!("`{}` needs `{}`", tool.name.value, field.name.value);
                self.error(
                    "tool::missing-value",
                    message,
                    call.tool.place(),
                    "give it a value",
                );
            }
        }
    }

    fn state(&mut self, state: &StateStep, step: &Step) {
        let shape = match &state.verb {
            StateVerb::Get { key } => {
                self.template(key);
                Shape::Any
            }
            StateVerb::Put { key, value, keep } => {
                self.writes(step);
                self.optional(key.as_ref());
                self.template(value);
                self.optional(keep.as_ref());
                Shape::object([("key", Shape::Plain)])
            }
            StateVerb::Update { key, changes } => {
                self.writes(step);
                self.template(key);
                for change in changes {
                    match change {
                        StateChange::Set(named) | StateChange::Append(named) | StateChange::Merge(named) => {
                            self.template(&named.value);
                        }
                        StateChange::Remove(_) => {}
                    }
                }
                Shape::Any
            }
            StateVerb::Delete { key } => {
                self.writes(step);
                self.template(key);
                Shape::Plain
            }
            StateVerb::List => Shape::list(Shape::Any),
        };
        if let Some(name) = &state.name {
            self.give(name, shape);
        }
    }
}
