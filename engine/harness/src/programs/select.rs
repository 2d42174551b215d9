//! Chooses the command lines that are run: for each defined program that is installed some whose definition explains every word.
//!
//! Invariants:
//! - a command line that nothing explains is not run, since it could never be allowed;
//! - the lines of one program do not depend on which others are installed.

use std::collections::BTreeSet;
use std::path::Path;

use engine_policy::definition::model::Definition;

use super::compose::{compose, example};
use super::cover::{Said, predict};
use super::readonly::Readonly;
use super::stand::{DIRECTORY, is_installed};
use super::{Campaign, Definitions};
use crate::random::Random;

/// Programs that are not started even so: they would wait for a person, or are about the whole machine.
const LEFT_OUT: &[&str] = &[
    "strace", "ltrace", "gdb", "reboot", "shutdown", "halt", "poweroff", "init", "yes", "sleep", "top",
    "htop", "bwrap",
    // The one that some kits install is another program, which asks the cluster for the version to start.
    "kubectl",
];

/// Command lines that are composed for each one that is wanted.
const TRIES: usize = 40;

/// One command line that is run.
#[derive(Debug)]
pub(super) struct Line {
    pub(super) words: Vec<String>,
    /// What its definition says; `None` where it says too little.
    pub(super) said: Option<Said>,
    /// Whether `builtin:readonly` allows it.
    pub(super) readonly: bool,
}

/// The programs of a campaign.
#[derive(Debug)]
pub(super) struct Selection {
    /// The installed definitions, each under the names it is installed as.
    pub(super) programs: Vec<Program>,
    /// Definitions there are.
    pub(super) definitions: usize,
    /// Names under which none is installed, one for each definition.
    pub(super) absent: Vec<String>,
}

/// One defined program that is installed.
#[derive(Debug)]
pub(super) struct Program {
    pub(super) name: String,
    here: Vec<Definition>,
}

/// Chooses the programs.
pub(super) fn select(definitions: &Definitions, only: Option<&str>) -> Selection {
    let mut selection = Selection {
        programs: Vec::new(),
        definitions: definitions.0.len(),
        absent: Vec::new(),
    };
    for definition in &definitions.0 {
        let names: Vec<_> = definition
            .names
            .iter()
            .filter(|name| only.is_none_or(|only| only == name.as_str()))
            .collect();
        let Some(first) = names.first() else { continue };
        let here: Vec<Definition> = names
            .iter()
            .filter(|name| is_installed(name) && !LEFT_OUT.contains(&name.as_str()))
            .map(|name| Definition {
                names: vec![(*name).clone()],
                ..definition.clone()
            })
            .collect();
        let name = first.to_string();
        if here.is_empty() {
            selection.absent.push(name);
        } else {
            selection.programs.push(Program { name, here });
        }
    }
    selection
}

/// Chooses the command lines of one program.
pub(super) struct Chooser<'a> {
    definitions: &'a Definitions,
    readonly: &'a Readonly,
    template: &'a Path,
    program: &'a Program,
    examples: Vec<Vec<String>>,
    random: Random,
    seen: BTreeSet<Vec<String>>,
    /// Lines of which nothing is announced.
    silent: usize,
    /// Lines that may be composed.
    left: usize,
    /// Lines that are wanted.
    pub(super) number: usize,
    /// Lines that were composed and are not run.
    pub(super) refused: usize,
}

impl<'a> Chooser<'a> {
    pub(super) fn new(
        definitions: &'a Definitions,
        readonly: &'a Readonly,
        template: &'a Path,
        program: &'a Program,
        campaign: Campaign<'_>,
    ) -> Self {
        let examples = program.here.iter().flat_map(|definition| {
            let of_it = |words: &Vec<String>| {
                words
                    .first()
                    .is_some_and(|word| definition.names.iter().any(|name| name == word))
            };
            let examples = definition.tests.iter();
            examples.filter_map(move |test| example(&test.command).filter(of_it))
        });
        let widest = program
            .here
            .iter()
            .map(|definition| definition.command.commands.len())
            .max();
        // Programs with many subcommands get more command lines.
        let number = campaign.number * (1 + widest.unwrap_or_default() / 10).min(6);
        Self {
            definitions,
            readonly,
            template,
            program,
            examples: examples.collect(),
            random: Random::new(mixed(campaign.seed, &program.name)),
            seen: BTreeSet::new(),
            silent: 0,
            left: number * TRIES,
            number,
            refused: 0,
        }
    }

    /// The next line to run, if there is one.
    pub(super) fn next(&mut self) -> Option<Line> {
        while let Some(left) = self.left.checked_sub(1) {
            self.left = left;
            let words = self.words()?;
            if let Some(line) = self.line(words) {
                return Some(line);
            }
            self.refused += 1;
        }
        None
    }

    fn words(&mut self) -> Option<Vec<String>> {
        let given = self.examples.get(self.random.below(self.examples.len()));
        if let Some(words) = given
            && self.random.percent(20)
        {
            return Some(words.clone());
        }
        let here = &self.program.here;
        let definition = here.get(self.left % here.len())?;
        Some(compose(&mut self.random, definition))
    }

    fn line(&mut self, words: Vec<String>) -> Option<Line> {
        if !self.seen.insert(words.clone()) {
            return None;
        }
        let said = predict(self.definitions, &words, DIRECTORY).ok();
        let something = said.as_ref().is_some_and(Said::is_something);
        if !something && self.silent >= self.number.div_ceil(2) {
            return None;
        }
        let readonly = self.readonly.allows(&words, self.template);
        if said.is_none() && !readonly {
            return None;
        }
        self.silent += usize::from(!something);
        Some(Line {
            words,
            said,
            readonly,
        })
    }
}

fn mixed(seed: u64, name: &str) -> u64 {
    name.bytes().fold(seed ^ 0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
