//! One verdict under 100 and under 10,000 rules, by what the rules are about.
#![expect(clippy::expect_used, reason = "a bench that cannot start fails")]

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use engine_benches::{Shape, plan, verdict};

fn rules(c: &mut Criterion) {
    for (shape, name, command) in [
        (Shape::Programs, "programs", "git log --oneline | head -20"),
        (Shape::OneProgram, "one-program", "git log --oneline | head -20"),
        (Shape::Paths, "paths", "sort src/words.txt > folder9/a/other.txt"),
    ] {
        for number in [100, 10_000] {
            let plan = plan(number, shape).expect("the policy");
            // What a plan makes at its first use is not part of the cost.
            black_box(verdict(&plan, command));
            c.bench_function(&format!("rules-{number}-{name}"), |b| {
                b.iter(|| black_box(verdict(&plan, black_box(command))));
            });
        }
    }
}

criterion_group!(benches, rules);
criterion_main!(benches);
