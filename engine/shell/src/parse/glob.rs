//! Pattern pieces in unquoted words: `*`, `?` and brackets (POSIX 2.14; bash manual 3.5.8.1).

use crate::{Construct, Part, PartKind, Shell};

use super::{
    Parsed,
    cursor::{Parser, is_meta},
};

/// Bytes of one bracket pattern; more is refused, so that looking for its end stays linear.
const LONGEST_BRACKET: usize = 128;

impl Parser<'_> {
    /// A pattern piece of known length.
    pub(super) fn glob(&mut self, length: usize, parts: &mut Vec<Part>) -> Parsed<()> {
        let start = self.pos;
        self.pos += length;
        let text = self.slice(start, self.pos)?;
        if text == "*" && self.peek() == b'*' {
            // `**/` descends in zsh.
            self.not_zsh(start)?;
        }
        parts.push(Part {
            kind: PartKind::Glob(text.into()),
            span: self.span(start),
        });
        Ok(())
    }

    /// Length of the bracket pattern that begins here; 0 where `[` stands for itself, since no `]` follows in the same
    /// component of the path.
    pub(super) fn bracket(&self, in_brace: bool) -> Parsed<usize> {
        let mut length = 1;
        match self.peek_at(length) {
            b'!' => length += 1,
            b'^' => {
                if self.shell == Shell::Sh {
                    return Err(self.here(Construct::NotInThisShell));
                }
                length += 1;
            }
            _ => {}
        }
        if self.peek_at(length) == b']' {
            length += 1;
        }
        while length < LONGEST_BRACKET {
            match self.peek_at(length) {
                b']' => return Ok(length + 1),
                b'[' if self.peek_at(length + 1) == b':' => length += self.class(length)?,
                b'[' if matches!(self.peek_at(length + 1), b'.' | b'=') => {
                    return Err(self.here(Construct::BracketPattern));
                }
                b'\'' | b'"' | b'$' | b'`' | b'\\' | b'{' => {
                    return Err(self.here(Construct::BracketPattern));
                }
                b',' | b'}' | b'.' if in_brace => return Err(self.here(Construct::BracketPattern)),
                b'/' => return Ok(0),
                byte if is_meta(byte) => return Ok(0),
                _ => length += 1,
            }
        }
        Err(self.here(Construct::BracketPattern))
    }

    /// Length of the character class `[:name:]` inside a bracket.
    fn class(&self, offset: usize) -> Parsed<usize> {
        let mut length = 2;
        while self.peek_at(offset + length).is_ascii_lowercase() && length < LONGEST_BRACKET {
            length += 1;
        }
        if length > 2 && self.peek_at(offset + length) == b':' && self.peek_at(offset + length + 1) == b']' {
            return Ok(length + 2);
        }
        Err(self.here(Construct::BracketPattern))
    }
}
