//! Tilde prefixes (POSIX 2.6.1; bash manual 3.5.2).
//!
//! A prefix expands only where all of it is plain text up to a slash, a colon in an assignment, or the end of the word.

use crate::{Construct, Part, PartKind, Shell};

use super::{
    Parsed,
    brace::Marks,
    cursor::{Parser, begins_name, in_name, is_meta},
    word::{Place, Run, Tildes},
};

/// Bytes of a name looked at to see whether a word looks like an assignment.
const LONGEST_NAME: usize = 128;

impl Parser<'_> {
    /// Whether the tilde here expands.
    pub(super) fn tilde_expands(
        &self,
        start: usize,
        run: &Run,
        place: Place,
        marks: Option<&Marks>,
    ) -> Parsed<bool> {
        if self.pos == start {
            return self.prefix_expands(place.tildes == Tildes::Value);
        }
        if let Some(marks) = marks
            && marks.end() == self.pos
        {
            // Braces expand first, so the tilde may come to stand at the start of a word.
            if marks.begins_at(start) || self.assigned_at(start)?.is_some() {
                return Err(self.here(Construct::BraceForm));
            }
            return Ok(false);
        }
        if self.pos <= run.from {
            // zsh expands it after empty quotes.
            self.not_zsh(self.pos)?;
            return Ok(false);
        }
        let before = self.byte(self.pos - 1);
        if !matches!(before, b':' | b'=') {
            return Ok(false);
        }
        match place.tildes {
            Tildes::Value if before == b':' => self.prefix_expands(true),
            Tildes::Value => {
                self.not_zsh(self.pos)?;
                Ok(false)
            }
            Tildes::Start => match self.assigned_at(start)? {
                Some(_) => Err(self.here(Construct::TildePrefix)),
                None => Ok(false),
            },
            Tildes::Word => match self.assigned_at(start)? {
                None => Ok(false),
                Some(value) => {
                    // bash alone expands tildes in arguments that look like assignments.
                    self.bash_only(self.pos)?;
                    if before == b':' || value == self.pos {
                        self.prefix_expands(true)
                    } else {
                        Ok(false)
                    }
                }
            },
        }
    }

    /// Where the value begins in a word that looks like an assignment.
    fn assigned_at(&self, start: usize) -> Parsed<Option<usize>> {
        if !begins_name(self.byte(start)) {
            return Ok(None);
        }
        let mut at = start;
        while in_name(self.byte(at)) {
            at += 1;
            if at > start + LONGEST_NAME {
                return Err(self.here(Construct::TildePrefix));
            }
        }
        Ok(match (self.byte(at), self.byte(at + 1)) {
            (b'=', _) => Some(at + 1),
            (b'+', b'=') => Some(at + 2),
            // With a subscript it looks like an assignment, too.
            (b'[', _) => return Err(self.here(Construct::TildePrefix)),
            _ => None,
        })
    }

    /// Length of the name after the tilde here.
    fn name_length(&self) -> usize {
        let mut length = 0;
        while {
            let byte = self.peek_at(1 + length);
            byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'+' | b'.')
        } {
            length += 1;
        }
        length
    }

    fn prefix_expands(&self, colon_ends: bool) -> Parsed<bool> {
        let length = self.name_length();
        let first = self.peek_at(1);
        let next = self.peek_at(1 + length);
        match next {
            b'/' => {}
            b':' if colon_ends => {}
            // bash ends a prefix at a colon in any word, unless quotes follow.
            b':' => {
                self.bash_only(self.pos)?;
                return Err(self.here(Construct::TildePrefix));
            }
            byte if is_meta(byte) => {}
            b'\\' if self.continues_at(1 + length) => return Err(self.here(Construct::SplitToken)),
            // Quoted or expanding: bash leaves the tilde alone.
            b'\'' | b'"' | b'\\' | b'$' | b'`' => {
                self.bash_only(self.pos)?;
                return Ok(false);
            }
            _ => return Err(self.here(Construct::TildePrefix)),
        }
        if length == 0 {
            return Ok(true);
        }
        if matches!(first, b'0'..=b'9' | b'+' | b'-') && (length > 1 || first.is_ascii_digit()) {
            return Err(self.here(Construct::TildePrefix));
        }
        match self.shell {
            Shell::Zsh => Err(self.here(Construct::NotInThisShell)),
            Shell::Sh if matches!(first, b'+' | b'-') => Err(self.here(Construct::NotInThisShell)),
            Shell::Bash | Shell::Sh => Ok(true),
        }
    }

    /// Reads a prefix that expands.
    pub(super) fn tilde(&mut self, parts: &mut Vec<Part>) -> Parsed<()> {
        let start = self.pos;
        self.pos += 1 + self.name_length();
        parts.push(Part {
            kind: PartKind::Tilde(self.slice(start + 1, self.pos)?.into()),
            span: self.span(start),
        });
        Ok(())
    }
}
