//! Deciding one command: the rules that name it, then everything its definition says it does.
//!
//! Long, since it is one walk over all kinds of effects, in which each needs what the others learned.

use engine_shell::{Evaluation, Field, Invocation, InvocationKind, Stdin, Value};
use smol_str::SmolStr;

use super::Decider;
use super::groups::{Matched, Ruling, may_match};
use crate::definition::{ApplyContext, apply, apply_published};
use crate::document::{Outcome, RequestKind};
use crate::effect::{EffectKind, Use, WordKind};
use crate::plan::{End, Extent, GroupId, Names, PlanRule, ViewWord, file_word};
use crate::resolve::Target;
use crate::truth::Truth;
use crate::verdict::{Request, RuleRef, Why};

/// Directories in which a program that is named by its path is the one that its bare name means.
/// Source: hier(7), and the prefixes of Homebrew's documentation.
const SYSTEM_DIRECTORIES: &[&str] = &[
    "/bin",
    "/sbin",
    "/usr/bin",
    "/usr/sbin",
    "/usr/local/bin",
    "/usr/local/sbin",
    "/opt/homebrew/bin",
];

/// One command on its way through.
#[derive(Clone)]
pub(super) struct Running<'e> {
    pub invocation: &'e Invocation,
    /// The text that the spans of the invocation point into.
    pub text: &'e str,
    /// Paths that its standard input is a list of.
    pub stdin_paths: Option<Value>,
    /// Assignments in front of it and inherited ones, for conditions and short rules.
    pub settings: Vec<(SmolStr, Value)>,
    /// It was started by a command that a rule allows by name, so that a shell here needs a rule of its own.
    pub behind_allowed_wrapper: bool,
    /// Commands that read its output.
    pub readers: Vec<SmolStr>,
    /// Level of re-evaluation.
    pub level: usize,
}

