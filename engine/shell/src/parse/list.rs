//! Lists, and-or statements and pipelines (POSIX 2.9.2 and 2.9.3; bash manual 3.2.3 and 3.2.4).

use crate::{Command, CommandKind, Construct, Joiner, List, Pipeline, Simple, Span, Statement};

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
            if !self.push_statement(&mut statements)? {
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

    /// Reads one statement with its end; whether another may follow.
    fn push_statement(&mut self, statements: &mut Vec<Statement>) -> Parsed<bool> {
        // Most lists hold one statement.
        if statements.is_empty() {
            statements.reserve_exact(1);
        }
        statements.push(Statement {
            first: unread_pipeline(),
            rest: Vec::new(),
            background: false,
            span: Span::default(),
        });
        let Some(statement) = statements.last_mut() else {
            return Ok(false);
        };
        self.statement(statement)?;
        self.blanks()?;
        self.terminator(statement)
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
                if !statement.rest.is_empty() {
                    // zsh runs what stands before the last operator in this shell.
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

    fn statement(&mut self, statement: &mut Statement) -> Parsed<()> {
        self.pipeline(&mut statement.first)?;
        statement.span = statement.first.span;
        while let Some(joiner) = self.joiner()? {
            statement.rest.push((joiner, unread_pipeline()));
            if let Some((_, next)) = statement.rest.last_mut() {
                self.pipeline(next)?;
                statement.span = statement.span.to(next.span);
            }
        }
        Ok(())
    }

    /// Reads `&&` or `||`, if one stands here.
    fn joiner(&mut self) -> Parsed<Option<Joiner>> {
        self.blanks()?;
        let joiner = match (self.peek(), self.peek_at(1)) {
            (b'&', b'&') => Joiner::And,
            (b'|', b'|') => Joiner::Or,
            _ => return Ok(None),
        };
        let start = self.pos;
        self.pos += 2;
        self.newlines_within()?;
        self.expect_command(start)?;
        Ok(Some(joiner))
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

    fn pipeline(&mut self, pipeline: &mut Pipeline) -> Parsed<()> {
        let start = self.pos;
        if self.prefixes(pipeline)? {
            self.nothing_timed(pipeline, start);
            return Ok(());
        }
        let outer = self.timed;
        self.timed |= pipeline.timed;
        self.stage(&mut pipeline.stages)?;
        while self.pipe(pipeline)? {
            self.stage(&mut pipeline.stages)?;
        }
        self.timed = outer;
        let end = pipeline
            .stages
            .last()
            .map_or(self.pos, |stage| stage.span.end as usize);
        pipeline.span = Span::new(start, end);
        self.check_zsh_pipeline(pipeline)
    }

    /// `time` alone. Apart from its caller, whose frame nests and must stay small.
    #[cold]
    #[inline(never)]
    fn nothing_timed(&self, pipeline: &mut Pipeline, start: usize) {
        let mut nothing = unread();
        nothing.span = Span::new(self.pos, self.pos);
        pipeline.stages.push(nothing);
        pipeline.span = Span::new(start, self.pos);
    }

    /// zsh copies outputs. After `time` it defines and assigns in a process of its own.
    fn check_zsh_pipeline(&self, pipeline: &Pipeline) -> Parsed<()> {
        self.check_multios(pipeline)?;
        let [stage] = pipeline.stages.as_slice() else {
            return Ok(());
        };
        let runs = matches!(&stage.kind, CommandKind::Simple(simple) if !simple.words.is_empty())
            || matches!(&stage.kind, CommandKind::Subshell(_));
        if pipeline.timed && !runs {
            self.not_zsh(pipeline.span.start as usize)?;
        }
        Ok(())
    }

    /// Reads `!` and `time`; whether that is all.
    fn prefixes(&mut self, pipeline: &mut Pipeline) -> Parsed<bool> {
        let start = self.pos;
        let mut reserved = self.reserved()?;
        if reserved == Some(Reserved::Bang) {
            self.plain = false;
            pipeline.negated = true;
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
            pipeline.timed = true;
            return self.time();
        }
        Ok(false)
    }

    /// Reads `|` or `|&`, if one stands here.
    fn pipe(&mut self, pipeline: &mut Pipeline) -> Parsed<bool> {
        self.blanks()?;
        if self.peek() != b'|' || self.peek_at(1) == b'|' {
            return Ok(false);
        }
        let operator = self.pos;
        let both = self.peek_at(1) == b'&';
        self.pos += 1;
        if both {
            self.pos += 1;
            self.plain = false;
            self.not_sh(operator)?;
        }
        self.newlines_within()?;
        self.expect_command(operator)?;
        match self.reserved()? {
            Some(Reserved::Bang) => return Err(self.here(Construct::RepeatedBang)),
            // Not a reserved word here for bash; zsh and others differ.
            Some(Reserved::Time) => return Err(self.here(Construct::TimeForm)),
            _ => {}
        }
        pipeline.pipes_stderr.push(both);
        Ok(true)
    }

    /// Reads one stage. It is filled in place, since commands are large and nest.
    fn stage(&mut self, stages: &mut Vec<Command>) -> Parsed<()> {
        // Nearly every pipeline has one stage, and a vector that grows by itself begins with room for four.
        if stages.is_empty() {
            stages.reserve_exact(1);
        }
        stages.push(unread());
        match stages.last_mut() {
            Some(command) => self.command(command),
            None => Ok(()),
        }
    }

    /// Reads `time` and `time -p`; whether nothing follows that it times.
    fn time(&mut self) -> Parsed<bool> {
        let start = self.pos;
        self.plain = false;
        self.not_sh(start)?;
        if self.timed {
            self.not_zsh(start)?;
        }
        if self.substituted {
            // bash 5.2 reads a compound command after it as words there.
            return Err(self.here(Construct::TimeForm));
        }
        self.pos += 4;
        self.blanks()?;
        if self.looking_at(b"-p") && is_meta(self.peek_at(2)) {
            self.not_zsh(start)?;
            self.pos += 2;
            self.blanks()?;
        }
        let alone = match self.peek() {
            0 | b'\n' => true,
            b';' => !matches!(self.peek_at(1), b';' | b'&'),
            _ => false,
        };
        if alone {
            // zsh times the shell itself, and other statements may follow there.
            self.not_zsh(start)?;
            return Ok(true);
        }
        let odd = matches!(self.peek(), b'-' | b';' | b'|' | b'&' | b')')
            || matches!(self.reserved()?, Some(Reserved::Bang | Reserved::Time));
        if odd {
            return Err(self.since(Construct::TimeForm, start));
        }
        Ok(false)
    }

    /// One command with its redirections.
    pub(super) fn command(&mut self, command: &mut Command) -> Parsed<()> {
        let reserved = self.reserved()?;
        if reserved.is_none() && self.peek() != b'(' {
            return self.simple(command);
        }
        self.enter()?;
        match reserved {
            Some(word) => self.compound(word, command)?,
            None => self.parenthesis(command)?,
        }
        self.leave();
        Ok(())
    }
}

fn unread_pipeline() -> Pipeline {
    Pipeline {
        negated: false,
        timed: false,
        stages: Vec::new(),
        pipes_stderr: Vec::new(),
        span: Span::default(),
    }
}

/// A command that is not read yet.
pub(super) fn unread() -> Command {
    Command {
        kind: CommandKind::Simple(Simple::default()),
        redirects: Vec::new(),
        span: Span::default(),
    }
}
