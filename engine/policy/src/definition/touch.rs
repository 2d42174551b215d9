//! Turns a cut argv into what it touches, runs and connects to.
//!
//! Invariant (all values): every value of a given option and every operand passes through all effects that its definition
//! names for it; where several lists of operands may hold, through those of each.

mod lines;
mod named;
mod own;
mod places;
mod prepared;
mod programs;
mod value;

use engine_shell::{Field, Language, Span, Value};
use smol_str::SmolStr;

use super::apply::ApplyContext;
use super::cut::Cut;
use super::model::{Follows, ValueEffect};
use super::operands::{OperandPlan, ValuesOf, own_effects, values_besides};
use crate::effect::{Effect, EffectKind, EffectSource, Nested, PathUse, Unknown, UnknownKind, Use};

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
        command: cut.called_by().cloned().collect(),
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
        warnings: Vec::new(),
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
    let own = own_effects(&cut.chain, &cut.given, &cut.operands);
    touch.prepare(&plan, &own);
    touch.own(&plan, own);
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
}
