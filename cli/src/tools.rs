//! `engine tools`: the tools that a session has, what models are shown of them, and why some are not shown.

use std::fmt::Write as _;

use engine_policy::nearest;
use engine_tools::pool::Entry;
use engine_tools::template::Scope;
use serde_json::{Value as Json, json};

use crate::exit::Exit;
use crate::options::DataFormat;
use crate::out;
use crate::session::{self, Opened, Opening};

/// Shows the tools of a session: all, or one with its schema
///
/// Deferred tools are announced to a model by name; it finds their schemas with `ToolSearch`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Tools {
    /// A tool; without one, the list of all
    #[arg(value_name = "NAME")]
    name: Option<String>,

    #[command(flatten)]
    opening: Opening,

    /// How to print
    #[arg(long, value_enum, default_value_t)]
    format: DataFormat,
}

const EXAMPLES: &str = "Examples:
  engine tools                    every tool, and why some are left out
  engine tools Grep               what a model is shown of one
  engine tools --format json      names, descriptions and schemas, as model APIs take them";

impl Tools {
    pub(crate) fn run(&self) -> Exit {
        match self.try_run() {
            Ok(exit) | Err(exit) => exit,
        }
    }

    fn try_run(&self) -> Result<Exit, Exit> {
        let opened = session::open(&self.opening)?;
        let scope = Scope::of_facts(&opened.facts);
        let Some(name) = &self.name else {
            match self.format {
                DataFormat::Human => out::print(&list(&opened)),
                DataFormat::Json => out::print(&format!("{}\n", all(&opened, &scope))),
            }
            return Ok(Exit::Fine);
        };
        let Some(entry) = opened.pool.get(name) else {
            if let Some(left_out) = opened
                .pool
                .left_out()
                .iter()
                .find(|tool| tool.name == name.as_str())
            {
                out::complain(&format!("engine: {name} is not shown: {}\n", left_out.reason));
            } else {
                let names = opened.pool.entries().iter().map(Entry::name);
                let hint =
                    nearest(name, names).map_or(String::new(), |near| format!("; did you mean `{near}`?"));
                out::complain(&format!("engine: there is no tool `{name}`{hint}\n"));
            }
            return Ok(Exit::Usage);
        };
        match self.format {
            DataFormat::Human => {
                let description = entry
                    .description(&scope)
                    .unwrap_or_else(|error| error.to_string());
                let schema: Json = serde_json::from_str(entry.schema(&scope).as_str()).unwrap_or_default();
                let schema = serde_json::to_string_pretty(&schema).unwrap_or_default();
                out::print(&format!("{}\n\n{description}\n\n{schema}\n", entry.name()));
            }
            DataFormat::Json => out::print(&format!("{}\n", one(entry, &scope, is_deferred(&opened, entry)))),
        }
        Ok(Exit::Fine)
    }
}

fn is_deferred(opened: &Opened, entry: &Entry) -> bool {
    opened.pool.deferred().any(|other| other.name() == entry.name())
}

fn list(opened: &Opened) -> String {
    let about = |entry: &Entry| match entry {
        Entry::Declared(tool) => tool.about.to_string(),
        Entry::Mcp(tool) => tool.about.lines().next().unwrap_or_default().to_owned(),
    };
    let mut text = String::new();
    let mut table = |title: &str, rows: Vec<(String, String)>| {
        if rows.is_empty() {
            return;
        }
        text.push_str(title);
        text.push('\n');
        for (name, about) in rows {
            let _infallible = writeln!(text, "  {name:<22} {about}");
        }
    };
    let row = |entry: &Entry| (entry.name().to_owned(), about(entry));
    table("shown", opened.pool.shown().map(row).collect());
    table(
        "deferred: found with ToolSearch",
        opened.pool.deferred().map(row).collect(),
    );
    table(
        "left out",
        opened
            .pool
            .left_out()
            .iter()
            .map(|tool| (tool.name.to_string(), tool.reason.clone()))
            .collect(),
    );
    text
}

fn one(entry: &Entry, scope: &Scope, deferred: bool) -> Json {
    json!({
        "name": entry.name(),
        "description": entry.description(scope).unwrap_or_default(),
        "input_schema": serde_json::from_str::<Json>(entry.schema(scope).as_str()).unwrap_or_default(),
        "deferred": deferred,
    })
}

fn all(opened: &Opened, scope: &Scope) -> Json {
    let tools: Vec<Json> = opened
        .pool
        .entries()
        .iter()
        .map(|entry| one(entry, scope, is_deferred(opened, entry)))
        .collect();
    let left_out: Vec<Json> = opened
        .pool
        .left_out()
        .iter()
        .map(|tool| json!({ "name": tool.name, "reason": tool.reason }))
        .collect();
    json!({ "tools": tools, "left_out": left_out })
}
