//! Sessions: what a policy says of how tools run, through `engine call` and `engine batch`.
#![expect(
    clippy::expect_used,
    clippy::disallowed_methods,
    reason = "helpers of tests fail as tests do, and start the program"
)]

#[path = "hooks/house.rs"]
mod house;

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};

use house::{House, RULES};

#[test]
fn a_budget_holds_for_a_tool_that_a_person_brings_along() {
    let house = House::new("budgets { tool \"Long\" chars=100 }");
    let definition =
        "tool \"Long\" { about \"Says much\"; body { return \"{% for n in range(200) %}x{% endfor %}\"; } }";
    let file = house.home.path().join("own.kdl");
    fs::write(&file, definition).expect("a definition");
    let file = file.display().to_string();
    let told = house.engine(&["call", "--no-ask", "--tools", &file, "Long", "{}"], "");
    let told = String::from_utf8_lossy(&told.stdout).into_owned();
    assert!(told.contains("<persisted-output>"), "{told}");
}

#[test]
fn the_log_of_a_session_notes_operations_of_git_and_what_a_command_is_shown_as() {
    let house = House::new("allow { command \"git commit ...\" \"git push ...\" }");
    let log = house.home.path().join("log");
    let log_text = log.display().to_string();
    for (command, class) in [
        ("git commit -m x; git push", None),
        ("cat p | head -1", Some("read")),
        ("ls", Some("list")),
    ] {
        let input = json!({ "command": command }).to_string();
        house.engine(&["call", "--yes", "--audit", &log_text, "Bash", &input], "");
        let text = fs::read_to_string(log.join("audit.jsonl")).expect("a log");
        let records: Vec<Json> = text.lines().map(|line| line.parse().expect("JSON")).collect();
        let last = |kind: &str| records.iter().rev().find(|record| record["kind"] == kind);
        assert_eq!(
            last("execution").map(|record| record["class"].as_str()),
            Some(class),
            "{text}"
        );
    }
    let text = fs::read_to_string(log.join("audit.jsonl")).expect("a log");
    let first: Json = text.lines().next().expect("a record").parse().expect("JSON");
    assert_eq!(first["git"], json!(["commit", "push"]));
}

/// A house whose sections name places below its home as `HOME`.
fn house_with(sections: &str) -> House {
    let house = House::new("");
    let home = house.home.path().canonicalize().expect("a directory");
    let sections = sections.replace("HOME", &home.display().to_string());
    fs::write(home.join("p.kdl"), format!("{RULES}{sections}")).expect("a policy");
    house
}

/// `tool_use` lines.
fn lines_of(calls: &[(&str, Json)]) -> String {
    let lines = (calls.iter().enumerate()).map(|(at, (name, input))| {
        format!(
            "{}\n",
            json!({ "type": "tool_use", "id": format!("call-{at}"), "name": name, "input": input })
        )
    });
    lines.collect()
}

#[test]
fn a_configured_search_is_a_tool_and_is_decided() {
    let house = house_with(
        "session { setting \"web_search\" \"HOME/work/search\"; }\nallow { command \"HOME/work/search ...\" }",
    );
    house.script(
        "search",
        "printf '[{\"title\": \"About %s\", \"url\": \"https://k.example/\"}]' \"$1\"",
    );
    let told = house.call("WebSearch", "{\"query\": \"kittens\"}");
    assert!(told.contains("[About kittens](https://k.example/)"), "{told}");

    let undecided = house_with("session { setting \"web_search\" \"HOME/work/search\"; }");
    undecided.script("search", "echo ran > ran; echo '[]'");
    let told = undecided.call("WebSearch", "{\"query\": \"kittens\"}");
    assert!(!undecided.project().join("ran").exists(), "{told}");

    let told = House::new("").call("WebSearch", "{\"query\": \"kittens\"}");
    assert!(told.contains("No such tool available: WebSearch"), "{told}");
}

