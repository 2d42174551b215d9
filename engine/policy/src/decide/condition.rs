//! Conditions of rules beside their pattern: options, operands, variables, directories, pipelines.

use engine_shell::{Count, Field, Invocation, Value};
use smol_str::SmolStr;

use super::Decider;
use super::command::Running;
use crate::effect::{EffectKind, EffectSource, UnknownKind, Use, WordKind};
use crate::pattern::{EnvironmentPattern, FlagPattern, Glob, GlobPiece, ProgramPattern};
use crate::plan::{CompiledCondition, GroupId};
use crate::resolve::Target;
use crate::truth::{Truth, glob_says, word_says};

impl Decider<'_> {
    /// Whether everything beside the pattern holds.
    pub(super) fn conditions(&self, group: GroupId, running: &Running<'_>, usage: Option<&Use>) -> Truth {
        let Some(rule) = self.plan.rule_of(group) else {
            return Truth::No;
        };
        let mut truth = Truth::Yes;
        for pattern in &rule.environment {
            truth = truth.min(set_in(&running.settings, pattern));
        }
        for condition in &rule.conditions {
            truth = truth.min(self.condition(condition, running, usage));
        }
        truth
    }

    pub(super) fn condition(
        &self,
        condition: &CompiledCondition,
        running: &Running<'_>,
        usage: Option<&Use>,
    ) -> Truth {
        let invocation = running.invocation;
        match condition {
            CompiledCondition::Flag(flags) => flags
                .iter()
                .map(|flag| given(flag, invocation, usage))
                .max()
                .unwrap_or(Truth::No),
            CompiledCondition::WithoutFlag(flags) => flags
                .iter()
                .map(|flag| given(flag, invocation, usage))
                .max()
                .unwrap_or(Truth::No)
                .inverted(),
            CompiledCondition::OperandsWithin(index) => {
                let (Some(usage), Some(index)) = (usage, self.plan.places.get(*index as usize)) else {
                    return Truth::Maybe;
                };
                let mut truth = Truth::Yes;
                for effect in &usage.effects {
                    if effect.source == EffectSource::Own {
                        continue;
                    }
                    let (EffectKind::Reads(used) | EffectKind::Writes(used) | EffectKind::Deletes(used)) =
                        &effect.kind
                    else {
                        continue;
                    };
                    for target in self.targets(
                        &used.path,
                        &self.bases(&invocation.directory, used.below.as_ref()),
                    ) {
                        truth = truth.min(self.says_of(index, &target));
                    }
                }
                truth
            }
            CompiledCondition::Operand(index, patterns) => {
                let operands: Vec<&Field> = match usage {
                    Some(usage) => usage
                        .words
                        .iter()
                        .filter(|word| word.kind == WordKind::Operand)
                        .map(|word| &word.field)
                        .collect(),
                    None => invocation.words.iter().skip(1).collect(),
                };
                let at = usize::from(*index).saturating_sub(1);
                let fixed = usage.is_some()
                    && operands
                        .iter()
                        .take(at + 1)
                        .all(|field| field.count == Count::One);
                match operands.get(at) {
                    None if fixed => Truth::No,
                    Some(field) if fixed => patterns
                        .iter()
                        .map(|pattern| word_says(pattern, &field.value))
                        .max()
                        .unwrap_or(Truth::No),
                    None | Some(_) => Truth::Maybe,
                }
            }
            CompiledCondition::Env(patterns) => patterns
                .iter()
                .map(|pattern| set_in(&running.settings, pattern))
                .max()
                .unwrap_or(Truth::No),
            CompiledCondition::Cwd(index) => self
                .bases(&invocation.directory, None)
                .into_iter()
                .map(|base| match base {
                    Some(path) => self
                        .plan
                        .places
                        .get(*index as usize)
                        .map_or(Truth::Maybe, |index| self.says_of(index, &Target::Known(path))),
                    None => Truth::Maybe,
                })
                .fold(None, |all: Option<Truth>, one| match all {
                    None => Some(one),
                    Some(own) if own == one => all,
                    Some(_) => Some(Truth::Maybe),
                })
                .unwrap_or(Truth::Maybe),
            CompiledCondition::PipedInto(programs) => running
                .readers
                .iter()
                .flat_map(|reader| programs.iter().map(move |program| (reader, program)))
                .map(|(reader, program)| match program {
                    ProgramPattern::Name(word) => word_says(word, &Value::Known(reader.clone())),
                    ProgramPattern::File(_) => Truth::Maybe,
                })
                .max()
                .unwrap_or(Truth::No),
            CompiledCondition::InPipeline(wanted) => Truth::known(invocation.reach.piped == *wanted),
            CompiledCondition::Background(wanted) => Truth::known(invocation.reach.background == *wanted),
            CompiledCondition::Via(tools) => self.made_by(tools),
            CompiledCondition::Input(..) => Truth::No,
            CompiledCondition::GoesOn(beginning) => invocation
                .words
                .iter()
                .filter_map(Field::known)
                .filter_map(|word| word.strip_prefix(beginning.as_str()))
                .map(|rest| Truth::known(goes_on(beginning, rest)))
                .max()
                .unwrap_or(Truth::No),
        }
    }

    /// Whether a step of one of these tools makes the call.
    pub(super) fn made_by(&self, tools: &[Glob]) -> Truth {
        let own = |tool: &str| {
            let name = Value::Known(tool.into());
            tools
                .iter()
                .map(|glob| glob_says(glob, &name))
                .max()
                .unwrap_or(Truth::No)
        };
        self.facts
            .via
            .iter()
            .map(|tool| own(tool))
            .max()
            .unwrap_or(Truth::No)
    }
}

