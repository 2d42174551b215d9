//! Checks 17 and 18: characters that are not what they look like.

use crate::{Check, Finding, Part, PartKind, Script, Simple, Span, Word};

use crate::walk::{self, Place, Visitor};

/// Looks at every character of `text`; with a `script`, odd characters inside quoted operands, here-documents and comments
/// are taken as text in a human language.
pub(super) fn check(text: &str, script: Option<&Script>, findings: &mut Vec<Finding>) {
    // Bytes first: nearly every text is plain ASCII and is done with here.
    if text
        .bytes()
        .all(|byte| matches!(byte, b'\t' | b'\n' | b' '..=b'~'))
    {
        return;
    }
    let mut odd = false;
    let mut control: Option<Span> = None;
    for (start, character) in text.char_indices() {
        let span = Span::new(start, start + character.len_utf8());
        if is_control(character) {
            // A run of control characters is one finding.
            control = Some(match control {
                Some(run) if run.end == span.start => run.to(span),
                Some(run) => {
                    findings.push(control_finding(text, run));
                    span
                }
                None => span,
            });
        } else if is_bidirectional(character) {
            findings.push(finding(span, character, "changes the direction of the text"));
        } else if !character.is_ascii() {
            odd = true;
        }
    }
    findings.extend(control.map(|run| control_finding(text, run)));
    if script.is_none() {
        hidden_line_ends(text, findings);
    }
    if !odd {
        return;
    }
    if let Some(script) = script {
        let mut spellings = Spellings { text, findings };
        walk::script(script, &mut spellings);
    } else {
        let spaces = text.char_indices().filter(|(_, character)| is_space(*character));
        findings.extend(spaces.map(|(start, character)| {
            let span = Span::new(start, start + character.len_utf8());
            finding(span, character, "looks like a blank or like nothing")
        }));
    }
}

/// Check 7: characters that move a terminal to another line or to its beginning, with text behind them.
fn hidden_line_ends(text: &str, findings: &mut Vec<Finding>) {
    for (start, _) in text.match_indices(['\r', '\u{b}', '\u{c}']) {
        let behind = text.get(start + 1..).unwrap_or_default();
        if !behind.is_empty() && !behind.starts_with('\n') {
            findings.push(Finding::new(
                Check::Newlines,
                Span::new(start, start + 1),
                "a character that a terminal shows as the end of a line",
            ));
        }
    }
}

fn control_finding(text: &str, span: Span) -> Finding {
    let character = span.of(text).chars().next().unwrap_or_default();
    let message = format!("the control character U+{:04X}", u32::from(character));
    Finding::new(Check::ControlCharacters, span, message)
}

fn finding(span: Span, character: char, what: &str) -> Finding {
    let message = format!("the character U+{:04X} {what}", u32::from(character));
    Finding::new(Check::UnicodeWhitespace, span, message)
}

fn is_control(character: char) -> bool {
    character.is_control() && !matches!(character, '\t' | '\n')
}

fn is_bidirectional(character: char) -> bool {
    matches!(
        character,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
    )
}

/// Blank or of no width, though the shell does not split words there.
fn is_space(character: char) -> bool {
    matches!(
        character,
        '\u{a0}' | '\u{ad}' | '\u{1680}' | '\u{180e}' | '\u{2000}'
            ..='\u{200b}'
                | '\u{2028}'
                | '\u{2029}'
                | '\u{202f}'
                | '\u{205f}'
                | '\u{2800}'
                | '\u{3000}'
                | '\u{3164}'
                | '\u{feff}'
                | '\u{ffa0}'
    )
}

/// Joiners and tags: text in some languages needs them, names of programs and flags do not.
fn is_invisible(character: char) -> bool {
    matches!(
        character,
        '\u{34f}'
            | '\u{115f}'
            | '\u{1160}'
            | '\u{200c}'
            | '\u{200d}'
            | '\u{2060}'..='\u{2064}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{e0000}'..='\u{e01ef}'
    )
}

fn is_dash(character: char) -> bool {
    matches!(
        character,
        '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{fe58}' | '\u{fe63}' | '\u{ff0d}'
    )
}

