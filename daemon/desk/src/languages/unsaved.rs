//! Whether what an editor has of a file is another text than lies on the disk.
//!
//! What cannot be read here, such as a device or what is too large to be checked, is not compared; a file that is not there is another
//! one.

use std::collections::HashMap;
use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use copydesk_text::FileText;
use copydesk_workspace::buffers::{Buffers, ClientId};

use super::texts::read;

/// Files of which it is remembered that they are the same.
const MOST: usize = 1000;

/// A file that was written more recently may be written again without looking any different.
const SETTLED: Duration = Duration::from_secs(1);

pub(super) fn is_other(buffers: &Buffers, home: Option<ClientId>, path: &Path) -> bool {
    let Some(Ok(open)) = buffers.find(path, home) else { return false };
    match read(path).map(FileText::decode) {
        Some(on_disk) => on_disk.is_ok_and(|file| open.document != *file.shared().as_str()),
        None => is_gone(path),
    }
}

pub(super) fn is_gone(path: &Path) -> bool {
    path.symlink_metadata().is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound)
}

/// The same for somebody who asks of all files again and again: those that are as they were are not read again.
#[derive(Default)]
pub(super) struct Same {
    seen: Mutex<HashMap<PathBuf, Seen>>,
}

/// A text of an editor and a file that were the same.
#[derive(PartialEq, Eq)]
struct Seen {
    client: ClientId,
    version: i32,
    modified: SystemTime,
    length: u64,
}

impl Same {
    pub(super) fn is_other(&self, buffers: &Buffers, path: &Path) -> bool {
        let Some(Ok(open)) = buffers.find(path, None) else { return false };
        let (client, version) = (open.client, open.version);
        drop(open);
        let of = |metadata: Metadata| {
            let (modified, length) = (metadata.modified().ok()?, metadata.len());
            Some(Seen { client, version, modified, length })
        };
        let seen = path.metadata().ok().and_then(of);
        let mut known = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if seen.is_some() && seen.as_ref() == known.get(path) {
            return false;
        }
        known.remove(path);
        drop(known);
        let is_other = is_other(buffers, None, path);
        let is_settled = |seen: &Seen| seen.modified.elapsed().is_ok_and(|age| age > SETTLED);
        if let Some(seen) = seen.filter(is_settled).filter(|_| !is_other) {
            let mut known = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
            if known.len() >= MOST {
                known.clear();
            }
            known.insert(path.to_owned(), seen);
        }
        is_other
    }
}
