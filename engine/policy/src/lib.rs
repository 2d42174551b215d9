//! Policies as data: reads KDL and TOML, compiles one plan, decides tool calls with reasons and spans.
#![forbid(unsafe_code)]

mod decide;
pub mod definition;
mod diagnostic;
pub mod document;
mod effect;
mod facts;
pub mod format;
mod hooks;
mod layer;
pub mod lint;
mod load;
mod names;
pub mod pattern;
mod plan;
pub mod read;
mod resolve;
mod source;
mod testing;
mod tool_shape;
mod truth;
mod variables;
mod verdict;

pub use decide::{Call, Showing, Sieve, decide, tool_path};
pub use diagnostic::{Diagnostic, Level, Report};
pub use document::{CHECK_NAMES, Document, HookEvent, LIMIT_NAMES, Mode, Outcome, RequestKind, Severity};
pub use effect::{
    Effect, EffectKind, EffectSource, Follows, Nested, NormalWord, PathUse, Unknown, UnknownKind, Use,
    WordKind,
};
pub use facts::{Entry, Facts, Kind, Look, NoWorld, World, below, join_path};
pub use hooks::Matcher;
pub use layer::{Layer, Reason, Standing, Withheld};
pub use load::{
    Brought, Files, LayerRoot, Loaded, LoadedLayer, Root, SHIPPED, load, load_as_author, load_layers, shipped,
};
pub use names::nearest;
pub use plan::{
    Part, PatternOutline, Plan, PlanBudget, PlanBudgets, PlanDefer, PlanHook, PlanSession, RuleId,
    RuleOutline, Says, ToolBudget, compile, compile_layers, digest, locked, outline,
};
pub use source::{LineColumn, Place, Source, SourceId, Sources, Spanned};
pub use testing::{
    Case, CaseError, CaseOutcome, CaseRunner, Coverage, Expected, RuleCoverage, TEST_HOME, TEST_PROJECT,
    TestResult, parse_case, run_tests,
};
pub use tool_shape::{Absent, Effects, FieldShape, Role, ToolShape, Trees};
pub use truth::Truth;
pub use variables::{Danger, danger_of};
pub use verdict::{Decision, Note, Reported, Request, RuleInfo, RuleRef, Step, Why};
