//! From a call to leave to carry it out: the policy decides, a person is asked where it says so, and both are written down.
//!
//! Invariant (nothing before its decision): a [`Leave`] is made here alone, and handlers are handed paths and directories out of one.
//! Invariant (asked once): what a person permitted for a call is not asked again by steps of the same call.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use engine_policy::{
    Absent, Call, Decision, Effects, Facts, FieldShape, Mode, Outcome, Request, Sieve, Step, ToolShape,
    Trees, Why, decide, tool_path,
};
use engine_tools::definition::{FieldKind, Handler, Role, Tool, Work};
use serde_json::Value as Json;

use crate::approval::Approval;
use crate::bash::{Cancel, Class};
use crate::hooks::{Watched, Word};
use crate::person::{Permission, Permit};
use crate::pinned::Pinned;
use crate::preview::{Preview, bounded};
use crate::session::{Context, Decided, Refused, Session};
use crate::valid::Valid;

/// Reasons that a model is told.
const MAX_REASONS: usize = 6;

/// What is asked leave for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asking<'a> {
    /// The call of the model that it belongs to.
    pub(crate) call: &'a str,
    /// The tool.
    pub(crate) tool: &'a str,
    /// Its input.
    pub(crate) input: &'a Json,
    /// What is decided.
    pub(crate) what: Call<'a>,
    /// The declared tools around it, the outermost first.
    pub(crate) via: &'a [&'a str],
    /// Paths, as they are written, whose real places are needed.
    pub(crate) paths: &'a [&'a str],
    /// What it does, for a person.
    pub(crate) shown: &'a str,
    /// What it would change about its file, for a person.
    pub(crate) preview: Option<&'a dyn Preview>,
    /// The working directory; the session's without one.
    pub(crate) cwd: Option<&'a str>,
    /// Hosts that its definition approved.
    pub(crate) preapproved: &'a [&'a str],
    /// How much of the text that is decided ran before.
    pub(crate) ran: usize,
    /// How the call of the model stands before a person.
    pub(crate) approval: &'a Approval,
    /// The tool around it that is declared to change nothing, if one is.
    pub(crate) read_only: Option<&'a str>,
}

/// Leave to carry a call out.
#[derive(Clone, Debug)]
pub(crate) struct Leave {
    places: Vec<PathBuf>,
    cwd: String,
}

impl Leave {
    /// The real place of the path that was asked for first.
    pub(crate) fn place(&self) -> Option<&Path> {
        self.places.first().map(PathBuf::as_path)
    }

    /// The directory it was decided in.
    pub(crate) fn cwd(&self) -> &str {
        &self.cwd
    }
}

/// What a person permitted for one call, and what hooks say of it.
#[derive(Debug, Default)]
pub(crate) struct Granted {
    requests: Mutex<Vec<Request>>,
    word: Option<Word>,
    ahead: Mutex<Option<Ahead>>,
    stage: AtomicU8,
    class: OnceLock<Class>,
}

const REFUSED: u8 = 1;
const BEGUN: u8 = 2;

/// How far a call has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// Nothing was decided about it.
    Undecided,
    /// It was decided, and is not carried out.
    Refused,
    /// It was decided, and is carried out.
    Begun,
}

impl Granted {
    /// For a call that hooks let go on with this word, and that was perhaps decided already.
    pub(crate) fn new(word: Option<Word>, ahead: Option<Ahead>) -> Self {
        Self {
            requests: Mutex::default(),
            word,
            ahead: Mutex::new(ahead),
            stage: AtomicU8::default(),
            class: OnceLock::new(),
        }
    }

    /// How the command that the call is, is shown.
    pub(crate) fn classed(&self, class: Option<Class>) {
        if let Some(class) = class {
            let _first = self.class.set(class);
        }
    }

    /// The same, once it is known.
    pub(crate) fn class(&self) -> Option<Class> {
        self.class.get().copied()
    }

    /// How far the call has come.
    pub(crate) fn stage(&self) -> Stage {
        match self.stage.load(Ordering::Acquire) {
            BEGUN => Stage::Begun,
            REFUSED => Stage::Refused,
            _ => Stage::Undecided,
        }
    }

