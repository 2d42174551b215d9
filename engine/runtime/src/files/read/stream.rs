//! Reading a range of a file that is too large to be held in memory.
//!
//! Invariant (bounded memory): one buffer, and of each line no more than is shown.
//! Invariant (bounded time): at most [`MAX_SCANNED_BYTES`] are gone through; a sparse file may claim to be far larger than any disk.

use std::borrow::Cow;
use std::io::{ErrorKind, Read as _};

use super::{Decided, FileError, MEGABYTE, Noted, Opened, ReadOptions, TextPage};
use crate::files::encoding::{Encoding, latin1_text, marked};
use crate::files::kind::{Kind, kind_of};
use crate::files::lines::{DEFAULT_LINES, MAX_LINE_CHARS, Page, Room};
use crate::files::seen::Hasher;
use crate::files::walk::failed_io;
use crate::files::write::MAX_EDITED_BYTES;

/// How far into a file a range may lie: 4 GB.
const MAX_SCANNED_BYTES: u64 = 4_000 * MEGABYTE;
const BUFFER_BYTES: usize = 256 * 1024;
/// How much of a line is kept: what can be shown of it, at four bytes a character.
const MAX_KEPT_BYTES: usize = MAX_LINE_CHARS * 4;

/// Reads the range, given what was read of the file already.
pub(super) fn read_range(
    place: &Decided,
    options: &ReadOptions,
    opened: &Opened,
    start: Vec<u8>,
) -> Result<(TextPage, Option<Noted>), FileError> {
    let path = || place.as_path().to_owned();
    let too_large = |limit_mb, action, hint| FileError::TooLarge {
        path: path(),
        limit_mb,
        action,
        hint,
    };
    match kind_of(
        start.get(..crate::files::kind::SNIFFED_BYTES).unwrap_or(&start),
        place.name(),
    ) {
        Kind::Text | Kind::Notebook => {}
        Kind::Binary { what, hint } => {
            return Err(FileError::Binary {
                path: path(),
                what,
                hint,
            });
        }
        Kind::Image(_) => {
            return Err(too_large(
                super::MAX_WHOLE_BYTES / MEGABYTE,
                "show as an image",
                "make a smaller copy and read that",
            ));
        }
        Kind::Pdf => {
            return Err(too_large(
                super::MAX_WHOLE_BYTES / MEGABYTE,
                "read as a PDF",
                "split it and read the parts",
            ));
        }
    }
    if let Some(Encoding::Utf16Little | Encoding::Utf16Big) = marked(&start) {
        return Err(too_large(
            super::MAX_WHOLE_BYTES / MEGABYTE,
            "read as UTF-16",
            "convert it to UTF-8 with `iconv` and read that",
        ));
    }

    let mut lines = Lines::new(options);
    // Only a file that may be edited needs its hash, and with it the way to its end.
    let mut hasher = (opened.stat.st_size.cast_unsigned() <= MAX_EDITED_BYTES).then(Hasher::default);
    let mut buffer = start;
    let mut filled = buffer.len();
    let mut scanned = 0_u64;
    let mut end = End::Reached;
    while let Some(chunk) = buffer.get(..filled).filter(|chunk| !chunk.is_empty()) {
        scanned += chunk.len() as u64;
        lines.take(chunk);
        match &mut hasher {
            Some(hasher) => hasher.add(chunk),
            None if lines.has_more() => {
                end = End::Further;
                break;
            }
            None => {}
        }
        if hasher.is_some() && scanned > MAX_EDITED_BYTES {
            return Err(too_large(
                MAX_EDITED_BYTES / MEGABYTE,
                "read while it grows",
                "wait until it is complete, or use `tail`",
            ));
        }
        if scanned > MAX_SCANNED_BYTES {
            return Err(too_large(
                MAX_SCANNED_BYTES / MEGABYTE,
                "read that far in",
                "search it with Grep, or cut a part out with `tail -c` or `dd`",
            ));
        }
        buffer.resize(BUFFER_BYTES, 0);
        filled = fill(&opened.file, &mut buffer).map_err(|error| failed_io(place, "read", error))?;
    }
    let page = lines.finish(place, end)?;
    let noted = hasher.map(|hasher| Noted::read(place, hasher.finish(), options));
    Ok((page, noted))
}

/// Where reading stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    /// At the end of the file.
    Reached,
    /// Before it.
    Further,
}

fn fill(mut file: &std::fs::File, buffer: &mut [u8]) -> std::io::Result<usize> {
    loop {
        match file.read(buffer) {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            answer => return answer,
        }
    }
}

/// Finds lines in a stream of bytes.
struct Lines {
    page: Page,
    first: u64,
    /// Lines that ended so far.
    ended: u64,
    /// What is kept of the line that has not ended yet.
    line: Vec<u8>,
    /// How many characters of it were not kept.
    hidden: u64,
    unfinished: bool,
}

impl Lines {
    fn new(options: &ReadOptions) -> Self {
        let first = options.first();
        let page = Page::new(first, options.limit.unwrap_or(DEFAULT_LINES));
        Self {
            page,
            first,
            ended: 0,
            line: Vec::new(),
            hidden: 0,
            unfinished: false,
        }
    }

    fn take(&mut self, mut chunk: &[u8]) {
        while !chunk.is_empty() {
            let end = memchr::memchr(b'\n', chunk);
            let (part, rest) = end
                .and_then(|end| chunk.split_at_checked(end))
                .unwrap_or((chunk, &[]));
            if self.ended + 1 >= self.first && self.page.room() == Room::More {
                let (kept, hidden) = part
                    .split_at_checked(MAX_KEPT_BYTES.saturating_sub(self.line.len()))
                    .unwrap_or((part, &[]));
                self.line.extend_from_slice(kept);
                self.hidden += hidden.iter().filter(|byte| (**byte & 0xc0) != 0x80).count() as u64;
            }
            self.unfinished = end.is_none();
            if end.is_some() {
                self.end_line();
            }
            chunk = rest.strip_prefix(b"\n").unwrap_or(rest);
        }
    }

    fn end_line(&mut self) {
        if self.ended + 1 >= self.first && self.page.room() == Room::More {
            self.page.add(&shown(&self.line), self.hidden);
        }
        self.line.clear();
        self.hidden = 0;
        self.unfinished = false;
        self.ended += 1;
    }

    /// Whether the page is full and the file goes on behind it.
    fn has_more(&self) -> bool {
        self.page.room() == Room::Full && (self.unfinished || self.ended + 1 > self.first + self.page.taken())
    }

    fn finish(mut self, place: &Decided, end: End) -> Result<TextPage, FileError> {
        if end == End::Further {
            return Ok(self.page.finish(None));
        }
        if self.unfinished {
            self.end_line();
        }
        if self.first > self.ended {
            let path = place.as_path().to_owned();
            return Err(FileError::BehindTheEnd {
                path,
                total: self.ended,
                unit: "lines",
                offset: self.first,
            });
        }
        Ok(self.page.finish(Some(self.ended)))
    }
}

/// The text of one line. A file this large is not held to one encoding: each line is UTF-8 or, where it is not, Latin-1.
fn shown(line: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(line) {
        Ok(text) => Cow::Borrowed(text),
        // Only what lies behind the shown part can be cut in the middle of a character.
        Err(error) if error.error_len().is_none() && line.len() == MAX_KEPT_BYTES => {
            String::from_utf8_lossy(line.get(..error.valid_up_to()).unwrap_or_default())
        }
        Err(_) => Cow::Owned(latin1_text(line)),
    }
}
