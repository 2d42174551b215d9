//! The steps of a body, which the engine interprets for every tool alike.
//!
//! Invariant (decided one by one): each step that does something outside the session is itself decided under the policy, in the name of
//! the tool around it. Nothing in a step runs shell text that a value was put into: words of `run` are whole arguments, and values reach
//! `shell` only through variables.

use engine_policy::{HookEvent, Place, Spanned};
use smol_str::SmolStr;

use super::form::Form;
use crate::template::Template;

/// Most rounds of an `each` that does not say less.
pub const MAX_EACH: u32 = 1_000;

/// A template that may be left out.
pub type OptionTemplate = Option<Template>;

/// The steps of a tool, or of a block inside them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Body {
    /// Steps in order.
    pub steps: Vec<Step>,
    /// What becomes of the body when a step fails that does not say so itself.
    pub on_error: OnError,
    /// Steps of this body that may run at once; 1 runs them in order.
    pub max_concurrency: u32,
    /// Runs after a failure, in order, for what was done before it.
    pub rollback: Vec<Step>,
}

/// One step.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// What it does.
    pub action: Action,
    /// What becomes of the body when it fails; the body's own without it.
    pub on_error: Option<OnError>,
    /// Most runs of it at once within one call, as rounds that run beside each other make them.
    pub max_concurrency: Option<u32>,
    /// Runs when a later step of the body fails, in reverse order of the steps.
    pub rollback: Vec<Step>,
    /// The whole step.
    pub place: Place,
}

/// What follows a failure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnError {
    /// The body ends with the error.
    #[default]
    Stop,
    /// The next step runs; the name of the failed one holds `none`.
    Skip,
    /// The step is tried once more, then the body ends.
    Retry,
}

impl OnError {
    /// Every word of a definition.
    pub const ALL: &[(&str, Self)] = &[("stop", Self::Stop), ("skip", Self::Skip), ("retry", Self::Retry)];
}

/// What a step does.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// `run NAME PROGRAM ARG...`: a program with its arguments; never a shell.
    Run(RunStep),
    /// `shell NAME "TEXT"`: shell text that stands in the definition.
    Shell(ShellStep),
    /// `read NAME path=...`
    Read(ReadStep),
    /// `write NAME path=... content=...`
    Write(WriteStep),
    /// `edit NAME path=... old=... new=...`
    Edit(EditStep),
    /// `glob NAME pattern=...`
    Glob(GlobStep),
    /// `grep NAME pattern=...`
    Grep(GrepStep),
    /// `call NAME TOOL { field "template"; ... }`: another tool of the pool.
    Call(CallStep),
    /// `agent NAME TYPE { prompt ... }`: a sub-agent.
    Agent(AgentStep),
    /// `ask NAME { question "..." { option "..." } }` or `ask NAME questions="{{ list }}"`: the person.
    Ask(AskStep),
    /// `state VERB ...`: documents of the store.
    State(StateStep),
    /// `tools NAME query=... limit=...`: the deferred tools of the pool.
    Tools(ToolsStep),
    /// `task VERB ...`: background commands and agents.
    Task(TaskStep),
    /// `mcp VERB ...`: what MCP servers offer beside tools.
    Mcp(McpStep),
    /// `let NAME "template"`: a name for a value.
    Let(LetStep),
    /// `when "{{ condition }}" { ... }`, with the `otherwise` behind it.
    When(WhenStep),
    /// `each NAME in="{{ list }}" { ... }`
    Each(EachStep),
    /// `cache key=... for=... { ... }`: names given in the block are kept.
    Cache(CacheStep),
    /// `retry times=... { ... }`
    Retry(RetryStep),
    /// `set KEY "template"`: a change of the session's context.
    Set(Setting),
    /// `event NAME { field "template"; ... }`: hooks hear of something that the body did.
    Event(EventStep),
    /// `message "template"`: adds to the conversation.
    Message(MessageStep),
    /// `return "template"`: ends the body with a result.
    Return(ReturnStep),
    /// `fail "template"`: ends the body with an error.
    Fail(Template),
}

/// `run`. Its result has `stdout`, `stderr`, `code`, `timed_out`, in the background `task_id`, and what its form adds.
#[derive(Clone, Debug, PartialEq)]
pub struct RunStep {
    /// Name of the result.
    pub name: Spanned<SmolStr>,
    /// The program and its arguments.
    pub words: Vec<Words>,
    /// What it reads on standard input.
    pub stdin: OptionTemplate,
    /// Variables beside those of the session.
    pub env: Vec<Named>,
    /// Directory; that of the session without it.
    pub cwd: OptionTemplate,
    /// Milliseconds until it is ended.
    pub timeout: OptionTemplate,
    /// It goes on behind the call.
    pub background: OptionTemplate,
    /// What it prints.
    pub form: Form,
}

