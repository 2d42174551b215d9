//! One step at a time: what each kind does.

use std::ffi::OsString;
use std::time::Duration;

use engine_policy::{Mode, Outcome};
use engine_tools::definition::{
    Action, AskStep, Body, CallStep, ContextKey, EventStep, Form, GlobStep, GrepStep, Named, OptionTemplate,
    Questions, ReadStep, ReturnStep, RunStep, Setting, ShellStep, Speaker, Step, TaskStep, TaskVerb, Words,
    Work as ToolWork,
};
use engine_tools::pool::Entry;
use engine_tools::template::{Scope, Value};
use engine_tools::{Block, Output, Sender};
use serde_json::{Map, Value as Json, json};
use smol_str::SmolStr;

use super::{Failure, Flow, Run, Went};
use crate::bash::{End, TaskId, TaskView, Work};
use crate::native::{Program, run_program};
use crate::permission::blocked;
use crate::session::Change;
use crate::valid::Valid;

/// Names that a step gives to values.
pub(super) fn names_of(step: &Step) -> Vec<SmolStr> {
    let one = |name: &engine_policy::Spanned<SmolStr>| vec![name.value.clone()];
    let within = |body: &Body| body.steps.iter().flat_map(names_of).collect::<Vec<_>>();
    match &step.action {
        Action::Run(step) => one(&step.name),
        Action::Shell(step) => one(&step.name),
        Action::Read(step) => one(&step.name),
        Action::Write(step) => one(&step.name),
        Action::Edit(step) => one(&step.name),
        Action::Glob(step) => one(&step.name),
        Action::Grep(step) => one(&step.name),
        Action::Call(step) => one(&step.name),
        Action::Agent(step) => one(&step.name),
        Action::Ask(step) => one(&step.name),
        Action::State(step) => step.name.iter().map(|name| name.value.clone()).collect(),
        Action::Tools(step) => one(&step.name),
        Action::Task(step) => one(&step.name),
        Action::Mcp(step) => one(&step.name),
        Action::Let(step) => one(&step.name),
        Action::When(step) => {
            let mut names = within(&step.then);
            names.extend(step.otherwise.iter().flat_map(within));
            names
        }
        Action::Each(step) => step.collect.iter().map(|(name, _)| name.value.clone()).collect(),
        Action::Cache(step) => within(&step.body),
        Action::Retry(step) => within(&step.body),
        Action::Event(_) | Action::Set(_) | Action::Message(_) | Action::Return(_) | Action::Fail(_) => {
            Vec::new()
        }
    }
}

