//! Hooks, budgets and deferral of a policy, through `engine call` and `engine batch`.
#![expect(
    clippy::expect_used,
    clippy::disallowed_methods,
    reason = "helpers of tests fail as tests do, and start the program"
)]

#[path = "outputs/validate.rs"]
mod validate;

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};
use tempfile::TempDir;

/// A home with a project whose policy is named on the command line.
struct House {
    home: TempDir,
}

const RULES: &str = "allow { command \"echo ...\" \"cat ...\" \"sleep ...\" \"ls ...\"; tool \"*\"; read \"./**\"; write \"./out*\" }\ndeny \"no-rm\" { command \"rm ...\" }\nask \"ask-touch\" { command \"touch ...\" }\n";

impl House {
    fn new(sections: &str) -> Self {
        let house = Self {
            home: tempfile::tempdir().expect("a directory"),
        };
        fs::create_dir_all(house.project().join(".git")).expect("a project");
        fs::write(house.home.path().join("p.kdl"), format!("{RULES}{sections}")).expect("a policy");
        house
    }

    fn project(&self) -> PathBuf {
        self.home.path().join("work")
    }

    /// A script in the project.
    fn script(&self, name: &str, text: &str) {
        let path = self.project().join(name);
        fs::write(&path, format!("#!/bin/bash\n{text}\n")).expect("a script");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("a script");
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.project().join(name)).unwrap_or_default()
    }

    fn engine(&self, args: &[&str], input: &str) -> Output {
        let policy = self.home.path().join("p.kdl");
        let mut child = Command::new(env!("CARGO_BIN_EXE_engine"))
            .args(args)
            .arg("--policy")
            .arg(policy)
            .current_dir(self.project())
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .env("HOME", self.home.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program");
        let mut stdin = child.stdin.take().expect("its input");
        stdin.write_all(input.as_bytes()).expect("its input");
        drop(stdin);
        child.wait_with_output().expect("its end")
    }

    /// The program without the policy.
    fn engine_alone(&self, args: &[&str]) -> Output {
        let mut program = Command::new(env!("CARGO_BIN_EXE_engine"));
        program.args(args).current_dir(self.project()).env_clear();
        program.output().expect("the program")
    }

    fn call(&self, tool: &str, input: &str) -> String {
        let output = self.engine(&["call", "--no-ask", tool, input], "");
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
    }

    fn bash(&self, command: &str) -> String {
        self.call("Bash", &serde_json::json!({ "command": command }).to_string())
    }
}

#[test]
fn a_hook_reads_the_call_and_exit_code_2_refuses_it() {
    let house = House::new("hooks { before \"Bash\" run=\"./audit.sh\" }");
    house.script("audit.sh", "cat > seen.json; echo 'not on my watch' >&2; exit 2");
    let told = house.bash("echo ran > out");
    assert!(told.contains("Blocked by a hook: not on my watch"), "{told}");
    assert_eq!(house.read("out"), "");
    let seen: serde_json::Value = serde_json::from_str(&house.read("seen.json")).expect("JSON");
    assert_eq!(seen["hook_event_name"], "PreToolUse");
    assert_eq!(seen["tool_name"], "Bash");
    assert_eq!(seen["tool_input"]["command"], "echo ran > out");
    assert_eq!(seen["tool_use_id"], "call-1");
    assert!(seen["session_id"].is_string() && seen["cwd"].as_str().expect("a cwd").ends_with("/work"));
}

#[test]
fn a_hook_for_another_tool_does_not_run() {
    let house = House::new("hooks { before \"Edit|Write\" \"^mcp__\" run=\"exit 2\" }");
    assert_eq!(house.bash("echo ran").trim(), "ran");
}

