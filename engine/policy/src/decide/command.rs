//! Deciding one command: the rules that name it, then everything its definition says it does.
//!
//! Long, since it is one walk over all kinds of effects, in which each needs what the others learned.

use engine_shell::{Count, Directory, Evaluation, Field, Invocation, InvocationKind, Span, Stdin, Value};
use smol_str::SmolStr;

use super::Decider;
use super::groups::{Matched, Ruling};
use super::path::{Access, Asked, Cover};
use crate::definition::apply;
use crate::document::{Outcome, RequestKind};
use crate::effect::{Effect, EffectKind, EffectSource, Nested, PathUse, Unknown, UnknownKind, Use};
use crate::facts::{below, join_path};
use crate::pattern::{FlagPattern, ProgramPattern};
use crate::plan::{CompiledCondition, GroupId, Host, PlanRule, Segment, ViewWord, parse_host};
use crate::resolve::{Target, bases, targets};
use crate::truth::{Truth, glob_says, word_says};
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
        let (ruling, matched_allow) = self.command_ruling(running, name.as_deref(), usage.as_ref());
        let shown: SmolStr =
            program.map_or_else(|| program_field.span.of(running.text).into(), SmolStr::from);
        let request = Request::Command(shown);
        let allowed_by = match ruling {
            Ruling::Deny(rule) => {
                self.step(request, invocation.span, Outcome::Deny, Why::Rule(rule), 0);
                matched_allow
            }
            Ruling::DenyMaybe(rule) | Ruling::AskMaybe(rule) => {
                self.step(request, invocation.span, Outcome::Ask, Why::RuleMaybe(rule), 0);
                matched_allow
            }
            Ruling::Ask(rule) => {
                self.step(request, invocation.span, Outcome::Ask, Why::Rule(rule), 0);
                matched_allow
            }
            Ruling::Allow(_) | Ruling::Nothing => {
                let (outcome, why) = self.without_strict_rule(matched_allow, name.as_deref(), usage.as_ref());
                self.step(request, invocation.span, outcome, why, 0);
                matched_allow
            }
        };
        let rule = allowed_by.and_then(|rule| self.plan.rules.get(rule.0 as usize).map(|own| (rule, own)));
        if let Some(usage) = &usage {
            self.effects(running, usage, rule);
        }
        usage
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
                Outcome::Ask,
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

    /// The strictest ruling on the command, and the allow rule that matches for certain, if any.
    fn command_ruling(
        &self,
        running: &Running<'_>,
        name: Option<&str>,
        usage: Option<&Use>,
    ) -> (Ruling, Option<RuleRef>) {
        let invocation = running.invocation;
        let name_value = name.map(|name| Value::Known(name.into()));
        let written: Vec<ViewWord<'_>> = invocation
            .words
            .iter()
            .map(|field| view(field, &[], running.text))
            .collect();
        let mut named = written.clone();
        if let (Some(first), Some(value)) = (named.first_mut(), &name_value) {
            first.value = value;
        }
        let normal: Option<Vec<ViewWord<'_>>> = usage.map(|usage| {
            usage
                .words
                .iter()
                .map(|word| view(&word.field, &word.names, running.text))
                .collect()
        });
        let mut matched = Matched::default();
        let renamed = written.first().map(|word| word.value) != named.first().map(|word| word.value);
        {
            let mut hit = |end, truth| matched.hit(end, truth);
            self.plan.commands.matches(&named, &mut hit);
            self.plan.texts.matches(&named, &mut hit);
            if renamed {
                self.plan.commands.matches(&written, &mut hit);
                self.plan.texts.matches(&written, &mut hit);
            }
            if let Some(normal) = &normal {
                self.plan.commands.matches(normal, &mut hit);
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
            let mut maybe = |end: crate::plan::End, _| {
                let strict = self
                    .plan
                    .rule_of(end.group)
                    .is_some_and(|rule| rule.outcome != Outcome::Allow);
                if strict && !end.except {
                    matched.hit(end, Truth::Maybe);
                }
            };
            self.plan.commands.matches(&called, &mut maybe);
            self.plan.texts.matches(&called, &mut maybe);
        }
        let mut condition = |group: GroupId| self.conditions(group, running, usage);
        let ruling = matched.ruling(self.plan, &mut condition);
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
            let reference = RuleRef(self.plan.groups.get(group as usize).copied().unwrap_or_default());
            if allow.is_none_or(|(best, _)| rank > best) {
                allow = Some((rank, reference));
            }
        }
        (ruling, allow.map(|(_, rule)| rule))
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
        for target in targets(&program.value, &bases(&running.invocation.directory, None)) {
            let Target::Known(path) = target else { continue };
            let names = super::path::names_of(&path);
            let mut numbers = Vec::new();
            let index = &self.plan.program_files;
            for (mount, trie) in [
                (Some("/"), &index.root),
                (Some(self.facts.project), &index.project),
                (self.facts.home, &index.home),
            ] {
                let Some(rest) = mount.and_then(|mount| below(&path, mount)) else {
                    continue;
                };
                let segments: Vec<Segment<'_>> = rest
                    .split('/')
                    .filter(|part| !part.is_empty())
                    .map(Segment::Name)
                    .collect();
                trie.matches(
                    &segments,
                    crate::plan::Extent::Itself,
                    &crate::plan::Names::default(),
                    false,
                    &mut |end, truth| {
                        if truth == Truth::Yes {
                            numbers.push(end.group);
                        }
                    },
                );
            }
            debug_assert!(!names.is_empty() || path == "/");
            for number in numbers {
                let stand_in = Value::Known(crate::plan::file_word(number).into());
                for words in [Some(written), normal].into_iter().flatten() {
                    let mut words = words.to_vec();
                    if let Some(first) = words.first_mut() {
                        first.value = &stand_in;
                    }
                    self.plan
                        .commands
                        .matches(&words, &mut |end, truth| matched.hit(end, truth));
                }
            }
        }
    }

    /// Whether everything beside the pattern holds.
    fn conditions(&self, group: GroupId, running: &Running<'_>, usage: Option<&Use>) -> Truth {
        let Some(rule) = self.plan.rule_of(group) else {
            return Truth::No;
        };
        let mut truth = Truth::Yes;
        for pattern in &rule.environment {
            truth = truth.min(set_in(&running.settings, pattern));
        }
        for condition in &rule.conditions {
            truth = truth.min(self.condition(condition, running, usage));
        }
        truth
    }

    fn condition(&self, condition: &CompiledCondition, running: &Running<'_>, usage: Option<&Use>) -> Truth {
        let invocation = running.invocation;
        match condition {
            CompiledCondition::Flag(flags) => flags
                .iter()
                .map(|flag| given(flag, invocation, usage))
                .max()
                .unwrap_or(Truth::No),
            CompiledCondition::WithoutFlag(flags) => flags
                .iter()
                .map(|flag| given(flag, invocation, usage))
                .max()
                .unwrap_or(Truth::No)
                .not(),
            CompiledCondition::OperandsWithin(index) => {
                let Some(usage) = usage else { return Truth::Maybe };
                let mut truth = Truth::Yes;
                for effect in &usage.effects {
                    if effect.source == EffectSource::Own {
                        continue;
                    }
                    let (EffectKind::Reads(used) | EffectKind::Writes(used) | EffectKind::Deletes(used)) =
                        &effect.kind
                    else {
                        continue;
                    };
                    for target in targets(&used.path, &bases(&invocation.directory, used.below.as_ref())) {
                        truth = truth.min(self.says_of(index, &target));
                    }
                }
                truth
            }
            CompiledCondition::Operand(index, patterns) => {
                let operands: Vec<&Field> = match usage {
                    Some(usage) => usage
                        .words
                        .iter()
                        .filter(|word| word.kind == crate::effect::WordKind::Operand)
                        .map(|word| &word.field)
                        .collect(),
                    None => invocation.words.iter().skip(1).collect(),
                };
                let at = usize::from(*index).saturating_sub(1);
                let fixed = usage.is_some()
                    && operands
                        .iter()
                        .take(at + 1)
                        .all(|field| field.count == Count::One);
                match operands.get(at) {
                    None if fixed => Truth::No,
                    Some(field) if fixed => patterns
                        .iter()
                        .map(|pattern| word_says(pattern, &field.value))
                        .max()
                        .unwrap_or(Truth::No),
                    None | Some(_) => Truth::Maybe,
                }
            }
            CompiledCondition::Env(patterns) => patterns
                .iter()
                .map(|pattern| set_in(&running.settings, pattern))
                .max()
                .unwrap_or(Truth::No),
            CompiledCondition::Cwd(index) => bases(&invocation.directory, None)
                .into_iter()
                .map(|base| match base {
                    Some(path) => self.says_of(index, &Target::Known(path)),
                    None => Truth::Maybe,
                })
                .fold(None, |all: Option<Truth>, one| match all {
                    None => Some(one),
                    Some(own) if own == one => all,
                    Some(_) => Some(Truth::Maybe),
                })
                .unwrap_or(Truth::Maybe),
            CompiledCondition::PipedInto(programs) => running
                .readers
                .iter()
                .flat_map(|reader| programs.iter().map(move |program| (reader, program)))
                .map(|(reader, program)| match program {
                    ProgramPattern::Name(word) => word_says(word, &Value::Known(reader.clone())),
                    ProgramPattern::File(_) => Truth::Maybe,
                })
                .max()
                .unwrap_or(Truth::No),
            CompiledCondition::InPipeline(wanted) => Truth::known(invocation.reach.piped == *wanted),
            CompiledCondition::Background(wanted) => Truth::known(invocation.reach.background == *wanted),
            CompiledCondition::Input(..) => Truth::No,
            CompiledCondition::GoesOn(beginning) => invocation
                .words
                .iter()
                .filter_map(Field::known)
                .filter_map(|word| word.strip_prefix(beginning.as_str()))
                .map(|rest| Truth::known(goes_on(beginning, rest)))
                .max()
                .unwrap_or(Truth::No),
        }
    }

    /// Everything the definition says the command does.
    fn effects(&mut self, running: &Running<'_>, usage: &Use, rule: Option<(RuleRef, &PlanRule)>) {
        let named = rule.filter(|(_, rule)| rule.names_program || rule.everything);
        for effect in &usage.effects {
            self.effect(running, usage, effect, named);
        }
        for unknown in &usage.unknowns {
            if !covers_unknown(unknown, running.invocation, named) {
                self.step(
                    Request::Command(usage.command.join(" ").into()),
                    unknown.span,
                    self.plan.default_for(RequestKind::Command).max(Outcome::Ask),
                    Why::Unknown(unknown.why.clone()),
                    unknown_check(usage, unknown),
                );
            }
        }
        for nested in &usage.nested {
            let before = self.steps.len();
            let behind = named.is_some_and(|(_, rule)| !rule.everything) && usage.wrapper;
            self.nested(running, usage, nested, behind);
            if let Some((rule, _)) = named
                && (!usage.wrapper || usage.command.len() > 1)
                && by_operand(usage, nested)
            {
                self.cover_inner(before, rule);
            }
        }
        if let Some(language) = &usage.runs_stdin {
            self.runs_stdin(running, language, named);
        }
    }

    fn effect(
        &mut self,
        running: &Running<'_>,
        usage: &Use,
        effect: &Effect,
        rule: Option<(RuleRef, &PlanRule)>,
    ) {
        let span = effect.span;
        let covered = rule.filter(|(_, rule)| covers_effect(rule, effect));
        let jq = usage.command.first().is_some_and(|name| name == "jq");
        match &effect.kind {
            EffectKind::Reads(used) => {
                self.path_effect(
                    running,
                    Access::Read,
                    used,
                    effect,
                    usage,
                    covered,
                    if jq { 3 } else { 0 },
                );
            }
            EffectKind::Writes(used) => self.write_effect(running, used, effect, usage, covered),
            EffectKind::Deletes(used) => {
                self.path_effect(running, Access::Delete, used, effect, usage, covered, 0)
            }
            EffectKind::Connects(host) => {
                self.network(running, host.as_ref(), span, covered.map(|(rule, _)| rule))
            }
            EffectKind::SetsEnv { name, value } => match name.known() {
                Some(name) => self.setting_for_command(name, value, span, rule.map(|(_, rule)| rule)),
                None => self.step(
                    Request::Env("a variable that is not known".into()),
                    span,
                    Outcome::Ask,
                    Why::Unknown("the name of the variable is not known".to_owned()),
                    6,
                ),
            },
            EffectKind::LoadsCode(value) => {
                let what = value
                    .known()
                    .map_or_else(|| SmolStr::new_static("a file that is not known"), SmolStr::from);
                self.own_effect(
                    Request::Code(what.clone()),
                    span,
                    covered.map(|(rule, _)| rule),
                    format!("`{what}` can run code"),
                    if jq { 2 } else { 0 },
                );
            }
            EffectKind::Evaluates(language) => self.own_effect(
                Request::Code(language.clone()),
                span,
                covered.map(|(rule, _)| rule),
                format!("a {language} program is not looked into"),
                if jq { 2 } else { 0 },
            ),
            EffectKind::State(what) => self.own_effect(
                Request::Change(what.clone()),
                span,
                covered.map(|(rule, _)| rule),
                format!("`{}` writes to {what}", usage.command.join(" ")),
                0,
            ),
            EffectKind::Changes { destructive } => self.own_effect(
                Request::Change("what no operand names".into()),
                span,
                covered.map(|(rule, _)| rule),
                if *destructive {
                    format!(
                        "`{}` destroys what cannot be brought back",
                        usage.command.join(" ")
                    )
                } else {
                    format!("`{}` changes what no operand names", usage.command.join(" "))
                },
                0,
            ),
            EffectKind::Privileged => self.own_effect(
                Request::Change("privileges".into()),
                span,
                covered.map(|(rule, _)| rule),
                "runs with raised privileges".to_owned(),
                0,
            ),
            EffectKind::Background => {}
            EffectKind::Interactive => {}
            EffectKind::Consults { file, keys } => self.consults(running, usage, file, keys, span),
        }
    }

    /// An effect that only the command's own rule can cover.
    fn own_effect(&mut self, request: Request, span: Span, covered: Option<RuleRef>, why: String, check: u8) {
        match covered {
            Some(rule) => self.step(request, span, Outcome::Allow, Why::Covered(rule), check),
            None => self.step(request, span, Outcome::Ask, Why::Unknown(why), check),
        }
    }

    fn cover<'r>(&self, covered: Option<(RuleRef, &'r PlanRule)>) -> Cover<'r> {
        let Some((reference, rule)) = covered else {
            return Cover::None;
        };
        if rule.everything {
            return Cover::Everything(reference);
        }
        let bound = rule.conditions.iter().find_map(|condition| match condition {
            CompiledCondition::OperandsWithin(index) => Some(index),
            CompiledCondition::Flag(_)
            | CompiledCondition::WithoutFlag(_)
            | CompiledCondition::Operand(..)
            | CompiledCondition::Env(_)
            | CompiledCondition::Cwd(_)
            | CompiledCondition::PipedInto(_)
            | CompiledCondition::InPipeline(_)
            | CompiledCondition::Background(_)
            | CompiledCondition::Input(..)
            | CompiledCondition::GoesOn(_) => None,
        });
        match bound {
            Some(index) => Cover::Within(reference, index),
            None => Cover::Project(reference),
        }
    }

    fn path_effect(
        &mut self,
        running: &Running<'_>,
        access: Access,
        used: &PathUse,
        effect: &Effect,
        usage: &Use,
        covered: Option<(RuleRef, &PlanRule)>,
        check: u8,
    ) {
        let edited = if access == Access::Read {
            self.edited_by(running, used, usage)
                .or_else(|| url_cover(used, effect, usage, covered))
        } else {
            None
        };
        let asked = Asked {
            access,
            path: &used.path,
            directory: &running.invocation.directory,
            below: used.below.as_ref(),
            tree: used.tree,
            only: &used.narrowed,
            except: &used.excluded,
            span: effect.span,
            check,
            own: effect.source == EffectSource::Own,
            edited,
        };
        let cover = self.cover(covered);
        self.path(&asked, cover);
    }

    /// The rule that allows editing a file which the command also writes: an edit reads what it changes.
    fn edited_by(&self, running: &Running<'_>, used: &PathUse, usage: &Use) -> Option<RuleRef> {
        let written = usage
            .effects
            .iter()
            .any(|effect| matches!(&effect.kind, EffectKind::Writes(own) if own.path == used.path));
        if !written || used.tree {
            return None;
        }
        let mut found = None;
        for target in targets(
            &used.path,
            &bases(&running.invocation.directory, used.below.as_ref()),
        ) {
            let rule = self.edit_rule(&target)?;
            found = Some(rule);
        }
        found
    }

    /// A write, which may be into a directory: then the files in it are what is written.
    fn write_effect(
        &mut self,
        running: &Running<'_>,
        used: &PathUse,
        effect: &Effect,
        usage: &Use,
        covered: Option<(RuleRef, &PlanRule)>,
    ) {
        if used.into.is_empty() {
            self.path_effect(running, Access::Write, used, effect, usage, covered, 10);
            return;
        }
        let known = used.path.known();
        let directory = |path: &str| {
            let last = path.rsplit('/').next().unwrap_or_default();
            if matches!(last, "" | "." | "..") {
                return Some(true);
            }
            let places = bases(&running.invocation.directory, used.below.as_ref());
            let place = places.first().cloned().flatten()?;
            self.facts.world.is_directory(&join_path(&place, path))
        };
        let is_directory = known.and_then(directory);
        if is_directory != Some(true) || used.into.len() > 1 && known.is_none() {
            let file = PathUse {
                into: Vec::new(),
                ..used.clone()
            };
            self.path_effect(running, Access::Write, &file, effect, usage, covered, 10);
        }
        if is_directory == Some(false) {
            return;
        }
        for name in &used.into {
            let inside = match (known, name) {
                (Some(path), Value::Known(name)) => Value::Known(format!("{path}/{name}").into()),
                (Some(path), _) => Value::Below(path.into()),
                (None, _) => continue,
            };
            if is_directory.is_none() && !matches!(name, Value::Known(_)) {
                continue;
            }
            let file = PathUse {
                path: inside,
                into: Vec::new(),
                ..used.clone()
            };
            self.path_effect(running, Access::Write, &file, effect, usage, covered, 10);
        }
    }

    /// A connection; a `file:` URL is a read.
    pub(super) fn network(
        &mut self,
        running: &Running<'_>,
        host: Option<&Value>,
        span: Span,
        covered: Option<RuleRef>,
    ) {
        // Where a program connects by itself is part of what a rule for it allows, unless a rule speaks of every host.
        if let (None, Some(rule)) = (host, covered) {
            let mut matched = Matched::default();
            self.plan.hosts.every(&mut |end| matched.hit(end, Truth::Yes));
            if matched.ruling(self.plan, &mut |_| Truth::Yes) == Ruling::Nothing {
                let host = SmolStr::new_static("a host that is not known");
                self.step(
                    Request::Network(host),
                    span,
                    Outcome::Allow,
                    Why::Covered(rule),
                    0,
                );
                return;
            }
        }
        let texts: Vec<Option<SmolStr>> = match host {
            Some(Value::Known(text)) => vec![Some(text.clone())],
            Some(Value::OneOf(texts)) => texts.iter().cloned().map(Some).collect(),
            Some(Value::Affixed { prefix, .. }) => vec![authority_of(prefix)],
            Some(
                Value::Glob(_) | Value::Below(_) | Value::Integer | Value::Descriptor | Value::Unknown(_),
            )
            | None => vec![None],
        };
        for text in texts {
            if let Some(path) = text.as_deref().and_then(file_url) {
                let value = Value::Known(path.into());
                let asked = Asked {
                    access: Access::Read,
                    path: &value,
                    directory: &running.invocation.directory,
                    below: None,
                    tree: false,
                    only: &[],
                    except: &[],
                    span,
                    check: 0,
                    own: false,
                    edited: None,
                };
                self.path(&asked, covered.map_or(Cover::None, Cover::Project));
                continue;
            }
            let parsed: Option<Host> = text.as_deref().and_then(parse_host);
            self.host(parsed.as_ref(), text.as_deref(), span, covered);
        }
    }

    /// Decides a host; `None` is one that is not known.
    pub(super) fn host(
        &mut self,
        host: Option<&Host>,
        text: Option<&str>,
        span: Span,
        covered: Option<RuleRef>,
    ) {
        let mut matched = Matched::default();
        match host {
            Some(host) => self
                .plan
                .hosts
                .matches(host, &mut |end| matched.hit(end, Truth::Yes)),
            None => {
                self.plan.hosts.all(&mut |end| matched.hit(end, Truth::Maybe));
                self.plan.hosts.every(&mut |end| matched.hit(end, Truth::Yes));
            }
        }
        let name = host.map_or_else(
            || text.map_or_else(|| SmolStr::new_static("a host that is not known"), SmolStr::from),
            |host| host.name.clone(),
        );
        let (outcome, why) = match matched.ruling(self.plan, &mut |_| Truth::Yes) {
            Ruling::Deny(rule) => (Outcome::Deny, Why::Rule(rule)),
            Ruling::DenyMaybe(rule) | Ruling::AskMaybe(rule) => (Outcome::Ask, Why::RuleMaybe(rule)),
            Ruling::Ask(rule) => (Outcome::Ask, Why::Rule(rule)),
            Ruling::Allow(rule) => (Outcome::Allow, Why::Rule(rule)),
            Ruling::Nothing => match covered {
                Some(rule) => (Outcome::Allow, Why::Covered(rule)),
                None => self.default(RequestKind::Network),
            },
        };
        self.step(Request::Network(name), span, outcome, why, 0);
    }

    /// A configuration file, found upwards from the directory, that may name programs.
    fn consults(&mut self, running: &Running<'_>, usage: &Use, file: &str, keys: &[SmolStr], span: Span) {
        let changed = usage.effects.iter().rev().find_map(|effect| match &effect.kind {
            EffectKind::Reads(used) if effect.source == EffectSource::SetAside => Some(used),
            EffectKind::Reads(_)
            | EffectKind::Writes(_)
            | EffectKind::Deletes(_)
            | EffectKind::Connects(_)
            | EffectKind::SetsEnv { .. }
            | EffectKind::LoadsCode(_)
            | EffectKind::Evaluates(_)
            | EffectKind::State(_)
            | EffectKind::Changes { .. }
            | EffectKind::Privileged
            | EffectKind::Background
            | EffectKind::Interactive
            | EffectKind::Consults { .. } => None,
        });
        let starts = bases(
            &running.invocation.directory,
            changed.and_then(|used| used.below.as_ref()),
        );
        let places = starts.into_iter().flat_map(|start| match (start, changed) {
            (Some(start), Some(used)) => bases(&Directory::OneOf(vec![start]), Some(&used.path)),
            (start, _) => vec![start],
        });
        for place in places {
            let Some(place) = place else {
                self.step(
                    Request::Code(file.into()),
                    span,
                    Outcome::Ask,
                    Why::Unknown(format!(
                        "the directory is not known, and `{file}` there can name programs"
                    )),
                    0,
                );
                continue;
            };
            if place != self.facts.project {
                self.configured_directory(&place, span);
            }
            let mut at = place.clone();
            loop {
                let path = join_path(&at, file);
                if let Some(text) = self.facts.world.small_file(&path) {
                    if let Some(key) =
                        config_keys(&text).find(|key| keys.iter().any(|own| key_matches(own, key)))
                    {
                        self.step(
                            Request::Code(path.clone()),
                            span,
                            Outcome::Ask,
                            Why::Unknown(format!(
                                "`{path}` sets `{key}`, which names a program that would run"
                            )),
                            0,
                        );
                    }
                    break;
                }
                match at.rsplit_once('/') {
                    Some((parent, _)) if !parent.is_empty() => at = parent.into(),
                    Some(_) | None => break,
                }
            }
        }
    }

    /// A directory whose configuration a program obeys: one that may not be read, or that is protected from writing, is asked about.
    fn configured_directory(&mut self, place: &SmolStr, span: Span) {
        let target = Target::Known(place.clone());
        let outside = !self.is_inside(Access::Read, &target);
        let mut matched = Matched::default();
        let index = if outside {
            &self.plan.reads
        } else {
            &self.plan.writes
        };
        let names = super::path::names_of(place);
        self.match_known(index, &names, &mut matched);
        let ruling = matched.ruling(self.plan, &mut |_| Truth::Yes);
        let request = Request::Code(place.clone());
        match ruling {
            Ruling::Deny(rule) | Ruling::Ask(rule) | Ruling::DenyMaybe(rule) | Ruling::AskMaybe(rule) => {
                self.step(request, span, Outcome::Ask, Why::RuleMaybe(rule), 0);
            }
            Ruling::Nothing if outside => self.step(
                request,
                span,
                Outcome::Ask,
                Why::Unknown("its configuration is obeyed, and it lies outside the project".to_owned()),
                0,
            ),
            Ruling::Allow(_) | Ruling::Nothing => {}
        }
    }

    fn nested(&mut self, running: &Running<'_>, usage: &Use, nested: &Nested, by_rule: bool) {
        let by_rule = by_rule || running.behind_allowed_wrapper;
        match nested {
            Nested::Argv {
                words,
                env,
                below,
                stdin,
                span,
            } => {
                self.nested_argv(running, words, env, below.as_ref(), *stdin, *span, by_rule);
            }
            Nested::Shell {
                text,
                positional,
                shell,
                remote,
                below,
                span,
            } => {
                if *remote {
                    self.step(
                        Request::Code("another machine".into()),
                        *span,
                        Outcome::Ask,
                        Why::Unknown(format!(
                            "`{}` runs its text on another machine",
                            usage.command.join(" ")
                        )),
                        5,
                    );
                }
                if running.behind_allowed_wrapper {
                    self.step(
                        Request::Command(shell.clone()),
                        *span,
                        Outcome::Ask,
                        Why::Check(
                            "a rule allows the program that starts this shell, not the shell".to_owned(),
                        ),
                        5,
                    );
                }
                self.nested_shell(running, text, positional, shell, below.as_ref(), *span);
            }
        }
    }

    /// A program that runs others as part of what it is for (`poetry run pytest`), unlike a wrapper, is allowed with what it runs: an
    /// inner command that no rule speaks of is covered. What rules, paths and checks say of it stays.
    fn cover_inner(&mut self, from: usize, rule: RuleRef) {
        for step in self.steps.iter_mut().skip(from) {
            let own = matches!(step.request, Request::Command(_) | Request::Change(_));
            let unruled = matches!(step.why, Why::Default(RequestKind::Command) | Why::Unknown(_));
            if step.outcome == Outcome::Ask && own && unruled && step.check == 0 {
                step.outcome = Outcome::Allow;
                step.why = Why::Covered(rule);
            }
        }
    }

    fn runs_stdin(&mut self, running: &Running<'_>, language: &str, rule: Option<(RuleRef, &PlanRule)>) {
        let span = running.invocation.span;
        let is_shell = matches!(language, "sh" | "bash" | "zsh" | "dash" | "ksh");
        match &running.invocation.stdin {
            Stdin::Empty => {}
            Stdin::Text(value) if is_shell => {
                let field = Field {
                    value: value.clone(),
                    count: Count::One,
                    span,
                    spelling: engine_shell::Spelling::default(),
                };
                self.nested_shell(running, &field, &[], language, None, span);
            }
            Stdin::Inherited | Stdin::File(_) | Stdin::Pipe(_) | Stdin::Text(_) => {
                // What a shell would run is never covered by a rule for the shell itself; a program for another interpreter is.
                let covered = rule
                    .filter(|(_, rule)| !is_shell || rule.everything)
                    .map(|(rule, _)| rule);
                let covered =
                    covered.filter(|_| !(is_shell && matches!(running.invocation.stdin, Stdin::Pipe(_))));
                self.own_effect(
                    Request::Code("standard input".into()),
                    span,
                    covered,
                    "runs what comes on its standard input".to_owned(),
                    5,
                );
            }
        }
    }

    fn match_known(
        &self,
        index: &crate::plan::PathIndex,
        names: &[crate::resolve::Name],
        matched: &mut Matched,
    ) {
        let target = Target::Pattern(names.to_vec());
        self.match_index(
            index,
            &target,
            crate::plan::Extent::Itself,
            &crate::plan::Names::default(),
            false,
            matched,
        );
    }
}

