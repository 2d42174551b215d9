//! One rule of a plan: what a reason shows of it and what must hold beside its pattern.

use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

use crate::document::Outcome;
use crate::layer::Layer;
use crate::pattern::{EnvironmentPattern, FlagPattern, Glob, ProgramPattern, WordPattern};
use crate::source::Place;

/// Name of a rule: its block's name, or `file:line`.
pub type RuleId = SmolStr;

/// One rule.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent facts about one rule, each read by itself"
)]
pub(crate) struct PlanRule {
    pub id: RuleId,
    pub outcome: Outcome,
    /// The pattern as written.
    pub pattern: SmolStr,
    /// The program that a command rule names, where it is one.
    pub program: Option<SmolStr>,
    /// Where its file comes from.
    pub layer: Layer,
    /// It comes from a file that may not loosen: a call is decided without it, too.
    pub tightens: bool,
    /// The rule in its file.
    pub place: Place,
    /// Line of the rule, from 1.
    pub line: u32,
    pub because: Option<SmolStr>,
    pub instead: Option<SmolStr>,
    pub conditions: Vec<CompiledCondition>,
    /// Assignments that a short rule spells before the program; all must be there.
    pub environment: Vec<EnvironmentPattern>,
    /// Options that its pattern or conditions spell out; an allow rule covers dangerous options only if it names them.
    pub options: Vec<SmolStr>,
    /// It names the program (its first word is not a star).
    pub names_program: bool,
    /// It allows editing in the short spelling, which is reading and writing.
    pub edits: bool,
    /// It matches every command.
    pub everything: bool,
    /// Its operands condition replaces the cover of operands.
    pub bounds_operands: bool,
}

/// A condition with its sets resolved.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum CompiledCondition {
    Flag(Vec<FlagPattern>),
    WithoutFlag(Vec<FlagPattern>),
    /// The number of the places in the plan.
    OperandsWithin(u32),
    Operand(u16, Vec<WordPattern>),
    Env(Vec<EnvironmentPattern>),
    /// The number of the places in the plan.
    Cwd(u32),
    PipedInto(Vec<ProgramPattern>),
    InPipeline(bool),
    Background(bool),
    Via(Vec<Glob>),
    Input(SmolStr, Vec<Glob>),
    /// A word begins with this text, which ends in a colon, and goes on with a plain name, or with a port where it is a URL.
    GoesOn(SmolStr),
}
