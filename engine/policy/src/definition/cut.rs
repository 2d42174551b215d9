//! Cuts an argv into options, their values, subcommands and operands, as the program itself would.
//!
//! Invariant (maybe an option): a word that could be an option where one is accepted is an operand and, unless no option it
//! could be matters, an unknown as well.

use std::collections::VecDeque;

use engine_shell::{Count, Field, Span, Value};
use smol_str::{SmolStr, SmolStrBuilder, format_smolstr};

use super::model::{Arity, Block, Command, Definition, Flag, FlagValue, Style, Test, ValueKind};
use super::operands::OperandPlan;
use super::partial::{Truth, beginning, begins, equals, without_beginning};
use super::split::split_string;
use super::suspect::{Suspect, suspicion};
use crate::effect::{NormalWord, Unknown, UnknownKind, WordKind};

/// An option that is given.
#[derive(Clone, Debug)]
pub(super) struct Given<'d> {
    pub(super) flag: &'d Flag,
    pub(super) values: Vec<(&'d FlagValue, Field)>,
    pub(super) span: Span,
    /// Place in the order of options and operands.
    pub(super) order: usize,
    /// It is given for certain, not just perhaps.
    pub(super) certain: bool,
    /// It stood before the subcommand.
    pub(super) set_aside: bool,
}

/// A word that is no option.
#[derive(Clone, Debug)]
pub(super) struct Operand {
    pub(super) field: Field,
    /// It stood after `--`.
    pub(super) after_dashes: bool,
    /// Place in the order of options and operands.
    pub(super) order: usize,
}

/// An argv cut into its parts.
#[derive(Debug)]
pub(super) struct Cut<'d> {
    /// Program and subcommands.
    pub(super) chain: Vec<&'d Command>,
    pub(super) given: Vec<Given<'d>>,
    pub(super) operands: Vec<Operand>,
    pub(super) words: Vec<NormalWord>,
    pub(super) set_aside: Vec<Field>,
    pub(super) unknowns: Vec<Unknown>,
    /// An option was met after which nothing else applies.
    pub(super) terminal: bool,
    /// The name the program was called by, as the definition spells it.
    pub(super) program: SmolStr,
    queue: VecDeque<Field>,
    current: &'d Command,
    ended: bool,
    dashes: bool,
    order: usize,
    spliced: usize,
}

/// Cuts an argv; `words` begins with the program.
pub(super) fn cut<'d>(definition: &'d Definition, words: &[Field]) -> Cut<'d> {
    let mut words = words.iter();
    let first = words.next();
    let called = first.and_then(Field::known).unwrap_or_default();
    let called = called.rsplit('/').next().unwrap_or(called);
    let program = definition
        .names
        .iter()
        .find(|name| *name == called)
        .or_else(|| definition.names.first())
        .cloned()
        .unwrap_or_default();
    let span = first.map_or_else(Span::default, |field| field.span);
    let mut cut = Cut {
        chain: vec![&definition.command],
        given: Vec::new(),
        operands: Vec::new(),
        words: Vec::new(),
        set_aside: Vec::new(),
        unknowns: Vec::new(),
        terminal: false,
        program: program.clone(),
        queue: words.cloned().collect(),
        current: &definition.command,
        ended: false,
        dashes: false,
        order: 0,
        spliced: 0,
    };
    cut.push_word(WordKind::Command, Field::literal(program, span), Vec::new());
    cut.run();
    cut
}

impl<'d> Cut<'d> {
    fn run(&mut self) {
        if self.current.options.style == Style::Tar
            && let Some(first) = self.queue.front().cloned()
        {
            self.first_bundle(&first);
        }
        while !self.terminal {
            let Some(field) = self.queue.pop_front() else {
                break;
            };
            self.order += 1;
            self.word(field);
        }
        let lacking = !self.current.commands.is_empty()
            && self.operands.is_empty()
            && !self.terminal
            && !takes_operands(self.current);
        if lacking {
            let span = self
                .words
                .iter()
                .fold(Span::default(), |span, word| span.to(word.field.span));
            let why = format!("`{}` lacks its subcommand", self.called());
            self.unknown(UnknownKind::Subcommand, span, why);
        }
    }

