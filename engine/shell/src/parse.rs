//! The strict parser: text to a typed [`Script`], or the name of what is not understood.
//!
//! Its grammar is an allowlist of constructs, written by hand over bytes against the POSIX shell grammar and the bash
//! manual; one file for each kind of construct. bash is the reference; where zsh or a POSIX shell would read an accepted
//! construct in another way, it is refused for that shell ([`dialect`]).
//!
//! Invariants:
//! - *strict*: whatever is not in the grammar is refused by name, never passed over, and one refusal refuses the text;
//! - *linear*: every byte is looked at a bounded number of times, the bound being the nesting limit;
//! - *shallow*: recursion is bounded by [`Limits::depth`], and so is the depth of the script that is made;
//! - *spans inside*: every span lies in the text on character boundaries, since positions move by whole characters.

mod arithmetic;
mod brace;
mod compound;
mod condition;
mod cursor;
mod dialect;
mod expansion;
mod fill;
mod glob;
mod heredoc;
mod list;
mod operand;
mod quote;
mod redirect;
mod simple;
mod substitution;
mod tilde;
mod value;
mod word;

#[cfg(test)]
mod tests;

use crate::{Construct, Limits, NotUnderstood, Script, Shell, Span};

use cursor::Parser;

/// What every rule of the grammar returns.
type Parsed<T> = Result<T, NotUnderstood>;

/// Reads a whole text as `shell` would read the argument of `-c`.
///
/// The text must be exactly what the shell will be given. Anything outside the grammar refuses all of it: a shell runs the
/// lines before a syntax error, so there is no good part to keep.
///
/// ```
/// use engine_shell::{CommandKind, Construct, Limits, Shell, parse};
///
/// let script = parse("git log -1 && ls", Shell::Bash, &Limits::DEFAULT)?;
/// assert_eq!(script.body.statements.len(), 1);
///
/// let refused = parse("echo ${!x}", Shell::Bash, &Limits::DEFAULT).unwrap_err();
/// assert_eq!(refused.construct, Construct::IndirectExpansion);
/// # Ok::<(), engine_shell::NotUnderstood>(())
/// ```
pub fn parse(text: &str, shell: Shell, limits: &Limits) -> Result<Script, NotUnderstood> {
    check_text(text, limits)?;
    let mut parser = Parser::new(text, shell, limits);
    let mut body = parser.list()?;
    if !parser.at_end() {
        return Err(parser.here(Construct::UnexpectedToken));
    }
    parser.expect_no_pending()?;
    fill::fill(&mut body, std::mem::take(&mut parser.bodies));
    Ok(Script {
        shell,
        body,
        plain: parser.plain && !(parser.lines && parser.one_line),
        comments: parser.comments,
    })
}

/// What can be said before anything is read.
fn check_text(text: &str, limits: &Limits) -> Parsed<()> {
    let refuse = |construct, start, end| {
        Err(NotUnderstood {
            construct,
            span: Span::new(start, end),
        })
    };
    if text.len() > limits.text_bytes.min(Limits::MAX_TEXT_BYTES) {
        return refuse(Construct::TextTooLong, 0, text.len());
    }
    if text.starts_with(['-', '+']) {
        return refuse(Construct::LeadingDash, 0, 1);
    }
    let control = |byte: &u8| (*byte < b' ' && *byte != b'\n' && *byte != b'\t') || *byte == 0x7f;
    match text.as_bytes().iter().position(control) {
        Some(at) => refuse(Construct::ControlCharacter, at, at + 1),
        None => Ok(()),
    }
}
