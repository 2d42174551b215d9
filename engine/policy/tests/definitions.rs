//! Command definitions that policies bring along: read, refused with every mistake, bounded; what tools publish of themselves never makes
//! a verdict milder; the programs that must be known are.
//!
//! With `UPDATE_FIXTURES` set, the expectations of `fixtures/definitions/err` are written instead of compared; the change is for review.
#![expect(clippy::expect_used, reason = "helpers of tests fail as tests do")]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use engine_policy::definition::model::Command;
use engine_policy::definition::{Catalogue, run_each_example, shipped_definitions};
use engine_policy::read::Format;
use engine_policy::{
    Call, Facts, Files, Layer, LayerRoot, Level, Loaded, Mode, NoWorld, Outcome, Plan, Root, TEST_HOME,
    TEST_PROJECT, decide, load, load_layers,
};
use engine_shell::Shell;

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../fixtures/definitions")
        .join(name)
}

/// Files by name, at `/p`; the fixtures at `/fixtures`.
#[derive(Default)]
struct Texts(BTreeMap<String, String>);

impl Texts {
    fn with(mut self, name: &str, text: impl Into<String>) -> Self {
        self.0.insert(format!("/p/{name}"), text.into());
        self
    }
}

impl Files for Texts {
    fn text(&self, path: &str) -> Result<String, String> {
        if let Some(name) = path.strip_prefix("/fixtures/") {
            return fs::read_to_string(folder(name)).map_err(|_| "there is no such file".to_owned());
        }
        self.0
            .get(path)
            .cloned()
            .ok_or_else(|| "there is no such file".to_owned())
    }
}

fn loaded(policy: &str, files: &Texts) -> Loaded {
    let root = Root::Text {
        name: "/p/policy.kdl".to_owned(),
        text: policy.to_owned(),
        format: Format::Kdl,
    };
    load(&[root], files)
}

/// One line for each diagnostic: level, code, place, message, help.
fn listing(loaded: &Loaded) -> String {
    let mut out = String::new();
    for diagnostic in &loaded.diagnostics {
        let place = diagnostic.place().expect("a place");
        let at = loaded.sources.line_column(place);
        let file = loaded.sources.name(place);
        let level = match diagnostic.level {
            Level::Note => "note",
            Level::Warning => "warning",
            Level::Error => "error",
        };
        let file = file.strip_prefix("/fixtures/err/").unwrap_or(file);
        let message = diagnostic.message.replace("/fixtures/err/", "");
        write!(
            out,
            "{level} {} {file}:{}:{} {message}",
            diagnostic.code, at.line, at.column
        )
        .expect("a line");
        if let Some(help) = &diagnostic.help {
            write!(out, " ({help})").expect("a line");
        }
        out.push('\n');
    }
    out
}

fn plan(policy: &str, files: &Texts) -> Plan {
    let mut loaded = loaded(policy, files);
    let plan = loaded.compile();
    assert!(plan.is_some(), "{}", listing(&loaded));
    plan.expect("a plan")
}

fn verdict(plan: &Plan, command: &str, mode: Mode) -> Outcome {
    let facts = Facts {
        via: &[],
        project: TEST_PROJECT,
        directory: TEST_PROJECT,
        home: Some(TEST_HOME),
        shell: Shell::Bash,
        world: &NoWorld,
    };
    decide(plan, &Call::Shell(command), &facts, mode).outcome
}

fn verdicts(plan: &Plan, commands: &[&str]) -> Vec<Outcome> {
    commands
        .iter()
        .map(|command| verdict(plan, command, Mode::Default))
        .collect()
}

use Outcome::{Allow, Ask, Deny};

fn files(name: &str) -> Vec<String> {
    let mut files: Vec<String> = fs::read_dir(folder(name))
        .expect("the folder")
        .map(|entry| {
            entry
                .expect("an entry")
                .file_name()
                .to_string_lossy()
                .into_owned()
        })
        .filter(|file| Path::new(file).extension().is_some_and(|ending| ending == "kdl"))
        .collect();
    files.sort();
    assert!(!files.is_empty());
    files
}

#[test]
fn good_files_are_read_without_a_diagnostic_and_their_examples_hold() {
    for file in files("ok") {
        let policy = format!("policy \"p\" {{ commands \"/fixtures/ok/{file}\" }}");
        let mut loaded = loaded(&policy, &Texts::default());
        assert_eq!(listing(&loaded), "", "{file}");
        assert!(loaded.compile().is_some(), "{file}");
        for definition in &loaded.definitions {
            let failures: Vec<String> = run_each_example(definition).into_iter().flatten().collect();
            assert_eq!(failures, Vec::<String>::new(), "{file}");
        }
    }
}

