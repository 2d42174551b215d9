//! How verdicts relate when the policy or the spelling changes: more denied is never milder, quotes say nothing, KDL and TOML are one.
#![expect(clippy::expect_used, reason = "helpers of tests fail as tests do")]

use std::fmt::Write as _;

use engine_policy::read::Format;
use engine_policy::{Mode, Outcome, Plan};
use engine_properties::{
    everyday_commands, fixture_commands, plan_of, plan_with_project, verdict, verdict_in,
};
use proptest::prelude::{Just, Strategy, any, prop, prop_oneof, proptest};
use proptest::test_runner::Config;

/// A rule in the words of both spellings.
#[derive(Clone, Debug)]
struct Rule {
    effect: &'static str,
    kind: &'static str,
    pattern: &'static str,
    flag: Option<&'static str>,
    because: bool,
}

fn commands() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "git ...",
        "git push ...",
        "git (status|log) ...",
        "git (add|commit) ...",
        "rm ...",
        "cargo (build|test) ...",
        "cat ...",
        "ls ...",
        "* --version",
        "npm *",
        "bash ...",
        "make [...]",
        "curl ...",
        "cp ...",
        "./run.sh ...",
    ])
}

fn paths() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "./**",
        "./src/**",
        "**/.env*",
        "~/.ssh/**",
        "/etc/**",
        "*.rs",
        "./out/{a,b}/**",
        "//usr/**",
        "./src/[a-m]*",
    ])
}

fn rule(effect: impl Strategy<Value = &'static str>) -> impl Strategy<Value = Rule> {
    let matched = prop_oneof![
        (
            Just("command"),
            commands(),
            prop::option::of(prop::sample::select(vec!["-f", "--force", "-r"]))
        ),
        (
            prop::sample::select(vec!["read", "write", "delete"]),
            paths(),
            Just(None)
        ),
        (
            Just("network"),
            prop::sample::select(vec!["example.org", "*.example.org", "10.0.0.0/8"]),
            Just(None)
        ),
        (
            Just("env"),
            prop::sample::select(vec!["NODE_ENV", "GIT_*"]),
            Just(None)
        ),
    ];
    (effect, matched, any::<bool>()).prop_map(|(effect, (kind, pattern, flag), because)| Rule {
        effect,
        kind,
        pattern,
        flag,
        because,
    })
}

fn rules() -> impl Strategy<Value = Vec<Rule>> {
    prop::collection::vec(
        rule(prop::sample::select(vec!["allow", "allow", "ask", "deny"])),
        0..8,
    )
}

fn kdl(rules: &[Rule]) -> String {
    let mut text = String::from("policy \"made\" { extends \"builtin:readonly\" }\n");
    for rule in rules {
        let because = if rule.because {
            " because=\"so \\\"it\\\" is\""
        } else {
            ""
        };
        let flag = rule
            .flag
            .map_or_else(String::new, |flag| format!(" {{ flag \"{flag}\" }}"));
        let _infallible = writeln!(
            text,
            "{}{because} {{ {} \"{}\"{flag} }}",
            rule.effect, rule.kind, rule.pattern
        );
    }
    text
}

fn toml(rules: &[Rule]) -> String {
    let mut text = String::from("policy = { name = \"made\", extends = [\"builtin:readonly\"] }\n");
    for rule in rules {
        let _infallible = writeln!(text, "[[{}]]", rule.effect);
        if rule.because {
            text.push_str("because = 'so \"it\" is'\n");
        }
        let _infallible = match rule.flag {
            Some(flag) => writeln!(
                text,
                "{} = {{ match = '{}', flag = '{flag}' }}",
                rule.kind, rule.pattern
            ),
            None => writeln!(text, "{} = ['{}']", rule.kind, rule.pattern),
        };
    }
    text
}

fn plan(rules: &[Rule]) -> Plan {
    plan_of(&kdl(rules), Format::Kdl).expect("a policy made here is right")
}

