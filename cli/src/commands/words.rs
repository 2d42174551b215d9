//! Effects and conditions in words, and under the stable names that definitions use for them.

use std::fmt::Write as _;

use engine_policy::definition::model::{
    Appends, Arg, Arity, Block, Claim, Flag, Follows, OrPath, Own, Test, ValueEffect, ValueKind,
};

use crate::out::many;

/// Something that is done: its name in definitions, and a text for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Done {
    pub kind: &'static str,
    pub says: String,
}

/// What is done with a value.
pub(super) fn of_value(effect: &ValueEffect) -> Done {
    let (kind, says) = match &effect.kind {
        ValueKind::Reads => ("reads", "is read".to_owned()),
        ValueKind::ReadsTree => {
            let through = match effect.follows {
                Follows::No => "",
                Follows::Seen => ", through links that are seen",
                Follows::Always => ", through links",
            };
            ("reads-tree", format!("is read with everything below{through}"))
        }
        ValueKind::Writes => ("writes", "is written".to_owned()),
        ValueKind::WritesInto => (
            "writes-into",
            "is written, or is a directory in which files are written".to_owned(),
        ),
        ValueKind::WritesTree => ("writes-tree", "is written, or anything below it".to_owned()),
        ValueKind::Creates => ("creates", "is made where nothing was".to_owned()),
        ValueKind::Deletes => ("deletes", "is removed".to_owned()),
        ValueKind::DeletesTree => ("deletes-tree", "is removed with everything below".to_owned()),
        ValueKind::Links => (
            "links",
            "is what a link leads to: read and written through it".to_owned(),
        ),
        ValueKind::Connects { or } => {
            let or = match or {
                None => "",
                Some(OrPath::Read) => "; without a host, a path that is read with everything below",
                Some(OrPath::Write) => "; without a host, a path that is written with everything below",
                Some(OrPath::ReadFile) => "; without a host, a file that is read",
                Some(OrPath::WriteFile) => "; without a host, a file that is written",
            };
            ("connects", format!("is connected to{or}"))
        }
        ValueKind::Runs(runs) => {
            let mut says = "begins a command line that is run".to_owned();
            if let Some(until) = &runs.until {
                let _infallible = write!(says, ", up to `{until}`");
            }
            if let Some(appends) = runs.appends {
                says.push_str(match appends {
                    Appends::Stdin | Appends::StdinNul | Appends::StdinWords | Appends::StdinLines => {
                        ", with words from standard input behind it"
                    }
                    Appends::Paths => ", with the paths that are found behind it",
                });
            }
            if runs.assignments {
                says.push_str("; `NAME=VALUE` before it sets variables");
            }
            ("runs", says)
        }
        ValueKind::RunsSplit => ("runs-split", "is cut into words and run".to_owned()),
        ValueKind::RunsShell { remote, shell, each } => {
            let shell = shell
                .as_ref()
                .map_or_else(String::new, |shell| format!(" ({shell})"));
            let place = if *remote { " on another machine" } else { "" };
            let each = if *each { ", each by itself" } else { "" };
            (
                "runs-shell",
                format!("is a text for a shell{shell}{place}, decided again{each}"),
            )
        }
        ValueKind::Evaluates(language) => ("evaluates", format!("is a program in {language}")),
        ValueKind::LoadsCode => ("loads-code", "is loaded and can run code".to_owned()),
        ValueKind::SetsEnv => ("sets-env", "sets a variable".to_owned()),
        ValueKind::ChangesDirectory { following } => {
            let following = if *following { " that follow" } else { "" };
            (
                "changes-directory",
                format!("is the directory that other paths{following} start from"),
            )
        }
        ValueKind::Narrows => ("narrows", "limits which files below are read".to_owned()),
        ValueKind::Excludes => ("excludes", "leaves out files below".to_owned()),
        ValueKind::Appears => ("appears", "touches nothing".to_owned()),
    };
    Done {
        kind,
        says: format!("{}{says}{}", part(effect), made_from(effect)),
    }
}

