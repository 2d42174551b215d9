//! All path patterns of one kind of request as automata over path segments, one for each reach.
//!
//! Matching walks the segments of a path once, whatever the number of patterns. Patterns that cannot match cost nothing: a
//! literal segment is one hash lookup. Invariant (same end): an end of a pattern covers that path and everything below it.

use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

use super::end::End;
use super::graph::{Draft, Graph, Hint, Hinted, Named, Node, NodeId, Step};
use crate::pattern::{Glob, GlobPiece, PathReach, PathSegment, fold_char};
use crate::truth::{Truth, Unit, covers, glob_units, overlap, pattern_units};

/// The patterns below one starting point, as they are put in.
#[derive(Clone, Debug, Default)]
pub(crate) struct PathTrieDraft(Draft<Glob>);

impl PathTrieDraft {
    /// Adds one pattern.
    fn insert(&mut self, segments: &[PathSegment], end: End) {
        let at = segments.iter().fold(0, |at, segment| {
            let step = match segment {
                PathSegment::AnyDepth => Step::Many,
                PathSegment::Name(glob) if glob.is_any() => Step::Any,
                PathSegment::Name(glob) => match glob.literal() {
                    Some(name) => Step::Name(name),
                    None => Step::Pattern(glob),
                },
            };
            self.0.step(at, &step)
        });
        self.0.end(at, end);
    }
}

impl Hinted for Glob {
    fn hint(&self) -> Hint {
        let byte = |text: &SmolStr, end: fn(&[u8]) -> Option<&u8>| end(text.as_bytes()).copied();
        let ends = match self.pieces.last() {
            Some(GlobPiece::Text(text)) => byte(text, <[u8]>::last),
            Some(GlobPiece::AnyText | GlobPiece::AnyChar | GlobPiece::Class(_)) | None => None,
        };
        let begins = match self.pieces.first() {
            Some(GlobPiece::Text(text)) => byte(text, <[u8]>::first),
            Some(GlobPiece::AnyText | GlobPiece::AnyChar | GlobPiece::Class(_)) | None => None,
        };
        match (ends, begins) {
            (Some(byte), _) => Hint::Ends(byte),
            (None, Some(byte)) => Hint::Begins(byte),
            (None, None) => Hint::Open,
        }
    }
}

/// The patterns below one starting point.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(bound(deserialize = "'de: 'static"))]
pub(crate) struct PathTrie(Graph<Glob>);

/// One segment of a path that is matched.
#[derive(Clone, Debug)]
pub(crate) enum Segment<'a> {
    /// This name.
    Name(&'a str),
    /// A name that matches this shell pattern (a leading `*` or `?` matches no dot).
    Pattern(&'a str),
}

/// What is asked about the path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    /// The path alone.
    Itself,
    /// The path and everything below.
    Tree,
    /// Something at or below the path, which is not known.
    Somewhere,
}

/// Limits on the names that a tree is about, as units of globs.
#[derive(Debug, Default)]
pub(crate) struct Names<'a> {
    /// Only names like these; empty: all.
    pub only: Vec<Vec<Unit<'a>>>,
    /// Not names like these.
    pub except: Vec<Vec<Unit<'a>>>,
}

impl Names<'_> {
    /// The same without regard to case.
    pub(crate) fn folded(&self) -> Self {
        let all = |lists: &[Vec<Unit<'_>>]| lists.iter().map(|units| folded_units(units)).collect();
        Self {
            only: all(&self.only),
            except: all(&self.except),
        }
    }
}

