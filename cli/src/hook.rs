//! `engine hook`: answers the hooks of agents' own programs, in the form that each of them takes.
//!
//! These programs let a call run when its hook fails, so here everything that goes wrong is a no.

mod answer;
mod client;
mod event;
mod guard;
mod install;
mod judge;
mod map;
mod patch;
pub(crate) mod record;
#[cfg(test)]
mod tests;

use std::ffi::OsString;
use std::io::{IsTerminal as _, Read as _};
use std::path::PathBuf;
use std::time::Duration;

use engine_policy::{Outcome, Plan};
use engine_shell::Shell;

use crate::exit::Exit;
use crate::options::Policies;
use crate::out;
use crate::policies::{self, Found, Named};
use crate::world::{self, Disk};
use answer::Answer;
use client::{CLIENTS, Client, ClientData};
use event::{Event, MAX_EVENT_BYTES, Phase};
use judge::Surroundings;
use record::Recording;

/// Answers the hook of an agent's own program, or installs it
///
/// Reads the program's event from standard input, decides the call that it speaks of under the project's policy, records it in the audit
/// log, and answers in the program's own form. Whatever fails is a no.
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true, after_help = EXAMPLES)]
pub(crate) struct Hook {
    #[command(subcommand)]
    command: Option<HookCommand>,

    /// The program that asks
    #[arg(value_enum, required = true)]
    client: Option<Client>,

    #[command(flatten)]
    policies: Policies,

    /// Nobody can be asked: apply the policy's `headless` default to what would ask
    #[arg(long)]
    headless: bool,

    /// Somebody sits at the program and can be asked, which only they can know (`gemini`)
    #[arg(long, conflicts_with = "headless")]
    interactive: bool,

    /// Milliseconds after which the answer is no
    #[arg(long, value_name = "MS", default_value_t = DEADLINE_MS, value_parser = clap::value_parser!(u64).range(1..))]
    deadline: u64,

    /// Directory of the audit log, in place of the person's own; an absolute path, since an agent's program starts hooks anywhere
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath, value_parser = absolute)]
    audit: Option<PathBuf>,

    /// Whether a call may run that could not be recorded
    #[arg(long, value_name = "HOW", value_enum, default_value_t)]
    recording: Recording,
}

fn absolute(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    if path.is_absolute() {
        Ok(path)
    } else {
        Err("it is no absolute path".to_owned())
    }
}

#[derive(Debug, clap::Subcommand)]
enum HookCommand {
    Install(install::Install),
}

const EXAMPLES: &str = "Examples:
  engine hook install claude-code          sets the hook up for the person's own Claude Code
  engine hook install gemini --project     sets it up for everybody who works in this project
  engine hook install codex --print        shows what would be written
  engine hook claude-code < event.json     answers one event

Exit codes of an answer: 0 with an answer, or with nothing to say; 2 stops the call whatever was printed. A wrong command line ends with 2, and so does this help where standard input is no terminal: an agent's program takes 0 without an answer for a yes.";

/// Tells what is wrong with a command line of the hook, or its help; answers the exit code. Where an agent's program may have started it,
/// any other code would let the call run: help is for people, and they sit at a terminal.
pub(crate) fn unanswered(error: &clap::Error) -> u8 {
    let asked_for = !error.use_stderr();
    let is_for_person = std::io::stdin().is_terminal() || is_installing(std::env::args_os());
    if asked_for && is_for_person {
        // Nothing is left to tell anybody if the terminal is gone.
        let _gone = error.print();
        return 0;
    }
    out::complain(&error.render().to_string());
    if asked_for {
        out::complain(
            "\nengine: this is no answer to an event, so the exit code is the one that stops a call\n",
        );
    }
    answer::STOP
}

/// Whether a command line installs the hook, which no agent's program does.
fn is_installing(words: impl IntoIterator<Item = OsString>) -> bool {
    words.into_iter().skip(1).take(2).eq(["hook", "install"])
}

