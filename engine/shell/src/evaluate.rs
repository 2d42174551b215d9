//! Abstract evaluation: what a script may run, open and set, following it the way the shell would.
//!
//! Invariant (nothing unpredicted): each branch that the shell may take is evaluated from a state that stands for every
//! state the shell may be in there; what cannot be followed is a refusal, and then nothing can be allowed. After a refusal
//! the evaluation goes on as well as it can, since the rest still serves deny rules.
//! Invariant (bounded): the work is bounded by [`Limits::steps`](crate::Limits::steps), the nesting by twice
//! [`Limits::depth`](crate::Limits::depth). This module does no I/O.

use std::cell::Cell;
use std::rc::Rc;

use smol_str::{SmolStr, format_smolstr};

use crate::{
    Command, Construct, Context, Evaluation, Field, Invocation, InvocationKind, Joiner, List, NotUnderstood,
    Pipeline, Reach, Script, Setting, SettingScope, Shell, Span, Statement, Stdin, Value, parse,
};

use crate::value::is_integer;
use state::{Channel, Content, Data, Function, JoinRules, Presence, State, Text, Variable};

mod arithmetic;
mod assign;
mod builtin;
mod call;
mod compound;
mod condition;
mod expand;
mod fields;
mod names;
mod operator;
mod parameter;
mod pattern;
mod redirect;
mod simple;
mod spelling;
mod state;
mod substitute;
mod traps;

#[cfg(test)]
mod tests;

/// Follows a script. `text` is what it was parsed from; spans point into it.
#[must_use]
pub fn evaluate(script: &Script, text: &str, context: &Context<'_>) -> Evaluation {
    let mut evaluator = Evaluator::new(context);
    let env = Env {
        text,
        text_id: 0,
        remap: None,
        reach: Reach {
            reevaluated: context.level > 0,
            ..Reach::default()
        },
        branch: 0,
    };
    let failure = evaluator.list(&script.body, env);
    evaluator.settle(failure);
    evaluator.traps(env);
    evaluator.finish()
}

/// Parses a text and follows it. A text that is not understood gives an evaluation with that refusal alone.
///
/// ```
/// use engine_shell::{Context, Directory, Limits, Shell, Stdin, evaluate_text};
///
/// let context = Context {
///     shell: Shell::Bash,
///     limits: &Limits::DEFAULT,
///     home: Some("/home/dev".into()),
///     directory: Directory::OneOf(vec!["/project".into()]),
///     variables: Vec::new(),
///     positional: None,
///     stdin: Stdin::Inherited,
///     level: 0,
/// };
/// let found = evaluate_text("x=status; git $x", &context);
/// let words: Vec<_> = found.invocations[0].words.iter().map(|f| f.known().unwrap()).collect();
/// assert_eq!(words, ["git", "status"]);
/// assert!(found.refusals.is_empty());
/// ```
#[must_use]
pub fn evaluate_text(text: &str, context: &Context<'_>) -> Evaluation {
    match parse(text, context.shell, context.limits) {
        Ok(script) => evaluate(&script, text, context),
        Err(refusal) => Evaluation {
            refusals: vec![refusal],
            ..Evaluation::default()
        },
    }
}

/// The failure state of what was just evaluated, where it differs from the success state in [`Evaluator::state`].
type Failure = Option<State>;

/// The place that is evaluated.
#[derive(Clone, Copy, Debug)]
struct Env<'t> {
    /// The text the syntax was parsed from.
    text: &'t str,
    /// Which text; 0 is the one that was asked about.
    text_id: u32,
    /// For text that is evaluated again: the words it came from.
    remap: Option<Span>,
    /// How it is reached.
    reach: Reach,
    /// Conditions around it, counted.
    branch: usize,
}

impl Env<'_> {
    /// A span as the caller sees it.
    fn span(&self, span: Span) -> Span {
        self.remap.unwrap_or(span)
    }

    /// The same place, where it depends on a status.
    fn conditional(mut self) -> Self {
        self.reach.conditional = true;
        self.branch += 1;
        self
    }
}

