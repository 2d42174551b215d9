//! Patterns of the short spelling that have a star inside: globs over the text of a whole command.
//!
//! They are kept by the literal first word, where they have one; a command is held only against its own program's and against
//! those without a literal first word.

use engine_shell::{Count, Value};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

use super::end::End;
use super::words::ViewWord;
use crate::pattern::{TextEnd, TextPattern, TextPiece};
use crate::truth::{Truth, Unit, covers, value_units};

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Entry {
    pattern: TextPattern,
    end: End,
}

/// Text patterns by their first word.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct TextIndex {
    by_program: FxHashMap<SmolStr, Vec<Entry>>,
    any_program: Vec<Entry>,
}

impl TextIndex {
    /// Adds one pattern.
    pub(crate) fn insert(&mut self, pattern: TextPattern, end: End) {
        let program = match pattern.pieces.first() {
            Some(TextPiece::Text(text)) => text.split_once(' ').map(|(first, _)| SmolStr::from(first)),
            Some(TextPiece::AnyText) | None => None,
        };
        let entry = Entry { pattern, end };
        match program {
            Some(program) => self.by_program.entry(program).or_default().push(entry),
            None => self.any_program.push(entry),
        }
    }

    /// Whether there is no pattern at all.
    pub(crate) fn is_empty(&self) -> bool {
        self.by_program.is_empty() && self.any_program.is_empty()
    }

    /// Calls `hit` for each pattern that covers the command, with how certain that is.
    pub(crate) fn matches(&self, words: &[ViewWord<'_>], hit: &mut dyn FnMut(End, Truth)) {
        if self.is_empty() {
            return;
        }
        let units = command_units(words);
        let program = words.first().and_then(|word| word.value.known());
        let own = match program {
            Some(program) => self.by_program.get(program).map_or(&[][..], Vec::as_slice),
            None => &[],
        };
        for entry in own.iter().chain(&self.any_program) {
            let truth = says(&entry.pattern, &units);
            if truth != Truth::No {
                hit(entry.end, truth);
            }
        }
        if program.is_none() {
            for entry in self.by_program.values().flatten() {
                if says(&entry.pattern, &units) != Truth::No {
                    hit(entry.end, Truth::Maybe);
                }
            }
        }
    }
}

fn command_units(words: &[ViewWord<'_>]) -> Vec<Unit<'static>> {
    let mut units = Vec::new();
    for (index, word) in words.iter().enumerate() {
        if word.count == Count::Any {
            // No word at all or any number: the blank before it is part of what is not known.
            units.push(Unit::Run);
            continue;
        }
        if index > 0 {
            units.push(Unit::Char(' '));
        }
        match word.value {
            Value::OneOf(_) => units.push(Unit::Run),
            value @ (Value::Known(_)
            | Value::Glob(_)
            | Value::Below(_)
            | Value::Affixed { .. }
            | Value::Integer
            | Value::Descriptor
            | Value::Unknown(_)) => units.extend(value_units(value)),
        }
        if word.count == Count::OneOrMore {
            units.push(Unit::Run);
        }
    }
    units
}

/// What a text pattern says of a command's text.
fn says(pattern: &TextPattern, text: &[Unit<'_>]) -> Truth {
    let mut units: Vec<Unit<'_>> = Vec::new();
    for piece in &pattern.pieces {
        match piece {
            TextPiece::Text(text) => units.extend(text.chars().map(Unit::Char)),
            TextPiece::AnyText => units.push(Unit::Run),
        }
    }
    match pattern.end {
        TextEnd::Exact => covers(&units, text),
        TextEnd::AnyWords => {
            let bare = covers(&units, text);
            units.extend([Unit::Char(' '), Unit::Run]);
            bare.max(covers(&units, text))
        }
    }
}
