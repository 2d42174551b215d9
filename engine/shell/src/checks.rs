//! The named checks that guard the text of a command: a reader of it must see what the shell will see.
//!
//! A finding never allows anything; what it does is the policy's choice ([`Severity`]). Half of the checks are answered
//! here, from the text and its syntax tree ([`check_text`]); the others need to know what programs do and what the rules
//! say, and whoever knows that makes their [`Finding`]s.
//!
//! Invariant (precise): a check fires on a spelling that hides something from a reader, and stays silent on the ordinary
//! spellings listed beside it in the tables of its tests.

use std::str::FromStr;

use smol_str::SmolStr;

use crate::{Script, Shell, Span};

mod characters;
mod comments;
mod flags;
mod refusal;
mod tokens;
mod variables;
mod words;
mod zsh;

pub use refusal::finding_of;
pub use variables::commit_substitutions;

macro_rules! checks {
    ($($number:literal $name:ident = $slug:literal, $about:literal;)*) => {
        /// The checks, in the order of their numbers.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Check {
            $(#[doc = $about] $name,)*
        }

        impl Check {
            /// All of them, in the order of their numbers.
            pub const ALL: &[Self] = &[$(Self::$name),*];

            /// Stable number, from 1.
            #[must_use]
            pub fn number(self) -> u8 {
                match self { $(Self::$name => $number,)* }
            }

            /// Stable kebab-case name.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Self::$name => $slug,)* }
            }

            /// One line for a person.
            #[must_use]
            pub fn about(self) -> &'static str {
                match self { $(Self::$name => $about,)* }
            }
        }
    };
}

checks! {
    1 IncompleteCommand = "incomplete-command", "the text is a fragment of a command";
    2 JqSystemFunction = "jq-system-function", "a jq filter reaches beyond its input";
    3 JqFileArguments = "jq-file-arguments", "an option of jq reads a file that may not be read";
    4 ObfuscatedFlags = "obfuscated-flags", "a flag is put together from pieces";
    5 ShellMetacharacters = "shell-metacharacters", "an operator reaches a second shell inside an argument";
    6 DangerousVariables = "dangerous-variables", "a variable decides what runs or what is loaded";
    7 Newlines = "newlines", "a line ends where a reader would not end it";
    8 CommandSubstitution = "command-substitution", "the output of a command that is not allowed becomes part of the text";
    9 InputRedirection = "input-redirection", "input comes from where it may not be read";
    10 OutputRedirection = "output-redirection", "output goes to where it may not be written";
    11 IfsInjection = "ifs-injection", "the field separator is used to join or cut words";
    12 GitCommitSubstitution = "git-commit-substitution", "a commit message runs a command that is not allowed";
    13 ProcEnvironAccess = "proc-environ-access", "the memory or environment of a process is read";
    14 MalformedToken = "malformed-token", "two readers would cut the text in different ways";
    15 BackslashEscapedWhitespace = "backslash-escaped-whitespace", "an escaped blank in a command or a flag";
    16 BraceExpansion = "brace-expansion", "braces make a command, a flag or something hidden";
    17 ControlCharacters = "control-characters", "a character that a terminal does not show";
    18 UnicodeWhitespace = "unicode-whitespace", "a character that looks like another or like nothing";
    19 MidWordHash = "mid-word-hash", "a hash after a quote or an expansion that begins no comment";
    20 ZshDangerousCommands = "zsh-dangerous-commands", "a zsh command or expansion that reaches around programs";
    21 BackslashEscapedOperators = "backslash-escaped-operators", "an escaped operator that a second reader would obey";
    22 CommentQuoteDesync = "comment-quote-desync", "a quote in a comment that would hide the commands after it";
    23 QuotedNewline = "quoted-newline", "a quoted newline makes what follows look like a comment";
}

impl Check {
    /// What a finding does unless the policy says otherwise.
    #[must_use]
    pub fn default_severity(self) -> Severity {
        Severity::Ask
    }
}

/// There is no check of this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no check is called `{0}`")]
pub struct UnknownCheck(pub SmolStr);

impl FromStr for Check {
    type Err = UnknownCheck;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .iter()
            .copied()
            .find(|check| check.name() == name)
            .ok_or_else(|| UnknownCheck(name.into()))
    }
}

impl std::fmt::Display for Check {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// What a finding does to a verdict; in order of strictness.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Severity {
    /// Nothing; the check is not run.
    Off,
    /// It is reported.
    Warn,
    /// It is reported, and a person is asked.
    Ask,
    /// It is reported, and the command is denied.
    Deny,
}

impl Severity {
    /// All of them, mildest first.
    pub const ALL: &[Self] = &[Self::Off, Self::Warn, Self::Ask, Self::Deny];

    /// Its name in policies.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Warn => "warn",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }
}

/// There is no severity of this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no severity is called `{0}`")]
pub struct UnknownSeverity(pub SmolStr);

impl FromStr for Severity {
    type Err = UnknownSeverity;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .iter()
            .copied()
            .find(|severity| severity.name() == name)
            .ok_or_else(|| UnknownSeverity(name.into()))
    }
}

/// One place where a check fired.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The check.
    pub check: Check,
    /// The place in the text.
    pub span: Span,
    /// What was met there, for a person.
    pub message: String,
}

impl Finding {
    /// Makes a finding.
    #[must_use]
    pub fn new(check: Check, span: Span, message: impl Into<String>) -> Self {
        Self {
            check,
            span,
            message: message.into(),
        }
    }
}

/// Runs the checks that the text and its syntax tree answer: 1, 4, 7, 11, 14 to 23, in the order of the text.
///
/// Without a `script` (the text is not understood) only the checks of single characters are run; [`finding_of`] says to
/// which check the refusal itself belongs.
#[must_use]
pub fn check_text(text: &str, script: Option<&Script>, shell: Shell) -> Vec<Finding> {
    let mut findings = Vec::new();
    let Some(script) = script else {
        characters::check(text, None, &mut findings);
        return findings;
    };
    // Nothing is allocated unless something is found.
    characters::check(text, Some(script), &mut findings);
    comments::check(text, script, &mut findings);
    words::check(text, script, shell, &mut findings);
    findings.sort_by_key(|finding| (finding.span.start, finding.check));
    findings.dedup_by(|next, previous| next.check == previous.check && next.span == previous.span);
    findings
}

#[cfg(test)]
mod tests;
