//! Bytes ↔ the text of a file. Writing changes only the edited bytes: the text is kept as it is, not
//! normalised, so that byte order mark, line endings and a missing final newline survive.
//!
//! Only UTF-8 is supported. [`sniff`] reports from the first bytes why a file is not text;
//! [`FileText::decode`] rejects only undecodable bytes, so that a text with odd characters can still be
//! repaired.

use std::sync::Arc;

use thiserror::Error;

use crate::LineEnding;

/// How much of a file [`sniff`] reads, as in Git and other tools.
const SAMPLE: usize = 8192;
/// Above this share of control characters a file counts as binary.
const MAX_CONTROL_PERCENT: usize = 30;
const BOM: &str = "\u{feff}";

/// Why bytes are not a text that can be shown and edited.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum FileTextError {
    /// Named by its byte order mark.
    #[error("it is {0} text; only UTF-8 can be read and edited: convert it first (for instance with iconv)")]
    Encoding(&'static str),
    #[error("it is binary: there is a NUL byte at offset {at}")]
    Nul { at: usize },
    #[error("it is binary: {percent} % of its first bytes are control characters")]
    Control { percent: usize },
    #[error("it is not UTF-8: the first wrong byte is 0x{byte:02x} in line {line}, at offset {at}")]
    NotUtf8 { at: usize, byte: u8, line: usize },
}

/// Why the first bytes are not text, if so. Cheap: reads at most 8 KiB.
pub fn sniff(bytes: &[u8]) -> Option<FileTextError> {
    let sample = bytes.get(..SAMPLE).unwrap_or(bytes);
    if let Some(name) = foreign_encoding(sample) {
        return Some(FileTextError::Encoding(name));
    }
    if let Some(at) = sample.iter().position(|byte| *byte == 0) {
        return Some(FileTextError::Nul { at });
    }
    let control = sample.iter().filter(|byte| matches!(byte, 0..=8 | 14..=31)).count();
    let percent = (control * 100).checked_div(sample.len())?;
    (percent > MAX_CONTROL_PERCENT).then_some(FileTextError::Control { percent })
}

fn foreign_encoding(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0xff, 0xfe, 0, 0, ..] => Some("UTF-32 (little-endian)"),
        [0, 0, 0xfe, 0xff, ..] => Some("UTF-32 (big-endian)"),
        [0xff, 0xfe, ..] => Some("UTF-16 (little-endian)"),
        [0xfe, 0xff, ..] => Some("UTF-16 (big-endian)"),
        _ => None,
    }
}

/// The text of a file, without its byte order mark and otherwise unchanged. Clones share it: it may be
/// megabytes long.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileText {
    text: Arc<String>,
    bom: bool,
}

/// The file that will contain this text.
impl From<String> for FileText {
    fn from(mut text: String) -> Self {
        let bom = text.starts_with(BOM);
        if bom {
            text.drain(..BOM.len());
        }
        Self { text: text.into(), bom }
    }
}

impl FileText {
    /// Invariant: `decode(bytes).encode() == bytes`.
    pub fn decode(bytes: Vec<u8>) -> Result<Self, FileTextError> {
        if let Some(name) = foreign_encoding(&bytes) {
            return Err(FileTextError::Encoding(name));
        }
        let text = String::from_utf8(bytes)
            .map_err(|error| not_utf8(error.as_bytes(), error.utf8_error().valid_up_to()))?;
        Ok(text.into())
    }

    pub fn encode(&self) -> Vec<u8> {
        self.pieces().concat()
    }

    /// The bytes of the file, in consecutive pieces.
    pub fn pieces(&self) -> [&[u8]; 2] {
        [if self.bom { BOM } else { "" }.as_bytes(), self.text.as_bytes()]
    }

    /// The file size in bytes.
    pub fn size(&self) -> u64 {
        self.pieces().iter().map(|piece| piece.len() as u64).sum()
    }

    /// The same file with an edited text, such as the result of [`Change::apply`](crate::Change::apply).
    #[must_use]
    pub fn with_text(&self, text: String) -> Self {
        Self { text: text.into(), bom: self.bom }
    }

    /// The same file with a rewritten text whose author does not see line endings and byte order mark: both
    /// stay as they were.
    #[must_use]
    pub fn with_rewritten_text(&self, text: &str) -> Self {
        let text = text.strip_prefix(BOM).unwrap_or(text);
        self.with_text(self.line_ending().apply_to(text).into_owned())
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    /// Shares the text without a copy.
    pub fn shared_text(&self) -> Arc<String> {
        Arc::clone(&self.text)
    }

    pub fn has_bom(&self) -> bool {
        self.bom
    }

    /// Reads the whole text.
    pub fn line_ending(&self) -> LineEnding {
        LineEnding::detect(&self.text)
    }

    /// Whether the last line ends with a break. True for an empty text, which has no line.
    pub fn has_final_newline(&self) -> bool {
        self.text.is_empty() || self.text.ends_with('\n')
    }
}

fn not_utf8(bytes: &[u8], at: usize) -> FileTextError {
    let before = bytes.get(..at).unwrap_or_default();
    let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
    FileTextError::NotUtf8 { at, byte: bytes.get(at).copied().unwrap_or_default(), line }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_a_text_is_named() {
        let mut late_nul = vec![b'a'; SAMPLE];
        late_nul.push(0);
        assert_eq!(sniff(b""), None);
        assert_eq!(sniff("# Überschrift\r\n\x1b[1mfett\x1b[0m".as_bytes()), None);
        assert_eq!(sniff(&late_nul), None);
        assert_eq!(sniff(b"ab\0c"), Some(FileTextError::Nul { at: 2 }));
        assert_eq!(sniff(b"\x01\x02\x03a"), Some(FileTextError::Control { percent: 75 }));
        assert_eq!(sniff(b"\xff\xfea\0"), Some(FileTextError::Encoding("UTF-16 (little-endian)")));
        assert_eq!(
            FileText::decode(b"\xfe\xff\0a".to_vec()),
            Err(FileTextError::Encoding("UTF-16 (big-endian)"))
        );
        let latin1 = FileText::decode(b"one\ntwo caf\xe9".to_vec()).unwrap_err();
        assert_eq!(latin1, FileTextError::NotUtf8 { at: 11, byte: 0xe9, line: 2 });
        assert_eq!(
            latin1.to_string(),
            "it is not UTF-8: the first wrong byte is 0xe9 in line 2, at offset 11"
        );
    }

    #[test]
    fn marks_and_endings_are_known_and_kept() {
        let file = FileText::decode("\u{feff}a\r\nb".into()).unwrap();
        assert_eq!((file.text(), file.has_bom(), file.line_ending()), ("a\r\nb", true, LineEnding::Crlf));
        assert!(!file.has_final_newline());
        assert_eq!(file.with_rewritten_text("x\ny\n").encode(), "\u{feff}x\r\ny\r\n".as_bytes());
        assert_eq!(file.with_rewritten_text("\u{feff}x").encode(), "\u{feff}x".as_bytes(), "no second mark");
    }
}
