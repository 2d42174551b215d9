//! Text as bytes: UTF-8, UTF-16 with a mark, and Latin-1 for everything else.
//!
//! Invariant (round trip): text that was decoded exactly and is encoded again, unchanged, gives the same bytes.

/// How a text is written as bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Encoding {
    /// UTF-8.
    Utf8,
    /// UTF-8 behind a byte order mark.
    Utf8Marked,
    /// UTF-16 behind a mark, least byte first.
    Utf16Little,
    /// UTF-16 behind a mark, most significant byte first.
    Utf16Big,
    /// One byte a character.
    Latin1,
}

/// Whether decoding lost anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fidelity {
    /// Encoding it again gives the same bytes.
    Exact,
    /// Broken characters were replaced; good for showing, not for writing.
    Lossy,
}

/// A decoded text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Text {
    pub(super) content: String,
    pub(super) encoding: Encoding,
    pub(super) fidelity: Fidelity,
}

const UTF8_MARK: &[u8] = b"\xef\xbb\xbf";
const LITTLE_MARK: &[u8] = b"\xff\xfe";
const BIG_MARK: &[u8] = b"\xfe\xff";

/// The encoding that a mark at the start announces.
pub(super) fn marked(bytes: &[u8]) -> Option<Encoding> {
    if bytes.starts_with(UTF8_MARK) {
        Some(Encoding::Utf8Marked)
    } else if bytes.starts_with(LITTLE_MARK) {
        Some(Encoding::Utf16Little)
    } else if bytes.starts_with(BIG_MARK) {
        Some(Encoding::Utf16Big)
    } else {
        None
    }
}

/// Decodes a whole text.
pub(super) fn decode(bytes: Vec<u8>) -> Text {
    match marked(&bytes) {
        Some(Encoding::Utf16Little) => utf16(&bytes, Encoding::Utf16Little, u16::from_le_bytes),
        Some(Encoding::Utf16Big) => utf16(&bytes, Encoding::Utf16Big, u16::from_be_bytes),
        Some(Encoding::Utf8Marked) => {
            let body = bytes.get(UTF8_MARK.len()..).unwrap_or_default();
            match std::str::from_utf8(body) {
                Ok(text) => Text {
                    content: text.to_owned(),
                    encoding: Encoding::Utf8Marked,
                    fidelity: Fidelity::Exact,
                },
                // The mark is three characters of Latin-1 then; odd, but it keeps every byte.
                Err(_) => latin1(&bytes),
            }
        }
        Some(Encoding::Utf8 | Encoding::Latin1) | None => match String::from_utf8(bytes) {
            Ok(text) => Text {
                content: text,
                encoding: Encoding::Utf8,
                fidelity: Fidelity::Exact,
            },
            Err(error) => latin1(error.as_bytes()),
        },
    }
}

fn latin1(bytes: &[u8]) -> Text {
    Text {
        content: latin1_text(bytes),
        encoding: Encoding::Latin1,
        fidelity: Fidelity::Exact,
    }
}

/// Bytes as the characters of the same numbers.
pub(super) fn latin1_text(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| char::from(*byte)).collect()
}

fn utf16(bytes: &[u8], encoding: Encoding, unit: fn([u8; 2]) -> u16) -> Text {
    let (units, rest) = bytes.get(2..).unwrap_or_default().as_chunks::<2>();
    let mut fidelity = if rest.is_empty() {
        Fidelity::Exact
    } else {
        Fidelity::Lossy
    };
    let text = char::decode_utf16(units.iter().copied().map(unit))
        .map(|character| {
            character.unwrap_or_else(|_| {
                fidelity = Fidelity::Lossy;
                char::REPLACEMENT_CHARACTER
            })
        })
        .collect();
    Text {
        content: text,
        encoding,
        fidelity,
    }
}

impl Encoding {
    /// The text as bytes, or the first character that the encoding lacks.
    pub(super) fn encode(self, text: &str) -> Result<Vec<u8>, char> {
        match self {
            Self::Utf8 => Ok(text.as_bytes().to_vec()),
            Self::Utf8Marked => Ok([UTF8_MARK, text.as_bytes()].concat()),
            Self::Utf16Little => Ok(units(LITTLE_MARK, text, u16::to_le_bytes)),
            Self::Utf16Big => Ok(units(BIG_MARK, text, u16::to_be_bytes)),
            Self::Latin1 => text
                .chars()
                .map(|character| u8::try_from(character).map_err(|_| character))
                .collect(),
        }
    }

