//! Command and process substitution (POSIX 2.6.3; bash manual 3.5.4 and 3.5.6).
//!
//! The inner text is read in place by the same grammar, as bash 5.2 does.

use crate::{Command, CommandKind, Construct, List, Part, PartKind, RedirectKind, Shell};

use super::{Parsed, cursor::Parser};

/// What the parser was reading outside a substitution.
struct Outside<'t> {
    pending: Vec<super::heredoc::Pending<'t>>,
    waiting: bool,
    substituted: bool,
}

impl<'t> Parser<'t> {
    fn go_inside(&mut self) -> Outside<'t> {
        let pending = std::mem::take(&mut self.pending);
        let waiting = self.waiting_outside || !pending.is_empty();
        Outside {
            pending,
            waiting: std::mem::replace(&mut self.waiting_outside, waiting),
            substituted: std::mem::replace(&mut self.substituted, true),
        }
    }

    fn come_back(&mut self, outside: Outside<'t>) {
        self.pending = outside.pending;
        self.waiting_outside = outside.waiting;
        self.substituted = outside.substituted;
    }

    /// `$( list )`; the list may be empty.
    #[inline(never)]
    pub(super) fn command_substitution(&mut self, parts: &mut Vec<Part>) -> Parsed<()> {
        let start = self.pos;
        self.pos += 2;
        let list = self.inner_list(start)?;
        self.check_file_reading(&list, start)?;
        parts.push(Part {
            kind: PartKind::Substitution(list),
            span: self.span(start),
        });
        Ok(())
    }

    /// `<( list )`, `>( list )`
    #[inline(never)]
    pub(super) fn process_substitution(&mut self, reads: bool, parts: &mut Vec<Part>) -> Parsed<()> {
        let start = self.pos;
        self.plain = false;
        self.not_sh(start)?;
        self.pos += 2;
        let list = self.inner_list(start)?;
        if list.statements.is_empty() {
            return Err(self.since(Construct::MissingCommand, start));
        }
        parts.push(Part {
            kind: if reads {
                PartKind::ReadFrom(list)
            } else {
                PartKind::WriteTo(list)
            },
            span: self.span(start),
        });
        Ok(())
    }

    /// A list and its closing parenthesis.
    fn inner_list(&mut self, start: usize) -> Parsed<List> {
        if self.continues_at(0) {
            return Err(self.since(Construct::SplitToken, start));
        }
        self.enter()?;
        let outside = self.go_inside();
        let list = self.list()?;
        self.close_parenthesis(start, Construct::UnclosedSubstitution)?;
        self.come_back(outside);
        self.leave();
        Ok(list)
    }

    /// `` `list` ``. Backslashes that the backticks would take away are refused, so that the inner text is read in place.
    #[inline(never)]
    pub(super) fn backquoted(&mut self, parts: &mut Vec<Part>) -> Parsed<()> {
        let start = self.pos;
        self.plain = false;
        let close = self.closing_backtick()?;
        let whole = self.bytes;
        self.bytes = whole.get(..close).unwrap_or_default();
        self.pos += 1;
        let outside = self.go_inside();
        let backticks = std::mem::replace(&mut self.backticks, true);
        let list = self.list()?;
        if !self.at_end() {
            return Err(self.here(Construct::UnexpectedToken));
        }
        self.expect_no_pending()?;
        self.backticks = backticks;
        self.come_back(outside);
        self.bytes = whole;
        self.pos = close + 1;
        self.check_file_reading(&list, start)?;
        parts.push(Part {
            kind: PartKind::Substitution(list),
            span: self.span(start),
        });
        Ok(())
    }

    fn closing_backtick(&self) -> Parsed<usize> {
        let mut at = self.pos + 1;
        loop {
            match self.byte(at) {
                0 => return Err(self.here(Construct::UnclosedBacktick)),
                b'`' => return Ok(at),
                b'\\' => match self.byte(at + 1) {
                    0 | b'`' | b'$' | b'\\' | b'"' | b'\n' => {
                        return Err(crate::NotUnderstood {
                            construct: Construct::BacktickEscape,
                            span: crate::Span::new(at, at + 1),
                        });
                    }
                    _ => at += 2,
                },
                _ => at += 1,
            }
        }
    }

    /// `$(<file)` is the file's text in bash only.
    fn check_file_reading(&self, list: &List, start: usize) -> Parsed<()> {
        if self.shell == Shell::Bash {
            return Ok(());
        }
        let [statement] = list.statements.as_slice() else {
            return Ok(());
        };
        match statement.first.stages.as_slice() {
            [
                Command {
                    kind: CommandKind::Simple(simple),
                    redirects,
                    ..
                },
            ] if simple.words.is_empty()
                && simple.assignments.is_empty()
                && redirects
                    .iter()
                    .any(|redirect| matches!(redirect.kind, RedirectKind::Read(_))) =>
            {
                Err(self.since(Construct::NotInThisShell, start))
            }
            _ => Ok(()),
        }
    }
}
