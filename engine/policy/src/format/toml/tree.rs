//! TOML as it was written: lines, values, comments and where lines ended.
//!
//! Invariant (bounded): the reader has already refused what is nested too deep, so calling itself for a value is safe here.

use toml_parser::parser::{Event, EventKind};

/// A line at the top: a comment, a header or a key with its value.
#[derive(Debug)]
pub(super) struct Line<'t> {
    /// Ends of lines before it: none for a comment that stands behind something.
    pub(super) lines: usize,
    pub(super) what: What<'t>,
}

#[derive(Debug)]
pub(super) enum What<'t> {
    Comment(&'t str),
    /// `[name]`, `[[name]]`, as it is printed.
    Header(String),
    Pair(Pair<'t>),
}

/// `key = value`; without a key an element of an array.
#[derive(Debug)]
pub(super) struct Pair<'t> {
    /// The key with its dots, empty for an element.
    pub(super) key: String,
    pub(super) value: Value<'t>,
}

#[derive(Debug)]
pub(super) enum Value<'t> {
    Scalar(&'t str),
    Array(List<'t>),
    Table(List<'t>),
}

/// What stands between brackets or braces.
#[derive(Debug, Default)]
pub(super) struct List<'t> {
    pub(super) entries: Vec<Entry<'t>>,
    /// Whether a line ends between its entries.
    pub(super) broken: bool,
}

#[derive(Debug)]
pub(super) struct Entry<'t> {
    /// Ends of lines before it.
    pub(super) lines: usize,
    pub(super) what: Inner<'t>,
}

#[derive(Debug)]
pub(super) enum Inner<'t> {
    Comment(&'t str),
    Pair(Pair<'t>),
}

/// The lines of a text, from its events.
pub(super) fn of_events<'t>(text: &'t str, events: &[Event]) -> Vec<Line<'t>> {
    let mut builder = Builder {
        text,
        events: events.iter(),
        lines: 0,
    };
    builder.file()
}

struct Builder<'t, 'e> {
    text: &'t str,
    events: std::slice::Iter<'e, Event>,
    /// Ends of lines since the last thing.
    lines: usize,
}

impl<'t> Builder<'t, '_> {
    fn of(&self, event: &Event) -> &'t str {
        self.text
            .get(event.span().start()..event.span().end())
            .unwrap_or_default()
    }

    /// The next event that is no blank; ends of lines are counted.
    fn next(&mut self) -> Option<Event> {
        for event in self.events.by_ref() {
            match event.kind() {
                EventKind::Whitespace | EventKind::Error => {}
                EventKind::Newline => self.lines += 1,
                EventKind::StdTableOpen
                | EventKind::StdTableClose
                | EventKind::ArrayTableOpen
                | EventKind::ArrayTableClose
                | EventKind::InlineTableOpen
                | EventKind::InlineTableClose
                | EventKind::ArrayOpen
                | EventKind::ArrayClose
                | EventKind::SimpleKey
                | EventKind::KeySep
                | EventKind::KeyValSep
                | EventKind::Scalar
                | EventKind::ValueSep
                | EventKind::Comment => return Some(*event),
            }
        }
        None
    }

    fn take_lines(&mut self) -> usize {
        std::mem::take(&mut self.lines)
    }

    fn file(&mut self) -> Vec<Line<'t>> {
        let mut found = Vec::new();
        while let Some(event) = self.next() {
            let lines = self.take_lines();
            let what = match event.kind() {
                EventKind::Comment => What::Comment(self.of(&event).trim_end()),
                EventKind::StdTableOpen | EventKind::ArrayTableOpen => {
                    What::Header(self.header(self.of(&event)))
                }
                EventKind::SimpleKey => What::Pair(self.pair(self.of(&event))),
                EventKind::StdTableClose
                | EventKind::ArrayTableClose
                | EventKind::InlineTableOpen
                | EventKind::InlineTableClose
                | EventKind::ArrayOpen
                | EventKind::ArrayClose
                | EventKind::KeySep
                | EventKind::KeyValSep
                | EventKind::Scalar
                | EventKind::ValueSep
                | EventKind::Whitespace
                | EventKind::Newline
                | EventKind::Error => continue,
            };
            found.push(Line { lines, what });
        }
        found
    }

    /// A header up to its closing bracket, blanks left out.
    fn header(&mut self, open: &str) -> String {
        let mut header = open.to_owned();
        while let Some(event) = self.next() {
            header.push_str(self.of(&event));
            if matches!(
                event.kind(),
                EventKind::StdTableClose | EventKind::ArrayTableClose
            ) {
                break;
            }
        }
        header
    }

    /// A key whose first part was read, and its value.
    fn pair(&mut self, first: &str) -> Pair<'t> {
        let mut key = first.to_owned();
        while let Some(event) = self.next() {
            if event.kind() == EventKind::KeyValSep {
                break;
            }
            key.push_str(self.of(&event));
        }
        let value = match self.next() {
            Some(event) => self.value(&event),
            None => Value::Scalar(""),
        };
        Pair { key, value }
    }

    fn value(&mut self, event: &Event) -> Value<'t> {
        match event.kind() {
            EventKind::ArrayOpen => Value::Array(self.list()),
            EventKind::InlineTableOpen => Value::Table(self.list()),
            EventKind::Scalar
            | EventKind::StdTableOpen
            | EventKind::StdTableClose
            | EventKind::ArrayTableOpen
            | EventKind::ArrayTableClose
            | EventKind::InlineTableClose
            | EventKind::ArrayClose
            | EventKind::SimpleKey
            | EventKind::KeySep
            | EventKind::KeyValSep
            | EventKind::ValueSep
            | EventKind::Whitespace
            | EventKind::Newline
            | EventKind::Comment
            | EventKind::Error => Value::Scalar(self.of(event)),
        }
    }

    /// Entries up to the closing bracket or brace, which is passed.
    fn list(&mut self) -> List<'t> {
        let mut list = List::default();
        self.take_lines();
        while let Some(event) = self.next() {
            // A comma before an entry may stand on a line of its own.
            if event.kind() == EventKind::ValueSep {
                continue;
            }
            let lines = self.take_lines();
            list.broken |= lines > 0;
            let what = match event.kind() {
                EventKind::ArrayClose | EventKind::InlineTableClose => break,
                EventKind::Comment => Inner::Comment(self.of(&event).trim_end()),
                EventKind::SimpleKey => Inner::Pair(self.pair(self.of(&event))),
                EventKind::Scalar
                | EventKind::ArrayOpen
                | EventKind::InlineTableOpen
                | EventKind::StdTableOpen
                | EventKind::StdTableClose
                | EventKind::ArrayTableOpen
                | EventKind::ArrayTableClose
                | EventKind::KeySep
                | EventKind::KeyValSep
                | EventKind::ValueSep
                | EventKind::Whitespace
                | EventKind::Newline
                | EventKind::Error => Inner::Pair(Pair {
                    key: String::new(),
                    value: self.value(&event),
                }),
            };
            list.entries.push(Entry { lines, what });
        }
        list
    }
}
