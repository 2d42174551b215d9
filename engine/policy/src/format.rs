//! Prints policies and command definitions in one style, and in the other spelling.
//!
//! Invariant (nothing is lost): what is printed is read again before anybody gets it; if it says anything else, or its comments are
//! others, there is no text but an error. Invariant (bounded): only what the bounded readers find no mistake in is printed, and work is
//! linear in the text.

mod convert;
mod kdl;
mod out;
mod toml;

pub use convert::{convert, kdl_text};

use crate::definition::{Definition, Weight, read_definitions};
use crate::diagnostic::Diagnostic;
use crate::document::Document;
use crate::read::kdl::is_newline;
use crate::read::{Format, MAX_TEXT_BYTES, read};
use crate::source::{Place, SourceId, Sources};

/// Longest text of definitions that is compared as such, beyond its words: their reader takes seconds for more.
const MAX_DEFINITIONS_BYTES: usize = 256 << 10;

/// Why a text is not printed.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum FormatError {
    /// The text has mistakes: all of them.
    Invalid(Vec<Diagnostic>),
    /// What was printed is not what was read: a fault of the printer.
    Differs(String),
}

/// What must be the same before and after.
#[derive(Debug, Default, PartialEq, Eq)]
struct Parts<'t> {
    /// Everything that has a meaning, as it is spelled.
    said: Vec<&'t str>,
    comments: Vec<&'t str>,
}

/// Prints a text in the one style. The text is kept in `sources`, for the places of its mistakes.
///
/// Any KDL or TOML text will do, whether or not it is a policy.
pub fn reformat(
    name: &str,
    text: &str,
    format: Format,
    sources: &mut Sources,
) -> Result<String, FormatError> {
    let source = keep(name, text, sources)?;
    let printed = match format {
        Format::Kdl => kdl::print(text, source),
        Format::Toml => toml::print(text, source),
    };
    let printed = printed.map_err(FormatError::Invalid)?;
    if printed.len() > MAX_TEXT_BYTES {
        let message = format!("formatted, `{name}` would be longer than {MAX_TEXT_BYTES} bytes");
        return Err(too_large(message, source));
    }
    if printed == text {
        return Ok(printed);
    }
    let parts = |text| match format {
        Format::Kdl => kdl::parts(text, source),
        Format::Toml => toml::parts(text, source),
    };
    let before = parts(text).map_err(FormatError::Invalid)?;
    let Ok(after) = parts(&printed) else {
        return Err(FormatError::Differs("what was printed cannot be read".to_owned()));
    };
    if before.said != after.said {
        return Err(FormatError::Differs(first_difference(&before.said, &after.said)));
    }
    if before.comments != after.comments {
        let what = first_difference(&before.comments, &after.comments);
        return Err(FormatError::Differs(format!("comments: {what}")));
    }
    if !same_meaning(text, &printed, format) {
        return Err(FormatError::Differs("it would mean something else".to_owned()));
    }
    Ok(printed)
}

/// Keeps a text that is not too long.
fn keep(name: &str, text: &str, sources: &mut Sources) -> Result<SourceId, FormatError> {
    let fits = text.len() <= MAX_TEXT_BYTES;
    let Some(source) = sources.add(name, if fits { text } else { "" }) else {
        let message = format!("at most {} files are taken at once", Sources::MAX_TEXTS);
        let problem = Diagnostic::error("policy::too-many-files", message, Place::default());
        return Err(FormatError::Invalid(vec![problem]));
    };
    if fits {
        return Ok(source);
    }
    Err(too_large(
        format!("`{name}` is longer than {MAX_TEXT_BYTES} bytes"),
        source,
    ))
}

fn too_large(message: String, source: SourceId) -> FormatError {
    let place = Place {
        source,
        ..Place::default()
    };
    FormatError::Invalid(vec![Diagnostic::error("policy::too-large", message, place)])
}

fn first_difference(before: &[&str], after: &[&str]) -> String {
    let at = before
        .iter()
        .zip(after)
        .take_while(|(before, after)| before == after)
        .count();
    let show = |list: &[&str]| {
        list.get(at)
            .map_or("nothing".to_owned(), |text| format!("`{text}`"))
    };
    format!("{} became {}", show(before), show(after))
}

/// Whether two texts are the same policy, the same definitions, or neither of both.
fn same_meaning(before: &str, after: &str, format: Format) -> bool {
    let (old, new) = (document(before, format), document(after, format));
    if old != new {
        return false;
    }
    let is_compared = before.len() <= MAX_DEFINITIONS_BYTES && before.contains("bin");
    if old.is_some() || format == Format::Toml || !is_compared {
        return true;
    }
    let old = definitions(before);
    old.is_none() || definitions(after) == old
}

/// The definitions that a text is, if it is some: they begin with `bin`. Where their examples stand is left out.
fn definitions(text: &str) -> Option<Vec<Definition>> {
    let (mut found, problems) = read_definitions(text);
    for example in found.iter_mut().flat_map(|definition| &mut definition.tests) {
        example.span = (0, 0);
    }
    let sound = problems.iter().all(|problem| problem.weight == Weight::Warning);
    sound.then_some(found)
}

/// The policy that a text is, if it is one.
fn document(text: &str, format: Format) -> Option<Document> {
    read("", text, format, &mut Sources::new()).0
}

/// How many lines end in a text.
fn line_ends(text: &str) -> usize {
    text.chars().filter(|&c| is_newline(c)).count() - text.matches("\r\n").count()
}

#[cfg(test)]
mod tests;
