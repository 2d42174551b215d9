//! Hooks, budgets and deferral of a policy, through `engine call` and `engine batch`.
#![expect(
    clippy::expect_used,
    clippy::disallowed_methods,
    reason = "helpers of tests fail as tests do, and start the program"
)]

#[path = "hooks/house.rs"]
mod house;
#[path = "outputs/validate.rs"]
mod validate;

use std::fs;
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};

use house::House;

/// The program without the policy.
fn engine_alone(house: &House, args: &[&str]) -> Output {
    let mut program = Command::new(env!("CARGO_BIN_EXE_engine"));
    program.args(args).current_dir(house.project()).env_clear();
    program.output().expect("the program")
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
    let schema = engine_alone(&house, &["schema", "audit"]);
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
