//! What runs when: order, failure, rollback, rounds, tries, and what is kept.

use std::time::Duration;

use engine_tools::definition::{Body, CacheStep, EachStep, OnError, RetryStep, Step};
use engine_tools::template::{Scope, Value};
use futures_util::StreamExt as _;
use serde_json::Value as Json;
use smol_str::SmolStr;
use tokio::time::Instant;

use super::{Failure, Flow, Run};
use crate::person::Later;
use crate::session::Cached;

/// A step that runs beside others: the step, the names it saw and gave, and how it ended.
type Beside<'r> = Later<'r, (&'r Step, Scope, Result<Flow, Failure>)>;

/// A round of an `each`: how it ended, and what it gives.
type Round<'r> = Later<'r, Result<(Flow, Option<Json>), Failure>>;

impl Run<'_> {
    /// Runs a body; what its steps name is in the scope afterwards.
    pub(super) fn body<'r>(
        &'r self,
        body: &'r Body,
        scope: &'r mut Scope,
    ) -> Later<'r, Result<Flow, Failure>> {
        let running = async move {
            let mut undo: Vec<&[Step]> = Vec::new();
            let ended = if body.max_concurrency > 1 {
                self.together(body, scope, &mut undo).await
            } else {
                self.in_order(body, scope, &mut undo).await
            };
            if ended.is_err() {
                self.roll_back(body, scope, &undo).await;
            }
            ended
        };
        Box::pin(running)
    }

    async fn in_order<'r>(
        &'r self,
        body: &'r Body,
        scope: &mut Scope,
        undo: &mut Vec<&'r [Step]>,
    ) -> Result<Flow, Failure> {
        for step in &body.steps {
            let flow = self.step_with_tries(body, step, scope).await?;
            if !step.rollback.is_empty() {
                undo.push(&step.rollback);
            }
            if let Flow::Return(..) = flow {
                return Ok(flow);
            }
        }
        Ok(Flow::Next)
    }

    /// Steps that do not wait for each other: each sees the names that stood before the body, and all that they name is there afterwards.
    async fn together<'r>(
        &'r self,
        body: &'r Body,
        scope: &mut Scope,
        undo: &mut Vec<&'r [Step]>,
    ) -> Result<Flow, Failure> {
        let before = scope.clone();
        let mut running: Vec<Beside<'r>> = Vec::new();
        for step in &body.steps {
            let mut own = before.clone();
            running.push(Box::pin(async move {
                let flow = self.step_with_tries(body, step, &mut own).await;
                (step, own, flow)
            }));
        }
        let most = usize::try_from(body.max_concurrency).unwrap_or(1).max(1);
        let ended: Vec<_> = futures_util::stream::iter(running).buffered(most).collect().await;
        let mut first = Ok(Flow::Next);
        for (step, own, flow) in ended {
            if flow.is_ok() && !step.rollback.is_empty() {
                undo.push(&step.rollback);
            }
            for name in super::steps::names_of(step) {
                if let Some(value) = own.get(&name) {
                    scope.set(&name, value);
                }
            }
            match (&first, flow) {
                (Ok(Flow::Next), flow) => first = flow,
                (Ok(Flow::Return(..)) | Err(_), _) => {}
            }
        }
        first
    }

    async fn step_with_tries(&self, body: &Body, step: &Step, scope: &mut Scope) -> Result<Flow, Failure> {
        let on_error = step.on_error.unwrap_or(body.on_error);
        if self.cancel().is_cancelled() {
            return Err(Failure::Stopped);
        }
        match (self.step(step, scope).await, on_error) {
            (Err(Failure::Failed(_)), OnError::Skip) => {
                for name in super::steps::names_of(step) {
                    scope.set(&name, Value::none());
                }
                Ok(Flow::Next)
            }
            (Err(Failure::Failed(_)), OnError::Retry) => self.step(step, scope).await,
            (ended, OnError::Stop | OnError::Skip | OnError::Retry) => ended,
        }
    }

    /// Undoes what was done before a failure, the last first. What fails on the way is told and does not keep the rest from being undone.
    async fn roll_back(&self, body: &Body, scope: &mut Scope, undo: &[&[Step]]) {
        let mut steps: Vec<&Step> = Vec::new();
        for own in undo.iter().rev() {
            steps.extend(own.iter());
        }
        steps.extend(&body.rollback);
        for step in steps {
            if let Err(Failure::Failed(text)) = self.step(step, scope).await {
                let text = format!("what was done before could not be undone: {text}");
                self.say(engine_tools::definition::Speaker::Person, text);
            }
        }
    }

    pub(super) async fn each(&self, each: &EachStep, scope: &mut Scope) -> Result<Flow, Failure> {
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
        let mut rounds: Vec<Round<'_>> = Vec::new();
        for item in items {
            let mut own = before.clone();
            own.set(&each.item.value, item);
            rounds.push(Box::pin(async move {
                let flow = self.body(&each.body, &mut own).await?;
                let given = match (&flow, &each.collect) {
                    (Flow::Next, Some((_, given))) => Some(given.json(&own)?),
                    (Flow::Next | Flow::Return(..), _) => None,
                };
                Ok((flow, given))
            }));
        }
        let most = usize::try_from(each.max_concurrency).unwrap_or(1).max(1);
        let mut rounds = futures_util::stream::iter(rounds).buffered(most);
        let mut collected = Vec::new();
        while let Some(round) = rounds.next().await {
            let (flow, given) = round?;
            if let Flow::Return(..) = flow {
                return Ok(flow);
            }
            collected.extend(given);
        }
        drop(rounds);
        if let Some((name, _)) = &each.collect {
            scope.set(&name.value, Value::of_json(&Json::Array(collected)));
        }
        Ok(Flow::Next)
    }

    pub(super) async fn cache(&self, cache: &CacheStep, scope: &mut Scope) -> Result<Flow, Failure> {
        let key = cache.key.render(scope)?;
        if let Some(names) = self.session().cached(&self.tool.name.value, &key) {
            for (name, value) in names {
                scope.set(&name, value);
            }
            return Ok(Flow::Next);
        }
        let flow = self.body(&cache.body, scope).await?;
        if let Flow::Next = flow {
            let names: Vec<SmolStr> = cache.body.steps.iter().flat_map(super::steps::names_of).collect();
            let names = names
                .into_iter()
                .filter_map(|name| Some((name.clone(), scope.get(&name)?)))
                .collect();
            let until = Instant::now() + Duration::from_millis(cache.for_ms);
            self.session()
                .keep(&self.tool.name.value, key, Cached { until, names });
        }
        Ok(flow)
    }

    pub(super) async fn retry(&self, retry: &RetryStep, scope: &mut Scope) -> Result<Flow, Failure> {
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
