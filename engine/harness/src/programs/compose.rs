//! Makes command lines of a program from its definition: a few of its options with values, and operands.
//!
//! Invariant: only options and operands that the definition lists are used, so that what is tested is what it says of them.

use engine_policy::definition::model::{
    Arg, Arity, Block, Command, Definition, Flag, FlagValue, Style, Test, ValueEffect, ValueKind,
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
    "archive.zip",
    "file.gz",
    ".",
    "script.sh",
    "tool.py",
    "data.csv",
    "README.md",
];

/// Files of a kind, for values and operands that say which kind they want, and for programs that want no other.
const KINDS: &[(&str, &[&str])] = &[
    ("patch", &["a.patch"]),
    ("json", &["data.json", "package.json"]),
    ("yaml", &["data.yaml"]),
    ("csv", &["data.csv"]),
    ("zip", &["archive.zip"]),
    ("archive", &["archive.tar", "archive.zip"]),
    ("tar", &["archive.tar"]),
    ("gz", &["file.gz"]),
    ("gunzip", &["file.gz"]),
    ("bz", &["file.bz2"]),
    ("bunzip", &["file.bz2"]),
    ("xz", &["file.xz"]),
    ("lzma", &["file.xz"]),
    ("zst", &["file.zst"]),
    ("sqlite", &["data.db"]),
    ("database", &["data.db"]),
    ("shell", &["script.sh"]),
    ("shfmt", &["script.sh"]),
    ("html", &["page.html"]),
    ("makefile", &["Makefile"]),
    ("dir", &["dir", "src", ".", "new"]),
    ("py", &["tool.py"]),
    ("js", &["app.js"]),
];

/// Values for names that say what they want.
const NAMED: &[(&str, &[&str])] = &[
    ("commit", &["HEAD", "HEAD~1", "v1", "main"]),
    ("revision", &["HEAD", "HEAD~1", "v1", "topic", "HEAD~1..HEAD"]),
    ("object", &["HEAD", "HEAD:a.txt", "v1"]),
    ("branch", &["topic", "main", "new"]),
    ("ref", &["HEAD", "refs/heads/topic"]),
    ("tag", &["v1", "v2"]),
    ("tree", &["HEAD", "v1^{tree}"]),
    ("pattern", &["o1", "line", "[0-9]", "x"]),
    ("regex", &["o1", "^l", "."]),
    ("mode", &["0644", "u+x", "755"]),
    ("count", &["1", "2", "10"]),
    ("num", &["1", "2", "10"]),
    ("lines", &["1", "2", "+1"]),
    ("bytes", &["1", "2", "10"]),
    ("size", &["1", "1k", "10"]),
    ("width", &["10", "40"]),
    ("depth", &["1", "2"]),
    ("date", &["2020-01-01", "now"]),
    ("time", &["2020-01-01", "now"]),
    ("when", &["auto", "never", "always"]),
    ("key", &["1", "a", "user.name"]),
    ("string", &["o1", "x"]),
    ("url", &["http://192.0.2.1/x", "https://example.org/"]),
];

/// Files that are there, which most programs need to do anything.
const THERE: &[&str] = &[
    "a.txt",
    "b.c",
    "dir/x",
    "src/main.rs",
    "data.json",
    "more",
    "link",
    "a",
    "README.md",
    "dir/../b.c",
    "./a.txt",
];

/// Options with which programs say something of themselves and end.
const ANSWERS: &[&str] = &["--help", "--version", "--usage", "--long-help"];

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

/// The files that a name asks for, if it does.
type Kind = Option<&'static [&'static str]>;

fn kind_of(name: &str) -> Kind {
    KINDS
        .iter()
        .find(|(part, _)| name.contains(part))
        .map(|(_, files)| *files)
}

/// A command line that stands beside a definition as an example, where it is plain words.
pub(super) fn example(line: &str) -> Option<Vec<String>> {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "-_./=,:+%@ ".contains(letter);
    let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
    (line.chars().all(plain) && !words.is_empty()).then_some(words)
}

