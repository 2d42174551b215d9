//! Validates JSON against the part of JSON Schema (draft 2020-12) that the published schemas use.
//!
//! Invariant (nothing passed over): a keyword that is not known here is a failure, never ignored.

use serde_json::{Map, Value as Json};

/// Everything that is wrong with a value, each with its place.
pub(crate) fn problems(schema: &Json, value: &Json) -> Vec<String> {
    let mut problems = Vec::new();
    check(schema, schema, value, "", &mut problems);
    problems
}

fn check(root: &Json, schema: &Json, value: &Json, at: &str, problems: &mut Vec<String>) {
    let object = schema.as_object().expect("a schema is an object");
    for (keyword, says) in object {
        let holds = match keyword.as_str() {
            "$schema" | "$id" | "$defs" | "title" | "description" | "additionalProperties" => true,
            "$ref" => {
                let name = says
                    .as_str()
                    .and_then(|name| name.strip_prefix("#/$defs/"))
                    .expect("a name");
                match root.pointer(&format!("/$defs/{name}")) {
                    Some(inner) => check(root, inner, value, at, problems),
                    None => problems.push(format!("{at}: there is no `{name}`")),
                }
                true
            }
            "type" => match says.as_array() {
                Some(types) => types.iter().any(|one| is(one, value)),
                None => is(says, value),
            },
            "enum" => says.as_array().expect("a list").contains(value),
            "const" => says == value,
            "minimum" => value
                .as_u64()
                .is_none_or(|own| own >= says.as_u64().expect("a number")),
            "maximum" => value
                .as_u64()
                .is_none_or(|own| own <= says.as_u64().expect("a number")),
            "minItems" => count(value).is_none_or(|own| own >= says.as_u64().expect("a number")),
            "maxItems" => count(value).is_none_or(|own| own <= says.as_u64().expect("a number")),
            "required" => value.as_object().is_none_or(|own| {
                let names = says.as_array().expect("a list").iter().filter_map(Json::as_str);
                names.into_iter().all(|name| own.contains_key(name))
            }),
            "properties" => {
                properties(root, object, value, at, problems);
                true
            }
            "items" => {
                for (index, item) in value.as_array().into_iter().flatten().enumerate() {
                    check(root, says, item, &format!("{at}/{index}"), problems);
                }
                true
            }
            "oneOf" => {
                let fitting = says.as_array().expect("a list").iter().filter(|one| {
                    let mut own = Vec::new();
                    check(root, one, value, at, &mut own);
                    own.is_empty()
                });
                fitting.count() == 1
            }
            // It says something that is not held against the value.
            _ => false,
        };
        if !holds {
            problems.push(format!("{at}: {keyword} {says}: {value}"));
        }
    }
}

fn properties(root: &Json, schema: &Map<String, Json>, value: &Json, at: &str, problems: &mut Vec<String>) {
    let known = schema["properties"].as_object().expect("properties");
    for (name, own) in value.as_object().into_iter().flatten() {
        match known.get(name) {
            Some(schema) => check(root, schema, own, &format!("{at}/{name}"), problems),
            None => problems.push(format!("{at}: unknown field `{name}`")),
        }
    }
}

fn count(value: &Json) -> Option<u64> {
    value.as_array().map(|items| items.len() as u64)
}

fn is(name: &Json, value: &Json) -> bool {
    match name.as_str().expect("a type") {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_u64() || value.is_i64(),
        "null" => value.is_null(),
        // No value is of a type that is not known.
        _ => false,
    }
}

/// Schemas of objects that would let other fields pass, by their place.
pub(crate) fn open_objects(schema: &Json, at: &str) -> Vec<String> {
    let mut open = Vec::new();
    match schema {
        Json::Object(object) => {
            if object.get("type") == Some(&Json::from("object"))
                && object.get("additionalProperties") != Some(&Json::Bool(false))
            {
                open.push(at.to_owned());
            }
            for (name, inner) in object {
                open.extend(open_objects(inner, &format!("{at}/{name}")));
            }
        }
        Json::Array(items) => {
            for (index, inner) in items.iter().enumerate() {
                open.extend(open_objects(inner, &format!("{at}/{index}")));
            }
        }
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => {}
    }
    open
}
