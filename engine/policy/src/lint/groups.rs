//! Rules as lints look at them: each with its patterns, what is taken out of them, and what its sets stand for.
//!
//! Invariant (as the plan has them): the patterns and exceptions of a group are those of one group of the plan, in the same order.

use rustc_hash::FxHashMap;

use crate::document::{Alternatives, Block, Condition, Document, Mode, Outcome, Rule, SetMembers, Subject};
use crate::pattern::{
    CommandPattern, EnvironmentPattern, Glob, HostPattern, PathPattern, ShortRule, ShortSubject, Term,
    TextPattern,
};
use crate::source::{Place, SourceId, Spanned};

/// What is done to a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Access {
    Read,
    Write,
    Delete,
}

/// Names of different things that are matched alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum NameKind {
    Tool,
    Agent,
    Skill,
}

/// One pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum What<'a> {
    Command(&'a CommandPattern),
    Text(&'a TextPattern),
    Path(&'static [Access], &'a PathPattern),
    Host(&'a HostPattern),
    Name(NameKind, &'a Glob),
    Env(&'a EnvironmentPattern),
    Mode(Mode),
}

/// A pattern with its place in the rule or, where a set holds it, in the set.
#[derive(Clone, Copy, Debug)]
pub(super) struct Item<'a> {
    pub what: What<'a>,
    pub place: Place,
}

/// The patterns of one rule that hold together.
#[derive(Clone, Debug)]
pub(super) struct Group<'a> {
    pub block: &'a Block,
    pub rule: &'a Spanned<Rule>,
    pub outcome: Outcome,
    /// Whether it is reported on.
    pub own: bool,
    /// Its number among all groups.
    pub number: usize,
    pub patterns: Vec<Item<'a>>,
    pub except: Vec<Item<'a>>,
    /// Its patterns are those of a set.
    pub from_set: bool,
}

/// Sets within sets are followed this deep; deeper ones are no policy.
const MAX_SET_DEPTH: usize = 32;

impl<'a> Group<'a> {
    pub(super) fn conditions(&self) -> &'a [Spanned<Condition>] {
        &self.rule.value.conditions
    }

    /// The whole of the short rule, where it is one.
    pub(super) fn short(&self) -> Option<&'a ShortRule> {
        match &self.rule.value.subject {
            Subject::Short(short) => Some(short),
            Subject::Command(_)
            | Subject::Read(_)
            | Subject::Write(_)
            | Subject::Delete(_)
            | Subject::Network(_)
            | Subject::Tool(_)
            | Subject::Env(_)
            | Subject::Agent(_)
            | Subject::Skill(_)
            | Subject::Mode(_) => None,
        }
    }

    /// Whether it holds whatever the circumstances are: no conditions and no exceptions.
    pub(super) fn is_plain(&self) -> bool {
        self.conditions().is_empty() && self.except.is_empty()
    }
}

/// The groups of all documents, those of the own texts marked.
pub(super) fn groups<'a>(documents: &'a [Document], own: &[SourceId]) -> Vec<Group<'a>> {
    let mut sets = FxHashMap::default();
    for set in documents.iter().flat_map(|document| &document.sets) {
        sets.insert(set.value.name.value.as_str(), &set.value.members);
    }
    let mut builder = Builder {
        sets,
        groups: Vec::new(),
    };
    for document in documents {
        let own = own.contains(&document.whole.place.source);
        for block in &document.blocks {
            for rule in &block.value.rules {
                builder.rule(&block.value, rule, own);
            }
        }
    }
    builder.groups
}

struct Builder<'a> {
    sets: FxHashMap<&'a str, &'a SetMembers>,
    groups: Vec<Group<'a>>,
}

/// How the patterns of one kind are found in a set and what they are in a group.
struct Kind<'a, 'k, P> {
    of_set: fn(&'a SetMembers) -> Option<&'a Alternatives<Term<P>>>,
    what: &'k dyn Fn(&'a P) -> What<'a>,
}

impl<'a> Builder<'a> {
    fn push(
        &mut self,
        block: &'a Block,
        rule: &'a Spanned<Rule>,
        own: bool,
        patterns: Vec<Item<'a>>,
        except: Vec<Item<'a>>,
        from_set: bool,
    ) {
        self.groups.push(Group {
            block,
            rule,
            outcome: block.effect.value,
            own,
            number: self.groups.len(),
            patterns,
            except,
            from_set,
        });
    }

