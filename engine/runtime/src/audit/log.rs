//! The files of a log, and how records come into them.
//!
//! In a directory that belongs to its person alone: `audit.jsonl`, which is written; `audit.000001.jsonl` and so on, which were full;
//! `audit.lock`, which one writer holds at a time. Files are opened for appending only, and never through a link.
//!
//! Invariant (what is there counts): files stay open between two records, with what was last known of them; where anything about them is
//! otherwise than it was left, they are opened and read anew.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Write as _};
use std::os::unix::fs::{FileExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use thiserror::Error;

use super::chain::{GENESIS, Sealed, sha256, unseal};
use super::record::{Kind, MAX_LINE_BYTES, Record};
use super::time::now_millis;
use crate::private::make_directory;

/// The file that is written.
const CURRENT: &str = "audit.jsonl";

/// Held while a record is written.
const LOCK: &str = "audit.lock";

/// Size from which on a new file is begun.
const MAX_FILE_BYTES: u64 = 16 << 20;

/// How long another writer is waited for. It holds the lock for the time of one write.
const PATIENCE: Duration = Duration::from_secs(2);

/// The longest wait between two looks at the lock.
const MAX_PAUSE: Duration = Duration::from_millis(5);

/// Bytes at the end of a file that are looked at for the last record: more than the longest line and what a torn one leaves.
const TAIL_BYTES: u64 = 4 * MAX_LINE_BYTES as u64;

/// Enough for most: the whole tail is looked at where the last record is not in these.
const SHORT_TAIL_BYTES: u64 = 8 << 10;

/// Bits of a mode that let others than the owner do anything.
const OTHERS: u32 = 0o077;

/// Why nothing was recorded.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum AuditError {
    /// Whoever works in the project could change the log.
    #[error("the audit log `{0}` would lie inside the project")]
    InsideProject(String),
    /// A file or directory is not the person's own.
    #[error("`{0}` {1}")]
    NotOwn(String, &'static str),
    /// Another writer holds the lock.
    #[error("another writer holds the lock of the audit log `{0}`")]
    Busy(String),
    /// The system says no.
    #[error("cannot write the audit log `{0}`: {1}")]
    Io(String, #[source] io::Error),
}

/// A log in its directory.
#[derive(Clone, Debug)]
pub struct Log {
    directory: PathBuf,
    max_file_bytes: u64,
    patience: Duration,
    kept: Arc<Mutex<Option<Kept>>>,
}

/// What stays open behind a record that was written.
#[derive(Debug)]
struct Kept {
    lock: File,
    current: Current,
    /// The record that ends the file.
    last: Position,
}

/// The file that is written.
#[derive(Debug)]
struct Current {
    file: File,
    /// Its device and number.
    identity: (u64, u64),
    size: u64,
}

/// Where a record came to stand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    /// Its number.
    pub seq: u64,
    /// Its hash.
    pub hash: String,
}

impl Log {
    /// A log that is written while somebody works in a project.
    ///
    /// # Errors
    /// [`AuditError::InsideProject`]. Nothing is created.
    pub fn new(directory: &Path, project: &Path) -> Result<Self, AuditError> {
        let real_project = fs::canonicalize(project).unwrap_or_else(|_| project.to_owned());
        if directory.starts_with(project) || real_place(directory).starts_with(&real_project) {
            return Err(AuditError::InsideProject(directory.display().to_string()));
        }
        Ok(Self::anywhere(directory))
    }

    /// A log that is written outside of any project.
    #[must_use]
    pub fn anywhere(directory: &Path) -> Self {
        Self {
            directory: directory.to_owned(),
            max_file_bytes: MAX_FILE_BYTES,
            patience: PATIENCE,
            kept: Arc::default(),
        }
    }

    /// The same with another size from which on a new file is begun.
    #[must_use]
    pub fn with_file_bytes(mut self, bytes: u64) -> Self {
        self.max_file_bytes = bytes;
        self
    }

    /// The same with another time that a held lock is waited for.
    #[must_use]
    pub fn with_patience(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    /// Writes one record behind the last one.
    ///
    /// # Errors
    /// [`AuditError`]; then nothing was recorded.
    pub fn append(&self, record: &Record) -> Result<Position, AuditError> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(before) = kept.take()
            && let Some(after) = self.append_behind(before, record)?
        {
            let at = after.last.clone();
            *kept = Some(after);
            return Ok(at);
        }
        self.prepare()?;
        let path = self.directory.join(LOCK);
        let lock = self.locked(open_own(&path, OpenOptions::new().write(true).create(true))?)?;
        let after = self.append_alone(lock, record)?;
        let at = after.last.clone();
        *kept = Some(after);
        Ok(at)
    }

    /// Writes a record behind one of our own, if that still ends the log and everything is as it was left.
    fn append_behind(&self, kept: Kept, record: &Record) -> Result<Option<Kept>, AuditError> {
        let Kept { lock, current, last } = kept;
        let lock = self.locked(lock)?;
        let path = self.directory.join(CURRENT);
        let data = [
            fs::symlink_metadata(&self.directory),
            lock.file.metadata(),
            current.file.metadata(),
        ];
        let [Ok(directory), Ok(lock_data), Ok(data)] = data else {
            return Ok(None);
        };
        let same = fs::symlink_metadata(&path).is_ok_and(|named| identity(&named) == current.identity);
        let own = |data: &fs::Metadata| own(&path, data).is_ok();
        let unchanged = same
            && directory.is_dir()
            && own(&directory)
            && own(&data)
            && (data.nlink(), lock_data.nlink(), data.len()) == (1, 1, current.size)
            && current.size < self.max_file_bytes;
        if !unchanged {
            return Ok(None);
        }
        let mut text = String::new();
        let last = add(&mut text, record, now_millis(), &last);
        self.write(lock, current, &text, last).map(Some)
    }

    /// Writes lines at the end of a file of this size. Half of them is nothing.
    fn write(
        &self,
        lock: Locked,
        mut current: Current,
        text: &str,
        last: Position,
    ) -> Result<Kept, AuditError> {
        if let Err(error) = current.file.write_all(text.as_bytes()) {
            // A full disk leaves half a line: it is taken back, and if even that fails the next writer says what it found.
            let _shorter = current.file.set_len(current.size);
            return Err(self.io(error));
        }
        current.size += text.len() as u64;
        Ok(Kept {
            lock: lock.open(),
            current,
            last,
        })
    }

    fn prepare(&self) -> Result<(), AuditError> {
        make_directory(&self.directory).map_err(|error| self.io(error))?;
        let data = fs::symlink_metadata(&self.directory).map_err(|error| self.io(error))?;
        if !data.is_dir() {
            return Err(not_own(&self.directory, "is no directory"));
        }
        own(&self.directory, &data)
    }

    /// Waits for the lock. It is the kernel's, so that a writer that is killed holds nothing.
    fn locked(&self, file: File) -> Result<Locked, AuditError> {
        let mut pause = Duration::from_micros(200);
        let mut waited = Duration::ZERO;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Locked { file }),
                Err(TryLockError::WouldBlock) if waited >= self.patience => {
                    return Err(AuditError::Busy(self.directory.display().to_string()));
                }
                Err(TryLockError::WouldBlock) => {
                    std::thread::sleep(pause);
                    waited += pause;
                    pause = (pause * 2).min(MAX_PAUSE);
                }
                Err(TryLockError::Error(error)) => return Err(self.io(error)),
            }
        }
    }

    fn append_alone(&self, lock: Locked, record: &Record) -> Result<Kept, AuditError> {
        let path = self.directory.join(CURRENT);
        let mut current = self.open_current(&path)?;
        let mut end = self.end_of(&current.file, current.size)?;
        if current.size >= self.max_file_bytes {
            // What was torn stays where it is; the new file says so.
            let full = self.directory.join(rotated_name(self.last_rotated()?.0 + 1));
            fs::rename(&path, full).map_err(|error| self.io(error))?;
            current = self.open_current(&path)?;
            end.open_line = false;
        } else if current.size == 0 {
            end = self.end_of_rotated()?;
        }
        let mut text = String::new();
        if end.open_line {
            text.push('\n');
        }
        let millis = now_millis();
        let mut at = Position {
            seq: end.last.as_ref().map_or(0, |(seq, _)| *seq),
            hash: end.last.map_or_else(|| GENESIS.to_owned(), |(_, hash)| hash),
        };
        if let Some((bytes, digest)) = end.skipped {
            let recovered = Record {
                kind: Kind::Recovered,
                note: "what stands before this is no record; the chain goes on behind it".to_owned(),
                skipped_bytes: Some(bytes),
                skipped_digest: digest,
                ..Record::default()
            };
            at = add(&mut text, &recovered, millis, &at);
        }
        at = add(&mut text, record, millis, &at);
        self.write(lock, current, &text, at)
    }

    fn open_current(&self, path: &Path) -> Result<Current, AuditError> {
        let file = open_own(path, OpenOptions::new().read(true).append(true).create(true))?;
        let data = file.metadata().map_err(|error| self.io(error))?;
        Ok(Current {
            file,
            identity: identity(&data),
            size: data.len(),
        })
    }

    /// The last record of a file, and what stands behind it.
    fn end_of(&self, file: &File, size: u64) -> Result<End, AuditError> {
        let mut end = End::default();
        for bytes in [SHORT_TAIL_BYTES, TAIL_BYTES] {
            let start = size.saturating_sub(bytes);
            let mut tail = vec![0; usize::try_from(size - start).unwrap_or_default()];
            file.read_exact_at(&mut tail, start)
                .map_err(|error| self.io(error))?;
            end = End::of(&tail);
            if end.last.is_some() {
                break;
            }
        }
        Ok(end)
    }

    /// The end of the file that was full last; of nothing where there is none.
    fn end_of_rotated(&self) -> Result<End, AuditError> {
        let (_, Some(name)) = self.last_rotated()? else {
            return Ok(End::default());
        };
        let file = open_own(&self.directory.join(name), OpenOptions::new().read(true))?;
        let size = file.metadata().map_err(|error| self.io(error))?.len();
        let mut end = self.end_of(&file, size)?;
        end.open_line = false;
        Ok(end)
    }

    fn last_rotated(&self) -> Result<(u32, Option<String>), AuditError> {
        let rotated = rotated(&self.directory).map_err(|error| self.io(error))?;
        Ok(rotated
            .into_iter()
            .next_back()
            .map_or((0, None), |(number, name)| (number, Some(name))))
    }

    fn io(&self, error: io::Error) -> AuditError {
        AuditError::Io(self.directory.display().to_string(), error)
    }
}