#[test]
fn a_project_that_nobody_trusts_configures_no_command_but_may_take_tools_away() {
    let house = House::new("");
    let own = house.project().join(".engine");
    fs::create_dir_all(&own).expect("a directory");
    let policy = |text: &str| fs::write(own.join("policy.kdl"), text).expect("a policy");
    let call = |tool: &str, input: &str| {
        let output = Command::new(env!("CARGO_BIN_EXE_engine"))
            .args(["call", "--no-ask", tool, input])
            .current_dir(house.project())
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .env("HOME", house.home.path())
            .output()
            .expect("the program");
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    policy("session { setting \"web_search\" \"./search\"; feature \"sleep\"; }");
    let told = call("WebSearch", "{\"query\": \"kittens\"}");
    assert!(told.contains("No such tool available: WebSearch"), "{told}");
    let told = call("Glob", "{\"pattern\": \"*\"}");
    assert!(!told.contains("No such tool available"), "{told}");
    policy("session { tools \"simple\"; }");
    let told = call("Glob", "{\"pattern\": \"*\"}");
    assert!(told.contains("No such tool available: Glob"), "{told}");
}

#[test]
fn a_feature_switches_its_tools_on() {
    let input = "{\"seconds\": 0.01}";
    let without = House::new("").call("Sleep", input);
    assert!(without.contains("No such tool available: Sleep"), "{without}");
    let with = House::new("session { feature \"sleep\"; }").call("Sleep", input);
    assert!(with.contains("Slept for 0.01 seconds."), "{with}");
}

#[test]
fn simple_mode_has_three_tools() {
    let house = House::new("session { tools \"simple\"; }");
    assert_eq!(house.bash("echo works").trim(), "works");
    for tool in ["Glob", "Write", "TodoWrite"] {
        let told = house.call(tool, "{}");
        assert!(told.contains("No such tool available"), "{told}");
    }
}

#[test]
fn a_persistent_session_keeps_functions() {
    let calls = lines_of(&[
        ("Bash", json!({ "command": "f() { echo kept; }" })),
        ("Bash", json!({ "command": "f" })),
    ]);
    let kept = |sections: &str| {
        let output = House::new(sections).engine(&["batch", "--yes"], &calls);
        String::from_utf8_lossy(&output.stdout).contains("kept")
    };
    assert!(kept("session \"persistent\""));
    assert!(!kept("session \"fresh\""));
}

#[test]
fn a_session_stays_in_the_directories_that_a_policy_names() {
    let calls = lines_of(&[
        ("Bash", json!({ "command": "cd ../other/deep" })),
        // What can run beside others sees what was before.
        ("Bash", json!({ "command": "echo x > out1" })),
        ("Bash", json!({ "command": "pwd" })),
    ]);
    let told = |sections: &str| {
        let house = house_with(sections);
        fs::create_dir_all(house.home.path().join("other/deep")).expect("a directory");
        let output = house.engine(&["batch", "--yes"], &calls);
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    for named in ["HOME/other", "~/other", "../other"] {
        let text = told(&format!("session {{ directories \"{named}\"; }}"));
        assert!(
            text.contains("/other/deep") && !text.contains("was reset"),
            "{text}"
        );
    }
    let text = told("session { directories \"~/elsewhere\"; }");
    assert!(text.contains("Shell cwd was reset to"), "{text}");
}

#[test]
fn a_command_that_takes_long_goes_on_in_the_background() {
    let house = House::new("session { foreground \"200ms\"; }");
    let began = Instant::now();
    let told = house.bash("sleep 1.9; echo late");
    assert!(
        told.contains("Command running in background with ID: bash_1"),
        "{told}"
    );
    assert!(told.contains("more than 0.2 s"), "{told}");
    assert!(began.elapsed() < Duration::from_mins(1));
    assert_eq!(house.bash("echo quick").trim(), "quick");
}

#[test]
fn ignore_files_are_followed_unless_a_policy_says_otherwise() {
    let found = |sections: &str| {
        let house = House::new(sections);
        fs::write(house.project().join(".gitignore"), "one.txt\n").expect("a file");
        fs::write(
            house.home.path().join(".gitconfig"),
            "[core]\nexcludesFile = ~/mine\n",
        )
        .expect("a file");
        fs::write(house.home.path().join("mine"), "two.txt\n").expect("a file");
        for name in ["one.txt", "two.txt", "three.txt"] {
            fs::write(house.project().join(name), "x").expect("a file");
        }
        let told = house.call("Grep", "{\"pattern\": \"x\"}");
        let mut names: Vec<String> = told
            .lines()
            .filter(|line| Path::new(line).extension().is_some_and(|ending| ending == "txt"))
            .map(str::to_owned)
            .collect();
        names.sort();
        names
    };
    assert_eq!(found(""), ["three.txt"]);
    assert_eq!(
        found("session { ignore-files #false; }"),
        ["one.txt", "three.txt", "two.txt"]
    );
}

/// `engine batch` that goes on, with its input.
fn batch(house: &House, args: &[&str]) -> (std::process::Child, std::process::ChildStdin) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_engine"))
        .args(["batch", "--no-ask", "--policy", "../p.kdl"])
        .args(args)
        .current_dir(house.project())
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .env("HOME", house.home.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program");
    let stdin = child.stdin.take().expect("its input");
    (child, stdin)
}

fn wait_for(house: &House, name: &str) {
    let began = Instant::now();
    while house.read(name).is_empty() {
        assert!(began.elapsed() < Duration::from_mins(1), "{name} is not there");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn texts(output: &Output) -> Vec<String> {
    let lines = String::from_utf8_lossy(&output.stdout);
    let results = lines.lines().map(|line| {
        let block: Json = line.parse().expect("JSON");
        block
            .pointer("/content/0/text")
            .and_then(Json::as_str)
            .unwrap_or_default()
            .to_owned()
    });
    results.collect()
}

#[test]
fn a_streamed_call_starts_when_its_line_has_come() {
    let house = House::new("");
    let (child, mut stdin) = batch(&house, &["--stream"]);
    let first = lines_of(&[("Bash", json!({ "command": "echo first > out1" }))]);
    stdin.write_all(first.as_bytes()).expect("its input");
    wait_for(&house, "out1");
    let second = lines_of(&[("Bash", json!({ "command": "cat out1" }))]).replace("call-0", "call-1");
    stdin.write_all(second.as_bytes()).expect("its input");
    stdin.write_all(b"{}\n").expect("its input");
    let third = lines_of(&[("Bash", json!({ "command": "echo third > out3" }))]);
    let _closed = stdin.write_all(third.as_bytes());
    drop(stdin);
    let output = child.wait_with_output().expect("its end");
    assert_eq!(texts(&output), ["(no output)", "first"]);
    assert_eq!(output.status.code(), Some(64));
    assert!(!house.project().join("out3").exists());
}

#[test]
fn the_first_interrupt_lets_go_on_what_blocks_it_and_the_second_ends_everything() {
    let definition = "tool \"Careful\" { about \"Goes on\"; interrupt \"block\"; body { shell \"slow\" \"echo x > out1; sleep 1.9\"; return \"went on with {{ slow.code }}\"; } }";
    for (times, went_on) in [(1, true), (2, false)] {
        let house = House::new("");
        let file = house.home.path().join("own.kdl");
        fs::write(&file, definition).expect("a definition");
        let (child, mut stdin) = batch(&house, &["--tools", &file.display().to_string()]);
        let calls = lines_of(&[
            ("Careful", json!({})),
            ("Bash", json!({ "command": "echo never > out2" })),
        ]);
        stdin.write_all(calls.as_bytes()).expect("its input");
        drop(stdin);
        wait_for(&house, "out1");
        for _ in 0..times {
            let id = child.id().to_string();
            let sent = Command::new("kill").args(["-INT", &id]).status().expect("kill");
            assert!(sent.success());
            std::thread::sleep(Duration::from_millis(200));
        }
        let output = child.wait_with_output().expect("its end");
        let told = texts(&output);
        assert_eq!(told.len(), 2, "{told:?}");
        assert_eq!(told[0] == "went on with 0", went_on, "{told:?}");
        assert!(told[1].starts_with("Not started: the "), "{told:?}");
        assert!(!house.project().join("out2").exists());
    }
}

#[test]
fn a_named_session_goes_on_in_another_process() {
    let house = House::new("budgets { tool \"Bash\" chars=20 }");
    let call = |args: &[&str]| {
        let output = house.engine(&[&["call", "--no-ask"], args].concat(), "");
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
    };
    let job = "{\"cron\": \"* * * * *\", \"prompt\": \"look again\"}";
    let made = call(&["--session", "work", "CronCreate", job]);
    assert!(made.contains("Session-only"), "{made}");
    let listed = call(&["--session", "work", "CronList", "{}"]);
    assert!(listed.contains("look again"), "{listed}");
    for args in [&["CronList", "{}"][..], &["--session", "other", "CronList", "{}"]] {
        let listed = call(args);
        assert_eq!(listed.trim(), "No scheduled jobs.", "{args:?}");
    }
    // Results of two processes are kept beside each other.
    let long = "{\"command\": \"echo a-result-of-more-than-twenty-characters\"}";
    for _ in 0..2 {
        let told = call(&["--session", "work", "Bash", long]);
        assert!(told.contains("<persisted-output>"), "{told}");
    }
    let refused = call(&["--session", "../x", "CronList", "{}"]);
    assert!(refused.contains("a name is a letter"), "{refused}");
}
