//! Files with the times of their last change, and the choice of the newest without sorting all.
//!
//! Invariant: of two files that changed at the same time the one whose path sorts first is the newer one, so that an order is total
//! and the same on every run.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, statat};

/// A file below the root; the greater one is the newer one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Dated {
    seconds: i64,
    nanoseconds: i64,
    pub(super) below: PathBuf,
}

impl Dated {
    /// Asks when `name` in an open folder was last changed; none when it is gone.
    pub(super) fn look(
        folder: &OwnedFd,
        name: &Path,
        below: impl FnOnce() -> PathBuf,
        least: Option<(i64, i64)>,
    ) -> Option<Self> {
        let stat = statat(folder, name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
        // The type of the nanoseconds differs between systems.
        let (seconds, nanoseconds) = (stat.st_mtime, i64::try_from(stat.st_mtime_nsec).unwrap_or(0));
        // What is older than all that are kept needs no path.
        if least.is_some_and(|least| (seconds, nanoseconds) < least) {
            return None;
        }
        Some(Self {
            seconds,
            nanoseconds,
            below: below(),
        })
    }
}

impl Ord for Dated {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.seconds, self.nanoseconds)
            .cmp(&(other.seconds, other.nanoseconds))
            .then_with(|| other.below.as_os_str().cmp(self.below.as_os_str()))
    }
}

impl PartialOrd for Dated {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The newest of all files that it is given, at most so many; all of them where there is no limit.
#[derive(Debug)]
pub(super) struct Newest {
    limit: Option<usize>,
    /// The oldest is on top, to be pushed out. Empty where there is no limit.
    kept: BinaryHeap<Reverse<Dated>>,
    /// Empty where there is a limit.
    all: Vec<Dated>,
    /// Files that were given, kept or not.
    pub(super) met: usize,
}

impl Newest {
    pub(super) fn new(limit: Option<usize>) -> Self {
        Self {
            limit,
            kept: BinaryHeap::new(),
            all: Vec::new(),
            met: 0,
        }
    }

    /// The time that a file must at least have to be kept, once there are enough.
    pub(super) fn least(&self) -> Option<(i64, i64)> {
        let Reverse(oldest) = self
            .kept
            .peek()
            .filter(|_| self.limit.is_some_and(|limit| self.kept.len() >= limit))?;
        Some((oldest.seconds, oldest.nanoseconds))
    }

    pub(super) fn add(&mut self, file: Dated) {
        match self.limit {
            None => self.all.push(file),
            Some(limit) if self.kept.len() < limit => self.kept.push(Reverse(file)),
            Some(_) => {
                if let Some(mut oldest) = self.kept.peek_mut()
                    && oldest.0 < file
                {
                    *oldest = Reverse(file);
                }
            }
        }
    }

    /// Takes over what another one kept.
    pub(super) fn merge(mut self, other: Self) -> Self {
        self.met += other.met;
        for Reverse(file) in other.kept {
            self.add(file);
        }
        self.all.extend(other.all);
        self
    }

    /// Newest first.
    pub(super) fn into_sorted(mut self) -> Vec<Dated> {
        self.all.extend(self.kept.into_iter().map(|Reverse(file)| file));
        self.all.sort_unstable_by(|one, other| other.cmp(one));
        self.all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dated(seconds: i64, name: &str) -> Dated {
        Dated {
            seconds,
            nanoseconds: 0,
            below: PathBuf::from(name),
        }
    }

    #[test]
    fn the_newest_are_kept_newest_first() {
        let mut one = Newest::new(Some(3));
        let mut other = Newest::new(Some(3));
        for (seconds, name) in [(1, "e"), (5, "b"), (5, "a"), (2, "d")] {
            one.add(dated(seconds, name));
        }
        other.add(dated(3, "c"));
        let names: Vec<PathBuf> = one
            .merge(other)
            .into_sorted()
            .into_iter()
            .map(|file| file.below)
            .collect();
        assert_eq!(
            names,
            [PathBuf::from("a"), PathBuf::from("b"), PathBuf::from("c")]
        );
    }
}
