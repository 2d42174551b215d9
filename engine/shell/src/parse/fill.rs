//! Puts the bodies of here-documents into a script.

use crate::{
    Argument, Arithmetic, AssignedValue, Brace, Command, CommandKind, Condition, HereDocument, List,
    ParameterOp, Part, PartKind, Pipeline, RedirectKind, Word,
};

/// Fills every here-document of a list from the bodies, which are known by the offset of their operator.
pub(super) fn fill(list: &mut List, mut bodies: Vec<(usize, HereDocument)>) {
    if bodies.is_empty() {
        return;
    }
    bodies.sort_by_key(|(operator, _)| *operator);
    Filler { bodies }.list(list);
}

struct Filler {
    bodies: Vec<(usize, HereDocument)>,
}

impl Filler {
    fn list(&mut self, list: &mut List) {
        for statement in &mut list.statements {
            self.pipeline(&mut statement.first);
            for (_, pipeline) in &mut statement.rest {
                self.pipeline(pipeline);
            }
        }
    }

    fn pipeline(&mut self, pipeline: &mut Pipeline) {
        for stage in &mut pipeline.stages {
            self.command(stage);
        }
    }

    fn command(&mut self, command: &mut Command) {
        self.kind(&mut command.kind);
        for redirect in &mut command.redirects {
            match &mut redirect.kind {
                RedirectKind::HereDocument(document) => self.document(document),
                RedirectKind::Read(word)
                | RedirectKind::Write(word)
                | RedirectKind::Clobber(word)
                | RedirectKind::Append(word)
                | RedirectKind::ReadWrite(word)
                | RedirectKind::WriteBoth(word)
                | RedirectKind::AppendBoth(word)
                | RedirectKind::HereString(word) => self.word(word),
                RedirectKind::Duplicate { .. } | RedirectKind::Close => {}
            }
        }
    }

    fn document(&mut self, document: &mut HereDocument) {
        let operator = document.span.start as usize;
        let found = self.bodies.binary_search_by_key(&operator, |(at, _)| *at);
        if let Some((_, body)) = found.ok().and_then(|index| self.bodies.get_mut(index)) {
            *document = std::mem::replace(body, document.clone());
        }
        self.parts(&mut document.body);
    }

    fn kind(&mut self, kind: &mut CommandKind) {
        match kind {
            CommandKind::Simple(simple) => {
                for assignment in &mut simple.assignments {
                    self.value(&mut assignment.value);
                }
                for argument in &mut simple.words {
                    match argument {
                        Argument::Word(word) => self.word(word),
                        Argument::Assignment(assignment) => self.value(&mut assignment.value),
                    }
                }
            }
            CommandKind::Group(list) | CommandKind::Subshell(list) => self.list(list),
            CommandKind::If { branches, otherwise } => {
                for (condition, body) in branches {
                    self.list(condition);
                    self.list(body);
                }
                if let Some(list) = otherwise {
                    self.list(list);
                }
            }
            CommandKind::While { condition, body, .. } => {
                self.list(condition);
                self.list(body);
            }
            CommandKind::For { words, body, .. } => {
                self.words(words.as_mut().map_or(&mut [], Vec::as_mut_slice));
                self.list(body);
            }
            CommandKind::ForArithmetic { header, body } => {
                for expression in header.iter_mut().flatten() {
                    self.arithmetic(expression);
                }
                self.list(body);
            }
            CommandKind::Case { subject, clauses } => {
                self.word(subject);
                for clause in clauses {
                    self.words(&mut clause.patterns);
                    self.list(&mut clause.body);
                }
            }
            CommandKind::Function { body, .. } => self.command(body),
            CommandKind::Condition(condition) => self.condition(condition),
            CommandKind::Arithmetic(expression) => self.arithmetic(expression),
        }
    }

    fn value(&mut self, value: &mut AssignedValue) {
        match value {
            AssignedValue::Scalar(word) => self.word(word),
            AssignedValue::Array(words) => self.words(words),
        }
    }

    fn condition(&mut self, condition: &mut Condition) {
        match condition {
            Condition::NonEmpty(word) | Condition::Unary(_, word) => self.word(word),
            Condition::Binary(left, _, right) => {
                self.word(left);
                self.word(right);
            }
            Condition::Not(inner) => self.condition(inner),
            Condition::And(left, right) | Condition::Or(left, right) => {
                self.condition(left);
                self.condition(right);
            }
        }
    }

    fn words(&mut self, words: &mut [Word]) {
        for word in words {
            self.word(word);
        }
    }

    fn word(&mut self, word: &mut Word) {
        self.parts(&mut word.parts);
    }

    fn parts(&mut self, parts: &mut [Part]) {
        for part in parts {
            match &mut part.kind {
                PartKind::DoubleQuoted(inner) => self.parts(inner),
                PartKind::Parameter(parameter) => self.operator(&mut parameter.op),
                PartKind::Substitution(list) | PartKind::ReadFrom(list) | PartKind::WriteTo(list) => {
                    self.list(list);
                }
                PartKind::Arithmetic(expression) => self.arithmetic(expression),
                PartKind::Brace(Brace::List(alternatives)) => {
                    for alternative in alternatives {
                        self.parts(alternative);
                    }
                }
                PartKind::Brace(Brace::Range(_))
                | PartKind::Literal { .. }
                | PartKind::SingleQuoted(_)
                | PartKind::AnsiC(_)
                | PartKind::Glob(_)
                | PartKind::Tilde(_) => {}
            }
        }
    }

    fn operator(&mut self, operator: &mut ParameterOp) {
        match operator {
            ParameterOp::Plain | ParameterOp::Length => {}
            ParameterOp::Default { word, .. }
            | ParameterOp::Assign { word, .. }
            | ParameterOp::Alternative { word, .. }
            | ParameterOp::Require { word, .. } => self.word(word),
            ParameterOp::RemovePrefix { pattern, .. } | ParameterOp::RemoveSuffix { pattern, .. } => {
                self.word(pattern);
            }
            ParameterOp::Replace {
                pattern, replacement, ..
            } => {
                self.word(pattern);
                if let Some(word) = replacement {
                    self.word(word);
                }
            }
            ParameterOp::Substring { offset, length } => {
                self.arithmetic(offset);
                if let Some(expression) = length {
                    self.arithmetic(expression);
                }
            }
            ParameterOp::Case { pattern, .. } => {
                if let Some(word) = pattern {
                    self.word(word);
                }
            }
        }
    }

    fn arithmetic(&mut self, expression: &mut Arithmetic) {
        self.parts(&mut expression.parts);
    }
}
