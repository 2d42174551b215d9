//! What is passed over: blanks, comments, continued lines, and the rest of a broken node.

use super::super::super::MAX_DEPTH;
use super::super::chars::{is_blank, is_forbidden, is_newline};
use super::super::string::parse_string;
use super::{Parser, PieceKind};

impl Parser<'_> {
    /// Skips the rest of a broken node: up to the end of its line, or of the block that it opens there.
    pub(super) fn recover(&mut self) {
        let mut depth = 0_usize;
        while let Some(c) = self.peek() {
            if depth == 0 && (is_newline(c) || c == ';') {
                self.bump();
                return;
            }
            let rest = self.rest();
            match c {
                '{' => depth += 1,
                '}' if depth == 0 => return,
                '}' => depth -= 1,
                '/' if rest.starts_with("//") => {
                    self.skip_line_comment();
                    continue;
                }
                '/' if rest.starts_with("/*") => {
                    self.skip_comment();
                    continue;
                }
                '"' | '#' => {
                    let hashes = rest.len() - rest.trim_start_matches('#').len();
                    match parse_string(rest) {
                        Some(Ok(quoted)) => self.at += quoted.length,
                        Some(Err(errors)) => self.at += errors.first().map_or(1, |error| error.resume.max(1)),
                        None => self.at += hashes.max(1),
                    }
                    continue;
                }
                _ => {}
            }
            self.bump();
        }
    }

    /// Blanks, newlines and comments between nodes.
    pub(super) fn skip_lines(&mut self) {
        loop {
            match self.peek() {
                Some(c) if is_newline(c) || is_blank(c) => self.bump(),
                Some('/') if self.rest().starts_with("//") => self.skip_line_comment(),
                Some('/') if self.rest().starts_with("/*") => self.skip_comment(),
                Some('\\') if self.skip_continuation() => {}
                Some(_) | None => return,
            }
        }
    }

    /// Blanks, comments and continued lines inside a node; whether there were any.
    pub(super) fn skip_node_space(&mut self) -> bool {
        let start = self.at;
        loop {
            match self.peek() {
                Some(c) if is_blank(c) => self.bump(),
                Some('/') if self.rest().starts_with("/*") => self.skip_comment(),
                Some('\\') if self.skip_continuation() => {}
                Some(_) | None => return self.at > start,
            }
        }
    }

    /// `\` at the end of a line.
    pub(super) fn skip_continuation(&mut self) -> bool {
        let start = self.at;
        let pieces = self.pieces.len();
        self.bump();
        while let Some(c) = self.peek() {
            if is_blank(c) {
                self.bump();
            } else if self.rest().starts_with("/*") {
                self.skip_comment();
            } else {
                break;
            }
        }
        match self.peek() {
            None => true,
            Some(c) if is_newline(c) => {
                if !self.eat("\r\n") {
                    self.bump();
                }
                true
            }
            Some('/') if self.rest().starts_with("//") => {
                // The end of the line is that of the comment, too.
                self.skip_line_comment();
                if !self.eat("\r\n") && self.peek().is_some() {
                    self.bump();
                }
                true
            }
            Some(_) => {
                self.at = start;
                self.pieces.forget(pieces);
                false
            }
        }
    }

    pub(super) fn skip_line_comment(&mut self) {
        let start = self.at;
        while let Some(c) = self.peek() {
            if is_newline(c) {
                break;
            }
            if is_forbidden(c) {
                let at = self.at;
                self.problem(
                    at,
                    at + c.len_utf8(),
                    "this control character may not stand in a text",
                    None,
                );
            }
            self.bump();
        }
        self.pieces.add(PieceKind::LineComment, start, self.at);
    }

    pub(super) fn skip_comment(&mut self) {
        let start = self.at;
        let mut depth = 0_usize;
        while let Some(c) = self.peek() {
            if self.eat("/*") {
                depth += 1;
                if depth > MAX_DEPTH {
                    let message = format!("comments are nested more than {MAX_DEPTH} deep");
                    self.report("policy::too-deep", start, start + 2, &message, None);
                    self.give_up();
                    return;
                }
            } else if self.eat("*/") {
                depth -= 1;
                if depth == 0 {
                    self.pieces.add(PieceKind::BlockComment, start, self.at);
                    return;
                }
            } else {
                if is_forbidden(c) {
                    let at = self.at;
                    self.problem(
                        at,
                        at + c.len_utf8(),
                        "this control character may not stand in a text",
                        None,
                    );
                }
                self.bump();
            }
        }
        self.problem(
            start,
            start + 2,
            "this comment is not closed",
            Some("add the missing `*/`"),
        );
    }
}
