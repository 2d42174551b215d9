//! Deciding tools other than the shell: their input says what they touch, so that one rule governs every way to do a thing.

use engine_shell::{Directory, Span, Value};
use serde_json::Value as Json;
use smol_str::SmolStr;

use super::Decider;
use super::groups::{Matched, Ruling};
use super::path::{Access, Asked, Cover};
use crate::document::{Outcome, RequestKind};
use crate::facts::Facts;
use crate::names::nearest;
use crate::pattern::Glob;
use crate::plan::{CompiledCondition, End, GroupId, parse_host};
use crate::tool_shape::{Absent, Effects, FieldShape, Role, ToolShape, Trees};
use crate::truth::{Truth, glob_says};
use crate::verdict::{Request, Why};

/// A path of a tool's input. A leading tilde is the shell's business, but people and models write it in tools, too.
fn expanded(path: &str, facts: &Facts<'_>) -> SmolStr {
    match (path.strip_prefix("~/"), facts.home) {
        (Some(rest), Some(home)) => format!("{home}/{rest}").into(),
        _ => path.into(),
    }
}

/// Where a path of a tool's input really leads, as deciding the call takes it; `None` where that is not known.
#[must_use]
pub fn tool_path(path: &str, facts: &Facts<'_>) -> Option<String> {
    let path = expanded(path, facts);
    if path.contains('\0') {
        return None;
    }
    if path.starts_with('/') {
        facts.world.real_path(&path)
    } else {
        facts.world.real_path(&format!("{}/{path}", facts.directory))
    }
}

