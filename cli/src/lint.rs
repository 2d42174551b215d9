//! `engine lint`: what in policies is probably not what their author meant, and mending it.
//!
//! Invariant (one broken file): a file that cannot be read as a policy is reported, and neither keeps others from being linted nor its own
//! text.

mod fix;

use std::collections::BTreeMap;

use engine_policy::lint::{self, Finding, LintInput, SAID_BY_LINTS};
use engine_policy::{Level, Loaded, Plan, Sources};
use serde_json::{Value as Json, json};

use crate::check::Start;
use crate::exit::Exit;
use crate::fmt::unified;
use crate::options::Format;
use crate::report::{self, Detail, Report};
use crate::{out, policies};

/// Looks for what in policies is probably not what their author meant
///
/// Rules that never match, that others overrule or that are easily got around, allow rules without a bound, and more. Without FILES: the
/// policies found for the project. A lint is switched off in the policy: `lint { off "untested" because="..." }`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is an option of the command line"
)]
pub(crate) struct Lint {
    /// Policy files; `builtin:NAME` for a shipped policy
    #[arg(value_name = "FILE")]
    files: Vec<String>,

    /// Prints the page of a lint: what it finds, why, examples, how to silence it
    #[arg(long, value_name = "CODE", conflicts_with_all = ["files", "list", "fix"])]
    explain: Option<String>,

    /// Lists all lints
    #[arg(long, conflicts_with_all = ["files", "fix"])]
    list: bool,

    /// Makes the fixes that change no verdict; each file is written whole or not at all
    #[arg(long)]
    fix: bool,

    /// Shows what `--fix` would change, and writes nothing
    #[arg(long, requires = "fix")]
    dry_run: bool,

    /// Warnings count as errors
    #[arg(long)]
    deny_warnings: bool,

    /// Leaves out notes, which only say what is worth knowing
    #[arg(long, short)]
    quiet: bool,

    /// How to print
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

const EXAMPLES: &str = "Examples:
  engine lint                            the policies found here
  engine lint shop.kdl --deny-warnings   fails if anything is found that counts
  engine lint --fix --dry-run shop.kdl   shows what would be mended
  engine lint --explain shadowed         what a lint finds, and why";

/// A policy that was linted.
pub(crate) struct Linted {
    pub loaded: Loaded,
    pub plan: Option<Plan>,
    pub findings: Vec<Finding>,
}

impl Lint {
    pub(crate) fn run(&self) -> Exit {
        match self.try_run() {
            Ok(exit) | Err(exit) => exit,
        }
    }

    fn try_run(&self) -> Result<Exit, Exit> {
        if let Some(code) = &self.explain {
            return explain(code);
        }
        if self.list {
            self.print_list();
            return Ok(Exit::Fine);
        }
        let start = Start::of(None)?;
        let files = if self.files.is_empty() {
            policies::own_files(&start.project)
        } else {
            self.files.clone()
        };
        if files.is_empty() && self.format == Format::Human {
            policies::report_misplaced(&start.project);
            out::print("no policy file found: the shipped `builtin:base` decides\n");
            return Ok(Exit::Fine);
        }
        let fixed = if self.fix { self.fixed(&files)? } else { Vec::new() };
        if self.dry_run && self.format == Format::Human {
            return Ok(Exit::Fine);
        }
        let all = self.linted(&files);
        let mut report = self.report(&start.project, &files, &all);
        if self.files.is_empty() {
            let misplaced = policies::misplaced_in(&start.project);
            let moved = Moved::into(&mut report.sources, &misplaced.sources);
            report
                .findings
                .extend(misplaced.diagnostics.iter().map(|diagnostic| {
                    let finding = report::Finding::from(diagnostic);
                    report::Finding {
                        places: moved.places(&finding.places),
                        ..finding
                    }
                }));
        }
        report.facts.insert("fixed".to_owned(), fixed.into());
        out::print(&report::render(self.format, &report, Detail::Short));
        let (errors, warnings) = (report.count(Level::Error), report.count(Level::Warning));
        if self.format == Format::Human {
            let notes = report.count(Level::Note);
            let notes = if notes == 0 {
                String::new()
            } else {
                format!(", {notes} worth knowing")
            };
            out::print(&format!(
                "{}: {}{notes}\n",
                files.join(", "),
                report::counted(errors, warnings)
            ));
        }
        Ok(if !report.done {
            Exit::Invalid
        } else if errors > 0 || (self.deny_warnings && warnings > 0) {
            Exit::Failed
        } else {
            Exit::Fine
        })
    }

    /// Makes the fixes, or shows them; what was done as JSON.
    fn fixed(&self, files: &[String]) -> Result<Vec<Json>, Exit> {
        let mut done = Vec::new();
        let mut failed = false;
        for file in files.iter().filter(|file| !file.starts_with("builtin:")) {
            let Some(fixed) = fix::fixed(file) else { continue };
            let diff = |paint| unified(file, "fixed", &fixed.before, &fixed.after, paint);
            if self.dry_run {
                if self.format == Format::Human {
                    out::print(&diff(Some(out::Paint::for_stdout())));
                }
            } else if fixed.write().is_err() {
                failed = true;
                continue;
            } else if self.format == Format::Human {
                let fixes = if fixed.made == 1 { "fix" } else { "fixes" };
                out::print(&format!("{}: {} {fixes} made\n", out::visible(file), fixed.made));
            }
            done.push(json!({
                "file": file,
                "fixes": fixed.made,
                "written": !self.dry_run,
                "diff": diff(None),
            }));
        }
        if failed { Err(Exit::Machine) } else { Ok(done) }
    }