    /// The command that arguments are being read for.
    pub(super) fn current(&self) -> &'d Command {
        self.current
    }

    /// The flag with this name: the current command's, or a global one from above.
    fn flag(&self, name: &str) -> Option<&'d Flag> {
        self.current.flag(name).or_else(|| {
            self.above()
                .find_map(|command| command.flag(name).filter(|flag| flag.global))
        })
    }

    fn above(&self) -> impl Iterator<Item = &'d Command> + use<'d, '_> {
        self.chain.iter().rev().skip(1).copied()
    }

    /// All flags that are accepted here.
    pub(super) fn flags(&self) -> impl Iterator<Item = &'d Flag> + use<'d, '_> {
        self.current.flags.iter().chain(
            self.above()
                .flat_map(|command| &command.flags)
                .filter(|flag| flag.global),
        )
    }

    fn glued(&self, text: &str) -> Option<&'d Flag> {
        self.flags()
            .filter(|flag| flag.arity == Arity::Glued)
            .find(|flag| flag.names.iter().any(|name| text.starts_with(name.as_str())))
    }

    fn push_word(&mut self, kind: WordKind, field: Field, names: Vec<SmolStr>) {
        self.words.push(NormalWord { kind, field, names });
    }

    pub(super) fn unknown(&mut self, kind: UnknownKind, span: Span, why: String) {
        self.unknowns.push(Unknown { kind, why, span });
    }

    /// An option that is not listed stays a word as it is written, so that a pattern must account for it.
    fn unlisted(&mut self, name: &str, field: &Field) {
        self.push_word(WordKind::Option, field.clone(), Vec::new());
        let span = field.span;
        let why = format!("`{name}` is not a known option of `{}`", self.called());
        self.unknown(UnknownKind::Option, span, why);
    }

    /// Program and subcommands for a person.
    fn called(&self) -> String {
        let mut out = self.program.to_string();
        for command in self.chain.iter().skip(1) {
            out.push(' ');
            out.push_str(&command.name);
        }
        out
    }

    fn word(&mut self, field: Field) {
        let options = self.current.options;
        let accepting = !self.ended && (options.permute || self.operands.is_empty());
        if !accepting || options.style == Style::None {
            self.operand(field);
            return;
        }
        let text = match (&field.value, field.count) {
            (Value::Known(text), Count::One) => text.clone(),
            (Value::Known(text), Count::OneOrMore | Count::Any) => {
                // Alike words: read as one, and not for certain where there may be none.
                let text = text.clone();
                let before = self.given.len();
                self.exact(&text, &field);
                for given in self.given.iter_mut().skip(before) {
                    given.certain &= field.count == Count::OneOrMore;
                }
                return;
            }
            (
                Value::OneOf(_)
                | Value::Glob(_)
                | Value::Below(_)
                | Value::Affixed { .. }
                | Value::Integer
                | Value::Descriptor
                | Value::Unknown(_),
                _,
            ) => {
                self.partly_known(field);
                return;
            }
        };
        self.exact(&text, &field);
    }

    /// A word whose text is known, where options are accepted.
    fn exact(&mut self, text: &SmolStr, field: &Field) {
        let options = self.current.options;
        let dashed = text.len() > 1 && text.starts_with('-');
        if text == "--" && options.double_dash {
            self.ended = true;
            self.dashes = true;
            self.push_word(WordKind::EndOfOptions, field.clone(), Vec::new());
            return;
        }
        match options.style {
            Style::None => self.operand(field.clone()),
            Style::Dd => self.assigned(text, field),
            Style::SingleDashWords => self.dash_word(text, field, dashed),
            Style::Gnu | Style::Tar => {
                if options.plus && text.len() > 1 && text.starts_with('+') {
                    self.whole_or_glued(text, field);
                } else if !dashed {
                    self.operand(field.clone());
                } else if text.starts_with("--") {
                    self.long(text, field);
                } else if let Some(flag) = self.current.flag(text).filter(|_| text.len() > 2) {
                    self.give(flag, None, field);
                } else {
                    self.bundle(text, &field.value, 1, field);
                }
            }
        }
    }

    /// `name=value` of `dd`.
    fn assigned(&mut self, text: &str, field: &Field) {
        if let Some(flag) = self.flag(text).or_else(|| self.glued(text)) {
            self.give_glued(flag, text, &field.value, field);
        } else {
            self.unlisted(text, field);
        }
    }

    fn whole_or_glued(&mut self, text: &str, field: &Field) {
        if let Some(flag) = self.flag(text) {
            self.give(flag, None, field);
        } else if let Some(flag) = self.flag("+").filter(|flag| flag.arity != Arity::None) {
            let value = without_beginning(&field.value, 1);
            self.give(flag, Some(value), field);
        } else if let Some(flag) = self.glued(text) {
            self.give_glued(flag, text, &field.value, field);
        } else {
            self.unlisted(text, field);
        }
    }

    /// A flag whose name is the beginning of the word.
    fn give_glued(&mut self, flag: &'d Flag, text: &str, value: &Value, field: &Field) {
        let name = flag
            .names
            .iter()
            .filter(|name| text.starts_with(name.as_str()))
            .max_by_key(|name| name.len());
        match name {
            Some(name) if flag.arity == Arity::Glued => {
                self.give(flag, Some(without_beginning(value, name.len())), field);
            }
            _ => self.give(flag, None, field),
        }
    }

    fn dash_word(&mut self, text: &str, field: &Field, dashed: bool) {
        if let Some(flag) = self.flag(text) {
            self.give(flag, None, field);
            return;
        }
        let plus = self.current.options.plus && text.starts_with('+');
        if !dashed && !plus {
            self.operand(field.clone());
            return;
        }
        // Programs of this kind take `--name` for `-name`.
        let shorter = text.strip_prefix('-').filter(|rest| rest.starts_with('-'));
        let (name, has_value) = match text.split_once('=') {
            Some((name, _)) if self.current.options.equals => (name, true),
            Some(_) | None => (text, false),
        };
        if has_value && let Some(flag) = self.flag(name) {
            self.give_attached(flag, name.len() + 1, &field.value, field);
        } else if let Some(flag) = self.glued(text) {
            self.give_glued(flag, text, &field.value, field);
        } else if let Some(flag) = shorter.and_then(|shorter| self.flag(shorter)) {
            self.give(flag, None, field);
        } else if let Some(flag) = shorter
            .filter(|_| has_value)
            .and_then(|shorter| shorter.split_once('='))
            .and_then(|(name, _)| self.flag(name))
        {
            self.give_attached(flag, name.len() + 1, &field.value, field);
        } else {
            self.unlisted(text, field);
        }
    }

    /// `--name` or `--name=value`; `field` may be known in part, as long as `text` holds the name.
    fn long(&mut self, text: &str, field: &Field) {
        let (name, attached) = match text.split_once('=') {
            Some((name, _)) => (name, true),
            None => (text, false),
        };
        let Some(flag) = self.long_flag(name) else {
            self.unlisted(name, field);
            return;
        };
        if attached {
            self.give_attached(flag, name.len() + 1, &field.value, field);
        } else {
            self.give(flag, None, field);
        }
    }

    fn long_flag(&self, name: &str) -> Option<&'d Flag> {
        if let Some(flag) = self.flag(name) {
            return Some(flag);
        }
        if !self.current.options.abbreviations {
            return None;
        }
        let mut found: Option<&'d Flag> = None;
        let beginning = |flag: &&'d Flag| flag.names.iter().any(|full| full.starts_with(name));
        for flag in self.flags().filter(beginning) {
            match found {
                Some(before) if !std::ptr::eq(before, flag) => return None,
                Some(_) | None => found = Some(flag),
            }
        }
        found
    }

    /// An option with `=value` in the same word, the value after `skip` bytes.
    fn give_attached(&mut self, flag: &'d Flag, skip: usize, value: &Value, field: &Field) {
        let value = without_beginning(value, skip);
        match flag.arity {
            Arity::Next | Arity::Optional | Arity::Glued | Arity::Words => {
                self.give(flag, Some(value), field);
            }
            Arity::None if value.known() == Some("true") => self.give(flag, None, field),
            // `--dry-run=false` must not count as given.
            Arity::None => {
                let why = format!("`{}` takes no value", flag.canonical());
                self.unknown(UnknownKind::Option, field.span, why);
            }
        }
    }

    /// A bundle of short options: `text` is the known beginning of `value`, read from byte `from`.
    fn bundle(&mut self, text: &str, value: &Value, from: usize, field: &Field) {
        let options = self.current.options;
        let whole = value.known().is_some();
        let sign = text.chars().next().unwrap_or('-');
        let mut at = from;
        let mut first = true;
        while let Some(letter) = text.get(at..).and_then(|rest| rest.chars().next()) {
            let mut name = SmolStrBuilder::new();
            name.push(sign);
            name.push(letter);
            let name = name.finish();
            let next = at + letter.len_utf8();
            let more = next < text.len() || !whole;
            let Some(flag) = self.flag(&name) else {
                if options.numbers && letter.is_ascii_digit() {
                    if first {
                        self.push_word(
                            WordKind::Option,
                            Field {
                                value: Value::Known(SmolStr::new(text.get(..).unwrap_or_default())),
                                ..field.clone()
                            },
                            Vec::new(),
                        );
                    }
                    first = false;
                    at = next;
                    continue;
                }
                if first && let Some(flag) = self.glued(text) {
                    self.give_glued(flag, text, value, field);
                    return;
                }
                let shown = if first && !options.bundling { text } else { &name };
                self.unlisted(shown, field);
                return;
            };
            first = false;
            match flag.arity {
                Arity::None => {
                    self.give(flag, None, field);
                    if more && !options.bundling {
                        self.unlisted(text, field);
                        return;
                    }
                }
                Arity::Next | Arity::Optional | Arity::Glued | Arity::Words => {
                    if more {
                        self.give(flag, Some(without_beginning(value, next)), field);
                    } else {
                        self.give(flag, None, field);
                    }
                    return;
                }
            }
            at = next;
        }
        if !whole {
            let why = format!("`{text}` goes on with options that are not known");
            self.unknown(UnknownKind::Option, field.span, why);
        }
    }

    /// The first word of `tar`: letters whose values are the words that follow, in order.
    fn first_bundle(&mut self, first: &Field) {
        let Some(text) = first.known() else {
            if begins(&first.value, "-") != Truth::Yes {
                let why = "the first word may be options".to_owned();
                self.unknown(UnknownKind::Option, first.span, why);
            }
            return;
        };
        if text.starts_with('-') || text.is_empty() {
            return;
        }
        let text = SmolStr::new(text);
        self.queue.pop_front();
        for letter in text.chars() {
            let name = format_smolstr!("-{letter}");
            self.order += 1;
            match self.flag(&name) {
                Some(flag) => self.give(flag, None, first),
                None => self.unlisted(&name, first),
            }
        }
    }

    /// Records an option; takes its values from the words that follow where `attached` is not the whole of it.
    fn give(&mut self, flag: &'d Flag, attached: Option<Value>, field: &Field) {
        let named = Field {
            value: Value::Known(flag.canonical().clone()),
            count: Count::One,
            ..field.clone()
        };
        self.push_word(WordKind::Option, named, flag.names.clone());
        let mut given = Given {
            flag,
            values: Vec::new(),
            span: field.span,
            order: self.order,
            certain: true,
            set_aside: false,
        };
        let attached = attached.map(|value| Field {
            value,
            count: Count::One,
            ..field.clone()
        });
        match flag.arity {
            Arity::None => {}
            Arity::Optional | Arity::Glued => {
                let value = attached.or_else(|| self.separate_value(flag));
                if let (Some(value), Some(slot)) = (value, flag.values.first()) {
                    given.values.push((slot, value));
                }
            }
            Arity::Next => {
                let mut attached = attached;
                for slot in &flag.values {
                    let Some(value) = attached.take().or_else(|| self.next_value(flag)) else {
                        let why = format!("`{}` lacks its value", flag.canonical());
                        self.unknown(UnknownKind::Value, field.span, why);
                        break;
                    };
                    given.values.push((slot, value));
                }
            }
            Arity::Words => {
                if let Some(slot) = flag.values.last() {
                    let words: Vec<Field> = attached.into_iter().chain(self.run_of_words(slot)).collect();
                    given.values.extend(words.into_iter().map(|word| (slot, word)));
                }
            }
        }
        for (_, value) in &given.values {
            self.words.push(NormalWord {
                kind: WordKind::OptionValue,
                field: value.clone(),
                names: Vec::new(),
            });
        }
        if flag.ends_options {
            self.ended = true;
        }
        // An unknown word before may have taken this one as its value, and with `POSIXLY_CORRECT` set an operand before
        // would make it an operand, too.
        if flag.terminal && self.unknowns.is_empty() && self.operands.is_empty() && field.count == Count::One
        {
            self.terminal = true;
        }
        self.splice(&given);
        self.given.push(given);
    }

    /// The next word as the value of an option, whatever it looks like.
    fn next_value(&mut self, flag: &Flag) -> Option<Field> {
        let field = self.queue.pop_front()?;
        match field.count {
            Count::One => {}
            Count::OneOrMore => self.queue.push_front(Field {
                count: Count::Any,
                ..field.clone()
            }),
            Count::Any => {
                let why = format!("the value of `{}` may be no word or several", flag.canonical());
                self.unknown(UnknownKind::Value, field.span, why);
                self.queue.push_front(field.clone());
            }
        }
        Some(Field {
            count: Count::One,
            ..field
        })
    }

    /// The next word as the value of an option that may do without one.
    fn separate_value(&mut self, flag: &Flag) -> Option<Field> {
        let next = self.queue.front().filter(|_| flag.separate)?;
        match begins(&next.value, "-") {
            Truth::No => self.next_value(flag),
            Truth::Yes => None,
            Truth::Maybe => {
                let why = format!(
                    "what follows `{}` may be its value or an option",
                    flag.canonical()
                );
                let span = next.span;
                self.unknown(UnknownKind::MaybeOption, span, why);
                self.next_value(flag)
            }
        }
    }

    /// A run of words: up to its end word, to the end, or to the next option.
    fn run_of_words(&mut self, slot: &FlagValue) -> Vec<Field> {
        let runs = slot.effects.iter().find_map(|effect| effect.kind.runs());
        let mut out: Vec<Field> = Vec::new();
        match runs {
            Some(runs) if runs.until.is_some() || runs.until_plus.is_some() => {
                while let Some(field) = self.queue.pop_front() {
                    let ends = |word: &Option<SmolStr>| {
                        word.as_ref().map_or(Truth::No, |word| equals(&field.value, word))
                    };
                    let plus = match (&runs.placeholder, out.last()) {
                        (Some(placeholder), Some(last)) => {
                            ends(&runs.until_plus).and(equals(&last.value, placeholder))
                        }
                        _ => Truth::No,
                    };
                    match ends(&runs.until).or(plus) {
                        Truth::Yes if field.count != Count::Any => {
                            // The word itself tells later on which of the two ended it.
                            out.push(field);
                            return out;
                        }
                        Truth::Yes | Truth::Maybe => {
                            let why = "where the command ends is not known".to_owned();
                            self.unknown(UnknownKind::Program, field.span, why);
                        }
                        Truth::No => {}
                    }
                    out.push(field);
                }
            }
            Some(_) => out.extend(self.queue.drain(..)),
            None => {
                while let Some(field) = self.queue.front() {
                    match begins(&field.value, "-") {
                        Truth::Yes => break,
                        Truth::No => {}
                        Truth::Maybe => {
                            let (span, why) =
                                (field.span, "where the run of words ends is not known".to_owned());
                            self.unknown(UnknownKind::MaybeOption, span, why);
                        }
                    }
                    out.extend(self.queue.pop_front());
                }
            }
        }
        out
    }

    /// `env -S`: the words of the string take the place of the option.
    fn splice(&mut self, given: &Given<'d>) {
        if !self.current.operands_run {
            return;
        }
        for (slot, field) in &given.values {
            let splits = slot
                .effects
                .iter()
                .any(|effect| matches!(effect.kind, ValueKind::RunsSplit));
            if !splits {
                continue;
            }
            self.spliced += 1;
            let words = field.known().filter(|_| self.spliced <= 8).and_then(split_string);
            let Some(words) = words else {
                let why = "the command line in the string is not known".to_owned();
                self.unknown(UnknownKind::Program, field.span, why);
                continue;
            };
            for value in words.into_iter().rev() {
                self.queue.push_front(Field {
                    value,
                    count: Count::One,
                    ..field.clone()
                });
            }
        }
    }

    /// A word that is known in part, where options are accepted.
    fn partly_known(&mut self, field: Field) {
        let options = self.current.options;
        let start = beginning(&field.value);
        let dash = begins(&field.value, "-");
        let sign_is_known = dash == Truth::Yes && start.len() > 1;
        match options.style {
            Style::Gnu | Style::Tar if sign_is_known => {
                let before = self.given.len();
                if start.starts_with("--") {
                    if start.contains('=') {
                        self.long(&start, &field);
                    } else {
                        let why = format!("`{start}...` is an option that is not known");
                        self.unknown(UnknownKind::Option, field.span, why);
                    }
                } else {
                    let value = field.value.clone();
                    self.bundle(&start, &value, 1, &field);
                }
                for given in self.given.iter_mut().skip(before) {
                    given.certain &= field.count != Count::Any;
                }
                return;
            }
            Style::SingleDashWords if sign_is_known => {
                match start.split_once('=').map(|(name, _)| name) {
                    Some(name) if self.flag(name).is_some() => self.dash_word(&start, &field, true),
                    Some(_) | None if self.glued(&start).is_some() => self.dash_word(&start, &field, true),
                    Some(_) | None => {
                        let why = format!("`{start}...` is an option that is not known");
                        self.unknown(UnknownKind::Option, field.span, why);
                    }
                }
                return;
            }
            Style::Dd => {
                if let Some(flag) = self.glued(&start) {
                    self.give_glued(flag, &start, &field.value.clone(), &field);
                } else {
                    let why = "which operand it is is not known".to_owned();
                    self.unknown(UnknownKind::Option, field.span, why);
                }
                return;
            }
            Style::Gnu | Style::Tar | Style::SingleDashWords | Style::None => {}
        }
        if dash == Truth::Yes {
            let why = format!("`{start}...` is an option that is not known");
            self.unknown(UnknownKind::Option, field.span, why);
            return;
        }
        let suspect = Suspect::new(&field, self.current);
        if let Some(unknown) = suspicion(&suspect, self) {
            self.unknowns.push(unknown);
        }
        self.operand(field);
    }

    fn operand(&mut self, field: Field) {
        if self.operands.is_empty() && !self.dashes && !self.current.commands.is_empty() {
            match self.subcommand(&field) {
                Ok(Some(command)) => {
                    self.descend(command, &field);
                    return;
                }
                Ok(None) => {}
                Err(why) => self.unknown(UnknownKind::Subcommand, field.span, why),
            }
        }
        self.push_word(WordKind::Operand, field.clone(), Vec::new());
        self.operands.push(Operand {
            field,
            after_dashes: self.dashes,
            order: self.order,
        });
        if self.current.operands_run && !self.ended {
            let plan = OperandPlan::new(self.current, &self.given, &self.operands);
            self.ended = plan.command_line_has_begun();
        }
    }

    fn subcommand(&self, field: &Field) -> Result<Option<&'d Command>, String> {
        let takes_operands = takes_operands(self.current);
        if let Some(text) = field.known() {
            return match self.current.subcommand(text) {
                Some(command) => Ok(Some(command)),
                None if takes_operands => Ok(None),
                None => Err(format!(
                    "`{text}` is not a known subcommand of `{}`",
                    self.called()
                )),
            };
        }
        let could_be = self.current.commands.iter().any(|command| {
            std::iter::once(&command.name)
                .chain(&command.aliases)
                .any(|name| equals(&field.value, name).possible())
        });
        if takes_operands && !could_be {
            return Ok(None);
        }
        Err(format!("the subcommand of `{}` is not known", self.called()))
    }

    fn descend(&mut self, command: &'d Command, field: &Field) {
        let mut aside = Vec::new();
        self.words.retain(|word| {
            let keep = word.kind == WordKind::Command;
            if !keep {
                aside.push(word.field.clone());
            }
            keep
        });
        self.set_aside.append(&mut aside);
        for given in &mut self.given {
            given.set_aside = true;
        }
        self.chain.push(command);
        self.current = command;
        self.push_word(
            WordKind::Command,
            Field {
                value: Value::Known(command.name.clone()),
                ..field.clone()
            },
            Vec::new(),
        );
    }
}

/// Whether a command takes operands of its own, besides subcommands; with or without them it does something by itself.
fn takes_operands(command: &Command) -> bool {
    !command.args.is_empty() || command.blocks.iter().any(block_about_operands)
}

fn block_about_operands(block: &Block) -> bool {
    !block.args.is_empty()
        || block.tests.iter().any(|test| match test {
            Test::Operands { .. } | Test::Operand { .. } => true,
            Test::Flags(_) => false,
        })
        || block.blocks.iter().any(block_about_operands)
}
