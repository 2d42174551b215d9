//! Facts about reading definitions: specifications as they are, and every problem with its place.

use std::fmt::Write as _;

use super::super::read_definitions;
use super::{effects, kinds, used};
use crate::effect::UnknownKind;

#[test]
fn a_published_specification_loads_as_it_is() {
    let text = r#"
min_usage_version "2.11"
name "demo"
bin "demo"
version "1.0"
about "a tool"
usage "Usage: demo [OPTIONS] <COMMAND>"
flag "-C --cd" help="change directory" global=#true {
    long_help "more"
    arg "<DIR>"
}
flag "-v --verbose..." help="louder" var=#true count=#true
flag "--color" negate="--no-color" default="auto"
flag "-j --jobs <n>" env="JOBS" help="jobs" {
    choices "1" "2"
}
cmd "install" help="installs" effect="write" {
    alias "i" "add" hide=#true
    flag "-f --force"
    arg "[TOOL@VERSION]…" help="what" required=#false var=#true
    example "demo install node"
}
cmd "ls" help="lists" effect="read" hide=#false {
    after_long_help "..."
}
complete "tool" run="demo tools"
config {
    prop "x" default=1
}
"#;
    let (_, problems) = read_definitions(text);
    assert_eq!(problems, []);
    let use_ = used(text, "demo -vC dir i -f node@1 go");
    assert_eq!(use_.command, ["demo", "install"]);
    assert_eq!(kinds(&use_), []);
    assert_eq!(effects(&use_), ["Changes { destructive: false }"]);
    assert!(!use_.complete);
    assert_eq!(effects(&used(text, "demo ls -C x")), Vec::<String>::new());
}

#[test]
fn every_problem_of_a_file_is_reported_with_its_place() {
    let text = "bin \"x\"\nflag \"-o <file>\" { wriets }\nflag \"-o\"\nfalg \"-p\"\nwhen flag=\"--zap\" { network }\noptions permut=#true\ncomplete\n";
    let (_, problems) = read_definitions(text);
    let mut lines: Vec<String> = problems.iter().map(|problem| problem.line("f", text)).collect();
    lines.sort();
    assert_eq!(
        lines,
        [
            "f:1:1: `complete` needs a `source` (name the manual and its version: source \"GNU grep 3.8 manual\")",
            "f:2:20: unknown node `wriets` (did you mean `writes`?)",
            "f:3:1: `-o` is listed twice",
            "f:4:1: unknown node `falg` (did you mean `flag`?)",
            "f:5:6: no option `--zap` is listed",
            "f:6:9: unknown property `permut` (did you mean `permute`?)",
        ]
    );
    assert_eq!(
        read_definitions(&"a {".repeat(100)).1[0].message,
        "blocks are nested more than 64 deep"
    );
    assert_eq!(read_definitions("bin \"x").1.len(), 1);
}

#[test]
fn what_is_shared_stands_where_it_is_used() {
    let text = r#"
shared "output" { flags "-o --output <format>" }
shared "files" {
    uses "output"
    flag "-f --file <file>" { reads }
}
bin "demo"
cmd "get" {
    uses "files"
    when flag="-f" { effect "write" }
}
cmd "list" { uses "output" }
bin "other"
uses "files"
"#;
    assert_eq!(
        effects(&used(text, "demo get -o json -f a")),
        ["Changes { destructive: false }", "r a"]
    );
    assert_eq!(kinds(&used(text, "demo list -o json")), []);
    assert_eq!(kinds(&used(text, "demo list -f a"))[0], UnknownKind::Option);
    let (definitions, problems) = read_definitions(text);
    assert_eq!(problems, []);
    assert!(definitions[1].command.flag("-f").is_some());
}

#[test]
fn a_list_is_shared_once_and_before_it_is_used() {
    let messages = |text: &str| {
        read_definitions(text)
            .1
            .into_iter()
            .map(|problem| problem.message)
            .collect::<Vec<_>>()
    };
    assert_eq!(
        messages("shared \"a\" { uses \"a\" }\nbin \"x\"\nuses \"b\""),
        [
            "nothing before this is shared as `a`",
            "nothing before this is shared as `b`"
        ]
    );
    assert_eq!(
        messages("shared \"a\" { flag \"-a\" }\nshared \"a\" { flag \"-b\" }\nbin \"x\""),
        ["`a` is shared twice"]
    );
    assert_eq!(
        messages("bin \"x\"\ncmd \"y\" { shared \"a\" { flag \"-a\" } }"),
        ["`shared` cannot stand here"]
    );
    let mut doubled = String::from("shared \"0\" { flag \"-a\" }\n");
    for n in 1..40 {
        let before = n - 1;
        let _infallible = writeln!(doubled, "shared \"{n}\" {{ uses \"{before}\" \"{before}\" }}");
    }
    doubled.push_str("bin \"x\"");
    assert_eq!(messages(&doubled)[0], "this file uses too many nodes");
}
