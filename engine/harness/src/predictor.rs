//! Asks the analysis what a text does, in the world that the watched shells live in.
//!
//! Invariant: the analysis is told exactly the shell, the home and the directory that the watched shell has, and nothing else.

use std::path::Path;

use engine_shell::{Construct, Context, Directory, Evaluation, Limits, Shell, Stdin, evaluate, parse};
use smol_str::SmolStr;

use crate::event::Event;
use crate::laboratory::Laboratory;
use crate::structure::read_structure;

/// How much of the analysis is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Depth {
    /// The parser alone; see [`read_structure`].
    Parser,
    /// The parser and the evaluation: what the product uses.
    Evaluation,
}

/// Predicts texts for one shell.
#[derive(Debug)]
pub(crate) struct Predictor {
    shell: Shell,
    depth: Depth,
    limits: Limits,
    home: SmolStr,
    directory: SmolStr,
}

impl Predictor {
    /// For one shell in one laboratory.
    pub(crate) fn new(shell: Shell, depth: Depth, laboratory: &Laboratory) -> Self {
        let text = |path: &Path| SmolStr::from(path.display().to_string());
        Self {
            shell,
            depth,
            limits: Limits::DEFAULT,
            home: text(&laboratory.home()),
            directory: text(&laboratory.directory()),
        }
    }

    /// Whether this depth says nothing about such events: the parser alone follows no variables.
    pub(crate) fn ignores(&self, event: &Event) -> bool {
        self.depth == Depth::Parser && matches!(event, Event::Inherit { .. })
    }

    /// What a text does, or why it is not understood.
    pub(crate) fn predict(&self, text: &str) -> Result<Evaluation, Construct> {
        if text.contains('\0') {
            return Err(Construct::ControlCharacter);
        }
        let script = parse(text, self.shell, &self.limits).map_err(|error| error.construct)?;
        match self.depth {
            Depth::Parser => read_structure(&script),
            Depth::Evaluation => {
                let found = evaluate(&script, text, &self.context());
                match found.refusals.first() {
                    Some(refusal) => Err(refusal.construct),
                    None => Ok(found),
                }
            }
        }
    }

    fn context(&self) -> Context<'_> {
        Context {
            shell: self.shell,
            limits: &self.limits,
            home: Some(self.home.clone()),
            directory: Directory::OneOf(vec![self.directory.clone()]),
            variables: Vec::new(),
            positional: None,
            stdin: Stdin::Inherited,
            level: 0,
        }
    }
}
