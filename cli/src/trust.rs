//! `engine trust`: a person says that the policy files of a project may loosen.

use std::fmt::Write as _;
use std::io::{BufRead as _, IsTerminal as _};

use engine_policy::document::{Entry, Scalar};
use engine_policy::{Layer, Loaded, Outcome, load_layers};

use crate::check::Start;
use crate::exit::Exit;
use crate::out::{self, Paint, visible};
use crate::policies::{self, Found, Named, Trusted};
use crate::world::NO_PROJECT;

/// Trusts the policy files of a project, as they are now
///
/// A policy file that came with a project can only tighten: its `allow` rules, looser settings and command definitions count once a
/// person has trusted it. What is trusted is the project's files with exactly this content, and whatever they build on; with any change
/// they are not trusted any more. Without an answer on a terminal nothing is trusted, unless `--yes` says so.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
#[expect(clippy::struct_excessive_bools, reason = "one for each switch")]
pub(crate) struct Trust {
    /// A directory of the project; without it, the current one
    #[arg(value_name = "DIR")]
    directory: Option<String>,

    /// Does not ask
    #[arg(long, short, conflicts_with_all = ["list", "revoke", "status"])]
    yes: bool,

    /// Says whether the project's files are trusted; exit code 1 if one is not
    #[arg(long, conflicts_with_all = ["list", "revoke"])]
    status: bool,

    /// Takes trust in the project back, for all contents
    #[arg(long, conflicts_with = "list")]
    revoke: bool,

    /// Lists everything that is trusted
    #[arg(long)]
    list: bool,
}

const EXAMPLES: &str = "Examples:
  engine trust             shows what the project's files would loosen, and asks
  engine trust --status    says whether they are trusted
  engine trust --revoke    takes it back";

impl Trust {
    pub(crate) fn run(&self) -> Exit {
        match self.try_run() {
            Ok(exit) => exit,
            Err(message) => {
                out::complain(&format!("engine: {}\n", visible(&message)));
                Exit::Machine
            }
        }
    }

    fn try_run(&self) -> Result<Exit, String> {
        if self.list {
            let trusted = Trusted::of_person(NO_PROJECT);
            let mut text = String::new();
            for record in trusted.all() {
                let files = record.files.join(", ");
                let _infallible = writeln!(
                    text,
                    "{} ({}): {}",
                    one_line(&record.project),
                    record.layer,
                    one_line(&files)
                );
            }
            out::print(&visible(if text.is_empty() {
                "nothing is trusted\n"
            } else {
                &text
            }));
            return Ok(Exit::Fine);
        }
        let start = match Start::of(self.directory.as_deref()) {
            Ok(start) => start,
            Err(exit) => return Ok(exit),
        };
        if start.project == NO_PROJECT {
            out::print(&visible(&format!(
                "{} is no project\n",
                one_line(&start.directory)
            )));
            return Ok(Exit::Fine);
        }
        let project = start.project;
        let trusted = Trusted::of_person(&project);
        let shown = one_line(&project);
        if self.revoke {
            let text = match trusted.remove(&project)? {
                0 => format!("{shown} was not trusted\n"),
                _ => format!("{shown} is no longer trusted\n"),
            };
            out::print(&visible(&text));
            return Ok(Exit::Fine);
        }
        let mut found = Found::of(&Named::default(), &project);
        policies::report_misplaced(&project);
        found.files.retain(|(layer, _)| layer.needs_trust());
        if found.files.is_empty() {
            out::print(&visible(&format!("{shown} has no policy file of its own\n")));
            return Ok(Exit::Fine);
        }
        // Read once: what is shown is what is recorded.
        let mut loaded = load_layers(&found.roots(), &|_, _| true);
        let compiled = loaded.compile();
        if policies::report(&loaded.diagnostics, &loaded.sources) > 0 || compiled.is_none() {
            out::complain("engine: a file with mistakes is not trusted: mend them first\n");
            return Ok(Exit::Invalid);
        }
        let mut open = Vec::new();
        for layer in loaded
            .layers
            .iter()
            .filter(|layer| layer.standing.layer.needs_trust())
        {
            let name = Trusted::name(&project, layer.standing.layer, &layer.digest);
            let files = loaded
                .sources
                .iter()
                .take(layer.sources.end)
                .skip(layer.sources.start)
                .filter(|source| !source.name.starts_with("builtin:"))
                .map(|source| source.name.to_string())
                .collect::<Vec<_>>();
            if trusted.has(&name) {
                out::print(&visible(&format!("{} is trusted\n", one_line(&files.join(", ")))));
            } else {
                open.push((layer.standing.layer, name, files));
            }
        }
        if open.is_empty() {
            return Ok(Exit::Fine);
        }
        for (layer, _, files) in &open {
            out::print(&visible(&format!(
                "{} ({}) is not trusted\n",
                one_line(&files.join(", ")),
                layer.as_str()
            )));
            if !self.status {
                out::print(&what_loosens(&loaded, *layer));
            }
        }
        if self.status {
            return Ok(Exit::Failed);
        }
        if !self.yes && !confirmed() {
            out::complain("engine: nothing was trusted\n");
            return Ok(Exit::Failed);
        }
        for (layer, name, files) in &open {
            trusted.add(name, &project, *layer, files)?;
            out::print(&visible(&format!("trusted {}\n", one_line(&files.join(", ")))));
        }
        Ok(Exit::Fine)
    }
}

