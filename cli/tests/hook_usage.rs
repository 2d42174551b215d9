//! Every way of starting `engine hook` wrongly: a client takes whatever is no strict answer for a yes, so each has to end as a no in its
//! form, or with the exit code that stops the call.
#![expect(
    clippy::expect_used,
    clippy::disallowed_methods,
    reason = "helpers of tests fail as tests do, and start the program"
)]

use std::ffi::OsStr;
use std::fs;
use std::io::Write as _;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};
use tempfile::TempDir;

/// A person's home with a project, an event that the shipped policy allows, and policies that are none.
fn machine() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let home = folder.path();
    fs::create_dir_all(home.join("shop/.git")).expect("a folder");
    let event = json!({
        "session_id": "s", "cwd": home.join("shop"), "permission_mode": "default", "hook_event_name": "PreToolUse",
        "tool_name": "Bash", "tool_input": { "command": "git status" }, "tool_use_id": "t-1",
    });
    fs::write(home.join("event.json"), event.to_string()).expect("a file");
    fs::write(home.join("bytes.kdl"), b"allow { command \"\xff\xfe\" }").expect("a file");
    fs::write(home.join("nonsense.kdl"), "allow {").expect("a file");
    std::os::unix::fs::symlink("loop.kdl", home.join("loop.kdl")).expect("a link");
    folder
}

/// What a client makes of the end of its hook: `true` where the call is stopped.
fn stops(output: &Output) -> bool {
    let json: Json = serde_json::from_slice(&output.stdout).unwrap_or_default();
    let word = json
        .pointer("/hookSpecificOutput/permissionDecision")
        .or_else(|| json.get("decision"))
        .and_then(Json::as_str);
    output.status.code() == Some(2) || (output.status.code() == Some(0) && word == Some("deny"))
}

/// Runs a line of a shell in which `$engine` is the program, `$event` the file of an event, and `$home` the home.
fn line(home: &Path, line: &str) -> Output {
    Command::new("bash")
        .args(["--noprofile", "--norc", "-c", line])
        .current_dir(home.join("shop"))
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .env("HOME", home)
        .env("SHELL", "/bin/bash")
        .env("home", home)
        .env("engine", env!("CARGO_BIN_EXE_engine"))
        .env("event", home.join("event.json"))
        .stdin(Stdio::null())
        .output()
        .expect("a shell")
}

/// Runs the program with an event for its input.
fn words(home: &Path, words: &[&OsStr]) -> Output {
    let event = fs::File::open(home.join("event.json")).expect("an event");
    Command::new(env!("CARGO_BIN_EXE_engine"))
        .args(words)
        .current_dir(home.join("shop"))
        .env_clear()
        .env("HOME", home)
        .env("SHELL", "/bin/bash")
        .stdin(event)
        .output()
        .expect("the engine")
}

