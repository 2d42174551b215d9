//! Visits every command and word of a script, the nested ones included.

use crate::{
    Argument, Arithmetic, AssignedValue, Assignment, Brace, Command, CommandKind, Condition, List,
    ParameterOp, Part, PartKind, Pipeline, Redirect, RedirectKind, Script, Simple, Word,
};

/// Where a word stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// The first word of a simple command.
    Command,
    /// A later word of a simple command.
    Argument,
    /// The right side of an assignment, or an element of an array.
    Assigned,
    /// A redirection target or a here-string.
    Redirected,
    /// A word of a loop, a `case` or `[[ ]]`.
    Compound,
    /// The operand of a parameter expansion.
    Operand,
}

/// What wants to see the nodes.
pub(crate) trait Visitor {
    /// A simple command, before its words.
    fn simple(&mut self, simple: &Simple);
    /// A word, before what is nested in it.
    fn word(&mut self, word: &Word, place: Place);
    /// A part, wherever it stands, before what is nested in it.
    fn part(&mut self, part: &Part);
    /// A pipeline, before its commands.
    fn pipeline(&mut self, _pipeline: &Pipeline) {}
    /// A redirection, before its words.
    fn redirect(&mut self, _redirect: &Redirect) {}
}

pub(crate) fn script(script: &Script, visitor: &mut impl Visitor) {
    list(&script.body, visitor);
}

fn list(nodes: &List, visitor: &mut impl Visitor) {
    for statement in &nodes.statements {
        let rest = statement.rest.iter().map(|(_, pipeline)| pipeline);
        for pipeline in std::iter::once(&statement.first).chain(rest) {
            visitor.pipeline(pipeline);
            for stage in &pipeline.stages {
                command(stage, visitor);
            }
        }
    }
}

fn command(node: &Command, visitor: &mut impl Visitor) {
    match &node.kind {
        CommandKind::Simple(node) => simple(node, visitor),
        CommandKind::Group(body) | CommandKind::Subshell(body) => list(body, visitor),
        CommandKind::If { branches, otherwise } => {
            for (condition, body) in branches {
                list(condition, visitor);
                list(body, visitor);
            }
            if let Some(body) = otherwise {
                list(body, visitor);
            }
        }
        CommandKind::While {
            until: _,
            condition,
            body,
        } => {
            list(condition, visitor);
            list(body, visitor);
        }
        CommandKind::For { name: _, words, body } => {
            for node in words.iter().flatten() {
                word(node, Place::Compound, visitor);
            }
            list(body, visitor);
        }
        CommandKind::ForArithmetic { header, body } => {
            for expression in header.iter().flatten() {
                arithmetic(expression, visitor);
            }
            list(body, visitor);
        }
        CommandKind::Case { subject, clauses } => {
            word(subject, Place::Compound, visitor);
            for clause in clauses {
                for pattern in &clause.patterns {
                    word(pattern, Place::Compound, visitor);
                }
                list(&clause.body, visitor);
            }
        }
        CommandKind::Function { name: _, body } => command(body, visitor),
        CommandKind::Condition(node) => condition(node, visitor),
        CommandKind::Arithmetic(node) => arithmetic(node, visitor),
    }
    for redirect in &node.redirects {
        visitor.redirect(redirect);
        match &redirect.kind {
            RedirectKind::Read(target)
            | RedirectKind::Write(target)
            | RedirectKind::Clobber(target)
            | RedirectKind::Append(target)
            | RedirectKind::ReadWrite(target)
            | RedirectKind::WriteBoth(target)
            | RedirectKind::AppendBoth(target)
            | RedirectKind::HereString(target) => word(target, Place::Redirected, visitor),
            RedirectKind::Duplicate { .. } | RedirectKind::Close => {}
            RedirectKind::HereDocument(document) => {
                if !document.quoted {
                    parts(&document.body, visitor);
                }
            }
        }
    }
}

fn simple(node: &Simple, visitor: &mut impl Visitor) {
    visitor.simple(node);
    for node in &node.assignments {
        assignment(node, visitor);
    }
    let mut place = Place::Command;
    for argument in &node.words {
        match argument {
            Argument::Word(node) => word(node, place, visitor),
            Argument::Assignment(node) => assignment(node, visitor),
        }
        place = Place::Argument;
    }
}

fn assignment(node: &Assignment, visitor: &mut impl Visitor) {
    match &node.value {
        AssignedValue::Scalar(value) => word(value, Place::Assigned, visitor),
        AssignedValue::Array(values) => {
            for value in values {
                word(value, Place::Assigned, visitor);
            }
        }
    }
}

fn word(node: &Word, place: Place, visitor: &mut impl Visitor) {
    visitor.word(node, place);
    parts(&node.parts, visitor);
}

fn parts(nodes: &[Part], visitor: &mut impl Visitor) {
    for node in nodes {
        visitor.part(node);
        match &node.kind {
            PartKind::Literal { .. }
            | PartKind::SingleQuoted(_)
            | PartKind::AnsiC(_)
            | PartKind::Glob(_)
            | PartKind::Tilde(_)
            | PartKind::Brace(Brace::Range(_)) => {}
            PartKind::DoubleQuoted(inner) => parts(inner, visitor),
            PartKind::Parameter(parameter) => operands(&parameter.op, visitor),
            PartKind::Substitution(body) | PartKind::ReadFrom(body) | PartKind::WriteTo(body) => {
                list(body, visitor);
            }
            PartKind::Arithmetic(node) => arithmetic(node, visitor),
            PartKind::Brace(Brace::List(alternatives)) => {
                for alternative in alternatives {
                    parts(alternative, visitor);
                }
            }
        }
    }
}

fn operands(op: &ParameterOp, visitor: &mut impl Visitor) {
    match op {
        ParameterOp::Plain | ParameterOp::Length => {}
        ParameterOp::Default { word: operand, .. }
        | ParameterOp::Assign { word: operand, .. }
        | ParameterOp::Alternative { word: operand, .. }
        | ParameterOp::Require { word: operand, .. }
        | ParameterOp::RemovePrefix { pattern: operand, .. }
        | ParameterOp::RemoveSuffix { pattern: operand, .. } => word(operand, Place::Operand, visitor),
        ParameterOp::Replace {
            pattern, replacement, ..
        } => {
            word(pattern, Place::Operand, visitor);
            if let Some(replacement) = replacement {
                word(replacement, Place::Operand, visitor);
            }
        }
        ParameterOp::Substring { offset, length } => {
            arithmetic(offset, visitor);
            if let Some(length) = length {
                arithmetic(length, visitor);
            }
        }
        ParameterOp::Case { pattern, .. } => {
            if let Some(pattern) = pattern {
                word(pattern, Place::Operand, visitor);
            }
        }
    }
}

fn arithmetic(node: &Arithmetic, visitor: &mut impl Visitor) {
    parts(&node.parts, visitor);
}

fn condition(node: &Condition, visitor: &mut impl Visitor) {
    match node {
        Condition::NonEmpty(operand) | Condition::Unary(_, operand) => {
            word(operand, Place::Compound, visitor);
        }
        Condition::Binary(left, _, right) => {
            word(left, Place::Compound, visitor);
            word(right, Place::Compound, visitor);
        }
        Condition::Not(inner) => condition(inner, visitor),
        Condition::And(left, right) | Condition::Or(left, right) => {
            condition(left, visitor);
            condition(right, visitor);
        }
    }
}
