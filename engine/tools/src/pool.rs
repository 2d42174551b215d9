//! The tools of a session: which there are, in which order, and which of them wait for `ToolSearch`.
//!
//! Stages, each a function of its own: definitions, [`enabled`], [`allowed`], [`in_mode`], [`append_mcp`]; [`Pool::build`] runs them in
//! that order.
//!
//! Invariant (stable prefix): declared tools come first, sorted by name, then tools of MCP servers, sorted by name. Servers that come
//! and go change nothing before them.
//! Invariant (one per name): a name, older names included, stands for one tool; a declared one wins over one of a server.

mod search;

use std::collections::BTreeSet;
use std::sync::Arc;

use smol_str::SmolStr;

use crate::definition::{
    Action, Body, Budget, ContextKey, Deferral, Flag, Need, Prompt, Role, Step, Tool, Work,
};
use crate::schema::Schema;
use crate::template::{Scope, TemplateError};

pub use search::{Found, SearchIndex};

/// A tool of an MCP server.
#[derive(Clone, Debug, PartialEq)]
pub struct McpTool {
    /// The server.
    pub server: SmolStr,
    /// The name that models call: `mcp__SERVER__TOOL`.
    pub name: SmolStr,
    /// The server's description.
    pub about: String,
    /// The server's own schema, passed on as it is.
    pub schema: Schema,
    /// It says that it changes nothing.
    pub read_only_hint: bool,
    /// It says that it can destroy something.
    pub destructive_hint: bool,
    /// It is shown at once.
    pub always_load: bool,
    /// Further words that `ToolSearch` finds it by.
    pub search_hint: Option<String>,
}

/// One tool of a pool.
#[derive(Clone, Debug, PartialEq)]
pub enum Entry {
    /// A declared tool.
    Declared(Arc<Tool>),
    /// A tool of an MCP server.
    Mcp(Arc<McpTool>),
}

/// Which tools a mode shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Filter {
    /// All.
    #[default]
    All,
    /// What can be read-only, and what leaves the mode again.
    Plan,
    /// `Bash`, `Read` and `Edit`.
    Simple,
}

/// A tool that is not in the pool, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// The tool.
    pub name: SmolStr,
    /// Why, one line.
    pub reason: String,
}

/// What a session has, for the stages of a pool.
pub struct Session<'s> {
    /// The facts, as templates see them.
    pub facts: &'s Scope,
    /// What there is of what tools may need.
    pub has: &'s [Need],
    /// Whether a policy denies every call of a tool of this name.
    pub denied: &'s dyn Fn(&str) -> bool,
    /// What the mode shows.
    pub filter: Filter,
    /// What a policy says about deferring a tool of this name.
    pub defers: &'s dyn Fn(&str) -> Option<bool>,
    /// Sub-agents are forks of the conversation.
    pub forks: bool,
}

impl std::fmt::Debug for Session<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Session")
            .field("facts", &self.facts)
            .field("has", &self.has)
            .field("filter", &self.filter)
            .field("forks", &self.forks)
            .finish_non_exhaustive()
    }
}

/// The tools of a session.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pool {
    entries: Vec<Entry>,
    /// Beside each entry: whether its schema waits for `ToolSearch`.
    deferred: Vec<bool>,
    left_out: Vec<LeftOut>,
}

