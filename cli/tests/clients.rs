//! The real Claude Code, without a network but its own loopback, against a model that says what a script says: what the policy allows runs,
//! what it denies does not and the model is told why, and with a broken engine nothing runs.
//!
//! The program is fetched by npm, into the build's own directory, and stays there. Where npm, the network or a namespace is missing the
//! test says so and ends; `.config/nextest.toml` shows it.
#![cfg(target_os = "linux")]
#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "helpers of tests fail as tests do"
)]
#![expect(
    clippy::disallowed_methods,
    reason = "this test runs a client, a package manager and the binary"
)]

#[path = "clients/stage.rs"]
mod stage;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value as Json, json};

use stage::{Answer, Model, fetched, in_a_namespace, items, program};

/// The version is fixed so that the test means the same tomorrow.
const CLAUDE_CODE: &str = "@anthropic-ai/claude-code@2.1.332";

#[test]
fn claude_code_does_what_the_policy_says() {
    in_a_namespace(
        "Claude Code",
        fetched(CLAUDE_CODE, "claude"),
        "inside_a_namespace",
    );
}

#[test]
#[ignore = "runs in a namespace that the test above makes"]
fn inside_a_namespace() {
    let program = program();
    let calls = ["touch allowed", "git push --force origin main", "rm -rf victim"];
    let rules = "extends \"builtin:readonly\"\n";
    let policy = format!(
        "policy \"t\" {{ {rules} }}\nallow {{ write \"./**\" }}\ndeny \"no-force\" because=\"others have it\" {{ command \"git push ...\" {{ flag \"-f\" \"--force\" }} }}\ndeny \"no-rm\" {{ command \"rm ...\" }}\n"
    );
    // A person's own policy, so that no trust is needed.
    let good = Session::new(&program, &policy, &calls, |_| {});
    let results = good.run();
    assert_eq!(results.len(), 3, "{results:?}");
    assert!(good.there("allowed") && good.there("victim"));
    assert!(!results[0].0, "{results:?}");
    assert!(
        results[1].0 && results[1].1.contains("`no-force`") && results[1].1.contains("others have it"),
        "{results:?}"
    );
    assert!(results[2].0 && results[2].1.contains("`no-rm`"), "{results:?}");
    let log = fs::read_to_string(good.home().join(".local/state/engine/audit/audit.jsonl")).expect("a log");
    let verdicts: Vec<String> = log
        .lines()
        .filter_map(|line| {
            line.parse::<Json>()
                .ok()?
                .get("verdict")?
                .as_str()
                .map(str::to_owned)
        })
        .collect();
    assert_eq!(verdicts, ["allow", "deny", "deny"]);
    assert!(log.contains("\"kind\":\"execution\""), "{log}");

    // In the mode that asks nobody, what is broken still stops everything.
    let broken: [Spoilt; 3] = [
        ("a policy that is not one", |session| {
            fs::write(session.home().join(".config/engine/policy.kdl"), "nonsense {").expect("a file");
        }),
        ("a policy that cannot be read", |session| {
            let policy = session.home().join(".config/engine/policy.kdl");
            fs::remove_file(&policy).expect("a file");
            fs::create_dir(policy).expect("a folder");
        }),
        ("no engine", |session| {
            let settings = session.home().join(".claude/settings.json");
            let text = fs::read_to_string(&settings).expect("settings");
            fs::write(
                &settings,
                text.replace(env!("CARGO_BIN_EXE_engine"), "/nowhere/engine"),
            )
            .expect("settings");
        }),
    ];
    for (name, spoil) in broken {
        let mut session = Session::new(&program, &policy, &["touch allowed"], spoil);
        session.bypass = true;
        let results = session.run();
        assert!(results.len() == 1 && results[0].0, "{name}: {results:?}");
        assert!(!session.there("allowed"), "{name}");
    }
}

