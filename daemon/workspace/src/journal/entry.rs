//! An entry: one edit of one file or buffer by one call.

use std::fmt;
use std::sync::{Arc, OnceLock};

use copydesk_text::Change;
use sha2::{Digest as _, Sha256};

/// Counts up across all sessions; never reused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EntryId(pub(super) i64);

impl fmt::Display for EntryId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The BLAKE3 hash of a text. SHA-256 took most of the time of an edit in a large file where the processor has no instructions
/// for it.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct TextHash([u8; 32]);

impl TextHash {
    pub fn of_text(text: &str) -> Self {
        Self::of_bytes(text.as_bytes())
    }

    pub(crate) fn of_bytes(bytes: &[u8]) -> Self {
        Self(blake3::hash(bytes).into())
    }

    /// Whether this is the hash of `text`. The first journals have the SHA-256 of their texts.
    pub(super) fn is_of_text(&self, text: &str) -> bool {
        *self == Self::of_text(text) || self.0 == <[u8; 32]>::from(Sha256::digest(text.as_bytes()))
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.0
    }
}

impl From<[u8; 32]> for TextHash {
    fn from(hash: [u8; 32]) -> Self {
        Self(hash)
    }
}

impl fmt::Debug for TextHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().take(4).try_for_each(|byte| write!(f, "{byte:02x}"))?;
        f.write_str("…")
    }
}

/// A text to record; clones share it. Its hash is computed once, when needed, unless the caller knows it:
/// hashing two megabytes takes longer than recording them.
#[derive(Debug, Clone)]
pub struct HashedText {
    text: Arc<String>,
    hash: Arc<OnceLock<TextHash>>,
}

impl HashedText {
    pub fn new(text: impl Into<String>) -> Self {
        Self::from_shared(text.into().into())
    }

    /// A text that others share.
    pub fn from_shared(text: Arc<String>) -> Self {
        Self { text, hash: Arc::default() }
    }

    /// With a wrong hash the text could not be read back.
    pub fn with_hash(text: Arc<String>, hash: TextHash) -> Self {
        debug_assert_eq!(hash, TextHash::of_text(&text));
        Self { text, hash: Arc::new(hash.into()) }
    }

    pub fn as_str(&self) -> &str {
        &self.text
    }

    pub(crate) fn to_shared(&self) -> Arc<String> {
        Arc::clone(&self.text)
    }

    pub fn hash(&self) -> TextHash {
        *self.hash.get_or_init(|| TextHash::of_text(&self.text))
    }

    /// Whether the texts are equal; if so, they share one hash.
    pub(super) fn is_same_text(&self, other: &Self) -> bool {
        if let (Some(own), Some(other)) = (self.hash.get(), other.hash.get()) {
            return own == other;
        }
        let same = self.text == other.text;
        if let (true, Some(hash)) = (same, other.hash.get()) {
            // If it is already set, it has the same value.
            let _ = self.hash.set(*hash);
        }
        same
    }
}

/// A file's properties besides its text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FileAttributes {
    /// The mode bits, if known.
    pub mode: Option<u32>,
    /// The file begins with a byte order mark.
    pub bom: bool,
}

impl FileAttributes {
    /// The text as it is written to a file with these attributes.
    pub fn with_byte_order_mark(self, text: String) -> String {
        if self.bom { format!("\u{feff}{text}") } else { text }
    }
}

/// An edit that is about to be applied.
#[derive(Debug, Clone)]
pub struct NewEntry {
    pub session: String,
    pub call: String,
    /// An absolute path, or the URI of a buffer without one.
    pub path: String,
    pub kind: NewEntryKind,
    /// The entry that this one undoes. A redo undoes an undo.
    pub undoes: Option<EntryId>,
    /// The first entry of this entry's group. `None`: all entries of one `begin` form a group.
    pub group: Option<EntryId>,
}

/// What happens to the file. The change turns the text before into the text after.
#[derive(Debug, Clone)]
pub enum NewEntryKind {
    Edit {
        before: HashedText,
        change: Change,
        after: HashedText,
    },
    Create {
        after: HashedText,
    },
    Delete {
        before: HashedText,
        attributes: FileAttributes,
    },
    /// Moves the text to `to`, where nothing was, perhaps changed on the way.
    Move {
        to: String,
        before: HashedText,
        change: Change,
        after: HashedText,
    },
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EntryKind {
    Edit,
    Create,
    Delete,
    Move { to: String },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryOutcome {
    Applied,
    Failed,
}

/// An edit without its texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JournalEntry {
    pub id: EntryId,
    pub session: String,
    pub call: String,
    pub group: EntryId,
    pub path: String,
    pub kind: EntryKind,
    /// `None`: begun, and not settled since.
    pub outcome: Option<EntryOutcome>,
    pub undoes: Option<EntryId>,
    /// When it was begun, in milliseconds since 1970.
    pub time: u64,
    /// `None`: there was no file.
    pub before: Option<TextHash>,
    /// `None`: the edit removes the file.
    pub after: Option<TextHash>,
    /// Of a deleted file.
    pub attributes: FileAttributes,
    /// Whether the limits have left its texts.
    pub has_texts: bool,
}

impl JournalEntry {
    /// Where the text is after the edit.
    pub fn final_path(&self) -> &str {
        match &self.kind {
            EntryKind::Move { to } => to,
            EntryKind::Edit | EntryKind::Create | EntryKind::Delete => &self.path,
        }
    }
}
