//! Reading a file for a model: text with line numbers, images, the text of PDFs, notebooks.
//!
//! Invariant (bounded reading): at most [`MAX_WHOLE_BYTES`] of a file are held in memory; a larger file is read by range, as a stream. How
//! much there is to read is found by reading, never taken from a size that the system tells: files of `/proc` have none.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

use super::encoding::decode;
use super::error::FileError;
use super::image::{Image, for_model};
use super::kind::{Kind, SNIFFED_BYTES, kind_of};
use super::lines::{DEFAULT_LINES, Page, Room, TextPage};
use super::missing::complete;
use super::notebook;
use super::pdf::{self, Pages, PdfPages};
use super::place::Decided;
use super::seen::{ContentHash, Noted, Seen};
use super::walk::{Opened, failed_io, open_file};

mod stream;

/// The largest file that is read as a whole: 100 MB.
pub(super) const MAX_WHOLE_BYTES: u64 = 100 * MEGABYTE;
pub(super) const MEGABYTE: u64 = 1_000_000;

/// Which part of a file is read.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct ReadOptions {
    /// The first line (of a notebook: cell), from 1; 0 is taken as 1.
    pub offset: Option<u64>,
    /// How many lines (cells); 2,000 lines where it is left out.
    pub limit: Option<u64>,
    /// Pages of a PDF: `3`, `1-5` or `10-`.
    pub pages: Option<String>,
}

impl ReadOptions {
    pub(super) fn first(&self) -> u64 {
        self.offset.unwrap_or(1).max(1)
    }

    fn names_a_range(&self) -> bool {
        self.offset.is_some() || self.limit.is_some()
    }
}

/// What a call may know besides its own input.
#[derive(Clone, Copy)]
pub struct View<'a> {
    /// What the session has read so far.
    pub seen: &'a Seen,
    /// Whether the name of a path may be told: `false` for whatever a rule denies.
    pub visible: &'a dyn Fn(&Path) -> bool,
}

impl std::fmt::Debug for View<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("View")
            .field("seen", &self.seen)
            .finish_non_exhaustive()
    }
}

/// What was read.
#[derive(Debug)]
pub struct ReadAnswer {
    /// The content.
    pub content: Content,
    /// What the session has read now; `None` for a file that is too large ever to be edited.
    pub noted: Option<Noted>,
}

/// The content of a file, by its kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// Lines of text.
    Text(TextPage),
    /// An image.
    Image(Image),
    /// The text of a PDF's pages.
    Pdf(PdfPages),
    /// The cells of a notebook, with the images among their outputs.
    Notebook(Vec<Part>),
    /// The same content and the same range were shown before.
    Unchanged(String),
}

/// One piece of an answer, in the order in which a model gets them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// Text.
    Text(String),
    /// An image.
    Image(Image),
}

impl Content {
    /// The pieces of the answer.
    #[must_use]
    pub fn into_parts(self) -> Vec<Part> {
        match self {
            Self::Text(page) => vec![Part::Text(page.text)],
            Self::Image(image) => match image.original {
                None => vec![Part::Image(image)],
                Some((width, height)) => {
                    let note = format!(
                        "[shown as {} by {} pixels; the file has {width} by {height}]",
                        image.width, image.height
                    );
                    vec![Part::Text(note), Part::Image(image)]
                }
            },
            Self::Pdf(pages) => vec![Part::Text(pages.text)],
            Self::Notebook(parts) => parts,
            Self::Unchanged(line) => vec![Part::Text(line)],
        }
    }
}

/// Reads a file, or a part of it.
pub fn read(place: &Decided, options: &ReadOptions, view: &View<'_>) -> Result<ReadAnswer, FileError> {
    read_within(place, options, view, MAX_WHOLE_BYTES)
}

fn read_within(
    place: &Decided,
    options: &ReadOptions,
    view: &View<'_>,
    most: u64,
) -> Result<ReadAnswer, FileError> {
    let opened = open_file(place).map_err(|error| complete(error, place, view.visible))?;
    match load(place, &opened.file, most)? {
        Loaded::Whole(bytes) => whole(place, options, view, bytes),
        Loaded::TooMuch(start) => by_range(place, options, &opened, start),
    }
}

