//! Any file: reading it in both spellings and compiling it.

use engine_policy::definition::read_definitions;
use engine_policy::read::{Format, read};
use engine_policy::{Level, Sources, compile};

use crate::Violation;

/// Reads a text as a policy of each spelling, compiles what can be read, and writes the plan and reads it back.
///
/// # Errors
/// If a diagnostic lies outside of the text, a document comes with an error or without a word, or a plan does not survive.
pub fn reads_policy(text: &str) -> Result<(), Violation> {
    let (_, problems) = read_definitions(text);
    for problem in &problems {
        let (line, column) = problem.place(text);
        if line == 0 || column == 0 || line > text.split('\n').count() {
            return Err(Violation(format!(
                "definitions: no place {line}:{column} in {text:?}"
            )));
        }
    }
    for format in [Format::Kdl, Format::Toml] {
        let mut sources = Sources::new();
        let (document, diagnostics) = read("input", text, format, &mut sources);
        for diagnostic in &diagnostics {
            for (place, _) in &diagnostic.labels {
                if text
                    .get(place.span.start as usize..place.span.end as usize)
                    .is_none()
                {
                    return Err(Violation(format!(
                        "{format:?}: {} lies outside of {text:?}",
                        diagnostic.code
                    )));
                }
            }
        }
        let wrong = diagnostics
            .iter()
            .any(|diagnostic| diagnostic.level == Level::Error);
        if wrong == document.is_some() {
            return Err(Violation(format!(
                "{format:?}: errors and a document, or neither, for {text:?}"
            )));
        }
        let Some(document) = document else { continue };
        let Ok(plan) = compile(&[document], Vec::new(), &sources) else {
            continue;
        };
        // That it decides alike when it is read back is held elsewhere: what is read back stays in memory.
        if plan.to_bytes().is_none() {
            return Err(Violation(format!("a plan of {text:?} cannot be written")));
        }
    }
    Ok(())
}
