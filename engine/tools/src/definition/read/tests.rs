//! Facts about reading definitions.

use engine_policy::read::Format;
use engine_policy::{Diagnostic, Sources};

use super::read;
use crate::definition::{
    Action, Budget, Deferral, Flag, Handler, Need, OnError, Prompt, Questions, Role, StateVerb, Tool, Words,
    Work,
};

fn kdl(text: &str) -> (Vec<Tool>, Vec<Diagnostic>) {
    read("t.kdl", text, Format::Kdl, &(), &mut Sources::new())
}

fn one(text: &str) -> Tool {
    let (tools, diagnostics) = kdl(text);
    assert_eq!(diagnostics, []);
    tools.into_iter().next().expect("a tool")
}

/// Code, the text that is underlined, and the help of each problem.
fn problems(text: &str) -> Vec<(&'static str, String, String)> {
    let mut sources = Sources::new();
    let (_, diagnostics) = read("t.kdl", text, Format::Kdl, &(), &mut sources);
    diagnostics
        .into_iter()
        .map(|diagnostic| {
            let place = diagnostic.place().expect("a place");
            let shown = sources.text(place).to_owned();
            (diagnostic.code, shown, diagnostic.help.unwrap_or_default())
        })
        .collect()
}

fn body(steps: &str) -> String {
    format!("tool \"T\" {{ about \"t\"; body {{\n{steps}\n}} }}")
}

#[test]
fn what_is_left_out_is_the_strictest() {
    let tool = one("tool \"T\" { about \"t\"; body { return \"x\" } }");
    assert_eq!(tool.read_only, Flag::Never);
    assert_eq!(tool.concurrency_safe, Flag::Never);
    assert_eq!(tool.destructive, Flag::Never);
    assert_eq!(tool.budget, Budget::Chars(50_000));
    assert_eq!(tool.deferral, Deferral::Shown);
    assert_eq!(tool.prompt, Prompt::About);
}

#[test]
fn flags_are_said_in_four_ways() {
    let flag = |text: &str| {
        one(&format!(
            "tool \"T\" {{ about \"t\"; {text}; body {{ return \"x\" }} }}"
        ))
        .read_only
    };
    assert_eq!(flag("read-only"), Flag::Always);
    assert_eq!(flag("read-only #false"), Flag::Never);
    assert_eq!(flag("read-only \"by-analysis\""), Flag::ByAnalysis);
    assert!(matches!(flag("read-only when=\"{{ true }}\""), Flag::When(_)));
}

