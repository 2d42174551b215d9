//! Systems other than Linux: pipes and signals. A run is its process group; what leaves the group is not found.

use std::collections::HashSet;
use std::fs;
use std::io::{self, Read as _};
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags, fcntl_getfl, fcntl_setfl};
use rustix::process::{Pid, test_kill_process_group};

use super::Member;
use crate::bash::mark::{Mark, Meant};

/// A number that nobody can guess.
pub(crate) fn random() -> u64 {
    let mut bytes = [0_u8; 8];
    let read = fs::File::open("/dev/urandom").and_then(|mut file| file.read_exact(&mut bytes));
    match read {
        Ok(()) => u64::from_ne_bytes(bytes),
        Err(_) => u64::from(std::process::id()).rotate_right(20),
    }
}

/// A pipe: the end that is read does not block, the other does, and no program inherits either by accident.
pub(crate) fn pipe() -> io::Result<(OwnedFd, OwnedFd)> {
    let (read, write) = io::pipe()?;
    let (read, write) = (OwnedFd::from(read), OwnedFd::from(write));
    let flags = fcntl_getfl(&read)?;
    fcntl_setfl(&read, flags | OFlags::NONBLOCK)?;
    Ok((read, write))
}

/// Pipes stay as they are here.
pub(crate) fn widen(_pipe: impl AsFd) {}

/// Opens a directory, unless a link leads there.
pub(crate) fn open_directory(path: &Path) -> io::Result<OwnedFd> {
    if fs::canonicalize(path)? != path {
        return Err(io::Error::other("a link leads there"));
    }
    Ok(rustix::fs::open(
        path,
        OFlags::DIRECTORY | OFlags::CLOEXEC | OFlags::NOFOLLOW,
        Mode::empty(),
    )?)
}

/// A name for a directory that is held open, good for a program that is being started.
pub(crate) fn holder(_directory: &OwnedFd, path: &Path) -> PathBuf {
    path.to_owned()
}

/// Nothing is adopted here.
pub(crate) fn adopt_orphans() -> io::Result<()> {
    Ok(())
}

/// Limits mark nothing here.
pub(crate) fn limits_can_mark() -> bool {
    false
}

/// Nothing marks a process but its environment here.
pub(crate) fn mark_process(_process: Pid, _mark: Mark) -> io::Result<()> {
    Ok(())
}

/// The leader of the group, as long as somebody is in it.
pub(crate) fn members(_meant: Meant, group: Option<Pid>) -> Vec<Member> {
    group
        .filter(|group| test_kill_process_group(*group).is_ok())
        .map(|process| Member {
            process,
            ended: false,
            ours: false,
        })
        .into_iter()
        .collect()
}

/// Nothing is adopted here.
pub(crate) fn reap_ended(_started: &HashSet<Pid>) {}

/// No process can be told by its mark here.
pub(crate) fn marked() -> Vec<Pid> {
    Vec::new()
}
