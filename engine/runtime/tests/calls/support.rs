//! A session in a temporary directory: a policy text, a person who answers from a script, and an observer that remembers.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use engine_policy::read::Format;
use engine_policy::{Entry, Files, Look, Mode, Outcome, Plan, Root, Sources, World, load};
use engine_runtime::bash::{Bash, Settings};
use engine_runtime::store::Store;
use engine_runtime::{
    Decided, Ended, Later, Observer, Parts, Permission, Permit, Person, Refused, Session, ToolResult,
    ToolUse, message,
};
use engine_shell::Shell;
use engine_tools::Block;
use engine_tools::budget::Budgets;
use engine_tools::definition::{Need, Tool, read};
use engine_tools::pool::{self, Filter, Pool};
use engine_tools::template::{Scope, SessionFacts};
use serde_json::{Value as Json, json};

/// Everything is allowed that is understood.
pub(crate) const OPEN: &str = r#"
policy "open"
default { command "allow"; read "allow"; write "allow"; delete "allow"; network "allow"; tool "allow"; env "allow" }
modes { allow "default" "plan" "accept-edits" "dont-ask" }
"#;

/// Everything is asked about.
pub(crate) const ASKS: &str = r#"
policy "asks"
default { command "ask"; read "ask"; write "ask"; delete "ask"; network "ask"; tool "allow"; env "ask" }
"#;

/// The file system, without memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RealWorld;

impl World for RealWorld {
    fn real_path(&self, path: &str) -> Option<String> {
        let path = Path::new(path);
        for above in path.ancestors() {
            if let Ok(real) = above.canonicalize() {
                let rest = path.strip_prefix(above).ok()?;
                let plain = |part| matches!(part, std::path::Component::Normal(_));
                if !rest.components().all(plain) {
                    return None;
                }
                let whole = if rest.as_os_str().is_empty() {
                    real
                } else {
                    real.join(rest)
                };
                return whole.to_str().map(str::to_owned);
            }
            if above.is_symlink() {
                return None;
            }
        }
        None
    }

    fn is_directory(&self, path: &str) -> Option<bool> {
        Path::new(path).metadata().ok().map(|data| data.is_dir())
    }

    fn small_file(&self, path: &str) -> Option<String> {
        fs::read_to_string(path).ok().filter(|text| text.len() < 65_536)
    }

