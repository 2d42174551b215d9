//! Addresses in templates: text that has parts.
//!
//! Only what every reader of an address agrees about is taken apart; anything odd has no parts, so that no template takes a host for
//! another one than a program connects to.

use std::fmt;
use std::sync::Arc;

use minijinja::Value;
use minijinja::value::{Enumerator, Object, ObjectRepr};

/// `scheme://host:port/path?query`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Address {
    text: String,
    scheme: String,
    host: String,
    port: Option<u16>,
    path: String,
    query: Option<String>,
}

/// The parts that templates may name.
pub(super) const PARTS: &[&str] = &["scheme", "host", "port", "path", "query", "text"];

impl Address {
    /// Takes an address apart; `None` for what is no plain `http` or `https` address.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let odd = |c: char| c.is_control() || c.is_whitespace() || c == '\\';
        if text.contains(odd) {
            return None;
        }
        let (scheme, rest) = text.split_once("://")?;
        let scheme = scheme.to_ascii_lowercase();
        if !matches!(scheme.as_str(), "http" | "https") {
            return None;
        }
        let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        let (authority, tail) = rest.split_at_checked(end)?;
        // A name before `@` is what people are misled by.
        if authority.contains('@') {
            return None;
        }
        let (host, port) = split_port(authority)?;
        if host.is_empty() {
            return None;
        }
        let tail = tail.split('#').next().unwrap_or_default();
        let (path, query) = match tail.split_once('?') {
            Some((path, query)) => (path, Some(query.to_owned())),
            None => (tail, None),
        };
        Some(Self {
            text: text.to_owned(),
            scheme,
            host: host.to_ascii_lowercase(),
            port,
            path: if path.is_empty() { "/" } else { path }.to_owned(),
            query,
        })
    }

    /// The host, in small letters.
    pub(crate) fn host(&self) -> &str {
        &self.host
    }

    /// The address as a value of a template; plain text where it is none.
    pub(super) fn value(text: &str) -> Value {
        Self::parse(text).map_or_else(|| Value::from(text), Value::from_object)
    }

    /// The same address over TLS.
    pub(super) fn upgraded(text: &str) -> Value {
        let plain = text
            .split_at_checked(7)
            .filter(|(scheme, _)| scheme.eq_ignore_ascii_case("http://"));
        match plain {
            Some((_, rest)) => Self::value(&format!("https://{rest}")),
            None => Self::value(text),
        }
    }
}

fn split_port(authority: &str) -> Option<(&str, Option<u16>)> {
    if authority.starts_with('[') {
        let (host, rest) = authority.split_once(']')?;
        let host_end = host.len() + 1;
        let (host, _) = authority.split_at_checked(host_end)?;
        return match rest.strip_prefix(':') {
            Some(port) => Some((host, Some(port.parse().ok()?))),
            None if rest.is_empty() => Some((host, None)),
            None => None,
        };
    }
    match authority.split_once(':') {
        Some((host, port)) => Some((host, Some(port.parse().ok()?))),
        None => Some((authority, None)),
    }
}

impl Object for Address {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Plain
    }

    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        Some(match key.as_str()? {
            "scheme" => Value::from(self.scheme.as_str()),
            "host" => Value::from(self.host.as_str()),
            "port" => self.port.map_or_else(|| Value::from(()), Value::from),
            "path" => Value::from(self.path.as_str()),
            "query" => self.query.as_deref().map_or_else(|| Value::from(()), Value::from),
            "text" => Value::from(self.text.as_str()),
            _ => return None,
        })
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        Enumerator::NonEnumerable
    }

    fn render(self: &Arc<Self>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}
