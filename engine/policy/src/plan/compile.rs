//! From checked documents to a plan: sets are resolved, patterns go into their indexes.
//!
//! Invariant (all problems at once): every problem of all documents is reported, and a plan is made only where there is no error.

mod anywhere;
mod conditions;
mod outline;
mod rule;
mod sets;
mod settings;
mod short;
mod tools;

pub use outline::{PatternOutline, RuleOutline, outline};

use smol_str::SmolStr;

use self::sets::{Owner, Sets, commands_of, hosts_of, paths_of};
use self::settings::{Settings, Voice};

use super::kept::Kept;
use super::paths::PathIndexDraft;
use super::words::WordTrieDraft;
use super::{PathIndex, Plan, PlanRule, WordTrie};
use crate::definition::Definition;
use crate::diagnostic::{Diagnostic, Level};
use crate::document::{Alternatives, Document, Lockable, Mode, Outcome, SetMembers};
use crate::layer::{Layer, Reason, Standing, Withheld};
use crate::pattern::{Glob, PathReach, PathSegment, Term};
use crate::source::{Place, Sources};

/// A document with the standing of its file.
#[derive(Clone, Copy, Debug)]
pub struct Part<'d> {
    /// What the file says.
    pub document: &'d Document,
    /// How it takes part.
    pub standing: Standing,
    /// The project that its patterns start from, where it is not that of the call: an absolute path.
    pub project: Option<&'d str>,
    /// The projects that the one of the call lies in: absolute paths. What its patterns forbid or ask about in the project, they do in
    /// these, too.
    pub outer: &'d [String],
}

/// Compiles the documents of one policy, in order (what is extended comes before what extends it), into a plan. `definitions` are the
/// command definitions that the documents bring along. All of them have their full say; see [`compile_layers`].
///
/// # Errors
/// Every problem of all documents: sets that do not exist or run in circles, patterns too large to compile.
pub fn compile(
    documents: &[Document],
    definitions: Vec<Definition>,
    sources: &Sources,
) -> Result<Plan, Vec<Diagnostic>> {
    let standing = Standing::default();
    let parts: Vec<Part<'_>> = documents
        .iter()
        .map(|document| Part {
            document,
            standing,
            project: None,
            outer: &[],
        })
        .collect();
    compile_layers(&parts, definitions, sources)
}

