//! From checked documents to a plan: sets are resolved, patterns go into their indexes.
//!
//! Invariant (all problems at once): every problem of all documents is reported, and a plan is made only where there is no error.

mod conditions;
mod rule;
mod sets;
mod short;

use rustc_hash::FxHashMap;
use smol_str::SmolStr;

use super::kept::Kept;
use super::paths::PathIndexDraft;
use super::words::WordTrieDraft;
use super::{PathIndex, Plan, PlanRule, WordTrie};
use crate::definition::Definition;
use crate::diagnostic::{Diagnostic, Level};
use crate::document::{CHECK_NAMES, Document, Mode, Outcome, SetMembers, Severity};
use crate::source::{Place, Sources};

/// Compiles the documents of one policy, in order (what is extended comes before what extends it), into a plan. `definitions` are the
/// command definitions that the documents bring along.
///
/// # Errors
/// Every problem of all documents: sets that do not exist or run in circles, patterns too large to compile.
pub fn compile(
    documents: &[Document],
    definitions: Vec<Definition>,
    sources: &Sources,
) -> Result<Plan, Vec<Diagnostic>> {
    let mut compiler = Compiler::new(documents, definitions, sources);
    for document in documents {
        compiler.document(document);
    }
    if compiler
        .problems
        .iter()
        .any(|problem| problem.level == Level::Error)
    {
        return Err(compiler.problems);
    }
    compiler
        .finish()
        .ok_or_else(|| vec![Diagnostic::error(UNWRITABLE.0, UNWRITABLE.1, Place::default())])
}

/// Code and text for what no pattern is known to cause: a plan that has no form as bytes.
const UNWRITABLE: (&str, &str) = ("policy::plan", "the compiled rules cannot be written");

struct Compiler<'a> {
    plan: Plan,
    rules: Vec<PlanRule>,
    indexes: Indexes,
    sets: FxHashMap<&'a str, &'a SetMembers>,
    sources: &'a Sources,
    problems: Vec<Diagnostic>,
    files: u32,
}

/// What patterns are put into before the plan has them for good.
#[derive(Default)]
struct Indexes {
    commands: WordTrieDraft,
    program_files: PathIndexDraft,
    reads: PathIndexDraft,
    writes: PathIndexDraft,
    deletes: PathIndexDraft,
}

impl<'a> Compiler<'a> {
    fn new(documents: &'a [Document], definitions: Vec<Definition>, sources: &'a Sources) -> Self {
        let mut sets = FxHashMap::default();
        for set in documents.iter().flat_map(|document| &document.sets) {
            sets.insert(set.value.name.value.as_str(), &set.value.members);
        }
        Self {
            plan: Plan {
                rules: Kept::default(),
                rule_count: 0,
                commands: WordTrie::default(),
                program_files: PathIndex::default(),
                texts: super::TextIndex::default(),
                places: Vec::new(),
                reads: PathIndex::default(),
                writes: PathIndex::default(),
                deletes: PathIndex::default(),
                hosts: super::HostIndex::default(),
                tools: Vec::new(),
                env: Vec::new(),
                agents: Vec::new(),
                skills: Vec::new(),
                mode_changes: Vec::new(),
                defaults: Vec::new(),
                headless: Outcome::Deny,
                severities: vec![Severity::Ask; CHECK_NAMES.len()],
                modes: Vec::new(),
                start_mode: Mode::Default,
                limits: Vec::new(),
                definitions,
                source_names: sources
                    .iter()
                    .map(|source| SmolStr::from(&*source.name))
                    .collect(),
                derived: std::sync::OnceLock::new(),
            },
            rules: Vec::new(),
            indexes: Indexes::default(),
            sets,
            sources,
            problems: Vec::new(),
            files: 0,
        }
    }

    /// The plan; `None` if something in it cannot be written.
    fn finish(self) -> Option<Plan> {
        let mut places: Vec<Place> = self.rules.iter().map(|rule| rule.place).collect();
        places.sort_unstable_by_key(|place| (place.source, place.span.start));
        places.dedup();
        Some(Plan {
            rules: Kept::new(&self.rules)?,
            rule_count: places.len(),
            commands: self.indexes.commands.set()?,
            program_files: self.indexes.program_files.set()?,
            reads: self.indexes.reads.set()?,
            writes: self.indexes.writes.set()?,
            deletes: self.indexes.deletes.set()?,
            ..self.plan
        })
    }

    fn document(&mut self, document: &'a Document) {
        for block in &document.blocks {
            for rule in &block.value.rules {
                self.rule(&block.value, rule);
            }
        }
        for (kind, outcome) in &document.defaults.kinds {
            self.plan.defaults.retain(|(own, _)| *own != kind.value);
            self.plan.defaults.push((kind.value, outcome.value));
        }
        if let Some(headless) = &document.defaults.headless {
            self.plan.headless = headless.value;
        }
        for setting in &document.checks {
            let at = CHECK_NAMES.iter().position(|name| *name == setting.check.value);
            if let Some(severity) = at.and_then(|at| self.plan.severities.get_mut(at)) {
                *severity = setting.severity.value;
            }
        }
        for (mode, outcome) in &document.modes.rules {
            self.plan.modes.retain(|(own, _)| *own != mode.value);
            self.plan.modes.push((mode.value, outcome.value));
        }
        if let Some(start) = &document.modes.start {
            self.plan.start_mode = start.value;
        }
        for limit in &document.limits {
            self.plan.limits.retain(|(own, _)| *own != limit.limit.value);
            self.plan
                .limits
                .push((limit.limit.value.clone(), limit.value.value));
        }
    }

    fn problem(&mut self, code: &'static str, message: String, place: Place, help: Option<String>) {
        self.problems.push(Diagnostic {
            level: Level::Error,
            code,
            message,
            labels: vec![(place, String::new())],
            help,
        });
    }
}

/// The stand-in for a program that is named by its file; no argv can hold it, since it begins with a NUL.
pub(crate) fn file_word(number: u32) -> String {
    format!("\0file{number}")
}
