//! Reports for people: problems with their lines underlined, tests one a line, counts at the end.
//!
//! Invariant (nothing obeyed): no character of a policy or a command reaches the terminal that the terminal would obey.

use std::fmt;
use std::fmt::Write as _;

use engine_policy::{Diagnostic, Place, Sources};
use miette::{MietteHandler, MietteHandlerOpts, ReportHandler as _};

use super::{Detail, Finding, Report, Suite, Tested};
use crate::out::{Paint, visible};

/// The report.
pub(crate) fn render(report: &Report, detail: Detail) -> String {
    let paint = Paint::for_stdout();
    let mut text = String::new();
    let sources = visible_sources(&report.sources);
    for finding in report.problems() {
        text.push_str(&shown(finding, &sources, paint));
        text.push('\n');
    }
    for suite in &report.suites {
        for test in suite
            .tests
            .iter()
            .filter(|test| detail == Detail::Whole || !test.passed)
        {
            text.push_str(&test_lines(suite, test, paint));
        }
        text.push_str(&summary(suite));
    }
    text
}

/// One problem of a policy, as it is printed to standard error.
pub(crate) fn problem(diagnostic: &Diagnostic, sources: &Sources) -> String {
    let finding = Finding::from(diagnostic);
    shown(&finding, &visible_sources(sources), Paint::for_stderr())
}

fn shown(finding: &Finding, sources: &Sources, paint: Paint) -> String {
    // The renderer takes no other codes than those of the program; the code of a finding may be part of a policy.
    let mut problem = Diagnostic::error("", visible(&finding.message), Place::default());
    problem.level = finding.level;
    problem.labels = finding
        .places
        .iter()
        .map(|(place, text)| (*place, visible(text)))
        .collect();
    problem.help = finding.help.as_deref().map(visible);
    let coded = Coded {
        code: visible(&finding.code),
        report: engine_policy::Report::new(problem, sources),
    };
    let handler = MietteHandlerOpts::new()
        .unicode(true)
        .color(paint.is_on())
        .build();
    Rendered {
        handler: &handler,
        coded: &coded,
    }
    .to_string()
}

/// A report under a code that was made at run time.
#[derive(Debug)]
struct Coded {
    code: String,
    report: engine_policy::Report,
}

impl fmt::Display for Coded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.report.fmt(f)
    }
}

impl std::error::Error for Coded {}

impl miette::Diagnostic for Coded {
    fn code<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        Some(Box::new(&self.code))
    }

    fn severity(&self) -> Option<miette::Severity> {
        self.report.severity()
    }

    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.report.help()
    }

    fn source_code(&self) -> Option<&dyn miette::SourceCode> {
        self.report.source_code()
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = miette::LabeledSpan> + '_>> {
        self.report.labels()
    }

    fn related<'a>(&'a self) -> Option<Box<dyn Iterator<Item = &'a dyn miette::Diagnostic> + 'a>> {
        self.report.related()
    }
}

struct Rendered<'r> {
    handler: &'r MietteHandler,
    coded: &'r Coded,
}

impl fmt::Display for Rendered<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.handler.debug(self.coded, f)
    }
}

/// The same texts, in which what a terminal would obey is replaced by as many bytes, so that places stay where they are.
fn visible_sources(sources: &Sources) -> Sources {
    let mut copy = Sources::new();
    for source in sources.iter() {
        let text: String = source.text.chars().map(harmless).collect();
        copy.add(&visible(&source.name), &text);
    }
    copy
}

fn harmless(c: char) -> char {
    let stays = matches!(c, '\n' | '\t' | '\r') || visible(c.encode_utf8(&mut [0; 4])).chars().eq([c]);
    match c.len_utf8() {
        _ if stays => c,
        1 => '?',
        2 => '\u{bf}',
        3 => '\u{fffd}',
        _ => c,
    }
}

fn test_lines(suite: &Suite, test: &Tested, paint: Paint) -> String {
    let mark = if test.passed {
        paint.green("ok")
    } else {
        paint.red(if test.breach { "BREACH" } else { "FAILED" })
    };
    let mut text = format!("{mark} {}\n", visible(&test.name).replace('\n', "\\n"));
    if !test.passed {
        let at = test
            .line
            .map_or_else(String::new, |line| format!("{}:{line}: ", suite.file));
        let _infallible = writeln!(text, "   {}", visible(&format!("{at}{}", test.detail)));
    }
    text
}

fn summary(suite: &Suite) -> String {
    let tally = suite.tally();
    let all = tally.passed + tally.failed;
    let mut line = format!(
        "{}: {} of {all} passed ({} %)",
        visible(&suite.file),
        tally.passed,
        share(tally.passed, all)
    );
    if tally.breaches > 0 {
        let _infallible = write!(line, ", {} allowed what must not be", tally.breaches);
    }
    line.push('\n');
    line
}

/// A percentage with one digit, rounded down so that only all of them are 100.
pub(crate) fn share(part: usize, all: usize) -> String {
    let thousandths = part.saturating_mul(1000).checked_div(all).unwrap_or(1000);
    format!("{}.{}", thousandths / 10, thousandths % 10)
}

#[cfg(test)]
mod tests {
    use super::{harmless, share};

    #[test]
    fn a_share_is_whole_only_if_nothing_is_missing() {
        assert_eq!(share(2, 3), "66.6");
        assert_eq!(share(9999, 10000), "99.9");
        assert_eq!(share(3, 3), "100.0");
        assert_eq!(share(0, 0), "100.0");
    }

    #[test]
    fn what_a_terminal_obeys_is_replaced_byte_for_byte() {
        for c in ['\u{1b}', '\u{7f}', '\u{9b}', '\u{202e}', '\u{feff}'] {
            let other = harmless(c);
            assert_ne!(other, c);
            assert_eq!(other.len_utf8(), c.len_utf8());
        }
        assert_eq!(harmless('é'), 'é');
        assert_eq!(harmless('\t'), '\t');
    }
}