impl Decider<'_> {
    /// Decides a call of any tool.
    pub(super) fn tool_call(&mut self, name: &str, shape: Option<&ToolShape<'_>>, input: &Json) {
        let Some(fields) = input.as_object() else {
            self.bad_input(name, "the input is not an object".to_owned());
            return;
        };
        let ruling = self.tool_ruling(name, input);
        let request = Request::Tool(name.into());
        let says_all = shape.is_some_and(|shape| shape.effects == Effects::InInput);
        let (outcome, why) = match ruling {
            Ruling::Deny(rule) => (Outcome::Deny, Why::Rule(rule)),
            Ruling::DenyMaybe(rule) | Ruling::AskMaybe(rule) => (Outcome::Ask, Why::RuleMaybe(rule)),
            Ruling::Ask(rule) => (Outcome::Ask, Why::Rule(rule)),
            Ruling::Allow(rule) => (Outcome::Allow, Why::Rule(rule)),
            Ruling::Nothing if says_all => (Outcome::Allow, Why::NoEffect),
            Ruling::Nothing => self.default(RequestKind::Tool),
        };
        self.step(request, Span::default(), outcome, why, 0);
        let Some(shape) = shape else { return };
        for field in fields.keys() {
            if !shape.fields.iter().any(|own| own.name == field) {
                let names = shape.fields.iter().map(|own| own.name);
                let nearest =
                    nearest(field, names).map_or(String::new(), |own| format!("; did you mean `{own}`?"));
                self.bad_input(name, format!("`{field}` is no field of {name}{nearest}"));
            }
        }
        for field in shape.fields {
            match (fields.get(field.name), field.absent) {
                (None | Some(Json::Null), Absent::Wrong) => {
                    self.bad_input(name, format!("{name} needs `{}`", field.name));
                }
                (None | Some(Json::Null), Absent::Nothing) => {}
                (None | Some(Json::Null), Absent::Means(text)) => self.field_text(shape, field, text),
                (Some(Json::Array(values)), _) if field.many => {
                    for value in values {
                        self.field(shape, field, value);
                    }
                }
                (Some(value), _) => self.field(shape, field, value),
            }
        }
    }

    fn field(&mut self, shape: &ToolShape<'_>, field: &FieldShape<'_>, value: &Json) {
        let tool = shape.name;
        match (field.role, value) {
            (None, _) | (Some(Role::Unconfined), Json::Bool(false)) => {}
            (Some(Role::Unconfined), _) => self.step(
                Request::Tool(tool.into()),
                Span::default(),
                Outcome::Ask,
                Why::Unknown("asks to run without confinement".to_owned()),
                0,
            ),
            (Some(_), Json::String(text)) => self.field_text(shape, field, text),
            (Some(_), Json::Null | Json::Bool(_) | Json::Number(_) | Json::Array(_) | Json::Object(_)) => {
                self.bad_input(tool, format!("`{}` is not a text", field.name));
            }
        }
    }

    fn field_text(&mut self, shape: &ToolShape<'_>, field: &FieldShape<'_>, text: &str) {
        let tool = shape.name;
        let Some(role) = field.role else { return };
        match role {
            Role::Unconfined => {}
            // Where one program reads on, another one stops.
            Role::Reads | Role::ReadsTree | Role::Writes | Role::Deletes if text.contains('\0') => {
                self.bad_input(tool, format!("`{}` holds a NUL", field.name));
            }
            Role::Reads => self.tool_path(text, Access::Read, false),
            Role::ReadsTree => self.tool_path(text, Access::Read, shape.trees == Trees::Whole),
            Role::Writes => self.tool_path(text, Access::Write, false),
            Role::Deletes => self.tool_path(text, Access::Delete, false),
            Role::Connects => self.host(parse_host(text).as_ref(), Some(text), Span::default(), None),
            Role::RunsShell => self.shell_call(text),
            Role::Names => self.tool_names(text),
            Role::Agent => self.named(text, RequestKind::Agent),
            Role::Skill => self.named(text, RequestKind::Skill),
        }
    }

    fn bad_input(&mut self, name: &str, why: String) {
        self.step(
            Request::Tool(name.into()),
            Span::default(),
            Outcome::Deny,
            Why::Unknown(why),
            0,
        );
    }

    /// A glob of the Glob tool: what stands before its first wildcard is a directory whose names are listed.
    fn tool_names(&mut self, pattern: &str) {
        let leads_away = pattern.starts_with(['/', '~', '{'])
            || pattern.split(['/', '{', ',', '}']).any(|part| part == "..");
        if !leads_away {
            return;
        }
        let wild = pattern.find(['*', '?', '[', '{']).unwrap_or(pattern.len());
        let beginning = pattern
            .get(..wild)
            .and_then(|head| head.rsplit_once('/'))
            .map_or("", |(head, _)| head);
        let plain = !pattern.contains('{') && !pattern.split('/').skip(1).any(|part| part == "..");
        let root = if beginning.is_empty() || !plain {
            "/"
        } else {
            beginning
        };
        self.tool_path(root, Access::Read, false);
    }

    fn tool_path(&mut self, path: &str, access: Access, tree: bool) {
        let value = Value::Known(expanded(path, self.facts));
        let directory = Directory::OneOf(vec![self.facts.directory.into()]);
        let asked = Asked {
            tree,
            ..Asked::one(access, &value, &directory, Span::default())
        };
        self.path(&asked, Cover::None);
    }

    fn tool_ruling(&self, name: &str, input: &Json) -> Ruling {
        let mut matched = Matched::default();
        let value = Value::Known(name.into());
        for (glob, end) in &self.plan.tools {
            let truth = glob_says(glob, &value);
            if truth != Truth::No {
                matched.hit(*end, truth);
            }
        }
        matched.ruling(self.plan, self.rules, &mut |group| {
            self.input_condition(group, input)
        })
    }

    fn input_condition(&self, group: GroupId, input: &Json) -> Truth {
        let Some(rule) = self.plan.rule_of(group) else {
            return Truth::No;
        };
        let mut truth = Truth::Yes;
        for condition in &rule.conditions {
            if let CompiledCondition::Via(tools) = condition {
                truth = truth.min(self.made_by(tools));
            }
            let CompiledCondition::Input(field, globs) = condition else {
                continue;
            };
            let text = match input.get(field.as_str()) {
                Some(Json::String(text)) => Some(SmolStr::from(text.as_str())),
                Some(other @ (Json::Bool(_) | Json::Number(_))) => Some(SmolStr::from(other.to_string())),
                Some(Json::Null | Json::Array(_) | Json::Object(_)) | None => None,
            };
            let says = match (text, input.get(field.as_str())) {
                (Some(text), _) => {
                    let value = Value::Known(text);
                    globs
                        .iter()
                        .map(|glob| glob_says(glob, &value))
                        .max()
                        .unwrap_or(Truth::No)
                }
                (None, Some(Json::Array(_) | Json::Object(_))) => Truth::Maybe,
                (None, _) => Truth::No,
            };
            truth = truth.min(says);
        }
        truth
    }

    /// An agent or a skill by its name.
    fn named(&mut self, name: &str, kind: RequestKind) {
        let (list, request): (&[(Glob, End)], Request) = if kind == RequestKind::Agent {
            (&self.plan.agents, Request::Agent(name.into()))
        } else {
            (&self.plan.skills, Request::Skill(name.into()))
        };
        let mut matched = Matched::default();
        let value = Value::Known(name.into());
        for (glob, end) in list {
            let truth = glob_says(glob, &value);
            if truth != Truth::No {
                matched.hit(*end, truth);
            }
        }
        let (outcome, why) = match matched.ruling(self.plan, self.rules, &mut |_| Truth::Yes) {
            Ruling::Deny(rule) => (Outcome::Deny, Why::Rule(rule)),
            Ruling::DenyMaybe(rule) | Ruling::AskMaybe(rule) => (Outcome::Ask, Why::RuleMaybe(rule)),
            Ruling::Ask(rule) => (Outcome::Ask, Why::Rule(rule)),
            Ruling::Allow(rule) => (Outcome::Allow, Why::Rule(rule)),
            Ruling::Nothing => self.default(kind),
        };
        self.step(request, Span::default(), outcome, why, 0);
    }
}
