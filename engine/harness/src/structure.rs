//! The plainest prediction that a script allows: every command that stands in it, with unknown words wherever something expands.
//!
//! It follows no variable and no directory. It tests the parser alone, without the evaluation: whatever cuts a text wrongly shows as a
//! command that does not stand in the script.
//!
//! Invariant: what runs values as code, or hides commands in values, is refused here rather than followed.

use engine_shell::{
    Access, AccessMode, Argument, Arithmetic, AssignedValue, Assignment, Brace, Command, CommandKind,
    Condition, Construct, Count, Directory, Evaluation, Field, Index, Invocation, InvocationKind, List,
    Origin, Parameter, ParameterOp, Part, PartKind, Pipeline, Reach, Redirect, RedirectKind, Script, Simple,
    Span, Stdin, Value, Word,
};

/// Builtins that run text, or change how texts are read.
const RUNNING: &[&str] = &[
    "eval",
    ".",
    "source",
    "trap",
    "alias",
    "shopt",
    "enable",
    "hash",
    "bind",
    "complete",
    "compgen",
    "mapfile",
    "readarray",
    "fc",
    "let",
    "jobs",
    "history",
    "autoload",
    "run-help",
];

/// Builtins that evaluate subscripts in the names they are given, or integers in the values.
const NAMING: &[&str] = &[
    "declare", "typeset", "local", "export", "readonly", "unset", "read", "printf", "test", "[", "getopts",
    "wait", "set",
];

/// Builtins that run the command after them.
const PASSING: &[&str] = &["command", "builtin", "exec"];

/// Variables that change what is run.
const TELLING: &[&str] = &[
    "PATH",
    "IFS",
    "PS4",
    "BASH_ENV",
    "ENV",
    "HOME",
    "CDPATH",
    "GLOBIGNORE",
    "SHELLOPTS",
    "BASHOPTS",
    "BASH_CMDS",
    "BASH_ALIASES",
    "POSIXLY_CORRECT",
    "EXECIGNORE",
];

/// What stands in a script, or why that is not enough to say what runs.
pub(crate) fn read_structure(script: &Script) -> Result<Evaluation, Construct> {
    let mut reader = Reader {
        found: Evaluation::default(),
    };
    reader.list(&script.body)?;
    Ok(reader.found)
}

struct Reader {
    found: Evaluation,
}

type Read = Result<(), Construct>;

impl Reader {
    fn list(&mut self, list: &List) -> Read {
        for statement in &list.statements {
            self.pipeline(&statement.first)?;
            for (_, pipeline) in &statement.rest {
                self.pipeline(pipeline)?;
            }
        }
        Ok(())
    }

    fn pipeline(&mut self, pipeline: &Pipeline) -> Read {
        pipeline.stages.iter().try_for_each(|stage| self.command(stage))
    }

    fn command(&mut self, command: &Command) -> Read {
        for redirect in &command.redirects {
            self.redirect(redirect)?;
        }
        match &command.kind {
            CommandKind::Simple(simple) => self.simple(simple),
            CommandKind::Group(list) | CommandKind::Subshell(list) => self.list(list),
            CommandKind::If { branches, otherwise } => {
                for (condition, body) in branches {
                    self.list(condition)?;
                    self.list(body)?;
                }
                otherwise.iter().try_for_each(|body| self.list(body))
            }
            CommandKind::While { condition, body, .. } => {
                self.list(condition)?;
                self.list(body)
            }
            CommandKind::For { name, words, body } => {
                check_name(&name.text)?;
                for word in words.iter().flatten() {
                    self.word(word)?;
                }
                self.list(body)
            }
            CommandKind::ForArithmetic { header, body } => {
                header.iter().flatten().try_for_each(Self::arithmetic)?;
                self.list(body)
            }
            CommandKind::Case { subject, clauses } => {
                self.word(subject)?;
                for clause in clauses {
                    clause
                        .patterns
                        .iter()
                        .try_for_each(|pattern| self.word(pattern))?;
                    self.list(&clause.body)?;
                }
                Ok(())
            }
            CommandKind::Function { body, .. } => self.command(body),
            CommandKind::Condition(condition) => self.condition(condition),
            CommandKind::Arithmetic(expression) => Self::arithmetic(expression),
        }
    }

    fn simple(&mut self, simple: &Simple) -> Read {
        for assignment in &simple.assignments {
            self.assignment(assignment)?;
        }
        let mut fields = Vec::new();
        for argument in &simple.words {
            match argument {
                Argument::Word(word) => {
                    self.word(word)?;
                    fields.push(field_of(word));
                }
                Argument::Assignment(assignment) => {
                    self.assignment(assignment)?;
                    fields.push(Field {
                        value: Value::Unknown(Origin::Variable),
                        ..Field::literal("", assignment.span)
                    });
                }
            }
        }
        if fields.is_empty() {
            Ok(())
        } else {
            self.invocation(fields)
        }
    }

