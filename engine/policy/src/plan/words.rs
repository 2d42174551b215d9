//! All command patterns as one automaton over the words of an argv.
//!
//! Matching walks the argv once: literal words are hash lookups, so that rules for other commands cost nothing, and ten thousand
//! rules for one program cost no more than ten. Words that are only partly known keep every state alive that they could reach,
//! marked as uncertain.

use engine_shell::{Count, Value};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

use super::paths::End;
use crate::pattern::{CommandPart, WordPattern, WordPiece};
use crate::truth::{Truth, word_says};

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Node {
    literals: FxHashMap<SmolStr, u32>,
    patterns: Vec<(WordPattern, u32)>,
    any: Option<u32>,
    /// Reached without a word: any number of words may follow there.
    rest: Option<u32>,
    /// Loops on every word.
    is_rest: bool,
    ends: Vec<End>,
}

/// Command patterns by their words.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct WordTrie {
    nodes: Vec<Node>,
}

/// One word of an argv as it is matched.
#[derive(Clone, Debug)]
pub(crate) struct ViewWord<'a> {
    /// Its value.
    pub value: &'a Value,
    /// How many words it stands for.
    pub count: Count,
    /// Further spellings that count as the same word (all names of an option).
    pub names: &'a [SmolStr],
    /// As written in the text.
    pub raw: &'a str,
}

type States = Vec<(u32, bool)>;

/// Ways that optional parts and choices of one pattern may be written out.
const MAX_WAYS: usize = 4096;

impl WordTrie {
    fn node(&self, at: u32) -> Option<&Node> {
        self.nodes.get(at as usize)
    }

    fn fresh(&mut self) -> u32 {
        self.nodes.push(Node::default());
        u32::try_from(self.nodes.len() - 1).unwrap_or(u32::MAX)
    }

    /// Adds a pattern: the program, then the parts. Fails if its choices make too many ways.
    pub(crate) fn insert(
        &mut self,
        program: &WordPattern,
        rest: &[CommandPart],
        end: End,
    ) -> Result<(), TooManyWays> {
        if self.nodes.is_empty() {
            self.fresh();
        }
        let mut heads = vec![0u32];
        self.extend(&mut heads, &CommandPart::Word(program.clone()))?;
        for part in rest {
            self.extend(&mut heads, part)?;
        }
        for at in heads {
            if let Some(node) = self.nodes.get_mut(at as usize)
                && !node.ends.contains(&end)
            {
                node.ends.push(end);
            }
        }
        Ok(())
    }

    fn extend(&mut self, heads: &mut Vec<u32>, part: &CommandPart) -> Result<(), TooManyWays> {
        match part {
            CommandPart::Word(word) => {
                let literals = spelled_out(word);
                let mut next = Vec::new();
                for &at in heads.iter() {
                    match &literals {
                        Some(texts) => next.extend(texts.iter().map(|text| self.literal(at, text))),
                        None => next.push(self.pattern(at, word)),
                    }
                }
                *heads = next;
            }
            CommandPart::Choice(choices) => {
                let mut next = Vec::new();
                for choice in choices {
                    let mut branch = heads.clone();
                    for inner in choice {
                        self.extend(&mut branch, inner)?;
                    }
                    next.extend(branch);
                }
                *heads = next;
            }
            CommandPart::Optional(parts) => {
                let mut branch = heads.clone();
                for inner in parts {
                    self.extend(&mut branch, inner)?;
                }
                heads.extend(branch);
            }
            CommandPart::AnyWords => {
                for at in heads.iter_mut() {
                    *at = self.rest(*at);
                }
            }
        }
        heads.sort_unstable();
        heads.dedup();
        if heads.len() > MAX_WAYS {
            Err(TooManyWays)
        } else {
            Ok(())
        }
    }

    fn literal(&mut self, at: u32, text: &SmolStr) -> u32 {
        if let Some(&to) = self.node(at).and_then(|node| node.literals.get(text)) {
            return to;
        }
        let to = self.fresh();
        if let Some(node) = self.nodes.get_mut(at as usize) {
            node.literals.insert(text.clone(), to);
        }
        to
    }

    fn pattern(&mut self, at: u32, word: &WordPattern) -> u32 {
        let known = self.node(at).and_then(|node| {
            if word.is_any() {
                node.any
            } else {
                node.patterns
                    .iter()
                    .find(|(own, _)| own == word)
                    .map(|&(_, to)| to)
            }
        });
        if let Some(to) = known {
            return to;
        }
        let to = self.fresh();
        if let Some(node) = self.nodes.get_mut(at as usize) {
            if word.is_any() {
                node.any = Some(to);
            } else {
                node.patterns.push((word.clone(), to));
            }
        }
        to
    }

    fn rest(&mut self, at: u32) -> u32 {
        let Some(node) = self.node(at) else { return at };
        if node.is_rest {
            return at;
        }
        if let Some(to) = node.rest {
            return to;
        }
        let to = self.fresh();
        if let Some(new) = self.nodes.get_mut(to as usize) {
            new.is_rest = true;
        }
        if let Some(node) = self.nodes.get_mut(at as usize) {
            node.rest = Some(to);
        }
        to
    }

