//! Facts about the shipped tools.

use std::sync::Arc;

use engine_policy::read::Format;
use engine_policy::{Diagnostic, Sources};
use serde_json::{Value as Json, json};

use super::{data, read_shipped, shipped};
use crate::definition::{
    Action, Body, Budget, Deferral, Flag, Interrupt, Need, StateVerb, Tool, Work, check, read,
};
use crate::input::Sender;
use crate::pool::Entry;
use crate::template::{Listed, Scope, SessionFacts, Template, Value};

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

#[test]
fn examples_of_the_documentation_are_read_without_problems() {
    let page = include_str!("../../../../docs/tool-definitions.md");
    let mut read_blocks = 0;
    for (language, format) in [("kdl", Format::Kdl), ("toml", Format::Toml)] {
        for block in page.split(&format!("```{language}\n")).skip(1) {
            let text = block.split("```").next().expect("an end");
            let mut sources = Sources::new();
            let (tools, diagnostics) = read("page", text, format, &(), &mut sources);
            assert_eq!(shown(&diagnostics, &sources), Vec::<String>::new());
            let tools: Vec<Arc<Tool>> = tools.into_iter().map(Arc::new).collect();
            assert_eq!(shown(&check(&tools), &sources), Vec::<String>::new());
            read_blocks += tools.len();
        }
    }
    assert_eq!(read_blocks, 2);
}

/// What a template of a tool gives, found by how it begins, for an input and the names of earlier steps.
fn gives(tool: &str, begins: &str, input: &Json, names: &Json) -> String {
    let tool = named(tool);
    let input = tool.validate(input, Sender::Model).expect("a valid input");
    let facts = SessionFacts {
        session_id: "s1".into(),
        ..SessionFacts::default()
    };
    let mut scope = Scope::of_call(&facts, tool, &input);
    for (name, value) in names.as_object().expect("names") {
        scope.set(name, Value::of_json(value));
    }
    let Work::Body(body) = &tool.work else {
        panic!("a body");
    };
    let mut found = Vec::new();
    templates(body, &mut found);
    let template = found
        .into_iter()
        .find(|template| template.source().starts_with(begins))
        .unwrap_or_else(|| panic!("a template that begins with {begins}"));
    template
        .render(&scope)
        .unwrap_or_else(|error| panic!("{error} in {}", template.source()))
}

fn templates<'b>(body: &'b Body, out: &mut Vec<&'b Template>) {
    for step in &body.steps {
        match &step.action {
            Action::Let(step) => out.push(&step.value),
            Action::Return(step) => out.extend(&step.text),
            Action::Fail(text) => out.push(text),
            Action::State(step) => {
                if let StateVerb::Put { value, .. } = &step.verb {
                    out.push(value);
                }
            }
            Action::When(step) => {
                out.push(&step.condition);
                templates(&step.then, out);
                if let Some(otherwise) = &step.otherwise {
                    templates(otherwise, out);
                }
            }
            Action::Each(step) => templates(&step.body, out),
            Action::Run(_)
            | Action::Shell(_)
            | Action::Read(_)
            | Action::Write(_)
            | Action::Edit(_)
            | Action::Glob(_)
            | Action::Grep(_)
            | Action::Call(_)
            | Action::Agent(_)
            | Action::Ask(_)
            | Action::Tools(_)
            | Action::Task(_)
            | Action::Mcp(_)
            | Action::Set(_)
            | Action::Event(_)
            | Action::Message(_) => {}
            Action::Cache(step) => templates(&step.body, out),
            Action::Retry(step) => templates(&step.body, out),
        }
    }
}

