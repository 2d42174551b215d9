//! What a person who is asked is shown of a change to a file, and that it is what is then done.

use engine_runtime::Permit;
use serde_json::json;

use super::support::{ASKS, Answer, OPEN, Setup, Table};

/// Reading is allowed, so that the only questions are about changes.
fn asks() -> String {
    ASKS.replace("read \"ask\"", "read \"allow\"")
}

fn asked(table: &Table) -> Vec<Permit> {
    table.person.asked.lock().expect("asked").clone()
}

#[tokio::test]
async fn a_new_file_is_shown_as_it_will_be_written_secrets_included() {
    let table = Setup::new(&asks()).says(&[Answer::Yes]).start();
    let path = table.path("new.env");
    table
        .works(
            "Write",
            json!({ "file_path": path, "content": "A=1\nTOKEN=hunter2\n" }),
        )
        .await;
    assert_eq!(
        asked(&table)[0].diff,
        format!("--- /dev/null\n+++ {path}\n@@ -0,0 +1,2 @@\n+A=1\n+TOKEN=hunter2\n")
    );
    assert_eq!(table.text("new.env"), "A=1\nTOKEN=hunter2\n");
}

#[tokio::test]
async fn an_edit_a_whole_file_and_a_cell_are_shown_with_what_they_replace() {
    let notebook = r#"{"cells":[{"cell_type":"code","metadata":{},"outputs":[],"execution_count":null,"source":["print(1)"]}],"metadata":{},"nbformat":4,"nbformat_minor":4}"#;
    let table = Setup::new(&asks())
        .file("a.txt", "one\ntwo\nthree\n")
        .file("n.ipynb", notebook)
        .says(&[Answer::Yes, Answer::Yes, Answer::Yes])
        .start();
    let path = table.path("a.txt");
    table.works("Read", json!({ "file_path": path })).await;
    table
        .works(
            "Edit",
            json!({ "file_path": path, "old_string": "two", "new_string": "2" }),
        )
        .await;
    table
        .works("Write", json!({ "file_path": path, "content": "all new\n" }))
        .await;
    let cells = table.path("n.ipynb");
    table.works("Read", json!({ "file_path": cells })).await;
    table
        .works(
            "NotebookEdit",
            json!({ "notebook_path": cells, "command": "replace", "cell_number": 0, "new_source": "print(2)" }),
        )
        .await;
    let asked = asked(&table);
    assert_eq!(
        asked[0].diff,
        format!("--- {path}\n+++ {path}\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n")
    );
    assert!(
        asked[1].diff.contains("-one\n-2\n-three\n+all new\n"),
        "{:?}",
        asked[1]
    );
    assert!(
        asked[2].diff.contains("print(1)") && asked[2].diff.contains("print(2)"),
        "{:?}",
        asked[2]
    );
}

#[tokio::test]
async fn a_tool_of_another_name_is_shown_by_what_it_is_declared_to_do() {
    let tools = r#"
tool "Put" {
    about "Puts a text somewhere"
    handler "file.write"
    input strict=#true {
        path "file_path" required=#true { writes; }
        string "content" required=#true
    }
}
tool "Note" {
    about "Keeps a note"
    input strict=#true { string "text" required=#true; }
    body {
        write "done" path="note.txt" content="{{ input.text }}"
        return "kept"
    }
}
"#;
    let table = Setup::new(&asks())
        .tools(tools)
        .says(&[Answer::Yes, Answer::Yes])
        .start();
    let path = table.path("put.txt");
    table
        .works("Put", json!({ "file_path": path, "content": "put\n" }))
        .await;
    table.works("Note", json!({ "text": "noted" })).await;
    let asked = asked(&table);
    assert!(asked[0].diff.contains("\n+put\n"), "{:?}", asked[0]);
    assert_eq!(asked[1].tool, "Note");
    assert!(asked[1].diff.contains("\n+noted\n"), "{:?}", asked[1]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_shown_is_what_is_done_or_nothing_is() {
    let table = Setup::new(&asks())
        .file("a.txt", "one\ntwo\n")
        .says(&[Answer::Later, Answer::Later])
        .start();
    let path = table.path("a.txt");
    table.works("Read", json!({ "file_path": path })).await;
    let behind = std::path::PathBuf::from(&path);
    let meanwhile = std::thread::spawn(move || {
        std::thread::sleep(std::time::Duration::from_millis(150));
        std::fs::write(behind, "one\ntwo\nthree\n").expect("a file");
    });
    let said = table
        .fails(
            "Edit",
            json!({ "file_path": path, "old_string": "two", "new_string": "2" }),
        )
        .await;
    meanwhile.join().expect("an end");
    assert!(said.contains("a.txt"), "{said}");
    assert_eq!(table.text("a.txt"), "one\ntwo\nthree\n");
    assert!(asked(&table)[0].diff.contains("-two\n+2\n"));
    // A file that was not there when the person was shown a new one.
    let fresh = table.path("b.txt");
    let behind = std::path::PathBuf::from(&fresh);
    let meanwhile = std::thread::spawn(move || {
        std::thread::sleep(std::time::Duration::from_millis(150));
        std::fs::write(behind, "somebody's\n").expect("a file");
    });
    table
        .fails("Write", json!({ "file_path": fresh, "content": "mine\n" }))
        .await;
    meanwhile.join().expect("an end");
    assert_eq!(table.text("b.txt"), "somebody's\n");
}

#[tokio::test]
async fn a_change_that_cannot_be_made_is_asked_about_with_the_reason() {
    let table = Setup::new(&asks())
        .file("a.txt", "one\n")
        .says(&[Answer::Yes])
        .start();
    let path = table.path("a.txt");
    // It was not read before.
    table
        .fails(
            "Edit",
            json!({ "file_path": path, "old_string": "one", "new_string": "1" }),
        )
        .await;
    let diff = asked(&table)[0].diff.clone();
    assert!(
        diff.starts_with("[what it would change cannot be shown: ") && diff.contains("read"),
        "{diff}"
    );
    assert_eq!(table.text("a.txt"), "one\n");
}

#[tokio::test]
async fn a_long_change_is_shown_by_its_beginning_and_a_command_by_none() {
    let table = Setup::new(&asks()).says(&[Answer::Yes, Answer::Yes]).start();
    let content = "line\n".repeat(50_000);
    table
        .works(
            "Write",
            json!({ "file_path": table.path("long.txt"), "content": content }),
        )
        .await;
    table.works("Bash", json!({ "command": "touch x" })).await;
    let asked = asked(&table);
    assert!(
        asked[0].diff.lines().count() <= 201,
        "{}",
        asked[0].diff.lines().count()
    );
    assert!(
        asked[0].diff.contains("in all 50000 are added and 0 taken out"),
        "{}",
        asked[0].diff
    );
    assert_eq!(asked[1].diff, "");
}

#[tokio::test]
async fn what_nobody_asks_about_is_done_without_a_look_at_it() {
    let table = Setup::new(OPEN).start();
    table
        .works(
            "Write",
            json!({ "file_path": table.path("a.txt"), "content": "x" }),
        )
        .await;
    assert!(asked(&table).is_empty());
    assert_eq!(table.text("a.txt"), "x");
}
