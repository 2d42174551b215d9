//! From checked documents to a plan: sets are resolved, patterns go into their indexes, every problem is reported at once.

use rustc_hash::FxHashMap;
use smol_str::SmolStr;

use super::kept::{Kept, number};
use super::paths::{End, PathIndexDraft};
use super::words::WordTrieDraft;
use super::{CompiledCondition, PathIndex, Plan, PlanRule, WordTrie};
use crate::definition::Definition;
use crate::diagnostic::{Diagnostic, Level};
use crate::document::{
    Alternatives, Block, CHECK_NAMES, Condition, Document, Mode, Outcome, Rule, SetMembers, Severity, Subject,
};
use crate::pattern::{
    CommandPart, CommandPattern, FlagPattern, Glob, HostPattern, PathAnchor, PathPattern, ProgramPattern,
    ShortSubject, Term, TextEnd, TextPattern, TextPiece, WordPattern, WordPiece,
};
use crate::source::{Place, Sources, Spanned};

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

/// Levels of sets within sets.
const MAX_SET_DEPTH: usize = 32;

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

/// The patterns and exceptions that belong together after sets are resolved.
struct Group<'a, P> {
    patterns: Vec<(&'a P, Place)>,
    except: Vec<(&'a P, Place)>,
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

    fn rule(&mut self, block: &'a Block, rule: &'a Spanned<Rule>) {
        let line = self.sources.line_column(rule.place).line;
        let id = match &block.name {
            Some(name) => name.value.clone(),
            None => SmolStr::from(format!("{}:{line}", self.sources.name(rule.place))),
        };
        let conditions = self.conditions(block.effect.value, &rule.value.conditions);
        let mut options = Vec::new();
        for condition in &rule.value.conditions {
            if let Condition::Flag(flags) = &condition.value {
                options.extend(
                    flags
                        .iter()
                        .filter_map(|flag| flag.value.name.literal().map(SmolStr::from)),
                );
            }
        }
        let compiled = PlanRule {
            id,
            outcome: block.effect.value,
            pattern: SmolStr::default(),
            program: None,
            place: rule.place,
            line: u32::try_from(line).unwrap_or(u32::MAX),
            because: block.because.as_ref().map(|text| text.value.clone()),
            instead: block.instead.as_ref().map(|text| text.value.clone()),
            bounds_operands: conditions
                .iter()
                .any(|own| matches!(own, CompiledCondition::OperandsWithin(_))),
            conditions,
            environment: Vec::new(),
            options,
            names_program: true,
            everything: false,
            edits: false,
        };
        match &rule.value.subject {
            Subject::Command(alternatives) => {
                for group in self.groups(alternatives, commands_of) {
                    let patterns = || group.patterns.iter().chain(&group.except);
                    let mut own = compiled.clone();
                    for (pattern, _) in patterns() {
                        pattern
                            .rest
                            .iter()
                            .for_each(|part| named_options(part, &mut own.options));
                    }
                    own.names_program =
                        !patterns().any(|(pattern, _)| pattern.programs.iter().any(any_program));
                    own.everything = group.patterns.iter().any(|(pattern, _)| {
                        pattern.programs.iter().any(any_program) && pattern.rest == [CommandPart::AnyWords]
                    });
                    if let Some((first, _)) = group.patterns.first() {
                        own.pattern = first.text.clone();
                        own.program = first.programs.iter().find_map(|program| match program {
                            ProgramPattern::Name(word) => word.literal().map(SmolStr::from),
                            ProgramPattern::File(_) => None,
                        });
                    }
                    let id = self.group(own);
                    for (pattern, place) in &group.patterns {
                        self.command(
                            pattern,
                            *place,
                            End {
                                group: id,
                                except: false,
                            },
                        );
                    }
                    for (pattern, place) in &group.except {
                        self.command(
                            pattern,
                            *place,
                            End {
                                group: id,
                                except: true,
                            },
                        );
                    }
                }
            }
            Subject::Read(alternatives) => self.path_rule(&compiled, alternatives, &[Kind::Read]),
            Subject::Write(alternatives) => self.path_rule(&compiled, alternatives, &[Kind::Write]),
            Subject::Delete(alternatives) => self.path_rule(&compiled, alternatives, &[Kind::Delete]),
            Subject::Network(alternatives) => {
                for group in self.groups(alternatives, hosts_of) {
                    let id = self.group(compiled.clone());
                    for (pattern, _) in &group.patterns {
                        self.plan.hosts.insert(
                            pattern,
                            End {
                                group: id,
                                except: false,
                            },
                        );
                    }
                    for (pattern, _) in &group.except {
                        self.plan.hosts.insert(
                            pattern,
                            End {
                                group: id,
                                except: true,
                            },
                        );
                    }
                }
            }
            Subject::Tool(alternatives) => {
                let id = self.group(compiled);
                self.plan.tools.extend(ends(alternatives, id));
            }
            Subject::Env(alternatives) => {
                let id = self.group(compiled);
                self.plan.env.extend(ends(alternatives, id));
            }
            Subject::Agent(alternatives) => {
                let id = self.group(compiled);
                self.plan.agents.extend(ends(alternatives, id));
            }
            Subject::Skill(alternatives) => {
                let id = self.group(compiled);
                self.plan.skills.extend(ends(alternatives, id));
            }
            Subject::Mode(alternatives) => {
                let id = self.group(compiled);
                self.plan.mode_changes.extend(ends(alternatives, id));
            }
            Subject::Short(short) => match &short.subject {
                ShortSubject::Command(pattern) => {
                    let mut own = compiled;
                    own.pattern = short.text.clone();
                    own.program = match pattern.pieces.first() {
                        Some(TextPiece::Text(text)) => text.split(' ').next().map(SmolStr::from),
                        Some(TextPiece::AnyText) | None => None,
                    };
                    self.text_rule(own, pattern, rule.place);
                }
                ShortSubject::Read(pattern) => {
                    let id = self.group(compiled.clone());
                    self.path(
                        Kind::Read,
                        compiled.outcome,
                        pattern,
                        End {
                            group: id,
                            except: false,
                        },
                    );
                }
                ShortSubject::Change(pattern) => {
                    let id = self.group(PlanRule {
                        edits: true,
                        ..compiled.clone()
                    });
                    self.path(
                        Kind::Write,
                        compiled.outcome,
                        pattern,
                        End {
                            group: id,
                            except: false,
                        },
                    );
                    self.path(
                        Kind::Delete,
                        compiled.outcome,
                        pattern,
                        End {
                            group: id,
                            except: false,
                        },
                    );
                }
                ShortSubject::Network(pattern) => {
                    let id = self.group(compiled);
                    self.plan.hosts.insert(
                        pattern,
                        End {
                            group: id,
                            except: false,
                        },
                    );
                }
                ShortSubject::Tool(glob) => {
                    let id = self.group(compiled);
                    self.plan.tools.push((
                        glob.clone(),
                        End {
                            group: id,
                            except: false,
                        },
                    ));
                }
                ShortSubject::Agent(glob) => {
                    let id = self.group(compiled);
                    self.plan.agents.push((
                        glob.clone(),
                        End {
                            group: id,
                            except: false,
                        },
                    ));
                }
                ShortSubject::Skill(glob) => {
                    let id = self.group(compiled);
                    self.plan.skills.push((
                        glob.clone(),
                        End {
                            group: id,
                            except: false,
                        },
                    ));
                }
            },
        }
    }

    fn group(&mut self, rule: PlanRule) -> super::GroupId {
        self.rules.push(rule);
        number(self.rules.len() - 1)
    }

    /// Splits the terms of a rule: its own patterns are one group, each set it names is another with the set's exceptions too.
    fn groups<P: 'a>(
        &mut self,
        alternatives: &'a Alternatives<Term<P>>,
        members: fn(&'a SetMembers) -> Option<&'a Alternatives<Term<P>>>,
    ) -> Vec<Group<'a, P>> {
        let mut except = Vec::new();
        for term in &alternatives.except {
            self.flatten(term, members, 0, &mut except, &mut Vec::new());
        }
        let mut groups = Vec::new();
        let mut own = Group {
            patterns: Vec::new(),
            except: except.clone(),
        };
        for term in &alternatives.patterns {
            match &term.value {
                Term::Pattern(pattern) => own.patterns.push((pattern, term.place)),
                Term::Set(_) => {
                    let mut group = Group {
                        patterns: Vec::new(),
                        except: except.clone(),
                    };
                    self.flatten(term, members, 0, &mut group.patterns, &mut group.except);
                    groups.push(group);
                }
            }
        }
        if !own.patterns.is_empty() {
            groups.push(own);
        }
        groups
    }

    fn flatten<P: 'a>(
        &mut self,
        term: &'a Spanned<Term<P>>,
        members: fn(&'a SetMembers) -> Option<&'a Alternatives<Term<P>>>,
        depth: usize,
        patterns: &mut Vec<(&'a P, Place)>,
        except: &mut Vec<(&'a P, Place)>,
    ) {
        let name = match &term.value {
            Term::Pattern(pattern) => {
                patterns.push((pattern, term.place));
                return;
            }
            Term::Set(name) => name,
        };
        if depth > MAX_SET_DEPTH {
            self.problem(
                "policy::set-cycle",
                format!("set `@{name}` contains itself"),
                term.place,
                None,
            );
            return;
        }
        let Some(set) = self.sets.get(name.as_str()).copied() else {
            let nearest = nearest(name, self.sets.keys().copied());
            let help = nearest.map_or_else(
                || "declare it in `sets { ... }`".to_owned(),
                |nearest| format!("did you mean `@{nearest}`?"),
            );
            self.problem(
                "policy::unknown-set",
                format!("unknown set `@{name}`"),
                term.place,
                Some(help),
            );
            return;
        };
        let Some(members_of_set) = members(set) else {
            self.problem(
                "policy::set-kind",
                format!("set `@{name}` holds patterns of another kind"),
                term.place,
                None,
            );
            return;
        };
        for inner in &members_of_set.patterns {
            self.flatten(inner, members, depth + 1, patterns, except);
        }
        for inner in &members_of_set.except {
            self.flatten(inner, members, depth + 1, except, &mut Vec::new());
        }
    }

    fn command(&mut self, pattern: &CommandPattern, place: Place, end: End) {
        for program in &pattern.programs {
            let result = match program {
                ProgramPattern::Name(name) => self.indexes.commands.insert(name, &pattern.rest, end),
                ProgramPattern::File(path) => {
                    let number = self.files;
                    self.files += 1;
                    let stand_in = End {
                        group: number,
                        except: false,
                    };
                    for way in &path.alternatives {
                        self.indexes.program_files.insert(
                            path.anchor.reach(Outcome::Ask),
                            way,
                            true,
                            stand_in,
                        );
                    }
                    self.indexes.commands.insert(
                        &WordPattern::exactly(&file_word(number)),
                        &pattern.rest,
                        end,
                    )
                }
            };
            if result.is_err() {
                let message = format!("pattern `{}` stands for too many commands", pattern.text);
                let help = Some("split it into several rules".to_owned());
                self.problem("policy::pattern-too-large", message, place, help);
            }
        }
    }

    fn path_rule(
        &mut self,
        rule: &PlanRule,
        alternatives: &'a Alternatives<Term<PathPattern>>,
        kinds: &[Kind],
    ) {
        for group in self.groups(alternatives, paths_of) {
            let id = self.group(rule.clone());
            for kind in kinds {
                for (pattern, _) in &group.patterns {
                    self.path(
                        *kind,
                        rule.outcome,
                        pattern,
                        End {
                            group: id,
                            except: false,
                        },
                    );
                }
                for (pattern, _) in &group.except {
                    self.path(
                        *kind,
                        rule.outcome,
                        pattern,
                        End {
                            group: id,
                            except: true,
                        },
                    );
                }
            }
        }
    }

    fn path(&mut self, kind: Kind, outcome: Outcome, pattern: &PathPattern, end: End) {
        // An exception takes as much out of an allow as a deny would forbid, and as little out of a deny as an allow would permit.
        let reach = pattern
            .anchor
            .reach(if end.except { opposite(outcome) } else { outcome });
        let index = match kind {
            Kind::Read => &mut self.indexes.reads,
            Kind::Write => &mut self.indexes.writes,
            Kind::Delete => &mut self.indexes.deletes,
        };
        for way in &pattern.alternatives {
            index.insert(reach, way, kind == Kind::Read || outcome != Outcome::Allow, end);
        }
    }

    fn text_rule(&mut self, mut rule: PlanRule, pattern: &TextPattern, place: Place) {
        rule.environment.clone_from(&pattern.environment);
        rule.everything = pattern.is_every();
        if let [TextPiece::Text(text)] = pattern.pieces.as_slice() {
            let words: Vec<&str> = text.split(' ').map(unquote).collect();
            rule.options.extend(
                words
                    .iter()
                    .filter(|word| word.starts_with('-'))
                    .map(|word| SmolStr::from(*word)),
            );
            let strict = rule.outcome != Outcome::Allow && pattern.end == TextEnd::AnyWords;
            let flags: Vec<&str> = words.iter().copied().filter(|word| is_option(word)).collect();
            // An option of a rule that forbids counts wherever it stands: `rm -rf build` and `rm build -rf` are one.
            if strict && !flags.is_empty() && !words.contains(&"--") {
                let mut anywhere = rule.clone();
                anywhere.conditions.extend(flags.iter().map(|flag| {
                    let name = Glob::exactly(flag);
                    CompiledCondition::Flag(vec![FlagPattern { name, value: None }])
                }));
                let rest: Vec<&str> = words.iter().copied().filter(|word| !is_option(word)).collect();
                self.word_rule(anywhere, &rest, TextEnd::AnyWords, place);
            }
            // `npm run test:*` also means the scripts `test:unit`, and `http://localhost:*` any port.
            if let Some((last, before)) = words.split_last()
                && !before.is_empty()
                && !is_option(last)
                && rule.pattern.ends_with(":*)")
            {
                let mut colon = rule.clone();
                colon
                    .conditions
                    .push(CompiledCondition::GoesOn(format!("{last}:").into()));
                let mut parts: Vec<CommandPart> = before
                    .iter()
                    .skip(1)
                    .map(|word| CommandPart::Word(WordPattern::exactly(word)))
                    .collect();
                let text = WordPiece::Text(format!("{last}:").into());
                parts.push(CommandPart::Word(WordPattern {
                    pieces: vec![text, WordPiece::AnyText],
                }));
                parts.push(CommandPart::AnyWords);
                let program = WordPattern::exactly(before.first().copied().unwrap_or_default());
                let end = End {
                    group: self.group(colon),
                    except: false,
                };
                if self.indexes.commands.insert(&program, &parts, end).is_err() {
                    self.problem(
                        "policy::pattern-too-large",
                        "the rule stands for too many commands".to_owned(),
                        place,
                        None,
                    );
                }
            }
            self.word_rule(rule, &words, pattern.end, place);
            return;
        }
        if rule.everything {
            let id = self.group(rule);
            let any = WordPattern {
                pieces: vec![WordPiece::AnyText],
            };
            let end = End {
                group: id,
                except: false,
            };
            // Cannot be too large: one way.
            let _one_way = self.indexes.commands.insert(&any, &[CommandPart::AnyWords], end);
            return;
        }
        rule.names_program = match pattern.pieces.first() {
            Some(TextPiece::Text(text)) => text.contains(' '),
            Some(TextPiece::AnyText) | None => false,
        };
        for piece in &pattern.pieces {
            if let TextPiece::Text(text) = piece {
                let words = text
                    .split(' ')
                    .filter(|word| word.starts_with('-') && word.len() > 1);
                rule.options.extend(words.map(SmolStr::from));
            }
        }
        let id = self.group(rule);
        self.plan.texts.insert(
            pattern.clone(),
            End {
                group: id,
                except: false,
            },
        );
    }

    fn word_rule(&mut self, rule: PlanRule, words: &[&str], end_of_text: TextEnd, place: Place) {
        let id = self.group(rule);
        let Some((program, rest)) = words.split_first() else {
            return;
        };
        let mut parts: Vec<CommandPart> = rest
            .iter()
            .map(|word| CommandPart::Word(WordPattern::exactly(word)))
            .collect();
        if end_of_text == TextEnd::AnyWords {
            parts.push(CommandPart::AnyWords);
        }
        let end = End {
            group: id,
            except: false,
        };
        if self
            .indexes
            .commands
            .insert(&WordPattern::exactly(program), &parts, end)
            .is_err()
        {
            self.problem(
                "policy::pattern-too-large",
                "the rule stands for too many commands".to_owned(),
                place,
                None,
            );
        }
    }

    fn conditions(
        &mut self,
        outcome: Outcome,
        conditions: &'a [Spanned<Condition>],
    ) -> Vec<CompiledCondition> {
        let values = |flags: &[Spanned<FlagPattern>]| flags.iter().map(|flag| flag.value.clone()).collect();
        let mut compiled = Vec::new();
        for condition in conditions {
            compiled.push(match &condition.value {
                Condition::Flag(flags) => CompiledCondition::Flag(values(flags)),
                Condition::WithoutFlag(flags) => CompiledCondition::WithoutFlag(values(flags)),
                Condition::OperandsWithin(terms) => {
                    CompiledCondition::OperandsWithin(self.within(outcome, terms))
                }
                Condition::Operand { index, patterns } => CompiledCondition::Operand(
                    index.value,
                    patterns.iter().map(|pattern| pattern.value.clone()).collect(),
                ),
                Condition::Env(patterns) => {
                    CompiledCondition::Env(patterns.iter().map(|pattern| pattern.value.clone()).collect())
                }
                Condition::Cwd(terms) => CompiledCondition::Cwd(self.within(outcome, terms)),
                Condition::PipedInto(programs) => CompiledCondition::PipedInto(
                    programs.iter().map(|program| program.value.clone()).collect(),
                ),
                Condition::InPipeline(wanted) => CompiledCondition::InPipeline(*wanted),
                Condition::Background(wanted) => CompiledCondition::Background(*wanted),
                Condition::Input { field, patterns } => CompiledCondition::Input(
                    field.value.clone(),
                    patterns.iter().map(|pattern| pattern.value.clone()).collect(),
                ),
            });
        }
        compiled
    }

    fn within(&mut self, outcome: Outcome, terms: &'a [Spanned<Term<PathPattern>>]) -> u32 {
        let mut index = PathIndexDraft::default();
        for term in terms {
            let (mut patterns, mut except) = (Vec::new(), Vec::new());
            self.flatten(term, paths_of, 0, &mut patterns, &mut except);
            for (list, is_except) in [(patterns, false), (except, true)] {
                for (pattern, _) in list {
                    for way in &pattern.alternatives {
                        index.insert(
                            pattern.anchor.reach(outcome),
                            way,
                            true,
                            End {
                                group: 0,
                                except: is_except,
                            },
                        );
                    }
                }
            }
        }
        let index = index.set().unwrap_or_else(|| {
            let place = terms.first().map_or_else(Place::default, |term| term.place);
            self.problem(UNWRITABLE.0, UNWRITABLE.1.to_owned(), place, None);
            PathIndex::default()
        });
        self.plan.places.push(index);
        number(self.plan.places.len() - 1)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Read,
    Write,
    Delete,
}

/// The stand-in for a program that is named by its file; no argv can hold it, since it begins with a NUL.
pub(crate) fn file_word(number: u32) -> String {
    format!("\0file{number}")
}

fn opposite(outcome: Outcome) -> Outcome {
    match outcome {
        Outcome::Allow => Outcome::Deny,
        Outcome::Ask | Outcome::Deny => Outcome::Allow,
    }
}

fn is_option(word: &str) -> bool {
    word.starts_with('-') && word.len() > 1 && word != "--"
}

/// A word of a short rule that is quoted as a whole means what is inside.
fn unquote(word: &str) -> &str {
    for quote in ['\'', '"'] {
        if let Some(inner) = word.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote)) {
            return inner;
        }
    }
    word
}

fn any_program(program: &ProgramPattern) -> bool {
    match program {
        ProgramPattern::Name(word) => word.pieces.first() == Some(&WordPiece::AnyText),
        ProgramPattern::File(path) => path.anchor == PathAnchor::AnyDepth,
    }
}

fn named_options(part: &CommandPart, options: &mut Vec<SmolStr>) {
    match part {
        CommandPart::Word(word) => {
            let texts = word.pieces.iter().filter_map(|piece| match piece {
                WordPiece::Text(text) => Some(text.clone()),
                WordPiece::AnyText | WordPiece::Choice(_) => None,
            });
            options.extend(texts.filter(|text| is_option(text)));
        }
        CommandPart::Choice(ways) => ways
            .iter()
            .flatten()
            .for_each(|part| named_options(part, options)),
        CommandPart::Optional(parts) => parts.iter().for_each(|part| named_options(part, options)),
        CommandPart::AnyWords => {}
    }
}

fn ends<P: Clone>(alternatives: &Alternatives<P>, group: u32) -> Vec<(P, End)> {
    let one = |except: bool| move |pattern: &Spanned<P>| (pattern.value.clone(), End { group, except });
    alternatives
        .patterns
        .iter()
        .map(one(false))
        .chain(alternatives.except.iter().map(one(true)))
        .collect()
}

fn paths_of(set: &SetMembers) -> Option<&Alternatives<Term<PathPattern>>> {
    match set {
        SetMembers::Paths(paths) => Some(paths),
        SetMembers::Hosts(_) | SetMembers::Commands(_) => None,
    }
}

fn hosts_of(set: &SetMembers) -> Option<&Alternatives<Term<HostPattern>>> {
    match set {
        SetMembers::Hosts(hosts) => Some(hosts),
        SetMembers::Paths(_) | SetMembers::Commands(_) => None,
    }
}

fn commands_of(set: &SetMembers) -> Option<&Alternatives<Term<CommandPattern>>> {
    match set {
        SetMembers::Commands(commands) => Some(commands),
        SetMembers::Paths(_) | SetMembers::Hosts(_) => None,
    }
}

fn nearest<'n>(name: &str, names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    names
        .map(|own| (strsim::damerau_levenshtein(name, own), own))
        .filter(|(distance, own)| *distance <= 1 + own.len() / 4)
        .min()
        .map(|(_, own)| own)
}
