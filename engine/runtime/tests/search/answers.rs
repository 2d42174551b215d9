//! What answers say: order, pages, texts, and what is left out of them.

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use engine_runtime::search::{Found, GlobRequest, GrepRequest, OutputMode, Scope, SearchError, glob, grep};

use crate::tree::{Tree, refused};

fn aged() -> Tree {
    Tree::aged(&[
        ("old.rs", "fn old() {}\n"),
        ("src/new.rs", "fn new() {}\nfn again() {}\n"),
        ("notes.md", "fn in prose\n"),
        ("src/newest.rs", "fn newest() {}\n"),
    ])
}

#[test]
fn files_come_newest_first() {
    let tree = aged();
    assert_eq!(
        tree.grep(&tree.request("fn")).text(),
        "Found 4 files\nsrc/newest.rs\nnotes.md\nsrc/new.rs\nold.rs"
    );
    assert_eq!(tree.glob("*.rs").text(), "src/newest.rs\nsrc/new.rs\nold.rs");
}

#[test]
fn a_limit_keeps_the_newest() {
    let tree = aged();
    let request = GrepRequest {
        head_limit: 2,
        offset: 1,
        ..tree.request("fn")
    };
    assert_eq!(
        tree.grep(&request).text(),
        "Found 2 files limit: 2, offset: 1\nnotes.md\nsrc/new.rs"
    );
    let request = GlobRequest {
        limit: 2,
        scope: tree.scope(),
        ..GlobRequest::new("**/*.rs")
    };
    let answer = glob(&request, &tree.root, &|_| true, &AtomicBool::new(false)).unwrap();
    assert_eq!(
        answer.text(),
        "src/newest.rs\nsrc/new.rs\n(Results are truncated. Consider using a more specific path or pattern.)"
    );
}

#[test]
fn a_limit_that_is_just_reached_is_not_named() {
    let tree = aged();
    for (mode, limit) in [
        (OutputMode::FilesWithMatches, 4),
        (OutputMode::Content, 5),
        (OutputMode::Count, 4),
    ] {
        let whole = tree.grep(&GrepRequest {
            mode,
            head_limit: limit,
            ..tree.request("fn")
        });
        assert_eq!(whole.cut_at, None, "{mode:?}");
        let cut = tree.grep(&GrepRequest {
            mode,
            head_limit: limit - 1,
            ..tree.request("fn")
        });
        assert_eq!(cut.cut_at, Some(limit - 1), "{mode:?}");
    }
    let scope = tree.scope();
    let exact = GlobRequest {
        limit: 3,
        scope,
        ..GlobRequest::new("*.rs")
    };
    assert!(
        !glob(&exact, &tree.root, &|_| true, &AtomicBool::new(false))
            .unwrap()
            .truncated
    );
}

#[test]
fn content_comes_by_path_with_numbers_and_context() {
    let tree = Tree::aged(&[
        ("b", "1\nx\n3\n4\n5\nx\n7\n"),
        ("a/c", "x\n"),
        ("a.txt", "no\nx\n"),
    ]);
    let request = GrepRequest {
        mode: OutputMode::Content,
        ..tree.request("x")
    };
    assert_eq!(tree.grep(&request).text(), "a/c:1:x\na.txt:2:x\nb:2:x\nb:6:x");
    let plain = GrepRequest {
        line_numbers: false,
        ..request.clone()
    };
    assert_eq!(tree.grep(&plain).text(), "a/c:x\na.txt:x\nb:x\nb:x");
    let around = GrepRequest {
        context: Some(1),
        ..request.clone()
    };
    assert_eq!(
        tree.grep(&around).text(),
        "a/c:1:x\n--\na.txt-1-no\na.txt:2:x\n--\nb-1-1\nb:2:x\nb-3-3\n--\nb-5-5\nb:6:x\nb-7-7"
    );
    let after = GrepRequest {
        context: Some(1),
        before: Some(0),
        ..request
    };
    assert_eq!(
        tree.grep(&after).text(),
        "a/c:1:x\n--\na.txt:2:x\n--\nb:2:x\nb-3-3\n--\nb:6:x\nb-7-7"
    );
}

#[test]
fn counts_are_summed() {
    let tree = aged();
    let request = GrepRequest {
        mode: OutputMode::Count,
        ..tree.request("^fn")
    };
    assert_eq!(
        tree.grep(&request).text(),
        "notes.md:1\nold.rs:1\nsrc/new.rs:2\nsrc/newest.rs:1\n\nFound 5 total occurrences across 4 files."
    );
}