/// Which part of a value is meant; empty for all of it.
fn part(effect: &ValueEffect) -> String {
    let shape = &effect.shape;
    let mut out = String::new();
    if let Some(at) = &shape.at {
        let _infallible = write!(out, "behind `{at}`: ");
    }
    if let Some(after) = &shape.after {
        let every = if shape.every { "each " } else { "" };
        let _infallible = write!(out, "what follows {every}`{after}` ");
    }
    if let Some(before) = &shape.before {
        let _infallible = write!(out, "(up to the first of `{before}`) ");
    }
    if let Some(list) = &shape.list {
        let _infallible = write!(out, "(several, with `{list}` between) ");
    }
    if shape.url {
        out.push_str("(as a URL of a file) ");
    }
    out
}

/// How a name is made from a value; empty where the value is the name.
fn made_from(effect: &ValueEffect) -> String {
    let renaming = &effect.renaming;
    let mut out = String::new();
    if let Some(suffix) = &renaming.suffix {
        let _infallible = write!(out, ", with `{suffix}` at its end");
    }
    if let Some(option) = &renaming.suffix_from {
        let _infallible = write!(out, ", with the value of `{option}` at its end");
    }
    if !renaming.without.is_empty() || renaming.without_from.is_some() {
        out.push_str(", without its ending");
    }
    if renaming.open {
        out.push_str(", with something more at its end");
    }
    out
}

/// What a program, subcommand, option or block does by itself.
pub(super) fn of_own(own: &Own) -> Done {
    let (kind, says) = match own {
        Own::Changes { destructive: false } => {
            ("write", "changes something that no argument names".to_owned())
        }
        Own::Changes { destructive: true } => (
            "destructive",
            "may destroy something that cannot be brought back".to_owned(),
        ),
        Own::Network => ("network", "connects somewhere that no argument names".to_owned()),
        Own::Privileged => ("privileged", "runs with raised privileges".to_owned()),
        Own::Background => ("background", "leaves something running".to_owned()),
        Own::Interactive => ("interactive", "waits for a person".to_owned()),
        Own::ReadsStdin => ("reads-stdin", "may read standard input".to_owned()),
        Own::RunsStdin(language) => ("runs-stdin", format!("runs standard input as {language}")),
        Own::State(what) => ("state", format!("writes `{what}`")),
        Own::PrintsPaths { arg, .. } if arg == "." => {
            ("prints-paths", "prints paths below the directory".to_owned())
        }
        Own::PrintsPaths { arg, .. } => ("prints-paths", format!("prints paths below `{arg}`")),
        Own::Unknown(why) => ("unknown", format!("never allowed without a rule: {why}")),
        Own::Narrows(globs) => (
            "narrows",
            format!("of what it reads below a directory, only {}", globs.join(", ")),
        ),
        Own::ReadsAmong(directory) => (
            "reads-among",
            format!("reads some of what is below `{directory}`"),
        ),
        Own::ReadsListed(why) => ("reads-listed", format!("reads any file: {why}")),
        Own::WritesListed(why) => ("writes-listed", format!("writes any file: {why}")),
        Own::Consults { file, keys, .. } => (
            "loads-code",
            format!(
                "reads `{file}` found upwards, which can name programs ({})",
                keys.join(", ")
            ),
        ),
        Own::Reads { path, tree: false } => ("reads", format!("reads `{path}`")),
        Own::Reads { path, tree: true } => ("reads-tree", format!("reads `{path}` with everything below")),
        Own::Writes { path, tree: false } => ("writes", format!("writes `{path}`")),
        Own::Writes { path, tree: true } => ("writes-tree", format!("writes anything below `{path}`")),
        Own::Evaluates(language) => (
            "evaluates",
            format!("runs a {language} program that no argument holds"),
        ),
        Own::Warns { text, .. } => ("warns", format!("warns whoever approves it: {text}")),
        Own::RunsDefault(words) => (
            "runs-default",
            format!("runs `{}` where no command is given", words.join(" ")),
        ),
    };
    Done { kind, says }
}

