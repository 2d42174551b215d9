//! Puts a rule in the short form for commands into the plan: its text is words, a beginning, or a text with wildcards.
//!
//! Invariant (no narrower when it forbids): the options of a rule that forbids count wherever they stand.

use smol_str::SmolStr;

use super::super::end::End;
use super::super::{CompiledCondition, GroupId, PlanRule};
use super::Compiler;
use crate::document::Outcome;
use crate::pattern::{
    CommandPart, CommandPattern, ProgramPattern, TextEnd, TextPattern, TextPiece, WordPattern, WordPiece,
};
use crate::source::Place;

impl Compiler<'_> {
    pub(super) fn text_rule(&mut self, mut rule: PlanRule, pattern: &TextPattern, place: Place) {
        rule.environment.clone_from(&pattern.environment);
        rule.everything = pattern.is_every();
        if let [TextPiece::Text(text)] = pattern.pieces.as_slice() {
            let words: Vec<&str> = text.split(' ').map(unquote).collect();
            rule.options.extend(
                words
                    .iter()
                    .filter(|word| word.starts_with('-'))
                    .map(|word| SmolStr::from(*word)),
            );
            let strict = rule.outcome != Outcome::Allow && pattern.end == TextEnd::AnyWords;
            if strict && let Some((program, rest)) = words.split_first() {
                let words = rest
                    .iter()
                    .map(|word| CommandPart::Word(WordPattern::exactly(word)));
                let whole = CommandPattern {
                    text: rule.pattern.clone(),
                    programs: vec![ProgramPattern::Name(WordPattern::exactly(program))],
                    rest: words.chain([CommandPart::AnyWords]).collect(),
                };
                self.options_anywhere(&rule, &whole, place, &[]);
            }
            // `npm run test:*` also means the scripts `test:unit`, and `http://localhost:*` any port.
            if let Some((last, before)) = words.split_last()
                && !before.is_empty()
                && !is_option(last)
                && rule.pattern.ends_with(":*)")
            {
                let mut colon = rule.clone();
                colon
                    .conditions
                    .push(CompiledCondition::GoesOn(format!("{last}:").into()));
                let mut parts: Vec<CommandPart> = before
                    .iter()
                    .skip(1)
                    .map(|word| CommandPart::Word(WordPattern::exactly(word)))
                    .collect();
                let text = WordPiece::Text(format!("{last}:").into());
                parts.push(CommandPart::Word(WordPattern {
                    pieces: vec![text, WordPiece::AnyText],
                }));
                parts.push(CommandPart::AnyWords);
                let program = WordPattern::exactly(before.first().copied().unwrap_or_default());
                let id = self.group(colon);
                self.words(&program, &parts, id, place);
            }
            self.word_rule(rule, &words, pattern.end, place);
            return;
        }
        if rule.everything {
            let id = self.group(rule);
            let any = WordPattern {
                pieces: vec![WordPiece::AnyText],
            };
            let end = End::of(id);
            // Cannot be too large: one way.
            let _one_way = self.indexes.commands.insert(&any, &[CommandPart::AnyWords], end);
            return;
        }
        rule.names_program = match pattern.pieces.first() {
            Some(TextPiece::Text(text)) => text.contains(' '),
            Some(TextPiece::AnyText) | None => false,
        };
        for piece in &pattern.pieces {
            if let TextPiece::Text(text) = piece {
                let words = text
                    .split(' ')
                    .filter(|word| word.starts_with('-') && word.len() > 1);
                rule.options.extend(words.map(SmolStr::from));
            }
        }
        let id = self.group(rule);
        self.plan.texts.insert(pattern.clone(), End::of(id));
    }

    fn word_rule(&mut self, rule: PlanRule, words: &[&str], end_of_text: TextEnd, place: Place) {
        let id = self.group(rule);
        let Some((program, rest)) = words.split_first() else {
            return;
        };
        let mut parts: Vec<CommandPart> = rest
            .iter()
            .map(|word| CommandPart::Word(WordPattern::exactly(word)))
            .collect();
        if end_of_text == TextEnd::AnyWords {
            parts.push(CommandPart::AnyWords);
        }
        self.words(&WordPattern::exactly(program), &parts, id, place);
    }

    fn words(&mut self, program: &WordPattern, parts: &[CommandPart], id: GroupId, place: Place) {
        if self.indexes.commands.insert(program, parts, End::of(id)).is_err() {
            self.problem(
                "policy::pattern-too-large",
                "the rule stands for too many commands".to_owned(),
                place,
                None,
            );
        }
    }
}

pub(super) fn is_option(word: &str) -> bool {
    word.starts_with('-') && word.len() > 1 && word != "--"
}

/// A word of a short rule that is quoted as a whole means what is inside.
fn unquote(word: &str) -> &str {
    for quote in ['\'', '"'] {
        if let Some(inner) = word.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote)) {
            return inner;
        }
    }
    word
}
