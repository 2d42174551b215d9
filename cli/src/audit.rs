//! `engine audit`: reads the audit log, and says whether it is whole.

mod merge;

use std::fmt::Write as _;
use std::fs::File;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use engine_runtime::audit::{
    HAS_OTLP, Sealed, Verified, Verifier, current_file, files_of, now_millis, otlp_line, parse_time,
};
use serde_json::{Value as Json, json};

use merge::{Found, Merged};

use crate::exit::Exit;
use crate::options::DataFormat;
use crate::out::{self, Paint, visible};
use crate::world;

/// Reads the audit log
///
/// Shows its records in the order of their times, over all logs, those that a filter lets pass; or says whether the chain of each log's hashes
/// holds.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Audit {
    /// Files of a log, the oldest first, or directories of logs; without them, the person's own log
    #[arg(value_name = "FILE", value_hint = clap::ValueHint::AnyPath)]
    files: Vec<PathBuf>,

    /// Says whether the log is whole; exit code 1 if not
    #[arg(long, conflicts_with_all = ["follow", "otlp"])]
    verify: bool,

    /// With `--verify`: a hash that must be in the log, kept elsewhere from an earlier look
    #[arg(long, value_name = "HASH", requires = "verify")]
    expect: Option<String>,

    /// Only records with this: `tool=Bash`, `verdict=ask,deny`, `since=2h`, `since=2026-11-30`, `until=...`, `rule=NAME`, or any field
    /// that is a text; all of several must hold
    #[arg(long, value_name = "FIELD=VALUE", num_args = 1.., value_parser = parse_filter)]
    filter: Vec<Filter>,

    /// How to print
    #[arg(long, value_enum, default_value_t)]
    format: DataFormat,

    /// Prints records as log records of OpenTelemetry, one export request a line
    #[arg(long, conflicts_with = "format")]
    otlp: bool,

    /// Goes on with records as they are written
    #[arg(long, short)]
    follow: bool,
}

const EXAMPLES: &str = "Examples:
  engine audit --filter verdict=deny since=1d   what was denied within a day
  engine audit --format json | jq .tool         records as they are
  engine audit --verify                         whether anything was changed or taken out
  engine audit --follow                         as it happens";

/// How often a log that is followed is looked at.
const PAUSE: Duration = Duration::from_millis(200);

/// A condition on records.
#[derive(Clone, Debug, PartialEq)]
enum Filter {
    Since(i64),
    Until(i64),
    Rule(Vec<String>),
    Field(String, Vec<String>),
}

fn parse_filter(text: &str) -> Result<Filter, String> {
    let (field, value) = text.split_once('=').ok_or("it is written FIELD=VALUE")?;
    let values = || value.split(',').map(str::to_owned).collect();
    let time = || {
        parse_time(value).or_else(|| ago(value)).ok_or_else(|| {
            format!("`{value}` is no time: write `2026-11-30`, `2026-11-30T17:00:00Z`, or how long ago: `90s`, `30m`, `2h`, `7d`")
        })
    };
    match field {
        "since" => time().map(Filter::Since),
        "until" => time().map(Filter::Until),
        "rule" => Ok(Filter::Rule(values())),
        field if TEXTS.contains(&field) => Ok(Filter::Field(field.to_owned(), values())),
        field => {
            let known = TEXTS.iter().copied().chain(["since", "until", "rule"]);
            Err(match engine_policy::nearest(field, known) {
                Some(own) => format!("no field is called `{field}`; did you mean `{own}`?"),
                None => format!(
                    "no field is called `{field}`; known are since, until, rule, {}",
                    TEXTS.join(", ")
                ),
            })
        }
    }
}

/// Fields that are texts, or lists of texts.
const TEXTS: &[&str] = &[
    "id",
    "kind",
    "client",
    "event",
    "session",
    "call",
    "agent",
    "mode",
    "tool",
    "client_tool",
    "via",
    "cwd",
    "project",
    "verdict",
    "git",
    "input_digest",
];

/// How long ago, as a time.
fn ago(text: &str) -> Option<i64> {
    let unit = text.chars().next_back()?;
    let seconds = match unit {
        's' => 1,
        'm' => 60,
        'h' => 3_600,
        'd' => 86_400,
        _ => return None,
    };
    let count: i64 = text
        .strip_suffix(unit)?
        .parse()
        .ok()
        .filter(|count| *count >= 0)?;
    now_millis().checked_sub(count.checked_mul(seconds)?.checked_mul(1000)?)
}

