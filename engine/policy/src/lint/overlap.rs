//! Patterns that another pattern makes useless: `shadowed`, `duplicate`, `redundant`.
//!
//! Invariant (removing is safe): a pattern is reported only if every verdict stays without it. So a pattern that allows is compared with
//! what else its rule lends to a command: the options that the rule names, and whether it names the program.

use rustc_hash::FxHashMap;
use smol_str::SmolStr;

use super::contain::{Cover, Mount, Shape, covers, implies, meets, shape, spares};
use super::groups::{Access, Group, Item, NameKind, What};
use super::label::Label;
use super::{Context, Finding, Lint, fix};
use crate::document::{Alternatives, Condition, Outcome, RequestKind, SetMembers, Subject};
use crate::pattern::{
    CommandPart, CommandPattern, PathAnchor, PathSegment, ProgramPattern, TextPiece, WordPiece,
};
use crate::source::{Place, Spanned};

/// A pattern with everything that is compared.
struct Entry<'c, 'a> {
    group: &'c Group<'a>,
    item: &'c Item<'a>,
    shape: Shape<'a>,
    /// Words or names that all it matches has.
    needed: Vec<Label>,
    /// Words or names that something it matches has: what covers it needs no others.
    offered: Vec<Label>,
    /// What its first words or names are, each one of several: what covers it covers each of these.
    leading: Vec<Vec<Label>>,
}

impl Entry<'_, '_> {
    /// Whether another pattern may cover this one, by a look at what both spell out.
    fn may_lie_in(&self, other: &Self) -> bool {
        other
            .needed
            .iter()
            .all(|outer| self.offered.iter().any(|own| !outer.is_beside(own)))
            && self.leading.iter().zip(&other.leading).all(|(own, outer)| {
                own.iter()
                    .all(|own| outer.iter().any(|outer| !outer.is_beside(own)))
            })
    }
}

/// Words of a command, or names of a path, that stand in everything that a pattern matches.
fn needed(item: &Item<'_>) -> Vec<Label> {
    let labels: Vec<Label> = match item.what {
        What::Command(pattern) => pattern
            .rest
            .iter()
            .filter_map(|part| match part {
                CommandPart::Word(word) => Label::of_word(word).filter(|labels| labels.len() == 1),
                CommandPart::Choice(_) | CommandPart::Optional(_) | CommandPart::AnyWords => None,
            })
            .flatten()
            .collect(),
        What::Text(pattern) => match pattern.pieces.as_slice() {
            [TextPiece::Text(text)] => text
                .split(' ')
                .skip(1)
                .filter(|word| !word.starts_with('-'))
                .map(|word| Label::Text(word.into()))
                .collect(),
            _ => Vec::new(),
        },
        What::Path(_, pattern) => match pattern.alternatives.as_slice() {
            [way] => way
                .iter()
                .filter_map(|segment| match segment {
                    PathSegment::Name(glob) => Some(Label::of_glob(glob)),
                    PathSegment::AnyDepth => None,
                })
                .collect(),
            _ => Vec::new(),
        },
        What::Host(_) | What::Name(..) | What::Env(_) | What::Mode(_) => Vec::new(),
    };
    labels.into_iter().filter(|label| *label != Label::Any).collect()
}

/// Words of a command, or names of a path, that stand anywhere in a pattern.
fn offered(item: &Item<'_>) -> Vec<Label> {
    match item.what {
        What::Command(pattern) => {
            let mut labels = Vec::new();
            all_words(&pattern.rest, &mut labels);
            labels
        }
        What::Path(_, pattern) => pattern
            .alternatives
            .iter()
            .flatten()
            .filter_map(|segment| match segment {
                PathSegment::Name(glob) => Some(Label::of_glob(glob)),
                PathSegment::AnyDepth => None,
            })
            .collect(),
        What::Text(pattern) => pattern
            .pieces
            .iter()
            .filter_map(|piece| match piece {
                TextPiece::Text(text) => Some(text.split(' ')),
                TextPiece::AnyText => None,
            })
            .flatten()
            .map(|word| Label::Text(word.into()))
            .collect(),
        What::Host(_) | What::Name(..) | What::Env(_) | What::Mode(_) => Vec::new(),
    }
}

fn all_words(parts: &[CommandPart], labels: &mut Vec<Label>) {
    for part in parts {
        match part {
            CommandPart::Word(word) => labels.extend(Label::of_word(word).unwrap_or_default()),
            CommandPart::Choice(ways) => ways.iter().for_each(|way| all_words(way, labels)),
            CommandPart::Optional(parts) => all_words(parts, labels),
            CommandPart::AnyWords => {}
        }
    }
}

