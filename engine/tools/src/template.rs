//! Templates: text with values in it, bounded and pure.
//!
//! A template that is one `{{ expression }}` gives the value itself, any other one text.
//!
//! Invariant (pure): a template sees the names of its [`Scope`] and nothing else: no file, clock or environment.
//! Invariant (bounded): fuel bounds the work and the memory of one evaluation; text of a value never becomes template text.

mod check;
mod date;
mod filters;
mod html;
mod scope;
mod url;

use std::fmt;
use std::sync::{Arc, LazyLock, OnceLock};

use engine_policy::Place;
use engine_policy::read::Argument;
use engine_shell::Span;
use minijinja::machinery::ast;
use minijinja::{AutoEscape, Environment, ErrorKind, Expression, UndefinedBehavior};
use serde_json::Value as Json;
use smol_str::SmolStr;

pub use check::Shape;
pub(crate) use check::item_of;
pub(crate) use check::{Checker, facts_shape};
pub use filters::FILTERS;
pub(crate) use filters::regex_problem;
pub use filters::shell_quote;
pub use scope::{Listed, Scope, SessionFacts, Value};
pub(crate) use url::Address;

/// Work of one evaluation: instructions, and about 64 bytes of data each.
const FUEL: u64 = 2_000_000;

/// Nesting of what a template does.
const DEPTH: usize = 100;

/// Longest template text, in bytes.
pub const MAX_TEMPLATE_BYTES: usize = 1 << 16;

/// The one environment: filters and limits, no names.
static ENVIRONMENT: LazyLock<Environment<'static>> = LazyLock::new(|| {
    let mut environment = Environment::new();
    environment.set_debug(false);
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_auto_escape_callback(|_| AutoEscape::None);
    environment.set_fuel(Some(FUEL));
    environment.set_recursion_limit(DEPTH);
    // It would show every name of the scope.
    environment.remove_global("debug");
    environment.remove_filter("pprint");
    environment.set_formatter(|out, _, value| {
        out.write_str(&scope::shown(value))
            .map_err(minijinja::Error::from)
    });
    // A template is named by its own text: each text is compiled once.
    environment.set_loader(|text| Ok(Some(text.to_owned())));
    filters::add_to(&mut environment);
    environment
});

/// A template as a definition writes it, compiled when it is first used. Cheap to copy: copies share all of it.
#[derive(Clone)]
pub struct Template(Arc<Inner>);

struct Inner {
    source: SmolStr,
    argument: Option<Argument>,
    place: Place,
    compiled: OnceLock<Result<Compiled, TemplateError>>,
}

/// What a text turned out to be.
enum Compiled {
    /// Nothing is put in.
    Plain,
    /// One expression.
    Whole(Expression<'static, 'static>),
    /// Text around expressions.
    Text,
}

/// Why a template has no value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct TemplateError {
    /// What is wrong, one line.
    pub message: String,
}

impl TemplateError {
    fn of(error: &minijinja::Error) -> Self {
        let detail = error.detail().map(str::to_owned);
        let message = match (error.kind(), detail) {
            (ErrorKind::OutOfFuel, _) => "the template does more work than one may".to_owned(),
            (kind, Some(detail)) => format!("{kind}: {detail}"),
            (kind, None) => kind.to_string(),
        };
        Self { message }
    }
}

impl Template {
    /// A template of a definition, with the place that says it.
    #[must_use]
    pub fn of_argument(argument: &Argument) -> Option<Self> {
        let source: SmolStr = argument.text()?.into();
        Some(Self(Arc::new(Inner {
            source,
            place: argument.place,
            argument: Some(argument.clone()),
            compiled: OnceLock::new(),
        })))
    }

    /// A template of a text of its own, such as a file of prompts.
    #[must_use]
    pub fn of_text(text: &str, place: Place) -> Self {
        Self(Arc::new(Inner {
            source: text.into(),
            argument: None,
            place,
            compiled: OnceLock::new(),
        }))
    }

    /// The text as written.
    #[must_use]
    pub fn source(&self) -> &str {
        &self.0.source
    }

