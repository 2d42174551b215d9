//! Nothing runs before its decision, and what was decided is what runs.

use std::os::unix::fs::symlink;
use std::sync::atomic::Ordering;

use engine_policy::{Mode, Outcome};
use serde_json::{Value as Json, json};

use super::support::{ASKS, Answer, OPEN, Setup, Table};

/// A policy that denies one file and asks about writing.
const GUARDED: &str = r#"
policy "guarded"
default { command "allow"; read "allow"; write "ask"; delete "ask"; network "ask"; tool "allow"; env "allow" }
deny "secrets" because="keys stay here" { read "**/secret*"; write "**/secret*" }
"#;

fn write(table: &Table, name: &str) -> Json {
    json!({ "file_path": table.path(name), "content": "x" })
}

#[tokio::test]
async fn what_is_denied_is_not_done_and_the_model_is_told_why() {
    let table = Setup::new(GUARDED).file("secret.txt", "hidden").start();
    let path = table.path("secret.txt");
    for (tool, input) in [
        ("Read", json!({ "file_path": path })),
        ("Write", json!({ "file_path": path, "content": "x" })),
        ("Bash", json!({ "command": "cat secret.txt" })),
        (
            "Grep",
            json!({ "pattern": "hid", "path": "secret.txt", "output_mode": "content" }),
        ),
    ] {
        let (said, _) = table.call(tool, input).await;
        assert!(!said.contains("hidden"), "{tool}: {said}");
        if tool != "Grep" {
            assert!(said.contains("denied by the policy"), "{tool}: {said}");
            assert!(said.contains("secrets"), "{tool}: {said}");
        }
    }
    assert_eq!(table.text("secret.txt"), "hidden");
}

#[tokio::test]
async fn with_nobody_there_what_is_asked_about_is_refused() {
    let table = Setup::new(GUARDED).start();
    let said = table.fails("Write", write(&table, "a.txt")).await;
    assert!(said.contains("nobody can be asked"), "{said}");
    assert!(!table.project().join("a.txt").exists());
    let heard = table.decided();
    assert_eq!(heard.len(), 1);
    assert_eq!((heard[0].outcome, heard[0].granted), (Outcome::Ask, false));
}

#[tokio::test]
async fn a_person_who_refuses_is_heard_word_for_word() {
    let table = Setup::new(GUARDED)
        .says(&[Answer::No(Some("use b.txt")), Answer::No(None), Answer::Yes])
        .start();
    let said = table.fails("Write", write(&table, "a.txt")).await;
    assert_eq!(said, "The person refused this call and says: use b.txt");
    let said = table.fails("Write", write(&table, "a.txt")).await;
    assert!(said.starts_with("The person refused this call."), "{said}");
    assert!(!table.project().join("a.txt").exists());
    table.works("Write", write(&table, "a.txt")).await;
    assert_eq!(table.text("a.txt"), "x");
    // Leave for one call is none for the next.
    table.fails("Write", write(&table, "b.txt")).await;
}

#[tokio::test]
async fn an_unknown_tool_and_a_wrong_field_are_told_with_the_nearest_name() {
    let table = Setup::new(OPEN).start();
    assert_eq!(
        table.fails("Raed", json!({})).await,
        "No such tool available: Raed. Did you mean Read?"
    );
    let said = table.fails("Read", json!({ "file_pth": "/x" })).await;
    assert!(said.contains("file_pth") && said.contains("file_path"), "{said}");
    let said = table
        .fails("Read", json!({ "file_path": "/x", "limit": "many" }))
        .await;
    assert!(said.contains("limit"), "{said}");
    let said = table.fails("Read", json!("text")).await;
    assert!(said.contains("object"), "{said}");
    assert_eq!(table.decided(), [], "nothing was decided, so nothing was done");
}

#[tokio::test]
async fn plan_mode_refuses_what_writes_whatever_rules_allow() {
    let table = Setup::new(OPEN).mode(Mode::Plan).start();
    for command in [
        "echo x > a.txt",
        "touch a.txt",
        "mkdir d",
        "sh -c 'echo x > a.txt'",
    ] {
        let said = table.fails("Bash", json!({ "command": command })).await;
        assert!(said.contains("plan"), "{command}: {said}");
    }
    assert_eq!(std::fs::read_dir(table.project()).expect("project").count(), 0);
    assert_eq!(table.works("Bash", json!({ "command": "echo x" })).await, "x");
}