    /// The call itself was decided. What is decided about its steps later changes nothing about that.
    fn decided(&self, carried_out: bool) {
        let stage = if carried_out { BEGUN } else { REFUSED };
        let _earlier = self.stage.fetch_max(stage, Ordering::AcqRel);
    }

    /// The decision that was made ahead, if it answers what is asked now. Whatever is asked first has it or ends it.
    fn ahead(&self, asking: &Asking<'_>, context: &Context) -> Option<Ruled> {
        let mut ahead = self.ahead.lock().unwrap_or_else(PoisonError::into_inner);
        ahead
            .take()
            .filter(|ahead| ahead.answers(asking, context))
            .map(|ahead| ahead.ruled)
    }

    fn has(&self, request: &Request) -> bool {
        let granted = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        granted.contains(request)
    }

    /// Only requests that say by themselves what is done: leave for one text or one command is none for the next.
    fn add(&self, requests: impl Iterator<Item = Request>) {
        let mut granted = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        granted.extend(requests.filter(says_all));
    }
}

/// Whether a request says by itself what is done.
fn says_all(request: &Request) -> bool {
    match request {
        Request::Read(_) | Request::Write(_) | Request::Delete(_) | Request::Network(_) => true,
        Request::Command(_)
        | Request::Env(_)
        | Request::Tool(_)
        | Request::Agent(_)
        | Request::Skill(_)
        | Request::Mode(_)
        | Request::Change(_)
        | Request::Code(_)
        | Request::Text => false,
    }
}

/// A decision with the places that its paths led to.
#[derive(Debug)]
struct Ruled {
    decision: Decision,
    context: Context,
    cwd: String,
    places: Vec<Option<PathBuf>>,
}

/// A decision of a call that was made for the schedule, before its turn.
#[derive(Debug)]
pub(crate) struct Ahead {
    tool: String,
    input: Json,
    ruled: Ruled,
}

impl Ahead {
    /// What was decided.
    pub(crate) fn decision(&self) -> &Decision {
        &self.ruled.decision
    }

    /// Whether deciding would look at the same things again.
    fn answers(&self, asking: &Asking<'_>, context: &Context) -> bool {
        let Call::Declared { shape, input } = asking.what else {
            return false;
        };
        let own = asking.via.is_empty() && asking.paths.is_empty() && asking.cwd.is_none();
        own && self.ruled.context == *context && shape.name == self.tool && *input == self.input
    }
}