impl Filter {
    fn passes(&self, record: &Json) -> bool {
        let time = || record.get("time").and_then(Json::as_str).and_then(parse_time);
        match self {
            Self::Since(start) => time().is_some_and(|time| time >= *start),
            Self::Until(end) => time().is_some_and(|time| time <= *end),
            Self::Rule(names) => record
                .get("reasons")
                .and_then(Json::as_array)
                .is_some_and(|reasons| {
                    let rules = reasons
                        .iter()
                        .filter_map(|reason| reason.pointer("/rule/id")?.as_str());
                    rules
                        .into_iter()
                        .any(|rule| names.iter().any(|name| name == rule))
                }),
            Self::Field(field, values) => {
                let is = |value: &Json| {
                    value
                        .as_str()
                        .is_some_and(|own| values.iter().any(|value| value == own))
                };
                let has = |field: &str| match record.get(field) {
                    Some(Json::Array(items)) => items.iter().any(is),
                    Some(value) => is(value),
                    None => false,
                };
                // What the client was told is a verdict too.
                has(field) || (field == "verdict" && has("answered"))
            }
        }
    }
}

impl Audit {
    pub(crate) fn run(&self) -> Exit {
        match self.try_run() {
            Ok(exit) => exit,
            Err(why) => {
                out::complain(&format!("engine: {}\n", visible(&why)));
                Exit::Machine
            }
        }
    }

    fn try_run(&self) -> Result<Exit, String> {
        if self.otlp && !HAS_OTLP {
            out::complain("engine: `--otlp` is not built in: build with `--features otel`\n");
            return Ok(Exit::Usage);
        }
        let logs = self.logs()?;
        if logs.iter().all(Vec::is_empty) && !self.follow {
            out::complain("engine: there is no audit log yet\n");
            return Ok(if self.expect.is_some() {
                Exit::Failed
            } else {
                Exit::Fine
            });
        }
        if self.verify {
            return self.verify(&logs);
        }
        let mut merged = Merged::new(logs);
        while let Some(found) = merged.next()? {
            if !self.show(&found) {
                return Ok(Exit::Fine);
            }
        }
        if self.follow {
            self.go_on(merged)?;
        }
        Ok(Exit::Fine)
    }

    /// Waits for more in every log.
    fn go_on(&self, mut merged: Merged) -> Result<(), String> {
        if self.files.is_empty() {
            // Logs that are not there yet.
            for directory in world::audit_directories() {
                merged.watch(&current_file(&directory));
            }
        }
        for directory in self.files.iter().filter(|file| file.is_dir()) {
            merged.watch(&current_file(directory));
        }
        if merged.is_empty() {
            return Err("the home directory is not known".to_owned());
        }
        loop {
            merged.wake();
            while let Some(found) = merged.next()? {
                if !self.show(&found) {
                    return Ok(());
                }
            }
            std::thread::sleep(PAUSE);
        }
    }

    /// The files of each log.
    fn logs(&self) -> Result<Vec<Vec<PathBuf>>, String> {
        let listed = |directory: &Path| {
            files_of(directory).map_err(|error| format!("cannot list {}: {error}", directory.display()))
        };
        if self.files.is_empty() {
            let there = world::audit_directories()
                .into_iter()
                .filter(|directory| directory.is_dir());
            return there.map(|directory| listed(&directory)).collect();
        }
        let mut single = Vec::new();
        let mut logs = Vec::new();
        for file in &self.files {
            if file.is_dir() {
                logs.push(listed(file)?);
            } else {
                single.push(file.clone());
            }
        }
        if !single.is_empty() {
            logs.insert(0, single);
        }
        Ok(logs)
    }

    fn verify(&self, logs: &[Vec<PathBuf>]) -> Result<Exit, String> {
        let mut fine = true;
        for files in logs.iter().filter(|files| !files.is_empty()) {
            let mut verifier = Verifier::expecting(self.expect.clone());
            for file in files {
                let name = file.display().to_string();
                each_line(file, |number, line| {
                    verifier.line(&name, number, line);
                    true
                })?;
            }
            let verified = verifier.finish();
            fine &= verified.problems.is_empty();
            out::print(&match self.format {
                DataFormat::Human => told(files, &verified),
                DataFormat::Json => format!("{}\n", as_json(files, &verified)),
            });
        }
        Ok(if fine { Exit::Fine } else { Exit::Failed })
    }

    /// Prints a record, if the filters let it pass, or tells of what is none; `false` when nobody reads any more.
    fn show(&self, found: &Found) -> bool {
        let Found { at, line, record } = found;
        let Some(record) = record else {
            out::complain(&format!(
                "engine: {}: this is no record (`engine audit --verify` says more)\n",
                visible(at)
            ));
            return true;
        };
        if !self.filter.iter().all(|filter| filter.passes(&record.json)) {
            return true;
        }
        let text = match (self.otlp, self.format) {
            (true, _) => otlp_line(record).unwrap_or_default(),
            (false, DataFormat::Json) => String::from_utf8_lossy(line).into_owned(),
            (false, DataFormat::Human) => shown(record),
        };
        let mut output = std::io::stdout().lock();
        output
            .write_all(text.as_bytes())
            .and_then(|()| output.write_all(b"\n"))
            .is_ok()
    }
}

