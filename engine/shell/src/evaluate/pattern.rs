//! Shell patterns over known text, for the operators of parameter expansion.
//!
//! Invariant (no guess): a pattern or text that is not plainly understood (character classes, ranges beyond ASCII, long
//! texts) gives `None`, and the caller takes the result for unknown.

use smol_str::SmolStr;

/// Longest text that ends are removed from; every end of it is tried.
const LONGEST: usize = 512;

/// Longest text in which a `*` is replaced; every piece of it is tried.
const LONGEST_STARRED: usize = 64;

/// One piece of a compiled pattern.
#[derive(Clone, Debug, PartialEq)]
enum Piece {
    Char(char),
    One,
    Many,
    Set {
        negated: bool,
        ranges: Vec<(char, char)>,
    },
}

/// A compiled pattern.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Pattern {
    pieces: Vec<Piece>,
}

/// Which end of the text a pattern is tied to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    Start,
    Finish,
}

impl Pattern {
    /// A size for the step count of one operation on `text`.
    pub(super) fn weight(&self, text: &str) -> usize {
        text.len() / 4 + self.pieces.len() / 16
    }

    /// Compiles a pattern in which a backslash quotes the next character.
    pub(super) fn compile(text: &str) -> Option<Self> {
        let mut pieces = Vec::new();
        let mut chars = text.chars().peekable();
        while let Some(c) = chars.next() {
            pieces.push(match c {
                '*' => Piece::Many,
                '?' => Piece::One,
                '\\' => Piece::Char(chars.next()?),
                '[' => {
                    let negated = chars.next_if(|c| matches!(c, '!' | '^')).is_some();
                    let mut ranges = Vec::new();
                    loop {
                        let low = chars.next()?;
                        match low {
                            ']' if !ranges.is_empty() => break,
                            '[' | ']' | '\\' | '-' => return None,
                            _ => {}
                        }
                        let mut high = low;
                        if chars.next_if_eq(&'-').is_some() {
                            high = chars.next()?;
                            // Ranges follow the locale's collation but for digits, where all locales agree.
                            if !(low.is_ascii_digit() && high.is_ascii_digit()) {
                                return None;
                            }
                        }
                        ranges.push((low, high));
                    }
                    Piece::Set { negated, ranges }
                }
                // Extended globs are off in a non-interactive shell, but a text may not rely on it here.
                '(' | ')' | '|' => return None,
                _ => Piece::Char(c),
            });
        }
        Some(Self { pieces })
    }

    /// Whether the whole text matches.
    fn matches(&self, text: &[char]) -> bool {
        let (mut at, mut piece) = (0, 0);
        let mut retry: Option<(usize, usize)> = None;
        loop {
            let c = text.get(at).copied();
            let fits = match (self.pieces.get(piece), c) {
                (Some(Piece::Many), _) => {
                    retry = Some((at, piece));
                    piece += 1;
                    continue;
                }
                (None, None) => return true,
                (Some(Piece::Char(p)), Some(c)) => *p == c,
                (Some(Piece::One), Some(_)) => true,
                (Some(Piece::Set { negated, ranges }), Some(c)) => {
                    ranges.iter().any(|(low, high)| (*low..=*high).contains(&c)) != *negated
                }
                (None, Some(_)) | (Some(_), None) => false,
            };
            if fits {
                at += 1;
                piece += 1;
                continue;
            }
            match retry {
                Some((from, star)) if from < text.len() => {
                    retry = Some((from + 1, star));
                    at = from + 1;
                    piece = star + 1;
                }
                _ => return false,
            }
        }
    }

    /// The text without the shortest or longest piece at one end that matches.
    pub(super) fn remove(&self, text: &str, end: End, longest: bool) -> Option<SmolStr> {
        let chars = spread(text)?;
        let count = chars.len();
        let mut lengths: Vec<usize> = (0..=count).collect();
        if longest {
            lengths.reverse();
        }
        for length in lengths {
            let (piece, kept) = match end {
                End::Start => chars.split_at_checked(length)?,
                End::Finish => {
                    let (kept, piece) = chars.split_at_checked(count - length)?;
                    (piece, kept)
                }
            };
            if self.matches(piece) {
                return Some(kept.iter().copied().collect());
            }
        }
        Some(text.into())
    }

