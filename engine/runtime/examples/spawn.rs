//! Measures starting `true` through the handler against a bare `posix_spawn` of `bash -c true`, with a small and a large parent (row 10).
#![expect(
    clippy::expect_used,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a measurement runs programs, looks at the clock and prints"
)]

use std::os::unix::process::CommandExt as _;
use std::process::{Command, Stdio};
use std::time::Instant;

use engine_runtime::bash::{Bash, ControlGroups, End, Reports, Request, Settings, Work};

/// `bash -c true` with the variables, the descriptors and the process group that the handler gives it.
fn bare() -> (f64, f64) {
    let begun = Instant::now();
    let mut child = Command::new("/bin/bash")
        .args(["-c", "true"])
        .env_clear()
        .env("ENGINE_RUN", "1")
        .env("PWD", "/")
        .current_dir("/")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .spawn()
        .expect("bash");
    let started = begun.elapsed().as_secs_f64();
    assert!(child.wait().expect("an end").success());
    (started, begun.elapsed().as_secs_f64())
}

async fn handled(bash: &Bash, reports: Reports) -> (f64, f64) {
    let mut request = Request::new(Work::Text("true".to_owned()), "/".into(), Vec::new());
    request.reports = reports;
    let begun = Instant::now();
    let mut running = bash.start(request).expect("started");
    let started = begun.elapsed().as_secs_f64();
    assert_eq!(running.finished().await.end, End::Exited(0));
    (started, begun.elapsed().as_secs_f64())
}

fn median(mut all: Vec<f64>) -> f64 {
    all.sort_by(f64::total_cmp);
    all.get(all.len() / 2).copied().expect("a number")
}

/// Median of the ratios of pairs that ran one right after the other. Answers the time of the handler.
async fn compare(name: &str, bash: &Bash, reports: Reports, runs: usize) -> f64 {
    let (mut bares, mut alls, mut ratios, mut starts) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for run in 0..runs {
        // Whatever runs second may find it warmer.
        let ((bare_start, bare), (start, all)) = if run % 2 == 0 {
            let bare = bare();
            (bare, handled(bash, reports).await)
        } else {
            let handled = handled(bash, reports).await;
            (bare(), handled)
        };
        bares.push(bare * 1e3);
        alls.push(all * 1e3);
        ratios.push(all / bare);
        starts.push(start / bare_start);
    }
    let all = median(alls);
    println!(
        "{name:36} {:.3} ms bare, {all:.3} ms handled, {:.2} times; to the start {:.2} times",
        median(bares),
        median(ratios),
        median(starts)
    );
    all
}

fn main() {
    let runs = std::env::args()
        .nth(1)
        .and_then(|runs| runs.parse().ok())
        .unwrap_or(201);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    runtime.block_on(async {
        let handler = |control_groups| {
            let settings = Settings {
                control_groups,
                ..Settings::default()
            };
            Bash::new(settings).expect("ready")
        };
        let marked = handler(ControlGroups::Never);
        let small = compare("marks", &marked, Reports::Nothing, runs).await;
        compare("marks, the directory reported", &marked, Reports::Directory, runs).await;
        let grouped = handler(ControlGroups::WherePossible);
        compare("control groups", &grouped, Reports::Nothing, runs).await;
        // Every page is written to, so that all of it is resident.
        let ballast: Vec<u8> = std::iter::repeat_n(1_u8, 1 << 30).collect();
        let large = compare("marks, 1 GiB resident", &marked, Reports::Nothing, runs).await;
        println!(
            "1 GiB resident against a small parent: {:.2} times",
            large / small
        );
        assert_eq!(ballast.last(), Some(&1));
    });
}
