//! All path patterns of one kind of request as automata over path segments, one for each reach.
//!
//! Matching walks the segments of a path once, whatever the number of patterns. Patterns that cannot match cost nothing: a
//! literal segment is one hash lookup. Invariant (same end): an end of a pattern covers that path and everything below it.

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use smol_str::{SmolStr, StrExt};

use crate::pattern::{Glob, GlobPiece, PathReach, PathSegment};
use crate::truth::{Truth, Unit, covers, glob_units, overlap, pattern_units};

/// Number of a group: the patterns and exceptions of one term of one rule.
pub(crate) type GroupId = u32;

/// Where a pattern ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct End {
    /// Whose pattern ended.
    pub group: GroupId,
    /// It is an exception of the group.
    pub except: bool,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Node {
    names: FxHashMap<SmolStr, u32>,
    /// Names with capitals, by their lower-case form.
    folded: Vec<(SmolStr, u32)>,
    globs: Vec<(Glob, u32)>,
    /// Reached by any number of segments, this one's included.
    deep: Option<u32>,
    /// Loops on every segment.
    is_deep: bool,
    ends: Vec<End>,
}

/// The patterns below one starting point.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct PathTrie {
    nodes: Vec<Node>,
}

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

/// A set of live states, each with whether it is reached for certain.
type States = Vec<(u32, bool)>;

impl PathTrie {
    fn node(&self, at: u32) -> Option<&Node> {
        self.nodes.get(at as usize)
    }

    fn fresh(&mut self) -> u32 {
        self.nodes.push(Node::default());
        u32::try_from(self.nodes.len() - 1).unwrap_or(u32::MAX)
    }

    /// Adds one pattern.
    pub(crate) fn insert(&mut self, segments: &[PathSegment], end: End) {
        if self.nodes.is_empty() {
            self.fresh();
        }
        let mut at = 0u32;
        for segment in segments {
            at = self.step(at, segment);
        }
        if let Some(node) = self.nodes.get_mut(at as usize)
            && !node.ends.contains(&end)
        {
            node.ends.push(end);
        }
    }

    fn step(&mut self, at: u32, segment: &PathSegment) -> u32 {
        let Some(node) = self.node(at) else { return at };
        let known = match segment {
            PathSegment::Name(glob) => match glob.literal() {
                Some(name) => node.names.get(name).copied(),
                None => node.globs.iter().find(|(own, _)| own == glob).map(|&(_, to)| to),
            },
            PathSegment::AnyDepth => node.deep.or(node.is_deep.then_some(at)),
        };
        if let Some(to) = known {
            return to;
        }
        let to = self.fresh();
        if let Some(new) = self.nodes.get_mut(to as usize) {
            new.is_deep = matches!(segment, PathSegment::AnyDepth);
        }
        if let Some(node) = self.nodes.get_mut(at as usize) {
            match segment {
                PathSegment::Name(glob) => match glob.literal() {
                    Some(name) => {
                        let lower = name.to_lowercase_smolstr();
                        if lower != name {
                            node.folded.push((lower, to));
                        }
                        node.names.insert(name.into(), to);
                    }
                    None => node.globs.push((glob.clone(), to)),
                },
                PathSegment::AnyDepth => node.deep = Some(to),
            }
        }
        to
    }

    fn enter(&self, states: &mut States, at: u32, certain: bool) {
        match states.iter_mut().find(|(own, _)| *own == at) {
            Some((_, own)) => {
                if *own || !certain {
                    return;
                }
                *own = true;
            }
            None => states.push((at, certain)),
        }
        if let Some(deep) = self.node(at).and_then(|node| node.deep) {
            self.enter(states, deep, certain);
        }
    }

