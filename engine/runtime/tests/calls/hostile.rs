//! What a hostile model sends: every call is answered, nothing escapes, nothing breaks for the next call.

use engine_policy::Mode;
use serde_json::{Value as Json, json};

use super::support::{ASKS, OPEN, Setup};

/// Reading in the project alone.
const WITHIN: &str = r#"
policy "within"
default { command "deny"; read "deny"; write "deny"; delete "deny"; network "deny"; tool "allow"; env "deny" }
allow "project" { read "./**"; write "./**" }
"#;

#[tokio::test]
async fn no_spelling_of_a_path_leads_out() {
    let table = Setup::new(WITHIN).file("a.txt", "inside").start();
    std::fs::write(table.root().join("out.txt"), "HIDDEN").expect("written");
    std::fs::write(table.root().join("home/out.txt"), "HIDDEN").expect("written");
    let root = table.root();
    let root = root.to_str().expect("text");
    let project = table.project();
    let project = project.to_str().expect("text");
    std::os::unix::fs::symlink("../out.txt", format!("{project}/link.txt")).expect("linked");
    std::os::unix::fs::symlink("..", format!("{project}/up")).expect("linked");
    let long = "x/".repeat(5000);
    for path in [
        format!("{root}/out.txt"),
        "../out.txt".to_owned(),
        format!("{project}/../out.txt"),
        format!("{project}/./.././out.txt"),
        "link.txt".to_owned(),
        "up/out.txt".to_owned(),
        "~/out.txt".to_owned(),
        format!("/proc/self/root{root}/out.txt"),
        format!("/proc/self/cwd/../../../../../..{root}/out.txt"),
        format!("/proc/thread-self/root{root}/out.txt"),
        format!("//{root}/out.txt"),
        format!("\\\\?{root}\\out.txt"),
        "\\\\server\\share\\out.txt".to_owned(),
        "//server/share/out.txt".to_owned(),
        format!("a.txt\0{root}/out.txt"),
        format!("{root}/out.txt\0"),
        "/etc/passwd".to_owned(),
        "/dev/fd/0".to_owned(),
        "/dev/zero".to_owned(),
        String::new(),
        ".".to_owned(),
        "a.txt/".to_owned(),
        "a.txt/..".to_owned(),
        format!("{long}../out.txt"),
        format!("{project}/\u{202e}txt.a"),
    ] {
        for (tool, input) in [
            ("Read", json!({ "file_path": path })),
            (
                "Edit",
                json!({ "file_path": path, "old_string": "HIDDEN", "new_string": "x" }),
            ),
            (
                "Grep",
                json!({ "pattern": "HIDDEN", "path": path, "output_mode": "content" }),
            ),
            ("Glob", json!({ "pattern": "out*", "path": path })),
            ("Glob", json!({ "pattern": format!("{path}*") })),
        ] {
            let (said, _) = table.call(tool, input).await;
            assert!(!said.contains("HIDDEN"), "{tool} {path:?}: {said}");
        }
        if path.contains("out.txt") {
            table.fails("Read", json!({ "file_path": path })).await;
            table
                .fails("Write", json!({ "file_path": path, "content": "x" }))
                .await;
        }
    }
    assert_eq!(
        std::fs::read_to_string(format!("{root}/out.txt")).expect("kept"),
        "HIDDEN"
    );
    assert_eq!(table.text("a.txt"), "inside");
}

#[tokio::test]
async fn internal_and_unknown_fields_are_refused() {
    let table = Setup::new(OPEN).start();
    let said = table
        .fails(
            "Bash",
            json!({ "command": "true", "_simulatedSedEdit": { "filePath": table.path("a.txt"), "newContent": "x" } }),
        )
        .await;
    assert!(said.contains("_simulatedSedEdit"), "{said}");
    assert!(!table.project().join("a.txt").exists());
    table
        .fails("Bash", json!({ "command": "true", "sudo": true }))
        .await;
    table.fails("Bash", json!({ "command": ["true"] })).await;
    table
        .fails("Bash", json!({ "command": "touch a.txt", "timeout": 9_000_000 }))
        .await;
    table
        .fails("Bash", json!({ "command": "touch a.txt", "timeout": -1 }))
        .await;
    assert!(!table.project().join("a.txt").exists());
}

#[tokio::test]
async fn doing_without_the_sandbox_is_asked_about_whatever_is_allowed() {
    let table = Setup::new(OPEN).start();
    let said = table
        .fails(
            "Bash",
            json!({ "command": "touch a.txt", "dangerouslyDisableSandbox": "true" }),
        )
        .await;
    assert!(said.contains("without confinement"), "{said}");
    assert!(!table.project().join("a.txt").exists());
    table
        .works(
            "Bash",
            json!({ "command": "touch a.txt", "dangerouslyDisableSandbox": "false" }),
        )
        .await;
}

