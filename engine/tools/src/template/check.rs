//! What can be said about a template before it runs: names, parts, filters and tests that do not exist.
#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "the tree belongs to the template language; what is not named here is walked or has no shape"
)]

use std::collections::BTreeMap;

use engine_policy::{Diagnostic, Place, nearest};
use minijinja::machinery::ast::{self, Expr, Stmt};
use minijinja::value::ValueKind;
use smol_str::SmolStr;

use super::{FILTERS, MAX_TEMPLATE_BYTES, Template, TemplateError, filters, parse, url};

/// What is known of a value before anything runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Nothing; it may have any part.
    Any,
    /// Text, a number or a boolean: it has no parts.
    Plain,
    /// Text.
    Text,
    /// A number, whole or not.
    Number,
    /// True or false.
    Boolean,
    /// An address.
    Address,
    /// A list of such items.
    List(Box<Shape>),
    /// An object with these parts and no others.
    Object(BTreeMap<SmolStr, Shape>),
}

impl Shape {
    /// An object of parts.
    pub(crate) fn object<const N: usize>(parts: [(&str, Self); N]) -> Self {
        Self::Object(
            parts
                .into_iter()
                .map(|(name, shape)| (name.into(), shape))
                .collect(),
        )
    }

    /// A list of objects or texts.
    pub(crate) fn list(item: Self) -> Self {
        Self::List(Box::new(item))
    }

    /// What is known where a value has one of two shapes.
    pub(crate) fn or(self, other: &Self) -> Self {
        if self == *other {
            self
        } else if self.is_plain() && other.is_plain() {
            Self::Plain
        } else {
            Self::Any
        }
    }

    /// Whether it has no parts and no items.
    fn is_plain(&self) -> bool {
        matches!(self, Self::Plain | Self::Text | Self::Number | Self::Boolean)
    }

    /// Whether a number can be told from it.
    pub(crate) fn may_be_number(&self) -> bool {
        matches!(self, Self::Any | Self::Plain | Self::Number)
    }

    /// Whether it can be a list.
    pub(crate) fn may_be_list(&self) -> bool {
        matches!(self, Self::Any | Self::List(_))
    }

    /// What it is, for a person.
    pub(crate) fn word(&self) -> &'static str {
        match self {
            Self::Any | Self::Plain => "a value",
            Self::Text => "text",
            Self::Number => "a number",
            Self::Boolean => "a boolean",
            Self::Address => "an address",
            Self::List(_) => "a list",
            Self::Object(_) => "an object",
        }
    }
}

/// What templates know of the facts of a session.
pub(crate) fn facts_shape() -> Shape {
    let listed = || Shape::list(Shape::object([("name", Shape::Plain), ("about", Shape::Plain)]));
    Shape::object([
        ("os", Shape::Plain),
        ("cwd", Shape::Plain),
        ("home", Shape::Plain),
        ("date", Shape::Plain),
        ("mode", Shape::Plain),
        ("session_id", Shape::Plain),
        ("model", Shape::Plain),
        ("interactive", Shape::Plain),
        ("programs", Shape::list(Shape::Plain)),
        ("features", Shape::list(Shape::Plain)),
        ("settings", Shape::Any),
        ("agents", listed()),
        ("skills", listed()),
        ("servers", Shape::list(Shape::Plain)),
    ])
}

/// Looks through templates and collects what is wrong.
pub(crate) struct Checker<'d> {
    /// Names that may be used.
    pub(crate) names: BTreeMap<SmolStr, Shape>,
    /// Names that hold a value on some ways only.
    pub(crate) maybe: Vec<SmolStr>,
    /// What was found.
    pub(crate) diagnostics: &'d mut Vec<Diagnostic>,
}

impl Checker<'_> {
    /// Checks a template; the shape of its value where it is one expression.
    pub(crate) fn template(&mut self, template: &Template) -> Shape {
        if template.source().len() > MAX_TEMPLATE_BYTES {
            let message = format!("a template is at most {MAX_TEMPLATE_BYTES} bytes long");
            self.diagnostics
                .push(Diagnostic::error("tool::template", message, template.place()));
            return Shape::Plain;
        }
        if template.is_plain() {
            // What is written without braces may spell anything.
            return literal(template.source());
        }
        let tree = match parse(template.source()) {
            Ok(tree) => tree,
            Err(error) => {
                let place = error
                    .range()
                    .map_or(template.place(), |range| template.inside(range.start, range.end));
                let message = TemplateError::of(&error).message;
                self.diagnostics
                    .push(Diagnostic::error("tool::template", message, place));
                return Shape::Any;
            }
        };
        let mut walk = Walk {
            template,
            locals: Vec::new(),
            checker: self,
        };
        let Stmt::Template(top) = &tree else {
            return Shape::Any;
        };
        if let ([Stmt::EmitExpr(emit)], true) = (top.children.as_slice(), template.is_whole()) {
            return walk.expression(&emit.expr);
        }
        walk.statements(&top.children);
        Shape::Text
    }

    /// Checks a condition: it must be one expression.
    pub(crate) fn condition(&mut self, template: &Template) {
        self.template(template);
        if !template.is_whole() && parse(template.source()).is_ok() {
            let diagnostic = Diagnostic::error(
                "tool::condition",
                "a condition must be one expression",
                template.place(),
            );
            self.diagnostics
                .push(diagnostic.help("write it as `{{ expression }}`"));
        }
    }
}

