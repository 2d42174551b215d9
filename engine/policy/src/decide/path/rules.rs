//! What the rules say of a place.

use crate::decide::Decider;
use crate::decide::groups::{Matched, Ruling};
use crate::document::Outcome;
use crate::facts::{Entry, Look, below};
use crate::plan::{Extent, Names, PathIndex, Segment};
use crate::resolve::{Name, Target};
use crate::truth::{Truth, Unit, value_units};
use crate::verdict::RuleRef;

use super::names::{Way, literal_beginning, moved, names_of, parts, way};
use super::{Access, Asked};

impl Decider<'_> {
    /// The rule in the short spelling that allows editing a target, if one does for certain and none forbids it.
    pub(in crate::decide) fn edit_rule(&self, target: &Target) -> Option<RuleRef> {
        let mut matched = Matched::default();
        self.match_index(
            &self.plan.writes,
            target,
            Extent::Itself,
            &Names::default(),
            false,
            &mut matched,
        );
        match matched.ruling(self.plan, self.rules, &mut |_| Truth::Yes) {
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
        let Some(index) = self.plan.places.get(places as usize) else {
            return false;
        };
        let mut matched = Matched::default();
        self.match_index(index, target, extent, &Names::default(), false, &mut matched);
        matched.truths().any(|(_, truth)| truth == Truth::Yes)
    }

    /// What an index says of a target.
    pub(in crate::decide) fn says_of(&self, index: &PathIndex, target: &Target) -> Truth {
        if matches!(target, Target::Unknown(_)) {
            return Truth::Maybe;
        }
        let mut matched = Matched::default();
        self.match_index(
            index,
            target,
            Extent::Itself,
            &Names::default(),
            false,
            &mut matched,
        );
        matched
            .truths()
            .map(|(_, truth)| truth)
            .max()
            .unwrap_or(Truth::No)
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
        let mut matched = Matched::default();
        self.match_index(
            self.index_for(asked.access),
            target,
            extent,
            &Names::default(),
            false,
            &mut matched,
        );
        matched.allows(self.plan, self.rules)
    }

    pub(super) fn ruling_by_name(&self, asked: &Asked<'_>, target: &Target, extent: Extent) -> Ruling {
        let index = self.index_for(asked.access);
        let names = Names {
            only: asked.only.iter().map(value_units).collect(),
            except: asked.except.iter().map(value_units).collect(),
        };
        let mut matched = Matched::default();
        self.match_index(index, target, extent, &names, false, &mut matched);
        let mut ruling = matched.ruling(self.plan, self.rules, &mut |_| Truth::Yes);
        // The top of a tree is touched for certain, whatever is excepted below it.
        if let (Ruling::DenyMaybe(_) | Ruling::AskMaybe(_), Target::Known(_), Extent::Tree) =
            (ruling, target, extent)
        {
            let mut top = Matched::default();
            self.match_index(index, target, Extent::Itself, &Names::default(), false, &mut top);
            if let found @ (Ruling::Deny(_) | Ruling::Ask(_)) =
                top.ruling(self.plan, self.rules, &mut |_| Truth::Yes)
            {
                ruling = ruling.stricter(found);
            }
        }
        if let Ruling::DenyMaybe(_) | Ruling::AskMaybe(_) = ruling {
            ruling = self.look_below(asked, target, extent, &names, ruling, &matched);
        }
        // Names that differ only by case are one file on some file systems: a rule that forbids one may mean the other.
        if let Target::Known(path) = target
            && !matches!(ruling, Ruling::Deny(_) | Ruling::DenyMaybe(_))
            && path.bytes().any(|b| b.is_ascii_uppercase())
        {
            let mut folded = Matched::default();
            self.match_index(index, target, Extent::Itself, &names, true, &mut folded);
            if let found @ (Ruling::DenyMaybe(_) | Ruling::AskMaybe(_)) =
                folded.ruling(self.plan, self.rules, &mut |_| Truth::Yes)
            {
                ruling = ruling.stricter(found);
            }
        }
        ruling
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
            let mut found = Matched::default();
            let target = Target::Known(path.into());
            self.match_index(
                index,
                &target,
                Extent::Itself,
                &Names::default(),
                false,
                &mut found,
            );
            let ruling = found.ruling(self.plan, self.rules, &mut |_| Truth::Yes);
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

    pub(in crate::decide) fn match_index(
        &self,
        index: &PathIndex,
        target: &Target,
        extent: Extent,
        names: &Names<'_>,
        fold: bool,
        matched: &mut Matched,
    ) {
        let mounts = [
            (Some(self.facts.project), &index.project),
            (self.facts.home, &index.home),
        ];
        let mut hit = |end, truth| matched.hit(end, truth);
        match target {
            Target::Known(path) | Target::Somewhere(path) => {
                let segments: Vec<Segment<'_>> = parts(path).map(Segment::Name).collect();
                index.root.matches(&segments, extent, names, fold, &mut hit);
                for (mount, trie) in mounts {
                    let Some(mount) = mount else { continue };
                    if let Some(rest) = below(path, mount) {
                        let from = segments.len() - parts(rest).count();
                        let rest = segments.get(from..).unwrap_or_default();
                        trie.matches(rest, extent, names, fold, &mut hit);
                    } else if extent != Extent::Itself && below(mount, path).is_some() {
                        // The tree is above the anchor: everything below the anchor may be touched.
                        trie.matches(&[], Extent::Tree, names, fold, &mut |end, _| {
                            hit(end, Truth::Maybe);
                        });
                    }
                }
            }
            Target::Pattern(path) => {
                let segments: Vec<Segment<'_>> = path.iter().map(Name::segment).collect();
                index.root.matches(&segments, extent, names, fold, &mut hit);
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
                        trie.matches(rest, extent, names, fold, &mut |end, truth| {
                            hit(end, truth.min(ceiling));
                        });
                    } else if extent != Extent::Itself {
                        trie.matches(&[], Extent::Tree, names, fold, &mut |end, _| {
                            hit(end, Truth::Maybe);
                        });
                    }
                }
            }
            Target::Unknown(_) => {
                // Anything: every rule may match, and one that covers the whole root does.
                index.root.matches(&[], Extent::Tree, names, fold, &mut hit);
                for (_, trie) in mounts {
                    trie.matches(&[], Extent::Tree, names, fold, &mut |end, _| {
                        hit(end, Truth::Maybe);
                    });
                }
            }
        }
    }
}