    fn invocation(&mut self, fields: Vec<Field>) -> Read {
        let mut rest = fields.iter();
        let name = rest
            .next()
            .and_then(Field::known)
            .ok_or(Construct::DynamicCommand)?;
        if RUNNING.contains(&name) {
            return Err(Construct::BuiltinForm);
        }
        let plain = |field: &Field| {
            field
                .known()
                .is_some_and(|text| !text.contains('[') && !text.starts_with('-'))
        };
        if NAMING.contains(&name) && !rest.clone().all(plain) {
            return Err(Construct::BuiltinForm);
        }
        if PASSING.contains(&name) {
            let inner: Vec<Field> = rest.cloned().collect();
            if inner
                .first()
                .is_some_and(|field| field.known().is_none_or(|text| text.starts_with('-')))
            {
                return Err(Construct::BuiltinForm);
            }
            if !inner.is_empty() {
                self.invocation(inner)?;
            }
        }
        self.found.invocations.push(Invocation {
            words: fields,
            kind: InvocationKind::Program,
            span: Span::default(),
            settings: Vec::new(),
            inherited: Vec::new(),
            directory: Directory::Unknown(Origin::Variable),
            stdin: Stdin::Inherited,
            piped_into: Vec::new(),
            captured: false,
            reach: Reach::default(),
        });
        Ok(())
    }

    fn assignment(&mut self, assignment: &Assignment) -> Read {
        check_name(&assignment.name.text)?;
        match &assignment.value {
            AssignedValue::Scalar(word) => self.word(word),
            AssignedValue::Array(words) => words.iter().try_for_each(|word| self.word(word)),
        }
    }

    fn redirect(&mut self, redirect: &Redirect) -> Read {
        let (mode, target) = match &redirect.kind {
            RedirectKind::Read(word) => (AccessMode::Read, word),
            RedirectKind::Write(word) | RedirectKind::Clobber(word) | RedirectKind::WriteBoth(word) => {
                (AccessMode::Write, word)
            }
            RedirectKind::Append(word) | RedirectKind::AppendBoth(word) => (AccessMode::Append, word),
            RedirectKind::ReadWrite(word) => (AccessMode::ReadWrite, word),
            RedirectKind::Duplicate { .. } | RedirectKind::Close => return Ok(()),
            RedirectKind::HereDocument(document) => return self.parts(&document.body),
            RedirectKind::HereString(word) => return self.word(word),
        };
        self.word(target)?;
        let directory = Directory::Unknown(Origin::Variable);
        self.found.accesses.push(Access {
            mode,
            path: field_of(target).value,
            directory,
            span: redirect.span,
        });
        Ok(())
    }

    fn word(&mut self, word: &Word) -> Read {
        self.parts(&word.parts)
    }

    fn parts(&mut self, parts: &[Part]) -> Read {
        for part in parts {
            match &part.kind {
                PartKind::Literal { .. }
                | PartKind::SingleQuoted(_)
                | PartKind::AnsiC(_)
                | PartKind::Glob(_)
                | PartKind::Tilde(_)
                | PartKind::Brace(Brace::Range(_)) => {}
                PartKind::DoubleQuoted(inner) => self.parts(inner)?,
                PartKind::Parameter(parameter) => self.parameter(parameter)?,
                PartKind::Substitution(list) | PartKind::ReadFrom(list) | PartKind::WriteTo(list) => {
                    if let Some(path) = only_reads(list) {
                        let directory = Directory::Unknown(Origin::Variable);
                        let path = field_of(path).value;
                        self.found.accesses.push(Access {
                            mode: AccessMode::Read,
                            path,
                            directory,
                            span: part.span,
                        });
                    }
                    self.list(list)?;
                }
                PartKind::Arithmetic(expression) => Self::arithmetic(expression)?,
                PartKind::Brace(Brace::List(alternatives)) => {
                    alternatives
                        .iter()
                        .try_for_each(|alternative| self.parts(alternative))?;
                }
            }
        }
        Ok(())
    }

    fn parameter(&mut self, parameter: &Parameter) -> Read {
        match &parameter.op {
            ParameterOp::Plain | ParameterOp::Length => Ok(()),
            ParameterOp::Assign { word, .. } => {
                check_name(&parameter.name)?;
                self.word(word)
            }
            ParameterOp::Default { word, .. }
            | ParameterOp::Alternative { word, .. }
            | ParameterOp::Require { word, .. } => self.word(word),
            ParameterOp::RemovePrefix { pattern, .. } | ParameterOp::RemoveSuffix { pattern, .. } => {
                self.word(pattern)
            }
            ParameterOp::Replace {
                pattern, replacement, ..
            } => {
                self.word(pattern)?;
                replacement.iter().try_for_each(|word| self.word(word))
            }
            ParameterOp::Substring { offset, length } => {
                Self::arithmetic(offset)?;
                length.iter().try_for_each(Self::arithmetic)
            }
            ParameterOp::Case { pattern, .. } => pattern.iter().try_for_each(|word| self.word(word)),
        }
    }

