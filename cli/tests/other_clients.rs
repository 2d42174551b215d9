//! The real Codex and Gemini CLI, as `clients` runs the real Claude Code: without a network but their own loopback, against a model that
//! says what a script says. What the policy allows runs, what it denies does not and the model is told why, and with a broken engine
//! nothing runs.
//!
//! The programs are fetched by npm, into the build's own directory, and stay there. Where npm, the network or a namespace is missing a
//! test says so and ends; `.config/nextest.toml` shows it.
#![cfg(target_os = "linux")]
#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    reason = "helpers of tests fail as tests do; these run clients, a package manager and the binary"
)]

#[path = "clients/stage.rs"]
mod stage;

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::{Value as Json, json};

use stage::{Answer, Model, fetched, in_a_namespace, items, program};

/// A program and its fixed version, so that a test means the same tomorrow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Client {
    Codex,
    Gemini,
}

impl Client {
    fn package(self) -> &'static str {
        match self {
            Self::Codex => "@openai/codex@0.171.0",
            Self::Gemini => "@google/gemini-cli@0.61.0",
        }
    }

    /// Its name for `engine hook`, and its directory in the home.
    fn names(self) -> (&'static str, &'static str) {
        match self {
            Self::Codex => ("codex", ".codex"),
            Self::Gemini => ("gemini", ".gemini"),
        }
    }

    /// A call of a command.
    fn command(self, text: &str) -> Call {
        match self {
            Self::Codex => Call::function("exec_command", json!({ "cmd": text })),
            Self::Gemini => Call::function(
                "run_shell_command",
                json!({ "command": text, "description": "a step" }),
            ),
        }
    }
}

/// A call that the model makes.
#[derive(Clone, Debug)]
struct Call {
    name: &'static str,
    input: Json,
}

impl Call {
    fn function(name: &'static str, input: Json) -> Self {
        Self { name, input }
    }

    /// A patch as Codex takes it: a text, and no object.
    fn patch(text: &str) -> Self {
        Self::function("apply_patch", text.into())
    }
}

/// Runs a test of this program where there is no network.
fn in_its_namespace(client: Client, test: &str) {
    in_a_namespace(
        &format!("{client:?}"),
        fetched(client.package(), client.names().0),
        test,
    );
}

#[test]
fn codex_does_what_the_policy_says() {
    in_its_namespace(Client::Codex, "codex_in_a_namespace");
}

#[test]
fn gemini_does_what_the_policy_says() {
    in_its_namespace(Client::Gemini, "gemini_in_a_namespace");
}

/// A person's own policy, so that no trust is needed.
const POLICY: &str = "policy \"t\" { extends \"builtin:readonly\" }\nallow { write \"./**\" }\n\
    deny \"no-rm\" because=\"nothing is brought back\" { command \"rm ...\" }\n\
    deny \"no-secrets\" because=\"they are not yours\" { write \"**/secret*\"; delete \"**/secret*\" }\n";

#[test]
#[ignore = "runs in a namespace that a test above makes"]
fn codex_in_a_namespace() {
    let codex = Client::Codex;
    let patch = |file: &str| {
        Call::patch(&format!(
            "*** Begin Patch\n*** Add File: {file}\n+x\n*** End Patch\n"
        ))
    };
    let both = Call::patch(
        "*** Begin Patch\n*** Add File: third.txt\n+x\n*** Add File: secret-too.txt\n+x\n*** End Patch\n",
    );
    let calls = [
        codex.command("touch allowed"),
        codex.command("rm -rf victim"),
        patch("patched.txt"),
        patch("secret.txt"),
        both,
    ];
    let session = Session::new(codex);
    let results = session.run(&calls);
    assert_eq!(results.len(), 5, "{results:#?}");
    assert!(
        session.there("allowed") && session.there("victim") && session.there("patched.txt"),
        "{results:#?}"
    );
    assert!(!session.there("secret.txt") && !session.there("third.txt") && !session.there("secret-too.txt"));
    assert!(
        results[1].contains("`no-rm`") && results[1].contains("nothing is brought back"),
        "{results:#?}"
    );
    for refused in &results[3..] {
        assert!(
            refused.contains("`no-secrets`") && refused.contains("they are not yours"),
            "{results:#?}"
        );
    }
    broken(codex);
}

#[test]
#[ignore = "runs in a namespace that a test above makes"]
fn gemini_in_a_namespace() {
    let gemini = Client::Gemini;
    let session = Session::new(gemini);
    let write = |file: &str| {
        let file = session.project().join(file);
        Call::function("write_file", json!({ "file_path": file, "content": "x" }))
    };
    let calls = [
        gemini.command("touch allowed"),
        gemini.command("rm -rf victim"),
        write("written.txt"),
        write("secret.txt"),
    ];
    let results = session.run(&calls);
    assert_eq!(results.len(), 4, "{results:#?}");
    assert!(
        session.there("allowed") && session.there("victim") && session.there("written.txt"),
        "{results:#?}"
    );
    assert!(!session.there("secret.txt"));
    assert!(
        results[1].contains("`no-rm`") && results[1].contains("nothing is brought back"),
        "{results:#?}"
    );
    assert!(results[3].contains("`no-secrets`"), "{results:#?}");
    broken(gemini);
}

