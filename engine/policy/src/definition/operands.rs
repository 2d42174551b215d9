//! Which operand is which, and which conditional blocks hold.
//!
//! Invariant (every place): where the number of words is not known, an operand counts for every place it could stand in.

use engine_shell::{Count, Span};
use smol_str::SmolStr;

use super::cut::{Given, Operand};
use super::model::{Arg, Block, Command, Own, Test, ValueEffect};
use super::partial::{equals, resembles};
use crate::truth::Truth;

/// Whether one of these options (canonical names) is given.
pub(super) fn truth_of_flags(given: &[Given<'_>], flags: &[SmolStr]) -> Truth {
    let mut truth = Truth::No;
    if given.is_empty() {
        return truth;
    }
    for name in flags {
        let mut one = Truth::No;
        for given in given {
            if given.flag.canonical() == name {
                one = one.max(if given.certain { Truth::Yes } else { Truth::Maybe });
            }
        }
        let taken_back = given
            .iter()
            .any(|given| given.flag.negates.as_ref() == Some(name));
        if one == Truth::Yes && taken_back {
            one = Truth::Maybe;
        }
        truth = truth.max(one);
    }
    truth
}

/// Whether a block holds.
pub(super) fn holds(block: &Block, given: &[Given<'_>], operands: &[Operand]) -> Truth {
    let mut truth = Truth::Yes;
    for test in &block.tests {
        if truth == Truth::No {
            break;
        }
        truth = truth.min(match test {
            Test::Flags(flags) => truth_of_flags(given, flags),
            Test::Operands { least, most } => count_is(operands, *least, *most),
            Test::Value { flags, words } => value_is(given, flags, words),
            Test::Operand { words, index, fold } => operand_is(operands, words, *index, *fold),
        });
    }
    if block.negated { truth.inverted() } else { truth }
}

fn count_is(operands: &[Operand], least: u32, most: Option<u32>) -> Truth {
    let (fewest, endless) = count(operands);
    let least = least as usize;
    let most = most.map_or(usize::MAX, |most| most as usize);
    let within = |number: usize| number >= least && number <= most;
    if !endless {
        return if within(fewest) { Truth::Yes } else { Truth::No };
    }
    if most == usize::MAX && fewest >= least {
        Truth::Yes
    } else if fewest > most {
        Truth::No
    } else {
        Truth::Maybe
    }
}

/// The fewest words these can be, and whether they can be more.
fn count(operands: &[Operand]) -> (usize, bool) {
    let mut fewest = 0;
    let mut endless = false;
    for operand in operands {
        fewest += usize::from(operand.field.count != Count::Any);
        endless |= operand.field.count != Count::One;
    }
    (fewest, endless)
}

/// Whether one of these options is given, and never with another value than these words.
fn value_is(given: &[Given<'_>], flags: &[SmolStr], words: &[SmolStr]) -> Truth {
    let values = given
        .iter()
        .filter(|given| flags.contains(given.flag.canonical()));
    values.fold(truth_of_flags(given, flags), |truth, given| {
        let is = match given.values.last() {
            Some((_, field)) if field.count == Count::One => words
                .iter()
                .fold(Truth::No, |truth, word| truth.max(equals(&field.value, word))),
            Some(_) => Truth::Maybe,
            None => Truth::No,
        };
        // An option that is only perhaps there says nothing for certain against it.
        truth.min(if given.certain { is } else { is.max(Truth::Maybe) })
    })
}

fn operand_is(operands: &[Operand], words: &[SmolStr], index: u32, fold: bool) -> Truth {
    let at = (index as usize).saturating_sub(1);
    let is = |operand: &Operand| {
        words.iter().fold(Truth::No, |truth, word| {
            truth.max(resembles(&operand.field.value, word, fold))
        })
    };
    let moved = operands
        .iter()
        .take(at + 1)
        .any(|operand| operand.field.count != Count::One);
    if moved {
        if operands.iter().any(|operand| is(operand).possible()) {
            return Truth::Maybe;
        }
        return Truth::No;
    }
    operands.get(at).map_or(Truth::No, is)
}

/// The option that brought an effect in.
#[derive(Clone, Debug)]
pub(super) struct Cause {
    pub(super) span: Span,
    pub(super) name: SmolStr,
    /// It stood before the subcommand.
    pub(super) set_aside: bool,
}

/// What a command does by itself, and the option that brought it in, if one did.
pub(super) type OwnEffect<'d> = (&'d Own, Option<Cause>);

/// Everything that a command does by itself here, with the option that brought it in, if one did.
pub(super) fn own_effects<'d>(
    chain: &[&'d Command],
    given: &[Given<'d>],
    operands: &[Operand],
) -> Vec<OwnEffect<'d>> {
    let mut out = Vec::new();
    for (at, command) in chain.iter().enumerate() {
        out.extend(command.own.iter().map(|own| (own, None)));
        // What a command says of its operands says nothing of those of a subcommand.
        let operands = (at + 1 == chain.len()).then_some(operands);
        block_effects(&command.blocks, given, operands, &mut out);
    }
    out
}

/// What the value of an option (canonical name) is in a block.
pub(super) type ValuesOf<'d> = &'d (SmolStr, Vec<ValueEffect>);

/// What the values of options are in the blocks that hold.
pub(super) fn values_besides<'d>(
    chain: &[&'d Command],
    given: &[Given<'d>],
    operands: &[Operand],
) -> Vec<ValuesOf<'d>> {
    let mut out = Vec::new();
    let mut open: Vec<&'d Block> = chain.iter().flat_map(|command| &command.blocks).collect();
    while let Some(block) = open.pop() {
        if holds(block, given, operands).possible() {
            out.extend(&block.values);
            open.extend(&block.blocks);
        }
    }
    out
}

fn block_effects<'d>(
    blocks: &'d [Block],
    given: &[Given<'d>],
    operands: Option<&[Operand]>,
    out: &mut Vec<OwnEffect<'d>>,
) {
    for block in blocks {
        let of_operands = block.tests.iter().any(|test| match test {
            Test::Operands { .. } | Test::Operand { .. } => true,
            Test::Flags(_) | Test::Value { .. } => false,
        });
        if operands.is_none() && of_operands {
            continue;
        }
        if !holds(block, given, operands.unwrap_or_default()).possible() {
            continue;
        }
        let cause = block
            .tests
            .iter()
            .filter(|_| !block.negated)
            .find_map(|test| match test {
                Test::Flags(flags) | Test::Value { flags, .. } => given
                    .iter()
                    .find(|given| flags.contains(given.flag.canonical()))
                    .map(|given| Cause {
                        span: given.span,
                        name: given.flag.canonical().clone(),
                        set_aside: given.set_aside,
                    }),
                Test::Operands { .. } | Test::Operand { .. } => None,
            });
        out.extend(block.own.iter().map(|own| (own, cause.clone())));
        block_effects(&block.blocks, given, operands, out);
    }
}

/// The operands of a command, each held against the places it could stand in.
#[derive(Debug)]
pub(super) struct OperandPlan<'d> {
    /// One for every list of operands that may hold.
    pub(super) lists: Vec<OperandList<'d>>,
}

/// Operands held against one list.
#[derive(Debug)]
pub(super) struct OperandList<'d> {
    pub(super) places: Vec<Place<'d>>,
    /// Indices of operands that no place explains.
    pub(super) unexplained: Vec<usize>,
    /// The number of words is not known, so that operands count for several places.
    pub(super) uncertain: bool,
}

