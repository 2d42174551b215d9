//! What the tool is asked to do.

use std::path::PathBuf;

use engine_shell::Shell;

use crate::predictor::Depth;

/// How the tool is called.
pub(crate) const USAGE: &str = "\
usage: soundness [COMMAND] [OPTION...]

commands (default: fixtures)
  fixtures           the commands in fixtures/soundness
  ci                 the fixtures, and 20,000 generated and mutated commands of fixed seeds
  long               the same with 300,000
  cases PATH...      the `command` of each line of these JSON Lines files or folders
  generate N         N generated commands
  mutate PATH N      N mutants of the commands of a file or folder
  print N            N generated commands as JSON Lines, not judged
  programs N         N command lines of each installed program, against its definition
  everyday PATH...   how many one-liners of these files that only read `builtin:readonly` allows, and why not the rest
  text COMMAND       one command, with what each run showed

options
  --shell SHELL      bash (default), zsh or sh
  --parser-only      test the parser alone, with the plainest prediction its scripts allow
  --seed N           seed of generated commands and mutants (default 1)
  --workers N        watched shells side by side (default 2)
  --show N           violations to print (default 20)
  --enough N         violations after which to stop (default 200)
  --minimise         make violating commands smaller
  --save FILE        write violating commands as JSON Lines
  --no-box           do without bubblewrap
  --definitions PATH the folder of command definitions (default tooldefs/commands)
  --only PROGRAM     compare this program alone
  --each             print a line for each program
  --lines            print each command line that was run
  --least N          fail where fewer programs than this were seen to touch something
  --fixtures PATH    the folder of fixtures (default fixtures/soundness)
";

/// What is judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Task {
    Fixtures,
    /// Fixtures, then this many generated and mutated texts.
    Campaign(usize),
    Cases(Vec<PathBuf>),
    /// One-liners that only read, under `builtin:readonly`.
    Everyday(Vec<PathBuf>),
    Generate(usize),
    Mutate(PathBuf, usize),
    Print(usize),
    /// This many command lines of each real program.
    Programs(usize),
    Text(String),
}

/// Everything that was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "options that are given or not, each named in the usage"
)]
pub(crate) struct Arguments {
    pub(crate) task: Task,
    pub(crate) shell: Shell,
    pub(crate) depth: Depth,
    pub(crate) seed: u64,
    pub(crate) workers: usize,
    pub(crate) show: usize,
    pub(crate) enough: usize,
    pub(crate) minimise: bool,
    pub(crate) save: Option<PathBuf>,
    pub(crate) boxed: bool,
    pub(crate) fixtures: PathBuf,
    pub(crate) definitions: PathBuf,
    pub(crate) only: Option<String>,
    pub(crate) lines: bool,
    pub(crate) each: bool,
    pub(crate) least: usize,
}

/// Reads the command line, without the name of the program.
pub(crate) fn parse_arguments(mut words: impl Iterator<Item = String>) -> Result<Arguments, String> {
    let mut plain = Vec::new();
    let mut arguments = Arguments {
        task: Task::Fixtures,
        shell: Shell::Bash,
        depth: Depth::Evaluation,
        seed: 1,
        workers: 2,
        show: 20,
        enough: 200,
        minimise: false,
        save: None,
        boxed: true,
        fixtures: PathBuf::from("fixtures/soundness"),
        definitions: PathBuf::from("tooldefs/commands"),
        only: None,
        lines: false,
        each: false,
        least: 0,
    };
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or_else(|| format!("`{word}` needs a value"));
        match word.as_str() {
            "--shell" => arguments.shell = parse_shell(&value()?)?,
            "--seed" => arguments.seed = parse_number(&value()?)?,
            "--workers" => arguments.workers = parse_number(&value()?)?,
            "--show" => arguments.show = parse_number(&value()?)?,
            "--enough" => arguments.enough = parse_number(&value()?)?,
            "--parser-only" => arguments.depth = Depth::Parser,
            "--minimise" => arguments.minimise = true,
            "--save" => arguments.save = Some(value()?.into()),
            "--no-box" => arguments.boxed = false,
            "--definitions" => arguments.definitions = value()?.into(),
            "--lines" => arguments.lines = true,
            "--each" => arguments.each = true,
            "--least" => arguments.least = parse_number(&value()?)?,
            "--only" => arguments.only = Some(value()?),
            "--fixtures" => arguments.fixtures = value()?.into(),
            option if option.starts_with("--") => return Err(format!("unknown option `{option}`")),
            _ => plain.push(word),
        }
    }
    let mut plain = plain.into_iter();
    let Some(command) = plain.next() else {
        return Ok(arguments);
    };
    let mut next = |what: &str| plain.next().ok_or_else(|| format!("`{command}` needs {what}"));
    arguments.task = match command.as_str() {
        "fixtures" => Task::Fixtures,
        "ci" => Task::Campaign(20_000),
        "long" => Task::Campaign(300_000),
        "cases" | "everyday" => {
            let paths = std::iter::once(next("a path")?)
                .chain(plain.by_ref())
                .map(PathBuf::from)
                .collect();
            if command == "cases" {
                Task::Cases(paths)
            } else {
                Task::Everyday(paths)
            }
        }
        "generate" => Task::Generate(parse_number(&next("a number")?)?),
        "programs" => Task::Programs(parse_number(&next("a number")?)?),
        "print" => Task::Print(parse_number(&next("a number")?)?),
        "mutate" => Task::Mutate(next("a path")?.into(), parse_number(&next("a number")?)?),
        "text" => Task::Text(next("a command")?),
        other => return Err(format!("unknown command `{other}`")),
    };
    match plain.next() {
        Some(extra) => Err(format!("unexpected `{extra}`")),
        None => Ok(arguments),
    }
}

fn parse_shell(name: &str) -> Result<Shell, String> {
    match name {
        "bash" => Ok(Shell::Bash),
        "zsh" => Ok(Shell::Zsh),
        "sh" => Ok(Shell::Sh),
        other => Err(format!("unknown shell `{other}`")),
    }
}

fn parse_number<T: std::str::FromStr>(text: &str) -> Result<T, String> {
    text.replace('_', "")
        .parse()
        .map_err(|_| format!("`{text}` is not a number"))
}

#[cfg(test)]
mod tests {
    use engine_shell::Shell;

    use super::{Task, parse_arguments};

    fn parse(line: &str) -> Result<super::Arguments, String> {
        parse_arguments(line.split(' ').filter(|word| !word.is_empty()).map(str::to_owned))
    }

    #[test]
    fn nothing_asked_means_the_fixtures() {
        assert_eq!(parse("").unwrap().task, Task::Fixtures);
    }

    #[test]
    fn options_stand_anywhere() {
        let arguments = parse("--shell zsh mutate a.jsonl --seed 7 500 --minimise").unwrap();
        assert_eq!(arguments.task, Task::Mutate("a.jsonl".into(), 500));
        assert_eq!(
            (arguments.shell, arguments.seed, arguments.minimise),
            (Shell::Zsh, 7, true)
        );
    }

    #[test]
    fn what_is_not_known_is_an_error() {
        assert_eq!(parse("generate").unwrap_err(), "`generate` needs a number");
        assert_eq!(parse("ci 3").unwrap_err(), "unexpected `3`");
        assert_eq!(parse("--fast").unwrap_err(), "unknown option `--fast`");
    }
}
