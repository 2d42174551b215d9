//! Control groups of version 2: one for each run, which everything that the run starts is in, whatever it does.
//! Source: the kernel's `Documentation/admin-guide/cgroup-v2.rst`.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::process::Pid;

/// The group of the engine itself, below which it may make others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CgroupRoot {
    path: PathBuf,
}

impl CgroupRoot {
    /// The engine's own group, if groups can be made, entered and ended there.
    pub(crate) fn find() -> Option<Self> {
        let mounts = fs::read_to_string("/proc/self/mountinfo").ok()?;
        let own = fs::read_to_string("/proc/self/cgroup").ok()?;
        let root = Self {
            path: own_group(&mounts, &own)?,
        };
        let probe = root.create().ok()?;
        let ends = probe.path.join("cgroup.kill").exists();
        // Moving a process needs the right to write to the group that it comes from, too.
        let moves = rustix::fs::access(root.path.join("cgroup.procs"), rustix::fs::Access::WRITE_OK).is_ok();
        (ends && moves).then_some(root)
    }

    /// Makes a group.
    pub(crate) fn create(&self) -> io::Result<Cgroup> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = self.path.join(format!("engine-{}-{number}", std::process::id()));
        fs::create_dir(&path)?;
        Ok(Cgroup { path })
    }
}

/// The group of one run. It is removed with the value, if nothing is left in it.
#[derive(Debug)]
pub(crate) struct Cgroup {
    path: PathBuf,
}

impl Cgroup {
    /// Its directory.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// What is in it and has not ended.
    pub(crate) fn processes(&self) -> Vec<Pid> {
        let listed = fs::read_to_string(self.path.join("cgroup.procs")).unwrap_or_default();
        listed
            .lines()
            .filter_map(|line| Pid::from_raw(line.parse().ok()?))
            .collect()
    }

    /// Whether something is in it or below.
    pub(crate) fn is_populated(&self) -> bool {
        fs::read_to_string(self.path.join("cgroup.events"))
            .is_ok_and(|events| events.lines().any(|line| line == "populated 1"))
    }

    /// Ends everything in it at once.
    pub(crate) fn kill(&self) {
        // Only a group that is gone cannot be written to.
        let _gone = fs::write(self.path.join("cgroup.kill"), "1");
    }
}

impl Drop for Cgroup {
    fn drop(&mut self) {
        let _populated = fs::remove_dir(&self.path);
    }
}

/// The directory of the group that a process is in.
fn own_group(mounts: &str, own: &str) -> Option<PathBuf> {
    let inside = own.lines().find_map(|line| line.strip_prefix("0::"))?;
    mounts.lines().find_map(|line| {
        let (before, after) = line.split_once(" - ")?;
        if after.split(' ').next() != Some("cgroup2") {
            return None;
        }
        let mut fields = before.split(' ').skip(3);
        let (root, point) = (fields.next()?, fields.next()?);
        let below = Path::new(inside).strip_prefix(root).ok()?;
        Some(Path::new(point).join(below))
    })
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::own_group;

    #[test]
    fn the_own_group_is_found_below_its_mount() {
        let mounts = "25 1 0:22 / /proc rw - proc proc rw\n\
                      30 1 0:26 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw";
        assert_eq!(
            own_group(mounts, "1:name=systemd:/x\n0::/user.slice/a\n"),
            Some(PathBuf::from("/sys/fs/cgroup/user.slice/a"))
        );
        assert_eq!(own_group(mounts, "1:name=systemd:/x\n"), None);
        let bound = "30 1 0:26 /user.slice /groups rw - cgroup2 cgroup2 rw";
        assert_eq!(
            own_group(bound, "0::/user.slice/a\n"),
            Some(PathBuf::from("/groups/a"))
        );
        assert_eq!(own_group(bound, "0::/other\n"), None);
    }
}
