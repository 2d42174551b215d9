//! The `state` step: documents of the store.

use engine_tools::definition::{Named, StateChange, StateStep, StateVerb};
use engine_tools::template::{Scope, Value};
use serde_json::{Map, Value as Json};

use super::{Failure, Run};
use crate::store::Keep;

/// A change of a document with its value in place.
enum Ready {
    Set(String, Json),
    Append(String, Vec<Json>),
    Merge(String, Map<String, Json>),
    Remove(String),
}

impl Run<'_> {
    pub(super) async fn state(&self, state: &StateStep, scope: &mut Scope) -> Result<(), Failure> {
        let store = self.session().parts.store.clone();
        let collection = state.collection.value.to_string();
        let failed = |error: crate::store::StoreError| Failure::Failed(error.to_string());
        let value = match &state.verb {
            StateVerb::Get { key } => {
                let key = key.render(scope)?;
                let found = blocking(move || store.get(&collection, &key)).await?;
                found.map_err(failed)?.unwrap_or(Json::Null)
            }
            StateVerb::Put { key, value, keep } => {
                let key = match key {
                    Some(key) => Some(key.render(scope)?),
                    None => None,
                };
                let value = value.json(scope)?;
                let keep = match keep {
                    Some(keep) => word(&keep.render(scope)?)?,
                    None => Keep::Session,
                };
                let put = move || store.put(&collection, key.as_deref(), value, keep);
                let key = blocking(put).await?.map_err(failed)?;
                serde_json::json!({ "key": key })
            }
            StateVerb::Update { key, changes } => {
                let key = key.render(scope)?;
                let changes = changes
                    .iter()
                    .map(|change| ready(change, scope))
                    .collect::<Result<Vec<_>, Failure>>()?;
                let update = move || {
                    store.update(&collection, &key, |document| {
                        if let Json::Object(map) = document {
                            for change in &changes {
                                make(change, map);
                            }
                        }
                    })
                };
                blocking(update).await?.map_err(failed)?.unwrap_or(Json::Null)
            }
            StateVerb::Delete { key } => {
                let key = key.render(scope)?;
                Json::Bool(
                    blocking(move || store.delete(&collection, &key))
                        .await?
                        .map_err(failed)?,
                )
            }
            StateVerb::List => {
                let all = blocking(move || store.list(&collection)).await?.map_err(failed)?;
                Json::Array(all.into_iter().map(|(_, document)| document).collect())
            }
        };
        if let Some(name) = &state.name {
            scope.set(&name.value, Value::of_json(&value));
        }
        Ok(())
    }
}

async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, Failure> {
    tokio::task::spawn_blocking(work)
        .await
        .map_err(|error| Failure::Failed(format!("an error of the engine itself: {error}")))
}

fn word(text: &str) -> Result<Keep, Failure> {
    Keep::ALL
        .iter()
        .find(|(word, _)| *word == text)
        .map(|(_, keep)| *keep)
        .ok_or_else(|| Failure::Failed(format!("`{text}` is no way to keep a document")))
}

fn ready(change: &StateChange, scope: &Scope) -> Result<Ready, Failure> {
    let value = |named: &Named| named.value.json(scope);
    Ok(match change {
        StateChange::Set(named) => Ready::Set(named.name.value.to_string(), value(named)?),
        StateChange::Append(named) => Ready::Append(
            named.name.value.to_string(),
            match value(named)? {
                Json::Array(items) => items,
                Json::Null => Vec::new(),
                one @ (Json::Bool(_) | Json::Number(_) | Json::String(_) | Json::Object(_)) => vec![one],
            },
        ),
        StateChange::Merge(named) => Ready::Merge(
            named.name.value.to_string(),
            match value(named)? {
                Json::Object(map) => map,
                Json::Null => Map::new(),
                other @ (Json::Bool(_) | Json::Number(_) | Json::String(_) | Json::Array(_)) => {
                    return Err(Failure::Failed(format!("`{other}` is no object to merge")));
                }
            },
        ),
        StateChange::Remove(name) => Ready::Remove(name.value.to_string()),
    })
}

fn make(change: &Ready, map: &mut Map<String, Json>) {
    match change {
        Ready::Set(_, Json::Null) => {}
        Ready::Set(name, value) => {
            map.insert(name.clone(), value.clone());
        }
        Ready::Append(name, items) => {
            if items.is_empty() {
                return;
            }
            let list = map.entry(name.clone()).or_insert_with(|| Json::Array(Vec::new()));
            if let Json::Array(list) = list {
                for item in items {
                    if !list.contains(item) {
                        list.push(item.clone());
                    }
                }
            }
        }
        Ready::Merge(name, keys) => {
            if keys.is_empty() {
                return;
            }
            let object = map
                .entry(name.clone())
                .or_insert_with(|| Json::Object(Map::new()));
            if let Json::Object(object) = object {
                for (key, value) in keys {
                    if value.is_null() {
                        object.remove(key);
                    } else {
                        object.insert(key.clone(), value.clone());
                    }
                }
            }
        }
        Ready::Remove(name) => {
            map.remove(name);
        }
    }
}