/// What the first words behind the program, or the first names below a fixed start, are, as far as each is one word.
fn leading(item: &Item<'_>) -> Vec<Vec<Label>> {
    match item.what {
        What::Command(pattern) => pattern
            .rest
            .iter()
            .map_while(|part| match part {
                CommandPart::Word(word) => Label::of_word(word),
                CommandPart::Choice(_) | CommandPart::Optional(_) | CommandPart::AnyWords => None,
            })
            .collect(),
        What::Path(_, pattern) => match (pattern.anchor, pattern.alternatives.as_slice()) {
            (PathAnchor::Project, [way]) => way
                .iter()
                .map_while(|segment| match segment {
                    PathSegment::Name(glob) => Some(vec![Label::of_glob(glob)]),
                    PathSegment::AnyDepth => None,
                })
                .collect(),
            (
                PathAnchor::Project
                | PathAnchor::Home
                | PathAnchor::Root
                | PathAnchor::AnyDepth
                | PathAnchor::ProjectOrAnyDepth,
                _,
            ) => Vec::new(),
        },
        What::Text(_) | What::Host(_) | What::Name(..) | What::Env(_) | What::Mode(_) => Vec::new(),
    }
}

/// By what a pattern is looked up: patterns with different keys share nothing.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Key {
    Program(SmolStr),
    AnyProgram,
    Path(Access, u8),
    Host,
    Name(NameKind),
    Env,
    Mode,
}

pub(super) fn lint(context: &Context<'_>, findings: &mut Vec<Finding>) {
    let entries: Vec<Entry<'_, '_>> = context
        .groups
        .iter()
        .flat_map(|group| group.patterns.iter().map(move |item| (group, item)))
        .filter_map(|(group, item)| {
            Some(Entry {
                group,
                item,
                shape: shape(item, group.outcome, false)?,
                needed: needed(item),
                offered: offered(item),
                leading: leading(item),
            })
        })
        .collect();
    let mut index: FxHashMap<Key, Vec<usize>> = FxHashMap::default();
    for (number, entry) in entries.iter().enumerate() {
        for key in keys(entry.item, &entry.shape) {
            index.entry(key).or_default().push(number);
        }
    }
    let mut gone = vec![false; entries.len()];
    for (number, entry) in entries.iter().enumerate() {
        if !entry.group.own || entry.group.from_set {
            continue;
        }
        let mut near: Vec<usize> = keys(entry.item, &entry.shape)
            .iter()
            .flat_map(wider)
            .filter_map(|key| index.get(&key))
            .flatten()
            .copied()
            .filter(|&other| other != number && gone.get(other) == Some(&false))
            .collect();
        near.sort_unstable();
        near.dedup();
        let others: Vec<&Entry<'_, '_>> = near
            .iter()
            .filter_map(|&other| entries.get(other))
            .filter(|other| entry.may_lie_in(other))
            .collect();
        if let Some(finding) = judge(context, &entries, entry, &others) {
            findings.push(finding);
            if let Some(own) = gone.get_mut(number) {
                *own = true;
            }
        }
    }
    same_terms(context, findings);
}