    /// Calls `hit` for each end that covers the path, with how certain that is. `fold` compares names without regard to case, and
    /// is then never certain.
    pub(crate) fn matches(
        &self,
        segments: &[Segment<'_>],
        extent: Extent,
        names: &Names<'_>,
        fold: bool,
        hit: &mut dyn FnMut(End, Truth),
    ) {
        if self.nodes.is_empty() {
            return;
        }
        let mut states = States::new();
        self.enter(&mut states, 0, !fold);
        self.report(&states, hit);
        for segment in segments {
            let mut next = States::new();
            for &(at, certain) in &states {
                self.advance(at, certain, segment, fold, &mut next);
            }
            states = next;
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
            for &end in self.node(at).map_or(&[][..], |node| &node.ends) {
                hit(end, if certain { Truth::Yes } else { Truth::Maybe });
            }
        }
    }

    fn advance(&self, at: u32, certain: bool, segment: &Segment<'_>, fold: bool, next: &mut States) {
        let Some(node) = self.node(at) else { return };
        match segment {
            Segment::Name(name) => {
                if let Some(&to) = node.names.get(*name) {
                    self.enter(next, to, certain);
                }
                if fold {
                    let lower = name.to_lowercase_smolstr();
                    if let Some(&to) = node.names.get(&lower) {
                        self.enter(next, to, false);
                    }
                    for (own, to) in &node.folded {
                        if *own == lower {
                            self.enter(next, *to, false);
                        }
                    }
                }
                if !node.globs.is_empty() {
                    let lower = fold.then(|| name.to_lowercase());
                    let name = lower.as_deref().unwrap_or(name);
                    for (glob, to) in &node.globs {
                        // Most globs are ruled out by their ends, which takes no memory.
                        let matches = glob.is_any()
                            || (ends_fit(glob, name)
                                && covers(
                                    &glob_units(glob),
                                    &name.chars().map(Unit::Char).collect::<Vec<_>>(),
                                ) == Truth::Yes);
                        if matches {
                            self.enter(next, *to, certain);
                        }
                    }
                }
            }
            Segment::Pattern(pattern) => {
                let units = pattern_units(pattern);
                let hidden = pattern.starts_with(['*', '?', '[']);
                for (name, &to) in &node.names {
                    if hidden && name.starts_with('.') {
                        continue;
                    }
                    let own: Vec<_> = name.chars().map(Unit::Char).collect();
                    if overlap(&own, &units) {
                        self.enter(next, to, false);
                    }
                }
                for (glob, to) in &node.globs {
                    let own = glob_units(glob);
                    if hidden && matches!(own.first(), Some(Unit::Char('.'))) {
                        continue;
                    }
                    match covers(&own, &units) {
                        Truth::No => {}
                        Truth::Maybe => self.enter(next, *to, false),
                        Truth::Yes => self.enter(next, *to, certain),
                    }
                }
            }
        }
        if node.is_deep {
            self.enter(next, at, certain);
        }
    }

    /// Reports every end that can still be reached below a state, unless the names that the tree is about rule it out.
    fn beyond(
        &self,
        at: u32,
        names: &Names<'_>,
        last_fits: bool,
        depth: usize,
        hit: &mut dyn FnMut(End, Truth),
    ) {
        let Some(node) = self.node(at) else { return };
        if depth > 64 {
            return;
        }
        if depth > 0 && (last_fits || node.is_deep) {
            for &end in &node.ends {
                hit(end, Truth::Maybe);
            }
        }
        if names.only.is_empty() && names.except.is_empty() {
            // Every name counts, so that none need be looked at.
            for &to in node
                .names
                .values()
                .chain(node.globs.iter().map(|(_, to)| to))
                .chain(&node.deep)
            {
                self.beyond(to, names, true, depth + 1, hit);
            }
            return;
        }
        let mut below = |glob: &[Unit<'_>], to: u32| {
            if names.except.iter().any(|out| covers(out, glob) == Truth::Yes) {
                return;
            }
            let leaf = names.only.is_empty() || names.only.iter().any(|only| overlap(only, glob));
            // What ends here covers everything below, so that a directory of any name counts.
            let directory = self.node(to).is_some_and(|node| !node.ends.is_empty());
            self.beyond(
                to,
                names,
                leaf || (directory && is_directory_pattern(self, to)),
                depth + 1,
                hit,
            );
        };
        for (name, &to) in &node.names {
            below(&name.chars().map(Unit::Char).collect::<Vec<_>>(), to);
        }
        for (glob, to) in &node.globs {
            below(&glob_units(glob), *to);
        }
        if let Some(deep) = node.deep {
            self.beyond(deep, names, true, depth + 1, hit);
        }
    }
}

/// Whether the texts that a glob begins and ends with are the name's. Where not, the glob does not match.
fn ends_fit(glob: &Glob, name: &str) -> bool {
    let begins = match glob.pieces.first() {
        Some(GlobPiece::Text(text)) => name.starts_with(text.as_str()),
        Some(GlobPiece::AnyText | GlobPiece::AnyChar | GlobPiece::Class(_)) | None => true,
    };
    begins
        && match glob.pieces.last() {
            Some(GlobPiece::Text(text)) => name.ends_with(text.as_str()),
            Some(GlobPiece::AnyText | GlobPiece::AnyChar | GlobPiece::Class(_)) | None => true,
        }
}

/// Whether a pattern goes on below this node, so that the node is a directory for certain.
fn is_directory_pattern(trie: &PathTrie, at: u32) -> bool {
    trie.node(at)
        .is_some_and(|node| node.deep.is_some() || !node.names.is_empty() || !node.globs.is_empty())
}

/// The tries of every reach.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct PathIndex {
    /// Below the project, and anywhere below it.
    pub project: PathTrie,
    /// Below the home directory.
    pub home: PathTrie,
    /// Below the root, and anywhere.
    pub root: PathTrie,
}

impl PathIndex {
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
        match reach {
            PathReach::Project => self.project.insert(&segments, end),
            PathReach::WithinProject => self.project.insert(&deep(segments), end),
            PathReach::Home => self.home.insert(&segments, end),
            PathReach::Root => self.root.insert(&segments, end),
            PathReach::Everywhere => self.root.insert(&deep(segments), end),
        }
    }
}

fn deep(mut segments: Vec<PathSegment>) -> Vec<PathSegment> {
    if segments.first() != Some(&PathSegment::AnyDepth) {
        segments.insert(0, PathSegment::AnyDepth);
    }
    segments
}