#[test]
fn bad_files_get_every_diagnostic() {
    for file in files("err") {
        let policy = format!("policy \"p\" {{ commands \"/fixtures/err/{file}\" }}");
        let mut loaded = loaded(&policy, &Texts::default());
        let found = listing(&loaded);
        assert!(loaded.compile().is_none(), "{file}: {found}");
        let path = folder("err").join(format!("{file}.expected"));
        if std::env::var_os("UPDATE_FIXTURES").is_some() {
            fs::write(&path, &found).expect("written");
            continue;
        }
        let expected = fs::read_to_string(&path).expect("an expectation beside each file");
        assert_eq!(found, expected, "{file}");
    }
}

#[test]
fn a_team_adds_a_program_that_its_rules_then_know() {
    let policy = r#"
        policy "p" { commands "/fixtures/ok/team.kdl" }
        allow { read "./**"; write "./out/**"; command "deckhand paint ..." }
        deny "forced" { command "deckhand paint ..." { flag "--force" } }
    "#;
    let plan = plan(policy, &Texts::default());
    let commands = [
        "deckhand show a",
        "dh s -- a b",
        "dh -v show ./a",
        "deckhand show /etc/shadow",
        "deckhand show --zap",
        "deckhand paint a",
        "deckhand paint -nf a",
        "dh -c ./x paint --force a",
    ];
    assert_eq!(
        verdicts(&plan, &commands),
        [Allow, Allow, Allow, Ask, Ask, Allow, Deny, Ask]
    );
}

#[test]
fn a_team_replaces_a_shipped_definition_by_saying_so() {
    let policy = |commands: &str| format!("policy \"p\" {{ {commands} }}\nallow {{ read \"./**\" }}");
    let shipped = plan(&policy(""), &Texts::default());
    let own = plan(
        &policy("commands \"/fixtures/ok/replaces.kdl\""),
        &Texts::default(),
    );
    let commands = ["grep a b", "grep -r a .", "grep a /etc/shadow"];
    assert_eq!(verdicts(&shipped, &commands), [Allow, Allow, Ask]);
    assert_eq!(verdicts(&own, &commands), [Allow, Ask, Ask]);
}

#[test]
fn two_files_that_define_one_program_are_an_error_with_both_places() {
    let files = Texts::default()
        .with("a.kdl", "bin \"tiller\"\nsource \"tiller 1\"\ncomplete\n")
        .with("b.kdl", "// another\nbin \"x\" \"tiller\"\nsource \"x 1\"\n")
        .with("c.kdl", "name \"tiller\"\nversion \"1\"\n");
    let twice = loaded("policy \"p\" { commands \"a.kdl\" \"b.kdl\" \"c.kdl\" }", &files);
    let expected = "error commands::duplicate /p/b.kdl:2:1 `tiller` is defined twice (keep one of the definitions)\n\
                    error commands::duplicate /p/c.kdl:1:1 `tiller` is defined twice (keep one of the definitions)\n";
    assert_eq!(listing(&twice), expected);
    let first = twice.diagnostics[0].labels[1].0;
    assert_eq!(twice.sources.name(first), "/p/a.kdl");
    // The same file by two ways is one file.
    let files = files.with("more.kdl", "policy \"m\" { commands \"a.kdl\" }");
    let once = loaded(
        "policy \"p\" { extends \"more.kdl\"; commands \"a.kdl\" }",
        &files,
    );
    assert_eq!(listing(&once), "");
    assert_eq!(once.definitions.len(), 1);
}

