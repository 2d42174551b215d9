//! Inputs to begin with: everyday commands, and the fixtures of the workspace.

use std::fs;
use std::path::{Path, PathBuf};

/// Everyday commands as developers and agents write them, none longer than 62 bytes.
#[must_use]
pub fn everyday_commands() -> Vec<&'static str> {
    include_str!("everyday.txt")
        .lines()
        .filter(|line| !line.is_empty())
        .collect()
}

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures")
}

fn texts(folder: &Path, endings: &[&str], found: &mut Vec<String>) {
    let mut paths: Vec<PathBuf> = fs::read_dir(folder)
        .into_iter()
        .flatten()
        .filter_map(|entry| Some(entry.ok()?.path()))
        .collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            texts(&path, endings, found);
        } else if path
            .to_str()
            .is_some_and(|name| endings.iter().any(|ending| name.ends_with(ending)))
            && let Ok(text) = fs::read_to_string(&path)
        {
            found.push(text);
        }
    }
}

/// The `command` of each line of the JSON Lines files in `fixtures/`.
#[must_use]
pub fn fixture_commands() -> Vec<String> {
    let mut files = Vec::new();
    texts(&fixtures(), &[".jsonl"], &mut files);
    files
        .iter()
        .flat_map(|text| text.lines())
        .filter_map(command_of)
        .collect()
}

/// The `command` of a line.
fn command_of(line: &str) -> Option<String> {
    let object: serde_json::Value = serde_json::from_str(line).ok()?;
    Some(object.get("command")?.as_str()?.to_owned())
}

/// The policy files in `fixtures/policies`, those with mistakes included, and the shipped ones.
#[must_use]
pub fn fixture_policies() -> Vec<String> {
    let mut found: Vec<String> = engine_policy::SHIPPED
        .iter()
        .map(|(_, text)| (*text).to_owned())
        .collect();
    texts(&fixtures().join("policies"), &[".kdl", ".toml"], &mut found);
    found
}
