//! Check 11, and the part of check 12 that the text answers.

use crate::{
    Argument, AssignedValue, Brace, Check, Finding, ParameterOp, Part, PartKind, Script, Simple, Span, Word,
};

use crate::walk::{self, Place, Visitor};

/// Follows whether the field separator was changed.
#[derive(Debug, Default)]
pub(super) struct Separator {
    /// Where the shell's `IFS` was assigned.
    changed: Option<Span>,
}

impl Separator {
    /// Looks at the assignments of a command. One for a single command (`IFS= read`) changes nothing for later ones.
    pub(super) fn assigned(&mut self, simple: &Simple) {
        let lasting = if simple.words.is_empty() {
            simple.assignments.as_slice()
        } else {
            &[]
        };
        let declared = simple.words.iter().filter_map(|argument| match argument {
            Argument::Assignment(assignment) => Some(assignment),
            Argument::Word(_) => None,
        });
        for assignment in lasting.iter().chain(declared) {
            if assignment.name.text == "IFS" {
                self.changed = Some(assignment.span);
            }
        }
    }

    /// Looks at a word that the shell splits.
    pub(super) fn word(&mut self, word: &Word, findings: &mut Vec<Finding>) {
        self.parts(&word.parts, findings);
    }

    fn parts(&mut self, parts: &[Part], findings: &mut Vec<Finding>) {
        for part in parts {
            match &part.kind {
                PartKind::Parameter(parameter)
                    if parameter.name == "IFS" && parameter.op != ParameterOp::Length =>
                {
                    findings.push(Finding::new(
                        Check::IfsInjection,
                        part.span,
                        "the field separator stands in a word",
                    ));
                }
                PartKind::Parameter(_) | PartKind::Substitution(_) => {
                    // Reported once, at the assignment.
                    findings.extend(self.changed.take().map(|span| {
                        Finding::new(
                            Check::IfsInjection,
                            span,
                            "the field separator is changed and an unquoted expansion follows",
                        )
                    }));
                }
                PartKind::Brace(Brace::List(alternatives)) => {
                    for alternative in alternatives {
                        self.parts(alternative, findings);
                    }
                }
                PartKind::Literal { .. }
                | PartKind::SingleQuoted(_)
                | PartKind::AnsiC(_)
                | PartKind::DoubleQuoted(_)
                | PartKind::ReadFrom(_)
                | PartKind::WriteTo(_)
                | PartKind::Arithmetic(_)
                | PartKind::Glob(_)
                | PartKind::Brace(Brace::Range(_))
                | PartKind::Tilde(_) => {}
            }
        }
    }
}

/// The substitutions inside the words of `git commit`, whose text becomes part of the history: check 12 fires on those with
/// a command that is not allowed.
#[must_use]
pub fn commit_substitutions(text: &str, script: &Script) -> Vec<Span> {
    let mut commits = Commits {
        text,
        words: Vec::new(),
        found: Vec::new(),
    };
    walk::script(script, &mut commits);
    commits.found
}

struct Commits<'a> {
    text: &'a str,
    /// The spans of the words of the `git commit` commands.
    words: Vec<Span>,
    found: Vec<Span>,
}

impl Visitor for Commits<'_> {
    fn simple(&mut self, simple: &Simple) {
        let mut words = simple.words.iter().map(|argument| match argument {
            Argument::Word(word) => word.span,
            Argument::Assignment(assignment) => match &assignment.value {
                AssignedValue::Scalar(word) => word.span,
                AssignedValue::Array(_) => assignment.span,
            },
        });
        let is_git = |span: Span| span.of(self.text).rsplit('/').next() == Some("git");
        if words.by_ref().any(is_git) && words.clone().any(|span| span.of(self.text) == "commit") {
            self.words.extend(words);
        }
    }

    fn word(&mut self, _word: &Word, _place: Place) {}

    fn part(&mut self, part: &Part) {
        let inside = |word: &Span| word.start <= part.span.start && part.span.end <= word.end;
        if matches!(part.kind, PartKind::Substitution(_)) && self.words.iter().any(inside) {
            self.found.push(part.span);
        }
    }
}