    fn look_below(&self, root: &str, visit: &mut dyn FnMut(Entry<'_>) -> Look) -> bool {
        fn walk(at: &Path, visit: &mut dyn FnMut(Entry<'_>) -> Look) -> Option<Look> {
            for entry in at.read_dir().ok()? {
                let path = entry.ok()?.path();
                let is_link = path.is_symlink();
                let shown = Entry {
                    path: path.to_str()?,
                    is_link,
                };
                match visit(shown) {
                    Look::Enough => return Some(Look::Enough),
                    Look::Into if path.is_dir() && !is_link => {
                        if walk(&path, visit)? == Look::Enough {
                            return Some(Look::Enough);
                        }
                    }
                    Look::Into | Look::Past => {}
                }
            }
            Some(Look::Past)
        }
        walk(Path::new(root), visit) == Some(Look::Past)
    }
}

/// What a scripted person does.
#[derive(Clone, Debug)]
pub(crate) enum Answer {
    /// Yes.
    Yes,
    /// No, perhaps with what to do instead.
    No(Option<&'static str>),
    /// Yes, after a while.
    Later,
    /// Nobody is there.
    Absent,
    /// Never answers.
    Silent,
    /// Something in the way of asking breaks.
    Panics,
}

/// A person who answers from a script and remembers what was asked. Behind the end of the script nobody is there.
#[derive(Debug, Default)]
pub(crate) struct Scripted {
    /// The answers that are left.
    pub(crate) script: Mutex<VecDeque<Answer>>,
    /// Answers to questions of tools, by the text of the question.
    pub(crate) replies: Mutex<Option<Json>>,
    /// What was asked.
    pub(crate) asked: Mutex<Vec<Permit>>,
    /// Questions of tools.
    pub(crate) questions: Mutex<Vec<Json>>,
    /// Lines that were shown.
    pub(crate) shown: Mutex<Vec<String>>,
}

impl Person for Scripted {
    fn permits<'a>(&'a self, question: &'a Permit) -> Later<'a, Permission> {
        self.asked.lock().expect("asked").push(question.clone());
        let next = self.script.lock().expect("script").pop_front();
        Box::pin(async move {
            match next.unwrap_or(Answer::Absent) {
                Answer::Yes => Permission::Granted,
                Answer::Later => {
                    tokio::time::sleep(std::time::Duration::from_millis(400)).await;
                    Permission::Granted
                }
                Answer::No(text) => Permission::Refused(text.map(str::to_owned)),
                Answer::Absent => Permission::NobodyThere,
                Answer::Silent => std::future::pending().await,
                Answer::Panics => panic!("the terminal is gone"),
            }
        })
    }

    fn answers<'a>(&'a self, questions: &'a Json) -> Later<'a, Option<Json>> {
        self.questions.lock().expect("questions").push(questions.clone());
        let replies = self.replies.lock().expect("replies").clone();
        Box::pin(async move {
            match replies {
                // The first option of whatever is asked.
                Some(Json::String(word)) if word == "first" => {
                    let mut all = serde_json::Map::new();
                    for question in questions.as_array()? {
                        all.insert(
                            question["question"].as_str()?.to_owned(),
                            question["options"][0]["label"].clone(),
                        );
                    }
                    Some(Json::Object(all))
                }
                Some(Json::String(word)) if word == "silent" => std::future::pending().await,
                replies => replies,
            }
        })
    }

    fn show(&self, text: &str) {
        self.shown.lock().expect("shown").push(text.to_owned());
    }
}

/// What an observer has heard of one decision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Heard {
    /// The call.
    pub(crate) call: String,
    /// The tool.
    pub(crate) tool: String,
    /// The tools around it.
    pub(crate) via: Vec<String>,
    /// The verdict.
    pub(crate) outcome: Outcome,
    /// Whether it was carried out.
    pub(crate) granted: bool,
    /// The input.
    pub(crate) input: Json,
}

/// An observer that remembers, and fails on demand.
#[derive(Debug, Default)]
pub(crate) struct Recorder {
    /// Decisions.
    pub(crate) decided: Mutex<Vec<Heard>>,
    /// Ends: the call, and whether it failed.
    pub(crate) ended: Mutex<Vec<(String, bool)>>,
    /// Calls and steps that nothing was decided about: the call, the tool and why.
    pub(crate) refused: Mutex<Vec<(String, String, String)>>,
    /// Nothing can be written down any more.
    pub(crate) broken: std::sync::atomic::AtomicBool,
}

impl Observer for Recorder {
    fn decided(&self, event: &Decided<'_>) -> Result<(), String> {
        if self.broken.load(std::sync::atomic::Ordering::Relaxed) {
            return Err("the disk is full".to_owned());
        }
        self.decided.lock().expect("decided").push(Heard {
            call: event.call.to_owned(),
            tool: event.tool.to_owned(),
            via: event.via.iter().map(|tool| (*tool).to_owned()).collect(),
            outcome: event.decision.outcome,
            granted: event.granted,
            input: event.input.clone(),
        });
        Ok(())
    }

    fn hook(&self, _event: &engine_runtime::HookRun<'_>) -> Result<(), String> {
        Ok(())
    }

    fn refused(&self, event: &Refused<'_>) {
        self.refused.lock().expect("refused").push((
            event.call.to_owned(),
            event.tool.to_owned(),
            event.why.to_owned(),
        ));
    }

    fn ended(&self, event: &Ended<'_>) {
        self.ended
            .lock()
            .expect("ended")
            .push((event.call.to_owned(), event.failed));
    }
}

/// How a session is made.
pub(crate) struct Setup {
    policy: String,
    tools: Vec<Arc<Tool>>,
    facts: SessionFacts,
    mode: Mode,
    has: Vec<Need>,
    budgets: Budgets,
    directory: tempfile::TempDir,
    results: Option<PathBuf>,
    environment: Vec<(OsString, OsString)>,
    person: Scripted,
    observer: Option<Arc<dyn Observer>>,
    settings: Settings,
    project: Option<PathBuf>,
}

/// A session with what was put into it.
pub(crate) struct Table {
    /// The session.
    pub(crate) session: Arc<Session>,
    /// Who is asked.
    pub(crate) person: Arc<Scripted>,
    /// Who listens.
    pub(crate) recorder: Arc<Recorder>,
    messages: std::sync::atomic::AtomicUsize,
    directory: tempfile::TempDir,
}

struct NoFiles;

impl Files for NoFiles {
    fn text(&self, _path: &str) -> Result<String, String> {
        Err("there is none".to_owned())
    }
}

/// Compiles a policy that a test brings along.
pub(crate) fn plan(text: &str) -> Plan {
    let root = Root::Text {
        name: "/policy.kdl".to_owned(),
        text: text.to_owned(),
        format: Format::Kdl,
    };
    let mut loaded = load(&[root], &NoFiles);
    let plan = loaded.compile();
    assert!(plan.is_some(), "{:#?}", loaded.diagnostics);
    plan.expect("a plan")
}

/// Tools of a text.
pub(crate) fn tools(text: &str) -> Vec<Arc<Tool>> {
    let (tools, problems) = read(
        "own.kdl",
        text,
        Format::Kdl,
        &|_: &str| Some(String::new()),
        &mut Sources::new(),
    );
    assert!(problems.is_empty(), "{problems:#?}");
    tools.into_iter().map(Arc::new).collect()
}

impl Setup {
    pub(crate) fn new(policy: &str) -> Self {
        let directory = tempfile::tempdir().expect("a directory");
        fs::create_dir(directory.path().join("project")).expect("a project");
        fs::create_dir(directory.path().join("home")).expect("a home");
        let facts = SessionFacts {
            os: "linux".into(),
            session_id: "s1".into(),
            interactive: true,
            ..SessionFacts::default()
        };
        Self {
            policy: policy.to_owned(),
            tools: engine_tools::shipped().to_vec(),
            facts,
            mode: Mode::Default,
            has: Vec::new(),
            budgets: Budgets::default(),
            directory,
            results: None,
            environment: vec![("PATH".into(), "/usr/local/bin:/usr/bin:/bin".into())],
            person: Scripted::default(),
            observer: None,
            settings: Settings::default(),
            project: None,
        }
    }

    /// Puts a file into the project.
    pub(crate) fn file(self, name: &str, text: &str) -> Self {
        let path = self.directory.path().join("project").join(name);
        fs::create_dir_all(path.parent().expect("a directory")).expect("directories");
        fs::write(path, text).expect("a file");
        self
    }

    /// Adds tools; one of the name of a shipped tool takes its place.
    pub(crate) fn tools(mut self, text: &str) -> Self {
        let own = tools(text);
        self.tools
            .retain(|tool| own.iter().all(|own| own.name.value != tool.name.value));
        self.tools.extend(own);
        self
    }

    pub(crate) fn facts(mut self, change: impl FnOnce(&mut SessionFacts)) -> Self {
        change(&mut self.facts);
        self
    }

    /// Sets a variable of the environment of commands.
    pub(crate) fn variable(mut self, name: &str, value: &str) -> Self {
        self.environment.retain(|(own, _)| own != name);
        self.environment.push((name.into(), value.into()));
        self
    }

    pub(crate) fn mode(mut self, mode: Mode) -> Self {
        self.mode = mode;
        self
    }

    pub(crate) fn has(mut self, need: Need) -> Self {
        self.has.push(need);
        self
    }

    pub(crate) fn budgets(mut self, budgets: Budgets) -> Self {
        self.budgets = budgets;
        self
    }

    pub(crate) fn results(mut self, directory: PathBuf) -> Self {
        self.results = Some(directory);
        self
    }

    /// Who listens in the place of the recorder.
    pub(crate) fn observer(mut self, observer: Arc<dyn Observer>) -> Self {
        self.observer = Some(observer);
        self
    }

    /// How commands are run.
    pub(crate) fn settings(mut self, settings: Settings) -> Self {
        self.settings = settings;
        self
    }

    /// What the project is called, if not by its real path.
    pub(crate) fn project(mut self, path: &Path) -> Self {
        self.project = Some(path.to_owned());
        self
    }

    /// What the person says, one question after the other.
    pub(crate) fn says(self, answers: &[Answer]) -> Self {
        self.person
            .script
            .lock()
            .expect("script")
            .extend(answers.iter().cloned());
        self
    }

    /// What the person replies to questions of tools.
    pub(crate) fn replies(self, replies: Json) -> Self {
        *self.person.replies.lock().expect("replies") = Some(replies);
        self
    }

    /// The directory that everything of the session lies in.
    pub(crate) fn root(&self) -> PathBuf {
        self.directory.path().canonicalize().expect("a real directory")
    }

    pub(crate) fn start(mut self) -> Table {
        let root = self.root();
        let text = |path: PathBuf| path.to_str().expect("a text").to_owned();
        let project = text(self.project.unwrap_or_else(|| root.join("project")));
        self.facts.cwd.clone_from(&project);
        self.facts.home = text(root.join("home"));
        self.facts.mode = self.mode.as_str().into();
        let pool_in = {
            let (tools, has, facts) = (self.tools, self.has, self.facts.clone());
            move |mode: Mode| {
                let facts = SessionFacts {
                    mode: mode.as_str().into(),
                    ..facts.clone()
                };
                let scope = Scope::of_facts(&facts);
                let session = pool::Session {
                    facts: &scope,
                    has: &has,
                    denied: &|_| false,
                    filter: if mode == Mode::Plan {
                        Filter::Plan
                    } else {
                        Filter::All
                    },
                    defers: &|_| None,
                    forks: false,
                };
                Pool::build(&tools, &[], &session)
            }
        };
        let person = Arc::new(self.person);
        let recorder = Arc::new(Recorder::default());
        let parts = Parts {
            plan: Arc::new(plan(&self.policy)),
            pool: pool_in(self.mode),
            pool_in: Box::new(pool_in),
            facts: self.facts,
            project: project.clone(),
            shell: Shell::Bash,
            mode: self.mode,
            world: Box::new(|| Box::new(RealWorld)),
            environment: self.environment,
            person: Arc::<Scripted>::clone(&person),
            store: Store::new(root.join("state/session"), root.join("state/project")),
            results: self.results.unwrap_or_else(|| root.join("state/results")),
            budgets: self.budgets,
            bash: Bash::new(self.settings).expect("bash"),
            tasks: engine_runtime::bash::Tasks::default(),
            shells: engine_runtime::Shells::default(),
            ways: engine_runtime::Ways::default(),
            observer: self.observer.unwrap_or_else(|| Arc::<Recorder>::clone(&recorder)),
        };
        Table {
            session: Arc::new(Session::new(parts, project)),
            person,
            recorder,
            messages: std::sync::atomic::AtomicUsize::default(),
            directory: self.directory,
        }
    }
}

impl Table {
    pub(crate) fn root(&self) -> PathBuf {
        self.directory.path().canonicalize().expect("a real directory")
    }

    pub(crate) fn project(&self) -> PathBuf {
        self.root().join("project")
    }

    /// A path of the project as a text.
    pub(crate) fn path(&self, name: &str) -> String {
        self.project().join(name).to_str().expect("a text").to_owned()
    }

    pub(crate) fn text(&self, name: &str) -> String {
        fs::read_to_string(self.project().join(name)).expect("a file")
    }

    /// Runs a message.
    pub(crate) async fn message(&self, calls: &[(&str, Json)]) -> Vec<ToolResult> {
        let own = self.next();
        let calls = calls
            .iter()
            .enumerate()
            .map(|(at, (name, input))| use_of(&format!("call-{own}-{at}"), name, input.clone()))
            .collect();
        self.calls(calls).await
    }

    pub(crate) async fn calls(&self, calls: Vec<ToolUse>) -> Vec<ToolResult> {
        let limit = NonZeroUsize::new(10).expect("ten");
        message::run(&self.session, limit, calls, std::future::pending()).await
    }

    fn next(&self) -> usize {
        self.messages.fetch_add(1, std::sync::atomic::Ordering::Relaxed)
    }

    /// Runs one call: its text, and whether it is an error.
    pub(crate) async fn call(&self, name: &str, input: Json) -> (String, bool) {
        let results = self.message(&[(name, input)]).await;
        assert_eq!(results.len(), 1);
        (text_of(&results[0]), results[0].output.is_error)
    }

    /// The text of a call that has to work.
    pub(crate) async fn works(&self, name: &str, input: Json) -> String {
        let (text, failed) = self.call(name, input.clone()).await;
        assert!(!failed, "{name} {input}: {text}");
        text
    }

    /// The text of a call that has to fail.
    pub(crate) async fn fails(&self, name: &str, input: Json) -> String {
        let (text, failed) = self.call(name, input.clone()).await;
        assert!(failed, "{name} {input}: {text}");
        text
    }

    pub(crate) fn decided(&self) -> Vec<Heard> {
        self.recorder.decided.lock().expect("decided").clone()
    }
}

pub(crate) fn use_of(id: &str, name: &str, input: Json) -> ToolUse {
    ToolUse {
        id: id.to_owned(),
        name: name.to_owned(),
        input,
    }
}

/// All texts of a result.
pub(crate) fn text_of(result: &ToolResult) -> String {
    let texts: Vec<&str> = result
        .output
        .blocks
        .iter()
        .filter_map(|block| match block {
            Block::Text(text) => Some(text.as_str()),
            Block::Image { .. } | Block::ToolReference(_) => None,
        })
        .collect();
    texts.join("\n")
}

/// A call of Bash.
pub(crate) fn bash(command: &str) -> (&'static str, Json) {
    ("Bash", json!({ "command": command }))
}
