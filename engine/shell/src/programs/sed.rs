//! Reads sed scripts as GNU sed 4.9 does (its manual, "sed scripts" and "Regular Expressions").
//!
//! Only the extent of each command matters here, so regular expressions are measured and not parsed. Where the extent
//! depends on how a bracket expression is read, the script is refused.

use smol_str::SmolStr;

use super::cursor::Cursor;
use super::{ProgramEffect, ProgramEffectKind, ProgramError};
use crate::{Origin, Value};

pub(super) fn analyse(text: &str) -> Result<Vec<ProgramEffect>, ProgramError> {
    let mut reader = Reader {
        at: Cursor::new(text),
        effects: Vec::new(),
        open_groups: 0,
    };
    while reader.command()? {}
    if reader.open_groups > 0 {
        return Err(reader.at.error("a `{` is never closed"));
    }
    Ok(reader.effects)
}

struct Reader<'a> {
    at: Cursor<'a>,
    effects: Vec<ProgramEffect>,
    open_groups: usize,
}

/// What one address is, as far as its neighbours care.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Address {
    Zero,
    Regex,
    Other,
}

fn is_blank(byte: u8) -> bool {
    byte == b' ' || byte == b'\t'
}

impl Reader<'_> {
    /// Reads one command; false at the end of the script.
    fn command(&mut self) -> Result<bool, ProgramError> {
        self.at
            .skip_while(|byte| is_blank(byte) || byte == b'\n' || byte == b';');
        let start = self.at.at();
        let addressed = self.addresses()?;
        let Some(name) = self.at.bump() else {
            return if addressed {
                Err(self.at.error("an address without a command"))
            } else {
                Ok(false)
            };
        };
        match name {
            b'#' | b':' | b'}' if addressed => return Err(self.at.error("a command that takes no address")),
            b'#' => {
                self.at.rest_of_line();
            }
            b'{' => self.open_groups += 1,
            b'}' => {
                self.open_groups = self
                    .open_groups
                    .checked_sub(1)
                    .ok_or_else(|| self.at.error("a `}` without its `{`"))?;
                self.end()?;
            }
            b'=' | b'd' | b'D' | b'F' | b'g' | b'G' | b'h' | b'H' | b'n' | b'N' | b'p' | b'P' | b'x'
            | b'z' => {
                self.end()?;
            }
            b'l' | b'q' | b'Q' => {
                self.at.skip_while(is_blank);
                self.at.skip_while(|byte| byte.is_ascii_digit());
                self.end()?;
            }
            b'v' => {
                self.at.skip_while(is_blank);
                self.at.skip_while(|byte| byte.is_ascii_digit() || byte == b'.');
                self.end()?;
            }
            b':' => {
                if self.label() == 0 {
                    return Err(self.at.error("a label without a name"));
                }
                self.end()?;
            }
            b'b' | b't' | b'T' => {
                self.label();
                self.end()?;
            }
            b'a' | b'i' | b'c' => self.text()?,
            b'e' => {
                self.at.skip_while(is_blank);
                let text = self.at.at();
                self.escaped_line();
                let text = self.at.since(text);
                // A backslash is removed from the text before the shell sees it, in ways that are not followed.
                let known = !text.is_empty() && !text.contains('\\');
                self.note(start, ProgramEffectKind::RunsShell(known.then(|| text.into())));
            }
            b'r' | b'R' => {
                let file = self.file_name()?;
                if file.known() != Some("/dev/stdin") {
                    self.note(start, ProgramEffectKind::ReadsFile(file));
                }
            }
            b'w' | b'W' => self.write(start)?,
            b's' => self.substitute(start)?,
            b'y' => {
                let delimiter = self.delimiter()?;
                self.delimited(delimiter, Piece::Text)?;
                self.delimited(delimiter, Piece::Text)?;
                self.end()?;
            }
            _ => return Err(self.at.error("an unknown command")),
        }
        Ok(true)
    }

    fn note(&mut self, start: usize, kind: ProgramEffectKind) {
        let span = self.at.span(start);
        self.effects.push(ProgramEffect { kind, span });
    }

    /// `[addr[,addr]][!]` and the blanks around; whether there was any.
    fn addresses(&mut self) -> Result<bool, ProgramError> {
        let Some(first) = self.address()? else {
            // A lone `!` stands for no address at all.
            let negated = self.at.eat(b'!');
            if negated {
                self.at.skip_while(is_blank);
            }
            return Ok(negated);
        };
        self.at.skip_while(is_blank);
        let mut second = None;
        if self.at.eat(b',') {
            self.at.skip_while(is_blank);
            second = Some(match self.at.peek() {
                Some(b'+' | b'~') => {
                    self.at.bump();
                    if self.at.skip_while(|byte| byte.is_ascii_digit()) == 0 {
                        return Err(self.at.error("a range without its count"));
                    }
                    Address::Other
                }
                _ => match self.address()? {
                    Some(Address::Zero) | None => return Err(self.at.error("a range without its end")),
                    Some(address) => address,
                },
            });
            self.at.skip_while(is_blank);
        }
        if first == Address::Zero && second != Some(Address::Regex) {
            return Err(self.at.error("line 0 is no address here"));
        }
        if self.at.eat(b'!') {
            self.at.skip_while(is_blank);
        }
        Ok(true)
    }

    fn address(&mut self) -> Result<Option<Address>, ProgramError> {
        let address = match self.at.peek() {
            Some(b'$') => {
                self.at.bump();
                Address::Other
            }
            Some(b'0'..=b'9') => {
                let start = self.at.at();
                self.at.skip_while(|byte| byte.is_ascii_digit());
                let zero = self.at.since(start).bytes().all(|byte| byte == b'0');
                if self.at.eat(b'~') {
                    if self.at.skip_while(|byte| byte.is_ascii_digit()) == 0 {
                        return Err(self.at.error("a step without its number"));
                    }
                    Address::Other
                } else if zero {
                    Address::Zero
                } else {
                    Address::Other
                }
            }
            Some(start @ (b'/' | b'\\')) => {
                let delimiter = if start == b'/' {
                    self.at.bump();
                    b'/'
                } else {
                    self.at.bump();
                    self.delimiter()?
                };
                self.delimited(delimiter, Piece::Regex)?;
                self.at.skip_while(|byte| byte == b'I' || byte == b'M');
                Address::Regex
            }
            _ => return Ok(None),
        };
        Ok(Some(address))
    }

    /// The character that separates the parts of a command. Only punctuation is taken, and none that a regular expression
    /// could need to end a bracket expression or an escape.
    fn delimiter(&mut self) -> Result<u8, ProgramError> {
        match self.at.bump() {
            Some(byte) if byte.is_ascii_punctuation() && !matches!(byte, b'[' | b']' | b'\\') => Ok(byte),
            _ => Err(self.at.error("a delimiter that is not followed")),
        }
    }

    /// Reads up to and over an unescaped `delimiter`.
    fn delimited(&mut self, delimiter: u8, piece: Piece) -> Result<(), ProgramError> {
        loop {
            match self.at.bump() {
                Some(byte) if byte == delimiter => return Ok(()),
                Some(b'\\') => match (self.at.bump(), piece) {
                    (None, _) | (Some(b'\n'), Piece::Regex) => {
                        return Err(self.at.error("a regular expression is never closed"));
                    }
                    (Some(_), _) => {}
                },
                Some(b'[') if piece == Piece::Regex => self.bracket(delimiter)?,
                Some(b'\n') | None => return Err(self.at.error("a delimiter is missing")),
                Some(_) => {}
            }
        }
    }

    /// Reads a bracket expression after its `[`. One that holds the delimiter is taken only if it has one reading.
    fn bracket(&mut self, delimiter: u8) -> Result<(), ProgramError> {
        let mut posix = self.at.clone();
        let mut escaping = self.at.clone();
        let plain = bracket_end(&mut posix, false, delimiter);
        let other = bracket_end(&mut escaping, true, delimiter);
        match (plain, other) {
            (Some(plain), Some(other)) if plain.simple && other.simple => {
                self.at = posix;
                Ok(())
            }
            (Some(plain), Some(other)) if !plain.delimiter && !other.delimiter => {
                // Between the two ends no delimiter stands, so either reading finds the same next one.
                self.at = if posix.at() < escaping.at() {
                    posix
                } else {
                    escaping
                };
                Ok(())
            }
            _ => Err(self.at.error("a bracket expression that can be read in two ways")),
        }
    }

    /// After a command: blanks and `;`, a newline, the end, or what may follow directly.
    fn end(&mut self) -> Result<(), ProgramError> {
        self.at.skip_while(is_blank);
        match self.at.peek() {
            None | Some(b'}' | b'#') => Ok(()),
            Some(b';' | b'\n') => {
                self.at.bump();
                Ok(())
            }
            Some(_) => Err(self.at.error("text after a command")),
        }
    }

    /// The length of a label and the blanks before it.
    fn label(&mut self) -> usize {
        self.at.skip_while(is_blank);
        self.at
            .skip_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'))
    }

    /// The text of `a`, `i` and `c`, in one line or after a backslash and a newline.
    fn text(&mut self) -> Result<(), ProgramError> {
        self.at.skip_while(is_blank);
        let marked = self.at.eat(b'\\');
        if marked && self.at.peek() == Some(b'\n') {
            self.at.bump();
            if self.at.peek().is_none() {
                return Err(self.at.error("a command without its text"));
            }
        } else {
            self.at.skip_while(is_blank);
            match self.at.peek() {
                Some(b'\n') | None => return Err(self.at.error("a command without its text")),
                Some(b'\\') if marked => {
                    return Err(self.at.error("text after a backslash that is not followed"));
                }
                Some(_) => {}
            }
        }
        self.escaped_line();
        Ok(())
    }

    /// Everything up to a newline that no backslash stands before.
    fn escaped_line(&mut self) {
        while let Some(byte) = self.at.peek() {
            match byte {
                b'\n' => return,
                b'\\' => self.at.advance(2),
                _ => self.at.advance(1),
            }
        }
    }

    /// A file name: all the rest of the line.
    fn file_name(&mut self) -> Result<Value, ProgramError> {
        self.at.skip_while(is_blank);
        let name = self.at.rest_of_line();
        if name.is_empty() {
            return Err(self.at.error("a command without its file"));
        }
        Ok(if name.contains('\\') {
            Value::Unknown(Origin::Bytes)
        } else {
            Value::Known(SmolStr::new(name))
        })
    }

    fn write(&mut self, start: usize) -> Result<(), ProgramError> {
        let file = self.file_name()?;
        if !matches!(file.known(), Some("/dev/stdout" | "/dev/stderr")) {
            self.note(start, ProgramEffectKind::WritesFile(file));
        }
        Ok(())
    }

    /// `s/regex/replacement/flags` after the `s`.
    fn substitute(&mut self, start: usize) -> Result<(), ProgramError> {
        let delimiter = self.delimiter()?;
        self.delimited(delimiter, Piece::Regex)?;
        self.delimited(delimiter, Piece::Text)?;
        let mut executes = false;
        loop {
            match self.at.peek() {
                Some(b'g' | b'p' | b'i' | b'I' | b'm' | b'M' | b'0'..=b'9' | b' ' | b'\t') => {
                    self.at.bump();
                }
                Some(b'e') => {
                    self.at.bump();
                    executes = true;
                }
                Some(b'w') => {
                    self.at.bump();
                    self.write(start)?;
                    break;
                }
                _ => {
                    self.end()?;
                    break;
                }
            }
        }
        if executes {
            self.note(start, ProgramEffectKind::RunsShell(None));
        }
        Ok(())
    }
}

