//! Measures starting `true` through the handler against a bare `posix_spawn` of `bash -c true`, with a small and a large parent (row 10).
#![expect(
    clippy::expect_used,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a measurement runs programs, looks at the clock and prints"
)]

use std::process::{Command, Stdio};
use std::time::Instant;

use engine_runtime::bash::{Bash, ControlGroups, End, Request, Settings, Work};

fn bare() -> (f64, f64) {
    let begun = Instant::now();
    let mut child = Command::new("/bin/bash")
        .args(["-c", "true"])
        .env_clear()
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .process_group_of_its_own()
        .spawn()
        .expect("bash");
    let started = begun.elapsed().as_secs_f64();
    assert!(child.wait().expect("an end").success());
    (started, begun.elapsed().as_secs_f64())
}

/// A group of its own for the bare start, too.
trait Grouped {
    fn process_group_of_its_own(&mut self) -> &mut Self;
}

impl Grouped for Command {
    fn process_group_of_its_own(&mut self) -> &mut Self {
        std::os::unix::process::CommandExt::process_group(self, 0)
    }
}

async fn handled(bash: &Bash) -> (f64, f64) {
    let request = Request::new(Work::Text("true".to_owned()), "/".into(), Vec::new());
    let begun = Instant::now();
    let mut running = bash.start(request).expect("started");
    let started = begun.elapsed().as_secs_f64();
    assert_eq!(running.finished().await.end, End::Exited(0));
    (started, begun.elapsed().as_secs_f64())
}

fn median(mut all: Vec<f64>) -> f64 {
    all.sort_by(f64::total_cmp);
    all.get(all.len() / 2).copied().expect("a time") * 1e3
}

async fn compare(name: &str, bash: &Bash, runs: usize) -> f64 {
    let (mut bares, mut bare_starts, mut alls, mut starts) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for _ in 0..runs {
        let (start, all) = bare();
        bare_starts.push(start);
        bares.push(all);
        let (start, all) = handled(bash).await;
        starts.push(start);
        alls.push(all);
    }
    let (bare, all) = (median(bares), median(alls));
    let (bare_start, start) = (median(bare_starts), median(starts));
    println!(
        "{name}: to the end {bare:.3} ms bare, {all:.3} ms handled, {:.2} times; to the start {bare_start:.3} ms bare, {start:.3} ms handled, {:.2} times",
        all / bare,
        start / bare_start
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
        let small = compare("marks         ", &marked, runs).await;
        compare("control groups", &handler(ControlGroups::WherePossible), runs).await;
        // Every page is written to, so that all of it is resident.
        let ballast: Vec<u8> = std::iter::repeat_n(1_u8, 1 << 30).collect();
        let large = compare("marks, 1 GiB  ", &marked, runs).await;
        println!(
            "1 GiB resident against a small parent: {:.2} times",
            large / small
        );
        assert_eq!(ballast.last(), Some(&1));
    });
}
