//! Cuts an awk program into tokens (POSIX awk, "Lexical Conventions"; the gawk manual for its extensions).
//!
//! Whether a slash divides or opens a regular expression follows from the token before it. Where real awks answer that
//! from their grammar in ways that differ, the program is refused.

use super::super::ProgramError;
use super::super::cursor::Cursor;
use crate::Span;

/// One token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Token<'a> {
    pub(super) kind: TokenKind,
    /// As written.
    pub(super) text: &'a str,
    pub(super) span: Span,
}

/// The kinds of tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenKind {
    /// A name or a keyword.
    Name,
    Number,
    /// A string with its quotes.
    Text,
    Regex,
    /// The end of a line that is not continued by a backslash.
    Newline,
    Operator,
}

/// Longest first, so that the first that fits is the token.
const OPERATORS: &[&str] = &[
    "**=", "**", "|&", "||", "&&", "++", "--", "+=", "-=", "*=", "/=", "%=", "^=", "==", "!=", "<=", ">=",
    ">>", "!~", "{", "}", "(", ")", "[", "]", ";", ",", "<", ">", "=", "!", "~", "?", ":", "+", "-", "*",
    "/", "%", "^", "|", "$", "@",
];

/// Keywords after which an expression may begin.
const BEFORE_OPERAND: &[&str] = &["print", "printf", "return", "in", "exit", "else", "do", "case"];

/// Keywords and functions without parentheses after which a slash is read in more than one way.
const UNCLEAR: &[&str] = &[
    "getline",
    "length",
    "next",
    "nextfile",
    "break",
    "continue",
    "default",
    "delete",
    "BEGIN",
    "END",
    "BEGINFILE",
    "ENDFILE",
    "function",
    "func",
    "if",
    "while",
    "for",
    "switch",
];

/// What a slash after the last token is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Slash {
    Divides,
    OpensRegex,
    Unclear,
}

pub(super) fn tokens(text: &str) -> Result<Vec<Token<'_>>, ProgramError> {
    let mut lexer = Lexer {
        at: Cursor::new(text),
        tokens: Vec::new(),
        parentheses: Vec::new(),
        header_closed: false,
    };
    while lexer.token()? {}
    Ok(lexer.tokens)
}

struct Lexer<'a> {
    at: Cursor<'a>,
    tokens: Vec<Token<'a>>,
    /// For each open parenthesis, whether it holds the condition of `if`, `while`, `for` or `switch`.
    parentheses: Vec<bool>,
    /// The last token closed such a parenthesis.
    header_closed: bool,
}

