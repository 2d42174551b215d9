//! What Linux has for walking paths: refusing links for a whole path, and renaming that never replaces.

use std::ffi::OsStr;
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;

use rustix::fs::{CWD, Mode, OFlags, RenameFlags, ResolveFlags, openat2, renameat_with};
use rustix::io::Errno;

/// How a folder on a path is opened: as a place alone, which needs no permission to list it.
pub(in super::super) const FOLDER: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

#[cfg(test)]
std::thread_local! {
    static BY_PARTS: std::cell::Cell<bool> = const { std::cell::Cell::new(false) };
}

/// Runs `work` as on a system that cannot refuse links for a whole path.
#[cfg(test)]
pub(in super::super) fn without_whole_paths<T>(work: impl FnOnce() -> T) -> T {
    BY_PARTS.set(true);
    let answer = work();
    BY_PARTS.set(false);
    answer
}

/// Opens a folder, refusing every link on the way; `NOSYS` where the system has no such call.
pub(super) fn open_whole(path: &Path) -> Result<OwnedFd, Errno> {
    #[cfg(test)]
    if BY_PARTS.get() {
        return Err(Errno::NOSYS);
    }
    // Not with NOFOLLOW: together with PATH that would open a last link as itself instead of refusing it.
    openat2(
        CWD,
        path,
        FOLDER,
        Mode::empty(),
        ResolveFlags::NO_SYMLINKS.union(ResolveFlags::NO_MAGICLINKS),
    )
}

/// Renames within a folder; a file that has the new name already is an error (`EXIST`).
pub(in super::super) fn rename_new(folder: &OwnedFd, from: &OsStr, to: &OsStr) -> Result<(), Errno> {
    match renameat_with(folder.as_fd(), from, folder.as_fd(), to, RenameFlags::NOREPLACE) {
        // Some file systems do not know the flag; a hard link does not replace either.
        Err(Errno::INVAL | Errno::NOSYS) => super::link_new(folder, from, to),
        answer => answer,
    }
}