#[test]
fn pages_put_together_are_the_whole() {
    let tree = Tree::new();
    for number in 0..30 {
        tree.file(
            &format!("{}/{number}", number % 7),
            "a\nb\nx\nc\nx\n".repeat(1 + number % 3),
        );
    }
    for mode in [
        OutputMode::Content,
        OutputMode::Count,
        OutputMode::FilesWithMatches,
    ] {
        let request = GrepRequest {
            mode,
            context: Some(1),
            head_limit: 0,
            ..tree.request("x")
        };
        let lines = |request: &GrepRequest| -> (Vec<String>, bool) {
            let answer = tree.grep(request);
            let results = match answer.found {
                Found::Content(text) => text.lines().map(str::to_owned).collect(),
                Found::Files(files) => files,
                Found::Counts(counts) => counts
                    .into_iter()
                    .map(|(path, count)| format!("{path}:{count}"))
                    .collect(),
            };
            (results, answer.cut_at.is_some())
        };
        let whole = lines(&request).0;
        let mut pages = Vec::new();
        loop {
            let (page, cut) = lines(&GrepRequest {
                head_limit: 7,
                offset: pages.len(),
                ..request.clone()
            });
            pages.extend(page);
            if !cut {
                break;
            }
        }
        assert!(whole.len() > 20, "{mode:?}");
        assert_eq!(pages, whole, "{mode:?}");
    }
}

#[test]
fn long_lines_are_left_out() {
    let tree = Tree::new();
    tree.file(
        "a",
        format!(
            "{}x\n{}x\n{}\n",
            "ä".repeat(499),
            "ä".repeat(500),
            "-".repeat(501)
        ),
    );
    let request = GrepRequest {
        mode: OutputMode::Content,
        after: Some(1),
        ..tree.request("x")
    };
    assert_eq!(
        tree.grep(&request).text(),
        format!(
            "a:1:{}x\na:2:[Omitted long matching line]\na-3-[Omitted long context line]",
            "ä".repeat(499)
        )
    );
}

#[test]
fn what_may_not_be_seen_shows_nowhere() {
    let tree = aged();
    let visible = |path: &Path| !path.ends_with("src/new.rs");
    let never = AtomicBool::new(false);
    let text = |mode| {
        grep(
            &GrepRequest {
                mode,
                ..tree.request("^fn")
            },
            &tree.root,
            &visible,
            &never,
        )
        .unwrap()
        .text()
    };
    assert_eq!(
        text(OutputMode::FilesWithMatches),
        "Found 3 files\nsrc/newest.rs\nnotes.md\nold.rs"
    );
    assert_eq!(
        text(OutputMode::Content),
        "notes.md:1:fn in prose\nold.rs:1:fn old() {}\nsrc/newest.rs:1:fn newest() {}"
    );
    assert_eq!(
        text(OutputMode::Count),
        "notes.md:1\nold.rs:1\nsrc/newest.rs:1\n\nFound 3 total occurrences across 3 files."
    );
    let request = GlobRequest {
        limit: 2,
        scope: tree.scope(),
        ..GlobRequest::new("*.rs")
    };
    let found = glob(&request, &tree.root, &visible, &never).unwrap();
    assert_eq!(
        (found.text().as_str(), found.truncated),
        ("src/newest.rs\nold.rs", false)
    );
    let named = grep(
        &tree.request("fn"),
        &tree.root.join("src/new.rs"),
        &visible,
        &never,
    )
    .unwrap_err();
    assert_eq!(
        named.to_string(),
        format!("`{}` may not be read", tree.root.join("src/new.rs").display())
    );
}

#[test]
fn an_ignore_file_that_may_not_be_seen_is_not_followed() {
    let tree = aged();
    tree.file(".ignore", "*.rs\n");
    let never = AtomicBool::new(false);
    let files = |visible: &(dyn Fn(&Path) -> bool + Sync)| {
        grep(&tree.request("fn"), &tree.root, visible, &never)
            .unwrap()
            .text()
    };
    assert_eq!(files(&|_| true), "Found 1 file\nnotes.md");
    assert_eq!(
        files(&|path| !path.ends_with(".ignore")),
        "Found 4 files\nsrc/newest.rs\nnotes.md\nsrc/new.rs\nold.rs"
    );
}

#[test]
fn version_control_is_left_out_and_ignore_files_can_be_turned_off() {
    let tree = Tree::new();
    for folder in [".git", ".svn", ".hg", ".bzr", ".jj", ".sl", "kept", ".hidden"] {
        tree.file(&format!("{folder}/x.txt"), "x\n");
    }
    tree.file(".gitignore", "ignored.txt\n")
        .file("ignored.txt", "x\n");
    let files = |scope: Scope| {
        let found = tree
            .grep(&GrepRequest {
                scope,
                ..GrepRequest::new("x")
            })
            .found;
        let Found::Files(mut files) = found else {
            panic!("{found:?}")
        };
        files.sort();
        files
    };
    assert_eq!(files(tree.scope()), ["kept/x.txt"]);
    assert_eq!(
        files(Scope {
            hidden: true,
            ..tree.scope()
        }),
        [".gitignore", ".hidden/x.txt", "kept/x.txt"]
    );
    assert_eq!(
        files(Scope {
            ignore_files: false,
            ..tree.scope()
        }),
        ["ignored.txt", "kept/x.txt"]
    );
    assert_eq!(tree.glob(".git/**").text(), "No files found");
}

