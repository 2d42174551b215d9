//! Properties of the readers: no text makes them panic, every place lies inside, nesting is bounded, and the KDL reader
//! reads what another reader of KDL reads.

use std::fmt::Write as _;

use engine_policy::read::{Argument, Format, Literal, Node, parse_kdl, read};
use engine_policy::{Diagnostic, Level, Sources};
use proptest::prelude::*;

fn diagnostics(text: &str, format: Format) -> Vec<Diagnostic> {
    read("policy", text, format, &mut Sources::new()).1
}

fn codes(text: &str, format: Format) -> Vec<&'static str> {
    diagnostics(text, format)
        .iter()
        .map(|diagnostic| diagnostic.code)
        .collect()
}

/// Checks that everything said about a text points into it.
fn places_lie_inside(text: &str, format: Format) -> Result<(), TestCaseError> {
    let mut sources = Sources::new();
    let (document, diagnostics) = read("policy", text, format, &mut sources);
    let failed = diagnostics
        .iter()
        .any(|diagnostic| diagnostic.level == Level::Error);
    prop_assert_eq!(document.is_none(), failed);
    for diagnostic in &diagnostics {
        for (place, _) in &diagnostic.labels {
            let range = place.span.start as usize..place.span.end as usize;
            prop_assert!(
                text.get(range.clone()).is_some(),
                "{range:?} of {text:?}: {}",
                diagnostic.message
            );
        }
    }
    for block in document.iter().flat_map(|document| &document.blocks) {
        for rule in &block.value.rules {
            prop_assert!(!rule.place.span.of(text).is_empty());
        }
    }
    Ok(())
}

/// Pieces of policies in both spellings, right and wrong, in any order.
fn pieces() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "allow ",
        "deny ",
        "ask ",
        "sets ",
        "tests ",
        "default ",
        "policy ",
        "{",
        "}",
        "\n",
        ";",
        " ",
        "read ",
        "write ",
        "command ",
        "\"./a/**\"",
        "\"git (a|b) ...\"",
        "\"@s\"",
        "\"[\"",
        "\"",
        "\\",
        "\"\"\"",
        "#\"",
        "\"#",
        "#true",
        "true",
        "=",
        "because=",
        "/-",
        "//",
        "/*",
        "*/",
        "(",
        ")",
        "flag ",
        "\"-f\"",
        "except ",
        "é",
        "\u{feff}",
        "\r\n",
        "1",
        "-0x1f",
        "1.5",
        "[[allow]]",
        "[deny]",
        "[",
        "]",
        "'",
        "'''",
        "read = ",
        "\"x\"",
        ",",
        ".",
        "name",
        "match",
        "rules = ",
        "verdict = ",
        "\u{202e}",
        "\0",
        "paths \"s\" ",
        "short ",
        "\"Bash(ls:*)\"",
        "\"Read(~\\\\.ssh)\"",
    ]);
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn any_text_is_read_without_a_panic(text in any::<String>()) {
        places_lie_inside(&text, Format::Kdl)?;
        places_lie_inside(&text, Format::Toml)?;
    }

    #[test]
    fn any_pieces_are_read_without_a_panic(text in pieces()) {
        places_lie_inside(&text, Format::Kdl)?;
        places_lie_inside(&text, Format::Toml)?;
    }

    #[test]
    fn any_pattern_is_read_without_a_panic(pattern in "[a-z~./*?{}()|\\[\\] @:$\"'\\\\é,=!-]{0,24}") {
        let quoted = format!("{pattern:?}").replace("\\'", "'");
        let text = format!(
            "allow {{ command {quoted}; read {quoted}; network {quoted}; tool {quoted}; env {quoted}; short {quoted} }}"
        );
        places_lie_inside(&text, Format::Kdl)?;
    }

    /// Wherever the `kdl` crate accepts a text, this reader accepts it too and reads the same.
    #[test]
    fn kdl_is_read_as_by_another_reader(text in kdl_text()) {
        let Ok(theirs) = kdl::KdlDocument::parse_v2(&text) else { return Ok(()) };
        let source = Sources::new().add("policy", &text).expect("a source");
        let ours = parse_kdl(&text, source);
        // Both are refused on purpose: types mean nothing in a policy, and the last of two properties would win silently.
        let refused = ["policy::type-annotation", "policy::duplicate-property"];
        let unexpected: Vec<&Diagnostic> =
            ours.diagnostics.iter().filter(|diagnostic| !refused.contains(&diagnostic.code)).collect();
        prop_assert!(unexpected.is_empty(), "{unexpected:?}");
        if ours.diagnostics.is_empty() {
            prop_assert_eq!(shape(&ours.nodes), their_shape(&theirs));
        }
    }
}

