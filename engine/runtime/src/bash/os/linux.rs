//! Linux: pipes, signals, and the processes of a run as `/proc` shows them.
//!
//! Invariant (ours alone): a process is a member of a run only by its mark, by its group, or as the child of a member; and only processes
//! that bear a mark of this engine and were not started by it directly are waited for here.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::io;
use std::os::fd::{AsFd, AsRawFd as _, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, fcntl_setfl, openat2};
use rustix::io::Errno;
use rustix::pipe::{PipeFlags, fcntl_setpipe_size, pipe_with};
use rustix::process::{
    Pid, Resource, Rlimit, WaitId, WaitIdOptions, getpid, prlimit, set_child_subreaper, waitid,
};
use rustix::rand::{GetRandomFlags, getrandom};

use super::{Member, reap};
use crate::bash::environment::MARK;
use crate::bash::limits::PIPE_BYTES;
use crate::bash::mark::{Mark, Meant};

/// A number that nobody can guess.
pub(crate) fn random() -> u64 {
    let mut bytes = [0_u8; 8];
    // Fails on kernels before 3.17 alone; there the number of the process has to do.
    match getrandom(&mut bytes, GetRandomFlags::empty()) {
        Ok(_) => u64::from_ne_bytes(bytes),
        Err(_) => u64::from(getpid().as_raw_nonzero().get().unsigned_abs()).rotate_right(20),
    }
}

/// A pipe: the end that is read does not block, the other does, and no program inherits either by accident.
pub(crate) fn pipe() -> io::Result<(OwnedFd, OwnedFd)> {
    let (read, write) = pipe_with(PipeFlags::CLOEXEC)?;
    // A new pipe has no other flags.
    fcntl_setfl(&read, OFlags::NONBLOCK)?;
    Ok((read, write))
}

/// Makes a pipe larger. That only saves switches; where the system grants no more it stays as it is.
pub(crate) fn widen(pipe: impl AsFd) {
    let _smaller = fcntl_setpipe_size(pipe, PIPE_BYTES);
}

/// Opens a directory, unless a link leads there.
pub(crate) fn open_directory(path: &Path) -> io::Result<OwnedFd> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    match openat2(CWD, path, flags, Mode::empty(), ResolveFlags::NO_SYMLINKS) {
        Err(Errno::NOSYS | Errno::PERM) if fs::canonicalize(path)? == path => {
            Ok(rustix::fs::open(path, flags | OFlags::NOFOLLOW, Mode::empty())?)
        }
        Err(Errno::LOOP) => Err(io::Error::other("a link leads there")),
        other => Ok(other?),
    }
}

/// A name for a directory that is held open, good for a program that is being started.
pub(crate) fn holder(directory: &OwnedFd, _path: &Path) -> PathBuf {
    PathBuf::from(format!("/proc/self/fd/{}", directory.as_raw_fd()))
}

/// Makes orphans below this process its children, so that they can be found and waited for.
pub(crate) fn adopt_orphans() -> io::Result<()> {
    Ok(set_child_subreaper(Some(getpid()))?)
}

/// Whether the limit that marks processes can be set: nothing around this process lowered it.
pub(crate) fn limits_can_mark() -> bool {
    rustix::process::getrlimit(Resource::Locks).maximum.is_none()
}

/// Marks a process that was just started.
pub(crate) fn mark_process(process: Pid, mark: Mark) -> io::Result<()> {
    let before = rustix::process::getrlimit(Resource::Locks);
    let new = Rlimit {
        current: Some(mark.number()),
        maximum: before.maximum,
    };
    prlimit(Some(process), Resource::Locks, new)?;
    Ok(())
}

/// Every process of the runs that are meant. `group` is the process group of what was started, as long as that was not waited for.
pub(crate) fn members(meant: Meant, group: Option<Pid>) -> Vec<Member> {
    let all = processes();
    let own = getpid();
    let group = group.map(|group| group.as_raw_nonzero().get());
    let mut found: HashSet<i32> = all
        .iter()
        .filter(|process| Some(process.group) == group || bears(process.pid, |mark| meant.is(mark)))
        .map(|process| process.pid)
        .collect();
    // Children of members are members, to any depth.
    let mut children: HashMap<i32, Vec<i32>> = HashMap::new();
    for process in &all {
        children.entry(process.parent).or_default().push(process.pid);
    }
    let mut open: Vec<i32> = found.iter().copied().collect();
    while let Some(parent) = open.pop() {
        for child in children.get(&parent).into_iter().flatten() {
            if found.insert(*child) {
                open.push(*child);
            }
        }
    }
    all.iter()
        .filter(|process| found.contains(&process.pid))
        .filter_map(|process| {
            Some(Member {
                process: Pid::from_raw(process.pid).filter(|pid| *pid != own)?,
                ended: process.ended,
                ours: process.parent == own.as_raw_nonzero().get(),
            })
        })
        .collect()
}

