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
    adopt_orphans, holder, limits_can_mark, mark_process, members, open_directory, pipe, random, reap,
    reap_ended, signal, signal_group,
};

use std::path::Path;

/// Whether a file can be run.
pub(super) fn is_program(file: &Path) -> bool {
    file.is_file() && rustix::fs::access(file, rustix::fs::Access::EXEC_OK).is_ok()
}