impl Run<'_> {
    pub(super) async fn step(&self, step: &Step, scope: &mut Scope) -> Result<Went, Failure> {
        let _turn = self.turn_of(step).await;
        match &step.action {
            Action::Run(run) => self.program(run, scope).await?,
            Action::Shell(shell) => self.shell(shell, scope).await?,
            Action::Read(read) => self.read(read, scope).await?,
            Action::Write(write) => {
                let fields = [("file_path", &write.path), ("content", &write.content)];
                let input = given(&fields, &[], scope)?;
                self.named(&write.name.value, "Write", input, scope).await?;
            }
            Action::Edit(edit) => {
                let fields = [
                    ("file_path", &edit.path),
                    ("old_string", &edit.old),
                    ("new_string", &edit.new),
                ];
                let input = given(&fields, &[("replace_all", &edit.all)], scope)?;
                self.named(&edit.name.value, "Edit", input, scope).await?;
            }
            Action::Glob(glob) => self.glob(glob, scope).await?,
            Action::Grep(grep) => self.grep(grep, scope).await?,
            Action::Call(call) => self.call(call, scope).await?,
            Action::Agent(_) => {
                return Err(Failure::Failed(
                    "nothing runs sub-agents in this session".to_owned(),
                ));
            }
            Action::Mcp(_) => {
                return Err(Failure::Failed(
                    "no MCP server is connected in this session".to_owned(),
                ));
            }
            Action::Ask(ask) => self.ask(ask, scope).await?,
            Action::State(state) => self.state(state, scope).await?,
            Action::Tools(tools) => {
                let query = tools.query.render(scope)?;
                let limit = number(&tools.limit, scope)?.unwrap_or(DEFAULT_FOUND);
                let found = self
                    .session()
                    .find_tools(&query, usize::try_from(limit).unwrap_or(usize::MAX));
                scope.set(&tools.name.value, found);
            }
            Action::Task(task) => self.task(task, scope).await?,
            Action::Let(step) => {
                let value = step.value.evaluate(scope)?;
                scope.set(&step.name.value, value);
            }
            Action::When(when) => {
                if when.condition.holds(scope)? {
                    return self.body(&when.then, scope).await;
                }
                if let Some(otherwise) = &when.otherwise {
                    return self.body(otherwise, scope).await;
                }
            }
            Action::Each(each) => return self.each(each, scope).await,
            Action::Cache(cache) => return self.cache(cache, scope).await,
            Action::Retry(retry) => return self.retry(retry, scope).await,
            Action::Set(setting) => self.set(setting, scope)?,
            Action::Event(event) => self.event(event, scope).await?,
            Action::Message(message) => {
                let text = message.text.render(scope)?;
                self.say(message.speaker, text);
            }
            Action::Return(step) => {
                return Ok(Went {
                    flow: returned(step, scope)?,
                    undo: Vec::new(),
                });
            }
            Action::Fail(text) => return Err(Failure::Failed(text.render(scope)?)),
        }
        Ok(Went::on())
    }

    async fn program(&self, run: &RunStep, scope: &mut Scope) -> Result<(), Failure> {
        let mut words = Vec::new();
        for word in &run.words {
            match word {
                Words::One(template) => words.push(template.render(scope)?),
                Words::Each(template) => {
                    let list = template.evaluate(scope)?;
                    let items = list
                        .items()
                        .ok_or_else(|| Failure::Failed(format!("`{}` is no list", template.source())))?;
                    words.extend(items.iter().map(Value::to_text));
                }
            }
        }
        if words.iter().any(|word| word.contains('\0')) {
            return Err(Failure::Failed("a word of a program holds a NUL".to_owned()));
        }
        let mut words = words.into_iter();
        let program = words
            .next()
            .ok_or_else(|| Failure::Failed("there is no program to run".to_owned()))?;
        let input = match &run.stdin {
            Some(stdin) => stdin.render(scope)?.into_bytes(),
            None => Vec::new(),
        };
        let program = Program {
            work: Work::Words {
                program: program.into(),
                arguments: words.map(OsString::from).collect(),
                input,
            },
            env: variables(&run.env, scope)?,
            cwd: text(&run.cwd, scope)?,
            timeout: number(&run.timeout, scope)?,
            background: holds(&run.background, scope)?,
        };
        self.start((&run.name.value, run.form), program, scope).await
    }

    async fn shell(&self, shell: &ShellStep, scope: &mut Scope) -> Result<(), Failure> {
        let program = Program {
            work: Work::Text(shell.text.value.to_string()),
            env: variables(&shell.env, scope)?,
            cwd: text(&shell.cwd, scope)?,
            timeout: number(&shell.timeout, scope)?,
            background: holds(&shell.background, scope)?,
        };
        self.start((&shell.name.value, shell.form), program, scope).await
    }

    async fn start(
        &self,
        (name, form): (&str, Form),
        program: Program,
        scope: &mut Scope,
    ) -> Result<(), Failure> {
        let (mut value, end) = run_program(self.inner(), program).await?;
        if end == Some(End::Cancelled) {
            return Err(Failure::Stopped);
        }
        if let Some(result) = value.as_object_mut() {
            form.spread(result);
        }
        scope.set(name, Value::of_json(&value));
        Ok(())
    }

    async fn read(&self, read: &ReadStep, scope: &mut Scope) -> Result<(), Failure> {
        let input = given(
            &[("file_path", &read.path)],
            &[("offset", &read.offset), ("limit", &read.limit)],
            scope,
        )?;
        self.named(&read.name.value, "Read", input, scope).await
    }

    async fn glob(&self, glob: &GlobStep, scope: &mut Scope) -> Result<(), Failure> {
        let input = given(&[("pattern", &glob.pattern)], &[("path", &glob.path)], scope)?;
        self.named(&glob.name.value, "Glob", input, scope).await
    }

    async fn grep(&self, grep: &GrepStep, scope: &mut Scope) -> Result<(), Failure> {
        let optional = [
            ("path", &grep.path),
            ("glob", &grep.glob),
            ("output_mode", &grep.mode),
            ("head_limit", &grep.limit),
        ];
        let input = given(&[("pattern", &grep.pattern)], &optional, scope)?;
        self.named(&grep.name.value, "Grep", input, scope).await
    }

    async fn call(&self, call: &CallStep, scope: &mut Scope) -> Result<(), Failure> {
        let tool = call.tool.render(scope)?;
        let mut input = Map::new();
        for field in &call.input {
            let value = field.value.json(scope)?;
            if !value.is_null() {
                input.insert(field.name.value.to_string(), value);
            }
        }
        self.named(&call.name.value, &tool, input, scope).await
    }

    /// Calls a tool as a step; its result gets a name.
    async fn named(
        &self,
        name: &str,
        tool: &str,
        input: Map<String, Json>,
        scope: &mut Scope,
    ) -> Result<(), Failure> {
        let pool = self.session().pool();
        let Some(Entry::Declared(tool)) = pool.get(tool) else {
            return Err(Failure::Failed(format!("there is no tool `{tool}` to call")));
        };
        let call = Valid::new(tool, &Json::Object(input), Sender::Engine)
            .map_err(|error| Failure::Failed(error.to_string()))?;
        let inner = self.inner();
        let answer = match &tool.work {
            ToolWork::Handler(handler) => crate::native::run(inner, *handler, &call).await?,
            ToolWork::Body(body) => Box::pin(super::run(inner, body, &call)).await?,
        };
        for change in answer.changes {
            self.change(change);
        }
        let shown: String = answer
            .output
            .blocks
            .iter()
            .filter_map(|block| match block {
                Block::Text(text) => Some(text.as_str()),
                Block::Image { .. } | Block::ToolReference(_) => None,
            })
            .collect();
        if answer.output.is_error {
            return Err(Failure::Failed(shown));
        }
        let mut value = match answer.value {
            Json::Object(map) => map,
            Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) | Json::Array(_) => Map::new(),
        };
        value
            .entry("json")
            .or_insert_with(|| serde_json::from_str(&shown).unwrap_or(Json::Null));
        value.entry("text").or_insert(shown.into());
        scope.set(name, Value::of_json(&Json::Object(value)));
        Ok(())
    }

    async fn ask(&self, ask: &AskStep, scope: &mut Scope) -> Result<(), Failure> {
        let questions = match &ask.questions {
            Questions::Given(template) => template.json(scope)?,
            Questions::Written(questions) => {
                let mut all = Vec::new();
                for question in questions {
                    let mut options = Vec::new();
                    for choice in &question.options {
                        options.push(json!({
                            "label": choice.label.render(scope)?,
                            "description": text(&choice.about, scope)?.unwrap_or_default(),
                        }));
                    }
                    all.push(json!({
                        "question": question.text.render(scope)?,
                        "header": text(&question.header, scope)?.unwrap_or_default(),
                        "multiSelect": question.several,
                        "options": options,
                    }));
                }
                Json::Array(all)
            }
        };
        let answers = tokio::select! {
            answers = self.session().parts.person.answers(&questions) => answers,
            () = self.cancel().cancelled() => return Err(Failure::Stopped),
        };
        let answers = answers.ok_or_else(|| {
            Failure::Failed("The person did not answer; nobody may be there to be asked.".to_owned())
        })?;
        scope.set(&ask.name.value, Value::of_json(&json!({ "answers": answers })));
        Ok(())
    }

    async fn task(&self, task: &TaskStep, scope: &mut Scope) -> Result<(), Failure> {
        let tasks = &self.session().parts.tasks;
        let value = match &task.verb {
            TaskVerb::Output { id, block, timeout } => {
                let wait = if holds(block, scope)? {
                    Some(Duration::from_millis(
                        number(timeout, scope)?.unwrap_or(DEFAULT_WAIT_MS),
                    ))
                } else {
                    None
                };
                match id.render(scope)?.parse::<TaskId>() {
                    Err(_) => Json::Null,
                    Ok(id) => tokio::select! {
                        view = tasks.output(id, wait) => view.map_or(Json::Null, |view| output_of(&view)),
                        () = self.cancel().cancelled() => return Err(Failure::Stopped),
                    },
                }
            }
            TaskVerb::Stop { id } => match id.render(scope)?.parse::<TaskId>() {
                Err(_) => Json::Null,
                Ok(id) => match tasks.output(id, None).await {
                    Err(_) => Json::Null,
                    Ok(before) => {
                        // Stopping one that has ended meanwhile changes nothing.
                        let _ended = tasks.stop(id).await;
                        json!({ "status": status_of(&before), "command": before.label })
                    }
                },
            },
            TaskVerb::List => tasks
                .list()
                .iter()
                .map(|view| {
                    json!({
                        "id": view.id.to_string(),
                        "status": status_of(view),
                        "kind": KIND,
                        "command": view.label,
                    })
                })
                .collect(),
        };
        scope.set(&task.name.value, Value::of_json(&value));
        Ok(())
    }

    async fn event(&self, event: &EventStep, scope: &Scope) -> Result<(), Failure> {
        let mut told = Map::new();
        for field in &event.fields {
            let value = field.value.json(scope)?;
            if !value.is_null() {
                told.insert(field.name.value.to_string(), value);
            }
        }
        let heard = self
            .session()
            .reported(event.event.value, self.around.call, told, self.cancel())
            .await;
        for text in heard.map_err(|reason| Failure::Failed(blocked(&reason)))? {
            self.say(Speaker::System, text);
        }
        Ok(())
    }

    fn set(&self, setting: &Setting, scope: &Scope) -> Result<(), Failure> {
        let value = setting.value.render(scope)?;
        let change = match setting.key {
            ContextKey::Mode => Change::Mode(self.mode_of(&value)?),
            ContextKey::Cwd => Change::Cwd(self.directory_of(&value)?),
            ContextKey::Model => Change::Model(value),
        };
        self.change(change);
        Ok(())
    }

    /// A mode that a body may set: `plan`, or `previous`, the one that the session was in before it.
    fn mode_of(&self, word: &str) -> Result<Mode, Failure> {
        let own = self.session().working_mode();
        let mode = match word {
            "previous" => own,
            word => Mode::ALL
                .iter()
                .find(|(known, _)| *known == word)
                .map(|(_, mode)| *mode)
                .ok_or_else(|| Failure::Failed(format!("`{word}` is no mode")))?,
        };
        if mode != own && mode != Mode::Plan {
            return Err(Failure::Failed(format!(
                "a tool can set the mode to `plan` or back to `{}`, not to `{word}`",
                own.as_str()
            )));
        }
        if self.session().parts.plan.mode_allowed(mode) == Outcome::Deny {
            return Err(Failure::Failed(format!(
                "the policy does not allow the mode `{}`",
                mode.as_str()
            )));
        }
        Ok(mode)
    }

    /// A directory that calls may start in: one of the project, or a worktree of its repository.
    fn directory_of(&self, path: &str) -> Result<String, Failure> {
        let world = (self.session().parts.world)();
        let absolute = engine_policy::join_path(&self.session().context().cwd, path);
        let real = world
            .real_path(&absolute)
            .filter(|real| world.is_directory(real) == Some(true))
            .ok_or_else(|| Failure::Failed(format!("`{path}` is no directory")))?;
        if engine_policy::below(&real, &self.session().parts.project).is_some() {
            Ok(real)
        } else {
            Err(Failure::Failed(format!("`{path}` is outside the project")))
        }
    }
}