/// What stands between two delimiters.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Piece {
    /// Bracket expressions count.
    Regex,
    /// Only escapes count; an escaped newline is part of it.
    Text,
}

/// How a bracket expression was read.
struct Bracket {
    /// It has no backslash, no inner `[` and no leading `]`: there is one reading.
    simple: bool,
    /// An unescaped delimiter stands in it.
    delimiter: bool,
}

/// Moves over a bracket expression, with or without the backslash as an escape; `None` if it is not closed on its line.
fn bracket_end(at: &mut Cursor<'_>, escapes: bool, delimiter: u8) -> Option<Bracket> {
    let mut bracket = Bracket {
        simple: true,
        delimiter: false,
    };
    at.eat(b'^');
    let mut first = true;
    loop {
        match at.bump()? {
            b']' if first => bracket.simple = false,
            b']' => return Some(bracket),
            b'[' => {
                bracket.simple = false;
                if let Some(kind @ (b':' | b'.' | b'=')) = at.peek() {
                    at.bump();
                    at.skip_while(|byte| byte.is_ascii_alphanumeric());
                    if !(at.eat(kind) && at.eat(b']')) {
                        return None;
                    }
                }
            }
            b'\\' => {
                bracket.simple = false;
                // `\` before the delimiter is an escape in both readings.
                if escapes || at.peek() == Some(delimiter) {
                    at.bump();
                }
            }
            b'\n' => return None,
            byte => bracket.delimiter |= byte == delimiter,
        }
        first = false;
    }
}
