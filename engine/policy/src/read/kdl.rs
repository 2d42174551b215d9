//! Reads KDL 2.0 text into nodes.
//!
//! Written here rather than taken from a library because a policy file may come from a repository that nobody trusts yet, and
//! because its author needs every mistake at once: this reader uses bounded stack for any nesting, goes on behind
//! an error at the next node, and remembers what `/-` takes out. A property test holds it against the `kdl` crate.
//!
//! Invariant (bounded): text is limited to [`MAX_TEXT_BYTES`](super::MAX_TEXT_BYTES), nesting of blocks and of comments to
//! [`MAX_DEPTH`](super::MAX_DEPTH); work is linear in the text.

mod chars;
mod number;
mod parse;
mod piece;
mod string;

pub(crate) use chars::{is_blank, is_forbidden, is_newline};
pub(crate) use parse::parse_pieces;
pub use parse::{KdlTree, parse_kdl};
pub(crate) use piece::{Piece, PieceKind};
