//! Deciding variables that are set: some change what runs or what is loaded, most are harmless.

use engine_shell::{Evaluation, InvocationKind, Setting, SettingScope, Span, Value};
use smol_str::SmolStr;

use super::Decider;
use super::command::Running;
use super::groups::{Matched, Ruling, may_match};
use crate::document::{Outcome, RequestKind, Severity};
use crate::truth::{Truth, glob_says};
use crate::variables::{Danger, danger_of};
use crate::verdict::{Request, RuleRef, Why};

/// Number of the check `dangerous-variables`.
const DANGEROUS_VARIABLES: u8 = 6;

impl Decider<'_> {
    /// A variable that stays in the shell or is exported. A plain one is asked about only if it is dangerous: unless the environment
    /// held it already, no program sees it.
    pub(super) fn setting_for_shell(&mut self, setting: &Setting) {
        let exported = setting.scope == SettingScope::Exported;
        self.setting(&setting.name, &setting.value, setting.span, exported, None);
    }

    /// The assignments in front of one command.
    pub(super) fn settings_for_command(&mut self, evaluation: &Evaluation, running: &Running<'_>) {
        let builtin = running.invocation.kind == InvocationKind::Builtin;
        for &number in &running.invocation.settings {
            let Some(setting) = evaluation.settings.get(number) else {
                continue;
            };
            if builtin && setting.name == "IFS" {
                // Only how `read` splits its line.
                continue;
            }
            let rule = self.rule_that_spells(running, &setting.name);
            self.setting(&setting.name, &setting.value, setting.span, !builtin, rule);
        }
    }

    /// A variable that a command sets for what it runs (`env NAME=value`).
    pub(super) fn setting_for_command(
        &mut self,
        name: &str,
        value: &Value,
        span: Span,
        rule: Option<&crate::plan::PlanRule>,
    ) {
        let everything = rule.is_some_and(|rule| rule.everything);
        if everything && danger_of(name) != Danger::Dangerous {
            return;
        }
        self.setting(name, value, span, true, None);
    }

    /// The allow rule that spells the variable itself (`CI=true node ace test`).
    fn rule_that_spells(&self, running: &Running<'_>, name: &str) -> Option<RuleRef> {
        self.steps
            .iter()
            .rev()
            .filter(|step| step.span == running.invocation.span)
            .filter_map(|step| step.why.rule())
            .find(|rule| {
                self.plan.rules.get(rule.0 as usize).is_some_and(|own| {
                    own.outcome == Outcome::Allow
                        && own
                            .environment
                            .iter()
                            .any(|pattern| glob_says(&pattern.name, &Value::Known(name.into())) == Truth::Yes)
                })
            })
    }

    fn setting(&mut self, name: &str, value: &Value, span: Span, seen: bool, spelled: Option<RuleRef>) {
        let mut matched = Matched::default();
        for (pattern, end) in &self.plan.env {
            let by_name = glob_says(&pattern.name, &Value::Known(name.into()));
            let truth = by_name.min(
                pattern
                    .value
                    .as_ref()
                    .map_or(Truth::Yes, |glob| glob_says(glob, value)),
            );
            if truth != Truth::No {
                matched.hit(*end, truth);
            }
        }
        let request = Request::Env(SmolStr::from(name));
        let danger = danger_of(name);
        let (outcome, why, check) = match matched.ruling(self.plan, self.rules, &mut |_| Truth::Yes) {
            Ruling::Deny(rule) => (Outcome::Deny, Why::Rule(rule), 0),
            Ruling::DenyMaybe(rule) | Ruling::AskMaybe(rule)
                if danger == Danger::Other && seen && !matched.allows(self.plan, self.rules) =>
            {
                let (outcome, why) = may_match(rule, self.default(RequestKind::Env));
                (outcome, why, 0)
            }
            Ruling::DenyMaybe(rule) | Ruling::AskMaybe(rule) => (Outcome::Ask, Why::RuleMaybe(rule), 0),
            Ruling::Ask(rule) => (Outcome::Ask, Why::Rule(rule), 0),
            Ruling::Allow(rule) => (Outcome::Allow, Why::Rule(rule), 0),
            Ruling::Nothing => match (danger, spelled) {
                (Danger::Dangerous | Danger::Harmless | Danger::Other, Some(rule)) => {
                    (Outcome::Allow, Why::Covered(rule), 0)
                }
                (Danger::Dangerous, None) => match self.severity(DANGEROUS_VARIABLES) {
                    Some(Severity::Off | Severity::Warn) => {
                        (Outcome::Allow, Why::DangerousVariable(name.into()), 0)
                    }
                    Some(Severity::Ask | Severity::Deny) | None => (
                        Outcome::Ask,
                        Why::DangerousVariable(name.into()),
                        DANGEROUS_VARIABLES,
                    ),
                },
                (Danger::Harmless, None) => return,
                (Danger::Other, None) if !seen => return,
                (Danger::Other, None) => {
                    let (outcome, why) = self.default(RequestKind::Env);
                    (outcome, why, 0)
                }
            },
        };
        self.step(request, span, outcome, why, check);
    }
}
