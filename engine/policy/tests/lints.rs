//! Facts about lints: what each finds and what it does not, and the pages that describe them.
#![expect(clippy::expect_used, reason = "helpers of tests fail as tests do")]
#![expect(clippy::disallowed_methods, reason = "a test looks at the clock")]

#[path = "lints/policies.rs"]
mod policies;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use engine_policy::lint::{Lint, LintInput, apply_fixes, lint};
use engine_policy::read::Format;
use engine_policy::{Level, Root, SHIPPED, load, run_tests};

use policies::{NoFiles, findings, linted, loaded};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Names of the lints that find something, but for the notes that most short examples deserve.
fn codes(text: &str) -> Vec<&'static str> {
    let mut text = text.to_owned();
    for section in ["allow", "ask", "deny", "default"] {
        text = text.replace(&format!("}} {section}"), &format!("}}\n{section}"));
    }
    let (_, findings) = findings(&text);
    let names: BTreeSet<&str> = findings
        .iter()
        .filter(|finding| !matches!(finding.lint, Lint::Untested | Lint::DenyWithoutBecause))
        .map(|finding| finding.lint.name())
        .collect();
    names.into_iter().collect()
}

/// The first example below a heading of a page.
fn example<'p>(page: &'p str, heading: &str) -> &'p str {
    page.split_once(&format!("## {heading}\n"))
        .and_then(|(_, rest)| rest.split_once("```kdl\n"))
        .and_then(|(_, rest)| rest.split_once("```"))
        .map(|(example, _)| example)
        .expect(heading)
}

#[test]
fn the_bad_example_of_a_page_is_found_by_its_lint_alone() {
    for lint in Lint::ALL {
        let (loaded, findings) = findings(example(lint.page(), "Bad"));
        let errors: Vec<&str> = loaded
            .diagnostics
            .iter()
            .filter(|problem| problem.level == Level::Error)
            .map(|problem| problem.message.as_str())
            .collect();
        assert_eq!(errors, Vec::<&str>::new(), "{}", lint.name());
        let found: BTreeSet<&str> = findings.iter().map(|finding| finding.lint.name()).collect();
        assert_eq!(found, BTreeSet::from([lint.name()]), "{findings:#?}");
    }
}

#[test]
fn nothing_is_found_in_the_good_example_of_a_page() {
    for lint in Lint::ALL {
        let (loaded, findings) = findings(example(lint.page(), "Good"));
        assert_eq!(loaded.diagnostics, [], "{}", lint.name());
        assert_eq!(findings, [], "{}", lint.name());
    }
}

#[test]
fn the_tests_in_the_examples_of_pages_hold() {
    for lint in Lint::ALL {
        for heading in ["Bad", "Good"] {
            let mut loaded = loaded(example(lint.page(), heading), Format::Kdl);
            let plan = loaded.compile().expect("a plan");
            for result in run_tests(&plan, &loaded.documents) {
                assert!(
                    result.passed,
                    "{} {heading}: {} is {:?}",
                    lint.name(),
                    result.call,
                    result.decision.outcome
                );
            }
        }
    }
}

#[test]
fn a_page_says_its_lint_its_level_and_how_to_silence_it() {
    for lint in Lint::ALL {
        let page = lint.page();
        assert!(
            page.starts_with(&format!("# {}\n", lint.code())),
            "{}",
            lint.name()
        );
        let level = match lint.level() {
            Level::Note => "note",
            Level::Warning => "warning",
            Level::Error => "error",
        };
        assert!(page.contains(&format!("\nLevel: {level}.\n")), "{}", lint.name());
        let silence = example(page, "To silence");
        assert!(silence.contains(&format!("off \"{}\"", lint.name())));
        assert!(!loaded(silence, Format::Kdl).has_errors(), "{}", lint.name());
    }
}

#[test]
fn the_index_lists_every_lint() {
    let index = std::fs::read_to_string(root().join("docs/lints/README.md")).expect("the index");
    let mut rows = String::new();
    for lint in Lint::ALL {
        let level = match lint.level() {
            Level::Note => "note",
            Level::Warning => "warning",
            Level::Error => "error",
        };
        let name = lint.name();
        let _infallible = writeln!(rows, "| [{name}]({name}.md) | {level} | {} |", lint.about());
    }
    assert!(index.contains(&rows), "docs/lints/README.md must list:\n{rows}");
}

