//! Images as a model takes them: within the limits of size that model interfaces have.
//!
//! Invariant (bounded decoding): dimensions and memory are checked against the header before a pixel is decoded, so a small file that
//! unfolds to a huge picture costs nothing.
//!
//! Every image is decoded in full, also one that is passed on as it is: an image that a model's interface refuses spoils more than one call.

use std::io::Cursor;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use image::codecs::jpeg::JpegEncoder;
use image::metadata::Orientation;
use image::{DynamicImage, ImageDecoder as _, ImageFormat, ImageReader, Limits, Rgb, RgbImage};

use super::kind::ImageKind;

/// The longest edge that models get.
const MAX_EDGE: u32 = 2000;
/// The largest file that models get: 5 MB as base64.
const MAX_SENT_BYTES: usize = 3_750_000;
/// The longest edge that is decoded.
const MAX_DECODED_EDGE: u32 = 16_384;
/// The largest picture that is decoded, in memory: 64 million pixels of four bytes.
const MAX_DECODED_BYTES: u64 = 256_000_000;
/// How much a picture is made smaller at most, each time by half.
const MAX_HALVINGS: u32 = 8;

/// An image for a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    /// `image/png`, `image/jpeg`, `image/gif` or `image/webp`.
    pub media_type: &'static str,
    /// The file as base64.
    pub base64: String,
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// Width and height of the original, if this is a smaller copy.
    pub original: Option<(u32, u32)>,
}

/// The image in `bytes`, made smaller if need be; or what is wrong with it.
pub(super) fn for_model(bytes: &[u8], kind: ImageKind) -> Result<Image, String> {
    let (format, media_type) = match kind {
        ImageKind::Png => (ImageFormat::Png, "image/png"),
        ImageKind::Jpeg => (ImageFormat::Jpeg, "image/jpeg"),
        ImageKind::Gif => (ImageFormat::Gif, "image/gif"),
        ImageKind::WebP => (ImageFormat::WebP, "image/webp"),
    };
    let (picture, orientation) = decode(bytes, format)?;
    let (width, height) = (picture.width(), picture.height());
    if width <= MAX_EDGE && height <= MAX_EDGE && bytes.len() <= MAX_SENT_BYTES {
        return Ok(Image {
            media_type,
            base64: STANDARD.encode(bytes),
            width,
            height,
            original: None,
        });
    }
    let mut picture = if width > MAX_EDGE || height > MAX_EDGE {
        picture.thumbnail(MAX_EDGE, MAX_EDGE)
    } else {
        picture
    };
    picture.apply_orientation(orientation);
    for _ in 0..MAX_HALVINGS {
        if let Some((media_type, bytes)) = encode(&picture) {
            let base64 = STANDARD.encode(bytes);
            return Ok(Image {
                media_type,
                base64,
                width: picture.width(),
                height: picture.height(),
                original: Some((width, height)),
            });
        }
        picture = picture.thumbnail((picture.width() / 2).max(1), (picture.height() / 2).max(1));
    }
    Err("it does not get small enough".to_owned())
}

fn decode(bytes: &[u8], format: ImageFormat) -> Result<(DynamicImage, Orientation), String> {
    let damaged = |error: image::ImageError| format!("it is damaged or too large ({error})");
    let mut reader = ImageReader::with_format(Cursor::new(bytes), format);
    let mut limits = Limits::default();
    limits.max_image_width = Some(MAX_DECODED_EDGE);
    limits.max_image_height = Some(MAX_DECODED_EDGE);
    limits.max_alloc = Some(MAX_DECODED_BYTES);
    reader.limits(limits);
    let mut decoder = reader.into_decoder().map_err(damaged)?;
    let (width, height) = decoder.dimensions();
    if decoder.total_bytes() > MAX_DECODED_BYTES || width > MAX_DECODED_EDGE || height > MAX_DECODED_EDGE {
        return Err(format!(
            "{width} by {height} pixels are too many; make a smaller copy and read that"
        ));
    }
    if width == 0 || height == 0 {
        return Err("it has no pixels".to_owned());
    }
    let orientation = decoder.orientation().unwrap_or(Orientation::NoTransforms);
    let picture = DynamicImage::from_decoder(decoder).map_err(damaged)?;
    Ok((picture, orientation))
}

/// The picture as PNG if it has transparency or is small that way, else as JPEG as well as fits; `None` if nothing fits.
fn encode(picture: &DynamicImage) -> Option<(&'static str, Vec<u8>)> {
    let fits = |bytes: &Vec<u8>| bytes.len() <= MAX_SENT_BYTES;
    if picture.color().has_alpha() {
        let mut bytes = Cursor::new(Vec::new());
        picture.write_to(&mut bytes, ImageFormat::Png).ok()?;
        if let Some(bytes) = Some(bytes.into_inner()).filter(fits) {
            return Some(("image/png", bytes));
        }
    }
    let opaque = on_white(picture);
    [85, 70, 50].into_iter().find_map(|quality| {
        let mut bytes = Vec::new();
        JpegEncoder::new_with_quality(&mut bytes, quality)
            .encode_image(&opaque)
            .ok()?;
        Some(bytes).filter(fits).map(|bytes| ("image/jpeg", bytes))
    })
}

