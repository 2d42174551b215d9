//! The soundness harness: what the analysis predicts of a command against what a real shell asks the system for.
//!
//! A text that the analysis understands is run under a stock shell whose every request is written down and none carried out.
//! Each program it would run and each file it would open must have been predicted. Exit status: 0 when all was predicted, 1 when
//! something was not, 2 when nothing could be compared.

mod arguments;
mod cover;
mod event;
mod everyday;
mod generate;
mod inputs;
mod judge;
mod laboratory;
mod minimise;
mod mutate;
mod oracle;
mod os;
mod predictor;
mod programs;
mod random;
mod report;
mod structure;
mod survey;

use std::io::{self, Write};
use std::process::ExitCode;

use engine_shell::Shell;

use crate::arguments::{Arguments, Task, USAGE, parse_arguments};
use crate::everyday::survey_everyday;
use crate::generate::Generator;
use crate::inputs::{read_commands, save_commands};
use crate::judge::Judge;
use crate::laboratory::{Laboratory, find_program};
use crate::mutate::Mutator;
use crate::programs::{Campaign, compare_programs};
use crate::report::write_survey;
use crate::survey::{Plan, Survey, survey};

fn main() -> ExitCode {
    let mut out = io::stdout().lock();
    let arguments = match parse_arguments(std::env::args().skip(1)) {
        Ok(arguments) => arguments,
        Err(problem) => return fail(&format!("{problem}\n\n{USAGE}")),
    };
    match run(&mut out, &arguments) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => fail(&error.to_string()),
    }
}

fn fail(problem: &str) -> ExitCode {
    // Nobody is left to tell when standard error is closed.
    let _ = writeln!(io::stderr(), "soundness: {problem}");
    ExitCode::from(2)
}

/// Does what was asked; says whether everything was predicted.
fn run(out: &mut impl Write, arguments: &Arguments) -> io::Result<bool> {
    if let Task::Print(number) = arguments.task {
        for command in generated(arguments.seed, number) {
            writeln!(out, "{}", serde_json::json!({ "command": command }))?;
        }
        return Ok(true);
    }
    if let Task::Everyday(paths) = &arguments.task {
        let mut texts = Vec::new();
        for path in paths {
            texts.extend(read_commands(path)?);
        }
        return survey_everyday(out, &arguments.definitions, &texts, arguments.show);
    }
    if let Task::Programs(number) = arguments.task {
        let campaign = Campaign {
            folder: &arguments.definitions,
            number,
            seed: arguments.seed,
            only: arguments.only.as_deref(),
            show: arguments.show,
            lines: arguments.lines,
            each: arguments.each,
            least: arguments.least,
            workers: arguments.workers,
        };
        return compare_programs(out, campaign);
    }
    let laboratory = Laboratory::build(arguments.boxed)?;
    let program = program_of(arguments.shell)?;
    writeln!(out, "watching {program} by {}", laboratory.bash_version())?;
    if !laboratory.boxed() {
        writeln!(
            out,
            "bubblewrap is off or cannot make namespaces here: only the shim keeps the shell from the system"
        )?;
    }
    let batches = match &arguments.task {
        Task::Text(text) => return show_text(out, &laboratory, arguments, &program, text),
        Task::Fixtures => vec![("fixtures", read_commands(&arguments.fixtures)?)],
        Task::Campaign(number) => campaign(arguments, *number)?,
        Task::Cases(paths) => {
            let mut commands = Vec::new();
            for path in paths {
                commands.extend(read_commands(path)?);
            }
            vec![("cases", commands)]
        }
        Task::Print(_) | Task::Programs(_) | Task::Everyday(_) => Vec::new(),
        Task::Generate(number) => vec![("generated", generated(arguments.seed, *number))],
        Task::Mutate(path, number) => {
            vec![("mutants", mutants(arguments.seed, *number, &read_commands(path)?))]
        }
    };
    let plan = Plan {
        shell: arguments.shell,
        depth: arguments.depth,
        program: &program,
        workers: arguments.workers,
        minimise: arguments.minimise,
        enough: arguments.enough,
    };
    let mut found = Vec::new();
    for (title, texts) in batches {
        let survey = survey(&laboratory, plan, &texts)?;
        write_survey(out, title, &survey, arguments.show)?;
        found.extend(violating(survey));
    }
    if let Some(path) = &arguments.save {
        save_commands(path, &found)?;
    }
    Ok(found.is_empty())
}

fn program_of(shell: Shell) -> io::Result<String> {
    let name = match shell {
        Shell::Bash => "bash",
        Shell::Zsh => "zsh",
        Shell::Sh => "dash",
    };
    let path = find_program(name).ok_or_else(|| io::Error::other(format!("`{name}` is not installed")))?;
    Ok(path.display().to_string())
}

/// Half generated, half mutants of generated texts and fixtures.
fn campaign(arguments: &Arguments, number: usize) -> io::Result<Vec<(&'static str, Vec<String>)>> {
    let fixtures = read_commands(&arguments.fixtures)?;
    let texts = generated(arguments.seed, number / 2);
    let mut pool: Vec<String> = texts.iter().take(2000).cloned().collect();
    for _ in 0..4 {
        pool.extend(fixtures.iter().cloned());
    }
    let changed = mutants(arguments.seed, number - number / 2, &pool);
    Ok(vec![
        ("fixtures", fixtures),
        ("generated", texts),
        ("mutants", changed),
    ])
}

fn generated(seed: u64, number: usize) -> Vec<String> {
    let mut generator = Generator::new(seed);
    (0..number).map(|_| generator.make()).collect()
}

fn mutants(seed: u64, number: usize, pool: &[String]) -> Vec<String> {
    let mut mutator = Mutator::new(seed, pool);
    (0..number).map(|_| mutator.make()).collect()
}

fn violating(survey: Survey) -> Vec<(String, String)> {
    let note = |violation: &judge::Violation| {
        violation
            .unpredicted
            .first()
            .map_or_else(String::new, ToString::to_string)
    };
    survey
        .violations
        .into_iter()
        .map(|(_, violation)| (violation.text.clone(), note(&violation)))
        .collect()
}

fn show_text(
    out: &mut impl Write,
    laboratory: &Laboratory,
    arguments: &Arguments,
    program: &str,
    text: &str,
) -> io::Result<bool> {
    let mut judge = Judge::start(laboratory, arguments.shell, arguments.depth, program)?;
    for (world, run) in judge.observe(text)? {
        writeln!(
            out,
            "{:?}, {:?}{}",
            world.status,
            world.output,
            if run.cut { ", cut short" } else { "" }
        )?;
        for event in run.events {
            writeln!(out, "  {event}")?;
        }
    }
    report::write_judgement(out, judge.predictor.predict(text), judge.judge(text)?)
}
