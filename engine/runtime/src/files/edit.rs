//! Replacing an exact piece of a text.
//!
//! Invariant (one meaning): a text is replaced only where there is one way to understand what was asked: one exact place, all of them if all
//! were asked for, or one place that differs in nothing but the spelling of quotes, line endings or tabs.

use memchr::memmem;

use super::change::{Change, Fit};
use super::encoding::{Endings, Fidelity, endings, with_crlf};
use super::error::FileError;
use super::kind::Kind;
use super::place::Decided;
use super::read::View;
use super::write::{Planned, existing};

mod fit;
mod near;

/// How many lines an error lists.
const MAX_LISTED: usize = 10;

/// Which places are replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Which {
    /// The only one.
    TheOnly,
    /// All of them.
    All,
}

/// What to replace.
#[derive(Debug, Clone, Copy)]
pub struct EditRequest<'a> {
    /// The text that is in the file.
    pub old_string: &'a str,
    /// The text that takes its place.
    pub new_string: &'a str,
    /// Which places are replaced.
    pub which: Which,
}

/// Plans to replace a piece of a file that this session has read.
pub fn plan_edit(place: &Decided, request: &EditRequest<'_>, view: &View<'_>) -> Result<Planned, FileError> {
    if request.old_string == request.new_string {
        return Err(FileError::BadRequest(
            "`old_string` and `new_string` are equal, so there is nothing to change",
        ));
    }
    if request.old_string.is_empty() {
        return Err(FileError::BadRequest(
            "`old_string` is empty; give the text to replace, or use Write to make a file or replace all of it",
        ));
    }
    let existing = existing(place, view, "edit")?;
    let path = || place.as_path().to_owned();
    match existing.kind {
        Kind::Text => {}
        // One with a mistake in it has no cells that could be edited.
        Kind::Notebook if serde_json::from_str::<serde::de::IgnoredAny>(&existing.text).is_err() => {}
        Kind::Notebook => return Err(FileError::IsNotebook { path: path() }),
        Kind::Binary { what, hint } => {
            return Err(FileError::Binary {
                path: path(),
                what,
                hint,
            });
        }
        Kind::Image(_) => {
            return Err(FileError::Binary {
                path: path(),
                what: "an image",
                hint: "change it with a program for images",
            });
        }
        Kind::Pdf => {
            return Err(FileError::Binary {
                path: path(),
                what: "a PDF",
                hint: "change what it was made from",
            });
        }
    }
    if existing.fidelity == Fidelity::Lossy {
        return Err(FileError::Broken {
            path: path(),
            encoding: existing.encoding.name(),
        });
    }
    let Replaced { text, fit, count } =
        replace(&existing.text, request).map_err(|failure| match failure {
            Failure::None => FileError::NoMatch {
                path: path(),
                near: near::closest(&existing.text, request.old_string),
            },
            Failure::Many { count, lines } => FileError::ManyMatches {
                path: path(),
                count,
                lines,
            },
            Failure::ManyAlike { count, lines } => FileError::ManyCandidates {
                path: path(),
                count,
                lines,
            },
            Failure::Same => FileError::BadRequest(
                "`new_string` is what the file has there already, so there is nothing to change",
            ),
        })?;
    existing.becomes(place, text, fit, count)
}

/// Replaces a piece of a file; see [`plan_edit`].
pub fn edit(place: &Decided, request: &EditRequest<'_>, view: &View<'_>) -> Result<Change, FileError> {
    plan_edit(place, request, view)?.carry_out()
}

#[derive(Debug, PartialEq, Eq)]
struct Replaced {
    text: String,
    fit: Fit,
    count: usize,
}

/// Why nothing was replaced; line numbers count from 1.
#[derive(Debug, PartialEq, Eq)]
enum Failure {
    None,
    Same,
    Many { count: usize, lines: Vec<usize> },
    ManyAlike { count: usize, lines: Vec<usize> },
}

fn replace(text: &str, request: &EditRequest<'_>) -> Result<Replaced, Failure> {
    let EditRequest {
        old_string: old,
        new_string: new,
        which,
    } = *request;
    let places = occurrences(text, old, which);
    match (places.as_slice(), which) {
        ([], _) => restyled(text, old, new),
        ([_], Which::TheOnly) | (_, Which::All) => {
            let new = in_style(text, old, new);
            if new == old {
                return Err(Failure::Same);
            }
            let mut out = String::with_capacity(text.len() + new.len());
            let mut done = 0;
            for place in &places {
                out.push_str(text.get(done..*place).unwrap_or_default());
                out.push_str(&new);
                done = place + old.len();
            }
            out.push_str(text.get(done..).unwrap_or_default());
            Ok(Replaced {
                text: out,
                fit: Fit::Exact,
                count: places.len(),
            })
        }
        (places, Which::TheOnly) => Err(Failure::Many {
            count: places.len(),
            lines: line_numbers(text, places),
        }),
    }
}

/// Where `old` stands. Places to replace do not overlap; a place that is to be the only one is none if another overlaps it.
fn occurrences(text: &str, old: &str, which: Which) -> Vec<usize> {
    let finder = memmem::Finder::new(old);
    let step = match which {
        Which::All => old.len(),
        Which::TheOnly => old.chars().next().map_or(1, char::len_utf8),
    };
    let mut places = Vec::new();
    let mut from = 0;
    while let Some(at) = text.as_bytes().get(from..).and_then(|rest| finder.find(rest)) {
        places.push(from + at);
        from += at + step;
    }
    places
}

/// The new text, with the line endings of a file that has one kind of them; a model sends line feeds and means line ends.
fn in_style(text: &str, old: &str, new: &str) -> String {
    let by_hand = old.contains("\r\n") && new.contains('\n');
    match endings(text) {
        Endings::Crlf if !by_hand => with_crlf(new),
        Endings::Crlf | Endings::Lf | Endings::Mixed => new.to_owned(),
    }
}

fn restyled(text: &str, old: &str, new: &str) -> Result<Replaced, Failure> {
    let candidates = fit::candidates(text, old);
    match candidates.as_slice() {
        [] => Err(Failure::None),
        [candidate] => {
            let new = candidate.restyle(text, old, new);
            let (start, end) = (candidate.start, candidate.end);
            let (before, there, after) = (
                text.get(..start).unwrap_or_default(),
                text.get(start..end).unwrap_or_default(),
                text.get(end..).unwrap_or_default(),
            );
            if there == new {
                return Err(Failure::Same);
            }
            Ok(Replaced {
                text: [before, &new, after].concat(),
                fit: Fit::Restyled,
                count: 1,
            })
        }
        many => {
            let places: Vec<usize> = many.iter().map(|candidate| candidate.start).collect();
            Err(Failure::ManyAlike {
                count: many.len(),
                lines: line_numbers(text, &places),
            })
        }
    }
}

/// The numbers of the lines on which the first few places stand; `places` is in order.
fn line_numbers(text: &str, places: &[usize]) -> Vec<usize> {
    let mut numbers = Vec::new();
    let (mut line, mut from) = (1, 0);
    for place in places.iter().take(MAX_LISTED) {
        let between = text.as_bytes().get(from..*place).unwrap_or_default();
        line += memchr::memchr_iter(b'\n', between).count();
        from = *place;
        numbers.push(line);
    }
    numbers
}

#[cfg(test)]
mod tests;
