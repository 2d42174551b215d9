//! Resolves the sets that a rule names.
//!
//! Invariant (sets end): a set that does not exist, is of another kind or contains itself is a problem.

use rustc_hash::FxHashMap;

use super::super::GroupId;
use super::super::end::End;
use super::{Compiler, Part};
use crate::document::{Alternatives, SetMembers};
use crate::layer::{Layer, Standing};
use crate::names::nearest;
use crate::pattern::{CommandPattern, HostPattern, PathPattern, Term};
use crate::source::{Place, Spanned};

/// The sets of each layer.
///
/// Invariant (nobody reaches up): a rule sees the sets of its own layer and of those below it, the nearest first, so that no layer
/// changes what the rules of another mean; those of a file that is not trusted are seen by that layer alone.
pub(super) struct Sets<'a> {
    /// Those of the projects around, each with its number.
    around: FxHashMap<u8, FxHashMap<&'a str, &'a SetMembers>>,
    layers: [FxHashMap<&'a str, (&'a SetMembers, bool)>; Layer::ALL.len()],
}

/// Whose rules or sets name a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Owner {
    layer: Layer,
    around: u8,
}

impl Owner {
    pub(super) fn of(standing: Standing) -> Self {
        Self {
            layer: standing.layer,
            around: standing.around,
        }
    }
}

/// What a name stands for.
pub(super) enum Found<'a> {
    Set(Owner, &'a SetMembers),
    /// There is one, in a file that the layer that names it does not depend on.
    Untrusted,
    Unknown,
}

impl<'a> Sets<'a> {
    pub(super) fn of(parts: &[Part<'a>]) -> Self {
        let mut sets = Self {
            around: FxHashMap::default(),
            layers: std::array::from_fn(|_| FxHashMap::default()),
        };
        for part in parts {
            let trusted = part.standing.trusted;
            if part.standing.around > 0 {
                let own = part.document.sets.iter().map(|set| {
                    let name = set.value.name.value.as_str();
                    (name, &set.value.members)
                });
                sets.around.entry(part.standing.around).or_default().extend(own);
            } else if let Some(layer) = sets.layers.get_mut(part.standing.layer as usize) {
                for set in &part.document.sets {
                    layer.insert(set.value.name.value.as_str(), (&set.value.members, trusted));
                }
            }
        }
        sets
    }

    /// The set that a name stands for in a layer.
    pub(super) fn find(&self, name: &str, from: Owner) -> Found<'a> {
        if let Some(members) = self.around.get(&from.around).and_then(|own| own.get(name)) {
            return Found::Set(from, members);
        }
        let from = from.layer;
        let mut found = Found::Unknown;
        // What the administrator says depends on nobody below.
        let sees = |layer: Layer| {
            layer == from || layer == Layer::Builtin || (layer < from && from != Layer::Managed)
        };
        for layer in Layer::ALL.into_iter().rev().filter(|layer| sees(*layer)) {
            match self.layers.get(layer as usize).and_then(|layer| layer.get(name)) {
                Some((members, trusted)) if *trusted || layer == from => {
                    return Found::Set(Owner { layer, around: 0 }, members);
                }
                Some(_) => found = Found::Untrusted,
                None => {}
            }
        }
        found
    }

    fn names(&self) -> impl Iterator<Item = &'a str> {
        let around = self.around.values().flat_map(|own| own.keys().copied());
        self.layers
            .iter()
            .flat_map(|layer| layer.keys().copied())
            .chain(around)
    }
}

/// Levels of sets within sets.
pub(super) const MAX_SET_DEPTH: usize = 32;

