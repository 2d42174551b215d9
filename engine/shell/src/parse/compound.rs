//! Compound commands and functions (POSIX 2.9.4 and 2.9.5; bash manual 3.2.5 and 3.3).
//!
//! Nothing but redirections and an operator may follow a compound command.

use crate::{
    CaseClause, CaseEnd, Command, CommandKind, Construct, List, Name, NotUnderstood, Shell, Span, Word,
};

use super::{
    Parsed,
    arithmetic::Ending,
    cursor::{Parser, begins_name, is_meta, is_name},
    dialect::{Reserved, is_builtin},
    word::Place,
};

impl Parser<'_> {
    /// `( list )` or `(( expression ))`.
    pub(super) fn parenthesis(&mut self, command: &mut Command) -> Parsed<()> {
        let start = self.pos;
        self.plain = false;
        if self.peek_at(1) == b'(' {
            // bash would fall back to nested subshells where it does not close with `))`; that is refused.
            self.not_sh(start)?;
            self.pos += 2;
            let expression = self.arithmetic(Ending::Command)?;
            return self.finish(CommandKind::Arithmetic(expression), start, command);
        }
        self.pos += 1;
        if self.continues_at(0) {
            return Err(self.since(Construct::SplitToken, start));
        }
        let list = self.filled_list(start, Construct::UnclosedCompound)?;
        self.close_parenthesis(start, Construct::UnclosedCompound)?;
        self.finish(CommandKind::Subshell(list), start, command)
    }

    /// Reads `)`, with no here-document waiting.
    pub(super) fn close_parenthesis(&mut self, opened: usize, unclosed: Construct) -> Parsed<()> {
        if self.peek() == b')' {
            self.expect_no_pending()?;
            self.pos += 1;
            return Ok(());
        }
        Err(if self.at_end() {
            self.since(unclosed, opened)
        } else {
            self.here(Construct::UnexpectedToken)
        })
    }

    /// A command that begins with a reserved word.
    pub(super) fn compound(&mut self, word: Reserved, command: &mut Command) -> Parsed<()> {
        let start = self.pos;
        self.plain = false;
        match word {
            Reserved::OpenBrace => {
                self.pos += 1;
                let list = self.filled_list(start, Construct::UnclosedCompound)?;
                self.keyword(Reserved::CloseBrace, b"}", start)?;
                self.finish(CommandKind::Group(list), start, command)
            }
            Reserved::If => self.if_command(start, command),
            Reserved::While => self.while_command(start, false, command),
            Reserved::Until => self.while_command(start, true, command),
            Reserved::For => self.for_command(start, command),
            Reserved::Case => self.case_command(start, command),
            Reserved::Function => self.function_keyword(start, command),
            Reserved::OpenCondition => {
                self.not_sh(start)?;
                let condition = self.condition_command()?;
                self.finish(CommandKind::Condition(condition), start, command)
            }
            Reserved::Select => Err(self.word_refused(word, Construct::SelectLoop)),
            Reserved::Coproc => Err(self.word_refused(word, Construct::Coprocess)),
            // `time` and `!` are read by the pipeline; here they stand where they cannot.
            Reserved::Time => Err(self.word_refused(word, Construct::TimeForm)),
            Reserved::Bang => Err(self.word_refused(word, Construct::RepeatedBang)),
            Reserved::Then
            | Reserved::Elif
            | Reserved::Else
            | Reserved::Fi
            | Reserved::Do
            | Reserved::Done
            | Reserved::Esac
            | Reserved::In
            | Reserved::CloseBrace
            | Reserved::CloseCondition => Err(self.word_refused(word, Construct::UnexpectedToken)),
        }
    }

    /// Refuses the reserved word here.
    fn word_refused(&self, _word: Reserved, construct: Construct) -> NotUnderstood {
        let mut end = self.pos;
        while !is_meta(self.byte(end)) {
            end += 1;
        }
        NotUnderstood {
            construct,
            span: Span::new(self.pos, end),
        }
    }

    /// Reads an expected reserved word.
    fn keyword(&mut self, expected: Reserved, spelling: &[u8], opened: usize) -> Parsed<()> {
        if self.reserved()? == Some(expected) {
            self.pos += spelling.len();
            return Ok(());
        }
        Err(if self.at_end() {
            self.since(Construct::UnclosedCompound, opened)
        } else {
            self.here(Construct::UnexpectedToken)
        })
    }

    /// Reads redirections after a compound command, and refuses anything else that is not an operator.
    fn finish(&mut self, kind: CommandKind, start: usize, command: &mut Command) -> Parsed<()> {
        command.kind = kind;
        command.span = self.span(start);
        loop {
            self.blanks()?;
            let Some(redirect) = self.redirect()? else {
                break;
            };
            command.span = command.span.to(redirect.span);
            command.redirects.push(redirect);
        }
        match self.peek() {
            0 | b'\n' | b';' | b'&' | b'|' | b')' => Ok(()),
            _ => Err(self.here(Construct::UnexpectedWord)),
        }
    }

    #[inline(never)]
    fn if_command(&mut self, start: usize, command: &mut Command) -> Parsed<()> {
        let unclosed = Construct::UnclosedCompound;
        let mut branches: Vec<(List, List)> = Vec::new();
        self.pos += 2;
        loop {
            let condition = self.filled_list(start, unclosed)?;
            self.keyword(Reserved::Then, b"then", start)?;
            let body = self.filled_list(start, unclosed)?;
            branches.push((condition, body));
            if self.reserved()? != Some(Reserved::Elif) {
                break;
            }
            self.pos += 4;
        }
        let mut otherwise = None;
        if self.reserved()? == Some(Reserved::Else) {
            self.pos += 4;
            otherwise = Some(self.filled_list(start, unclosed)?);
        }
        self.keyword(Reserved::Fi, b"fi", start)?;
        self.finish(CommandKind::If { branches, otherwise }, start, command)
    }

    #[inline(never)]
    fn while_command(&mut self, start: usize, until: bool, command: &mut Command) -> Parsed<()> {
        self.pos += 5;
        let condition = self.filled_list(start, Construct::UnclosedCompound)?;
        let body = self.do_group(start)?;
        let kind = CommandKind::While {
            until,
            condition,
            body,
        };
        self.finish(kind, start, command)
    }

    fn do_group(&mut self, start: usize) -> Parsed<List> {
        self.keyword(Reserved::Do, b"do", start)?;
        let body = self.filled_list(start, Construct::UnclosedCompound)?;
        self.keyword(Reserved::Done, b"done", start)?;
        Ok(body)
    }

    #[inline(never)]
    fn for_command(&mut self, start: usize, command: &mut Command) -> Parsed<()> {
        self.pos += 3;
        self.blanks()?;
        if self.peek() == b'(' {
            return self.for_arithmetic(start, command);
        }
        let name = self.loop_name()?;
        self.newlines()?;
        let mut words = None;
        if self.reserved()? == Some(Reserved::In) {
            self.pos += 2;
            words = Some(self.loop_words()?);
        }
        self.blanks()?;
        // With `in` the words end at the terminator; without, `;` is optional.
        match self.peek() {
            b';' => self.pos += 1,
            b'\n' => {}
            _ if words.is_none() => {}
            _ => return Err(self.unfinished(start)),
        }
        self.newlines()?;
        let body = self.do_group(start)?;
        self.finish(CommandKind::For { name, words, body }, start, command)
    }

    fn unfinished(&self, opened: usize) -> NotUnderstood {
        if self.at_end() {
            self.since(Construct::UnclosedCompound, opened)
        } else {
            self.here(Construct::UnexpectedToken)
        }
    }

    fn loop_words(&mut self) -> Parsed<Vec<Word>> {
        let mut words = Vec::new();
        loop {
            self.blanks()?;
            if matches!(self.peek(), 0 | b';' | b'\n' | b'&' | b'|' | b')') {
                return Ok(words);
            }
            words.push(self.word(Place::ARGUMENT)?);
        }
    }

    fn loop_name(&mut self) -> Parsed<Name> {
        let word = self.word(Place::ARGUMENT)?;
        match word.plain() {
            Some(text) if is_name(text) => Ok(Name {
                text: text.into(),
                span: word.span,
            }),
            _ => Err(NotUnderstood {
                construct: Construct::UnexpectedToken,
                span: word.span,
            }),
        }
    }

    /// `for ((a; b; c))`; the expressions may be empty.
    fn for_arithmetic(&mut self, start: usize, command: &mut Command) -> Parsed<()> {
        self.not_sh(start)?;
        if self.peek_at(1) != b'(' {
            return Err(self.here(Construct::UnexpectedToken));
        }
        self.pos += 2;
        let first = self.arithmetic(Ending::Header)?;
        let second = self.arithmetic(Ending::Header)?;
        let third = self.arithmetic(Ending::HeaderLast)?;
        self.blanks()?;
        if self.peek() == b';' {
            self.pos += 1;
        }
        self.newlines()?;
        let body = self.do_group(start)?;
        let header =
            [first, second, third].map(|expression| (!expression.span.is_empty()).then_some(expression));
        self.finish(CommandKind::ForArithmetic { header, body }, start, command)
    }

    #[inline(never)]
    fn case_command(&mut self, start: usize, command: &mut Command) -> Parsed<()> {
        self.pos += 4;
        self.blanks()?;
        let subject = self.word(Place::OPERAND)?;
        self.newlines()?;
        self.keyword(Reserved::In, b"in", start)?;
        let mut clauses = Vec::new();
        loop {
            self.newlines()?;
            if self.reserved()? == Some(Reserved::Esac) {
                break;
            }
            if self.at_end() {
                return Err(self.since(Construct::UnclosedCompound, start));
            }
            let (clause, ended) = self.case_clause(start)?;
            clauses.push(clause);
            if !ended {
                break;
            }
        }
        self.keyword(Reserved::Esac, b"esac", start)?;
        self.finish(CommandKind::Case { subject, clauses }, start, command)
    }

    /// One clause; whether it ended with an operator, so that another may follow.
    fn case_clause(&mut self, start: usize) -> Parsed<(CaseClause, bool)> {
        if self.peek() == b'(' {
            self.pos += 1;
        }
        let mut patterns = Vec::new();
        loop {
            self.blanks()?;
            if self.reserved()? == Some(Reserved::Esac) {
                return Err(self.here(Construct::CasePattern));
            }
            patterns.push(self.word(Place::OPERAND)?);
            self.blanks()?;
            match self.peek() {
                b'|' => self.pos += 1,
                b')' => break,
                _ => return Err(self.here(Construct::CasePattern)),
            }
        }
        self.pos += 1;
        let body = self.list()?;
        let operator = self.pos;
        let end = match (self.peek(), self.peek_at(1), self.peek_at(2)) {
            (b';', b';', b'&') => {
                self.pos += 3;
                self.bash_only(operator)?;
                CaseEnd::TestNext
            }
            (b';', b';', _) => {
                self.pos += 2;
                CaseEnd::Break
            }
            (b';', b'&', _) => {
                self.pos += 2;
                self.not_sh(operator)?;
                CaseEnd::FallThrough
            }
            _ => {
                if self.reserved()? != Some(Reserved::Esac) {
                    return Err(self.unfinished(start));
                }
                let end = CaseEnd::Break;
                return Ok((CaseClause { patterns, body, end }, false));
            }
        };
        if self.continues_at(0) {
            return Err(self.since(Construct::SplitToken, operator));
        }
        Ok((CaseClause { patterns, body, end }, true))
    }

    /// `function NAME { ...; }` and `function NAME() { ...; }`, which bash and zsh read alike.
    #[inline(never)]
    fn function_keyword(&mut self, start: usize, command: &mut Command) -> Parsed<()> {
        self.not_sh(start)?;
        self.pos += 8;
        self.blanks()?;
        let word = self.word(Place::ARGUMENT)?;
        self.blanks()?;
        if self.peek() == b'(' {
            self.empty_parentheses(Construct::FunctionKeyword)?;
        }
        self.newlines()?;
        if self.reserved()? != Some(Reserved::OpenBrace) {
            return Err(self.since(Construct::FunctionKeyword, start));
        }
        self.function_body(&word, start, command)
    }

    /// The rest of `NAME() body` after the name.
    pub(super) fn function(&mut self, word: &Word, start: usize, command: &mut Command) -> Parsed<()> {
        self.plain = false;
        self.empty_parentheses(Construct::UnexpectedToken)?;
        self.newlines()?;
        if self.peek() != b'(' && self.reserved()? != Some(Reserved::OpenBrace) {
            return Err(self.unfinished(start));
        }
        if self.peek_at(1) == b'(' {
            return Err(self.here(Construct::UnexpectedToken));
        }
        self.function_body(word, start, command)
    }

    fn empty_parentheses(&mut self, construct: Construct) -> Parsed<()> {
        let start = self.pos;
        self.pos += 1;
        self.blanks()?;
        if self.peek() != b')' {
            return Err(self.since(construct, start));
        }
        self.pos += 1;
        Ok(())
    }

    fn function_body(&mut self, word: &Word, start: usize, command: &mut Command) -> Parsed<()> {
        let name = self.function_name(word)?;
        let mut body = Box::new(super::list::unread());
        self.command(&mut body)?;
        command.span = Span::new(start, start).to(body.span);
        command.kind = CommandKind::Function { name, body };
        Ok(())
    }

    /// A plain name that no builtin and no reserved word has.
    fn function_name(&self, word: &Word) -> Parsed<Name> {
        let refused = |construct| NotUnderstood {
            construct,
            span: word.span,
        };
        let ordinary = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
        let text = word.plain().unwrap_or_default();
        let plain = text.bytes().all(ordinary) && text.bytes().next().is_some_and(begins_name);
        if !plain || is_builtin(text) || Reserved::of(text.as_bytes()).is_some() {
            return Err(refused(Construct::FunctionName));
        }
        if self.shell == Shell::Sh && !is_name(text) {
            return Err(refused(Construct::NotInThisShell));
        }
        Ok(Name {
            text: text.into(),
            span: word.span,
        })
    }
}
