//! `engine check`: decides one call, or many from standard input, or validates the policies.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{BufRead, Write as _};
use std::mem::ManuallyDrop;
use std::path::Path;

use engine_policy::{Call, Decision, Facts, Level, Mode, Outcome, Plan, below, decide, join_path};
use engine_shell::Shell;
use serde_json::Value as Json;

use crate::exit::Exit;
use crate::json;
use crate::options::{Circumstances, Format, parse_mode, parse_shell};
use crate::out;
use crate::policies::{self, Found, Named};
use crate::render::{self, Shown};
use crate::report::{self, Detail, Report};
use crate::world::{self, Disk, NO_PROJECT};

/// Decides a command or a tool call; without one, validates the policies
///
/// The verdict is `allow`, `ask` or `deny`, with the reasons for it. Nothing is run.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Check {
    #[command(flatten)]
    circumstances: Circumstances,

    /// Name of a tool, to decide a call of it instead of a command
    #[arg(long, value_name = "NAME", requires = "input", conflicts_with = "command")]
    tool: Option<String>,

    /// Input of the tool, a JSON object
    #[arg(long, value_name = "JSON", requires = "tool")]
    input: Option<String>,

    /// Reads calls from standard input, one JSON object a line (`{"command": "..."}` or `{"tool": "...", "input": {...}}`, each with
    /// optional `id`, `cwd`, `mode`, `shell`), and answers each with a line, in order
    #[arg(long, conflicts_with_all = ["tool", "command"])]
    stdin: bool,

    /// Shows every request and what became of it
    #[arg(long)]
    explain: bool,

    /// The command, as one text; several words are taken as the words of one command
    #[arg(value_name = "CMD")]
    command: Vec<String>,
}

const EXAMPLES: &str = "Examples:
  engine check 'git push -f origin main'               a command, as one text
  engine check --policy shop.kdl -- rm -rf build       a command, as words
  engine check --tool Read --input '{\"file_path\":\".env\"}'   a call of a tool
  engine check                                         looks for mistakes in the policies
  engine check --format sarif > engine.sarif           and tells a code scanner";

/// Whether a word of a command line is no option, whatever stands before it.
fn is_operand(word: &str) -> bool {
    !word.is_empty() && !word.starts_with('-')
}

/// Where calls start.
#[derive(Clone, Debug)]
pub(crate) struct Start {
    pub project: String,
    pub directory: String,
    pub home: Option<String>,
    /// A project within this one that the directory lies in.
    inner: Option<String>,
    /// What the engine was started in, where the directory lies below it and is no part of it by any mark.
    started: Option<String>,
}

impl Start {
    pub(crate) fn of(cwd: Option<&str>) -> Result<Self, Exit> {
        let (mut start, current) = Self::at(cwd)?;
        if start.directory != current {
            let started = world::project_of(&current);
            let within = started != start.project && below(&start.directory, &started).is_some();
            start.started = within.then_some(started);
        }
        Ok(start)
    }

    /// A start, and the directory that this program is in.
    fn at(cwd: Option<&str>) -> Result<(Self, String), Exit> {
        let Some(current) = world::current_directory() else {
            out::complain(
                "engine: the current directory is not known, or its name is not UTF-8; go to another one\n",
            );
            return Err(Exit::Machine);
        };
        let cwd = cwd.unwrap_or(".");
        // Whoever goes there goes up from where links lead.
        let upwards = cwd.split('/').any(|part| part == "..");
        let real = upwards.then(|| Path::new(&current).join(cwd).canonicalize().ok());
        let directory = match real.flatten().and_then(|path| path.to_str().map(str::to_owned)) {
            Some(real) => real,
            None => join_path(&current, cwd).to_string(),
        };
        let start = Self {
            project: world::project_of(&directory),
            directory,
            home: world::home(),
            inner: None,
            started: None,
        };
        Ok((start, current))
    }

