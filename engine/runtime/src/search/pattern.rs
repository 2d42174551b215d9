//! Compiles the regular expression of a search, and says where and why one is wrong.
//!
//! Invariant: a pattern compiles to a bounded size and runs in time linear in what it searches.

use grep_regex::{ErrorKind as EngineError, RegexMatcher, RegexMatcherBuilder};
use regex_syntax::ast::ErrorKind as Syntax;
use regex_syntax::{Error as ReadError, ParserBuilder, hir};

use super::error::{PatternError, SearchError};
use super::limits::{PATTERN_BYTES, REGEX_BYTES, REGEX_NESTING};
use super::request::GrepRequest;

/// Compiles what a request looks for.
pub(super) fn compile(request: &GrepRequest) -> Result<RegexMatcher, SearchError> {
    let pattern = request.pattern.as_str();
    if pattern.len() > PATTERN_BYTES {
        return Err(wrong(
            shortened(pattern),
            None,
            format!("it is longer than {PATTERN_BYTES} bytes"),
            Some("search for less at a time"),
        ));
    }
    let mut builder = RegexMatcherBuilder::new();
    builder
        .multi_line(true)
        .unicode(true)
        .octal(false)
        .case_insensitive(request.ignore_case)
        .size_limit(REGEX_BYTES)
        .dfa_size_limit(REGEX_BYTES)
        .nest_limit(REGEX_NESTING);
    if request.multiline {
        builder.dot_matches_new_line(true);
    } else {
        builder.line_terminator(Some(b'\n'));
    }
    builder
        .build(pattern)
        .map_err(|error| explain(pattern, error.kind()))
}

/// Finds the place and the advice for an error of the engine, which itself only draws where it is.
fn explain(pattern: &str, error: &EngineError) -> SearchError {
    match ParserBuilder::new()
        .utf8(false)
        .multi_line(true)
        .nest_limit(REGEX_NESTING)
        .build()
        .parse(pattern)
    {
        Err(ReadError::Parse(error)) => {
            let at = position(pattern, error.span().start.offset);
            wrong(
                shortened(pattern),
                Some(at),
                error.kind().to_string(),
                advice(error.kind()),
            )
        }
        Err(ReadError::Translate(error)) => {
            let at = position(pattern, error.span().start.offset);
            wrong(
                shortened(pattern),
                Some(at),
                error.kind().to_string(),
                translated(error.kind()),
            )
        }
        Err(_) | Ok(_) => match error {
            EngineError::NotAllowed(_) | EngineError::Banned(b'\n') => wrong(
                shortened(pattern),
                pattern
                    .find("\\n")
                    .or_else(|| pattern.find('\n'))
                    .map(|offset| position(pattern, offset)),
                "a match ends with its line, so that a line feed is never found".to_owned(),
                Some("set `multiline` to true"),
            ),
            EngineError::Regex(_) | EngineError::InvalidLineTerminator(_) | EngineError::Banned(_) | _ => {
                wrong(shortened(pattern), None, plain(error), too_large(error))
            }
        },
    }
}

fn wrong(pattern: String, position: Option<usize>, reason: String, hint: Option<&str>) -> SearchError {
    SearchError::Pattern(PatternError {
        pattern,
        position,
        reason,
        hint: hint.map(str::to_owned),
    })
}

fn plain(error: &EngineError) -> String {
    match error {
        EngineError::Regex(text) => text.clone(),
        EngineError::NotAllowed(literal) => format!("`{literal}` is not allowed"),
        EngineError::InvalidLineTerminator(byte) | EngineError::Banned(byte) => {
            format!("byte {byte} is never found")
        }
        _ => "it is not understood".to_owned(),
    }
}

fn too_large(error: &EngineError) -> Option<&'static str> {
    let large = matches!(error, EngineError::Regex(text) if text.contains("size limit"));
    large.then_some("repeat less often, or name fewer characters")
}

/// The number of the character at a byte offset, the first being 1.
fn position(pattern: &str, offset: usize) -> usize {
    pattern.char_indices().take_while(|(at, _)| *at < offset).count() + 1
}

