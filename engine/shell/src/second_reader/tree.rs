//! The tree-sitter side of the second reader.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::BTreeMap;

use smol_str::SmolStr;
use tree_sitter::{Node, Parser, Tree};

use crate::walk::{self, Place, Visitor};
use crate::{
    Argument, CommandKind, Construct, Count, Field, Limits, NotUnderstood, Origin, Part, Pipeline, Redirect,
    RedirectKind, Script, Simple, Span, Spelling, Value, Word,
};

/// Texts with more here-documents are not given to it: its scanner takes quadratic time on many of them.
const MAX_HEREDOCS: usize = 8;

/// Longer texts that were refused are not searched: its error recovery takes quadratic time on deep nesting.
const MAX_SEARCHED_BYTES: usize = 4 << 10;

/// Nodes of one tree that are looked at.
const MAX_NODES: usize = 200_000;

thread_local! {
    static PARSER: RefCell<Option<Parser>> = const { RefCell::new(None) };
}

/// Parses with the thread's parser; `None` when the text is not fit for it.
fn parse(text: &str) -> Option<Tree> {
    if text.len() > Limits::MAX_TEXT_BYTES || text.matches("<<").count() > MAX_HEREDOCS {
        return None;
    }
    // Without a final newline it can fall into error recovery.
    let text = format!("{text}\n");
    PARSER.with_borrow_mut(|slot| {
        if slot.is_none() {
            let mut parser = Parser::new();
            parser.set_language(&tree_sitter_bash::LANGUAGE.into()).ok()?;
            *slot = Some(parser);
        }
        slot.as_mut()?.parse(&text, None)
    })
}

/// Visits every node, parents first.
fn each(tree: &Tree, visit: &mut dyn FnMut(Node<'_>)) {
    let mut cursor = tree.walk();
    let mut seen = 0usize;
    loop {
        seen += 1;
        if seen > MAX_NODES {
            return;
        }
        visit(cursor.node());
        if cursor.goto_first_child() || cursor.goto_next_sibling() {
            continue;
        }
        loop {
            if !cursor.goto_parent() {
                return;
            }
            if cursor.goto_next_sibling() {
                break;
            }
        }
    }
}

fn span_of(node: Node<'_>, text: &str) -> Span {
    let end = node.end_byte().min(text.len());
    Span::new(node.start_byte().min(end), end)
}

/// Commands that the tree models as something else than a command with a name.
fn is_declared(name: &str) -> bool {
    matches!(
        name,
        "[" | "[[" | "export" | "declare" | "typeset" | "local" | "readonly" | "unset" | "unsetenv"
    )
}

/// Names of the commands of a script, as written.
#[derive(Default)]
struct Names<'t> {
    text: &'t str,
    found: Vec<Span>,
    /// Operators and bodies of here-documents.
    heredocs: Vec<Span>,
    /// `time` and `!` before what the tree does not read after them.
    prefixes: Vec<Span>,
    /// `time` alone, which the tree takes for a command.
    alone: Vec<Span>,
}

impl Visitor for Names<'_> {
    fn simple(&mut self, simple: &Simple) {
        if let Some(Argument::Word(word)) = simple.words.first() {
            self.found.push(word.span);
        }
    }

    fn word(&mut self, _word: &Word, _place: Place) {}

    fn part(&mut self, _part: &Part) {}

    fn pipeline(&mut self, pipeline: &Pipeline) {
        let Some(first) = pipeline.stages.first() else {
            return;
        };
        let prefix = Span {
            end: first.span.start,
            ..pipeline.span
        };
        let simple = matches!(first.kind, CommandKind::Simple(_));
        if pipeline.timed && first.span.start == first.span.end {
            self.alone.push(prefix);
        } else if pipeline.timed || (pipeline.negated && !simple) {
            self.prefixes.push(prefix);
        }
    }

    fn redirect(&mut self, redirect: &Redirect) {
        if let RedirectKind::HereDocument(document) = &redirect.kind {
            let end_line = self
                .text
                .get(document.span.end as usize..)
                .map_or(0, |rest| rest.find('\n').unwrap_or(rest.len()));
            self.heredocs.push(redirect.span);
            self.heredocs.push(Span {
                end: document.span.end + Span::new(0, end_line).end,
                ..document.span
            });
        }
    }
}

