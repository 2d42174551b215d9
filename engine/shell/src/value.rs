//! The abstract values that stand for what a word will be when the shell runs it.

use smol_str::SmolStr;

use crate::Span;

mod ops;

pub(crate) use ops::is_integer;

/// What is known about one string.
///
/// Invariant (never narrower): the set of strings a value stands for includes every string that bash could produce there.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Value {
    /// Exactly this text.
    Known(SmolStr),
    /// One of at least two texts, sorted and without duplicates, at most [`Limits::set_values`](crate::Limits::set_values).
    OneOf(Vec<SmolStr>),
    /// A text that this pattern matches (`*`, `?`, `[...]`; literal glob characters are backslash-escaped), mostly the name
    /// of a file, or the pattern's own text where nothing matches. `*` and `?` match no `/` and no leading dot. It is a set
    /// of texts and says nothing of what exists: `"$f.bak"` for `f` in `*.txt` is `*.txt.bak`.
    Glob(SmolStr),
    /// `root` itself or a path below it, spelled `root/...`, never through `..`. With an empty root: a relative path below
    /// the directory of the command. What `find` and `git ls-files` print.
    Below(SmolStr),
    /// Begins with `prefix` and ends with `suffix` (not overlapping), anything between.
    Affixed {
        /// Known beginning, possibly empty.
        prefix: SmolStr,
        /// Known end, possibly empty.
        suffix: SmolStr,
    },
    /// A whole number in decimal: an optional `-` and at least one digit. What arithmetic and `$#` give: nothing in it
    /// splits, globs or names a path, but it may begin with a dash.
    Integer,
    /// The path that a process substitution stands for, `/dev/fd/N` or `/proc/self/fd/N`. Only the shell makes it; a text cannot spell it with
    /// an unknown part, so its end is the substituted command and never another file.
    Descriptor,
    /// Anything.
    Unknown(Origin),
}

/// Where something unknown comes from; for the reason that a person reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Origin {
    /// A variable whose value is not followed.
    Variable,
    /// What a command prints.
    Substitution,
    /// What is read from input (`read`, `xargs`, `mapfile`).
    Input,
    /// A positional parameter.
    Positional,
    /// Arithmetic.
    Arithmetic,
    /// A tilde of a user whose home is not known.
    Tilde,
    /// Bytes that are not text.
    Bytes,
    /// A limit was reached.
    Limit,
}

/// How many words an expansion becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Count {
    /// Exactly one.
    One,
    /// At least one (an unquoted glob).
    OneOrMore,
    /// Any number, none included (an unquoted expansion, `"$@"`).
    Any,
}

/// How a word is spelled; what the flag-spelling checks need.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent facts about one word, read one at a time"
)]
pub struct Spelling {
    /// Some of it is quoted in any way.
    pub quoted: bool,
    /// Quoted and unquoted pieces meet, or empty quotes stand in it, or a letter is escaped by a backslash, or an ANSI-C
    /// string has escapes.
    pub pieced: bool,
    /// Something in it expands.
    pub expands: bool,
    /// A pattern that is not quoted stands in it, so that the shell looks for names of files.
    pub globs: bool,
}

/// One word of a command line after expansion, or a run of words that are alike.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Field {
    /// What each word is.
    pub value: Value,
    /// How many words.
    pub count: Count,
    /// The word in the text.
    pub span: Span,
    /// How it was spelled.
    pub spelling: Spelling,
}

impl Value {
    /// The text, where it is known exactly.
    #[must_use]
    pub fn known(&self) -> Option<&str> {
        match self {
            Self::Known(text) => Some(text),
            Self::OneOf(_)
            | Self::Glob(_)
            | Self::Below(_)
            | Self::Affixed { .. }
            | Self::Integer
            | Self::Descriptor
            | Self::Unknown(_) => None,
        }
    }
}

impl Field {
    /// A field of exactly one known word.
    #[must_use]
    pub fn literal(text: impl Into<SmolStr>, span: Span) -> Self {
        Self {
            value: Value::Known(text.into()),
            count: Count::One,
            span,
            spelling: Spelling::default(),
        }
    }

    /// The text, where it is exactly one known word.
    #[must_use]
    pub fn known(&self) -> Option<&str> {
        match self.count {
            Count::One => self.value.known(),
            Count::OneOrMore | Count::Any => None,
        }
    }
}
