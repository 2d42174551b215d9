//! Nodes of KDL 2.0, with recovery at the next node.

mod skip;

use engine_shell::Span;
use rustc_hash::FxHashMap;
use smol_str::SmolStr;

use super::super::node::{Argument, Disabled, Literal, Node, Property};
use super::super::{MAX_DEPTH, MAX_PROBLEMS};
use super::chars::{is_forbidden, is_newline, is_word};
use super::number::parse_number;
use super::piece::{Piece, PieceKind, Pieces};
use super::string::parse_string;
use crate::diagnostic::Diagnostic;
use crate::source::{Place, SourceId, Spanned};

/// What a KDL text holds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct KdlTree {
    /// Top-level nodes; where there are diagnostics, those that could be read.
    pub nodes: Vec<Node>,
    /// What `/-` takes out, in order.
    pub disabled: Vec<Disabled>,
    /// Every mistake.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads a text. Its size is the caller's to bound.
#[must_use]
pub fn parse_kdl(text: &str, source: SourceId) -> KdlTree {
    parse(text, source, Pieces::unwanted()).tree
}

/// Reads a text and keeps everything it is made of. The pieces are whole only where there is no diagnostic but those about types and
/// about properties that are given twice.
pub(crate) fn parse_pieces(text: &str, source: SourceId) -> (KdlTree, Vec<Piece>) {
    let parser = parse(text, source, Pieces::wanted());
    (parser.tree, parser.pieces.into_list())
}

fn parse(text: &str, source: SourceId, pieces: Pieces) -> Parser<'_> {
    let mut parser = Parser {
        text,
        at: 0,
        source,
        tree: KdlTree::default(),
        path: Vec::new(),
        stopped: false,
        unclosed: false,
        silent: 0,
        pieces,
        many: FxHashMap::default(),
    };
    parser.eat("\u{feff}");
    parser.tree.nodes = parser.nodes(None);
    parser
}

struct Parser<'t> {
    text: &'t str,
    at: usize,
    source: SourceId,
    tree: KdlTree,
    /// Names of the nodes around the cursor.
    path: Vec<SmolStr>,
    /// Whether reading has been given up: nesting too deep, or too many mistakes.
    stopped: bool,
    /// Whether the text ended inside a block.
    unclosed: bool,
    /// How many `/-` the cursor is under.
    silent: usize,
    /// What was passed, for those who want all of it.
    pieces: Pieces,
    /// The properties of the current node where they are many.
    many: FxHashMap<SmolStr, Place>,
}

/// Properties of a node from which on they are looked up.
const MANY_PROPERTIES: usize = 16;

/// What ends the part of a node that was read: the rest of the node is skipped.
struct Broken;

/// A value or a name, before it is known which.
struct Word {
    value: SmolStr,
    content: Option<u32>,
}

impl<'t> Parser<'t> {
    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn bump(&mut self) {
        self.at += self.peek().map_or(0, char::len_utf8);
    }

    fn eat(&mut self, token: &str) -> bool {
        let found = self.rest().starts_with(token);
        if found {
            self.at += token.len();
        }
        found
    }

    fn place(&self, start: usize, end: usize) -> Place {
        Place {
            source: self.source,
            span: Span::new(start, end),
        }
    }

    fn problem(&mut self, start: usize, end: usize, message: &str, help: Option<&str>) {
        self.report("policy::syntax", start, end, message, help);
    }

    fn report(&mut self, code: &'static str, start: usize, end: usize, message: &str, help: Option<&str>) {
        // What is taken out by `/-` must be well formed, but need not make sense.
        if self.stopped || (self.silent > 0 && code == "policy::type-annotation") {
            return;
        }
        let mut diagnostic = Diagnostic::error(code, message, self.place(start, end));
        diagnostic.help = help.map(str::to_owned);
        self.tree.diagnostics.push(diagnostic);
        if self.tree.diagnostics.len() >= MAX_PROBLEMS {
            self.give_up();
        }
    }

    fn give_up(&mut self) {
        self.stopped = true;
        self.at = self.text.len();
    }

