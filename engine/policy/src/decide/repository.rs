//! Where the configuration of a repository stands: beside the working tree, where a file points to, or in a directory that is itself
//! laid out as a repository (a bare one).
//!
//! Source: gitrepository-layout(5), `git-config(1)` "FILES", `git(1)` "--git-dir". A clone can bring along a directory that is laid out as
//! a repository, and an unpacked archive any of these, so all of them are looked at.

use smol_str::SmolStr;

use crate::facts::{Kind, World, join_path};

/// Names in a directory that make it a repository.
const LAYOUT: [&str; 3] = ["HEAD", "objects", "refs"];

/// Files of configuration in a repository's directory.
const CONFIGURATION: [&str; 2] = ["config", "config.worktree"];

/// Most bytes of a pointer to another directory that are followed.
const MAX_POINTER_BYTES: usize = 4096;

/// The files of configuration of the repositories that a program finds at a directory, by the name of their directory (`.git`); each
/// with whether it is a part of the repository that the directory holds by that name.
pub(super) fn configuration_at(world: &dyn World, at: &str, name: &str) -> Vec<SmolStr> {
    let own = join_path(at, name);
    let mut directories = Vec::new();
    match world.kind(&own) {
        Kind::Directory => directories.push(own),
        // The file says where the repository is.
        Kind::Other => {
            let text = world.small_file(&own);
            if let Some(target) = text.as_deref().and_then(|text| pointer(text, "gitdir:")) {
                directories.push(join_path(at, target));
            }
        }
        // Most directories hold none: nothing more is asked there than what has to be.
        Kind::Missing => {}
        Kind::Unknown if world.small_file(&join_path(&own, "config")).is_some() => directories.push(own),
        Kind::Unknown => {}
    }
    let has = |part: &str| {
        let path = join_path(at, part);
        world.is_directory(&path) == Some(true) || world.small_file(&path).is_some()
    };
    let [head, others @ ..] = LAYOUT;
    let head = join_path(at, head);
    let is_bare = world.kind(&head) != Kind::Missing
        && world.small_file(&head).is_some()
        && others.iter().all(|part| has(part));
    if is_bare {
        directories.push(at.into());
    }
    let mut files = Vec::new();
    for directory in directories {
        let common = world.small_file(&join_path(&directory, "commondir"));
        let common = common
            .as_deref()
            .and_then(|text| pointer(text, ""))
            .map(|target| join_path(&directory, target));
        for place in [Some(directory), common].into_iter().flatten() {
            files.extend(CONFIGURATION.iter().map(|file| join_path(&place, file)));
        }
    }
    files
}

/// The path on the first line, behind a word.
fn pointer<'t>(text: &'t str, word: &str) -> Option<&'t str> {
    let path = text.lines().next()?.strip_prefix(word)?.trim();
    (!path.is_empty() && path.len() <= MAX_POINTER_BYTES).then_some(path)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::configuration_at;
    use crate::facts::{Entry, Look, World};

    /// Files by path; a path that others lie below is a directory.
    struct Files(BTreeMap<&'static str, &'static str>);

    impl World for Files {
        fn real_path(&self, path: &str) -> Option<String> {
            Some(path.to_owned())
        }

        fn real_place(&self, path: &str) -> Option<String> {
            Some(path.to_owned())
        }

        fn is_directory(&self, path: &str) -> Option<bool> {
            let below = format!("{path}/");
            Some(self.0.keys().any(|own| own.starts_with(&below)))
        }

        fn small_file(&self, path: &str) -> Option<String> {
            self.0.get(path).map(|text| (*text).to_owned())
        }

        fn look_below(&self, _root: &str, _visit: &mut dyn FnMut(Entry<'_>) -> Look) -> bool {
            false
        }
    }

    fn found(files: &[(&'static str, &'static str)]) -> Vec<String> {
        let world = Files(files.iter().copied().collect());
        configuration_at(&world, "/p", ".git")
            .iter()
            .map(ToString::to_string)
            .collect()
    }

    #[test]
    fn a_repository_beside_the_tree_has_two_files() {
        assert_eq!(
            found(&[("/p/.git/config", "")]),
            ["/p/.git/config", "/p/.git/config.worktree"]
        );
    }

    #[test]
    fn a_file_points_to_the_repository() {
        assert_eq!(
            found(&[("/p/.git", "gitdir: ../evil\n")]),
            ["/evil/config", "/evil/config.worktree"]
        );
    }

    #[test]
    fn a_directory_that_is_laid_out_as_a_repository_is_one() {
        let layout = [
            ("/p/HEAD", "ref: refs/heads/m"),
            ("/p/objects/x", ""),
            ("/p/refs/x", ""),
        ];
        let files = found(&layout);
        assert!(files.contains(&"/p/config".to_owned()), "{files:?}");
        assert!(!found(&layout[..2]).contains(&"/p/config".to_owned()));
    }

    #[test]
    fn what_several_trees_have_in_common_is_configuration_too() {
        let files = found(&[("/p/.git/commondir", "../other\n")]);
        assert!(files.contains(&"/p/other/config".to_owned()), "{files:?}");
    }
}
