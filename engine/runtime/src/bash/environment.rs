//! The environment that commands get.
//!
//! Invariant (the text alone): no variable makes a shell run, alias or define anything before the text that was decided, or read that
//! text in another way.

use std::ffi::{OsStr, OsString};

/// Variables that change what a shell does with a text: files it reads first, options, prompts that are expanded while tracing, the
/// directories `cd` looks in.
const DROPPED: &[&str] = &[
    "BASHOPTS",
    "BASH_COMPAT",
    "BASH_ENV",
    "BASH_LOADABLES_PATH",
    "BASH_XTRACEFD",
    "CDPATH",
    "ENV",
    "EXECIGNORE",
    "GLOBIGNORE",
    "GLOBSORT",
    "IFS",
    "OLDPWD",
    "POSIXLY_CORRECT",
    "PROMPT_COMMAND",
    "PS4",
    "PWD",
    "SHELLOPTS",
    "ZDOTDIR",
];

/// Beginning of the variables in which bash hands on functions.
const FUNCTIONS: &[u8] = b"BASH_FUNC_";

/// Nobody sits at a terminal: no prompt, no pager, no colours or movement of a cursor.
const SET: &[(&str, &str)] = &[
    ("GIT_PAGER", "cat"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("MANPAGER", "cat"),
    ("PAGER", "cat"),
    ("SYSTEMD_PAGER", "cat"),
    ("TERM", "dumb"),
];

/// The variable that tells the processes of one run from all others.
pub(super) const MARK: &str = "ENGINE_RUN";

/// The environment for commands, made of the one the engine was started with and what the caller sets, in this order: what changes how a
/// shell reads a text is left out, then pagers, prompts and the terminal are set, then `set` counts, without what changes a shell.
#[must_use]
pub fn environment(
    inherited: impl IntoIterator<Item = (OsString, OsString)>,
    set: impl IntoIterator<Item = (OsString, OsString)>,
) -> Vec<(OsString, OsString)> {
    let mut all: Vec<(OsString, OsString)> = Vec::new();
    let fixed = SET
        .iter()
        .map(|(name, value)| (OsString::from(name), OsString::from(value)));
    for (name, value) in inherited.into_iter().chain(fixed).chain(set) {
        if changes_the_shell(&name) {
            continue;
        }
        all.retain(|(other, _)| *other != name);
        all.push((name, value));
    }
    all
}

fn changes_the_shell(name: &OsStr) -> bool {
    name.as_encoded_bytes().starts_with(FUNCTIONS) || DROPPED.iter().any(|dropped| name == *dropped)
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use super::environment;

    fn pairs(all: &[(&str, &str)]) -> Vec<(OsString, OsString)> {
        all.iter()
            .map(|(name, value)| (name.into(), value.into()))
            .collect()
    }

    #[test]
    fn nothing_that_changes_how_a_text_is_read_is_handed_on() {
        let all = environment(
            pairs(&[
                ("HOME", "/home/dev"),
                ("BASH_ENV", "/tmp/evil"),
                ("BASH_FUNC_ls%%", "() { rm -rf /; }"),
                ("SHELLOPTS", "xtrace"),
                ("PAGER", "less"),
            ]),
            pairs(&[("ENV", "/tmp/evil"), ("TERM", "xterm"), ("A", "1")]),
        );
        let expected = pairs(&[
            ("HOME", "/home/dev"),
            ("GIT_PAGER", "cat"),
            ("GIT_TERMINAL_PROMPT", "0"),
            ("MANPAGER", "cat"),
            ("PAGER", "cat"),
            ("SYSTEMD_PAGER", "cat"),
            ("TERM", "xterm"),
            ("A", "1"),
        ]);
        assert_eq!(all, expected);
    }
}
