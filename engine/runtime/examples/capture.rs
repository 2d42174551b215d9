//! Measures the capture of 1 GiB under a budget against splicing the same to `/dev/null`, and the memory it takes (row 11).
#![expect(
    clippy::expect_used,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a measurement runs programs, looks at the clock and prints"
)]

use std::fs::File;
use std::process::{Command, Stdio};
use std::time::Instant;

use engine_runtime::bash::{Bash, ControlGroups, DEFAULT_BUDGET_BYTES, Request, Settings, Work};

const BYTES: u64 = 1 << 30;

/// Program that writes 1 GiB; the same on both sides.
const PRODUCER: [&str; 3] = ["/usr/bin/head", "-c1073741824", "/dev/zero"];

fn splice_to_null() -> f64 {
    let null = File::create("/dev/null").expect("a null device");
    let begun = Instant::now();
    let (read, write) = rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC).expect("a pipe");
    let _smaller = rustix::pipe::fcntl_setpipe_size(&write, 1 << 20);
    let mut child = Command::new(PRODUCER[0])
        .args(&PRODUCER[1..])
        .stdin(Stdio::null())
        .stdout(write)
        .spawn()
        .expect("head");
    let mut total = 0;
    loop {
        let flags = rustix::pipe::SpliceFlags::empty();
        match rustix::pipe::splice(&read, None, &null, None, 1 << 20, flags).expect("spliced") {
            0 => break,
            count => total += count as u64,
        }
    }
    child.wait().expect("an end");
    assert_eq!(total, BYTES);
    begun.elapsed().as_secs_f64()
}

/// The same read by `cat` and thrown away.
fn cat_to_null() -> f64 {
    let begun = Instant::now();
    let script = format!("{} | cat >/dev/null", PRODUCER.join(" "));
    let status = Command::new("/bin/sh")
        .args(["-c", &script])
        .status()
        .expect("a shell");
    assert!(status.success());
    begun.elapsed().as_secs_f64()
}

async fn captured(bash: &Bash, file: Option<std::path::PathBuf>) -> f64 {
    let work = Work::Words {
        program: PRODUCER[0].into(),
        arguments: PRODUCER[1..].iter().map(Into::into).collect(),
        input: Vec::new(),
    };
    let mut request = Request::new(work, "/".into(), Vec::new());
    request.file = file;
    let begun = Instant::now();
    let finished = bash.start(request).expect("started").finished().await;
    let time = begun.elapsed().as_secs_f64();
    assert_eq!(finished.output.total_bytes, BYTES);
    time
}

/// Most memory that this process has had, in KiB.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("a status");
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .expect("a peak");
    line.trim().trim_end_matches(" kB").parse().expect("a number")
}

fn median(mut all: Vec<f64>) -> f64 {
    all.sort_by(f64::total_cmp);
    all.get(all.len() / 2).copied().expect("a time")
}

fn main() {
    let runs = std::env::args()
        .nth(1)
        .and_then(|runs| runs.parse().ok())
        .unwrap_or(25);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    runtime.block_on(async {
        let settings = Settings {
            control_groups: ControlGroups::Never,
            ..Settings::default()
        };
        let bash = Bash::new(settings).expect("ready");
        let before = peak();
        let (mut spliced, mut kept, mut passed) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..runs {
            spliced.push(splice_to_null());
            passed.push(cat_to_null());
            kept.push(captured(&bash, None).await);
        }
        let memory = peak() - before;
        let ratios = spliced
            .iter()
            .zip(&kept)
            .map(|(splice, capture)| splice / capture);
        let ratio = median(ratios.collect());
        println!("splice to /dev/null  {:.3} s", median(spliced));
        let against_cat = median(
            passed
                .iter()
                .zip(&kept)
                .map(|(cat, capture)| cat / capture)
                .collect(),
        );
        println!("cat >/dev/null       {:.3} s", median(passed));
        println!(
            "capture              {:.3} s, {ratio:.2} of splice, {against_cat:.2} of cat",
            median(kept)
        );
        println!(
            "memory               {memory} KiB with a budget of {} KiB",
            DEFAULT_BUDGET_BYTES / 1024
        );
        let folder = tempfile::tempdir().expect("a folder");
        let filed = captured(&bash, Some(folder.path().join("all"))).await;
        println!(
            "capture with a file  {filed:.3} s, memory {} KiB",
            peak() - before
        );
    });
}
