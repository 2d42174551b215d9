//! Names of tools: `mcp-hint`, `misspelt-tool`.

use smol_str::SmolStr;

use super::groups::{Group, NameKind, What};
use super::{Context, Finding, Lint};
use crate::document::{Condition, Outcome};
use crate::pattern::{Glob, GlobPiece};
use crate::source::Spanned;
use crate::tool_shape::ToolShape;

/// What servers say about their own tools. Source: the annotations of the Model Context Protocol, revision 2025-06-18.
const HINTS: &[&str] = &[
    "readOnlyHint",
    "destructiveHint",
    "idempotentHint",
    "openWorldHint",
    "annotations",
    "title",
];

/// Tools that agents have besides those that the engine ships.
const OTHER_TOOLS: &[&str] = &[
    "Task",
    "TodoRead",
    "BashOutput",
    "KillShell",
    "KillBash",
    "MultiEdit",
    "LS",
    "NotebookRead",
    "SlashCommand",
];

pub(super) fn lint(context: &Context<'_>, findings: &mut Vec<Finding>) {
    for group in context.own_groups() {
        for item in &group.patterns {
            let What::Name(NameKind::Tool, glob) = item.what else {
                continue;
            };
            if group.outcome == Outcome::Allow && group.conditions().is_empty() {
                findings.extend(trusted(glob).map(|message| {
                    Finding::new(Lint::McpHint, message, item.place)
                        .of(group)
                        .help("name the tools that are meant; what a server calls harmless, and which tools it has, is for it to say")
                }));
            }
            findings.extend(misspelt(glob).map(|name| {
                Finding::new(
                    Lint::MisspeltTool,
                    format!(
                        "there is no tool {}, and names are compared letter by letter",
                        context.input.sources.text(item.place)
                    ),
                    item.place,
                )
                .of(group)
                .help(format!("did you mean `{name}`?"))
            }));
        }
        for condition in group.conditions() {
            if let Condition::Input { field, .. } = &condition.value {
                findings.extend(hint(group, field));
                findings.extend(unknown_field(group, field));
            }
        }
    }
}

/// Why an allowed tool pattern trusts a server, if it does.
fn trusted(glob: &Glob) -> Option<String> {
    if glob.is_any() {
        return None;
    }
    if glob.matches("mcp__\u{f8ff}__\u{f8ff}") {
        return Some("this allows whatever any MCP server offers, now or later".to_owned());
    }
    match glob.pieces.as_slice() {
        [GlobPiece::Text(text), GlobPiece::AnyText] => {
            let server = text.strip_prefix("mcp__")?;
            let server = server.strip_suffix("__").unwrap_or(server);
            (!server.contains("__"))
                .then(|| format!("this allows whatever the MCP server `{server}` offers, now or later"))
        }
        _ => None,
    }
}

fn misspelt(glob: &Glob) -> Option<&'static str> {
    let name = glob.literal()?;
    let known = || {
        ToolShape::all_shipped()
            .iter()
            .map(|shape| shape.name)
            .chain(OTHER_TOOLS.iter().copied())
    };
    if name.contains("__") || known().any(|own| own == name) {
        return None;
    }
    known().find(|own| {
        own.eq_ignore_ascii_case(name) || (own.len() > 3 && strsim::damerau_levenshtein(own, name) == 1)
    })
}

fn hint(group: &Group<'_>, field: &Spanned<SmolStr>) -> Option<Finding> {
    let mcp = group.patterns.iter().any(|item| match item.what {
        What::Name(NameKind::Tool, glob) => {
            matches!(glob.pieces.first(), Some(GlobPiece::Text(text)) if text.starts_with("mcp__"))
                || glob.is_any()
        }
        What::Name(NameKind::Agent | NameKind::Skill, _)
        | What::Command(_)
        | What::Text(_)
        | What::Path(..)
        | What::Host(_)
        | What::Env(_)
        | What::Mode(_) => false,
    });
    let outer = field.value.split('.').next().unwrap_or_default();
    let inner = field.value.rsplit('.').next().unwrap_or_default();
    let says = HINTS.contains(&outer) || HINTS.contains(&inner);
    (says && (mcp || inner != "title")).then(|| {
        Finding::new(
            Lint::McpHint,
            format!(
                "`{}` is what a server says about itself, and nothing holds it to that",
                field.value
            ),
            field.place,
        )
        .of(group)
        .help("decide by the name of the tool and by what its input names")
    })
}

fn unknown_field(group: &Group<'_>, field: &Spanned<SmolStr>) -> Option<Finding> {
    let tools: Vec<&str> = group
        .patterns
        .iter()
        .filter_map(|item| match item.what {
            What::Name(NameKind::Tool, glob) => glob.literal(),
            What::Name(NameKind::Agent | NameKind::Skill, _)
            | What::Command(_)
            | What::Text(_)
            | What::Path(..)
            | What::Host(_)
            | What::Env(_)
            | What::Mode(_) => None,
        })
        .collect();
    let [tool] = tools.as_slice() else { return None };
    let fields: Vec<&str> = ToolShape::shipped(tool)?
        .fields
        .iter()
        .map(|field| field.name)
        .collect();
    if fields.contains(&field.value.as_str()) {
        return None;
    }
    let near = crate::names::nearest(&field.value, fields.iter().copied());
    let help = match near {
        Some(name) => format!("did you mean `{name}`?"),
        None => format!("it has `{}`", fields.join("`, `")),
    };
    let message = format!(
        "`{tool}` has no field `{}`, so that the rule never holds",
        field.value
    );
    Some(
        Finding::new(Lint::MisspeltTool, message, field.place)
            .of(group)
            .help(help),
    )
}
