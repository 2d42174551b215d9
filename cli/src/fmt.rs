//! `engine fmt`: policies and command definitions in one style, and policies in the other spelling.
//!
//! Invariant (whole or untouched): a file is replaced at once by what was read back and found to say the same, or it stays as it is.

use std::io::Read as _;
use std::path::Path;

use engine_policy::format::{FormatError, convert, reformat};
use engine_policy::read::{Format as Spelling, MAX_TEXT_BYTES};
use engine_policy::{Diagnostic, Level, Place, Sources};
use engine_shell::Span;
use serde_json::json;
use similar::{ChangeTag, TextDiff};

use crate::exit::Exit;
use crate::options::Format;
use crate::out::{Paint, visible};
use crate::report::{self, Detail, Finding, Report};
use crate::{check, out, policies, replace};

/// Puts policies and command definitions into one style
///
/// Comments and the spelling of every value are kept. Without arguments: the policies found. Files that cannot be read as KDL or TOML
/// are not touched, and all their mistakes are shown.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Fmt {
    /// Files, `.kdl` or `.toml`; `-` for standard input, which is printed to standard output
    #[arg(value_name = "FILE")]
    files: Vec<String>,

    /// Changes nothing: shows what would change, and fails (exit code 1) if anything would
    #[arg(long)]
    check: bool,

    /// Changes nothing: shows what would change
    #[arg(long, conflicts_with = "check")]
    diff: bool,

    /// Says one policy in the other spelling, and prints it to standard output; the file stays as it is
    #[arg(long, value_name = "SPELLING", conflicts_with_all = ["check", "diff"])]
    to: Option<To>,

    /// With `--to`: writes to this file instead
    #[arg(long, short, value_name = "FILE", requires = "to")]
    output: Option<String>,

    /// With `--output`: replaces a file that is there already
    #[arg(long, requires = "output")]
    force: bool,

    /// Name of what comes from standard input; its ending says how it is spelled
    #[arg(long, value_name = "NAME", default_value = "stdin.kdl")]
    stdin_name: String,

    /// How to print what was done; `json` is one object a line
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

const EXAMPLES: &str = "Examples:
  engine fmt                      the policies found here
  engine fmt --check shop.kdl     fails if the file would change
  engine fmt --diff shop.kdl      shows what would change";

/// A spelling to say a policy in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum To {
    /// KDL 2.0
    Kdl,
    /// TOML 1.0
    Toml,
}

impl To {
    fn spelling(self) -> Spelling {
        match self {
            Self::Kdl => Spelling::Kdl,
            Self::Toml => Spelling::Toml,
        }
    }
}

/// What became of a file.
enum Done {
    Unchanged,
    /// Old text, new text.
    Changed(String, String),
}

impl Fmt {
    pub(crate) fn run(&self) -> Exit {
        match self.try_run() {
            Ok(exit) | Err(exit) => exit,
        }
    }

    fn try_run(&self) -> Result<Exit, Exit> {
        let files = if self.files.is_empty() {
            let start = check::Start::of(None)?;
            policies::own_files(&start.project)
        } else {
            self.files.clone()
        };
        if files.is_empty() {
            out::complain("engine: no policy file found; name the files to format\n");
            return Ok(Exit::Fine);
        }
        if let Some(to) = self.to {
            let [file] = files.as_slice() else {
                out::complain("engine: `--to` takes one file\n");
                return Ok(Exit::Usage);
            };
            return self.say(file, to);
        }
        let mut exit = Exit::Fine;
        let mut told = Told::default();
        for file in &files {
            let own = match self.file(file, &mut told) {
                Ok(done) => self.tell(file, &done, &mut told),
                Err(own) => {
                    if self.format == Format::Json {
                        out::print(&format!(
                            "{}\n",
                            json!({ "file": self.shown(file), "valid": false })
                        ));
                    }
                    own
                }
            };
            exit = worse(exit, own);
        }
        match self.format {
            Format::Human | Format::Json => {}
            Format::Sarif | Format::Github | Format::Junit => {
                let start = check::Start::of(None)?;
                let report = told.into_report(&start.project);
                out::print(&report::render(self.format, &report, Detail::Short));
            }
        }
        Ok(exit)
    }

    /// Whether mistakes and differences are findings of a report, and not lines for people.
    fn makes_report(&self) -> bool {
        match self.format {
            Format::Human | Format::Json => false,
            Format::Sarif | Format::Github | Format::Junit => true,
        }
    }