/// How long the output of a task is waited for, unless a step says so: 30 s.
const DEFAULT_WAIT_MS: u64 = 30_000;

/// The kind of a task that is a command.
const KIND: &str = "local_bash";

fn status_of(view: &TaskView) -> &'static str {
    match view.finished.as_deref().map(|finished| finished.end) {
        None => "running",
        Some(End::Exited(0)) => "completed",
        Some(End::Exited(_) | End::Signalled(_) | End::TimedOut(_) | End::Lost) => "failed",
        Some(End::Cancelled) => "killed",
    }
}

fn output_of(view: &TaskView) -> Json {
    let output = if view.output.is_whole() {
        view.output.text()
    } else {
        let file = view
            .file
            .as_ref()
            .map(|file| file.display().to_string())
            .unwrap_or_default();
        format!(
            "[the whole output is in {file}; it ends with]\n{}",
            view.output.tail_text()
        )
    };
    let code = match view.finished.as_deref().map(|finished| finished.end) {
        Some(End::Exited(code)) => Json::from(code),
        Some(End::Signalled(_) | End::TimedOut(_) | End::Cancelled | End::Lost) | None => Json::Null,
    };
    json!({ "status": status_of(view), "output": output, "code": code, "kind": KIND })
}

/// Tools that a search finds at most, unless it says so.
const DEFAULT_FOUND: u64 = 5;

