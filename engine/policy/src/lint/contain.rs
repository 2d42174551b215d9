//! Whether one pattern covers another, or shares anything with it.
//!
//! Invariant (as the plan matches): a pattern becomes the automaton that the plan makes of it, its anchor resolved by the effect of its
//! rule. Where a pattern cannot be told exactly, it covers nothing and shares everything.

use std::net::IpAddr;

use smol_str::SmolStr;

use super::automaton::{Automaton, State};
use super::groups::{Access, Group, Item, What};
use super::label::Label;
use crate::document::{Condition, Outcome};
use crate::pattern::{
    CommandPart, EnvironmentPattern, FlagPattern, Glob, HostName, HostPattern, PathPattern, PathReach,
    PathSegment, ProgramPattern, TextEnd, TextPattern, TextPiece, WordPattern, WordPiece,
};
use crate::source::Spanned;

/// Where a path automaton starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mount {
    Project,
    Home,
    Root,
}

/// A pattern in a form that can be held against others.
#[derive(Clone, Debug)]
pub(super) enum Shape<'a> {
    /// Words of a command: no more than `most` and, where that is known, no less than `least`.
    Words {
        most: Automaton,
        least: Option<Automaton>,
    },
    /// Names of a path.
    Path {
        accesses: &'static [Access],
        mount: Mount,
        automaton: Automaton,
    },
    Host(&'a HostPattern),
    Name(super::groups::NameKind, Label),
    Env(&'a EnvironmentPattern),
    Mode(crate::document::Mode),
}

/// How much is wanted of one pattern that covers another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cover {
    /// Whatever matches the one may match the other.
    AtAll,
    /// Whatever matches the one for certain matches the other for certain, even words that are only partly known.
    ForCertain,
}

/// Ways that optional parts and choices of one pattern may make.
const MAX_STATES: usize = 512;

/// The shape of a pattern of a rule of this effect; `None` if it cannot be told.
pub(super) fn shape<'a>(item: &Item<'a>, outcome: Outcome, except: bool) -> Option<Shape<'a>> {
    Some(match item.what {
        What::Command(pattern) => exactly(words(&pattern.programs, &pattern.rest)?),
        What::Text(pattern) => text(pattern, outcome)?,
        What::Path(accesses, pattern) => {
            let effect = if except { opposite(outcome) } else { outcome };
            let whole = accesses == [Access::Read] || outcome != Outcome::Allow;
            let (mount, automaton) = path(pattern, pattern.anchor.reach(effect), whole);
            Shape::Path {
                accesses,
                mount,
                automaton,
            }
        }
        What::Host(host) => Shape::Host(host),
        What::Name(kind, glob) => Shape::Name(kind, Label::of_glob(glob)),
        What::Env(pattern) => Shape::Env(pattern),
        What::Mode(mode) => Shape::Mode(mode),
    })
}

fn opposite(outcome: Outcome) -> Outcome {
    match outcome {
        Outcome::Allow => Outcome::Deny,
        Outcome::Ask | Outcome::Deny => Outcome::Allow,
    }
}

/// Whether the outer pattern covers all that the inner one does.
pub(super) fn covers(outer: &Shape<'_>, inner: &Shape<'_>, how: Cover) -> bool {
    let automata = |outer: &Automaton, inner: &Automaton| match how {
        Cover::AtAll => inner.within(outer),
        Cover::ForCertain => inner.followed_by(outer),
    };
    match (outer, inner) {
        (Shape::Words { least, .. }, Shape::Words { most, .. }) => {
            least.as_ref().is_some_and(|least| automata(least, most))
        }
        (
            Shape::Path {
                accesses,
                mount,
                automaton,
            },
            Shape::Path {
                accesses: inner_accesses,
                mount: inner_mount,
                automaton: other,
            },
        ) => {
            if !inner_accesses.iter().all(|access| accesses.contains(access)) {
                false
            } else if mount == inner_mount {
                automata(automaton, other)
            } else if *mount == Mount::Root {
                automata(automaton, &below_unknown(other))
            } else {
                false
            }
        }
        (Shape::Host(outer), Shape::Host(inner)) => host_covers(outer, inner),
        (Shape::Name(outer_kind, outer), Shape::Name(kind, inner)) => {
            outer_kind == kind && outer.covers(inner)
        }
        (Shape::Env(outer), Shape::Env(inner)) => env_covers(outer, inner),
        (Shape::Mode(outer), Shape::Mode(inner)) => outer == inner,
        (
            Shape::Words { .. }
            | Shape::Path { .. }
            | Shape::Host(_)
            | Shape::Name(..)
            | Shape::Env(_)
            | Shape::Mode(_),
            _,
        ) => false,
    }
}

