//! Host patterns by name, by parent name, and by address range.

use std::net::{IpAddr, Ipv4Addr};

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

use super::end::End;
use crate::pattern::{HostName, HostPattern};

/// Host patterns of all network rules.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct HostIndex {
    exact: FxHashMap<SmolStr, Vec<(Option<u16>, End)>>,
    parents: FxHashMap<SmolStr, Vec<(Option<u16>, End)>>,
    networks: Vec<(IpAddr, u8, Option<u16>, End)>,
    any: Vec<(Option<u16>, End)>,
}

/// A host and port that something connects to.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Host {
    /// Lower-case name or address, without a final dot.
    pub name: SmolStr,
    /// The port, where given or implied by the scheme.
    pub port: Option<u16>,
}

impl HostIndex {
    /// Adds one pattern.
    pub(crate) fn insert(&mut self, pattern: &HostPattern, end: End) {
        match &pattern.host {
            HostName::Any => self.any.push((pattern.port, end)),
            HostName::Exactly(name) => self
                .exact
                .entry(name.clone())
                .or_default()
                .push((pattern.port, end)),
            HostName::Below(name) => self
                .parents
                .entry(name.clone())
                .or_default()
                .push((pattern.port, end)),
            HostName::Network { address, prefix } => {
                self.networks.push((*address, *prefix, pattern.port, end));
            }
        }
    }

    /// Every end whose pattern covers the host. A pattern with a port covers only that port.
    pub(crate) fn matches(&self, host: &Host, hit: &mut dyn FnMut(End)) {
        let mut try_all = |entries: &[(Option<u16>, End)]| {
            for (port, end) in entries {
                if port.is_none() || *port == host.port {
                    hit(*end);
                }
            }
        };
        try_all(&self.any);
        if let Some(entries) = self.exact.get(&host.name) {
            try_all(entries);
        }
        let mut rest = host.name.as_str();
        while let Some((_, parent)) = rest.split_once('.') {
            if let Some(entries) = self.parents.get(parent) {
                try_all(entries);
            }
            rest = parent;
        }
        if let Ok(address) = host.name.trim_matches(['[', ']']).parse::<IpAddr>() {
            for (network, prefix, port, end) in &self.networks {
                if (port.is_none() || *port == host.port) && within(address, *network, *prefix) {
                    hit(*end);
                }
            }
        }
    }

    /// Every end at all: what a host that is not known may match.
    pub(crate) fn all(&self, hit: &mut dyn FnMut(End)) {
        let lists = self.exact.values().chain(self.parents.values()).flatten();
        for (_, end) in lists.chain(&self.any) {
            hit(*end);
        }
        for (_, _, _, end) in &self.networks {
            hit(*end);
        }
    }

    /// The ends of patterns that cover every host.
    pub(crate) fn every(&self, hit: &mut dyn FnMut(End)) {
        for (port, end) in &self.any {
            if port.is_none() {
                hit(*end);
            }
        }
    }
}

fn within(address: IpAddr, network: IpAddr, prefix: u8) -> bool {
    let canonical = |ip: IpAddr| match ip {
        IpAddr::V4(v4) => (u128::from(u32::from(v4)) << 96, 32),
        IpAddr::V6(v6) => match v6.to_ipv4_mapped() {
            Some(v4) => (u128::from(u32::from(v4)) << 96, 32),
            None => (u128::from(v6), 128),
        },
    };
    let ((one, one_bits), (other, other_bits)) = (canonical(address), canonical(network));
    one_bits == other_bits && (prefix == 0 || (one ^ other) >> (128 - u32::from(prefix.min(128))) == 0)
}

/// The host of a URL, `host`, `host:port` or `user@host:path`; `None` where there is none.
pub(crate) fn parse_host(text: &str) -> Option<Host> {
    let (scheme, rest) = match text.split_once("://") {
        Some((scheme, rest)) => (Some(scheme.to_ascii_lowercase()), rest),
        None => (None, text),
    };
    // Programs differ on what a backslash in a URL means; none of the readings is taken.
    if text.contains('\\') {
        return None;
    }
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let authority = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let (name, port) = if let Some(inner) = authority.strip_prefix('[') {
        let (name, after) = inner.split_once(']')?;
        (name, after.strip_prefix(':'))
    } else {
        match authority.split_once(':') {
            Some((name, port)) => (name, Some(port)),
            None => (authority, None),
        }
    };
    let implied = match scheme.as_deref() {
        Some("http" | "ws") => Some(80),
        Some("https" | "wss") => Some(443),
        Some("ssh" | "git+ssh" | "sftp") => Some(22),
        Some("git") => Some(9418),
        Some("ftp") => Some(21),
        _ => None,
    };
    // What follows `host:` without a scheme may be a path (`host:dir`), as scp and git write it.
    known_host(name, port.and_then(|port| port.parse().ok()).or(implied))
}

