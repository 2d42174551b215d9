//! One tool as its definition says it.

use engine_policy::{Place, Spanned};
use smol_str::SmolStr;

use super::field::Field;
use super::step::Body;
use crate::template::Template;

/// Longest name of a tool that model APIs take.
const MAX_NAME: usize = 64;

/// Whether a text can be the name of a tool: letters, digits, `_` and `-`, not first a digit or `-`, at most 64 of them.
#[must_use]
pub fn is_tool_name(name: &str) -> bool {
    name.len() <= MAX_NAME
        && name
            .bytes()
            .next()
            .is_some_and(|first| first.is_ascii_alphabetic() || first == b'_')
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
}

/// A tool definition.
///
/// Whatever a definition leaves out has the strictest meaning: not read-only, not concurrency-safe, a budget.
#[derive(Clone, Debug, PartialEq)]
pub struct Tool {
    /// The name that models call.
    pub name: Spanned<SmolStr>,
    /// Older names that still reach it; never shown.
    pub aliases: Vec<Spanned<SmolStr>>,
    /// One line about it.
    pub about: SmolStr,
    /// The description that models read.
    pub prompt: Prompt,
    /// What a person sees in place of the name.
    pub user_facing_name: Option<Template>,
    /// The fields of the input, in the order of the definition.
    pub input: Vec<Field>,
    /// It changes nothing outside the session.
    pub read_only: Flag,
    /// It may run beside other calls that may.
    pub concurrency_safe: Flag,
    /// What it does cannot be undone.
    pub destructive: Flag,
    /// How much of a result a model is shown.
    pub budget: Budget,
    /// Whether its schema waits for `ToolSearch`.
    pub deferral: Deferral,
    /// It is part of the pool only where this holds; always without it.
    pub enabled_when: Option<Template>,
    /// Further words that `ToolSearch` finds it by.
    pub search_hint: Option<SmolStr>,
    /// What a person approves once, such as `domain:docs.rs`.
    pub result_name: Option<Template>,
    /// Hosts that its `connects` fields may name without a question.
    pub preapproved_hosts: Vec<Spanned<SmolStr>>,
    /// What a person's interrupt does to a running call.
    pub interrupt: Interrupt,
    /// What must be there before it can be shown.
    pub needs: Vec<Need>,
    /// Who does the work.
    pub work: Work,
    /// The whole definition.
    pub place: Place,
}

/// The long description.
#[derive(Clone, Debug, PartialEq)]
pub enum Prompt {
    /// The line of `about` is all there is.
    About,
    /// A template over the facts of the session.
    Text(Template),
    /// A file of prompts that was not brought along; its name.
    Missing(Spanned<SmolStr>),
}

/// A property of a call that may depend on its input.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Flag {
    /// It does not hold.
    #[default]
    Never,
    /// It holds.
    Always,
    /// The analysis of the shell text decides.
    ByAnalysis,
    /// A condition over `input` and `facts` decides.
    When(Template),
}

/// How many characters of a result a model is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Budget {
    /// At most so many, and never more than the limit of the system.
    Chars(u32),
    /// All of it, never put on disk: the tool bounds its results itself.
    Unlimited,
}

impl Default for Budget {
    fn default() -> Self {
        Self::Chars(50_000)
    }
}

/// When a model is shown the schema.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Deferral {
    /// At once, unless a policy defers it.
    #[default]
    Shown,
    /// At once, whatever a policy says.
    AlwaysLoad,
    /// After `ToolSearch` found it.
    Deferred,
}

/// What an interrupt does to a running call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Interrupt {
    /// The call waits for its end.
    #[default]
    Block,
    /// The call is given up.
    Cancel,
}

/// Something that a session may lack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Need {
    /// An engine that runs sub-agents.
    Agent,
    /// MCP servers.
    Mcp,
    /// A configured remote service.
    RemoteService,
}

impl Need {
    /// Every need with its word in a definition.
    pub const ALL: &[(&str, Self)] = &[
        ("agent", Self::Agent),
        ("mcp", Self::Mcp),
        ("remote-service", Self::RemoteService),
    ];

    /// Why a tool that needs it is not shown.
    #[must_use]
    pub fn reason(self) -> &'static str {
        match self {
            Self::Agent => "nothing runs sub-agents in this session",
            Self::Mcp => "no MCP server is connected in this session",
            Self::RemoteService => "no remote service is configured",
        }
    }
}

/// Who does the work of a tool.
#[derive(Clone, Debug, PartialEq)]
pub enum Work {
    /// A native handler.
    Handler(Handler),
    /// Steps that the engine interprets.
    Body(Body),
}

/// The native handlers: three families, all there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Handler {
    /// Runs shell text.
    BashRun,
    /// Reads a file.
    FileRead,
    /// Creates or overwrites a file.
    FileWrite,
    /// Replaces text in a file.
    FileEdit,
    /// Changes a cell of a notebook.
    FileNotebook,
    /// Finds files by name.
    SearchGlob,
    /// Finds lines by a regular expression.
    SearchGrep,
}

impl Handler {
    /// Every handler with its name in a definition.
    pub const ALL: &[(&str, Self)] = &[
        ("bash.run", Self::BashRun),
        ("file.read", Self::FileRead),
        ("file.write", Self::FileWrite),
        ("file.edit", Self::FileEdit),
        ("file.notebook", Self::FileNotebook),
        ("search.glob", Self::SearchGlob),
        ("search.grep", Self::SearchGrep),
    ];
}

impl Tool {
    /// The field of a name.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<&Field> {
        self.input.iter().find(|field| field.name.value == name)
    }

    /// The name and every older name.
    pub fn names(&self) -> impl Iterator<Item = &Spanned<SmolStr>> {
        std::iter::once(&self.name).chain(&self.aliases)
    }
}