#[test]
fn any_other_failure_is_reported_and_goes_on_unless_the_policy_says_otherwise() {
    for run in ["exit 1", "./not-there.sh", "echo '{'", "kill -9 $$"] {
        let house = House::new(&format!("hooks {{ before run=#\"{run}\"# }}"));
        let told = house.bash("echo ran");
        assert!(
            told.contains("ran\n") && told.contains("failed: "),
            "{run}: {told}"
        );
        let house = House::new(&format!("hooks {{ before run=#\"{run}\"# on-error=\"deny\" }}"));
        let told = house.bash("echo ran");
        assert!(
            told.contains("Blocked by a hook: the hook") && !told.contains("ran\n"),
            "{run}: {told}"
        );
        let house = House::new(&format!("hooks {{ before run=#\"{run}\"# on-error=\"ask\" }}"));
        let told = house.bash("echo ran");
        assert!(
            told.contains("Nobody can be asked") && !told.contains("ran\n"),
            "{run}: {told}"
        );
    }
}

#[test]
fn a_hook_that_takes_too_long_is_ended_with_what_it_started() {
    let house = House::new(
        "hooks { before run=\"(sleep 3; echo late > late) & sleep 20\" timeout=\"300ms\" on-error=\"deny\" }",
    );
    let started = Instant::now();
    let told = house.bash("echo ran");
    assert!(told.contains("it took longer than 300 ms"), "{told}");
    assert!(
        started.elapsed() < Duration::from_secs(3),
        "{:?}",
        started.elapsed()
    );
    std::thread::sleep(Duration::from_secs(3));
    assert_eq!(house.read("late"), "");
}

#[test]
fn an_allow_stands_in_for_a_person_but_for_no_rule() {
    let allow = "hooks { before run=#\"echo '{\"decision\":\"allow\"}'\"# }";
    let house = House::new(allow);
    // No rule says anything about these.
    assert_eq!(house.bash("uname > kernel").trim(), "(no output)");
    assert!(!house.read("kernel").is_empty());
    let told = house.bash("rm seen");
    assert!(told.contains("denied by the policy"), "{told}");
    let told = house.bash("touch new");
    assert!(told.contains("wants a person to decide"), "{told}");
    assert!(!house.project().join("new").exists());
    let without = House::new("").bash("uname > kernel");
    assert!(without.contains("wants a person to decide"), "{without}");
}

#[test]
fn an_ask_asks_about_what_the_policy_allows() {
    let house =
        House::new("hooks { before run=#\"echo '{\"decision\":\"ask\",\"reason\":\"new here\"}'\"# }");
    let told = house.bash("echo ran");
    assert!(
        told.contains("a hook wants a person to decide: new here"),
        "{told}"
    );
    let yes = house.engine(&["call", "--yes", "Bash", "{\"command\":\"echo ran\"}"], "");
    assert_eq!(String::from_utf8_lossy(&yes.stdout), "ran\n");
}

#[test]
fn the_strictest_of_several_hooks_wins() {
    let house = House::new(
        "hooks { before run=#\"echo '{\"decision\":\"allow\"}'\"#; before run=\"sleep 0.2; echo no >&2; exit 2\"; before run=#\"echo '{\"decision\":\"ask\"}'\"# }",
    );
    let told = house.bash("echo ran");
    assert!(told.contains("Blocked by a hook: no"), "{told}");
}

#[test]
fn hooks_of_one_event_run_at_once() {
    let meet = |own: &str, other: &str| {
        format!(
            "before run=\"touch {own}; while [ ! -e {other} ]; do sleep 0.02; done\" timeout=\"5s\" on-error=\"deny\""
        )
    };
    let house = House::new(&format!("hooks {{ {}; {} }}", meet("a", "b"), meet("b", "a")));
    assert_eq!(house.bash("echo ran").trim(), "ran");
}

