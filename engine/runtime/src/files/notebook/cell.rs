//! Changing one cell of a notebook.
//!
//! Invariant (one cell): nothing is rewritten but the cell that was named; everything else of the file, its order, its spacing and keys that
//! this program does not know, stays byte for byte.

use std::ops::Range;

use sha2::{Digest as _, Sha256};

use super::json::{Members, elements, member, members, value};
use crate::files::change::{Change, Fit};
use crate::files::encoding::{Endings, Fidelity, endings, with_crlf};
use crate::files::error::FileError;
use crate::files::place::Decided;
use crate::files::read::View;
use crate::files::write::{Planned, existing};

/// What is done to a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CellCommand {
    /// A new cell gets the number; those from there on move by one.
    Insert,
    /// The cell gets a new source.
    Replace,
    /// The cell goes away.
    Delete,
}

/// The kind of a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CellKind {
    /// Code, with outputs.
    Code,
    /// Text.
    Markdown,
}

impl CellKind {
    fn name(self) -> &'static str {
        match self {
            Self::Code => "code",
            Self::Markdown => "markdown",
        }
    }
}

/// A change of one cell.
#[derive(Debug, Clone, Copy)]
pub struct CellRequest<'a> {
    /// What is done.
    pub command: CellCommand,
    /// The cell, from 0.
    pub number: usize,
    /// The kind of the cell: needed to insert one, otherwise it stays as it is.
    pub kind: Option<CellKind>,
    /// The new source: needed to insert or replace.
    pub source: Option<&'a str>,
}

/// Plans to change a cell of a notebook that this session has read.
pub fn plan_cell(place: &Decided, request: &CellRequest<'_>, view: &View<'_>) -> Result<Planned, FileError> {
    let source = match (request.command, request.source) {
        (CellCommand::Insert | CellCommand::Replace, None) => {
            return Err(FileError::BadRequest(
                "`new_source` is needed to insert or replace a cell",
            ));
        }
        (CellCommand::Insert | CellCommand::Replace | CellCommand::Delete, source) => {
            source.unwrap_or_default()
        }
    };
    let existing = existing(place, view, "edit")?;
    let path = || place.as_path().to_owned();
    let bad = |why: &str| FileError::BadNotebook {
        path: path(),
        why: why.to_owned(),
    };
    if existing.fidelity == Fidelity::Lossy {
        return Err(FileError::Broken {
            path: path(),
            encoding: existing.encoding.name(),
        });
    }
    serde_json::from_str::<serde::de::IgnoredAny>(&existing.text).map_err(|error| bad(&error.to_string()))?;
    let book = Book::find(&existing.text).ok_or_else(|| bad("it has no list of cells"))?;
    let total = book.cells.len();
    let reachable = match request.command {
        CellCommand::Insert => request.number <= total,
        CellCommand::Replace | CellCommand::Delete => request.number < total,
    };
    if !reachable {
        return Err(FileError::NoCell {
            path: path(),
            number: request.number,
            total,
        });
    }
    let patches = match request.command {
        CellCommand::Insert => {
            let kind = request.kind.ok_or(FileError::BadRequest(
                "`cell_type` is needed to insert a cell: code or markdown",
            ))?;
            book.insert(request.number, kind, source)
        }
        CellCommand::Replace => book.replace(request.number, request.kind, source),
        CellCommand::Delete => book.delete(request.number),
    };
    let text = apply(&existing.text, patches.ok_or_else(|| bad("the cell is not one"))?);
    existing.becomes(place, text, Fit::Exact, 1)
}

/// Changes a cell of a notebook; see [`plan_cell`].
pub fn edit_cell(place: &Decided, request: &CellRequest<'_>, view: &View<'_>) -> Result<Change, FileError> {
    plan_cell(place, request, view)?.carry_out()
}

type Patch = (Range<usize>, String);

fn apply(text: &str, mut patches: Vec<Patch>) -> String {
    let crlf = endings(text) == Endings::Crlf;
    patches.sort_by_key(|(span, _)| span.start);
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    for (span, new) in patches {
        out.push_str(text.get(done..span.start).unwrap_or_default());
        // Strings of JSON hold no line feed, so these are all between values.
        out.push_str(&if crlf { with_crlf(&new) } else { new });
        done = span.end;
    }
    out.push_str(text.get(done..).unwrap_or_default());
    out
}

/// A notebook's text and where its cells are.
struct Book<'t> {
    text: &'t str,
    top: Members,
    array: Range<usize>,
    cells: Vec<Range<usize>>,
}

