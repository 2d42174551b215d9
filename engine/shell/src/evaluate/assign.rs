//! Assignments and the values of names.
//!
//! Invariant (steering is refused): a variable that changes what later words mean is a setting and a refusal.

use smol_str::SmolStr;

use crate::{AssignedValue, Assignment, Construct, Count, Field, Origin, SettingScope, Shell, Span, Value};

use super::names::{changes_by_itself, evaluates_numbers, is_number_by_itself, steers};
use super::state::{Content, Presence, State, Variable};
use super::{Env, Evaluator, Frame};

/// How a variable is assigned.
#[derive(Clone, Copy, Debug)]
pub(super) struct Target {
    pub(super) scope: SettingScope,
    pub(super) span: Span,
}

impl Target {
    pub(super) fn shell(span: Span) -> Self {
        Self {
            scope: SettingScope::Shell,
            span,
        }
    }
}

/// A variable of a function, with what it hides.
#[derive(Debug)]
pub(super) struct Local {
    name: SmolStr,
    /// `None`: the text had not touched it.
    hidden: Option<Variable>,
    /// The function makes it local whenever it runs.
    certain: bool,
}

/// The value that a setting shows.
pub(super) fn setting_value(content: &Content) -> Value {
    match content {
        Content::Scalar(value) => value.clone(),
        Content::Array(_) => Value::Unknown(Origin::Variable),
        Content::AnyArray(origin) => Value::Unknown(*origin),
    }
}

