//! Why a text is not understood.

use crate::Span;

/// A text, or a piece of one, that the analysis does not fully understand. It can never be allowed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}: {}", .construct, .construct.about())]
pub struct NotUnderstood {
    /// What was met.
    pub construct: Construct,
    /// Where; for what is missing, the place it was opened or the end of the text.
    pub span: Span,
}

macro_rules! constructs {
    ($($(#[$doc:meta])* $name:ident = $slug:literal, $about:literal;)*) => {
        /// The named constructs that are refused.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Construct {
            $(#[doc = $about] $name,)*
        }

        impl Construct {
            /// All of them, in order.
            pub const ALL: &[Self] = &[$(Self::$name),*];

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

constructs! {
    TextTooLong = "text-too-long", "the text is longer than the limit";
    WordTooLong = "word-too-long", "an unquoted word is longer than the limit";
    TooDeep = "too-deep", "constructs nest deeper than the limit";
    TooManyCommands = "too-many-commands", "the text holds more commands than the limit";
    TooManyWords = "too-many-words", "an expansion makes more words than the limit";
    TooManyHeredocs = "too-many-heredocs", "more here-documents wait on one line than the limit";
    TooManySteps = "too-many-steps", "following the text takes more steps than the limit";
    ControlCharacter = "control-character", "a control character other than tab and newline";
    LeadingDash = "leading-dash", "a text that begins with `-` or `+` is an option to the shell";
    UnclosedSingleQuote = "unclosed-single-quote", "a single quote is never closed";
    UnclosedDoubleQuote = "unclosed-double-quote", "a double quote is never closed";
    UnclosedSubstitution = "unclosed-substitution", "a substitution is never closed";
    UnclosedBacktick = "unclosed-backtick", "a backtick is never closed";
    UnclosedExpansion = "unclosed-expansion", "a `${` is never closed";
    UnclosedCompound = "unclosed-compound", "a compound command is never closed";
    UnclosedHeredoc = "unclosed-heredoc", "a here-document has no end line";
    TrailingBackslash = "trailing-backslash", "a backslash at the end of the text";
    MissingCommand = "missing-command", "an operator without a command beside it";
    UnexpectedToken = "unexpected-token", "a token that cannot stand here";
    UnexpectedWord = "unexpected-word", "a word after a compound command";
    SplitToken = "split-token", "a line continuation inside a token";
    ArithmeticCode = "arithmetic-code", "arithmetic that may run code";
    Subscript = "subscript", "a subscript that is evaluated";
    IndirectExpansion = "indirect-expansion", "`${!x}` reads the variable another variable names";
    TransformExpansion = "transform-expansion", "`${x@op}` may evaluate the value";
    ExpansionOperator = "expansion-operator", "an operator of parameter expansion that is not followed";
    ExpansionOperand = "expansion-operand", "an operand of a parameter expansion that is not followed";
    LegacyArithmetic = "legacy-arithmetic", "`$[ ]` is obsolete arithmetic";
    LocaleString = "locale-string", "`$\"...\"` is translated text";
    FunsubExpansion = "function-substitution", "`${ cmd; }` runs a command in this shell";
    BacktickEscape = "backtick-escape", "a backslash inside backticks";
    BraceForm = "brace-form", "a brace expansion that is not followed";
    BracketPattern = "bracket-pattern", "a bracket pattern with quotes, expansions or braces in it";
    TildePrefix = "tilde-prefix", "a tilde prefix that is not followed";
    ExtendedGlob = "extended-glob", "an extended glob pattern";
    MidWordProcessSubstitution = "mid-word-process-substitution", "a process substitution inside a word";
    NamedDescriptor = "named-descriptor", "a redirection to a descriptor variable";
    DescriptorMove = "descriptor-move", "a redirection that moves a descriptor";
    DescriptorTooLarge = "descriptor-too-large", "a file descriptor of more than two digits";
    DoubleExpandedTarget = "double-expanded-target", "bash expands the target of `>&` twice";
    RedirectTarget = "redirect-target", "a redirection target that is not followed";
    HeredocDelimiter = "heredoc-delimiter", "a here-document delimiter that shells read in different ways";
    HeredocContinuation = "heredoc-continuation", "a line continuation in an expanding here-document that shells join in different ways";
    HeredocTabs = "heredoc-tabs", "an expansion over several lines of a here-document that strips tabs";
    HeredocInSubstitution = "heredoc-in-substitution", "a here-document beside other statements in a substitution";
    Coprocess = "coprocess", "a coprocess";
    SelectLoop = "select-loop", "a select loop";
    FunctionKeyword = "function-keyword", "the function keyword";
    FunctionName = "function-name", "a function with a name that is not plain or hides a builtin";
    TimeForm = "time-form", "a form of `time` that is not followed";
    RepeatedBang = "repeated-bang", "more than one `!`";
    ConditionOperator = "condition-operator", "an operator of `[[ ]]` that may evaluate code or is not followed";
    CasePattern = "case-pattern", "a case pattern that is not followed";
    AssignmentForm = "assignment-form", "a form of assignment that is not followed";
    NotInThisShell = "not-in-this-shell", "a construct that the declared shell reads differently";
    DynamicCommand = "dynamic-command", "the program to run is not known";
    DynamicEvaluation = "dynamic-evaluation", "text that is evaluated again is not known";
    BuiltinForm = "builtin-form", "a form of a builtin that is not followed";
    Sourcing = "sourcing", "a script file is read into this shell";
    TooManyReevaluations = "too-many-reevaluations", "re-evaluation nests deeper than the limit";
    TooManyInlinings = "too-many-inlinings", "functions call each other deeper than the limit";
    ReadersDisagree = "readers-disagree", "two readers cut the text in different ways";
    ShellOption = "shell-option", "a shell option that changes how the text is read";
    ShellVariable = "shell-variable", "an assignment that changes how the shell reads or runs the text";
}

impl std::fmt::Display for Construct {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}
