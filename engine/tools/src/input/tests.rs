//! Facts about inputs.

use std::sync::Arc;

use engine_policy::Sources;
use engine_policy::read::Format;
use serde_json::{Value as Json, json};

use super::{Input, InputError, Sender};
use crate::definition::{Tool, read};

const TOOL: &str = r#"
tool "Order" {
    about "Order something"
    input {
        string "item" required=#true min-length=2 max-length=5 pattern="^[a-z]+$"
        integer "count" default=1 min=1 max=10
        number "price" min=0
        boolean "gift" default=#false
        enum "size" "small" "large"
        url "page" { connects }
        path "list" { reads }
        array "tags" of="string" max-items=2
        array "lines" {
            item "object" {
                string "text" required=#true
                boolean "done"
            }
        }
        object "extra"
        json "anything"
        string "secret" internal=#true
    }
    body { return "ok" }
}
"#;

fn order() -> Arc<Tool> {
    let (tools, diagnostics) = read("t.kdl", TOOL, Format::Kdl, &(), &mut Sources::new());
    assert_eq!(diagnostics, []);
    tools.into_iter().map(Arc::new).next().expect("a tool")
}

fn validate(input: &Json) -> Result<Input, InputError> {
    order().validate(input, Sender::Model)
}

fn messages(input: &Json) -> Vec<String> {
    let problems = validate(input).expect_err("a problem").problems;
    problems.into_iter().map(|problem| problem.message).collect()
}

#[test]
fn defaults_stand_in_for_what_is_left_out() {
    let input = validate(&json!({"item": "cup"})).expect("valid");
    assert_eq!(input.to_json(), json!({"item": "cup", "count": 1, "gift": false}));
    assert_eq!(
        validate(&json!({"item": "cup", "count": null})).expect("valid"),
        input
    );
}

#[test]
fn numbers_and_booleans_may_be_spelled_as_text() {
    let input =
        validate(&json!({"item": "cup", "count": "5", "gift": "true", "price": "2.5"})).expect("valid");
    assert_eq!(input.integer("count"), Some(5));
    assert!(input.is_true("gift"));
    assert_eq!(input.get("price"), Some(&json!(2.5)));
    assert_eq!(
        validate(&json!({"item": "cup", "count": 5.0}))
            .expect("valid")
            .integer("count"),
        Some(5)
    );
}

#[test]
fn nothing_else_is_bent() {
    for (field, value) in [
        ("gift", json!("yes")),
        ("gift", json!(1)),
        ("gift", json!("True")),
        ("count", json!("5x")),
        ("count", json!(5.5)),
        ("count", json!("")),
        ("count", json!(true)),
        ("price", json!("NaN")),
        ("price", json!("inf")),
        ("item", json!(7)),
        ("tags", json!("[]")),
        ("extra", json!("{}")),
        ("lines", json!({})),
    ] {
        let messages = messages(&json!({"item": "cup", field: value}));
        assert!(
            messages
                .iter()
                .any(|message| message.starts_with(&format!("The parameter `{field}`"))),
            "{field}: {messages:?}"
        );
    }
}

#[test]
fn unknown_fields_are_refused_with_the_nearest_name() {
    assert_eq!(
        messages(&json!({"item": "cup", "Count": 2, "sise": "small"})),
        [
            "An unexpected parameter `Count` was provided; did you mean `count`?",
            "An unexpected parameter `sise` was provided; did you mean `size`?",
        ]
    );
    assert_eq!(
        messages(&json!({"item": "cup", "lines": [{"text": "a", "dome": true}]})),
        ["An unexpected parameter `lines[0].dome` was provided; did you mean `done`?"]
    );
}

#[test]
fn every_problem_is_told_at_once() {
    let error = validate(&json!({
        "count": 11,
        "size": "smal",
        "tags": ["a", "b", 3],
        "lines": [{"text": "a"}, {}],
        "page": "docs.rs",
    }))
    .expect_err("problems");
    assert_eq!(
        error.to_string(),
        "InputValidationError: Order failed due to the following issues:\n\
         The required parameter `item` is missing\n\
         The parameter `count` must be at most 10, not 11\n\
         The parameter `size` must be one of `small`, `large`, not `smal`; did you mean `small`?\n\
         The parameter `page` must be a complete `http` or `https` address without a user name in it\n\
         The parameter `tags` must have at most 2 items, not 3\n\
         The parameter `tags[2]` type is expected as `string` but provided as `number`\n\
         The required parameter `lines[1].text` is missing"
    );
}

