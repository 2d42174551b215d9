//! Files of command definitions that policies bring along, and the files that belong to them.
//!
//! Invariant (bounded): each file is read once, in bounded depth and number, and a circle of files is an error. Invariant (known on
//! purpose): no definition takes the place of another without saying so.

use engine_shell::Span;
use smol_str::SmolStr;

use super::{Files, Loaded, resolve};
use crate::definition::{
    CommandNote, Definition, Holds, Problem, Read, Weight, is_shipped, merge, read_file,
};
use crate::diagnostic::{Diagnostic, Level};
use crate::source::{Place, SourceId, Spanned};

/// Where a definition that a policy brings along stands, and what its file says for people.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Brought {
    /// The node that names the program.
    pub place: Place,
    /// The program (with an empty path) and its subcommands, in the order of the file.
    pub commands: Vec<CommandNote>,
}

/// Levels of `include` within `include`.
const MAX_INCLUDE_DEPTH: usize = 16;

/// Files that belong to the definitions of one policy.
const MAX_INCLUDED_FILES: usize = 64;

/// Codes of problems about a name that is taken.
const TAKEN_NAME: &[&str] = &["commands::duplicate", "commands::shipped"];

/// Most problems of one file that are reported.
const MAX_PROBLEMS: usize = 100;

impl Loaded {
    /// Reads a file of definitions by itself, as a policy that names it would. That it defines what is shipped is no problem then.
    #[must_use]
    pub fn of_definitions(path: &str, files: &dyn Files) -> Self {
        let mut loaded = Self::default();
        let place = loaded.nowhere(path);
        loaded.commands(path, files, &Spanned::new(SmolStr::new(path), place));
        loaded
            .diagnostics
            .retain(|problem| problem.code != "commands::shipped");
        loaded
    }

    /// Reads a file of definitions that a policy names.
    pub(super) fn commands(&mut self, path: &str, files: &dyn Files, named: &Spanned<SmolStr>) {
        if self.seen_definitions.iter().any(|own| own == path) || self.is_outside(path, Some(named.place)) {
            return;
        }
        self.seen_definitions.push(path.to_owned());
        let Some((source, read)) =
            self.definition_file(path, files, Holds::Definitions, named.place, Level::Error)
        else {
            return;
        };
        let mut open = vec![path.to_owned()];
        for mut one in read {
            let includes = std::mem::take(&mut one.notes.includes);
            for include in includes {
                let place = place_of(source, &include.span);
                self.include(&mut one, &include.path, path, files, place, &mut open);
            }
            self.bring(one, source);
        }
    }

    /// Reads a file; `None` if there is nothing to use. Every problem is noted.
    fn definition_file(
        &mut self,
        path: &str,
        files: &dyn Files,
        holds: Holds,
        named: Place,
        missing: Level,
    ) -> Option<(SourceId, Vec<Read>)> {
        let text = match files.text(path) {
            Ok(text) => text,
            Err(why) => {
                let message = format!("cannot read `{path}`: {why}");
                self.diagnostics.push(Diagnostic {
                    level: missing,
                    ..Diagnostic::error("policy::missing-file", message, named)
                });
                return None;
            }
        };
        let (read, mut problems) = read_file(&text, holds);
        let source = self.sources.add(path, &text)?;
        problems.sort_by_key(|problem| (problem.weight == Weight::Warning, problem.span.start));
        for problem in problems.into_iter().take(MAX_PROBLEMS) {
            self.diagnostics.push(diagnostic(problem, source));
        }
        Some((source, read))
    }