/// Whether an inner command stands as operands, not as the value of an option (`find -exec`).
fn by_operand(usage: &Use, nested: &Nested) -> bool {
    let span = match nested {
        Nested::Argv { span, .. } => *span,
        Nested::Shell { .. } => return false,
    };
    !usage.words.iter().any(|word| {
        matches!(
            word.kind,
            crate::effect::WordKind::Option | crate::effect::WordKind::OptionValue
        ) && word.field.span == span
    })
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

/// Whether what follows a colon is a plain name or, in a URL, a port with what may follow one. Anything else could make another
/// host of it (`http://github.com:x@evil.example/`).
fn goes_on(beginning: &str, rest: &str) -> bool {
    if beginning.contains("://") {
        let after = rest.trim_start_matches(|c: char| c.is_ascii_digit());
        after.len() < rest.len() && (after.is_empty() || after.starts_with(['/', '?', '#']))
    } else {
        !rest.is_empty()
            && rest
                .chars()
                .all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ':' | '/'))
    }
}

fn view<'v>(field: &'v Field, names: &'v [SmolStr], text: &'v str) -> ViewWord<'v> {
    ViewWord {
        value: &field.value,
        count: field.count,
        names,
        raw: field.span.of(text),
    }
}

/// Whether a variable that a pattern names is set.
fn set_in(settings: &[(SmolStr, Value)], pattern: &crate::pattern::EnvironmentPattern) -> Truth {
    settings
        .iter()
        .map(|(name, value)| {
            let by_name = glob_says(&pattern.name, &Value::Known(name.clone()));
            by_name.min(
                pattern
                    .value
                    .as_ref()
                    .map_or(Truth::Yes, |glob| glob_says(glob, value)),
            )
        })
        .max()
        .unwrap_or(Truth::No)
}

