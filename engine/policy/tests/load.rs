//! What is said about policies as they are loaded: names that nothing has, and what is said once and not twice.

use engine_policy::read::Format;
use engine_policy::{Files, Level, Root, load};

struct NoFiles;

impl Files for NoFiles {
    fn text(&self, _path: &str) -> Result<String, String> {
        Err("there are no files".to_owned())
    }
}

/// Whether there is a plan, and each problem as `line: message (help)`.
fn loaded(text: &str) -> (bool, Vec<String>) {
    let root = Root::Text {
        name: "p.kdl".to_owned(),
        text: text.to_owned(),
        format: Format::Kdl,
    };
    let mut loaded = load(&[root], &NoFiles);
    let has_plan = loaded.compile().is_some();
    assert_eq!(
        has_plan,
        loaded.diagnostics.iter().all(|own| own.level < Level::Error)
    );
    let told = loaded.diagnostics.iter().map(|own| {
        let line = loaded.sources.line_column(own.place().unwrap_or_default()).line;
        format!(
            "{line}: {} ({})",
            own.message,
            own.help.as_deref().unwrap_or_default()
        )
    });
    (has_plan, told.collect())
}

#[test]
fn a_misspelt_shipped_policy_is_helped() {
    for (name, near) in [
        ("builtin:bse", "did you mean `builtin:base`?"),
        ("builtin:read-only", "did you mean `builtin:readonly`?"),
        (
            "builtin:zebra",
            "there are `builtin:base`, `builtin:ci`, `builtin:infrastructure`, `builtin:open-source-maintainer`, `builtin:readonly`, `builtin:strict`",
        ),
    ] {
        let (has_plan, told) = loaded(&format!("policy \"p\" {{\n extends \"{name}\"\n}}"));
        assert!(!has_plan);
        assert_eq!(told, [format!("2: no policy `{name}` is shipped ({near})")]);
    }
}

#[test]
fn a_test_that_names_no_rule_is_told_when_the_policy_is_read() {
    let (has_plan, told) = loaded(
        "allow \"edits\" { command \"a\"; }\ndeny \"nothing\" { }\nask { command \"b\"; }\ntests {\n allow \"a\" rule=\"edit\"\n allow \"a\" rule=\"edits\"\n \
         ask \"b\" rule=\"p.kdl:3\"\n ask \"b\" rule=\"zebra\"\n}",
    );
    assert!(has_plan, "a wrong test keeps no call from being decided");
    assert_eq!(
        told,
        [
            "5: no rule is called `edit`, so this test never passes (did you mean `edits`?)",
            "8: no rule is called `zebra`, so this test never passes (write the name of the block that holds the rule)",
        ]
    );
}

#[test]
fn a_test_may_name_a_rule_that_is_built_on() {
    let (_, told) = loaded(
        "policy \"p\" { extends \"builtin:base\"; }\ntests { deny \"git push -f\" rule=\"force-push\"; deny \"x\" rule=\"force-pus\"; }",
    );
    assert_eq!(
        told,
        ["2: no rule is called `force-pus`, so this test never passes (did you mean `force-push`?)"]
    );
}

#[test]
fn a_set_is_not_missed_where_what_declares_it_could_not_be_read() {
    for (sets, problem) in [
        (
            "sest { paths \"a\" \"./x\"; }",
            "1: unknown name `sest` in a policy (did you mean `sets`?)",
        ),
        (
            "sets { path \"a\" \"./x\"; }",
            "1: unknown name `path` in `sets` (did you mean `paths`?)",
        ),
        (
            "sets { paths \"a b\" \"./x\"; }",
            "1: `a b` cannot be the name of a set (a name has letters, digits, `-`, `_` and `.`)",
        ),
    ] {
        assert_eq!(loaded(&format!("{sets}\nallow {{ read \"@a\"; }}")).1, [problem]);
    }
}

#[test]
fn a_set_is_missed_whatever_else_is_misspelt() {
    let (_, told) =
        loaded("sets { paths \"ab\" \"./x\"; }\ndefaults { read \"ask\"; }\nallow { read \"@ac\"; }");
    assert_eq!(
        told,
        [
            "2: unknown name `defaults` in a policy (did you mean `default`?)",
            "3: unknown set `@ac` (did you mean `@ab`?)",
        ]
    );
}
