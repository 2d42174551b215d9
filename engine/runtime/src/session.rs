//! One session: the plan that decides, the tools there are, and what its calls have in common.
//!
//! Invariant (decided where it runs): a call is decided in the working directory that it is carried out in. Invariant (in order): what
//! calls change about a session is applied by the schedule, while nothing runs.

use std::collections::{BTreeSet, HashMap};
use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use engine_policy::{Mode, Plan, Request, World};
use engine_shell::Shell;
use engine_tools::budget::{Budgets, Fate, Ledger};
use engine_tools::pool::{Pool, SearchIndex};
use engine_tools::template::{Scope, SessionFacts, Value};
use smol_str::SmolStr;
use tokio::time::Instant;

use crate::bash::{self, Bash, GRACE, Tasks};
use crate::files::Seen;
use crate::hooks::{HookRun, Hooks};
use crate::person::Person;
use crate::store::Store;

/// What a session is made of.
pub struct Parts {
    /// What decides.
    pub plan: Arc<Plan>,
    /// The tools there are in the mode it starts in.
    pub pool: Pool,
    /// The tools there are in another mode.
    pub pool_in: Box<dyn Fn(Mode) -> Pool + Send + Sync>,
    /// What templates may know of the session; the working directory and the mode in it are kept up to date.
    pub facts: SessionFacts,
    /// The project's directory: absolute, without links.
    pub project: String,
    /// The shell that runs commands.
    pub shell: Shell,
    /// The mode it starts in.
    pub mode: Mode,
    /// The file system, as deciding looks at it.
    pub world: Box<dyn Fn() -> Box<dyn World> + Send + Sync>,
    /// The environment of commands.
    pub environment: Vec<(OsString, OsString)>,
    /// Who is asked.
    pub person: Arc<dyn Person>,
    /// Where tools keep documents.
    pub store: Store,
    /// Where results are put that are too long, and the output of commands.
    pub results: PathBuf,
    /// How long results may be.
    pub budgets: Budgets,
    /// Runs commands.
    pub bash: Bash,
    /// What runs in the background.
    pub tasks: Tasks,
    /// Whether one shell stays for all commands, or each has its own.
    pub shells: Shells,
    /// What policies say of how tools run.
    pub ways: Ways,
    /// Who hears of every decision and every end.
    pub observer: Arc<dyn Observer>,
}

impl fmt::Debug for Parts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Parts")
            .field("project", &self.project)
            .field("mode", &self.mode)
            .field("results", &self.results)
            .finish_non_exhaustive()
    }
}

/// Where commands run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Shells {
    /// Each in a shell of its own: only the working directory is handed on.
    #[default]
    Fresh,
    /// All in one that stays: variables, functions and options are handed on. Each command is decided together with all that ran in the
    /// shell before it.
    Staying,
}

/// How tools run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ways {
    /// Directories beside the project in which the session may stay: absolute, without links.
    pub directories: Vec<PathBuf>,
    /// How long a command runs before it goes on in the background; as long as it takes, without it.
    pub foreground: Option<std::time::Duration>,
    /// Searches do not follow ignore files.
    pub everything: bool,
    /// The person's own ignore file.
    pub own_ignore_file: Option<PathBuf>,
}

/// Hears of decisions and ends, for instance to write them down.
pub trait Observer: Send + Sync + fmt::Debug {
    /// A call, or a step of one, was decided. Where this fails nothing is carried out.
    ///
    /// # Errors
    ///
    /// One line: what is decided cannot be written down.
    fn decided(&self, event: &Decided<'_>) -> Result<(), String>;

    /// A call, or a step of one, was refused before anything could be decided about it: its input is wrong, a hook refuses it, or it was
    /// stopped. It is a decision like any other, and nothing else is told of such a call.
    fn refused(&self, event: &Refused<'_>);

    /// A call that was begun has ended. One that was refused was not begun.
    fn ended(&self, event: &Ended<'_>);

    /// A hook is about to run, or has ended. Where this fails it does not run, and what it watches is refused.
    ///
    /// # Errors
    ///
    /// One line: it cannot be written down.
    fn hook(&self, event: &HookRun<'_>) -> Result<(), String>;
}

/// A decision.
#[derive(Clone, Copy, Debug)]
pub struct Decided<'a> {
    /// The call.
    pub call: &'a str,
    /// The tool.
    pub tool: &'a str,
    /// The declared tools around it, the outermost first.
    pub via: &'a [&'a str],
    /// The input.
    pub input: &'a serde_json::Value,
    /// The working directory.
    pub cwd: &'a str,
    /// The verdict and its reasons.
    pub decision: &'a engine_policy::Decision,
    /// What became of it once a person was asked: it was carried out.
    pub granted: bool,
    /// The plan that decided.
    pub plan: &'a Plan,
}

/// A call that nothing was decided about.
#[derive(Clone, Copy, Debug)]
pub struct Refused<'a> {
    /// The call.
    pub call: &'a str,
    /// The tool, as it was called.
    pub tool: &'a str,
    /// The declared tools around it, the outermost first.
    pub via: &'a [&'a str],
    /// The input, as it was sent.
    pub input: &'a serde_json::Value,
    /// Why, as the model is told.
    pub why: &'a str,
}

