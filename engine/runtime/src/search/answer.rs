//! What a search found, and the text that says it.
//!
//! Invariants: texts are those of the tool catalogue, to the letter; a limit is named only where it cut something; whatever was
//! left out for another reason is said in a line of its own at the end.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// What [`super::grep`] found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GrepAnswer {
    /// What was found, in the form that was asked for.
    pub found: Found,
    /// The limit, where it cut something.
    pub cut_at: Option<usize>,
    /// Results that were left out first.
    pub offset: usize,
    /// What could not be looked at.
    pub missed: Missed,
}

/// What was found, in one of three forms.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// Lines as `path:number:text`, each with its line feed.
    Content(String),
    /// Paths as they are shown, newest first.
    Files(Vec<String>),
    /// Paths as they are shown and how many lines match in each.
    Counts(Vec<(String, u64)>),
}

/// What [`super::glob`] found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GlobAnswer {
    /// Paths as they are shown, newest first.
    pub files: Vec<String>,
    /// Whether there are more than the limit.
    pub truncated: bool,
    /// What could not be looked at.
    pub missed: Missed,
}

/// What could not be looked at, and is therefore not in an answer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Missed {
    /// Files and folders that could not be read.
    pub unreadable: usize,
    /// Ignore files that were too large to be followed.
    pub ignore_files: usize,
    /// Whether the tree has more entries than are looked at.
    pub entries: bool,
    /// Whether the answer grew too large to go on.
    pub bytes: bool,
    /// Files that the caller left out, since somebody would have to be asked about each.
    pub withheld: usize,
}

impl Missed {
    fn write(&self, text: &mut String) {
        let mut say = |line: String| {
            if !text.is_empty() && !text.ends_with('\n') {
                text.push('\n');
            }
            text.push_str(&line);
        };
        if self.unreadable > 0 {
            say(format!(
                "({} could not be read)",
                counted(self.unreadable, "file or folder", "files or folders")
            ));
        }
        if self.withheld > 0 {
            say(format!(
                "({} left out, since the policy asks before {} read. Name one as path to be asked.)",
                counted(self.withheld, "file was", "files were"),
                if self.withheld == 1 { "it is" } else { "they are" }
            ));
        }
        if self.ignore_files > 0 {
            say(format!(
                "({} too large to be followed)",
                counted(self.ignore_files, "ignore file is", "ignore files are")
            ));
        }
        if self.entries {
            say("(The folder holds too many files, not all were searched. Consider using a more specific path.)".to_owned());
        }
        if self.bytes {
            say("(The results are too large, not all are shown. Consider using head_limit or a more specific pattern.)".to_owned());
        }
    }
}

impl GrepAnswer {
    /// The text of the result.
    #[must_use]
    pub fn text(&self) -> String {
        let paging = self.cut_at.map(|limit| match self.offset {
            0 => format!("limit: {limit}"),
            offset => format!("limit: {limit}, offset: {offset}"),
        });
        let mut text = match &self.found {
            Found::Content(lines) => {
                let lines = lines.strip_suffix('\n').unwrap_or(lines);
                let lines = if lines.is_empty() {
                    "No matches found"
                } else {
                    lines
                };
                match paging {
                    Some(paging) => format!("{lines}\n\n[Showing results with pagination = {paging}]"),
                    None => lines.to_owned(),
                }
            }
            Found::Files(files) if files.is_empty() => "No files found".to_owned(),
            Found::Files(files) => {
                let paging = paging.map(|paging| format!(" {paging}")).unwrap_or_default();
                format!(
                    "Found {}{paging}\n{}",
                    counted(files.len(), "file", "files"),
                    files.join("\n")
                )
            }
            Found::Counts(files) => {
                let total = files
                    .iter()
                    .fold(0_u64, |sum, (_, count)| sum.saturating_add(*count));
                let mut text = String::new();
                for (path, count) in files {
                    // Writing to a `String` does not fail.
                    let _ = writeln!(text, "{path}:{count}");
                }
                if files.is_empty() {
                    text.push_str("No matches found\n");
                }
                let paging = paging
                    .map(|paging| format!(" with pagination = {paging}"))
                    .unwrap_or_default();
                let occurrences = counted(total, "total occurrence", "total occurrences");
                let _ = write!(
                    text,
                    "\nFound {occurrences} across {}.{paging}",
                    counted(files.len(), "file", "files")
                );
                text
            }
        };
        self.missed.write(&mut text);
        text
    }
}

impl GlobAnswer {
    /// The text of the result.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = if self.files.is_empty() {
            "No files found".to_owned()
        } else {
            self.files.join("\n")
        };
        if self.truncated {
            text.push_str("\n(Results are truncated. Consider using a more specific path or pattern.)");
        }
        self.missed.write(&mut text);
        text
    }
}

