//! Every bound of a run, in one place.

use std::time::Duration;

/// Timeout of a command that names none.
pub const DEFAULT_TIMEOUT: Duration = Duration::from_mins(2);

/// Longest timeout that can be asked for.
pub const MOST_TIMEOUT: Duration = Duration::from_mins(10);

/// Time between SIGTERM and SIGKILL.
pub const GRACE: Duration = Duration::from_millis(500);

/// Bytes of output that are kept in memory: 30,000 characters of four bytes.
pub const DEFAULT_BUDGET_BYTES: usize = 120_000;

/// Bytes of output that are written to a file.
pub const DEFAULT_FILE_BYTES: u64 = 1 << 30;

/// Size of each of the two blocks that output is read into in turn; both fit into a second-level cache.
pub const BLOCK_BYTES: usize = 64 * 1024;

/// Size that is asked for the pipe.
pub(super) const PIPE_BYTES: usize = 1 << 20;

/// Without output for this long after the shell has ended, what still holds the pipe is not waited for.
pub(super) const QUIET: Duration = Duration::from_millis(50);

/// Longest wait for output after the shell has ended.
pub(super) const DRAIN: Duration = Duration::from_millis(500);

/// Longest time for ending what does not end.
pub(super) const ENDING: Duration = Duration::from_secs(10);

/// Most bytes of a report of the final directory.
pub(super) const REPORT_BYTES: usize = 64 * 1024;

/// Time between two events of progress.
pub const PROGRESS: Duration = Duration::from_millis(250);

/// Bytes of output at the end that an event of progress carries.
pub const PROGRESS_TAIL_BYTES: usize = 8 * 1024;

/// Longest argument that the system passes to a program, without the NUL behind it. Source: execve(2), `MAX_ARG_STRLEN`.
pub(super) const MOST_ARGUMENT_BYTES: usize = 128 * 1024 - 1;
