//! Times two commands in turn and prints the median of each and of their ratios: `paired ROUNDS INPUT -- A... -- B...`.
//!
//! Both get the file INPUT as standard input and nothing is printed of theirs. A command that ends with a code above 4 or a signal is
//! a mistake; the codes up to 4 are verdicts.

use std::fs::File;
use std::io::{self, Write as _};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

fn median<T: Copy + PartialOrd>(mut values: Vec<T>) -> Option<T> {
    values.sort_by(|a, b| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal));
    values.get(values.len() / 2).copied()
}

#[expect(
    clippy::disallowed_methods,
    reason = "measures whole processes, which takes processes and a clock"
)]
fn time(words: &[String], input: &str) -> io::Result<Duration> {
    let (program, arguments) = words
        .split_first()
        .ok_or_else(|| io::Error::other("a command is missing"))?;
    let stdin = File::open(input)?;
    let start = Instant::now();
    let status = Command::new(program)
        .args(arguments)
        .stdin(stdin)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()?;
    let took = start.elapsed();
    match status.code() {
        Some(0..=4) => Ok(took),
        Some(_) | None => Err(io::Error::other(format!(
            "`{}` ended with {status}",
            words.join(" ")
        ))),
    }
}

fn main() -> io::Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let mut parts = words.split(|word| word == "--");
    let (Some([rounds, input]), Some(a), Some(b)) = (parts.next(), parts.next(), parts.next()) else {
        return Err(io::Error::other("usage: paired ROUNDS INPUT -- A... -- B..."));
    };
    let rounds: usize = rounds.parse().map_err(io::Error::other)?;
    let (mut of_a, mut of_b, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..3.min(rounds) {
        time(a, input)?;
        time(b, input)?;
    }
    for _ in 0..rounds {
        let (first, second) = (time(a, input)?, time(b, input)?);
        of_a.push(first);
        of_b.push(second);
        ratios.push(first.as_secs_f64() / second.as_secs_f64());
    }
    let (Some(a), Some(b), Some(ratio)) = (median(of_a), median(of_b), median(ratios)) else {
        return Err(io::Error::other("no rounds"));
    };
    writeln!(
        io::stdout(),
        "{ratio:.2} times ({:.3} ms against {:.3} ms)",
        a.as_secs_f64() * 1e3,
        b.as_secs_f64() * 1e3
    )
}
