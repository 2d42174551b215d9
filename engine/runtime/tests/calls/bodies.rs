//! Bodies of declared tools: what is undone, tried again, kept, and never becomes syntax.

use std::num::NonZeroUsize;
use std::time::{Duration, Instant};

use engine_runtime::message;
use serde_json::json;

use super::support::{ASKS, OPEN, Setup, use_of};

/// A tool without input around these steps.
fn tool(name: &str, steps: &str) -> String {
    format!(
        "tool \"{name}\" {{\n    about \"A test\"\n    input strict=#true {{ string \"text\"; array \"items\" of=\"string\"; }}\n    body {{\n{steps}\n    }}\n}}\n"
    )
}

async fn run(steps: &str, input: serde_json::Value) -> (super::support::Table, String, bool) {
    let table = Setup::new(OPEN).tools(&tool("Own", steps)).start();
    let (text, failed) = table.call("Own", input).await;
    (table, text, failed)
}

#[tokio::test]
async fn what_was_done_before_a_failure_is_undone_the_last_first() {
    let (table, text, failed) = run(
        r#"
        run "a" "touch" "a" { rollback { shell "ua" "echo a >> undone; rm a"; } }
        run "b" "touch" "b" { rollback { shell "ub" "echo b >> undone; rm b"; } }
        fail "no further"
"#,
        json!({}),
    )
    .await;
    assert!(failed);
    assert_eq!(text, "no further");
    assert_eq!(table.text("undone"), "b\na\n");
    assert!(!table.project().join("a").exists() && !table.project().join("b").exists());
}

#[tokio::test]
async fn steps_within_other_steps_are_undone_too() {
    let (table, _, failed) = run(
        r#"
        when "{{ true }}" {
            run "a" "touch" "a" { rollback { shell "ua" "echo a >> undone"; } }
        }
        each "item" in="{{ input.items }}" max=5 {
            run "b" "touch" "{{ item }}" { rollback { shell "ub" "echo \"$ITEM\" >> undone" { env "ITEM" "{{ item }}"; }; } }
        }
        cache key="k" for="1m" {
            run "c" "touch" "c" { rollback { shell "uc" "echo c >> undone"; } }
        }
        fail "no further"
"#,
        json!({ "items": ["x", "y"] }),
    )
    .await;
    assert!(failed);
    assert_eq!(table.text("undone"), "c\ny\nx\na\n");
}