/// Whether an option is given.
fn given(flag: &FlagPattern, invocation: &Invocation, usage: Option<&Use>) -> Truth {
    let mut truth = Truth::No;
    if let Some(usage) = usage {
        let mut words = usage.words.iter().peekable();
        while let Some(word) = words.next() {
            if word.kind != crate::effect::WordKind::Option {
                continue;
            }
            let named = word
                .names
                .iter()
                .map(|name| glob_says(&flag.name, &Value::Known(name.clone())))
                .chain([glob_says(&flag.name, &word.field.value)])
                .max()
                .unwrap_or(Truth::No);
            let value = match (&flag.value, words.peek()) {
                (None, _) => Truth::Yes,
                (Some(glob), Some(next)) if next.kind == crate::effect::WordKind::OptionValue => {
                    glob_says(glob, &next.field.value)
                }
                (Some(_), _) => Truth::No,
            };
            truth = truth.max(named.min(value));
        }
        if usage
            .unknowns
            .iter()
            .any(|unknown| unknown.kind == UnknownKind::MaybeOption)
        {
            truth = truth.max(Truth::Maybe);
        }
        // A bundle in the pattern (`-rf`) is given if each of its letters is.
        if truth == Truth::No
            && let Some(letters) = flag.name.literal().and_then(|name| name.strip_prefix('-'))
            && letters.len() > 1
            && letters.bytes().all(|b| b.is_ascii_alphanumeric())
        {
            truth = letters
                .chars()
                .map(|letter| {
                    let name = crate::pattern::Glob::exactly(&format!("-{letter}"));
                    given(&FlagPattern { name, value: None }, invocation, Some(usage))
                })
                .min()
                .unwrap_or(Truth::No);
        }
    }
    // As written, too: an option that the definition does not know.
    for field in invocation.words.iter().skip(1) {
        if field.known() == Some("--") {
            break;
        }
        let value = match (&flag.value, field.known().and_then(|text| text.split_once('='))) {
            (None, Some((name, _))) => glob_says(&flag.name, &Value::Known(name.into())),
            (Some(glob), Some((name, value))) => glob_says(&flag.name, &Value::Known(name.into()))
                .min(glob_says(glob, &Value::Known(value.into()))),
            (None, None) => glob_says(&flag.name, &field.value),
            (Some(_), None) => Truth::No,
        };
        truth = truth.max(match value {
            Truth::Yes if field.count == Count::One => Truth::Yes,
            Truth::Yes | Truth::Maybe => Truth::Maybe,
            Truth::No => Truth::No,
        });
    }
    truth
}