pub(super) fn vote(text: &str, script: &Script) -> Result<(), NotUnderstood> {
    let disagree = |span: Span| {
        Err(NotUnderstood {
            construct: Construct::ReadersDisagree,
            span,
        })
    };
    let mut names = Names {
        text,
        found: Vec::new(),
        heredocs: Vec::new(),
        prefixes: Vec::new(),
        alone: Vec::new(),
    };
    walk::script(script, &mut names);
    // It reads here-documents wrongly in many ways (their delimiters, substitutions and what follows on the line), so that it is
    // asked about the text around them.
    let around = Around::new(
        text,
        names.heredocs.iter().chain(&names.prefixes).copied().collect(),
    );
    let Some(tree) = parse(&around.text) else {
        return Ok(());
    };
    if tree.root_node().has_error() {
        let mut first = None;
        each(&tree, &mut |node| {
            if first.is_none() && (node.is_error() || node.is_missing()) {
                first = Some(around.original(span_of(node, &around.text)));
            }
        });
        return disagree(first.unwrap_or_else(|| Span::new(0, text.len())));
    }
    // Each name counts up for the strict parser and down for the tree.
    let mut balance: BTreeMap<&str, (i64, Span)> = BTreeMap::new();
    let hidden = |span: Span| {
        names
            .heredocs
            .iter()
            .any(|out| out.start <= span.start && span.end <= out.end)
    };
    for span in names.found.iter().copied().filter(|span| !hidden(*span)) {
        let name = span.of(text);
        if !is_declared(name) {
            balance.entry(name).or_insert((0, span)).0 += 1;
        }
    }
    each(&tree, &mut |node| {
        if node.kind() == "command_name" {
            let own = span_of(node, &around.text);
            let (name, span) = (own.of(&around.text), around.original(own));
            let timed = names
                .alone
                .iter()
                .any(|alone| alone.start <= span.start && span.end <= alone.end);
            if !is_declared(name) && !timed {
                balance.entry(name).or_insert((0, span)).0 -= 1;
            }
        }
    });
    match balance
        .values()
        .filter(|(count, _)| *count != 0)
        .map(|(_, span)| *span)
        .min()
    {
        Some(span) => disagree(span),
        None => Ok(()),
    }
}

/// A text without some of its parts. Where one was, a blank is left, or a newline if the part had one.
struct Around<'t> {
    text: Cow<'t, str>,
    /// Places in it after which bytes are missing, in order, each with all that are missing up to there.
    missing: Vec<(u32, u32)>,
}

impl<'t> Around<'t> {
    fn new(text: &'t str, mut without: Vec<Span>) -> Self {
        if without.is_empty() {
            return Self {
                text: Cow::Borrowed(text),
                missing: Vec::new(),
            };
        }
        without.sort_unstable();
        let mut rest = String::with_capacity(text.len());
        let mut missing = Vec::new();
        let mut at = 0;
        for span in without {
            // One may stand inside another.
            let span = Span {
                start: span.start.max(at),
                end: span.end.max(at),
            };
            let left_out = span.of(text);
            if left_out.is_empty() {
                continue;
            }
            rest.push_str(
                Span {
                    start: at,
                    end: span.start,
                }
                .of(text),
            );
            rest.push(if left_out.contains('\n') { '\n' } else { ' ' });
            at = span.end;
            let now = Span::new(0, rest.len()).end;
            missing.push((now, at - now));
        }
        let text_end = Span::new(0, text.len()).end;
        rest.push_str(
            Span {
                start: at,
                end: text_end,
            }
            .of(text),
        );
        Self {
            text: Cow::Owned(rest),
            missing,
        }
    }

