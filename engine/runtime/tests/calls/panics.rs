//! Something in a native handler panics: that call has failed, and nothing else is lost. So it is where panics unwind; a release build ends.

use std::sync::Arc;

use engine_runtime::bash::{Sandbox, SandboxError, Settings, Start};
use serde_json::json;

use super::support::{OPEN, Setup, Table, bash, text_of};

/// Panics where a command says so, in the middle of starting it.
#[derive(Debug)]
struct Falls;

impl Sandbox for Falls {
    fn wrap(&self, start: Start) -> Result<Start, SandboxError> {
        let falls = start.arguments.iter().any(|word| word == "true fall");
        assert!(!falls, "a wall fell over");
        Ok(start)
    }
}

fn table() -> Table {
    let settings = Settings {
        sandbox: Arc::new(Falls),
        ..Settings::default()
    };
    Setup::new(OPEN).file("a.txt", "a").settings(settings).start()
}

#[tokio::test]
async fn a_handler_that_panics_is_a_call_that_failed_and_the_rest_goes_on() {
    let table = table();
    let path = table.path("a.txt");
    let results = table
        .message(&[
            ("Read", json!({ "file_path": path })),
            bash("touch before.txt"),
            bash("true fall"),
            bash("touch after.txt"),
            ("Read", json!({ "file_path": path })),
        ])
        .await;
    let failed: Vec<bool> = results.iter().map(|result| result.output.is_error).collect();
    assert_eq!(failed, [false, false, true, false, false], "{results:?}");
    let text = text_of(&results[2]);
    assert!(text.starts_with("An error of the engine itself"), "{text}");
    assert!(table.project().join("after.txt").exists());
    // The session works on: what a call learned and where it went is kept.
    table
        .works(
            "Edit",
            json!({ "file_path": path, "old_string": "a", "new_string": "b" }),
        )
        .await;
    assert_eq!(table.text("a.txt"), "b");
    assert_eq!(table.works("Bash", json!({ "command": "echo on" })).await, "on");
}

#[tokio::test]
async fn a_call_that_panicked_has_its_end_in_the_log() {
    let table = table();
    table.fails("Bash", json!({ "command": "true fall" })).await;
    let decided = table.decided();
    assert_eq!((decided.len(), decided[0].granted), (1, true));
    let ended = table.recorder.ended.lock().expect("ended").clone();
    assert_eq!(ended, [(decided[0].call.clone(), true)]);
}

#[tokio::test]
async fn what_runs_in_the_background_outlives_a_panic() {
    let table = table();
    let input = json!({ "command": "sleep 1; echo done > late.txt", "run_in_background": true });
    table.works("Bash", input).await;
    table.fails("Bash", json!({ "command": "true fall" })).await;
    for _ in 0..100 {
        if table.project().join("late.txt").exists() {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    }
    panic!("what ran in the background is gone");
}