#[test]
fn the_persons_own_ignore_file_holds_in_repositories() {
    let tree = Tree::new();
    tree.file("a.log", "x\n").file("b", "x\n");
    let own = tree.root.with_file_name("own");
    std::fs::write(&own, "*.log\n").unwrap();
    let request = GrepRequest {
        scope: Scope {
            own_ignore_file: Some(own),
            ..tree.scope()
        },
        ..GrepRequest::new("x")
    };
    assert_eq!(
        tree.grep(&GrepRequest {
            mode: OutputMode::Count,
            ..request.clone()
        })
        .text(),
        "a.log:1\nb:1\n\nFound 2 total occurrences across 2 files."
    );
    tree.file(".git/HEAD", "");
    assert_eq!(tree.grep(&request).text(), "Found 1 file\nb");
}

#[test]
fn a_pattern_may_name_the_folder_itself() {
    let tree = aged();
    let absolute = format!("{}/src/*.rs", tree.root.display());
    assert_eq!(tree.glob(&absolute).text(), "src/newest.rs\nsrc/new.rs");
    assert_eq!(tree.glob("./*.rs").text(), "old.rs");
    assert_eq!(tree.glob("src/**").text(), "src/newest.rs\nsrc/new.rs");
    assert_eq!(tree.glob("!*.rs").text(), "notes.md");
}

#[test]
fn paths_elsewhere_are_absolute() {
    let tree = aged();
    let scope = Scope {
        shown_from: Some(tree.root.join("src")),
        ..Scope::default()
    };
    let request = GrepRequest {
        scope,
        ..GrepRequest::new("fn (old|newest)")
    };
    assert_eq!(
        tree.grep(&request).text(),
        format!("Found 2 files\nnewest.rs\n{}", tree.root.join("old.rs").display())
    );
}

#[test]
fn one_file_can_be_searched_whatever_its_name() {
    let tree = Tree::new();
    tree.file(".hidden", "a\nx\n")
        .file(".gitignore", "*\n")
        .file("binary", "x\n\0x\n");
    let search = |name: &str, mode| {
        let request = GrepRequest {
            mode,
            file_type: Some("rust".to_owned()),
            ..tree.request("x")
        };
        grep(
            &request,
            &tree.root.join(name),
            &|_| true,
            &AtomicBool::new(false),
        )
        .unwrap()
        .text()
    };
    assert_eq!(search(".hidden", OutputMode::Content), ".hidden:2:x");
    assert_eq!(
        search(".hidden", OutputMode::FilesWithMatches),
        "Found 1 file\n.hidden"
    );
    assert_eq!(
        search("binary", OutputMode::Content),
        "binary: binary file matches (found \"\\0\" byte around offset 2)"
    );
}

#[test]
fn what_is_wrong_with_a_request_is_said() {
    let tree = aged();
    let wrong = |change: &dyn Fn(&mut GrepRequest)| {
        let mut request = tree.request("fn");
        change(&mut request);
        refused(&request, &tree.root).to_string()
    };
    assert_eq!(
        wrong(&|request| request.pattern = "interface{".to_owned()),
        "`interface{` is no regular expression at position 10: unclosed counted repetition (hint: write `\\{` and `\\}` for the characters)"
    );
    assert_eq!(
        wrong(&|request| request.file_type = Some("pythn".to_owned())),
        "no type of files is named `pythn`; did you mean `python`?"
    );
    assert!(wrong(&|request| request.file_type = Some("rs".to_owned())).contains("did you mean `rust`"));
    assert!(
        wrong(&|request| request.glob = Some("[a".to_owned()))
            .starts_with("`[a` is no pattern of file names: ")
    );
    assert!(wrong(&|request| request.glob = Some("../x".to_owned())).contains("leads out of the folder"));
}

#[test]
fn a_search_can_be_cancelled() {
    let tree = Tree::new();
    for number in 0..200 {
        tree.file(&format!("{}/{number}", number % 10), "x\n");
    }
    let cancel = AtomicBool::new(false);
    let met = AtomicUsize::new(0);
    let visible = |_: &Path| {
        if met.fetch_add(1, Ordering::Relaxed) == 20 {
            cancel.store(true, Ordering::Relaxed);
        }
        true
    };
    let answer = grep(
        &GrepRequest {
            mode: OutputMode::Content,
            ..tree.request("x")
        },
        &tree.root,
        &visible,
        &cancel,
    );
    assert!(matches!(answer, Err(SearchError::Cancelled)));
    assert!(met.load(Ordering::Relaxed) < 200);
    assert!(matches!(
        glob(&GlobRequest::new("*"), &tree.root, &|_| true, &cancel),
        Err(SearchError::Cancelled)
    ));
}
