//! Jupyter notebooks: their cells with outputs, for reading.
//!
//! Invariant (bounded notebook): as for every text, about as many tokens as [`MAX_TOKENS`] in one answer; an output is cut at
//! [`MAX_OUTPUT_CHARS`], and of a cell's images the first few are shown.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;

use super::error::FileError;
use super::image::{Image, for_model};
use super::kind::image_of;
use super::lines::{Cost, MAX_TOKENS};
use super::place::Decided;
use super::read::{Part, ReadOptions};

pub(super) mod cell;
mod json;

const MAX_OUTPUT_CHARS: usize = 10_000;
const MAX_IMAGES: usize = 10;

#[derive(Debug, Deserialize)]
struct Notebook {
    cells: Vec<Cell>,
}

#[derive(Debug, Deserialize)]
struct Cell {
    #[serde(rename = "cell_type")]
    kind: String,
    #[serde(default)]
    id: Option<String>,
    #[serde(default)]
    source: Lines,
    #[serde(default)]
    outputs: Vec<Output>,
}

#[derive(Debug, Deserialize)]
struct Output {
    #[serde(default)]
    text: Lines,
    #[serde(default)]
    data: BTreeMap<String, Data>,
    #[serde(default)]
    ename: Option<String>,
    #[serde(default)]
    evalue: Option<String>,
    #[serde(default)]
    traceback: Vec<String>,
}

/// Text in one piece or by lines, as both occur.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Lines {
    One(String),
    Many(Vec<String>),
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Data {
    Text(Lines),
    Other(serde::de::IgnoredAny),
}

impl Default for Lines {
    fn default() -> Self {
        Self::One(String::new())
    }
}

impl Lines {
    fn joined(&self) -> String {
        match self {
            Self::One(text) => text.clone(),
            Self::Many(lines) => lines.concat(),
        }
    }
}

/// The cells of a notebook in the order of the file; for a notebook, `offset` and `limit` count cells.
pub(super) fn parts(place: &Decided, text: &str, options: &ReadOptions) -> Result<Vec<Part>, FileError> {
    let path = || place.as_path().to_owned();
    let notebook: Notebook = serde_json::from_str(text).map_err(|error| FileError::BadNotebook {
        path: path(),
        why: error.to_string(),
    })?;
    let total = notebook.cells.len() as u64;
    if total == 0 {
        return Ok(vec![Part::Text(format!(
            "[`{place}` is a notebook without cells]\n"
        ))]);
    }
    let first = options.first();
    if first > total {
        return Err(FileError::BehindTheEnd {
            path: path(),
            total,
            unit: "cells",
            offset: first,
        });
    }
    let (mut parts, mut cost, mut shown) = (Parts::default(), Cost::default(), 0_u64);
    let skipped = usize::try_from(first - 1).unwrap_or(usize::MAX);
    let wanted = usize::try_from(options.limit.unwrap_or(u64::MAX)).unwrap_or(usize::MAX);
    for (number, cell) in notebook.cells.iter().enumerate().skip(skipped).take(wanted) {
        let mut next = Parts::default();
        next.add_cell(number, cell);
        let with = cost.plus(next.cost());
        if with > Cost::LIMIT {
            if shown == 0 {
                parts.text(&cut(
                    &cell.source.joined(),
                    usize::try_from(MAX_TOKENS).unwrap_or(usize::MAX),
                ));
                shown = 1;
            }
            break;
        }
        cost = with;
        parts.append(next);
        shown += 1;
    }
    let next = first + shown;
    if next <= total {
        parts.text(&format!(
            "\n[cells {} to {} of {total} are shown, counted from 0; read on with offset {next}]\n",
            first - 1,
            next.saturating_sub(2)
        ));
    }
    Ok(parts.0)
}

#[derive(Debug, Default)]
struct Parts(Vec<Part>);

impl Parts {
    fn text(&mut self, more: &str) {
        match self.0.last_mut() {
            Some(Part::Text(text)) => text.push_str(more),
            Some(Part::Image(_)) | None => self.0.push(Part::Text(more.to_owned())),
        }
    }

    fn append(&mut self, other: Self) {
        for part in other.0 {
            match part {
                Part::Text(text) => self.text(&text),
                Part::Image(image) => self.0.push(Part::Image(image)),
            }
        }
    }

    fn cost(&self) -> Cost {
        self.0.iter().fold(Cost::default(), |cost, part| match part {
            Part::Text(text) => cost.plus(Cost::of(text)),
            // What an image of the largest size costs, roughly.
            Part::Image(_) => cost.plus(Cost::of(&"x".repeat(6000))),
        })
    }

    fn add_cell(&mut self, number: usize, cell: &Cell) {
        let mut head = format!("[cell {number}, {}", cell.kind);
        if let Some(id) = &cell.id {
            let _ = write!(head, ", id {id}");
        }
        self.text(&format!("{head}]\n{}", with_line_feed(cell.source.joined())));
        let mut images = 0;
        for output in &cell.outputs {
            self.text(&format!("[output of cell {number}]\n"));
            self.add_output(output, &mut images);
        }
    }

    fn add_output(&mut self, output: &Output, images: &mut usize) {
        let mut text = output.text.joined();
        if let Some(name) = &output.ename {
            let value = output.evalue.as_deref().unwrap_or_default();
            let trace = output.traceback.join("\n");
            text = if trace.is_empty() {
                format!("{name}: {value}")
            } else {
                trace
            };
        }
        let image = output.data.iter().find_map(|(kind, data)| match data {
            Data::Text(lines) if kind.starts_with("image/") && kind != "image/svg+xml" => {
                image(&lines.joined())
            }
            Data::Text(_) | Data::Other(_) => None,
        });
        if text.is_empty() {
            // An image is worth more than the words that stand in for it.
            let words = ["text/plain", "text/markdown", "text/html"]
                .into_iter()
                .find_map(|kind| output.data.get(kind));
            if let (Some(Data::Text(lines)), None) = (words, &image) {
                text = lines.joined();
            }
        }
        if !text.is_empty() {
            self.text(&with_line_feed(cut(&without_colours(&text), MAX_OUTPUT_CHARS)));
        }
        match image {
            Some(image) if *images < MAX_IMAGES => {
                *images += 1;
                self.0.push(Part::Image(image));
            }
            Some(_) => self.text("[one more image, not shown]\n"),
            None => {}
        }
    }
}

fn image(base64: &str) -> Option<Image> {
    let packed: String = base64
        .chars()
        .filter(|character| !character.is_ascii_whitespace())
        .collect();
    let bytes = STANDARD.decode(packed).ok()?;
    for_model(&bytes, image_of(&bytes)?).ok()
}

fn with_line_feed(mut text: String) -> String {
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    text
}

fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        None => text.to_owned(),
        Some((at, _)) => {
            let (kept, rest) = text.split_at_checked(at).unwrap_or((text, ""));
            format!("{kept}\n[cut: {} more characters]\n", rest.chars().count())
        }
    }
}

/// Without the sequences that colour a terminal.
fn without_colours(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("\u{1b}[") {
        out.push_str(before);
        let end = after
            .find(|character: char| character.is_ascii_alphabetic())
            .map_or(after.len(), |end| end + 1);
        rest = after.split_at_checked(end).map_or("", |(_, rest)| rest);
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests;