struct Walk<'w, 'd> {
    template: &'w Template,
    /// Names that the template itself gives, the innermost last.
    locals: Vec<(SmolStr, Shape)>,
    checker: &'w mut Checker<'d>,
}

impl Walk<'_, '_> {
    fn error(&mut self, code: &'static str, message: String, span: minijinja::machinery::Span, help: String) {
        let place = self.place(span);
        let diagnostic = Diagnostic::error(code, message, place).help(help);
        if !self.checker.diagnostics.contains(&diagnostic) {
            self.checker.diagnostics.push(diagnostic);
        }
    }

    fn place(&self, span: minijinja::machinery::Span) -> Place {
        self.template
            .inside(span.start_offset as usize, span.end_offset as usize)
    }

    fn statements(&mut self, statements: &[Stmt<'_>]) {
        let depth = self.locals.len();
        for statement in statements {
            self.statement(statement);
        }
        self.locals.truncate(depth);
    }

    fn statement(&mut self, statement: &Stmt<'_>) {
        match statement {
            Stmt::Template(inner) => self.statements(&inner.children),
            Stmt::EmitExpr(emit) => {
                self.expression(&emit.expr);
            }
            Stmt::EmitRaw(_) => {}
            Stmt::ForLoop(each) => {
                let item = item_of(self.expression(&each.iter));
                let depth = self.locals.len();
                self.bind(&each.target, item);
                self.locals.push(("loop".into(), Shape::Any));
                if let Some(filter) = &each.filter_expr {
                    self.expression(filter);
                }
                self.statements(&each.body);
                self.locals.truncate(depth);
                self.statements(&each.else_body);
            }
            Stmt::IfCond(when) => {
                self.expression(&when.expr);
                self.statements(&when.true_body);
                self.statements(&when.false_body);
            }
            Stmt::WithBlock(with) => {
                let depth = self.locals.len();
                for (target, value) in &with.assignments {
                    let shape = self.expression(value);
                    self.bind(target, shape);
                }
                self.statements(&with.body);
                self.locals.truncate(depth);
            }
            Stmt::Set(set) => {
                let shape = self.expression(&set.expr);
                self.bind(&set.target, shape);
            }
            Stmt::SetBlock(set) => {
                self.statements(&set.body);
                if let Some(filter) = &set.filter {
                    self.expression(filter);
                }
                self.bind(&set.target, Shape::Plain);
            }
            Stmt::AutoEscape(block) => self.statements(&block.body),
            Stmt::FilterBlock(block) => {
                self.expression(&block.filter);
                self.statements(&block.body);
            }
            Stmt::Do(call) => {
                for argument in &call.call.args {
                    self.argument(argument);
                }
            }
        }
    }

    fn bind(&mut self, target: &Expr<'_>, shape: Shape) {
        match target {
            Expr::Var(name) => self.locals.push((name.id.into(), shape)),
            Expr::List(list) => self.bind_all(&list.items),
            Expr::Tuple(tuple) => self.bind_all(&tuple.items),
            // A part of something that stands already.
            _ => {}
        }
    }

    fn bind_all(&mut self, targets: &[Expr<'_>]) {
        for target in targets {
            self.bind(target, Shape::Any);
        }
    }

    fn argument(&mut self, argument: &ast::CallArg<'_>) {
        match argument {
            ast::CallArg::Pos(value)
            | ast::CallArg::Kwarg(_, value)
            | ast::CallArg::PosSplat(value)
            | ast::CallArg::KwargSplat(value) => {
                self.expression(value);
            }
        }
    }

    fn optional(&mut self, expression: Option<&Expr<'_>>) {
        if let Some(expression) = expression {
            self.expression(expression);
        }
    }

    fn expression(&mut self, expression: &Expr<'_>) -> Shape {
        match expression {
            Expr::Var(name) => self.name(name.id, name.span()),
            Expr::Const(given) => constant(&given.value),
            Expr::Slice(slice) => {
                let shape = self.expression(&slice.expr);
                self.optional(slice.start.as_ref());
                self.optional(slice.stop.as_ref());
                self.optional(slice.step.as_ref());
                shape
            }
            Expr::UnaryOp(unary) => {
                self.expression(&unary.expr);
                match unary.op {
                    ast::UnaryOpKind::Not => Shape::Boolean,
                    ast::UnaryOpKind::Neg => Shape::Number,
                }
            }
            Expr::BinOp(binary) => {
                let left = self.expression(&binary.left);
                let right = self.expression(&binary.right);
                match binary.op {
                    ast::BinOpKind::ScAnd | ast::BinOpKind::ScOr | ast::BinOpKind::Add => left.or(&right),
                    ast::BinOpKind::Concat => Shape::Text,
                    ast::BinOpKind::In => Shape::Boolean,
                    ast::BinOpKind::Sub
                    | ast::BinOpKind::Div
                    | ast::BinOpKind::FloorDiv
                    | ast::BinOpKind::Rem
                    | ast::BinOpKind::Pow => Shape::Number,
                    _ => Shape::Plain,
                }
            }
            Expr::Compare(compare) => {
                self.expression(&compare.expr);
                for operation in &compare.ops {
                    self.expression(&operation.expr);
                }
                Shape::Boolean
            }
            Expr::IfExpr(choice) => {
                self.expression(&choice.test_expr);
                let yes = self.expression(&choice.true_expr);
                let no = choice.false_expr.as_ref().map(|no| self.expression(no));
                no.map_or(Shape::Any, |no| yes.or(&no))
            }
            Expr::Filter(filter) => self.filter(filter, expression.span()),
            Expr::Test(test) => {
                self.expression(&test.expr);
                if !filters::TESTS.contains(&test.name) && test.name.chars().all(char::is_alphanumeric) {
                    let help = advice(test.name, filters::TESTS.iter().copied());
                    self.error(
                        "tool::unknown-test",
                        format!("unknown test `{}`", test.name),
                        expression.span(),
                        help,
                    );
                }
                for argument in &test.args {
                    self.argument(argument);
                }
                Shape::Boolean
            }
            Expr::GetAttr(part) => {
                let whole = self.expression(&part.expr);
                self.part(&whole, part.name, expression.span())
            }
            Expr::GetItem(part) => {
                let whole = self.expression(&part.expr);
                match &part.subscript_expr {
                    Expr::Const(key) => match key.value.as_str() {
                        Some(name) => self.part(&whole, name, expression.span()),
                        None => item_of(whole),
                    },
                    other => {
                        self.expression(other);
                        item_of(whole)
                    }
                }
            }
            Expr::Call(call) => {
                match &call.expr {
                    Expr::Var(name) if !filters::FUNCTIONS.contains(&name.id) => {
                        let help = advice(name.id, filters::FUNCTIONS.iter().copied());
                        self.error(
                            "tool::unknown-function",
                            format!("unknown function `{}`", name.id),
                            name.span(),
                            help,
                        );
                    }
                    Expr::Var(_) => {}
                    Expr::GetAttr(method) => {
                        self.expression(&method.expr);
                        self.error(
                            "tool::unknown-function",
                            format!("values have no method `{}`", method.name),
                            call.span(),
                            "use a filter".to_owned(),
                        );
                    }
                    other => {
                        self.expression(other);
                    }
                }
                for argument in &call.args {
                    self.argument(argument);
                }
                Shape::Any
            }
            Expr::List(list) => list_of(list.items.iter().map(|item| self.expression(item)).collect()),
            Expr::Tuple(tuple) => list_of(tuple.items.iter().map(|item| self.expression(item)).collect()),
            Expr::Map(map) => {
                for key in &map.keys {
                    self.expression(key);
                }
                let shapes: Vec<Shape> = map.values.iter().map(|value| self.expression(value)).collect();
                let names = map.keys.iter().map(|key| match key {
                    Expr::Const(key) => key.value.as_str().map(SmolStr::from),
                    _ => None,
                });
                let parts: Option<BTreeMap<SmolStr, Shape>> = names
                    .zip(shapes)
                    .map(|(name, shape)| name.map(|name| (name, shape)))
                    .collect();
                parts.map_or(Shape::Any, Shape::Object)
            }
        }
    }

    fn filter(&mut self, filter: &ast::Filter<'_>, span: minijinja::machinery::Span) -> Shape {
        let inner = filter.expr.as_ref().map(|inner| self.expression(inner));
        for argument in &filter.args {
            self.argument(argument);
        }
        let own = FILTERS.iter().map(|&(name, _)| name);
        let known = own.chain(filters::BUILT_IN.iter().copied());
        if !known.clone().any(|name| name == filter.name) {
            let help = advice(filter.name, known);
            self.error(
                "tool::unknown-filter",
                format!("unknown filter `{}`", filter.name),
                span,
                help,
            );
            return Shape::Any;
        }
        let inner = inner.unwrap_or(Shape::Plain);
        match filter.name {
            "address" | "upgrade_https" => Shape::Address,
            "html_to_markdown" | "json" | "regex_replace" | "shell_quote" | "truncate" | "date"
            | "url_encode" | "join" | "trim" | "upper" | "lower" | "replace" | "title" | "capitalize"
            | "string" | "indent" | "format" => Shape::Text,
            "length" | "count" | "int" | "float" | "round" | "abs" | "sum" => Shape::Number,
            "bool" => Shape::Boolean,
            // It may match nothing.
            "regex" => Shape::Plain,
            "lines" | "split" => Shape::list(Shape::Text),
            "first" | "last" | "min" | "max" => item_of(inner),
            "sort" | "reverse" | "unique" | "selectattr" | "rejectattr" | "select" | "reject" | "list" => {
                inner
            }
            _ => Shape::Any,
        }
    }

    fn name(&mut self, name: &str, span: minijinja::machinery::Span) -> Shape {
        if let Some((_, shape)) = self.locals.iter().rev().find(|(local, _)| local == name) {
            return shape.clone();
        }
        if let Some(shape) = self.checker.names.get(name) {
            return shape.clone();
        }
        if self.checker.maybe.iter().any(|maybe| maybe == name) {
            self.error(
                "tool::maybe-unset",
                format!("`{name}` has a value on some ways only"),
                span,
                "give it a value on every way that leads here".to_owned(),
            );
            return Shape::Any;
        }
        let known: Vec<SmolStr> = self.checker.names.keys().cloned().collect();
        let help = advice(name, known.iter().map(SmolStr::as_str));
        self.error(
            "tool::unknown-variable",
            format!("unknown name `{name}`"),
            span,
            help,
        );
        Shape::Any
    }

    fn part(&mut self, whole: &Shape, name: &str, span: minijinja::machinery::Span) -> Shape {
        let (found, known): (Option<Shape>, Vec<&str>) = match whole {
            Shape::Any => return Shape::Any,
            Shape::Address => {
                if url::PARTS.contains(&name) {
                    return Shape::Plain;
                }
                (None, url::PARTS.to_vec())
            }
            Shape::Object(parts) => (
                parts.get(name).cloned(),
                parts.keys().map(SmolStr::as_str).collect(),
            ),
            Shape::Plain | Shape::Text | Shape::Number | Shape::Boolean | Shape::List(_) => {
                (None, Vec::new())
            }
        };
        if let Some(shape) = found {
            return shape;
        }
        let help = if known.is_empty() {
            "it has no parts".to_owned()
        } else {
            advice(name, known.into_iter())
        };
        self.error(
            "tool::unknown-part",
            format!("there is no `{name}` in this value"),
            span,
            help,
        );
        Shape::Any
    }
}

/// What a text without braces spells.
fn literal(text: &str) -> Shape {
    let text = text.trim();
    if text.parse::<f64>().is_ok() {
        Shape::Number
    } else if matches!(text, "true" | "false") {
        Shape::Boolean
    } else {
        Shape::Text
    }
}

/// What a constant of an expression is.
fn constant(value: &minijinja::Value) -> Shape {
    match value.kind() {
        ValueKind::String => value.as_str().map_or(Shape::Text, literal),
        ValueKind::Number => Shape::Number,
        ValueKind::Bool => Shape::Boolean,
        ValueKind::None => Shape::Plain,
        _ => Shape::Any,
    }
}

pub(crate) fn item_of(list: Shape) -> Shape {
    match list {
        Shape::List(item) => *item,
        Shape::Any
        | Shape::Plain
        | Shape::Text
        | Shape::Number
        | Shape::Boolean
        | Shape::Address
        | Shape::Object(_) => Shape::Any,
    }
}

fn list_of(items: Vec<Shape>) -> Shape {
    Shape::list(
        items
            .into_iter()
            .reduce(|one, other| one.or(&other))
            .unwrap_or(Shape::Any),
    )
}

fn advice<'n>(name: &str, known: impl Iterator<Item = &'n str> + Clone) -> String {
    match nearest(name, known.clone()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => {
            let known: Vec<String> = known.map(|name| format!("`{name}`")).collect();
            format!("known are {}", known.join(", "))
        }
    }
}
