//! How a change looks to people: a unified diff.
//!
//! Invariant (bounded diff): however large the files, a diff costs about [`MAX_COMPARED_BYTES`] and [`PATIENCE`]; what is left out is said.

use std::fmt::Write as _;
use std::time::Duration;

use similar::{Algorithm, DiffOp, capture_diff_slices_deadline, group_diff_ops};

use super::place::Decided;
use super::seen::Noted;

/// Lines around a change.
const CONTEXT: usize = 3;
/// The largest part that is compared line by line.
const MAX_COMPARED_BYTES: usize = 8_000_000;
/// How long a smaller diff is looked for before a larger one will do.
const PATIENCE: Duration = Duration::from_millis(500);

/// Whether a file was made or changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Made {
    /// The file was made.
    Created,
    /// The file was there before.
    Changed,
}

/// Whether the text to replace was found as it was given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fit {
    /// To the letter.
    Exact,
    /// With other quotes, line endings or tabs; the new text was given the file's style.
    Restyled,
}

/// A change that was made.
#[derive(Debug)]
pub struct Change {
    /// The file.
    pub place: Decided,
    /// Whether it was made or changed.
    pub made: Made,
    /// The change as a unified diff; empty if the content stayed the same.
    pub diff: String,
    /// How the text to replace was found.
    pub fit: Fit,
    /// How many places were replaced.
    pub replaced: usize,
    /// What the session knows of the file now.
    pub noted: Noted,
}

/// The difference of two texts, with three lines around each change.
pub(super) fn unified(place: &Decided, made: Made, before: &str, after: &str) -> String {
    if before == after && made == Made::Changed {
        return String::new();
    }
    // A name with the end of a line in it would make further lines of the diff.
    let shown: String = (place.as_path().display().to_string().chars())
        .flat_map(|c| {
            let escaped = c.is_control().then(|| c.escape_unicode());
            let plain = escaped.is_none().then_some(c);
            escaped.into_iter().flatten().chain(plain)
        })
        .collect();
    let mut out = match made {
        Made::Created => format!("--- /dev/null\n+++ {shown}\n"),
        Made::Changed => format!("--- {shown}\n+++ {shown}\n"),
    };
    let (old, new): (Vec<&str>, Vec<&str>) = (
        before.split_inclusive('\n').collect(),
        after.split_inclusive('\n').collect(),
    );
    // What is the same at both ends needs no comparing; mostly that is nearly all of the file.
    let same_start = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
    let start = same_start.saturating_sub(CONTEXT);
    let rest = old.len().min(new.len()) - same_start;
    let same_end = old
        .iter()
        .rev()
        .zip(new.iter().rev())
        .take(rest)
        .take_while(|(old, new)| old == new)
        .count();
    let end = same_end.saturating_sub(CONTEXT);
    let old = old.get(start..old.len() - end).unwrap_or_default();
    let new = new.get(start..new.len() - end).unwrap_or_default();

    let bytes = |lines: &[&str]| lines.iter().map(|line| line.len()).sum::<usize>();
    if bytes(old) > MAX_COMPARED_BYTES || bytes(new) > MAX_COMPARED_BYTES {
        let _ = writeln!(
            out,
            "[{} lines became {} lines, too much to show]",
            old.len(),
            new.len()
        );
        return out;
    }
    let deadline = soon();
    for group in group_diff_ops(
        capture_diff_slices_deadline(Algorithm::Myers, old, new, deadline),
        CONTEXT,
    ) {
        hunk(&mut out, &group, old, new, start);
    }
    out
}

#[expect(
    clippy::disallowed_methods,
    reason = "the clock bounds how small a diff is looked for; nothing is decided by it"
)]
fn soon() -> Option<std::time::Instant> {
    std::time::Instant::now().checked_add(PATIENCE)
}

fn hunk(out: &mut String, group: &[DiffOp], old: &[&str], new: &[&str], start: usize) {
    let (Some(first), Some(last)) = (group.first(), group.last()) else {
        return;
    };
    let range = |from: usize, to: usize| match to - from {
        // An empty range is named by the line before it.
        0 => format!("{},0", from + start),
        1 => (from + start + 1).to_string(),
        count => format!("{},{count}", from + start + 1),
    };
    let _ = writeln!(
        out,
        "@@ -{} +{} @@",
        range(first.old_range().start, last.old_range().end),
        range(first.new_range().start, last.new_range().end)
    );
    for op in group {
        match op {
            DiffOp::Equal { .. } => lines(out, ' ', old.get(op.old_range())),
            DiffOp::Delete { .. } | DiffOp::Insert { .. } | DiffOp::Replace { .. } => {
                lines(out, '-', old.get(op.old_range()));
                lines(out, '+', new.get(op.new_range()));
            }
        }
    }
}

fn lines(out: &mut String, sign: char, lines: Option<&[&str]>) {
    for line in lines.unwrap_or_default() {
        out.push(sign);
        out.push_str(line);
        if !line.ends_with('\n') {
            out.push_str("\n\\ No newline at end of file\n");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Made, unified};
    use crate::files::place::Decided;

    fn numbered(last: u32) -> String {
        (1..=last)
            .flat_map(|number| [number.to_string(), "\n".to_owned()])
            .collect()
    }

    fn diff(before: &str, after: &str) -> String {
        unified(&Decided::new("/w/a").unwrap(), Made::Changed, before, after)
    }

    #[test]
    fn a_change_deep_in_a_file_has_its_line_numbers() {
        let before = numbered(100);
        let after = before.replace("50\n", "fifty\nand more\n");
        assert_eq!(
            diff(&before, &after),
            "--- /w/a\n+++ /w/a\n@@ -47,7 +47,8 @@\n 47\n 48\n 49\n-50\n+fifty\n+and more\n 51\n 52\n 53\n"
        );
    }

    #[test]
    fn a_missing_last_line_feed_is_shown() {
        assert_eq!(
            diff("a\nb", "a\nb\n"),
            "--- /w/a\n+++ /w/a\n@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+b\n"
        );
    }

    #[test]
    fn a_name_makes_no_line_of_its_own() {
        let made = unified(&Decided::new("/w/a\n+b").unwrap(), Made::Created, "", "x\n");
        assert_eq!(made, "--- /dev/null\n+++ /w/a\\u{a}+b\n@@ -0,0 +1 @@\n+x\n");
    }

    #[test]
    fn a_new_file_comes_from_nothing() {
        let made = unified(&Decided::new("/w/a").unwrap(), Made::Created, "", "x\n");
        assert_eq!(made, "--- /dev/null\n+++ /w/a\n@@ -0,0 +1 @@\n+x\n");
    }

    #[test]
    fn equal_texts_have_no_diff() {
        assert_eq!(diff("a\n", "a\n"), "");
    }

    #[test]
    fn two_changes_far_apart_are_two_hunks() {
        let before = numbered(40);
        let after = before
            .replacen("5\n", "five\n", 1)
            .replacen("\n35\n", "\nthirty\n", 1);
        assert_eq!(diff(&before, &after).matches("@@ -").count(), 2);
    }

    #[test]
    fn what_is_too_large_to_compare_is_counted() {
        let (before, after) = ("a".repeat(9_000_000), "b\n".repeat(4_000));
        assert!(diff(&before, &after).ends_with("[1 lines became 4000 lines, too much to show]\n"));
    }
}