impl Session {
    /// The rules for what a search may show below its root; for names alone without one.
    pub(crate) fn sieve(&self, root: Option<&Path>) -> Sieve<'_> {
        let world = (self.parts.world)();
        let facts = Facts {
            project: &self.parts.project,
            directory: &self.parts.project,
            home: self.home(),
            via: &[],
            shell: self.parts.shell,
            world: &*world,
        };
        let plan = &self.parts.plan;
        match root.map(Path::to_str) {
            Some(Some(root)) => Sieve::below(plan, root, &facts, self.context().mode),
            // What is not text is held against no rule, so that nothing below it is shown.
            Some(None) | None => Sieve::of_names(plan, &facts),
        }
    }

    /// The home directory, where there is one.
    pub(crate) fn home(&self) -> Option<&str> {
        Some(self.parts.facts.home.as_str()).filter(|home| !home.is_empty())
    }

    /// Decides a call before its turn, and asks nobody.
    pub(crate) fn ahead(&self, call: &Valid) -> Ahead {
        let fields = fields_of(call.tool());
        let shape = shape_of(call.tool(), &fields);
        let what = Call::Declared {
            shape: &shape,
            input: call.json(),
        };
        Ahead {
            tool: call.name().to_owned(),
            input: call.json().clone(),
            ruled: self.rule(&what, &[], &[], None, self.context()),
        }
    }

    /// Decides, and asks nobody.
    fn rule(
        &self,
        what: &Call<'_>,
        via: &[&str],
        paths: &[&str],
        cwd: Option<&str>,
        context: Context,
    ) -> Ruled {
        let cwd = cwd.unwrap_or(&context.cwd).to_owned();
        let world = (self.parts.world)();
        let pinned = Pinned::new(&*world);
        let facts = Facts {
            project: &self.parts.project,
            directory: &cwd,
            home: self.home(),
            via,
            shell: self.parts.shell,
            world: &pinned,
        };
        let decision = decide(&self.parts.plan, what, &facts, context.mode);
        let places = paths
            .iter()
            .map(|path| tool_path(path, &facts).map(PathBuf::from))
            .collect();
        Ruled {
            decision,
            context,
            cwd,
            places,
        }
    }

    /// Decides, asks the person where the policy wants it, and writes both down.
    ///
    /// # Errors
    ///
    /// The text that a model is told: why it is refused and what to do.
    pub(crate) async fn leave(&self, asking: &Asking<'_>, granted: &Granted) -> Result<Leave, String> {
        if let Err(why) = self.hooks_of_step(asking).await {
            return Err(self.refused(asking, why));
        }
        let context = self.context();
        let mut ruled = granted
            .ahead(asking, &context)
            .unwrap_or_else(|| self.rule(&asking.what, asking.via, asking.paths, asking.cwd, context));
        ruled.decision.forget_notes_before(asking.ran);
        if let Some(tool) = asking.read_only
            && !changes_nothing(&ruled.decision)
        {
            let why = format!(
                "`{tool}` is declared to change nothing, and this step of it may: {}",
                asking.shown
            );
            return Err(self.refused(asking, why));
        }
        let mut asked: Vec<&Step> = open_questions(&ruled.decision, granted, asking.preapproved);
        let outer = asking.via.first().copied().unwrap_or(asking.tool);
        if let Some(once) = &asking.approval.once {
            let approved = self.approved(outer, once);
            // What a rule asks about is asked about each time.
            asked.retain(|step| !(matches!(step.why, Why::Default(_)) && approved.contains(&step.request)));
        }
        // What hooks say is of the call itself; its steps are decided without it.
        let word = granted.word.as_ref().filter(|_| asking.via.is_empty());
        let mut wanted = None;
        match word {
            Some(Word::Allow) => {
                let (unsaid, rest) = asked
                    .into_iter()
                    .partition::<Vec<&Step>, _>(|step| matches!(step.why, Why::Default(_)));
                granted.add(unsaid.iter().map(|step| step.request.clone()));
                asked = rest;
            }
            Some(Word::Ask(reason)) => wanted = Some(format!("a hook wants a person to decide: {reason}")),
            Some(Word::Deny(_)) | None => {}
        }
        let outcome = match ruled.decision.outcome {
            Outcome::Allow if wanted.is_some() => Outcome::Ask,
            Outcome::Ask if asked.is_empty() && wanted.is_none() => Outcome::Allow,
            outcome @ (Outcome::Allow | Outcome::Ask | Outcome::Deny) => outcome,
        };
        let mut refused = None;
        match outcome {
            Outcome::Allow => {}
            Outcome::Deny => refused = Some(self.refusal(&ruled.decision, "denied by the policy")),
            Outcome::Ask => {
                let mut reasons = self.reasons(&asked);
                reasons.extend(wanted.clone());
                let permit = Permit {
                    tool: asking.approval.title.clone().unwrap_or_else(|| outer.to_owned()),
                    once: asking.approval.once.clone(),
                    shown: asking.shown.to_owned(),
                    diff: self.diff_of(asking, &ruled.places).await,
                    reasons,
                    warnings: (asking.approval.warning.iter().cloned())
                        .chain(ruled.decision.warnings.iter().map(|note| note.text.to_string()))
                        .collect(),
                };
                let nobody_asks = wanted.is_some() && ruled.decision.mode == Mode::DontAsk;
                let answer = if nobody_asks {
                    Permission::NobodyThere
                } else {
                    self.parts.person.permits(&permit).await
                };
                match answer {
                    Permission::Granted => {
                        granted.add(asked.iter().map(|step| step.request.clone()));
                        if let Some(once) = &asking.approval.once {
                            let unsaid = asked.iter().filter(|step| matches!(step.why, Why::Default(_)));
                            let requests = unsaid.map(|step| step.request.clone());
                            self.approve(outer, once, requests.filter(says_all).collect());
                        }
                    }
                    Permission::Refused(None) => {
                        refused = Some("The person refused this call. Do not try it another way; ask what to do instead.".to_owned());
                    }
                    Permission::Refused(Some(instead)) => {
                        refused = Some(format!("The person refused this call and says: {instead}"));
                    }
                    Permission::NobodyThere
                        if self.parts.plan.headless() == Outcome::Allow && !nobody_asks => {}
                    Permission::NobodyThere if let Some(wanted) = wanted => {
                        refused = Some(format!("This call is denied: {wanted}. Nobody can be asked."));
                    }
                    Permission::NobodyThere => {
                        refused = Some(self.refusal(
                            &ruled.decision,
                            "denied: the policy wants a person to decide, and nobody can be asked",
                        ));
                    }
                }
            }
        }
        // A place that cannot be told is known before anything is written down about what is carried out.
        let places: Result<Vec<PathBuf>, String> = (ruled.places.into_iter().zip(asking.paths))
            .map(|(place, written)| {
                place.ok_or_else(|| format!("It cannot be told where `{written}` leads."))
            })
            .collect();
        let refused = refused.or_else(|| places.as_ref().err().cloned());
        if asking.via.is_empty() {
            // It is begun once that is written down.
            granted.decided(false);
        }
        self.parts
            .observer
            .decided(&Decided {
                call: asking.call,
                tool: asking.tool,
                via: asking.via,
                input: asking.input,
                cwd: &ruled.cwd,
                decision: &ruled.decision,
                granted: refused.is_none(),
                plan: &self.parts.plan,
            })
            .map_err(|error| {
                format!("Not carried out, since the decision cannot be written down: {error}")
            })?;
        if let Some(refused) = refused {
            return Err(refused);
        }
        if asking.via.is_empty() {
            granted.decided(true);
        }
        Ok(Leave {
            places: places?,
            cwd: ruled.cwd,
        })
    }

    /// What a person is shown of the change that a call would make.
    async fn diff_of(&self, asking: &Asking<'_>, places: &[Option<PathBuf>]) -> String {
        let (Some(preview), Some(Some(place))) = (asking.preview, places.first()) else {
            return String::new();
        };
        if !self.parts.person.looks() {
            return String::new();
        }
        match preview.diff(place.clone()).await {
            Ok(diff) => bounded(&diff),
            Err(why) => format!("[what it would change cannot be shown: {why}]\n"),
        }
    }

    /// Writes down that a step is refused before it was decided; answers why.
    pub(crate) fn refused(&self, asking: &Asking<'_>, why: String) -> String {
        self.parts.observer.refused(&Refused {
            call: asking.call,
            tool: asking.tool,
            via: asking.via,
            input: asking.input,
            why: &why,
        });
        why
    }

    /// A step of a body runs what hooks watch as much as a call does. What they say of it counts as far as it refuses: nobody is asked about
    /// a part of a call, and what a definition says is not rewritten.
    async fn hooks_of_step(&self, asking: &Asking<'_>) -> Result<(), String> {
        if asking.via.is_empty() {
            return Ok(());
        }
        let heard = self
            .before(Watched {
                call: asking.call,
                tool: asking.tool,
                input: asking.input,
                cancel: &Cancel::new(),
            })
            .await;
        match heard.word {
            Some(Word::Deny(reason) | Word::Ask(reason)) => Err(blocked(&reason)),
            Some(Word::Allow) | None if heard.changed.is_some() => Err(blocked(
                "it changes the input of a step, which stays as it is declared",
            )),
            Some(Word::Allow) | None => Ok(()),
        }
    }

    /// What a model is told of a refusal.
    fn refusal(&self, decision: &Decision, verdict: &str) -> String {
        let steps: Vec<&Step> = decision
            .steps
            .iter()
            .filter(|step| step.outcome == decision.outcome)
            .collect();
        let mut text = format!("This call is {verdict}.");
        let reasons = self.reasons(&steps);
        for reason in reasons.iter().take(MAX_REASONS) {
            text.push_str("\n- ");
            text.push_str(reason);
        }
        if reasons.len() > MAX_REASONS {
            text.push_str("\n- ... and more");
        }
        text
    }

    fn reasons(&self, steps: &[&Step]) -> Vec<String> {
        let mut reasons: Vec<String> = steps.iter().map(|step| step.explain(&self.parts.plan)).collect();
        reasons.dedup();
        reasons
    }
}

