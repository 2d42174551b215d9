//! Edits that mend a finding, and applying them to a text.
//!
//! Invariant (all or nothing): edits that overlap or lie outside the text are refused together; a text is never changed by half.

use engine_shell::Span;

use super::Finding;
use super::groups::Group;
use crate::read::Format;
use crate::source::{Place, SourceId, Sources};

/// Edits that together mend one finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// What they do, for a person.
    pub title: String,
    /// Whether they may be made without a person looking: they change no verdict, or only the reasons for one.
    pub safe: bool,
    /// Places and what comes in their place; they do not overlap.
    pub edits: Vec<(Place, String)>,
}

/// Why edits are not made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ApplyError {
    /// Two of them change the same bytes.
    #[error("two edits change the same place")]
    Overlap,
    /// One lies outside of the text or inside a character.
    #[error("an edit lies outside of the text")]
    Outside,
}

/// A text after the safe fixes of the findings about it, and how many were made. Of fixes that overlap the first is made.
///
/// # Errors
/// If a fix overlaps itself or lies outside of the text.
pub fn apply_fixes(
    text: &str,
    source: SourceId,
    findings: &[Finding],
) -> Result<(String, usize), ApplyError> {
    let mut taken: Vec<(Span, &str)> = Vec::new();
    let mut made = 0;
    for fix in findings.iter().filter_map(|finding| finding.fix.as_ref()) {
        if !fix.safe || fix.edits.is_empty() || fix.edits.iter().any(|(place, _)| place.source != source) {
            continue;
        }
        let meets = |one: Span, other: Span| one.start < other.end && other.start < one.end || one == other;
        let clashes = fix
            .edits
            .iter()
            .any(|(place, _)| taken.iter().any(|(span, _)| meets(*span, place.span)));
        if !clashes {
            taken.extend(fix.edits.iter().map(|(place, new)| (place.span, new.as_str())));
            made += 1;
        }
    }
    edited(text, taken).map(|text| (text, made))
}

fn edited(text: &str, mut edits: Vec<(Span, &str)>) -> Result<String, ApplyError> {
    edits.sort_by_key(|(span, _)| (span.start, span.end));
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for (span, new) in edits {
        let (start, end) = (span.start as usize, span.end as usize);
        if start < at {
            return Err(ApplyError::Overlap);
        }
        out.push_str(text.get(at..start).ok_or(ApplyError::Outside)?);
        out.push_str(new);
        at = end;
    }
    out.push_str(text.get(at..).ok_or(ApplyError::Outside)?);
    Ok(out)
}

/// Takes a pattern out of its rule, or the rule out of its block where it has no other. A rule written in TOML keeps its last pattern.
pub(super) fn remove_pattern(sources: &Sources, group: &Group<'_>, place: Place, safe: bool) -> Option<Fix> {
    if group.short().is_some()
        && let Some(node) = whole_node(sources, place)
    {
        return remove_node(sources, node).map(|fix| Fix { safe, ..fix });
    }
    if group.patterns.len() > 1 || group.short().is_some() {
        return remove_argument(sources, place).map(|fix| Fix { safe, ..fix });
    }
    if !group.except.is_empty() || other_terms(group) {
        return None;
    }
    remove_node(sources, group.rule.place).map(|fix| Fix { safe, ..fix })
}

/// The node that an argument is the only one of: `short "..."`, or a block without braces.
fn whole_node(sources: &Sources, place: Place) -> Option<Place> {
    let source = sources.get(place.source)?;
    let (start, end) = (place.span.start as usize, place.span.end as usize);
    let before = source.text.get(..start)?.trim_end_matches([' ', '\t']);
    let after = source.text.get(end..)?.trim_start_matches([' ', '\t']);
    let ends = after.is_empty() || after.starts_with(['\n', '\r', ';', '}']) || after.starts_with("//");
    let name = ["short", "allow", "ask", "deny"]
        .into_iter()
        .find(|name| before.ends_with(name))?;
    (ends && format_of(&source.name) == Format::Kdl)
        .then(|| place.at(Span::new(before.len() - name.len(), end)))
}

/// Whether the rule has patterns besides this group: sets.
fn other_terms(group: &Group<'_>) -> bool {
    use crate::document::Subject;
    let terms = match &group.rule.value.subject {
        Subject::Command(terms) => terms.patterns.len(),
        Subject::Read(terms) | Subject::Write(terms) | Subject::Delete(terms) => terms.patterns.len(),
        Subject::Network(terms) => terms.patterns.len(),
        Subject::Tool(_)
        | Subject::Env(_)
        | Subject::Agent(_)
        | Subject::Skill(_)
        | Subject::Mode(_)
        | Subject::Short(_) => 1,
    };
    terms > 1
}

/// Takes an argument out of a list, with the blank or comma that parts it from the others.
pub(super) fn remove_argument(sources: &Sources, place: Place) -> Option<Fix> {
    let source = sources.get(place.source)?;
    let (start, end) = (place.span.start as usize, place.span.end as usize);
    let (before, after) = (source.text.get(..start)?, source.text.get(end..)?);
    let span = match format_of(&source.name) {
        // A blank in front belongs to it; of a line that goes on only the blanks of the line.
        Format::Kdl => {
            let kept = before.trim_end_matches([' ', '\t']);
            Span::new(kept.len(), end)
        }
        Format::Toml => {
            let rest = after.trim_start();
            if let Some(rest) = rest.strip_prefix(',') {
                let rest = rest.trim_start_matches([' ', '\t']);
                Span::new(start, source.text.len() - rest.len())
            } else {
                let kept = before.trim_end().strip_suffix(',')?;
                Span::new(kept.len(), end)
            }
        }
    };
    Some(Fix {
        title: format!("remove {}", sources.text(place)),
        safe: true,
        edits: vec![(place.at(span), String::new())],
    })
}

/// Takes a node out of a KDL text, with its line where it stands alone on one.
pub(super) fn remove_node(sources: &Sources, place: Place) -> Option<Fix> {
    let source = sources.get(place.source)?;
    if format_of(&source.name) == Format::Toml {
        return None;
    }
    let (start, end) = (place.span.start as usize, place.span.end as usize);
    let (before, after) = (source.text.get(..start)?, source.text.get(end..)?);
    let kept = before.trim_end_matches([' ', '\t']);
    let rest = after.trim_start_matches([' ', '\t']);
    let rest = rest.strip_prefix(';').unwrap_or(rest);
    let blank = rest.trim_start_matches([' ', '\t']);
    let own_line = kept.is_empty() || kept.ends_with('\n');
    let span = match blank.strip_prefix('\n') {
        Some(next) if own_line => Span::new(kept.len(), source.text.len() - next.len()),
        Some(_) | None => Span::new(start, source.text.len() - rest.len()),
    };
    Some(Fix {
        title: "remove the line".to_owned(),
        safe: true,
        edits: vec![(place.at(span), String::new())],
    })
}

/// Puts a text in the place of another.
pub(super) fn replace(place: Place, new: String, safe: bool) -> Fix {
    Fix {
        title: format!("write {new}"),
        safe,
        edits: vec![(place, new)],
    }
}

pub(super) fn format_of(name: &str) -> Format {
    Format::of_name(name).unwrap_or(Format::Kdl)
}
