//! Position encodings of editors. Lines end at `\n` only: the texts of these tests have no other ends.

use serde_json::{Value, json};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EditorEncoding {
    Utf8,
    Utf16,
    Utf32,
}

impl EditorEncoding {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Utf8 => "utf-8",
            Self::Utf16 => "utf-16",
            Self::Utf32 => "utf-32",
        }
    }

    fn count(self, text: &str) -> usize {
        match self {
            Self::Utf8 => text.len(),
            Self::Utf16 => text.encode_utf16().count(),
            Self::Utf32 => text.chars().count(),
        }
    }
}

pub(crate) fn position(text: &str, at: usize, units: EditorEncoding) -> Value {
    let start = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    json!({ "line": text[..at].matches('\n').count(), "character": units.count(&text[start..at]) })
}

/// Beyond the end of a line is its end, beyond the last line the end of the text.
pub(crate) fn offset(text: &str, position: &Value, units: EditorEncoding) -> usize {
    let (line, character) = (position["line"].as_u64().unwrap(), position["character"].as_u64().unwrap());
    let mut start = 0;
    for _ in 0..line {
        match text[start..].find('\n') {
            Some(newline) => start += newline + 1,
            None => return text.len(),
        }
    }
    let line = text[start..].split('\n').next().unwrap();
    let reaches = |(at, _): &(usize, char)| units.count(&line[..*at]) as u64 >= character;
    start + line.char_indices().find(reaches).map_or(line.len(), |(at, _)| at)
}
