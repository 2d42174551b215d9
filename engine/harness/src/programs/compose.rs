//! Makes command lines of a program from its definition: a few of its options with values, and operands.
//!
//! Invariant: only options and operands that the definition lists are used, so that what is tested is what it says of them.

use engine_policy::definition::model::{
    Arg, Arity, Command, Definition, Flag, FlagValue, Style, ValueEffect, ValueKind,
};

use crate::random::Random;

/// Paths in the directory, and some that are not there.
const PATHS: &[&str] = &[
    "a.txt",
    "b.c",
    "dir",
    "dir/x",
    "src/main.rs",
    "new",
    "dir/new",
    "data.json",
    "more",
    "link",
    "./a.txt",
    "dir/../b.c",
    "-",
    "archive.tar",
    "file.gz",
    ".",
];

/// Values that are not paths.
const VALUES: &[&str] = &[
    "1",
    "2",
    "0",
    "10",
    "a",
    "o1",
    "auto",
    "never",
    "always",
    "x",
    "txt",
    "%s",
    "a,b",
    "1,2",
    "+1",
    "-1",
    "f",
    "utf-8",
    "none",
    "all",
    "a=b",
    ":",
    "0644",
    "u+x",
    "1k",
    "2020-01-01",
];

/// Programs of the languages that have an analyser.
const SED: &[&str] = &[
    "s/o1/x/",
    "1d",
    "p",
    "w new",
    "s/o1/y/w made",
    "r b.c",
    "1e touch made",
    "s/o1/touch made/e",
    "y/abc/def/",
    "$!N;P;D",
    "/o/,+1w more",
    "R a.txt",
    "W new",
    "a text",
    "1,3!d",
    "s/a/b/;w new",
    "e",
];
const AWK: &[&str] = &[
    "{print}",
    "{print $1 > \"made\"}",
    "BEGIN{system(\"touch made\")}",
    "{print | \"cat > made\"}",
    "BEGIN{while((getline l < \"a.txt\")>0) print l}",
    "/o1/",
    "END{print NR}",
    "{print >> \"more\"}",
    "BEGIN{\"id\" | getline x; print x}",
    "{printf \"%s\", $0}",
];
const JQ: &[&str] = &[
    ".",
    ".a",
    "input",
    "env",
    ".a[]?",
    "keys",
    "$ENV.PATH",
    "inputs",
    "input_filename",
];

/// Command lines for options and operands that run one.
const RUN: &[&str] = &["true", "touch made", "cat a.txt", "rm a.txt", "ls dir", "echo x"];

/// One command line.
pub(super) fn compose(random: &mut Random, definition: &Definition) -> Vec<String> {
    let name = definition
        .names
        .first()
        .map(ToString::to_string)
        .unwrap_or_default();
    let mut words = vec![name];
    let mut command = &definition.command;
    let mut globals: Vec<&Flag> = Vec::new();
    loop {
        flags(random, command, &globals, &mut words);
        if command.commands.is_empty() || (!command.args.is_empty() && random.percent(30)) {
            break;
        }
        globals.extend(command.flags.iter().filter(|flag| flag.global));
        let chosen = command.commands.get(random.below(command.commands.len()));
        let Some(next) = chosen.and_then(|subcommand| subcommand.command()) else {
            break;
        };
        words.push(next.name.to_string());
        command = next;
    }
    operands(random, command, &mut words);
    if random.percent(10) {
        flags(random, command, &globals, &mut words);
    }
    words
}