#[test]
fn a_changed_input_is_validated_and_decided_again() {
    let change = |input: &str| {
        format!(
            "hooks {{ before \"Bash\" run=#\"echo '{{\"hookSpecificOutput\":{{\"hookEventName\":\"PreToolUse\",\"updatedInput\":{input}}}}}'\"# }}"
        )
    };
    let house = House::new(&change("{\"command\":\"echo other\"}"));
    assert_eq!(house.bash("echo ran").trim(), "other");
    let told = House::new(&change("{\"command\":\"rm a\"}")).bash("echo ran");
    assert!(told.contains("denied by the policy"), "{told}");
    let told = House::new(&change("{\"comand\":\"echo other\"}")).bash("echo ran");
    assert!(
        told.contains("it changed the input to one that the tool does not take"),
        "{told}"
    );
}

#[test]
fn different_changes_of_two_hooks_refuse_the_call() {
    let change =
        |to: &str| format!("before run=#\"echo '{{\"updatedInput\":{{\"command\":\"echo {to}\"}}}}'\"#");
    let told = House::new(&format!("hooks {{ {}; {} }}", change("a"), change("b"))).bash("echo ran");
    assert!(told.contains("two hooks changed the input"), "{told}");
    let told = House::new(&format!("hooks {{ {}; {} }}", change("a"), change("a"))).bash("echo ran");
    assert_eq!(told.trim(), "a");
}

#[test]
fn what_follows_a_call_depends_on_how_it_ended() {
    let house = House::new(
        "hooks { after \"Bash\" run=\"cat > after.json\"; after-failure \"Bash\" run=\"cat > failure.json\" }",
    );
    house.bash("echo fine");
    let after: serde_json::Value = serde_json::from_str(&house.read("after.json")).expect("JSON");
    assert_eq!(after["tool_response"]["stdout"], "fine\n");
    assert_eq!(after["hook_event_name"], "PostToolUse");
    assert_eq!(house.read("failure.json"), "");
    house.bash("cat not-there");
    let failure: serde_json::Value = serde_json::from_str(&house.read("failure.json")).expect("JSON");
    assert_eq!(failure["hook_event_name"], "PostToolUseFailure");
    assert!(failure["error"].as_str().expect("an error").contains("not-there"));
}

#[test]
fn what_hooks_say_stands_behind_the_result() {
    let house = House::new(
        "hooks { before run=#\"echo '{\"additionalContext\":\"mind the gap\"}'\"#; after run=#\"echo '{\"decision\":\"block\",\"reason\":\"not formatted\"}'\"# }",
    );
    assert_eq!(
        house.bash("echo ran"),
        "ran\nmind the gap\nA hook says of this result: not formatted\n"
    );
}

#[test]
fn a_hook_ends_the_work() {
    let house = House::new("hooks { after run=#\"echo '{\"continue\":false,\"stopReason\":\"enough\"}'\"# }");
    let calls = [1, 2].map(|id| format!("{{\"type\":\"tool_use\",\"id\":\"{id}\",\"name\":\"Bash\",\"input\":{{\"command\":\"echo x > out{id}\"}}}}\n"));
    let output = house.engine(&["batch", "--no-ask"], &calls.concat());
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        text.contains("Not started: a hook ended the work: enough"),
        "{text}"
    );
    assert_eq!(house.read("out2"), "");
}

#[test]
fn a_session_starts_and_ends_with_its_hooks() {
    let house = House::new(
        "hooks { start run=\"cat > start.json; echo welcome\"; start \"resume\" run=\"touch resumed\"; end run=\"cat > end.json\" }",
    );
    let told = house.bash("echo ran");
    assert!(told.contains("welcome"), "{told}");
    assert!(house.read("start.json").contains("\"source\":\"startup\""));
    assert!(
        house
            .read("end.json")
            .contains("\"hook_event_name\":\"SessionEnd\"")
    );
    assert!(!house.project().join("resumed").exists());
    let refused = House::new("hooks { start run=\"echo closed >&2; exit 2\" }");
    let told = refused.bash("echo ran > out");
    assert!(
        told.contains("a hook does not let the session begin: closed"),
        "{told}"
    );
    assert_eq!(refused.read("out"), "");
}