/// One argument, or as many as a list has items.
#[derive(Clone, Debug, PartialEq)]
pub enum Words {
    /// One word, whatever it holds.
    One(Template),
    /// Each item of a list a word.
    Each(Template),
}

/// A template with a name.
#[derive(Clone, Debug, PartialEq)]
pub struct Named {
    /// The name.
    pub name: Spanned<SmolStr>,
    /// The value.
    pub value: Template,
}

/// `shell`. Its result is that of `run`.
#[derive(Clone, Debug, PartialEq)]
pub struct ShellStep {
    /// Name of the result.
    pub name: Spanned<SmolStr>,
    /// The text, exactly as it runs.
    pub text: Spanned<SmolStr>,
    /// Variables that carry values into it.
    pub env: Vec<Named>,
    /// Directory; that of the session without it.
    pub cwd: OptionTemplate,
    /// Milliseconds until it is ended.
    pub timeout: OptionTemplate,
    /// It goes on behind the call.
    pub background: OptionTemplate,
    /// What it prints.
    pub form: Form,
}

/// `read`. Its result has `text`.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadStep {
    /// Name of the result.
    pub name: Spanned<SmolStr>,
    /// The file.
    pub path: Template,
    /// First line.
    pub offset: OptionTemplate,
    /// Number of lines.
    pub limit: OptionTemplate,
}

/// `write`. Its result has `path`, `created` and `diff`.
#[derive(Clone, Debug, PartialEq)]
pub struct WriteStep {
    /// Name of the result.
    pub name: Spanned<SmolStr>,
    /// The file.
    pub path: Template,
    /// All it holds afterwards.
    pub content: Template,
}

/// `edit`. Its result has `path`, `count` and `diff`.
#[derive(Clone, Debug, PartialEq)]
pub struct EditStep {
    /// Name of the result.
    pub name: Spanned<SmolStr>,
    /// The file.
    pub path: Template,
    /// The text that is replaced.
    pub old: Template,
    /// The text in its place.
    pub new: Template,
    /// Every occurrence.
    pub all: OptionTemplate,
}

/// `glob`. Its result has `paths` and `truncated`.
#[derive(Clone, Debug, PartialEq)]
pub struct GlobStep {
    /// Name of the result.
    pub name: Spanned<SmolStr>,
    /// The pattern.
    pub pattern: Template,
    /// Directory to look below.
    pub path: OptionTemplate,
}

/// `grep`. Its result has `text`.
#[derive(Clone, Debug, PartialEq)]
pub struct GrepStep {
    /// Name of the result.
    pub name: Spanned<SmolStr>,
    /// The regular expression.
    pub pattern: Template,
    /// File or directory to look in.
    pub path: OptionTemplate,
    /// Names of files to look at.
    pub glob: OptionTemplate,
    /// `content`, `files_with_matches` or `count`.
    pub mode: OptionTemplate,
    /// Most lines or files.
    pub limit: OptionTemplate,
}

/// `call`. Its result has `text` and `json` (the text as JSON where it is any).
#[derive(Clone, Debug, PartialEq)]
pub struct CallStep {
    /// Name of the result.
    pub name: Spanned<SmolStr>,
    /// The tool, MCP tools too.
    pub tool: Template,
    /// Fields of its input; one that is `none` is left out.
    pub input: Vec<Named>,
}

/// `agent`. Its result has `text`, `id`, and `branch` where it worked in a worktree of its own (else `none`).
#[derive(Clone, Debug, PartialEq)]
pub struct AgentStep {
    /// Name of the result.
    pub name: Spanned<SmolStr>,
    /// The type of agent; none where another one goes on.
    pub kind: OptionTemplate,
    /// What it is told.
    pub prompt: Template,
    /// Everything else (`description`, `model`, `background`, `isolation`, `cwd`, `name`, `team`, `mode`, `resume`, `skill`); one that is
    /// `none` is left out.
    pub options: Vec<Named>,
}

/// `ask`. Its result has `answers`, an object from question to answer; a person who declines ends the body.
#[derive(Clone, Debug, PartialEq)]
pub struct AskStep {
    /// Name of the result.
    pub name: Spanned<SmolStr>,
    /// What is asked.
    pub questions: Questions,
}

/// What a person is asked.
#[derive(Clone, Debug, PartialEq)]
pub enum Questions {
    /// A list of objects with `question`, `header`, `options` (of `label` and `description`) and `multiSelect`.
    Given(Template),
    /// Questions of the definition.
    Written(Vec<Question>),
}