/// Looks like an ASCII letter, digit or slash.
fn is_lookalike(character: char) -> bool {
    matches!(
        character,
        // Latin beyond ASCII.
        'ı' | 'ɑ' | 'ɡ' | 'ɩ' | 'ʏ' | 'ƅ' | 'ʟ' | 'ᴄ' | 'ᴏ' | 'ᴠ' | 'ᴡ' | 'ᴢ' | 'ꜱ'
        // Cyrillic.
        | 'а' | 'с' | 'ԁ' | 'е' | 'һ' | 'і' | 'ј' | 'ӏ' | 'м' | 'о' | 'р' | 'ԛ' | 'г' | 'ѕ' | 'т' | 'ѵ' | 'ԝ' | 'х' | 'у'
        | 'к' | 'ь' | 'А' | 'В' | 'С' | 'Е' | 'Н' | 'І' | 'Ј' | 'К' | 'М' | 'О' | 'Р' | 'Ѕ' | 'Т' | 'Х' | 'У'
        // Greek.
        | 'α' | 'ι' | 'κ' | 'ν' | 'ο' | 'ρ' | 'τ' | 'υ' | 'χ' | 'γ' | 'Α' | 'Β' | 'Ε' | 'Ζ' | 'Η' | 'Ι' | 'Κ' | 'Μ' | 'Ν'
        | 'Ο' | 'Ρ' | 'Τ' | 'Υ' | 'Χ'
        // Armenian.
        | 'օ' | 'ս' | 'հ' | 'ո' | 'ց'
        // Slashes and dots.
        | '\u{2044}' | '\u{2215}' | '\u{29f8}' | '\u{2024}'
        // Whole alphabets in another shape: letters in circles, Roman numerals, full width, mathematical.
        | '\u{2460}'..='\u{24ff}' | '\u{2160}'..='\u{217f}' | '\u{ff01}'..='\u{ff5e}' | '\u{1d400}'..='\u{1d7ff}'
    )
}

/// Looks for odd characters where the shell takes them as part of a name.
struct Spellings<'a> {
    text: &'a str,
    findings: &'a mut Vec<Finding>,
}

impl Spellings<'_> {
    fn report(&mut self, span: Span, wanted: impl Fn(char) -> bool, what: &str) {
        let start = span.start as usize;
        for (offset, character) in span.of(self.text).char_indices() {
            if wanted(character) {
                let span = Span::new(start + offset, start + offset + character.len_utf8());
                self.findings.push(finding(span, character, what));
            }
        }
    }

    /// A name whose every letter beyond ASCII passes for an ASCII one.
    fn report_lookalikes(&mut self, span: Span) {
        let foreign =
            |character: &char| !character.is_ascii() && !is_space(*character) && !is_invisible(*character);
        let mut letters = span.of(self.text).chars().filter(foreign).peekable();
        if letters.peek().is_some() && letters.all(|letter| is_lookalike(letter) || is_dash(letter)) {
            self.report(
                span,
                |character| !character.is_ascii() && (is_lookalike(character) || is_dash(character)),
                "passes for another one",
            );
        }
    }
}

impl Visitor for Spellings<'_> {
    fn simple(&mut self, _simple: &Simple) {}

    fn part(&mut self, _part: &Part) {}

    fn word(&mut self, word: &Word, place: Place) {
        if word.span.of(self.text).is_ascii() {
            return;
        }
        for part in &word.parts {
            let literal = matches!(part.kind, PartKind::Literal { .. } | PartKind::Glob(_));
            if place == Place::Command || literal {
                self.report(part.span, is_space, "looks like a blank or like nothing");
            }
        }
        let spelled = word.span.of(self.text);
        if place == Place::Command {
            self.report(word.span, is_invisible, "is not shown");
            self.report_lookalikes(word.span);
        } else if place == Place::Argument {
            let name = match spelled.split_once('=') {
                Some((name, _)) => name,
                None => spelled,
            };
            let begins = name.chars().next().unwrap_or_default();
            let named = name
                .chars()
                .nth(1)
                .is_some_and(|next| next.is_alphanumeric() || is_dash(next));
            let start = word.span.start as usize;
            let name = Span::new(start, start + name.len());
            if is_dash(begins) && named {
                self.report(
                    Span::new(start, start + begins.len_utf8()),
                    is_dash,
                    "passes for a dash",
                );
            } else if begins == '-' {
                self.report(name, is_invisible, "is not shown");
                self.report_lookalikes(name);
            }
        }
    }
}
