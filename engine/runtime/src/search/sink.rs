//! What is kept of the matches in one file: its lines, their number, or only that there is one.
//!
//! Invariants: no file gives more lines than are wanted; a line over the limit is never shown; what follows a zero byte is treated
//! as ripgrep treats it (a file met in a folder ends there, a file that was named says that it is binary).

use std::io;

use grep_matcher::Matcher;
use grep_regex::RegexMatcher;
use grep_searcher::{Searcher, Sink, SinkContext, SinkFinish, SinkMatch};

use super::limits::LINE_CHARS;

/// Stops at the first match.
#[derive(Debug, Default)]
pub(super) struct Any {
    pub(super) found: bool,
}

impl Sink for Any {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, _: &SinkMatch<'_>) -> Result<bool, io::Error> {
        self.found = true;
        Ok(false)
    }
}

/// Counts lines, or matches where one may span lines.
#[derive(Debug)]
pub(super) struct Total<'m> {
    matcher: &'m RegexMatcher,
    spans_lines: bool,
    pub(super) count: u64,
}

impl<'m> Total<'m> {
    pub(super) fn new(searcher: &Searcher, matcher: &'m RegexMatcher) -> Self {
        Self {
            matcher,
            spans_lines: searcher.multi_line_with_matcher(matcher),
            count: 0,
        }
    }
}

impl Sink for Total<'_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> Result<bool, io::Error> {
        if !self.spans_lines {
            self.count += 1;
            return Ok(true);
        }
        let range = found.bytes_range_in_buffer();
        let mut count = 0;
        self.matcher
            .find_iter_at(found.buffer(), range.start, |one| {
                let within = one.start() < range.end;
                count += u64::from(within);
                within
            })
            .map_err(io::Error::other)?;
        self.count += count.max(1);
        Ok(true)
    }

    fn finish(&mut self, searcher: &Searcher, end: &SinkFinish) -> Result<(), io::Error> {
        // A count of a part of the file would mislead.
        if end.binary_byte_offset().is_some() && searcher.binary_detection().quit_byte().is_some() {
            self.count = 0;
        }
        Ok(())
    }
}

/// Writes lines as `path:number:text`, those around a match as `path-number-text`.
#[derive(Debug)]
pub(super) struct Lines<'p> {
    path: &'p [u8],
    numbers: bool,
    wanted: usize,
    pub(super) text: Vec<u8>,
    pub(super) written: usize,
    matched: bool,
    binary: Option<u64>,
}

impl<'p> Lines<'p> {
    pub(super) fn new(path: &'p [u8], numbers: bool, wanted: usize) -> Self {
        Self {
            path,
            numbers,
            wanted,
            text: Vec::new(),
            written: 0,
            matched: false,
            binary: None,
        }
    }

    fn write(&mut self, mark: u8, number: Option<u64>, line: &[u8], omitted: &str) {
        self.text.extend_from_slice(self.path);
        self.text.push(mark);
        if let Some(number) = number.filter(|_| self.numbers) {
            self.text.extend_from_slice(number.to_string().as_bytes());
            self.text.push(mark);
        }
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        self.text
            .extend_from_slice(if too_long(line) { omitted.as_bytes() } else { line });
        self.text.push(b'\n');
        self.written += 1;
    }

    fn goes_on(&self) -> bool {
        self.written < self.wanted
    }

    /// What a file that was named by the caller says of its matches ends at the first zero byte.
    fn named_and_binary(&self, searcher: &Searcher) -> bool {
        self.binary.is_some() && searcher.binary_detection().convert_byte().is_some()
    }
}

/// A line over the limit, counted in characters; most lines are short enough in bytes.
fn too_long(line: &[u8]) -> bool {
    line.len() > LINE_CHARS
        && line
            .iter()
            .filter(|byte| **byte & 0b1100_0000 != 0b1000_0000)
            .count()
            > LINE_CHARS
}

impl Sink for Lines<'_> {
    type Error = io::Error;

    fn matched(&mut self, searcher: &Searcher, found: &SinkMatch<'_>) -> Result<bool, io::Error> {
        self.matched = true;
        if self.named_and_binary(searcher) {
            return Ok(false);
        }
        let mut number = found.line_number();
        for line in found.lines() {
            self.write(b':', number, line, "[Omitted long matching line]");
            number = number.map(|number| number + 1);
            if !self.goes_on() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn context(&mut self, searcher: &Searcher, around: &SinkContext<'_>) -> Result<bool, io::Error> {
        if self.named_and_binary(searcher) {
            return Ok(false);
        }
        self.write(
            b'-',
            around.line_number(),
            around.bytes(),
            "[Omitted long context line]",
        );
        Ok(self.goes_on())
    }

    fn context_break(&mut self, _: &Searcher) -> Result<bool, io::Error> {
        self.text.extend_from_slice(b"--\n");
        self.written += 1;
        Ok(self.goes_on())
    }

    fn binary_data(&mut self, _: &Searcher, offset: u64) -> Result<bool, io::Error> {
        self.binary = Some(offset);
        Ok(true)
    }

    fn finish(&mut self, searcher: &Searcher, _: &SinkFinish) -> Result<(), io::Error> {
        let Some(offset) = self.binary.filter(|_| self.matched && self.goes_on()) else {
            return Ok(());
        };
        let what = if searcher.binary_detection().quit_byte().is_some() {
            "WARNING: stopped searching binary file after match"
        } else {
            "binary file matches"
        };
        self.text.extend_from_slice(self.path);
        self.text
            .extend_from_slice(format!(": {what} (found \"\\0\" byte around offset {offset})\n").as_bytes());
        self.written += 1;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn length_is_counted_in_characters() {
        assert!(!too_long("ü".repeat(LINE_CHARS).as_bytes()));
        assert!(too_long("ü".repeat(LINE_CHARS + 1).as_bytes()));
        assert!(!too_long(&[b'x'; LINE_CHARS]));
        assert!(too_long(&[b'x'; LINE_CHARS + 1]));
    }
}
