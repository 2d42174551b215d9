//! What a command word names: a function of the text, a builtin or a program.
//!
//! Invariant (shadowing is seen): a function of the text is looked for before builtins and programs, as the shell does.

use std::rc::Rc;

use crate::{Construct, Count, Field, InvocationKind, Shell, Span, Stdin, Value};

use super::names::{evaluates_numbers, is_builtin, is_foreign_builtin};
use super::simple::{Declared, Prefix};
use super::state::{Function, State};
use super::{Env, Evaluator, Failure, Frame};

/// What a command word may name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lookup {
    /// Functions, builtins, programs.
    Any,
    /// Builtins and programs: after `command`.
    NoFunctions,
    /// Builtins: after `builtin`.
    Builtins,
    /// Programs: after `exec`.
    Programs,
}

/// A command about to run.
#[derive(Clone, Debug)]
pub(super) struct Call {
    pub(super) fields: Vec<Field>,
    pub(super) declared: Vec<Declared>,
    pub(super) prefix: Vec<Prefix>,
    pub(super) span: Span,
    pub(super) lookup: Lookup,
}

impl Call {
    pub(super) fn settings(&self) -> Vec<usize> {
        self.prefix.iter().map(|p| p.setting).collect()
    }

    pub(super) fn arguments(&self) -> &[Field] {
        self.fields.get(1..).unwrap_or_default()
    }

    /// The command that the words from the `n`th on make.
    pub(super) fn from(&self, n: usize, lookup: Lookup) -> Self {
        let moved = |d: &Declared| d.at.checked_sub(n).map(|at| Declared { at, ..d.clone() });
        Self {
            fields: self.fields.iter().skip(n).cloned().collect(),
            declared: self.declared.iter().filter_map(moved).collect(),
            prefix: self.prefix.clone(),
            span: self.span,
            lookup,
        }
    }
}

