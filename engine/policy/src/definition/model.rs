//! A command definition as a value: what a program does with its arguments.
//!
//! Invariant (closed model): everything here is plain data that survives serialisation; names are indexed when a
//! definition is read, so that holding an argv against it searches and never builds.

#[path = "model/command.rs"]
mod command;
#[path = "model/options.rs"]
mod options;
#[path = "model/value.rs"]
mod value;

use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

pub use self::command::{Command, NameEntry, Subcommand};
pub use self::options::{Arity, Flag, FlagValue, Options, Style};
pub use self::value::{Appends, Follows, OrPath, Runs, ValueEffect, ValueKind};

/// What is known about one program, or a family of programs with the same options.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound(deserialize = "'de: 'static"))]
pub struct Definition {
    /// The names it is found under; never empty.
    pub names: Vec<SmolStr>,
    /// One line for a person.
    pub about: SmolStr,
    /// Manual and version it was read against; empty where not said.
    pub source: SmolStr,
    /// Options, operands, subcommands and effects of the program itself.
    pub command: Command,
    /// Command lines, without the program, with which it prints something of its own and ends.
    pub alone: Vec<Alone>,
    /// What its exit codes mean.
    pub exit_codes: Vec<ExitCode>,
    /// Examples that must hold; left out of the shipped form.
    pub tests: Vec<Example>,
    /// It is what a tool says of itself, which makes verdicts stricter and never milder.
    pub published: bool,
    /// The subcommand that is meant where the first operand is none.
    pub default_subcommand: Option<SmolStr>,
}

/// Words that do nothing where they are all the words there are.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Alone {
    /// The words, with one blank between.
    pub words: SmolStr,
    /// The names of the program that this is said of; all where there are none.
    pub of: Vec<SmolStr>,
    /// The names of subcommands may stand before the words.
    pub in_commands: bool,
}

/// An operand.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Arg {
    /// Its name.
    pub name: SmolStr,
    /// At least one is needed.
    pub required: bool,
    /// Any number.
    pub variadic: bool,
    /// Stands after `--`.
    pub after_dashes: bool,
    /// Left out if a flag that satisfies this key is given.
    pub unless_given: Option<SmolStr>,
    /// Left out unless a flag that satisfies this key is given.
    pub when_given: Option<SmolStr>,
    /// The value when none is given.
    pub default: Option<SmolStr>,
    /// What it is.
    pub effects: Vec<ValueEffect>,
}

/// What a program, subcommand, option or block does by itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Own {
    /// Changes something that no operand names.
    Changes {
        /// Cannot be undone.
        destructive: bool,
    },
    /// Connects somewhere that no operand names.
    Network,
    /// Raises privileges.
    Privileged,
    /// Leaves something running.
    Background,
    /// Waits for a person.
    Interactive,
    /// Reads its standard input.
    ReadsStdin,
    /// Runs what comes on standard input, as this language.
    RunsStdin(SmolStr),
    /// Writes state besides its operands.
    State(SmolStr),
    /// Its output is paths below this operand, or below the directory (`.`).
    PrintsPaths {
        /// Name of the operand, or `.`.
        arg: SmolStr,
        /// Without an operand the paths are spelled without `./`.
        bare: bool,
    },
    /// Never allowed without a rule.
    Unknown(SmolStr),
    /// Reads some of what is below a directory, and which it is cannot be seen.
    ReadsAmong(SmolStr),
    /// Reads every file that a list names: not to be allowed without a rule, but no worse than reading.
    ReadsListed(SmolStr),
    /// Writes files that neither an operand nor an option names.
    WritesListed(SmolStr),
    /// A file found upwards from the directory can name programs under these keys.
    Consults {
        /// The file.
        file: SmolStr,
        /// The keys.
        keys: Vec<SmolStr>,
        /// What happens then, where it is not that a program of that name runs.
        because: Option<SmolStr>,
    },
    /// Of what it reads with everything below, only files of these names.
    Narrows(Vec<SmolStr>),
    /// Reads a file that no operand names.
    Reads {
        /// The file.
        path: SmolStr,
        /// With everything below.
        tree: bool,
    },
    /// Writes a file that no operand names.
    Writes {
        /// The file.
        path: SmolStr,
        /// With everything below.
        tree: bool,
    },
    /// Evaluates a program in a language that is not analysed, named by no operand.
    Evaluates(SmolStr),
    /// The command line that is run when none is given.
    RunsDefault(Vec<SmolStr>),
    /// Whoever approves it is told this. Touches nothing.
    Warns {
        /// One line.
        text: SmolStr,
        /// Said only if a word holds one of these, in whatever case; always where there are none.
        containing: Vec<SmolStr>,
    },
}

/// What holds only with certain options or operands.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Block {
    /// All of these must hold.
    pub tests: Vec<Test>,
    /// It holds if the tests do not (`unless`).
    pub negated: bool,
    /// Operands that replace the ones outside.
    pub args: Vec<Arg>,
    /// What is done.
    pub own: Vec<Own>,
    /// What the value of an option (canonical name) is besides.
    pub values: Vec<(SmolStr, Vec<ValueEffect>)>,
    /// Blocks inside.
    pub blocks: Vec<Block>,
}

/// One condition of a [`Block`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Test {
    /// One of these options is given (canonical names).
    Flags(Vec<SmolStr>),
    /// This many operands are given.
    Operands {
        /// At least.
        least: u32,
        /// At most.
        most: Option<u32>,
    },
    /// One of these options (canonical names) is given, and whenever one is, its value is one of these words.
    Value {
        /// The options.
        flags: Vec<SmolStr>,
        /// The words.
        words: Vec<SmolStr>,
    },
    /// The operand at this place (from 1) is one of these words.
    Operand {
        /// The words; `*` in one stands for any text.
        words: Vec<SmolStr>,
        /// The place, from 1.
        index: u32,
        /// Without regard to case; the words are in lower case then.
        fold: bool,
    },
}

/// What an exit code means.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExitCode {
    /// The subcommand that ends with it, by the first names of its path; empty if the whole program does.
    pub command: Vec<SmolStr>,
    /// The code.
    pub code: i32,
    /// One line.
    pub about: SmolStr,
    /// It is no failure.
    pub ok: bool,
}

impl ExitCode {
    /// Whether it is said of a command line of this program and these subcommands.
    #[must_use]
    pub fn is_of(&self, command: &[SmolStr]) -> bool {
        command
            .split_first()
            .is_some_and(|(_program, subcommands)| subcommands.starts_with(&self.command))
    }
}

/// One example that stands beside a definition.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Example {
    /// What is claimed.
    pub claim: Claim,
    /// The command line.
    pub command: SmolStr,
    /// What is expected.
    pub expected: Vec<SmolStr>,
    /// Byte offsets of the example in its file.
    pub span: (u32, u32),
}

/// What an [`Example`] claims.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Claim {
    /// Exactly these paths are read.
    Reads,
    /// Exactly these paths are written.
    Writes,
    /// Exactly these paths are removed.
    Deletes,
    /// Exactly these command lines are run.
    Runs,
    /// Exactly these hosts are connected to.
    Connects,
    /// Exactly these plugins or configurations are loaded.
    LoadsCode,
    /// It is understood and nothing is done.
    Nothing,
    /// Something is not explained.
    Unknown,
    /// Everything is explained.
    Known,
    /// It changes something that nothing names.
    Changes,
}
