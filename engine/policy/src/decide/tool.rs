//! Deciding tools other than the shell: their input says what they touch, so that one rule governs every way to do a thing.

use engine_shell::{Directory, Span, Value};
use serde_json::Value as Json;
use smol_str::SmolStr;

use super::Decider;
use super::groups::{Matched, Ruling};
use super::path::{Access, Asked, Cover};
use crate::document::{Outcome, RequestKind};
use crate::effect::Follows;
use crate::pattern::Glob;
use crate::plan::{CompiledCondition, End, GroupId, parse_host};
use crate::truth::{Truth, glob_says};
use crate::verdict::{Request, Why};

/// What a field of a tool's input says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Nothing,
    Reads,
    ReadsTree,
    Writes,
    Connects,
    /// A glob over names, which may lead elsewhere.
    Names,
    /// A switch that takes the confinement away.
    Unconfined,
    Shell,
    Agent,
    Skill,
}

/// A tool whose input is understood: its fields, those that are needed marked.
struct ToolShape {
    name: &'static str,
    fields: &'static [(&'static str, Role, bool)],
}

/// Source: the tool interface that agents know (names and fields are fixed).
const TOOLS: &[ToolShape] = &[
    ToolShape {
        name: "Bash",
        fields: &[
            ("command", Role::Shell, true),
            ("timeout", Role::Nothing, false),
            ("description", Role::Nothing, false),
            ("run_in_background", Role::Nothing, false),
            ("dangerouslyDisableSandbox", Role::Unconfined, false),
        ],
    },
    ToolShape {
        name: "Read",
        fields: &[
            ("file_path", Role::Reads, true),
            ("offset", Role::Nothing, false),
            ("limit", Role::Nothing, false),
            ("pages", Role::Nothing, false),
        ],
    },
    ToolShape {
        name: "Write",
        fields: &[
            ("file_path", Role::Writes, true),
            ("content", Role::Nothing, true),
        ],
    },
    ToolShape {
        name: "Edit",
        fields: &[
            ("file_path", Role::Writes, true),
            ("old_string", Role::Nothing, true),
            ("new_string", Role::Nothing, true),
            ("replace_all", Role::Nothing, false),
        ],
    },
    ToolShape {
        name: "NotebookEdit",
        fields: &[
            ("notebook_path", Role::Writes, true),
            ("command", Role::Nothing, false),
            ("cell_number", Role::Nothing, false),
            ("cell_type", Role::Nothing, false),
            ("new_source", Role::Nothing, false),
        ],
    },
    ToolShape {
        name: "Glob",
        fields: &[("pattern", Role::Names, true), ("path", Role::Reads, false)],
    },
    ToolShape {
        name: "Grep",
        fields: &[
            ("pattern", Role::Nothing, true),
            ("path", Role::ReadsTree, false),
            ("glob", Role::Nothing, false),
            ("type", Role::Nothing, false),
            ("output_mode", Role::Nothing, false),
            ("-A", Role::Nothing, false),
            ("-B", Role::Nothing, false),
            ("-C", Role::Nothing, false),
            ("context", Role::Nothing, false),
            ("-n", Role::Nothing, false),
            ("-i", Role::Nothing, false),
            ("multiline", Role::Nothing, false),
            ("head_limit", Role::Nothing, false),
            ("offset", Role::Nothing, false),
        ],
    },
    ToolShape {
        name: "WebFetch",
        fields: &[("url", Role::Connects, true), ("prompt", Role::Nothing, false)],
    },
    ToolShape {
        name: "Agent",
        fields: &[
            ("description", Role::Nothing, false),
            ("prompt", Role::Nothing, false),
            ("subagent_type", Role::Agent, false),
            ("model", Role::Nothing, false),
            ("run_in_background", Role::Nothing, false),
            ("isolation", Role::Nothing, false),
            ("cwd", Role::Nothing, false),
            ("name", Role::Nothing, false),
            ("team_name", Role::Nothing, false),
            ("mode", Role::Nothing, false),
        ],
    },
    ToolShape {
        name: "Skill",
        fields: &[("skill", Role::Skill, true), ("args", Role::Nothing, false)],
    },
];

/// The tools whose input is understood.
pub(crate) fn tool_names() -> impl Iterator<Item = &'static str> {
    TOOLS.iter().map(|shape| shape.name)
}

