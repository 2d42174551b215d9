//! The log as a whole: chained, serialised, safe to be killed, the person's own.

use std::fs::{self, OpenOptions, Permissions};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;
use std::time::Duration;

use serde_json::{Value as Json, json};

use super::{
    AuditError, GENESIS, Kind, Log, MAX_LINE_BYTES, Reason, Record, Verified, Verifier, files_of, redact,
    unseal, view,
};

fn decision(call: &str) -> Record {
    Record {
        kind: Kind::Decision,
        client: "claude-code".to_owned(),
        tool: "Bash".to_owned(),
        call: call.to_owned(),
        cwd: "/project".to_owned(),
        input: Some(json!({ "command": "git status" })),
        verdict: Some("allow"),
        ..Record::default()
    }
}

fn log() -> (tempfile::TempDir, Log) {
    let directory = tempfile::tempdir().unwrap();
    let log = Log::anywhere(&directory.path().join("audit"));
    (directory, log)
}

fn text(directory: &tempfile::TempDir) -> String {
    fs::read_to_string(directory.path().join("audit/audit.jsonl")).unwrap()
}

fn verify(directory: &Path) -> Verified {
    verify_expecting(directory, None)
}

fn verify_expecting(directory: &Path, hash: Option<String>) -> Verified {
    let mut verifier = Verifier::expecting(hash);
    for file in files_of(&directory.join("audit")).unwrap() {
        let bytes = fs::read(&file).unwrap();
        for (index, line) in bytes.split_inclusive(|byte| *byte == b'\n').enumerate() {
            verifier.line(&file.display().to_string(), index + 1, line);
        }
    }
    verifier.finish()
}

fn change(directory: &tempfile::TempDir, change: impl FnOnce(String) -> String) {
    let path = directory.path().join("audit/audit.jsonl");
    let text = change(fs::read_to_string(&path).unwrap());
    fs::write(path, text).unwrap();
}

/// A way to tamper with the text of a log.
type Change = fn(String) -> String;

#[test]
fn records_are_numbered_and_chained() {
    let (directory, log) = log();
    let first = log.append(&decision("a")).unwrap();
    let second = log.append(&decision("b")).unwrap();
    assert_eq!((first.seq, second.seq), (1, 2));
    let text = text(&directory);
    let lines: Vec<_> = text
        .lines()
        .map(|line| unseal(line.as_bytes()).unwrap())
        .collect();
    assert_eq!(lines[0].prev, GENESIS);
    assert_eq!(lines[1].prev, lines[0].hash);
    let whole = verify(directory.path());
    assert_eq!((whole.records, whole.first, whole.last), (2, 1, 2));
    assert_eq!(whole.hash, second.hash);
    assert_eq!((whole.problems, whole.torn), (vec![], vec![]));
}

#[test]
fn fields_stand_in_one_order() {
    let (directory, log) = log();
    log.append(&decision("a")).unwrap();
    let text = text(&directory);
    let at = |name: &str| {
        text.find(&format!("\"{name}\":"))
            .unwrap_or_else(|| panic!("{name}: {text}"))
    };
    let order = [
        "v", "seq", "id", "time", "kind", "client", "call", "tool", "cwd", "input", "verdict", "prev", "hash",
    ];
    assert!(order.is_sorted_by_key(|name| at(name)), "{text}");
}

#[test]
fn any_change_is_found() {
    let changes: [(&str, Change); 5] = [
        ("a value", |text| text.replacen("allow", "deny!", 1)),
        ("a line taken out", |text| {
            text.split_inclusive('\n')
                .enumerate()
                .filter(|(n, _)| *n != 1)
                .map(|(_, line)| line)
                .collect()
        }),
        ("lines exchanged", |text| {
            let mut lines: Vec<_> = text.split_inclusive('\n').collect();
            lines.swap(0, 1);
            lines.concat()
        }),
        ("a line added", |text| text.replacen('\n', "\n{\"v\":1}\n", 1)),
        ("a line twice", |text| {
            let first = text.split_inclusive('\n').next().unwrap().to_owned();
            first + &text
        }),
    ];
    for (name, spoil) in changes {
        let (directory, log) = log();
        for call in ["a", "b", "c"] {
            log.append(&decision(call)).unwrap();
        }
        change(&directory, spoil);
        assert_ne!(verify(directory.path()).problems, vec![], "{name}");
    }
}

