//! Collects what matched, group by group, so that exceptions can take it back.

use crate::document::Outcome;
use crate::plan::{End, GroupId, Plan};
use crate::truth::Truth;
use crate::verdict::{RuleRef, Why};

/// Which rules are asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rules {
    /// All of them.
    All,
    /// Those of files that may loosen.
    Trusted,
}

/// What matched so far.
#[derive(Debug, Default)]
pub(super) struct Matched {
    groups: Vec<(GroupId, Truth, Truth)>,
}

/// The strictest that matching rules say, with the rule: the precedence of the module's page, steps 1 to 4.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ruling {
    /// A deny rule matches.
    Deny(RuleRef),
    /// A deny rule may match.
    DenyMaybe(RuleRef),
    /// An ask rule matches.
    Ask(RuleRef),
    /// An ask rule may match.
    AskMaybe(RuleRef),
    /// An allow rule matches.
    Allow(RuleRef),
    /// Nothing matches for certain.
    Nothing,
}

impl Matched {
    /// Notes an end that was met.
    pub(super) fn hit(&mut self, end: End, truth: Truth) {
        let (own, except) = if end.except {
            (Truth::No, truth)
        } else {
            (truth, Truth::No)
        };
        match self.groups.iter_mut().find(|(group, _, _)| *group == end.group) {
            Some((_, a, b)) => {
                *a = (*a).max(own);
                *b = (*b).max(except);
            }
            None => self.groups.push((end.group, own, except)),
        }
    }

    /// Whether nothing matched.
    pub(super) fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }

    /// Notes all that another look has met.
    pub(super) fn add(&mut self, other: &Self) {
        for &(group, own, out) in &other.groups {
            for (truth, except) in [(own, false), (out, true)] {
                if truth != Truth::No {
                    self.hit(End { group, except }, truth);
                }
            }
        }
    }

    /// Takes back exceptions that another look has not met, of the groups that are meant.
    pub(super) fn except_as_in(&mut self, other: &Self, is_meant: impl Fn(GroupId) -> bool) {
        for (group, _, except) in &mut self.groups {
            if *except != Truth::No && is_meant(*group) {
                let own = other.groups.iter().find(|(own, _, _)| own == group);
                *except = (*except).min(own.map_or(Truth::No, |(_, _, except)| *except));
            }
        }
    }

    /// Everything that matched, exceptions taken into account.
    pub(super) fn truths(&self) -> impl Iterator<Item = (GroupId, Truth)> + '_ {
        self.groups
            .iter()
            .map(|&(group, own, except)| (group, own.min(except.inverted())))
            .filter(|(_, truth)| *truth != Truth::No)
    }

    /// Whether an allow rule matches for certain, whatever stricter rules say. For requests whose rules have no conditions.
    pub(super) fn allows(&self, plan: &Plan, rules: Rules) -> bool {
        self.truths().any(|(group, truth)| {
            truth == Truth::Yes
                && plan.rule_of(group).is_some_and(|rule| {
                    rule.outcome == Outcome::Allow && !(rules == Rules::Trusted && rule.tightens)
                })
        })
    }

    /// What the matching rules say; `condition` is asked for what else must hold. Of equally strict rules the first one is named.
    pub(super) fn ruling(
        &self,
        plan: &Plan,
        rules: Rules,
        condition: &mut dyn FnMut(GroupId) -> Truth,
    ) -> Ruling {
        let mut best = Ruling::Nothing;
        let mut best_group = GroupId::MAX;
        for (group, truth) in self.truths() {
            let reference = RuleRef(group);
            let Some(rule) = plan.rule_of(group) else {
                // A rule that cannot be read back may be one that forbids.
                best = best.stricter(Ruling::DenyMaybe(reference));
                continue;
            };
            if rules == Rules::Trusted && rule.tightens {
                continue;
            }
            // What cannot change the answer need not be asked for its conditions.
            let limit = match rule.outcome {
                Outcome::Allow => Ruling::Allow(reference),
                Outcome::Ask => Ruling::Ask(reference),
                Outcome::Deny => Ruling::Deny(reference),
            };
            if (limit.rank(), best_group) <= (best.rank(), group) {
                continue;
            }
            let ruling = match (rule.outcome, truth.min(condition(group))) {
                (_, Truth::No) | (Outcome::Allow, Truth::Maybe) => continue,
                (Outcome::Deny, Truth::Yes) => Ruling::Deny(reference),
                (Outcome::Deny, Truth::Maybe) => Ruling::DenyMaybe(reference),
                (Outcome::Ask, Truth::Yes) => Ruling::Ask(reference),
                (Outcome::Ask, Truth::Maybe) => Ruling::AskMaybe(reference),
                (Outcome::Allow, Truth::Yes) => Ruling::Allow(reference),
            };
            if ruling.rank() > best.rank() || (ruling.rank() == best.rank() && group < best_group) {
                (best, best_group) = (ruling, group);
            }
        }
        best
    }
}

/// A rule that forbids or asks may match: ask, or what holds without it where that is stricter, so that a further rule never makes a
/// verdict milder.
pub(super) fn may_match(rule: RuleRef, without: (Outcome, Why)) -> (Outcome, Why) {
    if without.0 > Outcome::Ask {
        without
    } else {
        (Outcome::Ask, Why::RuleMaybe(rule))
    }
}

impl Ruling {
    /// Strictness, the strictest highest.
    pub(super) fn rank(self) -> u8 {
        match self {
            Self::Nothing => 0,
            Self::Allow(_) => 1,
            Self::AskMaybe(_) => 2,
            Self::Ask(_) => 3,
            Self::DenyMaybe(_) => 4,
            Self::Deny(_) => 5,
        }
    }

    /// The stricter of two.
    pub(super) fn stricter(self, other: Self) -> Self {
        if other.rank() > self.rank() { other } else { self }
    }
}
