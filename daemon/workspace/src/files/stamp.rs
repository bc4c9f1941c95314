//! Which content it was: two contents with one stamp are the same bytes.

use sha2::{Digest, Sha256};

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

    /// The SHA-256 of the bytes.
    pub(crate) fn hash(&self) -> [u8; 32] {
        self.hash
    }

    pub fn length(&self) -> u64 {
        self.length
    }
}

impl std::fmt::Debug for Stamp {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Stamp({} bytes, ", self.length)?;
        self.hash.iter().take(4).try_for_each(|byte| write!(f, "{byte:02x}"))?;
        f.write_str("…)")
    }
}
