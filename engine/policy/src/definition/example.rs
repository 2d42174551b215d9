//! Runs the examples that stand beside definitions.

use engine_shell::{Count, Field, Origin, Span, Spelling, Value};
use smol_str::SmolStr;

use super::apply::{ApplyContext, apply};
use super::model::{Claim, Definition, Example};
use super::partial::{affixed, join, texts};
use crate::effect::{EffectKind, Nested, PathUse, Use};

/// An example that does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExampleFailure {
    /// Byte offsets of the example in its file.
    pub span: (u32, u32),
    /// What was claimed and what is, one line.
    pub message: String,
}

/// Runs the examples of a definition: for each of them, in order, what does not hold.
#[must_use]
pub fn run_each_example(definition: &Definition) -> Vec<Option<String>> {
    definition
        .tests
        .iter()
        .map(|example| check(definition, example))
        .collect()
}

/// Runs the examples of a definition.
#[must_use]
pub fn run_examples(definition: &Definition) -> Vec<ExampleFailure> {
    definition
        .tests
        .iter()
        .filter_map(|example| {
            let message = check(definition, example)?;
            Some(ExampleFailure {
                span: example.span,
                message,
            })
        })
        .collect()
}

fn check(definition: &Definition, example: &Example) -> Option<String> {
    let words = fields(&example.command);
    let program = words.first().and_then(Field::known).unwrap_or_default();
    if !definition.names.iter().any(|name| name == program) {
        return Some(format!("`{program}` is not a name of this definition"));
    }
    let used = apply(definition, &words, &ApplyContext::default());
    let effects = used.effects.iter().map(|effect| &effect.kind);
    let found: Vec<String> = match example.claim {
        Claim::Reads => effects
            .filter_map(|kind| {
                if let EffectKind::Reads(path) = kind {
                    Some(shown_path(path))
                } else {
                    None
                }
            })
            .collect(),
        Claim::Writes => effects
            .filter_map(|kind| {
                if let EffectKind::Writes(path) = kind {
                    Some(shown_path(path))
                } else {
                    None
                }
            })
            .collect(),
        Claim::Deletes => effects
            .filter_map(|kind| {
                if let EffectKind::Deletes(path) = kind {
                    Some(shown_path(path))
                } else {
                    None
                }
            })
            .collect(),
        Claim::Connects => effects
            .filter_map(|kind| {
                if let EffectKind::Connects(Some(host)) = kind {
                    let shown = shown(host);
                    let whole = example.expected.iter().any(|expected| *expected == shown);
                    Some(if whole { shown } else { host_of(&shown).to_owned() })
                } else {
                    None
                }
            })
            .collect(),
        Claim::LoadsCode => effects
            .filter_map(|kind| {
                if let EffectKind::LoadsCode(what) = kind {
                    Some(shown(what))
                } else {
                    None
                }
            })
            .collect(),
        Claim::Runs => used.nested.iter().map(shown_nested).collect(),
        Claim::Nothing => {
            let nothing = used.effects.is_empty()
                && used.nested.is_empty()
                && used.unknowns.is_empty()
                && used.runs_stdin.is_none();
            return (!nothing).then(|| format!("`{}` does something: {}", example.command, summary(&used)));
        }
        Claim::Unknown => {
            let evaluates = effects
                .into_iter()
                .any(|kind| matches!(kind, EffectKind::Evaluates(_)));
            return (used.unknowns.is_empty() && !evaluates)
                .then(|| format!("`{}` is explained: {}", example.command, summary(&used)));
        }
        Claim::Known => {
            return (!used.unknowns.is_empty())
                .then(|| format!("`{}` is not explained: {}", example.command, summary(&used)));
        }
        Claim::Changes => {
            let changes = effects
                .into_iter()
                .any(|kind| matches!(kind, EffectKind::Changes { .. } | EffectKind::State(_)));
            return (!changes).then(|| format!("`{}` changes nothing: {}", example.command, summary(&used)));
        }
    };
    let sorted = |mut all: Vec<String>| {
        all.sort();
        all.dedup();
        all
    };
    let expected = sorted(example.expected.iter().map(SmolStr::to_string).collect());
    let found = sorted(found);
    (expected != found).then(|| {
        format!(
            "`{}`: expected {expected:?}, found {found:?}; {}",
            example.command,
            summary(&used)
        )
    })
}

fn shown(value: &Value) -> String {
    match value {
        Value::Known(text) | Value::Glob(text) => text.to_string(),
        Value::OneOf(all) => format!("{{{}}}", all.join(",")),
        Value::Below(_) => "{}".to_owned(),
        Value::Affixed { prefix, suffix } => format!("{prefix}{{}}{suffix}"),
        Value::Integer => "<integer>".to_owned(),
        Value::Descriptor => "<descriptor>".to_owned(),
        Value::Unknown(_) => "?".to_owned(),
    }
}

fn shown_path(path: &PathUse) -> String {
    match &path.below {
        Some(below) => shown(&join(below, &path.path)),
        None => shown(&path.path),
    }
}

fn shown_nested(nested: &Nested) -> String {
    match nested {
        Nested::Argv { words, .. } => {
            let words: Vec<String> = words
                .iter()
                // Words that come from standard input are not written in an example.
                .filter(|word| !(word.count == Count::Any && texts(&word.value).is_none()))
                .map(|word| match word.value {
                    Value::Unknown(Origin::Input) => "{}".to_owned(),
                    Value::Known(_)
                    | Value::OneOf(_)
                    | Value::Glob(_)
                    | Value::Below(_)
                    | Value::Affixed { .. }
                    | Value::Integer
                    | Value::Descriptor
                    | Value::Unknown(_) => shown(&word.value),
                })
                .collect();
            words.join(" ")
        }
        Nested::Shell { text, .. } => shown(&text.value),
    }
}

