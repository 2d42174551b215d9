//! The real surroundings: the environment, the directories, the file system. The only module that reads them for deciding.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use engine_policy::World;
use engine_policy::join_path;

/// Largest file that is looked into.
const SMALL_FILE_BYTES: u64 = 64 << 10;

/// Entries that a look below a directory may visit before the answer is "not known".
const MAX_ENTRIES: usize = 20_000;

/// The file system of this machine.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Disk;

/// The home directory.
pub(crate) fn home() -> Option<String> {
    let home = std::env::var_os("HOME")?.into_string().ok()?;
    home.starts_with('/').then(|| join_path("/", &home).to_string())
}

/// The current directory.
pub(crate) fn current_directory() -> Option<String> {
    std::env::current_dir().ok()?.into_os_string().into_string().ok()
}

/// Where a user's own policies stand: `$XDG_CONFIG_HOME/engine` or `~/.config/engine`.
pub(crate) fn config_directory() -> Option<PathBuf> {
    directory("XDG_CONFIG_HOME", ".config")
}

/// Where compiled plans are kept: `$XDG_CACHE_HOME/engine` or `~/.cache/engine`.
pub(crate) fn cache_directory() -> Option<PathBuf> {
    directory("XDG_CACHE_HOME", ".cache")
}

fn directory(variable: &str, below_home: &str) -> Option<PathBuf> {
    let named = std::env::var_os(variable)
        .map(PathBuf::from)
        .filter(|path| path.is_absolute());
    let base = match named {
        Some(path) => path,
        None => Path::new(&home()?).join(below_home),
    };
    Some(base.join("engine"))
}

/// The project of a directory: the nearest directory upwards that holds `.engine` or `.git`, else the directory itself.
pub(crate) fn project_of(directory: &str) -> String {
    let start = Path::new(directory);
    let found = start
        .ancestors()
        .find(|path| path.join(".engine").is_dir() || path.join(".git").exists());
    found.unwrap_or(start).to_str().unwrap_or(directory).to_owned()
}

impl World for Disk {
    fn real_path(&self, path: &str) -> Option<String> {
        // The longest part that exists is resolved; what follows does not exist and cannot be a link.
        let mut rest = Vec::new();
        let mut existing = Path::new(path);
        loop {
            match existing.canonicalize() {
                Ok(real) => {
                    let real = real.to_str()?;
                    let tail: Vec<&str> = rest.iter().rev().copied().collect();
                    return Some(join_path(real, &tail.join("/")).to_string());
                }
                Err(_) => {
                    // A link that leads nowhere is still a link: where it would lead is not known.
                    if existing.symlink_metadata().is_ok_and(|data| data.is_symlink()) {
                        let target = existing.read_link().ok()?;
                        let parent = existing.parent()?.to_str()?;
                        let full = join_path(parent, target.to_str()?);
                        let tail: Vec<&str> = rest.iter().rev().copied().collect();
                        return Some(join_path(&full, &tail.join("/")).to_string());
                    }
                    rest.push(existing.file_name()?.to_str()?);
                    existing = existing.parent()?;
                }
            }
        }
    }

    fn is_directory(&self, path: &str) -> Option<bool> {
        Path::new(path).metadata().ok().map(|data| data.is_dir())
    }

    fn small_file(&self, path: &str) -> Option<String> {
        let data = Path::new(path).metadata().ok()?;
        if !data.is_file() || data.len() > SMALL_FILE_BYTES {
            return None;
        }
        String::from_utf8(std::fs::read(path).ok()?).ok()
    }

    fn any_below(&self, root: &str, wanted: &mut dyn FnMut(&str) -> bool) -> Option<bool> {
        let mut left = MAX_ENTRIES;
        let mut open = vec![PathBuf::from(root)];
        let mut found = false;
        if !Path::new(root).is_dir() {
            return match Path::new(root).symlink_metadata() {
                Ok(data) => (!data.is_symlink()).then(|| wanted(root)),
                // Where nothing is, nothing lies below.
                Err(error) => (error.kind() == ErrorKind::NotFound).then_some(false),
            };
        }
        while let Some(directory) = open.pop() {
            // A directory that cannot be listed may hold anything.
            for entry in std::fs::read_dir(directory).ok()? {
                let entry = entry.ok()?;
                left = left.checked_sub(1)?;
                let path = entry.path();
                found |= wanted(path.to_str()?);
                if entry.file_type().ok()?.is_dir() {
                    open.push(path);
                }
            }
        }
        Some(found)
    }
}