fn told(output: &Output) -> String {
    format!(
        "{:?} {} {}",
        output.status,
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}

#[test]
fn no_wrong_command_line_is_a_yes() {
    let machine = machine();
    let home = machine.path();
    let right = words(home, &["hook", "claude-code"].map(OsStr::new));
    assert!(
        !stops(&right) && right.status.code() == Some(0),
        "what is right is a yes: {}",
        told(&right)
    );
    for wrong in [
        "hook",
        "hook nobody",
        "hook claude-code codex",
        "hook Claude-Code",
        "hook claude",
        "hook claude-code --nonsense",
        "hook claude-code -x",
        "hook claude-code --deadline",
        "hook claude-code --deadline 0",
        "hook claude-code --deadline -1",
        "hook claude-code --deadline soon",
        "hook claude-code --deadline 99999999999999999999999",
        "hook claude-code --deadline 5 --deadline 6",
        "hook claude-code --policy",
        "hook claude-code --with",
        "hook claude-code --policy missing.kdl",
        "hook claude-code --policy ../nonsense.kdl",
        "hook claude-code --policy ../bytes.kdl",
        "hook claude-code --policy ../loop.kdl",
        "hook claude-code --policy ..",
        "hook claude-code --policy builtin:nothing",
        "hook claude-code --with missing.kdl",
        "hook claude-code --audit",
        "hook claude-code --audit required",
        "hook claude-code --audit log",
        "hook claude-code --audit-dir /nowhere",
        "hook claude-code --recording",
        "hook claude-code --recording sometimes",
        "hook claude-code --headless --interactive",
        "hook claude-code --headless=yes",
        "hook claude-code --help",
        "hook claude-code -h",
        "hook claude-code --version",
        "hook claude-code -V",
        "hook claude-code help",
        "hook --help",
        "hook -h",
        "hook --version",
        "hook help",
        "hook help install",
        "hook claude-code install",
        "hook codex --help",
        "hook gemini --help",
        "hook gemini --nonsense",
        "hook codex --policy missing.kdl",
        "hook gemini --policy missing.kdl",
        "hook -- claude-code --help",
        "hook claude-code -- --help",
        "--help hook claude-code",
        "--version hook claude-code",
        "help hook claude-code",
        "--policy builtin:base hook claude-code",
        "claude-code hook",
        "hooks claude-code hook",
        "-- hook claude-code",
    ] {
        let split: Vec<&OsStr> = wrong.split(' ').map(OsStr::new).collect();
        let output = words(home, &split);
        assert!(stops(&output), "engine {wrong}: {}", told(&output));
        let shown = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(!shown.contains("\"allow\""), "engine {wrong}: {shown}");
        assert!(!output.stderr.is_empty(), "engine {wrong}: nobody is told why");
    }
    for bytes in [&b"--policy=\xff"[..], b"\xff", b"--\xff", b"--audit=/\xff/\n"] {
        let output = words(
            home,
            &[
                OsStr::new("hook"),
                OsStr::new("claude-code"),
                OsStr::from_bytes(bytes),
                OsStr::new("--recording=required"),
            ],
        );
        // A directory may have any name; nothing may be written there.
        assert!(
            stops(&output) || bytes.starts_with(b"--audit"),
            "{}",
            told(&output)
        );
    }
}

#[test]
fn help_of_the_hook_is_for_people() {
    let machine = machine();
    let home = machine.path();
    // `script` gives a program a terminal.
    let shown = line(home, "script -qec \"$engine hook --help\" /dev/null </dev/null");
    if shown.status.code() == Some(127) {
        return skipped("script is not installed");
    }
    let text = String::from_utf8_lossy(&shown.stdout).into_owned();
    assert!(
        shown.status.code() == Some(0) && text.contains("Usage: engine hook"),
        "{}",
        told(&shown)
    );
    let piped = line(home, "$engine hook --help <\"$event\"");
    let text = String::from_utf8_lossy(&piped.stderr).into_owned();
    assert!(
        piped.status.code() == Some(2) && text.contains("Usage: engine hook") && piped.stdout.is_empty(),
        "{}",
        told(&piped)
    );
    // No program of an agent installs hooks.
    let install = line(home, "$engine hook install --help");
    assert_eq!(install.status.code(), Some(0), "{}", told(&install));
}

#[expect(clippy::print_stderr, reason = "whoever reads the results must see it")]
fn skipped(why: &str) {
    eprintln!("SKIPPED: {why}");
}

#[test]
fn no_spoilt_input_or_output_is_a_yes() {
    let machine = machine();
    let home = machine.path();
    for client in ["claude-code", "codex", "gemini"] {
        for spoilt in [
            // What it reads.
            "$engine hook $client <&-",
            "$engine hook $client </dev/null",
            "$engine hook $client <.",
            "$engine hook $client < <(head -c 40 $event)",
            "$engine hook $client < <(cat $event $event)",
            "$engine hook $client < <(printf '\\xff\\xfe'; cat $event)",
            "$engine hook $client < <(tr 'g' '\\377' <$event)",
            "$engine hook $client < <(tr 'g' '\\0' <$event)",
            "$engine hook $client --deadline 300 < <(sleep 3)",
            "$engine hook $client --deadline 300 < <(head -c 40 $event; sleep 3; tail -c +41 $event)",
            "$engine hook $client --deadline 1500 </dev/zero",
            "$engine hook $client --deadline 1500 < <(yes)",
            // Where it looks.
            "HOME=relative $engine hook $client <$event",
            "HOME=$'/\\xff' $engine hook $client <$event",
            "HOME= $engine hook $client --policy missing.kdl <$event",
            "mkfifo pipe.kdl 2>/dev/null; $engine hook $client --policy pipe.kdl --deadline 300 <$event",
            "$engine hook $client --policy <(sleep 3) --deadline 300 <$event",
            // Where nothing can be written down, and that was said to matter.
            "$engine hook $client --recording required --audit $home/shop/log <$event",
            "$engine hook $client --recording required --audit /proc/nowhere <$event",
            "$engine hook $client --recording required --audit $event <$event",
        ] {
            let output = line(home, &format!("client={client}; {spoilt}"));
            assert!(stops(&output), "{client}: {spoilt}: {}", told(&output));
        }
    }
    // What a client never hears is no answer; where silence is the answer, there is none to lose.
    for client in ["claude-code", "gemini"] {
        for (spoilt, code) in [
            ("$engine hook $client <$named >&-", 2),
            ("$engine hook $client <$named >/dev/null", 2),
            ("$engine hook $client <$named >/dev/full", 2),
            ("$engine hook $client <$named 1<$event", 2),
            (
                "{ $engine hook $client <$named; echo $? >code; } | true; sleep 0.5; exit $(cat code)",
                2,
            ),
            (
                "trap - PIPE; { sleep 0.3; $engine hook $client <$named; echo $? >code; } | exec true; sleep 2; exit $(cat code)",
                2,
            ),
            // Without a place for complaints the answer stands.
            ("$engine hook $client <$named 2>&-", 0),
            ("$engine hook $client <$named 2>/dev/full", 0),
        ] {
            let event = fs::read_to_string(home.join("event.json")).expect("an event");
            let named = if client == "gemini" {
                event
                    .replace("PreToolUse", "BeforeTool")
                    .replace("\"Bash\"", "\"run_shell_command\"")
            } else {
                event
            };
            fs::write(home.join("named.json"), named).expect("a file");
            let output = line(
                home,
                &format!("client={client}; named=$home/named.json; {spoilt}"),
            );
            assert_eq!(
                output.status.code(),
                Some(code),
                "{client}: {spoilt}: {}",
                told(&output)
            );
        }
    }
}

#[test]
fn an_event_without_end_does_not_keep_a_client_waiting() {
    let machine = machine();
    let home = machine.path();
    let mut child = Command::new(env!("CARGO_BIN_EXE_engine"))
        .args(["hook", "claude-code", "--deadline", "700"])
        .current_dir(home.join("shop"))
        .env_clear()
        .env("HOME", home)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the engine");
    let mut input = child.stdin.take().expect("a pipe");
    let started = Instant::now();
    // A byte now and then.
    while started.elapsed() < Duration::from_secs(5) && input.write_all(b" ").is_ok() {
        std::thread::sleep(Duration::from_millis(50));
    }
    assert!(
        started.elapsed() < Duration::from_secs(4),
        "{:?}",
        started.elapsed()
    );
    let output = child.wait_with_output().expect("an end");
    assert!(stops(&output), "{}", told(&output));
    assert!(told(&output).contains("took longer than 700 ms"));
}
