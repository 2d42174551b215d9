//! Facts about templates.

use engine_policy::{Diagnostic, Place};
use serde_json::json;

use super::{Checker, Scope, SessionFacts, Shape, Template, Value, facts_shape};

fn template(text: &str) -> Template {
    Template::of_text(text, Place::default())
}

fn scope() -> Scope {
    let mut scope = Scope::of_facts(&SessionFacts {
        os: "linux".into(),
        ..SessionFacts::default()
    });
    scope.set("n", Value::of_json(&json!(5)));
    scope.set("list", Value::of_json(&json!(["a", "b"])));
    scope.set("object", Value::of_json(&json!({"b": 1, "a": null})));
    scope.set("nothing", Value::none());
    scope.set("text", Value::text("{{ n }}"));
    scope.set("url", Value::address("http://Docs.rs:80/serde?x=1#top"));
    scope
}

fn render(text: &str) -> String {
    template(text)
        .render(&scope())
        .unwrap_or_else(|error| format!("error: {error}"))
}

#[test]
fn one_expression_gives_its_value_and_other_templates_text() {
    let json = |text: &str| template(text).json(&scope()).expect("a value");
    assert_eq!(json("{{ n }}"), json!(5));
    assert_eq!(json("{{- list -}}"), json!(["a", "b"]));
    assert_eq!(json("{{ object }}"), json!({"a": null, "b": 1}));
    assert_eq!(json("{{ n }}."), json!("5."));
    assert_eq!(json("plain"), json!("plain"));
    assert_eq!(json("{{ n }}{{ n }}"), json!("55"));
    assert_eq!(json("{{ nothing }}"), json!(null));
    assert_eq!(json("{{ url }}"), json!("http://Docs.rs:80/serde?x=1#top"));
}

#[test]
fn text_of_a_value_is_never_read_as_a_template() {
    assert_eq!(render("{{ text }}"), "{{ n }}");
    assert_eq!(render("<{{ text }}>"), "<{{ n }}>");
}

#[test]
fn a_name_without_a_value_is_an_error() {
    assert!(
        render("{{ missing }}").starts_with("error:"),
        "{}",
        render("{{ missing }}")
    );
    assert!(render("a {{ object.c }}").starts_with("error:"));
    assert_eq!(render("{{ nothing }}"), "");
}

#[test]
fn no_template_does_unbounded_work() {
    let endless = "{% for a in range(100000) %}{% for b in range(100000) %}{% endfor %}{% endfor %}";
    assert!(
        render(endless).contains("more work than one may"),
        "{}",
        render(endless)
    );
    let huge = "{{ 'x' * 100000000000 }}";
    assert!(render(huge).starts_with("error:"));
}

#[test]
fn templates_reach_no_other_templates_and_no_debugging() {
    assert!(render("{% include 'x' %}").starts_with("error:"));
    assert!(render("{{ debug() }}").starts_with("error:"));
}

