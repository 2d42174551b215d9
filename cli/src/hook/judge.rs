//! Deciding an event: which project's policy, which shells, and the strictest of everything that the call is.

use std::path::Path;

use engine_policy::{
    Call, Decision, Effects, Facts, Mode, Note, Outcome, Plan, ToolShape, World, decide, join_path,
};
use engine_runtime::audit;
use engine_shell::Shell;

use super::client::ClientData;
use super::event::Event;
use super::map::{Mapped, OwnCall};
use super::record;
use crate::out::visible;

/// Reasons that the client is told.
const MAX_REASONS: usize = 6;

/// Longest reason, in characters.
const MAX_REASON_CHARS: usize = 2_000;

/// A policy, or why there is none, in one line.
pub(crate) type PlanOrWhy = Result<&'static Plan, String>;

/// What of the machine an answer depends on.
pub(crate) struct Surroundings<'a> {
    /// The project that the client says the session is in.
    pub session_project: Option<String>,
    /// The home directory.
    pub home: Option<String>,
    /// The shells that the client may run commands with.
    pub shells: Vec<Shell>,
    /// The project of a directory.
    pub project_of: &'a dyn Fn(&str) -> String,
    /// The policy for a project, tightened by those of other directories. It lives as long as the process: taking it apart would cost as much as a decision.
    pub policy: &'a (dyn Fn(&str, &[&str]) -> PlanOrWhy + 'a),
    /// The file system.
    pub world: &'a dyn World,
    /// Whether nobody can be asked.
    pub headless: bool,
}

/// The verdict on an event.
#[derive(Clone, Debug)]
pub(crate) struct Judged {
    pub outcome: Outcome,
    /// For the client, which shows it to the model.
    pub reason: String,
    pub reasons: Vec<audit::Reason>,
    pub project: String,
    pub directory: String,
    pub mode: &'static str,
    /// Our name of the tool.
    pub tool: String,
    pub git: Vec<String>,
}

/// Decides the call of an event.
///
/// # Errors
/// One line: nothing could be decided.
pub(crate) fn judge(data: &ClientData, event: &Event, around: &Surroundings<'_>) -> Result<Judged, String> {
    let mapped = Mapped::of(data, event);
    let cwd = event.cwd.as_deref().ok_or("the event has no `cwd`")?;
    let cwd = real_directory(around.world, "/", cwd);
    let directory = match &mapped.directory {
        Some(own) => real_directory(around.world, &cwd, own),
        None => cwd.clone(),
    };
    // The session's project decides, which a call cannot change. Whatever policies lie where the session is by now, and where the call
    // starts, count as if they lay around it: they tighten. A client that does not say where a session was started says where it is.
    let project = match &around.session_project {
        Some(named) => (around.project_of)(&real_directory(around.world, "/", named)),
        None => (around.project_of)(&cwd),
    };
    let others: Vec<&str> = [&cwd, &directory]
        .into_iter()
        .map(String::as_str)
        .filter(|other| *other != project)
        .collect();
    let plan = (around.policy)(&project, &others)?;
    let mode = match &event.mode {
        Some(own) => mode_of(data, own),
        None => plan.start_mode(),
    };
    let judged = around.shells.iter().map(|shell| {
        let facts = Facts {
            via: &[],
            project: &project,
            directory: &directory,
            home: around.home.as_deref(),
            shell: *shell,
            world: around.world,
        };
        judge_once(plan, data, &mapped, event, &facts, mode, around.headless)
    });
    let strictest = judged.max_by_key(|judged| judged.outcome);
    strictest.ok_or_else(|| "no shell of this client is known".to_owned())
}

/// A directory without `.` and `..`: whoever goes there goes up from where links lead.
fn real_directory(world: &dyn World, from: &str, name: &str) -> String {
    let upwards = name.split('/').any(|part| part == "..");
    let path = Path::new(from).join(name);
    let real = upwards
        .then(|| path.to_str().and_then(|path| world.real_path(path)))
        .flatten();
    real.unwrap_or_else(|| join_path(from, name).to_string())
}

fn mode_of(data: &ClientData, own: &str) -> Mode {
    let ours = data.modes.iter().find(|(name, _)| *name == own);
    // A mode that is not known gets no freedom.
    ours.and_then(|(_, ours)| Mode::from_word(ours))
        .unwrap_or(Mode::Default)
}

