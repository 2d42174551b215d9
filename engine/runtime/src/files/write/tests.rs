//! Tests of writing.

use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::PathBuf;

use super::{plan_write, write};
use crate::files::change::{Change, Made};
use crate::files::error::FileError;
use crate::files::place::Decided;
use crate::files::read::{ReadOptions, View, read};
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

    fn place(&self, name: &str) -> Decided {
        Decided::new(self.path(name)).unwrap()
    }

    fn view(&self) -> View<'_> {
        View {
            seen: &self.seen,
            visible: &|_| true,
        }
    }

    fn read(&mut self, name: &str) {
        let answer = read(&self.place(name), &ReadOptions::default(), &self.view()).unwrap();
        self.seen.note(answer.noted.unwrap());
    }

    fn known(&mut self, name: &str, content: impl AsRef<[u8]>) {
        std::fs::write(self.path(name), content).unwrap();
        self.read(name);
    }

    fn write(&mut self, name: &str, content: &str) -> Result<Change, FileError> {
        let change = write(&self.place(name), content, &self.view())?;
        self.seen.note(change.noted.clone());
        Ok(change)
    }

    fn bytes(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap()
    }

    fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = std::fs::read_dir(self.folder.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }
}

#[test]
fn a_new_file_is_made_with_its_folders() {
    let mut case = Case::new();
    let change = case.write("a/b/c.txt", "hello\n").unwrap();
    assert_eq!(change.made, Made::Created);
    assert!(
        change.diff.ends_with("@@ -0,0 +1 @@\n+hello\n"),
        "{}",
        change.diff
    );
    assert_eq!(case.bytes("a/b/c.txt"), b"hello\n");
    let again = case.write("a/b/c.txt", "bye\n").unwrap();
    assert_eq!(again.made, Made::Changed);
    assert_eq!(case.bytes("a/b/c.txt"), b"bye\n");
    assert_eq!(case.names(), ["a"]);
}

#[test]
fn a_file_that_was_not_read_is_not_overwritten() {
    let mut case = Case::new();
    std::fs::write(case.path("a"), "theirs").unwrap();
    let error = case.write("a", "mine").unwrap_err().to_string();
    assert!(
        error.ends_with("has not been read in this session; read it first, then overwrite it"),
        "{error}"
    );
    case.read("a");
    std::fs::write(case.path("a"), "newer!").unwrap();
    assert!(matches!(case.write("a", "mine"), Err(FileError::Changed { .. })));
    assert_eq!(case.bytes("a"), b"newer!");
}

#[test]
fn a_change_with_the_same_size_and_time_is_noticed() {
    let mut case = Case::new();
    case.known("a", "one");
    let time = std::fs::metadata(case.path("a")).unwrap().modified().unwrap();
    std::fs::write(case.path("a"), "two").unwrap();
    std::fs::File::options()
        .write(true)
        .open(case.path("a"))
        .unwrap()
        .set_modified(time)
        .unwrap();
    assert!(matches!(case.write("a", "mine"), Err(FileError::Changed { .. })));
}

#[test]
fn a_change_between_plan_and_writing_is_noticed() {
    let mut case = Case::new();
    case.known("a", "one");
    let plan = plan_write(&case.place("a"), "mine", &case.view()).unwrap();
    assert_eq!(plan.text(), "mine");
    std::fs::write(case.path("a"), "theirs").unwrap();
    assert!(matches!(plan.carry_out(), Err(FileError::Changed { .. })));
    assert_eq!(case.bytes("a"), b"theirs");

    let plan = plan_write(&case.place("b"), "mine", &case.view()).unwrap();
    std::fs::write(case.path("b"), "theirs").unwrap();
    assert!(matches!(plan.carry_out(), Err(FileError::Changed { .. })));
    assert_eq!(case.bytes("b"), b"theirs");
    assert_eq!(case.names(), ["a", "b"]);
}

