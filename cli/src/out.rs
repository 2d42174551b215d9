//! The only place that writes to the terminal; a closed pipe ends writing quietly.

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

/// Colours, where standard output is a terminal and nobody asked for none (<https://no-color.org>).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Paint {
    on: bool,
}

impl Paint {
    pub(crate) fn for_stdout() -> Self {
        Self {
            on: io::stdout().is_terminal()
                && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty()),
        }
    }

    /// The same for standard error.
    pub(crate) fn for_stderr() -> Self {
        Self {
            on: io::stderr().is_terminal()
                && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty()),
        }
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
