//! What a definition file says besides the definition: where it stands, texts for people, and what whoever loads it must look into.
//!
//! Invariant (nothing decides by this): a verdict never depends on anything here.

use std::ops::Range;

use smol_str::SmolStr;

use super::model::Definition;

/// A definition as it stands in its file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Read {
    /// The definition.
    pub definition: Definition,
    /// What stands beside it.
    pub notes: Notes,
}

/// What stands beside a definition in its file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Notes {
    /// The node that names the program, in bytes of the file.
    pub span: Range<usize>,
    /// It says that it takes the place of a shipped definition.
    pub replaces: bool,
    /// Files whose content belongs to it.
    pub includes: Vec<Include>,
    /// The program (with an empty path) and its subcommands, in the order of the file.
    pub commands: Vec<CommandNote>,
}

/// A file that is named to belong to a definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Include {
    /// The path as it is written.
    pub path: SmolStr,
    /// Where it is named, in bytes of the file.
    pub span: Range<usize>,
}

/// What is said of one subcommand for people.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct CommandNote {
    /// Names below the program with one blank between; empty for the program itself.
    pub path: SmolStr,
    /// The line of the file, from 1.
    pub line: u32,
    /// One line of help; empty where there is none.
    pub about: SmolStr,
    /// The effect as it is written (`read`, `write`, `destructive`); empty where there is none.
    pub effect: SmolStr,
}

/// Number of the line that a byte stands in, from 1.
pub(super) fn line_of(text: &str, at: usize) -> u32 {
    let before = text.get(..at).unwrap_or(text);
    u32::try_from(before.matches('\n').count() + 1).unwrap_or(u32::MAX)
}
