//! What lasts longer than a call: background tasks and a shell that stays.

use std::path::Path;
use std::time::{Duration, Instant};

use engine_runtime::bash::{Cancel, ControlGroups, End, Session, SessionBounds, SessionEnd, Tasks, Timeout};

use crate::common::{alive, bash, text, variables};

fn bounds(timeout: u64) -> SessionBounds {
    SessionBounds {
        timeout: Timeout::from_ms(Some(timeout)).expect("a timeout"),
        grace: Duration::from_millis(100),
        budget_bytes: 1000,
        file: None,
        file_bytes: 0,
    }
}

async fn says(session: &mut Session, script: &str) -> (SessionEnd, String) {
    let answer = session
        .run(script, bounds(20_000), &Cancel::new())
        .await
        .expect("a shell");
    (answer.end, answer.output.text())
}

#[tokio::test]
async fn a_command_in_the_background_is_asked_for_and_ends() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path().canonicalize().expect("a path");
    let (engine, tasks) = (bash(ControlGroups::WherePossible), Tasks::default());
    let mut request = text("echo one; sleep 0.7; echo two; exit 3", &folder);
    request.file = Some(folder.join("out"));
    let id = tasks.adopt(engine.start(request).expect("started"), "a label");
    assert_eq!(id.to_string(), "bash_1");
    let early = tasks
        .output(id, Some(Duration::from_millis(200)))
        .await
        .expect("a task");
    assert_eq!((early.output.text().as_str(), early.finished), ("one", None));
    assert_eq!(
        std::fs::read_to_string(folder.join("out")).expect("a file"),
        "one\n"
    );
    let late = tasks
        .output(id, Some(Duration::from_secs(20)))
        .await
        .expect("a task");
    let finished = late.finished.expect("an end");
    assert_eq!(
        (finished.end, finished.output.text().as_str()),
        (End::Exited(3), "one\ntwo")
    );
    assert_eq!(
        std::fs::read_to_string(folder.join("out")).expect("a file"),
        "one\ntwo\n"
    );
    assert!(tasks.forget(id));
    let error = tasks.output(id, None).await.expect_err("forgotten");
    assert_eq!(error.to_string(), "no task has the id `bash_1`");
}

#[tokio::test]
async fn a_foreground_command_goes_on_in_the_background() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path().canonicalize().expect("a path");
    let (engine, tasks) = (bash(ControlGroups::Never), Tasks::default());
    let mut request = text("echo one; sleep 1; echo two", &folder);
    request.file = Some(folder.join("out"));
    request.timeout = Some(Timeout::from_ms(Some(500)).expect("a timeout"));
    let mut running = engine.start(request).expect("started");
    assert!(
        running
            .finished_within(Duration::from_millis(300))
            .await
            .is_none()
    );
    let id = tasks.adopt(running, "a label");
    let view = tasks
        .output(id, Some(Duration::from_secs(20)))
        .await
        .expect("a task");
    assert_eq!(view.finished.expect("an end").end, End::Exited(0));
    assert_eq!(
        std::fs::read_to_string(folder.join("out")).expect("a file"),
        "one\ntwo\n"
    );
}

#[tokio::test]
async fn a_stopped_task_leaves_nothing() {
    let marker = format!("stop-{}", std::process::id());
    let (engine, tasks) = (bash(ControlGroups::WherePossible), Tasks::default());
    let mut request = text("echo up; setsid sleep 1000 & sleep 1000", Path::new("/"));
    request.environment = variables(&marker);
    request.timeout = None;
    let id = tasks.adopt(engine.start(request).expect("started"), "a label");
    while alive(&marker).len() < 2 {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert_eq!(tasks.list().len(), 1);
    let view = tasks.stop(id).await.expect("a task");
    assert_eq!(view.finished.expect("an end").end, End::Cancelled);
    assert!(alive(&marker).is_empty());
}

#[tokio::test]
async fn a_shell_that_stays_keeps_its_state() {
    let mut session = Session::new(bash(ControlGroups::WherePossible), "/".into(), variables("none"));
    let fine = |text: &str| (SessionEnd::Status(0), text.to_owned());
    assert_eq!(
        says(&mut session, "x='it'\\''s'; f() { echo \"f $x\"; }; cd /usr").await,
        fine("")
    );
    let answer = session
        .run("f; pwd", bounds(20_000), &Cancel::new())
        .await
        .expect("a shell");
    assert_eq!(answer.output.text(), "f it's\n/usr");
    assert_eq!(answer.reported.as_deref(), Some(Path::new("/usr")));
    assert_eq!(says(&mut session, "(exit 7)").await.0, SessionEnd::Status(7));
    assert_eq!(says(&mut session, "cat; echo 'a\nb'").await, fine("a\nb"));
    assert_eq!(
        says(&mut session, "break; echo here").await.0,
        SessionEnd::Status(0)
    );
    assert_eq!(says(&mut session, "if").await.0, SessionEnd::Status(2));
    assert_eq!(
        says(&mut session, "echo $x; seq 1 100000 | tail -n 1").await,
        fine("it's\n100000")
    );
    session.close(Duration::from_millis(100)).await;
}

#[tokio::test]
async fn a_shell_that_ends_or_does_not_answer_is_said_so_and_replaced() {
    let marker = format!("session-{}", std::process::id());
    let mut session = Session::new(bash(ControlGroups::Never), "/".into(), variables(&marker));
    assert_eq!(says(&mut session, "x=1; echo $x").await.1, "1");
    let (end, said) = says(&mut session, "echo bye; exit 4").await;
    assert_eq!((end, said.as_str()), (SessionEnd::Closed(End::Exited(4)), "bye"));
    assert!(
        end.note()
            .is_some_and(|note| note.starts_with("The shell of this session has ended"))
    );
    assert_eq!(
        says(&mut session, "echo [$x]").await,
        (SessionEnd::Status(0), "[]".to_owned())
    );
    let begun = Instant::now();
    let script = "echo before; trap '' TERM; setsid sleep 1000 & sleep 1000";
    let answer = session
        .run(script, bounds(300), &Cancel::new())
        .await
        .expect("a shell");
    assert!(begun.elapsed() < Duration::from_secs(5));
    assert_eq!(answer.end, SessionEnd::Wedged(Duration::from_millis(300)));
    assert_eq!(answer.output.text(), "before");
    assert!(alive(&marker).is_empty());
    assert_eq!(says(&mut session, "echo again").await.1, "again");
    session.close(Duration::from_millis(100)).await;
    assert!(alive(&marker).is_empty());
}
