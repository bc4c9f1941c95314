//! Where the whole of an output lies that the model was shown only a part of.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// No output is kept beyond this.
const LARGEST: usize = 64 * 1024 * 1024;

/// How long a model may come back to one.
const KEPT: Duration = Duration::from_secs(7 * 24 * 3600);

/// A folder of outputs, one file per call.
#[derive(Debug, Clone)]
pub struct Spill {
    folder: PathBuf,
}

impl Spill {
    pub fn new(folder: &Path) -> Self {
        Self { folder: folder.into() }
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Keeps an output and tells where. `None` where that is impossible: the call itself has succeeded.
    pub(crate) async fn keep(&self, call: &str, text: &str) -> Option<PathBuf> {
        let safe: String =
            call.chars().filter(|letter| letter.is_ascii_alphanumeric() || *letter == '_').collect();
        let path = self.folder.join(format!("{}.txt", if safe.is_empty() { "call" } else { &safe }));
        let end = text.floor_char_boundary(LARGEST.min(text.len()));
        tokio::fs::create_dir_all(&self.folder).await.ok()?;
        tokio::fs::write(&path, text.get(..end)?).await.ok()?;
        Some(path)
    }

    /// Removes what nobody will come back to. Blocks; for the start of the desk.
    pub fn clean(&self, now: SystemTime) {
        for entry in std::fs::read_dir(&self.folder).into_iter().flatten().flatten() {
            let age = entry.metadata().and_then(|metadata| metadata.modified());
            let age = age.ok().and_then(|changed| now.duration_since(changed).ok());
            if age.is_some_and(|age| age > KEPT) {
                let _ = std::fs::remove_file(entry.path());
            }
        }
    }
}