/// JPEG has no transparency; what is transparent looks as on paper.
fn on_white(picture: &DynamicImage) -> RgbImage {
    if !picture.color().has_alpha() {
        return picture.to_rgb8();
    }
    let picture = picture.to_rgba8();
    let mut out = RgbImage::new(picture.width(), picture.height());
    for (to, from) in out.pixels_mut().zip(picture.pixels()) {
        let [red, green, blue, alpha] = from.0;
        let over = |colour: u8| {
            let mixed = (u16::from(colour) * u16::from(alpha) + 255 * (255 - u16::from(alpha))) / 255;
            u8::try_from(mixed).unwrap_or(u8::MAX)
        };
        *to = Rgb([over(red), over(green), over(blue)]);
    }
    out
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;
    use image::{DynamicImage, ImageFormat, RgbImage, RgbaImage};

    use super::{MAX_SENT_BYTES, for_model};
    use crate::files::kind::{ImageKind, image_of};

    fn file(picture: &DynamicImage, format: ImageFormat) -> Vec<u8> {
        let mut bytes = Cursor::new(Vec::new());
        picture.write_to(&mut bytes, format).unwrap();
        bytes.into_inner()
    }

    fn noise(width: u32, height: u32) -> DynamicImage {
        let mut state = 1_u32;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            state.to_be_bytes()[0]
        };
        DynamicImage::from(RgbImage::from_fn(width, height, |_, _| {
            image::Rgb([next(), next(), next()])
        }))
    }

    #[test]
    fn a_small_image_is_passed_on_as_it_is() {
        let picture = DynamicImage::from(RgbImage::new(7, 5));
        for (format, kind, media_type) in [
            (ImageFormat::Png, ImageKind::Png, "image/png"),
            (ImageFormat::Jpeg, ImageKind::Jpeg, "image/jpeg"),
            (ImageFormat::Gif, ImageKind::Gif, "image/gif"),
            (ImageFormat::WebP, ImageKind::WebP, "image/webp"),
        ] {
            let bytes = file(&picture, format);
            assert_eq!(image_of(&bytes), Some(kind));
            let shown = for_model(&bytes, kind).unwrap();
            assert_eq!(
                (shown.media_type, shown.width, shown.height, shown.original),
                (media_type, 7, 5, None)
            );
            assert_eq!(STANDARD.decode(shown.base64).unwrap(), bytes);
        }
    }

    #[test]
    fn an_image_with_long_edges_is_made_smaller() {
        let bytes = file(&DynamicImage::from(RgbaImage::new(3000, 600)), ImageFormat::Png);
        let shown = for_model(&bytes, ImageKind::Png).unwrap();
        assert_eq!(
            (shown.media_type, shown.width, shown.height, shown.original),
            ("image/png", 2000, 400, Some((3000, 600)))
        );
    }

    #[test]
    fn an_image_of_many_bytes_is_made_smaller() {
        let bytes = file(&noise(1300, 1200), ImageFormat::Png);
        assert!(bytes.len() > MAX_SENT_BYTES);
        let shown = for_model(&bytes, ImageKind::Png).unwrap();
        assert_eq!(shown.media_type, "image/jpeg");
        assert!(STANDARD.decode(shown.base64).unwrap().len() <= MAX_SENT_BYTES);
    }

    #[test]
    fn a_picture_that_unfolds_to_gigabytes_is_refused_by_its_header() {
        // The header of a PNG of 60,000 by 60,000 pixels, with nothing behind it.
        let mut bytes = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR".to_vec();
        bytes.extend(60_000_u32.to_be_bytes());
        bytes.extend(60_000_u32.to_be_bytes());
        bytes.extend(b"\x08\x06\0\0\0");
        bytes.extend([0; 4]);
        assert!(for_model(&bytes, ImageKind::Png).is_err());
        let mut gif = b"GIF89a".to_vec();
        gif.extend([0xff, 0xff, 0xff, 0xff, 0, 0, 0]);
        assert!(for_model(&gif, ImageKind::Gif).is_err());
    }

    #[test]
    fn damaged_images_are_errors_wherever_they_are_cut_or_changed() {
        let picture = noise(24, 18);
        for (format, kind) in [
            (ImageFormat::Png, ImageKind::Png),
            (ImageFormat::Jpeg, ImageKind::Jpeg),
            (ImageFormat::Gif, ImageKind::Gif),
            (ImageFormat::WebP, ImageKind::WebP),
        ] {
            let bytes = file(&picture, format);
            for end in (0..bytes.len() / 2).step_by(7) {
                // Some formats show what is there of a picture; none may do more than that.
                let _ = for_model(&bytes[..end], kind);
            }
            assert!(for_model(&bytes[..bytes.len() / 3], kind).is_err() || kind == ImageKind::Jpeg);
            let mut state = 7_usize;
            for _ in 0..300 {
                let mut changed = bytes.clone();
                for _ in 0..3 {
                    state = state
                        .wrapping_mul(6_364_136_223_846_793_005)
                        .wrapping_add(1_442_695_040_888_963_407);
                    let at = (state >> 20) % changed.len();
                    changed[at] ^= u8::try_from(state >> 50 & 0xff).unwrap();
                }
                if let Ok(shown) = for_model(&changed, kind) {
                    assert!(shown.width > 0 && shown.height > 0);
                }
            }
        }
    }
}
