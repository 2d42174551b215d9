//! How a line is sealed, and how a seal is told to hold: anybody can do it again with a JSON reader and SHA-256.
//!
//! A record is written as a JSON object whose last two fields are `prev`, the hash of the record before, and `hash`. The hash is the
//! SHA-256 of the text of the line as it is without `,"hash":"..."`.

use std::fmt::Write as _;

use serde_json::Value as Json;
use sha2::{Digest as _, Sha256};

/// What the first record of a log has as the hash of the one before.
pub const GENESIS: &str = "0000000000000000000000000000000000000000000000000000000000000000";

/// Hexadecimal digits of a hash.
const HASH_CHARS: usize = 64;

const BEFORE_HASH: &str = ",\"hash\":\"";
const AFTER_HASH: &str = "\"}";

/// A line whose seal holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Sealed {
    /// Number of the record, from 1.
    pub seq: u64,
    /// Hash of the record before.
    pub prev: String,
    /// Its own hash.
    pub hash: String,
    /// The record.
    pub json: Json,
}

/// SHA-256 as hexadecimal digits.
pub(super) fn sha256(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(HASH_CHARS);
    for byte in Sha256::digest(bytes) {
        let _infallible = write!(text, "{byte:02x}");
    }
    text
}

/// Puts the hash at the end of the text of an object. Returns the line, without a newline, and its hash.
pub(super) fn seal(object: &str) -> (String, String) {
    let hash = sha256(object.as_bytes());
    let open = object.strip_suffix('}').unwrap_or(object);
    (format!("{open}{BEFORE_HASH}{hash}{AFTER_HASH}"), hash)
}

/// Reads a line, without its newline; `None` if it is no record or its hash is not the one of its text.
#[must_use]
pub fn unseal(line: &[u8]) -> Option<Sealed> {
    let line = std::str::from_utf8(line).ok()?;
    let rest = line.strip_suffix(AFTER_HASH)?;
    let (rest, hash) = rest.split_at_checked(rest.len().checked_sub(HASH_CHARS)?)?;
    let open = rest.strip_suffix(BEFORE_HASH)?;
    if sha256(format!("{open}}}").as_bytes()) != hash {
        return None;
    }
    let json: Json = serde_json::from_str(line).ok()?;
    Some(Sealed {
        seq: json.get("seq")?.as_u64()?,
        prev: json.get("prev")?.as_str()?.to_owned(),
        hash: hash.to_owned(),
        json,
    })
}
