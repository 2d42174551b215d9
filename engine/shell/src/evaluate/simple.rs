//! Simple commands: assignments, words and redirections, in the order in which the shell expands them.

use std::rc::Rc;

use smol_str::{SmolStr, format_smolstr};

use crate::{
    Argument, AssignedValue, Assignment, Command, Construct, Field, PartKind, SettingScope, Shell, Simple,
    Value,
};

use super::assign::{Target, setting_value};
use super::call::{Call, Lookup};
use super::state::{Content, Variable};
use super::{Env, Evaluator, Failure};

/// An argument of the form `NAME=value` of a declaration builtin, expanded as an assignment.
#[derive(Clone, Debug)]
pub(super) struct Declared {
    /// The field it stands for.
    pub(super) at: usize,
    pub(super) name: SmolStr,
    pub(super) content: Content,
}

/// An assignment before a command word.
#[derive(Clone, Debug)]
pub(super) struct Prefix {
    pub(super) name: SmolStr,
    pub(super) content: Content,
    pub(super) setting: usize,
}

/// What assignments before a command hide while it runs.
#[derive(Debug)]
pub(super) struct Bound {
    exported: Vec<(SmolStr, usize)>,
    hidden: Vec<(SmolStr, Option<Variable>)>,
    inside: Vec<Variable>,
}

