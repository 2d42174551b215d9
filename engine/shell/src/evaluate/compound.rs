//! Compound commands: groups, conditionals, loops, cases and function definitions.
//!
//! Invariant (loops reach a fixpoint): the last round of a loop body starts from a state that stands for every state any
//! round may start from; only what that round finds is kept.

use std::rc::Rc;

use smol_str::SmolStr;

use crate::{
    Arithmetic, CaseClause, CaseEnd, Command, CommandKind, Construct, Count, List, Name, Span, Value, Word,
};

use super::assign::Target;
use super::state::{Content, Function, FunctionBinding, State};
use super::{Env, Evaluator, Failure, Frame, PendingPipe};

/// Rounds after which a loop that still changes is given up; widening makes all others stable before.
const MOST_ROUNDS: usize = 8;

impl Evaluator<'_> {
    pub(super) fn command(&mut self, command: &Command, env: Env<'_>) -> Failure {
        if !self.step(1, env.span(command.span)) {
            return None;
        }
        if self.depth >= self.context.limits.depth.saturating_mul(2) {
            self.refuse(Construct::TooDeep, env.span(command.span));
            return None;
        }
        self.depth += 1;
        let outer = std::mem::take(&mut self.pending);
        let first = self.out.invocations.len();
        let failure = if let CommandKind::Simple(simple) = &command.kind {
            self.simple(command, simple, env)
        } else if command.redirects.is_empty() {
            self.compound(&command.kind, env)
        } else {
            let start = self.state.clone();
            let before = Rc::clone(&start.descriptors);
            let fails = self.redirects(&command.redirects, env);
            let mut inner = env;
            inner.branch += usize::from(fails);
            let mut failure = self.compound(&command.kind, inner);
            if let Some(failed) = &mut failure {
                failed.descriptors = Rc::clone(&before);
            }
            self.state.descriptors = before;
            if fails {
                let failed = failure.unwrap_or_else(|| self.state.clone());
                let failed = self.join(failed, start);
                self.distinct(failed)
            } else {
                failure
            }
        };
        if !self.pending.is_empty() {
            let pending = std::mem::take(&mut self.pending);
            self.connect_pending(&pending, first);
        }
        self.pending = outer;
        self.depth -= 1;
        failure
    }

    /// Joins process substitutions with the command around them, whose invocations begin at `first`.
    fn connect_pending(&mut self, pending: &[PendingPipe], first: usize) {
        let end = self.out.invocations.len();
        let inside = |i: usize| pending.iter().any(|p| (p.first..p.end).contains(&i));
        let around: Vec<usize> = (first..end).filter(|i| !inside(*i)).collect();
        for piece in pending {
            let of_pipe = |all: &[(u32, usize)]| -> Vec<usize> {
                all.iter()
                    .filter(|(p, _)| *p == piece.pipe)
                    .map(|(_, i)| *i)
                    .collect()
            };
            if piece.read {
                for writer in of_pipe(&self.writers) {
                    self.links.extend(around.iter().map(|reader| (writer, *reader)));
                }
            } else {
                let mut writers = of_pipe(&self.writers);
                writers.extend(&around);
                writers.sort_unstable();
                writers.dedup();
                for reader in of_pipe(&self.readers) {
                    self.links.extend(writers.iter().map(|writer| (*writer, reader)));
                    if let Some(invocation) = self.out.invocations.get_mut(reader) {
                        invocation.stdin = crate::Stdin::Pipe(writers.clone());
                    }
                }
            }
        }
    }

    fn compound(&mut self, kind: &CommandKind, env: Env<'_>) -> Failure {
        match kind {
            CommandKind::Simple(_) => None,
            CommandKind::Group(list) => self.list(list, env),
            CommandKind::Subshell(list) => {
                self.isolated(|inner| {
                    let failure = inner.list(list, env);
                    inner.settle(failure);
                });
                None
            }
            CommandKind::If { branches, otherwise } => self.branches(branches, otherwise.as_ref(), env),
            CommandKind::While {
                until,
                condition,
                body,
            } => {
                self.repeat(condition.span, env, |ev, env| {
                    let failed = ev.list(condition, env).unwrap_or_else(|| ev.state.clone());
                    let exit = if *until {
                        std::mem::replace(&mut ev.state, failed)
                    } else {
                        failed
                    };
                    let failure = ev.list(body, env.conditional());
                    ev.settle(failure);
                    Some(exit)
                });
                None
            }
            CommandKind::For { name, words, body } => {
                self.for_words(name, words.as_deref(), body, env);
                None
            }
            CommandKind::ForArithmetic { header, body } => {
                self.for_arithmetic(header, body, env);
                None
            }
            CommandKind::Case { subject, clauses } => {
                self.case(subject, clauses, env);
                None
            }
            CommandKind::Function { name, body } => {
                self.define(name, body, env);
                None
            }
            CommandKind::Condition(condition) => {
                self.condition(condition, env);
                None
            }
            CommandKind::Arithmetic(arithmetic) => {
                self.arithmetic(arithmetic, env);
                None
            }
        }
    }

    fn branches(&mut self, branches: &[(List, List)], otherwise: Option<&List>, env: Env<'_>) -> Failure {
        let mut env = env;
        let mut done: Option<State> = None;
        for (condition, body) in branches {
            let failed = self.list(condition, env).unwrap_or_else(|| self.state.clone());
            let failure = self.list(body, env.conditional());
            self.settle(failure);
            let now = std::mem::replace(&mut self.state, failed);
            done = self.join_option(done, Some(now));
            env = env.conditional();
        }
        if let Some(body) = otherwise {
            let failure = self.list(body, env);
            self.settle(failure);
        }
        self.settle(done);
        None
    }

    /// Evaluates a loop. `round` goes once through head and body from the current state and returns the state in which the
    /// loop is left at its head, or `None` where that is the state at the head itself.
    fn repeat(
        &mut self,
        span: Span,
        mut env: Env<'_>,
        mut round: impl FnMut(&mut Self, Env<'_>) -> Option<State>,
    ) -> State {
        env.reach.looped = true;
        let mut head = self.state.clone();
        let mut rounds = 0;
        loop {
            let mark = self.mark();
            self.frames.push(Frame::Loop { leaves: None });
            self.state = head.clone();
            let exit = round(self, env);
            let leaves = match self.frames.pop() {
                Some(Frame::Loop { leaves }) => leaves,
                Some(Frame::Function { .. } | Frame::Subshell) | None => None,
            };
            let end = self.state.clone();
            let again = match &leaves {
                Some(left) => self.join(end, left.clone()),
                None => end,
            };
            let next = self.join(head.clone(), again.clone());
            rounds += 1;
            let stable = next.same(&head) || next == head;
            if !stable && rounds < MOST_ROUNDS && self.step(1, env.span(span)) {
                self.roll_back(mark);
                head = if rounds > 1 { next.widen(&head) } else { next };
                continue;
            }
            if !stable {
                self.refuse(Construct::TooManySteps, env.span(span));
            }
            self.state = exit.unwrap_or_else(|| next.clone());
            self.settle(leaves);
            return again;
        }
    }

    fn for_words(&mut self, name: &Name, words: Option<&[Word]>, body: &List, env: Env<'_>) {
        let fields = match words {
            Some(words) => {
                let fields = self.fields(words, env);
                self.look_up(&fields);
                fields
            }
            None => self.positional_fields(env.span(name.span)),
        };
        let Some(value) = self.each_of(&fields) else {
            // Nothing to go through; the body is still shown to deny rules.
            let before = self.state.clone();
            self.assign_loop_variable(name, Value::EMPTY, env);
            let failure = self.list(body, env.conditional());
            self.settle(failure);
            self.state = before;
            return;
        };
        let certain = fields.iter().any(|f| f.count != Count::Any);
        let inner = if certain { env } else { env.conditional() };
        let end = self.repeat(name.span, inner, |ev, env| {
            ev.assign_loop_variable(name, value.clone(), env);
            let failure = ev.list(body, env);
            ev.settle(failure);
            None
        });
        if certain {
            // The body has run at least once, so the loop is left from its end; `end` holds what `break` left too.
            self.state = end;
        }
    }

    fn assign_loop_variable(&mut self, name: &Name, value: Value, env: Env<'_>) {
        self.assign(
            &name.text,
            Content::Scalar(value),
            Target::shell(env.span(name.span)),
            env,
        );
    }

    fn for_arithmetic(&mut self, header: &[Option<Arithmetic>; 3], body: &List, env: Env<'_>) {
        let [first, condition, step] = header;
        if let Some(first) = first {
            self.arithmetic(first, env);
        }
        self.repeat(body.span, env, |ev, env| {
            if let Some(condition) = condition {
                ev.arithmetic(condition, env);
            }
            let exit = ev.state.clone();
            let failure = ev.list(body, env.conditional());
            ev.settle(failure);
            // `continue` goes on here.
            if let Some(Frame::Loop { leaves: Some(left) }) = ev.frames.last() {
                let left = left.clone();
                ev.settle(Some(left));
            }
            if let Some(step) = step {
                ev.arithmetic(step, env.conditional());
            }
            Some(exit)
        });
    }

    fn case(&mut self, subject: &Word, clauses: &[CaseClause], env: Env<'_>) {
        self.single(subject, env);
        let mut done: Option<State> = None;
        let mut fallen: Option<State> = None;
        for clause in clauses {
            for pattern in &clause.patterns {
                self.single(pattern, env.conditional());
            }
            let unmatched = self.state.clone();
            self.settle(fallen.take());
            let failure = self.list(&clause.body, env.conditional());
            self.settle(failure);
            let now = std::mem::replace(&mut self.state, unmatched);
            match clause.end {
                CaseEnd::Break => done = self.join_option(done, Some(now)),
                CaseEnd::FallThrough | CaseEnd::TestNext => {
                    if clause.end == CaseEnd::TestNext {
                        done = self.join_option(done, Some(now.clone()));
                    }
                    fallen = Some(now);
                }
            }
        }
        done = self.join_option(done, fallen);
        self.settle(done);
    }

    fn define(&mut self, name: &Name, body: &Command, env: Env<'_>) {
        let key = (env.text_id, body.span);
        if calls_by_itself(&name.text) {
            self.refuse(Construct::FunctionName, env.span(name.span));
        }
        let known = self.functions.iter().find(|f| f.key == key).map(Rc::clone);
        let function = known.unwrap_or_else(|| {
            // Text 0 is the one that was asked about and is not kept.
            let kept = (env.text_id as usize)
                .checked_sub(1)
                .and_then(|at| self.texts.get(at));
            let made = Rc::new(Function {
                name: name.text.clone(),
                key,
                body: body.clone(),
                text: kept.map_or_else(|| env.text.into(), Rc::clone),
                remap: env.remap,
                reevaluated: env.reach.reevaluated,
            });
            self.functions.push(Rc::clone(&made));
            made
        });
        self.bind_function(&name.text, function);
    }

    fn bind_function(&mut self, name: &SmolStr, function: Rc<Function>) {
        let functions = &mut self.state.change().functions;
        functions.retain(|f| f.name != *name);
        functions.push(FunctionBinding {
            name: name.clone(),
            bodies: vec![function],
            maybe_absent: false,
        });
    }
}

/// Functions that the shell calls without their name in the text.
fn calls_by_itself(name: &str) -> bool {
    matches!(
        name,
        "command_not_found_handle"
            | "command_not_found_handler"
            | "chpwd"
            | "precmd"
            | "preexec"
            | "periodic"
            | "zshaddhistory"
            | "zshexit"
    ) || name.starts_with("TRAP")
}
