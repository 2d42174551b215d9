//! The places that the engine writes to are full or cannot be written to: a result that says so, nothing half written, and nothing run
//! whose decision is not written down.
//!
//! The tests run again in a process of their own, on a small disk that only that process has, or with a limit on the size of files.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Arc;

use engine_runtime::audit::{Kind, Log, Record, Verifier, files_of};
use engine_runtime::{Decided, Ended, HookRun, Observer, Refused};
use serde_json::json;

use super::support::{OPEN, Setup, Table, text_of};

/// Where the process of a test finds its place.
const PLACE: &str = "ENGINE_TEST_PLACE";

/// What is written last by a test that came to its end.
const MET: &str = "the place was met";

fn place() -> Option<PathBuf> {
    std::env::var_os(PLACE).map(PathBuf::from)
}

/// Writes every decision and every end into a log.
#[derive(Debug)]
struct Logged(Log);

impl Logged {
    fn append(&self, kind: Kind, call: &str) -> Result<(), String> {
        let record = Record {
            kind,
            client: "engine".to_owned(),
            call: call.to_owned(),
            ..Record::default()
        };
        let appended = self.0.append(&record);
        appended.map(drop).map_err(|error| error.to_string())
    }
}

impl Observer for Logged {
    fn decided(&self, event: &Decided<'_>) -> Result<(), String> {
        self.append(Kind::Decision, event.call)
    }

    fn refused(&self, event: &Refused<'_>) {
        let _full = self.append(Kind::Decision, event.call);
    }

    fn hook(&self, _event: &HookRun<'_>) -> Result<(), String> {
        Ok(())
    }

    fn ended(&self, event: &Ended<'_>) {
        let _full = self.append(Kind::Execution, event.call);
    }
}

/// Runs a test in a process of its own, behind what a shell does first. None where the system does not permit that.
fn within(first: &str, name: &str) -> Option<Output> {
    let place = tempfile::tempdir().expect("a place");
    let script = format!("{first}; exec \"$@\"");
    let output = Command::new("unshare")
        .args(["-m", "sh", "-c", &script, "sh"])
        .arg(std::env::current_exe().expect("this program"))
        .args(["--exact", &format!("places::{name}"), "--ignored", "--nocapture"])
        .env(PLACE, place.path().canonicalize().expect("a real path"))
        .output();
    let skipped = |why: &str| {
        eprintln!(
            "SKIPPED: a small disk needs the right to mount one ({})",
            why.trim()
        );
        None
    };
    match output {
        Err(error) => skipped(&error.to_string()),
        Ok(output) => {
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            if output.status.code() == Some(77) || said.contains("unshare failed") {
                return skipped(&said);
            }
            Some(output)
        }
    }
}

fn met(first: &str, name: &str) {
    let Some(output) = within(first, name) else {
        return;
    };
    let said = String::from_utf8_lossy(&output.stdout);
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success() && said.contains(MET),
        "{first}: {said}{complaint}"
    );
}

const SMALL: &str = "mount -t tmpfs -o size=32k tmpfs \"$ENGINE_TEST_PLACE\" || exit 77";
const READ_ONLY: &str = "mount -t tmpfs -o ro tmpfs \"$ENGINE_TEST_PLACE\" || exit 77";
/// 16 KiB for every file; a write over that is an error and no signal.
const SHORT_FILES: &str = "trap '' XFSZ; ulimit -f 32";

#[test]
fn nothing_runs_that_cannot_be_written_down() {
    for first in [SMALL, READ_ONLY, SHORT_FILES] {
        met(first, "runs_until_the_log_is_full");
    }
}

