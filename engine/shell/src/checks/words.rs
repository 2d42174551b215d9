//! Visits the words of a script once and asks every check about spelling for each of them.

use crate::{Argument, Check, Finding, Part, PartKind, Script, Shell, Simple, Span, Word};

use super::{flags, tokens, variables, zsh};
use crate::walk::{self, Place, Visitor};

pub(super) fn check(text: &str, script: &Script, shell: Shell, findings: &mut Vec<Finding>) {
    let mut visitor = Words {
        text,
        shell,
        escapes: text.contains('\\'),
        escaped_quotes: tokens::EscapedQuotes::default(),
        separator: variables::Separator::default(),
        findings,
    };
    walk::script(script, &mut visitor);
}

struct Words<'a> {
    text: &'a str,
    shell: Shell,
    /// A backslash stands somewhere in the text.
    escapes: bool,
    escaped_quotes: tokens::EscapedQuotes,
    separator: variables::Separator,
    findings: &'a mut Vec<Finding>,
}

impl Visitor for Words<'_> {
    fn simple(&mut self, simple: &Simple) {
        self.separator.assigned(simple);
        self.escaped_quotes.next_command();
        if self.escapes {
            tokens::escaped_operators(self.text, simple, self.findings);
        }
        quoted_newlines(self.text, simple, self.findings);
        if self.shell == Shell::Zsh {
            zsh::command(simple, self.findings);
        }
    }

    fn word(&mut self, word: &Word, place: Place) {
        match place {
            Place::Command => {
                flags::in_command_position(self.text, word, self.findings);
                bare_flag(word, self.findings);
            }
            Place::Argument => flags::in_flag(self.text, word, self.findings),
            Place::Assigned | Place::Redirected | Place::Compound | Place::Operand => {}
        }
        if self.shell == Shell::Zsh {
            zsh::word(self.text, word, self.findings);
        }
        // What follows looks for quotes, escapes, braces and expansions.
        if word.plain().is_some_and(|text| !text.contains(['{', '}'])) {
            return;
        }
        match place {
            Place::Command | Place::Argument | Place::Assigned | Place::Redirected => {
                self.escaped_quotes.word(self.text, word, self.findings);
                tokens::braces(self.text, word, self.findings);
                tokens::mid_word_hash(self.text, word, self.findings);
                tokens::escaped_backslash_before_operator(self.text, word, self.findings);
            }
            Place::Compound => {}
            Place::Operand => tokens::closing_brace_in_operand(word, self.findings),
        }
        match place {
            Place::Command | Place::Argument | Place::Redirected => {
                self.separator.word(word, self.findings);
            }
            Place::Compound | Place::Assigned | Place::Operand => {}
        }
    }

    fn part(&mut self, _part: &Part) {}
}

/// Check 1: a command that begins with a dash is the tail of another one.
fn bare_flag(word: &Word, findings: &mut Vec<Finding>) {
    if let Some(Part {
        kind: PartKind::Literal { text, .. },
        ..
    }) = word.parts.first()
        && text.starts_with('-')
    {
        findings.push(Finding::new(
            Check::IncompleteCommand,
            word.span,
            "a command that begins with a flag",
        ));
    }
}

/// Programs whose program text may hold comments.
const INTERPRETERS: &[&str] = &[
    "awk", "bash", "gawk", "jq", "mawk", "nawk", "node", "perl", "php", "psql", "python", "python3", "ruby",
    "sed", "sh", "sqlite3", "zsh",
];

/// Check 23: a quoted newline whose line begins with a hash, with more of the command behind it on that line.
fn quoted_newlines(text: &str, simple: &Simple, findings: &mut Vec<Finding>) {
    let words = || {
        simple.words.iter().filter_map(|argument| match argument {
            Argument::Word(word) => Some(word),
            Argument::Assignment(_) => None,
        })
    };
    let program = words().next().map(|word| word.span.of(text)).unwrap_or_default();
    let interprets = INTERPRETERS.contains(&program.rsplit('/').next().unwrap_or_default());
    for word in words() {
        for part in &word.parts {
            if !matches!(
                part.kind,
                PartKind::SingleQuoted(_) | PartKind::DoubleQuoted(_) | PartKind::AnsiC(_)
            ) {
                continue;
            }
            let Some((before, last)) = part.span.of(text).rsplit_once('\n') else {
                continue;
            };
            if !last.trim_start_matches([' ', '\t']).starts_with('#') {
                continue;
            }
            let behind = text.get(part.span.end as usize..).unwrap_or_default();
            let behind = behind.split('\n').next().unwrap_or_default().trim();
            let flags = words()
                .any(|other| other.span.start > word.span.start && other.span.of(text).starts_with('-'));
            let hides = if interprets {
                flags
            } else {
                !behind.is_empty() && !behind.starts_with([')', '"', '}', '`', '#'])
            };
            if hides {
                let start = part.span.start as usize + before.len();
                findings.push(Finding::new(
                    Check::QuotedNewline,
                    Span::new(start, part.span.end as usize),
                    "a quoted line that begins with `#` hides the rest of the command from a reader of lines",
                ));
            }
        }
    }
}