/// The host in a URL, `host:port` or `user@host:path`.
fn host_of(text: &str) -> &str {
    let rest = text.split_once("://").map_or(text, |(_, rest)| rest);
    let rest = rest.split(['/', '?', '#']).next().unwrap_or(rest);
    let rest = rest.rsplit('@').next().unwrap_or(rest);
    rest.split(':').next().unwrap_or(rest)
}

fn summary(used: &Use) -> String {
    let mut parts: Vec<String> = used
        .effects
        .iter()
        .map(|effect| match &effect.kind {
            EffectKind::Reads(path) => format!("reads {}", shown_path(path)),
            EffectKind::Writes(path) => format!("writes {}", shown_path(path)),
            EffectKind::Deletes(path) => format!("deletes {}", shown_path(path)),
            EffectKind::Connects(host) => {
                format!("connects {}", host.as_ref().map_or_else(String::new, shown))
            }
            EffectKind::SetsEnv { name, value } => format!("sets {}={}", shown(name), shown(value)),
            EffectKind::LoadsCode(what) => format!("loads {}", shown(what)),
            EffectKind::Evaluates(language) => format!("evaluates {language}"),
            EffectKind::State(what) => format!("state {what}"),
            EffectKind::Changes { destructive: false } => "changes something".to_owned(),
            EffectKind::Changes { destructive: true } => "destroys something".to_owned(),
            EffectKind::Privileged => "privileged".to_owned(),
            EffectKind::Background => "background".to_owned(),
            EffectKind::Interactive => "interactive".to_owned(),
            EffectKind::Consults { file, .. } => format!("consults {file}"),
        })
        .collect();
    parts.extend(
        used.nested
            .iter()
            .map(|nested| format!("runs {}", shown_nested(nested))),
    );
    parts.extend(
        used.unknowns
            .iter()
            .map(|unknown| format!("unknown: {}", unknown.why)),
    );
    if let Some(language) = &used.runs_stdin {
        parts.push(format!("runs standard input as {language}"));
    }
    if parts.is_empty() {
        "nothing found".to_owned()
    } else {
        parts.join(", ")
    }
}

/// Cuts the text of an example: quotes and backslashes as in a shell, `*` and `?` outside them make a pattern, `$NAME` is
/// unknown. Operators mean nothing here, so that `{} ;` can be written as it reaches the program.
pub(super) fn fields(text: &str) -> Vec<Field> {
    #[derive(Default)]
    struct Word {
        prefix: String,
        suffix: String,
        pattern: String,
        glob: bool,
        unknown: bool,
        splits: bool,
    }
    impl Word {
        fn push(&mut self, letter: char, wild: bool) {
            if self.unknown {
                self.suffix.push(letter);
            } else {
                self.prefix.push(letter);
            }
            if !wild && matches!(letter, '*' | '?' | '[' | ']' | '\\') {
                self.pattern.push('\\');
            }
            self.pattern.push(letter);
            self.glob |= wild;
        }
    }
    let mut out = Vec::new();
    let mut word: Option<(Word, usize)> = None;
    let mut quote: Option<char> = None;
    let mut rest = text.char_indices().peekable();
    while let Some((at, next)) = rest.next() {
        let blank = quote.is_none() && next.is_whitespace();
        if blank {
            if let Some((word, start)) = word.take() {
                out.push((word, start, at));
            }
            continue;
        }
        let (current, _) = word.get_or_insert_with(|| (Word::default(), at));
        match (quote, next) {
            (None, '\'' | '"') => quote = Some(next),
            (Some(open), _) if open == next => quote = None,
            (None, '\\') => {
                if let Some((_, escaped)) = rest.next() {
                    current.push(escaped, false);
                }
            }
            (Some('"'), '\\') => match rest.peek().copied() {
                Some((_, escaped @ ('$' | '`' | '"' | '\\'))) => {
                    rest.next();
                    current.push(escaped, false);
                }
                _ => current.push('\\', false),
            },
            (None | Some('"'), '$')
                if rest
                    .peek()
                    .is_some_and(|(_, letter)| letter.is_ascii_alphabetic() || *letter == '_') =>
            {
                while rest
                    .peek()
                    .is_some_and(|(_, letter)| letter.is_ascii_alphanumeric() || *letter == '_')
                {
                    rest.next();
                }
                current.suffix.clear();
                current.unknown = true;
                current.splits |= quote.is_none();
            }
            (None, '*' | '?') => current.push(next, true),
            _ => current.push(next, false),
        }
    }
    if let Some((word, start)) = word {
        out.push((word, start, text.len()));
    }
    out.into_iter()
        .map(|(word, start, end)| {
            let (value, count) = if word.splits {
                (Value::Unknown(Origin::Variable), Count::Any)
            } else if word.unknown {
                (
                    affixed(SmolStr::new(word.prefix), SmolStr::new(word.suffix)),
                    Count::One,
                )
            } else if word.glob {
                (Value::Glob(SmolStr::new(word.pattern)), Count::OneOrMore)
            } else {
                (Value::Known(SmolStr::new(word.prefix)), Count::One)
            };
            Field {
                value,
                count,
                span: Span::new(start, end),
                spelling: Spelling::default(),
            }
        })
        .collect()
}
