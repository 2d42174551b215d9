//! Finding a text that is spelt differently in nothing but quotes, line endings, or tabs for spaces.
//!
//! Invariant (whole characters): a candidate starts and ends between characters of the file, so a part of a tab is never replaced.
//!
//! Both texts are brought into one plain spelling, with a list of the places where that differs from the original; the plain texts are
//! compared exactly. A tab is tried as one, two, three, four and eight spaces, each time for the whole text.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BTreeMap;

use memchr::memmem;

/// How many spaces a tab may stand for.
const TAB_WIDTHS: [usize; 5] = [4, 2, 8, 3, 1];
/// Texts over this size are looked through for exact places alone.
const MAX_TEXT_BYTES: usize = 32_000_000;
/// How many candidates are counted.
const MAX_CANDIDATES: usize = 10_000;

/// A place that fits but for its spelling: bytes `start..end` of the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Candidate {
    pub(super) start: usize,
    pub(super) end: usize,
    width: usize,
}

/// All places of `text` that `old` fits, in order.
pub(super) fn candidates(text: &str, old: &str) -> Vec<Candidate> {
    if text.len() > MAX_TEXT_BYTES || old.len() > MAX_TEXT_BYTES {
        return Vec::new();
    }
    let widths = if text.contains('\t') || old.contains('\t') {
        TAB_WIDTHS.as_slice()
    } else {
        &[4]
    };
    let mut found: BTreeMap<(usize, Reverse<usize>), usize> = BTreeMap::new();
    for width in widths {
        let (there, wanted) = (Plain::of(text, *width), Plain::of(old, *width));
        let finder = memmem::Finder::new(wanted.text.as_bytes());
        let mut from = 0;
        while let Some(at) = there
            .text
            .as_bytes()
            .get(from..)
            .and_then(|rest| finder.find(rest))
        {
            let at = from + at;
            from = at + 1;
            if let (Some(start), Some(end)) = (there.original(at), there.original(at + wanted.text.len())) {
                found.entry((start, Reverse(end))).or_insert(*width);
            }
            if found.len() >= MAX_CANDIDATES {
                break;
            }
        }
    }
    // A tab that stands for few spaces also fits the end of a longer run of them; that is the same place, read less well.
    let mut furthest = 0;
    found
        .into_iter()
        .filter(|((_, Reverse(end)), _)| {
            let inside = *end <= furthest;
            furthest = furthest.max(*end);
            !inside
        })
        .map(|((start, Reverse(end)), width)| Candidate { start, end, width })
        .collect()
}

impl Candidate {
    /// `new` in the spelling of the place that it is to replace. What `old` and `new` have in common at both ends stays as the file has it.
    pub(super) fn restyle(&self, text: &str, old: &str, new: &str) -> String {
        let there = text.get(self.start..self.end).unwrap_or_default();
        let (there_plain, old_plain) = (Plain::of(there, self.width), Plain::of(old, self.width));
        let ends = |at: usize| old_plain.plain(at).and_then(|at| there_plain.original(at));

        // From whole lines to whole lines where there are several, since a shared indentation says nothing about the line behind it.
        let mut front = common(old.chars(), new.chars());
        while front > 0 && (!old.is_char_boundary(front) || ends(front).is_none()) {
            front -= 1;
        }
        let most = old.len().min(new.len()) - front;
        let mut back = common(old.chars().rev(), new.chars().rev()).min(most);
        while back > 0 && (!old.is_char_boundary(old.len() - back) || ends(old.len() - back).is_none()) {
            back -= 1;
        }
        let kept_front = ends(front).and_then(|end| there.get(..end)).unwrap_or_default();
        let kept_back = ends(old.len() - back)
            .and_then(|start| there.get(start..))
            .unwrap_or_default();
        let middle = new.get(front..new.len() - back).unwrap_or_default();
        let style = Style::of(text, there, old, self.width);
        [kept_front, &style.apply(middle, kept_front), kept_back].concat()
    }
}

fn common(a: impl Iterator<Item = char>, b: impl Iterator<Item = char>) -> usize {
    a.zip(b)
        .take_while(|(a, b)| a == b)
        .map(|(a, _)| a.len_utf8())
        .sum()
}

/// A text in plain spelling, and where it differs from the original.
#[derive(Debug)]
struct Plain<'t> {
    text: Cow<'t, str>,
    changes: Vec<Changed>,
}

/// A piece that the plain spelling has changed: where it begins and how long it is, there and in the original.
#[derive(Debug, Clone, Copy)]
struct Changed {
    plain: usize,
    plain_length: usize,
    original: usize,
    length: usize,
}

impl<'t> Plain<'t> {
    fn of(original: &'t str, width: usize) -> Self {
        let mut text = String::new();
        let mut changes = Vec::new();
        let mut copied = 0;
        let mut characters = original.char_indices().peekable();
        while let Some((at, character)) = characters.next() {
            let length = match character {
                '\r' if characters.peek().is_some_and(|(_, next)| *next == '\n') => {
                    characters.next();
                    2
                }
                '\t' | '\u{2018}' | '\u{2019}' | '\u{201c}' | '\u{201d}' => character.len_utf8(),
                _ => continue,
            };
            text.push_str(original.get(copied..at).unwrap_or_default());
            let plain = text.len();
            match character {
                '\r' => text.push('\n'),
                '\t' => text.extend(std::iter::repeat_n(' ', width)),
                '\u{2018}' | '\u{2019}' => text.push('\''),
                _ => text.push('"'),
            }
            changes.push(Changed {
                plain,
                plain_length: text.len() - plain,
                original: at,
                length,
            });
            copied = at + length;
        }
        if changes.is_empty() {
            return Self {
                text: Cow::Borrowed(original),
                changes,
            };
        }
        text.push_str(original.get(copied..).unwrap_or_default());
        Self {
            text: Cow::Owned(text),
            changes,
        }
    }

