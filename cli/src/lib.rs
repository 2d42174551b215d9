//! The command line of `engine`: arguments in, rendered text and an exit code out. Everything that decides is in the libraries.
//!
//! Two binaries are made of it. [`engine`] answers whatever is decided, shown, tested or written down, and holds nothing that carries out a
//! call; [`engine_run`] is that rest, which `engine` becomes for `call`, `batch` and `tools`. So what runs before every call of an agent
//! starts without the readers of documents, images and pages, and whoever audits it has a third of the code to read.

mod audit;
mod batch;
mod behind;
mod call;
mod check;
mod commands;
mod complete;
mod exit;
mod explain;
mod fmt;
mod hook;
mod init;
mod json;
mod lint;
mod man;
mod options;
mod out;
mod plan;
mod policies;
#[cfg(test)]
mod reference;
mod render;
mod replace;
mod report;
mod schema;
mod session;
mod siblings;
mod test;
mod tools;
mod trust;
mod usage;
mod world;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser;

use exit::Exit;

/// Decides what an AI agent's tools may do, under a declared policy, and says why.
#[derive(Debug, Parser)]
#[command(name = "engine", version, max_term_width = 110, after_help = exit::HELP)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    Check(check::Check),
    Hook(hook::Hook),
    Audit(audit::Audit),
    Test(test::Test),
    Explain(explain::Explain),
    #[command(flatten)]
    Tooling(Tooling),
    Lint(lint::Lint),
    Fmt(fmt::Fmt),
    Plan(plan::Plan),
    Schema(schema::Schema),
    Man(man::Man),
    Usage(usage::Usage),
    Init(init::Init),
    Trust(trust::Trust),
    Commands(commands::Commands),
    Completions(complete::Completions),
}

/// What needs tools that can be carried out.
#[derive(Debug, clap::Subcommand)]
enum Tooling {
    Call(call::Call),
    Batch(batch::Batch),
    Tools(tools::Tools),
}

/// The command line of the subcommand that is run for every call of an agent: the descriptions of all others are not made for it.
#[derive(Debug, Parser)]
#[command(name = "engine", version, max_term_width = 110, after_help = exit::HELP)]
struct CheckArguments {
    #[command(subcommand)]
    command: CheckCommand,
}

#[derive(Debug, clap::Subcommand)]
enum CheckCommand {
    Check(check::Check),
}

/// The same for hooks, where a wrong command line must not end in a yes.
#[derive(Debug, Parser)]
#[command(name = "engine", version, max_term_width = 110, after_help = exit::HELP)]
struct HookArguments {
    #[command(subcommand)]
    command: HookCommand,
}

#[derive(Debug, clap::Subcommand)]
enum HookCommand {
    Hook(hook::Hook),
}

/// The binary `engine`.
#[must_use]
pub fn engine() -> ExitCode {
    let words: Vec<OsString> = std::env::args_os().skip(1).collect();
    match words.split_first() {
        Some((word, rest)) if word == "check" => {
            if let Some(check) = check::Check::quick(rest) {
                return check.run().code();
            }
            if let Ok(arguments) = CheckArguments::try_parse() {
                let CheckCommand::Check(check) = arguments.command;
                return check.run().code();
            }
        }
        Some((word, rest)) if word == "hook" => {
            if let Some(hook) = hook::Hook::quick(rest) {
                return hook.run();
            }
            return match HookArguments::try_parse() {
                Ok(arguments) => {
                    let HookCommand::Hook(hook) = arguments.command;
                    hook.run()
                }
                Err(error) => hook::unanswered(&error).into(),
            };
        }
        _ => {}
    }
    start(|_tooling| siblings::become_engine_run())
}

/// The binary `engine-run`, which `engine` becomes for what needs tools.
#[must_use]
pub fn engine_run() -> ExitCode {
    if let Err(exit) = siblings::started_by_engine() {
        return exit.code();
    }
    start(|tooling| match tooling {
        Tooling::Call(call) => call.run(),
        Tooling::Batch(batch) => batch.run(),
        Tooling::Tools(tools) => tools.run(),
    })
}

