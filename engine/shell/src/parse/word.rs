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
                b'a'..=b'z'
                | b'A'..=b'Z'
                | b'0'..=b'9'
                | b'_'
                | b'/'
                | b':'
                | b'='
                | b'+'
                | b'@'
                | b'%'
                | b'^'
                | b'-' => 0,
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

/// A word being read.
struct Building {
    place: Place,
    start: usize,
    run: Run,
    parts: Vec<Part>,
    marks: Option<Box<Marks>>,
    /// Open groups of a regular expression.
    groups: usize,
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
        // Nearly every word has one part, and a vector that grows by itself begins with room for four.
        if parts.is_empty() {
            parts.reserve_exact(1);
        }
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
        if self.shell == Shell::Zsh && self.peek() == b'=' {
            return Err(self.here(Construct::NotInThisShell));
        }
        let mut building = Building {
            place,
            start: self.pos,
            run: Run::new(self.pos),
            parts: Vec::new(),
            marks: None,
            groups: 0,
        };
        loop {
            self.skip_literal(building.marks.is_some());
            let byte = self.peek();
            let goes_on = match byte {
                b'\'' | b'"' | b'`' => self.quote(byte, &mut building)?,
                b'$' => self.dollar_in_word(&mut building)?,
                b'\\' => self.backslash(&mut building)?,
                b'*' | b'?' | b'[' => self.pattern(byte, &mut building)?,
                b'{' | b'}' | b',' | b'.' => self.brace_mark(&mut building)?,
                b'~' => self.tilde_in_word(&mut building)?,
                b'<' | b'>' if self.peek_at(1) == b'(' => self.process(byte, &mut building)?,
                b'(' | b')' | b'|' if place.regex => self.regex_byte(byte, &mut building)?,
                b'(' => {
                    self.check_parenthesis(building.start)?;
                    false
                }
                _ => false,
            };
            if !goes_on {
                return self.finish_word(building);
            }
        }
    }

    fn finish_word(&self, mut building: Building) -> Parsed<Word> {
        let start = building.start;
        if self.pos == start {
            return Err(self.here(if self.at_end() {
                Construct::MissingCommand
            } else {
                Construct::UnexpectedToken
            }));
        }
        if building.groups > 0 {
            return Err(self.here(Construct::ConditionOperator));
        }
        self.flush(&mut building.run, &mut building.parts)?;
        let mut parts = building.parts;
        if let Some(marks) = building.marks {
            parts = self.resolve_braces(parts, &marks)?;
            if let Braces::Refuse(construct) = building.place.braces
                && parts.iter().any(|part| matches!(part.kind, PartKind::Brace(_)))
            {
                return Err(self.since(construct, start));
            }
        }
        let longest = |part: &Part| match part.kind {
            PartKind::Literal { .. } => part.span.len(),
            PartKind::SingleQuoted(_)
            | PartKind::AnsiC(_)
            | PartKind::DoubleQuoted(_)
            | PartKind::Parameter(_)
            | PartKind::Substitution(_)
            | PartKind::ReadFrom(_)
            | PartKind::WriteTo(_)
            | PartKind::Arithmetic(_)
            | PartKind::Glob(_)
            | PartKind::Brace(_)
            | PartKind::Tilde(_) => 0,
        };
        if self.pos - start > self.limits.word_bytes
            && parts.iter().any(|part| longest(part) > self.limits.word_bytes)
        {
            return Err(self.since(Construct::WordTooLong, start));
        }
        self.check_named_descriptor(start)?;
        self.check_zsh_equals(&parts, start)?;
        if ends_in_dollar(&parts, self.text) {
            // bash does not split the word then, and may be what `sh` is.
            return Err(self.since(Construct::ExpansionOperator, start));
        }
        if self.shell == Shell::Zsh && closes_group_in_zsh(self.slice(start, self.pos)?, &parts) {
            return Err(self.since(Construct::NotInThisShell, start));
        }
        Ok(Word {
            parts,
            span: self.span(start),
        })
    }

    /// A quote or backticks. Quotes are plain only where they are the whole word.
    fn quote(&mut self, byte: u8, building: &mut Building) -> Parsed<bool> {
        self.flush(&mut building.run, &mut building.parts)?;
        self.plain &= self.pos == building.start;
        match byte {
            b'\'' => self.single_quoted(&mut building.parts)?,
            b'"' => self.double_quoted(&mut building.parts)?,
            _ => self.backquoted(&mut building.parts)?,
        }
        self.plain &= is_meta(self.peek());
        building.run = Run::new(self.pos);
        Ok(true)
    }

    fn dollar_in_word(&mut self, building: &mut Building) -> Parsed<bool> {
        if !self.dollar_expands(false)? {
            self.pos += 1;
            if let Some(marks) = &mut building.marks {
                marks.loose = true;
            }
            return Ok(true);
        }
        self.flush(&mut building.run, &mut building.parts)?;
        self.dollar(false, &mut building.parts)?;
        building.run = Run::new(self.pos);
        Ok(true)
    }

    fn backslash(&mut self, building: &mut Building) -> Parsed<bool> {
        self.plain = false;
        if self.continues_at(0) {
            if self.pos > building.start && self.continuation_ends_word()? {
                return Ok(false);
            }
            return Err(self.here(Construct::SplitToken));
        }
        self.escape(&mut building.run)?;
        Ok(true)
    }

    fn pattern(&mut self, byte: u8, building: &mut Building) -> Parsed<bool> {
        self.plain &= byte != b'[' && building.place.globs;
        self.one_line = true;
        let length = match byte {
            _ if !building.place.globs => 0,
            b'[' => self.bracket(building.marks.is_some())?,
            _ => 1,
        };
        if length == 0 {
            self.pos += 1;
            return Ok(true);
        }
        self.flush(&mut building.run, &mut building.parts)?;
        self.glob(length, &mut building.parts)?;
        building.run = Run::new(self.pos);
        Ok(true)
    }

    fn brace_mark(&mut self, building: &mut Building) -> Parsed<bool> {
        if self.peek() == b'{' {
            self.plain = false;
        }
        let mark = match building.place.braces {
            Braces::Literal => None,
            Braces::Expand | Braces::Refuse(_) => self.mark(),
        };
        let Some(mark) = mark else {
            self.pos += 1;
            return Ok(true);
        };
        self.flush(&mut building.run, &mut building.parts)?;
        let marks = building.marks.get_or_insert_default();
        marks.push(mark, building.parts.len(), self.pos);
        self.pos += mark.text().len();
        building.run = Run::new(self.pos);
        Ok(true)
    }

    fn tilde_in_word(&mut self, building: &mut Building) -> Parsed<bool> {
        self.plain &= building.start < self.pos;
        let marks = building.marks.as_deref();
        if self.tilde_expands(building.start, &building.run, building.place, marks)? {
            self.flush(&mut building.run, &mut building.parts)?;
            self.tilde(&mut building.parts)?;
            building.run = Run::new(self.pos);
        } else {
            self.pos += 1;
        }
        Ok(true)
    }

    /// A process substitution, which must be the whole word or stand after an equals sign at its end.
    fn process(&mut self, byte: u8, building: &mut Building) -> Parsed<bool> {
        let after_equals = self.pos > building.run.from && self.byte(self.pos - 1) == b'=';
        let placed = self.pos == building.start || after_equals;
        if !placed || building.marks.is_some() || building.place.regex {
            return Err(self.here(Construct::MidWordProcessSubstitution));
        }
        self.flush(&mut building.run, &mut building.parts)?;
        self.process_substitution(byte == b'<', &mut building.parts)?;
        building.run = Run::new(self.pos);
        if !is_meta(self.peek()) || matches!(self.peek(), b'(' | b'<' | b'>') {
            return Err(self.here(Construct::MidWordProcessSubstitution));
        }
        Ok(true)
    }

    /// Groups and alternatives of a regular expression.
    fn regex_byte(&mut self, byte: u8, building: &mut Building) -> Parsed<bool> {
        match byte {
            b'(' => building.groups += 1,
            b')' if building.groups == 0 => return Ok(false),
            b')' => building.groups -= 1,
            _ if self.peek_at(1) == b'|' || self.pos == building.start => {
                return Err(self.here(Construct::ConditionOperator));
            }
            _ => {}
        }
        self.pos += 1;
        Ok(true)
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

    /// zsh looks for a program where a word begins with an equals sign, also after what may be empty.
    fn check_zsh_equals(&self, parts: &[Part], start: usize) -> Parsed<()> {
        if self.shell != Shell::Zsh {
            return Ok(());
        }
        let first = parts
            .iter()
            .find(|part| matches!(part.kind, PartKind::Literal { .. }));
        match first {
            Some(part) if self.byte(part.span.start as usize) == b'=' => {
                Err(self.since(Construct::NotInThisShell, start))
            }
            Some(_) | None => Ok(()),
        }
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

/// Whether a dollar sign that stands for itself comes after something that expands.
fn ends_in_dollar(parts: &[Part], text: &str) -> bool {
    let mut expands = false;
    parts.iter().any(|part| match &part.kind {
        PartKind::Literal { .. } => expands && part.span.of(text).replace("\\$", "").contains('$'),
        PartKind::Parameter(_) | PartKind::Substitution(_) | PartKind::Brace(_) => {
            expands = true;
            false
        }
        PartKind::SingleQuoted(_)
        | PartKind::AnsiC(_)
        | PartKind::DoubleQuoted(_)
        | PartKind::ReadFrom(_)
        | PartKind::WriteTo(_)
        | PartKind::Arithmetic(_)
        | PartKind::Glob(_)
        | PartKind::Tilde(_) => false,
    })
}

/// Whether zsh takes the word, or its end, for a brace that opens or closes a group; `{}` is a word.
fn closes_group_in_zsh(source: &str, parts: &[Part]) -> bool {
    let literal = matches!(
        parts.last(),
        Some(Part {
            kind: PartKind::Literal { .. },
            ..
        })
    );
    let closes = literal
        && source.ends_with('}')
        && !source.ends_with("\\}")
        && !source.replace("\\{", "").contains('{');
    source == "{" || closes
}
