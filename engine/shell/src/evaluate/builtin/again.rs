//! Builtins that run other commands: `eval`, `trap`, `command`, `builtin`, `exec`, `source`.

use smol_str::SmolStr;

use crate::{Access, AccessMode, Construct, Count, Field, Reach, Shell, Span, Stdin, Value, parse};

use super::super::call::{Call, Lookup};
use super::super::fields::joined;
use super::super::names::is_builtin;
use super::super::traps::Trap;
use super::super::{Env, Evaluator, Failure};
use super::{options::is_operand, place};

impl Evaluator<'_> {
    /// Evaluates text in the current state, with all its spans on the words it came from.
    pub(in super::super) fn again(&mut self, text: &str, span: Span, env: Env<'_>) -> Failure {
        if self.level >= self.context.limits.reevaluations {
            self.refuse(Construct::TooManyReevaluations, span);
            return None;
        }
        if !self.step(1 + text.len() / 64, span) {
            return None;
        }
        let script = match parse(text, self.shell(), self.context.limits) {
            Ok(script) => script,
            Err(error) => {
                self.refuse(error.construct, span);
                return None;
            }
        };
        let at = if let Some(at) = self.texts.iter().position(|t| **t == *text) {
            at
        } else {
            self.texts.push(text.into());
            self.texts.len() - 1
        };
        let text_id = u32::try_from(at + 1).unwrap_or(u32::MAX);
        let reach = Reach {
            reevaluated: true,
            ..env.reach
        };
        self.level += 1;
        let inner = Env {
            text,
            text_id,
            remap: Some(span),
            reach,
            branch: env.branch,
        };
        let failure = self.list(&script.body, inner);
        self.level -= 1;
        failure
    }

    pub(super) fn eval(&mut self, call: &Call, env: Env<'_>) -> Failure {
        self.announce_copy(call, env);
        let mut words = call.arguments();
        match words.first() {
            None => return None,
            Some(first) if first.known() == Some("--") => words = words.get(1..).unwrap_or_default(),
            Some(first) if is_operand(&first.value) || first.value.texts().is_none() => {}
            Some(first) => {
                self.refuse(Construct::BuiltinForm, first.span);
                return None;
            }
        }
        let span = words.iter().map(|f| f.span).reduce(Span::to).unwrap_or(call.span);
        self.evaluate_value(&joined(words, self.set_values()), span, env)
    }

    fn evaluate_value(&mut self, value: &Value, span: Span, env: Env<'_>) -> Failure {
        match value.texts() {
            Some([only]) => self.again(only, span, env),
            Some(texts) => {
                let start = self.state.clone();
                let mut done = None;
                for text in texts {
                    self.state = start.clone();
                    let failure = self.again(text, span, env.conditional());
                    self.settle(failure);
                    let now = self.state.clone();
                    done = self.join_option(done, Some(now));
                }
                self.state = done.unwrap_or(start);
                None
            }
            None => {
                self.refuse(Construct::DynamicEvaluation, span);
                None
            }
        }
    }

    pub(super) fn trap(&mut self, call: &Call, env: Env<'_>) {
        self.announce_copy(call, env);
        let mut words = call.arguments();
        match words.first().and_then(Field::known) {
            Some("-p" | "-l" | "-P") => return,
            Some("--") => words = words.get(1..).unwrap_or_default(),
            Some(_) | None => {}
        }
        let Some((action, signals)) = words.split_first() else {
            return;
        };
        if action.count != Count::One {
            self.refuse(Construct::DynamicEvaluation, action.span);
            return;
        }
        // One word that is a number is a signal to reset.
        if signals.is_empty() {
            if !action.value.is_integer() && action.value.texts().is_none() {
                self.refuse(Construct::DynamicEvaluation, action.span);
            }
            return;
        }
        match action.value.texts() {
            Some(texts) => {
                let at_end = signals
                    .iter()
                    .all(|s| matches!(s.known(), Some("EXIT" | "0" | "exit")));
                if !at_end || self.shell() == Shell::Zsh {
                    self.check_interrupting(texts, action.span, env);
                }
                for text in texts.iter().filter(|t| !matches!(t.as_str(), "" | "-")) {
                    let trap = Trap {
                        text: text.clone(),
                        span: action.span,
                        state: self.state.clone(),
                    };
                    self.traps.push(trap);
                }
            }
            None => self.refuse(Construct::DynamicEvaluation, action.span),
        }
    }

    /// A trap that may run between any two commands must leave the shell as it is.
    fn check_interrupting(&mut self, texts: &[SmolStr], span: Span, env: Env<'_>) {
        let mut changes = false;
        for text in texts.iter().filter(|t| !matches!(t.as_str(), "" | "-")) {
            let mark = self.mark();
            self.isolated(|inner| {
                let before = inner.state.clone();
                let failure = inner.again(text, span, env);
                let mut ends = vec![inner.state.clone()];
                ends.extend(failure);
                changes |= ends.iter().any(|end| {
                    !end.dead && (end.data != before.data || end.descriptors != before.descriptors)
                });
            });
            self.roll_back(mark);
        }
        if changes {
            self.refuse(Construct::BuiltinForm, span);
        }
    }

    /// Runs the command in the words from the `n`th on.
    pub(super) fn wrapper(&mut self, call: &Call, n: usize, lookup: Lookup, env: Env<'_>) -> Failure {
        self.announce_copy(call, env);
        let inner = call.from(n, lookup);
        self.call(inner, env)
    }

    pub(super) fn command_builtin(&mut self, call: Call, env: Env<'_>) -> Failure {
        let beyond = match self.shell() {
            Shell::Bash | Shell::Sh => Lookup::NoFunctions,
            // zsh leaves out its builtins too.
            Shell::Zsh => Lookup::Programs,
        };
        for (at, field) in call.fields.iter().enumerate().skip(1) {
            match field.known() {
                Some("-p") => {}
                Some("--") => return self.wrapper(&call, at + 1, beyond, env),
                Some("-v" | "-V") => {
                    self.announce(call, env);
                    return None;
                }
                Some(text) if text.starts_with('-') && text != "-" => {
                    self.refuse(Construct::BuiltinForm, field.span);
                    break;
                }
                Some(_) => return self.wrapper(&call, at, beyond, env),
                None => {
                    if field.value.may_begin("-") || field.count != Count::One {
                        self.refuse(Construct::DynamicCommand, field.span);
                    }
                    return self.wrapper(&call, at, beyond, env);
                }
            }
        }
        self.announce(call, env);
        None
    }

    pub(super) fn exec(&mut self, call: Call, env: Env<'_>) -> Failure {
        let mut at = 1;
        while let Some(field) = call.fields.get(at) {
            match field.known() {
                // `-a` and `-l` run a program under another name than its own.
                Some("-c") if self.shell() != Shell::Sh => at += 1,
                Some("--") => {
                    at += 1;
                    break;
                }
                Some(text) if text.starts_with('-') => {
                    self.refuse(Construct::BuiltinForm, field.span);
                    break;
                }
                Some(_) => break,
                None => {
                    if field.value.may_begin("-") || field.count != Count::One {
                        self.refuse(Construct::DynamicCommand, field.span);
                    }
                    break;
                }
            }
        }
        if at >= call.fields.len() {
            if self.context.stdin == Stdin::Script && self.state.descriptors.iter().any(|(fd, _)| *fd == 0) {
                // The shell reads its next line from there.
                self.refuse(Construct::DynamicEvaluation, call.span);
            }
            self.announce(call, env);
            self.keep_descriptors = true;
            return None;
        }
        let named = call.fields.get(at).and_then(Field::known);
        if named.is_some_and(|name| name.starts_with('~')) {
            // bash expands a tilde there even if it was quoted.
            self.refuse(Construct::TildePrefix, call.span);
        }
        let other = |name: &str| is_builtin(Shell::Zsh, name) || self.state.data.function(name).is_some();
        if self.shell() == Shell::Zsh && named.is_none_or(other) {
            // zsh runs builtins and functions there.
            self.refuse(Construct::NotInThisShell, call.span);
        }
        let failure = self.wrapper(&call, at, Lookup::Programs, env);
        self.settle(failure);
        self.state.dead = true;
        None
    }

    pub(super) fn source(&mut self, call: Call, env: Env<'_>) {
        let file = match call.arguments() {
            [dashes, file, ..] if dashes.known() == Some("--") => Some(file),
            [file, ..] => Some(file),
            [] => None,
        };
        if let Some(file) = file {
            let directory = self.state.data.directory.clone();
            let path = file.value.clone();
            self.out.accesses.push(Access {
                mode: AccessMode::Read,
                path,
                directory,
                span: file.span,
            });
        }
        self.refuse(Construct::Sourcing, place(&call, 1));
        self.announce(call, env);
    }
}
