//! `engine hook` and `engine audit` as processes: answers, records, what is broken, and what is killed.
#![expect(clippy::expect_used, reason = "helpers of tests fail as tests do")]

#[path = "outputs/validate.rs"]
mod validate;

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use serde_json::{Value as Json, json};
use tempfile::TempDir;

/// A person's home with a project in it.
fn machine() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir_all(folder.path().join("shop/.git")).expect("a folder");
    folder
}

#[expect(clippy::disallowed_methods, reason = "an end-to-end test runs the binary")]
fn engine(home: &Path, words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_engine"));
    command
        .args(words)
        .current_dir(home.join("shop"))
        .env_clear()
        .env("HOME", home)
        .env("SHELL", "/bin/bash");
    command
}

fn event(home: &Path, name: &str, command: &str) -> String {
    json!({
        "session_id": "s", "cwd": home.join("shop"), "permission_mode": "default", "hook_event_name": name,
        "tool_name": "Bash", "tool_input": { "command": command }, "tool_use_id": "t-1", "duration_ms": 12,
    })
    .to_string()
}

fn start(home: &Path, words: &[&str], input: &str) -> Child {
    let mut child = engine(home, words)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the engine");
    let mut stdin = child.stdin.take().expect("a pipe");
    // One that ends at once reads nothing.
    let _closed = stdin.write_all(input.as_bytes());
    child
}

fn run(home: &Path, words: &[&str], input: &str) -> Output {
    start(home, words, input).wait_with_output().expect("the engine")
}

