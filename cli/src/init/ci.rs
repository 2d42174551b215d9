//! What continuous integration runs, read off its files line by line, and what a policy says of it.
//!
//! Only a hint for people, so a simple reading serves: what it takes for a command and is none is not understood, and left out.

use std::path::{Path, PathBuf};

use engine_policy::read::Format as Spelling;
use engine_policy::{
    Call, Facts, Mode, NoWorld, Outcome, Root, TEST_HOME, TEST_PROJECT, Why, decide as ask, load,
};
use engine_shell::Shell;

use super::survey::text_of;
use crate::policies::DiskFiles;

/// Most files that are read.
const MAX_FILES: usize = 30;

/// Most commands that are taken.
const MAX_COMMANDS: usize = 24;

/// Longest command that is taken, in bytes.
const MAX_COMMAND_BYTES: usize = 160;

/// The commands, in the order in which they are met.
pub(super) fn commands(project: &Path) -> Vec<String> {
    let mut files: Vec<PathBuf> = vec![project.join(".gitlab-ci.yml")];
    if let Ok(entries) = std::fs::read_dir(project.join(".github/workflows")) {
        let mut own: Vec<PathBuf> = entries
            .filter_map(|entry| entry.ok().map(|entry| entry.path()))
            .filter(|path| {
                path.extension()
                    .is_some_and(|ending| ending == "yml" || ending == "yaml")
            })
            .collect();
        own.sort();
        files.extend(own);
    }
    files.truncate(MAX_FILES);
    let mut found: Vec<String> = Vec::new();
    for text in files.iter().filter_map(|file| text_of(file)) {
        for command in lines(&text) {
            let is_plain = command.len() <= MAX_COMMAND_BYTES
                && command.chars().all(|c| c == ' ' || c.is_ascii_graphic())
                && !command.contains("${{");
            if is_plain && !found.contains(&command) {
                found.push(command);
            }
        }
    }
    found.truncate(MAX_COMMANDS);
    found
}

/// The lines of `run:` and of the lists below `script:`.
fn lines(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut lines = text.lines().peekable();
    let mut in_script: Option<usize> = None;
    while let Some(line) = lines.next() {
        let indent = indent_of(line);
        let body = line.trim();
        if body.is_empty() || body.starts_with('#') {
            continue;
        }
        if let Some(outer) = in_script {
            if let Some(item) = body.strip_prefix("- ").filter(|_| indent >= outer) {
                found.push(unquoted(item).to_owned());
                continue;
            }
            in_script = None;
        }
        let key = body.strip_prefix("- ").unwrap_or(body);
        if matches!(key, "script:" | "before_script:" | "after_script:") {
            in_script = Some(indent);
        }
        let Some(value) = key.strip_prefix("run:").map(str::trim) else {
            continue;
        };
        if !value.starts_with(['|', '>']) {
            found.push(unquoted(value).to_owned());
            continue;
        }
        let mut joined = String::new();
        while let Some(next) = lines.next_if(|next| next.trim().is_empty() || indent_of(next) > indent) {
            let next = next.trim();
            if let Some(part) = next.strip_suffix('\\') {
                joined.push_str(part);
                continue;
            }
            joined.push_str(next);
            let command = std::mem::take(&mut joined);
            if !command.is_empty() && !command.starts_with('#') {
                found.push(command);
            }
        }
    }
    found.retain(|command| !command.is_empty());
    found
}

fn indent_of(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

fn unquoted(value: &str) -> &str {
    let value = value.trim();
    for quote in ['"', '\''] {
        if let Some(inner) = value
            .strip_prefix(quote)
            .and_then(|rest| rest.strip_suffix(quote))
            && !inner.contains([quote, '\\'])
        {
            return inner;
        }
    }
    value
}

/// What a policy says of commands; those that are not understood by themselves are left out.
pub(super) fn decide(policy: &str, commands: &[String]) -> Vec<(Outcome, String)> {
    let root = Root::Text {
        name: "policy.kdl".to_owned(),
        text: policy.to_owned(),
        format: Spelling::Kdl,
    };
    let Some(plan) = load(&[root], &DiskFiles).compile() else {
        return Vec::new();
    };
    let facts = Facts {
        via: &[],
        project: TEST_PROJECT,
        directory: TEST_PROJECT,
        home: Some(TEST_HOME),
        shell: Shell::Bash,
        world: &NoWorld,
    };
    commands
        .iter()
        .filter_map(|command| {
            let decision = ask(&plan, &Call::Shell(command), &facts, Mode::Default);
            let is_understood = !decision
                .steps
                .iter()
                .any(|step| matches!(step.why, Why::NotUnderstood(_)));
            is_understood.then(|| (decision.outcome, command.clone()))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::lines;

    #[test]
    fn commands_of_workflows_are_found() {
        let text = "jobs:\n  a:\n    steps:\n      - uses: x\n      - run: cargo test\n      - name: b\n        run: |\n          npm ci\n          npm run \\\n            build\n          # no\n      - run: \"make check\"\n";
        assert_eq!(
            lines(text),
            ["cargo test", "npm ci", "npm run build", "make check"]
        );
    }

    #[test]
    fn commands_of_pipelines_are_found() {
        let text =
            "test:\n  stage: t\n  script:\n    - pytest -q\n    - 'ruff check .'\n  only:\n    - main\n";
        assert_eq!(lines(text), ["pytest -q", "ruff check ."]);
    }
}
