//! The typed syntax of an understood script: what the strict parser makes and everything later reads.
//!
//! It keeps what bash would see, with a byte [`Span`] on every node, and nothing that the parser did not fully
//! understand: there is no "other" variant. Invariant (no opaque node): a construct without a variant here is refused by
//! the parser as [`NotUnderstood`](crate::NotUnderstood).

use smol_str::SmolStr;

use crate::Span;

/// The shell that will read the text. It is an input, never guessed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Shell {
    /// GNU bash 5.2, not in POSIX mode.
    #[default]
    Bash,
    /// zsh 5.9 with default options.
    Zsh,
    /// A POSIX shell such as dash.
    Sh,
}

/// A whole understood text.
#[derive(Clone, Debug, PartialEq)]
pub struct Script {
    /// The shell whose grammar was applied.
    pub shell: Shell,
    /// The statements in order.
    pub body: List,
    /// Comments, without their newline, in order of appearance.
    pub comments: Vec<Span>,
    /// Whether the text is only plain words, plain quotes and simple operators, so that the second reader's agreement is
    /// proved by tests and need not be asked for.
    pub plain: bool,
}

/// Statements that run one after the other.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct List {
    /// In order.
    pub statements: Vec<Statement>,
    /// From the first to the last statement.
    pub span: Span,
}

/// Pipelines joined by `&&` and `||`, ended by `;`, `&` or a newline.
#[derive(Clone, Debug, PartialEq)]
pub struct Statement {
    /// Runs always.
    pub first: Pipeline,
    /// Each runs depending on the status so far.
    pub rest: Vec<(Joiner, Pipeline)>,
    /// Ended by `&`: runs in a background subshell.
    pub background: bool,
    /// Without the terminator.
    pub span: Span,
}

/// What joins two pipelines of a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Joiner {
    /// `&&`
    And,
    /// `||`
    Or,
}

/// Commands joined by `|` or `|&`.
#[derive(Clone, Debug, PartialEq)]
pub struct Pipeline {
    /// Begins with `!`.
    pub negated: bool,
    /// Begins with the reserved word `time`.
    pub timed: bool,
    /// At least one. With more than one, each runs in a subshell.
    pub stages: Vec<Command>,
    /// For each stage but the last: whether its standard error goes into the pipe too (`|&`).
    pub pipes_stderr: Vec<bool>,
    /// From `!` or `time` or the first stage to the last.
    pub span: Span,
}

/// One command with what is redirected around it.
#[derive(Clone, Debug, PartialEq)]
pub struct Command {
    /// What kind of command, with its parts.
    pub kind: CommandKind,
    /// In the order written.
    pub redirects: Vec<Redirect>,
    /// Includes the redirections. Empty for the simple command without words that stands after `time` alone.
    pub span: Span,
}

/// The commands of the shell grammar that are understood.
#[derive(Clone, Debug, PartialEq)]
#[expect(
    clippy::large_enum_variant,
    reason = "simple commands, the largest share by far, need no indirection"
)]
pub enum CommandKind {
    /// Assignments and words.
    Simple(Simple),
    /// `{ list; }`
    Group(List),
    /// `( list )`
    Subshell(List),
    /// `if`, with each `elif` as a further branch.
    If {
        /// Condition and body of `if` and of each `elif`.
        branches: Vec<(List, List)>,
        /// Body of `else`.
        otherwise: Option<List>,
    },
    /// `while` and `until`.
    While {
        /// True for `until`.
        until: bool,
        /// The condition list.
        condition: List,
        /// The body.
        body: List,
    },
    /// `for NAME in WORDS`.
    For {
        /// The loop variable.
        name: Name,
        /// The words after `in`; `None` without `in` (the positional parameters).
        words: Option<Vec<Word>>,
        /// The body.
        body: List,
    },
    /// `for ((a; b; c))`.
    ForArithmetic {
        /// The three expressions; an empty one is `None`.
        header: [Option<Arithmetic>; 3],
        /// The body.
        body: List,
    },
    /// `case WORD in`.
    Case {
        /// The word that is matched.
        subject: Word,
        /// Clauses in order.
        clauses: Vec<CaseClause>,
    },
    /// `NAME() body`; the body is a compound command.
    Function {
        /// Its name.
        name: Name,
        /// Its body with its own redirections.
        body: Box<Command>,
    },
    /// `[[ ]]`
    Condition(Condition),
    /// `(( ))`
    Arithmetic(Arithmetic),
}

/// A name with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// The name itself.
    pub text: SmolStr,
    /// Where it stands.
    pub span: Span,
}

/// One clause of a `case`.
#[derive(Clone, Debug, PartialEq)]
pub struct CaseClause {
    /// Patterns joined by `|`.
    pub patterns: Vec<Word>,
    /// May be empty.
    pub body: List,
    /// How it ends.
    pub end: CaseEnd,
}

/// How a clause of a `case` ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CaseEnd {
    /// `;;` or `esac`
    Break,
    /// `;&`
    FallThrough,
    /// `;;&`
    TestNext,
}