fn decision(output: &Output) -> String {
    let json: Json = serde_json::from_slice(&output.stdout).unwrap_or_default();
    let own = json
        .pointer("/hookSpecificOutput/permissionDecision")
        .and_then(Json::as_str);
    own.unwrap_or_default().to_owned()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn calls_are_decided_and_recorded_as_the_schema_says() {
    let machine = machine();
    let home = machine.path();
    let hook = ["hook", "claude-code"];
    for (name, command, expected) in [
        ("PreToolUse", "git status", "allow"),
        ("PreToolUse", "TOKEN=hunter2 git push -f origin main", "deny"),
        ("PostToolUse", "git status", ""),
        ("SessionStart", "", ""),
    ] {
        let output = run(home, &hook, &event(home, name, command));
        assert_eq!(
            (output.status.code(), decision(&output).as_str()),
            (Some(0), expected),
            "{command}"
        );
    }
    let bad = run(home, &hook, "{");
    assert_eq!((bad.status.code(), decision(&bad).as_str()), (Some(2), "deny"));

    let shown = run(home, &["audit", "--format", "json"], "");
    let records: Vec<Json> = text(&shown.stdout)
        .lines()
        .map(|line| line.parse().expect("JSON"))
        .collect();
    let schema: Json = text(&run(home, &["schema", "audit"], "").stdout)
        .parse()
        .expect("JSON");
    assert_eq!(validate::open_objects(&schema, "audit"), Vec::<String>::new());
    assert_eq!(records.len(), 5);
    for record in &records {
        assert_eq!(
            validate::problems(&schema, record),
            Vec::<String>::new(),
            "{record}"
        );
    }
    let kinds: Vec<&str> = records
        .iter()
        .filter_map(|record| record["kind"].as_str())
        .collect();
    assert_eq!(kinds, ["decision", "decision", "execution", "event", "decision"]);
    assert_eq!(records[1]["git"], json!(["push"]));
    assert_eq!(records[1]["reasons"][0]["rule"]["id"], "force-push");
    assert!(!text(&shown.stdout).contains("hunter2"));
    assert_eq!(records[2]["duration_ms"], 12);

    let denied = run(
        home,
        &["audit", "--filter", "verdict=deny", "tool=Bash", "since=1h"],
        "",
    );
    assert_eq!(
        text(&denied.stdout)
            .lines()
            .filter(|line| line.contains("  deny  "))
            .count(),
        1
    );
    let verified = run(home, &["audit", "--verify", "--format", "json"], "");
    let schema: Json = text(&run(home, &["schema", "audit-verification"], "").stdout)
        .parse()
        .expect("JSON");
    let json: Json = text(&verified.stdout).parse().expect("JSON");
    assert_eq!(validate::problems(&schema, &json), Vec::<String>::new());
    assert_eq!(
        (verified.status.code(), &json["whole"], &json["records"]),
        (Some(0), &json!(true), &json!(5))
    );

    let file = home.join(".local/state/engine/audit/audit.jsonl");
    let log = fs::read_to_string(&file).expect("a log");
    fs::write(&file, log.replacen("\"deny\"", "\"allow\"", 1)).expect("a file");
    assert_eq!(run(home, &["audit", "--verify"], "").status.code(), Some(1));
}

#[test]
fn a_no_that_nobody_can_read_still_stops() {
    let machine = machine();
    let home = machine.path();
    let refused = event(home, "PreToolUse", "git push -f origin main");
    let file = home.join("event.json");
    fs::write(&file, refused).expect("a file");
    let input = || Stdio::from(fs::File::open(&file).expect("a file"));
    let quiet = engine(home, &["hook", "claude-code"])
        .stdin(input())
        .stdout(Stdio::null())
        .output();
    assert_eq!(quiet.expect("the engine").status.code(), Some(2));
    let full = fs::OpenOptions::new()
        .write(true)
        .open("/dev/full")
        .expect("a device");
    let full = engine(home, &["hook", "claude-code"])
        .stdin(input())
        .stdout(full)
        .output();
    assert_eq!(full.expect("the engine").status.code(), Some(2));
}

#[test]
fn where_policies_would_be_looked_for_elsewhere_nothing_is_decided() {
    let machine = machine();
    let home = machine.path();
    fs::create_dir_all(home.join(".config/engine")).expect("a folder");
    fs::write(
        home.join(".config/engine/policy.kdl"),
        "deny \"own\" { command \"ls ...\" }",
    )
    .expect("a file");
    let file = home.join("event.json");
    fs::write(&file, event(home, "PreToolUse", "ls")).expect("a file");
    let with = |client: &str, name: &str, value: &str| {
        let output = engine(home, &["hook", client])
            .env(name, value)
            .stdin(fs::File::open(&file).expect("a file"))
            .output()
            .expect("the engine");
        (output.status.code(), decision(&output), text(&output.stderr))
    };
    let (code, word, _) = with("claude-code", "UNUSED", "x");
    assert_eq!((code, word.as_str()), (Some(0), "deny"));
    for (name, value) in [("HOME", "me"), ("CLAUDE_PROJECT_DIR", "shop")] {
        let (code, word, why) = with("claude-code", name, value);
        assert_eq!((code, word.as_str()), (Some(2), "deny"), "{name}={value}");
        assert!(why.contains(name), "{why}");
    }
}

#[test]
fn an_event_that_is_too_long_is_read_to_its_end() {
    let machine = machine();
    let home = machine.path();
    let mut child = engine(home, &["hook", "claude-code", "--deadline", "60000"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the engine");
    let mut stdin = child.stdin.take().expect("a pipe");
    let blanks = vec![b' '; 65 << 20];
    assert!(stdin.write_all(&blanks).is_ok(), "the pipe broke");
    assert!(stdin.write_all(&blanks[..1 << 20]).is_ok(), "the pipe broke");
    drop(stdin);
    let output = child.wait_with_output().expect("the engine");
    assert_eq!(
        (output.status.code(), decision(&output).as_str()),
        (Some(2), "deny")
    );
    assert!(text(&output.stderr).contains("too long"));
}

#[test]
fn a_hook_is_not_installed_with_options_that_it_does_not_take() {
    let machine = machine();
    let home = machine.path();
    for options in [
        &["--bogus"][..],
        &["--help"],
        &["--audit"],
        &["--audit", "required"],
        &["--recording"],
        &["install", "codex"],
        &["--deadline", "0"],
    ] {
        let words = [&["hook", "install", "claude-code", "--project", "--"], options].concat();
        let output = run(home, &words, "");
        assert_eq!(
            output.status.code(),
            Some(64),
            "{options:?}: {}",
            text(&output.stderr)
        );
        assert!(!home.join("shop/.claude/settings.json").exists(), "{options:?}");
    }
    let output = run(
        home,
        &[
            "hook",
            "install",
            "claude-code",
            "--project",
            "--",
            "--recording",
            "required",
        ],
        "",
    );
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(
        text(&output.stdout).contains("not on your search path"),
        "{}",
        text(&output.stdout)
    );
}

#[test]
fn a_policy_that_cannot_be_used_stops_every_call() {
    let machine = machine();
    let home = machine.path();
    let policy = home.join("shop/.engine/policy.kdl");
    for spoil in ["nonsense {", "directory"] {
        let _none = fs::remove_dir_all(home.join("shop/.engine"));
        fs::create_dir_all(home.join("shop/.engine")).expect("a folder");
        if spoil == "directory" {
            fs::create_dir(&policy).expect("a folder");
        } else {
            fs::write(&policy, spoil).expect("a file");
        }
        for client in ["claude-code", "codex"] {
            let output = run(home, &["hook", client], &event(home, "PreToolUse", "git status"));
            assert_eq!(
                (output.status.code(), decision(&output).as_str()),
                (Some(2), "deny"),
                "{client}: {spoil}"
            );
        }
    }
}

#[test]
fn what_cannot_be_recorded_runs_or_not_as_was_said() {
    let machine = machine();
    let home = machine.path();
    let event = event(home, "PreToolUse", "git status");
    let inside = home.join("shop/log");
    let inside = inside.to_str().expect("a name");
    let of = |how: &str| {
        run(
            home,
            &["hook", "claude-code", "--audit", inside, "--recording", how],
            &event,
        )
    };
    let best = of("best-effort");
    assert_eq!((best.status.code(), decision(&best).as_str()), (Some(0), "allow"));
    assert!(
        text(&best.stderr).contains("inside the project"),
        "{}",
        text(&best.stderr)
    );
    let required = of("required");
    assert_eq!(
        (required.status.code(), decision(&required).as_str()),
        (Some(2), "deny")
    );
    let off = of("off");
    assert_eq!(
        (decision(&off).as_str(), text(&off.stderr).as_str()),
        ("allow", "")
    );
    assert!(!Path::new(inside).exists());
}

#[test]
fn hooks_that_are_killed_at_any_moment_leave_a_whole_log() {
    let machine = machine();
    let home = machine.path();
    let event = event(home, "PreToolUse", "git status");
    for round in 0..12u64 {
        let mut children: Vec<Child> = (0..8)
            .map(|_| start(home, &["hook", "claude-code"], &event))
            .collect();
        // A little later each time.
        std::thread::sleep(std::time::Duration::from_millis(round * 3));
        for child in children.iter_mut().skip(1).step_by(2) {
            let _ended = child.kill();
        }
        for (index, child) in children.into_iter().enumerate() {
            let output = child.wait_with_output().expect("an end");
            // One that was killed has no exit code, which no client takes for an answer, or was done before.
            assert!(
                matches!(output.status.code(), Some(0)) || index % 2 == 1,
                "{}",
                text(&output.stderr)
            );
        }
    }
    let verified = run(home, &["audit", "--verify", "--format", "json"], "");
    let json: Json = text(&verified.stdout).parse().expect("JSON");
    assert_eq!((verified.status.code(), &json["problems"]), (Some(0), &json!([])));
    // Those that were left alone are all there.
    assert!(
        json["records"].as_u64().is_some_and(|count| count >= 48),
        "{json}"
    );
}

#[test]
fn what_is_installed_stops_a_call_where_the_engine_is_gone() {
    let machine = machine();
    let home = machine.path();
    let output = run(home, &["hook", "install", "claude-code"], "");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let settings: Json = fs::read_to_string(home.join(".claude/settings.json"))
        .expect("settings")
        .parse()
        .expect("JSON");
    let command = settings["hooks"]["PreToolUse"][0]["hooks"][0]["command"]
        .as_str()
        .expect("a command");
    assert!(command.starts_with(env!("CARGO_BIN_EXE_engine")), "{command}");
    #[expect(
        clippy::disallowed_methods,
        reason = "what is installed is run as a client runs it"
    )]
    let code = |command: &str| {
        let status = Command::new("sh")
            .args(["-c", command])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        status.expect("a shell").code()
    };
    assert_eq!(code(command), Some(2), "an empty event");
    assert_eq!(
        code(&command.replace(env!("CARGO_BIN_EXE_engine"), "/nowhere/engine")),
        Some(2)
    );
    let again = run(home, &["hook", "install", "claude-code"], "");
    assert!(
        text(&again.stdout).contains("as it should be"),
        "{}",
        text(&again.stdout)
    );
    run(home, &["hook", "install", "claude-code", "--undo"], "");
    let left: Json = fs::read_to_string(home.join(".claude/settings.json"))
        .expect("settings")
        .parse()
        .expect("JSON");
    assert_eq!(left, json!({}));
}

#[test]
fn records_of_several_logs_are_shown_in_the_order_of_their_times() {
    let machine = machine();
    let home = machine.path();
    let names = ["one", "two", "three"];
    let directories: Vec<String> = (names.iter())
        .map(|name| home.join("logs").join(name).display().to_string())
        .collect();
    let commands = [
        "git status",
        "git push -f origin main",
        "ls",
        "git log",
        "git push -f",
        "pwd",
        "git diff",
    ];
    for (at, command) in commands.iter().enumerate() {
        let words = ["hook", "claude-code", "--audit", &directories[at * 2 % 3]];
        run(home, &words, &event(home, "PreToolUse", command));
    }
    let shown = |filter: &[&str]| -> Vec<String> {
        let mut words = vec!["audit", "--format", "json"];
        words.extend(directories.iter().map(String::as_str));
        words.extend(filter);
        let output = run(home, &words, "");
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        (text(&output.stdout).lines())
            .map(|line| {
                line.parse::<Json>().expect("JSON")["input"]["command"]
                    .as_str()
                    .unwrap_or_default()
                    .to_owned()
            })
            .collect()
    };
    assert_eq!(shown(&[]), commands);
    assert_eq!(
        shown(&["--filter", "verdict=deny"]),
        ["git push -f origin main", "git push -f"]
    );
    // Each log has a chain of its own.
    let mut words = vec!["audit", "--verify", "--format", "json"];
    words.extend(directories.iter().map(String::as_str));
    let verified = run(home, &words, "");
    assert_eq!(verified.status.code(), Some(0), "{}", text(&verified.stdout));
    assert_eq!(text(&verified.stdout).lines().count(), 3);
    let file = Path::new(&directories[1]).join("audit.jsonl");
    let log = fs::read_to_string(&file).expect("a log");
    fs::write(&file, log.replacen("\"Bash\"", "\"Read\"", 1)).expect("a file");
    assert_eq!(run(home, &words, "").status.code(), Some(1));
}