/// Whether a command line that is wrong was to be one of the hook: its words are there, in whatever order.
pub(crate) fn is_meant(words: impl IntoIterator<Item = OsString>) -> bool {
    let words: Vec<OsString> = words.into_iter().skip(1).collect();
    let is_client = |word: &OsString| CLIENTS.iter().any(|data| word == data.name);
    words.iter().any(|word| word == "hook") && words.iter().any(is_client)
}

/// Default of `--deadline`.
const DEADLINE_MS: u64 = 5_000;

impl Hook {
    /// Reads the command line that is installed: one client and nothing else. `None` for any other, which are left to clap; what is read
    /// here is what it would read (a test).
    pub(crate) fn quick(words: &[OsString]) -> Option<Self> {
        let [word] = words else {
            return None;
        };
        let client = Client::ALL.into_iter().find(|client| word == client.name())?;
        Some(Self {
            command: None,
            client: Some(client),
            policies: Policies::default(),
            headless: false,
            interactive: false,
            deadline: DEADLINE_MS,
            audit: None,
            recording: Recording::default(),
        })
    }

    pub(crate) fn run(self) -> std::process::ExitCode {
        if let Some(HookCommand::Install(install)) = self.command {
            return install.run().code();
        }
        let Some(client) = self.client else {
            return Exit::Usage.code();
        };
        let deadline = Duration::from_millis(self.deadline);
        let strict: fn(&str) -> Answer = match client {
            Client::ClaudeCode => |why| Answer::strict(Client::ClaudeCode, why),
            Client::Codex => |why| Answer::strict(Client::Codex, why),
            Client::Gemini => |why| Answer::strict(Client::Gemini, why),
        };
        let answer = guard::guarded(deadline, strict, move || self.answer(client));
        guard::write(&answer).into()
    }

    /// Whether this answers an event.
    fn answers(&self) -> bool {
        self.command.is_none()
    }

    fn answer(&self, client: Client) -> Answer {
        let mut bytes = Vec::new();
        let read = std::io::stdin()
            .lock()
            .take(MAX_EVENT_BYTES + 1)
            .read_to_end(&mut bytes);
        match read {
            Ok(_) if bytes.len() as u64 > MAX_EVENT_BYTES => {
                // A client may take a pipe that breaks while it writes for a failed hook.
                let _all_the_same = std::io::copy(&mut std::io::stdin().lock(), &mut std::io::sink());
                return Answer::strict(client, "the event is too long");
            }
            Ok(_) => {}
            Err(error) => return Answer::strict(client, &format!("standard input cannot be read: {error}")),
        }
        let Some(data) = client.data() else {
            return Answer::strict(client, "the client is not known");
        };
        // Without these, policies that tighten would be looked for elsewhere, or nowhere.
        if world::config_directory().is_none() {
            let why = "where the person's own policies stand is not known: `HOME` is no absolute path";
            return Answer::strict(client, why);
        }
        let session_project = match session_project(data) {
            Ok(project) => project,
            Err(why) => return Answer::strict(client, &why),
        };
        let disk = Disk::default();
        let named = self.policies.named();
        let around = Surroundings {
            session_project,
            home: world::home(),
            shells: shells(data),
            project_of: &world::project_of,
            policy: &|project, others| policy(&named, project, others),
            world: &disk,
            headless: self.headless,
        };
        let settings = Settings {
            client,
            interactive: self.interactive,
            recording: self.recording,
            audit_directory: self.audit.as_deref(),
        };
        answer(&settings, &bytes, &around)
    }
}

/// What the command line says of an answer.
#[derive(Clone, Copy, Debug)]
struct Settings<'a> {
    client: Client,
    interactive: bool,
    recording: Recording,
    audit_directory: Option<&'a std::path::Path>,
}

