//! `[[ ]]` (bash manual 3.2.5.2).
//!
//! Newlines may stand where an operand may begin, and after a complete test. The first operand of a test is never a
//! reserved word. Operators count only where they are written without quotes.

use crate::{Condition, Construct, NotUnderstood, Word};

use super::{
    Parsed,
    cursor::{Parser, is_meta},
    dialect::Reserved,
    word::Place,
};

impl Parser<'_> {
    /// The command from `[[` to `]]`, both read.
    #[inline(never)]
    pub(super) fn condition_command(&mut self) -> Parsed<Condition> {
        let start = self.pos;
        self.expect_no_pending()?;
        self.pos += 2;
        let condition = self.disjunction(start)?;
        if !self.at_close() {
            return Err(self.unexpected_in_condition(start));
        }
        self.pos += 2;
        Ok(condition)
    }

    fn at_close(&self) -> bool {
        self.looking_at(b"]]") && is_meta(self.peek_at(2))
    }

    fn unexpected_in_condition(&self, opened: usize) -> NotUnderstood {
        if self.at_end() {
            self.since(Construct::UnclosedCompound, opened)
        } else {
            self.here(Construct::UnexpectedToken)
        }
    }

    fn disjunction(&mut self, opened: usize) -> Parsed<Condition> {
        self.enter()?;
        let mut left = self.conjunction(opened)?;
        let mut links = 0;
        while self.looking_at(b"||") {
            self.pos += 2;
            self.count_link(&mut links)?;
            left = Condition::Or(Box::new(left), Box::new(self.conjunction(opened)?));
        }
        self.leave();
        Ok(left)
    }

    fn conjunction(&mut self, opened: usize) -> Parsed<Condition> {
        let mut left = self.test(opened)?;
        let mut links = 0;
        while self.looking_at(b"&&") {
            self.pos += 2;
            self.count_link(&mut links)?;
            left = Condition::And(Box::new(left), Box::new(self.test(opened)?));
        }
        Ok(left)
    }

    /// A chain nests to the left, so its length is bounded as a depth.
    fn count_link(&self, links: &mut usize) -> Parsed<()> {
        *links += 1;
        if *links > self.limits.depth {
            return Err(self.here(Construct::TooDeep));
        }
        Ok(())
    }

    fn test(&mut self, opened: usize) -> Parsed<Condition> {
        self.newlines()?;
        let start = self.pos;
        if self.peek() == b'!' && is_meta(self.peek_at(1)) && self.peek_at(1) != b'(' {
            self.pos += 1;
            self.newlines()?;
            if self.peek() == b'!' && is_meta(self.peek_at(1)) {
                return Err(self.here(Construct::RepeatedBang));
            }
            return Ok(Condition::Not(Box::new(self.single_test(opened)?)));
        }
        if self.peek() == b'!' && is_meta(self.peek_at(1)) {
            return Err(self.since(Construct::ExtendedGlob, start));
        }
        self.single_test(opened)
    }

    /// A test without `!` before it, with the newlines after it.
    fn single_test(&mut self, opened: usize) -> Parsed<Condition> {
        if self.peek() == b'(' {
            self.pos += 1;
            let inner = self.disjunction(opened)?;
            if self.peek() != b')' {
                return Err(self.unexpected_in_condition(opened));
            }
            self.pos += 1;
            self.newlines()?;
            return Ok(inner);
        }
        if self.at_close() || self.at_end() || is_meta(self.peek()) {
            return Err(self.unexpected_in_condition(opened));
        }
        if self.reserved()?.is_some_and(|word| word != Reserved::Bang) {
            return Err(self.here(Construct::UnexpectedToken));
        }
        let left = self.operand_word(Place::OPERAND)?;
        self.blanks()?;
        if let Some(operator) = left.plain().filter(|text| is_unary(text)) {
            if matches!(operator, "-v" | "-R") {
                return Err(NotUnderstood {
                    construct: Construct::ConditionOperator,
                    span: left.span,
                });
            }
            if self.at_close() || is_meta(self.peek()) {
                return Err(self.unexpected_in_condition(opened));
            }
            let operator = operator.into();
            let operand = self.operand_word(Place::OPERAND)?;
            self.newlines()?;
            return Ok(Condition::Unary(operator, operand));
        }
        self.binary(left, opened)
    }

    /// What may follow a first operand.
    fn binary(&mut self, left: Word, opened: usize) -> Parsed<Condition> {
        let start = self.pos;
        if self.at_close() || self.looking_at(b"&&") || self.looking_at(b"||") || self.peek() == b')' {
            return Ok(Condition::NonEmpty(left));
        }
        match self.peek() {
            b'<' | b'>' => {
                let spaced = matches!(self.byte(start - 1), b' ' | b'\t');
                self.pos += 1;
                if !spaced || is_meta(self.peek()) && !matches!(self.peek(), b' ' | b'\t') {
                    return Err(self.since(Construct::ConditionOperator, start));
                }
            }
            byte if is_meta(byte) => return Err(self.unexpected_in_condition(opened)),
            _ => {
                let mut length = 0;
                while !is_meta(self.peek_at(length)) && length < 4 {
                    length += 1;
                }
                if !matches!(self.peek_at(length), b' ' | b'\t') {
                    return Err(self.since(Construct::ConditionOperator, start));
                }
                self.pos += length;
            }
        }
        let operator = self.slice(start, self.pos)?;
        if !is_binary(operator) {
            return Err(self.since(Construct::ConditionOperator, start));
        }
        self.blanks()?;
        if self.at_close() || self.at_end() {
            return Err(self.unexpected_in_condition(opened));
        }
        let place = if operator == "=~" {
            Place::REGEX
        } else {
            Place::OPERAND
        };
        if operator == "=~" && self.shell == crate::Shell::Zsh {
            self.check_zsh_regex(start)?;
        }
        let right = self.operand_word(place)?;
        self.newlines()?;
        Ok(Condition::Binary(left, operator.into(), right))
    }

    /// zsh has other rules for quotes and expansions in a regular expression.
    fn check_zsh_regex(&self, start: usize) -> Parsed<()> {
        let mut length = 0;
        while !matches!(self.peek_at(length), 0 | b' ' | b'\t' | b'\n') {
            if matches!(
                self.peek_at(length),
                b'$' | b'`' | b'\'' | b'"' | b'\\' | b'(' | b'|' | b'~' | b'#'
            ) {
                return self.not_zsh(start);
            }
            length += 1;
        }
        Ok(())
    }

    fn operand_word(&mut self, place: Place) -> Parsed<Word> {
        let word = self.word(place)?;
        if matches!(self.peek(), b'(') {
            return Err(self.here(Construct::ExtendedGlob));
        }
        Ok(word)
    }
}

fn is_unary(text: &str) -> bool {
    let bytes = text.as_bytes();
    matches!(bytes, [b'-', operator] if b"abcdefghknoprstuvwxzGLNORS".contains(operator))
}

fn is_binary(text: &str) -> bool {
    matches!(
        text,
        "=" | "=="
            | "!="
            | "=~"
            | "<"
            | ">"
            | "-nt"
            | "-ot"
            | "-ef"
            | "-eq"
            | "-ne"
            | "-lt"
            | "-le"
            | "-gt"
            | "-ge"
    )
}