/// One place in a list, with what may stand there.
#[derive(Debug)]
pub(super) struct Place<'d> {
    pub(super) arg: &'d Arg,
    /// Indices of operands.
    pub(super) operands: Vec<usize>,
    /// At least one word stands here for certain.
    pub(super) filled: bool,
}

impl<'d> OperandPlan<'d> {
    pub(super) fn new(command: &'d Command, given: &[Given<'d>], operands: &[Operand]) -> Self {
        let mut lists: Vec<&'d [Arg]> = Vec::new();
        chosen(&command.args, &command.blocks, given, operands, &mut lists);
        Self {
            lists: lists
                .into_iter()
                .map(|args| {
                    let args: Vec<&Arg> = args.iter().filter(|arg| applies(arg, given)).collect();
                    OperandList::new(&args, operands)
                })
                .collect(),
        }
    }

    /// Whether an operand begins a command line, so that what follows belongs to it.
    pub(super) fn command_line_has_begun(&self) -> bool {
        self.lists.iter().flat_map(|list| &list.places).any(|place| {
            !place.operands.is_empty()
                && place
                    .arg
                    .effects
                    .iter()
                    .any(|effect| effect.kind.takes_the_rest())
        })
    }
}

/// The lists of operands that hold: those of blocks instead of the ones outside.
fn chosen<'d>(
    outside: &'d [Arg],
    blocks: &'d [Block],
    given: &[Given<'d>],
    operands: &[Operand],
    out: &mut Vec<&'d [Arg]>,
) {
    let mut replaced = false;
    for block in blocks {
        let truth = holds(block, given, operands);
        if !truth.possible() {
            continue;
        }
        let before = out.len();
        chosen(&block.args, &block.blocks, given, operands, out);
        // A block without operands of its own says nothing about them.
        let says = out.iter().skip(before).any(|args| !args.is_empty());
        if says {
            replaced |= truth == Truth::Yes;
        } else {
            out.truncate(before);
        }
    }
    if !replaced {
        out.push(outside);
    }
}

