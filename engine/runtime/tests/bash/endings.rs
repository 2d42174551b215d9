//! Timeouts and cancelling: nothing of a run is left, however it tried to get away.

use std::path::Path;
use std::time::{Duration, Instant};

use engine_runtime::bash::{ControlGroups, End, Request, Timeout, Work};

use crate::common::{alive, bash, text, variables};

/// Ways of leaving the process group, the session or the parent behind.
const ESCAPES: &[&str] = &[
    "sleep 1000",
    "nohup sleep 1000 >/dev/null 2>&1 & sleep 1000",
    "setsid sleep 1000 & setsid sleep 1000 >/dev/null 2>&1 & wait",
    "(setsid bash -c 'sleep 1000 & sleep 1000 & wait' >/dev/null 2>&1 &) ; sleep 1000",
    "(bash -c 'exec setsid bash -c \"(sleep 1000 &) ; exec sleep 1000\"' &) ; sleep 1000",
    "while :; do (sleep 5 &) ; sleep 0.01; done",
    "while :; do (setsid sleep 5 &) ; sleep 0.01; done",
    "trap '' TERM HUP INT; while :; do sleep 1; done",
    "set -m; (sleep 1000 &) ; sleep 1000 & (trap '' TERM; sleep 1000) & wait",
    "kill -STOP $$",
    "(trap '' TERM; exec setsid bash -c 'trap \"\" TERM; while :; do sleep 0.1; done') & exec sleep 1000",
    "python3 -c 'import os,time\nif os.fork()==0:\n os.setsid()\n if os.fork()==0:\n  time.sleep(1000)\n os._exit(0)\ntime.sleep(1000)'",
    "yes",
    "env -i setsid sleep 1000 & setsid env -i bash -c '(sleep 1000 &)' & sleep 1000",
    "exec setsid -f bash -c 'for i in 1 2 3; do sleep 1000 & done; wait'",
];

fn request(script: &str, marker: &str, timeout: u64) -> Request {
    let work = Work::Text(script.to_owned());
    let mut request = Request::new(work, "/".into(), variables(marker));
    request.timeout = Some(Timeout::from_ms(Some(timeout)).expect("a timeout"));
    request.grace = Duration::from_millis(100);
    request
}

/// Children of this process, ended or not.
fn children() -> usize {
    let own = std::process::id().to_string();
    std::fs::read_dir("/proc")
        .expect("proc")
        .flatten()
        .filter(|entry| {
            let status = std::fs::read_to_string(entry.path().join("status")).unwrap_or_default();
            status.lines().any(|line| {
                line.strip_prefix("PPid:")
                    .is_some_and(|parent| parent.trim() == own)
            })
        })
        .count()
}

