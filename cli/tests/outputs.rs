//! What the binary prints for other programs: JSON as its schemas say, SARIF, workflow commands, `JUnit`, and the pages about itself.
#![expect(clippy::expect_used, reason = "helpers of tests fail as tests do")]

#[path = "outputs/validate.rs"]
mod validate;

use std::fs;
use std::io::{BufRead, BufReader, Write as _};
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::{Value as Json, json};
use tempfile::TempDir;

const SHOP: &str = "policy \"shop\"\n\
deny \"push\" because=\"it is \u{1f512} here\" instead=\"git pull\" {\n    command \"git push ...\"\n}\n\
allow { command \"git (status|log) ...\"; command \"true\"; read \"./**\"; }\n\
tests {\n    deny \"git push\"\n    allow \"git status\"\n    ask \"git log; git fetch\"\n}\n";

/// A project with a good policy, one with mistakes, and one whose tests fail.
fn project() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path();
    fs::create_dir_all(root.join(".git")).expect("a folder");
    let files = [
        ("shop.kdl", SHOP.to_owned()),
        ("bad one.kdl", "policy \"b\"\nallw \"\u{1f512}\" ; allow { raed \"x\"; }\nallow \"Bash(git commit*)\"\n".to_owned()),
        ("fails.kdl", SHOP.replace("allow \"git status\"", "deny \"git status\"")),
        (
            "cases.jsonl",
            "{\"id\":\"a\",\"policy\":[{\"effect\":\"allow\",\"tool\":\"Bash\",\"pattern\":\"ls:*\"}],\"command\":\"ls\",\"cwd\":\"/p\",\"expected\":\"not-allow\"}\n\nnothing\n".to_owned(),
        ),
    ];
    for (name, text) in files {
        fs::write(root.join(name), text).expect("a file");
    }
    folder
}

#[expect(clippy::disallowed_methods, reason = "an end-to-end test runs the binary")]
fn command(root: &Path, words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_engine"));
    command
        .args(words)
        .current_dir(root)
        .env("HOME", root.join("home"))
        .env("NO_COLOR", "1")
        .env_remove("XDG_CONFIG_HOME")
        .env_remove("XDG_CACHE_HOME");
    command
}

fn engine(root: &Path, words: &[&str]) -> Output {
    command(root, words).output().expect("the engine")
}

/// What is printed, and the exit code.
fn run(root: &Path, words: &[&str]) -> (String, i32) {
    let output = engine(root, words);
    let text = String::from_utf8(output.stdout).expect("text");
    (text, output.status.code().unwrap_or(-1))
}

fn json(text: &str) -> Json {
    serde_json::from_str(text).expect("one JSON document")
}

fn schema(name: &str) -> Json {
    let folder = tempfile::tempdir().expect("a folder");
    let (text, code) = run(folder.path(), &["schema", name]);
    assert_eq!(code, 0, "{name}");
    json(&text)
}

