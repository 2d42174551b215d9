//! What following a script yields: everything that may be run, opened and set, with abstract values and places.

use smol_str::SmolStr;

use crate::{Field, NotUnderstood, Origin, Shell, Span, Value};

/// Everything a script may do as far as the shell itself is concerned. Programs' own effects are not here: they follow from
/// the programs' definitions.
///
/// Invariant (nothing unpredicted): whatever the shell would execute or open is covered by an invocation or an access here,
/// or `refusals` is not empty.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Evaluation {
    /// Commands that may run, builtins included, in the order of the text where that is defined.
    pub invocations: Vec<Invocation>,
    /// Files that redirections open.
    pub accesses: Vec<Access>,
    /// Patterns for which the shell lists directories, but for those among the words of an invocation.
    pub listings: Vec<Listing>,
    /// Variables that are set in the shell or for one command.
    pub settings: Vec<Setting>,
    /// What is not understood. With any of these nothing can be allowed; the rest still serves deny rules.
    pub refusals: Vec<NotUnderstood>,
}

/// One command that may run.
#[derive(Clone, Debug, PartialEq)]
pub struct Invocation {
    /// The program and its arguments; never empty.
    pub words: Vec<Field>,
    /// Builtin of the shell, or a program found through PATH or by its path.
    pub kind: InvocationKind,
    /// The simple command in the text (assignments, words and redirections).
    pub span: Span,
    /// Assignments before the command word, as indices into [`Evaluation::settings`].
    pub settings: Vec<usize>,
    /// Variables exported earlier in the same text that the command inherits, as indices into [`Evaluation::settings`].
    pub inherited: Vec<usize>,
    /// The directory it runs in.
    pub directory: Directory,
    /// What its standard input is.
    pub stdin: Stdin,
    /// Invocations that read its standard output through a pipe, as indices into [`Evaluation::invocations`].
    pub piped_into: Vec<usize>,
    /// Whether its standard output becomes part of a word (it stands in a command substitution).
    pub captured: bool,
    /// How it is reached.
    pub reach: Reach,
}

/// Who runs a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum InvocationKind {
    /// A builtin of the declared shell. For `command`, `builtin`, `exec`, `eval`, `trap`, `source` the inner commands are
    /// invocations of their own.
    Builtin,
    /// A program.
    Program,
}

/// The directories a command may run in.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Directory {
    /// One of these absolute, lexically normal paths (at least one, at most 8).
    OneOf(Vec<SmolStr>),
    /// Not known.
    Unknown(Origin),
}

/// What a command reads as its standard input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stdin {
    /// What the whole text was started with.
    Inherited,
    /// Nothing: closed or `/dev/null`.
    Empty,
    /// A file (also an [`Access`] of its own).
    File(Value),
    /// A here-document, a here-string, or what a builtin prints into a pipe; the value is the whole text, of which nothing was read
    /// before.
    Text(Value),
    /// The output of these invocations (indices into [`Evaluation::invocations`]), or what is left of it; without any, of something that is
    /// not known.
    Pipe(Vec<usize>),
    /// What follows in the text that is being run, which its shell reads from there line by line (`bash <<E`): whatever reads
    /// from it changes what the shell runs next.
    Script,
}

/// How a command is reached.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent facts about one place, read one at a time by conditions"
)]
pub struct Reach {
    /// Depends on the status of something before it.
    pub conditional: bool,
    /// In a loop.
    pub looped: bool,
    /// In a command or process substitution.
    pub substituted: bool,
    /// In the background.
    pub background: bool,
    /// A stage of a pipeline of more than one.
    pub piped: bool,
    /// In text that is evaluated again (`eval`, `bash -c`, `trap`).
    pub reevaluated: bool,
}

/// One file that a redirection opens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Access {
    /// How it is opened.
    pub mode: AccessMode,
    /// The path as the shell would pass it.
    pub path: Value,
    /// Directory that a relative path starts from.
    pub directory: Directory,
    /// The redirection in the text.
    pub span: Span,
}

/// A pattern whose matches the shell looks up. Where it is not known as a whole, neither is what is listed for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listing {
    /// The word that has the pattern in it.
    pub field: Field,
    /// Directory that a relative pattern starts from.
    pub directory: Directory,
}

/// How a file is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AccessMode {
    /// `<`
    Read,
    /// `>`, `>|`, `&>`: truncates or creates.
    Write,
    /// `>>`
    Append,
    /// `<>`
    ReadWrite,
}

/// A variable that is set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// Its name.
    pub name: SmolStr,
    /// What it is set to.
    pub value: Value,
    /// For whom.
    pub scope: SettingScope,
    /// The assignment in the text.
    pub span: Span,
}

/// Who sees a variable that is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SettingScope {
    /// One command (`X=1 cmd`).
    Command,
    /// The shell only (`X=1`), though a name that the environment held already stays exported.
    Shell,
    /// The shell and every later command (`export`, `declare -x`).
    Exported,
}

/// What the evaluation may know about the world.
#[derive(Clone, Debug)]
pub struct Context<'a> {
    /// The shell that runs the text.
    pub shell: Shell,
    /// The limits.
    pub limits: &'a crate::Limits,
    /// The home directory, absolute.
    pub home: Option<SmolStr>,
    /// Where the text starts to run.
    pub directory: Directory,
    /// Variables with known values, besides `HOME` and `PWD` which follow from the fields above.
    pub variables: Vec<(SmolStr, Value)>,
    /// `$0`, `$1`, ... where they are known (`bash -c text name args`); `None` where they are not.
    pub positional: Option<Vec<Field>>,
    /// What standard input is.
    pub stdin: Stdin,
    /// Level of re-evaluation of this text: 0 for what the caller was asked about.
    pub level: usize,
}
