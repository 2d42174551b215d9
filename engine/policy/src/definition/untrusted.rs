//! Reads definitions that nobody trusts yet: a policy's own.
//!
//! The library that `read` is built on calls itself for each star and slash within a comment, and, behind a mistake, for those within
//! strings, so that a short text could end the process. Invariant (bounded): only what the bounded reader of policies finds no mistake
//! in, and without its comments, gets there.

use engine_shell::Span;

use super::comments::without_comments;
use super::model::Definition;
use super::notes::Read;
use super::problem::{Problem, Weight};
use super::read::{self, Holds};
use crate::read::{MAX_TEXT_BYTES, parse_kdl};
use crate::source::SourceId;

/// Reads the definitions of one file; usable only if no problem is an error.
#[must_use]
pub fn read_definitions(text: &str) -> (Vec<Definition>, Vec<Problem>) {
    let (read, problems) = read_file(text, Holds::Definitions);
    (read.into_iter().map(|read| read.definition).collect(), problems)
}

/// Whether a text is a file of definitions rather than a policy: it names a program, as no policy does.
#[must_use]
pub fn is_definitions(text: &str) -> bool {
    if text.len() > MAX_TEXT_BYTES {
        return false;
    }
    let nodes = parse_kdl(text, SourceId::default()).nodes;
    let first = nodes.first().map(|node| node.name.value.as_str());
    matches!(first, Some("name" | "min_usage_version")) || nodes.iter().any(|node| node.name.value == "bin")
}

/// The same, with what stands beside the definitions.
pub(crate) fn read_file(text: &str, holds: Holds) -> (Vec<Read>, Vec<Problem>) {
    let problem = |message: String, span: Span, help: Option<String>| Problem {
        message,
        label: String::new(),
        help,
        span: span.start as usize..span.end as usize,
        weight: Weight::Error,
    };
    if text.len() > MAX_TEXT_BYTES {
        let message = format!("longer than {MAX_TEXT_BYTES} bytes");
        return (Vec::new(), vec![problem(message, Span::default(), None)]);
    }
    let mistakes = parse_kdl(text, SourceId::default()).diagnostics;
    if !mistakes.is_empty() {
        let problems = mistakes.into_iter().map(|mistake| {
            let span = mistake.place().map(|place| place.span).unwrap_or_default();
            problem(mistake.message, span, mistake.help)
        });
        return (Vec::new(), problems.collect());
    }
    match without_comments(text) {
        Ok(plain) => read::read_file(&plain, holds),
        Err(span) => {
            let span = Span::new(span.start, span.end);
            (
                Vec::new(),
                vec![problem("a comment that never ends".to_owned(), span, None)],
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::read_definitions;

    #[test]
    fn long_comments_are_read_without_a_deep_stack() {
        let stars = "*/ ".repeat(200_000);
        let (definitions, problems) =
            read_definitions(&format!("bin \"a\" /* {} */", "* / ".repeat(200_000)));
        assert_eq!((definitions.len(), problems.len()), (1, 0));
        let (_, problems) = read_definitions(&format!("bin \"a\" ] \"/*{stars}"));
        assert!(!problems.is_empty());
        let (_, problems) = read_definitions(&format!("bin \"a\" /* {}", "/* ".repeat(200_000)));
        assert!(!problems.is_empty());
    }
}
