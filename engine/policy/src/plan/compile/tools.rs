//! Hooks, budgets and deferral of all layers.
//!
//! Invariant (who may loosen): a hook of a layer that may not loosen does not run at all, since it runs whatever it likes; a budget of such
//! a layer only lowers; what it defers is deferred beside what others defer.

use smol_str::SmolStr;

use super::super::tools::{HOOK_TIMEOUT_MS, PlanBudget, PlanDefer, PlanHook, Says};
use super::{Compiler, Part, parts_of, withhold, withholds};
use crate::document::{BudgetOf, Lockable, Outcome};
use crate::layer::Layer;
use crate::pattern::Glob;

impl<'a> Compiler<'a> {
    pub(super) fn about_tools(&mut self, parts: &[Part<'a>]) {
        let below = Layer::ALL.into_iter().filter(|layer| *layer != Layer::Managed);
        for layer in below.clone().chain([Layer::Managed]) {
            for part in parts_of(parts, layer) {
                self.hooks(part);
                // The last one to speak about deferral is heard.
                self.deferral(part);
                self.session(part);
            }
        }
        // Budgets as other settings: the machine's are the floor for those that follow.
        let after = below.filter(|layer| *layer != Layer::Builtin);
        for layer in [Layer::Builtin, Layer::Managed].into_iter().chain(after) {
            for part in parts_of(parts, layer) {
                self.budgets(part);
            }
        }
    }

    fn hooks(&mut self, part: &Part<'a>) {
        let layer = part.standing.layer;
        let hooks = &part.document.hooks;
        if let (Some(reason), false) = (
            withholds(part.standing, &self.locked, Lockable::Hooks),
            hooks.is_empty(),
        ) {
            withhold(&mut self.plan.withheld, layer, reason, |own| {
                own.settings += hooks.len();
            });
            return;
        }
        let may_allow = withholds(part.standing, &self.locked, Lockable::Rules).is_none();
        for hook in hooks {
            let (place, own) = (hook.place, &hook.value);
            self.plan.hooks.push(PlanHook {
                event: own.event.value,
                matchers: own.matchers.iter().map(|one| one.value.clone()).collect(),
                run: own.run.value.clone(),
                timeout_ms: own.timeout_ms.map_or(HOOK_TIMEOUT_MS, |time| time.value),
                on_error: own.on_error.map_or(Outcome::Allow, |outcome| outcome.value),
                layer,
                may_allow,
                file: SmolStr::from(self.sources.name(place)),
                line: u32::try_from(self.sources.line_column(place).line).unwrap_or(u32::MAX),
            });
        }
    }

    fn deferral(&mut self, part: &Part<'a>) {
        let mut excepted = 0;
        // Within a file what is excepted is, whichever line comes first.
        for defers in [true, false] {
            let lines = part.document.defer.iter();
            for line in lines.filter(|line| line.value.defers.value == defers) {
                if !defers && !part.standing.trusted {
                    excepted += 1;
                    continue;
                }
                let tools = line.value.tools.iter();
                self.plan.deferred.extend(tools.map(|tools| PlanDefer {
                    tools: tools.value.clone(),
                    defers,
                }));
            }
        }
        if let (Some(reason), 1..) = (withholds(part.standing, &[], Lockable::Budgets), excepted) {
            let layer = part.standing.layer;
            withhold(&mut self.plan.withheld, layer, reason, |own| {
                own.settings += excepted;
            });
        }
    }

    /// What a session is given counts from files that may loosen, the last word for each; any file may take tools away.
    fn session(&mut self, part: &Part<'a>) {
        let said = &part.document.session;
        let own = &mut self.plan.session;
        if let Some(reason) = withholds(part.standing, &[], Lockable::Hooks) {
            let takes = said.simple.is_some_and(|simple| simple.value);
            own.simple |= takes;
            let lines = said.lines.len().saturating_sub(usize::from(takes));
            if lines > 0 {
                withhold(&mut self.plan.withheld, part.standing.layer, reason, |own| {
                    own.settings += lines;
                });
            }
            return;
        }
        if let Some(persistent) = said.persistent {
            own.persistent = persistent.value;
        }
        if let Some(time) = said.foreground_ms {
            own.foreground_ms = Some(time.value);
        }
        if let Some(followed) = said.ignore_files {
            own.everything = !followed.value;
        }
        if let Some(simple) = said.simple {
            own.simple = simple.value;
        }
        for (name, value) in &said.settings {
            own.settings.retain(|(known, _)| *known != name.value);
            own.settings.push((name.value.clone(), value.value.clone()));
        }
        for (list, more) in [
            (&mut own.directories, &said.directories),
            (&mut own.features, &said.features),
        ] {
            for one in more {
                if !list.contains(&one.value) {
                    list.push(one.value.clone());
                }
            }
        }
    }

    fn budgets(&mut self, part: &Part<'a>) {
        let layer = part.standing.layer;
        let withheld = withholds(part.standing, &self.locked, Lockable::Budgets);
        let says = match (layer, withheld) {
            (Layer::Managed, _) => Says::Fixes,
            (_, Some(_)) => Says::Lowers,
            (_, None) => Says::Sets,
        };
        let mut raised = 0;
        for line in &part.document.budgets {
            let chars = line.value.chars.value;
            match &line.value.of {
                BudgetOf::Tools(tools) => {
                    for tools in tools {
                        raised += usize::from(says == Says::Lowers && self.raises(&tools.value, chars));
                        self.plan.budgets.lines.push(PlanBudget {
                            tools: tools.value.clone(),
                            chars,
                            says,
                        });
                    }
                }
                BudgetOf::Message(_) => raised += usize::from(self.message_budget(chars, says)),
            }
        }
        if let (Some(reason), 1..) = (withheld, raised) {
            withhold(&mut self.plan.withheld, layer, reason, |own| {
                own.settings += raised;
            });
        }
    }

    /// Whether a budget is more than what the layers before say for the same tools.
    fn raises(&self, tools: &Glob, chars: Option<u32>) -> bool {
        let Some(chars) = chars else { return true };
        let same = |line: &&PlanBudget| line.tools == *tools;
        let said = self.plan.budgets.lines.iter().rev().find(same);
        said.and_then(|line| line.chars)
            .is_some_and(|before| before < chars)
    }

    /// Whether what is said is more than what holds.
    fn message_budget(&mut self, chars: Option<u32>, says: Says) -> bool {
        let Some(chars) = chars else { return false };
        let budgets = &mut self.plan.budgets;
        match says {
            Says::Sets => budgets.message = Some(chars),
            Says::Fixes => (budgets.message, budgets.message_cap) = (Some(chars), Some(chars)),
            Says::Lowers => {
                let least = budgets.message_cap.map_or(chars, |cap| cap.min(chars));
                budgets.message_cap = Some(least);
                return budgets.message.is_some_and(|before| before < chars);
            }
        }
        false
    }
}