/// Assignments and words; at least one of them, or a redirection on the command, is there.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Simple {
    /// Before the first word.
    pub assignments: Vec<Assignment>,
    /// The command word and its arguments. For `export`, `declare`, `local`, `readonly` and `typeset`, an argument of the
    /// form `NAME=...` is an [`Argument::Assignment`].
    pub words: Vec<Argument>,
}

/// One argument of a simple command.
#[derive(Clone, Debug, PartialEq)]
pub enum Argument {
    /// An ordinary word.
    Word(Word),
    /// An assignment argument of a declaration builtin: neither split nor globbed.
    Assignment(Assignment),
}

/// `NAME=value`, `NAME+=value`, `NAME=(...)`.
#[derive(Clone, Debug, PartialEq)]
pub struct Assignment {
    /// The variable.
    pub name: Name,
    /// `+=`
    pub append: bool,
    /// What is assigned.
    pub value: AssignedValue,
    /// Name to end of value.
    pub span: Span,
}

/// The right side of an assignment.
#[derive(Clone, Debug, PartialEq)]
pub enum AssignedValue {
    /// A word (possibly empty); neither split nor globbed; tildes expand after `=` and `:`.
    Scalar(Word),
    /// `( words )`; the words are split and globbed.
    Array(Vec<Word>),
}

/// One word: concatenated parts. An empty list of parts is the empty right side of an assignment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Word {
    /// In order.
    pub parts: Vec<Part>,
    /// The whole word as written, quotes included.
    pub span: Span,
}

impl Word {
    /// The text of a word that is nothing but unquoted text without backslashes.
    pub(crate) fn plain(&self) -> Option<&str> {
        match self.parts.as_slice() {
            [
                Part {
                    kind: PartKind::Literal { text, escaped: false },
                    ..
                },
            ] => Some(text),
            _ => None,
        }
    }
}

/// A piece of a word.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// What it is.
    pub kind: PartKind,
    /// As written, quotes and `$` included.
    pub span: Span,
}

/// The kinds of pieces.
#[derive(Clone, Debug, PartialEq)]
pub enum PartKind {
    /// Unquoted text, backslash escapes and line continuations removed. `escaped` says that a backslash quoted at least one
    /// character of it; those characters are never glob, brace or tilde characters (these are parts of their own).
    Literal {
        /// The text after quote removal.
        text: SmolStr,
        /// Whether a backslash was removed.
        escaped: bool,
    },
    /// `'...'`
    SingleQuoted(SmolStr),
    /// `$'...'`, decoded. `None` when the result is not valid UTF-8 or holds a NUL: its value is unknown.
    AnsiC(Option<SmolStr>),
    /// `"..."`; inside are `Literal`, `Parameter`, `Substitution` and `Arithmetic` parts.
    DoubleQuoted(Vec<Part>),
    /// `$NAME`, `${...}`
    Parameter(Box<Parameter>),
    /// `$( )` or backticks. `$(<file)` is a substitution whose one command has only a redirection.
    Substitution(List),
    /// `<( )`
    ReadFrom(List),
    /// `>( )`
    WriteTo(List),
    /// `$(( ))`
    Arithmetic(Arithmetic),
    /// An unquoted pattern piece exactly as written: `*`, `?`, or a whole `[...]` bracket.
    Glob(SmolStr),
    /// An unquoted `{a,b}` or `{1..9}` that expands.
    Brace(Brace),
    /// An unquoted `~` or `~name` where it expands (in arguments that look like assignments too, as bash has it); the name is empty for `~`, `+` for `~+`, `-` for `~-`.
    Tilde(SmolStr),
}

/// A brace expansion.
#[derive(Clone, Debug, PartialEq)]
pub enum Brace {
    /// `{a,b,...}`; at least two alternatives, each the parts of a word (possibly none).
    List(Vec<Vec<Part>>),
    /// `{x..y}` or `{x..y..step}`, already expanded, at most the limit.
    Range(Vec<SmolStr>),
}

/// A parameter expansion.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Variable name, positional number, or one of `@ * # ? - $ !`.
    pub name: SmolStr,
    /// `${name[@]}`, `${name[*]}` or `${name[3]}`.
    pub index: Option<Index>,
    /// What is done with the value.
    pub op: ParameterOp,
}

impl Parameter {
    /// Whether it stands for a list whose words stay apart in double quotes.
    pub(crate) fn is_list(&self) -> bool {
        self.name == "@" || self.index == Some(Index::All)
    }
}

/// A subscript that evaluates nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Index {
    /// `[@]`
    All,
    /// `[*]`
    Joined,
    /// A literal number.
    At(i64),
}

