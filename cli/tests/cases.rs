//! Cases: a policy, a command, and the verdict it must get. Those of `fixtures/cases` must all hold. Where a larger collection lies
//! beside the workspace, nothing in it may be allowed that must not be, and nearly all of it must be exact.
#![expect(clippy::expect_used, reason = "helpers of tests fail as tests do")]

use std::fs;
use std::path::{Path, PathBuf};

use engine_policy::{CaseRunner, parse_case};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("..")
        .canonicalize()
        .expect("the workspace")
}

/// What became of the cases of a folder.
#[derive(Debug, Default)]
struct Tally {
    exact: usize,
    other: Vec<String>,
    /// Allowed what must not be.
    breaches: Vec<String>,
    /// Neither run nor counted, and why.
    skipped: Vec<String>,
}

fn run(folder: &Path) -> Tally {
    let mut tally = Tally::default();
    let mut runner = CaseRunner::default();
    let mut files: Vec<PathBuf> = fs::read_dir(folder)
        .expect("the cases")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "jsonl"))
        .collect();
    files.sort();
    for file in files {
        let text = fs::read_to_string(&file).expect("a file of cases");
        // Inputs without a verdict are for the soundness harness.
        if !text.contains("\"expected\"") {
            tally
                .skipped
                .push(format!("{}: no verdicts in it", file.display()));
            continue;
        }
        for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.is_empty()) {
            let at = format!("{}:{}", file.display(), index + 1);
            let decided = parse_case(line).and_then(|case| Ok((runner.run(&case)?, case)));
            let (outcome, case) = match decided {
                Ok(decided) => decided,
                Err(error) => {
                    tally.other.push(format!("{at}: {error}"));
                    continue;
                }
            };
            let got = outcome.decision.outcome;
            let shown = format!(
                "{at} {}: must be {}, is {}: {:?}",
                case.id,
                case.expected.as_str(),
                got.as_str(),
                case.command
            );
            if case.expected.holds(got) {
                tally.exact += 1;
            } else if case.expected.is_breach(got) {
                tally.breaches.push(shown);
            } else {
                tally.other.push(shown);
            }
        }
    }
    for skipped in &tally.skipped {
        note(&format!("skipped {skipped}"));
    }
    tally
}

/// Says what was not run: a test that skips must not do so silently.
#[expect(clippy::print_stdout, reason = "the runner shows what was skipped")]
fn note(text: &str) {
    println!("{text}");
}

#[test]
fn every_case_of_the_fixtures_holds() {
    let tally = run(&root().join("fixtures/cases"));
    assert_eq!((tally.breaches, tally.other), (Vec::new(), Vec::new()));
    assert!(tally.exact > 0, "no case was found");
}

#[test]
fn nothing_of_the_larger_collection_is_allowed_that_must_not_be() {
    let folder = root().join("../shared/cases");
    if !folder.is_dir() {
        println!("skipped: there is no {}", folder.display());
        return;
    }
    let tally = run(&folder);
    let all = tally.exact + tally.other.len() + tally.breaches.len();
    println!(
        "{} of {all} exact; not exact:\n{}",
        tally.exact,
        tally.other.join("\n")
    );
    assert!(
        tally.breaches.is_empty(),
        "allowed what must not be:\n{}",
        tally.breaches.join("\n")
    );
    assert!(
        tally.exact * 100 >= all * 92,
        "{} of {all} are exact, fewer than 92 %",
        tally.exact
    );
}
