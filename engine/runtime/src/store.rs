//! Documents that tools keep: todo lists, tasks, schedules. Collections of JSON documents by key, each collection one file.
//!
//! Invariant (whole): a collection is replaced by renaming a finished file over it, so that whoever reads it, also after the writer was
//! killed, sees it as it was before a change or as it is after. Invariant (one at a time): changes of a collection hold its lock, across
//! processes too. Invariant (owner's): directories and files are readable by their owner alone.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, flock};
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use crate::private::make_directory;

/// Largest collection, in bytes of its file: 16 MiB.
pub const MAX_COLLECTION_BYTES: u64 = 16 << 20;

/// Deepest nesting of a document: whoever reads JSON bounds it, too.
pub const MAX_DEPTH: usize = 100;

/// Where documents are kept.
#[derive(Clone, Debug)]
pub struct Store {
    session: PathBuf,
    project: PathBuf,
}

/// How long a document is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// As long as its session.
    Session,
    /// As long as its project, for every session in it.
    Project,
}

impl Keep {
    /// Every way with its word in a definition.
    pub const ALL: &[(&str, Self)] = &[("session", Self::Session), ("project", Self::Project)];
}

/// Why a document cannot be kept or read.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The file system says no.
    #[error("cannot {verb} {}: {error}", path.display())]
    Io {
        /// What was tried.
        verb: &'static str,
        /// The file.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// The file is none that was written here.
    #[error("{} does not hold a collection ({error}); move it away to begin anew", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        error: String,
    },
    /// Too much is kept.
    #[error(
        "the collection `{collection}` would grow over {MAX_COLLECTION_BYTES} bytes; delete some of its documents first"
    )]
    Full {
        /// The collection.
        collection: String,
    },
    /// What could be written but not read again.
    #[error("the document is nested more than {MAX_DEPTH} deep")]
    Deep,
    /// Not a name for a file.
    #[error("`{name}` cannot be the name of a collection")]
    Name {
        /// The name.
        name: String,
    },
}

/// A collection as it lies in its file.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Collection {
    /// The number that the next document without a key gets: numbers are never used twice.
    #[serde(default = "one")]
    next: u64,
    documents: BTreeMap<String, Json>,
}

fn one() -> u64 {
    1
}

impl Store {
    /// A store with these directories, which are made when something is kept.
    #[must_use]
    pub fn new(session: PathBuf, project: PathBuf) -> Self {
        Self { session, project }
    }

    /// A document, the session's before the project's.
    ///
    /// # Errors
    ///
    /// Fails where the collection cannot be read.
    pub fn get(&self, collection: &str, key: &str) -> Result<Option<Json>, StoreError> {
        for keep in [Keep::Session, Keep::Project] {
            let path = self.file(keep, collection)?;
            if let Some(document) = read(&path)?.documents.remove(key) {
                return Ok(Some(document));
            }
        }
        Ok(None)
    }

    /// Every document of a collection by its key: numbers first and as numbers, then texts.
    ///
    /// # Errors
    ///
    /// Fails where the collection cannot be read.
    pub fn list(&self, collection: &str) -> Result<Vec<(String, Json)>, StoreError> {
        let mut all = read(&self.file(Keep::Project, collection)?)?.documents;
        all.extend(read(&self.file(Keep::Session, collection)?)?.documents);
        let mut all: Vec<(String, Json)> = all.into_iter().collect();
        all.sort_by(|(one, _), (two, _)| order(one).cmp(&order(two)));
        Ok(all)
    }

    /// Makes or replaces a document; without a key it gets the next number, which an object then has as `id`. Answers the key.
    ///
    /// # Errors
    ///
    /// Fails where it cannot be kept; then nothing is changed.
    pub fn put(
        &self,
        collection: &str,
        key: Option<&str>,
        mut value: Json,
        keep: Keep,
    ) -> Result<String, StoreError> {
        if is_deeper(&value, MAX_DEPTH) {
            return Err(StoreError::Deep);
        }
        let elsewhere = match keep {
            Keep::Session => Keep::Project,
            Keep::Project => Keep::Session,
        };
        let elsewhere = self.file(elsewhere, collection)?;
        self.try_change(keep, collection, |kept| {
            // Numbers are the collection's, wherever a document is kept.
            let taken = if key.is_none() { read(&elsewhere)?.next } else { 1 };
            let key = key.map_or_else(
                || {
                    let number = kept.next.max(taken);
                    kept.next = number + 1;
                    if let Json::Object(map) = &mut value {
                        map.insert("id".to_owned(), number.to_string().into());
                    }
                    number.to_string()
                },
                str::to_owned,
            );
            kept.documents.insert(key.clone(), value);
            Ok((key, Changed::Yes))
        })
    }

    /// Changes a document where there is one; answers it as it is afterwards.
    ///
    /// # Errors
    ///
    /// Fails where it cannot be kept; then nothing is changed.
    pub fn update(
        &self,
        collection: &str,
        key: &str,
        change: impl Fn(&mut Json),
    ) -> Result<Option<Json>, StoreError> {
        for keep in [Keep::Session, Keep::Project] {
            let updated = self.try_change(keep, collection, |kept| match kept.documents.get_mut(key) {
                None => Ok((None, Changed::No)),
                Some(document) => {
                    change(document);
                    if is_deeper(document, MAX_DEPTH) {
                        return Err(StoreError::Deep);
                    }
                    Ok((Some(document.clone()), Changed::Yes))
                }
            })?;
            if updated.is_some() {
                return Ok(updated);
            }
        }
        Ok(None)
    }

