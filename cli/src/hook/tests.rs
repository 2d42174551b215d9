//! The exact shapes of answers.

mod spoilt;

use std::cell::RefCell;
use std::path::Path;

use engine_policy::{Files, NoWorld, Plan, Root, load};
use engine_shell::Shell;
use serde_json::{Value as Json, json};

use super::answer::Answer;
use super::client::Client;
use super::judge::Surroundings;
use super::record::Recording;
use super::{Settings, answer};

struct OneFile(&'static str);

impl Files for OneFile {
    fn text(&self, _path: &str) -> Result<String, String> {
        Ok(self.0.to_owned())
    }
}

/// A policy, for as long as the tests run.
fn plan(text: &'static str) -> &'static Plan {
    let mut loaded = load(&[Root::File("p.kdl".to_owned())], &OneFile(text));
    let plan = loaded
        .compile()
        .unwrap_or_else(|| panic!("{:?}", loaded.diagnostics));
    Box::leak(Box::new(plan))
}

/// Rules for what the tests call.
const RULES: &str = r#"
policy "tests" { extends "builtin:readonly" }
allow { write "./**"; delete "./old/**"; network "docs.example.org"; tool "mcp__tracker__get"; command "git commit ..." }
deny "no-rm" because="nothing is brought back" instead="git rm" { command "rm ..." }
deny "secrets" { read "**/.env"; write "**/.env" }
deny "server" { tool "mcp__prod__*" }
modes { allow "bypass" }
default { headless "deny" }
"#;

struct Machine {
    plan: &'static Plan,
    session_project: Option<&'static str>,
    shells: Vec<Shell>,
    interactive: bool,
    headless: bool,
    broken: bool,
    asked_for: RefCell<Vec<String>>,
}

impl Machine {
    fn new(text: &'static str) -> Self {
        Self {
            plan: plan(text),
            session_project: None,
            shells: vec![Shell::Bash],
            interactive: false,
            headless: false,
            broken: false,
            asked_for: RefCell::new(Vec::new()),
        }
    }

    fn answer(&self, client: Client, event: &[u8]) -> Answer {
        let around = Surroundings {
            session_project: self.session_project.map(str::to_owned),
            home: Some("/home/me".to_owned()),
            shells: self.shells.clone(),
            project_of: &|directory| {
                let known = ["/work/shop/nested", "/work/shop", "/work/other"];
                let found = known
                    .iter()
                    .find(|project| Path::new(directory).starts_with(project));
                found.map_or(directory, |project| *project).to_owned()
            },
            policy: &|project, others| {
                self.asked_for
                    .borrow_mut()
                    .extend([project].iter().chain(others).map(|own| (*own).to_owned()));
                if self.broken {
                    Err("it is broken".to_owned())
                } else {
                    Ok(self.plan)
                }
            },
            world: &NoWorld,
            headless: self.headless,
        };
        let settings = Settings {
            client,
            interactive: self.interactive,
            recording: Recording::Off,
            audit_directory: None,
        };
        answer(&settings, event, &around)
    }

    fn ask(&self, client: Client, tool: &str, input: Json) -> Answer {
        self.answer(client, event(client, tool, input).to_string().as_bytes())
    }

    /// The word of the answer.
    fn word(&self, client: Client, tool: &str, input: Json) -> String {
        word(client, &self.ask(client, tool, input))
    }
}

fn word(client: Client, answer: &Answer) -> String {
    if answer.code == 2 {
        return "stop".to_owned();
    }
    if answer.output.is_empty() {
        return "silence".to_owned();
    }
    let json: Json = answer.output.parse().unwrap();
    let word = match client {
        Client::ClaudeCode | Client::Codex => &json["hookSpecificOutput"]["permissionDecision"],
        Client::Gemini => &json["decision"],
    };
    word.as_str().unwrap().to_owned()
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "what is passed is written where it is passed"
)]
fn event(client: Client, tool: &str, input: Json) -> Json {
    let name = client.data().unwrap().decides[0];
    json!({
        "session_id": "s-1", "transcript_path": "/home/me/t.jsonl", "cwd": "/work/shop", "permission_mode": "default",
        "hook_event_name": name, "tool_name": tool, "tool_input": input, "tool_use_id": "toolu_1", "some_new_field": [1, {}],
    })
}

fn shell(client: Client, command: &str) -> (&'static str, Json) {
    let tool = match client {
        Client::ClaudeCode | Client::Codex => "Bash",
        Client::Gemini => "run_shell_command",
    };
    (tool, json!({ "command": command }))
}

#[test]
fn claude_code_is_answered_in_its_form() {
    let machine = Machine::new(RULES);
    let shape = |command: &str| {
        let (tool, input) = shell(Client::ClaudeCode, command);
        let answer = machine.ask(Client::ClaudeCode, tool, input);
        assert_eq!((answer.code, answer.complaint.as_str()), (0, ""));
        answer.output.parse::<Json>().unwrap()
    };
    let form = |decision: &str, reason: &str| {
        json!({ "hookSpecificOutput": { "hookEventName": "PreToolUse", "permissionDecision": decision,
            "permissionDecisionReason": reason } })
    };
    assert_eq!(shape("ls"), form("allow", "engine: allowed by the policy"));
    assert_eq!(
        shape("rm -r old"),
        form(
            "deny",
            "engine: denied by the policy\n- run `rm`: rule `no-rm` (p.kdl:4), because nothing is brought back; instead: git rm"
        )
    );
    assert_eq!(
        shape("git push --force; frobnicate")["hookSpecificOutput"]["permissionDecisionReason"]
            .as_str()
            .unwrap()
            .lines()
            .nth(1),
        Some("- warning: overwrites what others have pushed")
    );
    assert_eq!(
        shape("frobnicate"),
        form(
            "ask",
            "engine: the policy wants a person to decide\n- run `frobnicate`: no rule names `frobnicate`, and there is no definition of what it does"
        )
    );
}

#[test]
fn codex_hears_nothing_where_it_may_and_a_no_where_it_is_to_ask() {
    let machine = Machine::new(RULES);
    let answer = |command: &str| {
        let (tool, input) = shell(Client::Codex, command);
        machine.ask(Client::Codex, tool, input)
    };
    assert_eq!(answer("ls"), Answer::neutral());
    for (command, why) in [
        ("rm -r old", "nothing is brought back"),
        ("frobnicate", "cannot ask from a hook"),
    ] {
        let answer = answer(command);
        let json: Json = answer.output.parse().unwrap();
        let own = &json["hookSpecificOutput"];
        assert_eq!(
            (answer.code, &own["hookEventName"], &own["permissionDecision"]),
            (0, &json!("PreToolUse"), &json!("deny"))
        );
        assert!(
            own["permissionDecisionReason"].as_str().unwrap().contains(why),
            "{json}"
        );
    }
}

#[test]
fn gemini_is_answered_in_its_form_and_asks_only_where_somebody_sits() {
    let mut machine = Machine::new(RULES);
    let (tool, input) = shell(Client::Gemini, "ls");
    let answer = machine.ask(Client::Gemini, tool, input);
    assert_eq!(
        answer.output,
        r#"{"decision":"allow","reason":"engine: allowed by the policy"}"#
    );
    let word = |machine: &Machine, command: &str| {
        let (tool, input) = shell(Client::Gemini, command);
        machine.word(Client::Gemini, tool, input)
    };
    assert_eq!(word(&machine, "rm x"), "deny");
    assert_eq!(word(&machine, "frobnicate"), "deny");
    machine.interactive = true;
    assert_eq!(word(&machine, "frobnicate"), "ask");
    assert_eq!(word(&machine, "rm x"), "deny");
}

#[test]
fn where_nobody_can_be_asked_the_headless_default_decides() {
    let mut machine = Machine::new(RULES);
    machine.headless = true;
    let (tool, input) = shell(Client::ClaudeCode, "frobnicate");
    let answer = machine.ask(Client::ClaudeCode, tool, input);
    assert_eq!(word(Client::ClaudeCode, &answer), "deny");
    assert!(answer.output.contains("nobody can be asked"), "{}", answer.output);
}

#[test]
fn tools_are_what_they_are_for_the_rules() {
    let machine = Machine::new(RULES);
    let (claude, codex, gemini) = (Client::ClaudeCode, Client::Codex, Client::Gemini);
    let cases = [
        (claude, "Read", json!({ "file_path": "a" }), "allow"),
        (claude, "Read", json!({ "file_path": ".env", "limit": 5 }), "deny"),
        (
            claude,
            "Read",
            json!({ "file_path": "a", "allow_large": true }),
            "allow",
        ),
        (
            claude,
            "Read",
            json!({ "file_path": "a", "from_host": "x" }),
            "ask",
        ),
        (
            claude,
            "Edit",
            json!({ "file_path": "a", "old_string": "x", "new_string": "y" }),
            "allow",
        ),
        (
            claude,
            "MultiEdit",
            json!({ "file_path": "a", "edits": [] }),
            "allow",
        ),
        (
            claude,
            "MultiEdit",
            json!({ "file_path": ".env", "edits": [] }),
            "deny",
        ),
        (
            claude,
            "NotebookEdit",
            json!({ "notebook_path": "/etc/n.ipynb", "new_source": "", "edit_mode": "insert" }),
            "ask",
        ),
        (
            claude,
            "NotebookEdit",
            json!({ "notebook_path": "n.ipynb", "new_source": "", "cell_id": "c" }),
            "allow",
        ),
        (
            claude,
            "LS",
            json!({ "path": "/work/shop", "ignore": ["x"] }),
            "allow",
        ),
        (claude, "LS", json!({ "path": "/root" }), "ask"),
        (
            claude,
            "WebFetch",
            json!({ "url": "https://docs.example.org/a", "prompt": "p" }),
            "allow",
        ),
        (
            claude,
            "WebFetch",
            json!({ "url": "https://elsewhere.example/", "prompt": "p" }),
            "ask",
        ),
        (claude, "mcp__tracker__get", json!({ "id": 1 }), "allow"),
        (claude, "mcp__tracker__set", json!({ "id": 1 }), "ask"),
        (claude, "mcp__prod__deploy", json!({}), "deny"),
        (claude, "SomethingNew", json!({ "a": 1 }), "ask"),
        (
            claude,
            "Bash",
            json!({ "command": "ls", "dangerouslyDisableSandbox": true }),
            "ask",
        ),
        (claude, "Bash", json!({ "command": ["ls"] }), "deny"),
        (claude, "Bash", json!({ "command": [] }), "deny"),
        (claude, "Read", json!({ "file_path": [] }), "deny"),
        (codex, "view_image", json!({ "path": "a.png" }), "silence"),
        (codex, "view_image", json!({ "path": ".env" }), "deny"),
        (
            codex,
            "write_stdin",
            json!({ "session_id": 1, "chars": "rm -rf /\n" }),
            "deny",
        ),
        (
            codex,
            "Bash",
            json!({ "command": "ls", "workdir": "sub" }),
            "silence",
        ),
        (
            codex,
            "Bash",
            json!({ "command": "touch x", "workdir": "/etc" }),
            "deny",
        ),
        (codex, "Bash", json!({ "command": "ls", "workdir": 5 }), "deny"),
        (codex, "Bash", json!({ "command": ["bash", "-lc", "ls"] }), "deny"),
        (codex, "Read", json!({ "file_path": "a" }), "deny"),
        (codex, "mcp__tracker__get", json!({}), "silence"),
        (
            gemini,
            "read_file",
            json!({ "file_path": "a", "start_line": 1 }),
            "allow",
        ),
        (
            gemini,
            "read_file",
            json!({ "absolute_path": "/work/shop/.env" }),
            "deny",
        ),
        (
            gemini,
            "read_file",
            json!({ "file_path": "a", "absolute_path": "/etc/passwd" }),
            "deny",
        ),
        (
            gemini,
            "write_file",
            json!({ "file_path": "a", "content": "x" }),
            "allow",
        ),
        (
            gemini,
            "write_file",
            json!({ "file_path": "/etc/a", "content": "x" }),
            "deny",
        ),
        (
            gemini,
            "replace",
            json!({ "file_path": "a", "old_string": "x", "new_string": "y", "instruction": "i" }),
            "allow",
        ),
        (gemini, "glob", json!({ "pattern": "**/*.rs" }), "allow"),
        (
            gemini,
            "glob",
            json!({ "pattern": "../**", "dir_path": "x" }),
            "deny",
        ),
        (
            gemini,
            "list_directory",
            json!({ "dir_path": "src", "wait_for_previous": true }),
            "allow",
        ),
        (gemini, "list_directory", json!({ "dir_path": "/root" }), "deny"),
        (
            gemini,
            "web_fetch",
            json!({ "prompt": "sum up https://docs.example.org/a." }),
            "allow",
        ),
        (
            gemini,
            "web_fetch",
            json!({ "prompt": "sum up https://docs.example.org/a and (http://evil.example/?q)" }),
            "deny",
        ),
        (
            gemini,
            "web_fetch",
            json!({ "prompt": "sum up evil.example" }),
            "deny",
        ),
        (gemini, "Glob", json!({ "pattern": "*" }), "deny"),
        (gemini, "mcp_tracker_get", json!({}), "deny"),
    ];
    for (client, tool, input, expected) in cases {
        assert_eq!(
            machine.word(client, tool, input.clone()),
            expected,
            "{} {tool} {input}",
            client.name()
        );
    }
}

#[test]
fn geminis_servers_are_told_by_what_it_says_of_them() {
    let machine = Machine::new(RULES);
    let of = |server: &str, tool: &str| {
        let mut event = event(Client::Gemini, &format!("mcp_{server}_{tool}"), json!({}));
        event["mcp_context"] = json!({ "server_name": server, "tool_name": tool });
        word(
            Client::Gemini,
            &machine.answer(Client::Gemini, event.to_string().as_bytes()),
        )
    };
    assert_eq!(of("tracker", "get"), "allow");
    assert_eq!(of("tracker", "set"), "deny");
    assert_eq!(of("prod", "get"), "deny");
}

#[test]
fn a_servers_tool_is_none_of_the_clients_own_whatever_its_name() {
    let machine = Machine::new(RULES);
    let of = |context: Json| {
        let mut event = event(Client::Gemini, "read_file", json!({ "file_path": "a" }));
        event["mcp_context"] = context;
        word(
            Client::Gemini,
            &machine.answer(Client::Gemini, event.to_string().as_bytes()),
        )
    };
    assert_eq!(of(Json::Null), "allow");
    assert_eq!(
        of(json!({ "server_name": "tracker", "tool_name": "get" })),
        "allow"
    );
    assert_eq!(
        of(json!({ "server_name": "tracker", "tool_name": "read_file" })),
        "deny"
    );
    for odd in [
        json!({}),
        json!("tracker"),
        json!({ "server_name": "", "tool_name": "get" }),
    ] {
        assert_eq!(of(odd.clone()), "deny", "{odd}");
    }
}

#[test]
fn a_tool_that_does_more_than_ours_of_its_name_needs_a_rule() {
    let machine = Machine::new(RULES);
    let word =
        |machine: &Machine, tool: &str, input: &Json| machine.word(Client::ClaudeCode, tool, input.clone());
    for (tool, input) in [
        (
            "Config",
            json!({ "setting": "permissions.defaultMode", "value": "bypassPermissions" }),
        ),
        ("CronCreate", json!({ "cron": "* * * * *", "prompt": "p" })),
        ("RemoteTrigger", json!({ "action": "run" })),
        ("TeamCreate", json!({ "team_name": "t" })),
        ("WebSearch", json!({ "query": "what the project is called" })),
        ("ExitPlanMode", json!({ "plan": "p" })),
        ("Brief", json!({ "message": "m" })),
    ] {
        assert_eq!(word(&machine, tool, &input), "ask", "{tool}");
    }
    assert_eq!(
        machine.word(Client::Gemini, "google_web_search", json!({ "query": "x" })),
        "deny"
    );
    // With a rule, it may.
    let mut allowing = Machine::new("allow { tool \"WebSearch\" \"ExitPlanMode\" \"Config\" }");
    assert_eq!(word(&allowing, "WebSearch", &json!({ "query": "x" })), "allow");
    allowing.headless = true;
    assert_eq!(
        word(
            &allowing,
            "Config",
            &json!({ "setting": "theme", "value": "dark" })
        ),
        "allow"
    );
}

#[test]
fn what_the_program_asks_the_person_itself_is_never_answered_for_them() {
    let machine = Machine::new("allow { tool \"*\" }");
    for (tool, input) in [
        ("ExitPlanMode", json!({ "plan": "p" })),
        ("AskUserQuestion", json!({ "questions": [] })),
    ] {
        assert_eq!(machine.word(Client::ClaudeCode, tool, input), "ask", "{tool}");
    }
    assert_eq!(
        machine.word(Client::ClaudeCode, "TodoWrite", json!({ "todos": [] })),
        "allow"
    );
}

#[test]
fn every_file_of_a_patch_counts() {
    let machine = Machine::new(RULES);
    let patch = |body: &str| {
        let text = format!("*** Begin Patch\n{body}\n*** End Patch\n");
        machine.word(Client::Codex, "apply_patch", json!({ "command": text }))
    };
    assert_eq!(
        patch("*** Add File: a.txt\n+one\n*** Update File: b.txt\n@@\n-x\n+y\n z"),
        "silence"
    );
    assert_eq!(
        patch("*** Add File: a.txt\n+one\n*** Update File: .env\n@@\n-x\n+y"),
        "deny"
    );
    assert_eq!(
        patch("*** Update File: a.txt\n*** Move to: .env\n@@\n-x\n+y"),
        "deny"
    );
    assert_eq!(
        patch("*** Update File: a.txt\n*** Move to: /etc/cron.d/a\n@@\n-x\n+y"),
        "deny"
    );
    // Deleting is what `rm` does.
    assert_eq!(patch("*** Delete File: old/a.txt"), "deny");
    for odd in [
        "*** Rename File: a.txt",
        "",
        "text",
        "*** Move to: b",
        "*** Add File:  \n+x",
        "*** Add File:  a.txt\n+x",
        "*** Update File: src/../../b\n@@\n-x\n+y",
        "*** Update File: a.txt\n*** Move to: ../b\n@@\n-x\n+y",
        "*** End Patch\n*** Add File: .env",
    ] {
        assert_eq!(patch(odd), "deny", "{odd}");
    }
    for whole in [
        "",
        "*** Begin Patch\n*** Add File: a\n+x",
        "*** Add File: a\n*** End Patch",
    ] {
        assert_eq!(
            machine.word(Client::Codex, "apply_patch", json!({ "input": whole })),
            "deny",
            "{whole}"
        );
    }
}

#[test]
fn the_clients_mode_is_ours() {
    let machine = Machine::new(RULES);
    let of = |mode: Json, command: &str| {
        let mut event = event(Client::ClaudeCode, "Bash", json!({ "command": command }));
        event["permission_mode"] = mode;
        word(
            Client::ClaudeCode,
            &machine.answer(Client::ClaudeCode, event.to_string().as_bytes()),
        )
    };
    assert_eq!(of(json!("default"), "frobnicate"), "ask");
    assert_eq!(of(json!("dontAsk"), "frobnicate"), "deny");
    assert_eq!(of(json!("bypassPermissions"), "frobnicate"), "allow");
    assert_eq!(of(json!("bypassPermissions"), "rm x"), "deny");
    assert_eq!(of(json!("plan"), "touch x"), "deny");
    assert_eq!(of(json!("auto"), "frobnicate"), "ask");
    assert_eq!(of(Json::Null, "ls"), "allow");
    assert_eq!(of(json!(["plan"]), "ls"), "stop");
    // Codex says so of every session in which it asks nobody.
    let mut codex = event(Client::Codex, "Bash", json!({ "command": "frobnicate" }));
    codex["permission_mode"] = "bypassPermissions".into();
    let answer = machine.answer(Client::Codex, codex.to_string().as_bytes());
    assert_eq!(word(Client::Codex, &answer), "deny");
}

#[test]
fn the_sessions_project_decides_and_a_call_cannot_leave_it_by_going_elsewhere() {
    let mut machine = Machine::new(RULES);
    machine.session_project = Some("/work/shop");
    let from = |machine: &Machine, cwd: &str, command: &str| {
        let mut event = event(Client::ClaudeCode, "Bash", json!({ "command": command }));
        event["cwd"] = cwd.into();
        machine.asked_for.borrow_mut().clear();
        let word = word(
            Client::ClaudeCode,
            &machine.answer(Client::ClaudeCode, event.to_string().as_bytes()),
        );
        (word, machine.asked_for.borrow().clone())
    };
    let asked = |others: &[&str]| {
        let all = [&["/work/shop"], others].concat();
        all.into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(
        from(&machine, "/work/shop", "touch a"),
        ("allow".to_owned(), asked(&[]))
    );
    // What lies where the session went tightens.
    let src = "/work/shop/src";
    assert_eq!(
        from(&machine, src, "touch a"),
        ("allow".to_owned(), asked(&[src, src]))
    );
    // Another project is outside of this one, whatever that one allows.
    let other = "/work/other";
    assert_eq!(
        from(&machine, other, "touch a"),
        ("ask".to_owned(), asked(&[other, other]))
    );
    assert_eq!(
        from(&machine, "/work/shop/../other", "touch a").1,
        asked(&[other, other])
    );
}

#[test]
fn the_stricter_of_two_shells_decides() {
    let mut machine = Machine::new(RULES);
    let command = json!({ "command": "ls *(e:'rm x':)" });
    machine.shells = vec![Shell::Bash, Shell::Zsh];
    assert_ne!(machine.word(Client::ClaudeCode, "Bash", command), "allow");
    assert_eq!(
        machine.word(Client::ClaudeCode, "Bash", json!({ "command": "ls" })),
        "allow"
    );
    machine.shells.clear();
    assert_eq!(
        machine.word(Client::ClaudeCode, "Bash", json!({ "command": "ls" })),
        "stop"
    );
}
