//! Images and PDFs, recognized by their first bytes.

use std::sync::Arc;

use base64::{Engine, prelude::BASE64_STANDARD};

use super::target_file::sentence;
use crate::outcome::{MediaAttachment, ToolError};

/// The limit of the providers.
const MAX_BASE64_BYTES: usize = 5 * 1024 * 1024;

/// The media type of an image or PDF that models accept.
pub(super) fn kind(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => Some("image/png"),
        [0xff, 0xd8, 0xff, ..] => Some("image/jpeg"),
        [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Some("image/gif"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some("image/webp"),
        [b'%', b'P', b'D', b'F', b'-', ..] => Some("application/pdf"),
        _ => None,
    }
}

/// A file that the user attaches to a prompt. `None` if no model accepts it.
pub fn attachment(name: &str, bytes: &[u8]) -> Option<Result<MediaAttachment, ToolError>> {
    kind(bytes).map(|mime| media(name, mime, bytes))
}

pub(super) fn media(shown: &str, mime: &str, bytes: &[u8]) -> Result<MediaAttachment, ToolError> {
    let most = MAX_BASE64_BYTES / 4 * 3;
    if bytes.len() > most {
        let what = format!(
            "`{shown}` ({mime}) has {} bytes, and at most {most} can be shown; make it smaller",
            bytes.len()
        );
        return Err(ToolError::target(sentence(&what)));
    }
    let name = shown.rsplit('/').next().unwrap_or(shown);
    Ok(MediaAttachment {
        mime: mime.to_owned(),
        base64: Arc::from(BASE64_STANDARD.encode(bytes)),
        name: Some(name.to_owned()),
    })
}
