//! Resolves the sets that a rule names.
//!
//! Invariant (sets end): a set that does not exist, is of another kind or contains itself is a problem.

use super::super::GroupId;
use super::super::end::End;
use super::Compiler;
use crate::document::{Alternatives, SetMembers};
use crate::pattern::{CommandPattern, HostPattern, PathPattern, Term};
use crate::source::{Place, Spanned};

/// Levels of sets within sets.
const MAX_SET_DEPTH: usize = 32;

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
        let mut except = Vec::new();
        for term in &alternatives.except {
            self.flatten(term, members, 0, &mut except, &mut Vec::new());
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
                    self.flatten(term, members, 0, &mut group.patterns, &mut group.except);
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
        depth: usize,
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
        let Some(set) = self.sets.get(name.as_str()).copied() else {
            let nearest = nearest(name, self.sets.keys().copied());
            let help = nearest.map_or_else(
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
            self.flatten(inner, members, depth + 1, patterns, except);
        }
        for inner in &members_of_set.except {
            self.flatten(inner, members, depth + 1, except, &mut Vec::new());
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

fn nearest<'n>(name: &str, names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    names
        .map(|own| (strsim::damerau_levenshtein(name, own), own))
        .filter(|(distance, own)| *distance <= 1 + own.len() / 4)
        .min()
        .map(|(_, own)| own)
}
