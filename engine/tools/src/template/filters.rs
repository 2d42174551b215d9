//! The filters of templates. Each is a pure function, and what it makes is charged to the template that calls it.

use minijinja::value::Kwargs;
use minijinja::{Environment, Error, ErrorKind, Value};
use regex::{Regex, RegexBuilder};

use super::url::Address;
use super::{date, html};

/// Largest compiled regular expression.
const MAX_REGEX: usize = 1 << 20;

/// Filters beside those of the template language, each with what it does.
pub const FILTERS: &[(&str, &str)] = &[
    (
        "address",
        "the text as an address with `scheme`, `host`, `port`, `path` and `query`",
    ),
    ("date", "seconds since 1970 as a day, `date(\"%H:%M\")` otherwise"),
    (
        "from_json",
        "the value that a JSON text stands for; `none` for what is no JSON",
    ),
    ("html_to_markdown", "a web page as Markdown"),
    ("json", "the value as JSON text"),
    ("lines", "the lines of a text"),
    (
        "regex",
        "the first match of a regular expression, `none` without one; `group=1` a group of it",
    ),
    ("regex_replace", "every match replaced; `$1` stands for a group"),
    ("shell_quote", "the text as a word of a shell, for display only"),
    (
        "truncate",
        "at most so many characters, and a note where something was cut",
    ),
    ("upgrade_https", "an `http` address as an `https` one"),
    ("url_encode", "the text as part of a query"),
];

/// Filters of the template language that stay.
pub(super) const BUILT_IN: &[&str] = &[
    "abs",
    "attr",
    "batch",
    "bool",
    "capitalize",
    "chain",
    "count",
    "d",
    "default",
    "dictsort",
    "first",
    "float",
    "format",
    "groupby",
    "indent",
    "int",
    "items",
    "join",
    "last",
    "length",
    "list",
    "lower",
    "map",
    "max",
    "min",
    "reject",
    "rejectattr",
    "replace",
    "reverse",
    "round",
    "select",
    "selectattr",
    "slice",
    "sort",
    "split",
    "string",
    "sum",
    "title",
    "trim",
    "unique",
    "upper",
    "zip",
];

/// Tests of the template language.
pub(super) const TESTS: &[&str] = &[
    "boolean",
    "defined",
    "divisibleby",
    "endingwith",
    "eq",
    "equalto",
    "even",
    "false",
    "filter",
    "float",
    "ge",
    "greaterthan",
    "gt",
    "in",
    "int",
    "integer",
    "iterable",
    "le",
    "lessthan",
    "lower",
    "lt",
    "mapping",
    "ne",
    "none",
    "number",
    "odd",
    "sameas",
    "sequence",
    "startingwith",
    "string",
    "true",
    "undefined",
    "upper",
];

/// Functions of the template language.
pub(super) const FUNCTIONS: &[&str] = &["range", "dict", "namespace"];

pub(super) fn add_to(environment: &mut Environment<'static>) {
    environment.add_filter("address", |text: &str| Address::value(text));
    environment.add_filter("date", format_date);
    environment.add_filter("from_json", from_json);
    environment.add_filter("html_to_markdown", |page: &str| html::to_markdown(page));
    environment.add_filter("json", json);
    environment.add_filter("lines", |text: &str| -> Vec<String> {
        text.lines().map(str::to_owned).collect()
    });
    environment.add_filter("regex", regex);
    environment.add_filter("regex_replace", regex_replace);
    environment.add_filter("shell_quote", |text: &str| shell_quote(text));
    environment.add_filter("truncate", truncate);
    environment.add_filter("upgrade_https", |text: Value| {
        Address::upgraded(&text.to_string())
    });
    environment.add_filter("url_encode", |text: Value| url_encode(&text.to_string()));
}

fn wrong(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::InvalidOperation, message.into())
}

fn format_date(value: &Value, pattern: Option<&str>) -> Result<String, Error> {
    let seconds = value
        .as_i64()
        .ok_or_else(|| wrong("`date` takes seconds since 1970"))?;
    date::format(seconds, pattern.unwrap_or("%F"))
        .ok_or_else(|| wrong("`date` knows %Y %m %d %H %M %S %F %T %s and %%"))
}

/// Keys in order, so that the same value is the same text in every build.
#[expect(
    clippy::needless_pass_by_value,
    reason = "filters are called with owned options"
)]
fn json(value: &Value, options: Kwargs) -> Result<String, Error> {
    let indent: Option<bool> = options.get("indent")?;
    options.assert_all_used()?;
    let json: serde_json::Value =
        serde_json::to_value(value).map_err(|error| wrong(format!("no JSON: {error}")))?;
    let text = if indent == Some(true) {
        serde_json::to_string_pretty(&json)
    } else {
        serde_json::to_string(&json)
    };
    text.map_err(|error| wrong(format!("no JSON: {error}")))
}

fn from_json(text: &str) -> Value {
    serde_json::from_str::<serde_json::Value>(text).map_or_else(
        |_| Value::from(()),
        |json| Value::from(minijinja::value::Serde(&json)),
    )
}

fn compile(pattern: &str) -> Result<Regex, Error> {
    RegexBuilder::new(pattern)
        .size_limit(MAX_REGEX)
        .build()
        .map_err(|error| {
            wrong(format!(
                "the regular expression `{pattern}` does not compile: {error}"
            ))
        })
}

/// Whether a regular expression can be used in a template or a definition.
pub(crate) fn regex_problem(pattern: &str) -> Option<String> {
    RegexBuilder::new(pattern)
        .size_limit(MAX_REGEX)
        .build()
        .err()
        .map(|error| error.to_string())
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "filters are called with owned options"
)]
fn regex(text: &str, pattern: &str, options: Kwargs) -> Result<Value, Error> {
    let group: Option<usize> = options.get("group")?;
    options.assert_all_used()?;
    let regex = compile(pattern)?;
    let found = regex
        .captures(text)
        .and_then(|captures| captures.get(group.unwrap_or(0)));
    Ok(found.map_or_else(|| Value::from(()), |found| Value::from(found.as_str())))
}

fn regex_replace(text: &str, pattern: &str, replacement: &str) -> Result<String, Error> {
    let regex = compile(pattern)?;
    Ok(regex.replace_all(text, replacement).into_owned())
}

/// A text as one word of a shell.
/// A text as one word of a shell, whatever it holds.
#[must_use]
pub fn shell_quote(text: &str) -> String {
    let plain = !text.is_empty()
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"-_./=:,@%+".contains(&byte));
    if plain {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}

fn truncate(text: &str, limit: usize) -> String {
    match text.char_indices().nth(limit) {
        None => text.to_owned(),
        Some((end, _)) => {
            let kept = html::beginning(text, end);
            format!("{kept}\n\n[Content truncated after {limit} characters]")
        }
    }
}

fn url_encode(text: &str) -> String {
    use std::fmt::Write as _;
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            // Writing to a text does not fail.
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}
