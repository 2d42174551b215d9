//! `cd`, `pushd` and `popd`: the directory that later words and paths start from.
//!
//! Links are not followed: `..` takes off the last component, as `cd` does by default. The environment's `CDPATH` is taken
//! to be unset; one that the text sets is refused where it is set.

use smol_str::{SmolStr, SmolStrBuilder};

use crate::{Count, Directory, Field, Origin, Shell, Value};

use super::super::call::Call;
use super::super::state::{Content, State, Variable, directory_value, one_of_directories};
use super::super::{Env, Evaluator};

impl Evaluator<'_> {
    pub(super) fn cd(&mut self, call: Call, env: Env<'_>) -> State {
        let target = self.cd_target(call.arguments());
        self.announce(call, env);
        self.go(target)
    }

    /// Where `cd` with these arguments goes.
    fn cd_target(&self, arguments: &[Field]) -> Directory {
        let mut operands = Vec::new();
        let mut options = true;
        for field in arguments {
            if field.count != Count::One {
                return unknown(&field.value);
            }
            match field.known() {
                Some("--") if options => options = false,
                Some("-L" | "-e" | "-PL") if options => {}
                // The physical directory: where links lead is not known here, and a later `..` starts from there.
                Some("-P" | "-LP" | "-Pe") if options => return Directory::Unknown(Origin::Variable),
                Some(text) => {
                    if options && text.len() > 1 && text.starts_with('-') {
                        return unknown(&field.value);
                    }
                    options = false;
                    operands.push(&field.value);
                }
                None => {
                    if options && field.value.may_begin("-") {
                        return unknown(&field.value);
                    }
                    options = false;
                    operands.push(&field.value);
                }
            }
        }
        match operands.as_slice() {
            [] => self.value_directory(&self.variable_value("HOME"), false),
            [Value::Known(dash)] if dash == "-" => {
                self.value_directory(&self.variable_value("OLDPWD"), false)
            }
            [target] => self.value_directory(target, true),
            // zsh replaces a piece of the path; others fail.
            _ => Directory::Unknown(Origin::Variable),
        }
    }

    fn variable_value(&self, name: &str) -> Value {
        match self.lookup(name).content {
            Content::Scalar(value) => value,
            Content::Array(_) | Content::AnyArray(_) => Value::Unknown(Origin::Variable),
        }
    }

    /// The directories that a value names from here.
    fn value_directory(&self, value: &Value, operand: bool) -> Directory {
        let Some(texts) = value.texts() else {
            return unknown(value);
        };
        let mut all = Vec::new();
        for text in texts {
            // zsh counts its stack with `+n` and `-n`.
            let counted = operand && self.shell() == Shell::Zsh && text.starts_with(['+', '-']);
            if counted || (operand && text == "-") {
                return unknown(value);
            }
            if text.starts_with('/') {
                all.push(normal(text));
                continue;
            }
            match &self.state.data.directory {
                Directory::OneOf(bases) => all.extend(bases.iter().map(|base| below(base, text))),
                Directory::Unknown(origin) => return Directory::Unknown(*origin),
            }
        }
        one_of_directories(all)
    }

    /// Goes there; gives the state in which that failed.
    fn go(&mut self, target: Directory) -> State {
        let failed = self.state.clone();
        self.moved = true;
        let old = directory_value(&self.state.data.directory);
        let data = self.state.change();
        data.directory = target;
        data.forget("PWD");
        let was = data.get("OLDPWD").is_some_and(|v| v.readonly);
        data.set(
            &SmolStr::new_static("OLDPWD"),
            Variable {
                readonly: was,
                ..Variable::scalar(old)
            },
        );
        failed
    }

    pub(super) fn pushd(&mut self, call: Call, env: Env<'_>) -> State {
        let target = match call.arguments() {
            [field]
                if field.count == Count::One
                    && !field.value.may_begin("-")
                    && !field.value.may_begin("+") =>
            {
                Some(self.value_directory(&field.value, true))
            }
            _ => None,
        };
        self.announce(call, env);
        let here = self.state.data.directory.clone();
        let (target, stack) = match (target, self.state.data.stack.clone()) {
            (Some(target), Some(mut stack)) => {
                stack.push(here);
                (target, Some(stack))
            }
            (Some(target), None) => (target, None),
            // Turning the stack.
            (None, _) => (Directory::Unknown(Origin::Variable), None),
        };
        let failed = self.go(target);
        self.state.change().stack = stack;
        failed
    }

    pub(super) fn popd(&mut self, call: Call, env: Env<'_>) -> State {
        let plain = call.fields.len() == 1;
        self.announce(call, env);
        let mut stack = self.state.data.stack.clone().filter(|_| plain);
        let target = match &mut stack {
            // An empty stack is an error, and the directory stays.
            Some(stack) => stack.pop().unwrap_or_else(|| self.state.data.directory.clone()),
            None => Directory::Unknown(Origin::Variable),
        };
        let failed = self.go(target);
        self.state.change().stack = stack;
        failed
    }
}

fn unknown(value: &Value) -> Directory {
    Directory::Unknown(value.origin())
}

fn below(base: &str, text: &str) -> SmolStr {
    let mut path = SmolStrBuilder::new();
    path.push_str(base);
    path.push('/');
    path.push_str(text);
    normal(&path.finish())
}

/// The path without `.`, `..` and doubled slashes.
fn normal(path: &str) -> SmolStr {
    let mut kept: Vec<&str> = Vec::new();
    for component in path.split('/') {
        match component {
            "" | "." => {}
            ".." => {
                kept.pop();
            }
            _ => kept.push(component),
        }
    }
    let mut out = SmolStrBuilder::new();
    for component in &kept {
        out.push('/');
        out.push_str(component);
    }
    if kept.is_empty() {
        out.push('/');
    }
    out.finish()
}