/// Runs what the command line says; `tooling` is what becomes of the subcommands that need tools.
fn start(tooling: fn(Tooling) -> Exit) -> ExitCode {
    let exit = match Arguments::try_parse() {
        Ok(arguments) => match arguments.command {
            Command::Check(check) => check.run(),
            Command::Hook(hook) => return hook.run(),
            Command::Audit(audit) => audit.run(),
            Command::Test(test) => test.run(),
            Command::Explain(explain) => explain.run(),
            Command::Tooling(own) => tooling(own),
            Command::Lint(lint) => lint.run(),
            Command::Fmt(fmt) => fmt.run(),
            Command::Plan(plan) => plan.run(),
            Command::Schema(schema) => schema.run(),
            Command::Man(man) => man.run(),
            Command::Usage(usage) => usage.run(),
            Command::Init(init) => init.run(),
            Command::Trust(trust) => trust.run(),
            Command::Commands(commands) => commands.run(),
            Command::Completions(completions) => completions.run(),
        },
        // Somebody has mixed up the order of the words.
        Err(error) if hook::is_meant(std::env::args_os()) => return hook::unanswered(&error).into(),
        Err(error) => {
            let asked_for = !error.use_stderr();
            let words: Vec<String> = std::env::args_os()
                .map(|word| word.to_string_lossy().into_owned())
                .collect();
            if let Some(told) = behind::told(&words, &error) {
                out::complain(&told);
                return Exit::Usage.code();
            }
            // Nothing is left to tell anybody if the terminal is gone.
            let _gone = error.print();
            if asked_for { Exit::Fine } else { Exit::Usage }
        }
    };
    exit.code()
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use clap::Parser as _;

    use super::{CheckArguments, CheckCommand, HookArguments, HookCommand};
    use crate::check::Check;
    use crate::hook::Hook;

    /// Words of which command lines are made: options with and without values, values that look like options or like subcommands, and
    /// what clap reads in ways of its own.
    const WORDS: &[&str] = &[
        "--policy",
        "--policy=a.kdl",
        "a.kdl",
        "--stdin",
        "git status",
        "check",
        "help",
        "install",
        "claude-code",
        "codex",
        "gemini",
        "Codex",
        "--format",
        "json",
        "--cwd",
        "--headless",
        "--help",
        "-h",
        "--",
        "-",
        "",
        "--polic",
        "--tool",
        "@a",
    ];

    /// Every command line of at most three of the words, after `subcommand`.
    fn command_lines(subcommand: &str, mut each: impl FnMut(&[OsString], &[OsString])) {
        let mut lines: Vec<Vec<&str>> = vec![Vec::new()];
        for _ in 0..3 {
            let longer: Vec<_> = lines
                .iter()
                .flat_map(|line| WORDS.iter().map(|word| [line.as_slice(), &[*word]].concat()))
                .collect();
            lines.extend(longer);
            lines.sort_unstable();
            lines.dedup();
        }
        for line in lines {
            let whole: Vec<OsString> = ["engine", subcommand]
                .into_iter()
                .chain(line)
                .map(OsString::from)
                .collect();
            each(&whole, &whole[2..]);
        }
    }

    #[test]
    fn a_check_that_is_read_quickly_is_the_one_that_clap_reads() {
        let mut quick = 0;
        command_lines("check", |whole, rest| {
            if let Some(own) = Check::quick(rest) {
                quick += 1;
                let CheckCommand::Check(slow) = CheckArguments::try_parse_from(whole).unwrap().command;
                assert_eq!(format!("{own:?}"), format!("{slow:?}"), "{whole:?}");
            }
        });
        assert!(quick > 100, "{quick}");
    }

    #[test]
    fn a_hook_that_is_read_quickly_is_the_one_that_clap_reads() {
        let mut quick = 0;
        command_lines("hook", |whole, rest| {
            if let Some(own) = Hook::quick(rest) {
                quick += 1;
                let HookCommand::Hook(slow) = HookArguments::try_parse_from(whole).unwrap().command;
                assert_eq!(format!("{own:?}"), format!("{slow:?}"), "{whole:?}");
            }
        });
        assert_eq!(quick, 3);
    }
}
