//! Every figure that bounds a search, in one table: no tree and no pattern can make one endless.
//!
//! Invariant: whatever is left out because of one of these is said in the answer.

/// Results of a Grep where nothing is said.
pub const GREP_RESULTS: usize = 250;
/// Paths of a Glob.
pub const GLOB_RESULTS: usize = 100;
/// Longest line that is shown, in characters.
pub const LINE_CHARS: usize = 500;

/// Longest pattern, in bytes.
pub(super) const PATTERN_BYTES: usize = 64 << 10;
/// A compiled regular expression, and the table that it fills while it runs, in bytes.
pub(super) const REGEX_BYTES: usize = 64 << 20;
/// Groups within groups of a regular expression.
pub(super) const REGEX_NESTING: u32 = 250;
/// Bytes of one file that are held at once: its longest line, or all of it where matches span lines.
pub(super) const HELD_BYTES: usize = 256 << 20;
/// Bytes of one ignore file; a larger one is not followed.
pub(super) const IGNORE_FILE_BYTES: u64 = 256 << 10;
/// Work that the lines of all ignore files together may cost (see `ignored.rs`); a file beyond is not followed.
pub(super) const IGNORE_WORK: usize = 1_000_000;
/// The same for those that hold for one folder, its own and those above: each name in it is held against all of them.
pub(super) const IGNORE_WORK_HERE: usize = 100_000;
/// Entries of folders that are looked at.
pub(super) const ENTRIES: usize = 2_000_000;
/// Bytes of results that wait for those before them.
pub(super) const WAITING_BYTES: usize = 16 << 20;
/// Bytes of an answer; a search without a limit ends here.
pub(super) const ANSWER_BYTES: usize = 64 << 20;
/// Threads of one search.
pub(super) const THREADS: usize = 12;
/// Files that are taken up together.
pub(super) const FILES_TOGETHER: usize = 16;
