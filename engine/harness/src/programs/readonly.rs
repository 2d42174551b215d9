//! What the shipped policy `builtin:readonly` says of a command line in the directory that programs run in.
//!
//! Invariant: deciding sees the same files as the program that runs.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use engine_policy::{
    Call, Decision, Entry, Facts, Files, Look, Mode, Outcome, Plan, Root, World, decide, load,
};
use engine_shell::Shell;

use super::stand::{DIRECTORY, HOME};

/// The name of the policy.
const POLICY: &str = "builtin:readonly";

/// The policy, ready to decide.
pub(crate) struct Readonly(Plan);

struct NoFiles;

impl Files for NoFiles {
    fn text(&self, path: &str) -> Result<String, String> {
        Err(format!("`{path}` is not at hand"))
    }
}

impl Readonly {
    /// Compiles the policy.
    pub(crate) fn build() -> io::Result<Self> {
        load(&[Root::Shipped(POLICY)], &NoFiles)
            .compile()
            .map(Self)
            .ok_or_else(|| io::Error::other(format!("`{POLICY}` does not compile")))
    }

    /// Whether a command line is allowed in a directory that looks like `template`.
    pub(super) fn allows(&self, words: &[String], template: &Path) -> bool {
        let world = Template(template.to_owned());
        self.decide(&quote(words), &world).outcome == Outcome::Allow
    }

    /// The whole answer to a text.
    pub(crate) fn decide(&self, text: &str, world: &dyn World) -> Decision {
        let facts = Facts {
            via: &[],
            project: DIRECTORY,
            directory: DIRECTORY,
            home: Some(HOME),
            shell: Shell::Bash,
            world,
        };
        decide(&self.0, &Call::Shell(text), &facts, Mode::Default)
    }
}

/// Words as a text that a shell takes apart into the same words.
pub(super) fn quote(words: &[String]) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "-_./=,:+%@".contains(letter);
    let quoted = words.iter().map(|word| {
        if !word.is_empty() && word.chars().all(plain) {
            word.clone()
        } else {
            format!("'{}'", word.replace('\'', r"'\''"))
        }
    });
    quoted.collect::<Vec<_>>().join(" ")
}

/// The directory that runs get copies of, under the path that it has there; of the rest nothing is known.
struct Template(PathBuf);

impl Template {
    fn outside(&self, path: &str) -> Option<PathBuf> {
        let rest = path.strip_prefix(DIRECTORY)?;
        (rest.is_empty() || rest.starts_with('/')).then(|| self.0.join(rest.trim_start_matches('/')))
    }

    fn inside(&self, path: &Path) -> Option<String> {
        let rest = path.strip_prefix(&self.0).ok()?.to_str()?;
        Some(format!("{DIRECTORY}/{rest}").trim_end_matches('/').to_owned())
    }

    fn walk(&self, place: &Path, visit: &mut dyn FnMut(Entry<'_>) -> Look) -> Option<Look> {
        let mut entries: Vec<_> = fs::read_dir(place).ok()?.flatten().collect();
        entries.sort_by_key(fs::DirEntry::file_name);
        for entry in entries {
            let kind = entry.file_type().ok()?;
            let path = self.inside(&entry.path())?;
            let shown = Entry {
                path: &path,
                is_link: kind.is_symlink(),
            };
            match visit(shown) {
                Look::Into if kind.is_dir() => {
                    if self.walk(&entry.path(), visit)? == Look::Enough {
                        return Some(Look::Enough);
                    }
                }
                Look::Into | Look::Past => {}
                Look::Enough => return Some(Look::Enough),
            }
        }
        Some(Look::Past)
    }
}

impl World for Template {
    fn real_path(&self, path: &str) -> Option<String> {
        if path == HOME {
            return Some(path.to_owned());
        }
        let outside = self.outside(path)?;
        let (there, rest) = outside
            .ancestors()
            .find_map(|place| Some((place.canonicalize().ok()?, outside.strip_prefix(place).ok()?)))?;
        let whole = if rest.as_os_str().is_empty() {
            there
        } else {
            there.join(rest)
        };
        // A link may lead out.
        self.inside(&whole).or_else(|| Some(whole.to_str()?.to_owned()))
    }

    fn is_directory(&self, path: &str) -> Option<bool> {
        Some(fs::metadata(self.outside(path)?).ok()?.is_dir())
    }

    fn small_file(&self, path: &str) -> Option<String> {
        fs::read_to_string(self.outside(path)?).ok()
    }

    fn look_below(&self, root: &str, visit: &mut dyn FnMut(Entry<'_>) -> Look) -> bool {
        let Some(outside) = self.outside(root) else {
            return false;
        };
        if !outside.is_dir() {
            let is_link = outside.is_symlink();
            visit(Entry { path: root, is_link });
            return true;
        }
        self.walk(&outside, visit).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::{Readonly, quote};

    fn words(line: &str) -> Vec<String> {
        line.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn words_are_quoted_where_a_shell_would_change_them() {
        assert_eq!(quote(&words("a * it's")), r"a '*' 'it'\''s'");
        assert_eq!(quote(&["x y".to_owned(), String::new()]), "'x y' ''");
    }

    #[test]
    fn the_files_that_programs_find_are_the_ones_that_are_decided_about() {
        let place = tempfile::tempdir().unwrap();
        let root = place.path().canonicalize().unwrap();
        std::fs::create_dir(root.join("d")).unwrap();
        std::fs::write(root.join("d/a"), "").unwrap();
        std::os::unix::fs::symlink("/etc", root.join("out")).unwrap();
        let readonly = Readonly::build().unwrap();
        let allows = |line: &str| readonly.allows(&words(line), &root);
        assert!(allows("cat d/a"));
        assert!(!allows("touch d/a"));
        assert!(!allows("cat out/passwd"));
        assert!(!allows("ls ../other"));
    }
}
