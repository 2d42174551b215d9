//! The real surroundings: the environment, the directories, the file system. The only module that reads them for deciding.

use std::cell::RefCell;
use std::ffi::OsString;
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Component, Path, PathBuf};

use engine_policy::{Entry, Kind, Look, World, join_path};

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
    // Without the variable, what the system knows of the user: a policy does not end because a variable is missing.
    let home = std::env::home_dir()?.into_os_string().into_string().ok()?;
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

/// Where a person's records are kept: `$XDG_DATA_HOME/engine` or `~/.local/share/engine`.
pub(crate) fn data_directory() -> Option<PathBuf> {
    directory("XDG_DATA_HOME", ".local/share")
}

/// Where the audit log lies: `$XDG_STATE_HOME/engine/audit` or `~/.local/state/engine/audit`, and where that would be inside of the
/// project, a directory of the person's own in `/var/tmp`.
pub(crate) fn audit_directories() -> Vec<PathBuf> {
    let state = directory("XDG_STATE_HOME", ".local/state").map(|own| own.join("audit"));
    let own = rustix::process::geteuid().as_raw();
    let other = PathBuf::from(format!("/var/tmp/engine-audit-{own}"));
    state.into_iter().chain([other]).collect()
}

/// Where sessions keep what they need: `$XDG_STATE_HOME/engine` or `~/.local/state/engine`.
pub(crate) fn state_directory() -> Option<PathBuf> {
    directory("XDG_STATE_HOME", ".local/state")
}

/// A variable that names an absolute path.
pub(crate) fn variable_path(name: &str) -> Option<String> {
    let path = std::env::var_os(name)?.into_string().ok()?;
    path.starts_with('/').then_some(path)
}

/// Whether the search path leads to a program.
pub(crate) fn is_on_path(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|directory| directory.join(program).is_file())
}

/// Whether zsh is where programs look for it.
pub(crate) fn has_zsh() -> bool {
    ["/bin", "/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"]
        .iter()
        .any(|directory| Path::new(directory).join("zsh").exists())
}

/// Whether a directory of the person lies in a project, where whoever works on the project can write it.
pub(crate) fn lies_in(directory: &Path, project: &str) -> bool {
    let project = Path::new(project);
    directory.starts_with(project) || resolved(directory).starts_with(resolved(project))
}

