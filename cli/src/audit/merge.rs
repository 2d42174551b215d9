//! The records of several logs as one sequence, in the order of their times.
//!
//! Invariants: *bounded*: of each log one line is held, and no more of it than the longest record has; *in order*: records of one log keep
//! their order, which is that of its chain, even where a clock went back; *nothing passed over*: a line that is no record comes out, too.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use engine_runtime::audit::{MAX_LINE_BYTES, Sealed, parse_time, unseal};
use serde_json::Value as Json;

/// A line of a log.
#[derive(Debug)]
pub(super) struct Found {
    /// Its file and its number.
    pub(super) at: String,
    /// Itself, without its newline.
    pub(super) line: Vec<u8>,
    /// The record, if it is one.
    pub(super) record: Option<Sealed>,
}

impl Found {
    /// When it was written; what does not say so comes at once.
    fn time(&self) -> i64 {
        self.record
            .as_ref()
            .and_then(|record| record.json.get("time"))
            .and_then(Json::as_str)
            .and_then(parse_time)
            .unwrap_or(i64::MIN)
    }
}

/// Several logs.
#[derive(Debug)]
pub(super) struct Merged {
    logs: Vec<Stream>,
    follows: bool,
}

impl Merged {
    /// Logs, each as its files, the oldest first.
    pub(super) fn new(logs: Vec<Vec<PathBuf>>) -> Self {
        let logs = logs.into_iter().map(Stream::new).collect();
        Self { logs, follows: false }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.logs.is_empty()
    }

    /// A log whose file may not be there yet; nothing new where it is already one of these.
    pub(super) fn watch(&mut self, current: &Path) {
        if self
            .logs
            .iter()
            .all(|log| log.current.as_deref() != Some(current))
        {
            let mut log = Stream::new(Vec::new());
            log.current = Some(current.to_owned());
            self.logs.push(log);
        }
    }

    /// Looks again at every log that had come to its end. From then on a line without an end is one that is still being written.
    pub(super) fn wake(&mut self) {
        self.follows = true;
        for log in &mut self.logs {
            log.wake();
        }
    }

    /// The record that was written next; `None` at the end of all logs.
    pub(super) fn next(&mut self) -> Result<Option<Found>, String> {
        let mut first: Option<(i64, usize)> = None;
        for (at, log) in self.logs.iter_mut().enumerate() {
            if let Some(time) = log.time_of_next(self.follows)?
                && first.is_none_or(|(earliest, _)| time < earliest)
            {
                first = Some((time, at));
            }
        }
        Ok(first.and_then(|(_, at)| self.logs.get_mut(at)?.next.take()))
    }
}

/// One log, read from its beginning.
#[derive(Debug)]
struct Stream {
    files: VecDeque<PathBuf>,
    /// The last file, which may grow.
    current: Option<PathBuf>,
    reader: Option<(PathBuf, BufReader<File>)>,
    number: usize,
    /// The line that is being read, and whether it is longer than any record.
    line: Vec<u8>,
    is_too_long: bool,
    next: Option<Found>,
    is_at_end: bool,
}

impl Stream {
    fn new(files: Vec<PathBuf>) -> Self {
        Self {
            current: files.last().cloned(),
            files: files.into(),
            reader: None,
            number: 0,
            line: Vec::new(),
            is_too_long: false,
            next: None,
            is_at_end: false,
        }
    }

    fn wake(&mut self) {
        self.is_at_end = false;
        let Some(current) = &self.current else {
            return;
        };
        let is_another = match (&self.reader, current.metadata()) {
            (Some((_, reader)), Ok(now)) => reader
                .get_ref()
                .metadata()
                .is_ok_and(|own| (own.dev(), own.ino()) != (now.dev(), now.ino())),
            (None, Ok(_)) => true,
            (_, Err(_)) => false,
        };
        // The one that was read is read to its end first.
        if is_another && self.files.is_empty() {
            self.files.push_back(current.clone());
        }
    }

    fn time_of_next(&mut self, follows: bool) -> Result<Option<i64>, String> {
        if self.next.is_none() && !self.is_at_end {
            self.next = self.read(follows)?;
            self.is_at_end = self.next.is_none();
        }
        Ok(self.next.as_ref().map(Found::time))
    }

    fn read(&mut self, follows: bool) -> Result<Option<Found>, String> {
        loop {
            if self.reader.is_none() {
                let Some(file) = self.files.pop_front() else {
                    return Ok(None);
                };
                self.reader = match File::open(&file) {
                    Ok(own) => Some((file, BufReader::new(own))),
                    // It was there a moment ago.
                    Err(_) if follows => None,
                    Err(error) => return Err(format!("cannot read {}: {error}", file.display())),
                };
                self.number = 0;
                continue;
            }
            let is_whole = self.read_line()?;
            let is_last = self.files.is_empty();
            let is_being_written = follows && is_last;
            if is_whole || !(self.line.is_empty() || is_being_written) {
                return Ok(Some(self.found()));
            }
            if is_last {
                return Ok(None);
            }
            self.reader = None;
        }
    }

    /// Reads on to the end of a line; `false` where the file ends before it.
    fn read_line(&mut self) -> Result<bool, String> {
        let Some((file, reader)) = &mut self.reader else {
            return Ok(false);
        };
        loop {
            let buffer = reader
                .fill_buf()
                .map_err(|error| format!("cannot read {}: {error}", file.display()))?;
            if buffer.is_empty() {
                return Ok(false);
            }
            let end = buffer.iter().position(|byte| *byte == b'\n');
            let piece = buffer.get(..end.unwrap_or(buffer.len())).unwrap_or_default();
            let room = MAX_LINE_BYTES.saturating_sub(self.line.len());
            self.is_too_long |= piece.len() > room;
            self.line.extend(piece.iter().take(room));
            let used = piece.len() + usize::from(end.is_some());
            reader.consume(used);
            if end.is_some() {
                return Ok(true);
            }
        }
    }

