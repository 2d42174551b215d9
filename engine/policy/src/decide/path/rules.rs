//! What the rules say of a place.
//!
//! Invariant (either way): whether the file system tells names apart by case is not known, so that a rule is asked both ways. A rule that
//! allows needs both, one that forbids or asks either.

use std::borrow::Cow;

use smol_str::SmolStr;

use crate::decide::Decider;
use crate::decide::groups::{Matched, Ruling};
use crate::document::Outcome;
use crate::facts::{Entry, Look, below};
use crate::pattern::folded;
use crate::plan::{Extent, Names, PathIndex, PathTries, Segment};
use crate::resolve::{Name, Target};
use crate::truth::{Truth, Unit, value_units};
use crate::verdict::RuleRef;

use super::names::{Way, literal_beginning, moved, names_of, parts, way};
use super::{Access, Asked};

impl Decider<'_> {
    /// The rule in the short spelling that allows editing a target, if one does for certain and none forbids it.
    pub(in crate::decide) fn edit_rule(&self, target: &Target) -> Option<RuleRef> {
        let said = self.says(&self.plan.writes, target, Extent::Itself, &Names::default());
        match said.ruling {
            Ruling::Allow(rule) if self.plan.rules.get(rule.0 as usize).is_some_and(|own| own.edits) => {
                Some(rule)
            }
            Ruling::Allow(_)
            | Ruling::Nothing
            | Ruling::Deny(_)
            | Ruling::DenyMaybe(_)
            | Ruling::Ask(_)
            | Ruling::AskMaybe(_) => None,
        }
    }

    /// Whether a target lies within the places of this number for certain.
    pub(super) fn is_within(&self, places: u32, target: &Target, extent: Extent) -> bool {
        self.plan
            .places
            .get(places as usize)
            .is_some_and(|index| self.covers(index, target, extent) == Truth::Yes)
    }

    /// What an index says of a target.
    pub(in crate::decide) fn says_of(&self, index: &PathIndex, target: &Target) -> Truth {
        if matches!(target, Target::Unknown(_)) {
            return Truth::Maybe;
        }
        self.covers(index, target, Extent::Itself)
    }

    /// Whether an index covers a target: for certain only if it does so whether names are told apart by case or not.
    fn covers(&self, index: &PathIndex, target: &Target, extent: Extent) -> Truth {
        let truth = |matched: &Matched| {
            let truths = matched.truths().map(|(_, truth)| truth);
            truths.max().unwrap_or(Truth::No)
        };
        let names = Names::default();
        let written = self.matched(index, target, extent, &names);
        let own = truth(&written);
        match self.matched_folded(index, target, extent, &names, &written) {
            Some(folded) if truth(&folded) != own => Truth::Maybe,
            Some(_) | None => own,
        }
    }

    /// What the rules of an index say of a target, whether the file system tells names apart by case or not: what a rule allows must
    /// be allowed either way, and one that forbids or asks only on file systems that do not tell them apart is one that may match.
    pub(in crate::decide) fn says(
        &self,
        index: &PathIndex,
        target: &Target,
        extent: Extent,
        names: &Names<'_>,
    ) -> Said {
        let matched = self.matched(index, target, extent, names);
        let says = |matched: &Matched| matched.ruling(self.plan, self.rules, &mut |_| Truth::Yes);
        let written = says(&matched);
        let folded = self.matched_folded(index, target, extent, names, &matched);
        let ruling = match (written, folded.as_ref().map(says)) {
            (Ruling::Allow(_), Some(Ruling::Nothing)) => Ruling::Nothing,
            // What is allowed only where names are not told apart is not allowed.
            (written, Some(Ruling::Allow(_) | Ruling::Nothing) | None) => written,
            (written, Some(Ruling::Deny(rule))) => written.stricter(Ruling::DenyMaybe(rule)),
            (written, Some(Ruling::Ask(rule))) => written.stricter(Ruling::AskMaybe(rule)),
            (written, Some(maybe @ (Ruling::DenyMaybe(_) | Ruling::AskMaybe(_)))) => written.stricter(maybe),
        };
        Said { ruling, matched }
    }

    pub(in crate::decide) fn matched(
        &self,
        index: &PathIndex,
        target: &Target,
        extent: Extent,
        names: &Names<'_>,
    ) -> Matched {
        let mut matched = Matched::default();
        let mounts = (self.facts.project, self.facts.home);
        match_tries(&index.written, mounts, target, extent, names, &mut matched);
        matched
    }

    /// What matches where names that differ only by case are one; `None` if that is what matches anyway.
    pub(in crate::decide) fn matched_folded(
        &self,
        index: &PathIndex,
        target: &Target,
        extent: Extent,
        names: &Names<'_>,
        written: &Matched,
    ) -> Option<Matched> {
        let own = folded_target(target);
        let (project, home) = (folded(self.facts.project), self.facts.home.map(folded));
        let is_other =
            own.is_some() || matches!(project, Cow::Owned(_)) || matches!(home, Some(Cow::Owned(_)));
        if !is_other && index.folded.is_empty() {
            return None;
        }
        let mounts = (&*project, home.as_deref());
        let names = names.folded();
        let mut matched = Matched::default();
        let at = own.as_ref().unwrap_or(target);
        match_tries(&index.folded, mounts, at, extent, &names, &mut matched);
        if is_other {
            match_tries(&index.written, mounts, at, extent, &names, &mut matched);
        } else if matched.is_empty() {
            return None;
        } else {
            matched.add(written);
        }
        // More names are the same folded than any file system takes for one.
        let forbids = |group| {
            self.plan
                .rule_of(group)
                .is_none_or(|rule| rule.outcome != Outcome::Allow)
        };
        matched.except_as_in(written, forbids);
        Some(matched)
    }

    pub(super) fn index_for(&self, access: Access) -> &PathIndex {
        match access {
            Access::Read => &self.plan.reads,
            Access::Write => &self.plan.writes,
            Access::Delete => &self.plan.deletes,
        }
    }

    /// What the rules say of a target, and what those that forbid say of the same place by its real name where the project or the
    /// home directory is a link.
    pub(super) fn ruling(&self, asked: &Asked<'_>, target: &Target, extent: Extent) -> Ruling {
        let ruling = self.ruling_by_name(asked, target, extent);
        self.linked()
            .iter()
            .filter_map(|(place, own)| moved(target, own, place))
            .map(|target| self.ruling_by_name(asked, &target, extent))
            .filter(|by_place| !matches!(by_place, Ruling::Allow(_) | Ruling::Nothing))
            .fold(ruling, Ruling::stricter)
    }

    /// Whether an allow rule matches a target for certain, whatever stricter rules say of it.
    pub(in crate::decide) fn allows(&self, asked: &Asked<'_>, target: &Target, extent: Extent) -> bool {
        let index = self.index_for(asked.access);
        let names = Names::default();
        let written = self.matched(index, target, extent, &names);
        let folded = self.matched_folded(index, target, extent, &names, &written);
        let allows = |matched: &Matched| matched.allows(self.plan, self.rules);
        allows(&written) && folded.as_ref().is_none_or(allows)
    }

    pub(super) fn ruling_by_name(&self, asked: &Asked<'_>, target: &Target, extent: Extent) -> Ruling {
        let index = self.index_for(asked.access);
        let names = Names {
            only: asked.only.iter().map(value_units).collect(),
            except: asked.except.iter().map(value_units).collect(),
        };
        let Said { mut ruling, matched } = self.says(index, target, extent, &names);
        let (Ruling::DenyMaybe(_) | Ruling::AskMaybe(_)) = ruling else {
            return ruling;
        };
        // The top of a tree is touched for certain, whatever is excepted below it.
        let mut top = Ruling::Nothing;
        if let (Target::Known(_), Extent::Tree) = (target, extent) {
            top = self.says(index, target, Extent::Itself, &Names::default()).ruling;
            if let Ruling::Deny(_) | Ruling::Ask(_) = top {
                ruling = ruling.stricter(top);
            }
        }
        if let Ruling::DenyMaybe(_) | Ruling::AskMaybe(_) = ruling {
            ruling = self.look_below(asked, target, extent, &names, ruling, &matched);
        }
        match top {
            Ruling::DenyMaybe(_) | Ruling::AskMaybe(_) => ruling.stricter(top),
            Ruling::Deny(_) | Ruling::Ask(_) | Ruling::Allow(_) | Ruling::Nothing => ruling,
        }
    }

    /// A tree may hold something that a rule forbids, and so may the names that match a pattern: where the file system can be
    /// looked at, see whether it does. What is written may be new, so that looking says nothing of it.
    pub(super) fn look_below(
        &self,
        asked: &Asked<'_>,
        target: &Target,
        extent: Extent,
        names: &Names<'_>,
        unsure: Ruling,
        matched: &Matched,
    ) -> Ruling {
        // Of a whole tree everything is touched, else what is found is only one of the places it may be.
        let (root, fits, certain) = match (target, extent, asked.access) {
            (_, _, Access::Write)
            | (Target::Unknown(_), _, _)
            | (Target::Known(_), Extent::Itself | Extent::Somewhere, _) => return unsure,
            (Target::Known(root), Extent::Tree, Access::Read | Access::Delete) => (root.clone(), None, true),
            (Target::Somewhere(root), _, Access::Read | Access::Delete) => (root.clone(), None, false),
            (Target::Pattern(own), _, Access::Read | Access::Delete) => {
                (literal_beginning(own), Some(own), false)
            }
        };
        let index = self.index_for(asked.access);
        let mut worst = Ruling::Nothing;
        let mut visit = |entry: Entry<'_>| {
            let path = entry.path;
            let on = match fits.map(|own| (way(own, path), extent)) {
                Some((Way::Off, _) | (Way::Below, Extent::Itself)) => return Look::Past,
                Some((Way::On, _)) => return Look::Into,
                Some((Way::There, Extent::Itself)) => Look::Past,
                Some((Way::There | Way::Below, Extent::Tree | Extent::Somewhere)) | None => Look::Into,
            };
            let name: Vec<_> = path
                .rsplit('/')
                .next()
                .unwrap_or_default()
                .chars()
                .map(Unit::Char)
                .collect();
            let covers = |globs: &[Vec<Unit<'_>>]| {
                globs
                    .iter()
                    .any(|glob| crate::truth::covers(glob, &name) != Truth::No)
            };
            if (!names.only.is_empty() && !covers(&names.only)) || covers(&names.except) {
                return on;
            }
            let target = Target::Known(path.into());
            let said = self.says(index, &target, Extent::Itself, &Names::default());
            let ruling = said.ruling;
            worst = worst.stricter(ruling);
            if matches!(ruling, Ruling::Deny(_)) {
                Look::Enough
            } else {
                on
            }
        };
        if !self.facts.world.look_below(&root, &mut visit) {
            return unsure;
        }
        match worst {
            Ruling::Deny(rule) if !certain => Ruling::DenyMaybe(rule),
            Ruling::Ask(rule) if !certain => Ruling::AskMaybe(rule),
            Ruling::Deny(_) | Ruling::DenyMaybe(_) | Ruling::Ask(_) | Ruling::AskMaybe(_) => worst,
            // Nothing below is forbidden: what is left is what matched for certain.
            Ruling::Allow(_) | Ruling::Nothing => {
                let mut certain = Ruling::Nothing;
                for (group, truth) in matched.truths() {
                    let is_allow = self
                        .plan
                        .rule_of(group)
                        .is_some_and(|rule| rule.outcome == Outcome::Allow);
                    if truth == Truth::Yes && is_allow {
                        certain = Ruling::Allow(RuleRef(group));
                    }
                }
                certain
            }
        }
    }
}

