//! Putting a file in place at once.
//!
//! Invariant (all or nothing): the new content is complete and on the disk, under another name in the same folder, before it gets the
//! file's name in one step. Whatever happens before that step leaves the old file as it was; at worst a temporary file stays behind.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::hash::{BuildHasher as _, RandomState};
use std::io::Write as _;
use std::os::fd::OwnedFd;

use rustix::fs::XattrFlags;
use rustix::fs::{
    Access, AtFlags, Gid, Mode, OFlags, Stat, Uid, accessat, fchmod, fchown, fgetxattr, flistxattr,
    fsetxattr, fsync, openat, renameat, unlinkat,
};
use rustix::io::Errno;

use super::Ground;
use crate::files::error::FileError;
use crate::files::place::Decided;
use crate::files::walk::{failed, failed_io, look, make_folder, open_folder, rename_new};

/// How often a name for the temporary file is tried that turns out to be taken.
const MAX_NAMES: usize = 16;

/// Gives the file at `place` this content, if it still is what it was planned on.
pub(super) fn replace(place: &Decided, bytes: &[u8], ground: &Ground) -> Result<(), FileError> {
    let folder = match ground {
        Ground::Nothing => make_folder(place)?,
        Ground::Same(_) => open_folder(place)?,
    };
    still(&folder, place, ground)?;
    let mode = match ground {
        Ground::Nothing => Mode::from_raw_mode(0o666),
        Ground::Same(_) => {
            // Renaming asks only the folder; a file that is protected from writing stays so.
            accessat(&folder, place.name(), Access::WRITE_OK, AtFlags::EACCESS)
                .map_err(|errno| failed(place, "write", errno))?;
            Mode::from_raw_mode(0o600)
        }
    };
    let temporary = Temporary::new(place, &folder, mode)?;
    temporary.fill(place, bytes, ground)?;
    // Once more, now that the slow part is over.
    still(&folder, place, ground)?;
    let done = match ground {
        Ground::Nothing => rename_new(&folder, &temporary.name, place.name()),
        Ground::Same(_) => renameat(&folder, &temporary.name, &folder, place.name()),
    };
    match done {
        Ok(()) => temporary.keep(),
        Err(Errno::EXIST) => return Err(changed(place)),
        Err(errno) => return Err(failed(place, "put in place", errno)),
    }
    // The new name is what has to reach the disk now. A folder that cannot be opened for that is no reason to call the write failed.
    if let Ok(folder) = openat(
        &folder,
        ".",
        OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC,
        Mode::empty(),
    ) {
        let _ = fsync(folder);
    }
    Ok(())
}

fn changed(place: &Decided) -> FileError {
    FileError::Changed {
        path: place.as_path().to_owned(),
        action: "write",
    }
}

fn still(folder: &OwnedFd, place: &Decided, ground: &Ground) -> Result<(), FileError> {
    let there = look(folder, place)?;
    let same = match (ground, &there) {
        (Ground::Nothing, None) => true,
        (Ground::Same(old), Some(now)) => identity(old) == identity(now),
        (Ground::Nothing, Some(_)) | (Ground::Same(_), None) => false,
    };
    if same { Ok(()) } else { Err(changed(place)) }
}

/// What changes when a file is replaced or written: its number, its size and its times.
fn identity(stat: &Stat) -> impl PartialEq + use<> {
    (
        stat.st_dev,
        stat.st_ino,
        stat.st_size,
        stat.st_mtime,
        stat.st_mtime_nsec,
        stat.st_ctime,
        stat.st_ctime_nsec,
    )
}

/// A file that goes away unless it is kept.
#[derive(Debug)]
struct Temporary<'f> {
    folder: &'f OwnedFd,
    name: OsString,
    file: File,
    kept: bool,
}

impl<'f> Temporary<'f> {
    fn new(place: &Decided, folder: &'f OwnedFd, mode: Mode) -> Result<Self, FileError> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        for _ in 0..MAX_NAMES {
            // Short, so that it fits where the file's own name is as long as names may be. Nothing depends on its being hard to guess:
            // a name that is taken, by a link too, is never opened.
            let name = OsString::from(format!(
                ".engine-{:016x}.tmp",
                RandomState::new().hash_one(place.as_path())
            ));
            match openat(folder, &name, flags, mode) {
                Ok(file) => {
                    return Ok(Self {
                        folder,
                        name,
                        file: File::from(file),
                        kept: false,
                    });
                }
                Err(Errno::EXIST) => {}
                Err(errno) => return Err(failed(place, "make a temporary file beside", errno)),
            }
        }
        Err(failed(place, "make a temporary file beside", Errno::EXIST))
    }

    fn fill(&self, place: &Decided, bytes: &[u8], ground: &Ground) -> Result<(), FileError> {
        (&self.file)
            .write_all(bytes)
            .map_err(|error| failed_io(place, "write", error))?;
        match ground {
            Ground::Nothing => {}
            Ground::Same(old) => self.take_after(place, old)?,
        }
        fsync(&self.file).map_err(|errno| failed(place, "write", errno))
    }

    /// Gives it the owner, mode and attributes of the old file, as far as that is permitted.
    fn take_after(&self, place: &Decided, old: &Stat) -> Result<(), FileError> {
        let own = rustix::fs::fstat(&self.file).map_err(|errno| failed(place, "write", errno))?;
        if own.st_gid != old.st_gid {
            let _ = fchown(&self.file, None, Some(Gid::from_raw(old.st_gid)));
        }
        if own.st_uid != old.st_uid {
            let _ = fchown(&self.file, Some(Uid::from_raw(old.st_uid)), None);
        }
        // Like any write, this takes the right to run as another user from a program.
        let mode = Mode::from_raw_mode(old.st_mode & 0o1777);
        fchmod(&self.file, mode).map_err(|errno| failed(place, "set the mode of", errno))?;
        self.copy_attributes(place);
        Ok(())
    }

    fn copy_attributes(&self, place: &Decided) {
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let Ok(old) = openat(self.folder, place.name(), flags, Mode::empty()) else {
            return;
        };
        let mut names = vec![0_u8; 64 * 1024];
        let Ok(length) = flistxattr(&old, &mut names) else {
            return;
        };
        for name in names
            .get(..length)
            .unwrap_or_default()
            .split(|byte| *byte == 0)
            .filter(|name| !name.is_empty())
        {
            // These vouch for the old content, or give a program rights; the system drops them at any write.
            if [
                b"security.capability".as_slice(),
                b"security.ima",
                b"security.evm",
            ]
            .contains(&name)
            {
                continue;
            }
            let mut value = vec![0_u8; 64 * 1024];
            if let Ok(length) = fgetxattr(&old, name, &mut value) {
                let _ = fsetxattr(
                    &self.file,
                    name,
                    value.get(..length).unwrap_or_default(),
                    XattrFlags::empty(),
                );
            }
        }
    }

    fn keep(mut self) {
        self.kept = true;
    }
}

impl Drop for Temporary<'_> {
    fn drop(&mut self) {
        if !self.kept {
            let _ = unlinkat(self.folder, AsRef::<OsStr>::as_ref(&self.name), AtFlags::empty());
        }
    }
}
