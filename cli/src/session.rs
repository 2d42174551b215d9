//! A session of tools for `engine call`, `engine batch` and `engine tools`: the policy, the tools there are, a person at the terminal or
//! nobody, and the audit log.

mod definitions;
mod log;
mod person;
mod ways;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use engine_policy::{Call, Effects, Facts, Mode, NoWorld, Outcome, Plan, ToolShape, Trees, decide};
use engine_runtime::bash::{Bash, Settings, Tasks};
use engine_runtime::store::Store;
use engine_runtime::{Parts, Person, Session, Shells};
use engine_shell::Shell;
use engine_tools::budget::Budgets;
use engine_tools::definition::{Budget, Need, Tool};
use engine_tools::pool::{self, Filter, Pool};
use engine_tools::template::{Scope, SessionFacts};
use serde_json::Value as Json;

use crate::check::Start;
use crate::exit::Exit;
use crate::options::{Policies, parse_mode};
use crate::world::{self, Disk};
use crate::{out, policies};

/// Which session a call belongs to.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Opening {
    #[command(flatten)]
    pub(crate) policies: Policies,

    /// Mode of the session
    #[arg(long, value_name = "MODE", value_parser = parse_mode)]
    pub(crate) mode: Option<Mode>,

    /// Directory that calls start in
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    pub(crate) cwd: Option<String>,

    /// File of tool definitions, `.kdl` or `.toml`, whose tools there are beside the shipped ones and those of the person
    /// (`~/.config/engine/tools/`); may be given several times
    #[arg(long = "tools", value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub(crate) tools: Vec<PathBuf>,

    /// Runs all commands in one shell, so that variables and functions are handed on
    #[arg(long)]
    pub(crate) shell_stays: bool,

    /// Name of a session that goes on: its documents (todo lists, tasks, schedules) and the results that it keeps are there again
    #[arg(long, value_name = "NAME", value_parser = name_of_session)]
    pub(crate) session: Option<String>,

    /// Directory of the audit log, in place of the person's own
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    pub(crate) audit: Option<PathBuf>,
}

impl Opening {
    fn shells(&self, plan: &Plan) -> Shells {
        if self.shell_stays || plan.session().persistent {
            Shells::Staying
        } else {
            Shells::Fresh
        }
    }
}

/// What becomes of a call that the policy asks about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Asking {
    /// The person at the terminal is asked; without a terminal nobody.
    Terminal,
    /// It is carried out.
    Yes,
    /// It is refused.
    Nobody,
}

/// The pool of a session, and what it was made of.
pub(crate) struct Opened {
    pub(crate) plan: Plan,
    pub(crate) pool: Pool,
    /// Every tool that a pool is made of.
    tools: Vec<Arc<Tool>>,
    pub(crate) facts: SessionFacts,
    pub(crate) start: Start,
    pub(crate) mode: Mode,
}

/// Finds the policy and the tools that it lets a session have.
pub(crate) fn open(opening: &Opening) -> Result<Opened, Exit> {
    let start = Start::of(opening.cwd.as_deref())?;
    let plan = policies::policy(&start.found(&opening.policies.named()))?;
    let mode = opening.mode.unwrap_or_else(|| plan.start_mode());
    let facts = SessionFacts {
        os: std::env::consts::OS.into(),
        cwd: start.directory.clone(),
        home: start.home.clone().unwrap_or_default(),
        date: today().into(),
        mode: mode.as_str().into(),
        session_id: opening.session.clone().unwrap_or_else(session_id).into(),
        interactive: out::is_person_there(),
        programs: programs(&["pwsh", "chromium"]),
        features: plan.session().features.clone(),
        settings: plan
            .session()
            .settings
            .iter()
            .map(|(name, value)| (name.to_string(), value.as_str().into()))
            .collect(),
        ..SessionFacts::default()
    };
    let tools = definitions::all(&opening.tools)?;
    let pool = pool_in(&tools, &plan, &start, &facts, mode);
    Ok(Opened {
        plan,
        pool,
        tools,
        facts,
        start,
        mode,
    })
}

/// The tools that a policy lets a session have in a mode.
fn pool_in(tools: &[Arc<Tool>], plan: &Plan, start: &Start, facts: &SessionFacts, mode: Mode) -> Pool {
    let facts = SessionFacts {
        mode: mode.as_str().into(),
        ..facts.clone()
    };
    let scope = Scope::of_facts(&facts);
    let denied = |name: &str| is_denied(plan, start, name);
    // Nothing runs sub-agents or speaks to MCP servers here.
    let has: &[Need] = if facts.settings.contains_key("remote_triggers") {
        &[Need::RemoteService]
    } else {
        &[]
    };
    let session = pool::Session {
        facts: &scope,
        has,
        denied: &denied,
        filter: if plan.session().simple {
            Filter::Simple
        } else if mode == Mode::Plan {
            Filter::Plan
        } else {
            Filter::All
        },
        defers: &|name| plan.defers(name),
        forks: false,
    };
    Pool::build(tools, &[], &session)
}

