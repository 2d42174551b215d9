//! The page about the shipped tools, made of their definitions.

use std::fmt::Write as _;

use engine_tools::definition::{Budget, Deferral, Field, FieldKind, Flag, TextBounds, Tool};
use engine_tools::template::Template;

use super::table;

pub(super) fn page() -> String {
    let mut tools: Vec<&Tool> = engine_tools::shipped().iter().map(|tool| &**tool).collect();
    tools.sort_by(|a, b| a.name.value.cmp(&b.name.value));
    let rows: Vec<Vec<String>> = tools
        .iter()
        .map(|tool| {
            vec![
                format!("[`{0}`](#{1})", tool.name.value, tool.name.value.to_lowercase()),
                flag(&tool.read_only),
                flag(&tool.concurrency_safe),
                budget(tool.budget),
                deferral(tool.deferral).to_owned(),
            ]
        })
        .collect();
    // The links are not text of a definition, so that they are not escaped.
    let mut body = table(
        &["tool", "read-only", "beside others", "characters", "deferred"],
        &rows,
    )
    .replace("\\[`", "[`");
    for tool in tools {
        body.push_str(&section(tool));
    }
    super::page(
        "Tools",
        "The tools that ship, as their definitions in `tooldefs/tools/` say. `engine tools` shows those of a session, and why others are left out of it; \
         what the words mean stands on the page about [tool definitions](../tool-definitions.md).",
        &body,
    )
}

fn section(tool: &Tool) -> String {
    let mut text = format!("\n## {}\n\n{}.\n\n", tool.name.value, tool.about);
    let mut line = |name: &str, value: String| {
        let _infallible = writeln!(text, "- {name}: {value}");
    };
    if !tool.aliases.is_empty() {
        let names: Vec<String> = tool
            .aliases
            .iter()
            .map(|name| format!("`{}`", name.value))
            .collect();
        line("also called", names.join(", "));
    }
    line("read-only", flag(&tool.read_only));
    line("beside others", flag(&tool.concurrency_safe));
    line("cannot be undone", flag(&tool.destructive));
    line("result", format!("{} characters", budget(tool.budget)));
    line("deferred", deferral(tool.deferral).to_owned());
    if let Some(name) = &tool.result_name {
        line("an approval holds for", code(name));
    }
    let hosts: Vec<String> = (tool.preapproved_hosts.iter())
        .map(|host| format!("`{}`", host.value))
        .collect();
    if !hosts.is_empty() {
        line("hosts approved beforehand", hosts.join(", "));
    }
    for need in &tool.needs {
        line("not shown where", need.reason().to_owned());
    }
    if let Some(condition) = &tool.enabled_when {
        line("shown only where", code(condition));
    }
    let mut rows = Vec::new();
    fields(&tool.input, "", &mut rows);
    if rows.is_empty() {
        text.push_str("\nIt takes no input.\n");
    } else {
        text.push('\n');
        text.push_str(&table(&["field", "type", "about"], &rows));
    }
    text
}

/// What a model may give; the fields of objects behind the field that holds them.
fn fields(all: &[Field], before: &str, rows: &mut Vec<Vec<String>>) {
    for field in all.iter().filter(|field| !field.internal) {
        let name = format!("{before}{}", field.name.value);
        let mut about: Vec<String> = Vec::new();
        if field.required {
            about.push("needed".to_owned());
        }
        about.extend(field.about.as_ref().map(ToString::to_string));
        if let Some(default) = &field.default {
            about.push(format!("default `{default}`"));
        }
        about.extend(bounds(&field.kind));
        about.extend(field.role.map(|role| format!("`{}`", role.word())));
        if let Some(condition) = &field.available_when {
            about.push(format!("only where {}", code(condition)));
        }
        rows.push(vec![format!("`{name}`"), kind(&field.kind), about.join("; ")]);
        let mut inner = &field.kind;
        let mut path = name;
        while let FieldKind::Array { of, .. } = inner {
            inner = of;
            path.push_str("[]");
        }
        if let FieldKind::Object(parts) = inner {
            fields(parts, &format!("{path}."), rows);
        }
    }
}

fn kind(kind: &FieldKind) -> String {
    match kind {
        FieldKind::Array { of, .. } => format!("{} of {}", kind.word(), self::kind(of)),
        FieldKind::Enum(words) => {
            let words: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
            words.join(", ")
        }
        FieldKind::String(_)
        | FieldKind::Path(_)
        | FieldKind::Url(_)
        | FieldKind::Integer(_)
        | FieldKind::Number(_)
        | FieldKind::Boolean
        | FieldKind::Object(_)
        | FieldKind::Json => kind.word().to_owned(),
    }
}

fn bounds(kind: &FieldKind) -> Option<String> {
    let range = |min: Option<String>, max: Option<String>, what: &str| match (min, max) {
        (None, None) => None,
        (Some(min), None) => Some(format!("at least {min}{what}")),
        (None, Some(max)) => Some(format!("at most {max}{what}")),
        (Some(min), Some(max)) => Some(format!("{min} to {max}{what}")),
    };
    let shown = |number: Option<u64>| number.map(|number| number.to_string());
    match kind {
        FieldKind::String(TextBounds { length, pattern })
        | FieldKind::Path(TextBounds { length, pattern })
        | FieldKind::Url(TextBounds { length, pattern }) => {
            let length = range(shown(length.min), shown(length.max), " characters");
            let pattern = pattern
                .as_ref()
                .map(|pattern| format!("matches `{}`", pattern.value));
            let both: Vec<String> = length.into_iter().chain(pattern).collect();
            (!both.is_empty()).then(|| both.join("; "))
        }
        FieldKind::Integer(bounds) => range(
            bounds.min.map(|min| min.to_string()),
            bounds.max.map(|max| max.to_string()),
            "",
        ),
        FieldKind::Number(bounds) => range(
            bounds.min.map(|min| min.to_string()),
            bounds.max.map(|max| max.to_string()),
            "",
        ),
        FieldKind::Array { length, .. } => range(shown(length.min), shown(length.max), " items"),
        FieldKind::Boolean | FieldKind::Enum(_) | FieldKind::Object(_) | FieldKind::Json => None,
    }
}

fn code(template: &Template) -> String {
    format!("`{}`", template.source())
}

fn flag(flag: &Flag) -> String {
    match flag {
        Flag::Never => "no".to_owned(),
        Flag::Always => "yes".to_owned(),
        Flag::ByAnalysis => "as the analysis says".to_owned(),
        Flag::When(condition) => format!("where {}", code(condition)),
    }
}

fn budget(budget: Budget) -> String {
    match budget {
        Budget::Chars(chars) => chars.to_string(),
        Budget::Unlimited => "any number of".to_owned(),
    }
}

fn deferral(deferral: Deferral) -> &'static str {
    match deferral {
        Deferral::Shown => "no",
        Deferral::AlwaysLoad => "never",
        Deferral::Deferred => "yes",
    }
}

#[test]
fn every_tool_is_on_the_page_with_all_that_a_model_may_give() {
    let page = page();
    for tool in engine_tools::shipped() {
        assert!(
            page.contains(&format!("\n## {}\n", tool.name.value)),
            "{}",
            tool.name.value
        );
        for field in tool.input.iter().filter(|field| !field.internal) {
            assert!(
                page.contains(&format!("| `{}` | ", field.name.value)),
                "{}",
                field.name.value
            );
        }
    }
    assert!(!page.contains("_simulatedSedEdit"));
}
