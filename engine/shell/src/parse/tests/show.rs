//! A short notation of scripts, so that tests can state all of one.
//!
//! Statements are joined by ` ; `, words by spaces. In words: `'a'` and `"a"` are quoted, `\a` holds an escaped character,
//! `«*»` is a pattern, `«~x»` a tilde, `«{a|b}»` braces, `${x op}` a parameter, `$(...)` a substitution.

use std::fmt::Write;

use crate::{
    Argument, Arithmetic, AssignedValue, Assignment, Brace, CaseEnd, Command, CommandKind, Condition, Index,
    Joiner, List, Parameter, ParameterOp, Part, PartKind, Pipeline, Redirect, RedirectKind, Statement, Word,
};

fn join<T>(items: &[T], separator: &str, show: impl Fn(&T) -> String) -> String {
    items.iter().map(show).collect::<Vec<_>>().join(separator)
}

pub(super) fn show_list(list: &List) -> String {
    join(&list.statements, " ; ", show_statement)
}

fn show_statement(statement: &Statement) -> String {
    let mut shown = show_pipeline(&statement.first);
    for (joiner, pipeline) in &statement.rest {
        let sign = match joiner {
            Joiner::And => "&&",
            Joiner::Or => "||",
        };
        let _ = write!(shown, " {sign} {}", show_pipeline(pipeline));
    }
    if statement.background {
        shown.push_str(" &");
    }
    shown
}

fn show_pipeline(pipeline: &Pipeline) -> String {
    let mut shown = String::new();
    if pipeline.negated {
        shown.push_str("! ");
    }
    if pipeline.timed {
        shown.push_str("time ");
    }
    for (index, stage) in pipeline.stages.iter().enumerate() {
        if let Some(before) = index.checked_sub(1) {
            shown.push_str(if pipeline.pipes_stderr[before] {
                " |& "
            } else {
                " | "
            });
        }
        shown.push_str(&show_command(stage));
    }
    shown
}

fn show_command(command: &Command) -> String {
    let mut pieces = vec![show_kind(&command.kind)];
    pieces.extend(command.redirects.iter().map(show_redirect));
    pieces.retain(|piece| !piece.is_empty());
    pieces.join(" ")
}

fn show_kind(kind: &CommandKind) -> String {
    match kind {
        CommandKind::Simple(simple) => {
            let assignments = simple.assignments.iter().map(show_assignment);
            let words = simple.words.iter().map(|argument| match argument {
                Argument::Word(word) => show_word(word),
                Argument::Assignment(assignment) => show_assignment(assignment),
            });
            assignments.chain(words).collect::<Vec<_>>().join(" ")
        }
        CommandKind::Group(list) => format!("{{ {} }}", show_list(list)),
        CommandKind::Subshell(list) => format!("( {} )", show_list(list)),
        CommandKind::If { branches, otherwise } => {
            let shown = join(branches, " elif ", |(condition, body)| {
                format!("{} then {}", show_list(condition), show_list(body))
            });
            let last = otherwise
                .as_ref()
                .map(|list| format!(" else {}", show_list(list)))
                .unwrap_or_default();
            format!("if {shown}{last} fi")
        }
        CommandKind::While {
            until,
            condition,
            body,
        } => format!(
            "{} {} do {} done",
            if *until { "until" } else { "while" },
            show_list(condition),
            show_list(body)
        ),
        CommandKind::For { name, words, body } => {
            let words = words
                .as_ref()
                .map(|words| format!(" in[{}]", join(words, " ", show_word)))
                .unwrap_or_default();
            format!("for {}{words} do {} done", name.text, show_list(body))
        }
        CommandKind::ForArithmetic { header, body } => {
            let header = header
                .each_ref()
                .map(|part| part.as_ref().map_or_else(|| "-".to_owned(), show_arithmetic));
            format!("for (({})) do {} done", header.join(";"), show_list(body))
        }
        CommandKind::Case { subject, clauses } => {
            let clauses = join(clauses, " ", |clause| {
                let end = match clause.end {
                    CaseEnd::Break => ";;",
                    CaseEnd::FallThrough => ";&",
                    CaseEnd::TestNext => ";;&",
                };
                format!(
                    "{}) {} {end}",
                    join(&clause.patterns, "|", show_word),
                    show_list(&clause.body)
                )
            });
            format!("case {} in {clauses} esac", show_word(subject))
        }
        CommandKind::Function { name, body } => format!("{}() {}", name.text, show_command(body)),
        CommandKind::Condition(condition) => format!("[[ {} ]]", show_condition(condition)),
        CommandKind::Arithmetic(expression) => format!("(({}))", show_arithmetic(expression)),
    }
}

fn show_assignment(assignment: &Assignment) -> String {
    let sign = if assignment.append { "+=" } else { "=" };
    let value = match &assignment.value {
        AssignedValue::Scalar(word) => show_word(word),
        AssignedValue::Array(words) => format!("({})", join(words, " ", show_word)),
    };
    format!("<{}{sign}{value}>", assignment.name.text)
}

fn show_condition(condition: &Condition) -> String {
    match condition {
        Condition::NonEmpty(word) => show_word(word),
        Condition::Unary(operator, word) => format!("{operator} {}", show_word(word)),
        Condition::Binary(left, operator, right) => {
            format!("{} {operator} {}", show_word(left), show_word(right))
        }
        Condition::Not(inner) => format!("!({})", show_condition(inner)),
        Condition::And(left, right) => format!("({} && {})", show_condition(left), show_condition(right)),
        Condition::Or(left, right) => format!("({} || {})", show_condition(left), show_condition(right)),
    }
}