#[test]
fn both_spellings_say_the_same() {
    let kdl_text = r#"
tool "Fetch" {
    about "Fetch"
    aliases "Get" "Load"
    input {
        url "url" required=#true { connects }
        array "parts" max-items=3 { item "object" { string "id" required=#true } }
        enum "kind" "a" "b" default="a"
    }
    read-only when="{{ input.kind == 'a' }}"
    budget chars=100
    defer
    needs "mcp" "agent"
    preapproved { hosts "docs.rs" }
    body on-error="skip" {
        run "page" "curl" "--" "{{ input.url }}" { env "A" "b"; on-error "retry" }
        when "{{ page.code != 0 }}" { fail "no" }
        otherwise { message "yes" to="person" }
        each "part" in="{{ input.parts }}" max=3 { state "put" "parts" "{{ part.id }}" { value "{{ part }}" } }
        return "{{ page.stdout }}" summarise="what?"
    }
}
"#;
    let toml_text = r#"
[[tool]]
args = "Fetch"
about = "Fetch"
aliases = ["Get", "Load"]
defer = true
needs = ["mcp", "agent"]
read-only = { when = "{{ input.kind == 'a' }}" }
budget = { chars = 100 }
preapproved = { hosts = "docs.rs" }

[[tool.input]]
node = "url"
name = "url"
required = true
connects = true

[[tool.input]]
node = "array"
args = "parts"
max-items = 3
item = { args = "object", string = { name = "id", required = true } }

[[tool.input]]
node = "enum"
args = ["kind", "a", "b"]
default = "a"

[tool.body]
on-error = "skip"
nodes = [
    { node = "run", args = ["page", "curl", "--", "{{ input.url }}"], env = ["A", "b"], on-error = "retry" },
    { node = "when", args = "{{ page.code != 0 }}", fail = "no" },
    { node = "otherwise", message = { args = "yes", to = "person" } },
    { node = "each", args = "part", in = "{{ input.parts }}", max = 3, state = { args = ["put", "parts", "{{ part.id }}"], value = "{{ part }}" } },
    { node = "return", args = "{{ page.stdout }}", summarise = "what?" },
]
"#;
    let from_kdl = format!("{:?}", strip(&one(kdl_text)));
    let (tools, diagnostics) = read("t.toml", toml_text, Format::Toml, &(), &mut Sources::new());
    assert_eq!(diagnostics, []);
    assert_eq!(tools.len(), 1);
    let tool = tools.into_iter().next().expect("a tool");
    assert_eq!(tool.needs, [Need::Mcp, Need::Agent]);
    assert_eq!(format!("{:?}", strip(&tool)), from_kdl);
}

/// A tool without places, whose text is compared.
fn strip(tool: &Tool) -> String {
    let text = format!("{tool:?}");
    regex::Regex::new(r"place: Place \{[^{}]*(\{[^{}]*\})?[^{}]*\}|start: [0-9]+|end: [0-9]+")
        .expect("a regex")
        .replace_all(&text, "")
        .into_owned()
}

#[test]
fn every_step_is_read() {
    let text = body(
        r#"
        run "a" "git" "log" { words "{{ [1, 2] }}"; stdin "in"; env "X" "y"; cwd "/t"; timeout 5; background #false }
        shell "b" "echo \"$V\"" { env "V" "{{ a.stdout }}" }
        read "c" path="f" offset=1 limit=2
        write "d" path="f" content="x"
        edit "e" path="f" old="x" new="y" all=#true
        glob "f" pattern="*"
        grep "g" pattern="x" mode="count" limit=3
        call "h" "mcp__s__t" { field "{{ a.code }}" }
        agent "i" "Explore" { prompt "look"; model "haiku" }
        ask "j" { question "Really?" header="Q" { option "Yes" about="do it"; option "No" } }
        state "get" "k" "tasks" "1"
        state "put" "tasks" as="l" { value "{{ {} }}"; keep "project" }
        state "update" "tasks" "1" { set "a" "b"; append "c" "{{ [1] }}"; merge "m" "{{ {} }}"; remove "z" }
        state "delete" "tasks" "1" as="m"
        state "list" "n" "tasks"
        tools "o" query="x" limit=3
        task "output" "p" id="1" block=#true timeout=5
        task "stop" "q" id="1"
        task "list" "r"
        mcp "resources" "s"
        mcp "read" "t" server="s" uri="u"
        let "u" "{{ 1 }}"
        cache key="k" for="15m" { let "v" "1" }
        retry times=2 delay="1s" { let "w" "1" }
        set "cwd" "/t"
        message "hello"
        return "x"
        "#,
    );
    let tool = one(&text);
    let Work::Body(body) = &tool.work else {
        panic!("a body");
    };
    let words: Vec<&str> = body.steps.iter().map(|step| step.action.word()).collect();
    assert_eq!(
        words.join(" "),
        "run shell read write edit glob grep call agent ask state state state state state tools task task task mcp mcp let \
         cache retry set message return"
    );
    let Action::Run(run) = &body.steps[0].action else {
        panic!("a run");
    };
    assert_eq!(run.words.len(), 3);
    assert!(matches!(run.words[2], Words::Each(_)));
    let Action::Ask(ask) = &body.steps[9].action else {
        panic!("an ask");
    };
    assert!(matches!(&ask.questions, Questions::Written(written) if written[0].options.len() == 2));
    let Action::State(state) = &body.steps[12].action else {
        panic!("a state");
    };
    assert!(matches!(&state.verb, StateVerb::Update { changes, .. } if changes.len() == 4));
    let Action::Cache(cache) = &body.steps[22].action else {
        panic!("a cache");
    };
    assert_eq!(cache.for_ms, 900_000);
    assert_eq!(body.on_error, OnError::Stop);
}

#[test]
fn every_problem_is_told_with_its_place_and_what_to_write() {
    let text = r#"
tool "Bad Name" {
    abuot "x"
    about "t"
    input {
        sting "a"
        string "b" requird=#true
        string "c" min-length="x"
        string "c"
    }
    budget chars=0
    read-only "allways"
    body { retrun "x"; return "y" }
}
toool "T"
"#;
    let found = problems(text);
    let shown: Vec<(&str, &str, &str)> = found
        .iter()
        .map(|(code, text, help)| (*code, text.as_str(), help.as_str()))
        .collect();
    assert_eq!(
        shown,
        [
            (
                "tool::bad-name",
                "\"Bad Name\"",
                "use letters, digits, `_` and `-`, first a letter, at most 64"
            ),
            ("tool::unknown-name", "abuot", "did you mean `about`?"),
            ("tool::unknown-name", "sting", "did you mean `string`?"),
            ("tool::unknown-property", "requird", "did you mean `required`?"),
            (
                "tool::wrong-type",
                "\"x\"",
                "write it without quotes, and neither below zero nor too large where that has no meaning"
            ),
            ("tool::duplicate", "\"c\"", "remove one of them"),
            (
                "tool::budget",
                "budget chars=0",
                "write `budget chars=20000` or `budget \"unlimited\"`"
            ),
            ("tool::unknown-word", "\"allways\"", "did you mean `always`?"),
            ("tool::unknown-name", "retrun", "did you mean `return`?"),
            ("tool::unknown-name", "toool", "did you mean `tool`?"),
        ]
    );
}

#[test]
fn a_handler_needs_fields_that_the_policy_sees() {
    let handler = |fields: &str| {
        let text = format!("tool \"T\" {{ about \"t\"; handler \"bash.run\"; input {{ {fields} }} }}");
        problems(&text)
            .into_iter()
            .map(|(code, ..)| code)
            .collect::<Vec<_>>()
    };
    assert_eq!(
        handler("string \"command\" required=#true { runs-shell }"),
        Vec::<&str>::new()
    );
    assert_eq!(
        handler("string \"command\" required=#true"),
        ["tool::handler-field"]
    );
    assert_eq!(
        handler("string \"command\" { runs-shell }"),
        ["tool::handler-field"]
    );
    assert_eq!(
        handler("string \"cmd\" required=#true { runs-shell }"),
        ["tool::handler-field"]
    );
    let tool = one(
        "tool \"T\" { about \"t\"; handler \"bash.run\"; input { string \"command\" required=#true { runs-shell } } }",
    );
    assert_eq!(tool.work, Work::Handler(Handler::BashRun));
    assert_eq!(tool.input[0].role, Some(Role::RunsShell));
}

#[test]
fn no_value_is_put_into_shell_text() {
    let found = problems(&body("shell \"a\" \"echo {{ input.x }}\"\nreturn \"x\""));
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].0, "tool::shell-template");
}

#[test]
fn a_prompt_stays_in_its_folder() {
    let prompts = |name: &str| (name == "a.md").then(|| "Hello {{ facts.os }}".to_owned());
    let read_with = |file: &str| {
        let text = format!("tool \"T\" {{ about \"t\"; prompt file=\"{file}\"; body {{ return \"x\" }} }}");
        let (tools, diagnostics) = read("t.kdl", &text, Format::Kdl, &prompts, &mut Sources::new());
        let codes: Vec<&str> = diagnostics.iter().map(|diagnostic| diagnostic.code).collect();
        (tools.into_iter().next().expect("a tool").prompt, codes)
    };
    let (prompt, codes) = read_with("a.md");
    assert!(matches!(prompt, Prompt::Text(text) if text.source() == "Hello {{ facts.os }}"));
    assert_eq!(codes, Vec::<&str>::new());
    assert_eq!(read_with("b.md").1, ["tool::prompt"]);
    assert_eq!(read_with("../a.md").1, ["tool::prompt"]);
    assert_eq!(read_with("/a.md").1, ["tool::prompt"]);
}

#[test]
fn a_name_of_a_server_is_not_a_declared_tool() {
    let found = problems("tool \"mcp__a__b\" { about \"t\"; body { return \"x\" } }");
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].0, "tool::bad-name");
}