    /// The text with the first or every longest match replaced.
    pub(super) fn replace(&self, text: &str, with: &str, all: bool) -> Option<SmolStr> {
        let chars = spread(text)?;
        let starred = self.pieces.contains(&Piece::Many);
        if starred && text.len() > LONGEST_STARRED {
            return None;
        }
        let mut out = String::new();
        let mut at = 0;
        let mut done = false;
        // Without a star a pattern has one length.
        let lengths = |longest: usize| {
            let shortest = if starred { 1 } else { self.pieces.len().max(1) };
            shortest..=if starred {
                longest
            } else {
                self.pieces.len().min(longest)
            }
        };
        while at < chars.len() {
            let rest = chars.get(at..)?;
            let longest = if done && !all {
                None
            } else {
                lengths(rest.len())
                    .rev()
                    .find(|n| rest.get(..*n).is_some_and(|piece| self.matches(piece)))
            };
            if let Some(length) = longest {
                out.push_str(with);
                at += length;
                done = true;
            } else {
                out.extend(rest.first());
                at += 1;
            }
        }
        Some(out.into())
    }

    /// The text with the longest match at one end replaced.
    pub(super) fn replace_end(&self, text: &str, with: &str, end: End) -> Option<SmolStr> {
        let chars = spread(text)?;
        let count = chars.len();
        for length in (0..=count).rev() {
            let cut = match end {
                End::Start => length,
                End::Finish => count - length,
            };
            let (head, rest) = chars.split_at_checked(cut)?;
            let (piece, kept) = match end {
                End::Start => (head, rest),
                End::Finish => (rest, head),
            };
            if self.matches(piece) {
                let kept: String = kept.iter().collect();
                return Some(match end {
                    End::Start => format!("{with}{kept}").into(),
                    End::Finish => format!("{kept}{with}").into(),
                });
            }
        }
        Some(text.into())
    }
}

fn spread(text: &str) -> Option<Vec<char>> {
    (text.len() <= LONGEST).then(|| text.chars().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn remove(text: &str, pattern: &str, end: End, longest: bool) -> String {
        Pattern::compile(pattern)
            .unwrap()
            .remove(text, end, longest)
            .unwrap()
            .into()
    }

    #[test]
    fn ends_are_removed_as_bash_does() {
        assert_eq!(remove("src/a/b.rs", "*/", End::Start, false), "a/b.rs");
        assert_eq!(remove("src/a/b.rs", "*/", End::Start, true), "b.rs");
        assert_eq!(remove("a.tar.gz", ".*", End::Finish, false), "a.tar");
        assert_eq!(remove("a.tar.gz", ".*", End::Finish, true), "a");
        assert_eq!(remove("a.tar.gz", ".zip", End::Finish, true), "a.tar.gz");
        assert_eq!(remove("a*b", "a\\*", End::Start, false), "b");
        assert_eq!(remove("x12", "x[0-9]", End::Start, false), "2");
        assert_eq!(remove("é1", "?", End::Start, false), "1");
    }

    #[test]
    fn matches_are_replaced_as_bash_does() {
        let pattern = |p| Pattern::compile(p).unwrap();
        assert_eq!(pattern("a").replace("banana", "o", false).unwrap(), "bonana");
        assert_eq!(pattern("a").replace("banana", "o", true).unwrap(), "bonono");
        assert_eq!(pattern("a*").replace("banana", "o", true).unwrap(), "bo");
        assert_eq!(
            pattern("an").replace_end("banan", "X", End::Finish).unwrap(),
            "banX"
        );
        assert_eq!(
            pattern("b").replace_end("banan", "X", End::Start).unwrap(),
            "Xanan"
        );
    }

    #[test]
    fn what_depends_on_the_locale_or_is_long_is_not_answered() {
        for pattern in ["[a-z]", "[[:alpha:]]", "a\\", "[ab", "@(a|b)"] {
            assert_eq!(Pattern::compile(pattern), None, "{pattern}");
        }
        assert_eq!(
            Pattern::compile("a")
                .unwrap()
                .remove(&"a".repeat(LONGEST + 1), End::Start, false),
            None
        );
    }
}
