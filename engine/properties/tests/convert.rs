//! A policy stays the same policy in the other spelling and back: real ones, the manual's, and generated ones full of comments.

use std::fs;
use std::path::Path;

use engine_policy::read::Format;
use engine_properties::{Mutator, converts, fixture_policies};

fn root() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Fenced blocks of one language in a page.
fn fenced(page: &str, language: &str) -> Vec<String> {
    let open = format!("```{language}\n");
    page.split(open.as_str())
        .skip(1)
        .filter_map(|rest| rest.split("```").next())
        .map(str::to_owned)
        .collect()
}

#[test]
fn real_policies_are_said_in_the_other_spelling_and_back() {
    let mut texts = fixture_policies();
    for entry in fs::read_dir(root().join("policies")).expect("the policies") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|ending| ending == "kdl") {
            texts.push(fs::read_to_string(path).expect("a policy"));
        }
    }
    let page = fs::read_to_string(root().join("docs/policy-language.md")).expect("the manual");
    texts.extend(fenced(&page, "kdl"));
    texts.extend(fenced(&page, "toml"));
    let mut said = 0;
    for text in &texts {
        for format in [Format::Kdl, Format::Toml] {
            said += usize::from(converts(text, format).unwrap_or_else(|violation| panic!("{violation}")));
        }
    }
    assert!(said >= 14, "only {said} policies were said");
}

const COMMENTS: &[&str] = &[
    "",
    "",
    "",
    "// own line\n",
    "/* block */\n",
    "/* two\n * lines */ ",
    "\n\n//\n// after a blank\n",
    "/-read \"./gone\"\n",
];

const BEHIND: &[&str] = &[
    "\n",
    "\n",
    "\n",
    "; ",
    " // behind\n",
    " /* behind */\n",
    " \\ // on\n\n",
];

const RULES: &[&str] = &[
    "read \"./**\" \"@secrets\"",
    "read \"./a\" /* inside */ \"./b\" { except \"./c\"; except \"./d\" \"./e\" }",
    "write \"./src/**\" /-\"./gone\"",
    "command \"git push ...\" { flag \"-f\"; flag \"-g\" \"--force\"; env \"A\"; flag \"-h\" }",
    "command \"cargo ...\" {\n // why\n operand 2 \"x\" // two\n operand 1 \"a\" \"b\"; operands within=\"./a\"; operand 1 \"c\"\n}",
    "command \"rm ...\" { operands { within \"./a\" \"./b\" }; operands within=\"./c\"; background #false }",
    "command \"echo \\\"a b\\\"\" #\"printf \"\\n\"\"#",
    "command \"x\" { in-pipeline #true; in-pipeline #false; cwd \"./sub/**\"; piped-into \"sh\" \"bash\" }",
    "tool \"Grep\" { input \"output_mode\" \"files_*\"; input \"a b\" \"x\"; input \"output_mode\" \"c\" }",
    "network \"example.org:443\" \"@net\"",
    "env \"LD_*\"",
    "delete \"/etc/**\"",
    "short \"Bash(ls:*)\" \"Read(./docs/**)\"",
    "agent \"*\"",
    "mode \"bypass\"",
];

const SECTIONS: &[&str] = &[
    "default { command \"ask\" // c\n read \"ask\"; headless \"deny\" }",
    "checks { /* c */ brace-expansion \"off\"; dangerous-variables \"deny\" }",
    "modes { allow \"plan\"; deny \"bypass\"; allow \"accept-edits\"; default \"plan\" }",
    "limits { depth 0x20 }",
    "lock { rules; /* c */ checks }",
    "lock { modes }",
    "budgets { tool \"Bash\" chars=30_000; message chars=1; tool \"Read\" tokens=5 }",
    "sandbox { mode \"auto-allow\"; read \"a\"; write \"b\" \"c\"; read \"d\" }",
    "hooks {\n // c\n before \"Bash\" run=\"./x \\\"y\\\"\" timeout=\"5s\"\n before run=\"b\"\n after \"Read\" \"Write\" run=\"a\" on-error=\"deny\" }",
    "tests {\n // first\n allow \"git status\" \"a\\nb\" rule=\"x\" // behind\n\n deny tool=\"Read\" file_path=\"./.env\" limit=3 deep=#true\n deny tool=\"X\" { input mode=\"y\" \"a b\"=\"\\u{202e}\\u{85}\" }\n ask \"it's \\\"so\\\"\" cwd=\"./sub\" mode=\"plan\" shell=\"zsh\"\n // last\n}",
    "sets { commands \"more\" \"ls ...\"; hosts \"other.net\" \"::1\"; commands \"less\" \"cat\" }",
    "allow \"Bash(npm run test:*)\" \"Read(./docs/**)\"",
    "deny \"empty\" because=\"so\" {}",
];

/// A policy of random sections, with comments anywhere.
fn policy(mutator: &mut Mutator) -> String {
    let mut text = String::new();
    if mutator.below(3) == 0 {
        text.push_str("/- kdl-version 2\n");
    }
    text.push_str(mutator.pick(COMMENTS));
    text.push_str("policy \"p\" {\n // c\n about \"it\"; extends \"builtin:base\" // d\n extends \"b.kdl\" /* e */ \"c.kdl\" }\n");
    text.push_str("sets {\n paths \"secrets\" \"**/.env*\" { except \"**/.env.example\" } // f\n // g\n hosts \"net\" \"*.example.org\" \"10.0.0.0/8\"\n}\n");
    let mut used = Vec::new();
    for number in 0..mutator.below(7) {
        text.push_str(mutator.pick(COMMENTS));
        if mutator.below(2) == 0 {
            let section = mutator.pick(SECTIONS);
            if !used.contains(&section) {
                used.push(section);
                text.push_str(section);
            }
        } else {
            let verdict = mutator.pick(&["allow", "ask", "deny"]);
            let number = number.to_string();
            text.push_str(&[verdict, " \"block", &number, "\" because=\"of \\\\ it\" { "].concat());
            for _ in 0..mutator.below(5) {
                text.push_str(mutator.pick(COMMENTS));
                text.push_str(mutator.pick(RULES));
                text.push_str(mutator.pick(BEHIND));
            }
            text.push_str("// end of block\n}");
        }
        text.push_str(mutator.pick(BEHIND));
    }
    text.push_str(mutator.pick(COMMENTS));
    text
}

#[test]
fn generated_policies_are_said_in_the_other_spelling_and_back() {
    let mut mutator = Mutator::new(3);
    let mut said = 0;
    for _ in 0..1000 {
        let text = policy(&mut mutator);
        said += usize::from(converts(&text, Format::Kdl).unwrap_or_else(|violation| panic!("{violation}")));
    }
    assert!(said > 500, "only {said} of 1000 were said");
}

#[test]
fn policies_close_to_real_ones_are_said_in_the_other_spelling_and_back() {
    let seeds = fixture_policies();
    let mut mutator = Mutator::new(5);
    for _ in 0..1500 {
        let text = mutator.mutant(&seeds);
        for format in [Format::Kdl, Format::Toml] {
            let _said = converts(&text, format).unwrap_or_else(|violation| panic!("{violation}"));
        }
    }
}