    /// The policy files that take part here.
    pub(crate) fn found(&self, named: &Named) -> Found {
        self.counting(Found::besides(named, &self.project, &self.outside()))
    }

    /// The same files where a directory within is no way out of what holds where the engine was started.
    fn counting(&self, mut found: Found) -> Found {
        if let Some(started) = &self.started
            && !found.outer.contains(started)
            && !found.files.is_empty()
        {
            found.outer.push(started.clone());
        }
        found
    }

    /// The directory, where it lies in no project.
    fn outside(&self) -> Vec<&str> {
        let outside = (self.project == NO_PROJECT).then_some(self.directory.as_str());
        outside.into_iter().collect()
    }

    /// A start that a line of input names. What lies in the project that the engine was started in belongs to it, so that nobody gets
    /// away from its rules by making a project there.
    fn within(&self, cwd: &str) -> Result<Self, Exit> {
        let (mut start, _) = Self::at(Some(cwd))?;
        if below(&start.directory, &self.project).is_some() {
            start.inner = world::marked_project_of(&start.directory).filter(|own| *own != self.project);
            start.project.clone_from(&self.project);
        }
        Ok(start)
    }

    pub(crate) fn facts<'f>(&'f self, shell: Shell, disk: &'f Disk) -> Facts<'f> {
        Facts {
            via: &[],
            project: &self.project,
            directory: &self.directory,
            home: self.home.as_deref(),
            shell,
            world: disk,
        }
    }
}

