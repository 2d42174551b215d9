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
    if std::env::args_os().nth(1).is_some_and(|word| word == "check")
        && let Ok(arguments) = CheckArguments::try_parse()
    {
        let CheckCommand::Check(check) = arguments.command;
        return check.run().code();
    }
    if std::env::args_os().nth(1).is_some_and(|word| word == "hook") {
        return match HookArguments::try_parse() {
            Ok(arguments) => {
                let HookCommand::Hook(hook) = arguments.command;
                hook.run()
            }
            Err(error) => hook::unanswered(&error).into(),
        };
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
