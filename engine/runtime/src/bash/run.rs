//! One run from its start to its end.
//!
//! Invariant (always an end): a run ends by itself, at its timeout, when it is cancelled, or when its last owner is dropped; after
//! anything but the first nothing of it is alive.

use std::ffi::OsStr;
use std::fs::File;
use std::io::Read as _;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::process::ExitStatusExt as _;
use std::path::PathBuf;
use std::process::ExitStatus;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{oneshot, watch};
use tokio::time::{Instant, MissedTickBehavior, interval, sleep_until};

use super::Inner;
use super::cancel::Cancel;
use super::capture::{Capture, Captured};
use super::contain::Guard;
use super::limits::{PROGRESS, PROGRESS_TAIL_BYTES, REPORT_BYTES};
use super::pump::{Orders, Shared, lock, pump};
use super::request::Request;
use super::spawn::{Spawned, StartError, spawn};

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// By itself, with this exit code.
    Exited(i32),
    /// By a signal that did not come from here.
    Signalled(i32),
    /// By its timeout.
    TimedOut(Duration),
    /// It was cancelled.
    Cancelled,
    /// The engine went down.
    Lost,
}

/// A run that has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finished {
    /// How.
    pub end: End,
    /// Standard output, with standard error in it unless that is kept apart.
    pub output: Captured,
    /// Standard error, where it is kept apart.
    pub errors: Option<Captured>,
    /// The directory that the shell says it ended in; not checked.
    pub reported: Option<PathBuf>,
    /// How long it took.
    pub elapsed: Duration,
    /// Processes that could not be ended.
    pub survivors: usize,
}

/// How far a run has come.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// The last bytes of its output, at most [`PROGRESS_TAIL_BYTES`].
    pub tail: Vec<u8>,
    /// Lines so far.
    pub total_lines: u64,
    /// Bytes so far.
    pub total_bytes: u64,
    /// Time so far.
    pub elapsed: Duration,
}

/// A run that was started. It is cancelled when the value is dropped.
#[derive(Debug)]
pub struct Running {
    output: Shared,
    cancel: Cancel,
    orders: Arc<watch::Sender<Orders>>,
    deadline: watch::Sender<Option<Instant>>,
    finished: watch::Receiver<Option<Arc<Finished>>>,
    started: Instant,
    file: Option<PathBuf>,
}

impl Running {
    /// Starts a run.
    pub(super) fn start(inner: Arc<Inner>, mut request: Request) -> Result<Self, StartError> {
        let started = Instant::now();
        let spawned = spawn(&inner, &mut request)?;
        let file = request.file.clone();
        let capture = |file| {
            let capture = Capture::new(request.budget_bytes, file, request.file_bytes);
            Arc::new(std::sync::Mutex::new(capture))
        };
        let (output, errors) = (capture(request.file.take()), capture(None));
        let orders = Arc::new(watch::Sender::new(Orders::default()));
        let deadline = request.timeout.map(|timeout| started + timeout.duration());
        let (deadline, deadlines) = watch::channel(deadline);
        let (sender, finished) = watch::channel(None);
        let running = Self {
            output: Arc::clone(&output),
            cancel: Cancel::new(),
            orders: Arc::clone(&orders),
            deadline,
            finished,
            started,
            file,
        };
        let driver = Driver {
            guard: Guard::new(&spawned.container),
            inner,
            spawned,
            output,
            errors,
            orders,
            deadline: deadlines,
            cancel: running.cancel.clone(),
            started,
            timeout: request
                .timeout
                .map(super::request::Timeout::duration)
                .unwrap_or_default(),
            grace: request.grace,
        };
        tokio::spawn(async move {
            let finished = driver.drive().await;
            sender.send_replace(Some(Arc::new(finished)));
        });
        Ok(running)
    }

    /// Something to cancel it with.
    #[must_use]
    pub fn cancel(&self) -> Cancel {
        self.cancel.clone()
    }

    /// How far it has come.
    #[must_use]
    pub fn progress(&self) -> Progress {
        progress(&self.output, self.started)
    }

    /// Events of progress while it runs; the channel closes when it has ended.
    #[must_use]
    pub fn watch(&self) -> watch::Receiver<Progress> {
        let (sender, receiver) = watch::channel(self.progress());
        let (output, started, mut finished) = (Arc::clone(&self.output), self.started, self.finished.clone());
        tokio::spawn(async move {
            let mut ticks = interval(PROGRESS);
            ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
            loop {
                tokio::select! {
                    _ = finished.wait_for(Option::is_some) => return,
                    () = sender.closed() => return,
                    _ = ticks.tick() => {
                        sender.send_replace(progress(&output, started));
                    }
                }
            }
        });
        receiver
    }

    /// Waits for its end. May be asked again.
    pub async fn finished(&mut self) -> Arc<Finished> {
        let ended = match self.finished.wait_for(Option::is_some).await {
            Ok(finished) => finished.clone(),
            Err(_) => None,
        };
        ended.unwrap_or_else(|| {
            Arc::new(Finished {
                end: End::Lost,
                output: lock(&self.output).captured(),
                errors: None,
                reported: None,
                elapsed: self.started.elapsed(),
                survivors: 0,
            })
        })
    }

