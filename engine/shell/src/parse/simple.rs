//! Simple commands: assignments, words, redirections (POSIX 2.9.1; bash manual 3.2.2 and 3.4).

use crate::{
    Argument, AssignedValue, Assignment, Brace, Command, CommandKind, Construct, Name, NotUnderstood, Part,
    PartKind, Redirect, Shell, Simple, Span, Word,
};

use super::{
    Parsed,
    cursor::{Parser, begins_name, in_name, is_meta},
    dialect::{
        Reserved, begins_oddly_in_zsh, declares, is_zsh_command_word, only_zsh_modifiers, reads_oddly,
    },
    word::Place,
};

impl Parser<'_> {
    #[inline(never)]
    pub(super) fn simple(&mut self, command: &mut Command) -> Parsed<()> {
        let start = self.pos;
        self.count_command()?;
        let mut simple = Simple::default();
        let mut end = start;
        let mut declaring = false;
        loop {
            let here = self.pos;
            self.blanks()?;
            let apart = self.pos > here;
            let mut redirected = false;
            match self.peek() {
                0 | b'\n' | b';' | b'|' | b')' => break,
                b'&' if self.peek_at(1) != b'>' => break,
                b'(' => return self.function_of(&simple, start, command),
                b'<' | b'>' | b'&' | b'0'..=b'9' => {
                    redirected = self.push_redirect(&mut command.redirects)?;
                }
                _ => {}
            }
            if redirected {
                // The second reader takes `a2>&1` apart in its own way.
                self.plain &= apart && !simple.words.is_empty();
                self.one_line = true;
                end = self.pos;
                continue;
            }
            if self.shell == Shell::Zsh && only_zsh_modifiers(&simple.words) {
                self.modified_word(&mut simple.words)?;
            } else if !simple.words.is_empty() {
                self.plain &= command.redirects.is_empty();
                self.argument(declaring, &mut simple.words)?;
            } else if !self.push_assignment(&mut simple.assignments)? {
                declaring = self.first_word(&mut simple.words)?;
            }
            end = self.pos;
        }
        if end == start {
            return Err(self.here(Construct::MissingCommand));
        }
        self.check_simple(&simple, !command.redirects.is_empty(), start)?;
        command.kind = CommandKind::Simple(simple);
        command.span = Span::new(start, end);
        Ok(())
    }

    /// After one plain word, a parenthesis makes a function of it.
    fn function_of(&mut self, simple: &Simple, start: usize, command: &mut Command) -> Parsed<()> {
        match simple.words.as_slice() {
            [Argument::Word(name)] if command.redirects.is_empty() && simple.assignments.is_empty() => {
                self.function(name, start, command)
            }
            _ => Err(self.here(Construct::UnexpectedToken)),
        }
    }

    fn push_redirect(&mut self, redirects: &mut Vec<Redirect>) -> Parsed<bool> {
        let redirect = self.redirect()?;
        let found = redirect.is_some();
        redirects.extend(redirect);
        Ok(found)
    }

    fn push_assignment(&mut self, assignments: &mut Vec<Assignment>) -> Parsed<bool> {
        let begun = self.assignment_name()?;
        let found = begun.is_some();
        assignments.extend(begun);
        match assignments.last_mut() {
            Some(assignment) if found => self.assign(assignment, false)?,
            Some(_) | None => {}
        }
        Ok(found)
    }

    fn first_word(&mut self, words: &mut Vec<Argument>) -> Parsed<bool> {
        if self.zsh_program(words)? {
            return Ok(false);
        }
        let word = self.word(Place::ARGUMENT)?;
        let declaring = self.command_word(&word)?;
        words.push(Argument::Word(word));
        Ok(declaring)
    }

    /// `=NAME` for a command word, which zsh replaces by the path of that program. The evaluation takes it as such.
    fn zsh_program(&mut self, words: &mut Vec<Argument>) -> Parsed<bool> {
        if self.shell != Shell::Zsh || self.peek() != b'=' {
            return Ok(false);
        }
        let start = self.pos;
        let mut length = 1;
        while matches!(self.peek_at(length), b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' | b'.' | b'-') {
            length += 1;
        }
        if length == 1 || !is_meta(self.peek_at(length)) {
            return Ok(false);
        }
        self.plain = false;
        self.pos += length;
        let part = Part {
            kind: PartKind::Literal {
                text: self.slice(start, self.pos)?.into(),
                escaped: false,
            },
            span: self.span(start),
        };
        let word = Word {
            parts: vec![part],
            span: self.span(start),
        };
        self.command_word(&word)?;
        words.push(Argument::Word(word));
        Ok(true)
    }

    /// The word after `noglob` and its kind. What would be no plain word as a command differs between them.
    fn modified_word(&mut self, words: &mut Vec<Argument>) -> Parsed<()> {
        self.plain = false;
        let start = self.pos;
        if self.reserved()?.is_some() {
            return Err(self.here(Construct::NotInThisShell));
        }
        let word = self.word(Place::ARGUMENT)?;
        if self.command_word(&word)? || word.span.of(self.text).contains('=') {
            return Err(self.since(Construct::NotInThisShell, start));
        }
        words.push(Argument::Word(word));
        Ok(())
    }

    fn argument(&mut self, declaring: bool, words: &mut Vec<Argument>) -> Parsed<()> {
        if declaring && let Some(mut assignment) = self.assignment_name()? {
            self.assign(&mut assignment, true)?;
            words.push(Argument::Assignment(assignment));
            return Ok(());
        }
        let word = self.word(Place::ARGUMENT)?;
        if self.plain {
            let text = word.span.of(self.text);
            // The second reader takes `==` for an operator wherever it stands.
            self.plain = Reserved::of(text.as_bytes()).is_none() && !text.starts_with('=');
        }
        words.push(Argument::Word(word));
        Ok(())
    }

    /// Looks at a command word; whether its arguments may be assignments.
    fn command_word(&mut self, word: &Word) -> Parsed<bool> {
        if self.shell == Shell::Zsh && begins_oddly_in_zsh(word.span.of(self.text)) {
            return Err(crate::NotUnderstood {
                construct: Construct::NotInThisShell,
                span: word.span,
            });
        }
        let Some(text) = word.plain() else {
            self.plain &= !word
                .parts
                .iter()
                .any(|part| matches!(part.kind, PartKind::Glob(_)));
            return Ok(false);
        };
        // A line continuation may follow the word; then it was not seen as reserved.
        if self.peek() == b'\\' && Reserved::of(text.as_bytes()).is_some() {
            return Err(self.here(Construct::SplitToken));
        }
        // A reserved word gets here only after an assignment or a redirection, where bash alone takes it for a command.
        let reserved = self.shell != Shell::Bash && Reserved::of(text.as_bytes()).is_some();
        if reserved || (self.shell == Shell::Zsh && is_zsh_command_word(text)) {
            return Err(refused_word(word, Construct::NotInThisShell));
        }
        let ordinary = |byte: u8| byte.is_ascii_alphanumeric() || b"_-./".contains(&byte);
        if reads_oddly(text) || text.starts_with('-') || !text.bytes().all(ordinary) {
            self.plain = false;
        }
        let declaring = declares(text);
        if declaring && self.shell == Shell::Sh && matches!(text, "declare" | "typeset") {
            return Err(refused_word(word, Construct::NotInThisShell));
        }
        Ok(declaring)
    }

    fn check_simple(&self, simple: &Simple, redirected: bool, start: usize) -> Parsed<()> {
        if simple.words.is_empty() {
            if redirected {
                // Only redirections: zsh runs a pager or `cat`.
                self.not_zsh(start)?;
            }
            return Ok(());
        }
        for assignment in &simple.assignments {
            match &assignment.value {
                AssignedValue::Scalar(_) => {}
                AssignedValue::Array(_) => {
                    return Err(NotUnderstood {
                        construct: Construct::AssignmentForm,
                        span: assignment.span,
                    });
                }
            }
        }
        Ok(())
    }

    /// `NAME=` or `NAME+=`, if one stands here; its value is still to be read. Apart from that, whose frames nest.
    fn assignment_name(&mut self) -> Parsed<Option<Assignment>> {
        let start = self.pos;
        if !begins_name(self.peek()) {
            return Ok(None);
        }
        let mut length = 1;
        while in_name(self.peek_at(length)) {
            length += 1;
        }
        let (append, operator) = match (self.peek_at(length), self.peek_at(length + 1)) {
            (b'=', _) => (false, 1),
            (b'+', b'=') => (true, 2),
            (b'[', _) => {
                // Not only `a[i]=x`: bash reads the bracket as one token here, blanks included.
                self.pos += length;
                return Err(self.since(Construct::Subscript, start));
            }
            _ => return Ok(None),
        };
        self.plain = false;
        let name_end = start + length;
        let name = Name {
            text: self.slice(start, name_end)?.into(),
            span: Span::new(start, name_end),
        };
        self.pos = name_end + operator;
        if append {
            self.not_sh(start)?;
        }
        Ok(Some(Assignment {
            name,
            append,
            value: AssignedValue::Array(Vec::new()),
            span: self.span(start),
        }))
    }

    /// The value of an assignment: a word or `(...)`.
    fn assign(&mut self, assignment: &mut Assignment, argument: bool) -> Parsed<()> {
        assignment.value = self.assigned_value(argument)?;
        assignment.span = self.span(assignment.span.start as usize);
        Ok(())
    }

    fn assigned_value(&mut self, argument: bool) -> Parsed<AssignedValue> {
        let start = self.pos;
        if self.peek() == b'(' {
            return self.array().map(AssignedValue::Array);
        }
        if self.continues_at(0) && !self.continuation_ends_word()? {
            return Err(self.here(Construct::SplitToken));
        }
        let process = matches!(self.peek(), b'<' | b'>') && self.peek_at(1) == b'(';
        if self.continues_at(0) || (is_meta(self.peek()) && !process) {
            return Ok(AssignedValue::Scalar(Word {
                parts: Vec::new(),
                span: self.span(start),
            }));
        }
        let place = if argument { Place::DECLARED } else { Place::VALUE };
        let word = self.word(place)?;
        if argument {
            self.check_declared(&word)?;
        }
        if self.shell == Shell::Zsh && self.slice(start, self.pos)?.contains(":=") {
            return Err(self.since(Construct::NotInThisShell, start));
        }
        Ok(AssignedValue::Scalar(word))
    }

    /// Other shells split, glob and brace-expand the value of `export NAME=value`.
    fn check_declared(&self, word: &Word) -> Parsed<()> {
        for part in &word.parts {
            let differs = match &part.kind {
                PartKind::Literal { .. }
                | PartKind::SingleQuoted(_)
                | PartKind::AnsiC(_)
                | PartKind::DoubleQuoted(_) => false,
                PartKind::Parameter(_)
                | PartKind::Substitution(_)
                | PartKind::ReadFrom(_)
                | PartKind::WriteTo(_)
                | PartKind::Arithmetic(_)
                | PartKind::Glob(_)
                | PartKind::Tilde(_) => self.shell == Shell::Sh,
                // Refused in this place before.
                PartKind::Brace(Brace::List(_) | Brace::Range(_)) => true,
            };
            if differs {
                return Err(NotUnderstood {
                    construct: Construct::NotInThisShell,
                    span: part.span,
                });
            }
        }
        Ok(())
    }

    /// `( words )`, newlines between them allowed.
    fn array(&mut self) -> Parsed<Vec<Word>> {
        let start = self.pos;
        self.not_sh(start)?;
        self.pos += 1;
        let mut words = Vec::new();
        loop {
            self.newlines()?;
            match self.peek() {
                b')' => break,
                b'[' => return Err(self.here(Construct::Subscript)),
                0 => return Err(self.since(Construct::UnclosedCompound, start)),
                _ => words.push(self.word(Place::ELEMENT)?),
            }
        }
        self.pos += 1;
        if !is_meta(self.peek()) || self.peek() == b'(' {
            return Err(self.here(Construct::AssignmentForm));
        }
        Ok(words)
    }
}

fn refused_word(word: &Word, construct: Construct) -> NotUnderstood {
    NotUnderstood {
        construct,
        span: word.span,
    }
}