/// Units without regard to case. What a class stands for is any character then.
fn folded_units(units: &[Unit<'_>]) -> Vec<Unit<'static>> {
    let mut folded = Vec::with_capacity(units.len());
    for unit in units {
        match unit {
            Unit::Char(c) => folded.extend(fold_char(*c).map(Unit::Char)),
            Unit::One(_) => folded.push(Unit::One(None)),
            Unit::Run => folded.push(Unit::Run),
        }
    }
    folded
}

/// A set of live states, each with whether it is reached for certain.
type States = Vec<(NodeId, bool)>;

/// Names of a pattern that are held against the names that a tree is about; what is longer counts whatever its names.
const MAX_DEPTH: usize = 64;

impl PathTrie {
    fn enter(&self, states: &mut States, at: NodeId, certain: bool) {
        match states.iter_mut().find(|(own, _)| *own == at) {
            Some((_, own)) => {
                if *own || !certain {
                    return;
                }
                *own = true;
            }
            None => states.push((at, certain)),
        }
        if let Some(deep) = self.0.node(at).many() {
            self.enter(states, deep, certain);
        }
    }

    /// Calls `hit` for each end that covers the path, with how certain that is.
    pub(crate) fn matches(
        &self,
        segments: &[Segment<'_>],
        extent: Extent,
        names: &Names<'_>,
        hit: &mut dyn FnMut(End, Truth),
    ) {
        if self.0.is_empty() {
            return;
        }
        let (mut states, mut next) = (States::new(), States::new());
        self.enter(&mut states, 0, true);
        self.report(&states, hit);
        for segment in segments {
            next.clear();
            let named = match segment {
                Segment::Name(name) => Some(Named::new(name)),
                Segment::Pattern(_) => None,
            };
            for &(at, certain) in &states {
                let node = self.0.node(at);
                match (named, segment) {
                    (Some(name), _) => self.advance_name(&node, certain, name, &mut next),
                    (None, Segment::Name(pattern) | Segment::Pattern(pattern)) => {
                        self.advance_pattern(&node, certain, pattern, &mut next);
                    }
                }
                if node.loops {
                    self.enter(&mut next, at, certain);
                }
            }
            std::mem::swap(&mut states, &mut next);
            if states.is_empty() {
                return;
            }
            self.report(&states, hit);
        }
        if extent != Extent::Itself {
            for &(at, _) in &states {
                self.beyond(at, names, false, 0, hit);
            }
        }
    }

    fn report(&self, states: &States, hit: &mut dyn FnMut(End, Truth)) {
        for &(at, certain) in states {
            for end in self.0.ends(&self.0.node(at)) {
                hit(end, if certain { Truth::Yes } else { Truth::Maybe });
            }
        }
    }

    /// For patterns that cannot be read, which may be any.
    fn enter_all_below(&self, node: &Node, next: &mut States) {
        for to in node.below() {
            self.enter(next, to, false);
        }
    }

    fn advance_name(&self, node: &Node, certain: bool, name: Named<'_>, next: &mut States) {
        for to in self.0.follow(node.at, name) {
            self.enter(next, to, certain);
        }
        if let Some(to) = node.any() {
            self.enter(next, to, certain);
        }
        let Some(candidates) = self.0.candidates(node, name.text) else {
            self.enter_all_below(node, next);
            return;
        };
        for (glob, to) in candidates {
            if glob.matches(name.text) {
                self.enter(next, *to, certain);
            }
        }
    }

    fn advance_pattern(&self, node: &Node, certain: bool, pattern: &str, next: &mut States) {
        let units = pattern_units(pattern);
        let hidden = pattern.starts_with(['*', '?', '[']);
        // Of a pattern that ends in a plain character, its matches do, too.
        let last = pattern.chars().next_back().filter(|c| c.is_alphanumeric());
        for (name, to) in self.0.names(node.at) {
            if (hidden && name.starts_with('.')) || last.is_some_and(|last| !name.ends_with(last)) {
                continue;
            }
            let own: Vec<_> = name.chars().map(Unit::Char).collect();
            if overlap(&own, &units) {
                self.enter(next, to, false);
            }
        }
        if let Some(to) = node.any() {
            self.enter(next, to, certain);
        }
        let Some(patterns) = self.0.patterns(node) else {
            self.enter_all_below(node, next);
            return;
        };
        for &(ref glob, to) in patterns {
            if last.is_some_and(|last| !glob.may_end_in(last)) {
                continue;
            }
            let own = glob_units(glob);
            if hidden && matches!(own.first(), Some(Unit::Char('.'))) {
                continue;
            }
            match covers(&own, &units) {
                Truth::No => {}
                Truth::Maybe => self.enter(next, to, false),
                Truth::Yes => self.enter(next, to, certain),
            }
        }
    }

    /// Reports every end that can still be reached below a state, unless the names that the tree is about rule it out.
    fn beyond(
        &self,
        at: NodeId,
        names: &Names<'_>,
        last_fits: bool,
        depth: usize,
        hit: &mut dyn FnMut(End, Truth),
    ) {
        let node = self.0.node(at);
        if depth > 0 && (last_fits || node.loops) {
            for end in self.0.ends(&node) {
                hit(end, Truth::Maybe);
            }
        }
        if depth > MAX_DEPTH
            || (names.only.is_empty() && names.except.is_empty())
            || self.0.patterns(&node).is_none()
        {
            // Every name counts, so that none need be looked at.
            for end in self.0.ends_below(&node) {
                hit(end, Truth::Maybe);
            }
            return;
        }
        let mut below = |glob: &[Unit<'_>], to: NodeId| {
            if names.except.iter().any(|out| covers(out, glob) == Truth::Yes) {
                return;
            }
            let leaf = names.only.is_empty() || names.only.iter().any(|only| overlap(only, glob));
            // What ends here covers everything below, so that a directory of any name counts.
            let next = self.0.node(to);
            let directory = next.is_end() && next.goes_on();
            self.beyond(to, names, leaf || directory, depth + 1, hit);
        };
        for (name, to) in self.0.names(at) {
            below(&name.chars().map(Unit::Char).collect::<Vec<_>>(), to);
        }
        if let Some(to) = node.any() {
            below(&[Unit::Run], to);
        }
        for (glob, to) in self.0.patterns(&node).unwrap_or_default() {
            below(&glob_units(glob), *to);
        }
        if let Some(deep) = node.many() {
            self.beyond(deep, names, true, depth + 1, hit);
        }
    }
}

/// The tries of every reach.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(bound(deserialize = "'de: 'static"))]
pub(crate) struct PathTries {
    /// Below the project, and anywhere below it.
    pub project: PathTrie,
    /// Below the home directory.
    pub home: PathTrie,
    /// Below the root, and anywhere.
    pub root: PathTrie,
}

impl PathTries {
    /// Whether no pattern is in it.
    pub(crate) fn is_empty(&self) -> bool {
        self.project.0.is_empty() && self.home.0.is_empty() && self.root.0.is_empty()
    }
}

/// All patterns, as they are written and, for file systems on which names that differ only by case are one file, folded.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(bound(deserialize = "'de: 'static"))]
pub(crate) struct PathIndex {
    /// As they are written.
    pub written: PathTries,
    /// Those that folding changes, folded: what is left is in `written`.
    pub folded: PathTries,
}

/// The tries of every reach, as patterns are put in.
#[derive(Clone, Debug, Default)]
struct PathTriesDraft {
    project: PathTrieDraft,
    home: PathTrieDraft,
    root: PathTrieDraft,
}

impl PathTriesDraft {
    fn insert(&mut self, reach: PathReach, segments: Vec<PathSegment>, end: End) {
        match reach {
            PathReach::Project => self.project.insert(&segments, end),
            PathReach::WithinProject => self.project.insert(&deep(segments), end),
            PathReach::Home => self.home.insert(&segments, end),
            PathReach::Root => self.root.insert(&segments, end),
            PathReach::Everywhere => self.root.insert(&deep(segments), end),
        }
    }

    fn set(&self) -> Option<PathTries> {
        let set = |draft: &PathTrieDraft| draft.0.set().map(PathTrie);
        Some(PathTries {
            project: set(&self.project)?,
            home: set(&self.home)?,
            root: set(&self.root)?,
        })
    }
}

/// All patterns, as they are put in.
#[derive(Clone, Debug, Default)]
pub(crate) struct PathIndexDraft {
    written: PathTriesDraft,
    folded: PathTriesDraft,
}

impl PathIndexDraft {
    /// Adds one pattern; what ends in `**` covers its directory too where `whole` says so (reads), else only what is below.
    pub(crate) fn insert(&mut self, reach: PathReach, segments: &[PathSegment], whole: bool, end: End) {
        let mut segments = segments.to_vec();
        if segments.last() == Some(&PathSegment::AnyDepth) {
            if whole {
                segments.pop();
            } else {
                segments.push(PathSegment::Name(Glob::any()));
            }
        }
        let folded: Vec<PathSegment> = segments.iter().map(PathSegment::folded).collect();
        if folded != segments {
            self.folded.insert(reach, folded, end);
        }
        self.written.insert(reach, segments, end);
    }

    /// The index for good; `None` if a pattern cannot be written.
    pub(crate) fn set(&self) -> Option<PathIndex> {
        Some(PathIndex {
            written: self.written.set()?,
            folded: self.folded.set()?,
        })
    }
}

fn deep(mut segments: Vec<PathSegment>) -> Vec<PathSegment> {
    if segments.first() != Some(&PathSegment::AnyDepth) {
        segments.insert(0, PathSegment::AnyDepth);
    }
    segments
}
