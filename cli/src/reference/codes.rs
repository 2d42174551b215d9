//! The page about codes of problems and lints.

use std::fmt::Write as _;

use engine_policy::Level;
use engine_policy::lint::Lint;

use super::table;
use crate::report::codes::CODES;

pub(super) fn page() -> String {
    let problems: Vec<Vec<String>> = CODES
        .iter()
        .map(|(code, about)| vec![format!("`{code}`"), (*about).to_owned()])
        .collect();
    let mut body = String::from(
        "Codes are stable: they stand in every format (`ruleId` in SARIF). A problem also says where it is and what to write instead.\n\n\
         ## Problems\n\n",
    );
    body.push_str(&table(&["code", "means"], &problems));
    body.push_str(
        "\n## Lints\n\nThey are looked for by `engine lint`; the [pages](../lints/README.md) have examples.\n\n",
    );
    let mut lints = String::from("| code | level | finds |\n|---|---|---|\n");
    for lint in Lint::ALL {
        let level = match lint.level() {
            Level::Error => "error",
            Level::Warning => "warning",
            Level::Note => "note",
        };
        let _infallible = writeln!(
            lints,
            "| [`{}`](../lints/{}.md) | {level} | {} |",
            lint.code(),
            lint.name(),
            super::cell(lint.about())
        );
    }
    body.push_str(&lints);
    super::page(
        "Codes",
        "What is wrong with a policy, a command definition or a test has a code, and so has each lint.",
        &body,
    )
}

/// Codes that a source file gives to problems.
fn given(text: &str) -> impl Iterator<Item = &str> {
    text.split('"').filter(|word| {
        ["policy::", "commands::", "test::", "fmt::"].iter().any(|start| {
            word.strip_prefix(start).is_some_and(|rest| {
                !rest.is_empty() && rest.chars().all(|c| c.is_ascii_lowercase() || c == '-')
            })
        })
    })
}

#[test]
fn every_code_that_the_code_gives_is_listed() {
    let mut folders = vec![
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src"),
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../engine/policy/src"),
    ];
    let mut missing = Vec::new();
    let mut seen = 0;
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let text = std::fs::read_to_string(&path).expect("a source file");
            for code in given(&text) {
                seen += 1;
                if !CODES.iter().any(|(own, _)| *own == code) {
                    missing.push(format!("{}: {code}", path.display()));
                }
            }
        }
    }
    assert!(seen > CODES.len(), "the codes were not found");
    assert!(missing.is_empty(), "not in `CODES`:\n{}", missing.join("\n"));
}
