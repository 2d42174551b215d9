//! Policies of projects around another, and what a project says of those around it.
#![expect(clippy::panic, reason = "helpers of tests fail as tests do")]

#[path = "layers/memory.rs"]
mod memory;

use engine_policy::{Call, Facts, Layer, LayerRoot, Mode, NoWorld, Outcome, Plan, Root, decide, load_layers};
use engine_shell::Shell;

use memory::{Memory, PROJECT, file_of, load, plan, verdict};

/// A plan with the policies of projects around `/project`, the innermost first.
fn with_around(projects: &[(&str, &str)], user: &str) -> Plan {
    let mut memory = Memory::default();
    memory.0.insert(file_of(Layer::User), user.to_owned());
    let mut roots = vec![(Layer::User, file_of(Layer::User), None)];
    for (project, text) in projects {
        let file = format!("{project}/.engine/policy.kdl");
        memory.0.insert(file.clone(), (*text).to_owned());
        roots.push((Layer::Around, file, Some((*project).to_owned())));
    }
    let roots: Vec<LayerRoot<'_>> = roots
        .into_iter()
        .map(|(layer, file, within)| LayerRoot {
            layer,
            root: Root::File(file),
            files: &memory,
            within,
        })
        .collect();
    let mut loaded = load_layers(&roots, &|_, _| true);
    let plan = loaded.compile();
    plan.unwrap_or_else(|| panic!("{projects:?}: {:?}", loaded.diagnostics))
}

#[test]
fn a_project_around_speaks_of_its_own_files() {
    let user = "allow { read \"/**\"; write \"/**\"; command \"./tool\" \"/w/tool\"; command \"go ...\" }";
    let plan = with_around(
        &[(
            "/w",
            "deny { read \"./secret/**\"; write \"./**\" { except \"./out/**\" }; command \"./tool\"; command \"go\" { cwd \"/project\"; operands within=\"./x\" } }",
        )],
        user,
    );
    for (command, outcome) in [
        ("cat /w/secret/a", Outcome::Deny),
        ("cat ../w/secret/a", Outcome::Deny),
        ("cat secret/a", Outcome::Allow),
        ("echo > /w/a", Outcome::Deny),
        ("echo > /w/out/a", Outcome::Allow),
        ("echo > a", Outcome::Allow),
        ("/w/tool", Outcome::Deny),
        ("./tool", Outcome::Allow),
    ] {
        assert_eq!(verdict(&plan, command), outcome, "{command}");
    }
}

#[test]
fn projects_around_do_not_change_each_others_sets() {
    let plan = with_around(
        &[
            ("/w/a", "sets { paths \"s\" \"./nothing\" }\ndeny { read \"@s\" }"),
            ("/w", "sets { paths \"s\" \"./secret\" }\ndeny { read \"@s\" }"),
        ],
        "allow { read \"/**\" }",
    );
    assert_eq!(verdict(&plan, "cat /w/secret"), Outcome::Deny);
    assert_eq!(verdict(&plan, "cat /w/a/nothing"), Outcome::Deny);
    assert_eq!(verdict(&plan, "cat /w/nothing"), Outcome::Allow);
}

#[test]
fn what_a_person_or_a_machine_forbids_in_the_project_is_forbidden_in_those_around_it() {
    let rules = "allow { read \"/**\"; write \"./**\"; command \"./tool\" \"/w/tool\" \"go ...\" \"cat ...\" }
        deny { read \"./keys/**\" { except \"./keys/public\" }; command \"./tool\"; command \"go ...\" { cwd \"./locked\" } }
        ask { read \"./notes\" }";
    for layer in [Layer::User, Layer::CommandLine, Layer::Managed] {
        let mut loaded = load(&[(layer, rules)], true);
        loaded.outer = vec!["/w".to_owned(), "/w/x".to_owned()];
        let plan = loaded
            .compile()
            .unwrap_or_else(|| panic!("{layer:?}: {:?}", loaded.diagnostics));
        for (command, outcome) in [
            ("cat keys/a", Outcome::Deny),
            ("cat /w/keys/a", Outcome::Deny),
            ("cat /w/x/keys/a", Outcome::Deny),
            ("cat ../w/keys/a", Outcome::Deny),
            ("cat /w/keys/public", Outcome::Allow),
            ("cat /w/notes", Outcome::Ask),
            ("cat /w/y/keys/a", Outcome::Allow),
            ("/w/tool", Outcome::Deny),
            ("./tool", Outcome::Deny),
            ("cd /w/locked && go x", Outcome::Deny),
            // What is allowed in the project is allowed in no other one.
            ("echo > a", Outcome::Allow),
            ("echo > /w/a", Outcome::Ask),
        ] {
            assert_eq!(verdict(&plan, command), outcome, "{layer:?}: {command}");
        }
    }
}

#[test]
fn a_project_forbids_nothing_in_those_around_it() {
    let mut loaded = load(
        &[
            (Layer::User, "allow { read \"/**\" }"),
            (Layer::Project, "deny { read \"./keys/**\" }"),
        ],
        true,
    );
    loaded.outer = vec!["/w".to_owned()];
    let plan = loaded
        .compile()
        .unwrap_or_else(|| panic!("{:?}", loaded.diagnostics));
    assert_eq!(verdict(&plan, "cat keys/a"), Outcome::Deny);
    assert_eq!(verdict(&plan, "cat /w/keys/a"), Outcome::Allow);
}

#[test]
fn a_question_of_a_project_makes_no_mode_and_no_default_milder() {
    let facts = Facts {
        project: PROJECT,
        directory: PROJECT,
        home: None,
        via: &[],
        shell: Shell::Bash,
        world: &NoWorld,
    };
    let outcome = |user: &str, project: &str, mode| {
        let plan = plan(&[(Layer::User, user), (Layer::Project, project)], false);
        decide(&plan, &Call::Shell("deploy now"), &facts, mode).outcome
    };
    let asks = "ask { command \"deploy ...\" }";
    let allows = "allow { command \"deploy ...\" }";
    for (user, mode, alone, with) in [
        (allows, Mode::Default, Outcome::Allow, Outcome::Ask),
        // What changes something is denied here, and a question is none of it.
        (allows, Mode::Plan, Outcome::Deny, Outcome::Deny),
        (allows, Mode::DontAsk, Outcome::Allow, Outcome::Deny),
        (
            "default { command \"deny\" }",
            Mode::Default,
            Outcome::Deny,
            Outcome::Deny,
        ),
        (
            "default { command \"ask\" }",
            Mode::Default,
            Outcome::Ask,
            Outcome::Ask,
        ),
    ] {
        assert_eq!(outcome(user, "policy \"p\"", mode), alone, "{user} {mode:?}");
        assert_eq!(outcome(user, asks, mode), with, "{user} {mode:?}");
    }
}
