//! The text of PDF documents, page by page.
//!
//! Invariant (contained parser): a document is parsed on a thread of its own, with a stack for its deepest nesting, a limit on everything
//! that it can unfold to, and a time after which it is given up.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::mpsc;
use std::time::Duration;

use lopdf::content::Content;
use lopdf::{Document, Encoding, LoadOptions, Object, ObjectId};

use super::error::FileError;
use super::lines::{Cost, MAX_TOKENS};
use super::place::Decided;

/// How large any stream of a document may become.
const MAX_STREAM_BYTES: usize = 32_000_000;
/// How large the drawing of one page may become; each of its steps takes far more memory than it has bytes.
const MAX_PAGE_BYTES: usize = 6_000_000;
const STACK_BYTES: usize = 16 << 20;
const PATIENCE: Duration = Duration::from_secs(30);

/// Pages of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PdfPages {
    /// The text of each page, under a line with its number, and how to read on.
    pub text: String,
    /// Number of the first page shown.
    pub first: u32,
    /// How many pages are shown.
    pub shown: u32,
    /// How many pages there are.
    pub total: u32,
}

/// The pages that were asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Pages {
    first: u32,
    last: u32,
}

impl Pages {
    /// Reads `3`, `1-5` or `10-`; all pages where nothing is given.
    pub(super) fn parse(given: Option<&str>) -> Result<Self, FileError> {
        let Some(given) = given else {
            return Ok(Self {
                first: 1,
                last: u32::MAX,
            });
        };
        let number = |text: &str| {
            let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
            digits
                .then(|| text.parse().ok())
                .flatten()
                .filter(|number: &u32| *number > 0)
        };
        let range = match given.trim().split_once('-') {
            None => number(given.trim()).map(|page| Self {
                first: page,
                last: page,
            }),
            Some((first, "")) => number(first.trim()).map(|first| Self {
                first,
                last: u32::MAX,
            }),
            Some((first, last)) => number(first.trim())
                .zip(number(last.trim()))
                .map(|(first, last)| Self { first, last }),
        };
        range
            .filter(|range| range.first <= range.last)
            .ok_or_else(|| FileError::BadPages {
                given: given.to_owned(),
            })
    }
}

/// Reads the text of pages.
pub(super) fn read(place: &Decided, bytes: Vec<u8>, pages: Pages) -> Result<PdfPages, FileError> {
    let bad = |why: String| FileError::BadPdf {
        path: place.as_path().to_owned(),
        why,
    };
    let (sender, receiver) = mpsc::sync_channel(1);
    let work = move || {
        // Nobody listens any more if it took too long.
        let _ = sender.send(text_of(&bytes, pages));
    };
    std::thread::Builder::new()
        .name("pdf".to_owned())
        .stack_size(STACK_BYTES)
        .spawn(work)
        .map_err(|error| bad(format!("no thread could be started ({error})")))?;
    match receiver.recv_timeout(PATIENCE) {
        Ok(Ok(pages)) => Ok(pages),
        Ok(Err(Failure::Bad(why))) => Err(bad(why)),
        Ok(Err(Failure::BehindTheEnd { total })) => {
            let path = place.as_path().to_owned();
            Err(FileError::BehindTheEnd {
                path,
                total: total.into(),
                unit: "pages",
                offset: pages.first.into(),
            })
        }
        Err(mpsc::RecvTimeoutError::Timeout) => Err(bad(
            "it takes too long; convert it to text with `pdftotext`".to_owned(),
        )),
        Err(mpsc::RecvTimeoutError::Disconnected) => Err(bad("it is damaged".to_owned())),
    }
}

#[derive(Debug, PartialEq, Eq)]
enum Failure {
    Bad(String),
    BehindTheEnd { total: u32 },
}

fn text_of(bytes: &[u8], pages: Pages) -> Result<PdfPages, Failure> {
    let options = LoadOptions {
        max_decompressed_size: Some(MAX_STREAM_BYTES),
        ..LoadOptions::default()
    };
    let document = Document::load_mem_with_options(bytes, options)
        .map_err(|error| Failure::Bad(format!("it is damaged, or protected by a password ({error})")))?;
    let all = document.get_pages();
    let total = u32::try_from(all.len()).unwrap_or(u32::MAX);
    if total == 0 {
        let why = if document.is_encrypted() {
            "it is protected by a password"
        } else {
            "it has no pages"
        };
        return Err(Failure::Bad(why.to_owned()));
    }
    if pages.first > total {
        return Err(Failure::BehindTheEnd { total });
    }
    let last = pages.last.min(total);
    let (mut text, mut cost, mut shown) = (String::new(), Cost::default(), 0);
    for (number, page) in all.range(pages.first..=last) {
        let mut part = format!("[page {number} of {total}]\n");
        match page_text(&document, *page) {
            Ok(page) if page.trim().is_empty() => {
                part.push_str("[no text on this page; it may be a picture]\n");
            }
            Ok(page) => {
                part.push_str(page.trim_matches('\n'));
                part.push('\n');
            }
            Err(why) => {
                let _ = writeln!(part, "[the text of this page could not be read: {why}]");
            }
        }
        let with = cost.plus(Cost::of(&part));
        if with > Cost::LIMIT {
            if shown == 0 {
                let room = usize::try_from(MAX_TOKENS).unwrap_or(usize::MAX);
                let kept: String = part.chars().take(room).collect();
                let _ = writeln!(
                    text,
                    "{kept}\n[page cut: {} more characters]",
                    part.chars().count().saturating_sub(room)
                );
                shown = 1;
            }
            break;
        }
        cost = with;
        text.push_str(&part);
        shown += 1;
    }
    let next = pages.first + shown;
    if next <= last {
        let _ = writeln!(
            text,
            "\n[about {MAX_TOKENS} tokens are shown at once; read on with pages `{next}-`]"
        );
    }
    Ok(PdfPages {
        text,
        first: pages.first,
        shown,
        total,
    })
}

