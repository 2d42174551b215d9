//! A writer of documents that is killed at any time leaves a whole collection, which the next writer goes on with.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use engine_runtime::store::{Keep, Store};
use serde_json::json;

/// Where the writer of the other process keeps its documents.
const PLACE: &str = "TEST_STORE_PLACE";

fn store(place: &Path) -> Store {
    Store::new(place.join("session"), place.join("project"))
}

/// The writer, as a process of its own: started by the test below, and nothing without it.
#[test]
#[ignore = "runs until it is killed"]
fn a_writer() {
    let Some(place) = std::env::var_os(PLACE) else {
        return;
    };
    let store = store(Path::new(&place));
    for round in 0.. {
        let text = "x".repeat(1 + round % 7 * 20_000);
        let both = json!({ "first": text, "second": text });
        store
            .put("tasks", Some("one"), both, Keep::Project)
            .expect("kept");
        store
            .put("tasks", None, json!({ "subject": "n" }), Keep::Project)
            .expect("kept");
        if round % 5 == 4 {
            let number = (round * 2).to_string();
            store.delete("tasks", &number).expect("deleted");
        }
    }
}

#[test]
fn a_killed_writer_leaves_a_whole_collection() {
    const ROUNDS: u64 = 200;
    let directory = tempfile::tempdir().expect("a directory");
    let own = std::env::current_exe().expect("this program");
    let reader = store(directory.path());
    let mut most = 0;
    for round in 0..ROUNDS {
        let mut writer = Command::new(&own)
            .args(["--exact", "kills::a_writer", "--ignored"])
            .env(PLACE, directory.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("a writer");
        let until = std::time::Instant::now() + Duration::from_micros(5_000 + round * 37_117 % 40_000);
        while std::time::Instant::now() < until {
            whole(&reader);
        }
        writer.kill().expect("killed");
        writer.wait().expect("ended");
        most = most.max(whole(&reader));
    }
    assert!(most > 0, "something was written");
    // Nobody holds the lock of the dead.
    let key = reader.put("tasks", None, json!({}), Keep::Project).expect("kept");
    assert_eq!(
        reader.get("tasks", &key).expect("read"),
        Some(json!({ "id": key }))
    );
}

/// Reads the collection; each document is as it was put.
fn whole(store: &Store) -> usize {
    let all = store.list("tasks").expect("a whole collection");
    for (key, document) in &all {
        if key == "one" {
            assert_eq!(document["first"], document["second"]);
        }
    }
    all.len()
}
