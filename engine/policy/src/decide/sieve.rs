//! What a search may show of what it comes upon: each file is held against the rules for reading when it is met, so that a directory can be
//! searched although something in it may not be read.
//!
//! Invariant (nothing beyond the root): what is shown is no stricter than the directory that the search was given leave for. Invariant
//! (denied is unseen): what a deny rule forbids, or may forbid, is never shown, whatever leave was given.

use engine_shell::{Directory, Shell, Span, Value};

use super::Decider;
use super::groups::Rules;
use super::path::{Access, Asked, Cover, linked_places};
use crate::document::{Mode, Outcome};
use crate::facts::{Facts, NoWorld};
use crate::plan::Plan;
use crate::resolve::Target;
use crate::verdict::Why;

/// What may be shown of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Showing {
    /// What it holds and its name.
    Shown,
    /// Neither, since a person would have to be asked about it; that there is such a file may be said.
    Withheld,
    /// Nothing, not even that it is there: a rule denies it.
    Hidden,
}

/// How strict reading something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Strictness {
    Allowed,
    AskedByDefault,
    AskedByRule,
    Denied,
}

/// The rules of a plan for one search.
#[derive(Clone, Debug)]
pub struct Sieve<'a> {
    plan: &'a Plan,
    project: String,
    home: Option<String>,
    shell: Shell,
    /// Where the project and the home directory really lie, each with its name, looked up once.
    linked: Vec<(String, String)>,
    /// The strictest that is shown.
    limit: Strictness,
}

impl<'a> Sieve<'a> {
    /// For what lies below a directory, or is that file. The path is a real one; reading it was decided.
    #[must_use]
    pub fn below(plan: &'a Plan, root: &str, facts: &Facts<'_>, mode: Mode) -> Self {
        let mut sieve = Self::of_names(plan, facts);
        sieve.limit = match mode {
            Mode::Bypass => Strictness::AskedByRule,
            Mode::Default | Mode::Plan | Mode::AcceptEdits | Mode::DontAsk => {
                sieve.strictness(root).min(Strictness::AskedByRule)
            }
        };
        sieve
    }

    /// For names alone, wherever they are: only what a rule denies is kept back.
    #[must_use]
    pub fn of_names(plan: &'a Plan, facts: &Facts<'_>) -> Self {
        let linked = linked_places(facts.project, facts.home, facts.world);
        Self {
            plan,
            linked: linked
                .into_iter()
                .map(|(place, own)| (place, own.to_owned()))
                .collect(),
            project: facts.project.to_owned(),
            home: facts.home.map(str::to_owned),
            shell: facts.shell,
            limit: Strictness::AskedByRule,
        }
    }

    /// What may be shown of a file. The path is a real one: links in it are not looked for.
    #[must_use]
    pub fn shows(&self, path: &str) -> Showing {
        match self.strictness(path) {
            Strictness::Denied => Showing::Hidden,
            own if own <= self.limit => Showing::Shown,
            Strictness::Allowed | Strictness::AskedByDefault | Strictness::AskedByRule => Showing::Withheld,
        }
    }

    fn strictness(&self, path: &str) -> Strictness {
        let all = self.strictness_by(path, Rules::All);
        if self.plan.has_tighteners {
            all.max(self.strictness_by(path, Rules::Trusted))
        } else {
            all
        }
    }

    fn strictness_by(&self, path: &str, rules: Rules) -> Strictness {
        let facts = Facts {
            project: &self.project,
            directory: &self.project,
            home: self.home.as_deref(),
            via: &[],
            shell: self.shell,
            world: &NoWorld,
        };
        let decider = Decider::new(self.plan, &facts, rules);
        let linked = self.linked.iter();
        let _first = decider
            .linked
            .set(linked.map(|(place, own)| (place.clone(), own.as_str())).collect());
        let path = Value::Known(decider.in_own_terms(path).into());
        let directory = Directory::OneOf(vec![facts.project.into()]);
        let asked = Asked::one(Access::Read, &path, &directory, Span::default());
        let places = decider.bases(&directory, None);
        let targets = decider.targets(&path, &places);
        let strictness = |target: &Target| {
            let (outcome, why, _) = decider.target(&asked, target, Cover::None);
            match (outcome, why) {
                (Outcome::Allow, _) => Strictness::Allowed,
                (Outcome::Deny, _) => Strictness::Denied,
                (Outcome::Ask, Why::Default(_) | Why::DefaultThroughLink(..)) => Strictness::AskedByDefault,
                // What a rule may deny is no less secret than what it denies for certain.
                (Outcome::Ask, Why::RuleMaybe(rule))
                    if self
                        .plan
                        .rule_of(rule.0)
                        .is_none_or(|own| own.outcome == Outcome::Deny) =>
                {
                    Strictness::Denied
                }
                (Outcome::Ask, _) => Strictness::AskedByRule,
            }
        };
        targets.iter().map(strictness).max().unwrap_or(Strictness::Denied)
    }
}