/// Everyday commands, each part of the language of rules above touched by some.
fn calls() -> Vec<&'static str> {
    let mut calls = everyday_commands();
    calls.extend([
        "rm -r out/a",
        "rm -fr /etc/x",
        "cp .env src/a.rs",
        "cat ~/.ssh/id_ed25519",
        "cat .env.local",
        "echo x > src/b.rs",
        "echo x > /etc/passwd",
        "GIT_SSH=x git fetch",
        "curl https://a.example.org",
        "curl http://10.1.2.3/",
        "./run.sh now",
        "cargo --version",
        "git push --force",
        "git push $x",
        "cat $f",
        "bash -c 'git push -f'",
        "timeout 5 git push",
        "ls /usr/lib",
        "rm \"$x\"",
        "git --version; rm -r src",
    ]);
    calls
}

/// What is said of requests that no rule speaks of, and about checks.
fn defaults() -> impl Strategy<Value = String> {
    let outcome = || prop::sample::select(vec!["ask", "allow", "deny"]);
    let severity = prop::sample::select(vec![
        "",
        "checks { command-substitution \"deny\"; output-redirection \"deny\" }",
    ]);
    (outcome(), outcome(), outcome(), outcome(), severity).prop_map(|(command, read, write, env, checks)| {
        format!("default {{ command \"{command}\"; read \"{read}\"; write \"{write}\"; delete \"{write}\"; env \"{env}\" }}\n{checks}\nmodes {{ allow \"bypass\" }}\n")
    })
}

const MODES: [Mode; 5] = [
    Mode::Default,
    Mode::Plan,
    Mode::AcceptEdits,
    Mode::DontAsk,
    Mode::Bypass,
];

fn decided(plan: &Plan, command: &str) -> Outcome {
    verdict(plan, command).expect("places and reasons are right")
}