/// Answers one event. Everything that is not decided is a no.
fn answer(settings: &Settings<'_>, bytes: &[u8], around: &Surroundings<'_>) -> Answer {
    let client = settings.client;
    let Some(data) = client.data() else {
        return Answer::strict(client, "the client is not known");
    };
    let event = match Event::parse(data, bytes) {
        Ok(event) => event,
        Err(why) => {
            let _unheard = record::refused(settings, &why);
            return Answer::strict(client, &why);
        }
    };
    match event.phase {
        Phase::Before => {}
        Phase::After | Phase::Other => {
            // What happened has happened: nothing is stopped by what cannot be recorded.
            let recorded = record::happened(settings, data, &event, around);
            return Answer {
                complaint: recorded
                    .err()
                    .map_or(String::new(), |why| format!("engine: {why}\n")),
                ..Answer::neutral()
            };
        }
    }
    let judged = match judge::judge(data, &event, around) {
        Ok(judged) => judged,
        Err(why) => {
            let _unheard = record::refused(settings, &why);
            return Answer::strict(client, &why);
        }
    };
    let mut outcome = judged.outcome;
    // Where the program asks the person something of its own, its yes would be taken for theirs.
    if outcome == Outcome::Allow && data.asks_itself.contains(&judged.tool.as_str()) {
        outcome = Outcome::Ask;
    }
    let mut reason = judged.reason.clone();
    if outcome == Outcome::Ask && !(data.takes_ask || (settings.interactive && client == Client::Gemini)) {
        outcome = Outcome::Deny;
        reason.push_str("\n- this program cannot ask from a hook, so it is denied: a person can run it, or allow it in the policy");
    }
    let complaint = match record::decided(settings, &event, &judged, outcome) {
        Ok(()) => String::new(),
        Err(why) if settings.recording == Recording::Required => {
            return Answer::strict(client, &format!("it cannot be recorded: {why}"));
        }
        Err(why) => format!("engine: {why}\n"),
    };
    Answer {
        complaint,
        ..Answer::verdict(client, outcome, &reason)
    }
}

fn policy(named: &Named, project: &str, others: &[&str]) -> Result<&'static Plan, String> {
    policies::policy(&Found::besides(named, project, others))
        .map(|plan| &*Box::leak(Box::new(plan)))
        .map_err(|_exit| format!("the policy of {project} cannot be used (`engine check` there says why)"))
}

/// The project that a client says the session is in. One that is said and cannot be understood is an error: what else there is to go by
/// (the event's `cwd`), a call can change.
fn session_project(data: &ClientData) -> Result<Option<String>, String> {
    for name in data.project {
        if *name == "." {
            return match world::current_directory() {
                Some(own) => Ok(Some(own)),
                None => Err("the directory that the hook is started in is not known".to_owned()),
            };
        }
        if std::env::var_os(name).is_some_and(|value| !value.is_empty()) {
            return match world::variable_path(name) {
                Some(own) => Ok(Some(own)),
                None => Err(format!("`{name}` is no absolute path")),
            };
        }
    }
    Ok(None)
}

/// The shells that a client may run a command with. A client that goes by a variable takes zsh where that one names no shell it knows
/// and zsh is there.
fn shells(data: &ClientData) -> Vec<Shell> {
    let mut shells = Vec::new();
    for name in data.shells {
        let named = if name.starts_with(|c: char| c.is_ascii_uppercase()) {
            world::variable_path(name).unwrap_or_default()
        } else {
            (*name).to_owned()
        };
        let program = named.rsplit('/').next().unwrap_or_default();
        match program {
            "bash" => shells.push(Shell::Bash),
            "zsh" => shells.push(Shell::Zsh),
            "sh" | "dash" => shells.extend([Shell::Sh, Shell::Bash]),
            _ => {
                shells.push(Shell::Bash);
                if world::has_zsh() {
                    shells.push(Shell::Zsh);
                }
            }
        }
    }
    shells
}
