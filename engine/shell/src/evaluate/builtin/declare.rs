//! `export`, `readonly`, `declare`, `typeset`, `local` and `unset`.

use smol_str::SmolStr;

use crate::{Construct, Count, Field, Origin, SettingScope, Shell, Span, Value};

use super::super::assign::{Target, setting_value};
use super::super::call::Call;
use super::super::names::is_identifier;
use super::super::state::{Content, Presence, Variable};
use super::super::{Env, Evaluator, Frame};

/// What a declaration asks for.
#[derive(Clone, Copy, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "one for each option letter")]
struct Wanted {
    local: bool,
    export: bool,
    unexport: bool,
    readonly: bool,
    array: bool,
    /// Changes the case of what is assigned.
    folds: bool,
    functions: bool,
    prints: bool,
}

impl Evaluator<'_> {
    pub(super) fn declare(&mut self, name: &str, call: &Call, env: Env<'_>) {
        self.announce_copy(call, env);
        let inside = self.frames.iter().any(|f| matches!(f, Frame::Function { .. }));
        if name == "local" && !inside && self.shell() != Shell::Zsh {
            // An error, and nothing is assigned.
            self.refuse(Construct::BuiltinForm, call.span);
        }
        let mut wanted = Wanted {
            local: matches!(name, "local" | "declare" | "typeset"),
            export: name == "export",
            readonly: name == "readonly",
            ..Wanted::default()
        };
        let Some(first) = self.declare_options(name, call, &mut wanted) else {
            return;
        };
        if wanted.functions || wanted.prints {
            return;
        }
        for (at, field) in call.fields.iter().enumerate().skip(first) {
            // The name of an assignment before the builtin keeps that value.
            let named = field
                .known()
                .and_then(|n| call.prefix.iter().find(|p| p.name == n));
            if let Some(prefix) = named
                && name != "local"
            {
                let content = prefix.content.clone();
                self.declare_one(&prefix.name, Some(content), wanted, field.span, env);
                continue;
            }
            if let Some(declared) = call.declared.iter().find(|d| d.at == at) {
                self.declare_one(
                    &declared.name,
                    Some(declared.content.clone()),
                    wanted,
                    field.span,
                    env,
                );
                continue;
            }
            let known = field.known().map(SmolStr::from);
            let (variable, content) = match known.as_deref().map(|t| t.split_once('=')) {
                Some(Some((variable, value))) => {
                    let value = Value::Known(value.into());
                    match variable.strip_suffix('+') {
                        Some(variable) => match self.lookup(variable).content {
                            Content::Scalar(old) => (
                                variable,
                                Some(Content::Scalar(old.concat(&value, self.set_values()))),
                            ),
                            Content::Array(_) | Content::AnyArray(_) => {
                                (variable, Some(Content::AnyArray(Origin::Variable)))
                            }
                        },
                        None => (variable, Some(Content::Scalar(value))),
                    }
                }
                Some(None) => (known.as_deref().unwrap_or_default(), None),
                None => match prefixed_name(field) {
                    // `export "X=$y"`: the name is known and the value is not.
                    Some(variable) => {
                        let content = Content::Scalar(Value::Unknown(field.value.origin()));
                        self.declare_one(&variable, Some(content), wanted, field.span, env);
                        continue;
                    }
                    None => ("", None),
                },
            };
            if is_identifier(variable) {
                self.declare_one(&variable.into(), content, wanted, field.span, env);
            } else {
                self.refuse(Construct::BuiltinForm, field.span);
            }
        }
    }

    /// Reads the options; gives the index of the first operand.
    fn declare_options(&mut self, name: &str, call: &Call, wanted: &mut Wanted) -> Option<usize> {
        let everywhere = matches!(name, "export" | "readonly");
        for (at, field) in call.fields.iter().enumerate().skip(1) {
            if call.declared.iter().any(|d| d.at == at) {
                return Some(at);
            }
            let Some(text) = field.known() else {
                if field.value.may_begin("-") || field.value.may_begin("+") {
                    self.refuse(Construct::BuiltinForm, field.span);
                    return None;
                }
                return Some(at);
            };
            if text == "--" {
                return Some(at + 1);
            }
            let (sign, letters) = match text.strip_prefix('-') {
                Some(letters) => ('-', letters),
                None => match text.strip_prefix('+') {
                    Some(letters) => ('+', letters),
                    None => return Some(at),
                },
            };
            for letter in letters.chars() {
                match (letter, sign) {
                    ('x', '-') => wanted.export = true,
                    ('x', _) => wanted.unexport = true,
                    ('n', '-') if name == "export" => wanted.unexport = true,
                    ('r', '-') => wanted.readonly = true,
                    ('g', '-') => wanted.local = false,
                    ('a' | 'A', '-') => wanted.array = true,
                    ('l' | 'u', '-') if !everywhere => wanted.folds = true,
                    ('p', '-') => wanted.prints = true,
                    ('f' | 'F', '-') if !everywhere => wanted.functions = true,
                    // `-i` and `-n` evaluate what is assigned later; the others are not modelled.
                    _ => {
                        self.refuse(Construct::BuiltinForm, field.span);
                        return None;
                    }
                }
            }
            if letters.is_empty() {
                // A lone dash: `local -` restores the shell options afterwards.
                self.refuse(Construct::BuiltinForm, field.span);
                return None;
            }
        }
        if wanted.functions && (wanted.export || wanted.readonly) {
            self.refuse(Construct::BuiltinForm, call.span);
        }
        Some(call.fields.len())
    }

    fn declare_one(
        &mut self,
        name: &SmolStr,
        content: Option<Content>,
        wanted: Wanted,
        span: Span,
        env: Env<'_>,
    ) {
        let fresh = wanted.local && self.make_local(name, env);
        let content = content.map(|content| match content {
            Content::Scalar(value) if wanted.folds && !value.is_integer() => {
                Content::Scalar(Value::Unknown(value.origin()))
            }
            // A scalar assigned to a name that is declared an array is its first element.
            Content::Scalar(_) if wanted.array => Content::AnyArray(Origin::Variable),
            content @ (Content::Scalar(_) | Content::Array(_) | Content::AnyArray(_)) => content,
        });
        let scope = if wanted.export {
            SettingScope::Exported
        } else {
            SettingScope::Shell
        };
        match content {
            Some(content) => {
                self.assign(name, content, Target { scope, span }, env);
            }
            None if fresh => {
                if name != "IFS" {
                    self.check_steering(name, &Value::Integer, span);
                }
                let variable = match self.shell() {
                    Shell::Bash => Variable::unset(),
                    Shell::Zsh => Variable::scalar(Value::EMPTY),
                    // dash keeps the outer value.
                    Shell::Sh => self.lookup(name).join(&Variable::unset(), self.set_values()),
                };
                self.state.change().set(name, variable);
                if wanted.export {
                    self.export(name, span, env);
                }
            }
            None if wanted.export && !wanted.unexport => self.export(name, span, env),
            None => {}
        }
        if wanted.array && self.state.data.get(name).is_none() {
            let variable = Variable {
                content: Content::AnyArray(Origin::Variable),
                ..Variable::environment()
            };
            self.state.change().set(name, variable);
        }
        if wanted.unexport {
            self.state.change().exported.retain(|(n, _)| n != name);
        }
        if wanted.readonly {
            let variable = Variable {
                readonly: true,
                ..self.lookup(name)
            };
            self.state.change().set(name, variable);
        }
    }

    /// Exports a variable with the value it has.
    fn export(&mut self, name: &SmolStr, span: Span, env: Env<'_>) {
        let value = setting_value(&self.lookup(name).content);
        let index = self.setting(name, value, SettingScope::Exported, span, env);
        let exported = &mut self.state.change().exported;
        exported.retain(|(n, _)| n != name);
        exported.push((name.clone(), index));
    }

    pub(super) fn unset(&mut self, call: &Call, env: Env<'_>) {
        self.announce_copy(call, env);
        let (mut functions, mut variables) = (true, true);
        let mut options = true;
        for field in call.arguments() {
            let text = field.known();
            match text {
                Some("-v") if options => functions = false,
                Some("-f") if options => variables = false,
                Some("--") if options => {}
                Some(text) if is_identifier(text) => {
                    let name = SmolStr::from(text);
                    self.unset_one(&name, variables, functions, field.span);
                }
                // One element, counted by a plain number.
                Some(text) if functions && element_of(text).is_some() => {
                    let name = SmolStr::from(element_of(text).unwrap_or_default());
                    self.store(&name, Content::AnyArray(Origin::Variable));
                }
                Some(text) if !variables && !text.starts_with('-') => {
                    self.unset_one(&text.into(), false, true, field.span);
                }
                Some(_) | None => self.refuse(Construct::BuiltinForm, field.span),
            }
            options &= text.is_some_and(|text| text.starts_with('-') && text != "--");
        }
    }

    fn unset_one(&mut self, name: &SmolStr, variables: bool, functions: bool, span: Span) {
        let old = self.lookup(name);
        if variables {
            // Without a value, PATH is the default path and IFS the default separators.
            self.check_steering(name, &Value::Integer, span);
            // Without `-v`, a name that is no variable is a function.
            let hidden = self.hidden_by_caller(name);
            let mut variable = if hidden {
                Variable::environment()
            } else {
                Variable::unset()
            };
            if old.readonly {
                variable = variable.join(&old, self.set_values());
            }
            self.state.change().set(name, variable);
            self.state.change().exported.retain(|(n, _)| n != name);
        }
        // Others look for functions with `-f` alone.
        let functions = functions && (self.shell() == Shell::Bash || !variables);
        if functions && self.state.data.function(name).is_some() {
            let certain = !variables || old.presence == Presence::Unset;
            let data = self.state.change();
            if certain {
                data.functions.retain(|f| f.name != *name);
            } else if let Some(binding) = data.functions.iter_mut().find(|f| f.name == *name) {
                binding.maybe_absent = true;
            }
        }
    }
}

/// The name in an argument that surely begins with `NAME=`.
fn prefixed_name(field: &Field) -> Option<SmolStr> {
    if field.count != Count::One {
        return None;
    }
    let prefix = field.value.known_prefix();
    let (name, _) = prefix.split_once('=')?;
    is_identifier(name).then(|| name.into())
}

/// The array in `name[3]`.
fn element_of(text: &str) -> Option<&str> {
    let (name, index) = text.strip_suffix(']')?.split_once('[')?;
    let number = !index.is_empty() && index.bytes().all(|b| b.is_ascii_digit());
    (number && is_identifier(name)).then_some(name)
}
