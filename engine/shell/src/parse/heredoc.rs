//! Here-documents (POSIX 2.7.4; bash manual 3.6.6).
//!
//! A body is found by its lines alone, then its expansions are read in place. Bodies are kept aside by the offset of their
//! operator and put into the script at the end ([`fill`](super::fill)), since the text between operator and body may
//! belong to any construct around.

use crate::{Construct, HereDocument, NotUnderstood, Part, PartKind, Span};

use super::{
    Parsed,
    cursor::{Parser, is_meta},
    quote::Quoted,
};

/// A here-document whose body is not read yet.
#[derive(Debug)]
pub(super) struct Pending<'t> {
    delimiter: &'t str,
    quoted: bool,
    strip_tabs: bool,
    operator: usize,
    /// From the operator to the delimiter.
    pub(super) span: Span,
}

impl<'t> Parser<'t> {
    /// Reads the delimiter. The document that is returned holds nothing yet but the offset of its operator.
    pub(super) fn heredoc_start(&mut self, operator: usize, strip_tabs: bool) -> Parsed<HereDocument> {
        if self.backticks {
            return Err(self.since(Construct::HeredocDelimiter, operator));
        }
        let (delimiter, quoted) = self.delimiter(operator)?;
        if !is_meta(self.peek()) || self.peek() == b'(' {
            return Err(self.since(Construct::HeredocDelimiter, operator));
        }
        self.pending.push(Pending {
            delimiter,
            quoted,
            strip_tabs,
            operator,
            span: self.span(operator),
        });
        if self.pending.len() > self.limits.pending_heredocs {
            return Err(self.since(Construct::TooManyHeredocs, operator));
        }
        Ok(HereDocument {
            strip_tabs,
            quoted,
            body: Vec::new(),
            span: Span::new(operator, operator),
        })
    }

    /// A plain word, a plain word after a backslash, or one quoted from end to end.
    fn delimiter(&mut self, operator: usize) -> Parsed<(&'t str, bool)> {
        let start = self.pos;
        let refused = Construct::HeredocDelimiter;
        let quote = self.peek();
        let (delimiter, quoted) = match quote {
            b'\'' | b'"' => {
                self.pos += 1;
                while matches!(self.peek(), b' '..=b'~') && self.peek() != quote {
                    if quote == b'"' && matches!(self.peek(), b'$' | b'`' | b'\\') {
                        return Err(self.since(refused, operator));
                    }
                    self.pos += 1;
                }
                if self.peek() != quote {
                    return Err(self.since(refused, operator));
                }
                self.pos += 1;
                (self.slice(start + 1, self.pos - 1)?, true)
            }
            _ => {
                let escaped = quote == b'\\';
                self.pos += usize::from(escaped);
                let word = self.pos;
                while is_delimiter(self.peek()) {
                    self.pos += 1;
                }
                (self.slice(word, self.pos)?, escaped)
            }
        };
        if delimiter.is_empty() || (!quoted && delimiter.starts_with('-')) {
            return Err(self.since(refused, operator));
        }
        Ok((delimiter, quoted))
    }

    /// Reads the body of a waiting here-document, which begins here.
    #[inline(never)]
    pub(super) fn heredoc_body(&mut self, pending: &Pending<'t>) -> Parsed<()> {
        let start = self.pos;
        let end = self.body_end(pending)?;
        let after = self.pos;
        let span = Span::new(start, end);
        let body = if start == end {
            Vec::new()
        } else if pending.quoted {
            let raw = self.slice(start, end)?;
            let text = if pending.strip_tabs {
                strip_tabs(raw).into()
            } else {
                raw.into()
            };
            vec![Part {
                kind: PartKind::SingleQuoted(text),
                span,
            }]
        } else {
            self.expanding_body(start, end, pending.strip_tabs)?
        };
        self.pos = after;
        let document = HereDocument {
            strip_tabs: pending.strip_tabs,
            quoted: pending.quoted,
            body,
            span,
        };
        self.bodies.push((pending.operator, document));
        Ok(())
    }

