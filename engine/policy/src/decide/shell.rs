//! Deciding a text for a shell: read, followed, checked, and every command in it decided.

use engine_shell::{
    AccessMode, Context, Count, Directory, Evaluation, Field, Invocation, InvocationKind, Reach, Script,
    SettingScope, Shell, Span, Stdin, Value,
};
use smol_str::SmolStr;

use super::Decider;
use super::command::{Running, settings_of};
use super::path::{Access, Asked, Cover};
use crate::document::{Outcome, Severity};
use crate::effect::Use;
use crate::facts::join_path;
use crate::verdict::{Reported, Request, Why};

/// Where a nested text stands.
pub(super) struct Nesting {
    pub directory: Directory,
    pub stdin: Stdin,
    pub positional: Option<Vec<Field>>,
    pub shell: Shell,
    pub level: usize,
    pub behind_allowed_wrapper: bool,
}

impl Decider<'_> {
    /// A call of the Bash tool.
    pub(super) fn shell_call(&mut self, text: &str) {
        let nesting = Nesting {
            directory: Directory::OneOf(vec![self.facts.directory.into()]),
            stdin: Stdin::Inherited,
            positional: None,
            shell: self.facts.shell,
            level: 0,
            behind_allowed_wrapper: false,
        };
        self.text(text, &nesting);
    }

    /// A text for a shell, at any level.
    pub(super) fn text(&mut self, text: &str, nesting: &Nesting) {
        let limits = self.plan.shell_limits();
        if nesting.level > limits.reevaluations {
            self.refused(&engine_shell::NotUnderstood {
                construct: engine_shell::Construct::TooManyReevaluations,
                span: Span::new(0, text.len()),
            });
            return;
        }
        let script = match engine_shell::parse(text, nesting.shell, limits) {
            Ok(script) => script,
            Err(refusal) => {
                self.checks(text, None, nesting.shell);
                self.refused(&refusal);
                self.over_approximated(text, nesting);
                return;
            }
        };
        self.checks(text, Some(&script), nesting.shell);
        self.vote(text, &script);
        let context = Context {
            shell: nesting.shell,
            limits,
            home: self.facts.home.map(SmolStr::from),
            directory: nesting.directory.clone(),
            variables: Vec::new(),
            positional: nesting.positional.clone(),
            stdin: nesting.stdin.clone(),
            level: nesting.level,
        };
        let evaluation = engine_shell::evaluate(&script, text, &context);
        self.evaluation(&evaluation, text, nesting);
    }

    /// Something that is not understood: at least ask.
    pub(super) fn refused(&mut self, refusal: &engine_shell::NotUnderstood) {
        let finding = engine_shell::finding_of(refusal);
        let number = finding.check.number();
        let outcome = match self.severity(number) {
            Some(Severity::Deny) => Outcome::Deny,
            Some(Severity::Off | Severity::Warn | Severity::Ask) | None => Outcome::Ask,
        };
        self.step(
            Request::Text,
            refusal.span,
            outcome,
            // Within nested text the refusal's own place is one of that text, which nobody outside has.
            Why::NotUnderstood(engine_shell::NotUnderstood {
                span: self.outer.unwrap_or(refusal.span),
                ..refusal.clone()
            }),
            number,
        );
    }

    /// The checks that look at the text itself.
    fn checks(&mut self, text: &str, script: Option<&Script>, shell: Shell) {
        for finding in engine_shell::check_text(text, script, shell) {
            let number = finding.check.number();
            let severity = self.severity(number).unwrap_or(Severity::Ask);
            let span = self.outer.unwrap_or(finding.span);
            let outcome = match severity {
                Severity::Off => continue,
                Severity::Warn => None,
                Severity::Ask => Some(Outcome::Ask),
                Severity::Deny => Some(Outcome::Deny),
            };
            if let Some(outcome) = outcome {
                self.step(
                    Request::Text,
                    span,
                    outcome,
                    Why::Check(finding.message.clone()),
                    number,
                );
            }
            self.findings.push(Reported {
                number,
                name: finding.check.name(),
                severity,
                span,
                message: finding.message,
            });
        }
    }

    /// Asks the second reader, unless the text is so plain that its agreement is proved.
    fn vote(&mut self, text: &str, script: &Script) {
        if script.plain {
            return;
        }
        if let Err(refusal) = engine_shell::vote(text, script) {
            self.refused(&refusal);
        }
    }

    /// A text that the strict parser refuses may still hold what a rule denies: the second reader's commands serve deny rules. None of
    /// its answers can allow, since the text was refused.
    fn over_approximated(&mut self, text: &str, nesting: &Nesting) {
        for words in engine_shell::search(text) {
            let Some(span) = words.first().map(|word| word.span) else {
                continue;
            };
            let invocation = Invocation {
                words,
                kind: InvocationKind::Program,
                span,
                settings: Vec::new(),
                inherited: Vec::new(),
                directory: nesting.directory.clone(),
                stdin: Stdin::Inherited,
                piped_into: Vec::new(),
                captured: false,
                reach: Reach {
                    conditional: true,
                    ..Reach::default()
                },
            };
            self.command(&Running {
                invocation: &invocation,
                text,
                stdin_paths: None,
                settings: Vec::new(),
                behind_allowed_wrapper: nesting.behind_allowed_wrapper,
                readers: Vec::new(),
                level: nesting.level,
            });
        }
    }

    fn evaluation(&mut self, evaluation: &Evaluation, text: &str, nesting: &Nesting) {
        for refusal in &evaluation.refusals {
            self.refused(refusal);
        }
        for setting in &evaluation.settings {
            if setting.scope != SettingScope::Command {
                self.setting_for_shell(setting);
            }
        }
        for access in &evaluation.accesses {
            self.redirection(access);
        }
        for listing in &evaluation.listings {
            self.listing(&listing.field, &listing.directory, Cover::None);
        }
        let mut usages: Vec<Option<Use>> = Vec::with_capacity(evaluation.invocations.len());
        for (index, invocation) in evaluation.invocations.iter().enumerate() {
            let before = self.steps.len();
            let stdin_paths = stdin_paths(invocation, &usages);
            let readers = invocation
                .piped_into
                .iter()
                .filter_map(|&reader| evaluation.invocations.get(reader))
                .filter_map(|reader| reader.words.first().and_then(Field::known))
                .map(|name| name.rsplit('/').next().unwrap_or(name).into())
                .collect();
            let mut numbers = invocation.settings.clone();
            numbers.extend(&invocation.inherited);
            let running = Running {
                invocation,
                text,
                stdin_paths,
                settings: settings_of(evaluation, &numbers),
                behind_allowed_wrapper: nesting.behind_allowed_wrapper,
                readers,
                level: nesting.level,
            };
            let usage = self.command(&running);
            self.settings_for_command(evaluation, &running);
            if invocation.reach.substituted {
                self.label_substitution(before, evaluation, index, text);
            }
            usages.push(usage);
        }
    }

    /// What is not allowed inside a substitution belongs to check 8, or 12 where it makes a commit message.
    fn label_substitution(&mut self, from: usize, evaluation: &Evaluation, index: usize, text: &str) {
        let Some(own) = evaluation
            .invocations
            .get(index)
            .map(|invocation| invocation.span)
        else {
            return;
        };
        let in_commit = evaluation.invocations.iter().any(|outer| {
            outer.span.start <= own.start
                && own.end <= outer.span.end
                && outer.span != own
                && outer.words.first().and_then(Field::known) == Some("git")
                && outer.words.iter().any(|word| word.known() == Some("commit"))
        });
        let number = if in_commit { 12 } else { 8 };
        let strict = self.severity(number) == Some(Severity::Deny);
        let inside = |span: Span| span.end as usize <= text.len();
        for step in self.steps.iter_mut().skip(from) {
            if step.outcome != Outcome::Allow && step.check == 0 && inside(step.span) {
                step.check = number;
                if strict {
                    step.outcome = Outcome::Deny;
                }
            }
        }
    }

    /// A file that a redirection opens. `/dev/tcp/HOST/PORT` is a connection (bash manual, "Redirections").
    fn redirection(&mut self, access: &engine_shell::Access) {
        let network = match &access.path {
            Value::Known(path) => path
                .strip_prefix("/dev/tcp/")
                .or_else(|| path.strip_prefix("/dev/udp/")),
            Value::OneOf(_)
            | Value::Glob(_)
            | Value::Below(_)
            | Value::Affixed { .. }
            | Value::Integer
            | Value::Descriptor
            | Value::Unknown(_) => None,
        };
        if let Some((host, port)) = network.and_then(|rest| rest.split_once('/')) {
            let known = crate::plan::known_host(host, port.parse().ok());
            self.host(known.as_ref(), Some(host), access.span, None);
            return;
        }
        let modes: &[(Access, u8)] = match access.mode {
            AccessMode::Read => &[(Access::Read, 9)],
            AccessMode::Write | AccessMode::Append => &[(Access::Write, 10)],
            AccessMode::ReadWrite => &[(Access::Read, 9), (Access::Write, 10)],
        };
        for &(kind, check) in modes {
            let asked = Asked {
                check,
                ..Asked::one(kind, &access.path, &access.directory, access.span)
            };
            self.path(&asked, Cover::None);
            if kind == Access::Write {
                let places = self.bases(&access.directory, None);
                let targets = self.targets(&access.path, &places);
                self.note_written(targets, false, None);
            }
        }
    }

    /// A command that a command runs.
    #[expect(
        clippy::too_many_arguments,
        reason = "the fields of one nested argv, taken apart by the only caller"
    )]
    pub(super) fn nested_argv(
        &mut self,
        outer: &Running<'_>,
        words: &[Field],
        env: &[(Value, Value)],
        below: Option<&Value>,
        stdin: bool,
        span: Span,
        behind_allowed_wrapper: bool,
    ) {
        if words.is_empty() {
            return;
        }
        let level = outer.level + 1;
        if level > self.plan.shell_limits().reevaluations * 4 {
            self.refused(&engine_shell::NotUnderstood {
                construct: engine_shell::Construct::TooManyReevaluations,
                span,
            });
            return;
        }
        let invocation = Invocation {
            words: words.to_vec(),
            kind: InvocationKind::Program,
            span,
            settings: Vec::new(),
            inherited: Vec::new(),
            directory: self.directory_below(&outer.invocation.directory, below),
            stdin: if stdin {
                outer.invocation.stdin.clone()
            } else {
                Stdin::Empty
            },
            piped_into: Vec::new(),
            captured: outer.invocation.captured,
            reach: Reach {
                conditional: true,
                ..outer.invocation.reach
            },
        };
        let mut settings = outer.settings.clone();
        for (name, value) in env {
            if let Some(name) = name.known() {
                settings.push((name.into(), value.clone()));
            }
        }
        let running = Running {
            invocation: &invocation,
            text: outer.text,
            stdin_paths: if stdin { outer.stdin_paths.clone() } else { None },
            settings,
            behind_allowed_wrapper,
            readers: outer.readers.clone(),
            level,
        };
        if running.invocation.words.first().and_then(Field::known).is_none() {
            self.step(
                Request::Command("a program that is not known".into()),
                span,
                Outcome::Ask,
                Why::Unknown("the program that is run is not known".to_owned()),
                5,
            );
        }
        self.command(&running);
    }

    /// A text that a command gives to a shell.
    pub(super) fn nested_shell(
        &mut self,
        outer: &Running<'_>,
        text: &Field,
        positional: &[Field],
        shell: &str,
        below: Option<&Value>,
        span: Span,
    ) {
        let known = match (&text.value, text.count) {
            (Value::Known(known), Count::One) => known.clone(),
            _ => {
                self.refused(&engine_shell::NotUnderstood {
                    construct: engine_shell::Construct::DynamicEvaluation,
                    span,
                });
                return;
            }
        };
        let nesting = Nesting {
            directory: self.directory_below(&outer.invocation.directory, below),
            stdin: detached(&outer.invocation.stdin),
            positional: if positional.is_empty() {
                None
            } else {
                Some(positional.to_vec())
            },
            shell: match shell {
                "zsh" => Shell::Zsh,
                "bash" => Shell::Bash,
                // What `sh` is differs from machine to machine; what POSIX shells read alike is accepted.
                _ => Shell::Sh,
            },
            level: outer.level + 1,
            behind_allowed_wrapper: false,
        };
        let saved = self.outer;
        self.outer = Some(saved.unwrap_or(text.span));
        self.text(&known, &nesting);
        self.outer = saved;
    }

    /// The directory of a nested command.
    fn directory_below(&self, directory: &Directory, below: Option<&Value>) -> Directory {
        let Some(below) = below else {
            return directory.clone();
        };
        let places: Option<Vec<SmolStr>> = self.bases(directory, Some(below)).into_iter().collect();
        match places {
            Some(places) if !places.is_empty() => {
                Directory::OneOf(places.iter().map(|place| join_path(place, "")).collect())
            }
            Some(_) | None => Directory::Unknown(engine_shell::Origin::Variable),
        }
    }
}

/// Standard input as a text of its own sees it: the numbers of the commands that write there mean nothing in it.
fn detached(stdin: &Stdin) -> Stdin {
    match stdin {
        Stdin::Pipe(_) => Stdin::Pipe(Vec::new()),
        Stdin::Inherited | Stdin::Empty | Stdin::File(_) | Stdin::Text(_) | Stdin::Script => stdin.clone(),
    }
}

/// What paths a command reads on its standard input, if every command that writes there prints paths only.
fn stdin_paths(invocation: &Invocation, usages: &[Option<Use>]) -> Option<Value> {
    let Stdin::Pipe(writers) = &invocation.stdin else {
        return None;
    };
    let mut found: Option<Value> = None;
    // Nobody known writes there: a pipe from outside this text.
    for &writer in writers {
        let paths = usages.get(writer)?.as_ref()?.prints_paths.clone()?;
        match &found {
            None => found = Some(paths),
            Some(own) if *own == paths => {}
            Some(_) => return None,
        }
    }
    found
}
