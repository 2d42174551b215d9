//! What a definition says of a call for the person who is asked about it, and for modes that only look.
//!
//! Invariant (the stricter way): a condition that has no value counts as the one that lets less happen: a call warns, and is not read-only.

use engine_policy::Mode;
use engine_tools::definition::{Flag, Tool};
use engine_tools::template::{Scope, Template};

use crate::session::Session;
use crate::valid::Valid;

/// How a call stands before a person.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Approval {
    /// What a person sees in place of the name of the tool.
    pub(crate) title: Option<String>,
    /// What an approval of it holds for in this session, such as `domain:docs.rs`.
    pub(crate) once: Option<String>,
    /// What cannot be undone about it.
    pub(crate) warning: Option<String>,
}

impl Approval {
    /// What the definition says of this call.
    pub(crate) fn of(session: &Session, call: &Valid) -> Self {
        let tool = call.tool();
        let says = [&tool.user_facing_name, &tool.result_name];
        if says.iter().all(|template| template.is_none())
            && matches!(tool.destructive, Flag::Never | Flag::ByAnalysis)
        {
            return Self::default();
        }
        let scope = Scope::of_call(&session.facts(), tool, call.input());
        let shown = |template: &Option<Template>| {
            let text = template.as_ref()?.render(&scope).ok()?;
            Some(text.trim().to_owned()).filter(|text| !text.is_empty())
        };
        let name = &tool.name.value;
        let destructive = match &tool.destructive {
            // The analysis warns by itself.
            Flag::Never | Flag::ByAnalysis => false,
            Flag::Always => true,
            Flag::When(condition) => condition.holds(&scope).unwrap_or(true),
        };
        Self {
            title: shown(&tool.user_facing_name)
                .filter(|title| title != name)
                .map(|title| format!("{title} ({name})")),
            once: shown(&tool.result_name),
            warning: destructive.then(|| format!("what `{name}` does cannot be undone")),
        }
    }
}

/// Whether a call says of itself that it changes nothing. What the analysis of a shell text says is decided with the text.
pub(crate) fn is_read_only(session: &Session, tool: &Tool, call: &Valid) -> bool {
    match &tool.read_only {
        Flag::Never | Flag::ByAnalysis => false,
        Flag::Always => true,
        Flag::When(condition) => condition
            .holds(&Scope::of_call(&session.facts(), tool, call.input()))
            .unwrap_or(false),
    }
}

/// Why a call must not run in the mode that the session is in: in plan mode a tool that is read-only for some inputs runs for those alone.
pub(crate) fn refused_in_mode(session: &Session, call: &Valid) -> Option<String> {
    let tool = call.tool();
    let depends = matches!(tool.read_only, Flag::When(_));
    let refused = depends && session.context().mode == Mode::Plan && !is_read_only(session, tool, call);
    refused.then(|| {
        format!(
            "`{}` with this input is not read-only, and plan mode has only read-only tools. Nothing was done.",
            tool.name.value
        )
    })
}
