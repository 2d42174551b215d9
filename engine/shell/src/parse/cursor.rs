//! The state of the parser and how it moves: bytes, blanks, comments, newlines, counts.
//!
//! Invariant (no NUL): texts hold no NUL byte, so a zero stands for the end of what is being read.

use crate::{Construct, HereDocument, Limits, NotUnderstood, Shell, Span};

use super::{Parsed, heredoc::Pending};

/// One reading of one text.
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent facts about where the parser is"
)]
pub(super) struct Parser<'t> {
    pub(super) text: &'t str,
    /// The text up to the end of the region being read (a here-document, backticks).
    pub(super) bytes: &'t [u8],
    pub(super) pos: usize,
    pub(super) shell: Shell,
    pub(super) limits: &'t Limits,
    depth: usize,
    commands: usize,
    /// Here-documents whose bodies begin after the next newline.
    pub(super) pending: Vec<Pending<'t>>,
    /// Whether here-documents wait outside the substitution being read.
    pub(super) waiting_outside: bool,
    /// Read bodies, by the offset of their operator.
    pub(super) bodies: Vec<(usize, HereDocument)>,
    pub(super) comments: Vec<Span>,
    pub(super) plain: bool,
    /// A newline ended a statement, and something was read (a redirection, a pattern, `&&`) that is plain in a text of one
    /// line alone.
    pub(super) lines: bool,
    pub(super) one_line: bool,
    /// In any substitution, where a line may end a here-document early.
    pub(super) substituted: bool,
    /// In a pipeline after `time`, where zsh takes another `time` for a program.
    pub(super) timed: bool,
    /// In backticks, where comments and here-documents are refused.
    pub(super) backticks: bool,
}

impl<'t> Parser<'t> {
    pub(super) fn new(text: &'t str, shell: Shell, limits: &'t Limits) -> Self {
        Self {
            text,
            bytes: text.as_bytes(),
            pos: 0,
            shell,
            limits,
            depth: 0,
            commands: 0,
            pending: Vec::new(),
            waiting_outside: false,
            bodies: Vec::new(),
            comments: Vec::new(),
            plain: true,
            lines: false,
            one_line: false,
            substituted: false,
            timed: false,
            backticks: false,
        }
    }

    /// The byte here; 0 at the end.
    #[inline]
    pub(super) fn peek(&self) -> u8 {
        self.peek_at(0)
    }

    /// The byte `ahead` of here; 0 past the end.
    #[inline]
    pub(super) fn peek_at(&self, ahead: usize) -> u8 {
        self.byte(self.pos + ahead)
    }

    /// The byte at an offset; 0 past the end.
    #[inline]
    pub(super) fn byte(&self, at: usize) -> u8 {
        self.bytes.get(at).copied().unwrap_or(0)
    }

    pub(super) fn at_end(&self) -> bool {
        self.pos >= self.bytes.len()
    }

    pub(super) fn looking_at(&self, expected: &[u8]) -> bool {
        self.bytes
            .get(self.pos..)
            .is_some_and(|rest| rest.starts_with(expected))
    }

    /// Whether a line continuation stands `ahead` of here.
    pub(super) fn continues_at(&self, ahead: usize) -> bool {
        self.peek_at(ahead) == b'\\' && self.peek_at(ahead + 1) == b'\n'
    }

