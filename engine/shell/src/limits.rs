//! Every limit of the shell analysis, in one place. All are counts, never wall clock, so that an answer is repeatable.

/// Counts that bound the work on one text. Reaching one is [`NotUnderstood`](crate::NotUnderstood), never a guess.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of one text; 64 KiB by default, configurable up to [`Limits::MAX_TEXT_BYTES`].
    pub text_bytes: usize,
    /// Bytes of one unquoted piece of a word. No path is longer (`PATH_MAX` of Linux, limits.h(0p)), and what is longer is not
    /// shown whole to a person who is asked.
    pub word_bytes: usize,
    /// Nesting of constructs. Each list, compound command, double quote, substitution, expansion and operand counts, so
    /// that `"$( )"` is three deep.
    pub depth: usize,
    /// Simple commands in one text, nested ones included.
    pub commands: usize,
    /// Words that one expansion (braces, loops) may make.
    pub expansion_words: usize,
    /// Values in one [`Value::OneOf`](crate::Value::OneOf).
    pub set_values: usize,
    /// Levels of re-evaluation (`bash -c`, `eval`, wrappers).
    pub reevaluations: usize,
    /// Levels of function inlining.
    pub inlining: usize,
    /// Here-documents pending on one line.
    pub pending_heredocs: usize,
    /// Steps of the abstract evaluation of one text, loops and inlined functions included.
    pub steps: usize,
}

impl Limits {
    /// Largest text that may be configured: 1 MiB.
    pub const MAX_TEXT_BYTES: usize = 1 << 20;

    /// The limits the product ships with.
    pub const DEFAULT: Self = Self {
        text_bytes: 64 << 10,
        word_bytes: 4096,
        depth: 64,
        commands: 4096,
        expansion_words: 1000,
        set_values: 64,
        reevaluations: 10,
        inlining: 8,
        pending_heredocs: 16,
        steps: 100_000,
    };
}
