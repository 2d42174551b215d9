//! How tools run, as policies and the person's own settings of git say it.

use std::path::{Path, PathBuf};
use std::time::Duration;

use engine_policy::PlanSession;
use engine_runtime::Ways;

use crate::check::Start;

/// Largest file of settings of git that is read.
const MAX_CONFIG_BYTES: u64 = 1 << 20;

pub(super) fn of(session: &PlanSession, start: &Start) -> Ways {
    let home = start.home.as_deref().map(Path::new);
    let directories = session.directories.iter().filter_map(|written| {
        let path = match written.strip_prefix('~') {
            Some(rest) => home?.join(rest.trim_start_matches('/')),
            None => Path::new(&start.project).join(written.as_str()),
        };
        // One that is not there cannot be stayed in.
        path.canonicalize().ok()
    });
    Ways {
        directories: directories.collect(),
        foreground: session
            .foreground_ms
            .map(|time| Duration::from_millis(time.into())),
        everything: session.everything,
        own_ignore_file: home.and_then(own_ignore_file),
    }
}

/// The ignore file of all repositories of a person. Source: gitignore(5), `core.excludesFile`.
fn own_ignore_file(home: &Path) -> Option<PathBuf> {
    let config = std::env::var_os("XDG_CONFIG_HOME")
        .filter(|own| !own.is_empty())
        .map_or_else(|| home.join(".config"), PathBuf::from)
        .join("git");
    // The later one of these two holds.
    let named = [home.join(".gitconfig"), config.join("config")]
        .iter()
        .find_map(|file| {
            let small = file.metadata().ok()?.len() <= MAX_CONFIG_BYTES;
            let text = small.then(|| std::fs::read_to_string(file).ok())??;
            excludes_file(&text)
        });
    let path = match named {
        None => config.join("ignore"),
        Some(named) => match named.strip_prefix("~/") {
            Some(rest) => home.join(rest),
            None => PathBuf::from(named),
        },
    };
    path.canonicalize().ok().filter(|path| path.is_file())
}

/// The last value of `core.excludesFile` in settings of git.
fn excludes_file(text: &str) -> Option<String> {
    let mut in_core = false;
    let mut found = None;
    for line in text.lines().map(str::trim) {
        if let Some(head) = line.strip_prefix('[') {
            in_core = head
                .split(']')
                .next()
                .is_some_and(|name| name.trim().eq_ignore_ascii_case("core"));
        } else if in_core
            && let Some((name, value)) = line.split_once('=')
            && name.trim().eq_ignore_ascii_case("excludesfile")
        {
            let value = value.split([';', '#']).next().unwrap_or_default();
            found = Some(value.trim().trim_matches('"').to_owned());
        }
    }
    found.filter(|value| !value.is_empty())
}

#[cfg(test)]
mod tests {
    use super::excludes_file;

    #[test]
    fn the_last_word_of_the_right_section_names_the_ignore_file() {
        for (text, expected) in [
            ("[core]\n\texcludesFile = ~/.ignored\n", Some("~/.ignored")),
            (
                "[core]\nexcludesfile=\"/a b\" # mine\n[Core]\nEXCLUDESFILE = /c\n",
                Some("/c"),
            ),
            ("[other]\nexcludesfile = /a\n", None),
            ("[core \"x\"]\nexcludesfile = /a\n", None),
            ("[core]\neditor = vi\n", None),
        ] {
            assert_eq!(excludes_file(text).as_deref(), expected, "{text}");
        }
    }
}
