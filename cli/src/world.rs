//! The real surroundings: the environment, the directories, the file system. The only module that reads them for deciding.

use std::cell::RefCell;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use engine_policy::{Entry, Look, World, join_path};

/// Largest file that is looked into.
const SMALL_FILE_BYTES: u64 = 64 << 10;

/// Real places that are remembered at once.
const MAX_PLACES: usize = 16;

/// Entries that a look below a directory may visit before the answer is "not known".
const MAX_ENTRIES: usize = 20_000;

/// The file system of this machine.
#[derive(Clone, Debug, Default)]
pub(crate) struct Disk {
    /// Real places that were asked for, by path.
    places: RefCell<Vec<(String, Option<String>)>>,
}

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

/// Whether no part of a path is a link, asked in one call to the system. `false` where it is not known.
/// Source: openat2(2), `RESOLVE_NO_SYMLINKS`.
#[cfg(target_os = "linux")]
fn has_no_link(path: &str) -> bool {
    use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, openat2};
    use rustix::io::Errno;

    let flags = OFlags::PATH | OFlags::CLOEXEC;
    match openat2(CWD, path, flags, Mode::empty(), ResolveFlags::NO_SYMLINKS) {
        Ok(_) => true,
        // What exists of it was walked through before the part that is missing; but what follows a missing part may go up again.
        Err(Errno::NOENT | Errno::NOTDIR) => !path.split('/').any(|part| part == ".."),
        Err(_) => false,
    }
}

#[cfg(not(target_os = "linux"))]
fn has_no_link(_path: &str) -> bool {
    false
}

impl World for Disk {
    fn real_path(&self, path: &str) -> Option<String> {
        if path.starts_with('/') && has_no_link(path) {
            let is_normal = path
                .split('/')
                .skip(1)
                .all(|part| !matches!(part, "" | "." | ".."));
            return Some(if is_normal {
                path.to_owned()
            } else {
                join_path("/", path).to_string()
            });
        }
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

    fn real_place(&self, path: &str) -> Option<String> {
        let mut places = self.places.borrow_mut();
        if let Some((_, real)) = places.iter().find(|(own, _)| own == path) {
            return real.clone();
        }
        let real = self.real_path(path);
        // A caller that goes from project to project would have all of them remembered.
        if places.len() == MAX_PLACES {
            places.clear();
        }
        places.push((path.to_owned(), real.clone()));
        real
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

    fn look_below(&self, root: &str, visit: &mut dyn FnMut(Entry<'_>) -> Look) -> bool {
        let top = Path::new(root);
        if !top.is_dir() {
            return match top.symlink_metadata() {
                Ok(data) if data.is_symlink() => false,
                Ok(_) => {
                    let _whole = visit(Entry {
                        path: root,
                        is_link: false,
                    });
                    true
                }
                // Where nothing is, nothing lies below.
                Err(error) => error.kind() == ErrorKind::NotFound,
            };
        }
        try_look_below(top, visit).unwrap_or(false)
    }
}

/// `None`: something could not be seen.
fn try_look_below(top: &Path, visit: &mut dyn FnMut(Entry<'_>) -> Look) -> Option<bool> {
    let mut left = MAX_ENTRIES;
    let mut open = vec![top.to_owned()];
    while let Some(directory) = open.pop() {
        // A directory that cannot be listed may hold anything.
        for entry in std::fs::read_dir(directory).ok()? {
            let entry = entry.ok()?;
            left = left.checked_sub(1)?;
            let path = entry.path();
            let kind = entry.file_type().ok()?;
            let shown = Entry {
                path: path.to_str()?,
                is_link: kind.is_symlink(),
            };
            match visit(shown) {
                Look::Into if kind.is_dir() => open.push(path),
                Look::Into | Look::Past => {}
                Look::Enough => return Some(true),
            }
        }
    }
    Some(true)
}