/// Texts that are often good KDL.
fn kdl_text() -> impl Strategy<Value = String> {
    let value = prop::sample::select(vec![
        "word",
        "\"a b\"",
        "\"\\n\\u{e9}\\\\\"",
        "#\"raw \"x\" \\\"#",
        "\"\"\"\n  a\n\n   b\n  \"\"\"",
        "##\"\"\"\n\ta\"#\n\t\"\"\"##",
        "1",
        "-1_000",
        "0xff",
        "1.5e3",
        "#true",
        "#null",
        "k=v",
        "k = 2",
        "\"q r\"=#false",
        "/-gone",
        "/- k=1",
        "\"a \\\n   b\"",
        "(t)x",
        "-",
        ".",
        "--flag",
        "é",
        "\\\n  x",
        "\\ // c\n  y",
        "/* c */",
        "#nan",
        "a'b",
        "~/x",
        "\"\"",
    ]);
    let node = (
        prop::sample::select(vec!["a", "\"b c\"", "/-d", "e-f", "#\"g\"#", "/- h", "(t)i"]),
        prop::collection::vec(value, 0..5),
    )
        .prop_map(|(name, values)| format!("{name} {}", values.join(" ")));
    let ending = prop::sample::select(vec!["\n", ";", " // c\n", "\r\n", "\n\n", " ;\n"]);
    let leaf = (node, ending).prop_map(|(node, ending)| node + ending).boxed();
    leaf.prop_recursive(4, 24, 4, |inner| {
        let block = prop::sample::select(vec!["a {", "b x {\n", "c /-{", "d k=1 /- { x }\n{"]);
        (prop::collection::vec(inner, 0..4), block)
            .prop_map(|(nodes, open)| format!("{open}{}}}\n", nodes.concat()))
    })
}

#[derive(Debug, PartialEq)]
struct Shape {
    name: String,
    arguments: Vec<String>,
    properties: Vec<(String, String)>,
    children: Option<Vec<Shape>>,
}

fn shape(nodes: &[Node]) -> Vec<Shape> {
    let show = |argument: &Argument| match &argument.value {
        Literal::Text(text) => format!("{text:?}"),
        Literal::Integer(value) => value.to_string(),
        Literal::Number(_) => "number".to_owned(),
        Literal::Boolean(value) => value.to_string(),
        Literal::Null => "null".to_owned(),
        Literal::Date(_) => "date".to_owned(),
    };
    let nodes = nodes.iter().map(|node| Shape {
        name: node.name.value.to_string(),
        arguments: node.arguments.iter().map(show).collect(),
        properties: node
            .properties
            .iter()
            .map(|property| (property.name.value.to_string(), show(&property.value)))
            .collect(),
        children: node.children.as_ref().map(|children| shape(children)),
    });
    nodes.collect()
}

fn their_shape(document: &kdl::KdlDocument) -> Vec<Shape> {
    let show = |value: &kdl::KdlValue| match value {
        kdl::KdlValue::String(text) => format!("{text:?}"),
        kdl::KdlValue::Integer(value) => value.to_string(),
        kdl::KdlValue::Float(_) => "number".to_owned(),
        kdl::KdlValue::Bool(value) => value.to_string(),
        kdl::KdlValue::Null => "null".to_owned(),
    };
    let nodes = document.nodes().iter().map(|node| Shape {
        name: node.name().value().to_owned(),
        arguments: node
            .entries()
            .iter()
            .filter(|e| e.name().is_none())
            .map(|e| show(e.value()))
            .collect(),
        properties: node
            .entries()
            .iter()
            .filter_map(|e| Some((e.name()?.value().to_owned(), show(e.value()))))
            .collect(),
        children: node.children().map(their_shape),
    });
    nodes.collect()
}

