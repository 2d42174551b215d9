//! What a call hands back to the model.
//!
//! Invariant (always an answer): every call ends as one [`Output`], also one that was refused, failed or was cancelled.

/// The content of a `tool_result` block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// What the model is shown, in order.
    pub blocks: Vec<Block>,
    /// The call was refused or failed; the blocks say why, so that a model can act on it.
    pub is_error: bool,
}

/// One piece of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Block {
    /// Plain text.
    Text(String),
    /// A picture.
    Image {
        /// How its bytes are to be read.
        media_type: MediaType,
        /// Its bytes as base64 of the standard alphabet, padded.
        base64: String,
    },
    /// The name of a deferred tool, for models that are then shown its schema.
    ToolReference(String),
}

/// Kinds of pictures that models are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MediaType {
    /// `image/png`
    Png,
    /// `image/jpeg`
    Jpeg,
    /// `image/gif`
    Gif,
    /// `image/webp`
    Webp,
}

impl MediaType {
    /// The name that stands in a message.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Png => "image/png",
            Self::Jpeg => "image/jpeg",
            Self::Gif => "image/gif",
            Self::Webp => "image/webp",
        }
    }
}

impl Block {
    /// The text, where it is one.
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Image { .. } | Self::ToolReference(_) => None,
        }
    }
}

impl Output {
    /// A text.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self {
            blocks: vec![Block::Text(text.into())],
            is_error: false,
        }
    }

    /// A refusal or a failure, with what a model can do about it.
    #[must_use]
    pub fn error(text: impl Into<String>) -> Self {
        Self {
            is_error: true,
            ..Self::text(text)
        }
    }
}