impl Check {
    /// Reads the command lines that agents and scripts write: policies by name, and one command or standard input. `None` for any other,
    /// which are left to clap; what is read here is what it would read (a test). Describing a command line to it takes a seventh of a
    /// short run.
    pub(crate) fn quick(words: &[OsString]) -> Option<Self> {
        let mut check = Self {
            circumstances: Circumstances::default(),
            tool: None,
            input: None,
            stdin: false,
            explain: false,
            command: Vec::new(),
        };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            match word.to_str()? {
                "--policy" => {
                    let value = words.next()?.to_str().filter(|value| is_operand(value))?;
                    check.circumstances.policies.only.push(value.to_owned());
                }
                "--stdin" if !check.stdin => check.stdin = true,
                command if is_operand(command) && check.command.is_empty() => {
                    check.command.push(command.to_owned());
                }
                _ => return None,
            }
        }
        // One of the two, and not both.
        (check.stdin == check.command.is_empty()).then_some(check)
    }

    pub(crate) fn run(&self) -> Exit {
        match self.try_run() {
            Ok(exit) | Err(exit) => exit,
        }
    }

    fn try_run(&self) -> Result<Exit, Exit> {
        if self.stdin && !matches!(self.circumstances.format, Format::Human | Format::Json) {
            out::complain("engine: `--stdin` answers with JSON lines, in no other format\n");
            return Err(Exit::Usage);
        }
        let start = Start::of(self.circumstances.cwd.as_deref())?;
        if self.tool.is_none() && !self.stdin && self.command.is_empty() {
            return Ok(self.validate(&start));
        }
        // The process ends with the plan: taking it apart piece by piece would cost as much as a decision.
        let plan = ManuallyDrop::new(policies::policy(
            &start.found(&self.circumstances.policies.named()),
        )?);
        if self.stdin {
            return self.lines(&plan, &start);
        }
        let disk = Disk::default();
        let facts = start.facts(self.circumstances.shell, &disk);
        let mode = self.circumstances.mode.unwrap_or_else(|| plan.start_mode());
        let input;
        let text;
        let (call, shown) = match (&self.tool, &self.input) {
            (Some(name), Some(text)) => {
                input = json::parse(text.as_bytes()).map_err(|error| {
                    out::complain(&format!("engine: --input is not JSON: {error}\n"));
                    Exit::Usage
                })?;
                (
                    Call::Tool { name, input: &input },
                    Shown::Tool { name, input: &input },
                )
            }
            _ => {
                text = command_text(&self.command);
                (Call::Shell(&text), Shown::Command(&text))
            }
        };
        let decision = decide(&plan, &call, &facts, mode);
        let outcome = self.final_outcome(&plan, &decision);
        match self.circumstances.format {
            Format::Human if self.explain => out::print(&render::trace(&plan, &shown, &decision, outcome)),
            Format::Human => out::print(&render::human(&plan, &shown, &decision, outcome)),
            Format::Json => {
                let mut json = render::json(&plan, &shown, &decision, outcome, self.explain);
                json.push('\n');
                out::print(&json);
            }
            format @ (Format::Sarif | Format::Github | Format::Junit) => {
                let project = &start.project;
                let report = report::of_decision("check", project, &plan, &shown, &decision, outcome);
                out::print(&report::render(format, &report, Detail::Short));
            }
        }
        Ok(Exit::of(outcome))
    }

    fn final_outcome(&self, plan: &Plan, decision: &Decision) -> Outcome {
        match decision.outcome {
            Outcome::Ask if self.circumstances.headless => plan.headless(),
            outcome @ (Outcome::Allow | Outcome::Ask | Outcome::Deny) => outcome,
        }
    }

    /// No call: every problem of the policies.
    fn validate(&self, start: &Start) -> Exit {
        let found = start.found(&self.circumstances.policies.named());
        let files: Vec<String> = found.files.iter().map(|(_, file)| file.clone()).collect();
        let format = self.circumstances.format;
        let mut loaded = policies::read_layers(&found);
        let plan = loaded.compile();
        policies::look_for_misplaced(&found, &mut loaded);
        let mut report =
            Report::of_diagnostics("check", &start.project, &loaded.diagnostics, &loaded.sources);
        let (errors, warnings) = (report.count(Level::Error), report.count(Level::Warning));
        report.done = plan.is_some();
        let rules = plan.as_ref().map_or(0, Plan::rule_count);
        report.facts.insert("files".to_owned(), files.clone().into());
        report.facts.insert("rules".to_owned(), rules.into());
        report.facts.insert("valid".to_owned(), plan.is_some().into());
        let exit = if plan.is_some() { Exit::Fine } else { Exit::Invalid };
        match format {
            Format::Human if files.is_empty() => {
                policies::report(&loaded.diagnostics, &loaded.sources);
                out::print("no policy file found: the shipped `builtin:base` decides\n");
            }
            Format::Human => {
                policies::report(&loaded.diagnostics, &loaded.sources);
                let counted = report::counted(errors, warnings);
                if let Some(plan) = &plan {
                    out::print(&format!(
                        "{}: {}, {counted}\n",
                        files.join(", "),
                        out::many(rules, "rule")
                    ));
                    out::print(&render::withheld(plan));
                } else {
                    out::complain(&format!("{counted}\n"));
                }
            }
            format @ (Format::Json | Format::Sarif | Format::Github | Format::Junit) => {
                out::print(&report::render(format, &report, Detail::Short));
            }
        }
        exit
    }

    /// The plan for a line: that of the start. Where the line is about another project, it is of that one, with the policies of the start
    /// as if it lay around; those of a project within the start count in the same way. `None` where they are not valid.
    fn plan_for<'p>(
        &self,
        plans: &'p mut BTreeMap<String, Option<Plan>>,
        plan: &'p Plan,
        start: &Start,
        own: &Start,
    ) -> Option<&'p Plan> {
        let named = self.circumstances.policies.named();
        let mut others = own.outside();
        let place = match (&own.inner, others.first()) {
            _ if !named.only.is_empty() => return Some(plan),
            (Some(inner), _) => inner,
            (None, Some(directory)) => *directory,
            (None, None) if own.project == start.project => return Some(plan),
            (None, None) => &own.project,
        };
        if !plans.contains_key(place) {
            others.extend(own.inner.as_deref());
            others.push(&start.project);
            others.extend(start.outside());
            let found = start.counting(Found::besides(&named, &own.project, &others));
            plans.insert(place.to_owned(), policies::policy(&found).ok());
        }
        plans.get(place)?.as_ref()
    }

    /// JSON lines in, JSON lines out, in order. A line that is no call is answered with an error and a deny.
    fn lines(&self, plan: &Plan, start: &Start) -> Result<Exit, Exit> {
        let mut input = std::io::stdin().lock();
        let mut output = std::io::BufWriter::with_capacity(64 << 10, std::io::stdout().lock());
        let (mut line, mut answer) = (Vec::new(), Vec::new());
        let disk = Disk::default();
        let mut bad_lines = 0usize;
        let mut starts: Option<(String, Start)> = None;
        let mut plans: BTreeMap<String, Option<Plan>> = BTreeMap::new();
        loop {
            let whole = match read_line(&mut input, &mut line) {
                Ok(None) => break,
                Ok(Some(whole)) => whole,
                Err(error) => {
                    out::complain(&format!("engine: cannot read standard input: {error}\n"));
                    return Err(Exit::Machine);
                }
            };
            if whole && line.iter().all(u8::is_ascii_whitespace) {
                continue;
            }
            let parsed = if whole {
                parse_line(&line)
            } else {
                Err(format!("the line has more than {MAX_LINE_BYTES} bytes"))
            };
            answer.clear();
            match parsed {
                Ok(asked) => {
                    let own_start = match &asked.cwd {
                        None => start,
                        Some(cwd) => {
                            if starts.as_ref().is_none_or(|(own, _)| own != cwd) {
                                starts = Some((cwd.clone(), start.within(cwd)?));
                            }
                            starts.as_ref().map_or(start, |(_, own)| own)
                        }
                    };
                    match self.plan_for(&mut plans, plan, start, own_start) {
                        None => {
                            bad_lines += 1;
                            let why = format!("the policies of {} are not valid", own_start.project);
                            refuse(&mut answer, &why);
                        }
                        Some(plan) => {
                            let facts =
                                own_start.facts(asked.shell.unwrap_or(self.circumstances.shell), &disk);
                            let mode = asked
                                .mode
                                .or(self.circumstances.mode)
                                .unwrap_or_else(|| plan.start_mode());
                            let (call, shown) = match &asked.what {
                                Asked::Command(text) => (Call::Shell(text), Shown::Command(text)),
                                Asked::Tool(name, input) => {
                                    (Call::Tool { name, input }, Shown::Tool { name, input })
                                }
                            };
                            let decision = decide(plan, &call, &facts, mode);
                            let outcome = self.final_outcome(plan, &decision);
                            render::json_to(&mut answer, plan, &shown, &decision, outcome, self.explain);
                            if let Some(id) = &asked.id {
                                answer.splice(1..1, format!("\"id\":{id},").into_bytes());
                            }
                        }
                    }
                }
                Err(why) => {
                    bad_lines += 1;
                    refuse(&mut answer, &why);
                }
            }
            answer.push(b'\n');
            if output.write_all(&answer).is_err() {
                return Ok(Exit::Fine);
            }
            // A caller that waits for each answer gets it at once; one that has sent more is answered in bulk.
            if input.fill_buf().is_ok_and(<[u8]>::is_empty) && output.flush().is_err() {
                return Ok(Exit::Fine);
            }
        }
        let _closed = output.flush();
        Ok(if bad_lines == 0 { Exit::Fine } else { Exit::Usage })
    }
}

