//! What the tools of the catalogue do and say, one row after the other.

use std::fs;

use engine_policy::Mode;
use serde_json::{Value as Json, json};

use super::support::{OPEN, Setup, text_of};

#[tokio::test]
async fn a_file_is_read_edited_and_written_as_agents_know_it() {
    let table = Setup::new(OPEN).file("a.txt", "one\ntwo\n").start();
    let path = table.path("a.txt");
    let refused = table
        .fails("Write", json!({ "file_path": path, "content": "x" }))
        .await;
    assert!(refused.to_lowercase().contains("read"), "{refused}");
    assert_eq!(table.text("a.txt"), "one\ntwo\n");
    let read = table.works("Read", json!({ "file_path": path })).await;
    assert_eq!(read, "     1\tone\n     2\ttwo\n");
    let again = table.works("Read", json!({ "file_path": path })).await;
    assert!(again.contains("unchanged") && !again.contains("two"), "{again}");
    let edited = table
        .works(
            "Edit",
            json!({ "file_path": path, "old_string": "two", "new_string": "2" }),
        )
        .await;
    assert_eq!(edited, format!("The file {path} has been updated successfully."));
    assert_eq!(table.text("a.txt"), "one\n2\n");
    let all = table
        .works(
            "Edit",
            json!({ "file_path": path, "old_string": "n", "new_string": "N", "replace_all": "true" }),
        )
        .await;
    assert_eq!(
        all,
        format!("The file {path} has been updated. All occurrences were successfully replaced.")
    );
    assert_eq!(table.text("a.txt"), "oNe\n2\n");
    let written = table
        .works("Write", json!({ "file_path": path, "content": "new\n" }))
        .await;
    assert_eq!(written, format!("The file {path} has been updated successfully."));
    let new = table.path("deep/er/b.txt");
    let made = table
        .works("Write", json!({ "file_path": new, "content": "b" }))
        .await;
    assert_eq!(made, format!("File created successfully at: {new}"));
    assert_eq!(table.text("deep/er/b.txt"), "b");
}

#[tokio::test]
async fn a_change_behind_the_back_of_a_session_is_no_ground_for_an_edit() {
    let table = Setup::new(OPEN).file("a.txt", "one\n").start();
    let path = table.path("a.txt");
    table.works("Read", json!({ "file_path": path })).await;
    fs::write(&path, "other one\n").expect("changed");
    let said = table
        .fails(
            "Edit",
            json!({ "file_path": path, "old_string": "one", "new_string": "1" }),
        )
        .await;
    assert!(said.contains("has changed since it was read"), "{said}");
    assert_eq!(table.text("a.txt"), "other one\n");
}

#[tokio::test]
async fn a_cell_of_a_notebook_is_changed_and_the_rest_stays() {
    let notebook = r#"{"cells":[{"cell_type":"code","execution_count":null,"metadata":{},"outputs":[],"source":["1+1"]}],"metadata":{"x":1},"nbformat":4,"nbformat_minor":5}"#;
    let table = Setup::new(OPEN).file("n.ipynb", notebook).start();
    let path = table.path("n.ipynb");
    table.works("Read", json!({ "file_path": path })).await;
    let said = table
        .works(
            "NotebookEdit",
            json!({ "notebook_path": path, "command": "replace", "cell_number": "0", "new_source": "2+2" }),
        )
        .await;
    assert_eq!(said, format!("Updated cell 0 of {path}."));
    let now: Json = serde_json::from_str(&table.text("n.ipynb")).expect("JSON");
    assert!(now["cells"][0]["source"].to_string().contains("2+2"));
    assert_eq!(now["metadata"], json!({ "x": 1 }));
    let said = table
        .works(
            "NotebookEdit",
            json!({ "notebook_path": path, "command": "insert", "cell_number": 1, "cell_type": "markdown", "new_source": "# t" }),
        )
        .await;
    assert_eq!(said, format!("Inserted cell 1 of {path}."));
    let said = table
        .works(
            "NotebookEdit",
            json!({ "notebook_path": path, "command": "delete", "cell_number": 0 }),
        )
        .await;
    assert_eq!(said, format!("Deleted cell 0 of {path}."));
}