/// Whether what follows a colon is a plain name or, in a URL, a port with what may follow one. Anything else could make another
/// host of it (`http://github.com:x@evil.example/`).
fn goes_on(beginning: &str, rest: &str) -> bool {
    if beginning.contains("://") {
        let after = rest.trim_start_matches(|c: char| c.is_ascii_digit());
        after.len() < rest.len() && (after.is_empty() || after.starts_with(['/', '?', '#']))
    } else {
        !rest.is_empty()
            && rest
                .chars()
                .all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ':' | '/'))
    }
}

/// Whether a variable that a pattern names is set.
fn set_in(settings: &[(SmolStr, Value)], pattern: &EnvironmentPattern) -> Truth {
    settings
        .iter()
        .map(|(name, value)| {
            let by_name = glob_says(&pattern.name, &Value::Known(name.clone()));
            by_name.min(
                pattern
                    .value
                    .as_ref()
                    .map_or(Truth::Yes, |glob| glob_says(glob, value)),
            )
        })
        .max()
        .unwrap_or(Truth::No)
}

/// Whether a word that no option is called may be short for one with this name.
fn may_abbreviate(field: &Field, name: &Glob) -> bool {
    let (Some(written), Some(GlobPiece::Text(name))) = (field.known(), name.pieces.first()) else {
        return false;
    };
    let written = written.split_once('=').map_or(written, |(name, _)| name);
    written.len() > 2 && written.starts_with("--") && name.starts_with(written)
}

/// Whether an option is given.
fn given(flag: &FlagPattern, invocation: &Invocation, usage: Option<&Use>) -> Truth {
    let mut truth = Truth::No;
    if let Some(usage) = usage {
        let mut words = usage.words.iter().peekable();
        while let Some(word) = words.next() {
            if word.kind != WordKind::Option {
                continue;
            }
            let named = word
                .names
                .iter()
                .map(|name| glob_says(&flag.name, &Value::Known(name.clone())))
                .chain([glob_says(&flag.name, &word.field.value)])
                .max()
                .unwrap_or(Truth::No);
            let value = match (&flag.value, words.peek()) {
                (None, _) => Truth::Yes,
                (Some(glob), Some(next)) if next.kind == WordKind::OptionValue => {
                    glob_says(glob, &next.field.value)
                }
                (Some(_), _) => Truth::No,
            };
            truth = truth.max(named.min(value));
            // An abbreviation that fits several options: which of them the program takes it for is not known.
            if truth == Truth::No && word.names.is_empty() && may_abbreviate(&word.field, &flag.name) {
                truth = Truth::Maybe;
            }
        }
        if usage
            .unknowns
            .iter()
            .any(|unknown| unknown.kind == UnknownKind::MaybeOption)
        {
            truth = truth.max(Truth::Maybe);
        }
        // A bundle in the pattern (`-rf`) is given if each of its letters is.
        if truth == Truth::No
            && let Some(letters) = flag.name.literal().and_then(|name| name.strip_prefix('-'))
            && letters.len() > 1
            && letters.bytes().all(|b| b.is_ascii_alphanumeric())
        {
            truth = letters
                .chars()
                .map(|letter| {
                    let name = Glob::exactly(&format!("-{letter}"));
                    given(&FlagPattern { name, value: None }, invocation, Some(usage))
                })
                .min()
                .unwrap_or(Truth::No);
        }
    }
    // As written, too: an option that the definition does not know.
    for field in invocation.words.iter().skip(1) {
        if field.known() == Some("--") {
            break;
        }
        let value = match (&flag.value, field.known().and_then(|text| text.split_once('='))) {
            (None, Some((name, _))) => glob_says(&flag.name, &Value::Known(name.into())),
            (Some(glob), Some((name, value))) => glob_says(&flag.name, &Value::Known(name.into()))
                .min(glob_says(glob, &Value::Known(value.into()))),
            (None, None) => glob_says(&flag.name, &field.value),
            (Some(_), None) => Truth::No,
        };
        truth = truth.max(match value {
            Truth::Yes if field.count == Count::One => Truth::Yes,
            Truth::Yes | Truth::Maybe => Truth::Maybe,
            Truth::No => Truth::No,
        });
    }
    truth
}
