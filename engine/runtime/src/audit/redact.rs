//! What may be shown of an input: bounded, and without what a documented rule takes for a secret. `docs/audit.md` says the rule for people.

use serde_json::{Map, Value as Json};

use super::chain::sha256;

/// Stands in the place of what is not shown.
const HIDDEN: &str = "[redacted]";

/// Longest text of a field, in characters.
const MAX_TEXT_CHARS: usize = 2_000;

/// Fields and items that are shown of one object or list.
const MAX_ITEMS: usize = 32;

/// Nesting that is shown.
const MAX_DEPTH: usize = 4;

/// Longest view, as JSON.
const MAX_VIEW_BYTES: usize = 8 << 10;

/// Fields that hold contents of files or talk: only their length is shown.
const CONTENTS: &[&str] = &[
    "content",
    "old_string",
    "new_string",
    "new_source",
    "edits",
    "prompt",
    "todos",
    "instruction",
    "patch",
];

/// A name is one of a secret if it holds one of these, whatever the case.
const SECRET_NAMES: &[&str] = &[
    "key",
    "token",
    "secret",
    "passw",
    "pwd",
    "passphrase",
    "credential",
    "auth",
    "cookie",
    "session",
    "signature",
    "bearer",
    "private",
    "dsn",
];

/// Words that begin with one of these are secrets wherever they stand.
const SECRET_BEGINNINGS: &[&str] = &[
    "ghp_",
    "gho_",
    "ghu_",
    "ghs_",
    "ghr_",
    "github_pat_",
    "glpat-",
    "sk-",
    "sk_live_",
    "rk_live_",
    "xoxb-",
    "xoxp-",
    "xoxa-",
    "xapp-",
    "AKIA",
    "ASIA",
    "AIza",
    "ya29.",
    "npm_",
    "pypi-",
    "hf_",
    "eyJ",
    "dop_v1_",
];

/// Shortest word of that kind.
const MIN_SECRET_CHARS: usize = 16;

/// SHA-256 of an input, written as JSON without blanks and with its keys in order.
#[must_use]
pub fn digest_of_input(input: &Json) -> String {
    sha256(input.to_string().as_bytes())
}

/// What may be shown of an input.
#[must_use]
pub fn view(input: &Json) -> Json {
    let shown = value(input, 0);
    if shown.to_string().len() > MAX_VIEW_BYTES {
        let mut names = Map::new();
        let fields = input.as_object().into_iter().flatten();
        for (name, _) in fields.take(MAX_ITEMS) {
            names.insert(short(name, 80), Json::String("[too long]".to_owned()));
        }
        return Json::Object(names);
    }
    shown
}

fn value(json: &Json, depth: usize) -> Json {
    match json {
        Json::Null | Json::Bool(_) | Json::Number(_) => json.clone(),
        Json::String(text) => Json::String(short(&redact(text), MAX_TEXT_CHARS)),
        Json::Array(items) if depth < MAX_DEPTH => items
            .iter()
            .take(MAX_ITEMS)
            .map(|item| value(item, depth + 1))
            .collect(),
        Json::Object(fields) if depth < MAX_DEPTH => {
            let shown = fields.iter().take(MAX_ITEMS).map(|(name, own)| {
                let own = if CONTENTS.contains(&name.as_str()) {
                    Json::String(length(own))
                } else if is_secret_name(name) && !own.is_boolean() {
                    Json::String(HIDDEN.to_owned())
                } else {
                    value(own, depth + 1)
                };
                (short(name, 80), own)
            });
            Json::Object(shown.collect())
        }
        Json::Array(_) | Json::Object(_) => Json::String("[deeper]".to_owned()),
    }
}

fn length(json: &Json) -> String {
    match json {
        Json::String(text) => format!("[{} characters]", text.chars().count()),
        Json::Array(items) => format!("[{} items]", items.len()),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::Object(_) => "[not shown]".to_owned(),
    }
}

fn short(text: &str, chars: usize) -> String {
    match text.char_indices().nth(chars) {
        Some((at, _)) => format!("{}...", text.get(..at).unwrap_or_default()),
        None => text.to_owned(),
    }
}

fn is_secret_name(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    SECRET_NAMES.iter().any(|part| name.contains(part))
}

/// Whether a name is written as variables of the environment are.
fn is_variable(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_uppercase() || c == '_')
        && name
            .bytes()
            .all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
}

