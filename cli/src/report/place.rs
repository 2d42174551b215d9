//! Places as other programs count them: lines and columns from 1, and files named from the project.

use engine_policy::join_path;
use engine_shell::Span;

/// What a column counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Columns {
    Characters,
    Utf16,
}

/// Where a span begins and where it has ended, lines and columns from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Region {
    pub line: usize,
    pub column: usize,
    pub end_line: usize,
    /// Column after the last one.
    pub end_column: usize,
}

impl Region {
    /// The region of a span; `None` where the text is empty or the span lies outside.
    pub(crate) fn of(text: &str, span: Span, columns: Columns) -> Option<Self> {
        if text.is_empty() {
            return None;
        }
        let (line, column) = position(text, span.start as usize, columns)?;
        let (end_line, end_column) = position(text, span.end.max(span.start) as usize, columns)?;
        Some(Self {
            line,
            column,
            end_line,
            end_column,
        })
    }
}

fn position(text: &str, at: usize, columns: Columns) -> Option<(usize, usize)> {
    let before = text.get(..at)?;
    let line = before.matches('\n').count() + 1;
    let own = before.rsplit('\n').next().unwrap_or_default();
    let column = match columns {
        Columns::Characters => own.chars().count(),
        Columns::Utf16 => own.encode_utf16().count(),
    };
    Some((line, column + 1))
}

/// The whole line that holds a byte, without its end.
pub(crate) fn line_of(text: &str, at: usize) -> &str {
    let Some((before, after)) = text.split_at_checked(at) else {
        return "";
    };
    let start = before.rfind('\n').map_or(0, |end| end + 1);
    let end = after.find('\n').map_or(text.len(), |end| at + end);
    text.get(start..end).unwrap_or_default().trim_end_matches('\r')
}

/// What a file is called in a report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Name {
    /// A path from the project, without `.` and `..`.
    Inside(String),
    /// An absolute path.
    Outside(String),
    /// What is no file: `builtin:base`.
    Shipped(String),
}

impl Name {
    /// As a person reads it.
    pub(crate) fn shown(&self) -> &str {
        match self {
            Self::Inside(path) | Self::Outside(path) | Self::Shipped(path) => path,
        }
    }
}

/// Names files from a project.
#[derive(Clone, Debug)]
pub(crate) struct Namer {
    project: String,
    current: String,
}

impl Namer {
    pub(crate) fn new(project: &str, current: &str) -> Self {
        Self {
            project: project.to_owned(),
            current: current.to_owned(),
        }
    }

    pub(crate) fn project(&self) -> &str {
        &self.project
    }

    /// The name of a file that was given from the current directory.
    pub(crate) fn name(&self, given: &str) -> Name {
        if given.starts_with("builtin:") {
            return Name::Shipped(given.to_owned());
        }
        let whole = join_path(&self.current, given).to_string();
        let inside = whole
            .strip_prefix(self.project.trim_end_matches('/'))
            .and_then(|rest| rest.strip_prefix('/'));
        match inside {
            Some(rest) if !rest.is_empty() => Name::Inside(rest.to_owned()),
            Some(_) | None => Name::Outside(whole),
        }
    }
}

/// A path as the path of a URI (RFC 3986): everything but unreserved characters and `/` is percent-encoded.
pub(crate) fn uri_path(path: &str) -> String {
    use std::fmt::Write as _;

    let mut uri = String::with_capacity(path.len());
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            let _infallible = write!(uri, "%{byte:02X}");
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use engine_shell::Span;

    use super::{Columns, Name, Namer, Region, line_of, uri_path};

    #[test]
    fn columns_count_what_is_asked_for() {
        let text = "a\n\u{1f600}é x\n";
        let span = Span::new(9, 10);
        let region =
            |columns| Region::of(text, span, columns).map(|r| (r.line, r.column, r.end_line, r.end_column));
        assert_eq!(region(Columns::Characters), Some((2, 4, 2, 5)));
        assert_eq!(region(Columns::Utf16), Some((2, 5, 2, 6)));
    }

    #[test]
    fn a_region_may_end_on_another_line() {
        let region = Region::of("ab\ncd\n", Span::new(1, 6), Columns::Utf16).unwrap();
        assert_eq!(
            (region.line, region.column, region.end_line, region.end_column),
            (1, 2, 3, 1)
        );
    }

    #[test]
    fn what_lies_outside_has_no_region() {
        assert_eq!(Region::of("", Span::new(0, 0), Columns::Utf16), None);
        assert_eq!(Region::of("ab", Span::new(1, 3), Columns::Utf16), None);
        // In the middle of a character.
        assert_eq!(Region::of("é", Span::new(1, 2), Columns::Utf16), None);
    }

    #[test]
    fn lines_are_found_by_a_byte() {
        assert_eq!(line_of("ab\r\ncd", 1), "ab");
        assert_eq!(line_of("ab\ncd", 3), "cd");
        assert_eq!(line_of("ab", 9), "");
    }

    #[test]
    fn files_are_named_from_the_project() {
        let namer = Namer::new("/p", "/p/sub");
        assert_eq!(namer.name("a.kdl"), Name::Inside("sub/a.kdl".to_owned()));
        assert_eq!(namer.name("../a.kdl"), Name::Inside("a.kdl".to_owned()));
        assert_eq!(
            namer.name("/p/.engine/policy.kdl"),
            Name::Inside(".engine/policy.kdl".to_owned())
        );
        assert_eq!(namer.name("../../a.kdl"), Name::Outside("/a.kdl".to_owned()));
        assert_eq!(namer.name("/pp/a.kdl"), Name::Outside("/pp/a.kdl".to_owned()));
        assert_eq!(
            namer.name("builtin:base"),
            Name::Shipped("builtin:base".to_owned())
        );
    }

    #[test]
    fn a_uri_holds_no_character_that_means_something_else() {
        assert_eq!(uri_path("a b/c#d?e:f%é.kdl"), "a%20b/c%23d%3Fe%3Af%25%C3%A9.kdl");
    }
}
