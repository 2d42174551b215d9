//! Facts about partly known values.

use engine_shell::{Origin, Value};

use super::{after, basename, begins, equals, join, no_narrower, no_wider, spaced, without_beginning};
use crate::truth::Truth;

fn glob(text: &str) -> Value {
    Value::Glob(text.into())
}

fn known(text: &str) -> Value {
    Value::Known(text.into())
}

#[test]
fn a_glob_for_a_program_is_never_taken_for_narrower_than_it_is() {
    assert_eq!(no_narrower(&known("*.rs")), Some(vec![glob("*.rs")]));
    assert_eq!(no_narrower(&known(".e[n]v")), Some(vec![glob(".e*")]));
    assert_eq!(no_narrower(&known("a\\[b")), Some(vec![glob("a*")]));
    assert_eq!(no_narrower(&glob("?env.*")), Some(vec![glob("*")]));
    assert_eq!(no_narrower(&glob("*.rs")), Some(vec![glob("*.rs")]));
    assert_eq!(no_narrower(&glob("\\[a*")), None);
    let affixed = Value::Affixed {
        prefix: "a".into(),
        suffix: ".rs".into(),
    };
    assert_eq!(no_narrower(&affixed), Some(vec![glob("a*.rs")]));
    assert_eq!(no_narrower(&Value::Unknown(Origin::Variable)), None);
    assert_eq!(no_wider(&known(".env*")), Some(glob(".env*")));
    assert_eq!(no_wider(&known("[.]env")), None);
    assert_eq!(no_wider(&glob("*.rs")), None);
}

#[test]
fn a_pattern_that_begins_with_a_wildcard_may_begin_with_a_dash() {
    assert_eq!(begins(&glob("*.txt"), "-"), Truth::Maybe);
    assert_eq!(begins(&glob("[a-z]*"), "-"), Truth::Maybe);
    assert_eq!(begins(&glob("./*.txt"), "-"), Truth::No);
    assert_eq!(begins(&glob("-*"), "-"), Truth::Yes);
    assert_eq!(begins(&Value::Below(".".into()), "-"), Truth::No);
    assert_eq!(begins(&Value::Below("".into()), "-"), Truth::Maybe);
    assert_eq!(begins(&Value::Integer, "-o"), Truth::No);
}

#[test]
fn a_pattern_can_only_be_what_it_matches() {
    assert_eq!(equals(&glob("*.d"), "-delete"), Truth::No);
    assert_eq!(equals(&glob("*"), "-delete"), Truth::Maybe);
    assert_eq!(equals(&glob("-delet[e]"), "-delete"), Truth::Maybe);
    assert_eq!(equals(&glob("?delete"), "-delete"), Truth::Maybe);
    assert_eq!(equals(&glob("[]]x"), "]x"), Truth::Maybe);
    assert_eq!(equals(&glob("a\\*"), "ab"), Truth::No);
}

#[test]
fn values_are_taken_apart() {
    assert_eq!(
        without_beginning(&glob("--out=*.c"), 6),
        Value::Affixed {
            prefix: "".into(),
            suffix: ".c".into()
        }
    );
    assert_eq!(after(&known("a=b=c"), "="), Some(known("b=c")));
    assert_eq!(after(&known("a"), "="), None);
    assert_eq!(basename(&known("a/b/")), known("b"));
    assert_eq!(basename(&glob("src/*.c")), glob("*.c"));
    assert_eq!(join(&known("a"), &known("b")), known("a/b"));
    assert_eq!(join(&known("a"), &known("/b")), known("/b"));
    assert_eq!(
        join(&known("a"), &Value::Unknown(Origin::Input)),
        Value::Unknown(Origin::Input)
    );
    assert_eq!(
        spaced(
            [
                (&known("ls"), true),
                (&Value::Unknown(Origin::Input), true),
                (&known("x"), true)
            ]
            .into_iter()
        ),
        Value::Affixed {
            prefix: "ls ".into(),
            suffix: " x".into()
        }
    );
}
