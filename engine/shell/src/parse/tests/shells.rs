//! What only some shells read as bash does.

use crate::{Construct, Limits, Shell, parse};

use super::refuses_in;

#[track_caller]
fn only_bash_reads(texts: &[&str], shell: Shell) {
    for text in texts {
        assert!(
            parse(text, Shell::Bash, &Limits::DEFAULT).is_ok(),
            "bash: {text:?}"
        );
        let refused = parse(text, shell, &Limits::DEFAULT).map_err(|refused| refused.construct);
        assert_eq!(
            refused.err(),
            Some(Construct::NotInThisShell),
            "{shell:?}: {text:?}"
        );
    }
}

#[track_caller]
fn all_read_alike(texts: &[&str], shell: Shell) {
    for text in texts {
        let bash = parse(text, Shell::Bash, &Limits::DEFAULT).unwrap();
        let other = parse(text, shell, &Limits::DEFAULT);
        assert_eq!(other.map(|script| script.body), Ok(bash.body), "{text:?}");
    }
}

#[test]
fn sh_has_no_bashisms() {
    only_bash_reads(
        &[
            "a &>f",
            "a &>>f",
            "a |& b",
            "[[ a ]]",
            "a <(b)",
            "a <<<b",
            "echo $'a'",
            "echo {a,b}",
            "echo {1..3}",
            "a+=b",
            "a=(b)",
            "a 10>f",
            "a >&f",
            "function f { a; }",
            "echo ${x//a}",
            "echo ${x:1}",
            "echo ${x^}",
            "echo ${x[0]}",
            "time a",
            "((1))",
            "for ((;;)); do a; done",
            "case x in a) b;& c) d;; esac",
            "echo $(<f)",
            "ls [^a]",
            "cd ~+",
            "make p=~/x",
            "export a=$b",
            "declare a",
            "echo $((x++))",
            "echo $((2**3))",
            "ls >*",
        ],
        Shell::Sh,
    );
}

#[test]
fn sh_reads_the_common_subset() {
    all_read_alike(
        &[
            "a b | c && d || e; f & g",
            "if a; then b; fi",
            "for x in a b; do c \"$x\"; done",
            "case $1 in a|b) c;; *) d;; esac",
            "cat <<E\n$x\nE\n",
            "f() { a; }",
            "x=~/a:~/b y=${z:-w} a \"$@\" 2>&1 >/dev/null",
            "echo $((1 + x)) `a` $(b) ${x%.*} ${#x}",
            "export a=\"$b\" c",
            "echo {} {a} @{u}",
        ],
        Shell::Sh,
    );
}

#[test]
fn zsh_has_meanings_of_its_own() {
    only_bash_reads(
        &[
            "=a/b",
            "ls =a",
            "noglob x=1 a",
            "noglob =a",
            "nocorrect export x=1",
            "noglob if",
            "a=b:=ls",
            "\"\"=ls",
            "echo ''~",
            "echo =ls",
            ">f",
            "<f",
            "x=1 >f",
            "repeat 3 a",
            ">f time a",
            "foreach x",
            "always a",
            "echo $x[1]",
            "echo $x:h",
            "echo $#x",
            "echo $+x",
            "echo $~x",
            "ls <1-3",
            "ls ~bob",
            "ls ~+",
            "a &! b",
            "a >!f",
            "a >>!f",
            "a &>!f",
            "a >f >g",
            "a >f | b",
            "a | b <f",
            "a <f <<<g",
            "ls **/x",
            "ls {,a}",
            "ls 1&>f",
            "a 10>f",
            "echo $(<f)",
            "[[ a =~ $b ]]",
            "case x in a) b;;& c) d;; esac",
            "echo ${x:h}",
            "echo ${x^}",
            "echo ${x[1]}",
            "echo }",
            "ls >*",
            "time -p a",
            "time",
            "time { a; }",
            "time ( time a )",
            "time (if a; then time b; fi)",
        ],
        Shell::Zsh,
    );
    refuses_in(Shell::Sh, "$x{$", Construct::ExpansionOperator, "$x{$");
    refuses_in(Shell::Zsh, "ls (a|b)", Construct::UnexpectedToken, "(");
    refuses_in(Shell::Zsh, "ls *(.)", Construct::ExtendedGlob, "(");
    refuses_in(Shell::Zsh, "echo ${(e)x}", Construct::NotInThisShell, "${");
    refuses_in(Shell::Zsh, "() { a; }", Construct::MissingCommand, ")");
    refuses_in(Shell::Zsh, "a &| b", Construct::NotInThisShell, "&");
    refuses_in(Shell::Zsh, "- a", Construct::LeadingDash, "-");
    refuses_in(Shell::Zsh, "echo {a,$(b)}", Construct::BraceForm, "{a,$(b)}");
    refuses_in(Shell::Zsh, "echo {1..$n}", Construct::BraceForm, "{1..$n}");
}

#[test]
fn zsh_reads_the_common_subset() {
    all_read_alike(
        &[
            "a b | c && d || e; f & g",
            "if [[ -f $x ]]; then b; fi",
            "for x in a b; do c \"$x\"; done",
            "a >f 2>&1",
            "a 2>/dev/null | b",
            "cat <<'E'\n$x\nE\n",
            "f() { a; }",
            "echo \"$HOME/bin:$PATH\" ~/x *.c {a,b}",
            "x=(a b) y+=z",
            "diff <(a) <(b)",
            "=ls",
            "noglob a",
            "nocorrect a",
            "b; - a",
            "time ( a )",
        ],
        Shell::Zsh,
    );
}
