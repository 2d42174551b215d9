//! Builtins, settings and what is evaluated again.

use crate::{Limits, SettingScope, Shell, evaluate_text};

use super::{check, check_refused, commands, context, refusals, run, value};

#[test]
fn wrappers_run_what_they_wrap() {
    check("command ls -l", &["command ls -l", "ls -l"]);
    check("command -v ls", &["command -v ls"]);
    check("command -p -- ls", &["command -p -- ls", "ls"]);
    check("builtin cd src", &["builtin cd src", "cd src"]);
    check("builtin ls", &["builtin ls"]);
    check("exec rm -rf build", &["exec rm -rf build", "rm -rf build"]);
    check("exec -c rm y", &["exec -c rm y", "rm y"]);
    check_refused(
        "exec -a ls rm y",
        &["builtin-form"],
        &["exec -a ls rm y", "-a ls rm y"],
    );
    check("exec echo hi", &["exec echo hi", "echo hi"]);
    check_refused("command -x ls", &["builtin-form"], &["command -x ls"]);
    check_refused(
        "command $x ls",
        &["dynamic-command"],
        &["command ‹›* ls", "‹›* ls", "ls"],
    );
}

#[test]
fn known_text_is_evaluated_again() {
    check(
        "eval \"rm -rf build\"",
        &["eval \"rm -rf build\"", "rm -rf build"],
    );
    check(
        "eval \"$(printf 'touch pwned')\"",
        &["printf \"touch pwned\"", "eval \"touch pwned\"", "touch pwned"],
    );
    check(
        "x=a; eval 'x=b; cd src'; echo $x",
        &["eval \"x=b; cd src\"", "cd src", "echo b"],
    );
    check("X=1 eval 'echo $X'", &["eval \"echo $X\"", "echo 1"]);
    check("eval ls '&&' pwd", &["eval ls && pwd", "ls", "pwd"]);
    check("eval 'f() { ls; }'; f", &["eval \"f() { ls; }\"", "ls"]);
    check_refused("eval \"$x\"", &["dynamic-evaluation"], &["eval ‹›"]);
    check_refused(
        "eval 'echo $('",
        &["unclosed-substitution"],
        &["eval \"echo $(\""],
    );
    check(
        "if c; then x=ls; else x=pwd; fi; eval $x",
        &["c", "eval ‹ls|pwd›", "ls", "pwd"],
    );
}

#[test]
fn reevaluation_is_bounded() {
    let limits = Limits {
        reevaluations: 2,
        ..Limits::DEFAULT
    };
    let context = crate::Context {
        limits: &limits,
        ..context(Shell::Bash)
    };
    let found = |text| refusals(&evaluate_text(text, &context));
    assert_eq!(found("eval eval ls"), Vec::<&str>::new());
    assert_eq!(found("eval eval eval ls"), ["too-many-reevaluations"]);
}

#[test]
fn evaluated_text_lies_on_the_words_it_came_from() {
    let text = "ls; eval 'rm x; echo $(date)'";
    let found = run(text);
    let spans: Vec<&str> = found.invocations.iter().map(|i| i.span.of(text)).collect();
    assert_eq!(
        spans,
        [
            "ls",
            "eval 'rm x; echo $(date)'",
            "'rm x; echo $(date)'",
            "'rm x; echo $(date)'",
            "'rm x; echo $(date)'"
        ]
    );
}

#[test]
fn traps_run_anywhere() {
    check(
        "trap 'touch pwned' EXIT; ls",
        &["trap \"touch pwned\" EXIT", "ls", "touch pwned"],
    );
    check("trap - EXIT; trap '' INT", &["trap - EXIT", "trap \"\" INT"]);
    check(
        "t=$(mktemp -d); trap 'rm \"$t\"' EXIT",
        &["mktemp -d", "trap \"rm \\\"$t\\\"\" EXIT", "rm ‹›"],
    );
    check_refused(
        "x=ls; trap '$x' EXIT; x=rm",
        &["dynamic-command"],
        &["trap $x EXIT", "‹›*"],
    );
    check(
        "trap 'rm -f x; exit 1' INT TERM",
        &["trap \"rm -f x; exit 1\" INT TERM", "rm -f x", "exit 1"],
    );
    check_refused(
        "trap 'x=rm' DEBUG; x=ls; $x a",
        &["builtin-form"],
        &["trap x=rm DEBUG", "ls a"],
    );
    check_refused("trap \"$x\" EXIT", &["dynamic-evaluation"], &["trap ‹› EXIT"]);
}

