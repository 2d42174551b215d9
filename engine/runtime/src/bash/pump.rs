//! Reads a pipe into a [`Capture`] for as long as anything comes.
//!
//! Invariant (no hang): once the shell has ended, whoever still holds the pipe is waited for only for as long as output keeps coming, and
//! never longer than [`DRAIN`]. While output floods, it is read on a thread that may block: waking a task for each few kilobytes costs more
//! than reading them. Invariant (no harm): the pipe is then read on and what comes is dropped, so that a server that was
//! left running does not die of writing to it.

use std::io;
use std::os::fd::OwnedFd;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::net::unix::pipe::Receiver;
use tokio::sync::{oneshot, watch};
use tokio::time::{Instant, sleep_until};

use super::capture::{Capture, Due};
use super::limits::{BLOCK_BYTES, DRAIN, QUIET};
use super::os;

/// Reads without giving others a turn.
const IN_A_ROW: usize = 32;

/// After this much a pipe is made larger; most commands write less.
const WIDE_BYTES: usize = 32 << 10;

/// This much within [`FLOOD_TIME`] is a flood.
const FLOOD_BYTES: usize = 256 << 10;

/// See [`FLOOD_BYTES`].
const FLOOD_TIME: Duration = Duration::from_millis(20);

/// While nothing is there, a flood is given this time to fill the pipe: waking for each few kilobytes would cost more than reading them.
const FLOOD_NAP: Duration = Duration::from_micros(200);

/// After this many in a row whoever writes does not get a turn, and naps are longer.
const FLOOD_NAPS: u32 = 25;

/// A nap then.
const FLOOD_LONG_NAP: Duration = Duration::from_millis(2);

/// A capture that its reader and its watchers share.
pub(super) type Shared = Arc<Mutex<Capture>>;

/// The capture itself. A reader that panicked leaves totals that are still true.
pub(super) fn lock(capture: &Shared) -> MutexGuard<'_, Capture> {
    capture.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What a pump is told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Orders {
    /// The file begins now.
    pub(super) to_file: bool,
    /// What was started has ended.
    pub(super) ended: bool,
}

/// Reads until the end of the pipe; says when everything that counts was read.
pub(super) async fn pump(
    pipe: OwnedFd,
    capture: Shared,
    mut orders: watch::Receiver<Orders>,
    done: oneshot::Sender<()>,
) {
    let Ok(pipe) = Receiver::from_owned_fd(pipe).map(Arc::new) else {
        return;
    };
    let closed = read_while_it_counts(&pipe, &capture, &mut orders).await;
    let _nobody_waits = done.send(());
    drop(capture);
    if !closed {
        discard(&pipe).await;
    }
}

/// True if the pipe has ended.
async fn read_while_it_counts(
    pipe: &Arc<Receiver>,
    capture: &Shared,
    orders: &mut watch::Receiver<Orders>,
) -> bool {
    let mut flow = Flow::default();
    let mut wide = false;
    let mut until: Option<(Instant, Instant)> = None;
    let mut now = *orders.borrow_and_update();
    loop {
        if now.to_file {
            let due = lock(capture).begin_file();
            write(due, capture).await;
        }
        if now.ended && until.is_none() {
            let start = Instant::now();
            until = Some((start + DRAIN, start + QUIET));
        }
        let deadline = until.map_or_else(far, |(last, quiet)| last.min(quiet));
        tokio::select! {
            biased;
            ready = pipe.readable() => {
                if ready.is_err() {
                    return true;
                }
                // Orders may come meanwhile, so that there is an end to this.
                for _ in 0..IN_A_ROW {
                    let read = lock(capture).read(|space| pipe.try_read(space));
                    match read {
                        Ok((0, _)) => return true,
                        Ok((count, due)) => {
                            flow.bytes += count;
                            if !wide && flow.bytes >= WIDE_BYTES {
                                os::widen(&**pipe);
                                wide = true;
                            }
                            write(due, capture).await;
                            until = until.map(|(last, _)| (last, Instant::now() + QUIET));
                        }
                        Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                        Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                        Err(_) => return true,
                    }
                }
                if until.is_some_and(|(last, _)| Instant::now() >= last) {
                    return false;
                }
                if until.is_none() && flow.floods() {
                    let (pipe, capture, orders) = (Arc::clone(pipe), Arc::clone(capture), orders.clone());
                    let flood = tokio::task::spawn_blocking(move || read_flood(&pipe, &capture, &orders));
                    if flood.await.unwrap_or(true) {
                        return true;
                    }
                }
                tokio::task::yield_now().await;
            }
            changed = orders.changed() => {
                // Nobody is left who could give orders: nobody is left who wants the output either.
                if changed.is_err() { return false; }
            }
            () = sleep_until(deadline), if until.is_some() => return false,
        }
        now = *orders.borrow_and_update();
    }
}

/// How much has come lately.
#[derive(Default)]
struct Flow {
    since: Option<Instant>,
    bytes: usize,
}

impl Flow {
    /// Whether it is as much as floods.
    fn floods(&mut self) -> bool {
        let now = Instant::now();
        let lately = self.since.is_some_and(|since| now - since < FLOOD_TIME);
        if !lately {
            self.since = Some(now);
            self.bytes = 0;
        }
        lately && self.bytes >= FLOOD_BYTES
    }
}

/// Reads for as long as output keeps coming and nothing is ordered. Blocks. True if the pipe has ended.
fn read_flood(pipe: &Receiver, capture: &Shared, orders: &watch::Receiver<Orders>) -> bool {
    let mut idle = 0;
    while matches!(orders.has_changed(), Ok(false)) {
        let read = lock(capture).read(|space| Ok(rustix::io::read(pipe, space)?));
        match read {
            Ok((0, _)) => return true,
            Ok((_, Some(due))) => {
                idle = 0;
                let result = due.write();
                lock(capture).wrote(result);
            }
            Ok((_, None)) => idle = 0,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                if idle == 2 * FLOOD_NAPS {
                    return false;
                }
                std::thread::sleep(if idle < FLOOD_NAPS {
                    FLOOD_NAP
                } else {
                    FLOOD_LONG_NAP
                });
                idle += 1;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return true,
        }
    }
    false
}

/// Writes what is due, on a thread that may block.
pub(super) async fn write(due: Option<Due>, capture: &Shared) {
    let Some(due) = due else {
        return;
    };
    let result = tokio::task::spawn_blocking(move || due.write()).await;
    lock(capture).wrote(result.unwrap_or_else(|error| Err(io::Error::other(error))));
}

async fn discard(pipe: &Receiver) {
    let mut block = vec![0; BLOCK_BYTES];
    while pipe.readable().await.is_ok() {
        match pipe.try_read(&mut block) {
            Ok(0) => return,
            Ok(_) => {}
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted
                ) => {}
            Err(_) => return,
        }
    }
}

/// A time that is not reached.
fn far() -> Instant {
    Instant::now() + DRAIN
}