    /// Nodes up to the end of the text or, inside a block opened at `open`, up to its `}`.
    fn nodes(&mut self, open: Option<usize>) -> Vec<Node> {
        let mut nodes = Vec::new();
        loop {
            self.skip_lines();
            match self.peek() {
                None => {
                    if let Some(open) = open {
                        self.unclosed = true;
                        self.problem(
                            open,
                            open + 1,
                            "this block is not closed",
                            Some("add the missing `}`"),
                        );
                    }
                    return nodes;
                }
                Some('}') => {
                    let start = self.at;
                    self.bump();
                    self.pieces.add(PieceKind::Close, start, self.at);
                    if open.is_some() {
                        return nodes;
                    }
                    self.problem(start, start + 1, "this `}` closes no block", None);
                }
                Some(';') => {
                    // An empty node is refused by the grammar, but harmless; pasted JavaScript habits make it common.
                    self.bump();
                }
                Some(_) => {
                    let start = self.at;
                    if self.eat("/-") {
                        self.pieces.add(PieceKind::Slashdash, start, self.at);
                        let _ = self.disabled_node(start);
                    } else if let Some(node) = self.node() {
                        nodes.push(node);
                    }
                    if self.at == start {
                        self.bump();
                    }
                }
            }
        }
    }

    fn disabled_node(&mut self, start: usize) -> Option<Node> {
        self.skip_lines();
        if self.eat("/-") {
            let at = self.at;
            self.problem(
                at - 2,
                at,
                "`/-` takes out one thing; this second one has nothing to take out",
                None,
            );
        }
        let index = self.tree.disabled.len();
        self.tree.disabled.push(Disabled {
            path: self.path.clone(),
            place: self.place(start, self.at),
        });
        self.silent += 1;
        let node = self.node();
        self.silent -= 1;
        if let (Some(node), Some(disabled)) = (&node, self.tree.disabled.get_mut(index)) {
            disabled.path.push(node.name.value.clone());
            disabled.place.span.end = node.place.span.end;
        }
        node
    }

    /// One node with its terminator. After a mistake the node is kept as far as it was read.
    fn node(&mut self) -> Option<Node> {
        let start = self.at;
        self.pieces.add(PieceKind::NodeStart, start, start);
        if self.type_annotation().is_err() {
            self.recover();
            return None;
        }
        self.skip_node_space();
        let name_start = self.at;
        let name = match self.word(true) {
            Ok(Some(word)) => Spanned::new(word.value, self.place(name_start, self.at)),
            Ok(None) => {
                self.unexpected("a name of a node is missing here");
                self.recover();
                return None;
            }
            Err(Broken) => {
                self.recover();
                return None;
            }
        };
        self.pieces.add(PieceKind::Name, name_start, self.at);
        let mut node = Node {
            place: self.place(start, self.at),
            name,
            arguments: Vec::new(),
            properties: Vec::new(),
            children: None,
            broken: false,
            unclosed: false,
        };
        self.path.push(node.name.value.clone());
        if self.entries(&mut node).is_err() {
            node.broken = true;
            self.recover();
        }
        self.path.pop();
        Some(node)
    }

    /// Arguments, properties and blocks up to the terminator.
    fn entries(&mut self, node: &mut Node) -> Result<(), Broken> {
        let mut closed = false;
        loop {
            let spaced = self.skip_node_space();
            let start = self.at;
            match self.peek() {
                None | Some('}') => {
                    self.pieces.add(PieceKind::NodeEnd, start, start);
                    return Ok(());
                }
                Some(';') => {
                    self.pieces.add(PieceKind::NodeEnd, start, start);
                    self.bump();
                    return Ok(());
                }
                Some(c) if is_newline(c) => {
                    self.pieces.add(PieceKind::NodeEnd, start, start);
                    self.bump();
                    return Ok(());
                }
                Some('/') if self.rest().starts_with("//") => {
                    self.pieces.add(PieceKind::NodeEnd, start, start);
                    self.skip_line_comment();
                    return Ok(());
                }
                Some('/') if self.eat("/-") => {
                    self.pieces.add(PieceKind::Slashdash, start, self.at);
                    self.skip_lines();
                    self.tree.disabled.push(Disabled {
                        path: self.path.clone(),
                        place: self.place(start, self.at),
                    });
                    let index = self.tree.disabled.len() - 1;
                    self.silent += 1;
                    let taken = if self.peek() == Some('{') {
                        self.block().map(|_| ())
                    } else if closed {
                        self.unexpected("nothing but a block may follow a block");
                        Err(Broken)
                    } else {
                        self.entry(&mut Vec::new(), &mut Vec::new())
                    };
                    self.silent -= 1;
                    if let Some(disabled) = self.tree.disabled.get_mut(index) {
                        disabled.place.span.end = Span::new(0, self.at).end;
                    }
                    taken?;
                }
                Some('{') => {
                    if closed {
                        self.problem(start, start + 1, "a node has one block only", None);
                        return Err(Broken);
                    }
                    node.children = Some(self.block()?);
                    node.unclosed = self.unclosed;
                    closed = true;
                    node.place.span.end = Span::new(0, self.at).end;
                }
                Some(_) => {
                    if closed {
                        self.unexpected("a node ends with its block");
                        return Err(Broken);
                    }
                    if !spaced {
                        self.unexpected("a blank is missing before this");
                        return Err(Broken);
                    }
                    self.entry(&mut node.arguments, &mut node.properties)?;
                    node.place.span.end = Span::new(0, self.at).end;
                }
            }
        }
    }

