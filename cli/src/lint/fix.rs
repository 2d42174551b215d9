//! `--fix`: makes the safe fixes of a file, and writes it only if it still says what it said.
//!
//! Invariant (whole or not at all): a file is replaced by a complete one with its permissions, or stays as it is. Invariant (same
//! verdicts): what is written loads without an error, and every test of it gets the verdict it got before.

use std::fs;
use std::io::Write as _;
use std::path::Path;

use engine_policy::lint::{Finding, apply_fixes};
use engine_policy::read::Format;
use engine_policy::{Files as _, Outcome, Root, load, run_tests};

use super::{Linted, diff, lint_loaded};
use crate::out;
use crate::policies::DiskFiles;

/// Rounds of fixing: one fix can make room for another.
const MAX_ROUNDS: usize = 16;

/// Fixes one file, or shows what would be fixed. A file that is no policy is left alone: what is wrong with it is reported later.
pub(super) fn file(name: &str, dry_run: bool) -> Result<(), ()> {
    let Ok(before) = DiskFiles.text(name) else {
        return Ok(());
    };
    let Some(format) = Format::of_name(name) else {
        return Ok(());
    };
    let mut text = before.clone();
    let mut total = 0;
    for _ in 0..MAX_ROUNDS {
        let linted = linted(name, &text, format);
        if linted.plan.is_none() {
            break;
        }
        let (next, made) = fixed(name, &text, format, &linted);
        if made == 0 {
            break;
        }
        text = next;
        total += made;
    }
    if total == 0 {
        return Ok(());
    }
    if dry_run {
        out::print(&out::visible(&diff::diff(name, &before, &text)));
        return Ok(());
    }
    write(name, &before, &text)
        .map_err(|why| out::complain(&format!("engine: cannot write `{name}`: {why}\n")))?;
    let fixes = if total == 1 { "1 fix" } else { "fixes" };
    let count = if total == 1 {
        String::new()
    } else {
        format!("{total} ")
    };
    out::complain(&format!("{name}: {count}{fixes} made\n"));
    Ok(())
}

fn linted(name: &str, text: &str, format: Format) -> Linted {
    let root = Root::Text {
        name: name.to_owned(),
        text: text.to_owned(),
        format,
    };
    lint_loaded(load(&[root], &DiskFiles), &[name.to_owned()])
}

/// The text after the fixes that keep every verdict, and how many were made.
fn fixed(name: &str, text: &str, format: Format, linted: &Linted) -> (String, usize) {
    let attempt = |findings: &[Finding]| {
        let source = findings.first()?.place().source;
        let (next, made) = apply_fixes(text, source, findings).ok()?;
        (made > 0 && keeps(name, &next, format, linted)).then_some((next, made))
    };
    // One at a time where all together change something.
    attempt(&linted.findings)
        .or_else(|| {
            linted
                .findings
                .iter()
                .find_map(|finding| attempt(std::slice::from_ref(finding)))
        })
        .unwrap_or_else(|| (text.to_owned(), 0))
}

/// Whether a text loads, and its tests get what they got.
fn keeps(name: &str, text: &str, format: Format, before: &Linted) -> bool {
    let after = linted(name, text, format);
    let verdicts = |linted: &Linted| -> Option<Vec<(String, Outcome, bool)>> {
        let plan = linted.plan.as_ref()?;
        let results = run_tests(plan, &linted.loaded.documents);
        Some(
            results
                .into_iter()
                .map(|result| (result.call, result.decision.outcome, result.passed))
                .collect(),
        )
    };
    verdicts(before).is_some_and(|own| verdicts(&after) == Some(own))
}

/// Replaces a file by a whole new one, with its permissions, if nobody has changed it meanwhile.
fn write(name: &str, before: &str, text: &str) -> std::io::Result<()> {
    // What a link leads to is the file.
    let path = fs::canonicalize(name)?;
    let permissions = fs::metadata(&path)?.permissions();
    let directory = path.parent().unwrap_or(Path::new("/"));
    let own = path
        .file_name()
        .and_then(|name| name.to_str())
        .unwrap_or("policy");
    let temporary = directory.join(format!(".{own}.{}.new", std::process::id()));
    let written = (|| {
        let mut file = fs::OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(&temporary)?;
        file.set_permissions(permissions)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        if fs::read(&path)? != before.as_bytes() {
            return Err(std::io::Error::other("it was changed meanwhile"));
        }
        fs::rename(&temporary, &path)
    })();
    if written.is_err() {
        let _gone = fs::remove_file(&temporary);
    }
    written
}
