//! Output in bounded memory: its beginning, its end, its size, and the whole of it in a file once it is over the budget.
//!
//! Invariant (bounded): memory is the budget and two blocks, however much is written. Invariant (nothing lost): a file that is written at
//! all begins with the first byte, since it is begun while everything so far is still in memory.

use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::limits::BLOCK_BYTES;

/// What a command has written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Captured {
    /// The beginning, at most the budget. It is everything if `total_bytes` says so.
    pub head: Vec<u8>,
    /// The end, at most [`BLOCK_BYTES`], where the beginning is not everything.
    pub tail: Vec<u8>,
    /// All bytes that were written.
    pub total_bytes: u64,
    /// All lines, a last one without a newline counted.
    pub total_lines: u64,
    /// The file that holds all of it.
    pub file: Option<Written>,
}

/// A file that output was written to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// Its path.
    pub path: PathBuf,
    /// How much of the output it holds: all of it, unless it grew over its limit or could not be written.
    pub bytes: u64,
    /// Why it does not hold everything.
    pub problem: Option<String>,
}

impl Captured {
    /// Whether [`head`](Self::head) is everything.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.total_bytes == self.head.len() as u64
    }

    /// The beginning as text: bytes that are no UTF-8 become U+FFFD, blank lines before and after are dropped.
    #[must_use]
    pub fn text(&self) -> String {
        without_blank_lines(&String::from_utf8_lossy(&self.head)).to_owned()
    }

    /// The end as text; where the beginning is everything, of that.
    #[must_use]
    pub fn tail_text(&self) -> String {
        let bytes = if self.is_whole() { &self.head } else { &self.tail };
        let text = String::from_utf8_lossy(bytes);
        // A tail that begins within a character begins with the rest of it.
        without_blank_lines(text.trim_start_matches(char::REPLACEMENT_CHARACTER)).to_owned()
    }
}

/// A text without the blank lines at its beginning and end; the blanks before its first letter are kept.
pub(super) fn without_blank_lines(text: &str) -> &str {
    let text = text.trim_end();
    let mut rest = text;
    while let Some((line, after)) = rest.split_once('\n') {
        if !line.trim().is_empty() {
            break;
        }
        rest = after;
    }
    rest
}

/// Where output goes while it is written.
#[derive(Debug)]
pub(super) struct Capture {
    budget: usize,
    head: Vec<u8>,
    current: Vec<u8>,
    filled: usize,
    before: Vec<u8>,
    total_bytes: u64,
    newlines: u64,
    last: Option<u8>,
    path: Option<PathBuf>,
    most_file_bytes: u64,
    file: Option<Open>,
}

#[derive(Debug)]
struct Open {
    file: Option<Arc<File>>,
    written: Written,
}

/// Bytes that are to be written to a file.
#[derive(Debug)]
pub(super) struct Due {
    file: Arc<File>,
    bytes: Vec<u8>,
}

impl Due {
    /// Writes them. Blocks.
    pub(super) fn write(&self) -> io::Result<u64> {
        (&*self.file).write_all(&self.bytes)?;
        Ok(self.bytes.len() as u64)
    }
}

impl Capture {
    /// Nothing yet.
    pub(super) fn new(budget: usize, path: Option<PathBuf>, most_file_bytes: u64) -> Self {
        Self {
            budget,
            head: Vec::new(),
            current: Vec::new(),
            filled: 0,
            before: Vec::new(),
            total_bytes: 0,
            newlines: 0,
            last: None,
            path,
            most_file_bytes,
            file: None,
        }
    }

