//! A policy and a command: how verdicts must relate to each other.

use engine_policy::read::Format;
use engine_policy::{
    Call, Facts, Files, Layer, LayerRoot, Mode, NoWorld, Outcome, Plan, Root, decide, load, load_layers,
};
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
    /// `echo "$( ...)"`
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
            // The blank keeps `(22)` a command: `$((22))` is a number.
            Self::Substitution => format!("echo \"$( {command})\""),
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

/// The text of a person's policy, and that of a project whose files nobody has trusted.
struct Cloned<'t> {
    person: &'t str,
    project: &'t str,
}

impl Files for Cloned<'_> {
    fn text(&self, path: &str) -> Result<String, String> {
        Ok(if path == "project.kdl" {
            self.project
        } else {
            self.person
        }
        .to_owned())
    }
}

/// The plan of a person's policy, with that of a project that nobody has trusted if there is one.
#[must_use]
pub fn plan_with_project(person: &str, project: Option<&str>) -> Option<Plan> {
    let files = Cloned {
        person,
        project: project.unwrap_or_default(),
    };
    let root = |layer, name: &str| LayerRoot {
        layer,
        root: Root::File(name.to_owned()),
        files: &files,
        within: None,
    };
    let own = root(Layer::User, "user.kdl");
    let cloned = project.map(|_| root(Layer::Project, "project.kdl"));
    let roots: Vec<LayerRoot<'_>> = [own].into_iter().chain(cloned).collect();
    load_layers(&roots, &|_, _| false).compile()
}

/// The outcome of a command where nothing is known of the file system.
///
/// # Errors
/// If a span of the decision lies outside of the command, or it gives no reason.
pub fn verdict(plan: &Plan, command: &str) -> Result<Outcome, Violation> {
    verdict_in(plan, command, Mode::Default)
}

/// The same in a mode.
///
/// # Errors
/// As [`verdict`].
pub fn verdict_in(plan: &Plan, command: &str, mode: Mode) -> Result<Outcome, Violation> {
    let facts = Facts {
        via: &[],
        project: "/project",
        directory: "/project",
        home: Some("/home/user"),
        shell: Shell::Bash,
        world: &NoWorld,
    };
    let decision = decide(plan, &Call::Shell(command), &facts, mode);
    spans_inside("decide", &decision.steps, command)?;
    spans_inside("decide", &decision.findings, command)?;
    if decision.outcome != Outcome::Allow && decision.reasons().next().is_none() {
        return Err(Violation(format!(
            "{} without a reason: {command:?}",
            decision.outcome.as_str()
        )));
    }
    // In `bypass` nothing is asked about, whether understood or not.
    if decision.outcome == Outcome::Allow
        && mode != Mode::Bypass
        && parse(command, Shell::Bash, &Limits::DEFAULT).is_err()
    {
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