/// The lock, held.
struct Locked {
    file: File,
}

impl Locked {
    /// Lets others write, and keeps the file of the lock.
    fn open(self) -> File {
        // A lock that could not be given back goes with its file.
        let _held = self.file.unlock();
        self.file
    }
}

/// Adds the line of a record behind the one at a place. Answers its own place.
fn add(text: &mut String, record: &Record, millis: i64, at: &Position) -> Position {
    let (line, hash) = record.seal(at.seq + 1, &new_id(millis), millis, &at.hash);
    text.push_str(&line);
    text.push('\n');
    Position {
        seq: at.seq + 1,
        hash,
    }
}

/// What a new record is put behind.
#[derive(Debug, Default)]
struct End {
    /// Number and hash of the last record.
    last: Option<(u64, String)>,
    /// Length and SHA-256 of what stands behind it and is no record.
    skipped: Option<(u64, String)>,
    /// Whether the last line has no newline.
    open_line: bool,
}

impl End {
    fn of(tail: &[u8]) -> Self {
        let open_line = tail.last().is_some_and(|byte| *byte != b'\n');
        let mut end = tail.len();
        // From the back: the last line that is a record.
        let mut found: Option<(Sealed, usize)> = None;
        while end > 0 && found.is_none() {
            let whole = tail.get(..end).unwrap_or_default();
            let line_end = whole.strip_suffix(b"\n").map_or(end, <[u8]>::len);
            let line_start = whole
                .get(..line_end)
                .and_then(|text| text.iter().rposition(|byte| *byte == b'\n'))
                .map_or(0, |at| at + 1);
            if let Some(sealed) = whole.get(line_start..line_end).and_then(unseal) {
                found = Some((sealed, end));
            }
            end = line_start;
        }
        let junk = tail
            .get(found.as_ref().map_or(0, |(_, at)| *at)..)
            .unwrap_or_default();
        Self {
            last: found.map(|(sealed, _)| (sealed.seq, sealed.hash)),
            skipped: (!junk.is_empty()).then(|| (junk.len() as u64, sha256(junk))),
            open_line,
        }
    }
}

