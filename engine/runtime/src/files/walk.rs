//! Opening a decided path without following a link.
//!
//! Invariant (no link followed): every part of a path is opened as itself. Where the system can refuse links for a whole path it does so
//! in one call, elsewhere each folder is opened from the descriptor of the one above it. Everything later happens relative to the folder's
//! descriptor, so a folder that is swapped in the meantime changes nothing.
//!
//! Invariant (never blocks): what is not a regular file is known before it is opened, is opened so that it cannot wait, and is looked at
//! again once it is open.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStringExt;
use std::path::{Component, Path};

use rustix::fs::{
    AtFlags, CWD, Dir, FileType, Mode, OFlags, Stat, fstat, linkat, mkdirat, openat, statat, unlinkat,
};
use rustix::io::Errno;

use super::error::{FileError, Missing, SpecialKind};
use super::place::{Decided, names_a_descriptor};

#[cfg_attr(target_os = "linux", path = "walk/linux.rs")]
#[cfg_attr(not(target_os = "linux"), path = "walk/other.rs")]
mod os;

pub(super) use os::rename_new;

/// A regular file that is open for reading, and what it was when it was opened.
#[derive(Debug)]
pub(super) struct Opened {
    pub(super) file: File,
    pub(super) stat: Stat,
}

/// Opens the regular file at `place` for reading.
pub(super) fn open_file(place: &Decided) -> Result<Opened, FileError> {
    let folder = open_folder(place)?;
    let Some(_) = look(&folder, place)? else {
        return Err(missing(place));
    };
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOFOLLOW | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file =
        openat(&folder, place.name(), flags, Mode::empty()).map_err(|errno| failed(place, "read", errno))?;
    let stat = fstat(&file).map_err(|errno| failed(place, "read", errno))?;
    regular(place, &stat)?;
    Ok(Opened {
        file: File::from(file),
        stat,
    })
}

/// What stands at `place`: a regular file, or nothing. Anything else is an error.
pub(super) fn look(folder: &OwnedFd, place: &Decided) -> Result<Option<Stat>, FileError> {
    if names_a_descriptor(place.as_path()) {
        return Err(FileError::Special {
            path: place.as_path().to_owned(),
            what: SpecialKind::Descriptor,
        });
    }
    match statat(folder, place.name(), AtFlags::SYMLINK_NOFOLLOW) {
        Ok(stat) => regular(place, &stat).map(|()| Some(stat)),
        Err(Errno::NOENT) => Ok(None),
        Err(errno) => Err(failed(place, "look at", errno)),
    }
}

/// Opens the folder that holds `place`.
pub(super) fn open_folder(place: &Decided) -> Result<OwnedFd, FileError> {
    folder_at(place.folder()).map_err(|errno| failed(place, "open the folder of", errno))
}

/// Opens the folder that holds `place`, and makes what is missing of it.
pub(super) fn make_folder(place: &Decided) -> Result<OwnedFd, FileError> {
    match folder_at(place.folder()) {
        Err(Errno::NOENT) => {
            by_parts(place.folder(), Absent::Made).map_err(|errno| failed(place, "make the folder of", errno))
        }
        answer => answer.map_err(|errno| failed(place, "open the folder of", errno)),
    }
}

/// At most `most` names in a folder, each with what it is; `None` if the folder cannot be listed.
pub(super) fn names_in(folder: &Path, most: usize) -> Option<Vec<(OsString, FileType)>> {
    let folder = folder_at(folder).ok()?;
    let listed = openat(
        &folder,
        ".",
        OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC,
        Mode::empty(),
    )
    .ok()?;
    let entries = Dir::new(listed).ok()?;
    let names = entries.take(most).flatten().filter_map(|entry| {
        let name = OsString::from_vec(entry.file_name().to_bytes().to_vec());
        // Not every file system tells the kind with the name.
        let kind = Some(entry.file_type()).filter(|kind| *kind != FileType::Unknown);
        let kind = match kind {
            Some(kind) => kind,
            None => FileType::from_raw_mode(statat(&folder, &name, AtFlags::SYMLINK_NOFOLLOW).ok()?.st_mode),
        };
        Some((name, kind))
    });
    Some(names.collect())
}

