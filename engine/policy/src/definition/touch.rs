//! Turns a cut argv into what it touches, runs and connects to.
//!
//! Invariant (all values): every value of a given option and every operand passes through all effects that its definition
//! names for it; where several lists of operands may hold, through those of each.

mod lines;
mod named;

use engine_shell::{Count, Field, Language, Origin, ProgramEffectKind, Span, Value, analyse_program};
use smol_str::SmolStr;

use super::apply::ApplyContext;
use super::cut::{Cut, Operand};
use super::model::{Follows, OrPath, Own, ValueEffect, ValueKind};
use super::operands::{Cause, OperandList, OperandPlan, Place, ValuesOf, own_effects, values_besides};
use super::partial::{
    Truth, affixed, basename, beginning, join, no_narrower, no_wider, spaced, texts, without_beginning,
};
use super::pick::picked;
use crate::effect::{Effect, EffectKind, EffectSource, Nested, PathUse, Unknown, UnknownKind, Use};

/// Programs that a text of theirs is for themselves.
const SHELLS: &[&str] = &["ash", "bash", "dash", "ksh", "mksh", "sh", "zsh"];

/// Who names an effect.
#[derive(Clone)]
struct From {
    name: SmolStr,
    source: EffectSource,
    span: Span,
    order: usize,
}

/// What a value is held against besides itself.
#[derive(Default)]
struct Others {
    /// Names that the other operands end in.
    names: Vec<Value>,
    /// Some of them are touched with everything below.
    trees: bool,
}

/// A program text in a language that is analysed.
struct Text {
    language: Language,
    parts: Vec<Field>,
    from: From,
}

/// A change of directory: the value, where it stands, whether it holds for operands that follow only.
struct Change {
    value: Value,
    order: usize,
    following: bool,
}

struct Touch<'a, 'd> {
    cut: &'a Cut<'d>,
    context: &'a ApplyContext,
    changes: Vec<Change>,
    narrowed: Vec<Value>,
    excluded: Vec<Value>,
    env: Vec<(Value, Value)>,
    programs: Vec<Text>,
    default_run: Option<&'d [SmolStr]>,
    /// What the values of options are in the blocks that hold.
    besides: Vec<ValuesOf<'d>>,
    out: Use,
}

/// What a cut argv does.
pub(super) fn touch(mut cut: Cut<'_>, context: &ApplyContext) -> Use {
    let current = cut.current();
    let out = Use {
        command: std::iter::once(cut.program.clone())
            .chain(cut.chain.iter().skip(1).map(|command| command.name.clone()))
            .collect(),
        words: std::mem::take(&mut cut.words),
        set_aside: std::mem::take(&mut cut.set_aside),
        effects: Vec::new(),
        nested: Vec::new(),
        unknowns: std::mem::take(&mut cut.unknowns),
        complete: current.complete,
        wrapper: cut.chain.iter().any(|command| command.wrapper),
        prints_paths: None,
        reads_stdin: false,
        runs_stdin: None,
        class: cut.chain.iter().rev().find_map(|command| command.class.clone()),
    };
    if cut.terminal {
        return out;
    }
    let mut touch = Touch {
        cut: &cut,
        context,
        changes: Vec::new(),
        narrowed: Vec::new(),
        excluded: Vec::new(),
        env: Vec::new(),
        programs: Vec::new(),
        default_run: None,
        besides: values_besides(&cut.chain, &cut.given, &cut.operands),
        out,
    };
    let plan = OperandPlan::new(current, &cut.given, &cut.operands);
    touch.prepare(&plan);
    touch.own(&plan);
    touch.given(&plan);
    for list in &plan.lists {
        touch.list(list);
    }
    touch.programs();
    touch.out
}