    /// Puts the content of an included file into a definition.
    fn include(
        &mut self,
        into: &mut Read,
        written: &str,
        from: &str,
        files: &dyn Files,
        place: Place,
        open: &mut Vec<String>,
    ) {
        let path = resolve(from, written);
        let refused = if open.contains(&path) {
            let message = format!("`{path}` includes itself, through {}", open.join(", "));
            Some(("commands::include-cycle", message))
        } else if open.len() > MAX_INCLUDE_DEPTH {
            let message = format!("`include` goes deeper than {MAX_INCLUDE_DEPTH} files");
            Some(("commands::include-depth", message))
        } else if self.included >= MAX_INCLUDED_FILES {
            let message = format!("more than {MAX_INCLUDED_FILES} files are included");
            Some(("commands::include-count", message))
        } else {
            None
        };
        if let Some((code, message)) = refused {
            self.diagnostics.push(Diagnostic::error(code, message, place));
            return;
        }
        if self.is_outside(&path, Some(place)) {
            return;
        }
        self.included += 1;
        // A specification may be handed over without the files it was made from.
        let missing = if into.definition.published {
            Level::Warning
        } else {
            Level::Error
        };
        let Some((source, parts)) = self.definition_file(&path, files, Holds::Part, place, missing) else {
            return;
        };
        open.push(path.clone());
        for mut part in parts {
            // Its examples are told by the place that includes them.
            for example in &mut part.definition.tests {
                example.span = (place.span.start, place.span.end);
            }
            for include in std::mem::take(&mut part.notes.includes) {
                let place = place_of(source, &include.span);
                self.include(&mut part, &include.path, &path, files, place, open);
            }
            merge(&mut into.definition, part.definition);
        }
        open.pop();
    }

    /// Adds a definition, unless its names are taken.
    fn bring(&mut self, read: Read, source: SourceId) {
        let Read { definition, notes } = read;
        let place = place_of(source, &notes.span);
        for (at, name) in definition.names.iter().enumerate() {
            if definition.names.iter().take(at).any(|before| before == name) {
                let message = format!("`{name}` is named twice");
                self.diagnostics
                    .push(Diagnostic::error("commands::duplicate", message, place));
                continue;
            }
            if let Some(first) = self.place_of_definition(name) {
                let message = format!("`{name}` is defined twice");
                self.diagnostics.push(
                    Diagnostic::error("commands::duplicate", message, place)
                        .label(first, "first here")
                        .help("keep one of the definitions"),
                );
            }
            if !definition.published && !notes.replaces && is_shipped(name) {
                let message = format!("`{name}` has a definition that is shipped");
                let help = format!(
                    "write `replaces` if this one is to count instead; `engine commands {name}` shows the shipped one"
                );
                self.diagnostics
                    .push(Diagnostic::error("commands::shipped", message, place).help(help));
            }
        }
        self.brought.push(Brought {
            place,
            commands: notes.commands,
        });
        self.definitions.push(definition);
    }

    /// Takes back the definitions of a layer that nobody has trusted, from a place in the lists on; returns how many. What programs
    /// publish of themselves stays, since it only makes verdicts stricter.
    pub(super) fn withhold_definitions(&mut self, from: usize, diagnostics: usize) -> usize {
        let definitions = self.definitions.split_off(from);
        let brought = self.brought.split_off(from);
        let count = definitions.len();
        for (definition, place) in definitions.into_iter().zip(brought) {
            if definition.published {
                self.definitions.push(definition);
                self.brought.push(place);
            }
        }
        // Layers that follow have their own full say of the same files.
        let sources = &self.sources;
        let kept: Vec<&str> = self
            .brought
            .iter()
            .map(|brought| sources.name(brought.place))
            .collect();
        self.seen_definitions.retain(|path| kept.contains(&path.as_str()));
        // Nor do they get in the way of others.
        let mut at = 0;
        self.diagnostics.retain(|problem| {
            at += 1;
            at <= diagnostics || !TAKEN_NAME.contains(&problem.code)
        });
        count + from - self.definitions.len()
    }

    fn place_of_definition(&self, name: &str) -> Option<Place> {
        self.definitions
            .iter()
            .zip(&self.brought)
            .find(|(definition, _)| named(definition, name))
            .map(|(_, brought)| brought.place)
    }
}

fn named(definition: &Definition, name: &str) -> bool {
    definition.names.iter().any(|own| own == name)
}

fn place_of(source: SourceId, span: &std::ops::Range<usize>) -> Place {
    Place {
        source,
        span: Span::new(span.start, span.end),
    }
}

fn diagnostic(problem: Problem, source: SourceId) -> Diagnostic {
    Diagnostic {
        level: match problem.weight {
            Weight::Warning => Level::Warning,
            Weight::Error => Level::Error,
        },
        code: "commands::definition",
        message: problem.message,
        labels: vec![(place_of(source, &problem.span), problem.label)],
        help: problem.help,
    }
}
