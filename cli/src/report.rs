//! What a subcommand found, in every format that results are printed in. A subcommand fills a [`Report`] and hands it to [`render`].
//!
//! Invariant (same everywhere): each format shows the same findings and tests; only `human` leaves out tests that passed, unless asked.
//! Invariant (no clock): the same report is the same text, byte for byte.

pub(crate) mod codes;
mod escape;
mod github;
mod human;
mod json;
mod junit;
mod place;
mod sarif;
mod verdict;

pub(crate) use codes::about;
pub(crate) use human::{problem, share};
pub(crate) use verdict::of_decision;

use engine_policy::{Diagnostic, Level, Outcome, Place, SourceId, Sources};
use serde_json::{Map, Value as Json};

use crate::options::Format;
use crate::out::many;
use crate::world;

/// What a subcommand found.
#[derive(Clone, Debug)]
pub(crate) struct Report {
    /// The subcommand: `check`.
    pub subcommand: &'static str,
    /// The project, an absolute directory; files are named from there.
    pub project: String,
    /// The texts that places speak of.
    pub sources: Sources,
    /// The text among them that is a command and no file.
    pub command: Option<SourceId>,
    /// Problems, in order.
    pub findings: Vec<Finding>,
    /// Tests by file, in order.
    pub suites: Vec<Suite>,
    /// Whether the subcommand could do what it was asked for: `false` if a policy is invalid.
    pub done: bool,
    /// Further fields of the JSON form.
    pub facts: Map<String, Json>,
}

/// One problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Finding {
    pub level: Level,
    /// Stable name: `policy::unknown-name`, `rule::force-push`.
    pub code: String,
    /// What the code stands for, where [`about`] does not know it.
    pub about: Option<String>,
    /// What is wrong, one line.
    pub message: String,
    /// What to do instead.
    pub help: Option<String>,
    /// Where, the main place first; each with a short text that may be empty.
    pub places: Vec<(Place, String)>,
    /// It says that a test of a suite failed.
    pub of_test: bool,
}

impl From<&Diagnostic> for Finding {
    fn from(diagnostic: &Diagnostic) -> Self {
        Self {
            level: diagnostic.level,
            code: diagnostic.code.to_owned(),
            about: None,
            message: diagnostic.message.clone(),
            help: diagnostic.help.clone(),
            places: diagnostic.labels.clone(),
            of_test: false,
        }
    }
}

/// The tests of one file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Suite {
    /// The file, as given.
    pub file: String,
    pub tests: Vec<Tested>,
}

/// What became of one test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Tested {
    /// The call, or the name of the case.
    pub name: String,
    /// What must be: `deny`, `not-allow`; empty for what is no verdict.
    pub expected: &'static str,
    /// The verdict, where there is one.
    pub verdict: Option<Outcome>,
    pub passed: bool,
    /// It allowed what must not be.
    pub breach: bool,
    /// Line in the file, from 1.
    pub line: Option<usize>,
    /// Why, one line.
    pub detail: String,
}

/// Counts of tests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub passed: usize,
    pub failed: usize,
    /// Allowed what must not be; these are among the failed.
    pub breaches: usize,
}

impl Suite {
    pub(crate) fn tally(&self) -> Tally {
        let count = |wanted: fn(&Tested) -> bool| self.tests.iter().filter(|test| wanted(test)).count();
        Tally {
            passed: count(|test| test.passed),
            failed: count(|test| !test.passed),
            breaches: count(|test| test.breach),
        }
    }
}

impl Report {
    /// An empty report about a project.
    pub(crate) fn new(subcommand: &'static str, project: &str) -> Self {
        Self {
            subcommand,
            project: project.to_owned(),
            sources: Sources::new(),
            command: None,
            findings: Vec::new(),
            suites: Vec::new(),
            done: true,
            facts: Map::new(),
        }
    }

    /// A report of problems of files.
    pub(crate) fn of_diagnostics(
        subcommand: &'static str,
        project: &str,
        diagnostics: &[Diagnostic],
        sources: &Sources,
    ) -> Self {
        Self {
            sources: sources.clone(),
            findings: diagnostics.iter().map(Finding::from).collect(),
            ..Self::new(subcommand, project)
        }
    }

    /// How many findings have a level.
    pub(crate) fn count(&self, level: Level) -> usize {
        let own = self.findings.iter().filter(|finding| !finding.of_test);
        own.filter(|finding| finding.level == level).count()
    }

    /// All suites together.
    pub(crate) fn tally(&self) -> Tally {
        let mut total = Tally::default();
        for tally in self.suites.iter().map(Suite::tally) {
            total.passed += tally.passed;
            total.failed += tally.failed;
            total.breaches += tally.breaches;
        }
        total
    }

    /// Findings that are no failed tests: these stand in their suites.
    fn problems(&self) -> impl Iterator<Item = &Finding> {
        self.findings.iter().filter(|finding| !finding.of_test)
    }

    fn namer(&self) -> place::Namer {
        place::Namer::new(
            &self.project,
            world::current_directory().as_deref().unwrap_or("/"),
        )
    }
}

/// How much of what is fine a person is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Detail {
    /// What is wrong and counts.
    Short,
    /// Everything.
    Whole,
}

/// A report as text in a format, its last line ended.
pub(crate) fn render(format: Format, report: &Report, detail: Detail) -> String {
    match format {
        Format::Human => human::render(report, detail),
        Format::Json => json::render(report),
        Format::Sarif => sarif::render(report),
        Format::Github => github::render(report),
        Format::Junit => junit::render(report),
    }
}

/// `3 errors, 1 warning`.
pub(crate) fn counted(errors: usize, warnings: usize) -> String {
    match (errors, warnings) {
        (0, 0) => "nothing wrong".to_owned(),
        (0, warnings) => many(warnings, "warning"),
        (errors, 0) => many(errors, "error"),
        (errors, warnings) => format!("{}, {}", many(errors, "error"), many(warnings, "warning")),
    }
}
