//! Words: literals and how the other parts are found in them (POSIX 2.2 and 2.3; bash manual 3.1.2 and 3.5).

use crate::{Construct, Part, PartKind, Shell, Word};

use super::{
    Parsed,
    brace::{Mark, Marks},
    cursor::{Parser, is_meta},
};

/// What expands in a word, which depends on where it stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    braces: Braces,
    pub(super) tildes: Tildes,
    globs: bool,
    regex: bool,
}

/// What braces are in a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Braces {
    Expand,
    Literal,
    /// Shells differ, or the words that come out are too many for the place.
    Refuse(Construct),
}

/// Where tildes expand in a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tildes {
    /// At the start, and in what looks like an assignment.
    Word,
    /// At the start and after a colon: the value of an assignment.
    Value,
    /// At the start only; refused in what looks like an assignment.
    Start,
}

impl Place {
    /// A command word, an argument, a word of a loop.
    pub(super) const ARGUMENT: Self = Self {
        braces: Braces::Expand,
        tildes: Tildes::Word,
        globs: true,
        regex: false,
    };
    /// An element of an array.
    pub(super) const ELEMENT: Self = Self {
        tildes: Tildes::Start,
        ..Self::ARGUMENT
    };
    /// The value of an assignment.
    pub(super) const VALUE: Self = Self {
        braces: Braces::Literal,
        tildes: Tildes::Value,
        globs: true,
        regex: false,
    };
    /// The value of an assignment that is an argument of a declaration builtin.
    pub(super) const DECLARED: Self = Self {
        braces: Braces::Refuse(Construct::BraceForm),
        ..Self::VALUE
    };
    /// The target of a redirection.
    pub(super) const TARGET: Self = Self {
        braces: Braces::Refuse(Construct::RedirectTarget),
        tildes: Tildes::Start,
        globs: true,
        regex: false,
    };
    /// A here-string, an operand of `[[ ]]` or `case`: neither split nor brace-expanded.
    pub(super) const OPERAND: Self = Self {
        braces: Braces::Literal,
        tildes: Tildes::Start,
        globs: true,
        regex: false,
    };
    /// The right side of `=~`.
    pub(super) const REGEX: Self = Self {
        braces: Braces::Literal,
        tildes: Tildes::Start,
        globs: false,
        regex: true,
    };
}

/// Ends a run of literal bytes.
const STOPS: u8 = 1;
/// Ends a run of literal bytes once a brace was seen.
const STOPS_IN_BRACE: u8 = 2;
/// Not in plain words.
const ODD: u8 = 4;

/// What each byte does in an unquoted word.
static BYTES: [u8; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        #[expect(clippy::cast_possible_truncation, reason = "counts up to 255")]
        let value = byte as u8;
        #[expect(clippy::indexing_slicing, reason = "evaluated when the crate is built")]
        {
            table[byte] = match value {
                0 | b' ' | b'\t' | b'\n' | b'|' | b'&' | b';' | b'(' | b')' | b'<' | b'>' | b'\'' | b'"'
                | b'`' | b'$' | b'\\' | b'*' | b'?' | b'[' | b'{' | b'~' => STOPS,
                b'}' => STOPS_IN_BRACE | ODD,
                b',' | b'.' => STOPS_IN_BRACE,
                b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => 0,
                b'_' | b'/' | b':' | b'=' | b'+' | b'@' | b'%' | b'^' | b'-' => 0,
                _ => ODD,
            };
        }
        byte += 1;
    }
    table
};

/// A literal being collected.
#[derive(Debug)]
pub(super) struct Run {
    /// Where the literal began.
    pub(super) start: usize,
    /// Where what is not copied yet begins.
    pub(super) from: usize,
    text: String,
    escaped: bool,
}

impl Run {
    pub(super) fn new(start: usize) -> Self {
        Self {
            start,
            from: start,
            text: String::new(),
            escaped: false,
        }
    }
}