/// Whether anything may match both.
pub(super) fn meets(one: &Shape<'_>, other: &Shape<'_>) -> bool {
    match (one, other) {
        (Shape::Words { most, .. }, Shape::Words { most: other, .. }) => most.meets(other),
        (
            Shape::Path {
                accesses,
                mount,
                automaton,
            },
            Shape::Path {
                accesses: others,
                mount: other_mount,
                automaton: other,
            },
        ) => {
            accesses.iter().any(|access| others.contains(access))
                && (mount != other_mount || automaton.meets(other))
        }
        (Shape::Host(_), Shape::Host(_)) | (Shape::Env(_), Shape::Env(_)) => true,
        (Shape::Name(kind, one), Shape::Name(other_kind, other)) => kind == other_kind && one.meets(other),
        (Shape::Mode(one), Shape::Mode(other)) => one == other,
        (
            Shape::Words { .. }
            | Shape::Path { .. }
            | Shape::Host(_)
            | Shape::Name(..)
            | Shape::Env(_)
            | Shape::Mode(_),
            _,
        ) => false,
    }
}

/// Whether the exceptions of a group leave all of an inner pattern in it.
pub(super) fn spares(group: &Group<'_>, inner: &Shape<'_>, inner_group: &Group<'_>) -> bool {
    group.except.iter().all(|item| {
        // What both take out is in neither.
        let same = inner_group.except.iter().any(|own| own.what == item.what)
            && group.outcome == inner_group.outcome;
        same || shape(item, group.outcome, true).is_some_and(|shape| !meets(&shape, inner))
    })
}

/// Whether a rule with the inner conditions never holds without one that has the outer ones.
pub(super) fn implies(inner: &[Spanned<Condition>], outer: &[Spanned<Condition>]) -> bool {
    outer.iter().all(|wanted| {
        inner.iter().any(|given| match (&given.value, &wanted.value) {
            (Condition::Flag(given), Condition::Flag(wanted)) => subset(given, wanted),
            (Condition::WithoutFlag(given), Condition::WithoutFlag(wanted)) => subset(wanted, given),
            (given, wanted) => given == wanted,
        })
    })
}

fn subset(inner: &[Spanned<FlagPattern>], outer: &[Spanned<FlagPattern>]) -> bool {
    inner.iter().all(|flag| outer.contains(flag))
}

/// The automaton of a command pattern.
fn words(programs: &[ProgramPattern], rest: &[CommandPart]) -> Option<Automaton> {
    let mut automaton = Automaton::new();
    let first = automaton.state();
    for program in programs {
        match program {
            ProgramPattern::Name(word) => {
                for label in Label::of_word(word)? {
                    automaton.add(0, label, first);
                }
            }
            ProgramPattern::File(path) => {
                automaton.add(
                    0,
                    Label::Opaque(format!("{:?} {:?}", path.anchor, path.alternatives).into()),
                    first,
                );
            }
        }
    }
    let mut heads = vec![first];
    for part in rest {
        extend(&mut automaton, &mut heads, part)?;
    }
    for head in heads {
        automaton.accept(head);
    }
    Some(automaton)
}

