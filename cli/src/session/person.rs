//! Who is asked: the person at the terminal, or a yes that was given beforehand.

use std::fmt::Write as _;
use std::io::BufRead as _;

use engine_runtime::bash::Progress;
use engine_runtime::{Later, Nobody, Permission, Permit, Person};
use serde_json::{Map, Value as Json};

use crate::out::{self, Paint, visible};

/// One line at the terminal that says how far a command has come, written over and over.
fn show_progress(progress: &Progress) {
    if out::is_stderr_terminal() {
        let last = String::from_utf8_lossy(&progress.tail);
        let last = last.lines().last().unwrap_or_default();
        let last: String = visible(last).chars().take(60).collect();
        out::complain(&format!(
            "\r\x1b[K{} s, {} lines, {} bytes  {last}",
            progress.elapsed.as_secs(),
            progress.total_lines,
            progress.total_bytes
        ));
    }
}

fn end_progress() {
    if out::is_stderr_terminal() {
        out::complain("\r\x1b[K");
    }
}

/// The person at the terminal: questions on standard error, answers from standard input.
#[derive(Clone, Copy, Debug)]
pub(super) struct Terminal;

/// Whatever is asked about was permitted beforehand; what is denied stays denied.
#[derive(Clone, Copy, Debug)]
pub(super) struct Yes;

/// Nobody can be asked; what goes on is told on standard error.
#[derive(Clone, Copy, Debug)]
pub(super) struct NoOne;

impl Person for NoOne {
    fn looks(&self) -> bool {
        false
    }

    fn permits<'a>(&'a self, question: &'a Permit) -> Later<'a, Permission> {
        Nobody.permits(question)
    }

    fn answers<'a>(&'a self, questions: &'a Json) -> Later<'a, Option<Json>> {
        Nobody.answers(questions)
    }

    fn show(&self, text: &str) {
        out::complain(&format!("{}\n", visible(text)));
    }
}

impl Person for Terminal {
    fn permits<'a>(&'a self, question: &'a Permit) -> Later<'a, Permission> {
        let mut text = format!("\n{}: {}\n", question.tool, within(&question.shown));
        text.push_str(&coloured(&question.diff, Paint::for_stderr()));
        if let Some(once) = &question.once {
            let _infallible = writeln!(text, "  = yes holds for {} in this session", within(once));
        }
        for warning in &question.warnings {
            let _infallible = writeln!(text, "  ! {}", within(warning));
        }
        for reason in &question.reasons {
            let _infallible = writeln!(text, "  ? {}", within(reason));
        }
        text.push_str("Carry it out? [y/N, or what to do instead] ");
        Box::pin(async move {
            match line(text).await {
                None => Permission::NobodyThere,
                Some(answer) if matches!(answer.to_lowercase().as_str(), "y" | "yes") => Permission::Granted,
                Some(answer) if matches!(answer.to_lowercase().as_str(), "" | "n" | "no") => {
                    Permission::Refused(None)
                }
                Some(instead) => Permission::Refused(Some(instead)),
            }
        })
    }

    fn answers<'a>(&'a self, questions: &'a Json) -> Later<'a, Option<Json>> {
        Box::pin(async move {
            let mut answers = Map::new();
            for question in questions.as_array()? {
                let asked = question
                    .get("question")
                    .and_then(Json::as_str)
                    .unwrap_or_default();
                let options: Vec<&Json> = question
                    .get("options")
                    .and_then(Json::as_array)
                    .into_iter()
                    .flatten()
                    .collect();
                let mut text = format!("\nquestion: {}\n", within(asked));
                for (at, option) in options.iter().enumerate() {
                    let part = |name| option.get(name).and_then(Json::as_str).unwrap_or_default();
                    let label = visible(part("label"));
                    let about = visible(part("description"));
                    let _infallible = writeln!(text, "  {} {label}  {about}", at + 1);
                }
                text.push_str("Number, or an answer of your own: ");
                let answer = line(text).await?;
                if answer.is_empty() {
                    return None;
                }
                let chosen = answer
                    .parse::<usize>()
                    .ok()
                    .and_then(|number| options.get(number.checked_sub(1)?))
                    .and_then(|option| option.get("label"))
                    .cloned();
                answers.insert(asked.to_owned(), chosen.unwrap_or_else(|| answer.into()));
            }
            Some(Json::Object(answers))
        })
    }

