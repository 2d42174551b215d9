//! What tells the processes of one run from all others.
//!
//! A mark is a number that every process of a run inherits in two ways: in a variable of its environment, and as its soft limit of file
//! locks, which Linux keeps for every process and has not enforced since version 2.4. The limit survives `env -i`, `setsid`, a double
//! fork and the end of every ancestor, and can still be read when the process has ended and was not waited for.
//! Source: getrlimit(2), `RLIMIT_LOCKS`.

use std::fmt;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use super::os;

/// Bits that count the runs of one handler.
const COUNTER_BITS: u32 = 22;

/// Bits that count the handlers of one process.
const HANDLER_BITS: u32 = 8;

/// Bits that tell one process from another.
const PROCESS_BITS: u32 = 30;

/// The mark of one run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Mark(u64);

impl Mark {
    /// The mark with this number.
    pub(super) fn of(number: u64) -> Self {
        Self(number)
    }

    /// Its number.
    pub(super) fn number(self) -> u64 {
        self.0
    }

    /// Whether a run of this process has it.
    pub(super) fn is_ours(self) -> bool {
        self.0 >> (COUNTER_BITS + HANDLER_BITS) == process()
    }
}

/// The marks of all runs of one handler.
#[derive(Debug)]
pub(super) struct Marks {
    first: u64,
    next: AtomicU64,
}

impl Marks {
    /// Marks that no other handler makes.
    pub(super) fn new() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let handler = NEXT.fetch_add(1, Ordering::Relaxed) & ((1 << HANDLER_BITS) - 1);
        Self {
            first: (process() << HANDLER_BITS | handler) << COUNTER_BITS,
            next: AtomicU64::new(0),
        }
    }

    /// A mark that no other run has.
    pub(super) fn fresh(&self) -> Mark {
        let number = self.next.fetch_add(1, Ordering::Relaxed) & ((1 << COUNTER_BITS) - 1);
        Mark(self.first | number)
    }
}

/// Which runs are meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meant {
    /// This one.
    One(Mark),
    /// All of the handler that this one is of.
    AllWith(Mark),
}

impl Meant {
    /// Whether a run with this mark is meant.
    pub(super) fn is(self, mark: Mark) -> bool {
        match self {
            Self::One(own) => own == mark,
            Self::AllWith(own) => own.0 >> COUNTER_BITS == mark.0 >> COUNTER_BITS,
        }
    }
}

impl fmt::Display for Mark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A random number, the same for as long as the process lives.
fn process() -> u64 {
    static PROCESS: OnceLock<u64> = OnceLock::new();
    *PROCESS.get_or_init(|| os::random() >> (64 - PROCESS_BITS) | 1 << (PROCESS_BITS - 1))
}

#[cfg(test)]
mod tests {
    use super::{Mark, Marks, Meant};

    #[test]
    fn marks_differ_and_are_told_from_those_of_others() {
        let (marks, others) = (Marks::new(), Marks::new());
        let (one, two, other) = (marks.fresh(), marks.fresh(), others.fresh());
        assert!(one.is_ours() && two.is_ours() && other.is_ours() && !Mark::of(7).is_ours());
        assert!(Meant::One(one).is(one) && !Meant::One(one).is(two));
        assert!(Meant::AllWith(one).is(two) && !Meant::AllWith(one).is(other));
    }
}
