//! Brace expansion (bash manual 3.5.1).
//!
//! bash expands braces in the text of a word before anything else. Here a word is read first, with its unquoted braces,
//! commas and dots as marks between parts; then the marks are paired. A word whose braces pair well reads the same both
//! ways. Where they do not, or where an expansion would make a new token with its neighbour, bash's result is
//! surprising, and the word is refused.

use smol_str::SmolStr;

use crate::{Brace, Construct, NotUnderstood, Part, PartKind, Shell, Span};

use super::{
    Parsed,
    cursor::{Parser, begins_name},
    value::decimal,
};

/// A byte, or two dots, that may structure a brace expansion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    Open,
    Comma,
    Dots,
    Close,
}

impl Mark {
    pub(super) fn text(self) -> &'static str {
        match self {
            Self::Open => "{",
            Self::Comma => ",",
            Self::Dots => "..",
            Self::Close => "}",
        }
    }
}

/// One mark between parts.
#[derive(Clone, Copy, Debug)]
struct Place {
    mark: Mark,
    /// How many parts stand before it.
    before: usize,
    at: usize,
}

/// The marks of one word, from its first `{`.
#[derive(Debug, Default)]
pub(super) struct Marks {
    places: Vec<Place>,
    /// A `$` that stands for itself could meet a name after expansion.
    pub(super) loose: bool,
}

impl Marks {
    pub(super) fn push(&mut self, mark: Mark, before: usize, at: usize) {
        self.places.push(Place { mark, before, at });
    }

    /// Where the last mark ends.
    pub(super) fn end(&self) -> usize {
        self.places
            .last()
            .map_or(usize::MAX, |place| place.at + place.mark.text().len())
    }

    pub(super) fn begins_at(&self, start: usize) -> bool {
        self.places.first().is_some_and(|place| place.at == start)
    }

    fn count(&self, mark: Mark) -> usize {
        self.places.iter().filter(|place| place.mark == mark).count()
    }

    fn balanced(&self, depth: usize) -> bool {
        let mut open = 0_usize;
        for place in &self.places {
            match place.mark {
                Mark::Open => open += 1,
                Mark::Close if open == 0 => return false,
                Mark::Close => open -= 1,
                Mark::Comma | Mark::Dots => {}
            }
            if open > depth {
                return false;
            }
        }
        open == 0
    }

    fn span(&self) -> Span {
        let start = self.places.first().map_or(0, |place| place.at);
        Span::new(start, self.end())
    }
}

/// A group being paired.
#[derive(Default)]
struct Group {
    at: usize,
    alternatives: Vec<Vec<Part>>,
    current: Vec<Part>,
    dots: bool,
    nested: bool,
}

