//! Trees that mean harm: links out of them, files that block, ignore files and folders without end.

use std::fs;
use std::os::fd::OwnedFd;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use engine_runtime::search::{GlobRequest, GrepRequest, OutputMode, RootProblem, SearchError, glob, grep};
use rustix::fs::{CWD, FileType, Mode, OFlags, mkdirat, mknodat, openat};

use crate::tree::{Tree, refused};

fn fifo(path: &Path) {
    mknodat(CWD, path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
}

#[test]
fn links_are_not_followed() {
    let outside = Tree::new();
    outside.file("secret", "x\n");
    let tree = Tree::new();
    tree.file("a", "x\n");
    symlink(outside.root.join("secret"), tree.root.join("file")).unwrap();
    symlink(&outside.root, tree.root.join("folder")).unwrap();
    symlink(".", tree.root.join("round")).unwrap();
    assert_eq!(tree.grep(&tree.request("x")).text(), "Found 1 file\na");
    assert_eq!(tree.glob("*").text(), "a");
}

#[test]
fn an_ignore_file_that_is_a_link_is_not_followed() {
    let outside = Tree::new();
    outside.file("rules", "a\n");
    let tree = Tree::new();
    tree.file("a", "x\n").file("inner/a", "x\n").file(".git/HEAD", "");
    symlink(outside.root.join("rules"), tree.root.join(".ignore")).unwrap();
    symlink("/dev/zero", tree.root.join("inner/.gitignore")).unwrap();
    assert_eq!(
        tree.grep(&GrepRequest {
            mode: OutputMode::Count,
            ..tree.request("x")
        })
        .text(),
        "a:1\ninner/a:1\n\nFound 2 total occurrences across 2 files."
    );
}

#[test]
fn what_blocks_is_never_opened() {
    let tree = Tree::new();
    tree.file("a.rs", "x\n").file(".git/HEAD", "");
    for name in ["b.rs", ".gitignore", ".ignore", ".git/info"] {
        fifo(&tree.root.join(name));
    }
    assert_eq!(tree.grep(&tree.request("x")).text(), "Found 1 file\na.rs");
    assert_eq!(tree.glob("*.rs").text(), "a.rs");
    let root = refused(&tree.request("x"), &tree.root.join("b.rs"));
    assert!(
        matches!(
            root,
            SearchError::Root {
                problem: RootProblem::NeitherFileNorFolder,
                ..
            }
        ),
        "{root}"
    );
}

#[test]
fn a_root_that_became_a_link_is_an_error() {
    let outside = Tree::new();
    outside.file("inner/secret", "x\n");
    let tree = Tree::new();
    symlink(&outside.root, tree.root.join("swapped")).unwrap();
    symlink(outside.root.join("inner/secret"), tree.root.join("file")).unwrap();
    for name in ["swapped", "swapped/inner", "swapped/inner/secret", "file"] {
        let error = refused(&tree.request("x"), &tree.root.join(name));
        assert!(
            matches!(
                error,
                SearchError::Root {
                    problem: RootProblem::Link,
                    ..
                }
            ),
            "{name}: {error}"
        );
        let error = glob(
            &GlobRequest::new("*"),
            &tree.root.join(name),
            &|_| true,
            &AtomicBool::new(false),
        )
        .unwrap_err();
        assert!(
            matches!(
                error,
                SearchError::Root {
                    problem: RootProblem::Link,
                    ..
                }
            ),
            "{name}: {error}"
        );
    }
    let missing = refused(&tree.request("x"), &tree.root.join("missing"));
    assert_eq!(
        missing.to_string(),
        format!("`{}` does not exist", tree.root.join("missing").display())
    );
    assert!(matches!(
        refused(&tree.request("x"), Path::new("src")),
        SearchError::Root {
            problem: RootProblem::NotResolved,
            ..
        }
    ));
}

#[test]
fn a_folder_that_becomes_a_link_during_the_search_is_not_entered() {
    let outside = Tree::new();
    outside.file("secret", "x\n");
    let tree = Tree::new();
    tree.file("a", "x\n").file("b/inner", "x\n");
    let (folder, target) = (tree.root.join("b"), outside.root.clone());
    // The filter is asked about `a` when the names of the root were read, and `b` was a folder still.
    let swap = |path: &Path| {
        if path.ends_with("a") {
            fs::rename(&folder, folder.with_file_name("c")).unwrap();
            symlink(&target, &folder).unwrap();
        }
        true
    };
    let answer = grep(
        &GrepRequest {
            mode: OutputMode::Content,
            ..tree.request("x")
        },
        &tree.root,
        &swap,
        &AtomicBool::new(false),
    )
    .unwrap();
    assert_eq!(answer.text(), "a:1:x\n(1 file or folder could not be read)");
}

#[test]
fn ignore_files_are_bounded() {
    let tree = Tree::new();
    tree.file("a", "x\n")
        .file(".ignore", "b\n".repeat(200_000))
        .file("b", "x\n");
    let answer = tree.grep(&GrepRequest {
        mode: OutputMode::Count,
        ..tree.request("x")
    });
    assert_eq!(
        answer.text(),
        "a:1\nb:1\n\nFound 2 total occurrences across 2 files.\n(1 ignore file is too large to be followed)"
    );
    let tree = Tree::new();
    tree.file("a", "x\n").file(".ignore", "*q?*q\n".repeat(3_000));
    assert_eq!(
        tree.grep(&tree.request("x")).text(),
        "Found 1 file\na\n(1 ignore file is too large to be followed)"
    );
    let tree = Tree::new();
    tree.file("a", "x\n")
        .file("b", "x\n")
        .file(".ignore", format!("{}\n[z\n\u{0}\nb\n", "{a,b}*?".repeat(2_000)));
    assert_eq!(tree.grep(&tree.request("x")).text(), "Found 1 file\na");
}

#[test]
fn a_tree_deeper_than_a_path_may_be_long_ends() {
    let tree = Tree::new();
    tree.file("a", "x\n");
    let mut at: OwnedFd = openat(
        CWD,
        &tree.root,
        OFlags::DIRECTORY | OFlags::CLOEXEC,
        Mode::empty(),
    )
    .unwrap();
    for _ in 0..2_500 {
        mkdirat(&at, "d", Mode::RWXU).unwrap();
        at = openat(&at, "d", OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty()).unwrap();
    }
    for mode in [OutputMode::Content, OutputMode::FilesWithMatches] {
        let answer = tree.grep(&GrepRequest {
            mode,
            ..tree.request("x")
        });
        assert_eq!(answer.missed.unreadable, 1, "{mode:?}");
        assert!(answer.text().contains('a'), "{mode:?}");
    }
}

#[test]
fn a_name_may_hold_anything() {
    let tree = Tree::new();
    tree.file("two\nlines", "x\n");
    assert_eq!(
        tree.grep(&GrepRequest {
            mode: OutputMode::Content,
            ..tree.request("x")
        })
        .text(),
        "two\\nlines:1:x"
    );
    assert_eq!(tree.glob("*").text(), "two\\nlines");
}