#[test]
fn a_log_cut_off_is_told_by_a_hash_kept_elsewhere() {
    let (directory, log) = log();
    log.append(&decision("a")).unwrap();
    let second = log.append(&decision("b")).unwrap();
    assert_eq!(
        verify_expecting(directory.path(), Some(second.hash.clone())).problems,
        vec![]
    );
    change(&directory, |text| text.split_inclusive('\n').take(1).collect());
    assert_eq!(verify(directory.path()).problems, vec![]);
    assert_eq!(
        verify_expecting(directory.path(), Some(second.hash))
            .problems
            .len(),
        1
    );
}

#[test]
fn a_line_torn_at_any_byte_is_reported_and_continued() {
    let (directory, log) = log();
    log.append(&decision("a")).unwrap();
    let first = text(&directory);
    log.append(&decision("b")).unwrap();
    let both = text(&directory);
    for length in first.len()..both.len() {
        change(&directory, |_| both.get(..length).unwrap().to_owned());
        let before = verify(directory.path());
        assert_eq!(before.problems, vec![], "{length}");
        // Nothing of the second line, or all of it but its newline, is not torn.
        let torn = length > first.len() && length < both.len() - 1;
        assert_eq!(before.torn.len(), usize::from(torn), "{length}");
        log.append(&decision("c")).unwrap();
        let after = verify(directory.path());
        assert_eq!(after.problems, vec![], "{length}");
        assert_eq!(
            after.torn.iter().filter(|torn| torn.continued).count(),
            usize::from(torn),
            "{length}"
        );
        assert_eq!(
            after.records,
            if length == first.len() { 2 } else { 3 },
            "{length}"
        );
    }
}

#[test]
fn what_somebody_wrote_between_records_is_not_passed_off_as_torn() {
    let (directory, log) = log();
    log.append(&decision("a")).unwrap();
    change(&directory, |text| text + "{\"torn");
    log.append(&decision("b")).unwrap();
    assert_eq!(verify(directory.path()).problems, vec![]);
    change(&directory, |text| text.replace("{\"torn", "{\"other"));
    assert_eq!(verify(directory.path()).problems.len(), 1);
}

#[test]
fn a_full_file_is_put_aside_and_the_chain_goes_on() {
    let (directory, log) = log();
    let log = log.with_file_bytes(2_000);
    for count in 0..30 {
        log.append(&decision(&count.to_string())).unwrap();
    }
    let files = files_of(&directory.path().join("audit")).unwrap();
    assert!(files.len() > 3, "{files:?}");
    let whole = verify(directory.path());
    assert_eq!((whole.records, whole.problems), (30, vec![]));
    // The current file is gone between putting aside and beginning anew.
    fs::rename(
        files.last().unwrap(),
        directory.path().join("audit/audit.999998.jsonl"),
    )
    .unwrap();
    log.append(&decision("last")).unwrap();
    let whole = verify(directory.path());
    assert_eq!((whole.records, whole.problems), (31, vec![]));
    // Earlier files may be taken away.
    fs::remove_file(&files[0]).unwrap();
    let rest = verify(directory.path());
    assert_eq!(rest.problems, vec![]);
    assert!(rest.first > 1);
}

/// Something that befalls the directory of a log.
type Happening = fn(&Path);

#[test]
fn what_happens_to_the_files_between_two_records_counts() {
    let audit = |directory: &tempfile::TempDir| directory.path().join("audit");
    let changes: [(&str, Happening); 6] = [
        ("another writer", |audit| {
            Log::anywhere(audit).append(&decision("other")).unwrap();
        }),
        ("the file put aside", |audit| {
            fs::rename(audit.join("audit.jsonl"), audit.join("audit.000001.jsonl")).unwrap();
        }),
        ("another file in its place", |audit| {
            let text = fs::read(audit.join("audit.jsonl")).unwrap();
            fs::remove_file(audit.join("audit.jsonl")).unwrap();
            fs::write(audit.join("audit.jsonl"), text).unwrap();
            fs::set_permissions(audit.join("audit.jsonl"), Permissions::from_mode(0o600)).unwrap();
        }),
        ("another lock", |audit| {
            fs::remove_file(audit.join("audit.lock")).unwrap();
        }),
        ("another directory", |audit| {
            fs::rename(audit, audit.with_extension("old")).unwrap();
        }),
        ("nothing", |_| {}),
    ];
    for (name, change) in changes {
        let (directory, log) = log();
        let first = log.append(&decision("a")).unwrap();
        change(&audit(&directory));
        let second = log.append(&decision("b")).unwrap();
        let expected = match name {
            "another writer" => 3,
            "another directory" => 1,
            _ => first.seq + 1,
        };
        assert_eq!(second.seq, expected, "{name}");
        let whole = verify(directory.path());
        assert_eq!((whole.hash, whole.problems), (second.hash, vec![]), "{name}");
        assert!(text(&directory).contains("\"call\":\"b\""), "{name}");
    }
}

