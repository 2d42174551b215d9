//! From named policy files to everything they build on: `extends` and `commands` are followed, in order, each file once.
//!
//! Invariant (nothing missing): a file that is named but cannot be read is an error, never an empty policy.

use engine_shell::Span;
use smol_str::SmolStr;

use crate::definition::{Definition, read_definitions};
use crate::diagnostic::{Diagnostic, Level};
use crate::document::Document;
use crate::facts::join_path;
use crate::plan::{Plan, compile};
use crate::read::{Format, read};
use crate::source::{Place, Sources, Spanned};

/// The shipped policies by the name that `extends` uses.
pub const SHIPPED: &[(&str, &str)] = &[
    ("builtin:base", include_str!("../../../policies/base.kdl")),
    ("builtin:readonly", include_str!("../../../policies/readonly.kdl")),
];

/// The text of a shipped policy.
#[must_use]
pub fn shipped(name: &str) -> Option<&'static str> {
    SHIPPED
        .iter()
        .find(|(own, _)| *own == name)
        .map(|&(_, text)| text)
}

/// How files are read; the only I/O of loading.
pub trait Files {
    /// The text of a file, or why it cannot be read.
    ///
    /// # Errors
    /// One line for a person.
    fn text(&self, path: &str) -> Result<String, String>;
}

/// Where a policy starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Root {
    /// A file.
    File(String),
    /// A shipped policy, by its whole name.
    Shipped(&'static str),
    /// A text that is at hand, with the name to show for it.
    Text {
        /// Name to show; relative files are found from its directory.
        name: String,
        /// The text.
        text: String,
        /// How it is spelled.
        format: Format,
    },
}

/// What loading gives.
#[derive(Debug, Default)]
pub struct Loaded {
    /// The documents, what is extended before what extends it.
    pub documents: Vec<Document>,
    /// Command definitions that they bring along.
    pub definitions: Vec<Definition>,
    /// Every text that was read.
    pub sources: Sources,
    /// Every problem; with an error among them there is no policy.
    pub diagnostics: Vec<Diagnostic>,
    /// Number of documents that came from the roots themselves, at the end of `documents`.
    pub own: usize,
    seen: Vec<String>,
    open: Vec<String>,
}

/// Levels of `extends` within `extends`.
const MAX_EXTENDS_DEPTH: usize = 32;

/// Reads the roots and everything they build on.
#[must_use]
pub fn load(roots: &[Root], files: &dyn Files) -> Loaded {
    let mut loaded = Loaded::default();
    for root in roots {
        match root {
            Root::File(path) => {
                loaded.file(path, files, None, 0);
            }
            Root::Shipped(name) => {
                loaded.file(name, files, None, 0);
            }
            Root::Text { name, text, format } => loaded.text(name, text, *format, files, 0),
        }
    }
    loaded
}

