//! In plan mode nothing may be changed, and what only looks may be.

use engine_policy::read::{Format, read};
use engine_policy::{Call, Facts, Mode, NoWorld, Outcome, Sources, compile, decide};

#[test]
fn a_rule_that_allows_a_command_does_not_make_it_one_that_writes() {
    let policy = r#"
        policy "x"
        default { read "allow" }
        allow { command "(git|ls|wc|frob|sed|make|cargo) ..."; write "./**"; delete "./**" }
    "#;
    let mut sources = Sources::default();
    let (document, diagnostics) = read("p.kdl", policy, Format::Kdl, &mut sources);
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    let plan = compile(&[document.unwrap()], Vec::new(), &sources).unwrap();
    let facts = Facts {
        via: &[],
        project: "/project",
        directory: "/project",
        home: None,
        shell: engine_shell::Shell::Bash,
        world: &NoWorld,
    };
    for (command, expected) in [
        ("git status", Outcome::Allow),
        ("git log --oneline | wc -l", Outcome::Allow),
        ("ls src", Outcome::Allow),
        ("sed -n 1p a", Outcome::Allow),
        ("git commit -m x", Outcome::Deny),
        ("git add a", Outcome::Deny),
        ("sed -i s/a/b/ a", Outcome::Deny),
        ("ls > a", Outcome::Deny),
        ("frob", Outcome::Deny),
        ("make", Outcome::Deny),
        ("cargo test", Outcome::Deny),
        ("git $x", Outcome::Deny),
    ] {
        let decision = decide(&plan, &Call::Shell(command), &facts, Mode::Plan);
        assert_eq!(decision.outcome, expected, "{command}: {:?}", decision.steps);
    }
}
