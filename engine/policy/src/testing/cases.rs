//! Files of cases: one JSON object a line with a policy of its own, a command, and the verdict it must get.
//!
//! Fields: `id`, `policy` (a list of `{"effect","tool","pattern"}` in the short spelling, or `{"profile":"readonly"}`), `command`, `shell`,
//! `cwd` (the project), `expected` (`allow`, `ask`, `deny`, or `not-allow` for the last two), and `fs` (files and links that exist).

use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::Arc;

use serde_json::Value as Json;

use crate::decide::{Call, decide};
use crate::document::{Mode, Outcome};
use crate::facts::{Entry, Facts, Look, World, below, join_path};
use crate::format::kdl_text;
use crate::load::{Files, Root, load};
use crate::plan::Plan;
use crate::read::Format;
use crate::verdict::Decision;

/// One case.
#[derive(Clone, Debug)]
pub struct Case {
    /// Its name.
    pub id: String,
    /// The policy as KDL.
    policy: String,
    /// The command.
    pub command: String,
    /// The shell.
    pub shell: engine_shell::Shell,
    /// The project, where the command runs.
    pub cwd: String,
    /// What must be decided.
    pub expected: Expected,
    world: CaseWorld,
}

/// The verdict that a case must get.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    /// Exactly this one.
    Exactly(Outcome),
    /// Ask or deny.
    NotAllow,
}

impl Expected {
    /// Whether an outcome is what must be decided.
    #[must_use]
    pub fn holds(self, outcome: Outcome) -> bool {
        match self {
            Self::Exactly(own) => own == outcome,
            Self::NotAllow => outcome != Outcome::Allow,
        }
    }

    /// Whether an outcome allows what must not be.
    #[must_use]
    pub fn is_breach(self, outcome: Outcome) -> bool {
        outcome == Outcome::Allow && self != Self::Exactly(Outcome::Allow)
    }

    /// The word for it in case files.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Exactly(outcome) => outcome.as_str(),
            Self::NotAllow => "not-allow",
        }
    }
}

/// Why a line is no case.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CaseError {
    /// Not JSON.
    #[error("not a JSON object: {0}")]
    Json(String),
    /// A field is missing or of another type.
    #[error("`{0}` is missing or not understood")]
    Field(&'static str),
    /// Its policy does not compile.
    #[error("its policy does not compile: {0}")]
    Policy(String),
}

/// What became of a case.
#[derive(Clone, Debug)]
pub struct CaseOutcome {
    /// What was decided.
    pub decision: Decision,
    /// The plan that decided, for rendering the reasons.
    pub plan: Arc<Plan>,
}

/// Runs cases and keeps the plans of policies that it has compiled.
#[derive(Debug, Default)]
pub struct CaseRunner {
    plans: HashMap<String, Arc<Plan>>,
}

/// The home directory of cases.
const HOME: &str = "/home/dev";

struct NoFiles;

impl Files for NoFiles {
    fn text(&self, _path: &str) -> Result<String, String> {
        Err("a case has no files".to_owned())
    }
}

impl CaseRunner {
    /// Decides one case.
    ///
    /// # Errors
    /// If the policy of the case does not compile.
    pub fn run(&mut self, case: &Case) -> Result<CaseOutcome, CaseError> {
        let plan = match self.plans.get(&case.policy) {
            Some(plan) => Arc::clone(plan),
            None => {
                let root = Root::Text {
                    name: "case.kdl".to_owned(),
                    text: case.policy.clone(),
                    format: Format::Kdl,
                };
                let mut loaded = load(&[root], &NoFiles);
                let Some(plan) = loaded.compile() else {
                    let messages: Vec<_> = loaded
                        .diagnostics
                        .iter()
                        .map(|problem| problem.message.clone())
                        .collect();
                    return Err(CaseError::Policy(messages.join("; ")));
                };
                let plan = Arc::new(plan);
                self.plans.insert(case.policy.clone(), Arc::clone(&plan));
                plan
            }
        };
        let facts = Facts {
            via: &[],
            project: &case.cwd,
            directory: &case.cwd,
            home: Some(HOME),
            shell: case.shell,
            world: &case.world,
        };
        let decision = decide(&plan, &Call::Shell(&case.command), &facts, Mode::Default);
        Ok(CaseOutcome { decision, plan })
    }
}