/// Everything in a layer that counts only when it is trusted.
fn what_loosens(loaded: &Loaded, layer: Layer) -> String {
    let paint = Paint::for_stdout();
    let mut text = String::new();
    let mut line = |place, what: &str| {
        let at = loaded.sources.line_column(place).line;
        let name = loaded.sources.name(place);
        // Shipped policies are no news: that the file extends them says it.
        if name.starts_with("builtin:") {
            return;
        }
        let _infallible = writeln!(
            text,
            "  {} {}",
            visible(what),
            paint.dim(&visible(&format!("({name}:{at})")))
        );
    };
    for part in loaded.parts().iter().filter(|part| part.standing.layer == layer) {
        let document = part.document;
        for block in document
            .blocks
            .iter()
            .filter(|block| block.value.effect.value == Outcome::Allow)
        {
            for rule in &block.value.rules {
                line(
                    rule.place,
                    &format!("allow {}", words(loaded.sources.text(rule.place))),
                );
            }
        }
        for (kind, outcome) in &document.defaults.kinds {
            line(
                kind.place,
                &format!("default {} {}", kind.value.as_str(), outcome.value.as_str()),
            );
        }
        if let Some(headless) = &document.defaults.headless {
            line(
                headless.place,
                &format!("default headless {}", headless.value.as_str()),
            );
        }
        for setting in &document.checks {
            line(
                setting.check.place,
                &format!(
                    "check {} {}",
                    setting.check.value,
                    setting.severity.value.as_str()
                ),
            );
        }
        for (mode, outcome) in &document.modes.rules {
            line(
                mode.place,
                &format!("{} the mode {}", outcome.value.as_str(), mode.value.as_str()),
            );
        }
        if let Some(start) = &document.modes.start {
            line(
                start.place,
                &format!("start in the mode {}", start.value.as_str()),
            );
        }
        for limit in &document.limits {
            line(
                limit.limit.place,
                &format!("limit {} {}", limit.limit.value, limit.value.value),
            );
        }
        for set in &document.sets {
            line(
                set.value.name.place,
                &format!("set {}", words(loaded.sources.text(set.place))),
            );
        }
        for entry in &document.sandbox {
            line(
                entry.name.place,
                &format!("sandbox {}", words(&entry_text(entry))),
            );
        }
        let budgets = document.budgets.iter().map(|line| ("budgets", line.place));
        let defer = document.defer.iter().map(|line| ("defer", line.place));
        let hooks = document.hooks.iter().map(|line| ("hooks", line.place));
        let session = document.session.lines.iter().map(|line| ("session", line.place));
        for (section, place) in budgets.chain(defer).chain(hooks).chain(session) {
            line(place, &format!("{section} {}", words(loaded.sources.text(place))));
        }
        for commands in &document.commands {
            line(
                commands.place,
                &format!("command definitions of {}", commands.value),
            );
        }
        for extended in &document.extends {
            line(extended.place, &format!("extends {}", extended.value));
        }
    }
    text
}

/// A name, in which nothing looks like the end of a line.
fn one_line(name: &str) -> String {
    name.replace('\n', "\\n")
}

/// A text on one line.
fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A line of a section as it may be written.
fn entry_text(entry: &Entry) -> String {
    let value = |scalar: &Scalar| match scalar {
        Scalar::Text(text) => format!("\"{text}\""),
        Scalar::Integer(number) => number.to_string(),
        Scalar::Boolean(answer) => format!("#{answer}"),
    };
    let arguments = entry.arguments.iter().map(|argument| value(&argument.value));
    let properties = entry
        .properties
        .iter()
        .map(|(name, own)| format!("{}={}", name.value, value(&own.value)));
    let mut text = entry.name.value.to_string();
    for part in arguments.chain(properties) {
        text.push(' ');
        text.push_str(&part);
    }
    text
}

/// Asks on the terminal.
fn confirmed() -> bool {
    let input = std::io::stdin();
    if !input.is_terminal() {
        out::complain("engine: trusting needs a person at a terminal, or `--yes`\n");
        return false;
    }
    out::complain("Trust these files as they are now? [y/N] ");
    let mut answer = String::new();
    input.lock().read_line(&mut answer).is_ok() && matches!(answer.trim(), "y" | "Y" | "yes")
}
