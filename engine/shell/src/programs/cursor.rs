//! A place in a program's text, moved byte by byte.
//!
//! The grammars here are made of ASCII; other characters occur only inside names, strings and comments, whole.

use crate::{ProgramError, Span};

/// Reads a text from its start to its end.
#[derive(Clone, Debug)]
pub(super) struct Cursor<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    /// Offset of the next byte.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// The next byte.
    pub(super) fn peek(&self) -> Option<u8> {
        self.ahead(0)
    }

    /// The byte `count` bytes after the next one.
    pub(super) fn ahead(&self, count: usize) -> Option<u8> {
        self.text.as_bytes().get(self.at + count).copied()
    }

    /// Takes the next byte.
    pub(super) fn bump(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.at += 1;
        Some(byte)
    }

    /// Takes the next byte if it is `byte`.
    pub(super) fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        if found {
            self.at += 1;
        }
        found
    }

    /// Takes `count` bytes.
    pub(super) fn advance(&mut self, count: usize) {
        self.at = (self.at + count).min(self.text.len());
    }

    /// Takes bytes as long as they are wanted; says how many there were.
    pub(super) fn skip_while(&mut self, wanted: impl Fn(u8) -> bool) -> usize {
        let start = self.at;
        while self.peek().is_some_and(&wanted) {
            self.at += 1;
        }
        self.at - start
    }

    /// Takes everything up to a newline, which stays.
    pub(super) fn rest_of_line(&mut self) -> &'a str {
        let start = self.at;
        self.skip_while(|byte| byte != b'\n');
        self.since(start)
    }

    /// The text from `start` to here.
    pub(super) fn since(&self, start: usize) -> &'a str {
        self.text.get(start..self.at).unwrap_or_default()
    }

    /// What is still to be read.
    pub(super) fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// The span from `start` to here.
    pub(super) fn span(&self, start: usize) -> Span {
        Span::new(start, self.at)
    }

    /// A refusal at this place.
    pub(super) fn error(&self, reason: &'static str) -> ProgramError {
        ProgramError {
            offset: self.at,
            reason,
        }
    }
}