impl Entry {
    /// The name that models call.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Declared(tool) => &tool.name.value,
            Self::Mcp(tool) => &tool.name,
        }
    }

    /// Whether it goes by a name, older names included.
    #[must_use]
    pub fn goes_by(&self, name: &str) -> bool {
        match self {
            Self::Declared(tool) => tool.names().any(|known| known.value == name),
            Self::Mcp(tool) => tool.name == name,
        }
    }

    /// The description that models read.
    pub fn description(&self, facts: &Scope) -> Result<String, TemplateError> {
        match self {
            Self::Declared(tool) => match &tool.prompt {
                Prompt::Text(prompt) => Ok(prompt.render(facts)?.trim_end().to_owned()),
                Prompt::About | Prompt::Missing(_) => Ok(tool.about.to_string()),
            },
            Self::Mcp(tool) => Ok(tool.about.clone()),
        }
    }

    /// The schema of its input.
    #[must_use]
    pub fn schema(&self, facts: &Scope) -> Schema {
        match self {
            Self::Declared(tool) => tool.schema(facts),
            Self::Mcp(tool) => tool.schema.clone(),
        }
    }

    /// The budget that it declares.
    #[must_use]
    pub fn budget(&self) -> Budget {
        match self {
            Self::Declared(tool) => tool.budget,
            Self::Mcp(_) => Budget::Chars(100_000),
        }
    }

    /// Words that `ToolSearch` finds it by beside its name and description.
    #[must_use]
    pub fn search_hint(&self) -> Option<&str> {
        match self {
            Self::Declared(tool) => tool.search_hint.as_deref(),
            Self::Mcp(tool) => tool.search_hint.as_deref(),
        }
    }

    /// Whether its schema waits for `ToolSearch`, by the first that says so:
    ///
    /// 1. `always-load`, of the definition or the server: no;
    /// 2. it starts sub-agents, and they are forks: no, since forks must find the same tools in the same order;
    /// 3. a policy;
    /// 4. it belongs to an MCP server: yes;
    /// 5. the definition.
    #[must_use]
    pub fn is_deferred(&self, session: &Session<'_>) -> bool {
        let (always, by_itself) = match self {
            Self::Declared(tool) => {
                let starts_agents = tool.input.iter().any(|field| field.role == Some(Role::Agent));
                (
                    tool.deferral == Deferral::AlwaysLoad || (starts_agents && session.forks),
                    tool.deferral == Deferral::Deferred,
                )
            }
            Self::Mcp(tool) => (tool.always_load, true),
        };
        !always && (session.defers)(self.name()).unwrap_or(by_itself)
    }
}

/// The second stage: tools that the session has what they need for, and whose condition holds.
///
/// A condition that fails to evaluate leaves its tool out.
#[must_use]
pub fn enabled(tools: &[Arc<Tool>], session: &Session<'_>, left_out: &mut Vec<LeftOut>) -> Vec<Arc<Tool>> {
    keep(tools, left_out, |tool| {
        if let Some(need) = tool.needs.iter().find(|need| !session.has.contains(need)) {
            return Some(need.reason().to_owned());
        }
        let condition = tool.enabled_when.as_ref()?;
        match condition.holds(session.facts) {
            Ok(true) => None,
            Ok(false) => Some(format!("its condition does not hold: {}", condition.source())),
            Err(error) => Some(format!("its condition has no value: {error}")),
        }
    })
}

/// The third stage: tools that a policy does not deny as a whole.
#[must_use]
pub fn allowed(tools: &[Arc<Tool>], session: &Session<'_>, left_out: &mut Vec<LeftOut>) -> Vec<Arc<Tool>> {
    keep(tools, left_out, |tool| {
        let denied = tool.names().any(|name| (session.denied)(&name.value));
        denied.then(|| "the policy denies every call of it".to_owned())
    })
}

/// The fourth stage: tools that the mode shows.
#[must_use]
pub fn in_mode(tools: &[Arc<Tool>], filter: Filter, left_out: &mut Vec<LeftOut>) -> Vec<Arc<Tool>> {
    const SIMPLE: &[&str] = &["Bash", "Read", "Edit"];
    keep(tools, left_out, |tool| {
        let shown = match filter {
            Filter::All => true,
            Filter::Plan => tool.read_only != Flag::Never || changes_mode(tool),
            Filter::Simple => SIMPLE.contains(&tool.name.value.as_str()),
        };
        (!shown).then(|| "the mode does not show it".to_owned())
    })
}

/// The last stage: tools of MCP servers behind the declared ones, one per name.
#[must_use]
pub fn append_mcp(
    declared: Vec<Arc<Tool>>,
    servers: &[Arc<McpTool>],
    denied: &dyn Fn(&str) -> bool,
) -> Vec<Entry> {
    let mut declared = declared;
    declared.sort_by(|a, b| a.name.value.cmp(&b.name.value));
    let mut names: BTreeSet<SmolStr> = BTreeSet::new();
    let mut entries = Vec::new();
    for tool in declared {
        if tool.names().any(|name| names.contains(&name.value)) {
            continue;
        }
        names.extend(tool.names().map(|name| name.value.clone()));
        entries.push(Entry::Declared(tool));
    }
    let mut servers: Vec<&Arc<McpTool>> = servers.iter().collect();
    servers.sort_by(|a, b| a.name.cmp(&b.name));
    for tool in servers {
        if !denied(&tool.name) && names.insert(tool.name.clone()) {
            entries.push(Entry::Mcp(Arc::clone(tool)));
        }
    }
    entries
}

