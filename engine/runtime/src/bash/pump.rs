//! Reads a pipe into a [`Capture`] for as long as anything comes.
//!
//! Invariant (no hang): once the shell has ended, whoever still holds the pipe is waited for only for as long as output keeps coming, and
//! never longer than [`DRAIN`]. Invariant (no harm): the pipe is then read on and what comes is dropped, so that a server that was
//! left running does not die of writing to it.

use std::io;
use std::os::fd::OwnedFd;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::net::unix::pipe::Receiver;
use tokio::sync::{oneshot, watch};
use tokio::time::{Instant, sleep_until};

use super::capture::{Capture, Due};
use super::limits::{BLOCK_BYTES, DRAIN, QUIET};

/// Reads without giving others a turn.
const IN_A_ROW: usize = 32;

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
    let Ok(pipe) = Receiver::from_owned_fd(pipe) else {
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
    pipe: &Receiver,
    capture: &Shared,
    orders: &mut watch::Receiver<Orders>,
) -> bool {
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
                        Ok((_, due)) => {
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