fn open(file: &Path) -> Result<BufReader<File>, String> {
    File::open(file)
        .map(BufReader::new)
        .map_err(|error| format!("cannot read {}: {error}", file.display()))
}

/// Every line with its number and newline, as long as `take` wants more.
fn each_line(file: &Path, mut take: impl FnMut(usize, &[u8]) -> bool) -> Result<(), String> {
    let mut reader = open(file)?;
    let mut line = Vec::new();
    let mut number = 0;
    loop {
        line.clear();
        let count = reader
            .read_until(b'\n', &mut line)
            .map_err(|error| format!("cannot read {}: {error}", file.display()))?;
        number += 1;
        if count == 0 || !take(number, &line) {
            return Ok(());
        }
    }
}

/// A record for people.
fn shown(record: &Sealed) -> String {
    let text = |name: &str| record.json.get(name).and_then(Json::as_str).unwrap_or_default();
    let paint = Paint::for_stdout();
    let verdict = match (text("answered"), text("verdict")) {
        ("", "") => text("kind"),
        ("", verdict) => verdict,
        (answered, _) => answered,
    };
    let verdict = match verdict {
        "allow" => paint.green("allow"),
        "ask" => paint.yellow("ask"),
        "deny" => paint.red("deny"),
        other => other.to_owned(),
    };
    let input = record.json.get("input");
    let what = ["command", "file_path", "url", "path", "pattern"]
        .iter()
        .find_map(|field| input?.get(field)?.as_str().map(str::to_owned))
        .or_else(|| input.map(Json::to_string))
        .unwrap_or_default();
    let what = what.split('\n').next().unwrap_or_default();
    let mut line = format!(
        "{}  {verdict}  {} {}  {}",
        text("time"),
        text("client"),
        text("tool"),
        visible(what)
    );
    if !text("note").is_empty() {
        let _infallible = write!(line, "  ({})", visible(text("note")));
    }
    let reasons = record.json.get("reasons").and_then(Json::as_array);
    let denied = reasons
        .into_iter()
        .flatten()
        .filter(|reason| reason.get("verdict").and_then(Json::as_str) != Some("allow"));
    for reason in denied {
        let of = |name: &str| reason.get(name).and_then(Json::as_str).unwrap_or_default();
        let _infallible = write!(line, "\n    {}: {}", visible(of("request")), visible(of("why")));
    }
    line
}

fn told(files: &[PathBuf], verified: &Verified) -> String {
    let mut text = String::new();
    for problem in &verified.problems {
        let at = if problem.file.is_empty() {
            String::new()
        } else {
            format!("{}:{}: ", problem.file, problem.line)
        };
        let _infallible = writeln!(text, "{at}{}", problem.what);
    }
    for torn in &verified.torn {
        let after = if torn.continued {
            "the log goes on behind it"
        } else {
            "nothing follows it yet"
        };
        let _infallible = writeln!(
            text,
            "{}:{}: a record that was not written to its end; {after}",
            torn.file, torn.line
        );
    }
    if verified.first > 1 {
        let _infallible = writeln!(
            text,
            "the log begins with record {}: earlier files are not here",
            verified.first
        );
    }
    let whole = if verified.problems.is_empty() {
        "whole"
    } else {
        "NOT whole"
    };
    let directory = files
        .first()
        .and_then(|file| file.parent())
        .map_or(String::new(), |parent| format!("{}: ", parent.display()));
    let _infallible = writeln!(
        text,
        "{directory}{whole}, {}, the last has the hash {}",
        out::many(usize::try_from(verified.records).unwrap_or(usize::MAX), "record"),
        verified.hash
    );
    visible(&text)
}

fn as_json(files: &[PathBuf], verified: &Verified) -> Json {
    let problems: Vec<Json> = verified
        .problems
        .iter()
        .map(|problem| json!({ "file": problem.file, "line": problem.line, "what": problem.what }))
        .collect();
    let torn: Vec<Json> = verified
        .torn
        .iter()
        .map(|torn| json!({ "file": torn.file, "line": torn.line, "continued": torn.continued }))
        .collect();
    json!({
        "files": files.iter().map(|file| file.display().to_string()).collect::<Vec<_>>(),
        "whole": verified.problems.is_empty(),
        "records": verified.records,
        "first": verified.first,
        "last": verified.last,
        "hash": verified.hash,
        "problems": problems,
        "torn": torn,
    })
}