#[test]
fn outputs_are_as_their_schemas_say() {
    let project = project();
    let root = project.path();
    let outputs: &[(&str, &[&str], i32)] = &[
        ("verdict", &["check", "--policy", "shop.kdl", "git status"], 0),
        (
            "verdict",
            &["check", "--policy", "shop.kdl", "git push; cat $x"],
            2,
        ),
        ("verdict", &["check", "--explain", "for x in 1; do"], 4),
        ("verdict", &["check", "--headless", "touch a"], 2),
        (
            "verdict",
            &["check", "--tool", "Read", "--input", "{\"file_path\":\".env\"}"],
            2,
        ),
        (
            "verdict",
            &[
                "explain",
                "--mode",
                "plan",
                "LD_PRELOAD=x touch a > b; cat /dev/null",
            ],
            2,
        ),
        ("validation", &["check"], 0),
        ("validation", &["check", "--policy", "shop.kdl"], 0),
        (
            "validation",
            &["check", "--policy", "bad one.kdl", "--policy", "none.kdl"],
            3,
        ),
        ("test", &["test", "shop.kdl", "--coverage"], 0),
        ("test", &["test", "fails.kdl", "cases.jsonl", "bad one.kdl"], 3),
        ("test", &["test", "shop.kdl", "--threshold", "90"], 1),
        ("lint", &["lint", "shop.kdl"], 0),
        ("lint", &["lint", "shop.kdl", "--fix", "--dry-run"], 0),
        ("lint", &["lint", "bad one.kdl", "builtin:base"], 3),
        ("formatted", &["fmt", "--check", "shop.kdl"], 1),
        ("formatted", &["fmt", "bad one.kdl", "--diff"], 0),
        ("formatted", &["fmt", "--diff", "cases.kdl"], 3),
        ("plan", &["plan"], 0),
        ("programs", &["commands"], 0),
        (
            "program",
            &["commands", "grep", "git", "commit", "find", "tar", "curl"],
            0,
        ),
        ("program", &["commands", "no-such-program"], 64),
        ("plan", &["plan", "--policy", "shop.kdl", "--rule", "push"], 0),
    ];
    for (name, words, code) in outputs {
        let words = [*words, &["--format", "json"]].concat();
        let (text, got) = run(root, &words);
        assert_eq!(got, *code, "{words:?}: {text}");
        let found = validate::problems(&schema(name), &json(&text));
        assert_eq!(found, Vec::<String>::new(), "{words:?}: {text}");
    }
}