    /// Where it stands.
    #[must_use]
    pub fn place(&self) -> Place {
        self.0.place
    }

    /// The place of some of its bytes.
    fn inside(&self, start: usize, end: usize) -> Place {
        match &self.0.argument {
            Some(argument) => argument.inside(start, end),
            // The text is the whole of its place.
            None if self.0.place.span.len() == self.0.source.len() => {
                let from = self.0.place.span.start as usize;
                self.0.place.at(Span::new(from + start, from + end.max(start)))
            }
            None => self.0.place,
        }
    }

    /// Whether nothing is put into it.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        !["{{", "{%", "{#"].iter().any(|open| self.0.source.contains(open))
    }

    /// Whether it is one expression, whose value it gives.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        matches!(self.compiled(), Ok(Compiled::Whole(_)))
    }

    /// The value: that of the expression where it is one, else text.
    pub fn evaluate(&self, scope: &Scope) -> Result<Value, TemplateError> {
        match self.compiled()? {
            Compiled::Plain => Ok(Value::text(&self.0.source)),
            Compiled::Whole(expression) => {
                let value = expression
                    .eval(scope.context())
                    .map_err(|error| TemplateError::of(&error))?;
                if value.is_undefined() {
                    return Err(TemplateError {
                        message: format!("`{}` has no value", self.0.source),
                    });
                }
                Ok(Value(value))
            }
            Compiled::Text => {
                let text = ENVIRONMENT
                    .get_template(&self.0.source)
                    .and_then(|template| template.render(scope.context()))
                    .map_err(|error| TemplateError::of(&error))?;
                Ok(Value::text(&text))
            }
        }
    }

    /// The value as text; `none` is the empty text.
    pub fn render(&self, scope: &Scope) -> Result<String, TemplateError> {
        self.evaluate(scope).map(|value| value.to_text())
    }

    /// The value as JSON.
    pub fn json(&self, scope: &Scope) -> Result<Json, TemplateError> {
        self.evaluate(scope)?.to_json()
    }

    /// Whether a condition holds.
    pub fn holds(&self, scope: &Scope) -> Result<bool, TemplateError> {
        self.evaluate(scope).map(|value| value.is_true())
    }

    fn compiled(&self) -> Result<&Compiled, TemplateError> {
        let compiled = self.0.compiled.get_or_init(|| {
            if self.0.source.len() > MAX_TEMPLATE_BYTES {
                return Err(TemplateError {
                    message: format!("a template is at most {MAX_TEMPLATE_BYTES} bytes long"),
                });
            }
            if self.is_plain() {
                return Ok(Compiled::Plain);
            }
            let tree = parse(&self.0.source).map_err(|error| TemplateError::of(&error))?;
            match whole_expression(&tree, &self.0.source) {
                Some(expression) => ENVIRONMENT
                    .compile_expression_owned(expression.to_owned())
                    .map(Compiled::Whole)
                    .map_err(|error| TemplateError::of(&error)),
                None => Ok(Compiled::Text),
            }
        });
        compiled.as_ref().map_err(Clone::clone)
    }
}

impl PartialEq for Template {
    fn eq(&self, other: &Self) -> bool {
        self.0.source == other.0.source
    }
}

impl fmt::Debug for Template {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Template").field(&self.0.source).finish()
    }
}

/// The syntax tree of a template.
fn parse(source: &str) -> Result<ast::Stmt<'_>, minijinja::Error> {
    minijinja::machinery::parse(source, "", minijinja::syntax::SyntaxConfig::default())
}

/// The text between the braces, where a template is one expression and nothing else.
fn whole_expression<'s>(tree: &ast::Stmt<'_>, source: &'s str) -> Option<&'s str> {
    let ast::Stmt::Template(template) = tree else {
        return None;
    };
    let [ast::Stmt::EmitExpr(_)] = template.children.as_slice() else {
        return None;
    };
    let inner = source.strip_prefix("{{")?.strip_suffix("}}")?;
    let inner = inner.strip_prefix(['-', '+']).unwrap_or(inner);
    Some(inner.strip_suffix('-').unwrap_or(inner).trim())
}

#[cfg(test)]
mod tests;
