//! From named policy files to everything they build on: `extends` and `commands` are followed, in order, each file once.
//!
//! Invariant (parallel): each document has its standing at the same place in `standings`.
//!
//! Invariant (nothing missing): a file that is named but cannot be read is an error, never an empty policy.

mod definitions;

use rustc_hash::FxHashSet;
use smol_str::SmolStr;

use crate::definition::Definition;
use crate::diagnostic::{Diagnostic, Level};
use crate::document::Document;
use crate::facts::{below, join_path};
use crate::layer::{Layer, Reason, Standing, Withheld};
use crate::names::nearest;
use crate::plan::{Part, Plan, compile_layers, digest};
use crate::read::{Format, read_what_is_there};
use crate::source::{Place, Sources, Spanned};

pub use definitions::Brought;

/// The shipped policies by the name that `extends` uses.
pub const SHIPPED: &[(&str, &str)] = &[
    ("builtin:base", include_str!("../../../policies/base.kdl")),
    ("builtin:ci", include_str!("../../../policies/ci.kdl")),
    (
        "builtin:infrastructure",
        include_str!("../../../policies/infrastructure.kdl"),
    ),
    (
        "builtin:open-source-maintainer",
        include_str!("../../../policies/open-source-maintainer.kdl"),
    ),
    ("builtin:readonly", include_str!("../../../policies/readonly.kdl")),
    ("builtin:strict", include_str!("../../../policies/strict.kdl")),
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

/// A file that takes part as one layer.
#[derive(Clone)]
pub struct LayerRoot<'f> {
    /// Which.
    pub layer: Layer,
    /// Where it starts.
    pub root: Root,
    /// How its files are read.
    pub files: &'f dyn Files,
    /// The directory that everything it builds on must lie in, besides shipped policies: an absolute path. Of a project around the
    /// present one it is that project.
    pub within: Option<String>,
}

impl std::fmt::Debug for LayerRoot<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LayerRoot")
            .field("layer", &self.layer)
            .field("root", &self.root)
            .field("within", &self.within)
            .finish_non_exhaustive()
    }
}

/// One layer that was loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadedLayer {
    /// Which, and whether somebody stands behind it.
    pub standing: Standing,
    /// Names of the files that it starts with.
    pub names: Vec<String>,
    /// Numbers of its texts in the sources.
    pub sources: std::ops::Range<usize>,
    /// Stands for the names and texts of all its files that are not shipped: it changes with any of them.
    pub digest: String,
}

/// What loading gives.
#[derive(Debug, Default)]
pub struct Loaded {
    /// The documents, what is extended before what extends it. Where there is an error, what could be read.
    pub documents: Vec<Document>,
    /// The standing of each of the documents.
    pub standings: Vec<Standing>,
    /// The layers that were loaded.
    pub layers: Vec<LoadedLayer>,
    /// Command definitions that they bring along.
    pub definitions: Vec<Definition>,
    /// Where each of the definitions stands.
    pub brought: Vec<Brought>,
    /// Every text that was read.
    pub sources: Sources,
    /// Every problem; with an error among them there is no policy.
    pub diagnostics: Vec<Diagnostic>,
    /// Number of documents that came from the roots themselves, at the end of `documents`.
    pub own: usize,
    /// The projects that the present one lies in, absolute paths: what the files of a person or a machine forbid in the project, they
    /// forbid in these, too.
    pub outer: Vec<String>,
    /// Layers whose command definitions do not count, with their number.
    withheld: Vec<Withheld>,
    /// The projects around the present one, by the number in their standing.
    around: Vec<String>,
    /// Names of the documents.
    names: Vec<String>,
    seen: Vec<String>,
    open: Vec<String>,
    standing: Standing,
    within: Option<String>,
    seen_definitions: Vec<String>,
    included: usize,
}

/// The shipped policy that is the ground where no layer that may loosen lays one.
pub(crate) const GROUND: &str = "builtin:base";

/// Levels of `extends` within `extends`.
const MAX_EXTENDS_DEPTH: usize = 32;

/// Reads the roots and everything they build on, as one policy whose files all have their full say.
#[must_use]
pub fn load(roots: &[Root], files: &dyn Files) -> Loaded {
    let mut loaded = Loaded::default();
    for root in roots {
        loaded.root(root, files);
    }
    loaded
}

