//! The shipped policies: their own tests hold, every rule of theirs decides one of these, and in a real project on disk the
//! everyday commands get the verdict that a person expects.
//!
//! Invariant (nothing is run): commands are decided, never started; only the engine's own binary is.
#![expect(clippy::expect_used, reason = "helpers of tests fail as tests do")]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use engine_policy::{Coverage, Files, Loaded, Outcome, Root, SHIPPED, load, run_tests};
use tempfile::TempDir;

/// Shipped policies stand alone: whatever they build on is shipped, too.
struct NoFiles;

impl Files for NoFiles {
    fn text(&self, path: &str) -> Result<String, String> {
        Err(format!("`{path}` is not shipped"))
    }
}

fn shipped(name: &'static str) -> Loaded {
    load(&[Root::Shipped(name)], &NoFiles)
}

#[test]
fn the_tests_of_every_shipped_policy_hold() {
    for &(name, _) in SHIPPED {
        let mut loaded = shipped(name);
        let plan = loaded.compile().expect("a plan");
        assert_eq!(loaded.diagnostics.len(), 0, "{name} has warnings");
        let own = loaded.documents.last().expect("the policy itself");
        let results = run_tests(&plan, std::slice::from_ref(own));
        assert!(results.len() >= 100, "{name} has only {} tests", results.len());
        let failed: Vec<_> = results
            .iter()
            .filter(|result| !result.passed)
            .map(|result| (&result.call, result.expected, result.decision.outcome))
            .collect();
        assert_eq!(failed, [], "{name}");
        for outcome in [Outcome::Allow, Outcome::Ask, Outcome::Deny] {
            assert!(
                results.iter().any(|result| result.expected == outcome),
                "{name} has no test that expects {}",
                outcome.as_str()
            );
        }
    }
}

#[test]
fn every_shipped_rule_decides_a_test() {
    for &(name, _) in SHIPPED {
        let mut loaded = shipped(name);
        let plan = loaded.compile().expect("a plan");
        let own = loaded.documents.last().expect("the policy itself");
        let results = run_tests(&plan, std::slice::from_ref(own));
        let coverage = Coverage::of(&plan, std::slice::from_ref(own), &results, &loaded.sources);
        let idle: Vec<usize> = coverage
            .uncovered()
            .map(|rule| loaded.sources.line_column(rule.place).line)
            .collect();
        assert_eq!(
            idle,
            Vec::<usize>::new(),
            "lines of {name} whose rule decides no test"
        );
    }
}

/// A project like many: sources, a secret that is not tracked, a dependency with a key for its tests, a link that leads out.
fn project() -> TempDir {
    let folder = tempfile::tempdir().expect("a directory");
    let root = folder.path();
    for directory in [".git", "src", "docs", "node_modules/tls"] {
        fs::create_dir_all(root.join(directory)).expect("a directory");
    }
    for (file, text) in [
        ("README.md", "# a\n"),
        ("src/main.rs", "fn main() {}\n"),
        ("src/lib.rs", "\n"),
        ("docs/a.txt", "a\n"),
        (".env", "TOKEN=1\n"),
        (".env.example", "TOKEN=\n"),
        ("node_modules/tls/test.pem", "\n"),
        (".git/HEAD", "ref: refs/heads/main\n"),
        (
            "writes.kdl",
            "policy \"w\" { extends \"builtin:base\"; }\nallow { write \"./**\"; delete \"./**\"; command \"tar ...\"; }\n",
        ),
    ] {
        fs::write(root.join(file), text).expect("a file");
    }
    symlink("/etc/group", root.join("docs/link.md")).expect("a link");
    symlink("/nowhere/a.txt", root.join("docs/out.txt")).expect("a link");
    symlink("a.txt", root.join("docs/in.log")).expect("a link");
    folder
}

#[expect(clippy::disallowed_methods, reason = "an end-to-end test runs the binary")]
fn verdict(root: &Path, options: &[&str], command: &str) -> String {
    let mut engine = Command::new(env!("CARGO_BIN_EXE_engine"));
    let output = engine
        .arg("check")
        .args(options)
        .arg("--")
        .arg(command)
        .current_dir(root)
        .env("HOME", root.join("home"))
        .env_remove("XDG_CONFIG_HOME")
        .env("XDG_CACHE_HOME", root.join("cache"))
        .output()
        .expect("the engine");
    let text = String::from_utf8(output.stdout).expect("text");
    text.split_whitespace().next().unwrap_or_default().to_owned()
}

fn check(options: &[&str], cases: &[(&str, &str)]) {
    let project = project();
    let wrong: Vec<_> = cases
        .iter()
        .map(|&(command, expected)| (command, expected, verdict(project.path(), options, command)))
        .filter(|(_, expected, got)| expected != got)
        .collect();
    assert_eq!(wrong, []);
}