#[tokio::test]
async fn searches_answer_with_names_lines_and_counts() {
    let table = Setup::new(OPEN)
        .file("src/a.rs", "fn main() {}\n// main\n")
        .file("src/b.txt", "nothing\n")
        .start();
    assert_eq!(
        table.works("Glob", json!({ "pattern": "**/*.rs" })).await,
        "src/a.rs"
    );
    assert_eq!(
        table.works("Glob", json!({ "pattern": "*.zig" })).await,
        "No files found"
    );
    assert_eq!(
        table.works("Grep", json!({ "pattern": "main" })).await,
        "Found 1 file\nsrc/a.rs"
    );
    assert_eq!(
        table
            .works(
                "Grep",
                json!({ "pattern": "main", "output_mode": "content", "path": "src" })
            )
            .await,
        "src/a.rs:1:fn main() {}\nsrc/a.rs:2:// main"
    );
    let counts = table
        .works("Grep", json!({ "pattern": "main", "output_mode": "count" }))
        .await;
    assert!(
        counts.contains("src/a.rs:2") && counts.contains("Found 2 total occurrences across 1 file"),
        "{counts}"
    );
    let wrong = table.fails("Grep", json!({ "pattern": "(" })).await;
    assert!(wrong.contains('('), "{wrong}");
}

#[tokio::test]
async fn a_deferred_tool_is_found_and_its_schema_comes_along() {
    let table = Setup::new(OPEN).start();
    let hint = table.fails("NotebookEdit", json!({ "path": "x" })).await;
    assert!(hint.contains("select:NotebookEdit"), "{hint}");
    let found = table
        .works("ToolSearch", json!({ "query": "select:NotebookEdit" }))
        .await;
    assert!(found.starts_with("<functions>\n<function>{"), "{found}");
    assert!(found.contains("\"notebook_path\""), "{found}");
    let known = table.fails("NotebookEdit", json!({ "path": "x" })).await;
    assert!(!known.contains("select:"), "{known}");
    let none = table
        .works("ToolSearch", json!({ "query": "select:Nothing" }))
        .await;
    assert_eq!(none, "No matching deferred tools found: Nothing");
}

#[tokio::test]
async fn a_todo_list_is_replaced_as_a_whole() {
    let table = Setup::new(OPEN).start();
    let todo = |status: &str| json!({ "todos": [{ "content": "Run it", "status": status, "activeForm": "Running it" }] });
    let said = table.works("TodoWrite", todo("pending")).await;
    assert_eq!(
        said,
        "Todos have been modified successfully. Ensure that you continue to use the todo list to track your progress. Please proceed with the current tasks if applicable"
    );
    let kept = fs::read_to_string(table.root().join("state/session/todos.json")).expect("kept");
    assert!(kept.contains("Run it"));
    table.works("TodoWrite", todo("completed")).await;
    let kept = fs::read_to_string(table.root().join("state/session/todos.json")).expect("kept");
    assert!(!kept.contains("Run it"), "a list that is done is gone: {kept}");
    let wrong = table.fails("TodoWrite", todo("done")).await;
    assert!(
        wrong.contains("status") && wrong.contains("in_progress"),
        "{wrong}"
    );
}

#[tokio::test]
async fn tasks_are_made_listed_related_and_deleted() {
    let table = Setup::new(OPEN).start();
    assert_eq!(table.works("TaskList", json!({})).await, "No tasks found");
    for (number, subject) in [(1, "Write it"), (2, "Test it")] {
        assert_eq!(
            table
                .works("TaskCreate", json!({ "subject": subject, "description": "soon" }))
                .await,
            format!("Task #{number} created successfully: {subject}")
        );
    }
    assert_eq!(
        table
            .works(
                "TaskUpdate",
                json!({ "taskId": "2", "blockedBy": ["1"], "owner": "me" })
            )
            .await,
        "Updated task #2 owner, blockedBy"
    );
    assert_eq!(
        table.works("TaskList", json!({})).await,
        "#1 [pending] Write it\n#2 [pending] Test it (me) [blocked by #1]"
    );
    assert_eq!(
        table.works("TaskGet", json!({ "taskId": "1" })).await,
        "Task #1: Write it\nStatus: pending\nDescription: soon\nBlocks: #2"
    );
    assert_eq!(
        table
            .works("TaskUpdate", json!({ "taskId": "1", "status": "completed" }))
            .await,
        "Updated task #1 status"
    );
    assert_eq!(
        table.works("TaskList", json!({})).await,
        "#1 [completed] Write it\n#2 [pending] Test it (me)"
    );
    assert_eq!(
        table
            .works("TaskUpdate", json!({ "taskId": "1", "status": "deleted" }))
            .await,
        "Deleted task #1"
    );
    assert_eq!(
        table.works("TaskGet", json!({ "taskId": "1" })).await,
        "Task not found"
    );
    // Numbers are never used twice.
    assert_eq!(
        table.works("TaskCreate", json!({ "subject": "Again" })).await,
        "Task #3 created successfully: Again"
    );
}

