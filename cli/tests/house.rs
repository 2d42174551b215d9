//! The rules of the house that a compiler does not check: what every source file, page and fixture has.
#![expect(clippy::expect_used, reason = "helpers of tests fail as tests do")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("..")
        .canonicalize()
        .expect("the workspace")
}

/// Files below `folder` with one of the endings, without what is built or hidden.
fn files(folder: &str, endings: &[&str]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![root().join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder of the workspace") {
            let path = entry.expect("an entry").path();
            let name = path
                .file_name()
                .and_then(|name| name.to_str())
                .expect("a readable name");
            if path.is_dir() {
                if !name.starts_with('.') && !["target", "corpus", "artifacts"].contains(&name) {
                    folders.push(path);
                }
            } else if endings.iter().any(|ending| name.ends_with(ending)) {
                found.push(path);
            }
        }
    }
    found.sort();
    assert!(!found.is_empty(), "no {endings:?} below `{folder}`");
    found
}

fn text(path: &Path) -> String {
    fs::read_to_string(path).expect("a readable text")
}

fn shown(path: &Path) -> String {
    path.strip_prefix(root()).unwrap_or(path).display().to_string()
}

fn sources() -> Vec<(String, String)> {
    files(".", &[".rs"])
        .iter()
        .map(|path| (shown(path), text(path)))
        .collect()
}

fn none(problems: &[String]) {
    assert!(problems.is_empty(), "\n{}", problems.join("\n"));
}

#[test]
fn every_source_file_says_what_it_is_for() {
    let problems: Vec<String> = sources()
        .into_iter()
        .filter(|(_, text)| !text.starts_with("//! "))
        .map(|(path, _)| format!("{path}: does not begin with `//!`"))
        .collect();
    none(&problems);
}

#[test]
fn no_file_is_called_mod() {
    let problems: Vec<String> = sources()
        .into_iter()
        .filter(|(path, _)| path.ends_with("/mod.rs"))
        .map(|(path, _)| path)
        .collect();
    none(&problems);
}

#[test]
fn a_long_source_file_says_why_it_is_long() {
    let reason = |text: &str| {
        text.lines()
            .take_while(|line| line.starts_with("//!"))
            .any(|line| line.contains("Long, since"))
    };
    let problems: Vec<String> = sources()
        .into_iter()
        .filter(|(path, text)| text.lines().count() > 1000 && !path.contains("tests") && !reason(text))
        .map(|(path, text)| {
            format!(
                "{path}: {} lines; look for a second noun, or say `Long, since ...` in its `//!`",
                text.lines().count()
            )
        })
        .collect();
    none(&problems);
}

#[test]
fn exemptions_from_lints_give_a_reason() {
    // Put together here, so that this file does not hold what it looks for.
    let needles = ["#[", "#!["].map(|opening| format!("{opening}allow("));
    let mut problems = Vec::new();
    for (path, text) in sources() {
        for needle in &needles {
            for (index, _) in text.match_indices(needle.as_str()) {
                problems.push(format!(
                    "{path}: `allow` at byte {index}; write `expect` with a reason"
                ));
            }
        }
    }
    none(&problems);
}

#[test]
fn glossary_words_are_used_in_the_code() {
    let code = sources()
        .into_iter()
        .map(|(_, text)| text.to_lowercase().replace('_', " "))
        .collect::<Vec<_>>()
        .join("\n");
    let page = text(&root().join("docs/glossary.md"));
    let words: Vec<&str> = page
        .lines()
        .filter_map(|line| line.strip_prefix("| ")?.split_once(" | "))
        .map(|(word, _)| word)
        .filter(|word| *word != "word")
        .collect();
    assert!(words.len() > 30, "the table of `docs/glossary.md` was not found");
    let mut sorted = words.clone();
    sorted.sort_unstable();
    assert_eq!(words, sorted, "the glossary is sorted");
    let problems: Vec<String> = words
        .into_iter()
        .filter(|word| !code.contains(&word.to_lowercase()))
        .map(|word| format!("`{word}` is in the glossary and nowhere in the code"))
        .collect();
    none(&problems);
}

#[test]
fn invariants_of_the_architecture_page_stand_in_the_code() {
    let page = text(&root().join("docs/architecture.md"));
    let code = sources();
    let names: Vec<&str> = page
        .split("Invariant (")
        .skip(1)
        .filter_map(|rest| rest.split_once(')'))
        .map(|(name, _)| name)
        .collect();
    assert!(
        names.len() > 5,
        "the invariants of `docs/architecture.md` were not found"
    );
    let problems: Vec<String> = names
        .into_iter()
        .filter(|name| !code.iter().any(|(_, text)| text.contains(*name)))
        .map(|name| format!("invariant `{name}` is not named in any source file"))
        .collect();
    none(&problems);
}

/// Targets of the links of a page, without those into the network and those within the page.
fn links(page: &str) -> Vec<&str> {
    page.split("](")
        .skip(1)
        .filter_map(|rest| rest.split_once(')'))
        .map(|(target, _)| target.split_once('#').map_or(target, |(file, _)| file))
        .filter(|target| !target.is_empty() && !target.contains("://"))
        .collect()
}

