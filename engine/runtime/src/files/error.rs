//! What can go wrong with a file, each with a text that a model can act on: what was wrong, and what to do.

use std::fmt;
use std::io;
use std::path::PathBuf;

use super::place::Decided;

/// Why a file was not read, written or edited. Nothing was changed when one of these is returned.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// The path is not one that a decision can have been about.
    #[error("`{}` is not an absolute, resolved path of a file; give the full path", .path.display())]
    NotResolved {
        /// The path as it was given.
        path: PathBuf,
    },
    /// The path names a network share.
    #[error("`{}` names a network share, which is never touched; copy the file to a local folder first", .path.display())]
    NetworkShare {
        /// The path as it was given.
        path: PathBuf,
    },
    /// There is no such file.
    #[error("{0}")]
    Missing(Missing),
    /// The path is a directory.
    #[error("`{}` is a directory; list it with Glob, or name a file in it", .path.display())]
    Directory {
        /// The path.
        path: PathBuf,
    },
    /// A part of the path that should be a directory is a file.
    #[error("`{}` cannot exist, since a folder on its path is a file; check the path", .path.display())]
    NotAFolder {
        /// The path.
        path: PathBuf,
    },
    /// A device, FIFO, socket or open descriptor.
    #[error("`{}` is {what}, not a file with an end; it is never read or written", .path.display())]
    Special {
        /// The path.
        path: PathBuf,
        /// What it is.
        what: SpecialKind,
    },
    /// A link stands on the path now that was not there when the call was decided.
    #[error("`{}` leads through a symbolic link that was not there when the call was decided, so it was not followed; make the call again", .path.display())]
    Linked {
        /// The path.
        path: PathBuf,
    },
    /// The system refused.
    #[error("permission denied for `{}`; the file's mode or owner does not let this process {action} it", .path.display())]
    Permission {
        /// The path.
        path: PathBuf,
        /// What was tried.
        action: &'static str,
    },
    /// The disk, or the user's share of it, is full.
    #[error("no space is left to write `{}`; the file is as it was before: free some space and try again", .path.display())]
    NoSpace {
        /// The path.
        path: PathBuf,
    },
    /// Any other answer of the system.
    #[error("could not {action} `{}`: {source}", .path.display())]
    System {
        /// The path.
        path: PathBuf,
        /// What was tried.
        action: &'static str,
        /// What the system said.
        source: io::Error,
    },
    /// The file is too large to be read at once.
    #[error("`{}` is over {limit_mb} MB; read a part of it with `offset` and `limit`, or search it with Grep", .path.display())]
    OnlyByRange {
        /// The path.
        path: PathBuf,
        /// The limit in megabytes.
        limit_mb: u64,
    },
    /// The file is too large for what was asked, in any way.
    #[error("`{}` is over {limit_mb} MB, too large to {action}; {hint}", .path.display())]
    TooLarge {
        /// The path.
        path: PathBuf,
        /// The limit in megabytes.
        limit_mb: u64,
        /// What was asked.
        action: &'static str,
        /// What to do instead.
        hint: &'static str,
    },
    /// The range starts behind the end of the file.
    #[error("`{}` has {total} {unit}, so there is nothing at offset {offset}; give a smaller offset", .path.display())]
    BehindTheEnd {
        /// The path.
        path: PathBuf,
        /// How many there are.
        total: u64,
        /// What is counted: lines, cells or pages.
        unit: &'static str,
        /// Where reading was to start.
        offset: u64,
    },
    /// Not text, nor any kind that can be shown.
    #[error("`{}` is a binary file ({what}) and cannot be shown as text; {hint}", .path.display())]
    Binary {
        /// The path.
        path: PathBuf,
        /// The kind of file.
        what: &'static str,
        /// What to do instead.
        hint: &'static str,
    },
    /// An image that cannot be decoded, or only at a cost that nobody should pay.
    #[error("`{}` cannot be shown as an image: {why}", .path.display())]
    BadImage {
        /// The path.
        path: PathBuf,
        /// What was wrong.
        why: String,
    },
    /// A PDF that cannot be read.
    #[error("`{}` cannot be read as a PDF: {why}", .path.display())]
    BadPdf {
        /// The path.
        path: PathBuf,
        /// What was wrong.
        why: String,
    },
    /// The range of pages is not one.
    #[error("`{given}` is not a range of pages; write `3`, `1-5` or `10-` (pages count from 1)")]
    BadPages {
        /// The range as it was given.
        given: String,
    },
    /// `pages` was given for something that has none.
    #[error("`pages` is for PDF files, and `{}` is not one; use `offset` and `limit`", .path.display())]
    NoPages {
        /// The path.
        path: PathBuf,
    },
    /// A notebook that is not one.
    #[error("`{}` is not a Jupyter notebook: {why}", .path.display())]
    BadNotebook {
        /// The path.
        path: PathBuf,
        /// What was wrong.
        why: String,
    },
    /// A notebook is edited by cells.
    #[error("`{}` is a Jupyter notebook; use NotebookEdit to change its cells", .path.display())]
    IsNotebook {
        /// The path.
        path: PathBuf,
    },
    /// The cell does not exist.
    #[error("`{}` has {}, so there is no cell {number}", .path.display(), cells(*.total))]
    NoCell {
        /// The path.
        path: PathBuf,
        /// The cell that was asked for, from 0.
        number: usize,
        /// How many cells there are.
        total: usize,
    },
    /// A field of the call is missing or does not fit.
    #[error("{0}")]
    BadRequest(&'static str),
    /// The file was not read in this session.
    #[error("`{}` has not been read in this session; read it first, then {action} it", .path.display())]
    NotRead {
        /// The path.
        path: PathBuf,
        /// What was asked.
        action: &'static str,
    },
    /// The file has changed since it was read.
    #[error("`{}` has changed since it was read; read it again, then {action} it", .path.display())]
    Changed {
        /// The path.
        path: PathBuf,
        /// What was asked.
        action: &'static str,
    },
    /// The text to replace does not occur.
    #[error("`old_string` does not occur in `{}`{near}", .path.display())]
    NoMatch {
        /// The path.
        path: PathBuf,
        /// The lines that come closest.
        near: Near,
    },
    /// The text to replace occurs more than once.
    #[error(
        "`old_string` occurs {count} times in `{}`, at lines {}; give more of the text around it to name one, or set `replace_all`",
        .path.display(), listed(.lines, *.count)
    )]
    ManyMatches {
        /// The path.
        path: PathBuf,
        /// How often it occurs.
        count: usize,
        /// The first lines at which it occurs, from 1.
        lines: Vec<usize>,
    },
    /// The text occurs only in other spellings, and in more than one place.
    #[error(
        "`old_string` does not occur exactly in `{}`; with other quotes, line endings or tabs it would fit {count} places, at lines {}; \
         copy the text exactly as the file has it",
        .path.display(), listed(.lines, *.count)
    )]
    ManyCandidates {
        /// The path.
        path: PathBuf,
        /// How many places there are.
        count: usize,
        /// The first lines at which they are, from 1.
        lines: Vec<usize>,
    },
    /// The file's text is broken in a way that writing it back would not keep.
    #[error("`{}` is marked as {encoding} but has broken characters in it, which an edit would damage; mend or convert it first", .path.display())]
    Broken {
        /// The path.
        path: PathBuf,
        /// The encoding that it is marked as.
        encoding: &'static str,
    },
    /// The new text cannot be written in the file's encoding.
    #[error("`{}` is written in {encoding}, which has no `{character}`; use other characters, or convert the file to UTF-8 first", .path.display())]
    Unencodable {
        /// The path.
        path: PathBuf,
        /// The file's encoding.
        encoding: &'static str,
        /// The first character that it lacks.
        character: char,
    },
}

