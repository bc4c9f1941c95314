//! Images and PDFs, and what a model is told where it cannot take one.

use crate::request::{MediaPart, ToolResultPart};

/// Stands in the place of media that the model cannot take.
pub(super) fn unsupported_note(media: &MediaPart) -> String {
    let what = if media.is_image() { "images" } else { "files of this type" };
    format!("[{} left out: this model takes no {what}]", label(media))
}

/// Stands before media that could not stay inside the result of a call.
pub(super) fn origin_note(media: &MediaPart, result: &ToolResultPart) -> String {
    format!("[{} from {} {}]", label(media), result.name, result.id)
}

fn label(media: &MediaPart) -> &str {
    media.name.as_deref().unwrap_or(&media.mime)
}
