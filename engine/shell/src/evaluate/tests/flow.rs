//! Which commands run, in which order and state.

use crate::{Limits, Shell, parse};

use super::{check, check_refused, commands, context, refusals, run};

#[test]
fn branches_are_joined() {
    check("if c; then x=a; else x=b; fi; echo $x", &["c", "echo ‹a|b›"]);
    check("x=a; c && x=b; echo $x", &["c", "echo ‹a|b›"]);
    check("x=a; c || { x=b; exit; }; echo $x", &["c", "exit", "echo a"]);
    check("case $y in a) x=1;; *) x=2;; esac; echo \"$x\"", &["echo ‹›"]);
    check(
        "x=0; case $y in a) x=1;; b) x=2;& c) x=${x}3;; esac; echo \"$x\"",
        &["echo ‹0|03|1|23›"],
    );
}

#[test]
fn a_failing_redirection_keeps_the_command_from_running() {
    check("x=a; { x=b; } > f; echo $x", &["echo ‹a|b›"]);
    check("x=a; { x=b; } > f && echo $x", &["echo b"]);
    check("x=a; { x=b; } 2> /dev/null; echo $x", &["echo b"]);
    check(
        "set -- a; set -- b < f; echo $1",
        &["set -- a", "set -- b", "echo ‹›*"],
    );
    check("x=a; x=b > f; echo $x", &["echo ‹a|b›"]);
}

#[test]
fn loops_over_literals_give_sets() {
    check(
        "for f in a.txt b.txt; do cat \"$f\"; done",
        &["cat ‹a.txt|b.txt›"],
    );
    check("for f in *.txt; do wc -l \"$f\"; done", &["wc -l ‹glob *.txt›"]);
    check("for f in *.txt; do wc -l $f; done", &["wc -l ‹›*"]);
    check("for f in $(ls); do cat \"$f\"; done", &["ls", "cat ‹›"]);
    check("for c in ls cat; do $c f; done", &["cat f", "ls f"]);
    check("for d in 'rm -rf x'; do $d; done", &["rm -rf x"]);
    check("for i in {1..3}; do echo \"$i\"; done", &["echo ‹1|2|3›"]);
    check(
        "while IFS= read -r l; do echo \"$l\"; done < a.txt",
        &["read -r l", "echo ‹›"],
    );
}

#[test]
fn what_a_loop_changes_is_widened() {
    check(
        "x=a; for i in 1 2 3; do echo $x; x=b; done; echo $x",
        &["echo ‹a|b›", "echo b"],
    );
    check(
        "s=; while c; do s=\"$s x\"; echo \"$s\"; done",
        &["c", "echo ‹› x"],
    );
    check(
        "x=echo; while c; do $x hi; x=rm; done",
        &["c", "echo hi", "rm hi"],
    );
    check(
        "for i in 1 2; do x=rm; break; x=echo; done; $x a",
        &["break", "rm a"],
    );
    check(
        "for i in $n; do c && { x=rm; continue; }; x=echo; done; x=${x:-ls}",
        &["c", "continue"],
    );
    check(
        "x=ls; while c; do [ a ] && { x=rm; break; }; x=ls; done; $x a",
        &["c", "[ a ]", "break", "ls a", "rm a"],
    );
}

#[test]
fn functions_are_inlined() {
    check(
        "show() { head -n 1 \"$1\"; }; show README.md",
        &["head -n 1 README.md"],
    );
    check(
        "git() { touch pwned; }; git status; command git log",
        &["touch pwned", "command git log", "git log"],
    );
    check("run() { \"$@\"; }; run rm -rf x", &["rm -rf x"]);
    check(
        "f() { local x=b; echo $x; }; x=a; f; echo $x",
        &["local x=b", "echo b", "echo a"],
    );
    check("f() { x=b; }; x=a; f; echo $x", &["echo b"]);
    check(
        "f() { c && return; x=b; }; x=a; f; echo $x",
        &["c", "return", "echo ‹a|b›"],
    );
    check("x=1; c && f() { ls; }; f a", &["c", "ls", "f a"]);
    check("f() { ls; }; f() { rm x; }; f", &["rm x"]);
    check_refused(
        "command_not_found_handle() { rm x; }; nosuch",
        &["function-name"],
        &["nosuch"],
    );
    check_refused("f() { f; }; f", &["too-many-inlinings"], &[]);
    check("f() { g \"$1\" b; }; g() { echo \"$@\"; }; f a", &["echo a b"]);
    check("X=1; f() { echo $X; }; X=2 f; echo $X", &["echo 2", "echo 1"]);
    check(
        "c && f() { [ a ] && local y=1; y=2; }; y=0; c && f; echo $y",
        &["c", "c", "[ a ]", "local y=1", "f", "echo ‹0|2›"],
    );
}

#[test]
fn local_variables_end_with_their_function() {
    check(
        "x=g; f() { local x=l; h; echo $x; }; h() { unset x; }; f; echo $x",
        &["local x=l", "unset x", "echo ‹›*", "echo g"],
    );
    check(
        "f() { (x=5; local x=6); echo $x; }; x=a; f; echo $x",
        &["local x=6", "echo a", "echo a"],
    );
    check(
        "f() { for i in 1 2; do c && break; local y=1; done; y=2; }; y=0; f; echo $y",
        &["c", "break", "local y=1", "echo ‹0|1|2›"],
    );
    check_refused(
        "f() { local PATH; ls; }; f",
        &["shell-variable"],
        &["local PATH", "ls"],
    );
}

