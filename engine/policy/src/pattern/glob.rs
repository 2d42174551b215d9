//! Globs over one piece of text (a path segment, a name, a value).
//!
//! Invariant (normal form): no two [`GlobPiece::Text`] stand side by side, none is empty, and no two
//! [`GlobPiece::AnyText`] stand side by side.

use std::fmt::{self, Write as _};

use nom::branch::alt;
use nom::bytes::complete::{tag, take_while1};
use nom::character::complete::{anychar, char, none_of};
use nom::combinator::{map, opt, value, verify};
use nom::multi::{fold_many0, fold_many1};
use nom::sequence::preceded;
use nom::{IResult, Parser as _};
use smol_str::SmolStr;

use super::{Parsed, PatternProblem};

/// A glob: its pieces in order must cover the whole text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct Glob {
    /// Pieces in order; none at all matches the empty text only.
    pub pieces: Vec<GlobPiece>,
}

/// One piece of a [`Glob`].
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub enum GlobPiece {
    /// These characters.
    Text(SmolStr),
    /// `*`: any characters, none included. In a path segment it never crosses a `/`.
    AnyText,
    /// `?`: one character.
    AnyChar,
    /// `[a-z]`, `[!0-9]`: one character.
    Class(CharClass),
}

/// A set of characters.
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct CharClass {
    /// Whether it is every character but these (`[!...]`, `[^...]`).
    pub negated: bool,
    /// Inclusive ranges as written; a single character is a range of one.
    pub ranges: Vec<(char, char)>,
}

impl CharClass {
    /// Whether a character is in the class.
    #[must_use]
    pub fn contains(&self, c: char) -> bool {
        self.ranges.iter().any(|&(low, high)| (low..=high).contains(&c)) != self.negated
    }
}

/// As it is written.
impl fmt::Display for Glob {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for piece in &self.pieces {
            match piece {
                GlobPiece::Text(text) => {
                    for c in text.chars() {
                        if matches!(c, '*' | '?' | '[' | '\\') {
                            f.write_char('\\')?;
                        }
                        f.write_char(c)?;
                    }
                }
                GlobPiece::AnyText => f.write_char('*')?,
                GlobPiece::AnyChar => f.write_char('?')?,
                GlobPiece::Class(class) => {
                    f.write_str(if class.negated { "[!" } else { "[" })?;
                    for (low, high) in &class.ranges {
                        if low == high {
                            f.write_char(*low)?;
                        } else {
                            write!(f, "{low}-{high}")?;
                        }
                    }
                    f.write_char(']')?;
                }
            }
        }
        Ok(())
    }
}

impl Glob {
    /// A glob that matches exactly one text.
    #[must_use]
    pub fn exactly(text: &str) -> Self {
        let mut glob = Self::default();
        glob.push_text(text);
        glob
    }

    /// A glob that matches every text.
    #[must_use]
    pub fn any() -> Self {
        Self {
            pieces: vec![GlobPiece::AnyText],
        }
    }

    /// The only text it matches, where there is only one.
    #[must_use]
    pub fn literal(&self) -> Option<&str> {
        match self.pieces.as_slice() {
            [] => Some(""),
            [GlobPiece::Text(text)] => Some(text),
            _ => None,
        }
    }

    /// Whether it matches every text.
    #[must_use]
    pub fn is_any(&self) -> bool {
        self.pieces == [GlobPiece::AnyText]
    }

    /// Whether it matches a text.
    #[must_use]
    pub fn matches(&self, text: &str) -> bool {
        // What the glob begins and ends with rules out most texts at once.
        let (mut pieces, mut rest) = (self.pieces.as_slice(), text);
        if let [.., GlobPiece::Text(tail)] = pieces
            && tail.as_bytes().last() != text.as_bytes().last()
        {
            return false;
        }
        if let [GlobPiece::Text(head), after @ ..] = pieces {
            let Some(left) = rest.strip_prefix(head.as_str()) else {
                return false;
            };
            (pieces, rest) = (after, left);
        }
        if let [before @ .., GlobPiece::Text(tail)] = pieces {
            let Some(left) = rest.strip_suffix(tail.as_str()) else {
                return false;
            };
            (pieces, rest) = (before, left);
        }
        wildcards_match(pieces, rest, |piece, rest| match piece {
            GlobPiece::AnyText => Piece::Run,
            GlobPiece::Text(text) => Piece::one(rest.strip_prefix(text.as_str())),
            GlobPiece::AnyChar => Piece::one(after_char(rest, |_| true)),
            GlobPiece::Class(class) => Piece::one(after_char(rest, |c| class.contains(c))),
        })
    }