#[tokio::test]
async fn settings_are_read_and_set_and_permissions_are_none() {
    let table = Setup::new(OPEN).start();
    assert_eq!(
        table.works("Config", json!({ "setting": "theme" })).await,
        "theme = null"
    );
    assert_eq!(
        table
            .works("Config", json!({ "setting": "theme", "value": "dark" }))
            .await,
        "Set theme to \"dark\""
    );
    assert_eq!(
        table.works("Config", json!({ "setting": "theme" })).await,
        "theme = \"dark\""
    );
    assert_eq!(
        table
            .fails("Config", json!({ "setting": "verbose", "value": "loud" }))
            .await,
        "verbose requires true or false."
    );
    assert_eq!(
        table
            .works("Config", json!({ "setting": "verbose", "value": "true" }))
            .await,
        "Set verbose to true"
    );
    table
        .works("Config", json!({ "setting": "model", "value": "m-2" }))
        .await;
    assert_eq!(table.session.context().model.as_deref(), Some("m-2"));
    let refused = table
        .fails("Config", json!({ "setting": "permissions", "value": "bypass" }))
        .await;
    assert!(
        refused.contains("setting") && refused.contains("theme"),
        "{refused}"
    );
}

#[tokio::test]
async fn schedules_are_kept_for_a_session_or_on_disk() {
    let table = Setup::new(OPEN).start();
    assert_eq!(table.works("CronList", json!({})).await, "No scheduled jobs.");
    assert_eq!(
        table
            .works("CronCreate", json!({ "cron": "*/5 * * * *", "prompt": "look" }))
            .await,
        "Scheduled recurring job 1 (*/5 * * * *). Session-only (not written to disk, dies when the session ends). Use CronDelete to cancel it."
    );
    assert_eq!(
        table
            .works(
                "CronCreate",
                json!({ "cron": "0 9 1 1 *", "prompt": "cheer", "recurring": "false", "durable": true })
            )
            .await,
        "Scheduled one-shot job 2 (0 9 1 1 *). Persisted to disk. Use CronDelete to cancel sooner."
    );
    assert_eq!(
        table.works("CronList", json!({})).await,
        "1 — */5 * * * * (recurring) [session-only]: look\n2 — 0 9 1 1 * (one-shot): cheer"
    );
    assert_eq!(
        table.works("CronDelete", json!({ "id": "1" })).await,
        "Cancelled job 1."
    );
    assert_eq!(
        table.fails("CronDelete", json!({ "id": "1" })).await,
        "No scheduled job with id '1'"
    );
    let wrong = table
        .fails("CronCreate", json!({ "cron": "every day", "prompt": "x" }))
        .await;
    assert!(wrong.contains("cron"), "{wrong}");
}

#[tokio::test]
async fn questions_reach_the_person_and_answers_the_model() {
    let table = Setup::new(OPEN).replies(json!({ "Which?": "B" })).start();
    let option = |label: &str| json!({ "label": label, "description": "" });
    let ask = json!({ "questions": [
        { "question": "Which?", "header": "Choice", "options": [option("A"), option("B")] }
    ]});
    assert_eq!(
        table.works("AskUserQuestion", ask).await,
        "User has answered your questions: \"Which?\"=\"B\". You can now continue with the user's answers in mind."
    );
    let one = json!({ "questions": [{ "question": "Which?", "header": "C", "options": [option("A")] }] });
    let wrong = table.fails("AskUserQuestion", one).await;
    assert!(wrong.contains("options"), "{wrong}");
    let table = Setup::new(OPEN).start();
    let ask = json!({ "questions": [
        { "question": "Which?", "header": "Choice", "options": [option("A"), option("B")] }
    ]});
    let declined = table.fails("AskUserQuestion", ask).await;
    assert!(declined.contains("did not answer"), "{declined}");
}

