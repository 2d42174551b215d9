//! What a declared tool's steps do is decided like anything else, and a rule can speak of it alone.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

use engine_policy::read::{Format, read};
use engine_policy::{
    Call, Facts, Mode, NoWorld, Note, Outcome, Sources, ToolShape, compile, decide, run_tests,
};
use engine_shell::Shell;
use serde_json::json;

fn facts() -> Facts<'static> {
    Facts {
        via: &[],
        project: "/project",
        directory: "/project",
        home: None,
        shell: Shell::Bash,
        world: &NoWorld,
    }
}

/// Runs the tests of one policy; answers how many there were.
fn hold(policy: &str) -> usize {
    let mut sources = Sources::default();
    let (document, diagnostics) = read("p.kdl", policy, Format::Kdl, &mut sources);
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    let documents = [document.unwrap()];
    let plan = compile(&documents, Vec::new(), &sources).unwrap();
    let results = run_tests(&plan, &documents);
    for result in &results {
        assert!(result.passed, "{} is {:?}", result.call, result.decision);
    }
    results.len()
}

#[test]
fn a_rule_with_via_speaks_only_of_what_that_tool_does() {
    let policy = r#"
        policy "x"
        allow { command "make ..." { via "Build" "Deploy*" } ; tool "Notify" { via "Build" } }
        deny { command "ls ..." { via "Quiet" } }
        tests {
            allow "make all" via="Build"
            allow "make all" via="DeployDocs"
            ask "make all" via="Other"
            ask "make all"
            deny "ls" via="Quiet"
            allow tool="Notify" via="Build" { input text="x" }
            ask tool="Notify" { input text="x" }
        }
    "#;
    assert_eq!(hold(policy), 7);
}

#[test]
fn a_list_is_no_value_for_a_field_that_holds_one_text() {
    let sources = Sources::default();
    let plan = compile(&[], Vec::new(), &sources).unwrap();
    let facts = facts();
    for (name, input) in [
        ("Bash", json!({ "command": [] })),
        ("Bash", json!({ "command": ["ls"] })),
        ("Read", json!({ "file_path": [] })),
        ("WebFetch", json!({ "url": [] })),
    ] {
        let call = Call::Tool { name, input: &input };
        assert_eq!(
            decide(&plan, &call, &facts, Mode::Default).outcome,
            Outcome::Deny,
            "{name} {input}"
        );
    }
    assert!(ToolShape::shipped("Bash").is_some());
}

/// Warnings and operations of a command under a plan that denies everything: what is noted does not depend on what is decided.
fn notes(text: &str) -> (Vec<String>, Vec<String>) {
    let plan = compile(&[], Vec::new(), &Sources::default()).unwrap();
    let facts = facts();
    let decision = decide(&plan, &Call::Shell(text), &facts, Mode::Default);
    let texts = |notes: &[Note]| notes.iter().map(|note| note.text.to_string()).collect();
    (texts(&decision.warnings), texts(&decision.operations))
}

#[test]
fn what_destroys_is_warned_of_however_it_is_run() {
    for (text, expected) in [
        ("rm -rf build", true),
        ("rm a", false),
        ("git reset --hard HEAD~1", true),
        ("git reset HEAD~1", false),
        ("git push --force origin main", true),
        ("git push origin main", false),
        ("git clean -fd", true),
        ("git clean -n", false),
        ("psql -c 'drop   TABLE users'", true),
        ("psql -c 'select 1'", false),
        ("echo 'DROP TABLE users' | psql", true),
        ("echo 'DROP TABLE users' | sudo psql", true),
        ("psql <<< 'Truncate users'", true),
        ("psql <<E\ndrop schema x\nE", true),
        ("echo 'select 1' | psql", false),
        ("echo \"$statement\" | psql", true),
        ("psql < changes.sql", true),
        ("kubectl delete pod a", true),
        ("kubectl get pods", false),
        ("terraform destroy", true),
        ("terraform plan", false),
        ("mkfs.ext4 /dev/sda1", true),
        ("dd if=a of=/dev/sda", true),
        ("dd if=a", false),
        ("echo 'rm -rf /'", false),
        ("echo 'rm -rf /' | bash", true),
        ("bash -c 'rm -rf build'", true),
        ("sudo timeout 5 rm -rf build", true),
        ("find . -name x -exec rm -r {} +", true),
        ("ls | xargs rm -rf", true),
        ("echo \"$(git push -f)\"", true),
    ] {
        assert_eq!(!notes(text).0.is_empty(), expected, "{text}");
    }
    assert_eq!(notes("rm -rf a; rm -rf b").0.len(), 1);
}

#[test]
fn operations_that_others_notice_are_noted() {
    for (text, expected) in [
        (
            "git add -A && git -C sub commit -m push; git push",
            &["commit", "push"][..],
        ),
        ("git log --grep commit", &[]),
        ("bash -c 'git merge x'", &["merge"]),
        ("gh pr create --title 'a b' --body c", &["pr create"]),
        ("gh pr list", &[]),
        ("glab mr create", &["mr create"]),
        ("echo git push", &[]),
    ] {
        assert_eq!(notes(text).1, expected, "{text}");
    }
}
