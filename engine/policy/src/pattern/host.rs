//! Host patterns: names, everything below a name, address ranges, and an optional port.
//!
//! Invariant (canonical names): a name is lower-case ASCII without a final dot, and the bits of an address range behind its
//! prefix are zero.

use std::net::IpAddr;

use smol_str::SmolStr;

use super::{Parsed, PatternProblem};

/// A pattern over the host and port of a connection.
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct HostPattern {
    /// Which hosts.
    pub host: HostName,
    /// Which port; `None` is any.
    pub port: Option<u16>,
}

/// Which hosts a [`HostPattern`] names.
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub enum HostName {
    /// `*`: every host.
    Any,
    /// Exactly this name.
    Exactly(SmolStr),
    /// `*.example.org`: any depth below this name, not the name itself (the text holds no `*.`).
    Below(SmolStr),
    /// An address or a range of addresses in CIDR notation; a single address has the full prefix length.
    Network {
        /// First address of the range.
        address: IpAddr,
        /// Bits of the address that must agree.
        prefix: u8,
    },
}

const CODE: &str = "policy::host-pattern";

impl HostPattern {
    /// Reads a host pattern. An IPv6 address with a port is written `[::1]:443`.
    pub fn parse(text: &str) -> Parsed<Self> {
        let whole = 0..text.len();
        if let Some((scheme, _)) = text.split_once("://") {
            return Err(PatternProblem::error(
                CODE,
                whole,
                format!("`{scheme}://` does not belong to a host"),
            )
            .help("write the host alone, with `:port` if it matters"));
        }
        let (host, port) = split_port(text)?;
        let host = parse_host(host).map_err(|(message, help)| {
            let start = usize::from(text.starts_with('['));
            let start = if text.get(start..).is_some_and(|rest| rest.starts_with(host)) {
                start
            } else {
                0
            };
            let mut problem = PatternProblem::error(CODE, start..start + host.len(), message);
            problem.help = help;
            problem
        })?;
        Ok((Self { host, port }, Vec::new()))
    }
}

/// Parts `host:port`; an address with several colons has none.
fn split_port(text: &str) -> Result<(&str, Option<u16>), PatternProblem> {
    let (host, port) = match text.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((host, "")) => (host, None),
        Some((host, rest)) => match rest.strip_prefix(':') {
            Some(port) => (host, Some(port)),
            // `[fd00::]/8` reads as a range.
            None => {
                return Err(PatternProblem::error(
                    CODE,
                    0..text.len(),
                    "only a port may follow the brackets",
                ));
            }
        },
        None => match text.split_once(':') {
            Some((host, port)) if !port.contains(':') => (host, Some(port)),
            Some(_) | None => (text, None),
        },
    };
    let Some(digits) = port else {
        return Ok((host, None));
    };
    if digits == "*" {
        return Ok((host, None));
    }
    match digits.parse::<u16>() {
        Ok(port) if port > 0 && digits.bytes().all(|b| b.is_ascii_digit()) => Ok((host, Some(port))),
        Ok(_) | Err(_) => Err(PatternProblem::error(
            CODE,
            text.len() - digits.len()..text.len(),
            format!("`{digits}` is not a port"),
        )
        .help("a port is a number from 1 to 65535")),
    }
}

fn parse_host(text: &str) -> Result<HostName, (String, Option<String>)> {
    if text == "*" {
        return Ok(HostName::Any);
    }
    if let Some((address, prefix)) = text.split_once('/') {
        return parse_range(address, prefix);
    }
    if let Ok(address) = text.parse::<IpAddr>() {
        return Ok(HostName::Network {
            address,
            prefix: width(address),
        });
    }
    let (below, name) = match text.strip_prefix("*.") {
        Some(name) => (true, name),
        None => (false, text),
    };
    let name = name.strip_suffix('.').unwrap_or(name);
    if name.contains('*') {
        return Err((
            "a star stands for whole labels, and only in front".into(),
            Some("write `*.example.org`, or a set of names".into()),
        ));
    }
    if !name.is_ascii() {
        return Err((
            format!("`{name}` has letters outside ASCII"),
            Some("write the name as it is looked up, in its `xn--` form".into()),
        ));
    }
    let labels_fit = name.split('.').all(|label| {
        (1..=63).contains(&label.len())
            && label
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'))
    });
    if !labels_fit || name.len() > 253 {
        return Err((format!("`{text}` is not a host name"), None));
    }
    // A name whose last label is a number is an address in a spelling that programs read differently (`010.0.0.1`, `0x7f.1`).
    let last = name.rsplit('.').next().unwrap_or_default();
    if last.bytes().all(|b| b.is_ascii_digit()) || last.to_ascii_lowercase().starts_with("0x") {
        return Err((
            format!("`{text}` is neither a name nor a plain address"),
            Some("write an address as four decimal numbers without leading zeros".into()),
        ));
    }
    let name = name.to_ascii_lowercase().into();
    Ok(if below {
        HostName::Below(name)
    } else {
        HostName::Exactly(name)
    })
}

