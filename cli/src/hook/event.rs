//! The event that a client writes: its essentials, with the types they must have. Fields that are not needed may be anything.

use serde_json::{Map, Value as Json};

use super::client::ClientData;
use crate::json;

/// Longest event that is read.
pub(crate) const MAX_EVENT_BYTES: u64 = 64 << 20;

/// What an event is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// May this call be made?
    Before,
    /// This call was made.
    After,
    /// Something else.
    Other,
}

/// An event whose essentials have their types.
#[derive(Clone, Debug)]
pub(crate) struct Event {
    pub phase: Phase,
    pub name: String,
    pub session: String,
    pub call: String,
    pub agent: String,
    pub cwd: Option<String>,
    pub mode: Option<String>,
    pub tool: String,
    pub input: Json,
    /// Everything that was said.
    pub whole: Map<String, Json>,
}

impl Event {
    /// Reads one.
    ///
    /// # Errors
    /// One line that says what is missing or wrong.
    pub(crate) fn parse(data: &ClientData, bytes: &[u8]) -> Result<Self, String> {
        let whole = match json::parse(bytes) {
            Ok(Json::Object(whole)) => whole,
            Ok(Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) | Json::Array(_)) => {
                return Err("the event is no JSON object".to_owned());
            }
            Err(error) => return Err(format!("the event is not JSON: {error}")),
        };
        let name = required(&whole, "hook_event_name")?;
        let is_one = |names: &[&str]| names.contains(&name.as_str());
        let phase = if is_one(data.decides) {
            Phase::Before
        } else if is_one(data.ran) {
            Phase::After
        } else if is_one(data.other) {
            Phase::Other
        } else {
            return Err(format!("the event `{name}` is not known"));
        };
        let mut event = Self {
            phase,
            name,
            session: loose(&whole, "session_id"),
            call: loose(&whole, "tool_use_id"),
            agent: loose(&whole, "agent_id"),
            cwd: None,
            mode: None,
            tool: loose(&whole, "tool_name"),
            input: whole.get("tool_input").cloned().unwrap_or_default(),
            whole,
        };
        if phase == Phase::Before {
            event.tool = required(&event.whole, "tool_name")?;
            if !event.input.is_object() {
                return Err("`tool_input` is no object".to_owned());
            }
            event.cwd = Some(required(&event.whole, "cwd")?);
            event.mode = match event.whole.get("permission_mode") {
                None | Some(Json::Null) => None,
                Some(Json::String(mode)) => Some(mode.clone()),
                Some(Json::Bool(_) | Json::Number(_) | Json::Array(_) | Json::Object(_)) => {
                    return Err("`permission_mode` is no text".to_owned());
                }
            };
        } else if let Some(Json::String(cwd)) = event.whole.get("cwd") {
            event.cwd = Some(cwd.clone());
        }
        if event
            .cwd
            .as_ref()
            .is_some_and(|cwd| !cwd.starts_with('/') || cwd.contains('\0'))
        {
            return Err("`cwd` is no absolute path".to_owned());
        }
        Ok(event)
    }
}

fn required(whole: &Map<String, Json>, field: &str) -> Result<String, String> {
    match whole.get(field) {
        Some(Json::String(text)) if !text.is_empty() => Ok(text.clone()),
        Some(_) => Err(format!("`{field}` is no text, or empty")),
        None => Err(format!("the event has no `{field}`")),
    }
}

/// A field that only the audit log shows.
fn loose(whole: &Map<String, Json>, field: &str) -> String {
    match whole.get(field) {
        Some(Json::String(text)) => text.clone(),
        Some(Json::Null | Json::Bool(_) | Json::Number(_) | Json::Array(_) | Json::Object(_)) | None => {
            String::new()
        }
    }
}