#[tokio::test]
#[ignore = "works on the small disk that another test makes"]
async fn runs_until_the_log_is_full() {
    let Some(place) = place() else { return };
    let audit = place.join("audit");
    let table = Setup::new(OPEN)
        .observer(Arc::new(Logged(Log::anywhere(&audit))))
        .start();
    let (mut ran, mut refused) = (0, 0);
    for number in 0..200 {
        let made = table.project().join(format!("{number}.txt"));
        let id = format!("call-{number}");
        let input = json!({ "command": format!("touch {}", made.display()) });
        let results = table
            .calls(vec![super::support::use_of(&id, "Bash", input)])
            .await;
        if results[0].output.is_error {
            let text = text_of(&results[0]);
            let clear =
                "Not carried out, since the decision cannot be written down: cannot write the audit log";
            assert!(text.starts_with(clear), "{text}");
            assert!(!made.exists(), "{number} ran without its record");
            refused += 1;
        } else {
            assert_eq!(refused, 0, "the log was full before");
            assert!(made.exists());
            let log = fs::read_to_string(audit.join("audit.jsonl")).expect("a log");
            assert!(log.contains(&format!("\"{id}\"")), "{number} has no record");
            ran += 1;
        }
    }
    assert!(refused > 0, "the log never was full");
    if ran > 0 {
        assert_eq!(problems(&audit), Vec::<String>::new());
    }
    println!("{MET}: {ran} ran, {refused} refused");
}

/// What is wrong with a log, torn lines included.
fn problems(audit: &Path) -> Vec<String> {
    let mut verifier = Verifier::expecting(None);
    for file in files_of(audit).expect("files") {
        let bytes = fs::read(&file).expect("a file");
        for (index, line) in bytes.split_inclusive(|byte| *byte == b'\n').enumerate() {
            verifier.line(&file.display().to_string(), index + 1, line);
        }
    }
    let whole = verifier.finish();
    let problems = whole.problems.iter().map(|problem| format!("{problem:?}"));
    problems
        .chain(whole.torn.iter().map(|torn| format!("{torn:?}")))
        .collect()
}

#[test]
fn a_result_that_cannot_be_kept_is_not_said_to_be() {
    for first in [SMALL, READ_ONLY, SHORT_FILES] {
        met(first, "keeps_long_results");
    }
}

/// A tool that says much.
const SAY: &str = r#"
tool "Say" {
    about "Says it"
    input strict=#true { integer "times" required=#true; }
    read-only
    concurrency-safe
    budget chars=1000
    body { return "{% for n in range(input.times) %}line {{ n }}\n{% endfor %}"; }
}
"#;

fn keeping(results: &Path) -> Table {
    Setup::new(OPEN).tools(SAY).results(results.to_owned()).start()
}

#[tokio::test]
#[ignore = "works on the small disk that another test makes"]
async fn keeps_long_results() {
    let Some(place) = place() else { return };
    // Of a tool: what is not kept whole is not kept.
    let results = place.join("said");
    let table = keeping(&results);
    let text = table.works("Say", json!({ "times": 9000 })).await;
    assert!(
        text.starts_with("The result is too long to be shown, and it cannot be kept in "),
        "{text}"
    );
    assert!(
        text.contains("line 0\n") && !text.contains("Full output saved"),
        "{text}"
    );
    assert_eq!(files_in(&results), Vec::<PathBuf>::new());

    // Of a command: where its place is there, what fits is kept, and is not said to be everything.
    let results = place.join("commands");
    let table = keeping(&results);
    let (text, failed) = table.call("Bash", json!({ "command": "seq 1 100000" })).await;
    if fs::create_dir_all(&results).is_err() {
        assert!(failed && text.starts_with("cannot make "), "{text}");
    } else {
        assert!(!failed, "{text}");
        assert!(
            text.starts_with("The output is too long to be shown (588895 bytes), and "),
            "{text}"
        );
        assert!(text.contains("it could not be written on"), "{text}");
        assert!(
            text.ends_with("99999\n100000") && !text.contains("Full output saved"),
            "{text}"
        );
        let kept: u64 = files_in(&results)
            .iter()
            .map(|file| file.metadata().expect("a file").len())
            .sum();
        assert!(kept <= 32 << 10, "{kept}");
    }
    // What needs no place works.
    assert_eq!(table.works("Say", json!({ "times": 1 })).await, "line 0\n");
    println!("{MET}");
}

fn files_in(directory: &Path) -> Vec<PathBuf> {
    let entries = directory.read_dir().into_iter().flatten();
    entries.flatten().map(|entry| entry.path()).collect()
}