#[test]
fn mode_and_attributes_are_kept() {
    let mut case = Case::new();
    case.known("a", "one");
    std::fs::set_permissions(case.path("a"), std::fs::Permissions::from_mode(0o4751)).unwrap();
    let flags = rustix::fs::XattrFlags::empty();
    let attributes = rustix::fs::setxattr(case.path("a"), "user.note", b"kept", flags).is_ok();
    case.write("a", "two").unwrap();
    // As with any write, the right to run as the owner goes.
    assert_eq!(std::fs::metadata(case.path("a")).unwrap().mode() & 0o7777, 0o751);
    if attributes {
        let mut value = [0_u8; 16];
        let length = rustix::fs::getxattr(case.path("a"), "user.note", &mut value).unwrap();
        assert_eq!(&value[..length], b"kept");
    } else {
        eprintln!("skipped: this file system has no attributes of users");
    }
}

#[test]
fn the_owner_is_kept() {
    let mut case = Case::new();
    case.known("a", "one");
    if std::os::unix::fs::chown(case.path("a"), Some(1234), Some(4321)).is_err() {
        eprintln!("skipped: only root may give files away");
        return;
    }
    case.write("a", "two").unwrap();
    let there = std::fs::metadata(case.path("a")).unwrap();
    assert_eq!((there.uid(), there.gid()), (1234, 4321));
}

#[test]
fn encoding_mark_and_line_endings_are_kept() {
    let mut case = Case::new();
    for (name, before, content, after) in [
        (
            "crlf",
            b"a\r\nb\r\n".as_slice(),
            "x\ny\n",
            b"x\r\ny\r\n".as_slice(),
        ),
        ("lf", b"a\nb\n", "x\ny\n", b"x\ny\n"),
        ("mixed", b"a\r\nb\n", "x\ny\r\n", b"x\ny\r\n"),
        (
            "marked",
            b"\xef\xbb\xbfa\n",
            "\u{e9}\n",
            b"\xef\xbb\xbf\xc3\xa9\n",
        ),
        (
            "marked twice",
            b"\xef\xbb\xbfa\n",
            "\u{feff}b\n",
            b"\xef\xbb\xbfb\n",
        ),
        (
            "little",
            b"\xff\xfea\0\r\0\n\0",
            "\u{e9}\n",
            b"\xff\xfe\xe9\0\r\0\n\0",
        ),
        ("big", b"\xfe\xff\0a", "\u{20ac}", b"\xfe\xff\x20\xac"),
        ("latin-1", b"\xe9", "\u{e8}", b"\xe8"),
        ("image", b"\x89PNG\r\n\x1a\n\0", "\u{e8}\n", "\u{e8}\n".as_bytes()),
    ] {
        std::fs::write(case.path(name), before).unwrap();
        let noted = crate::files::seen::Noted::written(
            &case.place(name),
            crate::files::seen::ContentHash::of(before),
        );
        case.seen.note(noted);
        case.write(name, content).unwrap();
        assert_eq!(case.bytes(name), after, "{name}");
    }
}

#[test]
fn a_character_that_the_encoding_lacks_is_an_error() {
    let mut case = Case::new();
    case.known("a", b"caf\xe9");
    let error = case.write("a", "5 €").unwrap_err().to_string();
    assert!(
        error.contains("is written in Latin-1, which has no `€`"),
        "{error}"
    );
    assert_eq!(case.bytes("a"), b"caf\xe9");
}

#[test]
fn a_name_as_long_as_names_may_be_is_written() {
    let mut case = Case::new();
    let name = "n".repeat(255);
    case.write(&name, "x").unwrap();
    case.write(&name, "y").unwrap();
    assert_eq!(case.bytes(&name), b"y");
}

#[test]
fn a_folder_is_not_a_file() {
    let mut case = Case::new();
    std::fs::create_dir(case.path("d")).unwrap();
    assert!(matches!(case.write("d", "x"), Err(FileError::Directory { .. })));
    std::fs::write(case.path("f"), "").unwrap();
    assert!(matches!(
        case.write("f/x", "x"),
        Err(FileError::NotAFolder { .. })
    ));
}

#[test]
fn other_names_of_a_file_keep_the_old_content() {
    let mut case = Case::new();
    case.known("a", "one");
    std::fs::hard_link(case.path("a"), case.path("b")).unwrap();
    case.read("a");
    case.write("a", "two").unwrap();
    assert_eq!(case.bytes("b"), b"one");
}
