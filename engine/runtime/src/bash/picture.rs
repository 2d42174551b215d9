//! Pictures that a command prints: an image file as it is, or a data URI that holds one. They are only recognised here.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// Kinds of pictures that models are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PictureKind {
    /// PNG.
    Png,
    /// JPEG.
    Jpeg,
    /// GIF.
    Gif,
    /// WebP.
    Webp,
}

/// A picture in the output of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// What it is, by its bytes.
    pub kind: PictureKind,
    /// The bytes of the file.
    pub bytes: Vec<u8>,
}

/// The picture that some output is, if it is one. The output has to be whole.
#[must_use]
pub fn picture(output: &[u8]) -> Option<Picture> {
    let bytes = match data_uri(output) {
        Some(bytes) => bytes,
        None => output.to_vec(),
    };
    let kind = kind(&bytes)?;
    Some(Picture { kind, bytes })
}

/// The bytes of `data:image/...;base64,...`.
fn data_uri(output: &[u8]) -> Option<Vec<u8>> {
    let text = std::str::from_utf8(output).ok()?.trim();
    let rest = text.strip_prefix("data:image/")?;
    let (head, data) = rest.split_once(',')?;
    head.ends_with(";base64").then_some(())?;
    let packed: String = data.split_ascii_whitespace().collect();
    STANDARD.decode(packed).ok()
}

fn kind(bytes: &[u8]) -> Option<PictureKind> {
    Some(match bytes {
        [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => PictureKind::Png,
        [0xff, 0xd8, 0xff, ..] => PictureKind::Jpeg,
        [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => PictureKind::Gif,
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => PictureKind::Webp,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::{PictureKind, picture};

    #[test]
    fn pictures_are_told_by_their_bytes_whatever_they_are_called() {
        let kind = |output: &[u8]| picture(output).map(|picture| picture.kind);
        assert_eq!(kind(b"\x89PNG\r\n\x1a\nrest"), Some(PictureKind::Png));
        assert_eq!(kind(b"RIFF\0\0\0\0WEBPVP8 "), Some(PictureKind::Webp));
        assert_eq!(
            kind(b"\ndata:image/png;base64,R0lGODlh\n"),
            Some(PictureKind::Gif)
        );
        assert_eq!(kind(b"data:image/png;base64,bm8="), None);
        assert_eq!(kind(b"data:image/png,GIF89a"), None);
        assert_eq!(kind(b"a PNG"), None);
    }
}
