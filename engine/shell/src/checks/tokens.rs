//! Checks 14, 19 and 21: tokens that a naive reader would cut in another place.

use crate::{Argument, Check, Finding, Part, PartKind, Simple, Span, Word};

/// The characters of unquoted text as written, each with its offset and whether a backslash stands before it.
fn written<'a>(part: &Part, text: &'a str) -> impl Iterator<Item = (usize, char, bool)> + 'a {
    let start = part.span.start as usize;
    let mut characters = part.span.of(text).char_indices();
    std::iter::from_fn(move || {
        let (offset, character) = characters.next()?;
        if character != '\\' {
            return Some((start + offset, character, false));
        }
        match characters.next() {
            Some((_, next)) => Some((start + offset, next, true)),
            None => Some((start + offset, character, false)),
        }
    })
}

fn is_literal(part: &Part) -> bool {
    matches!(part.kind, PartKind::Literal { .. })
}

/// Whether one of these characters stands in quotes or behind a backslash.
pub(super) fn quotes_any(part: &Part, characters: &[char]) -> bool {
    match &part.kind {
        PartKind::SingleQuoted(text) | PartKind::AnsiC(Some(text)) => text.contains(characters),
        PartKind::Literal { text, escaped } => *escaped && text.contains(characters),
        PartKind::DoubleQuoted(inner) => inner
            .iter()
            .any(|part| matches!(&part.kind, PartKind::Literal { text, .. } if text.contains(characters))),
        PartKind::AnsiC(None)
        | PartKind::Parameter(_)
        | PartKind::Substitution(_)
        | PartKind::ReadFrom(_)
        | PartKind::WriteTo(_)
        | PartKind::Arithmetic(_)
        | PartKind::Glob(_)
        | PartKind::Brace(_)
        | PartKind::Tilde(_) => false,
    }
}

/// Check 14: unquoted braces without their partner.
pub(super) fn braces(text: &str, word: &Word, findings: &mut Vec<Finding>) {
    if !word.span.of(text).contains(['{', '}']) {
        return;
    }
    // `\{}` is balanced for those who know the escape and `\{\}` for everybody.
    if balanced(text, word, true) || balanced(text, word, false) {
        return;
    }
    // A brace that is a whole word is harmless unless an operator beside it makes it look like the end of a group.
    let lone = matches!(word.span.of(text), "{" | "}");
    if !lone || beside_operator(text, word.span) {
        findings.push(Finding::new(
            Check::MalformedToken,
            word.span,
            "a brace without its partner",
        ));
    }
}

/// Whether the braces in the literal parts pair up, with or without those behind a backslash.
fn balanced(text: &str, word: &Word, with_escaped: bool) -> bool {
    let mut open = 0_i32;
    for part in word.parts.iter().filter(|part| is_literal(part)) {
        for (_, character, escaped) in written(part, text) {
            match character {
                '{' if with_escaped || !escaped => open += 1,
                '}' if with_escaped || !escaped => open -= 1,
                _ => {}
            }
            if open < 0 {
                return false;
            }
        }
    }
    open == 0
}

fn beside_operator(text: &str, span: Span) -> bool {
    let operator = |character: char| matches!(character, ';' | '|' | '&' | '(' | ')' | '<' | '>');
    let before = text.get(..span.start as usize).unwrap_or_default();
    let after = text.get(span.end as usize..).unwrap_or_default();
    before.trim_end_matches([' ', '\t']).ends_with(operator)
        || after.trim_start_matches([' ', '\t']).starts_with(operator)
}

/// Check 14: a quoted `}` in the operand of an expansion, where readers end the expansion in different places.
pub(super) fn closing_brace_in_operand(word: &Word, findings: &mut Vec<Finding>) {
    for part in &word.parts {
        if quotes_any(part, &['}']) {
            findings.push(Finding::new(
                Check::MalformedToken,
                part.span,
                "a quoted `}` inside an expansion",
            ));
        }
    }
}

/// Check 14: escaped quotes in two different commands, which a naive reader would take for a pair around what is between.
#[derive(Debug, Default)]
pub(super) struct EscapedQuotes {
    command: usize,
    /// For `'` and `"`: the command in which one is open to a naive reader.
    single: Option<usize>,
    double: Option<usize>,
}

impl EscapedQuotes {
    pub(super) fn next_command(&mut self) {
        self.command += 1;
    }

