//! The little of the world that deciding may look at.

use engine_shell::Shell;
use smol_str::SmolStr;

/// What is known about the call's surroundings.
#[derive(Clone, Copy)]
pub struct Facts<'a> {
    /// The project's directory, absolute and lexically normal.
    pub project: &'a str,
    /// The directory that the call starts in, absolute and lexically normal.
    pub directory: &'a str,
    /// The home directory, if known.
    pub home: Option<&'a str>,
    /// The declared tools whose steps make the call, the outermost first; none for a call that a model makes itself.
    pub via: &'a [&'a str],
    /// The shell that runs commands.
    pub shell: Shell,
    /// The file system, as far as it may be looked at.
    pub world: &'a dyn World,
}

impl std::fmt::Debug for Facts<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Facts")
            .field("project", &self.project)
            .field("directory", &self.directory)
            .field("home", &self.home)
            .field("via", &self.via)
            .field("shell", &self.shell)
            .finish_non_exhaustive()
    }
}

/// Questions to the file system. Every answer may be "not known", which is never taken for a yes.
pub trait World {
    /// The path with every link in it resolved; the part that does not exist stays as it is. `None`: not known.
    fn real_path(&self, path: &str) -> Option<String>;

    /// The same for a directory that calls start from or live in (the project, the home directory), which may be asked for once and
    /// remembered: that it is another place afterwards can only make answers stricter.
    fn real_place(&self, path: &str) -> Option<String> {
        self.real_path(path)
    }

    /// Whether the path is a directory. `None`: it does not exist or is not known.
    fn is_directory(&self, path: &str) -> Option<bool>;

    /// What stands at a path, links followed. [`Kind::Missing`] only where nothing can be opened there for certain, so that no file
    /// in it need be asked for.
    fn kind(&self, path: &str) -> Kind {
        match self.is_directory(path) {
            Some(true) => Kind::Directory,
            Some(false) => Kind::Other,
            None => Kind::Unknown,
        }
    }

    /// The text of a small file (at most 64 KiB). `None`: it does not exist or cannot be read.
    fn small_file(&self, path: &str) -> Option<String>;

    /// Shows what stands below `root`, each directory before what is in it; links are shown and not followed. A root that is no
    /// directory is shown itself. Whether everything that was asked for was seen: `false` for instance where there are more entries
    /// than the limit.
    fn look_below(&self, root: &str, visit: &mut dyn FnMut(Entry<'_>) -> Look) -> bool;
}

/// What stands at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A directory.
    Directory,
    /// A file, a device, or anything else that is no directory.
    Other,
    /// Nothing.
    Missing,
    /// It is not known.
    Unknown,
}

/// Something that stands below a directory.
#[derive(Clone, Copy, Debug)]
pub struct Entry<'a> {
    /// Its absolute path.
    pub path: &'a str,
    /// It is a symbolic link.
    pub is_link: bool,
}

/// How a look below a directory goes on after an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// With what is in it, if it is a directory, and what follows.
    Into,
    /// With what follows.
    Past,
    /// Not at all: enough was seen.
    Enough,
}

/// Nothing is known about the file system.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoWorld;

impl World for NoWorld {
    fn real_path(&self, _path: &str) -> Option<String> {
        None
    }

    fn is_directory(&self, _path: &str) -> Option<bool> {
        None
    }

    fn small_file(&self, _path: &str) -> Option<String> {
        None
    }

    fn look_below(&self, _root: &str, _visit: &mut dyn FnMut(Entry<'_>) -> Look) -> bool {
        false
    }
}

/// Joins a path to a directory and resolves `.`, `..` and repeated slashes without looking at the file system. The result is
/// absolute if `directory` is.
#[must_use]
pub fn join_path(directory: &str, path: &str) -> SmolStr {
    let base = if path.starts_with('/') { "" } else { directory };
    let mut joined = String::with_capacity(base.len() + path.len() + 1);
    for part in base.split('/').chain(path.split('/')) {
        match part {
            "" | "." => {}
            ".." => joined.truncate(joined.rfind('/').unwrap_or_default()),
            name => {
                joined.push('/');
                joined.push_str(name);
            }
        }
    }
    if joined.is_empty() {
        return SmolStr::new_static("/");
    }
    joined.into()
}

/// The rest of `path` below `root`: empty for the root itself, `None` outside of it.
#[must_use]
pub fn below<'p>(path: &'p str, root: &str) -> Option<&'p str> {
    let root = root.trim_end_matches('/');
    let rest = path.strip_prefix(root)?;
    if rest.is_empty() {
        return Some(rest);
    }
    rest.strip_prefix('/')
}

#[cfg(test)]
mod tests {
    use super::{below, join_path};

    #[test]
    fn paths_are_joined_lexically() {
        for (directory, path, expected) in [
            ("/p", "a/./b//c", "/p/a/b/c"),
            ("/p", "../x", "/x"),
            ("/p", "../../../x", "/x"),
            ("/p", "/etc//x/", "/etc/x"),
            ("/", "..", "/"),
            ("/p", "", "/p"),
        ] {
            assert_eq!(join_path(directory, path), expected);
        }
    }

    #[test]
    fn a_name_that_begins_alike_is_not_below() {
        assert_eq!(below("/p/repo-evil/x", "/p/repo"), None);
        assert_eq!(below("/p/repo/x", "/p/repo"), Some("x"));
        assert_eq!(below("/p/repo", "/p/repo"), Some(""));
        assert_eq!(below("/etc", "/"), Some("etc"));
    }
}
