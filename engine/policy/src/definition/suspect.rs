//! Which options a partly known word could be, and whether that would matter.

use engine_shell::{Count, Field, Value};

use super::cut::{ANY_LONG, Cut};
use super::model::{Arg, Arity, Block, Command, Flag, Options, Own, Style, Test, ValueEffect, ValueKind};
use super::partial::{begins, ending, equals};
use crate::effect::{Unknown, UnknownKind};

/// A word that may begin with a dash.
pub(super) struct Suspect<'a> {
    field: &'a Field,
    /// It is the name of a file that is there, not any text.
    file_name: bool,
    /// The letters that a bundle would have to end with are all options without a value.
    tail_fits: bool,
}

impl<'a> Suspect<'a> {
    pub(super) fn new(field: &'a Field, command: &Command) -> Self {
        let file_name = match field.value {
            Value::Glob(_) | Value::Below(_) => true,
            Value::Known(_)
            | Value::OneOf(_)
            | Value::Affixed { .. }
            | Value::Integer
            | Value::Descriptor
            | Value::Unknown(_) => false,
        };
        let tail_fits = ending(&field.value).chars().all(|letter| {
            let mut buffer = [0_u8; 4];
            let letter: &str = letter.encode_utf8(&mut buffer);
            command.flags.iter().any(|flag| {
                flag.names
                    .iter()
                    .any(|name| name.strip_prefix('-') == Some(letter))
            })
        });
        Self {
            field,
            file_name,
            tail_fits,
        }
    }
}

/// The unknown that a word is if it could be an option that matters.
pub(super) fn suspicion(suspect: &Suspect<'_>, cut: &Cut<'_>) -> Option<Unknown> {
    let command = cut.current();
    let options = command.options;
    let value = &suspect.field.value;
    let dash = begins(value, "-").possible();
    let plus = options.plus && begins(value, "+").possible();
    let bare = options.style == Style::SingleDashWords;
    if !dash && !plus && !bare {
        return None;
    }
    let shown = shown(suspect.field);
    let unknown = |why: String| {
        let kind = match suspect.field.count {
            Count::One => UnknownKind::MaybeOption,
            Count::OneOrMore | Count::Any if suspect.file_name => UnknownKind::MaybeOption,
            Count::OneOrMore | Count::Any => UnknownKind::Option,
        };
        Some(Unknown {
            kind,
            why,
            span: suspect.field.span,
        })
    };
    let attaches = |flag: &Flag| match flag.arity {
        Arity::Next | Arity::Optional | Arity::Words => flag.names.iter().any(|name| is_short(name)),
        Arity::None | Arity::Glued => false,
    };
    let any_attaches = options.bundling && cut.flags().any(attaches);
    let mut possible = cut
        .flags()
        .filter(|flag| could_be(suspect, flag, options, any_attaches))
        .peekable();
    if command.operands_run
        && let Some(flag) = possible.peek()
    {
        // Even an inert option would make another word the program.
        return Some(Unknown {
            kind: UnknownKind::Program,
            why: format!(
                "{shown} may be the option `{}`, and then another word is the program",
                flag.canonical()
            ),
            span: suspect.field.span,
        });
    }
    let harmful = possible.find(|flag| matters(flag, &cut.chain, suspect.file_name));
    if let Some(flag) = harmful {
        return unknown(format!("{shown} may be the option `{}`", flag.canonical()));
    }
    // Options that are not listed could do anything; a file name is then no worse than the rest of the definition.
    if !command.complete && dash && !suspect.file_name {
        return unknown(format!("{shown} may be an option"));
    }
    None
}

fn shown(field: &Field) -> String {
    match &field.value {
        Value::Known(text) | Value::Glob(text) => format!("`{text}`"),
        Value::Affixed { prefix, suffix } => format!("`{prefix}...{suffix}`"),
        Value::OneOf(_) | Value::Below(_) | Value::Integer | Value::Descriptor | Value::Unknown(_) => {
            "a word that is not known".to_owned()
        }
    }
}

