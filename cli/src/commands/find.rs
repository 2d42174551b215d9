//! The definitions that are known, where each comes from, and finding one by the words that name it.

use engine_policy::definition::model::Command;
use engine_policy::definition::{CommandNote, Definition, Shipped, shipped_definitions};
use engine_policy::{Loaded, nearest};

/// Where a definition comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// It ships with the engine.
    Shipped,
    /// A policy brings it along.
    Policy,
    /// It is what the program publishes of itself; a policy brings it along.
    Published,
}

impl Kind {
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Shipped => "shipped",
            Self::Policy => "policy",
            Self::Published => "published",
        }
    }
}

/// One definition.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub definition: Definition,
    pub kind: Kind,
    pub file: String,
    pub notes: Vec<CommandNote>,
}

impl Entry {
    pub(super) fn name(&self) -> &str {
        self.definition.names.first().map_or("", |name| name.as_str())
    }

    pub(super) fn note(&self, path: &str) -> Option<&CommandNote> {
        self.notes.iter().find(|note| note.path == path)
    }

    pub(super) fn line(&self, path: &str) -> u32 {
        self.note(path)
            .or_else(|| self.note(""))
            .map_or(1, |note| note.line)
    }
}

/// Every definition; what policies bring along stands before what is shipped.
pub(super) struct Known {
    pub entries: Vec<Entry>,
}

/// A program or subcommand that was asked for.
pub(super) struct Found<'k> {
    pub entry: &'k Entry,
    pub command: &'k Command,
    /// Subcommands that lead to it.
    pub path: Vec<&'k str>,
}

/// What a run of words names.
pub(super) enum Picked<'k> {
    /// A program or subcommand.
    Known(Found<'k>),
    /// Nothing.
    Unknown {
        name: String,
        /// The program or subcommand that it was looked for below.
        below: Option<String>,
        near: Option<String>,
    },
}

impl Known {
    pub(super) fn new(loaded: &Loaded) -> Self {
        let brought = loaded
            .definitions
            .iter()
            .zip(&loaded.brought)
            .map(|(definition, brought)| Entry {
                definition: definition.clone(),
                kind: if definition.published {
                    Kind::Published
                } else {
                    Kind::Policy
                },
                file: loaded.sources.name(brought.place).to_owned(),
                notes: brought.commands.clone(),
            });
        let mut entries: Vec<Entry> = brought.collect();
        let own = entries.len();
        for Shipped {
            definition,
            file,
            commands,
        } in shipped_definitions()
        {
            entries.push(Entry {
                definition,
                kind: Kind::Shipped,
                file: format!("tooldefs/commands/{file}"),
                notes: commands,
            });
        }
        let (first, rest) = entries.split_at_mut(own);
        first.sort_by(|a, b| a.name().cmp(b.name()));
        rest.sort_by(|a, b| a.name().cmp(b.name()));
        Self { entries }
    }

    /// The definitions of one name: the one that counts, and what the program publishes of itself beside it.
    fn of<'k>(&'k self, name: &'k str) -> impl Iterator<Item = &'k Entry> + 'k {
        let mut taken = false;
        self.entries
            .iter()
            .filter(move |entry| entry.definition.names.iter().any(|own| own == name))
            .filter(move |entry| match entry.kind {
                Kind::Published => true,
                Kind::Policy | Kind::Shipped => !std::mem::replace(&mut taken, true),
            })
    }

    /// Whether the definition counts for one of its names.
    pub(super) fn counts(&self, entry: &Entry) -> bool {
        entry.kind != Kind::Shipped
            || entry
                .definition
                .names
                .iter()
                .any(|name| self.of(name).any(|own| std::ptr::eq(own, entry)))
    }

    /// What words name: a program, and behind it subcommands of it as far as they are some; the next word begins anew.
    pub(super) fn pick<'k>(&'k self, words: &[&'k str]) -> Vec<Picked<'k>> {
        let mut picked = Vec::new();
        let mut rest = words.iter().copied().peekable();
        while let Some(name) = rest.next() {
            let mut open: Vec<Found<'k>> = self
                .of(name)
                .map(|entry| Found {
                    entry,
                    command: &entry.definition.command,
                    path: Vec::new(),
                })
                .collect();
            if open.is_empty() {
                picked.push(self.unknown(name, &[]));
                continue;
            }
            while let Some(word) = rest.peek().copied() {
                let deeper: Vec<Found<'k>> = open
                    .iter()
                    .filter_map(|found| {
                        let command = found.command.subcommand(word)?;
                        let mut path = found.path.clone();
                        path.push(&command.name);
                        Some(Found {
                            entry: found.entry,
                            command,
                            path,
                        })
                    })
                    .collect();
                let has_some = open.iter().any(|found| !found.command.commands.is_empty());
                if !deeper.is_empty() {
                    open = deeper;
                    rest.next();
                } else if has_some && self.of(word).next().is_none() {
                    picked.push(self.unknown(word, &open));
                    rest.next();
                    open.clear();
                    break;
                } else {
                    break;
                }
            }
            picked.extend(open.into_iter().map(Picked::Known));
        }
        picked
    }

    fn unknown(&self, name: &str, below: &[Found<'_>]) -> Picked<'_> {
        let subcommands = below
            .iter()
            .flat_map(|found| &found.command.commands)
            .flat_map(|command| std::iter::once(&command.name).chain(&command.aliases));
        let programs = self
            .entries
            .iter()
            .flat_map(|entry| &entry.definition.names)
            .filter(|_| below.is_empty());
        let near = nearest(name, subcommands.chain(programs).map(smol_str::SmolStr::as_str));
        Picked::Unknown {
            name: name.to_owned(),
            below: below.first().map(Found::called),
            near: near.map(str::to_owned),
        }
    }
}

impl Found<'_> {
    /// Program and subcommands.
    pub(super) fn called(&self) -> String {
        let mut out = self.entry.name().to_owned();
        for word in &self.path {
            out.push(' ');
            out.push_str(word);
        }
        out
    }
}