/// What is wrong with one pattern in the light of the others; the worst alone.
fn judge(
    context: &Context<'_>,
    all: &[Entry<'_, '_>],
    entry: &Entry<'_, '_>,
    others: &[&Entry<'_, '_>],
) -> Option<Finding> {
    let shown = context.input.sources.text(entry.item.place);
    let by = |other: &Entry<'_, '_>| {
        let at = if other.group.from_set {
            other.group.rule.place
        } else {
            other.item.place
        };
        (at, context.at(at))
    };
    for other in others {
        if other.group.outcome > entry.group.outcome && is_shadow(context, entry, other) {
            let (place, at) = by(other);
            let outcome = other.group.outcome.as_str();
            let message = format!(
                "{shown} never takes effect: every call that it matches is decided by `{outcome}` at {at}"
            );
            return Some(
                Finding::new(Lint::Shadowed, message, entry.item.place)
                    .of(entry.group)
                    .label(place, format!("this `{outcome}` covers it"))
                    .help("remove it, or take it out of the stricter rule with `except`"),
            );
        }
    }
    for other in others {
        let (one, two) = (entry, *other);
        if two.group.outcome != one.group.outcome || !is_redundant(all, one, two) {
            continue;
        }
        let same = one.item.what == two.item.what
            && one.group.conditions() == two.group.conditions()
            && whats(&one.group.except) == whats(&two.group.except);
        // Of two that say the same the later one goes.
        if same
            && (two.group.number, two.item.place.span.start) > (one.group.number, one.item.place.span.start)
            && two.group.own
            && !two.group.from_set
        {
            continue;
        }
        // A team may repeat what it builds on, so that it stays when that changes.
        if !two.group.own && one.group.outcome != Outcome::Allow {
            continue;
        }
        let (place, at) = by(two);
        let (lint, message, text) = if same {
            (
                Lint::Duplicate,
                format!("{shown} stands here a second time; the first is at {at}"),
                "the same pattern",
            )
        } else {
            (
                Lint::Redundant,
                format!("{shown} says nothing that the rule at {at} does not say"),
                "this covers it",
            )
        };
        let fix = fix::remove_pattern(context.input.sources, entry.group, entry.item.place, same);
        return Some(
            Finding::new(lint, message, entry.item.place)
                .of(entry.group)
                .label(place, text)
                .help("remove it")
                .fix(fix),
        );
    }
    None
}

fn whats<'a>(items: &[Item<'a>]) -> Vec<What<'a>> {
    items.iter().map(|item| item.what).collect()
}

/// Whether a stricter rule decides whatever this pattern matches.
fn is_shadow(context: &Context<'_>, entry: &Entry<'_, '_>, other: &Entry<'_, '_>) -> bool {
    // A rule that allows a command also covers what the command touches, which a default of deny would not: not useless then.
    let command = matches!(entry.shape, Shape::Words { .. });
    let matters = command && entry.group.outcome == Outcome::Allow && other.group.outcome == Outcome::Ask;
    if matters && denies_by_default(context) {
        return false;
    }
    implies(entry.group.conditions(), other.group.conditions())
        && spares(other.group, &entry.shape, entry.group)
        && covers(&other.shape, &entry.shape, Cover::AtAll)
        && (entry.group.outcome != Outcome::Allow || keeps_its_rule(entry))
}

fn denies_by_default(context: &Context<'_>) -> bool {
    context.input.plan.is_none_or(|plan| {
        RequestKind::ALL
            .iter()
            .any(|(_, kind)| plan.default_for(*kind) == Outcome::Deny)
    })
}

/// Whether another rule of the same effect says all that this pattern does.
fn is_redundant(all: &[Entry<'_, '_>], entry: &Entry<'_, '_>, other: &Entry<'_, '_>) -> bool {
    if !implies(entry.group.conditions(), other.group.conditions())
        || !spares(other.group, &entry.shape, entry.group)
        || !covers(&other.shape, &entry.shape, Cover::ForCertain)
    {
        return false;
    }
    let first =
        (other.group.number, other.item.place.span.start) < (entry.group.number, entry.item.place.span.start);
    if entry.group.outcome != Outcome::Allow {
        // Of several that match the first one gives the reason, so that a narrower one in front may say more.
        let reason = |group: &Group<'_>| (group.block.because.clone(), group.block.instead.clone());
        return first || reason(entry.group) == reason(other.group);
    }
    match &entry.shape {
        Shape::Words { .. } => {
            let (own, wide) = (Lent::of(entry.group), Lent::of(other.group));
            keeps_its_rule(entry)
                && (entry.group.number == other.group.number
                    || wide.rank() > own.rank()
                    || (own == wide && all_lend_alike(all, entry, &own)))
        }
        // Whether a rule allows editing decides about reading too, and the first one is asked.
        Shape::Path { accesses, .. } => {
            first
                || accesses.contains(&Access::Read)
                || !all.iter().any(|one| {
                    one.group.outcome == Outcome::Allow
                        && matches!(one.item.what, What::Path(accesses, _) if accesses.len() > 1)
                })
        }
        Shape::Host(_) | Shape::Name(..) | Shape::Env(_) | Shape::Mode(_) => true,
    }
}

/// Whether all rules that may allow the same commands, and would be preferred no less, lend them the same: any of them may be the one that
/// counts.
fn all_lend_alike(all: &[Entry<'_, '_>], entry: &Entry<'_, '_>, own: &Lent) -> bool {
    all.iter()
        .filter(|one| {
            one.group.outcome == Outcome::Allow
                && one.group.number != entry.group.number
                && matches!(one.shape, Shape::Words { .. })
        })
        .all(|one| {
            let lent = Lent::of(one.group);
            lent.options == own.options || lent.rank() != own.rank() || !meets(&one.shape, &entry.shape)
        })
}

