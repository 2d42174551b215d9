//! Quotes (POSIX 2.2; bash manual 3.1.2): `'...'`, `"..."`, `$'...'`.

use smol_str::SmolStr;

use crate::{Construct, Part, PartKind, Shell};

use super::{Parsed, cursor::Parser, word::Run};

/// What ends text in which only `$`, a backtick and a backslash are special.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Quoted {
    /// A double quote.
    Double,
    /// The end of the region: a here-document.
    Heredoc,
}

impl Parser<'_> {
    /// `'...'`
    pub(super) fn single_quoted(&mut self, parts: &mut Vec<Part>) -> Parsed<()> {
        let start = self.pos;
        let rest = self.bytes.get(start + 1..).unwrap_or_default();
        let Some(length) = rest.iter().position(|byte| *byte == b'\'') else {
            return Err(self.here(Construct::UnclosedSingleQuote));
        };
        let inside = rest.get(..length).unwrap_or_default();
        if self.plain && !is_plain_quoted(inside) {
            self.plain = false;
        }
        self.pos += length + 2;
        let text = self.slice(start + 1, self.pos - 1)?.into();
        parts.push(Part {
            kind: PartKind::SingleQuoted(text),
            span: self.span(start),
        });
        Ok(())
    }

    /// `"..."`
    pub(super) fn double_quoted(&mut self, parts: &mut Vec<Part>) -> Parsed<()> {
        let start = self.pos;
        self.enter()?;
        self.pos += 1;
        let inner = match self.quoted_text(Quoted::Double) {
            Err(refused) if refused.construct == Construct::UnclosedDoubleQuote => {
                self.pos = start;
                return Err(self.here(Construct::UnclosedDoubleQuote));
            }
            inner => inner?,
        };
        self.leave();
        self.pos += 1;
        parts.push(Part {
            kind: PartKind::DoubleQuoted(inner),
            span: self.span(start),
        });
        Ok(())
    }

    /// Text up to a double quote, or to the end of a here-document, with its expansions.
    #[inline(never)]
    pub(super) fn quoted_text(&mut self, quoted: Quoted) -> Parsed<Vec<Part>> {
        let mut parts = Vec::new();
        let mut run = Run::new(self.pos);
        loop {
            let rest = self.bytes.get(self.pos..).unwrap_or_default();
            let special = |byte: &u8| matches!(byte, b'"' | b'$' | b'`' | b'\\');
            let length = rest.iter().position(special).unwrap_or(rest.len());
            if self.plain && !is_plain_quoted(rest.get(..length).unwrap_or_default()) {
                self.plain = false;
            }
            self.pos += length;
            match self.peek() {
                b'"' if quoted == Quoted::Heredoc => self.pos += 1,
                b'"' => {
                    self.flush(&mut run, &mut parts)?;
                    return Ok(parts);
                }
                0 => {
                    if quoted == Quoted::Double {
                        return Err(self.here(Construct::UnclosedDoubleQuote));
                    }
                    self.flush(&mut run, &mut parts)?;
                    return Ok(parts);
                }
                b'\\' => {
                    self.plain = false;
                    match self.peek_at(1) {
                        b'$' | b'`' | b'\\' => self.escape(&mut run)?,
                        b'"' if quoted == Quoted::Double => self.escape(&mut run)?,
                        b'\n' => self.drop_continuation(&mut run)?,
                        // Any other backslash stands for itself, and so does what follows it.
                        _ => self.pos += 1,
                    }
                }
                b'`' => {
                    self.flush(&mut run, &mut parts)?;
                    self.backquoted(&mut parts)?;
                    run = Run::new(self.pos);
                }
                _ => {
                    self.plain = false;
                    if self.dollar_expands(true)? {
                        self.flush(&mut run, &mut parts)?;
                        self.dollar(true, &mut parts)?;
                        run = Run::new(self.pos);
                    } else {
                        self.pos += 1;
                    }
                }
            }
        }
    }

    /// `$'...'`
    pub(super) fn ansi_c(&mut self, parts: &mut Vec<Part>) -> Parsed<()> {
        let start = self.pos;
        self.not_sh(start)?;
        self.pos += 2;
        let body = self.pos;
        loop {
            match self.peek() {
                0 => {
                    self.pos = start;
                    return Err(self.here(Construct::UnclosedSingleQuote));
                }
                b'\'' => break,
                b'\\' => {
                    self.pos += 1 + self.char_len(self.pos + 1);
                    if self.at_end() {
                        self.pos = start;
                        return Err(self.here(Construct::UnclosedSingleQuote));
                    }
                }
                _ => self.pos += 1,
            }
        }
        let raw = self.slice(body, self.pos)?;
        self.pos += 1;
        let decoded = if raw.contains('\\') {
            decode(raw, self.shell)
        } else {
            Some(raw.into())
        };
        if decoded.is_none() && self.shell == Shell::Zsh {
            return Err(self.since(Construct::NotInThisShell, start));
        }
        parts.push(Part {
            kind: PartKind::AnsiC(decoded),
            span: self.span(start),
        });
        Ok(())
    }
}

