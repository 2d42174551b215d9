//! Lists, and-or statements and pipelines (POSIX 2.9.2 and 2.9.3; bash manual 3.2.3 and 3.2.4).

use crate::{Command, CommandKind, Construct, Joiner, List, Pipeline, Simple, Statement};

use super::{
    Parsed,
    cursor::{Parser, is_meta},
    dialect::Reserved,
};

impl Parser<'_> {
    /// Statements up to what cannot begin one: the end, `)`, a closing reserved word, or the end of a case clause. The
    /// caller checks that it is the end it waits for.
    pub(super) fn list(&mut self) -> Parsed<List> {
        self.enter()?;
        let mut statements: Vec<Statement> = Vec::new();
        loop {
            self.newlines()?;
            match self.peek() {
                0 | b')' => break,
                b';' if matches!(self.peek_at(1), b';' | b'&') => break,
                b';' | b'|' => return Err(self.here(Construct::MissingCommand)),
                b'&' if self.peek_at(1) != b'>' => return Err(self.here(Construct::MissingCommand)),
                _ => {}
            }
            if self.reserved()?.is_some_and(Reserved::closes) {
                break;
            }
            let mut statement = self.statement()?;
            self.blanks()?;
            let ended = self.terminator(&mut statement)?;
            statements.push(statement);
            if !ended {
                break;
            }
        }
        self.leave();
        let span = match (statements.first(), statements.last()) {
            (Some(first), Some(last)) => first.span.to(last.span),
            _ => self.span(self.pos),
        };
        Ok(List { statements, span })
    }

    /// A list that holds something; `opened` is where the construct began that needs it.
    pub(super) fn filled_list(&mut self, opened: usize, unclosed: Construct) -> Parsed<List> {
        let list = self.list()?;
        if !list.statements.is_empty() {
            return Ok(list);
        }
        Err(if self.at_end() {
            self.since(unclosed, opened)
        } else {
            self.here(Construct::MissingCommand)
        })
    }

    /// Reads what ends a statement; whether another may follow.
    fn terminator(&mut self, statement: &mut Statement) -> Parsed<bool> {
        match self.peek() {
            b';' if matches!(self.peek_at(1), b';' | b'&') => Ok(false),
            b';' => {
                self.pos += 1;
                self.blanks()?;
                // An empty statement between two terminators is a syntax error.
                Ok(true)
            }
            b'&' => {
                let start = self.pos;
                if self.peek_at(1) == b'&' {
                    return Err(self.here(Construct::MissingCommand));
                }
                self.pos += 1;
                if self.continues_at(0) {
                    return Err(self.since(Construct::SplitToken, start));
                }
                if matches!(self.peek(), b'|' | b'!') {
                    self.not_zsh(start)?;
                }
                self.plain = false;
                statement.background = true;
                Ok(true)
            }
            b'\n' => Ok(true),
            _ => Ok(false),
        }
    }

    fn statement(&mut self) -> Parsed<Statement> {
        let first = self.pipeline()?;
        let mut span = first.span;
        let mut rest = Vec::new();
        loop {
            self.blanks()?;
            let joiner = match (self.peek(), self.peek_at(1)) {
                (b'&', b'&') => Joiner::And,
                (b'|', b'|') => Joiner::Or,
                _ => break,
            };
            let start = self.pos;
            self.pos += 2;
            self.newlines()?;
            self.expect_command(start)?;
            let next = self.pipeline()?;
            span = span.to(next.span);
            rest.push((joiner, next));
        }
        Ok(Statement {
            first,
            rest,
            background: false,
            span,
        })
    }

    /// After an operator, refuses what cannot begin a command, blaming the operator.
    fn expect_command(&self, operator: usize) -> Parsed<()> {
        let missing = match self.peek() {
            0 | b')' | b';' | b'|' => true,
            b'&' => self.peek_at(1) != b'>',
            _ => false,
        };
        if missing {
            return Err(self.since(Construct::MissingCommand, operator));
        }
        Ok(())
    }

    fn pipeline(&mut self) -> Parsed<Pipeline> {
        let start = self.pos;
        let mut reserved = self.reserved()?;
        let mut negated = false;
        let mut timed = false;
        if reserved == Some(Reserved::Bang) {
            self.plain = false;
            negated = true;
            self.pos += 1;
            if self.peek() == b'(' {
                return Err(self.since(Construct::ExtendedGlob, start));
            }
            self.blanks()?;
            reserved = self.reserved()?;
            if reserved == Some(Reserved::Bang) {
                return Err(self.here(Construct::RepeatedBang));
            }
            self.expect_command(start)?;
            if self.peek() == b'\n' {
                return Err(self.since(Construct::MissingCommand, start));
            }
        }
        if reserved == Some(Reserved::Time) {
            timed = true;
            self.time()?;
        }
        let first = self.command()?;
        let mut stages = vec![first];
        let mut pipes_stderr = Vec::new();
        loop {
            self.blanks()?;
            if self.peek() != b'|' || self.peek_at(1) == b'|' {
                break;
            }
            let operator = self.pos;
            let both = self.peek_at(1) == b'&';
            self.pos += 1;
            if both {
                self.pos += 1;
                self.plain = false;
                self.not_sh(operator)?;
            }
            self.newlines()?;
            self.expect_command(operator)?;
            match self.reserved()? {
                Some(Reserved::Bang) => return Err(self.here(Construct::RepeatedBang)),
                // Not a reserved word here for bash; zsh and others differ.
                Some(Reserved::Time) => return Err(self.here(Construct::TimeForm)),
                _ => {}
            }
            pipes_stderr.push(both);
            stages.push(self.command()?);
        }
        let end = stages.last().map_or(self.pos, |stage| stage.span.end as usize);
        let pipeline = Pipeline {
            negated,
            timed,
            stages,
            pipes_stderr,
            span: crate::Span::new(start, end),
        };
        self.check_multios(&pipeline)?;
        Ok(pipeline)
    }

    /// Reads `time` and `time -p`.
    fn time(&mut self) -> Parsed<()> {
        let start = self.pos;
        self.plain = false;
        self.not_sh(start)?;
        self.pos += 4;
        self.blanks()?;
        if self.looking_at(b"-p") && is_meta(self.peek_at(2)) {
            self.not_zsh(start)?;
            self.pos += 2;
            self.blanks()?;
        }
        let odd = matches!(self.peek(), b'-' | 0 | b'\n' | b';' | b'|' | b'&' | b')')
            || matches!(self.reserved()?, Some(Reserved::Bang | Reserved::Time));
        if odd {
            return Err(self.since(Construct::TimeForm, start));
        }
        Ok(())
    }

    /// One command with its redirections.
    pub(super) fn command(&mut self) -> Parsed<Command> {
        match self.peek() {
            b'(' => self.parenthesis(),
            _ => match self.reserved()? {
                None => self.simple(),
                Some(word) => self.compound(word),
            },
        }
    }
}

/// A command of one kind without redirections yet.
pub(super) fn bare(kind: CommandKind, span: crate::Span) -> Command {
    Command {
        kind,
        redirects: Vec::new(),
        span,
    }
}

/// An empty simple command, to be filled.
pub(super) fn empty_simple() -> Simple {
    Simple::default()
}
