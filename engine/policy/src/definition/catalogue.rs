//! The definitions that are known: those that ship and those that a policy brings along.
//!
//! Invariant (later wins): of several definitions with one name the last one that was added counts, and all of them count
//! before the shipped one. Invariant (stricter only): what a tool publishes of itself is kept apart and never found as a definition.

use std::sync::OnceLock;

use rustc_hash::FxHashMap;
use smol_str::SmolStr;

use self::index::{NAMES, PLACES, SHIPPED};
use super::model::{Definition, Example};
use super::notes::CommandNote;

/// Names and places of the shipped definitions, written by the build.
#[expect(clippy::unreadable_literal, reason = "offsets that nobody reads")]
mod index {
    include!(concat!(env!("OUT_DIR"), "/definitions.rs"));
}

/// All shipped definitions one after another, as they are stored.
static BYTES: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/definitions.bin"));

/// The examples of each of them.
static EXAMPLES: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/examples.bin"));

/// The file of each of them, and what stands there for people.
static NOTES: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/notes.bin"));

/// What was decoded so far; one program at a time, when it is first looked for.
static DECODED: [OnceLock<Option<Box<Definition>>>; SHIPPED] = [const { OnceLock::new() }; SHIPPED];

/// Definitions by name.
#[derive(Clone, Debug, Default)]
pub struct Catalogue {
    extra: Vec<Definition>,
    names: FxHashMap<SmolStr, usize>,
    published: FxHashMap<SmolStr, usize>,
}

impl Catalogue {
    /// The shipped definitions and these, the later ones first.
    #[must_use]
    pub fn new(extra: Vec<Definition>) -> Self {
        let names = |published: bool| {
            extra
                .iter()
                .enumerate()
                .filter(|(_, definition)| definition.published == published)
                .flat_map(|(at, definition)| definition.names.iter().map(move |name| (name.clone(), at)))
                .collect()
        };
        Self {
            names: names(false),
            published: names(true),
            extra,
        }
    }

    /// What a program publishes of itself, by its bare name.
    #[must_use]
    pub fn find_published(&self, name: &str) -> Option<&Definition> {
        self.extra.get(*self.published.get(name)?)
    }

    /// Finds the definition of a program by its bare name.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<&Definition> {
        if let Some(at) = self.names.get(name) {
            return self.extra.get(*at);
        }
        let at = NAMES.binary_search_by(|(known, _)| (*known).cmp(name)).ok()?;
        shipped(NAMES.get(at)?.1)
    }

    /// All names, sorted, each once.
    #[must_use]
    pub fn names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = NAMES
            .iter()
            .map(|(name, _)| *name)
            .chain(
                self.names
                    .keys()
                    .chain(self.published.keys())
                    .map(SmolStr::as_str),
            )
            .collect();
        names.sort_unstable();
        names.dedup();
        names
    }
}

/// A shipped definition with everything that its file says.
#[derive(Clone, Debug)]
pub struct Shipped {
    /// The definition, with its examples.
    pub definition: Definition,
    /// Its file below `tooldefs/commands`.
    pub file: SmolStr,
    /// The program (with an empty path) and its subcommands, in the order of the file.
    pub commands: Vec<CommandNote>,
}

/// Every shipped definition, each with its examples.
#[must_use]
pub fn shipped_with_examples() -> Vec<Definition> {
    shipped_definitions()
        .into_iter()
        .map(|shipped| shipped.definition)
        .collect()
}

/// Every shipped definition with its examples and places.
#[must_use]
pub fn shipped_definitions() -> Vec<Shipped> {
    let examples: Vec<Vec<Example>> = postcard::from_bytes(EXAMPLES).unwrap_or_default();
    let notes: Vec<(SmolStr, Vec<CommandNote>)> = postcard::from_bytes(NOTES).unwrap_or_default();
    examples
        .into_iter()
        .zip(notes)
        .zip(0..)
        .filter_map(|((tests, (file, commands)), number)| {
            let definition = shipped(number)?.clone();
            Some(Shipped {
                definition: Definition { tests, ..definition },
                file,
                commands,
            })
        })
        .collect()
}

/// Whether a definition of this name is shipped.
#[must_use]
pub fn is_shipped(name: &str) -> bool {
    NAMES.binary_search_by(|(known, _)| (*known).cmp(name)).is_ok()
}

fn shipped(number: u32) -> Option<&'static Definition> {
    let number = number as usize;
    DECODED
        .get(number)?
        .get_or_init(|| {
            let (start, end) = *PLACES.get(number)?;
            let bytes = BYTES.get(start as usize..end as usize)?;
            // A test decodes every one of them.
            postcard::from_bytes(bytes).ok().map(Box::new)
        })
        .as_deref()
}

#[cfg(test)]
mod tests {
    use super::{Catalogue, NAMES, shipped_with_examples};
    use crate::definition::{read_definitions, run_examples};

    fn files() -> Vec<(String, String)> {
        let directory = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tooldefs/commands");
        std::fs::read_dir(directory)
            .unwrap()
            .map(|entry| {
                let path = entry.unwrap().path();
                (
                    path.display().to_string(),
                    std::fs::read_to_string(&path).unwrap(),
                )
            })
            .collect()
    }

    #[test]
    fn every_shipped_definition_is_found_as_it_was_written() {
        let catalogue = Catalogue::default();
        let mut found = 0;
        for (file, text) in files() {
            let (definitions, problems) = read_definitions(&text);
            assert_eq!(problems, [], "{file}");
            for mut definition in definitions {
                definition.tests.clear();
                for name in &definition.names {
                    assert_eq!(catalogue.find(name), Some(&definition), "{file}");
                    found += 1;
                }
            }
        }
        assert_eq!(found, NAMES.len());
        assert!(found > 100);
    }

    #[test]
    fn examples_ship_beside_their_definitions() {
        let written: Vec<_> = files()
            .iter()
            .flat_map(|(_, text)| read_definitions(text).0)
            .map(|definition| (definition.names, definition.tests))
            .collect();
        let mut shipped: Vec<_> = shipped_with_examples()
            .into_iter()
            .map(|definition| (definition.names, definition.tests))
            .collect();
        assert_eq!(shipped.len(), written.len());
        shipped.retain(|one| !written.contains(one));
        assert_eq!(shipped, []);
    }

    #[test]
    fn every_shipped_definition_keeps_its_examples() {
        let mut failures = Vec::new();
        for (file, text) in files() {
            for definition in read_definitions(&text).0 {
                assert!(
                    !definition.tests.is_empty() || !definition.command.complete,
                    "{file} has no examples"
                );
                failures.extend(
                    run_examples(&definition)
                        .into_iter()
                        .map(|failure| (file.clone(), failure)),
                );
            }
        }
        assert_eq!(failures, []);
    }

    #[test]
    fn a_definition_that_is_brought_along_wins() {
        let read = |text: &str| read_definitions(text).0;
        let mut extra = read("bin \"ls\" \"our-ls\"\nabout \"one\"\ntests { nothing \"ls\" }");
        extra.extend(read("bin \"ls\"\nabout \"two\""));
        let catalogue = Catalogue::new(extra);
        assert_eq!(catalogue.find("ls").unwrap().about, "two");
        assert_eq!(catalogue.find("our-ls").unwrap().about, "one");
        assert_eq!(catalogue.find("no-such-program"), None);
    }
}