    fn block(&mut self) -> Result<Vec<Node>, Broken> {
        let open = self.at;
        if self.path.len() > MAX_DEPTH {
            let message = format!("blocks are nested more than {MAX_DEPTH} deep");
            self.report("policy::too-deep", open, open + 1, &message, None);
            self.give_up();
            return Err(Broken);
        }
        self.bump();
        self.pieces.add(PieceKind::Open, open, self.at);
        let nodes = self.nodes(Some(open));
        Ok(nodes)
    }

    /// One argument or property.
    fn entry(&mut self, arguments: &mut Vec<Argument>, properties: &mut Vec<Property>) -> Result<(), Broken> {
        let start = self.at;
        let annotated = self.type_annotation()?;
        self.skip_node_space();
        let value_start = self.at;
        let value = self.value()?;
        let value_end = self.at;
        self.pieces.add(PieceKind::Value, value_start, value_end);
        // A property is told from an argument by the `=` behind it, blanks allowed.
        let mark = (self.at, self.pieces.len());
        self.skip_node_space();
        if !annotated && self.peek() == Some('=') {
            self.bump();
            self.pieces.add(PieceKind::Equals, self.at - 1, self.at);
            self.skip_node_space();
            let Literal::Text(name) = value.value else {
                self.problem(
                    start,
                    value_end,
                    "the name of a property is a word or a text",
                    None,
                );
                return Err(Broken);
            };
            self.type_annotation()?;
            self.skip_node_space();
            if self
                .peek()
                .is_none_or(|c| is_newline(c) || matches!(c, ';' | '}' | '{'))
            {
                self.problem(
                    start,
                    self.at,
                    &format!("the property `{name}` has no value"),
                    None,
                );
                return Err(Broken);
            }
            let start_of_value = self.at;
            let argument = self.value()?;
            self.pieces.add(PieceKind::Value, start_of_value, self.at);
            let name = Spanned::new(name, self.place(value_start, value_end));
            if let Some(first) = self.first_of(&name, properties) {
                // One is enough to refuse the text.
                if !self.stopped && self.silent == 0 && self.tree.diagnostics.len() < MAX_PROBLEMS {
                    let diagnostic = Diagnostic::error(
                        "policy::duplicate-property",
                        format!("the property `{}` is given twice", name.value),
                        self.place(start, value_end),
                    )
                    .label(first, "first given here");
                    self.tree.diagnostics.push(diagnostic);
                }
            } else {
                properties.push(Property {
                    name,
                    value: argument,
                });
            }
        } else {
            self.at = mark.0;
            self.pieces.forget(mark.1);
            arguments.push(value);
        }
        Ok(())
    }

    /// Where a property of the current node was given before. Few are looked through, of many the places are kept.
    fn first_of(&mut self, name: &Spanned<SmolStr>, properties: &[Property]) -> Option<Place> {
        // What `/-` takes out need not make sense, and must not disturb what is kept of the node around it.
        if self.silent > 0 {
            return None;
        }
        if properties.len() < MANY_PROPERTIES {
            self.many = FxHashMap::default();
            let mut own = properties.iter().map(|property| &property.name);
            return own.find(|own| own.value == name.value).map(|own| own.place);
        }
        if self.many.is_empty() {
            let own = properties.iter().map(|property| &property.name);
            self.many = own.map(|own| (own.value.clone(), own.place)).collect();
        }
        let first = self.many.get(&name.value).copied();
        if first.is_none() {
            self.many.insert(name.value.clone(), name.place);
        }
        first
    }

