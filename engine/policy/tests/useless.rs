//! What lints call useless is: taking it out changes no verdict, and what is said never to match decides nothing.

#[path = "lints/policies.rs"]
mod policies;

use engine_policy::document::{Alternatives, Subject};
use engine_policy::lint::{Finding, Lint, apply_fixes};
use engine_policy::{
    Call, Decision, Document, Facts, Mode, NoWorld, Outcome, Place, Plan, TEST_HOME, TEST_PROJECT, compile,
    decide,
};
use proptest::prelude::*;
use proptest::test_runner::Config;

use policies::findings;

/// Takes the pattern at a place out of a document, and its rule if it had no other.
fn without(documents: &[Document], place: Place) -> Vec<Document> {
    fn drop<P>(alternatives: &mut Alternatives<P>, place: Place) {
        alternatives.patterns.retain(|pattern| pattern.place != place);
    }
    let mut documents = documents.to_vec();
    for block in documents.iter_mut().flat_map(|document| &mut document.blocks) {
        for rule in &mut block.value.rules {
            match &mut rule.value.subject {
                Subject::Command(terms) => drop(terms, place),
                Subject::Read(terms) | Subject::Write(terms) | Subject::Delete(terms) => drop(terms, place),
                Subject::Network(terms) => drop(terms, place),
                Subject::Tool(globs) | Subject::Agent(globs) | Subject::Skill(globs) => drop(globs, place),
                Subject::Env(patterns) => drop(patterns, place),
                Subject::Mode(modes) => drop(modes, place),
                Subject::Short(_) => {}
            }
        }
        block.value.rules.retain(|rule| match &rule.value.subject {
            Subject::Command(terms) => !terms.patterns.is_empty(),
            Subject::Read(terms) | Subject::Write(terms) | Subject::Delete(terms) => {
                !terms.patterns.is_empty()
            }
            Subject::Network(terms) => !terms.patterns.is_empty(),
            Subject::Tool(globs) | Subject::Agent(globs) | Subject::Skill(globs) => {
                !globs.patterns.is_empty()
            }
            Subject::Env(patterns) => !patterns.patterns.is_empty(),
            Subject::Mode(modes) => !modes.patterns.is_empty(),
            Subject::Short(_) => rule.place != place,
        });
    }
    documents
}

fn decision(plan: &Plan, command: &str) -> Decision {
    let facts = Facts {
        via: &[],
        project: TEST_PROJECT,
        directory: TEST_PROJECT,
        home: Some(TEST_HOME),
        shell: engine_shell::Shell::Bash,
        world: &NoWorld,
    };
    decide(plan, &Call::Shell(command), &facts, Mode::Default)
}

fn verdict(plan: &Plan, command: &str) -> Outcome {
    decision(plan, command).outcome
}

fn patterns() -> impl Strategy<Value = String> {
    let word = || {
        prop::sample::select(vec![
            "...", "*", "a", "b", "-f", "-v", "[a]", "(a|b)", "a*", "(a|-f b)", "--force",
        ])
    };
    let program = prop::sample::select(vec![
        "git push",
        "git (push|log)",
        "rm",
        "git",
        "sort",
        "(rm|cp)",
        "tool",
        "git log",
    ]);
    (program, prop::collection::vec(word(), 0..4))
        .prop_map(|(program, words)| format!("{program} {}", words.join(" ")).trim_end().to_owned())
}

fn rule() -> impl Strategy<Value = String> {
    let effect = prop::sample::select(vec!["allow", "allow", "ask", "deny"]);
    let condition = prop::sample::select(vec![
        "",
        "",
        "",
        "",
        "{ flag \"-f\" }",
        "{ flag \"-f\" \"-v\" }",
        "{ without-flag \"-v\" }",
        "{ operands within=\"./a\" }",
        "{ except \"git push b ...\" }",
        "{ operand 1 \"a\" }",
    ]);
    let command = (prop::collection::vec(patterns(), 1..3), condition).prop_map(|(patterns, condition)| {
        let quoted: Vec<String> = patterns.iter().map(|pattern| format!("\"{pattern}\"")).collect();
        format!("command {} {condition}", quoted.join(" "))
    });
    let path = (
        prop::sample::select(vec!["read", "write", "delete"]),
        prop::collection::vec(
            prop::sample::select(vec![
                "./**",
                "./a/**",
                "./a",
                "./a/*.txt",
                "**/*.txt",
                "a",
                "/**",
                "~/a",
                "**",
                "./[a-c]/**",
                "./{a,b}/x",
            ]),
            1..3,
        ),
        prop::sample::select(vec!["", "", "{ except \"./a/x\" }"]),
    )
        .prop_map(|(kind, patterns, except)| {
            let quoted: Vec<String> = patterns.iter().map(|pattern| format!("\"{pattern}\"")).collect();
            format!("{kind} {} {except}", quoted.join(" "))
        });
    let short = prop::sample::select(vec![
        "Bash(git push:*)",
        "Bash(git push origin:*)",
        "Bash(git push -f:*)",
        "Bash(git:*)",
        "Bash(git push a)",
        "Bash(rm -rf:*)",
        "Bash(rm *)",
        "Bash(git * a)",
        "Bash(git push *-f*)",
        "Bash",
        "Edit(./a/**)",
        "Edit(a)",
        "Read(./**)",
        "Read(a/**)",
    ])
    .prop_map(|rule| format!("short \"{rule}\""));
    let host = prop::sample::select(vec![
        "\"a.example.org\"",
        "\"*.example.org\"",
        "\"*\"",
        "\"a.example.org:443\"",
        "\"10.0.0.0/8\"",
        "\"10.1.0.0/16\" \"10.1.2.3\"",
    ])
    .prop_map(|hosts| format!("network {hosts}"));
    let env = prop::sample::select(vec!["\"A\"", "\"A*\"", "\"A=1\"", "\"A\" \"A=1\"", "\"*\""])
        .prop_map(|names| format!("env {names}"));
    let set = prop::sample::select(vec![
        "read \"@s\"",
        "read \"@s\" \"./a/x\"",
        "write \"@s\" \"@s\"",
        "read \"./**\" { except \"@s\" }",
    ])
    .prop_map(str::to_owned);
    (
        effect,
        prop_oneof![6 => command, 3 => path, 2 => short, 1 => host, 1 => env, 1 => set],
    )
        .prop_map(|(effect, rule)| format!("{effect} {{ {rule} }}\n"))
}

