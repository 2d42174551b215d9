//! `engine hook install`: writes the hook into a client's settings, and takes it out again.
//!
//! Invariant (only ours): nothing else in a file of settings changes, not even its blanks and comments; doing it twice changes nothing.

use std::fs;
use std::io::{ErrorKind, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use clap::Parser as _;
use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstArray, CstInputValue, CstNode, CstObject, CstRootNode};
use serde_json::{Value as Json, json};

use super::client::Client;
use crate::check::command_text;
use crate::exit::Exit;
use crate::out::{self, visible};
use crate::world;

/// Sets the hook up in a program's settings, or takes it out again
///
/// Everything else in the settings stays as it is. The file as it was is kept beside it, with `.before-engine` at the end of its name.
#[derive(Debug, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "one for each switch")]
pub(crate) struct Install {
    /// The program
    #[arg(value_enum)]
    client: Client,

    /// In the person's own settings, for all projects
    #[arg(long, conflicts_with = "project")]
    user: bool,

    /// In the project's settings, for everybody who works in it
    #[arg(long)]
    project: bool,

    /// Prints what would be written, and writes nothing
    #[arg(long)]
    print: bool,

    /// Takes the hook out again
    #[arg(long)]
    undo: bool,

    /// Options for the hook, after `--`
    #[arg(last = true, value_name = "OPTION")]
    options: Vec<String>,
}

/// The command line of a hook, to try options on.
#[derive(Debug, clap::Parser)]
#[command(name = "engine hook")]
struct Tried {
    #[command(flatten)]
    hook: super::Hook,
}

/// Seconds that a client waits: more than the engine takes for its own deadline.
const WAIT_SECONDS: u64 = 30;

impl Install {
    pub(crate) fn run(&self) -> Exit {
        if let Err(why) = self.check_options() {
            out::complain(&format!("engine: {}\n", visible(&why)));
            return Exit::Usage;
        }
        match self.try_run() {
            Ok(()) => Exit::Fine,
            Err(why) => {
                out::complain(&format!("engine: {}\n", visible(&why)));
                Exit::Machine
            }
        }
    }

    /// A hook with wrong options would stop every call, and one that only shows its help would let every call run.
    fn check_options(&self) -> Result<(), String> {
        let words = ["hook", self.client.name()].into_iter();
        match Tried::try_parse_from(words.chain(self.options.iter().map(String::as_str))) {
            Ok(Tried { hook }) if hook.answers() => Ok(()),
            Ok(_) => Err("the words after `--` are options of `engine hook`, no command of it".to_owned()),
            Err(error) => {
                let text = error.render().to_string();
                let first = text.lines().next().unwrap_or_default();
                let first = first.strip_prefix("error: ").unwrap_or("they only show its help");
                Err(format!(
                    "the words after `--` are no options of `engine hook`: {first}"
                ))
            }
        }
    }

    fn try_run(&self) -> Result<(), String> {
        let path = self.path()?;
        let shown = path.display();
        let before = match fs::read_to_string(&path) {
            Ok(text) => Some(text),
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => return Err(format!("cannot read {shown}: {error}")),
        };
        if self.undo && before.is_none() {
            out::print(&visible(&format!("{shown} is not there\n")));
            return Ok(());
        }
        let text = before.as_deref().unwrap_or_default();
        let wanted = if self.undo { None } else { Some(self.command()?) };
        let after = changed(self.client, text, wanted.as_deref()).map_err(|why| format!("{shown}: {why}"))?;
        if self.print {
            out::print(&after);
            return Ok(());
        }
        if after == text {
            out::print(&visible(&format!("{shown} is as it should be\n")));
            return Ok(());
        }
        write(&path, before.as_deref(), &after).map_err(|error| format!("cannot write {shown}: {error}"))?;
        let done = if self.undo {
            format!("took the hook out of {shown}\n")
        } else {
            let missing = if self.project && !world::is_on_path("engine") {
                "`engine` is not on your search path: until it is, the hook stops every call\n"
            } else {
                ""
            };
            format!("wrote the hook into {shown}\n{}{missing}", self.note())
        };
        out::print(&visible(&done));
        Ok(())
    }

