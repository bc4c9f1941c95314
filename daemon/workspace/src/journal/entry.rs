//! An entry: one edit of one place by one call.

use std::fmt;
use std::sync::{Arc, OnceLock};

use copydesk_text::Change;
use sha2::{Digest as _, Sha256};

/// Counts up through all sessions; never given twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EntryId(pub(super) i64);

impl fmt::Display for EntryId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The SHA-256 of a text: which text it was.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct TextHash([u8; 32]);

impl TextHash {
    pub fn of_text(text: &str) -> Self {
        Self(Sha256::digest(text.as_bytes()).into())
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.0
    }
}

impl From<[u8; 32]> for TextHash {
    fn from(sha256: [u8; 32]) -> Self {
        Self(sha256)
    }
}

impl From<TextHash> for [u8; 32] {
    fn from(hash: TextHash) -> Self {
        hash.0
    }
}

impl fmt::Debug for TextHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().take(4).try_for_each(|byte| write!(f, "{byte:02x}"))?;
        f.write_str("…")
    }
}

/// A text to be recorded; clones are the same one. Its hash is reckoned once, when it is needed, unless the caller knows
/// it: two megabytes take longer to hash than to record.
#[derive(Debug, Clone)]
pub struct HashedText {
    text: Arc<String>,
    hash: Arc<OnceLock<TextHash>>,
}

impl HashedText {
    pub fn new(text: impl Into<String>) -> Self {
        Self::from_shared(text.into().into())
    }

    /// One that others keep, too.
    pub fn from_shared(text: Arc<String>) -> Self {
        Self { text, hash: Arc::default() }
    }

    /// With a wrong hash the text could not be given back.
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

    /// Whether they are the same; then neither is hashed twice.
    pub(super) fn is_same_text(&self, other: &Self) -> bool {
        if let (Some(own), Some(other)) = (self.hash.get(), other.hash.get()) {
            return own == other;
        }
        let same = self.text == other.text;
        if let (true, Some(hash)) = (same, other.hash.get()) {
            // Where it is set already, it is set to the same.
            let _ = self.hash.set(*hash);
        }
        same
    }
}

/// What a file is besides its text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FileAttributes {
    /// Its mode bits, where they are known.
    pub mode: Option<u32>,
    /// It begins with a byte order mark.
    pub bom: bool,
}

impl FileAttributes {
    /// The text of a file of this form, as it is written.
    pub fn with_byte_order_mark(self, text: String) -> String {
        if self.bom { format!("\u{feff}{text}") } else { text }
    }
}

/// What is about to be applied.
#[derive(Debug, Clone)]
pub struct NewEntry {
    pub session: String,
    pub call: String,
    /// An absolute path, or the URI of a buffer that has none.
    pub path: String,
    pub kind: NewEntryKind,
    /// The entry that this one takes back. A redo takes back an undo.
    pub undoes: Option<EntryId>,
    /// The first entry of a group that this one belongs to. `None`: all entries of one `begin` are a group.
    pub group: Option<EntryId>,
}

/// What happens at the place. The change leads from the text before to the one after.
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
        form: FileAttributes,
    },
    /// The text goes to `to`, where nothing was, and may be changed on the way.
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

/// What is known of an edit, without its texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JournalEntry {
    pub id: EntryId,
    pub session: String,
    pub call: String,
    pub group: EntryId,
    pub path: String,
    pub kind: EntryKind,
    /// `None`: begun, and not heard of since.
    pub outcome: Option<EntryOutcome>,
    pub undoes: Option<EntryId>,
    /// When it was begun, in milliseconds since 1970.
    pub time: u64,
    /// `None`: there was nothing at the place.
    pub before: Option<TextHash>,
    /// `None`: there was to be nothing at the place.
    pub after: Option<TextHash>,
    /// That of a file that was deleted.
    pub attributes: FileAttributes,
    /// Whether the bound has left its texts.
    pub has_texts: bool,
}

impl JournalEntry {
    /// Where the text after the edit is.
    pub fn final_path(&self) -> &str {
        match &self.kind {
            EntryKind::Move { to } => to,
            EntryKind::Edit | EntryKind::Create | EntryKind::Delete => &self.path,
        }
    }
}