#[test]
fn texts_keep_their_bounds_in_characters() {
    assert_eq!(
        messages(&json!({"item": "c"})),
        ["The parameter `item` must have at least 2 characters, not 1"]
    );
    assert_eq!(
        messages(&json!({"item": "ääääää"})),
        [
            "The parameter `item` must have at most 5 characters, not 6",
            "The parameter `item` must match the pattern `^[a-z]+$`",
        ]
    );
}

#[test]
fn internal_fields_are_refused_from_a_model_and_taken_from_the_engine() {
    let input = json!({"item": "cup", "secret": "x"});
    assert_eq!(
        messages(&input),
        ["The parameter `secret` is not one that a caller may give"]
    );
    let own = order().validate(&input, Sender::Engine).expect("valid");
    assert_eq!(own.text("secret"), Some("x"));
    // Nor is its name given away.
    assert_eq!(
        messages(&json!({"item": "cup", "secrets": "x"})),
        [
            "An unexpected parameter `secrets` was provided; known are `item`, `count`, `price`, `gift`, `size`, `page`, `list`, \
          `tags`, `lines`, `extra`, `anything`"
        ]
    );
}

#[test]
fn an_input_that_is_no_object_is_refused() {
    for input in [json!(null), json!([]), json!("item")] {
        assert_eq!(
            validate(&input).expect_err("a problem").problems.len(),
            1,
            "{input}"
        );
    }
}

#[test]
fn nesting_is_bounded() {
    let mut deep = json!(1);
    for _ in 0..200 {
        deep = json!([deep]);
    }
    assert_eq!(
        messages(&json!({"item": "cup", "anything": deep})),
        ["The parameter `anything` is nested deeper than 64 levels"]
    );
}

#[test]
fn a_path_holds_no_nul() {
    assert_eq!(
        messages(&json!({"item": "cup", "list": "a\0b"})),
        ["The parameter `list` holds a NUL"]
    );
    assert_eq!(
        messages(&json!({"item": "cup", "list": ""})),
        ["The parameter `list` must not be empty"]
    );
}

#[test]
fn addresses_and_paths_have_bounds_and_patterns_too() {
    let text = r##"
tool "T" {
    about "t"
    input {
        url "page" max-length=30 pattern="^https://" { connects }
        path "list" pattern=#"\.txt$"# { reads }
        array "more" of="url" pattern="^https://"
    }
    body { return "ok" }
}
"##;
    let (tools, diagnostics) = read("t.kdl", text, Format::Kdl, &(), &mut Sources::new());
    assert_eq!(diagnostics, []);
    let tool = tools.into_iter().map(Arc::new).next().expect("a tool");
    let said = |input: &Json| match tool.validate(input, Sender::Model) {
        Ok(_) => Vec::new(),
        Err(error) => error
            .problems
            .into_iter()
            .map(|problem| problem.message)
            .collect(),
    };
    let fine = json!({"page": "https://a.example/", "list": "a.txt", "more": ["https://a.example/"]});
    assert_eq!(said(&fine), Vec::<String>::new());
    assert_eq!(
        said(&json!({"page": "http://a.example/", "list": "a.md", "more": ["http://a.example/"]})),
        [
            "The parameter `page` must match the pattern `^https://`",
            "The parameter `list` must match the pattern `\\.txt$`",
            "The parameter `more[0]` must match the pattern `^https://`",
        ]
    );
    assert_eq!(
        said(&json!({"page": format!("https://a.example/{}", "x".repeat(20))})),
        ["The parameter `page` must have at most 30 characters, not 38"]
    );
    let schema = tool.schema(&crate::template::Scope::default());
    assert!(
        schema
            .as_str()
            .contains(r#""page":{"type":"string","format":"uri","maxLength":30,"pattern":"^https://"}"#),
        "{}",
        schema.as_str()
    );
}
