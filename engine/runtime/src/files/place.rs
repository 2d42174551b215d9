//! Where a file is, as the policy decided it.
//!
//! Invariant (decided path): a [`Decided`] is absolute, has no `.` or `..`, names something below the root, and was resolved when the call
//! was decided. A link that stands on it at the time of use was put there afterwards.

use std::ffi::OsStr;
use std::fmt;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

use super::error::FileError;

/// A path that a policy has decided about: absolute, and with every link resolved at that time.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Decided {
    path: PathBuf,
    name: std::ffi::OsString,
}

impl Decided {
    /// Takes a resolved path; one that is relative, goes through `.` or `..`, names a network share, or names the root is refused.
    pub fn new(path: impl Into<PathBuf>) -> Result<Self, FileError> {
        let path = path.into();
        let bytes = path.as_os_str().as_bytes();
        if is_network_share(bytes) {
            return Err(FileError::NetworkShare { path });
        }
        // `components` hides `.` and repeated slashes, so the written form is compared with what it makes of it.
        let plain: PathBuf = path.components().collect();
        let whole = path.is_absolute()
            && !bytes.contains(&0)
            && plain.as_os_str() == path.as_os_str()
            && path.components().all(|part| match part {
                Component::RootDir | Component::Normal(_) => true,
                Component::Prefix(_) | Component::CurDir | Component::ParentDir => false,
            });
        let name = path.file_name().map(OsStr::to_os_string);
        match name {
            Some(name) if whole => Ok(Self { path, name }),
            _ => Err(FileError::NotResolved { path }),
        }
    }

    /// The path.
    #[must_use]
    pub fn as_path(&self) -> &Path {
        &self.path
    }

    /// The last part of the path.
    #[must_use]
    pub fn name(&self) -> &OsStr {
        &self.name
    }

    /// The folder that holds it.
    pub(super) fn folder(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new("/"))
    }
}

impl fmt::Display for Decided {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.path.display().fmt(f)
    }
}

/// Whether a path as a model wrote it names a network share (`\\server\share`, `//server/share`, `\\?\UNC\…`).
///
/// Merely looking at such a path connects to the server that it names, and on some systems signs in there. So this looks at the text
/// alone, and is to be asked before anything looks at the path.
#[must_use]
pub fn is_network_share(written: &[u8]) -> bool {
    let slash = |byte: Option<&u8>| matches!(byte, Some(b'/' | b'\\'));
    let first = slash(written.first()) && slash(written.get(1));
    // Three and more slashes are one slash to POSIX; with a backslash among the first two nothing is certain.
    let more = written.get(2) == Some(&b'/') && !written.iter().take(2).any(|byte| *byte == b'\\');
    first && !more && written.len() > 2
}

/// Whether the path names an open descriptor of a process rather than a file (`/dev/fd/0`, `/proc/self/fd/3`, `/dev/stdin`).
///
/// These open as whatever is behind them, so looking at the opened file is too late.
pub(super) fn names_a_descriptor(path: &Path) -> bool {
    let parts: Vec<&[u8]> = path
        .components()
        .filter_map(|part| match part {
            Component::Normal(name) => Some(name.as_bytes()),
            Component::Prefix(_) | Component::RootDir | Component::CurDir | Component::ParentDir => None,
        })
        .collect();
    matches!(
        parts.as_slice(),
        [b"dev", b"stdin" | b"stdout" | b"stderr"]
            | [b"dev", b"fd", ..]
            | [b"proc", _, b"fd", ..]
            | [b"proc", _, b"task", _, b"fd", ..]
    )
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{Decided, is_network_share, names_a_descriptor};

    #[test]
    fn only_a_resolved_path_is_decided() {
        for good in ["/a", "/a/b", "/a/b c/\u{202f}d", "/...", "/a/..b"] {
            assert_eq!(Decided::new(good).unwrap().as_path(), Path::new(good));
        }
        for bad in [
            "",
            "/",
            "a",
            "./a",
            "/a/../b",
            "/a/.",
            "/a/./b",
            "/a//b",
            "/a/",
            "/a\0b",
            "//host/a",
            "\\\\host\\a",
        ] {
            assert!(Decided::new(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn a_share_is_known_by_its_text() {
        for share in [
            "//server/share",
            "\\\\server\\share",
            "\\/server/share",
            "/\\server",
            "\\\\?\\UNC\\server\\share",
            "\\\\.\\pipe\\x",
        ] {
            assert!(is_network_share(share.as_bytes()), "{share}");
        }
        for local in ["/", "//", "///server/share", "/a//b", "a\\\\b", "", "C:\\a"] {
            assert!(!is_network_share(local.as_bytes()), "{local}");
        }
    }

    #[test]
    fn descriptors_are_known_by_name() {
        for name in [
            "/dev/fd/0",
            "/dev/fd/63",
            "/proc/self/fd/1",
            "/proc/12/fd/3",
            "/proc/12/task/13/fd/2",
            "/dev/stdin",
            "/dev/fd",
        ] {
            assert!(names_a_descriptor(Path::new(name)), "{name}");
        }
        for name in [
            "/dev/null",
            "/proc/self/status",
            "/home/dev/fd/0",
            "/proc/fd",
            "/proc/self/fdinfo/1",
        ] {
            assert!(!names_a_descriptor(Path::new(name)), "{name}");
        }
    }
}
