//! Puts one rule into the plan: a group for each set of patterns that hold together, and their entries in the indexes.
//!
//! Invariant (no pattern lost): every pattern and exception of a rule is entered, or is a problem.

use smol_str::SmolStr;

use super::super::end::End;
use super::super::kept::number;
use super::super::{CompiledCondition, GroupId, PlanRule};
use super::anywhere;
use super::sets::{commands_of, hosts_of, paths_of};
use super::short::is_option;
use super::{Compiler, file_word};
use crate::document::{Alternatives, Block, Condition, Lockable, Outcome, Rule, Subject};
use crate::pattern::{
    CommandPart, CommandPattern, PathAnchor, PathPattern, ProgramPattern, ShortSubject, Term, TextPiece,
    WordPattern, WordPiece,
};
use crate::source::{Place, Spanned};

/// What a command pattern is held against.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Against {
    /// All words.
    Words,
    /// The words that are no options.
    Operands,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Read,
    Write,
    Delete,
}

impl<'a> Compiler<'a> {
    pub(super) fn rule(&mut self, block: &'a Block, rule: &'a Spanned<Rule>) {
        let line = self.sources.line_column(rule.place).line;
        let id = match &block.name {
            Some(name) => name.value.clone(),
            None => SmolStr::from(self.sources.at(rule.place)),
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
            layer: self.standing.layer,
            tightens: self.withholds(Lockable::Rules).is_some(),
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
                    let strict = own.outcome != Outcome::Allow;
                    if strict {
                        for (pattern, place) in &group.patterns {
                            self.options_anywhere(&own, pattern, *place, &group.except);
                        }
                    }
                    let id = self.group(own);
                    for (pattern, place, end) in group.ends(id) {
                        self.command(Against::Words, pattern, place, end);
                        // What takes away means its options wherever they stand; open patterns of a strict rule were entered above.
                        let is_open = pattern.rest.last() == Some(&CommandPart::AnyWords);
                        if strict == end.except || (strict && is_open) {
                            continue;
                        }
                        let Some(ways) = anywhere::in_any_order(pattern) else {
                            self.too_large(&pattern.text, place);
                            continue;
                        };
                        for way in ways {
                            self.command(Against::Words, &way, place, end);
                        }
                    }
                }
            }
            Subject::Read(alternatives) => self.path_rule(&compiled, alternatives, &[Kind::Read]),
            Subject::Write(alternatives) => self.path_rule(&compiled, alternatives, &[Kind::Write]),
            Subject::Delete(alternatives) => self.path_rule(&compiled, alternatives, &[Kind::Delete]),
            Subject::Network(alternatives) => {
                for group in self.groups(alternatives, hosts_of) {
                    let id = self.group(compiled.clone());
                    for (pattern, _, end) in group.ends(id) {
                        self.plan.hosts.insert(pattern, end);
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
                    self.path(Kind::Read, compiled.outcome, pattern, End::of(id));
                }
                ShortSubject::Change(pattern) => {
                    let id = self.group(PlanRule {
                        edits: true,
                        ..compiled.clone()
                    });
                    self.path(Kind::Write, compiled.outcome, pattern, End::of(id));
                    self.path(Kind::Delete, compiled.outcome, pattern, End::of(id));
                }
                ShortSubject::Network(pattern) => {
                    let id = self.group(compiled);
                    self.plan.hosts.insert(pattern, End::of(id));
                }
                ShortSubject::Tool(glob) => {
                    let id = self.group(compiled);
                    self.plan.tools.push((glob.clone(), End::of(id)));
                }
                ShortSubject::Agent(glob) => {
                    let id = self.group(compiled);
                    self.plan.agents.push((glob.clone(), End::of(id)));
                }
                ShortSubject::Skill(glob) => {
                    let id = self.group(compiled);
                    self.plan.skills.push((glob.clone(), End::of(id)));
                }
            },
        }
    }

    pub(super) fn group(&mut self, rule: PlanRule) -> GroupId {
        self.rules.push(rule);
        number(self.rules.len() - 1)
    }

    /// Enters a pattern of a rule that forbids or asks once more, with its options as conditions.
    pub(super) fn options_anywhere(
        &mut self,
        rule: &PlanRule,
        pattern: &CommandPattern,
        place: Place,
        except: &[(&CommandPattern, Place)],
    ) {
        let Some((rest, conditions)) = anywhere::as_conditions(pattern) else {
            return;
        };
        let mut rule = rule.clone();
        rule.conditions.extend(conditions);
        let id = self.group(rule);
        self.command(Against::Operands, &rest, place, End::of(id));
        for (pattern, place) in except {
            self.command(Against::Words, pattern, *place, End::out_of(id));
        }
    }

    fn command(&mut self, against: Against, pattern: &CommandPattern, place: Place, end: End) {
        for program in &pattern.programs {
            let result = match program {
                ProgramPattern::Name(name) => self.enter(against, name, &pattern.rest, end),
                ProgramPattern::File(path) => {
                    let number = self.files;
                    self.files += 1;
                    let stand_in = End::of(number);
                    let outcome = self.rules.get(end.group as usize).map(|rule| rule.outcome);
                    for way in &path.alternatives {
                        let reach = path.anchor.reach(Outcome::Ask);
                        for (reach, way) in self.placed(outcome.unwrap_or(Outcome::Deny), reach, way) {
                            self.indexes.program_files.insert(reach, &way, true, stand_in);
                        }
                    }
                    self.enter(
                        against,
                        &WordPattern::exactly(&file_word(number)),
                        &pattern.rest,
                        end,
                    )
                }
            };
            if result.is_none() {
                self.too_large(&pattern.text, place);
            }
        }
    }

    /// Enters one pattern; `None` if it stands for too many commands.
    fn enter(
        &mut self,
        against: Against,
        program: &WordPattern,
        rest: &[CommandPart],
        end: End,
    ) -> Option<()> {
        let index = match against {
            Against::Words => &mut self.indexes.commands,
            Against::Operands => &mut self.indexes.operands,
        };
        index.insert(program, rest, end).ok()
    }

    fn too_large(&mut self, pattern: &str, place: Place) {
        let message = format!("pattern `{pattern}` stands for too many commands");
        let help = Some("split it into several rules".to_owned());
        self.problem("policy::pattern-too-large", message, place, help);
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
                for (pattern, _, end) in group.ends(id) {
                    self.path(*kind, rule.outcome, pattern, end);
                }
            }
        }
    }

    fn path(&mut self, kind: Kind, outcome: Outcome, pattern: &PathPattern, end: End) {
        // An exception takes as much out of an allow as a deny would forbid, and as little out of a deny as an allow would permit.
        let reach = pattern
            .anchor
            .reach(if end.except { opposite(outcome) } else { outcome });
        let ways: Vec<_> = pattern
            .alternatives
            .iter()
            .flat_map(|way| self.placed(outcome, reach, way))
            .collect();
        let index = match kind {
            Kind::Read => &mut self.indexes.reads,
            Kind::Write => &mut self.indexes.writes,
            Kind::Delete => &mut self.indexes.deletes,
        };
        for (reach, way) in ways {
            index.insert(reach, &way, kind == Kind::Read || outcome != Outcome::Allow, end);
        }
    }
}

fn opposite(outcome: Outcome) -> Outcome {
    match outcome {
        Outcome::Allow => Outcome::Deny,
        Outcome::Ask | Outcome::Deny => Outcome::Allow,
    }
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
