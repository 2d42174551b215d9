//! Facts about checks of definitions.

use std::sync::Arc;

use engine_policy::Sources;
use engine_policy::read::Format;

use super::check;
use crate::definition::{Tool, read};

/// Code and underlined text of each problem of tools that were read without one.
fn problems(text: &str) -> Vec<(&'static str, String)> {
    let mut sources = Sources::new();
    let (tools, diagnostics) = read("t.kdl", text, Format::Kdl, &(), &mut sources);
    assert_eq!(diagnostics, []);
    let tools: Vec<Arc<Tool>> = tools.into_iter().map(Arc::new).collect();
    check(&tools)
        .into_iter()
        .map(|diagnostic| {
            let place = diagnostic.place().expect("a place");
            (diagnostic.code, sources.text(place).to_owned())
        })
        .collect()
}

fn of_body(steps: &str) -> Vec<(&'static str, String)> {
    problems(&format!(
        "tool \"T\" {{ about \"t\"; input {{ string \"a\" }}; body {{\n{steps}\n}} }}"
    ))
}

fn found(code: &'static str, text: &str) -> Vec<(&'static str, String)> {
    vec![(code, text.to_owned())]
}

#[test]
fn names_must_have_a_value_on_every_way() {
    let when = "when \"{{ input.a }}\" { let \"x\" \"1\" }\n";
    assert_eq!(
        of_body(&format!("{when}return \"{{{{ x }}}}\"")),
        found("tool::maybe-unset", "x")
    );
    assert_eq!(
        of_body(&format!(
            "{when}otherwise {{ let \"x\" \"2\" }}\nreturn \"{{{{ x }}}}\""
        )),
        []
    );
    assert_eq!(
        of_body(&format!(
            "{when}otherwise {{ fail \"no\" }}\nreturn \"{{{{ x }}}}\""
        )),
        []
    );
    assert_eq!(
        of_body("return \"{{ y }}\"\n"),
        found("tool::unknown-variable", "y")
    );
}

#[test]
fn names_of_a_round_end_with_it() {
    let each = "each \"i\" in=\"{{ [1] }}\" collect=\"all\" value=\"{{ x }}\" { let \"x\" \"{{ i }}\" }\n";
    assert_eq!(
        of_body(&format!("{each}return \"{{{{ all | join(',') }}}}\"")),
        []
    );
    assert_eq!(
        of_body(&format!("{each}return \"{{{{ x }}}}\"")),
        found("tool::unknown-variable", "x")
    );
}

#[test]
fn steps_that_run_at_once_do_not_see_each_other() {
    let text = "tool \"T\" { about \"t\"; body { when \"{{ true }}\" max-concurrency=2 { run \"a\" \"true\"; run \"b\" \"echo\" \
                \"{{ a.code }}\" }; return \"x\" } }";
    assert_eq!(problems(text), found("tool::unknown-variable", "a"));
}

#[test]
fn fields_and_parts_are_known() {
    assert_eq!(
        of_body("return \"{{ input.b }}\""),
        found("tool::unknown-part", "input.b")
    );
    assert_eq!(
        of_body("run \"r\" \"true\"\nreturn \"{{ r.stdot }}\""),
        found("tool::unknown-part", "r.stdot")
    );
}

#[test]
fn what_is_never_reached_is_an_error() {
    assert_eq!(
        of_body("return \"x\"\nmessage \"y\""),
        found("tool::unreachable", "message \"y\"")
    );
    assert_eq!(
        of_body("when \"{{ input.a }}\" { return \"x\" }\notherwise { fail \"y\" }\nreturn \"z\""),
        found("tool::unreachable", "return \"z\"")
    );
}

#[test]
fn a_body_ends_with_a_result() {
    assert_eq!(of_body("let \"x\" \"1\""), found("tool::no-result", "\"T\""));
    assert_eq!(
        of_body("when \"{{ input.a }}\" { return \"x\" }"),
        found("tool::no-result", "\"T\"")
    );
}

