//! Measures whole calls: `Bash true` through a session (validated, decided, scheduled, run, written down) against a bare `bash -c true`.
#![expect(
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::disallowed_methods,
    dead_code,
    reason = "a measurement with the support of the tests runs programs, looks at the clock and prints"
)]

#[path = "../tests/calls/support.rs"]
mod support;

use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use engine_runtime::audit::{Kind, Log, Record};
use engine_runtime::bash::{ControlGroups, Settings, environment};
use engine_runtime::{Decided, Ended, Observer, Refused};
use support::Table;

/// Writes a record for each decision and each end.
#[derive(Debug)]
struct Written(Log);

impl Written {
    fn append(&self, kind: Kind, call: &str) -> Result<(), String> {
        let record = Record {
            kind,
            client: "engine".to_owned(),
            call: call.to_owned(),
            tool: "Bash".to_owned(),
            ..Record::default()
        };
        self.0
            .append(&record)
            .map(drop)
            .map_err(|error| error.to_string())
    }
}

impl Observer for Written {
    fn decided(&self, event: &Decided<'_>) -> Result<(), String> {
        self.append(Kind::Decision, event.call)
    }

    fn hook(&self, _event: &engine_runtime::HookRun<'_>) -> Result<(), String> {
        Ok(())
    }

    fn refused(&self, event: &Refused<'_>) {
        self.append(Kind::Decision, event.call).expect("written");
    }

    fn ended(&self, event: &Ended<'_>) {
        self.append(Kind::Execution, event.call).expect("written");
    }
}

/// `bash -c true` with the environment, the pipes and the process group that the handler gives it; waited for, and read to its end.
fn bare(directory: &Path) -> f64 {
    let environment = environment([("PATH".into(), "/usr/local/bin:/usr/bin:/bin".into())], []);
    let begun = Instant::now();
    let done = Command::new("/bin/bash")
        .args(["-c", "true"])
        .env_clear()
        .envs(environment)
        .env("PWD", directory)
        .current_dir(directory)
        .process_group(0)
        .stdin(Stdio::null())
        .output()
        .expect("bash");
    assert!(done.status.success());
    begun.elapsed().as_secs_f64()
}

async fn whole(table: &Table, id: String) -> f64 {
    let (name, input) = support::bash("true");
    let call = support::use_of(&id, name, input);
    let begun = Instant::now();
    let results = table.calls(vec![call]).await;
    let time = begun.elapsed().as_secs_f64();
    assert!(!results[0].output.is_error, "{results:?}");
    time
}

fn median(mut all: Vec<f64>) -> f64 {
    all.sort_by(f64::total_cmp);
    all.get(all.len() / 2).copied().expect("a number")
}

/// Median of the ratios of pairs that ran one right after the other.
async fn compare(name: &str, table: &Table, runs: usize, pause: Duration) {
    let (mut bares, mut wholes, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    let directory = table.project();
    for run in 0..runs + WARM_UP {
        // Whatever runs second may find it warmer.
        let (bare, whole) = if run % 2 == 0 {
            let bare = bare(&directory);
            (bare, whole(table, format!("{name}-{run}")).await)
        } else {
            let whole = whole(table, format!("{name}-{run}")).await;
            (bare(&directory), whole)
        };
        if run >= WARM_UP {
            bares.push(bare * 1e3);
            wholes.push(whole * 1e3);
            ratios.push(whole / bare);
        }
        std::thread::sleep(pause);
    }
    println!(
        "{name:34} {:.3} ms bare, {:.3} ms whole, {:.2} times",
        median(bares),
        median(wholes),
        median(ratios)
    );
}

/// Runs that are not counted.
const WARM_UP: usize = 10;

fn main() {
    let runs = std::env::args()
        .nth(1)
        .and_then(|runs| runs.parse().ok())
        .unwrap_or(201);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    let place = tempfile::tempdir().expect("a directory");
    let setup = |control_groups| {
        let settings = Settings {
            control_groups,
            ..Settings::default()
        };
        support::Setup::new("policy \"measured\" { extends \"builtin:base\"; }\n").settings(settings)
    };
    let observer = |name: &str| Arc::new(Written(Log::anywhere(&place.path().join(name))));
    let marked = setup(ControlGroups::Never).observer(observer("one")).start();
    let grouped = setup(ControlGroups::WherePossible)
        .observer(observer("two"))
        .start();
    let unwritten = setup(ControlGroups::Never).start();
    runtime.block_on(async {
        let none = Duration::ZERO;
        compare("found by marks", &marked, runs, none).await;
        compare("the same without the audit log", &unwritten, runs, none).await;
        compare("control groups where possible", &grouped, runs, none).await;
        // Entering a group waits for every processor; right after another one it does not have to.
        let pause = Duration::from_millis(300);
        compare("the same, a call each 0.3 s", &grouped, runs.min(31), pause).await;
        compare("found by marks, a call each 0.3 s", &marked, runs.min(31), pause).await;
    });
}
