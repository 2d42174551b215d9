//! Values and names as each spelling writes them.

use std::fmt::Write as _;

use crate::read::kdl::{is_forbidden, is_newline};
use crate::read::{Argument, Literal};

/// Whether a character hides, reorders or ends lines, so that it is written as an escape.
fn is_hidden(c: char) -> bool {
    c.is_control() || is_forbidden(c) || is_newline(c)
}

/// A value in TOML.
pub(super) fn toml(argument: &Argument) -> String {
    match &argument.value {
        Literal::Text(text) => toml_text(text),
        Literal::Integer(value) => value.to_string(),
        Literal::Boolean(value) => value.to_string(),
        // No policy has these.
        Literal::Number(word) | Literal::Date(word) => word.to_string(),
        Literal::Null => "\"\"".to_owned(),
    }
}

/// One value as it is, several as a list.
pub(super) fn toml_values(arguments: &[Argument]) -> String {
    match arguments {
        [argument] => toml(argument),
        [] | [_, _, ..] => toml_list(arguments),
    }
}

pub(super) fn toml_list(arguments: &[Argument]) -> String {
    let values: Vec<String> = arguments.iter().map(toml).collect();
    format!("[{}]", values.join(", "))
}

pub(super) fn toml_text(text: &str) -> String {
    let plain = !text.chars().any(is_hidden);
    if plain && text.contains(['"', '\\']) && !text.contains('\'') {
        return format!("'{text}'");
    }
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            _ if is_hidden(c) => {
                let _infallible = write!(out, "\\U{:08X}", u32::from(c));
            }
            _ => out.push(c),
        }
    }
    out.push('"');
    out
}

/// A key of TOML.
pub(super) fn toml_key(name: &str) -> String {
    let bare = !name.is_empty()
        && name
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'));
    if bare { name.to_owned() } else { toml_text(name) }
}

/// A value in KDL.
pub(super) fn kdl(argument: &Argument) -> String {
    match &argument.value {
        Literal::Text(text) => kdl_text(text),
        Literal::Integer(value) => value.to_string(),
        Literal::Boolean(value) => format!("#{value}"),
        Literal::Null => "#null".to_owned(),
        // No policy has these.
        Literal::Number(word) | Literal::Date(word) => word.to_string(),
    }
}

/// A text in KDL, between quotes: what hides, reorders or ends lines is escaped, and what has quotes or backslashes is written raw.
#[must_use]
pub fn kdl_text(text: &str) -> String {
    let plain = !text.chars().any(is_hidden);
    // Three quotes in a row would begin a text of several lines.
    if plain && text.contains(['"', '\\']) && !text.starts_with('"') {
        let mut hashes = "#".to_owned();
        while text.contains(&format!("\"{hashes}")) {
            hashes.push('#');
        }
        return format!("{hashes}\"{text}\"{hashes}");
    }
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            _ if is_hidden(c) => {
                let _infallible = write!(out, "\\u{{{:x}}}", u32::from(c));
            }
            _ => out.push(c),
        }
    }
    out.push('"');
    out
}

/// The name of a node or property in KDL.
pub(super) fn kdl_name(name: &str) -> String {
    let bare = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'))
        && !matches!(name, "true" | "false" | "null" | "inf" | "nan");
    if bare { name.to_owned() } else { kdl_text(name) }
}