/// What the rules say of a target.
pub(in crate::decide) struct Said {
    /// All in all.
    pub(in crate::decide) ruling: Ruling,
    /// What matches by the letter.
    matched: Matched,
}

/// A target without regard to case; `None` if that changes nothing.
fn folded_target(target: &Target) -> Option<Target> {
    let other = |text: &SmolStr| match folded(text) {
        Cow::Borrowed(_) => None,
        Cow::Owned(other) => Some(SmolStr::from(other)),
    };
    match target {
        Target::Known(path) => other(path).map(Target::Known),
        Target::Somewhere(root) => other(root).map(Target::Somewhere),
        Target::Pattern(names) => {
            let name = |name: &Name| match name {
                Name::Literal(text) => Name::Literal(folded(text).into()),
                Name::Pattern(text) => Name::Pattern(folded(text).into()),
            };
            let own: Vec<Name> = names.iter().map(name).collect();
            (own != *names).then_some(Target::Pattern(own))
        }
        Target::Unknown(_) => None,
    }
}

/// Notes every end that covers a target. `mounts` are the project and the home directory.
fn match_tries(
    index: &PathTries,
    (project, home): (&str, Option<&str>),
    target: &Target,
    extent: Extent,
    names: &Names<'_>,
    matched: &mut Matched,
) {
    let mounts = [(Some(project), &index.project), (home, &index.home)];
    let mut hit = |end, truth| matched.hit(end, truth);
    match target {
        Target::Known(path) | Target::Somewhere(path) => {
            let segments: Vec<Segment<'_>> = parts(path).map(Segment::Name).collect();
            index.root.matches(&segments, extent, names, &mut hit);
            for (mount, trie) in mounts {
                let Some(mount) = mount else { continue };
                if let Some(rest) = below(path, mount) {
                    let from = segments.len() - parts(rest).count();
                    let rest = segments.get(from..).unwrap_or_default();
                    trie.matches(rest, extent, names, &mut hit);
                } else if extent != Extent::Itself && below(mount, path).is_some() {
                    // The tree is above the anchor: everything below the anchor may be touched.
                    trie.matches(&[], Extent::Tree, names, &mut |end, _| hit(end, Truth::Maybe));
                }
            }
        }
        Target::Pattern(path) => {
            let segments: Vec<Segment<'_>> = path.iter().map(Name::segment).collect();
            index.root.matches(&segments, extent, names, &mut hit);
            for (mount, trie) in mounts {
                let Some(mount) = mount.map(names_of) else {
                    continue;
                };
                let shared = mount.iter().zip(path).all(|(own, name)| match name {
                    Name::Literal(_) => own == name,
                    Name::Pattern(_) => true,
                });
                if !shared {
                    continue;
                }
                let literal = mount.iter().zip(path).all(|(own, name)| own == name);
                let ceiling = if literal { Truth::Yes } else { Truth::Maybe };
                if let Some(rest) = segments.get(mount.len()..) {
                    trie.matches(rest, extent, names, &mut |end, truth| {
                        hit(end, truth.min(ceiling));
                    });
                } else if extent != Extent::Itself {
                    trie.matches(&[], Extent::Tree, names, &mut |end, _| hit(end, Truth::Maybe));
                }
            }
        }
        Target::Unknown(_) => {
            // Anything: every rule may match, and one that covers the whole root does.
            index.root.matches(&[], Extent::Tree, names, &mut hit);
            for (_, trie) in mounts {
                trie.matches(&[], Extent::Tree, names, &mut |end, _| hit(end, Truth::Maybe));
            }
        }
    }
}
