//! Much output: how much memory it takes, and how fast it is read.

use std::process::{Command, Stdio};
use std::time::Instant;

use engine_runtime::bash::{ControlGroups, End, Request, Work};

use crate::common::{bash, variables};

/// Set in the process that a test measures: the budget of its capture.
const BUDGET: &str = "ENGINE_TEST_BUDGET";

const GIB: u64 = 1 << 30;

fn zeros(bytes: u64) -> Request {
    let work = Work::Words {
        program: "head".into(),
        arguments: vec!["-c".into(), bytes.to_string().into(), "/dev/zero".into()],
        input: Vec::new(),
    };
    Request::new(work, "/".into(), variables("none"))
}

/// Most memory that this process has had, in KiB.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("a status");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let text = line.expect("a peak").trim().trim_end_matches(" kB");
    text.parse().expect("a number")
}

#[tokio::test]
#[ignore = "measured by another test in a process of its own"]
async fn captures_a_gibibyte() {
    let Ok(budget) = std::env::var(BUDGET) else { return };
    let engine = bash(ControlGroups::Never);
    let small = engine.start(zeros(1 << 16)).expect("started").finished().await;
    assert_eq!(small.end, End::Exited(0));
    let base = peak();
    let mut request = zeros(GIB);
    request.budget_bytes = budget.parse().expect("a number");
    let finished = engine.start(request).expect("started").finished().await;
    assert_eq!((finished.end, finished.output.total_bytes), (End::Exited(0), GIB));
    println!("grew by {} KiB", peak() - base);
}

/// By how many KiB the process grows that captures 1 GiB under a budget.
fn growth(budget: usize) -> u64 {
    let output = Command::new(std::env::current_exe().expect("this program"))
        .args([
            "--exact",
            "amounts::captures_a_gibibyte",
            "--ignored",
            "--nocapture",
        ])
        .env(BUDGET, budget.to_string())
        .output()
        .expect("this program runs");
    let said = String::from_utf8_lossy(&output.stdout);
    let grew = said.lines().find_map(|line| {
        let (_, number) = line.split_once("grew by ")?;
        number.strip_suffix(" KiB")?.parse().ok()
    });
    grew.unwrap_or_else(|| panic!("{said}{}", String::from_utf8_lossy(&output.stderr)))
}

#[test]
#[cfg(target_os = "linux")]
fn a_gibibyte_of_output_takes_no_more_memory_than_its_budget_and_a_little() {
    const MOST_KIB: u64 = 64 << 10;
    let small = growth(120_000);
    println!("1 GiB under a budget of 0.1 MiB: {small} KiB");
    assert!(small < MOST_KIB, "{small} KiB");
    // What is measured does grow where more is kept.
    let large = growth(128 << 20);
    println!("1 GiB under a budget of 128 MiB: {large} KiB");
    assert!(large > MOST_KIB, "{large} KiB");
}

/// Time until `cat` has read this much from a pipe and thrown it away.
fn through_cat(bytes: u64) -> f64 {
    let begun = Instant::now();
    let script = format!("head -c {bytes} /dev/zero | cat >/dev/null");
    let status = Command::new("/bin/sh")
        .args(["-c", &script])
        .stdin(Stdio::null())
        .status()
        .expect("a shell");
    assert!(status.success());
    begun.elapsed().as_secs_f64()
}

#[tokio::test]
async fn output_is_read_about_as_fast_as_cat_reads_it() {
    const BYTES: u64 = 256 << 20;
    // The goal is a half; other work on the machine must not fail it, nor a build without optimisation, which counts lines slowly.
    const LEAST: f64 = if cfg!(debug_assertions) { 0.08 } else { 0.25 };
    let engine = bash(ControlGroups::Never);
    let mut ratios = Vec::new();
    for _ in 0..5 {
        let cat = through_cat(BYTES);
        let begun = Instant::now();
        let finished = engine.start(zeros(BYTES)).expect("started").finished().await;
        assert_eq!(finished.output.total_bytes, BYTES);
        ratios.push(cat / begun.elapsed().as_secs_f64());
    }
    ratios.sort_by(f64::total_cmp);
    println!("throughput against `cat`, five pairs: {ratios:.2?}");
    assert!(ratios[2] > LEAST, "{ratios:.2?}");
}
