//! Reads folders of the tree that is searched, and keeps of each what is looked for.
//!
//! Invariants: only regular files and folders are ever named by a listing; links, FIFOs, sockets and devices never are; a file that
//! the caller's filter refuses is not named either, and so is neither opened nor looked at.

use std::ffi::OsStr;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use rustix::fs::{AtFlags, FileType, statat};

use super::ignored::{Level, Marks, Rules};
use super::limits::ENTRIES;
use super::open::Root;

/// Says which files may be seen, by their absolute paths.
pub type Visible<'a> = dyn Fn(&Path) -> bool + Sync + 'a;

/// All that one search shares between its threads.
pub(super) struct Tree<'a> {
    pub(super) root: &'a Root,
    pub(super) rules: &'a Rules,
    pub(super) visible: &'a Visible<'a>,
    pub(super) cancel: &'a AtomicBool,
    /// Files and folders that could not be read.
    pub(super) unreadable: AtomicUsize,
    /// Files that were opened to be searched.
    pub(super) opened: AtomicUsize,
    entries: AtomicUsize,
}

/// A folder that is still to be read, relative to the root.
#[derive(Debug, Clone)]
pub(super) struct Folder {
    pub(super) below: PathBuf,
    level: Arc<Level>,
}

/// Whether an entry is a file or a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    File,
    Folder,
}

/// The entries of the folder that was read last; its memory is used again for the next.
#[derive(Debug)]
pub(super) struct Listing {
    names: Vec<u8>,
    entries: Vec<Entry>,
    buffer: Vec<MaybeUninit<u8>>,
    handle: Option<OwnedFd>,
    path: PathBuf,
    level: Option<Arc<Level>>,
}

#[derive(Debug, Clone, Copy)]
struct Entry {
    start: usize,
    end: usize,
    kind: Kind,
}

impl Listing {
    pub(super) fn new() -> Self {
        const BUFFER_BYTES: usize = 32 << 10;
        let buffer = vec![MaybeUninit::uninit(); BUFFER_BYTES];
        Self {
            names: Vec::new(),
            entries: Vec::new(),
            buffer,
            handle: None,
            path: PathBuf::new(),
            level: None,
        }
    }

    /// The folder itself, held open.
    pub(super) fn handle(&self) -> Option<&OwnedFd> {
        self.handle.as_ref()
    }

    /// What was kept, by name where it was sorted.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&OsStr, Kind)> {
        self.entries.iter().filter_map(|entry| {
            Some((
                OsStr::from_bytes(self.names.get(entry.start..entry.end)?),
                entry.kind,
            ))
        })
    }

    /// A folder of this one that is to be read later.
    pub(super) fn enter(&self, folder: &Folder, name: &OsStr) -> Folder {
        Folder {
            below: folder.below.join(name),
            level: self.level.as_ref().unwrap_or(&folder.level).clone(),
        }
    }

    /// Sorts by name.
    pub(super) fn sort(&mut self) {
        let names = &self.names;
        self.entries
            .sort_unstable_by(|a, b| names.get(a.start..a.end).cmp(&names.get(b.start..b.end)));
    }
}

impl<'a> Tree<'a> {
    pub(super) fn new(
        root: &'a Root,
        rules: &'a Rules,
        visible: &'a Visible<'a>,
        cancel: &'a AtomicBool,
    ) -> Self {
        Self {
            root,
            rules,
            visible,
            cancel,
            unreadable: AtomicUsize::new(0),
            opened: AtomicUsize::new(0),
            entries: AtomicUsize::new(0),
        }
    }

    /// The folder at which the search starts.
    pub(super) fn start(&self) -> Folder {
        Folder {
            below: PathBuf::new(),
            level: self.rules.above(self.root.folder(), self.visible),
        }
    }

    /// Whether so many entries were met that the rest of the tree was left.
    pub(super) fn exhausted(&self) -> bool {
        self.entries.load(Ordering::Relaxed) > ENTRIES
    }

    /// Whether the caller ended the search.
    pub(super) fn cancelled(&self) -> bool {
        self.cancel.load(Ordering::Relaxed)
    }

