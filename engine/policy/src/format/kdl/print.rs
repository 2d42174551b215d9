//! Prints a KDL tree in the one style.
//!
//! Invariant (stable): what is printed is printed alike when it is read again: lines that this module breaks look like lines that an
//! author broke, and those are kept.

use super::super::out::{INDENT, Out, WIDTH};
use super::tree::{Block, Chunk, Item, Node, Part, Token, What};
use crate::read::kdl::PieceKind;

/// How the entries of a node are put on lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lines {
    /// Where the author broke them.
    Kept,
    /// As many on a line as fit.
    Filled,
}

/// Prints a whole file.
pub(super) fn file(block: &Block<'_>, out: &mut Out) {
    items(&block.items, 0, true, out);
    out.finish();
}

/// Nodes and comments on lines of their own; `fresh` where nothing stands on the current line yet.
fn items(list: &[Item<'_>], indent: usize, fresh: bool, out: &mut Out) {
    let mut fresh = fresh;
    let mut before: Option<&Item<'_>> = None;
    for (index, item) in list.iter().enumerate() {
        let next = list.get(index + 1);
        if same_line(before, item, next) && !fresh {
            out.push(" ");
        } else {
            if !fresh {
                out.line();
            }
            if item.lines > 1 && before.is_some() {
                out.line();
            }
            out.indent(indent);
        }
        match &item.what {
            What::Comment(token) => out.push(token.text),
            What::Node(own) => node(own, indent, out),
        }
        fresh = false;
        before = Some(item);
    }
}

/// Whether an item stands on the line of what is before it: a comment behind a node or brace, or what follows a comment.
fn same_line(before: Option<&Item<'_>>, item: &Item<'_>, next: Option<&Item<'_>>) -> bool {
    if item.lines > 0 {
        return false;
    }
    let after_comment = before.is_some_and(|before| matches!(before.what, What::Comment(_)));
    match &item.what {
        What::Node(_) => after_comment,
        What::Comment(token) => {
            let leads = token.kind == PieceKind::BlockComment && next.is_some_and(|next| next.lines == 0);
            after_comment || !leads
        }
    }
}

fn node(own: &Node<'_>, indent: usize, out: &mut Out) {
    if let Some(width) = node_width(own)
        && out.column() + width <= WIDTH
    {
        flat_node(own, out);
        return;
    }
    let deeper = indent + INDENT;
    let lines = lines_of(own, out.column());
    let mut glued = true;
    for (index, part) in own.parts.iter().enumerate() {
        match part {
            Part::Chunk(own_chunk) => {
                let breaks = match lines {
                    Lines::Kept => own_chunk.broken,
                    Lines::Filled => chunk_width(own_chunk).is_some_and(|width| {
                        out.column() + 1 + width + 2 > WIDTH && deeper + width + 2 <= WIDTH
                    }),
                };
                if !glued && !out.at_start() {
                    if breaks && index > 0 {
                        out.push(" \\");
                        out.line();
                        out.indent(deeper);
                    } else {
                        out.push(" ");
                    }
                }
                glued = chunk(own_chunk, deeper, out);
            }
            Part::Block(own_block) => {
                if !glued && !out.at_start() {
                    out.push(" ");
                }
                block(own_block, indent, out);
                glued = false;
            }
        }
    }
}

/// Whether the entries of a node keep their lines.
fn lines_of(own: &Node<'_>, column: usize) -> Lines {
    let chunks = || {
        own.parts.iter().filter_map(|part| match part {
            Part::Chunk(chunk) => Some(chunk),
            Part::Block(_) => None,
        })
    };
    if chunks().skip(1).any(|chunk| chunk.broken) {
        return Lines::Kept;
    }
    // The head alone fits: its block goes to lines of its own, and the head stays whole.
    let mut width = column;
    for part in &own.parts {
        match part {
            Part::Chunk(own_chunk) => match chunk_width(own_chunk) {
                Some(chunk_width) => width += chunk_width + 1,
                None => return Lines::Filled,
            },
            Part::Block(_) => {
                width += 2;
                break;
            }
        }
    }
    if width.saturating_sub(1) <= WIDTH {
        Lines::Kept
    } else {
        Lines::Filled
    }
}

/// Prints what stays together; whether the next part follows without a blank.
fn chunk(own: &Chunk<'_>, deeper: usize, out: &mut Out) -> bool {
    let mut before: Option<&Token<'_>> = None;
    // The last token that is no comment.
    let mut leading: Option<PieceKind> = None;
    for token in &own.tokens {
        if let Some(before) = before
            && blank_between(before, token)
            && !out.at_start()
        {
            out.push(" ");
        }
        if token.kind == PieceKind::LineComment {
            // Behind `/-` lines may end; elsewhere only `\` lets the node go on.
            if leading != Some(PieceKind::Slashdash) {
                out.push("\\ ");
            }
            out.push(token.text);
            out.line();
            out.indent(deeper);
        } else {
            out.push(token.text);
        }
        if !token.is_comment() {
            leading = Some(token.kind);
        }
        before = Some(token);
    }
    before.is_some_and(|token| token.kind == PieceKind::Slashdash)
}

fn blank_between(before: &Token<'_>, token: &Token<'_>) -> bool {
    // The marker of the version is written with a blank.
    let version =
        before.kind == PieceKind::Slashdash && token.kind == PieceKind::Name && token.text == "kdl-version";
    version || before.is_comment() || token.is_comment()
}

fn block(own: &Block<'_>, indent: usize, out: &mut Out) {
    if let Some(width) = block_width(own)
        && out.column() + width <= WIDTH
    {
        flat_block(own, out);
        return;
    }
    out.push("{");
    let behind_brace = own
        .items
        .first()
        .is_some_and(|first| same_line(None, first, own.items.get(1)));
    if !behind_brace {
        out.line();
    }
    items(&own.items, indent + INDENT, !behind_brace, out);
    out.line();
    out.indent(indent);
    out.push("}");
}

/// Characters of a node on one line; `None` where it needs more than one.
fn node_width(own: &Node<'_>) -> Option<usize> {
    let mut width = 0;
    let mut glued = true;
    for (index, part) in own.parts.iter().enumerate() {
        if !glued {
            width += 1;
        }
        glued = false;
        match part {
            Part::Chunk(own_chunk) => {
                if index > 0 && own_chunk.broken {
                    return None;
                }
                width += chunk_width(own_chunk)?;
                glued = own_chunk
                    .tokens
                    .last()
                    .is_some_and(|token| token.kind == PieceKind::Slashdash);
            }
            Part::Block(own_block) => width += block_width(own_block)?,
        }
        // Too wide for any line is all that is asked; what is deeply nested is not measured again and again.
        if width > WIDTH {
            return None;
        }
    }
    Some(width)
}

fn chunk_width(own: &Chunk<'_>) -> Option<usize> {
    let mut width = 0;
    let mut before: Option<&Token<'_>> = None;
    for token in &own.tokens {
        if token.kind == PieceKind::LineComment || super::super::line_ends(token.text) > 0 {
            return None;
        }
        width += usize::from(before.is_some_and(|before| blank_between(before, token)));
        width += token.text.chars().count();
        before = Some(token);
    }
    Some(width)
}

fn block_width(own: &Block<'_>) -> Option<usize> {
    if own.items.is_empty() {
        return Some(2);
    }
    if !own.one_line {
        return None;
    }
    let mut width = 4;
    let mut before: Option<&Item<'_>> = None;
    for item in &own.items {
        width += before.map_or(0, |before| separator(before).len());
        width += match &item.what {
            What::Comment(token) => token.text.chars().count(),
            What::Node(own_node) => node_width(own_node)?,
        };
        if width > WIDTH {
            return None;
        }
        before = Some(item);
    }
    Some(width)
}

/// What stands between two items on one line.
fn separator(before: &Item<'_>) -> &'static str {
    match before.what {
        What::Node(_) => "; ",
        What::Comment(_) => " ",
    }
}

fn flat_node(own: &Node<'_>, out: &mut Out) {
    let mut glued = true;
    for part in &own.parts {
        if !glued {
            out.push(" ");
        }
        match part {
            Part::Chunk(own_chunk) => glued = chunk(own_chunk, 0, out),
            Part::Block(own_block) => {
                flat_block(own_block, out);
                glued = false;
            }
        }
    }
}

fn flat_block(own: &Block<'_>, out: &mut Out) {
    if own.items.is_empty() {
        out.push("{}");
        return;
    }
    out.push("{ ");
    let mut before: Option<&Item<'_>> = None;
    for item in &own.items {
        if let Some(before) = before {
            out.push(separator(before));
        }
        match &item.what {
            What::Comment(token) => out.push(token.text),
            What::Node(own_node) => flat_node(own_node, out),
        }
        before = Some(item);
    }
    out.push(" }");
}
