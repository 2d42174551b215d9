//! `engine fmt` as a user meets it: files, links, permissions, exit codes.
#![expect(clippy::expect_used, reason = "helpers of tests fail as tests do")]

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;
use std::process::{Command, Stdio};

use tempfile::TempDir;

const UGLY: &str = "allow   {\n  read \"a\" // why\n\n\n  write \"b\" }";
const NEAT: &str = "allow {\n    read \"a\" // why\n\n    write \"b\"\n}\n";

fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().expect("a directory");
    for (name, text) in files {
        fs::write(folder.path().join(name), text).expect("a file");
    }
    folder
}

fn text(folder: &Path, name: &str) -> String {
    fs::read_to_string(folder.join(name)).expect("a file")
}

/// Exit code, standard output, standard error.
#[expect(clippy::disallowed_methods, reason = "an end-to-end test runs the binary")]
fn fmt(folder: &Path, arguments: &[&str], input: &str) -> (i32, String, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_engine"))
        .arg("fmt")
        .args(arguments)
        .current_dir(folder)
        .env("HOME", folder.join("home"))
        .env_remove("XDG_CONFIG_HOME")
        .env("NO_COLOR", "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the engine");
    let mut stdin = child.stdin.take().expect("its input");
    // A run that ends before it reads has closed its input; what it says is looked at all the same.
    let _closed = stdin.write_all(input.as_bytes());
    drop(stdin);
    let output = child.wait_with_output().expect("an end");
    let shown = |bytes| String::from_utf8(bytes).expect("text");
    (
        output.status.code().expect("a code"),
        shown(output.stdout),
        shown(output.stderr),
    )
}

#[test]
fn a_file_is_replaced_and_keeps_its_permissions() {
    let folder = folder(&[("a.kdl", UGLY), ("neat.kdl", NEAT)]);
    let root = folder.path();
    fs::set_permissions(root.join("a.kdl"), fs::Permissions::from_mode(0o640)).expect("set");
    let (code, out, err) = fmt(root, &["a.kdl", "neat.kdl"], "");
    assert_eq!((code, out.as_str(), err.as_str()), (0, "formatted a.kdl\n", ""));
    assert_eq!(text(root, "a.kdl"), NEAT);
    let mode = fs::metadata(root.join("a.kdl"))
        .expect("data")
        .permissions()
        .mode();
    assert_eq!(mode & 0o7777, 0o640);
    assert_eq!(
        fs::read_dir(root).expect("the folder").count(),
        2,
        "nothing is left behind"
    );
}

#[test]
fn a_link_stays_a_link() {
    let folder = folder(&[("real.kdl", UGLY)]);
    let root = folder.path();
    symlink("real.kdl", root.join("link.kdl")).expect("a link");
    assert_eq!(fmt(root, &["link.kdl"], "").0, 0);
    assert_eq!(text(root, "real.kdl"), NEAT);
    let data = root.join("link.kdl").symlink_metadata().expect("data");
    assert!(data.is_symlink());
}

#[test]
fn checking_and_showing_change_nothing() {
    let folder = folder(&[("a.kdl", UGLY), ("neat.kdl", NEAT)]);
    let root = folder.path();
    for (option, expected) in [("--check", 1), ("--diff", 0)] {
        let (code, out, _) = fmt(root, &[option, "a.kdl"], "");
        assert_eq!(code, expected);
        assert!(
            out.contains("-allow   {\n") && out.contains("+allow {\n"),
            "{out}"
        );
        assert_eq!(text(root, "a.kdl"), UGLY);
        assert_eq!(
            fmt(root, &[option, "neat.kdl"], ""),
            (0, String::new(), String::new())
        );
    }
}

#[test]
fn a_read_only_file_is_left_alone() {
    let folder = folder(&[("a.kdl", UGLY)]);
    let root = folder.path();
    fs::set_permissions(root.join("a.kdl"), fs::Permissions::from_mode(0o444)).expect("set");
    let (code, _, err) = fmt(root, &["a.kdl"], "");
    assert_eq!(code, 74);
    assert_eq!(err, "engine: cannot write `a.kdl`: it is read-only\n");
    assert_eq!(text(root, "a.kdl"), UGLY);
}

#[test]
fn what_would_change_is_told_in_every_format_of_results() {
    let ugly = NEAT.replace("    write", "  write");
    let folder = folder(&[
        ("a.kdl", ugly.as_str()),
        ("neat.kdl", NEAT),
        ("bad.kdl", "allow {\n  read (x\n}\n"),
    ]);
    let root = folder.path();
    let (code, out, err) = fmt(root, &["--check", "--format", "github", "a.kdl", "neat.kdl"], "");
    assert_eq!((code, err.as_str()), (1, ""));
    assert!(out.starts_with("::error file=a.kdl,line=4,endLine=4,"), "{out}");
    assert!(out.contains("title=fmt%3A%3Aunformatted::"), "{out}");
    assert_eq!(out.lines().count(), 1, "{out}");
    let (code, out, _) = fmt(root, &["--diff", "--format", "github", "a.kdl"], "");
    assert_eq!(code, 0);
    assert!(out.starts_with("::warning file=a.kdl,line=4,"), "{out}");
    let (code, out, err) = fmt(root, &["--check", "--format", "sarif", "a.kdl", "bad.kdl"], "");
    assert_eq!((code, err.as_str()), (3, ""));
    let sarif: serde_json::Value = serde_json::from_str(&out).expect("JSON");
    let rules: Vec<&str> = sarif["runs"][0]["results"]
        .as_array()
        .expect("results")
        .iter()
        .filter_map(|result| result["ruleId"].as_str())
        .collect();
    assert_eq!(rules, ["fmt::unformatted", "policy::syntax"]);
    let (code, out, _) = fmt(root, &["--check", "--format", "junit", "a.kdl"], "");
    assert_eq!(code, 1);
    assert!(out.contains("<failure"), "{out}");
    assert_eq!(text(root, "a.kdl"), ugly);
}

