//! The tools that the engine brings along, embedded as the text of their definitions.
//!
//! Invariant (no broken data): a test reads and checks every one of them, so that [`shipped`] need not report anything.

use std::sync::{Arc, LazyLock};

use engine_policy::read::Format;
use engine_policy::{Diagnostic, Sources};

use crate::definition::{Tool, read};

mod data {
    //! Names and texts of the files.
    include!(concat!(env!("OUT_DIR"), "/shipped.rs"));
}

/// The shipped tools, read once.
static SHIPPED: LazyLock<Vec<Arc<Tool>>> =
    LazyLock::new(|| read_shipped().0.into_iter().map(Arc::new).collect());

/// The shipped tools in the order of their files.
#[must_use]
pub fn shipped() -> &'static [Arc<Tool>] {
    &SHIPPED
}

/// The definitions as text, by the names of their files.
#[must_use]
pub fn shipped_text() -> &'static [(&'static str, &'static str)] {
    data::TOOLS
}

/// The text of a shipped file of prompts.
fn prompt(file: &str) -> Option<String> {
    data::PROMPTS
        .iter()
        .find(|(name, _)| *name == file)
        .map(|(_, text)| (*text).to_owned())
}

fn read_shipped() -> (Vec<Tool>, Vec<Diagnostic>, Sources) {
    let mut sources = Sources::new();
    let mut tools = Vec::new();
    let mut diagnostics = Vec::new();
    for (file, text) in data::TOOLS {
        let (read, problems) = read(
            &format!("builtin:tools/{file}"),
            text,
            Format::Kdl,
            &prompt,
            &mut sources,
        );
        tools.extend(read);
        diagnostics.extend(problems);
    }
    (tools, diagnostics, sources)
}

#[cfg(test)]
mod tests;
