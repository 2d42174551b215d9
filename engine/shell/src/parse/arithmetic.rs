//! Arithmetic expressions (POSIX 2.6.4; bash manual 6.5): numbers, names, operators, parentheses, and expansions.
//!
//! Only whether operands and operators alternate is checked, which any expression that shells accept does. Subscripts are
//! refused, since they are evaluated; so are quotes, other bases, and line breaks.

use crate::{Arithmetic, Construct, Name, NotUnderstood, ParameterOp, Part, PartKind, Shell};

use super::{
    Parsed,
    cursor::{Parser, begins_name, in_name},
    value::{Operator, Token, compute},
};

/// What ends an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    /// `))` of `$(( ))`, which is read too.
    Expansion,
    /// `))` of `(( ))`, which is read too.
    Command,
    /// `;` in the header of a loop, which is read too; the expression may be empty.
    Header,
    /// `))` of the header of a loop, which is read too; the expression may be empty.
    HeaderLast,
    /// `:` or `}`, which is not read.
    Substring,
}

/// The operand just read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operand {
    None,
    /// A variable by its bare name, with its index in `reads`; the only one that can be assigned to.
    Variable,
    Other,
}

/// An expression being read.
struct Reading {
    expression: Arithmetic,
    opened: usize,
    parentheses: usize,
    questions: usize,
    operand: Operand,
    /// Whether anything but blanks was read.
    started: bool,
    /// The tokens, as long as all of them can be computed.
    tokens: Option<Vec<Token>>,
}

impl Reading {
    fn token(&mut self, token: Token) {
        if let Some(tokens) = &mut self.tokens {
            tokens.push(token);
        }
    }

    /// The variable just read is assigned; with `=` alone it is not read.
    fn assign(&mut self, keeps: bool) {
        self.tokens = None;
        let name = if keeps {
            self.expression.reads.last().cloned()
        } else {
            self.expression.reads.pop()
        };
        self.expression.writes.extend(name);
    }
}

