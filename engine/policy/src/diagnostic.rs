//! What is wrong with a policy file: every problem with its places, in one list.

use std::fmt;
use std::sync::Arc;

use miette::{LabeledSpan, NamedSource};

use crate::source::{Place, SourceId, Sources};

/// A problem found while reading or compiling a policy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Whether the file can be used at all.
    pub level: Level,
    /// Stable name, such as `policy::unknown-name`.
    pub code: &'static str,
    /// What is wrong, one line.
    pub message: String,
    /// Where, the main place first; each with a short text that may be empty.
    pub labels: Vec<(Place, String)>,
    /// What to write instead.
    pub help: Option<String>,
}

/// How bad a [`Diagnostic`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// Worth knowing; nothing is wrong.
    Note,
    /// The file is used; something in it is probably not what its author meant.
    Warning,
    /// The file cannot be used.
    Error,
}

impl Diagnostic {
    /// An error at one place.
    pub fn error(code: &'static str, message: impl Into<String>, place: Place) -> Self {
        Self {
            level: Level::Error,
            code,
            message: message.into(),
            labels: vec![(place, String::new())],
            help: None,
        }
    }

    /// A warning at one place.
    pub fn warning(code: &'static str, message: impl Into<String>, place: Place) -> Self {
        Self {
            level: Level::Warning,
            ..Self::error(code, message, place)
        }
    }

    /// Adds a further place with its text.
    #[must_use]
    pub fn label(mut self, place: Place, text: impl Into<String>) -> Self {
        self.labels.push((place, text.into()));
        self
    }

    /// Says what to write instead.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// The main place.
    #[must_use]
    pub fn place(&self) -> Option<Place> {
        self.labels.first().map(|&(place, _)| place)
    }
}

/// A [`Diagnostic`] with the text it speaks of, ready to be rendered. Places in other texts than the main one are named in
/// further reports.
#[derive(Debug)]
pub struct Report {
    diagnostic: Diagnostic,
    text: Option<NamedSource<Arc<str>>>,
    main: SourceId,
    related: Vec<Report>,
}

impl Report {
    /// Joins a diagnostic with its texts.
    #[must_use]
    pub fn new(diagnostic: Diagnostic, sources: &Sources) -> Self {
        let main = diagnostic.place().unwrap_or_default().source;
        let elsewhere = diagnostic.labels.iter().filter(|(place, _)| place.source != main);
        let related = elsewhere
            .map(|(place, text)| {
                let note = Diagnostic {
                    level: Level::Warning,
                    labels: vec![(*place, String::new())],
                    message: text.clone(),
                    help: None,
                    code: diagnostic.code,
                };
                Self::new(note, sources)
            })
            .collect();
        let text = sources
            .get(main)
            .map(|source| NamedSource::new(&*source.name, Arc::clone(&source.text)));
        Self {
            diagnostic,
            text,
            main,
            related,
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.diagnostic.message)
    }
}

impl std::error::Error for Report {}

impl miette::Diagnostic for Report {
    fn code<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        Some(Box::new(self.diagnostic.code))
    }

    fn severity(&self) -> Option<miette::Severity> {
        Some(match self.diagnostic.level {
            Level::Note => miette::Severity::Advice,
            Level::Warning => miette::Severity::Warning,
            Level::Error => miette::Severity::Error,
        })
    }

    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.diagnostic.help.as_ref().map(|help| Box::new(help) as _)
    }

    fn source_code(&self) -> Option<&dyn miette::SourceCode> {
        self.text.as_ref().map(|text| text as _)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let here = self
            .diagnostic
            .labels
            .iter()
            .filter(|(place, _)| place.source == self.main);
        Some(Box::new(here.map(|(place, text)| {
            let text = (!text.is_empty()).then(|| text.clone());
            LabeledSpan::new(text, place.span.start as usize, place.span.len())
        })))
    }

    fn related<'a>(&'a self) -> Option<Box<dyn Iterator<Item = &'a dyn miette::Diagnostic> + 'a>> {
        if self.related.is_empty() {
            return None;
        }
        Some(Box::new(
            self.related
                .iter()
                .map(|report| report as &dyn miette::Diagnostic),
        ))
    }
}

#[cfg(test)]
mod tests {
    use engine_shell::Span;
    use miette::Diagnostic as _;

    use super::{Diagnostic, Report};
    use crate::source::{Place, Sources};

    #[test]
    fn a_report_underlines_its_text_and_relates_the_others() {
        let mut sources = Sources::new();
        let place = |sources: &mut Sources, name: &str, text: &str| Place {
            source: sources.add(name, text).expect("a source"),
            span: Span::new(0, 4),
        };
        let here = place(&mut sources, "b.kdl", "deny");
        let there = place(&mut sources, "a.kdl", "deny");
        let diagnostic =
            Diagnostic::error("policy::duplicate", "given twice", here).label(there, "first here");
        let report = Report::new(diagnostic.help("remove one"), &sources);
        assert_eq!(report.to_string(), "given twice");
        assert_eq!(report.code().expect("a code").to_string(), "policy::duplicate");
        assert_eq!(report.help().expect("help").to_string(), "remove one");
        let labels: Vec<(usize, usize)> = report
            .labels()
            .expect("labels")
            .map(|label| (label.offset(), label.len()))
            .collect();
        assert_eq!(labels, [(0, 4)]);
        let related: Vec<String> = report
            .related()
            .expect("related")
            .map(ToString::to_string)
            .collect();
        assert_eq!(related, ["first here"]);
        let read = report
            .source_code()
            .expect("text")
            .read_span(&(0, 4).into(), 0, 0)
            .expect("a span");
        assert_eq!(read.name(), Some("b.kdl"));
    }
}
