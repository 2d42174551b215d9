//! System calls of the Bash handler. Callers hold no `cfg`.

#[cfg(target_os = "linux")]
#[path = "os/linux.rs"]
mod platform;
#[cfg(not(target_os = "linux"))]
#[path = "os/other.rs"]
mod platform;

#[cfg(target_os = "linux")]
#[path = "os/cgroup.rs"]
mod cgroup;
#[cfg(not(target_os = "linux"))]
#[path = "os/no_cgroup.rs"]
mod cgroup;

pub(super) use cgroup::{Cgroup, CgroupRoot};
pub(super) use platform::{
    adopt_orphans, holder, limits_can_mark, mark_process, marked, members, open_directory, pipe, random,
    reap_ended, widen,
};

use std::path::Path;

use rustix::process::{Pid, Signal, WaitOptions, kill_process, kill_process_group, waitpid};

/// Whether a file can be run.
pub(super) fn is_program(file: &Path) -> bool {
    file.is_file() && rustix::fs::access(file, rustix::fs::Access::EXEC_OK).is_ok()
}

/// Sends a signal to a process that may be gone already.
pub(super) fn signal(process: Pid, signal: Signal) {
    let _gone = kill_process(process, signal);
}

/// Sends a signal to a group that may be gone already.
pub(super) fn signal_group(group: Pid, signal: Signal) {
    let _gone = kill_process_group(group, signal);
}

/// Waits for a process that has ended.
pub(super) fn reap(process: Pid) {
    let _not_ours = waitpid(Some(process), WaitOptions::NOHANG);
}

/// A process of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Member {
    /// Its number.
    pub(super) process: Pid,
    /// It has ended and waits for its parent.
    pub(super) ended: bool,
    /// It is a child of this process.
    pub(super) ours: bool,
}
