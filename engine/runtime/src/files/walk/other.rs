//! Walking paths with what every POSIX system has.

use std::ffi::OsStr;
use std::os::fd::OwnedFd;
use std::path::Path;

use rustix::fs::OFlags;
use rustix::io::Errno;

/// How a folder on a path is opened.
pub(in super::super) const FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

/// Runs `work`; there is no other way here anyway.
#[cfg(test)]
pub(in super::super) fn without_whole_paths<T>(work: impl FnOnce() -> T) -> T {
    work()
}

/// There is no such call here, which `NOSYS` says.
pub(super) fn open_whole(_path: &Path) -> Result<OwnedFd, Errno> {
    Err(Errno::NOSYS)
}

/// Gives a file its name; one that exists already is an error (`EXIST`).
pub(in super::super) fn rename_new(folder: &OwnedFd, from: &OsStr, to: &OsStr) -> Result<(), Errno> {
    super::link_new(folder, from, to)
}