    /// A value: text, number, boolean or null.
    fn value(&mut self) -> Result<Argument, Broken> {
        let start = self.at;
        let rest = self.rest();
        if rest.starts_with('#') && !rest.trim_start_matches('#').starts_with('"') {
            let length = 1 + rest
                .chars()
                .skip(1)
                .take_while(|&c| is_word(c))
                .map(char::len_utf8)
                .sum::<usize>();
            let keyword = rest.get(..length).unwrap_or_default();
            let value = match keyword {
                "#true" => Literal::Boolean(true),
                "#false" => Literal::Boolean(false),
                "#null" => Literal::Null,
                "#inf" | "#-inf" | "#nan" => Literal::Number(keyword.into()),
                _ => {
                    self.at += length;
                    self.problem(
                        start,
                        start + length,
                        &format!("unknown keyword `{keyword}`"),
                        Some("known are `#true`, `#false` and `#null`; a text with `#` needs quotes"),
                    );
                    return Err(Broken);
                }
            };
            self.at += length;
            return Ok(Argument {
                value,
                place: self.place(start, self.at),
                content: None,
            });
        }
        if starts_number(rest) {
            let length: usize = rest.chars().take_while(|&c| is_word(c)).map(char::len_utf8).sum();
            self.at += length;
            let word = rest.get(..length).unwrap_or_default();
            let Some(value) = parse_number(word) else {
                self.problem(
                    start,
                    start + length,
                    &format!("`{word}` is not a number"),
                    Some("a text that starts like a number needs quotes"),
                );
                return Err(Broken);
            };
            return Ok(Argument {
                value,
                place: self.place(start, self.at),
                content: None,
            });
        }
        let Some(word) = self.word(false)? else {
            self.unexpected("a value is missing here");
            return Err(Broken);
        };
        Ok(Argument {
            value: Literal::Text(word.value),
            place: self.place(start, self.at),
            content: word.content,
        })
    }

    /// A quoted, raw or bare word; `None` when none starts here.
    fn word(&mut self, name: bool) -> Result<Option<Word>, Broken> {
        let start = self.at;
        let rest = self.rest();
        if let Some(read) = parse_string(rest) {
            return match read {
                Ok(quoted) => {
                    self.at += quoted.length;
                    let content = quoted.content.map(|open| Span::new(start + open, 0).start);
                    Ok(Some(Word {
                        value: quoted.value.into(),
                        content,
                    }))
                }
                Err(errors) => {
                    for error in errors {
                        self.problem(start + error.start, start + error.end, error.message, error.help);
                        if !self.stopped {
                            self.at = start + error.resume;
                        }
                    }
                    Err(Broken)
                }
            };
        }
        let length: usize = rest.chars().take_while(|&c| is_word(c)).map(char::len_utf8).sum();
        let word = rest.get(..length).unwrap_or_default();
        if word.is_empty() {
            return Ok(None);
        }
        self.at += length;
        if matches!(word, "true" | "false" | "null" | "inf" | "-inf" | "nan") {
            self.problem(
                start,
                start + length,
                &format!("the bare word `{word}` is not allowed"),
                Some(&format!("write `#{word}`, or `\"{word}\"` if the text is meant")),
            );
            return Err(Broken);
        }
        if name && starts_number(word) {
            self.problem(
                start,
                start + length,
                "a name cannot start like a number",
                Some("put it in quotes"),
            );
            return Err(Broken);
        }
        Ok(Some(Word {
            value: word.into(),
            content: Some(Span::new(start, 0).start),
        }))
    }

    /// `(type)`: read, and refused, since no value of a policy has one. Whether there was one.
    fn type_annotation(&mut self) -> Result<bool, Broken> {
        let start = self.at;
        if self.peek() != Some('(') {
            return Ok(false);
        }
        let before = self.pieces.len();
        self.bump();
        self.skip_node_space();
        if self.word(true)?.is_none() {
            self.unexpected("a type is missing between the parentheses");
            return Err(Broken);
        }
        self.skip_node_space();
        if !self.eat(")") {
            self.problem(
                start,
                start + 1,
                "this parenthesis is not closed",
                Some("a text with `(` needs quotes"),
            );
            return Err(Broken);
        }
        let end = self.at;
        self.pieces.forget(before);
        self.pieces.add(PieceKind::Type, start, end);
        self.report(
            "policy::type-annotation",
            start,
            end,
            "type annotations have no meaning here",
            Some("remove it; a text with `(` needs quotes"),
        );
        Ok(true)
    }

    fn unexpected(&mut self, message: &str) {
        let start = self.at;
        let end = start + self.peek().map_or(0, char::len_utf8);
        let help = match self.peek() {
            Some(c) if is_forbidden(c) => Some("this control character may not stand in a text"),
            Some('(' | ')' | '[' | ']' | '/' | '\\' | '#' | '=') => {
                Some("a text with this character needs quotes")
            }
            Some(_) | None => None,
        };
        self.problem(start, end, message, help);
    }
}

/// Whether a word is to be read as a number: a digit, after an optional sign and an optional point.
fn starts_number(text: &str) -> bool {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let digits = unsigned.strip_prefix('.').unwrap_or(unsigned);
    digits.starts_with(|c: char| c.is_ascii_digit())
}