/// The end of a call that was begun.
#[derive(Clone, Copy, Debug)]
pub struct Ended<'a> {
    /// The call.
    pub call: &'a str,
    /// The tool.
    pub tool: &'a str,
    /// Whether it failed.
    pub failed: bool,
    /// How long it took.
    pub elapsed: std::time::Duration,
    /// How the command that it is, is shown; none where its parts differ, or it is no command.
    pub class: Option<bash::Class>,
}

/// Nobody listens.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unobserved;

impl Observer for Unobserved {
    fn decided(&self, _event: &Decided<'_>) -> Result<(), String> {
        Ok(())
    }

    fn refused(&self, _event: &Refused<'_>) {}

    fn ended(&self, _event: &Ended<'_>) {}

    fn hook(&self, _event: &HookRun<'_>) -> Result<(), String> {
        Ok(())
    }
}

/// One session.
pub struct Session {
    pub(crate) parts: Parts,
    context: Mutex<Context>,
    pool: RwLock<Arc<Pool>>,
    calls: Mutex<BTreeSet<SmolStr>>,
    seen: RwLock<Seen>,
    index: Mutex<SearchIndex>,
    sent: Mutex<BTreeSet<SmolStr>>,
    cache: Mutex<HashMap<(SmolStr, String), Cached>>,
    ledger: Mutex<Ledger>,
    /// Beside a tool and what an approval holds for: what a person approved.
    approved: Mutex<HashMap<(SmolStr, String), Vec<Request>>>,
    staying: tokio::sync::Mutex<Option<Staying>>,
    pub(crate) hooks: Hooks,
    /// Whoever runs beside others holds it together with them; a call that a hook made unsafe beside others holds it alone.
    pub(crate) gate: Arc<tokio::sync::RwLock<()>>,
    stopped: Mutex<Option<String>>,
}

/// What later calls depend on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Context {
    /// The working directory: absolute, without links.
    pub cwd: String,
    /// The mode of deciding.
    pub mode: Mode,
    /// The model, where a tool chose one.
    pub model: Option<String>,
}

/// A change that a call makes to what later ones depend on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// Another working directory.
    Cwd(String),
    /// Another mode.
    Mode(Mode),
    /// Another model.
    Model(String),
}

/// A shell that stays, with what ran in it.
#[derive(Debug)]
pub(crate) struct Staying {
    pub(crate) shell: bash::Session,
    /// The directory it started in.
    pub(crate) start: String,
    /// Every text that ran in it, each ended by a newline.
    pub(crate) history: String,
}

/// What a `cache` block has named.
#[derive(Clone, Debug)]
pub(crate) struct Cached {
    pub(crate) until: Instant,
    pub(crate) names: Vec<(SmolStr, Value)>,
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session")
            .field("project", &self.parts.project)
            .field("context", &self.context)
            .finish_non_exhaustive()
    }
}

impl Session {
    /// A session that starts in a directory, absolute and without links.
    #[must_use]
    pub fn new(mut parts: Parts, cwd: String) -> Self {
        let context = Context {
            cwd,
            mode: parts.mode,
            model: None,
        };
        let pool = std::mem::take(&mut parts.pool);
        Self {
            hooks: Hooks::of(&parts.plan),
            gate: Arc::default(),
            stopped: Mutex::default(),
            parts,
            context: Mutex::new(context),
            pool: RwLock::new(Arc::new(pool)),
            calls: Mutex::default(),
            seen: RwLock::default(),
            index: Mutex::default(),
            sent: Mutex::default(),
            cache: Mutex::default(),
            ledger: Mutex::default(),
            approved: Mutex::default(),
            staying: tokio::sync::Mutex::default(),
        }
    }

    /// What later calls depend on, as it is now.
    #[must_use]
    pub fn context(&self) -> Context {
        lock(&self.context).clone()
    }

    /// Applies a change. Another mode has other tools.
    pub fn apply(&self, change: Change) {
        let mut context = lock(&self.context);
        match change {
            Change::Cwd(cwd) => context.cwd = cwd,
            Change::Mode(mode) if mode == context.mode => {}
            Change::Mode(mode) => {
                context.mode = mode;
                drop(context);
                let pool = Arc::new((self.parts.pool_in)(mode));
                *self.pool.write().unwrap_or_else(PoisonError::into_inner) = pool;
            }
            Change::Model(model) => context.model = Some(model),
        }
    }

