//! The only place that writes to the terminal; a closed pipe ends writing quietly.

use std::ffi::OsString;
use std::fmt::Display;
use std::io::{self, IsTerminal, Write};

/// Writes to standard output.
pub(crate) fn print(text: &str) {
    // A reader that has gone away wants no more, and there is nobody to tell.
    let _closed = io::stdout().lock().write_all(text.as_bytes());
}

/// Writes to standard error.
pub(crate) fn complain(text: &str) {
    let _closed = io::stderr().lock().write_all(text.as_bytes());
}

/// Whether a person reads standard output as it is written.
pub(crate) fn is_terminal() -> bool {
    io::stdout().is_terminal()
}

/// Whether a person reads standard error as it is written.
pub(crate) fn is_stderr_terminal() -> bool {
    io::stderr().is_terminal()
}

/// Whether a person can be asked: standard input and standard error are a terminal.
pub(crate) fn is_person_there() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Colours, or none.
///
/// Source: <https://no-color.org> and <https://bixense.com/clicolors>. In this order: `NO_COLOR` turns them off, `CLICOLOR_FORCE` turns them
/// on, `CLICOLOR=0` and `TERM=dumb` turn them off; else a terminal has them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Paint {
    on: bool,
}

impl Paint {
    pub(crate) fn for_stdout() -> Self {
        Self::by(io::stdout().is_terminal(), &|name| std::env::var_os(name))
    }

    /// The same for standard error.
    pub(crate) fn for_stderr() -> Self {
        Self::by(io::stderr().is_terminal(), &|name| std::env::var_os(name))
    }

    fn by(is_terminal: bool, variable: &dyn Fn(&str) -> Option<OsString>) -> Self {
        let says = |name: &str| variable(name).is_some_and(|value| !value.is_empty());
        let is = |name: &str, word: &str| variable(name).is_some_and(|value| value == word);
        let on = if says("NO_COLOR") {
            false
        } else if says("CLICOLOR_FORCE") && !is("CLICOLOR_FORCE", "0") {
            true
        } else {
            is_terminal && !is("CLICOLOR", "0") && !is("TERM", "dumb")
        };
        Self { on }
    }

    #[cfg(test)]
    pub(crate) fn of(on: bool) -> Self {
        Self { on }
    }

    /// Whether there are colours.
    pub(crate) fn is_on(self) -> bool {
        self.on
    }

    fn wrap(self, code: &str, text: &str) -> String {
        if self.on {
            format!("\u{1b}[{code}m{text}\u{1b}[0m")
        } else {
            text.to_owned()
        }
    }

    pub(crate) fn green(self, text: &str) -> String {
        self.wrap("32;1", text)
    }

    pub(crate) fn yellow(self, text: &str) -> String {
        self.wrap("33;1", text)
    }

    pub(crate) fn red(self, text: &str) -> String {
        self.wrap("31;1", text)
    }

    pub(crate) fn dim(self, text: &str) -> String {
        self.wrap("2", text)
    }
}

/// Text that a terminal shows as it is: control characters and what reorders text are written as escapes.
pub(crate) fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        let hidden = c.is_control()
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}');
        if hidden && c != '\n' && c != '\t' {
            shown.extend(c.escape_unicode());
        } else {
            shown.push(c);
        }
    }
    shown
}

/// A count with its noun: `1 rule`, `2 rules`.
pub(crate) fn many<N: Display + PartialEq + From<u8> + Copy>(count: N, noun: &str) -> String {
    let end = if count == N::from(1) { "" } else { "s" };
    format!("{count} {noun}{end}")
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use super::{Paint, many};

    fn is_on(is_terminal: bool, variables: &[(&str, &str)]) -> bool {
        let variable = |name: &str| {
            let own = variables.iter().find(|(own, _)| *own == name);
            own.map(|(_, value)| OsString::from(value))
        };
        Paint::by(is_terminal, &variable).is_on()
    }

    #[test]
    fn a_terminal_has_colours_unless_somebody_wants_none() {
        assert!(is_on(true, &[]));
        assert!(is_on(true, &[("TERM", "xterm"), ("NO_COLOR", "")]));
        assert!(!is_on(true, &[("NO_COLOR", "1")]));
        assert!(!is_on(true, &[("TERM", "dumb")]));
        assert!(!is_on(true, &[("CLICOLOR", "0")]));
    }

    #[test]
    fn a_pipe_has_colours_only_when_they_are_forced() {
        assert!(!is_on(false, &[("CLICOLOR", "1")]));
        assert!(!is_on(false, &[("CLICOLOR_FORCE", "0")]));
        assert!(is_on(false, &[("CLICOLOR_FORCE", "1"), ("TERM", "dumb")]));
        assert!(!is_on(false, &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")]));
    }

    #[test]
    fn one_thing_is_named_as_one() {
        assert_eq!(many(1_usize, "rule"), "1 rule");
        assert_eq!(many(0_usize, "rule"), "0 rules");
        assert_eq!(many(2_u32, "rule"), "2 rules");
    }
}