    /// Whether some text that it matches ends in a character, as far as its last piece tells.
    pub(crate) fn may_end_in(&self, last: char) -> bool {
        match self.pieces.last() {
            Some(GlobPiece::Text(text)) => text.ends_with(last),
            Some(GlobPiece::AnyText | GlobPiece::AnyChar | GlobPiece::Class(_)) => true,
            None => false,
        }
    }

    pub(crate) fn push_text(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        if let Some(GlobPiece::Text(last)) = self.pieces.last_mut() {
            *last = format!("{last}{text}").into();
        } else {
            self.pieces.push(GlobPiece::Text(text.into()));
        }
    }

    pub(crate) fn push(&mut self, piece: GlobPiece) {
        match piece {
            GlobPiece::Text(text) => self.push_text(&text),
            GlobPiece::AnyText => {
                if self.pieces.last() != Some(&GlobPiece::AnyText) {
                    self.pieces.push(GlobPiece::AnyText);
                }
            }
            GlobPiece::AnyChar | GlobPiece::Class(_) => self.pieces.push(piece),
        }
    }
}

/// What a piece of a pattern takes of a text.
pub(crate) enum Piece<'t> {
    /// Any characters.
    Run,
    /// The beginning: this is left.
    Leaves(&'t str),
    /// Nothing: the text begins with something else.
    Fails,
}

impl<'t> Piece<'t> {
    /// A piece that is no run, by what it leaves of the text.
    pub(crate) fn one(left: Option<&'t str>) -> Self {
        left.map_or(Self::Fails, Self::Leaves)
    }
}

fn after_char(text: &str, accepts: impl Fn(char) -> bool) -> Option<&str> {
    let mut chars = text.chars();
    chars.next().filter(|&c| accepts(c)).map(|_| chars.as_str())
}

/// Whether pieces in order cover a text: what stands between two runs is taken where it first fits, since a later place leaves no
/// more to what follows.
pub(crate) fn wildcards_match<'t, P>(
    pieces: &[P],
    text: &'t str,
    take: impl Fn(&P, &'t str) -> Piece<'t>,
) -> bool {
    let (mut left, mut rest) = (pieces, text);
    // Pieces after the last run, and the text that the run has not taken yet.
    let mut fallback: Option<(&[P], &str)> = None;
    loop {
        let taken = match left.split_first() {
            Some((piece, after)) => match take(piece, rest) {
                Piece::Run if after.is_empty() => return true,
                Piece::Run => {
                    fallback = Some((after, rest));
                    left = after;
                    continue;
                }
                Piece::Leaves(text) => Some((after, text)),
                Piece::Fails => None,
            },
            None if rest.is_empty() => return true,
            None => None,
        };
        match (taken, fallback) {
            (Some((after, text)), _) => (left, rest) = (after, text),
            (None, Some((after, from))) => {
                let Some(from) = after_char(from, |_| true) else {
                    return false;
                };
                fallback = Some((after, from));
                (left, rest) = (after, from);
            }
            (None, None) => return false,
        }
    }
}

const CODE: &str = "policy::glob";

impl Glob {
    /// Reads a glob: `*`, `?`, `[a-z]`, and `\` before a character that is meant as it is.
    pub fn parse(text: &str) -> Parsed<Self> {
        let (rest, glob) = pieces(text).unwrap_or((text, Self::default()));
        if rest.is_empty() {
            return Ok((glob, Vec::new()));
        }
        let at = text.len() - rest.len();
        let (message, help) = if rest.starts_with('[') {
            (
                "this class is not closed, empty or backwards",
                "write `[a-z]`, or `\\[` for the character itself",
            )
        } else {
            (
                "this backslash stands before nothing",
                "write `\\\\` for a backslash",
            )
        };
        Err(PatternProblem::error(CODE, at..text.len(), message).help(help))
    }

    /// Reads a glob over a name or a value that knows `*` alone.
    #[must_use]
    pub fn stars(text: &str) -> Self {
        let mut glob = Self::default();
        for (number, part) in text.split('*').enumerate() {
            if number > 0 {
                glob.push(GlobPiece::AnyText);
            }
            glob.push_text(part);
        }
        glob
    }
}