    /// Reads once from a descriptor; `Ok(0)` is its end. What is to be written to the file comes back as well.
    pub(super) fn read(
        &mut self,
        read: impl FnOnce(&mut [u8]) -> io::Result<usize>,
    ) -> io::Result<(usize, Option<Due>)> {
        if self.current.is_empty() {
            self.current = vec![0; BLOCK_BYTES];
        }
        if self.filled == self.current.len() {
            std::mem::swap(&mut self.current, &mut self.before);
            self.filled = 0;
            if self.current.is_empty() {
                self.current = vec![0; BLOCK_BYTES];
            }
        }
        let space = self.current.get_mut(self.filled..).unwrap_or_default();
        let count = read(space)?;
        let from = self.filled;
        self.filled += count;
        let chunk = self.current.get(from..self.filled).unwrap_or_default();
        let Some(last) = chunk.last() else {
            return Ok((0, None));
        };
        self.last = Some(*last);
        self.newlines += memchr::memchr_iter(b'\n', chunk).count() as u64;
        let old_total = self.total_bytes;
        self.total_bytes += count as u64;
        let mut begins = false;
        if self.total_bytes > self.budget as u64 && old_total <= self.budget as u64 && self.file.is_none() {
            self.file = self.path.take().map(|path| open(&path));
            begins = true;
        }
        let before = if begins { self.head.as_slice() } else { &[] };
        let due = take_due(self.file.as_ref(), before, chunk, self.most_file_bytes);
        let space = self.budget.saturating_sub(self.head.len());
        self.head.extend(chunk.get(..space.min(count)).unwrap_or(chunk));
        Ok((count, due))
    }

    /// Begins the file now, whatever was written so far.
    pub(super) fn begin_file(&mut self) -> Option<Due> {
        if self.file.is_some() || self.total_bytes > self.head.len() as u64 {
            return None;
        }
        self.file = self.path.take().map(|path| open(&path));
        take_due(self.file.as_ref(), &self.head, &[], self.most_file_bytes)
    }

    /// Notes what became of bytes that were due.
    pub(super) fn wrote(&mut self, result: io::Result<u64>) {
        let Some(open) = &mut self.file else {
            return;
        };
        match result {
            Ok(bytes) => {
                open.written.bytes += bytes;
                if open.written.bytes >= self.most_file_bytes && open.file.take().is_some() {
                    open.written.problem =
                        Some(format!("only the first {} bytes were kept", self.most_file_bytes));
                }
            }
            Err(error) => {
                open.file = None;
                open.written.problem = Some(format!("it could not be written on: {error}"));
            }
        }
    }

    /// The last bytes, at most `most`.
    pub(super) fn tail(&self, most: usize) -> Vec<u8> {
        let current = self.current.get(..self.filled).unwrap_or_default();
        let wanted = most.saturating_sub(current.len());
        let before = self
            .before
            .get(self.before.len().saturating_sub(wanted)..)
            .unwrap_or_default();
        let current = current
            .get(current.len().saturating_sub(most)..)
            .unwrap_or_default();
        [before, current].concat()
    }

    /// Bytes and lines so far.
    pub(super) fn totals(&self) -> (u64, u64) {
        let open_line = self.last.is_some_and(|last| last != b'\n');
        (self.total_bytes, self.newlines + u64::from(open_line))
    }

    /// Everything so far.
    pub(super) fn captured(&self) -> Captured {
        let (total_bytes, total_lines) = self.totals();
        let whole = total_bytes == self.head.len() as u64;
        Captured {
            head: self.head.clone(),
            tail: if whole { Vec::new() } else { self.tail(BLOCK_BYTES) },
            total_bytes,
            total_lines,
            file: self.file.as_ref().map(|open| open.written.clone()),
        }
    }
}

/// Creates the file; what is there already is never written to.
fn open(path: &Path) -> Open {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let (file, problem) = match options.open(path) {
        Ok(file) => (Some(Arc::new(file)), None),
        Err(error) => (None, Some(format!("it could not be made: {error}"))),
    };
    let written = Written {
        path: path.to_owned(),
        bytes: 0,
        problem,
    };
    Open { file, written }
}