#[test]
fn a_task_that_a_hook_refuses_is_rolled_back() {
    let create = "{\"subject\":\"Mend the door\",\"description\":\"hinges\"}";
    let house = House::new(
        "hooks { task-created run=\"cat > task.json; grep -q Mend task.json && { echo too vague >&2; exit 2; }; exit 0\" }",
    );
    let told = house.call("TaskCreate", create);
    assert!(told.contains("Blocked by a hook: too vague"), "{told}");
    assert!(
        house
            .read("task.json")
            .contains("\"task_subject\":\"Mend the door\"")
    );
    assert!(!house.call("TaskList", "{}").contains("Mend"));
    let told = house.call("TaskCreate", "{\"subject\":\"Paint the door\"}");
    assert!(told.contains("created successfully: Paint the door"), "{told}");
    assert!(house.call("TaskList", "{}").contains("Paint the door"));
}

#[test]
fn hooks_stand_in_the_audit_log_before_they_run_and_when_they_ended() {
    let house = House::new("hooks { before run=\"exit 3\" }");
    let log = house.home.path().join("log");
    let log_text = log.display().to_string();
    house.engine(
        &["call", "--audit", &log_text, "Bash", "{\"command\":\"echo ran\"}"],
        "",
    );
    let mut text = String::new();
    for entry in fs::read_dir(&log).expect("a log") {
        text.push_str(&fs::read_to_string(entry.expect("an entry").path()).unwrap_or_default());
    }
    let runs = text.find("runs the hook exit 3").expect("its start");
    let ended = text.find("ended the hook exit 3").expect("its end");
    let decided = text.find("\"kind\":\"decision\"").expect("the decision");
    assert!(runs < ended && ended < decided, "{text}");
    assert!(text.contains("\"exit\":3"), "{text}");
}

#[test]
fn hooks_of_a_project_that_nobody_trusts_do_not_run() {
    let house = House::new("");
    fs::create_dir_all(house.project().join(".engine")).expect("a directory");
    fs::write(
        house.project().join(".engine/policy.kdl"),
        "allow { command \"echo ...\" }\nhooks { start run=\"touch ran\"; before run=\"touch ran\" }",
    )
    .expect("a policy");
    let call = || {
        Command::new(env!("CARGO_BIN_EXE_engine"))
            .args(["call", "--no-ask", "Bash", "{\"command\":\"echo hello\"}"])
            .current_dir(house.project())
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .env("HOME", house.home.path())
            .output()
            .expect("the program")
    };
    call();
    assert!(!house.project().join("ran").exists());
}

#[test]
fn budgets_of_a_policy_bound_results() {
    let house = House::new("budgets { tool \"Bash\" chars=100 }");
    let told = house.bash("echo a$(printf %200s | tr ' ' x)");
    let told = if told.contains("<persisted-output>") {
        told
    } else {
        house.bash("echo aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa")
    };
    assert!(told.contains("<persisted-output>"), "{told}");
    assert_eq!(house.bash("echo short").trim(), "short");
}

#[test]
fn a_policy_defers_tools() {
    let deferred = |house: &House, tool: &str| -> bool {
        let output = house.engine(&["tools", "--format", "json", tool], "");
        let json: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
        json["deferred"].as_bool().expect("an answer")
    };
    let plain = House::new("");
    assert!(!deferred(&plain, "Grep") && deferred(&plain, "TaskCreate"));
    let house = House::new("defer { tool \"Gr*\"; except \"TaskCreate\" }");
    assert!(deferred(&house, "Grep") && !deferred(&house, "TaskCreate"));
}