impl<'t> Book<'t> {
    fn find(text: &'t str) -> Option<Self> {
        let top = members(text, &value(text, 0)?)?;
        let array = member(&top, "cells")?;
        let cells = elements(text, &array)?;
        Some(Self {
            text,
            top,
            array,
            cells,
        })
    }

    fn get(&self, span: &Range<usize>) -> &'t str {
        self.text.get(span.clone()).unwrap_or_default()
    }

    /// The blanks at the start of the line on which `at` is.
    fn indent(&self, at: usize) -> &'t str {
        let before = self.text.get(..at).unwrap_or_default();
        let line = before.rfind('\n').map_or(0, |end| end + 1);
        let line = self.text.get(line..).unwrap_or_default();
        let end = line
            .find(|character| !matches!(character, ' ' | '\t'))
            .unwrap_or(line.len());
        line.get(..end).unwrap_or_default()
    }

    /// How much deeper each level stands; nothing if all is on one line.
    fn unit(&self) -> Option<String> {
        let (_, key, _) = self.top.first()?;
        let blanks = self.text.get(..key.start)?.rsplit_once('\n')?.1;
        Some(if blanks.is_empty() || !blanks.trim().is_empty() {
            " ".to_owned()
        } else {
            blanks.to_owned()
        })
    }

    fn delete(&self, number: usize) -> Option<Vec<Patch>> {
        let cell = self.cells.get(number)?;
        let span = match (
            number.checked_sub(1).and_then(|before| self.cells.get(before)),
            self.cells.get(number + 1),
        ) {
            (_, Some(next)) => cell.start..next.start,
            (Some(before), None) => before.end..cell.end,
            (None, None) => return Some(vec![(self.array.clone(), "[]".to_owned())]),
        };
        Some(vec![(span, String::new())])
    }

    fn replace(&self, number: usize, kind: Option<CellKind>, source: &str) -> Option<Vec<Patch>> {
        let cell = self.cells.get(number)?;
        let inside = members(self.text, cell)?;
        let old_kind: String = serde_json::from_str(self.get(&member(&inside, "cell_type")?)).ok()?;
        let kind_name: &str = match kind {
            Some(kind) => kind.name(),
            None => &old_kind,
        };
        if kind_name != old_kind {
            return Some(vec![(
                cell.clone(),
                self.of_other_kind(cell, &inside, kind_name, source),
            )]);
        }
        let (_, key, span) = inside.iter().rev().find(|(key, _, _)| key == "source")?;
        let mut patches = vec![(span.clone(), self.source_like(span, key.start, source))];
        // What the old source printed says nothing about the new one.
        for (name, empty) in [("outputs", "[]"), ("execution_count", "null")] {
            if let Some(span) = member(&inside, name).filter(|_| kind_name == "code") {
                patches.push((span, empty.to_owned()));
            }
        }
        Some(patches)
    }

    /// The cell as one of another kind: outputs come or go, all other members stay as they are.
    fn of_other_kind(&self, cell: &Range<usize>, inside: &Members, kind: &str, source: &str) -> String {
        let mut written: Vec<(String, String)> = Vec::new();
        for (name, key, span) in inside {
            let new = match name.as_str() {
                "outputs" | "execution_count" | "attachments" => continue,
                "cell_type" => json_string(kind),
                "source" => self.source_like(span, key.start, source),
                _ => self.get(span).to_owned(),
            };
            written.push((self.get(key).to_owned(), new));
        }
        if kind == "code" {
            written.push(("\"execution_count\"".to_owned(), "null".to_owned()));
            written.push(("\"outputs\"".to_owned(), "[]".to_owned()));
        }
        let first_key = inside.first().map(|(_, key, _)| key.start);
        let pretty = first_key
            .filter(|_| self.get(cell).contains('\n'))
            .map(|key| (self.indent(key).to_owned(), self.indent(cell.start).to_owned()));
        object(&written, pretty.as_ref())
    }

    /// A source in the form of the old one: a string, or a list of lines on one line or several.
    fn source_like(&self, old: &Range<usize>, key: usize, source: &str) -> String {
        let text = self.get(old);
        if text.starts_with('"') {
            return json_string(source);
        }
        let unit = self.unit();
        let pretty = text.contains('\n') || (text.trim_matches(['[', ']', ' ']).is_empty() && unit.is_some());
        let indent = pretty.then(|| self.indent(key));
        line_list(
            source,
            indent.map(|indent| (indent, unit.unwrap_or_else(|| " ".to_owned()))),
        )
    }

    fn insert(&self, number: usize, kind: CellKind, source: &str) -> Option<Vec<Patch>> {
        let unit = self.unit();
        let (_, key, _) = self.top.iter().rev().find(|(key, _, _)| key == "cells")?;
        let outer = self.indent(key.start);
        let (cell_indent, spread) = match self.cells.first() {
            Some(first) => (
                self.indent(first.start).to_owned(),
                self.get(&self.array).contains('\n'),
            ),
            None => (
                format!("{outer}{}", unit.as_deref().unwrap_or_default()),
                unit.is_some(),
            ),
        };
        let pretty = spread.then(|| {
            (
                cell_indent.clone(),
                unit.clone().unwrap_or_else(|| " ".to_owned()),
            )
        });
        let cell = self.new_cell(kind, source, number, pretty.as_ref());
        let gap = if spread {
            format!("\n{cell_indent}")
        } else {
            " ".to_owned()
        };
        Some(match (self.cells.get(number), self.cells.last()) {
            (Some(next), _) => vec![(next.start..next.start, format!("{cell},{gap}"))],
            (None, Some(last)) => vec![(last.end..last.end, format!(",{gap}{cell}"))],
            (None, None) if spread => vec![(self.array.clone(), format!("[{gap}{cell}\n{outer}]"))],
            (None, None) => vec![(self.array.clone(), format!("[{cell}]"))],
        })
    }

    fn new_cell(
        &self,
        kind: CellKind,
        source: &str,
        number: usize,
        pretty: Option<&(String, String)>,
    ) -> String {
        let mut written = vec![("\"cell_type\"".to_owned(), json_string(kind.name()))];
        let mut add = |key: &str, value: String| written.push((json_string(key), value));
        if kind == CellKind::Code {
            add("execution_count", "null".to_owned());
        }
        if let Some(id) = self.new_id(source, number) {
            add("id", json_string(&id));
        }
        add("metadata", "{}".to_owned());
        if kind == CellKind::Code {
            add("outputs", "[]".to_owned());
        }
        let inner = pretty.map(|(indent, unit)| (format!("{indent}{unit}"), indent.clone()));
        let lines = pretty
            .zip(inner.as_ref())
            .map(|((_, unit), (inner, _))| (inner.as_str(), unit.clone()));
        add("source", line_list(source, lines));
        object(&written, inner.as_ref())
    }

    /// A new cell's id, where the notebook's format has them.
    fn new_id(&self, source: &str, number: usize) -> Option<String> {
        let version = |name| {
            member(&self.top, name)
                .and_then(|span| self.get(&span).parse::<u32>().ok())
                .unwrap_or_default()
        };
        if (version("nbformat"), version("nbformat_minor")) < (4, 5) {
            return None;
        }
        let taken: Vec<&str> = self
            .cells
            .iter()
            .filter_map(|cell| member(&members(self.text, cell)?, "id"))
            .map(|span| self.get(&span))
            .collect();
        (0_u32..).find_map(|salt| {
            let hash = Sha256::new()
                .chain_update(source)
                .chain_update(number.to_le_bytes())
                .chain_update(salt.to_le_bytes())
                .finalize();
            let id: String = hash
                .iter()
                .take(4)
                .flat_map(|byte| [byte >> 4, byte & 15])
                .filter_map(|digit| char::from_digit(digit.into(), 16))
                .collect();
            (!taken.contains(&json_string(&id).as_str())).then_some(id)
        })
    }
}