    fn rule(&mut self, block: &'a Block, rule: &'a Spanned<Rule>, own: bool) {
        const READ: &[Access] = &[Access::Read];
        const WRITE: &[Access] = &[Access::Write];
        const DELETE: &[Access] = &[Access::Delete];
        match &rule.value.subject {
            Subject::Command(terms) => {
                let what: &dyn Fn(&'a CommandPattern) -> What<'a> = &What::Command;
                self.terms(block, rule, own, terms, commands_of, what);
            }
            Subject::Read(terms) => {
                self.terms(block, rule, own, terms, paths_of, &|path| What::Path(READ, path));
            }
            Subject::Write(terms) => {
                self.terms(block, rule, own, terms, paths_of, &|path| What::Path(WRITE, path));
            }
            Subject::Delete(terms) => {
                self.terms(block, rule, own, terms, paths_of, &|path| {
                    What::Path(DELETE, path)
                });
            }
            Subject::Network(terms) => {
                self.terms(block, rule, own, terms, hosts_of, &|host| What::Host(host));
            }
            Subject::Tool(globs) => {
                self.plain(block, rule, own, globs, |glob| What::Name(NameKind::Tool, glob));
            }
            Subject::Agent(globs) => {
                self.plain(block, rule, own, globs, |glob| What::Name(NameKind::Agent, glob));
            }
            Subject::Skill(globs) => {
                self.plain(block, rule, own, globs, |glob| What::Name(NameKind::Skill, glob));
            }
            Subject::Env(patterns) => self.plain(block, rule, own, patterns, What::Env),
            Subject::Mode(modes) => self.plain(block, rule, own, modes, |mode| What::Mode(*mode)),
            Subject::Short(short) => {
                let what = match &short.subject {
                    ShortSubject::Command(text) => What::Text(text),
                    ShortSubject::Read(path) => What::Path(READ, path),
                    ShortSubject::Change(path) => What::Path(&[Access::Write, Access::Delete], path),
                    ShortSubject::Network(host) => What::Host(host),
                    ShortSubject::Tool(glob) => What::Name(NameKind::Tool, glob),
                    ShortSubject::Agent(glob) => What::Name(NameKind::Agent, glob),
                    ShortSubject::Skill(glob) => What::Name(NameKind::Skill, glob),
                };
                let item = Item {
                    what,
                    place: rule.place,
                };
                self.push(block, rule, own, vec![item], Vec::new(), false);
            }
        }
    }

    fn plain<P>(
        &mut self,
        block: &'a Block,
        rule: &'a Spanned<Rule>,
        own: bool,
        alternatives: &'a Alternatives<P>,
        what: impl Fn(&'a P) -> What<'a>,
    ) {
        let items = |list: &'a [Spanned<P>]| -> Vec<Item<'a>> {
            list.iter()
                .map(|pattern| Item {
                    what: what(&pattern.value),
                    place: pattern.place,
                })
                .collect()
        };
        let (patterns, except) = (items(&alternatives.patterns), items(&alternatives.except));
        self.push(block, rule, own, patterns, except, false);
    }

    fn terms<P>(
        &mut self,
        block: &'a Block,
        rule: &'a Spanned<Rule>,
        own: bool,
        alternatives: &'a Alternatives<Term<P>>,
        of_set: fn(&'a SetMembers) -> Option<&'a Alternatives<Term<P>>>,
        what: &dyn Fn(&'a P) -> What<'a>,
    ) {
        let kind = Kind { of_set, what };
        let mut except = Vec::new();
        for term in &alternatives.except {
            self.flatten(term, &kind, 0, &mut except, &mut Vec::new());
        }
        let mut plain = Vec::new();
        for term in &alternatives.patterns {
            let (mut patterns, mut out) = (Vec::new(), except.clone());
            self.flatten(term, &kind, 0, &mut patterns, &mut out);
            match &term.value {
                Term::Pattern(_) => plain.append(&mut patterns),
                Term::Set(_) => self.push(block, rule, own, patterns, out, true),
            }
        }
        if !plain.is_empty() {
            self.push(block, rule, own, plain, except, false);
        }
    }

    fn flatten<P>(
        &self,
        term: &'a Spanned<Term<P>>,
        kind: &Kind<'a, '_, P>,
        depth: usize,
        patterns: &mut Vec<Item<'a>>,
        except: &mut Vec<Item<'a>>,
    ) {
        let name = match &term.value {
            Term::Pattern(pattern) => {
                patterns.push(Item {
                    what: (kind.what)(pattern),
                    place: term.place,
                });
                return;
            }
            Term::Set(name) => name,
        };
        // A set that is not there, or is of another kind, is an error of its own.
        let members = self
            .sets
            .get(name.as_str())
            .and_then(|set| (kind.of_set)(set))
            .filter(|_| depth <= MAX_SET_DEPTH);
        let Some(members) = members else { return };
        for inner in &members.patterns {
            self.flatten(inner, kind, depth + 1, patterns, except);
        }
        for inner in &members.except {
            self.flatten(inner, kind, depth + 1, except, &mut Vec::new());
        }
    }
}

fn paths_of(set: &SetMembers) -> Option<&Alternatives<Term<PathPattern>>> {
    match set {
        SetMembers::Paths(paths) => Some(paths),
        SetMembers::Hosts(_) | SetMembers::Commands(_) => None,
    }
}

fn hosts_of(set: &SetMembers) -> Option<&Alternatives<Term<HostPattern>>> {
    match set {
        SetMembers::Hosts(hosts) => Some(hosts),
        SetMembers::Paths(_) | SetMembers::Commands(_) => None,
    }
}

fn commands_of(set: &SetMembers) -> Option<&Alternatives<Term<CommandPattern>>> {
    match set {
        SetMembers::Commands(commands) => Some(commands),
        SetMembers::Paths(_) | SetMembers::Hosts(_) => None,
    }
}