    /// What a person has to do besides.
    fn note(&self) -> &'static str {
        match self.client {
            Client::ClaudeCode | Client::Gemini => "start the program anew for it to count\n",
            Client::Codex => {
                "start the program anew; it asks once whether the hook is trusted, and until then it does not count\n"
            }
        }
    }

    fn path(&self) -> Result<PathBuf, String> {
        let named = |directory: &str| Path::new(directory).join(file_name(self.client));
        let path = if self.project {
            let here = world::current_directory().ok_or("the current directory is not known")?;
            let project = match world::project_of(&here) {
                none if none == world::NO_PROJECT => here,
                project => project,
            };
            named(&format!("{project}/{}", directory_name(self.client)))
        } else {
            let own = match self.client {
                Client::Codex => world::variable_path("CODEX_HOME"),
                Client::ClaudeCode => world::variable_path("CLAUDE_CONFIG_DIR"),
                Client::Gemini => None,
            };
            match own {
                Some(directory) => named(&directory),
                None => {
                    let home = world::home().ok_or("the home directory is not known")?;
                    named(&format!("{home}/{}", directory_name(self.client)))
                }
            }
        };
        // Settings that are a link are changed where they are.
        Ok(fs::canonicalize(&path).unwrap_or(path))
    }

    /// What the client runs. In a person's own settings, this very program; in a project's, whatever everybody has.
    fn command(&self) -> Result<String, String> {
        let program = if self.project {
            "engine".to_owned()
        } else {
            let own = std::env::current_exe()
                .map_err(|error| format!("where this program lies is not known: {error}"))?;
            own.to_str()
                .ok_or("where this program lies is not UTF-8")?
                .to_owned()
        };
        let mut words = vec![program, "hook".to_owned(), self.client.name().to_owned()];
        words.extend(self.options.iter().cloned());
        Ok(command_text(&words))
    }
}

fn directory_name(client: Client) -> &'static str {
    match client {
        Client::ClaudeCode => ".claude",
        Client::Codex => ".codex",
        Client::Gemini => ".gemini",
    }
}

fn file_name(client: Client) -> &'static str {
    match client {
        Client::ClaudeCode | Client::Gemini => "settings.json",
        Client::Codex => "hooks.json",
    }
}

/// The entries of the settings, by event.
fn entries(client: Client, command: &str) -> Vec<(&'static str, Json)> {
    // Whatever ends the engine before it answers, the shell then ends with the code that stops the call.
    let stopping = format!("{command} || exit 2");
    let group = |own: Json| json!({ "matcher": "*", "hooks": [own] });
    match client {
        Client::ClaudeCode => {
            let before = json!({ "type": "command", "command": stopping, "timeout": WAIT_SECONDS, "onFailure": "block" });
            let after = || group(json!({ "type": "command", "command": command, "timeout": WAIT_SECONDS }));
            vec![
                ("PreToolUse", group(before)),
                ("PostToolUse", after()),
                ("PostToolUseFailure", after()),
            ]
        }
        Client::Codex => vec![
            (
                "PreToolUse",
                group(json!({ "type": "command", "command": stopping, "timeout": WAIT_SECONDS })),
            ),
            (
                "PostToolUse",
                group(json!({ "type": "command", "command": command, "timeout": WAIT_SECONDS })),
            ),
        ],
        Client::Gemini => {
            let own = |command: &str| json!({ "type": "command", "name": "engine", "command": command, "timeout": WAIT_SECONDS * 1000 });
            vec![
                ("BeforeTool", group(own(&stopping))),
                ("AfterTool", group(own(command))),
            ]
        }
    }
}

/// The settings with the hook that runs `command`, or without one.
pub(super) fn changed(client: Client, text: &str, command: Option<&str>) -> Result<String, String> {
    let whole = if text.trim().is_empty() { "{}\n" } else { text };
    let root = CstRootNode::parse(whole, &ParseOptions::default())
        .map_err(|error| format!("it is not JSON: {error}"))?;
    let object = root.object_value().ok_or("it is no object")?;
    let wanted = command
        .map(|command| entries(client, command))
        .unwrap_or_default();
    let hooks = object
        .object_value_or_create("hooks")
        .ok_or("`hooks` is no object")?;
    for (event, entry) in &wanted {
        let list = hooks
            .array_value_or_create(event)
            .ok_or_else(|| format!("`{event}` of `hooks` is no list"))?;
        if !keep_only(&list, client, Some(entry)) {
            list.ensure_multiline();
            list.append(input(entry));
        }
    }
    for property in hooks.properties() {
        let is_wanted = property
            .decoded_name()
            .is_some_and(|name| wanted.iter().any(|(event, _)| *event == name));
        let Some(list) = property.array_value().filter(|_| !is_wanted) else {
            continue;
        };
        let had = list.elements().len();
        keep_only(&list, client, None);
        if had > 0 && list.elements().is_empty() {
            property.remove();
        }
    }
    if hooks.properties().is_empty()
        && let Some(property) = object.get("hooks")
    {
        property.remove();
    }
    let after = root.to_string();
    // Nothing is written that the client would not read.
    CstRootNode::parse(&after, &ParseOptions::default())
        .map_err(|error| format!("the change would break it: {error}"))?;
    Ok(after)
}

