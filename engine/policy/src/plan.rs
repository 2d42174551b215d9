//! The plan: every rule of every policy file, compiled once into indexes that deciding only reads.
//!
//! Invariant (only compiled): a [`Plan`] is made by [`compile`] alone (or read back from what one wrote), so that whatever it holds has
//! been checked. Invariant (closed sets): no set is referred to by name any more.

mod compile;
mod end;
mod graph;
mod hosts;
mod kept;
mod paths;
mod rules;
mod texts;
mod tools;
mod words;

pub(crate) use compile::file_word;
pub use compile::{Part, PatternOutline, RuleOutline, compile, compile_layers, locked, outline};
pub(crate) use end::{End, GroupId};
pub(crate) use hosts::{Host, HostIndex, known_host, parse_host};
pub(crate) use kept::Kept;
pub(crate) use paths::{Extent, Names, PathIndex, PathTries, Segment};
pub use rules::RuleId;
pub(crate) use rules::{CompiledCondition, PlanRule};
pub(crate) use texts::TextIndex;
pub use tools::{PlanBudget, PlanBudgets, PlanDefer, PlanHook, PlanSession, Says, ToolBudget};
pub(crate) use words::{ViewWord, WordTrie};

use std::sync::OnceLock;

use engine_shell::Limits;
use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

use crate::definition::{Catalogue, Definition};
use crate::document::{Mode, Outcome, RequestKind, Severity};
use crate::layer::Withheld;
use crate::pattern::{EnvironmentPattern, Glob};

/// All rules, ready to decide with. Immutable; share it behind an `Arc`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound(deserialize = "'de: 'static"))]
pub struct Plan {
    /// The rule of each group of patterns.
    pub(crate) rules: Kept<PlanRule>,
    /// Rules as they are written, each counted once however many groups its patterns are.
    pub(crate) rule_count: usize,
    pub(crate) commands: WordTrie,
    /// Patterns that are held against the words of a command without its options, which are conditions of their rules.
    pub(crate) operands: WordTrie,
    /// Programs that are named by their file: the group is the number of the stand-in first word in `commands`.
    pub(crate) program_files: PathIndex,
    pub(crate) texts: TextIndex,
    /// Places that conditions name, by number.
    pub(crate) places: Vec<PathIndex>,
    pub(crate) reads: PathIndex,
    pub(crate) writes: PathIndex,
    pub(crate) deletes: PathIndex,
    pub(crate) hosts: HostIndex,
    pub(crate) tools: Vec<(Glob, End)>,
    pub(crate) env: Vec<(EnvironmentPattern, End)>,
    pub(crate) agents: Vec<(Glob, End)>,
    pub(crate) skills: Vec<(Glob, End)>,
    pub(crate) mode_changes: Vec<(Mode, End)>,
    pub(crate) defaults: Vec<(RequestKind, Outcome)>,
    pub(crate) headless: Outcome,
    /// Severity of each check, by number from 1 less 1.
    pub(crate) severities: Vec<Severity>,
    pub(crate) modes: Vec<(Mode, Outcome)>,
    pub(crate) start_mode: Mode,
    pub(crate) limits: Vec<(SmolStr, u32)>,
    pub(crate) definitions: Vec<Definition>,
    /// Commands that run at events, in the order of their layers and files.
    pub(crate) hooks: Vec<PlanHook>,
    pub(crate) budgets: PlanBudgets,
    /// Of several lines for a tool the last one holds.
    pub(crate) deferred: Vec<PlanDefer>,
    pub(crate) session: PlanSession,
    /// What layers say that does not count.
    pub(crate) withheld: Vec<Withheld>,
    /// Some rules only tighten: a call is decided without them, too, and the stricter verdict holds.
    pub(crate) has_tighteners: bool,
    /// Names of the texts it was compiled from, in the order of their ids.
    pub(crate) source_names: Vec<SmolStr>,
    /// What follows from the fields above, made at the first use.
    #[serde(skip)]
    pub(crate) derived: OnceLock<Derived>,
}

/// What is made of a plan at its first use.
#[derive(Clone, Debug)]
pub(crate) struct Derived {
    catalogue: Catalogue,
    limits: Limits,
}

impl Plan {
    /// The verdict for requests of a kind that no rule matches.
    #[must_use]
    pub fn default_for(&self, kind: RequestKind) -> Outcome {
        self.defaults
            .iter()
            .find(|(own, _)| *own == kind)
            .map_or(Outcome::Ask, |&(_, outcome)| outcome)
    }

    /// Whether some kind of request is denied where no rule speaks of it.
    pub(crate) fn denies_by_default(&self) -> bool {
        self.defaults.iter().any(|(_, outcome)| *outcome == Outcome::Deny)
    }

    /// What becomes of ask where nobody can be asked.
    #[must_use]
    pub fn headless(&self) -> Outcome {
        self.headless
    }

    /// Number of rules, alternatives of one line counted once.
    #[must_use]
    pub fn rule_count(&self) -> usize {
        self.rule_count
    }

    /// The mode a session starts in.
    #[must_use]
    pub fn start_mode(&self) -> Mode {
        self.start_mode
    }

    /// Whether a mode may be used. Without a word about it, `bypass` may not and the others may.
    #[must_use]
    pub fn mode_allowed(&self, mode: Mode) -> Outcome {
        let unsaid = if mode == Mode::Bypass {
            Outcome::Deny
        } else {
            Outcome::Allow
        };
        self.modes
            .iter()
            .find(|(own, _)| *own == mode)
            .map_or(unsaid, |&(_, outcome)| outcome)
    }

