//! What a declared tool's steps do is decided like anything else, and a rule can speak of it alone.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

use engine_policy::read::{Format, read};
use engine_policy::{Sources, compile, run_tests};

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
    use engine_policy::{Call, Facts, Mode, NoWorld, Outcome, ToolShape, decide};
    use serde_json::json;

    let sources = Sources::default();
    let plan = compile(&[], Vec::new(), &sources).unwrap();
    let facts = Facts {
        via: &[],
        project: "/project",
        directory: "/project",
        home: None,
        shell: engine_shell::Shell::Bash,
        world: &NoWorld,
    };
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
