//! All command patterns as one automaton over the words of an argv.
//!
//! Matching walks the argv once: literal words are hash lookups, so that rules for other commands cost nothing, and ten thousand
//! rules for one program cost no more than ten. Words that are only partly known keep every state alive that they could reach,
//! marked as uncertain.

use engine_shell::{Count, Value};
use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

use super::end::End;
use super::graph::{Draft, Graph, Hint, Hinted, Named, NodeId, Step};
use crate::pattern::{CommandPart, WordPattern, WordPiece};
use crate::truth::{Truth, word_says};

/// Command patterns as they are put in.
#[derive(Clone, Debug, Default)]
pub(crate) struct WordTrieDraft(Draft<WordPattern>);

impl Hinted for WordPattern {
    fn hint(&self) -> Hint {
        // A word may be known in part, which says nothing of its ends.
        Hint::Open
    }
}

/// Command patterns by their words.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(bound(deserialize = "'de: 'static"))]
pub(crate) struct WordTrie(Graph<WordPattern>);

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
    /// It is an option, the value of one, or the `--` that ends them.
    pub is_option: bool,
}

type States = Vec<(NodeId, bool)>;

/// Ways that optional parts and choices of one pattern may be written out.
const MAX_WAYS: usize = 4096;

impl WordTrieDraft {
    /// Adds a pattern: the program, then the parts. Fails if its choices make too many ways.
    pub(crate) fn insert(
        &mut self,
        program: &WordPattern,
        rest: &[CommandPart],
        end: End,
    ) -> Result<(), TooManyWays> {
        let mut heads = vec![0];
        self.extend(&mut heads, &CommandPart::Word(program.clone()))?;
        for part in rest {
            self.extend(&mut heads, part)?;
        }
        for at in heads {
            self.0.end(at, end);
        }
        Ok(())
    }

    fn extend(&mut self, heads: &mut Vec<NodeId>, part: &CommandPart) -> Result<(), TooManyWays> {
        match part {
            CommandPart::Word(word) => {
                let literals = spelled_out(word);
                let mut next = Vec::new();
                for &at in heads.iter() {
                    match &literals {
                        Some(texts) => {
                            next.extend(texts.iter().map(|text| self.0.step(at, &Step::Name(text))));
                        }
                        None if word.is_any() => next.push(self.0.step(at, &Step::Any)),
                        None => next.push(self.0.step(at, &Step::Pattern(word))),
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
                    *at = self.0.step(*at, &Step::Many);
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

    /// The trie for good; `None` if a pattern cannot be written.
    pub(crate) fn set(&self) -> Option<WordTrie> {
        self.0.set().map(WordTrie)
    }
}

impl WordTrie {
    fn enter(&self, states: &mut States, at: NodeId, certain: bool) {
        match states.iter_mut().find(|(own, _)| *own == at) {
            Some((_, own)) => {
                if *own || !certain {
                    return;
                }
                *own = true;
            }
            None => states.push((at, certain)),
        }
        if let Some(rest) = self.0.node(at).many() {
            self.enter(states, rest, certain);
        }
    }

    /// Calls `hit` for each pattern that covers the words, with how certain that is.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn matches(&self, words: &[ViewWord<'_>], hit: &mut dyn FnMut(End, Truth)) {
        if self.0.is_empty() {
            return;
        }
        let (mut states, mut next) = (States::new(), States::new());
        self.enter(&mut states, 0, true);
        for word in words {
            next.clear();
            match word.count {
                Count::One => {
                    for &(at, certain) in &states {
                        self.advance(at, certain, word, &mut next);
                    }
                }
                Count::OneOrMore | Count::Any => self.repeat(&states, word, &mut next),
            }
            std::mem::swap(&mut states, &mut next);
            if states.is_empty() {
                return;
            }
        }
        for (at, certain) in states {
            for end in self.0.ends(&self.0.node(at)) {
                hit(end, if certain { Truth::Yes } else { Truth::Maybe });
            }
        }
    }

    /// A run of alike words: states in which any number of words stays are kept for certain, all others are uncertain.
    fn repeat(&self, states: &States, word: &ViewWord<'_>, next: &mut States) {
        for &(at, certain) in states {
            if self.0.node(at).loops {
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

    fn advance(&self, at: NodeId, certain: bool, word: &ViewWord<'_>, next: &mut States) {
        let node = self.0.node(at);
        match word.value {
            Value::Known(text) => {
                let alternatives = word.names.iter().map(SmolStr::as_str);
                for text in alternatives.chain([text.as_str()]) {
                    for to in self.0.follow(at, Named::new(text)) {
                        self.enter(next, to, certain);
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
                // The rule may spell the expansion itself (`make -j$(nproc)`): the same text.
                for to in self.0.follow(at, Named::new(word.raw)) {
                    self.enter(next, to, certain);
                }
                for (text, to) in self.0.names(at) {
                    if word_says(&WordPattern::exactly(text), value) != Truth::No {
                        self.enter(next, to, false);
                    }
                }
            }
        }
        let Some(patterns) = self.0.patterns(&node) else {
            // They may be any.
            for to in node.below() {
                self.enter(next, to, false);
            }
            return;
        };
        for &(ref pattern, to) in patterns {
            let by_name = || {
                word.names
                    .iter()
                    .any(|name| word_says(pattern, &Value::Known(name.clone())) == Truth::Yes)
            };
            match word_says(pattern, word.value) {
                Truth::Yes => self.enter(next, to, certain),
                Truth::Maybe | Truth::No if by_name() => self.enter(next, to, certain),
                Truth::Maybe => self.enter(next, to, false),
                Truth::No => {}
            }
        }
        if let Some(any) = node.any() {
            self.enter(next, any, certain);
        }
        if node.loops {
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
