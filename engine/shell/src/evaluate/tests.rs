//! Tables of texts and what they may run.
//!
//! One line for each invocation: its words, then what is not usual about it. `‹…›` stands for what is not known, `*` behind
//! a word for any number of such words and `+` for at least one.

use crate::{
    Context, Count, Directory, Evaluation, Field, InvocationKind, Limits, Shell, Stdin, Value, evaluate_text,
};

mod commands;
mod expansions;
mod flow;
mod places;

fn context(shell: Shell) -> Context<'static> {
    Context {
        shell,
        limits: &Limits::DEFAULT,
        home: Some("/home/dev".into()),
        directory: Directory::OneOf(vec!["/project".into()]),
        variables: Vec::new(),
        positional: None,
        stdin: Stdin::Inherited,
        level: 0,
    }
}

fn run(text: &str) -> Evaluation {
    evaluate_text(text, &context(Shell::Bash))
}

fn value(value: &Value) -> String {
    match value {
        Value::Known(text) if text.is_empty() || text.contains([' ', '\n', '‹']) => format!("{text:?}"),
        Value::Known(text) => text.to_string(),
        Value::OneOf(texts) => format!("‹{}›", texts.join("|")),
        Value::Glob(pattern) => format!("‹glob {pattern}›"),
        Value::Below(root) => format!("‹below {root}›"),
        Value::Affixed { prefix, suffix } => format!("{prefix}‹›{suffix}"),
        Value::Integer => "‹int›".into(),
        Value::Descriptor => "‹fd›".into(),
        Value::Unknown(_) => "‹›".into(),
    }
}

fn field(field: &Field) -> String {
    let count = match field.count {
        Count::One => "",
        Count::OneOrMore => "+",
        Count::Any => "*",
    };
    format!("{}{count}", value(&field.value))
}

fn directory(directory: &Directory) -> String {
    match directory {
        Directory::OneOf(paths) => paths.join("|"),
        Directory::Unknown(_) => "‹›".into(),
    }
}

/// The commands that may run, without directories and pipes.
fn commands(found: &Evaluation) -> Vec<String> {
    let words = |i: &crate::Invocation| i.words.iter().map(field).collect::<Vec<_>>().join(" ");
    found.invocations.iter().map(words).collect()
}

fn refusals(found: &Evaluation) -> Vec<&'static str> {
    found.refusals.iter().map(|r| r.construct.name()).collect()
}

/// The text is understood and may run exactly these commands.
#[track_caller]
fn check(text: &str, expected: &[&str]) {
    let found = run(text);
    assert_eq!(refusals(&found), Vec::<&str>::new(), "refusals of {text}");
    assert_eq!(commands(&found), expected, "{text}");
}

/// The text is refused for exactly these reasons and may run these commands.
#[track_caller]
fn check_refused(text: &str, reasons: &[&str], expected: &[&str]) {
    let found = run(text);
    assert_eq!(refusals(&found), reasons, "refusals of {text}");
    assert_eq!(commands(&found), expected, "{text}");
}

/// Each program with the directory it runs in; builtins are left out.
#[track_caller]
fn check_places(text: &str, expected: &[&str]) {
    let found = run(text);
    assert_eq!(refusals(&found), Vec::<&str>::new(), "refusals of {text}");
    let places: Vec<String> = found
        .invocations
        .iter()
        .filter(|i| i.kind == InvocationKind::Program)
        .map(|i| {
            format!(
                "{}: {}",
                directory(&i.directory),
                i.words.iter().map(field).collect::<Vec<_>>().join(" ")
            )
        })
        .collect();
    assert_eq!(places, expected, "{text}");
}

/// The accesses, as mode, directory and path.
#[track_caller]
fn check_accesses(text: &str, expected: &[&str]) {
    let found = run(text);
    assert_eq!(refusals(&found), Vec::<&str>::new(), "refusals of {text}");
    let accesses: Vec<String> = found
        .accesses
        .iter()
        .map(|a| format!("{:?} {} {}", a.mode, directory(&a.directory), value(&a.path)))
        .collect();
    assert_eq!(accesses, expected, "{text}");
}

/// The patterns that are looked up outside of invocations, as directory and pattern, and those words of invocations that have one.
#[track_caller]
fn check_listings(text: &str, expected: &[&str]) {
    let found = run(text);
    assert_eq!(refusals(&found), Vec::<&str>::new(), "refusals of {text}");
    let words = found.invocations.iter().flat_map(|i| {
        let globs = i.words.iter().filter(|word| word.spelling.globs);
        globs.map(|word| format!("{}: {}", field(&i.words[0]), value(&word.value)))
    });
    let listings = found
        .listings
        .iter()
        .map(|l| format!("{} {}", directory(&l.directory), value(&l.field.value)));
    let all: Vec<String> = listings.chain(words).collect();
    assert_eq!(all, expected, "{text}");
}

/// What each command reads, and what reads its output.
#[track_caller]
fn check_streams(text: &str, expected: &[&str]) {
    let found = run(text);
    let streams: Vec<String> = found
        .invocations
        .iter()
        .map(|i| {
            let stdin = match &i.stdin {
                Stdin::Inherited => "inherited".into(),
                Stdin::Empty => "empty".into(),
                Stdin::File(path) => format!("file {}", value(path)),
                Stdin::Text(text) => format!("text {}", value(text)),
                Stdin::Pipe(from) => format!("pipe {from:?}"),
                Stdin::Script => "script".into(),
            };
            format!("{} < {stdin} > {:?}", field(&i.words[0]), i.piped_into)
        })
        .collect();
    assert_eq!(streams, expected, "{text}");
}