/// The rule that covers an operand which is a URL, and only for want of knowing it might be the URL of a file.
fn url_cover(
    used: &PathUse,
    effect: &Effect,
    usage: &Use,
    covered: Option<(RuleRef, &PlanRule)>,
) -> Option<RuleRef> {
    let unknown = matches!(used.path, Value::Unknown(_) | Value::Affixed { .. });
    let url = usage
        .effects
        .iter()
        .any(|own| own.span == effect.span && matches!(own.kind, EffectKind::Connects(_)));
    covered.filter(|_| unknown && url).map(|(rule, _)| rule)
}

/// Whether the rule that allows a command covers one of its effects.
fn covers_effect(rule: &PlanRule, effect: &Effect) -> bool {
    if rule.everything {
        return true;
    }
    let spelled = rule.options.iter().any(|option| *option == effect.from);
    match (&effect.kind, effect.source) {
        (EffectKind::Reads(_) | EffectKind::Writes(_), _) => true,
        (EffectKind::Deletes(_), EffectSource::Own | EffectSource::Operand) => true,
        (
            EffectKind::Changes { destructive: true } | EffectKind::LoadsCode(_),
            EffectSource::Own | EffectSource::Operand,
        ) => true,
        (
            EffectKind::Deletes(_) | EffectKind::Changes { destructive: true } | EffectKind::LoadsCode(_),
            EffectSource::Option | EffectSource::SetAside,
        ) => spelled,
        (
            EffectKind::Connects(_)
            | EffectKind::SetsEnv { .. }
            | EffectKind::Evaluates(_)
            | EffectKind::State(_)
            | EffectKind::Changes { destructive: false }
            | EffectKind::Privileged
            | EffectKind::Background
            | EffectKind::Interactive
            | EffectKind::Consults { .. },
            source,
        ) => source != EffectSource::SetAside || spelled,
    }
}