    /// The found files are one policy; files that are named are a policy each.
    fn linted(&self, files: &[String]) -> Vec<Linted> {
        if self.files.is_empty() {
            let together = lint_files(files);
            if together.plan.is_some() || files.len() < 2 {
                return vec![together];
            }
        }
        files
            .iter()
            .map(|file| lint_files(std::slice::from_ref(file)))
            .collect()
    }

    fn report(&self, project: &str, files: &[String], all: &[Linted]) -> Report {
        let mut report = Report::new("lint", project);
        let mut fixes = Vec::new();
        for linted in all {
            let moved = Moved::into(&mut report.sources, &linted.loaded.sources);
            report.done &= linted.plan.is_some();
            for diagnostic in &linted.loaded.diagnostics {
                let own = diagnostic.place().is_none_or(|place| {
                    let name = linted.loaded.sources.name(place);
                    diagnostic.level == Level::Error || files.iter().any(|file| file == name)
                });
                if own && !SAID_BY_LINTS.contains(&diagnostic.code) {
                    let mut finding = report::Finding::from(diagnostic);
                    finding.places = moved.places(&finding.places);
                    report.findings.push(finding);
                }
            }
            for finding in linted
                .findings
                .iter()
                .filter(|own| !self.quiet || own.level() > Level::Note)
            {
                report.findings.push(report::Finding {
                    level: finding.level(),
                    code: finding.lint.code().to_owned(),
                    about: None,
                    message: finding.message.clone(),
                    help: Some(help(finding)),
                    places: moved.places(&finding.labels),
                    of_test: false,
                });
                fixes.extend(fix_json(finding, &linted.loaded.sources));
            }
        }
        report.facts.insert("files".to_owned(), files.into());
        report
            .facts
            .insert("notes".to_owned(), report.count(Level::Note).into());
        report.facts.insert("fixes".to_owned(), fixes.into());
        report
    }

    fn print_list(&self) {
        let all = lint::Lint::ALL;
        if self.format == Format::Json {
            let lints: Vec<Json> = all
                .iter()
                .map(|lint| json!({ "code": lint.code(), "level": level_word(lint.level()), "about": lint.about() }))
                .collect();
            out::print(&format!("{}\n", json!({ "lints": lints })));
            return;
        }
        let width = all.iter().map(|lint| lint.name().len()).max().unwrap_or_default();
        for lint in all {
            let level = level_word(lint.level());
            out::print(&format!("{:width$}  {level:7}  {}\n", lint.name(), lint.about()));
        }
    }
}

/// Texts that were put behind others, and where they went.
struct Moved(BTreeMap<usize, engine_policy::SourceId>);

impl Moved {
    fn into(sources: &mut Sources, other: &Sources) -> Self {
        let mut moved = BTreeMap::new();
        for (number, source) in other.iter().enumerate() {
            let known = sources
                .iter()
                .zip(sources.ids())
                .find(|(own, _)| *own == source)
                .map(|(_, id)| id);
            if let Some(id) = known.or_else(|| sources.add(&source.name, &source.text)) {
                moved.insert(number, id);
            }
        }
        Self(moved)
    }

    fn places(&self, places: &[(engine_policy::Place, String)]) -> Vec<(engine_policy::Place, String)> {
        places
            .iter()
            .filter_map(|(place, text)| {
                let source = *self.0.get(&place.source.index())?;
                Some((engine_policy::Place { source, ..*place }, text.clone()))
            })
            .collect()
    }
}

fn explain(code: &str) -> Result<Exit, Exit> {
    if let Some(lint) = lint::Lint::from_name(code) {
        out::print(lint.page());
        return Ok(Exit::Fine);
    }
    out::complain(&format!(
        "engine: there is no lint `{code}`; `engine lint --list` shows them all\n"
    ));
    Err(Exit::Usage)
}

fn level_word(level: Level) -> &'static str {
    match level {
        Level::Note => "note",
        Level::Warning => "warning",
        Level::Error => "error",
    }
}

fn help(finding: &Finding) -> String {
    let more = match &finding.fix {
        Some(fix) if fix.safe => "`--fix` does it; ",
        Some(_) | None => "",
    };
    let help = finding
        .help
        .as_deref()
        .map_or_else(String::new, |help| format!("{help}; "));
    format!("{help}{more}see `engine lint --explain {}`", finding.lint.name())
}

fn fix_json(finding: &Finding, sources: &Sources) -> Option<Json> {
    let fix = finding.fix.as_ref()?;
    let edits: Vec<Json> = fix
        .edits
        .iter()
        .map(|(place, text)| {
            json!({ "file": sources.name(*place), "start": place.span.start, "end": place.span.end, "text": text })
        })
        .collect();
    Some(json!({ "code": finding.lint.code(), "title": fix.title, "safe": fix.safe, "edits": edits }))
}

/// Reads and lints files as one policy.
fn lint_files(files: &[String]) -> Linted {
    lint_loaded(policies::read(files), files)
}

/// Lints what was read.
fn lint_loaded(mut loaded: Loaded, names: &[String]) -> Linted {
    let plan = loaded.compile();
    let findings = lint::lint(&LintInput {
        documents: &loaded.documents,
        sources: &loaded.sources,
        plan: plan.as_ref(),
        names,
    });
    Linted {
        loaded,
        plan,
        findings,
    }
}
