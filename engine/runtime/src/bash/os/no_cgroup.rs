//! Systems without control groups.

use std::io;
use std::path::Path;

use rustix::process::Pid;

/// Never found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CgroupRoot;

impl CgroupRoot {
    /// There is none.
    pub(crate) fn find() -> Option<Self> {
        None
    }

    /// Never called, since there is no root.
    pub(crate) fn create(&self) -> io::Result<Cgroup> {
        Err(io::Error::from(io::ErrorKind::Unsupported))
    }
}

/// Never made.
#[derive(Debug)]
pub(crate) struct Cgroup;

impl Cgroup {
    /// Nowhere.
    pub(crate) fn path(&self) -> &Path {
        Path::new("")
    }

    /// Nothing.
    pub(crate) fn processes(&self) -> Vec<Pid> {
        Vec::new()
    }

    /// Never.
    pub(crate) fn is_populated(&self) -> bool {
        false
    }

    /// Nothing to end.
    pub(crate) fn kill(&self) {}
}