/// What is broken, and how.
type Spoilt = (&'static str, fn(&Session));

/// A person with a project, a policy and the hook installed.
struct Session {
    folder: tempfile::TempDir,
    program: PathBuf,
    calls: Vec<String>,
    bypass: bool,
}

impl Session {
    fn new(program: &Path, policy: &str, calls: &[&str], spoil: fn(&Self)) -> Self {
        let session = Self {
            folder: tempfile::tempdir().expect("a folder"),
            program: program.to_owned(),
            calls: calls.iter().map(|&call| call.to_owned()).collect(),
            bypass: false,
        };
        let home = session.home();
        fs::create_dir_all(home.join(".config/engine")).expect("a folder");
        fs::create_dir_all(session.project().join(".git")).expect("a folder");
        fs::create_dir_all(session.project().join("victim")).expect("a folder");
        fs::write(home.join(".config/engine/policy.kdl"), policy).expect("a policy");
        let installed = Command::new(env!("CARGO_BIN_EXE_engine"))
            .args(["hook", "install", "claude-code"])
            .current_dir(session.project())
            .env_clear()
            .env("HOME", &home)
            .status();
        assert!(installed.expect("the engine").success());
        spoil(&session);
        session
    }

    fn home(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    fn project(&self) -> PathBuf {
        self.folder.path().join("project")
    }

    fn there(&self, name: &str) -> bool {
        self.project().join(name).exists()
    }

    /// Runs the program to its end; for each call whether it failed, and what the model was told.
    fn run(&self) -> Vec<(bool, String)> {
        let model = model(self.calls.clone());
        let path = std::env::var_os("PATH").unwrap_or_default();
        let mut command = Command::new("timeout");
        command.arg("120").arg(&self.program).args([
            "-p",
            "go",
            "--output-format",
            "json",
            "--setting-sources",
            "user",
        ]);
        if self.bypass {
            command.arg("--dangerously-skip-permissions");
        }
        let output = command
            .current_dir(self.project())
            .env_clear()
            .env("HOME", self.home())
            .env("PATH", path)
            .env("SHELL", "/bin/bash")
            .env("LANG", "C.UTF-8")
            .env("TERM", "dumb")
            .env("IS_SANDBOX", "1")
            .env("ANTHROPIC_BASE_URL", format!("http://127.0.0.1:{}", model.port))
            .env("ANTHROPIC_API_KEY", "none")
            .env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1")
            .env("DISABLE_AUTOUPDATER", "1")
            .env("DISABLE_TELEMETRY", "1")
            .stdin(Stdio::null())
            .output()
            .expect("the program");
        let results = results(&model);
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
fn model(calls: Vec<String>) -> Model {
    Model::start(move |path, request| {
        let is_message = path.starts_with("/v1/messages") && !path.contains("count_tokens");
        let (kind, text) = if !is_message {
            ("application/json", json!({ "input_tokens": 1 }).to_string())
        } else if request["stream"] == json!(true) {
            ("text/event-stream", events(&message(request, &calls)))
        } else {
            ("application/json", message(request, &calls).to_string())
        };
        Answer {
            kind,
            text,
            is_turn: is_message && has_tools(request),
        }
    })
}

/// What the model was told of each call, in order.
fn results(model: &Model) -> Vec<(bool, String)> {
    let last = model.last();
    items(&last["messages"])
        .flat_map(|message| items(&message["content"]))
        .filter(|block| block["type"] == "tool_result")
        .map(|block| (block["is_error"] == json!(true), block["content"].to_string()))
        .collect()
}

fn has_tools(request: &Json) -> bool {
    items(&request["tools"]).next().is_some()
}

/// The next call of the script, by how many were made; a word of farewell after the last.
fn message(request: &Json, calls: &[String]) -> Json {
    let blocks = items(&request["messages"]).flat_map(|message| items(&message["content"]));
    let made = blocks.filter(|block| block["type"] == "tool_use").count();
    let (content, stop) = match calls.get(made).filter(|_| has_tools(request)) {
        Some(call) => (
            json!({ "type": "tool_use", "id": format!("toolu_{made:024}"), "name": "Bash",
                "input": { "command": call, "description": "a step" } }),
            "tool_use",
        ),
        None => (json!({ "type": "text", "text": "Done." }), "end_turn"),
    };
    json!({ "id": format!("msg_{made:024}"), "type": "message", "role": "assistant", "model": request["model"], "content": [content],
        "stop_reason": stop, "stop_sequence": null, "usage": { "input_tokens": 1, "output_tokens": 1 } })
}

/// A message as the events of a stream.
fn events(message: &Json) -> String {
    let block = &message["content"][0];
    let mut opening = message.clone();
    opening["content"] = json!([]);
    opening["stop_reason"] = Json::Null;
    let (empty, delta) = if block["type"] == "tool_use" {
        let mut empty = block.clone();
        empty["input"] = json!({});
        (
            empty,
            json!({ "type": "input_json_delta", "partial_json": block["input"].to_string() }),
        )
    } else {
        (
            json!({ "type": "text", "text": "" }),
            json!({ "type": "text_delta", "text": block["text"] }),
        )
    };
    let all = [
        json!({ "type": "message_start", "message": opening }),
        json!({ "type": "content_block_start", "index": 0, "content_block": empty }),
        json!({ "type": "content_block_delta", "index": 0, "delta": delta }),
        json!({ "type": "content_block_stop", "index": 0 }),
        json!({ "type": "message_delta", "delta": { "stop_reason": message["stop_reason"], "stop_sequence": null },
            "usage": { "output_tokens": 1 } }),
        json!({ "type": "message_stop" }),
    ];
    let texts = all.map(|event| {
        format!(
            "event: {}\ndata: {event}\n\n",
            event["type"].as_str().unwrap_or_default()
        )
    });
    texts.concat()
}
