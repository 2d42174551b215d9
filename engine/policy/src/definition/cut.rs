//! Cuts an argv into options, their values, subcommands and operands, as the program itself would.
//!
//! Invariant (maybe an option): a word that could be an option where one is accepted is an operand and, unless no option it
//! could be matters, an unknown as well.

mod operand;
mod spelling;
mod values;

use std::collections::VecDeque;

use engine_shell::{Count, Field, Span, Value};
use smol_str::SmolStr;

use self::operand::takes_operands;
use super::model::{Command, Definition, Flag, FlagValue, Style};
use super::partial::{beginning, begins};
use super::suspect::{Suspect, suspicion};
use crate::effect::{NormalWord, Unknown, UnknownKind, WordKind};
use crate::truth::Truth;

/// The name of an option that stands for every long one that is not listed.
pub(super) const ANY_LONG: &str = "--*";

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
            // Letters of a bundle that stand behind it have been read as well.
            self.terminal &= self.given.last().is_some_and(|given| given.flag.terminal);
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

    fn push_word(&mut self, kind: WordKind, field: Field, names: Vec<SmolStr>) {
        self.words.push(NormalWord { kind, field, names });
    }

    pub(super) fn unknown(&mut self, kind: UnknownKind, span: Span, why: String) {
        self.unknowns.push(Unknown { kind, why, span });
    }

    /// The names of program and subcommands.
    pub(super) fn called_by(&self) -> impl Iterator<Item = &SmolStr> {
        self.words
            .iter()
            .filter(|word| word.kind == WordKind::Command)
            .filter_map(|word| match &word.field.value {
                Value::Known(name) => Some(name),
                Value::OneOf(_)
                | Value::Glob(_)
                | Value::Below(_)
                | Value::Affixed { .. }
                | Value::Integer
                | Value::Descriptor
                | Value::Unknown(_) => None,
            })
    }

    /// Program and subcommands for a person.
    fn called(&self) -> String {
        let mut out = String::new();
        for name in self.called_by() {
            if !out.is_empty() {
                out.push(' ');
            }
            out.push_str(name);
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
}