fn folder_at(path: &Path) -> Result<OwnedFd, Errno> {
    match os::open_whole(path) {
        // Old kernels do not have the call, and some filters of system calls answer for it with "not permitted".
        Err(Errno::NOSYS | Errno::PERM) => by_parts(path, Absent::Error),
        answer => answer,
    }
}

/// What a folder on the path that does not exist means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Absent {
    /// It is an error.
    Error,
    /// It is made.
    Made,
}

fn by_parts(path: &Path, absent: Absent) -> Result<OwnedFd, Errno> {
    let mut folder = openat(CWD, "/", os::FOLDER, Mode::empty())?;
    for part in path.components() {
        match part {
            Component::RootDir => {}
            Component::Normal(name) => folder = one_part(folder.as_fd(), name, absent)?,
            Component::Prefix(_) | Component::CurDir | Component::ParentDir => return Err(Errno::INVAL),
        }
    }
    Ok(folder)
}

fn one_part(folder: BorrowedFd<'_>, name: &OsStr, absent: Absent) -> Result<OwnedFd, Errno> {
    let open = || openat(folder, name, os::FOLDER | OFlags::NOFOLLOW, Mode::empty());
    match open() {
        Err(Errno::NOENT) if absent == Absent::Made => {
            match mkdirat(folder, name, Mode::from_raw_mode(0o777)) {
                // Someone else made it in the meantime; what it is shows when it is opened.
                Ok(()) | Err(Errno::EXIST) => {}
                Err(errno) => return Err(errno),
            }
            open()
        }
        // A link is "not a directory" to this call; it is told apart for the message alone.
        Err(Errno::NOTDIR) => match statat(folder, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) if FileType::from_raw_mode(stat.st_mode) == FileType::Symlink => Err(Errno::LOOP),
            Ok(_) | Err(_) => Err(Errno::NOTDIR),
        },
        answer => answer,
    }
}

/// Gives a file a second name, and takes the first away. Unlike a rename this never replaces.
fn link_new(folder: &OwnedFd, from: &OsStr, to: &OsStr) -> Result<(), Errno> {
    linkat(folder, from, folder, to, AtFlags::empty())?;
    unlinkat(folder, from, AtFlags::empty())
}

fn regular(place: &Decided, stat: &Stat) -> Result<(), FileError> {
    let path = place.as_path().to_owned();
    let what = match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile => return Ok(()),
        FileType::Directory => return Err(FileError::Directory { path }),
        FileType::Symlink => return Err(FileError::Linked { path }),
        FileType::Fifo => SpecialKind::Fifo,
        FileType::Socket => SpecialKind::Socket,
        FileType::CharacterDevice | FileType::BlockDevice => SpecialKind::Device,
        FileType::Unknown => SpecialKind::Unknown,
    };
    Err(FileError::Special { path, what })
}

/// The error for a file that is not there, still without what may have been meant.
pub(super) fn missing(place: &Decided) -> FileError {
    FileError::Missing(Missing {
        path: place.as_path().to_owned(),
        nearest: None,
        other_space: None,
    })
}

/// What an answer of the system means for the file.
pub(super) fn failed(place: &Decided, action: &'static str, errno: Errno) -> FileError {
    let path = place.as_path().to_owned();
    match errno {
        Errno::NOENT => missing(place),
        Errno::LOOP => FileError::Linked { path },
        Errno::NOTDIR => FileError::NotAFolder { path },
        Errno::ISDIR => FileError::Directory { path },
        Errno::ACCESS | Errno::PERM | Errno::ROFS => FileError::Permission { path, action },
        Errno::NOSPC | Errno::DQUOT => FileError::NoSpace { path },
        Errno::NXIO => FileError::Special {
            path,
            what: SpecialKind::Socket,
        },
        other => FileError::System {
            path,
            action,
            source: io::Error::from(other),
        },
    }
}

/// As [`failed`], for an error of the standard library.
pub(super) fn failed_io(place: &Decided, action: &'static str, error: io::Error) -> FileError {
    match Errno::from_io_error(&error) {
        Some(errno) => failed(place, action, errno),
        None => FileError::System {
            path: place.as_path().to_owned(),
            action,
            source: error,
        },
    }
}

#[cfg(test)]
pub(super) use os::without_whole_paths;

#[cfg(test)]
mod tests;