/// What a path is that is no file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpecialKind {
    /// A device.
    Device,
    /// A named pipe.
    Fifo,
    /// A socket.
    Socket,
    /// An open descriptor of a process.
    Descriptor,
    /// A kind that this program does not know.
    Unknown,
}

impl fmt::Display for SpecialKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Device => "a device",
            Self::Fifo => "a named pipe",
            Self::Socket => "a socket",
            Self::Descriptor => "an open descriptor of a process",
            Self::Unknown => "something special",
        })
    }
}

/// A file that does not exist, and what may have been meant.
#[derive(Debug)]
pub struct Missing {
    /// The path.
    pub path: PathBuf,
    /// The nearest file that exists and may be shown.
    pub nearest: Option<PathBuf>,
    /// A file of the same name but for the kind of space before AM or PM. It was not decided about: decide, then read it instead.
    pub other_space: Option<Decided>,
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` does not exist", self.path.display())?;
        if let Some(other) = &self.other_space {
            return write!(f, "; did you mean `{other}`, with the other kind of space?");
        }
        match &self.nearest {
            Some(nearest) => write!(f, "; did you mean `{}`?", nearest.display()),
            None => f.write_str("; look for its name with Glob"),
        }
    }
}

/// The lines of a file that come closest to a text that is not in it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Near {
    /// Line number from 1, and the line, shortened.
    pub lines: Vec<(usize, String)>,
    /// Where the closest place stops being the same: line number, the file's line, the given line.
    pub differs: Option<(usize, String, String)>,
}

impl fmt::Display for Near {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((number, there, given)) = &self.differs {
            return write!(
                f,
                "; closest is line {number}, which is `{there}` in the file and `{given}` in `old_string`"
            );
        }
        let mut lines = self.lines.iter();
        let Some((number, line)) = lines.next() else {
            return f.write_str(", nor anything like it; read the file again");
        };
        write!(f, "; closest is line {number}: `{line}`")?;
        for (number, line) in lines {
            write!(f, ", then line {number}: `{line}`")?;
        }
        Ok(())
    }
}

fn cells(total: usize) -> String {
    match total {
        0 => "no cells".to_owned(),
        1 => "1 cell (number 0)".to_owned(),
        total => format!("{total} cells (numbers 0 to {})", total - 1),
    }
}

fn listed(lines: &[usize], count: usize) -> String {
    let mut text = lines
        .iter()
        .map(ToString::to_string)
        .collect::<Vec<_>>()
        .join(", ");
    if lines.len() < count {
        text.push_str(" and more");
    }
    text
}