fn judge_once(
    plan: &Plan,
    data: &ClientData,
    mapped: &Mapped,
    event: &Event,
    facts: &Facts<'_>,
    mode: Mode,
    headless: bool,
) -> Judged {
    let mut outcome = Outcome::Allow;
    let mut all: Vec<Decision> = Vec::new();
    for call in &mapped.calls {
        let unsaid;
        let asked = match call {
            OwnCall::Tool { name, input } => match ToolShape::shipped(name) {
                Some(shape) if !data.says_all.contains(&name.as_str()) => {
                    unsaid = ToolShape {
                        effects: Effects::Unsaid,
                        ..*shape
                    };
                    Call::Declared {
                        shape: &unsaid,
                        input,
                    }
                }
                Some(_) | None => Call::Tool { name, input },
            },
            OwnCall::Command(text) => Call::Shell(text),
        };
        let decision = decide(plan, &asked, facts, mode);
        outcome = outcome.max(decision.outcome);
        all.push(decision);
    }
    if !mapped.unknown.is_empty() || mapped.calls.is_empty() {
        outcome = outcome.max(Outcome::Ask);
    }
    if !mapped.wrong.is_empty() {
        outcome = Outcome::Deny;
    }
    let decided = outcome;
    if outcome == Outcome::Ask && headless {
        outcome = plan.headless();
    }
    let mut lines: Vec<String> = Vec::new();
    let mut reasons: Vec<audit::Reason> = Vec::new();
    let unknown = mapped.unknown.iter().map(|why| (why, Outcome::Ask));
    for (why, of) in unknown.chain(mapped.wrong.iter().map(|why| (why, Outcome::Deny))) {
        lines.push(why.clone());
        reasons.push(audit::Reason {
            request: format!("use the tool {}", event.tool),
            verdict: of.as_str(),
            why: audit::redact(why),
            ..audit::Reason::default()
        });
    }
    for decision in &all {
        for step in decision.steps.iter().filter(|step| step.outcome == decided) {
            let line = step.explain(plan);
            if decided != Outcome::Allow && !lines.contains(&line) {
                lines.push(line);
            }
            reasons.push(record::reason_of(plan, step));
        }
    }
    reasons.dedup();
    let tool = mapped.calls.iter().find_map(|call| match call {
        OwnCall::Tool { name, .. } => Some(name.clone()),
        OwnCall::Command(_) => None,
    });
    if decided == Outcome::Ask {
        let warnings = noted(all.iter().map(|decision| decision.warnings.as_slice()));
        // Whoever is asked sees first what cannot be undone.
        lines.splice(..0, warnings.into_iter().map(|text| format!("warning: {text}")));
    }
    Judged {
        outcome,
        reason: reason_text(plan, decided, outcome, &lines),
        reasons,
        project: facts.project.to_owned(),
        directory: facts.directory.to_owned(),
        mode: mode.as_str(),
        tool: tool.unwrap_or_else(|| event.tool.clone()),
        git: noted(all.iter().map(|decision| decision.operations.as_slice())),
    }
}

/// What is noted of several decisions, each once.
fn noted<'n>(of: impl Iterator<Item = &'n [Note]>) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for note in of.flatten() {
        if !found.iter().any(|known| known == note.text.as_str()) {
            found.push(note.text.to_string());
        }
    }
    found
}

/// What the model is told: short, and with what it can do instead.
fn reason_text(plan: &Plan, decided: Outcome, outcome: Outcome, lines: &[String]) -> String {
    let verdict = match (decided, outcome) {
        (_, Outcome::Allow) => "allowed by the policy",
        (_, Outcome::Ask) => "the policy wants a person to decide",
        (Outcome::Ask, Outcome::Deny) => {
            "denied: the policy wants a person to decide, and nobody can be asked"
        }
        (_, Outcome::Deny) => "denied by the policy",
    };
    let mut text = format!("engine: {verdict}");
    for line in lines.iter().take(MAX_REASONS) {
        text.push_str("\n- ");
        text.push_str(&visible(line).replace('\n', " "));
    }
    if lines.len() > MAX_REASONS {
        text.push_str("\n- ... and more");
    }
    if outcome != Outcome::Allow
        && plan
            .withheld()
            .iter()
            .any(|withheld| withheld.reason == engine_policy::Reason::NotTrusted)
    {
        text.push_str("\n- the project's own policy is not trusted, so that what it allows does not count; a person can run `engine trust`");
    }
    match text.char_indices().nth(MAX_REASON_CHARS) {
        Some((at, _)) => format!("{}...", text.get(..at).unwrap_or_default()),
        None => text,
    }
}