fn show_redirect(redirect: &Redirect) -> String {
    let fd = redirect.fd.map(|fd| fd.to_string()).unwrap_or_default();
    let kind = match &redirect.kind {
        RedirectKind::Read(word) => format!("<{}", show_word(word)),
        RedirectKind::Write(word) => format!(">{}", show_word(word)),
        RedirectKind::Clobber(word) => format!(">|{}", show_word(word)),
        RedirectKind::Append(word) => format!(">>{}", show_word(word)),
        RedirectKind::ReadWrite(word) => format!("<>{}", show_word(word)),
        RedirectKind::WriteBoth(word) => format!("&>{}", show_word(word)),
        RedirectKind::AppendBoth(word) => format!("&>>{}", show_word(word)),
        RedirectKind::Duplicate { input, from } => format!("{}&{from}", if *input { "<" } else { ">" }),
        RedirectKind::Close => ">&-".to_owned(),
        RedirectKind::HereDocument(document) => format!(
            "<<{}{}[{}]",
            if document.strip_tabs { "-" } else { "" },
            if document.quoted { "'" } else { "" },
            show_parts(&document.body)
        ),
        RedirectKind::HereString(word) => format!("<<<{}", show_word(word)),
    };
    fd + &kind
}

fn show_word(word: &Word) -> String {
    show_parts(&word.parts)
}

fn show_parts(parts: &[Part]) -> String {
    join(parts, "", show_part)
}

fn show_part(part: &Part) -> String {
    match &part.kind {
        PartKind::Literal { text, escaped } => format!("{}{text}", if *escaped { "\\" } else { "" }),
        PartKind::SingleQuoted(text) => format!("'{text}'"),
        PartKind::AnsiC(Some(text)) => format!("$'{text}'"),
        PartKind::AnsiC(None) => "$'?'".to_owned(),
        PartKind::DoubleQuoted(inner) => format!("\"{}\"", show_parts(inner)),
        PartKind::Parameter(parameter) => show_parameter(parameter),
        PartKind::Substitution(list) => format!("$({})", show_list(list)),
        PartKind::ReadFrom(list) => format!("<({})", show_list(list)),
        PartKind::WriteTo(list) => format!(">({})", show_list(list)),
        PartKind::Arithmetic(expression) => format!("$(({}))", show_arithmetic(expression)),
        PartKind::Glob(text) => format!("«{text}»"),
        PartKind::Brace(Brace::List(alternatives)) => {
            format!("«{{{}}}»", join(alternatives, "|", |parts| show_parts(parts)))
        }
        PartKind::Brace(Brace::Range(words)) => format!("«{{{}}}»", words.join("|")),
        PartKind::Tilde(name) => format!("«~{name}»"),
    }
}

fn show_arithmetic(expression: &Arithmetic) -> String {
    let mut pieces = Vec::new();
    if let Some(value) = expression.value {
        pieces.push(value.to_string());
    }
    for name in &expression.reads {
        pieces.push(format!("r:{}", name.text));
    }
    for name in &expression.writes {
        pieces.push(format!("w:{}", name.text));
    }
    if !expression.parts.is_empty() {
        pieces.push(show_parts(&expression.parts));
    }
    pieces.join(" ")
}

fn show_parameter(parameter: &Parameter) -> String {
    let index = match &parameter.index {
        None => String::new(),
        Some(Index::All) => "[@]".to_owned(),
        Some(Index::Joined) => "[*]".to_owned(),
        Some(Index::At(at)) => format!("[{at}]"),
    };
    let colon = |colon: &bool| if *colon { ":" } else { "" };
    let doubled = |sign: &str, twice: &bool| if *twice { sign.repeat(2) } else { sign.to_owned() };
    let op = match &parameter.op {
        ParameterOp::Plain => String::new(),
        ParameterOp::Length => " length".to_owned(),
        ParameterOp::Default { colon: c, word } => format!(" {}- {}", colon(c), show_word(word)),
        ParameterOp::Assign { colon: c, word } => format!(" {}= {}", colon(c), show_word(word)),
        ParameterOp::Alternative { colon: c, word } => format!(" {}+ {}", colon(c), show_word(word)),
        ParameterOp::Require { colon: c, word } => format!(" {}? {}", colon(c), show_word(word)),
        ParameterOp::RemovePrefix { longest, pattern } => {
            format!(" {} {}", doubled("#", longest), show_word(pattern))
        }
        ParameterOp::RemoveSuffix { longest, pattern } => {
            format!(" {} {}", doubled("%", longest), show_word(pattern))
        }
        ParameterOp::Replace {
            all,
            pattern,
            replacement,
        } => {
            let by = replacement
                .as_ref()
                .map(|word| format!(" by {}", show_word(word)))
                .unwrap_or_default();
            format!(" {} {}{by}", doubled("/", all), show_word(pattern))
        }
        ParameterOp::Substring { offset, length } => {
            let length = length
                .as_ref()
                .map(|length| format!(" for {}", show_arithmetic(length)))
                .unwrap_or_default();
            format!(" from {}{length}", show_arithmetic(offset))
        }
        ParameterOp::Case { upper, all, pattern } => {
            let sign = if *upper { "^" } else { "," };
            let pattern = pattern
                .as_ref()
                .map(|word| format!(" {}", show_word(word)))
                .unwrap_or_default();
            format!(" {}{pattern}", doubled(sign, all))
        }
    };
    format!("${{{}{index}{op}}}", parameter.name)
}