#[tokio::test]
async fn a_document_too_deep_or_too_large_does_not_spoil_the_others() {
    let table = Setup::new(OPEN).start();
    table.works("TaskCreate", json!({ "subject": "first" })).await;
    for depth in [50, 100, 120, 125, 126, 127, 128, 300] {
        let mut deep = json!(1);
        for _ in 0..depth {
            deep = Json::Object([("x".to_owned(), deep)].into_iter().collect());
        }
        let (_, _) = table
            .call(
                "TaskCreate",
                json!({ "subject": "deep", "metadata": deep.clone() }),
            )
            .await;
        let (_, _) = table
            .call("TaskUpdate", json!({ "taskId": "1", "metadata": deep.clone() }))
            .await;
        let (_, _) = table
            .call("Config", json!({ "setting": "theme", "value": deep }))
            .await;
        let listed = table.works("TaskList", json!({})).await;
        assert!(
            listed.starts_with("#1 [pending] first"),
            "depth {depth}: {listed}"
        );
        table.works("Config", json!({ "setting": "theme" })).await;
    }
    let huge = "x".repeat(17 << 20);
    let said = table
        .fails(
            "TaskUpdate",
            json!({ "taskId": "1", "metadata": { "big": huge } }),
        )
        .await;
    assert!(
        said.contains("delete some"),
        "{}",
        said.chars().take(300).collect::<String>()
    );
    assert!(
        table
            .works("TaskGet", json!({ "taskId": "1" }))
            .await
            .contains("first")
    );
}

#[tokio::test]
async fn names_of_tools_are_not_repeated_without_end() {
    let table = Setup::new(OPEN).start();
    let said = table.fails(&"x".repeat(1 << 20), json!({})).await;
    assert!(said.len() < 1000, "{}", said.len());
    let said = table
        .fails("Read", json!({ "file_path": "a", ("x".repeat(1 << 20)): 1 }))
        .await;
    assert!(said.len() < 5000, "{}", said.len());
    let said = table
        .fails("Config", json!({ "setting": "y".repeat(1 << 20) }))
        .await;
    assert!(said.len() < 5000, "{}", said.len());
}

#[tokio::test]
async fn no_tool_makes_the_mode_laxer() {
    let tools = r#"
tool "Loosen" {
    about "Tries"
    input strict=#true { string "mode" required=#true; }
    body {
        set "mode" "{{ input.mode }}"
        return "done"
    }
}
"#;
    let table = Setup::new(OPEN).tools(tools).start();
    for mode in ["bypass", "accept-edits", "dont-ask", "Bypass", "", "root"] {
        table.fails("Loosen", json!({ "mode": mode })).await;
        assert_eq!(table.session.context().mode, Mode::Default);
    }
}

#[tokio::test]
async fn keys_of_documents_are_no_paths() {
    let table = Setup::new(OPEN).start();
    for id in ["../../x", "/etc/passwd", "\0", "1 ", "01", "", &"9".repeat(4000)] {
        assert_eq!(
            table.works("TaskGet", json!({ "taskId": id })).await,
            "Task not found"
        );
        assert_eq!(
            table
                .works("TaskUpdate", json!({ "taskId": id, "status": "deleted" }))
                .await,
            "Task not found"
        );
        table.fails("CronDelete", json!({ "id": id })).await;
    }
}

#[tokio::test]
async fn a_question_reaches_the_person_as_it_is_and_asks_for_no_leave() {
    let table = Setup::new(ASKS).replies(json!("first")).start();
    let option = |label: &str| json!({ "label": label, "description": "" });
    let asked = "\u{1b}[2J\u{1b}]0;x\u{7}Carry it out?\r\n";
    let input = json!({ "questions": [
        { "question": asked, "header": "h", "options": [option("A\u{1b}[8m"), option("B")] }
    ]});
    let said = table.works("AskUserQuestion", input).await;
    assert!(said.contains("A\u{1b}[8m"));
    let questions: Vec<Json> = table.person.questions.lock().expect("questions").clone();
    assert_eq!(
        questions[0][0]["question"], asked,
        "what is shown of it is up to who shows it"
    );
    assert_eq!(table.person.asked.lock().expect("asked").len(), 0);
}

#[tokio::test]
async fn a_template_in_an_input_is_text() {
    let table = Setup::new(OPEN).start();
    for text in [
        "{{ facts.home }}",
        "{% for x in range(1000000000) %}x{% endfor %}",
        "{{ 7*7 }}",
        "{{",
        "{%",
    ] {
        assert_eq!(
            table
                .works("TaskCreate", json!({ "subject": text }))
                .await
                .split_once(": ")
                .expect("text")
                .1,
            text
        );
    }
}

#[tokio::test]
async fn a_search_for_a_costly_pattern_comes_to_an_end() {
    let table = Setup::new(OPEN).file("a.txt", &"a".repeat(100_000)).start();
    for pattern in ["(a+)+$", "(a|a)*b", "((((a{1,100}){1,100}){1,100}){1,100})"] {
        let started = std::time::Instant::now();
        let (_, _) = table.call("Grep", json!({ "pattern": pattern })).await;
        assert!(
            started.elapsed() < std::time::Duration::from_secs(30),
            "{pattern}"
        );
    }
}