/// Whether the rest of its rule lends the same without this pattern.
fn keeps_its_rule(entry: &Entry<'_, '_>) -> bool {
    let What::Command(pattern) = entry.item.what else {
        return true;
    };
    let rest: Vec<&CommandPattern> = entry
        .group
        .patterns
        .iter()
        .filter(|item| item.place != entry.item.place)
        .filter_map(|item| match item.what {
            What::Command(pattern) => Some(pattern),
            What::Text(_)
            | What::Path(..)
            | What::Host(_)
            | What::Name(..)
            | What::Env(_)
            | What::Mode(_) => None,
        })
        .collect();
    if rest.is_empty() {
        return true;
    }
    let mut kept = Vec::new();
    for pattern in &rest {
        named_options(&pattern.rest, &mut kept);
    }
    let mut own = Vec::new();
    named_options(&pattern.rest, &mut own);
    own.iter().all(|option| kept.contains(option)) && !pattern.programs.iter().any(any_program)
}

/// What a rule lends a command besides its verdict.
#[derive(PartialEq, Eq)]
struct Lent {
    names_program: bool,
    bounds_operands: bool,
    everything: bool,
    options: Vec<SmolStr>,
}

impl Lent {
    fn of(group: &Group<'_>) -> Self {
        let mut lent = Self {
            names_program: true,
            bounds_operands: false,
            everything: false,
            options: Vec::new(),
        };
        for condition in group.conditions() {
            match &condition.value {
                Condition::OperandsWithin(_) => lent.bounds_operands = true,
                Condition::Flag(flags) => {
                    let names = flags.iter().filter_map(|flag| flag.value.name.literal());
                    lent.options.extend(names.map(SmolStr::from));
                }
                Condition::WithoutFlag(_)
                | Condition::Operand { .. }
                | Condition::Env(_)
                | Condition::Cwd(_)
                | Condition::PipedInto(_)
                | Condition::InPipeline(_)
                | Condition::Background(_)
                | Condition::Via(_)
                | Condition::Input { .. } => {}
            }
        }
        for (item, except) in group
            .patterns
            .iter()
            .map(|item| (item, false))
            .chain(group.except.iter().map(|item| (item, true)))
        {
            match item.what {
                What::Command(pattern) => {
                    named_options(&pattern.rest, &mut lent.options);
                    let any = pattern.programs.iter().any(any_program);
                    lent.names_program &= !any;
                    lent.everything |= !except && any && pattern.rest == [CommandPart::AnyWords];
                }
                What::Text(text) => {
                    lent.everything |= text.is_every();
                    lent.names_program &= matches!(text.pieces.first(), Some(TextPiece::Text(_)));
                    let texts = text.pieces.iter().filter_map(|piece| match piece {
                        TextPiece::Text(text) => Some(text),
                        TextPiece::AnyText => None,
                    });
                    let words = texts
                        .flat_map(|text| text.split(' '))
                        .filter(|word| word.starts_with('-'));
                    lent.options.extend(words.map(SmolStr::from));
                }
                What::Path(..) | What::Host(_) | What::Name(..) | What::Env(_) | What::Mode(_) => {}
            }
        }
        lent.options.sort_unstable();
        lent.options.dedup();
        lent
    }

    /// The order in which rules that allow a command are preferred.
    fn rank(&self) -> u8 {
        u8::from(self.names_program && !self.bounds_operands) + 2 * u8::from(self.everything)
    }
}

fn any_program(program: &ProgramPattern) -> bool {
    match program {
        ProgramPattern::Name(word) => word.pieces.first() == Some(&WordPiece::AnyText),
        ProgramPattern::File(path) => path.anchor == PathAnchor::AnyDepth,
    }
}

fn named_options(parts: &[CommandPart], options: &mut Vec<SmolStr>) {
    for part in parts {
        match part {
            CommandPart::Word(word) => {
                let texts = word.pieces.iter().filter_map(|piece| match piece {
                    WordPiece::Text(text) => Some(text.clone()),
                    WordPiece::AnyText | WordPiece::Choice(_) => None,
                });
                options.extend(texts.filter(|text| text.starts_with('-')));
            }
            CommandPart::Choice(ways) => ways.iter().for_each(|way| named_options(way, options)),
            CommandPart::Optional(parts) => named_options(parts, options),
            CommandPart::AnyWords => {}
        }
    }
}

