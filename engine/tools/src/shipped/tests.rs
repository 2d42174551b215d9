//! Facts about the shipped tools.

use std::sync::Arc;

use engine_policy::{Diagnostic, Sources};

use super::{data, read_shipped, shipped};
use crate::definition::{Budget, Deferral, Flag, Interrupt, Need, Tool, Work, check};

fn shown(diagnostics: &[Diagnostic], sources: &Sources) -> Vec<String> {
    diagnostics
        .iter()
        .map(|diagnostic| {
            let place = diagnostic.place().expect("a place");
            let at = sources.line_column(place);
            format!(
                "{}:{}:{}: {} `{}` ({})",
                sources.name(place),
                at.line,
                at.column,
                diagnostic.message,
                sources.text(place),
                diagnostic.help.as_deref().unwrap_or_default(),
            )
        })
        .collect()
}

#[test]
fn every_shipped_definition_is_without_problems() {
    let (tools, diagnostics, sources) = read_shipped();
    assert_eq!(shown(&diagnostics, &sources), Vec::<String>::new());
    let tools: Vec<Arc<Tool>> = tools.into_iter().map(Arc::new).collect();
    assert_eq!(shown(&check(&tools), &sources), Vec::<String>::new());
    assert_eq!(tools.len(), shipped().len());
}

#[test]
fn only_three_families_name_code_of_the_engine() {
    let native: Vec<&str> = shipped()
        .iter()
        .filter(|tool| matches!(tool.work, Work::Handler(_)))
        .map(|tool| tool.name.value.as_str())
        .collect();
    assert_eq!(
        native,
        ["Bash", "Read", "Edit", "Write", "NotebookEdit", "Glob", "Grep"]
    );
}

#[test]
fn every_file_of_prompts_is_used() {
    let text: String = data::TOOLS.iter().map(|(_, text)| *text).collect();
    for (file, _) in data::PROMPTS {
        assert!(text.contains(&format!("prompt file=\"{file}\"")), "{file}");
    }
}

/// One row of the catalogue: name, fields (`!` marks those that are required), read-only, concurrency-safe, budget, deferral.
type Row = (
    &'static str,
    &'static str,
    &'static str,
    &'static str,
    u32,
    &'static str,
);

/// No budget.
const UNLIMITED: u32 = 0;

const CATALOGUE: &[Row] = &[
    (
        "Bash",
        "command! timeout description run_in_background dangerouslyDisableSandbox",
        "analysis",
        "analysis",
        30_000,
        "shown",
    ),
    (
        "PowerShell",
        "command! timeout description run_in_background",
        "no",
        "no",
        30_000,
        "shown",
    ),
    (
        "Read",
        "file_path! offset limit pages",
        "yes",
        "yes",
        UNLIMITED,
        "shown",
    ),
    (
        "Edit",
        "file_path! old_string! new_string! replace_all",
        "no",
        "no",
        100_000,
        "shown",
    ),
    ("Write", "file_path! content!", "no", "no", 100_000, "shown"),
    (
        "NotebookEdit",
        "notebook_path! command! cell_number! cell_type new_source",
        "no",
        "no",
        100_000,
        "deferred",
    ),
    ("Glob", "pattern! path", "yes", "yes", 100_000, "shown"),
    (
        "Grep",
        "pattern! path glob type output_mode -A -B -C context -n -i multiline head_limit offset",
        "yes",
        "yes",
        20_000,
        "shown",
    ),
    (
        "ToolSearch",
        "query! max_results",
        "yes",
        "yes",
        100_000,
        "always",
    ),
    (
        "Agent",
        "description! prompt! subagent_type model run_in_background isolation cwd name team_name mode",
        "no",
        "yes",
        100_000,
        "shown",
    ),
    ("SendMessage", "to! content!", "no", "no", 100_000, "deferred"),
    ("Skill", "skill! args", "no", "no", 100_000, "shown"),
    ("TodoWrite", "todos!", "no", "no", 100_000, "deferred"),
    (
        "TaskCreate",
        "subject! description activeForm metadata",
        "no",
        "yes",
        100_000,
        "deferred",
    ),
    ("TaskGet", "taskId!", "yes", "yes", 100_000, "deferred"),
    ("TaskList", "", "yes", "yes", 100_000, "deferred"),
    (
        "TaskUpdate",
        "taskId! status subject description activeForm owner blocks blockedBy metadata",
        "no",
        "yes",
        100_000,
        "deferred",
    ),
    ("TaskStop", "task_id!", "no", "no", 100_000, "deferred"),
    (
        "TaskOutput",
        "task_id! block timeout",
        "yes",
        "yes",
        100_000,
        "deferred",
    ),
    ("EnterPlanMode", "", "yes", "yes", 100_000, "shown"),
    ("ExitPlanMode", "plan", "no", "no", 100_000, "shown"),
    ("EnterWorktree", "name", "no", "no", 100_000, "deferred"),
    ("ExitWorktree", "", "no", "no", 100_000, "deferred"),
    ("WebFetch", "url! prompt!", "yes", "no", 100_000, "deferred"),
    (
        "WebSearch",
        "query! allowed_domains blocked_domains",
        "yes",
        "yes",
        100_000,
        "deferred",
    ),
    ("AskUserQuestion", "questions!", "yes", "no", UNLIMITED, "shown"),
    (
        "Config",
        "setting! value",
        "{{ input.value is none }}",
        "no",
        10_000,
        "deferred",
    ),
    (
        "CronCreate",
        "cron! prompt! recurring durable",
        "no",
        "no",
        10_000,
        "deferred",
    ),
    ("CronDelete", "id!", "no", "no", 10_000, "deferred"),
    ("CronList", "", "yes", "no", 10_000, "deferred"),
    (
        "RemoteTrigger",
        "action! trigger_id body",
        "{{ input.action in ['list', 'get'] }}",
        "no",
        100_000,
        "deferred",
    ),
    ("ListMcpResources", "server", "yes", "yes", 100_000, "deferred"),
    (
        "ReadMcpResource",
        "server! uri!",
        "yes",
        "yes",
        100_000,
        "deferred",
    ),
    ("McpAuth", "server!", "no", "no", 10_000, "deferred"),
    ("Brief", "message!", "yes", "yes", 100_000, "shown"),
];

