//! What a command does, as its definition says: the result of holding an argv against a definition.
//!
//! Invariant (unknown stays): whatever of the argv the definition does not explain is in [`Use::unknowns`].

use engine_shell::{Field, Span, Value};
use smol_str::SmolStr;

pub use crate::definition::model::Follows;

/// An argv held against the definition of its program.
#[derive(Clone, Debug, PartialEq)]
pub struct Use {
    /// Program and subcommands as the definition spells them (`["git", "stash", "list"]`); an alias is resolved.
    pub command: Vec<SmolStr>,
    /// The normalised argv that command patterns match: program, subcommands, then options and operands in the order
    /// given; bundles are split, long options completed, `--flag=v` cut in two, options before a subcommand left out.
    pub words: Vec<NormalWord>,
    /// Options that stood before the subcommand, left out of `words`; their effects are in `effects`.
    pub set_aside: Vec<Field>,
    /// Everything it touches.
    pub effects: Vec<Effect>,
    /// The commands it runs in turn.
    pub nested: Vec<Nested>,
    /// What the definition does not explain.
    pub unknowns: Vec<Unknown>,
    /// Whether the definition claims to list every option of the program.
    pub complete: bool,
    /// Whether it runs other commands by design.
    pub wrapper: bool,
    /// What its standard output is, where the definition says: paths below this value (for `xargs`).
    pub prints_paths: Option<Value>,
    /// Whether it may read its standard input.
    pub reads_stdin: bool,
    /// What is run from its standard input (`sh`, `python`, ...).
    pub runs_stdin: Option<SmolStr>,
    /// Display class (`search`, `read`, `list`, `neutral`, `silent`).
    pub class: Option<SmolStr>,
    /// What whoever approves it is told.
    pub warnings: Vec<SmolStr>,
}

/// One word of a normalised argv.
#[derive(Clone, Debug, PartialEq)]
pub struct NormalWord {
    /// What it is.
    pub kind: WordKind,
    /// Its value. For an option: its canonical name (the first name listed) and nothing else.
    pub field: Field,
    /// For an option: all names it has, so that a pattern may use any of them.
    pub names: Vec<SmolStr>,
}

/// The kinds of words in a normalised argv.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WordKind {
    /// The program or a subcommand.
    Command,
    /// An option.
    Option,
    /// The value of the option before it.
    OptionValue,
    /// `--`
    EndOfOptions,
    /// Anything else.
    Operand,
}

/// One thing a command does.
#[derive(Clone, Debug, PartialEq)]
pub struct Effect {
    /// What is done to what.
    pub kind: EffectKind,
    /// The word that says so.
    pub span: Span,
    /// The option (canonical name) or operand (name in the definition) it comes from; empty for the program itself.
    pub from: SmolStr,
    /// Where it comes from.
    pub source: EffectSource,
}

/// Which part of the command line an effect comes from; rules that name a command cover operands more freely than options.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EffectSource {
    /// The program or subcommand itself.
    Own,
    /// An operand.
    Operand,
    /// An option or its value.
    Option,
    /// An option that was set aside (it stood before the subcommand).
    SetAside,
}

/// The things a command can do. Paths are as given: relative to [`Effect`]'s command directory.
#[derive(Clone, Debug, PartialEq)]
pub enum EffectKind {
    /// Reads a path.
    Reads(PathUse),
    /// Creates, truncates or appends to a path.
    Writes(PathUse),
    /// Removes a path.
    Deletes(PathUse),
    /// Connects to a host (URL, host, host:port) or, with `None`, to somewhere not named.
    Connects(Option<Value>),
    /// Sets a variable for what it runs.
    SetsEnv {
        /// The name, if known.
        name: Value,
        /// The value.
        value: Value,
    },
    /// Loads a plugin, script or configuration that can run code.
    LoadsCode(Value),
    /// Evaluates a program in a language that is not analysed.
    Evaluates(SmolStr),
    /// Writes state of its own besides its operands (`.git`).
    State(SmolStr),
    /// Changes something that nothing names (`date -s`); `destructive` cannot be undone.
    Changes {
        /// Cannot be undone.
        destructive: bool,
    },
    /// Raises privileges.
    Privileged,
    /// Leaves something running.
    Background,
    /// Waits for a person.
    Interactive,
    /// Reads a file that is found upwards from the directory and may name programs under these keys.
    Consults {
        /// Path below the directory in which it is found (`.git/config`).
        file: SmolStr,
        /// Keys that name programs (`core.fsmonitor`).
        keys: Vec<SmolStr>,
        /// What happens then, where it is not that a program of that name runs.
        because: Option<SmolStr>,
    },
}

/// A path that is touched.
#[derive(Clone, Debug, PartialEq)]
pub struct PathUse {
    /// The path as the program gets it.
    pub path: Value,
    /// The directory it is relative to, if an option changed it (`git -C`), relative to the command's own.
    pub below: Option<Value>,
    /// With everything below.
    pub tree: bool,
    /// Only files with names like one of these (for trees); empty: all.
    pub narrowed: Vec<Value>,
    /// Not files with names like these.
    pub excluded: Vec<Value>,
    /// Links below it are followed, and what they lead to is touched, too.
    pub follows: Follows,
    /// The path may be a directory in which files of these names are written (`writes-into`).
    pub into: Vec<Value>,
}

/// A command that a command runs.
#[derive(Clone, Debug, PartialEq)]
pub enum Nested {
    /// An argv.
    Argv {
        /// Program and arguments.
        words: Vec<Field>,
        /// Variables set for it (`env A=1 cmd`).
        env: Vec<(Value, Value)>,
        /// The directory it runs in, if changed, relative to the command's own.
        below: Option<Value>,
        /// Its standard input is that of the outer command.
        stdin: bool,
        /// The option or operand that named it.
        span: Span,
    },
    /// A text for a shell.
    Shell {
        /// The text.
        text: Field,
        /// The shell's `$0`, `$1`, ...
        positional: Vec<Field>,
        /// Which shell: `sh`, `bash`, `zsh`.
        shell: SmolStr,
        /// On another machine.
        remote: bool,
        /// The directory it runs in, if changed.
        below: Option<Value>,
        /// The option or operand that named it.
        span: Span,
    },
}

/// Something the definition does not explain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unknown {
    /// What kind of thing is unknown.
    pub kind: UnknownKind,
    /// One line for a person: "`--zap` is not a known option of `grep`".
    pub why: String,
    /// The word.
    pub span: Span,
}

/// The kinds of things that a definition may leave unexplained.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnknownKind {
    /// An option that is not listed, or a word that is some option for certain.
    Option,
    /// A word that is an operand as far as can be seen, but would be an option with effects if it began with a dash.
    MaybeOption,
    /// The subcommand.
    Subcommand,
    /// A value or operand.
    Value,
    /// The program that is run.
    Program,
    /// The definition itself says that this is not to be allowed without a rule.
    Stated,
}
