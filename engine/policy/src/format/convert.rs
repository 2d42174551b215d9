//! A policy in the other spelling, with its comments.
//!
//! Invariant (nothing is lost): the new text is read, and must be the same policy with the same words in its comments.

mod comments;
mod literal;
mod to_kdl;
mod to_toml;

pub use literal::kdl_text;

use super::{FormatError, keep, reformat, too_large};
use crate::diagnostic::{Diagnostic, Level};
use crate::document::{BudgetOf, Condition, Document};
use crate::read::kdl::parse_pieces;
use crate::read::toml::{parse_events, parse_toml};
use crate::read::{Format, MAX_TEXT_BYTES, Node, read};
use crate::source::{Place, SourceId, Sources};
use comments::Note;

/// Says a policy in the other spelling. Comments go along; what `/-` takes out becomes a comment. The text is kept in `sources`, for the
/// places of its mistakes.
pub fn convert(name: &str, text: &str, from: Format, sources: &mut Sources) -> Result<String, FormatError> {
    let source = keep(name, text, sources)?;
    let old = policy(name, text, from, source)?;
    let (nodes, notes) = nodes_and_notes(text, from, source)?;
    let mut words = comments::words(&notes);
    let sections = comments::attach(&nodes, notes, text, from);
    let (to, written) = match from {
        Format::Kdl => (
            Format::Toml,
            to_toml::write(&sections).map_err(|problem| FormatError::Invalid(vec![*problem]))?,
        ),
        Format::Toml => (Format::Kdl, to_kdl::write(&sections)),
    };
    let unreadable = |error: FormatError| match error {
        FormatError::Invalid(problems)
            if problems.iter().any(|problem| problem.code == "policy::too-large") =>
        {
            let message =
                format!("in the other spelling, `{name}` would be longer than {MAX_TEXT_BYTES} bytes");
            too_large(message, source)
        }
        FormatError::Invalid(problems) => {
            let first = problems.first().map_or("", |problem| problem.message.as_str());
            FormatError::Differs(format!("what was written cannot be read: {first}"))
        }
        FormatError::Differs(what) => FormatError::Differs(what),
    };
    let printed = reformat(name, &written, to, &mut Sources::new()).map_err(unreadable)?;
    let new = policy(name, &printed, to, SourceId::default()).map_err(unreadable)?;
    if canonical(old) != canonical(new) {
        return Err(FormatError::Differs("it would be another policy".to_owned()));
    }
    let (_, notes) = nodes_and_notes(&printed, to, SourceId::default()).map_err(unreadable)?;
    let mut written = comments::words(&notes);
    words.sort_unstable();
    written.sort_unstable();
    if words != written {
        return Err(FormatError::Differs("a comment would be lost".to_owned()));
    }
    Ok(printed)
}

/// The policy that a text is.
fn policy(name: &str, text: &str, format: Format, source: SourceId) -> Result<Document, FormatError> {
    let (document, mut diagnostics) = read(name, text, format, &mut Sources::new());
    document.ok_or_else(|| {
        diagnostics.retain(|diagnostic| diagnostic.level == Level::Error);
        for place in diagnostics
            .iter_mut()
            .flat_map(|diagnostic| &mut diagnostic.labels)
        {
            place.0.source = source;
        }
        FormatError::Invalid(diagnostics)
    })
}

fn nodes_and_notes(
    text: &str,
    format: Format,
    source: SourceId,
) -> Result<(Vec<Node>, Vec<Note>), FormatError> {
    match format {
        Format::Kdl => {
            let (tree, pieces) = parse_pieces(text, source);
            let notes = comments::of_kdl(text, &pieces, &tree.disabled);
            Ok((tree.nodes, notes))
        }
        Format::Toml => {
            let events = parse_events(text, source).map_err(FormatError::Invalid)?;
            Ok((parse_toml(text, source).0, comments::of_toml(text, &events)))
        }
    }
}

/// A document in which the order is only kept where it means something: conditions of a rule must all hold, modes are named once, and
/// lines of settings are told apart by their names.
fn canonical(mut document: Document) -> Document {
    for block in &mut document.blocks {
        for rule in &mut block.value.rules {
            rule.value
                .conditions
                .sort_by(|one, other| rank(&one.value).cmp(&rank(&other.value)));
        }
    }
    document.modes.rules.sort_by_key(|(mode, _)| mode.value);
    document
        .sandbox
        .sort_by(|one, other| one.name.value.cmp(&other.name.value));
    for entry in &mut document.sandbox {
        entry
            .properties
            .sort_by(|one, other| one.0.value.cmp(&other.0.value));
    }
    document
        .budgets
        .sort_by_key(|line| matches!(line.value.of, BudgetOf::Message(_)));
    document.defer.sort_by_key(|line| line.value.defers.value);
    document.hooks.sort_by_key(|hook| hook.value.event.value);
    document
}

/// A place for each kind of condition, for each operand and for each field.
fn rank(condition: &Condition) -> (u8, u16, &str) {
    match condition {
        Condition::Flag(_) => (0, 0, ""),
        Condition::WithoutFlag(_) => (1, 0, ""),
        Condition::OperandsWithin(_) => (2, 0, ""),
        Condition::Operand { index, .. } => (3, index.value, ""),
        Condition::Env(_) => (4, 0, ""),
        Condition::Cwd(_) => (5, 0, ""),
        Condition::PipedInto(_) => (6, 0, ""),
        Condition::InPipeline(_) => (7, 0, ""),
        Condition::Background(_) => (8, 0, ""),
        Condition::Via(_) => (9, 0, ""),
        Condition::Input { field, .. } => (10, 0, &field.value),
    }
}

/// What a spelling has no words for.
fn unsayable(message: String, place: Place) -> Diagnostic {
    Diagnostic::error("policy::no-such-spelling", message, place)
        .help("say it in another way first, or keep the file as it is")
}
