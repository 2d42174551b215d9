//! KDL as it was written: nodes, comments and where lines ended.
//!
//! Invariant (bounded): the reader has already refused what is nested too deep, so calling itself for a block is safe here.

use crate::read::kdl::{Piece, PieceKind, is_blank};

/// What stands between two braces, or in a whole file.
#[derive(Debug, Default)]
pub(super) struct Block<'t> {
    pub(super) items: Vec<Item<'t>>,
    /// Whether it stands on one line.
    pub(super) one_line: bool,
}

/// A node or a comment between nodes.
#[derive(Debug)]
pub(super) struct Item<'t> {
    /// Ends of lines before it: none if something else stands before it on its line.
    pub(super) lines: usize,
    pub(super) what: What<'t>,
}

#[derive(Debug)]
pub(super) enum What<'t> {
    Comment(Token<'t>),
    Node(Node<'t>),
}

/// The parts of a node, in order.
#[derive(Debug, Default)]
pub(super) struct Node<'t> {
    pub(super) parts: Vec<Part<'t>>,
}

#[derive(Debug)]
pub(super) enum Part<'t> {
    Chunk(Chunk<'t>),
    Block(Block<'t>),
}

/// What stays together on a line: a value with its name and type, or a comment.
#[derive(Debug, Default)]
pub(super) struct Chunk<'t> {
    pub(super) tokens: Vec<Token<'t>>,
    /// Whether the author began a line here.
    pub(super) broken: bool,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Token<'t> {
    pub(super) kind: PieceKind,
    pub(super) text: &'t str,
    /// Ends of lines before it.
    pub(super) lines: usize,
}

impl Token<'_> {
    pub(super) fn is_comment(&self) -> bool {
        matches!(self.kind, PieceKind::LineComment | PieceKind::BlockComment)
    }

    /// Whether it belongs to what follows.
    fn leads(&self) -> bool {
        matches!(
            self.kind,
            PieceKind::Slashdash | PieceKind::Type | PieceKind::Equals
        )
    }
}

/// The tree of a text, from its pieces.
pub(super) fn of_pieces<'t>(text: &'t str, pieces: &[Piece]) -> Block<'t> {
    let mut builder = Builder {
        text,
        pieces: pieces.iter().peekable(),
        last_end: 0,
    };
    Block {
        items: builder.items(),
        one_line: false,
    }
}

struct Builder<'t, 'p> {
    text: &'t str,
    pieces: std::iter::Peekable<std::slice::Iter<'p, Piece>>,
    last_end: usize,
}