/// Whether the rule that allows a command covers something that its definition leaves open.
fn covers_unknown(unknown: &Unknown, invocation: &Invocation, rule: Option<(RuleRef, &PlanRule)>) -> bool {
    let Some((_, rule)) = rule else { return false };
    match unknown.kind {
        UnknownKind::Option
        | UnknownKind::Subcommand
        | UnknownKind::Value
        | UnknownKind::Program
        | UnknownKind::Stated => true,
        // A quoted word is one word; an unquoted expansion may be any number of options.
        UnknownKind::MaybeOption => {
            rule.everything
                || invocation
                    .words
                    .iter()
                    .any(|word| word.span == unknown.span && word.count == Count::One)
        }
    }
}

/// The shell check that an unexplained word belongs to.
fn unknown_check(usage: &Use, unknown: &Unknown) -> u8 {
    match unknown.kind {
        UnknownKind::Program if usage.command.first().is_some_and(|name| name == "jq") => 2,
        UnknownKind::Program
        | UnknownKind::Option
        | UnknownKind::Subcommand
        | UnknownKind::Value
        | UnknownKind::MaybeOption
        | UnknownKind::Stated => 0,
    }
}

/// The scheme and host of a URL whose beginning is known, if the host is known to its end.
fn authority_of(prefix: &str) -> Option<SmolStr> {
    let (scheme, rest) = prefix.split_once("://")?;
    let (host, _) = rest.split_once(['/', '?', '#'])?;
    Some(format!("{scheme}://{host}").into())
}

