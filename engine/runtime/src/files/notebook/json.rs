//! Where the parts of a JSON text are, so that one can be replaced and the others stay byte for byte.
//!
//! Invariant (valid first): the text was accepted by a JSON parser before; this module only finds what that one has checked, and stops short
//! where it does not. Invariant (no recursion): nesting costs a counter, so a text cannot be too deep.

use std::ops::Range;

/// The members of an object: each key as text, the span of the key, and the span of the value.
pub(super) type Members = Vec<(String, Range<usize>, Range<usize>)>;

/// The span of the value that starts at or after `from`, without the blanks in front of it.
pub(super) fn value(text: &str, from: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let start = skip_blanks(bytes, from);
    let end = match bytes.get(start)? {
        b'"' => string_end(bytes, start)?,
        b'{' | b'[' => nested_end(bytes, start)?,
        _ => {
            let rest = bytes.get(start..)?;
            start
                + rest
                    .iter()
                    .position(|byte| matches!(byte, b',' | b'}' | b']') || byte.is_ascii_whitespace())
                    .unwrap_or(rest.len())
        }
    };
    Some(start..end)
}

/// The members of an object.
pub(super) fn members(text: &str, object: &Range<usize>) -> Option<Members> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = opening(bytes, object.start, b'{')?;
    while bytes.get(at)? != &b'}' {
        let key = value(text, at)?;
        let name: String = serde_json::from_str(text.get(key.clone())?).ok()?;
        let colon = skip_blanks(bytes, key.end);
        let value = value(text, colon + 1)?;
        at = behind(bytes, value.end)?;
        found.push((name, key, value));
    }
    Some(found)
}

/// The elements of an array.
pub(super) fn elements(text: &str, array: &Range<usize>) -> Option<Vec<Range<usize>>> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = opening(bytes, array.start, b'[')?;
    while bytes.get(at)? != &b']' {
        let element = value(text, at)?;
        at = behind(bytes, element.end)?;
        found.push(element);
    }
    Some(found)
}

/// The span of the last member with this key, which is the one that readers of JSON take.
pub(super) fn member(members: &[(String, Range<usize>, Range<usize>)], name: &str) -> Option<Range<usize>> {
    members
        .iter()
        .rev()
        .find(|(key, _, _)| key == name)
        .map(|(_, _, value)| value.clone())
}

fn opening(bytes: &[u8], at: usize, bracket: u8) -> Option<usize> {
    (bytes.get(at) == Some(&bracket)).then(|| skip_blanks(bytes, at + 1))
}

/// The place of the next element or of the closing bracket.
fn behind(bytes: &[u8], at: usize) -> Option<usize> {
    let at = skip_blanks(bytes, at);
    match bytes.get(at)? {
        b',' => Some(skip_blanks(bytes, at + 1)),
        b'}' | b']' => Some(at),
        _ => None,
    }
}

fn skip_blanks(bytes: &[u8], at: usize) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    at + rest
        .iter()
        .position(|byte| !byte.is_ascii_whitespace())
        .unwrap_or(rest.len())
}

fn string_end(bytes: &[u8], start: usize) -> Option<usize> {
    let mut at = start + 1;
    loop {
        match bytes.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}

fn nested_end(bytes: &[u8], start: usize) -> Option<usize> {
    let (mut at, mut depth) = (start, 0_usize);
    loop {
        match bytes.get(at)? {
            b'"' => {
                at = string_end(bytes, at)?;
                continue;
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.checked_sub(1)?,
            _ => {}
        }
        at += 1;
        if depth == 0 {
            return Some(at);
        }
    }
}