    /// What layers say that does not count, since they may not loosen.
    #[must_use]
    pub fn withheld(&self) -> &[Withheld] {
        &self.withheld
    }

    /// What a finding of a shell check does, by the number of the check from 1.
    #[must_use]
    pub fn severity(&self, check: u8) -> Option<Severity> {
        self.severities.get(usize::from(check).checked_sub(1)?).copied()
    }

    /// A limit of the shell analysis, by its name among [`LIMIT_NAMES`](crate::LIMIT_NAMES).
    #[must_use]
    pub fn limit(&self, name: &str) -> Option<usize> {
        let limits = self.shell_limits();
        Some(match name {
            "text-bytes" => limits.text_bytes,
            "depth" => limits.depth,
            "reevaluations" => limits.reevaluations,
            "inlining" => limits.inlining,
            "commands" => limits.commands,
            "expansion-words" => limits.expansion_words,
            "set-values" => limits.set_values,
            "pending-heredocs" => limits.pending_heredocs,
            "steps" => limits.steps,
            _ => return None,
        })
    }

    /// Number of command definitions that the policies bring along.
    #[must_use]
    pub fn own_definition_count(&self) -> usize {
        self.definitions.len()
    }

    /// The plan as bytes, for [`Plan::from_bytes`] of the same build. `None` if it cannot be written.
    #[must_use]
    pub fn to_bytes(&self) -> Option<Vec<u8>> {
        postcard::to_allocvec(self).ok()
    }

    /// A plan that [`Plan::to_bytes`] of the same build made. The bytes must come from a trusted place: they are not checked against
    /// any policy. They stay in use as long as the program runs, so that a plan is read back without being copied.
    #[must_use]
    pub fn from_bytes(bytes: &'static [u8]) -> Option<Self> {
        postcard::from_bytes(bytes).ok()
    }

    fn derived(&self) -> &Derived {
        self.derived.get_or_init(|| Derived {
            catalogue: Catalogue::new(self.definitions.clone()),
            limits: limits_of(&self.limits),
        })
    }

    /// The command definitions: the shipped ones and those of the policy.
    #[must_use]
    pub fn catalogue(&self) -> &Catalogue {
        &self.derived().catalogue
    }

    pub(crate) fn shell_limits(&self) -> &Limits {
        &self.derived().limits
    }

    /// Rules that name a program nearly like this one, for an explanation: one line each, nearest first, at most three.
    pub(crate) fn near_misses(&self, program: &str) -> Vec<String> {
        let base = program.rsplit('/').next().unwrap_or(program);
        let mut near: Vec<(usize, &PlanRule)> = self
            .rules
            .iter()
            .filter_map(|rule| {
                let own = rule.program.as_deref()?;
                let distance = strsim::damerau_levenshtein(own, base);
                (distance <= 1).then_some((distance, rule))
            })
            .collect();
        near.sort_by_key(|(distance, _)| *distance);
        // A rule is entered as several groups where its options count anywhere.
        near.dedup_by_key(|(_, rule)| (rule.place, rule.pattern.clone()));
        let line = |rule: &PlanRule| {
            let file = self
                .source_names
                .get(rule.place.source.index())
                .map_or("", SmolStr::as_str);
            format!(
                "{} `{}` ({file}:{})",
                rule.outcome.as_str(),
                rule.pattern,
                rule.line
            )
        };
        near.iter().take(3).map(|(_, rule)| line(rule)).collect()
    }

    pub(crate) fn rule_of(&self, group: GroupId) -> Option<&PlanRule> {
        self.rules.get(group as usize)
    }
}

/// The shipped limits with a policy's changes.
fn limits_of(changes: &[(SmolStr, u32)]) -> Limits {
    let mut limits = Limits::DEFAULT;
    for (name, value) in changes {
        let value = *value as usize;
        // Nesting is also bounded by the stack, and the text by what is kept of it: a policy can only lower these.
        let most = match name.as_str() {
            "text-bytes" => Limits::MAX_TEXT_BYTES,
            "depth" => Limits::DEFAULT.depth,
            "reevaluations" => Limits::DEFAULT.reevaluations,
            "inlining" => Limits::DEFAULT.inlining,
            _ => usize::MAX,
        };
        if let Some(limit) = limit_slot(&mut limits, name) {
            *limit = value.min(most);
        }
    }
    limits
}

/// The limit of a name of [`LIMIT_NAMES`](crate::document::LIMIT_NAMES).
fn limit_slot<'l>(limits: &'l mut Limits, name: &str) -> Option<&'l mut usize> {
    Some(match name {
        "text-bytes" => &mut limits.text_bytes,
        "depth" => &mut limits.depth,
        "commands" => &mut limits.commands,
        "expansion-words" => &mut limits.expansion_words,
        "set-values" => &mut limits.set_values,
        "reevaluations" => &mut limits.reevaluations,
        "inlining" => &mut limits.inlining,
        "pending-heredocs" => &mut limits.pending_heredocs,
        "steps" => &mut limits.steps,
        _ => return None,
    })
}

/// The value of a limit by its name.
pub(crate) fn limit_of(limits: &Limits, name: &str) -> Option<usize> {
    let mut copy = limits.clone();
    limit_slot(&mut copy, name).map(|value| *value)
}

/// SHA-256 of some bytes, as 64 hexadecimal digits.
#[must_use]
pub fn digest(bytes: &[u8]) -> String {
    use sha2::Digest as _;
    use std::fmt::Write as _;
    let mut text = String::with_capacity(64);
    for byte in sha2::Sha256::digest(bytes) {
        let _infallible = write!(text, "{byte:02x}");
    }
    text
}
