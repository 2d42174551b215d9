//! What a person who is asked is shown of a change before it is made: a unified diff, as long as somebody reads.
//!
//! Invariant (what is shown is what is made): the change that was planned for the question is the one that is carried out afterwards, and
//! carrying it out fails where the file is another by then.

use std::fmt::{self, Write as _};
use std::path::PathBuf;

use crate::person::Later;

/// Works a change out, without making it, once a person is to be asked.
pub(crate) trait Preview: Sync {
    /// The diff of the change to the file at a place, or why there is none.
    fn diff(&self, place: PathBuf) -> Later<'_, Result<String, String>>;
}

impl fmt::Debug for dyn Preview + '_ {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Preview")
    }
}

/// Lines of a diff that are shown.
pub(crate) const MAX_LINES: usize = 200;

/// Characters of a line that are shown.
const MAX_LINE_CHARS: usize = 400;

/// The beginning of a diff. What is left out is said in a line that begins with a bracket, as no line of a diff does.
pub(crate) fn bounded(diff: &str) -> String {
    let mut out = String::new();
    let mut left_out = 0_usize;
    let (mut added, mut removed) = (0_usize, 0_usize);
    for (at, line) in diff.lines().enumerate() {
        let is_heading = at < 2;
        added += usize::from(!is_heading && line.starts_with('+'));
        removed += usize::from(!is_heading && line.starts_with('-'));
        if at >= MAX_LINES {
            left_out += 1;
            continue;
        }
        match line.char_indices().nth(MAX_LINE_CHARS) {
            None => out.push_str(line),
            Some((cut, _)) => {
                let (head, rest) = line.split_at_checked(cut).unwrap_or((line, ""));
                out.push_str(head);
                let _infallible = write!(out, "[... {} more characters]", rest.chars().count());
            }
        }
        out.push('\n');
    }
    if left_out > 0 {
        let _infallible = writeln!(
            out,
            "[... {left_out} more lines are not shown; in all {added} are added and {removed} taken out]"
        );
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{MAX_LINES, bounded};

    #[test]
    fn a_short_diff_is_shown_whole() {
        let diff = "--- /w/a\n+++ /w/a\n@@ -1 +1 @@\n-a\n+b\n";
        assert_eq!(bounded(diff), diff);
    }

    #[test]
    fn a_long_diff_says_what_is_left_out() {
        let diff = format!(
            "--- /dev/null\n+++ /w/a\n@@ -0,0 +1,1000 @@\n{}",
            "+x\n".repeat(1000)
        );
        let shown = bounded(&diff);
        assert_eq!(shown.lines().count(), MAX_LINES + 1);
        assert!(
            shown.ends_with("\n[... 803 more lines are not shown; in all 1000 are added and 0 taken out]\n"),
            "{shown}"
        );
    }

    #[test]
    fn a_long_line_says_how_long_it_is() {
        let shown = bounded(&format!("+{}\n", "é".repeat(1000)));
        assert_eq!(shown, format!("+{}[... 601 more characters]\n", "é".repeat(399)));
    }
}