#[test]
fn a_record_follows_what_was_written_and_not_what_stands_there() {
    let (directory, log) = log();
    log.append(&decision("a")).unwrap();
    let first = log.append(&decision("b")).unwrap();
    // As many bytes as before.
    change(&directory, |text| text.replace("allow", "deny!"));
    log.append(&decision("c")).unwrap();
    assert_ne!(verify(directory.path()).problems, vec![]);
    assert!(text(&directory).contains(&format!("\"prev\":\"{}\"", first.hash)));
}

#[test]
fn a_place_that_others_may_write_to_is_left_at_once() {
    for name in ["audit", "audit/audit.jsonl"] {
        let (directory, log) = log();
        log.append(&decision("a")).unwrap();
        fs::set_permissions(directory.path().join(name), Permissions::from_mode(0o777)).unwrap();
        let refused = log.append(&decision("b"));
        assert!(
            matches!(refused, Err(AuditError::NotOwn(..))),
            "{name}: {refused:?}"
        );
        assert_eq!(text(&directory).lines().count(), 1, "{name}");
    }
}

#[test]
fn many_writers_make_one_chain() {
    let (directory, log) = log();
    let log = log.with_file_bytes(20_000);
    std::thread::scope(|scope| {
        for writer in 0..8 {
            let log = &log;
            scope.spawn(move || {
                for count in 0..50 {
                    log.append(&decision(&format!("{writer}-{count}"))).unwrap();
                }
            });
        }
    });
    let whole = verify(directory.path());
    assert_eq!((whole.records, whole.last, whole.problems), (400, 400, vec![]));
}

#[test]
fn a_lock_that_is_held_is_not_waited_for_for_ever() {
    let (directory, log) = log();
    log.append(&decision("a")).unwrap();
    let lock = OpenOptions::new()
        .write(true)
        .open(directory.path().join("audit/audit.lock"))
        .unwrap();
    lock.lock().unwrap();
    let hasty = log.clone().with_patience(Duration::from_millis(20));
    assert!(matches!(hasty.append(&decision("b")), Err(AuditError::Busy(_))));
    lock.unlock().unwrap();
    assert_eq!(log.append(&decision("b")).unwrap().seq, 2);
}

#[test]
fn files_are_the_persons_own() {
    let (directory, log) = log();
    log.append(&decision("a")).unwrap();
    let audit = directory.path().join("audit");
    for (path, mode) in [
        (audit.clone(), 0o700),
        (audit.join("audit.jsonl"), 0o600),
        (audit.join("audit.lock"), 0o600),
    ] {
        assert_eq!(
            fs::metadata(&path).unwrap().permissions().mode() & 0o777,
            mode,
            "{path:?}"
        );
        fs::set_permissions(&path, Permissions::from_mode(mode | 0o004)).unwrap();
        assert!(
            matches!(log.append(&decision("b")), Err(AuditError::NotOwn(..))),
            "{path:?}"
        );
        fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
    }
    log.append(&decision("b")).unwrap();
}

#[test]
fn no_link_is_followed() {
    let (directory, log) = log();
    log.append(&decision("a")).unwrap();
    let (current, elsewhere) = (
        directory.path().join("audit/audit.jsonl"),
        directory.path().join("elsewhere"),
    );
    fs::rename(&current, &elsewhere).unwrap();
    symlink(&elsewhere, &current).unwrap();
    assert!(matches!(log.append(&decision("b")), Err(AuditError::Io(..))));
    fs::remove_file(&current).unwrap();
    fs::hard_link(&elsewhere, &current).unwrap();
    assert!(matches!(log.append(&decision("b")), Err(AuditError::NotOwn(..))));
    assert_eq!(fs::read_to_string(elsewhere).unwrap().lines().count(), 1);
}

