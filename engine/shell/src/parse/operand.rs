//! Operands of parameter expansions.
//!
//! Inside double quotes an operand has rules of its own, and shells disagree on them: there quotes and most backslashes
//! are refused. Braces are refused everywhere, since bash ends the operand at the first `}`.

use crate::{Construct, Shell, Word};

use super::{Parsed, cursor::Parser, word::Run};

/// What an operand is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operand {
    /// Text that is used instead, or assigned.
    Value,
    /// A pattern up to the brace.
    Pattern,
    /// A pattern up to a slash or the brace.
    ReplacedPattern,
    /// What replaces matches of the pattern.
    Replacement,
}

impl Parser<'_> {
    /// Reads an operand up to its end, possibly empty.
    #[inline(never)]
    pub(super) fn operand(&mut self, operand: Operand, quoted: bool) -> Parsed<Word> {
        self.enter()?;
        let start = self.pos;
        let mut run = Run::new(start);
        let mut parts = Vec::new();
        let pattern = matches!(operand, Operand::Pattern | Operand::ReplacedPattern);
        loop {
            let byte = self.peek();
            if self.shell == Shell::Zsh
                && matches!(byte, b'(' | b')' | b'|' | b'<' | b'>' | b'#' | b'^' | b'~')
            {
                return Err(self.here(Construct::NotInThisShell));
            }
            match byte {
                b'}' => break,
                b'/' if operand == Operand::ReplacedPattern => break,
                0 => return Err(self.since(Construct::UnclosedExpansion, start)),
                b'\n' | b'{' => return Err(self.here(Construct::ExpansionOperand)),
                b'&' if operand == Operand::Replacement => {
                    // bash 5.2 puts the matched text there.
                    return Err(self.here(Construct::ExpansionOperand));
                }
                b'<' | b'>' if self.peek_at(1) == b'(' => {
                    return Err(self.here(Construct::ExpansionOperand));
                }
                b'(' if self.pos > start
                    && matches!(self.byte(self.pos - 1), b'?' | b'*' | b'+' | b'@' | b'!') =>
                {
                    return Err(self.here(Construct::ExtendedGlob));
                }
                b'\'' | b'"' if quoted => return Err(self.here(Construct::ExpansionOperand)),
                b'\'' => {
                    self.flush(&mut run, &mut parts)?;
                    self.single_quoted(&mut parts)?;
                    run = Run::new(self.pos);
                }
                b'"' => {
                    self.flush(&mut run, &mut parts)?;
                    self.double_quoted(&mut parts)?;
                    run = Run::new(self.pos);
                }
                b'`' => {
                    self.flush(&mut run, &mut parts)?;
                    self.backquoted(&mut parts)?;
                    run = Run::new(self.pos);
                }
                b'$' => {
                    if matches!(self.peek_at(1), b'\'' | b'"') {
                        return Err(self.here(Construct::ExpansionOperand));
                    }
                    if self.dollar_expands(quoted)? {
                        self.flush(&mut run, &mut parts)?;
                        self.dollar(quoted, &mut parts)?;
                        run = Run::new(self.pos);
                    } else {
                        self.pos += 1;
                    }
                }
                b'\\' => {
                    self.check_operand_escape(operand, quoted)?;
                    self.escape(&mut run)?;
                }
                b'*' | b'?' if pattern || (operand == Operand::Value && !quoted) => {
                    self.flush(&mut run, &mut parts)?;
                    self.glob(1, &mut parts)?;
                    run = Run::new(self.pos);
                }
                b'[' if pattern || (operand == Operand::Value && !quoted) => {
                    let length = self.bracket(true)?;
                    if length == 0 {
                        return Err(self.here(Construct::BracketPattern));
                    }
                    self.flush(&mut run, &mut parts)?;
                    self.glob(length, &mut parts)?;
                    run = Run::new(self.pos);
                }
                b'~' if operand == Operand::Value && !quoted && self.pos == start => {
                    if !matches!(self.peek_at(1), b'/' | b'}') {
                        return Err(self.here(Construct::TildePrefix));
                    }
                    self.tilde(&mut parts)?;
                    run = Run::new(self.pos);
                }
                b'~' if self.pos == start || matches!(self.byte(self.pos - 1), b':' | b'=') => {
                    return Err(self.here(Construct::TildePrefix));
                }
                _ => self.pos += self.char_len(self.pos).max(1),
            }
        }
        self.leave();
        self.flush(&mut run, &mut parts)?;
        Ok(Word {
            parts,
            span: self.span(start),
        })
    }

    /// Refuses a backslash that would not simply quote the next character.
    fn check_operand_escape(&self, operand: Operand, quoted: bool) -> Parsed<()> {
        let next = self.peek_at(1);
        let clear = match operand {
            Operand::Pattern | Operand::ReplacedPattern if quoted => {
                matches!(
                    next,
                    b'.' | b'/' | b'*' | b'?' | b'[' | b']' | b'#' | b'%' | b'-' | b':'
                )
            }
            Operand::Value if quoted => false,
            Operand::Replacement => !quoted && next == b'/',
            Operand::Pattern | Operand::ReplacedPattern | Operand::Value => next != b'\n' && next != 0,
        };
        if clear {
            return Ok(());
        }
        Err(self.here(Construct::ExpansionOperand))
    }
}