    fn enter(&self, states: &mut States, at: u32, certain: bool) {
        match states.iter_mut().find(|(own, _)| *own == at) {
            Some((_, own)) => {
                if *own || !certain {
                    return;
                }
                *own = true;
            }
            None => states.push((at, certain)),
        }
        if let Some(rest) = self.node(at).and_then(|node| node.rest) {
            self.enter(states, rest, certain);
        }
    }

    /// Calls `hit` for each pattern that covers the words, with how certain that is.
    pub(crate) fn matches(&self, words: &[ViewWord<'_>], hit: &mut dyn FnMut(End, Truth)) {
        if self.nodes.is_empty() {
            return;
        }
        let mut states = States::new();
        self.enter(&mut states, 0, true);
        for word in words {
            let mut next = States::new();
            match word.count {
                Count::One => {
                    for &(at, certain) in &states {
                        self.advance(at, certain, word, &mut next);
                    }
                }
                Count::OneOrMore | Count::Any => self.repeat(&states, word, &mut next),
            }
            states = next;
            if states.is_empty() {
                return;
            }
        }
        for (at, certain) in states {
            for &end in self.node(at).map_or(&[][..], |node| &node.ends) {
                hit(end, if certain { Truth::Yes } else { Truth::Maybe });
            }
        }
    }

    /// A run of alike words: states in which any number of words stays are kept for certain, all others are uncertain.
    fn repeat(&self, states: &States, word: &ViewWord<'_>, next: &mut States) {
        for &(at, certain) in states {
            if self.node(at).is_some_and(|node| node.is_rest) {
                self.enter(next, at, certain);
            } else if word.count == Count::Any {
                self.enter(next, at, false);
            }
        }
        let mut frontier = states.clone();
        // Each round takes one more word; a trie is only as deep as its longest pattern, so this ends.
        while !frontier.is_empty() {
            let mut reached = States::new();
            for &(at, _) in &frontier {
                self.advance(at, false, word, &mut reached);
            }
            frontier.clear();
            for &(at, _) in &reached {
                if !next.iter().any(|(own, _)| *own == at) {
                    next.push((at, false));
                    frontier.push((at, false));
                }
            }
        }
    }

    fn advance(&self, at: u32, certain: bool, word: &ViewWord<'_>, next: &mut States) {
        let Some(node) = self.node(at) else { return };
        let alternatives = word.names.iter().map(SmolStr::as_str);
        match word.value {
            Value::Known(text) => {
                let mut texts = alternatives.chain([text.as_str()]);
                if !node.literals.is_empty() {
                    for text in texts.by_ref() {
                        if let Some(&to) = node.literals.get(text) {
                            self.enter(next, to, certain);
                        }
                    }
                }
            }
            value @ (Value::OneOf(_)
            | Value::Glob(_)
            | Value::Below(_)
            | Value::Affixed { .. }
            | Value::Integer
            | Value::Descriptor
            | Value::Unknown(_)) => {
                if let Some(&to) = node.literals.get(word.raw) {
                    // The rule spells the expansion itself (`make -j$(nproc)`): the same text.
                    self.enter(next, to, certain);
                }
                for (text, &to) in &node.literals {
                    if word_says(&WordPattern::exactly(text), value) != Truth::No {
                        self.enter(next, to, false);
                    }
                }
            }
        }
        for (pattern, to) in &node.patterns {
            let by_value = word_says(pattern, word.value);
            let by_name = word
                .names
                .iter()
                .any(|name| word_says(pattern, &Value::Known(name.clone())) == Truth::Yes);
            match if by_name { Truth::Yes } else { by_value } {
                Truth::No => {}
                Truth::Maybe => self.enter(next, *to, false),
                Truth::Yes => self.enter(next, *to, certain),
            }
        }
        if let Some(any) = node.any {
            self.enter(next, any, certain);
        }
        if node.is_rest {
            self.enter(next, at, certain);
        }
    }
}

/// A pattern whose choices make more ways than a plan may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TooManyWays;

/// The texts of a word pattern that is only text and choices of text, at most 64.
fn spelled_out(word: &WordPattern) -> Option<Vec<SmolStr>> {
    let mut texts = vec![String::new()];
    for piece in &word.pieces {
        match piece {
            WordPiece::Text(text) => texts.iter_mut().for_each(|own| own.push_str(text)),
            WordPiece::AnyText => return None,
            WordPiece::Choice(options) => {
                let tails: Vec<SmolStr> = options
                    .iter()
                    .map(spelled_out)
                    .collect::<Option<Vec<_>>>()?
                    .into_iter()
                    .flatten()
                    .collect();
                texts = texts
                    .iter()
                    .flat_map(|own| tails.iter().map(move |tail| format!("{own}{tail}")))
                    .collect();
                if texts.len() > 64 {
                    return None;
                }
            }
        }
    }
    Some(texts.into_iter().map(SmolStr::from).collect())
}
