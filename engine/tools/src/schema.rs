//! The JSON Schema of an input, as models and MCP clients are shown it.
//!
//! Invariant (stable bytes): the same definition gives the same text in every build and session, whatever order a JSON library
//! keeps keys in, because the text is written here. A model's prompt cache depends on it.
//! Invariant (nothing internal): a field that is `internal` or not available is in no schema.

use serde_json::Value as Json;

use crate::definition::{Bounds, Field, FieldKind, TextBounds, Tool};
use crate::template::Scope;

/// The text of a JSON Schema.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Schema {
    text: String,
}

impl Schema {
    /// The schema as JSON text, keys in a fixed order.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// A schema that comes from elsewhere, such as an MCP server, passed on as it is.
    #[must_use]
    pub fn passed_on(text: String) -> Self {
        Self { text }
    }
}

impl Tool {
    /// The schema of its input. `facts` decides which fields are available; a condition that fails to evaluate takes its field out.
    #[must_use]
    pub fn schema(&self, facts: &Scope) -> Schema {
        let mut writer = Writer {
            out: String::new(),
            facts,
        };
        writer.out.push('{');
        writer.text("type", "object");
        writer.object_parts(&self.input);
        writer.out.push('}');
        Schema { text: writer.out }
    }
}

struct Writer<'f> {
    out: String,
    facts: &'f Scope,
}

impl Writer<'_> {
    /// A text as JSON.
    fn quoted(&mut self, text: &str) {
        self.out.push_str(&Json::from(text).to_string());
    }

    fn key(&mut self, name: &str) {
        if !self.out.ends_with('{') {
            self.out.push(',');
        }
        self.quoted(name);
        self.out.push(':');
    }

    fn raw(&mut self, name: &str, json: &str) {
        self.key(name);
        self.out.push_str(json);
    }

    fn text(&mut self, name: &str, text: &str) {
        self.key(name);
        self.quoted(text);
    }

    fn shown(&self, field: &Field) -> bool {
        !field.internal
            && field
                .available_when
                .as_ref()
                .is_none_or(|when| when.holds(self.facts).unwrap_or(false))
    }

    /// `"properties":{...},"required":[...],"additionalProperties":false`
    fn object_parts(&mut self, fields: &[Field]) {
        self.key("properties");
        self.out.push('{');
        let shown: Vec<&Field> = fields.iter().filter(|field| self.shown(field)).collect();
        for field in &shown {
            self.key(&field.name.value);
            self.kind(&field.kind, Some(field));
        }
        self.out.push('}');
        let required = shown.iter().filter(|field| field.required);
        let required: Vec<&str> = required.map(|field| field.name.value.as_str()).collect();
        if !required.is_empty() {
            self.raw("required", &Json::from(required).to_string());
        }
        self.raw("additionalProperties", "false");
    }

    fn about(&mut self, field: &Field) {
        if let Some(about) = &field.about {
            self.text("description", about);
        }
    }

    fn kind(&mut self, kind: &FieldKind, field: Option<&Field>) {
        self.out.push('{');
        if let Some(word) = json_type(kind) {
            self.text("type", word);
        }
        if let Some(field) = field {
            self.about(field);
        }
        match kind {
            FieldKind::String(bounds) | FieldKind::Path(bounds) => self.text_bounds(bounds),
            FieldKind::Boolean | FieldKind::Json => {}
            FieldKind::Url(bounds) => {
                self.text("format", "uri");
                self.text_bounds(bounds);
            }
            FieldKind::Integer(bounds) => self.bounds(bounds, "minimum", "maximum"),
            FieldKind::Number(bounds) => {
                if let Some(min) = bounds.min {
                    self.raw("minimum", &Json::from(min).to_string());
                }
                if let Some(max) = bounds.max {
                    self.raw("maximum", &Json::from(max).to_string());
                }
            }
            FieldKind::Enum(words) => {
                let words: Vec<&str> = words.iter().map(smol_str::SmolStr::as_str).collect();
                self.raw("enum", &Json::from(words).to_string());
            }
            FieldKind::Array { of, length } => {
                self.key("items");
                self.kind(of, None);
                self.bounds(length, "minItems", "maxItems");
            }
            FieldKind::Object(fields) if fields.is_empty() => {}
            FieldKind::Object(fields) => self.object_parts(fields),
        }
        if let Some(default) = field.and_then(|field| field.default.as_ref()) {
            self.raw("default", &default.to_string());
        }
        self.out.push('}');
    }

    fn text_bounds(&mut self, bounds: &TextBounds) {
        self.bounds(&bounds.length, "minLength", "maxLength");
        if let Some(pattern) = &bounds.pattern {
            self.text("pattern", &pattern.value);
        }
    }

    fn bounds<T: std::fmt::Display>(&mut self, bounds: &Bounds<T>, least: &str, most: &str) {
        if let Some(min) = &bounds.min {
            self.raw(least, &min.to_string());
        }
        if let Some(max) = &bounds.max {
            self.raw(most, &max.to_string());
        }
    }
}

/// The type in a schema; none for what may be anything.
fn json_type(kind: &FieldKind) -> Option<&'static str> {
    match kind {
        FieldKind::String(_) | FieldKind::Path(_) | FieldKind::Url(_) | FieldKind::Enum(_) => Some("string"),
        FieldKind::Integer(_) => Some("integer"),
        FieldKind::Number(_) => Some("number"),
        FieldKind::Boolean => Some("boolean"),
        FieldKind::Array { .. } => Some("array"),
        FieldKind::Object(_) => Some("object"),
        FieldKind::Json => None,
    }
}

#[cfg(test)]
mod tests;
