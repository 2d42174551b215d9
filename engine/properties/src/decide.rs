//! A policy and a command: how verdicts must relate to each other.

use engine_policy::read::Format;
use engine_policy::{Call, Facts, Files, Mode, NoWorld, Outcome, Plan, Root, decide, load};
use engine_shell::{Limits, Shell, parse};

use crate::{Violation, spans_inside};

/// What is put after, before or around a command without making it do less.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Setting {
    /// `; true`
    Sequence,
    /// `&& true`
    Conditional,
    /// `| cat`
    Piped,
    /// `true;` in front.
    After,
    /// `( ... )`
    Subshell,
    /// `{ ...; }`
    Group,
    /// `bash -c '...'`
    Nested,
    /// `if true; then ...; fi`
    Branch,
    /// `echo "$( ... )"`
    Substitution,
}

impl Setting {
    /// All of them.
    pub const ALL: [Self; 9] = [
        Self::Sequence,
        Self::Conditional,
        Self::Piped,
        Self::After,
        Self::Subshell,
        Self::Group,
        Self::Nested,
        Self::Branch,
        Self::Substitution,
    ];

    /// The command in this setting.
    #[must_use]
    pub fn around(self, command: &str) -> String {
        match self {
            Self::Sequence => format!("{command}; true"),
            Self::Conditional => format!("{command} && true"),
            Self::Piped => format!("{command} | cat"),
            Self::After => format!("true; {command}"),
            Self::Subshell => format!("( {command} )"),
            Self::Group => format!("{{ {command}; }}"),
            Self::Nested => format!("bash -c '{}'", command.replace('\'', r"'\''")),
            Self::Branch => format!("if true; then {command}; fi"),
            Self::Substitution => format!("echo \"$({command})\""),
        }
    }
}

struct NoFiles;

impl Files for NoFiles {
    fn text(&self, _path: &str) -> Result<String, String> {
        Err("there are no files".to_owned())
    }
}

/// The plan of a policy's text, if it has no mistake.
#[must_use]
pub fn plan_of(text: &str, format: Format) -> Option<Plan> {
    let name = match format {
        Format::Kdl => "input.kdl",
        Format::Toml => "input.toml",
    };
    load(
        &[Root::Text {
            name: name.to_owned(),
            text: text.to_owned(),
            format,
        }],
        &NoFiles,
    )
    .compile()
}

/// The outcome of a command where nothing is known of the file system.
///
/// # Errors
/// If a span of the decision lies outside of the command, or it gives no reason.
pub fn verdict(plan: &Plan, command: &str) -> Result<Outcome, Violation> {
    let facts = Facts {
        via: &[],
        project: "/project",
        directory: "/project",
        home: Some("/home/user"),
        shell: Shell::Bash,
        world: &NoWorld,
    };
    let decision = decide(plan, &Call::Shell(command), &facts, Mode::Default);
    spans_inside("decide", &decision.steps, command)?;
    spans_inside("decide", &decision.findings, command)?;
    if decision.outcome != Outcome::Allow && decision.reasons().next().is_none() {
        return Err(Violation(format!(
            "{} without a reason: {command:?}",
            decision.outcome.as_str()
        )));
    }
    if decision.outcome == Outcome::Allow && parse(command, Shell::Bash, &Limits::DEFAULT).is_err() {
        return Err(Violation(format!("allowed and not understood: {command:?}")));
    }
    Ok(decision.outcome)
}

/// Whether one verdict is not milder than another.
fn at_least(text: &str, outcome: Outcome, command: &str, own: Outcome) -> Result<(), Violation> {
    // What is no longer understood may have lost the words that a deny rule is about; then it must not be allowed.
    let understood = parse(text, Shell::Bash, &Limits::DEFAULT).is_ok();
    let milder = if understood {
        outcome < own
    } else {
        outcome == Outcome::Allow
    };
    if milder {
        return Err(Violation(format!(
            "{command:?} is {}, and {text:?} is {}",
            own.as_str(),
            outcome.as_str()
        )));
    }
    Ok(())
}

/// Decides a command, and again with more around it: never milder.
///
/// `policy` has a rule neither with `in-pipeline` nor with `background`, since these conditions are about what is around a command.
///
/// # Errors
/// If a setting makes the verdict milder.
pub fn decides_monotonically(plan: &Plan, command: &str) -> Result<(), Violation> {
    let own = verdict(plan, command)?;
    // A text that ends in the middle of something swallows what is put after it.
    if command.ends_with('\\') || parse(command, Shell::Bash, &Limits::DEFAULT).is_err() {
        return Ok(());
    }
    for setting in Setting::ALL {
        let text = setting.around(command);
        // `a; b | cat` pipes `b` alone, and a comment, a here-document or a background command at the end swallows or refuses the rest:
        // all of these still run the command itself.
        at_least(&text, verdict(plan, &text)?, command, own)?;
    }
    Ok(())
}
