//! What a value is.
//!
//! Invariant (closed model): plain data that survives serialisation.

use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

use super::super::shape::{Renaming, Shape};

/// What a value is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ValueEffect {
    /// What is done with it.
    pub kind: ValueKind,
    /// Which part of the value.
    pub shape: Shape,
    /// How the name of what is touched is made from that part.
    pub renaming: Renaming,
    /// What is read with everything below is read through the links there.
    pub follows: Follows,
    /// `-` means standard input or output.
    pub dash: bool,
}

/// Whether links below a directory are followed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Follows {
    /// They are not.
    #[default]
    No,
    /// They are, by default: what can be seen of them counts.
    Seen,
    /// They are, since an option says so: where nobody can look, they may lead anywhere.
    Always,
}

/// The things a value can be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ValueKind {
    /// A file that is read.
    Reads,
    /// A file or directory that is read with everything below.
    ReadsTree,
    /// A file that is created, truncated or appended.
    Writes,
    /// A file that is written, or a directory in which files named like the other operands are.
    WritesInto,
    /// A directory below which any file may be written.
    WritesTree,
    /// What is made where nothing was.
    Creates,
    /// What is removed.
    Deletes,
    /// What is removed with everything below.
    DeletesTree,
    /// The target of a link.
    Links,
    /// A host or URL.
    Connects {
        /// A value that names no host is a path that is read or written.
        or: Option<OrPath>,
    },
    /// With the words that follow, a command line.
    Runs(Box<Runs>),
    /// A string that is cut into words and run.
    RunsSplit,
    /// A text for a shell.
    RunsShell {
        /// On another machine.
        remote: bool,
        /// Which shell; the program's own name, or `sh`, where not said.
        shell: Option<SmolStr>,
        /// Every operand is a text of its own.
        each: bool,
    },
    /// A program in this language.
    Evaluates(SmolStr),
    /// A plugin, script or configuration that can run code.
    LoadsCode,
    /// NAME=VALUE.
    SetsEnv,
    /// The directory that other paths are relative to.
    ChangesDirectory {
        /// Only operands that follow it (`tar -C`).
        following: bool,
    },
    /// A glob that tree reads are limited to.
    Narrows,
    /// A glob that tree reads leave out.
    Excludes,
    /// Inert text that a person should see.
    Appears,
}

impl ValueKind {
    /// Whether anything is touched, rather than told where or which.
    #[must_use]
    pub fn acts(&self) -> bool {
        match self {
            Self::Reads
            | Self::ReadsTree
            | Self::Writes
            | Self::WritesInto
            | Self::WritesTree
            | Self::Creates
            | Self::Deletes
            | Self::DeletesTree
            | Self::Links
            | Self::Connects { .. }
            | Self::Runs(_)
            | Self::RunsSplit
            | Self::RunsShell { .. }
            | Self::Evaluates(_)
            | Self::LoadsCode
            | Self::SetsEnv => true,
            Self::ChangesDirectory { .. } | Self::Narrows | Self::Excludes | Self::Appears => false,
        }
    }
}

/// What a value of `connects` is where it names no host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum OrPath {
    /// A path that is read, with everything below.
    Read,
    /// A path that is written, with everything below.
    Write,
    /// A file that is read.
    ReadFile,
    /// A file that is written.
    WriteFile,
}

/// How a command line among the arguments is found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Runs {
    /// The word that ends it.
    pub until: Option<SmolStr>,
    /// The word that ends it after the placeholder (`+`).
    pub until_plus: Option<SmolStr>,
    /// Text that is replaced in its words.
    pub placeholder: Option<SmolStr>,
    /// An option whose value is the placeholder (`xargs -I`).
    pub placeholder_from: Option<SmolStr>,
    /// Words that are put after it, or in the placeholder's place.
    pub appends: Option<Appends>,
    /// Leading NAME=VALUE words set the environment.
    pub assignments: bool,
}

/// Where the words come from that are added to a command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Appends {
    /// Standard input, cut in a way that is not followed.
    Stdin,
    /// Standard input, cut at NUL bytes alone.
    StdinNul,
    /// Standard input, cut at blanks with quotes and backslashes (`xargs`).
    StdinWords,
    /// The lines of standard input.
    StdinLines,
    /// The files found below the operands.
    Paths,
}

impl ValueKind {
    /// How the command line that begins here is found.
    #[must_use]
    pub fn runs(&self) -> Option<&Runs> {
        let Self::Runs(runs) = self else {
            return None;
        };
        Some(runs)
    }

    /// An operand of this kind takes the words after it with it.
    #[must_use]
    pub fn takes_the_rest(&self) -> bool {
        self.runs().is_some() || matches!(self, Self::RunsShell { each: false, .. })
    }
}
