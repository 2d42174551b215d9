//! Reads policy files: text of either spelling to one [`Document`], with every problem of the file at once.
//!
//! Text becomes nodes (`kdl`, `toml`), nodes become the document (`decode`); the second step is the same for both.
//!
//! Invariant (bounded): a file is at most [`MAX_TEXT_BYTES`] long and nested at most [`MAX_DEPTH`] deep; both are
//! checked before anything recursive looks at it.

mod decode;
pub(crate) mod kdl;
mod node;
pub(crate) mod toml;

pub use decode::vocabulary;
pub use kdl::{KdlTree, parse_kdl};
pub use node::{Argument, Disabled, Literal, Node, Property};

use engine_shell::Span;

use crate::diagnostic::{Diagnostic, Level};
use crate::document::Document;
use crate::source::{Place, SourceId, Sources};

/// Largest policy file: 1 MiB.
pub const MAX_TEXT_BYTES: usize = 1 << 20;

/// Deepest nesting of blocks, tables, arrays and comments.
pub const MAX_DEPTH: usize = 64;

/// Problems after which reading is given up.
pub const MAX_PROBLEMS: usize = 100;

/// How a policy file is spelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// KDL 2.0.
    Kdl,
    /// TOML 1.0.
    Toml,
}

impl Format {
    /// The spelling that a file's name promises: `.kdl` or `.toml`.
    #[must_use]
    pub fn of_name(name: &str) -> Option<Self> {
        match name.rsplit_once('.') {
            Some((_, "kdl")) => Some(Self::Kdl),
            Some((_, "toml")) => Some(Self::Toml),
            Some(_) | None => None,
        }
    }
}

/// Reads one file and keeps its text in `sources`.
///
/// The document is there exactly when no diagnostic is an error. Diagnostics are in the order of their places.
pub fn read(
    name: &str,
    text: &str,
    format: Format,
    sources: &mut Sources,
) -> (Option<Document>, Vec<Diagnostic>) {
    let (document, diagnostics) = read_what_is_there(name, text, format, sources);
    let failed = diagnostics
        .iter()
        .any(|diagnostic| diagnostic.level == Level::Error);
    ((!failed).then_some(document), diagnostics)
}

/// Reads the nodes of a file that is no policy, and keeps its text in `sources`.
///
/// KDL gives its nodes as they are. In TOML a key is a node: a value or a list of values are its arguments, a table is its children (`args`
/// in it the arguments), a list of tables is a node for each. Where every table of a list says its `node`, the list is the children of one
/// node, in order; a list of such tables under the key `nodes` stands for its nodes in the place of the key.
pub fn read_nodes(
    name: &str,
    text: &str,
    format: Format,
    sources: &mut Sources,
) -> (Vec<Node>, Vec<Diagnostic>) {
    let source = match keep(name, text, sources) {
        Ok(source) => source,
        Err(diagnostic) => return (Vec::new(), vec![diagnostic]),
    };
    match format {
        Format::Kdl => {
            let tree = parse_kdl(text, source);
            (tree.nodes, tree.diagnostics)
        }
        Format::Toml => toml::parse_plain_toml(text, source),
    }
}

/// Keeps the text of a file, if it is one that can be read.
fn keep(name: &str, text: &str, sources: &mut Sources) -> Result<SourceId, Diagnostic> {
    let kept = if text.len() > MAX_TEXT_BYTES { "" } else { text };
    let Some(source) = sources.add(name, kept) else {
        let message = format!("a policy is made of at most {} files", Sources::MAX_TEXTS);
        return Err(Diagnostic::error(
            "policy::too-many-files",
            message,
            Place::default(),
        ));
    };
    if text.len() > MAX_TEXT_BYTES {
        let place = Place {
            source,
            ..Place::default()
        };
        let message = format!("`{name}` is longer than {MAX_TEXT_BYTES} bytes");
        return Err(Diagnostic::error("policy::too-large", message, place));
    }
    Ok(source)
}

/// As [`read`], but what could be read is there even if something else could not be, for those who look for further problems. With an
/// error among the diagnostics the document must not decide.
pub fn read_what_is_there(
    name: &str,
    text: &str,
    format: Format,
    sources: &mut Sources,
) -> (Document, Vec<Diagnostic>) {
    let source = match keep(name, text, sources) {
        Ok(source) => source,
        Err(diagnostic) => return (Document::default(), vec![diagnostic]),
    };
    let (nodes, mut diagnostics, disabled) = match format {
        Format::Kdl => {
            let tree = parse_kdl(text, source);
            (tree.nodes, tree.diagnostics, tree.disabled)
        }
        Format::Toml => {
            let (nodes, diagnostics) = toml::parse_toml(text, source);
            (nodes, diagnostics, Vec::new())
        }
    };
    diagnostics.extend(disabled.iter().filter_map(decode::disabled_rule));
    let mut document = decode::decode(&nodes, format, &mut diagnostics);
    document.whole.place = Place {
        source,
        span: Span::new(0, text.len()),
    };
    // Where there are too many, warnings go first.
    diagnostics.sort_by_key(|diagnostic| std::cmp::Reverse(diagnostic.level));
    diagnostics.truncate(MAX_PROBLEMS);
    diagnostics.sort_by_key(|diagnostic| diagnostic.place().map(|place| place.span.start));
    (document, diagnostics)
}