/// The operators of parameter expansion that evaluate no code.
#[derive(Clone, Debug, PartialEq)]
pub enum ParameterOp {
    /// `$x`, `${x}`
    Plain,
    /// `${#x}`
    Length,
    /// `${x-w}` and `${x:-w}`; `colon` says that empty counts as unset. Likewise below.
    Default {
        /// Empty counts as unset.
        colon: bool,
        /// Used instead.
        word: Word,
    },
    /// `${x=w}`, `${x:=w}`
    Assign {
        /// Empty counts as unset.
        colon: bool,
        /// Assigned and used.
        word: Word,
    },
    /// `${x+w}`, `${x:+w}`
    Alternative {
        /// Empty counts as unset.
        colon: bool,
        /// Used if set.
        word: Word,
    },
    /// `${x?w}`, `${x:?w}`
    Require {
        /// Empty counts as unset.
        colon: bool,
        /// The message.
        word: Word,
    },
    /// `${x#p}`, `${x##p}`
    RemovePrefix {
        /// `##`
        longest: bool,
        /// The pattern.
        pattern: Word,
    },
    /// `${x%p}`, `${x%%p}`
    RemoveSuffix {
        /// `%%`
        longest: bool,
        /// The pattern.
        pattern: Word,
    },
    /// `${x/p/r}`, `${x//p/r}`, `${x/#p/r}`, `${x/%p/r}`
    Replace {
        /// `//`
        all: bool,
        /// The pattern (with a leading `#` or `%` kept in it).
        pattern: Word,
        /// The replacement, if any.
        replacement: Option<Word>,
    },
    /// `${x:off}`, `${x:off:len}` with arithmetic that evaluates no code.
    Substring {
        /// Offset.
        offset: Arithmetic,
        /// Length.
        length: Option<Arithmetic>,
    },
    /// `${x^}`, `${x^^}`, `${x,}`, `${x,,}`
    Case {
        /// Uppercase (`^`) or lowercase (`,`).
        upper: bool,
        /// Doubled operator.
        all: bool,
        /// The pattern, if any.
        pattern: Option<Word>,
    },
}

/// An arithmetic expression that is understood: literal numbers, operators, and variables.
///
/// bash evaluates the *value* of a variable named in arithmetic as an expression again, which can run code through
/// subscripts. The evaluation therefore accepts a variable only where its value is known to be a number.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Arithmetic {
    /// Variables that are read, by name (without or with `$`); also positional parameters, and `#`, `?`, `$`, `!`.
    pub reads: Vec<Name>,
    /// Variables that are assigned (`=`, `+=`, `++`, ...).
    pub writes: Vec<Name>,
    /// Command substitutions and parameter expansions with operators inside, in order.
    pub parts: Vec<Part>,
    /// Its value where it is made of literal numbers alone and was computed; division by zero and overflow are `None`.
    pub value: Option<i64>,
    /// The expression without its delimiters.
    pub span: Span,
}

/// The grammar of `[[ ]]`. Operands are neither split nor globbed.
#[derive(Clone, Debug, PartialEq)]
pub enum Condition {
    /// A word alone: true if not empty.
    NonEmpty(Word),
    /// `-f word` and so on; the operator includes the dash. `-v` and `-R` are refused by the parser.
    Unary(SmolStr, Word),
    /// `a == b`, `=~`, `<`, `-nt`, `-eq` and so on.
    Binary(Word, SmolStr, Word),
    /// `! c`
    Not(Box<Condition>),
    /// `a && b`
    And(Box<Condition>, Box<Condition>),
    /// `a || b`
    Or(Box<Condition>, Box<Condition>),
}

/// One redirection.
#[derive(Clone, Debug, PartialEq)]
pub struct Redirect {
    /// The file descriptor written before the operator.
    pub fd: Option<u32>,
    /// What is done, with the target.
    pub kind: RedirectKind,
    /// Descriptor to end of target (not the body of a here-document).
    pub span: Span,
}

/// The redirections that are understood.
#[derive(Clone, Debug, PartialEq)]
pub enum RedirectKind {
    /// `<`
    Read(Word),
    /// `>`
    Write(Word),
    /// `>|`
    Clobber(Word),
    /// `>>`
    Append(Word),
    /// `<>`
    ReadWrite(Word),
    /// `&>`, `>&word`
    WriteBoth(Word),
    /// `&>>`
    AppendBoth(Word),
    /// `<&n`, `>&n` with a literal descriptor.
    Duplicate {
        /// `<&` rather than `>&`.
        input: bool,
        /// The descriptor that is copied.
        from: u32,
    },
    /// `<&-`, `>&-`
    Close,
    /// `<<`, `<<-`
    HereDocument(HereDocument),
    /// `<<<`
    HereString(Word),
}

/// A here-document.
#[derive(Clone, Debug, PartialEq)]
pub struct HereDocument {
    /// `<<-`
    pub strip_tabs: bool,
    /// The delimiter was quoted: nothing in the body expands, and the body is one [`PartKind::SingleQuoted`] part.
    pub quoted: bool,
    /// The body as parts (`Literal`, `Parameter`, `Substitution`, `Arithmetic`).
    pub body: Vec<Part>,
    /// The body's bytes, without the delimiter line.
    pub span: Span,
}
