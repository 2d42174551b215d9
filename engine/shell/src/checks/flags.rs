//! Checks 4, 15 and 16: commands and flags whose spelling hides them.

use super::tokens::quotes_any;
use crate::{Brace, Check, Finding, Part, PartKind, Span, Word};

/// The first word of a simple command.
pub(super) fn in_command_position(text: &str, word: &Word, findings: &mut Vec<Finding>) {
    for part in &word.parts {
        if matches!(part.kind, PartKind::Literal { escaped: true, .. })
            && let Some(span) = escaped_blank(part, text)
        {
            findings.push(Finding::new(
                Check::BackslashEscapedWhitespace,
                span,
                "the name of the command has an escaped blank",
            ));
        }
        if matches!(part.kind, PartKind::Brace(_)) {
            findings.push(Finding::new(
                Check::BraceExpansion,
                part.span,
                "braces make the command",
            ));
        }
    }
}

/// A later word of a simple command.
pub(super) fn in_flag(text: &str, word: &Word, findings: &mut Vec<Finding>) {
    braces(word, findings);
    let mut flag = Flag::default();
    for (index, part) in word.parts.iter().enumerate() {
        let last = index + 1 == word.parts.len();
        match flag.part(text, part, last) {
            Step::Continue => {}
            Step::Done => return,
            Step::Fires(check, message) => {
                findings.push(Finding::new(check, word.span, message));
                return;
            }
        }
    }
}

/// How much of the name of a flag was read.
#[derive(Debug, Default)]
struct Flag {
    /// Dashes at the beginning.
    dashes: usize,
    /// Characters of the name after them.
    named: usize,
    /// What was read so far ended in quotes.
    quoted: bool,
    /// Empty quotes were met.
    emptied: bool,
}

enum Step {
    /// The next part may still belong to the name.
    Continue,
    /// No flag, or its name is over.
    Done,
    Fires(Check, &'static str),
}

const PIECES: Step = Step::Fires(Check::ObfuscatedFlags, "a flag is put together from pieces");

fn is_name(character: char) -> bool {
    character.is_ascii_alphanumeric() || matches!(character, '-' | '_')
}

impl Flag {
    fn begun(&self) -> bool {
        self.dashes > 0
    }

    fn push(&mut self, character: char) {
        if character == '-' && self.named == 0 {
            self.dashes += 1;
        } else {
            self.named += 1;
        }
    }

    fn part(&mut self, text: &str, part: &Part, last: bool) -> Step {
        match &part.kind {
            PartKind::Literal { .. } => self.literal(part.span.of(text)),
            PartKind::SingleQuoted(inside) => self.quote(inside, last),
            PartKind::AnsiC(Some(inside)) => {
                if !self.begun() && last && inside.starts_with('-') {
                    return ansi_flag(inside);
                }
                self.quote(inside, last)
            }
            PartKind::DoubleQuoted(inner) => match inner.as_slice() {
                [] => self.quote("", last),
                [
                    Part {
                        kind: PartKind::Literal { text: inside, .. },
                        ..
                    },
                ] => self.quote(inside, last),
                _ => Step::Done,
            },
            // `-?` asks many programs for help.
            PartKind::Glob(pattern) if last && pattern == "?" && self.named == 0 => Step::Done,
            PartKind::Glob(_) if self.begun() => {
                Step::Fires(Check::ObfuscatedFlags, "the name of a flag is a pattern")
            }
            PartKind::Brace(_) if self.begun() => Step::Fires(Check::BraceExpansion, "braces make a flag"),
            PartKind::AnsiC(None)
            | PartKind::Parameter(_)
            | PartKind::Substitution(_)
            | PartKind::ReadFrom(_)
            | PartKind::WriteTo(_)
            | PartKind::Arithmetic(_)
            | PartKind::Glob(_)
            | PartKind::Brace(_)
            | PartKind::Tilde(_) => Step::Done,
        }
    }