fn extend(automaton: &mut Automaton, heads: &mut Vec<State>, part: &CommandPart) -> Option<()> {
    match part {
        CommandPart::Word(word) => {
            let labels = Label::of_word(word)?;
            let next = automaton.state();
            for &head in heads.iter() {
                for label in &labels {
                    automaton.add(head, label.clone(), next);
                }
            }
            *heads = vec![next];
        }
        CommandPart::Choice(ways) => {
            let mut ends = Vec::new();
            for way in ways {
                let mut branch = heads.clone();
                for inner in way {
                    extend(automaton, &mut branch, inner)?;
                }
                ends.extend(branch);
            }
            *heads = ends;
        }
        CommandPart::Optional(parts) => {
            let mut branch = heads.clone();
            for inner in parts {
                extend(automaton, &mut branch, inner)?;
            }
            heads.extend(branch);
        }
        CommandPart::AnyWords => {
            let many = automaton.state();
            automaton.add(many, Label::Any, many);
            for &head in heads.iter() {
                automaton.add(head, Label::Any, many);
            }
            heads.push(many);
        }
    }
    heads.sort_unstable();
    heads.dedup();
    (heads.len() <= MAX_STATES).then_some(())
}

fn exactly(automaton: Automaton) -> Shape<'static> {
    Shape::Words {
        least: Some(automaton.clone()),
        most: automaton,
    }
}

/// A rule in the short spelling as words. Of a text with stars inside only the words before the first star are known.
fn text<'a>(pattern: &TextPattern, outcome: Outcome) -> Option<Shape<'a>> {
    if !pattern.environment.is_empty() {
        return None;
    }
    let (whole, known, more) = match pattern.pieces.as_slice() {
        [TextPiece::AnyText] => {
            return Some(exactly(words(
                &[ProgramPattern::Name(any())],
                &[CommandPart::AnyWords],
            )?));
        }
        [TextPiece::Text(text)] => (true, text.as_str(), pattern.end == TextEnd::AnyWords),
        [TextPiece::Text(text), ..] => (false, text.rsplit_once(' ')?.0, true),
        [] | [TextPiece::AnyText, ..] => return None,
    };
    // Quotes are read by the plan in a way of its own.
    if known.contains(['\'', '"', '\\', '$']) {
        return None;
    }
    let list: Vec<&str> = known.split(' ').collect();
    let own = spelled(&list, more, None)?;
    let mut most = own.clone();
    // `npm run test:*` takes `npm run test:unit`, too.
    if let (true, Some((last, before))) = (more, list.split_last())
        && !before.is_empty()
    {
        let colon = WordPattern {
            pieces: vec![WordPiece::Text(format!("{last}:").into()), WordPiece::AnyText],
        };
        most.join(&spelled(before, true, Some(colon))?);
    }
    // The options of a rule that forbids count wherever they stand.
    if outcome != Outcome::Allow && list.iter().any(|word| word.starts_with('-')) {
        let rest: Vec<&str> = list
            .iter()
            .copied()
            .filter(|word| !word.starts_with('-'))
            .collect();
        most.join(&spelled(&rest, true, None)?);
    }
    Some(Shape::Words {
        most,
        least: whole.then_some(own),
    })
}

fn spelled(list: &[&str], more: bool, last: Option<WordPattern>) -> Option<Automaton> {
    let mut list = list.iter().map(|word| WordPattern::exactly(word)).chain(last);
    let program = list.next()?;
    let mut rest: Vec<CommandPart> = list.map(CommandPart::Word).collect();
    if more {
        rest.push(CommandPart::AnyWords);
    }
    words(&[ProgramPattern::Name(program)], &rest)
}

fn any() -> WordPattern {
    WordPattern {
        pieces: vec![WordPiece::AnyText],
    }
}

/// The automaton of a path pattern and where it starts.
fn path(pattern: &PathPattern, reach: PathReach, whole: bool) -> (Mount, Automaton) {
    let (mount, deep) = match reach {
        PathReach::Project => (Mount::Project, false),
        PathReach::WithinProject => (Mount::Project, true),
        PathReach::Home => (Mount::Home, false),
        PathReach::Root => (Mount::Root, false),
        PathReach::Everywhere => (Mount::Root, true),
    };
    let mut automaton = Automaton::new();
    for way in &pattern.alternatives {
        automaton.join(&names(way, deep, whole));
    }
    (mount, automaton)
}

