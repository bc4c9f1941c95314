//! Stores the whole output of a call if the model gets only a part of it.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::time_limits::SPILL_MAX_AGE;

/// The cap on a stored output.
const MAX_OUTPUT_BYTES: usize = 64 * 1024 * 1024;

/// A folder of outputs with one file per call, or of such folders with one per session.
#[derive(Debug, Clone)]
pub struct OutputSpill {
    folder: PathBuf,
}

impl OutputSpill {
    pub fn new(folder: &Path) -> Self {
        Self { folder: folder.into() }
    }

    /// The folder of a session and its subagents, inside this one.
    #[must_use]
    pub fn for_session(&self, session: &str) -> Self {
        let safe = safe(session);
        Self { folder: self.folder.join(if safe.is_empty() { "session" } else { &safe }) }
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Stores an output and returns its path. `None` if that fails: the call itself still succeeds.
    pub(crate) async fn store_output(&self, call: &str, text: &str) -> Option<PathBuf> {
        let safe = safe(call);
        let path = self.folder.join(format!("{}.txt", if safe.is_empty() { "call" } else { &safe }));
        let end = text.floor_char_boundary(MAX_OUTPUT_BYTES.min(text.len()));
        tokio::fs::create_dir_all(&self.folder).await.ok()?;
        tokio::fs::write(&path, text.get(..end)?).await.ok()?;
        Some(path)
    }

    /// Removes old outputs, here and in the folders of sessions. Blocks; the daemon calls it at its start.
    pub fn remove_expired(&self, now: SystemTime) {
        for entry in std::fs::read_dir(&self.folder).into_iter().flatten().flatten() {
            // The metadata of the symlink itself, not of its target.
            let Ok(metadata) = entry.metadata() else { continue };
            let age = metadata.modified().ok().and_then(|changed| now.duration_since(changed).ok());
            let is_old = age.is_some_and(|age| age > SPILL_MAX_AGE);
            if metadata.is_dir() {
                Self { folder: entry.path() }.remove_expired(now);
                // A new folder may be about to be used, so it stays; so does one with files in it.
                if is_old {
                    let _ = std::fs::remove_dir(entry.path());
                }
            } else if is_old {
                let _ = std::fs::remove_file(entry.path());
            }
        }
    }
}

/// Keeps the characters of a name that a file name may have.
fn safe(name: &str) -> String {
    name.chars().filter(|letter| letter.is_ascii_alphanumeric() || *letter == '_').collect()
}