/// Whether an operand is expected with these options.
fn applies(arg: &Arg, given: &[Given<'_>]) -> bool {
    let satisfied = |key: &SmolStr| {
        given
            .iter()
            .any(|given| given.flag.satisfies.as_ref() == Some(key))
    };
    arg.unless_given.as_ref().is_none_or(|key| !satisfied(key))
        && arg.when_given.as_ref().is_none_or(satisfied)
}

impl<'d> OperandList<'d> {
    fn new(args: &[&'d Arg], operands: &[Operand]) -> Self {
        let dashes = args.iter().any(|arg| arg.after_dashes);
        let mut list = Self {
            places: Vec::with_capacity(args.len()),
            unexplained: Vec::new(),
            uncertain: false,
        };
        if !dashes {
            let all: Vec<usize> = (0..operands.len()).collect();
            list.fill(args, &all, operands);
            return list;
        }
        for after in [false, true] {
            let args: Vec<&'d Arg> = args
                .iter()
                .copied()
                .filter(|arg| arg.after_dashes == after)
                .collect();
            let here: Vec<usize> = operands
                .iter()
                .enumerate()
                .filter(|(_, operand)| (dashes && operand.after_dashes) == after)
                .map(|(at, _)| at)
                .collect();
            list.fill(&args, &here, operands);
        }
        list
    }

    fn fill(&mut self, args: &[&'d Arg], here: &[usize], operands: &[Operand]) {
        let counts = || {
            here.iter()
                .filter_map(|at| operands.get(*at))
                .map(|operand| operand.field.count)
        };
        let sizes = sizes(args, counts().filter(|count| *count != Count::Any).count());
        if counts().all(|count| count == Count::One) {
            let mut words = here.iter().copied();
            for (arg, size) in args.iter().zip(sizes) {
                let taken: Vec<usize> = words.by_ref().take(size).collect();
                self.places.push(Place {
                    arg,
                    filled: !taken.is_empty(),
                    operands: taken,
                });
            }
            self.unexplained.extend(words);
            return;
        }
        let counts: Vec<Count> = counts().collect();
        self.uncertain = true;
        let variadic = args.iter().position(|arg| arg.variadic);
        let mut explained = vec![false; here.len()];
        for (place, (arg, size)) in args.iter().zip(sizes).enumerate() {
            let mut taken = Vec::new();
            for (index, at) in here.iter().enumerate() {
                let from_start = reach(&counts, index, false);
                let from_end = reach(&counts, index, true);
                let behind = args.len() - 1 - place;
                let fits = match variadic {
                    Some(middle) if place > middle => from_end.0 <= behind && behind <= from_end.1,
                    Some(middle) if place == middle => from_start.1 >= middle && from_end.1 >= behind,
                    // Optional places before may be left out.
                    Some(_) | None => {
                        let skipped = args.iter().take(place).filter(|arg| !arg.required).count();
                        from_start.0 <= place && from_start.1 >= place - skipped
                    }
                };
                if fits {
                    taken.push(*at);
                    if let Some(slot) = explained.get_mut(index) {
                        *slot = true;
                    }
                }
            }
            self.places.push(Place {
                arg,
                operands: taken,
                filled: size > 0,
            });
        }
        self.unexplained.extend(
            here.iter()
                .zip(explained)
                .filter(|(_, explained)| !explained)
                .map(|(at, _)| *at),
        );
    }
}

/// How far from the start (or the end) the words of one operand can stand: nearest and farthest.
fn reach(counts: &[Count], index: usize, backwards: bool) -> (usize, usize) {
    let before: Vec<Count> = if backwards {
        counts.iter().skip(index + 1).copied().collect()
    } else {
        counts.iter().take(index).copied().collect()
    };
    let nearest = before.iter().filter(|count| **count != Count::Any).count();
    let endless = before
        .iter()
        .chain(counts.get(index))
        .any(|count| *count != Count::One);
    (nearest, if endless { usize::MAX } else { nearest })
}

/// How many of `count` words each place takes. Needed ones come first, a variadic one takes what is over, and the places
/// after it take the last ones.
fn sizes(args: &[&Arg], count: usize) -> Vec<usize> {
    let needed = args.iter().filter(|arg| arg.required).count();
    let mut over = count.saturating_sub(needed);
    let mut left = count;
    let variadic = args.iter().position(|arg| arg.variadic);
    let kept = usize::from(args.iter().any(|arg| arg.variadic && arg.required));
    let mut out: Vec<usize> = args
        .iter()
        .enumerate()
        .map(|(place, arg)| {
            let size = if Some(place) == variadic {
                return 0;
            } else if arg.required {
                let behind = variadic.is_some_and(|variadic| place > variadic);
                usize::from(left > if behind { kept } else { 0 })
            } else if over > 0 {
                over -= 1;
                1
            } else {
                0
            };
            left -= size;
            size
        })
        .collect();
    if let Some(slot) = variadic.and_then(|place| out.get_mut(place)) {
        *slot = left;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{reach, sizes};
    use crate::definition::usage::parse_arg;
    use engine_shell::Count;

    fn check(args: &[&str], count: usize, expected: &[usize]) {
        let args: Vec<_> = args.iter().map(|arg| parse_arg(arg).unwrap()).collect();
        let args: Vec<_> = args.iter().collect();
        assert_eq!(sizes(&args, count), expected);
    }

    #[test]
    fn the_last_words_are_left_to_places_after_a_run() {
        check(&["<source>...", "<dest>"], 3, &[2, 1]);
        check(&["<source>...", "<dest>"], 1, &[1, 0]);
        check(&["<pattern>", "[file]..."], 3, &[1, 2]);
        check(&["[a]", "<b>"], 1, &[0, 1]);
        check(&["[a]", "<b>"], 2, &[1, 1]);
        check(&["[source]...", "[dest]"], 2, &[1, 1]);
        check(&["<a>"], 3, &[1]);
    }

    #[test]
    fn a_run_of_words_can_reach_everywhere_after_it() {
        let counts = [Count::One, Count::Any, Count::One];
        assert_eq!(reach(&counts, 0, false), (0, 0));
        assert_eq!(reach(&counts, 1, false), (1, usize::MAX));
        assert_eq!(reach(&counts, 2, false), (1, usize::MAX));
        assert_eq!(reach(&counts, 2, true), (0, 0));
    }
}