fn text(template: &OptionTemplate, scope: &Scope) -> Result<Option<String>, Failure> {
    match template {
        None => Ok(None),
        Some(template) => {
            let value = template.evaluate(scope)?;
            Ok((!value.is_none()).then(|| value.to_text()))
        }
    }
}

fn number(template: &OptionTemplate, scope: &Scope) -> Result<Option<u64>, Failure> {
    let Some(template) = template else {
        return Ok(None);
    };
    let value = template.evaluate(scope)?;
    if value.is_none() {
        return Ok(None);
    }
    value
        .as_integer()
        .and_then(|number| u64::try_from(number).ok())
        .map(Some)
        .ok_or_else(|| Failure::Failed(format!("`{}` is no whole number", template.source())))
}

fn holds(template: &OptionTemplate, scope: &Scope) -> Result<bool, Failure> {
    match template {
        None => Ok(false),
        Some(template) => Ok(template.holds(scope)?),
    }
}

fn variables(named: &[Named], scope: &Scope) -> Result<Vec<(String, String)>, Failure> {
    let mut variables = Vec::new();
    for one in named {
        let value = one.value.render(scope)?;
        if value.contains('\0') {
            return Err(Failure::Failed(format!(
                "the variable {} holds a NUL",
                one.name.value
            )));
        }
        variables.push((one.name.value.to_string(), value));
    }
    Ok(variables)
}

/// The input of a native tool, of templates that give a value and those that may give none.
fn given(
    fields: &[(&str, &engine_tools::template::Template)],
    optional: &[(&str, &OptionTemplate)],
    scope: &Scope,
) -> Result<Map<String, Json>, Failure> {
    let mut input = Map::new();
    for (name, template) in fields {
        input.insert((*name).to_owned(), template.render(scope)?.into());
    }
    for (name, template) in optional {
        if let Some(template) = template {
            let value = template.json(scope)?;
            if !value.is_null() {
                input.insert((*name).to_owned(), value);
            }
        }
    }
    Ok(input)
}

fn returned(step: &ReturnStep, scope: &Scope) -> Result<Flow, Failure> {
    let mut blocks = Vec::new();
    let mut value = Json::Null;
    if let Some(references) = &step.references {
        let list = references.evaluate(scope)?;
        let names = list.items().unwrap_or_default();
        blocks.extend(names.iter().map(|name| Block::ToolReference(name.to_text())));
    }
    if let Some(text) = &step.text {
        value = text.json(scope)?;
        blocks.push(Block::Text(text.render(scope)?));
    }
    let output = Output {
        blocks,
        is_error: false,
    };
    Ok(Flow::Return(output, value))
}