fn width(address: IpAddr) -> u8 {
    match address {
        IpAddr::V4(_) => 32,
        IpAddr::V6(_) => 128,
    }
}

fn parse_range(address: &str, prefix: &str) -> Result<HostName, (String, Option<String>)> {
    let Ok(ip) = address.parse::<IpAddr>() else {
        return Err((
            format!("`{address}` is not an address"),
            Some("a host pattern has no path; a range is an address, `/` and a number of bits".into()),
        ));
    };
    let bits = prefix.parse::<u8>().ok().filter(|&bits| bits <= width(ip));
    let Some(bits) = bits else {
        return Err((
            format!("`{prefix}` is not a number of bits"),
            Some(format!("from 0 to {} for this kind of address", width(ip))),
        ));
    };
    let first = match ip {
        IpAddr::V4(v4) => {
            let mask = u32::MAX.checked_shl(32 - u32::from(bits)).unwrap_or(0);
            IpAddr::from((u32::from(v4) & mask).to_be_bytes())
        }
        IpAddr::V6(v6) => {
            let mask = u128::MAX.checked_shl(128 - u32::from(bits)).unwrap_or(0);
            IpAddr::from((u128::from(v6) & mask).to_be_bytes())
        }
    };
    if first == ip {
        Ok(HostName::Network {
            address: ip,
            prefix: bits,
        })
    } else {
        Err((
            format!("`{address}` is not the first address of the range"),
            Some(format!(
                "write `{first}/{bits}` for the range, or `{ip}` for that address"
            )),
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::{HostName, HostPattern};

    fn read(text: &str) -> (HostName, Option<u16>) {
        let pattern = HostPattern::parse(text).expect(text).0;
        (pattern.host, pattern.port)
    }

    #[test]
    fn names_addresses_and_ports() {
        assert_eq!(
            read("Docs.Example.org."),
            (HostName::Exactly("docs.example.org".into()), None)
        );
        assert_eq!(
            read("*.example.org:443"),
            (HostName::Below("example.org".into()), Some(443))
        );
        assert_eq!(read("*"), (HostName::Any, None));
        let network = |address: &str, prefix| HostName::Network {
            address: address.parse().expect(address),
            prefix,
        };
        assert_eq!(read("10.0.0.0/8"), (network("10.0.0.0", 8), None));
        assert_eq!(read("0.0.0.0/0"), (network("0.0.0.0", 0), None));
        assert_eq!(read("127.0.0.1:80"), (network("127.0.0.1", 32), Some(80)));
        assert_eq!(read("[::1]:443"), (network("::1", 128), Some(443)));
        assert_eq!(read("fd00::/8"), (network("fd00::", 8), None));
    }

    #[test]
    fn problems_point_behind_the_bracket() {
        let problem = HostPattern::parse("[é]").unwrap_err();
        assert_eq!(problem.range, 1..3);
    }

    #[test]
    fn what_is_no_host_is_refused() {
        for text in [
            "",
            "https://example.org",
            "example.org/path",
            "a*.org",
            "*.*.org",
            "10.0.0.1/8",
            "10.0.0.0/33",
            "example.org:0",
            "example.org:http",
            "010.0.0.1",
            "bücher.example",
            "a..b",
            "[::1]x",
            "0x7f.1",
            "127.1",
        ] {
            assert!(HostPattern::parse(text).is_err(), "{text}");
        }
    }
}