/// The path of a `file:` URL.
fn file_url(text: &str) -> Option<&str> {
    let scheme = text.get(..5)?;
    if !scheme.eq_ignore_ascii_case("file:") {
        return None;
    }
    let rest = text.get(5..)?.trim_start_matches('/');
    let from = text.len() - rest.len() - 1;
    text.get(from..)
        .filter(|path| path.starts_with('/'))
        .or(Some(rest))
}

/// The keys of a git configuration file as `section.key` or `section.subsection.key`, in lower case but for the subsection.
/// Source: git-config(1), "Syntax".
fn config_keys(text: &str) -> impl Iterator<Item = String> + '_ {
    let mut section = String::new();
    text.lines().filter_map(move |line| {
        let mut line = line.trim();
        if let Some(rest) = line.strip_prefix('[') {
            let (head, after) = rest.split_once(']')?;
            section = match head.split_once('"') {
                Some((name, sub)) => {
                    format!(
                        "{}.{}",
                        name.trim().to_ascii_lowercase(),
                        sub.trim_end().trim_end_matches('"')
                    )
                }
                None => head.trim().to_ascii_lowercase(),
            };
            line = after.trim();
        }
        let key = line.split(['=', ' ', '\t', '#', ';']).next().unwrap_or_default();
        if key.is_empty() {
            None
        } else {
            Some(format!("{section}.{}", key.to_ascii_lowercase()))
        }
    })
}

/// Whether a key is one of those that name programs; `*` in the middle stands for any subsection.
fn key_matches(own: &str, key: &str) -> bool {
    match own.split_once('*') {
        Some((head, tail)) => {
            key.len() >= head.len() + tail.len()
                && key.to_ascii_lowercase().starts_with(&head.to_ascii_lowercase())
                && key.to_ascii_lowercase().ends_with(&tail.to_ascii_lowercase())
        }
        None => own.eq_ignore_ascii_case(key),
    }
}

fn apply_context(running: &Running<'_>) -> crate::definition::ApplyContext {
    crate::definition::ApplyContext {
        stdin_paths: running.stdin_paths.clone(),
        stdin_text: match &running.invocation.stdin {
            Stdin::Text(value) => value.known().map(SmolStr::from),
            Stdin::Inherited | Stdin::Empty | Stdin::File(_) | Stdin::Pipe(_) => None,
        },
    }
}