    fn show(&self, text: &str) {
        out::complain(&format!("{}\n", visible(text)));
    }

    fn progress(&self, _call: &str, progress: &Progress) {
        show_progress(progress);
    }

    fn progress_ended(&self, _call: &str) {
        end_progress();
    }
}

impl Person for Yes {
    fn looks(&self) -> bool {
        false
    }

    fn permits<'a>(&'a self, _question: &'a Permit) -> Later<'a, Permission> {
        Box::pin(std::future::ready(Permission::Granted))
    }

    fn answers<'a>(&'a self, _questions: &'a Json) -> Later<'a, Option<Json>> {
        Box::pin(std::future::ready(None))
    }

    fn show(&self, text: &str) {
        out::complain(&format!("{}\n", visible(text)));
    }

    fn progress(&self, _call: &str, progress: &Progress) {
        show_progress(progress);
    }

    fn progress_ended(&self, _call: &str) {
        end_progress();
    }
}

/// A diff within a question: every line stands behind a bar, and nothing in it does anything to a terminal. Colours come last.
fn coloured(diff: &str, paint: Paint) -> String {
    let mut text = String::new();
    for (at, line) in diff.lines().enumerate() {
        let shown = visible(line);
        let shown = match line.chars().next() {
            // The names of the file.
            Some('-' | '+') if at < 2 => shown,
            Some('-') => paint.red(&shown),
            Some('+') => paint.green(&shown),
            Some('@') => paint.dim(&shown),
            Some('[') => paint.yellow(&shown),
            Some(_) | None => shown,
        };
        let _infallible = writeln!(text, "  | {shown}");
    }
    text
}

/// A text of a model within a question of the engine: its further lines stand behind a bar, so that none of them can pass for the engine's own.
fn within(text: &str) -> String {
    visible(text).replace('\n', "\n  | ")
}

/// Asks on standard error and reads one line; `None` where there is none to read.
async fn line(question: String) -> Option<String> {
    let read = tokio::task::spawn_blocking(move || {
        out::complain(&question);
        let mut answer = String::new();
        match std::io::stdin().lock().read_line(&mut answer) {
            Ok(0) | Err(_) => None,
            Ok(_) => Some(answer.trim().to_owned()),
        }
    });
    read.await.ok().flatten()
}

#[cfg(test)]
mod tests {
    use super::{coloured, within};
    use crate::out::Paint;

    #[test]
    fn a_diff_does_nothing_to_a_terminal() {
        let diff = "--- /w/a\n+++ /w/a\n@@ -1,2 +1 @@\n-a\r\u{1b}[2K\n+b\u{9b}31m\u{202e}\n c\td\n[... 3 more lines]\n";
        assert_eq!(
            coloured(diff, Paint::of(false)),
            "  | --- /w/a\n  | +++ /w/a\n  | @@ -1,2 +1 @@\n  | -a\\u{d}\\u{1b}[2K\n  | +b\\u{9b}31m\\u{202e}\n  |  c\td\n  | [... 3 more lines]\n"
        );
        let painted = coloured(diff, Paint::of(true));
        assert!(
            painted.contains("  | \u{1b}[31;1m-a\\u{d}\\u{1b}[2K\u{1b}[0m\n"),
            "{painted:?}"
        );
        assert!(painted.contains("  | \u{1b}[32;1m+b\\u{9b}31m"), "{painted:?}");
        assert!(painted.contains("  | --- /w/a\n"), "{painted:?}");
    }

    #[test]
    fn no_line_of_a_model_passes_for_one_of_the_engine() {
        assert_eq!(
            within("ls\nCarry it out? [y/N]\r\u{1b}[2K"),
            "ls\n  | Carry it out? [y/N]\\u{d}\\u{1b}[2K"
        );
    }
}
