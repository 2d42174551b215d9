//! What the other shells read differently, and the words that shells treat as their own.
//!
//! zsh 5.9 with default options, dash 0.5 as the POSIX shell. Sources: their manuals, and differential runs.

use crate::{Argument, Construct, Pipeline, Redirect, RedirectKind, Shell};

use super::{
    Parsed,
    cursor::{Parser, is_meta},
};

/// A reserved word of bash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reserved {
    If,
    Then,
    Elif,
    Else,
    Fi,
    Do,
    Done,
    Case,
    Esac,
    While,
    Until,
    For,
    In,
    Function,
    Select,
    Coproc,
    Time,
    Bang,
    OpenBrace,
    CloseBrace,
    OpenCondition,
    CloseCondition,
}

impl Reserved {
    pub(super) fn of(word: &[u8]) -> Option<Self> {
        Some(match word {
            b"if" => Self::If,
            b"then" => Self::Then,
            b"elif" => Self::Elif,
            b"else" => Self::Else,
            b"fi" => Self::Fi,
            b"do" => Self::Do,
            b"done" => Self::Done,
            b"case" => Self::Case,
            b"esac" => Self::Esac,
            b"while" => Self::While,
            b"until" => Self::Until,
            b"for" => Self::For,
            b"in" => Self::In,
            b"function" => Self::Function,
            b"select" => Self::Select,
            b"coproc" => Self::Coproc,
            b"time" => Self::Time,
            b"!" => Self::Bang,
            b"{" => Self::OpenBrace,
            b"}" => Self::CloseBrace,
            b"[[" => Self::OpenCondition,
            b"]]" => Self::CloseCondition,
            _ => return None,
        })
    }

    /// Whether it can only end or continue a compound command, never begin a command.
    pub(super) fn closes(self) -> bool {
        match self {
            Self::Then
            | Self::Elif
            | Self::Else
            | Self::Fi
            | Self::Do
            | Self::Done
            | Self::Esac
            | Self::In
            | Self::CloseBrace
            | Self::CloseCondition => true,
            Self::If
            | Self::Case
            | Self::While
            | Self::Until
            | Self::For
            | Self::Function
            | Self::Select
            | Self::Coproc
            | Self::Time
            | Self::Bang
            | Self::OpenBrace
            | Self::OpenCondition => false,
        }
    }
}

/// Length of the longest reserved word.
const LONGEST_RESERVED: usize = 8;

/// Builtins whose `NAME=value` arguments are assignments.
pub(super) fn declares(word: &str) -> bool {
    matches!(word, "export" | "declare" | "local" | "readonly" | "typeset")
}

/// Builtins of bash; a function of such a name changes what the rest of the text means.
pub(super) fn is_builtin(word: &str) -> bool {
    matches!(
        word,
        "." | ":"
            | "["
            | "alias"
            | "bg"
            | "bind"
            | "break"
            | "builtin"
            | "caller"
            | "cd"
            | "command"
            | "compgen"
            | "complete"
            | "compopt"
            | "continue"
            | "declare"
            | "dirs"
            | "disown"
            | "echo"
            | "enable"
            | "eval"
            | "exec"
            | "exit"
            | "export"
            | "false"
            | "fc"
            | "fg"
            | "getopts"
            | "hash"
            | "help"
            | "history"
            | "jobs"
            | "kill"
            | "let"
            | "local"
            | "logout"
            | "mapfile"
            | "popd"
            | "printf"
            | "pushd"
            | "pwd"
            | "read"
            | "readarray"
            | "readonly"
            | "return"
            | "set"
            | "shift"
            | "shopt"
            | "source"
            | "suspend"
            | "test"
            | "times"
            | "trap"
            | "true"
            | "type"
            | "typeset"
            | "ulimit"
            | "umask"
            | "unalias"
            | "unset"
            | "wait"
    )
}

/// Command words that the second reader cuts in its own way, so that a text with one is not plain.
pub(super) fn reads_oddly(word: &str) -> bool {
    declares(word) || matches!(word, "test" | "unset" | "unsetenv")
}

/// Words that zsh reads specially in command position.
pub(super) fn is_zsh_command_word(word: &str) -> bool {
    matches!(
        word,
        "always" | "run-help" | "which-command" | "end" | "float" | "foreach" | "integer" | "repeat"
    )
}

/// Words of zsh before a command that leave it the same command.
fn is_zsh_modifier(word: &str) -> bool {
    matches!(word, "-" | "nocorrect" | "noglob")
}

