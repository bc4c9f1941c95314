//! How a client counts: what ends a line for it, and in which units it counts within one.

use copydesk_text::{Encoding, Lines};
use serde_json::Value;

/// What ends a line of a document that a client opens. `client` is the name it gave of itself.
///
/// Neovim splits at `\n` only, except where a file has `\r` and nothing else (`fileformat` is `mac`).
pub fn lines_of(client: &str, text: &str) -> Lines {
    let mac = || {
        memchr::memchr(b'\r', text.as_bytes()).is_some() && memchr::memchr(b'\n', text.as_bytes()).is_none()
    };
    if client.starts_with("Neovim") && !mac() { Lines::Lf } else { Lines::Any }
}

/// What the desk chose in its answer to `initialize`.
pub fn encoding_of(answer: &Value) -> Encoding {
    match answer.pointer("/capabilities/positionEncoding").and_then(Value::as_str) {
        Some("utf-8") => Encoding::Utf8,
        Some("utf-32") => Encoding::Utf32,
        _ => Encoding::Utf16,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neovim_splits_at_newlines_only() {
        for (client, text, expected) in [
            ("Neovim", "a\rb\nc", Lines::Lf),
            ("Neovim", "plain", Lines::Lf),
            ("Neovim nightly", "", Lines::Lf),
            ("Neovim", "a\rb\r", Lines::Any),
            ("Visual Studio Code", "a\nb", Lines::Any),
            ("", "a\nb", Lines::Any),
        ] {
            assert_eq!(lines_of(client, text), expected, "{client}: {text:?}");
        }
    }
}