fn page_text(document: &Document, page: ObjectId) -> Result<String, String> {
    let say = |error: lopdf::Error| error.to_string();
    let fonts = document.get_page_fonts(page).map_err(say)?;
    let encodings: BTreeMap<Vec<u8>, Encoding<'_>> = fonts
        .into_iter()
        .filter_map(|(name, font)| {
            Some((
                name,
                font.get_font_encoding_with_limit(document, MAX_PAGE_BYTES).ok()?,
            ))
        })
        .collect();
    let content = document
        .get_page_content_with_limit(page, MAX_PAGE_BYTES)
        .map_err(say)?;
    let content = Content::decode(&content).map_err(say)?;
    let mut writer = Writer {
        encodings: &encodings,
        font: None,
        text: String::new(),
        at: Line::default(),
        shown: None,
        leading: 0.0,
    };
    for operation in &content.operations {
        writer.step(&operation.operator, &operation.operands);
    }
    Ok(writer.text)
}

/// Where text is drawn, as far as it tells lines apart.
#[derive(Debug, Clone, Copy, Default)]
struct Line {
    /// Distance from the bottom, and how much one unit of text counts in it.
    height: f32,
    scale: f32,
    /// Which shift of the whole page this is relative to.
    shift: u32,
}

/// Follows the drawing of a page and writes down its text.
struct Writer<'d> {
    encodings: &'d BTreeMap<Vec<u8>, Encoding<'d>>,
    font: Option<&'d Encoding<'d>>,
    text: String,
    at: Line,
    /// The line of the last text.
    shown: Option<Line>,
    leading: f32,
}

impl Writer<'_> {
    fn step(&mut self, operator: &str, operands: &[Object]) {
        let number = |at: usize| {
            operands
                .get(at)
                .and_then(|operand| operand.as_float().ok())
                .unwrap_or_default()
        };
        match operator {
            "BT" => {
                self.at = Line {
                    height: 0.0,
                    scale: 1.0,
                    ..self.at
                }
            }
            "cm" => self.at.shift = self.at.shift.wrapping_add(1),
            "Tf" => {
                self.font = operands
                    .first()
                    .and_then(|name| name.as_name().ok())
                    .and_then(|name| self.encodings.get(name));
            }
            "TL" => self.leading = number(0),
            "Tm" => {
                self.at = Line {
                    height: number(5),
                    scale: number(3),
                    ..self.at
                }
            }
            "Td" | "TD" => {
                if operator == "TD" {
                    self.leading = -number(1);
                }
                self.at.height += number(1) * self.at.scale;
                if number(0) > 0.0 && number(1) == 0.0 {
                    self.space();
                }
            }
            "T*" => self.next_line(),
            "Tj" | "TJ" => self.show(operands),
            "'" => {
                self.next_line();
                self.show(operands);
            }
            "\"" => {
                self.next_line();
                self.show(operands.get(2..).unwrap_or_default());
            }
            _ => {}
        }
    }

    fn next_line(&mut self) {
        let leading = if self.leading == 0.0 { 1.0 } else { self.leading };
        self.at.height -= leading * self.at.scale;
    }

    fn space(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with(char::is_whitespace) {
            self.text.push(' ');
        }
    }

    fn show(&mut self, operands: &[Object]) {
        let same_line = self
            .shown
            .is_none_or(|shown| shown.shift == self.at.shift && (shown.height - self.at.height).abs() < 1.0);
        if !same_line && !self.text.ends_with('\n') {
            self.text.truncate(self.text.trim_end_matches(' ').len());
            self.text.push('\n');
        }
        self.shown = Some(self.at);
        self.write(operands, true);
    }

    fn write(&mut self, operands: &[Object], whole: bool) {
        for operand in operands {
            match operand {
                Object::String(bytes, _) => {
                    if let Some(text) = self.font.and_then(|font| Document::decode_text(font, bytes).ok()) {
                        self.text
                            .extend(text.chars().filter(|character| *character != '\0'));
                    }
                }
                // One array of strings and distances; there is none within it.
                Object::Array(parts) if whole => self.write(parts, false),
                // Distances are in thousandths of the font's size; a space is a quarter of it or so.
                Object::Integer(_) | Object::Real(_)
                    if operand.as_float().is_ok_and(|distance| distance < -180.0) =>
                {
                    self.space();
                }
                Object::Integer(_)
                | Object::Real(_)
                | Object::Array(_)
                | Object::Null
                | Object::Boolean(_)
                | Object::Name(_)
                | Object::Dictionary(_)
                | Object::Stream(_)
                | Object::Reference(_) => {}
            }
        }
    }
}

#[cfg(test)]
mod tests;
