//! Tests of opening: links, kinds of files, and a folder that is swapped for a link again and again.

use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use super::{Opened, open_file, without_whole_paths};
use crate::files::error::{FileError, SpecialKind};
use crate::files::place::Decided;
use crate::files::{ReadOptions, Seen, View, read, write};

fn open(path: &Path) -> Result<Opened, FileError> {
    open_file(&Decided::new(path).unwrap())
}

/// As the system does it, and as one does it that cannot refuse links for a whole path.
fn both_ways(check: impl Fn()) {
    check();
    without_whole_paths(check);
}

#[test]
fn a_link_anywhere_on_the_path_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    std::fs::create_dir_all(at("real/deep")).unwrap();
    std::fs::write(at("real/deep/file"), "x").unwrap();
    symlink("file", at("real/deep/last")).unwrap();
    symlink("real", at("first")).unwrap();
    symlink("deep", at("real/middle")).unwrap();
    symlink("nowhere", at("real/deep/dangling")).unwrap();
    both_ways(|| {
        assert!(open(&at("real/deep/file")).is_ok());
        for path in [
            "real/deep/last",
            "first/deep/file",
            "real/middle/file",
            "real/deep/dangling",
        ] {
            let answer = open(&at(path));
            assert!(
                matches!(answer, Err(FileError::Linked { .. })),
                "{path}: {answer:?}"
            );
        }
    });
}

#[test]
fn what_is_missing_is_told_from_what_cannot_be() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("file"), "x").unwrap();
    both_ways(|| {
        assert!(matches!(
            open(&folder.path().join("none")),
            Err(FileError::Missing(_))
        ));
        assert!(matches!(
            open(&folder.path().join("none/none")),
            Err(FileError::Missing(_))
        ));
        assert!(matches!(
            open(&folder.path().join("file/none")),
            Err(FileError::NotAFolder { .. })
        ));
        assert!(matches!(open(folder.path()), Err(FileError::Directory { .. })));
    });
}

#[test]
fn devices_pipes_and_sockets_are_refused_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe");
    rustix::fs::mknodat(
        rustix::fs::CWD,
        &pipe,
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::from_raw_mode(0o600),
        0,
    )
    .unwrap();
    let socket = folder.path().join("socket");
    let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
    let refused = |path: &Path, kind: SpecialKind| {
        let answer = open(path);
        assert!(
            matches!(answer, Err(FileError::Special { what, .. }) if what == kind),
            "{}: {answer:?}",
            path.display()
        );
        let written = write(
            &Decided::new(path).unwrap(),
            "x",
            &View {
                seen: &Seen::default(),
                visible: &|_| true,
            },
        );
        assert!(
            matches!(written, Err(FileError::Special { what, .. }) if what == kind),
            "{}: {written:?}",
            path.display()
        );
    };
    both_ways(|| {
        refused(&pipe, SpecialKind::Fifo);
        refused(&socket, SpecialKind::Socket);
        for name in ["zero", "random", "urandom", "full", "tty", "null"] {
            refused(&Path::new("/dev").join(name), SpecialKind::Device);
        }
        for name in [
            "/proc/self/fd/0",
            "/proc/self/fd/1",
            "/proc/thread-self/fd/2",
            "/proc/1/fd/0",
        ] {
            // The parts in front are links themselves, and refused as such where they are looked at first.
            let answer = open(Path::new(name));
            assert!(
                matches!(
                    answer,
                    Err(FileError::Special {
                        what: SpecialKind::Descriptor,
                        ..
                    } | FileError::Linked { .. })
                ),
                "{name}: {answer:?}"
            );
        }
        for name in ["stdin", "stdout", "stderr", "fd/0", "fd/1", "fd/2"] {
            let answer = open(&Path::new("/dev").join(name));
            assert!(
                matches!(answer, Err(FileError::Special { .. } | FileError::Linked { .. })),
                "{name}: {answer:?}"
            );
        }
    });
}

#[test]
fn a_link_to_a_device_is_not_followed() {
    let folder = tempfile::tempdir().unwrap();
    let link = folder.path().join("innocent.txt");
    symlink("/dev/zero", &link).unwrap();
    assert!(matches!(open(&link), Err(FileError::Linked { .. })));
}

/// Swaps `inside` between a folder and a link to a folder outside, as fast as it goes, while `work` runs.
fn while_swapped(work: impl Fn(&Decided, &Path)) {
    const SWAPS: u32 = 100_000;
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    for name in ["inside/sub", "outside/sub"] {
        std::fs::create_dir_all(at(name)).unwrap();
    }
    std::fs::write(at("inside/sub/file"), "inside").unwrap();
    std::fs::write(at("outside/sub/file"), "outside").unwrap();
    symlink(at("outside"), at("link")).unwrap();
    let done = AtomicBool::new(false);
    let place = Decided::new(at("inside/sub/file")).unwrap();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            // An exchange is one step, so at each moment there is either the folder or the link.
            for _ in 0..SWAPS {
                rustix::fs::renameat_with(
                    rustix::fs::CWD,
                    at("inside"),
                    rustix::fs::CWD,
                    at("link"),
                    rustix::fs::RenameFlags::EXCHANGE,
                )
                .unwrap();
            }
            done.store(true, Ordering::Release);
        });
        while !done.load(Ordering::Acquire) {
            work(&place, &at("outside/sub"));
        }
    });
    let outside: Vec<_> = std::fs::read_dir(at("outside/sub"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(outside, ["file"], "something was left outside");
    assert_eq!(
        std::fs::read_to_string(at("outside/sub/file")).unwrap(),
        "outside"
    );
}

fn reads_and_writes(place: &Decided, outside: &Path) {
    let mut seen = Seen::default();
    let answer = read(
        place,
        &ReadOptions::default(),
        &View {
            seen: &seen,
            visible: &|_| true,
        },
    );
    if let Ok(answer) = answer {
        let text = format!("{:?}", answer.content);
        assert!(!text.contains("outside"), "{text}");
        seen.note(answer.noted.unwrap());
        let _ = write(
            place,
            "inside, written",
            &View {
                seen: &seen,
                visible: &|_| true,
            },
        );
    }
    let fresh = Decided::new(place.as_path().with_file_name("made").join("new")).unwrap();
    let _ = write(
        &fresh,
        "new",
        &View {
            seen: &seen,
            visible: &|_| true,
        },
    );
    assert!(!outside.join("made").exists());
    if let Some(parent) = fresh.as_path().parent() {
        // Only the folder inside can hold it; through the link this would fail on the assertion above first.
        let _ = std::fs::remove_dir_all(parent);
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_folder_that_is_swapped_for_a_link_never_leads_outside() {
    while_swapped(reads_and_writes);
}

#[test]
#[cfg(target_os = "linux")]
fn nor_does_it_where_each_part_is_opened_by_itself() {
    while_swapped(|place, outside| without_whole_paths(|| reads_and_writes(place, outside)));
}