    /// The text between two offsets. They are character boundaries by construction; if not, the text is refused.
    #[inline]
    pub(super) fn slice(&self, start: usize, end: usize) -> Parsed<&'t str> {
        self.text.get(start..end).ok_or(NotUnderstood {
            construct: Construct::UnexpectedToken,
            span: Span::default(),
        })
    }

    /// Length of the character at an offset; 0 at the end of the text.
    pub(super) fn char_len(&self, at: usize) -> usize {
        let first = self.text.get(at..).and_then(|rest| rest.chars().next());
        first.map_or(0, char::len_utf8)
    }

    #[inline]
    pub(super) fn span(&self, start: usize) -> Span {
        Span::new(start, self.pos)
    }

    /// A refusal of the character here.
    #[cold]
    pub(super) fn here(&self, construct: Construct) -> NotUnderstood {
        NotUnderstood {
            construct,
            span: Span::new(self.pos, self.pos + self.char_len(self.pos)),
        }
    }

    /// A refusal of what was read since `start`, or of the character there if nothing was.
    #[cold]
    pub(super) fn since(&self, construct: Construct, start: usize) -> NotUnderstood {
        let end = self.pos.max(start + self.char_len(start));
        NotUnderstood {
            construct,
            span: Span::new(start, end),
        }
    }

    /// Enters one level of nesting.
    #[inline]
    pub(super) fn enter(&mut self) -> Parsed<()> {
        self.depth += 1;
        if self.depth > self.limits.depth {
            return Err(self.here(Construct::TooDeep));
        }
        Ok(())
    }

    #[inline]
    pub(super) fn leave(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }

    /// Counts one command.
    pub(super) fn count_command(&mut self) -> Parsed<()> {
        self.commands += 1;
        if self.commands > self.limits.commands {
            return Err(self.here(Construct::TooManyCommands));
        }
        Ok(())
    }

    /// Skips blanks, line continuations and a comment. Only called where a token may begin, so that `#` begins a comment.
    #[inline]
    pub(super) fn blanks(&mut self) -> Parsed<()> {
        loop {
            match self.peek() {
                b' ' | b'\t' => self.pos += 1,
                b'\\' | b'#' => {
                    if !self.rare_blank()? {
                        return Ok(());
                    }
                }
                _ => return Ok(()),
            }
        }
    }

    /// Skips a line continuation or a comment; whether there was one.
    #[cold]
    fn rare_blank(&mut self) -> Parsed<bool> {
        let start = self.pos;
        if self.peek() == b'#' {
            let rest = self.bytes.get(start..).unwrap_or_default();
            let length = rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
            self.pos += length;
            self.plain = false;
            if self.backticks {
                return Err(self.since(Construct::BacktickEscape, start));
            }
            self.comments.push(self.span(start));
            return Ok(true);
        }
        if !self.continues_at(0) {
            return Ok(false);
        }
        if start + 2 >= self.bytes.len() {
            return Err(self.here(Construct::TrailingBackslash));
        }
        self.plain = false;
        self.pos += 2;
        Ok(true)
    }

    /// Skips blanks and newlines after an operator that joins commands.
    pub(super) fn newlines_within(&mut self) -> Parsed<()> {
        self.one_line = true;
        self.blanks()?;
        self.plain &= self.peek() != b'\n';
        self.newlines()
    }

    /// Skips blanks and newlines, reading the here-documents that wait for a newline.
    pub(super) fn newlines(&mut self) -> Parsed<()> {
        loop {
            self.blanks()?;
            if self.peek() != b'\n' {
                return Ok(());
            }
            self.newline()?;
        }
    }

    /// Steps over a newline token.
    fn newline(&mut self) -> Parsed<()> {
        self.lines = true;
        if self.waiting_outside {
            // Whose body begins here is read differently by different shells.
            return Err(self.here(Construct::HeredocDelimiter));
        }
        self.pos += 1;
        if self.pending.is_empty() {
            return Ok(());
        }
        for pending in std::mem::take(&mut self.pending) {
            self.heredoc_body(&pending)?;
        }
        Ok(())
    }

    /// Refuses where a here-document still waits for its body.
    pub(super) fn expect_no_pending(&self) -> Parsed<()> {
        match self.pending.first() {
            Some(pending) => Err(NotUnderstood {
                construct: Construct::UnclosedHeredoc,
                span: pending.span,
            }),
            None => Ok(()),
        }
    }
}

/// Whether a byte ends an unquoted word; 0 is the end of the text.
#[inline]
pub(super) fn is_meta(byte: u8) -> bool {
    matches!(
        byte,
        0 | b' ' | b'\t' | b'\n' | b'|' | b'&' | b';' | b'(' | b')' | b'<' | b'>'
    )
}

/// Whether a byte may begin a name.
#[inline]
pub(super) fn begins_name(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_'
}

/// Whether a byte may stand in a name.
#[inline]
pub(super) fn in_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Whether a text is a variable name.
pub(super) fn is_name(text: &str) -> bool {
    text.bytes().next().is_some_and(begins_name) && text.bytes().all(in_name)
}