/// Reads one line.
///
/// # Errors
/// If it is not JSON or a field is missing or not understood.
pub fn parse_case(line: &str) -> Result<Case, CaseError> {
    let json: Json = serde_json::from_str(line).map_err(|error| CaseError::Json(error.to_string()))?;
    let text = |name: &'static str| {
        json.get(name)
            .and_then(Json::as_str)
            .ok_or(CaseError::Field(name))
    };
    let mut policy = String::new();
    for rule in json
        .get("policy")
        .and_then(Json::as_array)
        .ok_or(CaseError::Field("policy"))?
    {
        let part = |name: &str| rule.get(name).and_then(Json::as_str);
        if let Some(profile) = part("profile") {
            policy.insert_str(
                0,
                &format!(
                    "policy \"case\" {{ extends {} }}\n",
                    kdl_text(&format!("builtin:{profile}"))
                ),
            );
            continue;
        }
        let (Some(effect), Some(tool), Some(pattern)) = (part("effect"), part("tool"), part("pattern"))
        else {
            return Err(CaseError::Field("policy"));
        };
        if Outcome::from_word(effect).is_none() {
            return Err(CaseError::Field("policy"));
        }
        let _infallible = writeln!(policy, "{effect} {}", kdl_text(&format!("{tool}({pattern})")));
    }
    let expected = match text("expected")? {
        "not-allow" => Expected::NotAllow,
        word => Expected::Exactly(Outcome::from_word(word).ok_or(CaseError::Field("expected"))?),
    };
    let shell = match json.get("shell").and_then(Json::as_str).unwrap_or("bash") {
        "bash" => engine_shell::Shell::Bash,
        "zsh" => engine_shell::Shell::Zsh,
        "sh" => engine_shell::Shell::Sh,
        _ => return Err(CaseError::Field("shell")),
    };
    Ok(Case {
        id: text("id")?.to_owned(),
        policy,
        command: text("command")?.to_owned(),
        shell,
        cwd: unix_path(text("cwd")?),
        expected,
        world: CaseWorld::read(json.get("fs"))?,
    })
}

/// A path of Windows as bash on Windows names it.
fn unix_path(path: &str) -> String {
    match path.split_once(":\\") {
        Some((drive, rest)) if drive.len() == 1 => {
            format!("/{}/{}", drive.to_ascii_lowercase(), rest.replace('\\', "/"))
        }
        Some(_) | None => path.to_owned(),
    }
}

/// The files and links that a case says exist; nothing else is known.
#[derive(Clone, Debug, Default)]
struct CaseWorld {
    links: HashMap<String, String>,
    files: HashMap<String, String>,
}

impl CaseWorld {
    fn read(fs: Option<&Json>) -> Result<Self, CaseError> {
        let mut world = Self::default();
        for entry in fs.and_then(Json::as_array).map_or(&[][..], Vec::as_slice) {
            let part = |name: &str| entry.get(name).and_then(Json::as_str);
            match (part("path"), part("type")) {
                (Some(path), Some("symlink")) => {
                    let target = part("target").ok_or(CaseError::Field("fs"))?;
                    world.links.insert(path.to_owned(), target.to_owned());
                }
                (Some(path), Some("file")) => {
                    world
                        .files
                        .insert(path.to_owned(), part("content").unwrap_or_default().to_owned());
                }
                (Some(_), Some("dir" | "directory")) => {}
                _ => return Err(CaseError::Field("fs")),
            }
        }
        Ok(world)
    }
}

impl World for CaseWorld {
    fn real_path(&self, path: &str) -> Option<String> {
        if self.links.is_empty() {
            return None;
        }
        let mut real = String::new();
        let mut hops = 0;
        let mut rest: Vec<String> = path
            .split('/')
            .rev()
            .filter(|part| !part.is_empty())
            .map(str::to_owned)
            .collect();
        while let Some(part) = rest.pop() {
            let next = format!("{real}/{part}");
            match self.links.get(&next) {
                Some(target) if hops < 40 => {
                    hops += 1;
                    let full = join_path(if real.is_empty() { "/" } else { &real }, target);
                    real.clear();
                    rest.extend(
                        full.split('/')
                            .rev()
                            .filter(|part| !part.is_empty())
                            .map(str::to_owned),
                    );
                }
                Some(_) | None => real = next,
            }
        }
        Some(real)
    }

    fn is_directory(&self, path: &str) -> Option<bool> {
        self.files.contains_key(path).then_some(false)
    }

    fn small_file(&self, path: &str) -> Option<String> {
        self.files.get(path).cloned()
    }

    fn look_below(&self, root: &str, visit: &mut dyn FnMut(Entry<'_>) -> Look) -> bool {
        let mut show = |path: &str| {
            let is_link = self.links.contains_key(path);
            visit(Entry { path, is_link })
        };
        if self.files.contains_key(root) {
            let _whole = show(root);
            return true;
        }
        // A case names some of the files that exist; of the others nothing is known.
        let named = self.links.keys().chain(self.files.keys());
        let mut inside = named.filter(|path| below(path, root).is_some_and(|rest| !rest.is_empty()));
        inside.any(|path| show(path) == Look::Enough)
    }
}