/// What `break`, `continue` and `return` look for.
#[derive(Debug)]
enum Frame {
    /// States in which a loop may be left or begun again from inside.
    Loop { leaves: Option<State> },
    /// A function: states in which it may return, variables to put back, and who it is.
    Function {
        returns: Option<State>,
        locals: Vec<assign::Local>,
        body: Rc<Function>,
        branch: usize,
    },
    /// A subshell: nothing inside leaves what is outside.
    Subshell,
}

/// A process substitution whose other end is the command around it.
#[derive(Clone, Debug)]
struct PendingPipe {
    pipe: u32,
    first: usize,
    end: usize,
    /// The command around it reads what the substitution writes.
    read: bool,
}

/// Where the lists were, to take back what a round of a loop added.
#[derive(Clone, Copy, Debug)]
struct Mark {
    invocations: usize,
    accesses: usize,
    listings: usize,
    refusals: usize,
    links: usize,
    writers: usize,
    readers: usize,
    traps: usize,
}

/// The evaluation in progress.
#[derive(Debug)]
struct Evaluator<'a> {
    context: &'a Context<'a>,
    out: Evaluation,
    state: State,
    steps: usize,
    /// Where the steps ran out.
    exhausted: Option<Span>,
    depth: usize,
    frames: Vec<Frame>,
    /// Pairs of writer and reader of a pipe.
    links: Vec<(usize, usize)>,
    /// Pipes and the invocations that may write to them.
    writers: Vec<(u32, usize)>,
    /// Pipes with later writers and the invocations that read from them.
    readers: Vec<(u32, usize)>,
    pipes: u32,
    pending: Vec<PendingPipe>,
    traps: Vec<traps::Trap>,
    /// Texts that were evaluated again, so that functions in them keep one identity.
    texts: Vec<Rc<str>>,
    functions: Vec<Rc<Function>>,
    level: usize,
    /// The directory changed somewhere.
    moved: bool,
    /// What the last command writes, where that is known.
    output: Option<Value>,
    /// Assignments before the command that is being expanded, with what they hide.
    prefixed: Vec<(SmolStr, Option<Variable>)>,
    /// `exec` without a command keeps its redirections.
    keep_descriptors: bool,
    /// The word that is being expanded has a pattern in it.
    globs: Cell<bool>,
}

impl<'a> Evaluator<'a> {
    fn new(context: &'a Context<'a>) -> Self {
        let mut data = Data {
            variables: Vec::new(),
            functions: Vec::new(),
            positional: context
                .positional
                .as_ref()
                .map(|p| Rc::new(p.iter().skip(1).cloned().collect())),
            directory: context.directory.clone(),
            stack: Some(Vec::new()),
            exported: Vec::new(),
            background: false,
        };
        for (name, value) in &context.variables {
            data.set(name, Variable::scalar(value.clone()));
        }
        let mut descriptors = Vec::new();
        if let Stdin::Text(value) = &context.stdin {
            let text = Text::new(value.clone(), [].into(), 0, Reach::default());
            descriptors.push((0, Channel::Text(text)));
        }
        Self {
            context,
            out: Evaluation::default(),
            state: State {
                data: Rc::new(data),
                descriptors: Rc::new(descriptors),
                dead: false,
            },
            steps: 0,
            exhausted: None,
            depth: 0,
            frames: Vec::new(),
            links: Vec::new(),
            writers: Vec::new(),
            readers: Vec::new(),
            pipes: 0,
            pending: Vec::new(),
            traps: Vec::new(),
            texts: Vec::new(),
            functions: Vec::new(),
            level: context.level,
            moved: false,
            output: None,
            prefixed: Vec::new(),
            keep_descriptors: false,
            globs: Cell::new(false),
        }
    }

    /// Puts the pipes together and hands over.
    fn finish(mut self) -> Evaluation {
        if let Some(span) = self.exhausted {
            self.refuse(Construct::TooManySteps, span);
        } else if self.steps > self.context.limits.steps {
            self.refuse(Construct::TooManySteps, Span::default());
        }
        self.links.sort_unstable();
        self.links.dedup();
        for (writer, reader) in self.links {
            if let Some(invocation) = self.out.invocations.get_mut(writer)
                && writer != reader
            {
                invocation.piped_into.push(reader);
            }
        }
        self.out
    }

