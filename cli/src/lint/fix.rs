//! `--fix`: makes the safe fixes of a file, and writes it only if it still says what it said.
//!
//! Invariant (whole or not at all): a file is replaced by a complete one with its permissions, or stays as it is. Invariant (same
//! verdicts): what is written loads without an error, and every test of it gets the verdict it got before.

use std::path::Path;

use engine_policy::lint::{Finding, apply_fixes};
use engine_policy::read::Format;
use engine_policy::{Outcome, Root, load, run_tests};

use super::{Linted, lint_loaded};
use crate::out;
use crate::policies::{DiskFiles, text_of};
use crate::replace::replace;

/// Rounds of fixing: one fix can make room for another.
const MAX_ROUNDS: usize = 16;

/// What became of a file, or would.
pub(super) struct Fixed {
    pub file: String,
    pub before: String,
    pub after: String,
    /// How many fixes were made.
    pub made: usize,
}

/// What the fixes of a file come to; `None` if there are none. A file that is no policy is left alone: what is wrong with it is
/// reported by itself.
pub(super) fn fixed(file: &str) -> Option<Fixed> {
    let before = text_of(file).ok()?;
    let format = Format::of_name(file)?;
    let mut after = before.clone();
    let mut total = 0;
    for _ in 0..MAX_ROUNDS {
        let linted = linted(file, &after, format);
        if linted.plan.is_none() {
            break;
        }
        let Some((next, made)) = round(file, &after, format, &linted) else {
            break;
        };
        after = next;
        total += made;
    }
    (total > 0).then(|| Fixed {
        file: file.to_owned(),
        before,
        after,
        made: total,
    })
}

impl Fixed {
    /// Writes the file.
    pub(super) fn write(&self) -> Result<(), ()> {
        replace(Path::new(&self.file), &self.before, &self.after).map_err(|why| {
            out::complain(&format!(
                "engine: cannot write `{}`: {why}\n",
                out::visible(&self.file)
            ));
        })
    }
}

fn linted(name: &str, text: &str, format: Format) -> Linted {
    let root = Root::Text {
        name: name.to_owned(),
        text: text.to_owned(),
        format,
    };
    lint_loaded(load(&[root], &DiskFiles), &[name.to_owned()])
}

/// The text after the fixes that keep every verdict, and how many were made; `None` if there is none to make.
fn round(name: &str, text: &str, format: Format, linted: &Linted) -> Option<(String, usize)> {
    let attempt = |findings: &[Finding]| {
        let source = findings.first()?.place().source;
        let (next, made) = apply_fixes(text, source, findings).ok()?;
        (made > 0 && keeps(name, &next, format, linted)).then_some((next, made))
    };
    // One at a time where all together change something.
    let mut alone = linted.findings.iter();
    attempt(&linted.findings).or_else(|| alone.find_map(|finding| attempt(std::slice::from_ref(finding))))
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