impl Decider<'_> {
    /// Decides one command; returns how its arguments were read, for the commands that read its output.
    pub(super) fn command(&mut self, running: &Running<'_>) -> Option<Use> {
        let invocation = running.invocation;
        let program_field = invocation.words.first()?;
        let program = program_field.known();
        let name = program.map(|program| program_name(program, invocation.kind));
        let catalogue = self.plan.catalogue();
        let usage = name
            .as_deref()
            .and_then(|name| catalogue.find(name))
            .map(|definition| apply(definition, &invocation.words, &apply_context(running)));
        if let Some(usage) = &usage {
            self.notes(usage, invocation.span);
        }
        let claims = name
            .as_deref()
            .and_then(|name| catalogue.find_published(name))
            .map(|published| apply_published(published, &invocation.words))
            .unwrap_or_default();
        let (ruling, matched_allow) = self.command_ruling(running, name.as_deref(), usage.as_ref(), &claims);
        let shown: SmolStr =
            program.map_or_else(|| program_field.span.of(running.text).into(), SmolStr::from);
        let request = Request::Command(shown);
        let without = || self.without_strict_rule(matched_allow, name.as_deref(), usage.as_ref());
        let (outcome, why) = match ruling {
            Ruling::Deny(rule) => (Outcome::Deny, Why::Rule(rule)),
            Ruling::DenyMaybe(rule) | Ruling::AskMaybe(rule) => may_match(rule, without()),
            Ruling::Ask(rule) => (Outcome::Ask, Why::Rule(rule)),
            Ruling::Allow(_) | Ruling::Nothing => without(),
        };
        let is_in_full = claims.is_empty() && usage.as_ref().is_some_and(is_in_full);
        self.push(request, invocation.span, outcome, why, 0, is_in_full);
        let rule = matched_allow.and_then(|rule| self.plan.rules.get(rule.0 as usize).map(|own| (rule, own)));
        self.listings(
            running,
            Self::cover(rule.filter(|(_, rule)| rule.names_program || rule.everything)),
        );
        if let Some(usage) = &usage {
            self.effects(running, usage, rule);
        }
        self.claimed_changes(running, usage.as_ref(), &claims, rule);
        let reads = usage.as_ref().is_none_or(|usage| usage.reads_stdin);
        if invocation.stdin == Stdin::Script && reads {
            self.step(
                Request::Code("standard input".into()),
                invocation.span,
                Outcome::Ask,
                Why::Unknown(
                    "it may read some of the text that its shell runs, which changes what runs next"
                        .to_owned(),
                ),
                5,
            );
        }
        usage
    }

    /// What the program says of itself that it changes, where its definition says nothing of the kind.
    fn claimed_changes(
        &mut self,
        running: &Running<'_>,
        usage: Option<&Use>,
        claims: &[Use],
        rule: Option<(RuleRef, &PlanRule)>,
    ) {
        let named = rule.filter(|(_, rule)| rule.names_program || rule.everything);
        for claim in claims {
            for effect in &claim.effects {
                let known =
                    usage.is_some_and(|usage| usage.effects.iter().any(|own| own.kind == effect.kind));
                if matches!(effect.kind, EffectKind::Changes { .. }) && !known {
                    self.effect(running, claim, effect, named);
                }
            }
        }
    }

    /// A command that no deny or ask rule speaks of.
    fn without_strict_rule(
        &self,
        allow: Option<RuleRef>,
        name: Option<&str>,
        usage: Option<&Use>,
    ) -> (Outcome, Why) {
        let rule = allow.and_then(|rule| self.plan.rules.get(rule.0 as usize).map(|own| (rule, own)));
        if let Some((reference, rule)) = rule
            && (rule.names_program || rule.everything)
        {
            return (Outcome::Allow, Why::Rule(reference));
        }
        let Some(name) = name else {
            return (
                self.plan.default_for(RequestKind::Command).max(Outcome::Ask),
                Why::Unknown("the program to run is not known".to_owned()),
            );
        };
        let Some(usage) = usage else {
            let (outcome, _) = self.default(RequestKind::Command);
            return (
                outcome,
                Why::Unknown(format!(
                    "no rule names `{name}`, and there is no definition of what it does"
                )),
            );
        };
        if !usage.complete && rule.is_none() {
            let (outcome, why) = self.default(RequestKind::Command);
            return (outcome, why);
        }
        // What its words leave open becomes a step of its own.
        match rule {
            Some((reference, _)) => (Outcome::Allow, Why::Rule(reference)),
            None => (Outcome::Allow, Why::NoEffect),
        }
    }

    /// The strictest ruling on the command, and the allow rule that matches for certain, if any. How the program says of itself that
    /// its words are read (`claims`) counts for rules that forbid or ask alone, and takes nothing back from them.
    fn command_ruling(
        &self,
        running: &Running<'_>,
        name: Option<&str>,
        usage: Option<&Use>,
        claims: &[Use],
    ) -> (Ruling, Option<RuleRef>) {
        let invocation = running.invocation;
        let name_value = name.map(|name| Value::Known(name.into()));
        let written = views_as_written(&invocation.words, running.text);
        let mut named = written.clone();
        if let (Some(first), Some(value)) = (named.first_mut(), &name_value) {
            first.value = value;
        }
        let normal: Option<Vec<ViewWord<'_>>> = usage.map(|usage| views_as_read(usage, running.text));
        let mut matched = Matched::default();
        let renamed = written.first().map(|word| word.value) != named.first().map(|word| word.value);
        {
            let mut hit = |end, truth| matched.hit(end, truth);
            self.match_words(&named, &mut hit);
            self.plan.texts.matches(&named, &mut hit);
            if renamed {
                self.match_words(&written, &mut hit);
                self.plan.texts.matches(&written, &mut hit);
            }
            if let Some(normal) = &normal {
                self.match_words(normal, &mut hit);
                self.plan.texts.matches(normal, &mut hit);
            }
        }
        self.match_files(running, &written, normal.as_deref(), &mut matched);
        // A file that is called like a program that rules forbid may well be that program.
        if let Some(base) = invocation
            .words
            .first()
            .and_then(Field::known)
            .and_then(|path| path.rsplit_once('/'))
            && name.is_none_or(|name| name.contains('/'))
        {
            let base = Value::Known(base.1.into());
            let mut called = written.clone();
            if let Some(first) = called.first_mut() {
                first.value = &base;
            }
            let mut maybe = |end: End, _| {
                let strict = self
                    .plan
                    .rule_of(end.group)
                    .is_some_and(|rule| rule.outcome != Outcome::Allow);
                if strict && !end.except {
                    matched.hit(end, Truth::Maybe);
                }
            };
            self.match_words(&called, &mut maybe);
            self.plan.texts.matches(&called, &mut maybe);
        }
        if usage.is_none() {
            self.match_inside(&written, &mut matched);
        }
        let is_strict = |group: GroupId| {
            self.plan
                .rule_of(group)
                .is_none_or(|rule| rule.outcome != Outcome::Allow)
        };
        for claim in claims {
            let words = views_as_read(claim, running.text);
            let mut strict = |end: End, truth| {
                if is_strict(end.group) && !end.except {
                    matched.hit(end, truth);
                }
            };
            self.match_words(&words, &mut strict);
            self.plan.texts.matches(&words, &mut strict);
        }
        let mut condition = |group: GroupId| {
            let own = self.conditions(group, running, usage);
            // It says nothing of paths, so that it cannot tell where they lie.
            let placed = self.plan.rule_of(group).is_some_and(|rule| rule.bounds_operands);
            let claims = claims.iter().filter(|_| is_strict(group) && !placed);
            claims.fold(own, |truth, claim| {
                truth.max(self.conditions(group, running, Some(claim)))
            })
        };
        let ruling = matched.ruling(self.plan, self.rules, &mut condition);
        // Of the allow rules, the one that covers most.
        let mut allow: Option<(u8, RuleRef)> = None;
        for (group, truth) in matched.truths() {
            let Some(rule) = self.plan.rule_of(group) else {
                continue;
            };
            if rule.outcome != Outcome::Allow || truth.min(condition(group)) != Truth::Yes {
                continue;
            }
            let rank = u8::from(rule.names_program && !rule.bounds_operands) + 2 * u8::from(rule.everything);
            let reference = RuleRef(group);
            if allow.is_none_or(|(best, _)| rank > best) {
                allow = Some((rank, reference));
            }
        }
        (ruling, allow.map(|(_, rule)| rule))
    }

    /// What patterns of commands say of these words, and those that speak of options apart of what is left without them.
    fn match_words(&self, words: &[ViewWord<'_>], hit: &mut dyn FnMut(End, Truth)) {
        self.plan.commands.matches(words, hit);
        if !self.plan.operands.is_empty() {
            let operands: Vec<ViewWord<'_>> = words.iter().filter(|word| !word.is_option).cloned().collect();
            self.plan.operands.matches(&operands, hit);
        }
    }

    /// A program that is not defined may run what its arguments name (`busybox rm`, `pkexec rm`): rules that forbid or ask may mean it.
    fn match_inside(&self, written: &[ViewWord<'_>], matched: &mut Matched) {
        let mut maybe = |end: End, _| {
            let strict = self
                .plan
                .rule_of(end.group)
                .is_some_and(|rule| rule.outcome != Outcome::Allow && !rule.everything);
            if strict && !end.except {
                matched.hit(end, Truth::Maybe);
            }
        };
        for from in 1..written.len().min(16) {
            if let Some(words) = written.get(from..) {
                self.match_words(words, &mut maybe);
            }
        }
    }

    /// Rules that name the program by its file.
    fn match_files(
        &self,
        running: &Running<'_>,
        written: &[ViewWord<'_>],
        normal: Option<&[ViewWord<'_>]>,
        matched: &mut Matched,
    ) {
        let Some(program) = running.invocation.words.first() else {
            return;
        };
        if !program.known().is_some_and(|path| path.contains('/')) {
            return;
        }
        let targets = self.targets(&program.value, &self.bases(&running.invocation.directory, None));
        // Patterns of files by their numbers, with how many of the places that it may be they match for certain. What matches only
        // without regard to case matches none of them for certain.
        let mut found: Vec<(GroupId, usize)> = Vec::new();
        let (index, names) = (&self.plan.program_files, Names::default());
        for target in targets.iter().filter(|target| matches!(target, Target::Known(_))) {
            let written = self.matched(index, target, Extent::Itself, &names);
            let folded = self.matched_folded(index, target, Extent::Itself, &names, &written);
            let certain = written.truths().map(|hit| (hit, 1));
            let other = folded.iter().flat_map(Matched::truths).map(|hit| (hit, 0));
            let hits = certain
                .chain(other)
                .filter(|((_, truth), _)| *truth == Truth::Yes);
            for ((number, _), times) in hits {
                match found.iter_mut().find(|(own, _)| *own == number) {
                    Some((_, own)) => *own += times,
                    None => found.push((number, times)),
                }
            }
        }
        for (number, exact) in found {
            let ceiling = if exact == targets.len() {
                Truth::Yes
            } else {
                Truth::Maybe
            };
            let stand_in = Value::Known(file_word(number).into());
            for words in [Some(written), normal].into_iter().flatten() {
                let mut words = words.to_vec();
                if let Some(first) = words.first_mut() {
                    first.value = &stand_in;
                }
                self.match_words(&words, &mut |end, truth| matched.hit(end, truth.min(ceiling)));
            }
        }
    }
}

/// Settings of an evaluation by their numbers.
pub(super) fn settings_of(evaluation: &Evaluation, numbers: &[usize]) -> Vec<(SmolStr, Value)> {
    numbers
        .iter()
        .filter_map(|&number| evaluation.settings.get(number))
        .map(|setting| (setting.name.clone(), setting.value.clone()))
        .collect()
}

/// The name that rules and definitions know a program by: its bare name where the shell would find it, else the path.
pub(super) fn program_name(program: &str, kind: InvocationKind) -> SmolStr {
    if kind == InvocationKind::Builtin {
        return program.into();
    }
    match program.rsplit_once('/') {
        Some((directory, base)) if SYSTEM_DIRECTORIES.contains(&directory) => base.into(),
        Some(_) | None => program.into(),
    }
}

fn view<'v>(field: &'v Field, names: &'v [SmolStr], is_option: bool, text: &'v str) -> ViewWord<'v> {
    ViewWord {
        value: &field.value,
        count: field.count,
        names,
        raw: field.span.of(text),
        is_option,
    }
}

/// Words as they are given. What looks like an option is one, up to the `--` that ends them.
fn views_as_written<'v>(words: &'v [Field], text: &'v str) -> Vec<ViewWord<'v>> {
    let mut ended = false;
    words
        .iter()
        .map(|field| {
            let is_option = !ended
                && field
                    .known()
                    .is_some_and(|word| word.len() > 1 && word.starts_with('-'));
            ended |= field.known() == Some("--");
            view(field, &[], is_option, text)
        })
        .collect()
}

/// Words as the definition of the program reads them.
fn views_as_read<'v>(usage: &'v Use, text: &'v str) -> Vec<ViewWord<'v>> {
    usage
        .words
        .iter()
        .map(|word| {
            let is_option = match word.kind {
                WordKind::Option | WordKind::OptionValue | WordKind::EndOfOptions => true,
                WordKind::Command | WordKind::Operand => false,
            };
            view(&word.field, &word.names, is_option, text)
        })
        .collect()
}

/// Whether everything that a command does is known and becomes a step of its own. What is sent to another machine is not: only that
/// something is.
fn is_in_full(usage: &Use) -> bool {
    let connects = |kind: &EffectKind| matches!(kind, EffectKind::Connects(_));
    usage.complete && usage.unknowns.is_empty() && !usage.effects.iter().any(|effect| connects(&effect.kind))
}

fn apply_context(running: &Running<'_>) -> ApplyContext {
    ApplyContext {
        stdin_paths: running.stdin_paths.clone(),
        stdin_text: match &running.invocation.stdin {
            Stdin::Text(value) => value.known().map(SmolStr::from),
            Stdin::Inherited | Stdin::Empty | Stdin::File(_) | Stdin::Pipe(_) | Stdin::Script => None,
        },
        stdin_may_be_any: match &running.invocation.stdin {
            Stdin::Text(value) => value.known().is_none(),
            Stdin::File(_) | Stdin::Pipe(_) => true,
            Stdin::Inherited | Stdin::Empty | Stdin::Script => false,
        },
    }
}
