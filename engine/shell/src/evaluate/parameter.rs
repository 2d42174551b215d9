//! Parameter expansion: `$x`, `${x}` and its operators.
//!
//! Invariant (operands run): the operand of an operator is evaluated whenever the shell may evaluate it, so that nothing in
//! it goes unseen.

use smol_str::SmolStr;

use crate::{
    Construct, Count, Field, Index, Origin, Parameter, ParameterOp, Part, PartKind, Shell, Span, Value, Word,
};

use super::assign::Target;
use super::expand::{Event, Mode, escaped_text};
use super::fields::joined;
use super::operator::{Used, cased, each, substring, used, without_empty};
use super::pattern::{End, Pattern};
use super::state::{Content, Presence};
use super::{Env, Evaluator};

/// What an expansion gives.
#[derive(Debug)]
pub(super) enum Expanded {
    /// One text, which splits where it is unquoted.
    One(Value),
    /// Words that stay apart in quotes, as `"$@"`.
    List(Vec<Field>),
    /// What an operand contributed, quotes and all.
    Events(Vec<Event>),
}

impl Evaluator<'_> {
    pub(super) fn parameter(
        &mut self,
        parameter: &Parameter,
        span: Span,
        mode: Mode,
        env: Env<'_>,
    ) -> Expanded {
        if self.shell() == Shell::Zsh && parameter.name == "IFS" {
            // It holds a NUL at the start, at which arguments end.
            self.refuse(Construct::NotInThisShell, env.span(span));
        }
        let list = match (&parameter.index, parameter.name.as_str()) {
            (Some(Index::All), _) | (None, "@") => Some(false),
            (Some(Index::Joined), _) | (None, "*") => Some(true),
            (Some(Index::At(_)) | None, _) => None,
        };
        if let Some(joins) = list {
            let fields = self.elements(&parameter.name, env.span(span));
            return self.list_parameter(fields, joins, parameter, span, mode, env);
        }
        let (value, presence) = self.scalar(parameter);
        if let Some(Content::Array(_) | Content::AnyArray(_)) = self.zsh_array(parameter) {
            self.run_operands(&parameter.op, env);
            return Expanded::List(vec![any(Origin::Variable, env.span(span))]);
        }
        self.apply(parameter, value, presence, mode, env)
    }

    /// `$a` of an array is all of it in zsh.
    fn zsh_array(&self, parameter: &Parameter) -> Option<Content> {
        (self.shell() == Shell::Zsh).then(|| self.lookup(&parameter.name).content)
    }

    /// The value of one variable, position or element.
    fn scalar(&self, parameter: &Parameter) -> (Value, Presence) {
        let name = parameter.name.as_str();
        if !name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
            return self.special(name);
        }
        let variable = self.dynamic(name).unwrap_or_else(|| self.lookup(name));
        let index = match parameter.index {
            Some(Index::At(index)) => index,
            Some(Index::All | Index::Joined) | None => 0,
        };
        match (variable.content, self.shell()) {
            (Content::Scalar(value), _) if parameter.index.is_none() => (value, variable.presence),
            (Content::Scalar(value), Shell::Bash) if matches!(index, 0 | -1) => (value, variable.presence),
            (Content::Scalar(Value::Unknown(origin)) | Content::AnyArray(origin), _) => {
                (Value::Unknown(origin), Presence::Maybe)
            }
            (Content::Scalar(_), Shell::Bash) => (Value::EMPTY, Presence::Unset),
            (Content::Array(fields), Shell::Bash) => {
                let certain = |n: usize| fields.iter().take(n).all(|f| f.count == Count::One);
                let at = if index < 0 {
                    let back = usize::try_from(index.unsigned_abs()).unwrap_or(usize::MAX);
                    fields.len().checked_sub(back).filter(|_| certain(fields.len()))
                } else {
                    usize::try_from(index).ok()
                };
                match at {
                    Some(at) if certain(at.saturating_add(1)) => match fields.get(at) {
                        Some(field) => (field.value.clone(), Presence::Set),
                        None => (Value::EMPTY, Presence::Unset),
                    },
                    Some(_) | None => (Value::Unknown(Origin::Variable), Presence::Maybe),
                }
            }
            (Content::Scalar(_) | Content::Array(_), Shell::Zsh | Shell::Sh) => {
                (Value::Unknown(Origin::Variable), Presence::Maybe)
            }
        }
    }

    /// The words of `$@` or of an array.
    fn elements(&self, name: &str, span: Span) -> Vec<Field> {
        if matches!(name, "@" | "*") {
            return self.positional_fields(span);
        }
        let variable = self.dynamic(name).unwrap_or_else(|| self.lookup(name));
        match (variable.content, variable.presence) {
            (Content::Array(fields), Presence::Set) => fields,
            (Content::Scalar(_), Presence::Unset) => Vec::new(),
            (Content::Scalar(value), Presence::Set) => vec![Field {
                value,
                ..any(Origin::Variable, span)
            }]
            .into_iter()
            .map(|f| Field {
                count: Count::One,
                ..f
            })
            .collect(),
            (Content::Scalar(value), Presence::Maybe) => vec![any(value.origin(), span)],
            (Content::AnyArray(origin), _) => vec![any(origin, span)],
            (Content::Array(_), Presence::Maybe | Presence::Unset) => vec![any(Origin::Variable, span)],
        }
    }

    pub(super) fn positional_fields(&self, span: Span) -> Vec<Field> {
        match self.state.data.positional.as_deref() {
            Some(fields) => fields.clone(),
            None => vec![any(Origin::Positional, span)],
        }
    }

    fn list_parameter(
        &mut self,
        fields: Vec<Field>,
        joins: bool,
        parameter: &Parameter,
        span: Span,
        mode: Mode,
        env: Env<'_>,
    ) -> Expanded {
        let certain = fields.iter().all(|f| f.count == Count::One);
        let give = |fields: Vec<Field>, max: usize| {
            if joins && mode == Mode::Whole {
                Expanded::One(joined(&fields, max))
            } else {
                Expanded::List(fields)
            }
        };
        let max = self.set_values();
        match &parameter.op {
            ParameterOp::Plain => give(fields, max),
            ParameterOp::Length => Expanded::One(if certain {
                Value::Known(fields.len().to_string().into())
            } else {
                Value::Integer
            }),
            ParameterOp::Substring { offset, length } => {
                let from = self.arithmetic(offset, env);
                let count = length.as_ref().map(|l| self.arithmetic(l, env));
                self.check_count(count.as_ref(), env.span(offset.span));
                let from = from.known().and_then(|t| t.parse::<usize>().ok());
                let count = match &count {
                    Some(value) => value.known().and_then(|t| t.parse::<usize>().ok()),
                    None => Some(usize::MAX),
                };
                // Elements count from 0 and positions from 1, with `$0` before them.
                let base = usize::from(matches!(parameter.name.as_str(), "@" | "*"));
                let slice = match (from.and_then(|f| f.checked_sub(base)), count) {
                    (Some(from), Some(count)) if certain && self.shell() == Shell::Bash => {
                        fields.into_iter().skip(from).take(count).collect()
                    }
                    _ => vec![any(Origin::Positional, env.span(span))],
                };
                give(slice, max)
            }
            ParameterOp::Alternative { word, .. } if certain && !fields.is_empty() => {
                self.operand(word, mode, env)
            }
            ParameterOp::Alternative { .. } if certain && fields.is_empty() => {
                if mode == Mode::Whole && joins {
                    Expanded::One(Value::EMPTY)
                } else {
                    Expanded::List(Vec::new())
                }
            }
            ParameterOp::Default { word, .. } if certain && fields.is_empty() => {
                self.operand(word, mode, env)
            }
            ParameterOp::Default { colon: false, .. } if certain => give(fields, max),
            ParameterOp::Default { .. }
            | ParameterOp::Assign { .. }
            | ParameterOp::Alternative { .. }
            | ParameterOp::Require { .. }
            | ParameterOp::RemovePrefix { .. }
            | ParameterOp::RemoveSuffix { .. }
            | ParameterOp::Replace { .. }
            | ParameterOp::Case { .. } => {
                self.run_operands(&parameter.op, env);
                Expanded::List(vec![any(Origin::Variable, env.span(span))])
            }
        }
    }

    /// An operand that takes the place of the expansion.
    fn operand(&mut self, word: &Word, mode: Mode, env: Env<'_>) -> Expanded {
        let mode = match mode {
            Mode::Whole => return Expanded::Events(self.whole_events(word, env)),
            Mode::Open | Mode::Operand => Mode::Operand,
        };
        let mut events = Vec::new();
        for part in &word.parts {
            self.part(part, mode, env, &mut events);
        }
        Expanded::Events(events)
    }

    fn whole_events(&mut self, word: &Word, env: Env<'_>) -> Vec<Event> {
        let mut events = Vec::new();
        for part in &word.parts {
            self.part(part, Mode::Whole, env, &mut events);
        }
        events
    }

    /// Evaluates the operands for what they run, where the result is not followed.
    fn run_operands(&mut self, op: &ParameterOp, env: Env<'_>) {
        let before = self.state.clone();
        match op {
            ParameterOp::Plain | ParameterOp::Length => {}
            ParameterOp::Default { word, .. }
            | ParameterOp::Assign { word, .. }
            | ParameterOp::Alternative { word, .. }
            | ParameterOp::Require { word, .. } => {
                self.single(word, env.conditional());
            }
            ParameterOp::RemovePrefix { pattern, .. } | ParameterOp::RemoveSuffix { pattern, .. } => {
                self.single(pattern, env);
            }
            ParameterOp::Replace {
                pattern, replacement, ..
            } => {
                self.single(pattern, env);
                if let Some(word) = replacement {
                    self.single(word, env);
                }
            }
            ParameterOp::Substring { offset, length } => {
                self.arithmetic(offset, env);
                let count = length.as_ref().map(|l| self.arithmetic(l, env));
                self.check_count(count.as_ref(), env.span(offset.span));
            }
            ParameterOp::Case { pattern, .. } => {
                if let Some(pattern) = pattern {
                    self.single(pattern, env);
                }
            }
        }
        self.settle(Some(before));
    }

    fn apply(
        &mut self,
        parameter: &Parameter,
        value: Value,
        presence: Presence,
        mode: Mode,
        env: Env<'_>,
    ) -> Expanded {
        let max = self.set_values();
        match &parameter.op {
            ParameterOp::Plain => Expanded::One(value),
            ParameterOp::Length => Expanded::One(match (&value, presence) {
                (Value::Known(text), _) if text.is_ascii() => Value::Known(text.len().to_string().into()),
                _ => Value::Integer,
            }),
            ParameterOp::Default { colon, word } => match used(&value, presence, *colon) {
                Used::Value => Expanded::One(value),
                Used::Word => self.operand(word, mode, env),
                Used::Either => self.either(&value, *colon, word, mode, env),
            },
            ParameterOp::Assign { colon, word } => match used(&value, presence, *colon) {
                Used::Value => Expanded::One(value),
                Used::Word => {
                    let given = self.single(word, env);
                    self.assign_default(&parameter.name, given.clone(), env.span(word.span), env);
                    Expanded::One(given)
                }
                Used::Either => {
                    let before = self.state.clone();
                    let given = self.single(word, env.conditional());
                    self.settle(Some(before));
                    if mode != Mode::Whole && given.spells_pattern() {
                        self.globs.set(true);
                    }
                    let result =
                        without_empty(&value, *colon).map_or_else(|| given.clone(), |v| v.join(&given, max));
                    self.assign_default(&parameter.name, result.clone(), env.span(word.span), env);
                    Expanded::One(result)
                }
            },
            ParameterOp::Alternative { colon, word } => match used(&value, presence, *colon) {
                Used::Value => self.operand(word, mode, env),
                Used::Word => Expanded::One(Value::EMPTY),
                Used::Either => self.either(&Value::EMPTY, false, word, mode, env),
            },
            ParameterOp::Require { colon, word } => {
                if used(&value, presence, *colon) != Used::Value {
                    self.single(word, env.conditional());
                }
                Expanded::One(without_empty(&value, *colon).unwrap_or(value))
            }
            ParameterOp::RemovePrefix { longest, pattern } => {
                let span = env.span(pattern.span);
                let pattern = self.pattern(pattern, env);
                self.step_pattern(pattern.as_ref(), &value, span);
                Expanded::One(each(&value, max, |text| {
                    pattern.as_ref()?.remove(text, End::Start, *longest)
                }))
            }
            ParameterOp::RemoveSuffix { longest, pattern } => {
                let suffix = Self::single_literal(pattern);
                let span = env.span(pattern.span);
                let compiled = self.pattern(pattern, env);
                self.step_pattern(compiled.as_ref(), &value, span);
                if let (Value::Glob(glob), Some(suffix)) = (&value, suffix)
                    && let Some(rest) = glob.strip_suffix(suffix.as_str())
                    && (rest.ends_with('*') || rest.ends_with(']') || rest.ends_with('?'))
                    && !rest.ends_with("\\*")
                    && !rest.ends_with("\\?")
                    && !rest.ends_with("\\]")
                {
                    return Expanded::One(Value::Glob(rest.into()));
                }
                Expanded::One(each(&value, max, |text| {
                    compiled.as_ref()?.remove(text, End::Finish, *longest)
                }))
            }
            ParameterOp::Replace {
                all,
                pattern,
                replacement,
            } => Expanded::One(self.replaced(&value, *all, pattern, replacement.as_ref(), env)),
            ParameterOp::Substring { offset, length } => {
                let from = self.arithmetic(offset, env);
                let count = length.as_ref().map(|l| self.arithmetic(l, env));
                self.check_count(count.as_ref(), env.span(offset.span));
                Expanded::One(each(&value, max, |text| substring(text, &from, count.as_ref())))
            }
            ParameterOp::Case { upper, all, pattern } => {
                if let Some(pattern) = pattern {
                    self.single(pattern, env);
                    return Expanded::One(Value::Unknown(value.origin()));
                }
                Expanded::One(each(&value, max, |text| cased(text, *upper, *all)))
            }
        }
    }

    /// A negative length reaches back from the end; where it reaches back too far, bash leaves out the rest of the line.
    fn check_count(&mut self, count: Option<&Value>, span: Span) {
        let positive = |count: &Value| count.known().is_some_and(|text| !text.starts_with('-'));
        if !count.is_none_or(positive) {
            self.refuse(Construct::ExpansionOperand, span);
        }
    }

    /// The value of a place that holds either the value or what the operand gives.
    fn either(&mut self, value: &Value, colon: bool, word: &Word, mode: Mode, env: Env<'_>) -> Expanded {
        let before = self.state.clone();
        let given = self.single(word, env.conditional());
        self.settle(Some(before));
        if word.parts.iter().any(holds_list) {
            return Expanded::List(vec![any(Origin::Variable, env.span(word.span))]);
        }
        if mode != Mode::Whole && given.spells_pattern() {
            self.globs.set(true);
        }
        let special = [' ', '\t', '\n', '*', '?', '['];
        let quoted = word.parts.iter().any(|p| {
            matches!(
                p.kind,
                PartKind::DoubleQuoted(_) | PartKind::SingleQuoted(_) | PartKind::AnsiC(_)
            ) || matches!(p.kind, PartKind::Literal { escaped: true, .. })
        });
        if mode != Mode::Whole && quoted && special.iter().any(|c| given.may_contain(*c)) {
            return Expanded::Events(vec![Event::Many(Value::Unknown(Origin::Variable))]);
        }
        let joined = match without_empty(value, colon) {
            Some(kept) => kept.join(&given, self.set_values()),
            None => given,
        };
        Expanded::One(joined)
    }

    fn assign_default(&mut self, name: &SmolStr, value: Value, span: Span, env: Env<'_>) {
        self.assign(name, Content::Scalar(value), Target::shell(span), env);
    }

    /// The text of a pattern operand that is one literal.
    fn single_literal(word: &Word) -> Option<SmolStr> {
        match word.parts.as_slice() {
            [
                Part {
                    kind: PartKind::Literal { text, .. } | PartKind::SingleQuoted(text),
                    ..
                },
            ] if !text.contains(['*', '?', '[', ']', '\\']) => Some(text.clone()),
            _ => None,
        }
    }

    /// A pattern operand, where it is known.
    fn pattern(&mut self, word: &Word, env: Env<'_>) -> Option<Pattern> {
        let text = self.pattern_text(&word.parts, env);
        Pattern::compile(&text?)
    }

    /// Counts the work of trying a pattern on each text of a value.
    fn step_pattern(&mut self, pattern: Option<&Pattern>, value: &Value, span: Span) {
        let texts = value.texts().unwrap_or_default().iter();
        let weight: usize = texts.map(|t| pattern.map_or(0, |p| p.weight(t))).sum();
        self.step(weight, span);
    }

    fn pattern_text(&mut self, parts: &[Part], env: Env<'_>) -> Option<String> {
        let mut out = Some(String::new());
        for part in parts {
            let piece = match &part.kind {
                PartKind::Glob(pattern) => Some(pattern.clone()),
                PartKind::Parameter(_) => {
                    // An unquoted value is a pattern itself.
                    let value = self.single_parts(std::slice::from_ref(part), env);
                    value.known().map(SmolStr::from)
                }
                PartKind::Literal { .. }
                | PartKind::SingleQuoted(_)
                | PartKind::AnsiC(_)
                | PartKind::DoubleQuoted(_)
                | PartKind::Substitution(_)
                | PartKind::ReadFrom(_)
                | PartKind::WriteTo(_)
                | PartKind::Arithmetic(_)
                | PartKind::Brace(_)
                | PartKind::Tilde(_) => {
                    let value = self.single_parts(std::slice::from_ref(part), env);
                    let text = value.known().map(escaped_text);
                    if matches!(part.kind, PartKind::Substitution(_)) {
                        None
                    } else {
                        text
                    }
                }
            };
            out = out.zip(piece).map(|(mut text, piece)| {
                text.push_str(&piece);
                text
            });
        }
        out
    }

    fn replaced(
        &mut self,
        value: &Value,
        all: bool,
        pattern: &Word,
        replacement: Option<&Word>,
        env: Env<'_>,
    ) -> Value {
        let text = self.pattern_text(&pattern.parts, env);
        let with = replacement.map_or(Value::EMPTY, |w| self.single(w, env));
        let max = self.set_values();
        let (Some(text), Some(with)) = (text, with.known()) else {
            return Value::Unknown(value.origin());
        };
        // An unquoted `&` in the replacement is the match in bash 5.2.
        if with.contains(['&', '\\']) || text.is_empty() {
            return Value::Unknown(value.origin());
        }
        let end = match (all, text.chars().next()) {
            (false, Some('#')) => Some(End::Start),
            (false, Some('%')) => Some(End::Finish),
            _ => None,
        };
        let text = if end.is_some() {
            text.get(1..).unwrap_or_default()
        } else {
            &text
        };
        let compiled = Pattern::compile(text);
        self.step_pattern(compiled.as_ref(), value, env.span(pattern.span));
        each(value, max, |subject| {
            let compiled = compiled.as_ref()?;
            match end {
                Some(end) => compiled.replace_end(subject, with, end),
                None => compiled.replace(subject, with, all),
            }
        })
    }
}

/// Whether a part may be several words even in quotes.
fn holds_list(part: &Part) -> bool {
    let transforms = |p: &Parameter| !matches!(p.op, ParameterOp::Plain | ParameterOp::Length);
    let inner = if let PartKind::DoubleQuoted(parts) = &part.kind {
        parts.as_slice()
    } else {
        &[]
    };
    matches!(&part.kind, PartKind::Parameter(p) if p.is_list() || transforms(p))
        || inner.iter().any(holds_list)
}

fn any(origin: Origin, span: Span) -> Field {
    Field {
        value: Value::Unknown(origin),
        count: Count::Any,
        ..Field::literal("", span)
    }
}
