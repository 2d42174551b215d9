//! The limits, and the stack and time that texts at the limits need.

use crate::{Construct, Limits, Shell, parse};

fn construct(text: &str) -> Option<Construct> {
    parse(text, Shell::Bash, &Limits::DEFAULT)
        .err()
        .map(|refused| refused.construct)
}

fn nested(open: &str, inner: &str, close: &str, depth: usize) -> String {
    format!("{}{inner}{}", open.repeat(depth), close.repeat(depth))
}

/// What nests, as opening, inside and closing.
const NESTS: &[(&str, &str, &str)] = &[
    ("(", "a", ")"),
    ("{ ", "a;", " };"),
    ("echo $(", "a", ")"),
    ("echo \"$(", "a", ")\""),
    ("echo ${x:-", "a", "}"),
    ("echo \"${x:-$(", "a", ")}\""),
    ("echo $((1+$(", "a", ")))"),
    ("cat <(", "a", ")"),
    ("if a; then ", "b;", " fi;"),
    ("while a; do ", "b;", " done;"),
    ("for x in a; do ", "b;", " done;"),
    ("case x in a) ", "b;", " esac;"),
    ("f() { ", "b;", " };"),
    ("x=$(", "a", ")"),
];

#[test]
fn the_depth_limit_is_reached_by_name() {
    for (open, inner, close) in NESTS {
        let text = nested(open, inner, close, 10);
        assert_eq!(construct(&text), None, "{text:?}");
        let text = nested(open, inner, close, 2000);
        assert_eq!(construct(&text), Some(Construct::TooDeep), "{open:?}");
    }
    assert_eq!(
        construct(&format!("[[ {} ]]", nested("(", "a", ")", 100))),
        Some(Construct::TooDeep)
    );
    assert_eq!(
        construct(&format!("[[ a{} ]]", " && a".repeat(100))),
        Some(Construct::TooDeep)
    );
    assert_eq!(
        construct(&format!("echo $(({}))", nested("(", "1", ")", 100))),
        Some(Construct::TooDeep)
    );
}

#[test]
fn every_depth_below_the_limit_fits_a_small_stack() {
    let run = || {
        for (open, inner, close) in NESTS {
            for depth in [30, 60, 64, 1000] {
                let read = parse(&nested(open, inner, close, depth), Shell::Bash, &Limits::DEFAULT);
                drop(read);
            }
        }
    };
    let thread = std::thread::Builder::new()
        .stack_size(256 << 10)
        .spawn(run)
        .unwrap();
    assert!(thread.join().is_ok());
}

#[test]
fn counts_are_limited() {
    assert_eq!(construct(&"a;".repeat(4096)), None);
    assert_eq!(construct(&"a;".repeat(4097)), Some(Construct::TooManyCommands));
    assert_eq!(construct(&"a ".repeat(32 << 10)), None);
    assert_eq!(
        construct(&format!("{}a", "a ".repeat(32 << 10))),
        Some(Construct::TextTooLong)
    );
    assert_eq!(construct(&"a".repeat(4096)), None);
    assert_eq!(construct(&"a".repeat(4097)), Some(Construct::WordTooLong));
    assert_eq!(construct("echo {1..1000}"), None);
    assert_eq!(construct("echo {1..1001}"), Some(Construct::TooManyWords));
    assert_eq!(construct("echo {1..999999999}"), Some(Construct::TooManyWords));
    let documents = format!("cat {}\n{}", "<<E ".repeat(17), "E\n".repeat(17));
    assert_eq!(construct(&documents), Some(Construct::TooManyHeredocs));
}

/// Nothing here may take more than a moment: each would, were any step repeated for the rest of the text.
#[test]
fn repetitive_texts_are_read_in_one_pass() {
    let pieces = [
        "$((",
        "((",
        "{",
        "}",
        "{}",
        "{,",
        "{a,b}",
        "..",
        "{a..",
        "$(",
        "\"$(",
        "${x:-",
        "`",
        "\"",
        "'",
        "[",
        "[a",
        "]",
        "[[",
        "~",
        ":~",
        "a=~:",
        "<",
        ">",
        "<<E ",
        "<<E\n",
        "&",
        "|",
        ";",
        "\\",
        "\\\n",
        "#",
        "# \n",
        "1",
        "$",
        "$x",
        "- ",
        "a ",
        "a=b ",
        "a=(",
        "\t",
        "\n",
        "é",
        "*",
        "!",
        "$'\\",
        "case x in a) ",
        "\"`",
        "{$x,",
    ];
    let heads = [
        "",
        "echo ",
        "x=",
        "echo {,",
        "export a=",
        "$((",
        "[[ a =~ ",
        "cat <<E\n",
        "cat <<-E\n",
        "echo \"",
    ];
    for piece in pieces {
        for head in heads {
            let text = format!("{head}{}", piece.repeat((20 << 10) / piece.len()));
            for shell in [Shell::Bash, Shell::Zsh, Shell::Sh] {
                if let Ok(script) = parse(&text, shell, &Limits::DEFAULT) {
                    assert_eq!(script.shell, shell);
                }
            }
        }
    }
}