impl Parser<'_> {
    /// Pairs the marks of a word: groups that expand become parts, all other marks literal text again.
    #[inline(never)]
    pub(super) fn resolve_braces(&self, parts: Vec<Part>, marks: &Marks) -> Parsed<Vec<Part>> {
        let refused = |construct| NotUnderstood {
            construct,
            span: marks.span(),
        };
        if !marks.balanced(self.limits.depth) {
            let may_expand = marks.count(Mark::Comma) + marks.count(Mark::Dots) > 0;
            if may_expand || self.shell == Shell::Zsh {
                return Err(refused(Construct::BraceForm));
            }
        }
        let pairs = marks.count(Mark::Comma) + marks.count(Mark::Dots) > 0;
        // zsh expands parameters and substitutions first.
        let varies = self.shell == Shell::Zsh && parts.iter().any(varies);
        if varies && marks.span().of(self.text).replace("{}", "").contains('{') {
            // What they expand to may make a sequence.
            return Err(refused(Construct::BraceForm));
        }
        let mut groups = vec![Group::default()];
        let mut places = marks.places.iter().peekable();
        let mut parts = parts.into_iter().enumerate();
        let mut expands = false;
        let mut next_part = parts.next();
        loop {
            while let Some(place) =
                places.next_if(|place| next_part.as_ref().is_none_or(|(index, _)| place.before <= *index))
            {
                expands |= self.place(*place, &mut groups, pairs)?;
            }
            let Some((_, part)) = next_part else { break };
            if let Some(group) = groups.last_mut() {
                group.current.push(part);
            }
            next_part = parts.next();
        }
        if expands {
            if self.shell == Shell::Sh {
                return Err(refused(Construct::NotInThisShell));
            }
            if marks.loose || varies || marks.count(Mark::Open) > 1 && self.shell == Shell::Zsh {
                return Err(refused(Construct::BraceForm));
            }
        }
        let word = groups.into_iter().flat_map(|group| group.current).collect();
        let word = merge_literals(word);
        if expands {
            self.check_neighbours(&word, marks)?;
        }
        if let [
            Part {
                kind: PartKind::Brace(Brace::List(alternatives)),
                ..
            },
        ] = word.as_slice()
            && self.shell == Shell::Zsh
            && alternatives.iter().any(Vec::is_empty)
        {
            // An empty word, which bash drops.
            return Err(refused(Construct::NotInThisShell));
        }
        Ok(word)
    }

    /// Applies one mark; whether it closed a group that expands.
    fn place(&self, place: Place, groups: &mut Vec<Group>, pairs: bool) -> Parsed<bool> {
        let span = Span::new(place.at, place.at + place.mark.text().len());
        let inside = groups.len() > 1;
        let Some(group) = groups.last_mut() else {
            return Ok(false);
        };
        match place.mark {
            Mark::Open if pairs => groups.push(Group {
                at: place.at,
                ..Group::default()
            }),
            Mark::Comma if inside => group.alternatives.push(std::mem::take(&mut group.current)),
            Mark::Close if inside => {
                let closed = std::mem::take(group);
                groups.pop();
                let at = closed.at;
                let closed_nested = closed.nested;
                let (part, rest) = self.close(closed, place.at)?;
                let Some(outer) = groups.last_mut() else {
                    return Ok(false);
                };
                let expands = part.is_some();
                if let Some(kind) = part {
                    outer.nested = true;
                    outer.current.push(Part {
                        kind,
                        span: Span::new(at, place.at + 1),
                    });
                } else {
                    outer.nested |= closed_nested;
                    outer.current.push(literal("{", Span::new(at, at + 1)));
                    outer.current.extend(rest);
                    outer.current.push(literal("}", span));
                }
                return Ok(expands);
            }
            Mark::Open | Mark::Comma | Mark::Dots | Mark::Close => {
                group.dots |= place.mark == Mark::Dots;
                group.current.push(literal(place.mark.text(), span));
            }
        }
        Ok(false)
    }

    /// Closes a group: what it expands to, or its parts where it does not.
    fn close(&self, mut group: Group, end: usize) -> Parsed<(Option<PartKind>, Vec<Part>)> {
        if !group.alternatives.is_empty() {
            group.alternatives.push(group.current);
            let alternatives = group.alternatives.into_iter().map(merge_literals).collect();
            return Ok((Some(PartKind::Brace(Brace::List(alternatives))), Vec::new()));
        }
        if !group.dots {
            return Ok((None, group.current));
        }
        let raw = self.slice(group.at + 1, end)?;
        let refused = NotUnderstood {
            construct: Construct::BraceForm,
            span: Span::new(group.at, end + 1),
        };
        // A comma anywhere in the text, even inside an expansion, makes bash drop the braces.
        if group.nested || raw.contains(',') {
            return Err(refused);
        }
        let plain = |part: &Part| matches!(part.kind, PartKind::Literal { escaped: false, .. });
        if !group.current.iter().all(plain) {
            if self.shell == Shell::Zsh {
                return Err(refused);
            }
            return Ok((None, group.current));
        }
        match sequence(raw, self.shell) {
            // zsh drops the braces of some.
            Sequence::None if self.shell == Shell::Zsh => Err(refused),
            Sequence::None => Ok((None, group.current)),
            Sequence::Refused => Err(refused),
            Sequence::Range {
                first,
                last,
                step,
                form,
            } => {
                let count = (last.abs_diff(first) / step).saturating_add(1);
                if count > self.limits.expansion_words as u64 {
                    return Err(NotUnderstood {
                        construct: Construct::TooManyWords,
                        ..refused
                    });
                }
                let words = spell(first, last, step, form);
                Ok((Some(PartKind::Brace(Brace::Range(words))), Vec::new()))
            }
        }
    }

    /// bash expands braces first, so that `$x{a,b}` is `$xa $xb`.
    fn check_neighbours(&self, word: &[Part], marks: &Marks) -> Parsed<()> {
        let end = word.last().map_or(0, |part| part.span.end as usize);
        let whole_tail = marks.end() == end && marks.count(Mark::Open) == 1;
        self.check_names(word, whole_tail)
    }

    fn check_names(&self, parts: &[Part], whole_tail: bool) -> Parsed<()> {
        for part in parts {
            match &part.kind {
                PartKind::Parameter(parameter) => {
                    let bare = self.byte(part.span.start as usize + 1) != b'{';
                    let named = parameter.name.bytes().next().is_some_and(begins_name);
                    let after = self.byte(part.span.end as usize);
                    let meets = after == b'{' || (matches!(after, b',' | b'}') && !whole_tail);
                    if bare && named && meets {
                        return Err(NotUnderstood {
                            construct: Construct::BraceForm,
                            span: part.span,
                        });
                    }
                }
                PartKind::Brace(Brace::List(alternatives)) => {
                    for alternative in alternatives {
                        self.check_names(alternative, whole_tail)?;
                    }
                }
                PartKind::Brace(Brace::Range(_))
                | PartKind::Literal { .. }
                | PartKind::SingleQuoted(_)
                | PartKind::AnsiC(_)
                | PartKind::DoubleQuoted(_)
                | PartKind::Substitution(_)
                | PartKind::ReadFrom(_)
                | PartKind::WriteTo(_)
                | PartKind::Arithmetic(_)
                | PartKind::Glob(_)
                | PartKind::Tilde(_) => {}
            }
        }
        Ok(())
    }
}

