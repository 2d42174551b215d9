//! Runs every file of `fixtures/policies`.
//!
//! With `UPDATE_FIXTURES` set, the expectations of `err` are written instead of compared; the change is for review.
#![expect(clippy::expect_used, reason = "helpers of tests fail as tests do")]

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use engine_policy::read::{Format, read};
use engine_policy::{Diagnostic, Document, Level, Sources};

fn files(folder: &str) -> Vec<(PathBuf, Format)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../fixtures/policies")
        .join(folder);
    let mut files: Vec<(PathBuf, Format)> = fs::read_dir(&folder)
        .expect("the folder")
        .map(|entry| entry.expect("an entry").path())
        .filter_map(|path| Some((path.clone(), Format::of_name(path.to_str()?)?)))
        .collect();
    files.sort_by(|a, b| a.0.cmp(&b.0));
    files
}

fn load(path: &Path, format: Format) -> (Option<Document>, String) {
    let text = fs::read_to_string(path).expect("the file");
    let mut sources = Sources::new();
    let (document, diagnostics) = read(&path.to_string_lossy(), &text, format, &mut sources);
    (document, listing(&diagnostics, &sources))
}

/// One line for each diagnostic: level, code, place.
fn listing(diagnostics: &[Diagnostic], sources: &Sources) -> String {
    let mut out = String::new();
    for diagnostic in diagnostics {
        let level = match diagnostic.level {
            Level::Warning => "warning",
            Level::Note => "note",
            Level::Error => "error",
        };
        let at = sources.line_column(diagnostic.place().expect("a place"));
        writeln!(out, "{level} {} {}:{}", diagnostic.code, at.line, at.column).expect("a line");
    }
    out
}

#[test]
fn good_files_are_read_without_a_diagnostic() {
    let files = files("ok");
    assert!(files.len() >= 5);
    for (path, format) in files {
        let (document, listing) = load(&path, format);
        assert_eq!(listing, "", "{}", path.display());
        assert!(document.is_some(), "{}", path.display());
    }
}

#[test]
fn twins_say_the_same() {
    let mut twins = 0;
    for (path, format) in files("ok") {
        let twin = path.with_extension("toml");
        if format == Format::Kdl && twin.exists() {
            assert_eq!(
                load(&path, format).0,
                load(&twin, Format::Toml).0,
                "{}",
                path.display()
            );
            twins += 1;
        }
    }
    assert!(twins >= 2);
}

#[test]
fn bad_files_get_every_diagnostic() {
    let files = files("err");
    assert!(files.len() >= 11);
    for (path, format) in files {
        let (document, listing) = load(&path, format);
        let mut expected = path.clone().into_os_string();
        expected.push(".expected");
        if std::env::var_os("UPDATE_FIXTURES").is_some() {
            fs::write(&expected, &listing).expect("written");
            continue;
        }
        let expected = fs::read_to_string(&expected).expect("an expectation beside each file");
        assert_eq!(listing, expected, "{}", path.display());
        assert_eq!(
            document.is_none(),
            listing.contains("error "),
            "{}",
            path.display()
        );
        assert!(!listing.is_empty(), "{}", path.display());
    }
}

/// Fenced blocks of one language in a page.
fn fenced<'t>(page: &'t str, language: &str) -> Vec<&'t str> {
    let open = format!("```{language}\n");
    page.split(open.as_str())
        .skip(1)
        .filter_map(|rest| rest.split("```").next())
        .collect()
}

#[test]
fn examples_of_the_manual_say_the_same_in_both_spellings() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/policy-language.md");
    let page = fs::read_to_string(path).expect("the manual");
    let (kdl, toml) = (fenced(&page, "kdl"), fenced(&page, "toml"));
    assert_eq!(kdl.len(), toml.len());
    assert!(kdl.len() >= 4);
    for (kdl, toml) in kdl.into_iter().zip(toml) {
        let mut sources = Sources::new();
        let (ours, found) = read("manual.kdl", kdl, Format::Kdl, &mut sources);
        assert_eq!(listing(&found, &sources), "", "{kdl}");
        let (theirs, found) = read("manual.toml", toml, Format::Toml, &mut sources);
        assert_eq!(listing(&found, &sources), "", "{toml}");
        assert!(ours.is_some());
        assert_eq!(ours, theirs);
    }
}
