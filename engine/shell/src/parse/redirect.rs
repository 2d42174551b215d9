//! Redirections (POSIX 2.7; bash manual 3.6).

use crate::{Construct, Redirect, RedirectKind, Shell, Span, Word};

use super::{
    Parsed,
    cursor::{Parser, is_meta},
    word::Place,
};

/// Digits of the largest descriptor that is followed.
const DESCRIPTOR_DIGITS: usize = 2;

/// A redirection operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    Read,
    Write,
    Clobber,
    Append,
    ReadWrite,
    WriteBoth,
    AppendBoth,
    DuplicateInput,
    DuplicateOutput,
    HereDocument,
    HereDocumentTabs,
    HereString,
}

impl Operator {
    /// The longest operator that the bytes begin with, and its length.
    fn of(bytes: [u8; 3]) -> Option<(Self, usize)> {
        Some(match bytes {
            [b'&', b'>', b'>'] => (Self::AppendBoth, 3),
            [b'&', b'>', _] => (Self::WriteBoth, 2),
            [b'<', b'<', b'<'] => (Self::HereString, 3),
            [b'<', b'<', b'-'] => (Self::HereDocumentTabs, 3),
            [b'<', b'<', _] => (Self::HereDocument, 2),
            [b'<', b'&', _] => (Self::DuplicateInput, 2),
            [b'<', b'>', _] => (Self::ReadWrite, 2),
            [b'>', b'>', _] => (Self::Append, 2),
            [b'>', b'&', _] => (Self::DuplicateOutput, 2),
            [b'>', b'|', _] => (Self::Clobber, 2),
            [b'<', _, _] => (Self::Read, 1),
            [b'>', _, _] => (Self::Write, 1),
            _ => return None,
        })
    }
}