/// Makes the session that runs calls.
pub(crate) fn begin(opening: &Opening, opened: Opened, asking: Asking) -> Result<Arc<Session>, Exit> {
    let Opened {
        plan,
        pool,
        tools,
        facts,
        start,
        mode,
    } = opened;
    let state = world::state_directory().ok_or_else(|| {
        out::complain("engine: the home directory is not known, so there is no place for what tools keep\n");
        Exit::Machine
    })?;
    let own = state.join("sessions").join(facts.session_id.as_str());
    let project = state.join("projects").join(name_of_project(&start.project));
    let bash = Bash::new(Settings::default()).map_err(|error| {
        out::complain(&format!("engine: cannot prepare to run commands: {error}\n"));
        Exit::Machine
    })?;
    let person: Arc<dyn Person> = match asking {
        Asking::Yes => Arc::new(person::Yes),
        Asking::Terminal if out::is_person_there() => Arc::new(person::Terminal),
        Asking::Terminal | Asking::Nobody => Arc::new(person::NoOne),
    };
    let observer = log::Written::new(opening.audit.as_deref(), &start.project, &facts.session_id)?;
    let real = |path: &str| {
        let real = Path::new(path).canonicalize().ok();
        real.and_then(|path| path.into_os_string().into_string().ok())
            .unwrap_or_else(|| path.to_owned())
    };
    let cwd = real(&start.directory);
    let budgets = budgets(&plan, &tools);
    let shells = opening.shells(&plan);
    let ways = ways::of(plan.session(), &start);
    let plan = Arc::new(plan);
    let pool_in = {
        let (plan, start, facts) = (Arc::clone(&plan), start.clone(), facts.clone());
        Box::new(move |mode| pool_in(&tools, &plan, &start, &facts, mode))
    };
    let parts = Parts {
        plan,
        pool,
        pool_in,
        facts,
        project: real(&start.project),
        shell: Shell::Bash,
        mode,
        world: Box::new(|| Box::new(Disk::default())),
        environment: std::env::vars_os().collect(),
        person,
        store: Store::new(own.join("documents"), project.join("documents")),
        results: own.join("tool-results"),
        budgets,
        bash,
        tasks: Tasks::default(),
        shells,
        ways,
        observer: Arc::new(observer),
    };
    Ok(Arc::new(Session::new(parts, cwd)))
}

/// How long the results of the tools of a session may be, as policies say it.
fn budgets(plan: &Plan, tools: &[Arc<Tool>]) -> Budgets {
    let said = plan.budgets();
    let mut budgets = Budgets {
        message_cap: said.message_cap(),
        ..Budgets::default()
    };
    if let Some(chars) = said.message() {
        budgets.message = chars;
    }
    // Of every tool: another mode has other ones.
    for tool in tools {
        let name = &tool.name.value;
        let own = said.of_tool(name);
        if let Some(chars) = own.said {
            let budget = chars.map_or(Budget::Unlimited, Budget::Chars);
            budgets.tools.insert(name.clone(), budget);
        }
        if let Some(cap) = own.cap {
            budgets.caps.insert(name.clone(), cap);
        }
    }
    budgets
}

/// Whether a policy denies every call of a tool, whatever its input.
fn is_denied(plan: &Plan, start: &Start, name: &str) -> bool {
    let facts = Facts {
        project: &start.project,
        directory: &start.directory,
        home: start.home.as_deref(),
        via: &[],
        shell: Shell::Bash,
        world: &NoWorld,
    };
    let shape = ToolShape {
        name,
        fields: &[],
        effects: Effects::InInput,
        trees: Trees::Whole,
    };
    let input = Json::Object(serde_json::Map::new());
    let call = Call::Declared {
        shape: &shape,
        input: &input,
    };
    decide(plan, &call, &facts, Mode::Default).outcome == Outcome::Deny
}

/// A name for what is kept of a project: its last part, for people, and the beginning of a hash of its path.
fn name_of_project(project: &str) -> String {
    let digest = engine_policy::digest(project.as_bytes());
    let hash: String = digest.chars().take(16).collect();
    let last: String = project
        .rsplit('/')
        .next()
        .unwrap_or_default()
        .chars()
        .filter(|c| c.is_ascii_alphanumeric() || *c == '-' || *c == '_')
        .take(40)
        .collect();
    format!("{last}-{hash}")
}

/// A name that is one part of a path, and none that the engine gives by itself.
fn name_of_session(text: &str) -> Result<String, String> {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    let fits = text.starts_with(|c: char| c.is_ascii_alphabetic()) && text.len() <= 64;
    if fits && text.chars().all(plain) {
        Ok(text.to_owned())
    } else {
        Err("a name is a letter with up to 63 letters, digits, `-` and `_` behind it".to_owned())
    }
}

/// A name that no other session has: the time and the process.
pub(crate) fn session_id() -> String {
    format!("{}-{}", engine_runtime::audit::now_millis(), std::process::id())
}

fn today() -> String {
    let now = engine_runtime::audit::rfc3339(engine_runtime::audit::now_millis());
    now.get(..10).unwrap_or_default().to_owned()
}

/// Which of these programs the search path leads to.
fn programs(names: &[&str]) -> Vec<smol_str::SmolStr> {
    let found = names.iter().filter(|name| world::is_on_path(name));
    found.map(|name| (*name).into()).collect()
}

/// Runs something of a session. One thread: whatever waits for a disk or a person has threads of its own, and a call that is handed from
/// thread to thread takes longer than what is done for it.
pub(crate) fn block_on<T>(work: impl Future<Output = T>) -> Result<T, Exit> {
    if cfg!(panic = "abort") {
        // Nothing is unwound, so that nothing that was started would be ended.
        let report = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            report(panic);
            engine_runtime::bash::end_at_once();
        }));
    }
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| {
            out::complain(&format!("engine: cannot start: {error}\n"));
            Exit::Machine
        })?;
    let done = runtime.block_on(work);
    // A search that was given up may still wait for a disk.
    runtime.shutdown_background();
    Ok(done)
}
