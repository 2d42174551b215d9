//! Layers: every one can tighten, who may loosen, and what the machine locks.
#![expect(clippy::panic, reason = "helpers of tests fail as tests do")]

#[path = "layers/memory.rs"]
mod memory;

use engine_policy::{
    Call, Facts, Layer, Mode, NoWorld, Outcome, Plan, Reason, RequestKind, Standing, decide,
};
use engine_shell::Shell;

use memory::{Memory, PROJECT, file_of, load, load_from, plan, verdict};

/// The layers that a file can stand in.
const LAYERS: [Layer; 6] = [
    Layer::User,
    Layer::Around,
    Layer::Project,
    Layer::Local,
    Layer::CommandLine,
    Layer::Managed,
];

/// Every pair of layers, in both orders, with what needs trust trusted and not.
fn pairs() -> impl Iterator<Item = (Layer, Layer, bool)> {
    LAYERS.into_iter().flat_map(|a| {
        LAYERS
            .into_iter()
            .filter(move |b| *b != a)
            .flat_map(move |b| [(a, b, true), (a, b, false)])
    })
}

#[test]
fn a_deny_of_any_layer_holds_against_an_allow_of_any_other() {
    for (denies, allows, trusted) in pairs() {
        let plan = plan(
            &[
                (denies, "deny { command \"tool go\" }"),
                (allows, "allow { command \"tool ...\" }"),
            ],
            trusted,
        );
        assert_eq!(
            verdict(&plan, "tool go"),
            Outcome::Deny,
            "{denies:?} {allows:?} {trusted}"
        );
    }
}

#[test]
fn an_ask_of_any_layer_holds_against_an_allow_of_any_other() {
    for (asks, allows, trusted) in pairs() {
        let plan = plan(
            &[
                (asks, "ask { command \"tool go\" }"),
                (allows, "allow { command \"tool ...\" }"),
            ],
            trusted,
        );
        assert_eq!(
            verdict(&plan, "tool go"),
            Outcome::Ask,
            "{asks:?} {allows:?} {trusted}"
        );
    }
}

#[test]
fn an_allow_counts_in_every_layer_that_may_loosen() {
    for (other, allows, trusted) in pairs() {
        let plan = plan(
            &[
                (other, "deny { command \"other\" }"),
                (allows, "allow { command \"tool ...\" }"),
            ],
            trusted,
        );
        let counts = !allows.only_tightens() && (trusted || !allows.needs_trust());
        let reason = if allows.only_tightens() {
            Reason::Around
        } else {
            Reason::NotTrusted
        };
        let expected = if counts { Outcome::Allow } else { Outcome::Ask };
        assert_eq!(
            verdict(&plan, "tool go"),
            expected,
            "{other:?} {allows:?} {trusted}"
        );
        let withheld = plan
            .withheld()
            .iter()
            .any(|own| own.layer == allows && own.reason == reason && own.rules == 1);
        assert_eq!(withheld, !counts, "{other:?} {allows:?} {trusted}");
    }
}

#[test]
fn a_looser_setting_counts_only_from_layers_that_may_loosen_and_never_against_the_machine() {
    let strict = "default { network \"deny\" }\nchecks { newlines \"deny\" }\nmodes { default \"dont-ask\" }\nlimits { commands 10 }";
    let loose = "default { network \"allow\" }\nchecks { newlines \"off\" }\nmodes { default \"accept-edits\" }\nlimits { commands 1000 }";
    for (first, second, trusted) in pairs() {
        if first > second {
            continue;
        }
        let plan = plan(&[(first, strict), (second, loose)], trusted);
        let second_loosens = match second {
            // What the machine says is the least, and the person's own is stricter.
            Layer::Managed | Layer::Around => false,
            Layer::Builtin | Layer::User | Layer::Project | Layer::Local | Layer::CommandLine => {
                trusted || !second.needs_trust()
            }
        };
        let expected = if second_loosens {
            Outcome::Allow
        } else {
            Outcome::Deny
        };
        let context = format!("{first:?} {second:?} {trusted}");
        assert_eq!(plan.default_for(RequestKind::Network), expected, "{context}");
        let start = if second_loosens {
            Mode::AcceptEdits
        } else {
            Mode::DontAsk
        };
        assert_eq!(plan.start_mode(), start, "{context}");
    }
}

