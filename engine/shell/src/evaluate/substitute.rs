//! Command and process substitution.

use smol_str::SmolStr;

use crate::{
    Argument, CommandKind, List, Origin, Part, PartKind, Redirect, RedirectKind, Simple, Span, Value, Word,
};

use super::state::Channel;
use super::{Env, Evaluator, PendingPipe};

impl Evaluator<'_> {
    /// Runs what is in `$( )` and gives what it prints, without the newlines at the end.
    pub(super) fn substitution(&mut self, list: &List, span: Span, mut env: Env<'_>) -> Value {
        if !self.step(1, env.span(span)) {
            return Value::Unknown(Origin::Substitution);
        }
        env.reach.substituted = true;
        let simple = self.only_printer(list);
        let mut output = None;
        self.isolated(|inner| {
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

    /// Whether a substitution is one command of those whose output is known from its words: `pwd`, `echo` and `printf`
    /// without redirections, and `cat` of one here-document.
    fn only_printer(&self, list: &List) -> bool {
        let [statement] = list.statements.as_slice() else {
            return false;
        };
        let [stage] = statement.first.stages.as_slice() else {
            return false;
        };
        if statement.background || !statement.rest.is_empty() || statement.first.timed {
            return false;
        }
        let CommandKind::Simple(Simple { assignments, words }) = &stage.kind else {
            return false;
        };
        let Some(Argument::Word(Word { parts, .. })) = words.first() else {
            return false;
        };
        let [
            Part {
                kind: PartKind::Literal { text, .. },
                ..
            },
        ] = parts.as_slice()
        else {
            return false;
        };
        if !assignments.is_empty() || self.state.data.function(text).is_some() {
            return false;
        }
        match text.as_str() {
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
        self.isolated(|inner| {
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