#[test]
fn files_are_bounded_in_size_depth_number_and_options() {
    let large = format!("bin \"a\"\n{}", "// padding\n".repeat(100_000));
    let deep = format!("bin \"a\"\n{}{}", "cmd \"x\" {\n".repeat(60), "}\n".repeat(60));
    let many: String = (0..9_000).fold("bin \"a\"\nsource \"a 1\"\n".to_owned(), |mut text, number| {
        writeln!(text, "flags \"--o{number}\"").expect("a line");
        text
    });
    for (text, message) in [
        (large, "longer than 1048576 bytes"),
        (deep, "nest"),
        (many, "more than 8192 names of options"),
    ] {
        let found = loaded(
            "policy \"p\" { commands \"a.kdl\" }",
            &Texts::default().with("a.kdl", text),
        );
        assert!(found.has_errors());
        assert!(
            listing(&found).contains(message),
            "{message}: {}",
            listing(&found)
        );
    }
    let chain = (0..40).fold(Texts::default(), |files, number| {
        files.with(
            &format!("{number}.kdl"),
            format!("include file=\"{}.kdl\"", number + 1),
        )
    });
    let chain = chain.with("a.kdl", "bin \"a\"\nsource \"a 1\"\ninclude file=\"0.kdl\"");
    let found = loaded("policy \"p\" { commands \"a.kdl\" }", &chain);
    assert_eq!(
        listing(&found),
        "error commands::include-depth /p/15.kdl:1:1 `include` goes deeper than 16 files\n"
    );
    // Each includes the next twice.
    let tree = (0..12).fold(Texts::default(), |files, number| {
        let next = format!("include file=\"{}.kdl\"\n", number + 1);
        files.with(&format!("{number}.kdl"), next.repeat(2))
    });
    let tree = tree
        .with("12.kdl", "flags \"-a\"")
        .with("a.kdl", "bin \"a\"\nsource \"a 1\"\ninclude file=\"0.kdl\"");
    let found = loaded("policy \"p\" { commands \"a.kdl\" }", &tree);
    assert!(listing(&found).contains("more than 64 files are included"));
    assert!(found.sources.iter().count() < 70);
}

#[test]
fn of_a_project_that_nobody_has_trusted_only_what_makes_stricter_counts() {
    let files = Texts::default()
        .with("own.kdl", "bin \"oar\"\nsource \"oar 1\"\ncomplete")
        .with("user.kdl", "policy \"u\" { commands \"own.kdl\" }")
        // The same program, as harmless as can be, and one of the shipped ones.
        .with(
            "theirs.kdl",
            "bin \"oar\" \"scull\"\nsource \"oar 1\"\nreplaces\narg \"[x]...\"\ncomplete",
        )
        .with(
            "rm.kdl",
            "bin \"rm\"\nsource \"rm 1\"\narg \"[file]...\"\nflags \"-r\" \"-f\"\nreplaces\ncomplete",
        )
        .with(
            "jib.kdl",
            "name \"jib\"\nversion \"1\"\ncmd \"reef\" { alias \"r\"; flag \"-f --force\" help=\"x\"; }",
        )
        .with(
            "project.kdl",
            "policy \"q\" { commands \"theirs.kdl\" \"rm.kdl\" \"jib.kdl\" }\n\
             deny { command \"jib reef ...\" { flag \"--force\" } }",
        );
    let root = |layer, name: &str| LayerRoot {
        layer,
        root: Root::File(format!("/p/{name}")),
        files: &files,
        within: None,
    };
    let roots = [root(Layer::User, "user.kdl"), root(Layer::Project, "project.kdl")];
    let mut cloned = load_layers(&roots, &|_, _| false);
    assert_eq!(listing(&cloned), "");
    let names: Vec<_> = cloned
        .definitions
        .iter()
        .map(|definition| definition.names[0].as_str())
        .collect();
    assert_eq!(names, ["oar", "jib"]);
    assert_eq!(cloned.brought.len(), names.len());
    let plan = cloned.compile().expect("a plan");
    let commands = ["oar", "scull x", "rm -rf x", "jib r -f"];
    assert_eq!(verdicts(&plan, &commands), [Allow, Ask, Ask, Deny]);
    let trusted = load_layers(&roots, &|_, _| true);
    assert_eq!(
        listing(&trusted),
        "error commands::duplicate /p/theirs.kdl:1:1 `oar` is defined twice (keep one of the definitions)\n"
    );
}

const HARBOUR: &str = "commands \"/fixtures/ok/specification.usage.kdl\"";

