//! Finds what an awk program may do (POSIX awk, and gawk 5 where it differs).
//!
//! The program is cut into tokens, its brackets are matched, and every construct that reaches outside is recognised by the
//! tokens around it. A construct whose operand is not a lone string constant has an unknown operand.

use smol_str::SmolStr;

use super::{ProgramEffect, ProgramEffectKind, ProgramError};
use crate::{Origin, Span, Value};

use lex::{Token, TokenKind};

mod lex;

/// Functions of POSIX awk and gawk that touch nothing, and `system`, `close` and `fflush`.
const FUNCTIONS: &[&str] = &[
    "and",
    "asort",
    "asorti",
    "atan2",
    "bindtextdomain",
    "close",
    "compl",
    "cos",
    "dcgettext",
    "dcngettext",
    "exp",
    "fflush",
    "gensub",
    "gsub",
    "index",
    "int",
    "isarray",
    "length",
    "log",
    "lshift",
    "match",
    "mkbool",
    "mktime",
    "or",
    "patsplit",
    "rand",
    "rshift",
    "sin",
    "split",
    "sprintf",
    "sqrt",
    "srand",
    "strftime",
    "strtonum",
    "sub",
    "substr",
    "system",
    "systime",
    "tolower",
    "toupper",
    "typeof",
    "xor",
];

/// Words that may stand before a parenthesis without being a call.
const KEYWORDS: &[&str] = &[
    "if", "while", "for", "switch", "print", "printf", "return", "exit", "delete", "in", "do", "else",
    "case", "getline", "function", "func", "BEGIN", "END",
];

pub(super) fn analyse(text: &str) -> Result<Vec<ProgramEffect>, ProgramError> {
    let tokens = lex::tokens(text)?;
    let mut finder = Finder {
        functions: tokens
            .windows(2)
            .filter_map(|pair| match pair {
                [first, name] if first.is_word("function") || first.is_word("func") => Some(name.text),
                _ => None,
            })
            .collect(),
        tokens,
        effects: Vec::new(),
    };
    finder.all()?;
    Ok(finder.effects)
}

struct Finder<'a> {
    tokens: Vec<Token<'a>>,
    /// Functions that the program defines.
    functions: Vec<&'a str>,
    effects: Vec<ProgramEffect>,
}

impl Token<'_> {
    fn is(&self, operator: &str) -> bool {
        self.kind == TokenKind::Operator && self.text == operator
    }

    fn is_word(&self, word: &str) -> bool {
        self.kind == TokenKind::Name && self.text == word
    }

    fn error(&self, reason: &'static str) -> ProgramError {
        ProgramError {
            offset: self.span.start as usize,
            reason,
        }
    }
}

impl<'a> Finder<'a> {
    fn all(&mut self) -> Result<(), ProgramError> {
        let mut open: Vec<&str> = Vec::new();
        // The number of open brackets around the `print` statement that is being read.
        let mut printing: Option<usize> = None;
        for index in 0..self.tokens.len() {
            let Some(token) = self.tokens.get(index).copied() else {
                break;
            };
            match token.kind {
                TokenKind::Number | TokenKind::Text | TokenKind::Regex => {}
                TokenKind::Newline => {
                    if !self.continues_after(index) {
                        printing = None;
                    }
                }
                TokenKind::Name => {
                    if matches!(token.text, "print" | "printf") {
                        printing = Some(open.len());
                    }
                    self.name(index, token)?;
                }
                TokenKind::Operator => match token.text {
                    "(" | "[" | "{" => open.push(token.text),
                    ")" | "]" | "}" => {
                        let pair = match open.pop() {
                            Some("(") => ")",
                            Some("[") => "]",
                            Some(_) => "}",
                            None => "",
                        };
                        if pair != token.text {
                            return Err(token.error("a bracket without its partner"));
                        }
                        if printing.is_some_and(|depth| open.len() < depth) {
                            printing = None;
                        }
                    }
                    ";" => printing = None,
                    "@" => self.at_sign(index, token)?,
                    "|" | "|&" => self.pipe(index, token),
                    ">" | ">>" if printing == Some(open.len()) => self.redirect(index, token),
                    ">>" => return Err(token.error("a `>>` outside a print statement")),
                    _ => {}
                },
            }
        }
        match (open.last(), self.tokens.last()) {
            (Some(_), Some(last)) => Err(last.error("a bracket is never closed")),
            _ => Ok(()),
        }
    }