proptest! {
    #![proptest_config(Config { cases: 40, failure_persistence: None, ..Config::default() })]

    #[test]
    fn another_deny_rule_is_never_milder(rules in rules(), more in rule(Just("deny")), at in any::<prop::sample::Index>()) {
        let before = plan(&rules);
        let mut stricter = rules.clone();
        stricter.insert(at.index(rules.len() + 1), more);
        let after = plan(&stricter);
        for command in calls() {
            assert!(decided(&after, command) >= decided(&before, command), "{command}\n{}", kdl(&stricter));
        }
    }

    #[test]
    fn one_allow_rule_less_is_never_milder(rules in rules(), at in any::<prop::sample::Index>()) {
        let before = plan(&rules);
        let mut fewer = rules.clone();
        if !fewer.is_empty() && fewer[at.index(rules.len())].effect == "allow" {
            fewer.remove(at.index(rules.len()));
        }
        let after = plan(&fewer);
        for command in calls() {
            assert!(decided(&after, command) >= decided(&before, command), "{command}\n{}", kdl(&rules));
        }
    }

    #[test]
    fn a_project_that_nobody_trusts_makes_nothing_milder(
        own in rules(),
        theirs in prop::collection::vec(rule(prop::sample::select(vec!["allow", "ask", "ask", "ask", "deny"])), 4..16),
        defaults in defaults(),
    ) {
        let person = kdl(&own) + &defaults;
        let project = kdl(&theirs).replace(" extends \"builtin:readonly\"", "");
        let alone = plan_with_project(&person, None).expect("a policy made here is right");
        let both = plan_with_project(&person, Some(&project)).expect("a policy made here is right");
        for mode in MODES {
            for command in calls() {
                let verdict = |plan| verdict_in(plan, command, mode).expect("places and reasons are right");
                let (before, after) = (verdict(&alone), verdict(&both));
                assert!(after >= before, "{mode:?}: {before:?}, then {after:?}: {command}\n{person}\n{project}");
            }
        }
    }

    #[test]
    fn the_order_of_rules_says_nothing(rules in rules()) {
        let forth = plan(&rules);
        let back = plan(&rules.iter().rev().cloned().collect::<Vec<_>>());
        for command in calls() {
            assert_eq!(decided(&forth, command), decided(&back, command), "{command}\n{}", kdl(&rules));
        }
    }

    #[test]
    fn kdl_and_toml_decide_alike(rules in rules()) {
        let one = plan(&rules);
        let other = plan_of(&toml(&rules), Format::Toml).unwrap_or_else(|| panic!("not right:\n{}", toml(&rules)));
        assert_eq!(one.rule_count(), other.rule_count());
        for command in calls() {
            assert_eq!(decided(&one, command), decided(&other, command), "{command}\n{}", kdl(&rules));
        }
    }

    #[test]
    fn a_plan_read_back_decides_alike(rules in rules()) {
        let one = plan(&rules);
        let other = Plan::from_bytes(one.to_bytes().expect("bytes").leak()).expect("a plan");
        for command in calls() {
            assert_eq!(decided(&one, command), decided(&other, command), "{command}\n{}", kdl(&rules));
        }
    }

    #[test]
    fn quotes_around_an_operand_say_nothing(
        rules in rules(),
        program in prop::sample::select(vec!["cat", "rm", "ls", "git add", "cp src/a.rs", "head", "wc -l", "mkdir", "touch"]),
        operand in "[a-z./_]{0,3}[a-z]{1,4}[a-z./_0-9]{0,6}",
    ) {
        let plan = plan(&rules);
        let plain = decided(&plan, &format!("{program} {operand}"));
        for quoted in [format!("'{operand}'"), format!("\"{operand}\"")] {
            assert_eq!(decided(&plan, &format!("{program} {quoted}")), plain, "{program} {quoted}\n{}", kdl(&rules));
        }
    }

    #[test]
    fn a_value_in_a_variable_is_the_value(rules in rules(), program in prop::sample::select(vec!["cat", "rm", "ls", "head"]), operand in "[a-z]{1,4}(/[a-z]{1,3}){0,2}") {
        let plan = plan(&rules);
        let plain = decided(&plan, &format!("{program} {operand}"));
        for spelled in [format!("f={operand}; {program} \"$f\""), format!("for f in {operand}; do {program} \"$f\"; done")] {
            assert_eq!(decided(&plan, &spelled), plain, "{spelled}\n{}", kdl(&rules));
        }
    }
}

#[test]
fn unknown_words_never_widen_what_is_allowed() {
    let plan = plan_of(
        "policy \"p\" { extends \"builtin:readonly\" }\nallow { command \"git push origin docs\" \"rm out\"; read \"./**\" }\n",
        Format::Kdl,
    )
    .expect("a policy");
    for command in [
        "git push origin $x",
        "git push origin d*",
        "git push \"$@\"",
        "rm $x",
        "rm o?t",
        "$x out",
        "cat $x",
        "cat src/$x",
        "cat \"$(ls)\"",
    ] {
        assert_ne!(decided(&plan, command), Outcome::Allow, "{command}");
    }
    assert_eq!(decided(&plan, "git push origin docs"), Outcome::Allow);
}

#[test]
fn more_denied_is_never_milder_for_the_fixtures() {
    let before = plan_of(
        "policy \"p\" { extends \"builtin:readonly\" }\nallow { command \"bash ...\" \"evil ...\" }\n",
        Format::Kdl,
    )
    .expect("a policy");
    let after = plan_of(
        "policy \"p\" { extends \"builtin:readonly\" }\nallow { command \"bash ...\" \"evil ...\" }\ndeny { command \"evil ...\" }\n",
        Format::Kdl,
    )
    .expect("a policy");
    let milder: Vec<String> = fixture_commands()
        .into_iter()
        .filter(|command| decided(&after, command) < decided(&before, command))
        .collect();
    assert_eq!(milder, Vec::<String>::new());
}