#[test]
fn rules_that_deny_and_ask_know_what_a_tool_publishes_of_itself() {
    let policy = format!(
        r#"
        policy "p" {{ {HARBOUR} }}
        allow {{ command "harbour ..." }}
        deny "forced" {{ command "harbour move ..." {{ flag "--force" }} }}
        deny "destroys" {{ command "harbour (scuttle|sink) ..." "harbour crew rm ..." }}
        ask "tagged" {{ command "harbour move ..." {{ flag "--tag" }} }}
    "#
    );
    let plan = plan(&policy, &Texts::default());
    for (command, expected) in [
        ("harbour move a b", Allow),
        ("harbour move --force a", Deny),
        ("harbour mv -f a", Deny),
        ("harbour -C ./x -v shift -nf a", Deny),
        ("harbour m --speed 5 -qf a", Deny),
        ("harbour move --speed -f a", Allow),
        // The first operand is no subcommand: `move` is meant.
        ("harbour titanic -f", Deny),
        ("harbour move --tag x a", Ask),
        ("harbour scuttle a", Deny),
        ("harbour --trace sink -y a", Deny),
        ("harbour --no-colour crew rm a", Deny),
        ("timeout 5 harbour mv -f a", Deny),
        ("harbour list", Allow),
    ] {
        assert_eq!(verdict(&plan, command, Mode::Default), expected, "{command}");
    }
}

#[test]
fn what_a_tool_says_that_it_changes_counts_and_what_it_says_that_it_reads_does_not() {
    let plan = plan(
        &format!(
            "policy \"p\" {{ {HARBOUR} }}\nallow {{ command \"harbour list ...\" \"harbour move ...\" }}\ndefault {{ command \"allow\" }}"
        ),
        &Texts::default(),
    );
    for (command, expected) in [
        ("harbour list", Allow),
        ("harbour log", Allow),
        ("harbour log --clear", Ask),
        ("harbour log x", Ask),
        ("harbour crew rm a", Ask),
        ("harbour move a", Allow),
    ] {
        assert_eq!(verdict(&plan, command, Mode::Default), expected, "{command}");
    }
    assert_eq!(verdict(&plan, "harbour scuttle a", Mode::Plan), Deny);
    let strict = self::plan(&format!("policy \"p\" {{ {HARBOUR} }}"), &Texts::default());
    // `effect="read"` is a claim that nobody has read up.
    assert_eq!(verdict(&strict, "harbour list", Mode::Default), Ask);
}

#[test]
fn what_a_tool_publishes_of_itself_never_makes_a_verdict_milder() {
    // A specification for a shipped program, that lies: everything is harmless, and nothing is a wrapper.
    let lies = |name: &str| {
        format!(
            "name \"{name}\"\nbin \"{name}\"\nversion \"1\"\neffect \"read\"\nflag \"-c\" help=\"\" effect=\"read\"\n\
             flag \"-f --force --yes\" help=\"harmless\"\nflag \"-x <y>\" help=\"\"\narg \"[word]...\" effect=\"read\"\n\
             cmd \"push\" effect=\"read\" {{ alias \"rm\" \"go\"; flag \"-f\"; arg \"[x]...\" }}\ndefault_subcommand \"push\"\n"
        )
    };
    let programs = [
        "git", "timeout", "bash", "rm", "env", "find", "xargs", "harbour", "sudo", "cat", "mise", "nobody",
    ];
    let mut files = Texts::default();
    let mut named = String::new();
    for program in programs {
        files = files.with(&format!("{program}.kdl"), lies(program));
        write!(named, " \"{program}.kdl\"").expect("a text");
    }
    let rules = [
        "allow { read \"./**\" }",
        "allow { command \"git ...\" \"harbour push ...\" \"nobody ...\" \"timeout ...\" }",
        "allow { command \"* push\" \"* --yes\" \"harbour -f\" }\ndeny { command \"rm ...\" }",
        "allow { command \"harbour push ...\" { without-flag \"-f\" } }",
        "allow { command \"nobody push ...\" { flag \"--force\" } }\ndeny { command \"git push ...\" }",
        "allow \"Bash(git push:*)\" \"Bash(nobody:*)\"\nask { command \"git push ...\" { flag \"-f\" } }",
        "allow { command \"git ...\" { except \"git push ...\" } }\ndeny { command \"nobody ...\" { except \"nobody go\" } }",
        "default { command \"allow\" }",
        "allow { command \"harbour push ...\" { operands within=\"./x\" } }\ndeny { command \"nobody push ...\" { operands within=\"./x\" } }",
    ];
    let tails = [
        "",
        " push",
        " push -f",
        " go a",
        " -f push",
        " -x push rm",
        " --yes",
        " x",
        " -c 'rm -rf /'",
        " rm -rf x",
        " exec -- rm -rf x",
        " 5 rm -rf x",
        " \"$a\"",
        " $a",
        " push \"$a\" -f",
        " ./x/*",
        " -- push",
        " .env",
        " status",
        " . -delete",
        " push --forc",
        " | sh",
        " push; rm x",
        " < /etc/shadow",
    ];
    let mut stricter = 0;
    for rules in rules {
        let without = plan(&format!("policy \"p\"\n{rules}"), &Texts::default());
        let with = plan(&format!("policy \"p\" {{ commands{named} }}\n{rules}"), &files);
        for program in programs {
            for tail in tails {
                for mode in [Mode::Default, Mode::Plan, Mode::AcceptEdits] {
                    let command = format!("{program}{tail}");
                    let (before, after) = (verdict(&without, &command, mode), verdict(&with, &command, mode));
                    assert!(
                        after >= before,
                        "{rules}: `{command}` was {before:?} and is {after:?}"
                    );
                    stricter += usize::from(after > before);
                }
            }
        }
    }
    assert!(stricter > 0, "the specifications were not used");
}

