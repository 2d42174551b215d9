//! The same searches by ripgrep on the same tree: the same files, the same lines, in the same order.
//!
//! Needs `rg` 15 (`cargo install ripgrep`); where there is none the tests say so and compare nothing.

use std::process::Command;
use std::sync::atomic::AtomicBool;

use engine_runtime::search::{Found, GrepRequest, OutputMode, Scope, grep};

use crate::tree::Tree;

/// A sequence of numbers that is the same on every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % u64::try_from(limit).unwrap()).unwrap()
    }

    fn one<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }
}

#[expect(clippy::disallowed_methods, reason = "the test compares with another program")]
fn rg() -> Command {
    Command::new("rg")
}

fn have_rg() -> bool {
    let version = rg()
        .arg("--version")
        .output()
        .map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
    match version {
        Ok(version) if version.starts_with("ripgrep 15.") => true,
        found => {
            eprintln!(
                "SKIPPED, NOTHING WAS COMPARED: there is no `rg` 15 on the path, but {found:?}; `cargo install ripgrep`"
            );
            false
        }
    }
}

fn words(numbers: &mut Numbers, count: usize) -> String {
    const WORDS: [&str; 16] = [
        "fn", "struct", "alpha", "Beta", "größe", "x = 1;", "/* open", "close */", "TODO", "end", "{", "}",
        "\tlet", "a.b.c", "foo(bar)", "0x1f",
    ];
    (0..count)
        .map(|_| numbers.one(&WORDS))
        .collect::<Vec<_>>()
        .join(" ")
}

/// A tree with all that search tools treat in a special way.
fn tree(numbers: &mut Numbers) -> Tree {
    let tree = Tree::new();
    std::fs::create_dir(tree.root.join(".git")).unwrap();
    let folders = [
        "",
        "src/",
        "src/deep/er/",
        "docs/",
        "target/",
        "build/out/",
        ".config/",
        "src/.cache/",
        "vendor/repo/",
        "zz/",
    ];
    let names = [
        "main.rs",
        "lib.rs",
        "util.py",
        "index.js",
        "README.md",
        "Makefile",
        "data.json",
        "a b.txt",
        ".env",
        "keep.log",
        "x.log",
        "UPPER.RS",
    ];
    for folder in folders {
        for name in names {
            if numbers.below(4) == 0 {
                continue;
            }
            let lines = numbers.below(30);
            let end = numbers.one(&["\n", "\n", "\n", "\r\n"]);
            let mut text = String::new();
            for _ in 0..lines {
                let count = numbers.below(6);
                text.push_str(&words(numbers, count));
                text.push_str(end);
            }
            if numbers.below(5) == 0 {
                text.push_str("no end alpha");
            }
            if numbers.below(12) == 0 {
                text.extend([
                    "
",
                    &"long ".repeat(200),
                    "alpha ",
                    &"line ".repeat(200),
                    "
",
                ]);
            }
            tree.file(&format!("{folder}{name}"), text);
        }
    }
    tree.file("src/binary.rs", "fn alpha\n\0\nfn Beta\n");
    tree.file(
        "docs/late.md",
        format!("alpha\n{}\0\nalpha\n", "filler line\n".repeat(9_000)),
    );
    tree.file(
        "src/utf16.rs",
        [0xFF, 0xFE]
            .into_iter()
            .chain("fn alpha\nBeta\n".encode_utf16().flat_map(u16::to_le_bytes))
            .collect::<Vec<u8>>(),
    );
    tree.file("src/latin.rs", b"fn gr\xF6\xDFe alpha\nfn\n");
    tree.file("zz/empty.rs", "");
    tree.file(".gitignore", "target/\n*.log\n!keep.log\n/docs/*.md\n");
    tree.file(".ignore", "*.json\n");
    tree.file("src/.gitignore", "lib.rs\n!x.log\n");
    tree.file("src/deep/.rgignore", "!data.json\nmain.rs\n");
    tree.file("vendor/repo/.gitignore", "*.py\n");
    std::fs::create_dir(tree.root.join("vendor/repo/.git")).unwrap();
    tree
}

/// A request, and the flags that say the same to ripgrep.
fn query(tree: &Tree, numbers: &mut Numbers) -> (GrepRequest, Vec<String>) {
    const LINES: [&str; 14] = [
        "alpha",
        "fn",
        "^fn",
        "end$",
        "a.b",
        r"\bbar\b",
        "größe",
        "[A-Z]{2,}",
        r"foo\(",
        "(TODO|Beta)",
        r"\d",
        "^$",
        r"\s+\{",
        "zzz_not_there",
    ];
    const SPANS: [&str; 6] = [
        r"fn.*\n.*end",
        r"/\* open.*?close \*/",
        r"\}\n",
        "alpha",
        r"(?s)struct.{1,40}end",
        r"^\n",
    ];
    let mut request = GrepRequest {
        head_limit: 0,
        scope: tree.scope(),
        ..GrepRequest::new("")
    };
    let mut flags: Vec<String> = Vec::new();
    let mut flag = |text: &[&str]| flags.extend(text.iter().map(ToString::to_string));
    request.multiline = numbers.below(4) == 0;
    let pattern = if request.multiline {
        numbers.one(&SPANS)
    } else {
        numbers.one(&LINES)
    };
    pattern.clone_into(&mut request.pattern);
    if request.multiline {
        flag(&["-U", "--multiline-dotall"]);
    }
    request.mode = numbers.one(&[
        OutputMode::Content,
        OutputMode::Content,
        OutputMode::FilesWithMatches,
        OutputMode::Count,
    ]);
    match request.mode {
        OutputMode::Content => {}
        OutputMode::FilesWithMatches => flag(&["-l"]),
        OutputMode::Count => flag(&["-c"]),
    }
    request.ignore_case = numbers.below(3) == 0;
    if request.ignore_case {
        flag(&["-i"]);
    }
    request.line_numbers = numbers.below(4) > 0;
    flag(&[if request.line_numbers { "-n" } else { "-N" }]);
    for (option, slot) in [
        ("-A", &mut request.after),
        ("-B", &mut request.before),
        ("-C", &mut request.context),
    ] {
        if numbers.below(4) == 0 {
            let lines = numbers.below(4);
            *slot = Some(lines);
            flag(&[option, &lines.to_string()]);
        }
    }
    if numbers.below(3) == 0 {
        let glob = numbers.one(&[
            "*.rs",
            "!*.rs",
            "src/**",
            "**/deep/**/*.py",
            "*.{js,md}",
            "/*.txt",
            "docs",
            ".env",
            "*.log",
            "src/*.rs",
        ]);
        request.glob = Some(glob.to_owned());
        flag(&["-g", glob]);
    }
    if numbers.below(4) == 0 {
        let name = numbers.one(&["rust", "py", "js", "md", "json", "make"]);
        request.file_type = Some(name.to_owned());
        flag(&["-t", name]);
    }
    request.scope.hidden = numbers.below(4) == 0;
    if request.scope.hidden {
        flag(&["--hidden"]);
    }
    request.scope.ignore_files = numbers.below(4) > 0;
    if !request.scope.ignore_files {
        flag(&["--no-ignore"]);
    }
    flag(&["--", &request.pattern]);
    (request, flags)
}

