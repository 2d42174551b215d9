//! The path that was decided is the path that is used: somebody swaps a part of it for a link while calls run.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::json;

use super::support::Setup;

/// Reading and writing in the project alone.
const WITHIN: &str = r#"
policy "within"
default { command "deny"; read "deny"; write "deny"; delete "deny"; network "deny"; tool "allow"; env "deny" }
allow "project" { read "./**"; write "./**" }
"#;

/// Swaps `project/d` between a directory and a link out of the project until it is told to stop.
fn swap(project: &Path, outside: &Path, stop: &Arc<AtomicBool>) -> std::thread::JoinHandle<()> {
    let (at, aside, outside) = (project.join("d"), project.join("aside"), outside.to_owned());
    let link = project.join("link");
    let stop = Arc::clone(stop);
    std::thread::spawn(move || {
        while !stop.load(Ordering::Relaxed) {
            let _linked = symlink(&outside, &link);
            let _away = fs::rename(&at, &aside);
            let _there = fs::rename(&link, &at);
            std::thread::sleep(Duration::from_micros(150));
            let _gone = fs::remove_file(&at);
            let _back = fs::rename(&aside, &at);
            std::thread::sleep(Duration::from_micros(150));
        }
    })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_link_that_is_swapped_in_leads_out() {
    let table = Setup::new(WITHIN).file("d/a.txt", "inside").start();
    let outside = table.root().join("outside");
    fs::create_dir(&outside).expect("made");
    fs::write(outside.join("a.txt"), "HIDDEN").expect("written");
    let stop = Arc::new(AtomicBool::new(false));
    let swapping = swap(&table.project(), &outside, &stop);
    let path = table.path("d/a.txt");
    let started = Instant::now();
    let (mut seen, mut refused) = (0, 0);
    let mut round = 0;
    while started.elapsed() < Duration::from_secs(4) {
        round += 1;
        let results = table
            .message(&[
                (
                    "Read",
                    json!({ "file_path": path, "offset": 1, "limit": 10 + round % 50 }),
                ),
                (
                    "Grep",
                    json!({ "pattern": "HIDDEN|inside", "path": "d", "output_mode": "content" }),
                ),
                ("Glob", json!({ "pattern": "d/*" })),
                (
                    "Write",
                    json!({ "file_path": table.path(&format!("d/new-{round}.txt")), "content": "x" }),
                ),
            ])
            .await;
        for result in &results {
            let text = super::support::text_of(result);
            assert!(!text.contains("HIDDEN"), "{}: {text}", result.name);
            seen += usize::from(text.contains("inside"));
            refused += usize::from(result.output.is_error);
        }
    }
    stop.store(true, Ordering::Relaxed);
    swapping.join().expect("the swaps");
    let names: Vec<_> = fs::read_dir(&outside)
        .expect("outside")
        .map(|entry| entry.expect("entry").file_name())
        .collect();
    assert_eq!(names, ["a.txt"], "nothing was written there");
    assert!(
        seen > 0 && refused > 0,
        "both were met: {seen} seen, {refused} refused"
    );
}