#[test]
fn otherwise_stands_behind_when() {
    let found = problems(&body("let \"a\" \"1\"\notherwise { return \"x\" }\nreturn \"y\""));
    assert_eq!(found.len(), 1);
    assert_eq!(
        (found[0].0, found[0].1.as_str()),
        ("tool::otherwise", "otherwise")
    );
}

#[test]
fn no_nesting_breaks_the_reader() {
    let deep = format!("{}{}", "when \"{{ true }}\" {".repeat(40), "}".repeat(40));
    let found = problems(&body(&format!("{deep}\nreturn \"x\"")));
    assert!(
        found.iter().any(|(code, ..)| *code == "tool::too-deep"),
        "{found:?}"
    );
}

#[test]
fn toml_that_is_no_node_is_told() {
    let codes = |text: &str| {
        let (_, diagnostics) = read("t.toml", text, Format::Toml, &(), &mut Sources::new());
        diagnostics
            .into_iter()
            .map(|diagnostic| diagnostic.code)
            .collect::<Vec<_>>()
    };
    let tool = "[[tool]]\nname = \"T\"\nabout = \"t\"\n";
    let body = "[[tool.body]]\nnode = \"return\"\nargs = \"x\"\n";
    assert_eq!(codes(&format!("{tool}{body}")), Vec::<&str>::new());
    assert_eq!(
        codes(&format!("{tool}{body}[[tool.body]]\nargs = \"y\"\n")),
        ["policy::wrong-type"]
    );
    assert!(codes(&format!("{tool}aliases = [\"A\", {{ b = 1 }}]\n{body}")).contains(&"policy::wrong-type"));
    assert_eq!(
        codes(&format!("{tool}colour = \"red\"\n{body}")),
        ["tool::unknown-name"]
    );
    assert_eq!(codes("[[tool]]\nname = \"T\n").len(), 1);
}