impl Evaluator<'_> {
    pub(super) fn simple(&mut self, command: &Command, simple: &Simple, env: Env<'_>) -> Failure {
        if !self.step(1 + simple.words.len() / 4, env.span(command.span)) {
            return None;
        }
        let mut fields: Vec<Field> = Vec::with_capacity(simple.words.len());
        let mut declared = Vec::new();
        for argument in &simple.words {
            match argument {
                Argument::Word(word) => self.word(word, env, &mut fields),
                Argument::Assignment(assignment) => {
                    if self.shell() == Shell::Sh && splits(assignment) {
                        self.refuse(Construct::NotInThisShell, env.span(assignment.span));
                    }
                    let content = self.assigned(assignment, env);
                    let field = self.declared_field(assignment, &content, env);
                    let name = assignment.name.text.clone();
                    declared.push(Declared {
                        at: fields.len(),
                        name,
                        content,
                    });
                    fields.push(field);
                }
            }
        }
        if fields.is_empty() {
            let before = (!command.redirects.is_empty()).then(|| self.state.clone());
            for assignment in &simple.assignments {
                let content = self.assigned(assignment, env);
                let target = Target::shell(env.span(assignment.span));
                self.assign(&assignment.name.text, content, target, env);
            }
            if let Some(before) = before {
                let descriptors = Rc::clone(&self.state.descriptors);
                self.redirects(&command.redirects, env);
                self.state.descriptors = descriptors;
                // The assignments are not made if a redirection fails.
                self.settle(Some(before));
            }
            return None;
        }
        let prefix = self.prefix(&simple.assignments, env);
        let mut call = Call {
            fields,
            declared,
            prefix,
            span: env.span(command.span),
            lookup: Lookup::Any,
        };
        if self.shell() == Shell::Zsh {
            let corrected = simple.words.iter().take_while(|word| is_plain(word, "nocorrect"));
            let corrected = corrected.count();
            if corrected > 0 {
                call = call.from(corrected, Lookup::Any);
            }
            zsh_program(&mut call, simple.words.first());
        }
        if command.redirects.is_empty() {
            let failure = self.call(call, env);
            self.keep_descriptors = false;
            return failure;
        }
        let before = self.state.clone();
        let fails = self.redirects(&command.redirects, env);
        let mut env = env;
        env.branch += usize::from(fails);
        if !Rc::ptr_eq(&before.data, &self.state.data) {
            // What expanding a target changes is lost with the process it happens in, if that is another one.
            let mut unchanged = before.clone();
            unchanged.descriptors = Rc::clone(&self.state.descriptors);
            self.settle(Some(unchanged));
        }
        self.keep_descriptors = false;
        let mut failure = self.call(call, env);
        if !std::mem::take(&mut self.keep_descriptors) {
            if let Some(failed) = &mut failure {
                failed.descriptors = Rc::clone(&before.descriptors);
            }
            self.state.descriptors = Rc::clone(&before.descriptors);
        }
        if fails {
            let failed = failure.unwrap_or_else(|| self.state.clone());
            let failed = self.join(failed, before);
            return self.distinct(failed);
        }
        failure
    }

    /// The assignments before a command: each sees those before it, and the shell keeps none.
    fn prefix(&mut self, assignments: &[Assignment], env: Env<'_>) -> Vec<Prefix> {
        let mut prefix: Vec<Prefix> = Vec::with_capacity(assignments.len());
        let outer = std::mem::take(&mut self.prefixed);
        for assignment in assignments {
            let content = self.assigned(assignment, env);
            let name = assignment.name.text.clone();
            let span = env.span(assignment.span);
            let setting = self.setting(&name, setting_value(&content), SettingScope::Command, span, env);
            if assignments.len() > 1 {
                let old = self.bind(&name, content.clone());
                self.prefixed.push((name.clone(), old));
            }
            prefix.push(Prefix {
                name,
                content,
                setting,
            });
        }
        let hidden = std::mem::replace(&mut self.prefixed, outer);
        for (name, old) in hidden.into_iter().rev() {
            self.unbind(&name, old);
        }
        prefix
    }

    /// Puts the assignments before a command in place while a builtin or function runs, and exports them.
    pub(super) fn bind_prefix(&mut self, prefix: &[Prefix]) -> Bound {
        let exported = self.state.data.exported.clone();
        let mut hidden = Vec::with_capacity(prefix.len());
        for piece in prefix {
            hidden.push((piece.name.clone(), self.bind(&piece.name, piece.content.clone())));
            let exported = &mut self.state.change().exported;
            exported.retain(|(n, _)| *n != piece.name);
            exported.push((piece.name.clone(), piece.setting));
        }
        let inside = prefix.iter().map(|p| self.lookup(&p.name)).collect();
        Bound {
            exported,
            hidden,
            inside,
        }
    }

    /// Takes the assignments back. What the command itself made of such a name may or may not outlive it.
    pub(super) fn unbind_prefix(&mut self, prefix: &[Prefix], bound: Bound) {
        let Bound {
            exported,
            hidden,
            inside,
        } = bound;
        for ((name, old), inside) in hidden.into_iter().zip(inside).rev() {
            let now = self.state.data.lookup(&name, self.context.home.as_ref());
            self.unbind(&name, old);
            if now != inside {
                let joined = self.lookup(&name).join(&now, self.set_values());
                self.state.change().set(&name, joined);
            }
        }
        let kept = &mut self.state.change().exported;
        kept.retain(|e| !prefix.iter().any(|p| p.setting == e.1));
        for entry in exported {
            if prefix.iter().any(|p| p.name == entry.0) && !kept.iter().any(|(n, _)| *n == entry.0) {
                kept.push(entry);
            }
        }
    }

    /// Gives a variable a value for a while; gives what to put back.
    pub(super) fn bind(&mut self, name: &SmolStr, content: Content) -> Option<Variable> {
        let old = self.state.data.get(name).cloned();
        self.store(name, content);
        old
    }

    pub(super) fn unbind(&mut self, name: &SmolStr, old: Option<Variable>) {
        match old {
            Some(variable) => self.state.change().set(name, variable),
            None => self.state.change().forget(name),
        }
    }

    /// The argument as the builtin's argument vector shows it.
    fn declared_field(&self, assignment: &Assignment, content: &Content, env: Env<'_>) -> Field {
        let sign = if assignment.append { "+=" } else { "=" };
        let name = Value::Known(format_smolstr!("{}{sign}", assignment.name.text));
        let value = setting_value(content);
        let mut field = Field::literal("", env.span(assignment.span));
        field.value = name.concat(&value, self.set_values());
        field.spelling.expands = !matches!(field.value, Value::Known(_));
        field
    }
}

/// Whether a shell that takes an assignment argument for an ordinary word would split it.
fn splits(assignment: &Assignment) -> bool {
    match &assignment.value {
        AssignedValue::Scalar(word) => word.parts.iter().any(|p| {
            matches!(
                p.kind,
                PartKind::Parameter(_) | PartKind::Substitution(_) | PartKind::Glob(_)
            )
        }),
        AssignedValue::Array(_) => false,
    }
}

/// Whether an argument is this word, without quotes.
fn is_plain(argument: &Argument, text: &str) -> bool {
    match argument {
        Argument::Word(word) => word.plain() == Some(text),
        Argument::Assignment(_) => false,
    }
}

/// In zsh, a command word that begins with a plain `=` is the program of that name, wherever the search path has it.
fn zsh_program(call: &mut Call, word: Option<&Argument>) {
    let Some(Argument::Word(word)) = word else {
        return;
    };
    // The parser lets no other word through that begins so.
    if let Some(name) = word.plain().and_then(|text| text.strip_prefix('='))
        && let Some(field) = call.fields.first_mut()
    {
        field.value = Value::Known(name.into());
        call.lookup = Lookup::Programs;
    }
}