#[test]
fn a_read_only_tool_writes_nothing() {
    let read_only = |steps: &str| {
        problems(&format!(
            "tool \"T\" {{ about \"t\"; read-only; needs \"agent\"; body {{ {steps}; return \"x\" }} }}"
        ))
        .into_iter()
        .map(|(code, _)| code)
        .collect::<Vec<_>>()
    };
    for step in [
        "write \"a\" path=\"f\" content=\"x\"",
        "edit \"a\" path=\"f\" old=\"x\" new=\"y\"",
        "state \"put\" \"c\" \"k\" { value \"x\" }",
        "state \"delete\" \"c\" \"k\"",
        "task \"stop\" \"a\" id=\"1\"",
        "agent \"a\" \"x\" { prompt \"y\" }",
        "call \"a\" \"mcp__s__t\"",
        "when \"{{ true }}\" { write \"a\" path=\"f\" content=\"x\" }",
    ] {
        assert_eq!(read_only(step), ["tool::read-only"], "{step}");
    }
    for step in [
        "read \"a\" path=\"f\"",
        "state \"get\" \"a\" \"c\" \"k\"",
        "run \"a\" \"true\"",
    ] {
        assert_eq!(read_only(step), Vec::<&str>::new(), "{step}");
    }
    let field =
        "tool \"T\" { about \"t\"; read-only; input { path \"p\" { writes } }; body { return \"x\" } }";
    assert_eq!(problems(field), found("tool::read-only", "\"p\""));
}

#[test]
fn calls_name_tools_and_fields_that_exist() {
    let other =
        "tool \"Other\" { about \"o\"; input { string \"text\" required=#true }; body { return \"x\" } }\n";
    let call = |step: &str| {
        problems(&format!(
            "{other}tool \"T\" {{ about \"t\"; body {{ {step}; return \"x\" }} }}"
        ))
    };
    assert_eq!(call("call \"a\" \"Other\" { text \"x\" }"), []);
    assert_eq!(
        call("call \"a\" \"Othr\" { text \"x\" }"),
        found("tool::unknown-tool", "\"Othr\"")
    );
    assert_eq!(
        call("call \"a\" \"Other\" { txt \"x\" }"),
        [
            ("tool::unknown-field", "txt".to_owned()),
            ("tool::missing-value", "\"Other\"".to_owned())
        ]
    );
}

#[test]
fn names_clash_whatever_their_capitals() {
    let tool = |name: &str| format!("tool \"{name}\" {{ about \"t\"; body {{ return \"x\" }} }}\n");
    assert_eq!(problems(&(tool("A") + &tool("A"))), found("tool::clash", "\"A\""));
    assert_eq!(
        problems(&(tool("Bash") + &tool("bash"))),
        found("tool::clash", "\"bash\"")
    );
    let alias = "tool \"B\" { about \"t\"; aliases \"A\"; body { return \"x\" } }";
    assert_eq!(problems(&(tool("A") + alias)), found("tool::clash", "\"A\""));
}

#[test]
fn conditions_and_prompts_see_the_facts_alone() {
    let with = |text: &str| {
        problems(&format!(
            "tool \"T\" {{ about \"t\"; input {{ string \"a\" }}; {text}; body {{ return \"x\" }} }}"
        ))
    };
    assert_eq!(with("enabled-when \"{{ facts.os == 'linux' }}\""), []);
    assert_eq!(
        with("enabled-when \"{{ input.a }}\""),
        found("tool::unknown-variable", "input")
    );
    assert_eq!(with("enabled-when \"yes\""), found("tool::condition", "\"yes\""));
    assert_eq!(
        with("prompt \"{{ input.a }}\""),
        found("tool::unknown-variable", "input")
    );
    assert_eq!(with("read-only when=\"{{ input.a }}\""), []);
    assert_eq!(
        with("read-only \"by-analysis\""),
        found("tool::by-analysis", "\"T\"")
    );
}

#[test]
fn a_step_says_what_its_tool_needs() {
    assert_eq!(
        of_body("agent \"a\" \"x\" { prompt \"y\" }\nreturn \"x\""),
        found("tool::needs", "agent \"a\" \"x\" { prompt \"y\" }")
    );
}