/// Off by default, each behind a condition of its own.
const OPTIONAL: &[&str] = &[
    "Sleep",
    "Monitor",
    "LSP",
    "Snip",
    "ListPeers",
    "Workflow",
    "TeamCreate",
    "TeamDelete",
    "VerifyPlanExecution",
    "REPL",
    "WebBrowser",
];

fn named(name: &str) -> &'static Tool {
    shipped()
        .iter()
        .find(|tool| tool.name.value == name)
        .unwrap_or_else(|| panic!("{name} is shipped"))
}

fn flag(flag: &Flag) -> &str {
    match flag {
        Flag::Never => "no",
        Flag::Always => "yes",
        Flag::ByAnalysis => "analysis",
        Flag::When(condition) => condition.source(),
    }
}

#[test]
fn every_row_of_the_catalogue_is_as_it_says() {
    for &(name, fields, read_only, safe, budget, deferral) in CATALOGUE {
        let tool = named(name);
        let own: Vec<String> = tool
            .input
            .iter()
            .filter(|field| !field.internal)
            .map(|field| format!("{}{}", field.name.value, if field.required { "!" } else { "" }))
            .collect();
        assert_eq!(own.join(" "), fields, "{name}");
        assert_eq!(flag(&tool.read_only), read_only, "{name}");
        assert_eq!(flag(&tool.concurrency_safe), safe, "{name}");
        let expected = if budget == UNLIMITED {
            Budget::Unlimited
        } else {
            Budget::Chars(budget)
        };
        assert_eq!(tool.budget, expected, "{name}");
        let own = match tool.deferral {
            Deferral::Shown => "shown",
            Deferral::AlwaysLoad => "always",
            Deferral::Deferred => "deferred",
        };
        assert_eq!(own, deferral, "{name}");
    }
}

#[test]
fn there_is_no_tool_beside_the_catalogue() {
    let mut known: Vec<&str> = CATALOGUE
        .iter()
        .map(|row| row.0)
        .chain(OPTIONAL.iter().copied())
        .collect();
    let mut own: Vec<&str> = shipped().iter().map(|tool| tool.name.value.as_str()).collect();
    known.sort_unstable();
    own.sort_unstable();
    assert_eq!(own, known);
}

#[test]
fn optional_tools_wait_behind_conditions() {
    for name in OPTIONAL {
        let tool = named(name);
        assert!(tool.enabled_when.is_some(), "{name}");
        assert_eq!(tool.deferral, Deferral::Deferred, "{name}");
    }
}

#[test]
fn agents_and_servers_are_needed_where_they_are_used() {
    let needing = |need: Need| -> Vec<&str> {
        shipped()
            .iter()
            .filter(|tool| tool.needs.contains(&need))
            .map(|tool| tool.name.value.as_str())
            .collect()
    };
    assert_eq!(
        needing(Need::Agent),
        ["Agent", "SendMessage", "Skill", "Workflow", "VerifyPlanExecution"]
    );
    assert_eq!(
        needing(Need::Mcp),
        ["ListMcpResources", "ReadMcpResource", "McpAuth"]
    );
    assert_eq!(needing(Need::RemoteService), ["RemoteTrigger"]);
}

#[test]
fn an_interrupt_ends_what_only_waits_or_runs_elsewhere() {
    assert_eq!(named("Bash").interrupt, Interrupt::Cancel);
    assert_eq!(named("Sleep").interrupt, Interrupt::Cancel);
    assert_eq!(named("Write").interrupt, Interrupt::Block);
}