/// The fields of a tool whose input is understood.
pub(crate) fn fields_of_tool(name: &str) -> Option<impl Iterator<Item = &'static str>> {
    let shape = TOOLS.iter().find(|shape| shape.name == name)?;
    Some(shape.fields.iter().map(|(field, _, _)| *field))
}

impl Decider<'_> {
    /// Decides a call of any tool.
    pub(super) fn tool_call(&mut self, name: &str, input: &Json) {
        let shape = TOOLS.iter().find(|shape| shape.name == name);
        let Some(fields) = input.as_object() else {
            self.bad_input(name, "the input is not an object".to_owned());
            return;
        };
        let ruling = self.tool_ruling(name, input);
        let request = Request::Tool(name.into());
        let (outcome, why) = match ruling {
            Ruling::Deny(rule) => (Outcome::Deny, Why::Rule(rule)),
            Ruling::DenyMaybe(rule) | Ruling::AskMaybe(rule) => (Outcome::Ask, Why::RuleMaybe(rule)),
            Ruling::Ask(rule) => (Outcome::Ask, Why::Rule(rule)),
            Ruling::Allow(rule) => (Outcome::Allow, Why::Rule(rule)),
            // A tool whose input says all it touches needs no rule of its own.
            Ruling::Nothing if shape.is_some() => (Outcome::Allow, Why::NoEffect),
            Ruling::Nothing => self.default(RequestKind::Tool),
        };
        self.step(request, Span::default(), outcome, why, 0);
        let Some(shape) = shape else { return };
        for field in fields.keys() {
            if !shape.fields.iter().any(|(own, _, _)| own == field) {
                let nearest = shape
                    .fields
                    .iter()
                    .map(|(own, _, _)| (strsim::damerau_levenshtein(own, field), *own))
                    .min()
                    .map_or(String::new(), |(_, own)| format!("; did you mean `{own}`?"));
                self.bad_input(name, format!("`{field}` is no field of {name}{nearest}"));
            }
        }
        for &(field, role, needed) in shape.fields {
            match (fields.get(field), role) {
                (None | Some(Json::Null), Role::ReadsTree | Role::Reads) if !needed => {
                    self.tool_path(".", role);
                }
                (None | Some(Json::Null), _) if needed => {
                    self.bad_input(name, format!("{name} needs `{field}`"));
                }
                (None | Some(Json::Null), _) | (Some(_), Role::Nothing) => {}
                // Where one program reads on, another one stops.
                (Some(Json::String(text)), Role::Reads | Role::ReadsTree | Role::Writes)
                    if text.contains('\0') =>
                {
                    self.bad_input(name, format!("`{field}` holds a NUL"));
                }
                (Some(Json::String(text)), Role::Reads | Role::ReadsTree | Role::Writes) => {
                    self.tool_path(text, role);
                }
                (Some(Json::String(text)), Role::Connects) => {
                    self.host(parse_host(text).as_ref(), Some(text), Span::default(), None);
                }
                (Some(Json::String(text)), Role::Shell) => self.shell_call(text),
                (Some(Json::String(text)), Role::Names) => self.tool_names(text),
                (Some(Json::Bool(false)), Role::Unconfined) => {}
                (Some(_), Role::Unconfined) => self.step(
                    Request::Tool(name.into()),
                    Span::default(),
                    Outcome::Ask,
                    Why::Unknown("asks to run without confinement".to_owned()),
                    0,
                ),
                (Some(Json::String(text)), Role::Agent) => self.named(text, RequestKind::Agent),
                (Some(Json::String(text)), Role::Skill) => self.named(text, RequestKind::Skill),
                (Some(_), _) => self.bad_input(name, format!("`{field}` is not a text")),
            }
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
        self.tool_path(root, Role::Reads);
    }

    fn tool_path(&mut self, path: &str, role: Role) {
        // A leading tilde is the shell's business, but people and models write it in tools too.
        let expanded = match (path.strip_prefix("~/"), self.facts.home) {
            (Some(rest), Some(home)) => SmolStr::from(format!("{home}/{rest}")),
            _ => SmolStr::from(path),
        };
        let value = Value::Known(expanded);
        let directory = Directory::OneOf(vec![self.facts.directory.into()]);
        let asked = Asked {
            access: if role == Role::Writes {
                Access::Write
            } else {
                Access::Read
            },
            path: &value,
            directory: &directory,
            below: None,
            tree: role == Role::ReadsTree,
            follows: Follows::No,
            only: &[],
            except: &[],
            span: Span::default(),
            check: 0,
            own: false,
            edited: None,
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
