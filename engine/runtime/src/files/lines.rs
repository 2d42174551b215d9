//! Lines of a text with their numbers, as `cat -n` shows them, within bounds.
//!
//! Invariant (bounded page): a page holds at most the lines that were asked for, at most [`MAX_LINE_CHARS`] characters of each, and about
//! [`MAX_TOKENS`] tokens; what was left out is said at the end, with how to read on.

use std::fmt::Write as _;

/// How many characters of a line are shown.
pub(super) const MAX_LINE_CHARS: usize = 2000;
/// How many lines are shown where the call names no number.
pub(super) const DEFAULT_LINES: u64 = 2000;
/// About how many tokens one answer may cost; every kind of text answer is held to it.
pub(super) const MAX_TOKENS: u64 = 25_000;

/// An estimate of what a text costs a model, in quarter tokens: four ASCII characters to a token, one token to any other character.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Cost(u64);

impl Cost {
    pub(super) const LIMIT: Self = Self(MAX_TOKENS * 4);

    pub(super) fn of(text: &str) -> Self {
        let ascii = text.bytes().filter(u8::is_ascii).count() as u64;
        let all = text.chars().count() as u64;
        Self(ascii + (all - ascii) * 4)
    }

    #[must_use]
    pub(super) fn plus(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

/// Whether a page takes more lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Room {
    /// It does.
    More,
    /// It is full.
    Full,
}

/// A page in the making.
#[derive(Debug)]
pub(super) struct Page {
    text: String,
    cost: Cost,
    first: u64,
    wanted: u64,
    taken: u64,
    full: bool,
}

/// What a page holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextPage {
    /// The lines with their numbers, and what there is to say about them.
    pub text: String,
    /// Number of the first line shown.
    pub first: u64,
    /// How many lines are shown.
    pub lines: u64,
    /// How many lines the file has, if it was read to its end.
    pub total: Option<u64>,
}

impl Page {
    pub(super) fn new(first: u64, wanted: u64) -> Self {
        Self {
            text: String::new(),
            cost: Cost::default(),
            first,
            wanted,
            taken: 0,
            full: false,
        }
    }

    pub(super) fn room(&self) -> Room {
        if self.full || self.taken >= self.wanted {
            Room::Full
        } else {
            Room::More
        }
    }

    /// Adds the next line, without its line feed; `hidden` says how many characters the caller has cut from it already.
    pub(super) fn add(&mut self, line: &str, hidden: u64) -> Room {
        if self.room() == Room::Full {
            return Room::Full;
        }
        let (shown, cut) = match line.char_indices().nth(MAX_LINE_CHARS) {
            Some((at, _)) => {
                let (shown, rest) = line.split_at_checked(at).unwrap_or((line, ""));
                (shown, rest.chars().count() as u64 + hidden)
            }
            None => (line, hidden),
        };
        let before = self.text.len();
        // Writing to a string does not fail.
        let _ = write!(self.text, "{:>6}\t{shown}", self.first + self.taken);
        if cut > 0 {
            let _ = write!(self.text, " [line cut: {cut} more characters]");
        }
        self.text.push('\n');
        let cost = self
            .cost
            .plus(self.text.get(before..).map(Cost::of).unwrap_or_default());
        // One line is always shown, or reading on would never get past it; no line costs more than the limit.
        if cost > Cost::LIMIT && self.taken > 0 {
            self.text.truncate(before);
            self.full = true;
            return Room::Full;
        }
        self.cost = cost;
        self.taken += 1;
        self.room()
    }

    /// How many lines it holds.
    pub(super) fn taken(&self) -> u64 {
        self.taken
    }

    /// The page, and how to read on if the file goes on. `total` is the number of lines of the file; unknown, it has more than these.
    pub(super) fn finish(mut self, total: Option<u64>) -> TextPage {
        let last = (self.first + self.taken).saturating_sub(1);
        if total.is_none_or(|total| last < total) {
            let of = total.map(|total| format!(" of {total}")).unwrap_or_default();
            let why = if self.full {
                format!("; about {MAX_TOKENS} tokens are shown at once")
            } else {
                String::new()
            };
            let _ = write!(
                self.text,
                "\n[lines {} to {last}{of} are shown{why}; read on with offset {}]\n",
                self.first,
                last + 1
            );
        }
        TextPage {
            text: self.text,
            first: self.first,
            lines: self.taken,
            total,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Cost, MAX_LINE_CHARS, Page, Room};

    #[test]
    fn lines_look_as_cat_numbers_them() {
        let mut page = Page::new(9, 10);
        page.add("a", 0);
        page.add("\tb\r", 0);
        assert_eq!(page.finish(Some(10)).text, "     9\ta\n    10\t\tb\r\n");
    }

    #[test]
    fn a_long_line_is_cut_between_characters_and_says_so() {
        let mut page = Page::new(1, 1);
        page.add(&"é".repeat(MAX_LINE_CHARS + 7), 3);
        let text = page.finish(Some(1)).text;
        assert_eq!(
            text,
            format!(
                "     1\t{} [line cut: 10 more characters]\n",
                "é".repeat(MAX_LINE_CHARS)
            )
        );
        let mut page = Page::new(1, 1);
        page.add(&"é".repeat(MAX_LINE_CHARS), 0);
        assert!(!page.finish(Some(1)).text.contains("cut"));
    }

    #[test]
    fn a_page_ends_at_the_lines_that_were_asked_for() {
        let mut page = Page::new(3, 2);
        assert_eq!(page.add("a", 0), Room::More);
        assert_eq!(page.add("b", 0), Room::Full);
        assert_eq!(page.add("c", 0), Room::Full);
        let page = page.finish(Some(9));
        assert_eq!((page.first, page.lines), (3, 2));
        assert!(
            page.text
                .ends_with("\n[lines 3 to 4 of 9 are shown; read on with offset 5]\n"),
            "{}",
            page.text
        );
    }

    #[test]
    fn a_page_ends_before_it_costs_too_much() {
        let mut page = Page::new(1, u64::MAX);
        let line = "x".repeat(1000);
        while page.add(&line, 0) == Room::More {}
        let page = page.finish(Some(5000));
        // 1,000 characters, the number, the tab and the line feed; a limit of 100,000 characters.
        assert_eq!(page.lines, 99);
        assert!(
            page.text
                .contains("25000 tokens are shown at once; read on with offset 100]")
        );
    }

    #[test]
    fn other_characters_cost_more() {
        assert!(Cost::of("日本") > Cost::of("abcdefg"));
        assert_eq!(Cost::of("日本"), Cost::of("abcdefgh"));
    }
}