    /// Unquoted text as written.
    fn literal(&mut self, written: &str) -> Step {
        let mut characters = written.chars().peekable();
        while let Some(character) = characters.next() {
            let (character, escaped) = match (character, characters.peek()) {
                ('\\', Some('\n')) => {
                    characters.next();
                    continue;
                }
                ('\\', Some(next)) => {
                    let next = *next;
                    characters.next();
                    (next, true)
                }
                _ => (character, false),
            };
            if !self.begun() && character != '-' {
                return Step::Done;
            }
            if !is_name(character) {
                let blank = escaped && matches!(character, ' ' | '\t');
                // `-d\ ` gives a short flag the blank as its value.
                let value = self.dashes == 1 && self.named > 0 && characters.peek().is_none();
                return if blank && !value {
                    Step::Fires(Check::BackslashEscapedWhitespace, "a flag has an escaped blank")
                } else {
                    Step::Done
                };
            }
            if escaped {
                return Step::Fires(Check::ObfuscatedFlags, "a backslash stands in the name of a flag");
            }
            if self.quoted || self.emptied {
                return PIECES;
            }
            self.push(character);
        }
        Step::Continue
    }

    /// A piece in quotes that nothing in it expands.
    fn quote(&mut self, inside: &str, last: bool) -> Step {
        if inside.is_empty() {
            self.emptied = true;
            return Step::Continue;
        }
        if !self.begun() {
            if !inside.starts_with('-') {
                return Step::Done;
            }
            if self.emptied && inside.chars().all(is_name) {
                return PIECES;
            }
            // A whole flag in one pair of quotes is as plain to read as one without.
            if last || !inside.chars().all(is_name) {
                return Step::Done;
            }
            inside.chars().for_each(|character| self.push(character));
            self.quoted = true;
            return Step::Continue;
        }
        let takes_value = self.dashes == 1 && self.named > 0 && !self.quoted && !self.emptied;
        let letters = |character: char| character.is_ascii_alphabetic() || matches!(character, '-' | '_');
        // `-F":"`, `-k'2,2'` and `-m"two words"` attach a value to a short flag.
        if takes_value && !inside.chars().all(letters) {
            return Step::Done;
        }
        PIECES
    }
}

/// A word that is one `$'...'` and begins with a dash.
fn ansi_flag(inside: &str) -> Step {
    let mut name = inside.chars().take_while(|character| is_name(*character));
    if name.any(|character| character.is_ascii_alphanumeric()) {
        Step::Fires(Check::ObfuscatedFlags, "a flag is written as an ANSI-C string")
    } else {
        Step::Done
    }
}

/// Braces that make flags, or in which quotes hide a comma.
fn braces(word: &Word, findings: &mut Vec<Finding>) {
    for (index, part) in word.parts.iter().enumerate() {
        let PartKind::Brace(Brace::List(alternatives)) = &part.kind else {
            continue;
        };
        if index == 0 && alternatives.iter().any(|parts| begins_with_dash(parts)) {
            findings.push(Finding::new(
                Check::BraceExpansion,
                part.span,
                "braces make a flag",
            ));
        } else if alternatives.iter().flatten().any(hides_brace) {
            findings.push(Finding::new(
                Check::BraceExpansion,
                part.span,
                "quotes inside braces hide a comma or a brace",
            ));
        }
    }
}

fn begins_with_dash(parts: &[Part]) -> bool {
    let Some(first) = parts.first() else {
        return false;
    };
    match &first.kind {
        PartKind::Literal { text, .. } | PartKind::SingleQuoted(text) | PartKind::AnsiC(Some(text)) => {
            text.starts_with('-')
        }
        PartKind::DoubleQuoted(inner) => begins_with_dash(inner),
        PartKind::Brace(Brace::List(alternatives)) => {
            alternatives.iter().any(|parts| begins_with_dash(parts))
        }
        PartKind::Brace(Brace::Range(words)) => words.iter().any(|word| word.starts_with('-')),
        PartKind::AnsiC(None)
        | PartKind::Parameter(_)
        | PartKind::Substitution(_)
        | PartKind::ReadFrom(_)
        | PartKind::WriteTo(_)
        | PartKind::Arithmetic(_)
        | PartKind::Glob(_)
        | PartKind::Tilde(_) => false,
    }
}

fn hides_brace(part: &Part) -> bool {
    let inside = if let PartKind::Brace(Brace::List(alternatives)) = &part.kind {
        alternatives.as_slice()
    } else {
        &[]
    };
    quotes_any(part, &[',', '{', '}']) || inside.iter().flatten().any(hides_brace)
}

/// The place of the first blank that a backslash quotes.
fn escaped_blank(part: &Part, text: &str) -> Option<Span> {
    let mut characters = part.span.of(text).char_indices();
    while let Some((offset, character)) = characters.next() {
        if character == '\\'
            && let Some((_, ' ' | '\t')) = characters.next()
        {
            let start = part.span.start as usize + offset;
            return Some(Span::new(start, start + 2));
        }
    }
    None
}
