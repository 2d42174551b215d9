//! One shell that stays between calls, for those who want variables and functions to last.
//!
//! Invariant (framed): an answer ends with the word of its own call, which is random, so that no output can be taken for it.
//! Invariant (never wedged): a shell that does not answer in time is ended with everything it started, and the next call gets a fresh one.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::io::AsyncWriteExt as _;
use tokio::net::UnixStream;
use tokio::net::unix::pipe::Receiver;
use tokio::process::Child;
use tokio::time::{Instant, sleep_until};

use super::Bash;
use super::cancel::Cancel;
use super::capture::{Capture, Captured, Due};
use super::contain::{Container, Guard};
use super::limits::{DRAIN, REPORT_BYTES};
use super::os;
use super::prologue::session_line;
use super::pump::{Shared, lock, write};
use super::request::Timeout;
use super::run::{End, end_of};
use super::spawn::{StartError, spawn_session};

/// A shell that stays.
#[derive(Debug)]
pub struct Session {
    bash: Bash,
    directory: PathBuf,
    environment: Vec<(OsString, OsString)>,
    alive: Option<Alive>,
}

/// How a call to a shell that stays ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionEnd {
    /// With this status; the shell waits for the next call.
    Status(i32),
    /// The shell itself ended (`exit`, `set -e`, a signal). The next call gets a fresh one.
    Closed(End),
    /// It did not answer in time and was ended. The next call gets a fresh one.
    Wedged(Duration),
    /// It was cancelled and was ended. The next call gets a fresh one.
    Cancelled,
}

impl SessionEnd {
    /// What a model has to know of it, if anything.
    #[must_use]
    pub fn note(self) -> Option<String> {
        let lost =
            "variables, functions and background jobs of it are gone, the next command starts in a new shell";
        match self {
            Self::Status(_) => None,
            Self::Closed(_) => Some(format!("The shell of this session has ended: {lost}.")),
            Self::Wedged(time) => Some(format!(
                "The shell of this session did not answer within {} s and was ended: {lost}.",
                time.as_secs_f64()
            )),
            Self::Cancelled => Some(format!(
                "The command was cancelled and the shell of this session ended: {lost}."
            )),
        }
    }
}

/// What a call to a shell that stays gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionAnswer {
    /// How it ended.
    pub end: SessionEnd,
    /// Standard output and standard error.
    pub output: Captured,
    /// Where the shell is now; not checked.
    pub reported: Option<PathBuf>,
}

/// Bounds of one call to a shell that stays.
#[derive(Clone, Debug)]
pub struct SessionBounds {
    /// When the shell is taken for wedged.
    pub timeout: Timeout,
    /// Time between asking it to end and ending it.
    pub grace: Duration,
    /// Most bytes of output in memory.
    pub budget_bytes: usize,
    /// File for output over the budget.
    pub file: Option<PathBuf>,
    /// Most bytes of that file.
    pub file_bytes: u64,
}

#[derive(Debug)]
struct Alive {
    child: Child,
    container: Arc<Container>,
    guard: Guard,
    output: Receiver,
    control: UnixStream,
}

impl Session {
    /// A session whose shells start in this directory with this environment. No shell is started yet.
    #[must_use]
    pub fn new(bash: Bash, directory: PathBuf, environment: Vec<(OsString, OsString)>) -> Self {
        Self {
            bash,
            directory,
            environment,
            alive: None,
        }
    }

    /// Evaluates a text in the shell, which is started if there is none.
    ///
    /// # Errors
    ///
    /// Fails if no shell could be started.
    pub async fn run(
        &mut self,
        text: &str,
        bounds: SessionBounds,
        cancel: &Cancel,
    ) -> Result<SessionAnswer, StartError> {
        if text.contains('\0') {
            return Err(StartError::Nul);
        }
        let mut alive = match self.alive.take() {
            Some(alive) => alive,
            None => self.begin().await?,
        };
        let capture = Capture::new(bounds.budget_bytes, bounds.file, bounds.file_bytes);
        let capture: Shared = Arc::new(Mutex::new(capture));
        let nonce = format!("{:016x}{:016x}", os::random(), os::random());
        let deadline = Instant::now() + bounds.timeout.duration();
        let line = session_line(text, &nonce);
        let frame = tokio::select! {
            frame = alive.converse(&line, &nonce, &capture) => Ok(frame),
            () = cancel.cancelled() => Err(SessionEnd::Cancelled),
            () = sleep_until(deadline) => Err(SessionEnd::Wedged(bounds.timeout.duration())),
        };
        let (end, reported) = match frame {
            Ok(Some(frame)) => {
                self.alive = Some(alive);
                (SessionEnd::Status(frame.status), Some(frame.directory))
            }
            Ok(None) => (
                SessionEnd::Closed(alive.end(&capture, bounds.grace, End::Lost).await),
                None,
            ),
            Err(end) => {
                alive.end(&capture, bounds.grace, End::Cancelled).await;
                (end, None)
            }
        };
        let output = lock(&capture).captured();
        Ok(SessionAnswer {
            end,
            output,
            reported,
        })
    }

    /// Where the next shell starts, if a new one has to be started.
    pub fn set_directory(&mut self, directory: &Path) {
        directory.clone_into(&mut self.directory);
    }