fn flags(random: &mut Random, command: &Command, globals: &[&Flag], words: &mut Vec<String>) {
    let all: Vec<&Flag> = command.flags.iter().chain(globals.iter().copied()).collect();
    let count = random.pick_number(&[0, 0, 1, 1, 1, 2, 2, 3]);
    for _ in 0..count {
        let Some(flag) = all.get(random.below(all.len())) else {
            return;
        };
        if flag.terminal && !random.percent(3) {
            continue;
        }
        let Some(name) = flag.names.get(random.below(flag.names.len())) else {
            continue;
        };
        let glued = command.options.style == Style::Dd || flag.arity == Arity::Glued;
        let values: Vec<Vec<String>> = flag.values.iter().map(|wanted| value(random, wanted)).collect();
        let first = values
            .first()
            .and_then(|words| words.first())
            .cloned()
            .unwrap_or_default();
        match flag.arity {
            Arity::None => words.push(name.to_string()),
            Arity::Optional if random.percent(50) => words.push(name.to_string()),
            Arity::Glued | Arity::Optional if glued || !name.starts_with("--") => {
                words.push(format!("{name}{first}"));
            }
            Arity::Glued | Arity::Optional => words.push(format!("{name}={first}")),
            Arity::Next if name.starts_with("--") && random.percent(50) && values.len() == 1 => {
                words.push(format!("{name}={first}"));
            }
            Arity::Next | Arity::Words => {
                words.push(name.to_string());
                words.extend(values.into_iter().flatten());
            }
        }
    }
}

fn operands(random: &mut Random, command: &Command, words: &mut Vec<String>) {
    for argument in &command.args {
        if !argument.required && random.percent(25) {
            continue;
        }
        let count = if argument.variadic {
            random.pick_number(&[1, 1, 2, 3])
        } else {
            1
        };
        for _ in 0..count {
            operand(random, argument, words);
        }
    }
}

fn operand(random: &mut Random, argument: &Arg, words: &mut Vec<String>) {
    words.extend(text_for(random, &argument.effects, &argument.name));
}

fn value(random: &mut Random, wanted: &FlagValue) -> Vec<String> {
    text_for(random, &wanted.effects, &wanted.name)
}

/// Words of the kind that a value is; its name tells numbers and formats from paths where no effect does.
fn text_for(random: &mut Random, effects: &[ValueEffect], name: &str) -> Vec<String> {
    let Some(effect) = effects.first() else {
        let file = random.percent(15) || name.contains("file") || name.contains("path");
        return vec![random.pick(if file { PATHS } else { VALUES }).to_owned()];
    };
    let prefix = [&effect.shape.at, &effect.shape.after]
        .into_iter()
        .flatten()
        .map(ToString::to_string)
        .collect::<String>();
    let text = match &effect.kind {
        ValueKind::Reads
        | ValueKind::ReadsTree
        | ValueKind::Writes
        | ValueKind::WritesInto
        | ValueKind::WritesTree
        | ValueKind::Creates
        | ValueKind::Deletes
        | ValueKind::DeletesTree
        | ValueKind::Links
        | ValueKind::LoadsCode => random.pick(PATHS).to_owned(),
        ValueKind::ChangesDirectory { .. } => random.pick(&["dir", ".", "src"]).to_owned(),
        ValueKind::Connects { .. } => random.pick(&["a.txt", "localhost:1", "dir"]).to_owned(),
        ValueKind::Runs(_) => {
            return random
                .pick(RUN)
                .split(' ')
                .map(str::to_owned)
                .chain(end_of(random, effect))
                .collect();
        }
        ValueKind::RunsSplit | ValueKind::RunsShell { .. } => random.pick(RUN).to_owned(),
        ValueKind::Evaluates(language) => match language.as_str() {
            "sed" => random.pick(SED).to_owned(),
            "awk" => random.pick(AWK).to_owned(),
            "jq" => random.pick(JQ).to_owned(),
            _ => random.pick(VALUES).to_owned(),
        },
        ValueKind::SetsEnv => "x=1".to_owned(),
        ValueKind::Narrows | ValueKind::Excludes => random.pick(&["*.txt", "*.c", "dir", "x"]).to_owned(),
        ValueKind::Appears => random.pick(VALUES).to_owned(),
    };
    vec![prefix + &text]
}

fn end_of(random: &mut Random, effect: &ValueEffect) -> Vec<String> {
    let Some(runs) = effect.kind.runs() else {
        return Vec::new();
    };
    let mut end = Vec::new();
    if let Some(placeholder) = &runs.placeholder
        && random.percent(60)
    {
        end.push(placeholder.to_string());
    }
    end.extend(runs.until.iter().map(ToString::to_string));
    end
}