/// The answer to a line that is not decided.
fn refuse(answer: &mut Vec<u8>, why: &str) {
    let text = serde_json::json!({ "verdict": "deny", "error": why }).to_string();
    answer.extend_from_slice(text.as_bytes());
}

/// Longest line that is taken; no command of that length is understood.
const MAX_LINE_BYTES: usize = 4 << 20;

/// Reads a line: `None` at the end, else whether all of it fits. What does not is read and forgotten.
fn read_line(input: &mut impl BufRead, line: &mut Vec<u8>) -> std::io::Result<Option<bool>> {
    line.clear();
    let mut whole = true;
    let mut any = false;
    loop {
        let piece = match input.fill_buf() {
            Ok(piece) => piece,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        if piece.is_empty() {
            return Ok(any.then_some(whole));
        }
        any = true;
        let end = piece.iter().position(|byte| *byte == b'\n');
        let taken = piece.get(..end.unwrap_or(piece.len())).unwrap_or_default();
        whole = whole && line.len() + taken.len() <= MAX_LINE_BYTES;
        if whole {
            line.extend_from_slice(taken);
        } else {
            line.clear();
        }
        let used = taken.len() + usize::from(end.is_some());
        input.consume(used);
        if end.is_some() {
            return Ok(Some(whole));
        }
    }
}

enum Asked {
    Command(String),
    Tool(String, Json),
}

struct Line {
    what: Asked,
    id: Option<Json>,
    cwd: Option<String>,
    mode: Option<Mode>,
    shell: Option<Shell>,
}

fn parse_line(line: &[u8]) -> Result<Line, String> {
    let mut object = match json::parse(line) {
        Ok(Json::Object(object)) => object,
        Ok(Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) | Json::Array(_)) => {
            return Err("not a JSON object".to_owned());
        }
        Err(error) => return Err(format!("not a JSON object: {error}")),
    };
    let mut text = |name: &str| match object.remove(name) {
        None => Ok(None),
        Some(Json::String(text)) => Ok(Some(text)),
        Some(_) => Err(format!("`{name}` is not a text")),
    };
    let (command, tool, cwd) = (text("command")?, text("tool")?, text("cwd")?);
    let mode = text("mode")?.map(|word| parse_mode(&word)).transpose()?;
    let shell = text("shell")?.map(|word| parse_shell(&word)).transpose()?;
    let id = object.remove("id");
    let input = object.remove("input");
    if let Some(unknown) = object.keys().next() {
        return Err(format!("unknown field `{unknown}`"));
    }
    let what = match (command, tool, input) {
        (Some(command), None, None) => Asked::Command(command),
        (None, Some(tool), Some(input)) => Asked::Tool(tool, input),
        _ => return Err("needs `command`, or `tool` and `input`".to_owned()),
    };
    Ok(Line {
        what,
        id,
        cwd,
        mode,
        shell,
    })
}