#[test]
fn forms_that_evaluate_are_refused() {
    for text in [
        "printf -v 'a[$(touch pwned)]' x",
        "a=(1); unset 'a[$(touch pwned)]'",
        "let 'a[$(touch pwned)]=1'",
        "test -v 'a[$(touch pwned)]'",
        "[ ! -v \"$x\" ]",
        "[ -z $x ]",
        "read \"$x\"",
        "read -e x",
        "declare -i y=x",
        "declare -n y=x",
        "export \"$x\"",
        "compgen -W '$(touch pwned)' x",
        "mapfile -C 'touch pwned' a",
        "hash -p /bin/rm ls",
        "jobs -x rm x",
        "wait -p 'a[$(x)]'",
        "printf \"$x\"",
        "alias ls=rm",
        "fc -s",
        "history -c",
        "export -f f",
        "unset $x",
    ] {
        assert_eq!(refusals(&run(text)), ["builtin-form"], "{text}");
    }
    check_refused("enable -f x y", &["shell-option"], &["enable -f x y"]);
    check_refused("shopt -s extglob", &["shell-option"], &["shopt -s extglob"]);
    check_refused("set -k", &["shell-option"], &["set -k"]);
    check_refused("[[ $x -gt 0 ]]", &["condition-operator"], &[]);
}

#[test]
fn everyday_forms_are_followed() {
    for text in [
        "[ -n \"$x\" ] && [ \"$a\" = \"$b\" ]",
        "test \"$(wc -l < a.txt)\" -gt 3",
        "[ -f a -a -d b ]",
        "[ $# -eq 0 ]",
        "[[ 3 -gt 2 && -n $x && $x == a* ]]",
        "set -euo pipefail",
        "set -e; set +x",
        "read -r -p 'Name: ' name",
        "IFS=, read -ra parts",
        "mapfile -t lines < f",
        "printf '%s\\n' \"$x\"",
        "sleep 1 & wait $!",
        "kill \"$pid\"",
        "history",
        "history 20",
        "jobs -lp",
        "alias ls",
        "unset 'a[2]'",
        "hash -r",
        "export X=1 Y=\"$z\"",
        "declare -a list; local_x=1",
        "unset x y",
        "type ls; umask 022; ulimit -n 10",
        "trap 'rm -f x' EXIT",
        "while getopts 'ab:' o; do case $o in a) ;; esac; done",
    ] {
        assert_eq!(refusals(&run(text)), Vec::<&str>::new(), "{text}");
    }
}

#[test]
fn variables_that_steer_the_shell_are_refused() {
    for text in [
        "PATH=./bin:$PATH git status",
        "export PATH=./bin",
        "PATH=x; ls",
        "IFS=,; x=touch,pwned; $x",
        "f() { ls; }; IFS=, f",
        "BASH_ENV=x; ls",
        "GLOBIGNORE=x",
        "read PATH",
        "for PATH in a; do ls; done",
        "RANDOM='a[$(x)]'",
        "OPTIND='a[$(x)]' ls",
        "unset PATH",
        ": ${PATH:=x}",
    ] {
        assert!(refusals(&run(text)).contains(&"shell-variable"), "{text}");
    }
}

#[test]
fn settings_say_for_whom() {
    let found = run("X=1 a; Y=2; export Z=$Y; b; Z=3; c; unset Z; d");
    let settings: Vec<String> = found
        .settings
        .iter()
        .map(|s| format!("{}={} {:?}", s.name, value(&s.value), s.scope))
        .collect();
    assert_eq!(
        settings,
        ["X=1 Command", "Y=2 Shell", "Z=2 Exported", "Z=3 Exported"]
    );
    let seen: Vec<(Vec<usize>, Vec<usize>)> = found
        .invocations
        .iter()
        .map(|i| (i.settings.clone(), i.inherited.clone()))
        .collect();
    let none = Vec::new;
    assert_eq!(
        seen,
        [
            (vec![0], none()),
            (none(), none()),
            (none(), vec![2]),
            (none(), vec![3]),
            (none(), vec![3]),
            (none(), none()),
        ]
    );
    assert_eq!(found.settings[0].scope, SettingScope::Command);
}