#[test]
fn deep_nesting_is_an_error_in_kdl() {
    for (open, close) in [
        ("a {\n", "}\n"),
        ("a {", "}"),
        ("/*", "*/"),
        ("/- a {\n", "}\n"),
        ("a /-{", "}\n"),
    ] {
        let text = open.repeat(10_000) + &close.repeat(10_000);
        assert!(codes(&text, Format::Kdl).contains(&"policy::too-deep"), "{open}");
    }
    for text in [
        "(".repeat(10_000),
        "a ".to_owned() + &"(".repeat(10_000),
        "/-".repeat(10_000),
        "{".repeat(10_000),
    ] {
        assert!(codes(&text, Format::Kdl).contains(&"policy::syntax"));
    }
}

#[test]
fn nesting_within_the_bound_is_read() {
    let text = "a {\n".repeat(60) + &"}\n".repeat(60);
    assert_eq!(codes(&text, Format::Kdl), ["policy::unknown-name"]);
}

#[test]
fn deep_nesting_is_an_error_in_toml() {
    let arrays = format!("a = {}{}", "[".repeat(10_000), "]".repeat(10_000));
    let tables = format!("a = {}1{}", "{a=".repeat(10_000), "}".repeat(10_000));
    let keys = format!("{}a = 1", "a.".repeat(10_000));
    let header = format!("[{}a]", "a.".repeat(10_000));
    for text in [arrays, tables, keys, header] {
        let found = codes(&text, Format::Toml);
        assert!(found.contains(&"policy::too-deep"), "{found:?}");
    }
}

#[test]
fn a_long_text_is_an_error() {
    let text = " ".repeat((1 << 20) + 1);
    assert_eq!(codes(&text, Format::Kdl), ["policy::too-large"]);
    assert_eq!(codes(&text, Format::Toml), ["policy::too-large"]);
}

#[test]
fn no_number_of_warnings_hides_an_error() {
    let mut text = "allow {\n".to_owned();
    for number in 0..1000 {
        let _infallible = writeln!(text, "short \"Bash(git commit{number}*)\"");
    }
    text.push_str("}\ndeny { raed \"**/.env\" }\n");
    let (document, found) = read("policy", &text, Format::Kdl, &mut Sources::new());
    assert!(document.is_none());
    assert!(
        found
            .iter()
            .any(|diagnostic| diagnostic.code == "policy::unknown-name")
    );
    assert_eq!(found.len(), 100);
}

#[test]
fn names_are_told_apart_however_many_there_are() {
    let many: Vec<String> = (0..40).map(|number| format!(" k{number}=1")).collect();
    let many = many.concat();
    let twice = format!("x{many} /-k3=1 /-{{ y k1=1 k1=2 }} k39=2 k7=2\nz k7=1\n");
    let mut found = codes(&twice, Format::Kdl);
    found.retain(|code| *code == "policy::duplicate-property");
    assert_eq!(found.len(), 2);
    let blocks: Vec<String> = (0..40)
        .map(|number| format!("deny \"d{number}\" {{}}\n"))
        .collect();
    let blocks = blocks.concat();
    assert_eq!(codes(&blocks, Format::Kdl), Vec::<&str>::new());
    assert_eq!(
        codes(&format!("{blocks}allow \"d20\" {{}}"), Format::Kdl),
        ["policy::duplicate"]
    );
}

#[test]
fn conditions_of_one_kind_are_a_list_of_lists_in_toml() {
    let kdl = "deny {
    command \"git push ...\" {
        operand 2 \"a\"
        flag \"-f\"
        flag \"-g\" \"-h\"
        operand 1 \"b\"
        operand 1 \"c\"
        operands within=\"./a\"
        operands within=\"./b\"
    }
    tool \"X\" { input \"f\" \"a*\"; input \"f\" \"*b\" }
}";
    let toml = "[[deny]]