/// One command line.
pub(super) fn compose(random: &mut Random, definition: &Definition) -> Vec<String> {
    let name = definition
        .names
        .first()
        .map(ToString::to_string)
        .unwrap_or_default();
    let kind = kind_of(&name);
    let mut words = vec![name];
    let mut command = &definition.command;
    let mut globals: Vec<&Flag> = Vec::new();
    loop {
        flags(random, kind, command, &globals, &mut words);
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
    let block = command.blocks.get(random.below(command.blocks.len()));
    match block {
        Some(block) if random.percent(50) => block_of(random, kind, command, block, &mut words),
        Some(_) | None => operands(random, kind, &command.args, &mut words),
    }
    if random.percent(10) {
        flags(random, kind, command, &globals, &mut words);
    }
    words
}

fn flags(random: &mut Random, kind: Kind, command: &Command, globals: &[&Flag], words: &mut Vec<String>) {
    let all: Vec<&Flag> = command.flags.iter().chain(globals.iter().copied()).collect();
    let count = random.pick_number(&[0, 0, 0, 1, 1, 1, 2, 3]);
    for _ in 0..count {
        let Some(flag) = all.get(random.below(all.len())) else {
            return;
        };
        let answers = flag.terminal || flag.names.iter().any(|name| ANSWERS.contains(&name.as_str()));
        if answers && !random.percent(5) {
            continue;
        }
        flag_of(random, kind, command, flag, words);
    }
}

fn flag_of(random: &mut Random, kind: Kind, command: &Command, flag: &Flag, words: &mut Vec<String>) {
    let Some(name) = flag.names.get(random.below(flag.names.len())) else {
        return;
    };
    let glued = command.options.style == Style::Dd || flag.arity == Arity::Glued;
    let values: Vec<Vec<String>> = flag
        .values
        .iter()
        .map(|wanted| value(random, kind, wanted))
        .collect();
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

/// What makes a block hold, as far as one can try, and its operands.
fn block_of(random: &mut Random, kind: Kind, command: &Command, block: &Block, words: &mut Vec<String>) {
    let args = if block.args.is_empty() {
        &command.args
    } else {
        &block.args
    };
    let mut first = None;
    for test in &block.tests {
        match test {
            Test::Flags(names) => {
                let name = names.get(random.below(names.len()));
                let flag = name.and_then(|name| command.flags.iter().find(|flag| flag.names.contains(name)));
                if let Some(flag) = flag {
                    flag_of(random, kind, command, flag, words);
                }
            }
            Test::Value { flags, words: wanted } => {
                if let (Some(name), Some(value)) = (flags.first(), wanted.get(random.below(wanted.len()))) {
                    words.extend([name.to_string(), value.to_string()]);
                }
            }
            Test::Operand { words: wanted, .. } => {
                let word = wanted.get(random.below(wanted.len()));
                first = word.map(|word| word.replace('*', "x"));
            }
            Test::Operands { most: Some(0), .. } => return,
            Test::Operands { .. } => {}
        }
    }
    words.extend(first);
    operands(random, kind, args, words);
}

fn operands(random: &mut Random, kind: Kind, args: &[Arg], words: &mut Vec<String>) {
    for argument in args {
        if !argument.required && random.percent(25) {
            continue;
        }
        let count = if argument.variadic {
            random.pick_number(&[1, 1, 2, 3])
        } else {
            1
        };
        for _ in 0..count {
            operand(random, kind, argument, words);
        }
    }
}

fn operand(random: &mut Random, kind: Kind, argument: &Arg, words: &mut Vec<String>) {
    words.extend(text_for(random, kind, &argument.effects, &argument.name));
}

fn value(random: &mut Random, kind: Kind, wanted: &FlagValue) -> Vec<String> {
    text_for(random, kind, &wanted.effects, &wanted.name)
}

/// Words of the kind that a value is; its name tells numbers and formats from paths where no effect does.
fn text_for(random: &mut Random, kind: Kind, effects: &[ValueEffect], name: &str) -> Vec<String> {
    let Some(effect) = effects.first() else {
        let lower = name.to_ascii_lowercase();
        let named = NAMED.iter().find(|(part, _)| lower.contains(part));
        if let Some((_, values)) = named
            && random.percent(70)
        {
            return vec![random.pick(values).to_owned()];
        }
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
        | ValueKind::LoadsCode => {
            let wanted = kind_of(&name.to_ascii_lowercase()).or(kind).unwrap_or(THERE);
            let from = if random.percent(70) { wanted } else { PATHS };
            random.pick(from).to_owned()
        }
        ValueKind::ChangesDirectory { .. } => random.pick(&["dir", ".", "src"]).to_owned(),
        ValueKind::Connects { .. } => random
            .pick(&["a.txt", "localhost:1", "dir", "192.0.2.1", "http://192.0.2.1/x"])
            .to_owned(),
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
