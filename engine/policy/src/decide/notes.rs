//! What is to be said of commands, whatever is decided about them: to whoever approves them, and in what is written down.
//!
//! Invariant (wherever it runs): a command is noted that runs behind a wrapper, in a nested text or as a step of a tool as much as one
//! that is called by its name.

use engine_shell::Span;
use smol_str::SmolStr;

use super::Decider;
use crate::effect::Use;
use crate::verdict::Note;

/// Subcommands that others may notice, by program. Source: the lists of commands in git(1), gh(1) and glab(1).
const OPERATIONS: &[(&str, &[&[&str]])] = &[
    (
        "git",
        &[
            &["am"],
            &["cherry-pick"],
            &["commit"],
            &["merge"],
            &["push"],
            &["rebase"],
            &["reset"],
            &["revert"],
            &["tag"],
        ],
    ),
    (
        "gh",
        &[&["pr", "create"], &["pr", "merge"], &["release", "create"]],
    ),
    (
        "glab",
        &[&["mr", "create"], &["mr", "merge"], &["release", "create"]],
    ),
];

impl Decider<'_> {
    /// Notes what the definition of a command says of it.
    pub(super) fn notes(&mut self, usage: &Use, span: Span) {
        let span = self.outer.unwrap_or(span);
        for warning in &usage.warnings {
            note(&mut self.warnings, warning, span);
        }
        if let Some(operation) = operation(usage) {
            note(&mut self.operations, &operation, span);
        }
    }
}

fn note(notes: &mut Vec<Note>, text: &SmolStr, span: Span) {
    match notes.iter_mut().find(|note| note.text == *text) {
        // Of a text whose beginning ran before, the last place counts.
        Some(known) if known.span.start < span.start => known.span = span,
        Some(_) => {}
        None => notes.push(Note {
            text: text.clone(),
            span,
        }),
    }
}

/// The operation of version control that a command is, if it is one.
fn operation(usage: &Use) -> Option<SmolStr> {
    let (program, words) = usage.command.split_first()?;
    let (_, known) = OPERATIONS.iter().find(|(name, _)| name == program)?;
    let own = known
        .iter()
        .find(|own| own.len() <= words.len() && own.iter().zip(words).all(|(own, word)| own == word))?;
    Some(own.join(" ").into())
}