#[test]
fn a_stricter_setting_counts_from_every_layer() {
    let strict = "default { network \"deny\" }\nmodes { deny \"accept-edits\" }";
    let loose = "default { network \"allow\" }\nmodes { allow \"accept-edits\" }";
    for (first, second, trusted) in pairs() {
        if first > second {
            continue;
        }
        let plan = plan(&[(first, loose), (second, strict)], trusted);
        let context = format!("{first:?} {second:?} {trusted}");
        assert_eq!(plan.default_for(RequestKind::Network), Outcome::Deny, "{context}");
        assert_eq!(plan.mode_allowed(Mode::AcceptEdits), Outcome::Deny, "{context}");
    }
}

#[test]
fn nobody_below_loosens_what_the_machine_says() {
    for below in [Layer::User, Layer::Project, Layer::Local, Layer::CommandLine] {
        let plan = plan(
            &[
                (
                    Layer::Managed,
                    "default { network \"deny\" }\nmodes { deny \"bypass\" }",
                ),
                (below, "default { network \"allow\" }\nmodes { allow \"bypass\" }"),
            ],
            true,
        );
        assert_eq!(plan.default_for(RequestKind::Network), Outcome::Deny, "{below:?}");
        assert_eq!(plan.mode_allowed(Mode::Bypass), Outcome::Deny, "{below:?}");
    }
}

#[test]
fn locked_rules_leave_only_the_allow_rules_of_the_machine() {
    for below in [Layer::User, Layer::Project, Layer::Local, Layer::CommandLine] {
        let plan = plan(
            &[
                (Layer::Managed, "lock { rules }\nallow { command \"ours\" }"),
                (
                    below,
                    "allow { command \"theirs\" }\ndeny { command \"bad\" }\ndefault { network \"allow\"; command \"deny\" }",
                ),
            ],
            true,
        );
        assert_eq!(verdict(&plan, "ours"), Outcome::Allow, "{below:?}");
        assert_eq!(verdict(&plan, "bad"), Outcome::Deny, "{below:?}");
        // The default for commands was tightened by the layer below.
        assert_eq!(verdict(&plan, "theirs"), Outcome::Deny, "{below:?}");
        assert_eq!(plan.default_for(RequestKind::Network), Outcome::Ask, "{below:?}");
        let withheld: Vec<_> = plan
            .withheld()
            .iter()
            .map(|own| (own.layer, own.reason))
            .collect();
        assert!(
            withheld.contains(&(below, Reason::Locked)),
            "{below:?} {withheld:?}"
        );
    }
}

#[test]
fn locked_checks_and_modes_are_not_loosened_where_the_machine_says_nothing_about_them() {
    for below in [Layer::User, Layer::Project, Layer::Local, Layer::CommandLine] {
        let plan = plan(
            &[
                (Layer::Managed, "lock { checks; modes }"),
                (
                    below,
                    "checks { control-characters \"off\" }\nmodes { allow \"bypass\"; default \"accept-edits\" }\nallow { command \"echo ...\" }",
                ),
            ],
            true,
        );
        assert_eq!(plan.mode_allowed(Mode::Bypass), Outcome::Deny, "{below:?}");
        assert_eq!(plan.start_mode(), Mode::Default, "{below:?}");
        assert_eq!(verdict(&plan, "echo \u{1}"), Outcome::Ask, "{below:?}");
    }
}

#[test]
fn a_lock_below_the_machine_is_warned_about_and_locks_nothing() {
    for layer in [Layer::User, Layer::Project, Layer::Local, Layer::CommandLine] {
        let mut loaded = load(
            &[
                (layer, "lock { rules }"),
                (Layer::Managed, "allow { command \"x\" }"),
            ],
            true,
        );
        let plan = loaded.compile().expect("a plan");
        assert_eq!(verdict(&plan, "x"), Outcome::Allow, "{layer:?}");
        let codes: Vec<_> = loaded.diagnostics.iter().map(|problem| problem.code).collect();
        assert_eq!(codes, ["policy::lock-below"], "{layer:?}");
    }
}

