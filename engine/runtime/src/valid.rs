//! A call whose tool there is, and whose input that tool takes.
//!
//! Invariant (no other way): handlers, bodies and decisions take a [`Valid`], which is made by validating alone: what was not validated
//! cannot be decided, and what was is not validated again.

use std::sync::Arc;

use engine_tools::definition::Tool;
use engine_tools::{Input, InputError, Sender};
use serde_json::Value as Json;

/// A tool with an input that it takes.
#[derive(Debug)]
pub(crate) struct Valid {
    tool: Arc<Tool>,
    input: Input,
    json: Json,
}

impl Valid {
    /// Validates an input.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with it.
    pub(crate) fn new(tool: &Arc<Tool>, input: &Json, sender: Sender) -> Result<Self, InputError> {
        let input = tool.validate(input, sender)?;
        Ok(Self {
            tool: Arc::clone(tool),
            json: input.to_json(),
            input,
        })
    }

    /// The same tool with another input of a model.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with it.
    pub(crate) fn with_input(&self, input: &Json) -> Result<Self, InputError> {
        Self::new(&self.tool, input, Sender::Model)
    }

    /// The tool.
    pub(crate) fn tool(&self) -> &Tool {
        &self.tool
    }

    /// Its name.
    pub(crate) fn name(&self) -> &str {
        &self.tool.name.value
    }

    /// The input, with every default in place.
    pub(crate) fn input(&self) -> &Input {
        &self.input
    }

    /// The same as JSON.
    pub(crate) fn json(&self) -> &Json {
        &self.json
    }
}