impl Loaded {
    /// Whether something is wrong that makes the policy useless.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.diagnostics
            .iter()
            .any(|diagnostic| diagnostic.level == Level::Error)
    }

    /// Compiles what was loaded; with errors there is no plan, and the diagnostics say why.
    pub fn compile(&mut self) -> Option<Plan> {
        if self.has_errors() {
            return None;
        }
        match compile(&self.documents, self.definitions.clone(), &self.sources) {
            Ok(plan) => Some(plan),
            Err(problems) => {
                self.diagnostics.extend(problems);
                None
            }
        }
    }

    fn file(&mut self, path: &str, files: &dyn Files, named_at: Option<Place>, depth: usize) {
        if self.open.iter().any(|own| own == path) {
            let message = format!("`{path}` extends itself, through {}", self.open.join(", "));
            self.diagnostics.push(Diagnostic::error(
                "policy::extends-cycle",
                message,
                named_at.unwrap_or_default(),
            ));
            return;
        }
        if self.seen.iter().any(|own| own == path) {
            return;
        }
        if depth > MAX_EXTENDS_DEPTH {
            let message = format!("`extends` goes deeper than {MAX_EXTENDS_DEPTH} files");
            self.diagnostics.push(Diagnostic::error(
                "policy::extends-depth",
                message,
                named_at.unwrap_or_default(),
            ));
            return;
        }
        let text = match (shipped(path), path.starts_with("builtin:")) {
            (Some(text), _) => Ok(text.to_owned()),
            (None, true) => Err(format!("no such shipped policy; there is {}", names_of_shipped())),
            (None, false) => files.text(path),
        };
        let text = match text {
            Ok(text) => text,
            Err(why) => {
                let place = named_at.unwrap_or_else(|| self.nowhere(path));
                let message = format!("cannot read `{path}`: {why}");
                self.diagnostics
                    .push(Diagnostic::error("policy::missing-file", message, place));
                return;
            }
        };
        let format = if path.starts_with("builtin:") {
            Some(Format::Kdl)
        } else {
            Format::of_name(path)
        };
        let Some(format) = format else {
            let place = named_at.unwrap_or_else(|| self.nowhere(path));
            let mut problem = Diagnostic::error(
                "policy::unknown-format",
                format!("`{path}` is neither .kdl nor .toml"),
                place,
            );
            problem.help = Some("name the file so that its ending says how it is spelled".to_owned());
            self.diagnostics.push(problem);
            return;
        };
        self.text(path, &text, format, files, depth);
    }

    /// A place in an empty text that stands for a file without one.
    fn nowhere(&mut self, path: &str) -> Place {
        self.sources
            .add(path, "")
            .map_or_else(Place::default, |source| Place {
                source,
                ..Place::default()
            })
    }

    fn text(&mut self, name: &str, text: &str, format: Format, files: &dyn Files, depth: usize) {
        self.seen.push(name.to_owned());
        let (document, diagnostics) = read(name, text, format, &mut self.sources);
        self.diagnostics.extend(diagnostics);
        let Some(document) = document else { return };
        self.open.push(name.to_owned());
        for extended in &document.extends {
            self.file(
                &resolve(name, &extended.value),
                files,
                Some(extended.place),
                depth + 1,
            );
        }
        self.open.pop();
        for commands in &document.commands {
            self.commands(&resolve(name, &commands.value), files, commands);
        }
        self.documents.push(document);
        if depth == 0 {
            self.own += 1;
        }
    }

    fn commands(&mut self, path: &str, files: &dyn Files, named: &Spanned<SmolStr>) {
        let text = match files.text(path) {
            Ok(text) => text,
            Err(why) => {
                let message = format!("cannot read `{path}`: {why}");
                self.diagnostics
                    .push(Diagnostic::error("policy::missing-file", message, named.place));
                return;
            }
        };
        let (definitions, problems) = read_definitions(&text);
        self.definitions.extend(definitions);
        let Some(source) = self.sources.add(path, &text) else {
            return;
        };
        for problem in problems {
            let place = Place {
                source,
                span: Span::new(problem.span.start, problem.span.end),
            };
            self.diagnostics.push(Diagnostic {
                level: Level::Error,
                code: "commands::definition",
                message: problem.message,
                labels: vec![(place, problem.label)],
                help: problem.help,
            });
        }
    }
}

/// A path that a file names, from that file's directory.
fn resolve(from: &str, path: &str) -> String {
    if path.starts_with("builtin:") || path.starts_with('/') {
        return path.to_owned();
    }
    match from.rsplit_once('/') {
        Some((directory, _)) if directory.starts_with('/') => join_path(directory, path).to_string(),
        Some((directory, _)) => format!("{directory}/{path}"),
        None => path.to_owned(),
    }
}

fn names_of_shipped() -> String {
    SHIPPED
        .iter()
        .map(|(name, _)| format!("`{name}`"))
        .collect::<Vec<_>>()
        .join(", ")
}
