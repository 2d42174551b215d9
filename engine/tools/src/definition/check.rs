//! Checks of whole definitions before anything runs: what startup can find, no call shall meet.
//!
//! Invariant (closed names): every name in a template of a checked tool has a value when the template runs, or is a part of a value
//! whose parts nobody knows beforehand.

mod flow;

use std::collections::BTreeMap;
use std::sync::Arc;

use engine_policy::{Diagnostic, Spanned, nearest};
use smol_str::SmolStr;

use super::field::{Field, FieldKind, Role};
use super::tool::{Flag, Prompt, Tool, Work};
use crate::template::{Checker, Shape, facts_shape};
use flow::Flow;

/// Everything that is wrong with tools that are to stand in one pool. Their definitions were read without errors.
#[must_use]
pub fn check(tools: &[Arc<Tool>]) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    clashes(tools, &mut diagnostics);
    for tool in tools {
        check_tool(tool, tools, &mut diagnostics);
    }
    diagnostics
}

/// Names that two tools share, or that differ in nothing but capitals.
fn clashes(tools: &[Arc<Tool>], diagnostics: &mut Vec<Diagnostic>) {
    let mut seen: BTreeMap<String, &Spanned<SmolStr>> = BTreeMap::new();
    for name in tools.iter().flat_map(|tool| tool.names()) {
        let Some(first) = seen.get(&name.value.to_ascii_lowercase()) else {
            seen.insert(name.value.to_ascii_lowercase(), name);
            continue;
        };
        let message = if first.value == name.value {
            format!("two tools are named `{}`", name.value)
        } else {
            format!(
                "the names `{}` and `{}` differ only in capitals",
                first.value, name.value
            )
        };
        diagnostics.push(
            Diagnostic::error("tool::clash", message, name.place)
                .label(first.place, "the other one")
                .help("rename one of them"),
        );
    }
}

fn check_tool(tool: &Tool, tools: &[Arc<Tool>], diagnostics: &mut Vec<Diagnostic>) {
    let facts = BTreeMap::from([("facts".into(), facts_shape())]);
    let mut known = facts.clone();
    known.insert("input".into(), fields_shape(&tool.input));

    let mut checker = Checker {
        names: facts,
        maybe: Vec::new(),
        diagnostics,
    };
    match &tool.prompt {
        Prompt::About | Prompt::Missing(_) => {}
        Prompt::Text(prompt) => {
            checker.template(prompt);
        }
    }
    if let Some(enabled) = &tool.enabled_when {
        checker.condition(enabled);
    }
    available(&tool.input, &mut checker);

    checker.names = known;
    for template in [&tool.user_facing_name, &tool.result_name].into_iter().flatten() {
        checker.template(template);
    }
    for flag in [&tool.read_only, &tool.concurrency_safe, &tool.destructive] {
        match flag {
            Flag::Never | Flag::Always => {}
            Flag::When(condition) => checker.condition(condition),
            Flag::ByAnalysis => by_analysis(tool, checker.diagnostics),
        }
    }
    roles(tool, checker.diagnostics);
    match &tool.work {
        Work::Handler(_) => {}
        Work::Body(body) => Flow::new(tool, tools, &mut checker).tool(body),
    }
}

fn by_analysis(tool: &Tool, diagnostics: &mut Vec<Diagnostic>) {
    let shell = tool.input.iter().any(|field| field.role == Some(Role::RunsShell));
    if !shell {
        let message = "there is no shell text whose analysis could say this";
        let diagnostic = Diagnostic::error("tool::by-analysis", message, tool.name.place);
        diagnostics.push(diagnostic.help("mark a field with `runs-shell`, or write a condition"));
    }
}

