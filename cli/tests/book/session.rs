//! Runs the terminal sessions of a page, in order, on a machine of its own: a home without policies, and nothing in `/etc`.
//!
//! A fenced block that is no session, and whose line before ends with "as `NAME`:" is that file. A `console` block is a session: what
//! follows `$ ` is run by bash, what follows it is what must be printed. A line `...` stands for any lines. In a workflow, each step that
//! runs the engine is run, and must succeed.
//!
//! Invariant (nothing passed over): every `console` block of a page is run, and every line that it shows was printed.

use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Stdio};

/// A fenced block of a page.
#[derive(Clone, Debug)]
pub(crate) struct Fenced {
    pub(crate) language: String,
    pub(crate) text: String,
    /// The last text line before it.
    pub(crate) before: String,
    /// The heading that it stands below.
    pub(crate) heading: String,
    /// Index of its first line in the page.
    pub(crate) line: usize,
}

/// All fenced blocks, in order.
pub(crate) fn fenced(page: &str) -> Vec<Fenced> {
    let mut blocks = Vec::new();
    let mut open: Option<Fenced> = None;
    let (mut before, mut heading) = (String::new(), String::new());
    for (index, line) in page.lines().enumerate() {
        match (&mut open, line.strip_prefix("```")) {
            (Some(_), Some(_)) => blocks.extend(open.take()),
            (Some(block), None) => {
                block.text.push_str(line);
                block.text.push('\n');
            }
            (None, Some(language)) => {
                open = Some(Fenced {
                    language: language.to_owned(),
                    text: String::new(),
                    before: before.clone(),
                    heading: heading.clone(),
                    line: index + 1,
                });
            }
            (None, None) if line.starts_with("## ") => line.clone_into(&mut heading),
            (None, None) if !line.trim().is_empty() => line.clone_into(&mut before),
            (None, None) => {}
        }
    }
    blocks
}

/// The file that a block is, if the line before says so.
pub(crate) fn file_of(block: &Fenced) -> Option<&str> {
    let line = block.before.strip_suffix("`:")?;
    line.rsplit_once(" as `").map(|(_, name)| name)
}

/// A command of a session, and what the page says it prints.
#[derive(Debug)]
struct Shown {
    command: String,
    printed: String,
    /// Lines of the page that hold what it prints.
    lines: std::ops::Range<usize>,
}

enum Step {
    File(String, String),
    Run(Shown),
    /// A command of a workflow, which must succeed.
    Must(String),
}

fn steps(page: &str) -> Vec<Step> {
    let mut steps = Vec::new();
    for block in fenced(page) {
        if block.language == "console" {
            steps.extend(session(&block).into_iter().map(Step::Run));
        } else if let Some(name) = file_of(&block) {
            steps.push(Step::File(name.to_owned(), block.text.clone()));
            let run = block
                .text
                .lines()
                .filter_map(|line| line.trim().trim_start_matches("- ").strip_prefix("run: "));
            steps.extend(
                run.filter(|command| command.starts_with("engine "))
                    .map(|command| Step::Must(command.to_owned())),
            );
        }
    }
    steps
}

fn session(block: &Fenced) -> Vec<Shown> {
    let mut session: Vec<Shown> = Vec::new();
    for (index, line) in block.text.lines().enumerate() {
        let line_of_page = block.line + index;
        match (line.strip_prefix("$ "), session.last_mut()) {
            (Some(command), _) => session.push(Shown {
                command: command.to_owned(),
                printed: String::new(),
                lines: line_of_page + 1..line_of_page + 1,
            }),
            (None, Some(last)) => {
                last.printed.push_str(line);
                last.printed.push('\n');
                last.lines.end = line_of_page + 1;
            }
            (None, None) => panic!("a session begins with a command: {line}"),
        }
    }
    session
}

const END: char = '\u{1e}';

/// What is run: each step ends with a mark and its exit code.
fn script(steps: &[Step]) -> String {
    let mut script = String::from("exec 2>&1 </dev/null\ncd /home/ada\n");
    for step in steps {
        let _infallible = match step {
            Step::File(name, text) => writeln!(
                script,
                "mkdir -p \"$(dirname {name})\"; cat > {name} <<'END OF THE FILE'\n{text}END OF THE FILE\nchmod 644 {name}"
            ),
            Step::Run(Shown { command, .. }) | Step::Must(command) => writeln!(script, "{command}"),
        };
        script.push_str("code=$?; printf '%s\\036' \"$code\"; (exit $code)\n");
    }
    script
}