/// Takes our entries out of a list but for one that is as it should be; returns whether that one is there.
fn keep_only(list: &CstArray, client: Client, wanted: Option<&Json>) -> bool {
    let mut found = false;
    for element in list.elements() {
        let Some(group) = element.as_object() else {
            continue;
        };
        let Some(own) = group.array_value("hooks") else {
            continue;
        };
        let ours: Vec<CstNode> = own
            .elements()
            .into_iter()
            .filter(|hook| is_ours(hook, client))
            .collect();
        if ours.is_empty() {
            continue;
        }
        if !found && wanted.is_some() && value(&group).as_ref() == wanted {
            found = true;
            continue;
        }
        for hook in ours {
            hook.remove();
        }
        if own.elements().is_empty() {
            element.remove();
        }
    }
    found
}

/// An object without comments as a value.
fn value(object: &CstObject) -> Option<Json> {
    serde_json::from_str(&object.to_string()).ok()
}

/// Whether a hook runs the engine for this client.
fn is_ours(hook: &CstNode, client: Client) -> bool {
    let command = hook
        .as_object()
        .and_then(|hook| hook.get("command"))
        .and_then(|property| property.value())
        .and_then(|value| value.as_string_lit())
        .and_then(|text| text.decoded_value().ok());
    let Some(command) = command else { return false };
    let Some((program, rest)) = command.split_once(" hook ") else {
        return false;
    };
    let name = program.trim_matches('\'').rsplit('/').next().unwrap_or_default();
    let of = rest.split_whitespace().next().unwrap_or_default();
    name == "engine" && of == client.name()
}

fn input(json: &Json) -> CstInputValue {
    match json {
        Json::Null => CstInputValue::Null,
        Json::Bool(value) => CstInputValue::Bool(*value),
        Json::Number(number) => CstInputValue::Number(number.to_string()),
        Json::String(text) => CstInputValue::String(text.clone()),
        Json::Array(items) => CstInputValue::Array(items.iter().map(input).collect()),
        Json::Object(fields) => {
            // In the order in which people write them.
            let order = |name: &str| {
                [
                    "matcher",
                    "type",
                    "name",
                    "command",
                    "timeout",
                    "onFailure",
                    "hooks",
                ]
                .iter()
                .position(|own| *own == name)
            };
            let mut fields: Vec<_> = fields.iter().collect();
            fields.sort_by_key(|(name, _)| order(name));
            CstInputValue::Object(
                fields
                    .into_iter()
                    .map(|(name, value)| (name.clone(), input(value)))
                    .collect(),
            )
        }
    }
}