fn keys(item: &Item<'_>, shape: &Shape<'_>) -> Vec<Key> {
    match (item.what, shape) {
        (What::Command(pattern), _) => pattern.programs.iter().map(program_key).collect(),
        (What::Text(text), _) => match text.pieces.first() {
            Some(TextPiece::Text(text)) => {
                let program = text.split(' ').next().unwrap_or_default();
                vec![Key::Program(program.into())]
            }
            Some(TextPiece::AnyText) | None => vec![Key::AnyProgram],
        },
        (What::Path(accesses, _), Shape::Path { mount, .. }) => accesses
            .iter()
            .map(|access| Key::Path(*access, mount_number(*mount)))
            .collect(),
        (What::Path(..), _) => Vec::new(),
        (What::Host(_), _) => vec![Key::Host],
        (What::Name(kind, _), _) => vec![Key::Name(kind)],
        (What::Env(_), _) => vec![Key::Env],
        (What::Mode(_), _) => vec![Key::Mode],
    }
}

fn program_key(program: &ProgramPattern) -> Key {
    match program {
        ProgramPattern::Name(word) => match word.literal() {
            Some(name) => Key::Program(name.into()),
            None => Key::AnyProgram,
        },
        ProgramPattern::File(path) => Key::Program(format!("/{}", path.text).into()),
    }
}

fn mount_number(mount: Mount) -> u8 {
    match mount {
        Mount::Project => 0,
        Mount::Home => 1,
        Mount::Root => 2,
    }
}

/// The keys of what may cover something with this key.
fn wider(key: &Key) -> Vec<Key> {
    match key {
        Key::Program(_) => vec![key.clone(), Key::AnyProgram],
        Key::Path(access, _) => vec![key.clone(), Key::Path(*access, mount_number(Mount::Root))],
        Key::AnyProgram | Key::Host | Key::Name(_) | Key::Env | Key::Mode => vec![key.clone()],
    }
}

/// Sets that one rule names twice, and patterns that a set holds twice.
fn same_terms(context: &Context<'_>, findings: &mut Vec<Finding>) {
    for document in context.documents() {
        for set in &document.sets {
            match &set.value.members {
                SetMembers::Paths(members) => twice(context, members, findings),
                SetMembers::Hosts(members) => twice(context, members, findings),
                SetMembers::Commands(members) => twice(context, members, findings),
            }
        }
        for rule in document.blocks.iter().flat_map(|block| &block.value.rules) {
            match &rule.value.subject {
                Subject::Command(terms) => sets_twice(context, &terms.patterns, findings),
                Subject::Read(terms) | Subject::Write(terms) | Subject::Delete(terms) => {
                    sets_twice(context, &terms.patterns, findings);
                }
                Subject::Network(terms) => sets_twice(context, &terms.patterns, findings),
                Subject::Tool(_)
                | Subject::Env(_)
                | Subject::Agent(_)
                | Subject::Skill(_)
                | Subject::Mode(_)
                | Subject::Short(_) => {}
            }
        }
    }
}

fn sets_twice<P: PartialEq + Clone>(
    context: &Context<'_>,
    terms: &[Spanned<crate::pattern::Term<P>>],
    findings: &mut Vec<Finding>,
) {
    let sets: Vec<Spanned<crate::pattern::Term<P>>> = terms
        .iter()
        .filter(|term| matches!(term.value, crate::pattern::Term::Set(_)))
        .cloned()
        .collect();
    repeated(context, &sets, findings);
}

fn twice<P: PartialEq>(context: &Context<'_>, members: &Alternatives<P>, findings: &mut Vec<Finding>) {
    repeated(context, &members.patterns, findings);
    repeated(context, &members.except, findings);
}

fn repeated<P: PartialEq>(context: &Context<'_>, list: &[Spanned<P>], findings: &mut Vec<Finding>) {
    for (number, one) in list.iter().enumerate() {
        let Some(first) = list.iter().take(number).find(|other| other.value == one.value) else {
            continue;
        };
        let first: Place = first.place;
        findings.push(
            Finding::new(
                Lint::Duplicate,
                format!(
                    "{} stands here a second time",
                    context.input.sources.text(one.place)
                ),
                one.place,
            )
            .label(first, "the first is here")
            .help("remove it")
            .fix(fix::remove_argument(context.input.sources, one.place)),
        );
    }
}
