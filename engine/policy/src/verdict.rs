//! What deciding answers: the outcome, and every step that led to it, with places in the command and in the policy.
//!
//! Invariant (no verdict without its reason): a [`Decision`] has at least one [`Step`] with its own outcome, unless it allows a
//! call that does nothing at all.

use engine_shell::{NotUnderstood, Span};
use smol_str::SmolStr;

use crate::document::{Mode, Outcome, RequestKind, Severity};
use crate::layer::Layer;
use crate::plan::Plan;
use crate::source::Place;

/// The answer to one call.
#[derive(Clone, Debug, PartialEq)]
pub struct Decision {
    /// The verdict.
    pub outcome: Outcome,
    /// Everything the call asks for and what became of it, in the order it was met.
    pub steps: Vec<Step>,
    /// Findings of the shell checks that are reported, whatever they changed.
    pub findings: Vec<Reported>,
    /// What cannot be undone of what its commands do, as their definitions say it.
    pub warnings: Vec<Note>,
    /// What its commands do with version control that others may notice: `commit`, `push`, `pr create`.
    pub operations: Vec<Note>,
    /// The mode that was on.
    pub mode: Mode,
}

/// Something that is to be said of a command, whatever is decided about it. Each is there once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// What is said.
    pub text: SmolStr,
    /// Where the last command is that it is said of.
    pub span: Span,
}

impl Decision {
    /// Leaves what is said of what stands before this place of the text: it was carried out earlier.
    pub fn forget_notes_before(&mut self, at: usize) {
        for notes in [&mut self.warnings, &mut self.operations] {
            notes.retain(|note| note.span.start as usize >= at);
        }
    }
}

/// A finding of a shell check with its severity under the policy.
#[derive(Clone, Debug, PartialEq)]
pub struct Reported {
    /// Number of the check, from 1.
    pub number: u8,
    /// Name of the check.
    pub name: &'static str,
    /// What it does here.
    pub severity: Severity,
    /// Where in the text.
    pub span: Span,
    /// One line for a person.
    pub message: String,
}

/// One request and its verdict.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// What is asked for.
    pub request: Request,
    /// Where in the command; empty for what has no place.
    pub span: Span,
    /// The verdict of this request.
    pub outcome: Outcome,
    /// Why.
    pub why: Why,
    /// The shell check that this request belongs to, if any: `0` for none.
    pub check: u8,
    /// Everything that this command does is a step of its own, so that this one changes nothing.
    pub is_in_full: bool,
}

/// What a call asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    /// To run this program.
    Command(SmolStr),
    /// To read.
    Read(SmolStr),
    /// To create or change.
    Write(SmolStr),
    /// To delete.
    Delete(SmolStr),
    /// To connect.
    Network(SmolStr),
    /// To set a variable.
    Env(SmolStr),
    /// To use a tool.
    Tool(SmolStr),
    /// To start a sub-agent.
    Agent(SmolStr),
    /// To use a skill.
    Skill(SmolStr),
    /// To change the mode.
    Mode(SmolStr),
    /// To do something that no path or host names (`date -s`, `git commit`).
    Change(SmolStr),
    /// To run code that is not looked into.
    Code(SmolStr),
    /// The text itself.
    Text,
}

impl Request {
    /// The kind of rule that governs it; `None` for what is no request of its own.
    #[must_use]
    pub fn kind(&self) -> Option<RequestKind> {
        match self {
            Self::Command(_) => Some(RequestKind::Command),
            Self::Read(_) => Some(RequestKind::Read),
            Self::Write(_) => Some(RequestKind::Write),
            Self::Delete(_) => Some(RequestKind::Delete),
            Self::Network(_) => Some(RequestKind::Network),
            Self::Env(_) => Some(RequestKind::Env),
            Self::Tool(_) => Some(RequestKind::Tool),
            Self::Agent(_) => Some(RequestKind::Agent),
            Self::Skill(_) => Some(RequestKind::Skill),
            Self::Mode(_) => Some(RequestKind::Mode),
            Self::Change(_) | Self::Code(_) | Self::Text => None,
        }
    }

    /// Verb and object for a person: `read /project/.env`.
    #[must_use]
    pub fn describe(&self) -> String {
        match self {
            Self::Command(name) => ["run `", name, "`"].concat(),
            Self::Read(path) => ["read ", path].concat(),
            Self::Write(path) => ["write ", path].concat(),
            Self::Delete(path) => ["delete ", path].concat(),
            Self::Network(host) => ["connect to ", host].concat(),
            Self::Env(name) => format!("set the variable {name}"),
            Self::Tool(name) => format!("use the tool {name}"),
            Self::Agent(name) => format!("start the agent {name}"),
            Self::Skill(name) => format!("use the skill {name}"),
            Self::Mode(name) => format!("change the mode to {name}"),
            Self::Change(what) => ["change ", what].concat(),
            Self::Code(what) => ["run code from ", what].concat(),
            Self::Text => "run this text".to_owned(),
        }
    }
}

impl Step {
    /// The request, why it got its verdict, and what the rule says about it: one line for a person or a model.
    #[must_use]
    pub fn explain(&self, plan: &Plan) -> String {
        let mut line = format!("{}: {}", self.request.describe(), self.why.describe(plan));
        if let Some(info) = self.why.rule().and_then(|rule| rule.info(plan)) {
            if let Some(because) = info.because {
                line.push_str(", because ");
                line.push_str(because);
            }
            if let Some(instead) = info.instead {
                line.push_str("; instead: ");
                line.push_str(instead);
            }
        }
        line
    }
}