    fn note(&mut self, span: Span, kind: ProgramEffectKind) {
        self.effects.push(ProgramEffect { kind, span });
    }

    fn next(&self, index: usize, count: usize) -> Option<Token<'a>> {
        self.tokens.get(index + count).copied()
    }

    fn before(&self, index: usize, count: usize) -> Option<Token<'a>> {
        self.tokens.get(index.checked_sub(count)?).copied()
    }

    /// Whether the newline at `index` does not end its statement.
    fn continues_after(&self, index: usize) -> bool {
        let mut back = 1;
        while self
            .before(index, back)
            .is_some_and(|token| token.kind == TokenKind::Newline)
        {
            back += 1;
        }
        self.before(index, back).is_some_and(|token| {
            [",", "&&", "||", "?", ":", "{"]
                .iter()
                .any(|operator| token.is(operator))
                || token.is_word("do")
                || token.is_word("else")
        })
    }

    /// Whether a statement or a parenthesis ends before the token at `index`.
    fn ends_at(&self, index: usize) -> bool {
        self.tokens.get(index).is_none_or(|token| {
            token.kind == TokenKind::Newline || token.is(";") || token.is("}") || token.is(")")
        })
    }

    fn name(&mut self, index: usize, token: Token<'a>) -> Result<(), ProgramError> {
        match token.text {
            "system" => {
                let text = match (self.next(index, 1), self.next(index, 2), self.next(index, 3)) {
                    (Some(open), Some(text), Some(close)) if open.is("(") && close.is(")") => constant(text),
                    _ => None,
                };
                self.note(token.span, ProgramEffectKind::RunsShell(text));
            }
            "ENVIRON" => self.note(token.span, ProgramEffectKind::ReadsEnvironment),
            // Changing the operands changes which files are read.
            "ARGV" | "ARGC" => self.note(
                token.span,
                ProgramEffectKind::ReadsFile(Value::Unknown(Origin::Variable)),
            ),
            // The symbol table reaches every variable by a computed name.
            "SYMTAB" | "FUNCTAB" => return Err(token.error("the symbol table")),
            "getline" => self.getline(index, token),
            name => {
                let called = self
                    .next(index, 1)
                    .is_some_and(|open| open.is("(") && open.span.start == token.span.end);
                let known =
                    FUNCTIONS.contains(&name) || KEYWORDS.contains(&name) || self.functions.contains(&name);
                let indirect = self.before(index, 1).is_some_and(|token| token.is("@"));
                if called && !known && !indirect {
                    return Err(token.error("a call of a function that is not known"));
                }
            }
        }
        Ok(())
    }

    /// `@load`, `@include`, `@/regex/` and the indirect call `@name(...)`.
    fn at_sign(&mut self, index: usize, token: Token<'a>) -> Result<(), ProgramError> {
        match self.next(index, 1) {
            Some(next) if next.kind == TokenKind::Regex => Ok(()),
            Some(next) if next.is_word("load") || next.is_word("include") => {
                let path = self
                    .next(index, 2)
                    .and_then(constant)
                    .map_or(Value::Unknown(Origin::Variable), Value::Known);
                self.note(token.span.to(next.span), ProgramEffectKind::LoadsCode(path));
                Ok(())
            }
            Some(next)
                if next.kind == TokenKind::Name && self.next(index, 2).is_some_and(|open| open.is("(")) =>
            {
                // The function's name is a value, and `system` is among the functions.
                self.note(token.span.to(next.span), ProgramEffectKind::RunsShell(None));
                Ok(())
            }
            _ => Err(token.error("an `@` that is not followed")),
        }
    }

    /// `print | "cmd"`, `"cmd" | getline` and their two-way forms.
    fn pipe(&mut self, index: usize, token: Token<'a>) {
        let text = if self.next(index, 1).is_some_and(|next| next.is_word("getline")) {
            let alone = self.before(index, 2).is_none_or(|token| {
                token.kind == TokenKind::Newline
                    || ["(", "{", "}", ";"].iter().any(|operator| token.is(operator))
            });
            self.before(index, 1).filter(|_| alone).and_then(constant)
        } else if self.ends_at(index + 2) {
            self.next(index, 1).and_then(constant)
        } else {
            None
        };
        match text {
            Some(address) if address.starts_with("/inet") => {
                self.note(token.span, ProgramEffectKind::Connects(Value::Known(address)));
            }
            None if token.text == "|&" => {
                self.note(token.span, ProgramEffectKind::RunsShell(None));
                self.note(
                    token.span,
                    ProgramEffectKind::Connects(Value::Unknown(Origin::Variable)),
                );
            }
            text => self.note(token.span, ProgramEffectKind::RunsShell(text)),
        }
    }

    /// `print > file`
    fn redirect(&mut self, index: usize, token: Token<'a>) {
        let path = self.path(index + 1);
        match path.known() {
            Some("/dev/stdout" | "/dev/stderr") => {}
            Some(address) if address.starts_with("/inet") => {
                self.note(token.span, ProgramEffectKind::Connects(path));
            }
            _ => self.note(token.span, ProgramEffectKind::WritesFile(path)),
        }
    }

    /// `getline < file`, with an optional variable between.
    fn getline(&mut self, index: usize, token: Token<'a>) {
        let mut depth = 0_usize;
        let mut at = index + 1;
        while let Some(next) = self.tokens.get(at) {
            if next.is("(") || next.is("[") {
                depth += 1;
            } else if depth > 0 {
                if next.is(")") || next.is("]") {
                    depth -= 1;
                }
            } else if next.is("<") {
                let path = self.path(at + 1);
                match path.known() {
                    Some("-" | "/dev/stdin") => {}
                    Some(address) if address.starts_with("/inet") => {
                        self.note(token.span, ProgramEffectKind::Connects(path));
                    }
                    _ => self.note(token.span, ProgramEffectKind::ReadsFile(path)),
                }
                return;
            } else if !(matches!(next.kind, TokenKind::Name | TokenKind::Number)
                || next.is("$")
                || next.is("++")
                || next.is("--"))
            {
                return;
            }
            at += 1;
        }
    }

    /// The file named by the tokens from `index` on: a constant, a constant with plain operands joined to it, or unknown.
    fn path(&self, index: usize) -> Value {
        let unknown = Value::Unknown(Origin::Variable);
        let Some(prefix) = self.tokens.get(index).copied().and_then(constant) else {
            return unknown;
        };
        let mut at = index + 1;
        while !self.ends_at(at) {
            match self.tokens.get(at) {
                Some(token)
                    if token.is("$")
                        || matches!(token.kind, TokenKind::Text | TokenKind::Number)
                        || (token.kind == TokenKind::Name
                            && !KEYWORDS.contains(&token.text)
                            && !FUNCTIONS.contains(&token.text)) => {}
                _ => return unknown,
            }
            at += 1;
        }
        if at == index + 1 {
            Value::Known(prefix)
        } else {
            Value::Affixed {
                prefix,
                suffix: SmolStr::default(),
            }
        }
    }
}

/// The value of a string constant, where all its escapes are ones that every awk reads alike.
fn constant(token: Token<'_>) -> Option<SmolStr> {
    if token.kind != TokenKind::Text {
        return None;
    }
    let body = token.text.strip_prefix('"')?.strip_suffix('"')?;
    let mut value = String::with_capacity(body.len());
    let mut characters = body.chars();
    while let Some(character) = characters.next() {
        value.push(match character {
            '\\' => match characters.next()? {
                'n' => '\n',
                't' => '\t',
                same @ ('"' | '\\' | '/') => same,
                _ => return None,
            },
            other => other,
        });
    }
    Some(value.into())
}
