//! The names that a template sees, and their values.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use minijinja::value::{Enumerator, Object, ValueKind};
use serde_json::{Map, Value as Json};
use smol_str::SmolStr;

use super::{Address, TemplateError};
use crate::definition::{Field, FieldKind, Tool};
use crate::input::Input;

/// What templates may know of a session, as `facts`. Nothing in it is secret.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SessionFacts {
    /// `linux`, `macos` or `windows`.
    pub os: SmolStr,
    /// The working directory.
    pub cwd: String,
    /// The home directory; empty where there is none.
    pub home: String,
    /// The day, as `2026-01-31`.
    pub date: SmolStr,
    /// The mode of deciding.
    pub mode: SmolStr,
    /// The session.
    pub session_id: SmolStr,
    /// The model that is asked; empty where that is unknown.
    pub model: SmolStr,
    /// Whether a person can be asked.
    pub interactive: bool,
    /// Programs found on the search path, of those that definitions ask about.
    pub programs: Vec<SmolStr>,
    /// Optional parts that are switched on.
    pub features: Vec<SmolStr>,
    /// Settings of the session, by name.
    pub settings: Map<String, Json>,
    /// Types of sub-agents, each with `name` and `about`.
    pub agents: Vec<Listed>,
    /// Skills, each with `name` and `about`.
    pub skills: Vec<Listed>,
    /// Names of connected MCP servers.
    pub servers: Vec<SmolStr>,
}

/// A name with a line about it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listed {
    /// The name.
    pub name: SmolStr,
    /// The line.
    pub about: String,
}

/// The value of a template.
#[derive(Clone)]
pub struct Value(pub(super) minijinja::Value);

/// Names with their values. Cheap to copy: a copy shares what it does not change.
#[derive(Clone, Default)]
pub struct Scope {
    names: Arc<BTreeMap<SmolStr, minijinja::Value>>,
}

/// The names of a scope as templates look them up.
#[derive(Debug)]
struct Names(Arc<BTreeMap<SmolStr, minijinja::Value>>);

impl Object for Names {
    fn get_value(self: &Arc<Self>, key: &minijinja::Value) -> Option<minijinja::Value> {
        self.0.get(key.as_str()?).cloned()
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        Enumerator::Values(self.0.keys().map(|name| name.as_str().into()).collect())
    }
}

impl Scope {
    /// The facts of a session alone.
    #[must_use]
    pub fn of_facts(facts: &SessionFacts) -> Self {
        let mut scope = Self::default();
        scope.set("facts", facts.value());
        scope
    }

    /// The facts of a session and the input of a call. Fields that the call leaves out are `none`.
    #[must_use]
    pub fn of_call(facts: &SessionFacts, tool: &Tool, input: &Input) -> Self {
        let mut scope = Self::of_facts(facts);
        scope.set("input", Value(object_value(&tool.input, input.as_map())));
        scope
    }

    /// Gives a name a value; an earlier value of the name is gone.
    pub fn set(&mut self, name: &str, value: Value) {
        Arc::make_mut(&mut self.names).insert(name.into(), value.0);
    }

    /// The value of a name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<Value> {
        self.names.get(name).cloned().map(Value)
    }

    pub(super) fn context(&self) -> minijinja::Value {
        minijinja::Value::from_object(Names(Arc::clone(&self.names)))
    }
}

impl fmt::Debug for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.names.iter()).finish()
    }
}

impl Value {
    /// A text.
    #[must_use]
    pub fn text(text: &str) -> Self {
        Self(text.into())
    }

    /// No value.
    #[must_use]
    pub fn none() -> Self {
        Self(minijinja::Value::from(()))
    }

    /// An address, whose parts templates can look at.
    #[must_use]
    pub fn address(text: &str) -> Self {
        Self(Address::value(text))
    }

    /// A JSON value; null is `none`.
    #[must_use]
    pub fn of_json(json: &Json) -> Self {
        Self(minijinja::Value::from(minijinja::value::Serde(json)))
    }

