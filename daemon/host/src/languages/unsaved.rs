//! Whether an editor's buffer differs from the file on the disk.
//!
//! A file that cannot be read here, such as a device or one that is too large, counts as the same. A deleted file differs.

use std::collections::HashMap;
use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use copydesk_text::FileText;
use copydesk_workspace::buffers::{Buffers, ClientId};

use super::session_texts::read;
use crate::time_limits::STAMP_SETTLE_TIME;

/// The cap on remembered files.
const MAX_FILES: usize = 1000;

pub(super) fn differs_from_disk(buffers: &Buffers, home: Option<ClientId>, path: &Path) -> bool {
    let Some(Ok(open)) = buffers.find(path, home) else { return false };
    match read(path).map(FileText::decode) {
        Some(on_disk) => on_disk.is_ok_and(|file| open.document != *file.shared_text().as_str()),
        None => is_deleted(path),
    }
}

pub(super) fn is_deleted(path: &Path) -> bool {
    path.symlink_metadata().is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound)
}

/// For callers that compare all files again and again: it does not read unchanged files again.
#[derive(Default)]
pub(super) struct SavedFileCache {
    seen: Mutex<HashMap<PathBuf, SavedFileStamp>>,
}

/// The state of a buffer and its file when they were the same.
#[derive(PartialEq, Eq)]
struct SavedFileStamp {
    revision: u64,
    modified: SystemTime,
    length: u64,
}

impl SavedFileCache {
    pub(super) fn differs_from_disk(&self, buffers: &Buffers, path: &Path) -> bool {
        let Some(Ok(open)) = buffers.find(path, None) else { return false };
        let revision = open.revision;
        drop(open);
        let stamp = |metadata: Metadata| {
            let (modified, length) = (metadata.modified().ok()?, metadata.len());
            Some(SavedFileStamp { revision, modified, length })
        };
        let seen = path.metadata().ok().and_then(stamp);
        let mut known = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if seen.is_some() && seen.as_ref() == known.get(path) {
            return false;
        }
        known.remove(path);
        drop(known);
        let differs = differs_from_disk(buffers, None, path);
        let is_settled =
            |seen: &SavedFileStamp| seen.modified.elapsed().is_ok_and(|age| age > STAMP_SETTLE_TIME);
        if let Some(seen) = seen.filter(is_settled).filter(|_| !differs) {
            let mut known = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
            if known.len() >= MAX_FILES {
                known.clear();
            }
            known.insert(path.to_owned(), seen);
        }
        differs
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File};
    use std::sync::Arc;
    use std::time::Duration;

    use copydesk_text::{LineBreaks, PositionEncoding};
    use copydesk_workspace::buffers::{BufferClient, BufferEdit, DiskChange, EditorFuture, EditorHandle};

    use super::*;

    struct SilentEditor;

    impl EditorHandle for SilentEditor {
        fn apply_edits(&self, _label: &str, _edits: Vec<BufferEdit>) -> EditorFuture<'_> {
            Box::pin(std::future::ready(Ok(())))
        }

        fn save(&self, _uri: &str) -> EditorFuture<'_> {
            Box::pin(std::future::ready(Ok(())))
        }

        fn notify_disk_change(&self, _path: &Path, _what: DiskChange) {}
    }

    #[test]
    fn a_remembered_file_is_compared_again_after_a_change_of_either_side() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().canonicalize().unwrap().join("a.rs");
        let long_ago = SystemTime::now() - Duration::from_secs(3600);
        let write = |text: &str, when: SystemTime| {
            fs::write(&path, text).unwrap();
            File::options().append(true).open(&path).unwrap().set_modified(when).unwrap();
        };
        let (buffers, saved_files) = (Buffers::default(), SavedFileCache::default());
        let editor = Arc::new(SilentEditor);
        let client = BufferClient {
            name: "vi".into(),
            encoding: PositionEncoding::Utf16,
            editor,
            refuses_silently: false,
        };
        let client = buffers.attach(client);
        let open = |text: &str| buffers.open(client, "file:///a.rs", Some(&path), 8, text, LineBreaks::Any);
        let differs = || saved_files.differs_from_disk(&buffers, &path);
        write("one", long_ago);
        open("one");
        assert!(!differs() && !differs());
        assert_eq!(saved_files.seen.lock().unwrap().len(), 1);
        // The editor opens it again under the same version.
        open("two");
        assert!(differs() && differs());
        open("one");
        assert!(!differs());
        write("six", long_ago + Duration::from_secs(1));
        assert!(differs());
        // A file that was written just now is read each time.
        write("one", SystemTime::now());
        assert!(!differs() && saved_files.seen.lock().unwrap().is_empty());
        fs::remove_file(&path).unwrap();
        assert!(differs());
    }
}
