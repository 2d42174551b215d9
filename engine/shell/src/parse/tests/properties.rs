//! What holds for any text: no panic, spans inside, repeatable, and independent of what is appended.

use std::fmt::Debug;

use proptest::prelude::*;

use crate::{Limits, Shell, parse};

/// Texts made of pieces that mean something to a shell.
fn shellish() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "a",
        "b",
        "ls",
        " ",
        " ",
        " ",
        "\n",
        "\t",
        ";",
        "&",
        "&&",
        "|",
        "||",
        "|&",
        "(",
        ")",
        "((",
        "))",
        "{",
        "}",
        "{ ",
        "; }",
        "<",
        ">",
        ">>",
        "<<",
        "<<-",
        "<<<",
        "&>",
        ">&",
        "2>&1",
        "'",
        "\"",
        "`",
        "$",
        "$(",
        "${",
        "$((",
        "$'",
        "$x",
        "${x:-",
        "${x//",
        "\\",
        "\\\n",
        "#",
        "*",
        "?",
        "[",
        "]",
        "[[ ",
        " ]]",
        "!",
        "~",
        "=",
        "x=",
        "+=",
        "a=(",
        ",",
        "..",
        ":",
        "/",
        "-",
        "%",
        "@",
        "é",
        "\u{a0}",
        "if ",
        "then ",
        "else ",
        "fi",
        "for x in ",
        "do ",
        "done",
        "case x in ",
        "esac",
        "while ",
        "function ",
        "time ",
        "E\n",
        "<<E\n",
        "<<'E'\n",
        "\nE\n",
        "1",
        "{a,b}",
        "=~ ",
        "<(",
        ">(",
        "f() ",
    ]);
    prop::collection::vec(piece, 0..30).prop_map(|pieces| pieces.concat())
}

fn shells() -> impl Strategy<Value = Shell> {
    prop::sample::select(vec![Shell::Bash, Shell::Zsh, Shell::Sh])
}

/// Checks every span in a value, found in its debug form so that no kind of node can be forgotten.
fn check_spans(text: &str, value: &impl Debug) {
    let shown = format!("{value:?}");
    for span in shown.split("Span { start: ").skip(1) {
        let (start, rest) = span.split_once(", end: ").unwrap();
        let (end, _) = rest.split_once(' ').unwrap();
        let range = start.parse::<usize>().unwrap()..end.parse().unwrap();
        assert!(text.get(range.clone()).is_some(), "{range:?} in {text:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn any_text_is_read_or_refused_with_spans_inside(text in shellish(), shell in shells()) {
        check_spans(&text, &parse(&text, shell, &Limits::DEFAULT));
    }

    #[test]
    fn any_characters_are_read_or_refused_with_spans_inside(text in any::<String>(), shell in shells()) {
        check_spans(&text, &parse(&text, shell, &Limits::DEFAULT));
    }

    /// What bash accepts in all shells is read the same in all shells.
    #[test]
    fn shells_that_read_a_text_read_it_alike(text in shellish()) {
        let bash = parse(&text, Shell::Bash, &Limits::DEFAULT);
        for shell in [Shell::Zsh, Shell::Sh] {
            if let Ok(other) = parse(&text, shell, &Limits::DEFAULT) {
                prop_assert_eq!(bash.as_ref().map(|script| &script.body), Ok(&other.body));
            }
        }
    }

    #[test]
    fn a_statement_on_the_next_line_changes_nothing_before(text in shellish()) {
        if let Ok(script) = parse(&text, Shell::Bash, &Limits::DEFAULT)
            && let Ok(longer) = parse(&format!("{text}\nlast"), Shell::Bash, &Limits::DEFAULT)
        {
            let before = &longer.body.statements[..longer.body.statements.len() - 1];
            prop_assert_eq!(before, script.body.statements.as_slice());
        }
    }
}