#[tokio::test]
async fn a_round_that_fails_undoes_the_rounds_before_it() {
    let (table, text, failed) = run(
        r#"
        each "item" in="{{ input.items }}" max=5 max-concurrency=2 {
            run "b" "touch" "{{ item }}" { rollback { run "ub" "rm" "{{ item }}"; } }
            when "{{ item == 'bad' }}" { fail "bad item"; }
        }
        return "done"
"#,
        json!({ "items": ["x", "y", "bad", "z"] }),
    )
    .await;
    assert!(failed, "{text}");
    assert_eq!(text, "bad item");
    let left = std::fs::read_dir(table.project()).expect("project").count();
    assert_eq!(left, 0, "every round is undone");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn cancelling_undoes_what_was_done() {
    let steps = r#"
        run "a" "touch" "a" { rollback { run "ua" "rm" "a"; } }
        run "b" "sleep" "30"
        return "done"
"#;
    let table = Setup::new(OPEN).tools(&tool("Own", steps)).start();
    let limit = NonZeroUsize::new(2).expect("two");
    let calls = vec![use_of("a", "Own", json!({}))];
    let started = Instant::now();
    let results = message::run(
        &table.session,
        limit,
        calls,
        tokio::time::sleep(Duration::from_millis(600)),
    )
    .await;
    assert!(
        started.elapsed() > Duration::from_millis(600),
        "it was cancelled, it did not fail"
    );
    assert!(results[0].output.is_error);
    assert!(!table.project().join("a").exists());
}

#[tokio::test]
async fn a_step_that_fails_can_be_skipped_or_tried_again() {
    let (_, text, failed) = run(
        r#"
        read "gone" path="not-there.txt" on-error="skip"
        return "{{ 'nothing' if gone is none else 'something' }}"
"#,
        json!({}),
    )
    .await;
    assert_eq!((text.as_str(), failed), ("nothing", false));
    let (table, text, failed) = run(
        r#"
        retry times=3 delay="10ms" {
            shell "try" "echo x >> tries; grep -c x tries | grep -q 3"
            when "{{ try.code != 0 }}" { fail "not yet"; }
        }
        return "done"
"#,
        json!({}),
    )
    .await;
    assert_eq!((text.as_str(), failed), ("done", false));
    assert_eq!(table.text("tries"), "x\nx\nx\n");
    let (table, text, failed) = run(
        r#"
        retry times=2 delay="10ms" {
            shell "try" "echo x >> tries; false"
            when "{{ try.code != 0 }}" { fail "never"; }
        }
        return "done"
"#,
        json!({}),
    )
    .await;
    assert_eq!((text.as_str(), failed), ("never", true));
    assert_eq!(table.text("tries"), "x\nx\n");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn waiting_for_the_next_try_ends_when_it_is_cancelled() {
    let steps = r#"
        retry times=5 delay="30s" { fail "never"; }
        return "done"
"#;
    let table = Setup::new(OPEN).tools(&tool("Own", steps)).start();
    let limit = NonZeroUsize::new(2).expect("two");
    let started = Instant::now();
    let calls = vec![use_of("a", "Own", json!({}))];
    let results = message::run(
        &table.session,
        limit,
        calls,
        tokio::time::sleep(Duration::from_millis(200)),
    )
    .await;
    assert!(started.elapsed() < Duration::from_secs(5));
    assert!(results[0].output.is_error);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_more_rounds_run_together_than_may() {
    let steps = r#"
        each "item" in="{{ input.items }}" max=10 max-concurrency=3 {
            shell "one" "mkdir \"run-$N\"; ls -d run-* | wc -l >> most; sleep 0.3; rmdir \"run-$N\"" { env "N" "{{ item }}"; }
        }
        return "done"
"#;
    let table = Setup::new(OPEN).tools(&tool("Own", steps)).start();
    table
        .works("Own", json!({ "items": ["1", "2", "3", "4", "5", "6", "7"] }))
        .await;
    let most: Vec<u32> = table
        .text("most")
        .lines()
        .map(|line| line.trim().parse().expect("number"))
        .collect();
    assert_eq!(most.len(), 7);
    assert!(most.iter().all(|n| *n <= 3), "{most:?}");
    assert!(most.iter().any(|n| *n > 1), "they do run together: {most:?}");
}

#[tokio::test]
async fn what_is_cached_is_not_done_again_until_its_time_is_over() {
    let steps = r#"
        cache key="{{ input.text }}" for="400ms" {
            shell "one" "echo x >> runs; wc -l < runs"
        }
        return "{{ one.stdout | trim }}"
"#;
    let table = Setup::new(OPEN).tools(&tool("Own", steps)).start();
    let call = |text: &'static str| json!({ "text": text });
    assert_eq!(table.works("Own", call("a")).await, "1");
    assert_eq!(table.works("Own", call("a")).await, "1");
    assert_eq!(table.works("Own", call("b")).await, "2", "another key");
    tokio::time::sleep(Duration::from_millis(450)).await;
    assert_eq!(table.works("Own", call("a")).await, "3");
}

#[tokio::test]
async fn tools_that_call_each_other_come_to_an_end() {
    let tools = tool("Ping", "call \"x\" \"Pong\"\nreturn \"a\"")
        + &tool("Pong", "call \"x\" \"Ping\"\nreturn \"b\"");
    let table = Setup::new(OPEN).tools(&tools).start();
    let said = table.fails("Ping", json!({})).await;
    assert!(said.contains("8 deep"), "{said}");
}

#[tokio::test]
async fn a_value_never_becomes_syntax() {
    let hostile = [
        "$(touch hit)",
        "`touch hit`",
        "; touch hit",
        "\n touch hit\n",
        "' ; touch hit ; '",
        "\" ; touch hit ; \"",
        "${IFS}touch${IFS}hit",
        "a' \"b\" $c \\ \t{{ 7*7 }} {% raw %}",
        "-n",
        "--help",
        "*",
        "~",
    ];
    let steps = r#"
        run "words" "printf" "%s" "{{ input.text }}"
        shell "text" "printf %s \"$VALUE\"" { env "VALUE" "{{ input.text }}"; }
        run "piped" "cat" { stdin "{{ input.text }}"; }
        when "{{ words.stdout != input.text }}" { fail "words: {{ words.stdout }}"; }
        when "{{ text.stdout != input.text }}" { fail "text: {{ text.stdout }}"; }
        when "{{ piped.stdout != input.text }}" { fail "piped: {{ piped.stdout }}"; }
        return "same"
"#;
    let table = Setup::new(OPEN).tools(&tool("Own", steps)).start();
    for value in hostile {
        let (said, failed) = table.call("Own", json!({ "text": value })).await;
        assert!(!failed && said == "same", "{value:?}: {said}");
    }
    // Nor what a person could not see as it is.
    let said = table
        .fails("Own", json!({ "text": "\u{202e}\u{1b}[31mred" }))
        .await;
    assert!(said.contains("control character"), "{said}");
    assert_eq!(std::fs::read_dir(table.project()).expect("project").count(), 0);
}

#[tokio::test]
async fn what_a_shell_reads_from_its_input_is_decided() {
    let policy = format!("{OPEN}\ndeny \"rm\" {{ command \"rm ...\" }}\n");
    let steps = r#"
        run "sh" "bash" { stdin "{{ input.text }}"; }
        return "{{ sh.stdout }}"
"#;
    let table = Setup::new(&policy)
        .tools(&tool("Own", steps))
        .file("a.txt", "a")
        .start();
    assert_eq!(
        table.works("Own", json!({ "text": "echo hello" })).await,
        "hello\n"
    );
    let said = table.fails("Own", json!({ "text": "rm a.txt" })).await;
    assert!(said.contains("rm"), "{said}");
    assert!(table.project().join("a.txt").exists());
}

#[tokio::test]
async fn a_person_is_warned_of_a_step_that_destroys() {
    let steps = r#"run "gone" "rm" "-rf" "build""#;
    let table = Setup::new(ASKS).tools(&tool("Own", steps)).start();
    let _refused = table.call("Own", json!({})).await;
    let asked = table.person.asked.lock().unwrap();
    let warnings: Vec<&[String]> = asked.iter().map(|permit| permit.warnings.as_slice()).collect();
    assert_eq!(
        warnings,
        [["removes whole directories; what is in them cannot be brought back".to_owned()]]
    );
}