#[test]
fn an_untrusted_ask_rule_does_not_soften_a_default_that_denies() {
    for layer in [Layer::Project, Layer::Local] {
        let texts = [
            (
                Layer::User,
                "default { command \"deny\"; read \"deny\" }\nallow { read \"./a\" }",
            ),
            (
                layer,
                "ask { command \"foo\"; read \"./**\" }\ndeny { command \"foo a\" }",
            ),
        ];
        let untrusted = plan(&texts, false);
        assert_eq!(verdict(&untrusted, "foo"), Outcome::Deny);
        assert_eq!(verdict(&untrusted, "foo $Y"), Outcome::Deny);
        assert_eq!(verdict(&untrusted, "cat b"), Outcome::Deny);
        // It does tighten what was allowed.
        assert_eq!(verdict(&untrusted, "cat a"), Outcome::Ask);
        // Trusted, it is a rule like any other.
        assert_eq!(verdict(&plan(&texts, true), "foo"), Outcome::Ask);
    }
}

#[test]
fn a_layer_does_not_change_what_the_sets_of_another_mean() {
    for (first, second, trusted) in pairs() {
        let plan = plan(
            &[
                (
                    first,
                    "sets { paths \"secrets\" \"**/key\" }\ndeny { read \"@secrets\" }",
                ),
                (
                    second,
                    "sets { paths \"secrets\" \"**/nothing\" }\nallow { read \"./**\" }",
                ),
            ],
            trusted,
        );
        assert_eq!(
            verdict(&plan, "cat key"),
            Outcome::Deny,
            "{first:?} {second:?} {trusted}"
        );
    }
}

#[test]
fn sets_of_layers_below_can_be_named_unless_they_are_not_trusted() {
    let texts = [
        (Layer::Project, "sets { paths \"sources\" \"./src/**\" }"),
        (Layer::CommandLine, "allow { read \"@sources\" }"),
    ];
    assert_eq!(verdict(&plan(&texts, true), "cat src/a"), Outcome::Allow);
    let mut loaded = load(&texts, false);
    assert!(loaded.compile().is_none());
    let codes: Vec<_> = loaded.diagnostics.iter().map(|problem| problem.code).collect();
    assert_eq!(codes, ["policy::untrusted-set"]);
}

#[test]
fn the_machine_names_no_set_of_anybody_below() {
    let mut loaded = load(
        &[
            (Layer::User, "sets { paths \"secrets\" \"**/key\" }"),
            (Layer::Managed, "deny { read \"@secrets\" }"),
        ],
        true,
    );
    assert!(loaded.compile().is_none());
    assert_eq!(
        loaded.diagnostics.first().map(|problem| problem.code),
        Some("policy::unknown-set")
    );
}

#[test]
fn without_a_layer_that_may_loosen_the_shipped_base_is_the_ground() {
    let denies = "deny { command \"git log ...\" }";
    for (layer, trusted, has_ground) in [
        (Layer::Project, false, true),
        (Layer::Local, false, true),
        (Layer::Managed, true, true),
        (Layer::Project, true, false),
        (Layer::User, true, false),
        (Layer::CommandLine, true, false),
    ] {
        let plan = plan(&[(layer, denies)], trusted);
        let expected = if has_ground { Outcome::Allow } else { Outcome::Ask };
        // Allowed by base's own rule about reading in the project.
        assert_eq!(verdict(&plan, "cat README.md"), expected, "{layer:?} {trusted}");
        assert_eq!(verdict(&plan, "git log"), Outcome::Deny, "{layer:?} {trusted}");
    }
}

#[test]
fn what_an_untrusted_file_extends_is_loaded_in_full_by_others() {
    let texts = [
        (Layer::Project, "policy \"p\" { extends \"builtin:base\" }"),
        (
            Layer::CommandLine,
            "policy \"c\" { extends \"builtin:base\" }\nallow { command \"x\" }",
        ),
    ];
    assert_eq!(verdict(&plan(&texts, false), "cat README.md"), Outcome::Allow);
}

#[test]
fn definitions_of_an_untrusted_file_do_not_count() {
    let mut memory = Memory::default();
    memory.0.insert(
        file_of(Layer::Project),
        "policy \"p\" { commands \"./ours.kdl\" }\nallow { read \"./**\" }".to_owned(),
    );
    memory.0.insert(
        "/project/.engine/ours.kdl".to_owned(),
        "bin \"our-list\"\nabout \"lists\"\nsource \"our-list 1.0\"\ncomplete\n".to_owned(),
    );
    for (trusted, expected) in [(true, Outcome::Allow), (false, Outcome::Ask)] {
        let mut loaded = load_from(&memory, [Layer::Project].into_iter(), trusted);
        let plan = loaded
            .compile()
            .unwrap_or_else(|| panic!("{:?}", loaded.diagnostics));
        assert_eq!(verdict(&plan, "our-list"), expected);
        let count: usize = plan.withheld().iter().map(|own| own.definitions).sum();
        assert_eq!(count, usize::from(!trusted));
    }
}