    /// Finds the line that ends the body and steps over it; returns where the body ends.
    fn body_end(&mut self, pending: &Pending<'t>) -> Parsed<usize> {
        let unclosed = NotUnderstood {
            construct: Construct::UnclosedHeredoc,
            span: pending.span,
        };
        let delimiter = pending.delimiter.as_bytes();
        let mut continued = false;
        loop {
            let line_start = self.pos;
            let rest = self.bytes.get(line_start..).unwrap_or_default();
            if rest.is_empty() {
                return Err(unclosed);
            }
            let length = rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
            let mut line = rest.get(..length).unwrap_or_default();
            if pending.strip_tabs {
                line = line.trim_ascii_start_tabs();
            }
            self.pos = line_start + length;
            if line == delimiter && !continued {
                self.pos = (self.pos + 1).min(self.bytes.len());
                return Ok(line_start);
            }
            let refused = |construct| NotUnderstood {
                construct,
                span: Span::new(line_start, line_start + length),
            };
            let joins = !pending.quoted && continues(line);
            // Shells join lines before or after they look for the end, so it must not depend on that.
            let before_slash = line.strip_suffix(b"\\").unwrap_or(line);
            let unclear = (continued && line == delimiter)
                || (joins
                    && (pending.strip_tabs
                        || delimiter.starts_with(before_slash)
                        || (self.substituted && line.starts_with(delimiter))));
            if unclear {
                return Err(refused(Construct::HeredocContinuation));
            }
            continued = joins;
            if self.substituted && line.starts_with(delimiter) && line.contains(&b')') {
                // bash may end the document at such a line inside a substitution.
                return Err(refused(Construct::HeredocDelimiter));
            }
            self.pos = (self.pos + 1).min(self.bytes.len());
        }
    }

    /// The parts of a body whose delimiter was not quoted.
    fn expanding_body(&mut self, start: usize, end: usize, strip: bool) -> Parsed<Vec<Part>> {
        let whole = self.bytes;
        self.bytes = whole.get(..end).unwrap_or_default();
        self.pos = start;
        let pending = std::mem::take(&mut self.pending);
        let waiting = std::mem::replace(&mut self.waiting_outside, false);
        let mut body = self.quoted_text(Quoted::Heredoc)?;
        self.pending = pending;
        self.waiting_outside = waiting;
        self.bytes = whole;
        for part in &body {
            // The shell joins the lines before it reads the expansion, even inside its quotes.
            let joined = part.span.of(self.text).contains("\\\n");
            if joined && !matches!(part.kind, PartKind::Literal { .. }) {
                return Err(NotUnderstood {
                    construct: Construct::HeredocContinuation,
                    span: part.span,
                });
            }
        }
        if strip {
            let mut line_start = true;
            for part in &mut body {
                if let PartKind::Literal { text, .. } = &mut part.kind {
                    let stripped = strip_tabs_from(text, line_start);
                    line_start = text.ends_with('\n');
                    *text = stripped.into();
                } else {
                    line_start = false;
                    if part.span.of(self.text).contains('\n') {
                        return Err(NotUnderstood {
                            construct: Construct::HeredocTabs,
                            span: part.span,
                        });
                    }
                }
            }
        }
        Ok(body)
    }
}

/// Whether an expanding line ends in a backslash that is not quoted itself.
fn continues(line: &[u8]) -> bool {
    let slashes = line.iter().rev().take_while(|byte| **byte == b'\\').count();
    slashes % 2 == 1
}

/// Whether a byte may stand in an unquoted delimiter.
fn is_delimiter(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(
            byte,
            b'_' | b'-' | b'.' | b'!' | b'+' | b':' | b'@' | b'%' | b'/' | b'=' | b','
        )
}

/// Text without the tabs at the start of its lines.
fn strip_tabs(text: &str) -> String {
    strip_tabs_from(text, true)
}

fn strip_tabs_from(text: &str, line_start: bool) -> String {
    let mut stripped = String::with_capacity(text.len());
    for (index, line) in text.split_inclusive('\n').enumerate() {
        let at_start = line_start || index > 0;
        stripped.push_str(if at_start {
            line.trim_start_matches('\t')
        } else {
            line
        });
    }
    stripped
}

/// Tabs alone, not all white space.
trait TrimTabs {
    fn trim_ascii_start_tabs(&self) -> &Self;
}

impl TrimTabs for [u8] {
    fn trim_ascii_start_tabs(&self) -> &Self {
        let tabs = self.iter().take_while(|byte| **byte == b'\t').count();
        self.get(tabs..).unwrap_or_default()
    }
}
