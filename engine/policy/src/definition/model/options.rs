//! Options, and how a program cuts its arguments into them.
//!
//! Invariant (closed model): plain data that survives serialisation.

use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

use super::Own;
use super::value::ValueEffect;

/// How arguments are cut into options and operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent habits of argument parsers, each named in the file"
)]
pub struct Options {
    /// The overall scheme.
    pub style: Style,
    /// Options may follow operands.
    pub permute: bool,
    /// `-ab` is `-a -b`.
    pub bundling: bool,
    /// An unambiguous beginning of a long option counts as it.
    pub abbreviations: bool,
    /// `-5` is inert.
    pub numbers: bool,
    /// Words that begin with `+` are options.
    pub plus: bool,
    /// `--` ends options.
    pub double_dash: bool,
    /// `-name=value` is `-name value` for words with one dash.
    pub equals: bool,
}

/// The schemes by which programs cut their arguments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Style {
    /// `-a`, `--all`, as GNU `getopt_long` does.
    #[default]
    Gnu,
    /// `-name` is one option (`find`, `java`); bare words that are listed are options too.
    SingleDashWords,
    /// A first word without dash is a bundle of short options (`tar`).
    Tar,
    /// `name=value` (`dd`).
    Dd,
    /// Every word is an operand.
    None,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            style: Style::Gnu,
            permute: true,
            bundling: true,
            abbreviations: false,
            numbers: false,
            plus: false,
            double_dash: true,
            equals: true,
        }
    }
}

/// An option.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent facts about one option, each named in the file"
)]
pub struct Flag {
    /// Its names, the canonical one first; never empty.
    pub names: Vec<SmolStr>,
    /// Whether and how a value follows.
    pub arity: Arity,
    /// Its values in order; empty with [`Arity::None`].
    pub values: Vec<FlagValue>,
    /// What giving it does, apart from its value.
    pub own: Vec<Own>,
    /// The key under which operands may be `unless-given` or `when-given`.
    pub satisfies: Option<SmolStr>,
    /// The option that it takes back (`--no-color`).
    pub negates: Option<SmolStr>,
    /// Its optional value may also be the next word, if that is no option.
    pub separate: bool,
    /// Every word after it is an operand.
    pub ends_options: bool,
    /// The program prints and ends; nothing else applies.
    pub terminal: bool,
    /// Also accepted after subcommands.
    pub global: bool,
}

/// Whether and how an option takes values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Arity {
    /// It takes none.
    #[default]
    None,
    /// It needs one, attached or as the next word; further ones are the words after.
    Next,
    /// It may take one, only attached.
    Optional,
    /// What follows the name in the same word (`-O3`, `if=file`).
    Glued,
    /// A run of words.
    Words,
}

/// The value of an option.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FlagValue {
    /// Its name in the definition.
    pub name: SmolStr,
    /// What it is.
    pub effects: Vec<ValueEffect>,
}

impl Flag {
    /// The name it is called by in reports and rules.
    #[must_use]
    pub fn canonical(&self) -> &SmolStr {
        const NONE: &SmolStr = &SmolStr::new_static("");
        self.names.first().unwrap_or(NONE)
    }

    /// Whether giving it can touch anything by itself.
    #[must_use]
    pub fn acts(&self) -> bool {
        !self.own.is_empty()
            || self
                .values
                .iter()
                .flat_map(|value| &value.effects)
                .any(|effect| effect.kind.acts())
    }
}