impl<'d> Touch<'_, 'd> {
    fn unknown(&mut self, kind: UnknownKind, span: Span, why: String) {
        let unknown = Unknown { kind, why, span };
        if !self.out.unknowns.contains(&unknown) {
            self.out.unknowns.push(unknown);
        }
    }

    fn effect(&mut self, kind: EffectKind, from: &From) {
        let effect = Effect {
            kind,
            span: from.span,
            from: from.name.clone(),
            source: from.source,
        };
        if !self.out.effects.contains(&effect) {
            self.out.effects.push(effect);
        }
    }

    fn nest(&mut self, nested: Nested) {
        if !self.out.nested.contains(&nested) {
            self.out.nested.push(nested);
        }
    }

    /// Directories, globs and variables first: they bear on values wherever these stand.
    fn prepare(&mut self, plan: &OperandPlan<'d>) {
        let cut = self.cut;
        for given in &cut.given {
            for (slot, field) in &given.values {
                for effect in slot.effects.iter().chain(self.besides(&given.flag.names)) {
                    self.prepare_value(effect, &field.value, given.order);
                }
            }
        }
        for list in &plan.lists {
            for place in &list.places {
                for operand in operands(cut, place) {
                    for effect in &place.arg.effects {
                        self.prepare_value(effect, &operand.field.value, operand.order);
                    }
                }
            }
        }
        let some_narrow = !self.narrowed.is_empty();
        // An unknown glob narrows to anything.
        let narrowed: Option<Vec<_>> = self.narrowed.iter().map(no_narrower).collect();
        self.narrowed = narrowed.unwrap_or_default().concat();
        self.excluded = self.excluded.iter().filter_map(no_wider).collect();
        // Which of the two wins depends on their order.
        if some_narrow && !self.excluded.is_empty() {
            self.narrowed.clear();
            self.excluded.clear();
        }
    }

    fn prepare_value(&mut self, effect: &ValueEffect, value: &Value, order: usize) {
        match effect.kind {
            ValueKind::ChangesDirectory { following } => {
                self.changes
                    .extend(picked(&effect.shape, value).into_iter().map(|value| Change {
                        value,
                        order,
                        following,
                    }));
            }
            ValueKind::Narrows => self.narrowed.extend(picked(&effect.shape, value)),
            ValueKind::Excludes => self.excluded.extend(picked(&effect.shape, value)),
            ValueKind::SetsEnv => self
                .env
                .extend(picked(&effect.shape, value).iter().map(assignment)),
            ValueKind::Reads
            | ValueKind::ReadsTree
            | ValueKind::Writes
            | ValueKind::WritesInto
            | ValueKind::WritesTree
            | ValueKind::Creates
            | ValueKind::Deletes
            | ValueKind::DeletesTree
            | ValueKind::Links
            | ValueKind::Connects { .. }
            | ValueKind::Runs(_)
            | ValueKind::RunsSplit
            | ValueKind::RunsShell { .. }
            | ValueKind::Evaluates(_)
            | ValueKind::LoadsCode
            | ValueKind::Appears => {}
        }
    }

    /// The directory that a value at this place is relative to.
    fn below(&self, from: &From) -> Option<Value> {
        let operand = from.source == EffectSource::Operand;
        // The option that changes the directory is itself relative to the changes before it.
        let changes_it = !operand && self.changes.iter().any(|change| change.order == from.order);
        self.changes
            .iter()
            .filter(|change| !changes_it || change.order < from.order)
            .filter(|change| !change.following || (operand && change.order < from.order))
            .fold(None, |so_far, change| {
                Some(match so_far {
                    Some(before) => join(&before, &change.value),
                    None => change.value.clone(),
                })
            })
    }

    /// What the value of an option is besides what the option says itself.
    fn besides(&self, names: &[SmolStr]) -> Vec<&'d ValueEffect> {
        self.besides
            .iter()
            .filter(|(flag, _)| names.contains(flag))
            .flat_map(|(_, effects)| effects.iter())
            .collect()
    }

    fn path(&self, path: Value, tree: bool, from: &From) -> PathUse {
        PathUse {
            path,
            below: self.below(from),
            tree,
            narrowed: Vec::new(),
            excluded: Vec::new(),
            follows: Follows::No,
            into: Vec::new(),
        }
    }

    fn reads(&mut self, path: Value, tree: bool, from: &From) {
        self.reads_through(path, tree, Follows::No, from);
    }

    fn reads_through(&mut self, path: Value, tree: bool, follows: Follows, from: &From) {
        let mut path = self.path(path, tree, from);
        path.follows = follows;
        if tree {
            path.narrowed.clone_from(&self.narrowed);
            path.excluded.clone_from(&self.excluded);
        }
        self.effect(EffectKind::Reads(path), from);
    }

    fn writes(&mut self, path: Value, tree: bool, from: &From) {
        let path = self.path(path, tree, from);
        self.effect(EffectKind::Writes(path), from);
    }

    fn program_span(&self) -> Span {
        self.out
            .words
            .first()
            .map_or_else(Span::default, |word| word.field.span)
    }

    fn own(&mut self, plan: &OperandPlan<'d>) {
        let span = self
            .out
            .words
            .iter()
            .take(self.cut.chain.len())
            .fold(self.program_span(), |span, word| span.to(word.field.span));
        let own = own_effects(&self.cut.chain, &self.cut.given, &self.cut.operands);
        for (own, cause) in own {
            let from = match cause {
                Some(Cause {
                    span,
                    name,
                    set_aside,
                }) => From {
                    name,
                    source: if set_aside {
                        EffectSource::SetAside
                    } else {
                        EffectSource::Option
                    },
                    span,
                    order: 0,
                },
                None => From {
                    name: SmolStr::default(),
                    source: EffectSource::Own,
                    span,
                    order: 0,
                },
            };
            self.own_effect(own, &from, plan);
        }
    }

    fn own_effect(&mut self, own: &'d Own, from: &From, plan: &OperandPlan<'d>) {
        match own {
            Own::Changes { destructive } => self.effect(
                EffectKind::Changes {
                    destructive: *destructive,
                },
                from,
            ),
            Own::Network => self.effect(EffectKind::Connects(None), from),
            Own::Privileged => self.effect(EffectKind::Privileged, from),
            Own::Background => self.effect(EffectKind::Background, from),
            Own::Interactive => self.effect(EffectKind::Interactive, from),
            Own::ReadsStdin => self.out.reads_stdin = true,
            Own::RunsStdin(language) => self.out.runs_stdin = Some(language.clone()),
            Own::State(what) => self.effect(EffectKind::State(what.clone()), from),
            Own::PrintsPaths { arg, bare } => {
                self.out.prints_paths = Some(if !self.changes.is_empty() {
                    Value::Unknown(Origin::Input)
                } else if arg == "." {
                    Value::Below(SmolStr::default())
                } else {
                    self.found(plan, Some(arg), *bare)
                });
            }
            Own::Unknown(why) => self.unknown(UnknownKind::Stated, from.span, why.to_string()),
            Own::ReadsListed(why) => {
                self.unknown(UnknownKind::Stated, from.span, why.to_string());
                self.reads(Value::Unknown(Origin::Input), false, from);
            }
            Own::WritesListed(why) => {
                self.unknown(UnknownKind::Stated, from.span, why.to_string());
                self.writes(Value::Unknown(Origin::Input), false, from);
            }
            Own::Consults { file, keys } => self.effect(
                EffectKind::Consults {
                    file: file.clone(),
                    keys: keys.clone(),
                },
                from,
            ),
            Own::Reads { path, tree } => self.reads(Value::Known(path.clone()), *tree, from),
            Own::Writes { path, tree } => self.writes(Value::Known(path.clone()), *tree, from),
            Own::Evaluates(language) => self.effect(EffectKind::Evaluates(language.clone()), from),
            Own::RunsDefault(words) => self.default_run = Some(words),
        }
    }

    /// The paths that are found below the operands.
    fn found(&self, plan: &OperandPlan<'d>, name: Option<&SmolStr>, bare: bool) -> Value {
        let mut roots: Vec<Value> = Vec::new();
        for place in plan.lists.iter().flat_map(|list| &list.places) {
            let wanted = match name {
                Some(name) => place.arg.name == *name,
                None => !place.arg.effects.is_empty(),
            };
            if !wanted {
                continue;
            }
            roots.extend(operands(self.cut, place).map(|operand| operand.field.value.clone()));
            if !place.filled && !bare {
                roots.extend(place.arg.default.clone().map(Value::Known));
            }
        }
        roots.dedup();
        below_all(&roots)
    }

    fn given(&mut self, plan: &OperandPlan<'d>) {
        if self.cut.given.is_empty() {
            return;
        }
        let mut others = Others::default();
        for list in &plan.lists {
            self.gather(list, None, &mut others);
        }
        let cut = self.cut;
        for given in &cut.given {
            let from = From {
                name: given.flag.canonical().clone(),
                source: if given.set_aside {
                    EffectSource::SetAside
                } else {
                    EffectSource::Option
                },
                span: given.span,
                order: given.order,
            };
            for own in &given.flag.own {
                self.own_effect(own, &from, plan);
            }
            let mut run_seen = false;
            for (slot, field) in &given.values {
                for effect in slot.effects.iter().chain(self.besides(&given.flag.names)) {
                    if let Some(runs) = effect.kind.runs() {
                        // All its words together are one command line.
                        if !run_seen {
                            let words = given.values.iter().map(|(_, field)| field.clone()).collect();
                            self.command_line(runs, words, &from, plan);
                        }
                        run_seen = true;
                        continue;
                    }
                    let from = From {
                        span: field.span,
                        ..from.clone()
                    };
                    self.value(effect, field, &from, &others, &[]);
                }
            }
        }
    }

    /// Names and habits of the operands in a list, apart from one place.
    fn gather(&self, list: &OperandList<'d>, except: Option<usize>, others: &mut Others) {
        for (at, place) in list.places.iter().enumerate() {
            if Some(at) == except || place.arg.effects.is_empty() {
                continue;
            }
            others
                .names
                .extend(operands(self.cut, place).map(|operand| basename(&operand.field.value)));
            others.trees |= place
                .arg
                .effects
                .iter()
                .any(|effect| matches!(effect.kind, ValueKind::ReadsTree | ValueKind::DeletesTree));
        }
        others.names.dedup();
    }

    fn list(&mut self, list: &OperandList<'d>) {
        let cut = self.cut;
        for (at, place) in list.places.iter().enumerate() {
            let mut others = Others::default();
            self.gather(list, Some(at), &mut others);
            for (nth, operand) in operands(cut, place).enumerate() {
                let from = From {
                    name: place.arg.name.clone(),
                    source: EffectSource::Operand,
                    span: operand.field.span,
                    order: operand.order,
                };
                for effect in &place.arg.effects {
                    if effect.kind.takes_the_rest() {
                        if nth == 0 {
                            self.rest(effect, list, at, &from);
                        }
                        continue;
                    }
                    self.value(effect, &operand.field, &from, &others, &[]);
                }
            }
            if !place.filled {
                self.absent(place, &others);
            }
        }
        let which = |unknown: &Unknown| unknown.kind == UnknownKind::Subcommand;
        let unknown_command = self.out.unknowns.iter().any(which);
        for at in list.unexplained.iter().filter(|_| !unknown_command) {
            if let Some(operand) = cut.operands.get(*at) {
                let why = match operand.field.known() {
                    Some(text) => format!("`{text}` is an operand that `{}` does not take", cut.program),
                    None => format!("an operand that `{}` does not take", cut.program),
                };
                self.unknown(UnknownKind::Value, operand.field.span, why);
            }
        }
    }

    /// A place that may be empty: its default, or the command line that is run without one.
    fn absent(&mut self, place: &Place<'d>, others: &Others) {
        let from = From {
            name: place.arg.name.clone(),
            source: EffectSource::Operand,
            span: self.program_span(),
            order: usize::MAX,
        };
        if let Some(default) = &place.arg.default {
            let field = Field::literal(default.clone(), from.span);
            for effect in &place.arg.effects {
                self.value(effect, &field, &from, others, &[]);
            }
        }
        if let Some(words) = self.default_run {
            let span = from.span;
            for effect in &place.arg.effects {
                if let Some(runs) = effect.kind.runs() {
                    let words = words
                        .iter()
                        .map(|word| Field::literal(word.clone(), span))
                        .collect();
                    self.command_line(runs, words, &from, &OperandPlan { lists: Vec::new() });
                }
            }
        }
    }

    /// An operand with which a command line begins, or a text for a shell.
    fn rest(&mut self, effect: &ValueEffect, list: &OperandList<'d>, at: usize, from: &From) {
        let Some((place, first)) = list
            .places
            .get(at)
            .and_then(|place| Some((place, *place.operands.first()?)))
        else {
            return;
        };
        let before = list.places.iter().take(at).flat_map(|place| &place.operands);
        let moved = list.uncertain
            && (before.clone().any(|index| *index >= first)
                || before
                    .filter_map(|index| self.cut.operands.get(*index))
                    .any(|operand| operand.field.count != Count::One));
        if moved {
            let why = "which word is the program is not known".to_owned();
            self.unknown(UnknownKind::Program, from.span, why);
        }
        let words: Vec<Field> = self
            .cut
            .operands
            .iter()
            .skip(first)
            .map(|operand| operand.field.clone())
            .collect();
        if let Some(runs) = effect.kind.runs() {
            let plan = OperandPlan { lists: Vec::new() };
            self.command_line(runs, words, from, &plan);
            return;
        }
        let (text, positional) = if place.arg.variadic {
            let text = Field {
                value: spaced(words.iter().map(|word| (&word.value, word.count == Count::One))),
                count: Count::One,
                span: words.iter().fold(from.span, |span, word| span.to(word.span)),
                ..words
                    .first()
                    .cloned()
                    .unwrap_or_else(|| Field::literal("", from.span))
            };
            (text, Vec::new())
        } else {
            let mut words = words.into_iter();
            let text = words.next().unwrap_or_else(|| Field::literal("", from.span));
            (text, words.collect())
        };
        self.value(effect, &text, from, &Others::default(), &positional);
    }

    /// One effect of one value.
    fn value(
        &mut self,
        effect: &ValueEffect,
        field: &Field,
        from: &From,
        others: &Others,
        positional: &[Field],
    ) {
        for value in picked(&effect.shape, &field.value) {
            if effect.renaming.is_none() {
                self.picked_value(effect, value, field, from, others, positional);
                continue;
            }
            // What a program writes beside a file is written there, whatever the file's name may be.
            for suffix in self.suffixes(effect) {
                self.renamed(effect, &value, suffix.as_ref(), from, others);
            }
        }
    }

    /// One effect of one path or text.
    fn picked_value(
        &mut self,
        effect: &ValueEffect,
        value: Value,
        field: &Field,
        from: &From,
        others: &Others,
        positional: &[Field],
    ) {
        let stream = effect.dash && value.known() == Some("-");
        match &effect.kind {
            ValueKind::Reads | ValueKind::ReadsTree | ValueKind::Writes if stream => {}
            ValueKind::Reads => self.reads(value, false, from),
            ValueKind::ReadsTree => self.reads_through(value, true, effect.follows, from),
            ValueKind::Writes | ValueKind::Creates => self.writes(value, false, from),
            ValueKind::WritesTree => self.writes(value, true, from),
            ValueKind::WritesInto => {
                let mut path = self.path(value, others.trees, from);
                path.into.clone_from(&others.names);
                self.effect(EffectKind::Writes(path), from);
            }
            ValueKind::Deletes => {
                let path = self.path(value, false, from);
                self.effect(EffectKind::Deletes(path), from);
            }
            ValueKind::DeletesTree => {
                let path = self.path(value, true, from);
                self.effect(EffectKind::Deletes(path), from);
            }
            ValueKind::Links => {
                self.reads(value.clone(), true, from);
                self.writes(value, true, from);
            }
            ValueKind::Connects { or } => self.connects(value, *or, effect.follows, from),
            ValueKind::RunsSplit => self.split(&value, field, from),
            ValueKind::RunsShell { remote, shell, .. } => {
                let program = self.cut.program.as_str();
                let shell = match shell {
                    Some(shell) => shell.clone(),
                    None if SHELLS.contains(&program) => SmolStr::new(program),
                    None => SmolStr::new_static("sh"),
                };
                let below = self.below(from);
                self.nest(Nested::Shell {
                    text: Field {
                        value,
                        ..field.clone()
                    },
                    positional: positional.to_vec(),
                    shell,
                    remote: *remote,
                    below,
                    span: from.span,
                });
            }
            ValueKind::Evaluates(language) => match language.parse::<Language>() {
                Ok(language) => {
                    let part = Field {
                        value,
                        ..field.clone()
                    };
                    // Texts of one language at several options are one program.
                    match self
                        .programs
                        .iter_mut()
                        .find(|program| program.language == language)
                    {
                        Some(program) if !program.parts.contains(&part) => program.parts.push(part),
                        Some(_) => {}
                        None => self.programs.push(Text {
                            language,
                            parts: vec![part],
                            from: from.clone(),
                        }),
                    }
                }
                Err(_) => self.effect(EffectKind::Evaluates(language.clone()), from),
            },
            ValueKind::LoadsCode => {
                let value = match self.below(from) {
                    Some(below) => join(&below, &value),
                    None => value,
                };
                self.effect(EffectKind::LoadsCode(value), from);
            }
            ValueKind::SetsEnv => {
                let (name, value) = assignment(&value);
                self.effect(EffectKind::SetsEnv { name, value }, from);
            }
            // Command lines are gathered whole, and the others are prepared before.
            ValueKind::Runs(_)
            | ValueKind::ChangesDirectory { .. }
            | ValueKind::Narrows
            | ValueKind::Excludes
            | ValueKind::Appears => {}
        }
    }

    fn connects(&mut self, value: Value, or: Option<OrPath>, follows: Follows, from: &From) {
        let Some(or) = or else {
            self.effect(EffectKind::Connects(Some(value)), from);
            return;
        };
        let remote = names_host(&value);
        if remote != Truth::Yes {
            match or {
                OrPath::Read => self.reads_through(value.clone(), true, follows, from),
                OrPath::Write => self.writes(value.clone(), true, from),
                OrPath::ReadFile | OrPath::WriteFile if value.known() == Some("-") => {}
                OrPath::ReadFile => self.reads(value.clone(), false, from),
                OrPath::WriteFile => self.writes(value.clone(), false, from),
            }
        }
        if remote != Truth::No {
            self.effect(EffectKind::Connects(Some(value)), from);
        }
    }

    /// What the programs in other languages do.
    fn programs(&mut self) {
        for Text {
            language,
            parts,
            from,
        } in std::mem::take(&mut self.programs)
        {
            let texts: Option<Vec<&str>> = parts.iter().map(Field::known).collect();
            let Some(texts) = texts else {
                let why = format!("the {} program is not known", language.name());
                self.unknown(UnknownKind::Value, from.span, why);
                continue;
            };
            let effects = match analyse_program(language, &texts.join("\n")) {
                Ok(effects) => effects,
                Err(error) => {
                    let why = format!("the {} program is not understood: {error}", language.name());
                    self.unknown(UnknownKind::Value, from.span, why);
                    continue;
                }
            };
            for effect in effects {
                match effect.kind {
                    ProgramEffectKind::ReadsFile(path) => self.reads(path, false, &from),
                    ProgramEffectKind::WritesFile(path) => self.writes(path, false, &from),
                    ProgramEffectKind::RunsShell(Some(text)) => {
                        let below = self.below(&from);
                        self.nest(Nested::Shell {
                            text: Field::literal(text, from.span),
                            positional: Vec::new(),
                            shell: SmolStr::new_static("sh"),
                            remote: false,
                            below,
                            span: from.span,
                        });
                    }
                    ProgramEffectKind::RunsShell(None) => {
                        let why = format!("the {} program runs a command that is not known", language.name());
                        self.unknown(UnknownKind::Program, from.span, why);
                    }
                    ProgramEffectKind::Connects(address) => {
                        self.effect(EffectKind::Connects(Some(address)), &from);
                    }
                    ProgramEffectKind::ReadsEnvironment => {
                        let why = format!("the {} program reads the environment", language.name());
                        self.unknown(UnknownKind::Stated, from.span, why);
                    }
                    ProgramEffectKind::LoadsCode(value) => self.effect(EffectKind::LoadsCode(value), &from),
                    ProgramEffectKind::NamesInput => {}
                }
            }
        }
    }
}

