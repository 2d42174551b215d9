//! A command definition as a value: what a program does with its arguments.
//!
//! Invariant (closed model): everything here is plain data that survives serialisation; names are indexed when a
//! definition is read, so that holding an argv against it searches and never builds.

use std::fmt;
use std::sync::OnceLock;

use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use smol_str::SmolStr;

use super::shape::{Renaming, Shape};

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
}

/// Words that do nothing where they are all the words there are.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Alone {
    /// The words, with one blank between.
    pub words: SmolStr,
    /// The names of the program that this is said of; all where there are none.
    pub of: Vec<SmolStr>,
}

/// A program or a subcommand.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound(deserialize = "'de: 'static"))]
pub struct Command {
    /// Its name as listed first.
    pub name: SmolStr,
    /// Other names.
    pub aliases: Vec<SmolStr>,
    /// Display class (`search`, `read`, `list`, `neutral`, `silent`).
    pub class: Option<SmolStr>,
    /// Every option of its manual stands here.
    pub complete: bool,
    /// It runs the command in its arguments.
    pub wrapper: bool,
    /// How its arguments are cut.
    pub options: Options,
    /// Its options.
    pub flags: Vec<Flag>,
    /// All names of `flags`, sorted.
    pub index: Vec<NameEntry>,
    /// Its operands in order.
    pub args: Vec<Arg>,
    /// Its subcommands.
    pub commands: Vec<Subcommand>,
    /// What holds only with certain options or operands.
    pub blocks: Vec<Block>,
    /// What it does whatever its arguments are.
    pub own: Vec<Own>,
    /// Whether some operand, here or in a block, begins a command line that is run.
    pub operands_run: bool,
}

/// A subcommand under its names. Its body is decoded when it is first asked for: of the hundreds of subcommands of some programs a
/// command line uses one.
pub struct Subcommand {
    /// Its name as listed first.
    pub name: SmolStr,
    /// Other names.
    pub aliases: Vec<SmolStr>,
    encoded: &'static [u8],
    decoded: OnceLock<Option<Box<Command>>>,
}

impl Subcommand {
    /// Its body; `None` if its bytes were not written by this build.
    #[must_use]
    pub fn command(&self) -> Option<&Command> {
        self.decoded
            .get_or_init(|| postcard::from_bytes(self.encoded).ok().map(Box::new))
            .as_deref()
    }
}

impl From<Command> for Subcommand {
    fn from(command: Command) -> Self {
        Self {
            name: command.name.clone(),
            aliases: command.aliases.clone(),
            encoded: &[],
            decoded: OnceLock::from(Some(Box::new(command))),
        }
    }
}

impl Clone for Subcommand {
    fn clone(&self) -> Self {
        Self {
            name: self.name.clone(),
            aliases: self.aliases.clone(),
            encoded: self.encoded,
            decoded: self.decoded.clone(),
        }
    }
}

impl PartialEq for Subcommand {
    fn eq(&self, other: &Self) -> bool {
        self.command() == other.command()
    }
}

impl Eq for Subcommand {}

impl fmt::Debug for Subcommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Subcommand").field(&self.command()).finish()
    }
}

impl Serialize for Subcommand {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let body = self
            .command()
            .ok_or_else(|| S::Error::custom("a subcommand without a body"))?;
        let bytes = postcard::to_allocvec(body).map_err(S::Error::custom)?;
        (&self.name, &self.aliases, serde_bytes::Bytes::new(&bytes)).serialize(serializer)
    }
}

impl<'de: 'static> Deserialize<'de> for Subcommand {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let (name, aliases, body): (_, _, &'de serde_bytes::Bytes) = Deserialize::deserialize(deserializer)?;
        Ok(Self {
            name,
            aliases,
            encoded: body,
            decoded: OnceLock::new(),
        })
    }
}

/// One name of a flag: `flags[flag].names[name]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NameEntry {
    /// Index into the command's flags.
    pub flag: u16,
    /// Index into the flag's names.
    pub name: u16,
}

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
    },
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
    /// The operand at this place (from 1) is one of these words.
    Operand {
        /// The words.
        words: Vec<SmolStr>,
        /// The place, from 1.
        index: u32,
    },
}

/// What an exit code means.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExitCode {
    /// The code.
    pub code: i32,
    /// One line.
    pub about: SmolStr,
    /// It is no failure.
    pub ok: bool,
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

impl Command {
    /// Finds the flag with exactly this name, of this command alone.
    #[must_use]
    pub fn flag(&self, name: &str) -> Option<&Flag> {
        let at = self
            .index
            .binary_search_by(|entry| self.entry_name(*entry).cmp(name))
            .ok()?;
        self.flags.get(usize::from(self.index.get(at)?.flag))
    }

    /// The name that an index entry stands for.
    #[must_use]
    pub fn entry_name(&self, entry: NameEntry) -> &str {
        self.flags
            .get(usize::from(entry.flag))
            .and_then(|flag| flag.names.get(usize::from(entry.name)))
            .map_or("", SmolStr::as_str)
    }

    /// Index entries of the names that begin with `beginning`.
    pub fn flags_beginning<'a>(&'a self, beginning: &'a str) -> impl Iterator<Item = &'a Flag> + 'a {
        let from = self
            .index
            .partition_point(|entry| self.entry_name(*entry) < beginning);
        self.index
            .iter()
            .skip(from)
            .take_while(move |entry| self.entry_name(**entry).starts_with(beginning))
            .filter_map(|entry| self.flags.get(usize::from(entry.flag)))
    }

    /// Finds a subcommand by name or alias.
    #[must_use]
    pub fn subcommand(&self, name: &str) -> Option<&Command> {
        self.commands
            .iter()
            .find(|command| command.name == name || command.aliases.iter().any(|alias| alias == name))?
            .command()
    }
}

impl Flag {
    /// The name it is called by in reports and rules.
    #[must_use]
    pub fn canonical(&self) -> &SmolStr {
        const NONE: &SmolStr = &SmolStr::new_static("");
        self.names.first().unwrap_or(NONE)
    }
}

impl ValueKind {
    /// How the command line that begins here is found.
    #[must_use]
    pub fn runs(&self) -> Option<&Runs> {
        match self {
            Self::Runs(runs) => Some(runs),
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
            | Self::RunsSplit
            | Self::RunsShell { .. }
            | Self::Evaluates(_)
            | Self::LoadsCode
            | Self::SetsEnv
            | Self::ChangesDirectory { .. }
            | Self::Narrows
            | Self::Excludes
            | Self::Appears => None,
        }
    }

    /// An operand of this kind takes the words after it with it.
    #[must_use]
    pub fn takes_the_rest(&self) -> bool {
        self.runs().is_some() || matches!(self, Self::RunsShell { each: false, .. })
    }
}
