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

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value as Json, json};

/// The version is fixed so that the test means the same tomorrow.
const CLAUDE_CODE: &str = "@anthropic-ai/claude-code@2.1.332";

#[expect(clippy::print_stderr, reason = "whoever reads the results must see it")]
fn skipped(why: &str) {
    eprintln!("SKIPPED: Claude Code: {why}");
}

/// The program, fetched once.
fn claude_code() -> Result<PathBuf, String> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("claude-code-2.1.332");
    let program = folder.join("node_modules/.bin/claude");
    if program.exists() {
        return Ok(program);
    }
    fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
    let output = Command::new("npm")
        .args(["install", "--silent", "--no-audit", "--no-fund", "--prefix"])
        .arg(&folder)
        .arg(CLAUDE_CODE)
        .output()
        .map_err(|error| format!("npm: {error}"))?;
    if output.status.success() && program.exists() {
        return Ok(program);
    }
    let complaint = String::from_utf8_lossy(&output.stderr);
    Err(complaint.lines().last().unwrap_or("npm failed").to_owned())
}

#[test]
fn claude_code_does_what_the_policy_says() {
    let program = match claude_code() {
        Ok(program) => program,
        Err(why) => return skipped(&why),
    };
    // Everything that follows sees no network but its own loopback: this very test program, once more, in a namespace.
    let inside = |words: &[&str]| {
        let mut command = Command::new("unshare");
        command.args([
            "--map-root-user",
            "--net",
            "--",
            "sh",
            "-c",
            "ip link set lo up && exec \"$@\"",
            "sh",
        ]);
        command.args(words).env("CLAUDE_CODE_PROGRAM", &program);
        command.output()
    };
    match inside(&["true"]) {
        Ok(output) if output.status.success() => {}
        Ok(output) => {
            return skipped(&format!(
                "no namespace: {}",
                String::from_utf8_lossy(&output.stderr).trim()
            ));
        }
        Err(error) => return skipped(&format!("unshare: {error}")),
    }
    let own = std::env::current_exe().expect("this program");
    let own = own.to_str().expect("a name");
    let output =
        inside(&[own, "--ignored", "--exact", "--nocapture", "inside_a_namespace"]).expect("a namespace");
    let (shown, complaint) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    assert!(
        output.status.success() && shown.contains("1 passed"),
        "{shown}\n{complaint}"
    );
}

#[test]
#[ignore = "runs in a namespace that the test above makes"]
fn inside_a_namespace() {
    let Some(program) = std::env::var_os("CLAUDE_CODE_PROGRAM") else {
        panic!("it is run by the test above");
    };
    let calls = ["touch allowed", "git push --force origin main", "rm -rf victim"];
    let rules = "extends \"builtin:readonly\"\n";
    let policy = format!(
        "policy \"t\" {{ {rules} }}\nallow {{ write \"./**\" }}\ndeny \"no-force\" because=\"others have it\" {{ command \"git push ...\" {{ flag \"-f\" \"--force\" }} }}\ndeny \"no-rm\" {{ command \"rm ...\" }}\n"
    );
    // A person's own policy, so that no trust is needed.
    let good = Session::new(Path::new(&program), &policy, &calls, |_| {});
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
        let mut session = Session::new(Path::new(&program), &policy, &["touch allowed"], spoil);
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
        let model = Model::start(self.calls.clone());
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
        let results = model.results();
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
struct Model {
    port: u16,
    /// The last request that could make a call.
    last: Arc<Mutex<Json>>,
}

impl Model {
    fn start(calls: Vec<String>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let last = Arc::new(Mutex::new(Json::Null));
        let seen = Arc::clone(&last);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (calls, seen) = (calls.clone(), Arc::clone(&seen));
                std::thread::spawn(move || serve(stream, &calls, &seen));
            }
        });
        Self { port, last }
    }

    /// What the model was told of each call, in order.
    fn results(&self) -> Vec<(bool, String)> {
        let last = self.last.lock().expect("a request");
        let messages = last["messages"].as_array().cloned().unwrap_or_default();
        let blocks = messages
            .iter()
            .filter_map(|message| message["content"].as_array())
            .flatten();
        blocks
            .filter(|block| block["type"] == "tool_result")
            .map(|block| (block["is_error"] == json!(true), block["content"].to_string()))
            .collect()
    }
}

/// Reads one request of HTTP and answers it.
fn serve(stream: TcpStream, calls: &[String], seen: &Mutex<Json>) -> Option<()> {
    stream.set_read_timeout(Some(Duration::from_mins(1))).ok()?;
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    let mut first = String::new();
    reader.read_line(&mut first).ok()?;
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let line = line.trim().to_ascii_lowercase();
        if line.is_empty() {
            break;
        }
        if let Some(own) = line.strip_prefix("content-length:") {
            length = own.trim().parse().ok()?;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let request: Json = serde_json::from_slice(&body).unwrap_or_default();
    let is_message = first.starts_with("POST /v1/messages") && !first.contains("count_tokens");
    let (kind, text) = if is_message {
        let message = message(&request, calls);
        if request["tools"].as_array().is_some_and(|tools| !tools.is_empty()) {
            *seen.lock().ok()? = request.clone();
        }
        if request["stream"] == json!(true) {
            ("text/event-stream", events(&message))
        } else {
            ("application/json", message.to_string())
        }
    } else {
        ("application/json", json!({ "input_tokens": 1 }).to_string())
    };
    let mut stream = stream;
    let head = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        text.len()
    );
    stream.write_all(head.as_bytes()).ok()?;
    stream.write_all(text.as_bytes()).ok()
}

/// The next call of the script, by how many were made; a word of farewell after the last.
fn message(request: &Json, calls: &[String]) -> Json {
    let messages = request["messages"].as_array().cloned().unwrap_or_default();
    let blocks = messages
        .iter()
        .filter_map(|message| message["content"].as_array())
        .flatten();
    let made = blocks.filter(|block| block["type"] == "tool_use").count();
    let has_tools = request["tools"].as_array().is_some_and(|tools| !tools.is_empty());
    let (content, stop) = match calls.get(made).filter(|_| has_tools) {
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
