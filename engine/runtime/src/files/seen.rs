//! What a session has read: the ground on which a file may be changed, and on which a second reading is told to be the same.
//!
//! Invariant (known content): an entry's hash is that of content which this session was shown, in whole or in part, or wrote itself.
//!
//! Reading does not change it: each answer carries a [`Noted`], which the caller adds when the answer is delivered. So calls that run
//! together do not wait for each other, and an answer that is thrown away leaves no trace.

use std::collections::HashMap;
use std::path::PathBuf;

use sha2::{Digest, Sha256};

use super::error::FileError;
use super::place::Decided;
use super::read::ReadOptions;

/// How many ranges of one file are remembered. A model that pages further than this through one file gets its oldest page again in full.
const MAX_RANGES: usize = 256;

/// The hash of a file's bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ContentHash([u8; 32]);

impl ContentHash {
    pub(super) fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }
}

/// A hash in the making, for files that are not held in memory.
#[derive(Debug, Default, Clone)]
pub(super) struct Hasher(Sha256);

impl Hasher {
    pub(super) fn add(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    pub(super) fn finish(self) -> ContentHash {
        ContentHash(self.0.finalize().into())
    }
}

/// The files that this session has read or written.
#[derive(Debug, Default)]
pub struct Seen {
    files: HashMap<PathBuf, Entry>,
}

#[derive(Debug)]
struct Entry {
    hash: ContentHash,
    /// The ranges of this content that were shown; none after the session wrote the file.
    ranges: Vec<ReadOptions>,
}

/// What one call adds to [`Seen`].
#[derive(Debug, Clone)]
#[must_use = "an edit is refused unless what was read is noted"]
pub struct Noted {
    path: PathBuf,
    hash: ContentHash,
    range: Option<ReadOptions>,
}

impl Noted {
    pub(super) fn read(place: &Decided, hash: ContentHash, range: &ReadOptions) -> Self {
        Self {
            path: place.as_path().to_owned(),
            hash,
            range: Some(range.clone()),
        }
    }

    pub(super) fn written(place: &Decided, hash: ContentHash) -> Self {
        Self {
            path: place.as_path().to_owned(),
            hash,
            range: None,
        }
    }
}

impl Seen {
    /// Adds what a call has read or written.
    pub fn note(&mut self, noted: Noted) {
        let Noted { path, hash, range } = noted;
        let entry = self.files.entry(path).or_insert_with(|| Entry {
            hash,
            ranges: Vec::new(),
        });
        if entry.hash != hash || range.is_none() {
            entry.ranges.clear();
            entry.hash = hash;
        }
        if let Some(range) = range
            && !entry.ranges.contains(&range)
        {
            if entry.ranges.len() == MAX_RANGES {
                entry.ranges.remove(0);
            }
            entry.ranges.push(range);
        }
    }

    /// Forgets what was shown, not what was read: for when earlier answers have left the conversation, so that a model which reads a file
    /// again gets it in full.
    pub fn forget_shown(&mut self) {
        for entry in self.files.values_mut() {
            entry.ranges.clear();
        }
    }

    /// Whether this range of this very content was shown before.
    pub(super) fn was_shown(&self, place: &Decided, hash: ContentHash, range: &ReadOptions) -> bool {
        self.files
            .get(place.as_path())
            .is_some_and(|entry| entry.hash == hash && entry.ranges.contains(range))
    }

    /// Whether the file may be changed: it was read, and its content is what was read.
    pub(super) fn permits(
        &self,
        place: &Decided,
        hash: ContentHash,
        action: &'static str,
    ) -> Result<(), FileError> {
        let path = || place.as_path().to_owned();
        match self.files.get(place.as_path()) {
            None => Err(FileError::NotRead { path: path(), action }),
            Some(entry) if entry.hash != hash => Err(FileError::Changed { path: path(), action }),
            Some(_) => Ok(()),
        }
    }

    /// Whether the file was read at all, asked before it is looked at.
    pub(super) fn knows(&self, place: &Decided, action: &'static str) -> Result<(), FileError> {
        if self.files.contains_key(place.as_path()) {
            Ok(())
        } else {
            Err(FileError::NotRead {
                path: place.as_path().to_owned(),
                action,
            })
        }
    }
}