async fn times_out(control_groups: ControlGroups, runs: usize) {
    let engine = bash(control_groups);
    for number in 0..runs {
        let script = ESCAPES[number % ESCAPES.len()];
        let marker = format!("{control_groups:?}-{}-{number}", std::process::id());
        let mut running = engine.start(request(script, &marker, 150)).expect("started");
        let finished = running.finished().await;
        assert_eq!(finished.survivors, 0, "{script}");
        if script.starts_with("exec setsid -f") {
            // The shell itself has ended; what it left running is not the timeout's business.
            assert_eq!(finished.end, End::Exited(0), "{script}");
            engine.end_everything().await;
        } else {
            assert_eq!(
                finished.end,
                End::TimedOut(Duration::from_millis(150)),
                "{script}"
            );
        }
        assert_eq!(alive(&marker), Vec::<std::path::PathBuf>::new(), "{script}");
    }
    // No child is left either, ended or not: what was adopted was waited for.
    for _ in 0..50 {
        if children() == 0 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("{} children are left", children());
}

#[tokio::test]
async fn two_hundred_timeouts_leave_nothing_in_control_groups() {
    times_out(ControlGroups::WherePossible, 100).await;
}

#[tokio::test]
async fn two_hundred_timeouts_leave_nothing_without_control_groups() {
    times_out(ControlGroups::Never, 100).await;
}

#[tokio::test]
async fn what_hides_its_environment_is_found_by_its_limit() {
    let engine = bash(ControlGroups::Never);
    let script = "env -i setsid bash -c '(exec -a engine-hidden sleep 987 &) ; exec -a engine-hidden sleep 987' & sleep 987";
    let finished = engine
        .start(request(script, "hidden", 300))
        .expect("started")
        .finished()
        .await;
    assert_eq!(finished.survivors, 0);
    let left = std::fs::read_dir("/proc")
        .expect("proc")
        .flatten()
        .filter(|entry| {
            std::fs::read(entry.path().join("cmdline")).is_ok_and(|line| line.starts_with(b"engine-hidden\0"))
        });
    assert_eq!(left.count(), 0);
}

#[tokio::test]
async fn output_so_far_is_there_after_a_cancel() {
    for control_groups in [ControlGroups::Never, ControlGroups::WherePossible] {
        let marker = format!("cancel-{control_groups:?}-{}", std::process::id());
        let engine = bash(control_groups);
        let script = "echo first; i=0; while :; do i=$((i+1)); echo line $i; done";
        let mut running = engine.start(request(script, &marker, 60_000)).expect("started");
        let mut events = running.watch();
        events
            .wait_for(|progress| progress.total_lines > 100)
            .await
            .expect("an event");
        let cancel = running.cancel();
        cancel.cancel();
        let begun = Instant::now();
        let finished = running.finished().await;
        assert!(begun.elapsed() < Duration::from_secs(5));
        assert_eq!(finished.end, End::Cancelled);
        assert!(finished.output.text().starts_with("first\nline 1\nline 2\n"));
        assert!(alive(&marker).is_empty());
    }
}

#[tokio::test]
async fn what_nobody_waits_for_any_more_is_ended() {
    let marker = format!("dropped-{}", std::process::id());
    let engine = bash(ControlGroups::WherePossible);
    let running = engine
        .start(request("setsid sleep 1000 & sleep 1000", &marker, 60_000))
        .expect("started");
    while alive(&marker).len() < 2 {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    drop(running);
    for _ in 0..200 {
        if alive(&marker).is_empty() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("something is left");
}

#[test]
fn nothing_outlives_the_runtime() {
    let marker = format!("runtime-{}", std::process::id());
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(async {
        let engine = bash(ControlGroups::WherePossible);
        let running = engine
            .start(request("setsid sleep 1000 & sleep 1000", &marker, 60_000))
            .expect("started");
        while alive(&marker).len() < 2 {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        std::mem::forget(running);
    });
    drop(runtime);
    std::thread::sleep(Duration::from_millis(300));
    assert!(alive(&marker).is_empty());
}

#[tokio::test]
async fn one_run_is_ended_without_harm_to_another() {
    for control_groups in [ControlGroups::Never, ControlGroups::WherePossible] {
        let engine = bash(control_groups);
        let mut other = engine
            .start(text(
                "setsid bash -c 'sleep 1; echo survived' & wait",
                Path::new("/"),
            ))
            .expect("started");
        let script = "setsid sleep 1000 & sleep 1000";
        let finished = engine
            .start(request(script, "one", 200))
            .expect("started")
            .finished()
            .await;
        assert_eq!(finished.end, End::TimedOut(Duration::from_millis(200)));
        assert_eq!(other.finished().await.output.text(), "survived");
    }
}

/// A group of processes with a limit, in which a fork bomb can do no harm.
struct Limited(std::path::PathBuf);

impl Limited {
    fn new() -> Option<Self> {
        let path = Path::new("/sys/fs/cgroup/pids").join(format!("engine-test-{}", std::process::id()));
        std::fs::create_dir(&path).ok()?;
        std::fs::write(path.join("pids.max"), "200").ok()?;
        Some(Self(path))
    }
}

impl Drop for Limited {
    fn drop(&mut self) {
        for _ in 0..50 {
            if std::fs::remove_dir(&self.0).is_ok() {
                return;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

#[tokio::test]
async fn a_fork_bomb_is_ended() {
    let Some(limited) = Limited::new() else {
        eprintln!("SKIPPED: a fork bomb needs a limit on processes of its own, and none can be set here");
        return;
    };
    for control_groups in [ControlGroups::Never, ControlGroups::WherePossible] {
        for bomb in [
            ":(){ :|:& };:",
            "b() { setsid bash -c \"$(declare -f b); b\" & b & }; b",
        ] {
            let marker = format!("bomb-{control_groups:?}-{}", std::process::id());
            let join = limited.0.join("cgroup.procs");
            let script = format!(
                "echo 0 >{} || exit 1; exec 2>/dev/null; {bomb}; sleep 100",
                join.display()
            );
            let engine = bash(control_groups);
            let finished = engine
                .start(request(&script, &marker, 400))
                .expect("started")
                .finished()
                .await;
            assert_eq!(
                (finished.end, finished.survivors),
                (End::TimedOut(Duration::from_millis(400)), 0)
            );
            assert!(alive(&marker).is_empty(), "{bomb}");
        }
    }
}

#[tokio::test]
#[ignore = "ends everything of its process, so that another test gives it one of its own"]
async fn ends_at_once() {
    let engine = bash(ControlGroups::Never);
    let mut request = text(
        "sleep 101 & setsid sleep 102 & (setsid env -i sleep 103 &); exec sleep 104",
        Path::new("/"),
    );
    request.environment = variables("at-once");
    let running = engine.start(request).expect("started");
    while alive("at-once").len() < 3 {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    engine_runtime::bash::end_at_once();
    // Nothing is waited for: what was ended may not have gone.
    for _ in 0..100 {
        if alive("at-once").is_empty() {
            println!("ended at once");
            break;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    drop(running);
}

#[test]
#[cfg(target_os = "linux")]
fn a_process_that_dies_on_the_spot_takes_everything_with_it() {
    let output = std::process::Command::new(std::env::current_exe().expect("this program"))
        .args(["--exact", "endings::ends_at_once", "--ignored", "--nocapture"])
        .output()
        .expect("this program runs");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(said.contains("ended at once"), "{said}");
}
