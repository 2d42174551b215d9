//! `engine` becomes `engine-run` for what needs tools, and only one that was built with it.

#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "tests run the program, and stop at what does not work"
)]

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;
use std::process::{Command, Output};

use tempfile::TempDir;

const ENGINE: &str = env!("CARGO_BIN_EXE_engine");
const ENGINE_RUN: &str = env!("CARGO_BIN_EXE_engine-run");

fn tools(program: &Path) -> Output {
    Command::new(program).args(["tools", "Read"]).output().unwrap()
}

fn complaint(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn a_link_to_engine_finds_what_lies_beside_the_program() {
    let elsewhere = TempDir::new().unwrap();
    let link = elsewhere.path().join("engine");
    symlink(ENGINE, &link).unwrap();
    let output = tools(&link);
    assert_eq!(output.status.code(), Some(0), "{}", complaint(&output));
    assert!(String::from_utf8_lossy(&output.stdout).starts_with("Read\n"));
}

#[test]
fn an_engine_alone_says_what_is_missing() {
    let elsewhere = TempDir::new().unwrap();
    let alone = elsewhere.path().join("engine");
    fs::copy(ENGINE, &alone).unwrap();
    let output = tools(&alone);
    assert_eq!(output.status.code(), Some(74));
    let complaint = complaint(&output);
    assert!(
        complaint.contains("engine-run`, which carries out tools"),
        "{complaint}"
    );
    assert!(complaint.contains("cargo install --path cli"), "{complaint}");
}

#[test]
fn engine_run_is_started_by_engine_alone() {
    let output = tools(Path::new(ENGINE_RUN));
    assert_eq!(output.status.code(), Some(64));
    assert!(complaint(&output).contains("call that"), "{}", complaint(&output));
    assert!(output.stdout.is_empty());
}

#[test]
fn engine_run_of_another_build_refuses() {
    use std::os::unix::process::CommandExt as _;
    let output = Command::new(ENGINE_RUN)
        .arg0("engine-0.0.9-0123456789abcdef")
        .args(["tools", "Read"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(64));
    assert!(
        complaint(&output).contains("of another build"),
        "{}",
        complaint(&output)
    );
}

#[test]
fn the_exit_code_of_a_call_is_that_of_engine() {
    let home = TempDir::new().unwrap();
    let program = home.path().join("engine-run");
    fs::write(&program, "#!/bin/sh\nexit 41\n").unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let engine = home.path().join("engine");
    fs::copy(ENGINE, &engine).unwrap();
    assert_eq!(tools(&engine).status.code(), Some(41));
}
