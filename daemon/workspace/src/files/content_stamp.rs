//! Identifies a content: two contents with one stamp are the same bytes.

use copydesk_text::FileText;

use crate::journal::{HashedText, TextHash};

/// Identifies a content, not a moment: writing the same bytes again gives the same stamp.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct ContentStamp {
    length: u64,
    hash: TextHash,
}

impl ContentStamp {
    pub fn of_bytes(bytes: &[u8]) -> Self {
        Self { length: bytes.len() as u64, hash: TextHash::of_bytes(bytes) }
    }

    /// The stamp of a text's bytes; the hash may be known already.
    pub(super) fn of_text(text: &HashedText) -> Self {
        Self { length: text.as_str().len() as u64, hash: text.hash() }
    }

    /// The stamp of a file with this text.
    pub(super) fn of_file(file: &FileText, text: &HashedText) -> Self {
        if file.has_bom() { Self::of_bytes(&file.encode()) } else { Self::of_text(text) }
    }

    /// The text of a file with this stamp, for the journal. It is not hashed again, unless the file has a
    /// byte order mark, which is not part of the text.
    pub(super) fn text(self, file: &FileText) -> HashedText {
        let text = file.shared_text();
        if file.has_bom() { HashedText::from_shared(text) } else { HashedText::with_hash(text, self.hash) }
    }
}

impl std::fmt::Debug for ContentStamp {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Stamp({} bytes, {:?})", self.length, self.hash)
    }
}