/// What is to be written: what was kept so far, if the file begins with it, and a chunk.
fn take_due(file: Option<&Open>, before: &[u8], chunk: &[u8], most: u64) -> Option<Due> {
    let open = file?;
    let mut due = Due {
        file: Arc::clone(open.file.as_ref()?),
        bytes: [before, chunk].concat(),
    };
    let left = most.saturating_sub(open.written.bytes);
    due.bytes.truncate(usize::try_from(left).unwrap_or(usize::MAX));
    Some(due)
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;
    use std::path::PathBuf;

    use super::{Capture, without_blank_lines};
    use crate::bash::limits::BLOCK_BYTES;

    /// Gives bytes to a capture, at most `step` at once.
    fn feed(capture: &mut Capture, mut bytes: &[u8], step: usize) {
        while !bytes.is_empty() {
            let (count, due) = capture
                .read(|space| {
                    let most = space.len().min(step);
                    bytes.read(&mut space[..most])
                })
                .expect("a slice can be read");
            assert!(count > 0);
            if let Some(due) = due {
                capture.wrote(due.write());
            }
        }
    }

    fn numbers(count: usize) -> Vec<u8> {
        (0..count)
            .flat_map(|number| format!("{number}\n").into_bytes())
            .collect()
    }

    #[test]
    fn output_within_the_budget_stays_in_memory() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("full");
        let mut capture = Capture::new(10, Some(file.clone()), 1 << 20);
        feed(&mut capture, b"12345\n789a", 3);
        let captured = capture.captured();
        assert!(captured.is_whole());
        assert_eq!(captured.head, b"12345\n789a");
        assert_eq!((captured.total_lines, captured.file), (2, None));
        assert!(!file.exists());
    }

    #[test]
    fn output_over_the_budget_is_whole_in_the_file_and_its_ends_in_memory() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("full");
        let all = numbers(100_000);
        for step in [1000, BLOCK_BYTES, 77_777] {
            let _first = std::fs::remove_file(&file);
            let mut capture = Capture::new(1000, Some(file.clone()), 1 << 30);
            feed(&mut capture, &all, step);
            let captured = capture.captured();
            assert_eq!(captured.head, &all[..1000]);
            assert_eq!(captured.tail, &all[all.len() - BLOCK_BYTES..]);
            assert_eq!(
                (captured.total_bytes, captured.total_lines),
                (all.len() as u64, 100_000)
            );
            let written = captured.file.expect("a file");
            assert_eq!((written.bytes, written.problem), (all.len() as u64, None));
            assert_eq!(std::fs::read(&file).expect("a file"), all);
        }
    }

    #[test]
    fn a_file_that_is_there_is_not_written_to() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("full");
        std::fs::write(&file, "mine").expect("written");
        let mut capture = Capture::new(3, Some(file.clone()), 100);
        feed(&mut capture, b"12345", 2);
        let written = capture.captured().file.expect("what became of it");
        assert_eq!(written.bytes, 0);
        assert!(
            written
                .problem
                .is_some_and(|problem| problem.starts_with("it could not be made"))
        );
        assert_eq!(std::fs::read(&file).expect("a file"), b"mine");
    }

    #[test]
    fn a_file_grows_to_its_limit_and_says_so() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("full");
        let mut capture = Capture::new(3, Some(file.clone()), 7);
        feed(&mut capture, b"0123456789", 2);
        let written = capture.captured().file.expect("a file");
        assert_eq!(written.bytes, 7);
        assert_eq!(
            written.problem.as_deref(),
            Some("only the first 7 bytes were kept")
        );
        assert_eq!(std::fs::read(&file).expect("a file"), b"0123456");
    }

    #[test]
    fn a_file_can_begin_early_and_holds_what_was_there_before() {
        let folder = tempfile::tempdir().expect("a folder");
        let file: PathBuf = folder.path().join("full");
        let mut capture = Capture::new(100, Some(file.clone()), 100);
        feed(&mut capture, b"one ", 2);
        let due = capture.begin_file().expect("something to write");
        capture.wrote(due.write());
        feed(&mut capture, b"two", 2);
        assert!(capture.begin_file().is_none());
        assert_eq!(std::fs::read(&file).expect("a file"), b"one two");
        assert_eq!(capture.captured().head, b"one two");
    }

    #[test]
    fn the_tail_reaches_over_both_blocks() {
        let all = numbers(30_000);
        let mut capture = Capture::new(0, None, 0);
        feed(&mut capture, &all, 1000);
        assert_eq!(capture.tail(50_000), &all[all.len() - 50_000..]);
        assert_eq!(capture.tail(3), &all[all.len() - 3..]);
    }

    #[test]
    fn blank_lines_around_a_text_are_dropped_and_no_others() {
        assert_eq!(without_blank_lines("\n  \n  a\n\nb\n \n"), "  a\n\nb");
        assert_eq!(without_blank_lines(" \n\t\n"), "");
        assert_eq!(without_blank_lines("a"), "a");
    }
}