impl Parser<'_> {
    /// Ends the literal before `self.pos`; the next begins where the caller says by [`Run::new`].
    #[inline]
    pub(super) fn flush(&self, run: &mut Run, parts: &mut Vec<Part>) -> Parsed<()> {
        if run.start == self.pos {
            return Ok(());
        }
        let rest = self.slice(run.from, self.pos)?;
        let text = if run.text.is_empty() {
            if rest.is_empty() {
                // Nothing but a dropped line continuation.
                return Ok(());
            }
            rest.into()
        } else {
            run.text.push_str(rest);
            run.text.as_str().into()
        };
        parts.push(Part {
            kind: PartKind::Literal {
                text,
                escaped: run.escaped,
            },
            span: self.span(run.start),
        });
        Ok(())
    }

    /// Takes a backslash and the character after it into a literal, without the backslash.
    pub(super) fn escape(&mut self, run: &mut Run) -> Parsed<()> {
        let length = self.char_len(self.pos + 1);
        if length == 0 || self.pos + 1 >= self.bytes.len() {
            return Err(self.here(Construct::TrailingBackslash));
        }
        run.text.push_str(self.slice(run.from, self.pos)?);
        run.from = self.pos + 1;
        run.escaped = true;
        self.pos += 1 + length;
        // The character is copied at once, so that nothing later takes it for an unquoted one.
        run.text.push_str(self.slice(run.from, self.pos)?);
        run.from = self.pos;
        Ok(())
    }

    /// Drops a line continuation from a literal.
    pub(super) fn drop_continuation(&mut self, run: &mut Run) -> Parsed<()> {
        run.text.push_str(self.slice(run.from, self.pos)?);
        self.pos += 2;
        run.from = self.pos;
        Ok(())
    }

    /// Whether the line continuations here end the word. They do before a blank or an operator; a digit before a
    /// redirection would become its descriptor, and `(` would mean something else.
    pub(super) fn continuation_ends_word(&self) -> Parsed<bool> {
        let mut after = 0;
        while self.continues_at(after) {
            after += 2;
        }
        match self.peek_at(after) {
            b'<' | b'>' | b'(' => Err(self.here(Construct::SplitToken)),
            byte => Ok(is_meta(byte)),
        }
    }

    /// One word, which must begin here.
    #[inline(never)]
    pub(super) fn word(&mut self, place: Place) -> Parsed<Word> {
        let start = self.pos;
        let mut run = Run::new(start);
        let mut parts: Vec<Part> = Vec::new();
        let mut marks: Option<Box<Marks>> = None;
        let mut groups = 0_usize;
        if self.shell == Shell::Zsh && self.peek() == b'=' {
            return Err(self.here(Construct::NotInThisShell));
        }
        loop {
            self.skip_literal(marks.is_some());
            let byte = self.peek();
            match byte {
                b'\'' | b'"' | b'`' | b'$' => {
                    if byte == b'$' && !self.dollar_expands(false)? {
                        self.pos += 1;
                        if let Some(marks) = &mut marks {
                            marks.loose = true;
                        }
                        continue;
                    }
                    self.flush(&mut run, &mut parts)?;
                    self.quoted_part(byte, &mut parts, start)?;
                    run = Run::new(self.pos);
                }
                b'\\' => {
                    self.plain = false;
                    if self.continues_at(0) {
                        if self.pos > start && self.continuation_ends_word()? {
                            break;
                        }
                        return Err(self.here(Construct::SplitToken));
                    }
                    self.escape(&mut run)?;
                }
                b'*' | b'?' => {
                    self.plain = false;
                    if !place.globs {
                        self.pos += 1;
                        continue;
                    }
                    self.flush(&mut run, &mut parts)?;
                    self.wildcard(&mut parts)?;
                    run = Run::new(self.pos);
                }
                b'[' => {
                    self.plain = false;
                    let length = if place.globs {
                        self.bracket(marks.is_some())?
                    } else {
                        0
                    };
                    if length == 0 {
                        self.pos += 1;
                        continue;
                    }
                    self.flush(&mut run, &mut parts)?;
                    self.bracket_part(length, &mut parts)?;
                    run = Run::new(self.pos);
                }
                b'{' | b'}' | b',' | b'.' => {
                    if byte == b'{' {
                        self.plain = false;
                    }
                    if place.braces == Braces::Literal {
                        self.pos += 1;
                        continue;
                    }
                    let Some(mark) = self.mark() else {
                        self.pos += 1;
                        continue;
                    };
                    self.flush(&mut run, &mut parts)?;
                    let marks = marks.get_or_insert_default();
                    marks.push(mark, parts.len(), self.pos);
                    self.pos += mark.text().len();
                    run = Run::new(self.pos);
                }
                b'~' => {
                    self.plain = false;
                    if self.tilde_expands(start, &run, place, marks.as_deref())? {
                        self.flush(&mut run, &mut parts)?;
                        self.tilde(&mut parts)?;
                        run = Run::new(self.pos);
                    } else {
                        self.pos += 1;
                    }
                }
                b'<' | b'>' if self.peek_at(1) == b'(' => {
                    let after_equals = self.pos > run.from && self.byte(self.pos - 1) == b'=';
                    if self.pos != start && !after_equals || marks.is_some() || place.regex {
                        return Err(self.here(Construct::MidWordProcessSubstitution));
                    }
                    self.flush(&mut run, &mut parts)?;
                    self.process_substitution(byte == b'<', &mut parts)?;
                    run = Run::new(self.pos);
                    if !is_meta(self.peek()) || matches!(self.peek(), b'(' | b'<' | b'>') {
                        return Err(self.here(Construct::MidWordProcessSubstitution));
                    }
                }
                b'(' | b')' | b'|' if place.regex => {
                    match byte {
                        b'(' => groups += 1,
                        b')' if groups == 0 => break,
                        b')' => groups -= 1,
                        _ if self.peek_at(1) == b'|' || self.pos == start => {
                            return Err(self.here(Construct::ConditionOperator));
                        }
                        _ => {}
                    }
                    self.pos += 1;
                }
                b'(' => {
                    self.check_parenthesis(start)?;
                    break;
                }
                _ => break,
            }
        }
        if self.pos == start {
            return Err(self.here(if self.at_end() {
                Construct::MissingCommand
            } else {
                Construct::UnexpectedToken
            }));
        }
        if groups > 0 {
            return Err(self.here(Construct::ConditionOperator));
        }
        self.flush(&mut run, &mut parts)?;
        if let Some(marks) = marks {
            parts = self.resolve_braces(parts, &marks)?;
            if let Braces::Refuse(construct) = place.braces
                && parts.iter().any(|part| matches!(part.kind, PartKind::Brace(_)))
            {
                return Err(self.since(construct, start));
            }
        }
        self.check_named_descriptor(start)?;
        Ok(Word {
            parts,
            span: self.span(start),
        })
    }

    /// Steps over bytes that stand for themselves.
    #[inline]
    fn skip_literal(&mut self, in_brace: bool) {
        let stops = if in_brace { STOPS | STOPS_IN_BRACE } else { STOPS };
        let rest = self.bytes.get(self.pos..).unwrap_or_default();
        let mut seen = 0;
        let mut length = 0;
        for byte in rest {
            let class = BYTES.get(usize::from(*byte)).copied().unwrap_or(STOPS);
            if class & stops != 0 {
                break;
            }
            seen |= class;
            length += 1;
        }
        self.pos += length;
        if seen & ODD != 0 {
            self.plain = false;
        }
    }

    /// A quote or an expansion in an unquoted word.
    fn quoted_part(&mut self, byte: u8, parts: &mut Vec<Part>, word_start: usize) -> Parsed<()> {
        match byte {
            b'\'' => {
                self.plain &= self.pos == word_start;
                self.single_quoted(parts)?;
                self.plain &= is_meta(self.peek());
                Ok(())
            }
            b'"' => {
                self.plain &= self.pos == word_start;
                self.double_quoted(parts)?;
                self.plain &= is_meta(self.peek());
                Ok(())
            }
            b'`' => self.backquoted(parts),
            _ => self.dollar(false, parts),
        }
    }

    /// The brace mark here; a dot is one only with a second.
    fn mark(&self) -> Option<Mark> {
        match (self.peek(), self.peek_at(1)) {
            (b'{', _) => Some(Mark::Open),
            (b'}', _) => Some(Mark::Close),
            (b',', _) => Some(Mark::Comma),
            (b'.', b'.') => Some(Mark::Dots),
            _ => None,
        }
    }

    /// Refuses a parenthesis that begins the group of an extended pattern. After other text it may follow the name of a
    /// function; where it cannot, the caller refuses it.
    fn check_parenthesis(&self, start: usize) -> Parsed<()> {
        let before = if self.pos > start {
            self.byte(self.pos - 1)
        } else {
            0
        };
        if matches!(before, b'?' | b'*' | b'+' | b'@' | b'!') {
            return Err(self.here(Construct::ExtendedGlob));
        }
        Ok(())
    }

    /// `{name}>` opens a descriptor of its own.
    fn check_named_descriptor(&self, start: usize) -> Parsed<()> {
        if matches!(self.peek(), b'<' | b'>')
            && self.byte(start) == b'{'
            && self.byte(self.pos.saturating_sub(1)) == b'}'
        {
            return Err(self.since(Construct::NamedDescriptor, start));
        }
        Ok(())
    }
}
