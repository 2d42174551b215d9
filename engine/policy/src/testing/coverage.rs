//! Which rules the tests of a policy are about: a rule is covered if it is a reason of the verdict of at least one test.
//!
//! Rules are counted as they are written, however many patterns they have. A rule that matches without deciding is not covered: taking it
//! away would change no verdict.

use std::collections::{HashMap, HashSet};

use smol_str::SmolStr;

use super::TestResult;
use crate::document::{Document, Outcome};
use crate::plan::Plan;
use crate::source::{Place, Sources};

/// How often one rule decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleCoverage {
    /// Its block's name, or `file:line`.
    pub id: SmolStr,
    /// What it does.
    pub outcome: Outcome,
    /// Where it stands.
    pub place: Place,
    /// Number of tests whose verdict it is a reason of.
    pub tests: usize,
}

/// How much of some policies their tests are about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    /// Every rule, in the order of writing.
    pub rules: Vec<RuleCoverage>,
}

impl Coverage {
    /// Counts what became of tests, for the rules that stand in `documents`.
    #[must_use]
    pub fn of(plan: &Plan, documents: &[Document], results: &[TestResult], sources: &Sources) -> Self {
        let mut decided: HashMap<Place, usize> = HashMap::new();
        for result in results {
            let places: HashSet<Place> = result
                .decision
                .reasons()
                .filter_map(|step| Some(step.why.rule()?.info(plan)?.place))
                .collect();
            for place in places {
                *decided.entry(place).or_default() += 1;
            }
        }
        let blocks = documents.iter().flat_map(|document| &document.blocks);
        let rules = blocks.flat_map(|block| {
            block.value.rules.iter().map(|rule| RuleCoverage {
                id: match &block.value.name {
                    Some(name) => name.value.clone(),
                    None => SmolStr::from(format!(
                        "{}:{}",
                        sources.name(rule.place),
                        sources.line_column(rule.place).line
                    )),
                },
                outcome: block.value.effect.value,
                place: rule.place,
                tests: decided.get(&rule.place).copied().unwrap_or_default(),
            })
        });
        Self {
            rules: rules.collect(),
        }
    }

    /// Rules that no test is about.
    pub fn uncovered(&self) -> impl Iterator<Item = &RuleCoverage> {
        self.rules.iter().filter(|rule| rule.tests == 0)
    }

    /// Number of rules that a test is about.
    #[must_use]
    pub fn covered(&self) -> usize {
        self.rules.len() - self.uncovered().count()
    }

    /// Whether at least this share of the rules, in percent, is covered. Of no rules, any share is.
    #[must_use]
    pub fn reaches(&self, percent: u8) -> bool {
        self.covered() * 100 >= usize::from(percent) * self.rules.len()
    }
}

#[cfg(test)]
mod tests {
    use super::Coverage;
    use crate::document::Outcome;
    use crate::load::{Files, Root, load};
    use crate::read::Format;
    use crate::testing::run_tests;

    struct NoFiles;

    impl Files for NoFiles {
        fn text(&self, _path: &str) -> Result<String, String> {
            Err("there is none".to_owned())
        }
    }

    fn coverage(text: &str) -> Coverage {
        let root = Root::Text {
            name: "a.kdl".to_owned(),
            text: text.to_owned(),
            format: Format::Kdl,
        };
        let mut loaded = load(&[root], &NoFiles);
        let plan = loaded.compile().expect("a plan");
        let results = run_tests(&plan, &loaded.documents);
        Coverage::of(&plan, &loaded.documents, &results, &loaded.sources)
    }

    #[test]
    fn a_rule_counts_the_tests_that_it_decides() {
        let coverage = coverage(
            "policy \"a\"\n\
             allow {\n    command \"git ...\" \"cargo ...\"\n    command \"true\"\n}\n\
             deny \"push\" { command \"git push ...\"; }\n\
             tests { allow \"git status\" \"cargo test\" \"git log && cargo b\"; deny \"git push\" \"git push && true\"; }\n",
        );
        let seen: Vec<_> = coverage
            .rules
            .iter()
            .map(|rule| (rule.id.as_str(), rule.outcome, rule.tests))
            .collect();
        // `true` is allowed in a test that is denied: its rule decides nothing.
        assert_eq!(
            seen,
            [
                ("a.kdl:3", Outcome::Allow, 3),
                ("a.kdl:4", Outcome::Allow, 0),
                ("push", Outcome::Deny, 2)
            ]
        );
        assert_eq!(coverage.covered(), 2);
    }

    #[test]
    fn a_share_that_is_nearly_reached_is_not_reached() {
        let coverage = coverage(
            "policy \"a\"\nallow { command \"a\"; command \"b\"; command \"c\"; }\ntests { allow \"a\"; allow \"b\"; }\n",
        );
        assert!(coverage.reaches(66));
        assert!(!coverage.reaches(67));
    }

    #[test]
    fn no_rules_are_covered_whole() {
        assert!(coverage("policy \"a\"\n").reaches(100));
    }
}