#[tokio::test]
async fn an_observer_that_fails_stops_the_call() {
    let table = Setup::new(OPEN).start();
    table.recorder.broken.store(true, Ordering::Relaxed);
    let said = table.fails("Write", write(&table, "a.txt")).await;
    assert_eq!(
        said,
        "Not carried out, since the decision cannot be written down: the disk is full"
    );
    assert!(!table.project().join("a.txt").exists());
    table.fails("Bash", json!({ "command": "touch b.txt" })).await;
    assert!(!table.project().join("b.txt").exists());
    table.fails("TaskCreate", json!({ "subject": "x" })).await;
    assert!(!table.root().join("state/project/tasks.json").exists());
}

const COPY: &str = r#"
tool "Copy" {
    about "Copies a file"
    input strict=#true {
        path "from" required=#true { reads; }
        path "to" required=#true { writes; }
    }
    body {
        read "found" path="{{ input.from }}"
        run "made" "cp" "--" "{{ input.from }}" "{{ input.to }}"
        run "more" "cp" "--" "{{ input.from }}" "{{ input.to }}2"
        return "{{ made.code }}"
    }
}
"#;

#[tokio::test]
async fn what_was_granted_is_not_asked_again_and_anything_else_is() {
    let table = Setup::new(ASKS)
        .tools(COPY)
        .file("a.txt", "a")
        .says(&[Answer::Yes, Answer::Yes])
        .start();
    let (from, to) = (table.path("a.txt"), table.path("b.txt"));
    let said = table.fails("Copy", json!({ "from": from, "to": to })).await;
    let asked = table.person.asked.lock().expect("asked").clone();
    // For the tool's own fields; for the command (its paths were granted); and for the command that writes elsewhere.
    assert_eq!(asked.len(), 3, "{asked:#?}");
    assert!(asked.iter().all(|permit| permit.tool == "Copy"));
    assert!(
        asked[0].reasons.iter().any(|reason| reason.contains("b.txt")),
        "{:?}",
        asked[0]
    );
    assert!(
        asked[1]
            .reasons
            .iter()
            .all(|reason| !reason.contains("a.txt` is read")),
        "{:?}",
        asked[1]
    );
    assert!(
        asked[2].reasons.iter().any(|reason| reason.contains("b.txt2")),
        "{:?}",
        asked[2]
    );
    assert!(said.contains("nobody can be asked"), "{said}");
    assert_eq!(table.text("b.txt"), "a");
    assert!(!table.project().join("b.txt2").exists());
    let via: Vec<_> = table.decided().into_iter().map(|heard| heard.via).collect();
    assert!(via.contains(&vec!["Copy".to_owned()]), "{via:?}");
}

/// A tool with one step, which reads.
const PEEK: &str = r#"
tool "Peek" {
    about "Looks at a file"
    input strict=#true { string "name" required=#true; }
    body {
        run "found" "cat" "--" "{{ input.name }}"
        return "{{ found.stdout }}"
    }
}
"#;

#[tokio::test]
async fn a_declared_tool_does_no_more_than_its_steps_may() {
    let table = Setup::new(GUARDED)
        .tools(PEEK)
        .file("secret.txt", "hidden")
        .file("open.txt", "seen")
        .start();
    assert_eq!(table.works("Peek", json!({ "name": "open.txt" })).await, "seen");
    let said = table.fails("Peek", json!({ "name": "secret.txt" })).await;
    assert!(said.contains("secrets") && !said.contains("hidden"), "{said}");
}

#[tokio::test]
async fn searches_show_nothing_of_what_may_not_be_read() {
    let table = Setup::new(GUARDED)
        .file("open.txt", "needle")
        .file("secret.txt", "needle\nneedle")
        .file("sub/secret-too.txt", "needle")
        .start();
    assert_eq!(
        table.works("Glob", json!({ "pattern": "**/*.txt" })).await,
        "open.txt"
    );
    assert_eq!(
        table.works("Grep", json!({ "pattern": "needle" })).await,
        "Found 1 file\nopen.txt"
    );
    let counts = table
        .works("Grep", json!({ "pattern": "needle", "output_mode": "count" }))
        .await;
    assert!(
        counts.contains("Found 1 total occurrence across 1 file"),
        "{counts}"
    );
    assert!(!counts.contains("secret"), "{counts}");
    let said = table
        .fails("Read", json!({ "file_path": table.path("secreta.txt") }))
        .await;
    assert!(
        !said.contains("secret.txt"),
        "a missing file is not told by the name of a hidden one: {said}"
    );
}

/// A policy with every sort of file: allowed, denied, asked about, excepted, and what is left to the default.
const SORTED: &str = r#"
policy "sorted"
default { command "ask"; read "ask"; write "ask"; delete "ask"; network "ask"; tool "allow"; env "ask" }
allow "work" { read "./**" { except "./excepted/**" } }
deny "keys" { read "**/*.key" "./vault/**" "~/keys/**" }
ask "letters" { read "./letters/**" }
"#;

