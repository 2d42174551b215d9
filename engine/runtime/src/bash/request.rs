//! What is to be run, and within which bounds.
//!
//! Invariant (as decided): a text or an argv is passed on byte for byte as it was decided; nothing here joins words to a text.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use super::limits::{DEFAULT_BUDGET_BYTES, DEFAULT_FILE_BYTES, DEFAULT_TIMEOUT, GRACE, MOST_TIMEOUT};

/// What is run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Work {
    /// A text for the configured shell. Its standard input is `/dev/null`.
    Text(String),
    /// A program and its words, without a shell in between that could read them.
    Words {
        /// The program: a path, or a name that is looked for in the `PATH` of the environment.
        program: OsString,
        /// Its arguments.
        arguments: Vec<OsString>,
        /// What it reads as its standard input; nothing at all is `/dev/null`.
        input: Vec<u8>,
    },
}

/// Where standard error goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Streams {
    /// Into the same pipe as standard output, so that both stand in the order in which they were written.
    #[default]
    Together,
    /// Into a pipe of its own.
    Apart,
}

/// What the shell of a text says when it ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reports {
    /// The directory that it ended in.
    #[default]
    Directory,
    /// Nothing: the directory is known, or nobody asks. Such a shell does less.
    Nothing,
}

/// The time after which a command is ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Timeout(Duration);

/// A timeout that is not between 1 ms and [`MOST_TIMEOUT`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the timeout has to be between 1 and 600000 milliseconds, not {0}")]
pub struct TimeoutError(u64);

impl Timeout {
    /// A timeout in milliseconds; 120,000 where none is given.
    ///
    /// # Errors
    ///
    /// Fails on 0 and on more than 600,000.
    pub fn from_ms(milliseconds: Option<u64>) -> Result<Self, TimeoutError> {
        let Some(milliseconds) = milliseconds else {
            return Ok(Self::default());
        };
        let duration = Duration::from_millis(milliseconds);
        if duration.is_zero() || duration > MOST_TIMEOUT {
            return Err(TimeoutError(milliseconds));
        }
        Ok(Self(duration))
    }

    /// As a duration.
    #[must_use]
    pub fn duration(self) -> Duration {
        self.0
    }
}

impl Default for Timeout {
    fn default() -> Self {
        Self(DEFAULT_TIMEOUT)
    }
}

/// One run.
#[derive(Clone, Debug)]
pub struct Request {
    /// What is run.
    pub work: Work,
    /// The directory it starts in: absolute, without links.
    pub directory: PathBuf,
    /// The whole environment; see [`environment`](super::environment).
    pub environment: Vec<(OsString, OsString)>,
    /// Where standard error goes.
    pub streams: Streams,
    /// What a shell says when it ends.
    pub reports: Reports,
    /// When it is ended; never, where there is none.
    pub timeout: Option<Timeout>,
    /// Time between asking it to end and ending it.
    pub grace: Duration,
    /// Most bytes of output that are kept in memory.
    pub budget_bytes: usize,
    /// File that takes the whole output once it is over the budget, or once the run goes to the background. It must not exist yet.
    pub file: Option<PathBuf>,
    /// Most bytes that are written to the file.
    pub file_bytes: u64,
}

impl Request {
    /// A run with the default bounds.
    #[must_use]
    pub fn new(work: Work, directory: PathBuf, environment: Vec<(OsString, OsString)>) -> Self {
        Self {
            work,
            directory,
            environment,
            streams: Streams::Together,
            reports: Reports::Directory,
            timeout: Some(Timeout::default()),
            grace: GRACE,
            budget_bytes: DEFAULT_BUDGET_BYTES,
            file: None,
            file_bytes: DEFAULT_FILE_BYTES,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Timeout;
    use std::time::Duration;

    #[test]
    fn timeouts_are_two_minutes_unless_said_and_ten_at_most() {
        let of = |ms| Timeout::from_ms(ms).map(Timeout::duration).ok();
        assert_eq!(of(None), Some(Duration::from_mins(2)));
        assert_eq!(of(Some(600_000)), Some(Duration::from_mins(10)));
        assert_eq!(of(Some(600_001)), None);
        assert_eq!(of(Some(0)), None);
    }
}
