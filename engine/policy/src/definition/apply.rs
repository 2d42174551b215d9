//! Holds an argv against the definition of its program.
//!
//! Invariant (every alternative): a word that may be one of several texts is tried as each of them wherever that could
//! change how the words are cut.

use engine_shell::{Count, Field, Span, Value};
use smol_str::SmolStr;

use super::cut::cut;
use super::model::{Definition, Style, Subcommand};
use super::partial::one_of;
use super::touch::touch;
use crate::effect::{EffectKind, Unknown, UnknownKind, Use, WordKind};

/// Most argvs that alternatives are multiplied out to.
const ALTERNATIVES: usize = 16;

/// What is known about the surroundings of a command.
#[derive(Clone, Debug, Default)]
pub struct ApplyContext {
    /// What each path is that comes on standard input, if paths come there.
    pub stdin_paths: Option<Value>,
    /// The text on standard input, if it is known exactly.
    pub stdin_text: Option<SmolStr>,
    /// What comes on standard input is not known, and somebody put it there.
    pub stdin_may_be_any: bool,
}

/// What a command does; `words` begins with the program. Alternatives are merged into one: where they are cut in different
/// ways the use is unknown, but every effect is there.
#[must_use]
pub fn apply(definition: &Definition, words: &[Field], context: &ApplyContext) -> Use {
    let mut uses = apply_each(definition, words, context).into_iter();
    let mut merged = uses
        .next()
        .unwrap_or_else(|| touch(cut(definition, words), context));
    for other in uses {
        merge(&mut merged, other);
    }
    merged
}

/// How a program says of itself that its words are read: as they stand, and with the subcommand that it takes them for where the
/// first operand is none.
pub(crate) fn apply_published(definition: &Definition, words: &[Field]) -> Vec<Use> {
    let context = ApplyContext::default();
    let plain = apply(definition, words, &context);
    let at = definition
        .default_subcommand
        .as_ref()
        .filter(|_| plain.command.len() == 1)
        .and_then(|name| {
            let operand = plain.words.iter().find(|word| word.kind == WordKind::Operand)?;
            let at = words.iter().position(|field| field.span == operand.field.span)?;
            Some((at, name))
        });
    let Some((at, name)) = at else {
        return vec![plain];
    };
    let mut meant = words.to_vec();
    let span = words.get(at).map_or_else(Span::default, |field| field.span);
    meant.insert(at, Field::literal(name.clone(), span));
    vec![plain, apply(definition, &meant, &context)]
}

/// What a command does, one use for each alternative of its words.
#[must_use]
pub fn apply_each(definition: &Definition, words: &[Field], context: &ApplyContext) -> Vec<Use> {
    if let Some(used) = alone(definition, words, context) {
        return vec![used];
    }
    let choices = |field: &Field| match &field.value {
        Value::OneOf(all) if field.count == Count::One => all.len(),
        Value::OneOf(_)
        | Value::Known(_)
        | Value::Glob(_)
        | Value::Below(_)
        | Value::Affixed { .. }
        | Value::Integer
        | Value::Descriptor
        | Value::Unknown(_) => 1,
    };
    let product = words
        .iter()
        .skip(1)
        .try_fold(1_usize, |product, field| product.checked_mul(choices(field)))
        .unwrap_or(usize::MAX);
    if product == 1 || !alternatives_matter(definition, words) {
        return vec![touch(cut(definition, words), context)];
    }
    if product > ALTERNATIVES {
        let mut only = touch(cut(definition, words), context);
        let span = words.first().map_or_else(Span::default, |field| field.span);
        only.unknowns.push(Unknown {
            kind: UnknownKind::Option,
            why: "the words may be too many different ones".to_owned(),
            span,
        });
        return vec![only];
    }
    (0..product)
        .map(|number| {
            let mut number = number;
            let chosen: Vec<Field> = words
                .iter()
                .enumerate()
                .map(|(at, field)| match &field.value {
                    Value::OneOf(all) if at > 0 && field.count == Count::One => {
                        let text = all.get(number % all.len()).cloned().unwrap_or_default();
                        number /= all.len();
                        Field {
                            value: Value::Known(text),
                            ..field.clone()
                        }
                    }
                    Value::OneOf(_)
                    | Value::Known(_)
                    | Value::Glob(_)
                    | Value::Below(_)
                    | Value::Affixed { .. }
                    | Value::Integer
                    | Value::Descriptor
                    | Value::Unknown(_) => field.clone(),
                })
                .collect();
            touch(cut(definition, &chosen), context)
        })
        .collect()
}