/// A pattern is quoted in the error, but not all of a very long one.
fn shortened(pattern: &str) -> String {
    const SHOWN: usize = 200;
    if pattern.chars().count() <= SHOWN {
        return pattern.to_owned();
    }
    pattern.chars().take(SHOWN).chain("...".chars()).collect()
}

/// What is meant most often where a pattern is wrong in this way.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "a list of the library's that grows; advice is given where there is some"
)]
fn advice(error: &Syntax) -> Option<&'static str> {
    match error {
        Syntax::GroupUnclosed => Some("close the group with `)`, or write `\\(` for the character"),
        Syntax::GroupUnopened => Some("write `\\)` for the character"),
        Syntax::ClassUnclosed => Some("close the class with `]`, or write `\\[` for the character"),
        Syntax::RepetitionMissing => Some("write `\\*`, `\\+`, `\\?` or `\\{` for the character"),
        Syntax::RepetitionCountUnclosed
        | Syntax::RepetitionCountDecimalEmpty
        | Syntax::DecimalEmpty
        | Syntax::DecimalInvalid => Some("write `\\{` and `\\}` for the characters"),
        Syntax::RepetitionCountInvalid => Some("the first number of a repetition is the smaller one"),
        Syntax::EscapeUnexpectedEof => Some("write `\\\\` for a backslash"),
        Syntax::EscapeUnrecognized => Some("leave the backslash out, or write `\\\\` for a backslash"),
        Syntax::ClassRangeInvalid | Syntax::ClassRangeLiteral | Syntax::ClassEscapeInvalid => {
            Some("write `\\-` for the character, or name the smaller end of the range first")
        }
        Syntax::UnsupportedLookAround => {
            Some("match what stands around it too, and look at the lines that are found")
        }
        Syntax::UnsupportedBackreference => {
            Some("write what is repeated once more, a group cannot be referred to")
        }
        Syntax::UnicodeClassInvalid => Some("write a class as `\\p{Greek}`"),
        Syntax::NestLimitExceeded(_) => Some("use fewer groups within groups"),
        _ => None,
    }
}

fn translated(error: &hir::ErrorKind) -> Option<&'static str> {
    let class = matches!(
        error,
        hir::ErrorKind::UnicodePropertyNotFound | hir::ErrorKind::UnicodePropertyValueNotFound
    );
    class.then_some("write a class as `\\p{Greek}`")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error_of(pattern: &str) -> PatternError {
        match compile(&GrepRequest::new(pattern)) {
            Err(SearchError::Pattern(error)) => error,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_wrong_pattern_is_explained_with_its_place_and_a_hint() {
        assert_eq!(
            error_of("fn main(").to_string(),
            "`fn main(` is no regular expression at position 8: unclosed group (hint: close the group with `)`, or write `\\(` for the \
             character)"
        );
        for (pattern, position, hint) in [
            ("größe[", 6, "`\\[`"),
            ("a)", 2, "`\\)`"),
            ("*.rs", 1, "`\\*`"),
            ("map{", 4, "`\\{`"),
            ("(?=x)", 1, "look at the lines"),
            ("(a)\\1", 4, "once more"),
            ("\\p{Nope}", 1, "\\p{Greek}"),
            ("a\\", 2, "backslash"),
        ] {
            let error = error_of(pattern);
            assert_eq!(error.position(), Some(position), "{pattern}");
            assert!(
                error.hint().is_some_and(|text| text.contains(hint)),
                "{pattern}: {error}"
            );
        }
    }

    #[test]
    fn a_line_feed_needs_multiline() {
        let error = error_of("a\\nb");
        assert_eq!(
            (error.position(), error.hint()),
            (Some(2), Some("set `multiline` to true"))
        );
        assert!(
            compile(&GrepRequest {
                multiline: true,
                ..GrepRequest::new("a\\nb")
            })
            .is_ok()
        );
    }

    #[test]
    fn a_pattern_that_grows_without_bound_is_refused() {
        assert!(error_of("(\\w{1000}){1000}").to_string().contains("size limit"));
        assert!(error_of(&"(".repeat(300)).position().is_some());
        assert_eq!(error_of(&"a".repeat(PATTERN_BYTES + 1)).position(), None);
    }
}