fn pieces(input: &str) -> IResult<&str, Glob> {
    fold_many0(piece, Glob::default, |mut glob, piece| {
        glob.push(piece);
        glob
    })
    .parse(input)
}

fn piece(input: &str) -> IResult<&str, GlobPiece> {
    alt((
        map(
            take_while1(|c| !matches!(c, '*' | '?' | '[' | '\\')),
            |text: &str| GlobPiece::Text(text.into()),
        ),
        map(preceded(char('\\'), anychar), |c| {
            GlobPiece::Text(String::from(c).into())
        }),
        value(GlobPiece::AnyChar, char('?')),
        value(GlobPiece::AnyText, take_while1(|c| c == '*')),
        map(class, GlobPiece::Class),
    ))
    .parse(input)
}

fn class(input: &str) -> IResult<&str, CharClass> {
    let member = || alt((preceded(char('\\'), anychar), none_of("]\\")));
    // A `]` that stands first is a member, as in the shell.
    let first = map(
        (char(']'), opt(preceded(char('-'), none_of("]")))),
        |(low, high)| (low, high.unwrap_or(low)),
    );
    let range = verify(
        map((member(), opt(preceded(char('-'), member()))), |(low, high)| {
            (low, high.unwrap_or(low))
        }),
        |&(low, high)| low <= high,
    );
    let (input, (negated, leading)) =
        preceded(char('['), (opt(alt((tag("!"), tag("^")))), opt(first))).parse(input)?;
    let seed: Vec<(char, char)> = leading.into_iter().collect();
    let fold = |mut ranges: Vec<(char, char)>, range| {
        ranges.push(range);
        ranges
    };
    let (input, ranges) = if seed.is_empty() {
        fold_many1(range, Vec::new, fold).parse(input)?
    } else {
        fold_many0(range, || seed.clone(), fold).parse(input)?
    };
    let (input, _) = char(']').parse(input)?;
    Ok((
        input,
        CharClass {
            negated: negated.is_some(),
            ranges,
        },
    ))
}

#[cfg(test)]
mod tests {
    use super::{CharClass, Glob, GlobPiece};

    fn pieces(text: &str) -> Vec<GlobPiece> {
        Glob::parse(text).expect(text).0.pieces
    }

    #[test]
    fn every_piece_is_read() {
        assert_eq!(
            pieces("a*?[!a-c]"),
            [
                GlobPiece::Text("a".into()),
                GlobPiece::AnyText,
                GlobPiece::AnyChar,
                GlobPiece::Class(CharClass {
                    negated: true,
                    ranges: vec![('a', 'c')]
                }),
            ]
        );
    }

    #[test]
    fn escaped_characters_are_text() {
        assert_eq!(pieces(r"\*\[x"), [GlobPiece::Text("*[x".into())]);
    }

    #[test]
    fn runs_of_stars_are_one() {
        assert_eq!(pieces("a***"), [GlobPiece::Text("a".into()), GlobPiece::AnyText]);
    }

    #[test]
    fn a_bracket_first_in_a_class_is_a_member() {
        let [GlobPiece::Class(class)] = &pieces("[]x]")[..] else {
            panic!("one class")
        };
        assert!(class.contains(']') && class.contains('x') && !class.contains('y'));
    }

    #[test]
    fn broken_classes_point_at_their_bracket() {
        for text in ["ab[", "ab[]", "ab[z-a]", "ab[a"] {
            let problem = Glob::parse(text).expect_err(text);
            assert_eq!(problem.range, 2..text.len(), "{text}");
        }
    }

    #[test]
    fn a_glob_matches_what_its_pieces_cover() {
        for (glob, text, expected) in [
            ("", "", true),
            ("", "a", false),
            ("*", "", true),
            ("a*c*e", "abcde", true),
            ("a*c*e", "abcdf", false),
            ("*.tar.gz", "a.tar.tar.gz", true),
            ("*ab", "aab", true),
            ("*a?b*", "xaab", true),
            ("a*b?", "abbb", true),
            ("a*b?", "ab", false),
            ("[a-c]x*", "bx", true),
            ("[!a-c]x*", "bx", false),
            ("?", "ä", true),
            ("*ä", "öä", true),
            ("**a", "a", true),
        ] {
            assert_eq!(
                Glob::parse(glob).unwrap().0.matches(text),
                expected,
                "{glob} {text}"
            );
        }
    }
}
