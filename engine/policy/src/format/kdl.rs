//! KDL: printed in the one style from what it is made of.

mod print;
mod tree;

use super::Parts;
use super::out::Out;
use crate::diagnostic::Diagnostic;
use crate::read::kdl::{PieceKind, is_blank, parse_pieces};
use crate::source::SourceId;

/// What only a policy refuses, and KDL as such allows.
const OF_POLICIES: &[&str] = &["policy::type-annotation", "policy::duplicate-property"];

/// The text in the one style, or why it is no KDL.
pub(super) fn print(text: &str, source: SourceId) -> Result<String, Vec<Diagnostic>> {
    let (tree, pieces) = parse_pieces(text, source);
    let mistakes = mistakes(tree.diagnostics);
    if !mistakes.is_empty() {
        return Err(mistakes);
    }
    let mut out = Out::like(text);
    print::file(&tree::of_pieces(text, &pieces), &mut out);
    Ok(out.into_text())
}

/// What a text says, and its comments, each in order; or why it is no KDL.
pub(super) fn parts(text: &str, source: SourceId) -> Result<Parts<'_>, Vec<Diagnostic>> {
    let (tree, pieces) = parse_pieces(text, source);
    let mistakes = mistakes(tree.diagnostics);
    if !mistakes.is_empty() {
        return Err(mistakes);
    }
    let mut parts = Parts::default();
    for piece in pieces {
        let own = text.get(piece.start..piece.end).unwrap_or_default();
        match piece.kind {
            PieceKind::LineComment => parts.comments.push(own.trim_end_matches(is_blank)),
            PieceKind::BlockComment => parts.comments.push(own),
            PieceKind::NodeStart => parts.said.push("a node"),
            PieceKind::NodeEnd => parts.said.push("its end"),
            PieceKind::Slashdash
            | PieceKind::Type
            | PieceKind::Name
            | PieceKind::Value
            | PieceKind::Equals
            | PieceKind::Open
            | PieceKind::Close => parts.said.push(own),
        }
    }
    Ok(parts)
}

fn mistakes(diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
    diagnostics
        .into_iter()
        .filter(|diagnostic| !OF_POLICIES.contains(&diagnostic.code))
        .collect()
}
