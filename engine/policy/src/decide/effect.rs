//! Everything that a command does, as its definition says it, and what the rule that allows the command covers of it.

use engine_shell::{Count, Field, Invocation, Span, Spelling, Stdin, Value};
use smol_str::SmolStr;

use super::Decider;
use super::command::Running;
use super::path::{Access, Asked, Cover};
use crate::document::{Outcome, RequestKind};
use crate::effect::{
    Effect, EffectKind, EffectSource, Follows, Nested, PathUse, Unknown, UnknownKind, Use, WordKind,
};
use crate::facts::join_path;
use crate::plan::{CompiledCondition, PlanRule};
use crate::resolve::Target;
use crate::verdict::{Request, RuleRef, Why};

impl Decider<'_> {
    /// Everything the definition says the command does.
    pub(super) fn effects(&mut self, running: &Running<'_>, usage: &Use, rule: Option<(RuleRef, &PlanRule)>) {
        let named = rule.filter(|(_, rule)| rule.names_program || rule.everything);
        for effect in &usage.effects {
            self.effect(running, usage, effect, named);
        }
        for unknown in &usage.unknowns {
            if !covers_unknown(unknown, usage, running.invocation, named) {
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

    pub(super) fn effect(
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
                self.path_effect(running, Access::Delete, used, effect, usage, covered, 0);
            }
            EffectKind::Connects(host) => {
                self.network(running, host.as_ref(), span, covered.map(|(rule, _)| rule));
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
                // To run it is to read it, and a rule that forbids reading it holds.
                let path = PathUse {
                    path: value.clone(),
                    below: None,
                    tree: false,
                    narrowed: Vec::new(),
                    excluded: Vec::new(),
                    follows: Follows::No,
                    into: Vec::new(),
                };
                if matches!(effect.source, EffectSource::Operand | EffectSource::Option) {
                    self.read_of_code(running, &path, effect, covered.map(|(rule, _)| rule));
                }
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
                format!("`{}` keeps its state there", usage.command.join(" ")),
                0,
            ),
            EffectKind::Changes { destructive } => self.own_effect(
                Request::Change("something".into()),
                span,
                covered.map(|(rule, _)| rule),
                if *destructive {
                    format!(
                        "`{}` may destroy what cannot be brought back",
                        usage.command.join(" ")
                    )
                } else {
                    format!(
                        "`{}` changes more than the files it is given",
                        usage.command.join(" ")
                    )
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
            EffectKind::Consults { file, keys, because } => {
                self.consults(running, usage, (file, keys, because.as_deref()), span);
            }
        }
    }

    /// The read of a file whose code is run: only what forbids or asks about it is a step of its own.
    fn read_of_code(
        &mut self,
        running: &Running<'_>,
        path: &PathUse,
        effect: &Effect,
        covered: Option<RuleRef>,
    ) {
        let before = self.steps.len();
        let asked = Asked::one(
            Access::Read,
            &path.path,
            &running.invocation.directory,
            effect.span,
        );
        self.path(&asked, covered.map_or(Cover::None, Cover::Everything));
        let mut kept = self.steps.split_off(before);
        kept.retain(|step| step.outcome != Outcome::Allow && !matches!(step.why, Why::Default(_)));
        self.steps.append(&mut kept);
    }

    /// An effect that only the command's own rule can cover.
    pub(super) fn own_effect(
        &mut self,
        request: Request,
        span: Span,
        covered: Option<RuleRef>,
        why: String,
        check: u8,
    ) {
        match covered {
            Some(rule) => self.step(request, span, Outcome::Allow, Why::Covered(rule), check),
            None => self.step(request, span, Outcome::Ask, Why::Unknown(why), check),
        }
    }

    pub(super) fn cover(covered: Option<(RuleRef, &PlanRule)>) -> Cover {
        let Some((reference, rule)) = covered else {
            return Cover::None;
        };
        if rule.everything {
            return Cover::Everything(reference);
        }
        let bound = rule.conditions.iter().find_map(|condition| match condition {
            CompiledCondition::OperandsWithin(places) => Some(*places),
            CompiledCondition::Flag(_)
            | CompiledCondition::WithoutFlag(_)
            | CompiledCondition::Operand(..)
            | CompiledCondition::Env(_)
            | CompiledCondition::Cwd(_)
            | CompiledCondition::PipedInto(_)
            | CompiledCondition::InPipeline(_)
            | CompiledCondition::Background(_)
            | CompiledCondition::Via(_)
            | CompiledCondition::Input(..)
            | CompiledCondition::GoesOn(_) => None,
        });
        match bound {
            Some(places) => Cover::Within(reference, places),
            None => Cover::Project(reference),
        }
    }

    #[expect(
        clippy::too_many_arguments,
        reason = "one effect taken apart; its two callers have the parts at hand"
    )]
    pub(super) fn path_effect(
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
            follows: used.follows,
            only: &used.narrowed,
            except: &used.excluded,
            span: effect.span,
            check,
            own: effect.source == EffectSource::Own,
            edited,
        };
        // What a program reads wherever it is started is what a rule that names it speaks of.
        let always = access == Access::Read
            && asked.own
            && used.path.known().is_some_and(|path| path.starts_with('/'));
        let cover = match covered {
            Some((rule, _)) if always => Cover::Everything(rule),
            _ => Self::cover(covered),
        };
        self.path(&asked, cover);
        if access == Access::Write {
            self.note_write(running, used, used.tree, usage);
        }
    }

    /// The rule that allows editing a file which the command also writes: an edit reads what it changes.
    pub(super) fn edited_by(&self, running: &Running<'_>, used: &PathUse, usage: &Use) -> Option<RuleRef> {
        let written = usage
            .effects
            .iter()
            .any(|effect| matches!(&effect.kind, EffectKind::Writes(own) if own.path == used.path));
        if !written || used.tree {
            return None;
        }
        let mut found = None;
        for target in self.targets(
            &used.path,
            &self.bases(&running.invocation.directory, used.below.as_ref()),
        ) {
            let rule = self.edit_rule(&target)?;
            found = Some(rule);
        }
        found
    }

    /// Whether everything that a command reads or takes away is a file that is there and no directory.
    fn takes_only_files(&self, running: &Running<'_>, usage: &Use) -> bool {
        let mut taken = usage
            .effects
            .iter()
            .filter_map(|effect| {
                if let EffectKind::Reads(used) | EffectKind::Deletes(used) = &effect.kind {
                    Some(used)
                } else {
                    None
                }
            })
            .flat_map(|used| {
                self.targets(
                    &used.path,
                    &self.bases(&running.invocation.directory, used.below.as_ref()),
                )
            })
            .peekable();
        taken.peek().is_some()
            && taken.all(|target| match target {
                Target::Known(path) => self.facts.world.is_directory(&path) == Some(false),
                Target::Pattern(_) | Target::Somewhere(_) | Target::Unknown(_) => false,
            })
    }

    fn note_write(&mut self, running: &Running<'_>, used: &PathUse, whole: bool, usage: &Use) {
        let places = self.bases(&running.invocation.directory, used.below.as_ref());
        let targets = self.targets(&used.path, &places);
        self.note_written(targets, whole, usage.command.first().map(SmolStr::as_str));
    }

    /// A write, which may be into a directory: then the files in it are what is written.
    pub(super) fn write_effect(
        &mut self,
        running: &Running<'_>,
        used: &PathUse,
        effect: &Effect,
        usage: &Use,
        covered: Option<(RuleRef, &PlanRule)>,
    ) {
        if used.into.is_empty() {
            self.path_effect(running, Access::Write, used, effect, usage, covered, 0);
            return;
        }
        // What is moved or copied with everything below is only that where it is a directory.
        let used = &PathUse {
            tree: used.tree && !self.takes_only_files(running, usage),
            ..used.clone()
        };
        let known = used.path.known();
        let directory = |path: &str| {
            let last = path.rsplit('/').next().unwrap_or_default();
            if matches!(last, "" | "." | "..") {
                return Some(true);
            }
            let places = self.bases(&running.invocation.directory, used.below.as_ref());
            let place = places.first().cloned().flatten()?;
            self.facts.world.is_directory(&join_path(&place, path))
        };
        let is_directory = known.and_then(directory);
        if is_directory != Some(true) || used.into.len() > 1 && known.is_none() {
            let file = PathUse {
                into: Vec::new(),
                ..used.clone()
            };
            self.path_effect(running, Access::Write, &file, effect, usage, covered, 0);
            // What comes to stand there may be a link or a directory.
            self.note_write(running, &file, true, usage);
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
            self.path_effect(running, Access::Write, &file, effect, usage, covered, 0);
            self.note_write(running, &file, true, usage);
        }
    }

    pub(super) fn nested(&mut self, running: &Running<'_>, usage: &Use, nested: &Nested, by_rule: bool) {
        let by_rule = by_rule || running.behind_allowed_wrapper;
        let rest;
        let of_rest;
        let running = if shares_stdin(usage, nested) && matches!(running.invocation.stdin, Stdin::Text(_)) {
            rest = Invocation {
                stdin: Stdin::Pipe(Vec::new()),
                ..running.invocation.clone()
            };
            of_rest = Running {
                invocation: &rest,
                ..running.clone()
            };
            &of_rest
        } else {
            running
        };
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
    pub(super) fn cover_inner(&mut self, from: usize, rule: RuleRef) {
        for step in self.steps.iter_mut().skip(from) {
            let own = matches!(step.request, Request::Command(_) | Request::Change(_));
            let unruled = matches!(step.why, Why::Default(RequestKind::Command) | Why::Unknown(_));
            if step.outcome == Outcome::Ask && own && unruled && step.check == 0 {
                step.outcome = Outcome::Allow;
                step.why = Why::Covered(rule);
            }
        }
    }

    pub(super) fn runs_stdin(
        &mut self,
        running: &Running<'_>,
        language: &str,
        rule: Option<(RuleRef, &PlanRule)>,
    ) {
        let span = running.invocation.span;
        let is_shell = matches!(language, "sh" | "bash" | "zsh" | "dash" | "ksh");
        match &running.invocation.stdin {
            Stdin::Empty => {}
            Stdin::Text(value) if is_shell => {
                let field = Field {
                    value: value.clone(),
                    count: Count::One,
                    span,
                    spelling: Spelling::default(),
                };
                let invocation = Invocation {
                    stdin: Stdin::Script,
                    ..running.invocation.clone()
                };
                let running = Running {
                    invocation: &invocation,
                    ..running.clone()
                };
                self.nested_shell(&running, &field, &[], language, None, span);
            }
            Stdin::Inherited | Stdin::File(_) | Stdin::Pipe(_) | Stdin::Text(_) | Stdin::Script => {
                // What a shell would run is never covered by a rule for the shell itself; a program for another interpreter is.
                let covered = rule
                    .filter(|(_, rule)| !is_shell || rule.everything)
                    .map(|(rule, _)| rule);
                let covered = covered.filter(|_| {
                    !(is_shell && matches!(running.invocation.stdin, Stdin::Pipe(_) | Stdin::Script))
                });
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
}

/// Whether an inner command may find that a part of the standard input was read before: by the outer command, by another inner one, or by
/// itself, since what an option names is run for each file that is found.
fn shares_stdin(usage: &Use, nested: &Nested) -> bool {
    let each = match nested {
        Nested::Argv { .. } => !by_operand(usage, nested),
        Nested::Shell { .. } => false,
    };
    each || usage.reads_stdin || usage.nested.len() > 1
}

/// Whether an inner command stands as operands, not as the value of an option (`find -exec`).
fn by_operand(usage: &Use, nested: &Nested) -> bool {
    let span = match nested {
        Nested::Argv { span, .. } => *span,
        Nested::Shell { .. } => return false,
    };
    !usage
        .words
        .iter()
        .any(|word| matches!(word.kind, WordKind::Option | WordKind::OptionValue) && word.field.span == span)
}

/// The rule that covers an operand which is a URL, and only for want of knowing it might be the URL of a file.
fn url_cover(
    used: &PathUse,
    effect: &Effect,
    usage: &Use,
    covered: Option<(RuleRef, &PlanRule)>,
) -> Option<RuleRef> {
    let unknown = matches!(used.path, Value::Unknown(_) | Value::Affixed { .. });
    let url = usage.effects.iter().any(|own| {
        own.span == effect.span
            && matches!(&own.kind, EffectKind::Connects(Some(url)) if url.known().is_none())
    });
    covered.filter(|_| unknown && url).map(|(rule, _)| rule)
}

/// Whether the rule that allows a command covers one of its effects.
fn covers_effect(rule: &PlanRule, effect: &Effect) -> bool {
    if rule.everything {
        return true;
    }
    let spelled = rule.options.contains(&effect.from);
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
fn covers_unknown(
    unknown: &Unknown,
    usage: &Use,
    invocation: &Invocation,
    rule: Option<(RuleRef, &PlanRule)>,
) -> bool {
    let Some((_, rule)) = rule else { return false };
    match unknown.kind {
        // What a wrapper would run and is not known may be what another rule forbids.
        UnknownKind::Program | UnknownKind::Stated if usage.wrapper => false,
        // What stands before the subcommand is no part of what the rule's pattern covered.
        UnknownKind::Option => {
            rule.everything || !usage.set_aside.iter().any(|word| word.span == unknown.span)
        }
        UnknownKind::Subcommand | UnknownKind::Value | UnknownKind::Program | UnknownKind::Stated => true,
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