/// Why a request got its verdict.
#[derive(Clone, Debug, PartialEq)]
pub enum Why {
    /// A rule matches.
    Rule(RuleRef),
    /// A rule may match; what decides it is not known.
    RuleMaybe(RuleRef),
    /// A rule matches the place that the path really is, through a link.
    RuleThroughLink(RuleRef, SmolStr),
    /// No rule matches: the policy's default for this kind.
    Default(RequestKind),
    /// No rule matches the place outside the project that a link leads to: the policy's default for this kind.
    DefaultThroughLink(RequestKind, SmolStr),
    /// Covered by the rule that allows the command.
    Covered(RuleRef),
    /// The command's definition is complete and names no effect here.
    NoEffect,
    /// A place that nobody can be harmed through (`/dev/null`).
    Harmless,
    /// The text is not understood.
    NotUnderstood(NotUnderstood),
    /// What the definition, or the lack of one, leaves open.
    Unknown(String),
    /// A variable that changes what runs or what is loaded.
    DangerousVariable(SmolStr),
    /// A finding of a shell check.
    Check(String),
    /// The mode changed the verdict.
    Mode(Mode),
}

/// Which rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RuleRef(pub(crate) u32);

/// What a reason shows of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RuleInfo<'p> {
    /// Its block's name, or `file:line`.
    pub id: &'p str,
    /// What it does.
    pub outcome: Outcome,
    /// Where its file comes from.
    pub layer: Layer,
    /// Where it stands.
    pub place: Place,
    /// Name of its file.
    pub file: &'p str,
    /// Line, from 1.
    pub line: u32,
    /// Why it is there.
    pub because: Option<&'p str>,
    /// What to do instead.
    pub instead: Option<&'p str>,
}

impl RuleRef {
    /// The rule's particulars, in the plan that decided.
    #[must_use]
    pub fn info(self, plan: &Plan) -> Option<RuleInfo<'_>> {
        let rule = plan.rules.get(self.0 as usize)?;
        Some(RuleInfo {
            id: &rule.id,
            outcome: rule.outcome,
            layer: rule.layer,
            place: rule.place,
            file: plan
                .source_names
                .get(rule.place.source.index())
                .map_or("", SmolStr::as_str),
            line: rule.line,
            because: rule.because.as_deref(),
            instead: rule.instead.as_deref(),
        })
    }
}

impl Step {
    /// Rules that would have decided this request if a little had been otherwise, one line each, nearest first; none where a rule did.
    #[must_use]
    pub fn near_misses(&self, plan: &Plan) -> Vec<String> {
        let Request::Command(program) = &self.request else {
            return Vec::new();
        };
        if self.why.rule().is_some() {
            return Vec::new();
        }
        plan.near_misses(program)
    }
}

impl Why {
    /// The rule it speaks of.
    #[must_use]
    pub fn rule(&self) -> Option<RuleRef> {
        match self {
            Self::Rule(rule)
            | Self::RuleMaybe(rule)
            | Self::RuleThroughLink(rule, _)
            | Self::Covered(rule) => Some(*rule),
            Self::Default(_)
            | Self::DefaultThroughLink(..)
            | Self::NoEffect
            | Self::Harmless
            | Self::NotUnderstood(_)
            | Self::Unknown(_)
            | Self::DangerousVariable(_)
            | Self::Check(_)
            | Self::Mode(_) => None,
        }
    }

    /// One line for a person.
    #[must_use]
    pub fn describe(&self, plan: &Plan) -> String {
        let name = |rule: RuleRef| match rule.info(plan) {
            Some(info) => format!("`{}` ({}:{})", info.id, info.file, info.line),
            None => "a rule".to_owned(),
        };
        match self {
            Self::Rule(rule) => format!("rule {}", name(*rule)),
            Self::RuleMaybe(rule) => {
                let does = rule.info(plan).map_or("forbids", |info| match info.outcome {
                    Outcome::Deny => "denies",
                    Outcome::Ask => "asks about",
                    Outcome::Allow => "allows",
                });
                format!("it may be something that rule {} {does}", name(*rule))
            }
            Self::RuleThroughLink(rule, path) => {
                format!("rule {}, since a link leads to {path}", name(*rule))
            }
            Self::Default(kind) => [
                "no rule covers it, and the default for ",
                kind.as_str(),
                " is ",
                plan.default_for(*kind).as_str(),
            ]
            .concat(),
            Self::DefaultThroughLink(kind, path) => format!(
                "a link leads to {path}, which no rule covers, and the default for {} is {}",
                kind.as_str(),
                plan.default_for(*kind).as_str()
            ),
            Self::Covered(rule) => format!("covered by the command's rule {}", name(*rule)),
            Self::NoEffect => "its definition is complete and names no effect of its own".to_owned(),
            Self::Harmless => "nothing can be harmed through it".to_owned(),
            Self::NotUnderstood(refusal) => format!("it is not understood: {}", refusal.construct.about()),
            Self::Unknown(why) => why.clone(),
            Self::DangerousVariable(name) => format!("`{name}` changes what runs or what is loaded"),
            Self::Check(message) => message.clone(),
            Self::Mode(mode) => format!("the mode `{}`", mode.as_str()),
        }
    }
}

impl Decision {
    /// The steps that have the decision's own outcome: its reasons.
    pub fn reasons(&self) -> impl Iterator<Item = &Step> {
        self.steps.iter().filter(|step| step.outcome == self.outcome)
    }
}