/// Every process that bears a mark of this engine.
pub(crate) fn marked() -> Vec<Pid> {
    let own = getpid();
    let pids = processes().into_iter().map(|process| process.pid);
    pids.filter(|pid| bears(*pid, Mark::is_ours))
        .filter_map(Pid::from_raw)
        .filter(|pid| *pid != own)
        .collect()
}

/// Waits for adopted processes that have ended: those that bear a mark of this engine and are not among the ones that it started.
pub(crate) fn reap_ended(started: &HashSet<Pid>) {
    let any = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    if !matches!(waitid(WaitId::All, any), Ok(Some(_))) {
        return;
    }
    let own = getpid();
    let Ok(threads) = fs::read_dir("/proc/self/task") else {
        return;
    };
    let mut children: Vec<i32> = Vec::new();
    for thread in threads.flatten() {
        let listed = fs::read_to_string(thread.path().join("children")).unwrap_or_default();
        children.extend(
            listed
                .split_ascii_whitespace()
                .filter_map(|pid| pid.parse::<i32>().ok()),
        );
    }
    for child in children {
        let Some(pid) = Pid::from_raw(child).filter(|pid| !started.contains(pid)) else {
            continue;
        };
        let ended = process(child)
            .is_some_and(|process| process.ended && process.parent == own.as_raw_nonzero().get());
        if ended && bears(child, Mark::is_ours) {
            reap(pid);
        }
    }
}

/// What `/proc/PID/stat` says of a process.
struct Process {
    pid: i32,
    parent: i32,
    group: i32,
    ended: bool,
}

fn processes() -> Vec<Process> {
    let Ok(entries) = fs::read_dir("/proc") else {
        return Vec::new();
    };
    entries
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter_map(process)
        .collect()
}

fn process(pid: i32) -> Option<Process> {
    let stat = fs::read(format!("/proc/{pid}/stat")).ok()?;
    let mut process = parse_stat(&stat)?;
    process.pid = pid;
    Some(process)
}

/// The name of a program may hold anything, blanks and parentheses too; the last parenthesis ends it.
fn parse_stat(stat: &[u8]) -> Option<Process> {
    let end = stat.iter().rposition(|byte| *byte == b')')?;
    let rest = std::str::from_utf8(stat.get(end + 1..)?).ok()?;
    let mut fields = rest.split_ascii_whitespace();
    Some(Process {
        pid: 0,
        ended: matches!(fields.next()?, "Z" | "X"),
        parent: fields.next()?.parse().ok()?,
        group: fields.next()?.parse().ok()?,
    })
}

/// Whether a process bears a mark like this.
fn bears(pid: i32, like: impl Fn(Mark) -> bool) -> bool {
    let limits = fs::read_to_string(format!("/proc/{pid}/limits")).unwrap_or_default();
    if locks(&limits).is_some_and(|number| like(Mark::of(number))) {
        return true;
    }
    let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
    marks(&environment).any(|number| like(Mark::of(number)))
}

/// The soft limit of file locks.
fn locks(limits: &str) -> Option<u64> {
    let line = limits
        .lines()
        .find_map(|line| line.strip_prefix("Max file locks"))?;
    line.split_ascii_whitespace().next()?.parse().ok()
}

/// The marks in an environment, outermost first.
fn marks(environment: &[u8]) -> impl Iterator<Item = u64> {
    environment
        .split(|byte| *byte == 0)
        .filter_map(|variable| variable.strip_prefix(MARK.as_bytes())?.strip_prefix(b"="))
        .filter_map(|value| std::str::from_utf8(value).ok())
        .flat_map(|value| value.split(':'))
        .filter_map(|number| number.parse().ok())
}

#[cfg(test)]
mod tests {
    use super::{locks, marks, parse_stat};

    #[test]
    fn a_name_with_parentheses_hides_nothing() {
        let process = parse_stat(b"17 (a) R 1 2 3) Z 5 6 7 0").expect("a process");
        assert_eq!((process.ended, process.parent, process.group), (true, 5, 6));
    }

    #[test]
    fn marks_are_read_from_limits_and_environments() {
        let limits = "Limit Soft Hard Units\nMax file locks            42  unlimited  locks     \n";
        assert_eq!(locks(limits), Some(42));
        assert_eq!(locks("Max file locks   unlimited  unlimited  locks"), None);
        let environment = b"A=1\0ENGINE_RUN=5:42\0ENGINE_RUNNER=9\0";
        assert_eq!(marks(environment).collect::<Vec<_>>(), [5, 42]);
    }
}