fn counted(number: impl TryInto<u64>, one: &str, many: &str) -> String {
    let number = number.try_into().unwrap_or(u64::MAX);
    let noun = if number == 1 { one } else { many };
    format!("{number} {noun}")
}

/// A path as it is shown: relative where it lies below `from`.
pub(super) fn shown<'p>(path: &'p Path, from: Option<&Path>) -> &'p Path {
    from.and_then(|from| path.strip_prefix(from).ok())
        .filter(|inner| !inner.as_os_str().is_empty())
        .unwrap_or(path)
}

/// A path as text; a name may hold a line feed, which would read as two paths.
pub(super) fn text_of(path: &Path) -> String {
    path.to_string_lossy().replace('\n', "\\n")
}

/// The file below a folder.
pub(super) fn joined(folder: &Path, below: &Path) -> PathBuf {
    folder.join(below)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grep(found: Found, cut_at: Option<usize>, offset: usize) -> String {
        GrepAnswer {
            found,
            cut_at,
            offset,
            missed: Missed::default(),
        }
        .text()
    }

    #[test]
    fn files_are_counted_and_listed() {
        let files = |names: &[&str]| Found::Files(names.iter().map(ToString::to_string).collect());
        assert_eq!(grep(files(&[]), None, 0), "No files found");
        assert_eq!(grep(files(&["a"]), None, 0), "Found 1 file\na");
        assert_eq!(grep(files(&["b", "a"]), None, 3), "Found 2 files\nb\na");
        assert_eq!(
            grep(files(&["b", "a"]), Some(2), 0),
            "Found 2 files limit: 2\nb\na"
        );
        assert_eq!(
            grep(files(&["b", "a"]), Some(2), 3),
            "Found 2 files limit: 2, offset: 3\nb\na"
        );
    }

    #[test]
    fn counts_end_with_their_sum() {
        let counts = |of: &[(&str, u64)]| {
            Found::Counts(
                of.iter()
                    .map(|(path, count)| (path.to_string(), *count))
                    .collect(),
            )
        };
        assert_eq!(
            grep(counts(&[("a", 1)]), None, 0),
            "a:1\n\nFound 1 total occurrence across 1 file."
        );
        assert_eq!(
            grep(counts(&[("a", 2), ("b", 3)]), None, 0),
            "a:2\nb:3\n\nFound 5 total occurrences across 2 files."
        );
        assert_eq!(
            grep(counts(&[("a", 2), ("b", 3)]), Some(2), 1),
            "a:2\nb:3\n\nFound 5 total occurrences across 2 files. with pagination = limit: 2, offset: 1"
        );
        assert_eq!(
            grep(counts(&[]), None, 0),
            "No matches found\n\nFound 0 total occurrences across 0 files."
        );
    }

    #[test]
    fn content_names_the_limit_only_where_it_cut() {
        let lines = || Found::Content("a:1:x\na:2:y\n".to_owned());
        assert_eq!(grep(lines(), None, 0), "a:1:x\na:2:y");
        assert_eq!(grep(lines(), None, 7), "a:1:x\na:2:y");
        assert_eq!(
            grep(lines(), Some(2), 0),
            "a:1:x\na:2:y\n\n[Showing results with pagination = limit: 2]"
        );
        assert_eq!(
            grep(lines(), Some(2), 7),
            "a:1:x\na:2:y\n\n[Showing results with pagination = limit: 2, offset: 7]"
        );
        assert_eq!(grep(Found::Content(String::new()), None, 0), "No matches found");
    }

    #[test]
    fn paths_are_listed_and_truncation_is_said() {
        let glob = |files: &[&str], truncated| {
            let files = files.iter().map(ToString::to_string).collect();
            GlobAnswer {
                files,
                truncated,
                missed: Missed::default(),
            }
            .text()
        };
        assert_eq!(glob(&[], false), "No files found");
        assert_eq!(glob(&["b", "a"], false), "b\na");
        assert_eq!(
            glob(&["b", "a"], true),
            "b\na\n(Results are truncated. Consider using a more specific path or pattern.)"
        );
    }

    #[test]
    fn what_was_missed_is_said_last() {
        let missed = Missed {
            unreadable: 2,
            ignore_files: 1,
            entries: false,
            bytes: false,
            withheld: 1,
        };
        let answer = GlobAnswer {
            files: vec!["a".to_owned()],
            truncated: false,
            missed,
        };
        assert_eq!(
            answer.text(),
            "a\n(2 files or folders could not be read)\n(1 file was left out, since the policy asks before it is read. Name one as path to be asked.)\n(1 ignore file is too large to be followed)"
        );
    }
}
