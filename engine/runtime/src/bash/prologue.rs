//! What a shell does around a text: pure, tested by equality.
//!
//! Invariant (exactly the text): the text reaches the shell as one argument and is evaluated with nothing behind it. What stands before
//! it (`shift; `) is a whole command, which no text can change: whatever may stand behind `;` may begin a text, and what may not
//! is an error in both places, before anything of it is run. No parameter, variable or function of the set-up is left when the text begins.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::path::Path;

use super::mark::Mark;

/// Highest descriptor that the final directory is reported on; below 255, which the shell keeps for itself, and below the least limit
/// of open files that is in use (256).
const HIGHEST_DESCRIPTOR: u32 = 230;

/// Lowest one.
const LOWEST_DESCRIPTOR: u32 = 130;

/// What a shell does before anything else, so that everything it starts is found again.
#[derive(Clone, Copy, Debug)]
pub(super) struct Joining<'a> {
    /// Sets this mark as a limit.
    pub(super) mark: Option<Mark>,
    /// Enters this control group.
    pub(super) group: Option<&'a Path>,
}

/// The descriptor for the report: one that the text does not spell, so that it cannot take it by mistake.
pub(super) fn descriptor_for(text: &str) -> u32 {
    (LOWEST_DESCRIPTOR..=HIGHEST_DESCRIPTOR)
        .rev()
        .find(|number| !text.contains(&number.to_string()))
        .unwrap_or(HIGHEST_DESCRIPTOR)
}

/// Arguments of a shell that runs a text as `shell -c TEXT` would.
///
/// Descriptor 0 is where the report goes; the text reads from `/dev/null`. The report is written behind the text, since the text may have a
/// trap of its own, or, where that is not reached (`exit`, `set -e`), when the shell ends. That nothing can be reported changes no status.
pub(super) fn text_arguments(text: &str, shell: &Path, joining: &Joining<'_>) -> Vec<OsString> {
    let descriptor = descriptor_for(text);
    let report = format!("{{ builtin printf \"\\0\"; builtin pwd -P; }} >&{descriptor}");
    let script = format!(
        "{join}exec {descriptor}>&0 0</dev/null; trap '{{ [[ ${{__engine+x}} ]] || {report}; }} 2>/dev/null' EXIT; eval \"shift; $1\"; {{ __engine=$?; set +vx; trap - DEBUG ERR; {report} || builtin :; }} >/dev/null 2>&1; exit \"$__engine\"",
        join = join(joining),
    );
    vec!["-c".into(), script.into(), shell.into(), text.into()]
}

/// Arguments of a shell that runs a text in the same way and reports nothing: it reads from the descriptor 0 that it gets.
pub(super) fn silent_arguments(text: &str, shell: &Path, joining: &Joining<'_>) -> Vec<OsString> {
    let script = format!("{}eval \"shift; $1\"", join(joining));
    vec!["-c".into(), script.into(), shell.into(), text.into()]
}

/// Arguments of a shell that becomes a program.
pub(super) fn words_arguments(
    program: &Path,
    arguments: Vec<OsString>,
    joining: &Joining<'_>,
) -> Vec<OsString> {
    let script = format!("{}exec \"$0\" \"$@\"", join(joining));
    let mut all = vec!["-c".into(), script.into(), program.into()];
    all.extend(arguments);
    all
}

/// The descriptor on which a shell that stays reports.
const SESSION_DESCRIPTOR: u32 = 230;

/// The first line for a shell that stays.
pub(super) fn session_start(joining: &Joining<'_>) -> String {
    format!("{}exec {SESSION_DESCRIPTOR}>&0\n", join(joining))
}

/// The line that makes a shell that stays evaluate a text and report its status and directory behind a word that nobody can guess.
/// The text is one word of the line: no quote in it can end that.
pub(super) fn session_line(text: &str, nonce: &str) -> String {
    format!(
        "eval {} </dev/null; {{ builtin printf '\\0%s %d ' {nonce} \"$?\"; builtin pwd -P; builtin printf '\\0'; }} 2>/dev/null >&{SESSION_DESCRIPTOR}\n",
        quoted(text)
    )
}

/// Marks the shell and everything it starts; without success, nothing is run.
fn join(joining: &Joining<'_>) -> String {
    let mut script = String::new();
    if let Some(group) = joining.group {
        let file = group.join("cgroup.procs");
        let _infallible = write!(
            script,
            "echo 0 >{} || exit 126; ",
            quoted(&file.to_string_lossy())
        );
    }
    if let Some(mark) = joining.mark {
        let _infallible = write!(script, "ulimit -Sx {mark} || exit 126; ");
    }
    script
}

/// A text as one word of a shell.
pub(super) fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{Joining, descriptor_for, quoted, silent_arguments, text_arguments, words_arguments};
    use crate::bash::mark::Mark;

    fn joining(group: Option<&Path>) -> Joining<'_> {
        Joining {
            mark: Some(Mark::of(7)),
            group,
        }
    }

    #[test]
    fn the_text_is_an_argument_of_its_own() {
        let arguments = text_arguments("echo \"$1\"; exit 3", Path::new("/bin/bash"), &joining(None));
        let script = "ulimit -Sx 7 || exit 126; exec 230>&0 0</dev/null; \
             trap '{ [[ ${__engine+x} ]] || { builtin printf \"\\0\"; builtin pwd -P; } >&230; } 2>/dev/null' EXIT; eval \"shift; $1\"; \
             { __engine=$?; set +vx; trap - DEBUG ERR; { builtin printf \"\\0\"; builtin pwd -P; } >&230 || builtin :; } >/dev/null 2>&1; exit \"$__engine\"";
        assert_eq!(arguments, ["-c", script, "/bin/bash", "echo \"$1\"; exit 3"]);
    }

    #[test]
    fn a_shell_without_a_report_only_marks_itself_and_evaluates() {
        let arguments = silent_arguments("cat; exit 3", Path::new("/bin/bash"), &joining(None));
        let script = "ulimit -Sx 7 || exit 126; eval \"shift; $1\"";
        assert_eq!(arguments, ["-c", script, "/bin/bash", "cat; exit 3"]);
    }

    #[test]
    fn the_words_of_a_program_are_never_joined() {
        let arguments = words_arguments(
            Path::new("/bin/echo"),
            vec!["$(id)".into(), "a b".into()],
            &joining(Some(Path::new("/sys/fs/cgroup/it's"))),
        );
        let script = "echo 0 >'/sys/fs/cgroup/it'\\''s/cgroup.procs' || exit 126; \
             ulimit -Sx 7 || exit 126; exec \"$0\" \"$@\"";
        assert_eq!(arguments, ["-c", script, "/bin/echo", "$(id)", "a b"]);
    }

    #[test]
    fn a_descriptor_that_the_text_spells_is_not_taken() {
        assert_eq!(descriptor_for("exec 9>lock"), 230);
        assert_eq!(descriptor_for("exec 230>log"), 229);
        assert_eq!(quoted("a'b"), "'a'\\''b'");
    }
}
