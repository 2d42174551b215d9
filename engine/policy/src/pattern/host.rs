//! Host patterns: names, everything below a name, address ranges, and an optional port.
//!
//! Invariant (canonical names): a name is lower-case ASCII without a final dot, and the bits of an address range behind its
//! prefix are zero.

use std::net::IpAddr;

use smol_str::SmolStr;

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
