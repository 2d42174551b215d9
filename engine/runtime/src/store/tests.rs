//! Facts about documents that are kept.

use std::fs;
use std::path::Path;

use serde_json::{Value as Json, json};

use super::{Keep, Store, StoreError};

fn store(directory: &Path) -> Store {
    Store::new(directory.join("session"), directory.join("project"))
}

#[test]
fn documents_without_a_key_get_numbers_that_are_never_used_twice() {
    let directory = tempfile::tempdir().unwrap();
    let store = store(directory.path());
    let put = |keep| store.put("tasks", None, json!({ "subject": "x" }), keep).unwrap();
    assert_eq!(put(Keep::Session), "1");
    assert_eq!(put(Keep::Project), "2");
    assert_eq!(put(Keep::Session), "3");
    assert!(store.delete("tasks", "3").unwrap());
    assert!(!store.delete("tasks", "3").unwrap());
    assert_eq!(put(Keep::Session), "4");
    assert_eq!(
        store.get("tasks", "2").unwrap(),
        Some(json!({ "subject": "x", "id": "2" }))
    );
}

#[test]
fn documents_are_listed_by_number_and_then_by_name() {
    let directory = tempfile::tempdir().unwrap();
    let store = store(directory.path());
    for key in ["b", "10", "9", "a"] {
        store.put("x", Some(key), Json::Null, Keep::Session).unwrap();
    }
    let keys: Vec<String> = store.list("x").unwrap().into_iter().map(|(key, _)| key).collect();
    assert_eq!(keys, ["9", "10", "a", "b"]);
}

#[test]
fn what_the_project_keeps_outlives_the_session() {
    let directory = tempfile::tempdir().unwrap();
    let first = store(directory.path());
    first.put("jobs", Some("a"), json!(1), Keep::Project).unwrap();
    first.put("jobs", Some("b"), json!(2), Keep::Session).unwrap();
    let second = Store::new(directory.path().join("other"), directory.path().join("project"));
    assert_eq!(second.list("jobs").unwrap(), [("a".to_owned(), json!(1))]);
    let updated = second
        .update("jobs", "a", |document| *document = json!(3))
        .unwrap();
    assert_eq!(updated, Some(json!(3)));
    assert_eq!(first.get("jobs", "a").unwrap(), Some(json!(3)));
    assert_eq!(
        second
            .update("jobs", "b", |document| *document = json!(4))
            .unwrap(),
        None
    );
}

#[test]
fn a_file_that_is_no_collection_is_said_and_left() {
    let directory = tempfile::tempdir().unwrap();
    let store = store(directory.path());
    store.put("x", Some("a"), json!(1), Keep::Session).unwrap();
    let file = directory.path().join("session/x.json");
    fs::write(&file, "{").unwrap();
    let error = store.put("x", Some("b"), json!(2), Keep::Session).unwrap_err();
    assert!(matches!(error, StoreError::Damaged { .. }), "{error}");
    assert_eq!(fs::read_to_string(&file).unwrap(), "{");
}

#[test]
fn a_link_in_place_of_a_collection_is_not_followed() {
    let directory = tempfile::tempdir().unwrap();
    let store = store(directory.path());
    fs::create_dir(directory.path().join("session")).unwrap();
    let elsewhere = directory.path().join("elsewhere");
    fs::write(&elsewhere, r#"{"next":1,"documents":{"a":1}}"#).unwrap();
    std::os::unix::fs::symlink(&elsewhere, directory.path().join("session/x.json")).unwrap();
    assert!(matches!(store.get("x", "a"), Err(StoreError::Io { .. })));
}

#[test]
fn names_that_lead_elsewhere_are_none() {
    let directory = tempfile::tempdir().unwrap();
    let store = store(directory.path());
    for name in ["../x", "", "a/b", "X", "a.b"] {
        assert!(matches!(store.list(name), Err(StoreError::Name { .. })), "{name}");
    }
}

#[test]
fn many_writers_lose_no_document() {
    let directory = tempfile::tempdir().unwrap();
    let store = store(directory.path());
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..25 {
                    store.put("x", None, json!({}), Keep::Session).unwrap();
                }
            });
        }
    });
    let list = store.list("x").unwrap();
    assert_eq!(list.len(), 200);
    assert!(
        list.iter()
            .enumerate()
            .all(|(at, (key, _))| *key == (at + 1).to_string())
    );
}

#[test]
fn a_collection_does_not_grow_without_end() {
    let directory = tempfile::tempdir().unwrap();
    let store = store(directory.path());
    store.put("x", Some("a"), json!(1), Keep::Session).unwrap();
    let large = "x".repeat(17 << 20);
    let error = store
        .put("x", Some("b"), json!(large), Keep::Session)
        .unwrap_err();
    assert!(matches!(error, StoreError::Full { .. }));
    assert_eq!(store.list("x").unwrap().len(), 1);
}