/// Whether nobody but the person and the administrator can put another directory in the place of this one: it belongs to the person
/// alone, and so does the way to it.
pub(crate) fn is_private(directory: &Path) -> bool {
    const OTHERS_WRITE: u32 = 0o022;
    const STICKY: u32 = 0o1000;
    let own = rustix::process::geteuid().as_raw();
    let real = resolved(directory);
    let private =
        |data: &std::fs::Metadata| data.is_dir() && data.uid() == own && data.mode() & OTHERS_WRITE == 0;
    // Source: inode(7): in a sticky directory, only the owner of an entry renames or removes it.
    let safe = |data: &std::fs::Metadata| {
        (data.uid() == own || data.uid() == 0)
            && (data.mode() & OTHERS_WRITE == 0 || data.mode() & STICKY != 0)
    };
    real.symlink_metadata().is_ok_and(|data| private(&data))
        && real
            .ancestors()
            .skip(1)
            .all(|above| above.symlink_metadata().is_ok_and(|data| safe(&data)))
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

/// What stands for the project where there is none: nothing lies below it, so that nothing lies in the project.
pub(crate) const NO_PROJECT: &str = "/dev/null";

/// The project of a directory: the nearest directory upwards that holds `.engine` or `.git`, else the directory itself if who asks may
/// write there, else [`NO_PROJECT`]. What everything lies below (the root, the home directory, `/tmp`) is no project.
pub(crate) fn project_of(directory: &str) -> String {
    let itself = || {
        use rustix::fs::{Access, access};

        // Where nothing is, nothing can be taken for the project's.
        let foreign = Path::new(directory).exists() && access(directory, Access::WRITE_OK).is_err();
        (!foreign && !is_shared(Path::new(directory))).then(|| directory.to_owned())
    };
    marked_project_of(directory)
        .or_else(itself)
        .unwrap_or_else(|| NO_PROJECT.to_owned())
}

/// The nearest directory upwards that holds `.engine` or `.git`.
pub(crate) fn marked_project_of(directory: &str) -> Option<String> {
    let mut above = Path::new(directory).ancestors();
    let found = above.find(|path| is_project(path));
    found.and_then(Path::to_str).map(str::to_owned)
}

/// Whether a directory is marked as a project, and nobody's whole work lies below it.
pub(crate) fn is_project(directory: &Path) -> bool {
    (directory.join(".engine").is_dir() || directory.join(".git").exists()) && !is_shared(directory)
}

/// Whether everything of a person or of a machine lies below a directory: the root, the home directory, and where everybody may make
/// entries.
fn is_shared(directory: &Path) -> bool {
    // Source: inode(7), the sticky bit.
    const OPEN_TO_ALL: u32 = 0o1002;
    let Ok(data) = directory.metadata() else {
        return false;
    };
    let is = |other: &Path| {
        other
            .metadata()
            .is_ok_and(|other| (other.dev(), other.ino()) == (data.dev(), data.ino()))
    };
    data.mode() & OPEN_TO_ALL == OPEN_TO_ALL
        || is(Path::new("/"))
        || home().is_some_and(|home| is(Path::new(&home)))
}

/// The directories above one, as its path says and as it really is; not itself.
pub(crate) fn above(directory: &str) -> Vec<PathBuf> {
    let own = Path::new(directory);
    let mut above: Vec<PathBuf> = own.ancestors().skip(1).map(Path::to_owned).collect();
    if !has_no_link(directory)
        && let Ok(real) = own.canonicalize()
    {
        let more = real
            .ancestors()
            .skip(1)
            .filter(|path| !above.iter().any(|own| own == path));
        let more: Vec<PathBuf> = more.map(Path::to_owned).collect();
        above.extend(more);
    }
    above
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

/// Links on the way of one path that are followed. Source: `path_resolution(7)`.
const MAX_HOPS: usize = 40;

/// An absolute path with its links followed; what is not there stays as it is, and so does what a link leads to that is not there.
fn resolved(path: &Path) -> PathBuf {
    let mut real = PathBuf::from("/");
    let mut hops = 0;
    let mut rest: Vec<OsString> = parts(path);
    while let Some(part) = rest.pop() {
        if part == ".." {
            real.pop();
            continue;
        }
        // What links there lead to depends on who follows them, which is not this program. Source: proc(5).
        let is_own = real.starts_with("/proc");
        real.push(part);
        if is_own {
            continue;
        }
        let Ok(target) = real.read_link() else { continue };
        hops += 1;
        if hops > MAX_HOPS {
            continue;
        }
        if target.is_absolute() {
            real = PathBuf::from("/");
        } else {
            real.pop();
        }
        rest.extend(parts(&target));
    }
    real
}

/// The names of a path, the last one first.
fn parts(path: &Path) -> Vec<OsString> {
    let mut parts: Vec<OsString> = path
        .components()
        .filter(|part| matches!(part, Component::Normal(_) | Component::ParentDir))
        .map(|part| part.as_os_str().to_owned())
        .collect();
    parts.reverse();
    parts
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
        // Text that cannot be written as such stands for no name that a rule can allow by itself, but what it lies in counts.
        Some(resolved(Path::new(path)).to_string_lossy().into_owned())
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

    fn kind(&self, path: &str) -> Kind {
        match Path::new(path).metadata() {
            Ok(data) if data.is_dir() => Kind::Directory,
            Ok(_) => Kind::Other,
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
                Kind::Missing
            }
            Err(_) => Kind::Unknown,
        }
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
        match top.symlink_metadata() {
            Ok(data) if data.is_dir() || data.is_symlink() && top.is_dir() => {
                try_look_below(top, visit).unwrap_or(false)
            }
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
        }
    }
}

/// `None`: something could not be seen.
fn try_look_below(top: &Path, visit: &mut dyn FnMut(Entry<'_>) -> Look) -> Option<bool> {
    let mut left = MAX_ENTRIES;
    let mut open = vec![top.to_owned()];
    let mut all_seen = true;
    while let Some(directory) = open.pop() {
        // A directory that cannot be listed may hold anything; the others are looked at all the same.
        let Ok(entries) = std::fs::read_dir(directory) else {
            all_seen = false;
            continue;
        };
        for entry in entries {
            let entry = entry.ok()?;
            left = left.checked_sub(1)?;
            let path = entry.path();
            let kind = entry.file_type().ok()?;
            let Some(text) = path.to_str() else {
                // Neither a pattern nor a rule can be held against its name.
                all_seen = false;
                continue;
            };
            let shown = Entry {
                path: text,
                is_link: kind.is_symlink(),
            };
            match visit(shown) {
                Look::Into if kind.is_dir() => open.push(path),
                Look::Into | Look::Past => {}
                Look::Enough => return Some(true),
            }
        }
    }
    Some(all_seen)
}