impl Parser<'_> {
    /// One expression up to its ending.
    #[inline(never)]
    pub(super) fn arithmetic(&mut self, ending: Ending) -> Parsed<Arithmetic> {
        self.enter()?;
        let start = self.pos;
        let mut reading = Reading {
            expression: Arithmetic::default(),
            opened: start,
            parentheses: 0,
            questions: 0,
            operand: Operand::None,
            started: false,
            tokens: Some(Vec::new()),
        };
        loop {
            while matches!(self.peek(), b' ' | b'\t') {
                self.pos += 1;
            }
            if self.at_end() {
                return Err(self.since(unclosed(ending), reading.opened));
            }
            if reading.operand == Operand::None {
                if self.ends_empty(ending, &reading) {
                    break;
                }
                reading.started = true;
                self.arithmetic_operand(&mut reading)?;
            } else if self.ends(ending, &reading)? {
                break;
            } else {
                self.arithmetic_operator(&mut reading)?;
            }
        }
        let mut expression = reading.expression;
        if self.shell == Shell::Zsh && !expression.writes.is_empty() {
            // The variable becomes an integer, and every later assignment to it is evaluated.
            return Err(self.since(Construct::NotInThisShell, start));
        }
        let text = self.slice(start, self.pos)?;
        let end = start + text.trim_end_matches([' ', '\t']).len();
        expression.span = crate::Span::new(start.min(end), end);
        if let Some(tokens) = &reading.tokens {
            expression.value = compute(tokens);
        }
        self.pos += match ending {
            Ending::Expansion | Ending::Command | Ending::HeaderLast => 2,
            Ending::Header => 1,
            Ending::Substring => 0,
        };
        self.leave();
        Ok(expression)
    }

    /// Whether the expression is empty and may be.
    fn ends_empty(&self, ending: Ending, reading: &Reading) -> bool {
        !reading.started
            && match ending {
                Ending::Header => self.peek() == b';',
                Ending::HeaderLast => self.looking_at(b"))"),
                Ending::Expansion | Ending::Command | Ending::Substring => false,
            }
    }

    /// Whether the ending stands here, after an operand.
    fn ends(&self, ending: Ending, reading: &Reading) -> Parsed<bool> {
        let byte = self.peek();
        let here = match ending {
            Ending::Expansion | Ending::Command | Ending::HeaderLast => byte == b')',
            Ending::Header => byte == b';',
            Ending::Substring => matches!(byte, b':' | b'}'),
        };
        if !here || (reading.parentheses > 0 && byte == b')') {
            return Ok(false);
        }
        if reading.parentheses > 0 || reading.questions > 0 || (byte == b')' && self.peek_at(1) != b')') {
            return Err(self.here(Construct::UnexpectedToken));
        }
        Ok(true)
    }

    fn arithmetic_operand(&mut self, reading: &mut Reading) -> Parsed<()> {
        let start = self.pos;
        let byte = self.peek();
        match byte {
            b'0'..=b'9' => {
                let number = self.arithmetic_number()?;
                match number {
                    Some(number) => reading.token(Token::Number(number)),
                    None => reading.tokens = None,
                }
                reading.operand = Operand::Other;
            }
            byte if begins_name(byte) => {
                let name = self.arithmetic_name(0)?;
                reading.tokens = None;
                reading.expression.reads.push(name);
                reading.operand = Operand::Variable;
            }
            b'$' => {
                self.arithmetic_dollar(reading)?;
                reading.operand = Operand::Other;
            }
            b'`' => {
                reading.tokens = None;
                self.backquoted(&mut reading.expression.parts)?;
                reading.operand = Operand::Other;
            }
            b'(' => {
                self.pos += 1;
                reading.parentheses += 1;
                if reading.parentheses > self.limits.depth {
                    return Err(self.since(Construct::TooDeep, start));
                }
                reading.token(Token::Open);
            }
            b'+' | b'-' if self.peek_at(1) == byte => {
                self.not_sh(start)?;
                self.pos += 2;
                if !begins_name(self.peek()) {
                    return Err(self.since(Construct::UnexpectedToken, start));
                }
                let name = self.arithmetic_name(0)?;
                reading.expression.reads.push(name);
                reading.assign(true);
                reading.operand = Operand::Other;
            }
            b'+' | b'-' => {
                self.pos += 1;
                reading.token(Token::Prefix(byte));
            }
            b'!' | b'~' => {
                self.pos += 1;
                reading.tokens = None;
            }
            b'\'' | b'"' | b'\\' | b'\n' => return Err(self.here(Construct::ArithmeticCode)),
            _ => return Err(self.here(Construct::UnexpectedToken)),
        }
        Ok(())
    }

    fn arithmetic_name(&mut self, skip: usize) -> Parsed<Name> {
        let start = self.pos;
        self.pos += skip;
        while in_name(self.peek()) {
            self.pos += 1;
        }
        if self.peek() == b'[' {
            return Err(self.since(Construct::Subscript, start));
        }
        Ok(Name {
            text: self.slice(start + skip, self.pos)?.into(),
            span: self.span(start),
        })
    }

    /// A number; `None` where its value is left open.
    fn arithmetic_number(&mut self) -> Parsed<Option<i64>> {
        let start = self.pos;
        let hexadecimal = self.peek() == b'0' && matches!(self.peek_at(1), b'x' | b'X');
        if hexadecimal {
            self.pos += 2;
        }
        while self.peek().is_ascii_hexdigit() && (hexadecimal || self.peek().is_ascii_digit()) {
            self.pos += 1;
        }
        if self.peek() == b'#' {
            return Err(self.since(Construct::ArithmeticCode, start));
        }
        if in_name(self.peek()) || self.peek() == b'.' || self.pos == start + 2 * usize::from(hexadecimal) {
            return Err(self.since(Construct::UnexpectedToken, start));
        }
        let text = self.slice(start, self.pos)?;
        if text.len() > 1 && text.starts_with('0') {
            self.not_zsh(start)?;
            return Ok(None);
        }
        Ok(text.parse().ok())
    }

    fn arithmetic_dollar(&mut self, reading: &mut Reading) -> Parsed<()> {
        let start = self.pos;
        let next = self.peek_at(1);
        match next {
            byte if begins_name(byte) => {
                reading.tokens = None;
                let name = self.arithmetic_name(1)?;
                reading.expression.reads.push(name);
                return Ok(());
            }
            b'0'..=b'9' | b'#' | b'?' | b'$' | b'!' => {
                reading.tokens = None;
                self.pos += 2;
                if self.shell == Shell::Zsh && next == b'#' && in_name(self.peek()) {
                    return Err(self.since(Construct::NotInThisShell, start));
                }
                if self.peek() == b'[' {
                    return Err(self.since(Construct::Subscript, start));
                }
                let name = Name {
                    text: self.slice(start + 1, self.pos)?.into(),
                    span: self.span(start),
                };
                reading.expression.reads.push(name);
                return Ok(());
            }
            b'(' | b'{' => {}
            _ => return Err(self.here(Construct::ArithmeticCode)),
        }
        let mut parts: Vec<Part> = Vec::new();
        self.dollar(true, &mut parts)?;
        if self.peek() == b'[' {
            return Err(self.since(Construct::Subscript, start));
        }
        for part in parts {
            match &part.kind {
                PartKind::Arithmetic(inner) if inner.value.is_some() && inner.parts.is_empty() => {
                    if let Some(value) = inner.value {
                        reading.token(Token::Number(value));
                    }
                }
                PartKind::Parameter(parameter)
                    if parameter.op == ParameterOp::Plain && parameter.index.is_none() =>
                {
                    reading.tokens = None;
                    if matches!(parameter.name.as_str(), "@" | "*" | "-") {
                        return Err(NotUnderstood {
                            construct: Construct::ArithmeticCode,
                            span: part.span,
                        });
                    }
                    reading.expression.reads.push(Name {
                        text: parameter.name.clone(),
                        span: part.span,
                    });
                    continue;
                }
                PartKind::Literal { .. }
                | PartKind::SingleQuoted(_)
                | PartKind::AnsiC(_)
                | PartKind::DoubleQuoted(_)
                | PartKind::Parameter(_)
                | PartKind::Substitution(_)
                | PartKind::ReadFrom(_)
                | PartKind::WriteTo(_)
                | PartKind::Arithmetic(_)
                | PartKind::Glob(_)
                | PartKind::Brace(_)
                | PartKind::Tilde(_) => reading.tokens = None,
            }
            reading.expression.parts.push(part);
        }
        Ok(())
    }

    fn arithmetic_operator(&mut self, reading: &mut Reading) -> Parsed<()> {
        let start = self.pos;
        let bytes = (self.peek(), self.peek_at(1), self.peek_at(2));
        let variable = reading.operand == Operand::Variable;
        match bytes {
            (b')', _, _) => {
                if reading.parentheses == 0 {
                    return Err(self.here(Construct::UnexpectedToken));
                }
                reading.parentheses -= 1;
                reading.token(Token::Close);
                reading.operand = Operand::Other;
                self.pos += 1;
                return Ok(());
            }
            (b'+', b'+', _) | (b'-', b'-', _) => {
                self.not_sh(start)?;
                self.pos += 2;
                if !variable {
                    return Err(self.since(Construct::UnexpectedToken, start));
                }
                reading.assign(true);
                reading.operand = Operand::Other;
                return Ok(());
            }
            (b'[', _, _) => return Err(self.here(Construct::Subscript)),
            (b'?', _, _) => reading.questions += 1,
            (b':', _, _) => match reading.questions.checked_sub(1) {
                Some(rest) => reading.questions = rest,
                None => return Err(self.here(Construct::UnexpectedToken)),
            },
            _ => {}
        }
        let length = match bytes {
            (b'<', b'<', b'=') | (b'>', b'>', b'=') => 3,
            (b'*', b'*', _) => {
                self.not_sh(start)?;
                2
            }
            (b'<', b'<', _)
            | (b'>', b'>', _)
            | (b'&', b'&', _)
            | (b'|', b'|', _)
            | (b'=' | b'!' | b'<' | b'>' | b'+' | b'-' | b'*' | b'/' | b'%' | b'&' | b'^' | b'|', b'=', _) => {
                2
            }
            (b',', _, _) => {
                self.not_sh(start)?;
                1
            }
            (
                b'=' | b'<' | b'>' | b'+' | b'-' | b'*' | b'/' | b'%' | b'&' | b'^' | b'|' | b'?' | b':',
                _,
                _,
            ) => 1,
            (b'\'' | b'"' | b'\\' | b'\n' | b'`' | b'$', _, _) => {
                return Err(self.here(Construct::ArithmeticCode));
            }
            _ => return Err(self.here(Construct::UnexpectedToken)),
        };
        self.pos += length;
        let text = self.slice(start, self.pos)?;
        if text.ends_with('=') && !matches!(text, "==" | "!=" | "<=" | ">=") {
            if !variable {
                return Err(self.since(Construct::UnexpectedToken, start));
            }
            reading.assign(text != "=");
        }
        match computed(text) {
            Some(operator) => reading.token(Token::Binary(operator)),
            None => reading.tokens = None,
        }
        reading.operand = Operand::None;
        Ok(())
    }
}

fn computed(text: &str) -> Option<Operator> {
    Some(match text {
        "+" => Operator::Add,
        "-" => Operator::Subtract,
        "*" => Operator::Multiply,
        "/" => Operator::Divide,
        "%" => Operator::Remainder,
        _ => return None,
    })
}

fn unclosed(ending: Ending) -> Construct {
    match ending {
        Ending::Expansion => Construct::UnclosedSubstitution,
        Ending::Command | Ending::Header | Ending::HeaderLast => Construct::UnclosedCompound,
        Ending::Substring => Construct::UnclosedExpansion,
    }
}
