//! What runs when: order, failure, rollback, rounds, tries, and what is kept.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use engine_tools::definition::{Body, CacheStep, EachStep, OnError, RetryStep, Step};
use engine_tools::template::{Scope, Value};
use futures_util::StreamExt as _;
use serde_json::Value as Json;
use smol_str::SmolStr;
use tokio::time::Instant;

use super::{Failure, Flow, Run, Undo, Went};
use crate::bash::Cancel;
use crate::native::Around;
use crate::person::Later;
use crate::session::Cached;

/// A step that runs beside others: the step, the names it saw and gave, and how it ended.
type Beside<'r> = Later<'r, (&'r Step, Scope, Result<Went, Failure>)>;

/// One round of an `each`.
struct Round {
    went: Went,
    given: Option<Json>,
}

/// How long what was done before a failure may be undone. Nothing else ends it: whoever cancels a call wants it undone, too.
const ROLLBACK: Duration = Duration::from_secs(30);

impl Run<'_> {
    /// Runs a body; what its steps name is in the scope afterwards. Where it fails, what it did is undone; else who runs it gets what undoes
    /// it.
    pub(super) fn body<'r>(
        &'r self,
        body: &'r Body,
        scope: &'r mut Scope,
    ) -> Later<'r, Result<Went, Failure>> {
        let running = async move {
            let mut undo = Vec::new();
            let ended = if body.max_concurrency > 1 {
                self.together(body, scope, &mut undo).await
            } else {
                self.in_order(body, scope, &mut undo).await
            };
            match ended {
                Ok(flow) => Ok(Went { flow, undo }),
                Err(failure) => {
                    // The last step was done last, and a body's own rollback covers all of it.
                    undo.insert(0, Undo::new(&body.rollback, scope));
                    self.roll_back(undo).await;
                    Err(failure)
                }
            }
        };
        Box::pin(running)
    }

    async fn in_order(&self, body: &Body, scope: &mut Scope, undo: &mut Vec<Undo>) -> Result<Flow, Failure> {
        for step in &body.steps {
            let went = self.step_with_tries(body, step, scope).await?;
            undo.extend(went.undo);
            undo.push(Undo::new(&step.rollback, scope));
            if let Flow::Return(..) = went.flow {
                return Ok(went.flow);
            }
        }
        Ok(Flow::Next)
    }

    /// Steps that do not wait for each other: each sees the names that stood before the body, and all that they name is there afterwards.
    async fn together(&self, body: &Body, scope: &mut Scope, undo: &mut Vec<Undo>) -> Result<Flow, Failure> {
        let before = scope.clone();
        let mut running: Vec<Beside<'_>> = Vec::new();
        for step in &body.steps {
            let mut own = before.clone();
            running.push(Box::pin(async move {
                let went = self.step_with_tries(body, step, &mut own).await;
                (step, own, went)
            }));
        }
        let most = usize::try_from(body.max_concurrency).unwrap_or(1).max(1);
        let ended: Vec<_> = futures_util::stream::iter(running).buffered(most).collect().await;
        let mut first = Ok(Flow::Next);
        for (step, own, went) in ended {
            for name in super::steps::names_of(step) {
                if let Some(value) = own.get(&name) {
                    scope.set(&name, value);
                }
            }
            let flow = went.map(|went| {
                undo.extend(went.undo);
                undo.push(Undo::new(&step.rollback, &own));
                went.flow
            });
            match (&first, flow) {
                (Ok(Flow::Next), flow) => first = flow,
                // A failure counts, whatever another step gave before.
                (Ok(Flow::Return(..)), Err(failure)) => first = Err(failure),
                (Ok(Flow::Return(..)), Ok(_)) | (Err(_), _) => {}
            }
        }
        first
    }

    async fn step_with_tries(&self, body: &Body, step: &Step, scope: &mut Scope) -> Result<Went, Failure> {
        let on_error = step.on_error.unwrap_or(body.on_error);
        if self.cancel().is_cancelled() {
            return Err(Failure::Stopped);
        }
        match (self.step(step, scope).await, on_error) {
            (Err(Failure::Failed(_)), OnError::Skip) => {
                for name in super::steps::names_of(step) {
                    scope.set(&name, Value::none());
                }
                Ok(Went::on())
            }
            (Err(Failure::Failed(_)), OnError::Retry) => self.step(step, scope).await,
            (ended, OnError::Stop | OnError::Skip | OnError::Retry) => ended,
        }
    }

    /// Undoes what was done before a failure, the last first. What fails on the way is told and does not keep the rest from being undone.
    fn roll_back(&self, undo: Vec<Undo>) -> Later<'_, ()> {
        Box::pin(self.undo_all(undo))
    }

    async fn undo_all(&self, undo: Vec<Undo>) {
        let fresh = Cancel::new();
        let undoing = Run {
            around: Around {
                cancel: &fresh,
                ..self.around
            },
            tool: self.tool,
            read_only: self.read_only,
            via: self.via.clone(),
            done: Mutex::default(),
            turns: Mutex::default(),
        };
        let all = async {
            for Undo { steps, mut scope } in undo.into_iter().rev() {
                for step in &steps {
                    if let Err(Failure::Failed(text)) = undoing.step(step, &mut scope).await {
                        self.not_undone(&text);
                    }
                }
            }
        };
        if tokio::time::timeout(ROLLBACK, all).await.is_err() {
            self.not_undone("it takes too long");
        }
    }

    fn not_undone(&self, text: &str) {
        let text = format!("what was done before could not be undone: {text}");
        self.say(engine_tools::definition::Speaker::Person, text);
    }

    pub(super) async fn each(&self, each: &EachStep, scope: &mut Scope) -> Result<Went, Failure> {
        let list = each.list.evaluate(scope)?;
        let items = list
            .items()
            .ok_or_else(|| Failure::Failed(format!("`{}` is no list", each.list.source())))?;
        if items.len() > each.max as usize {
            return Err(Failure::Failed(format!(
                "the list has {} items, and at most {} are taken",
                items.len(),
                each.max
            )));
        }
        let before = scope.clone();
        let over = AtomicBool::new(false);
        let mut rounds: Vec<Later<'_, Option<Result<Round, Failure>>>> = Vec::new();
        for item in items {
            let mut own = before.clone();
            own.set(&each.item.value, item);
            let over = &over;
            rounds.push(Box::pin(async move {
                // Rounds that run are waited for, so that they can be undone; no other one begins.
                if over.load(Ordering::Relaxed) {
                    return None;
                }
                let round = self.round(each, &mut own).await;
                if !matches!(&round, Ok(round) if matches!(round.went.flow, Flow::Next)) {
                    over.store(true, Ordering::Relaxed);
                }
                Some(round)
            }));
        }
        let most = usize::try_from(each.max_concurrency).unwrap_or(1).max(1);
        let mut rounds = futures_util::stream::iter(rounds).buffered(most);
        let mut collected = Vec::new();
        let mut undo = Vec::new();
        let mut first = Ok(Flow::Next);
        while let Some(round) = rounds.next().await {
            let flow = match round {
                None => continue,
                Some(Ok(round)) => {
                    undo.extend(round.went.undo);
                    collected.extend(round.given);
                    Ok(round.went.flow)
                }
                Some(Err(failure)) => Err(failure),
            };
            match (&first, flow) {
                (Ok(Flow::Next), flow) => first = flow,
                (Ok(Flow::Return(..)), Err(failure)) => first = Err(failure),
                (Ok(Flow::Return(..)), Ok(_)) | (Err(_), _) => {}
            }
        }
        drop(rounds);
        match first {
            Ok(flow) => {
                if let (Flow::Next, Some((name, _))) = (&flow, &each.collect) {
                    scope.set(&name.value, Value::of_json(&Json::Array(collected)));
                }
                Ok(Went { flow, undo })
            }
            Err(failure) => {
                self.roll_back(undo).await;
                Err(failure)
            }
        }
    }

    async fn round(&self, each: &EachStep, own: &mut Scope) -> Result<Round, Failure> {
        let went = self.body(&each.body, own).await?;
        let given = match (&went.flow, &each.collect) {
            (Flow::Next, Some((_, given))) => match given.json(own) {
                Ok(given) => Some(given),
                Err(error) => {
                    self.roll_back(went.undo).await;
                    return Err(error.into());
                }
            },
            (Flow::Next | Flow::Return(..), _) => None,
        };
        Ok(Round { went, given })
    }

    pub(super) async fn cache(&self, cache: &CacheStep, scope: &mut Scope) -> Result<Went, Failure> {
        let key = cache.key.render(scope)?;
        if let Some(names) = self.session().cached(&self.tool.name.value, &key) {
            for (name, value) in names {
                scope.set(&name, value);
            }
            return Ok(Went::on());
        }
        let went = self.body(&cache.body, scope).await?;
        if let Flow::Next = went.flow {
            let names: Vec<SmolStr> = cache.body.steps.iter().flat_map(super::steps::names_of).collect();
            let names = names
                .into_iter()
                .filter_map(|name| Some((name.clone(), scope.get(&name)?)))
                .collect();
            let until = Instant::now() + Duration::from_millis(cache.for_ms);
            self.session()
                .keep(&self.tool.name.value, key, Cached { until, names });
        }
        Ok(went)
    }

    pub(super) async fn retry(&self, retry: &RetryStep, scope: &mut Scope) -> Result<Went, Failure> {
        let mut delay = Duration::from_millis(retry.delay_ms);
        let mut last = self.body(&retry.body, scope).await;
        for _ in 1..retry.times {
            let Err(Failure::Failed(_)) = last else {
                return last;
            };
            tokio::select! {
                () = tokio::time::sleep(delay) => {}
                () = self.cancel().cancelled() => return Err(Failure::Stopped),
            }
            delay = delay.saturating_mul(2);
            last = self.body(&retry.body, scope).await;
        }
        last
    }
}