/// The same text with secrets replaced: values of assignments to variables and of names that speak of secrets, headers of such names,
/// passwords in addresses, and words that look like tokens.
#[must_use]
pub fn redact(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    // Whether the word before is an option whose value is a secret.
    let mut option = false;
    while !rest.is_empty() {
        let blank = rest.len() - rest.trim_start_matches(is_between).len();
        let (between, after) = rest.split_at_checked(blank).unwrap_or((rest, ""));
        // The value of an option stands on its line.
        option &= !between.contains(['\n', ';', '|', '&']);
        out.push_str(between);
        let end = after.find(is_between).unwrap_or(after.len());
        let (word, next) = after.split_at_checked(end).unwrap_or((after, ""));
        rest = next;
        if word.is_empty() {
            continue;
        }
        if option && !word.starts_with('-') {
            option = false;
            let (hidden, next) = hide_value(after, between.chars().next_back());
            out.push_str(hidden);
            rest = next;
            continue;
        }
        if let Some((head, value)) = quoted_field(word, next) {
            out.push_str(word);
            out.push_str(head);
            let (hidden, next) = hide_value(value, None);
            out.push_str(hidden);
            rest = next;
            continue;
        }
        option = word.starts_with("--") && !word.contains('=') && is_secret_name(word);
        if let Some((name, _)) = word.split_once('=')
            && is_assigned_secret(name)
        {
            let value_at = name.len() + 1;
            out.push_str(after.get(..value_at).unwrap_or_default());
            let quote = between.chars().next_back();
            let (hidden, next) = hide_value(after.get(value_at..).unwrap_or_default(), quote);
            out.push_str(hidden);
            rest = next;
        } else if let Some(name) = header_name(word) {
            // The rest of the header: to the quote that ends it, or to the end of the line.
            out.push_str(after.get(..=name.len()).unwrap_or_default());
            let value = after.get(name.len() + 1..).unwrap_or_default();
            let end = value.find(['\'', '"', '\n']).unwrap_or(value.len());
            let (own, next) = value.split_at_checked(end).unwrap_or((value, ""));
            if own.trim().is_empty() && next.starts_with(['\'', '"']) {
                // `"token": "..."`: the value has quotes of its own.
                let inner = next.get(1..).unwrap_or_default();
                let close = inner.find(['\'', '"', '\n']).unwrap_or(inner.len());
                out.push_str(own);
                out.push_str(next.get(..1).unwrap_or_default());
                out.push_str(HIDDEN);
                rest = inner.get(close..).unwrap_or_default();
            } else {
                out.push(' ');
                out.push_str(HIDDEN);
                rest = next;
            }
        } else if is_token(word) {
            out.push_str(HIDDEN);
        } else {
            out.push_str(&without_password(word));
        }
    }
    out
}

/// What separates words here: more than blanks, so that a name before `=` or `:` is found in any quoting.
fn is_between(c: char) -> bool {
    c.is_whitespace()
        || matches!(
            c,
            '\'' | '"' | '`' | ';' | '|' | '&' | '(' | ')' | '{' | '}' | '<' | '>' | ','
        )
}

fn is_assigned_secret(name: &str) -> bool {
    let bare = name.trim_start_matches('-');
    let is_name = !bare.is_empty()
        && bare
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"_-.[]+?&/:".contains(&byte));
    is_name && (is_variable(bare.trim_end_matches('+')) || is_secret_name(bare))
}

/// The name of `Name:` or `Name:value`, if it speaks of a secret.
fn header_name(word: &str) -> Option<&str> {
    let (name, value) = word.split_once(':')?;
    let is_name = !name.is_empty()
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte));
    (is_name && !value.starts_with("//") && is_secret_name(name)).then_some(name)
}

/// `"name": value` of a name that speaks of a secret: what stands between the name and the value, and everything from the value on.
fn quoted_field<'t>(name: &str, after: &'t str) -> Option<(&'t str, &'t str)> {
    let unquoted = after.trim_start_matches(['"', '\'', '\\']);
    if unquoted.len() == after.len() || !is_secret_name(name) {
        return None;
    }
    let value = unquoted
        .trim_start()
        .strip_prefix(':')?
        .trim_start()
        .trim_start_matches('\\');
    after.split_at_checked(after.len() - value.len())
}

/// Passes over a value that begins here, in quotes or not; returns what stands in its place, and what follows.
fn hide_value(text: &str, quote_before: Option<char>) -> (&'static str, &str) {
    let quote = text.chars().next().filter(|c| matches!(c, '\'' | '"'));
    if let Some(quote) = quote {
        let inner = text.get(1..).unwrap_or_default();
        let end = inner.find(quote).map_or(inner.len(), |at| at + 1);
        return (HIDDEN, inner.get(end..).unwrap_or_default());
    }
    // The quote that was opened before the value ends it.
    let end = match quote_before.filter(|c| matches!(c, '\'' | '"')) {
        Some(quote) => text.find(quote),
        None => text
            .find(|c: char| c.is_whitespace() || matches!(c, '\'' | '"' | ';' | '|' | '&' | ')' | '>' | '<')),
    };
    (HIDDEN, text.get(end.unwrap_or(text.len())..).unwrap_or_default())
}

fn is_token(word: &str) -> bool {
    word.len() >= MIN_SECRET_CHARS && SECRET_BEGINNINGS.iter().any(|start| word.starts_with(start))
}

/// `https://user:password@host` without the password.
fn without_password(word: &str) -> String {
    let hidden = || {
        let (scheme, rest) = word.split_once("://")?;
        let authority_end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        let (authority, path) = rest.split_at_checked(authority_end)?;
        let (user, host) = authority.rsplit_once('@')?;
        let user = user.split_once(':').map_or("", |(name, _)| name);
        let query = match path.split_once('?') {
            Some((path, _)) => format!("{path}?{HIDDEN}"),
            None => path.to_owned(),
        };
        Some(format!("{scheme}://{user}:{HIDDEN}@{host}{query}"))
    };
    hidden().unwrap_or_else(|| {
        // A parameter of an address that names a secret.
        let Some((base, query)) = word.split_once('?') else {
            return word.to_owned();
        };
        let secret = query
            .split('&')
            .any(|pair| pair.split_once('=').is_some_and(|(name, _)| is_secret_name(name)));
        if secret {
            format!("{base}?{HIDDEN}")
        } else {
            word.to_owned()
        }
    })
}