/// Everything that Grep and Glob say of a tree, in every form.
async fn all_said(table: &Table, path: &str) -> String {
    let mut all = String::new();
    for mode in ["content", "files_with_matches", "count"] {
        for more in [
            json!({}),
            json!({ "-C": 3, "multiline": true }),
            json!({ "head_limit": 0, "-i": true }),
        ] {
            let mut input = json!({ "pattern": "needle|HIDDEN", "path": path, "output_mode": mode });
            input
                .as_object_mut()
                .expect("an object")
                .extend(more.as_object().expect("an object").clone());
            let (said, failed) = table.call("Grep", input).await;
            assert!(!failed, "{said}");
            all.push_str(&said);
        }
    }
    for pattern in ["**", "**/*", "**/*.*", "*/*"] {
        let (said, failed) = table
            .call("Glob", json!({ "pattern": pattern, "path": path }))
            .await;
        assert!(!failed, "{said}");
        all.push_str(&said);
    }
    all
}

#[tokio::test]
async fn a_tree_is_searched_without_a_question_and_without_what_may_not_be_read() {
    let table = Setup::new(SORTED)
        .file("open.txt", "needle")
        .file("sub/open-too.txt", "needle")
        .file("sub/a.key", "HIDDEN")
        .file("sub/B.KEY", "HIDDEN")
        .file("vault/inside.txt", "HIDDEN")
        .file("VAULT/inside-too.txt", "HIDDEN")
        .file("letters/one.txt", "HIDDEN")
        .file("excepted/two.txt", "HIDDEN")
        .start();
    symlink(
        table.path("vault/inside.txt"),
        table.project().join("sub/link.txt"),
    )
    .expect("a link");
    symlink(table.path("vault"), table.project().join("sub/linked")).expect("a link");
    let said = all_said(&table, ".").await;
    assert!(
        said.contains("open.txt") && said.contains("sub/open-too.txt"),
        "{said}"
    );
    for secret in [
        "HIDDEN", ".key", "B.KEY", "inside", "letters/", "one.txt", "two.txt", "link",
    ] {
        assert!(!said.contains(secret), "`{secret}` in {said}");
    }
    assert!(
        said.contains("(2 files were left out, since the policy asks before they are read."),
        "{said}"
    );
    assert!(table.person.asked.lock().unwrap().is_empty());
    // What is there afterwards is held against the rules all the same.
    std::fs::write(table.project().join("sub/new.key"), "HIDDEN").expect("written");
    let said = all_said(&table, "sub").await;
    assert!(
        said.contains("open-too.txt") && !said.contains("new.key"),
        "{said}"
    );
    assert!(!said.contains("HIDDEN") && !said.contains("left out"), "{said}");
    // The same tree for a command, which holds nothing against the rules.
    let (_, failed) = table.call("Bash", json!({ "command": "grep -r needle ." })).await;
    assert!(failed);
}

#[tokio::test]
async fn a_search_with_leave_for_its_root_shows_what_is_no_stricter() {
    let setup = Setup::new(SORTED)
        .file("letters/one.txt", "needle")
        .file("letters/a.key", "HIDDEN")
        .says(&[Answer::Yes]);
    let table = setup.start();
    let said = table
        .works("Grep", json!({ "pattern": "needle|HIDDEN", "path": "letters" }))
        .await;
    assert_eq!(said, "Found 1 file\nletters/one.txt");
    // Behind the end of the script nobody is there.
    table
        .fails("Grep", json!({ "pattern": "needle", "path": "letters" }))
        .await;
    table
        .fails("Grep", json!({ "pattern": "HIDDEN", "path": "vault" }))
        .await;
    table
        .fails("Grep", json!({ "pattern": "HIDDEN", "path": "letters/a.key" }))
        .await;
}

#[tokio::test]
async fn a_search_outside_of_the_project_shows_what_the_person_let_it() {
    let table = Setup::new(SORTED).says(&[Answer::Yes]).start();
    let home = table.root().join("home");
    std::fs::create_dir(home.join("keys")).expect("made");
    std::fs::write(home.join("keys/x.txt"), "HIDDEN").expect("written");
    std::fs::write(home.join("a.txt"), "needle").expect("written");
    let said = table
        .works("Grep", json!({ "pattern": "needle|HIDDEN", "path": home }))
        .await;
    assert!(said.ends_with("a.txt") && !said.contains("keys"), "{said}");
}

