//! Counts which share of a corpus the strict parser understands, and what refuses the rest.
//!
//! `cargo run -p engine-shell --example coverage -- FILE [SHELL] [CONSTRUCT]` where each line of FILE is a JSON object with
//! the field `command`. With a construct's name, the texts that it refuses are printed too.

use std::collections::BTreeMap;
use std::error::Error;
use std::io::{self, Write};
use std::time::Instant;

use engine_shell::{Limits, Shell, parse};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().ok_or("a file is needed")?;
    let shell = match arguments.next().as_deref() {
        None | Some("bash") => Shell::Bash,
        Some("zsh") => Shell::Zsh,
        Some("sh") => Shell::Sh,
        Some(other) => return Err(format!("`{other}` is not a known shell").into()),
    };
    let shown = arguments.next();
    let mut out = io::stdout().lock();
    let mut refused: BTreeMap<&str, usize> = BTreeMap::new();
    let (mut all, mut understood, mut plain) = (0_usize, 0_usize, 0_usize);
    let mut nanoseconds: Vec<u128> = Vec::new();
    for line in std::fs::read_to_string(path)?.lines() {
        let record: serde_json::Value = serde_json::from_str(line)?;
        let Some(command) = record.get("command").and_then(serde_json::Value::as_str) else {
            continue;
        };
        all += 1;
        #[expect(clippy::disallowed_methods, reason = "a measurement, not a decision")]
        let start = Instant::now();
        let result = parse(command, shell, &Limits::DEFAULT);
        nanoseconds.push(start.elapsed().as_nanos());
        match result {
            Ok(script) => {
                understood += 1;
                plain += usize::from(script.plain);
            }
            Err(refusal) => {
                let name = refusal.construct.name();
                *refused.entry(name).or_default() += 1;
                if shown.as_deref() == Some(name) {
                    writeln!(out, "{:?} in {command:?}", refusal.span.of(command))?;
                }
            }
        }
    }
    nanoseconds.sort_unstable();
    let at = |percent: usize| {
        nanoseconds
            .get(nanoseconds.len() * percent / 100)
            .copied()
            .unwrap_or(0)
    };
    writeln!(out, "commands {all}, understood {understood}, plain {plain}")?;
    writeln!(out, "nanoseconds: median {}, 99th percentile {}", at(50), at(99))?;
    let mut ranked: Vec<_> = refused.into_iter().collect();
    ranked.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    for (name, count) in ranked {
        writeln!(out, "{count:6} {name}")?;
    }
    Ok(())
}