/// An object; `pretty` has the blanks before each member and before the closing bracket.
fn object(written: &[(String, String)], pretty: Option<&(String, String)>) -> String {
    let members = written.iter().map(|(key, value)| format!("{key}: {value}"));
    match pretty {
        None => format!("{{{}}}", members.collect::<Vec<_>>().join(", ")),
        Some((inner, outer)) => {
            let members: Vec<String> = members.map(|member| format!("\n{inner}{member}")).collect();
            format!("{{{}\n{outer}}}", members.join(","))
        }
    }
}

/// A source as a list of its lines; `pretty` has the blanks of the line that the list begins on, and those of one level.
fn line_list(source: &str, pretty: Option<(&str, String)>) -> String {
    let lines: Vec<String> = source.split_inclusive('\n').map(json_string).collect();
    match pretty {
        _ if lines.is_empty() => "[]".to_owned(),
        None => format!("[{}]", lines.join(", ")),
        Some((outer, unit)) => {
            let lines: Vec<String> = lines
                .iter()
                .map(|line| format!("\n{outer}{unit}{line}"))
                .collect();
            format!("[{}\n{outer}]", lines.join(","))
        }
    }
}

fn json_string(text: &str) -> String {
    // A string always has a JSON form.
    serde_json::to_string(text).unwrap_or_default()
}

#[cfg(test)]
mod tests;