#[test]
fn words_that_a_newer_specification_has_are_warned_about() {
    let text = "name \"jib\"\nversion \"1\"\nsparkles \"yes\"\ncmd \"reef\" shine=#true {\n    flag \"-f\" help=\"x\"\n}\n";
    let files = Texts::default().with("jib.kdl", text);
    let mut found = loaded(
        "policy \"p\" { commands \"jib.kdl\" }\ndeny { command \"jib reef ...\" { flag \"-f\" } }",
        &files,
    );
    assert_eq!(
        listing(&found),
        "warning commands::definition /p/jib.kdl:3:1 unknown node `sparkles`\n\
         warning commands::definition /p/jib.kdl:4:12 unknown property `shine`\n"
    );
    let plan = found.compile().expect("a plan");
    assert_eq!(verdict(&plan, "jib reef -f", Mode::Default), Deny);
}

#[test]
fn a_specification_to_which_a_word_of_ours_is_added_is_a_definition() {
    let text = "name \"jib\"\nbin \"jib\"\nversion \"2\"\nsource \"jib 2 help\"\narg \"[file]...\" help=\"x\" { reads }\ncomplete\n";
    let policy = "policy \"p\" { commands \"jib.kdl\" }\nallow { read \"./**\" }";
    let plan = plan(policy, &Texts::default().with("jib.kdl", text));
    assert_eq!(
        verdicts(&plan, &["jib a", "jib /etc/shadow", "jib -x a"]),
        [Allow, Ask, Ask]
    );
}

#[test]
fn every_program_of_the_coverage_list_is_defined() {
    let list = fs::read_to_string(folder("coverage.txt")).expect("the list");
    let catalogue = Catalogue::default();
    let mut names = BTreeSet::new();
    let mut lacking = Vec::new();
    for line in list.lines() {
        let (family, programs) = line.split_once(": ").expect("a family");
        for program in programs.split(' ') {
            names.insert(program);
            if catalogue.find(program).is_none() {
                lacking.push(format!("{family}: {program}"));
            }
        }
    }
    assert_eq!(lacking, Vec::<String>::new());
    assert!(names.len() >= 180, "only {} names", names.len());
}

#[test]
fn every_definition_that_claims_to_be_complete_names_a_versioned_source() {
    fn claims(command: &Command) -> bool {
        command.complete
            || command
                .commands
                .iter()
                .filter_map(|inner| inner.command())
                .any(claims)
    }
    let mut complete = 0;
    for shipped in shipped_definitions() {
        let definition = &shipped.definition;
        if claims(&definition.command) {
            complete += 1;
            assert!(
                definition.source.contains(|c: char| c.is_ascii_digit()),
                "{}: `{}` has the source `{}`",
                shipped.file,
                definition.names[0],
                definition.source
            );
        }
    }
    assert!(complete > 200, "only {complete} definitions claim it");
}

#[test]
fn places_of_shipped_definitions_are_lines_of_their_files() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tooldefs/commands");
    let mut checked = 0;
    for shipped in shipped_definitions() {
        let text = fs::read_to_string(directory.join(shipped.file.as_str())).expect("the file");
        let lines: Vec<&str> = text.lines().collect();
        for note in &shipped.commands {
            let line = lines[note.line as usize - 1].trim_start();
            let name = note.path.rsplit(' ').next().expect("a name");
            assert!(
                if note.path.is_empty() {
                    line.starts_with("bin ")
                } else {
                    line.contains("cmd ") && line.contains(name)
                },
                "{}:{}: `{}` is not in `{line}`",
                shipped.file,
                note.line,
                note.path
            );
            checked += 1;
        }
    }
    assert!(checked > 1000, "only {checked} places");
}
