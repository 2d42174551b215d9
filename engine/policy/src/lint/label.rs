//! One word of a command or one name of a path, as a step of an automaton, and which of several steps cover it.
//!
//! Invariant (exact or nothing): [`splits`] answers for every text that a label stands for, or not at all.

use std::collections::HashSet;

use smol_str::SmolStr;

use crate::pattern::{CharClass, Glob, GlobPiece, WordPattern, WordPiece};

/// What one step takes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Label {
    /// Any one word.
    Any,
    /// This word.
    Text(SmolStr),
    /// A word that this covers.
    Glob(Glob),
    /// Something that no pattern of words covers but that is the same each time, such as a program that is named by its file.
    Opaque(SmolStr),
}

/// Words that the choices of one word may be written out to.
const MAX_CHOICES: usize = 64;

/// States of characters that are looked at before giving up.
const MAX_STATES: usize = 2000;

/// Steps of one glob that is followed.
const MAX_ATOMS: usize = 120;

/// Steps of all globs together before giving up.
const MAX_WORK: usize = 100_000;

impl Label {
    pub(super) fn of_glob(glob: &Glob) -> Self {
        match glob.literal() {
            Some(text) => Self::Text(text.into()),
            None if glob.is_any() => Self::Any,
            None => Self::Glob(glob.clone()),
        }
    }

    /// The labels whose words together are those of a pattern; `None` if there are too many.
    pub(super) fn of_word(word: &WordPattern) -> Option<Vec<Self>> {
        let globs = written_out(word)?;
        Some(globs.iter().map(Self::of_glob).collect())
    }

    /// Whether it covers every word that the other one stands for.
    pub(super) fn covers(&self, other: &Self) -> bool {
        if self.is_beside(other) {
            return false;
        }
        self == other || splits(other, &[self]).is_some_and(|sets| sets.iter().all(|set| set.contains(&0)))
    }

    /// Whether what they spell out shows that this does not cover all of the other one. Decides most pairs at once.
    pub(super) fn is_beside(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Any, _) => false,
            (Self::Text(own), Self::Text(other)) => own != other,
            (Self::Glob(own), Self::Text(text)) => !own.matches(text),
            (Self::Glob(own), Self::Glob(other)) => spells_more(own, other),
            (Self::Opaque(own), Self::Opaque(other)) => own != other,
            (Self::Text(_), Self::Glob(_)) => false,
            (Self::Text(_) | Self::Glob(_), Self::Any | Self::Opaque(_)) => true,
            (Self::Opaque(_), Self::Any | Self::Text(_) | Self::Glob(_)) => true,
        }
    }

    /// Whether some word is covered by both.
    pub(super) fn meets(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Opaque(one), Self::Opaque(other)) => one == other,
            (Self::Any, _) | (_, Self::Any) => true,
            (Self::Opaque(_), Self::Text(_) | Self::Glob(_))
            | (Self::Text(_) | Self::Glob(_), Self::Opaque(_)) => false,
            (Self::Text(one), Self::Text(other)) => one == other,
            (Self::Text(text), Self::Glob(glob)) | (Self::Glob(glob), Self::Text(text)) => glob.matches(text),
            // Too large to be told counts as meeting.
            (Self::Glob(_), Self::Glob(_)) => {
                explore(self, &[other], false).is_none_or(|sets| sets.iter().any(|set| set.contains(&0)))
            }
        }
    }
}

/// Whether a glob spells out something that a text of the other one need not have.
fn spells_more(own: &Glob, other: &Glob) -> bool {
    // A class may spell a character, too.
    if other
        .pieces
        .iter()
        .any(|piece| matches!(piece, GlobPiece::Class(_)))
    {
        return false;
    }
    let texts = |glob: &'_ Glob| -> Vec<SmolStr> {
        glob.pieces
            .iter()
            .filter_map(|piece| match piece {
                GlobPiece::Text(text) => Some(text.clone()),
                GlobPiece::AnyText | GlobPiece::AnyChar | GlobPiece::Class(_) => None,
            })
            .collect()
    };
    let (wanted, spelled) = (texts(own), texts(other));
    let begins = match (own.pieces.first(), other.pieces.first()) {
        (Some(GlobPiece::Text(own)), Some(GlobPiece::Text(other))) => other.starts_with(own.as_str()),
        (Some(GlobPiece::Text(_)), Some(GlobPiece::AnyText | GlobPiece::AnyChar) | None) => false,
        (_, _) => true,
    };
    let ends = match (own.pieces.last(), other.pieces.last()) {
        (Some(GlobPiece::Text(own)), Some(GlobPiece::Text(other))) => other.ends_with(own.as_str()),
        (Some(GlobPiece::Text(_)), Some(GlobPiece::AnyText | GlobPiece::AnyChar) | None) => false,
        (_, _) => true,
    };
    !begins
        || !ends
        || wanted
            .iter()
            .any(|text| !spelled.iter().any(|own| own.contains(text.as_str())))
}

