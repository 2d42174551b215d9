//! Opens what lies in the folder that is searched, without ever going through a link.
//!
//! Invariants: every open of a search goes through this file; a path that is a link, or leads through one, is an error of the
//! system (`ELOOP` or `ENOTDIR`), also when it was swapped in since the path was decided; nothing that blocks is waited for.

use std::ffi::OsStr;
use std::fs::File;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Component, Path, PathBuf};

use rustix::fs::{CWD, FileType, Mode, OFlags, fstat, openat};
use rustix::io::{Errno, retry_on_intr};

use super::error::{RootProblem, SearchError};

/// Reads without waiting for a writer, without becoming a controlling terminal and without following a last link.
const READ: OFlags = OFlags::RDONLY
    .union(OFlags::NONBLOCK)
    .union(OFlags::NOCTTY)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC);
const FOLDER: OFlags = OFlags::RDONLY
    .union(OFlags::DIRECTORY)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC);

/// What the root of a search is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum RootKind {
    /// A folder; everything in it is searched.
    Folder,
    /// One file, of this name in the folder that is held.
    File(PathBuf),
}

/// The folder that is searched, held open, so that it stays the same folder whatever happens to its name.
#[derive(Debug)]
pub(super) struct Root {
    held: OwnedFd,
    folder: PathBuf,
    kind: RootKind,
}

impl Root {
    /// Opens `path`, which is absolute and resolved. A link on the way to it has come there since, and is an error.
    pub(super) fn open(path: &Path) -> Result<Self, SearchError> {
        let refused = |problem| SearchError::Root {
            path: path.to_path_buf(),
            problem,
        };
        if !path.is_absolute() || path.components().any(|part| matches!(part, Component::ParentDir)) {
            return Err(refused(RootProblem::NotResolved));
        }
        let system = |errno: Errno| {
            refused(match errno {
                Errno::NOENT => RootProblem::Missing,
                // `O_DIRECTORY` on a link says `ENOTDIR` when `O_NOFOLLOW` is also given.
                Errno::LOOP | Errno::NOTDIR => RootProblem::Link,
                other => RootProblem::System(other.into()),
            })
        };
        let looked = open_whole(
            CWD,
            path,
            OFlags::PATH.union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC),
        )
        .map_err(system)?;
        let kind = FileType::from_raw_mode(fstat(&looked).map_err(system)?.st_mode);
        match (kind, path.parent(), path.file_name()) {
            (FileType::Directory, _, _) => Ok(Self {
                held: looked,
                folder: path.to_path_buf(),
                kind: RootKind::Folder,
            }),
            (FileType::RegularFile, Some(folder), Some(name)) => {
                let held = open_whole(
                    CWD,
                    folder,
                    OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC),
                )
                .map_err(system)?;
                Ok(Self {
                    held,
                    folder: folder.to_path_buf(),
                    kind: RootKind::File(PathBuf::from(name)),
                })
            }
            (FileType::Symlink, _, _) => Err(refused(RootProblem::Link)),
            _ => Err(refused(RootProblem::NeitherFileNorFolder)),
        }
    }

    /// The absolute path of the folder that is held.
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Whether a folder or one file of it is searched.
    pub(super) fn kind(&self) -> &RootKind {
        &self.kind
    }

    /// Opens a folder below this one; the empty path is the folder itself.
    pub(super) fn open_folder(&self, below: &Path) -> Result<OwnedFd, Errno> {
        let below = if below.as_os_str().is_empty() {
            Path::new(".")
        } else {
            below
        };
        open_whole(self.held.as_fd(), below, FOLDER)
    }

    /// Opens a regular file below this folder for reading; whatever else has its name is an error.
    pub(super) fn open_file(&self, below: &Path) -> Result<File, Errno> {
        regular(open_whole(self.held.as_fd(), below, READ)?)
    }
}

/// Opens a file by its absolute path for reading, under the same conditions as those below a root.
pub(super) fn open_absolute(path: &Path) -> Result<File, Errno> {
    regular(open_whole(CWD, path, READ)?)
}

/// A last check on what is open: a FIFO or a device may have taken the name of a file after its folder was read.
fn regular(opened: OwnedFd) -> Result<File, Errno> {
    let kind = FileType::from_raw_mode(fstat(&opened)?.st_mode);
    if kind == FileType::RegularFile {
        Ok(File::from(opened))
    } else {
        Err(Errno::INVAL)
    }
}

/// Opens a path in which no part may be a link.
///
/// Source: openat2(2), `RESOLVE_NO_SYMLINKS`. A kernel without the call (or a filter that refuses it) gets one open for each part.
#[cfg(target_os = "linux")]
fn open_whole(base: BorrowedFd<'_>, path: &Path, flags: OFlags) -> Result<OwnedFd, Errno> {
    use rustix::fs::{ResolveFlags, openat2};

    match retry_on_intr(|| openat2(base, path, flags, Mode::empty(), ResolveFlags::NO_SYMLINKS)) {
        Err(Errno::NOSYS | Errno::PERM) => open_parts(base, path, flags),
        opened => opened,
    }
}

#[cfg(not(target_os = "linux"))]
fn open_whole(base: BorrowedFd<'_>, path: &Path, flags: OFlags) -> Result<OwnedFd, Errno> {
    open_parts(base, path, flags)
}

/// Opens each part of a path in the folder before it; none may be a link.
fn open_parts(base: BorrowedFd<'_>, path: &Path, flags: OFlags) -> Result<OwnedFd, Errno> {
    let open = |at: BorrowedFd<'_>, name: &OsStr, flags: OFlags| {
        retry_on_intr(|| openat(at, name, flags, Mode::empty()))
    };
    let mut parts = path.components().peekable();
    let mut at: Option<OwnedFd> = None;
    while let Some(part) = parts.next() {
        let flags = if parts.peek().is_none() {
            flags.union(OFlags::NOFOLLOW)
        } else {
            FOLDER
        };
        let next = open(at.as_ref().map_or(base, AsFd::as_fd), part.as_os_str(), flags)?;
        at = Some(next);
    }
    at.ok_or(Errno::NOENT)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;

    #[test]
    fn each_part_of_a_path_is_opened_in_the_one_before() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("a/b")).unwrap();
        fs::write(folder.path().join("a/b/c"), "x").unwrap();
        symlink("b", folder.path().join("a/link")).unwrap();
        symlink("c", folder.path().join("a/b/last")).unwrap();
        let root = folder.path().canonicalize().unwrap();
        for open in [open_parts, open_whole] {
            assert!(open(CWD, &root.join("a/b/c"), READ).is_ok());
            assert!(open(CWD, &root.join("a/link/c"), READ).is_err());
            assert!(open(CWD, &root.join("a/b/last"), READ).is_err());
        }
    }
}