#[test]
fn shipped_policies_are_without_warnings() {
    for (name, _) in SHIPPED {
        let mut loaded = load(&[Root::Shipped(name)], &NoFiles);
        let plan = loaded.compile().expect("a plan");
        let found: Vec<(String, String)> = lint(&LintInput {
            documents: &loaded.documents,
            sources: &loaded.sources,
            plan: Some(&plan),
            names: &[(*name).to_owned()],
        })
        .into_iter()
        .filter(|finding| finding.level() > Level::Note)
        .map(|finding| (finding.lint.name().to_owned(), finding.message))
        .collect();
        assert_eq!(found, [], "{name}");
    }
}

/// Policies that a lint speaks of, each with the lints that do, beside ones that differ in little and that none speaks of.
#[test]
fn each_lint_finds_its_kind_and_not_what_is_near_it() {
    let cases: &[(&str, &[&str])] = &[
        // never-matches
        (
            "deny { command \"git log ...\" { flag \"-p\"; without-flag \"-p\" \"-s\" } }",
            &["never-matches"],
        ),
        (
            "deny { command \"git log ...\" { flag \"-p\" \"-q\"; without-flag \"-p\" } }",
            &[],
        ),
        (
            "deny { command \"git push ...\" { flag \"-f\"; without-flag \"--force\" } }",
            &["never-matches"],
        ),
        ("deny { command \"git status\" { flag \"-C\" } }", &[]),
        ("deny { command \"rm\" { flag \"-r\" } }", &["never-matches"]),
        (
            "deny { command \"cargo (build|test) ...\" { except \"cargo build ...\" \"cargo test ...\" } }",
            &["never-matches"],
        ),
        (
            "deny { command \"cargo (build|test|run) ...\" { except \"cargo build ...\" \"cargo test ...\" } }",
            &[],
        ),
        ("ask { read \"./a/b\" { except \"./a/**\" } }", &["never-matches"]),
        ("ask { read \"./a/**\" { except \"./a/b\" } }", &[]),
        ("deny { command \"for ...\" }", &["never-matches"]),
        (
            "deny { command \"ls ...\" { piped-into \"sh\"; in-pipeline #false } }",
            &["never-matches"],
        ),
        (
            "deny { command \"ls ...\" { piped-into \"sh\"; in-pipeline #true } }",
            &[],
        ),
        (
            "deny { command \"git push ...\" { operand 1 \"a*\"; operand 1 \"b*\" } }",
            &["never-matches"],
        ),
        (
            "deny { command \"git push ...\" { operand 1 \"a*\"; operand 2 \"b*\" } }",
            &[],
        ),
        (
            "deny { command \"git push\" { operand 1 \"origin\" } }",
            &["never-matches"],
        ),
        ("deny { command \"bin/ ...\" }", &["never-matches"]),
        (
            "allow { command \"our-tool ...\" { operands within=\"./a\" } }",
            &["never-matches"],
        ),
        ("ask { command \"our-tool ...\" { operand 1 \"a\" } }", &[]),
        // shadowed
        (
            "allow { command \"git push (a|b)\" } deny { command \"git push * ...\" }",
            &["shadowed"],
        ),
        (
            "allow { command \"git push (a1|a2)\" } deny { command \"git push a* ...\" }",
            &["evadable-deny", "shadowed"],
        ),
        (
            "allow { command \"git push (a1|b2)\" } deny { command \"git push a* ...\" }",
            &["evadable-deny"],
        ),
        (
            "allow { command \"git push ...\" } deny { command \"git push * ...\" }",
            &[],
        ),
        ("allow { read \"./docs/**\" } ask { read \"**/*.md\" }", &[]),
        (
            "allow { read \"./docs/*.md\" } ask { read \"**/*.md\" }",
            &["shadowed"],
        ),
        (
            "ask { network \"a.example.org\" } deny { network \"example.org\" \"*.example.org\" }",
            &["shadowed"],
        ),
        (
            "ask { network \"example.org\" } deny { network \"example.net\" \"*.example.net\" }",
            &[],
        ),
        (
            "allow { tool \"mcp__a__get_x\" } deny { tool \"mcp__a__get_*\" }",
            &["shadowed"],
        ),
        (
            "allow { command \"ls -l\" } deny { command \"ls ...\" { flag \"-l\" } }",
            &[],
        ),
        (
            "allow { command \"ls ...\" { flag \"-l\" } } deny { command \"ls ...\" { flag \"-l\" \"-a\" } }",
            &["shadowed"],
        ),
        (
            "allow { command \"rm a\" } ask { command \"rm ...\" } default { delete \"deny\" }",
            &[],
        ),
        (
            "allow \"Bash(git push origin:*)\" \ndeny \"Bash(git push:*)\"",
            &["shadowed"],
        ),
        // redundant, duplicate
        (
            "ask { command \"git push ...\" \"git push origin\" }",
            &["redundant"],
        ),
        ("ask { command \"git push\" \"git push origin\" }", &[]),
        (
            "allow { command \"git log ...\" \"git log HEAD ...\" }",
            &["redundant"],
        ),
        (
            "allow { command \"git log -p ...\" } allow { command \"git log ...\" }",
            &[],
        ),
        ("ask { env \"A\" \"A=1\" }", &["redundant"]),
        ("ask { env \"A=1\" \"A=2\" }", &[]),
        ("ask { read \"./a/**\" \"./a/b/c\" }", &["redundant"]),
        (
            "ask { read \"./a/**\" \"./a\" \"./a/b/c\" { except \"./a/b/**\" } }",
            &["never-matches", "redundant"],
        ),
        (
            "ask { command \"x a ...\" } ask { command \"x a ...\" }",
            &["duplicate"],
        ),
        (
            "ask { command \"x a ...\" { flag \"-v\" } } ask { command \"x a ...\" }",
            &["redundant"],
        ),
        (
            "ask { command \"x a ...\" { flag \"-v\" } } ask { command \"x a ...\" { flag \"-w\" } }",
            &[],
        ),
        (
            "sets { paths \"s\" \"./a\" \"./a\" } ask { read \"@s\" }",
            &["duplicate"],
        ),
        (
            "sets { paths \"s\" \"./a\" } ask { read \"@s\" \"@s\" }",
            &["duplicate"],
        ),
        // opens-interpreter
        ("allow { command \"perl ...\" }", &["opens-interpreter"]),
        ("allow { command \"perl -e *\" }", &["opens-interpreter"]),
        (
            "allow { command \"make test\" \"python3 -c *\" }",
            &["opens-interpreter"],
        ),
        ("allow { command \"node --eval=*\" }", &["opens-interpreter"]),
        ("allow { command \"(ruby|lua) -e *\" }", &["opens-interpreter"]),
        ("allow { command \"perl -e (1|*)\" }", &["opens-interpreter"]),
        ("allow { command \"python3 *\" }", &["opens-interpreter"]),
        ("allow \"Bash(perl -e *)\"", &["opens-interpreter"]),
        ("allow { command \"perl -e 1\" }", &[]),
        ("allow { command \"perl -e 1 *\" }", &[]),
        ("allow { command \"bash -c *\" }", &[]),
        ("allow { command \"node tools/*.js\" }", &[]),
        ("allow { command \"timeout ...\" \"env ...\" \"xargs ...\" }", &[]),
        ("allow \"Bash(python3:*)\"", &["opens-interpreter"]),
        ("allow \"Bash(python3 tools/x.py)\"", &[]),
        // not-a-prefix
        ("allow { command \"npm run test*\" }", &["not-a-prefix"]),
        (
            "allow { command \"npm run test:*\" \"ls --color=*\" \"cat src/*\" }",
            &[],
        ),
        ("allow \"Bash(cargo test*)\"", &["not-a-prefix"]),
        ("allow \"Bash(cargo test *)\"", &[]),
        // evadable-deny
        ("deny { command \"git push --force\" }", &["evadable-deny"]),
        ("deny { command \"git push --force ...\" }", &[]),
        ("deny { command \"git push ...\" { flag \"--force\" } }", &[]),
        ("deny { command \"curl\" }", &["evadable-deny"]),
        ("deny { command \"curl ...\" }", &[]),
        ("deny { command \"/usr/bin/curl ...\" }", &["evadable-deny"]),
        ("deny { command \"python ...\" }", &["evadable-deny"]),
        ("deny { command \"python* ...\" }", &[]),
        ("deny { network \"*.example.org\" }", &["evadable-deny"]),
        ("deny { network \"*.example.org\" \"example.org\" }", &[]),
        (
            "deny { tool \"Bash\" { input \"command\" \"rm *\" } }",
            &["evadable-deny"],
        ),
        (
            "allow { command \"ls ...\"; read \"./**\"; }\ndeny { command \"*\" \"rm ...\"; }",
            &["evadable-deny"],
        ),
        (
            "allow { command \"ls ...\"; read \"./**\"; }\ndeny { command \"* ...\"; }",
            &["shadowed"],
        ),
        // unbounded-allow
        ("allow { write \"/**\" }", &["unbounded-allow"]),
        ("allow { delete \"~/**\" }", &["unbounded-allow"]),
        ("allow { write \"**\" }", &["unbounded-allow"]),
        ("allow { write \"./src/**\" }", &[]),
        ("allow { network \"*\" }", &["unbounded-allow"]),
        ("allow { tool \"*\" }", &["unbounded-allow"]),
        ("allow { command \"*\" }", &["unbounded-allow"]),
        ("allow { command \"make test\" \"*\" }", &["unbounded-allow"]),
        ("allow { command \"*\" \"make test\" }", &["unbounded-allow"]),
        ("allow { command \"* * ...\" }", &["unbounded-allow"]),
        ("allow { command \"* --version\" }", &[]),
        ("allow { env \"*\" }", &["unbounded-allow"]),
        ("allow { env \"NODE_*\" }", &[]),
        ("allow \"Bash\"", &["unbounded-allow"]),
        (
            "policy \"p\" { extends \"builtin:base\" }\nallow { write \"./**\" }",
            &[],
        ),
        (
            "allow { command \"rm -i ...\" { operands within=\"./out\" } }",
            &[],
        ),
        // permissive-default
        ("default { tool \"allow\" }", &["permissive-default"]),
        ("default { skill \"allow\" }", &[]),
        ("modes { allow \"bypass\" }", &["permissive-default"]),
        // allows-secrets
        ("allow { read \"~/.ssh/**\" }", &["allows-secrets"]),
        ("allow { read \"~/.ssh/id.pub\" }", &[]),
        ("allow { read \"**/.env.example\" }", &[]),
        // half-guarded
        ("deny { delete \"./a\" }", &["half-guarded"]),
        ("deny { delete \"./a\"; write \"./a\" }", &[]),
        // not-the-root
        ("deny \"Read(/etc/**)\"", &["not-the-root"]),
        ("deny \"Read(/src/**)\" \"Read(//etc/**)\"", &[]),
        // mcp-hint
        ("allow { tool \"mcp__*\" }", &["mcp-hint"]),
        ("allow { tool \"mcp__files__read_*\" }", &[]),
        ("deny { tool \"mcp__*\" }", &[]),
        (
            "ask { tool \"mcp__a__b\" { input \"destructiveHint\" \"true\" } }",
            &["mcp-hint"],
        ),
        ("ask { tool \"mcp__a__b\" { input \"branch\" \"main\" } }", &[]),
        // misspelt-tool
        ("ask { tool \"Raed\" }", &["misspelt-tool"]),
        ("ask { tool \"Deploy\" }", &[]),
        (
            "ask { tool \"Read\" { input \"path\" \"x\" } }",
            &["misspelt-tool"],
        ),
        ("ask { tool \"Grep\" { input \"path\" \"x\" } }", &[]),
        // instead-denied
        (
            "deny instead=\"rm -i x\" { command \"rm ...\" }",
            &["instead-denied"],
        ),
        ("deny instead=\"mv x trash\" { command \"rm ...\" }", &[]),
        // unreachable-default
        (
            "ask { network \"*\" } default { network \"deny\" }",
            &["unreachable-default"],
        ),
        ("ask { network \"10.0.0.0/8\" } default { network \"deny\" }", &[]),
        // unused-set
        (
            "sets { paths \"a\" \"./a\"; paths \"b\" \"@a\" }",
            &["unused-set"],
        ),
        (
            "sets { paths \"a\" \"./a\"; paths \"b\" \"@a\" } ask { read \"@b\" }",
            &[],
        ),
        (
            "sets { paths \"a\" \"./a\" } ask { command \"ls ...\" { operands within=\"@a\" } }",
            &[],
        ),
        // empty-policy
        ("policy \"p\"", &["empty-policy"]),
        ("limits { depth 8 }", &[]),
        ("ask \"p\" { }", &["empty-policy"]),
        // slashdashed-deny
        (
            "deny { command \"ls ...\"; /- command \"rm ...\" }",
            &["slashdashed-deny"],
        ),
        ("allow { read \"./a\"; /- read \"./b\" }", &[]),
        // confusable
        ("allow { read \"./\u{43e}ne\" }", &["confusable"]),
        (
            "allow { read \"./\u{43e}\u{442}\u{447}\u{435}\u{442}-2024.txt\" }",
            &[],
        ),
        (
            "deny { command \"rm \u{2013}rf ...\" }",
            &["confusable", "evadable-deny"],
        ),
        (
            "// before \u{2013} after, 1\u{2013}2\nallow { read \"./a\" }",
            &[],
        ),
        // bidi
        ("// safe \u{200b}\nallow { read \"./a\" }", &["bidi"]),
        ("allow { read \"./a\\u{202e}b\" }", &["bidi"]),
        ("// \u{1f469}\u{200d}\u{1f4bb}\nallow { read \"./a\" }", &[]),
        // needless-off
        (
            "lint { off \"bidi\" because=\"x\" } allow { read \"./a\" }",
            &["needless-off"],
        ),
        (
            "lint { off \"mcp-hint\" because=\"x\" } allow { tool \"mcp__a__*\" }",
            &[],
        ),
        (
            "lint { off \"mcp-hint\" in=\"a\" because=\"x\" } allow \"a\" { tool \"mcp__a__*\" }",
            &[],
        ),
        (
            "lint { off \"mcp-hint\" in=\"b\" because=\"x\" } allow \"a\" { tool \"mcp__a__*\" }",
            &["mcp-hint", "needless-off"],
        ),
    ];
    let wrong: Vec<String> = cases
        .iter()
        .filter_map(|(text, expected)| {
            let found = codes(text);
            (found != *expected).then(|| format!("{text}\n    finds {found:?} instead of {expected:?}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn notes_are_found_where_they_are_due() {
    let names = |text: &str| -> Vec<&'static str> {
        findings(text)
            .1
            .iter()
            .map(|finding| finding.lint.name())
            .collect()
    };
    assert_eq!(
        names("deny { command \"ls ...\" }\ntests { deny \"ls\" }"),
        ["deny-without-because"]
    );
    assert_eq!(
        names("ask { command \"ls ...\" }\ntests { ask \"ls\" }"),
        Vec::<&str>::new()
    );
    assert_eq!(names("ask { command \"ls ...\" }"), ["untested"]);
    assert_eq!(
        names("ask { command \"ls ...\"; command \"cp ...\" }\ntests { ask \"ls\" }"),
        ["untested"]
    );
}

#[test]
fn a_broken_file_is_linted_as_far_as_it_can_be_read() {
    let text = "deny { comand \"x\"; command \"git push\" { flag \"-f\" } }\nallow { tool \"mcp__*\" }";
    let (loaded, findings) = findings(text);
    assert!(loaded.has_errors());
    let found: Vec<&str> = findings.iter().map(|finding| finding.lint.name()).collect();
    assert_eq!(found, ["deny-without-because", "never-matches", "mcp-hint"]);
}

#[test]
fn unknown_lints_and_missing_reasons_are_errors() {
    let codes = |text: &str| -> Vec<&'static str> {
        loaded(text, Format::Kdl)
            .diagnostics
            .iter()
            .map(|problem| problem.code)
            .collect()
    };
    assert_eq!(
        codes("lint { off \"untestd\" because=\"x\" }"),
        ["policy::unknown-word"]
    );
    assert_eq!(codes("lint { off \"untested\" }"), ["policy::missing-value"]);
    assert_eq!(codes("lint { off because=\"x\" }"), ["policy::missing-value"]);
    assert_eq!(
        codes("lint { on \"untested\" because=\"x\" }"),
        ["policy::unknown-name"]
    );
}

#[test]
fn a_lint_is_switched_off_in_toml_as_in_kdl() {
    let toml = "[[lint.off]]\nargs = [\"untested\", \"bidi\"]\nbecause = \"x\"\nin = \"a\"\n";
    let kdl = "lint { off \"untested\" \"bidi\" because=\"x\" in=\"a\" }";
    assert_eq!(
        loaded(toml, Format::Toml).documents,
        loaded(kdl, Format::Kdl).documents
    );
}

#[test]
fn safe_fixes_take_out_what_is_said_twice() {
    for (text, expected) in [
        (
            "ask { command \"a\" \"b\" \"a\" }\n",
            "ask { command \"a\" \"b\" }\n",
        ),
        (
            "ask {\n    command \"a ...\"\n    command \"a ...\" // again\n    command \"b ...\"\n}\n",
            "ask {\n    command \"a ...\"\n    // again\n    command \"b ...\"\n}\n",
        ),
        (
            "ask { command \"a ...\"; command \"a ...\"; command \"b ...\" }\n",
            "ask { command \"a ...\";  command \"b ...\" }\n",
        ),
    ] {
        let (loaded, findings) = findings(text);
        let source = loaded.documents[0].whole.place.source;
        let (fixed, made) = apply_fixes(text, source, &findings).expect("edits");
        assert_eq!((fixed.as_str(), made), (expected, 1));
    }
    let text = "[[ask]]\ncommand = [\"a\", \"b\", \"a\"]\n[[ask]]\nread = [\"./x\", \"./x\", \"./y\"]\n";
    let mut loaded = loaded(text, Format::Toml);
    let findings = linted(&mut loaded);
    let source = loaded.documents[0].whole.place.source;
    let (fixed, made) = apply_fixes(text, source, &findings).expect("edits");
    let expected = "[[ask]]\ncommand = [\"a\", \"b\"]\n[[ask]]\nread = [\"./x\", \"./y\"]\n";
    assert_eq!((fixed.as_str(), made), (expected, 2));
}

/// A policy of many rules of all kinds, as a large organisation might write it.
fn large(rules: usize) -> String {
    let mut text = String::from("policy \"large\" { extends \"builtin:base\" }\n");
    for number in 0..rules {
        let _infallible = match number % 5 {
            0 => writeln!(
                text,
                "allow \"r{number}\" {{ command \"tool-{number} (build|test) ...\" }}"
            ),
            1 => writeln!(
                text,
                "deny \"r{number}\" because=\"x\" {{ command \"git push ... branch-{number}\" }}"
            ),
            2 => writeln!(
                text,
                "ask \"r{number}\" {{ write \"./src/module-{number}/**\"; delete \"./src/module-{number}/**\" }}"
            ),
            3 => writeln!(
                text,
                "allow \"r{number}\" {{ command \"npm run task-{number} ...\" {{ without-flag \"--force\" }} }}"
            ),
            _ => writeln!(
                text,
                "allow \"r{number}\" {{ network \"host-{number}.example.org\" }}"
            ),
        };
    }
    text
}

#[test]
fn a_thousand_rules_are_linted_in_bounded_time() {
    // Twice the rules take about twice the time: nothing compares each with each.
    let time = |rules: usize| {
        let mut loaded = loaded(&large(rules), Format::Kdl);
        let start = std::time::Instant::now();
        let found = linted(&mut loaded);
        assert!(
            found
                .iter()
                .all(|finding| finding.level() == Level::Note || finding.lint == Lint::EvadableDeny)
        );
        start.elapsed()
    };
    let (small, big) = (time(250), time(1000));
    assert!(big < small * 12, "250 rules take {small:?}, 1000 take {big:?}");
    println!("250 rules take {small:?}, 1000 take {big:?}");
}
