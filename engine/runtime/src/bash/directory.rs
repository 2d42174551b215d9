//! The directory between calls.
//!
//! Invariant (checked): a directory that a shell reports is believed only if it is one, is spelled without links, and the caller
//! says that it may be worked in.

use std::path::{Component, Path, PathBuf};

use super::os;

/// Where the next call works.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settled {
    /// The directory: absolute, without links.
    pub directory: PathBuf,
    /// What a model has to know, if it is not where the shell went.
    pub note: Option<String>,
}

/// Settles where the next call works. `before` is where this one began, `base` where the session is sent back to, `allowed` says
/// where it may be.
#[must_use]
pub fn settle(
    reported: Option<&Path>,
    before: &Path,
    base: &Path,
    allowed: impl Fn(&Path) -> bool,
) -> Settled {
    let reset = |why: &str| Settled {
        directory: base.to_owned(),
        note: Some(format!("Shell cwd was reset to {}{why}", base.display())),
    };
    let stays = |directory: &Path| Settled {
        directory: directory.to_owned(),
        note: None,
    };
    let is_directory = |path: &Path| is_plain(path) && os::open_directory(path).is_ok();
    match reported {
        Some(path) if is_directory(path) => {
            if allowed(path) {
                stays(path)
            } else {
                reset("")
            }
        }
        Some(_) | None if is_directory(before) && allowed(before) => stays(before),
        Some(_) | None => reset(": the directory is gone"),
    }
}

/// Whether a path is absolute and nothing in it leads back or stays where it is.
fn is_plain(path: &Path) -> bool {
    let plain = path
        .components()
        .all(|part| matches!(part, Component::RootDir | Component::Normal(_)));
    // Components leave out what changes nothing; a path that is spelled otherwise is none that a shell reports.
    path.is_absolute() && plain && path.components().collect::<PathBuf>().as_os_str() == path.as_os_str()
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use super::settle;

    #[test]
    fn a_report_is_believed_only_as_far_as_it_is_true_and_allowed() {
        let folder = tempfile::tempdir().expect("a folder");
        let base = folder.path().canonicalize().expect("a path");
        let inside = base.join("inside");
        std::fs::create_dir(&inside).expect("made");
        std::os::unix::fs::symlink("inside", base.join("link")).expect("made");
        std::fs::write(base.join("file"), "").expect("made");
        let allowed = |path: &Path| path.starts_with(&base);
        let settled = |reported: Option<PathBuf>| {
            let settled = settle(reported.as_deref(), &inside, &base, allowed);
            (settled.directory, settled.note)
        };
        assert_eq!(settled(Some(base.clone())), (base.clone(), None));
        assert_eq!(settled(Some(inside.clone())), (inside.clone(), None));
        for no in [
            Some(base.join("file")),
            Some(base.join("link")),
            Some("inside".into()),
            Some(inside.join("../inside")),
            Some(inside.join("")),
            Some(base.join("./inside")),
            Some(base.join("gone")),
            None,
        ] {
            assert_eq!(settled(no), (inside.clone(), None));
        }
        let note = format!("Shell cwd was reset to {}", base.display());
        assert_eq!(settled(Some("/usr".into())), (base.clone(), Some(note)));
        std::fs::remove_dir(&inside).expect("removed");
        let note = format!("Shell cwd was reset to {}: the directory is gone", base.display());
        assert_eq!(settled(None), (base.clone(), Some(note)));
    }
}
