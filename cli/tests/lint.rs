//! `engine lint` from outside: what it finds, its exit codes, and that mending a file is safe.
#![expect(clippy::expect_used, reason = "helpers of tests fail as tests do")]
#![expect(clippy::disallowed_methods, reason = "the binary is run as a person runs it")]

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

use serde_json::{Value as Json, json};

/// Standard output and exit code.
fn run(folder: &Path, words: &[&str]) -> (String, i32) {
    let output = Command::new(env!("CARGO_BIN_EXE_engine"))
        .args(words)
        .current_dir(folder)
        .env_clear()
        .env("HOME", folder.join("home"))
        .output()
        .expect("the binary");
    let text = String::from_utf8(output.stdout).expect("text");
    (text, output.status.code().expect("a code"))
}

/// A folder with files in it.
fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        fs::write(path, text).expect("a file");
    }
    folder
}

fn codes(text: &str) -> Vec<(String, String)> {
    let json: Json = serde_json::from_str(text).expect("JSON");
    let at = |value: &Json, place: &str| {
        let text = value.pointer(place).and_then(Json::as_str);
        text.expect("a text").to_owned()
    };
    json.get("findings")
        .and_then(Json::as_array)
        .expect("findings")
        .iter()
        .map(|finding| (at(finding, "/code"), at(finding, "/places/0/file")))
        .collect()
}

const TWICE: &str = "ask \"a\" {\n    command \"git push ...\"\n    command \"git push ...\"\n}\ntests { ask \"git push\" rule=\"a\" }\n";

#[test]
fn warnings_count_only_where_they_are_told_to() {
    let folder = folder(&[
        ("twice.kdl", TWICE),
        (
            "fine.kdl",
            "ask { command \"git push ...\" }\ntests { ask \"git push\" }\n",
        ),
    ]);
    assert_eq!(run(folder.path(), &["lint", "twice.kdl"]).1, 0);
    assert_eq!(run(folder.path(), &["lint", "twice.kdl", "--deny-warnings"]).1, 1);
    assert_eq!(
        run(folder.path(), &["lint", "fine.kdl", "--deny-warnings"]),
        ("fine.kdl: nothing wrong\n".to_owned(), 0)
    );
    let (_, code) = run(folder.path(), &["lint", "none.kdl"]);
    assert_eq!(code, 3);
}

#[test]
fn errors_fail_without_being_told_to() {
    let folder = folder(&[("bidi.kdl", "// \u{200b}\nask { command \"git push ...\" }\n")]);
    assert_eq!(run(folder.path(), &["lint", "bidi.kdl"]).1, 1);
}

#[test]
fn one_broken_file_keeps_no_other_from_being_linted() {
    let broken = "deny because=\"x\" { comand \"x\"; command \"git push\" { flag \"-f\" } }\n";
    let folder = folder(&[("broken.kdl", broken), ("twice.kdl", TWICE)]);
    let (text, code) = run(
        folder.path(),
        &["lint", "broken.kdl", "twice.kdl", "--quiet", "--format", "json"],
    );
    assert_eq!(code, 3);
    let at = |code: &str, file: &str| (code.to_owned(), file.to_owned());
    assert_eq!(
        codes(&text),
        [
            at("policy::unknown-name", "broken.kdl"),
            at("lint::never-matches", "broken.kdl"),
            at("lint::duplicate", "twice.kdl"),
        ]
    );
}

#[test]
fn the_policies_of_a_project_are_linted_together() {
    let folder = folder(&[
        (
            ".engine/policy.kdl",
            "deny because=\"x\" { command \"git push ...\" }\ntests { deny \"git push\" }\n",
        ),
        (
            ".engine/policy.local.kdl",
            "allow { command \"git push origin\" }\ntests { deny \"git push origin\" }\n",
        ),
    ]);
    let (text, code) = run(folder.path(), &["lint", "--quiet", "--format", "json"]);
    let found = codes(&text);
    assert_eq!(code, 0, "{text}");
    let [(lint, file)] = found.as_slice() else {
        panic!("{found:?}")
    };
    assert_eq!(lint, "lint::shadowed");
    assert!(file.ends_with(".engine/policy.local.kdl"), "{file}");
}

