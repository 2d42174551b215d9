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

use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Instant;

use engine_runtime::audit::{Kind, Log, Record};
use engine_runtime::{Decided, Ended, Observer, Refused};

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

fn bare() -> f64 {
    let begun = Instant::now();
    let done = Command::new("/bin/bash")
        .args(["-c", "true"])
        .env_clear()
        .stdin(Stdio::null())
        .output()
        .expect("bash");
    assert!(done.status.success());
    begun.elapsed().as_secs_f64()
}

fn median(all: &mut [f64]) -> f64 {
    all.sort_by(f64::total_cmp);
    all.get(all.len() / 2).copied().expect("a time") * 1e3
}

fn main() {
    const RUNS: usize = 200;
    let threads = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    let place = tempfile::tempdir().expect("a directory");
    let log = Log::anywhere(&place.path().join("audit"));
    let policy = "policy \"measured\" { extends \"builtin:base\"; }\n";
    let table = support::Setup::new(policy)
        .observer(Arc::new(Written(log)))
        .start();
    let quiet = support::Setup::new(policy).start();
    let (mut bares, mut wholes, mut unwritten) = (Vec::new(), Vec::new(), Vec::new());
    threads.block_on(async {
        for run in 0..RUNS + 10 {
            let bare = bare();
            let mut times = [0.0; 2];
            for (table, time) in [&table, &quiet].into_iter().zip(&mut times) {
                let (name, input) = support::bash("true");
                let call = support::use_of(&format!("call-{run}"), name, input);
                let begun = Instant::now();
                let results = table.calls(vec![call]).await;
                *time = begun.elapsed().as_secs_f64();
                assert!(!results[0].output.is_error, "{results:?}");
            }
            // The first ones warm up.
            if run >= 10 {
                bares.push(bare);
                wholes.push(times[0]);
                unwritten.push(times[1]);
            }
        }
    });
    let (bare, whole, unwritten) = (median(&mut bares), median(&mut wholes), median(&mut unwritten));
    println!("bare bash -c true      {bare:8.3} ms");
    println!("a whole call           {whole:8.3} ms  {:.2} x", whole / bare);
    println!(
        "without the audit log  {unwritten:8.3} ms  {:.2} x",
        unwritten / bare
    );
}
