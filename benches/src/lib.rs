//! The data that benches measure with, made up here so that every run measures the same.

use std::fmt::Write as _;

use engine_policy::read::Format;
use engine_policy::{Call, Decision, Facts, Mode, NoWorld, Plan, decide};
use engine_properties::plan_of;
use engine_shell::Shell;
use tree_sitter::Parser;

/// What the rules of a made-up policy are about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Each names a program of its own.
    Programs,
    /// All name one program, each with other words.
    OneProgram,
    /// Each names a path of its own.
    Paths,
}

/// The text of a policy with this many rules.
#[must_use]
pub fn policy_text(rules: usize, shape: Shape) -> String {
    let mut text = String::from(
        "policy \"bench\" { extends \"builtin:base\" }\nallow { read \"./**\"; command \"git (status|log|diff) ...\" }\ndeny {\n",
    );
    for number in 0..rules {
        let _infallible = match shape {
            Shape::Programs => writeln!(text, "    command \"program{number} remove ...\""),
            Shape::OneProgram => writeln!(text, "    command \"git verb{number} --option{number} ...\""),
            Shape::Paths => writeln!(text, "    write \"./folder{number}/*/file{number}.txt\""),
        };
    }
    text.push_str("}\n");
    text
}

/// The plan of such a policy; `None` if it has a mistake.
#[must_use]
pub fn plan(rules: usize, shape: Shape) -> Option<Plan> {
    plan_of(&policy_text(rules, shape), Format::Kdl)
}

/// Decides a command where nothing is known of the file system.
#[must_use]
pub fn verdict(plan: &Plan, command: &str) -> Decision {
    let facts = Facts {
        via: &[],
        project: "/project",
        directory: "/project",
        home: Some("/home/user"),
        shell: Shell::Bash,
        world: &NoWorld,
    };
    decide(plan, &Call::Shell(command), &facts, Mode::Default)
}

/// Flat text of at most `bytes`: a few long statements of one kind.
#[must_use]
pub fn flat_text(bytes: usize) -> String {
    let line = "grep -n 'some words to look for' src/file.txt docs/page.md tests/all/of/them.rs notes/one notes/two notes/three\n";
    let mut text = String::with_capacity(bytes);
    while text.len() + line.len() <= bytes {
        text.push_str(line);
    }
    text
}

/// A compound command of about 1 KiB.
#[must_use]
pub fn compound_text() -> String {
    let mut text = String::from("set -e\n");
    for number in 0..8 {
        let _infallible = write!(
            text,
            "for f in src/{number}/*.rs; do\n  if grep -q 'mod {number}' \"$f\"; then echo \"$f\" | sort -u; else wc -l \"$f\" && head -3 \"$f\"; fi\ndone\n"
        );
    }
    text
}

/// A command with a here-document, of at most `bytes` in all.
#[must_use]
pub fn here_document(bytes: usize) -> String {
    let (head, line, tail) = (
        "cat > notes.txt <<'END'\n",
        "a line of plain text that stands in a here-document\n",
        "END\n",
    );
    let mut text = String::from(head);
    while text.len() + line.len() + tail.len() <= bytes {
        text.push_str(line);
    }
    text.push_str(tail);
    text
}

/// A tree-sitter parser for bash, to be used again and again.
#[must_use]
pub fn tree_parser() -> Option<Parser> {
    let mut parser = Parser::new();
    parser.set_language(&tree_sitter_bash::LANGUAGE.into()).ok()?;
    Some(parser)
}

#[cfg(test)]
mod tests {
    use engine_policy::Outcome;

    use super::{Shape, compound_text, flat_text, here_document, plan, verdict};

    #[test]
    fn made_up_policies_are_right_and_decide() {
        for (shape, denied) in [
            (Shape::Programs, "program7 remove x"),
            (Shape::OneProgram, "git verb7 --option7 x"),
            (Shape::Paths, "echo x > folder7/a/file7.txt"),
        ] {
            let plan = plan(100, shape).unwrap();
            assert_eq!(verdict(&plan, denied).outcome, Outcome::Deny, "{denied}");
            assert_eq!(verdict(&plan, "git status").outcome, Outcome::Allow, "{shape:?}");
        }
    }

    #[test]
    fn made_up_texts_have_their_length_and_are_understood() {
        let plan = plan(10, Shape::Programs).unwrap();
        for (text, least, most) in [
            (flat_text(1 << 10), 900, 1 << 10),
            (flat_text(64 << 10), 65_000, 64 << 10),
            (compound_text(), 900, 1300),
            (here_document(64 << 10), 65_000, 64 << 10),
        ] {
            assert!((least..=most).contains(&text.len()), "{}", text.len());
            assert_eq!(
                engine_shell::parse(&text, engine_shell::Shell::Bash, &engine_shell::Limits::DEFAULT).err(),
                None
            );
            assert!(verdict(&plan, &text).outcome <= Outcome::Ask);
        }
    }
}