#[test]
fn what_a_transfer_reports_is_named_in_templates() {
    let fetch = |words: &str, result: &str| {
        problems(&format!(
            "tool \"T\" {{ about \"t\"; input {{ url \"url\" required=#true {{ connects }} }}; read-only; body {{\n\
             let \"url\" \"{{{{ input.url | upgrade_https }}}}\"\n\
             cache key=\"{{{{ url }}}}\" for=\"15m\" {{ run \"page\" {words} \"--\" \"{{{{ url }}}}\" }}\n\
             when \"{{{{ page.redirect_host != url.host }}}}\" {{ return \"moved to {{{{ page.redirect }}}}\" }}\n\
             return \"{{{{ {result} }}}}\" }} }}"
        ))
    };
    let json = "\"curl\" \"--write-out\" \"%{json}\"";
    assert_eq!(fetch(json, "page.stdout"), []);
    assert_eq!(fetch(json, "page.http_code"), []);
    assert_eq!(
        fetch(json, "page.http_cod"),
        found("tool::unknown-part", "page.http_cod")
    );
    // Another program prints something else, and so does curl without being told.
    assert_eq!(fetch("\"curls\" \"%{json}\"", "page.stdout").len(), 2);
    assert_eq!(fetch("\"curl\" \"--silent\"", "page.stdout").len(), 2);
}

#[test]
fn output_that_is_declared_to_be_json_has_any_part() {
    assert_eq!(
        of_body("run \"r\" \"jq\" output=\"json\"\nreturn \"{{ r.name }}\""),
        []
    );
    assert_eq!(
        of_body("shell \"r\" \"true\" output=\"report\"\nreturn \"{{ r.name }}\""),
        []
    );
    assert_eq!(
        of_body("run \"r\" \"jq\" output=\"text\"\nreturn \"{{ r.name }}\""),
        found("tool::unknown-part", "r.name")
    );
}

#[test]
fn values_have_the_type_that_their_place_needs() {
    let wrong = |text: &str| found("tool::wrong-type", text);
    assert_eq!(
        of_body("run \"r\" \"true\" timeout=\"{{ input.a }}\"\nreturn \"x\""),
        wrong("\"{{ input.a }}\"")
    );
    for fine in [
        "{{ input.a | int }}",
        "5000",
        "{{ 5 * 1000 }}",
        "{{ facts.settings.wait }}",
    ] {
        assert_eq!(
            of_body(&format!("run \"r\" \"true\" timeout=\"{fine}\"\nreturn \"x\"")),
            []
        );
    }
    assert_eq!(
        of_body("run \"r\" \"true\" timeout=\"soon\"\nreturn \"x\""),
        wrong("\"soon\"")
    );
    assert_eq!(
        of_body("each \"i\" in=\"{{ input.a }}\" { message \"{{ i }}\" }\nreturn \"x\""),
        wrong("\"{{ input.a }}\"")
    );
    assert_eq!(
        of_body("each \"i\" in=\"{{ input.a | lines }}\" { message \"{{ i }}\" }\nreturn \"x\""),
        []
    );
    assert_eq!(
        of_body("run \"r\" \"echo\" { words \"{{ input.a }}\" }\nreturn \"x\""),
        wrong("\"{{ input.a }}\"")
    );
    let called = |value: &str| {
        problems(&format!(
            "tool \"T\" {{ about \"t\"; input {{ string \"a\" }}; body {{ call \"c\" \"U\" {{ list \"{value}\" }}; return \"x\" }} }}\n\
             tool \"U\" {{ about \"u\"; input {{ array \"list\" of=\"string\" }}; body {{ return \"y\" }} }}"
        ))
    };
    assert_eq!(called("{{ input.a }}"), wrong("\"{{ input.a }}\""));
    assert_eq!(called("{{ [input.a] }}"), []);
    assert_eq!(called("{{ [[1]] }}"), wrong("\"{{ [[1]] }}\""));
}

#[test]
fn a_step_says_how_many_of_it_run_at_once() {
    assert_eq!(of_body("run \"r\" \"true\" max-concurrency=2\nreturn \"x\""), []);
}
