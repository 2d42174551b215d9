//! TOML: printed in the one style from what it is made of.

mod print;
mod tree;

use toml_parser::parser::EventKind;

use super::Parts;
use super::out::Out;
use crate::diagnostic::Diagnostic;
use crate::read::toml::parse_events;
use crate::source::SourceId;

/// The text in the one style, or why it is no TOML.
pub(super) fn print(text: &str, source: SourceId) -> Result<String, Vec<Diagnostic>> {
    let events = parse_events(text, source)?;
    let mut out = Out::like(text);
    print::file(&tree::of_events(text, &events), &mut out);
    Ok(out.into_text())
}

/// What a text says, and its comments, each in order; or why it is no TOML.
pub(super) fn parts(text: &str, source: SourceId) -> Result<Parts<'_>, Vec<Diagnostic>> {
    let mut parts = Parts::default();
    for event in parse_events(text, source)? {
        let own = text
            .get(event.span().start()..event.span().end())
            .unwrap_or_default();
        match event.kind() {
            EventKind::Comment => parts.comments.push(own.trim_end()),
            EventKind::Whitespace | EventKind::Newline | EventKind::ValueSep | EventKind::Error => {}
            EventKind::StdTableOpen
            | EventKind::StdTableClose
            | EventKind::ArrayTableOpen
            | EventKind::ArrayTableClose
            | EventKind::InlineTableOpen
            | EventKind::InlineTableClose
            | EventKind::ArrayOpen
            | EventKind::ArrayClose
            | EventKind::SimpleKey
            | EventKind::KeySep
            | EventKind::KeyValSep
            | EventKind::Scalar => parts.said.push(own),
        }
    }
    Ok(parts)
}