/// A word pattern as globs without choices.
fn written_out(word: &WordPattern) -> Option<Vec<Glob>> {
    let mut globs = vec![Glob::default()];
    for piece in &word.pieces {
        match piece {
            WordPiece::Text(text) => globs.iter_mut().for_each(|glob| glob.push_text(text)),
            WordPiece::AnyText => globs.iter_mut().for_each(|glob| glob.push(GlobPiece::AnyText)),
            WordPiece::Choice(words) => {
                let mut tails = Vec::new();
                for word in words {
                    tails.extend(written_out(word)?);
                }
                if globs.len() * tails.len() > MAX_CHOICES {
                    return None;
                }
                globs = globs
                    .iter()
                    .flat_map(|glob| {
                        tails.iter().map(move |tail| {
                            let mut whole = glob.clone();
                            tail.pieces.iter().for_each(|piece| whole.push(piece.clone()));
                            whole
                        })
                    })
                    .collect();
            }
        }
    }
    Some(globs)
}

/// Which of the outer labels cover a word of the inner one: a set of numbers for each kind of word there is, the smallest sets alone.
/// `None` if that takes too long to tell.
pub(super) fn splits(inner: &Label, outer: &[&Label]) -> Option<Vec<Vec<usize>>> {
    let always = |label: &Label| *label == Label::Any || label == inner;
    match inner {
        Label::Text(text) => {
            let covers = |label: &Label| match label {
                Label::Any => true,
                Label::Text(own) => own == text,
                Label::Glob(glob) => glob.matches(text),
                Label::Opaque(_) => false,
            };
            Some(vec![numbers(outer, covers)])
        }
        Label::Opaque(_) => Some(vec![numbers(outer, always)]),
        Label::Any | Label::Glob(_) => {
            let sure = numbers(outer, always);
            let open = |label: &Label| match label {
                Label::Glob(_) => label != inner,
                Label::Any | Label::Text(_) | Label::Opaque(_) => false,
            };
            // Of endlessly many words some are none of a few texts.
            if endless(inner) && numbers(outer, open).is_empty() {
                return Some(vec![sure]);
            }
            Some(smallest(explore(inner, outer, true)?))
        }
    }
}

fn numbers(labels: &[&Label], fits: impl Fn(&Label) -> bool) -> Vec<usize> {
    labels
        .iter()
        .enumerate()
        .filter(|(_, label)| fits(label))
        .map(|(number, _)| number)
        .collect()
}

fn endless(label: &Label) -> bool {
    match label {
        Label::Any => true,
        Label::Glob(glob) => glob.pieces.contains(&GlobPiece::AnyText),
        Label::Text(_) | Label::Opaque(_) => false,
    }
}

fn smallest(mut sets: Vec<Vec<usize>>) -> Vec<Vec<usize>> {
    sets.sort_by_key(Vec::len);
    let mut kept: Vec<Vec<usize>> = Vec::new();
    for set in sets {
        if !kept
            .iter()
            .any(|own| own.iter().all(|number| set.contains(number)))
        {
            kept.push(set);
        }
    }
    kept
}

/// One step of a glob over characters.
#[derive(Clone, Copy)]
enum Atom<'a> {
    Char(char),
    One,
    Class(&'a CharClass),
    Run,
}

fn atoms(label: &Label) -> Vec<Atom<'_>> {
    match label {
        Label::Any => vec![Atom::Run],
        Label::Text(text) => text.chars().map(Atom::Char).collect(),
        Label::Opaque(_) => Vec::new(),
        Label::Glob(glob) => glob
            .pieces
            .iter()
            .flat_map(|piece| match piece {
                GlobPiece::Text(text) => text.chars().map(Atom::Char).collect::<Vec<_>>(),
                GlobPiece::AnyText => vec![Atom::Run],
                GlobPiece::AnyChar => vec![Atom::One],
                GlobPiece::Class(class) => vec![Atom::Class(class)],
            })
            .collect(),
    }
}

/// Positions of a glob as bits.
type Positions = u128;