impl Evaluator<'_> {
    /// What an assignment gives the variable, without assigning it.
    pub(super) fn assigned(&mut self, assignment: &Assignment, env: Env<'_>) -> Content {
        let max = self.set_values();
        match &assignment.value {
            AssignedValue::Scalar(word) => {
                let value = self.single(word, env);
                if !assignment.append {
                    return Content::Scalar(value);
                }
                match self.lookup(&assignment.name.text).content {
                    // The shell adds numbers to some of these, or forgets the text.
                    Content::Scalar(_) if changes_by_itself(&assignment.name.text) => {
                        Content::Scalar(Value::Unknown(Origin::Variable))
                    }
                    Content::Scalar(old) => Content::Scalar(old.concat(&value, max)),
                    Content::Array(_) | Content::AnyArray(_) => Content::AnyArray(Origin::Variable),
                }
            }
            AssignedValue::Array(words) => {
                let mut fields = self.fields(words, env);
                self.look_up(&fields);
                if fields.len() > self.context.limits.expansion_words {
                    self.refuse(Construct::TooManyWords, env.span(assignment.span));
                    return Content::AnyArray(Origin::Limit);
                }
                if !assignment.append {
                    return Content::Array(fields);
                }
                let old = self.lookup(&assignment.name.text);
                let mut all = match (old.content, old.presence) {
                    (Content::Array(old), _) => old,
                    (Content::Scalar(_), Presence::Unset) => Vec::new(),
                    (Content::Scalar(old), Presence::Set) => {
                        let mut first = Field::literal("", env.span(assignment.span));
                        first.value = old;
                        vec![first]
                    }
                    (Content::Scalar(_), Presence::Maybe) | (Content::AnyArray(_), _) => {
                        return Content::AnyArray(Origin::Variable);
                    }
                };
                all.append(&mut fields);
                if all.len() > self.context.limits.expansion_words {
                    self.refuse(Construct::TooManyWords, env.span(assignment.span));
                    return Content::AnyArray(Origin::Limit);
                }
                Content::Array(all)
            }
        }
    }

    /// Assigns in the shell, or exported where the name is exported or that is asked for. Gives the setting's index.
    pub(super) fn assign(&mut self, name: &SmolStr, content: Content, target: Target, env: Env<'_>) -> usize {
        let value = setting_value(&content);
        self.check_steering(name, &value, target.span);
        let fixed = matches!(name.as_str(), "UID" | "EUID" | "PPID" | "BASH_VERSINFO");
        if fixed || self.state.data.get(name).is_some_and(|old| old.readonly) {
            // It fails, and bash leaves out the rest of the line and goes on with the next.
            self.refuse(Construct::AssignmentForm, target.span);
        }
        let exported = self.state.data.exported.iter().any(|(n, _)| n == name);
        let scope = if exported && target.scope == SettingScope::Shell {
            SettingScope::Exported
        } else {
            target.scope
        };
        let index = self.setting(name, value, scope, target.span, env);
        if scope == SettingScope::Exported {
            let exported = &mut self.state.change().exported;
            exported.retain(|(n, _)| n != name);
            exported.push((name.clone(), index));
        }
        self.store(name, content);
        index
    }

    /// Gives a variable a content that it may also not get, as by a `read` whose input cannot be read.
    pub(super) fn assign_perhaps(&mut self, name: &SmolStr, content: Content, target: Target, env: Env<'_>) {
        let before = self.lookup(name);
        self.assign(name, content, target, env);
        let either = self.lookup(name).join(&before, self.set_values());
        self.state.change().set(name, either);
    }

    /// Gives a variable its content without a setting.
    pub(super) fn store(&mut self, name: &SmolStr, content: Content) {
        let content = self.first_element(name, content);
        let mut variable = Variable {
            content,
            presence: Presence::Set,
            readonly: false,
        };
        if let Some(old) = self.state.data.get(name)
            && old.readonly
        {
            // The assignment fails, and the text may go on with the old value.
            variable = variable.join(old, self.set_values());
        }
        self.state.change().set(name, variable);
    }

    /// A scalar that is assigned to an array becomes its first element.
    fn first_element(&self, name: &str, content: Content) -> Content {
        let old = self.state.data.get(name).map(|v| (&v.content, v.presence));
        match (content, old) {
            (Content::Scalar(value), Some((Content::Array(fields), Presence::Set))) => {
                match (self.shell(), fields.split_first()) {
                    (Shell::Bash, None) => Content::Array(vec![Field {
                        value,
                        ..Field::literal("", Span::default())
                    }]),
                    (Shell::Bash, Some((first, rest))) if first.count == Count::One => {
                        let first = Field {
                            value,
                            ..first.clone()
                        };
                        Content::Array(std::iter::once(first).chain(rest.iter().cloned()).collect())
                    }
                    _ => Content::AnyArray(Origin::Variable),
                }
            }
            (Content::Scalar(_), Some((Content::Array(_) | Content::AnyArray(_), _))) => {
                Content::AnyArray(Origin::Variable)
            }
            (content, _) => content,
        }
    }

    pub(super) fn check_steering(&mut self, name: &str, value: &Value, span: Span) {
        let unchanged = name == "IFS" && value.known() == Some(" \t\n");
        let number = evaluates_numbers(name) && !value.is_integer();
        if (steers(self.shell(), name) && !unchanged) || number {
            self.refuse(Construct::ShellVariable, span);
        }
    }

    /// The value of a variable that the shell itself changes.
    pub(super) fn dynamic(&self, name: &str) -> Option<Variable> {
        if is_number_by_itself(self.shell(), name) {
            return Some(Variable::scalar(Value::Integer));
        }
        changes_by_itself(name).then(Variable::environment)
    }

    /// The value of a parameter that is no variable: a position or `#`, `?`, `$`, `!`, `-`.
    pub(super) fn special(&self, name: &str) -> (Value, Presence) {
        let unknown = (Value::Unknown(Origin::Positional), Presence::Maybe);
        match name {
            "#" => match self.state.data.positional.as_deref() {
                Some(fields) if fields.iter().all(|f| f.count == Count::One) => {
                    (Value::Known(fields.len().to_string().into()), Presence::Set)
                }
                Some(_) | None => (Value::Integer, Presence::Set),
            },
            "?" | "$" => (Value::Integer, Presence::Set),
            "!" if self.state.data.background => (Value::Integer, Presence::Set),
            "0" => match self.context.positional.as_deref().and_then(<[Field]>::first) {
                Some(field) if field.count == Count::One => (field.value.clone(), Presence::Set),
                Some(_) | None => (Value::Unknown(Origin::Positional), Presence::Set),
            },
            _ => match (name.parse::<usize>(), self.state.data.positional.as_deref()) {
                (Ok(number), Some(fields)) => {
                    let at = number.saturating_sub(1);
                    let before = fields.iter().take(number).all(|f| f.count == Count::One);
                    match fields.get(at) {
                        _ if !before => unknown,
                        Some(field) => (field.value.clone(), Presence::Set),
                        None => (Value::EMPTY, Presence::Unset),
                    }
                }
                (Ok(_), None) => unknown,
                (Err(_), _) => (Value::Unknown(Origin::Variable), Presence::Maybe),
            },
        }
    }

    /// Makes a name local to the function that is evaluated. False where there is none.
    pub(super) fn make_local(&mut self, name: &SmolStr, env: Env<'_>) -> bool {
        let current = self.state.data.get(name).cloned();
        let mut in_loop = false;
        let max = self.set_values();
        let inner = self
            .frames
            .iter()
            .rposition(|f| matches!(f, Frame::Function { .. }));
        let Some(inner) = inner else { return false };
        for frame in self.frames.get(inner..).unwrap_or_default() {
            match frame {
                // What a subshell hides is back when it ends.
                Frame::Subshell => return true,
                // `break` and `continue` may pass it by.
                Frame::Loop { .. } => in_loop = true,
                Frame::Function { .. } => {}
            }
        }
        if let Some(Frame::Function { locals, branch, .. }) = self.frames.get_mut(inner) {
            let certain = env.branch == *branch && !in_loop;
            match locals.iter_mut().find(|l| l.name == *name) {
                None => locals.push(Local {
                    name: name.clone(),
                    hidden: current,
                    certain,
                }),
                Some(local) if !local.certain => {
                    // What is hidden may be what an earlier, skipped `local` left in place.
                    let a = local.hidden.clone().unwrap_or_else(Variable::environment);
                    let b = current.unwrap_or_else(Variable::environment);
                    local.hidden = Some(a.join(&b, max));
                    local.certain = certain;
                }
                Some(_) => {}
            }
        }
        true
    }

    /// Whether a function that called the innermost one has made the name its own; then unsetting it brings back what that
    /// hides.
    pub(super) fn hidden_by_caller(&self, name: &str) -> bool {
        let mut functions = self.frames.iter().rev().filter_map(|f| match f {
            Frame::Function { locals, .. } => Some(locals),
            Frame::Loop { .. } | Frame::Subshell => None,
        });
        let own = functions
            .next()
            .is_some_and(|locals| locals.iter().any(|l| l.name == name && l.certain));
        !own && functions.any(|locals| locals.iter().any(|l| l.name == name))
    }

    /// Puts back, in a state in which a function is left, what its variables hid.
    pub(super) fn unhide(&self, state: &mut State, locals: &[Local]) {
        for Local {
            name,
            hidden,
            certain,
        } in locals.iter().rev()
        {
            match (hidden, certain) {
                (Some(variable), true) => state.change().set(name, variable.clone()),
                (None, true) => state.change().forget(name),
                (hidden, false) => {
                    let now = state.data.lookup(name, self.context.home.as_ref());
                    let hidden = hidden.clone().unwrap_or_else(Variable::environment);
                    state.change().set(name, now.join(&hidden, self.set_values()));
                }
            }
        }
    }
}