    /// Ends the shell and everything it started.
    pub async fn close(&mut self, grace: Duration) {
        if let Some(alive) = self.alive.take() {
            let nowhere: Shared = Arc::new(Mutex::new(Capture::new(0, None, 0)));
            alive.end(&nowhere, grace, End::Cancelled).await;
        }
    }

    async fn begin(&self) -> Result<Alive, StartError> {
        let spawned = spawn_session(&self.bash.inner, &self.directory, self.environment.clone())?;
        let control = UnixStream::from_std(spawned.control).map_err(StartError::Pipe)?;
        let mut alive = Alive {
            guard: Guard::new(&spawned.container),
            child: spawned.child,
            container: spawned.container,
            output: Receiver::from_owned_fd(spawned.output).map_err(StartError::Pipe)?,
            control,
        };
        // A shell that is gone already shows when the first text is sent.
        let _gone = alive.control.write_all(spawned.first.as_bytes()).await;
        Ok(alive)
    }
}

/// The end of an answer.
struct Frame {
    status: i32,
    directory: PathBuf,
}

impl Alive {
    /// Sends a line and reads until its answer has ended; `None` if the shell is gone.
    async fn converse(&mut self, line: &str, nonce: &str, capture: &Shared) -> Option<Frame> {
        let (from, mut to) = self.control.split();
        let output = &self.output;
        let sending = async {
            // A shell that ends in the middle of a line is seen by the reading side.
            let _gone = to.write_all(line.as_bytes()).await;
            std::future::pending::<()>().await;
        };
        let reading = async {
            let mut answer = Vec::new();
            let mut open = true;
            loop {
                tokio::select! {
                    biased;
                    ready = output.readable(), if open => {
                        open = ready.is_ok() && take(output, capture).await != Taken::End;
                    }
                    ready = from.readable() => {
                        ready.ok()?;
                        let mut block = [0_u8; 4096];
                        match from.try_read(&mut block) {
                            Ok(0) => return None,
                            Ok(count) => answer.extend(block.get(..count)?),
                            Err(error) if error.kind() == io::ErrorKind::WouldBlock => continue,
                            Err(_) => return None,
                        }
                        if let Some(frame) = frame(&answer, nonce) {
                            // What was written before the answer is in the pipe by now.
                            while open && take_at_once(output, capture).await == Taken::Some {}
                            return Some(frame);
                        }
                        if answer.len() > REPORT_BYTES {
                            answer.drain(..answer.len() - REPORT_BYTES / 2);
                        }
                    }
                }
            }
        };
        tokio::select! {
            frame = reading => frame,
            () = sending => None,
        }
    }

    /// Ends the shell, unless it has ended, and everything it started.
    async fn end(mut self, capture: &Shared, grace: Duration, unless: End) -> End {
        drop(self.control);
        let mut by_itself = None;
        if unless == End::Lost
            && let Ok(Ok(status)) = tokio::time::timeout(grace, self.child.wait()).await
        {
            self.container.waited();
            by_itself = Some(end_of(status));
        }
        if by_itself.is_none() {
            self.container.end(&mut self.child, grace).await;
        }
        self.container.end_rest().await;
        self.guard.release();
        let drained = async { while take_at_once(&self.output, capture).await == Taken::Some {} };
        let _in_time = tokio::time::timeout(DRAIN, drained).await;
        by_itself.unwrap_or(unless)
    }
}

/// What reading once gave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Taken {
    Some,
    NothingYet,
    End,
}

/// Reads once, where the runtime knows of something to read.
async fn take(output: &Receiver, capture: &Shared) -> Taken {
    let read = lock(capture).read(|space| output.try_read(space));
    taken(read, capture).await
}

/// Reads once what is in the pipe at this moment. The runtime may not have heard of it yet, so that it is not asked.
async fn take_at_once(output: &Receiver, capture: &Shared) -> Taken {
    let read = lock(capture).read(|space| Ok(rustix::io::read(output, space)?));
    taken(read, capture).await
}

async fn taken(read: io::Result<(usize, Option<Due>)>, capture: &Shared) -> Taken {
    match read {
        Ok((0, _)) => Taken::End,
        Ok((_, due)) => {
            write(due, capture).await;
            Taken::Some
        }
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted
            ) =>
        {
            Taken::NothingYet
        }
        Err(_) => Taken::End,
    }
}

/// The answer that bears the word of this call.
fn frame(answer: &[u8], nonce: &str) -> Option<Frame> {
    answer.split(|byte| *byte == 0).find_map(|record| {
        let rest = record.strip_prefix(nonce.as_bytes())?.strip_prefix(b" ")?;
        let space = rest.iter().position(|byte| *byte == b' ')?;
        let status = std::str::from_utf8(rest.get(..space)?).ok()?.parse().ok()?;
        let directory = rest.get(space + 1..)?.strip_suffix(b"\n")?;
        Some(Frame {
            status,
            directory: OsStr::from_bytes(directory).into(),
        })
    })
}

#[cfg(test)]
mod tests {
    use super::frame;

    #[test]
    fn only_the_word_of_the_call_ends_an_answer() {
        let answer = b"\0wrong 0 /etc\n\0\0right 3 /usr/a b\n\0";
        let found = frame(answer, "right").expect("a frame");
        assert_eq!((found.status, found.directory.to_str()), (3, Some("/usr/a b")));
        assert!(frame(b"\0right 3 /us", "right").is_none());
    }
}
