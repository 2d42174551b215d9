//! Tools that a person brings along: declared, decided step by step, held to what they declare.

#![expect(
    clippy::expect_used,
    clippy::disallowed_methods,
    reason = "helpers of tests fail as tests do, and run the engine"
)]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

const TOOL: &str = r#"
tool "CountLines" {
    about "Count the lines of a file"
    input {
        path "file_path" required=#true { about "The file"; reads }
    }
    read-only
    body {
        run "counted" "wc" "-l" "--" "{{ input.file_path }}"
        return "{{ counted.stdout | trim }}"
    }
}
"#;

fn call(directory: &Path, definition: &str, asking: &str) -> Output {
    let project = directory.join("project");
    fs::create_dir_all(project.join(".git")).expect("a project");
    fs::write(project.join("a.txt"), "one\ntwo\n").expect("a file");
    let file = directory.join("own.kdl");
    fs::write(&file, definition).expect("a definition");
    Command::new(env!("CARGO_BIN_EXE_engine"))
        .args(["call", asking, "--tools"])
        .arg(&file)
        .args(["CountLines", r#"{"file_path": "a.txt"}"#])
        .current_dir(&project)
        .env("HOME", directory.join("home"))
        .env_remove("XDG_STATE_HOME")
        .env_remove("XDG_CONFIG_HOME")
        .output()
        .expect("the engine runs")
}

#[test]
fn a_tool_of_a_person_runs_its_steps() {
    let directory = tempfile::tempdir().expect("a directory");
    let output = call(directory.path(), TOOL, "--no-ask");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "2 a.txt\n");
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn a_tool_that_is_declared_read_only_cannot_delete_even_with_a_yes() {
    let directory = tempfile::tempdir().expect("a directory");
    let definition = TOOL.replace(r#""wc" "-l" "--""#, r#""rm" "--""#);
    let output = call(directory.path(), &definition, "--yes");
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(
        said.contains("`CountLines` is declared to change nothing"),
        "{said}"
    );
    assert!(directory.path().join("project/a.txt").exists());
}

#[test]
fn a_mistake_in_a_definition_stops_the_start() {
    let directory = tempfile::tempdir().expect("a directory");
    let definition = TOOL.replace("run \"counted\"", "runn \"counted\"");
    let output = call(directory.path(), &definition, "--no-ask");
    assert_eq!(output.status.code(), Some(3));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("own.kdl:9") && said.contains("run"), "{said}");
    assert_eq!(output.stdout, b"");
}