    /// One policy in the other spelling.
    fn say(&self, file: &str, to: To) -> Result<Exit, Exit> {
        let name = self.shown(file);
        let spelling = spelling_of(name)?;
        if spelling == to.spelling() {
            out::complain(&format!(
                "engine: `{}` is in that spelling already\n",
                visible(name)
            ));
            return Err(Exit::Usage);
        }
        if let Some(output) = &self.output
            && spelling_of(output)? != to.spelling()
        {
            out::complain(&format!(
                "engine: the name `{}` promises the other spelling\n",
                visible(output)
            ));
            return Err(Exit::Usage);
        }
        let text = text_of(file, name)?;
        let mut sources = Sources::new();
        let written = convert(name, &text, spelling, &mut sources)
            .map_err(|error| complain_about(name, &error, &sources, None))?;
        let Some(output) = &self.output else {
            out::print(&written);
            return Ok(Exit::Fine);
        };
        let path = Path::new(output);
        // A link that leads nowhere is there, too.
        let result = match path.symlink_metadata() {
            Ok(_) if !self.force => {
                out::complain(&format!(
                    "engine: `{}` is there already; `--force` replaces it\n",
                    visible(output)
                ));
                return Err(Exit::Usage);
            }
            Ok(_) => policies::text_of(output).and_then(|old| replace::replace(path, &old, &written)),
            Err(_) => replace::create(path, &written),
        };
        result.map_err(|why| {
            out::complain(&format!("engine: cannot write `{}`: {why}\n", visible(output)));
            Exit::Machine
        })?;
        Ok(Exit::Fine)
    }

    fn shown<'n>(&'n self, file: &'n str) -> &'n str {
        if file == "-" { &self.stdin_name } else { file }
    }

    /// The old and the new text of one file; written where that is wanted.
    fn file(&self, file: &str, told: &mut Told) -> Result<Done, Exit> {
        let name = self.shown(file);
        let spelling = spelling_of(name)?;
        let text = text_of(file, name).inspect_err(|_| told.failed = true)?;
        let mut sources = Sources::new();
        let printed = reformat(name, &text, spelling, &mut sources).map_err(|error| {
            let told = self.makes_report().then_some(&mut *told);
            complain_about(name, &error, &sources, told)
        })?;
        if printed == text {
            if file == "-" && !self.check && !self.diff {
                out::print(&printed);
            }
            return Ok(Done::Unchanged);
        }
        if !self.check && !self.diff {
            if file == "-" {
                out::print(&printed);
            } else {
                replace::replace(Path::new(file), &text, &printed).map_err(|why| {
                    out::complain(&format!("engine: cannot write `{}`: {why}\n", visible(name)));
                    Exit::Machine
                })?;
            }
        }
        Ok(Done::Changed(text, printed))
    }

    /// Says what became of a file.
    fn tell(&self, file: &str, done: &Done, told: &mut Told) -> Exit {
        let name = self.shown(file);
        let written = !self.check && !self.diff;
        let (changed, diff) = match done {
            Done::Unchanged => (false, None),
            Done::Changed(old, new) => (true, (!written).then_some((old, new))),
        };
        match self.format {
            Format::Json if file == "-" && written => {}
            Format::Json => {
                let mut json = json!({ "file": name, "valid": true, "changed": changed });
                if let (Some((old, new)), Some(object)) = (diff, json.as_object_mut()) {
                    object.insert(
                        "diff".to_owned(),
                        unified(name, "formatted", old, new, None).into(),
                    );
                }
                out::print(&format!("{json}\n"));
            }
            Format::Sarif | Format::Github | Format::Junit => {
                if let Some((old, new)) = diff {
                    told.differs(
                        name,
                        old,
                        new,
                        if self.check { Level::Error } else { Level::Warning },
                    );
                }
            }
            Format::Human => match diff {
                Some((old, new)) => {
                    out::print(&unified(name, "formatted", old, new, Some(Paint::for_stdout())));
                }
                None if changed && file != "-" => out::print(&format!("formatted {}\n", visible(name))),
                None => {}
            },
        }
        if changed && self.check {
            Exit::Failed
        } else {
            Exit::Fine
        }
    }
}

/// What is told in a report.
#[derive(Default)]
struct Told {
    sources: Sources,
    findings: Vec<Finding>,
    /// Whether something could not be read.
    failed: bool,
}

impl Told {
    /// A file that would change, at the first lines that would.
    fn differs(&mut self, name: &str, old: &str, new: &str, level: Level) {
        let first = first_difference(old, new);
        let source = self.sources.add(name, old);
        let place = source.map(|source| Place { source, span: first });
        self.findings.push(Finding {
            level,
            code: "fmt::unformatted".to_owned(),
            about: None,
            message: format!("`{name}` is not in the one style"),
            help: Some(format!("`engine fmt {name}` puts it into that")),
            places: place.into_iter().map(|place| (place, String::new())).collect(),
            of_test: false,
        });
    }

