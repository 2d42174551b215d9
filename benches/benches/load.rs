//! From bytes that were kept to a plan, and from a policy's text to a plan.
#![expect(clippy::expect_used, reason = "a bench that cannot start fails")]

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use engine_benches::{Shape, plan};
use engine_policy::Plan;

fn load(c: &mut Criterion) {
    for number in [1000, 10_000] {
        let bytes: &'static [u8] = plan(number, Shape::Programs)
            .and_then(|plan| plan.to_bytes())
            .expect("the policy")
            .leak();
        c.bench_function(&format!("plan-load-{number}"), |b| {
            b.iter(|| black_box(Plan::from_bytes(black_box(bytes))));
        });
    }
    c.bench_function("plan-compile-1000", |b| {
        b.iter(|| black_box(plan(black_box(1000), Shape::Programs)));
    });
}

criterion_group!(benches, load);
criterion_main!(benches);