/// One question.
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    /// What is asked.
    pub text: Template,
    /// A word or two above it.
    pub header: OptionTemplate,
    /// More than one answer may be given.
    pub several: bool,
    /// What can be answered; the person may also write something else.
    pub options: Vec<Choice>,
}

/// One answer that is offered.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// The answer.
    pub label: Template,
    /// What it means.
    pub about: OptionTemplate,
}

/// `state`: one atomic change of, or look at, the documents of a collection.
#[derive(Clone, Debug, PartialEq)]
pub struct StateStep {
    /// What it does.
    pub verb: StateVerb,
    /// Name of the result; verbs that change something may go without.
    pub name: Option<Spanned<SmolStr>>,
    /// The collection.
    pub collection: Spanned<SmolStr>,
}

/// What happens to a document.
#[derive(Clone, Debug, PartialEq)]
pub enum StateVerb {
    /// The document, `none` where there is none.
    Get {
        /// Its key.
        key: Template,
    },
    /// Makes or replaces a document. Its result has `key`.
    Put {
        /// Its key; the next whole number of the collection without one, which the document then has as `id`.
        key: OptionTemplate,
        /// The document.
        value: Template,
        /// `session` (the default) or `project`: how long it is kept.
        keep: OptionTemplate,
    },
    /// Changes fields of a document; its result is the document afterwards, `none` where there is none.
    Update {
        /// Its key.
        key: Template,
        /// The changes, in order.
        changes: Vec<StateChange>,
    },
    /// Removes a document; its result says whether there was one.
    Delete {
        /// Its key.
        key: Template,
    },
    /// All documents of the collection in the order of their keys, numbers first and as numbers.
    List,
}

/// A change of one field of a document. A value that is `none` changes nothing.
#[derive(Clone, Debug, PartialEq)]
pub enum StateChange {
    /// Replaces it.
    Set(Named),
    /// Adds the items of a list that it does not hold yet.
    Append(Named),
    /// Adds the keys of an object; a key whose value is null is removed.
    Merge(Named),
    /// Removes it.
    Remove(Spanned<SmolStr>),
}

/// `tools`. Its result has `names`, `schemas` and `deferred` (the number of all deferred tools).
#[derive(Clone, Debug, PartialEq)]
pub struct ToolsStep {
    /// Name of the result.
    pub name: Spanned<SmolStr>,
    /// What is looked for.
    pub query: Template,
    /// Most results.
    pub limit: OptionTemplate,
}

/// `task`.
#[derive(Clone, Debug, PartialEq)]
pub struct TaskStep {
    /// What it does.
    pub verb: TaskVerb,
    /// Name of the result.
    pub name: Spanned<SmolStr>,
}

/// What happens to background tasks.
#[derive(Clone, Debug, PartialEq)]
pub enum TaskVerb {
    /// Has `status` (`running`, `completed`, `failed`, `killed`), `output`, `code` and `kind`; `none` where there is no such task.
    Output {
        /// The task.
        id: Template,
        /// Waits for its end.
        block: OptionTemplate,
        /// Milliseconds to wait at most.
        timeout: OptionTemplate,
    },
    /// Ends it. Has `status` (what it was) and `command`; `none` where there is no such task.
    Stop {
        /// The task.
        id: Template,
    },
    /// A list of objects with `id`, `status`, `kind` and `command`.
    List,
}

/// `mcp`.
#[derive(Clone, Debug, PartialEq)]
pub struct McpStep {
    /// What it does.
    pub verb: McpVerb,
    /// Name of the result.
    pub name: Spanned<SmolStr>,
}

/// What is asked of MCP servers.
#[derive(Clone, Debug, PartialEq)]
pub enum McpVerb {
    /// A list of objects with `server`, `uri`, `name`, `mimeType` and `description`.
    Resources {
        /// One server; all without it.
        server: OptionTemplate,
    },
    /// Has `contents`.
    Read {
        /// The server.
        server: Template,
        /// The resource.
        uri: Template,
    },
    /// Starts its sign-in. Has `url`.
    SignIn {
        /// The server.
        server: Template,
    },
}

/// `let`.
#[derive(Clone, Debug, PartialEq)]
pub struct LetStep {
    /// The name.
    pub name: Spanned<SmolStr>,
    /// Its value.
    pub value: Template,
}

/// `when`, with the `otherwise` behind it.
#[derive(Clone, Debug, PartialEq)]
pub struct WhenStep {
    /// The condition.
    pub condition: Template,
    /// Runs where it holds.
    pub then: Body,
    /// Runs where it does not.
    pub otherwise: Option<Body>,
}