    /// What people call it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Utf8 | Self::Utf8Marked => "UTF-8",
            Self::Utf16Little | Self::Utf16Big => "UTF-16",
            Self::Latin1 => "Latin-1",
        }
    }
}

fn units(mark: &[u8], text: &str, bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
    let mut out = mark.to_vec();
    out.extend(text.encode_utf16().flat_map(bytes));
    out
}

/// How the lines of a text end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Endings {
    /// None does, or all with a line feed.
    Lf,
    /// All with a carriage return and a line feed.
    Crlf,
    /// Some so, some so.
    Mixed,
}

/// How the lines of `text` end.
pub(super) fn endings(text: &str) -> Endings {
    let (mut with, mut bare, mut last) = (false, false, 0);
    for byte in text.bytes() {
        if byte == b'\n' {
            match last {
                b'\r' => with = true,
                _ => bare = true,
            }
        }
        last = byte;
    }
    match (with, bare) {
        (true, true) => Endings::Mixed,
        (true, false) => Endings::Crlf,
        (false, _) => Endings::Lf,
    }
}

/// Every bare line feed as carriage return and line feed.
pub(super) fn with_crlf(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 16);
    for part in text.split_inclusive('\n') {
        match part.strip_suffix('\n') {
            Some(line) if !line.ends_with('\r') => {
                out.push_str(line);
                out.push_str("\r\n");
            }
            Some(_) | None => out.push_str(part),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{Encoding, Endings, Fidelity, decode, endings, with_crlf};

    fn check(bytes: &[u8], encoding: Encoding, text: &str) {
        let decoded = decode(bytes.to_vec());
        assert_eq!(
            (decoded.encoding, decoded.content.as_str(), decoded.fidelity),
            (encoding, text, Fidelity::Exact)
        );
        assert_eq!(encoding.encode(text).unwrap(), bytes);
    }

    #[test]
    fn every_encoding_comes_back_as_it_was() {
        check("añ€😀\r\n".as_bytes(), Encoding::Utf8, "añ€😀\r\n");
        check(b"\xef\xbb\xbfa\n", Encoding::Utf8Marked, "a\n");
        check(b"\xff\xfea\0\x3d\xd8\x00\xde", Encoding::Utf16Little, "a😀");
        check(b"\xfe\xff\0a\xd8\x3d\xde\x00", Encoding::Utf16Big, "a😀");
        check(b"caf\xe9\x80\n", Encoding::Latin1, "caf\u{e9}\u{80}\n");
        check(b"\xef\xbb\xbf\xff", Encoding::Latin1, "\u{ef}\u{bb}\u{bf}\u{ff}");
        check(b"", Encoding::Utf8, "");
        check(b"\xff\xfe", Encoding::Utf16Little, "");
    }

    #[test]
    fn broken_utf_16_is_shown_but_not_exact() {
        assert_eq!(decode(b"\xff\xfea\0\x3d\xd8".to_vec()).fidelity, Fidelity::Lossy);
        assert_eq!(decode(b"\xff\xfea\0b".to_vec()).fidelity, Fidelity::Lossy);
        assert_eq!(decode(b"\xff\xfe\x3d\xd8a\0".to_vec()).content, "\u{fffd}a");
    }

    #[test]
    fn latin_1_says_which_character_it_lacks() {
        assert_eq!(Encoding::Latin1.encode("a€"), Err('€'));
    }

    #[test]
    fn endings_are_one_kind_or_mixed() {
        assert_eq!(endings("a\nb"), Endings::Lf);
        assert_eq!(endings("a\r\nb\r\n"), Endings::Crlf);
        assert_eq!(endings("a\r\nb\n"), Endings::Mixed);
        assert_eq!(endings("a\rb"), Endings::Lf);
        assert_eq!(with_crlf("a\n\nb\r\nc"), "a\r\n\r\nb\r\nc");
    }
}