    fn shell(&self) -> Shell {
        self.context.shell
    }

    /// Counts work; false when the limit is reached, which is then a refusal.
    fn step(&mut self, weight: usize, span: Span) -> bool {
        self.steps = self.steps.saturating_add(weight.max(1));
        if self.steps <= self.context.limits.steps {
            return true;
        }
        if self.exhausted.is_none() {
            self.exhausted = Some(span);
            self.refuse(Construct::TooManySteps, span);
        }
        false
    }

    /// Counts the work that a value's texts make.
    fn step_value(&mut self, value: &Value, span: Span) -> bool {
        let bytes: usize = value.texts().unwrap_or_default().iter().map(SmolStr::len).sum();
        bytes < 256 || self.step(bytes / 256, span)
    }

    fn refuse(&mut self, construct: Construct, span: Span) {
        let refusal = NotUnderstood { construct, span };
        if !self.out.refusals.contains(&refusal) {
            self.out.refusals.push(refusal);
        }
    }

    fn set_values(&self) -> usize {
        self.context.limits.set_values
    }

    fn join(&mut self, a: State, b: State) -> State {
        if a.same(&b) {
            return a;
        }
        self.steps = self.steps.saturating_add((a.weight() + b.weight()) / 8);
        let rules = JoinRules {
            set_values: self.set_values(),
            home: self.context.home.as_ref(),
        };
        a.join(b, rules)
    }

    fn join_option(&mut self, a: Option<State>, b: Option<State>) -> Option<State> {
        match (a, b) {
            (Some(a), Some(b)) => Some(self.join(a, b)),
            (a, b) => a.or(b),
        }
    }

    /// Goes on whatever the status was.
    fn settle(&mut self, failure: Failure) {
        if let Some(failed) = failure {
            let now = self.state.clone();
            self.state = self.join(now, failed);
        }
    }

    /// The failure state as such, or `None` where it is the success state.
    fn distinct(&self, failed: State) -> Failure {
        (!failed.same(&self.state)).then_some(failed)
    }

    fn lookup(&self, name: &str) -> Variable {
        self.state.data.lookup(name, self.context.home.as_ref())
    }

    fn mark(&self) -> Mark {
        Mark {
            invocations: self.out.invocations.len(),
            accesses: self.out.accesses.len(),
            listings: self.out.listings.len(),
            refusals: self.out.refusals.len(),
            links: self.links.len(),
            writers: self.writers.len(),
            readers: self.readers.len(),
            traps: self.traps.len(),
        }
    }

    /// Takes back what was found since the mark. Settings stay, since states name them by index.
    fn roll_back(&mut self, mark: Mark) {
        self.out.invocations.truncate(mark.invocations);
        self.out.accesses.truncate(mark.accesses);
        self.out.listings.truncate(mark.listings);
        self.out.refusals.truncate(mark.refusals);
        self.links.truncate(mark.links);
        self.writers.truncate(mark.writers);
        self.readers.truncate(mark.readers);
        self.traps.truncate(mark.traps);
    }

    /// Records a setting and gives its index; the same one found again in a later round of a loop keeps its index.
    fn setting(
        &mut self,
        name: &SmolStr,
        value: Value,
        scope: SettingScope,
        span: Span,
        env: Env<'_>,
    ) -> usize {
        let setting = Setting {
            name: name.clone(),
            value,
            scope,
            span,
        };
        if env.reach.looped
            && let Some(at) = self.out.settings.iter().position(|s| *s == setting)
        {
            return at;
        }
        self.out.settings.push(setting);
        self.out.settings.len() - 1
    }

