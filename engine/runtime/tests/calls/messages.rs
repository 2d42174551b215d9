//! The calls of one message: order, context, what runs together, what stops what.

use std::num::NonZeroUsize;
use std::time::{Duration, Instant};

use engine_runtime::message;
use serde_json::json;

use super::support::{ASKS, Answer, OPEN, Setup, bash, text_of, use_of};

#[tokio::test]
async fn results_come_in_the_order_of_the_calls() {
    let table = Setup::new(OPEN).file("a.txt", "a").start();
    let path = table.path("a.txt");
    let results = table
        .message(&[
            bash("sleep 0.2; echo one"),
            ("Read", json!({ "file_path": path })),
            bash("echo three"),
            ("Nothing", json!({})),
            ("Glob", json!({ "pattern": "*.txt" })),
        ])
        .await;
    let names: Vec<&str> = results.iter().map(|result| result.name.as_str()).collect();
    assert_eq!(names, ["Bash", "Read", "Bash", "Nothing", "Glob"]);
    assert_eq!(text_of(&results[0]), "one");
    assert_eq!(text_of(&results[4]), "a.txt");
}

#[tokio::test]
async fn the_next_call_starts_where_the_one_before_it_went() {
    let table = Setup::new(OPEN).file("sub/x.txt", "").start();
    let results = table
        .message(&[
            bash("cd sub && touch y.txt"),
            bash("pwd"),
            ("Glob", json!({ "pattern": "*.txt" })),
        ])
        .await;
    assert_eq!(text_of(&results[1]), table.path("sub"));
    let names = text_of(&results[2]);
    assert!(names.contains("x.txt") && names.contains("y.txt"), "{names}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn calls_that_only_read_run_together() {
    let table = Setup::new(OPEN).start();
    let started = Instant::now();
    let results = table.message(&vec![bash("sleep 1"); 6]).await;
    let took = started.elapsed();
    assert!(
        results.iter().all(|result| !result.output.is_error),
        "{results:?}"
    );
    assert!(
        took < Duration::from_millis(3500),
        "six seconds of sleep took {took:?}"
    );
}

#[tokio::test]
async fn calls_that_write_run_one_after_the_other() {
    let table = Setup::new(OPEN).start();
    let step = |n: u32| {
        bash(
            [
                "echo a >> log; sleep 0.1; echo A >> log",
                "echo b >> log; sleep 0.1; echo B >> log",
                "echo c >> log",
            ][n as usize],
        )
    };
    table.message(&[step(0), step(1), step(2)]).await;
    assert_eq!(table.text("log"), "a\nA\nb\nB\nc\n");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_failing_bash_call_stops_its_siblings_and_nobody_else() {
    let table = Setup::new(OPEN).file("a.txt", "").start();
    let started = Instant::now();
    let results = table
        .message(&[
            bash("tail -f a.txt"),
            bash("cat gone.txt"),
            bash("touch after.txt"),
        ])
        .await;
    assert!(started.elapsed() < Duration::from_secs(10));
    assert!(results[0].output.is_error);
    assert!(text_of(&results[1]).contains("Exit code 1"), "{results:?}");
    // What follows the batch was not part of it.
    assert!(!results[2].output.is_error, "{results:?}");
    assert!(table.project().join("after.txt").exists());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn cancelling_gives_every_call_its_result() {
    let table = Setup::new(OPEN).file("a.txt", "").start();
    let calls = vec![
        use_of("a", "Bash", json!({ "command": "tail -f a.txt" })),
        use_of("b", "Bash", json!({ "command": "touch b.txt; tail -f a.txt" })),
        use_of("c", "Glob", json!({ "pattern": "*" })),
    ];
    let started = Instant::now();
    let limit = NonZeroUsize::new(10).expect("ten");
    let results = message::run(
        &table.session,
        limit,
        calls,
        tokio::time::sleep(Duration::from_millis(300)),
    )
    .await;
    assert!(started.elapsed() < Duration::from_secs(10));
    let ids: Vec<&str> = results.iter().map(|result| result.id.as_str()).collect();
    assert_eq!(ids, ["a", "b", "c"]);
    assert!(results.iter().all(|result| result.output.is_error), "{results:?}");
    assert!(!table.project().join("b.txt").exists());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn cancelling_does_not_wait_for_a_person() {
    let table = Setup::new(ASKS)
        .says(&[Answer::Silent, Answer::Silent])
        .replies(json!("silent"))
        .start();
    let option = |label: &str| json!({ "label": label, "description": "" });
    let calls = vec![
        use_of("a", "Bash", json!({ "command": "touch x.txt" })),
        use_of(
            "b",
            "AskUserQuestion",
            json!({ "questions": [{ "question": "?", "header": "", "options": [option("A"), option("B")] }] }),
        ),
    ];
    let limit = NonZeroUsize::new(10).expect("ten");
    let run = message::run(
        &table.session,
        limit,
        calls,
        tokio::time::sleep(Duration::from_millis(200)),
    );
    let results = tokio::time::timeout(Duration::from_secs(5), run)
        .await
        .expect("an end");
    assert_eq!(results.len(), 2);
    assert!(results.iter().all(|result| result.output.is_error), "{results:?}");
    let question = vec![use_of(
        "c",
        "AskUserQuestion",
        json!({ "questions": [{ "question": "?", "header": "", "options": [option("A"), option("B")] }] }),
    )];
    let run = message::run(
        &table.session,
        limit,
        question,
        tokio::time::sleep(Duration::from_millis(200)),
    );
    let results = tokio::time::timeout(Duration::from_secs(5), run)
        .await
        .expect("an end");
    assert!(results[0].output.is_error);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_interrupt_waits_for_what_must_not_be_cut_off() {
    let tools = r#"
tool "Careful" {
    about "Takes its time"
    interrupt "block"
    body {
        run "slept" "sleep" "0.7"
        return "done"
    }
}
"#;
    let table = Setup::new(OPEN).tools(tools).file("a.txt", "").start();
    let limit = NonZeroUsize::new(10).expect("ten");
    let (calls, mut results) = message::start(&table.session, limit);
    calls.add(use_of("a", "Careful", json!({})));
    calls.add(use_of("b", "Bash", json!({ "command": "touch b.txt" })));
    tokio::time::sleep(Duration::from_millis(250)).await;
    calls.interrupt();
    let first = results.next().await.expect("a result");
    assert_eq!(text_of(&first), "done");
    let second = results.next().await.expect("a result");
    assert_eq!(text_of(&second), "Not started: the person interrupted");
    drop(calls);
    assert!(results.next().await.is_none());
    let (calls, mut results) = message::start(&table.session, limit);
    calls.add(use_of("c", "Bash", json!({ "command": "tail -f a.txt" })));
    tokio::time::sleep(Duration::from_millis(250)).await;
    calls.interrupt();
    let cut = tokio::time::timeout(Duration::from_secs(5), results.next())
        .await
        .expect("an end");
    assert!(cut.expect("a result").output.is_error);
}

#[tokio::test]
async fn a_call_that_panics_is_a_call_that_failed() {
    let table = Setup::new(ASKS).says(&[Answer::Panics, Answer::Yes]).start();
    let results = table.message(&[bash("touch a.txt"), bash("touch b.txt")]).await;
    assert!(
        text_of(&results[0]).contains("error of the engine itself"),
        "{results:?}"
    );
    assert!(!table.project().join("a.txt").exists());
    assert!(!results[1].output.is_error, "{results:?}");
    assert!(table.project().join("b.txt").exists());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn thousands_of_calls_are_all_answered() {
    let table = Setup::new(OPEN).start();
    let calls: Vec<_> = (0..3000)
        .map(|n| {
            let name = if n % 2 == 0 { "Nothing" } else { "Read" };
            use_of(&format!("id-{n}"), name, json!({ "file_path": 3 }))
        })
        .collect();
    let started = Instant::now();
    let results = table.calls(calls).await;
    assert_eq!(results.len(), 3000);
    for (n, result) in results.iter().enumerate() {
        assert_eq!(result.id, format!("id-{n}"));
    }
    assert!(
        started.elapsed() < Duration::from_secs(20),
        "{:?}",
        started.elapsed()
    );
}