#[test]
fn the_digest_of_a_layer_changes_with_every_file_it_is_made_of() {
    let digest = |extended: &str, definitions: &str, other: &str| {
        let mut memory = Memory::default();
        memory.0.insert(
            file_of(Layer::Project),
            "policy \"p\" { extends \"./more.kdl\"; commands \"./ours.kdl\" }".to_owned(),
        );
        memory
            .0
            .insert("/project/.engine/more.kdl".to_owned(), extended.to_owned());
        memory
            .0
            .insert("/project/.engine/ours.kdl".to_owned(), definitions.to_owned());
        memory.0.insert(file_of(Layer::User), other.to_owned());
        let loaded = load_from(&memory, [Layer::User, Layer::Project].into_iter(), true);
        assert!(!loaded.has_errors(), "{:?}", loaded.diagnostics);
        let own = loaded
            .layers
            .iter()
            .find(|layer| layer.standing.layer == Layer::Project)
            .expect("the project");
        own.digest.clone()
    };
    let definitions = "bin \"ours\"\n";
    let first = digest("allow { }", definitions, "");
    assert_eq!(first, digest("allow { }", definitions, "deny { }"));
    assert_ne!(first, digest("ask { }", definitions, ""));
    assert_ne!(first, digest("allow { }", "bin \"theirs\"\n", ""));
}

#[test]
fn a_project_names_no_file_outside() {
    for path in [
        "../../home/user/team.kdl",
        "/home/user/team.kdl",
        "/project-other/x.kdl",
        "../../etc/shadow",
    ] {
        for word in ["extends", "commands"] {
            let text = format!("policy \"p\" {{ {word} \"{path}\" }}");
            let loaded = load(&[(Layer::Project, &text)], true);
            let codes: Vec<_> = loaded.diagnostics.iter().map(|problem| problem.code).collect();
            assert_eq!(codes, ["policy::outside"], "{text}");
        }
    }
}

#[test]
fn hooks_run_where_their_layer_may_say_them() {
    let hooks = |name: &str| format!("hooks {{ before \"Bash\" run=\"{name}\" }}");
    let run = |lock: &str, trusted: bool| -> Vec<String> {
        let managed = format!("{}\n{lock}", hooks("managed"));
        let plan = plan(
            &[
                (Layer::User, &hooks("user")),
                (Layer::Around, &hooks("around")),
                (Layer::Project, &hooks("project")),
                (Layer::Managed, &managed),
            ],
            trusted,
        );
        plan.hooks().iter().map(|hook| hook.run.to_string()).collect()
    };
    assert_eq!(run("", true), ["user", "project", "managed"]);
    assert_eq!(run("", false), ["user", "managed"]);
    assert_eq!(run("lock { hooks }", true), ["managed"]);
}

#[test]
fn a_hook_stands_in_for_a_person_only_where_its_layer_may_allow() {
    let hook = "hooks { before run=\"x\" }";
    let may = |lock: &str| {
        let texts = [(Layer::User, hook), (Layer::Managed, lock)];
        plan(&texts, true).hooks()[0].may_allow
    };
    assert!(may("checks { }"));
    assert!(!may("lock { rules }"));
}

#[test]
fn budgets_of_who_may_not_loosen_only_lower() {
    let of = |texts: &[(Layer, &str)], trusted: bool| {
        let plan = plan(texts, trusted);
        let budget = plan.budgets().of_tool("Bash");
        (budget.said, budget.cap)
    };
    let user = (Layer::User, "budgets { tool \"Bash\" chars=1000 }");
    let more = (Layer::Project, "budgets { tool \"*\" chars=9000 }");
    let less = (Layer::Project, "budgets { tool \"Ba*\" chars=10 }");
    assert_eq!(of(&[user, more], true), (Some(Some(9000)), None));
    assert_eq!(of(&[user, more], false), (Some(Some(1000)), Some(9000)));
    assert_eq!(of(&[user, less], false), (Some(Some(1000)), Some(10)));
    let managed = (Layer::Managed, "budgets { tool \"Bash\" chars=500 }");
    assert_eq!(of(&[user, managed], true), (Some(Some(1000)), Some(500)));
    let locked = (Layer::Managed, "lock { budgets }");
    assert_eq!(of(&[user, locked], true), (None, Some(1000)));
}