    /// The mistakes of a file.
    fn mistakes(&mut self, diagnostics: &[Diagnostic], sources: &Sources) {
        self.failed = true;
        let moved: Vec<_> = sources
            .iter()
            .map(|source| self.sources.add(&source.name, &source.text))
            .collect();
        for diagnostic in diagnostics {
            let mut finding = Finding::from(diagnostic);
            finding.places.retain_mut(|(place, _)| {
                let source = moved.get(place.source.index()).copied().flatten();
                place.source = source.unwrap_or(place.source);
                source.is_some()
            });
            self.findings.push(finding);
        }
    }

    fn into_report(self, project: &str) -> Report {
        let mut report = Report::new("fmt", project);
        report.sources = self.sources;
        report.findings = self.findings;
        report.done = !self.failed;
        report
    }
}

/// The first lines of a text that another one has otherwise.
fn first_difference(old: &str, new: &str) -> Span {
    let same = old
        .split_inclusive('\n')
        .zip(new.split_inclusive('\n'))
        .take_while(|(old, new)| old == new)
        .map(|(line, _)| line.len())
        .sum::<usize>();
    let line = old
        .get(same..)
        .and_then(|rest| rest.lines().next())
        .unwrap_or_default();
    Span::new(same, same + line.len())
}

fn spelling_of(name: &str) -> Result<Spelling, Exit> {
    Spelling::of_name(name).ok_or_else(|| {
        out::complain(&format!(
            "engine: `{}` ends neither in `.kdl` nor in `.toml`\n",
            visible(name)
        ));
        Exit::Usage
    })
}

fn text_of(file: &str, name: &str) -> Result<String, Exit> {
    let text = if file == "-" {
        let mut bytes = Vec::new();
        // One byte more than is allowed shows that there is too much.
        let most = u64::try_from(MAX_TEXT_BYTES + 1).unwrap_or(u64::MAX);
        match std::io::stdin().lock().take(most).read_to_end(&mut bytes) {
            Ok(_) => String::from_utf8(bytes).map_err(|_| "it is not UTF-8".to_owned()),
            Err(error) => Err(error.to_string()),
        }
    } else {
        policies::text_of(file)
    };
    text.map_err(|why| {
        out::complain(&format!("engine: cannot read `{}`: {why}\n", visible(name)));
        Exit::Invalid
    })
}

/// Says why a file was not printed, to people or in a report.
fn complain_about(name: &str, error: &FormatError, sources: &Sources, told: Option<&mut Told>) -> Exit {
    match error {
        FormatError::Invalid(diagnostics) => {
            match told {
                Some(told) => told.mistakes(diagnostics, sources),
                None => {
                    policies::report(diagnostics, sources);
                }
            }
            Exit::Invalid
        }
        FormatError::Differs(what) => internal(name, what),
        _ => internal(name, "an unknown fault"),
    }
}

fn internal(name: &str, what: &str) -> Exit {
    out::complain(&format!(
        "engine: internal error: `{}` is left as it is, since formatting would have changed it: {}\n",
        visible(name),
        visible(what)
    ));
    Exit::Internal
}

/// The worse of two ends, the engine's own faults first.
fn worse(one: Exit, other: Exit) -> Exit {
    let rank = |exit| match exit {
        Exit::Fine => 0,
        Exit::Asked => 1,
        Exit::Failed => 2,
        Exit::Denied => 3,
        Exit::Invalid => 4,
        Exit::Usage => 5,
        Exit::Machine => 6,
        Exit::Internal => 7,
    };
    if rank(other) > rank(one) { other } else { one }
}

/// Lines that differ, with some around them; painted and made visible for people.
pub(crate) fn unified(name: &str, what: &str, old: &str, new: &str, paint: Option<Paint>) -> String {
    let diff = TextDiff::configure()
        .timeout(std::time::Duration::from_secs(5))
        .diff_lines(old, new);
    let mut shown = format!("--- {0}\n+++ {0} {what}\n", visible(name));
    for hunk in diff.unified_diff().context_radius(2).iter_hunks() {
        shown.push_str(&hunk.header().to_string());
        shown.push('\n');
        for change in hunk.iter_changes() {
            let mark = match change.tag() {
                ChangeTag::Equal => ' ',
                ChangeTag::Delete => '-',
                ChangeTag::Insert => '+',
            };
            let text = change.value().trim_end_matches('\n');
            let line = match paint {
                None => format!("{mark}{text}"),
                Some(paint) => {
                    let line = format!("{mark}{}", visible(text));
                    match change.tag() {
                        ChangeTag::Equal => line,
                        ChangeTag::Delete => paint.red(&line),
                        ChangeTag::Insert => paint.green(&line),
                    }
                }
            };
            shown.push_str(&line);
            shown.push('\n');
            if change.missing_newline() {
                shown.push_str("\\ no end of line\n");
            }
        }
    }
    shown
}
