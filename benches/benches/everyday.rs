//! Everyday commands: reading, following, and the whole way to a verdict, next to a tree-sitter parse of the same bytes.
#![expect(clippy::expect_used, reason = "a bench that cannot start fails")]

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use engine_benches::{Shape, plan, tree_parser, verdict};
use engine_properties::everyday_commands;
use engine_shell::{Context, Directory, Limits, Shell, Stdin, evaluate, parse};

fn everyday(c: &mut Criterion) {
    let commands = everyday_commands();
    // Without a final newline tree-sitter-bash may fall into error recovery.
    let lines: Vec<String> = commands.iter().map(|command| format!("{command}\n")).collect();
    let mut parser = tree_parser().expect("the grammar");
    c.bench_function("tree-sitter-parse-everyday", |b| {
        b.iter(|| {
            for line in &lines {
                black_box(parser.parse(black_box(line.as_bytes()), None));
            }
        });
    });
    c.bench_function("parse-everyday", |b| {
        b.iter(|| {
            for command in &commands {
                black_box(parse(black_box(command), Shell::Bash, &Limits::DEFAULT).ok());
            }
        });
    });
    let context = Context {
        shell: Shell::Bash,
        limits: &Limits::DEFAULT,
        home: Some("/home/user".into()),
        directory: Directory::OneOf(vec!["/project".into()]),
        variables: Vec::new(),
        positional: None,
        stdin: Stdin::Inherited,
        level: 0,
    };
    let scripts: Vec<_> = commands
        .iter()
        .map(|command| {
            (
                *command,
                parse(command, Shell::Bash, &Limits::DEFAULT).expect("everyday commands are understood"),
            )
        })
        .collect();
    c.bench_function("evaluate-everyday", |b| {
        b.iter(|| {
            for (command, script) in &scripts {
                black_box(evaluate(black_box(script), command, &context));
            }
        });
    });
    let plan = plan(100, Shape::Programs).expect("the policy");
    c.bench_function("check-everyday", |b| {
        b.iter(|| {
            for command in &commands {
                black_box(verdict(&plan, black_box(command)));
            }
        });
    });
}

criterion_group!(benches, everyday);
criterion_main!(benches);