#[test]
fn the_budget_of_a_message_has_the_machines_figure_as_its_most() {
    let of = |texts: &[(Layer, &str)]| {
        let plan = plan(texts, false);
        (plan.budgets().message(), plan.budgets().message_cap())
    };
    let user = (Layer::User, "budgets { message chars=7 }");
    let project = (Layer::Project, "budgets { message tokens=1 }");
    let managed = (Layer::Managed, "budgets { message chars=5 }");
    assert_eq!(of(&[user]), (Some(7), None));
    assert_eq!(of(&[user, managed]), (Some(7), Some(5)));
    assert_eq!(of(&[user, project]), (Some(7), Some(4)));
}

#[test]
fn an_untrusted_file_defers_and_shows_nothing() {
    let user = (Layer::User, "defer { tool \"mcp__*\"; except \"mcp__docs__*\" }");
    let project = (
        Layer::Project,
        "defer { tool \"WebFetch\"; except \"mcp__a__b\" }",
    );
    let says = |trusted: bool, name: &str| plan(&[user, project], trusted).defers(name);
    assert_eq!(says(false, "WebFetch"), Some(true));
    assert_eq!(says(false, "mcp__a__b"), Some(true));
    assert_eq!(says(true, "mcp__a__b"), Some(false));
    assert_eq!(says(false, "mcp__docs__x"), Some(false));
    assert_eq!(says(false, "Bash"), None);
    let managed = (Layer::Managed, "defer { tool \"mcp__a__*\" }");
    let plan = plan(&[user, project, managed], true);
    assert_eq!(plan.defers("mcp__a__b"), Some(true));
}

#[test]
fn what_does_not_count_of_hooks_and_budgets_is_told() {
    let project = "hooks { before run=\"a\"; stop run=\"b\" }\nbudgets { tool \"Bash\" chars=\"unlimited\" }";
    let plan = plan(&[(Layer::User, "checks { }"), (Layer::Project, project)], false);
    assert_eq!(plan.withheld()[0].settings, 3);
}

#[test]
fn a_plan_that_is_read_back_has_its_hooks() {
    let text = "hooks { after \"Edit|Write\" run=\"./fmt.sh\" timeout=\"2m\" on-error=\"ask\" }\nbudgets { tool \"Bash\" chars=5 }\ndefer { tool \"X\" }";
    let first = plan(&[(Layer::CommandLine, text)], true);
    let back = Plan::from_bytes(first.to_bytes().expect("bytes").leak()).expect("a plan");
    assert_eq!(back.hooks(), first.hooks());
    assert_eq!(back.hooks()[0].timeout_ms, 120_000);
    assert_eq!(
        (back.hooks()[0].file.as_str(), back.hooks()[0].line),
        ("/tmp/named.kdl", 1)
    );
    assert_eq!(back.budgets(), first.budgets());
    assert_eq!(back.defers("X"), Some(true));
}

#[test]
fn rules_say_which_layer_they_come_from() {
    let plan = plan(&[(Layer::Project, "deny \"no\" { command \"x\" }")], false);
    let facts = Facts {
        via: &[],
        project: PROJECT,
        directory: PROJECT,
        home: None,
        shell: Shell::Bash,
        world: &NoWorld,
    };
    let decision = decide(&plan, &Call::Shell("x"), &facts, Mode::Default);
    let layers: Vec<Layer> = decision
        .reasons()
        .filter_map(|step| step.why.rule()?.info(&plan))
        .map(|info| info.layer)
        .collect();
    assert_eq!(layers, [Layer::Project]);
}

#[test]
fn every_document_has_a_standing() {
    let loaded = load(
        &[
            (Layer::User, "policy \"u\" { extends \"builtin:base\" }"),
            (Layer::Project, "deny { command \"x\" }"),
        ],
        false,
    );
    assert_eq!(loaded.documents.len(), loaded.standings.len());
    let expected = Standing::new(Layer::Project, false);
    assert_eq!(loaded.standings.last(), Some(&expected));
}
