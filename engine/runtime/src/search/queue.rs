//! Shares work between threads, and puts the results back into the order of the work's keys.
//!
//! Invariants: results are accepted in ascending order of keys, whatever thread finished first; work that a piece of work adds has
//! keys after its own and before all that followed it; when a result is not accepted, no further work is started.

use std::collections::{BTreeMap, BTreeSet};
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use super::limits::{THREADS, WAITING_BYTES};

/// The place of a piece of work; compared byte by byte.
pub(super) type Key = Arc<[u8]>;

/// What a piece of work gives.
pub(super) trait Weighed: Send {
    /// The memory that it holds, roughly, in bytes.
    fn bytes(&self) -> usize;
}

/// Whether more results are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Accept {
    More,
    Enough,
}

struct State<I, R, A> {
    waiting: BTreeMap<Key, I>,
    running: BTreeSet<Key>,
    done: BTreeMap<Key, R>,
    done_bytes: usize,
    accept: A,
}

struct Shared<'a, I, R, A> {
    state: Mutex<State<I, R, A>>,
    changed: Condvar,
    stop: &'a AtomicBool,
}

/// Lets the other threads end when this one panics; they would wait for its work for ever.
struct Bail<'a> {
    stop: &'a AtomicBool,
    changed: &'a Condvar,
}

impl Drop for Bail<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.stop.store(true, Ordering::Relaxed);
            self.changed.notify_all();
        }
    }
}

/// Does `first` and all that it adds. `work` gets the memory of its thread, a piece of work and where to put more; `accept` gets each
/// result in order. `stop` is set when no more is wanted, and may be looked at by work that takes long. Returns each thread's memory.
pub(super) fn run<I, R, L, A>(
    first: Vec<(Key, I)>,
    stop: &AtomicBool,
    local: impl Fn() -> L + Sync,
    work: impl Fn(&mut L, &Key, I, &mut Vec<(Key, I)>) -> Option<R> + Sync,
    accept: A,
) -> Vec<L>
where
    I: Send,
    R: Weighed,
    L: Send,
    A: FnMut(R) -> Accept + Send,
{
    let state = State {
        waiting: first.into_iter().collect(),
        running: BTreeSet::new(),
        done: BTreeMap::new(),
        done_bytes: 0,
        accept,
    };
    let shared = Shared {
        state: Mutex::new(state),
        changed: Condvar::new(),
        stop,
    };
    let threads = thread::available_parallelism()
        .map_or(1, usize::from)
        .min(THREADS);
    let serve = || {
        let _bail = Bail {
            stop,
            changed: &shared.changed,
        };
        let mut memory = local();
        let mut more = Vec::new();
        let mut next = shared.next(shared.lock());
        while let Some((key, item)) = next {
            let result = work(&mut memory, &key, item, &mut more);
            next = shared.finish(&key, &mut more, result);
        }
        memory
    };
    thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(serve)).collect();
        let mut memories = vec![serve()];
        for other in others {
            memories.push(other.join().unwrap_or_else(|panic| resume_unwind(panic)));
        }
        memories
    })
}

impl<I, R: Weighed, A: FnMut(R) -> Accept> Shared<'_, I, R, A> {
    fn lock(&self) -> MutexGuard<'_, State<I, R, A>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for the next piece of work; none when all is done or no more is wanted.
    fn next(&self, mut state: MutexGuard<'_, State<I, R, A>>) -> Option<(Key, I)> {
        loop {
            if self.stop.load(Ordering::Relaxed) {
                self.changed.notify_all();
                return None;
            }
            let alone = state.running.is_empty();
            // Results that wait for a slow piece of work before them are bounded: others wait with them.
            if alone || state.done_bytes < WAITING_BYTES {
                if let Some((key, item)) = state.waiting.pop_first() {
                    state.running.insert(Arc::clone(&key));
                    return Some((key, item));
                }
                if alone {
                    self.changed.notify_all();
                    return None;
                }
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Puts back what a piece of work gave, and takes the next.
    fn finish(&self, key: &Key, more: &mut Vec<(Key, I)>, result: Option<R>) -> Option<(Key, I)> {
        let mut state = self.lock();
        state.running.remove(key);
        let was_full = state.done_bytes >= WAITING_BYTES;
        let added = more.len();
        state.waiting.extend(more.drain(..));
        if let Some(result) = result {
            state.done_bytes = state.done_bytes.saturating_add(result.bytes());
            state.done.insert(Arc::clone(key), result);
        }
        self.hand_over(&mut state);
        if added > 1 || state.waiting.is_empty() || was_full {
            self.changed.notify_all();
        }
        self.next(state)
    }

    /// Gives on all results before which nothing is left to do.
    fn hand_over(&self, state: &mut State<I, R, A>) {
        while !self.stop.load(Ordering::Relaxed) {
            let Some((key, _)) = state.done.first_key_value() else {
                return;
            };
            let behind = |other: Option<&Key>| other.is_none_or(|other| key < other);
            if !behind(state.running.first()) || !behind(state.waiting.first_key_value().map(|(key, _)| key))
            {
                return;
            }
            let Some((_, result)) = state.done.pop_first() else {
                return;
            };
            state.done_bytes = state.done_bytes.saturating_sub(result.bytes());
            if (state.accept)(result) == Accept::Enough {
                self.stop.store(true, Ordering::Relaxed);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Number(u32);

    impl Weighed for Number {
        fn bytes(&self) -> usize {
            // So heavy that threads have to wait for those before them.
            WAITING_BYTES / 2 + 1
        }
    }

    fn key(number: u32) -> Key {
        Key::from(number.to_be_bytes().as_slice())
    }

    /// Each number adds two of its own until there are 1,000; those that end in 3 take longer.
    fn numbers(wanted: usize) -> Vec<u32> {
        let mut got = Vec::new();
        let stop = AtomicBool::new(false);
        run(
            vec![(key(0), 0_u32)],
            &stop,
            || (),
            |(), _, number, more| {
                if number % 10 == 3 {
                    thread::sleep(std::time::Duration::from_millis(1));
                }
                if number % 10 == 0 && number < 1000 {
                    more.extend((number + 1..=number + 10).map(|next| (key(next), next)));
                }
                (number % 2 == 1).then_some(Number(number))
            },
            |number: Number| {
                got.push(number.0);
                if got.len() == wanted {
                    Accept::Enough
                } else {
                    Accept::More
                }
            },
        );
        got
    }

    #[test]
    fn results_come_in_the_order_of_their_keys() {
        assert_eq!(
            numbers(usize::MAX),
            (0..1000).filter(|number| number % 2 == 1).collect::<Vec<_>>()
        );
    }

    #[test]
    fn nothing_is_accepted_after_enough() {
        assert_eq!(numbers(3), [1, 3, 5]);
    }
}