    /// Removes a document; answers whether there was one.
    ///
    /// # Errors
    ///
    /// Fails where the change cannot be kept; then nothing is changed.
    pub fn delete(&self, collection: &str, key: &str) -> Result<bool, StoreError> {
        let mut found = false;
        for keep in [Keep::Session, Keep::Project] {
            found |= self.change(keep, collection, |kept| match kept.documents.remove(key) {
                None => (false, Changed::No),
                Some(_) => (true, Changed::Yes),
            })?;
        }
        Ok(found)
    }

    fn file(&self, keep: Keep, collection: &str) -> Result<PathBuf, StoreError> {
        let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        if collection.is_empty() || collection.len() > 64 || !collection.bytes().all(plain) {
            return Err(StoreError::Name {
                name: collection.to_owned(),
            });
        }
        let directory = match keep {
            Keep::Session => &self.session,
            Keep::Project => &self.project,
        };
        Ok(directory.join(format!("{collection}.json")))
    }

    fn change<T>(
        &self,
        keep: Keep,
        collection: &str,
        change: impl FnOnce(&mut Collection) -> (T, Changed),
    ) -> Result<T, StoreError> {
        self.try_change(keep, collection, |kept| Ok(change(kept)))
    }

    /// One change under the lock of the collection, of which there is one for both places. Nothing is written where nothing changes.
    fn try_change<T>(
        &self,
        keep: Keep,
        collection: &str,
        change: impl FnOnce(&mut Collection) -> Result<(T, Changed), StoreError>,
    ) -> Result<T, StoreError> {
        let path = self.file(keep, collection)?;
        for directory in [&self.session, &self.project] {
            make_directory(directory).map_err(failed("make", directory))?;
        }
        let lock_path = self.file(Keep::Project, collection)?.with_extension("lock");
        let lock = owned()
            .write(true)
            .create(true)
            .truncate(false)
            .open(&lock_path)
            .map_err(failed("open", &lock_path))?;
        flock(&lock, FlockOperation::LockExclusive)
            .map_err(|error| failed("lock", &lock_path)(error.into()))?;
        let mut kept = read(&path)?;
        let (answer, changed) = change(&mut kept)?;
        if changed == Changed::Yes {
            replace(&path, &kept, collection)?;
        }
        Ok(answer)
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Changed {
    Yes,
    No,
}

fn order(key: &str) -> (bool, u64, &str) {
    let number = key.parse::<u64>().ok();
    (number.is_none(), number.unwrap_or_default(), key)
}

/// Whether a value is nested deeper than this; looked at without recursion.
pub(crate) fn is_deeper(value: &Json, most: usize) -> bool {
    let mut open = vec![(value, 1)];
    while let Some((value, depth)) = open.pop() {
        if depth > most {
            return true;
        }
        match value {
            Json::Array(items) => open.extend(items.iter().map(|item| (item, depth + 1))),
            Json::Object(map) => open.extend(map.values().map(|item| (item, depth + 1))),
            Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => {}
        }
    }
    false
}

fn owned() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.mode(0o600).custom_flags(libc_nofollow());
    options
}

/// `O_NOFOLLOW`: a link in place of a file is refused.
fn libc_nofollow() -> i32 {
    i32::try_from(rustix::fs::OFlags::NOFOLLOW.bits()).unwrap_or_default()
}

fn failed(verb: &'static str, path: &Path) -> impl Fn(io::Error) -> StoreError {
    let path = path.to_owned();
    move |error| StoreError::Io {
        verb,
        path: path.clone(),
        error,
    }
}

fn read(path: &Path) -> Result<Collection, StoreError> {
    let file = match owned().read(true).open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Ok(Collection {
                next: 1,
                documents: BTreeMap::new(),
            });
        }
        Err(error) => return Err(failed("read", path)(error)),
    };
    let bytes = read_bounded(&file, path)?;
    serde_json::from_slice(&bytes).map_err(|error| StoreError::Damaged {
        path: path.to_owned(),
        error: error.to_string(),
    })
}

fn read_bounded(file: &File, path: &Path) -> Result<Vec<u8>, StoreError> {
    use std::io::Read as _;

    let mut bytes = Vec::new();
    file.take(MAX_COLLECTION_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(failed("read", path))?;
    if bytes.len() as u64 > MAX_COLLECTION_BYTES {
        return Err(StoreError::Damaged {
            path: path.to_owned(),
            error: "it is too large".to_owned(),
        });
    }
    Ok(bytes)
}

/// Replaces a file as a whole. The lock is held, so that what an earlier, killed writer left behind may be overwritten.
fn replace(path: &Path, kept: &Collection, collection: &str) -> Result<(), StoreError> {
    let mut bytes = serde_json::to_vec(kept).map_err(|error| failed("write", path)(error.into()))?;
    bytes.push(b'\n');
    if bytes.len() as u64 > MAX_COLLECTION_BYTES {
        return Err(StoreError::Full {
            collection: collection.to_owned(),
        });
    }
    let beside = path.with_extension("new");
    let written = owned()
        .write(true)
        .create(true)
        .truncate(true)
        .open(&beside)
        .and_then(|mut file| {
            file.write_all(&bytes)?;
            file.sync_all()
        });
    if let Err(error) = written {
        // Half a file beside the collection is no harm, but no use either.
        let _gone = fs::remove_file(&beside);
        return Err(failed("write", &beside)(error));
    }
    fs::rename(&beside, path).map_err(failed("replace", path))?;
    if let Some(directory) = path.parent() {
        File::open(directory)
            .and_then(|directory| directory.sync_all())
            .map_err(failed("write", directory))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
