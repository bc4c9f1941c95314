//! Which content it was: two contents with one stamp are the same bytes.

use copydesk_text::FileText;
use sha2::{Digest, Sha256};

use crate::journal::Text;

/// The identity of a content, not of a moment: writing the same bytes again gives the same stamp.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Stamp {
    length: u64,
    hash: [u8; 32],
}

impl Stamp {
    pub fn of(bytes: &[u8]) -> Self {
        Self { length: bytes.len() as u64, hash: Sha256::digest(bytes).into() }
    }

    /// Of the bytes of a text, whose hash may be known.
    pub(super) fn of_text(text: &Text) -> Self {
        Self { length: text.as_str().len() as u64, hash: text.hash().into() }
    }

    /// Of a file with this text.
    pub(super) fn of_file(file: &FileText, text: &Text) -> Self {
        if file.bom() { Self::of(&file.encode()) } else { Self::of_text(text) }
    }

    /// The text of a file that has this stamp, for the journal: it need not be hashed again, unless there is a mark that
    /// is not the text's.
    pub(super) fn text(self, file: &FileText) -> Text {
        let text = file.shared();
        if file.bom() { Text::shared(text) } else { Text::hashed(text, self.hash.into()) }
    }
}

impl std::fmt::Debug for Stamp {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Stamp({} bytes, ", self.length)?;
        self.hash.iter().take(4).try_for_each(|byte| write!(f, "{byte:02x}"))?;
        f.write_str("…)")
    }
}