/// `each`. What rounds name ends with them; `collect` keeps a value of each.
#[derive(Clone, Debug, PartialEq)]
pub struct EachStep {
    /// Name of the item.
    pub item: Spanned<SmolStr>,
    /// The list.
    pub list: Template,
    /// Most items; a longer list is an error before the first round.
    pub max: u32,
    /// Rounds that may run at once.
    pub max_concurrency: u32,
    /// Name of the list of what rounds give, in the order of the items, and what each gives.
    pub collect: Option<(Spanned<SmolStr>, Template)>,
    /// One round.
    pub body: Body,
}

/// `cache`.
#[derive(Clone, Debug, PartialEq)]
pub struct CacheStep {
    /// Names the entry, together with the tool.
    pub key: Template,
    /// Milliseconds until it is forgotten.
    pub for_ms: u64,
    /// What fills it.
    pub body: Body,
}

/// `retry`.
#[derive(Clone, Debug, PartialEq)]
pub struct RetryStep {
    /// Tries in all, 2 to 10.
    pub times: u32,
    /// Milliseconds before the second try, doubled before each further one.
    pub delay_ms: u64,
    /// What is tried.
    pub body: Body,
}

/// `set`: a change that the scheduler applies.
#[derive(Clone, Debug, PartialEq)]
pub struct Setting {
    /// What changes.
    pub key: ContextKey,
    /// To what.
    pub value: Template,
}

/// What a body may change about the session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContextKey {
    /// The mode of deciding: `plan`, or `previous`, the one before it. Never to a laxer one than the person chose.
    Mode,
    /// The working directory.
    Cwd,
    /// The model.
    Model,
}

impl ContextKey {
    /// Every word of a definition.
    pub const ALL: &[(&str, Self)] = &[("mode", Self::Mode), ("cwd", Self::Cwd), ("model", Self::Model)];
}

/// `event`. A hook that refuses what happened fails the step, and so rolls back what was done before it.
#[derive(Clone, Debug, PartialEq)]
pub struct EventStep {
    /// What happened.
    pub event: Spanned<HookEvent>,
    /// What hooks are told of it; one that is `none` is left out.
    pub fields: Vec<Named>,
}

/// An event that bodies report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reported {
    /// The event.
    pub event: HookEvent,
    /// Fields that hooks are told.
    pub fields: &'static [&'static str],
    /// How many of these, from the first, cannot be left out.
    pub needed: usize,
}

impl Reported {
    /// Every event that bodies report.
    pub const ALL: &[Self] = &[Self {
        event: HookEvent::TaskCreated,
        fields: &[
            "task_id",
            "task_subject",
            "task_description",
            "teammate_name",
            "team_name",
        ],
        needed: 2,
    }];

    /// What is known of an event, if bodies report it.
    #[must_use]
    pub fn of(event: HookEvent) -> Option<&'static Self> {
        Self::ALL.iter().find(|own| own.event == event)
    }
}

/// `message`.
#[derive(Clone, Debug, PartialEq)]
pub struct MessageStep {
    /// Whose it is.
    pub speaker: Speaker,
    /// What it says.
    pub text: Template,
}

/// Whom a message is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Speaker {
    /// Told to the model as the system's.
    #[default]
    System,
    /// Told to the model as the person's.
    User,
    /// Shown to the person.
    Person,
}

impl Speaker {
    /// Every word of a definition.
    pub const ALL: &[(&str, Self)] = &[
        ("system", Self::System),
        ("user", Self::User),
        ("person", Self::Person),
    ];
}

/// `return`.
#[derive(Clone, Debug, PartialEq)]
pub struct ReturnStep {
    /// The text of the result; none where references are all of it.
    pub text: OptionTemplate,
    /// A question that a small model answers from the text, in place of the text; without a model the text stands.
    pub summarise: OptionTemplate,
    /// A list of names of tools that the result refers to, for APIs that expand them; the text is for those that do not.
    pub references: OptionTemplate,
}

impl Action {
    /// The word that begins it.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Self::Run(_) => "run",
            Self::Shell(_) => "shell",
            Self::Read(_) => "read",
            Self::Write(_) => "write",
            Self::Edit(_) => "edit",
            Self::Glob(_) => "glob",
            Self::Grep(_) => "grep",
            Self::Call(_) => "call",
            Self::Agent(_) => "agent",
            Self::Ask(_) => "ask",
            Self::State(_) => "state",
            Self::Tools(_) => "tools",
            Self::Task(_) => "task",
            Self::Mcp(_) => "mcp",
            Self::Let(_) => "let",
            Self::When(_) => "when",
            Self::Each(_) => "each",
            Self::Cache(_) => "cache",
            Self::Retry(_) => "retry",
            Self::Set(_) => "set",
            Self::Event(_) => "event",
            Self::Message(_) => "message",
            Self::Return(_) => "return",
            Self::Fail(_) => "fail",
        }
    }
}
