//! Facts about schemas.

use engine_policy::Sources;
use engine_policy::read::Format;
use serde_json::Value as Json;

use crate::definition::read;
use crate::template::{Scope, SessionFacts};

fn schema(fields: &str, features: &[&str]) -> String {
    let text = format!("tool \"T\" {{ about \"t\"; input {{ {fields} }}; body {{ return \"x\" }} }}");
    let (tools, diagnostics) = read("t.kdl", &text, Format::Kdl, &(), &mut Sources::new());
    assert_eq!(diagnostics, []);
    let facts = Scope::of_facts(&SessionFacts {
        features: features.iter().map(|feature| (*feature).into()).collect(),
        ..SessionFacts::default()
    });
    tools.first().expect("a tool").schema(&facts).as_str().to_owned()
}

#[test]
fn keys_are_in_the_order_of_the_definition() {
    let fields = r#"
        string "zeta" required=#true { about "Say \"hi\"" }
        integer "alpha" default=2 min=1 max=9
        number "share" min=0 max=1.5
        enum "kind" "b" "a" default="a"
        array "todos" min-items=1 { item "object" { string "text" required=#true pattern="^x"; boolean "done" } }
        object "free"
        json "any" { about "Anything" }
        url "page" { connects }
    "#;
    assert_eq!(
        schema(fields, &[]),
        concat!(
            r#"{"type":"object","properties":{"#,
            r#""zeta":{"type":"string","description":"Say \"hi\""},"#,
            r#""alpha":{"type":"integer","minimum":1,"maximum":9,"default":2},"#,
            r#""share":{"type":"number","minimum":0.0,"maximum":1.5},"#,
            r#""kind":{"type":"string","enum":["b","a"],"default":"a"},"#,
            r#""todos":{"type":"array","items":{"type":"object","properties":{"#,
            r#""text":{"type":"string","pattern":"^x"},"done":{"type":"boolean"}},"#,
            r#""required":["text"],"additionalProperties":false},"minItems":1},"#,
            r#""free":{"type":"object"},"#,
            r#""any":{"description":"Anything"},"#,
            r#""page":{"type":"string","format":"uri"}},"#,
            r#""required":["zeta"],"additionalProperties":false}"#
        )
    );
}

#[test]
fn a_tool_without_fields_takes_an_empty_object() {
    assert_eq!(
        schema("", &[]),
        r#"{"type":"object","properties":{},"additionalProperties":false}"#
    );
}

#[test]
fn what_is_internal_or_not_available_is_in_no_schema() {
    let fields = r#"
        string "shown"
        string "inside" internal=#true
        string "sometimes" available-when="{{ 'x' in facts.features }}"
    "#;
    let keys = |features: &[&str]| -> Vec<String> {
        let json: Json = serde_json::from_str(&schema(fields, features)).expect("json");
        json["properties"]
            .as_object()
            .expect("an object")
            .keys()
            .cloned()
            .collect()
    };
    assert_eq!(keys(&[]), ["shown"]);
    assert_eq!(keys(&["x"]), ["shown", "sometimes"]);
}

#[test]
fn every_shipped_schema_is_json_and_strict() {
    let facts = Scope::of_facts(&SessionFacts::default());
    for tool in crate::shipped() {
        let schema = tool.schema(&facts);
        let json: Json = serde_json::from_str(schema.as_str()).expect("json");
        assert_eq!(
            json["additionalProperties"],
            Json::Bool(false),
            "{}",
            tool.name.value
        );
        assert!(
            !schema.as_str().contains("_simulatedSedEdit"),
            "{}",
            tool.name.value
        );
    }
}
