//! The log that the watched shell writes: memory shared with it, and the only unsafe code of this tool.
//!
//! Invariants:
//! - the mapping is [`LOG_BYTES`] long for as long as a [`SharedLog`] lives, and the file behind it never shrinks;
//! - the header is read and written through atomics only, since the shell's processes write it at the same time;
//! - records are copied out before they are looked at.
#![expect(
    unsafe_code,
    reason = "shared memory has no safe interface in the standard library"
)]

use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU32, Ordering};

/// Size of the log; the same number stands in `shim.c`.
pub(crate) const LOG_BYTES: usize = 1 << 20;

/// Layout shared with `struct log` in `shim.c`.
#[repr(C)]
struct Header {
    used: AtomicU32,
    run: AtomicU32,
    forks: AtomicU32,
    executed: AtomicU32,
    flags: AtomicU32,
    status: AtomicU32,
    output: AtomicU32,
    fork_limit: AtomicU32,
}

const HEADER_BYTES: usize = size_of::<Header>();

/// What one run is told through the header.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Orders {
    pub(crate) status: u32,
    pub(crate) output: u32,
    pub(crate) fork_limit: u32,
}

/// Memory that the watched shell writes its records to.
#[derive(Debug)]
pub(crate) struct SharedLog {
    memory: NonNull<u8>,
    file: OwnedFd,
    /// Where the records of this run begin.
    base: usize,
}

// SAFETY: the memory is only reached through atomics and copies, from whichever thread owns the value.
unsafe impl Send for SharedLog {}

impl SharedLog {
    /// Makes an empty log. Its descriptor is inherited by every program that is started.
    pub(crate) fn create() -> io::Result<Self> {
        // SAFETY: the name is a NUL-terminated constant.
        let raw = unsafe { libc::memfd_create(c"soundness-log".as_ptr(), 0) };
        if raw < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: `raw` was just opened and nothing else owns it.
        let file = unsafe { OwnedFd::from_raw_fd(raw) };
        let size = libc::off_t::try_from(LOG_BYTES).map_err(io::Error::other)?;
        // SAFETY: `file` is an open memory file.
        if unsafe { libc::ftruncate(file.as_raw_fd(), size) } != 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: a new mapping at an address of the system's choice, over a file of that size.
        let memory = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                LOG_BYTES,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_SHARED,
                file.as_raw_fd(),
                0,
            )
        };
        if memory == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let memory = NonNull::new(memory.cast()).ok_or_else(|| io::Error::other("mapped at address zero"))?;
        Ok(Self {
            memory,
            file,
            base: 0,
        })
    }

    /// The descriptor's number, which the shell is told.
    pub(crate) fn descriptor(&self) -> RawFd {
        self.file.as_raw_fd()
    }

    fn header(&self) -> &Header {
        // SAFETY: the mapping is page-aligned, longer than a header, and lives as long as `self`; all fields are atomics, for
        // which every bit pattern is valid.
        unsafe { self.memory.cast::<Header>().as_ref() }
    }

    /// Begins a run behind the records of the last one, so that a straggler of that can only write where it is not looked at
    /// any more; starts from the front when half of the log is used.
    pub(crate) fn begin(&mut self, orders: Orders) {
        let header = self.header();
        header.run.fetch_add(1, Ordering::SeqCst);
        let used = (header.used.load(Ordering::SeqCst) as usize).min(LOG_BYTES - HEADER_BYTES);
        let front = used > LOG_BYTES / 2;
        if front {
            // SAFETY: the range lies inside the mapping, behind the header. A straggler may write at the same time; its bytes are
            // then a record of another run, or end the reading early, which counts as a run cut short.
            unsafe { self.memory.add(HEADER_BYTES).write_bytes(0, used) };
            header.used.store(0, Ordering::SeqCst);
        }
        header.forks.store(0, Ordering::SeqCst);
        header.executed.store(0, Ordering::SeqCst);
        header.flags.store(0, Ordering::SeqCst);
        header.status.store(orders.status, Ordering::SeqCst);
        header.output.store(orders.output, Ordering::SeqCst);
        header.fork_limit.store(orders.fork_limit, Ordering::SeqCst);
        self.base = if front { 0 } else { used };
    }

    /// The number of this run.
    pub(crate) fn run(&self) -> u32 {
        self.header().run.load(Ordering::SeqCst)
    }

    /// A copy of the records so far.
    pub(crate) fn records(&self) -> Vec<u8> {
        let used = (self.header().used.load(Ordering::SeqCst) as usize).min(LOG_BYTES - HEADER_BYTES);
        let mut copy = vec![0_u8; used.saturating_sub(self.base)];
        // SAFETY: source and target are both as long as `copy`, the source ends inside the mapping, and they do not overlap.
        unsafe {
            std::ptr::copy_nonoverlapping(
                self.memory.add(HEADER_BYTES + self.base).as_ptr(),
                copy.as_mut_ptr(),
                copy.len(),
            );
        }
        copy
    }

    /// The flags of the run so far.
    pub(crate) fn flags(&self) -> u32 {
        self.header().flags.load(Ordering::SeqCst)
    }
}

impl Drop for SharedLog {
    fn drop(&mut self) {
        // SAFETY: the mapping was made in `create` with this size and nothing refers to it any more.
        unsafe { libc::munmap(self.memory.as_ptr().cast(), LOG_BYTES) };
    }
}