#[test]
fn links_lead_somewhere() {
    let mut problems = Vec::new();
    for path in files(".", &[".md"]) {
        let page = text(&path);
        let folder = path.parent().expect("a folder");
        for link in links(&page)
            .into_iter()
            .filter(|link| !link.contains([' ', '`', '|']))
        {
            if !folder.join(link).exists() {
                problems.push(format!("{}: link to `{link}`", shown(&path)));
            }
        }
    }
    none(&problems);
}

/// Words in backticks that look like files of the workspace.
fn named_files(page: &str) -> impl Iterator<Item = &str> {
    page.split('`')
        .skip(1)
        .step_by(2)
        .filter(|word| {
            [
                "engine/",
                "cli/",
                "docs/",
                "fixtures/",
                "policies/",
                "tooldefs/",
                "benches/",
                "fuzz/",
                ".ci/",
            ]
            .iter()
            .any(|folder| word.starts_with(folder))
        })
        .filter(|word| !word.contains([' ', '*', '{', '…']) && !word.contains("NAME"))
}

#[test]
fn files_that_pages_name_exist() {
    let mut problems = Vec::new();
    for path in files(".", &[".md"]) {
        let page = text(&path);
        for named in named_files(&page) {
            if !root().join(named).exists() {
                problems.push(format!("{}: names `{named}`", shown(&path)));
            }
        }
    }
    none(&problems);
}

#[test]
fn each_top_folder_has_a_short_readme() {
    let mut problems = Vec::new();
    for folder in [
        "engine", "cli", "policies", "tooldefs", "fixtures", "benches", "docs", "fuzz",
    ] {
        let path = root().join(folder).join("README.md");
        if !path.exists() {
            problems.push(format!("{folder}: no README.md"));
        } else if folder != "fuzz" && text(&path).lines().count() > 12 {
            problems.push(format!("{folder}/README.md: more than a few lines"));
        }
    }
    none(&problems);
}

#[test]
fn every_folder_of_fixtures_is_read_by_a_test() {
    let code = sources();
    let mut problems = Vec::new();
    for entry in fs::read_dir(root().join("fixtures")).expect("the fixtures") {
        let path = entry.expect("an entry").path();
        if !path.is_dir() {
            continue;
        }
        let name = format!(
            "fixtures/{}",
            path.file_name().and_then(|name| name.to_str()).expect("a name")
        );
        if !code.iter().any(|(_, text)| text.contains(&name)) {
            problems.push(format!("{name}: no source file reads it"));
        }
    }
    none(&problems);
}

#[test]
fn commands_of_the_readme_name_packages_and_targets_that_exist() {
    let manifests: BTreeSet<String> = files(".", &["Cargo.toml"])
        .iter()
        .filter_map(|path| {
            let text = text(path);
            let line = text.lines().find(|line| line.starts_with("name = "))?.to_owned();
            Some(line.trim_start_matches("name = ").trim_matches('"').to_owned())
        })
        .collect();
    let mut problems = Vec::new();
    let mut commands = 0;
    for path in files(".", &[".md"]) {
        let page = text(&path);
        for command in page
            .split(['`', '\n'])
            .filter(|part| part.trim_start_matches("$ ").starts_with("cargo "))
        {
            commands += 1;
            let words: Vec<&str> = command.split_whitespace().collect();
            for pair in words.windows(2) {
                if let ["-p", package] = pair
                    && !manifests.contains(*package)
                    && !["CRATE"].contains(package)
                {
                    problems.push(format!(
                        "{}: `{command}` names the package `{package}`",
                        shown(&path)
                    ));
                }
            }
        }
    }
    assert!(commands > 5, "the commands of the pages were not found");
    none(&problems);
}

#[test]
fn the_licences_that_manifests_name_are_here() {
    let manifest = text(&root().join("Cargo.toml"));
    assert!(manifest.contains("license = \"MIT OR Apache-2.0\""));
    assert!(text(&root().join("LICENSE-MIT")).starts_with("MIT License"));
    assert!(text(&root().join("LICENSE-APACHE")).contains("Apache License"));
    for path in files(".", &["Cargo.toml"]) {
        let text = text(&path);
        if text.contains("[package]") {
            assert!(
                text.contains("license.workspace = true") || text.contains("license = "),
                "{}: no licence",
                shown(&path)
            );
        }
    }
}

#[test]
fn what_is_run_by_hand_can_be_run() {
    let mut problems = Vec::new();
    for path in files(".", &[".sh"]).into_iter().chain([root().join(".ci/run")]) {
        let text = text(&path);
        if !text.starts_with("#!") || !text.contains("set -euo pipefail") {
            problems.push(format!("{}: neither `#!` nor `set -euo pipefail`", shown(&path)));
        }
        if text.contains("|| true") {
            problems.push(format!("{}: swallows a failure", shown(&path)));
        }
    }
    none(&problems);
}
