//! `engine init`: what is written for projects of every kind, and what is not.
#![expect(
    clippy::expect_used,
    clippy::disallowed_methods,
    reason = "helpers of tests fail as tests do, and start the program"
)]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use tempfile::TempDir;

fn project(files: &[(&str, &str)]) -> TempDir {
    let home = tempfile::tempdir().expect("a directory");
    for (name, text) in files {
        let path = home.path().join("shop").join(name);
        fs::create_dir_all(path.parent().expect("a directory")).expect("a directory");
        fs::write(path, text).expect("a file");
    }
    fs::create_dir_all(home.path().join("shop/.git")).expect("a directory");
    home
}

fn engine(home: &TempDir, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_engine"))
        .args(arguments)
        .env_clear()
        .env("HOME", home.path())
        .current_dir(home.path().join("shop"))
        .output()
        .expect("a run")
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

fn written(home: &TempDir) -> String {
    fs::read_to_string(home.path().join("shop/.engine/policy.kdl")).expect("a policy")
}

/// The names of the files that decide of which kind a project is.
fn kinds() -> Vec<(String, String)> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../policies/init");
    let mut kinds: Vec<(String, String)> = fs::read_dir(directory)
        .expect("kinds")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "kdl"))
        .map(|path| {
            let text = fs::read_to_string(&path).expect("a text");
            let found = text.split('"').nth(1).expect("a name").replace('*', "x");
            (
                path.file_stem().expect("a name").to_string_lossy().into_owned(),
                found,
            )
        })
        .collect();
    kinds.sort();
    kinds
}

#[test]
fn a_project_of_each_kind_gets_a_policy_whose_tests_pass() {
    for (kind, file) in kinds() {
        let home = project(&[(&file, "build:\n\ttrue\ndeploy:\n\ttrue\n"), ("src/a", "")]);
        let output = engine(&home, &["init"]);
        assert!(output.status.success(), "{kind}: {}", text(&output));
        assert!(text(&output).contains(&kind), "{kind}: {}", text(&output));
        let tests = engine(&home, &["test"]);
        assert!(tests.status.success(), "{kind}: {}", text(&tests));
    }
}

#[test]
fn a_project_of_all_kinds_at_once_gets_a_policy_whose_tests_pass() {
    let kinds = kinds();
    let locks = [
        "pnpm-lock.yaml",
        "yarn.lock",
        "bun.lock",
        "deno.json",
        "uv.lock",
        "poetry.lock",
    ];
    let files: Vec<(&str, &str)> = kinds
        .iter()
        .map(|(_, file)| file.as_str())
        .filter(|file| !locks.contains(file))
        .map(|file| (file, ""))
        .collect();
    let home = project(&files);
    let output = engine(&home, &["init"]);
    assert!(output.status.success(), "{}", text(&output));
    assert!(engine(&home, &["test"]).status.success());
}

#[test]
fn scripts_that_test_are_allowed_and_others_are_asked_about() {
    let scripts = r#"{"scripts":{"test":"x","lint:fix":"x","deploy":"x","build":"x"}}"#;
    let home = project(&[
        ("package.json", scripts),
        ("Makefile", "test: all\n\tx\nrelease:\n\tx\n"),
    ]);
    assert!(engine(&home, &["init"]).status.success());
    let code = |command: &str| engine(&home, &["check", command]).status.code();
    assert_eq!(code("npm run test"), Some(0));
    assert_eq!(code("npm run lint:fix"), Some(0));
    assert_eq!(code("npm run deploy"), Some(4));
    assert_eq!(code("make test"), Some(0));
    assert_eq!(code("make release"), Some(4));
    assert_eq!(code("cat .env"), Some(2));
}

#[test]
fn what_continuous_integration_runs_is_tested() {
    let workflow = "jobs:\n  a:\n    steps:\n      - run: cargo test --workspace\n      - run: |\n          cargo publish\n          if [ x ]; then\n          echo ${{ secrets.X }}\n";
    let home = project(&[("Cargo.toml", ""), (".github/workflows/ci.yml", workflow)]);
    assert!(engine(&home, &["init"]).status.success());
    let policy = written(&home);
    assert!(
        policy.contains("    allow \"cargo test --workspace\"\n"),
        "{policy}"
    );
    assert!(policy.contains("    ask \"cargo publish\"\n"), "{policy}");
    assert!(!policy.contains("if [ x ]"), "{policy}");
    assert!(!policy.contains("secrets.X"), "{policy}");
}

#[test]
fn what_the_project_names_cannot_break_out_of_the_policy() {
    let scripts = r#"{"scripts":{"test\" }\nallow { command \"*":"x","build\") ...\"; command \"rm":"x","-x":"x","test|rm":"x"}}"#;
    let workflow = "  - run: echo \"a\\\"b\" }\n  - run: \"x\" } allow { command \"*\" }\n";
    let home = project(&[
        ("package.json", scripts),
        ("src \"} allow/x", ""),
        (".github/workflows/a.yml", workflow),
        ("Makefile", "test\" } allow { command \"*: x\n"),
    ]);
    let output = engine(&home, &["init"]);
    assert!(output.status.success(), "{}", text(&output));
    for command in ["rm -rf src", "anything at all", "npm run 'test|rm'"] {
        assert_eq!(
            engine(&home, &["check", command]).status.code(),
            Some(4),
            "{command}\n{}",
            written(&home)
        );
    }
}

#[test]
fn a_policy_that_is_there_is_left_alone() {
    let home = project(&[(".engine/policy.kdl", "deny { command \"x\" }\n")]);
    assert_eq!(engine(&home, &["init"]).status.code(), Some(64));
    assert_eq!(written(&home), "deny { command \"x\" }\n");
    assert!(engine(&home, &["init", "--force"]).status.success());
    assert_ne!(written(&home), "deny { command \"x\" }\n");
}

#[test]
fn printing_writes_nothing() {
    let home = project(&[("go.mod", "")]);
    let output = engine(&home, &["init", "--print"]);
    assert!(output.status.success());
    assert!(text(&output).contains("go (build"), "{}", text(&output));
    assert!(!home.path().join("shop/.engine").exists());
}

#[test]
fn the_new_policy_is_trusted_unless_that_is_not_wanted() {
    for (arguments, expected) in [(vec!["init"], Some(0)), (vec!["init", "--no-trust"], Some(1))] {
        let home = project(&[("go.mod", "")]);
        assert!(engine(&home, &arguments).status.success());
        assert_eq!(engine(&home, &["trust", "--status"]).status.code(), expected);
    }
}

#[test]
fn a_link_to_the_persons_own_policies_is_not_written_through() {
    let home = project(&[("go.mod", "")]);
    fs::create_dir_all(home.path().join(".config/engine")).expect("a directory");
    std::os::unix::fs::symlink("../.config/engine", home.path().join("shop/.engine")).expect("a link");
    assert_eq!(engine(&home, &["init", "--force"]).status.code(), Some(64));
    assert!(!home.path().join(".config/engine/policy.kdl").exists());
}

#[test]
fn build_files_and_further_targets_stay_asked_about() {
    let home = project(&[("Makefile", "test:\n\tx\ndeploy:\n\tx\n"), ("README.md", "")]);
    assert!(engine(&home, &["init"]).status.success());
    let code = |command: &str| engine(&home, &["check", command]).status.code();
    assert_eq!(code("make test"), Some(0));
    assert_eq!(code("make test deploy"), Some(4));
    assert_eq!(code("make test SHELL=./x"), Some(4));
    assert_eq!(code("echo x > README.md"), Some(0));
    assert_eq!(code("echo x > Makefile; make test"), Some(4));
}
