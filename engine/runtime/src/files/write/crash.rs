//! Tests of what is left when a writer is killed, or the disk is full. Both run this test program again, as the writer.

use std::ffi::OsString;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use super::write;
use crate::files::edit::{EditRequest, Which, edit};
use crate::files::error::FileError;
use crate::files::place::Decided;
use crate::files::read::{ReadOptions, View, read};
use crate::files::seen::Seen;

/// Names the folder in which the writer works; without it the writer's tests do nothing.
const FOLDER: &str = "ENGINE_FILES_TEST_FOLDER";

fn folder() -> Option<PathBuf> {
    std::env::var_os(FOLDER).map(PathBuf::from)
}

#[expect(
    clippy::disallowed_methods,
    reason = "a writer that is killed has to be a process of its own"
)]
fn program(program: OsString) -> Command {
    let mut command = Command::new(program);
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

fn this_program(test: &str) -> [OsString; 5] {
    let itself = std::env::current_exe().unwrap().into_os_string();
    [
        itself,
        format!("files::write::crash::{test}").into(),
        "--exact".into(),
        "--ignored".into(),
        "--nocapture".into(),
    ]
}

fn known(place: &Decided, seen: &mut Seen) {
    let answer = read(
        place,
        &ReadOptions {
            limit: Some(1),
            ..ReadOptions::default()
        },
        &View {
            seen,
            visible: &|_| true,
        },
    )
    .unwrap();
    seen.note(answer.noted.unwrap());
}

/// The content of one size: a letter again and again, with its number of lines in front.
fn content(turn: usize) -> String {
    let lines = [1, 60, 700, 40][turn % 4];
    let letter = ["a", "b", "c", "d"][turn % 4];
    format!("{lines}\n{}", format!("{}\n", letter.repeat(40)).repeat(lines))
}

fn is_whole(text: &str) -> bool {
    (0..4).any(|turn| content(turn) == text)
}

#[test]
#[ignore = "the writer that another test kills"]
fn writes_for_ever() {
    let Some(folder) = folder() else { return };
    let place = Decided::new(folder.join("file")).unwrap();
    let mut seen = Seen::default();
    known(&place, &mut seen);
    std::fs::write(folder.join("started"), "").unwrap();
    // It goes on where the writer before it was killed, so that every size has its turn.
    let there = std::fs::read_to_string(place.as_path()).unwrap();
    let last = (0..4).find(|turn| content(*turn) == there).unwrap();
    for turn in last + 1.. {
        let change = write(
            &place,
            &content(turn),
            &View {
                seen: &seen,
                visible: &|_| true,
            },
        )
        .unwrap();
        seen.note(change.noted);
    }
}

#[test]
fn a_writer_that_is_killed_never_leaves_half_a_file() {
    const ROUNDS: u64 = 220;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    std::fs::write(&file, content(0)).unwrap();
    let [itself, arguments @ ..] = this_program("writes_for_ever");
    let mut sizes = std::collections::BTreeSet::new();
    for round in 0..ROUNDS {
        let _ = std::fs::remove_file(folder.path().join("started"));
        let mut writer = program(itself.clone())
            .args(&arguments)
            .env(FOLDER, folder.path())
            .spawn()
            .unwrap();
        while !folder.path().join("started").exists() {
            assert!(writer.try_wait().unwrap().is_none(), "the writer ended by itself");
            std::thread::sleep(Duration::from_micros(200));
        }
        // From nothing to some writes, in steps that do not repeat.
        std::thread::sleep(Duration::from_micros(round * 7919 % 50_000));
        writer.kill().unwrap();
        assert_eq!(writer.wait().unwrap().signal(), Some(9));
        let text = std::fs::read_to_string(&file).unwrap();
        assert!(is_whole(&text), "round {round}: {} bytes", text.len());
        sizes.insert(text.len());
        for entry in std::fs::read_dir(folder.path()).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            assert!(
                name == "file" || name == "started" || name.starts_with(".engine-"),
                "{name}"
            );
        }
    }
    assert!(sizes.len() == 4, "the writers hardly got to write: {sizes:?}");
}

#[test]
#[ignore = "works on the full disk that another test makes"]
fn writes_until_the_disk_is_full() {
    let Some(folder) = folder() else { return };
    let place = |name: &str| Decided::new(folder.join(name)).unwrap();
    let mut seen = Seen::default();
    let old = "old line\n".repeat(2000);
    std::fs::write(folder.join("file"), &old).unwrap();
    known(&place("file"), &mut seen);
    let view = View {
        seen: &seen,
        visible: &|_| true,
    };

    let large = "new line\n".repeat(100_000);
    let full = |answer: Result<_, FileError>| {
        let error = answer.map(|_: crate::files::Change| ()).unwrap_err();
        assert!(matches!(error, FileError::NoSpace { .. }), "{error}");
        assert!(error.to_string().contains("no space is left to write"), "{error}");
    };
    full(write(&place("file"), &large, &view));
    full(write(&place("new/file"), &large, &view));
    full(edit(
        &place("file"),
        &EditRequest {
            old_string: "old",
            new_string: &"longer ".repeat(20),
            which: Which::All,
        },
        &view,
    ));
    assert_eq!(std::fs::read_to_string(folder.join("file")).unwrap(), old);
    assert!(!folder.join("new/file").exists());
    for path in [folder.clone(), folder.join("new")] {
        let left: Vec<_> = std::fs::read_dir(path)
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect();
        assert!(
            left.iter().all(|name| name == "file" || name == "new"),
            "{left:?}"
        );
    }
    // What fits is still written.
    write(&place("file"), "small\n", &view).unwrap();
    println!("the full disk was met");
}

#[test]
fn a_full_disk_is_an_error_and_the_old_file_stays() {
    let folder = tempfile::tempdir().unwrap();
    let script = "mount -t tmpfs -o size=128k tmpfs \"$1\" || exit 77; shift; exec \"$@\"";
    let mut command = program("unshare".into());
    command
        .args(["-m", "sh", "-c", script, "sh"])
        .arg(folder.path())
        .args(this_program("writes_until_the_disk_is_full"));
    let output = match command.env(FOLDER, folder.path()).output() {
        Ok(output) => output,
        Err(error) => return skipped(&error.to_string()),
    };
    let said = format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    if output.status.code() == Some(77) || said.contains("unshare failed") {
        return skipped(&said);
    }
    assert!(
        output.status.success() && said.contains("the full disk was met"),
        "{said}"
    );
    assert!(
        !Path::new(&folder.path().join("file")).exists(),
        "the small disk was not the test's own"
    );
}

fn skipped(why: &str) {
    eprintln!(
        "SKIPPED: a full disk needs the right to mount one ({})",
        why.trim()
    );
}