/// The host of a name or address; `None` if it is not certain which one is meant.
pub(crate) fn known_host(name: &str, port: Option<u16>) -> Option<Host> {
    let name = name.trim_end_matches('.').to_ascii_lowercase();
    // Escapes and letters of other scripts become another name in some programs and not in others.
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_' | ':');
    if name.is_empty() || !name.chars().all(plain) {
        return None;
    }
    let name = match address_of(&name) {
        Numeric::No => name,
        Numeric::Address(address) => address.to_string(),
        Numeric::Unclear => return None,
    };
    Some(Host {
        name: name.into(),
        port,
    })
}

/// What a name is that ends in a number.
#[derive(Debug, PartialEq, Eq)]
enum Numeric {
    /// It is a name.
    No,
    /// An address: `127.1`, `2130706433` and `0x7f.0.0.1` are all `127.0.0.1`.
    Address(Ipv4Addr),
    /// Programs differ on it, or refuse it.
    Unclear,
}

/// Reads an address as `inet_aton(3)` does: up to four numbers, of which the last fills what is left. Numbers that begin with a zero
/// are octal to some programs and decimal to others.
fn address_of(name: &str) -> Numeric {
    if name.contains(':') {
        // An IPv6 address has one reading.
        return Numeric::No;
    }
    let hexadecimal = |part: &str| part.strip_prefix("0x").map(str::to_owned);
    let is_number = |part: &str| {
        !part.is_empty() && part.chars().all(|c| c.is_ascii_digit())
            || hexadecimal(part).is_some_and(|digits| digits.chars().all(|c| c.is_ascii_hexdigit()))
    };
    let parts: Vec<&str> = name.split('.').collect();
    let (Some((last, before)), true) = (
        parts.split_last(),
        parts.last().is_some_and(|part| is_number(part)),
    ) else {
        return Numeric::No;
    };
    let number = |part: &str| match hexadecimal(part) {
        Some(digits) => u32::from_str_radix(&digits, 16).ok(),
        None if part.len() > 1 && part.starts_with('0') => None,
        None => part.parse().ok(),
    };
    let rest_bits = match before.len() {
        0 => 32,
        1 => 24,
        2 => 16,
        3 => 8,
        _ => return Numeric::Unclear,
    };
    let Some(rest) = number(last).filter(|rest| u64::from(*rest) >> rest_bits == 0) else {
        return Numeric::Unclear;
    };
    let mut address = rest;
    for (part, shift) in before.iter().zip([24, 16, 8]) {
        match number(part).filter(|value| *value <= 255) {
            Some(value) => address |= value << shift,
            None => return Numeric::Unclear,
        }
    }
    Numeric::Address(Ipv4Addr::from(address))
}

#[cfg(test)]
mod tests {
    use super::{Host, parse_host};

    #[test]
    fn an_address_is_the_same_however_it_is_spelled() {
        for text in [
            "http://169.254.169.254/",
            "http://2852039166/",
            "http://0xa9fea9fe/",
            "http://169.254.43518/",
            "http://169.16689662/",
            "http://0xA9.254.0xa9.0xfe./",
        ] {
            let host = parse_host(text).expect(text);
            assert_eq!(host.name, "169.254.169.254", "{text}");
        }
    }

    #[test]
    fn a_host_that_programs_read_differently_is_not_known() {
        for text in [
            "http://0251.0376.0251.0376/",
            "http://010.0.0.1/",
            "http://1.2.3.4.5/",
            "http://1.2.3.256/",
            "http://4294967296/",
            "http://internal%2eexample/",
            "http://internal\u{3002}example/",
            "http://\u{ff11}\u{ff12}7.0.0.1/",
        ] {
            assert_eq!(parse_host(text), None, "{text}");
        }
        assert_eq!(parse_host("http://a1.x2/").expect("a name").name, "a1.x2");
        let mapped = parse_host("http://[::ffff:10.0.0.1]/").expect("an address");
        assert_eq!(mapped.name, "::ffff:10.0.0.1");
    }

    #[test]
    fn the_host_is_what_would_be_connected_to() {
        for (text, name, port) in [
            ("https://Example.org/x", "example.org", Some(443)),
            ("http://localhost:3000/api?a=1", "localhost", Some(3000)),
            ("https://user:pw@host.example./x", "host.example", Some(443)),
            ("http://github.com@evil.example/", "evil.example", Some(80)),
            ("git@github.com:o/r.git", "github.com", None),
            ("[::1]:80", "::1", Some(80)),
            ("10.0.0.1", "10.0.0.1", None),
        ] {
            assert_eq!(
                parse_host(text),
                Some(Host {
                    name: name.into(),
                    port
                }),
                "{text}"
            );
        }
        assert_eq!(parse_host("http://"), None);
        assert_eq!(parse_host("http://github.com\\@evil.example/"), None);
    }
}
