//! Whether an editor's buffer differs from the file on the disk.
//!
//! A file that cannot be read here, such as a device or one that is too large, counts as the same. A deleted file differs.

use std::collections::HashMap;
use std::fs::Metadata;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use copydesk_text::FileText;

use super::{Buffers, ClientId};
use crate::real_file::open_regular_file;
use crate::time_limits::STAMP_SETTLE_TIME;

/// Hand-written files are smaller.
pub const MAX_SMALL_FILE_BYTES: u64 = 1024 * 1024;

/// The cap on remembered files.
const MAX_FILES: usize = 1000;

pub fn is_deleted(path: &Path) -> bool {
    path.symlink_metadata().is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound)
}

/// Reads a file by its real path: only a regular one up to a megabyte, because a device or FIFO has no end.
pub fn read_small_file(real: &Path) -> Option<Vec<u8>> {
    let (file, metadata) = open_regular_file(real).ok()?;
    if metadata.len() > MAX_SMALL_FILE_BYTES {
        return None;
    }
    let mut bytes = Vec::with_capacity(usize::try_from(metadata.len()).ok()? + 1);
    file.take(MAX_SMALL_FILE_BYTES + 1).read_to_end(&mut bytes).ok()?;
    (bytes.len() as u64 <= MAX_SMALL_FILE_BYTES).then_some(bytes)
}

/// Files that were found to be the same as their buffers. They are not read again until either side changes.
#[derive(Debug, Default)]
pub(super) struct SavedFileCache {
    seen: Mutex<HashMap<PathBuf, SavedFileStamp>>,
}

/// The state of a buffer and its file when they were the same.
#[derive(Debug, PartialEq, Eq)]
struct SavedFileStamp {
    revision: u64,
    modified: SystemTime,
    length: u64,
}

impl Buffers {
    /// Whether the buffer that counts for a session with the home client `home` has another text than the file. False if the
    /// file is not open.
    pub fn differs_from_disk(&self, home: Option<ClientId>, path: &Path) -> bool {
        let Some(Ok(open)) = self.find(path, home) else { return false };
        let revision = open.revision;
        let stamp = |metadata: Metadata| {
            let (modified, length) = (metadata.modified().ok()?, metadata.len());
            Some(SavedFileStamp { revision, modified, length })
        };
        let stamp = path.metadata().ok().and_then(stamp);
        let known = || self.saved_files.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if stamp.is_some() && stamp.as_ref() == known().get(path) {
            return false;
        }
        known().remove(path);
        let differs = match read_small_file(path).map(FileText::decode) {
            Some(on_disk) => on_disk.is_ok_and(|file| open.document != *file.shared_text().as_str()),
            None => is_deleted(path),
        };
        let is_settled =
            |stamp: &SavedFileStamp| stamp.modified.elapsed().is_ok_and(|age| age > STAMP_SETTLE_TIME);
        if let Some(stamp) = stamp.filter(is_settled).filter(|_| !differs) {
            let mut known = known();
            if known.len() >= MAX_FILES {
                known.clear();
            }
            known.insert(path.to_owned(), stamp);
        }
        differs
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File};
    use std::time::Duration;

    use copydesk_text::LineBreaks;

    use super::super::tests::silent;
    use super::*;

    #[test]
    fn a_remembered_file_is_compared_again_after_a_change_of_either_side() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().canonicalize().unwrap().join("a.rs");
        let long_ago = SystemTime::now() - Duration::from_secs(3600);
        let write = |text: &str, when: SystemTime| {
            fs::write(&path, text).unwrap();
            File::options().append(true).open(&path).unwrap().set_modified(when).unwrap();
        };
        let buffers = Buffers::default();
        let client = silent(&buffers);
        let open = |text: &str| buffers.open(client, "file:///a.rs", Some(&path), 8, text, LineBreaks::Any);
        let differs = || buffers.differs_from_disk(None, &path);
        write("one", long_ago);
        open("one");
        assert!(!differs() && !differs());
        assert_eq!(buffers.saved_files.seen.lock().unwrap().len(), 1);
        // The editor opens it again under the same version.
        open("two");
        assert!(differs() && differs());
        open("one");
        assert!(!differs());
        write("six", long_ago + Duration::from_secs(1));
        assert!(differs());
        // A file that was written just now is read each time.
        write("one", SystemTime::now());
        assert!(!differs() && buffers.saved_files.seen.lock().unwrap().is_empty());
        fs::remove_file(&path).unwrap();
        assert!(differs());
    }
}