/// The files of a directory's log, the oldest first.
///
/// # Errors
/// The directory cannot be listed.
pub fn files_of(directory: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files: Vec<PathBuf> = rotated(directory)?
        .into_iter()
        .map(|(_, name)| directory.join(name))
        .collect();
    let current = directory.join(CURRENT);
    if current.exists() {
        files.push(current);
    }
    Ok(files)
}

/// The file of a directory's log that is written.
#[must_use]
pub fn current_file(directory: &Path) -> PathBuf {
    directory.join(CURRENT)
}

/// Number and name of each file that was full, the oldest first.
fn rotated(directory: &Path) -> io::Result<Vec<(u32, String)>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory)? {
        let Ok(name) = entry?.file_name().into_string() else {
            continue;
        };
        let number = name
            .strip_prefix("audit.")
            .and_then(|rest| rest.strip_suffix(".jsonl"))
            .and_then(|digits| digits.parse().ok());
        if let Some(number) = number {
            found.push((number, name));
        }
    }
    found.sort();
    Ok(found)
}

fn rotated_name(number: u32) -> String {
    format!("audit.{number:06}.jsonl")
}

/// Opens a file that is the person's own, and no link.
fn open_own(path: &Path, options: &mut OpenOptions) -> Result<File, AuditError> {
    // A pipe of that name would be waited for.
    let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
    let file = options
        .mode(0o600)
        .custom_flags(i32::try_from(flags.bits()).unwrap_or_default())
        .open(path)
        .map_err(|error| AuditError::Io(path.display().to_string(), error))?;
    let data = file
        .metadata()
        .map_err(|error| AuditError::Io(path.display().to_string(), error))?;
    if !data.is_file() {
        return Err(not_own(path, "is no regular file"));
    }
    if data.nlink() != 1 {
        return Err(not_own(path, "has another name elsewhere"));
    }
    own(path, &data)?;
    Ok(file)
}