/// Everything that giving an option does.
pub(super) fn of_flag(flag: &Flag) -> Vec<Done> {
    let mut all: Vec<Done> = flag.own.iter().map(of_own).collect();
    for value in &flag.values {
        all.extend(value.effects.iter().map(|effect| {
            let done = of_value(effect);
            Done {
                says: format!("`{}` {}", value.name, done.says),
                ..done
            }
        }));
    }
    if let Some(other) = &flag.negates {
        all.push(Done {
            kind: "negates",
            says: format!("takes back `{other}`"),
        });
    }
    if flag.terminal {
        all.push(Done {
            kind: "terminal",
            says: "prints something and ends: nothing else applies".to_owned(),
        });
    }
    if flag.ends_options {
        all.push(Done {
            kind: "ends-options",
            says: "every word after it is an operand".to_owned(),
        });
    }
    all
}

/// The names of an option and its values, as definitions write them.
pub(super) fn flag_usage(flag: &Flag) -> String {
    let mut out = flag.names.join(" ");
    for value in &flag.values {
        let (open, close, run) = match flag.arity {
            Arity::Optional => ('[', ']', ""),
            Arity::Words => ('<', '>', "..."),
            Arity::None | Arity::Next | Arity::Glued => ('<', '>', ""),
        };
        if flag.arity != Arity::Glued {
            out.push(' ');
        }
        out.push(open);
        out.push_str(&value.name);
        out.push(close);
        out.push_str(run);
    }
    out
}

/// An operand as definitions write it.
pub(super) fn arg_usage(arg: &Arg) -> String {
    let run = if arg.variadic { "..." } else { "" };
    let dashes = if arg.after_dashes { "-- " } else { "" };
    if arg.required {
        format!("{dashes}<{}>{run}", arg.name)
    } else {
        format!("{dashes}[{}]{run}", arg.name)
    }
}

/// When an operand is there, and what it is where it is not given.
pub(super) fn arg_notes(arg: &Arg) -> Vec<String> {
    let mut out = Vec::new();
    if let Some(key) = &arg.unless_given {
        out.push(format!("not where an option gives the {key}"));
    }
    if let Some(key) = &arg.when_given {
        out.push(format!("only where an option gives the {key}"));
    }
    if let Some(default) = &arg.default {
        out.push(format!("`{default}` where none is given"));
    }
    out
}

/// The condition of a block.
pub(super) fn condition(block: &Block) -> String {
    let tests: Vec<String> = block
        .tests
        .iter()
        .map(|test| match test {
            Test::Flags(flags) => {
                let with = if block.negated { "without" } else { "with" };
                format!("{with} `{}`", flags.join("` or `"))
            }
            Test::Operands { least, most } => {
                let count = match most {
                    Some(most) if most == least => format!("with {}", many(*least, "operand")),
                    Some(most) => format!("with {least} to {}", many(*most, "operand")),
                    None => format!("with {} or more", many(*least, "operand")),
                };
                if block.negated {
                    format!("not {count}")
                } else {
                    count
                }
            }
            Test::Value { flags, words } => {
                let is = if block.negated { "is not" } else { "is" };
                format!(
                    "where the value of `{}` {is} `{}`",
                    flags.join("` or `"),
                    words.join("` or `")
                )
            }
            Test::Operand { words, index, fold } => {
                let is = if block.negated { "is not" } else { "is" };
                let fold = if *fold { ", in any case" } else { "" };
                format!("where operand {index} {is} `{}`{fold}", words.join("` or `"))
            }
        })
        .collect();
    tests.join(" and ")
}

/// The word of a claim.
pub(super) fn claim(claim: Claim) -> &'static str {
    match claim {
        Claim::Reads => "reads",
        Claim::Writes => "writes",
        Claim::Deletes => "deletes",
        Claim::Runs => "runs",
        Claim::Connects => "connects",
        Claim::LoadsCode => "loads-code",
        Claim::Nothing => "nothing",
        Claim::Unknown => "unknown",
        Claim::Known => "known",
        Claim::Changes => "changes",
    }
}
