//! Options in a command pattern count wherever they stand.
//!
//! A pattern lists words in the order in which somebody happened to type them: `rm -rf ...`. Where it takes something away (a rule that
//! forbids or asks, an exception of a rule that allows) the same command in another order or cut differently (`rm -f x -r`) is meant as
//! well. What an allow rule gives stays as it is written.
//!
//! Invariant (only more): what is made here is entered besides the pattern as written, never in its place.

use super::super::CompiledCondition;
use super::short::is_option;
use crate::pattern::{CommandPart, CommandPattern, FlagPattern, Glob, WordPattern, WordPiece};

/// Most ways that one pattern is entered in.
const MOST_WAYS: usize = 120;

/// The words of a pattern that is nothing but words, maybe with `...` at its end.
struct Words<'p> {
    words: Vec<&'p WordPattern>,
    open: bool,
}

fn words_of(pattern: &CommandPattern) -> Option<Words<'_>> {
    let (open, parts) = match pattern.rest.as_slice() {
        [parts @ .., CommandPart::AnyWords] => (true, parts),
        parts => (false, parts),
    };
    let words: Vec<&WordPattern> = parts
        .iter()
        .map(|part| match part {
            CommandPart::Word(word) => Some(word),
            CommandPart::Choice(_) | CommandPart::Optional(_) | CommandPart::AnyWords => None,
        })
        .collect::<Option<_>>()?;
    // Behind `--` nothing is an option.
    let ends_options = words.iter().any(|word| word.literal() == Some("--"));
    let some = words.iter().any(|word| options_of(word).is_some());
    (some && !ends_options).then_some(Words { words, open })
}

/// The options that a word of a pattern is, any of them; `None` where it is something else.
fn options_of(word: &WordPattern) -> Option<Vec<&str>> {
    let names: Vec<&str> = match word.pieces.as_slice() {
        [WordPiece::Choice(ways)] => ways.iter().map(WordPattern::literal).collect::<Option<_>>()?,
        _ => vec![word.literal()?],
    };
    names.iter().all(|name| is_option(name)).then_some(names)
}

/// A pattern that ends with `...` without its options, and these as conditions.
pub(super) fn as_conditions(pattern: &CommandPattern) -> Option<(CommandPattern, Vec<CompiledCondition>)> {
    let Words { words, open: true } = words_of(pattern)? else {
        return None;
    };
    let mut conditions = Vec::new();
    let mut rest = Vec::new();
    for word in words {
        match options_of(word) {
            Some(names) => {
                let flag = |name: &str| FlagPattern {
                    name: Glob::exactly(name),
                    value: None,
                };
                conditions.push(CompiledCondition::Flag(names.into_iter().map(flag).collect()));
            }
            None => {
                // The first word is a subcommand or an operand; between later ones options may stand.
                if !rest.is_empty() {
                    rest.push(CommandPart::AnyWords);
                }
                rest.push(CommandPart::Word(word.clone()));
            }
        }
    }
    rest.push(CommandPart::AnyWords);
    Some((
        CommandPattern {
            rest,
            ..pattern.clone()
        },
        conditions,
    ))
}

/// A pattern with its options at every place and in every order, bundles (`-rf`) also cut into their letters. None where these are too
/// many.
pub(super) fn in_any_order(pattern: &CommandPattern) -> Vec<CommandPattern> {
    let Some(Words { words, open }) = words_of(pattern) else {
        return Vec::new();
    };
    let whole: Vec<WordPattern> = words.into_iter().cloned().collect();
    let cut: Vec<WordPattern> = whole.iter().flat_map(letters).collect();
    let mut ways = Vec::new();
    for words in if cut == whole {
        vec![whole]
    } else {
        vec![whole, cut]
    } {
        let (options, others): (Vec<_>, Vec<_>) =
            words.into_iter().partition(|word| options_of(word).is_some());
        let mut orders = vec![others];
        for option in &options {
            orders = orders
                .iter()
                .flat_map(|order| {
                    (0..=order.len()).map(|at| {
                        let mut longer = order.clone();
                        longer.insert(at, option.clone());
                        longer
                    })
                })
                .collect();
            if orders.len() + ways.len() > MOST_WAYS {
                return Vec::new();
            }
        }
        ways.extend(orders);
    }
    ways.into_iter()
        .map(|order| {
            let mut rest = Vec::new();
            for word in order {
                // What else the command is given may stand before an option.
                if open && options_of(&word).is_some() {
                    rest.push(CommandPart::AnyWords);
                }
                rest.push(CommandPart::Word(word));
            }
            if open {
                rest.push(CommandPart::AnyWords);
            }
            CommandPattern {
                rest,
                ..pattern.clone()
            }
        })
        .filter(|way| way.rest != pattern.rest)
        .collect()
}

/// The options of a bundle, each a word; any other word is itself.
fn letters(word: &WordPattern) -> Vec<WordPattern> {
    let bundle = word
        .literal()
        .and_then(|text| text.strip_prefix('-'))
        .filter(|letters| letters.len() > 1 && letters.bytes().all(|byte| byte.is_ascii_alphanumeric()));
    match bundle {
        Some(letters) => letters
            .chars()
            .map(|letter| WordPattern::exactly(&format!("-{letter}")))
            .collect(),
        None => vec![word.clone()],
    }
}
