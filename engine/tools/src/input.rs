//! The input of a call: validated against the fields of its tool, or refused with everything that is wrong with it.
//!
//! Invariant (validated): an [`Input`] is made by [`Tool::validate`] alone, so whoever holds one need not look again.

mod validate;

use std::fmt;

use serde_json::{Map, Value as Json};
use smol_str::SmolStr;

use crate::definition::{Field, Tool};

/// Who sent an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sender {
    /// A model, an MCP client or anybody else outside: internal fields are refused.
    Model,
    /// The engine itself, which may fill internal fields.
    Engine,
}

/// An input with every default in place, numbers and booleans as such.
#[derive(Clone, Debug, PartialEq)]
pub struct Input {
    map: Map<String, Json>,
}

impl Input {
    /// All fields.
    #[must_use]
    pub fn as_map(&self) -> &Map<String, Json> {
        &self.map
    }

    /// All fields as one JSON object.
    #[must_use]
    pub fn to_json(&self) -> Json {
        Json::Object(self.map.clone())
    }

    /// The value of a field.
    #[must_use]
    pub fn get(&self, field: &str) -> Option<&Json> {
        self.map.get(field)
    }

    /// The text of a field.
    #[must_use]
    pub fn text(&self, field: &str) -> Option<&str> {
        self.get(field)?.as_str()
    }

    /// The whole number of a field.
    #[must_use]
    pub fn integer(&self, field: &str) -> Option<i64> {
        self.get(field)?.as_i64()
    }

    /// Whether a field is true; one that is left out is not.
    #[must_use]
    pub fn is_true(&self, field: &str) -> bool {
        self.get(field).and_then(Json::as_bool) == Some(true)
    }
}

/// Everything that is wrong with an input. Its text is meant for the model that sent it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct InputError {
    /// The tool.
    pub tool: SmolStr,
    /// Every problem, in the order of the fields; at least one.
    pub problems: Vec<InputProblem>,
    /// What else the model should know, such as that it never saw the schema.
    pub hint: Option<String>,
}

/// One thing that is wrong with an input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputProblem {
    /// The field, as `todos[2].status`; empty for the input as a whole.
    pub field: String,
    /// What is wrong with it, one line.
    pub message: String,
}

impl fmt::Display for InputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let noun = if self.problems.len() == 1 {
            "issue"
        } else {
            "issues"
        };
        write!(
            f,
            "InputValidationError: {} failed due to the following {noun}:",
            self.tool
        )?;
        for problem in &self.problems {
            write!(f, "\n{}", problem.message)?;
        }
        match &self.hint {
            Some(hint) => write!(f, "\n\n{hint}"),
            None => Ok(()),
        }
    }
}

impl Tool {
    /// Validates an input and fills in what it leaves out.
    pub fn validate(&self, input: &Json, sender: Sender) -> Result<Input, InputError> {
        validate::validate(self, input, sender)
            .map(|map| Input { map })
            .map_err(|problems| InputError {
                tool: self.name.value.clone(),
                problems,
                hint: None,
            })
    }
}

/// What is wrong with a value of one field.
pub(crate) fn problems_of(field: &Field, value: &Json) -> Vec<String> {
    validate::field(field, value)
        .into_iter()
        .map(|problem| problem.message)
        .collect()
}

#[cfg(test)]
mod tests;