    /// The mode that plan mode leads back to: the one that the session started in, and the default where that is plan mode itself.
    pub(crate) fn working_mode(&self) -> Mode {
        if self.parts.mode == Mode::Plan {
            Mode::Default
        } else {
            self.parts.mode
        }
    }

    /// What a person approved of a tool under a name that holds for the session.
    pub(crate) fn approved(&self, tool: &str, once: &str) -> Vec<Request> {
        let key = (tool.into(), once.to_owned());
        lock(&self.approved).get(&key).cloned().unwrap_or_default()
    }

    /// A person approved this; it is not asked about again under the same name.
    pub(crate) fn approve(&self, tool: &str, once: &str, requests: Vec<Request>) {
        let key = (tool.into(), once.to_owned());
        lock(&self.approved).entry(key).or_default().extend(requests);
    }

    /// Takes an id for a call; `false` where an earlier call had it. What is written down about a call goes by its id.
    pub(crate) fn claim(&self, call: &str) -> bool {
        lock(&self.calls).insert(call.into())
    }

    /// Ends everything that the session has started.
    pub async fn end(&self) {
        if let Some(mut staying) = self.staying.lock().await.take() {
            staying.shell.close(GRACE).await;
        }
        self.parts.bash.end_everything().await;
    }

    /// Why nothing more is to be done, where a hook said so.
    #[must_use]
    pub fn stopped(&self) -> Option<String> {
        lock(&self.stopped).clone()
    }

    pub(crate) fn stop(&self, reason: &str) {
        lock(&self.stopped).get_or_insert_with(|| reason.to_owned());
    }

    /// The tools there are in the present mode.
    #[must_use]
    pub fn pool(&self) -> Arc<Pool> {
        let pool = self.pool.read().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(&pool)
    }

    /// What stands in the place of the result of an earlier call that was too long, for whoever sends a conversation again.
    #[must_use]
    pub fn stand_in(&self, call: &str) -> Option<Arc<str>> {
        match self.ledger().fate(call) {
            Some(Fate::Replaced(shown)) => Some(Arc::clone(shown)),
            Some(Fate::Kept) | None => None,
        }
    }

    /// The facts as templates see them.
    #[must_use]
    pub fn facts(&self) -> SessionFacts {
        let context = self.context();
        SessionFacts {
            cwd: context.cwd,
            mode: context.mode.as_str().into(),
            model: context
                .model
                .map_or_else(|| self.parts.facts.model.clone(), SmolStr::from),
            ..self.parts.facts.clone()
        }
    }

    /// Notes that a model was shown the schema of a deferred tool.
    pub fn schema_sent(&self, name: &str) {
        lock(&self.sent).insert(name.into());
    }

    pub(crate) fn was_sent(&self, name: &str) -> bool {
        lock(&self.sent).contains(name)
    }

    /// The shell that stays, for one command at a time.
    pub(crate) async fn staying(&self) -> tokio::sync::MutexGuard<'_, Option<Staying>> {
        self.staying.lock().await
    }

    pub(crate) fn seen(&self) -> RwLockReadGuard<'_, Seen> {
        self.seen.read().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn seen_mut(&self) -> RwLockWriteGuard<'_, Seen> {
        self.seen.write().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn ledger(&self) -> MutexGuard<'_, Ledger> {
        lock(&self.ledger)
    }

    /// Searches the deferred tools; what is found counts as shown.
    pub(crate) fn find_tools(&self, query: &str, limit: usize) -> Value {
        let scope = Scope::of_facts(&self.facts());
        let found = lock(&self.index).search(&self.pool(), &scope, query, limit);
        for name in &found.names {
            self.schema_sent(name);
        }
        found.value()
    }

    pub(crate) fn cached(&self, tool: &str, key: &str) -> Option<Vec<(SmolStr, Value)>> {
        let mut cache = lock(&self.cache);
        let now = Instant::now();
        cache.retain(|_, cached| cached.until > now);
        cache
            .get(&(tool.into(), key.to_owned()))
            .map(|cached| cached.names.clone())
    }

    pub(crate) fn keep(&self, tool: &str, key: String, cached: Cached) {
        /// Most entries of all `cache` blocks; the one that ends first makes room.
        const MAX_CACHED: usize = 256;
        let mut cache = lock(&self.cache);
        if cache.len() >= MAX_CACHED {
            let first = cache
                .iter()
                .min_by_key(|(_, cached)| cached.until)
                .map(|(key, _)| key.clone());
            if let Some(first) = first {
                cache.remove(&first);
            }
        }
        cache.insert((tool.into(), key), cached);
    }
}

/// A lock whose holder panicked holds nothing half done: every change under these locks is one assignment or one call.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