fn is_short(name: &str) -> bool {
    name.strip_prefix('-')
        .is_some_and(|rest| !rest.starts_with('-') && rest.chars().count() == 1)
}

fn could_be(suspect: &Suspect<'_>, flag: &Flag, options: Options, any_attaches: bool) -> bool {
    let value = &suspect.field.value;
    let takes_value = match flag.arity {
        Arity::None => false,
        Arity::Next | Arity::Optional | Arity::Glued | Arity::Words => true,
    };
    flag.names.iter().any(|name| {
        if equals(value, name).possible() || (name == ANY_LONG && begins(value, "--").possible()) {
            return true;
        }
        if flag.arity == Arity::Glued {
            return begins(value, name).possible();
        }
        let with_value = |name: &str| {
            let mut text = name.to_owned();
            text.push('=');
            takes_value && begins(value, &text).possible()
        };
        match options.style {
            Style::None => false,
            Style::SingleDashWords | Style::Dd => options.equals && with_value(name),
            Style::Gnu | Style::Tar if is_short(name) => {
                begins(value, name).possible() && (takes_value || any_attaches || suspect.tail_fits)
            }
            Style::Gnu | Style::Tar => {
                with_value(name)
                    || (options.abbreviations
                        && name
                            .char_indices()
                            .skip(3)
                            .filter_map(|(at, _)| name.get(..at))
                            .any(|part| equals(value, part).possible() || with_value(part)))
            }
        }
    })
}

/// Whether giving the flag does more than read files.
fn matters(flag: &Flag, chain: &[&Command], file_name: bool) -> bool {
    flag.own.iter().any(|own| own_matters(own, file_name))
        || flag
            .values
            .iter()
            .flat_map(|value| &value.effects)
            .any(|effect| effect_matters(effect, file_name))
        || chain
            .iter()
            .any(|command| blocks_matter(&command.blocks, flag, file_name, false))
}

fn blocks_matter(blocks: &[Block], flag: &Flag, file_name: bool, inside: bool) -> bool {
    blocks.iter().any(|block| {
        let holds = inside
            || block.tests.iter().any(|test| match test {
                Test::Flags(names) => !block.negated && names.contains(flag.canonical()),
                // Another value of the option can make either kind of block hold.
                Test::Value { flags, .. } => flags.contains(flag.canonical()),
                Test::Operands { .. } | Test::Operand { .. } => false,
            });
        (holds
            && (block.own.iter().any(|own| own_matters(own, file_name))
                || block.args.iter().any(|arg| arg_matters(arg, file_name))
                || block
                    .values
                    .iter()
                    .flat_map(|(_, effects)| effects)
                    .any(|effect| effect_matters(effect, file_name))))
            || blocks_matter(&block.blocks, flag, file_name, holds)
    })
}

fn arg_matters(arg: &Arg, file_name: bool) -> bool {
    arg.effects.iter().any(|effect| effect_matters(effect, file_name))
}

fn own_matters(own: &Own, file_name: bool) -> bool {
    match own {
        Own::ReadsListed(_) | Own::ReadsAmong(_) => !file_name,
        Own::ReadsStdin
        | Own::Narrows(_)
        | Own::PrintsPaths { .. }
        | Own::Reads { .. }
        | Own::Warns { .. } => false,
        Own::Changes { .. }
        | Own::Network
        | Own::Privileged
        | Own::Background
        | Own::Interactive
        | Own::RunsStdin(_)
        | Own::State(_)
        | Own::Unknown(_)
        | Own::WritesListed(_)
        | Own::Consults { .. }
        | Own::Writes { .. }
        | Own::Evaluates(_)
        | Own::RunsDefault(_) => true,
    }
}

fn effect_matters(effect: &ValueEffect, file_name: bool) -> bool {
    if matches!(effect.kind, ValueKind::Reads | ValueKind::ReadsTree) {
        // A text that anyone may choose could name any file; names of files that are there are what is read anyway.
        return !file_name;
    }
    effect.kind.acts() || matches!(effect.kind, ValueKind::ChangesDirectory { .. })
}
