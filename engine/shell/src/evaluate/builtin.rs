//! Builtins: what they do to the shell, and the forms that are not followed.
//!
//! Invariant (forms are listed): a builtin form that may evaluate code, or change how later words are read, and is not
//! modelled here is a refusal.

use smol_str::SmolStr;

use crate::{Construct, Count, Field, InvocationKind, Shell, Span, Value};

use super::call::{Call, Lookup};
use super::names::{is_identifier, is_special};
use super::{Env, Evaluator, Failure, Frame};

mod again;
mod declare;
mod directory;
mod input;
mod options;
mod test;

impl Evaluator<'_> {
    /// Runs a builtin. Its invocation comes before what it runs itself.
    pub(super) fn builtin(&mut self, name: &str, call: Call, env: Env<'_>) -> Failure {
        if call.prefix.is_empty() {
            return self.run_builtin(name, call, env);
        }
        let reads = matches!(name, "read" | "mapfile" | "readarray");
        for prefix in &call.prefix {
            if reads && prefix.name == "IFS" {
                continue;
            }
            let value = super::assign::setting_value(&prefix.content);
            self.check_steering(&prefix.name, &value, call.span);
        }
        let prefix = call.prefix.clone();
        let bound = self.bind_prefix(&prefix);
        let failure = self.run_builtin(name, call, env);
        self.settle(failure);
        let kept = self.state.clone();
        self.unbind_prefix(&prefix, bound);
        let declares = matches!(name, "export" | "readonly" | "declare" | "typeset" | "local");
        if declares || (self.shell() == Shell::Sh && is_special(name)) {
            self.settle(Some(kept));
        }
        None
    }

    fn run_builtin(&mut self, name: &str, call: Call, env: Env<'_>) -> Failure {
        let span = call.span;
        match name {
            ":" | "true" | "false" | "times" | "type" | "kill" | "bg" | "fg" | "disown" | "suspend"
            | "caller" | "help" | "dirs" | "umask" | "ulimit" | "whence" | "where" | "which" | "rehash" => {
                self.announce(call, env);
                None
            }
            "echo" => {
                let output = echoed(call.arguments(), self.set_values());
                self.announce(call, env);
                self.output = output;
                None
            }
            "pwd" => {
                let plain = call.fields.len() == 1;
                self.announce(call, env);
                if plain {
                    self.output = Some(super::state::directory_value(&self.state.data.directory));
                }
                None
            }
            "printf" => {
                self.printf(call, env);
                None
            }
            "test" | "[" => {
                self.check_test(&call);
                self.announce(call, env);
                None
            }
            "cd" | "chdir" => Some(self.cd(call, env)),
            "pushd" => Some(self.pushd(call, env)),
            "popd" => Some(self.popd(call, env)),
            "export" | "readonly" | "declare" | "typeset" | "local" => {
                self.declare(name, &call, env);
                None
            }
            "unset" => {
                self.unset(&call, env);
                None
            }
            "read" => {
                self.read(&call, env);
                None
            }
            "mapfile" | "readarray" if self.shell() == Shell::Bash => {
                self.mapfile(&call, env);
                None
            }
            "getopts" => {
                self.getopts(&call, env);
                None
            }
            "set" => {
                self.set(&call, env);
                None
            }
            "shift" => {
                self.shift(&call, env);
                None
            }
            "exit" | "logout" | "bye" => {
                self.check_numbers(&call);
                let ends = ends_shell(call.arguments());
                self.announce(call, env);
                self.state.dead |= ends;
                None
            }
            "return" => {
                self.check_numbers(&call);
                let ends = ends_shell(call.arguments());
                self.announce(call, env);
                self.leave_function(ends);
                None
            }
            "break" | "continue" => {
                self.check_numbers(&call);
                let ends = match call.arguments() {
                    [] => true,
                    [count] => count
                        .known()
                        .is_some_and(|n| n.parse::<u32>().is_ok_and(|n| n > 0)),
                    _ => false,
                };
                self.announce(call, env);
                self.leave_loops(ends);
                None
            }
            "wait" => {
                self.only_operands(&call, &["-n", "-f"]);
                self.announce(call, env);
                None
            }
            "hash" => {
                self.only_operands(&call, &["-r", "-l", "-t", "-d"]);
                self.announce(call, env);
                None
            }
            "jobs" => {
                self.only_operands(
                    &call,
                    &["-l", "-n", "-p", "-r", "-s", "-lp", "-pr", "-rp", "-ps", "-sp"],
                );
                self.announce(call, env);
                None
            }
            "eval" => self.eval(&call, env),
            "trap" => {
                self.trap(&call, env);
                None
            }
            "command" => self.command_builtin(call, env),
            "builtin" => self.wrapper(&call, 1, Lookup::Builtins, env),
            "exec" => self.exec(call, env),
            "source" | "." => {
                self.source(call, env);
                None
            }
            "shopt" | "setopt" | "unsetopt" | "emulate" | "enable" | "disable" => {
                let asks = call.fields.len() == 1
                    || call
                        .arguments()
                        .iter()
                        .all(|f| matches!(f.known(), Some("-p" | "-q")));
                if !asks {
                    self.refuse(Construct::ShellOption, span);
                }
                self.announce(call, env);
                None
            }
            "alias" | "unalias" => {
                // In a shell that is not interactive aliases are not expanded; zsh and sh expand them on later lines.
                let asks = name == "alias"
                    && call
                        .arguments()
                        .iter()
                        .all(|f| f.known().is_some_and(|t| !t.contains('=') && !t.starts_with('-')));
                if !asks {
                    self.refuse(Construct::BuiltinForm, span);
                }
                self.announce(call, env);
                None
            }
            "history" if call.arguments().iter().all(|f| f.value.is_integer()) => {
                self.announce(call, env);
                None
            }
            // Everything else either evaluates code (`let`, `compgen`, `complete`, `bind`, `fc`, ...) or is not modelled.
            _ => {
                self.refuse(Construct::BuiltinForm, span);
                self.announce(call, env);
                None
            }
        }
    }

    /// Records the builtin itself.
    fn announce(&mut self, call: Call, env: Env<'_>) {
        let settings = call.settings();
        self.push(call.fields, InvocationKind::Builtin, call.span, settings, env);
    }

    fn announce_copy(&mut self, call: &Call, env: Env<'_>) {
        self.push(
            call.fields.clone(),
            InvocationKind::Builtin,
            call.span,
            call.settings(),
            env,
        );
    }

    /// Refuses options beyond the listed ones; an argument that may be an option counts as one.
    fn only_operands(&mut self, call: &Call, allowed: &[&str]) {
        for field in call.arguments() {
            match field.known() {
                Some("--") => return,
                Some(text) if allowed.contains(&text) => {}
                _ if field.value == Value::Integer && field.count == Count::One => {}
                _ if field.value.may_begin("-") => {
                    self.refuse(Construct::BuiltinForm, field.span);
                    return;
                }
                Some(_) | None => {}
            }
        }
    }

    /// zsh evaluates the arguments of these builtins as arithmetic.
    fn check_numbers(&mut self, call: &Call) {
        if self.shell() != Shell::Zsh {
            return;
        }
        for field in call.arguments() {
            if !field.value.is_integer() {
                self.refuse(Construct::ArithmeticCode, field.span);
            }
        }
    }

    fn leave_function(&mut self, ends: bool) {
        if !self.frames.iter().any(|f| matches!(f, Frame::Function { .. })) {
            return;
        }
        // In a subshell the function goes on outside, so only the subshell ends here.
        let mut inside = true;
        for at in (0..self.frames.len()).rev() {
            let mut state = self.state.clone();
            match self.frames.get(at) {
                Some(Frame::Function { locals, .. }) => self.unhide(&mut state, locals),
                Some(Frame::Loop { .. }) => continue,
                Some(Frame::Subshell) | None => {
                    inside = false;
                    break;
                }
            }
            let before = match self.frames.get_mut(at) {
                Some(Frame::Function { returns, .. }) => returns.take(),
                Some(Frame::Loop { .. } | Frame::Subshell) | None => None,
            };
            let joined = self.join_option(before, Some(state));
            if let Some(Frame::Function { returns, .. }) = self.frames.get_mut(at) {
                *returns = joined;
            }
            break;
        }
        self.state.dead |= ends || !inside;
    }

    fn leave_loops(&mut self, ends: bool) {
        let mut found = false;
        for at in (0..self.frames.len()).rev() {
            let before = match self.frames.get_mut(at) {
                Some(Frame::Loop { leaves }) => leaves.take(),
                Some(Frame::Function { .. } | Frame::Subshell) | None => break,
            };
            found = true;
            let now = self.state.clone();
            let joined = self.join_option(before, Some(now));
            if let Some(Frame::Loop { leaves }) = self.frames.get_mut(at) {
                *leaves = joined;
            }
        }
        self.state.dead |= found && ends;
    }

    /// The name in an argument that must be a plain variable name.
    fn plain_name(&mut self, field: &Field) -> Option<SmolStr> {
        match field.known() {
            Some(text) if is_identifier(text) => Some(text.into()),
            _ => {
                self.refuse(Construct::BuiltinForm, field.span);
                None
            }
        }
    }
}

/// Whether `exit` or `return` with these arguments ends what it is in; with too many it goes on.
fn ends_shell(arguments: &[Field]) -> bool {
    match arguments {
        [] => true,
        [status] => status.count == Count::One && status.value.is_integer(),
        _ => false,
    }
}

/// What `echo` prints, where that is known.
fn echoed(arguments: &[Field], max: usize) -> Option<Value> {
    if arguments
        .iter()
        .any(|f| f.count != Count::One || f.value.may_contain('\\'))
    {
        return None;
    }
    if arguments.first().is_some_and(|f| f.value.may_begin("-")) {
        return None;
    }
    Some(super::fields::joined(arguments, max))
}

/// A place for refusals about an argument, or the whole command where it has none.
fn place(call: &Call, at: usize) -> Span {
    call.fields.get(at).map_or(call.span, |f| f.span)
}
