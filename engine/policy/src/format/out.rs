//! The text being printed, with the column that it has come to.

use crate::read::MAX_TEXT_BYTES;
use crate::read::kdl::is_newline;

/// Characters of a line that the printers keep to where they choose.
pub(super) const WIDTH: usize = 120;

/// Blanks of one step of indentation.
pub(super) const INDENT: usize = 4;

#[derive(Debug)]
pub(super) struct Out {
    text: String,
    line_end: &'static str,
    column: usize,
    /// Whether nothing but indentation stands on the current line.
    start: bool,
}

impl Out {
    /// Lines end as the last one of the text does, and a byte order mark stays. The last one, since it is never one inside a value once
    /// the text was printed.
    pub(super) fn like(text: &str) -> Self {
        let crlf = text
            .rfind('\n')
            .and_then(|at| text.get(..at))
            .is_some_and(|line| line.ends_with('\r'));
        let mark = if text.starts_with('\u{feff}') {
            "\u{feff}"
        } else {
            ""
        };
        let mut own = String::with_capacity(text.len() + text.len() / 8);
        own.push_str(mark);
        Self {
            text: own,
            line_end: if crlf { "\r\n" } else { "\n" },
            column: 0,
            start: true,
        }
    }

    pub(super) fn push(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        match text.rfind(is_newline) {
            Some(at) => {
                let last = text.get(at..).unwrap_or_default();
                self.column = last.chars().count().saturating_sub(1);
            }
            None => self.column += text.chars().count(),
        }
        if !self.is_full() {
            self.text.push_str(text);
        }
        self.start = false;
    }

    /// Ends the line.
    pub(super) fn line(&mut self) {
        if !self.is_full() {
            self.text.push_str(self.line_end);
        }
        self.column = 0;
        self.start = true;
    }

    pub(super) fn indent(&mut self, blanks: usize) {
        if !self.is_full() {
            self.text.extend(std::iter::repeat_n(' ', blanks));
        }
        self.column += blanks;
    }

    /// Whether it is too long to be a file already: deep nesting on one line grows far beyond what was read.
    fn is_full(&self) -> bool {
        self.text.len() > MAX_TEXT_BYTES
    }

    pub(super) fn column(&self) -> usize {
        self.column
    }

    pub(super) fn at_start(&self) -> bool {
        self.start
    }

    /// The last line, if there is anything, gets its end.
    pub(super) fn finish(&mut self) {
        if !self.start {
            self.line();
        }
    }

    pub(super) fn into_text(self) -> String {
        self.text
    }
}