impl Evaluator<'_> {
    pub(super) fn call(&mut self, call: Call, env: Env<'_>) -> Failure {
        let first = call.fields.first()?;
        match (&first.value, first.count) {
            (Value::Known(name), Count::One) => {
                let name = name.clone();
                self.named(&name, call, env)
            }
            (Value::OneOf(names), Count::One) => {
                let names = names.clone();
                let start = self.state.clone();
                let mut done: Option<State> = None;
                for name in names {
                    if !self.step(1, call.span) {
                        break;
                    }
                    self.state = start.clone();
                    let mut one = call.clone();
                    if let Some(first) = one.fields.first_mut() {
                        first.value = Value::Known(name.clone());
                    }
                    let failure = self.named(&name, one, env.conditional());
                    self.settle(failure);
                    let now = self.state.clone();
                    done = self.join_option(done, Some(now));
                }
                if let Some(done) = done {
                    self.state = done;
                }
                None
            }
            _ => {
                self.unknown_command(call, env);
                None
            }
        }
    }

    /// The program is not known; where its word may vanish, the words after it may be the command.
    fn unknown_command(&mut self, call: Call, env: Env<'_>) {
        let span = call.fields.first().map_or(call.span, |f| f.span);
        self.refuse(Construct::DynamicCommand, span);
        let next = call
            .fields
            .iter()
            .position(|f| f.count != Count::Any)
            .filter(|n| *n > 0);
        let rest = next.map(|n| call.from(n, call.lookup));
        let settings = call.settings();
        self.push(call.fields, InvocationKind::Program, call.span, settings, env);
        if let Some(rest) = rest {
            let before = self.state.clone();
            let failure = self.call(rest, env.conditional());
            self.settle(failure);
            self.settle(Some(before));
        }
    }

    fn named(&mut self, name: &str, call: Call, env: Env<'_>) -> Failure {
        let binding = match call.lookup {
            Lookup::Any => self.state.data.function(name).cloned(),
            Lookup::NoFunctions | Lookup::Builtins | Lookup::Programs => None,
        };
        let Some(binding) = binding else {
            return self.beyond_functions(name, call, env);
        };
        if let ([only], false) = (binding.bodies.as_slice(), binding.maybe_absent) {
            return self.inlined(only, &call, env);
        }
        let start = self.state.clone();
        let mut done: Option<State> = None;
        for body in &binding.bodies {
            self.state = start.clone();
            let failure = self.inlined(body, &call, env.conditional());
            self.settle(failure);
            let now = self.state.clone();
            done = self.join_option(done, Some(now));
        }
        if binding.maybe_absent {
            self.state = start;
            let failure = self.beyond_functions(name, call, env.conditional());
            self.settle(failure);
        } else if let Some(done) = done.take() {
            self.state = done;
        }
        self.settle(done);
        None
    }

    fn beyond_functions(&mut self, name: &str, call: Call, env: Env<'_>) -> Failure {
        let shell = self.shell();
        if let Some(inner) = self.behind_modifiers(&call, env) {
            return self.call(inner, env);
        }
        match call.lookup {
            Lookup::Any | Lookup::NoFunctions | Lookup::Builtins if is_builtin(shell, name) => {
                return self.builtin(name, call, env);
            }
            // Not a builtin: an error, and nothing runs.
            Lookup::Builtins => return None,
            Lookup::Any | Lookup::NoFunctions | Lookup::Programs => {}
        }
        if call.lookup != Lookup::Programs && is_foreign_builtin(shell, name) {
            self.refuse(Construct::NotInThisShell, call.span);
        }
        for prefix in &call.prefix {
            // The variable steers the search for the program itself, or is evaluated when it is assigned.
            let steers = prefix.name == "PATH" || shell == Shell::Zsh || evaluates_numbers(&prefix.name);
            if steers {
                let span = self
                    .out
                    .settings
                    .get(prefix.setting)
                    .map_or(call.span, |s| s.span);
                let value = super::assign::setting_value(&prefix.content);
                self.check_steering(&prefix.name, &value, span);
            }
        }
        let plain_cat = name == "cat" && call.fields.len() == 1;
        let settings = call.settings();
        self.push(call.fields, InvocationKind::Program, call.span, settings, env);
        if plain_cat && let Some(Stdin::Text(text)) = self.out.invocations.last().map(|i| &i.stdin) {
            self.output = Some(text.clone());
        }
        None
    }

    /// In zsh, the command behind words such as `noglob`, which run nothing themselves.
    fn behind_modifiers(&mut self, call: &Call, env: Env<'_>) -> Option<Call> {
        if self.shell() != Shell::Zsh || call.lookup == Lookup::Programs {
            return None;
        }
        let mut globs = true;
        let mut count = 0;
        for field in &call.fields {
            match field.known() {
                // It runs under another name than its own, which makes a shell a login shell.
                Some("-") => self.refuse(Construct::BuiltinForm, field.span),
                Some("noglob") => globs = false,
                Some(_) | None => break,
            }
            count += 1;
        }
        if count == 0 {
            return None;
        }
        let mut inner = call.from(count, call.lookup);
        if !globs {
            for field in &mut inner.fields {
                unglobbed(field, call.span, env);
            }
        }
        Some(inner)
    }

    /// Evaluates the body of a function in place of the call.
    fn inlined(&mut self, function: &Rc<Function>, call: &Call, env: Env<'_>) -> Failure {
        let mut active = 0;
        let mut recursive = false;
        for frame in &self.frames {
            if let Frame::Function { body, .. } = frame {
                active += 1;
                recursive |= body == function;
            }
        }
        if recursive || active >= self.context.limits.inlining {
            self.refuse(Construct::TooManyInlinings, call.span);
            return None;
        }
        self.look_up(call.arguments());
        for prefix in &call.prefix {
            let value = super::assign::setting_value(&prefix.content);
            self.check_steering(&prefix.name, &value, call.span);
        }
        let bound = (!call.prefix.is_empty()).then(|| self.bind_prefix(&call.prefix));
        let outer = self.state.data.positional.clone();
        self.state.change().positional = Some(Rc::new(call.arguments().to_vec()));
        self.frames.push(Frame::Function {
            returns: None,
            locals: Vec::new(),
            body: Rc::clone(function),
            branch: env.branch,
        });
        let mut reach = env.reach;
        reach.reevaluated |= function.reevaluated;
        let inner = Env {
            text: &function.text,
            text_id: function.key.0,
            remap: function.remap,
            reach,
            branch: env.branch,
        };
        let failure = self.command(&function.body, inner);
        let (returns, locals) = match self.frames.pop() {
            Some(Frame::Function { returns, locals, .. }) => (returns, locals),
            Some(Frame::Loop { .. } | Frame::Subshell) | None => (None, Vec::new()),
        };
        let mut end = self.state.clone();
        self.unhide(&mut end, &locals);
        self.state = end;
        let mut failure = failure;
        if let Some(failed) = &mut failure {
            self.unhide(failed, &locals);
        }
        if let Some(returned) = returns {
            // `return` may give either status.
            if let Some(failed) = failure.take() {
                failure = Some(self.join(failed, returned.clone()));
            }
            self.settle(Some(returned));
        }
        if bound.is_some() {
            self.settle(failure.take());
        }
        self.state.change().positional.clone_from(&outer);
        if let Some(failed) = &mut failure {
            failed.change().positional = outer;
        }
        if let Some(bound) = bound {
            self.unbind_prefix(&call.prefix, bound);
        }
        failure
    }
}

/// A pattern that is left as it is written; where that cannot be told from the text, it is anything.
fn unglobbed(field: &mut Field, command: Span, env: Env<'_>) {
    field.spelling.globs = false;
    if !matches!(
        field.value,
        Value::Glob(_) | Value::Below(_) | Value::Affixed { .. }
    ) {
        return;
    }
    let here = env.remap.is_none() && command.start <= field.span.start && field.span.end <= command.end;
    let source = field.span.of(env.text);
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '*' | '?' | '.' | '/' | '_' | '-');
    if here && !source.is_empty() && source.chars().all(plain) {
        field.value = Value::Known(source.into());
        field.count = Count::One;
    } else {
        field.value = Value::Unknown(field.value.origin());
    }
}
