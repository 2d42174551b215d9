//! `engine commands` and the tests of definitions, end to end.
#![expect(clippy::expect_used, reason = "helpers of tests fail as tests do")]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value as Json;

/// Runs the binary where no policy of the person who runs the tests is found.
#[expect(clippy::disallowed_methods, reason = "an end-to-end test runs the binary")]
fn engine(folder: &Path, words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_engine"))
        .args(words)
        .current_dir(folder)
        .env("HOME", folder)
        .env_remove("XDG_CONFIG_HOME")
        .env_remove("XDG_CACHE_HOME")
        .output()
        .expect("the binary")
}

fn shown(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn complaint(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn json(folder: &Path, words: &[&str]) -> Json {
    let output = engine(folder, &[&["commands", "--format", "json"], words].concat());
    assert_eq!(output.status.code(), Some(0), "{}", complaint(&output));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

fn fixture(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../fixtures/definitions")
        .join(name);
    path.canonicalize()
        .expect("a fixture")
        .to_str()
        .expect("a name")
        .to_owned()
}

/// A folder with a policy that brings definitions along.
fn project(commands: &[&str]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let named: Vec<String> = commands
        .iter()
        .map(|name| format!("{:?}", fixture(name)))
        .collect();
    let policy = format!("policy \"p\" {{\n    commands {}\n}}\n", named.join(" "));
    fs::write(folder.path().join("policy.kdl"), policy).expect("a file");
    folder
}

#[test]
fn the_table_lists_every_program_once_and_counts() {
    let folder = tempfile::tempdir().expect("a folder");
    let all = json(folder.path(), &[]);
    let rows = all["definitions"].as_array().expect("rows");
    assert!(rows.len() > 300);
    assert_eq!(all["counts"]["definitions"], rows.len());
    let grep = rows.iter().find(|row| row["name"] == "grep").expect("grep");
    assert_eq!(grep["names"], serde_json::json!(["grep", "egrep", "fgrep"]));
    assert_eq!(grep["complete"], "yes");
    assert_eq!(grep["kind"], "shipped");
    assert_eq!(grep["file"], "tooldefs/commands/grep.kdl");
    let text = shown(&engine(folder.path(), &["commands"]));
    assert_eq!(text.lines().count(), rows.len() + 3);
    assert!(text.lines().last().expect("a line").contains("definitions of"));
}

#[test]
fn a_program_is_told_with_effects_examples_and_its_place() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = shown(&engine(folder.path(), &["commands", "grep"]));
    for part in [
        "read against GNU grep 3.8 manual",
        "tooldefs/commands/grep.kdl:1 (shipped)",
        "-f --file <file>  `file` is read",
        "1  no match (no failure)",
    ] {
        assert!(text.contains(part), "{part} in\n{text}");
    }
    let timeout = json(folder.path(), &["timeout"]);
    let timeout = &timeout["commands"][0];
    assert_eq!(timeout["wrapper"], true);
    assert_eq!(timeout["examples"][0]["claim"], "runs");
    let curl = json(folder.path(), &["curl"]);
    assert_eq!(curl["commands"][0]["network"], true);
}

#[test]
fn words_behind_a_program_are_its_subcommands() {
    let folder = tempfile::tempdir().expect("a folder");
    let all = json(folder.path(), &["git", "commit", "ls", "git remote"]);
    let names: Vec<&str> = all["commands"]
        .as_array()
        .expect("commands")
        .iter()
        .map(|one| one["command"].as_str().expect("a name"))
        .collect();
    assert_eq!(names, ["git commit", "ls", "git remote"]);
}

#[test]
fn an_unknown_name_fails_with_the_nearest() {
    let folder = tempfile::tempdir().expect("a folder");
    let output = engine(folder.path(), &["commands", "gerp", "git", "comit", "cat"]);
    assert_eq!(output.status.code(), Some(64));
    let complaint = complaint(&output);
    assert!(complaint.contains("did you mean `grep`?"), "{complaint}");
    assert!(complaint.contains("subcommand of `git`"), "{complaint}");
    assert!(complaint.contains("did you mean `commit`?"), "{complaint}");
    assert!(shown(&output).starts_with("cat  "), "{}", shown(&output));
}

#[test]
fn what_a_policy_brings_along_is_marked() {
    let folder = project(&["ok/team.kdl", "ok/replaces.kdl", "ok/specification.usage.kdl"]);
    let of = |words: &[&str]| json(folder.path(), &[&["--policy", "policy.kdl"], words].concat());
    let all = of(&[]);
    assert_eq!(all["counts"]["policy"], 2);
    assert_eq!(all["counts"]["published"], 1);
    // The shipped definition is not shown where another takes its place for all its names.
    let greps = all["definitions"].as_array().expect("rows");
    let kinds: Vec<&Json> = greps
        .iter()
        .filter(|row| row["name"] == "grep")
        .map(|row| &row["kind"])
        .collect();
    assert_eq!(kinds, ["policy", "shipped"]);
    let paint = of(&["dh", "paint"]);
    assert_eq!(paint["commands"][0]["kind"], "policy");
    assert_eq!(paint["commands"][0]["line"], 11);
    let show = of(&["deckhand", "s"]);
    assert_eq!(show["commands"][0]["about"], "Shows a file");
    let moved = of(&["harbour", "mv"]);
    assert_eq!(moved["commands"][0]["kind"], "published");
    assert_eq!(moved["commands"][0]["claims"], "write");
    assert_eq!(moved["commands"][0]["complete"], "no");
}

#[test]
fn mistakes_of_definitions_are_all_shown_and_nothing_else() {
    let folder = project(&["err/every-mistake.kdl"]);
    for words in [
        vec!["commands", "--policy", "policy.kdl"],
        vec!["check", "--policy", "policy.kdl"],
        vec!["test", "policy.kdl"],
    ] {
        let output = engine(folder.path(), &words);
        assert_eq!(output.status.code(), Some(3), "{words:?}");
        let text = format!("{}{}", complaint(&output), shown(&output));
        for part in [
            "sourc",
            "wrtes",
            "termnal",
            "flga",
            "raeds",
            "did you mean `source`?",
        ] {
            assert!(text.contains(part), "{part} of {words:?} in\n{text}");
        }
    }
}

#[test]
fn examples_of_definitions_run_with_a_policy_and_by_themselves() {
    let folder = project(&["ok/team.kdl"]);
    let output = engine(folder.path(), &["test", "policy.kdl", &fixture("ok/team.kdl")]);
    assert_eq!(output.status.code(), Some(0), "{}", complaint(&output));
    assert_eq!(
        shown(&output).matches("3 of 3 passed").count(),
        2,
        "{}",
        shown(&output)
    );
    let wrong = folder.path().join("wrong.kdl");
    let text = "// a tool\nbin \"oar\"\nsource \"oar 1\"\narg \"<file>\" { reads }\ncomplete\ntests {\n    reads \"oar a\" \"b\"\n    reads \"oar a\" \"a\"\n}\n";
    fs::write(&wrong, text).expect("a file");
    let output = engine(folder.path(), &["test", "wrong.kdl"]);
    assert_eq!(output.status.code(), Some(1));
    let text = format!("{}{}", shown(&output), complaint(&output));
    assert!(text.contains("wrong.kdl:7"), "{text}");
    assert!(text.contains("1 of 2 passed"), "{text}");
}
