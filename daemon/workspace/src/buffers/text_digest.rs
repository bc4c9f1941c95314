//! Whether a client's buffer has the text that the daemon follows.
//!
//! The daemon follows a buffer by the changes that its editor reports. If the editor changes the text without a report,
//! both texts differ from then on, and an edit would change the wrong line. So a digest of the text is compared before
//! each edit and whenever the user rests.

use copydesk_text::Document;
use sha2::{Digest as _, Sha256};

/// Of a longer text only the length is compared: editors hash slowly.
const MAX_HASHED_BYTES: usize = 1024 * 1024;

/// Identifies a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextDigest {
    pub bytes: u64,
    /// In hexadecimal; `None` for a long text.
    pub sha256: Option<String>,
}

impl TextDigest {
    pub fn new(document: &Document) -> Self {
        let bytes = document.len();
        let hash = || Sha256::digest(document.text()).iter().map(|byte| format!("{byte:02x}")).collect();
        Self { bytes: bytes as u64, sha256: (bytes <= MAX_HASHED_BYTES).then(hash) }
    }

    /// Whether both may be of one text.
    pub fn matches(&self, other: &Self) -> bool {
        let hashes = self.sha256.as_ref().zip(other.sha256.as_ref());
        self.bytes == other.bytes && hashes.is_none_or(|(one, other)| one == other)
    }
}

#[cfg(test)]
mod tests {
    use copydesk_text::LineBreaks;

    use super::*;

    #[test]
    fn texts_of_one_length_differ_by_their_hash() {
        let digest = |text: &str| TextDigest::new(&Document::new(text, LineBreaks::Any));
        let abc = digest("abc");
        assert_eq!(
            abc.sha256.as_deref(),
            Some("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        );
        assert!(abc.matches(&digest("abc")) && !abc.matches(&digest("abd")) && !abc.matches(&digest("ab")));
        let unhashed = TextDigest { bytes: 3, sha256: None };
        assert!(unhashed.matches(&abc) && !unhashed.matches(&digest("ab")));
        assert_eq!(digest(&"x".repeat(MAX_HASHED_BYTES + 1)).sha256, None);
    }
}
