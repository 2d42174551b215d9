//! What somebody meets who is new to the program: words that are misspelt, files in the wrong place, a terminal without colours.
#![expect(
    clippy::expect_used,
    clippy::disallowed_methods,
    reason = "helpers of tests fail as tests do, and start the program"
)]

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use tempfile::TempDir;

/// A project with files in it.
fn project(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().expect("a directory");
    fs::create_dir_all(folder.path().join(".git")).expect("a directory");
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().expect("a directory")).expect("a directory");
        fs::write(path, text).expect("a file");
    }
    folder
}

fn command(folder: &Path, words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_engine"));
    command
        .args(words)
        .current_dir(folder)
        .env_clear()
        .env("HOME", folder.join("home"))
        .env("PATH", "/usr/bin:/bin");
    command
}

/// What was printed, what was complained about on one line, and the exit code.
fn run_as(command: &mut Command) -> (String, String, i32) {
    let output = command.output().expect("a run");
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("text");
    let told = text(&output.stderr).replace('\u{2502}', " ");
    (
        text(&output.stdout),
        told.split_whitespace().collect::<Vec<_>>().join(" "),
        output.status.code().expect("an exit code"),
    )
}

fn run(folder: &Path, words: &[&str]) -> (String, String, i32) {
    run_as(&mut command(folder, words))
}

#[test]
fn a_name_that_nothing_has_ends_with_one_exit_code() {
    let folder = project(&[]);
    for words in [
        ["commands", "gti"].as_slice(),
        &["lint", "--explain", "shadow"],
        &["plan", "--rule", "force-psh"],
        &["schema", "verdct"],
        &["man", "chek"],
        &["test", "--filter", "zebra", "builtin:ci"],
        &["chek"],
    ] {
        assert_eq!(run(folder.path(), words).2, 64, "{words:?}");
    }
}

