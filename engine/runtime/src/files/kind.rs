//! What kind of file some bytes are: by their content first, by the name's extension where the content leaves it open.

use std::ffi::OsStr;

use super::encoding::{Encoding, marked};

/// How many bytes of a file decide about its kind.
pub(super) const SNIFFED_BYTES: usize = 64 * 1024;

/// What a file is to a reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Text in whatever encoding.
    Text,
    /// An image that a model can be shown.
    Image(ImageKind),
    /// A PDF document.
    Pdf,
    /// A Jupyter notebook.
    Notebook,
    /// Anything else.
    Binary {
        /// What it is.
        what: &'static str,
        /// What to do with it.
        hint: &'static str,
    },
}

/// The formats of images that models are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ImageKind {
    Png,
    Jpeg,
    Gif,
    WebP,
}

const RUN: &str = "look at it with a program for its kind";
const ARCHIVE: &str = "list what is in it with a program for archives";
const CONVERT: &str = "convert it to PNG, JPEG, GIF or WebP first";

/// Beginnings of files that are no text, though some have no zero byte to show it.
const BEGINNINGS: &[(&[u8], &str, &str)] = &[
    (
        b"\x7fELF",
        "an ELF program or library",
        "look at it with `file`, `nm` or `strings`",
    ),
    (b"\xfe\xed\xfa\xce", "a Mach-O program", RUN),
    (b"\xfe\xed\xfa\xcf", "a Mach-O program", RUN),
    (b"\xcf\xfa\xed\xfe", "a Mach-O program", RUN),
    (b"\xca\xfe\xba\xbe", "a Java class or Mach-O program", RUN),
    (
        b"PK\x03\x04",
        "a ZIP archive, or a document built on one",
        ARCHIVE,
    ),
    (b"PK\x05\x06", "an empty ZIP archive", ARCHIVE),
    (
        b"\x1f\x8b",
        "data compressed by gzip",
        "decompress it with `gzip -dc` first",
    ),
    (
        b"BZh",
        "data compressed by bzip2",
        "decompress it with `bzip2 -dc` first",
    ),
    (
        b"\xfd7zXZ\0",
        "data compressed by xz",
        "decompress it with `xz -dc` first",
    ),
    (
        b"\x28\xb5\x2f\xfd",
        "data compressed by zstd",
        "decompress it with `zstd -dc` first",
    ),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive", ARCHIVE),
    (b"Rar!\x1a\x07", "a RAR archive", ARCHIVE),
    (
        b"SQLite format 3\0",
        "an SQLite database",
        "query it with `sqlite3`",
    ),
    (b"\0asm", "a WebAssembly module", RUN),
    (b"II*\0", "a TIFF image", CONVERT),
    (b"MM\0*", "a TIFF image", CONVERT),
    (b"\0\0\x01\0", "an icon", CONVERT),
    (b"OggS", "an Ogg recording", RUN),
    (b"ID3", "an MP3 recording", RUN),
    (b"fLaC", "a FLAC recording", RUN),
    (b"wOFF", "a font", RUN),
    (b"wOF2", "a font", RUN),
];

/// The kind of a file that starts with `head` (its first [`SNIFFED_BYTES`], or all of it) and is called `name`.
pub(super) fn kind_of(head: &[u8], name: &OsStr) -> Kind {
    if let Some(image) = image_of(head) {
        return Kind::Image(image);
    }
    // Readers of PDF accept some bytes before the header; text that merely speaks of it further in is not taken for one.
    if head.starts_with(b"%PDF-") {
        return Kind::Pdf;
    }
    let extension = extension(name);
    if extension == "pdf"
        && head
            .get(..head.len().min(1024))
            .is_some_and(|head| contains(head, b"%PDF-"))
    {
        return Kind::Pdf;
    }
    match marked(head) {
        Some(Encoding::Utf16Little | Encoding::Utf16Big)
            if head.len().is_multiple_of(2) || head.len() >= SNIFFED_BYTES =>
        {
            return Kind::Text;
        }
        Some(_) | None => {}
    }
    for (start, what, hint) in BEGINNINGS {
        // A short beginning in letters may also begin a text; what follows it tells.
        if head.starts_with(start)
            && (start.iter().any(|byte| !byte.is_ascii_alphanumeric()) || !is_text(head))
        {
            return Kind::Binary { what, hint };
        }
    }
    if !is_text(head) {
        let (what, hint) = match extension.as_str() {
            "png" | "jpg" | "jpeg" | "gif" | "webp" => (
                "named as an image, but it is not one",
                "check how the file was made",
            ),
            "pdf" => ("named as a PDF, but it is not one", "check how the file was made"),
            _ => ("of unknown kind", "look at it with `file`, `xxd` or `strings`"),
        };
        return Kind::Binary { what, hint };
    }
    if extension == "ipynb"
        && head
            .iter()
            .find(|byte| !byte.is_ascii_whitespace())
            .is_some_and(|byte| matches!(byte, b'{' | 0xef))
    {
        return Kind::Notebook;
    }
    Kind::Text
}