    /// Counts something that could not be read.
    pub(super) fn miss(&self) {
        self.unreadable.fetch_add(1, Ordering::Relaxed);
    }

    /// Reads a folder; what is kept of it stands in `listing` afterwards.
    pub(super) fn list(&self, folder: &Folder, listing: &mut Listing) {
        listing.names.clear();
        listing.entries.clear();
        listing.level = None;
        listing.handle = None;
        if self.cancelled() || self.exhausted() {
            return;
        }
        let Ok(handle) = self.root.open_folder(&folder.below) else {
            self.miss();
            return;
        };
        let mut marks = Marks::default();
        if read_entries(&handle, listing, &mut marks).is_err() {
            self.miss();
        }
        self.entries.fetch_add(listing.entries.len(), Ordering::Relaxed);

        let level = self
            .rules
            .below(&folder.level, self.root, &folder.below, marks, self.visible);
        listing.path.clear();
        listing.path.push(self.root.folder());
        listing.path.push(&folder.below);
        let Listing {
            names, entries, path, ..
        } = listing;
        entries.retain(|entry| {
            let Some(name) = names.get(entry.start..entry.end) else {
                return false;
            };
            path.push(OsStr::from_bytes(name));
            let is_folder = entry.kind == Kind::Folder;
            let kept = self.rules.keeps(&level, path, name, is_folder) && (is_folder || (self.visible)(path));
            path.pop();
            kept
        });
        listing.level = Some(level);
        listing.handle = Some(handle);
    }
}

impl std::fmt::Debug for Tree<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tree")
            .field("root", self.root)
            .field("rules", self.rules)
            .finish_non_exhaustive()
    }
}

/// Takes up the regular files and folders of an open folder.
fn read_entries(handle: &OwnedFd, listing: &mut Listing, marks: &mut Marks) -> Result<(), rustix::io::Errno> {
    let Listing {
        names,
        entries,
        buffer,
        ..
    } = listing;
    let mut take = |name: &std::ffi::CStr, kind: FileType| {
        let bytes = name.to_bytes();
        if bytes == b"." || bytes == b".." {
            return;
        }
        marks.note(bytes);
        let kind = if kind == FileType::Unknown {
            // Some file systems do not say it while the folder is read.
            let Ok(stat) = statat(handle, name, AtFlags::SYMLINK_NOFOLLOW) else {
                return;
            };
            FileType::from_raw_mode(stat.st_mode)
        } else {
            kind
        };
        let kind = match kind {
            FileType::RegularFile => Kind::File,
            FileType::Directory => Kind::Folder,
            FileType::Symlink
            | FileType::Fifo
            | FileType::Socket
            | FileType::CharacterDevice
            | FileType::BlockDevice
            | FileType::Unknown => return,
        };
        if entries.len() > ENTRIES {
            return;
        }
        let start = names.len();
        names.extend_from_slice(bytes);
        entries.push(Entry {
            start,
            end: names.len(),
            kind,
        });
    };
    each_entry(handle, buffer, &mut take)
}

#[cfg(target_os = "linux")]
fn each_entry(
    handle: &OwnedFd,
    buffer: &mut [MaybeUninit<u8>],
    take: &mut dyn FnMut(&std::ffi::CStr, FileType),
) -> Result<(), rustix::io::Errno> {
    let mut entries = rustix::fs::RawDir::new(handle, buffer);
    while let Some(entry) = entries.next() {
        let entry = entry?;
        take(entry.file_name(), entry.file_type());
    }
    Ok(())
}

#[cfg(not(target_os = "linux"))]
fn each_entry(
    handle: &OwnedFd,
    _buffer: &mut [MaybeUninit<u8>],
    take: &mut dyn FnMut(&std::ffi::CStr, FileType),
) -> Result<(), rustix::io::Errno> {
    for entry in rustix::fs::Dir::read_from(handle)? {
        let entry = entry?;
        take(entry.file_name(), entry.file_type());
    }
    Ok(())
}