#[test]
fn other_shells_have_their_own_builtins() {
    let zsh = |text| refusals(&evaluate_text(text, &context(Shell::Zsh)));
    assert_eq!(zsh("zmodload x"), ["builtin-form"]);
    assert_eq!(zsh("setopt shwordsplit"), ["shell-option"]);
    assert_eq!(zsh("return $x"), ["arithmetic-code"]);
    assert_eq!(zsh("printf '%d' \"$x\""), ["arithmetic-code"]);
    assert_eq!(zsh("[ \"$x\" -eq 1 ]"), ["condition-operator"]);
    let found = evaluate_text("x='a b'; ls $x", &context(Shell::Zsh));
    assert_eq!(commands(&found), ["ls ‹a|a b|b›*"]);
    assert_eq!(
        refusals(&evaluate_text("declare x=1", &context(Shell::Sh))),
        ["not-in-this-shell"]
    );
}

#[test]
fn zsh_runs_the_command_behind_its_modifiers() {
    let zsh = |text| commands(&evaluate_text(text, &context(Shell::Zsh)));
    assert_eq!(zsh("noglob rm *"), ["rm *"]);
    assert_eq!(zsh("noglob rm a*b ./?"), ["rm a*b ./?"]);
    assert_eq!(zsh("noglob rm 'a'*"), ["rm ‹›+"]);
    assert_eq!(zsh("nocorrect rm x; - rm y"), ["rm x", "rm y"]);
    assert_eq!(zsh("nocorrect nocorrect noglob rm *"), ["rm *"]);
    assert_eq!(zsh("noglob nocorrect rm *"), ["nocorrect rm *"]);
    assert_eq!(zsh("f() { \"$@\"; }; f nocorrect rm x"), ["nocorrect rm x"]);
    assert_eq!(zsh("x=noglob; $x rm a"), ["rm a"]);
    assert_eq!(zsh("'nocorrect' rm x"), ["nocorrect rm x"]);
    assert_eq!(zsh("noglob"), Vec::<String>::new());
    assert_eq!(zsh("noglob command rm *"), ["command rm *", "rm *"]);
    assert_eq!(zsh("builtin noglob cd x"), ["builtin noglob cd x", "cd x"]);
    assert_eq!(zsh("f() { rm x; }; noglob f"), ["rm x"]);
    assert_eq!(commands(&run("noglob rm x")), ["noglob rm x"]);
    let dash = evaluate_text("ls; - rm x", &context(Shell::Zsh));
    assert_eq!(refusals(&dash), ["builtin-form"]);
    let function = evaluate_text("f() { rm x; }; exec f", &context(Shell::Zsh));
    assert_eq!(refusals(&function), ["not-in-this-shell"]);
}

#[test]
fn a_pattern_that_was_expanded_elsewhere_is_not_taken_for_its_text() {
    let zsh = |text| commands(&evaluate_text(text, &context(Shell::Zsh)));
    for text in [
        "f() { noglob rm \"$@\"; }; f *",
        "f() { \"$@\"; }; f noglob rm *",
        "eval 'noglob rm *'",
        "for f in *; do noglob rm $f; done",
    ] {
        let found = zsh(text);
        assert!(
            found.last().is_some_and(|last| last.starts_with("rm ‹")),
            "{found:?}"
        );
    }
}

#[test]
fn zsh_takes_a_name_after_an_equals_sign_for_a_program() {
    let found = evaluate_text("rm() { ls; }; =rm x", &context(Shell::Zsh));
    assert_eq!(commands(&found), ["rm x"]);
    let found = evaluate_text("=cd x", &context(Shell::Zsh));
    assert_eq!(found.invocations[0].kind, crate::InvocationKind::Program);
    assert_eq!(commands(&run("=rm x")), ["=rm x"]);
}