/// Whether quoted text is printable ASCII, the only kind that plain texts hold.
fn is_plain_quoted(text: &[u8]) -> bool {
    text.iter().all(|byte| matches!(byte, b' '..=b'~'))
}

/// Decodes the escapes of `$'...'` (bash manual 3.1.2.4); `None` where the result is not certain.
fn decode(raw: &str, shell: Shell) -> Option<SmolStr> {
    let mut bytes = Vec::with_capacity(raw.len());
    let mut rest = raw;
    while let Some((before, after)) = rest.split_once('\\') {
        bytes.extend_from_slice(before.as_bytes());
        let mut chars = after.chars();
        let escape = chars.next()?;
        rest = chars.as_str();
        if shell != Shell::Bash
            && !matches!(
                escape,
                'n' | 't' | 'r' | 'a' | 'b' | 'e' | 'f' | 'v' | '\\' | '\''
            )
        {
            return None;
        }
        match escape {
            'a' => bytes.push(7),
            'b' => bytes.push(8),
            'e' | 'E' => bytes.push(27),
            'f' => bytes.push(12),
            'n' => bytes.push(b'\n'),
            'r' => bytes.push(b'\r'),
            't' => bytes.push(b'\t'),
            'v' => bytes.push(11),
            '\\' => bytes.push(b'\\'),
            '\'' => bytes.push(b'\''),
            '"' => bytes.push(b'"'),
            '?' => bytes.push(b'?'),
            '0'..='7' => {
                let (value, after) = digits(after, 8, 3)?;
                bytes.push(u8::try_from(value).ok()?);
                rest = after;
            }
            'x' => {
                let (value, after) = digits(rest, 16, 2)?;
                bytes.push(u8::try_from(value).ok()?);
                rest = after;
            }
            'u' | 'U' => {
                let (value, after) = digits(rest, 16, if escape == 'u' { 4 } else { 8 })?;
                // Others depend on the locale.
                bytes.push(u8::try_from(value).ok().filter(u8::is_ascii)?);
                rest = after;
            }
            // Control characters, and backslashes that stay.
            _ => return None,
        }
    }
    bytes.extend_from_slice(rest.as_bytes());
    // A NUL ends the string; the two others are bash's own marks.
    if bytes.iter().any(|byte| matches!(byte, 0 | 1 | 0x7f)) {
        return None;
    }
    String::from_utf8(bytes).ok().map(SmolStr::from)
}

/// At least one and at most `most` digits.
fn digits(text: &str, radix: u32, most: usize) -> Option<(u32, &str)> {
    let length = text
        .bytes()
        .take(most)
        .take_while(|byte| char::from(*byte).is_digit(radix))
        .count();
    let (number, rest) = text.split_at_checked(length)?;
    Some((u32::from_str_radix(number, radix).ok()?, rest))
}