fn operands<'a>(cut: &'a Cut<'_>, place: &'a Place<'_>) -> impl Iterator<Item = &'a Operand> {
    place.operands.iter().filter_map(|at| cut.operands.get(*at))
}

/// NAME=VALUE; a name alone leaves the value to the environment.
fn assignment(value: &Value) -> (Value, Value) {
    let start = beginning(value);
    match start.split_once('=') {
        Some((name, _)) => (
            Value::Known(SmolStr::new(name)),
            without_beginning(value, name.len() + 1),
        ),
        None if value.known().is_some() => (value.clone(), Value::Unknown(Origin::Variable)),
        None => (Value::Unknown(Origin::Variable), Value::Unknown(Origin::Variable)),
    }
}

/// Whether a value names a host rather than a path: a scheme, or a colon before any slash.
fn names_host(value: &Value) -> Truth {
    let of = |text: &str| {
        let before = text.split('/').next().unwrap_or(text);
        before.contains(':')
    };
    if let Some(all) = texts(value) {
        return all
            .iter()
            .map(|text| if of(text) { Truth::Yes } else { Truth::No })
            .reduce(|one, other| if one == other { one } else { Truth::Maybe })
            .unwrap_or(Truth::Maybe);
    }
    let start = beginning(value);
    if of(&start) {
        Truth::Yes
    } else if start.contains('/') {
        Truth::No
    } else {
        Truth::Maybe
    }
}

/// Paths at or below one of these.
fn below_all(roots: &[Value]) -> Value {
    let inside = |text: &str| !text.starts_with('/') && text.split('/').all(|part| part != "..");
    match roots {
        [Value::Known(root)] => {
            let trimmed = root.trim_end_matches('/');
            if trimmed.is_empty() {
                return affixed(SmolStr::new_static("/"), SmolStr::default());
            }
            Value::Below(SmolStr::new(trimmed))
        }
        [Value::Below(root)] => Value::Below(root.clone()),
        [] => Value::Below(SmolStr::default()),
        several => {
            let all_inside = several.iter().all(|root| match root {
                Value::Known(text) | Value::Below(text) => inside(text),
                Value::OneOf(all) => all.iter().all(|text| inside(text)),
                // A wildcard stands for no `..`, since it begins with a dot.
                Value::Glob(pattern) => {
                    inside(pattern) && !pattern.starts_with(['[', '\\']) && !pattern.contains("/[")
                }
                Value::Integer => true,
                Value::Affixed { .. } | Value::Descriptor | Value::Unknown(_) => false,
            });
            if all_inside {
                Value::Below(SmolStr::default())
            } else {
                Value::Unknown(Origin::Input)
            }
        }
    }
}
