//! Comments on their way into the other spelling: each goes with the section or line that it stands above, inside or behind.
//!
//! Invariant (each once): every comment is attached to exactly one thing.

use toml_parser::parser::{Event, EventKind};

use crate::read::kdl::{Piece, PieceKind, is_forbidden, is_newline};
use crate::read::{Disabled, Format, Node};

/// A comment, or what `/-` takes out.
#[derive(Clone, Debug)]
pub(super) struct Note {
    start: usize,
    end: usize,
    /// Its lines without what marks them as a comment.
    lines: Vec<String>,
    /// Whether something stands before it on its line.
    behind: bool,
}

/// A line of a section, or its head, with what is said about it.
#[derive(Debug)]
pub(super) struct Noted<'n> {
    pub(super) node: &'n Node,
    /// Comments above it.
    pub(super) above: Vec<String>,
    /// Comments behind it.
    pub(super) behind: Vec<String>,
}

/// A section with its lines.
#[derive(Debug)]
pub(super) struct Section<'n> {
    pub(super) head: Noted<'n>,
    pub(super) lines: Vec<Noted<'n>>,
    /// Comments behind its last line.
    pub(super) tail: Vec<String>,
}

/// A whole file.
#[derive(Debug)]
pub(super) struct Sections<'n> {
    pub(super) list: Vec<Section<'n>>,
    /// Comments at its end.
    pub(super) tail: Vec<String>,
}

/// Whether something stands before a byte on its line.
fn is_behind(text: &str, start: usize) -> bool {
    text.get(..start)
        .unwrap_or_default()
        .chars()
        .rev()
        .take_while(|&c| !is_newline(c))
        .any(|c| !c.is_whitespace() && c != '\u{feff}')
}

pub(super) fn of_kdl(text: &str, pieces: &[Piece], disabled: &[Disabled]) -> Vec<Note> {
    let mut notes: Vec<Note> = Vec::new();
    // The outermost ones: what is taken out inside of them is part of their text.
    let mut outer: Vec<(usize, usize)> = Vec::new();
    for part in disabled {
        let (start, end) = (part.place.span.start as usize, part.place.span.end as usize);
        if outer.last().is_some_and(|last| start < last.1) {
            continue;
        }
        outer.push((start, end));
        // The marker of the version is about KDL alone.
        if part.path.len() == 1 && part.path.iter().all(|name| name == "kdl-version") {
            continue;
        }
        let own = text.get(start..end).unwrap_or_default();
        notes.push(Note {
            start,
            end,
            lines: lines(own).map(|line| format!(" {line}")).collect(),
            behind: false,
        });
    }
    let mut outer = outer.iter().peekable();
    for piece in pieces {
        let own = text.get(piece.start..piece.end).unwrap_or_default();
        let lines: Vec<String> = match piece.kind {
            PieceKind::LineComment => {
                vec![own.strip_prefix("//").unwrap_or(own).trim_end().to_owned()]
            }
            PieceKind::BlockComment => {
                let inner = own.strip_prefix("/*").and_then(|own| own.strip_suffix("*/"));
                let all: Vec<&str> = lines(inner.unwrap_or(own)).collect();
                let first = all.iter().position(|line| !line.is_empty()).unwrap_or_default();
                let last = all.iter().rposition(|line| !line.is_empty()).unwrap_or_default();
                all.iter()
                    .take(last + 1)
                    .skip(first)
                    .map(|line| {
                        if line.is_empty() {
                            String::new()
                        } else {
                            format!(" {line}")
                        }
                    })
                    .collect()
            }
            PieceKind::Slashdash
            | PieceKind::Type
            | PieceKind::Name
            | PieceKind::Value
            | PieceKind::Equals
            | PieceKind::Open
            | PieceKind::Close
            | PieceKind::NodeStart
            | PieceKind::NodeEnd => continue,
        };
        while outer.next_if(|(_, end)| *end <= piece.start).is_some() {}
        if outer.peek().is_some_and(|(start, _)| *start <= piece.start) {
            continue;
        }
        notes.push(Note {
            start: piece.start,
            end: piece.end,
            behind: lines.len() == 1 && is_behind(text, piece.start),
            lines,
        });
    }
    notes.sort_by_key(|note| note.start);
    notes
}

pub(super) fn of_toml(text: &str, events: &[Event]) -> Vec<Note> {
    events
        .iter()
        .filter(|event| event.kind() == EventKind::Comment)
        .map(|event| {
            let (start, end) = (event.span().start(), event.span().end());
            let own = text.get(start..end).unwrap_or_default();
            let mut line = String::with_capacity(own.len());
            for c in own.strip_prefix('#').unwrap_or(own).trim_end().chars() {
                // KDL has no such characters in a comment.
                if is_forbidden(c) || is_newline(c) {
                    line.extend(c.escape_unicode());
                } else {
                    line.push(c);
                }
            }
            Note {
                start,
                end,
                lines: vec![line],
                behind: is_behind(text, start),
            }
        })
        .collect()
}

fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.split(is_newline).map(str::trim)
}

/// What all comments say, line by line, blanks around left out.
pub(super) fn words(notes: &[Note]) -> Vec<String> {
    notes
        .iter()
        .flat_map(|note| &note.lines)
        .map(|line| line.trim().to_owned())
        .filter(|line| !line.is_empty())
        .collect()
}

/// What a comment can be attached to.
#[derive(Clone, Copy, Debug)]
enum Slot {
    Head(usize),
    Line(usize, usize),
    Tail(usize),
}

struct Anchor {
    start: usize,
    end: usize,
    /// Where its own values end, if others stand among them.
    content_end: usize,
    slot: Slot,
}

/// Gives each comment to a section, a line or the end of the file.
pub(super) fn attach<'n>(nodes: &'n [Node], notes: Vec<Note>, text: &str, format: Format) -> Sections<'n> {
    let mut list: Vec<Section<'n>> = nodes.iter().map(section).collect();
    let mut notes = notes.into_iter().peekable();
    for anchor in anchors(nodes, format) {
        let mut above = Vec::new();
        while let Some(note) = notes.next_if(|note| note.start < anchor.end) {
            above.extend(note.lines);
        }
        let rest = text.get(anchor.end..).unwrap_or_default();
        let line_end = anchor.end + rest.find(is_newline).unwrap_or(rest.len());
        let mut behind = Vec::new();
        let mut last_end = anchor.end;
        while let Some(note) = notes.next_if(|note| {
            // Of several things on one line, each has what stands right behind it.
            let between = text.get(last_end..note.start).unwrap_or_default();
            note.behind
                && note.start < line_end
                && between
                    .trim_matches([' ', '\t', ',', ';', '{', ']', '}'])
                    .is_empty()
        }) {
            last_end = note.end;
            behind.extend(note.lines);
        }
        match anchor.slot {
            Slot::Head(index) => {
                if let Some(section) = list.get_mut(index) {
                    section.head.above.extend(above);
                    section.head.behind.extend(behind);
                }
            }
            Slot::Line(index, line) => {
                if let Some(noted) = list
                    .get_mut(index)
                    .and_then(|section| section.lines.get_mut(line))
                {
                    noted.above.extend(above);
                    noted.behind.extend(behind);
                }
            }
            Slot::Tail(index) => {
                if let Some(section) = list.get_mut(index) {
                    section.tail.extend(above);
                    section.tail.extend(behind);
                }
            }
        }
    }
    let tail = notes.flat_map(|note| note.lines).collect();
    Sections { list, tail }
}

fn section(node: &Node) -> Section<'_> {
    let noted = |node| Noted {
        node,
        above: Vec::new(),
        behind: Vec::new(),
    };
    Section {
        head: noted(node),
        lines: node.children().iter().map(noted).collect(),
        tail: Vec::new(),
    }
}

fn anchors(nodes: &[Node], format: Format) -> Vec<Anchor> {
    let mut anchors = Vec::new();
    for (index, node) in nodes.iter().enumerate() {
        let head_end = content_end(node);
        anchors.push(Anchor {
            start: node.place.span.start as usize,
            end: head_end,
            content_end: head_end,
            slot: Slot::Head(index),
        });
        for (line, child) in node.children().iter().enumerate() {
            let inner = child.children().iter().map(content_end).max().unwrap_or_default();
            anchors.push(Anchor {
                start: child.place.span.start as usize,
                end: child.place.span.end as usize,
                content_end: content_end(child).max(inner),
                slot: Slot::Line(index, line),
            });
        }
        if format == Format::Kdl && node.children.is_some() {
            let end = node.place.span.end as usize;
            anchors.push(Anchor {
                start: end.saturating_sub(1),
                end,
                content_end: end,
                slot: Slot::Tail(index),
            });
        }
    }
    anchors.sort_by_key(|anchor| anchor.start);
    // Where the values of one key are several lines, what is first ends before the next one starts.
    let mut next_start = usize::MAX;
    for anchor in anchors.iter_mut().rev() {
        if next_start < anchor.end {
            anchor.end = anchor.content_end.min(next_start);
        }
        next_start = anchor.start;
    }
    anchors
}

/// The last byte of the name, the arguments and the properties of a node.
fn content_end(node: &Node) -> usize {
    let arguments = node.arguments.iter().map(|argument| argument.place.span.end);
    let properties = node
        .properties
        .iter()
        .map(|property| property.value.place.span.end);
    arguments
        .chain(properties)
        .fold(node.name.place.span.end, u32::max) as usize
}
