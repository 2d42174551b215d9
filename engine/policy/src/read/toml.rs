//! Reads TOML text into the nodes that KDL text is read into.
//!
//! Invariant (bounded): nesting is limited to [`MAX_DEPTH`](super::MAX_DEPTH) while events are made, before a tree exists.

mod map;
mod plain;
mod tree;

use std::borrow::Cow;

use engine_shell::Span;
use toml_parser::parser::{Event, EventKind, RecursionGuard, ValidateWhitespace, parse_document};
use toml_parser::{ParseError, Source};

use super::node::Node;
use super::{MAX_DEPTH, MAX_PROBLEMS};
use crate::diagnostic::Diagnostic;
use crate::source::{Place, SourceId};

/// Reads a text. Its size is the caller's to bound.
pub(crate) fn parse_toml(text: &str, source: SourceId) -> (Vec<Node>, Vec<Diagnostic>) {
    parse_with(text, source, map::nodes)
}

/// Reads a text that is no policy: its tables become nodes by one rule for all of them.
pub(crate) fn parse_plain_toml(text: &str, source: SourceId) -> (Vec<Node>, Vec<Diagnostic>) {
    parse_with(text, source, plain::nodes)
}

fn parse_with(
    text: &str,
    source: SourceId,
    meaning: fn(&tree::Fields) -> (Vec<Node>, Vec<Diagnostic>),
) -> (Vec<Node>, Vec<Diagnostic>) {
    let (_, diagnostics) = events(text, source);
    if !diagnostics.is_empty() {
        return (Vec::new(), diagnostics);
    }
    match toml_edit::Document::parse(text) {
        Ok(document) => {
            let whole = Place {
                source,
                span: Span::new(0, text.len()),
            };
            let tree = tree::of_table(document.as_table(), text, whole);
            meaning(&tree)
        }
        Err(error) => (Vec::new(), vec![of_library(&error, source)]),
    }
}

/// Everything a text is made of, or every mistake of its grammar.
pub(crate) fn parse_events(text: &str, source: SourceId) -> Result<Vec<Event>, Vec<Diagnostic>> {
    let (events, mut diagnostics) = events(text, source);
    if diagnostics.is_empty()
        && let Err(error) = toml_edit::Document::parse(text)
    {
        diagnostics.push(of_library(&error, source));
    }
    if diagnostics.is_empty() {
        Ok(events)
    } else {
        Err(diagnostics)
    }
}

/// Events, and every mistake of the grammar, those inside values included; what the values mean is looked at later.
fn events(text: &str, source: SourceId) -> (Vec<Event>, Vec<Diagnostic>) {
    let toml = Source::new(text);
    let tokens = toml.lex().into_vec();
    let mut found: Vec<ParseError> = Vec::new();
    let mut errors = |error: ParseError| {
        if found.len() < MAX_PROBLEMS {
            found.push(error);
        }
    };
    let mut events: Vec<Event> = Vec::new();
    let depth = u32::try_from(MAX_DEPTH).unwrap_or(u32::MAX);
    let mut checked = ValidateWhitespace::new(&mut events, toml);
    parse_document(
        &tokens,
        &mut RecursionGuard::new(&mut checked, depth),
        &mut errors,
    );
    for event in &events {
        let Some(raw) = toml.get(event) else { continue };
        let mut decoded = Cow::Borrowed("");
        match event.kind() {
            EventKind::Scalar => {
                let _kind = raw.decode_scalar(&mut decoded, &mut errors);
            }
            EventKind::SimpleKey => raw.decode_key(&mut decoded, &mut errors),
            EventKind::StdTableOpen
            | EventKind::StdTableClose
            | EventKind::ArrayTableOpen
            | EventKind::ArrayTableClose
            | EventKind::InlineTableOpen
            | EventKind::InlineTableClose
            | EventKind::ArrayOpen
            | EventKind::ArrayClose
            | EventKind::KeySep
            | EventKind::KeyValSep
            | EventKind::ValueSep
            | EventKind::Whitespace
            | EventKind::Comment
            | EventKind::Newline
            | EventKind::Error => {}
        }
    }
    let diagnostics = found.iter().map(|error| {
        let at = error.unexpected().or(error.context());
        let span = at.map_or(Span::new(0, 0), |at| Span::new(at.start(), at.end()));
        syntax_error(error.description(), Place { source, span })
    });
    (events, diagnostics.collect())
}

fn of_library(error: &toml_edit::TomlError, source: SourceId) -> Diagnostic {
    let span = error.span().unwrap_or_default();
    let place = Place {
        source,
        span: Span::new(span.start, span.end),
    };
    syntax_error(error.message(), place)
}

fn syntax_error(message: &str, place: Place) -> Diagnostic {
    if message.contains("recurs") {
        let message = format!("values are nested more than {MAX_DEPTH} deep");
        return Diagnostic::error("policy::too-deep", message, place);
    }
    // The reader may add what it expected on further lines; a message is one line.
    let line = message
        .lines()
        .next()
        .unwrap_or("this is not TOML")
        .trim_end_matches('.');
    Diagnostic::error("policy::syntax", line, place)
}