/// The patterns and exceptions that belong together after sets are resolved.
pub(super) struct Group<'a, P> {
    pub(super) patterns: Vec<(&'a P, Place)>,
    pub(super) except: Vec<(&'a P, Place)>,
}

impl<'a, P> Group<'a, P> {
    /// Patterns and exceptions, each with its place and the end it has as part of the group with this number.
    pub(super) fn ends(&self, id: GroupId) -> impl Iterator<Item = (&'a P, Place, End)> {
        let of = |end: End| move |(pattern, place): &(&'a P, Place)| (*pattern, *place, end);
        let except = self.except.iter().map(of(End::out_of(id)));
        self.patterns.iter().map(of(End::of(id))).chain(except)
    }
}

impl<'a> Compiler<'a> {
    /// Splits the terms of a rule: its own patterns are one group, each set it names is another with the set's exceptions too.
    pub(super) fn groups<P: 'a>(
        &mut self,
        alternatives: &'a Alternatives<Term<P>>,
        members: fn(&'a SetMembers) -> Option<&'a Alternatives<Term<P>>>,
    ) -> Vec<Group<'a, P>> {
        let owner = Owner::of(self.standing);
        let mut except = Vec::new();
        for term in &alternatives.except {
            self.flatten(term, members, (owner, 0), &mut except, &mut Vec::new());
        }
        let mut groups = Vec::new();
        let mut own = Group {
            patterns: Vec::new(),
            except: except.clone(),
        };
        for term in &alternatives.patterns {
            match &term.value {
                Term::Pattern(pattern) => own.patterns.push((pattern, term.place)),
                Term::Set(_) => {
                    let mut group = Group {
                        patterns: Vec::new(),
                        except: except.clone(),
                    };
                    self.flatten(term, members, (owner, 0), &mut group.patterns, &mut group.except);
                    groups.push(group);
                }
            }
        }
        if !own.patterns.is_empty() {
            groups.push(own);
        }
        groups
    }

    pub(super) fn flatten<P: 'a>(
        &mut self,
        term: &'a Spanned<Term<P>>,
        members: fn(&'a SetMembers) -> Option<&'a Alternatives<Term<P>>>,
        (owner, depth): (Owner, usize),
        patterns: &mut Vec<(&'a P, Place)>,
        except: &mut Vec<(&'a P, Place)>,
    ) {
        let name = match &term.value {
            Term::Pattern(pattern) => {
                patterns.push((pattern, term.place));
                return;
            }
            Term::Set(name) => name,
        };
        if depth > MAX_SET_DEPTH {
            self.problem(
                "policy::set-cycle",
                format!("set `@{name}` contains itself"),
                term.place,
                None,
            );
            return;
        }
        let (owner, set) = match self.sets.find(name, owner) {
            Found::Set(owner, set) => (owner, set),
            Found::Untrusted => {
                self.problem(
                    "policy::untrusted-set",
                    format!("set `@{name}` stands in a file that nobody has trusted"),
                    term.place,
                    Some(
                        "look at that file and run `engine trust`, or declare the set in this one".to_owned(),
                    ),
                );
                return;
            }
            Found::Unknown => {
                let help = nearest(name, self.sets.names()).map_or_else(
                    || "declare it in `sets { ... }`".to_owned(),
                    |nearest| format!("did you mean `@{nearest}`?"),
                );
                self.problem(
                    "policy::unknown-set",
                    format!("unknown set `@{name}`"),
                    term.place,
                    Some(help),
                );
                return;
            }
        };
        let Some(members_of_set) = members(set) else {
            self.problem(
                "policy::set-kind",
                format!("set `@{name}` holds patterns of another kind"),
                term.place,
                None,
            );
            return;
        };
        for inner in &members_of_set.patterns {
            self.flatten(inner, members, (owner, depth + 1), patterns, except);
        }
        for inner in &members_of_set.except {
            self.flatten(inner, members, (owner, depth + 1), except, &mut Vec::new());
        }
    }
}

pub(super) fn paths_of(set: &SetMembers) -> Option<&Alternatives<Term<PathPattern>>> {
    match set {
        SetMembers::Paths(paths) => Some(paths),
        SetMembers::Hosts(_) | SetMembers::Commands(_) => None,
    }
}

pub(super) fn hosts_of(set: &SetMembers) -> Option<&Alternatives<Term<HostPattern>>> {
    match set {
        SetMembers::Hosts(hosts) => Some(hosts),
        SetMembers::Paths(_) | SetMembers::Commands(_) => None,
    }
}

pub(super) fn commands_of(set: &SetMembers) -> Option<&Alternatives<Term<CommandPattern>>> {
    match set {
        SetMembers::Commands(commands) => Some(commands),
        SetMembers::Paths(_) | SetMembers::Hosts(_) => None,
    }
}