impl Parser<'_> {
    /// One redirection, if one begins here.
    #[inline(never)]
    pub(super) fn redirect(&mut self) -> Parsed<Option<Redirect>> {
        let start = self.pos;
        let mut digits = 0;
        while self.peek_at(digits).is_ascii_digit() {
            digits += 1;
        }
        let first = self.peek_at(digits);
        let next = self.peek_at(digits + 1);
        let begins = matches!(first, b'<' | b'>') || (digits == 0 && first == b'&' && next == b'>');
        if !begins {
            if digits > 0 && first == b'&' && next == b'>' {
                // The digits are a descriptor for zsh.
                self.not_zsh(start)?;
            }
            return Ok(None);
        }
        self.plain &= digits < 2;
        if next == b'(' {
            if digits == 0 {
                return Ok(None);
            }
            return Err(self.here(Construct::MidWordProcessSubstitution));
        }
        let Some((operator, length)) = Operator::of([first, next, self.peek_at(digits + 2)]) else {
            return Ok(None);
        };
        let fd = self.descriptor(digits)?;
        let at = self.pos;
        self.pos += length;
        let number_range =
            operator == Operator::Read && (self.peek().is_ascii_digit() || self.peek() == b'-');
        if number_range || matches!(self.peek(), b'!' | b'|') {
            // `<1-9>` is a pattern of zsh, and `>!` and `>>|` are operators of it.
            self.not_zsh(start)?;
        }
        if self.continues_at(0) {
            return Err(self.since(Construct::SplitToken, start));
        }
        let kind = self.target(operator, fd, at)?;
        Ok(Some(Redirect {
            fd,
            kind,
            span: self.span(start),
        }))
    }

    fn descriptor(&mut self, digits: usize) -> Parsed<Option<u32>> {
        if digits == 0 {
            return Ok(None);
        }
        let start = self.pos;
        self.pos += digits;
        if digits > DESCRIPTOR_DIGITS {
            return Err(self.since(Construct::DescriptorTooLarge, start));
        }
        if digits > 1 {
            // Only the last digit belongs to the redirection in other shells.
            self.bash_only(start)?;
        }
        match self.slice(start, self.pos)?.parse() {
            Ok(fd) => Ok(Some(fd)),
            Err(_) => Err(self.since(Construct::DescriptorTooLarge, start)),
        }
    }

    fn target(&mut self, operator: Operator, fd: Option<u32>, at: usize) -> Parsed<RedirectKind> {
        let adjacent = self.pos;
        self.blanks()?;
        let process = matches!(self.peek(), b'<' | b'>') && self.peek_at(1) == b'(';
        if is_meta(self.peek()) && !process {
            return Err(self.since(Construct::RedirectTarget, at));
        }
        match operator {
            Operator::HereDocument | Operator::HereDocumentTabs => {
                self.plain = false;
                let strip_tabs = operator == Operator::HereDocumentTabs;
                Ok(RedirectKind::HereDocument(self.heredoc_start(at, strip_tabs)?))
            }
            Operator::HereString => {
                self.plain = false;
                self.not_sh(at)?;
                Ok(RedirectKind::HereString(self.word(Place::OPERAND)?))
            }
            Operator::DuplicateInput | Operator::DuplicateOutput => {
                let input = operator == Operator::DuplicateInput;
                self.duplicate(input, fd, at, self.pos == adjacent)
            }
            Operator::WriteBoth => {
                self.plain = false;
                self.not_sh(at)?;
                Ok(RedirectKind::WriteBoth(self.file_target()?))
            }
            Operator::AppendBoth => {
                self.plain = false;
                self.not_sh(at)?;
                Ok(RedirectKind::AppendBoth(self.file_target()?))
            }
            Operator::Read => Ok(RedirectKind::Read(self.file_target()?)),
            Operator::Write => Ok(RedirectKind::Write(self.file_target()?)),
            Operator::Append => Ok(RedirectKind::Append(self.file_target()?)),
            Operator::Clobber => {
                self.plain = false;
                Ok(RedirectKind::Clobber(self.file_target()?))
            }
            Operator::ReadWrite => {
                self.plain = false;
                Ok(RedirectKind::ReadWrite(self.file_target()?))
            }
        }
    }

    fn file_target(&mut self) -> Parsed<Word> {
        let word = self.word(Place::TARGET)?;
        let glob = word
            .parts
            .iter()
            .find(|part| matches!(part.kind, crate::PartKind::Glob(_)));
        if let Some(glob) = glob
            && self.shell != Shell::Bash
        {
            // bash needs exactly one match, zsh writes to all of them, dash to none.
            return Err(crate::NotUnderstood {
                construct: Construct::NotInThisShell,
                span: glob.span,
            });
        }
        Ok(word)
    }

    /// What follows `>&` and `<&`: a descriptor, `-`, or for `>&` a file. bash expands such a file name twice, so only
    /// characters that cannot expand are accepted.
    fn duplicate(&mut self, input: bool, fd: Option<u32>, at: usize, adjacent: bool) -> Parsed<RedirectKind> {
        let start = self.pos;
        if self.peek() == b'-' {
            self.plain = false;
            self.pos += 1;
            let process = matches!(self.peek(), b'<' | b'>') && self.peek_at(1) == b'(';
            if !adjacent || !is_meta(self.peek()) || self.peek() == b'(' || process {
                return Err(self.since(Construct::RedirectTarget, at));
            }
            return Ok(RedirectKind::Close);
        }
        let word = self.word(Place::TARGET)?;
        let text = word.plain().unwrap_or_default();
        if text.bytes().next().is_some_and(|byte| byte.is_ascii_digit()) {
            if text.ends_with('-') {
                return Err(self.since(Construct::DescriptorMove, at));
            }
            if text.len() > 1 {
                self.bash_only(at)?;
            }
            if text.len() > DESCRIPTOR_DIGITS {
                return Err(self.since(Construct::DescriptorTooLarge, at));
            }
            return match text.parse() {
                Ok(from) if !self.continues_at(0) => Ok(RedirectKind::Duplicate { input, from }),
                _ => Err(self.since(Construct::RedirectTarget, at)),
            };
        }
        self.plain = false;
        let span = Span::new(start, self.pos);
        let safe = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'/' | b'-');
        if input || fd.is_some() {
            return Err(self.since(Construct::RedirectTarget, at));
        }
        if !span.of(self.text).bytes().all(safe) {
            return Err(crate::NotUnderstood {
                construct: Construct::DoubleExpandedTarget,
                span,
            });
        }
        self.not_sh(at)?;
        Ok(RedirectKind::WriteBoth(word))
    }
}