/// The format of an image, by its first bytes.
pub(super) fn image_of(head: &[u8]) -> Option<ImageKind> {
    if head.starts_with(b"\x89PNG\r\n\x1a\n") {
        Some(ImageKind::Png)
    } else if head.starts_with(b"\xff\xd8\xff") {
        Some(ImageKind::Jpeg)
    } else if head.starts_with(b"GIF87a") || head.starts_with(b"GIF89a") {
        Some(ImageKind::Gif)
    } else if head.starts_with(b"RIFF") && head.get(8..12) == Some(b"WEBP") {
        Some(ImageKind::WebP)
    } else {
        None
    }
}

/// Whether bytes can be text: no zero byte, and if they are not UTF-8, few control characters.
fn is_text(head: &[u8]) -> bool {
    if head.contains(&0) {
        return false;
    }
    let whole = match std::str::from_utf8(head) {
        Ok(_) => true,
        // A character that the end of the sample cuts is no sign of anything.
        Err(error) => error.error_len().is_none() && head.len() >= SNIFFED_BYTES,
    };
    let controls = head
        .iter()
        .filter(|byte| matches!(byte, 0x01..=0x06 | 0x0e..=0x1a | 0x1c..=0x1f | 0x7f))
        .count();
    // Terminal recordings and the like hold control characters in valid UTF-8, up to a point.
    let allowed = if whole { head.len() / 3 } else { head.len() / 50 };
    controls <= allowed
}

fn extension(name: &OsStr) -> String {
    std::path::Path::new(name)
        .extension()
        .map(|extension| extension.to_string_lossy().to_ascii_lowercase())
        .unwrap_or_default()
}

fn contains(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;

    use super::{ImageKind, Kind, kind_of};

    fn kind(head: &[u8], name: &str) -> Kind {
        kind_of(head, OsStr::new(name))
    }

    fn is_binary(head: &[u8], name: &str) -> bool {
        matches!(kind(head, name), Kind::Binary { .. })
    }

    #[test]
    fn content_counts_more_than_the_name() {
        assert_eq!(
            kind(b"\x89PNG\r\n\x1a\n....", "a.txt"),
            Kind::Image(ImageKind::Png)
        );
        assert_eq!(kind(b"plain words", "a.png"), Kind::Text);
        assert_eq!(kind(b"%PDF-1.7\n%\xe2\xe3", "a.txt"), Kind::Pdf);
        assert_eq!(kind(b"junk\n%PDF-1.7\n", "a.pdf"), Kind::Pdf);
        assert_eq!(kind(b"see %PDF-1.7\n", "a.txt"), Kind::Text);
        assert!(is_binary(b"\x7fELF\x02\x01\x01", "a.rs"));
        assert!(is_binary(b"\x1f\x8b\x08", "a.txt"));
    }

    #[test]
    fn the_name_decides_where_the_content_does_not() {
        assert_eq!(kind(b"{\"cells\": []}", "a.ipynb"), Kind::Notebook);
        assert_eq!(kind(b"{\"cells\": []}", "a.json"), Kind::Text);
        assert_eq!(kind(b"not json", "a.ipynb"), Kind::Text);
    }

    #[test]
    fn letters_that_begin_an_archive_may_begin_a_text() {
        assert_eq!(kind(b"BZh is how bzip2 begins", "a.md"), Kind::Text);
        assert_eq!(kind(b"ID3 tags explained", "a.md"), Kind::Text);
        assert!(is_binary(b"BZh91AY&SY\0\x01", "a"));
    }

    #[test]
    fn text_is_known_in_every_encoding() {
        assert_eq!(kind(b"", "a"), Kind::Text);
        assert_eq!(kind("añ€".as_bytes(), "a"), Kind::Text);
        assert_eq!(kind(b"caf\xe9 au lait", "a"), Kind::Text);
        assert_eq!(kind(b"\xff\xfea\0b\0", "a"), Kind::Text);
        assert_eq!(kind(b"\x1b[31mred\x1b[0m", "a.log"), Kind::Text);
        assert!(is_binary(b"a\0b", "a.txt"));
        assert!(is_binary(&[0xff, 0x01, 0x02, 0x03, 0x90, 0x80], "a"));
    }
}
