//! Command patterns: they match a normalised argv, word by word, never text.
//!
//! Invariant (a program stands first): every [`CommandPattern`] names at least one program.

mod parse;

use smol_str::SmolStr;

use super::{Glob, PathPattern};

/// A pattern over a whole command.
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct CommandPattern {
    /// The pattern as written.
    pub text: SmolStr,
    /// The programs that may stand first, any of them.
    pub programs: Vec<ProgramPattern>,
    /// What follows the program; together these must cover every further word.
    pub rest: Vec<CommandPart>,
}

/// The first word of a command.
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub enum ProgramPattern {
    /// A bare name: the program of that name that is found through `PATH`. Never matches a word with a slash.
    Name(WordPattern),
    /// That file.
    File(PathPattern),
}

/// One part of what follows the program.
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub enum CommandPart {
    /// Exactly one word.
    Word(WordPattern),
    /// `(a|b c)`: one of these runs of words, at least one of which has not exactly one word; alternatives of one word each are a
    /// [`WordPiece::Choice`].
    Choice(Vec<Vec<CommandPart>>),
    /// `[a b]`: these words or none of them.
    Optional(Vec<CommandPart>),
    /// `...`: any further words, none included.
    AnyWords,
}

/// A pattern over one word.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct WordPattern {
    /// Pieces in order that must cover the whole word; none at all is the empty word.
    pub pieces: Vec<WordPiece>,
}

/// One piece of a word.
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub enum WordPiece {
    /// These characters.
    Text(SmolStr),
    /// `*`: any characters, none included; alone it is exactly one word, whatever it is.
    AnyText,
    /// `(a|b)`: one of these.
    Choice(Vec<WordPattern>),
}

impl WordPattern {
    /// A pattern that matches exactly one word.
    #[must_use]
    pub fn exactly(text: &str) -> Self {
        Self {
            pieces: if text.is_empty() {
                Vec::new()
            } else {
                vec![WordPiece::Text(text.into())]
            },
        }
    }

    /// The only word it matches, where there is only one.
    #[must_use]
    pub fn literal(&self) -> Option<&str> {
        match self.pieces.as_slice() {
            [] => Some(""),
            [WordPiece::Text(text)] => Some(text),
            _ => None,
        }
    }

    /// Whether it matches every word.
    #[must_use]
    pub fn is_any(&self) -> bool {
        self.pieces == [WordPiece::AnyText]
    }
}

/// `NAME` or `NAME=value`, both globs: an environment variable that is set.
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct EnvironmentPattern {
    /// The variable's name.
    pub name: Glob,
    /// Its value; `None` is any value.
    pub value: Option<Glob>,
}

/// `-f`, `--force`, `--format=json`: a flag as a condition names it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct FlagPattern {
    /// The flag with its dashes.
    pub name: Glob,
    /// Its value; `None` is any value or no value.
    pub value: Option<Glob>,
}