    /// Waits for its end, but no longer than this.
    pub async fn finished_within(&mut self, time: Duration) -> Option<Arc<Finished>> {
        tokio::time::timeout(time, self.finished()).await.ok()
    }

    /// Its end, if it has come.
    #[must_use]
    pub fn end(&self) -> Option<Arc<Finished>> {
        self.finished.borrow().clone()
    }

    /// What it has written so far.
    #[must_use]
    pub fn output(&self) -> Captured {
        lock(&self.output).captured()
    }

    /// The file of its request.
    pub(super) fn file(&self) -> Option<&PathBuf> {
        self.file.as_ref()
    }

    /// What others need to look at it while somebody owns it.
    pub(super) fn parts(&self) -> (Shared, watch::Receiver<Option<Arc<Finished>>>, Cancel) {
        (
            Arc::clone(&self.output),
            self.finished.clone(),
            self.cancel.clone(),
        )
    }

    /// From now on the whole output goes to the file and no timeout ends it.
    pub(super) fn to_background(&self) {
        self.deadline.send_replace(None);
        self.orders.send_modify(|orders| orders.to_file = true);
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.cancel.cancel();
    }
}

fn progress(output: &Shared, started: Instant) -> Progress {
    let output = lock(output);
    let (total_bytes, total_lines) = output.totals();
    Progress {
        tail: output.tail(PROGRESS_TAIL_BYTES),
        total_lines,
        total_bytes,
        elapsed: started.elapsed(),
    }
}

/// What brings a run to its end.
struct Driver {
    inner: Arc<Inner>,
    spawned: Spawned,
    output: Shared,
    errors: Shared,
    orders: Arc<watch::Sender<Orders>>,
    deadline: watch::Receiver<Option<Instant>>,
    cancel: Cancel,
    started: Instant,
    timeout: Duration,
    grace: Duration,
    guard: Guard,
}

impl Driver {
    async fn drive(mut self) -> Finished {
        let Spawned {
            mut child,
            container,
            output,
            errors,
            report,
        } = self.spawned;
        let apart = errors.is_some();
        let reading: Vec<oneshot::Receiver<()>> = [(Some(output), &self.output), (errors, &self.errors)]
            .into_iter()
            .filter_map(|(pipe, capture)| {
                let (sender, receiver) = oneshot::channel();
                tokio::spawn(pump(pipe?, Arc::clone(capture), self.orders.subscribe(), sender));
                Some(receiver)
            })
            .collect();

        let early = tokio::select! {
            status = child.wait() => Err(status.ok()),
            () = self.cancel.cancelled() => Ok(End::Cancelled),
            () = passed(&mut self.deadline) => Ok(End::TimedOut(self.timeout)),
        };
        let (end, survivors) = match early {
            Err(status) => {
                container.waited();
                (status.map_or(End::Lost, end_of), 0)
            }
            Ok(end) => {
                let (_, survivors) = container.end(&mut child, self.grace).await;
                (end, survivors)
            }
        };
        self.guard.release();
        self.orders.send_modify(|orders| orders.ended = true);
        for read in reading {
            // A pump that fell over has read what it could.
            let _fell = read.await;
        }
        let reported = report.and_then(final_directory);
        self.inner.leave(container);
        let captured = |shared: &Shared| lock(shared).captured();
        Finished {
            end,
            output: captured(&self.output),
            errors: apart.then(|| captured(&self.errors)),
            reported,
            elapsed: self.started.elapsed(),
            survivors,
        }
    }
}

/// Ends when the deadline, which may be moved, has passed.
async fn passed(deadline: &mut watch::Receiver<Option<Instant>>) {
    loop {
        let at = *deadline.borrow_and_update();
        let late = async {
            match at {
                Some(at) => sleep_until(at).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            () = late => return,
            changed = deadline.changed() => {
                if changed.is_err() {
                    // Nobody is left who could move it; whoever was is about to cancel.
                    std::future::pending::<()>().await;
                }
            }
        }
    }
}

pub(super) fn end_of(status: ExitStatus) -> End {
    match (status.code(), status.signal()) {
        (Some(code), _) => End::Exited(code),
        (None, Some(signal)) => End::Signalled(signal),
        (None, None) => End::Lost,
    }
}

/// The last directory that was reported. Nothing in it is believed before it was checked.
fn final_directory(report: OwnedFd) -> Option<PathBuf> {
    let mut bytes = Vec::new();
    // The pipe does not block: what is there is read, also where somebody still holds the other end.
    let _would_block = File::from(report)
        .take(REPORT_BYTES as u64)
        .read_to_end(&mut bytes);
    let start = bytes.iter().rposition(|byte| *byte == 0)? + 1;
    let path = bytes.get(start..)?.strip_suffix(b"\n")?;
    path.starts_with(b"/")
        .then(|| PathBuf::from(OsStr::from_bytes(path)))
}
