//! Tests of reading text.

use std::io::{Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use super::{Content, ReadAnswer, ReadOptions, View, read, read_within};
use crate::files::error::FileError;
use crate::files::lines::TextPage;
use crate::files::place::Decided;
use crate::files::seen::Seen;

struct Case {
    folder: tempfile::TempDir,
    seen: Seen,
}

impl Case {
    fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
            seen: Seen::default(),
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn file(&self, name: &str, content: impl AsRef<[u8]>) {
        std::fs::write(self.path(name), content).unwrap();
    }

    fn read(&mut self, name: &str, offset: Option<u64>, limit: Option<u64>) -> Result<Content, FileError> {
        let options = ReadOptions {
            offset,
            limit,
            pages: None,
        };
        let place = Decided::new(self.path(name)).unwrap();
        let ReadAnswer { content, noted } = read(
            &place,
            &options,
            &View {
                seen: &self.seen,
                visible: &|_| true,
            },
        )?;
        if let Some(noted) = noted {
            self.seen.note(noted);
        }
        Ok(content)
    }

    fn page(&mut self, name: &str, offset: Option<u64>, limit: Option<u64>) -> TextPage {
        let Content::Text(page) = self.read(name, offset, limit).unwrap() else {
            panic!("it is text")
        };
        page
    }
}

fn numbered(lines: std::ops::RangeInclusive<u32>) -> String {
    lines
        .flat_map(|line| ["line ".to_owned(), line.to_string(), "\n".to_owned()])
        .collect()
}

#[test]
fn text_is_numbered_from_one() {
    let mut case = Case::new();
    case.file("a", "one\ntwo\n\nfour");
    assert_eq!(
        case.page("a", None, None).text,
        "     1\tone\n     2\ttwo\n     3\t\n     4\tfour\n"
    );
}

#[test]
fn a_range_is_shown_with_its_numbers_and_the_way_on() {
    let mut case = Case::new();
    case.file("a", numbered(1..=10));
    let page = case.page("a", Some(4), Some(2));
    assert_eq!(
        page.text,
        "     4\tline 4\n     5\tline 5\n\n[lines 4 to 5 of 10 are shown; read on with offset 6]\n"
    );
    assert_eq!(
        case.page("a", Some(9), Some(2)).text,
        "     9\tline 9\n    10\tline 10\n"
    );
    assert_eq!(case.page("a", Some(0), Some(1)).first, 1);
}

#[test]
fn a_long_file_is_shown_to_line_2000() {
    let mut case = Case::new();
    case.file("a", numbered(1..=2001));
    let page = case.page("a", None, None);
    assert_eq!((page.lines, page.total), (2000, Some(2001)));
    assert!(
        page.text
            .ends_with("[lines 1 to 2000 of 2001 are shown; read on with offset 2001]\n")
    );
    assert_eq!(case.page("a", Some(2001), None).text, "  2001\tline 2001\n");
}

#[test]
fn an_offset_behind_the_end_says_where_the_end_is() {
    let mut case = Case::new();
    case.file("a", "one\ntwo\n");
    let error = case.read("a", Some(3), None).unwrap_err().to_string();
    assert!(
        error.ends_with("has 2 lines, so there is nothing at offset 3; give a smaller offset"),
        "{error}"
    );
}

#[test]
fn an_empty_file_is_said_to_be_empty() {
    let mut case = Case::new();
    case.file("a", "");
    assert!(case.page("a", None, None).text.contains("exists and is empty"));
}

#[test]
fn encodings_are_decoded_and_carriage_returns_kept() {
    let mut case = Case::new();
    for (name, bytes) in [
        ("utf-8", "é\r\nx".as_bytes()),
        ("marked", b"\xef\xbb\xbf\xc3\xa9\r\nx"),
        ("little", b"\xff\xfe\xe9\0\r\0\n\0x\0"),
        ("big", b"\xfe\xff\0\xe9\0\r\0\n\0x"),
        ("latin-1", b"\xe9\r\nx"),
    ] {
        case.file(name, bytes);
        assert_eq!(
            case.page(name, None, None).text,
            "     1\té\r\n     2\tx\n",
            "{name}"
        );
    }
}

#[test]
fn a_second_reading_of_the_same_is_one_line() {
    let mut case = Case::new();
    case.file("a", numbered(1..=20));
    case.page("a", None, None);
    assert!(
        matches!(case.read("a", None, None).unwrap(), Content::Unchanged(line) if line.contains("is unchanged") && line.lines().count() == 1)
    );
    case.page("a", Some(2), None);
    assert!(matches!(
        case.read("a", None, None).unwrap(),
        Content::Unchanged(_)
    ));
    case.file("a", numbered(1..=21));
    assert_eq!(case.page("a", None, None).total, Some(21));
    case.seen.forget_shown();
    assert_eq!(case.page("a", None, None).total, Some(21));
}

#[test]
fn binary_files_are_refused_with_a_hint() {
    let mut case = Case::new();
    case.file("a", b"\x7fELF\x02\x01\x01\0\0");
    let error = case.read("a", None, None).unwrap_err().to_string();
    assert!(error.ends_with("is a binary file (an ELF program or library) and cannot be shown as text; look at it with `file`, `nm` or `strings`"), "{error}");
}

#[test]
fn pages_are_for_documents() {
    let case = Case::new();
    case.file("a", "text");
    let options = ReadOptions {
        pages: Some("1".to_owned()),
        ..ReadOptions::default()
    };
    let error = read(
        &Decided::new(case.path("a")).unwrap(),
        &options,
        &View {
            seen: &case.seen,
            visible: &|_| true,
        },
    )
    .unwrap_err();
    assert!(matches!(error, FileError::NoPages { .. }));
}

#[test]
fn a_file_without_a_size_is_read_to_its_end() {
    let options = ReadOptions::default();
    let place = Decided::new(
        Path::new("/proc")
            .join(std::process::id().to_string())
            .join("status"),
    )
    .unwrap();
    let answer = read(
        &place,
        &options,
        &View {
            seen: &Seen::default(),
            visible: &|_| true,
        },
    )
    .unwrap();
    assert!(matches!(answer.content, Content::Text(page) if page.text.contains("VmPeak")));
}

#[test]
fn a_large_file_is_read_by_range_alone() {
    let mut case = Case::new();
    std::fs::File::create(case.path("large"))
        .unwrap()
        .set_len(super::MAX_WHOLE_BYTES + 1)
        .unwrap();
    let error = case.read("large", None, None).unwrap_err().to_string();
    assert!(
        error
            .ends_with("is over 100 MB; read a part of it with `offset` and `limit`, or search it with Grep"),
        "{error}"
    );
}

#[test]
fn a_stream_shows_what_the_whole_file_would() {
    let case = Case::new();
    let long = "0123456789abcdef".repeat(8_000);
    let lines = format!("first\n{long}\n\ncaf\u{e9}\r\n{}last", "middle\n".repeat(20_000));
    case.file("ends with a line feed", format!("{lines}\n"));
    case.file("does not", &lines);
    let place = |name: &str| Decided::new(case.path(name)).unwrap();
    for name in ["ends with a line feed", "does not"] {
        for (offset, limit) in [
            (1, 1),
            (1, 4),
            (2, 1),
            (2, 3),
            (4, 1),
            (5, 3000),
            (20_004, 1),
            (20_004, 2),
            (20_005, 1),
            (20_005, 9),
            (20_006, 1),
        ] {
            let options = ReadOptions {
                offset: Some(offset),
                limit: Some(limit),
                pages: None,
            };
            let view = View {
                seen: &case.seen,
                visible: &|_| true,
            };
            let whole = read(&place(name), &options, &view)
                .map(|answer| answer.content)
                .map_err(|error| error.to_string());
            // Small enough that the start alone is over it.
            let stream = read_within(&place(name), &options, &view, 100_000)
                .map(|answer| answer.content)
                .map_err(|error| error.to_string());
            assert_eq!(stream, whole, "{name}, {offset}, {limit}");
        }
    }
}

#[test]
fn a_stream_is_known_to_the_session_as_well() {
    let mut case = Case::new();
    case.file("a", "line\n".repeat(50_000));
    let options = ReadOptions {
        offset: Some(7),
        limit: Some(1),
        pages: None,
    };
    let place = Decided::new(case.path("a")).unwrap();
    let answer = read_within(
        &place,
        &options,
        &View {
            seen: &case.seen,
            visible: &|_| true,
        },
        100_000,
    )
    .unwrap();
    case.seen.note(answer.noted.unwrap());
    assert!(matches!(
        case.read("a", Some(7), Some(1)).unwrap(),
        Content::Unchanged(_)
    ));
}

#[test]
fn a_sparse_file_is_not_gone_through_for_ever() {
    let mut case = Case::new();
    let mut file = std::fs::File::create(case.path("sparse")).unwrap();
    file.write_all(&b"text\n".repeat(20_000)).unwrap();
    file.seek(SeekFrom::Start(8 << 40)).unwrap();
    file.write_all(b"end\n").unwrap();
    // What is wanted is at the start, so the rest is not looked at.
    let page = case.page("sparse", Some(1), Some(3));
    assert_eq!((page.lines, page.total), (3, None));
    assert!(
        page.text
            .ends_with("[lines 1 to 3 are shown; read on with offset 4]\n"),
        "{}",
        page.text
    );
}