/// Tells a file from all others.
fn identity(data: &fs::Metadata) -> (u64, u64) {
    (data.dev(), data.ino())
}

fn own(path: &Path, data: &fs::Metadata) -> Result<(), AuditError> {
    if data.uid() != rustix::process::geteuid().as_raw() {
        return Err(not_own(path, "belongs to somebody else"));
    }
    if data.mode() & OTHERS != 0 {
        return Err(not_own(path, "can be read or written by others (`chmod go=`)"));
    }
    Ok(())
}

fn not_own(path: &Path, what: &'static str) -> AuditError {
    AuditError::NotOwn(path.display().to_string(), what)
}

/// Where a path really is, as far as it is there.
fn real_place(path: &Path) -> PathBuf {
    for ancestor in path.ancestors() {
        match fs::canonicalize(ancestor) {
            Ok(real) => {
                let rest = path.strip_prefix(ancestor).unwrap_or(Path::new(""));
                return if rest.as_os_str().is_empty() {
                    real
                } else {
                    real.join(rest)
                };
            }
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(_) => break,
        }
    }
    path.to_owned()
}

/// An id that no other record has: the time, the process, and how many this process has written.
fn new_id(millis: i64) -> String {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    format!("{millis:x}-{:x}-{count:x}", std::process::id())
}
