//! What a session knows of files, and which of them are others by now.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::{Files, READ_LIMIT, Stamp, lock, on_disk};
use crate::buffers::ClientId;

/// So many are named at once.
const NAMED: usize = 20;

/// A content that the session has read or written.
#[derive(Debug, Clone)]
pub(super) struct Seen {
    pub(super) stamp: Stamp,
    /// When the disk was last known to have it, or what else was told.
    at: SystemTime,
    /// The buffer as it was when it was last compared.
    buffer: Option<(ClientId, i32)>,
    /// The content that the session was told of as another one.
    told: Option<Stamp>,
}

impl Seen {
    pub(super) fn new(stamp: Stamp) -> Self {
        Self { stamp, at: SystemTime::now(), buffer: None, told: None }
    }
}

impl Files {
    /// The files that are others than the session knows them, each said once: changed in an editor, by another program, or
    /// by a command of the session's own.
    pub async fn changed_since_seen(&self) -> Vec<String> {
        let known: Vec<(PathBuf, Seen)> =
            lock(&self.shared.seen).iter().map(|(name, seen)| (name.clone(), seen.clone())).collect();
        let mut changed = Vec::new();
        let mut closed = Vec::new();
        for (name, seen) in known {
            let place = self.resolve(&name.to_string_lossy());
            match self.shared.buffers.find(&name, self.home_client()) {
                Some(Ok(open)) if seen.buffer != Some((open.client, open.version)) => {
                    let stamp = Stamp::of(open.document.text().as_bytes());
                    self.compared(&name, stamp, Some((open.client, open.version)), &mut changed);
                }
                Some(_) => {}
                None if place.is_untitled() => {}
                None => closed.push((name, seen.at)),
            }
        }
        // Most have not been touched, and are not read.
        let root = self.resolve(".");
        let newer = move || {
            let is_newer = |(name, at): &(PathBuf, SystemTime)| {
                let meta = std::fs::symlink_metadata(name).ok().filter(std::fs::Metadata::is_file);
                meta.is_some_and(|meta| meta.modified().is_ok_and(|time| time > *at))
            };
            Ok(closed.into_iter().filter(is_newer).map(|(name, _)| name).collect::<Vec<_>>())
        };
        for name in on_disk(&root, newer).await.unwrap_or_default() {
            let place = self.resolve(&name.to_string_lossy());
            if let Ok(content) = self.look(&place, READ_LIMIT).await {
                self.compared(&name, content.stamp, None, &mut changed);
            }
        }
        changed.sort();
        changed.truncate(NAMED);
        changed
    }

    fn compared(&self, name: &Path, now: Stamp, buffer: Option<(ClientId, i32)>, changed: &mut Vec<String>) {
        let mut seen = lock(&self.shared.seen);
        let Some(known) = seen.get_mut(name) else { return };
        (known.buffer, known.at) = (buffer, SystemTime::now());
        if now != known.stamp && known.told != Some(now) {
            known.told = Some(now);
            changed.push(self.resolve(&name.to_string_lossy()).shown);
        }
    }
}