/// Compiles the documents of several layers into a plan: each may say what its standing allows. Documents of one layer are in
/// order (what is extended comes before what extends it).
///
/// # Errors
/// As [`compile`], and rules that name a set of a file that is not trusted.
pub fn compile_layers(
    parts: &[Part<'_>],
    definitions: Vec<Definition>,
    sources: &Sources,
) -> Result<Plan, Vec<Diagnostic>> {
    let mut compiler = Compiler::new(parts, definitions, sources);
    compiler.settings(parts);
    compiler.about_tools(parts);
    compiler.all_sets(parts);
    // Of equally strict rules the first one is named: the machine's own, then those of who comes last, so that whoever builds on a
    // policy meets their own reasons.
    let below = Layer::ALL
        .into_iter()
        .rev()
        .filter(|layer| *layer != Layer::Managed);
    for layer in [Layer::Managed].into_iter().chain(below) {
        for part in parts_of(parts, layer).rev() {
            compiler.document(part);
        }
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

fn parts_of<'p, 'd>(parts: &'p [Part<'d>], layer: Layer) -> impl DoubleEndedIterator<Item = &'p Part<'d>> {
    parts.iter().filter(move |part| part.standing.layer == layer)
}

/// What the managed layer locks, in order.
#[must_use]
pub fn locked(parts: &[Part<'_>]) -> Vec<Lockable> {
    parts_of(parts, Layer::Managed)
        .flat_map(|part| part.document.lock.iter().map(|lock| lock.value))
        .collect()
}

/// Why a file may not loosen a section; `None` where it may.
fn withholds(standing: Standing, locked: &[Lockable], section: Lockable) -> Option<Reason> {
    if !standing.trusted {
        Some(Reason::of_untrusted(standing.layer))
    } else if standing.layer != Layer::Managed && locked.contains(&section) {
        Some(Reason::Locked)
    } else {
        None
    }
}

/// Code and text for what no pattern is known to cause: a plan that has no form as bytes.
const UNWRITABLE: (&str, &str) = ("policy::plan", "the compiled rules cannot be written");

struct Compiler<'a> {
    plan: Plan,
    rules: Vec<PlanRule>,
    indexes: Indexes,
    sets: Sets<'a>,
    /// The layer of the rule that is compiled, and whether its file is trusted.
    standing: Standing,
    /// What its patterns start from instead of the project of the call.
    project: Vec<PathSegment>,
    /// The projects that the one of the call lies in.
    outer: Vec<Vec<PathSegment>>,
    locked: Vec<Lockable>,
    sources: &'a Sources,
    problems: Vec<Diagnostic>,
    files: u32,
}

/// What patterns are put into before the plan has them for good.
#[derive(Default)]
struct Indexes {
    commands: WordTrieDraft,
    operands: WordTrieDraft,
    program_files: PathIndexDraft,
    reads: PathIndexDraft,
    writes: PathIndexDraft,
    deletes: PathIndexDraft,
}

/// The names of an absolute path.
fn names_of(path: &str) -> Vec<PathSegment> {
    path.split('/')
        .filter(|name| !name.is_empty())
        .map(|name| PathSegment::Name(Glob::exactly(name)))
        .collect()
}

impl<'a> Compiler<'a> {
    fn new(parts: &[Part<'a>], definitions: Vec<Definition>, sources: &'a Sources) -> Self {
        Self {
            plan: Plan {
                rules: Kept::default(),
                rule_count: 0,
                commands: WordTrie::default(),
                operands: WordTrie::default(),
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
                severities: Vec::new(),
                modes: Vec::new(),
                start_mode: Mode::Default,
                limits: Vec::new(),
                definitions,
                hooks: Vec::new(),
                budgets: super::PlanBudgets::default(),
                deferred: Vec::new(),
                session: super::PlanSession::default(),
                withheld: Vec::new(),
                has_tighteners: false,
                source_names: sources
                    .iter()
                    .map(|source| SmolStr::from(&*source.name))
                    .collect(),
                derived: std::sync::OnceLock::new(),
            },
            rules: Vec::new(),
            indexes: Indexes::default(),
            sets: Sets::of(parts),
            standing: Standing::default(),
            project: Vec::new(),
            outer: Vec::new(),
            locked: locked(parts),
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
            has_tighteners: self.rules.iter().any(|rule| rule.tightens),
            commands: self.indexes.commands.set()?,
            operands: self.indexes.operands.set()?,
            program_files: self.indexes.program_files.set()?,
            reads: self.indexes.reads.set()?,
            writes: self.indexes.writes.set()?,
            deletes: self.indexes.deletes.set()?,
            ..self.plan
        })
    }

    fn document(&mut self, part: &Part<'a>) {
        self.standing = part.standing;
        self.project = names_of(part.project.unwrap_or_default());
        self.outer = part.outer.iter().map(|project| names_of(project)).collect();
        let withholds = self.withholds(Lockable::Rules);
        for block in &part.document.blocks {
            match withholds {
                Some(reason) if block.value.effect.value == Outcome::Allow => {
                    let (layer, count) = (self.standing.layer, block.value.rules.len());
                    withhold(&mut self.plan.withheld, layer, reason, |own| own.rules += count);
                }
                Some(_) | None => {
                    for rule in &block.value.rules {
                        self.rule(&block.value, rule);
                    }
                }
            }
        }
    }

    /// Where a way of a path pattern is entered: what starts from a project around the present one starts from the root, and what
    /// forbids or asks in the project does so in those that it lies in, too, so that nobody gets away from it by going into a project
    /// within.
    fn placed(
        &self,
        outcome: Outcome,
        reach: PathReach,
        way: &[PathSegment],
    ) -> Vec<(PathReach, Vec<PathSegment>)> {
        let deep = match reach {
            PathReach::Project => None,
            PathReach::WithinProject => Some(PathSegment::AnyDepth),
            PathReach::Home | PathReach::Root | PathReach::Everywhere => return vec![(reach, way.to_vec())],
        };
        let below = |project: &Vec<PathSegment>| {
            let names = project.iter().chain(&deep).chain(way);
            (PathReach::Root, names.cloned().collect())
        };
        if self.standing.around > 0 {
            return vec![below(&self.project)];
        }
        let mut places = vec![(reach, way.to_vec())];
        let tightens = match outcome {
            Outcome::Allow => false,
            Outcome::Ask | Outcome::Deny => true,
        };
        places.extend(self.outer.iter().filter(|_| tightens).map(below));
        places
    }

    /// Why the present layer may not loosen a section; `None` where it may.
    fn withholds(&self, section: Lockable) -> Option<Reason> {
        withholds(self.standing, &self.locked, section)
    }

    /// Resolves every set, so that what is wrong with one is known even if no rule names it.
    fn all_sets(&mut self, parts: &[Part<'a>]) {
        for part in parts {
            self.standing = part.standing;
            for set in &part.document.sets {
                match &set.value.members {
                    SetMembers::Paths(members) => self.try_set(members, paths_of),
                    SetMembers::Hosts(members) => self.try_set(members, hosts_of),
                    SetMembers::Commands(members) => self.try_set(members, commands_of),
                }
            }
        }
    }

    fn try_set<P: 'a>(
        &mut self,
        members: &'a Alternatives<Term<P>>,
        of: fn(&'a SetMembers) -> Option<&'a Alternatives<Term<P>>>,
    ) {
        let owner = Owner::of(self.standing);
        for term in members.patterns.iter().chain(&members.except) {
            self.flatten(term, of, (owner, 0), &mut Vec::new(), &mut Vec::new());
        }
    }

    /// Folds the settings of all layers: the shipped ones, then the managed layer's, then the others from the weakest on.
    fn settings(&mut self, parts: &[Part<'a>]) {
        let mut settings = Settings::new();
        for layer in [Layer::Builtin, Layer::Managed] {
            for part in parts_of(parts, layer) {
                let voice = Voice {
                    loosens: true,
                    fixes: layer == Layer::Managed,
                };
                settings.say(part.document, voice);
            }
        }
        for section in &self.locked {
            settings.lock(*section);
        }
        for layer in Layer::ALL {
            if matches!(layer, Layer::Builtin | Layer::Managed) {
                continue;
            }
            for part in parts_of(parts, layer) {
                let voice = Voice {
                    loosens: part.standing.trusted,
                    fixes: false,
                };
                let count = settings.say(part.document, voice);
                let reason = if part.standing.trusted {
                    Reason::Locked
                } else {
                    Reason::of_untrusted(layer)
                };
                if count > 0 {
                    withhold(&mut self.plan.withheld, layer, reason, |own| {
                        own.settings += count;
                    });
                }
            }
        }
        settings.into_plan(&mut self.plan);
    }

    /// Notes a problem, once for each place.
    fn problem(&mut self, code: &'static str, message: String, place: Place, help: Option<String>) {
        let is_known = |own: &Diagnostic| own.code == code && own.place() == Some(place);
        if self.problems.iter().any(is_known) {
            return;
        }
        self.problems.push(Diagnostic {
            level: Level::Error,
            code,
            message,
            labels: vec![(place, String::new())],
            help,
        });
    }
}

/// Counts something that does not count.
fn withhold(all: &mut Vec<Withheld>, layer: Layer, reason: Reason, add: impl FnOnce(&mut Withheld)) {
    if let Some(own) = all
        .iter_mut()
        .find(|own| own.layer == layer && own.reason == reason)
    {
        add(own);
        return;
    }
    let mut own = Withheld::new(layer, reason);
    add(&mut own);
    all.push(own);
}

/// The stand-in for a program that is named by its file; no argv can hold it, since it begins with a NUL.
pub(crate) fn file_word(number: u32) -> String {
    format!("\0file{number}")
}
