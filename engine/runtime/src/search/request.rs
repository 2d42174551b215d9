//! What is asked of a search, as values; the defaults are those of the tools `Grep` and `Glob`.
//!
//! Invariant: a request holds no path that is opened, but for the person's own ignore file.

use std::path::PathBuf;

use super::limits;

/// What an answer of [`super::grep`] lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OutputMode {
    /// Matching lines.
    Content,
    /// Files that hold a match, newest first.
    #[default]
    FilesWithMatches,
    /// How many lines match, by file.
    Count,
}

/// Which files are looked for, whatever they hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scope {
    /// Whether `.gitignore`, `.ignore`, `.rgignore` and `.git/info/exclude` are followed.
    pub ignore_files: bool,
    /// The person's own ignore file, which holds within repositories.
    pub own_ignore_file: Option<PathBuf>,
    /// Whether names that start with a full stop are looked at.
    pub hidden: bool,
    /// Paths below it are shown relative to it, all others as absolute ones.
    pub shown_from: Option<PathBuf>,
}

impl Default for Scope {
    fn default() -> Self {
        Self {
            ignore_files: true,
            own_ignore_file: None,
            hidden: false,
            shown_from: None,
        }
    }
}

/// What [`super::grep`] looks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GrepRequest {
    /// A regular expression.
    pub pattern: String,
    /// Only files whose names fit, or all others where it starts with `!`; relative to the folder that is searched.
    pub glob: Option<String>,
    /// Only files of this type (`rust`, `js`, `py` ...).
    pub file_type: Option<String>,
    /// What the answer lists.
    pub mode: OutputMode,
    /// `-A`: lines after each match.
    pub after: Option<usize>,
    /// `-B`: lines before each match.
    pub before: Option<usize>,
    /// `-C`, `context`: lines before and after, where the other two say nothing.
    pub context: Option<usize>,
    /// `-n`: whether lines carry their numbers.
    pub line_numbers: bool,
    /// `-i`: whether case is ignored.
    pub ignore_case: bool,
    /// Whether a match may span lines, and `.` stands for the end of a line too.
    pub multiline: bool,
    /// Lines or files in the answer; zero is no limit.
    pub head_limit: usize,
    /// Lines or files that are left out first.
    pub offset: usize,
    /// Which files are looked at.
    pub scope: Scope,
}

impl GrepRequest {
    /// Looks for a pattern in all files, and lists files.
    #[must_use]
    pub fn new(pattern: impl Into<String>) -> Self {
        Self {
            pattern: pattern.into(),
            glob: None,
            file_type: None,
            mode: OutputMode::default(),
            after: None,
            before: None,
            context: None,
            line_numbers: true,
            ignore_case: false,
            multiline: false,
            head_limit: limits::GREP_RESULTS,
            offset: 0,
            scope: Scope::default(),
        }
    }

    /// Lines shown before each match.
    pub(super) fn lines_before(&self) -> usize {
        self.before.or(self.context).unwrap_or(0)
    }

    /// Lines shown after each match.
    pub(super) fn lines_after(&self) -> usize {
        self.after.or(self.context).unwrap_or(0)
    }

    /// One result more than is asked for tells whether the limit cuts something.
    pub(super) fn wanted(&self) -> usize {
        match self.head_limit {
            0 => usize::MAX,
            limit => self.offset.saturating_add(limit).saturating_add(1),
        }
    }
}

/// What [`super::glob`] looks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GlobRequest {
    /// A pattern of file names, relative to the folder that is searched.
    pub pattern: String,
    /// Paths in the answer, newest first.
    pub limit: usize,
    /// Which files are looked at.
    pub scope: Scope,
}

impl GlobRequest {
    /// Looks for files whose names fit a pattern.
    #[must_use]
    pub fn new(pattern: impl Into<String>) -> Self {
        Self {
            pattern: pattern.into(),
            limit: limits::GLOB_RESULTS,
            scope: Scope::default(),
        }
    }
}
