//! Printing changes nothing that is said: held against real files, files close to them, and files full of comments.
#![expect(clippy::expect_used, reason = "helpers of tests fail as tests do")]

use std::fs;
use std::path::Path;

use engine_properties::{Mutator, Violation, formats};

/// Every policy, command definition and policy fixture.
fn files() -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut texts = Vec::new();
    for folder in [
        "policies",
        "tooldefs/commands",
        "fixtures/policies/ok",
        "fixtures/policies/err",
    ] {
        for entry in fs::read_dir(root.join(folder)).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path
                .extension()
                .is_some_and(|ending| ending == "kdl" || ending == "toml")
            {
                texts.push(fs::read_to_string(path).expect("a file"));
            }
        }
    }
    texts.sort();
    texts
}

#[test]
fn real_files_are_printed_alike_again() {
    let files = files();
    assert!(files.len() > 100);
    for text in files {
        assert_eq!(formats(&text), Ok(()));
    }
}

/// What may stand between the words of a KDL node, and between nodes.
const TRIVIA: &[&str] = &[
    " ",
    "  ",
    "\t",
    " /* c */ ",
    "/* a /* b */ */",
    " /* two\n   lines */ ",
    " \\\n ",
    " \\ // gone on\n   ",
    " \\ /* c */ \n",
    " \\\n\n",
    "\n",
    "\n\n\n",
    ";",
    " ; ",
    " // end\n",
    "//\n",
    "\r\n",
    "\n  /-",
    " /-",
    "/- /* c */ ",
    "/- // c\n",
    " {",
    "}",
    "{ ",
    " }\n",
    " /-{",
    "{}",
    "\u{a0}",
];

const WORDS: &[&str] = &[
    "allow",
    "\"a b\"",
    "k=1",
    "k =\"v\"",
    "k= /* c */ \"v\"",
    "\"q\"=#true",
    "#\"r\"\\\"#",
    "\"\"\"\n  a\n\n   b\n  \"\"\"",
    "\"x\\   \n   y\"",
    "0xFF",
    "-1_000.5e3",
    "(t)x",
    "( t )y",
    "k=(t)z",
    "read",
    "command",
    "\"cargo (build|test) ...\"",
    "é",
    "kdl-version 2",
    "a-quite-long-word-that-soon-fills-a-line-if-it-is-repeated-often-enough",
];

#[test]
fn texts_full_of_comments_are_printed_alike_again() {
    let mut mutator = Mutator::new(7);
    let mut printed = 0;
    for _ in 0..8_000 {
        let mut text = String::new();
        let mut open = 0_usize;
        for _ in 0..mutator.below(24) {
            let piece = if mutator.below(2) == 0 {
                mutator.pick(WORDS)
            } else {
                mutator.pick(TRIVIA)
            };
            open += piece.matches('{').count();
            open = open.saturating_sub(piece.matches('}').count());
            text.push_str(piece);
            if mutator.below(3) == 0 {
                text.push(' ');
            }
        }
        text.push_str(&"}".repeat(open));
        printed += usize::from(
            engine_policy::format::reformat(
                "text",
                &text,
                engine_policy::read::Format::Kdl,
                &mut engine_policy::Sources::new(),
            )
            .is_ok(),
        );
        assert_eq!(formats(&text), Ok(()));
    }
    assert!(printed > 1000, "only {printed} could be read");
}

#[test]
fn files_close_to_real_ones_are_printed_alike_again() {
    let seeds: Vec<String> = files().into_iter().filter(|text| text.len() < 6000).collect();
    let mut mutator = Mutator::new(11);
    for _ in 0..1000 {
        let text = mutator.mutant(&seeds);
        let found: Result<(), Violation> = formats(&text);
        assert_eq!(found, Ok(()));
    }
}