#[test]
fn searches_are_denied_only_where_a_secret_is_in_reach() {
    check(
        &[],
        &[
            ("grep -rn main src docs", "allow"),
            ("grep -rn main --include='*.rs' .", "allow"),
            ("grep -rn main --include=*.rs .", "allow"),
            ("grep -rn main . --exclude=.env", "allow"),
            ("rg foo src", "allow"),
            ("find . -name x", "allow"),
            ("find src -type f -exec grep -l x {} +", "allow"),
            ("ls -R", "allow"),
            ("tree", "allow"),
            ("cat *", "allow"),
            ("wc -l src/*.rs", "allow"),
            // A link there leads out, and this follows it.
            ("diff -r src docs", "ask"),
            ("diff -r --no-dereference src docs", "allow"),
            ("grep -rn main .", "deny"),
            ("rg --hidden foo", "deny"),
            ("grep -rn TOKEN --include='.en*' .", "deny"),
            ("grep -rn TOKEN --include='.e[n]v' .", "deny"),
            ("grep -rn TOKEN --exclude=.env --include='*' .", "deny"),
            ("cat .e*", "ask"),
            ("find . -type f -exec grep x {} +", "ask"),
        ],
    );
}

#[test]
fn staging_everything_asks_where_a_secret_is_among_it() {
    let cases = |all| {
        [
            ("git add .", all),
            ("git add -A", all),
            ("git add docs/../", all),
            ("git add src/main.rs", "allow"),
            ("git commit -am x", "allow"),
            ("git add .env", "deny"),
        ]
    };
    let project = project();
    let root = project.path();
    for (command, expected) in cases("ask") {
        assert_eq!(verdict(root, &[], command), expected, "{command}");
    }
    for name in [".env", "docs/link.md", "docs/out.txt"] {
        fs::remove_file(root.join(name)).expect("a file");
    }
    for (command, expected) in cases("allow") {
        assert_eq!(verdict(root, &[], command), expected, "{command}");
    }
}

#[test]
fn links_that_a_pattern_matches_are_followed() {
    check(
        &[],
        &[
            ("cat docs/*.log", "allow"),
            ("cat docs/*.md", "ask"),
            ("cat docs/link.md", "ask"),
        ],
    );
}

#[test]
fn going_up_from_a_link_starts_where_it_leads() {
    let project = project();
    let root = project.path();
    fs::create_dir_all(root.join("src/deep/er")).expect("a directory");
    symlink(root, root.join("docs/self")).expect("a link");
    symlink(root.join("src/deep/er"), root.join("docs/er")).expect("a link");
    symlink("self/../new.txt", root.join("docs/new")).expect("a link");
    symlink("/proc/self/cwd", root.join("docs/here")).expect("a link");
    let cases = [
        ("cat docs/self/../x", "ask"),
        ("cat docs/self/none/../../x", "ask"),
        ("cat docs/self/../x*", "ask"),
        ("for d in docs/self/.. src; do cat $d/x; done", "ask"),
        (
            "if [ -e a ]; then f=docs/self/../x; else f=README.md; fi; cat \"$f\"",
            "ask",
        ),
        ("env -C docs/self/.. cat x", "ask"),
        ("cat docs/*/../x", "ask"),
        ("cat docs/er/../../main.rs", "allow"),
        ("cat docs/../README.md", "allow"),
        ("env -C docs/er/../.. cat main.rs", "allow"),
        ("cat docs/new", "ask"),
        ("cat docs/here/x", "ask"),
        (
            "echo x > docs/er/../../../../../../../../../../../dev/null",
            "allow",
        ),
        ("find src -name '*.rs' -exec cat {} \\;", "allow"),
        ("find docs -name '*.md' -exec cat {} \\;", "ask"),
    ];
    let wrong: Vec<_> = cases
        .iter()
        .map(|&(command, expected)| (command, expected, verdict(root, &[], command)))
        .filter(|(_, expected, got)| expected != got)
        .collect();
    assert_eq!(wrong, []);
}

#[cfg(target_os = "linux")]
#[test]
fn names_that_are_not_utf_8_hide_nothing() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;

    let project = project();
    let root = project.path();
    for n in 0..20 {
        let name = [b"docs/".as_slice(), n.to_string().as_bytes(), b"\xff"].concat();
        fs::write(root.join(OsStr::from_bytes(&name)), "").expect("a file");
    }
    symlink(OsStr::from_bytes(b"/nowhere/\xff"), root.join("src/odd")).expect("a link");
    assert_eq!(verdict(root, &[], "cat docs/*.md"), "ask");
    assert_eq!(verdict(root, &[], "cat src/odd"), "ask");
    assert_eq!(verdict(root, &[], "cat src/o*"), "ask");
    assert_eq!(
        verdict(root, &["--mode", "accept-edits"], "echo x > src/odd"),
        "ask"
    );
    assert_eq!(verdict(root, &[], "cat src/main.rs"), "allow");
}

