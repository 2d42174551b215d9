//! What a project is made of: its kinds, its scripts, its directories.
//!
//! Invariant (bounded): only the project's own directory is listed, and files are read up to a size.

use std::fs::{self, File};
use std::io::Read as _;
use std::path::Path;

use serde_json::Value as Json;

use super::kinds::{self, Kind, Scripts, is_meant};

/// Largest file that is read.
const MAX_FILE_BYTES: u64 = 1 << 20;

/// Most names of one list that are put into a policy.
const MAX_NAMES: usize = 40;

/// Directories that are made by tools or bring the code of others.
const NOT_OWN: &[&str] = &[
    "__pycache__",
    "_build",
    "bin",
    "build",
    "coverage",
    "deps",
    "dist",
    "env",
    "node_modules",
    "obj",
    "out",
    "site-packages",
    "target",
    "tmp",
    "vendor",
    "venv",
];

/// A project.
#[derive(Clone, Debug, Default)]
pub(super) struct Survey {
    /// Its name.
    pub name: String,
    /// Kinds that it is of, each with the names of its scripts.
    pub kinds: Vec<Found>,
    /// Directories of its own at the top.
    pub directories: Vec<String>,
    /// Files of its own at the top.
    pub files: Vec<String>,
}

/// A kind of a project that was found.
#[derive(Clone, Debug)]
pub(super) struct Found {
    pub name: String,
    /// The file that tells, or that declares its scripts.
    pub file: String,
    pub part: String,
    /// What runs scripts, where the kind has some.
    pub run: Option<String>,
    /// Words that follow are the script's own.
    pub passes_words: bool,
    /// Scripts that are taken to test, check or build.
    pub harmless: Vec<String>,
    /// The others.
    pub others: Vec<String>,
}

/// Looks at a project.
pub(super) fn look(project: &Path) -> std::io::Result<Survey> {
    let mut survey = Survey {
        name: name_of(project),
        ..Survey::default()
    };
    let mut names = Vec::new();
    for entry in fs::read_dir(project)? {
        let entry = entry?;
        let Ok(name) = entry.file_name().into_string() else {
            continue;
        };
        let kind = entry.file_type()?;
        if !name.starts_with('.') && is_plain(&name) {
            if kind.is_dir() && !NOT_OWN.contains(&name.as_str()) {
                survey.directories.push(name.clone());
            } else if kind.is_file() {
                survey.files.push(name.clone());
            }
        }
        names.push(name);
    }
    names.sort();
    survey.directories.sort();
    survey.files.sort();
    survey.directories.truncate(MAX_NAMES);
    let has = |pattern: &String| names.iter().find(|name| is_meant(pattern, name));
    let kinds = kinds::all();
    // What decides what is built and run is no file like others.
    survey.files.retain(|name| {
        !kinds.iter().any(|kind| {
            let scripts = kind.scripts.iter().flat_map(|scripts| &scripts.files);
            kind.found
                .iter()
                .chain(&kind.without)
                .chain(scripts)
                .any(|pattern| is_meant(pattern, name))
        })
    });
    survey.files.truncate(MAX_NAMES);
    for kind in kinds {
        let Some(file) = kind.found.iter().find_map(has) else {
            continue;
        };
        if kind.without.iter().any(|pattern| has(pattern).is_some()) {
            continue;
        }
        survey.kinds.push(found(project, kind, file));
    }
    Ok(survey)
}

fn found(project: &Path, kind: Kind, file: &str) -> Found {
    let names = kind
        .scripts
        .as_ref()
        .map(|scripts| names_of(project, scripts))
        .unwrap_or_default();
    let file = kind
        .scripts
        .as_ref()
        .and_then(|scripts| scripts.files.iter().find(|file| project.join(file).is_file()))
        .map_or(file, String::as_str);
    let (harmless, others) = names
        .into_iter()
        .partition(|name| kind.harmless.iter().any(|pattern| is_meant(pattern, name)));
    Found {
        name: kind.name,
        file: file.to_owned(),
        part: kind.part,
        passes_words: kind.scripts.as_ref().is_some_and(|scripts| scripts.key.is_some()),
        run: kind.scripts.map(|scripts| scripts.run),
        harmless,
        others,
    }
}

/// The name of the project's directory, as far as it is plain.
fn name_of(project: &Path) -> String {
    let name = project.file_name().and_then(|name| name.to_str());
    name.filter(|name| is_plain(name)).unwrap_or("project").to_owned()
}

/// Whether a name is what people name files and scripts, so that it can stand in a pattern as it is.
pub(super) fn is_plain(name: &str) -> bool {
    !name.is_empty()
        && name.len() <= 60
        && !name.starts_with('-')
        && name
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"_-.:".contains(&b))
}

fn names_of(project: &Path, scripts: &Scripts) -> Vec<String> {
    let Some(text) = scripts.files.iter().find_map(|file| text_of(&project.join(file))) else {
        return Vec::new();
    };
    let mut names = match &scripts.key {
        Some(key) => {
            let json: Option<Json> = serde_json::from_str(&text).ok();
            let object = json
                .as_ref()
                .and_then(|json| json.get(key))
                .and_then(Json::as_object);
            object
                .map(|object| object.keys().cloned().collect())
                .unwrap_or_default()
        }
        None => targets(&text),
    };
    names.retain(|name| is_plain(name));
    names.sort();
    names.dedup();
    names.truncate(MAX_NAMES);
    names
}

/// The targets of a makefile or the recipes of a justfile: words before a colon at the start of a line.
fn targets(text: &str) -> Vec<String> {
    let mut names = Vec::new();
    for line in text.lines() {
        let Some((head, rest)) = line.split_once(':') else {
            continue;
        };
        let is_assignment = rest.starts_with('=') || rest.starts_with(":=") || head.contains('=');
        if is_assignment || head.starts_with([' ', '\t', '#', '.']) {
            continue;
        }
        if let Some(name) = head.split_whitespace().next() {
            names.push(name.trim_start_matches('@').to_owned());
        }
    }
    names
}

/// The text of a file of the project, if it is one and not too large. A link may lead anywhere, so it is not followed.
pub(super) fn text_of(path: &Path) -> Option<String> {
    let data = fs::symlink_metadata(path).ok()?;
    if !data.is_file() || data.len() > MAX_FILE_BYTES {
        return None;
    }
    let mut text = String::new();
    File::open(path)
        .ok()?
        .take(MAX_FILE_BYTES)
        .read_to_string(&mut text)
        .ok()?;
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::targets;

    #[test]
    fn targets_are_words_before_a_colon() {
        let text = "CC := gcc\nX=a:b\n.PHONY: all\nall: build test\nbuild:\n\tcc -o a: b\n# no: comment\n%.o: %.c\ntest::\n";
        assert_eq!(targets(text), ["all", "build", "%.o", "test"]);
        let just = "set shell := ['bash']\n@lint arg='x':\n  x\nbuild target:\n  y\n";
        assert_eq!(targets(just), ["build"]);
    }
}