/// Writes the settings whole or not at all, and keeps what they were.
fn write(path: &Path, before: Option<&str>, after: &str) -> std::io::Result<()> {
    let directory = path.parent().unwrap_or(Path::new("/"));
    fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(directory)?;
    let mode = fs::metadata(path).map_or(0o600, |data| data.permissions().mode() & 0o777);
    let beside = |ending: &str| {
        let mut name = path.as_os_str().to_owned();
        name.push(ending);
        PathBuf::from(name)
    };
    let put = |target: &Path, text: &str| {
        let temporary = beside(&format!(".{}.new", std::process::id()));
        let mut file = fs::OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(mode)
            .open(&temporary)?;
        let written = file
            .write_all(text.as_bytes())
            .and_then(|()| file.sync_all())
            .and_then(|()| fs::rename(&temporary, target));
        if written.is_err() {
            let _gone = fs::remove_file(&temporary);
        }
        written
    };
    if let Some(before) = before {
        put(&beside(".before-engine"), before)?;
    }
    put(path, after)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value as Json, json};

    use super::super::client::Client;
    use super::{changed, write};

    const COMMAND: &str = "/opt/my bin/engine hook claude-code";

    fn with(client: Client, text: &str) -> String {
        changed(client, text, Some(&format!("engine hook {}", client.name()))).unwrap()
    }

    fn without(client: Client, text: &str) -> String {
        changed(client, text, None).unwrap()
    }

    #[test]
    fn claude_codes_settings_stop_calls_whatever_fails() {
        let text = changed(Client::ClaudeCode, "", Some(COMMAND)).unwrap();
        let json: Json = text.parse().unwrap();
        assert_eq!(
            json["hooks"]["PreToolUse"],
            json!([{ "matcher": "*", "hooks": [{ "type": "command", "command": format!("{COMMAND} || exit 2"), "timeout": 30,
                "onFailure": "block" }] }])
        );
        assert_eq!(
            json["hooks"]["PostToolUse"],
            json!([{ "matcher": "*", "hooks": [{ "type": "command", "command": COMMAND, "timeout": 30 }] }])
        );
    }

    #[test]
    fn gemini_counts_in_milliseconds() {
        let json: Json = with(Client::Gemini, "{}").parse().unwrap();
        let hook = &json["hooks"]["BeforeTool"][0]["hooks"][0];
        assert_eq!(
            (&hook["timeout"], &hook["command"]),
            (&json!(30_000), &json!("engine hook gemini || exit 2"))
        );
    }

    #[test]
    fn twice_is_once_and_taking_it_out_gives_back_what_was_there() {
        let settings = [
            "{}\n",
            "{\n  \"model\": \"x\"\n}\n",
            "// mine\n{\n    // what I like\n    \"model\": \"x\", /* here */\n    \"hooks\": {\n        \"PreToolUse\": [\n            // another\n            { \"matcher\": \"Bash\", \"hooks\": [{ \"type\": \"command\", \"command\": \"./mine.sh\" }] }\n        ]\n    }\n}\n",
        ];
        for client in Client::ALL {
            for text in settings {
                let once = with(client, text);
                assert_ne!(once, text);
                assert_eq!(with(client, &once), once);
                for kept in [
                    "// mine",
                    "// what I like",
                    "/* here */",
                    "// another",
                    "./mine.sh",
                    "\"model\": \"x\"",
                ] {
                    assert_eq!(once.contains(kept), text.contains(kept), "{kept}: {once}");
                }
                assert_eq!(without(client, &once), text, "{once}");
                assert_eq!(without(client, text), text);
            }
        }
    }

    #[test]
    fn an_older_entry_is_replaced() {
        let old = changed(
            Client::ClaudeCode,
            "{}",
            Some("/old/engine hook claude-code --headless"),
        )
        .unwrap();
        let new = changed(Client::ClaudeCode, &old, Some(COMMAND)).unwrap();
        assert!(!new.contains("/old/"), "{new}");
        assert_eq!(new.matches("|| exit 2").count(), 1);
        let quoted = changed(
            Client::ClaudeCode,
            "{}",
            Some("'/my bin/engine' hook claude-code"),
        )
        .unwrap();
        assert_eq!(
            changed(Client::ClaudeCode, &quoted, None)
                .unwrap()
                .parse::<Json>()
                .unwrap(),
            json!({})
        );
    }

    #[test]
    fn settings_of_another_shape_are_left_alone() {
        for text in [
            "[]",
            "{ \"hooks\": 5 }",
            "{ \"hooks\": { \"PreToolUse\": {} } }",
            "{ \"a\": ",
            "nonsense {",
        ] {
            assert!(
                changed(Client::ClaudeCode, text, Some(COMMAND)).is_err(),
                "{text}"
            );
        }
    }

    #[test]
    fn what_was_there_is_kept_beside() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("deep/settings.json");
        write(&path, None, "one").unwrap();
        write(&path, Some("one"), "two").unwrap();
        let read = |name: &str| std::fs::read_to_string(directory.path().join("deep").join(name)).unwrap();
        assert_eq!(
            (read("settings.json"), read("settings.json.before-engine")),
            ("two".to_owned(), "one".to_owned())
        );
        assert_eq!(
            std::fs::read_dir(directory.path().join("deep")).unwrap().count(),
            2
        );
    }
}