/// What a model is told of what a hook refuses.
pub(crate) fn blocked(reason: &str) -> String {
    format!("Blocked by a hook: {reason}")
}

/// The steps that a person has to be asked about: those that ask and were not granted before, nor approved by the definition.
fn open_questions<'d>(decision: &'d Decision, granted: &Granted, preapproved: &[&str]) -> Vec<&'d Step> {
    let approved = |step: &Step| match (&step.request, &step.why) {
        // What a rule asks about is asked about, whatever a definition says.
        (Request::Network(host), Why::Default(_)) => {
            let name = host.rsplit_once(':').map_or(host.as_str(), |(name, _)| name);
            preapproved.contains(&name)
        }
        _ => false,
    };
    decision
        .steps
        .iter()
        .filter(|step| step.outcome == Outcome::Ask && !granted.has(&step.request) && !approved(step))
        .collect()
}

/// Whether a call only reads, as far as its decision shows.
pub(crate) fn only_reads(decision: &Decision) -> bool {
    let connects = |step: &Step| matches!(step.request, Request::Network(_));
    changes_nothing(decision) && !decision.steps.iter().any(connects)
}

/// Whether a call changes nothing outside the session, as far as its decision shows.
fn changes_nothing(decision: &Decision) -> bool {
    decision.steps.iter().all(|step| {
        let harmless = matches!(step.why, Why::Harmless | Why::NoEffect);
        match step.request {
            Request::Command(_) | Request::Read(_) | Request::Tool(_) => {
                !matches!(step.why, Why::Unknown(_) | Why::NotUnderstood(_))
            }
            Request::Write(_) | Request::Delete(_) => harmless,
            Request::Network(_) => true,
            Request::Env(_)
            | Request::Agent(_)
            | Request::Skill(_)
            | Request::Mode(_)
            | Request::Change(_)
            | Request::Code(_)
            | Request::Text => false,
        }
    })
}