impl Lexer<'_> {
    fn token(&mut self) -> Result<bool, ProgramError> {
        self.at.skip_while(|byte| byte == b' ' || byte == b'\t');
        let start = self.at.at();
        let Some(first) = self.at.peek() else {
            return Ok(false);
        };
        match first {
            b'\n' => {
                self.at.bump();
                self.push(TokenKind::Newline, start);
            }
            b'\\' if self.at.ahead(1) == Some(b'\n') => self.at.advance(2),
            b'#' => {
                if self.at.rest_of_line().ends_with('\\') {
                    return Err(self.at.error("a comment that ends in a backslash"));
                }
            }
            b'"' => {
                self.string()?;
                self.push(TokenKind::Text, start);
            }
            b'0'..=b'9' => self.number(start)?,
            b'.' if self.at.ahead(1).is_some_and(|byte| byte.is_ascii_digit()) => self.number(start)?,
            b'/' => match self.slash() {
                Slash::Divides => self.operator(start)?,
                Slash::OpensRegex => {
                    self.regex()?;
                    self.push(TokenKind::Regex, start);
                }
                Slash::Unclear => return Err(self.at.error("a slash that can be read in two ways")),
            },
            _ if first.is_ascii_alphabetic() || first == b'_' => {
                self.at
                    .skip_while(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
                if self.at.rest().starts_with("::") {
                    return Err(self.at.error("a name with a namespace"));
                }
                self.push(TokenKind::Name, start);
            }
            _ => self.operator(start)?,
        }
        Ok(true)
    }

    fn push(&mut self, kind: TokenKind, start: usize) {
        self.header_closed = false;
        self.tokens.push(Token {
            kind,
            text: self.at.since(start),
            span: self.at.span(start),
        });
    }

    fn operator(&mut self, start: usize) -> Result<(), ProgramError> {
        let rest = self.at.rest();
        let Some(operator) = OPERATORS.iter().find(|operator| rest.starts_with(**operator)) else {
            return Err(self.at.error("a character that begins no token"));
        };
        let header = match *operator {
            "(" => {
                let header = self.tokens.last().is_some_and(|token| {
                    token.kind == TokenKind::Name && matches!(token.text, "if" | "while" | "for" | "switch")
                });
                self.parentheses.push(header);
                false
            }
            ")" => self.parentheses.pop().unwrap_or_default(),
            _ => false,
        };
        self.at.advance(operator.len());
        self.push(TokenKind::Operator, start);
        self.header_closed = header;
        Ok(())
    }

    fn slash(&self) -> Slash {
        let Some(last) = self.tokens.last() else {
            return Slash::OpensRegex;
        };
        match last.kind {
            TokenKind::Newline => Slash::OpensRegex,
            TokenKind::Name if BEFORE_OPERAND.contains(&last.text) => Slash::OpensRegex,
            TokenKind::Name if UNCLEAR.contains(&last.text) => Slash::Unclear,
            TokenKind::Name | TokenKind::Number | TokenKind::Text | TokenKind::Regex => Slash::Divides,
            TokenKind::Operator => match last.text {
                ")" if self.header_closed => Slash::Unclear,
                ")" | "]" => Slash::Divides,
                "++" | "--" | "$" => Slash::Unclear,
                _ => Slash::OpensRegex,
            },
        }
    }

    fn string(&mut self) -> Result<(), ProgramError> {
        self.at.bump();
        loop {
            match self.at.bump() {
                Some(b'"') => return Ok(()),
                Some(b'\\') if self.at.peek() == Some(b'\n') => {
                    return Err(self.at.error("a string that is continued on the next line"));
                }
                Some(b'\\') => {
                    self.at.bump();
                }
                Some(b'\n') | None => return Err(self.at.error("a string is never closed")),
                Some(_) => {}
            }
        }
    }

    fn number(&mut self, start: usize) -> Result<(), ProgramError> {
        self.at.skip_while(|byte| byte.is_ascii_digit() || byte == b'.');
        let exponent = matches!(self.at.peek(), Some(b'e' | b'E'));
        let signed = usize::from(matches!(self.at.ahead(1), Some(b'+' | b'-')));
        if exponent
            && self
                .at
                .ahead(1 + signed)
                .is_some_and(|byte| byte.is_ascii_digit())
        {
            self.at.advance(1 + signed);
            self.at.skip_while(|byte| byte.is_ascii_digit());
        }
        // awks disagree on how much of `0x1` or `1ex` belongs to the number, and so on the name that follows.
        if self
            .at
            .peek()
            .is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_' || byte == b'.')
        {
            return Err(self.at.error("a number that runs into a name"));
        }
        self.push(TokenKind::Number, start);
        Ok(())
    }

    fn regex(&mut self) -> Result<(), ProgramError> {
        self.at.bump();
        loop {
            match self.at.bump() {
                Some(b'/') => return Ok(()),
                Some(b'\\') if self.at.peek() != Some(b'\n') => {
                    self.at.bump();
                }
                Some(b'[') => self.bracket()?,
                Some(b'\n' | b'\\') | None => {
                    return Err(self.at.error("a regular expression is never closed"));
                }
                Some(_) => {}
            }
        }
    }

    /// Reads a bracket expression after its `[`. A slash in it is taken only if the bracket has one reading; an awk that
    /// ends the regular expression at that slash refuses the whole program, since the bracket is then open.
    fn bracket(&mut self) -> Result<(), ProgramError> {
        let unclear = |at: &Cursor<'_>| Err(at.error("a bracket expression that can be read in two ways"));
        let (mut simple, mut slash, mut first) = (true, false, true);
        self.at.eat(b'^');
        loop {
            match self.at.bump() {
                Some(b']') if first => simple = false,
                Some(b']') if slash && !simple => return unclear(&self.at),
                Some(b']') => return Ok(()),
                Some(b'[') => {
                    simple = false;
                    if let Some(kind @ (b':' | b'.' | b'=')) = self.at.peek() {
                        self.at.bump();
                        self.at.skip_while(|byte| byte.is_ascii_alphanumeric());
                        if !(self.at.eat(kind) && self.at.eat(b']')) {
                            return unclear(&self.at);
                        }
                    }
                }
                Some(b'\\') if self.at.peek() != Some(b'\n') => {
                    simple = false;
                    self.at.bump();
                }
                Some(b'/') => slash = true,
                Some(b'\n' | b'\\') | None => return unclear(&self.at),
                Some(_) => {}
            }
            first = false;
        }
    }
}