fn keep(
    tools: &[Arc<Tool>],
    left_out: &mut Vec<LeftOut>,
    reason: impl Fn(&Tool) -> Option<String>,
) -> Vec<Arc<Tool>> {
    let mut kept = Vec::new();
    for tool in tools {
        match reason(tool) {
            None => kept.push(Arc::clone(tool)),
            Some(reason) => left_out.push(LeftOut {
                name: tool.name.value.clone(),
                reason,
            }),
        }
    }
    kept
}

/// Whether a tool sets the mode: a mode must be able to end.
fn changes_mode(tool: &Tool) -> bool {
    fn in_steps(steps: &[Step]) -> bool {
        steps.iter().any(|step| match &step.action {
            Action::Set(setting) => setting.key == ContextKey::Mode,
            Action::When(when) => in_body(&when.then) || when.otherwise.as_ref().is_some_and(in_body),
            Action::Each(each) => in_body(&each.body),
            Action::Cache(cache) => in_body(&cache.body),
            Action::Retry(retry) => in_body(&retry.body),
            Action::Run(_)
            | Action::Shell(_)
            | Action::Read(_)
            | Action::Write(_)
            | Action::Edit(_)
            | Action::Glob(_)
            | Action::Grep(_)
            | Action::Call(_)
            | Action::Agent(_)
            | Action::Ask(_)
            | Action::State(_)
            | Action::Tools(_)
            | Action::Task(_)
            | Action::Mcp(_)
            | Action::Let(_)
            | Action::Event(_)
            | Action::Message(_)
            | Action::Return(_)
            | Action::Fail(_) => false,
        })
    }
    fn in_body(body: &Body) -> bool {
        in_steps(&body.steps)
    }
    match &tool.work {
        Work::Handler(_) => false,
        Work::Body(body) => in_body(body),
    }
}

impl Pool {
    /// Runs every stage.
    #[must_use]
    pub fn build(tools: &[Arc<Tool>], servers: &[Arc<McpTool>], session: &Session<'_>) -> Self {
        let mut left_out = Vec::new();
        let tools = enabled(tools, session, &mut left_out);
        let tools = allowed(&tools, session, &mut left_out);
        let tools = in_mode(&tools, session.filter, &mut left_out);
        let servers = match session.filter {
            Filter::All => servers.to_vec(),
            Filter::Plan => servers
                .iter()
                .filter(|tool| tool.read_only_hint)
                .cloned()
                .collect(),
            Filter::Simple => Vec::new(),
        };
        let entries = append_mcp(tools, &servers, session.denied);
        // Without the tool that finds them nothing can wait.
        let searchable = entries.iter().any(can_search);
        let deferred = entries
            .iter()
            .map(|entry| searchable && entry.is_deferred(session))
            .collect();
        Self {
            entries,
            deferred,
            left_out,
        }
    }

    /// All tools in order.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Tools whose schemas are shown at once, in order.
    pub fn shown(&self) -> impl Iterator<Item = &Entry> {
        self.with_deferral()
            .filter(|(_, waits)| !waits)
            .map(|(entry, _)| entry)
    }

    /// Tools that are announced by name only, in order.
    pub fn deferred(&self) -> impl Iterator<Item = &Entry> {
        self.with_deferral()
            .filter(|(_, waits)| *waits)
            .map(|(entry, _)| entry)
    }

    fn with_deferral(&self) -> impl Iterator<Item = (&Entry, bool)> {
        self.entries.iter().zip(self.deferred.iter().copied())
    }

    /// Tools that were taken out, and why, in the order of the stages.
    #[must_use]
    pub fn left_out(&self) -> &[LeftOut] {
        &self.left_out
    }

    /// The tool that goes by a name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.goes_by(name))
    }

    /// What a model is told when its input for a deferred tool is refused before it ever saw the schema.
    #[must_use]
    pub fn hint(&self, name: &str, was_sent: bool) -> Option<String> {
        let waits = self
            .with_deferral()
            .any(|(entry, waits)| waits && entry.goes_by(name));
        (waits && !was_sent).then(|| {
            format!(
                "The schema of this tool was not sent to you, so its parameters were guessed. Load it with ToolSearch and the \
                 query \"select:{name}\", then call {name} again."
            )
        })
    }
}

/// Whether a tool searches the pool.
fn can_search(entry: &Entry) -> bool {
    match entry {
        Entry::Declared(tool) => match &tool.work {
            Work::Handler(_) => false,
            Work::Body(body) => body
                .steps
                .iter()
                .any(|step| matches!(step.action, Action::Tools(_))),
        },
        Entry::Mcp(_) => false,
    }
}

#[cfg(test)]
mod tests;
