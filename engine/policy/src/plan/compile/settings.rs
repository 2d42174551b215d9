//! Defaults, checks, modes and limits of all layers, folded into one value each.
//!
//! Invariant (who may loosen): a layer that may not loosen changes a value only to a stricter one, and nobody below the managed layer
//! makes it looser than what that layer says, or than what it was where that layer locks the section. The managed layer is
//! folded in right after the shipped one, so that what it says is the floor for all others.

use std::cmp::Reverse;

use engine_shell::Limits;
use smol_str::SmolStr;

use super::super::{Plan, limit_of};
use crate::document::{CHECK_NAMES, Document, LIMIT_NAMES, Lockable, Mode, Outcome, RequestKind, Severity};

/// How strict a value is against another.
trait Strictness: Copy + PartialEq {
    fn is_stricter_than(self, other: Self) -> bool;
}

impl Strictness for Outcome {
    fn is_stricter_than(self, other: Self) -> bool {
        self > other
    }
}

impl Strictness for Severity {
    fn is_stricter_than(self, other: Self) -> bool {
        self > other
    }
}

/// A smaller limit refuses more.
impl Strictness for Reverse<u32> {
    fn is_stricter_than(self, other: Self) -> bool {
        self > other
    }
}

/// Modes are only partly ordered: `plan` and `dont-ask` each refuse what the other lets pass.
impl Strictness for Mode {
    fn is_stricter_than(self, other: Self) -> bool {
        match (other, self) {
            (Self::Bypass, Self::AcceptEdits | Self::Default | Self::Plan | Self::DontAsk)
            | (Self::AcceptEdits, Self::Default | Self::Plan | Self::DontAsk)
            | (Self::Default, Self::Plan | Self::DontAsk) => true,
            (
                Self::Bypass | Self::AcceptEdits | Self::Default | Self::Plan | Self::DontAsk,
                Self::Bypass | Self::AcceptEdits | Self::Default | Self::Plan | Self::DontAsk,
            ) => false,
        }
    }
}

/// What one layer may do to the settings.
#[derive(Clone, Copy, Debug)]
pub(super) struct Voice {
    /// It may loosen what layers before it said.
    pub(super) loosens: bool,
    /// It is the managed layer: what it says stays.
    pub(super) fixes: bool,
}

/// One value with the loosest that anybody may make of it from now on.
#[derive(Clone, Copy, Debug)]
struct Setting<T> {
    value: T,
    floor: Option<T>,
}

impl<T: Strictness> Setting<T> {
    fn new(value: T) -> Self {
        Self { value, floor: None }
    }

    /// Whether all of what was said counts.
    fn say(&mut self, wanted: T, voice: Voice) -> bool {
        if voice.fixes {
            (self.value, self.floor) = (wanted, Some(wanted));
            return true;
        }
        let kept = match self.floor {
            Some(floor) if wanted != floor && !wanted.is_stricter_than(floor) => floor,
            Some(_) | None => wanted,
        };
        if voice.loosens || kept.is_stricter_than(self.value) {
            self.value = kept;
        }
        self.value == wanted || self.value.is_stricter_than(wanted)
    }

    fn lock(&mut self) {
        self.floor = Some(self.value);
    }
}

/// The settings while layers are folded in.
pub(super) struct Settings {
    kinds: Vec<(RequestKind, Setting<Outcome>)>,
    headless: Setting<Outcome>,
    severities: Vec<Setting<Severity>>,
    modes: Vec<(Mode, Setting<Outcome>)>,
    start: Setting<Mode>,
    limits: Vec<(&'static str, Setting<Reverse<u32>>)>,
}

impl Settings {
    /// What holds where nobody says anything.
    pub(super) fn new() -> Self {
        let unsaid = |mode: Mode| match mode {
            Mode::Bypass => Outcome::Deny,
            Mode::Default | Mode::Plan | Mode::AcceptEdits | Mode::DontAsk => Outcome::Allow,
        };
        let limit = |name: &&'static str| {
            let value = limit_of(&Limits::DEFAULT, name).unwrap_or(usize::MAX);
            (
                *name,
                Setting::new(Reverse(u32::try_from(value).unwrap_or(u32::MAX))),
            )
        };
        Self {
            kinds: RequestKind::ALL
                .iter()
                .map(|&(_, kind)| (kind, Setting::new(Outcome::Ask)))
                .collect(),
            headless: Setting::new(Outcome::Deny),
            severities: vec![Setting::new(Severity::Ask); CHECK_NAMES.len()],
            modes: Mode::ALL
                .iter()
                .map(|&(_, mode)| (mode, Setting::new(unsaid(mode))))
                .collect(),
            start: Setting::new(Mode::Default),
            limits: LIMIT_NAMES.iter().map(limit).collect(),
        }
    }

    /// Folds in what one document says; returns how many of its settings do not count as they are.
    pub(super) fn say(&mut self, document: &Document, voice: Voice) -> usize {
        let mut withheld = 0;
        let mut note = |counts: bool| withheld += usize::from(!counts);
        for (kind, outcome) in &document.defaults.kinds {
            if let Some((_, own)) = self.kinds.iter_mut().find(|(own, _)| *own == kind.value) {
                note(own.say(outcome.value, voice));
            }
        }
        if let Some(headless) = &document.defaults.headless {
            note(self.headless.say(headless.value, voice));
        }
        for setting in &document.checks {
            let at = CHECK_NAMES.iter().position(|name| *name == setting.check.value);
            if let Some(own) = at.and_then(|at| self.severities.get_mut(at)) {
                note(own.say(setting.severity.value, voice));
            }
        }
        for (mode, outcome) in &document.modes.rules {
            if let Some((_, own)) = self.modes.iter_mut().find(|(own, _)| *own == mode.value) {
                note(own.say(outcome.value, voice));
            }
        }
        if let Some(start) = &document.modes.start {
            note(self.start.say(start.value, voice));
        }
        for limit in &document.limits {
            if let Some((_, own)) = self.limits.iter_mut().find(|(own, _)| *own == limit.limit.value) {
                note(own.say(Reverse(limit.value.value), voice));
            }
        }
        withheld
    }

    /// From now on nobody loosens a section.
    pub(super) fn lock(&mut self, section: Lockable) {
        match section {
            Lockable::Rules => {
                self.kinds.iter_mut().for_each(|(_, own)| own.lock());
                self.headless.lock();
            }
            Lockable::Checks => {
                self.severities.iter_mut().for_each(Setting::lock);
                self.limits.iter_mut().for_each(|(_, own)| own.lock());
            }
            Lockable::Modes => {
                self.modes.iter_mut().for_each(|(_, own)| own.lock());
                self.start.lock();
            }
            // Hooks and budgets of the layers below are looked at one by one.
            Lockable::Sandbox | Lockable::Hooks | Lockable::Budgets => {}
        }
    }

    /// Writes the values into a plan.
    pub(super) fn into_plan(self, plan: &mut Plan) {
        plan.defaults = self
            .kinds
            .into_iter()
            .map(|(kind, own)| (kind, own.value))
            .collect();
        plan.headless = self.headless.value;
        plan.severities = self.severities.iter().map(|own| own.value).collect();
        plan.modes = self
            .modes
            .into_iter()
            .map(|(mode, own)| (mode, own.value))
            .collect();
        plan.start_mode = self.start.value;
        plan.limits = self
            .limits
            .into_iter()
            .filter(|(name, own)| {
                limit_of(&Limits::DEFAULT, name).is_none_or(|shipped| shipped != own.value.0 as usize)
            })
            .map(|(name, own)| (SmolStr::new_static(name), own.value.0))
            .collect();
    }
}