/// What deciding needs to know of a tool's fields.
pub(crate) fn fields_of(tool: &Tool) -> Vec<FieldShape<'_>> {
    tool.input
        .iter()
        .map(|field| {
            let absent = match (&field.default, field.role) {
                _ if field.required => Absent::Wrong,
                (Some(Json::String(text)), Some(_)) => Absent::Means(text),
                // A path that is left out is the working directory.
                (None, Some(Role::Reads | Role::ReadsTree)) => Absent::Means("."),
                (Some(_) | None, _) => Absent::Nothing,
            };
            FieldShape {
                name: &field.name.value,
                role: field.role,
                many: matches!(field.kind, FieldKind::Array { .. }),
                absent,
            }
        })
        .collect()
}

/// The tool as deciding sees it: every step of a body is decided by itself, so that its input need not say more than it does.
pub(crate) fn shape_of<'a>(tool: &'a Tool, fields: &'a [FieldShape<'a>]) -> ToolShape<'a> {
    ToolShape {
        name: &tool.name.value,
        fields,
        effects: Effects::InInput,
        trees: match &tool.work {
            Work::Handler(Handler::SearchGlob | Handler::SearchGrep) => Trees::Sieved,
            Work::Handler(
                Handler::BashRun
                | Handler::FileRead
                | Handler::FileWrite
                | Handler::FileEdit
                | Handler::FileNotebook,
            )
            | Work::Body(_) => Trees::Whole,
        },
    }
}

#[cfg(test)]
mod tests {
    use engine_policy::{Absent, ToolShape};

    use super::fields_of;

    #[test]
    fn deciding_offline_sees_the_fields_that_running_sees() {
        let mut seen = 0;
        for tool in engine_tools::shipped() {
            let shape = ToolShape::shipped(&tool.name.value).unwrap();
            let own = fields_of(tool);
            let own: Vec<_> = own
                .into_iter()
                .filter(|own| !tool.field(own.name).unwrap().internal)
                .map(|own| match own.role {
                    // What has no role is not looked at offline.
                    None => engine_policy::FieldShape {
                        absent: Absent::Nothing,
                        ..own
                    },
                    Some(_) => own,
                })
                .collect();
            assert_eq!(own, shape.fields, "{}", tool.name.value);
            seen += 1;
        }
        assert_eq!(seen, ToolShape::all_shipped().len());
    }
}
