//! The file family: reading, writing and editing files, and cells of notebooks.
//!
//! This module knows nothing of tools, policies or sessions beyond [`View`]: it is handed a path that was decided about, and does what its
//! function says, or says why not. All of it is synchronous; callers run it where waiting for a disk is no harm.
//!
//! Invariants, each kept in one place: no link is followed and nothing blocks (`walk`), a file is replaced as a whole or not at all
//! (`write/atomic`), memory and time are bounded by the reader and not by the file (`read`, `lines`), and nothing is changed whose content
//! the session does not know (`seen`, `write`).

pub use change::{Change, Fit, Made};
pub use edit::{EditRequest, Which, edit, plan_edit};
pub use error::{FileError, Missing, Near, SpecialKind};
pub use image::Image;
pub use lines::TextPage;
pub use notebook::cell::{CellCommand, CellKind, CellRequest, edit_cell, plan_cell};
pub use pdf::PdfPages;
pub use place::{Decided, is_network_share};
pub use read::{Content, Part, ReadAnswer, ReadOptions, View, read};
pub use seen::{Noted, Seen};
pub use write::{Planned, plan_write, write};

mod change;
mod edit;
mod encoding;
mod error;
mod image;
mod kind;
mod lines;
mod missing;
mod notebook;
mod pdf;
mod place;
mod read;
mod seen;
mod walk;
mod write;

/// A picture that a command printed, made smaller if need be; or what is wrong with it.
pub(crate) fn shown_image(picture: &crate::bash::Picture) -> Result<Image, String> {
    use crate::bash::PictureKind;

    let kind = match picture.kind {
        PictureKind::Png => kind::ImageKind::Png,
        PictureKind::Jpeg => kind::ImageKind::Jpeg,
        PictureKind::Gif => kind::ImageKind::Gif,
        PictureKind::Webp => kind::ImageKind::WebP,
    };
    image::for_model(&picture.bytes, kind)
}