/// One word is the text itself; several are the words of one command, each quoted where that is needed.
pub(crate) fn command_text(words: &[String]) -> String {
    if let [text] = words {
        return text.clone();
    }
    let plain = |word: &str| {
        !word.is_empty()
            && word
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b"_-./:,=+@%".contains(&b))
    };
    let quoted: Vec<String> = words
        .iter()
        .map(|word| {
            if plain(word) {
                word.clone()
            } else {
                format!("'{}'", word.replace('\'', r"'\''"))
            }
        })
        .collect();
    quoted.join(" ")
}

#[cfg(test)]
mod tests {
    use super::{MAX_LINE_BYTES, command_text, read_line};

    #[test]
    fn a_line_that_is_too_long_is_passed_over() {
        let long = "a".repeat(MAX_LINE_BYTES + 1);
        let text = format!("one\n{long}\n\ntwo");
        let (mut input, mut line) = (text.as_bytes(), Vec::new());
        let mut read = Vec::new();
        while let Some(whole) = read_line(&mut input, &mut line).unwrap() {
            read.push((whole, line.len().min(4)));
        }
        assert_eq!(read, [(true, 3), (false, 0), (true, 0), (true, 3)]);
    }

    #[test]
    fn several_words_are_one_command_with_its_words_kept() {
        let words = |list: &[&str]| list.iter().map(|&word| word.to_owned()).collect::<Vec<_>>();
        assert_eq!(command_text(&words(&["git status | sh"])), "git status | sh");
        assert_eq!(
            command_text(&words(&["echo", "a b", "it's"])),
            r"echo 'a b' 'it'\''s'"
        );
    }
}
