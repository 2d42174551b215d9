//! Tests of the strict parser: what is read, what is refused and where, per shell, at the limits, and for any text.

mod accepted;
mod expansions;
mod limits;
mod plain;
mod properties;
mod refused;
mod shells;
mod show;

use crate::{Construct, Limits, NotUnderstood, Script, Shell, parse};

use show::show_list;

fn bash(text: &str) -> Result<Script, NotUnderstood> {
    parse(text, Shell::Bash, &Limits::DEFAULT)
}

/// Checks what bash's reading of a text is, in the notation of [`show`].
#[track_caller]
fn reads(text: &str, expected: &str) {
    match bash(text) {
        Ok(script) => assert_eq!(show_list(&script.body), expected, "{text:?}"),
        Err(refused) => panic!("{text:?} is refused: {refused:?}"),
    }
}

/// Checks that a text is refused by a construct at a piece of the text.
#[track_caller]
fn refuses(text: &str, construct: Construct, piece: &str) {
    refuses_in(Shell::Bash, text, construct, piece);
}

#[track_caller]
fn refuses_in(shell: Shell, text: &str, construct: Construct, piece: &str) {
    match parse(text, shell, &Limits::DEFAULT) {
        Ok(script) => panic!("{text:?} is read as {}", show_list(&script.body)),
        Err(refused) => assert_eq!(
            (refused.construct, refused.span.of(text)),
            (construct, piece),
            "{text:?}"
        ),
    }
}