#[test]
fn lines_in_and_out_are_as_their_schemas_say() {
    let project = project();
    let lines = [
        r#"{"command":"ls"}"#,
        r#"{"command":"cat .env","id":7,"cwd":"src","mode":"plan","shell":"zsh"}"#,
        r#"{"tool":"Read","input":{"file_path":"a"},"id":{"any":["thing"]}}"#,
        r#"{"tool":"Read"}"#,
        r#"{"command":"ls","tool":"Read","input":1}"#,
        r#"{"command":"ls","mode":"fast"}"#,
        r#"{"command":"ls","more":1}"#,
        "nothing",
    ];
    let mut child = command(project.path(), &["check", "--stdin"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the engine");
    let mut input = child.stdin.take().expect("a pipe");
    input.write_all(lines.join("\n").as_bytes()).expect("a reader");
    drop(input);
    let output = child.wait_with_output().expect("an end");
    let answers: Vec<Json> = String::from_utf8(output.stdout)
        .expect("text")
        .lines()
        .map(json)
        .collect();
    assert_eq!(answers.len(), lines.len());
    let (call, answer) = (schema("call"), schema("answer"));
    for (line, got) in lines.iter().zip(&answers) {
        assert_eq!(
            validate::problems(&answer, got),
            Vec::<String>::new(),
            "{line}: {got}"
        );
        // What the schema refuses is answered with an error, and nothing else is.
        let fits = serde_json::from_str(line).is_ok_and(|value| validate::problems(&call, &value).is_empty());
        assert_eq!(fits, got.get("error").is_none(), "{line}: {got}");
    }
}

#[test]
fn schemas_let_no_other_field_pass() {
    let folder = tempfile::tempdir().expect("a folder");
    let (list, _) = run(folder.path(), &["schema"]);
    let names: Vec<&str> = list
        .lines()
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    assert!(names.len() >= 7, "{list}");
    for name in names {
        let schema = schema(name);
        assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
        assert_eq!(schema["$id"], format!("urn:engine:schema:{name}"));
        assert_eq!(validate::open_objects(&schema, name), Vec::<String>::new());
    }
}

#[test]
fn a_denied_command_points_at_its_rule_and_at_its_words() {
    let project = project();
    let root = project.path();
    let words = [
        "check",
        "--policy",
        "shop.kdl",
        "--format",
        "sarif",
        "true \u{1f512} && git push",
    ];
    let (text, code) = run(root, &words);
    assert_eq!(code, 2);
    let log = json(&text);
    let run = &log["runs"][0];
    assert_eq!(
        (&log["version"], &run["columnKind"]),
        (&json!("2.1.0"), &json!("utf16CodeUnits"))
    );
    assert_eq!(run["invocations"], json!([{ "executionSuccessful": true }]));
    let result = &run["results"][0];
    assert_eq!(
        (&result["ruleId"], &result["level"]),
        (&json!("rule::push"), &json!("error"))
    );
    let rule = &result["locations"][0]["physicalLocation"];
    assert_eq!(
        rule["artifactLocation"],
        json!({ "index": 1, "uri": "shop.kdl", "uriBaseId": "PROJECTROOT" })
    );
    assert_eq!(
        rule["region"],
        json!({ "startLine": 3, "startColumn": 5, "endLine": 3, "endColumn": 27, "snippet": { "text": "command \"git push ...\"" } })
    );
    let words = &result["relatedLocations"][0]["physicalLocation"];
    // The lock is one character, and two code units.
    assert_eq!(
        words["region"],
        json!({ "startLine": 1, "startColumn": 12, "endLine": 1, "endColumn": 20, "snippet": { "text": "git push" } })
    );
    assert_eq!(words["artifactLocation"]["index"], 0);
    assert_eq!(
        run["artifacts"][0]["contents"]["text"],
        "true \u{1f512} && git push"
    );
    let base = run["originalUriBaseIds"]["PROJECTROOT"]["uri"]
        .as_str()
        .expect("a base");
    assert!(base.starts_with("file:///") && base.ends_with('/'), "{base}");
    assert_eq!(run["tool"]["driver"]["rules"][0]["id"], "rule::push");
}

#[test]
fn what_is_allowed_has_no_results() {
    let project = project();
    let words = ["check", "--policy", "shop.kdl", "git status"];
    let sarif = run(project.path(), &[&words[..], &["--format", "sarif"]].concat());
    assert_eq!(
        (json(&sarif.0)["runs"][0]["results"].clone(), sarif.1),
        (json!([]), 0)
    );
    let github = run(project.path(), &[&words[..], &["--format", "github"]].concat());
    assert_eq!(github, (String::new(), 0));
}

#[test]
fn mistakes_of_policies_stand_beside_their_lines() {
    let project = project();
    let (text, code) = run(
        project.path(),
        &["check", "--policy", "bad one.kdl", "--format", "github"],
    );
    assert_eq!(code, 3);
    insta::assert_snapshot!(text, @r#"
    ::error file=bad one.kdl,line=2,endLine=2,col=1,endColumn=5,title=policy%3A%3Aunknown-name::unknown name `allw` in a policy%0Ahelp: did you mean `allow`?
    ::error file=bad one.kdl,line=2,endLine=2,col=20,endColumn=24,title=policy%3A%3Aunknown-name::unknown name `raed` in a block%0Ahelp: did you mean `read`?
    ::warning file=bad one.kdl,line=3,endLine=3,col=23,endColumn=24,title=policy%3A%3Astar-without-boundary::this star has no word boundary before it, so that longer words match too%0Ahelp: write `git commit:*` for this word and any further ones
    "#);
    let (text, _) = run(
        project.path(),
        &["check", "--policy", "bad one.kdl", "--format", "sarif"],
    );
    let log = json(&text);
    assert_eq!(
        log["runs"][0]["invocations"],
        json!([{ "executionSuccessful": false }])
    );
    let places: Vec<_> = log["runs"][0]["results"]
        .as_array()
        .expect("results")
        .iter()
        .map(|result| {
            let place = &result["locations"][0]["physicalLocation"];
            let uri = place["artifactLocation"]["uri"].as_str().expect("a URI");
            (
                uri,
                place["region"]["startLine"].as_u64(),
                place["region"]["startColumn"].as_u64(),
            )
        })
        .collect();
    assert_eq!(
        places,
        [
            ("bad%20one.kdl", Some(2), Some(1)),
            ("bad%20one.kdl", Some(2), Some(21)),
            ("bad%20one.kdl", Some(3), Some(23))
        ]
    );
}

#[test]
fn the_same_line_has_the_same_fingerprint_when_it_moves() {
    let project = project();
    let root = project.path();
    let prints = || {
        let (text, _) = run(root, &["check", "--policy", "bad one.kdl", "--format", "sarif"]);
        let results = json(&text)["runs"][0]["results"].clone();
        let results = results.as_array().expect("results").clone();
        results
            .into_iter()
            .map(|own| own["partialFingerprints"].clone())
            .collect::<Vec<_>>()
    };
    let before = prints();
    let text = fs::read_to_string(root.join("bad one.kdl")).expect("a file");
    fs::write(root.join("bad one.kdl"), format!("\n\n{text}")).expect("a file");
    assert_eq!(prints(), before);
    let mut distinct = before.clone();
    distinct.dedup();
    assert_eq!(distinct, before);
}

#[test]
fn a_build_server_reads_tests() {
    let project = project();
    let (text, code) = run(
        project.path(),
        &["test", "fails.kdl", "cases.jsonl", "--format", "junit"],
    );
    assert_eq!(code, 1);
    insta::assert_snapshot!(text, @r#"
    <?xml version="1.0" encoding="UTF-8"?>
    <testsuites name="engine test" tests="5" failures="3" errors="0">
      <testsuite name="fails.kdl" tests="3" failures="1" errors="0" skipped="0">
        <testcase name="git push" classname="fails.kdl"/>
        <testcase name="git status" classname="fails.kdl">
          <failure type="breach" message="must be deny, is allow; run `git`: rule `fails.kdl:5` (fails.kdl:5)">fails.kdl:8: must be deny, is allow; run `git`: rule `fails.kdl:5` (fails.kdl:5)</failure>
        </testcase>
        <testcase name="git log; git fetch" classname="fails.kdl"/>
      </testsuite>
      <testsuite name="cases.jsonl" tests="2" failures="2" errors="0" skipped="0">
        <testcase name="a  ls" classname="cases.jsonl">
          <failure type="breach" message="must be not-allow, is allow; run `ls`: rule `case.kdl:1` (case.kdl:1); read /p: covered by the command's rule `case.kdl:1` (case.kdl:1)">cases.jsonl:1: must be not-allow, is allow; run `ls`: rule `case.kdl:1` (case.kdl:1); read /p: covered by the command's rule `case.kdl:1` (case.kdl:1)</failure>
        </testcase>
        <testcase name="line 3" classname="cases.jsonl">
          <failure type="failed" message="not a JSON object: expected ident at line 1 column 2">cases.jsonl:3: not a JSON object: expected ident at line 1 column 2</failure>
        </testcase>
      </testsuite>
    </testsuites>
    "#);
}

#[test]
fn a_person_reads_coverage() {
    let project = project();
    let (text, code) = run(project.path(), &["test", "shop.kdl", "--coverage", "-v"]);
    assert_eq!(code, 0);
    insta::assert_snapshot!(text, @r#"
    ok git push
    ok git status
    ok git log; git fetch
    shop.kdl: 3 of 3 passed (100.0 %)

    tests  rule
        1  shop.kdl:3  deny command "git push ..."
        1  shop.kdl:5  allow command "git (status|log) ..."
        0  shop.kdl:5  allow command "true"
        0  shop.kdl:5  allow read "./**"
    2 of 4 rules decide a test (50.0 %)
    "#);
}

#[test]
fn a_threshold_that_is_not_reached_fails() {
    let project = project();
    let code = |words: &[&str]| run(project.path(), words).1;
    assert_eq!(code(&["test", "shop.kdl", "--threshold", "50"]), 0);
    assert_eq!(code(&["test", "shop.kdl", "--threshold", "51"]), 1);
    assert_eq!(code(&["test", "shop.kdl", "--threshold", "101"]), 64);
    let (text, _) = run(
        project.path(),
        &["test", "shop.kdl", "--threshold", "51", "--format", "github"],
    );
    let lines: Vec<&str> = text
        .lines()
        .map(|line| line.split("::").nth(1).unwrap_or_default())
        .collect();
    assert_eq!(
        lines,
        [
            "warning file=shop.kdl,line=5,endLine=5,col=41,endColumn=55,title=test%3A%3Auncovered",
            "warning file=shop.kdl,line=5,endLine=5,col=57,endColumn=68,title=test%3A%3Auncovered",
            "error file=shop.kdl,line=5,endLine=5,col=41,endColumn=55,title=test%3A%3Athreshold",
        ]
    );
}

#[test]
fn a_filter_picks_tests_and_one_that_picks_none_is_a_mistake() {
    let project = project();
    let (text, code) = run(
        project.path(),
        &["test", "shop.kdl", "--filter", "git st", "--format", "json"],
    );
    assert_eq!((json(&text)["passed"].clone(), code), (json!(1), 0));
    assert_eq!(run(project.path(), &["test", "shop.kdl", "--filter", "hg"]).1, 64);
}

#[test]
fn tests_run_again_when_a_file_changes() {
    let project = project();
    let root = project.path();
    fs::write(
        root.join("user.kdl"),
        "policy \"u\" { extends \"shop.kdl\"; }\ntests { deny \"git push\"; }\n",
    )
    .expect("a file");
    let mut child = command(root, &["test", "user.kdl", "--watch", "--format", "json"])
        .stdout(Stdio::piped())
        .spawn()
        .expect("the engine");
    let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    let mut failed = || json(&lines.next().expect("a line").expect("text"))["failed"].clone();
    assert_eq!(failed(), json!(0));
    // A file that is extended counts as well; the new text has another length.
    fs::write(
        root.join("shop.kdl"),
        SHOP.replace("deny \"push\"", "allow \"push\""),
    )
    .expect("a file");
    assert_eq!(failed(), json!(1));
    child.kill().expect("a process");
    child.wait().expect("an end");
}

#[test]
fn colours_and_escapes_stay_out_of_files() {
    let project = project();
    let root = project.path();
    fs::write(
        root.join("esc.kdl"),
        "policy \"e\"\nallw \"\u{202e}\" // \u{200b}\n",
    )
    .expect("a file");
    for format in ["human", "json", "sarif", "github", "junit"] {
        let output = engine(root, &["check", "--policy", "esc.kdl", "--format", format]);
        let text = [output.stdout, output.stderr].concat();
        let text = String::from_utf8(text).expect("text");
        assert!(!text.contains('\u{1b}'), "{format}: {text}");
        // JSON escapes what a screen would obey only where it must: readers of data are no screens.
        if !matches!(format, "json" | "sarif") {
            assert!(!text.contains(['\u{202e}', '\u{200b}']), "{format}: {text}");
        }
    }
}

#[test]
fn every_subcommand_has_help_with_examples_and_a_page() {
    let folder = tempfile::tempdir().expect("a folder");
    let (usage, code) = run(folder.path(), &["usage"]);
    assert_eq!(code, 0);
    let names: Vec<&str> = usage
        .lines()
        .filter_map(|line| line.strip_prefix("cmd \"")?.split('"').next())
        .collect();
    assert!(names.contains(&"check") && names.contains(&"usage"), "{names:?}");
    let pages = folder.path().join("man/man1");
    let (_, code) = run(folder.path(), &["man", "--output", "man/man1"]);
    assert_eq!(code, 0);
    for name in &names {
        let (help, code) = run(folder.path(), &["help", name]);
        assert_eq!(code, 0, "{name}");
        assert!(help.contains("\nExamples:\n"), "{name}: {help}");
        assert!(help.contains(&format!("engine {name}")), "{name}: {help}");
        // Where no person sits, help of a hook would be taken for an answer.
        if *name != "hook" {
            assert_eq!(run(folder.path(), &[name, "--help"]), (help, 0));
        }
        let page = fs::read_to_string(pages.join(format!("engine-{name}.1"))).expect("a page");
        assert!(
            page.contains(&format!(".TH ENGINE-{} 1", name.to_uppercase())),
            "{page}"
        );
        assert!(page.contains(".SH EXAMPLES\n.nf\n  engine "), "{page}");
        assert_eq!(run(folder.path(), &["man", name]), (page, 0));
    }
    let whole = fs::read_to_string(pages.join("engine.1")).expect("a page");
    assert!(whole.contains(".SH \"EXIT STATUS\"\nExit codes"), "{whole}");
    assert_eq!(fs::read_dir(&pages).expect("pages").count(), names.len() + 1);
}

#[test]
fn every_shell_has_completions() {
    let folder = tempfile::tempdir().expect("a folder");
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let (text, code) = run(folder.path(), &["completions", shell]);
        assert_eq!(code, 0, "{shell}");
        for word in ["check", "coverage", "sarif"] {
            // PowerShell and Elvish are told no values of options.
            let is_told = word != "sarif" || !matches!(shell, "elvish" | "powershell");
            assert_eq!(text.contains(word), is_told, "{shell}: {word}");
        }
    }
}

#[test]
fn without_arguments_help_is_shown_and_a_slip_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let output = engine(folder.path(), &[]);
    assert_eq!(output.status.code(), Some(64));
    let text = String::from_utf8(output.stderr).expect("text");
    assert!(text.contains("Usage: engine <COMMAND>"), "{text}");
    for (words, help) in [
        (&["chek"][..], "'check'"),
        (&["check", "--polcy", "a"], "'--policy'"),
        (&["check", "--format", "jsn", "ls"], "'json'"),
        (&["schema", "verdit"], "`verdict`"),
        (&["plan", "--rule", "forcepush"], "`force-push`"),
        (&["man", "chek"], "check, "),
    ] {
        let output = engine(folder.path(), words);
        assert_eq!(output.status.code(), Some(64), "{words:?}");
        let text = String::from_utf8(output.stderr).expect("text");
        assert!(text.contains(help), "{words:?}: {text}");
    }
}

#[test]
fn the_plan_has_every_rule_with_its_sets_resolved() {
    let project = project();
    let root = project.path();
    fs::write(
        root.join("sets.kdl"),
        "policy \"s\"\nsets { hosts \"own\" \"a.example.org\" \"*.b.example.org\" { except \"c.b.example.org\"; }; }\n\
         allow { network \"@own\" \"10.0.0.0/8\"; }\nask \"x\" { command \"git push ...\" { flag \"-f\"; }; }\n",
    )
    .expect("a file");
    let (text, _) = run(root, &["plan", "--policy", "sets.kdl"]);
    let (rules, _) = text.split_once("defaults").expect("settings");
    insta::assert_snapshot!(rules, @r#"
    ask (1 rule)
      x  sets.kdl:4  command-line
          command "git push ..."
          if flag "-f"

    allow (1 rule)
      sets.kdl:3  command-line
          network @own ("a.example.org" "*.b.example.org") "10.0.0.0/8"
          except @own ("c.b.example.org")
    "#);
    let (text, _) = run(root, &["plan", "--policy", "sets.kdl", "--format", "json"]);
    let plan = json(&text);
    assert_eq!(
        plan["rules"][1]["patterns"],
        json!([
            { "text": "a.example.org", "set": "own" },
            { "text": "*.b.example.org", "set": "own" },
            { "text": "10.0.0.0/8", "set": null }
        ])
    );
    assert_eq!(
        plan["rules"][1]["except"],
        json!([{ "text": "c.b.example.org", "set": "own" }])
    );
    assert_eq!(
        (&plan["rules"][0]["id"], &plan["rules"][0]["effect"]),
        (&json!("x"), &json!("ask"))
    );
    assert_eq!(plan["defaults"]["network"], "ask");
}