#[test]
fn the_plan_shows_hooks_budgets_and_deferral() {
    let house = House::new(
        "hooks { before \"Bash\" run=\"./audit.sh\" timeout=\"5s\" on-error=\"deny\" }\nbudgets { tool \"Bash\" chars=30000; message tokens=10 }\ndefer { tool \"mcp__*\" }",
    );
    let text = String::from_utf8(house.engine(&["plan"], "").stdout).expect("text");
    for line in [
        "before \"Bash\"  ./audit.sh  (within 5000 ms, deny where it fails; command-line, ",
        "Bash       30000 characters",
        "a message  40 characters",
        "mcp__*  deferred",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
    let json = house.engine(&["plan", "--format", "json"], "").stdout;
    let json: serde_json::Value = serde_json::from_slice(&json).expect("JSON");
    assert_eq!(json["hooks"][0]["timeout_ms"], 5000);
    assert_eq!(json["budgets"]["message"], 40);
    assert_eq!(json["defer"][0]["tools"], "mcp__*");
}

#[test]
fn every_refusal_is_one_decision_in_the_log_and_every_execution_is_one_that_began() {
    let house = House::new("hooks { before \"Glob\" run=\"echo not today >&2; exit 2\" }");
    let log = house.home.path().join("log");
    let calls = [
        ("allowed", "Bash", json!({ "command": "echo ran" })),
        ("denied", "Bash", json!({ "command": "rm x" })),
        ("declined", "Bash", json!({ "command": "touch x" })),
        ("misspelt", "Bash", json!({ "comand": "echo ran" })),
        ("unknown", "Bsh", json!({ "command": "echo ran" })),
        ("blocked", "Glob", json!({ "pattern": "*" })),
        ("failing", "Bash", json!({ "command": "cat missing > out1" })),
        ("allowed", "Bash", json!({ "command": "echo again" })),
    ];
    let lines: Vec<String> = (calls.iter())
        .map(|(id, name, input)| {
            format!(
                "{}\n",
                json!({ "type": "tool_use", "id": id, "name": name, "input": input })
            )
        })
        .collect();
    let log_text = log.display().to_string();
    house.engine(&["batch", "--no-ask", "--audit", &log_text], &lines.concat());
    let text = fs::read_to_string(log.join("audit.jsonl")).expect("a log");
    let schema = house.engine_alone(&["schema", "audit"]);
    let schema: Json = serde_json::from_slice(&schema.stdout).expect("JSON");
    let records: Vec<Json> = text.lines().map(|line| line.parse().expect("JSON")).collect();
    assert_eq!(validate::open_objects(&schema, "audit"), Vec::<String>::new());
    for record in &records {
        assert_eq!(
            validate::problems(&schema, record),
            Vec::<String>::new(),
            "{record}"
        );
    }
    let of = |kind: &str| -> Vec<(&str, &str)> {
        let own = records.iter().filter(|record| record["kind"] == kind);
        own.map(|record| {
            (
                record["call"].as_str().unwrap_or_default(),
                record["verdict"].as_str().unwrap_or_default(),
            )
        })
        .collect()
    };
    let mut decisions = of("decision");
    decisions.sort_unstable();
    assert_eq!(
        decisions,
        [
            ("allowed", "allow"),
            ("allowed", "deny"),
            ("blocked", "deny"),
            ("declined", "ask"),
            ("denied", "deny"),
            ("failing", "allow"),
            ("misspelt", "deny"),
            ("unknown", "deny"),
        ]
    );
    let mut executions = of("execution");
    executions.sort_unstable();
    assert_eq!(executions, [("allowed", ""), ("failing", "")], "{text}");
    let note = |call: &str| {
        let own = records
            .iter()
            .find(|record| record["call"] == call && record.get("note").is_some());
        own.and_then(|record| record["note"].as_str())
            .unwrap_or_default()
            .to_owned()
    };
    assert!(note("misspelt").starts_with("not decided: ") && note("misspelt").contains("comand"));
    assert!(
        records
            .iter()
            .any(|record| record["note"] == "not decided: Blocked by a hook: not today"),
        "{text}"
    );
}

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
