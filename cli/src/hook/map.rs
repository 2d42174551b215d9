//! From a client's call to calls that rules know. One call of a client may be several: a patch changes many files.
//!
//! Invariant (nothing is dropped silently): a field that the client's table does not list makes the call one that is not known.

use std::collections::BTreeSet;

use engine_policy::{Role, ToolShape};
use serde_json::{Map, Value as Json};

use super::client::{ClientData, Field, ToolMap};
use super::event::Event;
use super::patch;

/// What a client's call is for the rules.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Mapped {
    /// The calls; all of them must be allowed.
    pub calls: Vec<OwnCall>,
    /// Where they start, if the call says so itself.
    pub directory: Option<String>,
    /// What about it is not known, in one line each: then it is not allowed.
    pub unknown: Vec<String>,
    /// What about it is no input that a client makes anything of but by guessing: then it is denied.
    pub wrong: Vec<String>,
}

/// One call.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum OwnCall {
    /// Of a tool.
    Tool { name: String, input: Json },
    /// What a command would do.
    Command(String),
}

impl Mapped {
    /// Reads the call of an event.
    pub(crate) fn of(data: &ClientData, event: &Event) -> Self {
        let mut mapped = Self::default();
        let Some(fields) = event.input.as_object() else {
            mapped.unknown.push("`tool_input` is no object".to_owned());
            return mapped;
        };
        // What belongs to a server may have the name of a tool of the client's own.
        let of_server = data
            .mcp
            .as_ref()
            .is_some_and(|context| event.whole.get(context.field).is_some_and(|own| !own.is_null()));
        let own = data.tools.iter().find(|tool| tool.name == event.tool);
        match own.filter(|_| !of_server) {
            Some(tool) => mapped.listed(data, tool, fields),
            None => mapped.unlisted(data, event),
        }
        mapped.refuse_lists();
        mapped
    }

    /// Fields that say what is touched are texts. What a client makes of a list (one command of many words, or many) is its own affair.
    fn refuse_lists(&mut self) {
        for call in &self.calls {
            let OwnCall::Tool { name, input } = call else {
                continue;
            };
            let Some(shape) = ToolShape::shipped(name) else {
                continue;
            };
            let touching = shape
                .fields
                .iter()
                .filter(|field| !matches!(field.role, None | Some(Role::Unconfined)));
            for field in touching {
                if input
                    .get(field.name)
                    .is_some_and(|value| !value.is_string() && !value.is_null())
                {
                    self.wrong
                        .push(format!("`{}` of {name} is not a text", field.name));
                }
            }
        }
    }

    fn listed(&mut self, data: &ClientData, tool: &ToolMap, fields: &Map<String, Json>) {
        let mut left: BTreeSet<&str> = fields.keys().map(String::as_str).collect();
        for name in data.ignored {
            left.remove(name);
        }
        let mut input = Map::new();
        let mut many: Vec<(&str, Vec<String>)> = Vec::new();
        for field in tool.fields {
            match *field {
                Field::Ignore { from } => from.iter().for_each(|name| {
                    left.remove(name);
                }),
                Field::Value { to, value } => {
                    input.insert(to.to_owned(), value.into());
                }
                Field::Copy { from, to } => {
                    if let Some(value) = self.one(&mut left, from, fields) {
                        input.insert(to.to_owned(), value.clone());
                    }
                }
                Field::Directory { from } => match self.one(&mut left, from, fields) {
                    Some(Json::String(directory)) => self.directory = Some(directory.clone()),
                    Some(Json::Null) | None => {}
                    Some(_) => self.unknown.push(format!("`{}` is no text", from.join("`, `"))),
                },
                Field::Addresses { from, to } => {
                    let mut found = Vec::new();
                    for name in from {
                        left.remove(name);
                        if let Some(Json::String(text)) = fields.get(*name) {
                            found.extend(addresses(text));
                        } else if fields.contains_key(*name) {
                            self.unknown.push(format!("`{name}` is no text"));
                        }
                    }
                    if found.is_empty() {
                        self.unknown
                            .push("it names no address that is understood".to_owned());
                    }
                    many.push((to, found));
                }
                Field::Patch { from } => match self.one(&mut left, from, fields) {
                    Some(Json::String(text)) => match patch::calls(text) {
                        Ok(calls) => self.calls.extend(calls),
                        Err(why) => self.unknown.push(format!("the patch is not understood: {why}")),
                    },
                    Some(_) | None => self.unknown.push("there is no patch in it".to_owned()),
                },
            }
        }
        for name in left {
            self.unknown.push(format!(
                "`{name}` is a field of `{}` that is not known",
                tool.name
            ));
        }
        if tool.tool.is_empty() {
            return;
        }
        let call = |input: Map<String, Json>| OwnCall::Tool {
            name: tool.tool.to_owned(),
            input: Json::Object(input),
        };
        if many.is_empty() {
            self.calls.push(call(input));
            return;
        }
        for (to, values) in many {
            self.calls.extend(values.into_iter().map(|value| {
                let mut own = input.clone();
                own.insert(to.to_owned(), value.into());
                call(own)
            }));
        }
    }

    /// The one of these fields that is there.
    fn one<'f>(
        &mut self,
        left: &mut BTreeSet<&'f str>,
        names: &[&'static str],
        fields: &'f Map<String, Json>,
    ) -> Option<&'f Json> {
        let mut found = None;
        for name in names {
            let Some(value) = fields.get(*name) else { continue };
            left.remove(name);
            if found.is_some() {
                self.unknown.push(format!(
                    "which of `{}` the client goes by is not known",
                    names.join("`, `")
                ));
            }
            found = Some(value);
        }
        found
    }

    fn unlisted(&mut self, data: &ClientData, event: &Event) {
        let call = |name: String| OwnCall::Tool {
            name,
            input: event.input.clone(),
        };
        if let Some(context) = &data.mcp
            && (event.tool.starts_with(context.prefix)
                || event.whole.get(context.field).is_some_and(|own| !own.is_null()))
        {
            let own = event.whole.get(context.field);
            let text = |field: &str| own.and_then(|own| own.get(field)).and_then(Json::as_str);
            match (text("server_name"), text("tool_name")) {
                (Some(server), Some(tool)) if !server.is_empty() && !tool.is_empty() => {
                    self.calls.push(call(format!("mcp__{server}__{tool}")));
                }
                _ => self
                    .unknown
                    .push(format!("which server `{}` belongs to is not said", event.tool)),
            }
            return;
        }
        // A tool of another kind of the same name as one of ours would be decided as ours.
        let could_be_ours = event.tool.starts_with(|c: char| c.is_ascii_uppercase());
        if could_be_ours && !data.own_names {
            self.unknown.push(format!(
                "`{}` is no tool of this client that is known",
                event.tool
            ));
            return;
        }
        self.calls.push(call(event.tool.clone()));
    }
}

/// Every address in a text, as a client that looks for them finds them.
fn addresses(text: &str) -> Vec<String> {
    text.split(|c: char| {
        c.is_whitespace() || matches!(c, '<' | '>' | '"' | '\'' | '`' | '(' | ')' | ',' | '[' | ']')
    })
    .filter(|word| word.contains("://"))
    .map(|word| {
        // What is written before the scheme is no part of it.
        let scheme = word.find("://").unwrap_or_default();
        let start = word
            .get(..scheme)
            .and_then(|head| head.rfind(|c: char| !c.is_ascii_alphanumeric()))
            .map_or(0, |at| at + 1);
        word.get(start..)
            .unwrap_or(word)
            .trim_end_matches(['.', ';', '!'])
            .to_owned()
    })
    .collect()
}
