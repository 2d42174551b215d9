//! Which texts need no second reader.

use super::bash;

#[track_caller]
fn plain(text: &str) -> bool {
    bash(text).unwrap().plain
}

#[test]
fn plain_words_quotes_and_operators_are_plain() {
    for text in [
        "git log --oneline -n 5",
        "ls -la /tmp && cargo test || true; wc -l a.txt | sort",
        "grep 'a b' \"c d\" x",
        "ls >/dev/null 2>&1",
        "cd src\n\nls -l\n",
        "wc -l src/*.rs HEAD~1 a?c",
        "env A=b c@d,e:f%g^h+i",
    ] {
        assert!(plain(text), "{text:?}");
    }
}

#[test]
fn everything_else_is_not_plain() {
    for text in [
        "echo $x",
        "echo \"$x\"",
        "echo \"a\\\"b\"",
        "echo `a`",
        "l?",
        "ls [a]",
        "ls ~",
        "ls 02>&1",
        "a=b c",
        "1x=2 c",
        "a |\nb",
        "a | b\nc > d",
        "ls *.rs\nb",
        "a &&\nb",
        "a\n# b\nc",
        "a # b",
        "a &",
        "! a",
        "time a",
        "(a)",
        "{ a; }",
        "a \\\n b",
        "a b\\ c",
        "echo {a,b}",
        "echo {}",
        "echo a'b'",
        "echo 'é'",
        "echo é",
        "echo 'a\nb'",
        "[ a ]",
        "test a",
        "export a",
        "unsetenv a",
        "echo then",
        ">f ls",
        "ls >f a",
        "cat <<<a",
        "cat <<E\nE\n",
        "a |& b",
        "a &>f",
        "ls >&-",
        "echo a#b",
        "$x",
    ] {
        assert!(!plain(text), "{text:?}");
    }
}