/// The rules as a policy, with the set that some of them name.
fn with_set(rules: &[String]) -> String {
    format!(
        "sets {{ paths \"s\" \"./a/**\" {{ except \"./a/b\" }} }}\n{}",
        rules.concat()
    )
}

fn calls() -> Vec<String> {
    let mut calls = Vec::new();
    for program in [
        "git push",
        "git log",
        "rm",
        "sort",
        "cp x",
        "tool",
        "timeout 5 git push",
        "git -C a push",
    ] {
        for words in [
            "",
            "a",
            "b",
            "-f",
            "-v",
            "a b",
            "-f a",
            "a -f",
            "-fv a",
            "--force b",
            "\"$x\"",
            "$x",
            "a $x",
            "*.txt",
            "a/*",
            "a/x",
            "b -- -f",
            "~/a",
            "/etc/x",
            "a/b.txt",
            "-o a/x",
        ] {
            calls.push(format!("{program} {words}").trim_end().to_owned());
        }
    }
    calls.extend(
        [
            "cat a",
            "cat a/x",
            "cat b.txt",
            "cat /etc/x.txt",
            "echo > a/x",
            "echo > b/x.txt",
            "cat \"$x\"",
            "cat *",
            "grep -r x .",
            "curl https://a.example.org/",
            "curl http://a.example.org/ http://10.1.2.3/",
            "curl \"$x\"",
            "curl",
            "A=1 tool a",
            "A=$x tool",
            "export A=2",
            "git push origin a -f",
            "rm a -rf",
            "rm -r -f a",
            "git push x-f",
        ]
        .map(str::to_owned),
    );
    calls
}

proptest! {
    #![proptest_config(Config { cases: 48, failure_persistence: None, ..Config::default() })]

    #[test]
    fn what_is_called_useless_changes_no_verdict(rules in prop::collection::vec(rule(), 2..7)) {
        let text = with_set(&rules);
        let (mut loaded, findings) = findings(&text);
        let plan = loaded.compile().expect("a policy made here is right");
        let useless: Vec<&Finding> = findings
            .iter()
            .filter(|finding| matches!(finding.lint, Lint::Shadowed | Lint::Redundant | Lint::Duplicate))
            .collect();
        let mut left = loaded.documents.clone();
        for finding in useless {
            let alone = without(&loaded.documents, finding.place());
            left = without(&left, finding.place());
            for documents in [&alone, &left] {
                let other = compile(documents, Vec::new(), &loaded.sources).expect("a plan");
                for call in calls() {
                    prop_assert_eq!(
                        verdict(&other, &call),
                        verdict(&plan, &call),
                        "{}\n{}: {}\n{}", call, finding.lint.name(), finding.message, text
                    );
                }
            }
        }
    }

    #[test]
    fn what_is_said_never_to_match_decides_nothing(rule in rule()) {
        let text = with_set(&[rule]);
        let (mut loaded, findings) = findings(&text);
        let plan = loaded.compile().expect("a policy made here is right");
        let rules: usize = loaded
            .documents
            .iter()
            .flat_map(|document| &document.blocks)
            .flat_map(|block| &block.value.rules)
            .map(|rule| match &rule.value.subject {
                Subject::Command(terms) => terms.patterns.len(),
                Subject::Read(_)
                | Subject::Write(_)
                | Subject::Delete(_)
                | Subject::Network(_)
                | Subject::Tool(_)
                | Subject::Env(_)
                | Subject::Agent(_)
                | Subject::Skill(_)
                | Subject::Mode(_)
                | Subject::Short(_) => 1,
            })
            .sum();
        let never = findings.iter().filter(|finding| finding.lint == Lint::NeverMatches).count();
        if never == rules {
            // Where words are not known, it may still be taken for a match.
            for call in calls().iter().filter(|call| !call.contains(['$', '*'])) {
                let by_rule = decision(&plan, call).steps.iter().any(|step| step.why.rule().is_some());
                prop_assert!(!by_rule, "{}\n{}", call, text);
            }
        }
    }

    #[test]
    fn a_second_fix_finds_nothing_to_do(rules in prop::collection::vec(rule(), 2..7)) {
        let mut text = with_set(&rules);
        for _ in 0..8 {
            let (loaded, findings) = findings(&text);
            let source = loaded.documents[0].whole.place.source;
            let (fixed, made) = apply_fixes(&text, source, &findings).expect("edits");
            if made == 0 {
                break;
            }
            text = fixed;
        }
        let (loaded, findings) = findings(&text);
        prop_assert!(!loaded.has_errors(), "{}", text);
        let source = loaded.documents[0].whole.place.source;
        let (_, made) = apply_fixes(&text, source, &findings).expect("edits");
        prop_assert_eq!(made, 0, "{}", text);
    }
}
