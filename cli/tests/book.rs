//! What the pages show is so: their sessions print what they show, their policies pass the tests that stand in them, and the book
//! holds every page.
#![expect(
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "helpers of tests fail as tests do, and say what they skip"
)]

#[path = "book/session.rs"]
mod session;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use session::{fenced, file_of};

fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../docs")
        .canonicalize()
        .expect("the pages")
}

fn page(name: &str) -> String {
    fs::read_to_string(docs().join(name)).expect("the page")
}

/// Names of all pages, below `docs/`.
fn pages() -> Vec<String> {
    let mut names = Vec::new();
    let mut folders = vec![docs()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "md") {
                let name = path.strip_prefix(docs()).expect("a page");
                names.push(name.to_str().expect("a name").to_owned());
            }
        }
    }
    names.sort();
    names
}

#[test]
fn sessions_of_the_tutorial_print_what_it_shows() {
    session::check(&docs().join("tutorial.md"));
}

#[test]
fn sessions_of_the_page_about_rules_print_what_it_shows() {
    session::check(&docs().join("rules-that-hold.md"));
}

/// How strict a verdict is.
fn strictness(verdict: &str) -> usize {
    ["allow", "ask", "deny"]
        .iter()
        .position(|own| *own == verdict)
        .expect("a verdict")
}

/// What the tests of a policy expect, by their call. Fails unless all of them pass.
#[expect(clippy::disallowed_methods, reason = "an end-to-end test runs the binary")]
fn tested(policy: &str) -> BTreeMap<String, String> {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("policy.kdl"), policy).expect("a file");
    let output = Command::new(env!("CARGO_BIN_EXE_engine"))
        .args(["test", "policy.kdl", "--format", "json", "--verbose"])
        .current_dir(folder.path())
        .env("HOME", folder.path())
        .output()
        .expect("a run");
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{policy}\n{text}");
    let json: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let tests = json
        .pointer("/suites/0/tests")
        .and_then(serde_json::Value::as_array)
        .expect("tests");
    tests
        .iter()
        .map(|test| {
            (
                test["name"].as_str().expect("a call").to_owned(),
                test["expected"].as_str().expect("a verdict").to_owned(),
            )
        })
        .collect()
}

#[test]
fn each_mistake_is_shown_with_an_attack_that_the_form_that_holds_stops() {
    let page = page("rules-that-hold.md");
    let mut sections: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let policies = fenced(&page)
        .into_iter()
        .filter(|block| block.language == "kdl" && file_of(block).is_none());
    for block in policies {
        sections.entry(block.heading).or_default().push(block.text);
    }
    assert!(sections.len() >= 15, "{:?}", sections.keys());
    let mut problems = Vec::new();
    for (heading, policies) in sections {
        let [weak, strong] = &policies[..] else {
            problems.push(format!(
                "{heading}: {} policies; one that fails, one that holds",
                policies.len()
            ));
            continue;
        };
        let (weak, strong) = (tested(weak), tested(strong));
        let stopped = |(call, verdict): (&String, &String)| {
            strong
                .get(call)
                .is_some_and(|own| strictness(own) > strictness(verdict))
        };
        if !weak.iter().any(stopped) {
            problems.push(format!(
                "{heading}: no attack of the first policy is stopped by the second"
            ));
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

/// Titles and targets of the links of a page, outside of fenced blocks.
fn links(page: &str) -> Vec<(&str, &str)> {
    let mut links = Vec::new();
    let mut inside = false;
    for line in page.lines() {
        if line.starts_with("```") {
            inside = !inside;
        } else if !inside {
            let mut rest = line;
            while let Some((before, after)) = rest.split_once("](") {
                let Some((target, further)) = after.split_once(')') else {
                    break;
                };
                let title = before.rsplit_once('[').map_or(before, |(_, title)| title);
                links.push((title, target));
                rest = further;
            }
        }
    }
    links
}

/// The name that a heading is linked by.
fn anchor(heading: &str) -> String {
    heading
        .chars()
        .filter_map(|c| match c {
            ' ' => Some('-'),
            c if c.is_alphanumeric() || c == '-' || c == '_' => Some(c.to_ascii_lowercase()),
            _ => None,
        })
        .collect()
}

fn anchors(page: &str) -> Vec<String> {
    let mut inside = false;
    let mut anchors = Vec::new();
    for line in page.lines() {
        if line.starts_with("```") {
            inside = !inside;
        } else if !inside && line.starts_with('#') {
            anchors.push(anchor(line.trim_start_matches('#').trim()));
        }
    }
    anchors
}

#[test]
fn the_book_holds_every_page_once() {
    let summary = page("SUMMARY.md");
    let mut listed: Vec<String> = links(&summary)
        .into_iter()
        .map(|(_, target)| target.trim_start_matches("./").to_owned())
        .collect();
    listed.sort();
    let known: Vec<String> = pages().into_iter().filter(|name| name != "SUMMARY.md").collect();
    assert_eq!(listed, known);
}

#[test]
fn every_page_of_the_book_begins_with_its_title() {
    let problems: Vec<String> = pages()
        .into_iter()
        .filter(|name| !page(name).starts_with("# "))
        .collect();
    assert!(problems.is_empty(), "no title: {problems:?}");
}

#[test]
fn links_to_headings_lead_to_headings() {
    let mut problems = Vec::new();
    for name in pages() {
        let text = page(&name);
        let folder = docs().join(&name);
        let folder = folder.parent().expect("a folder");
        for (_, target) in links(&text) {
            let Some((file, heading)) = target.split_once('#') else {
                continue;
            };
            if target.contains("://") {
                continue;
            }
            let other = if file.is_empty() {
                text.clone()
            } else {
                fs::read_to_string(folder.join(file)).unwrap_or_default()
            };
            if !anchors(&other).iter().any(|own| own == heading) {
                problems.push(format!("{name}: link to `{target}`"));
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}