    pub(super) fn word(&mut self, text: &str, word: &Word, findings: &mut Vec<Finding>) {
        let ansi = |part: &Part| matches!(part.kind, PartKind::AnsiC(_));
        let quoted = |part: &Part| matches!(part.kind, PartKind::SingleQuoted(_) | PartKind::DoubleQuoted(_));
        // Beside real quotes an escaped one is the idiom for a quote inside them.
        if word.parts.iter().any(quoted) {
            return;
        }
        for part in word.parts.iter().filter(|part| is_literal(part) || ansi(part)) {
            for (offset, character, escaped) in written(part, text) {
                let open = match character {
                    '\'' if escaped => &mut self.single,
                    '"' if escaped && is_literal(part) => &mut self.double,
                    _ => continue,
                };
                match open.take() {
                    None => *open = Some(self.command),
                    Some(command) if command == self.command => {}
                    Some(_) => findings.push(Finding::new(
                        Check::MalformedToken,
                        Span::new(offset, offset + 2),
                        "escaped quotes stand around the end of a command",
                    )),
                }
            }
        }
    }
}

/// Check 19: a hash right after a quote or an expansion.
pub(super) fn mid_word_hash(text: &str, word: &Word, findings: &mut Vec<Finding>) {
    for pair in word.parts.windows(2) {
        let [before, part] = pair else { continue };
        let expands = match before.kind {
            PartKind::SingleQuoted(_)
            | PartKind::AnsiC(_)
            | PartKind::DoubleQuoted(_)
            | PartKind::Parameter(_)
            | PartKind::Substitution(_)
            | PartKind::ReadFrom(_)
            | PartKind::WriteTo(_)
            | PartKind::Arithmetic(_) => true,
            PartKind::Literal { .. } | PartKind::Glob(_) | PartKind::Brace(_) | PartKind::Tilde(_) => false,
        };
        if expands && is_literal(part) && part.span.of(text).starts_with('#') {
            let start = part.span.start as usize;
            findings.push(Finding::new(
                Check::MidWordHash,
                Span::new(start, start + 1),
                "a `#` that begins no comment",
            ));
        }
    }
}

/// Programs that take operators as words of their own.
const TAKES_OPERATORS: &[&str] = &["expr", "[", "test", "tmux", "nft", "tr"];

/// Flags that take the character between fields.
const TAKES_SEPARATOR: &[&str] = &["-d", "-F", "-s", "-t"];

/// Check 21: operators after a backslash.
pub(super) fn escaped_operators(text: &str, simple: &Simple, findings: &mut Vec<Finding>) {
    let mut program = None;
    let mut runs_until_semicolon = false;
    let mut before = "";
    for argument in &simple.words {
        let Argument::Word(word) = argument else {
            continue;
        };
        let spelled = word.span.of(text);
        let whole = is_escaped_operator(spelled);
        let expected = whole
            && ((runs_until_semicolon && spelled == "\\;")
                || TAKES_SEPARATOR.contains(&before)
                || program.is_some_and(|program| TAKES_OPERATORS.contains(&program)));
        let attached = spelled
            .split_at_checked(2)
            .is_some_and(|(flag, value)| TAKES_SEPARATOR.contains(&flag) && is_escaped_operator(value));
        if !expected && !attached {
            escaped_operator(text, word, findings);
        }
        if program.is_none() {
            program = spelled.rsplit('/').next();
        }
        before = spelled;
        runs_until_semicolon |= matches!(spelled, "-exec" | "-execdir" | "-ok" | "-okdir" | "-x" | "--exec");
    }
}

fn is_escaped_operator(spelled: &str) -> bool {
    matches!(spelled, "\\;" | "\\|" | "\\&" | "\\<" | "\\>")
}

fn escaped_operator(text: &str, word: &Word, findings: &mut Vec<Finding>) {
    let mut query = false;
    for part in &word.parts {
        query |= matches!(&part.kind, PartKind::Glob(pattern) if pattern == "?");
        if !is_literal(part) {
            continue;
        }
        for (offset, character, escaped) in written(part, text) {
            query |= character == '?';
            // In the query of a URL an ampersand joins parameters.
            let operator = matches!(character, ';' | '|' | '<' | '>') || (character == '&' && !query);
            if escaped && operator {
                findings.push(Finding::new(
                    Check::BackslashEscapedOperators,
                    Span::new(offset, offset + 2),
                    format!("an escaped `{character}`"),
                ));
                return;
            }
        }
    }
}

/// Checks 7 and 21: an escaped backslash before an operator or the end of a line, which a naive reader takes for an escaped
/// operator or for a continued line.
pub(super) fn escaped_backslash_before_operator(text: &str, word: &Word, findings: &mut Vec<Finding>) {
    let Some(part) = word.parts.last().filter(|part| is_literal(part)) else {
        return;
    };
    let Some((offset, '\\', true)) = written(part, text).last() else {
        return;
    };
    let check = match text.as_bytes().get(word.span.end as usize) {
        Some(b';' | b'|' | b'&' | b'<' | b'>') => Check::BackslashEscapedOperators,
        Some(b'\n') => Check::Newlines,
        _ => return,
    };
    findings.push(Finding::new(
        check,
        Span::new(offset, offset + 3),
        "an escaped backslash that seems to escape what follows it",
    ));
}
