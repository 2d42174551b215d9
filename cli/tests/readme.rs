//! What the README shows is so: its policy is right, its tests hold, its command gives its verdict.
#![expect(clippy::expect_used, reason = "helpers of tests fail as tests do")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn readme() -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../README.md")).expect("the README")
}

/// Runs the binary where no policy of the person who runs the tests is found.
#[expect(clippy::disallowed_methods, reason = "an end-to-end test runs the binary")]
fn engine(folder: &Path, words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_engine"))
        .args(words)
        .current_dir(folder)
        .env("HOME", folder.join("home"))
        .env_remove("XDG_CONFIG_HOME")
        .env_remove("XDG_CACHE_HOME")
        .output()
        .expect("the binary")
}

/// The policy of the README in a file of its own.
fn policy() -> (tempfile::TempDir, PathBuf) {
    let readme = readme();
    let (_, rest) = readme.split_once("```kdl\n").expect("a policy in the README");
    let (policy, _) = rest.split_once("```").expect("its end");
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("shop.kdl");
    fs::write(&path, policy).expect("a file");
    (folder, path)
}

fn shown(output: &Output) -> String {
    format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}

#[test]
fn the_tests_of_its_policy_hold() {
    let (folder, path) = policy();
    let output = engine(folder.path(), &["test", path.to_str().expect("a name")]);
    assert_eq!(output.status.code(), Some(0), "{}", shown(&output));
    assert!(shown(&output).contains("10 of 10 passed"), "{}", shown(&output));
}

#[test]
fn its_command_is_denied_and_told_what_to_do_instead() {
    let (folder, _path) = policy();
    let readme = readme();
    let line = readme
        .lines()
        .find(|line| line.starts_with("engine check --policy shop.kdl"))
        .expect("the command");
    let (_, command) = line.split_once('\'').expect("a quoted command");
    let output = engine(
        folder.path(),
        &["check", "--policy", "shop.kdl", command.trim_end_matches('\'')],
    );
    assert_eq!(output.status.code(), Some(2), "{}", shown(&output));
    let (_, rest) = readme.split_once("```text\n").expect("an answer in the README");
    let (answer, _) = rest.split_once("```").expect("its end");
    assert_eq!(without_places(&shown(&output)), without_places(answer));
}

/// The lines of an answer, without the places of the rules, which move when a policy is edited.
fn without_places(answer: &str) -> Vec<&str> {
    answer
        .lines()
        .map(|line| line.split(" (builtin:").next().unwrap_or(line))
        .collect()
}

#[test]
fn its_subcommands_exist() {
    let folder = tempfile::tempdir().expect("a folder");
    let readme = readme();
    let named: Vec<&str> = readme
        .split("`engine ")
        .skip(1)
        .filter_map(|rest| rest.split([' ', '`']).next())
        .collect();
    assert!(named.len() >= 5, "{named:?}");
    for name in named {
        let output = engine(folder.path(), &["help", name]);
        assert_eq!(output.status.code(), Some(0), "{name}: {}", shown(&output));
    }
}

#[test]
fn its_first_command_is_allowed() {
    let folder = tempfile::tempdir().expect("a folder");
    let output = engine(folder.path(), &["check", "git status"]);
    assert_eq!(output.status.code(), Some(0), "{}", shown(&output));
}

#[test]
fn its_exit_codes_are_those_that_help_lists() {
    let folder = tempfile::tempdir().expect("a folder");
    let help = shown(&engine(folder.path(), &["--help"]))
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    let readme = readme();
    let (_, table) = readme.split_once("| code | means |").expect("the table");
    let codes: Vec<&str> = table
        .lines()
        .skip(2)
        .map_while(|line| line.strip_prefix("| ")?.split_once(' '))
        .map(|(code, _)| code)
        .collect();
    assert!(codes.len() >= 5, "{codes:?}");
    for code in &codes {
        assert!(help.contains(&format!(" {code} ")), "{code} is not in {help}");
    }
}
