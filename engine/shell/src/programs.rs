//! What programs in other languages (sed, awk, jq) may do, read from their text alone.
//!
//! Each analyser is a strict reader of its language: what it accepts it understands well enough to name every file,
//! shell, connection and piece of code that the program can reach; all else is a [`ProgramError`].
//!
//! Invariant (nothing unpredicted): if [`analyse_program`] answers, running the program on any input does nothing beyond
//! reading its input and printing, except for the effects that are listed.

use std::str::FromStr;

use smol_str::SmolStr;

use crate::{Span, Value};

mod awk;
mod cursor;
mod jq;
mod sed;

/// A language with an analyser.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Language {
    /// GNU sed 4.9, not in POSIX mode; whether regular expressions are extended makes no difference. Several `-e` scripts
    /// are one text, joined by newlines.
    Sed,
    /// POSIX awk with the extensions of gawk 5.
    Awk,
    /// jq 1.5 to 1.8.
    Jq,
}

impl Language {
    /// All of them.
    pub const ALL: &[Self] = &[Self::Sed, Self::Awk, Self::Jq];

    /// Its name in command definitions.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Sed => "sed",
            Self::Awk => "awk",
            Self::Jq => "jq",
        }
    }
}

/// A language that has no analyser: what its programs do is unknown.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no analyser for the language `{0}`")]
pub struct UnknownLanguage(pub SmolStr);

impl FromStr for Language {
    type Err = UnknownLanguage;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .iter()
            .copied()
            .find(|language| language.name() == name)
            .ok_or_else(|| UnknownLanguage(name.into()))
    }
}

/// One thing that a program may do besides reading its input and printing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramEffect {
    /// What it does.
    pub kind: ProgramEffectKind,
    /// The place in the program's text.
    pub span: Span,
}

/// The kinds of things that a program may do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProgramEffectKind {
    /// Reads a file that is not one of its operands.
    ReadsFile(Value),
    /// Creates, truncates or appends to a file.
    WritesFile(Value),
    /// Gives a text to `sh -c`; `None` where the text is not known.
    RunsShell(Option<SmolStr>),
    /// Opens a network connection; the address as the language spells it.
    Connects(Value),
    /// Reads the environment.
    ReadsEnvironment,
    /// Loads a module, a library or another program text.
    LoadsCode(Value),
    /// Prints the name of a file it was given; harmless alone.
    NamesInput,
}

/// A program that its analyser does not fully understand: what it does is unknown.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason} at byte {offset} of the program")]
pub struct ProgramError {
    /// Byte offset into the program.
    pub offset: usize,
    /// What was met.
    pub reason: &'static str,
}

/// Lists what `text`, a program in `language`, may do.
///
/// # Errors
///
/// Fails where the text is not understood; nothing may be concluded about such a program.
pub fn analyse_program(language: Language, text: &str) -> Result<Vec<ProgramEffect>, ProgramError> {
    match language {
        Language::Sed => sed::analyse(text),
        Language::Awk => awk::analyse(text),
        Language::Jq => jq::analyse(text),
    }
}

#[cfg(test)]
mod tests;