fn closed(atoms: &[Atom<'_>], mut at: Positions) -> Positions {
    for (number, atom) in atoms.iter().enumerate() {
        if at & (1 << number) != 0 && matches!(atom, Atom::Run) {
            at |= 1 << (number + 1);
        }
    }
    at
}

fn step(atoms: &[Atom<'_>], at: Positions, c: char) -> Positions {
    let mut next = 0;
    for (number, atom) in atoms.iter().enumerate() {
        if at & (1 << number) == 0 {
            continue;
        }
        let takes = match atom {
            Atom::Char(own) => *own == c,
            Atom::One => true,
            Atom::Class(class) => class.contains(c),
            Atom::Run => {
                next |= 1 << number;
                false
            }
        };
        if takes {
            next |= 1 << (number + 1);
        }
    }
    closed(atoms, next)
}

/// Every set of outer labels that covers some word of the inner one exactly. With `all` every word counts, else the search ends at the
/// first word that some outer label covers.
fn explore(inner: &Label, outer: &[&Label], all: bool) -> Option<Vec<Vec<usize>>> {
    let globs: Vec<Vec<Atom<'_>>> = std::iter::once(inner)
        .chain(outer.iter().copied())
        .map(atoms)
        .collect();
    if globs.iter().any(|glob| glob.len() > MAX_ATOMS) {
        return None;
    }
    let alphabet = alphabet(&globs);
    let opaque: Vec<bool> = outer
        .iter()
        .map(|label| matches!(label, Label::Opaque(_)))
        .collect();
    let start: Vec<Positions> = globs.iter().map(|glob| closed(glob, 1)).collect();
    let mut seen = HashSet::from([start.clone()]);
    let mut open = vec![start];
    let mut found: Vec<Vec<usize>> = Vec::new();
    let mut work = 0;
    while let Some(state) = open.pop() {
        work += alphabet.len() * globs.len();
        if work > MAX_WORK {
            return None;
        }
        let accepts: Vec<bool> = state
            .iter()
            .zip(&globs)
            .map(|(at, glob)| at & (1 << glob.len()) != 0)
            .collect();
        if accepts.first() == Some(&true) {
            let set: Vec<usize> = accepts
                .iter()
                .skip(1)
                .zip(&opaque)
                .enumerate()
                .filter(|(_, (accepts, opaque))| **accepts && !**opaque)
                .map(|(number, _)| number)
                .collect();
            if !all && !set.is_empty() {
                return Some(vec![set]);
            }
            if !found.contains(&set) {
                found.push(set);
            }
        }
        for &c in &alphabet {
            let next: Vec<Positions> = state
                .iter()
                .zip(&globs)
                .map(|(at, glob)| step(glob, *at, c))
                .collect();
            if next.first() != Some(&0) && seen.insert(next.clone()) {
                if seen.len() > MAX_STATES {
                    return None;
                }
                open.push(next);
            }
        }
    }
    Some(found)
}

/// A character for each kind that the globs tell apart.
fn alphabet(globs: &[Vec<Atom<'_>>]) -> Vec<char> {
    let mut chars = vec!['\u{f8ff}'];
    for atom in globs.iter().flatten() {
        match atom {
            Atom::Char(c) => chars.push(*c),
            Atom::Class(class) => {
                for &(low, high) in &class.ranges {
                    let beside = [
                        u32::from(low).checked_sub(1),
                        Some(u32::from(low)),
                        Some(u32::from(high)),
                        u32::from(high).checked_add(1),
                    ];
                    chars.extend(beside.into_iter().flatten().filter_map(char::from_u32));
                }
            }
            Atom::One | Atom::Run => {}
        }
    }
    chars.sort_unstable();
    chars.dedup();
    chars
}

#[cfg(test)]
mod tests {
    use super::{Label, splits};
    use crate::pattern::Glob;

    fn label(text: &str) -> Label {
        Label::of_glob(&Glob::parse(text).expect(text).0)
    }

    #[test]
    fn a_glob_covers_what_all_its_texts_are_in() {
        for (outer, inner, expected) in [
            ("*", "a*", true),
            ("a*", "*", false),
            ("a*", "ab*c", true),
            ("a*c", "ab*c", true),
            ("a*b*c", "ab*c", true),
            ("ab*c", "a*b*c", false),
            ("[a-z]*", "[b-d]x*", true),
            ("[b-d]*", "[a-z]*", false),
            ("?", "[!x]", true),
            ("[!x]", "?", false),
            ("a", "a", true),
            ("*.rs", "src*.rs", true),
            ("??*", "a*b", true),
            ("??", "a*b", false),
        ] {
            assert_eq!(label(outer).covers(&label(inner)), expected, "{outer} {inner}");
        }
    }

    #[test]
    fn globs_meet_where_a_text_is_in_both() {
        for (one, other, expected) in [
            ("a*", "*b", true),
            ("a*", "b*", false),
            ("*.rs", "*.toml", false),
            ("[a-c]", "[c-e]", true),
            ("[a-b]", "[c-e]", false),
            ("*", "x", true),
        ] {
            assert_eq!(label(one).meets(&label(other)), expected, "{one} {other}");
        }
    }

    #[test]
    fn several_globs_together_split_a_glob() {
        let outer = [label("a*"), label("*b")];
        let sets = splits(&label("a*"), &[&outer[0], &outer[1]]).expect("an answer");
        assert_eq!(sets, [vec![0]]);
        let halves = [label("[a-m]*"), label("[n-z]*")];
        let sets = splits(&label("[a-z]x*"), &[&halves[0], &halves[1]]).expect("an answer");
        assert_eq!(sets.len(), 2);
    }
}