/// What a command does with words that do nothing where they are all the words there are.
fn alone(definition: &Definition, words: &[Field], context: &ApplyContext) -> Option<Use> {
    if definition.alone.is_empty() {
        return None;
    }
    let texts: Option<Vec<&str>> = words
        .iter()
        .skip(1)
        .map(|field| {
            field
                .known()
                .filter(|text| field.count == Count::One && !text.contains(' '))
        })
        .collect();
    let line = texts?.join(" ");
    let mut named = definition
        .alone
        .iter()
        .filter(|alone| {
            alone.words == line || (alone.in_commands && in_commands(definition, &line, &alone.words))
        })
        .peekable();
    named.peek()?;
    let cut = cut(definition, words);
    let fits = named.any(|alone| alone.of.is_empty() || alone.of.contains(&cut.program));
    fits.then(|| {
        let all = touch(cut, context);
        Use {
            // A file of the project can say which program answers at all.
            effects: all
                .effects
                .iter()
                .filter(|effect| matches!(effect.kind, EffectKind::Consults { .. }))
                .cloned()
                .collect(),
            nested: Vec::new(),
            unknowns: Vec::new(),
            complete: true,
            wrapper: false,
            prints_paths: None,
            runs_stdin: None,
            warnings: Vec::new(),
            ..all
        }
    })
}

/// Whether a line is the names of subcommands with these words after them. What a subcommand with words of any kind does with
/// them is not said by the program.
fn in_commands(definition: &Definition, line: &str, words: &str) -> bool {
    let Some(names) = line
        .strip_suffix(words)
        .and_then(|before| before.strip_suffix(' '))
    else {
        return false;
    };
    let mut command = &definition.command;
    for name in names.split(' ') {
        let found = command
            .commands
            .iter()
            .find(|inner| inner.name == name || inner.aliases.iter().any(|alias| alias == name));
        match found.and_then(Subcommand::command) {
            Some(inner) if inner.options.style != Style::None => command = inner,
            Some(_) | None => return false,
        }
    }
    true
}

/// Whether the texts a word may be could change how the words are cut.
fn alternatives_matter(definition: &Definition, words: &[Field]) -> bool {
    let command = &definition.command;
    if !command.commands.is_empty() || command.operands_run || command.options.style != Style::Gnu {
        return true;
    }
    words.iter().skip(1).any(|field| match &field.value {
        Value::OneOf(all) => all.iter().any(|text| text.starts_with(['-', '+'])),
        Value::Known(_)
        | Value::Glob(_)
        | Value::Below(_)
        | Value::Affixed { .. }
        | Value::Integer
        | Value::Descriptor
        | Value::Unknown(_) => false,
    })
}

fn merge(into: &mut Use, other: Use) {
    let alike = into.words.len() == other.words.len()
        && into
            .words
            .iter()
            .zip(&other.words)
            .all(|(one, two)| one.kind == two.kind && one.names == two.names);
    if alike && into.command == other.command {
        for (one, two) in into.words.iter_mut().zip(other.words) {
            if one.field.value != two.field.value {
                let both = [&one.field.value, &two.field.value];
                let texts = both.into_iter().filter_map(super::partial::texts).flatten();
                one.field.value = one_of(texts.cloned());
            }
        }
    } else {
        let kind = if into.command == other.command {
            UnknownKind::Option
        } else {
            UnknownKind::Subcommand
        };
        let span = other
            .words
            .iter()
            .fold(Span::default(), |span, word| span.to(word.field.span));
        into.unknowns.push(Unknown {
            kind,
            why: "the words may be different options or subcommands".to_owned(),
            span,
        });
    }
    for effect in other.effects {
        if !into.effects.contains(&effect) {
            into.effects.push(effect);
        }
    }
    for nested in other.nested {
        if !into.nested.contains(&nested) {
            into.nested.push(nested);
        }
    }
    for unknown in other.unknowns {
        if !into.unknowns.contains(&unknown) {
            into.unknowns.push(unknown);
        }
    }
    for warning in other.warnings {
        if !into.warnings.contains(&warning) {
            into.warnings.push(warning);
        }
    }
    into.complete &= other.complete;
    into.wrapper |= other.wrapper;
    if into.prints_paths != other.prints_paths {
        into.prints_paths = None;
    }
    into.reads_stdin |= other.reads_stdin;
    if into.runs_stdin.is_none() {
        into.runs_stdin = other.runs_stdin;
    }
    if into.class != other.class {
        into.class = None;
    }
}
