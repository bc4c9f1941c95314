//! Notes that replace or label images and PDFs.

use crate::request::{MediaPart, ToolResultPart};

/// Replaces media that the model does not accept.
pub(super) fn unsupported_note(media: &MediaPart) -> String {
    let what = if media.is_image() { "images" } else { "files of this type" };
    format!("[{} left out: this model takes no {what}]", label(media))
}

/// Precedes media that could not stay inside a tool result.
pub(super) fn origin_note(media: &MediaPart, result: &ToolResultPart) -> String {
    format!("[{} from {} {}]", label(media), result.name, result.id)
}

fn label(media: &MediaPart) -> &str {
    media.name.as_deref().unwrap_or(&media.mime)
}