#[test]
fn mending_keeps_permissions_and_links_and_is_done_once() {
    let folder = folder(&[("real.kdl", TWICE)]);
    let real = folder.path().join("real.kdl");
    fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).expect("permissions");
    std::os::unix::fs::symlink("real.kdl", folder.path().join("link.kdl")).expect("a link");
    let (text, code) = run(folder.path(), &["lint", "--fix", "link.kdl"]);
    assert_eq!(
        (text.as_str(), code),
        ("link.kdl: 1 fix made\nlink.kdl: nothing wrong\n", 0)
    );
    let mended = "ask \"a\" {\n    command \"git push ...\"\n}\ntests { ask \"git push\" rule=\"a\" }\n";
    assert_eq!(fs::read_to_string(&real).expect("the file"), mended);
    assert_eq!(
        fs::metadata(&real).expect("the file").permissions().mode() & 0o777,
        0o640
    );
    assert!(
        folder
            .path()
            .join("link.kdl")
            .symlink_metadata()
            .expect("the link")
            .is_symlink()
    );
    assert_eq!(fs::read_dir(folder.path()).expect("the folder").count(), 2);
    let (text, _) = run(folder.path(), &["lint", "--fix", "link.kdl"]);
    assert_eq!(text, "link.kdl: nothing wrong\n");
}

#[test]
fn a_dry_run_shows_the_lines_and_writes_nothing() {
    let folder = folder(&[("twice.kdl", TWICE)]);
    let (text, code) = run(folder.path(), &["lint", "--fix", "--dry-run", "twice.kdl"]);
    let shown = "--- twice.kdl\n+++ twice.kdl fixed\n@@ -1,5 +1,4 @@\n ask \"a\" {\n     command \"git push ...\"\n-    command \"git push ...\"\n }\n tests { ask \"git push\" rule=\"a\" }\n";
    assert_eq!((text.as_str(), code), (shown, 0));
    assert_eq!(
        fs::read_to_string(folder.path().join("twice.kdl")).expect("the file"),
        TWICE
    );
    let (text, _) = run(
        folder.path(),
        &["lint", "--fix", "--dry-run", "twice.kdl", "--format", "json"],
    );
    let json: Json = serde_json::from_str(&text).expect("JSON");
    assert_eq!(json["fixed"][0]["fixes"], json!(1));
    assert_eq!(json["fixed"][0]["written"], json!(false));
}

#[test]
fn what_cannot_be_written_or_read_is_left_as_it_is() {
    let folder = folder(&[
        ("locked.kdl", TWICE),
        ("broken.kdl", "ask { command \"a\" \"a\"; comand \"x\" }\n"),
    ]);
    let locked = folder.path().join("locked.kdl");
    fs::set_permissions(&locked, fs::Permissions::from_mode(0o444)).expect("permissions");
    let (_, code) = run(folder.path(), &["lint", "--fix", "locked.kdl"]);
    assert_eq!(code, 74);
    assert_eq!(fs::read_to_string(&locked).expect("the file"), TWICE);
    let (_, code) = run(folder.path(), &["lint", "--fix", "broken.kdl"]);
    assert_eq!(code, 3);
    assert_eq!(
        fs::read_to_string(folder.path().join("broken.kdl")).expect("the file"),
        "ask { command \"a\" \"a\"; comand \"x\" }\n"
    );
}

#[test]
fn a_page_is_printed_by_name_and_by_code() {
    let folder = folder(&[]);
    let (page, code) = run(folder.path(), &["lint", "--explain", "lint::shadowed"]);
    assert!(page.starts_with("# lint::shadowed\n"), "{page}");
    assert_eq!(code, 0);
    assert_eq!(run(folder.path(), &["lint", "--explain", "shadowed"]).0, page);
    assert_eq!(run(folder.path(), &["lint", "--explain", "shadow"]).1, 64);
}

#[test]
fn the_list_names_every_lint_with_its_level() {
    let folder = folder(&[]);
    let (list, code) = run(folder.path(), &["lint", "--list"]);
    assert_eq!(code, 0);
    assert!(
        list.lines()
            .any(|line| line.starts_with("evadable-deny ") && line.contains(" warning ")),
        "{list}"
    );
    let (json, _) = run(folder.path(), &["lint", "--list", "--format", "json"]);
    let json: Json = serde_json::from_str(&json).expect("JSON");
    assert_eq!(
        json["lints"].as_array().expect("lints").len(),
        list.lines().count()
    );
}