#[tokio::test]
async fn rules_of_a_project_that_is_reached_through_a_link_hold_in_a_search() {
    let setup = Setup::new(SORTED)
        .file("open.txt", "needle")
        .file("vault/inside.txt", "HIDDEN");
    let by_link = setup.root().join("by-link");
    symlink(setup.root().join("project"), &by_link).expect("a link");
    let table = setup.project(&by_link).start();
    let said = all_said(&table, ".").await;
    assert!(said.contains("open.txt"), "{said}");
    assert!(!said.contains("inside") && !said.contains("HIDDEN"), "{said}");
}

#[tokio::test]
async fn calls_run_where_nobody_listens() {
    let table = Setup::new(OPEN)
        .file("a.txt", "one\n")
        .observer(std::sync::Arc::new(engine_runtime::Unobserved))
        .start();
    let (said, failed) = table.call("Bash", json!({ "command": "cat a.txt" })).await;
    assert_eq!((said.as_str(), failed), ("one", false));
    assert!(table.decided().is_empty());
}

#[tokio::test]
async fn a_call_that_is_refused_is_a_decision_and_no_execution() {
    let policy = format!(
        "{ASKS}\ndeny \"no-rm\" {{ command \"rm ...\" }}\nallow {{ command \"cat ...\"; read \"./**\" }}\n"
    );
    let table = Setup::new(&policy)
        .file("a.txt", "one")
        .says(&[Answer::No(None), Answer::Absent])
        .start();
    table.fails("Bash", json!({ "command": "rm a.txt" })).await;
    table.fails("Bash", json!({ "command": "touch refused" })).await;
    table.fails("Bash", json!({ "command": "touch unasked" })).await;
    let verdicts: Vec<_> = table
        .decided()
        .iter()
        .map(|heard| (heard.outcome, heard.granted))
        .collect();
    assert_eq!(
        verdicts,
        [
            (Outcome::Deny, false),
            (Outcome::Ask, false),
            (Outcome::Ask, false)
        ]
    );
    table.fails("Bash", json!({ "comand": "ls" })).await;
    table.fails("Bsh", json!({ "command": "ls" })).await;
    table.fails("Bash", json!({ "command": "sleep 30" })).await;
    let refused = table.recorder.refused.lock().expect("refused").clone();
    let tools: Vec<&str> = refused.iter().map(|(_, tool, _)| tool.as_str()).collect();
    assert_eq!(tools, ["Bash", "Bsh", "Bash"]);
    assert!(refused[0].2.contains("comand"), "{refused:?}");
    assert!(
        refused[1].2.contains("No such tool available: Bsh"),
        "{refused:?}"
    );
    assert!(refused[2].2.contains("sleep"), "{refused:?}");
    assert_eq!(table.decided().len(), 3, "what is not decided is in no decision");
    assert_eq!(*table.recorder.ended.lock().expect("ended"), []);
    // What began and failed, and what went well, ended; each once.
    table.fails("Bash", json!({ "command": "cat missing.txt" })).await;
    table.works("Bash", json!({ "command": "cat a.txt" })).await;
    let ended: Vec<bool> = (table.recorder.ended.lock().expect("ended").iter())
        .map(|(_, failed)| *failed)
        .collect();
    assert_eq!(ended, [true, false]);
    assert_eq!(table.recorder.refused.lock().expect("refused").len(), 3);
}

#[tokio::test]
async fn a_tool_whose_step_is_refused_was_begun() {
    let table = Setup::new(GUARDED)
        .tools(PEEK)
        .file("secret.txt", "hidden")
        .start();
    table.fails("Peek", json!({ "name": "secret.txt" })).await;
    let granted: Vec<_> = table
        .decided()
        .iter()
        .map(|heard| (heard.via.len(), heard.granted))
        .collect();
    assert_eq!(granted, [(0, true), (1, false)]);
    assert_eq!(table.recorder.ended.lock().expect("ended").len(), 1);
}

#[tokio::test]
async fn what_a_hook_blocks_is_a_decision_and_no_execution() {
    let policy = format!("{OPEN}\nhooks {{ before \"Bash\" run=\"echo not today >&2; exit 2\" }}");
    let table = Setup::new(&policy).start();
    table.fails("Bash", json!({ "command": "echo x" })).await;
    let refused = table.recorder.refused.lock().expect("refused").clone();
    assert_eq!(refused.len(), 1);
    assert_eq!(refused[0].2, "Blocked by a hook: not today");
    assert!(table.decided().is_empty() && table.recorder.ended.lock().expect("ended").is_empty());
}
