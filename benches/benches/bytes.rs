//! The way to a verdict by the length of the text.
#![expect(clippy::expect_used, reason = "a bench that cannot start fails")]

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use engine_benches::{Shape, compound_text, flat_text, here_document, plan, verdict};

fn bytes(c: &mut Criterion) {
    let plan = plan(100, Shape::Programs).expect("the policy");
    for (name, text) in [
        ("bytes-1k", flat_text(1 << 10)),
        ("bytes-64k", flat_text(64 << 10)),
        ("compound-1k", compound_text()),
        ("here-document-64k", here_document(64 << 10)),
    ] {
        c.bench_function(name, |b| b.iter(|| black_box(verdict(&plan, black_box(&text)))));
    }
}

criterion_group!(benches, bytes);
criterion_main!(benches);
