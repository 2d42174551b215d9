//! What a text writes before a program of it obeys a configuration: the file is not on disk yet when the text is decided.
//!
//! Invariant (nothing obeyed unseen): a configuration that may come from the same text is asked about, whatever stands on disk now.
//!
//! Source: gitrepository-layout(5), "safe.bareRepository" in git-config(1): a directory that is laid out as a repository is one.

use engine_shell::Span;
use smol_str::SmolStr;

use super::Decider;
use super::path::{Way, way};
use crate::document::Outcome;
use crate::facts::{below, join_path};
use crate::resolve::Target;
use crate::verdict::{Request, Why};

/// Names in a directory that make it a repository.
const LAYOUT: [&str; 3] = ["HEAD", "objects", "refs"];

/// Files in the directory of a repository that say what git runs, or where that is said.
const CONFIGURATION: [&str; 3] = ["config", "config.worktree", "commondir"];

/// Something that the text writes.
#[derive(Clone, Debug)]
pub(super) struct Written {
    target: Target,
    /// A directory, a link or a tree may come to stand there, and with it anything below.
    whole: bool,
    /// Git writes it, which makes no `.git` of what others sent. Source: `verify_path` in git's own sources, "git-checkout(1)".
    by_git: bool,
}

/// A place whose configuration a program of the text obeys.
#[derive(Clone, Debug)]
pub(super) struct Obeyed {
    place: SmolStr,
    /// The file, below the place.
    file: SmolStr,
    span: Span,
    /// Number of writes that come before; all of them where the order is not that of the text.
    before: usize,
}

impl Decider<'_> {
    /// Notes what is written.
    pub(super) fn note_written(&mut self, targets: Vec<Target>, whole: bool, program: Option<&str>) {
        let by_git = program == Some("git");
        self.written.extend(targets.into_iter().map(|target| Written {
            target,
            whole,
            by_git,
        }));
    }

    /// Notes that a program obeys a file of configuration at a place. `in_order` says that what follows in the text comes later.
    pub(super) fn note_obeyed(&mut self, place: &SmolStr, file: &str, span: Span, in_order: bool) {
        self.obeyed.push(Obeyed {
            place: place.clone(),
            file: file.into(),
            span,
            before: if in_order { self.written.len() } else { usize::MAX },
        });
    }

    /// Asks about each configuration that the text may have written itself.
    pub(super) fn obeyed_and_written(&mut self) {
        let obeyed = std::mem::take(&mut self.obeyed);
        let written = std::mem::take(&mut self.written);
        let mut told: Vec<SmolStr> = Vec::new();
        for own in &obeyed {
            let before = written.get(..own.before).unwrap_or(&written);
            let Some(path) = self.written_configuration(own, before) else {
                continue;
            };
            if told.contains(&path) {
                continue;
            }
            told.push(path.clone());
            let why = format!("`{path}` may be written by the same text, and can name programs");
            self.step(Request::Code(path), own.span, Outcome::Ask, Why::Unknown(why), 0);
        }
    }

    /// The file of configuration that may be written at a place.
    fn written_configuration(&self, own: &Obeyed, written: &[Written]) -> Option<SmolStr> {
        if written.is_empty() {
            return None;
        }
        let at = |name: &str| join_path(&own.place, name);
        let writes = |path: &SmolStr| written.iter().any(|one| one.may_be(path));
        let Some((name, "config")) = own.file.split_once('/') else {
            return Some(at(&own.file)).filter(writes);
        };
        let repository = at(name);
        let is_there = self.facts.world.is_directory(&repository) == Some(true);
        // What writes into a whole tree is asked about as such, and does not put a repository where one is.
        let exactly = |path: &SmolStr| {
            written
                .iter()
                .any(|one| one.may_be(path) && (!is_there || one.is_within(&repository)))
        };
        let files = CONFIGURATION.iter().map(|file| join_path(&repository, file));
        if let Some(path) = [repository.clone()].into_iter().chain(files).find(exactly) {
            return Some(path);
        }
        if is_there {
            return None;
        }
        let needed = LAYOUT.map(at);
        let others: Vec<&Written> = written
            .iter()
            .filter(|one| !one.is_git_tree(&own.place))
            .collect();
        let made = |path: &SmolStr| others.iter().any(|one| one.may_be(path));
        let is_whole = needed.iter().all(|part| {
            let there =
                self.facts.world.is_directory(part).is_some() || self.facts.world.small_file(part).is_some();
            there || made(part)
        });
        let config = at("config");
        (is_whole && needed.iter().chain([&config]).any(made)).then_some(config)
    }
}

impl Written {
    /// Whether it may be the file of this path, or bring it along.
    fn may_be(&self, path: &str) -> bool {
        if self.by_git && self.whole && path.split('/').any(|name| name.eq_ignore_ascii_case(".git")) {
            return false;
        }
        match &self.target {
            Target::Known(own) => own == path || (self.whole && below(path, own).is_some()),
            Target::Pattern(names) => match way(names, path) {
                Way::There => true,
                Way::Below => self.whole,
                Way::On | Way::Off => false,
            },
            Target::Somewhere(root) => below(path, root).is_some(),
            Target::Unknown(_) => true,
        }
    }

    /// Whether it lies in a directory, as far as it says where it lies.
    fn is_within(&self, directory: &str) -> bool {
        match &self.target {
            Target::Known(own) | Target::Somewhere(own) => below(own, directory).is_some(),
            Target::Pattern(_) => true,
            Target::Unknown(_) => false,
        }
    }

    /// Whether it is the tree that git itself keeps at a place.
    fn is_git_tree(&self, place: &str) -> bool {
        self.by_git && self.whole && matches!(&self.target, Target::Known(own) if own == place)
    }
}