#[test]
fn a_log_never_lies_in_the_project() {
    let directory = tempfile::tempdir().unwrap();
    let project = directory.path().join("project");
    fs::create_dir_all(&project).unwrap();
    let link = directory.path().join("link");
    symlink(&project, &link).unwrap();
    for inside in [project.join(".audit"), link.join("a/b"), project.clone()] {
        assert!(
            matches!(Log::new(&inside, &project), Err(AuditError::InsideProject(_))),
            "{inside:?}"
        );
    }
    assert!(Log::new(&project.join(".audit"), &link).is_err());
    assert!(Log::new(&directory.path().join("state"), &project).is_ok());
    assert_eq!(fs::read_dir(&project).unwrap().count(), 0);
}

#[test]
fn a_record_is_bounded_whatever_it_holds() {
    let (directory, log) = log();
    let long = "\u{1}".repeat(50_000);
    let reason = Reason {
        request: long.clone(),
        verdict: "deny",
        why: long.clone(),
        ..Reason::default()
    };
    let record = Record {
        session: long.clone(),
        cwd: long.clone(),
        note: long.clone(),
        input: Some(json!({ "command": long })),
        reasons: vec![reason; 50],
        ..Record::default()
    };
    log.append(&record).unwrap();
    log.append(&decision("b")).unwrap();
    assert!(text(&directory).lines().all(|line| line.len() <= MAX_LINE_BYTES));
    assert_eq!(verify(directory.path()).problems, vec![]);
}

#[test]
fn secrets_are_not_shown() {
    for (text, shown) in [
        ("FOO=bar make", "FOO=[redacted] make"),
        ("export API_KEY='a b' && ls", "export API_KEY=[redacted] && ls"),
        ("env \"TOKEN=a b\" ls", "env \"TOKEN=[redacted]\" ls"),
        ("TOKEN=\"$(cat x)\" y", "TOKEN=[redacted] y"),
        (
            "curl -H 'Authorization: Bearer abc.def' https://x.example/",
            "curl -H 'Authorization: [redacted]' https://x.example/",
        ),
        (
            "curl -H \"X-Api-Key:abc\" u",
            "curl -H \"X-Api-Key: [redacted]\" u",
        ),
        (
            "tool --password hunter2 --user me",
            "tool --password [redacted] --user me",
        ),
        ("tool --password 'a b' x", "tool --password '[redacted]' x"),
        ("tool --api-token=hunter2 x", "tool --api-token=[redacted] x"),
        (
            "git clone https://me:hunter2@host.example/r.git",
            "git clone https://me:[redacted]@host.example/r.git",
        ),
        (
            "curl 'https://host.example/?a=1&token=hunter2'",
            "curl 'https://host.example/?a=1&token=[redacted]'",
        ),
        ("echo ghp_0123456789abcdefghij | x", "echo [redacted] | x"),
        (
            "echo '{\"password\": \"hunter2\", \"a\": 1}'",
            "echo '{\"password\": [redacted], \"a\": 1}'",
        ),
        ("git log --oneline | head -n 5", "git log --oneline | head -n 5"),
        ("dd if=/dev/zero of=x", "dd if=/dev/zero of=x"),
        ("echo 'x: y' > a.txt", "echo 'x: y' > a.txt"),
    ] {
        let out = redact(text);
        assert!(!out.contains("hunter2"), "{out}");
        assert_eq!(out, shown, "{text}");
    }
}

#[test]
fn redacting_never_fails_and_ends() {
    for text in [
        "",
        "=",
        "KEY=",
        "--password",
        "token:",
        "token: \"",
        "A='",
        "é=ü KEY=ü",
        "https://@",
        "://:@",
        "a?token=",
    ] {
        let _shown = redact(text);
    }
}

#[test]
fn a_view_is_bounded_and_shows_no_contents() {
    let input = json!({ "file_path": "/project/a", "content": "secret text", "password": "x", "nested": { "token": 5, "ok": true } });
    let expected: Json = json!({ "file_path": "/project/a", "content": "[11 characters]", "password": "[redacted]",
        "nested": { "token": "[redacted]", "ok": true } });
    assert_eq!(view(&input), expected);
    let big: Json = (0..500)
        .map(|n| (format!("f{n}"), json!("x".repeat(5_000))))
        .collect::<serde_json::Map<_, _>>()
        .into();
    assert!(view(&big).to_string().len() < 8 << 10);
}
