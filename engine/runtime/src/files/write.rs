//! Writing a file: planned first, so that it can be shown and checked, then done at once or not at all.
//!
//! Invariant (known ground): what is replaced is what the session has read, by hash when the change is planned, and by everything that the
//! system tells of the file when it is made.

use rustix::fs::Stat;

use super::change::{Change, Fit, Made, unified};
use super::encoding::{Encoding, Endings, Fidelity, decode, endings, with_crlf};
use super::error::FileError;
use super::kind::{Kind, SNIFFED_BYTES, kind_of};
use super::missing::complete;
use super::place::Decided;
use super::read::{Loaded, MEGABYTE, View, load};
use super::seen::{ContentHash, Noted};
use super::walk::{look, open_file, open_folder};

mod atomic;

/// The largest file that is edited or overwritten: 1 GB.
pub(super) const MAX_EDITED_BYTES: u64 = 1_000 * MEGABYTE;

/// A change that is worked out but not made: to be shown to a person, or searched for secrets, before [`Planned::carry_out`].
#[derive(Debug)]
#[must_use = "nothing is written until it is carried out"]
pub struct Planned {
    place: Decided,
    text: String,
    bytes: Vec<u8>,
    diff: String,
    fit: Fit,
    replaced: usize,
    ground: Ground,
}

/// What a file has to be when a change is made to it.
#[derive(Debug)]
pub(super) enum Ground {
    /// Nothing.
    Nothing,
    /// The file that was looked at, unchanged.
    Same(Box<Stat>),
}

impl Planned {
    /// The file that will be written.
    #[must_use]
    pub fn place(&self) -> &Decided {
        &self.place
    }

    /// The whole text that the file will have.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The change as a unified diff.
    #[must_use]
    pub fn diff(&self) -> &str {
        &self.diff
    }

    /// Makes the change: afterwards the file is the new one, or after an error still the old one.
    pub fn carry_out(self) -> Result<Change, FileError> {
        let made = match self.ground {
            Ground::Nothing => Made::Created,
            Ground::Same(_) => Made::Changed,
        };
        atomic::replace(&self.place, &self.bytes, &self.ground)?;
        let noted = Noted::written(&self.place, ContentHash::of(&self.bytes));
        Ok(Change {
            place: self.place,
            made,
            diff: self.diff,
            fit: self.fit,
            replaced: self.replaced,
            noted,
        })
    }
}

/// A file that may be changed, as it is now.
#[derive(Debug)]
pub(super) struct Existing {
    pub(super) text: String,
    pub(super) encoding: Encoding,
    pub(super) fidelity: Fidelity,
    pub(super) kind: Kind,
    stat: Box<Stat>,
}

/// Opens a file that is to be changed, and makes sure that the session knows its content.
pub(super) fn existing(
    place: &Decided,
    view: &View<'_>,
    action: &'static str,
) -> Result<Existing, FileError> {
    let opened = open_file(place).map_err(|error| complete(error, place, view.visible))?;
    view.seen.knows(place, action)?;
    let Loaded::Whole(bytes) = load(place, &opened.file, MAX_EDITED_BYTES)? else {
        let hint = "change it with a program that works on streams, like `sed`";
        return Err(FileError::TooLarge {
            path: place.as_path().to_owned(),
            limit_mb: MAX_EDITED_BYTES / MEGABYTE,
            action,
            hint,
        });
    };
    view.seen.permits(place, ContentHash::of(&bytes), action)?;
    let kind = kind_of(bytes.get(..SNIFFED_BYTES).unwrap_or(&bytes), place.name());
    let decoded = decode(bytes);
    Ok(Existing {
        text: decoded.content,
        encoding: decoded.encoding,
        fidelity: decoded.fidelity,
        kind,
        stat: Box::new(opened.stat),
    })
}

impl Existing {
    /// Plans to give the file another text, in its own encoding.
    pub(super) fn becomes(
        self,
        place: &Decided,
        text: String,
        fit: Fit,
        replaced: usize,
    ) -> Result<Planned, FileError> {
        let bytes = self
            .encoding
            .encode(&text)
            .map_err(|character| FileError::Unencodable {
                path: place.as_path().to_owned(),
                encoding: self.encoding.name(),
                character,
            })?;
        let diff = unified(place, Made::Changed, &self.text, &text);
        Ok(Planned {
            place: place.clone(),
            text,
            bytes,
            diff,
            fit,
            replaced,
            ground: Ground::Same(self.stat),
        })
    }
}

/// Plans to write a whole file: a new one, or one that this session has read. One that exists keeps its encoding, its mark and its line endings.
pub fn plan_write(place: &Decided, content: &str, view: &View<'_>) -> Result<Planned, FileError> {
    let there = match open_folder(place) {
        Ok(folder) => look(&folder, place)?,
        Err(FileError::Missing(_)) => None,
        Err(error) => return Err(error),
    };
    if there.is_none() {
        let diff = unified(place, Made::Created, "", content);
        let bytes = content.as_bytes().to_vec();
        return Ok(Planned {
            place: place.clone(),
            text: content.to_owned(),
            bytes,
            diff,
            fit: Fit::Exact,
            replaced: 0,
            ground: Ground::Nothing,
        });
    }
    let mut existing = existing(place, view, "overwrite")?;
    match existing.kind {
        Kind::Text | Kind::Notebook => {}
        // There are no lines and no characters to go by.
        Kind::Binary { .. } | Kind::Image(_) | Kind::Pdf => {
            existing.text.clear();
            existing.encoding = Encoding::Utf8;
        }
    }
    // A mark in the content would come on top of the file's own.
    let content = content
        .strip_prefix('\u{feff}')
        .filter(|_| existing.encoding != Encoding::Utf8)
        .unwrap_or(content);
    let content = match endings(&existing.text) {
        Endings::Crlf => with_crlf(content),
        Endings::Lf | Endings::Mixed => content.to_owned(),
    };
    existing.becomes(place, content, Fit::Exact, 1)
}

/// Writes a whole file; see [`plan_write`].
pub fn write(place: &Decided, content: &str, view: &View<'_>) -> Result<Change, FileError> {
    plan_write(place, content, view)?.carry_out()
}

#[cfg(test)]
mod crash;
#[cfg(test)]
mod tests;
