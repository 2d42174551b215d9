//! Command and process substitution.

use smol_str::SmolStr;

use crate::{
    Argument, Command, CommandKind, Construct, List, Origin, Pipeline, Redirect, RedirectKind, Simple, Span,
    Statement, Value,
};

use super::state::{Channel, Variable};
use super::{Env, Evaluator, PendingPipe};

impl Evaluator<'_> {
    /// Runs what is in `$( )` and gives what it prints, without the newlines at the end.
    pub(super) fn substitution(&mut self, list: &List, span: Span, mut env: Env<'_>) -> Value {
        if !self.step(1, env.span(span)) {
            return Value::Unknown(Origin::Substitution);
        }
        env.reach.substituted = true;
        self.check_printed(list, env.span(span));
        let simple = self.only_printer(list);
        let mut output = None;
        self.isolated(|inner| {
            inner.hide_prefix();
            inner.state.connect(1, Channel::Captured);
            inner.output = None;
            let failure = inner.list(list, env);
            output = inner.output.take().filter(|_| simple);
            inner.settle(failure);
        });
        match output {
            Some(Value::Known(text)) => Value::Known(text.trim_end_matches('\n').into()),
            Some(Value::OneOf(texts)) => {
                let trimmed: Vec<SmolStr> = texts.iter().map(|t| t.trim_end_matches('\n').into()).collect();
                Value::one_of(trimmed, self.set_values())
            }
            Some(Value::Integer) => Value::Integer,
            Some(
                Value::Glob(_)
                | Value::Below(_)
                | Value::Affixed { .. }
                | Value::Descriptor
                | Value::Unknown(_),
            )
            | None => Value::Unknown(Origin::Substitution),
        }
    }

    /// bash prints the commands of a substitution and reads them again, and loses separators after a here-document. Only a
    /// here-document of simple commands in one statement survives.
    fn check_printed(&mut self, list: &List, span: Span) {
        if !holds_here_document(list) {
            return;
        }
        let simple = |p: &Pipeline| p.stages.iter().all(|c| matches!(c.kind, CommandKind::Simple(_)));
        let [
            Statement {
                first,
                rest,
                background: false,
                ..
            },
        ] = list.statements.as_slice()
        else {
            self.refuse(Construct::HeredocInSubstitution, span);
            return;
        };
        if !simple(first) || !rest.iter().all(|(_, p)| simple(p)) {
            self.refuse(Construct::HeredocInSubstitution, span);
        }
    }

    /// Assignments before the command that is being expanded are not seen inside of a substitution.
    fn hide_prefix(&mut self) {
        for (name, old) in std::mem::take(&mut self.prefixed) {
            let old = old.unwrap_or_else(Variable::environment);
            let joined = self.lookup(&name).join(&old, self.set_values());
            self.state.change().set(&name, joined);
            self.prefixed.push((name, Some(old)));
        }
    }

    /// Whether a substitution is one command of those whose output is known from its words: `pwd`, `echo` and `printf`
    /// without redirections, and `cat` of one here-document.
    fn only_printer(&self, list: &List) -> bool {
        let [statement] = list.statements.as_slice() else {
            return false;
        };
        let [stage] = statement.first.stages.as_slice() else {
            return false;
        };
        !statement.background && statement.rest.is_empty() && !statement.first.timed && self.is_printer(stage)
    }

    /// Whether a command is one of those whose output is known from its words.
    pub(super) fn is_printer(&self, stage: &Command) -> bool {
        let CommandKind::Simple(Simple { assignments, words }) = &stage.kind else {
            return false;
        };
        let Some(text) = literal_name(words) else {
            return false;
        };
        if !assignments.is_empty() || self.state.data.function(text).is_some() {
            return false;
        }
        match text {
            "pwd" | "echo" | "printf" => stage.redirects.is_empty(),
            "cat" => {
                words.len() == 1
                    && matches!(
                        stage.redirects.as_slice(),
                        [Redirect {
                            fd: None | Some(0),
                            kind: RedirectKind::HereDocument(_),
                            ..
                        }]
                    )
            }
            _ => false,
        }
    }

    /// Runs what is in `<( )` or `>( )`; the command around it gets the other end when it is known.
    pub(super) fn process_substitution(&mut self, list: &List, read: bool, mut env: Env<'_>) -> u32 {
        env.reach.substituted = true;
        let pipe = self.new_pipe();
        let first = self.out.invocations.len();
        let outer = std::mem::take(&mut self.pending);
        self.check_printed(list, env.span(list.span));
        self.isolated(|inner| {
            inner.hide_prefix();
            if read {
                inner.state.connect(1, Channel::Into(pipe));
            } else {
                inner.state.connect(0, Channel::FromLater(pipe));
            }
            let failure = inner.list(list, env);
            inner.settle(failure);
        });
        self.pending = outer;
        let end = self.out.invocations.len();
        self.pending.push(PendingPipe {
            pipe,
            first,
            end,
            read,
        });
        pipe
    }
}

/// The command word where it is plain text.
fn literal_name(words: &[Argument]) -> Option<&str> {
    match words.first()? {
        Argument::Word(word) => word.plain(),
        Argument::Assignment(_) => None,
    }
}

/// Whether a command that prints what its words say ends it with a newline of its own.
pub(super) fn ends_line(stage: &Command) -> bool {
    matches!(
        &stage.kind,
        CommandKind::Simple(simple) if matches!(literal_name(&simple.words), Some("echo" | "pwd"))
    )
}

/// Whether a here-document stands in a list, outside of substitutions, which are printed as they were written.
fn holds_here_document(list: &List) -> bool {
    list.statements.iter().any(|statement| {
        let pipelines = std::iter::once(&statement.first).chain(statement.rest.iter().map(|(_, p)| p));
        pipelines.flat_map(|p| &p.stages).any(command_holds_here_document)
    })
}

fn command_holds_here_document(command: &Command) -> bool {
    command
        .redirects
        .iter()
        .any(|r| matches!(r.kind, RedirectKind::HereDocument(_)))
        || match &command.kind {
            CommandKind::Simple(_) | CommandKind::Condition(_) | CommandKind::Arithmetic(_) => false,
            CommandKind::Group(list) | CommandKind::Subshell(list) => holds_here_document(list),
            CommandKind::If { branches, otherwise } => {
                branches
                    .iter()
                    .any(|(c, b)| holds_here_document(c) || holds_here_document(b))
                    || otherwise.as_ref().is_some_and(holds_here_document)
            }
            CommandKind::While { condition, body, .. } => {
                holds_here_document(condition) || holds_here_document(body)
            }
            CommandKind::For { body, .. } | CommandKind::ForArithmetic { body, .. } => {
                holds_here_document(body)
            }
            CommandKind::Case { clauses, .. } => clauses.iter().any(|c| holds_here_document(&c.body)),
            CommandKind::Function { body, .. } => command_holds_here_document(body),
        }
}