#[test]
fn files_with_mistakes_are_left_alone_and_the_others_are_formatted() {
    let bad = "allow {\n  read (x\n  write  \"\\q\"\n}\n";
    let folder = folder(&[("bad.kdl", bad), ("a.kdl", UGLY), ("bad.toml", "a = = 1\n")]);
    let root = folder.path();
    let (code, out, err) = fmt(root, &["bad.kdl", "a.kdl", "bad.toml", "none.kdl"], "");
    assert_eq!(code, 3);
    assert_eq!(out, "formatted a.kdl\n");
    assert!(
        err.contains("parenthesis") && err.contains("unknown escape"),
        "{err}"
    );
    assert!(
        err.contains("cannot read `none.kdl`: there is no such file"),
        "{err}"
    );
    assert_eq!(text(root, "bad.kdl"), bad);
    assert_eq!(text(root, "a.kdl"), NEAT);
}

#[test]
fn standard_input_is_printed() {
    let folder = folder(&[]);
    let root = folder.path();
    assert_eq!(fmt(root, &["-"], UGLY), (0, NEAT.to_owned(), String::new()));
    assert_eq!(fmt(root, &["-"], NEAT).1, NEAT);
    let toml = fmt(root, &["-", "--stdin-name", "x.toml"], "a=[ 1 ]");
    assert_eq!(toml, (0, "a = [1]\n".to_owned(), String::new()));
    assert_eq!(fmt(root, &["-", "--stdin-name", "x.yaml"], "a").0, 64);
    assert_eq!(fmt(root, &["-", "--check"], UGLY).0, 1);
}

#[test]
fn the_policies_found_are_formatted_when_none_is_named() {
    let folder = folder(&[]);
    let root = folder.path();
    fs::create_dir_all(root.join(".engine")).expect("a folder");
    fs::write(root.join(".engine/policy.kdl"), UGLY).expect("a file");
    let (code, out, _) = fmt(root, &[], "");
    assert_eq!(code, 0);
    assert!(out.ends_with(".engine/policy.kdl\n"), "{out}");
    assert_eq!(text(root, ".engine/policy.kdl"), NEAT);
}

#[test]
fn programs_get_a_line_for_each_file() {
    let folder = folder(&[("a.kdl", UGLY), ("bad.kdl", "a {")]);
    let (code, out, _) = fmt(
        folder.path(),
        &["--check", "--format", "json", "a.kdl", "bad.kdl"],
        "",
    );
    assert_eq!(code, 3);
    let lines: Vec<serde_json::Value> = out
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    assert_eq!(lines[0]["file"], "a.kdl");
    assert_eq!(lines[0]["changed"], true);
    assert!(lines[0]["diff"].as_str().expect("a diff").contains("+allow {"));
    assert_eq!(lines[1], serde_json::json!({ "file": "bad.kdl", "valid": false }));
}

#[test]
fn a_policy_is_said_in_the_other_spelling() {
    let folder = folder(&[
        ("a.kdl", "deny \"x\" { read \"a\" } // why\n"),
        ("bin.kdl", "bin \"x\"\n"),
    ]);
    let root = folder.path();
    let toml = "[[deny]] # why\nname = \"x\"\nread = \"a\"\n";
    let (code, out, err) = fmt(root, &["--to", "toml", "a.kdl"], "");
    assert_eq!((code, err.as_str()), (0, ""));
    assert_eq!(out, "[[deny]]\nname = \"x\"\nread = \"a\" # why\n");
    assert_eq!(fmt(root, &["--to", "toml", "a.kdl", "-o", "b.toml"], "").0, 0);
    assert_eq!(text(root, "b.toml"), out);
    let (code, _, err) = fmt(root, &["--to", "toml", "a.kdl", "-o", "b.toml"], "");
    assert_eq!(code, 64);
    assert!(err.contains("is there already"), "{err}");
    fs::write(root.join("b.toml"), "old").expect("written");
    assert_eq!(
        fmt(root, &["--to", "toml", "a.kdl", "-o", "b.toml", "--force"], "").0,
        0
    );
    assert_eq!(text(root, "b.toml"), out);
    let back = fmt(root, &["--to", "kdl", "-", "--stdin-name", "x.toml"], toml);
    assert_eq!(
        back,
        (
            0,
            "// why\ndeny \"x\" {\n    read \"a\"\n}\n".to_owned(),
            String::new()
        )
    );
    for wrong in [
        &["--to", "kdl", "a.kdl"][..],
        &["--to", "toml", "a.kdl", "bin.kdl"],
        &["--to", "toml", "a.kdl", "-o", "c.kdl"],
        &["--to", "toml", "--check", "a.kdl"],
        &["-o", "c.toml", "a.kdl"],
    ] {
        assert_eq!(fmt(root, wrong, "").0, 64, "{wrong:?}");
    }
    assert_eq!(fmt(root, &["--to", "toml", "bin.kdl"], "").0, 3);
    assert_eq!(text(root, "a.kdl"), "deny \"x\" { read \"a\" } // why\n");
}