fn whole(
    place: &Decided,
    options: &ReadOptions,
    view: &View<'_>,
    bytes: Vec<u8>,
) -> Result<ReadAnswer, FileError> {
    let hash = ContentHash::of(&bytes);
    let noted = Some(Noted::read(place, hash, options));
    if view.seen.was_shown(place, hash, options) {
        let line = format!(
            "[`{place}` is unchanged since it was last read with this range; its content is further up in this session]"
        );
        return Ok(ReadAnswer {
            content: Content::Unchanged(line),
            noted,
        });
    }
    let path = || place.as_path().to_owned();
    let head = bytes.get(..SNIFFED_BYTES).unwrap_or(&bytes);
    let kind = kind_of(head, place.name());
    if options.pages.is_some() && kind != Kind::Pdf {
        return Err(FileError::NoPages { path: path() });
    }
    let content = match kind {
        Kind::Binary { what, hint } => {
            return Err(FileError::Binary {
                path: path(),
                what,
                hint,
            });
        }
        Kind::Text => Content::Text(text_page(place, options, &decode(bytes).content)?),
        Kind::Image(image) => {
            Content::Image(for_model(&bytes, image).map_err(|why| FileError::BadImage { path: path(), why })?)
        }
        Kind::Pdf => Content::Pdf(pdf::read(place, bytes, Pages::parse(options.pages.as_deref())?)?),
        Kind::Notebook => {
            let text = decode(bytes).content;
            match notebook::parts(place, &text, options) {
                Ok(parts) => Content::Notebook(parts),
                // A notebook with a mistake in it, like the marks of a merge, can only be mended as text.
                Err(FileError::BadNotebook { why, .. }) => {
                    let mut page = text_page(place, options, &text)?;
                    page.text.insert_str(
                        0,
                        &format!(
                            "[not a valid notebook ({why}), so it is shown as text]
"
                        ),
                    );
                    Content::Text(page)
                }
                Err(error) => return Err(error),
            }
        }
    };
    Ok(ReadAnswer { content, noted })
}

fn text_page(place: &Decided, options: &ReadOptions, text: &str) -> Result<TextPage, FileError> {
    if text.is_empty() {
        let text = format!("[`{place}` exists and is empty]\n");
        return Ok(TextPage {
            text,
            first: 1,
            lines: 0,
            total: Some(0),
        });
    }
    let total = text.bytes().filter(|byte| *byte == b'\n').count() as u64 + u64::from(!text.ends_with('\n'));
    let first = options.first();
    if first > total {
        return Err(FileError::BehindTheEnd {
            path: place.as_path().to_owned(),
            total,
            unit: "lines",
            offset: first,
        });
    }
    let mut page = Page::new(first, options.limit.unwrap_or(DEFAULT_LINES));
    let skipped = usize::try_from(first - 1).unwrap_or(usize::MAX);
    for line in text.split_inclusive('\n').skip(skipped) {
        if page.add(line.strip_suffix('\n').unwrap_or(line), 0) == Room::Full {
            break;
        }
    }
    Ok(page.finish(Some(total)))
}

fn by_range(
    place: &Decided,
    options: &ReadOptions,
    opened: &Opened,
    start: Vec<u8>,
) -> Result<ReadAnswer, FileError> {
    if !options.names_a_range() {
        return Err(FileError::OnlyByRange {
            path: place.as_path().to_owned(),
            limit_mb: MAX_WHOLE_BYTES / MEGABYTE,
        });
    }
    let (page, noted) = stream::read_range(place, options, opened, start)?;
    Ok(ReadAnswer {
        content: Content::Text(page),
        noted,
    })
}

/// Content that was taken into memory.
#[derive(Debug)]
pub(super) enum Loaded {
    /// All of it.
    Whole(Vec<u8>),
    /// It is over the limit; its start.
    TooMuch(Vec<u8>),
}

/// Reads a file as long as it has at most `limit` bytes.
pub(super) fn load(place: &Decided, file: &File, limit: u64) -> Result<Loaded, FileError> {
    let io = |error: io::Error| failed_io(place, "read", error);
    let size = file.metadata().map_err(io)?.len();
    // A file that is known to be larger is not read that far only to find out.
    let wanted = if size > limit {
        SNIFFED_BYTES as u64
    } else {
        limit + 1
    };
    let mut bytes = Vec::new();
    let room = usize::try_from(size.min(limit)).unwrap_or(0);
    bytes
        .try_reserve(room)
        .map_err(|_| io(io::ErrorKind::OutOfMemory.into()))?;
    file.take(wanted).read_to_end(&mut bytes).map_err(io)?;
    let got = bytes.len() as u64;
    Ok(if got > limit || (size > limit && got == wanted) {
        Loaded::TooMuch(bytes)
    } else {
        Loaded::Whole(bytes)
    })
}

#[cfg(test)]
mod tests;