#[test]
fn task_lists_say_what_waits_for_what() {
    let tasks = json!([
        {"id": 1, "subject": "Build", "status": "completed", "owner": null, "blockedBy": []},
        {"id": 2, "subject": "Test", "status": "pending", "owner": "ada", "blockedBy": ["1", "3"]},
        {"id": 3, "subject": "Ship", "status": "pending", "owner": null, "blockedBy": ["1"]},
    ]);
    let done = gives(
        "TaskList",
        "{{ tasks | selectattr",
        &json!({}),
        &json!({"tasks": tasks}),
    );
    assert_eq!(done, r#"["1"]"#);
    assert_eq!(
        gives(
            "TaskList",
            "{% for task",
            &json!({}),
            &json!({"tasks": tasks, "done": ["1"]})
        ),
        "#1 [completed] Build\n#2 [pending] Test (ada) [blocked by #3]\n#3 [pending] Ship"
    );
}

#[test]
fn task_texts_are_as_agents_know_them() {
    assert_eq!(
        gives(
            "TaskCreate",
            "Task #",
            &json!({"subject": "Fix"}),
            &json!({"task": {"key": 4}})
        ),
        "Task #4 created successfully: Fix"
    );
    let created = gives(
        "TaskCreate",
        "{{ {'subject'",
        &json!({"subject": "Fix", "metadata": {"k": 1}}),
        &json!({}),
    );
    let created: Json = serde_json::from_str(&created).expect("json");
    assert_eq!(
        created,
        json!({
            "subject": "Fix", "description": "", "activeForm": null, "status": "pending", "owner": null,
            "blocks": [], "blockedBy": [], "metadata": {"k": 1},
        })
    );
    let changed = json!({"changed": ["status", "subject", "owner"]});
    assert_eq!(
        gives(
            "TaskUpdate",
            "Updated",
            &json!({"taskId": "4", "status": "completed", "owner": "ada"}),
            &changed
        ),
        "Updated task #4 status, owner"
    );
    let task = json!({"task": {"id": 4, "subject": "Fix", "status": "pending", "description": "d", "blocks": ["5"], "blockedBy": []}});
    assert_eq!(
        gives("TaskGet", "Task #", &json!({"taskId": "4"}), &task),
        "Task #4: Fix\nStatus: pending\nDescription: d\nBlocks: #5"
    );
}

#[test]
fn a_todo_list_that_is_done_is_gone() {
    let todo =
        |status: &str| json!({"todos": [{"content": "Run", "status": status, "activeForm": "Running"}]});
    let open = gives("TodoWrite", "{{ input.todos", &todo("completed"), &json!({}));
    assert_eq!(open, "[]");
    assert_eq!(
        gives(
            "TodoWrite",
            "{{ {'todos'",
            &todo("completed"),
            &json!({"open": []})
        ),
        r#"{"todos":[]}"#
    );
    let open = gives("TodoWrite", "{{ input.todos", &todo("pending"), &json!({}));
    assert_eq!(
        open,
        r#"[{"activeForm":"Running","content":"Run","status":"pending"}]"#
    );
}

#[test]
fn a_redirect_is_told_and_not_followed() {
    let input = json!({"url": "http://docs.rs/x", "prompt": "what?"});
    assert_eq!(
        gives("WebFetch", "{{ input.url", &input, &json!({})),
        "https://docs.rs/x"
    );
    let names = json!({
        "url": "https://docs.rs/x",
        "target": "https://evil.example/y",
        "page": {
            "stdout": "", "stderr": "", "code": 0, "json": {},
            "response_code": 302, "redirect_url": "https://evil.example/y", "content_type": null,
        },
    });
    assert_eq!(
        gives("WebFetch", "{{ page.response_code >= 300", &input, &names),
        "https://evil.example/y"
    );
    assert!(
        gives("WebFetch", "REDIRECT", &input, &names)
            .contains("- url: \"https://evil.example/y\"\n- prompt: \"what?\"")
    );
    let failed = json!({"page": {"stdout": "", "stderr": "curl: (6) no host\n{}", "code": 6}});
    assert_eq!(
        gives(
            "WebFetch",
            "The page could not be fetched: {{ page.stderr",
            &input,
            &failed
        ),
        "The page could not be fetched: curl: (6) no host"
    );
}

#[test]
fn answers_of_a_person_are_told() {
    let question = json!({"questions": [{
        "question": "Which?", "header": "Way", "multiSelect": "false",
        "options": [{"label": "A", "description": "a"}, {"label": "B", "description": "b"}],
    }]});
    let reply = json!({"reply": {"answers": {"Which?": "A"}}});
    assert_eq!(
        gives("AskUserQuestion", "User has", &question, &reply),
        "User has answered your questions: \"Which?\"=\"A\". You can now continue with the user's answers in mind."
    );
    let verdict = json!({"verdict": {"answers": {"Do it": "Approve"}}});
    assert_eq!(
        gives("ExitPlanMode", "{{ (verdict", &json!({"plan": "Do it"}), &verdict),
        "Approve"
    );
}

#[test]
fn background_tasks_say_how_they_stand() {
    let input = json!({"task_id": "b1"});
    let found = json!({"found": {"status": "completed", "output": "hi", "code": 0, "kind": "local_bash"}, "waited": "success"});
    assert_eq!(
        gives("TaskOutput", "<retrieval_status>", &input, &found),
        "<retrieval_status>success</retrieval_status>\n\n<task_id>b1</task_id>\n\n<task_type>local_bash</task_type>\n\n\
         <status>completed</status>\n\n<exit_code>0</exit_code>\n\n<output>\nhi\n</output>"
    );
    let running = json!({"found": {"status": "running", "output": "", "code": null, "kind": "local_bash"}});
    assert_eq!(gives("TaskOutput", "{{ 'timeout'", &input, &running), "timeout");
}

#[test]
fn settings_are_read_and_set() {
    let names = json!({"before": {"value": "dark"}, "old": "dark", "value": true});
    assert_eq!(
        gives("Config", "{{ before.value", &json!({"setting": "theme"}), &names),
        "dark"
    );
    assert_eq!(
        gives(
            "Config",
            "{{ input.setting }} =",
            &json!({"setting": "theme"}),
            &names
        ),
        "theme = \"dark\""
    );
    let unset = json!({"before": null});
    assert_eq!(
        gives("Config", "{{ before.value", &json!({"setting": "theme"}), &unset),
        ""
    );
    let verbose = json!({"setting": "verbose", "value": "true"});
    assert_eq!(
        gives("Config", "{{ input.value in [true", &verbose, &names),
        "true"
    );
    assert_eq!(gives("Config", "Set", &verbose, &names), "Set verbose to true");
    let error = named("Config").validate(&json!({"setting": "permissions"}), Sender::Model);
    assert!(error.is_err());
}

#[test]
fn schedules_are_five_fields() {
    let cron = |text: &str| {
        named("CronCreate")
            .validate(&json!({"cron": text, "prompt": "p"}), Sender::Model)
            .is_ok()
    };
    assert!(cron("*/5 9-17 * * 1,3"));
    assert!(!cron("* * * *"));
    assert!(!cron("every day"));
    let jobs = json!({"jobs": [{"id": 1, "cron": "0 9 * * *", "prompt": "Look\nagain", "recurring": true, "durable": false}]});
    assert_eq!(
        gives("CronList", "{% for job", &json!({}), &jobs),
        "1 — 0 9 * * * (recurring) [session-only]: Look"
    );
}

#[test]
fn every_description_comes_about() {
    let facts = Scope::of_facts(&SessionFacts {
        agents: vec![Listed {
            name: "Explore".into(),
            about: "looks around".into(),
        }],
        features: vec!["sandbox".into()],
        ..SessionFacts::default()
    });
    for tool in shipped() {
        let text = Entry::Declared(Arc::clone(tool))
            .description(&facts)
            .expect("a description");
        assert!(
            text.len() > 20 && !text.ends_with(char::is_whitespace),
            "{}: {text}",
            tool.name.value
        );
    }
    let text = Entry::Declared(Arc::new(named("Agent").clone()))
        .description(&facts)
        .expect("a description");
    assert!(text.contains("- Explore: looks around\n"), "{text}");
}

#[test]
fn a_definition_that_breaks_off_is_told_and_nothing_else_happens() {
    for (file, text) in data::TOOLS {
        for end in (1..text.len()).step_by(97) {
            let Some(beginning) = text.get(..end) else {
                continue;
            };
            let mut sources = Sources::new();
            let (tools, diagnostics) = read(file, beginning, Format::Kdl, &super::prompt, &mut sources);
            for diagnostic in &diagnostics {
                let place = diagnostic.place().expect("a place");
                assert!(
                    place.span.end as usize <= beginning.len() || place.source.index() > 0,
                    "{file} {end}"
                );
            }
            let broken = beginning.matches('{').count() != beginning.matches('}').count();
            assert!(
                !broken || !diagnostics.is_empty() || tools.is_empty(),
                "{file} {end}"
            );
        }
    }
}