    /// Records a command that may run.
    fn push(
        &mut self,
        words: Vec<Field>,
        kind: InvocationKind,
        span: Span,
        settings: Vec<usize>,
        env: Env<'_>,
    ) {
        let index = self.out.invocations.len();
        let links = self.links.len();
        let state = &self.state;
        let loops = self.loops();
        let mut captured = false;
        let mut stdin = self.context.stdin.clone();
        for (fd, channel) in state.descriptors.iter() {
            match channel {
                Channel::Captured if *fd > 0 => captured = true,
                Channel::Into(pipe) if *fd > 0 => self.writers.push((*pipe, index)),
                Channel::Nothing if *fd == 0 => stdin = Stdin::Empty,
                Channel::File(value) if *fd == 0 => stdin = Stdin::File(value.clone()),
                Channel::Text(text) if *fd == 0 => {
                    self.links.extend(text.writers.iter().map(|w| (*w, index)));
                    stdin = text.stdin(loops, env.reach);
                }
                Channel::From(writers) if *fd == 0 => {
                    self.links.extend(writers.iter().map(|w| (*w, index)));
                    stdin = Stdin::Pipe(writers.to_vec());
                }
                Channel::FromLater(pipe) if *fd == 0 => {
                    self.readers.push((*pipe, index));
                    stdin = Stdin::Pipe(Vec::new());
                }
                Channel::Inherited
                | Channel::Nothing
                | Channel::File(_)
                | Channel::Text(_)
                | Channel::From(_)
                | Channel::FromLater(_)
                | Channel::Into(_)
                | Channel::Captured => {}
            }
        }
        // Through which descriptor a command reads is not looked at.
        if reads_input(&words, kind) {
            for (_, channel) in state.descriptors.iter() {
                if let Channel::Text(text) = channel {
                    text.mark_read();
                }
            }
        }
        self.output = None;
        self.out.invocations.push(Invocation {
            words,
            kind,
            span,
            settings,
            inherited: state.data.exported.iter().map(|(_, i)| *i).collect(),
            directory: state.data.directory.clone(),
            stdin,
            piped_into: Vec::new(),
            captured,
            reach: env.reach,
        });
        self.steps = self.steps.saturating_add((self.links.len() - links) / 8);
    }

    /// The invocations since `mark` that may write to a pipe.
    fn writers_of(&self, pipe: u32, mark: usize) -> Channel {
        let since = self.writers.get(mark..).unwrap_or_default();
        let mut found: Vec<usize> = since
            .iter()
            .filter(|(p, _)| *p == pipe)
            .map(|(_, i)| *i)
            .collect();
        found.dedup();
        Channel::From(found.into())
    }

    /// Loops around this place, those of the callers of a function included.
    fn loops(&self) -> usize {
        let loops = self.frames.iter().filter(|f| matches!(f, Frame::Loop { .. }));
        loops.count()
    }

    /// A descriptor to read a known text from.
    fn text_channel(&self, value: Value, writers: Rc<[usize]>, env: Env<'_>) -> Channel {
        Channel::Text(Text::new(value, writers, self.loops(), env.reach))
    }

    fn new_pipe(&mut self) -> u32 {
        self.pipes += 1;
        self.pipes
    }

    /// Evaluates in a subshell: nothing that changes inside is seen after it.
    fn isolated<T>(&mut self, inside: impl FnOnce(&mut Self) -> T) -> T {
        let outer = self.state.clone();
        self.frames.push(Frame::Subshell);
        let result = inside(self);
        self.frames.pop();
        self.state = outer;
        result
    }

    fn list(&mut self, list: &List, env: Env<'_>) -> Failure {
        let mut failure = None;
        for statement in &list.statements {
            self.settle(failure.take());
            failure = self.statement(statement, env);
        }
        failure
    }

    fn statement(&mut self, statement: &Statement, mut env: Env<'_>) -> Failure {
        if !statement.background {
            return self.and_or(statement, env);
        }
        env.reach.background = true;
        self.isolated(|inner| {
            let failure = inner.and_or(statement, env);
            inner.settle(failure);
        });
        if !self.state.data.background {
            self.state.change().background = true;
        }
        None
    }