/// Runs the steps; what each printed, with its exit code. `None` where no machine of its own can be set up.
#[expect(clippy::disallowed_methods, reason = "an end-to-end test runs the binary")]
fn run(steps: &[Step]) -> Option<Vec<(String, i32)>> {
    let (home, machine) = (
        tempfile::tempdir().expect("a home"),
        tempfile::tempdir().expect("a directory"),
    );
    fs::set_permissions(machine.path(), fs::Permissions::from_mode(0o755)).expect("a mode");
    let output = Command::new("bwrap")
        .args(["--unshare-user", "--unshare-net", "--uid", "0", "--gid", "0"])
        .args(["--dev-bind", "/", "/", "--tmpfs", "/etc", "--bind"])
        .arg(machine.path())
        .args(["/etc/engine", "--tmpfs", "/home", "--ro-bind"])
        .arg(env!("CARGO_BIN_EXE_engine"))
        .args(["/home/bin/engine", "--bind"])
        .arg(home.path())
        .args(["/home/ada", "--", "bash", "-c"])
        .arg(script(steps))
        .env_clear()
        .env("HOME", "/home/ada")
        .env("PATH", "/home/bin:/usr/bin:/bin")
        .env("LC_ALL", "C.UTF-8")
        .stdin(Stdio::null())
        .output()
        .ok()?;
    if String::from_utf8_lossy(&output.stderr).starts_with("bwrap:") {
        return None;
    }
    let text = String::from_utf8(output.stdout).expect("text");
    let mut runs: Vec<(String, i32)> = Vec::new();
    for part in text.split(END).take(steps.len()) {
        let digits = part.len() - part.trim_end_matches(|c: char| c.is_ascii_digit()).len();
        let (printed, code) = part.split_at(part.len() - digits);
        runs.push((printed.to_owned(), code.parse().expect("an exit code")));
    }
    assert_eq!(runs.len(), steps.len(), "a step ended the session:\n{text}");
    Some(runs)
}

/// A line without what changes whenever a shipped policy is edited: where its rules stand, and how many there are.
fn settled(line: &str) -> String {
    let mut settled = String::new();
    let mut rest = line.trim_end();
    while let Some((before, after)) = rest.split_once("builtin:") {
        let name = after.trim_start_matches(|c: char| c.is_ascii_lowercase() || c == '-');
        settled.push_str(before);
        settled.push_str("builtin:");
        settled.push_str(after.strip_suffix(name).unwrap_or_default());
        rest = name.trim_start_matches(|c: char| c.is_ascii_digit() || c == ':');
    }
    settled.push_str(rest);
    for counted in [" rules, nothing wrong", " allow rules)"] {
        if let Some((before, after)) = settled.split_once(counted) {
            let before = before.trim_end_matches(|c: char| c.is_ascii_digit());
            settled = format!("{before}N{counted}{after}");
        }
    }
    settled
}

/// Whether the lines that a page shows are those that were printed; `...` is any lines.
fn agrees(shown: &[&str], printed: &[&str]) -> bool {
    match shown.split_first() {
        None => printed.is_empty(),
        Some((&"...", rest)) => (0..=printed.len()).any(|skipped| {
            printed
                .get(skipped..)
                .is_some_and(|printed| agrees(rest, printed))
        }),
        Some((line, rest)) => printed
            .split_first()
            .is_some_and(|(own, printed)| settled(line) == settled(own) && agrees(rest, printed)),
    }
}

/// Runs all sessions of the page; with `BLESS` set, what was printed is written into it.
pub(crate) fn check(path: &Path) {
    let page = fs::read_to_string(path).expect("the page");
    let steps = steps(&page);
    let Some(runs) = run(&steps) else {
        eprintln!(
            "SKIPPED: bubblewrap cannot set up a machine here, so the sessions of {} were not run",
            path.display()
        );
        return;
    };
    let mut problems = Vec::new();
    let mut lines: Vec<String> = page.lines().map(str::to_owned).collect();
    for (step, (printed, code)) in steps.iter().zip(&runs).rev() {
        match step {
            Step::File(name, _) => assert_eq!(*code, 0, "`{name}` is not written: {printed}"),
            Step::Must(command) if *code != 0 => {
                problems.push(format!("$ {command}\n{printed}(code {code})"));
            }
            Step::Must(_) => {}
            Step::Run(shown) => {
                let own: Vec<&str> = printed.lines().collect();
                if agrees(&shown.printed.lines().collect::<Vec<_>>(), &own) {
                    continue;
                }
                problems.push(format!(
                    "$ {}\n{printed}(instead of)\n{}",
                    shown.command, shown.printed
                ));
                let new = own.iter().map(|line| line.trim_end().to_owned());
                lines.splice(shown.lines.clone(), new);
            }
        }
    }
    if std::env::var_os("BLESS").is_some() {
        fs::write(path, lines.join("\n") + "\n").expect("the page");
        return;
    }
    problems.reverse();
    assert!(
        problems.is_empty(),
        "{} shows what is not so; `BLESS=1 cargo test -p engine --test book` writes what is printed\n{}",
        path.display(),
        problems.join("\n")
    );
}