    /// The value of a variable is evaluated in turn, so none may be read.
    fn arithmetic(expression: &Arithmetic) -> Read {
        if !expression.reads.is_empty() || !expression.parts.is_empty() {
            return Err(Construct::ArithmeticCode);
        }
        expression
            .writes
            .iter()
            .try_for_each(|name| check_name(&name.text))
    }

    fn condition(&mut self, condition: &Condition) -> Read {
        match condition {
            Condition::NonEmpty(word) | Condition::Unary(_, word) => self.word(word),
            Condition::Binary(left, operator, right) => {
                let number = |word| {
                    field_of(word)
                        .known()
                        .is_some_and(|text| text.bytes().all(|byte| byte.is_ascii_digit()))
                };
                let files = matches!(operator.as_str(), "-nt" | "-ot" | "-ef");
                if operator.starts_with('-') && !files && !(number(left) && number(right)) {
                    return Err(Construct::ConditionOperator);
                }
                self.word(left)?;
                self.word(right)
            }
            Condition::Not(inner) => self.condition(inner),
            Condition::And(left, right) | Condition::Or(left, right) => {
                self.condition(left)?;
                self.condition(right)
            }
        }
    }
}

/// The file of `$(<file)`.
fn only_reads(list: &List) -> Option<&Word> {
    let [statement] = list.statements.as_slice() else {
        return None;
    };
    let [stage] = statement.first.stages.as_slice() else {
        return None;
    };
    match (&stage.kind, stage.redirects.as_slice()) {
        (
            CommandKind::Simple(simple),
            [
                Redirect {
                    kind: RedirectKind::Read(word),
                    ..
                },
            ],
        ) if simple.words.is_empty() => Some(word),
        _ => None,
    }
}

fn check_name(name: &str) -> Read {
    if TELLING.contains(&name) {
        Err(Construct::ShellVariable)
    } else {
        Ok(())
    }
}

/// What a word may become: known, one unknown word with known ends, or any words.
fn field_of(word: &Word) -> Field {
    let mut text = Text {
        known: String::new(),
        suffix: None,
        splits: false,
    };
    word.parts.iter().for_each(|part| text.add(part, false));
    let value = match text.suffix {
        _ if text.splits => Value::Unknown(Origin::Variable),
        Some(suffix) => Value::Affixed {
            prefix: text.known.into(),
            suffix: suffix.into(),
        },
        None => Value::Known(text.known.into()),
    };
    let count = if text.splits { Count::Any } else { Count::One };
    Field {
        value,
        count,
        ..Field::literal("", word.span)
    }
}

struct Text {
    /// What is known from the start.
    known: String,
    /// What is known at the end, once something unknown was met.
    suffix: Option<String>,
    splits: bool,
}

impl Text {
    fn push(&mut self, text: &str) {
        self.suffix.as_mut().unwrap_or(&mut self.known).push_str(text);
    }

    fn add(&mut self, part: &Part, quoted: bool) {
        match &part.kind {
            PartKind::Literal { text, .. } | PartKind::SingleQuoted(text) | PartKind::AnsiC(Some(text)) => {
                self.push(text);
            }
            PartKind::DoubleQuoted(inner) => inner.iter().for_each(|part| self.add(part, true)),
            PartKind::AnsiC(None) | PartKind::ReadFrom(_) | PartKind::WriteTo(_) | PartKind::Tilde(_) => {
                self.suffix = Some(String::new());
            }
            PartKind::Parameter(parameter) => {
                let list = parameter.name == "@" || parameter.index == Some(Index::All);
                self.unknown(!quoted || list || operand_lists(parameter));
            }
            PartKind::Substitution(_) | PartKind::Arithmetic(_) => self.unknown(!quoted),
            PartKind::Glob(_) | PartKind::Brace(_) => self.unknown(true),
        }
    }

    fn unknown(&mut self, splits: bool) {
        self.suffix = Some(String::new());
        self.splits |= splits;
    }
}

/// An operand may hold `"$@"`, which makes several words even inside of quotes.
fn operand_lists(parameter: &Parameter) -> bool {
    match &parameter.op {
        ParameterOp::Default { .. } | ParameterOp::Assign { .. } | ParameterOp::Alternative { .. } => true,
        ParameterOp::Plain
        | ParameterOp::Length
        | ParameterOp::Require { .. }
        | ParameterOp::RemovePrefix { .. }
        | ParameterOp::RemoveSuffix { .. }
        | ParameterOp::Replace { .. }
        | ParameterOp::Substring { .. }
        | ParameterOp::Case { .. } => false,
    }
}