#[test]
fn where_writing_is_allowed_files_move_freely_but_guarded_ones_do_not() {
    check(
        &["--policy", "writes.kdl"],
        &[
            ("mv src/lib.rs src/b.rs", "allow"),
            ("cp src/lib.rs docs", "allow"),
            ("rm -rf node_modules/tls", "allow"),
            ("git switch -c topic", "allow"),
            ("mkdir -p a/b && echo x > a/b/c", "allow"),
            ("rm .env", "deny"),
            ("mv src/lib.rs .env", "deny"),
            ("cp src/lib.rs .git/hooks/pre-commit", "ask"),
            // What an archive holds is not known.
            ("tar xf a.tar -C src", "ask"),
            ("rm -rf .", "deny"),
        ],
    );
}

#[test]
fn a_mode_that_allows_edits_does_not_allow_them_through_a_link_that_leads_out() {
    check(
        &["--mode", "accept-edits"],
        &[
            ("echo x > docs/new.txt", "allow"),
            ("echo x > docs/in.log", "allow"),
            ("echo x > docs/out.txt", "ask"),
            ("tee docs/*.txt < README.md", "ask"),
            ("echo x > .env", "deny"),
            ("rm docs/a.txt", "ask"),
        ],
    );
}

#[test]
fn a_rule_may_name_the_place_that_the_home_directory_is_a_link_to() {
    let project = project();
    let root = project.path().canonicalize().expect("a directory");
    fs::create_dir_all(root.join("place/keys")).expect("a directory");
    fs::write(root.join("place/keys/a"), "k\n").expect("a file");
    symlink(root.join("place"), root.join("home")).expect("a link");
    let policy = format!(
        "policy \"p\"\nallow {{ read \"~/**\"; }}\ndeny {{ read \"{}/place/keys/**\"; }}\n",
        root.display()
    );
    fs::write(root.join("keys.kdl"), policy).expect("a file");
    let verdict = |command| verdict(&root, &["--policy", "keys.kdl"], command);
    assert_eq!(verdict("cat ~/keys/a"), "deny");
    assert_eq!(verdict("cat place/keys/a"), "deny");
    assert_eq!(verdict("grep -r k ~/keys"), "deny");
    assert_eq!(verdict("cat ~/keys/*"), "deny");
    assert_eq!(verdict("cat ~/notes"), "allow");
}

#[test]
fn a_policy_that_is_there_and_cannot_be_read_decides_nothing() {
    let project = project();
    let root = project.path();
    fs::create_dir_all(root.join(".engine")).expect("a directory");
    assert_eq!(verdict(root, &[], "ls"), "allow");
    symlink("nowhere", root.join(".engine/policy.kdl")).expect("a link");
    assert_eq!(verdict(root, &[], "ls"), "");
    fs::remove_file(root.join(".engine/policy.kdl")).expect("a link that goes");
    fs::create_dir(root.join(".engine/policy.kdl")).expect("a directory");
    assert_eq!(verdict(root, &[], "ls"), "");
}

#[expect(clippy::disallowed_methods, reason = "an end-to-end test runs the binary")]
fn answer(root: &Path, line: &str) -> String {
    use std::io::Write as _;

    let mut engine = Command::new(env!("CARGO_BIN_EXE_engine"))
        .args(["check", "--stdin", "--format", "json"])
        .current_dir(root)
        .env("HOME", root.join("home"))
        .env_remove("XDG_CONFIG_HOME")
        .env("XDG_CACHE_HOME", root.join("cache"))
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .expect("the engine");
    let mut input = engine.stdin.take().expect("a pipe");
    writeln!(input, "{line}").expect("a line");
    drop(input);
    let output = engine.wait_with_output().expect("an answer");
    let answer: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    answer
        .get("verdict")
        .and_then(|verdict| verdict.as_str())
        .unwrap_or_default()
        .to_owned()
}

#[test]
fn a_line_means_the_same_to_everybody_or_is_denied() {
    let project = project();
    let root = project.path();
    symlink("/", root.join("docs/top")).expect("a link");
    for (line, expected) in [
        (r#"{"command":"ls"}"#, "allow"),
        (r#"{"command":"cat .env","command":"ls"}"#, "deny"),
        (
            r#"{"tool":"Read","input":{"file_path":"README.md","file_path":"README.md"}}"#,
            "deny",
        ),
        (r#"{"tool":"Read","input":{"file_path":"README.md"}}"#, "allow"),
        (r#"{"tool":"Read","input":{"file_path":".env\u0000.md"}}"#, "deny"),
        (r#"{"command":"cat README.md","cwd":"docs/.."}"#, "allow"),
    ] {
        assert_eq!(answer(root, line), expected, "{line}");
    }
}