    /// The line that was read.
    fn found(&mut self) -> Found {
        self.number += 1;
        let line = std::mem::take(&mut self.line);
        let is_too_long = std::mem::take(&mut self.is_too_long);
        let file = self.reader.as_ref().map(|(file, _)| file.display().to_string());
        Found {
            at: format!("{}:{}", file.unwrap_or_default(), self.number),
            record: if is_too_long { None } else { unseal(&line) },
            line,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Write as _;
    use std::path::{Path, PathBuf};

    use engine_runtime::audit::{Log, Record, files_of};

    use super::Merged;

    /// Writes a record of a call into a log, a little later than the one before.
    fn write(log: &Path, call: &str) {
        std::thread::sleep(std::time::Duration::from_millis(3));
        let record = Record {
            call: call.to_owned(),
            ..Record::default()
        };
        Log::anywhere(log).with_file_bytes(1500).append(&record).unwrap();
    }

    fn calls(merged: &mut Merged) -> Vec<String> {
        let mut calls = Vec::new();
        while let Some(found) = merged.next().unwrap() {
            calls.push(match found.record {
                Some(record) => record.json["call"].as_str().unwrap_or_default().to_owned(),
                None => format!("not a record, {} bytes", found.line.len()),
            });
        }
        calls
    }

    fn logs(directories: &[PathBuf]) -> Vec<Vec<PathBuf>> {
        directories.iter().map(|own| files_of(own).unwrap()).collect()
    }

    #[test]
    fn records_of_several_logs_come_in_the_order_of_their_times() {
        let folder = tempfile::tempdir().unwrap();
        let directories: Vec<PathBuf> = ["a", "b", "c"]
            .iter()
            .map(|name| folder.path().join(name))
            .collect();
        let order = [0, 1, 1, 2, 0, 0, 2, 1, 0, 2, 2, 2, 1, 0, 0, 0, 0, 0, 0, 1, 2, 0];
        let names: Vec<String> = (0..order.len()).map(|at| format!("call-{at}")).collect();
        for (log, name) in order.iter().zip(&names) {
            write(&directories[*log], name);
        }
        assert!(logs(&directories)[0].len() > 1, "one of them has several files");
        assert_eq!(calls(&mut Merged::new(logs(&directories))), names);
    }

    #[test]
    fn a_clock_that_went_back_changes_no_order_within_a_log() {
        let folder = tempfile::tempdir().unwrap();
        let (early, late) = (folder.path().join("early"), folder.path().join("late"));
        write(&early, "1");
        write(&late, "2");
        write(&early, "3");
        // As one log: what stands behind a later record comes after it.
        let files = [files_of(&late).unwrap(), files_of(&early).unwrap()].concat();
        assert_eq!(calls(&mut Merged::new(vec![files])), ["2", "1", "3"]);
    }

    #[test]
    fn what_is_no_record_comes_out_and_is_not_held() {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("a");
        write(&log, "1");
        let mut file = fs::OpenOptions::new()
            .append(true)
            .open(log.join("audit.jsonl"))
            .unwrap();
        file.write_all(&vec![b'x'; 5 << 20]).unwrap();
        file.write_all(b"\ntorn").unwrap();
        assert_eq!(
            calls(&mut Merged::new(logs(&[log]))),
            ["1", "not a record, 32768 bytes", "not a record, 4 bytes"]
        );
    }

    #[test]
    fn a_log_that_is_followed_loses_nothing_when_its_file_is_exchanged_or_half_written() {
        let folder = tempfile::tempdir().unwrap();
        let (old, new) = (folder.path().join("old"), folder.path().join("new"));
        write(&old, "1");
        let mut merged = Merged::new(logs(std::slice::from_ref(&old)));
        merged.watch(&new.join("audit.jsonl"));
        assert_eq!(calls(&mut merged), ["1"]);
        for call in ["2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12"] {
            write(&old, call);
            write(&new, &format!("new {call}"));
            merged.wake();
            let mut seen = calls(&mut merged);
            if seen.len() < 2 {
                // What stands in the next file is seen at the next look.
                merged.wake();
                seen.extend(calls(&mut merged));
            }
            seen.sort();
            assert_eq!(seen, [call.to_owned(), format!("new {call}")]);
        }
        assert!(files_of(&old).unwrap().len() > 1);
        let path = new.join("audit.jsonl");
        let text = fs::read_to_string(&path).unwrap();
        write(&new, "13");
        let whole = fs::read_to_string(&path).unwrap();
        let added = whole.strip_prefix(&text).unwrap().to_owned();
        let (head, tail) = added.split_at(20);
        fs::OpenOptions::new()
            .write(true)
            .open(&path)
            .unwrap()
            .set_len(text.len() as u64 + 20)
            .unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), format!("{text}{head}"));
        merged.wake();
        assert_eq!(calls(&mut merged), Vec::<String>::new());
        let mut file = fs::OpenOptions::new().append(true).open(&path).unwrap();
        file.write_all(tail.as_bytes()).unwrap();
        merged.wake();
        assert_eq!(calls(&mut merged), ["13"]);
    }
}
