//! What may have been meant by a path at which there is nothing.
//!
//! Invariant (no name leaks): a name is told only if the caller lets it be seen, and only names are looked at, never contents.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use rustix::fs::FileType;

use super::error::{FileError, Missing};
use super::place::Decided;
use super::walk::{look, names_in, open_folder};

/// How many names of a folder are compared.
const MAX_NAMES: usize = 20_000;
/// How alike two names must be, from 0 to 1.
const ALIKE: f64 = 0.8;

/// Adds to "there is no such file" what may have been meant; other errors pass as they are.
pub(super) fn complete(error: FileError, place: &Decided, visible: &dyn Fn(&Path) -> bool) -> FileError {
    let FileError::Missing(missing) = error else {
        return error;
    };
    let other_space = other_spelling(place)
        .and_then(|path| Decided::new(path).ok())
        .filter(|other| visible(other.as_path()) && is_file(other.as_path()));
    let nearest = nearest(place.as_path(), visible);
    FileError::Missing(Missing {
        nearest,
        other_space,
        ..missing
    })
}

/// The same name with the other kind of space before AM or PM. macOS writes a narrow no-break space there, which looks like a space.
fn other_spelling(place: &Decided) -> Option<PathBuf> {
    const NARROW: &[u8] = "\u{202f}".as_bytes();
    let name = place.name().as_bytes();
    for (at, _) in name.iter().enumerate() {
        let (before, rest) = name.split_at_checked(at)?;
        let (put, after) = if let Some(after) = rest.strip_prefix(b" ") {
            (NARROW, after)
        } else if let Some(after) = rest.strip_prefix(NARROW) {
            (b" ".as_slice(), after)
        } else {
            continue;
        };
        let half = after
            .get(..2)
            .is_some_and(|half| half.eq_ignore_ascii_case(b"am") || half.eq_ignore_ascii_case(b"pm"));
        // "10.15 AMBER.png" is a word, not a time.
        if half && !after.get(2).is_some_and(u8::is_ascii_alphanumeric) {
            let name = OsString::from_vec([before, put, after].concat());
            return Some(place.folder().join(name));
        }
    }
    None
}

fn nearest(path: &Path, visible: &dyn Fn(&Path) -> bool) -> Option<PathBuf> {
    let (folder, name) = (path.parent()?, path.file_name()?);
    let Some(names) = names_in(folder, MAX_NAMES) else {
        // The folder is misspelt, then: the same name below a folder like it.
        let like = folder_like(folder, visible)?.join(name);
        return Some(like).filter(|path| is_file(path) && visible(path));
    };
    let (name, stem) = (lower(name), lower(path.file_stem()?));
    best(
        names
            .into_iter()
            .filter(|(_, kind)| *kind == FileType::RegularFile)
            .filter_map(|(there, _)| {
                let same_stem = Path::new(&there)
                    .file_stem()
                    .is_some_and(|there| lower(there) == stem);
                let score = if same_stem {
                    0.99
                } else {
                    strsim::jaro_winkler(&name, &lower(&there))
                };
                Some((score, folder.join(there))).filter(|(score, path)| *score >= ALIKE && visible(path))
            }),
    )
}

fn folder_like(folder: &Path, visible: &dyn Fn(&Path) -> bool) -> Option<PathBuf> {
    let (above, name) = (folder.parent()?, lower(folder.file_name()?));
    let folders = names_in(above, MAX_NAMES)?
        .into_iter()
        .filter(|(_, kind)| *kind == FileType::Directory);
    best(folders.filter_map(|(there, _)| {
        let score = strsim::jaro_winkler(&name, &lower(&there));
        Some((score, above.join(there))).filter(|(score, path)| *score >= ALIKE && visible(path))
    }))
}

/// The highest score; of equal ones the first by name, since folders have no order.
fn best(scored: impl Iterator<Item = (f64, PathBuf)>) -> Option<PathBuf> {
    scored
        .max_by(|(a, at), (b, bt)| a.total_cmp(b).then_with(|| bt.cmp(at)))
        .map(|(_, path)| path)
}

fn lower(name: &OsStr) -> String {
    name.to_string_lossy().to_lowercase()
}

fn is_file(path: &Path) -> bool {
    // A link is not offered: reading it is another decision.
    Decided::new(path).is_ok_and(|place| {
        open_folder(&place)
            .and_then(|folder| look(&folder, &place))
            .is_ok_and(|there| there.is_some())
    })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{complete, other_spelling};
    use crate::files::error::{FileError, Missing};
    use crate::files::place::Decided;
    use crate::files::walk::missing;

    fn suggest(path: &Path, visible: &dyn Fn(&Path) -> bool) -> Missing {
        let place = Decided::new(path).unwrap();
        let FileError::Missing(missing) = complete(missing(&place), &place, visible) else {
            panic!("it is missing")
        };
        missing
    }

    #[test]
    fn the_nearest_visible_file_is_named() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["config.toml", "confic.toml", "zebra.txt", "main.ts"] {
            std::fs::write(folder.path().join(name), "").unwrap();
        }
        std::fs::create_dir(folder.path().join("configs.toml")).unwrap();
        let path = folder.path().join("confif.toml");
        assert_eq!(
            suggest(&path, &|_| true).nearest,
            Some(folder.path().join("confic.toml"))
        );
        assert_eq!(
            suggest(&path, &|path| !path.ends_with("confic.toml")).nearest,
            Some(folder.path().join("config.toml"))
        );
        assert_eq!(suggest(&path, &|_| false).nearest, None);
        assert_eq!(
            suggest(&folder.path().join("main.tsx"), &|_| true).nearest,
            Some(folder.path().join("main.ts"))
        );
        assert_eq!(suggest(&folder.path().join("Q"), &|_| true).nearest, None);
    }

    #[test]
    fn a_misspelt_folder_is_found_too() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("source")).unwrap();
        std::fs::write(folder.path().join("source/a.rs"), "").unwrap();
        assert_eq!(
            suggest(&folder.path().join("soruce/a.rs"), &|_| true).nearest,
            Some(folder.path().join("source/a.rs"))
        );
        assert_eq!(
            suggest(&folder.path().join("soruce/b.rs"), &|_| true).nearest,
            None
        );
    }

    #[test]
    fn screenshots_are_found_under_the_other_space() {
        let folder = tempfile::tempdir().unwrap();
        let there = folder
            .path()
            .join("Screenshot 2024-05-01 at 10.15.00\u{202f}AM.png");
        std::fs::write(&there, "").unwrap();
        let asked = folder.path().join("Screenshot 2024-05-01 at 10.15.00 AM.png");
        assert_eq!(
            suggest(&asked, &|_| true).other_space,
            Some(Decided::new(&there).unwrap())
        );
        assert_eq!(suggest(&asked, &|_| false).other_space, None);
    }

    #[test]
    fn only_the_space_before_the_half_of_the_day_is_changed() {
        let other = |name: &str| {
            other_spelling(&Decided::new(format!("/a/{name}")).unwrap())
                .map(|path| path.to_string_lossy().into_owned())
        };
        assert_eq!(
            other("at 1.00\u{202f}PM (2).png").as_deref(),
            Some("/a/at 1.00 PM (2).png")
        );
        assert_eq!(
            other("at 1.00 pm.png").as_deref(),
            Some("/a/at 1.00\u{202f}pm.png")
        );
        assert_eq!(other("10.15 AMBER.png"), None);
        assert_eq!(other("plain.png"), None);
    }
}