    /// The place of the original for a place of the plain text; `None` inside a changed piece.
    fn original(&self, plain: usize) -> Option<usize> {
        let before = self
            .changes
            .partition_point(|change| change.plain <= plain)
            .checked_sub(1)
            .and_then(|at| self.changes.get(at));
        match before {
            None => Some(plain),
            Some(change) if plain == change.plain => Some(change.original),
            Some(change) => plain
                .checked_sub(change.plain + change.plain_length)
                .map(|past| change.original + change.length + past),
        }
    }

    /// The place of the plain text for a place of the original; `None` inside a changed piece.
    fn plain(&self, original: usize) -> Option<usize> {
        let before = self
            .changes
            .partition_point(|change| change.original <= original)
            .checked_sub(1)
            .and_then(|at| self.changes.get(at));
        match before {
            None => Some(original),
            Some(change) if original == change.original => Some(change.plain),
            Some(change) => original
                .checked_sub(change.original + change.length)
                .map(|past| change.plain + change.plain_length + past),
        }
    }
}

/// How a place of a file spells what the given text spells otherwise.
#[derive(Debug)]
struct Style {
    double: Quotes,
    single: Quotes,
    endings: Ends,
    indent: Indent,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Quotes {
    AsGiven,
    Curly,
    Straight,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ends {
    AsGiven,
    Crlf,
    Lf,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Indent {
    AsGiven,
    Tabs(usize),
    Spaces(usize),
}

impl Style {
    fn of(text: &str, there: &str, old: &str, width: usize) -> Self {
        let quotes = |straight: char, curly: [char; 2]| {
            let has = |text: &str| (text.contains(straight), text.contains(curly));
            match (has(there), has(old)) {
                ((false, true), (true, _)) => Quotes::Curly,
                ((true, false), (_, true)) => Quotes::Straight,
                _ => Quotes::AsGiven,
            }
        };
        let ends = match (there.contains("\r\n"), there.replace("\r\n", "").contains('\n')) {
            (true, false) => Ends::Crlf,
            (false, true) => Ends::Lf,
            // A single line has no ending of its own, so the file's counts.
            (false, false) => match super::endings(text) {
                super::Endings::Crlf => Ends::Crlf,
                super::Endings::Lf | super::Endings::Mixed => Ends::AsGiven,
            },
            (true, true) => Ends::AsGiven,
        };
        let indent = match (there.contains('\t'), old.contains('\t')) {
            (true, false) => Indent::Tabs(width),
            (false, true) => Indent::Spaces(width),
            (true, true) | (false, false) => Indent::AsGiven,
        };
        Self {
            double: quotes('"', ['\u{201c}', '\u{201d}']),
            single: quotes('\'', ['\u{2018}', '\u{2019}']),
            endings: ends,
            indent,
        }
    }

    /// `new` in this style; `before` is what stands in front of it.
    fn apply(&self, new: &str, before: &str) -> String {
        let new = new.replace(
            "\r\n",
            match self.endings {
                Ends::Crlf | Ends::Lf => "\n",
                Ends::AsGiven => "\r\n",
            },
        );
        let mut out = String::with_capacity(new.len());
        let mut previous = before.chars().next_back();
        let at_line_start = before
            .rsplit('\n')
            .next()
            .is_none_or(|line| line.chars().all(|character| matches!(character, ' ' | '\t')));
        for (number, line) in new.split_inclusive('\n').enumerate() {
            let line = if number > 0 || at_line_start {
                self.indented(line)
            } else {
                Cow::Borrowed(line)
            };
            for character in line.chars() {
                // Behind an opening quote of the other kind a quote opens, behind one of its own it closes an empty quotation.
                let opens = previous.is_none_or(|previous| {
                    previous.is_whitespace()
                        || "([{<-\u{2014}".contains(previous)
                        || (previous == '\u{2018}' && character == '"')
                        || (previous == '\u{201c}' && character == '\'')
                });
                let character = match (character, self.double, self.single) {
                    ('"', Quotes::Curly, _) => {
                        if opens {
                            '\u{201c}'
                        } else {
                            '\u{201d}'
                        }
                    }
                    ('\'', _, Quotes::Curly) => {
                        if opens {
                            '\u{2018}'
                        } else {
                            '\u{2019}'
                        }
                    }
                    ('\u{201c}' | '\u{201d}', Quotes::Straight, _) => '"',
                    ('\u{2018}' | '\u{2019}', _, Quotes::Straight) => '\'',
                    (character, _, _) => character,
                };
                out.push(character);
                previous = Some(character);
            }
        }
        match self.endings {
            Ends::Crlf => super::with_crlf(&out),
            Ends::Lf | Ends::AsGiven => out,
        }
    }

    fn indented<'l>(&self, line: &'l str) -> Cow<'l, str> {
        let end = line
            .find(|character| !matches!(character, ' ' | '\t'))
            .unwrap_or(line.len());
        let Some((blank, rest)) = line.split_at_checked(end) else {
            return Cow::Borrowed(line);
        };
        match self.indent {
            Indent::AsGiven => Cow::Borrowed(line),
            Indent::Tabs(width) => Cow::Owned(blank.replace(&" ".repeat(width), "\t") + rest),
            Indent::Spaces(width) => Cow::Owned(blank.replace('\t', &" ".repeat(width)) + rest),
        }
    }
}