#[test]
fn assignments_before_builtins_and_functions_are_seen_inside() {
    check("X=0; X=1 export X; echo $X", &["export X", "echo ‹0|1›"]);
    check("f() { a; }; X=1 f; b", &["a", "b"]);
    let found = run("f() { a; }; X=1 f; b; X=2 eval c");
    let inherited: Vec<Vec<usize>> = found.invocations.iter().map(|i| i.inherited.clone()).collect();
    assert_eq!(inherited, [vec![0], vec![], vec![1], vec![1]]);
    let found = crate::evaluate_text("X=1 :; echo $X", &context(Shell::Sh));
    assert_eq!(commands(&found), [":", "echo ‹›*"]);
}

#[test]
fn an_unknown_program_is_refused_and_shown() {
    check_refused("$X rm -rf y", &["dynamic-command"], &["‹›* rm -rf y", "rm -rf y"]);
    check_refused(
        "\"$BASH\" -c 'touch pwned'",
        &["dynamic-command"],
        &["‹› -c \"touch pwned\""],
    );
    check_refused(
        "$(echo ls | cat) x",
        &["dynamic-command"],
        &["echo ls", "cat", "‹›* x", "x"],
    );
    check("X=rm; $X -rf build", &["rm -rf build"]);
    check("x=; $x ls", &["ls"]);
    check("if c; then p=ls; else p=cat; fi; $p f", &["c", "cat f", "ls f"]);
}

#[test]
fn subshells_keep_their_changes() {
    check("x=a; (x=b; echo $x); echo $x", &["echo b", "echo a"]);
    check("x=a; x=b | cat; echo $x", &["cat", "echo a"]);
    check("x=a; { x=b; } & echo $x", &["echo a"]);
    check("x=a; y=$(x=b; echo $x); echo $x$y", &["echo b", "echo a‹›+ ‹›*"]);
    check("(exit 1); ls", &["exit 1", "ls"]);
}

#[test]
fn the_last_stage_of_a_pipeline_counts_in_zsh() {
    let found = crate::evaluate_text("x=a; echo b | read -r x; echo \"$x\"", &context(Shell::Zsh));
    assert_eq!(commands(&found), ["echo b", "read -r x", "echo ‹›"]);
    assert_eq!(refusals(&found), Vec::<&str>::new());
}

#[test]
fn every_way_to_run_is_marked() {
    let found = run("a && b; for i in 1; do c; done; d $(e); f & g | h; eval i; if j; then k; fi");
    let marks: Vec<String> = found
        .invocations
        .iter()
        .map(|i| {
            let r = i.reach;
            let all = [
                (r.conditional, 'c'),
                (r.looped, 'l'),
                (r.substituted, 's'),
                (r.background, 'b'),
                (r.piped, 'p'),
                (r.reevaluated, 'r'),
                (i.captured, 'o'),
            ];
            let marks: String = all.iter().filter(|(on, _)| *on).map(|(_, mark)| *mark).collect();
            format!("{}:{marks}", super::field(&i.words[0]))
        })
        .collect();
    assert_eq!(
        marks,
        [
            "a:", "b:c", "c:l", "e:so", "d:", "f:b", "g:p", "h:p", "eval:", "i:r", "j:", "k:c"
        ]
    );
}

#[test]
fn following_a_text_is_bounded() {
    let mut text = String::from("f0() { ls; }; ");
    for i in 1..8 {
        let calls = format!("f{}; ", i - 1).repeat(20);
        text.extend([&format!("f{i}() {{ "), calls.as_str(), "}; "]);
    }
    text.push_str("f7");
    assert_eq!(refusals(&run(&text)), ["too-many-steps"]);
}

/// The deepest nesting that is parsed, of each construct, reached directly, through functions and through `eval`.
#[test]
fn the_deepest_text_fits_a_small_stack() {
    let pairs = [
        ("$(", ")"),
        ("{ ", "; }"),
        ("( ", " )"),
        ("\"$(", ")\""),
        ("if a; then ", "; fi"),
        ("echo ${x-$(", ")}"),
    ];
    let mut texts = Vec::new();
    for (open, close) in pairs {
        let nested = |depth, inner: &str| format!("{}{inner}{}", open.repeat(depth), close.repeat(depth));
        let parses = |depth: &usize| parse(&nested(*depth, "ls"), Shell::Bash, &Limits::DEFAULT).is_ok();
        let depth = (0..Limits::DEFAULT.depth).rev().find(parses).unwrap();
        assert!(depth > 10, "{open}");
        let (direct, inner) = (nested(depth, "ls"), nested(depth - 6, "ls"));
        texts.push(format!(
            "f() {{ {inner}; }}; g() {{ f; }}; {}",
            nested(depth - 6, "g")
        ));
        texts.push(format!("f() {{ {inner}; }}; {}", nested(depth, "eval f")));
        texts.push(direct);
    }
    let evaluate_all = move || {
        for text in &texts {
            let found = run(text);
            let reached = found
                .invocations
                .iter()
                .any(|i| i.words.iter().any(|w| w.known() == Some("ls")));
            assert!(
                reached || refusals(&found).contains(&"too-deep"),
                "{text}: {:?}",
                refusals(&found)
            );
        }
    };
    let small = std::thread::Builder::new()
        .stack_size(1 << 20)
        .spawn(evaluate_all);
    small.unwrap().join().unwrap();
}