/// A tool that is always read-only has no field that says otherwise.
fn roles(tool: &Tool, diagnostics: &mut Vec<Diagnostic>) {
    if tool.read_only == Flag::Always {
        for field in &tool.input {
            if matches!(field.role, Some(Role::Writes | Role::Deletes)) {
                let message = format!(
                    "a read-only tool has a field `{}` that is written",
                    field.name.value
                );
                let diagnostic = Diagnostic::error("tool::read-only", message, field.name.place);
                diagnostics.push(diagnostic.help("remove `read-only`, or give a condition behind it"));
            }
        }
    }
    let connects = tool.input.iter().any(|field| field.role == Some(Role::Connects));
    if let (Some(host), false) = (tool.preapproved_hosts.first(), connects) {
        let diagnostic = Diagnostic::error(
            "tool::preapproved",
            "hosts are approved beforehand, but no field connects",
            host.place,
        );
        diagnostics.push(diagnostic.help("mark the field with `connects`, or remove the hosts"));
    }
}

fn available(fields: &[Field], checker: &mut Checker<'_>) {
    for field in fields {
        if let Some(condition) = &field.available_when {
            checker.condition(condition);
            if field.required {
                let message = format!("`{}` is required, but not always there", field.name.value);
                let diagnostic = Diagnostic::error("tool::available", message, field.name.place);
                checker
                    .diagnostics
                    .push(diagnostic.help("remove `required` or `available-when`"));
            }
        }
        let mut kind = &field.kind;
        while let FieldKind::Array { of, .. } = kind {
            kind = of;
        }
        if let FieldKind::Object(inner) = kind {
            available(inner, checker);
        }
    }
}

/// What templates know of an input.
fn fields_shape(fields: &[Field]) -> Shape {
    Shape::Object(
        fields
            .iter()
            .map(|field| (field.name.value.clone(), kind_shape(&field.kind)))
            .collect(),
    )
}

fn kind_shape(kind: &FieldKind) -> Shape {
    match kind {
        FieldKind::String(_) | FieldKind::Path(_) | FieldKind::Enum(_) => Shape::Text,
        FieldKind::Integer(_) | FieldKind::Number(_) => Shape::Number,
        FieldKind::Boolean => Shape::Boolean,
        FieldKind::Url(_) => Shape::Address,
        FieldKind::Array { of, .. } => Shape::list(kind_shape(of)),
        FieldKind::Object(fields) if fields.is_empty() => Shape::Any,
        FieldKind::Object(fields) => fields_shape(fields),
        FieldKind::Json => Shape::Any,
    }
}

/// Whether a value of a shape can be taken by a field: numbers and booleans may be spelled as text.
fn takes(kind: &FieldKind, shape: &Shape) -> bool {
    match kind {
        FieldKind::Json => true,
        FieldKind::String(_) | FieldKind::Path(_) | FieldKind::Url(_) | FieldKind::Enum(_) => {
            matches!(shape, Shape::Any | Shape::Plain | Shape::Text | Shape::Address)
        }
        FieldKind::Integer(_) | FieldKind::Number(_) => {
            matches!(shape, Shape::Any | Shape::Plain | Shape::Text | Shape::Number)
        }
        FieldKind::Boolean => {
            matches!(shape, Shape::Any | Shape::Plain | Shape::Text | Shape::Boolean)
        }
        FieldKind::Array { of, .. } => match shape {
            Shape::Any => true,
            Shape::List(item) => takes(of, item),
            Shape::Plain
            | Shape::Text
            | Shape::Number
            | Shape::Boolean
            | Shape::Address
            | Shape::Object(_) => false,
        },
        FieldKind::Object(_) => matches!(shape, Shape::Any | Shape::Object(_)),
    }
}

/// The tool of a name that a definition writes, or what is wrong with the name.
fn tool_of<'t>(name: &str, tools: &'t [Arc<Tool>]) -> Result<Option<&'t Tool>, String> {
    if name.starts_with("mcp__") {
        return Ok(None);
    }
    let found = tools
        .iter()
        .find(|tool| tool.names().any(|known| known.value == name));
    match found {
        Some(tool) => Ok(Some(tool)),
        None => {
            let known = tools.iter().map(|tool| tool.name.value.as_str());
            Err(nearest(name, known).map_or_else(
                || "declare it, or name a tool of an MCP server as `mcp__SERVER__TOOL`".to_owned(),
                |near| format!("did you mean `{near}`?"),
            ))
        }
    }
}

#[cfg(test)]
mod tests;
