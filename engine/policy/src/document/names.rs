//! The closed sets of words that a policy is written with.
//!
//! Invariant (one list): each enum lists its spelled names once, in `ALL`; readers and their "did you mean" help use nothing
//! else.

/// Makes an enum whose variants have one spelling each.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $word:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
        pub enum $name {
            $($(#[$variant_doc])* $variant,)+
        }

        impl $name {
            /// Every value with its spelling, in order.
            pub const ALL: &'static [(&'static str, Self)] = &[$(($word, Self::$variant),)+];

            /// The spelling in policy files.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)+
                }
            }

            /// The value of a spelling.
            #[must_use]
            pub fn from_word(word: &str) -> Option<Self> {
                Self::ALL.iter().find(|(name, _)| *name == word).map(|&(_, value)| value)
            }
        }
    };
}

words! {
    /// What a rule does; ordered by strictness, so that `max` is the stricter one.
    Outcome {
        /// The call may go ahead.
        Allow = "allow",
        /// A person decides.
        Ask = "ask",
        /// The call may not go ahead.
        Deny = "deny",
    }
}

words! {
    /// What a call asks for.
    RequestKind {
        /// Running a program.
        Command = "command",
        /// Reading a path.
        Read = "read",
        /// Creating or changing a path.
        Write = "write",
        /// Deleting a path.
        Delete = "delete",
        /// Connecting to a host.
        Network = "network",
        /// Using a tool.
        Tool = "tool",
        /// Setting an environment variable.
        Env = "env",
        /// Starting a sub-agent.
        Agent = "agent",
        /// Using a skill.
        Skill = "skill",
        /// Changing the mode.
        Mode = "mode",
    }
}

words! {
    /// What a finding of a shell check does.
    Severity {
        /// The check does not run.
        Off = "off",
        /// The finding is reported and changes nothing.
        Warn = "warn",
        /// The finding turns allow into ask.
        Ask = "ask",
        /// The finding denies.
        Deny = "deny",
    }
}

words! {
    /// How a session treats verdicts.
    Mode {
        /// Verdicts as they are.
        Default = "default",
        /// Whatever writes is denied.
        Plan = "plan",
        /// Writes inside the project that would ask are allowed.
        AcceptEdits = "accept-edits",
        /// Ask becomes deny.
        DontAsk = "dont-ask",
        /// Ask becomes allow; deny stays.
        Bypass = "bypass",
    }
}

words! {
    /// Parts of a policy that the managed layer may lock.
    Lockable {
        /// Rules and defaults.
        Rules = "rules",
        /// Shell checks.
        Checks = "checks",
        /// The sandbox.
        Sandbox = "sandbox",
        /// Modes.
        Modes = "modes",
        /// Hooks.
        Hooks = "hooks",
        /// Budgets.
        Budgets = "budgets",
    }
}

words! {
    /// The shell that runs a command.
    Shell {
        /// GNU bash.
        Bash = "bash",
        /// zsh.
        Zsh = "zsh",
        /// The system's `sh`.
        Sh = "sh",
    }
}

/// Names of the shell checks, by number from 1.
pub const CHECK_NAMES: &[&str] = &[
    "incomplete-command",
    "jq-system-function",
    "jq-file-arguments",
    "obfuscated-flags",
    "shell-metacharacters",
    "dangerous-variables",
    "newlines",
    "command-substitution",
    "input-redirection",
    "output-redirection",
    "ifs-injection",
    "git-commit-substitution",
    "proc-environ-access",
    "malformed-token",
    "backslash-escaped-whitespace",
    "brace-expansion",
    "control-characters",
    "unicode-whitespace",
    "mid-word-hash",
    "zsh-dangerous-commands",
    "backslash-escaped-operators",
    "comment-quote-desync",
    "quoted-newline",
];

/// Names of the limits of the shell analysis, each a field of [`engine_shell::Limits`] with dashes.
pub const LIMIT_NAMES: &[&str] = &[
    "text-bytes",
    "depth",
    "commands",
    "expansion-words",
    "set-values",
    "reevaluations",
    "inlining",
    "pending-heredocs",
    "steps",
];