#[test]
fn colours_are_forced_and_refused_by_variables() {
    let folder = project(&[]);
    let coloured = |variables: &[(&str, &str)]| {
        let mut command = command(folder.path(), &["check", "ls"]);
        command.envs(variables.iter().copied());
        run_as(&mut command).0.contains('\u{1b}')
    };
    assert!(!coloured(&[]));
    assert!(coloured(&[("CLICOLOR_FORCE", "1")]));
    assert!(!coloured(&[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")]));
}

#[test]
fn one_rule_is_one_rule() {
    let folder = project(&[(".engine/policy.kdl", "deny \"x\" { command \"x\"; }")]);
    let (printed, told, code) = run(folder.path(), &["check", "--policy", ".engine/policy.kdl"]);
    assert_eq!(code, 0, "{told}");
    assert!(printed.contains(": 1 rule, "), "{printed}");
    let (printed, ..) = run(folder.path(), &["test", "--coverage"]);
    assert!(printed.contains("0 of 1 rule decide a test"), "{printed}");
}

#[test]
fn a_store_of_trust_that_cannot_be_used_is_told_with_what_to_do() {
    let folder = project(&[
        (".engine/policy.kdl", "allow { command \"x\"; }"),
        ("home/.local/share/engine", "a file"),
    ]);
    let (_, told, code) = run(folder.path(), &["trust", "--yes"]);
    assert_eq!(code, 74, "{told}");
    assert!(told.contains("home/.local/share/engine"), "{told}");
    assert!(told.contains("XDG_DATA_HOME"), "{told}");
}

#[test]
fn what_tests_call_a_rule_is_looked_at_by_check_and_lint() {
    let policy = "allow \"edits\" { command \"x\"; }\ntests { allow \"x\" rule=\"edit\" shell=\"sh\"; }";
    let folder = project(&[("p.kdl", policy)]);
    let (_, told, code) = run(folder.path(), &["check", "--policy", "p.kdl"]);
    assert_eq!(code, 0);
    assert!(told.contains("did you mean `edits`?"), "{told}");
    let (printed, ..) = run(folder.path(), &["lint", "p.kdl"]);
    assert!(printed.contains("did you mean `edits`?"), "{printed}");
}

#[test]
fn a_test_may_run_its_command_in_sh() {
    // Only bash and zsh know `<(`; to sh it is no redirection.
    let policy = "allow { command \"(cat|ls) ...\"; read \"./**\"; }\ntests { allow \"cat <(ls)\"; ask \"cat <(ls)\" shell=\"sh\"; }";
    let folder = project(&[("p.kdl", policy)]);
    let (printed, told, code) = run(folder.path(), &["test", "p.kdl"]);
    assert_eq!(code, 0, "{printed}{told}");
    assert!(printed.contains("2 of 2 passed"), "{printed}");
}

#[test]
fn a_policy_in_the_wrong_place_is_told_by_everything_that_looks_at_policies() {
    let folder = project(&[(".engine/polcy.kdl", "deny \"x\" { command \"x\"; }")]);
    for (words, code) in [
        (["check"].as_slice(), 0),
        (&["check", "ls"], 0),
        (&["plan"], 0),
        (&["lint"], 0),
        (&["trust"], 0),
        (&["init", "--print"], 0),
        (&["test", "--filter", "git push --force"], 0),
    ] {
        let (_, told, own) = run(folder.path(), words);
        assert_eq!(own, code, "{words:?}: {told}");
        assert!(told.contains("nothing reads"), "{words:?}: {told}");
        assert!(told.contains("did you mean `policy.kdl`?"), "{words:?}: {told}");
    }
    let (printed, ..) = run(folder.path(), &["check", "--format", "json"]);
    assert!(printed.contains("policy::misplaced-file"), "{printed}");
    let (_, told, _) = run(folder.path(), &["check", "--policy", "builtin:ci", "ls"]);
    assert_eq!(told, "", "a policy was named");
    fs::create_dir_all(folder.path().join("inner/.git")).expect("a directory");
    let (_, told, _) = run(&folder.path().join("inner"), &["check"]);
    assert!(told.contains("nothing reads"), "{told}");
}

#[test]
fn a_file_that_a_policy_builds_on_is_in_its_place() {
    let folder = project(&[
        (
            ".engine/policy.kdl",
            "policy \"p\" { extends \"shared.kdl\"; }\ndeny \"x\" { command \"x\"; }",
        ),
        (".engine/shared.kdl", "deny \"y\" { command \"y\"; }"),
        (".engine/policy.yaml", "deny: x"),
    ]);
    for words in [["check"].as_slice(), &["plan"], &["lint"], &["test"]] {
        let (printed, told, _) = run(folder.path(), words);
        let all = format!("{printed}{told}");
        assert!(all.contains("policy.yaml"), "{words:?}: {all}");
        assert_eq!(
            all.matches("policy::misplaced-file").count(),
            1,
            "{words:?}: {all}"
        );
    }
    let (_, told, _) = run(folder.path(), &["check", "ls"]);
    assert_eq!(told, "", "calls do not look at directories that have a policy");
}

#[test]
fn an_option_of_the_command_is_told_with_what_to_write() {
    let folder = project(&[]);
    let (_, told, code) = run(folder.path(), &["check", "git", "status", "--short"]);
    assert_eq!(code, 64);
    assert!(
        told.ends_with("write `engine check -- git status --short`"),
        "{told}"
    );
    assert_eq!(
        run(folder.path(), &["check", "--", "git", "status", "--short"]).2,
        0
    );
}

#[test]
fn shells_complete_names_that_the_program_knows_beside_files() {
    let folder = project(&[("build.kdl", "")]);
    let (script, ..) = run(folder.path(), &["completions", "bash"]);
    fs::write(folder.path().join("script"), script).expect("a file");
    let completed = |words: &str| {
        let count = words.split(' ').count() - 1;
        let text = format!(
            "source ./script; compopt() {{ :; }}; COMP_WORDS=({words}); COMP_CWORD={count}; \
             _engine engine \"${{COMP_WORDS[$COMP_CWORD]}}\" \"${{COMP_WORDS[$COMP_CWORD-1]}}\"; echo \"${{COMPREPLY[@]}}\""
        );
        let mut bash = Command::new("bash");
        bash.args(["--norc", "-c", &text]).current_dir(folder.path());
        run_as(&mut bash).0
    };
    let policies = completed("engine check --policy bui");
    assert!(policies.contains("builtin:readonly"), "{policies}");
    assert!(policies.contains("build.kdl"), "{policies}");
    assert_eq!(completed("engine lint --explain opens"), "opens-interpreter\n");
    assert_eq!(completed("engine commands egr"), "egrep\n");
    assert_eq!(completed("engine check --mode acc"), "accept-edits\n");
    assert_eq!(completed("engine call TodoW"), "TodoWrite\n");
    assert_eq!(completed("engine tools TaskL"), "TaskList\n");
    for (shell, files) in [
        ("zsh", "{_files; compadd -- builtin\\:base "),
        ("fish", "-r -F -a \"builtin:base"),
    ] {
        let (script, ..) = run(folder.path(), &["completions", shell]);
        assert!(script.contains(files), "{shell}");
    }
}

/// What a line that is typed at a bash, with tabs, calls the program with.
fn typed(folder: &Path, line: &str) -> Option<String> {
    let setup = "engine() { printf '<%s>' \"$@\"; echo; }; source ./script; PS1=; set -o emacs; bind 'set bell-style none'; echo ready\n";
    let mut bash = Command::new("script");
    bash.args(["-qec", "bash --noprofile --norc -i", "/dev/null"])
        .current_dir(folder)
        .env("TERM", "dumb")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    let mut child = bash.spawn().ok()?;
    let mut input = child.stdin.take().expect("its input");
    input.write_all(setup.as_bytes()).expect("a line");
    // What is typed before the shell reads lines by itself would be echoed and not completed.
    std::thread::sleep(Duration::from_millis(500));
    input
        .write_all(format!("{line}\necho over; exit\n").as_bytes())
        .expect("a line");
    let output = child.wait_with_output().expect("its end");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let called = text
        .lines()
        .find(|line| line.starts_with('<'))
        .unwrap_or_default();
    Some(called.trim().to_owned())
}

#[test]
fn a_name_with_a_colon_is_completed_where_it_is_typed() {
    let folder = project(&[("build.kdl", "")]);
    let (script, ..) = run(folder.path(), &["completions", "bash"]);
    fs::write(folder.path().join("script"), script).expect("a file");
    for (line, called) in [
        (
            "engine check --policy builtin:reado\t ls",
            "<check><--policy><builtin:readonly><ls>",
        ),
        (
            "engine check --policy=builtin:reado\t ls",
            "<check><--policy=builtin:readonly><ls>",
        ),
        (
            "engine check --policy builti\treado\t ls",
            "<check><--policy><builtin:readonly><ls>",
        ),
        (
            "engine check --policy builtin:readonly --mod\tacc\t ls",
            "<check><--policy><builtin:readonly><--mode><accept-edits><ls>",
        ),
        // What a file and policies begin with in common, and then the file.
        (
            "engine check --policy bui\td\t ls",
            "<check><--policy><build.kdl><ls>",
        ),
        ("engine call NotebookE\t {}", "<call><NotebookEdit><{}>"),
        ("engine tools WebF\t", "<tools><WebFetch>"),
    ] {
        let Some(own) = typed(folder.path(), line) else {
            eprintln!("SKIPPED: script is not installed");
            return;
        };
        assert_eq!(own, called, "{line:?}");
    }
}