/// Reads files as their author means them: each has its full say in its layer, and builds on what its layer may look at.
#[must_use]
pub fn load_as_author(roots: &[LayerRoot<'_>]) -> Loaded {
    let mut loaded = Loaded::default();
    for root in roots {
        loaded.standing = Standing::new(root.layer, true);
        loaded.within.clone_from(&root.within);
        loaded.root(&root.root, root.files);
    }
    loaded.within = None;
    loaded
}

/// Reads the files of layers and everything they build on. `trusts` says whether a person has trusted the files of a layer that needs
/// it, by their digest ([`LoadedLayer::digest`]).
///
/// Where no layer that may loosen is there (the managed layer aside), the shipped `builtin:base` is loaded too.
#[must_use]
pub fn load_layers(roots: &[LayerRoot<'_>], trusts: &dyn Fn(Layer, &str) -> bool) -> Loaded {
    let mut loaded = Loaded::default();
    // What the administrator's files build on is theirs, whoever else names it.
    let order = [
        Layer::Managed,
        Layer::User,
        Layer::Around,
        Layer::Project,
        Layer::Local,
        Layer::CommandLine,
    ];
    for layer in order {
        if layer == Layer::Around {
            loaded.projects_around(roots, trusts);
            continue;
        }
        let mut own = roots.iter().filter(|root| root.layer == layer).peekable();
        if own.peek().is_some() {
            loaded.layer(Standing::new(layer, true), own, trusts);
        }
    }
    let has_ground = loaded.layers.iter().any(|layer| {
        layer.standing.trusted && !matches!(layer.standing.layer, Layer::Managed | Layer::Builtin)
    });
    if !has_ground {
        let ground = LayerRoot {
            layer: Layer::Builtin,
            root: Root::Shipped(GROUND),
            files: &NoOtherFiles,
            within: None,
        };
        loaded.layer(Standing::new(Layer::Builtin, true), [&ground].into_iter(), trusts);
    }
    loaded.drop_repeated();
    loaded
}

/// The files of a shipped policy: none but other shipped ones.
#[derive(Debug)]
struct NoOtherFiles;

impl Files for NoOtherFiles {
    fn text(&self, _path: &str) -> Result<String, String> {
        Err("a shipped policy names no file".to_owned())
    }
}

impl Loaded {
    /// Whether something is wrong that makes the policy useless.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.diagnostics
            .iter()
            .any(|diagnostic| diagnostic.level == Level::Error)
    }

    /// The documents with their standing.
    #[must_use]
    pub fn parts(&self) -> Vec<Part<'_>> {
        let both = self.documents.iter().zip(&self.standings);
        both.map(|(document, &standing)| Part {
            document,
            standing,
            project: self
                .around
                .get(usize::from(standing.around).wrapping_sub(1))
                .map(String::as_str),
            outer: match standing.layer {
                Layer::Builtin | Layer::User | Layer::CommandLine | Layer::Managed => &self.outer,
                // A project speaks of its own files.
                Layer::Around | Layer::Project | Layer::Local => &[],
            },
        })
        .collect()
    }

    /// Compiles what was loaded; with errors there is no plan, and the diagnostics say why.
    pub fn compile(&mut self) -> Option<Plan> {
        let compiled = compile_layers(&self.parts(), self.definitions.clone(), &self.sources);
        let failed = self.has_errors();
        match compiled {
            Ok(mut plan) if !failed => {
                self.names_of_tests();
                plan.withheld.extend(self.withheld.iter().cloned());
                for withheld in &mut plan.withheld {
                    let own = self
                        .layers
                        .iter()
                        .filter(|own| own.standing.layer == withheld.layer);
                    withheld.files = own.flat_map(|own| own.names.iter().cloned()).collect();
                }
                Some(plan)
            }
            Ok(_) => None,
            Err(mut problems) => {
                // A set may be missing because what declares it could not be read.
                let unread = self.documents.iter().flat_map(|document| &document.unread);
                let hides_sets =
                    self.diagnostics.iter().any(hides_sets) || unread.into_iter().any(|own| *own == "sets");
                problems.retain(|problem| !hides_sets || problem.code != "policy::unknown-set");
                self.diagnostics.extend(problems);
                None
            }
        }
    }

    /// Warns about tests whose `rule` no rule has: they can never pass.
    fn names_of_tests(&mut self) {
        let blocks = || self.documents.iter().flat_map(|document| &document.blocks);
        let names: FxHashSet<&str> = blocks()
            .filter(|block| !block.value.rules.is_empty())
            .filter_map(|block| block.value.name.as_ref())
            .map(|name| name.value.as_str())
            .collect();
        let tests = self.documents.iter().flat_map(|document| &document.tests);
        let unknown: Vec<&Spanned<SmolStr>> = tests
            .filter_map(|test| test.value.rule.as_ref())
            .filter(|rule| !names.contains(rule.value.as_str()))
            .collect();
        if unknown.is_empty() {
            return;
        }
        // Rules without a name are called by their place.
        let places: FxHashSet<String> = blocks()
            .filter(|block| block.value.name.is_none())
            .flat_map(|block| &block.value.rules)
            .map(|rule| self.sources.at(rule.place))
            .collect();
        let problems: Vec<Diagnostic> = unknown
            .into_iter()
            .filter(|rule| !places.contains(rule.value.as_str()))
            .map(|rule| {
                let help = match nearest(&rule.value, names.iter().copied()) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => "write the name of the block that holds the rule".to_owned(),
                };
                let message = format!("no rule is called `{}`, so this test never passes", rule.value);
                Diagnostic::warning("policy::unknown-rule", message, rule.place).help(help)
            })
            .collect();
        self.diagnostics.extend(problems);
    }

    fn root(&mut self, root: &Root, files: &dyn Files) {
        match root {
            Root::File(path) => self.file(path, files, None, 0),
            Root::Shipped(name) => self.file(name, files, None, 0),
            Root::Text { name, text, format } => self.text(name, text, *format, files, 0),
        }
    }

    /// Drops shipped policies that a file may not loosen by where another layer has them in full: they would say the same again.
    fn drop_repeated(&mut self) {
        let full: Vec<String> = (self.names.iter().zip(&self.standings))
            .filter(|(name, standing)| name.starts_with("builtin:") && standing.trusted)
            .map(|(name, _)| name.clone())
            .collect();
        let keep: Vec<bool> = (self.names.iter().zip(&self.standings))
            .map(|(name, standing)| standing.trusted || !full.contains(name))
            .collect();
        let mut kept = keep.iter();
        self.documents.retain(|_| *kept.next().unwrap_or(&true));
        let mut kept = keep.iter();
        self.standings.retain(|_| *kept.next().unwrap_or(&true));
        let mut kept = keep.iter();
        self.names.retain(|_| *kept.next().unwrap_or(&true));
    }

    /// Each project around the present one by itself, so that none changes what the rules of another mean.
    fn projects_around(&mut self, roots: &[LayerRoot<'_>], trusts: &dyn Fn(Layer, &str) -> bool) {
        let around = |root: &&LayerRoot<'_>| root.layer == Layer::Around;
        let mut projects: Vec<&str> = Vec::new();
        for root in roots.iter().filter(around) {
            let project = root.within.as_deref().unwrap_or_default();
            if !projects.contains(&project) {
                projects.push(project);
            }
        }
        for project in projects {
            self.around.push(project.to_owned());
            let Ok(number) = u8::try_from(self.around.len()) else {
                let message = "there are more projects around this one than can be told apart".to_owned();
                let problem = Diagnostic::error("policy::extends-depth", message, Place::default());
                self.diagnostics.push(problem);
                return;
            };
            let own = roots
                .iter()
                .filter(around)
                .filter(|root| root.within.as_deref().unwrap_or_default() == project);
            let mut standing = Standing::new(Layer::Around, true);
            standing.around = number;
            self.layer(standing, own, trusts);
        }
    }

    fn layer<'r>(
        &mut self,
        standing: Standing,
        roots: impl Iterator<Item = &'r LayerRoot<'r>>,
        trusts: &dyn Fn(Layer, &str) -> bool,
    ) {
        let (documents, definitions) = (self.documents.len(), self.definitions.len());
        let (sources, seen) = (self.sources.iter().count(), self.seen.len());
        let diagnostics = self.diagnostics.len();
        let layer = standing.layer;
        let mut names = Vec::new();
        let mut base = None;
        self.standing = standing;
        for root in roots {
            self.within.clone_from(&root.within);
            base = base.or_else(|| root.within.clone());
            names.push(match &root.root {
                Root::File(path) => path.clone(),
                Root::Shipped(name) => (*name).to_owned(),
                Root::Text { name, .. } => name.clone(),
            });
            self.root(&root.root, root.files);
        }
        self.within = None;
        let mut lines: Vec<String> = self
            .sources
            .iter()
            .skip(sources)
            .filter(|source| !source.name.starts_with("builtin:"))
            .map(|source| {
                let name = base.as_deref().and_then(|base| source.name.strip_prefix(base));
                let name = name.unwrap_or(&source.name);
                // A length tells names and texts apart whatever is in them.
                format!("{} {} {}", digest(source.text.as_bytes()), name.len(), name)
            })
            .collect();
        lines.sort_unstable();
        let digest = digest(lines.join("\n").as_bytes());
        let trusted = !layer.only_tightens() && (!layer.needs_trust() || trusts(layer, &digest));
        let standing = Standing { trusted, ..standing };
        if !trusted {
            for own in self.standings.iter_mut().skip(documents) {
                *own = standing;
            }
            // Layers that follow have their own full say of what this one built on.
            self.seen.truncate(seen);
            let count = self.withhold_definitions(definitions, diagnostics);
            if count > 0 {
                let mut withheld = Withheld::new(layer, Reason::of_untrusted(layer));
                withheld.definitions = count;
                self.withheld.push(withheld);
            }
        }
        self.layers.push(LoadedLayer {
            standing,
            names,
            sources: sources..self.sources.iter().count(),
            digest,
        });
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
        if self.is_outside(path, named_at) {
            return;
        }
        let text = match (shipped(path), path.starts_with("builtin:")) {
            (Some(text), _) => Ok(text.to_owned()),
            (None, true) => {
                let place = named_at.unwrap_or_else(|| self.nowhere(path));
                self.diagnostics.push(
                    Diagnostic::error(
                        "policy::missing-file",
                        format!("no policy `{path}` is shipped"),
                        place,
                    )
                    .help(near_shipped(path)),
                );
                return;
            }
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

    /// Warns about a `lock` in a layer that cannot lock.
    fn locks_nothing(&mut self, document: &Document) {
        if self.standing.layer == Layer::Managed {
            return;
        }
        for lock in &document.lock {
            let message = format!(
                "`lock` has no effect in a {} policy",
                self.standing.layer.as_str()
            );
            let problem = Diagnostic::warning("policy::lock-below", message, lock.place);
            self.diagnostics
                .push(problem.help("only the policies of the machine, in `/etc/engine`, can lock"));
        }
    }

    /// Whether a path that a file names leads out of where its layer may look; that is a problem then. Whoever wrote a project must
    /// not have other files of the person read, and shown in messages.
    fn is_outside(&mut self, path: &str, named_at: Option<Place>) -> bool {
        let (Some(within), Some(place)) = (&self.within, named_at) else {
            return false;
        };
        if path.starts_with("builtin:") || below(path, within).is_some() {
            return false;
        }
        let problem = Diagnostic::error(
            "policy::outside",
            format!("`{path}` lies outside the project"),
            place,
        );
        self.diagnostics.push(problem.help(
            "a project's policy builds on files of the project and on shipped policies; what several projects share belongs into the \
             user's policy or the machine's",
        ));
        true
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
        let (document, diagnostics) = read_what_is_there(name, text, format, &mut self.sources);
        self.diagnostics.extend(diagnostics);
        self.locks_nothing(&document);
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
        self.standings.push(self.standing);
        self.names.push(name.to_owned());
        if depth == 0 {
            self.own += 1;
        }
    }
}

/// Whether a problem can be why a set is not known: a text that was not read, or not to its end. What the decoder could not read it says
/// by itself ([`Document::unread`]).
fn hides_sets(problem: &Diagnostic) -> bool {
    problem.level == Level::Error
        && !matches!(
            problem.code,
            "policy::unknown-name"
                | "policy::unknown-word"
                | "policy::command-pattern"
                | "policy::path-pattern"
                | "policy::host-pattern"
        )
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

/// What to write instead of a shipped policy that there is not.
fn near_shipped(name: &str) -> String {
    // What all of them begin with says nothing about which is meant.
    let own = |name: &'static str| name.strip_prefix("builtin:").unwrap_or(name);
    let word = name.strip_prefix("builtin:").unwrap_or(name);
    match nearest(word, SHIPPED.iter().map(|(name, _)| own(name))) {
        Some(near) => format!("did you mean `builtin:{near}`?"),
        None => {
            let all: Vec<String> = SHIPPED.iter().map(|(name, _)| format!("`{name}`")).collect();
            format!("there are {}", all.join(", "))
        }
    }
}
