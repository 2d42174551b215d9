//! Options in a command pattern count wherever they stand.
//!
//! A pattern lists words in the order in which somebody happened to type them: `rm -rf ...`. Where it takes something away (a rule that
//! forbids or asks, an exception of a rule that allows) the same command in another order or cut differently (`rm -f x -r`) is meant as
//! well. What an allow rule gives stays as it is written.
//!
//! Invariant (only more): what is made here is entered besides the pattern as written, never in its place.

use super::super::CompiledCondition;
use super::short::is_option;
use crate::pattern::{CommandPart, CommandPattern, FlagPattern, WordPattern, WordPiece};

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

/// A pattern that ends with `...` without its options, and these as conditions: it is held against the words that are no options.
/// `None` where it has none, or they are not told from other words.
pub(super) fn as_conditions(pattern: &CommandPattern) -> Option<(CommandPattern, Vec<CompiledCondition>)> {
    let mut conditions = Vec::new();
    let mut rest = Vec::new();
    for part in &pattern.rest {
        match part {
            // Behind `--` nothing is an option.
            CommandPart::Word(word) if word.literal() == Some("--") => return None,
            CommandPart::Word(word) => match options_of(word) {
                Some(names) => conditions.push(CompiledCondition::Flag(flags(&names)?)),
                None => rest.push(part.clone()),
            },
            // What may be left out is left out.
            CommandPart::Optional(parts) if parts.iter().all(is_option_part) => {}
            CommandPart::Choice(_) | CommandPart::Optional(_) if holds_option(part) => return None,
            CommandPart::Choice(_) | CommandPart::Optional(_) | CommandPart::AnyWords => {
                rest.push(part.clone());
            }
        }
    }
    let is_open = rest.last() == Some(&CommandPart::AnyWords);
    (is_open && !conditions.is_empty()).then(|| {
        let pattern = CommandPattern {
            rest,
            ..pattern.clone()
        };
        (pattern, conditions)
    })
}

/// Options as conditions read them, values after an equals sign apart.
fn flags(names: &[&str]) -> Option<Vec<FlagPattern>> {
    let one = |name: &&str| FlagPattern::parse(name).ok().map(|(flag, _)| flag);
    names.iter().map(one).collect()
}

fn is_option_part(part: &CommandPart) -> bool {
    matches!(part, CommandPart::Word(word) if options_of(word).is_some())
}

fn holds_option(part: &CommandPart) -> bool {
    match part {
        CommandPart::Word(_) => is_option_part(part),
        CommandPart::Choice(ways) => ways.iter().flatten().any(holds_option),
        CommandPart::Optional(parts) => parts.iter().any(holds_option),
        CommandPart::AnyWords => false,
    }
}

/// A pattern with its options at every place and in every order, bundles (`-rf`) also cut into their letters; `None` where these are too
/// many.
pub(super) fn in_any_order(pattern: &CommandPattern) -> Option<Vec<CommandPattern>> {
    let Some(Words { words, open }) = words_of(pattern) else {
        return Some(Vec::new());
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
                .flat_map(|order| (0..=order.len()).map(|at| with(order, at, option)))
                .collect();
            if orders.len() + ways.len() > MOST_WAYS {
                return None;
            }
        }
        ways.extend(orders);
    }
    let ways = ways.into_iter().map(|order| {
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
    });
    Some(ways.filter(|way| way.rest != pattern.rest).collect())
}

fn with(order: &[WordPattern], at: usize, option: &WordPattern) -> Vec<WordPattern> {
    let mut longer = order.to_vec();
    longer.insert(at, option.clone());
    longer
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
