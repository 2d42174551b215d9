//! Programs and subcommands.
//!
//! Invariant (searched, never built): names are indexed when a definition is read; a body is decoded when it is first asked for.

use std::fmt;
use std::sync::OnceLock;

use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

use super::options::{Flag, Options};
use super::{Arg, Block, Own};

/// A program or a subcommand.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound(deserialize = "'de: 'static"))]
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent facts about one command, each named in the file"
)]
pub struct Command {
    /// Its name as listed first.
    pub name: SmolStr,
    /// Other names.
    pub aliases: Vec<SmolStr>,
    /// Each of its names is a subcommand of its own rather than another word for the first.
    pub each: bool,
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
    #[serde(with = "names_first")]
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

/// How subcommands are stored: all names together, then all bodies. Whoever looks for one of hundreds reads one page, not all of them.
mod names_first {
    use std::sync::OnceLock;

    use serde::de::Error as _;
    use serde::ser::Error as _;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use smol_str::SmolStr;

    use super::Subcommand;

    /// Names, and how many bytes its body has.
    #[derive(Serialize, Deserialize)]
    struct Head(SmolStr, Vec<SmolStr>, u32);

    pub(super) fn serialize<S: Serializer>(
        commands: &[Subcommand],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let mut heads = Vec::with_capacity(commands.len());
        let mut bodies = Vec::new();
        for subcommand in commands {
            let body = subcommand
                .command()
                .ok_or_else(|| S::Error::custom("a subcommand without a body"))?;
            let before = bodies.len();
            bodies = postcard::to_extend(body, bodies).map_err(S::Error::custom)?;
            let bytes = u32::try_from(bodies.len() - before).map_err(S::Error::custom)?;
            heads.push(Head(subcommand.name.clone(), subcommand.aliases.clone(), bytes));
        }
        (heads, serde_bytes::Bytes::new(&bodies)).serialize(serializer)
    }

    pub(super) fn deserialize<'de: 'static, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Vec<Subcommand>, D::Error> {
        let (heads, bodies): (Vec<Head>, &'de serde_bytes::Bytes) = Deserialize::deserialize(deserializer)?;
        let mut left: &'static [u8] = bodies;
        heads
            .into_iter()
            .map(|Head(name, aliases, bytes)| {
                let (encoded, rest) = left
                    .split_at_checked(bytes as usize)
                    .ok_or_else(|| D::Error::custom("a subcommand is cut off"))?;
                left = rest;
                Ok(Subcommand {
                    name,
                    aliases,
                    encoded,
                    decoded: OnceLock::new(),
                })
            })
            .collect()
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
        let named = |fits: fn(&str, &str) -> bool| {
            self.commands.iter().find(|command| {
                fits(&command.name, name) || command.aliases.iter().any(|alias| fits(alias, name))
            })
        };
        named(|listed, name| listed == name)
            .or_else(|| {
                named(|listed, name| {
                    listed
                        .strip_suffix('*')
                        .is_some_and(|start| name.starts_with(start))
                })
            })?
            .command()
    }
}
