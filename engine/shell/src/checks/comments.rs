//! Checks 22 and 7: comments that a reader who does not know comments would read on.

use crate::{Check, Finding, Script, Span};

pub(super) fn check(text: &str, script: &Script, findings: &mut Vec<Finding>) {
    let reader = Reader {
        text,
        comments: &script.comments,
    };
    for comment in &script.comments {
        if comment.of(text).ends_with('\\') && reader.command_between(comment.end as usize, text.len()) {
            findings.push(Finding::new(
                Check::Newlines,
                Span::new(comment.end as usize - 1, comment.end as usize),
                "a backslash at the end of a comment does not continue it",
            ));
        }
        findings.extend(reader.desync(*comment));
    }
}

struct Reader<'a> {
    text: &'a str,
    comments: &'a [Span],
}

impl Reader<'_> {
    /// Whether anything but blanks and comments stands between the two places.
    fn command_between(&self, start: usize, end: usize) -> bool {
        let mut from = start;
        let mut between = |to: usize, next: usize| {
            let piece = self.text.get(from..to.min(end).max(from)).unwrap_or_default();
            from = next.max(from);
            !piece.trim().is_empty()
        };
        let found = self
            .comments
            .iter()
            .filter(|comment| comment.end as usize > start && (comment.start as usize) < end)
            .any(|comment| between(comment.start as usize, comment.end as usize));
        found || between(end, end)
    }

    fn in_comment(&self, offset: usize) -> bool {
        self.comments
            .iter()
            .any(|comment| (comment.start as usize..comment.end as usize).contains(&offset))
    }

    /// A quote that is open at the end of the comment to a reader who does not know comments, and closes behind a command.
    fn desync(&self, comment: Span) -> Option<Finding> {
        let open = open_quote(comment.of(self.text))?;
        let end = comment.end as usize;
        let rest = self.text.get(end..)?;
        let close = end + close_of(rest, open.kind)?;
        if !self.command_between(end, close) {
            return None;
        }
        // An apostrophe is ordinary in prose: it counts only if prose closes it again.
        if open.apostrophe && !self.in_comment(close) {
            return None;
        }
        let start = comment.start as usize + open.offset;
        Some(Finding::new(
            Check::CommentQuoteDesync,
            Span::new(start, start + open.kind.text().len()),
            "a quote in a comment seems to hold the commands after it",
        ))
    }
}

/// What a naive reader takes for an opening.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Quote {
    Single,
    Double,
    Backtick,
    Substitution,
}

impl Quote {
    fn text(self) -> &'static str {
        match self {
            Self::Single => "'",
            Self::Double => "\"",
            Self::Backtick => "`",
            Self::Substitution => "$(",
        }
    }
}

struct Open {
    kind: Quote,
    offset: usize,
    /// It stands between two letters.
    apostrophe: bool,
}

/// The quote that is still open at the end of `comment`.
fn open_quote(comment: &str) -> Option<Open> {
    let mut open: Option<Open> = None;
    let mut before = ' ';
    let mut characters = comment.char_indices().peekable();
    while let Some((offset, character)) = characters.next() {
        let next = characters.peek().map(|(_, next)| *next);
        let kind = match character {
            '\'' => Some(Quote::Single),
            '"' => Some(Quote::Double),
            '`' => Some(Quote::Backtick),
            '$' if next == Some('(') => Some(Quote::Substitution),
            ')' => Some(Quote::Substitution),
            _ => None,
        };
        match (&open, kind) {
            (None, Some(Quote::Substitution)) if character == ')' => {}
            (None, Some(kind)) => {
                open = Some(Open {
                    kind,
                    offset,
                    apostrophe: kind == Quote::Single
                        && before.is_alphanumeric()
                        && next.is_some_and(char::is_alphanumeric),
                });
            }
            (Some(quote), Some(kind)) if quote.kind == kind && character != '$' => open = None,
            _ => {}
        }
        before = character;
    }
    open
}

/// Where a naive reader would close the quote.
fn close_of(rest: &str, quote: Quote) -> Option<usize> {
    match quote {
        Quote::Single => rest.find('\''),
        Quote::Double => rest.find('"'),
        Quote::Backtick => rest.find('`'),
        Quote::Substitution => rest.find(')'),
    }
}
