//! Patterns in arguments: parsed, with their problems placed in the file.

use super::Decoder;
use crate::diagnostic::{Diagnostic, Level};
use crate::document::Alternatives;
use crate::pattern::Parsed;
use crate::read::node::{Argument, Node};
use crate::source::Spanned;

/// Longest pattern. Real ones are far shorter; the bound keeps what a pattern can expand to small.
const MAX_PATTERN_BYTES: usize = 4096;

impl Decoder<'_> {
    /// One pattern.
    pub(super) fn pattern<P>(
        &mut self,
        argument: &Argument,
        parse: impl Fn(&str) -> Parsed<P>,
    ) -> Option<Spanned<P>> {
        let text = self.text(argument)?;
        if text.value.len() > MAX_PATTERN_BYTES {
            let message = format!("a pattern is at most {MAX_PATTERN_BYTES} bytes long");
            self.error(
                "policy::pattern-too-long",
                message,
                argument.place,
                "write several patterns",
            );
            return None;
        }
        let (value, problems) = match parse(&text.value) {
            Ok((value, warnings)) => (Some(value), warnings),
            Err(problem) => (None, vec![problem]),
        };
        for problem in problems {
            let place = argument.inside(problem.range.start, problem.range.end);
            self.push(Diagnostic {
                level: problem.level,
                code: problem.code,
                message: problem.message,
                labels: vec![(place, String::new())],
                help: problem.help,
            });
        }
        debug_assert!(value.is_some() || self.diagnostics.iter().any(|found| found.level == Level::Error));
        value.map(|value| Spanned::new(value, argument.place))
    }

    /// All arguments of a node as patterns; at least one is needed.
    pub(super) fn patterns<P>(&mut self, node: &Node, parse: impl Fn(&str) -> Parsed<P>) -> Vec<Spanned<P>> {
        self.some_arguments(node);
        self.optional_patterns(&node.arguments, parse)
    }

    pub(super) fn optional_patterns<P>(
        &mut self,
        arguments: &[Argument],
        parse: impl Fn(&str) -> Parsed<P>,
    ) -> Vec<Spanned<P>> {
        arguments
            .iter()
            .filter_map(|argument| self.pattern(argument, &parse))
            .collect()
    }

    /// The patterns of `except` children.
    pub(super) fn exceptions<P>(
        &mut self,
        node: &Node,
        parse: impl Fn(&str) -> Parsed<P>,
    ) -> Vec<Spanned<P>> {
        let mut except = Vec::new();
        for child in node
            .children()
            .iter()
            .filter(|child| child.name.value == "except")
        {
            self.properties(child, &[]);
            self.no_children(child);
            except.extend(self.patterns(child, &parse));
        }
        except
    }

    /// Arguments with their exceptions.
    pub(super) fn alternatives<P>(
        &mut self,
        node: &Node,
        parse: impl Fn(&str) -> Parsed<P> + Copy,
    ) -> Alternatives<P> {
        Alternatives {
            patterns: self.patterns(node, parse),
            except: self.exceptions(node, parse),
        }
    }
}