#[tokio::test]
async fn a_brief_is_shown_to_the_person() {
    let table = Setup::new(OPEN).start();
    assert_eq!(
        table.works("Brief", json!({ "message": "half done" })).await,
        "Message delivered to user."
    );
    assert_eq!(*table.person.shown.lock().expect("shown"), ["half done"]);
}

#[tokio::test]
async fn plan_mode_really_changes_what_is_decided() {
    let table = Setup::new(OPEN).replies(json!("first")).start();
    let entered = table.works("EnterPlanMode", json!({})).await;
    assert!(entered.starts_with("Entered plan mode."), "{entered}");
    assert_eq!(table.session.context().mode, Mode::Plan);
    let (path, new) = (table.path("new.txt"), table.path("other.txt"));
    table
        .fails("Write", json!({ "file_path": path, "content": "x" }))
        .await;
    table
        .fails("Bash", json!({ "command": format!("touch {path}") }))
        .await;
    assert!(!table.project().join("new.txt").exists());
    let left = table.works("ExitPlanMode", json!({ "plan": "Do it" })).await;
    assert_eq!(
        left,
        "User has approved your plan. You can now start coding. Start with updating your todo list if applicable\n\n## Approved Plan:\nDo it"
    );
    assert_eq!(table.session.context().mode, Mode::Default);
    table
        .works("Write", json!({ "file_path": new, "content": "x" }))
        .await;
}

#[tokio::test]
async fn a_session_that_starts_in_plan_mode_can_leave_it() {
    let table = Setup::new(OPEN).mode(Mode::Plan).replies(json!("first")).start();
    let path = table.path("new.txt");
    table
        .fails("Write", json!({ "file_path": path, "content": "x" }))
        .await;
    table.works("ExitPlanMode", json!({ "plan": "Do it" })).await;
    assert_eq!(table.session.context().mode, Mode::Default);
    table
        .works("Write", json!({ "file_path": path, "content": "x" }))
        .await;
}

#[tokio::test]
async fn a_plan_that_is_not_approved_keeps_the_mode() {
    let table = Setup::new(OPEN)
        .mode(Mode::Plan)
        .replies(json!({ "Do it": "not yet, look at the tests" }))
        .start();
    assert_eq!(
        table.fails("ExitPlanMode", json!({ "plan": "Do it" })).await,
        "The person wants to keep planning: not yet, look at the tests"
    );
    assert_eq!(table.session.context().mode, Mode::Plan);
}

#[tokio::test]
async fn plan_mode_leads_back_to_the_mode_before_it() {
    let table = Setup::new(OPEN)
        .mode(Mode::AcceptEdits)
        .replies(json!("first"))
        .start();
    table.works("EnterPlanMode", json!({})).await;
    table.works("ExitPlanMode", json!({ "plan": "Do it" })).await;
    assert_eq!(table.session.context().mode, Mode::AcceptEdits);
}

#[tokio::test]
async fn a_directory_of_bash_lasts_and_leaving_the_project_resets_it() {
    let table = Setup::new(OPEN).file("sub/x", "").start();
    table.works("Bash", json!({ "command": "cd sub" })).await;
    assert_eq!(
        table.works("Bash", json!({ "command": "pwd" })).await,
        table.path("sub")
    );
    assert_eq!(table.works("Glob", json!({ "pattern": "x" })).await, "x");
    let left = table.works("Bash", json!({ "command": "cd /" })).await;
    assert_eq!(
        left.trim(),
        format!("Shell cwd was reset to {}", table.project().display())
    );
    assert_eq!(
        table.session.context().cwd,
        table.project().to_str().expect("text")
    );
    let results = table
        .message(&[("Bash", json!({ "command": "echo out; echo err >&2; exit 3" }))])
        .await;
    assert_eq!(text_of(&results[0]), "Exit code 3\nout\nerr");
}