/// Whether a part is or holds an expansion.
fn varies(part: &Part) -> bool {
    match &part.kind {
        PartKind::Literal { .. } | PartKind::SingleQuoted(_) | PartKind::AnsiC(_) | PartKind::Glob(_) => {
            false
        }
        PartKind::DoubleQuoted(inner) => inner.iter().any(varies),
        PartKind::Parameter(_)
        | PartKind::Substitution(_)
        | PartKind::ReadFrom(_)
        | PartKind::WriteTo(_)
        | PartKind::Arithmetic(_)
        | PartKind::Brace(_)
        | PartKind::Tilde(_) => true,
    }
}

fn literal(text: &str, span: Span) -> Part {
    Part {
        kind: PartKind::Literal {
            text: text.into(),
            escaped: false,
        },
        span,
    }
}

/// Joins literals that stand side by side.
fn merge_literals(parts: Vec<Part>) -> Vec<Part> {
    let mut merged: Vec<Part> = Vec::with_capacity(parts.len());
    let mut run: Option<(String, bool, Span)> = None;
    let finish = |run: Option<(String, bool, Span)>, merged: &mut Vec<Part>| {
        if let Some((text, escaped, span)) = run {
            merged.push(Part {
                kind: PartKind::Literal {
                    text: text.into(),
                    escaped,
                },
                span,
            });
        }
    };
    for part in parts {
        if let PartKind::Literal { text, escaped } = &part.kind {
            let (all, any, span) = run.get_or_insert_with(|| (String::new(), false, part.span));
            all.push_str(text);
            *any |= *escaped;
            *span = span.to(part.span);
        } else {
            finish(run.take(), &mut merged);
            merged.push(part);
        }
    }
    finish(run, &mut merged);
    merged
}

/// How the words of a range are spelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Number { width: usize },
    Letter,
}

/// What stands between braces with dots.
enum Sequence {
    /// Not a sequence: literal text.
    None,
    /// One that shells read in different ways, or too odd.
    Refused,
    Range {
        first: i64,
        last: i64,
        step: u64,
        form: Form,
    },
}

fn sequence(text: &str, shell: Shell) -> Sequence {
    let Some((first, rest)) = text.split_once("..") else {
        return Sequence::None;
    };
    let (last, step) = match rest.split_once("..") {
        Some((last, step)) => (last, Some(step)),
        None => (rest, None),
    };
    if shell != Shell::Bash
        && (step.is_some() || text.starts_with(['0', '-']) || rest.starts_with(['0', '-']))
    {
        return Sequence::Refused;
    }
    let step = match step.map(decimal) {
        None => 1,
        Some(Some(step)) => step.unsigned_abs().max(1),
        Some(None) => return unread(first, last),
    };
    match (decimal(first), decimal(last), letter(first), letter(last)) {
        (Some(from), Some(to), _, _) => {
            let padded = [first, last].into_iter().any(|side| {
                let digits = side.trim_start_matches('-');
                digits.len() > 1 && digits.starts_with('0')
            });
            let width = if padded { first.len().max(last.len()) } else { 0 };
            Sequence::Range {
                first: from,
                last: to,
                step,
                form: Form::Number { width },
            }
        }
        (_, _, Some(from), Some(to)) => {
            // Across the cases lie characters that expand again.
            if from.is_ascii_lowercase() != to.is_ascii_lowercase() || shell != Shell::Bash {
                return Sequence::Refused;
            }
            Sequence::Range {
                first: i64::from(from),
                last: i64::from(to),
                step,
                form: Form::Letter,
            }
        }
        _ => unread(first, last),
    }
}

/// Text that this module cannot read as a sequence: literal only where bash certainly cannot either.
fn unread(first: &str, last: &str) -> Sequence {
    let numeric = |side: &str| side.starts_with(|c: char| c.is_ascii_digit() || c == '+' || c == '-');
    let first_may = numeric(first) || letter(first).is_some();
    let last_may = numeric(last) || last.starts_with(|c: char| c.is_ascii_alphabetic()) && last.len() == 1;
    if first_may && last_may && (numeric(first) == numeric(last)) {
        Sequence::Refused
    } else {
        Sequence::None
    }
}

fn letter(text: &str) -> Option<u8> {
    match text.as_bytes() {
        [byte] if byte.is_ascii_alphabetic() => Some(*byte),
        _ => None,
    }
}

/// All words of a range, at most as many as were counted before.
fn spell(first: i64, last: i64, step: u64, form: Form) -> Vec<SmolStr> {
    let count = last.abs_diff(first) / step;
    let word = |index: u64| {
        let distance = i64::try_from(index * step).unwrap_or(i64::MAX);
        let value = if last >= first {
            first.saturating_add(distance)
        } else {
            first.saturating_sub(distance)
        };
        match form {
            Form::Letter => {
                let byte = u8::try_from(value).unwrap_or(b'?');
                SmolStr::new_inline(char::from(byte).encode_utf8(&mut [0; 4]))
            }
            Form::Number { width } => SmolStr::new(format!("{value:0width$}")),
        }
    };
    (0..=count).map(word).collect()
}