#[test]
fn filters_are_what_they_say() {
    let cases = [
        ("{{ url.host }}", "docs.rs"),
        ("{{ url.port }}", "80"),
        ("{{ url.query }}", "x=1"),
        ("{{ (url | upgrade_https).scheme }}", "https"),
        ("{{ 'HTTP://a.b/c' | upgrade_https }}", "https://a.b/c"),
        ("{{ object | json }}", r#"{"a":null,"b":1}"#),
        ("{{ ('{\"k\": [1]}' | from_json).k[0] }}", "1"),
        ("{{ 'no json' | from_json is none }}", "true"),
        ("{{ 'a\r\nb' | lines | join('|') }}", "a|b"),
        ("{{ 'order 66' | regex('[0-9]+') }}", "66"),
        (
            "<{{ true }}|{{ nothing }}|{{ object }}>",
            r#"<true||{"a":null,"b":1}>"#,
        ),
        ("{{ 'k=v' | regex('(.)=(.)', group=2) }}", "v"),
        ("{{ 'x' | regex('y') is none }}", "true"),
        ("{{ 'a-b' | regex_replace('(a)-(b)', '$2-$1') }}", "b-a"),
        ("{{ 86400 | date }}", "1970-01-02"),
        ("{{ 3661 | date('%H:%M') }}", "01:01"),
        ("{{ \"it's\" | shell_quote }}", r"'it'\''s'"),
        ("{{ 'plain-word' | shell_quote }}", "plain-word"),
        ("{{ '' | shell_quote }}", "''"),
        ("{{ 'äb c' | url_encode }}", "%C3%A4b%20c"),
        ("{{ 'short' | truncate(9) }}", "short"),
        (
            "{{ 'äöü' | truncate(2) }}",
            "äö\n\n[Content truncated after 2 characters]",
        ),
        ("{{ '<p>a <b>c</b></p>' | html_to_markdown }}", "a **c**"),
    ];
    for (text, expected) in cases {
        assert_eq!(render(text), expected, "{text}");
    }
}

#[test]
fn addresses_that_readers_disagree_about_have_no_parts() {
    for text in [
        "https://good.org@evil.org/",
        "https://good.org\\@evil.org/",
        "ftp://a.b/",
        "https://a b/",
        "https:///x",
        "https://a.b:99999/",
        "//a.b/c",
    ] {
        assert_eq!(super::Address::parse(text), None, "{text}");
    }
    let host = |text: &str| {
        template("{{ u.host }}").render(&{
            let mut scope = Scope::default();
            scope.set("u", Value::address(text));
            scope
        })
    };
    assert_eq!(host("https://[::1]:8080/x").as_deref(), Ok("[::1]"));
    assert_eq!(host("https://A.B?q").as_deref(), Ok("a.b"));
}

fn problems(text: &str) -> Vec<(&'static str, String)> {
    let mut diagnostics: Vec<Diagnostic> = Vec::new();
    let mut checker = Checker {
        names: [
            ("facts".into(), facts_shape()),
            ("n".into(), Shape::Plain),
            ("url".into(), Shape::Address),
            ("items".into(), Shape::list(Shape::object([("id", Shape::Plain)]))),
        ]
        .into(),
        maybe: vec!["perhaps".into()],
        diagnostics: &mut diagnostics,
    };
    checker.template(&template(text));
    diagnostics
        .into_iter()
        .map(|diagnostic| (diagnostic.code, diagnostic.help.unwrap_or_default()))
        .collect()
}

#[test]
fn mistakes_are_found_before_anything_runs() {
    let cases = [
        ("{{ fats.os }}", "tool::unknown-variable", "did you mean `facts`?"),
        (
            "{{ facts.programms }}",
            "tool::unknown-part",
            "did you mean `programs`?",
        ),
        ("{{ url.hots }}", "tool::unknown-part", "did you mean `host`?"),
        ("{{ n.x }}", "tool::unknown-part", "it has no parts"),
        (
            "{{ n | trunkate(3) }}",
            "tool::unknown-filter",
            "did you mean `truncate`?",
        ),
        (
            "{{ n is strnig }}",
            "tool::unknown-test",
            "did you mean `string`?",
        ),
        ("{{ rang(3) }}", "tool::unknown-function", "did you mean `range`?"),
        ("{{ n.upper() }}", "tool::unknown-function", "use a filter"),
        (
            "{% for item in items %}{{ item.ident }}{% endfor %}",
            "tool::unknown-part",
            "did you mean `id`?",
        ),
        (
            "{{ (items | first).ident }}",
            "tool::unknown-part",
            "did you mean `id`?",
        ),
        (
            "{{ perhaps }}",
            "tool::maybe-unset",
            "give it a value on every way that leads here",
        ),
        ("{% if n %}", "tool::template", ""),
    ];
    for (text, code, help) in cases {
        assert_eq!(problems(text), [(code, help.to_owned())], "{text}");
    }
}

#[test]
fn what_is_right_is_not_complained_about() {
    for text in [
        "{% for item in items %}{{ loop.index }} {{ item.id }}{% else %}none{% endfor %}",
        "{% set x = n %}{{ x }}",
        "{{ url.host ~ n }}{{ facts.settings.anything.at.all }}",
        "{{ facts.agents | map(attribute='name') | join(', ') }}",
        "{{ 'a' if n is not none else ['b'][0] }}",
    ] {
        assert_eq!(problems(text), [], "{text}");
    }
}