fn names(segments: &[PathSegment], deep: bool, whole: bool) -> Automaton {
    let mut segments = segments.to_vec();
    if segments.last() == Some(&PathSegment::AnyDepth) {
        if whole {
            segments.pop();
        } else {
            segments.push(PathSegment::Name(Glob::any()));
        }
    }
    if deep && segments.first() != Some(&PathSegment::AnyDepth) {
        segments.insert(0, PathSegment::AnyDepth);
    }
    let mut automaton = Automaton::new();
    let mut heads = vec![0];
    for segment in &segments {
        match segment {
            PathSegment::Name(glob) => {
                let next = automaton.state();
                let label = Label::of_glob(glob);
                for &head in &heads {
                    automaton.add(head, label.clone(), next);
                }
                heads = vec![next];
            }
            PathSegment::AnyDepth => {
                let many = automaton.state();
                automaton.add(many, Label::Any, many);
                for &head in &heads {
                    automaton.add(head, Label::Any, many);
                }
                heads.push(many);
            }
        }
    }
    // What covers a directory covers everything below it.
    let below = automaton.state();
    automaton.add(below, Label::Any, below);
    automaton.accept(below);
    for head in heads {
        automaton.add(head, Label::Any, below);
        automaton.accept(head);
    }
    automaton
}

/// The same paths from the root, below a directory that is not known.
fn below_unknown(automaton: &Automaton) -> Automaton {
    let mut whole = Automaton::new();
    let unknown = Label::Opaque(SmolStr::new_static("directory"));
    let more = whole.state();
    whole.add(0, unknown.clone(), more);
    whole.add(more, unknown, more);
    let mut below = Automaton::new();
    below.join(automaton);
    // The directory may be the root itself, too.
    let offset = whole.append(&below);
    whole.alike(0, offset);
    whole.alike(more, offset);
    whole
}

fn host_covers(outer: &HostPattern, inner: &HostPattern) -> bool {
    if outer.port.is_some() && outer.port != inner.port {
        return false;
    }
    let below = |name: &str, parent: &str| {
        name.strip_suffix(parent)
            .is_some_and(|rest| rest.ends_with('.') && rest.len() > 1)
    };
    match (&outer.host, &inner.host) {
        (HostName::Any, _) => true,
        (HostName::Exactly(outer), HostName::Exactly(inner)) => outer == inner,
        (HostName::Below(outer), HostName::Exactly(inner)) => below(inner, outer),
        (HostName::Below(outer), HostName::Below(inner)) => outer == inner || below(inner, outer),
        (
            HostName::Network { address, prefix },
            HostName::Network {
                address: inner,
                prefix: inner_prefix,
            },
        ) => inner_prefix >= prefix && same_network(*address, *inner, *prefix),
        (HostName::Exactly(_) | HostName::Below(_) | HostName::Network { .. }, _) => false,
    }
}

fn same_network(one: IpAddr, other: IpAddr, prefix: u8) -> bool {
    let bits = |v: u128, width: u32| v.checked_shr(width - u32::from(prefix)).unwrap_or(0);
    match (one, other) {
        (IpAddr::V4(one), IpAddr::V4(other)) => {
            bits(u32::from(one).into(), 32) == bits(u32::from(other).into(), 32)
        }
        (IpAddr::V6(one), IpAddr::V6(other)) => bits(one.into(), 128) == bits(other.into(), 128),
        (IpAddr::V4(_), IpAddr::V6(_)) | (IpAddr::V6(_), IpAddr::V4(_)) => false,
    }
}

fn env_covers(outer: &EnvironmentPattern, inner: &EnvironmentPattern) -> bool {
    let glob = |outer: &Glob, inner: &Glob| Label::of_glob(outer).covers(&Label::of_glob(inner));
    glob(&outer.name, &inner.name)
        && match (&outer.value, &inner.value) {
            (None, _) => true,
            (Some(outer), Some(inner)) => glob(outer, inner),
            (Some(outer), None) => outer.is_any(),
        }
}