command = { match = \"git push ...\", operand.2 = \"a\", flag = [[\"-f\"], [\"-g\", \"-h\"]], operand.1 = [[\"b\"], [\"c\"]], operands = [{ within = \"./a\" }, { within = \"./b\" }] }
tool = { match = \"X\", input.f = [[\"a*\"], [\"*b\"]] }
";
    let document = |text, format| read("policy", text, format, &mut Sources::new()).0;
    let ours = document(kdl, Format::Kdl);
    assert!(ours.is_some());
    assert_eq!(document(toml, Format::Toml), ours);
}

#[test]
fn sets_of_kinds_that_take_turns_keep_their_order_in_toml() {
    let toml = "[sets]\npaths.a = \"./a\"\nhosts.b = \"b\"\npaths.c = \"./c\"\n";
    let document = read("policy", toml, Format::Toml, &mut Sources::new())
        .0
        .expect("a policy");
    let names: Vec<&str> = document
        .sets
        .iter()
        .map(|set| set.value.name.value.as_str())
        .collect();
    assert_eq!(names, ["a", "b", "c"]);
}

#[test]
fn a_misspelt_name_is_helped() {
    let found = diagnostics("alow { read \"a\" }", Format::Kdl);
    assert_eq!(found[0].help.as_deref(), Some("did you mean `allow`?"));
}

#[test]
fn a_quoted_boolean_is_helped_in_each_spelling() {
    let kdl = diagnostics("allow { command \"a\" { background \"true\" } }", Format::Kdl);
    assert_eq!(kdl[0].help.as_deref(), Some("write `#true` without quotes"));
    let toml = diagnostics(
        "[allow]\ncommand = { match = \"a\", background = \"true\" }",
        Format::Toml,
    );
    assert_eq!(toml[0].help.as_deref(), Some("write `true` without quotes"));
    let bare = diagnostics("allow { command \"a\" { background true } }", Format::Kdl);
    assert_eq!(
        bare[0].help.as_deref(),
        Some("write `#true`, or `\"true\"` if the text is meant")
    );
}

/// Messages with their help.
fn told(text: &str, format: Format) -> Vec<String> {
    diagnostics(text, format)
        .iter()
        .map(|diagnostic| {
            format!(
                "{} ({})",
                diagnostic.message,
                diagnostic.help.as_deref().unwrap_or_default()
            )
        })
        .collect()
}

#[test]
fn a_brace_that_is_missing_is_the_only_mistake() {
    let missing = ["this block is not closed (add the missing `}`)"];
    for text in [
        "allow \"a\" {\n command \"x\"\ndeny \"b\" {\n command \"y\"\n}\n",
        "policy \"p\" {\n about \"x\"\nallow { command \"x\"; }\ntests { allow \"x\"; }\n",
        "tests {\n allow \"x\"\n deny tool=\"A\" { input a=\"b\" }\nmodes { allow plan; }\nallow { command \"x\"; }\n",
        "modes {\n default \"plan\"\ndeny { command \"y\"; }\n",
        "allow {\n command \"x\" {\n flag \"-f\"\n}\ndeny { command \"y\"; }\n",
    ] {
        assert_eq!(told(text, Format::Kdl), missing, "{text}");
    }
}

#[test]
fn what_follows_a_missing_brace_is_looked_at_all_the_same() {
    let text = "allow {\n command \"x\" {\n flag \"-f\"\ndeny {\n comand \"y\"\n}\n";
    assert_eq!(
        told(text, Format::Kdl),
        [
            "this block is not closed (add the missing `}`)",
            "this block is not closed (add the missing `}`)",
            "unknown name `comand` in a block (did you mean `command`?)",
        ]
    );
}

#[test]
fn a_name_that_belongs_elsewhere_is_a_mistake_where_every_brace_is_closed() {
    assert_eq!(
        codes("allow { deny { command \"y\"; }; }", Format::Kdl),
        ["policy::unknown-name"]
    );
}

#[test]
fn toml_is_told_the_keys_that_it_alone_has() {
    let help = |text: &str| told(text, Format::Toml).join("; ");
    assert!(help("[policy]\nzzz = 'x'").contains("(known are `name`, `about`"));
    assert!(
        help("[[allow]]\nzzz = 'x'").contains("(known are `name`, `because`, `instead`, `rules`, `command`")
    );
    assert!(
        help("[[allow]]\ncommand = [{ match = 'x', zzz = 'y' }]").contains("(known are `match`, `except`")
    );
    assert!(help("[[allow.command]]\nmach = 'x'").contains("(did you mean `match`?)"));
    assert!(
        help("[[allow]]\nrules = [{ command = 'x', zzz = 'y' }]").contains("(known are `except`, `flag`")
    );
    assert!(
        help("[lint]\noff = { args = 'untested', because = 'x', zzz = 'y' }")
            .contains("(known are `args`, `because`")
    );
    let kdl = told("policy { zzz \"x\"; }", Format::Kdl).join("; ");
    assert!(kdl.contains("(known are `about`, `extends`"), "{kdl}");
}