    fn and_or(&mut self, statement: &Statement, env: Env<'_>) -> Failure {
        let mut failure = self.pipeline(&statement.first, env);
        for (joiner, pipeline) in &statement.rest {
            let succeeded = self.state.clone();
            let failed = failure.take().unwrap_or_else(|| succeeded.clone());
            match joiner {
                Joiner::And => {
                    let later = self.pipeline(pipeline, env.conditional());
                    let later = later.unwrap_or_else(|| self.state.clone());
                    let failed = self.join(failed, later);
                    failure = self.distinct(failed);
                }
                Joiner::Or => {
                    self.state = failed;
                    let later = self.pipeline(pipeline, env.conditional());
                    let later = later.unwrap_or_else(|| self.state.clone());
                    let now = self.state.clone();
                    self.state = self.join(succeeded, now);
                    failure = self.distinct(later);
                }
            }
        }
        failure
    }

    fn pipeline(&mut self, pipeline: &Pipeline, mut env: Env<'_>) -> Failure {
        let failure = match pipeline.stages.as_slice() {
            [only] => self.command(only, env),
            stages => {
                env.reach.piped = true;
                let start = self.state.clone();
                let mut input: Option<Channel> = None;
                for (i, stage) in stages.iter().enumerate() {
                    self.state = start.clone();
                    if let Some(channel) = input.take() {
                        self.state.connect(0, channel);
                    }
                    let mark = self.writers.len();
                    let pipe = (i + 1 < stages.len()).then(|| self.new_pipe());
                    if let Some(pipe) = pipe {
                        self.state.connect(1, Channel::Into(pipe));
                        if pipeline.pipes_stderr.get(i).copied().unwrap_or(true) {
                            self.state.connect(2, Channel::Into(pipe));
                        }
                    }
                    self.frames.push(Frame::Subshell);
                    let printer = self.is_printer(stage);
                    self.output = None;
                    let failure = self.command(stage, env);
                    self.settle(failure);
                    self.frames.pop();
                    let printed = self.output.take().filter(|_| printer);
                    input = pipe.map(|pipe| self.piped(pipe, mark, printed, stage, env));
                }
                match self.shell() {
                    // The last stage runs in the shell itself in zsh, and may in other shells called `sh`.
                    Shell::Zsh | Shell::Sh => {
                        let mut after = self.state.clone();
                        after.descriptors = Rc::clone(&start.descriptors);
                        let was_dead = start.dead;
                        self.state = self.join(start, after);
                        self.state.dead = was_dead;
                    }
                    Shell::Bash => self.state = start,
                }
                None
            }
        };
        match failure {
            Some(failed) if pipeline.negated => Some(std::mem::replace(&mut self.state, failed)),
            other => other,
        }
    }

    /// What the next stage of a pipeline reads.
    fn piped(
        &self,
        pipe: u32,
        mark: usize,
        printed: Option<Value>,
        stage: &Command,
        env: Env<'_>,
    ) -> Channel {
        let from = self.writers_of(pipe, mark);
        let (Channel::From(writers), Some(Value::Known(text))) = (&from, printed) else {
            return from;
        };
        // Only one command prints this, and nothing that it runs writes beside it.
        let [_] = writers.as_ref() else {
            return from;
        };
        let text = if substitute::ends_line(stage) {
            format_smolstr!("{text}\n")
        } else {
            text
        };
        self.text_channel(Value::Known(text), Rc::clone(writers), env)
    }

    /// Whether a variable's value is a number, so that arithmetic may read it without running code.
    fn is_number(variable: &Variable) -> bool {
        match (&variable.content, variable.presence) {
            (_, Presence::Unset) => true,
            (Content::Scalar(value), Presence::Set) => value.is_integer() || value.known() == Some(""),
            (Content::Scalar(value), Presence::Maybe) => value.texts().map_or_else(
                || value.is_integer(),
                |t| t.iter().all(|t| t.is_empty() || is_integer(t)),
            ),
            (Content::Array(_) | Content::AnyArray(_), _) => false,
        }
    }
}

/// Whether a command may read what a descriptor leads to: any program, and the builtins that take input.
fn reads_input(words: &[Field], kind: InvocationKind) -> bool {
    match kind {
        InvocationKind::Program => true,
        InvocationKind::Builtin => words
            .first()
            .and_then(Field::known)
            .is_none_or(|name| matches!(name, "read" | "mapfile" | "readarray")),
    }
}