    /// The span in the whole text.
    fn original(&self, span: Span) -> Span {
        let shift = |offset: u32| {
            let before = self.missing.partition_point(|(place, _)| *place <= offset);
            let missing = before.checked_sub(1).and_then(|at| self.missing.get(at));
            offset + missing.map_or(0, |(_, bytes)| *bytes)
        };
        Span {
            start: shift(span.start),
            end: shift(span.end),
        }
    }
}

pub(super) fn search(text: &str) -> Vec<Vec<Field>> {
    if text.len() > MAX_SEARCHED_BYTES {
        return Vec::new();
    }
    let Some(tree) = parse(text) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    each(&tree, &mut |node| {
        if node.kind() != "command" || found.len() >= Limits::DEFAULT.commands {
            return;
        }
        let mut words = Vec::new();
        let mut cursor = node.walk();
        for child in node.children(&mut cursor) {
            match child.kind() {
                "variable_assignment"
                | "file_redirect"
                | "heredoc_redirect"
                | "herestring_redirect"
                | "comment" => {}
                "command_name" => words.push(field(child.child(0).unwrap_or(child), text)),
                _ if child.is_named() => words.push(field(child, text)),
                _ => {}
            }
        }
        if !words.is_empty() {
            found.push(words);
        }
    });
    found
}

/// One argument: known only where it is plain text or plain quotes.
fn field(node: Node<'_>, text: &str) -> Field {
    let span = span_of(node, text);
    let known = known_text(node, text);
    let (value, count) = match known {
        Some(known) => (Value::Known(known), Count::One),
        None => (Value::Unknown(Origin::Variable), Count::Any),
    };
    Field {
        value,
        count,
        span,
        spelling: Spelling::default(),
    }
}

fn known_text(node: Node<'_>, text: &str) -> Option<SmolStr> {
    let raw = span_of(node, text).of(text);
    match node.kind() {
        "word" | "number" => unescaped(raw),
        "raw_string" => raw.strip_prefix('\'')?.strip_suffix('\'').map(SmolStr::from),
        "string" => {
            let inner = raw.strip_prefix('"')?.strip_suffix('"')?;
            if inner.contains(['$', '`', '\\']) {
                None
            } else {
                Some(inner.into())
            }
        }
        "concatenation" => {
            let mut joined = String::new();
            let mut cursor = node.walk();
            for child in node.children(&mut cursor) {
                joined.push_str(&known_text(child, text)?);
            }
            Some(joined.into())
        }
        _ => None,
    }
}

/// An unquoted word without anything that expands, its backslashes removed.
fn unescaped(raw: &str) -> Option<SmolStr> {
    let mut plain = String::with_capacity(raw.len());
    let mut chars = raw.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next()? {
                '\n' => {}
                escaped => plain.push(escaped),
            },
            '*' | '?' | '[' | '{' | '$' | '`' | '~' => return None,
            c => plain.push(c),
        }
    }
    Some(plain.into())
}

#[cfg(test)]
mod tests {
    use super::{Around, search};
    use crate::Span;

    #[test]
    fn places_around_what_is_left_out_are_those_of_the_whole_text() {
        let text = "cat <<E; ls\nbody\nE\nrm a";
        let (operator, body) = (Span::new(4, 7), Span::new(12, 19));
        let around = Around::new(text, vec![body, operator, Span::new(13, 15)]);
        assert_eq!(around.text, "cat  ; ls\n\nrm a");
        for name in ["cat", "ls", "rm"] {
            let start = around.text.find(name).unwrap();
            let own = Span::new(start, start + name.len());
            assert_eq!(around.original(own).of(text), name);
        }
    }

    #[test]
    fn commands_in_a_broken_text_are_found() {
        let names: Vec<Vec<Option<String>>> = search("git push -f origin && (")
            .iter()
            .map(|words| words.iter().map(|word| word.known().map(str::to_owned)).collect())
            .collect();
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(names, [[some("git"), some("push"), some("-f"), some("origin")]]);
    }
}
