//! Where the whole of an output lies that the model was shown only a part of.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// No output is kept beyond this.
const LARGEST: usize = 64 * 1024 * 1024;

/// How long a model may come back to one.
const KEPT: Duration = Duration::from_secs(7 * 24 * 3600);

/// A folder of outputs, one file per call; or of such folders, one per session.
#[derive(Debug, Clone)]
pub struct OutputSpill {
    folder: PathBuf,
}

impl OutputSpill {
    pub fn new(folder: &Path) -> Self {
        Self { folder: folder.into() }
    }

    /// That of a session and of those that work for it, below this one.
    #[must_use]
    pub fn for_session(&self, session: &str) -> Self {
        let safe = safe(session);
        Self { folder: self.folder.join(if safe.is_empty() { "session" } else { &safe }) }
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Keeps an output and tells where. `None` where that is impossible: the call itself has succeeded.
    pub(crate) async fn store_output(&self, call: &str, text: &str) -> Option<PathBuf> {
        let safe = safe(call);
        let path = self.folder.join(format!("{}.txt", if safe.is_empty() { "call" } else { &safe }));
        let end = text.floor_char_boundary(LARGEST.min(text.len()));
        tokio::fs::create_dir_all(&self.folder).await.ok()?;
        tokio::fs::write(&path, text.get(..end)?).await.ok()?;
        Some(path)
    }

    /// Removes what nobody will come back to, here and in the folders of sessions. Blocks; for the start of the desk.
    pub fn remove_expired(&self, now: SystemTime) {
        for entry in std::fs::read_dir(&self.folder).into_iter().flatten().flatten() {
            // Of a link its own: it is not followed.
            let Ok(metadata) = entry.metadata() else { continue };
            let age = metadata.modified().ok().and_then(|changed| now.duration_since(changed).ok());
            let is_old = age.is_some_and(|age| age > KEPT);
            if metadata.is_dir() {
                Self { folder: entry.path() }.remove_expired(now);
                // Into one that has just been made something will be written. One with anything in it stays.
                if is_old {
                    let _ = std::fs::remove_dir(entry.path());
                }
            } else if is_old {
                let _ = std::fs::remove_file(entry.path());
            }
        }
    }
}

/// What of a name can be the name of a file.
fn safe(name: &str) -> String {
    name.chars().filter(|letter| letter.is_ascii_alphanumeric() || *letter == '_').collect()
}
