//! Check 20: what zsh can do without any program.

use crate::{Argument, Check, Finding, PartKind, Simple, Word};

/// Builtins of zsh and of its modules that load code, reach files and sockets without a program, or change how text is read.
const DANGEROUS: &[&str] = &[
    "emulate", "sysopen", "sysread", "sysseek", "syswrite", "zpty", "zselect", "zsocket", "zsystem", "ztcp",
    "zmodload",
];

/// Words before a command that leave it the same command.
const MODIFIERS: &[&str] = &["-", "builtin", "command", "exec", "nocorrect", "noglob"];

/// The one literal of a word that is nothing else.
fn literal(word: &Word) -> Option<&str> {
    let [part] = word.parts.as_slice() else {
        return None;
    };
    if let PartKind::Literal { text, .. } | PartKind::SingleQuoted(text) = &part.kind {
        Some(text)
    } else {
        None
    }
}

pub(super) fn command(simple: &Simple, findings: &mut Vec<Finding>) {
    let mut words = simple.words.iter().filter_map(|argument| match argument {
        Argument::Word(word) => Some(word),
        Argument::Assignment(_) => None,
    });
    let Some((word, name)) = words
        .by_ref()
        .map_while(|word| Some((word, literal(word)?)))
        .find(|(_, name)| !MODIFIERS.contains(name))
    else {
        return;
    };
    let edits = name == "fc" && words.any(|word| literal(word).is_some_and(|text| text.starts_with("-e")));
    if DANGEROUS.contains(&name) || name.starts_with("zf_") || edits {
        findings.push(Finding::new(
            Check::ZshDangerousCommands,
            word.span,
            format!("the zsh command `{name}`"),
        ));
    }
}

/// `=name` stands for the path of a program.
pub(super) fn word(text: &str, word: &Word, findings: &mut Vec<Finding>) {
    let expands = word.parts.first().is_some_and(|part| {
        matches!(part.kind, PartKind::Literal { .. })
            && part.span.of(text).strip_prefix('=').is_some_and(|name| {
                name.starts_with(|first: char| first.is_alphanumeric() || matches!(first, '_' | '.'))
            })
    });
    if expands {
        findings.push(Finding::new(
            Check::ZshDangerousCommands,
            word.span,
            "zsh replaces `=name` by the path of a program",
        ));
    }
}