/// What is broken, and how.
type Spoilt = (&'static str, fn(&Session));

/// In the mode that asks nobody, what is broken still stops everything.
fn broken(client: Client) {
    let cases: [Spoilt; 3] = [
        ("a policy that is not one", |session| {
            fs::write(session.home().join(".config/engine/policy.kdl"), "nonsense {").expect("a file");
        }),
        ("a policy that cannot be read", |session| {
            let policy = session.home().join(".config/engine/policy.kdl");
            fs::remove_file(&policy).expect("a file");
            fs::create_dir(policy).expect("a folder");
        }),
        ("no engine", |session| {
            let settings = session.settings();
            let text = fs::read_to_string(&settings).expect("settings");
            assert!(text.contains(env!("CARGO_BIN_EXE_engine")), "{text}");
            fs::write(
                &settings,
                text.replace(env!("CARGO_BIN_EXE_engine"), "/nowhere/engine"),
            )
            .expect("settings");
        }),
    ];
    for (name, spoil) in cases {
        let session = Session::new(client);
        spoil(&session);
        let results = session.run(&[client.command("touch allowed")]);
        assert_eq!(results.len(), 1, "{name}: {results:#?}");
        assert!(!session.there("allowed"), "{name}: {results:#?}");
    }
}

/// A person with a project, a policy and the hook installed.
struct Session {
    folder: tempfile::TempDir,
    client: Client,
}

impl Session {
    fn new(client: Client) -> Self {
        let session = Self {
            // Codex takes no home below the directory for temporary files.
            folder: tempfile::tempdir_in("/var/tmp").expect("a folder"),
            client,
        };
        let home = session.home();
        fs::create_dir_all(home.join(".config/engine")).expect("a folder");
        fs::create_dir_all(home.join(client.names().1)).expect("a folder");
        fs::create_dir_all(session.project().join(".git")).expect("a folder");
        fs::create_dir_all(session.project().join("victim")).expect("a folder");
        fs::write(home.join(".config/engine/policy.kdl"), POLICY).expect("a policy");
        if client == Client::Gemini {
            let settings = json!({ "security": { "auth": { "selectedType": "gemini-api-key" } } });
            fs::write(session.settings(), settings.to_string()).expect("settings");
        }
        let installed = Command::new(env!("CARGO_BIN_EXE_engine"))
            .args(["hook", "install", client.names().0])
            .current_dir(session.project())
            .env_clear()
            .env("HOME", &home)
            .stdout(Stdio::null())
            .status();
        assert!(installed.expect("the engine").success());
        session
    }

    fn home(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    fn project(&self) -> PathBuf {
        self.folder.path().join("project")
    }

    fn settings(&self) -> PathBuf {
        let (_, directory) = self.client.names();
        let file = match self.client {
            Client::Codex => "hooks.json",
            Client::Gemini => "settings.json",
        };
        self.home().join(directory).join(file)
    }

    fn there(&self, name: &str) -> bool {
        self.project().join(name).exists()
    }

    /// Runs the program to its end; what the model was told of each call.
    fn run(&self, calls: &[Call]) -> Vec<String> {
        let model = model(self.client, calls.to_vec());
        let program = program();
        let mut command = Command::new("timeout");
        command.arg("100").arg(program);
        match self.client {
            Client::Codex => {
                let config = format!(
                    "model = \"gpt-5.5\"\nmodel_provider = \"scripted\"\n[model_providers.scripted]\nname = \"scripted\"\nbase_url = \"http://127.0.0.1:{}/v1\"\nwire_api = \"responses\"\nenv_key = \"SCRIPTED_KEY\"\n",
                    model.port
                );
                fs::write(self.home().join(".codex/config.toml"), config).expect("settings");
                command.args([
                    "exec",
                    "--skip-git-repo-check",
                    "--json",
                    "--dangerously-bypass-hook-trust",
                ]);
                command.args(["-s", "danger-full-access", "go"]);
            }
            Client::Gemini => {
                command.args([
                    "-m",
                    "gemini-2.5-flash",
                    "-o",
                    "json",
                    "--approval-mode",
                    "yolo",
                    "-p",
                    "go",
                ]);
            }
        }
        let output = command
            .current_dir(self.project())
            .env_clear()
            .env("HOME", self.home())
            .env("CODEX_HOME", self.home().join(".codex"))
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("SHELL", "/bin/bash")
            .env("LANG", "C.UTF-8")
            .env("TERM", "dumb")
            .env("SCRIPTED_KEY", "none")
            .env("GEMINI_API_KEY", "none")
            .env(
                "GOOGLE_GEMINI_BASE_URL",
                format!("http://127.0.0.1:{}", model.port),
            )
            .env("GEMINI_TELEMETRY_ENABLED", "false")
            .env("GEMINI_CLI_NO_RELAUNCH", "true")
            .env("GEMINI_CLI_TRUST_WORKSPACE", "true")
            .stdin(Stdio::null())
            .output()
            .expect("the program");
        let results = results(self.client, &model);
        assert!(
            !results.is_empty(),
            "{}\n{}",
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        );
        results
    }
}

/// A model that makes one call after the other, whatever it is told.
fn model(client: Client, calls: Vec<Call>) -> Model {
    Model::start(move |path, request| {
        let is_turn = path.ends_with("/responses") || path.contains("enerateContent");
        let (kind, text) = match client {
            Client::Codex if is_turn => ("text/event-stream", responses(request, &calls)),
            Client::Gemini if path.contains(":streamGenerateContent") => (
                "text/event-stream",
                format!("data: {}\n\n", content(request, &calls)),
            ),
            Client::Gemini if is_turn => ("application/json", content(request, &calls).to_string()),
            Client::Codex => (
                "application/json",
                json!({ "object": "list", "data": [], "models": [] }).to_string(),
            ),
            Client::Gemini => ("application/json", json!({ "totalTokens": 1 }).to_string()),
        };
        Answer {
            kind,
            text,
            is_turn: is_turn && items(&request["tools"]).next().is_some(),
        }
    })
}

/// What the model was told of each call, in order.
fn results(client: Client, model: &Model) -> Vec<String> {
    let last = model.last();
    match client {
        Client::Codex => items(&last["input"])
            .filter(|item| {
                item["type"]
                    .as_str()
                    .is_some_and(|kind| kind.ends_with("_call_output"))
            })
            .map(|item| item["output"].to_string())
            .collect(),
        Client::Gemini => items(&last["contents"])
            .flat_map(|content| items(&content["parts"]))
            .filter_map(|part| part.get("functionResponse").map(Json::to_string))
            .collect(),
    }
}

/// The next call of the script as a stream of what its API calls responses; a word of farewell after the last.
fn responses(request: &Json, calls: &[Call]) -> String {
    let made = items(&request["input"])
        .filter(|item| item["type"].as_str().is_some_and(|kind| kind.ends_with("_call")))
        .count();
    let item = match calls.get(made) {
        Some(Call { name, input }) if input.is_string() => {
            json!({ "type": "custom_tool_call", "id": format!("ctc_{made}"),
            "call_id": format!("call_{made}"), "name": name, "input": input, "status": "completed" })
        }
        Some(Call { name, input }) => json!({ "type": "function_call", "id": format!("fc_{made}"),
            "call_id": format!("call_{made}"), "name": name, "arguments": input.to_string(), "status": "completed" }),
        None => {
            json!({ "type": "message", "id": format!("msg_{made}"), "role": "assistant", "status": "completed",
            "content": [{ "type": "output_text", "text": "Done.", "annotations": [] }] })
        }
    };
    let response = json!({ "id": format!("resp_{made}"), "object": "response", "created_at": 1, "status": "completed", "output": [item],
        "usage": { "input_tokens": 1, "input_tokens_details": { "cached_tokens": 0 }, "output_tokens": 1,
            "output_tokens_details": { "reasoning_tokens": 0 }, "total_tokens": 2 } });
    let events = [
        json!({ "type": "response.created", "response": { "id": format!("resp_{made}"), "status": "in_progress", "output": [] } }),
        json!({ "type": "response.output_item.added", "output_index": 0, "item": item }),
        json!({ "type": "response.output_item.done", "output_index": 0, "item": item }),
        json!({ "type": "response.completed", "response": response }),
    ];
    let texts = events.map(|event| {
        format!(
            "event: {}\ndata: {event}\n\n",
            event["type"].as_str().unwrap_or_default()
        )
    });
    texts.concat()
}

/// The same as Gemini's content.
fn content(request: &Json, calls: &[Call]) -> Json {
    let made = items(&request["contents"])
        .flat_map(|content| items(&content["parts"]))
        .filter(|part| part.get("functionCall").is_some())
        .count();
    let has_tools = items(&request["tools"]).next().is_some();
    let part = match calls.get(made).filter(|_| has_tools) {
        Some(Call { name, input }) => {
            json!({ "functionCall": { "name": name, "args": input, "id": format!("fc-{made}") } })
        }
        None if has_tools => json!({ "text": "Done." }),
        None => json!({ "text": "{}" }),
    };
    json!({ "candidates": [{ "content": { "role": "model", "parts": [part] }, "finishReason": "STOP", "index": 0 }],
        "usageMetadata": { "promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2 }, "modelVersion": "scripted" })
}
