//! What is captured.

use std::path::Path;
use std::time::{Duration, Instant};

use engine_runtime::bash::{ControlGroups, End, Streams};

use crate::common::{bash, run, says, text, words};

#[tokio::test]
async fn standard_output_and_error_stand_in_the_order_of_writing() {
    let said = says("for i in 1 2 3; do echo out $i; echo err $i >&2; sh -c \"echo child $i\"; done").await;
    let expected = "out 1\nerr 1\nchild 1\nout 2\nerr 2\nchild 2\nout 3\nerr 3\nchild 3\n";
    assert_eq!(said, expected);
}

#[tokio::test]
async fn streams_are_kept_apart_where_that_is_asked_for() {
    let mut request = words("sh", &["-c", "echo out; echo err >&2; cat"], b"from the input");
    request.streams = Streams::Apart;
    let finished = run(request).await;
    assert_eq!(finished.output.text(), "out\nfrom the input");
    assert_eq!(finished.errors.as_ref().expect("errors").text(), "err");
    assert_eq!(finished.end, End::Exited(0));
}

#[tokio::test]
async fn words_are_never_read_by_a_shell() {
    let finished = run(words("printf", &["%s|", "$(id)", "a b", "", "*", "'"], b"")).await;
    assert_eq!(finished.output.text(), "$(id)|a b||*|'|");
}

#[tokio::test]
async fn a_program_that_is_not_there_is_said_so() {
    let error = bash(ControlGroups::Never)
        .start(words("no-such-program", &[], b""))
        .expect_err("not started");
    assert_eq!(
        error.to_string(),
        "`no-such-program` was not found in any directory of PATH"
    );
}

#[tokio::test]
async fn bytes_that_are_no_text_are_kept_as_bytes_and_shown_as_text() {
    let finished = run(text("printf 'a\\377\\376b\\303'", Path::new("/"))).await;
    assert_eq!(finished.output.head, b"a\xff\xfeb\xc3");
    assert_eq!(finished.output.text(), "a\u{fffd}\u{fffd}b\u{fffd}");
}

#[tokio::test]
async fn a_last_line_without_a_newline_counts() {
    let finished = run(text("printf '\\n\\none\\ntwo'", Path::new("/"))).await;
    assert_eq!(
        (finished.output.total_lines, finished.output.text().as_str()),
        (4, "one\ntwo")
    );
}

#[tokio::test]
async fn standard_input_is_empty() {
    assert_eq!(says("cat; read x; echo \"$? [$x]\"").await, "1 []\n");
}

#[tokio::test]
async fn a_server_that_is_left_running_does_not_hold_up_the_call_and_lives_on() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path().canonicalize().expect("a path");
    let engine = bash(ControlGroups::WherePossible);
    let script =
        "(for i in 1 2 3 4 5 6 7 8 9 10; do sleep 0.2; echo more; done; echo done >late) & echo started";
    let begun = Instant::now();
    let finished = engine
        .start(text(script, &folder))
        .expect("started")
        .finished()
        .await;
    assert!(
        begun.elapsed() < Duration::from_millis(1500),
        "{:?}",
        begun.elapsed()
    );
    assert_eq!(
        (finished.end, finished.output.text().as_str()),
        (End::Exited(0), "started")
    );
    let late = folder.join("late");
    for _ in 0..100 {
        if late.exists() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!("what was left running has died");
}

#[tokio::test]
async fn a_server_that_floods_the_pipe_does_not_hold_up_the_call() {
    let engine = bash(ControlGroups::WherePossible);
    let begun = Instant::now();
    let mut running = engine
        .start(text("yes & echo started", Path::new("/")))
        .expect("started");
    let finished = running.finished().await;
    assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
    assert_eq!(finished.end, End::Exited(0));
    engine.end_everything().await;
}

#[tokio::test]
async fn a_command_that_closes_its_output_is_waited_for() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path().canonicalize().expect("a path");
    let finished = run(text(
        "echo one; exec >&- 2>&-; sleep 0.3; : >late; exit 5",
        &folder,
    ))
    .await;
    assert_eq!(
        (finished.end, finished.output.text().as_str()),
        (End::Exited(5), "one")
    );
    assert!(folder.join("late").exists());
}

#[tokio::test]
async fn output_over_the_budget_is_in_the_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path().canonicalize().expect("a path");
    let mut request = text("seq 1 200000", &folder);
    request.budget_bytes = 1000;
    request.file = Some(folder.join("full"));
    let finished = bash(ControlGroups::Never)
        .start(request)
        .expect("started")
        .finished()
        .await;
    let numbers: Vec<String> = (1..=200_000).map(|number| number.to_string()).collect();
    let all = numbers.join("\n") + "\n";
    assert_eq!(std::fs::read_to_string(folder.join("full")).expect("a file"), all);
    assert_eq!(finished.output.head, &all.as_bytes()[..1000]);
    assert!(finished.output.tail.ends_with(b"199999\n200000\n"));
    assert_eq!(finished.output.total_lines, 200_000);
}

#[tokio::test]
async fn progress_tells_of_the_end_and_the_size_while_it_runs() {
    let engine = bash(ControlGroups::Never);
    let mut running = engine
        .start(text("seq 1 1000; sleep 1; echo last", Path::new("/")))
        .expect("started");
    let mut events = running.watch();
    let seen = events
        .wait_for(|progress| progress.total_lines == 1000)
        .await
        .expect("an event")
        .clone();
    assert!(seen.tail.ends_with(b"999\n1000\n"));
    assert_eq!(seen.total_bytes, 3893);
    assert!(running.end().is_none());
    assert_eq!(running.finished().await.output.total_lines, 1001);
}
