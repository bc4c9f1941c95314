//! How a client counts positions: which characters end a line, and the units within one.

use copydesk_text::{LineBreaks, PositionEncoding};
use serde_json::Value;

/// The line breaks of a document that a client opens. `client` is the name in its `clientInfo`.
///
/// Neovim splits at `\n` only, except in a file that has `\r` and no `\n` (`fileformat` is `mac`).
pub fn lines_of(client: &str, text: &str) -> LineBreaks {
    let mac = || {
        memchr::memchr(b'\r', text.as_bytes()).is_some() && memchr::memchr(b'\n', text.as_bytes()).is_none()
    };
    if client.starts_with("Neovim") && !mac() { LineBreaks::Lf } else { LineBreaks::Any }
}

/// The encoding that the daemon chose in its response to `initialize`.
pub fn encoding_of(answer: &Value) -> PositionEncoding {
    match answer.pointer("/capabilities/positionEncoding").and_then(Value::as_str) {
        Some("utf-8") => PositionEncoding::Utf8,
        Some("utf-32") => PositionEncoding::Utf32,
        _ => PositionEncoding::Utf16,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neovim_splits_at_newlines_only() {
        for (client, text, expected) in [
            ("Neovim", "a\rb\nc", LineBreaks::Lf),
            ("Neovim", "plain", LineBreaks::Lf),
            ("Neovim nightly", "", LineBreaks::Lf),
            ("Neovim", "a\rb\r", LineBreaks::Any),
            ("Visual Studio Code", "a\nb", LineBreaks::Any),
            ("", "a\nb", LineBreaks::Any),
        ] {
            assert_eq!(lines_of(client, text), expected, "{client}: {text:?}");
        }
    }
}
