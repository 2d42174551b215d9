//! Lints: what in a policy is probably not what its author meant. Pure: texts, documents and a plan in, findings out.
//!
//! A finding never depends on the machine: what is decided for it is decided in the directory of tests, where no file is looked at.
//!
//! Invariant (removing is safe): a pattern that is called shadowed, redundant or a duplicate can be taken out without changing a verdict.

mod automaton;
mod bounds;
pub(crate) mod code;
mod contain;
mod evade;
mod fix;
mod groups;
mod interpreter;
mod label;
mod lines;
mod names;
mod never;
mod overlap;
mod secrets;
mod style;
mod text;
mod unused;

pub use code::Lint;
pub use fix::{ApplyError, Fix, apply_fixes};

use smol_str::SmolStr;

use crate::diagnostic::Level;
use crate::document::Document;
use crate::plan::Plan;
use crate::source::{Place, SourceId, Sources};

use self::groups::Group;

/// Warnings of reading a file that a lint says more about.
pub const SAID_BY_LINTS: &[&str] = &["policy::star-without-boundary", "policy::disabled-guard"];

/// What is linted.
#[derive(Clone, Copy, Debug)]
pub struct LintInput<'a> {
    /// Every document that was read, what is extended before what extends it.
    pub documents: &'a [Document],
    /// Every text that was read.
    pub sources: &'a Sources,
    /// The plan of all documents, if they make one; lints that ask what would be decided find nothing without it.
    pub plan: Option<&'a Plan>,
    /// Names of the texts to report on; the others only matter to what these say.
    pub names: &'a [String],
}

/// One thing that a lint found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Which lint.
    pub lint: Lint,
    /// What is wrong, one line.
    pub message: String,
    /// Where, the main place first; each with a short text that may be empty.
    pub labels: Vec<(Place, String)>,
    /// What to write instead.
    pub help: Option<String>,
    /// Edits that mend it.
    pub fix: Option<Fix>,
    /// The name of the block that it is in, for `off` with `in`.
    pub block: Option<SmolStr>,
}

impl Finding {
    fn new(lint: Lint, message: impl Into<String>, place: Place) -> Self {
        Self {
            lint,
            message: message.into(),
            labels: vec![(place, String::new())],
            help: None,
            fix: None,
            block: None,
        }
    }

    fn label(mut self, place: Place, text: impl Into<String>) -> Self {
        self.labels.push((place, text.into()));
        self
    }

    fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    fn fix(mut self, fix: Option<Fix>) -> Self {
        self.fix = fix;
        self
    }

    fn of(mut self, group: &Group<'_>) -> Self {
        self.block = group.block.name.as_ref().map(|name| name.value.clone());
        self
    }

    /// The main place.
    #[must_use]
    pub fn place(&self) -> Place {
        self.labels.first().map(|&(place, _)| place).unwrap_or_default()
    }

    /// How bad it is.
    #[must_use]
    pub fn level(&self) -> Level {
        self.lint.level()
    }
}

/// Lints the texts of a policy. Findings are in the order of their places, those that the policy switches off left out.
#[must_use]
pub fn lint(input: &LintInput<'_>) -> Vec<Finding> {
    let own: Vec<SourceId> = input
        .sources
        .iter()
        .zip(input.sources.ids())
        .filter(|(source, _)| input.names.iter().any(|name| **name == *source.name))
        .map(|(_, id)| id)
        .collect();
    let groups = groups::groups(input.documents, &own);
    let context = Context { input, own, groups };
    let mut findings = Vec::new();
    text::lint(&context, &mut findings);
    names::lint(&context, &mut findings);
    style::lint(&context, &mut findings);
    unused::lint(&context, &mut findings);
    never::lint(&context, &mut findings);
    overlap::lint(&context, &mut findings);
    bounds::lint(&context, &mut findings);
    secrets::lint(&context, &mut findings);
    interpreter::lint(&context, &mut findings);
    evade::lint(&context, &mut findings);
    let mut findings = silenced(&context, findings);
    findings.sort_by_key(|finding| (finding.place().source, finding.place().span.start, finding.lint));
    findings
}

/// What every lint looks at.
struct Context<'a> {
    input: &'a LintInput<'a>,
    /// The texts to report on.
    own: Vec<SourceId>,
    /// The rules of all documents.
    groups: Vec<Group<'a>>,
}

impl<'a> Context<'a> {
    fn is_own(&self, place: Place) -> bool {
        self.own.contains(&place.source)
    }

    /// The documents to report on.
    fn documents(&self) -> impl Iterator<Item = &'a Document> {
        self.input
            .documents
            .iter()
            .filter(|document| self.own.contains(&source_of(document)))
    }

    /// The rules to report on.
    fn own_groups(&self) -> impl Iterator<Item = &Group<'a>> {
        self.groups.iter().filter(|group| group.own)
    }

    /// File and line of a place, for messages.
    fn at(&self, place: Place) -> String {
        let at = self.input.sources.line_column(place);
        format!("{}:{}", self.input.sources.name(place), at.line)
    }
}

/// The text that a document came from.
fn source_of(document: &Document) -> SourceId {
    document.whole.place.source
}

/// Leaves out what the documents switch off, and reports what they switch off for nothing.
fn silenced(context: &Context<'_>, findings: Vec<Finding>) -> Vec<Finding> {
    let mut kept = findings;
    for document in context.documents() {
        let source = source_of(document);
        for off in &document.lint {
            let mut found = false;
            kept.retain(|finding| {
                let meant = finding.place().source == source
                    && finding.lint == off.value.lint.value
                    && off
                        .value
                        .block
                        .as_ref()
                        .is_none_or(|block| finding.block.as_ref() == Some(&block.value));
                found |= meant;
                !meant
            });
            if !found && off.value.lint.value != Lint::NeedlessOff {
                let name = off.value.lint.value.name();
                kept.push(
                    Finding::new(
                        Lint::NeedlessOff,
                        format!("`{name}` is switched off here and finds nothing"),
                        off.place,
                    )
                    .help("remove it, so that it cannot hide a later finding")
                    .fix(fix::remove_node(context.input.sources, off.place)),
                );
            }
        }
    }
    kept
}
