//! The lines of a file that come closest to a text that is not in it.
//!
//! Invariant (bounded search): at most [`MAX_LINES`] lines are looked at, and little of each.

use std::collections::HashMap;

use crate::files::error::Near;

const MAX_LINES: usize = 200_000;
/// How much of a line is compared, and how much of it an error shows.
const MAX_COMPARED: usize = 400;
const MAX_SHOWN: usize = 120;
/// How many lines are named where none is the right one for certain.
const MAX_NAMED: usize = 3;
/// How alike lines must be, from 0 to 1.
const ALIKE: f64 = 0.6;

/// Where `text` comes closest to `old`.
pub(super) fn closest(text: &str, old: &str) -> Near {
    let wanted: Vec<&str> = old.lines().collect();
    let lines: Vec<&str> = text.lines().take(MAX_LINES).collect();
    block(&lines, &wanted)
        .or_else(|| alike(&lines, &wanted))
        .unwrap_or_default()
}

/// The place where most lines of a longer text stand in their order, and the first of them that differs.
fn block(lines: &[&str], wanted: &[&str]) -> Option<Near> {
    let mut places: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, line) in wanted.iter().enumerate() {
        if line.trim().len() > 1 {
            places.entry(line.trim()).or_default().push(at);
        }
    }
    // Each equal line votes for the place at which the whole text would begin.
    let mut votes: HashMap<isize, usize> = HashMap::new();
    for (number, line) in lines.iter().enumerate() {
        for at in places.get(line.trim()).into_iter().flatten().take(8) {
            *votes.entry(number.cast_signed() - at.cast_signed()).or_default() += 1;
        }
    }
    let (start, _) = votes
        .into_iter()
        .max_by_key(|(start, count)| (*count, std::cmp::Reverse(*start)))?;
    let line_at = |at: usize| {
        usize::try_from(start + at.cast_signed())
            .ok()
            .and_then(|number| Some((number, *lines.get(number)?)))
    };
    wanted.iter().enumerate().find_map(|(at, given)| {
        let (number, there) = line_at(at)?;
        (there != *given).then(|| Near {
            lines: Vec::new(),
            differs: Some((number + 1, shown(there, given), shown(given, there))),
        })
    })
}

/// The single lines that are most like the most telling line of the text.
fn alike(lines: &[&str], wanted: &[&str]) -> Option<Near> {
    let telling = wanted.iter().max_by_key(|line| line.trim().len())?.trim();
    if telling.is_empty() {
        return None;
    }
    let pairs = Pairs::of(telling);
    let mut scored: Vec<(f64, usize)> = lines
        .iter()
        .enumerate()
        .map(|(number, line)| (pairs.like(line.trim()), number))
        .filter(|(score, _)| *score >= ALIKE)
        .collect();
    scored.sort_by(|(a, an), (b, bn)| b.total_cmp(a).then(an.cmp(bn)));
    let named = scored
        .iter()
        .take(MAX_NAMED)
        .filter_map(|(_, number)| Some((number + 1, shown(lines.get(*number)?, telling))))
        .collect::<Vec<_>>();
    (!named.is_empty()).then_some(Near {
        lines: named,
        differs: None,
    })
}

/// The line, or if it is long the part of it in which it stops being like the other.
fn shown(line: &str, other: &str) -> String {
    let same = line
        .chars()
        .zip(other.chars())
        .take_while(|(a, b)| a == b)
        .count();
    let from = if line.chars().count() <= MAX_SHOWN {
        0
    } else {
        same.saturating_sub(MAX_SHOWN / 2)
    };
    let part: String = line.chars().skip(from).take(MAX_SHOWN).collect();
    let (before, after) = (
        if from > 0 { "…" } else { "" },
        if line.chars().count() > from + MAX_SHOWN {
            "…"
        } else {
            ""
        },
    );
    format!("{before}{part}{after}")
        .replace('\t', "\\t")
        .replace('\r', "\\r")
}

/// The pairs of neighbouring bytes of a text, counted: two texts are as alike as the share of pairs that they have in common.
struct Pairs {
    counts: HashMap<[u8; 2], i32>,
    total: usize,
}

impl Pairs {
    fn of(text: &str) -> Self {
        let mut counts = HashMap::new();
        let mut total = 0;
        for pair in pairs(text) {
            *counts.entry(pair).or_default() += 1;
            total += 1;
        }
        Self { counts, total }
    }

    fn like(&self, other: &str) -> f64 {
        let (mut seen, mut common, mut total): (HashMap<[u8; 2], i32>, u32, usize) = (HashMap::new(), 0, 0);
        for pair in pairs(other) {
            total += 1;
            let there = self.counts.get(&pair).copied().unwrap_or_default();
            let here = seen.entry(pair).or_default();
            if *here < there {
                common += 1;
            }
            *here += 1;
        }
        let all = u32::try_from(self.total + total).unwrap_or(u32::MAX).max(1);
        f64::from(common) * 2.0 / f64::from(all)
    }
}

fn pairs(text: &str) -> impl Iterator<Item = [u8; 2]> {
    text.as_bytes()
        .windows(2)
        .take(MAX_COMPARED)
        .filter_map(|pair| pair.try_into().ok())
}
