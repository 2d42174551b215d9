//! What a KDL text is made of, blanks left out: for those who print it again.
//!
//! Invariant (whole): in a text without a mistake, everything between two pieces is blanks, ends of lines, `\` and `;`.

/// A part of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    pub(crate) kind: PieceKind,
    /// First byte.
    pub(crate) start: usize,
    /// Byte behind it.
    pub(crate) end: usize,
}

/// What a piece is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PieceKind {
    /// `// ...`, without the end of the line.
    LineComment,
    /// `/* ... */`.
    BlockComment,
    /// `/-`.
    Slashdash,
    /// `(type)`, whatever stands inside.
    Type,
    /// The name of a node.
    Name,
    /// An argument, or the name or value of a property.
    Value,
    /// The `=` of a property.
    Equals,
    /// `{`.
    Open,
    /// `}`.
    Close,
    /// Where a node begins; empty.
    NodeStart,
    /// Where a node ends; empty.
    NodeEnd,
}

/// The pieces passed so far, if anybody wants them.
#[derive(Clone, Debug)]
pub(super) struct Pieces(Option<Vec<Piece>>);

impl Pieces {
    pub(super) fn wanted() -> Self {
        Self(Some(Vec::new()))
    }

    pub(super) fn unwanted() -> Self {
        Self(None)
    }

    pub(super) fn add(&mut self, kind: PieceKind, start: usize, end: usize) {
        if let Some(list) = &mut self.0 {
            list.push(Piece { kind, start, end });
        }
    }

    pub(super) fn len(&self) -> usize {
        self.0.as_ref().map_or(0, Vec::len)
    }

    /// Takes back all but the first ones: the reader goes back to where it was then.
    pub(super) fn forget(&mut self, kept: usize) {
        if let Some(list) = &mut self.0 {
            list.truncate(kept);
        }
    }

    pub(super) fn into_list(self) -> Vec<Piece> {
        self.0.unwrap_or_default()
    }
}