    /// As JSON.
    pub fn to_json(&self) -> Result<Json, TemplateError> {
        serde_json::to_value(&self.0).map_err(|error| TemplateError {
            message: format!("the value is no JSON: {error}"),
        })
    }

    /// As text: texts as they are, `none` as nothing, lists and objects as JSON.
    #[must_use]
    pub fn to_text(&self) -> String {
        shown(&self.0)
    }

    /// Whether a condition of this value holds.
    #[must_use]
    pub fn is_true(&self) -> bool {
        self.0.is_true()
    }

    /// Whether it is no value.
    #[must_use]
    pub fn is_none(&self) -> bool {
        self.0.is_none()
    }

    /// A whole number, also one that is spelled as text.
    #[must_use]
    pub fn as_integer(&self) -> Option<i64> {
        match self.0.as_str() {
            Some(text) => text.trim().parse().ok(),
            None => self.0.as_i64(),
        }
    }

    /// The items of a list.
    #[must_use]
    pub fn items(&self) -> Option<Vec<Self>> {
        if !matches!(self.0.kind(), ValueKind::Seq | ValueKind::Iterable) {
            return None;
        }
        Some(self.0.try_iter().ok()?.map(Self).collect())
    }
}

impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

impl SessionFacts {
    fn value(&self) -> Value {
        let listed = |items: &[Listed]| -> Json {
            items
                .iter()
                .map(|item| serde_json::json!({ "name": item.name, "about": item.about }))
                .collect()
        };
        let json = serde_json::json!({
            "os": self.os,
            "cwd": self.cwd,
            "home": self.home,
            "date": self.date,
            "mode": self.mode,
            "session_id": self.session_id,
            "model": self.model,
            "interactive": self.interactive,
            "programs": self.programs,
            "features": self.features,
            "settings": self.settings,
            "agents": listed(&self.agents),
            "skills": listed(&self.skills),
            "servers": self.servers,
        });
        Value::of_json(&json)
    }
}

/// A value as templates show it: texts as they are, `none` as nothing, booleans, lists and objects as JSON.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "texts, numbers and whatever the template language adds show themselves"
)]
pub(super) fn shown(value: &minijinja::Value) -> String {
    match value.kind() {
        ValueKind::None => String::new(),
        ValueKind::Bool | ValueKind::Seq | ValueKind::Map | ValueKind::Iterable => {
            serde_json::to_string(value).unwrap_or_else(|_| value.to_string())
        }
        _ => value.to_string(),
    }
}

/// An object as its fields say: what is left out is `none`, addresses have parts.
fn object_value(fields: &[Field], map: &Map<String, Json>) -> minijinja::Value {
    let known = fields.iter().map(|field| {
        let value = match map.get(field.name.value.as_str()) {
            None | Some(Json::Null) => minijinja::Value::from(()),
            Some(json) => field_value(&field.kind, json),
        };
        (field.name.value.to_string(), value)
    });
    let further = map
        .iter()
        .filter(|(key, _)| !fields.iter().any(|field| field.name.value == key.as_str()))
        .map(|(key, json)| (key.clone(), minijinja::Value::from(minijinja::value::Serde(json))));
    minijinja::Value::from_pairs(known.chain(further))
}

fn field_value(kind: &FieldKind, json: &Json) -> minijinja::Value {
    match (kind, json) {
        (FieldKind::Url(_), Json::String(text)) => Address::value(text),
        (FieldKind::Object(fields), Json::Object(map)) => object_value(fields, map),
        (FieldKind::Array { of, .. }, Json::Array(items)) => {
            items.iter().map(|item| field_value(of, item)).collect()
        }
        (
            FieldKind::String(_)
            | FieldKind::Path(_)
            | FieldKind::Url(_)
            | FieldKind::Integer(_)
            | FieldKind::Number(_)
            | FieldKind::Boolean
            | FieldKind::Enum(_)
            | FieldKind::Array { .. }
            | FieldKind::Object(_)
            | FieldKind::Json,
            _,
        ) => minijinja::Value::from(minijinja::value::Serde(json)),
    }
}