#[test]
fn two_hundred_queries_find_the_same() {
    if !have_rg() {
        return;
    }
    let mut numbers = Numbers(0x9E37_79B9_7F4A_7C15);
    let mut with_results = 0;
    for round in 0..4 {
        let tree = tree(&mut numbers);
        for _ in 0..50 {
            let (request, flags) = query(&tree, &mut numbers);
            let output = rg()
                .args([
                    "--no-config",
                    "--no-ignore-global",
                    "--color=never",
                    "--no-heading",
                    "-H",
                    "--sort=path",
                    "--max-columns=500",
                ])
                .args(&flags)
                .current_dir(&tree.root)
                .output()
                .unwrap();
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(
                said.is_empty() || said.starts_with("rg: No files were searched"),
                "{flags:?}: {said}"
            );
            let theirs = String::from_utf8_lossy(&output.stdout).replace("./", "");
            let answer = grep(&request, &tree.root, &|_| true, &AtomicBool::new(false)).unwrap();
            let (ours, theirs) = match answer.found {
                Found::Content(text) => (text, theirs),
                Found::Counts(counts) => (
                    counts
                        .into_iter()
                        .map(|(path, count)| format!("{path}:{count}"))
                        .collect::<Vec<_>>()
                        .join("\n"),
                    theirs.trim_end().to_owned(),
                ),
                Found::Files(mut files) => {
                    files.sort();
                    let mut lines: Vec<&str> = theirs.lines().collect();
                    lines.sort_unstable();
                    (files.join("\n"), lines.join("\n"))
                }
            };
            with_results += usize::from(!theirs.is_empty());
            assert_eq!(ours, theirs, "round {round}: rg {flags:?}");
        }
    }
    assert!(with_results > 100, "only {with_results} queries found something");
}

#[test]
fn names_are_found_as_ripgrep_finds_them() {
    if !have_rg() {
        return;
    }
    let mut numbers = Numbers(7);
    let tree = tree(&mut numbers);
    let patterns = [
        "*.rs",
        "**/*.rs",
        "src/**",
        "src/**/*.py",
        "*.{js,md}",
        "/README.md",
        "docs/*",
        "!*.rs",
        ".env",
        "[mM]a*",
        "**/deep/**",
        "*.log",
        "u???.py",
    ];
    for (hidden, ignore_files) in [(false, true), (true, true), (false, false), (true, false)] {
        for pattern in patterns {
            let mut command = rg();
            command
                .args(["--no-config", "--no-ignore-global", "--files", "-g", pattern])
                .current_dir(&tree.root);
            command
                .args(hidden.then_some("--hidden"))
                .args((!ignore_files).then_some("--no-ignore"));
            let output = String::from_utf8(command.output().unwrap().stdout).unwrap();
            let mut theirs: Vec<&str> = output.lines().collect();
            theirs.sort_unstable();
            let scope = Scope {
                hidden,
                ignore_files,
                ..tree.scope()
            };
            let request = engine_runtime::search::GlobRequest {
                limit: 10_000,
                scope,
                ..engine_runtime::search::GlobRequest::new(pattern)
            };
            let mut ours =
                engine_runtime::search::glob(&request, &tree.root, &|_| true, &AtomicBool::new(false))
                    .unwrap()
                    .files;
            ours.sort();
            assert_eq!(
                ours, theirs,
                "{pattern}, hidden {hidden}, ignore files {ignore_files}"
            );
        }
    }
}

#[test]
fn what_a_repository_excludes_is_left_out() {
    let tree = Tree::new();
    tree.file(".git/info/exclude", "b\n")
        .file("a", "x\n")
        .file("b", "x\n")
        .file("inner/b", "x\n")
        .file("inner/.git", "gitdir: elsewhere\n");
    let answer = tree.grep(&GrepRequest {
        mode: OutputMode::Count,
        ..tree.request("x")
    });
    assert_eq!(
        answer.text(),
        "a:1\ninner/b:1\n\nFound 2 total occurrences across 2 files."
    );
    if have_rg() {
        let output = rg()
            .args(["--no-config", "--no-ignore-global", "-c", "--sort=path", "x"])
            .current_dir(&tree.root)
            .output()
            .unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stdout), "a:1\ninner/b:1\n");
    }
}