/// Whether there are words, and all are modifiers, so that the next word is the command.
pub(super) fn only_zsh_modifiers(words: &[Argument]) -> bool {
    let modifier = |word: &Argument| match word {
        Argument::Word(word) => word.plain().is_some_and(is_zsh_modifier),
        Argument::Assignment(_) => false,
    };
    !words.is_empty() && words.iter().all(modifier)
}

/// Whether zsh takes the beginning of this command word for something else: `{word}` is a group, `1=x` an assignment to a
/// positional parameter.
pub(super) fn begins_oddly_in_zsh(word: &str) -> bool {
    let after = word.trim_start_matches(|digit: char| digit.is_ascii_digit());
    // A name may have letters beyond ASCII there.
    let foreign = word
        .split_once('=')
        .is_some_and(|(name, _)| !name.is_ascii() && !name.contains(['"', '\'', '$', '/', '`']));
    foreign || word.starts_with('{') || (after.len() < word.len() && after.starts_with(['=', '+', '[']))
}

impl Parser<'_> {
    /// The reserved word here, if there is one. Only asked in command position.
    pub(super) fn reserved(&self) -> Parsed<Option<Reserved>> {
        if !matches!(self.peek(), b'a'..=b'z' | b'!' | b'{' | b'}' | b'[' | b']') {
            return Ok(None);
        }
        let mut length = 0;
        while !is_meta(self.peek_at(length)) && self.peek_at(length) != b'\\' {
            length += 1;
            if length > LONGEST_RESERVED {
                return Ok(None);
            }
        }
        let word = self.bytes.get(self.pos..self.pos + length).unwrap_or_default();
        let found = Reserved::of(word);
        if self.peek_at(length) == b'\\' {
            if found.is_some() && self.continues_at(length) {
                return Err(self.here(Construct::SplitToken));
            }
            return Ok(None);
        }
        Ok(found)
    }

    /// Refuses what is a construct of bash and zsh only.
    #[inline]
    pub(super) fn not_sh(&self, start: usize) -> Parsed<()> {
        match self.shell {
            Shell::Sh => Err(self.since(Construct::NotInThisShell, start)),
            Shell::Bash | Shell::Zsh => Ok(()),
        }
    }

    /// Refuses what zsh reads in another way.
    #[inline]
    pub(super) fn not_zsh(&self, start: usize) -> Parsed<()> {
        match self.shell {
            Shell::Zsh => Err(self.since(Construct::NotInThisShell, start)),
            Shell::Bash | Shell::Sh => Ok(()),
        }
    }

    /// Refuses what only bash reads in this way.
    #[inline]
    pub(super) fn bash_only(&self, start: usize) -> Parsed<()> {
        match self.shell {
            Shell::Bash => Ok(()),
            Shell::Zsh | Shell::Sh => Err(self.since(Construct::NotInThisShell, start)),
        }
    }

    /// zsh copies the output to every redirection of one descriptor and to the pipe as well, and joins several inputs.
    pub(super) fn check_multios(&self, pipeline: &Pipeline) -> Parsed<()> {
        if self.shell != Shell::Zsh {
            return Ok(());
        }
        let last = pipeline.stages.len().saturating_sub(1);
        for (index, stage) in pipeline.stages.iter().enumerate() {
            let mut taken: Vec<u32> = Vec::new();
            if index > 0 {
                taken.push(0);
            }
            if index < last {
                taken.push(1);
            }
            if pipeline.pipes_stderr.get(index) == Some(&true) {
                taken.push(2);
            }
            for redirect in &stage.redirects {
                for fd in written_descriptors(redirect) {
                    if taken.contains(&fd) {
                        return Err(crate::NotUnderstood {
                            construct: Construct::NotInThisShell,
                            span: redirect.span,
                        });
                    }
                    taken.push(fd);
                }
            }
        }
        Ok(())
    }
}

/// The descriptors that a redirection sets.
fn written_descriptors(redirect: &Redirect) -> Vec<u32> {
    match &redirect.kind {
        RedirectKind::WriteBoth(_) | RedirectKind::AppendBoth(_) => vec![1, 2],
        RedirectKind::Read(_)
        | RedirectKind::ReadWrite(_)
        | RedirectKind::HereDocument(_)
        | RedirectKind::HereString(_) => vec![redirect.fd.unwrap_or(0)],
        RedirectKind::Write(_) | RedirectKind::Clobber(_) | RedirectKind::Append(_) => {
            vec![redirect.fd.unwrap_or(1)]
        }
        RedirectKind::Duplicate { input, .. } => {
            vec![redirect.fd.unwrap_or(u32::from(!*input))]
        }
        RedirectKind::Close => Vec::new(),
    }
}