impl<'t> Builder<'t, '_> {
    fn token(&mut self, piece: &Piece) -> Token<'t> {
        let gap = self.text.get(self.last_end..piece.start).unwrap_or_default();
        let text = self.text.get(piece.start..piece.end).unwrap_or_default();
        self.last_end = piece.end;
        Token {
            kind: piece.kind,
            text: match piece.kind {
                PieceKind::LineComment => text.trim_end_matches(is_blank),
                PieceKind::BlockComment
                | PieceKind::Slashdash
                | PieceKind::Type
                | PieceKind::Name
                | PieceKind::Value
                | PieceKind::Equals
                | PieceKind::Open
                | PieceKind::Close
                | PieceKind::NodeStart
                | PieceKind::NodeEnd => text,
            },
            lines: super::super::line_ends(gap),
        }
    }

    /// Nodes and comments up to the end of the block, which is passed.
    fn items(&mut self) -> Vec<Item<'t>> {
        let mut items: Vec<Item<'t>> = Vec::new();
        let mut lead: Vec<Token<'t>> = Vec::new();
        while let Some(piece) = self.pieces.next() {
            match piece.kind {
                PieceKind::NodeStart => {
                    let (node, rest) = self.node(std::mem::take(&mut lead));
                    items.push(node);
                    items.extend(rest.into_iter().map(|token| Item {
                        lines: token.lines,
                        what: What::Comment(token),
                    }));
                }
                PieceKind::Slashdash => lead.push(self.token(piece)),
                PieceKind::LineComment | PieceKind::BlockComment => {
                    let token = self.token(piece);
                    if lead.is_empty() {
                        self.comment(token, &mut items);
                    } else {
                        lead.push(token);
                    }
                }
                PieceKind::Close => {
                    let _brace = self.token(piece);
                    break;
                }
                PieceKind::Type
                | PieceKind::Name
                | PieceKind::Value
                | PieceKind::Equals
                | PieceKind::Open
                | PieceKind::NodeEnd => {}
            }
        }
        items
    }

    /// A comment between nodes. One behind a node on its line that nothing follows there belongs to the node.
    fn comment(&mut self, token: Token<'t>, items: &mut Vec<Item<'t>>) {
        let follows = self.next_is_on_this_line();
        if token.kind == PieceKind::BlockComment
            && token.lines == 0
            && !follows
            && let Some(Item {
                what: What::Node(node),
                ..
            }) = items.last_mut()
        {
            node.parts.push(Part::Chunk(Chunk {
                tokens: vec![token],
                broken: false,
            }));
            return;
        }
        items.push(Item {
            lines: token.lines,
            what: What::Comment(token),
        });
    }

    /// Whether a node or comment stands behind the cursor on the same line.
    fn next_is_on_this_line(&mut self) -> bool {
        let from = self.last_end;
        self.pieces.peek().is_some_and(|next| {
            next.kind != PieceKind::Close
                && self
                    .text
                    .get(from..next.start)
                    .is_some_and(|gap| super::super::line_ends(gap) == 0)
        })
    }

    /// A node, and the comments at its end that stand behind it.
    fn node(&mut self, lead: Vec<Token<'t>>) -> (Item<'t>, Vec<Token<'t>>) {
        let mut raw: Vec<Raw<'t>> = lead.into_iter().map(Raw::Token).collect();
        while let Some(piece) = self.pieces.next() {
            match piece.kind {
                PieceKind::NodeEnd => break,
                PieceKind::Open => {
                    let open = piece.start;
                    let _brace = self.token(piece);
                    let items = self.items();
                    let whole = self.text.get(open..self.last_end).unwrap_or_default();
                    raw.push(Raw::Block(Block {
                        items,
                        one_line: super::super::line_ends(whole) == 0,
                    }));
                }
                PieceKind::LineComment
                | PieceKind::BlockComment
                | PieceKind::Slashdash
                | PieceKind::Type
                | PieceKind::Name
                | PieceKind::Value
                | PieceKind::Equals => raw.push(Raw::Token(self.token(piece))),
                // The reader closes a node before anything else begins.
                PieceKind::Close | PieceKind::NodeStart => {}
            }
        }
        let rest = comments_behind(&mut raw);
        let lines = match raw.first() {
            Some(Raw::Token(token)) => token.lines,
            Some(Raw::Block(_)) | None => 0,
        };
        let node = Node { parts: parts(raw) };
        let item = Item {
            lines,
            what: What::Node(node),
        };
        (item, rest)
    }
}

enum Raw<'t> {
    Token(Token<'t>),
    Block(Block<'t>),
}

impl<'t> Raw<'t> {
    fn token(&self) -> Option<&Token<'t>> {
        match self {
            Self::Token(token) => Some(token),
            Self::Block(_) => None,
        }
    }
}

/// Takes the comments off the end of a node from the first one that ends its line.
fn comments_behind<'t>(raw: &mut Vec<Raw<'t>>) -> Vec<Token<'t>> {
    let comments = raw
        .iter()
        .rev()
        .take_while(|part| part.token().is_some_and(Token::is_comment))
        .count();
    let from = raw.len() - comments;
    let line = raw.iter().skip(from).position(|part| {
        part.token()
            .is_some_and(|token| token.kind == PieceKind::LineComment)
    });
    let Some(line) = line else { return Vec::new() };
    raw.split_off(from + line)
        .iter()
        .filter_map(Raw::token)
        .copied()
        .collect()
}

/// Puts together what stays on one line.
fn parts(raw: Vec<Raw<'_>>) -> Vec<Part<'_>> {
    // Whether the next thing that is no comment is a `=`: a comment before it stands inside a property.
    let mut before_equals = Vec::with_capacity(raw.len());
    let mut next_is_equals = false;
    for part in raw.iter().rev() {
        before_equals.push(next_is_equals);
        match part.token() {
            Some(token) if token.is_comment() => {}
            Some(token) => next_is_equals = token.kind == PieceKind::Equals,
            None => next_is_equals = false,
        }
    }
    let mut out: Vec<Part<'_>> = Vec::new();
    // Whether the last chunk waits for more.
    let mut open = false;
    for (part, before_equals) in raw.into_iter().zip(before_equals.into_iter().rev()) {
        let token = match part {
            Raw::Token(token) => token,
            Raw::Block(block) => {
                out.push(Part::Block(block));
                open = false;
                continue;
            }
        };
        let joins = open || token.kind == PieceKind::Equals || (token.is_comment() && before_equals);
        match out.last_mut() {
            Some(Part::Chunk(chunk)) if joins => chunk.tokens.push(token),
            Some(Part::Chunk(_) | Part::Block(_)) | None => out.push(Part::Chunk(Chunk {
                broken: token.lines > 0,
                tokens: vec![token],
            })),
        }
        if !token.is_comment() {
            open = token.leads();
        }
    }
    out
}
